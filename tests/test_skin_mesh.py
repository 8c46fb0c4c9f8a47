#!/usr/bin/env python3
"""MESH by the engine's own formula, straight from the bytes, against an independent evaluation of the GLB it is converted to:
every clip at several times, at rest, and back again as MESH. STELE names the binary (default: build/stele)."""
import json
import math
import random
import subprocess
import unittest
from dataclasses import replace

import test_oracle_mesh as oracle
from corpus import real_files
from gltf_oracle import Gltf
from skinning import ROOT, STELE, Conversions, between, inverse, moved, of_pose, product, size_of, some_times

FILES = 60
RESTING = oracle.RESTING


# ---- The engine ----------------------------------------------------------------------------------------------------------

def of_rows(numbers):
    return [list(numbers[4 * r:4 * r + 4]) for r in range(3)] + [[0.0, 0.0, 0.0, 1.0]]


def weights_of(skin):
    """(joint, weight) until the first 255, brought to sum 1."""
    found = []
    for joint, weight in zip(skin[:4], skin[4:]):
        if joint == oracle.NONE:
            break
        found.append((joint, weight))
    total = sum(weight for _, weight in found)
    return [(joint, weight / total) for joint, weight in found if weight] if total else []


def speed_of(animation, fps=25.0):
    return animation.speed or fps


def bind_local(model, joint):
    parents = {i: parent for i, parent, _ in model.joints}
    binds = {i: of_rows(matrix) for i, _, matrix in model.joints}
    own = inverse(binds[joint])
    return own if parents[joint] == oracle.NONE else product(binds[parents[joint]], own)


def forgotten(model):
    """Joints with weight that are exactly at the identity in every pose of every animation, but do not rest there."""
    weighted = {joint for skin in model.skin if skin for joint, weight in weights_of(skin)}
    moving = {joint for a in model.animations for joint, pose in a.poses if tuple(pose) != RESTING}
    posed = any(a.poses for a in model.animations)
    identity = of_rows(oracle.IDENTITY)
    return {joint for joint in weighted - moving if posed and max(
        abs(x - y) for r, s in zip(bind_local(model, joint), identity) for x, y in zip(r, s)) > 1e-3}


def pose_at(animation, joint_count, tick):
    """The poses of all joints at a tick; before the first and after the last it holds still."""
    times = animation.times
    rows = lambda i: dict(animation.poses[i * joint_count:(i + 1) * joint_count])
    if tick <= times[0]:
        return rows(0)
    for i in range(len(times) - 1):
        if times[i] <= tick < times[i + 1]:
            first, second = rows(i), rows(i + 1)
            t = (tick - times[i]) / (times[i + 1] - times[i])
            return {joint: between(first[joint], second[joint], t) for joint in first}
    return rows(len(times) - 1)


def skinned(model, animation, seconds, repair):
    positions = [v[:3] for v in model.floats]
    root = of_rows(model.root)
    if animation is None or not (model.format & oracle.JOINTS) or not model.joints:
        return [moved(root, p) for p in positions]
    left = forgotten(model) if repair else set()
    poses = pose_at(animation, model.joint_count, seconds * speed_of(animation))
    parents = {i: parent for i, parent, _ in model.joints}
    binds = {i: of_rows(matrix) for i, _, matrix in model.joints}
    places = {}

    def place(joint):
        if joint not in places:
            local = bind_local(model, joint) if joint in left else of_pose(poses[joint])
            places[joint] = local if parents[joint] == oracle.NONE else product(place(parents[joint]), local)
        return places[joint]

    skin_matrices = {joint: product(place(joint), binds[joint]) for joint in parents}
    out = []
    for position, skin in zip(positions, model.skin):
        total = weights_of(skin)
        point = position
        if total:
            parts = [(weight, moved(skin_matrices[joint], position)) for joint, weight in total]
            point = tuple(sum(weight * p[i] for weight, p in parts) for i in range(3))
        out.append(moved(root, point))
    return out


# ---- Files that an engine could have ---------------------------------------------------------------------------------------

def some_pose(rng):
    scale = rng.choice((1.0, 1.0, rng.uniform(0.5, 2)))
    turn = oracle.unit(rng, 4)
    return tuple(map(oracle.single, (rng.uniform(-2, 2), rng.uniform(-2, 2), rng.uniform(-2, 2)))) + turn + \
        tuple(map(oracle.single, (scale, scale, scale)))


def some_skin(rng, joints):
    used = rng.sample(joints, min(len(joints), rng.randint(0, 4)))
    weights = [rng.randint(1, 255 // len(used)) for _ in used] if used else []
    return (*used, *[oracle.NONE] * (4 - len(used)), *weights, *[0] * (4 - len(used)))


def some_model(rng):
    """Joints with sound binds; one of them may be forgotten, one never bound, and vertices that nothing moves."""
    count = rng.randint(1, 7)
    rest = [some_pose(rng) for _ in range(count)]
    parents = [oracle.NONE if j == 0 or rng.random() < 0.1 else rng.randrange(j) for j in range(count)]
    unbound = {j for j in range(1, count) if rng.random() < 0.15}
    places, joints = [], []
    for j in range(count):
        local = of_rows(oracle.IDENTITY) if j in unbound else of_pose(rest[j])
        places.append(local if parents[j] == oracle.NONE else product(places[parents[j]], local))
        bind = of_rows(oracle.IDENTITY) if j in unbound else inverse(places[j])
        joints.append((j, parents[j], tuple(oracle.single(x) for row in bind for x in row)))
    # an unbound joint's parent decides where its children rest, which only matters for those that were forgotten
    careless = {j for j in range(count) if j not in unbound and parents[j] not in unbound and rng.random() < 0.2}
    skin = tuple(some_skin(rng, [j for j in range(count) if j not in unbound]) for _ in range(12))
    animations = tuple(some_animation(rng, count, rest, careless) for _ in range(rng.randint(1, 3)))
    order = list(joints)
    rng.shuffle(order)
    format = 1 | oracle.JOINTS | rng.choice((0, oracle.NORMAL, oracle.UV))
    root = tuple(oracle.single(x) for row in of_pose(some_pose(rng)) for x in row)
    return oracle.Model(format, tuple(oracle.some_vertex(rng, format) for _ in skin), skin, tuple(range(12)), count,
                        tuple(order), root, animations)


def some_animation(rng, count, rest, careless):
    times = sorted({oracle.single(rng.uniform(0, 40)) for _ in range(rng.randint(1, 6))})
    poses = []
    for _ in times:
        rows = [(j, RESTING if j in careless else rng.choice((some_pose(rng), rest[j]))) for j in range(count)]
        rng.shuffle(rows)
        poses += rows
    return oracle.Animation(0, oracle.single(times[-1] + rng.choice((0, 3))), rng.choice((0.0, 1.0, 24.0)), tuple(times),
                            tuple(poses))


# ---- The tests ------------------------------------------------------------------------------------------------------------

def sample_times(animation):
    return some_times([t / speed_of(animation) for t in animation.times])


class Skinning(Conversions):
    def compare(self, model, path, repair=True):
        """Every vertex of every clip at every time; returns how many were compared."""
        g, count = Gltf(path), 0
        drawn = g.drawn()
        self.assertEqual(len(drawn), 1)
        posed = [a for a in model.animations if a.poses]
        self.assertEqual(len(g.clips), len(posed))
        for clip, animation in [(None, None), *enumerate(posed)]:
            for time in [0.0] if animation is None else sample_times(animation):
                expected = skinned(model, animation, time, repair)
                found = g.positions(*drawn[0], clip, time)
                self.assertEqual(len(found), len(expected))
                error = max(math.dist(a, b) for a, b in zip(expected, found))
                self.assertLess(error, 1e-4 * size_of(expected), f"{path.name}, clip {clip} at {time}")
                count += len(found)
        return count

    def dialect_of(self, path):
        out = subprocess.run([STELE, "info", "--json", str(path)], capture_output=True, text=True, check=True).stdout
        return json.loads(out)["dialect"]

    def test_samples_and_corpus(self):
        paths = sorted((ROOT / "samples").rglob("*.mesh")) + real_files(".mesh")
        self.assertGreater(len(paths), 7)
        compared = 0
        for path in paths:
            dialect = self.dialect_of(path)
            model = oracle.read(path.read_bytes(), dialect)
            target = self.convert(path, self.folder / (path.name + ".glb"))
            compared += self.compare(model, target)
        print(f"# {len(paths)} files, {compared} positions compared")

    def invented(self):
        rng = random.Random(25)
        for i in range(FILES):
            model = some_model(rng)
            path = self.folder / f"{i:02}.mesh"
            path.write_bytes(oracle.write(model, "C2"))
            yield model, path

    def test_random_files(self):
        repaired = compared = 0
        for model, path in self.invented():
            compared += self.compare(model, self.convert(path, path.with_suffix(".glb")))
            repaired += bool(forgotten(model))
        self.assertGreater(repaired, FILES // 8)
        print(f"# {FILES} files, {repaired} of them with forgotten joints, {compared} positions compared")

    def test_random_files_taken_literally(self):
        """Without repairs, vertices that nothing moves are lost in glTF: they get a joint here."""
        for model, path in self.invented():
            first = model.joints[0][0]
            model = replace(model, skin=tuple(s if weights_of(s) else (first, 255, 255, 255, 255, 0, 0, 0) for s in model.skin))
            model = replace(model, skin=tuple(self.whole(s) for s in model.skin))
            path.write_bytes(oracle.write(model, "C2"))
            self.compare(model, self.convert(path, path.with_suffix(".glb"), "--no-repair"), repair=False)

    def whole(self, skin):
        """The first weight takes what is missing to 255."""
        return (*skin[:4], 255 - sum(skin[5:]), *skin[5:])

    def test_a_way_there_and_back(self):
        for model, path in self.invented():
            back = self.convert(self.convert(path, path.with_suffix(".glb")), path.with_name("back-" + path.name))
            self.assertEqual(self.dialect_of(back), "C2")
            again = oracle.read(back.read_bytes(), "C2")
            left = forgotten(model)
            self.assertEqual(again.format, model.format)
            self.assertEqual(again.indices, model.indices)
            for animation, other in zip(model.animations, again.animations, strict=True):
                self.assertEqual((animation.duration, animation.speed), (other.duration, other.speed))
                self.assertEqual(len(animation.times), len(other.times))
                for a, b in zip(animation.times, other.times):
                    self.assertAlmostEqual(a, b, delta=1e-5)
            for i, animation in enumerate(model.animations):
                for time in sample_times(animation):
                    expected = skinned(model, animation, time, True)
                    found = skinned(again, again.animations[i], time, False)
                    # weights become bytes of sum 255
                    self.assertLess(max(math.dist(a, b) for a, b in zip(expected, found)), 0.02 * size_of(expected), (path, left))
            self.compare(again, self.convert(back, path.with_name("again.glb")))

    def test_as_b2(self):
        """Without a root transform the whole model is moved."""
        for model, path in self.invented():
            flat = self.convert(self.convert(path, path.with_suffix(".glb")), path.with_name("flat.mesh"), "--dialect", "B2")
            other = Gltf(self.convert(flat, path.with_name("flat.glb")))
            self.assertEqual(self.dialect_of(flat), "B2")
            for clip, animation in enumerate(model.animations):
                for time in sample_times(animation):
                    expected, found = skinned(model, animation, time, True), other.positions(*other.drawn()[0], clip, time)
                    self.assertLess(max(math.dist(a, b) for a, b in zip(expected, found)), 0.02 * size_of(expected), path)


if __name__ == "__main__":
    unittest.main()
