"""Small files of formats that nothing here exports, written by what their documents say: MD3, IQM, MilkShape, SMD, OpenGEX and
LightWave. All show the same wedge, so that whoever reads one can be asked where its points are, and where its faces look."""
import struct

# a wedge with five faces; seen from outside, the corners of a triangle go round against the clock
POINTS = [(0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 1, 0), (0, 0, 3), (0, 1, 3)]
TRIANGLES = [(0, 2, 1), (0, 3, 2), (0, 1, 4), (3, 5, 2), (1, 2, 5), (1, 5, 4), (0, 4, 5), (0, 5, 3)]


def uv(point):
    """From the top left."""
    return 0.125 + point[0] / 4, 0.25 + point[2] / 8


def name(text, size):
    return text.encode().ljust(size, b"\0")


def md3():
    """Quake III: 64ths, Z up, faces go round with the clock; two frames, of which the second is larger."""
    triangles = b"".join(struct.pack("<3i", a, c, b) for a, b, c in TRIANGLES)
    coordinates = b"".join(struct.pack("<2f", *uv(p)) for p in POINTS)
    vertices = b"".join(struct.pack("<3h2B", *(int(64 * scale * c) for c in p), 0, 0) for scale in (1, 2) for p in POINTS)
    shader = name("wedge.tga", 64) + struct.pack("<i", 0)
    at = [108]
    for part in (triangles, shader, coordinates, vertices):
        at.append(at[-1] + len(part))
    surface = b"IDP3" + name("wedge", 64) + struct.pack("<10i", 0, 2, 1, len(POINTS), len(TRIANGLES), *at)
    surface += triangles + shader + coordinates + vertices
    frame = struct.pack("<10f", 0, 0, 0, 2, 1, 3, 0, 0, 0, 4) + name("frame", 16)
    head = b"IDP3" + struct.pack("<i", 15) + name("wedge.md3", 64)
    return head + struct.pack("<9i", 0, 2, 0, 1, 0, 108, 220, 220, 220 + len(surface)) + 2 * frame + surface


def iqm():
    """Inter-Quake: Z up, faces go round with the clock."""
    text = b"\0wedge\0paint\0\0\0\0"
    mesh = struct.pack("<6I", 1, 7, 0, len(POINTS), 0, len(TRIANGLES))
    positions = b"".join(struct.pack("<3f", *p) for p in POINTS)
    coordinates = b"".join(struct.pack("<2f", *uv(p)) for p in POINTS)
    triangles = b"".join(struct.pack("<3I", a, c, b) for a, b, c in TRIANGLES)
    at = [124]
    for part in (text, mesh, bytes(40), positions, coordinates, triangles):
        at.append(at[-1] + len(part))
    arrays = struct.pack("<10I", 0, 0, 7, 3, at[3], 1, 0, 7, 2, at[4])
    head = struct.pack("<12I", 2, at[6], 0, len(text), at[0], 1, at[1], 2, len(POINTS), at[2], len(TRIANGLES), at[5])
    return b"INTERQUAKEMODEL\0" + head + bytes(60) + text + mesh + arrays + positions + coordinates + triangles


def ms3d():
    """MilkShape: Y up. The joint "lid" turns about Z by a quarter within a second, and has the points above 2.5."""
    parts = [b"MS3D000000", struct.pack("<iH", 4, len(POINTS))]
    parts += [struct.pack("<B3fbB", 0, *p, 1 if p[2] > 2.5 else 0, 1) for p in POINTS]
    parts.append(struct.pack("<H", len(TRIANGLES)))
    for t in TRIANGLES:
        s, v = zip(*(uv(POINTS[i]) for i in t))
        parts.append(struct.pack("<4H15fBB", 0, *t, *[0, 0, 1] * 3, *s, *v, 1, 0))
    parts.append(struct.pack("<HB32sH", 1, 0, b"wedge", len(TRIANGLES)) + struct.pack(f"<{len(TRIANGLES)}H", *range(len(TRIANGLES))) + b"\0")
    parts.append(struct.pack("<H", 1) + name("paint", 32) + struct.pack("<18fb", *[0.2] * 4, 0.8, 0.3, 0.1, 1, *[0] * 8, 1, 1, 0) + bytes(256))
    parts.append(struct.pack("<ffiH", 25, 0, 25, 2))
    for joint, parent, position, turns in (("base", "", (0, 0, 0), []), ("lid", "base", (0, 0, 3), [(0.0, 0.0), (1.0, 1.5707963)])):
        parts.append(struct.pack("<B32s32s6fHH", 0, joint.encode(), parent.encode(), 0, 0, 0, *position, len(turns), len(turns)))
        parts += [struct.pack("<4f", time, 0, 0, turn) for time, turn in turns]
        parts += [struct.pack("<4f", time, 0, 0, 0) for time, _ in turns]
    return b"".join(parts)


def smd():
    """Valve: Z up, 30 frames a second. The bone "lid" stands at (0, 0, 3), has the points above 2.5, and turns about Z."""
    lines = ["version 1", "nodes", '0 "base" -1', '1 "lid" 0', "end", "skeleton"]
    for frame, turn in ((0, 0), (30, 1.5707963)):
        lines += [f"time {frame}", "0 0 0 0 0 0 0", f"1 0 0 3 0 0 {turn}"]
    lines += ["end", "triangles"]
    for t in TRIANGLES:
        lines.append("paint.bmp")
        for p in (POINTS[i] for i in t):
            u, v = uv(p)
            lines.append(" ".join(map(str, (1 if p[2] > 2.5 else 0, *p, 0, 0, 1, u, 1 - v, 1, 1 if p[2] > 2.5 else 0, 1.0))))
    return "\n".join([*lines, "end", ""]).encode()


def ogex():
    """OpenGEX: centimetres, Z up, and a node that moves it by 1 along X."""
    def rows(some, form):
        return ", ".join("{" + ", ".join(form % c for c in row) + "}" for row in some)
    return f"""Metric (key = "distance") {{float {{0.01}}}}
Metric (key = "angle") {{float {{1.0}}}}
Metric (key = "time") {{float {{1.0}}}}
Metric (key = "up") {{string {{"z"}}}}
GeometryNode $node1
{{
Name {{string {{"wedge"}}}}
ObjectRef {{ref {{$geometry1}}}}
Transform
{{
float[16]
{{
{{1.0, 0.0, 0.0, 0.0,
0.0, 1.0, 0.0, 0.0,
0.0, 0.0, 1.0, 0.0,
1.0, 0.0, 0.0, 1.0}}
}}
}}
}}
GeometryObject $geometry1
{{
Mesh (primitive = "triangles")
{{
VertexArray (attrib = "position") {{float[3] {{{rows(POINTS, "%.1f")}}}}}
IndexArray {{unsigned_int32[3] {{{rows(TRIANGLES, "%d")}}}}}
}}
}}
""".encode()


def lwo():
    """LightWave: Y up, Z away from the viewer, and faces go round with the clock, seen from outside."""
    def chunk(kind, data):
        return kind + struct.pack(">I", len(data)) + data + bytes(len(data) % 2)
    points = b"".join(struct.pack(">3f", x, y, -z) for x, y, z in POINTS)
    faces = b"FACE" + b"".join(struct.pack(">4H", 3, a, c, b) for a, b, c in TRIANGLES)
    surface = b"paint\0\0\0" + b"COLR" + struct.pack(">H3fH", 14, 0.8, 0.3, 0.1, 0)
    tags = b"SURF" + b"".join(struct.pack(">2H", i, 0) for i in range(len(TRIANGLES)))
    body = b"LWO2" + chunk(b"TAGS", b"paint\0") + chunk(b"LAYR", struct.pack(">2H3f", 0, 0, 0, 0, 0) + b"\0\0")
    body += chunk(b"PNTS", points) + chunk(b"POLS", faces) + chunk(b"PTAG", tags) + chunk(b"SURF", surface)
    return chunk(b"FORM", body)
