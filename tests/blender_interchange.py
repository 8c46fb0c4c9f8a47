"""In Blender: scenes made by script, written by Blender's own exporters of other formats, with what Blender itself shows.

blender --background --python blender_interchange.py -- FOLDER: writes FOLDER/<scene>.<format> and FOLDER/truth.json, which holds
for each file the points of everything that is seen, with Y up and in metres, at rest and at times (seconds) of its clip."""
import json
import math
import sys

import bpy

FOLDER = sys.argv[sys.argv.index("--") + 1]
TRUTH = {}
FRAMES = (1, 7, 14, 20, 25)
RATE = 24


def shown(turned=True):
    """The corners of all faces in the space of the world, with Y up or as Blender has them, and where their triangles look."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    points, triangles, fronts = [], 0, []
    for instance in depsgraph.object_instances:
        if instance.object.type != "MESH":
            continue
        mesh = instance.object.to_mesh()
        mesh.calc_loop_triangles()
        triangles += len(mesh.loop_triangles)
        for vertex in mesh.vertices:
            x, y, z = instance.matrix_world @ vertex.co
            points.append([x, z, -y] if turned else [x, y, z])
        outward = instance.matrix_world.to_3x3().inverted_safe().transposed()
        for face in (f for f in mesh.polygons if len(f.vertices) == 3):  # others can be cut in two ways
            x, y, z = instance.matrix_world @ face.center
            u, v, w = (outward @ face.normal).normalized()
            fronts.append([x, z, -y, u, w, -v] if turned else [x, y, z, u, v, w])
        instance.object.to_mesh_clear()
    return {"points": points, "triangles": triangles, "fronts": fronts}


def over_time(first):
    """Of FBX the first frame is the beginning; of COLLADA frame 0 is."""
    poses = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))
        poses.append({"time": (frame - 1) / RATE if first else frame / RATE, **shown()})
    bpy.context.scene.frame_set(1)
    return poses


def clear():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = RATE
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 25


def write(name, operator, truth, **options):
    operator(filepath=f"{FOLDER}/{name}", **options)
    TRUTH[name] = truth


def wedge(name, size):
    """Nothing about it is symmetric, so that no axis can be taken for another."""
    a, b, c = size
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([(0, 0, 0), (a, 0, 0), (a, b, 0), (0, b, 0), (0, 0, c), (a / 3, b / 2, c)], [],
                     [(3, 2, 1, 0), (0, 1, 5, 4), (1, 2, 5), (2, 3, 5), (3, 0, 4), (3, 4, 5)])
    uv = mesh.uv_layers.new(name="uv")
    colors = mesh.color_attributes.new("color", "BYTE_COLOR", "CORNER")
    for loop in mesh.loops:
        x, y, z = mesh.vertices[loop.vertex_index].co
        uv.data[loop.index].uv = (0.1 + 0.5 * x / a, 0.2 + 0.25 * y / b + 0.25 * z / c)
        colors.data[loop.index].color_srgb = (0.2, 0.4, 0.8, 1)
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(obj)
    material = bpy.data.materials.new(name + " paint")
    material.use_nodes = True
    material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (0.8, 0.3, 0.1, 1)
    mesh.materials.append(material)
    return obj


def place(obj, location, rotation, scale=(1, 1, 1)):
    obj.location, obj.rotation_euler, obj.scale = location, rotation, scale


def still():
    """Objects in a hierarchy, turned, moved and stretched."""
    clear()
    base = wedge("base", (1, 2, 3))
    place(base, (1, 2, 3), (0.3, -0.5, 0.7), (2, 2, 2))
    child = wedge("child", (0.5, 0.25, 1))
    child.parent = base
    place(child, (-1, 0.5, 2), (0, 1.1, 0.2), (1, 1.5, 0.5))
    bpy.context.view_layer.update()
    truth = {"rest": shown()}
    write("still.dae", bpy.ops.wm.collada_export, truth)
    write("still.fbx", bpy.ops.export_scene.fbx, truth)
    write("still_z_up.fbx", bpy.ops.export_scene.fbx, truth, axis_forward="Y", axis_up="Z")
    write("still_units.fbx", bpy.ops.export_scene.fbx, truth, apply_scale_options="FBX_SCALE_ALL")
    write("still.x3d", bpy.ops.export_scene.x3d, truth, axis_forward="-Z", axis_up="Y")
    write("still.ply", bpy.ops.export_mesh.ply, truth, axis_forward="-Z", axis_up="Y")
    write("still.stl", bpy.ops.export_mesh.stl, truth, axis_forward="-Z", axis_up="Y")
    write("still_ascii.stl", bpy.ops.export_mesh.stl, truth, axis_forward="-Z", axis_up="Y", ascii=True)
    bpy.context.scene.unit_settings.scale_length = 0.01
    small = [[0.01 * v for v in p] for p in truth["rest"]["points"]]
    write("centimetres.dae", bpy.ops.wm.collada_export, {"rest": {"points": small, "triangles": truth["rest"]["triangles"]}})


def moving():
    """Objects that a clip moves, turns and stretches."""
    clear()
    base = wedge("base", (1, 2, 3))
    child = wedge("child", (0.5, 0.25, 1))
    child.parent = base
    child.location = (0, 0, 3)
    for frame, location, turn, scale in ((1, (0, 0, 0), 0, 1), (13, (2, 0, 1), 1.2, 1.5), (25, (2, 3, -1), -0.4, 0.5)):
        base.location, base.rotation_euler, base.scale = location, (0.2, turn, 0), (scale, 1, scale)
        child.rotation_euler = (turn, 0, 0.1)
        for path in ("location", "rotation_euler", "scale"):
            base.keyframe_insert(path, frame=frame)
        child.keyframe_insert("rotation_euler", frame=frame)
    export_moving("moving")


def export_moving(name):
    write(f"{name}.fbx", bpy.ops.export_scene.fbx, {"clip": over_time(True)}, bake_anim_simplify_factor=0,
          bake_anim_use_all_actions=False, bake_anim_use_nla_strips=False)
    for obj in bpy.data.objects:
        if obj.type == "ARMATURE":  # whose place Blender forgets to write into COLLADA's skins
            place(obj, (0, 0, 0), (0, 0, 0))
    write(f"{name}.dae", bpy.ops.wm.collada_export, {"clip": over_time(False)}, include_animations=True, sampling_rate=1,
          export_animation_type_selection="sample")


def skinned():
    """Two columns on one armature, which stands turned beside the origin."""
    clear()
    bpy.ops.object.armature_add(location=(1, 0.5, -0.25))
    armature = bpy.context.object
    armature.rotation_euler = (0.1, 0.2, 0.6)
    bpy.ops.object.mode_set(mode="EDIT")
    bones = armature.data.edit_bones
    bones[0].name, bones[0].head, bones[0].tail = "lower", (0, 0, 0), (0, 0, 1)
    for name, parent, tail in (("middle", "lower", (0.2, 0, 2)), ("upper", "middle", (0.2, 0.3, 3))):
        bone = bones.new(name)
        bone.head, bone.tail, bone.parent = bones[parent].tail, tail, bones[parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    for name, offset in (("left", -0.6), ("right", 0.6)):
        mesh = bpy.data.meshes.new(name)
        rows = 13
        mesh.from_pydata([(offset + 0.2 * math.cos(k), 0.2 * math.sin(k), 3 * i / (rows - 1)) for i in range(rows)
                          for k in (0, 1.5, 3, 4.8)], [],
                         [(4 * i + k, 4 * i + (k + 1) % 4, 4 * i + 4 + (k + 1) % 4, 4 * i + 4 + k) for i in range(rows - 1)
                          for k in range(4)])
        obj = bpy.data.objects.new(name, mesh)
        bpy.context.collection.objects.link(obj)
        obj.parent = armature
        obj.modifiers.new("skin", "ARMATURE").object = armature
        groups = [obj.vertex_groups.new(name=b) for b in ("lower", "middle", "upper")]
        for vertex in mesh.vertices:
            if name == "right" and vertex.index in (20, 21):
                continue  # stay with the object
            at = vertex.co.z
            for i, group in enumerate(groups):
                weight = max(0.0, 1 - abs(at - 0.5 - i)) if 0.5 < at < 2.5 else float((at <= 0.5 and i == 0) or (at >= 2.5 and i == 2))
                if weight:
                    group.add([vertex.index], weight, "REPLACE")
    bpy.context.view_layer.objects.active = armature
    for frame, turn in ((1, 0), (13, 0.9), (25, -0.5)):
        for i, bone in enumerate(armature.pose.bones):
            bone.rotation_mode = "XYZ"
            bone.rotation_euler = (turn * (i + 1) / 3, 0, turn / 2)
            bone.location = (0, 0.2 * turn if i == 0 else 0, 0)
            bone.keyframe_insert("rotation_euler", frame=frame)
            bone.keyframe_insert("location", frame=frame)
    export_moving("skinned")


def morphed():
    clear()
    obj = wedge("face", (1, 2, 3))
    obj.shape_key_add(name="Basis")
    for name, shift in (("wide", (1, 0, 0)), ("tall", (0, 0.5, 2))):
        key = obj.shape_key_add(name=name)
        for i in (2, 4, 5):
            key.data[i].co = obj.data.vertices[i].co + type(obj.location)(shift)
    for frame, wide, tall in ((1, 0, 0), (13, 1, 0.25), (25, 0.5, 1)):
        for name, value in (("wide", wide), ("tall", tall)):
            obj.data.shape_keys.key_blocks[name].value = value
            obj.data.shape_keys.key_blocks[name].keyframe_insert("value", frame=frame)
    write("morphed.fbx", bpy.ops.export_scene.fbx, {"clip": over_time(True)}, bake_anim_simplify_factor=0,
          bake_anim_use_all_actions=False, bake_anim_use_nla_strips=False)


def mirrored():
    """One mesh twice, once seen in a mirror, and below a node that stretches what is turned in it."""
    clear()
    one = wedge("one", (1, 2, 3))
    place(one, (3, 0, 0), (0.2, 0.1, 0.4), (1, 1, -1.5))
    two = bpy.data.objects.new("two", one.data)
    bpy.context.collection.objects.link(two)
    holder = bpy.data.objects.new("holder", None)
    bpy.context.collection.objects.link(holder)
    place(holder, (-2, 1, 0), (0, 0, 0.5), (1, 3, 1))
    two.parent = holder
    place(two, (0, 0, 1), (0.3, 0.8, 0))
    bpy.context.view_layer.update()
    truth = {"rest": shown()}
    write("mirrored.dae", bpy.ops.wm.collada_export, truth)
    write("mirrored.x3d", bpy.ops.export_scene.x3d, truth, axis_forward="-Z", axis_up="Y")
    write("mirrored.fbx", bpy.ops.export_scene.fbx, truth)
    for scale in ("FBX_SCALE_NONE", "FBX_SCALE_UNITS", "FBX_SCALE_CUSTOM"):
        tenth = [[0.1 * v for v in p] for p in truth["rest"]["points"]]
        write(f"tenth_{scale}.fbx", bpy.ops.export_scene.fbx, {"rest": {"points": tenth, "triangles": truth["rest"]["triangles"]}},
              global_scale=0.1, apply_scale_options=scale)


def carried():
    """Nodes without a mesh that move, below each other, and what they carry."""
    clear()
    outer = bpy.data.objects.new("outer", None)
    inner = bpy.data.objects.new("inner", None)
    load = wedge("load", (1, 0.5, 2))
    for obj in (outer, inner):
        bpy.context.collection.objects.link(obj)
    inner.parent, load.parent = outer, inner
    place(inner, (0, 2, 0), (0, 0, 0))
    place(load, (1, 0, 0), (0, 0.3, 0))
    for frame, turn in ((1, 0), (13, 1.1), (25, 2.0)):
        outer.rotation_euler, outer.location = (0, 0, turn), (turn, 0, -turn)
        inner.rotation_euler, inner.scale = (turn / 2, 0, 0), (1 + turn / 4,) * 3
        outer.keyframe_insert("rotation_euler", frame=frame)
        outer.keyframe_insert("location", frame=frame)
        inner.keyframe_insert("rotation_euler", frame=frame)
        inner.keyframe_insert("scale", frame=frame)
    export_moving("carried")


def dancer(name, location, turns, prefix):
    """A column on an armature of its own."""
    bpy.ops.object.armature_add(location=location)
    armature = bpy.context.object
    armature.name = name
    bpy.ops.object.mode_set(mode="EDIT")
    bones = armature.data.edit_bones
    bones[0].name, bones[0].head, bones[0].tail = prefix + "leg", (0, 0, 0), (0, 0, 1)
    bone = bones.new(prefix + "body")
    bone.head, bone.tail, bone.parent = (0, 0, 1), (0, 0.2, 2), bones[0]
    bpy.ops.object.mode_set(mode="OBJECT")
    mesh = bpy.data.meshes.new(name + " skin")
    mesh.from_pydata([(0.3 * math.cos(k), 0.2 * math.sin(k), i / 2) for i in range(5) for k in (0, 1.5, 3, 4.8)], [],
                     [(4 * i + k, 4 * i + (k + 1) % 4, 4 * i + 4 + (k + 1) % 4, 4 * i + 4 + k) for i in range(4) for k in range(4)])
    obj = bpy.data.objects.new(name + " skin", mesh)
    bpy.context.collection.objects.link(obj)
    obj.parent = armature
    obj.modifiers.new("skin", "ARMATURE").object = armature
    leg, body = (obj.vertex_groups.new(name=prefix + b) for b in ("leg", "body"))
    for vertex in mesh.vertices:
        share = min(1, max(0, vertex.co.z - 0.5))
        leg.add([vertex.index], 1 - share, "REPLACE")
        body.add([vertex.index], share, "REPLACE")
    for frame, turn in zip((1, 13, 25), turns):
        for bone in armature.pose.bones:
            bone.rotation_mode = "XYZ"
            bone.rotation_euler = (turn, turn / 3, 0)
            bone.keyframe_insert("rotation_euler", frame=frame)
    return armature, obj


def dancers():
    """Two armatures, one with a hat on a bone and a skin that morphs."""
    clear()
    first, skin = dancer("first", (0, 0, 0), (0, 0.8, -0.4), "first ")
    dancer("second", (3, 1, 0), (0, -0.5, 0.9), "second ")
    hat = wedge("hat", (0.4, 0.3, 0.5))
    hat.parent, hat.parent_type, hat.parent_bone = first, "BONE", "first body"
    place(hat, (0, 0.1, 0), (0.3, 0, 0.2))
    skin.shape_key_add(name="Basis")
    key = skin.shape_key_add(name="fat")
    for i in range(8, 12):
        key.data[i].co = [2 * skin.data.vertices[i].co.x, 2 * skin.data.vertices[i].co.y, skin.data.vertices[i].co.z]
    for frame, value in ((1, 0), (13, 1), (25, 0.5)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    write("dancers.fbx", bpy.ops.export_scene.fbx, {"clip": over_time(True)}, bake_anim_simplify_factor=0,
          bake_anim_use_all_actions=False, bake_anim_use_nla_strips=False, add_leaf_bones=True)
    place(bpy.data.objects["second"], (0, 0, 0), (0, 0, 0))
    skin.shape_key_clear()
    bpy.data.objects.remove(hat)
    write("dancers.dae", bpy.ops.wm.collada_export, {"clip": over_time(False)}, include_animations=True, sampling_rate=1,
          export_animation_type_selection="sample")


def namesakes():
    """Two armatures whose bones have the same names."""
    clear()
    dancer("first", (0, 0, 0), (0, 0, 0), "")
    dancer("second", (3, 1, 0), (0, 0, 0), "")
    write("namesakes.fbx", bpy.ops.export_scene.fbx, {"rest": shown()}, bake_anim=False)
    place(bpy.data.objects["second"], (0, 0, 0), (0, 0, 0))
    place(bpy.data.objects["first"], (0, 0, 0), (0, 0, 0))
    bpy.context.view_layer.update()
    write("namesakes.dae", bpy.ops.wm.collada_export, {"rest": shown()}, include_animations=False)


still()
moving()
skinned()
morphed()
mirrored()
carried()
dancers()
namesakes()
with open(f"{FOLDER}/truth.json", "w") as out:
    json.dump(TRUTH, out)
