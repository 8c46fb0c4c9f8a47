"""Meshes of Blender become primitives: triangles, a vertex split only where an attribute really differs, order kept."""
from dataclasses import dataclass, field

import numpy as np

from . import space, versions
from .import_mesh import LINES, NEAR, NORMAL, STUBBORN, TANGENT, TANGENT_SIDE, TRIANGLES

SAME_FAN = 0.003  # how far custom normals of one fan are apart after 16 bits
MOST_INFLUENCES = 8


@dataclass
class Part:
    """What one material of one object draws, in the file's axes."""
    obj: object
    slot: int
    material: object
    vertices: np.ndarray  # the vertex of the mesh that each was
    positions: np.ndarray
    indices: np.ndarray
    mode: int = TRIANGLES
    normals: np.ndarray = None
    tangents: np.ndarray = None
    uvs: list = field(default_factory=list)
    colors: list = field(default_factory=list)
    influences: tuple = None  # (joints, weights), rows of 4 or 8
    morphs: list = field(default_factory=list)  # (name, deltas)
    has_unmoved: bool = False  # some vertex has no weight
    mesh: object = None  # the datablock
    rig: object = None  # the joints that it is bound to
    evaluated: bool = False  # it went through modifiers
    corners_kept: object = None  # whether all normals are still those of the file; None: there are none of a file


def read(collection, name, components, dtype=np.float32):
    rows = np.empty(len(collection) * components, dtype)
    collection.foreach_get(name, rows)
    return rows.reshape(-1, components) if components > 1 else rows


def attribute_rows(mesh, name, field_name, components, dtype=np.float32):
    """A point attribute that the importer left, or None."""
    layer = mesh.attributes.get(name)
    if layer is None or layer.domain != "POINT" or len(layer.data) != len(mesh.vertices):
        return None
    return read(layer.data, field_name, components, dtype)


class Corners:
    """The corners of a mesh's triangles and what they carry."""

    def __init__(self, mesh):
        self.mesh = mesh
        mesh.calc_loop_triangles()
        self.points = read(mesh.vertices, "co", 3)
        self.loops = read(mesh.loop_triangles, "loops", 3, np.int32).reshape(-1, 3)
        self.slots = read(mesh.loop_triangles, "material_index", 1, np.int32)
        self.vertex_of_loop = read(mesh.loops, "vertex_index", 1, np.int32)
        self.uvs = [versions.uv_rows(layer) for layer in mesh.uv_layers]
        self.colors = versions.color_layers(mesh)
        recorded = mesh.get("stele.attributes")
        self.has_normals = recorded is None or "NORMAL" in recorded.split(",") or mesh.has_custom_normals
        self.are_kept = None  # whether all normals are still those of the file
        self.normals = self.find_normals() if len(self.loops) and self.has_normals else np.zeros((0, 3), np.float32)

    def find_normals(self):
        """By loop: the file's own where Blender still shows them, and one for each fan where it does not."""
        normals = versions.corner_normals(self.mesh)
        kept = attribute_rows(self.mesh, NORMAL, "vector", 3)
        if kept is not None:
            own = kept[self.vertex_of_loop]
            near = np.abs(normals - own).max(axis=1) < NEAR
            stubborn = attribute_rows(self.mesh, STUBBORN, "value", 1, np.int32)
            if stubborn is not None:
                near |= stubborn[self.vertex_of_loop] > 0
            near &= np.abs(own).max(axis=1) > 0
            self.are_kept = bool(near.all())
            normals = np.where(near[:, None], own, normals)
        first = np.zeros(len(self.points), np.int64)
        first[self.vertex_of_loop[::-1]] = np.arange(len(normals))[::-1]
        leading = normals[first[self.vertex_of_loop]]
        same = np.abs(normals - leading).max(axis=1) < SAME_FAN
        return np.where(same[:, None], leading, normals)

    def select(self, slot):
        """(triangles by new vertices, the loop that each new vertex takes its values from)."""
        loops = self.loops[self.slots == slot].ravel() if slot is not None else self.loops.ravel()
        vertices = self.vertex_of_loop[loops]
        first = np.full(len(self.points), -1, np.int64)
        first[vertices[::-1]] = loops[::-1]
        differs = np.zeros(len(loops), bool)
        for rows in self.by_loop():
            differs |= (rows[loops] != rows[first[vertices]]).any(axis=1)
        used = np.nonzero(first >= 0)[0]
        number = np.full(len(self.points), -1, np.int64)
        number[used] = np.arange(len(used))
        triangles, origin = number[vertices], first[used]
        if differs.any():
            at = np.nonzero(differs)[0]
            kind = self.hash(loops[at])
            _, chosen, which = np.unique(kind, return_index=True, return_inverse=True)
            order = np.argsort(chosen)  # new vertices in the order in which triangles need them
            rank = np.empty_like(order)
            rank[order] = np.arange(len(order))
            triangles[at] = len(used) + rank[which]
            origin = np.concatenate([origin, loops[at][chosen[order]]])
        return triangles.reshape(-1, 3), origin

    def by_loop(self):
        """What can differ between the corners of a vertex."""
        if self.has_normals:
            yield self.normals
        yield from self.uvs
        for _, domain, rows in self.colors:
            if domain == "CORNER":
                yield rows

    def hash(self, loops):
        """64 bits for the vertex and all values of each loop."""
        kind = self.vertex_of_loop[loops].astype(np.uint64)
        with np.errstate(over="ignore"):
            for rows in self.by_loop():
                for column in np.ascontiguousarray(rows[loops] + 0.0, np.float32).view(np.uint32).T:
                    kind = (kind ^ column) * np.uint64(0x9E3779B97F4A7C15)
                    kind ^= kind >> np.uint64(29)
        return kind


def slots_of(corners):
    return np.unique(corners.slots).tolist() if len(corners.slots) else []


def parts_of(obj, mesh, place, materials):
    """The parts of a mesh; `place` leads from its coordinates to the file's. `materials` are the object's, by slot."""
    corners = Corners(mesh)
    recorded = mesh.get("stele.attributes")
    is_as_imported = mesh.get("stele.vertices") == len(mesh.vertices)
    if not len(corners.loops):
        part = loose_part(obj, mesh, corners, place, materials)
        return ([part] if part is not None else []), corners
    parts = []
    for slot in slots_of(corners):
        triangles, loops = corners.select(slot)
        vertices = corners.vertex_of_loop[loops].astype(np.int64)
        if is_as_imported and mesh.get("stele.loose") and len(vertices) < len(mesh.vertices) and (corners.slots == slot).all():
            triangles, loops, vertices = with_loose(corners, triangles, loops, vertices)
        if is_as_imported and mesh.get("stele.triangles") == len(triangles) and "stele.degenerate" in mesh:
            triangles = with_degenerate(triangles, mesh["stele.degenerate"], len(vertices))
        part = Part(obj, slot, materials[slot] if slot < len(materials) else None, vertices,
                    corners.points[vertices], triangles.ravel(), mesh=mesh)
        if corners.has_normals:
            part.normals = corners.normals[loops]
            own = attribute_rows(mesh, NORMAL, "vector", 3)
            if own is not None and len(vertices) == len(mesh.vertices):  # those that have no corner
                loose = np.bincount(corners.vertex_of_loop, minlength=len(vertices))[vertices] == 0
                part.normals[loose] = own[vertices[loose]]
        part.uvs = [flipped(rows[loops]) for rows in corners.uvs]
        wanted = recorded.count("COLOR_") if recorded is not None and "COLOR_" in recorded else 1
        part.colors = [rows[vertices if domain == "POINT" else loops] for _, domain, rows in corners.colors[:wanted]]
        if mesh.get("stele.opaque") and part.colors and (part.colors[0][:, 3] == 1).all():
            part.colors[0] = part.colors[0][:, :3]
        tangents, sides = attribute_rows(mesh, TANGENT, "vector", 3), attribute_rows(mesh, TANGENT_SIDE, "value", 1)
        if tangents is not None and sides is not None and is_as_imported and corners.are_kept:
            part.tangents = np.column_stack([tangents, sides])[vertices]
        turn(part, place)
        parts.append(part)
    return parts, corners


def flipped(uvs):
    uvs = uvs.copy()
    uvs[:, 1] = 1 - uvs[:, 1]
    return uvs


def with_loose(corners, triangles, loops, vertices):
    """Vertices that no triangle uses, because the file has them."""
    count = len(corners.points)
    loop_of = np.zeros(count, np.int64)
    loop_of[vertices] = loops
    if len(vertices) != len(np.unique(vertices)):
        return triangles, loops, vertices
    return vertices[triangles], loop_of, np.arange(count)


def with_degenerate(triangles, kept, count):
    rows = np.array(list(kept), np.int64).reshape(-1, 4)
    if rows[:, 1:].max(initial=0) >= count:
        return triangles
    total = len(triangles) + len(rows)
    result = np.empty((total, 3), np.int64)
    is_kept = np.zeros(total, bool)
    if rows[:, 0].max(initial=0) >= total:
        return triangles
    is_kept[rows[:, 0]] = True
    result[is_kept], result[~is_kept] = rows[:, 1:], triangles
    return result


def loose_part(obj, mesh, corners, place, materials):
    """Edges or points, if the file drew those; Blender has no word for the difference."""
    mode = mesh.get("stele.mode")
    if mode is None or not len(mesh.vertices):
        return None
    indices = read(mesh.edges, "vertices", 2, np.int32).ravel() if mode == LINES else np.arange(len(mesh.vertices))
    part = Part(obj, 0, materials[0] if materials else None, np.arange(len(mesh.vertices)), corners.points,
                indices.astype(np.int64), int(mode), mesh=mesh)
    part.normals = attribute_rows(mesh, NORMAL, "vector", 3)
    part.colors = [rows for _, domain, rows in corners.colors if domain == "POINT"]
    turn(part, place)
    return part


def turn(part, place):
    """Into the file's axes; mirrored triangles are turned round."""
    if space.is_axes(place):
        part.positions = space.turned(part.positions, place)
        if part.normals is not None:
            part.normals = space.turned(part.normals, place) + 0
        if part.tangents is not None:
            part.tangents = np.column_stack([space.turned(part.tangents[:, :3], place), part.tangents[:, 3]])
        return
    part.positions = space.moved(part.positions, place)
    if part.normals is not None:
        part.normals = space.directions(part.normals, place)
    part.tangents = None
    if np.linalg.det(place[:3, :3]) < 0 and part.mode == TRIANGLES:
        part.indices = part.indices.reshape(-1, 3)[:, ::-1].ravel()


# ---- Weights -------------------------------------------------------------------------------------------------------------

def weights_of(mesh):
    """(vertex, group, weight) of every weight, by vertex and group. Blender gives them one at a time only."""
    counts = np.array([len(v.groups) for v in mesh.vertices], np.int64)
    if not counts.sum():
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32)
    pairs = np.array([(g.group, g.weight) for v in mesh.vertices for g in v.groups], np.float64)
    vertices, groups = np.repeat(np.arange(len(counts)), counts), pairs[:, 0].astype(np.int64)
    order = np.argsort(vertices * 65536 + groups, kind="stable")
    return vertices[order], groups[order], pairs[order, 1].astype(np.float32)


def bind_to_one(part, joint):
    """All of it to one joint."""
    count = len(part.positions)
    joints, weights = np.zeros((count, 4), np.int64), np.zeros((count, 4), np.float32)
    joints[:, 0], weights[:, 0] = joint, 1
    part.influences = joints, weights


def bind(part, count, weights, joint_of_group, neutral):
    """The joints and weights of the part's vertices, the heaviest first. `count` is that of the mesh's vertices; groups without
    a bone do not count. Gives how many vertices had more than can be written."""
    vertices, groups, values = weights
    table = np.append(joint_of_group, -1)
    joints = table[np.minimum(groups, len(joint_of_group))]
    used = (joints >= 0) & (values > 0)
    vertices, joints, values = vertices[used], joints[used], values[used].astype(np.float64)
    order = np.lexsort((joints, -values, vertices))
    vertices, joints, values = vertices[order], joints[order], values[order]
    starts = np.searchsorted(vertices, np.arange(count))
    rank = np.arange(len(vertices)) - starts[vertices]
    crowded = int(((rank == MOST_INFLUENCES)).sum())
    width = 8 if (rank >= 4).any() else 4
    kept = rank < width
    all_joints, all_weights = np.zeros((count, width), np.int64), np.zeros((count, width))
    all_joints[vertices[kept], rank[kept]] = joints[kept]
    all_weights[vertices[kept], rank[kept]] = values[kept]
    total = all_weights.sum(axis=1)
    unmoved = total <= 0
    off = ~unmoved & (np.abs(total - 1) > 1e-5)
    all_weights[off] /= total[off, None]
    all_joints[unmoved, 0], all_weights[unmoved, 0] = neutral, 1
    part.has_unmoved = bool(unmoved[part.vertices].any())
    part.influences = all_joints[part.vertices], all_weights[part.vertices].astype(np.float32)
    return crowded
