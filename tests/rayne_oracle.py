"""SGM and SGA by somebody else: a reader, a writer, an inventor of files and a checker by brute force, which know nothing but
the formats' layouts. Stele is compared with them in test_oracle_rayne.py."""
import math
import struct
from collections import Counter
from dataclasses import dataclass, field

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
