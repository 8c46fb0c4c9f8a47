#!/usr/bin/env python3
"""The Python package beside the command and readers of the tests' own."""
import base64
import ctypes
import ctypes.util
import gc
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("STELE_BUILD", ROOT / "build"))
os.environ["STELE_LIBRARY"] = str(BUILD / "libstele.so")
sys.path.insert(0, str(ROOT / "python"))
try:
    import numpy
except ModuleNotFoundError:  # Debian's numpy is that of its own Python
    if sys.executable == "/usr/bin/python3" or not Path("/usr/bin/python3").exists():
        print("# skipped: there is no numpy here")
        sys.exit(0)
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
import stele

SCRIBE = ROOT / "samples/scribe.sgm"


def gltf(**parts):
    return json.dumps({"asset": {"version": "2.0"}} | parts).encode()


def places(count):
    """The parts of a glTF in which accessor 0 has so many positions."""
    data = struct.pack(f"<{3 * count}f", *range(3 * count))
    uri = "data:;base64," + base64.b64encode(data).decode()
    accessor = {"bufferView": 0, "componentType": 5126, "count": count, "type": "VEC3", "min": [0, 1, 2],
                "max": [3 * count - 3, 3 * count - 2, 3 * count - 1]}
    return {"buffers": [{"byteLength": len(data), "uri": uri}], "bufferViews": [{"buffer": 0, "byteLength": len(data)}],
            "accessors": [accessor]}


class Package(unittest.TestCase):
    def test_header_is_what_its_maker_prints(self):
        made = subprocess.run(["python3", ROOT / "tools/make_python.py"], capture_output=True, text=True, check=True).stdout
        self.assertEqual((ROOT / "python/stele/_header.py").read_text(), made)

    def test_structs_are_as_large_as_in_c(self):
        names = [n for n in dir(stele._header) if n.startswith("stele_")]
        lines = "".join(f'printf("%zu\\n", sizeof({n}));' for n in names)
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "sizes.c"
            source.write_text(f"#include <stdio.h>\n#include <stele.h>\nint main(void) {{ {lines} return 0; }}\n")
            subprocess.run(["cc", f"-I{ROOT}/include", source, "-o", source.with_suffix("")], check=True)
            sizes = subprocess.run([source.with_suffix("")], capture_output=True, text=True, check=True).stdout.split()
        self.assertGreater(len(names), 30)
        for name, size in zip(names, sizes, strict=True):
            self.assertEqual(ctypes.sizeof(getattr(stele._header, name)), int(size), name)

    def test_registry(self):
        said = json.loads(subprocess.run([BUILD / "stele", "formats", "--json"], capture_output=True, check=True).stdout)["formats"]
        ours = list(stele.formats())
        for format in ours:
            theirs = next(f for f in said if f["name"] == format.name)
            self.assertEqual([d["name"] for d in theirs["dialects"]], list(format.dialects))
        self.assertIn("sgm", {f.name for f in ours})

    def test_model(self):
        with stele.open(SCRIBE) as file:
            self.assertEqual((file.format, file.dialect), ("sgm", "v3"))
            model = file.model
            self.assertEqual([len(p.triangles()) for p in model.meshes[0].primitives], [3396, 190, 112])
            primitive = model.meshes[0].primitives[0]
            positions = primitive[stele.POSITION]
            self.assertEqual(positions.shape, (primitive.vertex_count, 3))
            self.assertTrue(numpy.array_equal(positions, primitive.floats(stele.POSITION)))
            self.assertIn(stele.NORMAL, primitive)
            self.assertRaises(KeyError, lambda: primitive[stele.UV, 7])
            roots = [n for n in model.nodes if n.parent is None]
            self.assertTrue(roots)
            self.assertTrue(all(clip.duration > 0 for clip in model.clips))
            self.assertEqual(model.node_matrices(model.clips[0].name, 0.5).shape, (len(model.nodes), 4, 4))
            self.assertRaises(stele.Error, lambda: model.node_matrices("no such clip"))
            self.assertEqual(file.texture(0), (ROOT / "samples/scribe.png").read_bytes())

    def test_types_are_those_of_the_structs(self):
        for struct, kind in stele._KINDS.items():
            fields = {name for name, _ in struct._fields_}
            self.assertLessEqual(set(kind.__annotations__), fields, kind)
            self.assertTrue(kind.__annotations__, kind)
        with stele.open(SCRIBE) as file:
            model = file.model
            self.assertIsInstance(model.nodes[0], stele.Node)
            self.assertEqual(sorted(model.order), list(range(len(model.nodes))))
            self.assertEqual(len(model.nodes[0].local.rotation), 4)
            for node in model.nodes:
                self.assertTrue(node.matrix is None or len(node.matrix) == 16)
            for mesh in model.meshes:
                self.assertEqual(mesh.weights, [0.0] * len(mesh.primitives[0].morphs))
            self.assertIsInstance(model.materials[0].textures[0], stele.TextureUse)

    def test_all_that_is_pointed_to_has_a_length(self):
        seen, waiting = set(), [stele._header.stele_model]
        while waiting:
            struct = waiting.pop()
            seen.add(struct)
            kind = stele._KINDS.get(struct, stele.Part)
            for name, type_ in struct._fields_:
                if issubclass(type_, ctypes._Pointer) and not isinstance(vars(kind).get(name), property):
                    self.assertEqual(kind(struct(), None)._count(name), 16 if name == "matrix" else 0)
                inner = getattr(type_, "_type_", type_)
                if isinstance(inner, type) and issubclass(inner, ctypes.Structure) and inner not in seen:
                    waiting.append(inner)
        self.assertIn(stele._header.stele_property, seen)

    def test_weights_of_nodes(self):
        mesh = {"primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 0}] * 2}], "weights": [0.25, 0.5]}
        file = stele.open(gltf(**places(3), meshes=[mesh], nodes=[{"mesh": 0, "weights": [0.5, 1]}, {"mesh": 0}, {}],
                               scenes=[{"nodes": [0, 1, 2]}]), name="m.gltf")
        model = file.model
        self.assertEqual([n.weights for n in model.nodes if n.mesh is not None], [[0.5, 1], None])
        self.assertEqual([n.weights for n in model.nodes if n.mesh is None], [None] * (len(model.nodes) - 2))
        self.assertEqual(model.meshes[0].weights, [0.25, 0.5])

    def test_images_inside(self):
        image = (ROOT / "samples/scribe.png").read_bytes()
        uri = "data:image/png;base64," + base64.b64encode(image).decode()
        with stele.open(gltf(images=[{"uri": uri}, {"uri": "beside.png"}], textures=[{"source": 0}, {"source": 1}]), name="i.gltf") as file:
            self.assertEqual([t.data for t in file.model.textures], [image, None])

    def test_properties(self):
        with stele.open(SCRIBE) as file:
            properties = file.model.materials[0].properties
            self.assertEqual(len(properties), 1)
            self.assertEqual([p.key for p in properties.items], list(properties))
            self.assertEqual(dict(properties), {properties.items[0].key: properties.items[0].value})
        extras = {"text": "ä", "number": 2.5, "numbers": [1, 2, 3], "none": [], "other": {"a": [None, True]}}
        with stele.open(gltf(nodes=[{"extras": extras}], scenes=[{"nodes": [0]}]), name="extras.gltf") as file:
            properties = file.model.nodes[0].properties
            self.assertEqual(dict(properties), extras)
            self.assertEqual(properties["text"], "ä")
            self.assertEqual((properties.get("number"), properties.get("no such", 7)), (2.5, 7))
            self.assertIn("other", properties)
            self.assertNotIn("no such", properties)
            self.assertRaises(KeyError, lambda: properties["no such"])
            numbers = properties.items[2]
            self.assertEqual((numbers.key, numbers.text, numbers.json, numbers.numbers), ("numbers", None, None, [1, 2, 3]))

    @unittest.skipUnless(shutil.which("mypy"), "there is no mypy here")
    def test_types_hold(self):
        with tempfile.TemporaryDirectory() as folder:
            use = Path(folder) / "use.py"
            use.write_text("import stele\n\nwith stele.open('x') as file:\n    names: list[str | None] = [n.name for n in file.model.nodes]\n"
                           "    wrong: int = file.model.clips[0].name\n")
            said = subprocess.run(["mypy", "--python-executable", "/usr/bin/python3", "--cache-dir", folder, use], capture_output=True,
                                  text=True, env=os.environ | {"MYPYPATH": str(ROOT / "python")}, check=False).stdout.splitlines()
        self.assertEqual(len(said), 2, said)  # the one that is wrong, and the sum
        self.assertIn("use.py:5: error: Incompatible types in assignment", said[0])

    def test_wrong_numbers_find_nothing(self):
        with stele.open(SCRIBE) as file:
            model = file.model
            self.assertGreater(abs(model.node_matrices(0, 0.3) - model.node_matrices(None, 0.3)).max(), 0)
            for wrong in (-1, len(model.clips), stele.NONE, 2**32, 2**64):
                for call in (lambda n: model.node_matrices(n, 0.3), lambda n: model.skin_matrices(0, n, 0.3), model.skin_matrices,
                             file.texture, file.pixels):
                    with self.assertRaises(stele.NoSuchIndex, msg=wrong) as caught:
                        call(wrong)
                    self.assertIsInstance(caught.exception, stele.Error)
                    self.assertIsInstance(caught.exception, IndexError)
                    self.assertEqual(caught.exception.status, stele.USAGE)
            self.assertTrue(numpy.array_equal(model.node_matrices(numpy.int64(0), 0.3), model.node_matrices(0, 0.3)))
            self.assertRaises(TypeError, lambda: model.node_matrices(0.0, 0.3))
            for wrong in (-1, 0, 65537, 2**32 + 8):
                for sides in ((wrong, 8), (8, wrong)):
                    with self.assertRaises(stele.Error, msg=sides) as caught:
                        file.render(*sides)
                    self.assertEqual(caught.exception.status, stele.USAGE)
            self.assertEqual(file.render(65536, 1).shape, (1, 65536, 4))

    def test_no_function_cuts_off_numbers(self):
        """None of the library takes a number that is beyond its parameter's range."""
        ranges = {ctypes.c_int: (-2**31, 2**31), ctypes.c_uint32: (0, 2**32), ctypes.c_uint64: (0, 2**64), ctypes.c_size_t: (0, 2**64)}
        seen = set()
        for name, (_, kinds) in stele._header.FUNCTIONS.items():
            for kind, parameter in zip(kinds, getattr(stele._library, name).argtypes, strict=True):
                if kind in ranges:
                    seen.add(kind)
                    least, end = ranges[kind]
                    self.assertEqual([parameter.from_param(n).value for n in (least, end - 1)], [least, end - 1])
                    for wrong in (least - 1, end, -2**64):
                        self.assertRaises(OverflowError, parameter.from_param, wrong)
        self.assertEqual(seen, set(ranges))
        self.assertRaises(ctypes.ArgumentError, lambda: stele._library.stele_format_at(2**64))

    def test_no_text_is_cut_off(self):
        with tempfile.TemporaryDirectory() as folder, stele.open(SCRIBE) as file:
            out = Path(folder) / "scribe.glb"
            for call in (lambda: stele.open(f"{SCRIBE}\0.glb"), lambda: stele.open(SCRIBE.read_bytes(), name="scribe.sgm\0.glb"),
                         lambda: file.model.node_matrices("walk\0ing", 0.3), lambda: file.save(f"{out}\0.sgm"),
                         lambda: file.save(out, format="glb\0x"), lambda: file.save(out, dialect="2.0\0x")):
                with self.assertRaises(stele.Error) as caught:
                    call()
                self.assertEqual(caught.exception.status, stele.USAGE)
                self.assertIn("NUL", caught.exception.message)
            self.assertEqual(list(Path(folder).iterdir()), [])
        self.assertEqual(stele.open(SCRIBE.read_bytes(), name=os.fsdecode(b"\xff.sgm")).format, "sgm")

    def test_attributes(self):
        """What is in a primitive is what can be had of it."""
        with stele.open(SCRIBE) as file:
            primitive = file.model.meshes[0].primitives[0]
            there = {(a.semantic, a.set) for a in primitive.attributes}
            self.assertIn((stele.UV, 0), there)
            for semantic in range(-1, 9):
                for number in (-1, 0, 1, 2**32):
                    for which in [(semantic, number), *([semantic] if not number else [])]:
                        if (semantic, number) in there:
                            self.assertIn(which, primitive)
                            self.assertEqual(len(primitive[which]), len(primitive.floats(semantic, number)))
                        else:
                            self.assertNotIn(which, primitive)
                            self.assertRaises(KeyError, lambda which=which: primitive[which])
                            self.assertRaises(KeyError, primitive.floats, semantic, number)
            self.assertNotIn(2**32, primitive)
            self.assertNotIn("UV", primitive)
            self.assertRaises(KeyError, lambda: primitive[2**32])
            self.assertRaises(TypeError, lambda: list(primitive))

    def test_only_triangles_are_triangles(self):
        vertices = "".join(f"v {i} 0 {i * i}\n" for i in range(6))
        for topology, drawn, expected in ((stele.LINES, "l 1 2\nl 2 3\nl 3 4\n", []), (stele.POINTS, "p 1 2 3\n", []),
                                          (stele.TRIANGLES, "f 1 2 3\nf 4 5 6\n", [[0, 1, 2], [3, 4, 5]])):
            with stele.open((vertices + drawn).encode(), name="some.obj") as file:
                primitive = file.model.meshes[0].primitives[0]
                self.assertEqual(primitive.topology, topology)
                triangles = primitive.triangles()
                self.assertEqual((triangles.shape, triangles.dtype), ((len(expected), 3), numpy.uint32))
                self.assertEqual(triangles.tolist(), expected)
        for count in (3, 4, 5, 6):  # what is left over is not drawn
            mesh = {"primitives": [{"attributes": {"POSITION": 0}}]}
            with stele.open(gltf(**places(count), meshes=[mesh], nodes=[{"mesh": 0}], scenes=[{"nodes": [0]}]), name="m.gltf") as file:
                primitive = file.model.meshes[0].primitives[0]
                self.assertEqual(primitive.triangles().tolist(), [[0, 1, 2], [3, 4, 5]][:count // 3])

    def test_skinning_by_numpy(self):
        """What the arrays and matrices say, multiplied here, is where the library draws the vertices."""
        with stele.open(SCRIBE) as file:
            model = file.model
            matrices = model.skin_matrices(0, "walk", 0.3).astype(float)
            node = next(i for i, n in enumerate(model.nodes) if n.skin is not None)
            primitive = model.meshes[model.nodes[node].mesh].primitives[0]
            places = numpy.c_[primitive.floats(stele.POSITION), numpy.ones(primitive.vertex_count)]
            joints, weights = primitive[stele.JOINTS].astype(int), primitive.floats(stele.WEIGHTS)
            moved = numpy.einsum("vk,vkij,vj->vi", weights, matrices[joints], places)[:, :3]
            count, lib = len(model.nodes), stele._library
            exact = numpy.zeros((count, 16))
            clip = lib.stele_find_clip(ctypes.byref(model._struct), b"walk")
            self.assertTrue(lib.stele_evaluate_nodes(ctypes.byref(model._struct), clip, 0.3, exact.ctypes.data, count))
            drawn = numpy.zeros((primitive.vertex_count, 3), numpy.float32)
            self.assertTrue(lib.stele_evaluate_vertices(ctypes.byref(model._struct), node, 0, clip, 0.3, exact.ctypes.data, count,
                                                        stele._floats(drawn), None, len(drawn)))
            self.assertLess(abs(moved - drawn).max(), 1e-5 * abs(drawn).max())
            self.assertGreater(abs(moved - places[:, :3]).max(), 1e-2)
            self.assertRaises(IndexError, lambda: model.skin_matrices(7))

    def test_pixels(self):
        with stele.open(SCRIBE) as file:
            pixels = file.pixels(0)
            data = (ROOT / "samples/scribe.png").read_bytes()
            self.assertEqual(struct.unpack(">II", data[16:24]), (pixels.shape[1], pixels.shape[0]))
            self.assertGreater(len(numpy.unique(pixels.reshape(-1, 4), axis=0)), 3)
        with stele.open(SCRIBE.read_bytes(), name="scribe.sgm") as file:  # nothing lies beside bytes
            self.assertRaises(stele.Error, lambda: file.pixels(0))

    def test_without_the_library_it_says_so(self):
        def said(place):
            environment = {k: v for k, v in os.environ.items() if k != "STELE_LIBRARY"} | ({"STELE_LIBRARY": place} if place else {})
            with tempfile.TemporaryDirectory() as folder:
                copy = Path(folder) / "elsewhere"
                subprocess.run(["cp", "-r", ROOT / "python", copy], check=True)
                done = subprocess.run([sys.executable, "-c", "import stele"], env=environment | {"PYTHONPATH": str(copy)},
                                      capture_output=True, text=True, check=False)
            return done.returncode, done.stderr.splitlines()[-1]

        self.assertEqual(said("/nowhere/libstele.so"), (1, "ImportError: STELE_LIBRARY is /nowhere/libstele.so, and there is no such file"))
        code, message = said(str(ROOT / "README.md"))
        self.assertEqual(code, 1)
        self.assertIn("README.md cannot be loaded", message)
        if not ctypes.util.find_library("stele"):
            self.assertIn("libstele.so is not found: install Stele", said(None)[1])

    def test_arrays_lie_in_the_file_and_outlive_it(self):
        data = SCRIBE.read_bytes()
        with stele.open(data, name="scribe.sgm") as file:
            positions = file.model.meshes[0].primitives[0][stele.POSITION]
            self.assertRaises(ValueError, lambda: positions.__setitem__((0, 0), 1))
            first = positions[0].tobytes()
            at = data.index(first)
            self.assertEqual(positions[1].tobytes(), data[at + positions.strides[0]:][:12])
        self.assertRaises(ValueError, lambda: file.model)
        del file
        gc.collect()
        self.assertEqual(positions[0].tobytes(), first)
        self.assertEqual(struct.unpack("<3f", first), tuple(positions[0]))

    def test_arrays_cannot_be_made_writable(self):
        with stele.open(SCRIBE) as file:
            model = file.model
            primitive = model.meshes[0].primitives[0]
            arrays = [primitive[stele.POSITION], primitive.indices, primitive.attributes[0].view, model.clips[0].channels[0].times]
        del file, model, primitive
        gc.collect()
        for array in arrays:
            self.assertGreater(array.size, 0)
            for same in (array, array[1:], array.view(numpy.ndarray)):
                self.assertRaises(ValueError, lambda same=same: same.setflags(write=True))
            self.assertEqual(array.copy().tobytes(), array.tobytes())

    def test_parts_cannot_be_changed(self):
        with stele.open(SCRIBE) as file:
            for part, name in ((file.model, "name"), (file.model.nodes[0], "parent"), (file.model.materials[0], "no_such")):
                self.assertRaises(AttributeError, setattr, part, name, None)

    def test_failures_carry_what_is_wrong(self):
        data = SCRIBE.read_bytes()
        with self.assertRaises(stele.Error) as caught:
            stele.open(data[:len(data) // 2], name="cut.sgm")
        self.assertEqual(caught.exception.status, stele.DAMAGED)
        self.assertTrue(any(d.severity == "error" and d.id == "truncated" for d in caught.exception.diagnostics))
        self.assertRaises(stele.Error, lambda: stele.open(ROOT / "no such file.sgm"))

    def test_saving_and_drawing(self):
        with tempfile.TemporaryDirectory() as folder, stele.open(SCRIBE) as file:
            path = Path(folder) / "scribe.sff"
            lost = file.save(path)
            self.assertIn("loss-skeleton", {d.id for d in lost})
            self.assertRaises(stele.Error, lambda: file.save(path))
            picture = file.render(64, 48)
            self.assertEqual(picture.shape, (48, 64, 4))
            self.assertGreater(len(numpy.unique(picture.reshape(-1, 4), axis=0)), 50)


if __name__ == "__main__":
    unittest.main()
