"""A clip of the file becomes an action for each thing that it moves, and a track of the NLA of its name."""
import bpy
import numpy as np

from . import records, space, versions

CLIP, CLIP_SHOWN = "stele.clip", "stele.clip_shown"  # on an action: the clip that it belongs to, until it is renamed
MOST_FRAMES = 100000  # of a clip that gets more keys than it has
WIDE = 0.1  # radians between two keys above which Blender's way between them is not the file's
INTERPOLATION = {"STEP": 0, "LINEAR": 1}  # Blender's numbers for CONSTANT and LINEAR
SIZES = {"translation": 3, "rotation": 4, "scale": 3}


class Curve:
    """The keys of one channel: times in frames, values, and how to go from one to the next."""

    def __init__(self, glb, sampler, path, fps):
        self.times = glb.array(sampler["input"]).astype(np.float64).ravel() * fps
        self.values = glb.array(sampler["output"]).astype(np.float64)
        self.mode = sampler.get("interpolation", "LINEAR")
        self.path = path
        if self.mode == "CUBICSPLINE":
            self.make_linear(fps)
        elif path == "rotation":
            self.values = space.continuous(space.unit(self.values[:, [3, 0, 1, 2]]))
            if self.mode == "LINEAR":
                self.fill()

    def inner_frames(self):
        if len(self.times) < 2 or self.times[-1] - self.times[0] > MOST_FRAMES:
            return self.times
        whole = np.arange(np.ceil(self.times[0]), np.floor(self.times[-1]) + 1)
        frames = np.union1d(self.times, whole)
        return frames[np.r_[True, np.diff(frames) > 1e-4]]

    def make_linear(self, fps):
        """Hermite splines, sampled at their keys and at whole frames."""
        enter, value, leave = self.values.reshape(len(self.times), 3, -1).transpose(1, 0, 2)
        frames = self.inner_frames()
        at = np.clip(np.searchsorted(self.times, frames, "right") - 1, 0, max(len(self.times) - 2, 0))
        if len(self.times) < 2:
            result = value
        else:
            span = (self.times[at + 1] - self.times[at])[:, None]
            s = (frames - self.times[at])[:, None] / span
            span = span / fps
            result = ((2 * s**3 - 3 * s**2 + 1) * value[at] + span * (s**3 - 2 * s**2 + s) * leave[at]
                      + (-2 * s**3 + 3 * s**2) * value[at + 1] + span * (s**3 - s**2) * enter[at + 1])
        self.times, self.values, self.mode = frames, result, "LINEAR"
        if self.path == "rotation":
            self.values = space.continuous(space.unit(result[:, [3, 0, 1, 2]]))

    def fill(self):
        """Between rotations that are far apart Blender cuts the corner that the file goes round: more keys on the arc."""
        if len(self.times) < 2:
            return
        dots = np.abs((self.values[1:] * self.values[:-1]).sum(axis=1))
        if not (2 * np.arccos(np.clip(dots, 0, 1)) > WIDE).any():
            return
        frames = self.inner_frames()
        at = np.clip(np.searchsorted(self.times, frames, "right") - 1, 0, len(self.times) - 2)
        part = (frames - self.times[at]) / (self.times[at + 1] - self.times[at])
        self.values = space.continuous(space.slerp(self.values[at], self.values[at + 1], np.clip(part, 0, 1)))
        self.times = frames


class Clips:
    """All clips, once the objects are there."""

    def __init__(self, model, rigs, objects, shapes, fps, text):
        self.model, self.rigs, self.objects, self.shapes = model, rigs, objects, shapes
        self.fps, self.text = fps, text
        self.joints = {joint: (rig, i) for rig in rigs for i, joint in enumerate(rig.joints) if rig.bones[i] is not None}
        self.several = {}  # joints of more than one skin
        for rig in rigs:
            for i, joint in enumerate(rig.joints):
                if rig.bones[i] is not None:
                    self.several.setdefault(joint, []).append((rig, i))
        self.lost_shear, self.last = 0.0, 0.0
        self.made = []

    def build(self):
        clips = self.model.glb.list("animations")
        moved = self.moved_channels(clips)
        for index, clip in enumerate(clips):
            self.build_clip(index, clip, moved)
        for owner in {a[0] for a in self.made}:
            first = next(action for other, action, _ in self.made if other == owner)
            versions.assign(owner, first)
        for owner, action, name in self.made:
            add_track(owner, action, name)

    def moved_channels(self, clips):
        """Every (node, path) that some clip moves."""
        return {(c["target"]["node"], c["target"]["path"]) for clip in clips for c in clip["channels"] if "node" in c["target"]}

    def build_clip(self, index, clip, moved):
        name = clip.get("name", "")
        curves = {}
        for channel in clip["channels"]:
            target = channel["target"]
            if "node" in target:
                curves[target["node"], target["path"]] = Curve(self.model.glb, clip["samplers"][channel["sampler"]],
                                                               target["path"], self.fps)
        start = min((c.times[0] for c in curves.values()), default=0.0)
        self.last = max([self.last] + [float(c.times[-1]) for c in curves.values()])
        self.clip = (index, clip, name)
        actions = {}
        for rig in self.rigs:
            self.pose_curves(rig, curves, moved, start, actions)
        for (node, path), curve in curves.items():
            if path == "weights":
                self.shape_curves(node, curve, actions)
            elif node not in self.joints and node in self.objects:
                self.object_curves(self.objects[node], path, curve, actions)

    def maker(self, owner, actions):
        """A function that adds curves to this clip's action for the owner."""
        key = owner.as_pointer()
        if key not in actions:
            index, clip, name = self.clip
            title = name or f"clip{index}"
            action = bpy.data.actions.new(title if not actions else f"{title} ({owner.name})")
            action.use_fake_user = True
            action[CLIP], action[CLIP_SHOWN] = name, action.name
            if not actions:
                records.remember_name(action, name)
            records.mark(action, self.text, index)
            records.set_extras(action, clip.get("extras", {}))
            self.made.append((owner, action, title))
            actions[key] = versions.curve_maker(action, owner)
        return actions[key]

    # ---- Bones ----

    def pose_curves(self, rig, curves, moved, start, actions):
        used = any((joint, path) in curves for i, joint in enumerate(rig.joints) if rig.bones[i] is not None for path in SIZES)
        if not used:
            return
        for i, joint in enumerate(rig.joints):
            if rig.bones[i] is None:
                continue
            present = [path for path in SIZES if (joint, path) in curves]
            absent = [path for path in SIZES if (joint, path) not in curves and (joint, path) in moved]
            if present or absent:
                self.bone_curves(rig, i, curves, absent, start, self.maker(rig.object, actions))

    def bone_curves(self, rig, i, curves, absent, start, make):
        joint, name = rig.joints[i], rig.bones[i]
        before, after = rig.ends_of(i)
        given = {path: curves.get((joint, path)) for path in SIZES}
        rest = dict(zip(("translation", "rotation", "scale"), space.decompose(self.model.locals[joint])[:3]))
        result = split_basis(before, after, given, rest) or self.joined_basis(before, after, given, rest)
        path = 'pose.bones["%s"].' % bpy.utils.escape_identifier(name)
        names = {"translation": "location", "rotation": "rotation_quaternion", "scale": "scale"}
        for which, (times, values, mode) in result.items():
            if given[which] is None and len(times) == 1:
                if which not in absent:
                    continue
                times = np.array([start])
            for k in range(values.shape[1]):
                add_keys(make(path + names[which], k, name), times, values[:, k], mode)

    def joined_basis(self, before, after, given, rest):
        """Where translation, rotation and scale mix: by matrices, at the times of all keys."""
        times = np.unique(np.concatenate([c.times for c in given.values() if c is not None] or [np.zeros(1)]))
        parts = [sample(given[path], times, rest[path]) for path in SIZES]
        place, turn, scale, shear = space.decompose(before @ space.compose(*parts) @ after)
        self.lost_shear = max(self.lost_shear, float(np.max(shear)))
        modes = {c.mode for c in given.values() if c is not None}
        mode = "STEP" if modes == {"STEP"} else "LINEAR"
        return {"translation": (times, place, mode), "rotation": (times, space.continuous(turn), mode), "scale": (times, scale, mode)}

    # ---- Objects and shapes ----

    def object_curves(self, obj, path, curve, actions):
        make = self.maker(obj, actions)
        name = {"translation": "location", "rotation": "rotation_quaternion", "scale": "scale"}[path]
        turn = space.FILE_TO_BLENDER[:3, :3]
        if path == "translation":
            values = curve.values @ turn.T
        elif path == "rotation":
            values = np.column_stack([curve.values[:, 0], curve.values[:, 1:] @ turn.T])
        else:
            values = curve.values @ np.abs(turn).T
        for k in range(values.shape[1]):
            add_keys(make(name, k, "Object Transforms"), curve.times, values[:, k], curve.mode)

    def shape_curves(self, node, curve, actions):
        for keys in self.shapes.get(node, []):
            blocks = keys.key_blocks[1:]
            values = curve.values.reshape(len(curve.times), -1)
            make = self.maker(keys, actions)
            for i, block in enumerate(blocks[:values.shape[1]]):
                path = 'key_blocks["%s"].value' % bpy.utils.escape_identifier(block.name)
                add_keys(make(path, 0, "Shape Keys"), curve.times, values[:, i], curve.mode)


def sample(curve, times, rest):
    """The values of a curve at times; at rest where there is none."""
    if curve is None:
        return np.tile(rest, (len(times), 1))
    if len(curve.times) == 1:
        return np.tile(curve.values[0], (len(times), 1))
    at = np.clip(np.searchsorted(curve.times, times, "right") - 1, 0, len(curve.times) - 2)
    part = np.clip((times - curve.times[at]) / (curve.times[at + 1] - curve.times[at]), 0, 1)
    if curve.mode == "STEP":
        part = np.floor(part)
    if curve.path == "rotation":
        return space.slerp(curve.values[at], curve.values[at + 1], part)
    return curve.values[at] + (curve.values[at + 1] - curve.values[at]) * part[:, None]


def is_rigid(matrix):
    turn = matrix[:3, :3]
    return np.abs(turn.T @ turn - np.eye(3)).max() < 1e-5 and np.linalg.det(turn) > 0


def split_basis(before, after, given, rest):
    """Translation, rotation and scale each by itself, with the keys that they have: exact, and also where a scale is 0. None if
    they cannot be told apart."""
    if not is_rigid(before) or not is_rigid(after) or np.abs(after[:3, 3]).max() > 1e-5 * max(1.0, np.abs(before[:3, 3]).max()):
        return None
    scales = given["scale"].values if given["scale"] is not None else rest["scale"][None]
    turn = after[:3, :3]
    whole = np.rint(turn)
    if np.abs(turn - whole).max() < 1e-5:
        scale_of = lambda rows: rows @ np.abs(whole)
    elif np.ptp(scales, axis=1).max() < 1e-6 * max(1.0, np.abs(scales).max()):
        scale_of = lambda rows: rows
    else:
        return None
    first, last = space.quaternion(before), space.quaternion(after)

    def rows(path):
        curve = given[path]
        if curve is None:
            return np.zeros(1), np.asarray(rest[path], np.float64)[None], "LINEAR"
        return curve.times, curve.values, curve.mode

    times, values, mode = rows("translation")
    result = {"translation": (times, values @ before[:3, :3].T + before[:3, 3], mode)}
    times, values, mode = rows("rotation")
    turned = space.continuous(space.multiply(space.multiply(first, values), last))
    if turned[0] @ np.array([1, 0, 0, 0]) < 0:
        turned = -turned
    result["rotation"] = (times, turned, mode)
    times, values, mode = rows("scale")
    result["scale"] = (times, scale_of(values), mode)
    return result


def add_keys(curve, times, values, mode):
    points = curve.keyframe_points
    points.add(len(times))
    points.foreach_set("co", np.column_stack([times, values]).astype(np.float32).ravel())
    points.foreach_set("interpolation", np.full(len(times), INTERPOLATION[mode], np.int32))
    curve.update()


def add_track(owner, action, name):
    """Muted: what is seen is the action that is assigned; a star of the track shows another."""
    data = owner.animation_data or owner.animation_data_create()
    track = data.nla_tracks.new()
    track.name = name
    try:
        strip = track.strips.new(name, int(np.floor(action.frame_range[0])), action)
        versions.assign_strip(strip, action, owner)
    except RuntimeError:  # Blender refuses strips of no length in some versions
        pass
    track.mute = True
