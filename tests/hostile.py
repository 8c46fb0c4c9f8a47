"""Files that ask for far more than their size: each family as small files, made here without the library.

A family is a function that makes files in a folder, and returns the one to open. n is about how large it is: 1 for less than
100 kB, more for files that are as many times as large.
"""
import base64
import json
import struct
import zlib

FLOAT, I8, U8, U16, U32 = 5126, 5120, 5121, 5123, 5125
IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]


class Gltf:
    """A glTF in the making: views and accessors of one buffer."""

    def __init__(self, **parts):
        self.parts = {"asset": {"version": "2.0"}} | parts
        self.bytes = b""

    def view(self, data, **more):
        self.bytes += bytes(-len(self.bytes) % 4)
        views = self.parts.setdefault("bufferViews", [])
        views.append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data)} | more)
        self.bytes += data
        return len(views) - 1

    def accessor(self, count, kind="SCALAR", component=FLOAT, **more):
        accessors = self.parts.setdefault("accessors", [])
        accessors.append({"componentType": component, "count": count, "type": kind} | more)
        return len(accessors) - 1

    def floats(self, numbers, kind="SCALAR", **more):
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}[kind]
        if kind == "VEC3" or kind == "SCALAR":
            columns = [numbers[i::width] for i in range(width)]
            more = {"min": [min(c) for c in columns], "max": [max(c) for c in columns]} | more
        return self.accessor(len(numbers) // width, kind, bufferView=self.view(struct.pack(f"<{len(numbers)}f", *numbers)), **more)

    def points(self, count):
        """Positions of triangles that fill the picture."""
        corners = (-1, -1, 0, 1, -1, 0, 0, 1, 0)
        return self.floats([corners[i % 9] * (1 + i * 1e-5) for i in range(3 * count)], "VEC3")

    def json(self, **buffer):
        if self.bytes:
            self.parts["buffers"] = [{"byteLength": len(self.bytes)} | buffer]
        return json.dumps(self.parts, separators=(",", ":")).encode()

    def glb(self, folder, name="model.glb"):
        text = self.json()
        text += b" " * (-len(text) % 4)
        data = self.bytes + bytes(-len(self.bytes) % 4)
        chunks = struct.pack("<I4s", len(text), b"JSON") + text
        if data:
            chunks += struct.pack("<I4s", len(data), b"BIN\0") + data
        path = folder / name
        path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)
        return path


def scene(g, nodes, **parts):
    g.parts |= {"nodes": nodes, "scenes": [{"nodes": list(range(len(nodes)))}], "scene": 0} | parts
    return g


def drawn(g, count, **node):
    """So many nodes that draw mesh 0."""
    return scene(g, [{"mesh": 0} | node] * count)


def primitive(g, count=3, **more):
    return {"attributes": {"POSITION": g.points(count)} | more.pop("attributes", {})} | more


def shuffled(count):
    """So many numbers that look like chance, the same each time."""
    numbers, x = [], 1
    for _ in range(count):
        x = x * 1103515245 + 12345 & 0x7FFFFFFF
        numbers.append(x >> 16)
    return numbers


# ---- Meshes and nodes ----

def instances(folder, n):
    g = Gltf()
    g.parts["meshes"] = [{"primitives": [primitive(g, 3000 * n)]}]
    return drawn(g, 4000 * n).glb(folder)


def instances_of_overlapping_rows(folder, n):
    g = Gltf()
    rows = 40000 * n
    view = g.view(bytes(rows + 12), byteStride=4)
    g.accessor(rows // 4, "VEC3", bufferView=view, min=[0, 0, 0], max=[0, 0, 0])
    g.parts["meshes"] = [{"primitives": [{"attributes": {"POSITION": 0}}]}]
    return drawn(g, 3000 * n).glb(folder)


def primitives_and_nodes(folder, n):
    g = Gltf()
    one = primitive(g)
    g.parts["meshes"] = [{"primitives": [one] * (700 * n)}]
    return drawn(g, 4800 * n).glb(folder)


def primitives_of_one_mesh(folder, n):
    g = Gltf()
    one = primitive(g)
    g.parts["meshes"] = [{"name": "a", "primitives": [one] * (2500 * n)}]
    return drawn(g, 1).glb(folder)


def instances_of_lines(folder, n):
    g = Gltf()
    g.parts["meshes"] = [{"primitives": [primitive(g, 3000 * n, mode=1)]}]
    return drawn(g, 4000 * n).glb(folder)


def instances_of_points(folder, n):
    g = Gltf()
    g.parts["meshes"] = [{"primitives": [primitive(g, 3000 * n, mode=0)]}]
    return drawn(g, 4000 * n).glb(folder)


def empty_nodes(folder, n):
    return scene(Gltf(), [{}] * (11000 * n)).glb(folder)


def chain_of_nodes(folder, n):
    count = 4500 * n
    return scene(Gltf(), [{"children": [i + 1]} for i in range(count)] + [{}], scenes=[{"nodes": [0]}]).glb(folder)


def empty_materials(folder, n):
    g = Gltf(materials=[{}] * (15000 * n))
    g.parts["meshes"] = [{"primitives": [primitive(g, material=i) for i in range(100 * n)]}]
    return drawn(g, 1).glb(folder)


def materials_that_are_used(folder, n):
    g = Gltf(materials=[{"name": "m"}] * (1000 * n))
    one = primitive(g)
    g.parts["meshes"] = [{"primitives": [one | {"material": i} for i in range(1000 * n)]}]
    return drawn(g, 1).glb(folder)


def meshes_of_one_name(folder, n):
    g = Gltf()
    one = primitive(g)
    g.parts["meshes"] = [{"name": "same", "primitives": [one]}] * (1000 * n)
    return scene(g, [{"name": "same", "mesh": i} for i in range(1000 * n)]).glb(folder)


def name_of_many_nodes(folder, n):
    """What writes nodes as groups writes the name of their mesh as often."""
    g = Gltf()
    g.parts["meshes"] = [{"name": "n" * (40000 * n), "primitives": [primitive(g)]}]
    return drawn(g, 3800 * n).glb(folder)


def accessors_of_the_same_bytes(folder, n):
    g = Gltf()
    rows = 2500 * n
    g.points(rows)
    attributes = {"POSITION": 0}
    for i in range(400 * n):
        attributes[f"TEXCOORD_{i}"] = g.accessor(rows, "VEC2", bufferView=0)
    g.parts["meshes"] = [{"primitives": [{"attributes": attributes}]}]
    return drawn(g, 1).glb(folder)


def sparse_accessors(folder, n):
    g = Gltf()
    index = g.view(bytes(4))
    value = g.view(bytes(12))
    sparse = {"count": 1, "indices": {"bufferView": index, "componentType": U32}, "values": {"bufferView": value}}
    for _ in range(300 * n):
        g.accessor(100000, "VEC3", sparse=sparse, min=[0, 0, 0], max=[0, 0, 0])
    g.parts["meshes"] = [{"primitives": [{"attributes": {"POSITION": i}}]} for i in range(300 * n)]
    return scene(g, [{"mesh": i} for i in range(300 * n)]).glb(folder)


def sparse_accessor_of_billions(folder, n):
    g = Gltf()
    sparse = {"count": 1, "indices": {"bufferView": g.view(bytes(4)), "componentType": U32},
              "values": {"bufferView": g.view(bytes(12))}}
    g.accessor(4000000000, "VEC3", sparse=sparse)
    g.parts["meshes"] = [{"primitives": [{"attributes": {"POSITION": 0}}]}]
    return drawn(g, n).glb(folder)


def indices_of_one_triangle(folder, n):
    g = Gltf()
    one = primitive(g)
    index = g.accessor(60000 * n, component=U8, bufferView=g.view(bytes((0, 1, 2)) * (20000 * n)))
    g.parts["meshes"] = [{"primitives": [one | {"indices": index}]}]
    return drawn(g, 500 * n).glb(folder)


def primitives_of_equal_triangles(folder, n):
    g = Gltf()
    index = g.accessor(30000 * n, component=U8, bufferView=g.view(bytes((0, 1, 2)) * (10000 * n)))
    g.parts["meshes"] = [{"primitives": [primitive(g, indices=index)] * (1000 * n)}]
    return drawn(g, 1).glb(folder)


def net_with_a_far_corner(folder, n):
    """All of it but one corner is within a hundredth of the size: each vertex is near to every triangle."""
    g = Gltf()
    side = int(50 * n ** 0.5)
    places = [(x, y) for y in range(side) for x in range(side)]
    at = [number for x, y in places for number in (x, y, x * y % 7)]
    at[:3] = -1e5, -1e5, 0
    normals = g.view(bytes((0, 0, 127, 0)) * len(places), byteStride=4)
    uvs = g.view(b"".join(struct.pack("<2H", x, y) for x, y in places), byteStride=4)
    attributes = {"POSITION": g.floats(at, "VEC3"), "NORMAL": g.accessor(len(places), "VEC3", I8, bufferView=normals, normalized=True),
                  "TEXCOORD_0": g.accessor(len(places), "VEC2", U16, bufferView=uvs, normalized=True)}
    corners = [y * side + x + k for y in range(side - 1) for x in range(side - 1) for k in (0, 1, side + 1, 0, side + 1, side)]
    index = g.accessor(len(corners), component=U16, bufferView=g.view(struct.pack(f"<{len(corners)}H", *corners)))
    g.parts |= {"meshes": [{"primitives": [{"attributes": attributes, "indices": index}]}],
                "extensionsUsed": ["KHR_mesh_quantization"], "extensionsRequired": ["KHR_mesh_quantization"]}
    return drawn(g, 1).glb(folder)


def triangles_of_few_vertices(folder, n, count=1300):
    """As many as are worth a look wait at each of the vertices that are kept. Normals that must be put right are no longer shared."""
    g = Gltf()
    numbers = shuffled(3 * 16)
    g.floats([number % 2000 / 1000 - 1 for number in numbers], "VEC3")
    corners = [(i + k * (1 + i % 5)) % 16 for i in shuffled(16 * 250 // 3) for k in range(3)]
    index = g.accessor(len(corners), component=U8, bufferView=g.view(bytes(corners)))
    g.parts["meshes"] = [{"primitives": [{"attributes": {"POSITION": 0, "NORMAL": 0}, "indices": index}] * (count * n)}]
    return drawn(g, 1).glb(folder)


def slivers(folder, n, count=40, **material):
    """From one corner of the picture to the other: in every tile of it, and nearly nowhere in each."""
    g = Gltf(materials=[{"doubleSided": True} | material])
    corners = [(-1, -1 + i * 1e-4, 0, 1, 1 - i * 1e-4, 0, 1, 1 - i * 1e-4 + 1e-5, 0) for i in range(2600 * n)]
    g.floats([number for corner in corners for number in corner], "VEC3")
    g.parts["meshes"] = [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}]
    return drawn(g, count).glb(folder)


def blended_slivers(folder, n, count=40):
    return slivers(folder, n, count, alphaMode="BLEND", pbrMetallicRoughness={"baseColorFactor": [1, 0, 0, 0.5]})


def blended_draws(folder, n, count=600):
    """From back to front each triangle is one of another draw: what is known of that is far away in memory."""
    g = Gltf(materials=[{"alphaMode": "BLEND"}])
    g.floats([number % 2000 / 1000 - 1 for number in shuffled(3 * 27)], "VEC3")
    g.parts["meshes"] = [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}] * (45 * n)}]
    return drawn(g, count * n).glb(folder)


# ---- Skins, morphs, clips ----

def joint_sets(folder, n):
    g = Gltf()
    attributes = {"POSITION": g.points(60 * n)}
    joints = g.accessor(60 * n, "VEC4", U8, bufferView=g.view(bytes(240 * n)))
    weights = g.floats([0.25] * (240 * n), "VEC4")
    for i in range(100):
        attributes |= {f"JOINTS_{i}": joints, f"WEIGHTS_{i}": weights}
    g.parts |= {"meshes": [{"primitives": [{"attributes": attributes}]}], "skins": [{"joints": [0]}]}
    return drawn(g, 3000 * n, skin=0).glb(folder)


def nodes_that_share_a_skin(folder, n):
    g = Gltf()
    count = 2500 * n
    joints = g.accessor(3, "VEC4", U16, bufferView=g.view(bytes(24)))
    weights = g.floats([1, 0, 0, 0] * 3, "VEC4")
    g.parts["meshes"] = [{"primitives": [primitive(g, attributes={"JOINTS_0": joints, "WEIGHTS_0": weights})]}]
    g.parts["skins"] = [{"joints": list(range(count))}]
    return drawn(g, count, skin=0).glb(folder)


def skins_that_share_joints(folder, n):
    g = Gltf()
    count = 120 * n
    joints = g.accessor(3, "VEC4", U16, bufferView=g.view(bytes(24)))
    weights = g.floats([1, 0, 0, 0] * 3, "VEC4")
    g.parts["meshes"] = [{"primitives": [primitive(g, attributes={"JOINTS_0": joints, "WEIGHTS_0": weights})]}]
    g.parts["skins"] = [{"joints": list(range(count))}] * count
    return scene(g, [{"mesh": 0, "skin": i} for i in range(count)]).glb(folder)


def morphs_and_nodes(folder, n):
    g = Gltf()
    one = primitive(g)
    one["targets"] = [{"POSITION": one["attributes"]["POSITION"]}] * (1500 * n)
    g.parts["meshes"] = [{"primitives": [one], "weights": [1] * (1500 * n)}]
    return drawn(g, 3000 * n).glb(folder)


def morphs_of_many_vertices(folder, n):
    g = Gltf()
    one = primitive(g, 3000 * n)
    one["targets"] = [{"POSITION": one["attributes"]["POSITION"]}] * (1500 * n)
    g.parts["meshes"] = [{"primitives": [one], "weights": [1] * (1500 * n)}]
    return drawn(g, 1).glb(folder)


def moved(g, channels, samplers):
    return {"channels": channels, "samplers": samplers}


def clips_and_nodes(folder, n):
    g = Gltf()
    count = 600 * n
    g.parts["meshes"] = [{"primitives": [primitive(g)]}]
    times, turns = g.floats([0, 1]), g.floats([0, 0, 0, 1] * 2, "VEC4")
    sampler = [{"input": times, "output": turns}]
    g.parts["animations"] = [moved(g, [{"sampler": 0, "target": {"node": i, "path": "rotation"}}], sampler) for i in range(count)]
    return drawn(g, count).glb(folder)


def keys_at_their_own_times(folder, n):
    g = Gltf()
    joints, keys = 60 * n, 60 * n
    g.parts["meshes"] = [{"primitives": [primitive(g)]}]
    turns = g.floats([0, 0, 0, 1] * keys, "VEC4")
    times = [g.floats([k + j / joints for k in range(keys)]) for j in range(joints)]
    samplers = [{"input": t, "output": turns} for t in times]
    channels = [{"sampler": j, "target": {"node": j, "path": "rotation"}} for j in range(joints)]
    g.parts["animations"] = [moved(g, channels, samplers)] * 8
    return drawn(g, joints).glb(folder)


def joints_and_times(folder, n):
    g = Gltf()
    joints, keys = 3000 * n, 2000 * n
    g.parts["meshes"] = [{"primitives": [primitive(g)]}]
    times, turns = g.floats(list(range(keys))), g.floats([0, 0, 0, 1] * keys, "VEC4")
    g.parts["animations"] = [moved(g, [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}], [{"input": times, "output": turns}])]
    g.parts["skins"] = [{"joints": list(range(joints))}]
    return drawn(g, joints).glb(folder)


def curve_of_years(folder, n):
    g = Gltf()
    g.parts["meshes"] = [{"primitives": [primitive(g)]}]
    times, turns = g.floats([0, 1e8]), g.floats([0, 0, 0, 1] * 6, "VEC4")
    sampler = [{"input": times, "output": turns, "interpolation": "CUBICSPLINE"}]
    clip = moved(g, [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}], sampler)
    g.parts["animations"] = [clip] * (500 * n)
    return drawn(g, 100).glb(folder)


def weights_of_many_nodes(folder, n):
    g = Gltf()
    count = 300 * n
    one = primitive(g)
    one["targets"] = [{"POSITION": one["attributes"]["POSITION"]}] * (200 * n)
    g.parts["meshes"] = [{"primitives": [one]}]
    times, weights = g.floats([0, 1]), g.floats([1] * (400 * n))
    channels = [{"sampler": 0, "target": {"node": i, "path": "weights"}} for i in range(count)]
    g.parts["animations"] = [moved(g, channels, [{"input": times, "output": weights}])] * 3
    return drawn(g, count).glb(folder)


# ---- Pictures ----

def blended_layers(folder, n):
    g = Gltf(materials=[{"alphaMode": "BLEND", "doubleSided": True, "pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 0.01]}}])
    g.parts["meshes"] = [{"primitives": [primitive(g, 6000 * n, material=0)]}]
    return drawn(g, 20).glb(folder)


def masked_layers(folder, n):
    g = Gltf(materials=[{"alphaMode": "MASK", "alphaCutoff": 0.9, "doubleSided": True,
                         "pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 0.5]}}])
    g.parts["meshes"] = [{"primitives": [primitive(g, 6000 * n, material=0)]}]
    return drawn(g, 20).glb(folder)


def textured_layers(folder, n, **material):
    """Every pixel of every layer asks five textures."""
    use = {"index": 0}
    look = {"baseColorTexture": use, "metallicRoughnessTexture": use, "baseColorFactor": [1, 1, 1, 0.01]}
    g = Gltf(materials=[material | {"doubleSided": True, "normalTexture": use, "occlusionTexture": use, "emissiveTexture": use,
                                    "emissiveFactor": [1, 1, 1], "pbrMetallicRoughness": look}], textures=[{"source": 0}])
    corners = 3000 * n
    uv = g.floats([0, 0, 1, 0, 0, 1] * (corners // 3), "VEC2")
    g.parts["meshes"] = [{"primitives": [primitive(g, corners, material=0, attributes={"TEXCOORD_0": uv})]}]
    g.parts["images"] = [{"bufferView": g.view(png(256, 8, 6)), "mimeType": "image/png"}]
    return drawn(g, 40).glb(folder)


def blended_layers_of_textures(folder, n):
    return textured_layers(folder, n, alphaMode="BLEND")


def masked_layers_of_textures(folder, n):
    return textured_layers(folder, n, alphaMode="MASK", alphaCutoff=0.9)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(side, depth=1, color=0, interlaced=0):
    packer = zlib.compressobj(9)
    row = bytes(1 + (side * depth * {0: 1, 2: 3, 6: 4}[color] + 7) // 8)
    data = b"".join(packer.compress(row) for _ in range(side)) + packer.flush()
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, depth, color, 0, 0, interlaced))
            + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def progressive_jpeg(side, scans):
    """Grey, all of it one value: a bit for each block in the first scan, and next to nothing in the others."""
    blocks = (side + 7) // 8
    table = lambda kind, lengths, symbols: b"\xff\xc4" + struct.pack(">HB", 3 + 16 + len(symbols), kind) + bytes(lengths) + symbols
    data = b"\xff\xd8\xff\xdb" + struct.pack(">HB", 67, 0) + b"\x01" * 64
    data += b"\xff\xc2" + struct.pack(">HBHHBBBB", 11, 8, side, side, 1, 1, 0x11, 0)
    data += table(0x00, [1] + [0] * 15, b"\0") + table(0x10, [1, 1] + [0] * 14, b"\xe0\0")  # runs of 16384 blocks; of one
    zeros = (blocks * blocks + 7) // 8
    data += b"\xff\xda" + struct.pack(">HBBBBBB", 8, 1, 1, 0, 0, 0, 0) + bytes(zeros)
    runs = (blocks * blocks) // 16384
    bits = "".join("0" + "0" * 14 for _ in range(runs)) + "10" * (blocks * blocks % 16384)
    bits += "1" * (-len(bits) % 8)
    packed = int(bits, 2).to_bytes(len(bits) // 8, "big").replace(b"\xff", b"\xff\0")
    data += (b"\xff\xda" + struct.pack(">HBBBBBB", 8, 1, 1, 0x00, 1, 63, 0) + packed) * scans
    return data + b"\xff\xd9"


def webp(side):
    """Lossless, one colour: no bits at all for pixels."""
    bits = []

    def put(value, count):
        bits.extend(value >> i & 1 for i in range(count))
    put(0x2f, 8)
    put(side - 1, 14)
    put(side - 1, 14)
    put(0, 1 + 3)
    put(0, 1 + 1 + 1)  # no transform, no cache, no further codes
    for _ in range(5):
        put(1, 1)  # simple
        put(0, 1)  # of one symbol
        put(0, 1)  # which has one bit
        put(0, 1)
    bits += [0] * (-len(bits) % 8)
    data = bytes(sum(bit << i for i, bit in enumerate(bits[at:at + 8])) for at in range(0, len(bits), 8)) + bytes(8)
    data += bytes(len(data) % 2)
    return b"RIFF" + struct.pack("<I", 12 + len(data)) + b"WEBPVP8L" + struct.pack("<I", len(data)) + data


def dds(side, size):
    header = struct.pack("<4s7I44x", b"DDS ", 124, 0x1007, side, side, 0, 0, 0)
    return header + struct.pack("<2I4s5I5I", 32, 4, b"DXT1", 0, 0, 0, 0, 0, 0x1000, 0, 0, 0, 0) + bytes(size)


def bmp(side):
    """Packed, and ended before the first pixel."""
    return struct.pack("<2sI4xI", b"BM", 1082, 1078) + struct.pack("<IiiHHIIiiII", 40, side, side, 1, 8, 1, 4, 0, 0, 256, 0) + bytes(1024) + b"\0\1\0\1"


def tga(side):
    pixels = side * side
    return struct.pack("<BBBHHBHHHHBB", 0, 0, 11, 0, 0, 0, 0, 0, side, side, 8, 0) + b"\xff\0" * (pixels // 128 + 1)


def textured(folder, images, textures=None, mime="image/png", inline=False):
    g = Gltf()
    uv = g.floats([0, 0, 1, 0, 0, 1], "VEC2")
    textures = textures or len(images)
    one = primitive(g, attributes={"TEXCOORD_0": uv})
    g.parts |= {
        "meshes": [{"primitives": [one | {"material": i} for i in range(textures)]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": i}}} for i in range(textures)],
        "textures": [{"source": i % len(images)} for i in range(textures)],
        "images": [{"uri": f"data:{mime};base64,{base64.b64encode(image).decode()}"} if inline
                   else {"bufferView": g.view(image), "mimeType": mime} for image in images]}
    return drawn(g, 1).glb(folder)


def texture_beside(folder, name, image):
    (folder / name).write_bytes(image)
    (folder / "a.mtl").write_text(f"newmtl m\nmap_Kd {name}\n")
    (folder / "model.obj").write_text("mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl m\nf 1/1 2/1 3/1\n")
    return folder / "model.obj"


def large_png(folder, n):
    return textured(folder, [png(8192)])


def png_of_many_textures(folder, n):
    return textured(folder, [png(3000)], 200 * n)


def many_pngs(folder, n):
    return textured(folder, [png(2000 + i) for i in range(60 * n)])


def interlaced_png(folder, n):
    return textured(folder, [png(4096, 8, 6, 1)])


def jpeg_of_many_scans(folder, n):
    return textured(folder, [progressive_jpeg(4096, 100)], mime="image/jpeg")


def large_webps(folder, n):
    return textured(folder, [webp(3000)] * 100 + [webp(8192)] * 10, mime="image/webp")


def dds_that_lies(folder, n):
    return texture_beside(folder, "a.dds", dds(8192, 60000))


def bmp_without_pixels(folder, n):
    return texture_beside(folder, "a.bmp", bmp(8192))


def packed_tga(folder, n):
    return texture_beside(folder, "a.tga", tga(2300))


def images_in_the_text(folder, n):
    return textured(folder, [png(2500)] * 12, inline=True)


# ---- Files beside ----

def links_of_one_image(folder, n):
    """Names cost nothing: each is the same file."""
    count = 400 * n
    (folder / "0.png").write_bytes(png(4000))
    for i in range(1, count):
        (folder / f"{i}.png").hardlink_to(folder / "0.png")
    (folder / "a.mtl").write_text("".join(f"newmtl {i}\nmap_Kd {i}.png\n" for i in range(count)))
    faces = "".join(f"usemtl {i}\nf 1/1 2/1 3/1\n" for i in range(count))
    return obj(folder, "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\n" + faces)


def links_of_one_library(folder, n):
    count = 700 * n
    (folder / "0.mtl").write_text("newmtl a\nKd 1 0 0\n" * 2000)
    for i in range(1, count):
        (folder / f"{i}.mtl").symlink_to("0.mtl")
    return obj(folder, "".join(f"mtllib {i}.mtl\n" for i in range(count)) + TRIANGLE)


def sparse_buffer(folder, n):
    with (folder / "a.bin").open("wb") as file:
        file.truncate(8 << 30)
    count = (8 << 30) // 12
    g = Gltf(buffers=[{"byteLength": 12 * count, "uri": "a.bin"}], bufferViews=[{"buffer": 0, "byteLength": 12 * count}])
    g.accessor(count, "VEC3", bufferView=0, min=[0, 0, 0], max=[0, 0, 0])
    g.parts["meshes"] = [{"primitives": [{"attributes": {"POSITION": 0}}]}]
    (folder / "model.gltf").write_bytes(drawn(g, 1).json())
    return folder / "model.gltf"


def buffers_of_one_file(folder, n):
    (folder / "a.bin").write_bytes(bytes(30000))
    g = Gltf(buffers=[{"byteLength": 30000, "uri": "./" * (i % 40) + "a.bin"} for i in range(900 * n)])
    (folder / "model.gltf").write_bytes(scene(g, [{}]).json())
    return folder / "model.gltf"


def spellings_of_a_library(folder, n):
    (folder / "a.mtl").write_text("newmtl a\nKd 1 0 0\n" * 2000)
    names = "".join(f"mtllib {'./' * (i % 60)}{'/' * (i // 60)}a.mtl\n" for i in range(700 * n))
    (folder / "model.obj").write_text(names + "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    return folder / "model.obj"


def libraries_that_are_not_there(folder, n):
    (folder / "model.obj").write_text("mtllib " + " ".join(f"a{i}" for i in range(14000 * n)) + "\n" + TRIANGLE)
    return folder / "model.obj"


def lines_of_libraries(folder, n):
    (folder / "model.obj").write_text("".join(f"mtllib {i}.mtl\n" for i in range(6000 * n)) + TRIANGLE)
    return folder / "model.obj"


# ---- OBJ ----

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


def obj(folder, text):
    (folder / "model.obj").write_text(text)
    return folder / "model.obj"


def comb(folder, n):
    count = 4500 * n
    corners = "".join(f"v {i} {i % 2 * 100} 0\n" for i in range(count))
    return obj(folder, corners + f"v {count} -9 0\nv 0 -9 0\nf " + " ".join(map(str, range(1, count + 3))) + "\n")


def corners_on_a_circle(folder, n):
    count = 3500 * n
    turn = [(1, 0)]
    for _ in range(count - 1):  # without sines
        x, y = turn[-1]
        x, y = x - y * 6.28 / count, y + x * 6.28 / count
        length = (x * x + y * y) ** 0.5
        turn.append((x / length, y / length))
    return obj(folder, "".join(f"v {x:.6f} {y:.6f} 0\n" for x, y in turn) + "f " + " ".join(map(str, range(1, count + 1))) + "\n")


def corners_of_three_vertices(folder, n):
    return obj(folder, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf " + "1 2 3 " * (15000 * n) + "\n")


def corners_of_a_square(folder, n):
    """A polygon that crosses itself everywhere: no corner is an ear for long."""
    numbers = ["1245"[number & 3] for number in shuffled(49000 * n)]
    return obj(folder, "v 0 0 0\nv 1 0 0\nv 9 9 9\nv 1 1 0\nv 0 1 0\nf " + " ".join(numbers) + "\n")


def spiral(folder, n):
    count = 1700 * n
    out = [f"v {(-1) ** (i // 2 % 2) * i} {(-1) ** ((i + 1) // 2 % 2) * i} 0\n" for i in range(1, count)]
    back = [f"v {(-1) ** (i // 2 % 2) * (i - .5)} {(-1) ** ((i + 1) // 2 % 2) * (i - .5)} 0\n" for i in range(count - 1, 0, -1)]
    return obj(folder, "".join(out + back) + "f " + " ".join(map(str, range(1, 2 * count - 1))) + "\n")


def many_groups(folder, n):
    return obj(folder, "v 0 0 0\nv 1 0 0\nv 0 1 0\n" + "".join(f"g {i}\nf 1 2 3\n" for i in range(6000 * n)))


def groups_of_one_name(folder, n):
    return obj(folder, "v 0 0 0\nv 1 0 0\nv 0 1 0\n" + "".join(f"o a\ng b\nusemtl {i % 2}\nf 1 2 3\n" for i in range(3500 * n)))


def groups_of_all_vertices(folder, n):
    vertices = 4000 * n
    text = "".join(f"v {i % 7} {i % 5} 0\n" for i in range(vertices))
    return obj(folder, text + "".join(f"g {i}\nf 1 {vertices // 2} {vertices}\n" for i in range(2500 * n)))


def many_materials(folder, n):
    return obj(folder, "v 0 0 0\nv 1 0 0\nv 0 1 0\n" + "".join(f"usemtl {i}\nf 1 2 3\n" for i in range(4500 * n)))


def wrong_lines(folder, n):
    return obj(folder, "f 9 9 9\nx\n" * (9000 * n))


# ---- Formats of engines ----

UNIT_MATRIX = struct.pack("<16f", *IDENTITY)
TWM_END = b".twm END OF FILE"


def packed(start, run, size, end):
    """One LZ4 block: the start and a run, which repeats up to the end."""
    def more(count):
        return b"\xff" * (count // 255) + bytes([count % 255])
    first, repeated = start + run, size - len(start + run) - len(end)
    block = b"\xff" + more(len(first) - 15) + first + struct.pack("<H", len(run)) + more(repeated - 4 - 15)
    return struct.pack("<Q", size) + block + b"\xf0" + more(len(end) - 15) + end


def packed_tracks(folder, n):
    """TWM: animations of joints without a key, 4 bytes each before they are packed."""
    joints, clips = 200, 20000 * n
    start = b".twm" + struct.pack("<IIB3xI", 0, 0, 1, joints) + (bytes(8) + UNIT_MATRIX) * joints + struct.pack("<I", clips)
    (folder / "model.twm").write_bytes(packed(start, bytes(4), len(start) + 4 * joints * clips + 16, TWM_END))
    return folder / "model.twm"


def packed_keys(folder, n):
    """TWM: animations of joints with two keys."""
    joints, clips = 10, 20000 * n
    start = b".twm" + struct.pack("<IIB3xI", 0, 0, 1, joints) + (bytes(8) + UNIT_MATRIX) * joints + struct.pack("<I", clips)
    keys = struct.pack("<I", 2) + b"".join(struct.pack("<I10f", time, time, 0, 0, 1, 1, 1, 0, 0, 0, 1) for time in (0, 500))
    (folder / "model.twm").write_bytes(packed(start, keys, len(start) + len(keys) * joints * clips + 16, TWM_END))
    return folder / "model.twm"


def packed_meshes(folder, n):
    """TWM: meshes without anything."""
    count = 800000 * n
    start = b".twm" + struct.pack("<IIB3x", 0, count, 0)
    (folder / "model.twm").write_bytes(packed(start, bytes(8), len(start) + 24 * count + 20, bytes(4) + TWM_END))
    return folder / "model.twm"


def packed_indices(folder, n):
    """TWM: one triangle, again and again."""
    count = 2400000 * n
    start = b".twm" + struct.pack("<IIB3xQ8x9fQ", 0, 1, 0, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, count)
    run = struct.pack("<3Q", 0, 1, 2)
    (folder / "model.twm").write_bytes(packed(start, run, len(start) + 8 * count + 20, bytes(4) + TWM_END))
    return folder / "model.twm"


def bones_and_clips(folder, n):
    """SGA: each clip moves one of many bones."""
    bones, clips = 1500 * n, 600 * n
    bone = struct.pack("<H2s3fBH", 2, b"b", 0, 0, 0, 1, 0)
    clip = struct.pack("<HHHI11f", 0, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1)
    start = struct.pack("<IBHB", 383405658, 1, 1, 0)
    (folder / "model.sga").write_bytes(start + struct.pack("<H", bones) + bone * bones + struct.pack("<H", clips) + clip * clips)
    return folder / "model.sga"


def joints_and_clips(folder, n):
    """MESH: clips without poses."""
    joints, clips = 250, 6500 * n
    start = struct.pack("<BHIIBH", 1, 1, 3, 3, joints, clips) + UNIT_MATRIX + struct.pack("<9f3I", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 2)
    rows = b"".join(struct.pack("<BB", i, 255) + UNIT_MATRIX for i in range(joints))
    (folder / "model.mesh").write_bytes(start + rows + struct.pack("<ffI", 1, 1, 0) * clips)
    return folder / "model.mesh"


def textures_of_each_mesh(folder, n):
    """SFF: textures list meshes that list none."""
    meshes, textures = 500 * n, 55 // n
    texture = struct.pack("<I1sI", 1, b"a", meshes) + struct.pack(f"<{meshes}H", *range(meshes))
    geometry = struct.pack("<IIIH", 14, 0, 0, 0) * meshes
    (folder / "model.sff").write_bytes(struct.pack("<IIHHH", meshes, len(geometry), 9, 0, len(texture) * textures) + geometry
                                       + texture * textures)
    return folder / "model.sff"


def animations_of_the_same_frames(folder, n):
    """CTC: a thousand animations of all frames."""
    frames, clips, bones = 600 * n, 1000 * n, 3
    sections = {20: bytes(72), 21: bytes(72), 22: struct.pack("<3H", 0, 1, 2), 23: bytes(24), 24: (bytes(100) + UNIT_MATRIX) * bones,
                25: b"STGW" + struct.pack("<IIf", 1, 0, 1) * 3, 27: bytes(24 * (bones + 1) * frames),
                26: b"".join(struct.pack("<16sII", b"a%d" % i, 0, frames) for i in range(clips))}
    words, at = [0] * 36, 144
    words[0:2] = [int.from_bytes(b"SMDL", "little"), 11]
    words[6], words[8], words[10], words[11], words[12] = 3, 1, frames, clips, bones
    for word, data in sections.items():
        words[word] = at
        at += len(data)
    words[35] = at
    (folder / "model.ctc").write_bytes(struct.pack("<36I", *words) + b"".join(sections.values()))
    return folder / "model.ctc"


def vertices_of_holes(folder, n):
    """SGM: as many vertices as a file of holes claims."""
    count = 100_000_000
    start = struct.pack("<IBB3xBBBIBBBB", 352658064, 3, 1, 1, 0, 0, count, 0, 0, 0, 0)
    with (folder / "model.sgm").open("wb") as file:
        file.write(start)
        file.truncate(len(start) + 24 * count + 6)
    return folder / "model.sgm"


FAMILIES = {name: make for name, make in list(globals().items())
            if callable(make) and getattr(make, "__code__", None) and make.__code__.co_varnames[:2] == ("folder", "n")}
