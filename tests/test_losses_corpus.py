#!/usr/bin/env python3
"""Files that others wrote, to every format: whatever stele diff finds was said, what was written is sound, and is read without a loss.
That the losses that are said do happen is proven by construction, in test_losses.py; here diff cannot see them all.

STELE names the command, STELE_CORPUS the files (default: ../shared/corpus), EACH that every Nth of them is taken (default: 16)."""
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from corpus import CORPUS

ROOT = Path(__file__).resolve().parent.parent
STELE = os.environ.get("STELE", str(ROOT / "build/stele"))
EACH = int(os.environ.get("EACH", 16))

MOTION = {"loss-animation", "loss-skeleton", "loss-interpolation", "loss-precision", "loss-poses", "loss-shear", "loss-morph",
          "loss-influences", "loss-skin", "loss-rest"}
SHAPE = {"loss-rest", "loss-morph", "loss-skin"}
# What diff compares, by the end of its path, and the losses that cover it
COVERS = {
    "meshes": {"loss-merged", "loss-topology", "loss-mesh"}, "topology": {"loss-topology"},
    "corners": {"loss-merged", "loss-topology", "loss-mesh"}, "position": SHAPE, "normal": SHAPE, "normals": {"loss-normal"},
    "tangents": {"loss-tangent"}, "weights": {"loss-skeleton", "loss-skin"}, "morphs": {"loss-morph"}, "morph": {"loss-morph"},
    "color": {"loss-vertex-color", "loss-material", "loss-precision"}, "uv0": {"loss-uv", "loss-texture"},
    "uv1": {"loss-uv", "loss-texture"}, "joints": {"loss-skeleton"}, "names": {"loss-name", "loss-skeleton"},
    "rest": {"loss-rest", "loss-skeleton"}, "attachments": {"loss-attachment"}, "places": {"loss-attachment", "loss-rest"},
    "clips": {"loss-animation", "loss-skeleton"}, "name": {"loss-name"}, "duration": MOTION, "positions": MOTION,
    **{name: {"loss-material"} for name in ("base_color", "emissive", "specular_color", "surface", "alpha_mode", "sides", "lit")},
    "texture": {"loss-texture"}, "uv": {"loss-uv", "loss-sampling", "loss-texture"}, "strength": {"loss-material", "loss-texture"},
}


def facet(path):
    if path.startswith("clip[") and path.endswith(".joints"):
        return "positions"
    last = re.sub(r"\[\d+\]$", "", path.split(".")[-1])
    return "texture" if last.endswith("_texture") else last


def is_made_up(difference):
    """Something that is there now, where there was nothing, or one more of it than there was: a joint that does not move."""
    first, second = difference.get("first"), difference.get("second")
    more = difference["path"] == "skeleton.joints" and int(first) < int(second)
    return first in ("none", "", "0") or more


@unittest.skipUnless(CORPUS.is_dir(), "there is no corpus")
class Corpus(unittest.TestCase):
    def stele(self, *arguments):
        done = subprocess.run([STELE, *map(str, arguments)], capture_output=True, timeout=120)
        return done.returncode, json.loads(done.stdout.decode(errors="replace") or "{}")

    def convert(self, source, target):
        code, said = self.stele("convert", "--json", "-f", source, target)
        return code, {d["id"]: d["text"] for d in said["diagnostics"] if d["severity"] in ("loss", "error")}, said["diagnostics"]

    def compare(self, source, target):
        """How many things were compared; None if the file cannot be read, or does not fit."""
        code, said, all_said = self.convert(source, target)
        if code:
            return None
        turned = any(d["id"] == "nonstandard-layout" and "ctc.winding" in d["text"] for d in all_said)
        merged = {"loss-merged", "loss-topology"} & set(said)
        _, compared = self.stele("diff", "--json", source, target)
        for difference in compared.get("compared", []):
            if difference["equal"] or is_made_up(difference):
                continue
            name = facet(difference["path"])
            if difference["path"].startswith("mesh[") and (merged or (turned and name in ("position", "normal", "uv", "uv0"))):
                continue  # other meshes than those that were, or told how to be read
            self.assertTrue(COVERS[name] & set(said), f"{difference}, and nobody says so: {said}")
        code, checked = self.stele("check", "--json", target)
        self.assertEqual((code, [d for d in checked["diagnostics"] if d["severity"] == "error"]), (0, []))
        code, lost, _ = self.convert(target, target.with_name("back.glb"))
        self.assertEqual((code, lost), (0, {}), "what was written is read without a loss")
        return len(compared.get("compared", []))

    def test_whatever_differs_was_said(self):
        formats = [f["name"] for f in self.stele("formats", "--json")[1]["formats"] if f["name"] != "sga"]
        files = sorted(p for p in CORPUS.rglob("*") if p.suffix[1:] in formats and p.relative_to(CORPUS).parts[0] != "hostile")
        done = compared = 0
        with tempfile.TemporaryDirectory() as folder:
            for source in files[::EACH]:
                for name in formats:
                    with self.subTest(f"{source.relative_to(CORPUS)} -> {name}"):
                        count = None if source.suffix[1:] == name else self.compare(source, Path(folder) / f"{source.stem}.{name}")
                        done += count is not None
                        compared += count or 0
        self.assertGreater(done, len(files[::EACH]))
        print(f"# {done} conversions of {len(files[::EACH])} files, {compared} things compared")


if __name__ == "__main__":
    unittest.main()
