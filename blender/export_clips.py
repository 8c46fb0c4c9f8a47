"""Actions and strips of the NLA become clips, each once, sampled from what the scene shows: pose matrices, places of objects, values of
shape keys. So constraints, drivers and every kind of rotation are in it."""
import re
from dataclasses import dataclass, field

import bpy
import numpy as np

from . import records, versions
from .import_clips import CLIP, CLIP_SHOWN

BONE = re.compile(r'^pose\.bones\["((?:[^"\\]|\\.)*)"\]')
LINEAR_OR_STEP = {0, 1}


@dataclass
class Play:
    """An action as a clip plays it: times of the clip in frames, and the frames of the action that are shown then."""
    owner: object
    action: object
    start: float
    end: float
    strip: object = None

    def frame_at(self, time):
        if self.strip is None:
            return time
        first, last = self.strip.action_frame_start, self.strip.action_frame_end
        span = max(last - first, 1e-6)
        local = time / self.strip.scale
        local = span if local >= span * self.strip.repeat - 1e-6 else local % span
        return last - local if self.strip.use_reverse else first + local


@dataclass
class Clip:
    name: str
    plays: list = field(default_factory=list)
    order: tuple = ()
    imported: bool = False


def curves_of(action, owner):
    """The curves that move something: not those of bones that are not there."""
    return [curve for curve in versions.curves(action, owner) if not is_lost(curve, owner)]


def is_lost(curve, owner):
    found = BONE.match(curve.data_path)
    return bool(found) and isinstance(owner, bpy.types.Object) and (
        owner.type != "ARMATURE" or bpy.utils.unescape_identifier(found[1]) not in owner.pose.bones)


def key_times(curves):
    times = [np.empty(0)]
    for curve in curves:
        points = np.empty(2 * len(curve.keyframe_points), np.float32)
        curve.keyframe_points.foreach_get("co", points)
        times.append(points[::2].astype(np.float64))
    return np.unique(np.concatenate(times))


def interpolations(curves):
    found = set()
    for curve in curves:
        kinds = np.empty(len(curve.keyframe_points), np.int32)
        curve.keyframe_points.foreach_get("interpolation", kinds)
        found |= set(kinds[:-1].tolist()) or set(kinds.tolist())
        if len(curve.modifiers):
            found.add(-1)
    return found


def strips_of(owner):
    data = owner.animation_data
    for track in data.nla_tracks if data else ():
        for strip in track.strips:
            if strip.type == "CLIP" and strip.action is not None:
                yield track, strip


def is_plain(strip, times):
    """Whether a strip shows its action as it is."""
    if strip.use_reverse or abs(strip.scale - 1) > 1e-6 or abs(strip.repeat - 1) > 1e-6:
        return False
    if CLIP in strip.action:
        return True
    return len(times) < 2 or (abs(strip.action_frame_start - times[0]) < 1e-3 and abs(strip.action_frame_end - times[-1]) < 1e-3)


def fits(action, owner):
    """Whether an action that nobody uses could move the owner: a curve of it finds its bone or shape key."""
    if not versions.moves(action, owner):
        return False
    for curve in versions.curves(action):
        if isinstance(owner, bpy.types.Key):
            if curve.data_path.startswith("key_blocks["):
                try:
                    owner.path_resolve(curve.data_path)
                    return True
                except ValueError:
                    pass
            continue
        found = BONE.match(curve.data_path)
        if found and owner.type == "ARMATURE" and bpy.utils.unescape_identifier(found[1]) in owner.pose.bones:
            return True
    return False


def is_as_imported(action):
    """It has the clip's name as long as nobody renamed it."""
    return CLIP in action and action.get(CLIP_SHOWN) == action.name


class Collector:
    """Which clips there are."""

    def __init__(self, owners, mode):
        self.owners, self.mode, self.clips = owners, mode, {}

    def collect(self):
        used = {}
        for owner in self.owners:
            for action in self.actions_used(owner):
                used.setdefault(action.name_full, (action, []))[1].append(owner)
        everywhere = self.used_anywhere()
        if self.mode == "ALL":
            for action in bpy.data.actions:
                if action.name_full not in used and action.name_full not in everywhere:
                    owner = next((o for o in self.owners if fits(action, o)), None)
                    if owner is not None:
                        used[action.name_full] = (action, [owner])
        for action, owners in used.values():
            for owner in owners:
                self.add_action(action, owner)
        if self.mode in ("ALL", "NLA"):
            for owner in self.owners:
                for track, strip in strips_of(owner):
                    self.add_strip(owner, track, strip)
        return sorted(self.clips.values(), key=lambda clip: clip.order)

    def actions_used(self, owner):
        data = owner.animation_data
        if data is None:
            return
        if data.action is not None and self.mode in ("ALL", "ACTIVE"):
            yield data.action
        if self.mode in ("ALL", "NLA"):
            seen = set() if data.action is None or self.mode == "NLA" else {data.action.name_full}
            for _, strip in strips_of(owner):
                if strip.action.name_full not in seen:
                    seen.add(strip.action.name_full)
                    if self.mode == "ALL" or is_plain(strip, key_times(curves_of(strip.action, owner))):
                        yield strip.action

    def used_anywhere(self):
        """Actions that somebody uses who is not written."""
        found = set()
        for owner in [*bpy.data.objects, *bpy.data.shape_keys]:
            if owner.animation_data is not None:
                if owner.animation_data.action is not None:
                    found.add(owner.animation_data.action.name_full)
                found |= {strip.action.name_full for _, strip in strips_of(owner)}
        return found

    def clip_name(self, action, owner):
        if is_as_imported(action):
            return action[CLIP]
        for track, strip in strips_of(owner):
            if strip.action == action and self.is_shared(track.name, owner):
                return track.name
        return records.name_of(action)

    def is_shared(self, name, owner):
        return any(track.name == name for other in self.owners if other != owner for track, _ in strips_of(other))

    def clip(self, name, order, imported):
        key = order if order[0] == 0 else name  # files may have several of one name, or of none
        if key not in self.clips:
            self.clips[key] = Clip(name, [], order, imported)
        return self.clips[key]

    def add_action(self, action, owner):
        times = key_times(curves_of(action, owner))
        if not len(times):
            return
        index = records.index_of(action)
        name = self.clip_name(action, owner)
        if index is not None and is_as_imported(action):
            order = (0, index, records.source_of(action).name)
        else:
            order = (1, index or 0, name)
        clip = self.clip(name, order, index is not None)
        if all(play.owner != owner for play in clip.plays):
            clip.plays.append(Play(owner, action, float(times[0]), float(times[-1])))

    def add_strip(self, owner, track, strip):
        times = key_times(curves_of(strip.action, owner))
        if not len(times) or is_plain(strip, times):
            return
        name = strip.name
        if name in self.clips and all(play.strip is None for play in self.clips[name].plays):
            name = f"{strip.name} ({track.name})"
        while name in self.clips and any(play.owner == owner for play in self.clips[name].plays):
            name += "'"
        length = (strip.action_frame_end - strip.action_frame_start) * strip.scale * strip.repeat
        self.clip(name, (2, 0, name), False).plays.append(Play(owner, strip.action, 0.0, float(length), strip))


@dataclass
class Sampled:
    """A clip at its times: what moved."""
    clip: Clip
    seconds: np.ndarray
    frames: list  # of the clip, as (time in frames)
    steps: set  # (owner's name, data path) of what jumps from key to key
    poses: dict  # armature's name -> (times, joints, 4, 4) local matrices, and rotations by keys
    objects: dict  # object's name -> (times, 4, 4) world
    shapes: dict  # key's name -> (times, blocks)


class Sampler:
    """Plays clips in the scene. `still` puts everything back afterwards."""

    def __init__(self, measured, objects, keys):
        self.context, self.scene = measured.context, measured.context.scene
        self.rigs, self.objects, self.keys, self.owners, self.fps = measured.rigs, objects, keys, measured.owners, measured.fps
        self.places, self.values = measured.rest_places, measured.shape_values

    def times_of(self, clip, grid):
        """The times of a clip in frames of the scene: of its keys where those are all there is, or every frame."""
        start, end = min(p.start for p in clip.plays), max(p.end for p in clip.plays)
        kinds, keys = set(), [np.empty(0)]
        for play in clip.plays:
            curves = curves_of(play.action, play.owner)
            kinds |= interpolations(curves)
            if play.strip is None:
                keys.append(key_times(curves))
        keys = np.unique(np.concatenate(keys))
        plain = kinds <= LINEAR_OR_STEP and not self.has_helpers() and all(p.strip is None for p in clip.plays)
        if plain and (clip.imported or kinds == {0}):
            return merged(keys)
        count = int(np.floor((end - start) / grid + 1e-4)) + 1
        times = start + grid * np.arange(count)
        if end - times[-1] > 1e-3:
            times = np.append(times, end)
        if clip.imported:
            times = merged(np.union1d(times, keys))
        return times

    def steps_of(self, clip):
        """What only jumps: all its keys are constant, and nothing else moves it."""
        if self.has_helpers() or any(p.strip is not None for p in clip.plays):
            return set()
        kinds = {}
        for play in clip.plays:
            for curve in versions.curves(play.action, play.owner):
                if len(curve.keyframe_points) > 1:
                    kinds.setdefault((play.owner.name, curve.data_path), set()).update(interpolations([curve]))
        return {where for where, found in kinds.items() if found == {0}}

    def has_helpers(self):
        """Constraints and drivers move things between keys."""
        for rig in self.rigs:
            if any(len(b.constraints) for b in rig.obj.pose.bones):
                return True
        return any(o.animation_data and len(o.animation_data.drivers) for o in self.owners)

    def play(self, clip, grid):
        times = self.times_of(clip, grid)
        self.arrange(clip)
        poses = {rig.obj.name: ([], [], []) for rig in self.rigs}
        objects = {obj.name: [] for obj in self.objects}
        shapes = {key.name: [] for key in self.keys}
        for time in times:
            depsgraph = self.show(clip, time)
            for rig in self.rigs:
                self.read_pose(rig, depsgraph, poses[rig.obj.name])
            for obj in self.objects:
                objects[obj.name].append(np.array(obj.evaluated_get(depsgraph).matrix_world, np.float64))
            for key in self.keys:
                blocks = key.evaluated_get(depsgraph).key_blocks
                shapes[key.name].append([block.value for block in blocks[1:]])
        shift = 0 if clip.imported and times[0] >= 0 else times[0]
        return Sampled(clip, (times - shift) / self.fps, list(times), self.steps_of(clip),
                       {name: tuple(np.array(a) for a in rows) for name, rows in poses.items()},
                       {name: np.array(rows) for name, rows in objects.items()},
                       {name: np.array(rows).reshape(len(times), -1) for name, rows in shapes.items()})

    def arrange(self, clip):
        """Only this clip moves anything, and nothing is left of the one before."""
        for owner in self.owners:
            play = next((p for p in clip.plays if p.owner == owner), None)
            if owner.animation_data is not None or play is not None:
                versions.assign(owner, play.action if play else None)
                owner.animation_data.use_nla = False
            if isinstance(owner, bpy.types.Object):
                owner.location, owner.rotation_euler, owner.rotation_quaternion, owner.scale = self.places[owner.name]
        for rig in self.rigs:
            rest_pose(rig.obj)
        for key in self.owners:
            if isinstance(key, bpy.types.Key):
                for block in key.key_blocks:
                    block.value = self.values[block.as_pointer()]

    def show(self, clip, time):
        frame = clip.plays[0].frame_at(time)
        self.scene.frame_set(int(np.floor(frame)), subframe=float(frame - np.floor(frame)))
        return self.context.evaluated_depsgraph_get()

    @staticmethod
    def read_pose(rig, depsgraph, rows):
        bones = rig.obj.evaluated_get(depsgraph).pose.bones
        count = len(bones)
        for row, name, size in zip(rows, ("matrix", "matrix_basis", "rotation_quaternion"), (16, 16, 4)):
            values = np.empty(count * size, np.float32)
            bones.foreach_get(name, values)
            values = values.reshape(count, -1)[rig.at].astype(np.float64)
            # Blender hands out matrices by columns
            row.append(values.reshape(-1, 4, 4).transpose(0, 2, 1) if size == 16 else values)


def merged(times):
    """Times that are the same but for rounding are one."""
    return times[np.r_[True, np.diff(times) > 1e-4]] if len(times) else times


def rest_pose(obj):
    """What bones do without keys: as the file had it, or nothing."""
    from .import_rig import REST
    for bone in obj.pose.bones:
        values = list(obj.data.bones[bone.name].get(REST, ()))
        if len(values) == 10:
            bone.location, bone.scale = values[:3], values[7:]
            bone.rotation_mode = "QUATERNION"
            bone.rotation_quaternion = values[3:7]
        else:
            bone.matrix_basis.identity()
            bone.location, bone.scale, bone.rotation_euler = (0, 0, 0), (1, 1, 1), (0, 0, 0)
            bone.rotation_quaternion, bone.rotation_axis_angle = (1, 0, 0, 0), (0, 0, 1, 0)


class Still:
    """Remembers what playing and measuring changes, and puts it back."""

    def __init__(self, context, owners, armatures, objects):
        self.context = context
        self.owners, self.armatures, self.objects = owners, armatures, objects

    def __enter__(self):
        scene = self.context.scene
        self.frame = (scene.frame_current, scene.frame_subframe)
        self.actions = [(o, versions.assigned(o)) for o in self.owners if o.animation_data is not None]
        self.created = [o for o in self.owners if o.animation_data is None]
        self.poses = [(a, a.data.pose_position, [self.bone_state(b) for b in a.pose.bones]) for a in self.armatures]
        self.places = [(o, tuple(o.location), tuple(o.rotation_euler), tuple(o.rotation_quaternion), tuple(o.scale))
                       for o in self.owners if isinstance(o, bpy.types.Object)]
        self.modifiers = [(m, m.show_viewport) for o in self.objects for m in o.modifiers]
        self.hidden = [(o, o.hide_viewport) for o in self.objects]
        self.values = [(b, b.value, b.mute) for o in self.objects if getattr(o.data, "shape_keys", None)
                       for b in o.data.shape_keys.key_blocks]
        self.pinned = [(o, o.show_only_shape_key, o.active_shape_key_index) for o in self.objects if o.type == "MESH"]
        return self

    @staticmethod
    def bone_state(bone):
        return (bone, tuple(bone.location), tuple(bone.rotation_quaternion), tuple(bone.rotation_euler),
                tuple(bone.rotation_axis_angle), tuple(bone.scale), bone.rotation_mode)

    def __exit__(self, *_):
        for owner, state in self.actions:
            versions.reassign(owner, state)
        for owner in self.created:
            if owner.animation_data is not None:
                owner.animation_data_clear()
        for armature, position, bones in self.poses:
            armature.data.pose_position = position
            for bone, place, turn, euler, axis, scale, mode in bones:
                bone.rotation_mode = mode
                bone.location, bone.scale = place, scale
                bone.rotation_quaternion, bone.rotation_euler, bone.rotation_axis_angle = turn, euler, axis
        for obj, place, euler, turn, scale in self.places:
            obj.location, obj.rotation_euler, obj.rotation_quaternion, obj.scale = place, euler, turn, scale
        for modifier, shown in self.modifiers:
            modifier.show_viewport = shown
        for obj, hidden in self.hidden:
            if obj.hide_viewport != hidden:
                obj.hide_viewport = hidden
        for block, value, mute in self.values:
            block.value, block.mute = value, mute
        for obj, only, active in self.pinned:
            obj.show_only_shape_key, obj.active_shape_key_index = only, active
        self.context.scene.frame_set(self.frame[0], subframe=self.frame[1])
        self.context.view_layer.update()
