#!/usr/bin/env python3
"""Every sample to every format: what is lost is what the format declares, what is written is sound, and what comes back through
glTF is what went there."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STELE = os.environ.get("STELE", str(ROOT / "build/stele"))
SAMPLES = ROOT / "samples"
FINE, FINDINGS = 0, 1


def stele(*arguments):
    return subprocess.run([STELE, *map(str, arguments)], capture_output=True, text=True)


def document(*arguments):
    result = stele(*arguments)
    return result.returncode, json.loads(result.stdout)


FORMATS = {f["name"]: f for f in document("formats", "--json")[1]["formats"]}


def holds(name):
    return set(FORMATS[name]["capabilities"]) | set(FORMATS[name]["beside"])


def own_losses(name):
    """Beyond its capabilities a format may hold less than there is: only in the ways that its page names."""
    return set(re.findall(r"`(loss-[a-z-]+)`", (ROOT / "docs/formats" / (name + ".md")).read_text()))


def content(info):
    """How much of each capability a file has, by its summary, which is made from the bytes and not from the model."""
    meshes = info["meshes"]
    with_ = lambda *names: sum(any(a.startswith(n) for a in m["attributes"] for n in names) for m in meshes)
    return {"meshes": len(meshes), "normals": with_("normal"), "uvs": with_("uv"), "colors": with_("color"),
            "tangents": with_("tangent"), "textures": sum(len(m["textures"]) for m in info["materials"]),
            "skeleton": 0 if info["dialect"] in ("A1", "A2") else info["joints"],  # those only count them
            "animation": sum(clip["keys"] > 0 for clip in info["clips"]), "morphs": info["morphs"],
            "attachments": info["attachments"]}


LOSS = {"meshes": "loss-mesh", "normals": "loss-normal", "uvs": "loss-uv", "colors": "loss-vertex-color",
        "tangents": "loss-tangent", "textures": "loss-texture", "skeleton": "loss-skeleton", "animation": "loss-animation",
        "morphs": "loss-morph", "attachments": "loss-attachment"}
MAPS = {f"{kind}-maps" for kind in ("normal", "occlusion", "metal", "emission", "specular", "specular-color")}
SURFACES = {"materials", "base-colors", "alpha-blending", "alpha-masks", "double-sides", "metal", "roughness", "unlit-surfaces",
            "emission", "emission-strength", "specular", "specular-colors", "unused-materials", "normal-strength",
            "occlusion-strength"}
# What may be lost for want of which capabilities, if the model has it; test_losses.py proves when
MAYBE = {"loss-material": SURFACES, "loss-texture": MAPS, "loss-sampling": {"wrap-modes", "filters", "texture-transforms"},
         "loss-name": {"mesh-names", "node-names", "joint-names", "skin-names", "clip-names", "material-names", "morph-names",
                       "image-names", "model-name"},
         "loss-hierarchy": {"nodes"}, "loss-property": {"properties"}, "loss-interpolation": {"curves", "steps"},
         "loss-morph": {"default-weights", "morph-normals"}, "loss-animation": {"morph-animation"}}
OF_MESHES = {"normals", "uvs", "colors", "tangents", "textures", "morphs"}


def expected_losses(has, target):
    """The ids that the capabilities of a target make necessary."""
    can = holds(target)
    lost = {kind for kind, count in has.items() if count and kind not in can}
    if "meshes" not in can:
        lost -= OF_MESHES
    if "skeleton" in lost:
        lost.discard("animation")  # one line says both
    return {LOSS[kind] for kind in lost}


class Matrix(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        # all textures beside all files, so that a name stands for the same wherever the file is
        shutil.copytree(SAMPLES, self.folder / "samples")
        (self.folder / "there").mkdir()
        (self.folder / "back").mkdir()
        for image in SAMPLES.rglob("*.png"):
            for folder in [self.folder, *(f for f in self.folder.rglob("*") if f.is_dir())]:
                shutil.copy(image, folder)

    def samples(self):
        return sorted(p for p in (self.folder / "samples").rglob("*") if p.suffix[1:] in FORMATS)

    def convert(self, source, target, *options):
        return document("convert", "--json", "-f", *options, source, target)

    def test_losses_are_those_of_the_capabilities(self):
        for source in self.samples():
            has = content(document("info", "--json", source)[1])
            for target in FORMATS:
                if target == source.suffix[1:]:
                    continue
                with self.subTest(f"{source.relative_to(self.folder)} -> {target}"):
                    output = self.folder / f"{source.stem}.{target}"
                    code, said = self.convert(source, output)
                    self.assertEqual(code, FINE, said)
                    ids = {d["id"] for d in said["diagnostics"]}
                    read = {d["id"] for d in said["diagnostics"] if d["severity"] == "loss" and d["id"][:5] != "loss-"}
                    lost = {d["id"] for d in said["diagnostics"] if d["severity"] == "loss"} - read
                    wanted = expected_losses(has, target)
                    if source.suffix == ".obj" and target not in ("obj", "glb", "gltf", "sga"):
                        wanted.add("loss-topology")  # the sample has a line and a point
                    if "tangents-dropped" in ids:
                        wanted.discard("loss-tangent")  # taken out before
                    if "skin-dropped" in ids:
                        wanted -= {"loss-skeleton", "loss-animation"}
                    self.assertLessEqual(wanted, lost, said["diagnostics"])
                    maybe = {loss for loss, needs in MAYBE.items() if needs - holds(target)}
                    self.assertLessEqual(lost - wanted - maybe, own_losses(target), said["diagnostics"])
                    strict, _ = self.convert(source, self.folder / f"strict.{target}", "--strict")
                    self.assertEqual(strict, FINDINGS if lost | read else FINE)
                    self.assertEqual((self.folder / f"strict.{target}").exists(), not (lost | read))
                    for left in self.folder.glob("strict.*"):
                        left.unlink()

    def test_what_is_written_is_sound(self):
        for source in self.samples():
            for target in FORMATS:
                with self.subTest(f"{source.relative_to(self.folder)} -> {target}"):
                    output = self.folder / f"{source.stem}.{target}"
                    self.convert(source, output)
                    code, said = document("check", "--json", output)
                    errors = [d for d in said["diagnostics"] if d["severity"] == "error"]
                    self.assertEqual((code, errors), (FINE, []))

    def test_the_same_on_every_run(self):
        source = SAMPLES / "scribe.sgm"
        for target in FORMATS:
            with self.subTest(target):
                outputs = [self.folder / f"{n}/scribe.{target}" for n in "ab"]
                for output in outputs:
                    output.parent.mkdir(exist_ok=True)
                    self.convert(source, output)
                self.assertEqual(*(o.read_bytes() for o in outputs))

    def test_through_gltf_and_back(self):
        for source in self.samples():
            own = source.suffix[1:]
            if own in ("glb", "gltf"):
                continue
            for bridge in ("glb", "gltf"):
                with self.subTest(f"{source.relative_to(self.folder)} through {bridge}"):
                    # a model has the name of its file
                    there, back = self.folder / f"there/{source.stem}.{bridge}", self.folder / f"back/{source.stem}.{own}"
                    self.convert(source, there)
                    code, said = self.convert(there, back)
                    self.assertEqual(code, FINE, said)
                    self.assertEqual([d for d in said["diagnostics"] if d["severity"] == "loss"], [])
                    code, said = document("diff", "--json", source, back)
                    different = [d for d in said["compared"] if not d["equal"]]
                    self.assertEqual((code, different), (FINE, []))


if __name__ == "__main__":
    unittest.main()
