#!/usr/bin/env python3
"""stele convert between formats, and stele diff, as their users see them."""
import base64
import json
import os
import resource
import shutil
import struct
import unittest
from pathlib import Path

from gltf_oracle import Gltf
from test_cli import FINDINGS, FINE, NO_IO, SAMPLES, UNSUPPORTED, USAGE, CliTest

SCRIBE = ("scribe.sgm", "scribe.sga", "scribe.png")


class ConvertTest(CliTest):
    def setUp(self):
        super().setUp()
        for name in SCRIBE:
            shutil.copy(SAMPLES / name, self.folder)

    def convert(self, *arguments, code=FINE, **options):
        return self.expect(code, "convert", *arguments, **options)

    def said(self, *arguments, code=FINE):
        return json.loads(self.convert("--json", *arguments, code=code).stdout)

    def ids(self, *arguments, code=FINE):
        return {d["id"] for d in self.said(*arguments, code=code)["diagnostics"]}


class Outputs(ConvertTest):
    def test_by_extension(self):
        result = self.convert("scribe.sgm", "out.glb")
        self.assertEqual(result.stderr, b"scribe.sgm -> out.glb (glb)\n")
        self.assertEqual(result.stdout, b"")
        self.assertEqual((self.folder / "out.glb").read_bytes()[:4], b"glTF")

    def test_by_name_whatever_the_extension(self):
        self.convert("scribe.sgm", "--to", "obj", "out.txt")
        self.assertIn(b"\nv ", (self.folder / "out.txt").read_bytes())
        self.convert("scribe.sgm", "--to", "fbx", "out.fbx", code=USAGE)
        self.convert("scribe.sgm", "out.fbx", code=UNSUPPORTED)

    def test_files_beside(self):
        self.assertIn(b"with out.bin", self.convert("scribe.sgm", "out.gltf").stderr)
        self.assertEqual(self.said("scribe.sgm", "more.gltf")["beside"], ["more.bin"])
        self.convert("out.gltf", "back.sgm")
        self.assertEqual(self.names(), sorted([*SCRIBE, "out.gltf", "out.bin", "more.gltf", "more.bin", "back.sgm", "back.sga"]))

    def test_a_file_beside_is_not_overwritten(self):
        self.put("out.bin", b"precious")
        self.convert("scribe.sgm", "out.gltf", code=NO_IO)
        self.assertEqual(self.names(), sorted([*SCRIBE, "out.bin"]))
        self.assertEqual((self.folder / "out.bin").read_bytes(), b"precious")
        self.convert("-f", "scribe.sgm", "out.gltf")
        self.assertNotEqual((self.folder / "out.bin").read_bytes(), b"precious")

    def test_standard_output(self):
        whole = self.convert("scribe.sgm", "-", "--to", "glb").stdout
        self.convert("scribe.sgm", "out.glb")
        self.assertEqual(whole, (self.folder / "out.glb").read_bytes())
        text = self.convert("scribe.sgm", "-", "--to", "gltf").stdout
        self.assertTrue(json.loads(text)["buffers"][0]["uri"].startswith("data:application/"))
        piped = self.convert("-", "-", "--to", "obj", input=whole).stdout
        self.assertIn(b"\nf ", piped)

    def test_what_has_no_place_is_lost_and_said(self):
        self.convert("scribe.sgm", "out.glb")
        self.assertIn(b"[loss-skeleton]", self.convert("out.glb", "-", "--to", "sgm").stderr)

    def test_folders(self):
        self.put("in/a/scribe.sgm", (SAMPLES / "scribe.sgm").read_bytes())
        self.put("in/a/scribe.sga", (SAMPLES / "scribe.sga").read_bytes())
        self.put("in/b/only.sga", (SAMPLES / "scribe.sga").read_bytes())
        self.convert("-r", "in", "--to", "glb", "--out-dir", "out")
        made = sorted(str(p.relative_to(self.folder / "out")) for p in (self.folder / "out").rglob("*.*"))
        self.assertEqual(made, ["a/scribe.glb", "b/only.glb"])  # the .sga of a model goes with it
        self.assertEqual(len(Gltf(self.folder / "out/a/scribe.glb").clips), 3)

    def test_an_existing_folder_as_the_output(self):
        (self.folder / "out").mkdir()
        self.convert("scribe.sgm", SAMPLES / "dialects/v3.twm", "out", "--to", "glb")
        self.assertEqual(self.names(self.folder / "out"), ["scribe.glb", "v3.glb"])

    def test_two_files_of_one_name(self):
        shutil.copy(SAMPLES / "dialects/v3.twm", self.folder / "scribe.twm")
        result = self.convert("scribe.sgm", "scribe.twm", "--to", "glb", "--out-dir", "out", code=USAGE)
        self.assertIn(b"out/scribe.glb", result.stderr)
        self.assertFalse((self.folder / "out").exists())


class Losses(ConvertTest):
    def test_said_with_counts(self):
        result = self.convert("scribe.sgm", "out.sff")
        self.assertIn(b"loss: SFF has no skeleton: 18 joints and 3 clips dropped [loss-skeleton]", result.stderr)
        loss = next(d for d in self.said("-f", "scribe.sgm", "out.sff")["diagnostics"] if d["id"] == "loss-skeleton")
        self.assertEqual((loss["severity"], loss["count"]), ("loss", 18))

    def test_strict_writes_nothing(self):
        result = self.convert("--strict", "scribe.sgm", "out.sff", code=FINDINGS)
        self.assertIn(b"not converted: ", result.stderr)
        self.assertEqual(self.names(), sorted(SCRIBE))
        self.convert("--strict", "scribe.sgm", "out.glb")

    def lossy(self, name, **more):
        """A glTF with what the model has no place for."""
        text = {"asset": {"version": "2.0", "copyright": "CC-BY me"}, "cameras": [{"type": "perspective"}], "scene": 0,
                "scenes": [{"nodes": [0]}], "nodes": [{"camera": 0, "extensions": {"KHR_lights_punctual": {"light": 0}}}],
                "extensionsUsed": ["KHR_lights_punctual"], **more}
        self.put(name, json.dumps(text).encode())

    def test_of_reading(self):
        self.lossy("in.gltf")
        losses = {d["id"]: d["severity"] for d in self.said("in.gltf", "out.glb")["diagnostics"]}
        self.assertEqual(losses, {"extension-ignored": "loss", "not-carried": "loss"})
        self.convert("--strict", "in.gltf", "strict.glb", code=FINDINGS)
        self.assertFalse((self.folder / "strict.glb").exists())
        self.assertEqual(Gltf(self.folder / "out.glb").json["asset"]["copyright"], "CC-BY me")

    def test_a_copy_loses_nothing(self):
        self.lossy("in.gltf")
        self.assertEqual(self.convert("--strict", "in.gltf", "out.gltf").stderr, b"in.gltf -> out.gltf (gltf 2.0)\n")
        severities = {d["severity"] for d in self.said("-f", "in.gltf", "out.gltf")["diagnostics"]}
        self.assertLessEqual(severities, {"note"})
        self.assertEqual((self.folder / "in.gltf").read_bytes(), (self.folder / "out.gltf").read_bytes())

    def test_baked_texture_transforms_are_kept(self):
        transform = {"KHR_texture_transform": {"offset": [0.5, 0.25]}}
        self.convert("scribe.sgm", "plain.gltf")
        text = json.loads((self.folder / "plain.gltf").read_text())
        uses = [m["pbrMetallicRoughness"].get("baseColorTexture") for m in text["materials"]]
        self.assertTrue(any(uses))
        for use in filter(None, uses):
            use["extensions"] = transform
        text["extensionsUsed"] = ["KHR_texture_transform"]
        self.put("in.gltf", json.dumps(text).encode())
        (self.folder / "out").mkdir()
        said = self.said("in.gltf", "out/scribe.sgm")["diagnostics"]
        self.assertEqual([d["id"] for d in said if d["severity"] == "loss"], [])

    def test_quiet_and_silent(self):
        self.lossy("in.gltf")
        said = self.convert("-q", "in.gltf", "out.glb").stderr
        self.assertEqual([line.count(b" loss: ") for line in said.splitlines()], [1, 1])
        self.assertEqual(self.convert("-qq", "-f", "in.gltf", "out.glb").stderr, b"")
        self.assertEqual(self.convert("-q", "--quiet", "--strict", "in.gltf", "strict.glb", code=FINDINGS).stderr, b"")
        self.put("bad.glb", b"glTF")
        self.assertNotEqual(self.convert("-q", "bad.glb", "out.obj", code=FINDINGS).stderr, b"")
        self.assertEqual(self.convert("-qq", "bad.glb", "out.obj", code=FINDINGS).stderr, b"")
        self.assertEqual(self.expect(FINDINGS, "check", "-qq", "bad.glb").stdout, b"")

    def test_one_mesh(self):
        self.assertIn(b"MESH holds one mesh: 3 merged", self.convert("scribe.sgm", "out.mesh").stderr)


class Textures(ConvertTest):
    def images(self, name):
        return Gltf(self.folder / name).json["images"]

    def test_refer(self):
        self.convert("scribe.sgm", "out.glb")
        self.assertEqual(self.images("out.glb"), [{"uri": "scribe.png"}])

    def test_elsewhere_is_a_warning(self):
        self.convert("scribe.sgm", "out/scribe.glb", code=NO_IO)  # no such folder
        (self.folder / "out").mkdir()
        result = self.convert("scribe.sgm", "out/scribe.glb")
        self.assertIn(b"warning: scribe.png is not beside the output", result.stderr)
        self.assertIn(b"[texture-not-copied]", result.stderr)

    def test_no_coordinates_for_it(self):
        shutil.copy(SAMPLES / "dialects/unindexed.sff", self.folder)
        self.assertIn("loss-texture", self.ids("unindexed.sff", "out.sgm"))
        self.convert("--strict", "unindexed.sff", "strict.sgm", code=FINDINGS)

    def test_copy(self):
        (self.folder / "out").mkdir()
        self.convert("--copy-textures", "scribe.sgm", "out/scribe.glb")
        self.assertEqual(self.names(self.folder / "out"), ["scribe.glb", "scribe.png"])
        self.assertEqual((self.folder / "out/scribe.png").read_bytes(), (SAMPLES / "scribe.png").read_bytes())
        self.convert("-f", "--copy-textures", "scribe.sgm", "out/scribe.glb")
        self.convert("--copy-textures", "scribe.sgm", "here.glb")  # it is there already, and the same
        self.put("out/scribe.png", b"another")
        self.convert("--copy-textures", "scribe.sgm", "out/more.glb", code=NO_IO)
        self.assertEqual((self.folder / "out/scribe.png").read_bytes(), b"another")

    def test_embed(self):
        self.convert("--embed-textures", "scribe.sgm", "out.glb")
        image, = self.images("out.glb")
        g = Gltf(self.folder / "out.glb")
        view = g.json["bufferViews"][image["bufferView"]]
        start = view.get("byteOffset", 0)
        self.assertEqual(image["mimeType"], "image/png")
        self.assertEqual(g.bin[start:start + view["byteLength"]], (SAMPLES / "scribe.png").read_bytes())

    def test_the_way_back(self):
        """What was inside is a file again, under its own name."""
        self.convert("--embed-textures", "scribe.sgm", "out.glb")
        (self.folder / "back").mkdir()
        said = self.said("out.glb", "back/scribe.sgm")
        self.assertEqual([Path(p).name for p in said["beside"]], ["scribe.png", "scribe.sga"])
        self.assertEqual([d for d in said["diagnostics"] if "texture" in d["id"]], [])
        for name in ("scribe.sgm", "scribe.png"):
            self.assertEqual((self.folder / "back" / name).read_bytes(), (SAMPLES / name).read_bytes(), name)
        self.convert("-f", "out.glb", "back/scribe.sgm")
        self.put("back/scribe.png", b"another")
        self.assertIn(b"back/scribe.png exists", self.convert("out.glb", "back/other.sgm", code=NO_IO).stderr)

    def test_only_named(self):
        self.convert("--embed-textures", "scribe.sgm", "out.glb")
        (self.folder / "back").mkdir()
        result = self.convert("--name-textures", "out.glb", "back/out.sgm")
        self.assertIn(b"the image scribe.png inside the file is not written", result.stderr)
        self.assertEqual(self.names(self.folder / "back"), ["out.sga", "out.sgm"])
        self.assertIn(b"[loss-texture]", self.convert("out.glb", "-", "--to", "sgm").stderr)

    def test_a_shared_image_is_there_once(self):
        self.convert("--embed-textures", "scribe.sgm", "out.gltf")
        text = json.loads((self.folder / "out.gltf").read_text())
        text["samplers"] = [{"wrapS": 33071}]
        text["textures"].append({"source": 0, "sampler": 0})
        text["materials"][0]["emissiveTexture"] = {"index": len(text["textures"]) - 1}
        self.put("two.gltf", json.dumps(text).encode())
        self.convert("two.gltf", "two.glb")
        made = Gltf(self.folder / "two.glb").json
        self.assertEqual((len(made["images"]), [t["source"] for t in made["textures"]]), (1, [0, 0]))
        (self.folder / "back").mkdir()
        self.convert("two.glb", "back/two.sgm")
        self.assertEqual(self.names(self.folder / "back"), ["scribe.png", "two.sga", "two.sgm"])

    def test_images_of_one_name(self):
        self.convert("--embed-textures", "scribe.sgm", "out.gltf")
        text = json.loads((self.folder / "out.gltf").read_text())
        other = (SAMPLES / "dialects/scribe_n.png").read_bytes()
        for content, name in ((other, "Scribe.png"), ((SAMPLES / "scribe.png").read_bytes(), "scribe")):
            text["images"].append({"uri": "data:image/png;base64," + base64.b64encode(content).decode(), "name": name})
            text["textures"].append({"source": len(text["images"]) - 1})
        text["materials"][0]["emissiveTexture"] = {"index": 1}
        text["materials"][0]["occlusionTexture"] = {"index": 2}
        self.put("two.gltf", json.dumps(text).encode())
        (self.folder / "back").mkdir()
        self.convert("two.gltf", "back/two.obj")
        files = {path.name: path.read_bytes() for path in (self.folder / "back").glob("*.png")}
        self.assertEqual(files, {"scribe.png": (SAMPLES / "scribe.png").read_bytes(), "Scribe_1.png": other})

    def test_not_both(self):
        for both in (("--embed-textures", "--copy-textures"), ("--name-textures", "--copy-textures")):
            self.convert(*both, "scribe.sgm", "out.glb", code=USAGE)

    def test_missing_is_reported(self):
        (self.folder / "scribe.png").unlink()
        self.assertIn(b"[texture-missing]", self.convert("scribe.sgm", "out.glb").stderr)


class NamesOfTextures(ConvertTest):
    """An SGM that says scribe.*, and a CTC that says scribe.tga: both mean scribe.png."""

    def setUp(self):
        super().setUp()
        shutil.copy(SAMPLES / "dialects/v11.ctc", self.folder / "scribe.ctc")
        data = (SAMPLES / "scribe.sgm").read_bytes()
        self.put("scribe.sgm", data.replace(b"\x0b\0scribe.png\0", b"\x09\0scribe.*\0"))
        self.assertTrue(self.says("scribe.sgm", b"scribe.*"))
        self.assertTrue(self.says("scribe.ctc", b"scribe.tga"))

    def says(self, name, text):
        return text in (self.folder / name).read_bytes()

    def test_that_of_the_image(self):
        for source, said in (("scribe.sgm", b"scribe.*"), ("scribe.ctc", b"scribe.tga")):
            for target in ("out.obj", "out.sff"):
                self.convert("-f", source, target)
                names = target.replace(".obj", ".mtl")
                self.assertTrue(self.says(names, b"scribe.png"), (source, target))
                self.assertFalse(self.says(names, said), (source, target))
        self.convert("scribe.ctc", "out.sgm")
        self.assertTrue(self.says("out.sgm", b"scribe.png"))
        self.convert("scribe.sgm", "out.ctc")
        self.assertTrue(self.says("out.ctc", b"scribe.png"))

    def test_the_way_back(self):
        (self.folder / "back").mkdir()
        for source, said in (("scribe.sgm", b"scribe.*"), ("scribe.ctc", b"scribe.tga")):
            self.convert("-f", source, "out.glb")
            self.convert("out.glb", "back/" + source)
            self.assertTrue(self.says("back/" + source, said), source)
        self.assertEqual((self.folder / "back/scribe.sgm").read_bytes(), (self.folder / "scribe.sgm").read_bytes())

    def test_no_image(self):
        (self.folder / "scribe.png").unlink()
        self.convert("scribe.sgm", "out.obj")
        self.assertTrue(self.says("out.mtl", b"scribe.png"))
        self.convert("scribe.ctc", "out.sgm")
        self.assertTrue(self.says("out.sgm", b"scribe.tga"))


PNG = b"\x89PNG\r\n\x1a\n"  # what all begin with


class FilesOfTextures(ConvertTest):
    """An OBJ with any textures, to be copied."""

    def setUp(self):
        super().setUp()
        (self.folder / "out").mkdir()

    def model(self, *textures, name="in/m"):
        lines = ["mtllib " + Path(name).name + ".mtl", "v 0 0 0", "v 1 0 0", "v 0 1 0", "vt 0 0"]
        materials = []
        for i, texture in enumerate(textures):
            lines += [f"usemtl m{i}", "f 1/1 2/1 3/1"]
            materials += [f"newmtl m{i}", f"map_Kd {texture}"]
            path = "in/" + texture.replace("\\", "/")
            if not (self.folder / path).exists():
                self.put(path, PNG + path.encode())
        self.put(name + ".obj", "\n".join(lines).encode() + b"\n")
        self.put(name + ".mtl", "\n".join(materials).encode() + b"\n")

    def made(self):
        return sorted(str(p.relative_to(self.folder / "out")) for p in (self.folder / "out").rglob("*"))

    def copy(self, *arguments, **options):
        return self.convert("--copy-textures", *arguments, **options)

    def test_in_folders(self):
        self.model("sub/deep/a.png", "sub\\b.png")
        self.copy("in/m.obj", "out/m.glb")
        self.assertEqual(self.made(), ["m.glb", "sub", "sub/b.png", "sub/deep", "sub/deep/a.png"])
        self.assertEqual((self.folder / "out/sub/b.png").read_bytes(), PNG + b"in/sub/b.png")
        self.copy("-f", "in/m.obj", "out/m.glb")

    def test_a_failure_leaves_no_folders(self):
        self.model("sub/deep/a.png", "sub/b.png")
        self.put("out/m.glb", b"precious")
        self.copy("in/m.obj", "out/m.glb", code=NO_IO)
        self.assertEqual(self.made(), ["m.glb"])
        self.put("out/sub", b"no folder")
        self.copy("in/m.obj", "out/n.glb", code=NO_IO)
        self.assertEqual(self.made(), ["m.glb", "sub"])

    def test_a_name_that_cannot_be_given(self):
        self.model("sub/a.png", "b.png")
        self.put("out/b.png", b"older")
        self.copy("-f", "in/m.obj", "out/" + 300 * "m" + ".glb", code=NO_IO)  # found out last, when textures have theirs
        self.assertEqual(self.made(), ["b.png"])

    def test_one_file_by_two_names(self):
        self.model("a.png", "./a.png", ".\\a.png")
        self.copy("in/m.obj", "out/m.glb")
        self.assertEqual(self.made(), ["a.png", "m.glb"])

    def test_the_name_of_the_output(self):
        self.model("m.glb", "a.png", "./m.bin")  # only images are copied, and only under names of images
        self.copy("in/m.obj", "out/m.gltf")
        self.assertEqual(self.made(), ["a.png", "m.bin", "m.gltf"])

    def test_two_at_the_same_time(self):
        self.put("in/shared.png", PNG + bytes(range(256)) * 4096)
        for i in range(20):
            self.model("shared.png", name=f"in/{i}")
        for _ in range(3):
            self.copy("-j2", "-r", "in", "--to", "glb", "--out-dir", "out")
            self.assertEqual(self.made(), sorted([f"{i}.glb" for i in range(20)] + ["shared.png"]))
            shutil.rmtree(self.folder / "out")

    def test_more_than_may_be_open(self):
        count = 1500
        self.model(*(f"{i}.png" for i in range(count)))
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, limit[1]))
        try:
            self.copy("in/m.obj", "out/m.glb")
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limit)
        self.assertEqual(len(self.made()), count + 1)


class Copies(ConvertTest):
    """In its own format a file takes along what belongs to it."""

    def setUp(self):
        super().setUp()
        (self.folder / "out").mkdir()

    def made(self, *arguments):
        self.convert("--strict", *arguments)
        names = self.names(self.folder / "out")
        shutil.rmtree(self.folder / "out")
        (self.folder / "out").mkdir()
        return names

    def test_sgm(self):
        self.assertEqual(self.made("scribe.sgm", "out/m.sgm"), ["m.sgm", "scribe.sga"])
        self.assertEqual(self.made("scribe.sgm", "out/m.sgm", "--copy-textures"), ["m.sgm", "scribe.png", "scribe.sga"])
        self.assertEqual(self.made("scribe.sgm", "out/m.sgm", "--dialect", "v3"), ["m.sgm", "scribe.sga"])
        self.convert("scribe.sgm", "here.sgm")
        self.put("out/scribe.sga", b"another")
        self.convert("scribe.sgm", "out/m.sgm", code=NO_IO)
        self.assertEqual(self.names(self.folder / "out"), ["scribe.sga"])

    def test_sgm_and_its_animation(self):
        for name in SCRIBE:
            self.put("in/" + name, (SAMPLES / name).read_bytes())
        for order in (["-r", "in"], ["in/scribe.sgm", "in/scribe.sga"], ["in/scribe.sga", "in/scribe.sgm"]):
            for jobs in ("-j1", "-j2"):
                self.assertEqual(self.made(jobs, *order, "--out-dir", "out"), ["scribe.sga", "scribe.sgm"])

    def test_obj(self):
        self.convert("scribe.sgm", "in.obj")
        self.assertEqual(self.made("in.obj", "out/m.obj"), ["in.mtl", "m.obj"])
        self.assertEqual(self.made("in.obj", "out/m.obj", "--copy-textures"), ["in.mtl", "m.obj", "scribe.png"])

    def test_gltf(self):
        self.convert("scribe.sgm", "in.gltf")
        self.assertEqual(self.made("in.gltf", "out/m.gltf"), ["in.bin", "m.gltf"])
        self.assertEqual(self.made("in.gltf", "out/m.gltf", "--copy-textures"), ["in.bin", "m.gltf", "scribe.png"])
        self.assertEqual(self.made("in.gltf", "out/m.gltf", "--embed-textures"), ["m.bin", "m.gltf"])  # no copy, then

    def test_others(self):
        shutil.copy(SAMPLES / "dialects/v11.ctc", self.folder / "in.ctc")
        self.convert("scribe.sgm", "in.sff")
        for kind in ("ctc", "sff"):
            self.assertEqual(self.made(f"in.{kind}", f"out/m.{kind}", "--copy-textures"), [f"m.{kind}", "scribe.png"])


class Poses(ConvertTest):
    def vertices(self, name):
        return [tuple(map(float, line.split()[1:4])) for line in (self.folder / name).read_text().splitlines()
                if line.startswith("v ")]

    def test_a_pose_is_baked(self):
        self.convert("scribe.sgm", "rest.obj")
        self.convert("scribe.sgm", "walk.obj", "--pose", "walk@0.5")
        self.convert("scribe.sgm", "same.obj", "--pose", "1@0.5")
        self.assertNotEqual(self.vertices("rest.obj"), self.vertices("walk.obj"))
        self.assertEqual(self.vertices("walk.obj"), self.vertices("same.obj"))
        self.convert("scribe.sgm", "out.glb")
        g = Gltf(self.folder / "out.glb")
        expected = [p for node, primitive in g.drawn() for p in g.positions(node, primitive, "walk", 0.5)]
        for a, b in zip(self.vertices("walk.obj"), expected, strict=True):
            self.assertLess(max(abs(x - y) for x, y in zip(a, b)), 1e-5)

    def test_in_any_format(self):
        self.convert("scribe.sgm", "still.sgm", "--pose", "write")
        self.assertFalse((self.folder / "still.sga").exists())
        info = json.loads(self.expect(FINE, "info", "--json", "still.sgm").stdout)
        self.assertEqual((info["joints"], len(info["meshes"])), (0, 3))

    def test_no_such_clip(self):
        result = self.convert("scribe.sgm", "out.obj", "--pose", "dance@1", code=USAGE)
        self.assertIn(b"walk", result.stderr)
        self.convert("scribe.sgm", "out.obj", "--pose", "walk@soon", code=USAGE)
        self.assertEqual(self.names(), sorted(SCRIBE))

    def test_frames_a_second(self):
        self.convert("scribe.sgm", "usual.glb")
        self.convert("scribe.sgm", "slow.glb", "--fps", "12")
        usual, slow = (Gltf(self.folder / n).duration("walk") for n in ("usual.glb", "slow.glb"))
        self.assertAlmostEqual(slow, 2 * usual, places=5)
        for bad in ("0", "-1", "fast", "nan", "inf"):
            self.convert("scribe.sgm", "out.glb", f"--fps={bad}", code=USAGE)


class Choices(ConvertTest):
    def test_unknown_ones_are_named(self):
        for choice in ("sgm.colors=blue", "sgm.taste=good", "colors"):
            self.convert("scribe.sgm", "out.glb", "--set", choice, code=USAGE)

    def test_colours(self):
        colors = []
        for space in ("linear", "srgb"):
            self.convert("-f", "scribe.sgm", "out.glb", "--set", f"sgm.colors={space}")
            g = Gltf(self.folder / "out.glb")
            primitive = next(p for m in g.json["meshes"] for p in m["primitives"] if "COLOR_0" in p["attributes"])
            colors.append(g.accessor(primitive["attributes"]["COLOR_0"])[0])
        for linear, srgb in zip(colors[0][:3], colors[1][:3]):
            if 0.05 < linear < 0.95:
                self.assertLess(srgb, linear)

    def test_listed(self):
        listed = [c for f in json.loads(self.expect(FINE, "formats", "--json").stdout)["formats"] for c in f["choices"]]
        self.assertIn("ctc.bind", [c["name"] for c in listed])


class Damage(ConvertTest):
    def test_errors_stop_it(self):
        data = bytearray((SAMPLES / "scribe.sgm").read_bytes())
        data[-40:-38] = struct.pack("<H", 0xffff)
        self.put("bad.sgm", bytes(data))
        code = self.stele("check", "bad.sgm").returncode
        self.assertEqual(code, FINDINGS)
        self.convert("bad.sgm", "out.glb", code=FINDINGS)
        self.assertNotIn("out.glb", self.names())


class Copies(ConvertTest):
    """What stays in its format keeps its bytes, with all that is wrong with them, and that is said."""

    # Where a triangle is wrong, and with which number: a full check finds the first, every check the others
    WRONG = {"short.glb": (44, 0.5), "nan.glb": (0, float("nan")), "uv.glb": (72, float("nan"))}

    def wrong(self, name):
        """A GLB of one triangle: positions, normals, uvs, of which a number is wrong. Returns its bytes."""
        numbers = bytearray(struct.pack("<24f", 0, 0, 0, 1, 0, 0, 0, 1, 0, *(0, 0, 1) * 3, *(0, 1) * 3))
        struct.pack_into("<f", numbers, *self.WRONG[name])
        accessor = {"componentType": 5126, "count": 3, "type": "VEC3"}
        text = json.dumps({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
                           "buffers": [{"byteLength": 96}],
                           "bufferViews": [{"buffer": 0, "byteOffset": 36 * i, "byteLength": 36 - 12 * (i == 2)} for i in range(3)],
                           "accessors": [{**accessor, "bufferView": 0, "min": [0, 0, 0], "max": [1, 1, 0]},
                                         {**accessor, "bufferView": 1}, {**accessor, "bufferView": 2, "type": "VEC2"}],
                           "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2}}]}]}).encode()
        text += b" " * (-len(text) % 4)
        body = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(numbers), 0x4E4942) + numbers
        data = struct.pack("<III", 0x46546C67, 2, 12 + len(body)) + body
        self.put(name, data)
        return data

    def findings(self, document):
        return [d for d in document["diagnostics"] if d["severity"] in ("warning", "error")]

    def check_copy(self, name, *options):
        """A copy says what check says, once, exits as that does, and has the same bytes."""
        checked = self.stele("check", "--json", name)
        copied = self.stele("convert", "--json", "-f", *options, name, f"copy-of-{name}")
        self.assertEqual(copied.returncode, checked.returncode, copied.stdout)
        found = self.findings(json.loads(checked.stdout))
        self.assertEqual(self.findings(json.loads(copied.stdout)), found)
        self.assertEqual((self.folder / f"copy-of-{name}").read_bytes(), (self.folder / name).read_bytes())
        return found

    def test_a_warning(self):
        data = self.wrong("short.glb")
        said = self.convert("--strict", "short.glb", "out.glb").stderr.decode().splitlines()
        self.assertEqual(["[normal-length]" in line for line in said], [True, False], said)
        self.assertEqual((self.folder / "out.glb").read_bytes(), data)

    def test_an_error(self):
        data = self.wrong("nan.glb")
        said = self.convert("nan.glb", "out.glb", code=FINDINGS).stderr.decode().splitlines()
        self.assertEqual(["[nonfinite-position]" in line for line in said], [True, False], said)
        self.assertEqual(said[1], "nan.glb -> out.glb (glb 2.0)")
        self.assertEqual((self.folder / "out.glb").read_bytes(), data)
        document = self.said("-f", "nan.glb", "out.glb", code=FINDINGS)
        self.assertEqual((document["status"], document["output"]), ("findings", "out.glb"))
        self.assertIn("nonfinite-position", document["error"])

    def test_strict_passes_no_error_on(self):
        self.wrong("nan.glb")
        document = self.said("--strict", "nan.glb", "out.glb", code=FINDINGS)
        self.assertEqual((document["status"], document["output"]), ("findings", None))
        self.assertNotIn("out.glb", self.names())
        self.convert("--strict", "nan.glb", "-", code=FINDINGS)

    def test_to_standard_output(self):
        data = self.wrong("nan.glb")
        result = self.convert("-", "-", "--to", "glb", code=FINDINGS, input=data)
        self.assertEqual((result.stdout, result.stderr.count(b"error: ")), (data, 1))

    def test_nothing_is_repaired(self):
        self.wrong("short.glb")
        for option in ("--copy-textures", "--embed-textures", "--name-textures"):
            found = self.check_copy("short.glb", option)
            self.assertEqual([d["id"] for d in found], ["normal-length"])

    def test_its_dialect_is_said(self):
        for name, finding in (("short.glb", "normal-length"), ("uv.glb", "nonfinite-uv")):
            self.wrong(name)
            self.assertEqual([d["id"] for d in self.check_copy(name, "--dialect", "2.0")], [finding])

    def test_an_animation_that_goes_along(self):
        data = bytearray((SAMPLES / "scribe.sga").read_bytes())
        data[-8:-4] = struct.pack("<f", float("nan"))
        self.put("scribe.sga", bytes(data))
        self.assertEqual(self.stele("check", "scribe.sga").returncode, FINDINGS)
        (self.folder / "out").mkdir()
        said = self.said("--copy-textures", "scribe.sgm", "out/scribe.sgm")
        self.assertEqual([d["id"] for d in self.findings(said)], ["companion-damaged"])

    def test_of_damaged_samples(self):
        errors = warnings = 0
        for sample in sorted(SAMPLES.rglob("*.*")):
            if sample.suffix in (".png", ".md"):
                continue
            for at in (1, 0.3, 0.5, 0.8):
                data = bytearray(sample.read_bytes())
                start = int(at * len(data)) // 4 * 4
                data[start:start + 4] = bytes([0xff] * len(data[start:start + 4]))
                self.put(sample.name, bytes(data))
                if json.loads(self.stele("explain", "--json", sample.name).stdout)["status"] != "ok":
                    continue  # its structure is gone
                with self.subTest(sample.name, at=at):
                    found = self.check_copy(sample.name)
                    errors += any(d["severity"] == "error" for d in found)
                    warnings += any(d["severity"] == "warning" for d in found)
        self.assertGreater(min(errors, warnings), 10, (errors, warnings))


class Diff(ConvertTest):
    def setUp(self):
        super().setUp()
        self.convert("scribe.sgm", "scribe.glb")

    def diff(self, code, *arguments):
        return self.expect(code, "diff", *arguments)

    def test_equal(self):
        result = self.diff(FINE, "scribe.sgm", "scribe.glb")
        self.assertEqual(result.stdout, b"")
        self.assertIn(b"equal within", result.stderr)
        self.assertIn(b"= ", self.diff(FINE, "-v", "scribe.sgm", "scribe.glb").stdout)

    def test_different(self):
        self.convert("scribe.sgm", "bare.mesh")
        result = self.diff(FINDINGS, "scribe.sgm", "bare.mesh")
        self.assertIn(b"! ", result.stdout)
        self.assertIn(b"meshes", result.stdout)

    def test_a_vertex_that_moved(self):
        g = Gltf(self.folder / "scribe.glb")
        data = bytearray((self.folder / "scribe.glb").read_bytes())
        accessor = g.json["accessors"][g.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]
        at = data.index(g.bin[:64]) + g.json["bufferViews"][accessor["bufferView"]].get("byteOffset", 0)
        x = struct.unpack_from("<f", data, at)[0]
        struct.pack_into("<f", data, at, x + 0.01)
        self.put("moved.glb", bytes(data))
        compared = json.loads(self.diff(FINDINGS, "--json", "scribe.glb", "moved.glb").stdout)
        self.assertFalse(compared["equal"])
        worst = {c["path"]: c["error"] for c in compared["compared"] if not c["equal"]}
        low, high = g.bounds()
        size = sum((b - a) ** 2 for a, b in zip(low, high)) ** 0.5
        self.assertAlmostEqual(worst["mesh[0].position"], 0.01 / size, places=4)
        self.diff(FINE, "--tolerance", "0.1", "scribe.glb", "moved.glb")

    def test_usage(self):
        self.diff(USAGE, "scribe.sgm")
        self.diff(USAGE, "-", "-")
        self.diff(USAGE, "--tolerance", "little", "scribe.sgm", "scribe.glb")
        self.diff(NO_IO, "scribe.sgm", "missing.glb")
        self.diff(UNSUPPORTED, "scribe.sgm", "scribe.png")


if __name__ == "__main__":
    unittest.main()
