"""CTC: a scribe of a few triangles, still and moving, and with its sections in disorder.

Axes are those of the game: X forward, Y left, Z up, visible faces clockwise.
"""

from collections import namedtuple

from .packing import f32, u16, u32
from .scribe import (HEAD_CENTRE, LOW_BONES, Mesh, Ring, X_AXIS, Z_AXIS, add, atlas, ellipsoid_rings, low_tablet, rigid, scale,
                     smooth_normals, sub, sweep)

UNITS = 40  # to a metre
UNSET = (0x33, 0x66, 0xE5)  # of a colour: take the texture's, and only the alpha from here
BONES = [LOW_BONES[0], LOW_BONES[1], LOW_BONES[4]._replace(parent=0)]  # body, head, the arm that holds the tablet
LEFT_ARM = 2

# The order of the counts and of the offsets in the header; a section is named like its offset.
COUNTS = ("skins", "verts", "uvs", "tris", "commands", "frames", "animations", "bones", "morphs", "attachments", "lists",
          "substitutions", "unknown6", "colours")
SECTIONS = ("skins", "verts", "output", "tris", "uvs", "bones", "weights", "animations", "frames", "commands", "morphs",
            "attachments", "lists", "substitutions", "tris3", "colours")

Figure = namedtuple("Figure", "points weights triangles lists")  # triangle: (vertices, uvs, colours)


def in_game(p):
    return -p[2], -p[0], p[1]


def small_body():
    mesh = Mesh()
    robe = [(0.82, 0, 0, 0.02), (0.66, 0.20, 0.15, 0.3), (0.1, 0.26, 0.22, 0.95), (0.02, 0, 0, 1.0)]
    rings = [Ring((0, y, 0), X_AXIS, Z_AXIS, rx, rz, t) for y, rx, rz, t in robe]
    sweep(mesh, rings, 4, atlas("robe"), rigid(0), lone_poles=True)
    sweep(mesh, ellipsoid_rings(HEAD_CENTRE, (0.21, 0.20, 0.20), 4), 4, atlas("head"), rigid(1), lone_poles=True)
    return mesh


class Welder:
    """CTC has its texture coordinates at the corners of triangles, so that seams need no second vertex."""

    def __init__(self):
        self.points, self.weights, self.number = [], [], {}

    def vertex(self, vertex, bone):
        place = tuple(round(x, 6) for x in vertex.position)
        if place not in self.number:
            self.number[place] = len(self.points)
            self.points.append(scale(in_game(place), UNITS))
            self.weights.append([(bone, 1)])
        return self.number[place]

    def triangle(self, mesh, corners, bone_of):
        vertices = [mesh.vertices[i] for i in reversed(corners)]
        colours = [(*UNSET, 255) if v.colour == (255, 255, 255, 255) else v.colour for v in vertices]
        return [self.vertex(v, bone_of(v)) for v in vertices], [v.uv for v in vertices], colours


def figure():
    welder, triangles, lists = Welder(), [], []
    for mesh, bone_of in ((small_body(), lambda v: max(v.weights, key=v.weights.get)), (low_tablet(), lambda v: LEFT_ARM)):
        triangles += [welder.triangle(mesh, t, bone_of) for t in mesh.triangles]
        lists.append(len(mesh.triangles))
    return Figure(welder.points, welder.weights, triangles, lists)


def with_tag(shape):
    """A triangle of its own on top of the head, in no list, to which a hat can be attached."""
    top, first = scale(in_game(add(HEAD_CENTRE, (0, 0.2, 0))), UNITS), len(shape.points)
    tag = ([first, first + 1, first + 2], [(0, 0)] * 3, [(*UNSET, 255)] * 3)
    return shape._replace(points=shape.points + [top, add(top, (1, 0, 0)), add(top, (0, 1, 0))],
                          weights=shape.weights + [[(1, 1)]] * 3, triangles=shape.triangles + [tag])


def fixed(text, size):
    return text.encode().ljust(size, b"\0")


def key(translation=(0, 0, 0), angles=(0, 0, 0)):
    return f32(*translation, *angles)


def head_in_game(bone):
    return scale(in_game(bone.head), UNITS)


def rest(bone):
    parent = (0, 0, 0) if bone.parent is None else head_in_game(BONES[bone.parent])
    return sub(head_in_game(bone), parent)


def bones():
    out = []
    for index, bone in enumerate(BONES):
        x, y, z = scale(head_in_game(bone), -1)
        children = sum(other.parent == index for other in BONES)
        out.append(u32(0 if bone.parent is None else bone.parent + 1, children, 0) + f32(*[0] * 6) + f32(*[0] * 16) +
                   f32(1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z, 0, 0, 0, 1))
    return b"".join(out)


def nod():
    frames = [key(angles=(0, 0, 0)) + key(rest(BONES[0]), (4 * a, 0, 0)) + key(rest(BONES[1]), (0, 10 * a, 0)) +
              key(rest(BONES[2]), (0, 0, 5 * a)) for a in (0, 1, -1)]
    return {"animations": (1, fixed("nod", 16) + u32(0, len(frames))), "frames": (len(frames), b"".join(frames))}


def morph(shape):
    """The head grows; morphs have the places where vertices go, not the way there."""
    centre = scale(in_game(HEAD_CENTRE), UNITS)
    moved = [i for i, weights in enumerate(shape.weights) if weights[0][0] == 1][:8]
    targets = [add(centre, scale(sub(shape.points[i], centre), 1.25)) for i in moved]
    return fixed("think", 16) + u32(len(moved), 0, 0, 0) + u32(*moved) + b"".join(f32(*t) for t in targets)


def weight_rows(weights):
    return b"STGW" + b"".join(u32(len(row)) + b"".join(u32(bone) + f32(w) for bone, w in row) for row in weights)


def surface(shape, skins):
    """The sections that every model has, as name: (count, bytes)."""
    normals = [scale(n, -1) for n in smooth_normals(shape.points, [t[0] for t in shape.triangles])]
    vertices = b"".join(f32(*p, *n) for p, n in zip(shape.points, normals))
    count = len(shape.triangles)
    return {
        "skins": (len(skins), b"".join(fixed(name, 64) for name in skins)),
        "verts": (len(shape.points), vertices),
        "output": (len(shape.points), bytes(len(vertices))),
        "tris": (count, b"".join(u16(*t[0]) for t in shape.triangles)),
        "uvs": (3 * count, b"".join(f32(*[x for uv in t[1] for x in uv]) for t in shape.triangles)),
        "lists": (len(shape.lists), u32(*shape.lists)),
        "colours": (3 * count, b"".join(bytes(c) for t in shape.triangles for c in t[2])),
    }


def skeleton(shape):
    return {"bones": (len(BONES), bones()), "weights": (1, weight_rows(shape.weights)), **nod()}


def ctc(sections, version=11, order=SECTIONS, gap=b""):
    """The file; the gap is put before every other section, and at the end."""
    body, offsets = b"", {}
    for index, name in enumerate(n for n in order if n in sections):
        body += gap * (index % 2)
        offsets[name] = 144 + len(body)
        body += sections[name][1]
    body += gap
    counts = [sections.get(name, (0,))[0] for name in COUNTS]
    frame_bytes = 24 * (sections.get("bones", (0,))[0] + 1) if "frames" in sections else 0
    return (b"SMDL" + u32(version, 256, 256, frame_bytes, *counts, *(offsets.get(name, 0) for name in SECTIONS),
                          144 + len(body)) + body)


def static():
    """Neither bones nor frames; the colours are counted in bytes."""
    sections = surface(figure(), ["scribe.tga", "scribe_light.tga"])
    return ctc(sections | {"colours": (len(sections["colours"][1]), sections["colours"][1])})


def moving():
    shape = with_tag(figure())
    return surface(shape, ["scribe.tga", "scribe_light.png"]) | skeleton(shape) | {
        "morphs": (1, morph(shape)), "attachments": (1, fixed("hat", 8) + u32(len(shape.triangles) - 1))}


def oldest():
    """With what the game's own models do not use: two bones for a vertex, substitutions and commands."""
    shape = figure()
    shared = shape._replace(weights=[[(0, 0.75), (1, 0.25)]] * 5 + shape.weights[5:])
    return surface(shape, ["scribe", "scribe_light"]) | skeleton(shared) | {
        "commands": (2, u32(1, 2)), "substitutions": (1, u32(0, 1, 0, 0, 0) + f32(0.5, 0.5)),
        "tris3": (1, bytes(40 * len(shape.triangles)))}


def files():
    shuffled = SECTIONS[::-2] + SECTIONS[::2]
    return {
        "dialects/v11.ctc": ctc(moving()),
        "dialects/v11-static.ctc": static(),
        "dialects/v8.ctc": ctc(oldest(), version=8),
        "gaps/v11-shuffled.ctc": ctc(moving(), order=shuffled, gap=b"gap!"),
    }
