#!/usr/bin/env python3
"""stele optimize, by readers that share no code with it: files before and after draw the same triangles, with all that their
corners have, and move as before. What meshoptimizer measures is what we say, and gltfpack does no better."""
import ctypes
import ctypes.util
import json
import os
import struct
import subprocess
import tempfile
import unittest
from collections import Counter
from pathlib import Path

import rayne_oracle
from corpus import real_files
from gltf_oracle import Gltf

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("STELE_BUILD", ROOT / "build"))
STELE = os.environ.get("STELE", str(BUILD / "stele"))
SAMPLES = sorted((ROOT / "samples").rglob("*.*"))


def stele(*arguments, code=0):
    done = subprocess.run([STELE, *map(str, arguments)], capture_output=True, text=True)
    if code is not None and done.returncode != code:
        raise AssertionError(f"{arguments}: {done.returncode}: {done.stderr}")
    return done


def report(*arguments):
    return json.loads(stele("optimize", "--json", *arguments).stdout)


def area(triangle):
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = triangle
    e, f = (bx - ax, by - ay, bz - az), (cx - ax, cy - ay, cz - az)
    return any((e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]))


def turned(corners):
    """The same triangle, beginning with its least corner."""
    least = corners.index(min(corners))
    return tuple(corners[least:] + corners[:least])


def triangles_of(glb):
    """For each primitive: how often each triangle is there, as the numbers of its corners."""
    found = []
    for mesh in glb.meshes:
        for p in mesh["primitives"]:
            if p.get("mode", 4) != 4:
                continue
            names = sorted(p["attributes"])
            views = [glb.accessor(p["attributes"][name]) for name in names]
            for target in p.get("targets", []):
                views += [glb.accessor(target[name]) for name in sorted(target)]
            count = len(views[0])
            indices = list(map(int, glb.accessor(p["indices"]))) if "indices" in p else range(count)
            rows = [tuple(tuple(float(x) + 0.0 for x in view[v]) for view in views) for v in range(count)]
            places = glb.accessor(p["attributes"]["POSITION"])
            counted = Counter()
            for i in range(0, len(indices) // 3 * 3, 3):
                corner = indices[i:i + 3]
                if area([tuple(map(float, places[v])) for v in corner]):
                    counted[turned([rows[v] for v in corner])] += 1
            found.append((p.get("material"), counted))
    return found


GROUPED = """g alone
v 0 0 0
v 1 0 0
v 0 1 0
f 1 2 3
o box
f 1 3 2
g lid
f 2 3 1
l 1 2
g hinge
f 3 2 1
o box two
g lid
f 3 1 2
"""


class Groups(unittest.TestCase):
    def test_objects_and_groups_of_obj_stay(self):
        """Optimised, and by way of a GLB."""
        with tempfile.TemporaryDirectory() as folder:
            source, glb, target = (Path(folder, name) for name in ("a.obj", "a.glb", "b.obj"))
            source.write_text(GROUPED)
            for steps in ([["optimize", source, target]], [["convert", source, glb], ["convert", "-f", glb, target]]):
                for step in steps:
                    stele(*step)
                lines = [line for line in target.read_text().splitlines() if line[0] in "og"]
                self.assertEqual(lines, ["g alone", "o box", "g lid", "g hinge", "o box two", "g lid"], steps)
            told = json.loads(stele("info", "--json", target).stdout)
            self.assertEqual([m["triangles"] for m in told["meshes"]], [1, 1, 1, 0, 1, 1])


class SameTriangles(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.at = Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)

    def optimized(self, path):
        out = self.at / "out" / path.name
        out.parent.mkdir(exist_ok=True)
        stele("optimize", "-f", "-q", path, out)
        return out

    def as_glb(self, path, name):
        out = self.at / name
        stele("convert", "-f", "-q", path, out)
        return Gltf(out)

    def check(self, path):
        """In its own format, and as GLB."""
        before = self.as_glb(path, "before.glb")
        after = self.as_glb(self.optimized(path), "after.glb")
        self.assertEqual(triangles_of(before), triangles_of(after), path)
        self.assertEqual([a.get("name") for a in before.animations], [a.get("name") for a in after.animations])
        if path.suffix != ".obj":  # which has a group of its own for what is no triangle
            self.assertEqual([n.get("name") for n in before.nodes], [n.get("name") for n in after.nodes])
        self.assertEqual([s["joints"] for s in before.skins], [s["joints"] for s in after.skins])
        self.assertEqual(before.json.get("materials"), after.json.get("materials"))
        self.assertEqual(before.json.get("extras"), after.json.get("extras"))
        self.move(before, after, path)

    def move(self, before, after, path):
        """Nodes are where they were, at times between the keys too."""
        size = max((high - low for low, high in zip(*before.bounds())), default=1) or 1
        for clip in range(len(before.animations)):
            length = before.duration(clip)
            self.assertAlmostEqual(after.duration(clip), length, delta=1e-4 + 1e-3 * length)
            for i in range(5):
                for a, b in zip(before.world(clip, length * i / 4.1), after.world(clip, length * i / 4.1)):
                    for x, y in zip(flat(a), flat(b)):
                        self.assertAlmostEqual(x, y, delta=1e-3 * max(size, 1), msg=path)

    def test_samples_of_all_formats(self):
        done = 0
        for path in SAMPLES:
            if path.suffix not in (".sgm", ".twm", ".mesh", ".sff", ".ctc", ".glb", ".gltf", ".obj"):
                continue
            if stele("convert", "-f", "-q", path, self.at / "probe.glb", code=None).returncode:
                continue
            with self.subTest(path.name):
                self.check(path)
                done += 1
        self.assertGreater(done, 10)

    def test_real_files(self):
        files = real_files(".sgm", ".twm", ".mesh", ".ctc", ".glb", ".obj")
        if not files:
            self.skipTest("there is no corpus")
        small = [path for path in files if path.stat().st_size < 60000][::3]
        for path in small:
            with self.subTest(path.name):
                if stele("convert", "-f", "-q", path, self.at / "probe.glb", code=None).returncode == 0:
                    self.check(path)

    def test_sgm_by_its_own_reader(self):
        """No detour by glTF: the vertices of the .sgm itself, and the keys of its .sga."""
        path = ROOT / "samples/scribe.sgm"
        out = self.optimized(path)
        before, after = (rayne_oracle.read_sgm(p.read_bytes(), "v3") for p in (path, out))
        before, after = (m[0] if isinstance(m, tuple) else m for m in (before, after))
        self.assertEqual(len(before.meshes), len(after.meshes))
        for a, b in zip(before.meshes, after.meshes):
            self.assertEqual(a.columns(), b.columns())
            self.assertEqual(corners_of(a), corners_of(b))
            self.assertLessEqual(b.vertex_count, a.vertex_count)


def corners_of(mesh):
    size = 4 * mesh.stride()
    rows = [struct.unpack(f"<{size // 4}f", mesh.raw[i:i + size]) for i in range(0, len(mesh.raw), size)]
    rows = [tuple(x + 0.0 for x in row) for row in rows]
    found = Counter()
    for i in range(0, len(mesh.indices), 3):
        corner = [rows[v] for v in mesh.indices[i:i + 3]]
        if area([c[:3] for c in corner]):
            found[turned(corner)] += 1
    return found


def flat(matrix):
    return [x for row in matrix for x in (row if hasattr(row, "__iter__") else [row])]


class VertexCacheStatistics(ctypes.Structure):
    _fields_ = [("transformed", ctypes.c_uint), ("warps", ctypes.c_uint), ("acmr", ctypes.c_float), ("atvr", ctypes.c_float)]


class VertexFetchStatistics(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_uint), ("overfetch", ctypes.c_float)]


class Measures(unittest.TestCase):
    """What we print is what meshoptimizer's analyzers say of the same triangles."""

    def setUp(self):
        name = ctypes.util.find_library("meshoptimizer")
        if not name:
            self.skipTest("there is no libmeshoptimizer")
        self.library = ctypes.CDLL(name)
        self.library.meshopt_analyzeVertexCache.restype = VertexCacheStatistics
        self.library.meshopt_analyzeVertexFetch.restype = VertexFetchStatistics

    def test_one_mesh(self):
        with tempfile.TemporaryDirectory() as folder:
            glb = Path(folder) / "a.glb"
            stele("convert", "-q", ROOT / "samples/scribe.sgm", glb)
            said = report("--dry-run", glb)["before"]
            read = Gltf(glb)
            transformed = triangles = used = fetched = needed = 0
            for mesh in read.meshes:
                for p in mesh["primitives"]:
                    indices = list(map(int, read.accessor(p["indices"])))
                    count = read.json["accessors"][p["attributes"]["POSITION"]]["count"]
                    stride = sum(size_of(read.json["accessors"][a]) for a in p["attributes"].values())
                    array = (ctypes.c_uint * len(indices))(*indices)
                    args = (array, ctypes.c_size_t(len(indices)), ctypes.c_size_t(count))
                    cache = self.library.meshopt_analyzeVertexCache(*args, 16, 0, 0)
                    fetch = self.library.meshopt_analyzeVertexFetch(*args, ctypes.c_size_t(stride))
                    transformed += cache.transformed
                    fetched += fetch.bytes
                    triangles += len(indices) // 3
                    used += len(set(indices))
                    needed += len(set(indices)) * stride
            self.assertEqual(said["triangles"], triangles)
            self.assertAlmostEqual(said["acmr"], transformed / triangles, places=9)
            self.assertAlmostEqual(said["atvr"], transformed / used, places=9)
            self.assertAlmostEqual(said["overfetch"], fetched / needed, places=9)


def size_of(accessor):
    components = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[accessor["type"]]
    return components * {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}[accessor["componentType"]]


def odd_weights(path):
    """Weights that no whole numbers are, written into the GLB itself. The number of the mesh."""
    g = Gltf(path)
    data = bytearray(path.read_bytes())
    start = data.index(g.bin)
    for number, mesh in enumerate(g.meshes):
        at = mesh["primitives"][0]["attributes"].get("WEIGHTS_0")
        accessor = at is not None and g.json["accessors"][at]
        if not accessor or accessor["componentType"] != 5126:
            continue
        view = g.json["bufferViews"][accessor["bufferView"]]
        for i in range(accessor["count"]):
            offset = start + view.get("byteOffset", 0) + accessor.get("byteOffset", 0) + i * view.get("byteStride", 16)
            struct.pack_into("<4f", data, offset, 0.41, 0.33, 0.26, 0)
        path.write_bytes(data)
        return number
    raise AssertionError("no skin with floats")


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.at = Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)
        self.scribe = ROOT / "samples/scribe.sgm"

    def test_dry_run_writes_nothing(self):
        before = sorted(self.scribe.parent.iterdir())
        told = report("--dry-run", self.scribe)
        self.assertEqual(sorted(self.scribe.parent.iterdir()), before)
        self.assertIsNone(told["output"])
        done = report(self.scribe, self.at / "scribe.sgm")
        self.assertEqual(done["after"], told["after"])
        written = sum(path.stat().st_size for path in self.at.iterdir())
        self.assertEqual(done["after"]["bytes"], written)
        self.assertEqual(done["before"]["bytes"],
                         self.scribe.stat().st_size + self.scribe.with_suffix(".sga").stat().st_size)
        self.assertLess(done["after"]["acmr"], done["before"]["acmr"])
        self.assertLessEqual(max(done["errors"].values()), 1e-3)

    def test_a_second_time_nothing_is_gained(self):
        first = report(self.scribe, self.at / "a.sgm")
        again = report(self.at / "a.sgm", self.at / "b.sgm")
        self.assertEqual(again["after"]["bytes"], first["after"]["bytes"])
        self.assertLessEqual(again["after"]["acmr"], first["after"]["acmr"])

    def test_what_cannot_be_better_is_copied(self):
        stele("convert", "-q", ROOT / "samples/scribe.sgm", self.at / "a.obj")
        stele("optimize", "-q", self.at / "a.obj", self.at / "b.glb")
        again = report(self.at / "b.glb", self.at / "c.glb")
        if not again["changed"]:
            self.assertEqual((self.at / "b.glb").read_bytes(), (self.at / "c.glb").read_bytes())

    def test_levels(self):
        told = report(self.scribe, self.at / "s.sgm", "--lod", "0.5,0.25", "--max-error", "0.05")
        names = sorted(p.name for p in self.at.iterdir())
        self.assertEqual(names, ["s.sga", "s.sgm", "s_lod1.sga", "s_lod1.sgm", "s_lod2.sga", "s_lod2.sgm"])
        counts = [told["after"]["triangles"]] + [lod["after"]["triangles"] for lod in told["lods"]]
        self.assertEqual(counts, sorted(counts, reverse=True))
        self.assertLess(counts[2], counts[0])
        for name in ("s_lod1.sgm", "s_lod2.sgm"):
            stele("check", self.at / name)

    def test_levels_of_standard_input(self):
        way = ["optimize", "-q", "--lod", "0.5,0.25"]
        with self.scribe.open("rb") as file:
            subprocess.run([STELE, *way, "--base-dir", self.scribe.parent, "-", self.at / "piped.glb"], stdin=file, check=True)
        stele(*way, self.scribe, self.at / "named.glb")
        for level in "", "_lod1", "_lod2":
            stele("diff", self.at / f"piped{level}.glb", self.at / f"named{level}.glb")

    def test_levels_share_the_memory(self):
        """What is enough for each of them is not enough for all."""
        enough = "3M"
        stele("optimize", "-q", "--simplify", "0.5", "--memory-limit", enough, self.scribe, self.at / "s.sgm")
        before = sorted(self.at.iterdir())
        refused = stele("optimize", "-q", "--lod", "0.9,0.8,0.7,0.6,0.5", "--memory-limit", enough, self.scribe, self.at / "l.sgm", code=3)
        self.assertEqual(refused.stderr.count("--memory-limit"), 1, refused.stderr)
        self.assertEqual(sorted(self.at.iterdir()), before)

    def test_beyond_the_limit_nothing_is_written(self):
        done = stele("optimize", self.scribe, self.at / "s.sgm", "--tolerance", "0.2", "--max-error", "1e-9", code=1)
        self.assertIn("differ", done.stderr)
        self.assertEqual(list(self.at.iterdir()), [])

    def test_manners(self):
        stele("optimize", self.scribe, self.at / "s.sgm")
        stele("optimize", self.scribe, self.at / "s.sgm", code=3)
        stele("optimize", "-f", self.scribe, self.at / "s.sgm")
        stele("optimize", "-r", ROOT / "samples/dialects", "--out-dir", self.at / "all", code=None)
        self.assertTrue(any((self.at / "all").rglob("*.twm")))
        for wrong in (["--simplify", "2"], ["--lod", "0.5,"], ["--max-error", "0"], ["--tolerance", "x"]):
            stele("optimize", self.scribe, self.at / "x.sgm", *wrong, code=2)
        piped = subprocess.run([STELE, "optimize", str(self.scribe), "-", "--to", "glb"], capture_output=True, check=True)
        self.assertEqual(piped.stdout[:4], b"glTF")

    def test_rounding_is_asked_for(self):
        """Weights of 8 bits have a sum of 1 again, and are no further off than that takes."""
        original, exact, rounded = (self.at / name for name in ("original.glb", "exact.glb", "rounded.glb"))
        stele("convert", "-q", self.scribe, original)
        mesh = odd_weights(original)
        stele("optimize", "-q", original, exact)
        told = report(original, rounded, "--round", "0.002")
        self.assertEqual(told["max_error"], 0.01)
        self.assertGreater(told["errors"]["weight"], 0)
        self.assertLess(told["errors"]["weight"], 0.006)
        for path, kind in ((exact, 5126), (rounded, 5121)):
            g = Gltf(path)
            at = g.meshes[mesh]["primitives"][0]["attributes"]["WEIGHTS_0"]
            self.assertEqual(g.json["accessors"][at]["componentType"], kind)
            for row in g.raw_accessor(at) if kind == 5121 else ():
                self.assertEqual(sum(row), 255)
        stele("optimize", original, self.at / "no.glb", "--round", "0.002", "--max-error", "1e-4", code=1)
        self.assertFalse((self.at / "no.glb").exists())

    def test_an_animation_goes_with_its_model(self):
        """A folder has both: the model is optimized with its animation, and nothing is in its way."""
        folder = self.at / "models"
        folder.mkdir()
        for name in ("scribe.sgm", "scribe.sga"):
            (folder / name).write_bytes((self.scribe.parent / name).read_bytes())
        stele("optimize", "-r", folder, "--out-dir", self.at / "out")
        self.assertEqual(sorted(p.name for p in (self.at / "out").iterdir()), ["scribe.sga", "scribe.sgm"])
        self.assertLess((self.at / "out/scribe.sgm").stat().st_size, self.scribe.stat().st_size)
        self.assertEqual(len(stele("optimize", "--dry-run", "--json", "-r", folder).stdout.splitlines()), 1)

    def test_the_same_bytes_with_any_number_of_threads(self):
        for jobs in ("1", "2"):
            stele("optimize", "-q", "-r", "-j", jobs, ROOT / "samples/dialects", "--out-dir", self.at / jobs, code=None)
        one, two = ({p.relative_to(self.at / n): p.read_bytes() for p in (self.at / n).rglob("*") if p.is_file()} for n in "12")
        self.assertEqual(one, two)


if __name__ == "__main__":
    unittest.main()
