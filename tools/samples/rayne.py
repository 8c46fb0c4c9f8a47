"""SGM and SGA, in every dialect."""

from collections import namedtuple

from .packing import f32, u16, u32, u8
from .scribe import (BONES, LOW_BONES, NO_TURN, build_body, build_stylus, build_tablet, four_influences, idle, low_body,
                     low_clip, low_tablet, make_clip, mesh_tangents, paint_atlas, png, shrink, walk, write)

SGM_MAGIC, SGA_MAGIC = 352658064, 383405658


def string(text):
    body = text.encode() + b"\0"
    return u16(len(body)) + body


def sga(skeleton, bones, clips, prototype=False):
    out = [u32(SGA_MAGIC), u8(1), string(skeleton), u16(len(bones))]
    for index, bone in enumerate(bones):
        children = [i for i, other in enumerate(bones) if other.parent == index]
        out += [string(bone.name), f32(*bone.head)]
        if prototype:
            out.append(f32(*NO_TURN))
        out += [u8(bone.parent is None), u16(len(children)), u16(*children)]
    out.append(u16(len(clips)))
    for clip in clips:
        out += [string(clip.name), u16(len(clip.tracks))]
        for index, track in enumerate(clip.tracks):
            out += [u16(index), u32(len(track))]
            out += [f32(time, *k.position, *k.scale, *k.turn) for time, k in zip(clip.times, track)]
    return b"".join(out)


# What a material says; textures: for each uv set a list of (hint, name).  colours: (hint, rgba).
Material = namedtuple("Material", "textures colours")
# What of a mesh is written, and how.
Layout = namedtuple("Layout", "uv_sets colours tangents bones", defaults=(0, False, False, False))


# Old exporters wrote vertex colours as they were picked, the current one raises them to 2.2.
def linear(colour):
    return tuple((c / 255) ** 2.2 for c in colour)


def encoded(colour):
    return tuple(c / 255 for c in colour)


def light_uv(position):
    """The second uv set: seen from the front, for a light map."""
    return 0.5 - position[0] / 1.2, 1 - position[1] / 1.2


def vertex_floats(mesh, layout, colour_space, bone_number):
    tangents = mesh_tangents(mesh) if layout.tangents else None
    for index, (vertex, normal) in enumerate(zip(mesh.vertices, mesh.normals)):
        row = [*vertex.position, *normal]
        row += [*vertex.uv, *light_uv(vertex.position)][:2 * layout.uv_sets]
        if layout.colours:
            row += colour_space(vertex.colour)
        if layout.tangents:
            row += tangents[index]
        if layout.bones:
            influences = four_influences(vertex.weights)
            row += [w for w, _ in influences] + [bone_number(b) if w else 0 for w, b in influences]
        yield row


def plain_material(index, material):
    """Before version 3: names only, the n-th texture belongs to the n-th uv set."""
    names = [name for textures in material.textures for _, name in textures]
    return u8(index, len(names)) + b"".join(map(string, names))


def v3_material(index, material, omit_colours=False):
    out = [u8(index, len(material.textures))]
    for textures in material.textures:
        out.append(u8(len(textures)))
        out += [u8(hint) + string(name) for hint, name in textures]
    if not omit_colours:
        out.append(u8(len(material.colours)))
        out += [u8(hint) + f32(*rgba) for hint, rgba in material.colours]
    return b"".join(out)


def trailer(animation):
    return u8(1) + string(animation) if animation else u8(0)


def vertex_block(mesh, layout, colour_space, bone_number=int):
    return b"".join(f32(*row) for row in vertex_floats(mesh, layout, colour_space, bone_number))


def flat_indices(mesh):
    return [i for triangle in mesh.triangles for i in triangle]


def v0_mesh(index, mesh, layout, tangent_byte, bones_byte):
    out = [u8(index, index), u16(len(mesh.vertices)), u8(layout.uv_sets, 4 * layout.colours)]
    if tangent_byte:
        out.append(u8(layout.tangents))
    if bones_byte:
        out.append(u8(layout.bones))
    indices = flat_indices(mesh)
    out += [vertex_block(mesh, layout, encoded), u16(len(indices)), u16(*indices)]
    return b"".join(out)


def v0_file(model, tangent_byte=True, bones_byte=False):
    out = [u8(0, len(model))]
    out += [plain_material(i, material) for i, (_, _, material) in enumerate(model)]
    out.append(u8(len(model)))
    out += [v0_mesh(i, mesh, layout, tangent_byte, bones_byte) for i, (mesh, layout, _) in enumerate(model)]
    return b"".join(out)


def bone_map(mesh):
    """The bones a mesh uses, rotated so that a long map is neither the identity nor its own inverse."""
    used = sorted({b for vertex in mesh.vertices for w, b in four_influences(vertex.weights) if w})
    return used[2:] + used[:2]


def premagic_mesh(index, mesh, layout, mapped):
    bones = bone_map(mesh) if layout.bones else []
    out = [u8(index, index), u16(len(mesh.vertices)),
           u8(layout.uv_sets, 4 * layout.colours, layout.tangents, len(bones)), u16(*bones)]
    indices = flat_indices(mesh)
    out.append(vertex_block(mesh, layout, encoded, bones.index if mapped else int))
    out += [u16(len(indices)) if mapped else u32(len(indices)), u16(*indices)]
    return b"".join(out)


def premagic_file(model, animation, mapped):
    """v1a (vertex bones go through the map, short index count) or v1b (they do not, long count)."""
    out = [u8(1, len(model))]
    out += [plain_material(i, material) for i, (_, _, material) in enumerate(model)]
    out.append(u8(len(model)))
    out += [premagic_mesh(i, mesh, layout, mapped) for i, (mesh, layout, _) in enumerate(model)]
    return b"".join(out) + trailer(animation)


def magic_mesh(index, mesh, layout, version, index_size, colour_space):
    count = u16(len(mesh.vertices)) if version == 1 else u32(len(mesh.vertices))
    indices = flat_indices(mesh)
    return b"".join([
        u8(index, index), count, u8(layout.uv_sets, 4 * layout.colours, layout.tangents, layout.bones),
        vertex_block(mesh, layout, colour_space),
        u32(len(indices)), u8(index_size), u16(*indices) if index_size == 2 else u32(*indices),
    ])


def magic_file(model, version, animation, index_size=2, colour_space=linear, omit_colours=False):
    out = [u32(SGM_MAGIC), u8(version, len(model))]
    for i, (_, _, material) in enumerate(model):
        out.append(v3_material(i, material, omit_colours) if version == 3 else plain_material(i, material))
    out.append(u8(len(model)))
    out += [magic_mesh(i, mesh, layout, version, index_size, colour_space)
            for i, (mesh, layout, _) in enumerate(model)]
    return b"".join(out) + trailer(animation)


WHITE_LINEAR = (1, 1, 1, 1)
SKIN_AND_LIGHT = Material([[(0, "scribe.png")], [(0, "scribe_light.png")]], [(0, WHITE_LINEAR)])
SKIN_ONLY = Material([[(0, "scribe.png")]], [(0, WHITE_LINEAR)])
ANY_SKIN = SKIN_ONLY._replace(textures=[[(0, "scribe.*")]])
SKIN_AND_BUMPS = Material([[(0, "scribe.png"), (1, "scribe_n.png")]], [(0, WHITE_LINEAR), (4, (0, 0, 0, 1))])
EVERYTHING = Material([[(0, "scribe.png"), (1, "scribe_n.png")], [(4, "scribe_light.png")]],
                      [(0, (0.8, 0.8, 0.8, 1)), (2, (0.5, 0.5, 0.5, 1)), (3, (0.75, 0.75, 0.75, 1)),
                       (4, (0.02, 0.01, 0, 1))])
BARE = Material([], [(0, WHITE_LINEAR)])


def dialect_files():
    body, tablet = low_body(), low_tablet()
    def model(material, uv_sets, tangents=False, bones=True):
        return [(body, Layout(uv_sets, False, tangents, bones), material),
                (tablet, Layout(0, True, False, bones), BARE)]
    return {
        "v0a.sgm": v0_file(model(SKIN_ONLY, 1, bones=False), tangent_byte=False),
        "v0.sgm": v0_file(model(SKIN_AND_LIGHT, 2, tangents=True, bones=False)),
        "v0b.sgm": v0_file(model(SKIN_ONLY, 1, tangents=True), bones_byte=True),
        "v1a.sgm": premagic_file(model(SKIN_ONLY, 1, tangents=True), "v1.sga", mapped=True),
        "v1b.sgm": premagic_file(model(SKIN_AND_LIGHT, 2), "prototype.sga", mapped=False),
        "v1.sgm": magic_file(model(SKIN_AND_LIGHT, 2), 1, "v1.sga", colour_space=encoded),
        "v2.sgm": magic_file(model(ANY_SKIN, 1, tangents=True), 2, None, colour_space=encoded),
        "v3.sgm": magic_file(model(SKIN_AND_BUMPS, 1, tangents=True), 3, "v1.sga"),
        "v3-nocolor.sgm": magic_file(model(BARE, 1), 3, None, colour_space=encoded, omit_colours=True),
        "v3-wide.sgm": magic_file(model(EVERYTHING, 2, tangents=True), 3, "v1.sga", index_size=4),
        "v1.sga": sga("scribe", LOW_BONES, [low_clip(0)]),
        "prototype.sga": sga("scribe", LOW_BONES, [low_clip(1)], prototype=True),
        "scribe_n.png": png([[(128, 128, 255)] * 8] * 8),
        "scribe_light.png": png([[(255 - 16 * y,) * 3] * 8 for y in range(8)]),
    }


def scribe_files(texture):
    skin = Layout(uv_sets=1, bones=True)
    painted = Layout(colours=True, bones=True)
    model = [(build_body(), skin, SKIN_ONLY), (build_tablet(), painted, BARE), (build_stylus(), painted, BARE)]
    clips = [make_clip("idle", idle, 48), make_clip("walk", walk, 24), make_clip("write", write, 36)]
    return {
        "scribe.sgm": magic_file(model, 3, "scribe.sga"),
        "scribe.sga": sga("scribe", BONES, clips),
        "scribe.png": png(texture),
    }


def files():
    texture = paint_atlas()
    dialects = dialect_files() | {"scribe.png": png(shrink(texture, 2))}
    return scribe_files(texture) | {"dialects/" + name: data for name, data in dialects.items()}
