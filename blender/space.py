"""Spaces, matrices and rotations, on numpy arrays of any number of them. Matrices act on columns; quaternions are w, x, y, z.

A file is Y up and Blender Z up. FILE_TO_BLENDER only swaps and negates, so that coordinates pass through it exactly."""
import numpy as np

FILE_TO_BLENDER = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]], np.float64)
BLENDER_TO_FILE = FILE_TO_BLENDER.T


def to_blender(matrix):
    """A place in the file's axes, as one in Blender's."""
    return FILE_TO_BLENDER @ matrix @ BLENDER_TO_FILE


def to_file(matrix):
    return BLENDER_TO_FILE @ matrix @ FILE_TO_BLENDER


def is_axes(matrix):
    """Whether it only swaps and negates axes without mirroring: then turning coordinates by it loses nothing."""
    turn = matrix[:3, :3]
    if np.abs(matrix[:3, 3]).max() > 0 or np.abs(turn - np.rint(turn)).max() > 1e-6:
        return False
    return (np.abs(np.rint(turn)).sum(axis=0) == 1).all() and np.linalg.det(turn) > 0


def turned(rows, matrix):
    """Points (or, with the translation left out, directions) through the matrix of an `is_axes`: no rounding."""
    whole = np.rint(matrix[:3, :3]).astype(int)
    result = np.empty_like(rows)
    for to, line in enumerate(whole):
        source = int(np.nonzero(line)[0][0])
        result[..., to] = rows[..., source] if line[source] > 0 else -rows[..., source]
    return result


def moved(points, matrix):
    """Points through any matrix, computed in double precision."""
    return (points.astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]).astype(np.float32)


def directions(normals, matrix):
    """Normals through the matrix that moves their points."""
    turn = matrix[:3, :3]
    if abs(np.linalg.det(turn)) > 1e-12:
        turn = np.linalg.inv(turn).T
    return unit(normals.astype(np.float64) @ turn.T).astype(np.float32)


def unit(rows):
    length = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.divide(rows, length, out=np.zeros_like(rows), where=length > 1e-12)


# ---- Rotations -----------------------------------------------------------------------------------------------------------

def multiply(a, b):
    aw, ax, ay, az = np.moveaxis(np.asarray(a, np.float64), -1, 0)
    bw, bx, by, bz = np.moveaxis(np.asarray(b, np.float64), -1, 0)
    return np.stack([aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by,
                     aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw], axis=-1)


def quaternion(matrices):
    """Of rotation matrices: by the greatest of four squares, so that it is exact near every angle."""
    m = np.asarray(matrices, np.float64)[..., :3, :3]
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    squares = np.stack([1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz], axis=-1)
    wx, wy, wz = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    xy, xz, yz = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
    rows = np.stack([np.stack([squares[..., 0], wx, wy, wz], -1), np.stack([wx, squares[..., 1], xy, xz], -1),
                     np.stack([wy, xy, squares[..., 2], yz], -1), np.stack([wz, xz, yz, squares[..., 3]], -1)], axis=-2)
    best = squares.argmax(axis=-1)
    return unit(np.take_along_axis(rows, best[..., None, None], axis=-2)[..., 0, :])


def rotation(quaternions):
    """The matrices, 3 by 3."""
    w, x, y, z = np.moveaxis(unit(np.asarray(quaternions, np.float64)), -1, 0)
    return np.stack([
        np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], -1),
        np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], -1),
        np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1)], -2)


def continuous(quaternions):
    """With the sign that is nearer to the one before."""
    if len(quaternions) < 2:
        return quaternions
    flips = np.where((quaternions[1:] * quaternions[:-1]).sum(axis=-1) < 0, -1.0, 1.0)
    return np.concatenate([quaternions[:1], quaternions[1:] * np.cumprod(flips)[:, None]])


def slerp(a, b, part):
    """Along the shorter arc, by rows."""
    dot = (a * b).sum(axis=-1, keepdims=True)
    b = np.where(dot < 0, -b, b)
    angle = np.arccos(np.clip(np.abs(dot), 0, 1))
    near = angle < 1e-6
    sine = np.where(near, 1, np.sin(angle))
    part = part[:, None]
    return unit(np.where(near, a + (b - a) * part, (np.sin((1 - part) * angle) * a + np.sin(part * angle) * b) / sine))


# ---- Translation, rotation and scale -------------------------------------------------------------------------------------

def compose(translation, quaternions, scale):
    translation, scale = np.asarray(translation, np.float64), np.asarray(scale, np.float64)
    result = np.zeros(translation.shape[:-1] + (4, 4))
    result[..., :3, :3] = rotation(quaternions) * scale[..., None, :]
    result[..., :3, 3] = translation
    result[..., 3, 3] = 1
    return result


def decompose(matrices, before=None):
    """Translation, quaternion, scale and the largest shear, which they leave out. An axis that is scaled to nothing takes its
    direction from the others, or from the rotation `before`."""
    m = np.asarray(matrices, np.float64)
    columns = m[..., :3, :3]
    scale = np.linalg.norm(columns, axis=-2)
    mirrored = np.linalg.det(columns) < 0
    scale = np.where(mirrored[..., None] & (np.arange(3) == 0), -scale, scale)
    empty = np.abs(scale) < 1e-9
    axes = columns / np.where(empty, 1, scale)[..., None, :]
    fallback = rotation(before) if before is not None else np.eye(3)
    lost = empty.any(axis=-1)
    axes = np.where(lost[..., None, None], fallback, axes)
    scale = np.where(empty, 0, scale)
    # The nearest rotation; where there is no shear, the axes are one already
    u, _, v = np.linalg.svd(axes)
    turn = u @ v
    turn = np.where((np.linalg.det(turn) < 0)[..., None, None], axes, turn)
    residual = np.abs(turn * scale[..., None, :] - columns)
    size = np.maximum(np.abs(scale).max(axis=-1), 1e-12)
    shear = np.where(lost, 0, residual.max(axis=(-2, -1)) / size)
    return m[..., :3, 3].copy(), quaternion(turn), scale, shear


def node_matrix(node):
    """The place of a glTF node in the node above it."""
    if "matrix" in node:
        return np.array(node["matrix"], np.float64).reshape(4, 4).T
    x, y, z, w = node.get("rotation", (0, 0, 0, 1))
    return compose(node.get("translation", (0, 0, 0)), (w, x, y, z), node.get("scale", (1, 1, 1)))
