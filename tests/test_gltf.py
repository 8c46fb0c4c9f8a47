#!/usr/bin/env python3
"""What is written as glTF: valid by the Khronos validator, the same for three.js as for our own evaluation, and laid out as
glTF and the pages say. All of this is found out without the library's own reader."""
import json
import os
import shutil
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

from corpus import CORPUS, real_files
from gltf_oracle import COMPONENTS, TYPES, Gltf

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
BUILD = Path(os.environ.get("STELE_BUILD", ROOT / "build"))
STELE = os.environ.get("STELE", str(BUILD / "stele"))
VERTICES, INDICES = 34962, 34963

# Warnings that a writer cannot avoid: the model has a normal map and no tangents, or an image of an unusual type.
UNAVOIDABLE = {"MESH_PRIMITIVE_GENERATED_TANGENT_SPACE", "IMAGE_UNRECOGNIZED_FORMAT", "IMAGE_FEATURES_UNSUPPORTED"}


def run(*command, **more):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)


def node(script, files):
    done = run("node", TESTS / script, *files)
    if done.returncode:
        raise AssertionError(f"{script}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def convert(source, target, *options):
    done = run(STELE, "convert", "-q", "-f", *options, source, target)
    if done.returncode:
        raise AssertionError(f"{source} -> {target}: {done.stdout}{done.stderr}")


def endings():
    formats = json.loads(run(STELE, "formats", "--json").stdout)["formats"]
    return {"." + e for f in formats for e in f["extensions"]}


def models_in(folder):
    known = endings()
    return sorted(p for p in folder.rglob("*") if p.suffix in known)


class Samples:
    """All samples as .glb and .gltf, made once, in a copy of their folders so that textures are where they belong."""
    folder = None

    @classmethod
    def get(cls):
        if not cls.folder:
            cls.folder = tempfile.TemporaryDirectory()
            shutil.copytree(ROOT / "samples", Path(cls.folder.name) / "samples")
            cls.glb, cls.gltf = [], []
            for path in models_in(Path(cls.folder.name)):
                for ending, files in (("glb", cls.glb), ("gltf", cls.gltf)):
                    if path.suffix != "." + ending:  # which would be a copy
                        files.append(path.with_name(f"{path.stem}_{path.suffix[1:]}.{ending}"))
                        convert(path, files[-1])
        return cls


class Validator(unittest.TestCase):
    def check(self, files, of):
        warnings = {}
        for report in node("validate_gltf.mjs", files):
            self.assertEqual(report["errors"], [], report["file"])
            for warning in report["warnings"]:
                self.assertIn(warning.split()[0], UNAVOIDABLE, report["file"])
                warnings[warning.split()[0]] = warnings.get(warning.split()[0], 0) + 1
        print(f"# {len(files)} files of {of}: no errors, warnings: {warnings or 'none'}")

    def test_samples(self):
        samples = Samples.get()
        self.assertGreater(len(samples.glb), 40)
        self.check(samples.glb + samples.gltf, "the samples")

    def test_embedded_and_copied_textures(self):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for option in ("--embed-textures", "--copy-textures"):
                for ending in ("glb", "gltf"):
                    files.append(Path(folder) / option / ("scribe." + ending))
                    files[-1].parent.mkdir(exist_ok=True)
                    convert(ROOT / "samples/scribe.sgm", files[-1], option)
            for report in node("validate_gltf.mjs", files):
                self.assertEqual(report["errors"] + report["warnings"], [], report["file"])
                self.assertFalse([i for i in report["infos"] if i.startswith("MISSING")], report["file"])
            original = (ROOT / "samples/scribe.png").read_bytes()
            embedded = Gltf(files[0])
            image = embedded.json["images"][0]
            self.assertEqual(bytes(embedded.view_bytes(image["bufferView"])), original)
            self.assertEqual(image["mimeType"], "image/png")
            self.assertFalse((files[0].parent / "scribe.png").exists())
            self.assertEqual((files[2].parent / "scribe.png").read_bytes(), original)

    @unittest.skipUnless(CORPUS.is_dir(), "there is no corpus")
    def test_corpus(self):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for i, path in enumerate(real_files(*endings())):
                files.append(Path(folder) / f"{i}.glb")
                convert(path, files[-1])
            self.check(files, "the corpus")
            for report in node("three_load.mjs", files):
                compare_with_three(self, report)

    def test_a_wrong_file_is_seen(self):
        """The validator must be able to say no: a bound off by a little, a view one byte too short."""
        path = next(p for p in Samples.get().gltf if p.name == "scribe_sgm.gltf")
        document = json.loads(path.read_text())
        document["accessors"][0]["min"][0] += 1e-3
        document["bufferViews"][0]["byteLength"] -= 48
        broken = path.with_name("broken.gltf")
        broken.write_text(json.dumps(document))
        codes = {e.split()[0] for e in node("validate_gltf.mjs", [broken])[0]["errors"]}
        self.assertTrue({"ACCESSOR_MIN_MISMATCH", "ACCESSOR_TOO_LONG"} & codes, codes)


def compare_with_three(test, report, tolerance=1e-5):
    g = Gltf(report["file"])
    if not g.drawn():
        return
    for pose in report["poses"]:
        low, high = g.bounds(pose["clip"], pose["time"])
        size = max(b - a for a, b in zip(low, high)) or 1.0
        for ours, theirs in zip(low + high, pose["min"] + pose["max"]):
            test.assertLess(abs(ours - theirs), tolerance * size, f"{report['file']}: {pose}")


class Three(unittest.TestCase):
    def test_samples_look_the_same(self):
        reports = node("three_load.mjs", Samples.get().glb)
        self.assertGreater(sum(len(r["poses"]) > 1 for r in reports), 5)
        for report in reports:
            compare_with_three(self, report)


class Layout(unittest.TestCase):
    def each(self):
        return map(Gltf, Samples.get().glb + Samples.get().gltf)

    def test_views_lie_aligned_one_after_another(self):
        for g in self.each():
            at = 0
            for view in g.json.get("bufferViews", []):
                start = view.get("byteOffset", 0)
                self.assertEqual(start % 4, 0, g.path)
                self.assertTrue(at <= start < at + 4, f"{g.path}: views neither overlap nor leave more than padding")
                at = start + view["byteLength"]
            self.assertEqual([at] if at else [], [b["byteLength"] for b in g.json.get("buffers", [])], g.path)

    def test_bounds_are_those_of_the_data(self):
        for g in self.each():
            needed = {p["attributes"]["POSITION"] for m in g.meshes for p in m["primitives"]}
            needed |= {t["POSITION"] for m in g.meshes for p in m["primitives"] for t in p.get("targets", []) if "POSITION" in t}
            needed |= {s["input"] for a in g.animations for s in a["samplers"]}
            bounded = {i for i, a in enumerate(g.json.get("accessors", [])) if "min" in a or "max" in a}
            self.assertEqual(bounded, needed, g.path)
            for index in needed:
                rows = [r if isinstance(r, tuple) else (r,) for r in g.raw_accessor(index)]
                f32 = lambda numbers: [struct.unpack("<f", struct.pack("<f", n))[0] for n in numbers]
                self.assertEqual(f32(g.json["accessors"][index]["min"]), [min(c) for c in zip(*rows)], g.path)
                self.assertEqual(f32(g.json["accessors"][index]["max"]), [max(c) for c in zip(*rows)], g.path)

    def test_accessors_fit_and_targets_are_said(self):
        for g in self.each():
            views = g.json.get("bufferViews", [])
            uses = {}
            for mesh in g.meshes:
                for p in mesh["primitives"]:
                    for accessor in p["attributes"].values():
                        uses.setdefault(g.json["accessors"][accessor].get("bufferView"), set()).add(VERTICES)
                    if "indices" in p:
                        uses.setdefault(g.json["accessors"][p["indices"]]["bufferView"], set()).add(INDICES)
            for i, view in enumerate(views):
                self.assertEqual({view["target"]} if "target" in view else set(), uses.get(i, set()), g.path)
            for a in (a for a in g.json.get("accessors", []) if "bufferView" in a):
                size = TYPES[a["componentType"]][1] * COMPONENTS[a["type"]]
                view = views[a["bufferView"]]
                stride = view.get("byteStride", size)
                self.assertLessEqual(a.get("byteOffset", 0) + stride * (a["count"] - 1) + size, view["byteLength"], g.path)
                if view.get("target") == VERTICES:
                    self.assertEqual((a.get("byteOffset", 0) % 4, stride % 4), (0, 0), g.path)
                    self.assertGreaterEqual(view["byteLength"], stride * a["count"], "three.js reads whole rows")

    def test_nothing_is_empty(self):
        def look(value, path):
            if isinstance(value, dict):
                for key, inner in value.items():
                    if key != "extras":
                        look(inner, path + "/" + key)
            elif isinstance(value, list):
                self.assertTrue(value, path + " is empty")
                for inner in value:
                    look(inner, path + "/*")
        for g in self.each():
            look(g.json, g.path.name)
            self.assertEqual(g.json["asset"]["version"], "2.0")
            self.assertRegex(g.json["asset"]["generator"], r"^stele \d+\.\d+\.\d+$")

    def test_interleaved_vertices_are_passed_through(self):
        """The vertices of the SGM are in the GLB as one run of bytes, and all attributes read them in place."""
        g = Gltf(next(p for p in Samples.get().glb if p.name == "scribe_sgm.glb"))
        source = (ROOT / "samples/scribe.sgm").read_bytes()
        for mesh in g.meshes:
            for p in mesh["primitives"]:
                views = {g.json["accessors"][a]["bufferView"] for n, a in p["attributes"].items() if n in ("POSITION", "NORMAL", "TEXCOORD_0")}
                self.assertEqual(len(views), 1)
                view = g.json["bufferViews"][views.pop()]
                count = g.json["accessors"][p["attributes"]["POSITION"]]["count"]
                whole = bytes(g.buffer(0)[view.get("byteOffset", 0):][:view["byteStride"] * (count - 1)])
                self.assertIn(whole, source)

    def test_clips_share_their_times(self):
        g = Gltf(next(p for p in Samples.get().glb if p.name == "scribe_sgm.glb"))
        for animation in g.animations:
            times = [s["input"] for s in animation["samplers"]]
            contents = {tuple(g.accessor(i)) for i in times}
            self.assertEqual(len(set(times)), len(contents))

    def test_the_same_input_gives_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            a, b = Path(folder) / "a", Path(folder) / "b"
            for copy in (a, b):
                copy.mkdir()
                convert(ROOT / "samples/scribe.sgm", copy / "x.glb")
                convert(ROOT / "samples/scribe.sgm", copy / "x.gltf")
            for name in ("x.glb", "x.gltf", "x.bin"):
                self.assertEqual((a / name).read_bytes(), (b / name).read_bytes())

    def test_both_containers_hold_the_same(self):
        both = [(p, p.with_suffix(".gltf")) for p in Samples.get().glb if p.with_suffix(".gltf").exists()]
        self.assertGreater(len(both), 40)
        for glb, gltf in both:
            a, b = Gltf(glb), Gltf(gltf)
            for document in (a.json, b.json):
                for buffer in document.get("buffers", []):
                    buffer.pop("uri", None)
            self.assertEqual(a.json, b.json, glb.name)
            if "buffers" in a.json:
                self.assertEqual(a.buffer(0), b.bin or (gltf.with_suffix(".bin")).read_bytes())


class Made(unittest.TestCase):
    """Models that tests/gltf_models.c makes through the API."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        program = cls.folder / "gltf_models"
        built = run("cc", "-std=c11", f"-I{ROOT}/include", TESTS / "gltf_models.c", BUILD / "libstele.a",
                    *"-lwebpmux -lwebp -lpng -ljpeg -lz -llz4 -lm".split(), "-o", program)
        assert built.returncode == 0, built.stderr
        cls.reports = {}
        for line in run(program, cls.folder, check=True).stdout.splitlines():
            name, format, status, *diagnostics = line.split()
            cls.reports[name, format] = (int(status), diagnostics)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def open(self, name, said=()):
        """The model in its three forms, which must be the same."""
        for format in ("glb", "gltf"):
            self.assertEqual(self.reports[name, format], (0, list(said)))
        files = [self.folder / (name + ending) for ending in (".glb", ".gltf", "-alone.gltf")]
        for report in node("validate_gltf.mjs", files):
            self.assertEqual(report["errors"], [], report["file"])
            self.assertLessEqual({w.split()[0] for w in report["warnings"]}, UNAVOIDABLE)
        if name not in ("empty",):
            compare_with_three(self, node("three_load.mjs", files[:1])[0])
        g, text, alone = map(Gltf, files)
        if "buffers" in g.json:
            self.assertTrue(alone.json["buffers"][0]["uri"].startswith("data:"))
            self.assertEqual(text.json["buffers"][0]["uri"], name + ".bin")
            self.assertEqual(g.buffer(0), text.buffer(0))
            self.assertEqual(g.buffer(0), alone.buffer(0))
        return g

    def test_empty(self):
        g = self.open("empty")
        self.assertEqual(set(g.json), {"asset", "scene", "scenes"})
        self.assertEqual(len(g.chunks), 1)

    def test_interleaved(self):
        g = self.open("interleaved")
        self.assertEqual(g.json["bufferViews"], [{"buffer": 0, "byteLength": 108, "byteStride": 36, "target": VERTICES}])
        attributes = g.primitive(0, 0)["attributes"]
        self.assertEqual(list(attributes), ["POSITION", "NORMAL", "TEXCOORD_0", "COLOR_0"])
        offsets = {n: g.json["accessors"][a].get("byteOffset", 0) for n, a in attributes.items()}
        self.assertEqual(offsets, {"POSITION": 0, "NORMAL": 12, "TEXCOORD_0": 24, "COLOR_0": 32})
        self.assertEqual(g.positions(0, 0), [(0, 0, -1.5), (1, 0, -1.5), (0, 1, -1.5)])
        self.assertEqual(g.accessor(attributes["TEXCOORD_0"]), [(0, 0.25), (1, 0.25), (2, 0.25)])
        self.assertEqual(g.accessor(attributes["COLOR_0"]), [(0, 0.2, 1, 1)] * 3)

    def test_strides(self):
        g = self.open("strides")
        attributes = g.primitive(0, 0)["attributes"]
        self.assertEqual(g.positions(0, 0), [(0, 0, 0), (1, 0, 0), (0, 1, 0)])
        self.assertEqual(g.accessor(attributes["NORMAL"]), [(0, 1, 0)] * 3)
        self.assertEqual(g.accessor(attributes["TEXCOORD_0"]), [(0, 1), (1, 0), (0.2, 0.4)])
        self.assertLess(g.json["buffers"][0]["byteLength"], 100)

    def test_neighbours(self):
        g = self.open("neighbours")
        self.assertEqual([(v["byteLength"], v.get("byteStride")) for v in g.json["bufferViews"]], [(36, None), (12, None), (12, None)])
        self.assertEqual(g.positions(0, 0), [(0, 0, 0), (1, 0, 0), (0, 1, 0)])
        self.assertEqual((g.positions(0, 1), g.normals(0, 1)), ([(1, 2, 3)], [(0, 0, 1)]))
        self.assertEqual(g.primitive(0, 1)["mode"], 0)

    def test_restart(self):
        g = self.open("restart")
        types = [g.json["accessors"][p["indices"]]["componentType"] for p in g.meshes[0]["primitives"]]
        self.assertEqual(types, [5121, 5123, 5123, 5125, 5125, 5123])
        lists = [g.raw_accessor(p["indices"]) for p in g.meshes[0]["primitives"]]
        self.assertEqual(lists, [[0, 1, 254], [0, 1, 255], [0, 1, 65534], [0, 1, 65535], [0, 1, 65535], [7, 8, 9]])
        self.assertEqual(len({p["attributes"]["POSITION"] for p in g.meshes[0]["primitives"]}), 1)
        self.assertEqual(g.json["buffers"][0]["byteLength"], 65536 * 12 + 4 + 8 + 8 + 12 + 12 + 6)

    def test_morphs(self):
        g = self.open("morphs")
        targets = g.primitive(0, 0)["targets"]
        self.assertEqual([list(t) for t in targets], [["POSITION"]] * 3, "normals that the mesh has not cannot be moved")
        self.assertEqual(g.accessor(targets[0]["POSITION"]), [(1, 1, 1), (2, 2, 2), (3, 3, 3)])
        sparse = g.json["accessors"][targets[1]["POSITION"]]
        self.assertEqual((sparse["sparse"]["count"], "bufferView" in sparse), (2, False))
        self.assertEqual(g.accessor(targets[1]["POSITION"]), [(0, 0, -1), (0, 0, 0), (0, 0, 12)])
        self.assertEqual(g.accessor(targets[2]["POSITION"]), [(0, 0, 0)] * 3)
        self.assertEqual(g.meshes[0]["extras"], {"targetNames": ["dense", "sparse", ""]})
        self.assertEqual((g.meshes[0]["weights"], g.nodes[0]["weights"]), ([0.5, 1, 0], [0, 0.25, 0]))
        self.assertEqual(g.positions(0, 0), [(0, 0, -0.25), (1, 0, 0), (0, 1, 3)])
        self.assertEqual(g.positions(0, 0, "blend", 1.0)[2], (1.5, 2.5, 1.5 + 0.25 * 12))

    def test_clips(self):
        g = self.open("clips", ["loss-animation=1"] * 3)
        self.assertEqual(g.clips, ["mixed", "early"])
        samplers = g.animations[0]["samplers"]
        self.assertEqual([s.get("interpolation", "LINEAR") for s in samplers], ["LINEAR", "CUBICSPLINE", "STEP"])
        self.assertEqual(samplers[0]["input"], samplers[1]["input"], "the same times, though not in the same place")
        self.assertEqual([c["target"]["path"] for c in g.animations[0]["channels"]], ["rotation", "translation", "scale"])
        turns = g.accessor(samplers[0]["output"])
        self.assertEqual(turns[0], (0, 0, 0, 1))
        self.assertAlmostEqual(turns[1][2], 0.5 ** 0.5, 6)
        self.assertEqual(g.accessor(samplers[2]["output"]), [(2, 3, 4)])
        self.assertAlmostEqual(g.world("mixed", 0.5)[0][12], 0.875)
        kept = g.animations[1]["samplers"][0]
        self.assertEqual(g.accessor(kept["input"]), [0, 0.5, 1])
        self.assertEqual(g.accessor(kept["output"]), [(1, 1, 1), (2, 2, 2), (3, 3, 3)])

    def test_skin(self):
        g = self.open("skin")
        self.assertEqual(g.json["scenes"][0]["nodes"], [2, 4], "the skinned mesh is at the top, beside a root above all joints")
        self.assertEqual(g.nodes[4], {"children": [0, 1]})
        self.assertEqual(g.nodes[2], {"mesh": 0, "skin": 0})
        self.assertNotIn("skin", g.nodes[3])
        self.assertNotIn("skeleton", g.skins[0])
        self.assertEqual(g.json["accessors"][g.primitive(2, 0)["attributes"]["JOINTS_0"]]["componentType"], 5123)
        self.assertEqual(g.accessor(g.skins[0]["inverseBindMatrices"])[1][3], 0)
        self.assertEqual(g.positions(2, 0), [(5, 0, 0), (3.5, 1, 0), (0, 3, 0)])

    def test_nodes(self):
        g = self.open("nodes", ["loss-mesh=1", "loss-name=1", "loss-precision=1", "loss-shear=1"])
        self.assertEqual(g.nodes[0]["name"], "with \ufffd properties")
        self.assertEqual(g.nodes[0]["extras"], {"attachment": True, "word": "quoted \"\\\n\x01 \u00e4", "tree": {"a": [1, None]},
                                                "one": 1, "three": [1, 2.5, None]})
        self.assertEqual(g.nodes[1]["matrix"], [0, 0, -2, 0, 0, 2, 0, 0, 2, 0, 0, 0, 7, 8, 9, 1])
        self.assertNotIn("matrix", g.nodes[2])
        for a, b in zip(g.world()[1], g.world()[2]):
            self.assertAlmostEqual(a, b, 5)
        self.assertNotIn("matrix", g.nodes[3])
        self.assertNotIn("rotation", g.nodes[4])
        self.assertEqual(len(g.meshes), 1)

    def test_materials(self):
        g = self.open("materials", ["uvs-made=3", "uvs-made=3", "loss-color=1"])
        plain, m = g.json["materials"][:2]
        self.assertEqual(plain, {"pbrMetallicRoughness": {"metallicFactor": 0}})
        pbr = m["pbrMetallicRoughness"]
        self.assertEqual(pbr["baseColorFactor"], [0.5, 1, 1, 1])
        self.assertEqual(pbr["baseColorTexture"], {"index": 0, "texCoord": 1, "extensions": {"KHR_texture_transform": {"scale": [2, 1]}}})
        self.assertEqual(m["normalTexture"], {"index": 1, "scale": 0.5})
        self.assertEqual(m["occlusionTexture"], {"index": 1, "strength": 0.25})
        self.assertEqual((m["emissiveFactor"], m["extensions"]["KHR_materials_emissive_strength"]), ([1, 0, 0.25], {"emissiveStrength": 2}))
        self.assertEqual(m["extensions"]["KHR_materials_specular"], {"specularFactor": 0.25, "specularColorFactor": [1, 0.5, 1]})
        self.assertEqual((m["alphaMode"], m["alphaCutoff"], m["doubleSided"]), ("MASK", 0.75, True))
        self.assertEqual(g.json["materials"][2]["extensions"], {"KHR_materials_unlit": {}})
        self.assertEqual(g.json["extensionsUsed"], ["KHR_materials_emissive_strength", "KHR_materials_specular", "KHR_materials_unlit",
                                                    "KHR_texture_transform"])
        self.assertEqual(g.json["textures"], [{"sampler": 0, "source": 0, "extras": {"stele.name": "fur & 100% wool.*"}},
                                              {"source": 1}, {}])
        self.assertEqual(g.json["samplers"], [{"minFilter": 9987, "wrapS": 33071}])
        self.assertEqual(g.json["images"][0], {"uri": "fur%20&%20100%25%20wool.png"})
        self.assertEqual(g.json["images"][1]["mimeType"], "image/png")
        self.assertEqual(g.json["images"][1]["name"], "inside")
        for texcoord in ("TEXCOORD_0", "TEXCOORD_1"):
            accessor = g.primitive(0, 0)["attributes"][texcoord]
            self.assertNotIn("bufferView", g.json["accessors"][accessor])
            self.assertEqual(g.accessor(accessor), [(0, 0)] * 3)

    def test_nonfinite(self):
        g = self.open("nonfinite", ["tangents-dropped=1", "loss-precision=2"])
        self.assertNotIn("TANGENT", g.primitive(0, 0)["attributes"])
        self.assertEqual(g.accessor(g.primitive(0, 0)["attributes"]["TEXCOORD_0"]), [(0, 1), (0, 0), (0, 0)])

    def test_what_cannot_be_is_refused(self):
        refused = [name for name, _ in self.reports if name.startswith("refused-")]
        self.assertEqual(len(refused), 12)
        for name in refused:
            # what is wrong with any model is found before the writer sees it
            unsound = name in ("refused-index", "refused-rows")
            for format in ("glb", "gltf"):
                self.assertEqual(self.reports[name, format], (2, []) if unsound else (1, ["does-not-fit=1"]), name)
            self.assertEqual(list(self.folder.glob(name + "*")), [], name)


class Again(unittest.TestCase):
    def test_a_copy_has_its_buffer(self):
        """An untouched .gltf is the same text wherever it goes; what it cannot do without goes with it."""
        with tempfile.TemporaryDirectory() as folder:
            source, copy = Path(folder) / "scribe.gltf", Path(folder) / "elsewhere/copy.gltf"
            copy.parent.mkdir()
            convert(ROOT / "samples/scribe.sgm", source)
            convert(source, copy)
            self.assertEqual(copy.read_bytes(), source.read_bytes())
            self.assertEqual({p.name for p in copy.parent.iterdir()}, {"copy.gltf", "scribe.bin"})
            self.assertEqual((copy.parent / "scribe.bin").read_bytes(), source.with_suffix(".bin").read_bytes())
            self.assertEqual(Gltf(copy).bounds(), Gltf(source).bounds())

    def test_reading_and_writing_changes_nothing(self):
        """From GLB to text and back through the model: the same bytes. (What is read is tested elsewhere.)"""
        for path in Samples.get().glb:
            with self.subTest(path.name):
                text, back = path.with_name("again.gltf"), path.with_name("again.glb")
                convert(path, text)
                convert(text, back)
                self.assertEqual(path.read_bytes(), back.read_bytes())


if __name__ == "__main__":
    unittest.main()
