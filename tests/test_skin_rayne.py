#!/usr/bin/env python3
"""What a converted SGM shows, against the engine's own formula: vertices skinned straight from the bytes of the .sgm and .sga
(read by rayne_oracle.py) are compared with an independent evaluation of the GLB (gltf_oracle.py) at several times of every clip.
Then the GLB is made an SGM again: the same bytes where nothing was repaired, and an .sga that moves it in the same way.

STELE names the binary (default: build/stele) and STELE_CORPUS a folder of real files (default: ../shared/corpus).
"""
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import rayne_oracle as rayne
from corpus import real_files
from gltf_oracle import Gltf

ROOT = Path(__file__).resolve().parent.parent
STELE = os.path.abspath(os.environ.get("STELE", ROOT / "build" / "stele"))
FRAMES = rayne.FRAMES_PER_SECOND
TOLERANCE = 1e-4  # of the size of the model
SAMPLES_OF_A_CLIP = 5


# ---- The engine's formula: a bone's matrix is a 3x4 array, rows of x, y, z, 1 -----------------------------------------------

def product(a, b):
    return [[sum(row[k] * b[k][c] for k in range(3)) + (row[3] if c == 3 else 0.0) for c in range(4)] for row in a]


def moved(x, y, z):
    return [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z]]


def turned(x, y, z, w):
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 0.0],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 0.0],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), 0.0]]


def scaled(x, y, z):
    return [[x, 0.0, 0.0, 0.0], [0.0, y, 0.0, 0.0], [0.0, 0.0, z, 0.0]]


def applied(m, v):
    return [row[0] * v[0] + row[1] * v[1] + row[2] * v[2] + row[3] for row in m]


def between(a, b, t):
    return [x + (y - x) * t for x, y in zip(a, b)]


def slerped(a, b, t):
    """Along the shorter arc."""
    dot = sum(x * y for x, y in zip(a, b))
    if dot < 0:
        b, dot = [-x for x in b], -dot
    if dot > 0.99999:
        q = between(a, b, t)
    else:
        angle = math.acos(dot)
        q = [(math.sin((1 - t) * angle) * x + math.sin(t * angle) * y) / math.sin(angle) for x, y in zip(a, b)]
    length = math.sqrt(sum(x * x for x in q))
    return [x / length for x in q]


def key_at(keys, frame):
    """Position, scale and rotation of a track at a time."""
    if frame <= keys[0][0]:
        return keys[0][1:4], keys[0][4:7], keys[0][7:]
    for a, b in zip(keys, keys[1:]):
        if a[0] <= frame < b[0]:
            t = (frame - a[0]) / (b[0] - a[0])
            if t == 0:
                break
            return between(a[1:4], b[1:4], t), between(a[4:7], b[4:7], t), slerped(a[7:], b[7:], t)
    else:
        a = keys[-1]
    return a[1:4], a[4:7], a[7:]


def bone_matrices(skeleton, clip, frame):
    """What each bone does to a vertex: global T(-head), with global = global of the parent T(head - head of the parent) key."""
    tracks = dict(reversed(clip.tracks)) if clip else {}
    parents = {child: i for i, bone in enumerate(skeleton.bones) for child in bone.children}
    found = {}

    def place(i):
        if i in found:
            return found[i]
        head, parent = skeleton.bones[i].position, parents.get(i)
        before = skeleton.bones[parent].position if parent is not None else (0.0, 0.0, 0.0)
        local = moved(*(a - b for a, b in zip(head, before)))
        if tracks.get(i):
            position, scale, rotation = key_at(tracks[i], frame)
            for part in (moved(*position), turned(*rotation), scaled(*scale)):
                local = product(local, part)
        found[i] = local if parent is None else product(place(parent), local)
        return found[i]

    return [product(place(i), moved(*(-x for x in bone.position))) for i, bone in enumerate(skeleton.bones)]


def sound(weights, bones, bone_map):
    """The influences of a vertex as the page says to repair them: nothing negative, of sum 1."""
    pairs = [(int(bone_map[int(b)] if bone_map else b), w) for w, b in zip(weights, bones) if w > 0]
    total = sum(w for _, w in pairs)
    return [(b, w / total) for b, w in pairs]


def skinned(mesh, bone_map, matrices):
    for position, weights, bones in zip(mesh.rows("position"), mesh.rows("weights"), mesh.rows("bones")):
        pairs = sound(weights, bones, bone_map)
        if not pairs:
            yield position
            continue
        parts = [(w, applied(matrices[b], position)) for b, w in pairs]
        yield [sum(w * p[k] for w, p in parts) for k in range(3)]


# ---- Files ----------------------------------------------------------------------------------------------------------------

def models():
    files = [ROOT / "samples" / "scribe.sgm", *sorted((ROOT / "samples").rglob("*.sgm")), *real_files(".sgm")]
    return list(dict.fromkeys(files))


def read_model(path):
    (_, dialect), (model, _) = next(iter(rayne.fits_sgm(path.read_bytes()).items()))
    return dialect, model


def read_skeleton(path, model):
    """The .sga that a model names, if there is one with bones."""
    beside = path.parent / model.animation.decode() if model.animation else None
    if not beside or not beside.exists():
        return None
    skeleton = next(iter(rayne.fits_sga(beside.read_bytes()).values()))[0]
    return skeleton if skeleton.bones else None


def clips_to_expect(skeleton):
    clips = []
    for clip in skeleton.clips:
        if any(keys for _, keys in clip.tracks) and clip not in clips:
            clips.append(clip)
    return clips


def frames_of(clip):
    """Several times within a clip, on keys and between them."""
    last = max(keys[-1][0] for _, keys in clip.tracks if keys)
    first = min(keys[0][0] for _, keys in clip.tracks if keys)
    return [first + (last - first) * i / (SAMPLES_OF_A_CLIP - 1) for i in range(SAMPLES_OF_A_CLIP)] + [math.floor(last / 3)]


def size_of(model):
    points = [p for mesh in model.meshes for p in mesh.rows("position")]
    return max(max(p[k] for p in points) - min(p[k] for p in points) for k in range(3))


def is_plain(mesh):
    """Whether a mesh has nothing that is written in another way, and tangents only where they are kept."""
    has_useless_bones = any(w == 0 and b != 0 for ws, bs in zip(mesh.rows("weights"), mesh.rows("bones")) for w, b in zip(ws, bs))
    return not has_useless_bones and mesh.index_size == 2 and len(set(mesh.rows("tangent"))) <= 1


def must_be_same(path, dialect, model, said):
    """Nothing was changed on the way, and the name of the .sga is that of the model."""
    changed = [name for name in said if name.startswith("repaired-") or name in ("skin-dropped", "neutral-joint", "assumed")]
    named_so = model.animation is None or model.animation.decode() == path.stem + ".sga"
    return dialect == "v3" and not changed and named_so and all(map(is_plain, model.meshes))


def some_keys(clip):
    """The times of a few keys of a clip."""
    times = sorted({key[0] for _, keys in clip.tracks for key in keys})
    return times[::max(1, len(times) // SAMPLES_OF_A_CLIP)]


class Converting(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def convert(self, path, out):
        """The ids of what was found or lost on the way."""
        done = subprocess.run([STELE, "convert", "--json", "-v", "-f", str(path), str(out)], capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, 0, f"{path}: {done.stderr}")
        return {d["id"] for line in done.stdout.splitlines() for d in json.loads(line)["diagnostics"]}

    def expect_positions(self, label, expected, got, size):
        self.assertEqual(len(expected), len(got), label)
        error = max((abs(a - b) for e, g in zip(expected, got) for a, b in zip(e, g)), default=0.0)
        self.assertLessEqual(error, TOLERANCE * size, f"{label}: {error} of {size}")


class Skinning(Converting):
    def expect_moment(self, label, gltf, model, matrices, maps, size, clip, time):
        for i, (node, primitive) in enumerate(gltf.drawn()):
            mesh = model.meshes[i]
            expected = list(skinned(mesh, maps[i], matrices)) if mesh.skin and matrices else mesh.rows("position")
            turned_round = [(-x, y, -z) for x, y, z in expected]
            self.expect_positions(f"{label} mesh {i}", turned_round, gltf.positions(node, primitive, clip, time), size)

    def expect_file(self, path):
        """Returns how many moments of clips were compared."""
        dialect, model = read_model(path)
        model.meshes = [mesh for mesh in model.meshes if mesh.vertex_count and len(mesh.indices) >= 3]
        if not model.meshes:
            return 0
        self.convert(path, self.folder / "model.glb")
        gltf = Gltf(self.folder / "model.glb")
        self.assertEqual(len(gltf.drawn()), len(model.meshes), path)
        maps = [mesh.bone_map if rayne.SGM[dialect].mapped else () for mesh in model.meshes]
        skeleton = read_skeleton(path, model)
        rest = bone_matrices(skeleton, None, 0) if skeleton else None
        self.expect_moment(f"{path} at rest", gltf, model, rest, maps, size_of(model), None, 0.0)
        if not skeleton:
            self.assertEqual(gltf.clips, [], path)
            return 0
        moments = 0
        clips = clips_to_expect(skeleton)
        self.assertEqual(gltf.clips, [clip.name.decode() for clip in clips], path)
        for number, clip in enumerate(clips):
            for frame in frames_of(clip):
                matrices = bone_matrices(skeleton, clip, frame)
                label = f"{path} {clip.name.decode()} at frame {frame}"
                self.expect_moment(label, gltf, model, matrices, maps, size_of(model), number, frame / FRAMES)
                moments += 1
        return moments

    def test_every_clip_moves_as_the_engine_would_move_it(self):
        files = models()
        moments = sum(self.expect_file(path) for path in files)
        print(f"\n{len(files)} models, {moments} moments of clips", file=sys.stderr)
        self.assertGreater(moments, 10)


class ThereAndBack(Converting):
    def there_and_back(self, path):
        """The new .sgm, beside its .sga, and what was said on the way."""
        out = self.folder / path.name
        said = self.convert(path, self.folder / (path.stem + ".glb"))
        return out, said | self.convert(self.folder / (path.stem + ".glb"), out)

    def expect_same_motion(self, path, out):
        (dialect, old), (new_dialect, new) = read_model(path), read_model(out)
        skeleton = read_skeleton(path, old)
        if not skeleton or not any(mesh.skin for mesh in old.meshes):
            return
        copy = read_skeleton(out, new)
        for i, clip in enumerate(clips_to_expect(skeleton)):
            for frame in some_keys(clip):
                was, now = bone_matrices(skeleton, clip, frame), bone_matrices(copy, copy.clips[i], frame)
                for a, b in zip(old.meshes, new.meshes):
                    if not a.skin:
                        continue
                    before = list(skinned(a, a.bone_map if rayne.SGM[dialect].mapped else (), was))
                    after = list(skinned(b, b.bone_map if rayne.SGM[new_dialect].mapped else (), now))
                    self.expect_positions(f"{path} {clip.name.decode()} at frame {frame}", before, after, size_of(old))

    def test_bytes_and_motion(self):
        same = different = 0
        for path in models():
            out, said = self.there_and_back(path)
            dialect, model = read_model(path)
            self.expect_same_motion(path, out)
            identical = out.read_bytes() == path.read_bytes()
            same, different = same + identical, different + (not identical)
            if must_be_same(path, dialect, model, said):
                self.assertTrue(identical, path)
        print(f"\n{same} come back as the same bytes, {different} do not", file=sys.stderr)
        self.assertGreater(same, 0)


if __name__ == "__main__":
    unittest.main()
