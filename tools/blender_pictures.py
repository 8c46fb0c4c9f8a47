"""The pictures of docs/blender.md: blender --background --python tools/blender_pictures.py -- STELE FOLDER

The add-on must be installed. Blender's workbench draws on the left what `stele render` draws on the right."""
import math
import os
import subprocess
import sys
import tempfile

import bpy
import mathutils
import numpy as np

STELE, FOLDER = sys.argv[sys.argv.index("--") + 1:][:2]
SCRIBE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "samples", "scribe.sgm")
SIZE, YAW, PITCH = 260, -28, 12  # degrees, as `stele render --camera` counts them
work = tempfile.mkdtemp()


def start():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.preferences.addon_enable(module="io_stele")
    bpy.ops.import_scene.stele(filepath=SCRIBE)


def show(clip, frame):
    rig = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    rig.animation_data.action = bpy.data.actions[clip]
    bpy.context.scene.frame_set(frame)


def workbench(name):
    scene = bpy.context.scene
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.display.shading.color_type, scene.display.shading.light = "TEXTURE", "STUDIO"
    scene.render.resolution_x = scene.render.resolution_y = SIZE
    scene.view_settings.view_transform = "Standard"
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.lens = 60
    scene.collection.objects.link(camera)
    middle, yaw, pitch = mathutils.Vector((0, -0.05, 0.64)), math.radians(YAW), math.radians(PITCH)
    camera.location = middle + 2.5 * mathutils.Vector((-math.sin(yaw) * math.cos(pitch), -math.cos(yaw) * math.cos(pitch), math.sin(pitch)))
    camera.rotation_euler = (middle - camera.location).to_track_quat("-Z", "Y").to_euler()
    scene.camera = camera
    world = bpy.data.worlds.new("world")
    world.color = (0.9, 0.9, 0.9)
    scene.world = world
    scene.render.filepath = os.path.join(work, name + ".png")
    bpy.ops.render.render(write_still=True)
    bpy.data.objects.remove(camera)
    return scene.render.filepath


def stele(path, name, *more):
    target = os.path.join(work, name + ".png")
    subprocess.run([STELE, "render", "-f", path, "-o", target, "--size", f"{SIZE}x{SIZE}", "--camera", f"{YAW},{PITCH}",
                    "--background", "#f3f3f3", *more], check=True)
    return target


def pixels(path):
    image = bpy.data.images.load(path)
    rows = np.array(image.pixels[:], np.float32).reshape(image.size[1], image.size[0], 4)
    bpy.data.images.remove(image)
    return rows


def beside(name, *paths):
    rows = np.hstack([pixels(path) for path in paths])
    rows[..., 3] = 1
    image = bpy.data.images.new(name, rows.shape[1], rows.shape[0])
    image.pixels = rows.ravel()
    settings = bpy.context.scene.render.image_settings
    settings.file_format, settings.color_mode, settings.compression = "PNG", "RGB", 100
    image.save_render(os.path.join(FOLDER, name + ".png"))


def imported():
    start()
    show("walk", 6)
    left = workbench("walk")
    beside("imported", left, stele(SCRIBE, "walk_stele", "--clip", "walk", "--time", str(6 / 24)))


def changed():
    """The head cloth grows and the tablet becomes red: one mesh and one material of three are new."""
    start()
    show("write", 10)
    before = workbench("before")
    tablet = max((o for o in bpy.data.objects if o.type == "MESH"), key=lambda o: o["stele.index"])
    body = min((o for o in bpy.data.objects if o.type == "MESH"), key=lambda o: o["stele.index"])
    rows = np.empty(3 * len(body.data.vertices), np.float32)
    body.data.vertices.foreach_get("co", rows)
    rows = rows.reshape(-1, 3)
    high = np.clip((rows[:, 2] - 0.86) / 0.2, 0, 1)[:, None]
    middle = np.array([0, 0.0, 0.86], np.float32)
    body.data.vertices.foreach_set("co", (rows + high * (rows - middle) * (0.25, 0.25, 0.45)).astype(np.float32).ravel())
    body.data.update()
    after = workbench("after")
    target = os.path.join(work, "scribe.sgm")
    bpy.ops.export_scene.stele(filepath=target, textures="COPY")
    beside("changed", before, after, stele(target, "changed_stele", "--clip", "write", "--time", str(10 / 24)))


os.makedirs(FOLDER, exist_ok=True)
imported()
changed()
