"""Bytes of the source into what was written. `stele explain` says where each record of a file begins and ends; a record that was
not touched is taken from the source as it is, with the numbers that say where it is now."""
import os
import re
from pathlib import Path

import numpy as np

from . import command, records

NUMBERS = ("id", "material")  # of a record: they say where it or its material is
RECORD = re.compile(r"^(mesh|material|bone|clip)\[(\d+)\]")


def write_source(files, folder, path):
    """The files as they were; Stele gives those beside the first the names that belong there."""
    name, data = files[0]
    kept = folder / "source"
    kept.mkdir()
    for other, content in files:
        target = kept / os.path.basename(other)
        target.write_bytes(content)
    return command.convert(kept / os.path.basename(name), path)


class Layout:
    """A file as runs of bytes: its records, and what lies between them."""

    def __init__(self, path):
        self.data = Path(path).read_bytes()
        explained = command.explain(path)
        self.format, self.dialect = explained["format"], explained["dialect"]
        self.fields = explained["fields"]
        self.by_path = {field["path"]: field for field in self.fields}
        self.runs = []  # [kind, index, start, end]
        for field in self.fields:
            found = RECORD.match(field["path"] or "")
            kind, index = (found[1], int(found[2])) if found else (None, None)
            start, end = field["offset"], field["offset"] + field["size"]
            if self.runs and kind is not None and self.runs[-1][:2] == [kind, index]:
                self.runs[-1][3] = end
            else:
                self.runs.append([kind, index, start, end])
        self.by_record = {(run[0], run[1]): run for run in self.runs if run[0] is not None}

    def record(self, kind, index):
        return self.by_record.get((kind, index))

    def field(self, path):
        return self.by_path.get(path)

    def text(self, path):
        field = self.field(path)
        return field["value"] if field is not None else None


def restore(scene, same, document, folder, path, options):
    """Gives how many records got their bytes back."""
    count = 0
    written = [path] + [Path(p) if os.path.isabs(p) else path.parent / os.path.basename(p) for p in document.get("beside", [])]
    files = records.source_files(same.text) if same.text is not None else None
    for target in written:
        ending = target.suffix.lower()
        if ending not in (".sgm", ".sga") or not target.is_file():
            continue
        if ending == ".sgm" and options["color_space"] == "SRGB":
            round_colors(target)
        source = next((f for f in files or () if f[0].lower().endswith(ending)), None)
        if source is None or not (same.meshes or same.materials or same.clips or same.skeleton):
            continue
        original = folder / ("original" + ending)
        original.write_bytes(source[1])
        count += (restore_model if ending == ".sgm" else restore_skeleton)(scene, same, Layout(original), target, options)
    return count


def rebuilt(layout, original, chosen):
    """The file with records of the source in the places of its own: `chosen` maps (kind, index) to the source's index."""
    pieces = []
    for kind, index, start, end in layout.runs:
        other = original.record(kind, chosen[kind, index]) if (kind, index) in chosen else None
        if other is None:
            pieces.append(layout.data[start:end])
            continue
        piece = bytearray(original.data[other[2]:other[3]])
        for name in NUMBERS:
            mine, theirs = layout.field(f"{kind}[{index}].{name}"), original.field(f"{kind}[{chosen[kind, index]}].{name}")
            if mine is not None and theirs is not None and mine["size"] == theirs["size"]:
                at = theirs["offset"] - other[2]
                piece[at:at + theirs["size"]] = layout.data[mine["offset"]:mine["offset"] + mine["size"]]
        pieces.append(bytes(piece))
    return b"".join(pieces)


def replace(target, data):
    """As the command does it: complete or not at all."""
    temporary = target.with_name(f".stele-{os.getpid()}.tmp")
    temporary.write_bytes(data)
    os.replace(temporary, target)


def restore_model(scene, same, original, target, options):
    """Meshes and materials of an .sgm. Vertices name bones by number, so the bones must still be the same ones."""
    layout = Layout(target)
    if layout.dialect != original.dialect or options["objects"] == "JOIN" or not options["apply_transforms"] or scene.instances:
        return 0
    skinned_ok = not scene.rigs or same.skeleton or bones_begin_alike(scene)
    chosen = {}
    for index, part in enumerate(scene.parts):
        obj = part.obj
        if obj.name not in same.meshes or (part.rig is not None and not skinned_ok):
            continue
        if options["color_space"] == options["source_color_space"] and options["tangents"] == "AUTO":
            chosen["mesh", index] = records.index_of(obj)
        mesh = original.field(f"mesh[{records.index_of(obj)}].material")
        if part.material is not None and part.material.name in same.materials and mesh is not None and is_name_plain(options):
            chosen["material", index] = mesh["value"]
    data = rebuilt(layout, original, chosen)
    if data != layout.data:
        replace(target, data)
    return sum(kind == "mesh" for kind, _ in chosen)


def is_name_plain(options):
    return not options["texture_extension"]


def bones_begin_alike(scene):
    """New bones at the end do not move the numbers of the others."""
    return all([b.get("stele.joint") for b in rig.bones if "stele.joint" in b] == list(range(sum("stele.joint" in b for b in rig.bones)))
               for rig in scene.rigs)


def restore_skeleton(scene, same, original, target, options):
    """Bones and clips of an .sga; keys are changes to the rest pose, so it must be the same."""
    layout = Layout(target)
    if layout.dialect != original.dialect or not same.skeleton or len(scene.rigs) != 1 or not options["apply_transforms"]:
        return 0
    chosen = {}
    bones = lambda l: [l.text(f"bone[{i}].name") for i in range(sum(run[0] == "bone" for run in l.runs))]
    old, new = bones(original), bones(layout)
    if new[:len(old)] != old:
        return 0
    chosen.update({("bone", i): i for i in range(len(old))})
    names = {}
    for run in original.runs:
        if run[0] == "clip":
            names.setdefault(original.text(f"clip[{run[1]}].name"), run[1])
    untouched = {s.clip.name for s in scene.clips if all(p.action.name in same.clips and p.strip is None for p in s.clip.plays)}
    for run in layout.runs:
        name = layout.text(f"clip[{run[1]}].name") if run[0] == "clip" else None
        if name in names and name.rstrip("\0") in untouched:
            chosen["clip", run[1]] = names[name]
    clips = sum(run[0] == "clip" for run in layout.runs)
    kept = sum(kind == "clip" for kind, _ in chosen)
    if new == old and kept == clips == len(same.clips) == same.count("actions"):
        data = original.data  # with what a model has no place for, such as clips that repeat another
    else:
        data = rebuilt(layout, original, chosen)
    if data != layout.data:
        replace(target, data)
    return kept


def round_colors(target):
    """Stele moves colours that look like those of old files a little, so that they are not taken for them; here they are meant to
    be."""
    layout, data = Layout(target), bytearray(Path(target).read_bytes())
    for field in layout.fields:
        value = field["value"]
        if not field["path"].endswith(".vertices") or not isinstance(value, dict):
            continue
        at = 0
        for column in value["columns"]:
            if column.get("name") == "color":
                rows = np.ndarray((value["count"], column["components"]), "<f4", data, field["offset"] + at,
                                  (value["stride"], 4))
                rows[:, :3] = np.rint(rows[:, :3].astype(np.float64) * 255) / 255
            at += 4 * column["components"]
    replace(target, bytes(data))
