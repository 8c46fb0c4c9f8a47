"""Stele against an independent reader, checker and writer of SGM and SGA (rayne_oracle.py).

STELE names the binary (default: build/stele) and STELE_CORPUS a folder of real files (default: ../shared/corpus).
"""
import json
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from dataclasses import replace
from pathlib import Path

from corpus import CORPUS, real_files
from rayne_oracle import *

ROOT = Path(__file__).resolve().parent.parent
STELE = os.path.abspath(os.environ.get("STELE", ROOT / "build" / "stele"))
SAMPLES = ROOT / "samples"


# ---- Asking Stele --------------------------------------------------------------------------------------------------------

def stele(*arguments, **options):
    return subprocess.run([STELE, *map(str, arguments)], capture_output=True, timeout=60, check=False, **options)


def documents(verb, *arguments):
    """The JSON documents of a run, by file."""
    lines = stele(verb, "--json", *arguments).stdout.splitlines()
    return {document["file"]: document for document in map(json.loads, lines)}


NONFINITE_WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def as_number(value):
    """A number of the JSON output as the float32 that it stands for."""
    value = NONFINITE_WORDS.get(value, value)
    return struct.unpack("<f", struct.pack("<f", value))[0]


def same_floats(got, wanted):
    if got is None or wanted is None or len(got) != len(wanted):
        return got is wanted
    return all(as_number(g) == w or (w != w and g == "NaN") for g, w in zip(got, wanted))


def bounds_of(meshes):
    points = [p for mesh in meshes for p in mesh.rows("position") if finite(p)]
    if not points:
        return None
    return {"min": [min(axis) for axis in zip(*points)], "max": [max(axis) for axis in zip(*points)]}


def same_bounds(got, wanted):
    if not got or not wanted:
        return got == wanted
    return same_floats(got["min"], wanted["min"]) and same_floats(got["max"], wanted["max"])


def covers(fields, size):
    """Whether the fields hold every byte exactly once and in order."""
    at = 0
    for got in fields:
        if got["offset"] != at or got["size"] <= 0:
            return False
        at += got["size"]
    return at == size


def range_of(values):
    values = [v for v in values if math.isfinite(v)]
    return (min(values), max(values)) if values else None


# ---- Comparing -----------------------------------------------------------------------------------------------------------

TEXTURE_ROLES = {0: "base color", 1: "normal map", 2: "specular map", 3: "roughness map", 4: "emission map"}
COLOR_ROLES = {0: "base color", 2: "specular", 3: "roughness", 4: "emission"}
MOST_SHOWN_WHOLE = 16
FIRST_ROWS = 4


class FilesAgree:
    """Tests over a list of files; a subclass says which."""

    files: list

    @classmethod
    def prepare(cls):
        cls.truth = {str(path): fits(path.read_bytes()) for path in cls.files}
        cls.checked = documents("check", *cls.files)

    def content(self, document):
        """What the file holds if it is what Stele says that it is."""
        kind, truth = (document["format"], document["dialect"]), self.truth[document["file"]]
        self.assertIn(kind, truth)
        return truth[kind]

    def for_each(self, found, compare):
        self.assertEqual(sorted(found), sorted(self.truth))
        for path, document in sorted(found.items()):
            with self.subTest(Path(path).name):
                compare(Path(path), document, *self.content(document))

    # -- info --

    def test_info(self):
        self.for_each(documents("info", *self.files), self.compare_info)

    def compare_info(self, path, document, content, _):
        self.assertEqual(document["bytes"], path.stat().st_size)
        if document["format"] == "sgm":
            self.compare_model(document, content, SGM[document["dialect"]].uv_sets)
            self.compare_skeleton(document, self.companion(path, content))
        else:
            self.compare_skeleton(document, content)

    def compare_model(self, document, model, hinted):
        self.assertEqual(len(document["meshes"]), len(model.meshes))
        for got, mesh in zip(document["meshes"], model.meshes):
            wanted = {"vertices": mesh.vertex_count, "indices": len(mesh.indices), "triangles": len(mesh.indices) // 3,
                      "attributes": [name for name, _ in mesh.columns()], "material": mesh.material}
            self.assertEqual({key: got[key] for key in wanted}, wanted)
            self.assertTrue(same_bounds(got["bounds"], bounds_of([mesh])))
        self.assertTrue(same_bounds(document["bounds"], bounds_of(model.meshes)))
        self.assertEqual(len(document["materials"]), len(model.materials))
        for got, material in zip(document["materials"], model.materials):
            self.compare_material(got, material, hinted)

    def compare_material(self, got, material, hinted):
        wanted = [(name.decode(), uv_set, TEXTURE_ROLES[hint]) for uv_set, textures in enumerate(material.uv_sets)
                  for hint, name in textures]
        shown = [(t["name"], t["uv_set"], t["role"]) for t in got["textures"]]
        if hinted:
            self.assertEqual(shown, wanted)
        else:
            self.assertEqual([t[:2] for t in shown], [t[:2] for t in wanted])
        self.assertEqual([color["role"] for color in got["colors"]], [COLOR_ROLES[hint] for hint, _ in material.colors])
        for color, (_, rgba) in zip(got["colors"], material.colors):
            self.assertTrue(same_floats(color["rgba"], rgba))

    def compare_skeleton(self, document, skeleton):
        wanted = []
        clips = skeleton.clips if skeleton else []
        for index, clip in enumerate(clips):
            last = max((keys[-1][0] for _, keys in clip.tracks if keys), default=0)
            wanted.append({"name": clip.name.decode(), "seconds": last / FRAMES_PER_SECOND, "tracks": len(clip.tracks),
                           "keys": sum(len(keys) for _, keys in clip.tracks)})
            same = [i for i, other in enumerate(clips[:index]) if (other.name, other.tracks) == (clip.name, clip.tracks)]
            if same:
                wanted[-1]["repeats"] = same[0]
        self.assertEqual(document["joints"], len(skeleton.bones) if skeleton else 0)
        self.assertEqual(document["skeleton"], skeleton.name.decode() if skeleton else None)
        self.assertEqual(document["clips"], wanted)

    @staticmethod
    def companion(path, model):
        beside = path.parent / model.animation.decode() if model.animation else None
        if not beside or not beside.is_file():
            return None
        (content, _), = fits_sga(beside.read_bytes()).values()
        return content

    # -- check --

    def test_check(self):
        self.for_each(self.checked, self.compare_check)

    def compare_check(self, path, document, content, _):
        if document["format"] == "sgm":
            skeleton = self.companion(path, content)
            joints = len(skeleton.bones) if skeleton and skeleton.bones else math.inf
            found = find_in_sgm(content, document["dialect"], joints)
        else:
            found = find_in_sga(content)
        self.compare_findings(document["diagnostics"], found)

    def compare_findings(self, diagnostics, found):
        got, known = Counter(), {name for _, name in found.counts}
        for d in diagnostics:
            place = re.match(r"(\w+\[\d+\])?", d["path"]).group()
            if d["id"] in known:
                got[place, d["id"]] += d["count"]
        for key in set(got) | set(found.counts):
            self.assertLessEqual(abs(got[key] - found.counts[key]), found.doubtful[key],
                                 f"{key}: {got[key]} instead of {found.counts[key]}")

    # -- explain --

    def test_explain(self):
        self.for_each(documents("explain", *self.files), self.compare_fields)

    def compare_fields(self, path, document, _, leaves):
        self.assertTrue(covers(document["fields"], path.stat().st_size))
        self.assertEqual(len({got["path"] for got in document["fields"]} - {""}), len(leaves))
        self.assertEqual(len(document["fields"]), len(leaves))
        for got, leaf in zip(document["fields"], leaves):
            self.compare_field(got, leaf)

    def compare_field(self, got, leaf):
        self.assertEqual((got["offset"], got["size"], got["type"]), (leaf.offset, leaf.size, leaf.type))
        if isinstance(leaf.value, bytes):
            self.assertEqual(got["value"], leaf.value.decode())
        elif not leaf.columns:
            self.assertEqual(got["value"], leaf.value)
        elif leaf.columns == (("", 1),) and len(leaf.value) <= MOST_SHOWN_WHOLE:
            self.assertTrue(same_floats(got["value"], leaf.value), got)
        else:
            self.compare_summary(got["value"], leaf)

    def compare_summary(self, got, leaf):
        stride = sum(size for _, size in leaf.columns)
        self.assertEqual(got["count"], len(leaf.value) // stride)
        self.assertEqual(got["stride"], leaf.size // got["count"])
        self.assertEqual([(c.get("name", ""), c["components"]) for c in got["columns"]], list(leaf.columns))
        at = 0
        for column, (_, size) in zip(got["columns"], leaf.columns):
            starts = range(at, len(leaf.value), stride)[:FIRST_ROWS]
            self.assertTrue(same_floats(column["first"], [leaf.value[i + k] for i in starts for k in range(size)]))
            for k in range(size):
                bounds = range_of(leaf.value[at + k::stride]) or (None, None)
                shown = column["min"][k], column["max"][k]
                self.assertEqual(tuple(v if v is None else as_number(v) for v in shown), bounds)
            at += size

    # -- convert --

    def test_rewriting_changes_nothing(self):
        """And says of errors in the file what check says."""
        for path in self.files:
            with self.subTest(path.name):
                result = stele("convert", path, "-")
                found = stele("check", path).returncode
                self.assertEqual((result.returncode, result.stdout == path.read_bytes()), (found, True), result.stderr)


class CutFiles(FilesAgree):
    """The same for files without faults: when their end is missing, that is what Stele says."""

    def test_a_missing_end_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            for i, path in enumerate(self.files):
                data = path.read_bytes()
                for cut in {len(data) - 1, len(data) // 2, len(data) // 3}:
                    Path(folder, f"{i:03}-{cut}-{path.name}").write_bytes(data[:cut])
            for path, document in documents("check", "-r", folder).items():
                errors = {d["id"] for d in document["diagnostics"] if d["severity"] == "error"}
                with self.subTest(Path(path).name):
                    self.assertTrue(errors or fits(Path(path).read_bytes(), sensible=False), document["diagnostics"])
                    self.assertNotIn("line-endings-converted", errors)


class SamplesAgree(CutFiles, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = sorted(SAMPLES.rglob("*.sg[ma]"))
        cls.prepare()

    def test_each_dialect_has_a_sample(self):
        kinds = {kind for found in self.truth.values() for kind in found}
        self.assertEqual(kinds, {("sgm", dialect) for dialect in SGM} | {("sga", dialect) for dialect in SGA})


class CorpusAgrees(CutFiles, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = real_files(".sgm", ".sga")
        if not cls.files:
            reason = f"there are no real files in {CORPUS}"
            print(f"test_oracle_rayne: skipped the corpus: {reason}", file=sys.stderr)
            raise unittest.SkipTest(reason)
        cls.prepare()

    def test_each_file_fits_one_dialect(self):
        self.assertEqual({path: len(found) for path, found in self.truth.items() if len(found) != 1}, {})


class InventedFiles(FilesAgree):
    """Writes files of its own into a folder, the same ones each time."""

    sgm_count, sga_count, spoiled = 0, 0, False

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.files, cls.written = [], {}
        rng = random.Random(SEED + cls.spoiled)
        for i in range(cls.sgm_count):
            dialect = list(SGM)[i % len(SGM)]
            model = invent_model(rng, dialect)
            if cls.spoiled:
                spoil_model(rng, model)
            cls.add(Path(folder.name, f"{i:03}-{dialect}.sgm"), "sgm", dialect, write_sgm(model, dialect))
        for i in range(cls.sga_count):
            skeleton = invent_skeleton(rng, SGA[i % 2])
            if cls.spoiled:
                spoil_skeleton(rng, skeleton)
            cls.add(Path(folder.name, f"{i:03}-{SGA[i % 2]}.sga"), "sga", SGA[i % 2], write_sga(skeleton))
        cls.prepare()

    @classmethod
    def add(cls, path, *kind_and_data):
        *kind, data = kind_and_data
        path.write_bytes(data)
        cls.files.append(path)
        cls.written[str(path)] = tuple(kind)


class InventedAgree(InventedFiles, CutFiles, unittest.TestCase):
    sgm_count, sga_count = 200, 30

    def test_dialect_is_the_one_that_was_written(self):
        for path, kind in self.written.items():
            with self.subTest(Path(path).name):
                document, possible = self.checked[path], self.truth[path]
                self.assertTrue(possible)
                if len(possible) == 1 and kind in possible:
                    self.assertEqual((document["format"], document["dialect"]), kind)

    def test_valid_files_have_no_errors(self):
        for path, document in self.checked.items():
            with self.subTest(Path(path).name):
                self.assertEqual([d for d in document["diagnostics"] if d["severity"] == "error"], [])


class SpoiledAgree(InventedFiles, unittest.TestCase):
    sgm_count, sga_count, spoiled = 150, 60, True

    def test_every_compared_finding_occurs(self):
        """Otherwise the comparison would say nothing about it."""
        found = {d["id"] for document in self.checked.values() for d in document["diagnostics"]}
        compared = set(NONFINITE.values()) | {"nonfinite-uv", "nonfinite-key", "normal-zero", "normal-length", "tangent-zero"}
        compared |= {"tangent-without-uv", "weight-sum", "weight-negative", "weight-all-zero", "degenerate-triangle"}
        compared |= {"zero-area-triangle", "index-out-of-range", "index-count", "bone-out-of-range", "bone-negative"}
        compared |= {"bone-fractional", "clip-duplicate", "clip-empty", "track-empty", "track-duplicate", "time-unsorted"}
        compared |= {"time-repeated", "rotation-not-unit", "track-unknown-bone", "root-flag", "child-out-of-range"}
        self.assertEqual(compared - found, set())


# ---- Conversion between dialects -----------------------------------------------------------------------------------------

def first_textures(material):
    names = [textures[0][1] if textures else b"" for textures in material.uv_sets]
    while names and not names[-1]:
        names.pop()
    return names


def armature_bones(mesh, layout):
    """The bones of the armature to which each vertex is bound, through the map where it counts."""
    if layout.mapped:
        return [tuple(mesh.bone_map[int(b)] for b in bones) for bones in mesh.rows("bones")]
    return mesh.rows("bones")


def material_losses(material, source, target):
    losses = set()
    if source.uv_sets and not target.uv_sets:
        losses |= {"loss-texture" for textures in material.uv_sets if len(textures) > 1}
        losses |= {"loss-hint" for textures in material.uv_sets if textures and textures[0][0]}
    if material.colors and (not target.uv_sets or (target.colors_may_miss and not material.uv_sets)):
        losses.add("loss-color")
    return losses


def expected_losses(model, source, target):
    losses = set().union(*(material_losses(material, source, target) for material in model.materials))
    meshes = [mesh for mesh in model.meshes if mesh.vertex_count]
    if not target.tangents and any(mesh.tangents for mesh in meshes):
        losses.add("loss-tangent")
    if not target.bones and any(mesh.skin for mesh in meshes):
        losses.add("loss-skin")
    if not target.animation and model.animation is not None:
        losses.add("loss-animation")
    return losses


class Conversion(unittest.TestCase):
    def compare(self, before, source, after, target):
        self.assertEqual(len(after.materials), len(before.materials))
        self.assertEqual(len(after.meshes), len(before.meshes))
        for old, new in zip(before.materials, after.materials):
            self.compare_materials(old, source, new, target)
        for old, new in zip(before.meshes, after.meshes):
            self.compare_meshes(old, source, new, target)
        if target.animation:
            self.assertEqual(after.animation, before.animation)

    def compare_materials(self, old, source, new, target):
        self.assertEqual(new.id, old.id)
        self.assertEqual(first_textures(new), first_textures(old))
        if source.uv_sets and target.uv_sets:
            self.assertEqual(new.uv_sets, old.uv_sets)
        if target.uv_sets and not (target.colors_may_miss and not new.uv_sets):
            self.assertEqual(new.colors, old.colors)

    def compare_meshes(self, old, source, new, target):
        self.assertEqual((new.id, new.material, new.vertex_count, new.uv_count, new.color_floats),
                         (old.id, old.material, old.vertex_count, old.uv_count, old.color_floats))
        self.assertEqual(new.indices, old.indices)
        kept = {"position", "normal", "color"} | {f"uv{i}" for i in range(old.uv_count)}
        kept |= {"tangent"} if target.tangents else set()
        kept |= {"weights"} if target.bones else set()
        for name in kept:
            self.assertEqual(new.column_bytes(name), old.column_bytes(name), name)
        self.assertEqual(bool(new.skin), bool(old.skin and target.bones))
        if target.bones and old.skin:
            self.assertEqual(armature_bones(new, target), armature_bones(old, source))

    def convert(self, path, model, dialect, target):
        result = stele("convert", path, "-", "--dialect", target)
        self.assertEqual(result.returncode, 0, result.stderr)
        converted, _ = read_sgm(result.stdout, target)
        self.compare(model, SGM[dialect], converted, SGM[target])
        losses = set(re.findall(r"\[(loss-[a-z-]+)\]", result.stderr.decode()))
        self.assertEqual(losses, expected_losses(model, SGM[dialect], SGM[target]))
        return result.stdout

    def test_samples_to_every_dialect(self):
        for path in sorted(SAMPLES.rglob("*.sgm")):
            ((_, dialect), (model, _)), = fits_sgm(path.read_bytes()).items()
            for target in SGM:
                with self.subTest(path.name, target=target):
                    self.convert(path, model, dialect, target)

    def test_invented_files(self):
        rng = random.Random(SEED + 2)
        with tempfile.TemporaryDirectory() as folder:
            for i in range(180):
                dialect, target = list(SGM)[i % len(SGM)], rng.choice(list(SGM))
                model, path = invent_model(rng, dialect), Path(folder, f"{i}.sgm")
                path.write_bytes(write_sgm(model, dialect))
                if set(fits_sgm(path.read_bytes())) != {("sgm", dialect)}:
                    continue
                with self.subTest(i, dialect=dialect, target=target):
                    self.convert(path, model, dialect, target)

    def test_json_names_the_same_losses(self):
        paths = sorted((SAMPLES / "dialects").glob("*.sgm"))
        for target in SGM:
            with tempfile.TemporaryDirectory() as folder:
                found = documents("convert", "--dialect", target, "--out-dir", folder, *paths)
                for path in paths:
                    with self.subTest(path.name, target=target):
                        ((_, dialect), (model, _)), = fits_sgm(path.read_bytes()).items()
                        losses = {d["id"] for d in found[str(path)]["diagnostics"] if d["severity"] == "loss"}
                        self.assertEqual(losses, expected_losses(model, SGM[dialect], SGM[target]))
                        self.assertEqual(Path(folder, path.name).read_bytes(), self.convert(path, model, dialect, target))

    def test_what_does_not_fit_is_not_written(self):
        mesh = Mesh(0, 0, 0, 0, 0, 0, vertex_count=70000, raw=struct.pack("<6f", 0, 0, 0, 0, 1, 0) * 70000, index_size=4)
        many_vertices = Model([Material(0, [])], [replace(mesh, indices=(0, 1, 69999))])
        many_indices = Model([Material(0, [])], [replace(mesh, vertex_count=3, raw=mesh.raw[:72], indices=(0, 1, 2) * 30000)])
        refused = {"v0", "v0a", "v0b", "v1a"}
        for model, expected in ((many_vertices, refused | {"v1b", "v1"}), (many_indices, refused)):
            for target in SGM:
                with self.subTest(target=target):
                    result = stele("convert", "-", "-", "--dialect", target, input=write_sgm(model, "v3"))
                    self.assertEqual(result.returncode, int(target in expected), result.stderr)
                    self.assertEqual(not result.stdout, target in expected)
                    self.assertEqual(b"[does-not-fit]" in result.stderr, target in expected)


class SkeletonConversion(unittest.TestCase):
    def test_rotations_come_and_go(self):
        rng = random.Random(SEED + 3)
        for _ in range(10):
            plain = write_sga(invent_skeleton(rng, "v1"))
            prototype = stele("convert", "-", "-", "--dialect", "prototype", input=plain)
            skeleton, _ = read_sga(prototype.stdout, "prototype")
            self.assertEqual({bone.rotation for bone in skeleton.bones}, {(0.0, 0.0, 0.0, 1.0)})
            back = stele("convert", "-", "-", "--dialect", "v1", input=prototype.stdout)
            self.assertEqual((back.returncode, back.stdout == plain, back.stderr), (0, True, b""))

    def test_a_turned_bone_is_a_loss(self):
        skeleton = invent_skeleton(random.Random(SEED), "prototype")
        skeleton.bones[0].rotation = (1.0, 0.0, 0.0, 0.0)
        result = stele("convert", "-", "-", "--dialect", "v1", input=write_sga(skeleton))
        self.assertEqual((result.returncode, b"[loss-rotation]" in result.stderr), (0, True))
        for bone in skeleton.bones:
            bone.rotation = ()
        self.assertEqual(result.stdout, write_sga(skeleton))


# ---- Damage to the structure ---------------------------------------------------------------------------------------------

class DamagedStructure(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    @staticmethod
    def originals():
        rng = random.Random(SEED + 4)
        for dialect in SGM:
            model = invent_model(rng, dialect)
            while not 200 < len(write_sgm(model, dialect)) < 700 or not any(mesh.indices for mesh in model.meshes):
                model = invent_model(rng, dialect)
            yield f"{dialect}.sgm", write_sgm(model, dialect)
        for dialect in SGA:
            yield f"{dialect}.sga", write_sga(invent_skeleton(rng, dialect))

    def put(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def explained(self):
        result = stele("explain", "--json", "-r", self.folder)
        self.assertGreaterEqual(result.returncode, 0)
        found = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual(len(found), len(list(self.folder.iterdir())))
        return found

    def test_every_way_to_cut_a_file_short(self):
        for name, data in self.originals():
            for size in range(1, len(data)):
                self.put(f"{size:04}-{name}", data[:size])
        for document in self.explained():
            path = Path(document["file"])
            data, errors = path.read_bytes(), {d["id"] for d in document["diagnostics"] if d["severity"] == "error"}
            with self.subTest(path.name):
                self.assertTrue(covers(document["fields"], len(data)) or document["format"] is None)
                self.assertTrue(errors or fits(data, sensible=False))
                self.assertNotIn("line-endings-converted", errors)

    def test_changed_bytes(self):
        rng = random.Random(SEED + 5)
        for name, data in self.originals():
            for i in range(40):
                damaged = bytearray(data)
                damaged[rng.randrange(5, min(len(data), 60))] = rng.choice((0, 1, 2, 10, 127, 255))
                self.put(f"{i:04}-{name}", damaged)
        for document in self.explained():
            size = Path(document["file"]).stat().st_size
            with self.subTest(Path(document["file"]).name):
                self.assertTrue(covers(document["fields"], size))

    def test_trailing_bytes_are_a_gap_and_kept(self):
        for name, data in self.originals():
            if name.startswith("v0") or name in ("v3-nocolor.sgm", "prototype.sga"):
                continue  # these are told from their siblings by where they end
            path = self.put(name, data + b"more")
            with self.subTest(name):
                document, = documents("explain", path).values()
                self.assertEqual(document["fields"][-1]["type"], "gap")
                self.assertEqual(document["fields"][-1]["size"], 4)
                self.assertIn("trailing-bytes", [d["id"] for d in document["diagnostics"]])
                self.assertEqual(stele("convert", path, "-").stdout, data + b"more")


class OldDialects(unittest.TestCase):
    """v1a and v1b differ only in the width of the index count."""

    def dialect_of(self, last_index, position, animation):
        raw = struct.pack("<6f", position, 0, 0, 0, 1, 0) * 3
        mesh = Mesh(0, 0, 0, 0, 0, 0, vertex_count=3, raw=raw, indices=(0, 2, last_index))
        model = Model([Material(0, [])], [mesh], animation, int(animation is not None))
        document = json.loads(stele("info", "--json", "--format", "sgm", "-", input=write_sgm(model, "v1b")).stdout)
        return document["dialect"]

    def test_the_name_of_the_animation_decides(self):
        """With 1 as the last index, v1a fits too, but for a name without a length."""
        for last_index in (0, 1, 2):
            for position in (0.0, math.nan):
                for animation in (None, b"walk.sga"):
                    with self.subTest(last_index, position=position, animation=animation):
                        self.assertEqual(self.dialect_of(last_index, position, animation), "v1b")


class OracleItself(unittest.TestCase):
    def test_reads_what_it_writes(self):
        rng = random.Random(SEED)
        for i in range(90):
            dialect = list(SGM)[i % len(SGM)]
            model = invent_model(rng, dialect)
            self.assertEqual(read_sgm(write_sgm(model, dialect), dialect)[0], model)
            skeleton = invent_skeleton(rng, SGA[i % 2])
            self.assertEqual(read_sga(write_sga(skeleton), SGA[i % 2])[0], skeleton)


if __name__ == "__main__":
    unittest.main()
