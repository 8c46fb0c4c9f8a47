#!/usr/bin/env python3
"""An independent reader and evaluator of glTF 2.0 (.glb and .gltf), for tests. It shares no code with the library.

    g = Gltf("hat.glb")                      # g.json is the document, g.bin the BIN chunk (or b"")
    g.accessor(3)                            # rows of numbers: tuples, or plain numbers for SCALAR; normalised, sparse applied
    g.raw_accessor(3)                        # the same, integers as they are stored
    g.clips                                  # the names of the animations ("" where there is none)
    g.duration("walk")                       # seconds: the last key
    g.drawn()                                # [(node, primitive)] of the default scene, in the order of the nodes
    g.world(clip=None, time=0.0)             # a 4x4 matrix for each node: tuples of 16 doubles, column by column
    g.positions(node, primitive, clip, time) # [(x, y, z)] in the space of the scene, morphed and skinned
    g.normals(node, primitive, clip, time)   # the same for normals, of length 1 (None if there are none)
    g.triangles(node, primitive)             # [(a, b, c)], strips and fans resolved
    g.bounds(clip=None, time=0.0)            # ((min), (max)) of all that is drawn

A clip is a name, a number, or None for the rest pose. Before its first and after its last key a channel holds still.
Run as a program it prints the bounds of files at rest and at the middle of each clip."""
import base64
import bisect
import json
import math
import struct
import sys
import urllib.parse
from pathlib import Path

TYPES = {5120: ("b", 1), 5121: ("B", 1), 5122: ("h", 2), 5123: ("H", 2), 5125: ("I", 4), 5126: ("f", 4)}
COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
SIGNED_MAX = {5120: 127.0, 5122: 32767.0}
UNSIGNED_MAX = {5121: 255.0, 5123: 65535.0}
IDENTITY = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)


def product(a, b):
    """a after b, both column by column."""
    return tuple(sum(a[4 * k + r] * b[4 * c + k] for k in range(4)) for c in range(4) for r in range(4))


def trs_matrix(t, q, s):
    x, y, z, w = q
    return ((1 - 2 * (y * y + z * z)) * s[0], 2 * (x * y + z * w) * s[0], 2 * (x * z - y * w) * s[0], 0.0,
            2 * (x * y - z * w) * s[1], (1 - 2 * (x * x + z * z)) * s[1], 2 * (y * z + x * w) * s[1], 0.0,
            2 * (x * z + y * w) * s[2], 2 * (y * z - x * w) * s[2], (1 - 2 * (x * x + y * y)) * s[2], 0.0,
            t[0], t[1], t[2], 1.0)


def unit(v):
    length = math.sqrt(sum(x * x for x in v))
    return tuple(x / length for x in v) if length else tuple(v)


def slerp(a, b, t):
    dot = sum(x * y for x, y in zip(a, b))
    if dot < 0:
        b, dot = tuple(-x for x in b), -dot
    if dot > 0.99999:
        return unit(tuple(x + (y - x) * t for x, y in zip(a, b)))
    angle = math.acos(min(dot, 1.0))
    p, q = math.sin((1 - t) * angle) / math.sin(angle), math.sin(t * angle) / math.sin(angle)
    return tuple(p * x + q * y for x, y in zip(a, b))


def normal_matrix(m):
    """The inverse transpose of the upper left 3x3 up to a positive scale: nine numbers, column by column."""
    a, b, c, d, e, f, g, h, i = m[0], m[4], m[8], m[1], m[5], m[9], m[2], m[6], m[10]
    cofactors = (e * i - f * h, -(d * i - f * g), d * h - e * g)
    sign = 1.0 if a * cofactors[0] + b * cofactors[1] + c * cofactors[2] >= 0 else -1.0
    return tuple(sign * x for x in (
        e * i - f * h, c * h - b * i, b * f - c * e,
        f * g - d * i, a * i - c * g, c * d - a * f,
        d * h - e * g, b * g - a * h, a * e - b * d))


class Gltf:
    def __init__(self, path):
        self.path = Path(path)
        data = self.path.read_bytes()
        self.bin = b""
        if data[:4] == b"glTF":
            version, length = struct.unpack_from("<II", data, 4)
            if version != 2 or length != len(data):
                raise ValueError(f"version {version}, length {length} of {len(data)}")
            self.chunks, at = [], 12
            while at < length:
                size, kind = struct.unpack_from("<II", data, at)
                if size % 4 or at + 8 + size > length:
                    raise ValueError(f"a chunk of {size} bytes at {at}")
                self.chunks.append((kind, data[at + 8:at + 8 + size]))
                at += 8 + size
            if self.chunks[0][0] != 0x4E4F534A:
                raise ValueError("the first chunk is not JSON")
            self.json = json.loads(self.chunks[0][1])
            if len(self.chunks) > 1 and self.chunks[1][0] == 0x004E4942:
                self.bin = self.chunks[1][1]
        else:
            self.json = json.loads(data.decode())
        self.nodes = self.json.get("nodes", [])
        self.meshes = self.json.get("meshes", [])
        self.skins = self.json.get("skins", [])
        self.animations = self.json.get("animations", [])
        self.parents = [None] * len(self.nodes)
        for i, node in enumerate(self.nodes):
            for child in node.get("children", []):
                self.parents[child] = i
        self.cache = {}

    # ---- Data

    def remember(self, key, make):
        if key not in self.cache:
            self.cache[key] = make()
        return self.cache[key]

    def load_uri(self, uri):
        if uri.startswith("data:"):
            head, body = uri.split(",", 1)
            return base64.b64decode(body, validate=True) if head.endswith(";base64") else urllib.parse.unquote_to_bytes(body)
        return (self.path.parent / urllib.parse.unquote(uri)).read_bytes()

    def buffer(self, index):
        def make():
            buffer = self.json["buffers"][index]
            data = self.load_uri(buffer["uri"]) if "uri" in buffer else self.bin
            if len(data) < buffer["byteLength"]:
                raise ValueError(f"buffer {index} has {len(data)} bytes of {buffer['byteLength']}")
            return data[:buffer["byteLength"]]
        return self.remember(("buffer", index), make)

    def view_bytes(self, index):
        view = self.json["bufferViews"][index]
        start = view.get("byteOffset", 0)
        data = self.buffer(view["buffer"])
        if start + view["byteLength"] > len(data):
            raise ValueError(f"bufferView {index} leaves its buffer")
        return memoryview(data)[start:start + view["byteLength"]]

    def rows(self, view, offset, kind, components, count):
        """Rows of one accessor or of the parts of a sparse one, as tuples."""
        letter, size = TYPES[kind]
        data = self.view_bytes(view)
        row = components * size
        stride = self.json["bufferViews"][view].get("byteStride", row)
        if count and offset + stride * (count - 1) + row > len(data):
            raise ValueError(f"{count} rows do not fit in bufferView {view}")
        one = struct.Struct("<" + letter * components)
        if stride == row:
            return list(one.iter_unpack(data[offset:offset + row * count]))
        padded = struct.Struct(f"<{letter * components}{stride - row}x")
        whole = offset + stride * count
        if whole <= len(data):
            return list(padded.iter_unpack(data[offset:whole]))
        return [one.unpack_from(data, offset + stride * i) for i in range(count)]

    def read_accessor(self, index):
        accessor = self.json["accessors"][index]
        kind, components, count = accessor["componentType"], COMPONENTS[accessor["type"]], accessor["count"]
        size = TYPES[kind][1]
        if accessor["type"] in ("MAT2", "MAT3") and size < 4:
            raise NotImplementedError("padded matrix columns")
        if "bufferView" in accessor:
            rows = self.rows(accessor["bufferView"], accessor.get("byteOffset", 0), kind, components, count)
        else:
            rows = [(0,) * components] * count
        if "sparse" in accessor:
            sparse = accessor["sparse"]
            where, what = sparse["indices"], sparse["values"]
            indices = self.rows(where["bufferView"], where.get("byteOffset", 0), where["componentType"], 1, sparse["count"])
            values = self.rows(what["bufferView"], what.get("byteOffset", 0), kind, components, sparse["count"])
            previous = -1
            for (i,), value in zip(indices, values):
                if not previous < i < count:
                    raise ValueError(f"sparse index {i} after {previous} in accessor {index}")
                rows[i], previous = value, i
        return rows

    def raw_accessor(self, index):
        rows = self.remember(("raw", index), lambda: self.read_accessor(index))
        return [row[0] for row in rows] if self.json["accessors"][index]["type"] == "SCALAR" else rows

    def accessor(self, index):
        def make():
            accessor = self.json["accessors"][index]
            rows = self.remember(("raw", index), lambda: self.read_accessor(index))
            kind = accessor["componentType"]
            if accessor.get("normalized"):
                if kind in SIGNED_MAX:
                    rows = [tuple(max(x / SIGNED_MAX[kind], -1.0) for x in row) for row in rows]
                else:
                    rows = [tuple(x / UNSIGNED_MAX[kind] for x in row) for row in rows]
            return [row[0] for row in rows] if accessor["type"] == "SCALAR" else rows
        return self.remember(("accessor", index), make)

    # ---- Clips

    @property
    def clips(self):
        return [animation.get("name", "") for animation in self.animations]

    def clip_number(self, clip):
        return clip if isinstance(clip, int) else self.clips.index(clip)

    def duration(self, clip):
        animation = self.animations[self.clip_number(clip)]
        return max((self.accessor(s["input"])[-1] for s in animation["samplers"]), default=0.0)

    def sample(self, sampler, time, width, rotation):
        """The value of a sampler at a time: width numbers."""
        times = self.accessor(sampler["input"])
        mode = sampler.get("interpolation", "LINEAR")
        values = self.accessor(sampler["output"])
        if values and not isinstance(values[0], tuple):  # morph weights are scalars, width of them a key
            flat = values
            key = lambda i: tuple(flat[i * width:(i + 1) * width])
        else:
            key = lambda i: values[i]
        value = (lambda i: key(3 * i + 1)) if mode == "CUBICSPLINE" else key
        if time <= times[0]:
            return value(0)
        if time >= times[-1]:
            return value(len(times) - 1)
        i = bisect.bisect_right(times, time) - 1
        span = times[i + 1] - times[i]
        t = (time - times[i]) / span
        if mode == "STEP":
            return value(i)
        if mode == "LINEAR":
            a, b = value(i), value(i + 1)
            return slerp(a, b, t) if rotation else tuple(x + (y - x) * t for x, y in zip(a, b))
        a, out, into, b = value(i), key(3 * i + 2), key(3 * i + 3), value(i + 1)
        t2, t3 = t * t, t * t * t
        result = tuple((2 * t3 - 3 * t2 + 1) * p + span * (t3 - 2 * t2 + t) * m + (3 * t2 - 2 * t3) * q + span * (t3 - t2) * n
                       for p, m, q, n in zip(a, out, b, into))
        return unit(result) if rotation else result

    def posed(self, clip, time):
        """What a clip says about nodes at a time: {node: {path: value}}."""
        poses = {}
        if clip is None:
            return poses
        animation = self.animations[self.clip_number(clip)]
        for channel in animation["channels"]:
            target = channel["target"]
            if "node" not in target:
                continue
            path, node = target["path"], target["node"]
            width = self.morph_count(node) if path == "weights" else 4 if path == "rotation" else 3
            sampler = animation["samplers"][channel["sampler"]]
            poses.setdefault(node, {})[path] = self.sample(sampler, time, width, path == "rotation")
        return poses

    # ---- Nodes

    def drawn(self):
        if self.json.get("scenes"):
            open_nodes = list(self.json["scenes"][self.json.get("scene", 0)].get("nodes", []))
        else:
            open_nodes = [i for i, parent in enumerate(self.parents) if parent is None]
        reached = set()
        while open_nodes:
            node = open_nodes.pop()
            if node in reached:
                raise ValueError(f"node {node} is reached twice")
            reached.add(node)
            open_nodes += self.nodes[node].get("children", [])
        return [(n, p) for n in sorted(reached) if "mesh" in self.nodes[n]
                for p in range(len(self.meshes[self.nodes[n]["mesh"]]["primitives"]))]

    def local(self, node, pose):
        n = self.nodes[node]
        if "matrix" in n:
            return tuple(map(float, n["matrix"]))
        pose = pose or {}
        return trs_matrix(pose.get("translation", n.get("translation", (0.0, 0.0, 0.0))),
                          pose.get("rotation", n.get("rotation", (0.0, 0.0, 0.0, 1.0))),
                          pose.get("scale", n.get("scale", (1.0, 1.0, 1.0))))

    def world(self, clip=None, time=0.0):
        def make():
            poses = self.posed(clip, time)
            matrices = [None] * len(self.nodes)
            for start in range(len(self.nodes)):
                chain, at = [], start
                while at is not None and matrices[at] is None:
                    chain.append(at)
                    if len(chain) > len(self.nodes):
                        raise ValueError("nodes are their own ancestors")
                    at = self.parents[at]
                for i in reversed(chain):
                    local = self.local(i, poses.get(i))
                    matrices[i] = local if self.parents[i] is None else product(matrices[self.parents[i]], local)
            return matrices
        return self.remember(("world", clip, time), make)

    # ---- Vertices

    def primitive(self, node, primitive):
        return self.meshes[self.nodes[node]["mesh"]]["primitives"][primitive]

    def morph_count(self, node):
        return len(self.primitive(node, 0).get("targets", []))

    def morph_weights(self, node, clip, time):
        pose = self.posed(clip, time).get(node, {})
        mesh = self.meshes[self.nodes[node]["mesh"]]
        return pose.get("weights") or self.nodes[node].get("weights") or mesh.get("weights") or [0.0] * self.morph_count(node)

    def morphed(self, node, primitive, semantic, clip, time):
        p = self.primitive(node, primitive)
        rows = self.accessor(p["attributes"][semantic])
        for weight, target in zip(self.morph_weights(node, clip, time), p.get("targets", [])):
            if weight and semantic in target:
                rows = [tuple(x + weight * d for x, d in zip(row, delta))
                        for row, delta in zip(rows, self.accessor(target[semantic]))]
        return rows

    def joint_matrices(self, node, clip, time):
        skin = self.skins[self.nodes[node]["skin"]]
        world = self.world(clip, time)
        if "inverseBindMatrices" in skin:
            inverse = self.accessor(skin["inverseBindMatrices"])
        else:
            inverse = [IDENTITY] * len(skin["joints"])
        return [product(world[joint], inverse[i]) for i, joint in enumerate(skin["joints"])]

    def influences(self, p):
        """For each vertex a list of (joint, weight), those of weight 0 left out."""
        def make():
            result = [[] for _ in range(self.json["accessors"][p["attributes"]["POSITION"]]["count"])]
            s = 0
            while f"JOINTS_{s}" in p["attributes"]:
                joints = self.raw_accessor(p["attributes"][f"JOINTS_{s}"])
                weights = self.accessor(p["attributes"][f"WEIGHTS_{s}"])
                for into, j, w in zip(result, joints, weights):
                    into += [(a, b) for a, b in zip(j, w) if b]
                s += 1
            return result
        return self.remember(("influences", id(p)), make)

    def vertex_matrices(self, node, primitive, clip, time):
        """The matrix of each vertex: one for all, or those of the skin mixed. Vertices of the same influences share theirs."""
        p = self.primitive(node, primitive)
        if "skin" not in self.nodes[node] or "JOINTS_0" not in p["attributes"]:
            count = self.json["accessors"][p["attributes"]["POSITION"]]["count"]
            return [self.world(clip, time)[node]] * count
        joints, mixed, result = self.joint_matrices(node, clip, time), {}, []
        for influences in self.influences(p):
            key = tuple(influences)
            if key not in mixed:
                mixed[key] = tuple(sum(w * joints[j][k] for j, w in influences) for k in range(16))
            result.append(mixed[key])
        return result

    def positions(self, node, primitive, clip=None, time=0.0):
        rows = self.morphed(node, primitive, "POSITION", clip, time)
        return [(m[0] * x + m[4] * y + m[8] * z + m[12], m[1] * x + m[5] * y + m[9] * z + m[13],
                 m[2] * x + m[6] * y + m[10] * z + m[14])
                for (x, y, z), m in zip(rows, self.vertex_matrices(node, primitive, clip, time))]

    def normals(self, node, primitive, clip=None, time=0.0):
        if "NORMAL" not in self.primitive(node, primitive)["attributes"]:
            return None
        made, result = {}, []
        rows = self.morphed(node, primitive, "NORMAL", clip, time)
        for (x, y, z), m in zip(rows, self.vertex_matrices(node, primitive, clip, time)):
            if m not in made:
                made[m] = normal_matrix(m)
            n = made[m]
            result.append(unit((n[0] * x + n[3] * y + n[6] * z, n[1] * x + n[4] * y + n[7] * z, n[2] * x + n[5] * y + n[8] * z)))
        return result

    def triangles(self, node, primitive):
        p = self.primitive(node, primitive)
        if "indices" in p:
            i = self.raw_accessor(p["indices"])
        else:
            i = range(self.json["accessors"][p["attributes"]["POSITION"]]["count"])
        mode = p.get("mode", 4)
        if mode == 5:
            return [(i[k], i[k + 1 + k % 2], i[k + 2 - k % 2]) for k in range(len(i) - 2)]
        if mode == 6:
            return [(i[k + 1], i[k + 2], i[0]) for k in range(len(i) - 2)]
        return [tuple(i[k:k + 3]) for k in range(0, len(i) - 2, 3)] if mode == 4 else []

    def bounds(self, clip=None, time=0.0):
        low, high = [math.inf] * 3, [-math.inf] * 3
        for node, primitive in self.drawn():
            positions = self.positions(node, primitive, clip, time)
            for axis, values in enumerate(zip(*positions)):
                low[axis], high[axis] = min(low[axis], min(values)), max(high[axis], max(values))
        return tuple(low), tuple(high)


def main():
    for path in sys.argv[1:]:
        g = Gltf(path)
        print(path, "at rest", g.bounds())
        for i, name in enumerate(g.clips):
            print(path, repr(name), g.bounds(i, g.duration(i) / 2))


if __name__ == "__main__":
    main()
