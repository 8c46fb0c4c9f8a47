"""What differs between Blender 2.93 and 5.x, and nothing else: the rest of the add-on does not ask for a version.

Features are looked for where that is possible, because Blender's own version says less than what an object can do."""
import bpy
import numpy as np

VERSION = bpy.app.version

# ---- Meshes --------------------------------------------------------------------------------------------------------------

def corner_normals(mesh):
    """The normals that are drawn, by corner; 4.1 keeps them ready, before they have to be asked for."""
    rows = np.empty(3 * len(mesh.loops), np.float32)
    if hasattr(mesh, "corner_normals"):
        mesh.corner_normals.foreach_get("vector", rows)
    else:
        mesh.calc_normals_split()
        mesh.loops.foreach_get("normal", rows)
        mesh.free_normals_split()
    return rows.reshape(-1, 3)


def set_normals(mesh, normals):
    """Custom normals, by vertex."""
    if hasattr(mesh, "use_auto_smooth"):  # until 4.0 they only count with it
        mesh.use_auto_smooth = True
    mesh.normals_split_custom_set_from_vertices(normals)


def uv_rows(layer):
    rows = np.empty(2 * len(layer.data), np.float32)
    if hasattr(layer, "uv"):  # since 3.5
        layer.uv.foreach_get("vector", rows)
    else:
        layer.data.foreach_get("uv", rows)
    return rows.reshape(-1, 2)


def set_uv_rows(layer, rows):
    flat = np.ascontiguousarray(rows, np.float32).ravel()
    if hasattr(layer, "uv"):
        layer.uv.foreach_set("vector", flat)
    else:
        layer.data.foreach_set("uv", flat)


def new_color_layer(mesh, name):
    """Colours of vertices as floats, which are linear."""
    if hasattr(mesh, "color_attributes"):  # since 3.2; those of `attributes` are not shown in all versions
        return mesh.color_attributes.new(name, "FLOAT_COLOR", "POINT")
    return mesh.attributes.new(name, "FLOAT_COLOR", "POINT")


def color_layers(mesh):
    """All layers of colours as (name, domain, linear rows); the one that is drawn comes first."""
    found = []
    for layer in mesh.attributes:
        if layer.data_type in ("FLOAT_COLOR", "BYTE_COLOR") and layer.domain in ("POINT", "CORNER"):
            rows = np.empty(4 * len(layer.data), np.float32)
            layer.data.foreach_get("color", rows)
            found.append((layer.name, layer.domain, rows.reshape(-1, 4)))
    if not hasattr(mesh, "color_attributes"):  # before 3.2 bytes are a kind of their own, and not linear
        for layer in mesh.vertex_colors:
            rows = np.empty(4 * len(layer.data), np.float32)
            layer.data.foreach_get("color", rows)
            rows = rows.reshape(-1, 4)
            rows[:, :3] = linear_of_srgb(rows[:, :3])
            found.append((layer.name, "CORNER", rows))
        return found
    drawn = mesh.color_attributes.render_color_index
    names = [layer.name for layer in mesh.color_attributes]
    first = names[drawn] if 0 <= drawn < len(names) else None
    return sorted(found, key=lambda layer: layer[0] != first)


def linear_of_srgb(rows):
    rows = np.asarray(rows, np.float64)
    return np.where(rows <= 0.04045, rows / 12.92, ((np.maximum(rows, 0) + 0.055) / 1.055) ** 2.4)


def srgb_of_linear(rows):
    rows = np.maximum(np.asarray(rows, np.float64), 0)
    return np.where(rows <= 0.0031308, rows * 12.92, 1.055 * rows ** (1 / 2.4) - 0.055)


# ---- Actions -------------------------------------------------------------------------------------------------------------

LAYERED = VERSION >= (4, 4, 0)  # curves belong to a slot of an action, not to the action; 4.3 has slots as an experiment
ID_TYPES = {"Object": "OBJECT", "Key": "KEY"}


def _id_type(owner):
    return ID_TYPES.get(owner.bl_rna.identifier, "OBJECT")


def _slot(action, owner):
    """The slot that moves things of the owner's kind, or None."""
    used = getattr(owner.animation_data, "action_slot", None) if owner.animation_data else None
    if used is not None and owner.animation_data.action == action:
        return used
    for slot in action.slots:
        if slot.target_id_type in (_id_type(owner), "UNSPECIFIED"):
            return slot
    return None


def _bags(action):
    for layer in action.layers:
        for strip in layer.strips:
            yield from strip.channelbags


def curves(action, owner=None):
    """The curves of an action: those that move the owner, or all."""
    if not LAYERED:
        return list(action.fcurves)
    bags = list(_bags(action))
    if owner is not None:
        slot = _slot(action, owner)
        bags = [bag for bag in bags if slot is not None and bag.slot_handle == slot.handle]
    return [curve for bag in bags for curve in bag.fcurves]


def curve_maker(action, owner):
    """A function (data path, index, group) that adds a curve for the owner."""
    if not LAYERED:
        return lambda path, index, group: action.fcurves.new(path, index=index, action_group=group)
    slot = _slot(action, owner) or action.slots.new(_id_type(owner), owner.name)
    layer = action.layers[0] if len(action.layers) else action.layers.new("Layer")
    strip = layer.strips[0] if len(layer.strips) else layer.strips.new(type="KEYFRAME")
    bag = strip.channelbag(slot, ensure=True)

    def make(path, index, group):
        curve = bag.fcurves.new(path, index=index)
        groups = getattr(bag, "groups", None)
        if groups is not None:
            curve.group = groups.get(group) or groups.new(group)
        return curve

    return make


def moves(action, owner):
    """Whether the action has curves for things of this kind."""
    return not LAYERED or _slot(action, owner) is not None


def assign(owner, action):
    """The action, and its slot, to the owner; None takes it away."""
    data = owner.animation_data or owner.animation_data_create()
    data.action = action
    if LAYERED and action is not None and data.action_slot is None:
        data.action_slot = _slot(action, owner)


def assigned(owner):
    """What is assigned to an owner that has animation data, for `reassign`."""
    data = owner.animation_data
    return data.action, getattr(data, "action_slot", None), data.use_nla


def reassign(owner, state):
    action, slot, use_nla = state
    data = owner.animation_data
    data.action, data.use_nla = action, use_nla
    if slot is not None:
        data.action_slot = slot


def assign_strip(strip, action, owner):
    """The slot of a strip of the NLA."""
    if LAYERED and hasattr(strip, "action_slot") and strip.action_slot is None:
        strip.action_slot = _slot(action, owner)


# ---- Materials -----------------------------------------------------------------------------------------------------------

# What sockets were called before 4.0
OLD_SOCKETS = {"Emission Color": "Emission", "Specular IOR Level": "Specular"}


def socket(node, name):
    """An input by the name that it has since 4.0."""
    found = node.inputs.get(name)
    return found if found is not None else node.inputs.get(OLD_SOCKETS.get(name, name))


def node_tree(material):
    """The nodes of a material, or None; from 5.0 on all have some."""
    return material.node_tree if VERSION >= (5, 0, 0) or material.use_nodes else None


def use_nodes(material):
    if VERSION < (5, 0, 0):  # from then on all do
        material.use_nodes = True


def new_multiply(tree):
    """A node that multiplies two colours: (node, first, second, result)."""
    if hasattr(bpy.types, "ShaderNodeMix"):  # since 3.4
        node = tree.nodes.new("ShaderNodeMix")
        node.data_type, node.blend_type = "RGBA", "MULTIPLY"
        node.inputs[0].default_value = 1
        return node, node.inputs[6], node.inputs[7], node.outputs[2]
    node = tree.nodes.new("ShaderNodeMixRGB")
    node.blend_type = "MULTIPLY"
    node.inputs[0].default_value = 1
    return node, node.inputs[1], node.inputs[2], node.outputs[0]


def factors_of(node):
    """The two colours that a node multiplies, or None."""
    if node.type == "MIX" and node.data_type == "RGBA" and node.blend_type == "MULTIPLY":
        return node.inputs[6], node.inputs[7]
    if node.type == "MIX_RGB" and node.blend_type == "MULTIPLY":
        return node.inputs[1], node.inputs[2]
    return None


def new_separate(tree):
    """A node that takes a colour apart: (node, colour, green, blue)."""
    name = "ShaderNodeSeparateColor" if hasattr(bpy.types, "ShaderNodeSeparateColor") else "ShaderNodeSeparateRGB"  # since 3.3
    node = tree.nodes.new(name)
    return node, node.inputs[0], node.outputs[1], node.outputs[2]


SEPARATE = ("SEPARATE_COLOR", "SEPRGB")


def set_alpha(material, mode, cutoff):
    """How transparency is drawn; since 4.2 a cut-out is a matter of the nodes."""
    if hasattr(material, "surface_render_method"):
        material.surface_render_method = "BLENDED" if mode == "BLEND" else "DITHERED"
    if hasattr(material, "blend_method") and VERSION < (4, 2, 0):
        material.blend_method = {"OPAQUE": "OPAQUE", "MASK": "CLIP", "BLEND": "BLEND"}[mode]
        material.alpha_threshold = cutoff


def alpha(material, transparent):
    """(mode, cutoff) of a material whose alpha is not 1 everywhere if it is `transparent`."""
    if hasattr(material, "surface_render_method"):
        return ("BLEND" if transparent else "OPAQUE"), 0.5
    method = material.blend_method
    if method == "CLIP":
        return "MASK", material.alpha_threshold
    return ("BLEND" if transparent and method in ("BLEND", "HASHED") else "OPAQUE"), 0.5


# ---- Interface -----------------------------------------------------------------------------------------------------------

def file_handler(operator, extensions):
    """A class for drag and drop of files, since 4.1; None before."""
    base = getattr(bpy.types, "FileHandler", None)
    if base is None:
        return None
    return type("STELE_FH_models", (base,), {
        "bl_idname": "STELE_FH_models", "bl_label": "Game models (Stele)", "bl_import_operator": operator,
        "bl_file_extensions": ";".join("." + e for e in extensions),
        "poll_drop": classmethod(lambda cls, context: context.area is not None and context.area.type in ("VIEW_3D", "OUTLINER"))})


def select_bone(obj, name, selected):
    """Since 5.0 it is bones of the pose that are selected."""
    pose, bone = obj.pose.bones[name], obj.data.bones[name]
    target = bone if hasattr(bone, "select") else pose
    target.select = selected
