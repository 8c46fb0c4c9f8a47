"""Materials of Blender as those of glTF: what leads to the Principled node is followed, what is not understood is said."""
import math
import os
import tempfile
from urllib.parse import quote

import bpy
import numpy as np

from . import records, versions
from .import_material import PREFIX, TEXTURE_NAME, UNLINKED, URI


def image_file_name(image, with_folder=False):
    """The name of an image's file, as the source had it or as Blender has it."""
    if records.NAME in image and image.get(records.SHOWN) == image.name:
        name = image[records.NAME]
    elif image.filepath:
        name = os.path.basename(image.filepath.replace("\\", "/"))
    else:
        name = image.name
    if URI in image and (not image.filepath or os.path.basename(image.filepath.replace("\\", "/")) == os.path.basename(image[URI])):
        name = image[URI] if with_folder else os.path.basename(image[URI])
    if "." not in name.strip("."):
        name += "." + {"JPEG": "jpg", "TARGA": "tga", "BMP": "bmp", "WEBP": "webp"}.get(image.file_format, "png")
    return name


def with_extension(name, extension):
    """The name with another extension: everything after the last point, however long it is."""
    stem, _ = os.path.splitext(name)
    return f"{stem}.{extension.lstrip('.')}" if extension else name


class Materials:
    """Descriptions of materials, each once, and the textures that they use."""

    def __init__(self, extension="", embed=False, with_folders=True, two_sided=True):
        self.extension, self.embed, self.with_folders, self.two_sided = extension, embed, with_folders, two_sided
        self.list, self.numbers = [], {}
        self.textures, self.images, self.samplers, self.notes = [], [], [], []

    def number(self, material):
        """Of a material, or None if there is none."""
        if material is None:
            return None
        key = record_key(material)
        if key not in self.numbers:
            self.numbers[key] = len(self.list)
            self.list.append((material, Reader(self, material).read()))
        return self.numbers[key]

    def texture(self, node):
        """The number of the texture that a node shows."""
        image, sampler = node.image, sampler_of(node)
        kept = image.get(TEXTURE_NAME, "")
        file_name = image_file_name(image, self.with_folders)
        if kept and os.path.splitext(os.path.basename(kept))[0] != os.path.splitext(os.path.basename(file_name))[0]:
            kept = ""  # another image has been put in its place
        name = with_extension(kept or file_name, self.extension)
        key = (image.name, name, str(sampler))
        if key not in [k for k, *_ in self.textures]:
            described = {"source": self.image(image, file_name if name.endswith("*") else name)}
            if name.endswith("*"):
                described["extras"] = {"stele.name": name}
            if sampler:
                if sampler not in self.samplers:
                    self.samplers.append(sampler)
                described["sampler"] = self.samplers.index(sampler)
            self.textures.append((key, described))
        return [k for k, *_ in self.textures].index(key)

    def image(self, image, file_name):
        if file_name.endswith("*"):
            file_name = with_extension(file_name, "png")
        for i, (other, name) in enumerate(self.images):
            if other == image and name == file_name:
                return i
        self.images.append((image, file_name))
        return len(self.images) - 1

    def add_to(self, builder):
        for i, (material, described) in enumerate(self.list):
            builder.add("materials", described)
        for sampler in self.samplers:
            builder.add("samplers", sampler)
        for _, described in self.textures:
            builder.add("textures", described)
        for image, name in self.images:
            data = image_bytes(image) if self.embed or image.get("stele.inside") else None
            if data is not None and mime_type(data):
                item = {"mimeType": mime_type(data), "name": records.name_of(image)}
                item["bufferView"] = builder.add_bytes(data)
            else:
                item = {"uri": quote(name)}
            builder.add("images", item)


def record_key(material):
    """Two materials are one if they came from the same one of a file and still say the same: with and without the colours of
    vertices they have different nodes."""
    index = records.index_of(material)
    return (records.source_of(material).name, index) if index is not None else material.name_full


def mime_type(data):
    return "image/png" if data[:4] == b"\x89PNG" else "image/jpeg" if data[:2] == b"\xff\xd8" else None


def image_bytes(image):
    """The file of an image: packed, or from the disk; None if there is none."""
    if image.packed_file is not None:
        return bytes(image.packed_file.data)
    path = bpy.path.abspath(image.filepath, library=image.library) if image.filepath else ""
    if path and os.path.isfile(path):
        with open(path, "rb") as file:
            return file.read()
    return drawn_bytes(image)


def drawn_bytes(image):
    """A PNG of what was painted or generated in Blender and is in no file; None of what is missing."""
    if image.get("stele.missing") or image.source not in ("GENERATED", "FILE") or not image.has_data:
        return None
    with tempfile.TemporaryDirectory(prefix="stele-") as folder:
        copy = image.copy()
        try:
            copy.filepath_raw, copy.file_format = os.path.join(folder, "image.png"), "PNG"
            copy.save()
            with open(os.path.join(folder, "image.png"), "rb") as file:
                return file.read()
        except (RuntimeError, OSError):
            return None
        finally:
            bpy.data.images.remove(copy)


def sampler_of(node):
    """What is not glTF's default."""
    sampler = dict(zip(("wrapS", "wrapT"), (33071, 33071))) if node.extension in ("EXTEND", "CLIP") else {}
    return {**sampler, "magFilter": 9728, "minFilter": 9728} if node.interpolation == "Closest" else sampler


class Reader:
    """One material."""

    def __init__(self, materials, material):
        self.materials, self.material, self.described = materials, material, {}
        tree = versions.node_tree(material)
        self.nodes = tree.nodes if tree is not None else []
        self.principled = self.find_shader()

    def find_shader(self):
        """The Principled node that the output shows, or any."""
        output = next((n for n in self.nodes if n.type == "OUTPUT_MATERIAL" and n.is_active_output), None)
        if output is not None and output.inputs[0].is_linked:
            node, seen = output.inputs[0].links[0].from_node, set()
            while node is not None and node not in seen:
                seen.add(node)
                if node.type == "BSDF_PRINCIPLED":
                    return node
                linked = [s for s in node.inputs if s.is_linked and s.type == "SHADER"]
                node = linked[0].links[0].from_node if linked else None
        return next((n for n in self.nodes if n.type == "BSDF_PRINCIPLED"), None)

    def say(self, text):
        self.materials.notes.append((self.material, text))

    def read(self):
        material, d = self.material, self.described
        if material.get("stele.unnamed") != material.name:
            d["name"] = records.name_of(material)
        pbr = d.setdefault("pbrMetallicRoughness", {})
        if self.principled is None:
            pbr["baseColorFactor"] = [float(c) for c in material.diffuse_color]
            pbr["metallicFactor"], pbr["roughnessFactor"] = float(material.metallic), float(material.roughness)
            if self.nodes:
                self.say("has no Principled shader: its viewport colour is taken")
        else:
            self.base_color(pbr)
            self.surface(pbr)
            self.normal()
            self.emission()
            self.specular()
            self.occlusion()
        # Blender's default is both sides; formats that have only one are not blamed for it
        if not material.use_backface_culling and self.materials.two_sided:
            d["doubleSided"] = True
        if material.get("stele.unlit"):
            d.setdefault("extensions", {})["KHR_materials_unlit"] = {}
        extras = records.extras_of(material)
        if extras:
            d["extras"] = extras
        return d

    # ---- Following links ----

    def socket(self, name):
        return versions.socket(self.principled, name)

    def follow(self, socket):
        """(factor, image node) of a colour: what is multiplied with what."""
        if not socket.is_linked:
            return np.array(socket.default_value)[:3], None
        node = socket.links[0].from_node
        if node.type == "TEX_IMAGE":
            return np.ones(3), node
        if node.type == "RGB":
            return np.array(node.outputs[0].default_value)[:3], None
        if node.type in ("VERTEX_COLOR", "ATTRIBUTE"):
            return np.ones(3), None
        if node.type == "REROUTE":
            return self.follow(node.inputs[0])
        pair = versions.factors_of(node)
        if pair is not None:
            (one, first), (two, second) = self.follow(pair[0]), self.follow(pair[1])
            if first is not None and second is not None:
                self.say(f"multiplies two images: only {first.image.name if first.image else 'the first'} is taken")
            return one * two, first or second
        self.say(f"has the node {node.name}, which no file can hold: what is behind it is taken")
        for other in node.inputs:
            if other.is_linked and other.type == "RGBA":
                return self.follow(other)
        plain = next((s for s in node.inputs if s.type == "RGBA"), None)
        return (np.array(plain.default_value)[:3] if plain is not None else np.ones(3)), None

    def follow_number(self, socket):
        """(factor, image node, output name) of a number."""
        if not socket.is_linked:
            return float(socket.default_value), None, ""
        link = socket.links[0]
        node = link.from_node
        if node.type == "TEX_IMAGE":
            return 1.0, node, link.from_socket.name
        if node.type in versions.SEPARATE and node.inputs[0].is_linked:
            return 1.0, self.follow(node.inputs[0])[1], link.from_socket.name
        if node.type == "MATH" and node.operation == "MULTIPLY":
            one, first, name = self.follow_number(node.inputs[0])
            two, second, other = self.follow_number(node.inputs[1])
            return one * two, first or second, name or other
        if node.type == "VALUE":
            return float(node.outputs[0].default_value), None, ""
        if node.type == "REROUTE":
            return self.follow_number(node.inputs[0])
        self.say(f"has the node {node.name} at {socket.name}, which no file can hold")
        return float(socket.default_value), None, ""

    def use(self, node, **more):
        """How a texture is used; None if the node shows nothing."""
        if node is None or node.image is None:
            return None
        use = {"index": self.materials.texture(node), **more}
        vector = node.inputs["Vector"]
        before = vector.links[0].from_node if vector.is_linked else None
        if before is not None and before.type == "MAPPING":
            self.transform(before, use)
            vector = before.inputs["Vector"]
            before = vector.links[0].from_node if vector.is_linked else None
        if before is not None and before.type == "UVMAP" and before.uv_map:
            number = self.uv_number(before.uv_map)
            if number:
                use["texCoord"] = number
        return use

    def uv_number(self, name):
        """Which uv map of the meshes has this name: by the importer's names, or by looking at a mesh that uses the material."""
        for mesh in bpy.data.meshes:
            if name in mesh.uv_layers and self.material.name in mesh.materials:
                return mesh.uv_layers.find(name)
        return 0

    def transform(self, node, use):
        place, turn = node.inputs["Location"].default_value, node.inputs["Rotation"].default_value[2]
        su, sv = node.inputs["Scale"].default_value[0], node.inputs["Scale"].default_value[1]
        described = {"offset": [place[0] - sv * math.sin(turn), 1 - place[1] - sv * math.cos(turn)], "rotation": turn,
                     "scale": [su, sv]}
        kept = list(node.get("stele.transform", []))
        now = [*described["offset"], turn, su, sv]
        if len(kept) == 5 and np.abs(np.array(kept) - now).max() < 1e-5:
            described = {"offset": kept[:2], "rotation": kept[2], "scale": kept[3:]}
        use.setdefault("extensions", {})["KHR_texture_transform"] = described

    # ---- The sockets ----

    def base_color(self, pbr):
        factor, image = self.follow(self.socket("Base Color"))
        alpha, alpha_image, _ = self.follow_number(self.socket("Alpha"))
        use = self.use(image)
        if use is not None:
            pbr["baseColorTexture"] = use
        pbr["baseColorFactor"] = [*map(float, np.clip(factor, 0, 1)), float(min(max(alpha, 0), 1))]
        transparent = alpha < 1 or alpha_image is not None
        mode, cutoff = versions.alpha(self.material, transparent)
        kept = self.material.get("stele.alpha")
        if kept == "OPAQUE" and alpha_image is None:
            mode = kept  # as the file has it, whatever its alpha says
        elif kept == "BLEND" and mode != "MASK":
            mode = kept  # by the alpha of vertices
        elif kept == "MASK" and alpha_image is not None:
            mode, cutoff = kept, self.material.get("stele.cutoff", cutoff)
        if mode != "OPAQUE":
            self.described["alphaMode"] = mode
        if mode == "MASK":
            self.described["alphaCutoff"] = float(cutoff)

    def surface(self, pbr):
        metallic, metal_image, _ = self.follow_number(self.socket("Metallic"))
        roughness, rough_image, _ = self.follow_number(self.socket("Roughness"))
        pbr["metallicFactor"], pbr["roughnessFactor"] = metallic, roughness
        use = self.use(rough_image or metal_image)
        if use is not None:
            pbr["metallicRoughnessTexture"] = use
            if metal_image is not None and rough_image is not None and metal_image.image != rough_image.image:
                self.say("has different images for metal and roughness: only that of roughness is taken")

    def normal(self):
        socket = self.socket("Normal")
        if not socket.is_linked:
            return
        node = socket.links[0].from_node
        if node.type != "NORMAL_MAP" or not node.inputs["Color"].is_linked:
            self.say(f"has the node {node.name} at Normal, which no file can hold")
            return
        use = self.use(self.follow(node.inputs["Color"])[1])
        if use is not None:
            strength = float(node.inputs["Strength"].default_value)
            self.described["normalTexture"] = {**use, "scale": strength} if strength != 1 else use

    def emission(self):
        strength = float(self.socket("Emission Strength").default_value) if self.socket("Emission Strength") is not None else 1.0
        factor, image = self.follow(self.socket("Emission Color"))
        use = self.use(image)
        if use is not None:
            self.described["emissiveTexture"] = use
        factor = np.maximum(factor, 0)
        if strength != 1 and factor.max() * strength <= 1:
            factor, strength = factor * strength, 1.0
        if factor.max() > 1:
            factor, strength = factor / factor.max(), strength * float(factor.max())
        if factor.max() > 0:
            self.described["emissiveFactor"] = [float(c) for c in factor]
            if strength != 1:
                self.described.setdefault("extensions", {})["KHR_materials_emissive_strength"] = {"emissiveStrength": strength}

    def named(self, name):
        """An image node that the importer left unlinked, or an artist named so."""
        return next((n for n in self.nodes if n.type == "TEX_IMAGE" and n.name == PREFIX + name), None)

    def specular(self):
        described = {}
        level = float(self.socket("Specular IOR Level").default_value)
        if abs(level - 0.5) > 1e-6:
            described["specularFactor"] = min(2 * level, 1)
        color = list(self.material.get("stele.specular_color", []))
        if len(color) == 3 and color != [1, 1, 1]:
            described["specularColorFactor"] = color
        for name in ("specular", "specular color"):
            use = self.use(self.named(name))
            if use is not None:
                described[UNLINKED[name]] = use
        if described:
            self.described.setdefault("extensions", {})["KHR_materials_specular"] = described

    def occlusion(self):
        node = self.named("occlusion")
        use = self.use(node)
        if use is not None:
            strength = float(node.get("stele.strength", 1))
            self.described["occlusionTexture"] = {**use, "strength": strength} if strength != 1 else use
