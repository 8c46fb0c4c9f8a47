"""A primitive of the file becomes a mesh of Blender: a vertex for each vertex, in the same order."""
import bpy
import numpy as np

from . import records, space, versions

# The file's own, by vertex: Blender keeps custom normals in 16 bits only
NORMAL, TANGENT, TANGENT_SIDE = "stele_normal", "stele_tangent", "stele_tangent_side"
STUBBORN = "stele_normal_kept"  # vertices whose normal Blender cannot hold
NEAR = 0.01  # how far a normal may be off after 16 bits
LINES, TRIANGLES = 1, 4
WEIGHTS = "stele.weights"  # on shape keys: their values where no clip moves them


def sets_of(primitive, name):
    """The accessors of NAME_0, NAME_1 and so on."""
    found = []
    while f"{name}_{len(found)}" in primitive["attributes"]:
        found.append(primitive["attributes"][f"{name}_{len(found)}"])
    return found


def indices_of(glb, primitive, count):
    if "indices" in primitive:
        return glb.array(primitive["indices"], np.int64).ravel()
    return np.arange(count)


def build(glb, primitive, name, place):
    """The mesh. `place` is a matrix from the file's coordinates to those of the object."""
    attributes = primitive["attributes"]
    points = glb.array(attributes["POSITION"]) if "POSITION" in attributes else np.zeros((0, 3), np.float32)
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(points))
    exact = space.is_axes(place)
    points = space.turned(points, place) if exact else space.moved(points, place)
    mesh.vertices.foreach_set("co", points.ravel())
    corners = add_faces(glb, mesh, primitive, len(points), np.linalg.det(place[:3, :3]) < 0)
    for i, accessor in enumerate(sets_of(primitive, "TEXCOORD")):
        if {"bufferView", "sparse"} & set(glb.json["accessors"][accessor]):  # without bytes, only the material asks for them
            add_uvs(mesh, i, glb.array(accessor), corners)
    for i, accessor in enumerate(sets_of(primitive, "COLOR")):
        add_colors(mesh, i, glb.array(accessor))
    mesh.update(calc_edges="stele.mode" not in mesh)
    if "NORMAL" in attributes:
        normals = glb.array(attributes["NORMAL"])
        add_normals(mesh, space.turned(normals, place) if exact else space.directions(normals, place), corners)
    if "TANGENT" in attributes and exact:
        tangents = glb.array(attributes["TANGENT"])
        tangents[:, :3] = space.turned(tangents[:, :3], place)
        layer = mesh.attributes.new(TANGENT, "FLOAT_VECTOR", "POINT")
        layer.data.foreach_set("vector", np.ascontiguousarray(tangents[:, :3]).ravel())
        layer = mesh.attributes.new(TANGENT_SIDE, "FLOAT", "POINT")
        layer.data.foreach_set("value", np.ascontiguousarray(tangents[:, 3]))
    mesh["stele.attributes"] = ",".join(sorted(attributes))
    mesh["stele.vertices"] = len(points)
    records.set_extras(mesh, primitive.get("extras", {}))
    return mesh


def add_faces(glb, mesh, primitive, count, mirrored):
    """Triangles, edges or nothing; gives the vertex of every corner. Triangles that name a vertex twice would be the end of
    Blender: they are only remembered."""
    indices, mode = indices_of(glb, primitive, count), primitive.get("mode", TRIANGLES)
    if mode != TRIANGLES:
        mesh["stele.mode"] = mode
        if mode == LINES:
            mesh.edges.add(len(indices) // 2)
            mesh.edges.foreach_set("vertices", indices[:len(indices) // 2 * 2].astype(np.int32))
        return np.zeros(0, np.int64)
    triangles = indices[:len(indices) // 3 * 3].reshape(-1, 3)
    if mirrored:
        triangles = triangles[:, ::-1]
    a, b, c = triangles.T
    bad = (a == b) | (b == c) | (a == c)
    if bad.any():
        at = np.nonzero(bad)[0]
        mesh["stele.degenerate"] = np.column_stack([at, triangles[bad]]).ravel().tolist()
        triangles = triangles[~bad]
    mesh["stele.triangles"] = len(triangles)
    if np.bincount(triangles.ravel(), minlength=count).min(initial=1) == 0:
        mesh["stele.loose"] = True
    corners = np.ascontiguousarray(triangles.ravel(), np.int32)
    mesh.loops.add(len(corners))
    mesh.loops.foreach_set("vertex_index", corners)
    mesh.polygons.add(len(triangles))
    mesh.polygons.foreach_set("loop_start", np.arange(0, len(corners), 3, dtype=np.int32))
    mesh.polygons.foreach_set("loop_total", np.full(len(triangles), 3, np.int32))
    if "NORMAL" in primitive["attributes"]:
        mesh.polygons.foreach_set("use_smooth", np.ones(len(triangles), bool))
    return corners


def add_uvs(mesh, number, rows, corners):
    layer = mesh.uv_layers.new(name="UVMap" if number == 0 else f"UVMap.{number:03d}", do_init=False)
    if layer is None:  # Blender has eight
        return
    rows[:, 1] = 1 - rows[:, 1]
    versions.set_uv_rows(layer, rows[corners])


def add_colors(mesh, number, rows):
    if rows.shape[1] == 3:
        rows = np.column_stack([rows, np.ones(len(rows), np.float32)])
        mesh["stele.opaque"] = True
    layer = versions.new_color_layer(mesh, "Color" if number == 0 else f"Color.{number:03d}")
    layer.data.foreach_set("color", np.ascontiguousarray(rows, np.float32).ravel())


def add_normals(mesh, normals, corners):
    """Custom normals, and the file's own beside them."""
    normals = normals + 0  # no -0
    layer = mesh.attributes.new(NORMAL, "FLOAT_VECTOR", "POINT")
    layer.data.foreach_set("vector", np.ascontiguousarray(normals, np.float32).ravel())
    if not len(corners):
        return
    versions.set_normals(mesh, normals)
    shown = versions.corner_normals(mesh)
    off = np.abs(shown - normals[corners]).max(axis=1) > NEAR
    if off.any():
        stubborn = np.zeros(len(normals), np.int32)
        stubborn[corners[off]] = 1
        layer = mesh.attributes.new(STUBBORN, "INT", "POINT")
        layer.data.foreach_set("value", stubborn)


def add_morphs(glb, obj, primitive, names, weights, place):
    targets = primitive.get("targets", [])
    if not targets:
        return
    count = len(obj.data.vertices)
    rest = np.empty(3 * count, np.float32)
    obj.data.vertices.foreach_get("co", rest)
    obj.shape_key_add(name="Basis", from_mix=False)
    for i, target in enumerate(targets):
        key = obj.shape_key_add(name=names[i] if i < len(names) and names[i] else f"morph{i}", from_mix=False)
        if "POSITION" in target:
            deltas = glb.array(target["POSITION"]).astype(np.float64) @ place[:3, :3].T
            key.data.foreach_set("co", (rest.reshape(-1, 3) + deltas).astype(np.float32).ravel())
        key.slider_min, key.slider_max = -10, 10  # a file's weights know no limits
        key.value = weights[i] if i < len(weights) else 0
    obj.data.shape_keys[WEIGHTS] = [b.value for b in obj.data.shape_keys.key_blocks]


def influences_of(glb, primitive):
    """(vertex, joint, weight) of all that have one, in this order; a joint that a vertex names twice counts once."""
    joints = [glb.array(a, np.int64) for a in sets_of(primitive, "JOINTS")]
    weights = [glb.array(a) for a in sets_of(primitive, "WEIGHTS")]
    if not joints or not weights:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32)
    joints, weights = np.hstack(joints), np.hstack(weights)
    vertices = np.repeat(np.arange(len(joints)), joints.shape[1])
    joints, weights = joints.ravel(), weights.ravel()
    there = weights > 0
    vertices, joints, weights = vertices[there], joints[there], weights[there]
    pair, at = np.unique(vertices * 65536 + joints, return_inverse=True)
    total = np.zeros(len(pair))
    np.add.at(total, at, weights)
    return pair // 65536, pair % 65536, np.minimum(total, 1).astype(np.float32)


def add_weights(obj, group_names, influences):
    """Vertex groups, one for each joint; `group_names` has None for a joint that is no bone. Vertices of one weight are added
    at once: there is no call that takes many weights."""
    groups = [obj.vertex_groups.new(name=name) if name is not None else None for name in group_names]
    vertices, joints, weights = influences
    order = np.lexsort((weights, joints))
    vertices, joints, weights = vertices[order], joints[order], weights[order]
    if not len(vertices):
        return
    starts = np.nonzero(np.r_[True, (np.diff(joints) != 0) | (np.diff(weights) != 0)])[0].tolist()
    ends = starts[1:] + [len(vertices)]
    vertices = vertices.tolist()
    for start, end, joint, weight in zip(starts, ends, joints[starts].tolist(), weights[starts].tolist()):
        if groups[joint] is not None:
            groups[joint].add(vertices[start:end], weight, "REPLACE")
