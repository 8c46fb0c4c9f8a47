"""Armatures become skins: joints in the file's order, bound at the rest pose."""
import json

import numpy as np

from . import records, space
from .import_rig import AXES, HELPER, REST, inverse


class Joints:
    """The bones of an armature that are written, in order: those of the file by their numbers, new ones behind them."""

    def __init__(self, obj, deform_only, carriers=()):
        """`carriers` are the names of bones that objects hang at: they stay even if they deform nothing."""
        self.obj, armature = obj, obj.data
        bones = [b for b in armature.bones if b.use_deform or b.get(HELPER) or b.name in carriers or not deform_only]
        if not bones:
            bones = list(armature.bones)
        known = {}
        for bone in bones:
            number = bone.get("stele.joint")
            if records.source_of(armature) is not None and isinstance(number, int) and number not in known:
                known[number] = bone
        ordered = [known[i] for i in sorted(known)]
        names = {b.name for b in ordered}
        self.bones = ordered + [b for b in bones if b.name not in names]
        self.names = [b.name for b in self.bones]
        self.index = {name: i for i, name in enumerate(self.names)}
        self.parents = [self.above(bone) for bone in self.bones]
        self.rests = np.array([b.matrix_local for b in self.bones], np.float64).reshape(-1, 4, 4)
        self.own_rests, self.before = self.rests, np.eye(4)
        self.axes = np.array([self.axes_of(b) for b in self.bones]).reshape(-1, 4, 4)
        self.members = [i for i, b in enumerate(self.bones) if not b.get(HELPER)]  # of the skin: others only carry them
        self.number = {i: k for k, i in enumerate(self.members)}
        # Where each is among all bones, for values that are read of all at once
        places = {b.name: i for i, b in enumerate(obj.pose.bones)}
        self.at = np.array([places[name] for name in self.names], np.int64)

    def fold(self, world):
        """Takes the place of the armature into the joints; a mirror in it is taken out of their axes again."""
        self.before, self.rests = world, world @ self.rests
        self.axes = self.axes @ np.diag([-1.0, 1.0, 1.0, 1.0])

    def above(self, bone):
        bone = bone.parent
        while bone is not None and bone.name not in self.index:
            bone = bone.parent
        return None if bone is None else self.index[bone.name]

    @staticmethod
    def axes_of(bone):
        values = list(bone.get(AXES, ()))
        return np.array(values, np.float64).reshape(4, 4) if len(values) == 16 else np.eye(4)

    def binds(self):
        """Frames of the joints at rest, in the file's axes of the armature's space."""
        return space.BLENDER_TO_FILE @ self.rests @ self.axes

    def locals(self, poses, bases=None):
        """Matrices of the joints in those above them, for poses of any number of times: (times, joints, 4, 4)."""
        frames = space.BLENDER_TO_FILE @ self.before @ poses @ self.axes
        result = np.empty_like(frames)
        for i, parent in enumerate(self.parents):
            if parent is None:
                result[:, i] = frames[:, i]
                continue
            above = frames[:, parent]
            flat = np.abs(np.linalg.det(above)) < 1e-12
            result[:, i] = np.linalg.inv(np.where(flat[:, None, None], np.eye(4), above)) @ frames[:, i]
            if flat.any() and bases is not None:  # scaled to nothing: what is below is known by its own keys only
                offset = inverse(self.rests[parent] @ self.axes[parent]) @ self.rests[i]
                result[flat, i] = (offset @ bases[:, i] @ self.axes[i])[flat]
        return result

    def turns(self, bases):
        """Rotations of the joints by their own keys, for those that are scaled to nothing."""
        result = np.empty(bases.shape[:2] + (4,))
        for i, parent in enumerate(self.parents):
            above = space.BLENDER_TO_FILE if parent is None else inverse(self.rests[parent] @ self.axes[parent])
            offset, after = space.decompose(above @ self.rests[i])[1], space.decompose(self.axes[i])[1]
            result[:, i] = space.multiply(space.multiply(offset, bases[:, i]), after)
        return result

    def rest_locals(self):
        """Where joints are when nothing moves them: as the file had it, or the bind pose."""
        poses = self.own_rests.copy()
        bases = np.tile(np.eye(4), (len(self.bones), 1, 1))
        changed = False
        for i, bone in enumerate(self.bones):
            values = list(bone.get(REST, ()))
            if len(values) == 10:
                bases[i], changed = space.compose(values[:3], values[3:7], values[7:]), True
        if changed:
            for i in self.downwards():
                parent = self.parents[i]
                above = np.eye(4) if parent is None else poses[parent] @ inverse(self.own_rests[parent])
                poses[i] = above @ self.own_rests[i] @ bases[i]
        return self.locals(poses[None], bases[None])[0]

    def downwards(self):
        done, order = set(), []
        for i in range(len(self.bones)):
            chain = []
            while i is not None and i not in done:
                done.add(i)
                chain.append(i)
                i = self.parents[i]
            order += reversed(chain)
        return order

    def print(self):
        """What the untouched skeleton is known by, besides `numbers`."""
        limits = [[b.name, [c.type for c in b.constraints]] for b in self.obj.pose.bones if len(b.constraints)]
        drivers = len(self.obj.animation_data.drivers) if self.obj.animation_data else 0
        return json.dumps([self.names, self.parents, limits, drivers, [records.name_of(b) for b in self.bones]])

    def numbers(self):
        """The rest pose and where the armature stands: compared with a tolerance, because edit mode rounds."""
        return np.concatenate([self.own_rests.ravel(), np.array(self.obj.matrix_world, np.float64).ravel()])
