#!/usr/bin/env python3
"""CTC as the game moves it, computed from the raw bytes by the formula of the format's page, against the converted GLB: the
samples, and made-up figures for each thing that nobody has proven. Shares no code with the library.

STELE names the binary (default: build/stele).
"""
import math
import os
import random
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

from gltf_oracle import Gltf
from test_oracle_ctc import invent

ROOT = Path(__file__).resolve().parent.parent
STELE = os.path.abspath(os.environ.get("STELE", ROOT / "build" / "stele"))
SEED = 1129
UNSET = bytes((0x33, 0x66, 0xE5))
WAYS = ("inverse", "forward", "local")

# ---- Matrices, as rows of rows ----


def multiply(a, b):
    return [[sum(a[r][k] * b[k][c] for k in range(4)) for c in range(4)] for r in range(4)]


def apply(m, p):
    return tuple(m[r][0] * p[0] + m[r][1] * p[1] + m[r][2] * p[2] + m[r][3] for r in range(3))


def identity():
    return [[float(r == c) for c in range(4)] for r in range(4)]


def around(axis, degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    a, b = (axis + 1) % 3, (axis + 2) % 3
    m = identity()
    m[a][a], m[a][b], m[b][a], m[b][b] = c, -s, s, c
    return m


def key_matrix(key):
    """T Ry Rx Rz."""
    m = multiply(around(1, key[3]), multiply(around(0, key[4]), around(2, key[5])))
    for r in range(3):
        m[r][3] = key[r]
    return m


def inverse(m):
    """Of a rotation and translation."""
    out = identity()
    for r in range(3):
        for c in range(3):
            out[r][c] = m[c][r]
    for r in range(3):
        out[r][3] = -sum(m[k][r] * m[k][3] for k in range(3))
    return out


# ---- The bytes ----


class Ctc:
    """What the sections say, by the header alone."""

    def __init__(self, data):
        self.word = word = struct.unpack_from("<36i", data)
        self.data = data
        count = dict(zip(("skins", "verts", "uvs", "tris", "commands", "frames", "animations", "bones", "morphs",
                          "attachments", "lists", "unknown5"), word[5:17]))
        at = dict(zip(("skins", "verts", "output", "tris", "uvs", "bones", "weights", "animations", "frames", "commands",
                       "morphs", "attachments", "lists", "unknown5", "tris3", "colors", "end"), word[19:36]))
        self.count = count
        rows = lambda name, n, form: [struct.unpack_from("<" + form, data, at[name] + i * struct.calcsize("<" + form)) for i in range(n)]
        self.verts = rows("verts", count["verts"], "6f")
        self.tris = rows("tris", count["tris"], "3H")
        self.uvs = rows("uvs", count["tris"], "6f")
        bones = rows("bones", count["bones"], "iiI6f16f16f")
        self.parents = [b[0] - 1 for b in bones]
        self.bases = [b[-16:] for b in bones]
        self.lists = [n for (n,) in rows("lists", count["lists"], "I")] or [count["tris"]]
        keys = rows("frames", count["frames"] * (1 + count["bones"]), "6f")
        step = 1 + count["bones"]
        self.frames = [keys[i * step:(i + 1) * step] for i in range(count["frames"])]
        self.animations = [(n.rstrip(b"\0").decode(), a, b) for n, a, b in rows("animations", count["animations"], "16sII")]
        self.attachments = [(n.rstrip(b"\0").decode(), t) for n, t in rows("attachments", count["attachments"], "8si")]
        colors = word[18] // (4 if word[18] == 12 * count["tris"] else 1)
        self.colors = rows("colors", colors, "4B")
        self.weights = self.read_weights(at["weights"]) if count["bones"] else [[] for _ in self.verts]
        self.morphs = self.read_morphs(at["morphs"])

    def read_weights(self, at):
        assert self.data[at:at + 4] == b"STGW"
        at, out = at + 4, []
        for _ in self.verts:
            n, = struct.unpack_from("<I", self.data, at)
            out.append([struct.unpack_from("<If", self.data, at + 4 + 8 * i) for i in range(n)])
            at += 4 + 8 * n
        return out

    def read_morphs(self, at):
        heads = [struct.unpack_from("<16sI", self.data, at + 32 * i) for i in range(self.count["morphs"])]
        at, out = at + 32 * len(heads), []
        for name, n in heads:
            vertices = struct.unpack_from(f"<{n}I", self.data, at)
            targets = [struct.unpack_from("<3f", self.data, at + 4 * n + 12 * i) for i in range(n)]
            out.append((name.rstrip(b"\0").decode(), dict(zip(vertices, targets))))
            at += 16 * n
        return out

    # ---- What the engine makes of it ----

    def keys_at(self, first, last, time):
        """The keys between two frames: bones take the shorter way, the main key turns as far as it says."""
        place = min(max(first + time, first), last)
        low = min(int(place), last)
        high, f = min(low + 1, last), place - low
        out = []
        for column, (a, b) in enumerate(zip(self.frames[low], self.frames[high])):
            key = [x + (y - x) * f for x, y in zip(a, b)]
            if column:
                key[3:] = [x + math.remainder(y - x, 360) * f for x, y in zip(a[3:], b[3:])]
            out.append(key)
        return out

    def skinning(self, keys, way, columns=False):
        main = key_matrix(keys[0])
        places = {-1: main}
        todo = set(range(len(self.parents)))
        while todo:
            for b in sorted(todo):
                if self.parents[b] in places:
                    places[b] = multiply(places[self.parents[b]], key_matrix(keys[1 + b]))
                    todo.discard(b)
        bases = []
        for base in self.bases:
            m = [[base[4 * c + r] if columns else base[4 * r + c] for c in range(4)] for r in range(4)]
            m[3] = [0.0, 0.0, 0.0, 1.0]
            bases.append({"inverse": m, "forward": inverse(m), "local": identity()}[way])
        return [multiply(places[b], bases[b]) for b in range(len(bases))] + [main]

    def positions(self, keys, way, morphs=(), columns=False):
        """All vertices in the space of the scene: X forward, Y left and Z up become +Z, +X and +Y."""
        skinning, out = self.skinning(keys, way, columns), []
        for i, vertex in enumerate(self.verts):
            point = list(vertex[:3])
            for (_, targets), factor in zip(self.morphs, morphs):
                if i in targets:
                    point = [p + (t - v) * factor for p, t, v in zip(point, targets[i], vertex)]
            weights = self.weights[i] or [(len(self.parents), 1.0)]
            x, y, z = (sum(w * apply(skinning[b], point)[r] for b, w in weights) for r in range(3))
            out.append((y, z, x))
        return out

    def corners(self, reverse):
        """(vertex, uv, colour) of the corners of each list as they are drawn."""
        out, first = [], 0
        for size in self.lists:
            triangles = []
            for t in range(first, first + size):
                order = (0, 2, 1) if reverse else (0, 1, 2)
                triangles.append([(self.tris[t][k], self.uvs[t][2 * k:2 * k + 2], self.color(t, k)) for k in order])
            out.append(triangles)
            first += size
        return [triangles for triangles in out if triangles]

    def color(self, triangle, corner):
        if not self.colors:
            return None
        index = 3 * triangle + corner if len(self.colors) == 3 * len(self.tris) else self.tris[triangle][corner]
        color = self.colors[index]
        if bytes(color[:3]) == UNSET:
            return (1.0, 1.0, 1.0, color[3] / 255)
        linear = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in color[:3]]
        return (*linear, color[3] / 255)

    def clips(self):
        out, first = [], 0
        for name, _, count in self.animations:
            out.append((name, first, first + count - 1))
            first += count
        return out


# ---- Made-up figures ----


def fixed(text, size):
    return text.encode().ljust(size, b"\0")


def write(sections, counts, version=11):
    """Sections in the order of the header; counts by name."""
    order = ("skins", "verts", "output", "tris", "uvs", "bones", "weights", "animations", "frames", "commands", "morphs",
             "attachments", "lists", "unknown5", "tris3", "colors")
    body, offsets = b"", []
    for name in order:
        offsets.append(144 + len(body) if sections.get(name) else 0)
        body += sections.get(name, b"")
    words = [version, 256, 256, 0] + [counts.get(n, 0) for n in (
        "skins", "verts", "uvs", "tris", "commands", "frames", "animations", "bones", "morphs", "attachments", "lists",
        "unknown5", "unknown6", "colors")] + offsets + [144 + len(body)]
    return b"SMDL" + struct.pack("<35i", *words) + body


class Worm:
    """A prism along X whose rings hang from one bone each, so that every side of it is a seam."""

    SIDES = 3

    def __init__(self, rng, bones=3, way="inverse", columns=False, clockwise=True, frames=6, step=20, spin=0, unweighted=False):
        self.rng, self.way = rng, way
        rest = [(0, 0, 0)] + [(4 + rng.uniform(-0.5, 0.5), 0, 0) for _ in range(bones - 1)]
        bind = []
        for i, place in enumerate(rest):
            local = key_matrix((*place, *(rng.uniform(-25, 25) for _ in range(3))))
            bind.append(multiply(bind[-1], local) if i else local)
        self.points, self.normals, self.owner = [], [], []
        for b in range(bones):
            for k in range(self.SIDES):
                angle = math.tau * k / self.SIDES
                n = (0.0, math.cos(angle), math.sin(angle))
                self.points.append(apply(bind[b], tuple(2 * x for x in n)))
                turned = apply(bind[b], n)
                self.normals.append(tuple(x - y for x, y in zip(turned, (bind[b][0][3], bind[b][1][3], bind[b][2][3]))))
                self.owner.append(b)
        self.triangles = []
        for b in range(bones - 1):
            for k in range(self.SIDES):
                a, c = self.SIDES * b + k, self.SIDES * b + (k + 1) % self.SIDES
                for t in ((a, c + self.SIDES, c), (a, a + self.SIDES, c + self.SIDES)):
                    self.triangles.append(t)
        if self.orientation() < 0:
            self.triangles = [t[::-1] for t in self.triangles]
        if clockwise:
            self.triangles = [t[::-1] for t in self.triangles]
        weights = [[(b, 1.0)] for b in self.owner]
        if way != "local" and bones > 1:
            weights[0] = [(0, 0.75), (1, 0.25)]
        if unweighted:
            weights[1] = []
        normals = self.normals
        if way == "local":
            normals = [apply([row[:3] + [0.0] for row in inverse(bind[b])], n) for n, b in zip(self.normals, self.owner)]
        vertices = self.points if way != "local" else [apply(inverse(bind[b]), p) for p, b in zip(self.points, self.owner)]
        # what base matrices would be if they did nothing, nobody knows: here they are anything
        stored = [{"inverse": inverse(m), "forward": m}.get(way) or key_matrix([rng.uniform(-20, 20) for _ in range(6)]) for m in bind]
        self.bones = b"".join(struct.pack("<iiI6f16f", i, int(i + 1 < bones), 0, *[0.0] * 22) + struct.pack("<16f", *(
            (m[c][r] if columns else m[r][c]) for r in range(4) for c in range(4))) for i, m in enumerate(stored))
        self.frames, angles = [], [[rng.uniform(-20, 20) for _ in range(3)] for _ in range(bones)]
        main = [0.0, 0.0, 0.0]
        for f in range(frames):
            keys = [(f * 0.5, 0, 0, *main)] + [(*place, *a) for place, a in zip(rest, angles)]
            self.frames.append(b"".join(struct.pack("<6f", *key) for key in keys))
            angles = [[math.remainder(x + rng.uniform(-step, step), 360) for x in a] for a in angles]
            main = [main[0] + spin, main[1] + spin / 7, 0]
        self.sections = {
            "skins": fixed("worm.tga", 64),
            "verts": b"".join(struct.pack("<6f", *p, *n) for p, n in zip(vertices, normals)),
            "output": bytes(24 * len(vertices)),
            "tris": b"".join(struct.pack("<3H", *t) for t in self.triangles),
            "uvs": b"".join(struct.pack("<6f", *(rng.choice((0.0, 0.25, 1.0)) for _ in range(6))) for _ in self.triangles),
            "bones": self.bones,
            "weights": b"STGW" + b"".join(struct.pack("<I", len(w)) + b"".join(struct.pack("<If", *x) for x in w) for w in weights),
            "animations": fixed("crawl", 16) + struct.pack("<II", 0, frames - 2) + fixed("turn", 16) + struct.pack("<II", 0, 2),
            "frames": b"".join(self.frames),
            "lists": struct.pack("<I", len(self.triangles)),
        }
        self.counts = {"skins": 1, "verts": len(vertices), "tris": len(self.triangles), "bones": bones, "frames": frames,
                       "animations": 2, "lists": 1}

    def orientation(self):
        total = 0
        for a, b, c in self.triangles:
            p, q, r = (self.points[i] for i in (a, b, c))
            u, v = [y - x for x, y in zip(p, q)], [y - x for x, y in zip(p, r)]
            cross = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
            total += sum(x * sum(self.normals[i][k] for i in (a, b, c)) for k, x in enumerate(cross))
        return total

    def write(self):
        return write(self.sections, self.counts)


def size_of(points):
    return max(max(p[k] for p in points) - min(p[k] for p in points) for k in range(3)) or 1.0


class Skinning(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def convert(self, source, target, *options):
        done = subprocess.run([STELE, "convert", "-v", "-f", *options, str(source), str(target)], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def glb(self, source, *options):
        target = self.folder / (Path(source).stem + ".glb")
        report = self.convert(source, target, *options)
        return Gltf(target), report

    def compare(self, ctc, gltf, points, clip, time, tolerance, reverse=True):
        """Every corner of every triangle, in order."""
        drawn, lists = gltf.drawn(), ctc.corners(reverse)
        self.assertEqual(len(drawn), len(lists))
        worst = 0.0
        for (node, primitive), triangles in zip(drawn, lists):
            found = gltf.positions(node, primitive, clip, time)
            indices = gltf.triangles(node, primitive)
            self.assertEqual(len(indices), len(triangles))
            for corners, triangle in zip(triangles, indices):
                for (vertex, _, _), index in zip(corners, triangle):
                    worst = max(worst, math.dist(found[index], points[vertex]))
        self.assertLessEqual(worst, tolerance * size_of(points))

    def check_file(self, path, way="inverse", options=(), reverse=True, between=1e-4, fps=10, columns=False):
        ctc = Ctc(Path(path).read_bytes())
        gltf, report = self.glb(path, *options)
        rest = ctc.keys_at(0, 0, 0) if ctc.frames else [(0.0,) * 6] * (1 + len(ctc.parents))
        self.compare(ctc, gltf, ctc.positions(rest, way, columns=columns), None, 0, 1e-4, reverse)
        self.assertEqual(gltf.clips, [name for name, _, _ in ctc.clips()])
        for index, (_, first, last) in enumerate(ctc.clips()):
            self.assertAlmostEqual(gltf.duration(index), (last - first) / fps, places=5)
            for step in range(4 * (last - first) + 1):
                frame = step / 4
                points = ctc.positions(ctc.keys_at(first, last, frame), way, columns=columns)
                self.compare(ctc, gltf, points, index, frame / fps, between if step % 4 else 1e-4, reverse)
        return ctc, gltf, report

    # ---- Samples ----

    def test_samples(self):
        for path in sorted((ROOT / "samples").rglob("*.ctc")):
            with self.subTest(path.name):
                self.check_file(path)
                for way in WAYS:
                    self.check_file(path, way, ("--set", f"ctc.bind={way}"))

    def test_samples_at_another_rate(self):
        self.check_file(ROOT / "samples/dialects/v11.ctc", options=("--fps", "25"), fps=25)

    def test_content_of_corners(self):
        for path in sorted((ROOT / "samples").rglob("*.ctc")):
            ctc, (gltf, _) = Ctc(path.read_bytes()), self.glb(path)
            for (node, primitive), triangles in zip(gltf.drawn(), ctc.corners(True)):
                mesh = gltf.json["nodes"][node]["mesh"]
                attributes = gltf.json["meshes"][mesh]["primitives"][primitive]["attributes"]
                uvs, colors = gltf.accessor(attributes["TEXCOORD_0"]), gltf.accessor(attributes["COLOR_0"])
                for corners, triangle in zip(triangles, gltf.triangles(node, primitive)):
                    for (vertex, uv, color), index in zip(corners, triangle):
                        self.assertEqual(tuple(uvs[index]), uv)
                        self.assertLess(math.dist(colors[index], color), 2e-5)
                        self.assertLess(math.dist(gltf.normals(node, primitive)[index], self.scene_normal(ctc, gltf, node, vertex)), 1e-4)

    def scene_normal(self, ctc, gltf, node, vertex):
        x, y, z = ctc.verts[vertex][3:]
        return y, z, x

    def test_morphs(self):
        path = ROOT / "samples/dialects/v11.ctc"
        ctc, (gltf, _) = Ctc(path.read_bytes()), self.glb(path)
        self.assertEqual(len(ctc.morphs), 1)
        for mesh in gltf.json["meshes"]:
            mesh["weights"] = [0.5]
        self.compare(ctc, gltf, ctc.positions(ctc.keys_at(0, 0, 0), "inverse", (0.5,)), None, 0, 1e-4)

    def test_attachments(self):
        """The frame of the tag triangle as the bones move it: X along the first edge, Z across."""
        path = ROOT / "samples/dialects/v11.ctc"
        ctc, (gltf, _) = Ctc(path.read_bytes()), self.glb(path)
        for name, triangle in ctc.attachments:
            node = next(i for i, n in enumerate(gltf.json["nodes"]) if n.get("name") == name)
            for clip, (_, first, last) in enumerate(ctc.clips()):
                for frame in range(last - first + 1):
                    points = ctc.positions(ctc.keys_at(first, last, frame), "inverse")
                    a, b, c = (points[v] for v in ctc.tris[triangle])
                    world = gltf.world(clip, frame / 10)[node]
                    self.assertLess(math.dist(world[12:15], a), 1e-4 * size_of(points))
                    x = [q - p for p, q in zip(a, b)]
                    x = [v / math.hypot(*x) for v in x]
                    self.assertLess(math.dist(world[0:3], x), 1e-4)
                    edge = [q - p for p, q in zip(a, c)]
                    z = (x[1] * edge[2] - x[2] * edge[1], x[2] * edge[0] - x[0] * edge[2], x[0] * edge[1] - x[1] * edge[0])
                    self.assertLess(math.dist(world[8:11], [v / math.hypot(*z) for v in z]), 1e-4)

    # ---- Made-up ----

    def worm(self, seed, **more):
        path = self.folder / f"worm{seed}.ctc"
        path.write_bytes(Worm(random.Random(seed), **more).write())
        return path

    def test_the_data_decides_how_bones_are_bound(self):
        for seed, way in enumerate(WAYS * 4):
            with self.subTest(seed=seed, way=way):
                _, _, report = self.check_file(self.worm(SEED + seed, way=way, bones=2 + seed % 4), way, between=4e-3)
                self.assertIn(f"taken as {way}", report)

    def test_the_caller_decides_how_bones_are_bound(self):
        for way in WAYS:
            for choice in WAYS:
                with self.subTest(way=way, choice=choice):
                    self.check_file(self.worm(SEED, way=way), choice, ("--set", f"ctc.bind={choice}"), between=4e-3)

    def test_transposed_matrices(self):
        for way in ("inverse", "forward"):
            _, _, report = self.check_file(self.worm(SEED + 20, way=way, columns=True), way, between=4e-3, columns=True)
            self.assertIn("column by column", report)

    def test_winding(self):
        for clockwise in (False, True):
            path = self.worm(SEED + 30, clockwise=clockwise)
            self.check_file(path, reverse=clockwise, between=4e-3)
            for choice in ("keep", "reverse"):
                self.check_file(path, options=("--set", f"ctc.winding={choice}"), reverse=choice == "reverse", between=4e-3)

    def test_the_main_key_spins(self):
        """More than half a turn from frame to frame: what the file says, not the shorter way."""
        for spin in (100, 250, -300):
            with self.subTest(spin):
                self.check_file(self.worm(SEED + 40, spin=spin, step=5), between=4e-3)

    def test_vertices_without_weights_follow_the_main_key(self):
        self.check_file(self.worm(SEED + 50, unweighted=True, spin=30), between=4e-3)

    def test_small_steps_are_followed_closely(self):
        self.check_file(self.worm(SEED + 60, step=1), between=1e-4)

    def test_random_models_at_rest(self):
        """Sections in any order, bones that are no rotations, many influences, lists of any size: all of it in one command."""
        rng, files = random.Random(SEED), {}
        while len(files) < 150:
            model = invent(rng)
            if not model.counts["tris"] or len(model.sections.get("colors", b"")) not in (0, 12 * model.counts["tris"]):
                continue
            left = model.counts["tris"]
            sizes = []
            for _ in range(model.counts["lists"]):
                sizes.append(rng.randrange(left + 1))
                left -= sizes[-1]
            if sizes:
                model.sections["lists"] = struct.pack(f"<{len(sizes)}I", *sizes)
            name = f"{len(files):03}"
            files[name] = model.write()
            (self.folder / (name + ".ctc")).write_bytes(files[name])
        subprocess.run([STELE, "convert", "-q", "--to", "glb", "--set", "ctc.bind=inverse", "--set", "ctc.winding=keep",
                        "--out-dir", str(self.folder), *(str(self.folder / (n + ".ctc")) for n in files)], check=True)
        drawn = 0
        for name, data in files.items():
            with self.subTest(name):
                ctc, gltf = Ctc(data), Gltf(self.folder / (name + ".glb"))
                columns = bool(ctc.bases) and all(not (b[3] or b[7] or b[11]) for b in ctc.bases)
                keys = ctc.frames[0] if ctc.frames else None
                if not keys and ctc.parents:
                    continue  # they rest where they are bound, wherever that is
                points = ctc.positions(keys or [(0.0,) * 6], "inverse", columns=columns)
                self.compare(ctc, gltf, points, None, 0, 1e-4, reverse=False)
                drawn += len(gltf.drawn())
        self.assertGreater(drawn, 50)

    # ---- There and back ----

    def same_motion(self, path, way, *options):
        """What comes back through GLB moves in the same way."""
        before = Ctc(path.read_bytes())
        gltf, _ = self.glb(path, *options)
        back = self.folder / "back.ctc"
        report = self.convert(gltf.path, back)
        self.assertNotIn(": loss: ", report)
        after = Ctc(back.read_bytes())
        self.assertEqual(len(after.verts), len(before.verts))
        self.assertEqual([(n, b) for n, _, b in after.animations], [(n, b) for n, _, b in before.animations])
        self.assertEqual(after.tris, before.tris)
        self.assertEqual(after.uvs, before.uvs)
        self.assertEqual(after.lists, before.lists)
        for frame in range(len(before.frames)):
            expected = before.positions(before.frames[frame], way)
            found = after.positions(after.frames[frame], way)
            worst = max(math.dist(a, b) for a, b in zip(expected, found))
            self.assertLessEqual(worst, 1e-4 * size_of(expected))
        return before, after

    def test_there_and_back(self):
        for way in WAYS:
            for more in ({}, {"spin": 40}, {"clockwise": False}):
                with self.subTest(way=way, **more):
                    before, after = self.same_motion(self.worm(SEED + 70, way=way, **more), way)
                    if way != "local":
                        for a, b in zip(before.bases, after.bases):
                            self.assertLess(max(abs(x - y) for x, y in zip(a, b)), 1e-5)

    def test_samples_there_and_back(self):
        for path in sorted((ROOT / "samples").rglob("*.ctc")):
            with self.subTest(path.name):
                before, after = self.same_motion(path, "inverse")
                self.assertEqual(after.colors, before.colors)
                self.assertEqual(after.weights, before.weights)
                self.assertEqual([(n, len(t)) for n, t in after.morphs], [(n, len(t)) for n, t in before.morphs])
                self.assertEqual(after.attachments, before.attachments)

    def test_spins_there_and_back(self):
        """The turns of the main key between two frames are counted, although rotations forget them."""
        before, after = self.same_motion(self.worm(SEED + 80, spin=250, step=5), "inverse")
        for clip, first, last in before.clips():
            for frame in range(first, last):
                way = [b - a for a, b in zip(before.frames[frame][0][3:], before.frames[frame + 1][0][3:])]
                found = [b - a for a, b in zip(after.frames[frame][0][3:], after.frames[frame + 1][0][3:])]
                self.assertLess(math.dist(way, found), 1e-2)


    # ---- From other formats ----

    def test_models_of_other_formats(self):
        """The same model as a GLB and as a CTC: both look the same, at every frame. Only scale cannot be kept."""
        for name, fps in (("scribe.sgm", 24), ("dialects/v3.sgm", 24), ("dialects/B2.mesh", 25), ("dialects/v3.twm", 30)):
            path = ROOT / "samples" / name
            with self.subTest(name):
                gltf, _ = self.glb(path)
                report = self.convert(path, self.folder / "other.ctc", "--fps", str(fps))
                scaled = [self.scales(gltf, clip) for clip in range(len(gltf.clips))]
                self.assertEqual("loss-poses" in report, any(scaled))
                ctc = Ctc((self.folder / "other.ctc").read_bytes())
                self.assertEqual([n for n, _, _ in ctc.clips()], [n[:15] for n in gltf.clips])
                for clip, (_, first, last) in enumerate(ctc.clips()):
                    self.assertAlmostEqual((last - first) / fps, gltf.duration(clip), delta=1.01 / fps)
                    for frame in range(0, last - first + 1, 3):
                        points = ctc.positions(ctc.keys_at(first, last, frame), "inverse")
                        self.compare(ctc, gltf, points, clip, frame / fps, 1e-2 if scaled[clip] else 1e-4)

    def scales(self, gltf, clip):
        animation = gltf.json["animations"][clip]
        outputs = [animation["samplers"][c["sampler"]]["output"] for c in animation["channels"] if c["target"]["path"] == "scale"]
        return any(abs(x - 1) > 1e-3 for output in outputs for row in gltf.accessor(output) for x in row)

    def test_bones_that_look_up(self):
        """Where two angles do the same, the others must still come out right."""
        path = self.worm(SEED + 90, step=3)
        data = bytearray(path.read_bytes())
        ctc = Ctc(data)
        for frame in range(len(ctc.frames)):
            for bone in range(len(ctc.parents)):
                at = ctc.word[27] + 24 * (frame * (1 + len(ctc.parents)) + 1 + bone) + 16
                struct.pack_into("<f", data, at, 90 if bone else -90)
        path.write_bytes(data)
        self.check_file(path, options=("--set", "ctc.bind=inverse"), reverse=self.is_reversed(path), between=4e-3)
        self.same_motion(path, "inverse", "--set", "ctc.bind=inverse")

    def is_reversed(self, path):
        return "turned round" in self.convert(path, self.folder / "reversed.glb")


class Reports(unittest.TestCase):
    def test_y_up(self):
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "x.glb"
            subprocess.run([STELE, "convert", "-q", "--set", "ctc.up=y", str(ROOT / "samples/dialects/v11.ctc"), str(target)], check=True)
            gltf = Gltf(target)
            ctc = Ctc((ROOT / "samples/dialects/v11.ctc").read_bytes())
            (low, high), points = gltf.bounds(), ctc.positions(ctc.keys_at(0, 0, 0), "inverse")
            points = [(z, x, y) for x, y, z in points]  # as they are in the file
            drawn = {v for triangles in ctc.corners(True) for corners in triangles for v, _, _ in corners}
            for k in range(3):
                self.assertAlmostEqual(low[k], min(points[v][k] for v in drawn), places=4)
                self.assertAlmostEqual(high[k], max(points[v][k] for v in drawn), places=4)


if __name__ == "__main__":
    unittest.main()
