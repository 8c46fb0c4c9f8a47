"""SFF: both modes as the profile in docs/formats/sff.md has them, and one file for each deviation from it that is read."""

from collections import namedtuple

from .packing import f32, u16, u32
from .scribe import low_body, low_tablet

POSITIONS, NORMALS, UVS, INDICES = 1, 2, 4, 8
EVERYTHING = POSITIONS | NORMALS | UVS | INDICES

# What is written, and how it deviates.  textures: for each one (path, meshes).
Style = namedtuple("Style", "content packed flags mode geometry_end size_excludes index_bytes indices_first padded count_bytes",
                   defaults=(EVERYTHING, False, None, None, None, False, 4, False, False, 4))


def rows(mesh, content):
    """For each vertex its attributes.  SFF has the origin of uvs at the bottom left."""
    for vertex, normal in zip(mesh.vertices, mesh.normals):
        row = [vertex.position]
        row += [normal] if content & NORMALS else []
        row += [(vertex.uv[0], 1 - vertex.uv[1])] if content & UVS else []
        yield row


def attributes(mesh, style):
    vertices = list(rows(mesh, style.content))
    if not style.content & INDICES and style.index_bytes:
        vertices = [vertices[i] for triangle in mesh.triangles for i in triangle]
    order = zip(*vertices) if style.packed else vertices
    return len(vertices), b"".join(f32(*part) for group in order for part in group)


def mesh_record(mesh, textures, style):
    vertex_count, data = attributes(mesh, style)
    indices = [i for triangle in mesh.triangles for i in triangle]
    if not style.content & INDICES and style.index_bytes:
        indices = []
    packed = {4: u32, 2: u16, 0: lambda *_: b""}[style.index_bytes](*indices)
    body = packed + data if style.indices_first else data + packed
    rest = u32(vertex_count, len(indices)) + u16(len(textures), *textures) + bytes(2 * style.padded) + body
    return u32(len(rest) + 4 * (not style.size_excludes)) + rest


def texture_record(path, meshes, style):
    return u32(len(path)) + path + u32(len(meshes))[:style.count_bytes] + u16(*meshes)


def sff(meshes, textures, style=Style()):
    uses = [[t for t, (_, users) in enumerate(textures) if m in users] for m in range(len(meshes))]
    geometry = b"".join(mesh_record(mesh, use, style) for mesh, use in zip(meshes, uses))
    pictures = b"".join(texture_record(path, users, style) for path, users in textures)
    size = {None: len(geometry), "end": 14 + len(geometry), "last": 13 + len(geometry)}[style.geometry_end]
    flags = style.content if style.flags is None else style.flags
    mode = style.packed if style.mode is None else style.mode
    return u32(len(meshes), size) + u16(flags, mode, len(pictures)) + geometry + pictures


def files():
    body, tablet = low_body(), low_tablet()
    skin = [(b"scribe.png", [0, 1])]
    both = {
        "interleaved": Style(),
        "packed": Style(packed=True),
        "positions": Style(POSITIONS | INDICES),
    }
    deviations = {
        "unindexed": Style(POSITIONS | NORMALS),
        "geometry-end": Style(geometry_end="end"),
        "geometry-last": Style(geometry_end="last"),
        "size-excludes-itself": Style(size_excludes=True),
        "normals-not-flagged": Style(flags=EVERYTHING - NORMALS),
        "uvs-missing": Style(EVERYTHING - UVS, flags=EVERYTHING),
        "indices-missing": Style(EVERYTHING - UVS, index_bytes=0),
        "indices-not-flagged": Style(flags=EVERYTHING - INDICES),
        "indices-16": Style(index_bytes=2, packed=True),
        "indices-first": Style(indices_first=True),
        "padded": Style(padded=True),
        "mode-wrong": Style(mode=1),
        "mesh-count-16": Style(packed=True, count_bytes=2),
        "mesh-count-24": Style(count_bytes=3),
        "everything-else": Style(EVERYTHING - NORMALS, True, EVERYTHING, 7, "end", True, 2, True, True, 2),
    }
    made = {name: sff([body, tablet], skin, style) for name, style in both.items()}
    made |= {name: sff([tablet], [(b"scribe.png", [0])], style) for name, style in deviations.items()}
    made["path-nul"] = sff([tablet, tablet], [(b"scribe.png\0", [0, 1]), (b"scribe_n.png\0", [1])])
    return {f"dialects/{name}.sff": data for name, data in made.items()}
