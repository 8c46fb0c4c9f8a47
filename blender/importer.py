"""From a file to the scene: Stele makes a GLB of it, and that becomes objects in a collection of its own."""
import os
import tempfile
from pathlib import Path

import bpy
import mathutils
import numpy as np

from . import command, glb as glb_module, import_clips, import_mesh, import_rig, records, space, untouched
from .findings import finding
from .import_material import Materials

FRAME_RATES = {"sgm": 24, "sga": 24, "mesh": 25, "ctc": 10}  # of formats that count frames
LAST_FRAME = 1048574  # that Blender has
MOST_MORPHS = 20000  # above that, nodes that show one mesh share its shape keys and so their values
SAID_ELSEWHERE = {"texture-not-copied", "texture-missing"}  # of the way to the GLB; missing textures are looked for here


class Model:
    """The document, with what its nodes are to each other."""

    def __init__(self, glb, document):
        self.glb, self.nodes = glb, glb.list("nodes")
        self.has_neutral = any(d["id"] == "neutral-joint" for d in document.get("diagnostics", []))
        self.parents = [None] * len(self.nodes)
        for i, node in enumerate(self.nodes):
            for child in node.get("children", []):
                self.parents[child] = i
        self.locals = [space.node_matrix(node) for node in self.nodes]
        self.rest = [None] * len(self.nodes)
        self.order = self.find_order()
        for i in self.order:
            parent = self.parents[i]
            self.rest[i] = self.locals[i] if parent is None else self.rest[parent] @ self.locals[i]
        self.joints = {joint for skin in glb.list("skins") for joint in skin["joints"]}
        self.animated, self.uneven = set(), set()
        for clip in glb.list("animations"):
            for channel in clip["channels"]:
                self.look_at(clip, channel)
        self.size = self.find_size()

    def find_order(self):
        order, waiting = [], [i for i in range(len(self.nodes) - 1, -1, -1) if self.parents[i] is None]
        while waiting:
            i = waiting.pop()
            order.append(i)
            waiting += reversed(self.nodes[i].get("children", []))
        return order

    def look_at(self, clip, channel):
        target = channel["target"]
        if "node" not in target or target["path"] == "weights":
            return
        self.animated.add(target["node"])
        if target["path"] == "scale":
            rows = self.glb.array(clip["samplers"][channel["sampler"]]["output"])
            if np.ptp(rows, axis=1).max(initial=0) > 1e-6 * max(1.0, float(np.abs(rows).max(initial=0))):
                self.uneven.add(target["node"])

    def find_size(self):
        low, high = [], []
        for mesh in self.glb.list("meshes"):
            for primitive in mesh["primitives"]:
                accessor = self.glb.json["accessors"][primitive["attributes"].get("POSITION", 0)]
                if "POSITION" in primitive["attributes"] and "min" in accessor:
                    low.append(accessor["min"])
                    high.append(accessor["max"])
        return float(np.linalg.norm(np.max(high, axis=0) - np.min(low, axis=0))) if low else 0.0

    def drawn(self):
        """The nodes of the scene that is shown."""
        scenes = self.glb.list("scenes")
        roots = scenes[self.glb.json.get("scene", 0)].get("nodes", []) if scenes else \
            [i for i in range(len(self.nodes)) if self.parents[i] is None]
        found, waiting = set(), list(roots)
        while waiting:
            i = waiting.pop()
            found.add(i)
            waiting += self.nodes[i].get("children", [])
        return found


class Importer:
    def __init__(self, context, path, options):
        self.context, self.path, self.options = context, Path(path), options
        self.findings = []

    def run(self):
        glb, document, files = self.fetch()
        self.findings = [d for d in document.get("diagnostics", []) if d["id"] not in SAID_ELSEWHERE]
        before = {kind: set(getattr(bpy.data, kind)) for kind in KINDS}
        try:
            self.build(glb, document, files)
        except Exception:
            # Half a model is worse than none
            for kind in KINDS:
                fresh = [item for item in getattr(bpy.data, kind) if item not in before[kind]]
                for item in fresh:
                    getattr(bpy.data, kind).remove(item)
            raise

    def fetch(self):
        """The GLB, what Stele says of the file, and its bytes."""
        with tempfile.TemporaryDirectory(prefix="stele-") as folder:
            facts = command.info(self.path)
            source, target = self.path, os.path.join(folder, "model.glb")
            if facts.get("format") == "glb":
                # It would only be copied; the other way round Stele takes it apart and writes it as it writes all
                source = os.path.join(folder, "model.gltf")
                document = command.convert(self.path, source, *self.options["arguments"])
                command.convert(source, target)
            else:
                document = command.convert(source, target, *self.options["arguments"])
            glb = glb_module.Glb(Path(target).read_bytes())
        document = {**document, "format": facts["format"], "dialect": facts["dialect"]}
        names = [c["name"] for c in facts.get("companions", []) if c.get("found") and c.get("role") != "texture"]
        files = [(self.path.name, self.path.read_bytes())]
        for name in dict.fromkeys(names):
            beside = self.path.parent / name
            if beside.is_file() and beside.stat().st_size < 2**28:
                files.append((name, beside.read_bytes()))
        return glb, document, files

    # ---- Scene ----

    def build(self, glb, document, files):
        self.glb, self.model = glb, Model(glb, document)
        self.text = records.keep_source(self.path, document, files)
        srgb = any(d["id"] == "assumed" and "sRGB" in d["text"] for d in document.get("diagnostics", []))
        self.text["stele.colors"] = "SRGB" if srgb else "LINEAR"
        self.text["stele.arguments"] = "\n".join(self.options["arguments"])
        if bpy.context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        self.fps = self.set_rate(document["format"])
        self.collection = bpy.data.collections.new(self.path.stem)
        self.context.collection.children.link(self.collection)
        records.set_extras(self.collection, self.scene_extras())
        self.collection[records.SOURCE] = self.text
        self.materials = Materials(glb, str(self.path.parent), self.text, self.path.stem)
        self.drawn = self.model.drawn()
        self.objects, self.meshes, self.shapes, self.weights, self.shared = {}, [], {}, {}, {}
        self.build_rigs()
        self.build_objects()
        self.meshes = [obj for _, obj in sorted(self.meshes, key=lambda item: item[0])]
        for number, obj in enumerate(self.meshes):
            records.mark(obj, self.text, number)
        for rig in self.rigs:
            rig.pose()
        self.clips = import_clips.Clips(self.model, self.rigs, self.objects, self.shapes, self.fps, self.text)
        self.clips.build()
        self.set_range()
        self.context.view_layer.update()
        for name in self.materials.missing:
            self.findings.append(finding("warning", "texture-missing",
                                         f"{name} is not there: a coloured grid stands for it and keeps its name"))
        if self.clips.lost_shear > 1e-4:
            self.findings.append(finding("loss", "loss-shear", "poses are sheared, which bones cannot be: up to "
                                         f"{self.clips.lost_shear:.2g} is left out"))
        untouched.remember(self.text, self.meshes, [r.object for r in self.rigs], self.clips.made,
                           list(self.materials.made.values()), self.weights)
        self.select()

    def scene_extras(self):
        scenes = self.glb.list("scenes")
        return scenes[self.glb.json.get("scene", 0)].get("extras", {}) if scenes else {}

    def set_rate(self, format_name):
        render = self.context.scene.render
        if self.options["set_scene"] and self.glb.list("animations") and format_name in FRAME_RATES:
            render.fps, render.fps_base = FRAME_RATES[format_name], 1
        return render.fps / render.fps_base

    def set_range(self):
        if self.options["set_scene"] and self.clips.made:
            scene = self.context.scene
            scene.frame_start, scene.frame_end = 0, max(1, int(np.ceil(min(self.clips.last, LAST_FRAME) - 1e-3)))
            scene.frame_set(0)

    def build_rigs(self):
        used = {node["skin"] for i, node in enumerate(self.model.nodes) if "skin" in node and i in self.drawn}
        self.rigs = []
        for i, skin in enumerate(self.glb.list("skins")):
            if i in used or not used:
                rig = import_rig.Rig(self.model, i)
                rig.build(skin.get("name") or self.path.stem, self.collection, self.text)
                self.rigs.append(rig)
        self.rig_of_skin = {rig.skin: rig for rig in self.rigs}
        self.bone_of = {joint: (rig, i) for rig in reversed(self.rigs) for i, joint in enumerate(rig.joints)
                        if rig.bones[i] is not None}

    def is_scaffold(self, i):
        """Nodes that are nothing but places of joints: the armature stands for them."""
        node = self.model.nodes[i]
        if "mesh" in node or i in self.model.animated or node.get("extras", {}).get("attachment"):
            return False
        children = node.get("children", [])
        return bool(children) and all(c in self.model.joints or self.is_scaffold(c) for c in children)

    def build_objects(self):
        """Objects for nodes that are no joints, those above before those below. A root that only turns axes is applied to what is
        below it."""
        turned = {}  # node -> the turn that is applied to it
        for i in self.model.order:
            if i not in self.drawn or i in self.bone_of or i in self.model.joints:
                continue
            node, parent = self.model.nodes[i], self.model.parents[i]
            applied = turned.get(parent, np.eye(4))
            is_root = parent is None or parent in turned
            place = applied @ self.model.locals[i] if is_root else self.model.locals[i]
            if "mesh" in node and "skin" in node and node["skin"] in self.rig_of_skin:
                self.build_skinned(i, node)
                if node.get("children"):
                    self.objects[i] = self.new_object(i, None, place, None if is_root else parent)
                continue
            still = i not in self.model.animated
            if is_root and still and "mesh" not in node and space.is_axes(place) and self.may_dissolve(node):
                turned[i] = place
                continue
            if self.is_scaffold(i):
                continue
            self.build_node(i, node, place, None if is_root else parent, still)

    def may_dissolve(self, node):
        return bool(node.get("children")) and not node.get("extras")

    def build_node(self, i, node, place, parent, still):
        if "mesh" not in node:
            self.objects[i] = self.new_object(i, None, place, parent)
            return
        primitives = self.glb.json["meshes"][node["mesh"]]["primitives"]
        if parent is None and still and not node.get("children") and space.is_axes(place):
            for k in range(len(primitives)):
                self.new_object(i, k, np.eye(4), None, space.FILE_TO_BLENDER @ place)
        elif len(primitives) == 1:
            self.objects[i] = self.new_object(i, 0, place, parent)
        else:
            self.objects[i] = self.new_object(i, None, place, parent)
            for k in range(len(primitives)):
                self.new_object(i, k, np.eye(4), i)

    def new_object(self, i, primitive, place, parent, applied=None):
        """An object at a node: an empty, or a primitive of its mesh."""
        node = self.model.nodes[i]
        if primitive is None:
            obj = bpy.data.objects.new(node.get("name") or f"{self.path.stem}.node{i}", None)
            is_attachment = bool(node.get("extras", {}).get("attachment"))
            obj.empty_display_type = "ARROWS" if is_attachment else "PLAIN_AXES"
            obj.empty_display_size = 0.05 * (self.model.size or 1)
            obj["stele.attachment"] = is_attachment
            obj[records.SOURCE] = self.text
            records.remember_name(obj, node.get("name", ""))
            extras = {k: v for k, v in node.get("extras", {}).items() if k != "attachment"}
        else:
            obj = self.new_mesh_object(i, primitive, space.FILE_TO_BLENDER if applied is None else applied)
            extras = node.get("extras", {})
        obj["stele.node"] = i
        records.set_extras(obj, extras)
        if obj.name not in self.collection.objects:
            self.collection.objects.link(obj)
        obj.rotation_mode = "QUATERNION"
        if parent in self.bone_of:
            self.parent_to_bone(obj, *self.bone_of[parent])
        elif parent in self.objects:
            obj.parent = self.objects[parent]
        local, turn, scale, shear = space.decompose(space.to_blender(place))
        obj.location, obj.rotation_quaternion, obj.scale = local, turn, scale
        if i in self.model.animated:
            obj[import_rig.REST] = [*local, *turn, *scale]
        if shear > 1e-4:
            self.findings.append(finding("loss", "loss-shear", f"{obj.name} is sheared, which objects cannot be: the nearest place is taken",
                                         f"node[{i}]", kind="OBJECT", name=obj.name))
        return obj

    def parent_to_bone(self, obj, rig, i):
        """Blender hangs children at the tail of a bone and in its axes; the file at the joint."""
        obj.parent, obj.parent_type, obj.parent_bone = rig.object, "BONE", rig.bones[i]
        length = rig.object.data.bones[rig.bones[i]].length
        back = np.eye(4)
        back[1, 3] = -length
        obj.matrix_parent_inverse = mathutils.Matrix((back @ rig.turns[i] @ space.BLENDER_TO_FILE).tolist())

    def build_skinned(self, i, node):
        rig = self.rig_of_skin[node["skin"]]
        for k in range(len(self.glb.json["meshes"][node["mesh"]]["primitives"])):
            obj = self.new_mesh_object(i, k, rig.place, rig)
            obj.parent = rig.object
            obj.modifiers.new("Armature", "ARMATURE").object = rig.object

    # ---- Meshes ----

    def new_mesh_object(self, i, k, place, rig=None):
        node = self.model.nodes[i]
        described = self.glb.json["meshes"][node["mesh"]]
        primitive = described["primitives"][k]
        name = node.get("name") or described.get("name") or self.path.stem
        title = name if len(described["primitives"]) == 1 else f"{name}.{k}"
        mesh = self.mesh_of(node["mesh"], k, primitive, title, place, rig is None and not self.has_own_morphs(node["mesh"]))
        obj = bpy.data.objects.new(title, mesh)
        records.remember_name(obj, title)
        obj["stele.node_name"] = node.get("name", "")
        obj["stele.mesh"] = node["mesh"]
        self.collection.objects.link(obj)
        if rig is not None:
            influences = import_mesh.influences_of(self.glb, primitive)
            import_mesh.add_weights(obj, rig.bones, influences)
            bound = influences[1] != (rig.neutral if rig.neutral is not None else -1)
            self.weights[obj.name] = tuple(rows[bound] for rows in influences)
        targets = primitive.get("targets", [])
        if targets and mesh.shape_keys is None:
            names = described.get("extras", {}).get("targetNames", [])
            import_mesh.add_morphs(self.glb, obj, primitive, names, node.get("weights", described.get("weights", [])), place)
        if mesh.shape_keys is not None:
            self.shapes.setdefault(i, []).append(mesh.shape_keys)
        self.meshes.append(((node["mesh"], i, k), obj))
        return obj

    def has_own_morphs(self, mesh):
        """Whether nodes that show the mesh give its morphs values of their own."""
        if not hasattr(self, "morphed"):
            moved = {c["target"].get("node") for clip in self.glb.list("animations") for c in clip["channels"]
                     if c["target"]["path"] == "weights"}
            own = [n["mesh"] for i, n in enumerate(self.model.nodes) if "mesh" in n and ("weights" in n or i in moved)]
            morphs = sum(len(p.get("targets", [])) for m in own for p in self.glb.json["meshes"][m]["primitives"])
            self.morphed = set(own) if morphs <= MOST_MORPHS else set()
        return mesh in self.morphed

    def mesh_of(self, index, k, primitive, title, place, shared):
        """Nodes that show the same mesh share it, unless its vertices are turned or bound."""
        key = (index, k, tuple(place.ravel()))
        if shared and key in self.shared:
            return self.shared[key]
        mesh = import_mesh.build(self.glb, primitive, title, place)
        if "material" in primitive:
            mesh.materials.append(self.materials.get(primitive["material"], "COLOR_0" in primitive["attributes"]))
        if shared:
            self.shared[key] = mesh
        return mesh

    def select(self):
        for obj in self.context.view_layer.objects:
            obj.select_set(False)
        objects = list(self.collection.objects)
        for obj in objects:
            obj.select_set(True)
        if objects:
            self.context.view_layer.objects.active = next((r.object for r in self.rigs), objects[0])


KINDS = ("objects", "collections", "meshes", "armatures", "materials", "images", "actions", "texts")
