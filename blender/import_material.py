"""Materials: Principled, with the file's textures; what the shader has no place for stays in nodes that nothing is linked to."""
import math
import os
from urllib.parse import unquote

import bpy

from . import records, versions

UNLINKED = {"occlusion": "occlusionTexture", "specular": "specularTexture", "specular color": "specularColorTexture"}
PREFIX = "stele "  # of the names of those nodes
TEXTURE_NAME, URI = "stele.texture", "stele.uri"


class Materials:
    """Made when the first mesh needs them; images once for all."""

    def __init__(self, glb, folder, text, name):
        self.glb, self.folder, self.text, self.name = glb, folder, text, name
        self.made, self.images, self.missing = {}, {}, []

    def get(self, index, colors):
        """`colors`: whether the mesh has colours, which multiply the material's."""
        key = (index, colors)
        if key not in self.made:
            other = self.made.get((index, not colors))
            self.made[key] = self.build(index, colors, other)
        return self.made[key]

    def build(self, index, colors, other):
        described = self.glb.json["materials"][index]
        material = bpy.data.materials.new(described.get("name") or f"{self.name}.material{index}")
        if described.get("name"):
            records.remember_name(material, described["name"])
        else:
            material["stele.unnamed"] = material.name
        versions.use_nodes(material)
        records.mark(material, self.text, index)
        records.set_extras(material, described.get("extras", {}))
        material.use_backface_culling = not described.get("doubleSided", False)
        Shader(self, material, described).build(colors)
        return material

    # ---- Images ----

    def image(self, texture):
        described = self.glb.json["textures"][texture]
        source = described.get("source")
        name = described.get("extras", {}).get("stele.name", "")
        if (source, name) not in self.images:
            self.images[source, name] = self.load(source, name)
        return self.images[source, name]

    def load(self, source, name):
        if source is None:
            return self.placeholder(name or "texture")
        described = self.glb.json["images"][source]
        if "bufferView" in described:
            return self.unpack(described, source)
        uri = described.get("uri", "")
        path = os.path.join(self.folder, unquote(uri))
        image = None
        if os.path.isfile(path):
            try:
                image = bpy.data.images.load(path, check_existing=True)
            except RuntimeError:
                pass
        if image is None:
            image = self.placeholder(os.path.basename(unquote(uri)))
        image[URI] = unquote(uri)
        if name:
            image[TEXTURE_NAME] = name
        return image

    def placeholder(self, name):
        """A coloured grid that keeps the name."""
        self.missing.append(name)
        image = bpy.data.images.new(name, 64, 64)
        image.generated_type = "COLOR_GRID"
        image["stele.missing"] = True
        records.remember_name(image, name)
        return image

    def unpack(self, described, source):
        data = bytes(self.glb.view_bytes(described["bufferView"]))
        ending = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}.get(described.get("mimeType"), "png")
        name = described.get("name") or f"{self.name}.image{source}"
        image = bpy.data.images.new(f"{name}", 1, 1)
        image.pack(data=data, data_len=len(data))
        image.source = "FILE"
        image["stele.inside"] = ending
        records.remember_name(image, name)
        return image


class Shader:
    """The nodes of one material."""

    def __init__(self, materials, material, described):
        self.materials, self.material, self.described = materials, material, described
        self.tree = material.node_tree
        self.nodes, self.link = self.tree.nodes, self.tree.links.new
        self.principled = next((n for n in self.nodes if n.type == "BSDF_PRINCIPLED"), None)
        if self.principled is None:
            self.principled = self.nodes.new("ShaderNodeBsdfPrincipled")
            output = next((n for n in self.nodes if n.type == "OUTPUT_MATERIAL"), None) or self.nodes.new("ShaderNodeOutputMaterial")
            self.link(self.principled.outputs[0], output.inputs[0])
        self.rows = 0

    def socket(self, name):
        return versions.socket(self.principled, name)

    def build(self, colors):
        pbr = self.described.get("pbrMetallicRoughness", {})
        extensions = self.described.get("extensions", {})
        self.base_color(pbr, colors)
        self.surface(pbr)
        self.normal()
        self.emission(extensions)
        self.specular(extensions)
        if "occlusionTexture" in self.described:
            self.unlinked("occlusion", self.described["occlusionTexture"], self.described["occlusionTexture"].get("strength", 1))
        if "KHR_materials_unlit" in extensions:
            self.material["stele.unlit"] = True

    def texture(self, use, label, is_color=True):
        """An image node, with its uv map and its place on it."""
        node = self.nodes.new("ShaderNodeTexImage")
        node.image, node.label = self.materials.image(use["index"]), label
        self.rows += 1
        node.location = (-700, 400 - 300 * self.rows)
        sampler = self.materials.glb.json["textures"][use["index"]].get("sampler")
        sampler = self.materials.glb.json["samplers"][sampler] if sampler is not None else {}
        if sampler.get("wrapS") == 33071 and sampler.get("wrapT") == 33071:
            node.extension = "EXTEND"
        if sampler.get("magFilter") == 9728:
            node.interpolation = "Closest"
        if not is_color and node.image is not None and not node.image.get("stele.missing"):
            try:
                node.image.colorspace_settings.name = "Non-Color"
            except TypeError:  # a configuration of colours without it
                pass
        transform = use.get("extensions", {}).get("KHR_texture_transform", {})
        number = transform.get("texCoord", use.get("texCoord", 0))
        if number or transform:
            self.place(node, number, transform)
        return node

    def place(self, node, number, transform):
        uv = self.nodes.new("ShaderNodeUVMap")
        uv.uv_map = "UVMap" if number == 0 else f"UVMap.{number:03d}"
        uv.location = (node.location[0] - 420, node.location[1])
        result = uv.outputs[0]
        if transform:
            mapping = self.nodes.new("ShaderNodeMapping")
            mapping.location = (node.location[0] - 210, node.location[1])
            mapping.label = "texture transform"
            du, dv = transform.get("offset", (0, 0))
            su, sv = transform.get("scale", (1, 1))
            turn = transform.get("rotation", 0)
            # v points down in the file and up here
            mapping.inputs["Location"].default_value = (du + sv * math.sin(turn), 1 - dv - sv * math.cos(turn), 0)
            mapping.inputs["Rotation"].default_value = (0, 0, turn)
            mapping.inputs["Scale"].default_value = (su, sv, 1)
            mapping["stele.transform"] = [du, dv, turn, su, sv]
            self.link(result, mapping.inputs["Vector"])
            result = mapping.outputs[0]
        self.link(result, node.inputs["Vector"])

    def base_color(self, pbr, colors):
        factor = pbr.get("baseColorFactor", [1, 1, 1, 1])
        target, alpha = self.socket("Base Color"), self.socket("Alpha")
        target.default_value, alpha.default_value = (*factor[:3], 1), factor[3]
        sources, texture = [], None
        if "baseColorTexture" in pbr:
            texture = self.texture(pbr["baseColorTexture"], "base color")
            sources.append(texture.outputs["Color"])
        if colors:
            node = self.nodes.new("ShaderNodeVertexColor")
            node.layer_name, node.location = "Color", (-700, 700)
            sources.append(node.outputs["Color"])
        if sources and any(f != 1 for f in factor[:3]):
            node = self.nodes.new("ShaderNodeRGB")
            node.outputs[0].default_value, node.location = (*factor[:3], 1), (-700, 500)
            sources.append(node.outputs[0])
        while len(sources) > 1:
            node, first, second, result = versions.new_multiply(self.tree)
            node.location = (-200 - 200 * (len(sources) - 2), 400)
            self.link(sources.pop(0), first)
            self.link(sources.pop(0), second)
            sources.insert(0, result)
        if sources:
            self.link(sources[0], target)
        mode, cutoff = self.described.get("alphaMode", "OPAQUE"), self.described.get("alphaCutoff", 0.5)
        versions.set_alpha(self.material, mode, cutoff)
        self.material["stele.alpha"], self.material["stele.cutoff"] = mode, cutoff
        if texture is not None and mode != "OPAQUE":
            self.times(texture.outputs["Alpha"], factor[3], alpha)

    def times(self, value, factor, target):
        if factor != 1:
            node = self.nodes.new("ShaderNodeMath")
            node.operation = "MULTIPLY"
            node.inputs[1].default_value = factor
            self.link(value, node.inputs[0])
            value = node.outputs[0]
        self.link(value, target)

    def surface(self, pbr):
        metallic, roughness = pbr.get("metallicFactor", 1), pbr.get("roughnessFactor", 1)
        self.socket("Metallic").default_value, self.socket("Roughness").default_value = metallic, roughness
        if "metallicRoughnessTexture" in pbr:
            texture = self.texture(pbr["metallicRoughnessTexture"], "metallic and roughness", is_color=False)
            _, color, green, blue = versions.new_separate(self.tree)
            self.link(texture.outputs["Color"], color)
            self.times(green, roughness, self.socket("Roughness"))
            if metallic:
                self.times(blue, metallic, self.socket("Metallic"))

    def normal(self):
        use = self.described.get("normalTexture")
        if use is None:
            return
        texture = self.texture(use, "normal", is_color=False)
        node = self.nodes.new("ShaderNodeNormalMap")
        node.location = (-300, texture.location[1])
        node.inputs["Strength"].default_value = use.get("scale", 1)
        self.link(texture.outputs["Color"], node.inputs["Color"])
        self.link(node.outputs[0], self.socket("Normal"))

    def emission(self, extensions):
        factor = self.described.get("emissiveFactor", [0, 0, 0])
        strength = extensions.get("KHR_materials_emissive_strength", {}).get("emissiveStrength", 1)
        color = self.socket("Emission Color")
        color.default_value = (*factor, 1)
        self.socket("Emission Strength").default_value = strength if any(factor) else 0
        if "emissiveTexture" in self.described:
            texture = self.texture(self.described["emissiveTexture"], "emission")
            if factor == [1, 1, 1]:
                self.link(texture.outputs["Color"], color)
                return
            _, first, second, result = versions.new_multiply(self.tree)
            second.default_value = (*factor, 1)
            self.link(texture.outputs["Color"], first)
            self.link(result, color)

    def specular(self, extensions):
        described = extensions.get("KHR_materials_specular")
        self.socket("Specular IOR Level").default_value = 0.5 * (described or {}).get("specularFactor", 1)
        if described is None:
            return
        self.material["stele.specular_color"] = [float(c) for c in described.get("specularColorFactor", (1, 1, 1))]
        for name in ("specular", "specular color"):
            if UNLINKED[name] in described:
                self.unlinked(name, described[UNLINKED[name]])

    def unlinked(self, name, use, strength=1):
        node = self.texture(use, name, is_color=name == "specular color")
        node.name = PREFIX + name
        node["stele.strength"] = float(strength)
