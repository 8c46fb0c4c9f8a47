"""TWM, in every version, with the defects of its writers and one of the other readings of its document."""

from .packing import f32, f64, u32, u64, u8
from .scribe import LOW_BONES, cross, low_body, low_clip, low_tablet, mesh_tangents

FOOTER = b".twm END OF FILE"


def header(version, meshes, skeleton):
    return b".twm" + u32(version, meshes) + u8(skeleton, 0, 0, 0)


def translation(x, y, z):
    """Column-major, as the engine stores its matrices: the translation comes last."""
    return (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1)


def skeleton(gap=True):
    out = [u32(len(LOW_BONES))]
    for bone in LOW_BONES:
        out += [u32(bone.parent or 0), u32(0) if gap else b"", f32(*translation(*(-c for c in bone.head)))]
    return b"".join(out)


def count(version, number):
    return u32(number) if version == 3 else u64(number)


def attributes(mesh, uvs, tangents):
    out = [f32(*v.position) for v in mesh.vertices] + [f32(*n) for n in mesh.normals]
    if uvs:
        out += [f32(*v.uv) for v in mesh.vertices]
    if tangents:
        sides = [(t[:3], tuple(t[3] * c for c in cross(n, t[:3]))) for t, n in zip(mesh_tangents(mesh), mesh.normals)]
        out += [f32(*t) for t, _ in sides] + [f32(*b) for _, b in sides]
    return out


def mesh_bytes(version, mesh, uvs=True, tangents=False, deformer=False, uv_bytes=None, index_bytes=None):
    flags = u8(1, uvs or uv_bytes is not None, tangents, tangents, deformer, 0, 0, 0)
    out = [count(version, len(mesh.vertices)), flags, *attributes(mesh, uvs, tangents)]
    if uv_bytes is not None:
        out.append(uv_bytes)
    indices = [i for triangle in mesh.triangles for i in triangle]
    out.append(count(version, len(indices)))
    wide = version <= 1
    out.append(index_bytes(indices) if index_bytes else (u64 if wide else u32)(*indices))
    return b"".join(out)


def clusters(mesh):
    out = []
    for vertex in mesh.vertices:
        out.append(u64(len(vertex.weights)))
        total = sum(vertex.weights.values())
        out += [u32(bone) + f64(weight / total) for bone, weight in sorted(vertex.weights.items())]
    return b"".join(out)


def rest_offset(index):
    bone = LOW_BONES[index]
    parent = LOW_BONES[bone.parent].head if bone.parent is not None else (0, 0, 0)
    return [a - b for a, b in zip(bone.head, parent)]


def animations():
    clip = low_clip(0)
    out = [u32(1)]
    for index, track in enumerate(clip.tracks):
        out.append(u32(len(track)))
        for time, k in zip(clip.times, track):
            place = [a + b for a, b in zip(rest_offset(index), k.position)]
            out += [u32(int(time * 250)), f32(*place), f32(*k.scale), f32(*k.turn)]
    return b"".join(out)


def literal_block(data):
    """A valid LZ4 block that is one run of literals."""
    extra = len(data) - 15
    return b"\xf0" + b"\xff" * (extra // 255) + u8(extra % 255) + data


def half(indices):
    """What the first writer copied: as many bytes as 32-bit indices have, from an array of 64-bit ones."""
    return u64(*indices)[:4 * len(indices)]


def three_floats(mesh):
    """What the third writer copied: the first two thirds of an array of three floats a vertex."""
    return b"".join(f32(*v.uv, 0) for v in mesh.vertices)[:8 * len(mesh.vertices)]


def files():
    body, tablet = low_body(), low_tablet()
    none, end = u32(0), FOOTER
    v0 = header(0, 1, 1) + mesh_bytes(0, body, uvs=False, index_bytes=half) + none + end
    v1 = header(1, 2, 0) + mesh_bytes(1, body) + mesh_bytes(1, tablet, uvs=False) + none + end
    v2 = header(2, 2, 1) + mesh_bytes(2, body, tangents=True) + mesh_bytes(2, tablet, uvs=False) + none + end
    v3 = (header(3, 2, 1) + skeleton() + mesh_bytes(3, body, deformer=True) + mesh_bytes(3, tablet, deformer=True)
          + clusters(body) + clusters(tablet) + animations() + end)
    other = (header(3, 2, 1) + skeleton(gap=False) + mesh_bytes(3, body, uvs=False, deformer=True) + clusters(body)
             + mesh_bytes(3, tablet, deformer=False) + none + end)
    uv = header(3, 1, 0) + mesh_bytes(3, body, uvs=False, uv_bytes=three_floats(body)) + none + end
    made = {"v0": u64(len(v0)) + literal_block(v0), "v1": v1, "v2": v2, "v3": v3, "v3-68": other, "v3-uv": uv}
    return {f"dialects/{name}.twm": data for name, data in made.items()}
