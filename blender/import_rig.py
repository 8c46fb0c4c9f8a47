"""A skin of the file becomes an armature whose rest pose is the bind pose.

    J   a joint's frame at bind, in the armature's space (columns are the file's axes)
    M   the bone's rest matrix: the same head; its Y points along the bone
    Q   M^-1 J, remembered as `stele.axes`: how the joint's frame lies in the bone's

A pose P of the bone is then J(t) Q^-1 for any M, so bones may point wherever it suits: to their children where that is exact. Where
a clip scales a joint unevenly or the bind pose is scaled, turned axes would make shear of it, and the bone lies on the file's axes."""
import bpy
import mathutils
import numpy as np

from . import command, records, space

FARTHEST = 1e9
AXES, REST, HELPER = "stele.axes", "stele.rest", "stele.helper"


class Rig:
    """A skin while it is imported."""

    def __init__(self, model, skin):
        self.model, self.skin = model, skin
        described = model.glb.json["skins"][skin]
        self.joints = list(described["joints"])
        binds = model.glb.array(described["inverseBindMatrices"]).astype(np.float64).reshape(-1, 4, 4).transpose(0, 2, 1) \
            if "inverseBindMatrices" in described else np.tile(np.eye(4), (len(self.joints), 1, 1))
        self.neutral = self.find_neutral(binds)
        self.skin_count = len(self.joints)
        self.joints += self.find_helpers()
        members = set(self.joints)
        self.parents = [self.joint_above(joint, members) for joint in self.joints]
        root = next(i for i in range(self.skin_count) if self.parents[i] is None or self.parents[i] >= self.skin_count)
        self.find_space(model.rest[self.joints[root]] @ binds[root])
        self.frames = [self.place @ inverse(bind) for bind in binds]
        self.frames += [inverse(self.stand) @ space.FILE_TO_BLENDER @ model.rest[joint] for joint in self.joints[self.skin_count:]]
        heads = np.array([frame[:3] for frame in self.frames])
        if not np.isfinite(heads).all() or np.abs(heads).max() > FARTHEST:
            raise command.Failure("its joints are farther away than Blender can place bones")
        self.object = None
        self.bones = [None] * len(self.joints)  # names

    def find_helpers(self):
        """Nodes above joints that a clip moves, with what is between: bones too, but not of the skin."""
        found, members = [], set(self.joints)
        for joint in self.joints:
            chain, node = [], self.model.parents[joint]
            while node is not None and node not in members:
                chain.append(node)
                if node in self.model.animated:
                    found += [n for n in chain if n not in found]
                node = self.model.parents[node]
        return found

    def find_neutral(self, binds):
        """The joint that Stele adds for vertices that nothing moves: for Blender they just have no group."""
        last = len(self.joints) - 1
        node = self.model.nodes[self.joints[last]]
        plain = node.get("name") == "neutral" and "children" not in node and np.allclose(binds[last], np.eye(4))
        return last if last and plain and self.model.has_neutral else None

    def joint_above(self, node, members):
        """The position of the nearest joint of this skin above a node."""
        node = self.model.parents[node]
        while node is not None and node not in members:
            node = self.model.parents[node]
        return None if node is None else self.joints.index(node)

    def find_space(self, world):
        """Where vertices go (`place`, from the file's mesh to the armature) and where the armature stands (`stand`). A turn that
        only swaps axes is applied to the vertices, so that the armature has no place of its own."""
        shear = space.decompose(world)[3]
        if space.is_axes(world) or shear > 1e-5:
            self.place, self.stand = space.FILE_TO_BLENDER @ world, np.eye(4)
        else:
            self.place, self.stand = space.FILE_TO_BLENDER, space.to_blender(world)

    def is_bone(self, i):
        return i != self.neutral

    # ---- Bones ----

    def directions(self):
        """For each joint (direction or None, length): None lies on the file's axes."""
        heads = np.array([frame[:3, 3] for frame in self.frames])
        size = float(np.linalg.norm(np.ptp(heads, axis=0))) or self.model.size or 1.0
        children = {}
        for i, parent in enumerate(self.parents):
            if self.is_bone(i):
                children.setdefault(parent, []).append(i)
        found = [None] * len(self.joints)
        for i in self.downwards():
            below = [heads[k] - heads[i] for k in children.get(i, [])]
            below = [way for way in below if np.linalg.norm(way) > 1e-4 * size]
            way = np.mean(below, axis=0) if below else None
            length = float(np.linalg.norm(way)) if way is not None else 0
            if length <= 1e-4 * size:
                parent = self.parents[i]
                way = found[parent][0] if parent is not None else None
                length = 0.5 * found[parent][1] if parent is not None else 0.1 * size
                length = max(length, 0.01 * size)
            found[i] = (way, length)
        return [(way if way is not None and self.may_turn(i) else None, length) for i, (way, length) in enumerate(found)]

    def may_turn(self, i):
        turn = self.frames[i][:3, :3]
        rigid = np.abs(turn.T @ turn - np.eye(3)).max() < 1e-5 and np.linalg.det(turn) > 0
        return rigid and self.joints[i] not in self.model.uneven

    def downwards(self):
        """Joints after those above them."""
        done, order = set(), []
        for i in range(len(self.joints)):
            chain = []
            while i is not None and i not in done:
                chain.append(i)
                done.add(i)
                i = self.parents[i]
            order += reversed(chain)
        return order

    def build(self, name, collection, text):
        described = self.model.glb.json["skins"][self.skin]
        armature = bpy.data.armatures.new(name)
        self.object = bpy.data.objects.new(name, armature)
        records.remember_name(self.object, name)
        self.object.show_in_front = True
        collection.objects.link(self.object)
        self.object.matrix_world = stand_as_list(self.stand)
        records.set_extras(armature, described.get("extras", {}))
        armature["stele.skin"] = described.get("name", "")
        view_layer = bpy.context.view_layer
        view_layer.objects.active = self.object
        bpy.ops.object.mode_set(mode="EDIT")
        try:
            self.add_bones(armature.edit_bones)
        finally:
            bpy.ops.object.mode_set(mode="OBJECT")
        self.read_back(armature)
        records.mark(armature, text, self.skin)

    def add_bones(self, edit_bones):
        made, ways = {}, self.directions()
        for i in self.downwards():
            if not self.is_bone(i):
                continue
            frame, (way, length) = self.frames[i], ways[i]
            bone = edit_bones.new(self.model.nodes[self.joints[i]].get("name") or f"joint{i}")
            axes = space.unit(frame[:3, :3].T)
            direction = axes[1] if way is None else space.unit(way)
            if not np.abs(direction).max() > 0:
                direction = np.array([0.0, 0.0, 1.0])
            bone.head = frame[:3, 3]
            bone.tail = frame[:3, 3] + direction * length
            if way is None:
                bone.align_roll(axes[2])
            if self.parents[i] is not None:
                bone.parent = made[self.parents[i]]
            made[i] = bone
        for i, bone in made.items():
            self.bones[i] = bone.name

    def read_back(self, armature):
        """What Blender made of head, tail and roll is what counts; and which bone is which joint."""
        self.rests = [None] * len(self.joints)
        self.turns = [None] * len(self.joints)
        for i, name in enumerate(self.bones):
            if name is None:
                continue
            bone = armature.bones[name]
            self.rests[i] = np.array(bone.matrix_local, np.float64)
            self.turns[i] = np.linalg.inv(self.rests[i]) @ self.frames[i]
            bone["stele.joint"] = i
            if i >= self.skin_count:
                bone[HELPER] = True
                bone.use_deform = False
            bone[AXES] = self.turns[i].ravel().tolist()
            node = self.model.nodes[self.joints[i]]
            records.remember_name(bone, node.get("name", ""))
            records.set_extras(bone, node.get("extras", {}))

    # ---- Poses ----

    def ends_of(self, i):
        """(before, after): the bone's basis is before @ local @ after, for the joint's local matrix at any time."""
        joint, parent = self.joints[i], self.parents[i]
        between, node = np.eye(4), self.model.parents[joint]
        top = None if parent is None else self.joints[parent]
        while node is not None and node != top:
            between = self.model.locals[node] @ between
            node = self.model.parents[node]
        above = self.frames[parent] if parent is not None else inverse(self.stand) @ space.FILE_TO_BLENDER
        return inverse(self.rests[i]) @ above @ between, inverse(self.turns[i])

    def pose(self):
        """The file's rest pose, where that is not the bind pose."""
        for i, name in enumerate(self.bones):
            if name is None:
                continue
            bone = self.object.pose.bones[name]
            bone.rotation_mode = "QUATERNION"
            before, after = self.ends_of(i)
            basis = before @ self.model.locals[self.joints[i]] @ after
            if np.abs(basis - np.eye(4)).max() > 2e-6 * max(1.0, np.abs(basis[:3, 3]).max()):
                place, turn, scale, _ = space.decompose(basis)
                bone.location, bone.rotation_quaternion, bone.scale = place, turn, scale
                self.object.data.bones[name][REST] = [*place, *turn, *scale]


def inverse(matrix):
    """Of a place; a joint that is bound flat has none, and the nearest stands in for it."""
    try:
        return np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return np.linalg.pinv(matrix)


def stand_as_list(matrix):
    return mathutils.Matrix(matrix.tolist())
