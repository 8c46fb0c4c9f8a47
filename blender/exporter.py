"""From the scene to a file: a GLB of what the scene says, which Stele writes in the format that is asked for; then what was not touched
since its import gets its own bytes back, and the proof is made."""
import tempfile
from pathlib import Path

import bpy
import numpy as np

from . import command, export_clips, export_material, export_mesh, export_rig, proof, records, space, splice, untouched, versions
from .assemble import Assembler
from .findings import finding

from .import_mesh import WEIGHTS
from .import_rig import REST
from .importer import FRAME_RATES

MESHES = ("MESH", "CURVE", "SURFACE", "META", "FONT", "CURVES")
WITH_FOLDERS, TWO_SIDED = ("glb", "gltf", "obj"), ("glb", "gltf")  # of textures, and of surfaces
FOUND_LATER = {"texture-not-copied", "texture-missing"}  # of the way from the GLB, which lies in a folder of its own


class Nothing(Exception):
    """There is nothing to write."""


class Exporter:
    def __init__(self, context, path, format_name, options):
        self.context, self.path, self.format, self.options = context, Path(path), format_name, options
        self.findings, self.written, self.how = [], [], ""

    def run(self):
        active = bpy.context.object
        mode = active.mode if active is not None else "OBJECT"
        if mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        try:
            self.write_all()
        finally:
            if mode != "OBJECT" and bpy.context.object == active:
                bpy.ops.object.mode_set(mode=mode)

    def write_all(self):
        objects = self.scope()
        if self.options["objects"] != "SEPARATE":
            self.write(objects, self.path)
            return
        groups = [o for o in objects if o.type in MESHES]
        if not groups:
            raise Nothing("there is no object to write")
        for obj in groups:
            name = bpy.path.clean_name(obj.name) if len(groups) > 1 else ""
            self.write([obj], self.path.with_name(f"{self.path.stem}.{name}{self.path.suffix}") if name else self.path)

    # ---- What is written ----

    def scope(self):
        layer, options = self.context.view_layer, self.options
        objects = list(layer.objects)
        if options["use_active_collection"]:
            members = set(self.context.collection.all_objects)
            objects = [o for o in objects if o in members]
        shapes = {b.custom_shape for o in objects if o.type == "ARMATURE" for b in o.pose.bones if b.custom_shape is not None}
        if options["use_selection"]:
            objects = [o for o in objects if o.select_get()]
        else:
            objects = [o for o in objects if o not in shapes]
        if options["use_visible"]:
            objects = [o for o in objects if o.visible_get()]
        return objects

    def write(self, objects, path):
        scene = Scene(self, objects)
        scene.gather()
        same = untouched.Comparison(scene, self.format, self.options)
        with export_clips.Still(self.context, scene.owners, scene.armatures, scene.objects):
            scene.measure()
            same.compare()
            with tempfile.TemporaryDirectory(prefix="stele-") as folder:
                folder = Path(folder)
                document = self.write_file(scene, same, folder, path)
                self.findings += [d for d in document.get("diagnostics", []) if d["id"] not in FOUND_LATER
                                  and (d["severity"] != "note" or d["id"] == "neutral-joint")]
                self.findings += scene.findings
                if self.options["textures"] == "COPY":
                    self.copy_textures(scene, path)
                if self.options["prove"]:
                    self.findings += proof.Proof(self, scene, path, folder).make()
        self.written.append(path)

    def write_file(self, scene, same, folder, path):
        kept = same.whole_file()
        if kept is not None:
            self.how = "nothing was changed: the same bytes as were imported"
            return splice.write_source(kept, folder, path)
        scene.play()
        source = folder / "scene.glb"
        source.write_bytes(scene.build())
        arguments = list(self.options["arguments"])
        if self.options["dialect"]:
            arguments += ["--dialect", self.options["dialect"]]
        elif same.dialect():
            arguments += ["--dialect", same.dialect()]
        document = command.convert(source, path, "--to", self.format, *arguments)
        count = splice.restore(scene, same, document, folder, path, self.options)
        self.how = f"{count} records that were not changed keep their bytes" if count else "written from the scene"
        return document

    def copy_textures(self, scene, path):
        """Beside the file: packed images are unpacked, others copied."""
        for image, name in scene.materials.images:
            data = export_material.image_bytes(image)
            target = path.parent / name
            if data is None:
                self.findings.append(finding("warning", "texture-missing", f"{name} cannot be copied: its file is not there"))
            elif not target.exists() or target.read_bytes() != data:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
        self.written += [path.parent / name for _, name in scene.materials.images if (path.parent / name).exists()]


class Scene:
    """What is written, as the scene has it."""

    def __init__(self, exporter, objects):
        self.exporter, self.context, self.options = exporter, exporter.context, exporter.options
        self.asked = objects
        self.findings, self.parts, self.clips = [], [], []
        render = self.context.scene.render
        self.fps = render.fps / render.fps_base

    def say(self, severity, identifier, text, **target):
        self.findings.append(finding(severity, identifier, text, **target))

    # ---- Objects ----

    def gather(self):
        """The objects, with the armatures that move them; in the order of the file that they came from, new ones behind."""
        objects = list(dict.fromkeys(self.asked))
        armatures = [o for o in objects if o.type == "ARMATURE"]
        for obj in objects:
            rig = armature_of(obj)
            if rig is not None and rig not in armatures and rig.name in self.context.view_layer.objects:
                armatures.append(rig)
            elif obj.parent_type == "BONE" and obj.parent is not None and obj.parent not in armatures:
                armatures.append(obj.parent)
        self.armatures = [a for a in armatures if len(a.data.bones)]
        self.objects = sorted((o for o in objects if o.type in MESHES or o.type == "EMPTY"), key=order_of)
        carriers = {(o.parent.name, o.parent_bone) for o in objects if o.parent is not None and o.parent_type == "BONE"}
        self.rigs = [export_rig.Joints(a, self.options["deform_only"], {bone for name, bone in carriers if name == a.name})
                     for a in self.armatures]
        self.rig_of = {rig.obj.name: rig for rig in self.rigs}
        self.meshes = [o for o in self.objects if o.type in MESHES]
        self.shape_values = {b.as_pointer(): float(b.value) for o in self.meshes if getattr(o.data, "shape_keys", None) is not None
                             for b in o.data.shape_keys.key_blocks}
        for obj in self.meshes:
            shapes = getattr(obj.data, "shape_keys", None)
            kept = list(shapes.get(WEIGHTS, ())) if shapes is not None and shapes.animation_data is not None else []
            if kept and len(kept) == len(shapes.key_blocks):
                self.shape_values.update({b.as_pointer(): value for b, value in zip(shapes.key_blocks, kept)})
        self.keys = list(dict.fromkeys(o.data.shape_keys for o in self.meshes if getattr(o.data, "shape_keys", None) is not None))
        self.owners = [*self.armatures, *[o for o in self.objects], *self.keys]
        if not self.objects and not self.armatures:
            raise Nothing("there is nothing to write: no mesh, empty or armature" + (
                " is selected" if self.options["use_selection"] else ""))
        self.materials = export_material.Materials(self.options["texture_extension"], self.options["textures"] == "EMBED",
                                                   self.exporter.format in WITH_FOLDERS, self.exporter.format in TWO_SIDED)

    def measure(self):
        """Everything at rest: armatures in rest position and their modifiers off."""
        for rig in self.rigs:
            rig.obj.data.pose_position = "REST"
        for obj in self.meshes:
            if obj.hide_viewport:
                obj.hide_viewport = False
            for modifier in obj.modifiers:
                if modifier.type == "ARMATURE" and modifier.object is not None and modifier.object.name in self.rig_of:
                    modifier.show_viewport = False
        self.rest_objects()
        self.context.view_layer.update()
        depsgraph = self.context.evaluated_depsgraph_get()
        self.worlds = {o.name: self.world_of(o.evaluated_get(depsgraph)) for o in [*self.objects, *self.armatures]}
        for rig in self.rigs:
            world = self.worlds[rig.obj.name]
            if np.linalg.det(world[:3, :3]) < 0 and not moves_itself(rig.obj):
                # Whether joints that mirror turn triangles round is a matter of opinion: ours do not mirror
                rig.fold(world)
                self.worlds[rig.obj.name] = np.eye(4)
        self.weights, self.instances = {}, []
        for obj in self.meshes:
            self.measure_mesh(obj, depsgraph)
        self.find_instances(depsgraph)
        self.number_materials()

    def rest_objects(self):
        """Objects of a file that a clip moves go where the file has them without it; others stay where they are now."""
        self.rest_places = {}
        for obj in [*self.armatures, *self.objects]:
            values = list(obj.get(REST, ()))
            if len(values) == 10 and obj.animation_data is not None:
                versions.assign(obj, None)
                obj.animation_data.use_nla = False
                obj.location, obj.rotation_quaternion, obj.scale = values[:3], values[3:7], values[7:]
            self.rest_places[obj.name] = (tuple(obj.location), tuple(obj.rotation_euler), tuple(obj.rotation_quaternion), tuple(obj.scale))

    def world_of(self, obj):
        return np.array(obj.matrix_world, np.float64) if self.options["apply_transforms"] else np.eye(4)

    def has_modifiers(self, obj):
        return self.options["apply_modifiers"] and any(m.show_viewport for m in obj.modifiers)

    def measure_mesh(self, obj, depsgraph):
        rig = self.rig_for(obj)
        bone = None
        if rig is None and self.options["objects"] == "JOIN":
            rig, bone = self.carrier_of(obj)
        place = self.place_of(obj, rig)
        materials = [slot.material for slot in obj.material_slots]
        evaluated = None
        if obj.type != "MESH" or self.has_modifiers(obj):
            self.rest_shapes(obj)
            depsgraph = self.context.evaluated_depsgraph_get()
            evaluated = obj.evaluated_get(depsgraph)
            mesh = evaluated.to_mesh(preserve_all_data_layers=True, depsgraph=depsgraph)
        else:
            mesh = obj.data
        if mesh is None:
            self.say("warning", "object-empty", f"{obj.name} has no surface", kind="OBJECT", name=obj.name)
            return
        parts, corners = export_mesh.parts_of(obj, mesh, place, materials)
        for part in parts:
            part.corners_kept = corners.are_kept
            part.evaluated = evaluated is not None
            self.add_tangents(part, mesh)
            self.check_part(part)
        if not parts:
            self.say("warning", "object-empty", f"{obj.name} has no faces: it is left out", kind="OBJECT", name=obj.name)
        if bone is not None:
            for part in parts:
                export_mesh.bind_to_one(part, rig.number[rig.index[bone]])
        elif rig is not None and parts:
            self.bind(obj, mesh, rig, parts)
            self.check_deformation(obj, rig)
        if evaluated is not None:
            evaluated.to_mesh_clear()
        self.add_morphs(obj, parts, place)
        for part in parts:
            part.rig = rig
            part.mesh = obj.data if evaluated is not None else part.mesh
        self.parts += parts

    def rig_for(self, obj):
        armature = armature_of(obj)
        return self.rig_of.get(armature.name) if armature is not None else None

    def carrier_of(self, obj):
        """The armature and bone that an object hangs at, be it by others: joined, it can only be bound to it."""
        while obj is not None:
            rig = self.rig_of.get(obj.parent.name) if obj.parent is not None else None
            if rig is not None and obj.parent_type == "BONE" and rig.index.get(obj.parent_bone) in rig.number:
                return rig, obj.parent_bone
            obj = obj.parent
        return None, None

    def check_deformation(self, obj, rig):
        """Ways to deform that no file has."""
        size = np.linalg.norm(self.worlds[rig.obj.name][:3, :3], axis=0)
        if np.ptp(size) > 1e-4 * size.max() and self.options["animations"] != "NONE":
            self.say("note", "armature-scale", f"{rig.obj.name} is scaled unevenly, which makes shear of turning bones: apply its scale "
                     "(Ctrl+A) if clips look wrong", kind="OBJECT", name=rig.obj.name)
        said = []
        for modifier in obj.modifiers:
            if modifier.type == "ARMATURE" and modifier.object == rig.obj:
                said += ["Preserve Volume"] * modifier.use_deform_preserve_volume + ["Bone Envelopes"] * modifier.use_bone_envelopes
        if any(bone.bbone_segments > 1 for bone in rig.bones):
            said.append("bendy bones")
        if said:
            self.say("loss", "loss-deform", f"{obj.name}: files only have weights, not {' or '.join(said)}: it will bend a little differently",
                     kind="OBJECT", name=obj.name)

    def place_of(self, obj, rig):
        """From the object's coordinates to those of what is written: of the armature, of the world, or its own."""
        world = self.worlds[obj.name]
        if rig is not None:
            relative = np.linalg.inv(self.worlds[rig.obj.name]) @ world
            return space.BLENDER_TO_FILE @ snapped(relative)
        if self.options["objects"] == "JOIN":
            return space.BLENDER_TO_FILE @ snapped(world)
        return space.BLENDER_TO_FILE

    def check_part(self, part):
        bad = ~np.isfinite(part.positions).all(axis=1)
        if bad.any():
            self.say("warning", "nonfinite-position", f"{part.obj.name}: {int(bad.sum())} vertices are at no place; they are put at 0",
                     kind="VERTICES", name=part.obj.name, items=part.vertices[bad][:1000].tolist())
            part.positions = np.where(bad[:, None], 0, part.positions).astype(np.float32)
        part.uvs = [np.nan_to_num(rows, posinf=0, neginf=0) for rows in part.uvs]
        part.colors = [np.nan_to_num(rows, posinf=1, neginf=0) for rows in part.colors]
        if part.normals is not None:
            empty = ~(np.abs(part.normals).max(axis=1, initial=0) > 1e-6)
            part.normals = np.where(empty[:, None], np.float32([0, 1, 0]), part.normals).astype(np.float32)

    def add_tangents(self, part, mesh):
        wish = self.options["tangents"]
        if wish == "NEVER":
            part.tangents = None
        elif part.tangents is None and part.mode == export_mesh.TRIANGLES and (wish == "ALWAYS" or has_normal_map(part.material)):
            if part.uvs and part.normals is not None:
                part.tangents = tangents_of(part)

    # ---- Shape keys ----

    def rest_shapes(self, obj):
        keys = getattr(obj.data, "shape_keys", None)
        if keys is not None:
            obj.show_only_shape_key = False
            if keys.animation_data is not None:
                versions.assign(keys, None)
            for block in keys.key_blocks[1:]:
                block.mute = True

    def add_morphs(self, obj, parts, place):
        keys = getattr(obj.data, "shape_keys", None)
        if keys is None or len(keys.key_blocks) < 2 or not parts:
            return
        if parts[0].evaluated:
            shapes = self.evaluated_shapes(obj, keys)
        else:
            base = export_mesh.read(obj.data.vertices, "co", 3)
            shapes = []
            for block in keys.key_blocks[1:]:
                rows = export_mesh.read(block.data, "co", 3)
                above = export_mesh.read(block.relative_key.data, "co", 3) if block.relative_key is not None else base
                shapes.append((block.name, rows.astype(np.float64) - above))
        for name, deltas in shapes:
            if deltas is None:
                self.say("loss", "loss-morph", f"{obj.name}: modifiers change the vertices of the shape key {name}: it is left out",
                         kind="OBJECT", name=obj.name)
                continue
            deltas = deltas @ place[:3, :3].T
            for part in parts:
                part.morphs.append((name, deltas[part.vertices].astype(np.float32)))

    def evaluated_shapes(self, obj, keys):
        """Each shape key through the modifiers."""
        def points():
            self.context.view_layer.update()
            depsgraph = self.context.evaluated_depsgraph_get()
            evaluated = obj.evaluated_get(depsgraph)
            rows = export_mesh.read(evaluated.to_mesh().vertices, "co", 3).astype(np.float64)
            evaluated.to_mesh_clear()
            return rows
        rest, shapes = points(), []
        for block in keys.key_blocks[1:]:
            block.mute, block.value = False, 1
            rows = points()
            block.mute = True
            shapes.append((block.name, rows - rest if len(rows) == len(rest) else None))
        return shapes

    # ---- Skins ----

    def bind(self, obj, mesh, rig, parts):
        weights = export_mesh.weights_of(mesh)
        self.weights[obj.name] = weights
        groups = np.array([rig.number.get(rig.index.get(group.name, -1), -1) for group in obj.vertex_groups], np.int64)
        used = np.unique(weights[1])
        stray = [g.name for g in obj.vertex_groups if g.index in used and groups[g.index] < 0]
        if stray:
            self.say("note", "group-without-bone", f"{obj.name}: no bone has the name of the vertex groups {', '.join(stray[:5])}"
                     + (" and others" if len(stray) > 5 else "") + ": they do not count", kind="OBJECT", name=obj.name)
        for part in parts:
            crowded = export_mesh.bind(part, len(mesh.vertices), weights, groups, len(rig.members))
            rig.needs_neutral = getattr(rig, "needs_neutral", False) or part.has_unmoved
            if crowded:
                self.say("loss", "loss-influences", f"{obj.name}: {crowded} vertices have more than eight bones", kind="OBJECT",
                         name=obj.name)
            if part.has_unmoved:
                free = part.vertices[part.influences[0][:, 0] == len(rig.members)]
                self.say("note", "neutral-joint", f"{obj.name}: {len(free)} vertices have no bone: they stay where they are",
                         kind="VERTICES", name=obj.name, items=free[:10000].tolist())

    # ---- Instances ----

    def find_instances(self, depsgraph):
        """What collections, particles and geometry nodes repeat: more nodes with the same meshes."""
        names = {o.name for o in self.objects}
        made = {}
        for instance in depsgraph.object_instances:
            if not instance.is_instance or instance.parent is None or instance.parent.original.name not in names:
                continue
            evaluated = instance.object
            if evaluated.type not in MESHES:
                continue
            matrix = np.array(instance.matrix_world, np.float64)
            key = evaluated.data.as_pointer() if evaluated.data is not None else evaluated.as_pointer()
            if key not in made:
                made[key] = self.instance_parts(evaluated)
            if made[key]:
                self.instances.append((instance.parent.original.name, made[key], matrix))

    def instance_parts(self, evaluated):
        mesh = evaluated.to_mesh()
        if mesh is None:
            return []
        materials = [slot.material.original if slot.material is not None else None for slot in evaluated.material_slots]
        parts, _ = export_mesh.parts_of(evaluated.original, mesh, space.BLENDER_TO_FILE, materials)
        for part in parts:
            part.rig, part.evaluated, part.corners_kept, part.mesh = None, True, None, None
            self.check_part(part)
        evaluated.to_mesh_clear()
        return parts

    # ---- Materials ----

    def number_materials(self):
        """In the order of the file that they came from, then as meshes need them."""
        parts = self.parts + [p for _, parts, _ in self.instances for p in parts]
        used = list(dict.fromkeys(p.material for p in parts if p.material is not None))
        for material in sorted(used, key=lambda m: (records.index_of(m) is None, records.index_of(m) or 0)):
            self.materials.number(material)
        for material, text in self.materials.notes:
            self.say("note", "material", f"the material {material.name} {text}")

    # ---- Clips ----

    def play(self):
        """Samples the clips; nothing if animations are not wanted."""
        self.sampled = []
        mode = self.options["animations"]
        if mode == "NONE":
            return
        for rig in self.rigs:
            rig.obj.data.pose_position = "POSE"
        clips = export_clips.Collector(self.owners, mode).collect()
        sampler = export_clips.Sampler(self, [*self.armatures, *self.objects], self.keys)
        rate = FRAME_RATES.get(self.exporter.format)
        grid = self.fps / rate if rate else 1.0
        if rate and clips and abs(grid - 1) > 1e-6 and not all(c.imported for c in clips):
            self.say("note", "frame-rate", f"the scene has {self.fps:g} frames a second and the format {rate}: clips are sampled at {rate}")
        window = self.context.window_manager
        window.progress_begin(0, max(len(clips), 1))
        for i, clip in enumerate(clips):
            self.sampled.append(sampler.play(clip, grid))
            window.progress_update(i + 1)
        window.progress_end()

    # ---- GLB ----

    def build(self):
        return Assembler(self).build()


def armature_of(obj):
    """The armature that deforms an object: of a modifier, or its parent."""
    for modifier in obj.modifiers if obj.type in MESHES else ():
        if modifier.type == "ARMATURE" and modifier.object is not None and (modifier.show_viewport or modifier.show_render):
            return modifier.object
    if obj.parent is not None and obj.parent.type == "ARMATURE" and obj.parent_type == "ARMATURE":
        return obj.parent
    return None


def order_of(obj):
    index = records.index_of(obj)
    source = records.source_of(obj)
    return (index is None, source.name if source is not None else "", index or 0)


def moves_itself(obj):
    """Whether an object has a place at a time, and not one for all."""
    data = obj.animation_data
    actions = [data.action] + [s.action for _, s in export_clips.strips_of(obj)] if data is not None else []
    curves = [c for action in actions if action is not None for c in versions.curves(action, obj)]
    return obj.parent is not None or len(obj.constraints) > 0 or any(not c.data_path.startswith("pose.") for c in curves)


def snapped(matrix):
    """Without the rounding that a way there and back leaves."""
    near = np.rint(matrix)
    return near if np.abs(matrix - near).max() < 1e-6 else matrix


def has_normal_map(material):
    tree = versions.node_tree(material) if material is not None else None
    return tree is not None and any(n.type == "NORMAL_MAP" and n.inputs["Color"].is_linked for n in tree.nodes)


def tangents_of(part):
    """Along u of the first uvs, at right angles to the normal; w is the side that v of the file's image points up to."""
    a, b, c = part.indices.reshape(-1, 3).T
    p, uv = part.positions.astype(np.float64), part.uvs[0].astype(np.float64)
    e1, e2, d1, d2 = p[b] - p[a], p[c] - p[a], uv[b] - uv[a], uv[c] - uv[a]
    area = d1[:, 0] * d2[:, 1] - d2[:, 0] * d1[:, 1]
    side = np.where(area < 0, -1.0, 1.0)[:, None]
    along = (e1 * d2[:, 1:2] - e2 * d1[:, 1:2]) * side
    across = (e2 * d1[:, :1] - e1 * d2[:, :1]) * side
    tangents, bitangents = np.zeros_like(p), np.zeros_like(p)
    for corner in (a, b, c):
        np.add.at(tangents, corner, along)
        np.add.at(bitangents, corner, across)
    n = part.normals.astype(np.float64)
    tangents = space.unit(tangents - n * (n * tangents).sum(axis=1, keepdims=True))
    lost = np.abs(tangents).max(axis=1, initial=0) == 0
    other = np.where(np.abs(n[:, :1]) < 0.9, [[1.0, 0, 0]], [[0, 1.0, 0]])
    tangents[lost] = space.unit(other - n * (n * other).sum(axis=1, keepdims=True))[lost]
    w = np.where((np.cross(n, tangents) * bitangents).sum(axis=1) > 0, -1.0, 1.0)  # v of the file points down
    return np.column_stack([tangents, w]).astype(np.float32)
