"""Untouched stays untouched: fingerprints of what an import made, and their comparison on export.

A fingerprint is made of what Blender holds, at the end of the import and again on export, by the same functions. Normals are
compared by value, because Blender computes them in no fixed order and so not always to the last bit."""
import json

import bpy
import numpy as np

from . import export_material, export_mesh, export_rig, records, versions
from .import_mesh import NORMAL, WEIGHTS
from .import_rig import REST

REST_NUMBERS = "stele.rest_numbers"
COUNTS, NODES = "stele.counts", "stele.nodes"


# ---- What things are known by --------------------------------------------------------------------------------------------

def mesh_print(obj, weights, normals_kept):
    mesh = obj.data
    keys = mesh.shape_keys
    parts = [
        export_mesh.read(mesh.vertices, "co", 3),
        export_mesh.read(mesh.loops, "vertex_index", 1, np.int32),
        export_mesh.read(mesh.polygons, "loop_start", 1, np.int32),
        export_mesh.read(mesh.edges, "vertices", 2, np.int32) if not len(mesh.polygons) else 0,
        bool(normals_kept) if NORMAL in mesh.attributes else flat_faces(mesh),
        [versions.uv_rows(layer).shape[0] for layer in mesh.uv_layers], *[versions.uv_rows(layer) for layer in mesh.uv_layers],
        *[rows for _, _, rows in versions.color_layers(mesh)],
        [group.name for group in obj.vertex_groups], *weights,
        [[m.type, m.show_viewport, getattr(getattr(m, "object", None), "name", "")] for m in obj.modifiers],
        [material_key(slot.material) for slot in obj.material_slots],
        own_place(obj),
        obj.parent.name if obj.parent is not None else "", obj.parent_type, obj.parent_bone,
        records.extras_of(mesh), records.extras_of(obj), mesh.get("stele.degenerate") is not None,
    ]
    if keys is not None:
        values = list(keys.get(WEIGHTS, ())) if keys.animation_data is not None else [b.value for b in keys.key_blocks]
        parts += [[block.name for block in keys.key_blocks], [round(value, 5) for value in values]]
        parts += [export_mesh.read(block.data, "co", 3) for block in keys.key_blocks]
    return records.fingerprint(*parts)


def own_place(obj):
    """Where an object is by itself: not where the current frame or what is above it takes it."""
    if REST in obj:
        return np.array([*np.ravel(obj.matrix_parent_inverse), *obj[REST]], np.float64).round(5) + 0
    return np.array(obj.matrix_parent_inverse @ obj.matrix_basis, np.float64).round(5) + 0


def flat_faces(mesh):
    return export_mesh.read(mesh.polygons, "use_smooth", 1, bool).astype(np.uint8)


def material_key(material):
    index = records.index_of(material) if material is not None else None
    return index if index is not None else (material.name if material is not None else "")


def weights_print_of(obj):
    return export_mesh.weights_of(obj.data) if len(obj.vertex_groups) else ()


def action_print(action, fps):
    parts = [round(fps, 4), records.extras_of(action), action.get("stele.clip"), action.name == action.get("stele.clip_shown")]
    for curve in versions.curves(action):
        points = np.empty(2 * len(curve.keyframe_points), np.float32)
        curve.keyframe_points.foreach_get("co", points)
        kinds = np.empty(len(curve.keyframe_points), np.int32)
        curve.keyframe_points.foreach_get("interpolation", kinds)
        parts += [curve.data_path, curve.array_index, points, kinds, curve.mute, curve.extrapolation, len(curve.modifiers)]
    return records.fingerprint(*parts)


def material_print(material):
    """By what would be written for it."""
    materials = export_material.Materials()
    materials.number(material)
    return records.fingerprint([d for _, d in materials.list], [d for _, d in materials.textures], [n for _, n in materials.images])


def nodes_print(objects):
    """Of empties, by where they are; not by where a pose takes them."""
    rows = [[o["stele.node"], o.parent.name if o.parent is not None else "", o.parent_bone, o.name, records.extras_of(o),
             own_place(o).ravel().tolist()] for o in objects if o.type == "EMPTY"]
    return records.fingerprint(sorted(rows, key=lambda row: (row[0], row[3])))


def frame_rate():
    render = bpy.context.scene.render
    return render.fps / render.fps_base


# ---- At the end of an import ---------------------------------------------------------------------------------------------

def remember(text, objects, armatures, made_actions, materials, weights):
    """`weights` are those of the objects by name, as they were given to Blender: reading them back takes long."""
    for obj in objects:
        obj[records.PRINT] = mesh_print(obj, weights.get(obj.name, ()), True)
    for armature in armatures:
        joints = export_rig.Joints(armature, False)
        armature.data[records.PRINT] = joints.print()
        armature.data[REST_NUMBERS] = joints.numbers().tolist()
    for _, action, _ in made_actions:
        action[records.PRINT] = action_print(action, frame_rate())
    for material in materials:
        material[records.PRINT] = material_print(material)
    empties = [o for o in bpy.data.objects if o.get(records.SOURCE) == text and o.type == "EMPTY"]
    text[NODES] = nodes_print(empties)
    text[COUNTS] = json.dumps({"meshes": len(objects), "armatures": len(armatures), "actions": len(made_actions),
                               "materials": len({records.index_of(m) for m in materials}), "empties": len(empties)})


# ---- On export -----------------------------------------------------------------------------------------------------------

class Comparison:
    """What of a scene is as it was imported, and from which file."""

    def __init__(self, scene, format_name, options):
        self.scene, self.format, self.options = scene, format_name, options
        self.meshes, self.materials, self.clips = set(), set(), set()
        self.skeleton = False
        sources = {records.source_of(item) for item in self.items()}
        self.foreign = None in sources
        self.texts = sources - {None}
        self.text = next(iter(self.texts)) if len(self.texts) == 1 else None

    def items(self):
        return [*self.scene.objects, *[a.data for a in self.scene.armatures]]

    def compare(self):
        if self.text is None:
            return
        for obj in self.scene.meshes:
            if records.source_of(obj) is not None and self.is_same_mesh(obj):
                self.meshes.add(obj.name)
        for material, _ in self.scene.materials.list:
            if records.is_untouched(material, material_print(material)):
                self.materials.add(material.name)
        self.skeleton = bool(self.scene.rigs) and all(self.is_same_skeleton(rig) for rig in self.scene.rigs)
        for action in bpy.data.actions:
            if records.source_of(action) == self.text and records.is_untouched(action, action_print(action, self.scene.fps)):
                self.clips.add(action.name)

    def is_same_mesh(self, obj):
        if obj.type != "MESH" or not isinstance(obj.get(records.PRINT), str):
            return False
        parts = [p for p in self.scene.parts if p.obj == obj]
        kept = all(p.corners_kept for p in parts if p.corners_kept is not None)
        weights = self.scene.weights.get(obj.name)
        if weights is None:
            weights = weights_print_of(obj)
        rig = self.scene.rig_for(obj)
        # Modifiers of armatures are switched off while the scene is measured, but count as they were
        hidden = [(m, m.show_viewport) for m in obj.modifiers]
        if rig is not None:
            for modifier in obj.modifiers:
                if modifier.type == "ARMATURE":
                    modifier.show_viewport = True
        same = records.is_untouched(obj, mesh_print(obj, weights if len(obj.vertex_groups) else (), kept))
        for modifier, shown in hidden:
            modifier.show_viewport = shown
        return same

    def is_same_skeleton(self, rig):
        armature = rig.obj.data
        if not records.is_untouched(armature, rig.print()):
            return False
        then, now = np.array(armature.get(REST_NUMBERS, ()), np.float64), rig.numbers()
        return then.shape == now.shape and np.abs(then - now).max() < 1e-5 * max(1.0, np.abs(then).max())

    def is_plain(self):
        """Whether the options ask for the file as it was."""
        o = self.options
        return (o["textures"] == "NAMES" and not o["texture_extension"] and o["tangents"] == "AUTO" and o["objects"] == "KEEP"
                and o["color_space"] == o["source_color_space"] and o["apply_transforms"] and not o["deform_only"]
                and o["dialect"] in ("", self.text.get("stele.dialect", "")))

    def files(self):
        """The bytes of the source that are in the format that is written, or None."""
        files = records.source_files(self.text) if self.text is not None else None
        if not files:
            return None
        if self.text["stele.format"] == self.format:
            return files
        # The .sga of an .sgm
        beside = [f for f in files[1:] if f[0].lower().endswith("." + self.format)]
        return beside or None

    def whole_file(self):
        """The files to write, if nothing was changed: then nothing but them is right."""
        if self.text is None or self.foreign or not self.is_plain() or COUNTS not in self.text:
            return None
        files = self.files()
        if files is None or not self.is_complete(is_companion=self.text["stele.format"] != self.format):
            return None
        return files

    def count(self, kind):
        """How many things of a kind the import made."""
        return json.loads(self.text.get(COUNTS, "{}")).get(kind)

    def is_complete(self, is_companion):
        counts, scene = json.loads(self.text[COUNTS]), self.scene
        actions = [a for a in bpy.data.actions if records.source_of(a) == self.text]
        moving = counts["armatures"] == len(scene.armatures) and (self.skeleton or not scene.armatures)
        clips = (self.options["animations"] == "ALL" and counts["actions"] == len(actions) == len(self.clips)
                 and not self.has_new_clips()) or not counts["actions"]
        if is_companion:
            return moving and clips
        indices = sorted(records.index_of(o) for o in scene.meshes)
        empties = [o for o in scene.objects if o.type == "EMPTY"]
        return (moving and clips and indices == list(range(counts["meshes"])) and len(self.meshes) == len(scene.meshes)
                and len({records.index_of(m) for m, _ in scene.materials.list}) == counts["materials"]
                and len(self.materials) == len(scene.materials.list)
                and len(empties) == counts["empties"] and nodes_print(empties) == self.text.get(NODES) and not scene.instances)

    def has_new_clips(self):
        from . import export_clips
        clips = export_clips.Collector(self.scene.owners, self.options["animations"]).collect()
        return any(records.source_of(play.action) != self.text or play.strip is not None for clip in clips for play in clip.plays)

    def dialect(self):
        """The dialect that the source has, if it is of the format that is written."""
        if self.text is None or self.text["stele.format"] != self.format:
            return ""
        return self.text.get("stele.dialect", "")
