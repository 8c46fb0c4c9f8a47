"""In Blender: what an artist does with a file. blender --background --python blender_use.py -- FOLDER SAMPLES writes files and
FOLDER/use.json with what was seen."""
import json
import os
import shutil
import sys

import bpy

FOLDER, SAMPLES = sys.argv[sys.argv.index("--") + 1:][:2]
SCRIBE = f"{SAMPLES}/scribe.sgm"
seen = {}


def path(name):
    os.makedirs(os.path.dirname(f"{FOLDER}/{name}"), exist_ok=True)
    return f"{FOLDER}/{name}"


def start(file=SCRIBE, **options):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.preferences.addon_enable(module="io_stele")
    if file:
        bpy.ops.import_scene.stele(filepath=file, **options)


def export(name, **options):
    bpy.ops.export_scene.stele(filepath=path(name), **options)
    return findings()


def findings():
    return [[f.severity, f.identifier, f.text, f.kind, f.target] for f in bpy.context.window_manager.stele_report.findings]


def state():
    """What is in the file, to see that nothing was left behind."""
    return {kind: sorted(item.name for item in getattr(bpy.data, kind))
            for kind in ("objects", "meshes", "armatures", "materials", "images", "actions", "collections", "texts")}


def mesh_object(number):
    return next(o for o in bpy.data.objects if o.type == "MESH" and o["stele.index"] == number)


# ---- Untouched, in spite of much ----
start()
export("same/scribe.sgm")
bpy.ops.wm.save_as_mainfile(filepath=path("kept.blend"))
bpy.ops.wm.open_mainfile(filepath=path("kept.blend"))
export("reloaded/scribe.sgm")
# Looking at things is not changing them: edit mode, another frame, pose, renamed objects
for obj in [o for o in bpy.data.objects if o.type in ("MESH", "ARMATURE")]:
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.object.mode_set(mode="OBJECT")
bpy.context.scene.frame_set(17)
mesh_object(1).name = "renamed"
bpy.context.view_layer.objects.active = next(o for o in bpy.data.objects if o.type == "ARMATURE")
export("looked/scribe.sgm")
seen["frame"] = bpy.context.scene.frame_current
export("alone/scribe.sga")

# ---- One mesh, one clip, one material ----
start()
obj = mesh_object(1)
obj.data.vertices[5].co.x += 0.01
seen["moved"] = export("mesh/scribe.sgm")
start()
curve = next(c for c in bpy.data.actions["walk"].fcurves if c.data_path.endswith("rotation_quaternion") and '"head"' in c.data_path and c.array_index == 1)
curve.keyframe_points[3].co.y += 0.2
curve.update()
export("clip/scribe.sgm")
start()
material = mesh_object(2).material_slots[0].material
principled = material.node_tree.nodes["Principled BSDF"]
for link in list(principled.inputs["Base Color"].links):
    material.node_tree.links.remove(link)
principled.inputs["Base Color"].default_value = (0.5, 0.25, 0.125, 1)
export("material/scribe.sgm")
start()
bpy.data.objects.remove(mesh_object(1))
export("removed/scribe.sgm")
start()
bpy.ops.mesh.primitive_cube_add(size=0.1)
export("added/scribe.sgm")
# A bone at the end, a clip that is renamed, a new action
start()
rig = next(o for o in bpy.data.objects if o.type == "ARMATURE")
bpy.context.view_layer.objects.active = rig
bpy.ops.object.mode_set(mode="EDIT")
bone = rig.data.edit_bones.new("feather")
bone.head, bone.tail, bone.parent = (0, 0, 1.2), (0, 0, 1.4), rig.data.edit_bones["head"]
bpy.ops.object.mode_set(mode="OBJECT")
bpy.data.actions["walk"].name = "stroll"
export("bone/scribe.sgm")

# ---- Options ----
start()
export("join/scribe.sgm", objects="JOIN")
export("separate/scribe.sgm", objects="SEPARATE")
export("star/scribe.sgm", texture_extension="*")
export("copied/scribe.sgm", textures="COPY")
export("embedded/scribe.glb", textures="EMBED")
export("tangents/scribe.sgm", tangents="ALWAYS")
export("still/scribe.sgm", animations="NONE")
export("active/scribe.sgm", animations="ACTIVE")
export("srgb/scribe.sgm", color_space="SRGB")
export("power/scribe.sgm", color_space="POWER")
export("dialect/scribe.sgm", dialect="v1")
bpy.ops.object.select_all(action="DESELECT")
mesh_object(2).select_set(True)
export("selected/scribe.sgm", use_selection=True)
mesh_object(0).hide_set(True)
export("visible/scribe.sgm", use_visible=True)
bpy.ops.object.select_all(action="DESELECT")
try:
    export("nothing/scribe.sgm", use_selection=True)
except RuntimeError as error:
    seen["nothing"] = str(error)

# ---- An old file keeps its colour space ----
start(f"{SAMPLES}/dialects/v1.sgm")
next(o for o in bpy.data.objects if o.type == "MESH").data.vertices[0].co.x += 0.01
export("old/v1.sgm")

# ---- Apply transforms ----
start(None)
bpy.ops.mesh.primitive_cube_add(location=(1, 2, 3))
export("placed/cube.sgm")
export("unplaced/cube.sgm", apply_transforms=False)

# ---- Textures: packed, absent, with spaces, of long extensions ----
start(None)
bpy.ops.mesh.primitive_cube_add()
cube = bpy.context.object
shutil.copy(f"{SAMPLES}/scribe.png", path("textures/a b ü.jpeg.png"))
for name in ("a b ü.jpeg.png", "packed", "absent.jpeg"):
    if name == "packed":
        image = bpy.data.images.new("packed", 4, 4)
        image.pack()
    elif name.startswith("absent"):
        image = bpy.data.images.new(name, 4, 4)
        image.source, image.filepath = "FILE", "//nowhere/" + name
    else:
        image = bpy.data.images.load(path("textures/" + name))
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    node = material.node_tree.nodes.new("ShaderNodeTexImage")
    node.image = image
    material.node_tree.links.new(node.outputs[0], material.node_tree.nodes["Principled BSDF"].inputs["Base Color"])
    cube.data.materials.append(material)
for i, polygon in enumerate(cube.data.polygons):
    polygon.material_index = i % 3
seen["texture_findings"] = export("textured/cube.sgm", textures="COPY")
export("textured/star.sgm", texture_extension="*")

# ---- Damaged files leave the scene as it was ----
start()
before = state()
seen["damaged"] = {}
whole = open(SCRIBE, "rb").read()
for name, data in (("cut", whole[:3000]), ("empty", b""), ("noise", bytes(range(256)) * 40), ("bad-index", whole[:-900] + b"\xff" * 600 + whole[-300:])):
    with open(path(f"damaged/{name}.sgm"), "wb") as file:
        file.write(data)
    try:
        bpy.ops.import_scene.stele(filepath=path(f"damaged/{name}.sgm"))
        seen["damaged"][name] = "imported"
    except RuntimeError as error:
        seen["damaged"][name] = str(error)
    seen["damaged"][name + " findings"] = findings()
    if seen["damaged"][name] != "imported":
        seen["damaged"][name + " same"] = state() == before
try:
    bpy.ops.import_scene.stele(filepath=path("damaged/not-there.sgm"))
except RuntimeError as error:
    seen["damaged"]["not there"] = str(error)

# ---- A click on a finding ----
start(None)
bpy.ops.mesh.primitive_grid_add(x_subdivisions=3, y_subdivisions=3)
grid = bpy.context.object
for i in (3, 5):
    grid.data.vertices[i].co.z = float("nan")
export("clicked/grid.sgm")
report = bpy.context.window_manager.stele_report
seen["clicked"] = findings()
index = next(i for i, f in enumerate(report.findings) if f.kind == "VERTICES")
bpy.ops.stele.select_finding(index=index)
seen["mode"] = bpy.context.mode
bpy.ops.object.mode_set(mode="OBJECT")
seen["selected"] = [v.index for v in grid.data.vertices if v.select]
start()
report = bpy.context.window_manager.stele_report
for kind, name, items in (("BONES", "scribe", ["head"]), ("ACTION", "walk", []), ("OBJECT", mesh_object(1).name, [])):
    report.findings.clear()
    item = report.findings.add()
    item.severity, item.kind, item.target, item.items = "note", kind, name, json.dumps(items)
    report.active = 0  # what a click in the list does
    if kind == "BONES":
        seen["bones"] = [b.name for b in bpy.data.armatures["scribe"].bones if b.select], bpy.context.mode
    elif kind == "ACTION":
        seen["action"] = bpy.data.objects["scribe"].animation_data.action.name
    else:
        seen["object"] = [o.name for o in bpy.context.selected_objects] == [mesh_object(1).name]

# ---- What an import makes ----
start()
rig = next(o for o in bpy.data.objects if o.type == "ARMATURE")
body = mesh_object(0)
seen["made"] = {
    "bones": [b.name for b in sorted(rig.data.bones, key=lambda b: b["stele.joint"])],
    "pointing": {b.name: max(abs(x) for x in b.tail_local - b.children[0].head_local) for b in rig.data.bones if len(b.children) == 1},
    "tracks": [t.name for t in rig.animation_data.nla_tracks], "actions": sorted(a.name for a in bpy.data.actions),
    "fps": bpy.context.scene.render.fps, "range": [bpy.context.scene.frame_start, bpy.context.scene.frame_end],
    "uvs": [len(mesh_object(i).data.uv_layers) for i in range(3)],
    "colors": [len(mesh_object(i).data.color_attributes) for i in range(3)],
    "custom": [mesh_object(i).data.has_custom_normals for i in range(3)],
    "image": [list(i.size) for i in bpy.data.images], "groups": len(body.vertex_groups), "modifiers": [m.type for m in body.modifiers],
    "properties": list(bpy.data.materials[0].get("sgm.colors", [])),
    "selected": sorted(o.name for o in bpy.context.selected_objects) == sorted(o.name for o in bpy.data.objects),
}
shutil.copy(SCRIBE, path("lonely/scribe.sgm"))
start(path("lonely/scribe.sgm"))
seen["lonely"] = {"image": [[i.name, list(i.size), i.get("stele.missing")] for i in bpy.data.images], "findings": findings(),
                  "armatures": len(bpy.data.armatures)}
start(f"{SAMPLES}/dialects/v11.ctc")
seen["ctc"] = {"empties": [o.name for o in bpy.data.objects if o.type == "EMPTY"],
               "parents": [[o.parent_type, o.parent_bone] for o in bpy.data.objects if o.type == "EMPTY"],
               "shapes": [[b.name for b in k.key_blocks] for k in bpy.data.shape_keys], "fps": bpy.context.scene.render.fps}

# ---- Undo ----
start(None)
bpy.ops.ed.undo_push(message="before")
before = state()
bpy.ops.import_scene.stele(filepath=SCRIBE)
bpy.ops.ed.undo_push(message="import")
bpy.ops.ed.undo()
seen["undone"] = state() == before

# ---- Menus, handlers and presets ----
import io_stele.operators as operators
seen["formats"] = [f["name"] for f in operators.readable()], [f["name"] for f in operators.writable()]
seen["options"] = sorted(p.identifier for p in bpy.ops.import_scene.stele.get_rna_type().properties if p.identifier.startswith("choice_"))
seen["presets"] = "PRESET" in bpy.types.EXPORT_SCENE_OT_stele.bl_options and "UNDO" in bpy.types.IMPORT_SCENE_OT_stele.bl_options
bpy.ops.preferences.addon_disable(module="io_stele")
bpy.ops.preferences.addon_enable(module="io_stele")
seen["again"] = hasattr(bpy.types, "IMPORT_SCENE_OT_stele")
json.dump(seen, open(f"{FOLDER}/use.json", "w"))
