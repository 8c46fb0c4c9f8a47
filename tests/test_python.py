#!/usr/bin/env python3
"""The Python package beside the command and readers of the tests' own."""
import ctypes
import gc
import json
import os
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
