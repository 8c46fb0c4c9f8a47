#!/usr/bin/env python3
"""stele.exe and stele.dll under wine: what is different on Windows, and that files and pictures are not. `make windows` builds them."""
import contextlib
import os
import pty
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("STELE_BUILD", ROOT / "build"))
STELE = os.environ.get("STELE", str(BUILD / "stele"))
WINDOWS = BUILD / "windows"
SAMPLE = "samples/scribe.sgm"


@unittest.skipUnless((WINDOWS / "stele.exe").exists() and shutil.which("wine"), "build/windows or wine is not there: make windows")
class Windows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.environment = {**os.environ, "WINEDEBUG": "-all", "WINEPREFIX": str(BUILD / "wine"), "LC_ALL": "C.UTF-8"}

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="stele-windows-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def wine(self, *command, **more):
        return subprocess.run(["wine", *map(str, command)], capture_output=True, cwd=ROOT, env=self.environment, **more)

    def stele(self, *arguments, **more):
        return self.wine(WINDOWS / "stele.exe", *arguments, **more)

    def native(self, *arguments):
        return subprocess.run([STELE, *map(str, arguments)], capture_output=True, cwd=ROOT)

    def names(self):
        return sorted(p.relative_to(self.folder).as_posix() for p in self.folder.rglob("*"))

    def same_files(self, *arguments):
        ours, theirs = self.folder / "linux", self.folder / "windows"
        self.native(*arguments, "--out-dir", ours)
        self.stele(*arguments, "--out-dir", theirs)
        listed = sorted(p.relative_to(ours) for p in ours.rglob("*") if p.is_file())
        self.assertEqual(listed, sorted(p.relative_to(theirs) for p in theirs.rglob("*") if p.is_file()))
        for name in listed:
            self.assertEqual((ours / name).read_bytes(), (theirs / name).read_bytes(), name)
        return len(listed)

    def test_files_are_the_same(self):
        models = sorted(str(p.relative_to(ROOT)) for p in (ROOT / "samples/dialects").glob("*.[tms]*") if p.suffix in (".twm", ".mesh", ".sff"))
        self.assertGreater(self.same_files("convert", *models, "--to", "gltf"), 40)

    def test_pictures_are_the_same(self):
        self.assertGreater(self.same_files("render", "-r", "samples", "--size", "64x64", "--shadow"), 40)

    def test_bytes_go_through_streams(self):
        data = (ROOT / SAMPLE).read_bytes()
        self.assertEqual(self.stele("convert", "-", "-", "--to", "sgm", input=data).stdout, data)

    def test_backslashes_find_what_lies_beside(self):
        run = self.stele("info", "samples\\scribe.sgm", "--json")
        self.assertIn(b'"role":"animation","name":"scribe.sga","found":true', run.stdout)
        out = str(self.folder / "a" / "b.gltf").replace("/", "\\")
        (self.folder / "a").mkdir()
        self.assertEqual(self.stele("convert", SAMPLE, out, "--copy-textures").returncode, 0)
        self.assertEqual(self.names(), ["a", "a/b.bin", "a/b.gltf", "a/scribe.png"])

    def test_impossible_names_are_refused_before_anything_is_written(self):
        for name in ("CON.gltf", "nul.gltf", "com1.x.gltf", "a:b.gltf", "what?.gltf", "end .gltf/x.gltf", "LPT9", "com².gltf"):
            run = self.stele("convert", SAMPLE, self.folder / name, "--to", "gltf")
            self.assertEqual(run.returncode, 3, name)
            self.assertRegex(run.stderr, b"there can be no file of this name|No such file", name)
            self.assertEqual(self.names(), [], name)
        self.assertEqual(self.stele("convert", SAMPLE, self.folder / "console.gltf").returncode, 0)

    def test_names_of_all_languages_and_lengths(self):
        deep = self.folder
        for i in range(6):
            deep = deep / (f"{i}-" + "langer-ordner-" * 4)
        deep.mkdir(parents=True)
        model = deep / "höhle-洞窟-🗿.sgm"
        self.assertGreater(len(str(model)), 300)
        shutil.copy(ROOT / SAMPLE, model)
        run = self.stele("convert", model, model.with_suffix(".glb"))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("höhle-洞窟-🗿.glb".encode(), run.stderr)
        self.assertIn("洞窟".encode(), self.stele("check", "-r", self.folder).stdout)

    def test_nothing_is_replaced_unless_that_is_asked_for(self):
        model = self.folder / "a.sgm"
        shutil.copy(ROOT / SAMPLE, model)
        before = model.read_bytes()
        self.assertEqual(self.stele("convert", model, model, "--dialect", "v2").returncode, 3)
        self.assertEqual(model.read_bytes(), before)
        run = self.stele("convert", model, model, "--dialect", "v2", "-f")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotEqual(model.read_bytes(), before)
        self.assertEqual(self.names(), ["a.sgm"])

    def test_patterns_stand_for_files(self):
        for name in ("b.sgm", "a.sgm", "ö.sgm", "c.other"):
            shutil.copy(ROOT / SAMPLE, self.folder / name)
        run = self.stele("check", str(self.folder) + "\\?.sgm")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stdout.decode(), r"(?s)/a\.sgm: sgm.*/b\.sgm: sgm.*/ö\.sgm: sgm")
        self.assertNotIn(b"c.other", run.stdout)
        self.assertEqual(self.stele("check", self.folder / "*.twm").returncode, 3)
        for pattern in ("mesh[*].vertices", "*"):  # only names of files are patterns of files
            arguments = ("explain", "--path", pattern, SAMPLE)
            self.assertEqual(self.stele(*arguments).stdout, self.native(*arguments).stdout)

    def test_two_names_of_one_file(self):
        for name in ("A.sgm", "a.sgm"):
            (self.folder / name).mkdir()
            shutil.copy(ROOT / SAMPLE, self.folder / name / "x.sgm")
        self.assertEqual(self.stele("check", "-q", "-r", self.folder).returncode, 0)

    @unittest.skipUnless(shutil.which("x86_64-w64-mingw32-gcc-posix"), "no compiler for Windows")
    def test_control_c(self):
        inputs, outputs = self.folder / "in", self.folder / "out"
        for i in range(40):
            shutil.copytree(ROOT / "samples/dialects", inputs / str(i), copy_function=os.link)
        child, terminal = pty.fork()
        if not child:
            os.execvpe("wine", ["wine", str(WINDOWS / "stele.exe"), "convert", "-qq", "-r", str(inputs), "--to", "glb", "--out-dir", str(outputs)],
                       self.environment)
        while not (outputs.exists() and any(outputs.rglob("*.glb"))): # it is at work
            time.sleep(0.05)
        os.write(terminal, b"\3")
        with contextlib.suppress(OSError): # until the other end is closed; wine draws there
            while os.read(terminal, 4096):
                pass
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 130)
        self.assertEqual([p for p in self.folder.rglob("*") if ".stele-" in p.name], [])

    def test_library(self):
        source = self.folder / "program.c"
        text = (ROOT / "README.md").read_text()
        source.write_text(text[text.index("#include <stdio.h>"):text.index("```", text.index("#include <stdio.h>"))])
        subprocess.run(["x86_64-w64-mingw32-gcc-posix", f"-I{WINDOWS}", str(source), "-o", str(self.folder / "program.exe"), f"-L{WINDOWS}",
                        "-lstele"], check=True, capture_output=True)
        shutil.copy(WINDOWS / "stele.dll", self.folder)
        self.assertIn(b"mesh 0: 3396 triangles", self.wine(self.folder / "program.exe", SAMPLE).stdout)


if __name__ == "__main__":
    unittest.main()
