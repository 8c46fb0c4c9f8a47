"""The proof of an export: what was written is opened again with Stele and compared with what the scene shows."""
import re

import numpy as np

from . import command, export_clips, export_mesh, glb, space
from .findings import finding

TARGETS = {"sgm": "rayne"}  # the engine whose limits a format is checked against
CLOSE, FAR = 1e-5, 1e-3  # of the model's size: as good as equal, and worth a warning
MOST_POSES, MOST_WORK = 12, 600000  # poses, and vertices in all poses
MOST_DOUBTFUL = 2000  # vertices that are looked for one by one
PLACE = re.compile(r"^(mesh|clip|bone|material)\[(\d+)\](?:\.(vertices|indices)\[(\d+)\])?")


class Reread:
    """The written file as Stele reads it: nodes and vertices at any time of a clip."""

    def __init__(self, data):
        self.glb = glb.Glb(data)
        self.nodes, self.clips = self.glb.list("nodes"), self.glb.list("animations")
        self.parents = {child: i for i, node in enumerate(self.nodes) for child in node.get("children", [])}
        self.drawn = [(i, primitive) for i, node in enumerate(self.nodes) if "mesh" in node
                      for primitive in self.glb.json["meshes"][node["mesh"]]["primitives"]]
        self.drawn.sort(key=lambda item: self.nodes[item[0]]["mesh"])
        self.cache = {}

    def rows(self, primitive, name, dtype=np.float32):
        accessor = primitive["attributes"].get(name)
        if accessor is None:
            return None
        if (accessor, dtype) not in self.cache:
            self.cache[accessor, dtype] = self.glb.array(accessor, dtype)
        return self.cache[accessor, dtype]

    def locals(self, clip, seconds):
        matrices = [space.node_matrix(node) for node in self.nodes]
        weights = {}
        moved = {}
        for channel in clip["channels"] if clip else ():
            target, sampler = channel["target"], clip["samplers"][channel["sampler"]]
            value = self.value(sampler, target["path"], seconds)
            if target["path"] == "weights":
                weights[target["node"]] = value
            else:
                moved.setdefault(target["node"], {})[target["path"]] = value
        for node, parts in moved.items():
            place, turn, scale, _ = space.decompose(matrices[node])
            turn = parts["rotation"][[3, 0, 1, 2]] if "rotation" in parts else turn
            matrices[node] = space.compose(parts.get("translation", place), turn, parts.get("scale", scale))
        return matrices, weights

    def value(self, sampler, path, seconds):
        times = self.glb.array(sampler["input"]).ravel()
        rows = self.glb.array(sampler["output"]).astype(np.float64).reshape(len(times), -1)
        at = int(np.clip(np.searchsorted(times, seconds, "right") - 1, 0, len(times) - 1))
        if at == len(times) - 1 or seconds <= times[0] or sampler.get("interpolation") == "STEP":
            return rows[at]
        part = (seconds - times[at]) / (times[at + 1] - times[at])
        if path == "rotation":
            return space.slerp(rows[at:at + 1], rows[at + 1:at + 2], np.array([part]))[0]
        return rows[at] + (rows[at + 1] - rows[at]) * part

    def worlds(self, matrices):
        result = [None] * len(matrices)

        def world(i):
            if result[i] is None:
                parent = self.parents.get(i)
                result[i] = matrices[i] if parent is None else world(parent) @ matrices[i]
            return result[i]

        for i in range(len(matrices)):
            world(i)
        return result

    def positions(self, item, worlds, weights):
        node, primitive = item
        points = self.rows(primitive, "POSITION").astype(np.float64)
        values = weights.get(node, self.nodes[node].get("weights", ()))
        for value, target in zip(values, primitive.get("targets", [])):
            if value and "POSITION" in target:
                points = points + value * self.glb.array(target["POSITION"])
        if "skin" not in self.nodes[node]:
            return points @ worlds[node][:3, :3].T + worlds[node][:3, 3]
        skin = self.glb.json["skins"][self.nodes[node]["skin"]]
        binds = self.glb.array(skin["inverseBindMatrices"]).astype(np.float64).reshape(-1, 4, 4).transpose(0, 2, 1)
        matrices = np.array([worlds[j] for j in skin["joints"]]) @ binds
        result, k = np.zeros_like(points), 0
        while f"JOINTS_{k}" in primitive["attributes"]:
            joints = self.rows(primitive, f"JOINTS_{k}", np.int64)
            shares = self.rows(primitive, f"WEIGHTS_{k}").astype(np.float64)
            for corner in range(4):
                used = np.nonzero(shares[:, corner])[0]
                if len(used):
                    m = matrices[joints[used, corner]]
                    moved = np.matmul(m[:, :3, :3], points[used, :, None])[:, :, 0] + m[:, :3, 3]
                    result[used] += shares[used, corner:corner + 1] * moved
            k += 1
        return result


def without_partner(rows, others, tolerance):
    """Which rows have none of the others within the tolerance, wherever in the file it is: some formats write vertices in
    another order, or merge them."""
    alone = np.ones(len(rows), bool)
    if not len(others) or not len(rows):
        return alone
    for shift in (0.0, 0.5):
        alone &= ~np.isin(cells(rows, 8 * tolerance, shift), cells(others, 8 * tolerance, shift))
    # Those that only lie across the border of a cell
    for i in np.nonzero(alone)[0][:MOST_DOUBTFUL]:
        alone[i] = np.abs(others - rows[i]).max(axis=1).min() > tolerance
    return alone


def cells(rows, size, shift):
    number = np.zeros(len(rows), np.uint64)
    with np.errstate(over="ignore", invalid="ignore"):
        for column in np.floor(rows / size + shift).astype(np.int64).astype(np.uint64).T:
            number = (number ^ column) * np.uint64(0x9E3779B97F4A7C15)
            number ^= number >> np.uint64(29)
    return number


class Proof:
    def __init__(self, exporter, scene, path, folder):
        self.exporter, self.scene, self.path, self.folder = exporter, scene, path, folder
        self.findings, self.compared, self.disordered = [], [], []
        self.worst = {}  # (clip, object) -> its worst moment

    def say(self, severity, identifier, text, **target):
        self.findings.append(finding(severity, identifier, text, **target))

    def make(self):
        """The findings: differences from the scene, and what `check` says of the file."""
        try:
            target = self.folder / "proof.glb"
            command.convert(self.path, target)
            self.reread = Reread(target.read_bytes())
        except command.Failure as failure:
            self.say("error", "proof-unreadable", f"what was written cannot be read again: {failure}")
            return self.findings
        expected = self.expected()
        self.pairs, self.free = self.match(expected)
        if self.scene.options["apply_transforms"]:
            self.compare_rest()
        self.compare_attributes()
        if self.scene.options["apply_transforms"]:
            self.compare_clips()
        self.check()
        self.summarise()
        return self.findings

    def expected(self):
        """[(parts, matrix of an instance or None)] in the order in which they were written."""
        joined = getattr(self.scene, "joined", None)
        result = [(parts, None) for parts in joined] if joined else [([part], None) for part in self.scene.parts]
        return result + [([part], matrix) for _, parts, matrix in self.scene.instances for part in parts]

    def match(self, expected):
        """Each written primitive with the parts that it is of, by order and number of vertices."""
        free, pairs = list(expected), []
        for item in self.reread.drawn:
            accessor = item[1]["attributes"].get("POSITION")
            count = self.reread.glb.json["accessors"][accessor]["count"] if accessor is not None else 0
            size = lambda e: sum(len(p.positions) for p in e[0])
            found = next((e for e in free if size(e) == count), None)
            if found is not None:
                free.remove(found)
                pairs.append((item, *found))
        return pairs, free if self.exporter.format != "sga" else []

    # ---- Attributes ----

    def compare_attributes(self):
        for (_, primitive), parts, _ in self.ordered():
            for i in range(len(parts[0].uvs)):
                self.compare_rows(primitive, f"TEXCOORD_{i}", [p.uvs[i] for p in parts], parts, "texture coordinates")
            if parts[0].colors and self.scene.options["color_space"] == "LINEAR":
                self.compare_rows(primitive, "COLOR_0", [p.colors[0] for p in parts], parts, "colours")

    def compare_rows(self, primitive, name, rows, parts, what):
        there = self.reread.rows(primitive, name)
        if there is None:
            return  # the format does not hold it, and Stele has said so
        rows = np.concatenate(rows)
        width = min(rows.shape[1], there.shape[1])
        error = np.abs(rows[:, :width].astype(np.float64) - there[:, :width]).max(axis=1)
        limit = 1 / 255 if name == "COLOR_0" else 1e-3  # some formats have bytes
        if error.max(initial=0) > limit:
            # Vertices at one place may have changed theirs
            points = self.reread.rows(primitive, "POSITION").astype(np.float64) / self.size()
            bad = without_partner(np.column_stack([points, rows[:, :width]]), np.column_stack([points, there[:, :width]]), limit)
            if bad.any():
                self.blame(f"{what} differ by up to {error[bad].max():.2g}", bad, parts)

    def blame(self, text, bad, parts):
        """A finding for each object, with the vertices that are concerned."""
        at = 0
        for part in parts:
            mine = bad[at:at + len(part.positions)]
            at += len(part.positions)
            if mine.any():
                self.say("warning", "proof-differs", f"{part.obj.name}: {text} at {int(mine.sum())} vertices", kind="VERTICES",
                         name=part.obj.name, items=np.unique(part.vertices[mine])[:10000].tolist())

    # ---- Positions ----

    def size(self):
        points = [p.positions for _, parts, _ in self.pairs for p in parts if len(p.positions)]
        if not points:
            return 1.0
        low, high = np.min([p.min(axis=0) for p in points], axis=0), np.max([p.max(axis=0) for p in points], axis=0)
        return float(np.linalg.norm(high - low)) or 1.0

    def compare_rest(self):
        from .import_rig import REST
        if any(REST in bone for rig in self.scene.rigs for bone in rig.bones):
            return  # the file's rest pose is not the one that is bound
        matrices, weights = self.reread.locals(None, 0)
        worlds = self.reread.worlds(matrices)
        worst, size, moved = 0.0, self.size(), []
        for item, parts, matrix in self.pairs:
            if any(p.morphs for p in parts):
                continue
            there = self.reread.positions(item, worlds, weights)
            here = np.concatenate([self.rest_of(p, matrix) for p in parts])
            error = np.linalg.norm(here - there, axis=1) / size
            if error.max(initial=0) > FAR:
                moved.append((item, parts, matrix))
            else:
                worst = max(worst, float(error.max(initial=0)))
        self.disordered = [id(item) for item, _, _ in moved]
        moved += [(None, parts, matrix) for parts, matrix in self.free]
        if moved:
            all_there = np.concatenate([self.reread.positions(item, worlds, weights) for item in self.reread.drawn] or [np.zeros((0, 3))])
            for _, parts, matrix in moved:
                here = np.concatenate([self.rest_of(p, matrix) for p in parts])
                bad = without_partner(here / size, all_there / size, FAR)
                if bad.any():
                    self.blame("positions are not those of the scene", bad, parts)
                    worst = max(worst, FAR * 2)
        self.compared.append(("at rest", worst))

    def ordered(self):
        """The pairs whose vertices are in the file in the scene's order."""
        return [pair for pair in self.pairs if id(pair[0]) not in self.disordered]

    def rest_of(self, part, matrix):
        if matrix is not None:
            place = matrix
        elif part.rig is not None:
            place = self.scene.worlds[part.rig.obj.name]
        elif self.scene.options["objects"] == "JOIN":
            place = np.eye(4)
        else:
            place = self.scene.worlds[part.obj.name]
        place = space.to_file(place)
        return part.positions.astype(np.float64) @ place[:3, :3].T + place[:3, 3]

    def compare_clips(self):
        clips = {}
        for clip in self.reread.clips:
            clips.setdefault(clip.get("name", ""), clip)
        sampled = [s for s in self.scene.clips if s.clip.name in clips]
        pairs = [pair for pair in self.ordered() if pair[2] is None]
        if not sampled or not pairs:
            return
        self.arrange_modifiers()
        count = sum(len(p.positions) for _, parts, _ in pairs for p in parts)
        poses = int(np.clip(MOST_WORK // max(count, 1), 2, MOST_POSES))
        each = max(1, poses // len(sampled))
        sampler = export_clips.Sampler(self.scene, [], [])
        for one in sampled[:poses]:
            sampler.arrange(one.clip)
            at = np.unique(np.linspace(0, len(one.frames) - 1, each + 1).astype(int))[-each:]
            for k in at:
                self.compare_pose(sampler, one, clips[one.clip.name], int(k), pairs)
        for (clip, _), (error, frame, bad, parts) in self.worst.items():
            self.blame(f"in {clip} at frame {frame:g} positions differ by up to {error:.2g} of the model's size", bad, parts)

    def arrange_modifiers(self):
        for rig in self.scene.rigs:
            rig.obj.data.pose_position = "POSE"
        for obj in self.scene.meshes:
            for modifier in obj.modifiers:
                if modifier.type == "ARMATURE":
                    modifier.show_viewport = True
                elif not self.scene.options["apply_modifiers"]:
                    modifier.show_viewport = False
            for block in obj.data.shape_keys.key_blocks if getattr(obj.data, "shape_keys", None) else ():
                block.mute = False

    def compare_pose(self, sampler, one, clip, k, pairs):
        depsgraph = sampler.show(one.clip, one.frames[k])
        matrices, weights = self.reread.locals(clip, float(one.seconds[k]) + 1e-6)
        worlds, size, worst = self.reread.worlds(matrices), self.size(), 0.0
        for item, parts, _ in pairs:
            here = [self.shown(p, depsgraph) for p in parts]
            if any(rows is None for rows in here):
                continue
            error = np.linalg.norm(np.concatenate(here) - self.reread.positions(item, worlds, weights), axis=1) / size
            worst = max(worst, float(error.max(initial=0)))
            if error.max(initial=0) > max(FAR, self.worst.get((one.clip.name, parts[0].obj.name), (0,))[0]):
                self.worst[one.clip.name, parts[0].obj.name] = (float(error.max()), one.frames[k], error > FAR, parts)
        self.compared.append((f"{one.clip.name} at {one.frames[k]:g}", worst))

    @staticmethod
    def shown(part, depsgraph):
        """Where the scene shows the part's vertices, in the file's axes."""
        evaluated = part.obj.evaluated_get(depsgraph)
        mesh = evaluated.data if part.obj.type == "MESH" else None
        if mesh is None or len(mesh.vertices) <= part.vertices.max(initial=-1):
            return None
        points = export_mesh.read(mesh.vertices, "co", 3)[part.vertices].astype(np.float64)
        place = space.BLENDER_TO_FILE @ np.array(evaluated.matrix_world, np.float64)
        return points @ place[:3, :3].T + place[:3, 3]

    # ---- What the file says of itself ----

    def check(self):
        target = TARGETS.get(self.exporter.format)
        document = command.check(self.path, *(["--target", target] if target else []))
        for d in document.get("diagnostics", []):
            if d["severity"] == "note":
                continue
            self.findings.append({**d, **self.target_of(d)})

    def target_of(self, diagnostic):
        """What a click on a finding of `check` selects."""
        found = PLACE.match(diagnostic.get("path") or "")
        if not found:
            return {}
        kind, index = found[1], int(found[2])
        if kind == "clip" and index < len(self.scene.clips):
            return {"kind": "ACTION", "name": self.scene.clips[index].clip.plays[0].action.name}
        if kind == "bone" and self.scene.rigs and index < len(self.scene.rigs[0].names):
            return {"kind": "BONES", "name": self.scene.rigs[0].obj.name, "items": [self.scene.rigs[0].names[index]]}
        if kind not in ("mesh", "material") or index >= len(self.pairs):
            return {}
        part, number = self.pairs[index][1][0], found[4]
        if number is None:
            return {"kind": "OBJECT", "name": part.obj.name}
        number = int(number)
        if found[3] == "indices" and number < len(part.indices):
            corners = part.indices[number // 3 * 3:number // 3 * 3 + 3]
            return {"kind": "VERTICES", "name": part.obj.name, "items": part.vertices[corners].tolist()}
        if found[3] == "vertices" and number < len(part.vertices):
            return {"kind": "VERTICES", "name": part.obj.name, "items": [int(part.vertices[number])]}
        return {"kind": "OBJECT", "name": part.obj.name}

    def summarise(self):
        if not self.compared:
            return
        where, worst = max(self.compared, key=lambda item: item[1])
        severity = "note" if worst <= FAR else "warning"
        self.say(severity, "proof", f"{self.path.name} was read again: {len(self.pairs)} meshes, {len(self.compared)} poses; "
                 f"vertices are at most {worst:.1e} of the model's size from the scene ({where})")
