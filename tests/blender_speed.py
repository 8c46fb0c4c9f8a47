"""In Blender: how long a large model takes, beside Blender's own reading of it as glTF.
blender --background --python blender_speed.py -- IN GLB OUT RESULTS"""
import json
import os
import sys
import time

import bpy
import numpy

numpy.bool = bool  # Debian's Blender 3.4 is older than its numpy
source, glb, target, results = sys.argv[sys.argv.index("--") + 1:][:4]
seen = {}


def empty():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    for module in ("io_stele", "io_scene_gltf2"):
        bpy.ops.preferences.addon_enable(module=module)


def work():
    """Processor seconds of Blender and the command: what other programs do does not count."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def measure(name, operator, **options):
    start, before = time.time(), work()
    operator(**options)
    seen[name] = [time.time() - start, work() - before]


empty()
measure("glTF import", bpy.ops.import_scene.gltf, filepath=glb)
empty()
measure("import", bpy.ops.import_scene.stele, filepath=source)
seen["vertices"] = sum(len(o.data.vertices) for o in bpy.data.objects if o.type == "MESH")
measure("untouched", bpy.ops.export_scene.stele, filepath=target)
for obj in bpy.data.objects:
    if obj.type == "MESH":
        obj.data.vertices[0].co.x += 0.01
measure("export", bpy.ops.export_scene.stele, filepath=target)
measure("export without proof", bpy.ops.export_scene.stele, filepath=target, prove=False)
json.dump(seen, open(results, "w"))
