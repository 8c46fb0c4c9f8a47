#!/usr/bin/env python3
"""Writes docs/losses.md, which features of a model each format keeps, from what `stele formats --json` declares.
    tools/make_losses.py STELE > docs/losses.md"""
import json
import subprocess
import sys

GROUPS = {
    "Shape": ["meshes", "several-meshes", "normals", "tangents", "lines-and-points", "nodes"],
    "Texture coordinates and colours": ["uvs", "uv_sets", "colors", "color_sets", "color-alpha"],
    "Surface": ["materials", "base-colors", "alpha-blending", "alpha-masks", "double-sides", "metal", "roughness", "unlit-surfaces",
                "emission", "emission-strength", "specular", "specular-colors", "unused-materials"],
    "Textures": ["textures", "embedded-images", "normal-maps", "normal-strength", "occlusion-maps", "occlusion-strength",
                 "metal-maps", "emission-maps", "specular-maps", "specular-color-maps", "wrap-modes", "filters",
                 "texture-transforms"],
    "Skeleton and motion": ["skin", "influences", "skeleton", "rest-pose", "attachments", "animation", "node-animation",
                            "scale-animation", "curves", "steps", "exact-times"],
    "Morphs": ["morphs", "default-weights", "morph-normals", "morph-animation"],
    "Names and extras": ["mesh-names", "node-names", "joint-names", "skin-names", "clip-names", "material-names", "morph-names",
                         "image-names", "model-name", "properties"],
}
NUMBERS = {"uv_sets": "sets of texture coordinates", "color_sets": "sets of colours", "influences": "joints of a vertex"}
HEAD = """# What is kept, and what is lost

What each format can hold, as `stele formats --json` declares it; made by `tools/make_losses.py`. Where a model has what the target
has not, the conversion says so once for each kind, with a number, and `--strict` writes nothing. `tests/test_losses.py` makes
a model of every feature, converts it to every format and back, and compares both ends with a reader of its own: whatever
differs must have been said, and whatever was said must differ.

● kept, ○ kept in a file beside it (.sga, .mtl), empty: lost and said. A number is the most that there may be.
"""
TAIL = """
## What the table cannot say

- Formats without nodes have their places applied to the vertices; nodes that clips move become joints.
- Formats without alpha modes blend what is translucent: SGM and CTC by their colours, OBJ by `d` and textures. A material that says
  otherwise is a loss.
- Transforms of textures that are those of the base colour are applied to the coordinates, and so kept everywhere.
- SGM keeps occlusion on the second texture coordinates (a lightmap).
- Images inside a file become files beside one that cannot embed them.
- A CTC rests as its first frame is: another rest pose is kept only without clips.
- CTC holds colours in 8 bits and the weights of the main key not beside others; MESH holds weights in 8 bits; TWM whole
  milliseconds; CTC frames.
- The name of a model is that of its file, unless a glTF says another. What a glTF calls its accessors, buffers and samplers
  is no part of the model.
- Clips of an SGA are known by their names: of equal ones that share a name one is left.
- Joints of SGM, SGA and CTC have the axes of the file: where a joint is and how it turns is kept, which way its axes point is not.
- Formats without nodes bind every joint once: what another skin binds otherwise is lost. Keys hold a translation, a rotation and a
  scale: what is scaled unevenly above a joint that turns, or mirrored, goes another way between them, and that is said.
- Without nodes, meshes that nothing draws have no place: they are lost and said.
- Properties that begin with the name of a format (`sgm.textures`) say how one of its files was written: they come back in that
  format, and other formats leave them out.
- A file that stays in its format and dialect keeps every byte, and nothing is repaired: what `stele check` finds in it is said, and
  goes on; errors only without `--strict`. Looking for them costs as much as that check: 40 ms for 112 MB, beside 170 ms of copying.
- What could not be read from a file is lost as well: `extension-ignored`, `not-carried` and others on [the page of
  diagnostics](diagnostics.md).
"""


def cell(format, feature):
    if feature in NUMBERS:
        most = format[feature]
        return "" if not most else "any" if most == 0xFFFFFFFF else str(most)
    return "●" if feature in format["capabilities"] else "○" if feature in format["beside"] else ""


def table(formats):
    known = {c for f in formats for c in f["capabilities"]}
    listed = {c for group in GROUPS.values() for c in group} - set(NUMBERS)
    assert known == listed, f"not in a group: {known ^ listed}"
    yield HEAD
    for group, features in GROUPS.items():
        yield f"| {group} | " + " | ".join(f["name"].upper() for f in formats) + " |"
        yield "|---|" + "---|" * len(formats)
        for feature in features:
            name = NUMBERS.get(feature, feature.replace("-", " "))
            yield f"| {name} | " + " | ".join(cell(f, feature) for f in formats) + " |"
        yield ""
    yield TAIL.strip()


def main():
    formats = json.loads(subprocess.run([sys.argv[1], "formats", "--json"], capture_output=True, check=True).stdout)["formats"]
    print("\n".join(table(formats)))


if __name__ == "__main__":
    main()
