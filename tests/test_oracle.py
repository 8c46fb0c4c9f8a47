"""Stele against an independent reader, checker and writer of SGM and SGA, which know nothing but the formats' layouts.

STELE names the binary (default: build/stele) and STELE_CORPUS a folder of real files (default: ../shared/corpus).
"""
import json
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STELE = os.path.abspath(os.environ.get("STELE", ROOT / "build" / "stele"))
CORPUS = Path(os.environ.get("STELE_CORPUS", ROOT.parent / "shared" / "corpus"))
SAMPLES = ROOT / "samples"
SEED = 20131205

SGM_MAGIC = 352658064
SGA_MAGIC = 383405658
FRAMES_PER_SECOND = 24


# ---- What a file holds ---------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Layout:
    """What differs between the dialects of SGM."""
    version: int
    magic: bool = False
    tangents: bool = True
    bones: str = ""  # "", "flag" or "map"
    mapped: bool = False  # vertices refer to entries of the bone map
    vertex_count: str = "H"
    index_count: str = "H"
    index_size: bool = False
    animation: bool = False
    uv_sets: bool = False
    colors_may_miss: bool = False


MAGIC = {"magic": True, "bones": "flag", "index_count": "I", "index_size": True, "animation": True}
SGM = {
    "v0a": Layout(0, tangents=False),
    "v0": Layout(0),
    "v0b": Layout(0, bones="flag"),
    "v1a": Layout(1, bones="map", mapped=True, animation=True),
    "v1b": Layout(1, bones="map", index_count="I", animation=True),
    "v1": Layout(1, **MAGIC),
    "v2": Layout(2, vertex_count="I", **MAGIC),
    "v3": Layout(3, vertex_count="I", uv_sets=True, **MAGIC),
    "v3-nocolor": Layout(3, vertex_count="I", uv_sets=True, colors_may_miss=True, **MAGIC),
}
SGA = ("v1", "prototype")


@dataclass
class Material:
    id: int
    uv_sets: list  # of lists of (hint, name); before v3 one list of one texture for each
    colors: list = field(default_factory=list)  # of (hint, rgba)


@dataclass
class Mesh:
    id: int
    material: int
    uv_count: int
    color_floats: int
    tangents: int
    skin: int  # a flag, or the length of the bone map
    bone_map: tuple = ()
    vertex_count: int = 0
    raw: bytes = b""  # the interleaved vertices
    index_size: int = 2
    indices: tuple = ()

    def columns(self):
        wanted = [("position", 3), ("normal", 3)] + [(f"uv{i}", 2) for i in range(self.uv_count)]
        wanted += [("color", self.color_floats)] * bool(self.color_floats) + [("tangent", 4)] * bool(self.tangents)
        return wanted + [("weights", 4), ("bones", 4)] * bool(self.skin)

    def stride(self):
        return 6 + 2 * self.uv_count + self.color_floats + 4 * bool(self.tangents) + 8 * bool(self.skin)

    def floats(self):
        return struct.unpack(f"<{len(self.raw) // 4}f", self.raw)

    def rows(self, name):
        """The vertices' values in one column; none if there is no such column."""
        at = 0
        for column, size in self.columns():
            if column == name:
                flat, stride = self.floats(), self.stride()
                return [flat[i + at:i + at + size] for i in range(0, len(flat), stride)]
            at += size
        return []

    def column_bytes(self, name):
        """The same as bytes, for comparisons in which NaN equals itself."""
        return b"".join(struct.pack(f"<{len(row)}f", *row) for row in self.rows(name))


@dataclass
class Model:
    materials: list
    meshes: list
    animation: bytes | None = None
    has_animation: int = 0


@dataclass
class Bone:
    name: bytes
    position: tuple
    is_root: int
    children: tuple
    rotation: tuple = ()


@dataclass
class Clip:
    name: bytes
    tracks: list  # of (bone, keys), a key being 11 floats


@dataclass
class Skeleton:
    name: bytes
    bones: list
    clips: list


# ---- Reading -------------------------------------------------------------------------------------------------------------

class Malformed(Exception):
    pass


@dataclass(frozen=True)
class Leaf:
    offset: int
    size: int
    type: str
    value: object = None
    columns: tuple = ()  # of (name, components), for arrays


TYPES = {"B": "u8", "H": "u16", "I": "u32", "f": "f32"}


class Reader:
    """Goes through the bytes and remembers every field as a leaf."""

    def __init__(self, data):
        self.data, self.at, self.leaves = data, 0, []

    def take(self, size):
        if size > len(self.data) - self.at:
            raise Malformed(f"{size} bytes at {self.at} of {len(self.data)}")
        self.at += size
        return self.data[self.at - size:self.at]

    def number(self, code):
        at = self.at
        value, = struct.unpack("<" + code, self.take(struct.calcsize("<" + code)))
        self.leaves.append(Leaf(at, self.at - at, TYPES[code], value))
        return value

    def expect(self, code, value):
        if self.number(code) != value:
            raise Malformed(f"not {value}")

    def text(self):
        """A string without its NUL."""
        at, size = self.at + 2, self.number("H")
        value = self.take(size)
        if size:
            self.leaves.append(Leaf(at, size, f"char[{size}]", value))
        return value[:-1] if value.endswith(b"\0") else value

    def array(self, code, count):
        at, size = self.at, struct.calcsize("<" + code)
        values = struct.unpack(f"<{count}{code}", self.take(size * count))
        if count:
            self.leaves.append(Leaf(at, size * count, f"{TYPES[code]}[{count}]", values, (("", 1),)))
        return values

    def rows(self, columns, count):
        at, stride = self.at, 4 * sum(size for _, size in columns)
        raw = self.take(stride * count)
        if count:
            self.leaves.append(Leaf(at, len(raw), f"row[{count}]", struct.unpack(f"<{len(raw) // 4}f", raw), tuple(columns)))
        return raw

    def end(self):
        if self.at != len(self.data):
            raise Malformed(f"{len(self.data) - self.at} bytes are left over")


def read_material(r, layout):
    material = Material(r.number("B"), [])
    if not layout.uv_sets:
        material.uv_sets = [[(0, r.text())] for _ in range(r.number("B"))]
        return material
    for _ in range(r.number("B")):
        material.uv_sets.append([(r.number("B"), r.text()) for _ in range(r.number("B"))])
    if material.uv_sets or not layout.colors_may_miss:
        material.colors = [(r.number("B"), r.array("f", 4)) for _ in range(r.number("B"))]
    return material


def read_mesh(r, layout):
    identity, material, count = r.number("B"), r.number("B"), r.number(layout.vertex_count)
    mesh = Mesh(identity, material, r.number("B"), r.number("B"), 0, 0, vertex_count=count)
    if layout.tangents:
        mesh.tangents = r.number("B")
    if layout.bones:
        mesh.skin = r.number("B")
    if layout.bones == "map":
        mesh.bone_map = r.array("H", mesh.skin)
    mesh.raw = r.rows(mesh.columns(), count)
    indices = r.number(layout.index_count)
    mesh.index_size = r.number("B") if layout.index_size else 2
    if mesh.index_size not in (1, 2, 4):
        raise Malformed(f"indices of {mesh.index_size} bytes")
    mesh.indices = r.array({1: "B", 2: "H", 4: "I"}[mesh.index_size], indices)
    return mesh


def read_sgm(data, dialect):
    """The model and the leaves; Malformed unless every byte has a place in this dialect."""
    layout, r = SGM[dialect], Reader(data)
    if layout.magic:
        r.expect("I", SGM_MAGIC)
    r.expect("B", layout.version)
    model = Model([], [])
    model.materials = [read_material(r, layout) for _ in range(r.number("B"))]
    model.meshes = [read_mesh(r, layout) for _ in range(r.number("B"))]
    if layout.animation:
        model.has_animation = r.number("B")
        if model.has_animation == 1:
            model.animation = r.text()
    r.end()
    return model, r.leaves


KEY = (("time", 1), ("position", 3), ("scale", 3), ("rotation", 4))


def read_bone(r, rotations):
    name, position = r.text(), r.array("f", 3)
    rotation = r.array("f", 4) if rotations else ()
    root = r.number("B")
    return Bone(name, position, root, r.array("H", r.number("H")), rotation)


def read_track(r):
    bone, count = r.number("H"), r.number("I")
    return bone, list(struct.iter_unpack("<11f", r.rows(KEY, count)))


def read_sga(data, dialect):
    r = Reader(data)
    r.expect("I", SGA_MAGIC)
    r.expect("B", 1)
    skeleton = Skeleton(r.text(), [], [])
    skeleton.bones = [read_bone(r, dialect == "prototype") for _ in range(r.number("H"))]
    for _ in range(r.number("H")):
        name = r.text()
        skeleton.clips.append(Clip(name, [read_track(r) for _ in range(r.number("H"))]))
    r.end()
    return skeleton, r.leaves


def ends_sensibly(data, model, leaves):
    """The rule that tells v1a from v1b: a name that is there has a length and ends in NUL."""
    if model.has_animation == 1:
        return leaves[-1].type.startswith("char") and data.endswith(b"\0")
    return model.has_animation == 0


def fits_sgm(data, sensible=True):
    found = {}
    for dialect in SGM:
        try:
            model, leaves = read_sgm(data, dialect)
        except Malformed:
            continue
        if not sensible or ends_sensibly(data, model, leaves):
            found["sgm", dialect] = model, leaves
    if ("sgm", "v3") in found:
        found.pop(("sgm", "v3-nocolor"), None)  # a fallback for files that are no v3
    return found


def fits_sga(data):
    for dialect in SGA:
        try:
            return {("sga", dialect): read_sga(data, dialect)}
        except Malformed:
            pass
    return {}


def fits(data, sensible=True):
    """Every (format, dialect) that the bytes can be, with the content and the leaves that they then have."""
    return fits_sgm(data, sensible) or fits_sga(data)


# ---- Writing -------------------------------------------------------------------------------------------------------------

def pack_text(text):
    return struct.pack("<H", len(text) + 1) + text + b"\0"


def pack_material(material, layout):
    out = struct.pack("<BB", material.id, len(material.uv_sets))
    if not layout.uv_sets:
        return out + b"".join(pack_text(textures[0][1]) for textures in material.uv_sets)
    for textures in material.uv_sets:
        out += bytes([len(textures)]) + b"".join(bytes([hint]) + pack_text(name) for hint, name in textures)
    if layout.colors_may_miss and not material.uv_sets:
        return out
    return out + bytes([len(material.colors)]) + b"".join(struct.pack("<B4f", hint, *rgba) for hint, rgba in material.colors)


def pack_mesh(mesh, layout):
    out = struct.pack("<BB" + layout.vertex_count, mesh.id, mesh.material, mesh.vertex_count)
    out += bytes([mesh.uv_count, mesh.color_floats])
    out += bytes([mesh.tangents]) * layout.tangents + bytes([mesh.skin]) * bool(layout.bones)
    if layout.bones == "map":
        out += struct.pack(f"<{len(mesh.bone_map)}H", *mesh.bone_map)
    out += mesh.raw + struct.pack("<" + layout.index_count, len(mesh.indices))
    out += bytes([mesh.index_size]) * layout.index_size
    return out + struct.pack(f"<{len(mesh.indices)}" + {1: "B", 2: "H", 4: "I"}[mesh.index_size], *mesh.indices)


def write_sgm(model, dialect):
    layout = SGM[dialect]
    out = struct.pack("<I", SGM_MAGIC) * layout.magic + bytes([layout.version, len(model.materials)])
    out += b"".join(pack_material(m, layout) for m in model.materials)
    out += bytes([len(model.meshes)]) + b"".join(pack_mesh(m, layout) for m in model.meshes)
    if layout.animation:
        out += bytes([model.has_animation])
        if model.has_animation == 1:
            out += pack_text(model.animation)
    return out


def pack_bone(bone):
    out = pack_text(bone.name) + struct.pack(f"<{3 + len(bone.rotation)}f", *bone.position, *bone.rotation)
    return out + struct.pack(f"<BH{len(bone.children)}H", bone.is_root, len(bone.children), *bone.children)


def pack_clip(clip):
    out = pack_text(clip.name) + struct.pack("<H", len(clip.tracks))
    for bone, keys in clip.tracks:
        out += struct.pack("<HI", bone, len(keys)) + b"".join(struct.pack("<11f", *key) for key in keys)
    return out


def write_sga(skeleton):
    out = struct.pack("<IB", SGA_MAGIC, 1) + pack_text(skeleton.name)
    out += struct.pack("<H", len(skeleton.bones)) + b"".join(map(pack_bone, skeleton.bones))
    return out + struct.pack("<H", len(skeleton.clips)) + b"".join(map(pack_clip, skeleton.clips))


# ---- Inventing files -----------------------------------------------------------------------------------------------------

TEXTURES = [b"wall.png", b"wall_n.png", b"leaf.*", "b\u00e4r.png".encode(), b"x.png"]
SKELETON_SIZE = 60


def unit_vector(rng, size):
    while True:
        v = [rng.gauss(0, 1) for _ in range(size)]
        length = math.sqrt(sum(x * x for x in v))
        if length > 0.1:
            return [x / length for x in v]


def invent_weights(rng):
    parts = [rng.random() if i == 0 or rng.random() < 0.5 else 0.0 for i in range(4)]
    return [part / sum(parts) for part in parts]


def invent_value(rng, column, size, bones):
    if column in ("normal", "tangent"):
        return unit_vector(rng, 3) + [rng.choice((-1.0, 1.0))] * (size - 3)
    if column == "weights":
        return invent_weights(rng)
    if column == "bones":
        return [float(rng.randrange(bones)) for _ in range(4)]
    if column == "color":
        return [rng.random() for _ in range(size)]
    return [rng.uniform(-2, 2) for _ in range(size)]


def pack_rows(rows):
    return b"".join(struct.pack(f"<{len(row)}f", *row) for row in rows)


def invent_skin(rng, layout):
    """The flag or the length of the map, the map, and how many bones the vertices can name."""
    if not layout.bones or rng.random() < 0.4:
        return 0, (), 0
    if layout.bones == "flag":
        return 1, (), SKELETON_SIZE
    bone_map = tuple(rng.sample(range(SKELETON_SIZE), rng.randint(1, 6)))
    return len(bone_map), bone_map, len(bone_map) if layout.mapped else SKELETON_SIZE


def invent_mesh(rng, layout, index, materials):
    skin, bone_map, bones = invent_skin(rng, layout)
    mesh = Mesh(index, rng.randrange(materials), rng.randint(0, 3), rng.choice((0, 3, 4)),
                int(layout.tangents and rng.random() < 0.5), skin, bone_map, rng.choice((0, 3, 4, 7, 24)))
    mesh.raw = b"".join(pack_rows([invent_value(rng, name, size, bones) for name, size in mesh.columns()])
                        for _ in range(mesh.vertex_count))
    if layout.index_size:
        mesh.index_size = rng.choice((1, 2, 4))
    if mesh.vertex_count:
        mesh.indices = tuple(i for _ in range(rng.randint(0, 12)) for i in rng.sample(range(mesh.vertex_count), 3))
    return mesh


def invent_textures(rng, layout):
    count = rng.choice((0, 1, 1, 2, 3)) if layout.uv_sets else 1
    return [(rng.randrange(5) if layout.uv_sets else 0, rng.choice(TEXTURES)) for _ in range(count)]


def invent_material(rng, layout, index):
    material = Material(index, [invent_textures(rng, layout) for _ in range(rng.randint(0, 3))])
    if layout.uv_sets and (material.uv_sets or not layout.colors_may_miss):
        material.colors = [(rng.choice((0, 2, 3, 4)), as_float32(rng.random() for _ in range(4)))
                           for _ in range(rng.randint(0, 3))]
    return material


def as_float32(values):
    values = tuple(values)
    return struct.unpack(f"<{len(values)}f", struct.pack(f"<{len(values)}f", *values))


def invent_model(rng, dialect):
    layout = SGM[dialect]
    # few without meshes, because those look the same in several dialects
    counts = (0, 1, 1, 1, 2, 2, 2, 3, 3, 3)
    materials = [invent_material(rng, layout, i) for i in range(rng.choice(counts))]
    meshes = [invent_mesh(rng, layout, i, len(materials)) for i in range(rng.choice(counts) if materials else 0)]
    model = Model(materials, meshes)
    if layout.animation and rng.random() < 0.5:
        model.animation, model.has_animation = rng.choice((b"walk.sga", b"a.sga")), 1
    return model


def invent_key(rng, time):
    return as_float32([time] + [rng.uniform(-1, 1) for _ in range(3)] + [1.0] * 3 + unit_vector(rng, 4))


def invent_track(rng, bone):
    return bone, [invent_key(rng, float(time)) for time in range(rng.randint(1, 6))]


def invent_skeleton(rng, dialect):
    count = rng.randint(1, 6)
    parents = [None] + [rng.randrange(i) if rng.random() < 0.8 else None for i in range(1, count)]
    bones = []
    for i, parent in enumerate(parents):
        children = tuple(k for k in range(count) if parents[k] == i)
        rotation = (0.0, 0.0, 0.0, 1.0) if dialect == "prototype" else ()
        bones.append(Bone(b"bone.%d" % i, as_float32(rng.uniform(-1, 1) for _ in range(3)), int(parent is None), children,
                          rotation))
    clips = [Clip(b"clip%d" % i, [invent_track(rng, bone) for bone in range(count)]) for i in range(rng.randint(0, 3))]
    return Skeleton(b"armature", bones, clips)


# ---- Spoiling them: what is wrong must be found and counted --------------------------------------------------------------

def spoil_row(rng, row):
    """Damages one value of one vertex."""
    name = rng.choice([name for name in row if name != "bones"])
    value = row[name]
    if name in ("normal", "tangent"):
        factor = rng.choice((0.0, 1.05, 0.5, 1e-9, 1e20, 1.0095, 1.0105, 0.9905, 0.9895, 0.9e-6, 1.1e-6))
        value[:3] = [x * factor for x in value[:3]]
    elif name == "weights":
        value[:] = rng.choice(([0.0] * 4, [1.2, -0.2, 0.0, 0.0], [0.5, 0.2, 0.0, 0.0], [math.nan, 0.5, -0.5, 0.0],
                               [0.5, 0.4895, 0.0, 0.0], [0.5, 0.4905, 0.0, 0.0], [1.0, 0.0095, 0.0, 0.0],
                               [1.0, 0.0105, 0.0, 0.0], [0.5, 0.0, -0.5, 0.0]))
    if rng.random() < 0.3 and name != "weights":
        value[rng.randrange(len(value))] = rng.choice((math.nan, math.inf, -math.inf))


def spoil_bones(rng, row):
    if "bones" in row and rng.random() < 0.3:
        row["bones"][rng.randrange(4)] = rng.choice((-1.0, 0.5, 200.0))


def spoil_indices(rng, mesh):
    indices = list(mesh.indices)
    for _ in range(rng.randint(0, 3) if indices else 0):
        at = rng.randrange(len(indices))
        indices[at] = rng.choice((indices[at - 1], rng.randrange(250)))
    if rng.random() < 0.2:
        indices.append(0)
    return tuple(indices)


def spoil_mesh(rng, mesh):
    rows = [{name: list(values) for name, values in zip(dict(mesh.columns()), vertex)}
            for vertex in zip(*(mesh.rows(name) for name, _ in mesh.columns()))]
    for row in rng.sample(rows, min(len(rows), 4)):
        spoil_row(rng, row)
        spoil_bones(rng, row)
    if len(rows) > 1 and rng.random() < 0.5:
        rows[0]["position"] = list(rows[1]["position"])
    mesh.raw = b"".join(pack_rows(row.values()) for row in rows)
    mesh.indices = spoil_indices(rng, mesh)


def spoil_model(rng, model):
    for mesh in model.meshes:
        spoil_mesh(rng, mesh)
        if rng.random() < 0.1:
            mesh.material = 200
    for material in model.materials:
        if material.colors and rng.random() < 0.3:
            material.colors[0] = (0, (math.nan, 0.0, 0.0, 1.0))


def spoil_clip(rng, clip):
    bone, keys = rng.choice(clip.tracks)
    spoiled = rng.choice(("unknown", "empty", "order", "repeat", "length", "nonfinite", "twice"))
    at = clip.tracks.index((bone, keys))
    if spoiled == "unknown":
        bone = 99
    elif spoiled == "empty":
        keys = []
    elif spoiled == "order":
        keys = [(99.0,) + keys[0][1:]] + keys[1:]
    elif spoiled == "repeat":
        keys = keys + keys[-1:]
    elif spoiled == "length":
        keys = [keys[0][:7] + (0.5, 0.0, 0.0, 0.5)] + keys[1:]
    elif spoiled == "nonfinite":
        keys = [keys[0][:2] + (math.nan, math.inf) + keys[0][4:]] + keys[1:]
    else:
        clip.tracks.append((bone, keys))
    clip.tracks[at] = bone, keys


def spoil_skeleton(rng, skeleton):
    for clip in skeleton.clips:
        spoil_clip(rng, clip)
        clip.name = rng.choice((b"same", clip.name))
    if rng.random() < 0.5:
        skeleton.clips.append(Clip(b"same", []))
    bone = rng.choice(skeleton.bones)
    bone.children += rng.choice(((), (77,), (len(skeleton.bones) - 1,)))
    bone.is_root = rng.choice((0, 1))
    bone.position = rng.choice((bone.position, (math.nan, 0.0, 0.0)))


# ---- Checking by brute force ---------------------------------------------------------------------------------------------

class Findings:
    """Counts by place and id. Where a value is so near a threshold that rounding decides, either answer is right."""

    def __init__(self):
        self.counts, self.doubtful = Counter(), Counter()

    def add(self, place, name, count=1):
        self.counts[place, name] += count

    def judge(self, place, name, is_one, near):
        self.counts[place, name] += bool(is_one)
        self.doubtful[place, name] += bool(near)


NONFINITE = {"position": "nonfinite-position", "normal": "nonfinite-normal", "color": "nonfinite-color",
             "tangent": "nonfinite-tangent", "weights": "nonfinite-weight", "bones": "nonfinite-bone"}


def finite(values):
    return all(map(math.isfinite, values))


def near(value, threshold):
    return abs(value - threshold) < 1e-6 * threshold


def length_of(vector):
    return math.sqrt(sum(x * x for x in vector))


def find_nonfinite(found, place, mesh):
    for column, name in NONFINITE.items():
        found.add(place, name, sum(not finite(row) for row in mesh.rows(column)))
    uvs = zip(*(mesh.rows(f"uv{i}") for i in range(mesh.uv_count)))
    found.add(place, "nonfinite-uv", sum(not all(map(finite, vertex)) for vertex in uvs))


def find_lengths(found, place, mesh):
    for normal in filter(finite, mesh.rows("normal")):
        length = length_of(normal)
        found.judge(place, "normal-zero", length <= 1e-6, near(length, 1e-6))
        found.judge(place, "normal-length", length > 1e-6 and abs(length - 1) > 0.01,
                    near(length, 0.99) or near(length, 1.01) or near(length, 1e-6))
    for tangent in mesh.rows("tangent"):
        length = length_of(tangent[:3])
        found.judge(place, "tangent-zero", length <= 1e-6, near(length, 1e-6))
    found.add(place, "tangent-without-uv", int(bool(mesh.tangents) and not mesh.uv_count))


def find_weights(found, place, mesh):
    for weights in mesh.rows("weights"):
        total = sum(weights)
        found.add(place, "weight-negative", any(w < 0 for w in weights))
        found.add(place, "weight-all-zero", not any(weights))
        found.judge(place, "weight-sum", any(weights) and abs(total - 1) > 0.01, near(total, 0.99) or near(total, 1.01))


def find_bones(found, place, mesh, limit):
    for bones in mesh.rows("bones"):
        bones = [b for b in bones if math.isfinite(b)]
        found.add(place, "bone-negative", any(b < 0 for b in bones))
        found.add(place, "bone-fractional", any(b != math.floor(b) for b in bones))
        found.add(place, "bone-out-of-range", any(b >= limit for b in bones))


def difference(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def square(v):
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]


def find_triangles(found, place, mesh):
    positions, indices = mesh.rows("position"), mesh.indices
    found.add(place, "index-out-of-range", sum(i >= mesh.vertex_count for i in indices))
    for a, b, c in zip(indices[::3], indices[1::3], indices[2::3]):
        if max(a, b, c) >= mesh.vertex_count:
            continue
        if a == b or b == c or a == c:
            found.add(place, "degenerate-triangle")
            continue
        u, v = difference(positions[b], positions[a]), difference(positions[c], positions[a])
        area, threshold = square(cross(u, v)), 1e-12 * square(u) * square(v)
        found.judge(place, "zero-area-triangle", area <= threshold, near(area, threshold))


def find_in_mesh(found, place, mesh, limit):
    find_nonfinite(found, place, mesh)
    find_lengths(found, place, mesh)
    find_weights(found, place, mesh)
    find_bones(found, place, mesh, limit)
    find_triangles(found, place, mesh)
    found.add(place, "index-count", len(mesh.indices) % 3 != 0)
    found.add(place, "mesh-empty", not mesh.vertex_count or not mesh.indices)


def find_in_sgm(model, dialect, joints):
    """joints is the size of the skeleton beside the model, or infinite."""
    found = Findings()
    for i, material in enumerate(model.materials):
        found.add(f"material[{i}]", "nonfinite-color", sum(not finite(rgba) for _, rgba in material.colors))
    for i, mesh in enumerate(model.meshes):
        place = f"mesh[{i}]"
        find_in_mesh(found, place, mesh, len(mesh.bone_map) if SGM[dialect].mapped else joints)
        found.add(place, "bone-out-of-range", sum(b >= joints for b in mesh.bone_map))
        found.add(place, "material-out-of-range", mesh.material >= len(model.materials))
    return found


def find_in_bones(found, bones):
    children = [child for bone in bones for child in bone.children]
    for i, bone in enumerate(bones):
        place = f"bone[{i}]"
        found.add(place, "nonfinite-bone", (not finite(bone.position)) + (not finite(bone.rotation)))
        found.add(place, "root-flag", bool(bone.is_root) == (i in children))
        found.add(place, "child-out-of-range", sum(child >= len(bones) for child in bone.children))


def find_in_track(found, place, keys):
    times = [key[0] for key in keys]
    found.add(place, "track-empty", not keys)
    found.add(place, "nonfinite-key", sum(not finite(key) for key in keys))
    found.add(place, "time-unsorted", sum(b < a for a, b in zip(times, times[1:])))
    found.add(place, "time-repeated", sum(b == a for a, b in zip(times, times[1:])))
    for key in keys:
        length = length_of(key[7:])
        found.judge(place, "rotation-not-unit", abs(length - 1) > 0.01, near(length, 0.99) or near(length, 1.01))


def find_in_clips(found, skeleton):
    names = set()
    for i, clip in enumerate(skeleton.clips):
        place, seen = f"clip[{i}]", set()
        found.add(place, "clip-duplicate", clip.name in names)
        found.add(place, "clip-empty", not clip.tracks)
        names.add(clip.name)
        for bone, keys in clip.tracks:
            known = bone < len(skeleton.bones)
            found.add(place, "track-unknown-bone", not known)
            found.add(place, "track-duplicate", known and bone in seen)
            seen.add(bone)
            find_in_track(found, place, keys)


def find_in_sga(skeleton):
    found = Findings()
    find_in_bones(found, skeleton.bones)
    find_in_clips(found, skeleton)
    found.add("", "skeleton-empty", not skeleton.bones)
    return found


# ---- Asking Stele --------------------------------------------------------------------------------------------------------

def stele(*arguments, **options):
    return subprocess.run([STELE, *map(str, arguments)], capture_output=True, timeout=60, check=False, **options)


def documents(verb, *arguments):
    """The JSON documents of a run, by file."""
    lines = stele(verb, "--json", *arguments).stdout.splitlines()
    return {document["file"]: document for document in map(json.loads, lines)}


NONFINITE_WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def as_number(value):
    """A number of the JSON output as the float32 that it stands for."""
    value = NONFINITE_WORDS.get(value, value)
    return struct.unpack("<f", struct.pack("<f", value))[0]


def same_floats(got, wanted):
    if got is None or wanted is None or len(got) != len(wanted):
        return got is wanted
    return all(as_number(g) == w or (w != w and g == "NaN") for g, w in zip(got, wanted))


def bounds_of(meshes):
    points = [p for mesh in meshes for p in mesh.rows("position") if finite(p)]
    if not points:
        return None
    return {"min": [min(axis) for axis in zip(*points)], "max": [max(axis) for axis in zip(*points)]}


def same_bounds(got, wanted):
    if not got or not wanted:
        return got == wanted
    return same_floats(got["min"], wanted["min"]) and same_floats(got["max"], wanted["max"])


def covers(fields, size):
    """Whether the fields hold every byte exactly once and in order."""
    at = 0
    for got in fields:
        if got["offset"] != at or got["size"] <= 0:
            return False
        at += got["size"]
    return at == size


def range_of(values):
    values = [v for v in values if math.isfinite(v)]
    return (min(values), max(values)) if values else None


# ---- Comparing -----------------------------------------------------------------------------------------------------------

TEXTURE_ROLES = {0: "base color", 1: "normal map", 2: "specular map", 3: "roughness map", 4: "emission map"}
COLOR_ROLES = {0: "base color", 2: "specular", 3: "roughness", 4: "emission"}
MOST_SHOWN_WHOLE = 16
FIRST_ROWS = 4


class FilesAgree:
    """Tests over a list of files; a subclass says which."""

    files: list

    @classmethod
    def prepare(cls):
        cls.truth = {str(path): fits(path.read_bytes()) for path in cls.files}
        cls.checked = documents("check", *cls.files)

    def content(self, document):
        """What the file holds if it is what Stele says that it is."""
        kind, truth = (document["format"], document["dialect"]), self.truth[document["file"]]
        self.assertIn(kind, truth)
        return truth[kind]

    def for_each(self, found, compare):
        self.assertEqual(sorted(found), sorted(self.truth))
        for path, document in sorted(found.items()):
            with self.subTest(Path(path).name):
                compare(Path(path), document, *self.content(document))

    # -- info --

    def test_info(self):
        self.for_each(documents("info", *self.files), self.compare_info)

    def compare_info(self, path, document, content, _):
        self.assertEqual(document["bytes"], path.stat().st_size)
        if document["format"] == "sgm":
            self.compare_model(document, content, SGM[document["dialect"]].uv_sets)
            self.compare_skeleton(document, self.companion(path, content))
        else:
            self.compare_skeleton(document, content)

    def compare_model(self, document, model, hinted):
        self.assertEqual(len(document["meshes"]), len(model.meshes))
        for got, mesh in zip(document["meshes"], model.meshes):
            wanted = {"vertices": mesh.vertex_count, "indices": len(mesh.indices), "triangles": len(mesh.indices) // 3,
                      "attributes": [name for name, _ in mesh.columns()], "material": mesh.material}
            self.assertEqual({key: got[key] for key in wanted}, wanted)
            self.assertTrue(same_bounds(got["bounds"], bounds_of([mesh])))
        self.assertTrue(same_bounds(document["bounds"], bounds_of(model.meshes)))
        self.assertEqual(len(document["materials"]), len(model.materials))
        for got, material in zip(document["materials"], model.materials):
            self.compare_material(got, material, hinted)

    def compare_material(self, got, material, hinted):
        wanted = [(name.decode(), uv_set, TEXTURE_ROLES[hint]) for uv_set, textures in enumerate(material.uv_sets)
                  for hint, name in textures]
        shown = [(t["name"], t["uv_set"], t["role"]) for t in got["textures"]]
        if hinted:
            self.assertEqual(shown, wanted)
        else:
            self.assertEqual([t[:2] for t in shown], [t[:2] for t in wanted])
        self.assertEqual([color["role"] for color in got["colors"]], [COLOR_ROLES[hint] for hint, _ in material.colors])
        for color, (_, rgba) in zip(got["colors"], material.colors):
            self.assertTrue(same_floats(color["rgba"], rgba))

    def compare_skeleton(self, document, skeleton):
        wanted = []
        for clip in skeleton.clips if skeleton else []:
            last = max((keys[-1][0] for _, keys in clip.tracks if keys), default=0)
            wanted.append({"name": clip.name.decode(), "seconds": last / FRAMES_PER_SECOND, "tracks": len(clip.tracks),
                           "keys": sum(len(keys) for _, keys in clip.tracks)})
        self.assertEqual(document["joints"], len(skeleton.bones) if skeleton else 0)
        self.assertEqual(document["skeleton"], skeleton.name.decode() if skeleton else None)
        self.assertEqual(document["clips"], wanted)

    @staticmethod
    def companion(path, model):
        beside = path.parent / model.animation.decode() if model.animation else None
        if not beside or not beside.is_file():
            return None
        (content, _), = fits_sga(beside.read_bytes()).values()
        return content

    # -- check --

    def test_check(self):
        self.for_each(self.checked, self.compare_check)

    def compare_check(self, path, document, content, _):
        if document["format"] == "sgm":
            skeleton = self.companion(path, content)
            joints = len(skeleton.bones) if skeleton and skeleton.bones else math.inf
            found = find_in_sgm(content, document["dialect"], joints)
        else:
            found = find_in_sga(content)
        self.compare_findings(document["diagnostics"], found)

    def compare_findings(self, diagnostics, found):
        got, known = Counter(), {name for _, name in found.counts}
        for d in diagnostics:
            place = re.match(r"(\w+\[\d+\])?", d["path"]).group()
            if d["id"] in known:
                got[place, d["id"]] += d["count"]
        for key in set(got) | set(found.counts):
            self.assertLessEqual(abs(got[key] - found.counts[key]), found.doubtful[key],
                                 f"{key}: {got[key]} instead of {found.counts[key]}")

    # -- explain --

    def test_explain(self):
        self.for_each(documents("explain", *self.files), self.compare_fields)

    def compare_fields(self, path, document, _, leaves):
        self.assertTrue(covers(document["fields"], path.stat().st_size))
        self.assertEqual(len({got["path"] for got in document["fields"]} - {""}), len(leaves))
        self.assertEqual(len(document["fields"]), len(leaves))
        for got, leaf in zip(document["fields"], leaves):
            self.compare_field(got, leaf)

    def compare_field(self, got, leaf):
        self.assertEqual((got["offset"], got["size"], got["type"]), (leaf.offset, leaf.size, leaf.type))
        if isinstance(leaf.value, bytes):
            self.assertEqual(got["value"], leaf.value.decode())
        elif not leaf.columns:
            self.assertEqual(got["value"], leaf.value)
        elif leaf.columns == (("", 1),) and len(leaf.value) <= MOST_SHOWN_WHOLE:
            self.assertTrue(same_floats(got["value"], leaf.value), got)
        else:
            self.compare_summary(got["value"], leaf)

    def compare_summary(self, got, leaf):
        stride = sum(size for _, size in leaf.columns)
        self.assertEqual(got["count"], len(leaf.value) // stride)
        self.assertEqual(got["stride"], leaf.size // got["count"])
        self.assertEqual([(c.get("name", ""), c["components"]) for c in got["columns"]], list(leaf.columns))
        at = 0
        for column, (_, size) in zip(got["columns"], leaf.columns):
            starts = range(at, len(leaf.value), stride)[:FIRST_ROWS]
            self.assertTrue(same_floats(column["first"], [leaf.value[i + k] for i in starts for k in range(size)]))
            for k in range(size):
                bounds = range_of(leaf.value[at + k::stride]) or (None, None)
                shown = column["min"][k], column["max"][k]
                self.assertEqual(tuple(v if v is None else as_number(v) for v in shown), bounds)
            at += size

    # -- convert --

    def test_rewriting_changes_nothing(self):
        for path in self.files:
            with self.subTest(path.name):
                result = stele("convert", path, "-")
                self.assertEqual((result.returncode, result.stdout == path.read_bytes()), (0, True), result.stderr)


class CutFiles(FilesAgree):
    """The same for files without faults: when their end is missing, that is what Stele says."""

    def test_a_missing_end_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            for i, path in enumerate(self.files):
                data = path.read_bytes()
                for cut in {len(data) - 1, len(data) // 2, len(data) // 3}:
                    Path(folder, f"{i:03}-{cut}-{path.name}").write_bytes(data[:cut])
            for path, document in documents("check", "-r", folder).items():
                errors = {d["id"] for d in document["diagnostics"] if d["severity"] == "error"}
                with self.subTest(Path(path).name):
                    self.assertTrue(errors or fits(Path(path).read_bytes(), sensible=False), document["diagnostics"])
                    self.assertNotIn("line-endings-converted", errors)


class SamplesAgree(CutFiles, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = sorted(SAMPLES.rglob("*.sg[ma]"))
        cls.prepare()

    def test_each_dialect_has_a_sample(self):
        kinds = {kind for found in self.truth.values() for kind in found}
        self.assertEqual(kinds, {("sgm", dialect) for dialect in SGM} | {("sga", dialect) for dialect in SGA})


class CorpusAgrees(CutFiles, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = sorted(CORPUS.rglob("*.sg[ma]"))
        if not cls.files:
            reason = f"there are no real files in {CORPUS}"
            print(f"test_oracle: skipped the corpus: {reason}", file=sys.stderr)
            raise unittest.SkipTest(reason)
        cls.prepare()

    def test_each_file_fits_one_dialect(self):
        self.assertEqual({path: len(found) for path, found in self.truth.items() if len(found) != 1}, {})


class InventedFiles(FilesAgree):
    """Writes files of its own into a folder, the same ones each time."""

    sgm_count, sga_count, spoiled = 0, 0, False

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.files, cls.written = [], {}
        rng = random.Random(SEED + cls.spoiled)
        for i in range(cls.sgm_count):
            dialect = list(SGM)[i % len(SGM)]
            model = invent_model(rng, dialect)
            if cls.spoiled:
                spoil_model(rng, model)
            cls.add(Path(folder.name, f"{i:03}-{dialect}.sgm"), "sgm", dialect, write_sgm(model, dialect))
        for i in range(cls.sga_count):
            skeleton = invent_skeleton(rng, SGA[i % 2])
            if cls.spoiled:
                spoil_skeleton(rng, skeleton)
            cls.add(Path(folder.name, f"{i:03}-{SGA[i % 2]}.sga"), "sga", SGA[i % 2], write_sga(skeleton))
        cls.prepare()

    @classmethod
    def add(cls, path, *kind_and_data):
        *kind, data = kind_and_data
        path.write_bytes(data)
        cls.files.append(path)
        cls.written[str(path)] = tuple(kind)


class InventedAgree(InventedFiles, CutFiles, unittest.TestCase):
    sgm_count, sga_count = 200, 30

    def test_dialect_is_the_one_that_was_written(self):
        for path, kind in self.written.items():
            with self.subTest(Path(path).name):
                document, possible = self.checked[path], self.truth[path]
                self.assertTrue(possible)
                if len(possible) == 1 and kind in possible:
                    self.assertEqual((document["format"], document["dialect"]), kind)

    def test_valid_files_have_no_errors(self):
        for path, document in self.checked.items():
            with self.subTest(Path(path).name):
                self.assertEqual([d for d in document["diagnostics"] if d["severity"] == "error"], [])


class SpoiledAgree(InventedFiles, unittest.TestCase):
    sgm_count, sga_count, spoiled = 150, 60, True

    def test_every_compared_finding_occurs(self):
        """Otherwise the comparison would say nothing about it."""
        found = {d["id"] for document in self.checked.values() for d in document["diagnostics"]}
        compared = set(NONFINITE.values()) | {"nonfinite-uv", "nonfinite-key", "normal-zero", "normal-length", "tangent-zero"}
        compared |= {"tangent-without-uv", "weight-sum", "weight-negative", "weight-all-zero", "degenerate-triangle"}
        compared |= {"zero-area-triangle", "index-out-of-range", "index-count", "bone-out-of-range", "bone-negative"}
        compared |= {"bone-fractional", "clip-duplicate", "clip-empty", "track-empty", "track-duplicate", "time-unsorted"}
        compared |= {"time-repeated", "rotation-not-unit", "track-unknown-bone", "root-flag", "child-out-of-range"}
        self.assertEqual(compared - found, set())


# ---- Conversion between dialects -----------------------------------------------------------------------------------------

def first_textures(material):
    names = [textures[0][1] if textures else b"" for textures in material.uv_sets]
    while names and not names[-1]:
        names.pop()
    return names


def armature_bones(mesh, layout):
    """The bones of the armature to which each vertex is bound, through the map where it counts."""
    if layout.mapped:
        return [tuple(mesh.bone_map[int(b)] for b in bones) for bones in mesh.rows("bones")]
    return mesh.rows("bones")


def material_losses(material, source, target):
    losses = set()
    if source.uv_sets and not target.uv_sets:
        losses |= {"loss-texture" for textures in material.uv_sets if len(textures) > 1}
        losses |= {"loss-hint" for textures in material.uv_sets if textures and textures[0][0]}
    if material.colors and (not target.uv_sets or (target.colors_may_miss and not material.uv_sets)):
        losses.add("loss-color")
    return losses


def expected_losses(model, source, target):
    losses = set().union(*(material_losses(material, source, target) for material in model.materials))
    meshes = [mesh for mesh in model.meshes if mesh.vertex_count]
    if not target.tangents and any(mesh.tangents for mesh in meshes):
        losses.add("loss-tangent")
    if not target.bones and any(mesh.skin for mesh in meshes):
        losses.add("loss-skin")
    if not target.animation and model.animation is not None:
        losses.add("loss-animation")
    return losses


class Conversion(unittest.TestCase):
    def compare(self, before, source, after, target):
        self.assertEqual(len(after.materials), len(before.materials))
        self.assertEqual(len(after.meshes), len(before.meshes))
        for old, new in zip(before.materials, after.materials):
            self.compare_materials(old, source, new, target)
        for old, new in zip(before.meshes, after.meshes):
            self.compare_meshes(old, source, new, target)
        if target.animation:
            self.assertEqual(after.animation, before.animation)

    def compare_materials(self, old, source, new, target):
        self.assertEqual(new.id, old.id)
        self.assertEqual(first_textures(new), first_textures(old))
        if source.uv_sets and target.uv_sets:
            self.assertEqual(new.uv_sets, old.uv_sets)
        if target.uv_sets and not (target.colors_may_miss and not new.uv_sets):
            self.assertEqual(new.colors, old.colors)

    def compare_meshes(self, old, source, new, target):
        self.assertEqual((new.id, new.material, new.vertex_count, new.uv_count, new.color_floats),
                         (old.id, old.material, old.vertex_count, old.uv_count, old.color_floats))
        self.assertEqual(new.indices, old.indices)
        kept = {"position", "normal", "color"} | {f"uv{i}" for i in range(old.uv_count)}
        kept |= {"tangent"} if target.tangents else set()
        kept |= {"weights"} if target.bones else set()
        for name in kept:
            self.assertEqual(new.column_bytes(name), old.column_bytes(name), name)
        self.assertEqual(bool(new.skin), bool(old.skin and target.bones))
        if target.bones and old.skin:
            self.assertEqual(armature_bones(new, target), armature_bones(old, source))

    def convert(self, path, model, dialect, target):
        result = stele("convert", path, "-", "--dialect", target)
        self.assertEqual(result.returncode, 0, result.stderr)
        converted, _ = read_sgm(result.stdout, target)
        self.compare(model, SGM[dialect], converted, SGM[target])
        losses = set(re.findall(r"\[(loss-[a-z-]+)\]", result.stderr.decode()))
        self.assertEqual(losses, expected_losses(model, SGM[dialect], SGM[target]))
        return result.stdout

    def test_samples_to_every_dialect(self):
        for path in sorted(SAMPLES.rglob("*.sgm")):
            ((_, dialect), (model, _)), = fits_sgm(path.read_bytes()).items()
            for target in SGM:
                with self.subTest(path.name, target=target):
                    self.convert(path, model, dialect, target)

    def test_invented_files(self):
        rng = random.Random(SEED + 2)
        with tempfile.TemporaryDirectory() as folder:
            for i in range(180):
                dialect, target = list(SGM)[i % len(SGM)], rng.choice(list(SGM))
                model, path = invent_model(rng, dialect), Path(folder, f"{i}.sgm")
                path.write_bytes(write_sgm(model, dialect))
                if set(fits_sgm(path.read_bytes())) != {("sgm", dialect)}:
                    continue
                with self.subTest(i, dialect=dialect, target=target):
                    self.convert(path, model, dialect, target)

    def test_json_names_the_same_losses(self):
        paths = sorted((SAMPLES / "dialects").glob("*.sgm"))
        for target in SGM:
            with tempfile.TemporaryDirectory() as folder:
                found = documents("convert", "--dialect", target, "--out-dir", folder, *paths)
                for path in paths:
                    with self.subTest(path.name, target=target):
                        ((_, dialect), (model, _)), = fits_sgm(path.read_bytes()).items()
                        losses = {d["id"] for d in found[str(path)]["diagnostics"] if d["severity"] == "loss"}
                        self.assertEqual(losses, expected_losses(model, SGM[dialect], SGM[target]))
                        self.assertEqual(Path(folder, path.name).read_bytes(), self.convert(path, model, dialect, target))

    def test_what_does_not_fit_is_not_written(self):
        mesh = Mesh(0, 0, 0, 0, 0, 0, vertex_count=70000, raw=struct.pack("<6f", 0, 0, 0, 0, 1, 0) * 70000, index_size=4)
        many_vertices = Model([Material(0, [])], [replace(mesh, indices=(0, 1, 69999))])
        many_indices = Model([Material(0, [])], [replace(mesh, vertex_count=3, raw=mesh.raw[:72], indices=(0, 1, 2) * 30000)])
        refused = {"v0", "v0a", "v0b", "v1a"}
        for model, expected in ((many_vertices, refused | {"v1b", "v1"}), (many_indices, refused)):
            for target in SGM:
                with self.subTest(target=target):
                    result = stele("convert", "-", "-", "--dialect", target, input=write_sgm(model, "v3"))
                    self.assertEqual(result.returncode, int(target in expected), result.stderr)
                    self.assertEqual(not result.stdout, target in expected)
                    self.assertEqual(b"[does-not-fit]" in result.stderr, target in expected)


class SkeletonConversion(unittest.TestCase):
    def test_rotations_come_and_go(self):
        rng = random.Random(SEED + 3)
        for _ in range(10):
            plain = write_sga(invent_skeleton(rng, "v1"))
            prototype = stele("convert", "-", "-", "--dialect", "prototype", input=plain)
            skeleton, _ = read_sga(prototype.stdout, "prototype")
            self.assertEqual({bone.rotation for bone in skeleton.bones}, {(0.0, 0.0, 0.0, 1.0)})
            back = stele("convert", "-", "-", "--dialect", "v1", input=prototype.stdout)
            self.assertEqual((back.returncode, back.stdout == plain, back.stderr), (0, True, b""))

    def test_a_turned_bone_is_a_loss(self):
        skeleton = invent_skeleton(random.Random(SEED), "prototype")
        skeleton.bones[0].rotation = (1.0, 0.0, 0.0, 0.0)
        result = stele("convert", "-", "-", "--dialect", "v1", input=write_sga(skeleton))
        self.assertEqual((result.returncode, b"[loss-rotation]" in result.stderr), (0, True))
        for bone in skeleton.bones:
            bone.rotation = ()
        self.assertEqual(result.stdout, write_sga(skeleton))


# ---- Damage to the structure ---------------------------------------------------------------------------------------------

class DamagedStructure(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    @staticmethod
    def originals():
        rng = random.Random(SEED + 4)
        for dialect in SGM:
            model = invent_model(rng, dialect)
            while not 200 < len(write_sgm(model, dialect)) < 700 or not any(mesh.indices for mesh in model.meshes):
                model = invent_model(rng, dialect)
            yield f"{dialect}.sgm", write_sgm(model, dialect)
        for dialect in SGA:
            yield f"{dialect}.sga", write_sga(invent_skeleton(rng, dialect))

    def put(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def explained(self):
        result = stele("explain", "--json", "-r", self.folder)
        self.assertGreaterEqual(result.returncode, 0)
        found = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual(len(found), len(list(self.folder.iterdir())))
        return found

    def test_every_way_to_cut_a_file_short(self):
        for name, data in self.originals():
            for size in range(1, len(data)):
                self.put(f"{size:04}-{name}", data[:size])
        for document in self.explained():
            path = Path(document["file"])
            data, errors = path.read_bytes(), {d["id"] for d in document["diagnostics"] if d["severity"] == "error"}
            with self.subTest(path.name):
                self.assertTrue(covers(document["fields"], len(data)) or document["format"] is None)
                self.assertTrue(errors or fits(data, sensible=False))
                self.assertNotIn("line-endings-converted", errors)

    def test_changed_bytes(self):
        rng = random.Random(SEED + 5)
        for name, data in self.originals():
            for i in range(40):
                damaged = bytearray(data)
                damaged[rng.randrange(5, min(len(data), 60))] = rng.choice((0, 1, 2, 10, 127, 255))
                self.put(f"{i:04}-{name}", damaged)
        for document in self.explained():
            size = Path(document["file"]).stat().st_size
            with self.subTest(Path(document["file"]).name):
                self.assertTrue(covers(document["fields"], size))

    def test_trailing_bytes_are_a_gap_and_kept(self):
        for name, data in self.originals():
            if name.startswith("v0") or name in ("v3-nocolor.sgm", "prototype.sga"):
                continue  # these are told from their siblings by where they end
            path = self.put(name, data + b"more")
            with self.subTest(name):
                document, = documents("explain", path).values()
                self.assertEqual(document["fields"][-1]["type"], "gap")
                self.assertEqual(document["fields"][-1]["size"], 4)
                self.assertIn("trailing-bytes", [d["id"] for d in document["diagnostics"]])
                self.assertEqual(stele("convert", path, "-").stdout, data + b"more")


class OldDialects(unittest.TestCase):
    """v1a and v1b differ only in the width of the index count."""

    def dialect_of(self, last_index, position, animation):
        raw = struct.pack("<6f", position, 0, 0, 0, 1, 0) * 3
        mesh = Mesh(0, 0, 0, 0, 0, 0, vertex_count=3, raw=raw, indices=(0, 2, last_index))
        model = Model([Material(0, [])], [mesh], animation, int(animation is not None))
        document = json.loads(stele("info", "--json", "--format", "sgm", "-", input=write_sgm(model, "v1b")).stdout)
        return document["dialect"]

    def test_the_name_of_the_animation_decides(self):
        """With 1 as the last index, v1a fits too, but for a name without a length."""
        for last_index in (0, 1, 2):
            for position in (0.0, math.nan):
                for animation in (None, b"walk.sga"):
                    with self.subTest(last_index, position=position, animation=animation):
                        self.assertEqual(self.dialect_of(last_index, position, animation), "v1b")


class OracleItself(unittest.TestCase):
    def test_reads_what_it_writes(self):
        rng = random.Random(SEED)
        for i in range(90):
            dialect = list(SGM)[i % len(SGM)]
            model = invent_model(rng, dialect)
            self.assertEqual(read_sgm(write_sgm(model, dialect), dialect)[0], model)
            skeleton = invent_skeleton(rng, SGA[i % 2])
            self.assertEqual(read_sga(write_sga(skeleton), SGA[i % 2])[0], skeleton)


if __name__ == "__main__":
    unittest.main()
