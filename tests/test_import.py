#!/usr/bin/env python3
"""Files of other formats, read through stele-import: right by what Blender and three.js say of them, valid by the Khronos
validator, and harmless whatever is in them."""
import concurrent.futures
import gzip
import json
import math
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
import zipfile
from pathlib import Path

sys.dont_write_bytecode = True
import interchange_writers
from corpus import some
from gltf_oracle import Gltf

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("STELE_BUILD", ROOT / "build"))
STELE = os.environ.get("STELE", str(BUILD / "stele"))
IMPORT = Path(STELE).parent / "stele-import"
MODELS = Path("/usr/share/assimp/models")  # of Debian's assimp-testmodels
NODE = shutil.which("node") and (ROOT / "tests/npm/node_modules/three").exists()


def stele(*arguments, **more):
    return subprocess.run([STELE, *map(str, arguments)], capture_output=True, text=True, errors="replace", timeout=300, **more)


def import_to(source, target, *options):
    """As a GLB, which must come out."""
    done = stele("convert", "-q", "-f", *options, source, target)
    if done.returncode:
        raise AssertionError(f"{source}: {done.stderr}")
    return Gltf(target)


def drawn_points(g, clip=None, seconds=0.0):
    points = [p for node, primitive in g.drawn() for p in g.positions(node, primitive, clip, seconds)]
    return points or [matrix[12:15] for matrix in g.world(clip, seconds)]


def drawn_triangles(g):
    return sum(len(g.triangles(node, primitive)) for node, primitive in g.drawn() if is_triangles(g, node, primitive))


def drawn_fronts(g):
    """Where each triangle is, and where it looks."""
    fronts, world = [], g.world()
    for node, primitive in g.drawn():
        points = g.positions(node, primitive)
        mirror = -1 if "skin" not in g.nodes[node] and determinant(world[node]) < 0 else 1
        for a, b, c in ([points[i] for i in corners] for corners in g.triangles(node, primitive)):
            e, f = [q - p for p, q in zip(a, b)], [q - p for p, q in zip(a, c)]
            normal = [mirror * (e[i - 2] * f[i - 1] - e[i - 1] * f[i - 2]) for i in range(3)]
            length = math.hypot(*normal) or 1
            fronts.append([sum(xs) / 3 for xs in zip(a, b, c)] + [n / length for n in normal])
    return fronts


def determinant(m):
    return (m[0] * (m[5] * m[10] - m[9] * m[6]) - m[4] * (m[1] * m[10] - m[9] * m[2]) + m[8] * (m[1] * m[6] - m[5] * m[2]))


def is_triangles(g, node, primitive):
    mesh = g.json["meshes"][g.json["nodes"][node]["mesh"]]
    found = mesh["primitives"][primitive] if isinstance(primitive, int) else primitive
    return found.get("mode", 4) == 4


def size_of(points):
    return max(max(p[i] for p in points) - min(p[i] for p in points) for i in range(3))


def strays(points, others, tolerance):
    """How many points have no other one within the tolerance; what a row has after its place must be as near."""
    cell, cells, count = 2 * tolerance, {}, 0
    for p in others:
        cells.setdefault(tuple(math.floor(c / cell) for c in p[:3]), []).append(p)
    for p in points:
        x, y, z = (math.floor(c / cell) for c in p[:3])
        near = (q for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1) for q in cells.get((x + i, y + j, z + k), ()))
        count += not any(math.dist(p, q) <= tolerance for q in near)
    return count


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not IMPORT.exists():
            raise unittest.SkipTest("stele-import is not built: there is no Assimp")
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    def assert_same_points(self, points, truth, where, least=1e-3):
        tolerance = max(least * size_of(truth), 1e-9)
        self.assertEqual((strays(points, truth, tolerance), strays(truth, points, tolerance)), (0, 0), where)


# ---- Right ---------------------------------------------------------------------------------------------------------------


@unittest.skipUnless(shutil.which("blender"), "blender is not there")
class MadeInBlender(Case):
    """Scenes whose content is known, written by Blender's exporters of COLLADA, FBX, X3D, PLY and STL."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        environment = {**os.environ, "PATH": "/usr/local/bin:/usr/bin:/bin"}
        subprocess.run(["blender", "--background", "--python-exit-code", "1", "--python", ROOT / "tests/blender_interchange.py",
                        "--", cls.folder], check=True, capture_output=True, env=environment, timeout=300)
        cls.truth = json.loads((cls.folder / "truth.json").read_text())
        cls.models = {name: import_to(cls.folder / name, cls.folder / (name + ".glb")) for name in cls.truth}

    def test_everything_is_where_blender_shows_it(self):
        for name, truth in self.truth.items():
            if "rest" in truth:
                g = self.models[name]
                self.assertEqual(drawn_triangles(g), truth["rest"]["triangles"], name)
                self.assert_same_points(drawn_points(g), truth["rest"]["points"], name)

    def test_triangles_look_where_blender_shows_them(self):
        """By the order of their corners, which a mirror turns round."""
        for name, truth in self.truth.items():
            fronts = truth.get("rest", {}).get("fronts")
            if fronts:
                scale = size_of(truth["rest"]["points"])
                wanted, found = ([[c / scale for c in f[:3]] + f[3:] for f in some] for some in (fronts, drawn_fronts(self.models[name])))
                self.assertEqual(strays(wanted, found, 1e-3), 0, name)

    def test_everything_moves_as_blender_shows_it(self):
        moving = {name: truth["clip"] for name, truth in self.truth.items() if "clip" in truth}
        self.assertEqual(len(moving), 9)
        for name, poses in moving.items():
            g = self.models[name]
            self.assertEqual(len(g.clips), 1, name)
            self.assertTrue(g.clips[0], name)
            for pose in poses:
                self.assert_same_points(drawn_points(g, 0, pose["time"]), pose["points"], (name, pose["time"]))

    def test_meshes_on_one_armature_have_one_skin(self):
        for name in ("skinned.fbx", "skinned.dae"):
            # and the node of the vertices without a bone
            self.assertEqual([len(s["joints"]) for s in self.models[name].json["skins"]], [4], name)

    def test_armatures_with_the_same_names(self):
        """Each mesh is on joints of its own."""
        for name in ("namesakes.fbx", "namesakes.dae"):
            g = self.models[name]
            used = []
            for node, primitive in g.drawn():
                attributes = g.meshes[g.nodes[node]["mesh"]]["primitives"][primitive]["attributes"]
                rows = zip(g.accessor(attributes["JOINTS_0"]), g.accessor(attributes["WEIGHTS_0"]))
                used.append({g.skins[g.nodes[node]["skin"]]["joints"][int(j)] for js, ws in rows for j, w in zip(js, ws) if w > 0})
            self.assertEqual([len(u) for u in used], [2, 2], name)
            self.assertFalse(used[0] & used[1], name)

    def wedge(self, name):
        """Rows of position, uv and colour of the mesh called base."""
        g = self.models[name]
        node = next(n for n in g.json["nodes"] if "mesh" in n and n.get("name", "").startswith(("base", "")))
        attributes = g.json["meshes"][node["mesh"]]["primitives"][0]["attributes"]
        columns = [g.accessor(attributes[a]) for a in ("POSITION", "TEXCOORD_0", "COLOR_0") if a in attributes]
        return list(zip(*columns))

    def test_texture_coordinates_start_at_the_top(self):
        for name in ("still.dae", "still.fbx", "still_z_up.fbx"):
            rows = self.wedge(name)
            largest = [max(abs(row[0][i]) for row in rows) for i in range(3)]
            for (x, y, z), (u, v), *_ in rows:
                self.assertAlmostEqual(u, 0.1 + 0.5 * x / largest[0], 3, name)
                self.assertAlmostEqual(1 - v, 0.2 + 0.25 * y / largest[1] + 0.25 * z / largest[2], 3, name)

    def test_vertex_colors_are_linear(self):
        linear = [((c + 0.055) / 1.055) ** 2.4 for c in (0.2, 0.4, 0.8)]
        for name in ("still.fbx", "still.dae", "still.ply"):
            g = self.models[name]
            attributes = [p["attributes"] for m in g.json["meshes"] for p in m["primitives"]]
            colors = {tuple(round(c, 2) for c in row[:3]) for a in attributes for row in g.accessor(a["COLOR_0"])}
            for color in colors:
                for got, wanted in zip(color, linear):
                    self.assertAlmostEqual(got, wanted, delta=0.011, msg=name)

    def test_materials_have_their_colors_and_names(self):
        for name in ("still.fbx", "still.dae"):
            materials = self.models[name].json["materials"]
            self.assertEqual({m["name"].replace("_", " ").removesuffix("-material") for m in materials}, {"base paint", "child paint"})
            for material in materials:
                color = material["pbrMetallicRoughness"]["baseColorFactor"]
                for got, wanted in zip(color, (0.8, 0.3, 0.1, 1)):
                    self.assertAlmostEqual(got, wanted, 3, name)

    def test_scale(self):
        g = import_to(self.folder / "still.dae", self.folder / "scaled.glb", "--scale", "2.5")
        truth = [[2.5 * c for c in p] for p in self.truth["still.dae"]["rest"]["points"]]
        self.assert_same_points(drawn_points(g), truth, "still.dae")

    def test_the_formats_of_engines_show_the_same(self):
        """Through the model into MESH and SGM, and back to what can be measured."""
        for name in ("still.fbx", "skinned.fbx", "skinned.dae"):
            for ending in ("mesh", "sgm"):
                path = self.folder / f"{name}.{ending}"
                self.assertEqual(stele("convert", "-q", "-f", self.folder / name, path).returncode, 0)
                g = import_to(path, self.folder / "back.glb")
                truth = self.truth[name]
                rest = truth.get("rest") or truth["clip"][0]
                clip = None if "rest" in truth else 0
                self.assert_same_points(drawn_points(g, clip, 0 if clip is None else rest["time"]), rest["points"], (name, ending), 2e-3)


# What three.js shows otherwise, and why we do not follow it.
OTHERWISE = {
    "RotatingCube.3DS": "three.js does not read the keyframer, which turns it",
    "CameraRollAnimWithChildObject.3ds": "the same: it moves the child",
    "anims_with_full_rotations_between_keys.DAE": "three.js loses turns of more than half a circle between two keys",
    "teapot_instancenodes.DAE": "three.js leaves out the matrix of a node that is instanced",
    "animation_with_skeleton.fbx": "three.js keeps four joints of a vertex, we eight",
    "earthCylindrical.DAE": "three.js does not read its polygons",
    "teapots.DAE": "the same",
    "cubes_with_outofrange_float.fbx": "a number that no float holds",
    "issue623.ply": "a damaged file",
}


@unittest.skipUnless(NODE and MODELS.exists(), "node, three.js or assimp-testmodels are not there")
class ShownByThree(Case):
    """Assimp's own test models, beside the loaders of three.js."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        endings = {".dae", ".fbx", ".3ds", ".md2", ".ply", ".stl", ".bvh"}
        files = sorted(p for p in MODELS.rglob("*") if p.suffix.lower() in endings and "invalid" not in p.parts)
        shown = subprocess.run(["node", ROOT / "tests/three_interchange.mjs", *files], capture_output=True, text=True, check=True)
        cls.shown = [entry for entry in map(json.loads, shown.stdout.splitlines())
                     if "error" not in entry and len(entry["poses"][0]["points"]) > 8]

    def turned(self, file, points):
        """three.js leaves 3DS as it is, with Z up; MD2 it mirrors instead of turning it."""
        kind = file.suffix.lower()
        rows = zip(*[iter(points)] * 3)
        return [(x, z, -y) if kind == ".3ds" else (x, y, -z) if kind == ".md2" else (x, y, z) for x, y, z in rows]

    def test_same_points_and_triangles(self):
        compared = {}
        for entry in self.shown:
            file = Path(entry["file"])
            if file.name in OTHERWISE:
                continue
            done = stele("convert", "-q", "-f", file, self.folder / "x.glb")
            if done.returncode:
                continue  # Loads has them
            g = Gltf(self.folder / "x.glb")
            if drawn_triangles(g):
                self.assertEqual(drawn_triangles(g), entry["triangles"], file)
            for pose in entry["poses"]:
                if pose["clip"] is not None and not g.clips:
                    continue
                self.assert_same_points(drawn_points(g, pose["clip"], pose["time"]), self.turned(file, pose["points"]),
                                        (file, pose["clip"], pose["time"]))
            kind = file.suffix.lower()
            compared[kind] = compared.get(kind, 0) + 1
        least = {".3ds": 6, ".bvh": 3, ".dae": 12, ".fbx": 12, ".md2": 2, ".ply": 5, ".stl": 6}
        for kind, count in least.items():
            self.assertGreaterEqual(compared.get(kind, 0), count, compared)
        print("#", sum(compared.values()), "models as three.js shows them")


def y_up(point):
    return point[0], point[2], -point[1]


class Written(Case):
    """The wedge of tests/interchange_writers.py, by each format's own rules; and what its joint does."""

    # what makes the points of the file those of the model
    WAYS = {"md3": y_up, "iqm": y_up, "smd": y_up, "ogex": lambda p: [c / 100 for c in y_up((p[0] + 1, p[1], p[2]))],
            "ms3d": lambda p: p, "lwo": lambda p: p}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.models = {}
        for ending in cls.WAYS:
            path = cls.folder / f"wedge.{ending}"
            path.write_bytes(getattr(interchange_writers, ending)())
            cls.models[ending] = import_to(path, cls.folder / f"{ending}.glb")

    def test_points_and_where_faces_look(self):
        points, triangles = interchange_writers.POINTS, interchange_writers.TRIANGLES
        for ending, way in self.WAYS.items():
            g = self.models[ending]
            self.assertEqual(drawn_triangles(g), len(triangles), ending)
            self.assert_same_points(drawn_points(g), [way(p) for p in points], ending)
            size, wanted = size_of([way(p) for p in points]), []
            for a, b, c in ([way(points[i]) for i in t] for t in triangles):
                e, f = [q - p for p, q in zip(a, b)], [q - p for p, q in zip(a, c)]
                normal = [e[i - 2] * f[i - 1] - e[i - 1] * f[i - 2] for i in range(3)]
                wanted.append([sum(xs) / 3 / size for xs in zip(a, b, c)] + [n / math.hypot(*normal) for n in normal])
            found = [[c / size for c in front[:3]] + front[3:] for front in drawn_fronts(g)]
            self.assertEqual((strays(wanted, found, 1e-3), strays(found, wanted, 1e-3)), (0, 0), ending)

    def test_texture_coordinates_start_at_the_top(self):
        for ending in ("md3", "iqm", "ms3d", "smd"):
            g, way = self.models[ending], self.WAYS[ending]
            wanted = [[*way(p), *interchange_writers.uv(p)] for p in interchange_writers.POINTS]
            found = []
            for node, primitive in g.drawn():
                attributes = g.meshes[g.nodes[node]["mesh"]]["primitives"][primitive]["attributes"]
                rows = zip(g.positions(node, primitive), g.accessor(attributes["TEXCOORD_0"]))
                found += [[*position, *coordinate] for position, coordinate in rows]
            self.assertEqual((strays(wanted, found, 1e-3), strays(found, wanted, 1e-3)), (0, 0), ending)

    def test_the_lid_turns(self):
        """A quarter in a second, about an axis through the joint."""
        for ending in ("ms3d", "smd"):
            g, way = self.models[ending], self.WAYS[ending]
            self.assertEqual(len(g.clips), 1, ending)
            self.assertAlmostEqual(g.duration(0), 1, 4)
            for seconds in (0, 0.25, 0.6, 1):
                s, c = math.sin(seconds * math.pi / 2), math.cos(seconds * math.pi / 2)
                turned = [(c * x - s * y, s * x + c * y, z) if z > 2.5 else (x, y, z) for x, y, z in interchange_writers.POINTS]
                self.assert_same_points(drawn_points(g, 0, seconds), [way(p) for p in turned], (ending, seconds))


# What Blender shows otherwise.
OTHERWISE_IN_BLENDER = {
    "CubeHierarchy_248.blend": "Assimp leaves out one object, with what hangs on it",
    "HUMAN.blend": "has modifiers, which Assimp applies and this view does not",
    "MirroredCube_252.blend": "the same",
    "SuzanneSubdiv_252.blend": "the same",
    "yxa_1.blend": "the same",
}


@unittest.skipUnless(shutil.which("blender") and MODELS.exists(), "blender or assimp-testmodels are not there")
class OpenedByBlender(Case):
    def test_same_points_and_triangles(self):
        files = sorted((MODELS / "BLEND").glob("*.blend"))
        environment = {**os.environ, "PATH": "/usr/local/bin:/usr/bin:/bin"}
        shown = subprocess.run(["blender", "--background", "--python-exit-code", "1", "--python", ROOT / "tests/blender_opens.py", "--", *files],
                               capture_output=True, text=True, errors="replace", env=environment, timeout=300).stdout
        compared = 0
        for truth in (json.loads(line[1:]) for line in shown.splitlines() if line.startswith("@")):
            file = Path(truth["file"])
            done = stele("convert", "-q", "-f", file, self.folder / "x.glb")
            if file.name in OTHERWISE_IN_BLENDER or done.returncode or not truth["points"]:
                continue  # Loads has those that fail
            g = Gltf(self.folder / "x.glb")
            self.assertEqual(drawn_triangles(g), truth["triangles"], file)
            self.assert_same_points(drawn_points(g), truth["points"], file)
            compared += 1
        self.assertGreaterEqual(compared, 18)


# ---- Valid ---------------------------------------------------------------------------------------------------------------


@unittest.skipUnless(NODE and MODELS.exists() and shutil.which("assimp"), "assimp-testmodels or assimp-utils are not there")
class Loads(Case):
    """Whatever Assimp itself imports comes out, as GLB and as the formats of engines."""

    def try_one(self, path):
        name = "__".join(path.relative_to(MODELS).parts)
        try:
            known = subprocess.run(["assimp", "info", path, "-r"], capture_output=True, timeout=20).returncode == 0
        except subprocess.TimeoutExpired:
            known = False
        done = stele("convert", "-q", "--import", path, self.folder / "glb" / (name + ".glb"))
        return name, known, done

    def test_at_least_95_percent(self):
        listed = [line.split("\t")[1].split() for line in subprocess.run([IMPORT, "--formats"], capture_output=True, text=True,
                                                                         check=True).stdout.splitlines()]
        endings = {"." + ending for endings in listed for ending in endings}
        files = some(p for p in MODELS.rglob("*") if p.is_file() and
                     (p.suffix.lower() in endings or "".join(p.suffixes[-2:]).lower() in endings))
        (self.folder / "glb").mkdir()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            tried = list(pool.map(self.try_one, files))
        failed = {}
        for name, known, done in tried:
            self.assertIn(done.returncode, (0, 1, 3, 4), done.stderr)
            if known and done.returncode:
                failed[name] = done.stderr
        glbs = [self.folder / "glb" / (name + ".glb") for name, known, done in tried if known and not done.returncode]
        reports = subprocess.run(["node", ROOT / "tests/validate_gltf.mjs", *glbs], capture_output=True, text=True, check=True)
        for report in map(json.loads, reports.stdout.splitlines()):
            if report["errors"]:
                failed[Path(report["file"]).name.removesuffix(".glb")] = report["errors"]
        for ending in ("mesh", "sgm", "twm", "ctc", "sff"):
            out = self.folder / ending
            stele("convert", "-q", "--name-textures", "--to", ending, "--out-dir", out, *glbs)  # images of several have one name
            for glb in glbs:
                if not (out / f"{glb.stem}.{ending}").exists():
                    failed[glb.name.removesuffix(".glb")] = f"no {ending}"
            checked = stele("check", "--json", "-r", out)
            for report in map(json.loads, checked.stdout.splitlines()):
                if report["errors"]:
                    failed[Path(report["file"]).stem] = report["diagnostics"]
        total = sum(known for _, known, _ in tried)
        print(f"# {total - len(failed)} of {total} files that Assimp imports come out")
        self.assertGreaterEqual(total - len(failed), 0.95 * total, failed)
        page = (ROOT / "docs/import.md").read_text()
        for name, why in failed.items():
            self.assertIn(f"`{name.replace('__', '/')}`", page, why)


# ---- What is said --------------------------------------------------------------------------------------------------------

TRIANGLE = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="1"/><up_axis>Y_UP</up_axis></asset>
<library_lights><light id="l"><technique_common><point><color>1 1 1</color></point></technique_common></light></library_lights>
<library_images><image id="i"><init_from>{image}</init_from></image></library_images>
<library_effects><effect id="e"><profile_COMMON>
<newparam sid="s"><surface type="2D"><init_from>i</init_from></surface></newparam>
<newparam sid="t"><sampler2D><source>s</source></sampler2D></newparam>
<technique sid="c"><lambert><diffuse><texture texture="t" texcoord="u"/></diffuse></lambert></technique>
</profile_COMMON></effect></library_effects>
<library_materials><material id="m" name="skin"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="9">0 0 0 1 0 0 0 1 0</float_array><technique_common>
<accessor source="#pa" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
</accessor></technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1" material="a"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n" name="corner"><instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="a" target="#m"/></technique_common></bind_material></instance_geometry></node>
<node id="x"><instance_light url="#l"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


# The blank lines are what Assimp needs.
MD5MESH = """MD5Version 10
commandline ""

numJoints 2
numMeshes 1

joints {
"origin" -1 ( 0 0 0 ) ( 0 0 0 ) //
"root" 0 ( 0 0 0 ) ( 0 0 0 ) //
}

mesh {
shader "skin"

numverts 3
vert 0 ( 0 0 ) 0 1
vert 1 ( 1 0 ) 1 1
vert 2 ( 0 1 ) 2 1

numtris 1
tri 0 0 1 2

numweights 3
weight 0 1 1 ( 0 0 0 )
weight 1 1 1 ( 1 0 0 )
weight 2 1 1 ( 0 0 2 )
}

"""
MD5ANIM = """MD5Version 10
commandline ""

numFrames 3
numJoints 2
frameRate 10
numAnimatedComponents 1

hierarchy {
"origin" -1 0 0 //
"root" 0 4 0 // origin
}

bounds {
( 0 0 0 ) ( 1 0 2 )
( 0 0 0 ) ( 1 0 2 )
( 0 0 0 ) ( 1 0 2 )
}

baseframe {
( 0 0 0 ) ( 0 0 0 )
( 0 0 0 ) ( 0 0 0 )
}

frame 0 {
0
}

frame 1 {
5
}

frame 2 {
7
}

"""


class Says(Case):
    def test_animations_beside_the_model(self):
        """Doom's models have theirs in a file of the same name: Z is up, and here the whole rises by 5 and 7."""
        (self.folder / "imp.md5mesh").write_text(MD5MESH)
        (self.folder / "imp.md5anim").write_text(MD5ANIM)
        g = import_to(self.folder / "imp.md5mesh", self.folder / "imp.glb")
        self.assertEqual(len(g.clips), 1)
        self.assertAlmostEqual(g.duration(0), 0.2, 5)
        for seconds, height in ((0, 0), (0.05, 2.5), (0.1, 5), (0.2, 7)):
            low, high = g.bounds(0, seconds)
            self.assertAlmostEqual(low[1], height, 4)
            self.assertAlmostEqual(high[1], height + 2, 4)
        (self.folder / "moves.md5anim").write_text(MD5ANIM)
        moves = import_to(self.folder / "moves.md5anim", self.folder / "moves.glb")
        self.assertEqual((len(moves.clips), moves.drawn()), (1, []))

    def triangle(self, name="a.dae", image="pic.png"):
        path = self.folder / name
        path.write_text(TRIANGLE.format(image=image))
        return path

    def test_verbs_take_it(self):
        path = self.triangle()
        told = json.loads(stele("info", "--json", path).stdout)
        self.assertEqual([m["triangles"] for m in told["meshes"]], [1])
        self.assertEqual(stele("diff", path, path).returncode, 0)
        self.assertEqual(stele("check", path).returncode, 0)
        self.assertEqual(stele("thumbnail", path, self.folder / "a.png").returncode, 0)
        self.assertEqual(stele("render", path, "-o", self.folder / "b.png", "--size", "16x16").returncode, 0)
        for ending in ("mesh", "sgm", "twm", "ctc", "sff", "obj", "gltf"):
            target = self.folder / f"a.{ending}"
            self.assertEqual(stele("convert", "-q", path, target).returncode, 0, ending)
            self.assertEqual(stele("check", "-q", target).returncode, 0, ending)

    def test_it_is_called_what_it_was(self):
        """Not what it became: in lines, in documents, and where offsets would be those of another file."""
        path = self.triangle()
        for verb in ("check", "info", "explain"):
            self.assertIn("Collada, imported as glb 2.0", stele(verb, path).stdout, verb)
        for command in (["check", path], ["info", path], ["explain", path], ["convert", "-f", path, self.folder / "called.glb"],
                        ["optimize", "-f", path, self.folder / "called.glb"], ["render", "-f", path, "-o", self.folder / "called.png"],
                        ["thumbnail", path, self.folder / "called.png"], ["diff", path, path]):
            told = json.loads(stele(*command, "--json").stdout)
            self.assertEqual((told["status"], told["imported"]), ("ok", "Collada"), command)
        self.assertEqual(told["second_imported"], "Collada")
        self.assertNotIn("imported", json.loads(stele("info", "--json", ROOT / "samples/scribe.sgm").stdout))
        flat = self.folder / "flat.stl"
        flat.write_text("solid a\nfacet normal 0 0 1\nouter loop\n" + "vertex 1 2 3\n" * 3 + "endloop\nendfacet\nendsolid a\n")
        self.assertRegex(stele("check", flat).stdout, r"flat\.stl: warning: .*\[zero-area-triangle\]")

    def test_view_shows_it(self):
        """The page gets a GLB, made anew when the file has changed."""
        path = self.triangle("seen.dae", "none.png")
        server = subprocess.Popen([STELE, "view", "--no-open", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(server.communicate)
        self.addCleanup(server.kill)
        address = server.stdout.readline().strip().removesuffix("?view")
        if not address:
            self.assertIn("built without its page", server.stderr.read())
            self.skipTest("the command has no page")
        with urllib.request.urlopen(address + "models.json") as answer:
            self.assertEqual(json.load(answer), ["seen.dae.glb"])
        for corner in ("1 0 0", "7 0 0"):
            path.write_text(TRIANGLE.format(image="none.png").replace("0 0 0 1 0 0 0 1 0", f"0 0 0 {corner} 0 1 0"))
            with urllib.request.urlopen(address + "file/0") as answer:
                (self.folder / "seen.glb").write_bytes(answer.read())
            self.assertIn([float(c) for c in corner.split()], [list(p) for p in drawn_points(Gltf(self.folder / "seen.glb"))])
        server.send_signal(signal.SIGINT)
        self.assertEqual(server.wait(20), 130)

    def test_losses_are_said_and_strict(self):
        path, target = self.triangle(), self.folder / "strict.glb"
        told = json.loads(stele("check", "--json", path).stdout)["diagnostics"]
        self.assertIn(("loss-import", "1 light"), [(d["id"], d["text"]) for d in told])
        self.assertIn("imported", [d["id"] for d in told])
        done = stele("convert", "--strict", path, target)
        self.assertEqual((done.returncode, target.exists()), (1, False))

    def test_textures_are_found_beside_the_model(self):
        (self.folder / "pic.png").write_bytes((ROOT / "samples/scribe.png").read_bytes())
        (self.folder / "textures").mkdir(exist_ok=True)
        (self.folder / "textures/other.png").write_bytes((ROOT / "samples/scribe.png").read_bytes())
        for image, found in (("pic.png", "pic.png"), ("C:\\art\\pic.png", "pic.png"), ("/nowhere/pic.png", "pic.png"),
                             ("file:///home/artist/pic.png", "pic.png"), ("textures\\other.png", "textures/other.png"),
                             ("D:/art/other.png", "textures/other.png"), ("../missing.png", None)):
            told = json.loads(stele("info", "--json", self.triangle(image=image)).stdout)
            self.assertEqual(told["materials"][0]["textures"][0]["found"], found, image)
        g = import_to(self.triangle(), self.folder / "embedded.glb", "--embed-textures")
        self.assertIn("bufferView", g.json["images"][0])

    @unittest.skipUnless(MODELS.exists(), "assimp-testmodels are not there")
    def test_names_in_a_list(self):
        """X3D may name an image several times; the first that is there counts."""
        folder = self.folder / "listed"
        folder.mkdir()
        shutil.copy(MODELS / "X3D/HelloX3dTrademark.x3d", folder / "globe.x3d")
        for beside in ("earth-topo.gif", "earth-topo.png"):
            (folder / beside).write_bytes((ROOT / "samples/scribe.png").read_bytes())
            told = json.loads(stele("info", "--json", folder / "globe.x3d").stdout)
            self.assertEqual(told["materials"][0]["textures"][0]["found"], beside)

    def test_formats_lists_them(self):
        told = json.loads(stele("formats", "--json").stdout)
        endings = {e for f in told["imported"] for e in f["extensions"]}
        self.assertLessEqual({"dae", "3ds", "x3d", "fbx", "blend", "ply", "stl", "md2", "md3", "md5mesh", "iqm", "ogex", "bvh", "lwo",
                              "ms3d", "smd"}, endings)
        self.assertFalse(endings & {e for f in told["formats"] for e in f["extensions"]})
        self.assertIn("imported through Assimp", stele("formats").stdout)

    def test_ours_stay_ours(self):
        path = self.folder / "cube.obj"
        path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        self.assertEqual(json.loads(stele("info", "--json", path).stdout)["format"], "obj")
        through = json.loads(stele("info", "--import", "--json", path).stdout)
        self.assertIn("imported", [d["id"] for d in through["diagnostics"]])

    def test_what_only_looks_like_ours(self):
        """Lines of NFF begin as lines of OBJ do."""
        path = self.folder / "ball.nff"
        path.write_text("f 1 0 0 1 0 0 0 0\ns 5.0 5.0 5.0 3.0\n")
        for verb in (["check", path], ["convert", "-q", "-f", path, self.folder / "ball.glb"]):
            self.assertEqual(stele(*verb).returncode, 0, verb)
        self.assertGreater(drawn_triangles(Gltf(self.folder / "ball.glb")), 10)

    def test_folders_with_import(self):
        folder = self.folder / "many"
        folder.mkdir()
        for name in ("one.dae", "two.dae"):
            (folder / name).write_text(TRIANGLE.format(image="x.png"))
        self.assertEqual(stele("check", "-r", folder).returncode, 3)
        done = stele("convert", "--import", "-r", folder, "--to", "glb", "--out-dir", self.folder / "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(p.name for p in (self.folder / "out").iterdir()), ["one.glb", "two.glb"])

    def test_without_the_program_it_says_what_to_install(self):
        alone = self.folder / "alone"
        alone.mkdir()
        shutil.copy(STELE, alone / "stele")
        done = subprocess.run([alone / "stele", "check", self.triangle()], capture_output=True, text=True)
        self.assertEqual(done.returncode, 4)
        self.assertIn("libassimp-dev", done.stdout)
        told = subprocess.run([alone / "stele", "formats", "--json"], capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(told.stdout)["imported"], [])

    def test_a_program_that_cannot_run(self):
        alone = self.folder / "broken"
        alone.mkdir()
        shutil.copy(STELE, alone / "stele")
        (alone / "stele-import").write_text("#!/bin/sh\nexit 127\n")
        (alone / "stele-import").chmod(0o755)
        done = subprocess.run([alone / "stele", "check", self.triangle()], capture_output=True, text=True)
        self.assertEqual(done.returncode, 4)
        self.assertIn("libassimp5", done.stdout)

    def test_nonsense_from_the_program_is_refused(self):
        """The pipe is as untrusted as any file."""
        alone = self.folder / "liar"
        alone.mkdir()
        shutil.copy(STELE, alone / "stele")
        for script in ("head -c 100000 /dev/urandom", "printf 'glTF\\2\\0\\0\\0\\377\\377\\377\\377'", "true",
                       "yes 'loss 99999999999999999999999 x' | head -n 100000 >&2; printf x"):
            (alone / "stele-import").write_text(f"#!/bin/sh\n{script}\n")
            (alone / "stele-import").chmod(0o755)
            done = subprocess.run([alone / "stele", "convert", self.triangle(), self.folder / "lie.glb"], capture_output=True, timeout=60)
            self.assertIn(done.returncode, (1, 3, 4), script)
            self.assertFalse((self.folder / "lie.glb").exists())


# ---- Bad input -----------------------------------------------------------------------------------------------------------

COLLADA = '<?xml version="1.0"?>{}<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset/>{}</COLLADA>'
SCENE = '<library_visual_scenes><visual_scene id="s">{}</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene>'


class Hostile(Case):
    """Each ends soon, with an exit code and a message that names the file, and leaves nothing behind."""

    def attack(self, name, content, *codes, seconds=20):
        folder = self.folder / "attack"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        path, target = folder / name, folder / "out.glb"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        started = time.monotonic()
        done = stele("convert", path, target)
        self.assertLess(time.monotonic() - started, seconds, name)
        self.assertIn(done.returncode, codes, done.stderr)
        if done.returncode:
            self.assertIn(name, done.stderr)
            self.assertEqual([p.name for p in folder.iterdir()], [name])
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.assertLess(most, 3 << 20, f"{name}: kilobytes")
        return done, target

    def test_a_crash_is_a_message(self):
        done, _ = self.attack("deep.dae", COLLADA.format("", SCENE.format('<node id="n">' * 200000 + "</node>" * 200000)), 3)
        self.assertIn("Assimp crashed reading it", done.stderr)
        done, _ = self.attack("colour.raw", "Name\n0.5 0.5 0.5 0 0 0 0 1 0 1 0 0\n", 0, 3)

    def test_deep_nesting(self):
        for count, codes in ((1000, (0,)), (200000, (1, 3))):
            self.attack("deep.x3d", "<X3D><Scene>" + "<Group>" * count + "</Group>" * count + "</Scene></X3D>", *codes)
            self.attack("deep.x", "xof 0303txt 0032\n" + "Frame a {\n" * count + "}\n" * count, *codes)

    def test_entities(self):
        laughs = "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(10))
        bomb = f'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">{laughs}]>'
        self.attack("bomb.dae", COLLADA.format(bomb, SCENE.format('<node id="n" name="&k;"/>')), 0, 1)
        secret = self.folder / "secret"
        secret.write_text("swordfish")
        done, target = self.attack("entity.dae", COLLADA.format(f'<!DOCTYPE x [<!ENTITY s SYSTEM "file://{secret}">]>',
                                                                SCENE.format('<node id="n" name="&s;"/>')), 0, 1)
        if target.exists():
            self.assertNotIn(b"swordfish", target.read_bytes())

    def test_what_unpacks_to_gigabytes(self):
        model = self.folder / "bomb.3mf"
        with zipfile.ZipFile(model, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as z:
            z.writestr("_rels/.rels", '<?xml version="1.0"?><Relationships><Relationship Target="/3D/3dmodel.model" Id="r" Type='
                                      '"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>')
            with z.open("3D/3dmodel.model", "w", force_zip64=True) as f:
                f.write(b'<?xml version="1.0"?><model>')
                for _ in range(96):
                    f.write(b" " * (16 << 20))
        self.attack("bomb.3mf", model.read_bytes(), 1, 3)
        self.attack("bomb.blend", gzip.compress(b"BLENDER-v279" + bytes(1 << 30), 1), 1, 3)

    def test_counts_that_are_lies(self):
        header = "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\nproperty float z\n"
        done, _ = self.attack("counts.ply", header + "element face 9\nproperty list uchar uint vertex_indices\nend_header\n", 1, 3)
        done, _ = self.attack("counts.off", "OFF\n2000000000 2000000000 0\n", 3)
        self.assertIn("not enough memory", done.stderr)
        self.attack("counts.stl", bytes(80) + b"\xff\xff\xff\xff", 1, 3, 4)

    def test_binary_counts_that_are_lies(self):
        """Each number of a header, one by one, as large as it can be."""
        places = {"md3": range(76, 108, 4), "iqm": range(24, 76, 4), "ms3d": (14,), "lwo": (4, 16)}
        for ending, offsets in places.items():
            sound = getattr(interchange_writers, ending)()
            for offset in offsets:
                for lie in (b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f"):
                    size = 2 if ending == "ms3d" else 4
                    self.attack(f"lies.{ending}", sound[:offset] + lie[:size] + sound[offset + size:], 0, 1, 3, 4)
            for length in range(0, len(sound), max(len(sound) // 12, 1)):
                self.attack(f"cut.{ending}", sound[:length], 0, 1, 3, 4)

    def test_entities_elsewhere(self):
        """Of XML in any format: neither is an entity made into gigabytes, nor a file read through one."""
        laughs = "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(10))
        secret = self.folder / "secret"
        secret.write_text("swordfish")
        for ending, root in (("x3d", "X3D"), ("amf", "amf"), ("xgl", "WORLD"), ("irr", "irr_scene"), ("irrmesh", "mesh")):
            for doctype, entity in ((f'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">{laughs}]>', "&k;"),
                                    (f'<!DOCTYPE x [<!ENTITY s SYSTEM "file://{secret}">]>', "&s;")):
                text = f'<?xml version="1.0"?>{doctype}<{root}><Scene DEF="{entity}">{entity}</Scene></{root}>'
                done, target = self.attack(f"entity.{ending}", text, 0, 1, 3, 4)
                self.assertNotIn("swordfish", done.stderr + (target.read_bytes().decode("latin-1") if target.exists() else ""))

    def unpack(self, model):
        done, target = self.attack(model.name, model.read_bytes(), 0, 1, 3, 4)
        self.assertTrue(done.returncode or target.stat().st_size < 100000, model.name)

    def test_archives(self):
        """That unpack to much more than they are, or have ten thousand files."""
        for ending, inner in (("zae", "scene.dae"), ("pk3", "maps/a.bsp"), ("ifczip", "a.ifc")):
            model = self.folder / f"bomb.{ending}"
            with zipfile.ZipFile(model, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as z:
                with z.open(inner, "w", force_zip64=True) as f:
                    for _ in range(48):
                        f.write(bytes(16 << 20))
            self.unpack(model)
            with zipfile.ZipFile(model, "w") as z:
                for i in range(10000):
                    z.writestr(f"{i}/{inner}", "x")
            self.unpack(model)

    def test_ten_thousand_names(self):
        names = "".join(f"LoadObjectLayer 1 obj{i}.lwo\n" for i in range(10000))
        self.attack("names.lws", "LWSC\n3\n\n" + names, 0, 1, 3, seconds=60)
        images = "".join(f'<image id="i{i}"><init_from>picture{i}.png</init_from></image>' for i in range(10000))
        self.attack("names.dae", COLLADA.format("", f"<library_images>{images}</library_images>" + SCENE.format('<node id="n"/>')), 0, 1)
        meshes = "".join(f'<node type="mesh"><attributes><string name="Mesh" value="m{i}.obj"/></attributes></node>' for i in range(10000))
        self.attack("names.irr", f'<?xml version="1.0"?><irr_scene>{meshes}</irr_scene>', 0, 1, 3, 4, seconds=60)

    @unittest.skipUnless(MODELS.exists(), "assimp-testmodels are not there")
    def test_files_elsewhere_are_not_read(self):
        """A scene that names an object: beside it, it is read; outside of the folder it is not."""
        cube = (MODELS / "LWS/simple_cube.lwo").read_bytes()
        (self.folder / "cube.lwo").write_bytes(cube)
        folder = self.folder / "inner"
        folder.mkdir()
        (folder / "cube.lwo").write_bytes(cube)
        (folder / "link.lwo").symlink_to(self.folder / "cube.lwo")
        for name, triangles in (("cube.lwo", 12), ("../cube.lwo", 0), ("link.lwo", 0), (str(self.folder / "cube.lwo"), 0)):
            path = folder / "scene.lws"
            path.write_text(f"LWSC\n3\n\nLoadObjectLayer 1 {name}\nShowObject 7 1\n")
            g = import_to(path, self.folder / "scene.glb")
            self.assertEqual(drawn_triangles(g), triangles, name)

    def cost(self, *arguments):
        """Exit code, seconds of a processor and megabytes, of the command and of stele-import, and what was said."""
        with tempfile.TemporaryFile() as said:
            running = subprocess.Popen([STELE, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=said)
            _, status, used = os.wait4(running.pid, 0)
            running.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            return running.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000, said.read().decode(errors="replace")

    def subdivided(self, times):
        return ('AC3Db\nMATERIAL "" rgb 1 1 1 amb 0 0 0 emis 0 0 0 spec 0 0 0 shi 0 trans 0\nOBJECT poly\n'
                f"subdiv {times}\nnumvert 4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\nnumsurf 1\nSURF 0x20\nmat 0\nrefs 4\n"
                "0 0 0\n1 0 0\n2 0 0\n3 0 0\nkids 0\n")

    def small_bombs(self):
        """Less than 100 kB that become much: by subdivision, by unpacking, by copies, by a count, by a slow way."""
        yield "subdivided.ac", self.subdivided(12), "--memory-limit"
        yield "spheres.nff", "tess 9\n" + "s 0 0 0 1\n" * 9, "--memory-limit"
        yield "packed.blend", gzip.compress(b"BLENDER-v270" + bytes(90000000), 9), "--memory-limit"
        face = "".join(f"{10 * axis + corner}\n{value}\n" for corner, point in enumerate(("000", "100", "010", "010"))
                       for axis, value in enumerate(point, 1))
        yield "inserted.dxf", ("0\nSECTION\n2\nBLOCKS\n0\nBLOCK\n2\nA\n" + ("0\n3DFACE\n8\n0\n" + face) * 500 +
                               "0\nENDBLK\n0\nENDSEC\n0\nSECTION\n2\nENTITIES\n" + "0\nINSERT\n2\nA\n" * 2000 +
                               "0\nENDSEC\n0\nEOF\n"), "--memory-limit"
        header = ("ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n"
                  "element face 1\nproperty list int int vertex_indices\nend_header\n")
        yield "lie.ply", header.format(50000000), "--memory-limit"
        corners = random.Random(1).choices(range(4), k=24000)
        yield "corners.ply", (header.format(4).encode() + struct.pack("<12f", 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0) +
                              struct.pack("<24001i", 24000, *corners)), "--work-limit"

    def test_small_files_take_little(self):
        """What SECURITY.md promises: a second and a half, or two, for each of the two processes, and 256 MB."""
        for name, content, option in self.small_bombs():
            path = self.folder / name
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            self.assertLess(path.stat().st_size, 100000, name)
            for verb in (("info", "--import"), ("optimize", "--import", "-f", "-o", self.folder / "small.glb")):
                code, seconds, megabytes, said = self.cost(*verb, path)
                self.assertIn(code, (3, 0 if option == "--work-limit" else 3), (name, said))  # it may be a fast machine
                self.assertTrue(code == 0 or f"limit ({option})" in said, (name, said))
                self.assertLess(seconds, 4, (name, verb))
                self.assertLess(megabytes, 256, (name, verb))

    def test_what_has_swollen_is_worked_on_within_limits_for_what_it_was(self):
        path = self.folder / "swollen.ac"
        path.write_text(self.subdivided(8))
        self.assertEqual(self.cost("info", path)[0], 0)
        code, seconds, megabytes, said = self.cost("optimize", "-f", "--simplify", "0.5", path, "-o", self.folder / "swollen.glb")
        self.assertLess(seconds, 4, said)
        self.assertLess(megabytes, 256, said)
        self.assertEqual(code, 3, said)
        self.assertIn("(--work-limit)", said)

    def test_options_raise_the_limits(self):
        path = self.folder / "more.nff"
        path.write_text("tess 7\n" + "s 0 0 0 1\n" * 3)
        code, _, _, said = self.cost("info", "--import", path)
        self.assertEqual(code, 3, said)
        self.assertIn("limit (--memory-limit)", said)
        for limit in ("1G", "0"):
            code, _, _, said = self.cost("info", "--import", "--memory-limit", limit, "--work-limit", "0", path)
            self.assertEqual(code, 0, said)
        code, _, _, said = self.cost("info", "--import", "--memory-limit", "1G", "--work-limit", "50M", path)
        self.assertEqual(code, 3, said)
        self.assertIn("limit (--work-limit) allows: 0.05", said)

    def test_large_files_that_a_small_one_names_count(self):
        """A few lines whose points are more than so few may become."""
        size = 24 << 20
        path = self.folder / "names.gltf"
        path.write_text(json.dumps({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 0}]}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": size // 12, "type": "VEC3", "min": [0] * 3, "max": [0] * 3}],
            "bufferViews": [{"buffer": 0, "byteLength": size}], "buffers": [{"uri": "large.bin", "byteLength": size}]}))
        (self.folder / "large.bin").write_bytes(bytes(size))
        code, _, _, said = self.cost("info", "--import", path)
        self.assertEqual(code, 0, said)

    def test_limits_are_the_callers(self):
        path = self.folder / "a.dae"
        path.write_text(TRIANGLE.format(image="x.png"))
        done = stele("check", "--memory-limit", "20M", path)
        self.assertEqual(done.returncode, 3, done.stdout)

    def test_a_fifo_does_not_hold_us(self):
        folder = self.folder / "pipes"
        folder.mkdir()
        os.mkfifo(folder / "obj.lwo")
        path = folder / "scene.lws"
        path.write_text("LWSC\n3\n\nLoadObjectLayer 1 obj.lwo\n")
        self.assertIn(stele("check", path).returncode, (0, 1, 3))


if __name__ == "__main__":
    unittest.main()
