#!/usr/bin/env python3
"""glTF files that Stele did not write, made here by other programs: what they show must be the same after Stele has read them
and written them again, by an evaluation that shares no code with the library. A program that is not there is said and skipped."""
import json
import math
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from gltf_oracle import Gltf

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
BUILD = Path(os.environ.get("STELE_BUILD", ROOT / "build"))
STELE = os.environ.get("STELE", str(BUILD / "stele"))
FRACTIONS = (0.0, 0.2, 0.37, 0.5, 0.9, 1.0)
TOLERANCE = 1e-5  # of the box


def run(*command, **more):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)
    if done.returncode:
        raise AssertionError(f"{command[0]}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def poses(g):
    yield None, 0.0
    for clip in range(len(g.clips)):
        for fraction in FRACTIONS:
            yield clip, fraction * g.duration(clip)


def distance(a, b):
    return max((abs(x - y) for p, q in zip(a, b) for x, y in zip(p, q)), default=0.0)


def factor(g, node, primitive):
    material = g.primitive(node, primitive).get("material")
    pbr = {} if material is None else g.json["materials"][material].get("pbrMetallicRoughness", {})
    return pbr.get("baseColorFactor", [1, 1, 1, 1]), pbr.get("metallicFactor", 1), pbr.get("roughnessFactor", 1)


class Foreign(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def compare_attributes(self, a, b, here, there):
        p, q = a.primitive(*here), b.primitive(*there)
        for name in p["attributes"]:
            if name.startswith(("TEXCOORD", "COLOR")):
                rows, others = a.accessor(p["attributes"][name]), b.accessor(q["attributes"][name])
                self.assertLess(distance(rows, others), 1e-6, name)
        self.assertEqual([round(x, 5) for part in factor(a, *here) for x in (part if isinstance(part, list) else [part])],
                         [round(x, 5) for part in factor(b, *there) for x in (part if isinstance(part, list) else [part])])

    def compare(self, path):
        """Both files show the same at every pose; returns how many positions were compared."""
        after = self.folder / ("after_" + path.stem + path.suffix[1:] + ".glb")
        run(STELE, "convert", "-q", "-f", path, after)
        a, b = Gltf(path), Gltf(after)
        compared = 0
        self.assertEqual(len(a.drawn()), len(b.drawn()), path.name)
        self.assertEqual(a.clips, b.clips)
        for clip, time in poses(a):
            low, high = a.bounds(clip, time)
            size = math.dist(low, high)
            for here, there in zip(a.drawn(), b.drawn()):
                where = f"{path.name}, clip {clip} at {time}, {here}"
                p, q = a.positions(*here, clip, time), b.positions(*there, clip, time)
                self.assertEqual(len(p), len(q), where)
                self.assertLess(distance(p, q), TOLERANCE * size, where)
                n, m = a.normals(*here, clip, time), b.normals(*there, clip, time)
                self.assertEqual(n is None, m is None, where)
                if n:
                    self.assertLess(distance(n, m), 2e-3, where)
                compared += len(p)
        for here, there in zip(a.drawn(), b.drawn()):
            mode = a.primitive(*here).get("mode", 4)
            if mode >= 4:
                self.assertEqual(list(a.triangles(*here)), list(b.triangles(*there)), path.name)
            self.compare_attributes(a, b, here, there)
        return compared

    def compare_all(self, least):
        files = sorted([*self.folder.glob("*.glb"), *self.folder.glob("*.gltf")])
        files = [f for f in files if not f.name.startswith("after_")]
        self.assertGreaterEqual(len(files), least)
        findings = {}
        for path in files:
            report = json.loads(run(STELE, "check", "--json", path))
            for d in report.get("diagnostics", report.get("files", [{}])[0].get("diagnostics", [])):
                self.assertNotEqual(d["severity"], "error", f"{path.name}: {d}")
                findings[d["id"]] = findings.get(d["id"], 0) + 1
        compared = sum(self.compare(path) for path in files)
        print(f"# {len(files)} files, {compared} positions compared; findings: {findings or 'none'}")

    @unittest.skipUnless(shutil.which("assimp"), "there is no assimp")
    def test_assimp(self):
        run(STELE, "convert", "-q", ROOT / "samples/scribe.sgm", self.folder / "scribe.obj")
        for ending, kind in (("glb", "glb2"), ("gltf", "gltf2")):
            run("assimp", "export", self.folder / "scribe.obj", self.folder / f"static.{ending}", f"-f{kind}")
        # and one with a skin and clips
        run(STELE, "convert", "-q", ROOT / "samples/scribe.sgm", self.folder / "after_scribe.glb")
        for ending, kind in (("glb", "glb2"), ("gltf", "gltf2")):
            run("assimp", "export", self.folder / "after_scribe.glb", self.folder / f"skinned.{ending}", f"-f{kind}")
        self.compare_all(4)

    @unittest.skipUnless(shutil.which("node"), "there is no node")
    @unittest.skipUnless((TESTS / "npm/node_modules/three").exists(), "three.js is not in tests/npm/node_modules")
    def test_three(self):
        run("node", TESTS / "three_export.mjs", self.folder)
        self.assertEqual(Gltf(self.folder / "worm.glb").clips, ["wave", "grow"])
        self.compare_all(6)
        after = Gltf(self.folder / "after_scenegltf.glb")
        extras = next(n["extras"] for n in after.nodes if n.get("name") == "parent")
        self.assertEqual(extras, {"team": "red", "lives": 3, "path": [1, 2.5], "deep": {"x": [True, None]}})
        targets = Gltf(self.folder / "after_wormglb.glb").meshes[0]["extras"]["targetNames"]
        self.assertEqual(targets, ["wide", "tall"])

    @unittest.skipUnless(shutil.which("blender"), "there is no blender")
    def test_blender(self):
        # Blender's Python looks for its modules beside the first python in PATH, which must be the system's
        run(shutil.which("blender"), "--background", "--python-exit-code", "1", "--python", TESTS / "blender_export.py", "--",
            self.folder, env={**os.environ, "PATH": os.defpath})
        self.assertTrue(Gltf(self.folder / "arm.glb").clips)
        self.compare_all(9)
        images = {name: Gltf(self.folder / name) for name in ("shapes.glb", "after_shapesglb.glb", "after_shapes_embeddedgltf.glb")}
        pixels = {name: bytes(g.view_bytes(g.json["images"][0]["bufferView"])) for name, g in images.items()}
        self.assertEqual(len(set(pixels.values())), 1)


if __name__ == "__main__":
    unittest.main()
