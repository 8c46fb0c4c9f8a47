"""glTF models of one feature each, made without the library, and what a glTF shows, told without the library: for tests of what
conversions keep. What the models are made of is small, exact in every format's numbers, and different from every default."""
import base64
import json
import math
import struct
from pathlib import Path

from gltf_oracle import IDENTITY, Gltf

PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


def picture(name):
    """An image that differs from that of any other name."""
    return PNG + name.encode()


POSITIONS = [(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 0), (0, 2, 0), (0, 0, 4)]
NORMALS = [(0, 0, 1)] * 3 + [(1, 0, 0)] * 3
UVS = [(0, 0), (0.5, 0), (0, 0.25), (1, 1), (0.75, 1), (1, 0.5)]
INDICES = [0, 1, 2, 3, 4, 5]


class Builder:
    """A document in the making. `plain` is what every format with meshes holds: two triangles with normals."""

    def __init__(self):
        self.bin = bytearray()
        self.json = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
                     "meshes": [{"primitives": [{"attributes": {}}]}], "accessors": [], "bufferViews": []}
        p = self.primitive
        p["attributes"]["POSITION"] = self.add(POSITIONS, "VEC3")
        p["attributes"]["NORMAL"] = self.add(NORMALS, "VEC3")
        p["indices"] = self.add(INDICES, "SCALAR", 5123)

    @property
    def primitive(self):
        return self.json["meshes"][0]["primitives"][0]

    def add(self, rows, kind, component=5126, **more):
        letter = {5121: "B", 5123: "H", 5126: "f"}[component]
        flat = [x for row in rows for x in (row if isinstance(row, (tuple, list)) else (row,))]
        self.bin += bytes(-len(self.bin) % 4)
        at = len(self.bin)
        self.bin += struct.pack(f"<{len(flat)}{letter}", *flat)
        self.json["bufferViews"].append({"buffer": 0, "byteOffset": at, "byteLength": len(self.bin) - at})
        accessor = {"bufferView": len(self.json["bufferViews"]) - 1, "componentType": component, "count": len(rows), "type": kind,
                    **more}
        if kind != "MAT4":
            columns = list(zip(*rows)) if isinstance(rows[0], (tuple, list)) else [rows]
            single = lambda x: struct.unpack("<f", struct.pack("<f", x))[0] if component == 5126 else x
            accessor |= {"min": [single(min(c)) for c in columns], "max": [single(max(c)) for c in columns]}
        self.json["accessors"].append(accessor)
        return len(self.json["accessors"]) - 1

    def attribute(self, name, rows, kind, component=5126, **more):
        self.primitive["attributes"][name] = self.add(rows, kind, component, **more)

    def extend(self, name):
        used = self.json.setdefault("extensionsUsed", [])
        if name not in used:
            used.append(name)

    def material(self, **more):
        """The material of the mesh, which is what the model's default is until something is said of it."""
        materials = self.json.setdefault("materials", [])
        if not materials:
            materials.append({"pbrMetallicRoughness": {"metallicFactor": 0}})
            self.primitive["material"] = 0
        pbr = more.pop("pbr", {})
        materials[0]["pbrMetallicRoughness"].update(pbr)
        for name, value in more.pop("extensions", {}).items():
            self.extend(name)
            materials[0].setdefault("extensions", {}).setdefault(name, {}).update(value)
        materials[0].update(more)

    def texture(self, name, **sampler):
        j = self.json
        if "TEXCOORD_0" not in self.primitive["attributes"]:
            self.attribute("TEXCOORD_0", UVS, "VEC2")
        j.setdefault("images", []).append({"uri": name})
        texture = {"source": len(j["images"]) - 1}
        if sampler:
            j.setdefault("samplers", []).append(sampler)
            texture["sampler"] = len(j["samplers"]) - 1
        j.setdefault("textures", []).append(texture)
        return len(j["textures"]) - 1

    def skeleton(self):
        """Two joints, the second on top of the first, which the second triangle follows."""
        if "skins" in self.json:
            return
        count = len(self.json["nodes"])
        self.json["nodes"] += [{"children": [count + 1]}, {"translation": [0, 2, 0]}]
        self.json["scenes"][0]["nodes"].append(count)
        matrices = [IDENTITY, (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -2, 0, 1)]
        self.json["skins"] = [{"joints": [count, count + 1], "inverseBindMatrices": self.add(matrices, "MAT4")}]
        self.json["nodes"][0]["skin"] = 0
        self.attribute("JOINTS_0", [(0, 0, 0, 0)] * 3 + [(1, 0, 0, 0)] * 3, "VEC4", 5121)
        self.attribute("WEIGHTS_0", [(1, 0, 0, 0)] * 6, "VEC4")

    def joints(self):
        return self.json["skins"][0]["joints"]

    def clip(self, node, path, times, values, interpolation="LINEAR", kind=None):
        animations = self.json.setdefault("animations", [{"samplers": [], "channels": []}])
        animation = animations[0]
        kind = kind or ("VEC4" if path == "rotation" else "VEC3")
        animation["samplers"].append({"input": self.add(times, "SCALAR"), "output": self.add(values, kind),
                                      "interpolation": interpolation})
        animation["channels"].append({"sampler": len(animation["samplers"]) - 1, "target": {"node": node, "path": path}})
        if len(animation["samplers"]) == 1:
            animation["name"] = "move"

    def morph(self):
        self.primitive.setdefault("targets", []).append(
            {"POSITION": self.add([(0, 0, 0)] * 5 + [(0, 1, 0)], "VEC3")})

    def write(self, path):
        self.json["buffers"] = [{"byteLength": len(self.bin), "uri": Path(path).stem + ".bin"}]
        Path(path).with_suffix(".bin").write_bytes(self.bin)
        Path(path).write_text(json.dumps(self.json))


# ---- One feature each

FEATURES = {}


def feature(function):
    FEATURES[function.__name__] = function
    return function


def role(key, name, outside=True, strength=None):
    def add(b):
        use = {"index": b.texture(name)}
        use |= {strength: 0.5} if strength else {}
        if outside:
            b.material(**{key: use})
        else:
            b.material(pbr={key: use})
    return add


def turn(degrees):
    half = math.radians(degrees) / 2
    return (0, 0, math.sin(half), math.cos(half))


@feature
def plain(b):
    pass


@feature
def uvs(b):
    b.attribute("TEXCOORD_0", UVS, "VEC2")


@feature
def uv_sets(b):
    b.attribute("TEXCOORD_0", UVS, "VEC2")
    b.attribute("TEXCOORD_1", UVS[::-1], "VEC2")


@feature
def many_uv_sets(b):
    for i in range(3):
        b.attribute(f"TEXCOORD_{i}", UVS[i:] + UVS[:i], "VEC2")


@feature
def colors(b):
    b.attribute("COLOR_0", [(0, 0.25, 1), (1, 0, 0), (0, 1, 0)] * 2, "VEC3")


@feature
def color_alpha(b):
    b.attribute("COLOR_0", [(0, 0.25, 1, 0.5), (1, 0, 0, 1), (0, 1, 0, 0)] * 2, "VEC4")


@feature
def color_sets(b):
    for i in range(2):
        b.attribute(f"COLOR_{i}", [(i, 0.25, 1), (1, 0, i), (0, 1, 0)] * 2, "VEC3")


@feature
def tangents(b):
    b.attribute("TEXCOORD_0", UVS, "VEC2")
    b.attribute("TANGENT", [(1, 0, 0, 1)] * 3 + [(0, 1, 0, -1)] * 3, "VEC4")


@feature
def base_color(b):
    b.material(pbr={"baseColorFactor": [1, 0, 0.5, 1]})


@feature
def translucent(b):
    b.material(pbr={"baseColorFactor": [1, 1, 1, 0.5]}, alphaMode="BLEND")


@feature
def alpha_blend(b):
    b.material(alphaMode="BLEND")


@feature
def alpha_mask(b):
    b.material(alphaMode="MASK", alphaCutoff=0.25)


@feature
def double_sided(b):
    b.material(doubleSided=True)


@feature
def metallic(b):
    b.material(pbr={"metallicFactor": 1})


@feature
def roughness(b):
    b.material(pbr={"roughnessFactor": 0.5})


@feature
def unlit(b):
    b.material(extensions={"KHR_materials_unlit": {}})


@feature
def emission(b):
    b.material(emissiveFactor=[1, 0, 0.5])


@feature
def emission_strength(b):
    b.material(emissiveFactor=[1, 0, 0.5], extensions={"KHR_materials_emissive_strength": {"emissiveStrength": 4}})


@feature
def emission_map(b):
    b.material(emissiveFactor=[1, 1, 1], emissiveTexture={"index": b.texture("glow.png")})


@feature
def dark_emission_map(b):
    b.material(emissiveTexture={"index": b.texture("glow.png")})


@feature
def specular(b):
    b.material(extensions={"KHR_materials_specular": {"specularFactor": 0.5, "specularColorFactor": [1, 0, 0.5]}})


@feature
def base_map(b):
    b.material(pbr={"baseColorTexture": {"index": b.texture("color.png")}})


@feature
def embedded_map(b):
    base_map(b)
    b.json["images"][0] = {"uri": "data:image/png;base64," + base64.b64encode(picture("inside")).decode()}


@feature
def webp_map(b):
    base_map(b)
    b.extend("EXT_texture_webp")
    b.json["extensionsRequired"] = ["EXT_texture_webp"]
    b.json["images"][0] = {"uri": "data:image/webp;base64,UklGRhwAAABXRUJQVlA4TA8AAAAv/8AfAAcQ/Y/+ByKi/wEA"}
    b.json["textures"][0] = {"extensions": {"EXT_texture_webp": {"source": 0}}}


FEATURES["normal_map"] = role("normalTexture", "normal.png")
FEATURES["normal_strength"] = role("normalTexture", "normal.png", strength="scale")
FEATURES["occlusion_map"] = role("occlusionTexture", "ao.png")
FEATURES["occlusion_strength"] = role("occlusionTexture", "ao.png", strength="strength")
FEATURES["metallic_map"] = role("metallicRoughnessTexture", "metal.png", outside=False)


@feature
def specular_map(b):
    b.material(extensions={"KHR_materials_specular": {"specularTexture": {"index": b.texture("specular.png")}}})


@feature
def specular_color_map(b):
    b.material(extensions={"KHR_materials_specular": {"specularColorTexture": {"index": b.texture("specular.png")}}})


@feature
def map_on_second_uvs(b):
    base_map(b)
    b.attribute("TEXCOORD_1", UVS[::-1], "VEC2")
    b.json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["texCoord"] = 1


@feature
def texture_transform(b):
    base_map(b)
    b.extend("KHR_texture_transform")
    b.json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["extensions"] = {
        "KHR_texture_transform": {"offset": [0.25, 0.5], "scale": [2, 4]}}


@feature
def other_texture_transform(b):
    base_map(b)
    FEATURES["normal_map"](b)
    b.extend("KHR_texture_transform")
    b.json["materials"][0]["normalTexture"]["extensions"] = {"KHR_texture_transform": {"offset": [0.25, 0.5]}}


@feature
def wrap(b):
    b.material(pbr={"baseColorTexture": {"index": b.texture("color.png", wrapS=33071, wrapT=33648)}})


@feature
def filters(b):
    b.material(pbr={"baseColorTexture": {"index": b.texture("color.png", magFilter=9728, minFilter=9984)}})


@feature
def unused_material(b):
    b.material()
    b.json["materials"].append({"pbrMetallicRoughness": {"metallicFactor": 0, "baseColorFactor": [0, 1, 0, 1]}})


@feature
def two_materials(b):
    base_color(b)
    b.json["materials"].append({"pbrMetallicRoughness": {"metallicFactor": 0, "baseColorFactor": [0, 1, 0, 1]}})
    p = b.primitive
    b.json["meshes"][0]["primitives"].append({"attributes": {"POSITION": b.add([(x + 5, y, z) for x, y, z in POSITIONS], "VEC3"),
                                                            "NORMAL": p["attributes"]["NORMAL"]}, "indices": p["indices"],
                                             "material": 1})


@feature
def two_meshes(b):
    p = b.primitive
    b.json["meshes"].append({"primitives": [{"attributes": dict(p["attributes"]), "indices": p["indices"]}]})
    b.json["nodes"].append({"mesh": 1, "translation": [8, 0, 0]})
    b.json["scenes"][0]["nodes"].append(len(b.json["nodes"]) - 1)


@feature
def instances(b):
    b.json["nodes"].append({"mesh": 0, "translation": [16, 0, 0]})
    b.json["scenes"][0]["nodes"].append(len(b.json["nodes"]) - 1)


@feature
def hierarchy(b):
    count = len(b.json["nodes"])
    b.json["nodes"] += [{"children": [count + 1], "translation": [1, 0, 0]}, {"mesh": 0, "translation": [0, 32, 0]}]
    b.json["scenes"][0]["nodes"].append(count)


@feature
def lines(b):
    b.json["meshes"][0]["primitives"].append({"attributes": {"POSITION": b.primitive["attributes"]["POSITION"]}, "mode": 1})


@feature
def points(b):
    b.json["meshes"][0]["primitives"].append({"attributes": {"POSITION": b.primitive["attributes"]["POSITION"]}, "mode": 0})


@feature
def no_normals(b):
    del b.primitive["attributes"]["NORMAL"]


@feature
def skeleton(b):
    b.skeleton()


@feature
def attachment(b):
    b.skeleton()
    b.json["nodes"].append({"name": "hand", "translation": [0, 1, 0], "extras": {"attachment": True}})
    b.json["nodes"][b.joints()[1]].setdefault("children", []).append(len(b.json["nodes"]) - 1)


@feature
def influences(b):
    b.skeleton()
    b.attribute("WEIGHTS_0", [(0.75, 0.25, 0, 0)] * 6, "VEC4")
    b.attribute("JOINTS_0", [(0, 1, 0, 0)] * 6, "VEC4", 5121)


@feature
def many_influences(b):
    b.skeleton()
    nodes, skin = b.json["nodes"], b.json["skins"][0]
    for i in range(4):
        nodes.append({"translation": [0, i + 1, 0]})
        nodes[skin["joints"][-1]]["children"] = [len(nodes) - 1]
        skin["joints"].append(len(nodes) - 1)
    heights = [0, 2, 3, 5, 8, 12]
    skin["inverseBindMatrices"] = b.add([(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -h, 0, 1) for h in heights], "MAT4")
    b.attribute("JOINTS_0", [(0, 1, 2, 3)] * 6, "VEC4", 5121)
    b.attribute("JOINTS_1", [(4, 5, 0, 0)] * 6, "VEC4", 5121)
    b.attribute("WEIGHTS_0", [(0.25, 0.25, 0.125, 0.125)] * 6, "VEC4")
    b.attribute("WEIGHTS_1", [(0.125, 0.125, 0, 0)] * 6, "VEC4")


@feature
def rest_pose(b):
    b.skeleton()
    b.json["nodes"][b.joints()[1]]["rotation"] = turn(90)


@feature
def joint_clip(b):
    b.skeleton()
    b.clip(b.joints()[1], "rotation", [0, 1], [turn(0), turn(90)])


@feature
def joint_translation(b):
    b.skeleton()
    b.clip(b.joints()[1], "translation", [0, 1], [(0, 2, 0), (0, 4, 0)])


@feature
def joint_scale(b):
    b.skeleton()
    b.clip(b.joints()[1], "scale", [0, 1], [(1, 1, 1), (2, 2, 2)])


@feature
def uneven_scale(b):
    b.skeleton()
    b.clip(b.joints()[1], "scale", [0, 1], [(1, 1, 1), (2, 1, 4)])


@feature
def two_clips(b):
    joint_clip(b)
    sampler, channel = b.json["animations"][0]["samplers"][0], b.json["animations"][0]["channels"][0]
    b.json["animations"].append({"name": "other", "samplers": [dict(sampler)], "channels": [dict(channel)]})


@feature
def odd_times(b):
    b.skeleton()
    b.clip(b.joints()[1], "rotation", [0, 0.3337, 1.2346], [turn(0), turn(40), turn(90)])


@feature
def late_clip(b):
    b.skeleton()
    b.clip(b.joints()[1], "rotation", [0.5, 1.5], [turn(0), turn(90)])


@feature
def step(b):
    b.skeleton()
    b.clip(b.joints()[1], "translation", [0, 0.5, 1], [(0, 2, 0), (0, 4, 0), (0, 2, 0)], "STEP")


@feature
def cubic(b):
    b.skeleton()
    b.clip(b.joints()[1], "translation", [0, 1], [(0, 0, 0), (0, 2, 0), (0, 8, 0), (0, -8, 0), (0, 4, 0), (0, 0, 0)], "CUBICSPLINE")


@feature
def node_clip(b):
    b.clip(0, "translation", [0, 1], [(0, 0, 0), (4, 0, 0)])


@feature
def node_rotation(b):
    b.clip(0, "rotation", [0, 1], [turn(0), turn(90)])


@feature
def morphs(b):
    b.morph()


@feature
def morph_weights(b):
    b.morph()
    b.json["meshes"][0]["weights"] = [0.5]


@feature
def morph_normals(b):
    b.morph()
    b.primitive["targets"][0]["NORMAL"] = b.add([(0, 0, 0)] * 5 + [(0, 1, 0)], "VEC3")


@feature
def morph_clip(b):
    b.morph()
    b.clip(0, "weights", [0, 1], [0, 1], kind="SCALAR")


@feature
def extras(b):
    b.json["nodes"][0]["extras"] = {"hp": 7}


@feature
def copyright(b):
    b.json["asset"]["copyright"] = "CC-BY me"


def named(place):
    def add(b):
        b.json[place][0]["name"] = f"one of the {place}"
    return add


FEATURES["mesh_name"] = named("meshes")
FEATURES["node_name"] = named("nodes")
FEATURES["scene_name"] = named("scenes")


@feature
def material_name(b):
    b.material(name="painted")


@feature
def joint_names(b):
    b.skeleton()
    for i in b.joints():
        b.json["nodes"][i]["name"] = f"bone {i}"


@feature
def skin_name(b):
    b.skeleton()
    b.json["skins"][0]["name"] = "rig"


@feature
def morph_names(b):
    b.morph()
    b.json["meshes"][0]["extras"] = {"targetNames": ["smile"]}


@feature
def image_name(b):
    embedded_map(b)
    b.json["images"][0]["name"] = "picture"


# ---- Together, and in other ways than the usual

@feature
def two_transforms(b):
    base_map(b)
    FEATURES["normal_map"](b)
    FEATURES["occlusion_map"](b)
    b.extend("KHR_texture_transform")
    b.attribute("TEXCOORD_1", UVS[::-1], "VEC2")
    m = b.json["materials"][0]
    for use in (m["pbrMetallicRoughness"]["baseColorTexture"], m["normalTexture"]):
        use["extensions"] = {"KHR_texture_transform": {"offset": [0.25, 0.5], "scale": [2, 4]}}
    m["occlusionTexture"] |= {"texCoord": 1, "extensions": {"KHR_texture_transform": {"offset": [0.5, 0.125]}}}


@feature
def color_of_one_primitive(b):
    two_materials(b)
    del b.json["materials"], b.primitive["material"], b.json["meshes"][0]["primitives"][1]["material"]
    b.attribute("COLOR_0", [(0, 0.25, 1, 0.5)] * 6, "VEC4")


@feature
def mixed_alpha(b):
    two_materials(b)
    b.json["materials"][0] |= {"alphaMode": "MASK", "alphaCutoff": 0.25}
    b.json["materials"][1] = {"alphaMode": "BLEND", "pbrMetallicRoughness": {"metallicFactor": 0, "baseColorFactor": [1, 1, 1, 0.5]}}


@feature
def faint_emission(b):
    b.material(emissiveFactor=[1, 0, 0.5], extensions={"KHR_materials_emissive_strength": {"emissiveStrength": 0.5}})


@feature
def mirrored(b):
    b.json["nodes"][0]["scale"] = [-1, 1, 1]


@feature
def strip(b):
    b.primitive["attributes"]["POSITION"] = b.add([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (0, 2, 0), (1, 2, 0)], "VEC3")
    b.primitive["attributes"]["NORMAL"] = b.add([(0, 0, 1)] * 6, "VEC3")
    b.primitive["mode"] = 5


@feature
def fan(b):
    strip(b)
    b.primitive["attributes"]["POSITION"] = b.add([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 2, 0), (-1, 1, 0), (-1, 0, 0)], "VEC3")
    b.primitive["mode"] = 6
    del b.primitive["indices"]


@feature
def sparse_positions(b):
    accessors = b.json["accessors"]
    where, what = accessors[b.add([5], "SCALAR", 5123)], accessors[b.add([(0, 0, 8)], "VEC3")]
    accessors[b.primitive["attributes"]["POSITION"]] |= {"max": [1, 2, 8], "sparse": {
        "count": 1, "indices": {"bufferView": where["bufferView"], "componentType": 5123}, "values": {"bufferView": what["bufferView"]}}}


@feature
def undrawn_mesh(b):
    b.json["meshes"].append({"primitives": [dict(b.primitive)], "name": "of nobody"})


@feature
def names_of_two_lines(b):
    b.material(name="a\nb")
    b.json["meshes"][0]["name"] = " around "


@feature
def fine_weights(b):
    influences(b)
    b.attribute("WEIGHTS_0", [(0.703125, 0.296875, 0, 0)] * 6, "VEC4")
    b.clip(b.joints()[1], "translation", [0, 1], [(0, 2, 0), (0, 4, 0)])


@feature
def still_steps(b):
    b.skeleton()
    b.clip(b.joints()[1], "rotation", [0, 1], [turn(90), turn(90)], "STEP")
    b.clip(b.joints()[0], "translation", [0.5], [(0, 0, 0), (0, 0, 0), (0, 0, 0)], "CUBICSPLINE")


@feature
def clip_of_one_moment(b):
    b.skeleton()
    b.clip(b.joints()[1], "rotation", [0], [turn(90)])


@feature
def morph_and_skin(b):
    morphs(b)
    joint_clip(b)


@feature
def mirrored_scale(b):
    b.skeleton()
    b.clip(b.joints()[1], "scale", [0, 1], [(1, 1, 1), (1, -1, 1)])


@feature
def turn_below_uneven_scale(b):
    b.json["nodes"][0]["children"] = [1]
    b.json["nodes"][0]["scale"] = [2, 1, 1]
    b.json["nodes"].append({"mesh": b.json["nodes"][0].pop("mesh")})
    b.clip(1, "rotation", [0, 1], [turn(0), turn(90)])


@feature
def key_before_0(b):
    b.skeleton()
    b.clip(b.joints()[1], "translation", [-1, 0, 1], [(0, 8, 0), (0, 2, 0), (0, 4, 0)])


@feature
def clips_that_share_a_name(b):
    two_clips(b)
    b.json["animations"][1]["name"] = "move"


@feature
def clip_of_nothing(b):
    b.json["nodes"].append({})
    b.json["scenes"][0]["nodes"].append(1)
    b.clip(1, "translation", [0, 1], [(0, 0, 0), (4, 0, 0)])


@feature
def keys_on_the_way(b):
    b.skeleton()
    b.clip(b.joints()[1], "translation", [0, 0.25, 1], [(0, 2, 0), (0, 2.5, 0), (0, 4, 0)])
    b.clip(b.joints()[0], "rotation", [0, 0.75, 1], [turn(0), turn(67.5), turn(90)])


@feature
def still_to_the_end(b):
    b.skeleton()
    b.clip(b.joints()[1], "translation", [0, 1.25], [(0, 2, 0), (0, 2, 0)])


@feature
def second_uvs_transformed(b):
    map_on_second_uvs(b)
    b.extend("KHR_texture_transform")
    b.json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["extensions"] = {
        "KHR_texture_transform": {"offset": [0.25, 0.5], "scale": [2, 4], "texCoord": 1}}


@feature
def tangents_without_uvs(b):
    b.attribute("TANGENT", [(1, 0, 0, 1)] * 3 + [(0, 1, 0, -1)] * 3, "VEC4")


@feature
def tangents_of_no_direction(b):
    tangents(b)
    b.attribute("TANGENT", [(1, 0, 0, 1)] * 5 + [(0, 0, 0, 0)], "VEC4")


@feature
def tangents_of_a_plane(b):
    tangents(b)
    b.attribute("NORMAL", [(0, 0, 1)] * 6, "VEC3")
    b.attribute("TANGENT", [(1, 0, 0, 1)] * 6, "VEC4")


@feature
def skins_that_disagree(b):
    b.skeleton()
    two_meshes(b)
    joints = b.joints()
    matrices = [IDENTITY, (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, -2, 0, 1)]
    b.json["skins"].append({"joints": list(joints), "inverseBindMatrices": b.add(matrices, "MAT4")})
    b.json["nodes"][-1]["skin"] = 1


def everything(b):
    """As much as one model can have at once."""
    for name in ("many_uv_sets", "color_sets", "tangents", "translucent", "double_sided", "metallic", "roughness",
                 "emission_strength", "specular", "wrap", "normal_strength", "occlusion_strength", "metallic_map",
                 "specular_map", "specular_color_map", "two_meshes", "many_influences", "attachment", "joint_clip",
                 "joint_translation", "uneven_scale", "morph_names", "extras", "copyright", "mesh_name",
                 "node_name", "scene_name", "material_name", "skin_name"):
        FEATURES[name](b)
    b.material(emissiveTexture={"index": b.texture("glow.png")})
    b.json["materials"].append({"name": "of no mesh"})
    b.json["nodes"][-1]["name"] = "a name"
    b.primitive["targets"][0]["NORMAL"] = b.add([(0, 0, 0)] * 5 + [(0, 1, 0)], "VEC3")


# ---- What a glTF shows

def value(x):
    return tuple(round(v, 4) + 0.0 for v in x)


def identity_use(use):
    t = use.get("extensions", {}).get("KHR_texture_transform", {})
    return value(t.get("offset", (0, 0))), value(t.get("scale", (1, 1))), round(t.get("rotation", 0), 4)


class Shown:
    """What is shown, by facet; each is something that can be compared."""

    def __init__(self, path):
        self.g = g = Gltf(path)
        self.doc = g.json
        self.corners = self.list_corners()
        self.facets = {}
        self.geometry()
        self.materials()
        self.skeleton()
        self.clips()
        self.morphs()
        self.rest()

    # A triangle is known by where its corners are, in whatever order they are listed
    def list_corners(self):
        corners = []
        for node, primitive in self.g.drawn():
            positions = self.plain_positions(node, primitive)
            for triangle in self.g.triangles(node, primitive):
                for v in triangle:
                    corners.append((value(positions[v]), node, primitive, v))
        return sorted(corners, key=lambda c: (c[0], c[3]))

    def plain_positions(self, node, primitive):
        return self.g.positions(node, primitive)

    def attribute(self, name, width, otherwise):
        rows = []
        for key, node, primitive, v in self.corners:
            p = self.g.primitive(node, primitive)
            found = p["attributes"].get(name)
            row = tuple(self.g.accessor(found)[v]) if found is not None else None
            rows.append((key, otherwise if row is None else value((row + (1,) * width)[:width])))
        return sorted(rows, key=repr) if any(r != otherwise for _, r in rows) else None

    def material_of(self, node, primitive):
        material = self.g.primitive(node, primitive).get("material")
        return {"pbrMetallicRoughness": {"metallicFactor": 0}} if material is None else self.doc["materials"][material]

    def image(self, use):
        texture = self.doc["textures"][use["index"]]
        image = self.doc["images"][texture["source"] if "source" in texture else texture["extensions"]["EXT_texture_webp"]["source"]]
        return self.g.load_uri(image["uri"]) if "uri" in image else bytes(self.g.view_bytes(image["bufferView"]))

    def geometry(self):
        f, g = self.facets, self.g
        f["triangles"] = [c[0] for c in self.corners]
        normals = []
        for key, node, primitive, v in self.corners:
            rows = g.normals(node, primitive)
            normals.append((key, value(rows[v]) if rows else None))
        f["normals"] = sorted(normals, key=repr)
        f["shown uvs"] = sorted(self.shown_uvs(), key=repr)
        f["second uvs"] = f["shown uvs"] if self.shows_second_uvs() else self.attribute("TEXCOORD_1", 2, None)
        f["more uvs"] = self.attribute("TEXCOORD_2", 2, None)
        f["more colors"] = self.attribute("COLOR_1", 4, None)
        f["tangents"] = self.tangents()
        f["lines and points"] = sorted(g.primitive(*d).get("mode", 4) for d in g.drawn() if g.primitive(*d).get("mode", 4) < 4)
        f["meshes"] = sum(g.primitive(*d).get("mode", 4) >= 4 for d in g.drawn())

    def tangents(self):
        """In the space of the scene."""
        rows = []
        for key, node, primitive, v in self.corners:
            accessor = self.g.primitive(node, primitive)["attributes"].get("TANGENT")
            if accessor is None:
                rows.append((key, None))
                continue
            x, y, z, w = self.g.accessor(accessor)[v]
            m = self.g.vertex_matrices(node, primitive, None, 0.0)[v]
            rows.append((key, value([*(m[k] * x + m[4 + k] * y + m[8 + k] * z for k in range(3)), w])))
        return sorted(rows, key=repr) if any(row for _, row in rows) else None

    def base_use(self, node, primitive):
        """The texture of the base colour, and the set that it is on."""
        use = self.material_of(node, primitive).get("pbrMetallicRoughness", {}).get("baseColorTexture", {})
        transform = use.get("extensions", {}).get("KHR_texture_transform", {})
        return use, transform.get("texCoord", use.get("texCoord", 0))

    def shows_second_uvs(self):
        return any(self.base_use(node, primitive)[1] == 1 for _, node, primitive, _ in self.corners)

    def shown_uvs(self):
        """The coordinates at which the base colour is seen."""
        for key, node, primitive, v in self.corners:
            use, set_ = self.base_use(node, primitive)
            accessor = self.g.primitive(node, primitive)["attributes"].get(f"TEXCOORD_{set_}")
            if accessor is None or "bufferView" not in self.doc["accessors"][accessor]:
                yield key, None
                continue
            u, w = self.g.accessor(accessor)[v]
            (ox, oy), (sx, sy), angle = identity_use(use)
            u, w = u * sx, w * sy
            yield key, value((math.cos(angle) * u + math.sin(angle) * w + ox, -math.sin(angle) * u + math.cos(angle) * w + oy))

    def materials(self):
        def each(get):
            found = [(key, get(self.material_of(node, primitive))) for key, node, primitive, v in self.corners]
            return sorted(found, key=repr)
        pbr = lambda m: m.get("pbrMetallicRoughness", {})
        ext = lambda m, name: m.get("extensions", {}).get(name, {})
        f = self.facets
        shown = []
        for key, node, primitive, v in self.corners:
            base = pbr(self.material_of(node, primitive)).get("baseColorFactor", (1, 1, 1, 1))
            own = self.g.primitive(node, primitive)["attributes"].get("COLOR_0")
            own = (tuple(self.g.accessor(own)[v]) + (1,))[:4] if own is not None else (1, 1, 1, 1)
            shown.append((key, value(x * y for x, y in zip(base, own))))
        f["shown colors"] = sorted(shown, key=lambda s: (s[0], tuple(round(x, 2) for x in s[1])))
        f["alpha mode"] = each(lambda m: (m.get("alphaMode", "OPAQUE"), m.get("alphaCutoff", 0.5) if m.get("alphaMode") == "MASK" else 0))
        f["sides"] = each(lambda m: m.get("doubleSided", False))
        f["metallic"] = each(lambda m: round(pbr(m).get("metallicFactor", 1), 4))
        f["roughness"] = each(lambda m: round(pbr(m).get("roughnessFactor", 1), 4))
        f["unlit"] = each(lambda m: "KHR_materials_unlit" in m.get("extensions", {}))
        f["emission"] = each(lambda m: value(x * ext(m, "KHR_materials_emissive_strength").get("emissiveStrength", 1)
                                             for x in m.get("emissiveFactor", (0, 0, 0))))
        spec = "KHR_materials_specular"
        factor = lambda m: ext(m, spec).get("specularFactor", 1)
        f["specular"] = each(lambda m: round(factor(m), 4))
        f["specular color"] = each(lambda m: value(factor(m) * x for x in ext(m, spec).get("specularColorFactor", (1, 1, 1))))
        roles = {"base map": lambda m: pbr(m).get("baseColorTexture"),
                 "normal map": lambda m: m.get("normalTexture"), "occlusion map": lambda m: m.get("occlusionTexture"),
                 "metallic map": lambda m: pbr(m).get("metallicRoughnessTexture"), "emission map": lambda m: m.get("emissiveTexture"),
                 "specular map": lambda m: ext(m, spec).get("specularTexture"),
                 "specular color map": lambda m: ext(m, spec).get("specularColorTexture")}
        for name, get in roles.items():
            f[name] = each(lambda m: get(m) and self.image(get(m)))
            if name != "base map":
                f[name + " transform"] = each(lambda m: get(m) and (identity_use(get(m)), get(m).get("texCoord", 0)))
        f["normal strength"] = each(lambda m: m.get("normalTexture") and m["normalTexture"].get("scale", 1))
        f["occlusion strength"] = each(lambda m: m.get("occlusionTexture") and m["occlusionTexture"].get("strength", 1))
        sampler = lambda use: self.doc["samplers"][self.doc["textures"][use["index"]]["sampler"]] \
            if use and "sampler" in self.doc["textures"][use["index"]] else {}
        f["wrap"] = each(lambda m: (sampler(roles["base map"](m)).get("wrapS", 10497), sampler(roles["base map"](m)).get("wrapT", 10497)))
        smooth = lambda x: None if x in (9729, 9987) else x
        f["filters"] = each(lambda m: tuple(smooth(sampler(roles["base map"](m)).get(k)) for k in ("magFilter", "minFilter")))
        used = {self.g.primitive(*d).get("material") for d in self.g.drawn()} - {None}
        f["unused materials"] = len(set(range(len(self.doc.get("materials", [])))) - used)

    def joints(self):
        return list(dict.fromkeys(j for skin in self.g.skins for j in skin["joints"]))

    def skeleton(self):
        f, g = self.facets, self.g
        world = g.world()
        neutral = {i for i, n in enumerate(g.nodes) if "stele.neutral" in n.get("extras", {})}
        self.bones = [j for j in self.joints() if j not in neutral]
        f["joints"] = sorted(value(world[j][12:15]) for j in self.bones)
        weights = []
        for key, node, primitive, v in self.corners:
            p = g.primitive(node, primitive)
            skinned = "skin" in g.nodes[node] and "JOINTS_0" in p["attributes"]
            of = g.influences(p)[v] if skinned else []
            joints = g.skins[g.nodes[node]["skin"]]["joints"] if skinned else []
            weights.append((key, tuple(sorted((value(world[joints[j]][12:15]), round(w, 4)) for j, w in of if joints[j] not in neutral))))
        f["weights"] = sorted(weights, key=repr)
        f["attachments"] = sorted(value(world[i][12:15]) for i, n in enumerate(g.nodes) if n.get("extras", {}).get("attachment"))

    def clips(self):
        f, g = self.facets, self.g
        f["clips"] = len(g.animations)
        f["durations"] = [round(g.duration(i), 5) for i in range(len(g.animations))]
        f["motion"] = [[sorted(value(p) for d in g.drawn() if g.primitive(*d).get("mode", 4) >= 4
                               for p in (lambda pos: [pos[v] for t in g.triangles(*d) for v in t])(g.positions(*d, i, time)))
                        for time in self.times(i)] for i in range(len(g.animations))]
        f["motion of joints"] = [[sorted(value(g.world(i, time)[j][12:15]) for j in self.bones) for time in self.times(i)]
                                 for i in range(len(g.animations))] if self.bones else None

    def times(self, clip):
        return [x / 8 for x in range(13)] + [0.0871, 0.2931, 0.4871, 0.4996, 0.6117, 0.9331]

    def morphs(self):
        f, g = self.facets, self.g
        deltas = []
        for key, node, primitive, v in self.corners:
            p, world = g.primitive(node, primitive), g.vertex_matrices(node, primitive, None, 0.0)[v]
            for name in ("POSITION", "NORMAL"):
                for i, target in enumerate(p.get("targets", [])):
                    x, y, z = g.accessor(target[name])[v] if name in target else (0, 0, 0)
                    d = tuple(world[k] * x + world[4 + k] * y + world[8 + k] * z for k in range(3))
                    deltas.append((name, key, i, value(d)))
        f["morphs"] = sorted(d for d in deltas if d[0] == "POSITION")
        f["morph normals"] = sorted(d for d in deltas if d[0] == "NORMAL" and any(d[3]))
        f["morph weights"] = sorted({tuple(round(w, 4) for w in g.morph_weights(n, None, 0)) for n, p in g.drawn()
                                     if any(g.morph_weights(n, None, 0))})

    def rest(self):
        f, d = self.facets, self.doc
        joints = set(self.joints())
        names = lambda items: sorted(filter(None, (i.get("name") for i in items)))
        f["materials"] = len(d.get("materials", []))
        f["mesh names"] = names(d.get("meshes", []))
        drawing = [n for i, n in enumerate(d["nodes"]) if i not in joints]
        f["node names"] = names(drawing)
        f["joint names"] = names(d["nodes"][j] for j in self.bones)
        f["material names"] = names(d.get("materials", []))
        f["clip names"] = names(d.get("animations", []))
        f["skin names"] = names(d.get("skins", []))
        f["scene name"] = names(d.get("scenes", []))
        f["morph names"] = [m.get("extras", {}).get("targetNames") for m in d.get("meshes", []) if m.get("extras", {}).get("targetNames")]
        f["image names"] = names(i for i in d.get("images", []) if "uri" not in i or i["uri"].startswith("data:"))
        f["copyright"] = d["asset"].get("copyright")
        f["extras"] = [n["extras"]["hp"] for n in d["nodes"] if "hp" in n.get("extras", {})]
        drawn = [n["mesh"] for n in d["nodes"] if "mesh" in n]
        f["instances"] = len(drawn) - len(set(drawn))
        tops = [i for i in range(len(d["nodes"])) if self.g.parents[i] is None]
        f["hierarchy"] = sum(1 for i, n in enumerate(d["nodes"]) if i not in joints and n.get("children") and len(tops) > 1
                             and not joints & set(n["children"]))


def is_lost(name, a, b):
    """Names may be made up, and one thing may become several: only what is no longer there is lost."""
    here, there = a.facets[name], b.facets[name]
    if name in ("mesh names", "node names"):
        return not set(here) <= set(b.facets["mesh names"] + b.facets["node names"] + b.facets["joint names"])
    if name.endswith((" names", " name")):
        return not all(n in there for n in here)
    if name in ("meshes", "materials", "unused materials", "instances", "hierarchy"):
        return there < here
    if name in ("joints", "weights", "motion of joints", "normals", "shown uvs", "second uvs") and not says(here):
        return False
    if name == "joints":
        return not among(here, there)
    if name == "motion of joints":
        return len(here) != len(there or []) or not all(among(p, q) for a, b in zip(here, there) for p, q in zip(a, b))
    if name == "weights":
        return len(here) != len(there) or any(a[1] and a != b for a, b in zip(here, there))
    if name == "shown colors":
        return any(abs(x - y) > 1e-4 for (_, c), (_, d) in zip(here, there) for x, y in zip(c, d)) or len(here) != len(there)
    return here != there


def among(some, others):
    """Whether all of a list are in another, each as often: joints may be made up."""
    left = list(others)
    for item in some:
        if item not in left:
            return False
        left.remove(item)
    return True


def says(facet):
    """Whether anything is there in a list of keys and values."""
    return any(bool(row[-1]) if isinstance(row, tuple) and isinstance(row[0], tuple) else bool(row) for row in facet or [])


def differences(a, b):
    return sorted(name for name in a.facets if is_lost(name, a, b))
