"""In Blender: imports files and exports them again, untouched and with every record touched.

blender --background --python blender_roundtrip.py -- JOBS RESULTS: JOBS is a JSON list of {"file", "untouched", "nudged", "touched"}, paths;
RESULTS gets what happened to each."""
import json
import sys
import time
import traceback

import bpy

JOBS, RESULTS = sys.argv[sys.argv.index("--") + 1:][:2]
MARKED = ("objects", "armatures", "actions", "materials")


def findings():
    return [[f.severity, f.identifier, f.text] for f in bpy.context.window_manager.stele_report.findings]


def forget():
    """Nothing knows any more whether it was changed."""
    for kind in MARKED:
        for item in getattr(bpy.data, kind):
            if "stele.print" in item:
                del item["stele.print"]


def nudge(path):
    """Moves a vertex of the mesh in the middle, exports and puts it back; gives the mesh's number."""
    meshes = [o for o in bpy.data.objects if o.type == "MESH" and len(o.data.vertices)]
    obj = meshes[len(meshes) // 2]
    before = obj.data.vertices[0].co.x
    obj.data.vertices[0].co.x += 0.01 * max(obj.dimensions)
    bpy.ops.export_scene.stele(filepath=path, prove=False)
    obj.data.vertices[0].co.x = before
    return obj["stele.index"]


def attempt(job):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.preferences.addon_enable(module="io_stele")
    done = {"file": job["file"]}
    start = time.time()
    try:
        bpy.ops.import_scene.stele(filepath=job["file"])
        done["imported"], done["import_findings"] = time.time() - start, findings()
        done["objects"], done["actions"] = len(bpy.data.objects), len(bpy.data.actions)
        if job.get("untouched"):
            bpy.ops.export_scene.stele(filepath=job["untouched"], prove=job.get("prove", False))
        if job.get("nudged"):
            done["nudged"] = nudge(job["nudged"])
        if job.get("touched"):
            forget()
            start = time.time()
            bpy.ops.export_scene.stele(filepath=job["touched"], prove=job.get("prove", False))
            done["exported"], done["export_findings"] = time.time() - start, findings()
    except Exception as error:
        done["error"] = str(error) or repr(error)
        done["trace"] = traceback.format_exc()
    return done


results = [attempt(job) for job in json.load(open(JOBS))]
json.dump(results, open(RESULTS, "w"))
