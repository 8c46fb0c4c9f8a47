"""MESH, in every dialect."""

from collections import namedtuple

from .packing import f32, u16, u32, u8
from .scribe import LOW_BONES, NO_TURN, Clip, key, four_influences, low_body, low_clip, low_tablet, sub

VERSION = 0x01
POSITION, NORMAL, UV, JOINTS = 1, 2, 4, 8
NO_JOINT = 255
IDENTITY = (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)
ABOUT_FACE = (-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1)     # half a turn around Y: the scribe looks at +Z

# How a clip is played; a speed of 0 means 25 ticks a second.
Animation = namedtuple("Animation", "clip duration speed")


def both_parts():
    """Body and tablet as one list of corners, as the format knows one mesh only, and its triangles."""
    vertices, normals, triangles = [], [], []
    for part in (low_body(), low_tablet()):
        triangles += [tuple(len(vertices) + i for i in triangle) for triangle in part.triangles]
        vertices += part.vertices
        normals += part.normals
    return vertices, normals, triangles


def skin(weights):
    """Four joints, then their weights, which sum to 255."""
    influences = [(round(255 * w), bone) for w, bone in four_influences(weights) if w]
    influences[0] = (255 - sum(w for w, _ in influences[1:]), influences[0][1])
    influences += [(0, NO_JOINT)] * (4 - len(influences))
    return u8(*(bone for _, bone in influences)) + u8(*(w for w, _ in influences))


def vertex_block(vertices, normals, format, with_joints):
    out = []
    for vertex, normal in zip(vertices, normals):
        out.append(f32(*vertex.position, *normal))
        if format & UV:
            out.append(f32(vertex.uv[0], 1 - vertex.uv[1]))     # the origin is at the bottom left
        if with_joints:
            out.append(skin(vertex.weights))
    return b"".join(out)


def joint_block(bones):
    out = []
    for index, bone in enumerate(bones):
        x, y, z = bone.head
        inverse_bind = (1, 0, 0, -x, 0, 1, 0, -y, 0, 0, 1, -z, 0, 0, 0, 1)
        out.append(u8(index, NO_JOINT if bone.parent is None else bone.parent) + f32(*inverse_bind))
    return b"".join(out)


def rest_offset(bones, index):
    bone = bones[index]
    return bone.head if bone.parent is None else sub(bone.head, bones[bone.parent].head)


def pose_block(bones, clip, pose, joint_id):
    out = []
    for index in range(len(bones)):
        k = clip.tracks[index][pose]
        position = [a + b for a, b in zip(rest_offset(bones, index), k.position)]
        x, y, z, w = k.turn
        out.append(joint_id(index) + f32(*position, w, x, y, z, *k.scale))
    return b"".join(out)


def animation_block(bones, animations, names, joint_id):
    """joint_id packs the number of a joint; None: there are no poses."""
    out = []
    for index, (clip, duration, speed) in enumerate(animations):
        out.append((u32(index) if names else b"") + f32(duration, speed))
        if joint_id:
            out += [u32(len(clip.times)), f32(*clip.times)]
            out += [pose_block(bones, clip, pose, joint_id) for pose in range(len(clip.times))]
    return b"".join(out)


def strings(animations):
    return b"".join(a.clip.name.encode() + b"\0" for a in animations)


def mesh_start(format, after_counts=b"", with_joints=True):
    """All dialects up to the indices."""
    vertices, normals, triangles = both_parts()
    indices = [i for triangle in triangles for i in triangle]
    return b"".join([u8(VERSION), u16(format), u32(len(vertices), len(indices)), u8(len(LOW_BONES)), after_counts,
                     vertex_block(vertices, normals, format, with_joints), u32(*indices)])


def dialect_files():
    still = Clip("still", [[key(turn=NO_TURN)] for _ in LOW_BONES], [0])
    animations = [Animation(low_clip(0), 3, 24), Animation(still, 25, 0)]
    count, names, joints = len(animations), strings(animations), joint_block(LOW_BONES)
    def moving(names, joint_id):
        return animation_block(LOW_BONES, animations, names, joint_id)
    bare, painted = POSITION | NORMAL | JOINTS, POSITION | NORMAL | UV | JOINTS
    return {
        "A1": mesh_start(bare, with_joints=False),
        "A2": mesh_start(bare),
        "A3": mesh_start(bare) + joints,
        "B1": mesh_start(bare, u8(count)) + joints + moving(True, None) + names,
        "B2": mesh_start(painted, u8(count)) + joints + moving(True, u32) + names,
        "B3": mesh_start(painted, u8(count)) + joints + moving(True, u8) + names,
        "C1": mesh_start(painted, u16(count) + f32(*IDENTITY)) + joints + moving(True, u8) + names,
        "C2": mesh_start(painted, u16(count) + f32(*ABOUT_FACE)) + joints + moving(False, u8),
    }


def files():
    return {f"dialects/{dialect}.mesh": data for dialect, data in dialect_files().items()}
