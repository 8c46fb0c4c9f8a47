#!/usr/bin/env python3
"""TWM by the meaning that its document gives it, straight from the numbers, against an independent evaluation of the GLB that
each file is converted to: every clip at several times, at rest, and back again as TWM. STELE names the binary (default:
build/stele)."""
import json
import math
import random
import struct
import unittest

import test_oracle_twm as oracle
from gltf_oracle import Gltf
from skinning import ROOT, Conversions, between, inverse, moved, of_pose, product, size_of, some_times

FILES = 60
IDENTITY = [[float(r == c) for c in range(4)] for r in range(4)]


# ---- The meaning: keys are local to the parent, matrices multiply rows, so that their bytes are column by column -----------

def of_columns(numbers):
    return [[numbers[4 * c + r] for c in range(4)] for r in range(4)]


def of_key(key):
    """Translation, scale, rotation x, y, z, w: as a pose of translation, rotation w, x, y, z and scale."""
    return tuple(key[0:3]) + (key[9],) + tuple(key[6:9]) + tuple(key[3:6])


def local_at(track, seconds):
    keys = [(time / 1000, of_key(key)) for time, key in track]
    if seconds <= keys[0][0]:
        return of_pose(keys[0][1])
    for (t0, a), (t1, b) in zip(keys, keys[1:]):
        if t0 <= seconds < t1:
            return of_pose(between(a, b, (seconds - t0) / (t1 - t0)))
    return of_pose(keys[-1][1])


def parent_of(model, joint):
    """None for the root: joint 0 is the only one."""
    return None if joint == 0 else model["joints"][joint][0]


def rest_local(model, joint):
    binds = [of_columns(matrix) for _, matrix in model["joints"]]
    parent = parent_of(model, joint)
    own = inverse(binds[joint])
    return own if parent is None else product(binds[parent], own)


def skin_matrices(model, clip, seconds):
    places = {}

    def place(joint):
        if joint not in places:
            track = model["clips"][clip][joint] if clip is not None else []
            local = local_at(track, seconds) if track else rest_local(model, joint)
            parent = parent_of(model, joint)
            places[joint] = local if parent is None else product(place(parent), local)
        return places[joint]

    return [product(place(j), of_columns(matrix)) for j, (_, matrix) in enumerate(model["joints"])]


def skinned(mesh, matrices):
    out = []
    for position, cluster in zip(mesh["position"], mesh["clusters"]):
        total = sum(weight for _, weight in cluster)
        if not mesh["has_clusters"] or not total:
            out.append(tuple(position))
            continue
        parts = [(weight / total, moved(matrices[joint], position)) for joint, weight in cluster]
        out.append(tuple(sum(weight * p[i] for weight, p in parts) for i in range(3)))
    return out


# ---- Files ------------------------------------------------------------------------------------------------------------------

def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def some_key(rng):
    turn = [rng.gauss(0, 1) for _ in range(4)]
    length = math.sqrt(sum(x * x for x in turn))
    scale = rng.choice((1.0, rng.uniform(0.5, 2)))
    return [single(x) for x in (*[rng.uniform(-2, 2) for _ in range(3)], scale, scale, scale, *[x / length for x in turn])]


def some_track(rng):
    times = sorted(rng.sample(range(0, 3000), rng.randrange(0, 5)))
    return [(time, some_key(rng)) for time in times]


def invent(rng):
    joints = rng.randrange(1, 8)
    places, model = [], {"joints": []}
    for j in range(joints):
        parent = rng.randrange(j) if j else 0
        local = of_pose(of_key(some_key(rng)))
        places.append(product(places[parent], local) if j else local)
        bind = inverse(places[j])
        model["joints"].append((parent, [single(bind[r][c]) for c in range(4) for r in range(4)]))
    model["meshes"] = [invent_mesh(rng, joints) for _ in range(rng.randrange(1, 4))]
    model["clips"] = [[some_track(rng) for _ in range(joints)] for _ in range(rng.randrange(3))]
    return model


def invent_mesh(rng, joints):
    n = rng.randrange(3, 20)
    clusters = [[(j, rng.random() + 0.01) for j in rng.sample(range(joints), rng.randrange(0, joints + 1))] for _ in range(n)]
    if rng.random() < 0.2:
        clusters = [[] for _ in range(n)]
    total = lambda cluster: max(1.0, sum(weight for _, weight in cluster))
    clusters = [[(j, weight / total(cluster)) for j, weight in cluster] for cluster in clusters]
    return {"position": [[single(rng.uniform(-2, 2)) for _ in range(3)] for _ in range(n)], "deformer": rng.random() < 0.8,
            "indices": [rng.randrange(n) for _ in range(3 * rng.randrange(2, 9))] + [n - 1, n - 2, n - 3], "clusters": clusters}


def mark_clusters(model, gate):
    for mesh in model["meshes"]:
        mesh["has_clusters"] = gate == "all" or bool(gate == "deformer" and mesh["deformer"])


def read(data):
    """What the command writes: version 3 in the recommended reading, skeleton and all."""
    at = 0

    def take(layout):
        nonlocal at
        values = struct.unpack_from("<" + layout, data, at)
        at += struct.calcsize("<" + layout)
        return values

    magic, version, mesh_count, skeleton = take("4sIIB3x")
    assert (magic, version) == (b".twm", 3)
    model = {"joints": [], "meshes": [], "clips": []}
    for _ in range(take("I")[0] if skeleton else 0):
        parent, gap, *matrix = take("II16f")
        assert gap == 0
        model["joints"].append((parent, matrix))
    for _ in range(mesh_count):
        n, = take("I")
        flags = take("8B")
        mesh = {"position": [take("3f") for _ in range(n)], "deformer": flags[4], "has_clusters": bool(flags[4])}
        for flag, name, width in zip(flags, ("normal", "uv", "tangent", "binormal"), (3, 2, 3, 3)):
            if flag:
                mesh[name] = [take(f"{width}f") for _ in range(n)]
        mesh["indices"] = list(take(f"{take('I')[0]}I"))
        mesh["clusters"] = [[] for _ in range(n)]
        model["meshes"].append(mesh)
    for mesh in model["meshes"]:
        if mesh["deformer"] and skeleton:
            mesh["clusters"] = [[take("Id") for _ in range(take("Q")[0])] for _ in mesh["position"]]
    for _ in range(take("I")[0]):
        clip = []
        for _ in model["joints"]:
            keys = [take("I10f") for _ in range(take("I")[0])]
            clip.append([(key[0], list(key[1:])) for key in keys])
        model["clips"].append(clip)
    assert data[at:] == b".twm END OF FILE"
    return model


def sample_times(clip):
    return some_times(sorted({time / 1000 for track in clip for time, _ in track}))


class Skinning(Conversions):
    def compare(self, model, path, tolerance=1e-4):
        g, count = Gltf(path), 0
        drawn = g.drawn()
        clips = [c for c in model["clips"] if any(c)]
        self.assertEqual((len(drawn), len(g.clips)), (len(model["meshes"]), len(clips)))
        for number, clip in [(None, None), *((model["clips"].index(c), c) for c in clips)]:
            for time in [0.0] if clip is None else sample_times(clip):
                matrices = skin_matrices(model, number, time)
                for mesh, place in zip(model["meshes"], drawn):
                    expected = skinned(mesh, matrices)
                    found = g.positions(*place, None if clip is None else clips.index(clip), time)
                    error = max(math.dist(a, b) for a, b in zip(expected, found, strict=True))
                    self.assertLess(error, tolerance * size_of(expected), f"{path.name}, clip {number} at {time}")
                    count += len(found)
        return count

    def invented(self):
        rng = random.Random(72)
        for i in range(FILES):
            model, version = invent(rng), rng.randrange(1, 4)
            gate = rng.choice(("deformer", "all"))
            mark_clusters(model, gate)
            path = self.folder / f"{i:02}.twm"
            path.write_bytes(oracle.write(model, version, stride=rng.choice((72, 68)), inside=rng.random() < 0.5, gate=gate))
            yield model, path, version

    def test_random_files(self):
        compared = 0
        for model, path, _ in self.invented():
            compared += self.compare(model, self.convert(path, path.with_suffix(".glb")))
        print(f"# {FILES} files, {compared} positions compared")

    def test_samples(self):
        for path in sorted((ROOT / "samples").rglob("v3*.twm")):
            model = read(self.convert(path, self.folder / path.name, "--dialect", "v3").read_bytes())
            self.compare(model, self.convert(path, self.folder / (path.name + ".glb")))

    def test_transposed_matrices(self):
        for model, path, _ in self.invented():
            other = json.loads(json.dumps(model))
            other["joints"] = [(parent, [matrix[4 * c + r] for r in range(4) for c in range(4)]) for parent, matrix in other["joints"]]
            path.write_bytes(oracle.write(other, 3, gate="all"))
            mark_clusters(model, "all")
            self.compare(model, self.convert(path, path.with_suffix(".glb")))

    def test_parents_that_count_from_one(self):
        seen = 0
        for model, path, _ in self.invented():
            if not any(parent == j - 1 for j, (parent, _) in enumerate(model["joints"]) if j):
                continue  # no joint will seem to be its own parent
            other = json.loads(json.dumps(model))
            other["joints"] = [(parent + 1 if j else 0, matrix) for j, (parent, matrix) in enumerate(other["joints"])]
            path.write_bytes(oracle.write(other, 3, gate="all"))
            mark_clusters(model, "all")
            self.compare(model, self.convert(path, path.with_suffix(".glb")))
            seen += 1
        self.assertGreater(seen, FILES // 3)

    def test_quaternions_in_the_other_order(self):
        for model, path, _ in self.invented():
            other = json.loads(json.dumps(model))
            other["clips"] = [[[(time, key[:6] + [key[9]] + key[6:9]) for time, key in track] for track in clip]
                              for clip in other["clips"]]
            path.write_bytes(oracle.write(other, 3, gate="all"))
            mark_clusters(model, "all")
            self.compare(model, self.convert(path, path.with_suffix(".glb"), "--set", "twm.quaternion=wxyz"))

    def test_a_way_there_and_back(self):
        """Keys stay where they are, joint by joint, in the version that the file had."""
        for model, path, version in self.invented():
            glb = self.convert(path, path.with_suffix(".glb"))
            same = self.convert(glb, path.with_name("same-" + path.name))
            self.assertEqual(struct.unpack_from("<I", same.read_bytes(), 4)[0], version)
            again = read(self.convert(glb, path.with_name("back-" + path.name), "--dialect", "v3").read_bytes())
            self.assertEqual([parent for parent, _ in again["joints"]], [parent for parent, _ in model["joints"]])
            for (_, a), (_, b) in zip(model["joints"], again["joints"]):
                self.assertLess(max(abs(x - y) for x, y in zip(a, b)), 1e-4)
            for mesh, other in zip(model["meshes"], again["meshes"], strict=True):
                self.assertEqual(mesh["indices"], other["indices"])
                self.assertLess(max(math.dist(a, b) for a, b in zip(mesh["position"], other["position"])), 1e-5)
            clips = [c for c in model["clips"] if any(c)]
            for clip, other in zip(clips, again["clips"], strict=True):
                self.assertEqual([[time for time, _ in track] for track in clip], [[time for time, _ in t] for t in other])
            self.compare(again, self.convert(same, path.with_name("again.glb")))
            self.compare(dict(model, clips=clips), path.with_name("again.glb"), 2e-4)


if __name__ == "__main__":
    unittest.main()
