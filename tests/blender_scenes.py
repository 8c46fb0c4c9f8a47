"""In Blender: scenes made by script, exported by the add-on to every format, with what Blender itself shows beside them.

blender --background --python blender_scenes.py -- FOLDER [SCENE...]: writes FOLDER/<scene>.<format> and FOLDER/<scene>.json, which holds
triangles in world coordinates at rest and at times of the clips, taken from the evaluated scene without the add-on."""
import json
import math
import sys

import bpy
import mathutils

arguments = sys.argv[sys.argv.index("--") + 1:]
FOLDER, WANTED = arguments[0], arguments[1:]
FORMATS = ("sgm", "glb", "gltf", "obj", "twm", "mesh", "ctc", "sff", "sga")


# ---- What Blender shows --------------------------------------------------------------------------------------------------

CUTS = {}  # triangles of objects, as they were first seen


def triangles():
    """Of everything that is seen, as it is seen now."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    found = []
    for instance in depsgraph.object_instances:
        obj = instance.object
        if obj.type not in ("MESH", "CURVE", "SURFACE", "META", "FONT"):
            continue
        matrix = instance.matrix_world.copy()
        mesh = obj.to_mesh()
        if mesh is None:
            continue
        mesh.calc_loop_triangles()
        # A quad that bends may be cut the other way: the cut at rest is the one that is written
        cuts = CUTS.setdefault(obj.name, [tuple(t.vertices) for t in mesh.loop_triangles])
        for triangle in cuts:
            corners = [list(matrix @ mesh.vertices[i].co) for i in triangle]
            found.append(corners[::-1] if matrix.determinant() < 0 else corners)
        obj.to_mesh_clear()
    return found


class Scene:
    def __init__(self, name):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        CUTS.clear()
        bpy.ops.preferences.addon_enable(module="io_stele")
        self.name, self.options, self.truth = name, {}, {"clips": {}, "joints": None, "expect": {}}
        bpy.context.scene.render.fps = 24

    def rest(self):
        for armature in bpy.data.armatures:
            armature.pose_position = "REST"
        bpy.context.view_layer.update()
        self.truth["rest"] = triangles()
        for armature in bpy.data.armatures:
            armature.pose_position = "POSE"

    def clip(self, name, plays, frames, start=None, speed=1.0):
        """What an action of each owner shows; frames are of the action, `start` is where the clip begins."""
        kept = [(owner, owner.animation_data.action) for owner, _ in plays]
        start = frames[0] if start is None else start
        rate = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
        for armature in (o for o in bpy.data.objects if o.type == "ARMATURE"):
            if armature.animation_data is not None:
                armature.animation_data.use_nla = False
                armature.animation_data.action = None
            for bone in armature.pose.bones:
                bone.matrix_basis = mathutils.Matrix()
        for owner, action in plays:
            owner.animation_data.action = action
        shown = []
        for frame in frames:
            bpy.context.scene.frame_set(int(math.floor(frame)), subframe=frame - math.floor(frame))
            shown.append([(frame - start) * speed / rate, triangles()])
        self.truth["clips"][name] = shown
        for owner, action in kept:
            owner.animation_data.action = action
            owner.animation_data.use_nla = True
        bpy.context.scene.frame_set(int(frames[0]))

    def export(self, formats=FORMATS):
        done = {}
        for name in formats:
            try:
                bpy.ops.export_scene.stele(filepath=f"{FOLDER}/{self.name}.{name}", **self.options)
                report = bpy.context.window_manager.stele_report
                done[name] = [[f.severity, f.identifier, f.text, f.kind, f.target, f.items] for f in report.findings]
            except RuntimeError as error:
                done[name] = str(error)
        self.truth["exports"] = done
        with open(f"{FOLDER}/{self.name}.json", "w") as file:
            json.dump(self.truth, file)


def add_mesh(name, points, faces, material=None):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], faces)
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    if material is not None:
        mesh.materials.append(material)
    return obj


def box(name, size=1.0, material=None):
    s = size / 2
    points = [(x, y, z) for x in (-s, s) for y in (-s, s) for z in (-s, s)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return add_mesh(name, points, faces, material)


def tube(name, rings=9, sides=6, height=4.0):
    points = [(0.4 * math.cos(2 * math.pi * k / sides), 0.4 * math.sin(2 * math.pi * k / sides) * 0.7, height * r / (rings - 1))
              for r in range(rings) for k in range(sides)]
    faces = [(r * sides + k, r * sides + (k + 1) % sides, (r + 1) * sides + (k + 1) % sides, (r + 1) * sides + k)
             for r in range(rings - 1) for k in range(sides)]
    return add_mesh(name, points, faces)


def add_armature(name, bones):
    """bones: (name, head, tail, roll, parent)."""
    armature = bpy.data.armatures.new(name)
    obj = bpy.data.objects.new(name, armature)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    for title, head, tail, roll, parent in bones:
        bone = armature.edit_bones.new(title)
        bone.head, bone.tail, bone.roll = head, tail, roll
        if parent:
            bone.parent = armature.edit_bones[parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    return obj


def bind(obj, armature, weight_of):
    for bone in armature.data.bones:
        group = obj.vertex_groups.new(name=bone.name)
        for vertex in obj.data.vertices:
            weight = weight_of(bone.name, vertex.co)
            if weight > 0:
                group.add([vertex.index], weight, "REPLACE")
    obj.modifiers.new("Armature", "ARMATURE").object = armature


def action(owner, name, keys):
    """keys: (data path, frame, value)."""
    owner.animation_data_create()
    made = bpy.data.actions.new(name)
    owner.animation_data.action = made
    for path, frame, value in keys:
        target = owner.path_resolve(path.rsplit(".", 1)[0]) if "." in path else owner
        setattr(target, path.rsplit(".", 1)[-1], value)
        owner.keyframe_insert(path, frame=frame)
    return made


COLUMN = [("root", (0, 0, 0), (0, 0, 1.5), 0.7, ""), ("mid", (0, 0, 1.5), (0.1, 0.3, 3), -1.2, "root"),
          ("tip", (0.1, 0.3, 3), (0, 0, 4), 2.5, "mid")]


def column_weights(name, co):
    at = {"root": 0, "mid": 2, "tip": 4}[name]
    return max(0.0, 1 - abs(co.z - at) / 2)


# ---- The scenes ----------------------------------------------------------------------------------------------------------

def rolled(scene):
    """Rolled bones, two actions with curves, one of them in the NLA too; the armature has a place of its own."""
    rig, body = add_armature("rig", COLUMN), tube("body")
    rig.location, rig.rotation_euler = (1, 2, 0.5), (0, 0, 0.8)
    body.parent = rig
    bind(body, rig, column_weights)
    for bone in rig.pose.bones:
        bone.rotation_mode = "QUATERNION" if bone.name == "mid" else "XYZ"
    q = lambda *angles: mathutils.Euler(angles).to_quaternion()
    bend = action(rig, "bend", [('pose.bones["mid"].rotation_quaternion', 1, q(0, 0, 0)),
                                ('pose.bones["mid"].rotation_quaternion', 12, q(0.9, 0.2, 0)),
                                ('pose.bones["mid"].rotation_quaternion', 20, q(0, 0.4, -0.5)),
                                ('pose.bones["tip"].scale', 1, (1, 1, 1)), ('pose.bones["tip"].scale', 20, (1.5, 1.5, 1.5))])
    twist = action(rig, "twist", [('pose.bones["tip"].rotation_euler', 5, (0, 0, 0)), ('pose.bones["tip"].rotation_euler', 15, (0.3, 1.8, 0)),
                                  ('pose.bones["root"].location', 5, (0, 0, 0)), ('pose.bones["root"].location', 15, (0.2, 0, 0.5))])
    track = rig.animation_data.nla_tracks.new()
    track.strips.new("bend", 1, bend)
    scene.rest()
    scene.clip("bend", [(rig, bend)], [1, 5, 12, 17, 20])
    scene.clip("twist", [(rig, twist)], [5, 9, 15])
    scene.truth["joints"] = ["root", "mid", "tip"]
    scene.export()


def shapes(scene):
    """Shape keys with an armature and an action of their own; CTC and glTF hold them."""
    rig, body = add_armature("rig", COLUMN), tube("body")
    bind(body, rig, column_weights)
    body.shape_key_add(name="Basis", from_mix=False)
    for name, factor in (("fat", 1.6), ("thin", 0.5)):
        key = body.shape_key_add(name=name, from_mix=False)
        for i, vertex in enumerate(body.data.vertices):
            key.data[i].co = (vertex.co.x * factor, vertex.co.y * factor, vertex.co.z)
    keys = body.data.shape_keys
    swell = action(keys, "swell", [('key_blocks["fat"].value', 0, 0.0), ('key_blocks["fat"].value', 10, 1.0),
                                   ('key_blocks["thin"].value', 0, 0.0), ('key_blocks["thin"].value', 10, 0.5)])
    keys.animation_data.action = None
    for block in keys.key_blocks:
        block.value = 0
    scene.rest()
    scene.clip("swell", [(keys, swell)], [0, 4, 10])
    keys.animation_data.action = None
    for block in keys.key_blocks:
        block.value = 0
    scene.export(("glb", "gltf", "sgm", "ctc"))


def modifiers(scene):
    """A stack of modifiers, an object beside it that has none, and a mirrored one."""
    one = box("stack")
    one.modifiers.new("Subdivision", "SUBSURF").levels = 1
    array = one.modifiers.new("Array", "ARRAY")
    array.count, array.relative_offset_displace = 3, (1.2, 0, 0.1)
    two = box("plain", 0.7)
    two.location = (0, 3, 0)
    two.modifiers.new("Mirror", "MIRROR").use_axis = (False, False, True)
    bpy.context.view_layer.update()
    scene.rest()
    scene.export()


def materials(scene):
    """Several materials, unused slots, n-gons, no material at all, no uvs, two uv maps, colours of points and corners."""
    red, blue, unused = (bpy.data.materials.new(name) for name in ("red", "blue", "unused"))
    red.use_nodes = True
    red.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (1, 0.2, 0.1, 1)
    blue.diffuse_color = (0.1, 0.2, 1, 1)
    block = box("block", 1, red)
    block.data.materials.append(unused)
    block.data.materials.append(blue)
    block.data.polygons[1].material_index = block.data.polygons[3].material_index = 2
    for number in range(2):
        layer = block.data.uv_layers.new(name=f"uv{number}")
        for i, item in enumerate(layer.data):
            item.uv = ((i % 4) * 0.25, (i // 4) * 0.1 + number * 0.01)
    corner = block.data.color_attributes.new("corner", "BYTE_COLOR", "CORNER")
    for i, item in enumerate(corner.data):
        item.color = ((i % 3) / 2, 0.5, 1, 1)
    sides = 7
    ngon = add_mesh("ngon", [(math.cos(2 * math.pi * k / sides), math.sin(2 * math.pi * k / sides), 2) for k in range(sides)],
                    [tuple(range(sides))])
    point = ngon.data.color_attributes.new("point", "FLOAT_COLOR", "POINT")
    for i, item in enumerate(point.data):
        item.color = (0.1 * i, 0.25, 0.75, 1)
    add_mesh("empty", [], [])
    add_mesh("edges", [(5, 5, 5), (6, 6, 6)], [])
    scene.rest()
    scene.truth["expect"] = {"meshes": 3, "colors": [[list(c.color) for c in point.data]]}
    scene.export()


def hierarchy(scene):
    """Parents, negative and uneven scale, a parent that is a bone, instances of a collection, linked duplicates, a curve, umlauts."""
    top = box("oben_Ü", 1.0)
    top.location, top.rotation_euler, top.scale = (1, 0, 0), (0.3, 0.2, 0.1), (1, 2, 1)
    child = box("child", 0.5)
    child.parent, child.location, child.scale = top, (0, 0, 2), (-1, 1, 1)
    twin = bpy.data.objects.new("twin", child.data)
    bpy.context.scene.collection.objects.link(twin)
    twin.location, twin.rotation_euler = (-3, 0, 1), (0, 1, 0)
    flipped = tube("flipped", 3, 5, 1.0)
    flipped.location, flipped.scale = (4, 4, 0), (1, 1, -1)
    hidden_away = bpy.data.collections.new("parts")
    part = box("part", 0.3)
    bpy.context.scene.collection.objects.unlink(part)
    hidden_away.objects.link(part)
    part.location = (0.1, 0.2, 0.3)
    for i in range(3):
        empty = bpy.data.objects.new(f"instance{i}", None)
        empty.instance_type, empty.instance_collection = "COLLECTION", hidden_away
        empty.location, empty.scale = (i, -4, 0), (1 + i, 1, -1 if i == 2 else 1)
        bpy.context.scene.collection.objects.link(empty)
    curve = bpy.data.curves.new("curve", "CURVE")
    curve.dimensions, curve.bevel_depth, curve.bevel_resolution = "3D", 0.1, 1
    spline = curve.splines.new("POLY")
    spline.points.add(2)
    for point, co in zip(spline.points, ((0, 6, 0, 1), (1, 6, 1, 1), (2, 7, 1, 1))):
        point.co = co
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("curve", curve))
    bpy.context.view_layer.update()
    scene.rest()
    scene.export()


def carried(scene):
    """Objects that a bone carries, weights that are not normalised, stray groups, vertices without weight, two armatures."""
    rig, body = add_armature("rig", COLUMN), tube("body")
    bind(body, rig, lambda name, co: 0.4 * column_weights(name, co) if co.z < 3.9 else 0)
    body.vertex_groups.new(name="nobody").add(list(range(10)), 0.7, "REPLACE")
    hat = box("hat", 0.4)
    hat.parent, hat.parent_type, hat.parent_bone = rig, "BONE", "tip"
    hat.location, hat.rotation_euler = (0.1, 0.2, 0.3), (0.5, 0, 0)
    other, limb = add_armature("other", [("arm", (3, 0, 0), (3, 0, 4), 0.3, "")]), tube("limb")
    limb.location = (3, 0, 0)
    bind(limb, other, lambda name, co: 1)
    wave = action(rig, "wave", [('pose.bones["mid"].rotation_quaternion', 0, (1, 0, 0, 0)), ('pose.bones["mid"].rotation_quaternion', 8, (0.9, 0.3, 0.2, 0.1))])
    swing = action(other, "swing", [('pose.bones["arm"].location', 0, (0, 0, 0)), ('pose.bones["arm"].location', 6, (0, 0.5, 0.2))])
    scene.rest()
    scene.clip("wave", [(rig, wave)], [0, 3, 8])
    scene.clip("swing", [(other, swing)], [0, 6])
    scene.export(("sgm", "glb"))


def moving(scene):
    """Objects that move by themselves, at another rate, from frame 10 on; constant keys."""
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 30, 1.001
    bpy.context.scene.frame_start = 10
    parent, child = box("parent"), box("child", 0.5)
    child.parent, child.location = parent, (0, 0, 1)
    slide = action(parent, "slide", [("location", 10, (0, 0, 0)), ("location", 40, (3, 1, 0)),
                                     ("rotation_euler", 10, (0, 0, 0)), ("rotation_euler", 40, (0, 0, 2))])
    jump = action(child, "jump", [("location", 10, (0, 0, 1)), ("location", 20, (0, 0, 2)), ("location", 25, (0, 1, 2))])
    for curve in jump.fcurves:
        for key in curve.keyframe_points:
            key.interpolation = "CONSTANT"
    bpy.context.scene.frame_set(10)
    scene.rest()
    scene.clip("slide", [(parent, slide), (child, None)], [10, 25, 40])
    scene.clip("jump", [(child, jump), (parent, None)], [10, 15, 20, 25])
    bpy.context.scene.frame_set(10)
    scene.export(("glb", "gltf"))


def strips(scene):
    """A strip that repeats its action at half speed is a clip of its own; a strip that shows it as it is, is not."""
    rig, body = add_armature("rig", COLUMN), tube("body")
    bind(body, rig, column_weights)
    nod = action(rig, "nod", [('pose.bones["tip"].rotation_quaternion', 2, (1, 0, 0, 0)), ('pose.bones["tip"].rotation_quaternion', 10, (0.8, 0.6, 0, 0))])
    rig.animation_data.action = None
    plain = rig.animation_data.nla_tracks.new()
    plain.strips.new("nod", 2, nod)
    slow = rig.animation_data.nla_tracks.new().strips.new("slow nod", 40, nod)
    slow.scale, slow.repeat, slow.name = 2, 2, "slow nod"
    nod.use_fake_user = True
    scene.rest()
    scene.clip("nod", [(rig, nod)], [2, 6, 10])
    # The strip shows the action at half speed: its frame 2 + t is seen after 2 t, and again 16 frames later
    scene.clip("slow nod", [(rig, nod)], [2, 6, 9], speed=2.0)
    scene.truth["expect"] = {"clips": ["nod", "slow nod"], "durations": {"nod": 8 / 24, "slow nod": 32 / 24}}
    rig.animation_data.action = None
    scene.export(("sgm", "glb"))


def helped(scene):
    """A constraint and a driver move what no key moves."""
    rig, body = add_armature("rig", COLUMN), tube("body")
    bind(body, rig, column_weights)
    copy = rig.pose.bones["tip"].constraints.new("COPY_ROTATION")
    copy.target, copy.subtarget, copy.owner_space, copy.target_space = rig, "mid", "LOCAL", "LOCAL"
    rig.pose.bones["root"].rotation_mode = "XYZ"
    driver = rig.driver_add('pose.bones["root"].rotation_euler', 2).driver
    driver.expression = "0"
    variable = driver.variables.new()
    variable.name, variable.targets[0].id, variable.targets[0].data_path = "z", rig, 'pose.bones["mid"].location[1]'
    driver.expression = "z"
    turn = action(rig, "turn", [('pose.bones["mid"].rotation_quaternion', 1, (1, 0, 0, 0)), ('pose.bones["mid"].rotation_quaternion', 9, (0.7, 0.5, 0.4, 0)),
                                ('pose.bones["mid"].location', 1, (0, 0, 0)), ('pose.bones["mid"].location', 9, (0, 0.6, 0))])
    scene.rest()
    scene.clip("turn", [(rig, turn)], [1, 4, 9])
    scene.export(("sgm", "glb"))


def mirrored(scene):
    """A mirrored armature and a mesh that is mirrored in it; names that need care; the export from pose mode."""
    rig, body = add_armature("Gerüst", COLUMN), tube("Körper 1")
    rig.scale, rig.rotation_euler = (-1, 1, 1), (0.2, 0.3, 0.4)
    body.parent, body.location, body.scale = rig, (0.1, 0.2, 0.3), (1, 1, -1)
    bind(body, rig, column_weights)
    turn = action(rig, "Läufer", [('pose.bones["mid"].rotation_quaternion', 3, (1, 0, 0, 0)),
                                  ('pose.bones["mid"].rotation_quaternion', 9, (0.8, 0.4, 0.3, 0.1))])
    turn.fcurves.new('pose.bones["nobody"].location', index=0).keyframe_points.insert(50, 1)
    scene.rest()
    scene.clip("Läufer", [(rig, turn)], [3, 6, 9])
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")
    scene.truth["expect"]["before"] = bpy.context.mode
    scene.export(("sgm", "glb"))
    scene.truth["expect"]["after"] = bpy.context.mode
    bpy.ops.object.mode_set(mode="OBJECT")
    scene.export(("sgm", "glb"))


def vanishing(scene):
    """A clip of one key; bones that are scaled to nothing with a turn below; joined, with something that a bone carries."""
    rig, body = add_armature("rig", COLUMN), tube("body")
    bind(body, rig, column_weights)
    hat = box("hat", 0.4)
    hat.parent, hat.parent_type, hat.parent_bone = rig, "BONE", "tip"
    hide = action(rig, "hide", [('pose.bones["mid"].scale', 0, (1, 1, 1)), ('pose.bones["mid"].scale', 5, (0, 0, 0)),
                                ('pose.bones["tip"].rotation_quaternion', 0, (1, 0, 0, 0)),
                                ('pose.bones["tip"].rotation_quaternion', 5, (0.8, 0.6, 0, 0))])
    stand = action(rig, "stand", [('pose.bones["root"].rotation_quaternion', 7, (0.9, 0, 0.4, 0))])
    for bone in rig.pose.bones:
        bone.matrix_basis = mathutils.Matrix()
    scene.rest()
    scene.clip("hide", [(rig, hide)], [0, 3, 5])
    scene.clip("stand", [(rig, stand)], [7])
    scene.options = {"objects": "JOIN"}
    scene.export(("sgm", "glb"))


def swollen(scene):
    """A way to deform that files do not have: the proof must find it."""
    rig, body = add_armature("rig", COLUMN), tube("body")
    bind(body, rig, column_weights)
    body.modifiers[0].use_deform_preserve_volume = True
    action(rig, "twist", [('pose.bones["mid"].rotation_quaternion', 0, (1, 0, 0, 0)), ('pose.bones["mid"].rotation_quaternion', 6, (0.2, 0, 0.98, 0))])
    scene.rest()
    scene.export(("sgm",))


for make in (swollen, mirrored, vanishing, rolled, shapes, modifiers, materials, hierarchy, carried, moving, strips, helped):
    if not WANTED or make.__name__ in WANTED:
        make(Scene(make.__name__))
