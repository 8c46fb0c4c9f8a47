#!/usr/bin/env python3
"""SFF files that a writer of their own invents, in the profile and in every combination of deviations from it. What Stele makes
of them is known to the byte: the same model, written by that writer as the profile. Nothing here is shared with the library."""
import itertools
import json
import math
import os
import random
import struct
import subprocess
import tempfile
import unittest
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STELE = os.environ.get("STELE", str(ROOT / "build" / "stele"))
SEED = 20260

NORMALS, UVS, INDICES = 2, 4, 8


@dataclass
class Mesh:
    vertices: list  # of lists of tuples: position, normal and uv as far as they are there
    indices: list
    textures: list


@dataclass
class Model:
    content: int  # bits of the format
    meshes: list
    textures: list  # of (path, meshes)


@dataclass
class Style:
    packed: bool = False
    content_flagged: int = None  # what the format says instead
    mode: int = None
    geometry_end: int = None  # added to the offset of the end
    size_excludes: bool = False
    index_bytes: int = 4
    padded: list = field(default_factory=list)  # meshes
    indices_first: bool = False
    count_bytes: int = 4
    nul: bool = False


# ---- Writing ---------------------------------------------------------------------------------------------------------------

def write_mesh(number, mesh, style):
    groups = zip(*mesh.vertices) if style.packed else mesh.vertices
    data = b"".join(struct.pack(f"<{len(part)}f", *part) for group in groups for part in group)
    letter = {4: "I", 2: "H", 0: None}[style.index_bytes]
    indices = struct.pack(f"<{len(mesh.indices)}{letter}", *mesh.indices) if letter else b""
    body = struct.pack("<IIH", len(mesh.vertices), len(mesh.indices), len(mesh.textures))
    body += struct.pack(f"<{len(mesh.textures)}H", *mesh.textures)
    body += b"\xAB\xCD" if number in style.padded else b""
    body += indices + data if style.indices_first else data + indices
    return struct.pack("<I", len(body) + (0 if style.size_excludes else 4)) + body


def write_texture(path, meshes, style):
    path += b"\0" if style.nul else b""
    count = struct.pack("<I", len(meshes))[:style.count_bytes]
    return struct.pack("<I", len(path)) + path + count + struct.pack(f"<{len(meshes)}H", *meshes)


def write(model, style):
    geometry = b"".join(write_mesh(i, mesh, style) for i, mesh in enumerate(model.meshes))
    textures = b"".join(write_texture(path, meshes, style) for path, meshes in model.textures)
    size = len(geometry) if style.geometry_end is None else 14 + len(geometry) + style.geometry_end
    flags = model.content if style.content_flagged is None else style.content_flagged
    mode = int(style.packed) if style.mode is None else style.mode
    return struct.pack("<IIHHH", len(model.meshes), size, flags, mode, len(textures)) + geometry + textures


def profile(model, packed):
    return write(model, Style(packed=packed))


# ---- Inventing -------------------------------------------------------------------------------------------------------------

def invent_vertex(rng, content):
    position = tuple(rng.uniform(-9, 9) for _ in range(3))
    direction = [rng.gauss(0, 1) for _ in range(3)]
    length = math.hypot(*direction)
    vertex = [position]
    if content & NORMALS:
        vertex.append(tuple(x / length for x in direction))
    if content & UVS:
        vertex.append((rng.uniform(0.001, 1), rng.uniform(0.001, 1)))
    return vertex


def invent_mesh(rng, content, textures):
    count = rng.choice((3, 6, 9, 12, 30, 60))
    vertices = [invent_vertex(rng, content) for _ in range(count)]
    indices = [rng.randrange(count) for _ in range(3 * rng.randrange(1, 20))] if content & INDICES else []
    return Mesh(vertices, indices, [rng.randrange(textures) for _ in range(rng.randrange(4))] if textures else [])


def invent_model(rng):
    content = 1 | rng.choice((0, NORMALS)) | rng.choice((0, UVS)) | rng.choice((0, INDICES, INDICES))
    names = [bytes(rng.choice(b"abcxyz./_") for _ in range(rng.randrange(1, 12))) for _ in range(rng.randrange(4))]
    meshes = [invent_mesh(rng, content, len(names)) for _ in range(rng.randrange(1, 5))]
    uses = [[m for m, mesh in enumerate(meshes) if t in mesh.textures] for t in range(len(names))]
    return Model(content, meshes, list(zip(names, uses)))


def invent_style(rng, model):
    """Some deviations; only such as the content can give away."""
    style = Style(packed=rng.random() < 0.5)
    deviate = lambda: rng.random() < 0.25
    if deviate():
        style.geometry_end = rng.choice((0, -1))
    style.size_excludes = deviate()
    if deviate():
        style.content_flagged = 1 | rng.randrange(8) << 1
    if deviate() and model.content & INDICES:
        style.index_bytes = 2
    if deviate():
        style.padded = [i for i in range(len(model.meshes)) if rng.random() < 0.7]
    style.indices_first = deviate() and bool(model.content & INDICES)
    if deviate() and model.content & NORMALS:
        style.mode = int(not style.packed)
    elif deviate() and style.packed:
        style.mode = rng.randrange(2, 65536)
    style.count_bytes = rng.choice((4, 4, 3, 2))
    style.nul = deviate()
    return style


# ---- What a file can mean --------------------------------------------------------------------------------------------------

def content_bytes(mesh, normals, uvs, index_bytes):
    return 14 + 2 * len(mesh.textures) + len(mesh.vertices) * (12 + 12 * normals + 8 * uvs) + index_bytes * len(mesh.indices)


def flag_set(flags, index_bytes):
    """Normals, uvs, bytes of an index."""
    return bool(flags & NORMALS), bool(flags & UVS), index_bytes if flags & INDICES else 0


def possible_sets(model, style):
    """The sets, and whether with padding, for which every mesh has its size. The one that the format says excludes others."""
    flagged = flag_set(model.content if style.content_flagged is None else style.content_flagged, 4)
    widths = (0, 2, 4) if model.content & INDICES else (flagged[2],)
    true = flag_set(model.content, style.index_bytes)
    sizes = [content_bytes(mesh, *true) + 2 * (i in style.padded) for i, mesh in enumerate(model.meshes)]
    sets = []
    for *attributes, padded in itertools.product((False, True), (False, True), widths, (False, True)):
        needed = [content_bytes(mesh, *attributes) for mesh in model.meshes]
        fits = all(size in (need, need + 2 * padded) for size, need in zip(sizes, needed))
        if fits and (sizes != needed or not padded):
            sets.append((tuple(attributes), padded))
    return [(flagged, False)] if (flagged, False) in sets else sets


def textures_end(data, count_bytes):
    at = 0
    while at < len(data):
        if at + 4 > len(data):
            return None
        count = at + 4 + struct.unpack_from("<I", data, at)[0]
        if count + count_bytes > len(data):
            return None
        at = count + count_bytes + 2 * int.from_bytes(data[count:count + count_bytes], "little")
    return at


def unambiguous(model, style):
    """Whether sizes alone lead to what was meant; otherwise the file may be read in another way that they allow too."""
    textures = b"".join(write_texture(path, meshes, style) for path, meshes in model.textures)
    widths = [width for width in (4, 2, 3) if textures_end(textures, width) == len(textures)]
    meant = [(flag_set(model.content, style.index_bytes), bool(style.padded))]
    return possible_sets(model, style) == meant and (not textures or widths[0] == style.count_bytes)


# ---- The tests -------------------------------------------------------------------------------------------------------------

def stele(*arguments, **more):
    return subprocess.run([STELE, *map(str, arguments)], capture_output=True, check=False, **more)


class Invented(unittest.TestCase):
    COUNT = 600

    @classmethod
    def setUpClass(cls):
        rng = random.Random(SEED)
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        cls.files = {}
        for i in range(cls.COUNT):
            model = invent_model(rng)
            style = Style(packed=i % 2 == 0) if i % 6 == 0 else invent_style(rng, model)
            path = cls.folder / f"{i:03}.sff"
            path.write_bytes(write(model, style))
            cls.files[path] = model, style

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def converted(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            result = stele("convert", "--out-dir", folder, *options, *self.files)
            self.assertEqual(result.returncode, 0, result.stderr.decode())
            return {path: Path(folder, path.name).read_bytes() for path in self.files}

    def test_files_are_opened_without_errors(self):
        result = stele("check", "--json", *self.files)
        for line in result.stdout.splitlines():
            document = json.loads(line)
            if "diagnostics" not in document:
                continue
            self.assertEqual(document["format"], "sff")
            self.assertEqual([d for d in document["diagnostics"] if d["severity"] == "error"], [], document["file"])

    def test_rewriting_is_exact(self):
        for path, data in self.converted().items():
            self.assertEqual(data, path.read_bytes(), path.name)

    def test_files_mean_what_was_meant(self):
        compared = 0
        for packed, dialect in enumerate(("interleaved", "packed")):
            for path, data in self.converted("--dialect", dialect).items():
                model, style = self.files[path]
                if unambiguous(model, style):
                    compared += 1
                    self.assertEqual(data, profile(model, bool(packed)), f"{path.name} {style}")
        self.assertGreater(compared, 2 * self.COUNT * 0.9)

    def test_deviations_are_said(self):
        result = stele("check", "--json", *self.files)
        warned = {}
        for line in result.stdout.splitlines():
            document = json.loads(line)
            if "diagnostics" in document:
                warned[document["file"]] = any(d["id"] == "nonstandard-layout" for d in document["diagnostics"])
        for path, (model, style) in self.files.items():
            if unambiguous(model, style):
                self.assertEqual(warned[str(path)], path.read_bytes() != profile(model, style.packed), f"{path.name} {style}")

    def test_content_alone_is_enough(self):
        for path in list(self.files)[:60]:
            document = json.loads(stele("info", "--json", "-", input=path.read_bytes()).stdout)
            self.assertEqual(document["format"], "sff", path.name)


class Damaged(unittest.TestCase):
    """No prefix of a file is taken for a whole one, whatever its deviations."""

    def test_every_way_to_cut_a_file_short(self):
        rng = random.Random(SEED + 1)
        with tempfile.TemporaryDirectory() as folder:
            for i in range(12):
                model = invent_model(rng)
                small = replace(model, meshes=model.meshes[:1], textures=[(path, [0]) for path, _ in model.textures])
                data = write(small, invent_style(rng, small))
                for size in range(1, min(len(data), 500)):
                    Path(folder, f"{i}-{size:04}.sff").write_bytes(data[:size])
            result = stele("check", "--json", "-r", folder)
            for line in result.stdout.splitlines():
                document = json.loads(line)
                if "diagnostics" in document:
                    self.assertTrue([d for d in document["diagnostics"] if d["severity"] == "error"], document["file"])


if __name__ == "__main__":
    unittest.main()
