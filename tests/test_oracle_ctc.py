#!/usr/bin/env python3
"""Stele against an independent writer of CTC that knows nothing but the layout: random models, with their sections in any order
and with gaps between them.

STELE names the binary (default: build/stele).
"""
import json
import os
import random
import struct
import subprocess
import tempfile
import unittest
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STELE = os.path.abspath(os.environ.get("STELE", ROOT / "build" / "stele"))
SEED = 20010629
HEADER = 144

# Where the words of the header are.
COUNT = {"skins": 0x14, "verts": 0x18, "uv count": 0x1C, "tris": 0x20, "commands": 0x24, "frames": 0x28, "animations": 0x2C,
         "bones": 0x30, "morphs": 0x34, "attachments": 0x38, "lists": 0x3C, "unknown5": 0x40, "colors": 0x48}
OFFSET = {"skins": 0x4C, "verts": 0x50, "output": 0x54, "tris": 0x58, "uvs": 0x5C, "bones": 0x60, "weights": 0x64,
          "animations": 0x68, "frames": 0x6C, "commands": 0x70, "morphs": 0x74, "attachments": 0x78, "lists": 0x7C,
          "unknown5": 0x80, "tris3": 0x84, "colors": 0x88}
END = 0x8C


@dataclass
class Model:
    counts: dict
    sections: dict  # name: bytes
    version: int = 11
    order: list = field(default_factory=list)
    gaps: list = field(default_factory=list)  # before each section, and one at the end
    stray: dict = field(default_factory=dict)  # offsets of sections that are not there

    def write(self):
        header, body, self.places = bytearray(HEADER), b"", {}
        for name, gap in zip(self.order, self.gaps):
            body += gap
            self.places[name] = HEADER + len(body)
            body += self.sections[name]
        body += self.gaps[-1]
        struct.pack_into("<4s4i", header, 0, b"SMDL", self.version, 256, 128, -5)
        struct.pack_into("<f", header, 0x44, 1.5)
        for name, count in self.counts.items():
            struct.pack_into("<i", header, COUNT[name], count)
        for name, place in (self.stray | self.places).items():
            struct.pack_into("<i", header, OFFSET[name], place)
        struct.pack_into("<i", header, END, HEADER + len(body))
        return bytes(header) + body


def noise(rng, size):
    return rng.randbytes(size)


def name(rng, size):
    return "".join(rng.choices("abcxyz", k=rng.randrange(size))).encode().ljust(size, b"\0")


def floats(rng, count):
    return struct.pack(f"<{count}f", *(rng.uniform(-9, 9) for _ in range(count)))


def bones(rng, count):
    out = []
    for i in range(count):
        parent = rng.randrange(i + 1)
        out.append(struct.pack("<ii", parent, 0) + noise(rng, 4) + floats(rng, 6) + noise(rng, 64) + floats(rng, 16))
    return b"".join(out)


def weights(rng, vertices, bone_count):
    out = [b"STGW"]
    usual = rng.randrange(1, 7)
    for _ in range(vertices):
        count = usual if rng.random() < 0.8 else rng.randrange(7)
        out.append(struct.pack("<I", count))
        out += [struct.pack("<If", rng.randrange(bone_count), 1 / count) for _ in range(count)]
    return b"".join(out)


def morphs(rng, count, vertices):
    sizes = [rng.randrange(4) if vertices else 0 for _ in range(count)]
    heads = [name(rng, 16) + struct.pack("<I", n) + noise(rng, 12) for n in sizes]
    return b"".join(heads + [struct.pack(f"<{n}I", *(rng.randrange(vertices) for _ in range(n))) + floats(rng, 3 * n)
                             for n in sizes])


def invent(rng):
    """A model of random size without errors."""
    c = {key: rng.choice((0, 0, 1, 2, 5)) for key in COUNT}
    c["verts"] = rng.choice((0, 1, 3, 20))
    c["tris"] = rng.choice((0, 1, 7)) if c["verts"] else 0
    c["attachments"] = c["attachments"] if c["tris"] else 0
    # 12 times the triangles would be a number of bytes
    c["colors"] = rng.choice((0, 3 * c["tris"], c["verts"]))
    if c["colors"] == 12 * c["tris"]:
        c["colors"] = 0
    v, t, b = c["verts"], c["tris"], c["bones"]
    s = {
        "skins": b"".join(name(rng, 64) for _ in range(c["skins"])),
        "verts": floats(rng, 6 * v),
        "output": noise(rng, 24 * v),
        "tris": struct.pack(f"<{3 * t}H", *(rng.randrange(v) for _ in range(3 * t))),
        "uvs": floats(rng, 6 * t),
        "bones": bones(rng, b),
        "weights": weights(rng, v, b) if v and b else b"",
        "animations": b"".join(name(rng, 16) + struct.pack("<2I", rng.randrange(5), rng.randrange(5)) for _ in range(c["animations"])),
        "frames": floats(rng, 6 * (1 + b) * c["frames"]),
        "commands": noise(rng, 4 * c["commands"]),
        "morphs": morphs(rng, c["morphs"], v),
        "attachments": b"".join(name(rng, 8) + struct.pack("<i", rng.randrange(t)) for _ in range(c["attachments"])),
        "lists": bytes(4 * c["lists"]),
        "unknown5": noise(rng, 28 * c["unknown5"]),
        "tris3": noise(rng, 40 * t) if c["unknown5"] else b"",
        "colors": noise(rng, 4 * c["colors"]),
    }
    order = [key for key in s if s[key]]
    rng.shuffle(order)
    gaps = [noise(rng, rng.choice((0, 0, 1, 2, 4, 30))) for _ in range(len(order) + 1)]
    stray = {key: rng.choice((0, 1, 143, 500, -1, 2**31 - 1)) for key in s if not s[key]}
    return Model(c, {key: s[key] for key in order}, rng.choice((8, 9, 10, 11, 11, 11)), order, gaps, stray)


def stele(*arguments, **more):
    return subprocess.run([STELE, *map(str, arguments)], capture_output=True, check=False, **more)


def documents(result):
    return {Path(d["file"]).name: d for d in map(json.loads, result.stdout.splitlines())}


class RandomModels(unittest.TestCase):
    FILES = 400

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def put(self, count, seed, change=lambda rng, model: model.write()):
        rng, models = random.Random(seed), {}
        while len(models) < count:
            model = invent(rng)
            data = change(rng, model)
            if data is not None:
                models[f"{len(models):04}.ctc"] = (model, data)
        for file, (_, data) in models.items():
            (self.folder / file).write_bytes(data)
        return models

    def test_accepted_and_explained_exactly_once(self):
        models = self.put(self.FILES, SEED)
        found = documents(stele("explain", "--json", "-r", self.folder))
        self.assertEqual(len(found), self.FILES)
        for file, (model, data) in models.items():
            with self.subTest(file):
                self.assertEqual((found[file]["format"], found[file]["dialect"]), ("ctc", f"v{model.version}"))
                self.assertEqual([d for d in found[file]["diagnostics"] if d["severity"] == "error"], [])
                at, gaps, starts = 0, 0, set()
                for entry in found[file]["fields"]:
                    self.assertEqual(entry["offset"], at)
                    at += entry["size"]
                    gaps += entry["size"] * (entry["type"] == "gap")
                    starts.add(entry["offset"])
                self.assertEqual(at, len(data))
                self.assertEqual(gaps, sum(map(len, model.gaps)))
                self.assertLessEqual(set(model.places.values()), starts)

    def test_sound_content_has_no_errors(self):
        self.put(self.FILES, SEED)
        found = documents(stele("info", "--json", "-r", self.folder))
        for file, document in found.items():
            with self.subTest(file):
                self.assertEqual([d for d in document["diagnostics"] if d["severity"] == "error"], [])

    def test_summary(self):
        models = self.put(self.FILES, SEED)
        found = documents(stele("info", "--json", "-r", self.folder))
        for file, (model, _) in models.items():
            with self.subTest(file):
                document, c = found[file], model.counts
                self.assertEqual(document["joints"], c["bones"])
                self.assertEqual((document["morphs"], document["attachments"]), (c["morphs"], c["attachments"]))
                self.assertEqual(len(document["materials"]), c["skins"])
                self.assertEqual(len(document["meshes"]), c["lists"] or bool(c["verts"]))
                names = [m["textures"][0]["name"].encode() for m in document["materials"]]
                skins = model.sections.get("skins", b"")
                self.assertEqual(names, [skins[i:i + 64].rstrip(b"\0") for i in range(0, len(skins), 64)])

    def test_rewritten_exactly(self):
        for file, (_, data) in self.put(150, SEED + 1).items():
            with self.subTest(file):
                self.assertEqual(stele("convert", self.folder / file, "-").stdout, data)

    def test_overlaps_are_refused(self):
        def overlap(rng, model):
            data = bytearray(model.write())
            if len(model.order) < 2:
                return None
            before, after = rng.choice(list(zip(model.order, model.order[1:])))
            place = model.places[before] + rng.randrange(len(model.sections[before]))
            struct.pack_into("<i", data, OFFSET[after], place)
            return bytes(data)

        self.put(self.FILES, SEED + 2, overlap)
        found = documents(stele("check", "--json", "-r", self.folder))
        self.assertEqual(len(found), self.FILES)
        for file, document in found.items():
            with self.subTest(file):
                errors = {d["id"] for d in document["diagnostics"] if d["severity"] == "error"}
                # where the section that was moved is read first, the other one may fail in another way
                self.assertTrue(errors & {"section-overlap", "truncated", "count-too-large", "bad-magic"}, errors)

    def test_offsets_outside_are_refused(self):
        def stray(rng, model):
            data = bytearray(model.write())
            if not model.order:
                return None
            place = rng.choice((0, 4, HEADER - 1, len(data) + 1, 2**31 - 1, -1))
            struct.pack_into("<i", data, OFFSET[rng.choice(model.order)], place)
            return bytes(data)

        self.put(200, SEED + 3, stray)
        for file, document in documents(stele("check", "--json", "-r", self.folder)).items():
            with self.subTest(file):
                self.assertIn("error", {d["severity"] for d in document["diagnostics"]})

    def expected(self, model, version):
        """What a conversion makes of a model: the sections in the order of the header, scratch emptied, children counted."""
        sections = {key: model.sections[key] for key in OFFSET if key in model.sections}
        for scratch in ("output", "tris3"):
            if scratch in sections:
                sections[scratch] = bytes(len(sections[scratch]))
        rows = bytearray(sections.get("bones", b""))
        parents = [struct.unpack_from("<i", rows, i)[0] for i in range(0, len(rows), 164)]
        for i in range(len(parents)):
            struct.pack_into("<iI", rows, 164 * i + 4, parents.count(i + 1), 0)
            rows[164 * i + 36:164 * i + 100] = bytes(64)
        if rows:
            sections["bones"] = bytes(rows)
        rows = bytearray(sections.get("morphs", b""))
        for i in range(model.counts["morphs"]):
            rows[32 * i + 20:32 * i + 32] = bytes(12)
        if rows:
            sections["morphs"] = bytes(rows)
        data = bytearray(Model(model.counts, sections, version, list(sections), [b""] * (len(sections) + 1)).write())
        data[0x44:0x48] = bytes(4)
        return bytes(data)

    def test_conversion_keeps_every_section(self):
        for file, (model, _) in self.put(150, SEED + 4).items():
            version = 11 if model.version != 11 else 8
            result = stele("convert", self.folder / file, "-", "--dialect", f"v{version}")
            with self.subTest(file):
                self.assertEqual(result.stdout, self.expected(model, version))
                self.assertEqual(b"[loss-gap]" in result.stderr, any(any(gap) for gap in model.gaps))

    def test_truncation(self):
        def cut(rng, model):
            data = model.write()
            last = HEADER + sum(map(len, model.gaps[:-1])) + sum(map(len, model.sections.values()))
            return data[:rng.randrange(8, last)] if model.order else None

        self.put(200, SEED + 5, cut)
        for file, document in documents(stele("check", "--json", "-r", self.folder)).items():
            with self.subTest(file):
                self.assertIn("error", {d["severity"] for d in document["diagnostics"]})

    def test_a_huge_claim_costs_nothing(self):
        for word in COUNT.values():
            data = bytearray(HEADER)
            struct.pack_into("<4si", data, 0, b"SMDL", 11)
            for offset in OFFSET.values():
                struct.pack_into("<i", data, offset, HEADER)
            struct.pack_into("<i", data, word, 2**31 - 1)
            document = json.loads(stele("check", "--json", "-", input=bytes(data)).stdout)
            errors = [d["id"] for d in document["diagnostics"] if d["severity"] == "error"]
            with self.subTest(hex(word)):
                self.assertEqual(errors, [] if word == COUNT["uv count"] else ["count-too-large"])


if __name__ == "__main__":
    unittest.main()
