"""glTF 2.0 in both containers, laid out as our own writer does not: the low scribe with its skeleton as .glb, with weights of
bytes, a sparse morph, a curve and a chunk that nobody knows; and at rest as .gltf, interleaved, with two buffers in data URIs."""

import base64
import json
import struct

from .packing import f32, u16, u32, u8
from .scribe import LOW_BONES, four_influences, low_body, low_clip, low_tablet, sub

BYTE, SHORT, FLOAT = 5121, 5123, 5126
VERTICES, INDICES = 34962, 34963
FRAMES_PER_SECOND = 24


class Buffer:
    def __init__(self, number=0):
        self.data, self.views, self.accessors, self.number = b"", [], [], number

    def view(self, data, **more):
        self.data += b"\0" * (-len(self.data) % 4)
        self.views.append({"buffer": self.number, "byteOffset": len(self.data), "byteLength": len(data), **more})
        self.data += data
        return len(self.views) - 1

    def accessor(self, view, component, count, kind, **more):
        place = {} if view is None else {"bufferView": view}
        self.accessors.append({**place, "componentType": component, "count": count, "type": kind, **more})
        return len(self.accessors) - 1

    def rows(self, data, component, count, kind, target=VERTICES, **more):
        return self.accessor(self.view(data, **({"target": target} if target else {})), component, count, kind, **more)


def bounds(rows):
    """The least and the greatest of each component, as the floats that they become."""
    columns = [struct.unpack(f"<{len(c)}f", f32(*c)) for c in zip(*rows)]
    return {"min": [min(c) for c in columns], "max": [max(c) for c in columns]}


def flat(rows):
    return [x for row in rows for x in row]


def skin_bytes(weights):
    """Joints and weights of a vertex; these are bytes of sum 255."""
    influences = [(round(255 * w), bone) for w, bone in four_influences(weights) if w]
    influences[0] = (255 - sum(w for w, _ in influences[1:]), influences[0][1])
    influences += [(0, 0)] * (4 - len(influences))
    return [bone for _, bone in influences], [w for w, _ in influences]


def attributes(buffer, mesh):
    count = len(mesh.vertices)
    positions = [v.position for v in mesh.vertices]
    skin = [skin_bytes(v.weights) for v in mesh.vertices]
    return {"POSITION": buffer.rows(f32(*flat(positions)), FLOAT, count, "VEC3", **bounds(positions)),
            "NORMAL": buffer.rows(f32(*flat(mesh.normals)), FLOAT, count, "VEC3"),
            "JOINTS_0": buffer.rows(u8(*flat(j for j, _ in skin)), BYTE, count, "VEC4"),
            "WEIGHTS_0": buffer.rows(u8(*flat(w for _, w in skin)), BYTE, count, "VEC4", normalized=True)}


def indices(buffer, mesh, pack=u16, component=SHORT):
    numbers = flat(mesh.triangles)
    return buffer.rows(pack(*numbers), component, len(numbers), "SCALAR", target=INDICES)


def body_primitive(buffer):
    mesh = low_body()
    uv = buffer.rows(f32(*flat(v.uv for v in mesh.vertices)), FLOAT, len(mesh.vertices), "VEC2")
    return {"attributes": {**attributes(buffer, mesh), "TEXCOORD_0": uv}, "indices": indices(buffer, mesh), "material": 0}


def tablet_primitive(buffer):
    """Colours of bytes, indices of bytes."""
    mesh = low_tablet()
    color = buffer.rows(u8(*flat(v.colour for v in mesh.vertices)), BYTE, len(mesh.vertices), "VEC4", normalized=True)
    return {"attributes": {**attributes(buffer, mesh), "COLOR_0": color}, "indices": indices(buffer, mesh, u8, BYTE), "material": 1}


def sparse(buffer, count, moved):
    """A morph that moves a few vertices; the others are zeros that need no bytes."""
    where = buffer.view(u16(*moved))
    what = buffer.view(f32(*flat(moved.values())))
    box = bounds([(0, 0, 0), *moved.values()])
    return buffer.accessor(None, FLOAT, count, "VEC3", **box,
                           sparse={"count": len(moved), "indices": {"bufferView": where, "componentType": SHORT},
                                   "values": {"bufferView": what}})


def bone_node(number):
    bone = LOW_BONES[number]
    offset = bone.head if bone.parent is None else sub(bone.head, LOW_BONES[bone.parent].head)
    children = [1 + i for i, b in enumerate(LOW_BONES) if b.parent == number]
    return {"name": bone.name, "translation": list(offset), **({"children": children} if children else {})}


def inverse_binds(buffer):
    matrices = [(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, *(-x for x in bone.head), 1) for bone in LOW_BONES]
    return buffer.rows(f32(*flat(matrices)), FLOAT, len(matrices), "MAT4", target=None)


def nod(buffer):
    """The turns of all bones; the morph's weight on a curve; the body's place in steps."""
    clip = low_clip(0)
    seconds = [t / FRAMES_PER_SECOND for t in clip.times]
    times = buffer.rows(f32(*seconds), FLOAT, len(seconds), "SCALAR", target=None, **bounds([[t] for t in seconds]))
    samplers, channels = [], []

    def add(node, path, kind, rows, interpolation):
        values = buffer.rows(f32(*flat(rows)), FLOAT, len(rows), kind, target=None)
        channels.append({"sampler": len(samplers), "target": {"node": node, "path": path}})
        samplers.append({"input": times, "output": values, "interpolation": interpolation})

    for i, track in enumerate(clip.tracks):
        add(1 + i, "rotation", "VEC4", [k.turn for k in track], "LINEAR")
    head = LOW_BONES[0].head
    add(1, "translation", "VEC3", [[a + b for a, b in zip(head, k.position)] for k in clip.tracks[0]], "STEP")
    add(1 + len(LOW_BONES), "weights", "SCALAR", [[x] for x in (0, 0, 1, 0, 0.5, 0, 0, 1, -1, 0, 0, 0)], "CUBICSPLINE")
    return {"name": clip.name, "samplers": samplers, "channels": channels}


MATERIALS = [{"name": "stone", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}, "metallicFactor": 0}},
             {"name": "slate", "pbrMetallicRoughness": {"metallicFactor": 0, "roughnessFactor": 0.5}, "doubleSided": True}]
TEXTURES = {"textures": [{"source": 0, "sampler": 0}], "images": [{"uri": "scribe.png"}],
            "samplers": [{"magFilter": 9729, "minFilter": 9987, "wrapS": 33071, "wrapT": 33648}]}


def moving():
    buffer = Buffer()
    body, tablet = body_primitive(buffer), tablet_primitive(buffer)
    body["targets"] = [{"POSITION": sparse(buffer, len(low_body().vertices), {3: (0, 0.05, 0), 7: (0, 0, 0.05)})}]
    tablet["targets"] = [{"POSITION": sparse(buffer, len(low_tablet().vertices), {0: (0, 0.1, 0)})}]
    joints = [1 + i for i in range(len(LOW_BONES))]
    mesh_node = 1 + len(LOW_BONES)
    place = {"name": "pen", "translation": [0, 0, -0.1], "extras": {"attachment": True}}
    nodes = [{"name": "scribe", "rotation": [0, 1, 0, 0], "children": [1]}, *(bone_node(i) for i in range(len(LOW_BONES))),
             {"name": "figure", "mesh": 0, "skin": 0}, place]
    nodes[4]["children"] = [mesh_node + 1]
    document = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, mesh_node]}], "nodes": nodes,
                "meshes": [{"name": "figure", "primitives": [body, tablet], "weights": [0.25], "extras": {"targetNames": ["swell"]}}],
                "skins": [{"joints": joints, "inverseBindMatrices": inverse_binds(buffer), "skeleton": 1}],
                "animations": [nod(buffer)], "materials": MATERIALS, **TEXTURES}
    return document, buffer


def interleaved(buffer, mesh):
    rows = b"".join(f32(*v.position, *n, *v.uv) for v, n in zip(mesh.vertices, mesh.normals))
    view = buffer.view(rows, byteStride=32, target=VERTICES)
    count, positions = len(mesh.vertices), [v.position for v in mesh.vertices]
    return {"POSITION": buffer.accessor(view, FLOAT, count, "VEC3", **bounds(positions)),
            "NORMAL": buffer.accessor(view, FLOAT, count, "VEC3", byteOffset=12),
            "TEXCOORD_0": buffer.accessor(view, FLOAT, count, "VEC2", byteOffset=24)}


def data_uri(data):
    return "data:application/octet-stream;base64," + base64.b64encode(data).decode()


def standing():
    """Two buffers; a node with a matrix, and a second one that shows the same mesh smaller."""
    buffer, second = Buffer(), Buffer(1)
    body, tablet = low_body(), low_tablet()
    first = {"attributes": interleaved(buffer, body), "indices": indices(buffer, body, u32, 5125), "material": 0}
    second.views, second.accessors = buffer.views, buffer.accessors
    last = {"attributes": interleaved(second, tablet), "indices": indices(second, tablet), "material": 1}
    about_face = [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1]
    nodes = [{"name": "large", "matrix": about_face, "children": [1], "mesh": 0},
             {"name": "small", "mesh": 0, "translation": [1, 0, 0], "scale": [0.5, 0.5, 0.5]}]
    document = {"asset": {"version": "2.0", "generator": "tools/make_samples.py"}, "scene": 0, "scenes": [{"name": "2.0", "nodes": [0]}],
                "nodes": nodes, "meshes": [{"name": "figure", "primitives": [first, last]}], "materials": MATERIALS, **TEXTURES}
    document |= {"accessors": buffer.accessors, "bufferViews": buffer.views,
                 "buffers": [{"byteLength": len(b.data), "uri": data_uri(b.data)} for b in (buffer, second)]}
    return document


def chunk(kind, data, filler):
    data += filler * (-len(data) % 4)
    return u32(len(data)) + kind + data


def glb(document, buffer):
    document = {**document, "accessors": buffer.accessors, "bufferViews": buffer.views, "buffers": [{"byteLength": len(buffer.data)}]}
    text = json.dumps(document, separators=(",", ":")).encode()
    chunks = chunk(b"JSON", text, b" ") + chunk(b"BIN\0", buffer.data, b"\0") + chunk(b"NOTE", b"what nobody knows is kept", b"\0")
    return b"glTF" + u32(2, 12 + len(chunks)) + chunks


def files():
    return {"dialects/2.0.glb": glb(*moving()), "dialects/2.0.gltf": json.dumps(standing(), indent=1).encode()}
