#!/usr/bin/env python3
"""Every feature that a model can have, to every format and back: whatever differs was said, and whatever was said differs. The
models are made and compared by code that shares nothing with the library (feature_models.py), and by stele diff."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from feature_models import FEATURES, Builder, Shown, differences, everything, picture

ROOT = Path(__file__).resolve().parent.parent
STELE = os.environ.get("STELE", str(ROOT / "build/stele"))
IMAGES = ("color", "glow", "normal", "ao", "metal", "specular")

MOTION = {"loss-animation", "loss-skeleton", "loss-interpolation", "loss-precision", "loss-poses", "loss-shear", "loss-morph",
          "loss-influences", "loss-skin", "loss-rest", "loss-mesh"}
SURFACE = {"loss-material"}
MAP = {"loss-texture"}
# What may be lost, by the losses that cover it. A loss must be seen in one of the facets that it covers.
COVERS = {
    "triangles": {"loss-rest", "loss-morph", "loss-skin"}, "normals": {"loss-normal", "loss-rest"}, "shown uvs": {"loss-uv"},
    "second uvs": {"loss-uv"}, "more uvs": {"loss-uv"}, "shown colors": {"loss-vertex-color", "loss-material", "loss-precision"},
    "more colors": {"loss-vertex-color"}, "tangents": {"loss-tangent", "tangents-dropped"}, "lines and points": {"loss-topology"},
    "meshes": {"loss-merged"}, "alpha mode": SURFACE, "sides": SURFACE, "metallic": SURFACE, "roughness": SURFACE,
    "unlit": SURFACE, "emission": SURFACE, "specular": SURFACE, "specular color": SURFACE, "materials": SURFACE,
    "unused materials": SURFACE, "normal strength": SURFACE | MAP, "occlusion strength": SURFACE | MAP,
    **{f"{role} map": MAP for role in ("base", "normal", "occlusion", "metallic", "emission", "specular", "specular color")},
    **{f"{role} map transform": MAP | {"loss-sampling", "loss-uv"}
       for role in ("normal", "occlusion", "metallic", "emission", "specular", "specular color")},
    "wrap": MAP | {"loss-sampling"}, "filters": MAP | {"loss-sampling"}, "joints": {"loss-skeleton"},
    "weights": {"loss-skeleton", "loss-skin", "loss-influences", "loss-precision"}, "attachments": {"loss-attachment"},
    "clips": {"loss-animation", "loss-skeleton"}, "durations": MOTION, "motion": MOTION, "motion of joints": MOTION,
    "morphs": {"loss-morph"}, "morph normals": {"loss-morph"}, "morph weights": {"loss-morph"},
    "mesh names": {"loss-name", "loss-mesh"}, "node names": {"loss-name", "loss-mesh", "loss-attachment", "loss-skeleton"},
    "joint names": {"loss-name", "loss-skeleton"}, "skin names": {"loss-name", "loss-skeleton"},
    "clip names": {"loss-name", "loss-animation", "loss-skeleton"}, "material names": {"loss-name", "loss-material"},
    "morph names": {"loss-name", "loss-morph"}, "image names": {"loss-name", "loss-texture"}, "scene name": {"loss-name"},
    "copyright": {"loss-property"}, "extras": {"loss-property"}, "instances": {"loss-hierarchy"},
    "hierarchy": {"loss-hierarchy"},
}
# Facets that list something for each corner: when the corners are elsewhere they tell nothing
OF_CORNERS = {"normals", "shown uvs", "second uvs", "more uvs", "shown colors", "more colors", "tangents", "alpha mode", "sides",
              "metallic", "roughness", "unlit", "emission", "specular", "specular color", "normal strength",
              "occlusion strength", "wrap", "filters", "weights", "morphs", "morph normals",
              *(name for name in COVERS if " map" in name)}


# Features that are a capability each, and where they are seen
CAPABILITIES = {
    "uvs": ("uvs", "shown uvs"), "colors": ("colors", "shown colors"), "color_alpha": ("color-alpha", "shown colors"),
    "tangents": ("tangents", "tangents"), "lines": ("lines-and-points", "lines and points"), "two_meshes": ("several-meshes", "meshes"),
    "hierarchy": ("nodes", "hierarchy"), "instances": ("nodes", "instances"), "extras": ("properties", "extras"),
    "copyright": ("properties", "copyright"), "mesh_name": ("mesh-names", "mesh names"), "joint_names": ("joint-names", "joint names"),
    "skin_name": ("skin-names", "skin names"), "joint_clip": ("clip-names", "clip names"),
    "material_name": ("material-names", "material names"), "morph_names": ("morph-names", "morph names"),
    "image_name": ("image-names", "image names"), "scene_name": ("model-name", "scene name"),
    "base_color": ("base-colors", "shown colors"), "translucent": ("alpha-blending", "alpha mode"),
    "alpha_mask": ("alpha-masks", "alpha mode"), "double_sided": ("double-sides", "sides"), "metallic": ("metal", "metallic"),
    "roughness": ("roughness", "roughness"), "unlit": ("unlit-surfaces", "unlit"), "emission": ("emission", "emission"),
    "emission_strength": ("emission-strength", "emission"), "specular": ("specular", "specular"),
    "unused_material": ("unused-materials", "unused materials"), "base_map": ("textures", "base map"),
    "normal_map": ("normal-maps", "normal map"),
    "occlusion_map": ("occlusion-maps", "occlusion map"), "metallic_map": ("metal-maps", "metallic map"),
    "emission_map": ("emission-maps", "emission map"), "specular_map": ("specular-maps", "specular map"),
    "specular_color_map": ("specular-color-maps", "specular color map"), "normal_strength": ("normal-strength", "normal strength"),
    "occlusion_strength": ("occlusion-strength", "occlusion strength"), "wrap": ("wrap-modes", "wrap"),
    "filters": ("filters", "filters"), "other_texture_transform": ("texture-transforms", "normal map transform"),
    "skeleton": ("skeleton", "joints"), "influences": ("skin", "weights"), "rest_pose": ("rest-pose", "triangles"),
    "attachment": ("attachments", "attachments"), "joint_translation": ("animation", "motion"),
    "node_clip": ("node-animation", "motion"), "joint_scale": ("scale-animation", "motion"), "cubic": ("curves", "motion"),
    "step": ("steps", "motion"), "odd_times": ("exact-times", "durations"), "morphs": ("morphs", "morphs"),
    "morph_weights": ("default-weights", "morph weights"), "morph_normals": ("morph-normals", "morph normals"),
    "morph_clip": ("morph-animation", "motion"),
}
# What docs/losses.md says below its table: kept in part, or seen otherwise
IN_PART = {("occlusion_map", "sgm"), ("influences", "mesh"), ("colors", "ctc"), ("color_alpha", "ctc"), ("base_color", "ctc"),
           ("rest_pose", "sff"), ("rest_pose", "obj")}


def run(folder, *arguments):
    return subprocess.run([STELE, *arguments], capture_output=True, text=True, cwd=folder)


def document(folder, *arguments):
    result = run(folder, *arguments)
    return result.returncode, json.loads(result.stdout)


FORMATS = [f["name"] for f in document(ROOT, "formats", "--json")[1]["formats"]]


class Losses(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        for name in IMAGES:
            (self.folder / f"{name}.png").write_bytes(picture(name))

    def losses(self, source, target, *options):
        code, said = document(self.folder, "convert", "--json", "-f", *options, source, target)
        self.assertEqual(code, 0, said)
        return {d["id"]: d["text"] for d in said["diagnostics"] if d["severity"] == "loss"}

    def compare(self, target):
        """There and back, and what is no longer the same is what was said."""
        said = self.losses("in.gltf", f"out.{target}")
        self.assertEqual(self.losses(f"out.{target}", "back.gltf"), {}, "what was written is read without a loss")
        before, after = Shown(self.folder / "in.gltf"), Shown(self.folder / "back.gltf")
        lost = set(differences(before, after))
        if "loss-mesh" in said:
            lost -= {*OF_CORNERS, "triangles", "materials", "unused materials", "meshes", "instances", "hierarchy",
                     "lines and points", "morph weights", "motion", "material names", "morph names", "image names"}
        if "triangles" in lost:
            lost -= OF_CORNERS
        for facet in sorted(lost - {"materials"}):  # a plain one may go without loss
            self.assertTrue(COVERS[facet] & set(said), f"{facet} is lost, and nobody says so: {said}")
        for loss, text in said.items():
            if "loss-mesh" in said and loss in ("loss-mesh", "loss-rest", "loss-skin", "loss-interpolation", "tangents-dropped"):
                continue
            self.assertTrue(any(loss in COVERS[facet] for facet in lost), f"[{loss}] {text}: it is not, only {sorted(lost)}")
        if not said and target != "sga":
            self.assertEqual(self.unsaid(target), [])

    def unsaid(self, target):
        """What the library's own comparison sees, but for what was made up where the first had nothing."""
        _, said = document(self.folder, "diff", "--json", "in.gltf", f"out.{target}")
        return [d for d in said["compared"] if not d["equal"] and d.get("first") not in ("none", "", "0")
                and not d["path"].startswith("skeleton.") and not d["path"].endswith(".joints")]

    def make(self, add):
        builder = Builder()
        add(builder)
        builder.write(self.folder / "in.gltf")

    def test_each_feature(self):
        for name, add in FEATURES.items():
            self.make(add)
            for target in FORMATS:
                with self.subTest(f"{name} -> {target}"):
                    if target != "gltf":
                        self.compare(target)

    def test_all_together(self):
        self.make(everything)
        for target in FORMATS:
            with self.subTest(target):
                if target != "gltf":
                    self.compare(target)

    def test_the_capabilities_are_true(self):
        """A feature that is a capability is kept by the formats that declare it, and by no others."""
        capabilities = {f["name"]: set(f["capabilities"] + f["beside"]) for f in
                        document(ROOT, "formats", "--json")[1]["formats"]}
        for feature, (capability, facet) in CAPABILITIES.items():
            self.make(FEATURES[feature])
            before = Shown(self.folder / "in.gltf")
            for target in set(FORMATS) - {"gltf", "sga"}:
                if (feature, target) in IN_PART:
                    continue
                with self.subTest(f"{feature} -> {target}"):
                    self.losses("in.gltf", f"out.{target}")
                    self.losses(f"out.{target}", "back.gltf")
                    lost = facet in differences(before, Shown(self.folder / "back.gltf"))
                    self.assertEqual(lost, capability not in capabilities[target])

    def test_what_is_scaled_to_nothing(self):
        """There is no surface, and its normals have length 1 all the same."""
        for scale in ([0, 0, 0], [1, 1, 0], [0, 1, 1]):
            self.make(lambda b: b.json["nodes"][0].update(scale=scale))
            for target in set(FORMATS) - {"gltf", "sga"}:
                with self.subTest(f"{scale} -> {target}"):
                    self.assertEqual(self.losses("in.gltf", f"out.{target}"), {})
                    checked = document(self.folder, "check", "--json", f"out.{target}")[1]["diagnostics"]
                    self.assertEqual([d for d in checked if d["id"].startswith("normal")], [])
                    self.assertEqual(self.unsaid(target), [])

    def test_the_table(self):
        made = subprocess.run(["python3", ROOT / "tools/make_losses.py", STELE], capture_output=True, text=True, check=True)
        self.assertEqual(made.stdout, (ROOT / "docs/losses.md").read_text(), "tools/make_losses.py makes it")

    def test_every_facet_is_lost_somewhere(self):
        """A facet that nothing changes would prove nothing."""
        seen = set()
        for name, add in FEATURES.items():
            self.make(add)
            before = Shown(self.folder / "in.gltf")
            for target in ("sff", "ctc", "mesh", "sgm"):
                self.losses("in.gltf", f"out.{target}")
                self.losses(f"out.{target}", "back.gltf")
                seen |= set(differences(before, Shown(self.folder / "back.gltf")))
        self.assertEqual(set(COVERS) - seen, {"shown uvs"})  # which all formats with meshes have


if __name__ == "__main__":
    unittest.main()
