#!/usr/bin/env python3
"""Stele against an independent reader and writer of MESH, which know nothing but its layouts, on random files of all dialects.

STELE names the binary (default: build/stele).
"""
import json
import os
import random
import struct
import subprocess
import tempfile
import unittest
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STELE = os.path.abspath(os.environ.get("STELE", ROOT / "build" / "stele"))
SEED = 20160704
FILES = 640

# The order of preference where the content does not tell dialects apart.
ORDER = ("C2", "C1", "B2", "B3", "A3", "B1", "A2", "A1")
NAMED = ("B1", "B2", "B3", "C1")
NORMAL, UV, JOINTS = 2, 4, 8
NONE = 255
IDENTITY = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)
RESTING = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Animation:
    name: int
    duration: float
    speed: float
    times: tuple
    poses: tuple  # of (joint, ten floats)


@dataclass(frozen=True)
class Model:
    format: int
    floats: tuple  # for each vertex: position, normal, uv, as far as it has them
    skin: tuple  # for each vertex: four joints and four weights
    indices: tuple
    joint_count: int
    joints: tuple  # of (id, parent, sixteen floats)
    root: tuple = IDENTITY
    animations: tuple = ()
    strings: bytes = b""


# ---- The layouts ---------------------------------------------------------------------------------------------------------

def stores_skin(format, dialect):
    return bool(format & JOINTS) and dialect != "A1"


def float_count(format):
    return 3 + (3 if format & NORMAL else 0) + (2 if format & UV else 0)


def write(model, dialect):
    family = dialect[0]
    out = [struct.pack("<BHIIB", 1, model.format, len(model.floats), len(model.indices), model.joint_count)]
    if family == "B":
        out.append(struct.pack("<B", len(model.animations)))
    if family == "C":
        out.append(struct.pack("<H16f", len(model.animations), *model.root))
    for floats, skin in zip(model.floats, model.skin):
        out.append(struct.pack(f"<{len(floats)}f", *floats))
        if stores_skin(model.format, dialect):
            out.append(bytes(skin))
    out.append(struct.pack(f"<{len(model.indices)}I", *model.indices))
    if dialect not in ("A1", "A2"):
        out += [struct.pack("<BB16f", *joint[:2], *joint[2]) for joint in model.joints]
    if family != "A":
        out += [write_animation(a, dialect) for a in model.animations]
    if dialect in NAMED:
        out.append(model.strings)
    return b"".join(out)


def write_animation(animation, dialect):
    out = [struct.pack("<I", animation.name)] if dialect in NAMED else []
    out.append(struct.pack("<ff", animation.duration, animation.speed))
    if dialect != "B1":
        out.append(struct.pack(f"<I{len(animation.times)}f", len(animation.times), *animation.times))
        out += [struct.pack("<I10f" if dialect == "B2" else "<B10f", joint, *floats) for joint, floats in animation.poses]
    return b"".join(out)


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, layout):
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values


def read(data, dialect):
    r = Reader(data)
    version, format, vertex_count, index_count, joint_count = r.take("BHIIB")
    assert version == 1
    animation_count, root = 0, IDENTITY
    if dialect[0] == "B":
        animation_count, = r.take("B")
    if dialect[0] == "C":
        animation_count, = r.take("H")
        root = r.take("16f")
    floats, skin = [], []
    for _ in range(vertex_count):
        floats.append(r.take(f"{float_count(format)}f"))
        skin.append(r.take("8B") if stores_skin(format, dialect) else None)
    indices = r.take(f"{index_count}I")
    joints = () if dialect in ("A1", "A2") else tuple((*r.take("BB"), r.take("16f")) for _ in range(joint_count))
    animations = tuple(read_animation(r, dialect, joint_count) for _ in range(animation_count))
    strings = data[r.at:] if dialect in NAMED else b""
    assert r.at + len(strings) == len(data)
    return Model(format, tuple(floats), tuple(skin), indices, joint_count, joints, root, animations, strings)


def read_animation(r, dialect, joint_count):
    name, = r.take("I") if dialect in NAMED else (0,)
    duration, speed = r.take("ff")
    times = poses = ()
    if dialect != "B1":
        pose_count, = r.take("I")
        times = r.take(f"{pose_count}f")
        poses = tuple((*r.take("I" if dialect == "B2" else "B"), r.take("10f")) for _ in range(pose_count * joint_count))
    return Animation(name, duration, speed, times, poses)


def label(model, dialect):
    """The first dialect in which the same bytes are written."""
    data = write(model, dialect)
    return next(d for d in ORDER if writable(model, d) and write(model, d) == data)


def writable(model, dialect):
    """Whether the model has all that the dialect stores."""
    joints_missing = dialect not in ("A1", "A2") and len(model.joints) != model.joint_count
    return not joints_missing and not (stores_skin(model.format, dialect) and None in model.skin)


# ---- What a conversion must give -----------------------------------------------------------------------------------------

def converted(model, source, target):
    if source == target:
        return model
    if source == "A1":
        model = replace(model, format=model.format & ~JOINTS)
    if not stores_skin(model.format, target):
        model = replace(model, skin=(None,) * len(model.skin))
    if source in ("A1", "A2"):
        model = replace(model, joints=tuple((i, NONE, IDENTITY) for i in range(model.joint_count)))
    if target in ("A1", "A2"):
        model = replace(model, joints=())
    if target[0] != "C" or source[0] != "C":
        model = replace(model, root=IDENTITY)
    return convert_animations(model, source, target)


def convert_animations(model, source, target):
    animations = model.animations
    if source[0] == "A" or target[0] == "A":
        return replace(model, animations=(), strings=b"")
    if "B1" in (source, target):
        animations = tuple(replace(a, times=(), poses=()) for a in animations)
    if target not in NAMED:
        return replace(model, animations=tuple(replace(a, name=0) for a in animations), strings=b"")
    if source not in NAMED:
        animations = tuple(replace(a, name=i) for i, a in enumerate(animations))
        return replace(model, animations=animations, strings=bytes(len(animations)))
    return replace(model, animations=animations)


# ---- Random files --------------------------------------------------------------------------------------------------------

def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def unit(rng, count):
    while True:
        v = [rng.uniform(-1, 1) for _ in range(count)]
        length = sum(x * x for x in v) ** 0.5
        if length > 0.1:
            return tuple(single(x / length) for x in v)


def some_floats(rng, count):
    if rng.random() < 0.2:
        return (0.0,) * count
    return tuple(single(rng.uniform(-9, 9)) for _ in range(count))


def some_vertex(rng, format):
    normal = unit(rng, 3) if format & NORMAL else ()
    return some_floats(rng, 3) + normal + (some_floats(rng, 2) if format & UV else ())


def some_skin(rng, joint_count):
    used = rng.sample(range(joint_count), min(joint_count, rng.randint(0, 4)))
    weights = [255 // len(used)] * len(used) if used else []
    if weights:
        weights[0] += 255 - sum(weights)
    return (*used, *[NONE] * (4 - len(used)), *weights, *[0] * (4 - len(used)))


def some_matrix(rng):
    return IDENTITY if rng.random() < 0.4 else (*some_floats(rng, 12), 0.0, 0.0, 0.0, 1.0)


def some_joints(rng, count):
    joints = [(i, rng.randrange(i) if i and rng.random() < 0.9 else NONE, some_matrix(rng)) for i in range(count)]
    if rng.random() < 0.3:
        rng.shuffle(joints)
    return tuple(joints)


def some_pose(rng, joint_count):
    ids = list(range(joint_count))
    if rng.random() < 0.2:
        rng.shuffle(ids)
    return [(i, RESTING if rng.random() < 0.3 else (*some_floats(rng, 3), *unit(rng, 4), *some_floats(rng, 3))) for i in ids]


def some_animation(rng, joint_count, name, posed):
    times = sorted(some_floats(rng, rng.randint(0, 4))) if posed else []
    times = [abs(t) for t in times] if rng.random() < 0.5 else times
    poses = [row for _ in times for row in some_pose(rng, joint_count)]
    duration = 0.0 if rng.random() < 0.2 else single(rng.uniform(0.01, 60))
    speed = rng.choice((0.0, 1.0, 24.0, 30.0))
    return Animation(name, duration, speed, tuple(sorted(times)), tuple(poses))


def some_name(rng):
    return bytes(rng.randrange(32, 127) for _ in range(rng.randint(0, 12))) + b"\0"


def some_model(rng, dialect):
    format = 1 | rng.choice((0, NORMAL, UV, NORMAL | UV)) | rng.choice((0, JOINTS))
    vertex_count, joint_count = rng.randint(3, 12), rng.choice((0, 1, 2, 3, 5, 7))
    index_count = rng.choice((0, 3, vertex_count, 3 * vertex_count))
    if rng.random() < 0.5:
        index_count = vertex_count
    indices = tuple(range(vertex_count)) if index_count == vertex_count else \
        tuple(rng.randrange(vertex_count) for _ in range(index_count))
    names = list(range(rng.randint(0, 3) if dialect[0] != "A" else 0))
    rng.shuffle(names)
    strings = b"".join(some_name(rng) for _ in names) if dialect in NAMED else b""
    return Model(format, tuple(some_vertex(rng, format) for _ in range(vertex_count)),
                 tuple(some_skin(rng, joint_count) if stores_skin(format, dialect) else None for _ in range(vertex_count)),
                 indices, joint_count, some_joints(rng, joint_count) if dialect not in ("A1", "A2") else (),
                 some_matrix(rng) if dialect[0] == "C" else IDENTITY,
                 tuple(some_animation(rng, joint_count, n if dialect in NAMED else 0, dialect != "B1") for n in names), strings)


class Oracle(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        rng = random.Random(SEED)
        cls.files = []
        for i in range(FILES):
            dialect = sorted(ORDER)[i % len(ORDER)]
            model = some_model(rng, dialect)
            path = Path(cls.folder.name) / f"{i:04}-{dialect}.mesh"
            path.write_bytes(write(model, dialect))
            cls.files.append((path, dialect, model))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def stele(self, *arguments):
        return subprocess.run([STELE, *map(str, arguments)], capture_output=True, check=False)

    def infos(self, paths):
        lines = self.stele("info", "--json", *paths).stdout.decode().splitlines()
        self.assertEqual(len(lines), len(paths))
        return [json.loads(line) for line in lines]

    def test_the_oracle_reads_what_it_writes(self):
        for path, dialect, model in self.files:
            self.assertEqual(read(path.read_bytes(), dialect), model, path.name)

    def test_dialects_are_recognised(self):
        kept = 0
        for (path, dialect, model), info in zip(self.files, self.infos([f[0] for f in self.files])):
            self.assertEqual(info["dialect"], label(model, dialect), path.name)
            kept += info["dialect"] == dialect
        print(f"# {FILES} files recognised, {FILES - kept} of them as the dialect that looks the same")

    def test_dialects_are_recognised_without_names(self):
        copies = []
        for path, dialect, model in self.files:
            copies.append(path.with_suffix(".bin"))
            copies[-1].write_bytes(path.read_bytes())
        for (path, dialect, model), info in zip(self.files, self.infos(copies)):
            self.assertEqual((info["format"], info["dialect"]), ("mesh", label(model, dialect)), path.name)

    def test_dialects_are_recognised_without_strings(self):
        cut = []
        for path, dialect, model in self.files:
            if dialect in NAMED and model.animations and model.joint_count:
                bare = replace(model, strings=b"")
                cut.append((path.with_name("cut-" + path.name), dialect, bare))
                cut[-1][0].write_bytes(write(bare, dialect))
        for (path, dialect, model), info in zip(cut, self.infos([c[0] for c in cut])):
            self.assertEqual(info["dialect"], label(model, dialect), path.name)
            self.assertEqual([c["name"] for c in info["clips"]], [""] * len(model.animations))

    def test_content_is_described(self):
        for (path, dialect, model), info in zip(self.files, self.infos([f[0] for f in self.files])):
            mesh, = info["meshes"]
            self.assertEqual((mesh["vertices"], mesh["indices"]), (len(model.floats), len(model.indices)), path.name)
            self.assertEqual(info["joints"], model.joint_count)
            names = model.strings.split(b"\0")
            for clip, animation in zip(info["clips"], model.animations, strict=True):
                self.assertEqual(clip["name"], names[animation.name].decode() if dialect in NAMED else "")
                self.assertAlmostEqual(clip["seconds"], animation.duration / (animation.speed or 25), 5)
                self.assertEqual((clip["tracks"], clip["keys"]), (model.joint_count, len(animation.poses)))

    def test_sound_files_have_no_errors(self):
        output = self.stele("check", "--json", *[f[0] for f in self.files]).stdout.decode()
        for line in output.splitlines():
            report = json.loads(line)
            errors = [d for d in report["diagnostics"] if d["severity"] == "error"]
            self.assertEqual(errors, [], report["file"])

    def test_rewriting_is_exact(self):
        out = Path(self.folder.name) / "same.mesh"
        for path, dialect, _ in self.files:
            self.assertEqual(self.stele("convert", "-f", path, out).returncode, 0, path.name)
            self.assertEqual(out.read_bytes(), path.read_bytes(), path.name)

    def test_conversions_keep_the_meaning(self):
        rng = random.Random(SEED + 1)
        out = Path(self.folder.name) / "other.mesh"
        pairs = 0
        for path, dialect, model in self.files:
            if label(model, dialect) != dialect:
                continue
            target = rng.choice(ORDER)
            result = self.stele("convert", "-f", "--dialect", target, path, out)
            self.assertEqual(result.returncode, 0, (path.name, target, result.stderr))
            self.assertEqual(read(out.read_bytes(), target), converted(model, dialect, target), (path.name, target))
            pairs += 1
        print(f"# {pairs} conversions compared")


if __name__ == "__main__":
    unittest.main()
