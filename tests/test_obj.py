#!/usr/bin/env python3
"""OBJ against a reader of its own, which shares no code with the library, against the GLB of the same model, and against
Assimp where it is installed."""
import json
import os
import random
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

from corpus import CORPUS, real_files
from gltf_oracle import Gltf

ROOT = Path(__file__).resolve().parent.parent
STELE = os.path.abspath(os.environ.get("STELE", ROOT / "build" / "stele"))
TRIANGLES = 4
FILES = 60


def f32(x):
    return struct.unpack("<f", struct.pack("<f", float(x)))[0]


class Obj:
    """parts: for each mesh in the order of the file its name and, for each material in the order of use, its faces; a face is a
    list of corners (position, texture coordinate or None, normal or None, colour or None)."""

    def __init__(self, path):
        self.v, self.vt, self.vn, self.colours = [], [], [], []
        self.parts, self.libraries = [], []
        self.material, self.current = None, None
        self.named("")
        for statement in self.statements(Path(path).read_bytes().decode()):
            words = statement.split("#")[0].split()
            if words:
                getattr(self, "do_" + words[0], lambda *_: None)(*words[1:])
        self.parts = [(name, faces) for name, faces in self.parts if faces]

    @staticmethod
    def statements(text):
        """Lines, joined where they go on; a comment never does."""
        statement = ""
        for line in text.split("\n"):
            line = line[:-1] if line.endswith("\r") else line
            goes_on = line.endswith("\\") and not (statement + line).lstrip().startswith("#")
            statement += line[:-1] + " " if goes_on else line
            if not goes_on:
                yield statement
                statement = ""

    def named(self, name):
        self.parts.append((name, {}))

    def do_v(self, *n):
        self.v.append(tuple(map(f32, n[:3])))
        self.colours.append(tuple(map(f32, n[3:6])) if len(n) >= 6 else None)

    def do_vt(self, u, v, *_):
        self.vt.append((f32(u), f32(1 - f32(v))))

    def do_vn(self, *n):
        self.vn.append(tuple(map(f32, n)))

    def do_o(self, *name):
        self.named(" ".join(name))

    def do_g(self, *name):
        if self.parts[-1][0] != " ".join(name):
            self.named(" ".join(name))

    def do_usemtl(self, *name):
        self.material = " ".join(name)

    def do_mtllib(self, *name):
        self.libraries.append(" ".join(name))

    def do_f(self, *corners):
        self.parts[-1][1].setdefault(self.material, []).append([self.corner(c) for c in corners])

    def corner(self, text):
        def pick(rows, number):
            return None if not number else rows[int(number) - 1 if int(number) > 0 else len(rows) + int(number)]
        v, vt, vn = (text.split("/") + ["", ""])[:3]
        return pick(self.v, v), pick(self.vt, vt), pick(self.vn, vn), pick(self.colours, v)


def corners_of(gltf, node, index):
    """All corners of the triangles of a primitive as it is drawn at rest, as Obj has them."""
    primitive = gltf.meshes[gltf.nodes[node]["mesh"]]["primitives"][index]
    positions, normals = gltf.positions(node, index, None, 0.0), gltf.normals(node, index, None, 0.0)
    uvs = gltf.accessor(primitive["attributes"]["TEXCOORD_0"]) if "TEXCOORD_0" in primitive["attributes"] else None
    return [(positions[i], uvs[i] if uvs else None, normals[i] if normals else None)
            for triangle in gltf.triangles(node, index) for i in triangle]


def convert(*arguments):
    return subprocess.run([STELE, "convert", "-q", "-f", *map(str, arguments)], check=True, capture_output=True, text=True)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def assert_rows(self, a, b, tolerance):
        self.assertEqual(a is None, b is None)
        if a is not None:
            self.assertTrue(all(abs(x - y) <= tolerance for x, y in zip(a, b)), f"{a} is not {b}")


class Written(Case):
    """What is written as OBJ is what is drawn at rest in the GLB."""

    def compare(self, source):
        obj, glb = self.folder / (source.stem + ".obj"), self.folder / (source.stem + ".glb")
        convert(source, obj)
        convert(source, glb)
        gltf, read = Gltf(glb), Obj(obj)
        drawn = [(n, p) for n, p in gltf.drawn()
                 if gltf.meshes[gltf.nodes[n]["mesh"]]["primitives"][p].get("mode", TRIANGLES) == TRIANGLES]
        # by the order of their meshes, as OBJ is written
        drawn.sort(key=lambda d: gltf.nodes[d[0]]["mesh"])
        expected = [c for node, primitive in drawn for c in corners_of(gltf, node, primitive)]
        found = [c for _, materials in read.parts for faces in materials.values() for face in faces for c in face]
        self.assertEqual(len(found), len(expected))
        size = max([abs(x) for c in expected for x in c[0]] + [1e-6])
        for a, b in zip(found, expected):
            self.assert_rows(a[0], b[0], 1e-5 * size)
            # a textured mesh without coordinates gets zeros in glTF, which asks for them
            self.assert_rows(a[1] or (0, 0), b[1] or (0, 0), 1e-6 * max(1, *map(abs, b[1] or (0,))))
            self.assert_rows(a[2], b[2], 1e-4)
        return len(found)

    def test_samples(self):
        formats = json.loads(subprocess.run([STELE, "formats", "--json"], capture_output=True, check=True).stdout)["formats"]
        bridges = {"glb", "gltf", "obj"}  # what is compared
        endings = {"." + e for f in formats if "meshes" in f["capabilities"] for e in f["extensions"] if f["name"] not in bridges}
        for path in (p for p in sorted((ROOT / "samples").rglob("*")) if p.suffix in endings):
            with self.subTest(path.name):
                self.assertGreater(self.compare(path), 0)

    @unittest.skipUnless(CORPUS.is_dir(), "there is no corpus of real files")
    def test_corpus(self):
        for path in real_files(".sgm")[::8]:
            if path.stat().st_size < 200000:
                with self.subTest(path.name):
                    self.compare(path)

    def test_materials(self):
        convert(ROOT / "samples/dialects/v3.sgm", self.folder / "v3.obj")
        obj = Obj(self.folder / "v3.obj")
        self.assertEqual(obj.libraries, ["v3.mtl"])
        defined = re.findall(r"^newmtl (.*)$", (self.folder / "v3.mtl").read_text(), re.M)
        self.assertEqual(len(set(defined)), len(defined))
        used = [m for _, materials in obj.parts for m in materials]
        self.assertLessEqual(set(used), set(defined))
        self.assertRegex((self.folder / "v3.mtl").read_text(), r"(?m)^map_Kd scribe\.")


def invent(rng):
    """An OBJ that no program would write like this, of triangles."""
    lines, v, vt, vn = ["# invented"], 0, 0, 0
    colours = rng.random() < 0.3
    number = lambda: rng.choice([f"{rng.uniform(-9, 9):.{rng.randrange(1, 9)}f}", f"{rng.gauss(0, 1):.6e}", str(rng.randrange(-5, 6))])
    direction = lambda: " ".join(rng.sample(["0", "0", rng.choice(["1", "-1.0", "1e0"])], 3))
    index = lambda count: str(rng.randrange(count) + 1 if rng.random() < 0.6 else -rng.randrange(count) - 1)
    for _ in range(rng.randrange(5, 120)):
        kind = rng.choices(["v", "vt", "vn", "f", "o", "g", "usemtl", "blank"], [9, 5, 3, 12, 1, 1, 2, 1])[0]
        if kind == "v" or v < 3:
            lines.append(" ".join(["v", number(), number(), number()] + ([str(rng.random()) for _ in range(3)] if colours else [])))
            v += 1
        elif kind == "vt":
            lines.append(f"vt {number()} {number()}")
            vt += 1
        elif kind == "vn":
            lines.append(f"vn {direction()}")
            vn += 1
        elif kind == "f":
            form = rng.choice(["v"] + ["v/t"] * bool(vt) + ["v//n"] * bool(vn) + ["v/t/n"] * bool(vt and vn))
            one = lambda: form.replace("v", index(v)).replace("t", index(vt) if vt else "").replace("n", index(vn) if vn else "")
            blank = lambda: rng.choice([" ", "  ", "\t", " \\\n ", " \\\r\n\t"])
            lines.append("f" + "".join(blank() + one() for _ in range(3)) + rng.choice(["", " ", " # a face", "\r"]))
        elif kind == "blank":
            lines.append(rng.choice(["", "   ", "# comment \\", "s 1", "s off"]))
        else:
            lines.append(f"{kind} {rng.choice(['a', 'b', 'two words'])}")
    return rng.choice(["\n", "\r\n"]).join(lines) + "\n"


class Read(Case):
    def test_invented_files(self):
        compared = 0
        for seed in range(FILES):
            rng = random.Random(seed)
            path, glb = self.folder / "x.obj", self.folder / "x.glb"
            path.write_bytes(invent(rng).encode())
            if not any(Obj(path).parts):
                continue
            with self.subTest(seed):
                convert(path, glb, "--no-repair")
                gltf, oracle = Gltf(glb), Obj(path)
                self.assertEqual([m.get("name", "") for m in gltf.meshes], [name for name, _ in oracle.parts])
                for mesh, (_, materials) in zip(gltf.meshes, oracle.parts):
                    self.assertEqual(len(mesh["primitives"]), len(materials))
                    for primitive, (material, faces) in zip(mesh["primitives"], materials.items()):
                        named = gltf.json["materials"][primitive["material"]]["name"] if "material" in primitive else None
                        self.assertEqual(named, material)
                        self.compare(gltf, primitive, [c for face in faces for c in face])
                        compared += len(faces)
        self.assertGreater(compared, 500)

    def compare(self, gltf, primitive, corners):
        attributes = primitive["attributes"]
        column = lambda name: gltf.accessor(attributes[name]) if name in attributes else None
        position, uv, normal, colour = map(column, ("POSITION", "TEXCOORD_0", "NORMAL", "COLOR_0"))
        indices = gltf.accessor(primitive["indices"])
        self.assertEqual(len(indices), len(corners))
        self.assertEqual(uv is not None, any(c[1] for c in corners))
        self.assertEqual(normal is not None, any(c[2] for c in corners))
        for i, corner in zip(indices, corners):
            self.assertEqual(position[i], corner[0])
            if corner[1]:
                self.assert_rows(uv[i], corner[1], 1e-6 * max(1, *map(abs, corner[1])))
            if corner[2]:
                self.assertEqual(tuple(normal[i]), corner[2])
            if colour:
                self.assert_rows(colour[i][:3], corner[3] or (1, 1, 1), 1e-6)
        # no vertex is there twice, and none for nothing
        self.assertEqual(len(set(indices)), len(position))
        rows = list(zip(position, uv or position, normal or position))
        self.assertLessEqual(len(set(rows)), len(rows))


@unittest.skipUnless(shutil.which("assimp"), "Assimp is not installed")
class Assimp(Case):
    def info(self, path):
        said = subprocess.run(["assimp", "info", str(path)], capture_output=True, text=True, check=True).stdout
        numbers = lambda name: [float(x) for x in re.search(name + r"\s*\((.*)\)", said)[1].split()]
        return (int(re.search(r"Faces:\s*(\d+)", said)[1]), int(re.search(r"Materials:\s*(\d+)", said)[1]),
                numbers("Minimum point"), numbers("Maximum point"))

    def test_second_opinion(self):
        for source in [ROOT / "samples/scribe.sgm", ROOT / "samples/dialects/v3.twm", ROOT / "samples/dialects/packed.sff"]:
            with self.subTest(source.name):
                obj = self.folder / (source.stem + ".obj")
                convert(source, obj)
                faces, _, low, high = self.info(obj)
                mine = json.loads(subprocess.run([STELE, "info", "--json", str(obj)], capture_output=True, text=True).stdout)
                self.assertEqual(faces, sum(m["triangles"] for m in mine["meshes"]))
                self.assert_rows(low, mine["bounds"]["min"], 1e-5)
                self.assert_rows(high, mine["bounds"]["max"], 1e-5)

    def test_its_obj(self):
        """What Assimp exports is read as what it is."""
        export = self.folder / "export.obj"
        source = ROOT / "samples/dialects/plain.obj"
        subprocess.run(["assimp", "export", str(source), str(export)], capture_output=True, check=True)
        faces, *_ = self.info(source)
        mine = json.loads(subprocess.run([STELE, "info", "--json", str(export)], capture_output=True, text=True).stdout)
        lines_and_points = 5
        self.assertEqual(sum(m["triangles"] for m in mine["meshes"]), faces - lines_and_points)


if __name__ == "__main__":
    unittest.main()
