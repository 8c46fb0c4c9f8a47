"""The scribe: its shape, skin, texture and movements, and a low-poly one for exhaustive tests.

Axes are those of SGM: right-handed, Y up, metres, counter-clockwise front, facing -Z (so the
figure's right hand is at +X).  Texture coordinates have their origin at the top left.
"""

import math
import struct
import zlib
from collections import namedtuple

TAU = 2 * math.pi


# ---- vectors and quaternions (x, y, z, w) ------------------------------------------------------

def add(*vectors):
    return tuple(map(sum, zip(*vectors)))


def scale(a, factor):
    return tuple(x * factor for x in a)


def sub(a, b):
    return tuple(x - y for x, y in zip(a, b))


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def length(a):
    return math.sqrt(dot(a, a))


def unit(a):
    return scale(a, 1 / length(a))


def reject(a, axis):
    """The part of a that is perpendicular to the unit vector axis."""
    return sub(a, scale(axis, dot(a, axis)))


def lerp(a, b, t):
    return tuple(x + (y - x) * t for x, y in zip(a, b))


def smoothstep(low, high, x):
    t = min(1, max(0, (x - low) / (high - low)))
    return t * t * (3 - 2 * t)


def turn(axis, angle):
    return (*scale(unit(axis), math.sin(angle / 2)), math.cos(angle / 2))


def turn_mul(a, b):
    xyz = add(scale(b[:3], a[3]), scale(a[:3], b[3]), cross(a[:3], b[:3]))
    return (*xyz, a[3] * b[3] - dot(a[:3], b[:3]))


def turn_inverse(q):
    return (-q[0], -q[1], -q[2], q[3])


def turn_apply(q, v):
    t = scale(cross(q[:3], v), 2)
    return add(v, scale(t, q[3]), cross(q[:3], t))


def turn_between(a, b):
    a, b = unit(a), unit(b)
    return unit((*cross(a, b), 1 + dot(a, b)))


def euler(x=0, y=0, z=0):
    return turn_mul(turn((0, 1, 0), y), turn_mul(turn((1, 0, 0), x), turn((0, 0, 1), z)))


NO_TURN = (0, 0, 0, 1)


# ---- skeletons ---------------------------------------------------------------------------------

Bone = namedtuple("Bone", "name parent head")

TABLET = (-0.055, 0.605, -0.305)
TABLET_RIGHT = (1, 0, 0)
TABLET_UP = unit((0, 0.65, -0.75))
TABLET_FACE = cross(TABLET_RIGHT, TABLET_UP)

# From the point to the blunt end.  The point rests two centimetres above the tablet.
STYLUS_AXIS = unit((0.75, 0.62, 0.10))
STYLUS_POINT = add(TABLET, (0.03, 0, 0), scale(TABLET_UP, -0.035), scale(TABLET_FACE, 0.033))
GRIP = add(STYLUS_POINT, scale(STYLUS_AXIS, 0.092))

BONES = [
    Bone("root", None, (0, 0, 0)),
    Bone("hips", 0, (0, 0.42, 0)),
    Bone("spine", 1, (0, 0.51, 0)),
    Bone("chest", 2, (0, 0.62, 0)),
    Bone("neck", 3, (0, 0.76, 0)),
    Bone("head", 4, (0, 0.81, 0)),
    Bone("upper_arm.R", 3, (0.175, 0.710, 0)),
    Bone("forearm.R", 6, (0.262, 0.545, -0.080)),
    Bone("hand.R", 7, (0.105, 0.630, -0.205)),
    Bone("upper_arm.L", 3, (-0.175, 0.710, 0)),
    Bone("forearm.L", 9, (-0.275, 0.550, -0.075)),
    Bone("hand.L", 10, (-0.182, 0.548, -0.262)),
    Bone("thigh.R", 1, (0.095, 0.40, 0)),
    Bone("shin.R", 12, (0.098, 0.225, -0.015)),
    Bone("foot.R", 13, (0.100, 0.07, 0.01)),
    Bone("thigh.L", 1, (-0.095, 0.40, 0)),
    Bone("shin.L", 15, (-0.098, 0.225, -0.015)),
    Bone("foot.L", 16, (-0.100, 0.07, 0.01)),
]
BONE = {bone.name: index for index, bone in enumerate(BONES)}

LOW_BONES = [
    Bone("body", None, (0, 0.42, 0)),
    Bone("head", 0, (0, 0.81, 0)),
    Bone("arm.R", 0, (0.175, 0.710, 0)),
    Bone("hand.R", 2, (0.105, 0.630, -0.205)),
    Bone("arm.L", 0, (-0.175, 0.710, 0)),
]


def head_of(name):
    return BONES[BONE[name]].head


def limb_names(kind, side):
    parts = ("upper_arm", "forearm", "hand") if kind == "arm" else ("thigh", "shin", "foot")
    return [f"{part}.{side}" for part in parts]


def chain(bones, joints, width):
    """Weights along a limb: the n-th joint is where bones[n] hands over to bones[n + 1]."""
    def weigh(_, t):
        steps = [1, *(smoothstep(j - width, j + width, t) for j in joints), 0]
        return {bone: steps[i] - steps[i + 1] for i, bone in enumerate(bones)}
    return weigh


def rigid(bone):
    return lambda *_: {bone: 1}


def four_influences(weights):
    """Up to four (weight, bone) pairs, largest first, that still sum to one once rounded."""
    ranked = sorted(((round(w, 6), b) for b, w in weights.items()), key=lambda pair: (-pair[0], pair[1]))
    ranked = [pair for pair in ranked[:4] if pair[0] > 0.01]
    total = sum(w for w, _ in ranked)
    ranked = [(round(w / total, 6), b) for w, b in ranked]
    first = (1 - sum(w for w, _ in ranked[1:]), ranked[0][1])
    return [first, *ranked[1:]] + [(0, 0)] * (4 - len(ranked))


# ---- surfaces ----------------------------------------------------------------------------------

# One cross-section: an ellipse around centre spanned by x and z, at t along the sweep.
Ring = namedtuple("Ring", "centre x z rx rz t")
Vertex = namedtuple("Vertex", "position uv colour weights")

X_AXIS, Z_AXIS = (1, 0, 0), (0, 0, 1)
WHITE = (255, 255, 255, 255)


class Mesh:
    def __init__(self):
        self.vertices, self.normals, self.triangles = [], [], []

    def add_part(self, vertices, triangles):
        base = len(self.vertices)
        self.vertices += vertices
        self.normals += smooth_normals([v.position for v in vertices], triangles)
        self.triangles += [tuple(base + i for i in triangle) for triangle in triangles]


def smooth_normals(positions, triangles):
    # Seams and poles hold several vertices at one place, which must share one normal.
    keys = [tuple(round(x, 6) for x in p) for p in positions]
    sums = dict.fromkeys(keys, (0, 0, 0))
    for triangle in triangles:
        p = [positions[i] for i in triangle]
        face = cross(sub(p[1], p[0]), sub(p[2], p[0]))
        for i in triangle:
            sums[keys[i]] = add(sums[keys[i]], face)
    return [unit(sums[key]) for key in keys]


def ring_point(ring, u):
    a = TAU * (u - 0.5)
    return add(ring.centre, scale(ring.x, -math.sin(a) * ring.rx), scale(ring.z, -math.cos(a) * ring.rz))


def ring_columns(ring, sides, lone_poles):
    if ring.rx:
        return [i / sides for i in range(sides + 1)]
    return [0.5] if lone_poles else [(i + 0.5) / sides for i in range(sides)]


def stitch(upper, lower, sides):
    """Triangles between two rows of vertex numbers; a pole's row has fewer than sides + 1."""
    triangles = []
    for i in range(sides):
        if len(upper) <= sides:
            triangles.append((upper[min(i, len(upper) - 1)], lower[i], lower[i + 1]))
        elif len(lower) <= sides:
            triangles.append((upper[i], lower[min(i, len(lower) - 1)], upper[i + 1]))
        else:
            triangles += [(upper[i], lower[i], lower[i + 1]), (upper[i], lower[i + 1], upper[i + 1])]
    return triangles


def sweep(mesh, rings, sides, uv, weigh, colour=None, shape=None, lone_poles=False):
    """Skin the rings, top to bottom.  Seen from outside u runs right and t runs down."""
    vertices, rows = [], []
    for ring in rings:
        row = []
        for u in ring_columns(ring, sides, lone_poles):
            p = ring_point(ring, u)
            p = shape(p) if shape else p
            row.append(len(vertices))
            vertices.append(Vertex(p, uv(u, ring.t, p), colour(ring.t) if colour else WHITE, weigh(p, ring.t)))
        rows.append(row)
    triangles = [t for upper, lower in zip(rows, rows[1:]) for t in stitch(upper, lower, sides)]
    mesh.add_part(vertices, triangles)


def ellipsoid_rings(centre, radii, count, axes=(X_AXIS, (0, 1, 0), Z_AXIS), stop=1.0):
    """Rings from the top pole down to the share `stop` of the way to the bottom pole."""
    rings = []
    for i in range(count):
        t = i / (count - 1)
        angle = math.pi * t * stop
        ring = math.sin(angle) if 1e-6 < angle < math.pi - 1e-6 else 0
        c = add(centre, scale(axes[1], math.cos(angle) * radii[1]))
        rings.append(Ring(c, axes[0], axes[2], ring * radii[0], ring * radii[2], t))
    return rings


def frame(direction, wide):
    """The ring axes of a sweep that runs along direction and has its rx towards wide."""
    up = scale(unit(direction), -1)
    x = unit(reject(wide, up))
    return x, cross(x, up)


def tube_rings(path, wide):
    """path: (position, rx, rz, t) from top to bottom; wide: one vector, or one for each position."""
    wides = wide if isinstance(wide, list) else [wide] * len(path)
    rings = []
    for i, (p, rx, rz, t) in enumerate(path):
        ahead, behind = path[min(i + 1, len(path) - 1)][0], path[max(i - 1, 0)][0]
        rings.append(Ring(p, *frame(sub(ahead, behind), wides[i]), rx, rz, t))
    return rings


def rounded(points, t, reach=0.5):
    """A point on a polyline (t = corner number) with its corners rounded off."""
    def at(s):
        i = int(min(max(math.floor(s), 0), len(points) - 2))
        return lerp(points[i], points[i + 1], s - i)
    samples = [at(t + reach * k / 4) for k in range(-4, 5)]
    return scale(add(*samples), 1 / len(samples))


def limb_rings(points, stations, wide):
    """stations: (t along the polyline of joints, radius)."""
    rings = []
    for t, r in stations:
        direction = sub(rounded(points, t + 0.05), rounded(points, t - 0.05))
        rings.append(Ring(rounded(points, t), *frame(direction, wide), r, r, along(stations, t)))
    return rings


def along(stations, joint):
    """Where on its 0..1 sweep a limb path has the joint."""
    low, high = stations[0][0], stations[-1][0]
    return (joint - low) / (high - low)


# ---- the texture atlas -------------------------------------------------------------------------

ATLAS = 256
CAP_TIP = 0.60      # how far the headcloth leans back, in radians
REGIONS = {             # left, top, right, bottom in pixels
    "head": (0, 0, 256, 80),
    "robe": (0, 80, 256, 176),
    "arm": (0, 176, 64, 256),
    "leg": (64, 176, 112, 224),
    "skin": (64, 224, 112, 256),
    "lappet": (112, 176, 136, 256),
    "eye": (136, 176, 176, 216),
    "foot": (136, 216, 176, 256),
    "cap": (176, 176, 256, 256),
}


def atlas(region, mirrored=False):
    left, top, right, bottom = REGIONS[region]
    def uv(u, t, _):
        u = 1 - u if mirrored else u
        # Half a pixel of margin keeps filtering out of the neighbours.
        return ((left + 0.5 + u * (right - left - 1)) / ATLAS, (top + 0.5 + t * (bottom - top - 1)) / ATLAS)
    return uv


def eye_uv(centre, radius):
    place = atlas("eye")
    return lambda u, t, p: place(0.5 - (p[0] - centre[0]) / (2 * radius), 0.5 - (p[1] - centre[1]) / (2 * radius), p)


def disc_uv(region):
    """Around the centre of a square region, t being the distance."""
    place = atlas(region)
    def uv(u, t, p):
        a = TAU * (u - 0.5)
        return place(0.5 + 0.49 * t * math.sin(a), 0.5 + 0.49 * t * math.cos(a), p)
    return uv


STONE, LINEN, GOLD = (184, 174, 162), (236, 224, 196), (226, 172, 62)
LAPIS, TURQUOISE, CLAY, DARK = (38, 66, 140), (48, 164, 160), (186, 82, 54), (46, 38, 38)


def grain(x, y):
    """A number in 0..1 that depends on the pixel only."""
    h = (x * 374761393 + y * 668265263 + 97) & 0xFFFFFFFF
    h = ((h ^ (h >> 13)) * 1274126177) & 0xFFFFFFFF
    return ((h ^ (h >> 16)) & 0xFFFF) / 0xFFFF


def patch(x, y, size):
    """Grain of a larger size, smoothly interpolated."""
    ix, iy = int(x // size), int(y // size)
    fx, fy = smoothstep(0, 1, x / size - ix), smoothstep(0, 1, y / size - iy)
    top = grain(ix, iy) * (1 - fx) + grain(ix + 1, iy) * fx
    bottom = grain(ix, iy + 1) * (1 - fx) + grain(ix + 1, iy + 1) * fx
    return top * (1 - fy) + bottom * fy


def stone(x, y, base=STONE):
    tone = 0.93 + 0.14 * patch(x, y, 9) + 0.05 * (grain(int(x), int(y)) - 0.5)
    fleck = grain(int(x) + 517, int(y))
    if fleck > 0.982:
        tone *= 0.74
    elif fleck < 0.015:
        tone *= 1.16
    return scale(base, tone)


def cloth(x, y, base):
    return scale(base, 0.97 + 0.05 * ((int(x) + int(y)) % 2) + 0.05 * (patch(x, y, 12) - 0.5))


def brow_or_mouth(side, up):
    """True on the painted lines of the face; side and up are radians from its centre."""
    side = abs(side)
    brow = 0.20 < side < 0.56 and abs(up - 0.365 + 1.1 * (side - 0.32) ** 2) < 0.032
    mouth = side < 0.30 and abs(up + 0.52 - 0.95 * side * side) < 0.028
    return brow or mouth


def under_cap(u, up):
    a = TAU * (u - 0.5)
    return math.sin(up) * math.cos(CAP_TIP) - math.cos(a) * math.cos(up) * math.sin(CAP_TIP) > 0.04


def paint_head(u, v, x, y):
    """The low-poly head has neither eyes nor cap of its own; on the other one they hide the painted ones."""
    up = math.pi * (0.5 - v)
    side = TAU * (u - 0.5) * math.cos(up)
    if under_cap(u, up):
        return cloth(x, y, GOLD if (u * 20 + 0.3) % 1 < 0.4 else LAPIS)
    eye = math.hypot((abs(side) - 0.36) / 0.17, (up - 0.03) / 0.20)
    if eye < 1:
        return DARK if eye < 0.35 else TURQUOISE if eye < 0.6 else (250, 246, 236)
    if brow_or_mouth(side, up):
        return (84, 62, 54)
    colour = stone(x, y)
    blush = smoothstep(0.20, 0.02, math.hypot(abs(side) - 0.56, up + 0.32))
    return lerp(colour, (214, 132, 104), 0.55 * blush)


def paint_collar(u, t):
    band, within = divmod(t * 4, 1)
    if within < 0.16:
        return GOLD
    base = (LAPIS, CLAY, TURQUOISE, LAPIS)[min(int(band), 3)]
    bead = (u * (40, 44, 48, 32)[min(int(band), 3)]) % 1
    return base if bead > 0.22 else scale(GOLD, 0.8)


def paint_border(u, t):
    """The woven hem: a zigzag between two gold threads."""
    if t < 0.14 or t > 0.86:
        return GOLD
    zigzag = abs((u * 32) % 1 * 2 - 1)
    edge = (t - 0.14) / 0.72
    if abs(edge - zigzag) < 0.2:
        return LINEN
    return LAPIS if edge > zigzag else CLAY


def paint_sash(u, v):
    edge = abs(u - 0.5) / 0.042
    if edge > 0.76:
        return GOLD
    diamond = abs((v * 14) % 1 - 0.5) * 2 + edge
    return TURQUOISE if diamond < 0.75 else LAPIS


def paint_robe(u, v, x, y):
    if v < 0.10:
        return stone(x, y)
    if v < 0.34:
        return cloth(x, y, paint_collar(u, (v - 0.10) / 0.24))
    if v > 0.96:
        return cloth(x, y, (120, 100, 84))
    if 0.62 < v < 0.685:
        return cloth(x, y, GOLD if abs(v - 0.6525) > 0.02 else CLAY)
    if v > 0.64 and abs(u - 0.5) < 0.042:
        return cloth(x, y, paint_sash(u, v))
    if v > 0.85:
        return cloth(x, y, paint_border(u, (v - 0.85) / 0.11))
    pleat = 0.03 * math.cos(TAU * u * 36) if v > 0.66 else 0
    return cloth(x, y, scale(LINEN, 1 + pleat))


def paint_arm(u, v, x, y):
    if v < 0.35:
        return cloth(x, y, LINEN)
    if v < 0.412:
        return cloth(x, y, GOLD if abs(v - 0.381) > 0.017 else LAPIS if (u * 16) % 1 < 0.6 else CLAY)
    if v < 0.428:
        return cloth(x, y, (120, 100, 84))
    if 0.845 < v < 0.915:
        return stone(x, y, GOLD if abs(v - 0.88) > 0.017 else TURQUOISE)
    return stone(x, y)


def paint_leg(u, v, x, y):
    if 0.84 < v < 0.92:
        return stone(x, y, GOLD)
    return stone(x, y)


def paint_skin(u, v, x, y):
    return stone(x, y)


def paint_foot(u, v, x, y):
    """A sandal: sole, strap and toes."""
    side = abs(u - 0.5)
    if side > 0.31:
        return cloth(x, y, (128, 84, 52))
    if 0.50 < v < 0.60 or 0.10 < v < 0.17:
        return cloth(x, y, GOLD)
    if v > 0.78 and (u * 12) % 1 < 0.2:
        return (110, 92, 82)
    return stone(x, y)


def paint_cap(u, v, x, y):
    """A disc seen from above the crown, its rim a golden band."""
    if math.hypot(u - 0.5, v - 0.5) > 0.395:
        return cloth(x, y, GOLD)
    return cloth(x, y, GOLD if (u * 10.5 + 0.95) % 1 < 0.42 else LAPIS)


def paint_lappet(u, v, x, y):
    if v > 0.9:
        return cloth(x, y, GOLD)
    return cloth(x, y, GOLD if (v * 9) % 1 < 0.42 else LAPIS)


def paint_eye(u, v, x, y):
    r = math.hypot(u - 0.5, v - 0.5)
    if math.hypot(u - 0.58, v - 0.42) < 0.075:
        return (255, 255, 255)
    lid = 0.135 - 0.25 * (u - 0.5) ** 2
    if r > 0.46 or lid < v < lid + 0.045:
        return DARK
    if v < lid:
        return stone(x, y, scale(STONE, 0.92))
    if r < 0.17:
        return (24, 20, 26)
    if r < 0.30:
        return lerp((30, 130, 130), (70, 196, 180), (v - 0.2) / 0.6)
    if r < 0.33:
        return DARK
    return (250, 246, 236)


PAINTERS = {
    "head": paint_head, "robe": paint_robe, "arm": paint_arm, "leg": paint_leg,
    "skin": paint_skin, "lappet": paint_lappet, "eye": paint_eye, "foot": paint_foot, "cap": paint_cap,
}


def byte(value):
    return min(255, max(0, round(value)))


def average(colours):
    return tuple(byte(sum(channel) / len(colours)) for channel in zip(*colours))


def paint_pixel(region, px, py):
    left, top, right, bottom = REGIONS[region]
    samples = []
    for x, y in ((px + dx, py + dy) for dy in (0.25, 0.75) for dx in (0.25, 0.75)):
        u, v = (x - left) / (right - left), (y - top) / (bottom - top)
        samples.append(PAINTERS[region](u, v, x, y))
    return average(samples)


def paint_atlas():
    rows = [[STONE] * ATLAS for _ in range(ATLAS)]
    for region, (left, top, right, bottom) in REGIONS.items():
        for y in range(top, bottom):
            for x in range(left, right):
                rows[y][x] = paint_pixel(region, x, y)
    return rows


def shrink(rows, factor):
    size = len(rows) // factor
    return [[average([rows[y * factor + j][x * factor + i] for j in range(factor) for i in range(factor)])
             for x in range(size)] for y in range(size)]


def png(rows):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)
    pixels = b"".join(b"\0" + bytes(c for pixel in row for c in pixel) for row in rows)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
            + chunk(b"IDAT", zlib.compress(pixels, 9)) + chunk(b"IEND", b""))


# ---- the scribe --------------------------------------------------------------------------------

HEAD_CENTRE, HEAD_RADII = (0, 0.950, -0.005), (0.178, 0.168, 0.166)

ROBE = [    # y, rx, rz, z of the centre, t
    (0.830, 0, 0, 0, 0.00),
    (0.800, 0.074, 0.074, 0, 0.04),
    (0.772, 0.086, 0.082, 0, 0.10),
    (0.755, 0.128, 0.106, 0, 0.17),
    (0.728, 0.170, 0.128, 0, 0.24),
    (0.685, 0.190, 0.146, 0, 0.32),
    (0.620, 0.196, 0.160, -0.004, 0.42),
    (0.550, 0.204, 0.176, -0.010, 0.53),
    (0.490, 0.206, 0.178, -0.012, 0.61),
    (0.462, 0.206, 0.176, -0.010, 0.65),
    (0.430, 0.212, 0.180, -0.008, 0.70),
    (0.370, 0.226, 0.190, -0.004, 0.79),
    (0.310, 0.240, 0.202, 0, 0.88),
    (0.262, 0.252, 0.212, 0, 0.955),
    (0.252, 0.243, 0.203, 0, 0.97),
    (0.270, 0.215, 0.175, 0, 0.98),
    (0.360, 0, 0, 0, 1.00),
]
HEM = 0.252

ARM = [     # t (0 shoulder, 1 elbow, 2 wrist), radius
    (-0.42, 0), (-0.36, 0.044), (-0.15, 0.070), (0.1, 0.078), (0.35, 0.078), (0.54, 0.083), (0.65, 0.086),
    (0.67, 0.077), (0.65, 0.051), (0.80, 0.047), (1.00, 0.045), (1.24, 0.048), (1.5, 0.050), (1.75, 0.044),
    (1.95, 0.041), (2.12, 0.03), (2.16, 0),
]
LEG = [     # t (0 hip, 1 knee, 2 ankle), radius
    (-0.15, 0), (-0.1, 0.05), (0.2, 0.080), (0.65, 0.077), (0.95, 0.070), (1.2, 0.068), (1.5, 0.068), (1.8, 0.062),
    (2.0, 0.062), (2.25, 0.05), (2.3, 0),
]

torso_chain = chain([BONE[n] for n in ("hips", "spine", "chest", "neck", "head")], (0.46, 0.59, 0.745, 0.81), 0.055)


def weigh_robe(p, _):
    """The trunk by height; below the belt the skirt follows the thigh on its side."""
    pull = 0.5 * smoothstep(0.47, HEM, p[1])
    right = smoothstep(-0.14, 0.14, p[0])
    weights = {bone: w * (1 - pull) for bone, w in torso_chain(p, p[1]).items()}
    return weights | {BONE["thigh.R"]: pull * right, BONE["thigh.L"]: pull * (1 - right)}


def build_robe(mesh):
    rings = [Ring((0, y, z), X_AXIS, Z_AXIS, rx, rz, t) for y, rx, rz, z, t in ROBE]
    sweep(mesh, rings, 22, atlas("robe"), weigh_robe)


def on_face(side, up, rise=0.0):
    """A point of the head and the outward direction there; angles as painted."""
    d = (-math.sin(side) * math.cos(up), math.sin(up), -math.cos(side) * math.cos(up))
    p = add(HEAD_CENTRE, tuple(a * b for a, b in zip(d, HEAD_RADII)), scale(d, rise))
    return p, unit(tuple(a / b for a, b in zip(d, HEAD_RADII)))


def build_eye(mesh, side):
    centre, out = on_face(side, 0.03, -0.006)
    x, z = frame(scale(out, -1), X_AXIS)
    rings = ellipsoid_rings(centre, (0.036, 0.020, 0.043), 4, (x, out, z), stop=0.55)
    sweep(mesh, rings, 10, eye_uv(centre, 0.043), rigid(BONE["head"]))


def build_head(mesh):
    head = rigid(BONE["head"])
    sweep(mesh, ellipsoid_rings(HEAD_CENTRE, HEAD_RADII, 11), 18, atlas("head"), head)
    for side in (-0.36, 0.36):
        build_eye(mesh, side)
    nose, _ = on_face(0, -0.20, 0.002)
    sweep(mesh, ellipsoid_rings(nose, (0.027, 0.022, 0.024), 5), 8, atlas("skin"), head)


def build_cap(mesh):
    """A headcloth: a dome tipped backwards, its golden band low on the nape and high on the brow."""
    up = (0, math.cos(CAP_TIP), math.sin(CAP_TIP))
    axes = (X_AXIS, up, cross(X_AXIS, up))
    dome = ellipsoid_rings(HEAD_CENTRE, (0.196, 0.186, 0.186), 6, axes, stop=0.49)
    rings = [ring._replace(t=ring.t * 0.8) for ring in dome]
    for drop, r, t in ((0.006, 0.203, 0.84), (-0.018, 0.203, 0.92), (-0.024, 0.190, 0.97), (-0.022, 0.160, 1.0)):
        rings.append(Ring(add(HEAD_CENTRE, scale(up, drop)), axes[0], axes[2], r, r * 0.955, t))
    sweep(mesh, rings, 20, disc_uv("cap"), rigid(BONE["head"]))
    jewel, _ = on_face(0, 0.645, 0.030)
    sweep(mesh, ellipsoid_rings(jewel, (0.020, 0.028, 0.016), 5), 8,
          lambda u, t, p: atlas("eye")(0.5 + 0.1 * (u - 0.5), 0.7, p), rigid(BONE["head"]))


def build_lappet(mesh, side):
    """The side fold of the headcloth, from the temple to the front of the shoulder."""
    stations = [    # position, half width, half thickness
        ((0.160, 1.015, 0.045), 0.030, 0.010),
        ((0.186, 0.975, 0.036), 0.060, 0.022),
        ((0.198, 0.915, 0.022), 0.078, 0.027),
        ((0.188, 0.850, -0.004), 0.080, 0.027),
        ((0.164, 0.795, -0.060), 0.068, 0.022),
        ((0.142, 0.750, -0.116), 0.056, 0.015),
        ((0.118, 0.700, -0.148), 0.050, 0.013),
        ((0.108, 0.640, -0.160), 0.046, 0.012),
    ]
    wides = [(0, 0, side), (0, 0, side), (0, 0, side), (0.1, 0, side), (0.5, 0, 0.8 * side),
             (0.8, 0, 0.55 * side), (1, 0, 0.45 * side), (1, 0, 0.4 * side)]
    path = [((p[0] * side, p[1], p[2]), w, h, i / (len(stations) - 1)) for i, (p, w, h) in enumerate(stations)]
    (first, _, _, _), (last, _, _, _) = path[0], path[-1]
    path = [(add(first, (-0.01 * side, 0.006, 0)), 0, 0, 0), *path, (add(last, (0, -0.005, -0.001)), 0, 0, 1)]
    wides = [wides[0], *wides, wides[-1]]
    weigh = chain([BONE["head"], BONE["chest"]], [0.62], 0.3)
    sweep(mesh, tube_rings(path, wides), 8, atlas("lappet"), weigh)


def build_arm(mesh, side):
    names = limb_names("arm", side)
    points = [head_of(name) for name in names]
    hinge = cross(sub(points[1], points[0]), sub(points[2], points[1]))
    joints = [along(ARM, t) for t in (-0.12, 1, 1.98)]
    weigh = chain([BONE[n] for n in ("chest", *names)], joints, 0.09)
    sweep(mesh, limb_rings(points, ARM, hinge), 10, atlas("arm"), weigh)


def finger(mesh, path, radius, bone):
    start = sub(path[0], scale(unit(sub(path[1], path[0])), 0.002))
    tip = add(path[-1], scale(unit(sub(path[-1], path[-2])), radius * 0.7))
    stations = [(start, 0), *((p, radius) for p in path[:-1]), (path[-1], radius * 0.8), (tip, 0)]
    rings = tube_rings([(p, r, r, i / (len(stations) - 1)) for i, (p, r) in enumerate(stations)], (0.3, 0.2, 0.9))
    sweep(mesh, rings, 6, atlas("skin"), rigid(bone))


def build_right_hand(mesh):
    """A fist around the stylus."""
    bone, wrist = BONE["hand.R"], head_of("hand.R")
    back = unit(reject(sub(wrist, GRIP), STYLUS_AXIS))
    over = cross(STYLUS_AXIS, back)
    def around(angle, radius, shift):
        spoke = add(scale(back, math.cos(angle)), scale(over, math.sin(angle)))
        return add(GRIP, scale(STYLUS_AXIS, shift), scale(spoke, radius))
    palm = add(GRIP, scale(back, 0.034), scale(STYLUS_AXIS, 0.004))
    x, z = frame(scale(back, -1), STYLUS_AXIS)
    sweep(mesh, ellipsoid_rings(palm, (0.046, 0.042, 0.040), 6, (x, back, z)), 10, atlas("skin"), rigid(bone))
    for shift in (-0.026, 0.004, 0.034):
        finger(mesh, [around(a, 0.026, shift) for a in (0.7, 1.6, 2.5, 3.5)], 0.0165, bone)
    finger(mesh, [around(-0.6, 0.034, -0.010), around(-1.3, 0.030, -0.030), around(-1.9, 0.022, -0.052)], 0.016, bone)


def on_tablet(right, up, out):
    return add(TABLET, scale(TABLET_RIGHT, right), scale(TABLET_UP, up), scale(TABLET_FACE, out))


def build_left_hand(mesh):
    """An open hand under the tablet, its thumb over the edge."""
    bone = BONE["hand.L"]
    palm = on_tablet(-0.088, -0.034, -0.036)
    axes = (TABLET_UP, TABLET_RIGHT, cross(TABLET_UP, TABLET_RIGHT))
    sweep(mesh, ellipsoid_rings(palm, (0.044, 0.050, 0.028), 6, axes), 10, atlas("skin"), rigid(bone))
    for up, reach in ((-0.064, 0.0), (-0.034, 0.02), (-0.004, 0.01)):
        path = [on_tablet(-0.075, up, -0.034), on_tablet(-0.03 + reach / 2, up + 0.004, -0.031),
                on_tablet(reach, up + 0.008, -0.028)]
        finger(mesh, path, 0.0165, bone)
    finger(mesh, [on_tablet(-0.104, -0.010, -0.028), on_tablet(-0.106, 0.006, 0.004),
                  on_tablet(-0.090, 0.014, 0.026), on_tablet(-0.072, 0.018, 0.027)], 0.0155, bone)


def build_leg(mesh, side):
    names = limb_names("leg", side)
    points = [head_of(name) for name in names]
    weigh = chain([BONE[n] for n in ("hips", *names)], [along(LEG, t) for t in (-0.05, 1, 1.95)], 0.11)
    sweep(mesh, limb_rings(points, LEG, X_AXIS), 9, atlas("leg"), weigh)
    ankle = points[2]
    foot = add(ankle, (0.004 if side == "R" else -0.004, -0.022, -0.045))
    axes = (X_AXIS, Z_AXIS, (0, -1, 0))
    sweep(mesh, ellipsoid_rings(foot, (0.074, 0.120, 0.060), 7, axes), 10, atlas("foot"),
          rigid(BONE["foot." + side]), shape=lambda p: (p[0], max(p[1], 0), p[2]))


# ---- tablet and stylus -------------------------------------------------------------------------

SLATE, SLATE_EDGE, GLYPH = (122, 140, 148, 255), (84, 98, 110, 255), (232, 206, 138, 255)


def outline(half_width, half_height, arc):
    """The stele's outline, counter-clockwise from the lower left: straight sides, round head."""
    shoulder = half_height - half_width * 0.72
    points = [(-half_width, -half_height), (half_width, -half_height)]
    for i in range(arc + 1):
        a = math.pi * i / arc
        points.append((half_width * math.cos(a), shoulder + half_width * 0.72 * math.sin(a)))
    return points


def plate(mesh, points, out, colour, weigh, place):
    """A flat face; out < 0 is the back, which runs the other way round."""
    points = points if out > 0 else points[::-1]
    vertices = [Vertex(place(x, y, out), (0, 0), colour, weigh()) for x, y in points]
    mesh.add_part(vertices, [(0, i, i + 1) for i in range(1, len(points) - 1)])


def wall(mesh, inner, outer, front, back, colour, weigh, place):
    """The strip between two outlines at different depths."""
    n = len(inner)
    vertices = [Vertex(place(x, y, front), (0, 0), colour, weigh()) for x, y in inner]
    vertices += [Vertex(place(x, y, back), (0, 0), colour, weigh()) for x, y in outer]
    triangles = []
    for i in range(n):
        j = (i + 1) % n
        triangles += [(i, n + i, n + j), (i, n + j, j)]
    mesh.add_part(vertices, triangles)


def glyph(kind):
    """A few strokes on a unit cell, each a convex polygon."""
    def stroke(x0, y0, x1, y1, half):
        nx, ny = scale(unit((y0 - y1, x1 - x0)), half)
        return [(x0 - nx, y0 - ny), (x1 - nx, y1 - ny), (x1 + nx, y1 + ny), (x0 + nx, y0 + ny)]
    cells = [
        [stroke(-0.3, 0, 0.3, 0, 0.10)],
        [stroke(0, -0.4, 0, 0.4, 0.10)],
        [[(-0.35, -0.35), (0.35, -0.35), (0, 0.4)]],
        [[(0.35, 0), (0, 0.4), (-0.35, 0), (0, -0.4)]],
        [stroke(-0.3, 0.22, 0.3, 0.22, 0.09), stroke(-0.3, -0.22, 0.3, -0.22, 0.09)],
        [stroke(-0.25, -0.35, 0.25, 0.35, 0.10)],
    ]
    return cells[kind % len(cells)]


def build_tablet():
    mesh, weigh = Mesh(), rigid(BONE["hand.L"])
    rim, face = outline(0.088, 0.118, 8), outline(0.080, 0.110, 8)
    for out in (0.013, -0.013):
        plate(mesh, face, out, SLATE, weigh, on_tablet)
    wall(mesh, face, rim, 0.013, 0.006, SLATE_EDGE, weigh, on_tablet)
    wall(mesh, rim, rim, 0.006, -0.006, SLATE_EDGE, weigh, on_tablet)
    wall(mesh, rim, face, -0.006, -0.013, SLATE_EDGE, weigh, on_tablet)
    for out in (0.0135, -0.0135):
        build_inscription(mesh, out, weigh)
    return mesh


def build_inscription(mesh, out, weigh):
    """A sun and rows of signs.  On the front the last row is left for the scribe to carve."""
    sun = [(0.022 * math.cos(TAU * i / 10), 0.078 + 0.022 * math.sin(TAU * i / 10)) for i in range(10)]
    plate(mesh, sun, out, GLYPH, weigh, on_tablet)
    rows = 3 if out > 0 else 5
    for row in range(rows):
        for column in range(5):
            cx, cy = (column - 2) * 0.029, 0.036 - row * 0.029
            for polygon in glyph(row * 7 + column * 5 + row * column):
                points = [(cx + 0.026 * x, cy + 0.026 * y) for x, y in polygon]
                plate(mesh, points, out, GLYPH, weigh, on_tablet)


STYLUS = [  # distance from the blunt end, radius, colour
    (0.000, 0, GOLD), (0.000, 0.0085, GOLD), (0.022, 0.0110, GOLD), (0.026, 0.0090, CLAY),
    (0.150, 0.0100, CLAY), (0.172, 0.0105, GOLD), (0.186, 0.0095, GOLD), (0.190, 0.0080, DARK), (0.222, 0, DARK),
]


def build_stylus():
    mesh, whole = Mesh(), STYLUS[-1][0]
    blunt = add(STYLUS_POINT, scale(STYLUS_AXIS, whole))
    x, z = frame(scale(STYLUS_AXIS, -1), X_AXIS)
    rings = [Ring(sub(blunt, scale(STYLUS_AXIS, d)), x, z, r, r, i) for i, (d, r, _) in enumerate(STYLUS)]
    sweep(mesh, rings, 8, lambda *_: (0, 0), rigid(BONE["hand.R"]), colour=lambda i: (*STYLUS[i][2], 255))
    return mesh


def build_body():
    mesh = Mesh()
    build_robe(mesh)
    build_head(mesh)
    build_cap(mesh)
    for side, sign in (("R", 1), ("L", -1)):
        build_lappet(mesh, sign)
        build_arm(mesh, side)
        build_leg(mesh, side)
    build_right_hand(mesh)
    build_left_hand(mesh)
    return mesh


# ---- clips -------------------------------------------------------------------------------------

Key = namedtuple("Key", "position scale turn")
Clip = namedtuple("Clip", "name tracks times")      # tracks: one list of keys for each bone

REST = Key((0, 0, 0), (1, 1, 1), NO_TURN)


def key(position=(0, 0, 0), turn=NO_TURN, size=1):
    return Key(position, (size, size, size), turn)


def two_bone(names, target, pole):
    """Global turns of an upper and a lower bone that bring the end of the lower one to target."""
    root, middle, end = map(head_of, names)
    a, b = length(sub(middle, root)), length(sub(end, middle))
    way = sub(target, root)
    distance = min(length(way), 0.999 * (a + b))
    axis = unit(way)
    forth = (a * a - b * b + distance * distance) / (2 * distance)
    aside = math.sqrt(max(0, a * a - forth * forth))
    knee = add(root, scale(axis, forth), scale(unit(reject(pole, axis)), aside))
    target = add(root, scale(axis, distance))
    return turn_between(sub(middle, root), sub(knee, root)), turn_between(sub(end, middle), sub(target, knee))


def limb_pose(names, target, pole, end_turn):
    """end_turn: the global turn of hand or foot, or a function of the lower bone's."""
    upper, lower = two_bone(names, target, pole)
    end = end_turn(lower) if callable(end_turn) else end_turn
    return {
        names[0]: key(turn=upper),
        names[1]: key(turn=turn_mul(turn_inverse(upper), lower)),
        names[2]: key(turn=turn_mul(turn_inverse(lower), end)),
    }


def elbow_pole(side):
    shoulder, elbow, wrist = map(head_of, limb_names("arm", side))
    return reject(sub(elbow, shoulder), unit(sub(wrist, shoulder)))


def idle(p):
    breath = (1 - math.cos(TAU * p)) / 2
    swell = 1 + 0.025 * breath
    look = math.sin(TAU * p)
    hips_move, hips_turn = (0.006 * look, -0.004 * breath, 0), euler(z=0.012 * look)
    return {
        "hips": key(position=hips_move, turn=hips_turn),
        "spine": key(turn=euler(x=0.015 * breath, z=-0.012 * look)),
        "chest": key(position=(0, 0.004 * breath, 0), size=swell),
        "neck": key(turn=euler(y=0.10 * look), size=1 / swell),
        "head": key(turn=euler(x=-0.05 + 0.05 * math.cos(2 * TAU * p), y=0.16 * look, z=0.05 * look)),
        "upper_arm.R": key(turn=euler(z=0.05 * breath)),
        "upper_arm.L": key(turn=euler(z=-0.04 * breath)),
        **planted_leg("R", hips_move, hips_turn),
        **planted_leg("L", hips_move, hips_turn),
    }


def planted_leg(side, hips_move, hips_turn, ankle_move=(0, 0, 0), pitch=0.0):
    """A leg whose ankle is where it is asked to be, whatever the hips do."""
    names, hips = limb_names("leg", side), head_of("hips")
    target = add(head_of(names[2]), ankle_move)
    inverse = turn_inverse(hips_turn)
    target = add(hips, turn_apply(inverse, sub(sub(target, hips), hips_move)))
    return limb_pose(names, target, (0, 0, -1), turn_mul(inverse, euler(x=pitch)))


def step(p):
    """Ankle movement and foot pitch of a walking leg; at 0 the foot has just landed in front."""
    p %= 1
    stride, stance = 0.085, 0.56
    if p < stance:
        t = p / stance
        lift, way = 0, 2 * t - 1
        pitch = 0.22 * (1 - smoothstep(0, 0.2, t)) - 0.35 * smoothstep(0.7, 1, t)
    else:
        t = (p - stance) / (1 - stance)
        lift, way = 0.048 * math.sin(math.pi * t), math.cos(math.pi * t)
        pitch = -0.35 + 0.57 * smoothstep(0, 0.9, t)
    # A pitched foot stands on its heel or toes, which takes the ankle up.
    lift += 0.05 * pitch if pitch > 0 else -0.085 * pitch
    return (0, lift, stride * way), pitch


def swinging_arm(side, swing, low):
    """An arm let down to the side; swing > 0 is forwards."""
    sign = 1 if side == "R" else -1
    names = limb_names("arm", side)
    target = add(head_of(names[0]), (sign * 0.115, -0.315 + 0.25 * abs(swing) ** 2, -0.075 - 0.26 * swing))
    return limb_pose(names, target, (sign * 0.5, 0, 1), low)


def walk(p):
    c, s = math.cos(TAU * p), math.sin(TAU * p)
    hips_move = (-0.012 * s, -0.014 - 0.010 * math.cos(2 * TAU * p), 0)
    hips_turn = euler(y=0.10 * c, z=0.03 * s)
    pose = {
        "hips": key(position=hips_move, turn=hips_turn),
        "spine": key(turn=euler(x=-0.05, y=-0.08 * c, z=-0.03 * s)),
        "chest": key(turn=euler(y=-0.10 * c)),
        "neck": key(turn=euler(y=0.04 * c)),
        "head": key(turn=euler(x=0.04 + 0.02 * math.cos(2 * TAU * p), y=0.04 * c, z=0.03 * s)),
        **swinging_arm("R", -0.38 * c, lambda lower: turn_mul(turn((0, 1, 0), -0.2), lower)),
        **swinging_arm("L", 0.32 * c, euler(x=0.12 * c, y=0.75, z=-1.45)),
    }
    for side, phase in (("R", p), ("L", p + 0.5)):
        ankle_move, pitch = step(phase)
        pose |= planted_leg(side, hips_move, hips_turn, ankle_move, pitch)
    return pose


def carving(p):
    """Where the stylus point is during "write": right, up and out on the tablet, from its rest."""
    down = smoothstep(0.04, 0.16, p) * (1 - smoothstep(0.84, 0.96, p))
    t = min(1, max(0, (p - 0.14) / 0.72))
    press = abs(math.sin(math.pi * 5 * t)) ** 0.5 if 0 < t < 1 else 1
    right = -0.084 + 0.108 * t
    up = -0.018 + 0.008 * math.sin(TAU * 5 * t)
    return right * down, up * down, -0.019 * down + 0.006 * down * (1 - press)


def write(p):
    right, up, out = carving(p)
    names = limb_names("arm", "R")
    move = add(scale(TABLET_RIGHT, right), scale(TABLET_UP, up), scale(TABLET_FACE, out))
    lean = smoothstep(0, 0.16, p) * (1 - smoothstep(0.84, 1, p))
    return {
        "spine": key(turn=euler(x=-0.04 * lean)),
        "chest": key(turn=euler(x=-0.02 * lean)),
        "neck": key(turn=euler(x=-0.10 * lean)),
        "head": key(turn=euler(x=-0.24 * lean, y=0.06 * lean - 1.2 * right * lean, z=0.07 * lean)),
        **limb_pose(names, add(head_of(names[2]), move), elbow_pole("R"), NO_TURN),
    }


def same_side(previous, q):
    """q or -q (the same turn), whichever does not make the interpolation go the long way."""
    return q if dot(previous, q) >= 0 else scale(q, -1)


def make_clip(name, pose_at, frames):
    tracks = [[] for _ in BONES]
    for frame_number in range(frames + 1):
        # The last key repeats the first, because engines wrap at the time of the last key.
        pose = pose_at(frame_number % frames / frames)
        for bone, track in zip(BONES, tracks):
            k = pose.get(bone.name, REST)
            track.append(k._replace(turn=same_side(track[-1].turn if track else NO_TURN, k.turn)))
    return Clip(name, tracks, list(range(frames + 1)))


# ---- the low-poly scribe -----------------------------------------------------------------------

def low_limb(mesh, stations, region, weigh, side):
    path = [((p[0] * side, p[1], p[2]), r, r, t) for p, r, t in stations]
    hinge = cross(sub(path[-1][0], path[-2][0]), sub(path[1][0], path[0][0]))
    sweep(mesh, tube_rings(path, hinge), 3, atlas(region, mirrored=side < 0), weigh, lone_poles=True)


def low_body():
    mesh = Mesh()
    robe = [(0.82, 0, 0, 0, 0.02), (0.72, 0.19, 0.14, 0, 0.26), (0.46, 0.21, 0.18, -0.01, 0.65),
            (0.25, 0.26, 0.22, 0, 0.95), (0.25, 0, 0, 0, 1.0)]
    rings = [Ring((0, y, z), X_AXIS, Z_AXIS, rx, rz, t) for y, rx, rz, z, t in robe]
    sweep(mesh, rings, 5, atlas("robe"), rigid(0), lone_poles=True)
    head = ellipsoid_rings(HEAD_CENTRE, (0.21, 0.20, 0.20), 4)
    sweep(mesh, head, 5, atlas("head"), chain([1, 0], [0.95], 0.12), lone_poles=True)
    right = [((0.15, 0.73, 0), 0, 0), ((0.21, 0.70, -0.01), 0.06, 0.2), ((0.25, 0.57, -0.11), 0.05, 0.55),
             ((0.04, 0.62, -0.25), 0, 1)]
    left = right[:3] + [((0.12, 0.56, -0.30), 0, 1)]
    low_limb(mesh, right, "arm", chain([0, 2, 3], [0.1, 0.65], 0.2), 1)
    low_limb(mesh, left, "arm", chain([0, 4], [0.1], 0.2), -1)
    foot = [((0.10, 0.26, 0.02), 0, 0), ((0.10, 0.08, 0.00), 0.08, 0.5), ((0.10, 0.0, -0.15), 0, 1)]
    for side in (1, -1):
        low_limb(mesh, foot, "leg", rigid(0), side)
    return mesh


def low_tablet():
    """Eight corners with shared normals: vertex colours differ from corner to corner."""
    mesh, bone = Mesh(), 4
    corners = [(x, y, z) for z in (0.013, -0.013) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    shades = [SLATE, SLATE_EDGE, GLYPH, SLATE, SLATE_EDGE, (*CLAY, 255), SLATE, (*GOLD, 128)]
    vertices = [Vertex(on_tablet(0.088 * x, 0.118 * y, z), (0.5 + 0.4 * x, 0.5 - 0.4 * y), shade, {bone: 1})
                for (x, y, z), shade in zip(corners, shades)]
    quads = [(0, 1, 2, 3), (5, 4, 7, 6), (4, 5, 1, 0), (1, 5, 6, 2), (2, 6, 7, 3), (4, 0, 3, 7)]
    mesh.add_part(vertices, [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    return mesh


def low_clip(first_time):
    nod, wave, swing = (0, 0.3, -0.2, 0), (0, 0.5, 0.2, 0), (0, 0.25, 0.4, 0)
    tracks = [
        [key(position=(0, 0.02 * abs(a), 0)) for a in nod],
        [Key((0, 0.01 * a, 0), (1 + 0.1 * a, 1 - 0.1 * a, 1), euler(x=a)) for a in nod],
        [key(turn=euler(z=a)) for a in wave],
        [key(turn=euler(x=-a, y=a), size=1 + 0.2 * a) for a in wave],
        [key(turn=euler(x=-a)) for a in swing],
    ]
    return Clip("nod", tracks, [first_time + i for i in range(4)])


def mesh_tangents(mesh):
    """(T, w) with T = dP/du and w the side of dP/dv (downwards in the image) relative to cross(N, T)."""
    along_u = [(0, 0, 0)] * len(mesh.vertices)
    uv_area = [0] * len(mesh.vertices)
    for triangle in mesh.triangles:
        (p0, t0), (p1, t1), (p2, t2) = ((mesh.vertices[i].position, mesh.vertices[i].uv) for i in triangle)
        d1, d2 = sub(t1, t0), sub(t2, t0)
        area = d1[0] * d2[1] - d2[0] * d1[1]
        way = scale(sub(scale(sub(p1, p0), d2[1]), scale(sub(p2, p0), d1[1])), math.copysign(1, area))
        for i in triangle:
            along_u[i] = add(along_u[i], way)
            uv_area[i] += area
    # Front faces are counter-clockwise, so the winding in the image alone tells the side.
    return [(*tangent(n, u), math.copysign(1, area)) for n, u, area in zip(mesh.normals, along_u, uv_area)]


def tangent(normal, along_u):
    # Around a pole the directions cancel out, and any will do.
    t = reject(along_u, normal)
    return unit(t if length(t) > 1e-9 else reject(X_AXIS, normal))
