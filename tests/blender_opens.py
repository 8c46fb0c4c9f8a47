"""Run in Blender: blender --background --python blender_opens.py -- FILE.blend... prints a line of JSON for each: the points of its
meshes as Blender shows them, with Y up, and how many triangles they have. Modifiers are left out."""
import json
import sys

import bpy

for path in sys.argv[sys.argv.index("--") + 1:]:
    bpy.ops.wm.open_mainfile(filepath=path, load_ui=False)
    points, triangles = [], 0
    for item in bpy.data.objects:
        if item.type != "MESH" or item.name not in bpy.context.scene.objects:
            continue
        item.data.calc_loop_triangles()
        triangles += len(item.data.loop_triangles)
        used = {v for t in item.data.loop_triangles for v in t.vertices}
        for i in sorted(used):
            x, y, z = item.matrix_world @ item.data.vertices[i].co
            points.append((x, z, -y))
    print("@" + json.dumps({"file": path, "triangles": triangles, "points": points}), flush=True)
