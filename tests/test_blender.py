#!/usr/bin/env python3
"""The add-on in Blender, headless: installed from its zip as a user would, used on the samples, on real files and on scenes made
by script, and judged from outside, by readers and formulas that share no code with it.

STELE names the command, STELE_CORPUS a folder of real files (default: ../shared/corpus); what is not there is said and skipped."""
import json
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import rayne_oracle as rayne
import test_skin_rayne as engine
from corpus import CORPUS, some
from gltf_oracle import Gltf

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
STELE = os.path.abspath(os.environ.get("STELE", ROOT / "build" / "stele"))
BLENDER = shutil.which("blender")
MODULE = "io_stele"

# What is not equal by `diff` at 1e-5 when every record was touched, and why
NAMED = {
    "2.0.glb": "its morphs move along a spline, which is sampled at whole frames",
    "2.0.gltf": "its morphs move along a spline, which is sampled at whole frames",
}


def stele(*arguments):
    done = subprocess.run([STELE, *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def diff(a, b):
    """What differs, as text; nothing if all is equal."""
    _, out, error = stele("diff", "--json", a, b)
    document = json.loads(out.splitlines()[-1])
    if document.get("equal"):
        return ""
    return document.get("error") or "; ".join(f"{c['path']} {c.get('error', '')} {c.get('first', '')} {c.get('second', '')}"
                                              for c in document["compared"] if not c["equal"])


@unittest.skipUnless(BLENDER, "blender is not there")
class Blender(unittest.TestCase):
    """A folder for the user's scripts with the add-on in it, and one for results."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        cls.zip = cls.folder / "stele-blender.zip"
        subprocess.run([sys.executable, ROOT / "tools/make_blender.py", cls.zip, STELE], check=True, capture_output=True)
        cls.scripts = cls.folder / "scripts"
        cls.scripts.mkdir()
        cls.run_blender("--python-expr", f"import bpy; bpy.ops.preferences.addon_install(filepath={str(cls.zip)!r})")
        # Where the operator put it is Blender's business; that it is there is ours
        assert (cls.scripts / "addons" / MODULE / "__init__.py").is_file(), "addon_install did not install it"

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def run_blender(cls, *arguments, **more):
        """Blender looks for its Python by the PATH: one that is not the system's has no numpy."""
        environment = {k: v for k, v in os.environ.items() if k not in ("STELE", "PYTHONHOME", "PYTHONPATH")}
        environment |= {"BLENDER_USER_SCRIPTS": str(cls.scripts), "PATH": "/usr/local/bin:/usr/bin:/bin", **more}
        done = subprocess.run([BLENDER, "--background", "--factory-startup", "--python-exit-code", "1", *map(str, arguments)],
                              capture_output=True, text=True, env=environment, timeout=590)
        if done.returncode:
            raise AssertionError(f"blender: {done.stdout[-4000:]}{done.stderr[-4000:]}")
        return done.stdout

    def script(self, name, *arguments):
        return self.run_blender("--python", TESTS / name, "--", *arguments)


# ---- There and back ------------------------------------------------------------------------------------------------------

class RoundTrips(Blender):
    def travel(self, files, prove=False):
        """Each file untouched and touched; gives [(file, where it went, what happened)]."""
        jobs = []
        for i, file in enumerate(files):
            here = self.folder / f"{self.id().rsplit('.', 1)[-1]}{i}"
            (here / "u").mkdir(parents=True)
            (here / "t").mkdir()
            (here / "n").mkdir()
            for image in [p for p in file.parent.iterdir() if p.suffix in (".png", ".jpg")] if ROOT in file.parents else []:
                shutil.copy(image, here / "t")
            jobs.append({"file": str(file), "untouched": str(here / "u" / file.name), "touched": str(here / "t" / file.name), "prove": prove,
                         "nudged": str(here / "n" / file.name) if file.suffix == ".sgm" else ""})
        (self.folder / "jobs.json").write_text(json.dumps(jobs))
        self.script("blender_roundtrip.py", self.folder / "jobs.json", self.folder / "results.json")
        return list(zip(files, jobs, json.loads((self.folder / "results.json").read_text())))

    def judge(self, trips):
        """Bytes of what was not touched; `diff` of what was. Gives the share that is equal and the reasons of the rest."""
        unequal = {}
        for file, job, done in trips:
            self.assertNotIn("error", done, f"{file}: {done.get('trace')}")
            self.assertEqual(Path(job["untouched"]).read_bytes(), file.read_bytes(), file)
            beside = Path(job["untouched"]).with_suffix(".sga")
            if file.suffix == ".sgm" and beside.exists():
                self.assertEqual(beside.read_bytes(), file.with_suffix(".sga").read_bytes(), beside)
            if job["nudged"]:
                self.judge_nudged(file, Path(job["nudged"]), done["nudged"])
            different = diff(file, job["touched"])
            if different:
                unequal[file.name] = different
        return unequal

    def judge_nudged(self, file, other, number):
        """A mesh was changed: all other meshes, all materials and the .sga have the bytes that they had."""
        (kind, (before, _)), = list(rayne.fits_sgm(file.read_bytes()).items())[:1]
        after, layout = rayne.fits_sgm(other.read_bytes())[kind][0], rayne.SGM[kind[1]]
        self.assertEqual(len(before.meshes), len(after.meshes), file)
        different = [i for i, (a, b) in enumerate(zip(before.meshes, after.meshes)) if rayne.pack_mesh(a, layout) != rayne.pack_mesh(b, layout)]
        self.assertEqual(different, [number], file)
        self.assertEqual([rayne.pack_material(m, layout) for m in before.materials],
                         [rayne.pack_material(m, layout) for m in after.materials], file)
        if file.with_suffix(".sga").exists() and other.with_suffix(".sga").exists():
            self.assertEqual(file.with_suffix(".sga").read_bytes(), other.with_suffix(".sga").read_bytes(), file)

    def test_samples(self):
        files = [p for p in sorted((ROOT / "samples").rglob("*.*")) if p.suffix not in (".png", ".mtl", ".bin")]
        trips = self.travel(files, prove=True)
        unequal = self.judge(trips)
        self.assertEqual(set(unequal) - set(NAMED), set(), unequal)
        for file, _, done in trips:
            bad = [f for f in done["export_findings"] if f[1].startswith("proof") and f[0] != "note"]
            self.assertEqual(bad, [], file)

    @unittest.skipUnless(CORPUS.is_dir(), "the corpus is not there")
    def test_corpus(self):
        files = some(f for f in [*CORPUS.rglob("*.sgm"), *CORPUS.rglob("*.mesh")] if "hostile" not in f.parts)
        trips = self.travel(files)
        unequal = self.judge(trips)
        print(f"\n# {len(files) - len(unequal)} of {len(files)} real files are equal when every record was touched; {unequal or ''}")
        self.assertGreaterEqual(len(files) - len(unequal), 0.95 * len(files), unequal)
        checked = sum(self.judge_skins(file, Path(job["touched"])) for file, job, _ in trips if file.suffix == ".sgm")
        print(f"# skinned positions by the engine's formula: {checked} poses")

    def judge_skins(self, file, other):
        """Skinned positions of both by the engine's formula, straight from the bytes."""
        (_, dialect), (model, _) = next(iter(rayne.fits_sgm(file.read_bytes()).items()))
        skeleton = engine.read_skeleton(file, model)
        if skeleton is None or dialect != "v3":
            return 0
        written = next(iter(rayne.fits_sgm(other.read_bytes()).values()))[0]
        moved = engine.read_skeleton(other, written)
        count = 0
        for clip in engine.clips_to_expect(skeleton)[:3]:
            again = next((c for c in moved.clips if c.name == clip.name), None)
            self.assertIsNotNone(again, clip.name)
            frame = clip.tracks[0][1][len(clip.tracks[0][1]) // 2][0]
            for a, b in zip(model.meshes, written.meshes):
                if not a.skin or any(not any(w) for w in a.rows("weights")):
                    continue
                size = max(math.dist(p, a.rows("position")[0]) for p in a.rows("position")) or 1
                here = list(engine.skinned(a, (), engine.bone_matrices(skeleton, clip, frame)))
                there = list(engine.skinned(b, (), engine.bone_matrices(moved, again, frame)))
                self.assertEqual(len(here), len(there))
                self.assertLess(max(math.dist(p, q) for p, q in zip(here, there)), 1e-4 * size + 1e-6, f"{file} {clip.name}")
            count += 1
        return count


# ---- Scenes --------------------------------------------------------------------------------------------------------------

def centre(triangle):
    return [sum(corner[k] for corner in triangle) / 3 for k in range(3)]


def same_triangles(expected, found):
    """The largest distance between triangles of both, corner by corner in the same sense of rotation; infinite if one is missing."""
    if len(expected) != len(found):
        return math.inf
    places = sorted((centre(t), t) for t in found)
    worst = 0.0
    for triangle in expected:
        middle = centre(triangle)
        best, at = math.inf, None
        for i, (place, other) in enumerate(places):
            if abs(place[0] - middle[0]) > 1 or math.dist(place, middle) > 0.5:
                continue
            for turn in range(3):
                turned = other[turn:] + other[:turn]
                distance = max(math.dist(p, q) for p, q in zip(triangle, turned))
                if distance < best:
                    best, at = distance, i
        if at is None:
            return math.inf
        places.pop(at)
        worst = max(worst, best)
    return worst


def from_engine(p):
    return [-p[0], p[2], p[1]]


def from_gltf(p):
    return [p[0], -p[2], p[1]]


class Sgm:
    """An .sgm with its .sga by the engine's formula, in Blender's axes."""

    def __init__(self, path):
        self.model = rayne.read_sgm(path.read_bytes(), "v3")[0]
        self.skeleton = engine.read_skeleton(path, self.model)

    def clips(self):
        return [c.name.decode() for c in self.skeleton.clips] if self.skeleton else []

    def duration(self, name):
        clip = next(c for c in self.skeleton.clips if c.name.decode() == name)
        return max(keys[-1][0] for _, keys in clip.tracks) / rayne.FRAMES_PER_SECOND

    def triangles(self, name=None, seconds=0.0):
        clip = next(c for c in self.skeleton.clips if c.name.decode() == name) if name is not None else None
        matrices = engine.bone_matrices(self.skeleton, clip, seconds * rayne.FRAMES_PER_SECOND) if self.skeleton else None
        for mesh in self.model.meshes:
            if mesh.skin and matrices:
                points = list(engine.skinned(mesh, (), matrices))
            else:
                points = mesh.rows("position")
            points = [from_engine(p) for p in points]
            for k in range(0, len(mesh.indices), 3):
                yield [points[i] for i in mesh.indices[k:k + 3]]


class Glb:
    """A glTF by the oracle's evaluation, in Blender's axes."""

    def __init__(self, path):
        self.gltf = Gltf(path)

    def clips(self):
        return [c.get("name", "") for c in self.gltf.json.get("animations", [])]

    def duration(self, name):
        return self.gltf.duration(self.clips().index(name))

    def triangles(self, name=None, seconds=0.0):
        clip = self.clips().index(name) if name is not None else None
        for node, primitive in self.gltf.drawn():
            points = [from_gltf(p) for p in self.gltf.positions(node, primitive, clip, seconds)]
            m = self.gltf.world(clip, seconds)[node]
            mirrors = (m[0] * (m[5] * m[10] - m[9] * m[6]) - m[4] * (m[1] * m[10] - m[9] * m[2]) + m[8] * (m[1] * m[6] - m[5] * m[2])) < 0
            for corners in self.gltf.triangles(node, primitive):
                yield [points[i] for i in (corners[::-1] if mirrors else corners)]


class Scenes(Blender):
    """What Blender shows against what is in the file."""
    TOLERANCE = 2e-4

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made = cls.folder / "scenes"
        cls.made.mkdir()
        cls.run_blender("--python", TESTS / "blender_scenes.py", "--", cls.made)

    def truth(self, name):
        return json.loads((self.made / f"{name}.json").read_text())

    def model(self, name, ending):
        path = self.made / f"{name}.{ending}"
        if ending == "sgm":
            return Sgm(path)
        if ending not in ("glb", "gltf"):
            other = path.with_suffix(f".{ending}.glb")
            code, _, error = stele("convert", "-f", path, other)
            self.assertEqual(code, 0, error)
            path = other
        return Glb(path)

    def judge(self, name, endings, clips=(), tolerance=TOLERANCE):
        truth = self.truth(name)
        for ending in endings:
            exports = truth["exports"][ending]
            self.assertIsInstance(exports, list, exports)
            model = self.model(name, ending)
            self.assertLess(same_triangles(truth["rest"], list(model.triangles())), tolerance, f"{name}.{ending} at rest")
            for clip in clips:
                self.assertEqual(model.clips().count(clip), 1, f"{name}.{ending}: {model.clips()}")
                for seconds, expected in truth["clips"][clip]:
                    self.assertLess(same_triangles(expected, list(model.triangles(clip, seconds))), tolerance,
                                    f"{name}.{ending} {clip} at {seconds}")
                self.assertAlmostEqual(model.duration(clip), truth["clips"][clip][-1][0], 4, "the last frame is kept")

    def findings(self, name, ending):
        return [f[1] for f in self.truth(name)["exports"][ending]]

    def proofs(self, name, ending):
        return [f for f in self.truth(name)["exports"][ending] if f[1].startswith("proof") and f[0] != "note"]

    def test_rolled_bones_two_actions_nla(self):
        self.judge("rolled", ("sgm", "glb", "gltf"), ("bend", "twist"))
        self.judge("rolled", ("obj", "twm", "sff"))
        self.judge("rolled", ("mesh", "ctc"), tolerance=0.02)  # their weights have 8 bits
        self.assertEqual([b.name.decode() for b in Sgm(self.made / "rolled.sgm").skeleton.bones], ["root", "mid", "tip"])
        self.assertEqual(self.proofs("rolled", "sgm"), [])

    def test_shape_keys_with_armature(self):
        self.judge("shapes", ("glb", "gltf"), ("swell",))
        self.judge("shapes", ("sgm",))
        self.assertIn("loss-morph", self.findings("shapes", "sgm"))
        self.assertEqual(self.proofs("shapes", "glb"), [])

    def test_modifiers(self):
        self.judge("modifiers", ("sgm", "glb", "gltf", "obj", "twm", "sff", "mesh", "ctc"), tolerance=1e-3)

    def test_materials(self):
        self.judge("materials", ("sgm", "glb", "gltf", "obj", "twm", "sff"), tolerance=1e-3)
        model = Sgm(self.made / "materials.sgm").model
        self.assertEqual(len(model.meshes), 3)  # two of the block, whose unused slot is no mesh, and one of the ngon
        self.assertEqual([m.uv_count for m in model.meshes], [2, 2, 0])
        base = [dict(m.colors).get(0) for m in model.materials]
        self.assertEqual([round(c, 3) for c in base[0][:3]], [1, 0.2, 0.1])
        found = model.meshes[2].rows("color")
        for row, expected in zip(found, self.truth("materials")["expect"]["colors"][0]):
            self.assertLess(max(abs(a - b) for a, b in zip(row, expected)), 2e-5)
        self.assertIn("object-empty", self.findings("materials", "sgm"))

    def test_vertices_are_split_only_where_they_differ(self):
        model = Sgm(self.made / "materials.sgm").model
        self.assertEqual(model.meshes[2].vertex_count, 7)
        for mesh in model.meshes + Sgm(self.made / "rolled.sgm").model.meshes:
            rows = list(zip(mesh.rows("position"), mesh.rows("normal"), mesh.rows("color") or [()] * mesh.vertex_count,
                            *(mesh.rows(f"uv{i}") for i in range(mesh.uv_count))))
            self.assertEqual(len(set(rows)), len(rows))

    def test_parents_scale_instances(self):
        self.judge("hierarchy", ("sgm", "glb", "gltf", "obj", "twm", "sff"), tolerance=1e-3)
        self.assertEqual(self.proofs("hierarchy", "sgm"), [])

    def test_carried_by_bones_two_armatures(self):
        self.judge("carried", ("glb", "sgm"), ("wave", "swing"), tolerance=5e-4)
        self.assertIn("group-without-bone", self.findings("carried", "sgm"))
        self.assertIn("neutral-joint", self.findings("carried", "sgm"))

    def test_objects_that_move_at_another_rate(self):
        self.judge("moving", ("glb", "gltf"), ("slide",), tolerance=1e-3)
        truth, model = self.truth("moving"), Glb(self.made / "moving.glb")
        for seconds, expected in truth["clips"]["jump"]:
            self.assertLess(same_triangles(expected, list(model.triangles("jump", seconds + 1e-5))), 1e-3, seconds)

    def test_strips_that_change_timing(self):
        self.judge("strips", ("glb", "sgm"), ("nod",))
        truth = self.truth("strips")
        for ending in ("glb", "sgm"):
            model = self.model("strips", ending)
            self.assertEqual(sorted(model.clips()), ["nod", "slow nod"])
            self.assertAlmostEqual(model.duration("slow nod"), truth["expect"]["durations"]["slow nod"], 4)
            for seconds, expected in truth["clips"]["slow nod"]:
                for later in (0, 16 / 24):
                    self.assertLess(same_triangles(expected, list(model.triangles("slow nod", seconds + later))), 2e-4, (ending, seconds, later))

    def test_mirrored_armature_and_names(self):
        self.judge("mirrored", ("glb", "sgm"), ("Läufer",))  # a curve of a bone that is not there does not lengthen it
        expected = self.truth("mirrored")["expect"]
        self.assertEqual((expected["before"], expected["after"]), ("POSE", "POSE"))

    def test_vanishing_bones_single_keys_joined(self):
        self.judge("vanishing", ("glb", "sgm"), ("hide", "stand"), tolerance=5e-4)
        self.assertEqual(len(Sgm(self.made / "vanishing.sgm").model.meshes), 1)

    def test_the_proof_finds_what_is_not_as_in_the_scene(self):
        exports = self.truth("swollen")["exports"]["sgm"]
        self.assertIn("loss-deform", [f[1] for f in exports])
        severity, _, text, kind, target, items = next(f for f in exports if f[1] == "proof-differs")
        self.assertEqual((severity, kind, target), ("warning", "VERTICES", "body"))
        self.assertIn("in twist at frame 6", text)
        self.assertTrue(set(json.loads(items)) <= set(range(54)) and items != "[]")

    def test_constraints_and_drivers(self):
        self.judge("helped", ("glb", "sgm"), ("turn",))


# ---- What artists do -----------------------------------------------------------------------------------------------------

def records(path):
    """The bytes of the meshes, materials, bones and clips of an .sgm and its .sga, by their content."""
    model = rayne.read_sgm(path.read_bytes(), "v3")[0]
    layout = rayne.SGM["v3"]
    strip = lambda packed, count: packed[count:]  # without the numbers that say where it is
    found = {"mesh": [strip(rayne.pack_mesh(m, layout), 2) for m in model.meshes],
             "material": [strip(rayne.pack_material(m, layout), 1) for m in model.materials]}
    beside = path.with_suffix(".sga")
    skeleton = rayne.read_sga(beside.read_bytes(), "v1")[0] if beside.exists() else None
    found["clip"] = {c.name: c.tracks for c in skeleton.clips} if skeleton else {}
    found["bone"] = [(b.name, b.position) for b in skeleton.bones] if skeleton else []
    return found


class Use(Blender):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made = cls.folder / "use"
        cls.made.mkdir()
        cls.run_blender("--python", TESTS / "blender_use.py", "--", cls.made, ROOT / "samples")
        cls.seen = json.loads((cls.made / "use.json").read_text())
        cls.scribe = ROOT / "samples/scribe.sgm"
        cls.source = records(cls.scribe)

    def same_bytes(self, name, ending):
        self.assertEqual((self.made / name).with_suffix(ending).read_bytes(), self.scribe.with_suffix(ending).read_bytes(), name)

    def test_untouched_stays_untouched(self):
        for name in ("same", "reloaded", "looked"):
            self.same_bytes(f"{name}/scribe.sgm", ".sgm")
            self.same_bytes(f"{name}/scribe.sgm", ".sga")
        self.same_bytes("alone/scribe.sga", ".sga")
        self.assertEqual(self.seen["frame"], 17, "an export leaves the scene as it was")

    def test_a_changed_mesh_leaves_the_others(self):
        found = records(self.made / "mesh/scribe.sgm")
        self.assertEqual([a == b for a, b in zip(found["mesh"], self.source["mesh"])], [True, False, True])
        self.assertEqual(found["material"], self.source["material"])
        self.same_bytes("mesh/scribe.sga", ".sga")
        changed = rayne.read_sgm((self.made / "mesh/scribe.sgm").read_bytes(), "v3")[0].meshes[1].rows("position")
        before = rayne.read_sgm(self.scribe.read_bytes(), "v3")[0].meshes[1].rows("position")
        moved = [i for i, (a, b) in enumerate(zip(changed, before)) if math.dist(a, b) > 1e-6]
        self.assertEqual(moved, [5])
        self.assertAlmostEqual(changed[5][0], before[5][0] - 0.01, 6)

    def test_a_changed_clip_leaves_the_others(self):
        found = records(self.made / "clip/scribe.sgm")
        self.assertEqual({n: t == self.source["clip"][n] for n, t in found["clip"].items()},
                         {b"idle": True, b"walk": False, b"write": True})
        self.assertEqual(found["bone"], self.source["bone"])
        self.same_bytes("clip/scribe.sgm", ".sgm")

    def test_a_changed_material_leaves_the_others(self):
        found = records(self.made / "material/scribe.sgm")
        self.assertEqual([a == b for a, b in zip(found["material"], self.source["material"])], [True, True, False])
        self.assertEqual(found["mesh"], self.source["mesh"])
        colors = rayne.read_sgm((self.made / "material/scribe.sgm").read_bytes(), "v3")[0].materials[2].colors
        self.assertEqual(dict(colors)[0], (0.5, 0.25, 0.125, 1))

    def test_removed_and_added_meshes(self):
        found = records(self.made / "removed/scribe.sgm")
        self.assertEqual(found["mesh"], [self.source["mesh"][0], self.source["mesh"][2]])
        found = records(self.made / "added/scribe.sgm")
        self.assertEqual(found["mesh"][:3], self.source["mesh"])
        self.assertEqual(len(found["mesh"]), 4)

    def test_new_bone_and_renamed_clip(self):
        found = records(self.made / "bone/scribe.sgm")
        self.assertEqual(found["mesh"], self.source["mesh"])  # numbers of bones still hold
        self.assertEqual([b[0] for b in found["bone"]], [b[0] for b in self.source["bone"]] + [b"feather"])
        self.assertEqual(sorted(found["clip"]), [b"idle", b"stroll", b"write"])

    def sgm(self, name, dialect="v3"):
        return rayne.read_sgm((self.made / name).read_bytes(), dialect)[0]

    def test_options(self):
        self.assertEqual(len(self.sgm("join/scribe.sgm").meshes), 3)
        self.assertEqual(sum(len(m.indices) for m in self.sgm("join/scribe.sgm").meshes),
                         sum(len(m.indices) for m in self.sgm("same/scribe.sgm").meshes))
        self.assertEqual(len(list((self.made / "separate").glob("scribe.scribe_mesh*.sgm"))), 3)
        self.assertEqual(self.sgm("star/scribe.sgm").materials[0].uv_sets, [[(0, b"scribe.*")]])
        self.assertEqual((self.made / "copied/scribe.png").read_bytes(), (ROOT / "samples/scribe.png").read_bytes())
        embedded = Gltf(self.made / "embedded/scribe.glb").json["images"][0]
        self.assertIn("bufferView", embedded)
        self.assertTrue(self.sgm("tangents/scribe.sgm").meshes[0].tangents)
        self.assertEqual([c.name for c in rayne.read_sga((self.made / "still/scribe.sga").read_bytes(), "v1")[0].clips], [])
        self.assertEqual(len(rayne.read_sga((self.made / "active/scribe.sga").read_bytes(), "v1")[0].clips), 1)
        self.assertEqual(len(self.sgm("dialect/scribe.sgm", "v1").meshes), 3)
        self.assertEqual(len(self.sgm("selected/scribe.sgm").meshes), 1)
        self.assertEqual(len(self.sgm("visible/scribe.sgm").meshes), 2)
        self.assertIn("nothing to write", self.seen["nothing"])

    def test_tangents_follow_u(self):
        """T is dP/du and w the side of dP/dv for v that points down the image, as the format's page says."""
        mesh = self.sgm("tangents/scribe.sgm").meshes[0]
        points, normals, uvs, tangents = (mesh.rows(n) for n in ("position", "normal", "uv0", "tangent"))
        agree = total = 0
        for a, b, c in zip(mesh.indices[::3], mesh.indices[1::3], mesh.indices[2::3]):
            e1, e2 = ([points[i][k] - points[a][k] for k in range(3)] for i in (b, c))
            (u1, v1), (u2, v2) = ([uvs[i][k] - uvs[a][k] for k in range(2)] for i in (b, c))
            area = u1 * v2 - u2 * v1
            if abs(area) < 1e-9:
                continue
            down = [(e2[k] * u1 - e1[k] * u2) / area for k in range(3)]
            along = [(e1[k] * v2 - e2[k] * v1) / area for k in range(3)]
            n, t = normals[a], tangents[a]
            side = [n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]]
            total += 1
            agree += sum(x * y for x, y in zip(t, along)) > 0 and sum(x * y for x, y in zip(side, down)) * t[3] > 0
        self.assertGreater(agree, 0.97 * total)

    def test_color_spaces(self):
        """Linear, n/255 as the 3.x script wrote, and that to the power 2.2 as the 4.x script did."""
        linear = self.sgm("same/scribe.sgm").meshes[1].rows("color")
        screen, power = (self.sgm(f"{n}/scribe.sgm").meshes[1].rows("color") for n in ("srgb", "power"))
        for a, b, c in zip(linear, screen, power):
            for k in range(3):
                whole = round(255 * b[k])
                self.assertLess(abs(255 * b[k] - whole), 1e-4)
                curve = b[k] / 12.92 if b[k] <= 0.04045 else ((b[k] + 0.055) / 1.055) ** 2.4
                self.assertLess(abs(curve - a[k]), 0.006)
                self.assertLess(abs((whole / 255) ** 2.2 - c[k]), 2e-5)

    def test_old_files_keep_their_color_space(self):
        before = rayne.fits_sgm((ROOT / "samples/dialects/v1.sgm").read_bytes())["sgm", "v1"][0]
        after = rayne.fits_sgm((self.made / "old/v1.sgm").read_bytes())["sgm", "v1"][0]
        for a, b in zip(before.meshes, after.meshes):
            for x, y in zip(a.rows("color"), b.rows("color")):
                self.assertLess(max(abs(p - q) for p, q in zip(x[:3], y[:3])), 1e-4)

    def test_apply_transforms(self):
        placed, unplaced = (self.sgm(f"{n}/cube.sgm").meshes[0].rows("position") for n in ("placed", "unplaced"))
        for rows, middle in ((placed, (-1, 3, 2)), (unplaced, (0, 0, 0))):
            self.assertEqual([round((min(r[k] for r in rows) + max(r[k] for r in rows)) / 2, 5) for k in range(3)], list(middle))

    def test_textures(self):
        names = [m.uv_sets[0][0][1].decode() for m in self.sgm("textured/cube.sgm").materials]
        self.assertEqual(names, ["a b ü.jpeg.png", "packed.png", "absent.jpeg"])
        self.assertTrue((self.made / "textured/a b ü.jpeg.png").is_file())
        self.assertTrue((self.made / "textured/packed.png").read_bytes().startswith(b"\x89PNG"))
        self.assertTrue(any(f[1] == "texture-missing" and "absent.jpeg" in f[2] for f in self.seen["texture_findings"]))
        stars = [m.uv_sets[0][0][1].decode() for m in self.sgm("textured/star.sgm").materials]
        self.assertEqual(stars, ["a b ü.jpeg.*", "packed.*", "absent.*"])

    def test_damaged_files_leave_the_scene_as_it_was(self):
        seen = self.seen["damaged"]
        for name in ("cut", "empty", "noise"):
            self.assertTrue(seen[f"{name} same"], name)
            _, out, _ = stele("check", "--json", self.made / f"damaged/{name}.sgm")
            errors = [d["id"] for d in json.loads(out)["diagnostics"] if d["severity"] == "error"]
            self.assertEqual([f[1] for f in seen[f"{name} findings"] if f[0] == "error"], errors)
        self.assertIn("No such file", seen["not there"])

    def test_a_click_selects(self):
        self.assertEqual((self.seen["mode"], self.seen["selected"]), ("EDIT_MESH", [3, 5]))
        self.assertEqual(self.seen["bones"], [["head"], "POSE"])
        self.assertEqual(self.seen["action"], "walk")
        self.assertTrue(self.seen["object"])

    def test_what_an_import_makes(self):
        made = self.seen["made"]
        skeleton = rayne.read_sga(self.scribe.with_suffix(".sga").read_bytes(), "v1")[0]
        self.assertEqual(made["bones"], [b.name.decode() for b in skeleton.bones])
        self.assertLess(max(made["pointing"].values()), 1e-5)
        self.assertEqual(made["tracks"], ["idle", "walk", "write"])
        self.assertEqual(made["actions"], ["idle", "walk", "write"])
        self.assertEqual((made["fps"], made["range"]), (24, [0, 48]))
        self.assertEqual((made["uvs"], made["colors"], made["custom"]), ([1, 0, 0], [0, 1, 1], [True] * 3))
        self.assertEqual((made["image"], made["groups"], made["modifiers"]), ([[256, 256]], 18, ["ARMATURE"]))
        self.assertEqual(made["properties"], [0, 1, 1, 1, 1])
        self.assertTrue(made["selected"])
        self.assertEqual(self.seen["lonely"]["image"], [["scribe.png", [64, 64], 1]])
        self.assertIn("skin-dropped", [f[1] for f in self.seen["lonely"]["findings"]])
        self.assertEqual(self.seen["ctc"]["parents"], [["BONE", "bone1"]])
        self.assertEqual(self.seen["ctc"]["shapes"], [["Basis", "think"]] * 2)

    def test_menus_undo_and_again(self):
        _, out, _ = stele("formats", "--json")
        formats = json.loads(out)["formats"]
        self.assertEqual(self.seen["formats"], [[f["name"] for f in formats]] * 2)
        self.assertEqual(self.seen["options"], sorted("choice_" + c["name"].replace(".", "_") for f in formats for c in f["choices"]))
        self.assertTrue(self.seen["undone"] and self.seen["presets"] and self.seen["again"])


# ---- Speed ---------------------------------------------------------------------------------------------------------------

SIDE, BONES, KEYS = 317, 30, 25  # more than 100,000 vertices


def write_large(folder):
    """A grid with four weights for each vertex, no two alike, and two clips."""
    rows = bytearray()
    for i in range(SIDE * SIDE):
        x, y = i % SIDE / SIDE, i // SIDE / SIDE
        weights = [4 + x, 3 + y, 2 + x * y, 1]
        total = sum(weights)
        bones = [(i // 999 + k) % BONES for k in range(4)]
        rows += struct.pack("<16f", x, y, 0.1 * math.sin(9 * x), 0, 0, 1, x, y, *(w / total for w in weights), *bones)
    indices = []
    for y in range(SIDE - 1):
        for x in range(SIDE - 1):
            a = y * SIDE + x
            indices += [a, a + 1, a + SIDE, a + 1, a + SIDE + 1, a + SIDE]
    mesh = rayne.Mesh(0, 0, 1, 0, 0, 1, (), SIDE * SIDE, bytes(rows), 4, tuple(indices))
    model = rayne.Model([rayne.Material(0, [], [(0, (1.0, 1.0, 1.0, 1.0))])], [mesh], b"large.sga", 1)
    (folder / "large.sgm").write_bytes(rayne.write_sgm(model, "v3"))
    bones = [rayne.Bone(f"bone{i}".encode(), (i / BONES, 0.5, 0.0), int(i == 0), (i + 1,) if i + 1 < BONES else ()) for i in range(BONES)]
    turn = lambda t, i: (math.sin(0.01 * t * (i % 3)), 0.0, 0.0, math.cos(0.01 * t * (i % 3)))
    clips = [rayne.Clip(name, [(i, [(float(t), 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, *turn(t, i)) for t in range(KEYS)]) for i in range(BONES)])
             for name in (b"one", b"two")]
    (folder / "large.sga").write_bytes(rayne.write_sga(rayne.Skeleton(b"large", bones, clips)))
    return folder / "large.sgm"


class Speed(Blender):
    def test_a_hundred_thousand_vertices(self):
        """At most twice as long as Blender's own import of the same model as glTF, and four times for an export that is read again and
        compared. Seconds depend on the machine, and are only printed; the processor's count, because other programs may be at work."""
        source, out = write_large(self.folder), self.folder / "out"
        out.mkdir()
        glb = self.folder / "large.glb"
        subprocess.run([STELE, "convert", "-q", source, glb], check=True)
        self.script("blender_speed.py", source, glb, out / "large.sgm", self.folder / "speed.json")
        seen = json.loads((self.folder / "speed.json").read_text())
        print("\n# " + ", ".join(f"{k} {v[0]:.2f} s ({v[1]:.2f} s of the processor)" if isinstance(v, list) else f"{v} {k}"
                                 for k, v in seen.items()))
        self.assertGreater(seen["vertices"], 100000)
        peer = seen["glTF import"][1]
        self.assertLess(seen["import"][1], 2 * peer)
        self.assertLess(seen["export"][1], 4 * peer)


if __name__ == "__main__":
    unittest.main()
