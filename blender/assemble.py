"""Parts, joints and clips into one GLB."""
import dataclasses

import bpy
import numpy as np

from . import glb, records, space, versions
from .import_mesh import TRIANGLES

PLACES = ("location", "rotation", "scale", "delta_")  # what an action moves of an object itself


class Assembler:
    def __init__(self, scene):
        self.scene, self.options = scene, scene.options
        self.builder = glb.Builder("Stele's add-on for Blender")
        self.nodes, self.roots = [], []
        self.node_of, self.joint_nodes, self.skins = {}, {}, {}
        self.morph_nodes = []  # (node, key)

    def build(self):
        scene, builder = self.scene, self.builder
        for rig in scene.rigs:
            self.add_rig(rig)
        for obj in scene.objects:
            self.add_object(obj)
        if self.options["objects"] == "JOIN":
            self.add_joined()
        else:
            for obj in scene.meshes:
                self.add_meshes(obj, [p for p in scene.parts if p.obj == obj])
        self.add_instances()
        for rig in scene.rigs:
            self.add_skin(rig)
        scene.materials.add_to(builder)
        for sampled in getattr(scene, "sampled", []):
            self.add_clip(sampled)
        builder.json["nodes"] = [clean(node) for node in self.nodes]
        builder.json["scene"] = 0
        shown = {"name": scene.exporter.path.stem, "nodes": self.roots}
        extras = {}
        for text in {records.source_of(o) for o in [*scene.objects, *scene.armatures]} - {None}:
            for collection in bpy.data.collections:
                if collection.get(records.SOURCE) == text:
                    extras.update(records.extras_of(collection))
        if extras:
            shown["extras"] = extras
        builder.json["scenes"] = [shown]
        self.name_extensions()
        return builder.bytes()

    def name_extensions(self):
        used = set()
        for material in self.builder.json.get("materials", []):
            used |= set(material.get("extensions", {}))
            if "KHR_texture_transform" in str(material):
                used.add("KHR_texture_transform")
        if used:
            self.builder.json["extensionsUsed"] = sorted(used)

    # ---- Nodes ----

    def add_node(self, node, parent=None):
        self.nodes.append(node)
        number = len(self.nodes) - 1
        if parent is None:
            self.roots.append(number)
        else:
            self.nodes[parent].setdefault("children", []).append(number)
        return number

    def add_rig(self, rig):
        world = space.to_file(self.scene.worlds[rig.obj.name])
        top = self.add_node({"name": records.name_of(rig.obj), **place(world)})
        self.node_of[rig.obj.name] = top
        numbers, rest = [None] * len(rig.bones), rig.rest_locals()
        for i in rig.downwards():
            parent = rig.parents[i]
            node = {"name": records.name_of(rig.bones[i]), **place(rest[i])}
            extras = records.extras_of(rig.bones[i])
            if extras:
                node["extras"] = extras
            numbers[i] = self.add_node(node, top if parent is None else numbers[parent])
        if getattr(rig, "needs_neutral", False):
            numbers.append(self.add_node({"name": "neutral"}, top))
        self.joint_nodes[rig.obj.name] = numbers

    def add_skin(self, rig):
        binds = np.linalg.inv(rig.binds()[rig.members])
        if getattr(rig, "needs_neutral", False):
            binds = np.concatenate([binds, np.eye(4)[None]])
        nodes = self.joint_nodes[rig.obj.name]
        joints = [nodes[i] for i in rig.members] + nodes[len(rig.bones):]
        rows = binds.transpose(0, 2, 1).reshape(-1, 16).astype(np.float32) + 0
        rows[:, [3, 7, 11]], rows[:, 15] = 0, 1
        skin = {"name": rig.obj.data.get("stele.skin") or records.name_of(rig.obj), "joints": joints,
                "skeleton": self.node_of[rig.obj.name], "inverseBindMatrices": self.builder.add_array(rows)}
        extras = records.extras_of(rig.obj.data)
        if extras:
            skin["extras"] = extras
        self.builder.json.setdefault("skins", []).append(skin)

    def is_skinned(self, obj):
        return obj.type != "EMPTY" and self.scene.rig_for(obj) is not None

    def parent_of(self, obj):
        """(node above, its world matrix in Blender's axes)."""
        above = obj.parent
        if above is None or not self.options["apply_transforms"]:
            return None, np.eye(4)
        rig = self.scene.rig_of.get(above.name)
        if rig is not None and obj.parent_type == "BONE" and obj.parent_bone in rig.index:
            i = rig.index[obj.parent_bone]
            frame = self.scene.worlds[above.name] @ rig.rests[i] @ rig.axes[i]
            return self.joint_nodes[above.name][i], frame @ space.BLENDER_TO_FILE
        if above.name in self.node_of and above.name in self.scene.worlds and not self.is_skinned(above):
            return self.node_of[above.name], self.scene.worlds[above.name]
        return None, np.eye(4)

    def add_object(self, obj):
        """A node for an object that is not bound; objects above come first."""
        if obj.name in self.node_of or self.is_skinned(obj) or (self.options["objects"] == "JOIN" and obj.type != "EMPTY"):
            return
        above = obj.parent
        if above is not None and above in self.scene.objects:
            self.add_object(above)
        parent, world = self.parent_of(obj)
        local = np.linalg.inv(world) @ self.scene.worlds[obj.name] if abs(np.linalg.det(world)) > 1e-12 else np.eye(4)
        node = {"name": node_name(obj), **place(space.to_file(local))}
        extras = records.extras_of(obj)
        if obj.type == "EMPTY" and (obj.get("stele.attachment", records.source_of(obj) is None and not len(obj.children)
                                            and obj.instance_type == "NONE")):
            extras["attachment"] = True
        if extras:
            node["extras"] = extras
        self.node_of[obj.name] = self.add_node(node, parent)

    # ---- Meshes ----

    def add_meshes(self, obj, parts):
        if not parts:
            return
        rig = parts[0].rig
        mesh = self.add_mesh(parts, obj)
        if rig is not None:
            node = {"name": node_name(obj), "mesh": mesh, "skin": self.scene.rigs.index(rig)}
            extras = records.extras_of(obj)
            if extras:
                node["extras"] = extras
            number = self.add_node(node)
            self.node_of[obj.name] = number
        else:
            number = self.node_of[obj.name]
            self.nodes[number]["mesh"] = mesh
        self.add_shape_values(obj, parts, number)

    def add_shape_values(self, obj, parts, number):
        keys = getattr(obj.data, "shape_keys", None)
        if keys is None or not parts[0].morphs:
            return
        names = [name for name, _ in parts[0].morphs]
        values = {b.name: self.scene.shape_values[b.as_pointer()] for b in keys.key_blocks}
        self.nodes[number]["weights"] = [values.get(name, 0.0) for name in names]
        self.morph_nodes.append((number, keys, names))

    def add_mesh(self, parts, obj):
        described = {"name": records.name_of(obj), "primitives": [self.primitive(part) for part in parts]}
        names = [name for name, _ in parts[0].morphs]
        if names:
            described["extras"] = {"targetNames": names}
        return self.builder.add("meshes", described)

    def primitive(self, part):
        builder, attributes = self.builder, {}
        add = lambda rows: builder.add_array(np.ascontiguousarray(rows, np.float32), glb.VERTICES)
        attributes["POSITION"] = builder.add_array(part.positions.astype(np.float32), glb.VERTICES, bounds=True)
        if part.normals is not None:
            attributes["NORMAL"] = add(part.normals)
        if part.tangents is not None:
            attributes["TANGENT"] = add(part.tangents)
        for i, rows in enumerate(part.uvs):
            attributes[f"TEXCOORD_{i}"] = add(rows)
        number = self.scene.materials.number(part.material)
        if not part.uvs and number is not None and "Texture" in str(self.scene.materials.list[number][1]):
            # What only the material asks for: zeros that need no bytes
            attributes["TEXCOORD_0"] = builder.add("accessors", {"componentType": 5126, "count": len(part.positions), "type": "VEC2"})
        for i, rows in enumerate(part.colors):
            attributes[f"COLOR_{i}"] = add(self.encoded(rows))
        if part.influences is not None:
            joints, weights = part.influences
            for i in range(joints.shape[1] // 4):
                attributes[f"JOINTS_{i}"] = builder.add_array(joints[:, 4 * i:4 * i + 4].astype(np.uint16), glb.VERTICES)
                attributes[f"WEIGHTS_{i}"] = add(weights[:, 4 * i:4 * i + 4])
        kind = np.uint16 if len(part.positions) < 65536 else np.uint32
        described = {"attributes": attributes, "indices": builder.add_array(part.indices.astype(kind), glb.INDICES)}
        if part.mode != TRIANGLES:
            described["mode"] = part.mode
        if number is not None:
            described["material"] = number
        if part.morphs:
            described["targets"] = [{"POSITION": builder.add_array(rows, glb.VERTICES, bounds=True)} for _, rows in part.morphs]
        extras = records.extras_of(part.mesh) if part.mesh is not None and hasattr(part.mesh, "keys") else {}
        if extras:
            described["extras"] = extras
        return described

    def encoded(self, rows):
        """Colours as the option says: linear is what the engine and glTF read."""
        kind = self.options["color_space"]
        if kind == "LINEAR":
            return rows
        rows = rows.astype(np.float64)
        rows[:, :3] = np.rint(versions.srgb_of_linear(rows[:, :3]) * 255) / 255
        if kind == "POWER":
            return rows ** 2.2
        return rows

    def add_joined(self):
        """One mesh for each material, of all objects."""
        groups = {}
        for part in self.scene.parts:
            rig = part.rig.obj.name if part.rig is not None else None
            layout = (rig, self.scene.materials.number(part.material), part.mode, len(part.uvs),
                      tuple(c.shape[1] for c in part.colors), part.normals is None, part.tangents is None)
            groups.setdefault(layout, []).append(part)
        self.scene.joined = []
        for (rig, *_), parts in groups.items():
            merged = join(parts)
            mesh = self.builder.add("meshes", {"name": records.name_of(parts[0].obj), "primitives": [self.primitive(merged)]})
            node = {"name": node_name(parts[0].obj), "mesh": mesh}
            if rig is not None:
                node["skin"] = self.scene.rigs.index(parts[0].rig)
            self.add_node(node)
            self.scene.joined.append(parts)
            if any(p.morphs for p in parts):
                self.scene.say("loss", "loss-morph", "joined objects have no shape keys: they are left out")

    def add_instances(self):
        meshes = {}
        for name, parts, matrix in self.scene.instances:
            key = id(parts)
            if key not in meshes:
                meshes[key] = self.add_mesh(parts, parts[0].obj)
            self.add_node({"name": records.name_of(parts[0].obj), "mesh": meshes[key], **place(space.to_file(matrix))})

    # ---- Clips ----

    def add_clip(self, sampled):
        builder, channels, samplers = self.builder, [], []
        times = builder.add_array(sampled.seconds.astype(np.float32), bounds=True)

        def channel(node, path, rows, step=False):
            samplers.append({"input": times, "output": builder.add_array(np.ascontiguousarray(rows, np.float32)),
                             **({"interpolation": "STEP"} if step else {})})
            channels.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": path}})

        for rig in self.scene.rigs:
            if any(play.owner == rig.obj for play in sampled.clip.plays) or self.moves(rig, sampled):
                self.pose_channels(rig, sampled, channel)
        for obj in [*self.scene.armatures, *self.scene.objects]:
            self.object_channels(obj, sampled, channel)
        for node, keys, names in self.morph_nodes:
            rows = sampled.shapes.get(keys.name)
            if rows is not None and rows.shape[1]:
                wanted = [i for i, b in enumerate(keys.key_blocks[1:]) if b.name in names]
                if any(play.owner == keys for play in sampled.clip.plays) or np.ptp(rows, axis=0).max(initial=0) > 1e-6:
                    paths = [path for owner, path in sampled.steps if owner == keys.name]
                    channel(node, "weights", rows[:, wanted].reshape(-1, 1), bool(wanted) and len(paths) >= len(wanted))
        if not channels:
            self.scene.say("note", "clip-empty", f"the action {sampled.clip.name} moves nothing that is written", kind="ACTION",
                           name=sampled.clip.plays[0].action.name)
            return
        described = {"name": sampled.clip.name, "channels": channels, "samplers": samplers}
        extras = records.extras_of(sampled.clip.plays[0].action)
        if extras:
            described["extras"] = extras
        builder.add("animations", described)
        self.scene.clips.append(sampled)

    def moves(self, rig, sampled):
        poses = sampled.poses[rig.obj.name][0]
        return len(poses) > 1 and np.ptp(poses, axis=0).max(initial=0) > 1e-6

    def pose_channels(self, rig, sampled, channel):
        poses, bases, turns = sampled.poses[rig.obj.name]
        locals_ = rig.locals(poses, bases)
        places, quaternions, scales, shear = space.decompose(locals_, rig.turns(turns))
        worst = shear.max(axis=0)
        bad = np.nonzero(worst > 1e-3)[0]
        if len(bad):
            self.scene.say("loss", "loss-shear", f"{sampled.clip.name}: {len(bad)} bones are sheared, {rig.names[bad[0]]} most: "
                           "an uneven scale above a turn is lost", kind="BONES", name=rig.obj.name,
                           items=[rig.names[i] for i in bad])
        for i, node in enumerate(self.joint_nodes[rig.obj.name][:len(rig.bones)]):
            jumps = lambda name: (rig.obj.name, f'{bone_path(rig.names[i])}.{name}') in sampled.steps
            channel(node, "translation", places[:, i], jumps("location"))
            channel(node, "rotation", space.continuous(quaternions[:, i])[:, [1, 2, 3, 0]], jumps("rotation_quaternion"))
            channel(node, "scale", scales[:, i], jumps("scale"))

    def object_channels(self, obj, sampled, channel):
        if obj.name not in self.node_of or self.is_skinned(obj) or not self.options["apply_transforms"]:
            return
        rows = sampled.objects.get(obj.name)
        if rows is None or not len(rows):
            return
        above = obj.parent
        if above is not None and obj.parent_type == "BONE":
            return  # it hangs at a joint, and that moves
        if above is not None and above.name in sampled.objects and above.name in self.node_of and not self.is_skinned(above):
            parents = sampled.objects[above.name]
            if (np.abs(np.linalg.det(parents)) < 1e-12).any():
                return
            rows = np.linalg.inv(parents) @ rows
        own = any(curve.data_path.startswith(PLACES) for play in sampled.clip.plays if play.owner == obj
                  for curve in versions.curves(play.action, obj))
        if not own and np.ptp(rows, axis=0).max(initial=0) < 1e-6:
            return
        places, quaternions, scales, _ = space.decompose(space.to_file(rows))
        node = self.nodes[self.node_of[obj.name]]
        node.update(place(space.node_matrix(node)))
        turns = space.continuous(quaternions)[:, [1, 2, 3, 0]]
        for path, name, values in (("translation", "location", places), ("rotation", "rotation_quaternion", turns),
                                   ("scale", "scale", scales)):
            channel(self.node_of[obj.name], path, values, (obj.name, name) in sampled.steps)


def bone_path(name):
    return 'pose.bones["%s"]' % bpy.utils.escape_identifier(name)


def node_name(obj):
    """What the node was called that an imported object was made of."""
    kept = obj.get("stele.node_name")
    if kept and records.name_of(obj).startswith(kept):
        return kept
    return records.name_of(obj)


def place(matrix):
    """Translation, rotation and scale of a node; a matrix where that is sheared."""
    translation, quaternion, scale, shear = space.decompose(matrix)
    if shear > 1e-5:
        return {"matrix": matrix.T.ravel().tolist()}
    result = {}
    if np.abs(translation).max() > 0:
        result["translation"] = translation.tolist()
    if np.abs(np.abs(quaternion) - (1, 0, 0, 0)).max() > 1e-9:
        result["rotation"] = quaternion[[1, 2, 3, 0]].tolist()
    if np.abs(scale - 1).max() > 1e-7:
        result["scale"] = scale.tolist()
    return result


def clean(node):
    """Without -0."""
    return {key: ([v + 0.0 for v in value] if key in ("translation", "rotation", "scale", "matrix") else value)
            for key, value in node.items()}


def join(parts):
    """One part of many with the same attributes."""
    first = dataclasses.replace(parts[0], morphs=[])
    starts = np.cumsum([0] + [len(p.positions) for p in parts])
    first.indices = np.concatenate([p.indices + start for p, start in zip(parts, starts)])
    for name in ("positions", "normals", "tangents"):
        if getattr(first, name) is not None:
            setattr(first, name, np.concatenate([getattr(p, name) for p in parts]))
    first.uvs = [np.concatenate(rows) for rows in zip(*(p.uvs for p in parts))]
    first.colors = [np.concatenate(rows) for rows in zip(*(p.colors for p in parts))]
    if first.influences is not None:
        width = max(p.influences[0].shape[1] for p in parts)
        grow = lambda rows: np.pad(rows, ((0, 0), (0, width - rows.shape[1])))
        first.influences = tuple(np.concatenate([grow(p.influences[k]) for p in parts]) for k in (0, 1))
    return first
