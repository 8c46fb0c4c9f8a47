#!/usr/bin/env python3
"""TWM by somebody else: random files of every version and reading, written with struct alone. The command must recognise them,
write them back identically, and carry their meaning to every version."""
import json
import os
import random
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STELE = os.environ.get("STELE", str(ROOT / "build" / "stele"))
FILES = 400


def number(rng):
    return struct.unpack("<f", struct.pack("<f", rng.uniform(-2, 2)))[0]


def invent_mesh(rng, joints, deformer):
    n = rng.randrange(1, 30)
    mesh = {"position": [[number(rng) for _ in range(3)] for _ in range(n)], "deformer": deformer}
    for name, width in (("normal", 3), ("uv", 2), ("tangent", 3), ("binormal", 3)):
        if rng.random() < 0.5:
            mesh[name] = [[number(rng) or 1.0 for _ in range(width)] for _ in range(n)]
    mesh["indices"] = [rng.randrange(n) for _ in range(3 * rng.randrange(0, 20))]
    mesh["clusters"] = [[(rng.randrange(joints), rng.random()) for _ in range(rng.randrange(4))] if joints else []
                        for _ in range(n)]
    return mesh


def invent(rng):
    joints = rng.randrange(0, 6)
    model = {"joints": [(rng.randrange(j) if j else 0, [number(rng) for _ in range(15)] + [1.0]) for j in range(joints)]}
    model["meshes"] = [invent_mesh(rng, joints, joints > 0 and rng.random() < 0.7) for _ in range(rng.randrange(0, 4))]
    model["clips"] = [[[(100 * k, [number(rng) for _ in range(10)]) for k in range(rng.randrange(4))] for _ in range(joints)]
                      for _ in range(rng.randrange(3) if joints else 0)]
    return model


def floats(rows):
    return b"".join(struct.pack(f"<{len(row)}f", *row) for row in rows)


def cluster_bytes(mesh):
    out = b""
    for cluster in mesh["clusters"]:
        out += struct.pack("<Q", len(cluster)) + b"".join(struct.pack("<Id", *pair) for pair in cluster)
    return out


def write(model, version, stride=72, inside=False, gate="deformer", lie=False, narrow=False):
    count = "<I" if version == 3 else "<Q"
    skeleton = bool(model["joints"])
    has_clusters = lambda mesh: skeleton and (gate == "all" or (gate == "deformer" and mesh["deformer"]))
    out = b".twm" + struct.pack("<IIB3x", version, len(model["meshes"]), skeleton or lie)
    if skeleton:
        out += struct.pack("<I", len(model["joints"]))
        for parent, matrix in model["joints"]:
            out += struct.pack("<I", parent) + (b"\0" * 4 if stride == 72 else b"") + struct.pack("<16f", *matrix)
    for mesh in model["meshes"]:
        out += struct.pack(count, len(mesh["position"]))
        out += bytes(name in mesh for name in ("normal", "uv", "tangent", "binormal")) + bytes([mesh["deformer"], 0, 0, 0])
        for name in ("position", "normal", "uv", "tangent", "binormal"):
            out += floats(mesh.get(name, []))
        wide = version <= 1 and not narrow
        out += struct.pack(count, len(mesh["indices"]))
        out += struct.pack(f"<{len(mesh['indices'])}{'Q' if wide else 'I'}", *mesh["indices"])
        if inside and has_clusters(mesh):
            out += cluster_bytes(mesh)
    for mesh in model["meshes"]:
        if not inside and has_clusters(mesh):
            out += cluster_bytes(mesh)
    out += struct.pack("<I", len(model["clips"]))
    for clip in model["clips"]:
        for track in clip:
            out += struct.pack("<I", len(track)) + b"".join(struct.pack("<I10f", time, *key) for time, key in track)
    return out + b".twm END OF FILE"


def packed(content):
    """A block of literals only, in runs, so that it is LZ4 without a compressor."""
    extra = len(content) - 15
    return struct.pack("<Q", len(content)) + b"\xf0" + b"\xff" * (extra // 255) + bytes([extra % 255]) + content


def unpacked(data):
    """LZ4 blocks, from their description."""
    size, at, out = struct.unpack_from("<Q", data)[0], 8, bytearray()

    def length(nibble):
        nonlocal at
        total = nibble
        while nibble == 15:
            total += data[at]
            at += 1
            if data[at - 1] != 255:
                break
        return total

    while at < len(data):
        token = data[at]
        at += 1
        literals = length(token >> 4)
        out += data[at:at + literals]
        at += literals
        if at >= len(data):
            break
        distance = struct.unpack_from("<H", data, at)[0]
        at += 2
        for _ in range(length(token & 15) + 4):
            out.append(out[-distance])
    assert len(out) == size
    return bytes(out)


def recommended(model, version):
    """What we write: clusters for all meshes, after them, and no promise of a skeleton that is not there."""
    meaning = json.loads(json.dumps(model))
    skeleton = bool(model["joints"])
    for mesh, old in zip(meaning["meshes"], model["meshes"]):
        if skeleton and not old["has_clusters"]:
            mesh["clusters"] = [[] for _ in mesh["position"]]
        mesh["deformer"] = mesh["deformer"] or skeleton
    return write(meaning, version)


def invent_files(folder):
    rng = random.Random(11)
    cases = {}
    for i in range(FILES):
        model, version = invent(rng), rng.randrange(4)
        how = {}
        if model["joints"]:
            how = {"stride": rng.choice((72, 68)), "inside": rng.random() < 0.5, "gate": rng.choice(("deformer", "all", "none"))}
        elif rng.random() < 0.5:
            how = {"lie": True}
        if version <= 1 and rng.random() < 0.3:
            how["narrow"] = True
        gate = how.get("gate", "deformer")
        for mesh in model["meshes"]:
            mesh["has_clusters"] = bool(model["joints"]) and (gate == "all" or (gate == "deformer" and mesh["deformer"]))
        data = write(model, version, **how)
        (folder / f"{i:03}.twm").write_bytes(packed(data) if version == 0 else data)
        cases[f"{i:03}.twm"] = (model, version, how)
    return cases


def half_zero(mesh):
    """4-byte indices that look like the half-written 8-byte ones."""
    return len(mesh["indices"]) >= 6 and not any(mesh["indices"][1::2])


class RandomFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name) / "in"
        cls.folder.mkdir()
        cls.cases = invent_files(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def run_stele(self, *arguments):
        return subprocess.run([STELE, *arguments], capture_output=True, text=True)

    def test_they_are_recognised(self):
        documents = [json.loads(line) for line in self.run_stele("info", "--json", "-r", str(self.folder)).stdout.splitlines()]
        self.assertEqual(len(documents), FILES)
        for document in documents:
            model, version, _ = self.cases[Path(document["file"]).name]
            with self.subTest(document["file"]):
                self.assertEqual((document["format"], document["dialect"]), ("twm", f"v{version}"))
                self.assertEqual(document["joints"], len(model["joints"]))
                self.assertEqual([m["vertices"] for m in document["meshes"]], [len(m["position"]) for m in model["meshes"]])
                self.assertEqual([c["keys"] for c in document["clips"]], [sum(map(len, clip)) for clip in model["clips"]])

    def test_they_are_written_back(self):
        out = self.folder.parent / "same"
        result = self.run_stele("convert", "-q", "-r", str(self.folder), "--out-dir", str(out))
        self.assertEqual(result.returncode, 0, result.stderr)
        for name in self.cases:
            self.assertEqual((out / name).read_bytes(), (self.folder / name).read_bytes(), name)

    def test_their_meaning_is_carried_to_every_version(self):
        for version in range(4):
            out = self.folder.parent / f"v{version}"
            result = self.run_stele("convert", "-q", "-r", str(self.folder), "--out-dir", str(out), "--dialect", f"v{version}")
            self.assertEqual(result.returncode, 0, result.stderr)
            for name, (model, old, how) in self.cases.items():
                if any(map(half_zero, model["meshes"])):
                    continue
                data = (out / name).read_bytes()
                with self.subTest(name, version=version):
                    self.assertEqual(unpacked(data) if version == 0 else data, self.expected(model, old, version, how))

    def expected(self, model, old, version, how):
        # a file whose bytes are those of the recommended reading stays what it is
        if version == old and write(model, version, **how) == write(model, version):
            return write(model, version)
        return recommended(model, version)

    def test_every_byte_is_explained(self):
        for line in self.run_stele("explain", "--json", "-r", str(self.folder)).stdout.splitlines():
            document, at = json.loads(line), 0
            for field in document["fields"]:
                self.assertEqual(field["offset"], at)
                at += field["size"]
            self.assertEqual(at, Path(document["file"]).stat().st_size)


if __name__ == "__main__":
    unittest.main()
