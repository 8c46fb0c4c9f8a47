#!/usr/bin/env python3
"""The programs of examples/, built as another project would build them against an installed library: each must run, and what it
draws by OpenGL (Mesa, without a window) must look as what stele draws of the same view.

The tolerance: of the 512 x 512 pixels at most 1 in 50 may differ by more than 8 of 255 in any colour (edges, where samples lie
elsewhere, and texels between two mip levels), and all together by 1 on the average.

STELE_PICTURES=folder keeps the pictures, to be looked at."""
import ctypes
import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("STELE_BUILD", ROOT / "build"))
SAMPLES = ROOT / "samples"
SCRIBE = SAMPLES / "scribe.sgm"
SIDE, FAR, MOST_FAR, MOST_MEAN = 512, 8, 0.02, 1.0
HERE = all(Path("/usr/include", name).exists() for name in ("EGL/egl.h", "GL/glcorearb.h"))

# what the library declares, without numpy
spec = importlib.util.spec_from_file_location("header", ROOT / "python/stele/_header.py")
header = importlib.util.module_from_spec(spec)
spec.loader.exec_module(header)


def library():
    made = ctypes.CDLL(str(BUILD / "libstele.so"))
    for name, (returned, arguments) in header.FUNCTIONS.items():
        getattr(made, name).restype, getattr(made, name).argtypes = returned, arguments
    return made


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, check=False, **options)
    if done.returncode:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def decode(lib, path):
    """The pixels of a PNG."""
    data, picture = path.read_bytes(), header.stele_picture()

    def call():
        if lib.stele_decode_picture(data, len(data), None, ctypes.byref(picture), None, 0) != header.OK:
            raise AssertionError(path)

    call()  # its size, then its pixels
    pixels = (ctypes.c_uint8 * (4 * picture.width * picture.height))()
    picture.rgba = ctypes.cast(pixels, ctypes.POINTER(ctypes.c_uint8))
    call()
    return bytes(pixels)


def reference(lib, path, clip=None, seconds=0.0):
    """What stele_render makes of a moment, seen by the camera that sees all of the clip."""
    file = lib.stele_open(os.fsencode(path), None)
    options = header.stele_render_options(camera=True, yaw=30, pitch=12)
    if clip is not None:
        model = lib.stele_file_model(file)
        options.posed, options.clip, options.seconds = True, lib.stele_find_clip(model, clip.encode()), seconds
    framing = header.stele_framing()
    assert lib.stele_frame(file, ctypes.byref(options), False, ctypes.byref(framing)) == header.OK
    options.framing = ctypes.pointer(framing)
    pixels = (ctypes.c_uint8 * (4 * SIDE * SIDE))()
    picture = header.stele_picture(SIDE, SIDE, ctypes.cast(pixels, ctypes.POINTER(ctypes.c_uint8)))
    assert lib.stele_render(file, ctypes.byref(picture), ctypes.byref(options)) == header.OK
    lib.stele_close(file)
    return bytes(pixels)


@unittest.skipUnless(HERE, "there is no OpenGL here")
class Programs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.pictures = Path(os.environ.get("STELE_PICTURES", cls.folder))
        cls.built = cls.folder / "built"
        run("cmake", "--install", BUILD, "--prefix", cls.folder / "usr")
        run("cmake", "-S", ROOT / "examples", "-B", cls.built, f"-DCMAKE_PREFIX_PATH={cls.folder}/usr",
            "-DCMAKE_C_FLAGS=-Werror", "-DCMAKE_CXX_FLAGS=-Werror")
        run("cmake", "--build", cls.built, "-j2")
        cls.lib = library()

    def draw(self, program, *arguments, name=None):
        """Runs it; its last argument is the picture."""
        picture = self.pictures / f"{name or program}.png"
        run(self.built / program, *arguments, picture)
        return decode(self.lib, picture)

    def assert_alike(self, ours, theirs):
        self.assertEqual(len(ours), len(theirs))
        differences = [abs(a - b) for a, b in zip(ours, theirs)]
        far = sum(max(differences[i:i + 4]) > FAR for i in range(0, len(differences), 4)) / (SIDE * SIDE)
        mean = sum(differences) / (3 * SIDE * SIDE)
        self.assertLess(far, MOST_FAR)
        self.assertLess(mean, MOST_MEAN)
        return far

    def test_as_the_command_draws_it(self):
        picture = self.folder / "rendered.png"
        run(BUILD / "stele", "render", "-q", SCRIBE, "--size", f"{SIDE}x{SIDE}", "-o", picture)
        rendered = decode(self.lib, picture)
        self.assert_alike(self.draw("viewer", SCRIBE, "", 0), rendered)
        self.assert_alike(self.draw("arrays", SCRIBE), rendered)
        # nothing but the pack is opened, and Stele itself draws it
        packed = self.pictures / "pack.png"
        for name in ("scribe.sgm", "scribe.sga", "scribe.png"):
            shutil.copy(SAMPLES / name, self.folder)
        said = run(self.built / "pack", packed, *(self.folder / f"scribe.{e}" for e in ("sgm", "sga", "png")))
        self.assertRegex(said, r"^2 files asked for, \d+ blocks, \d+ bytes\n$")
        self.assertEqual(decode(self.lib, packed), rendered)
        run(self.built / "pack", packed, self.folder / "scribe.sgm")
        self.assertNotEqual(decode(self.lib, packed), rendered)

    def test_moved(self):
        expected = reference(self.lib, SCRIBE, "walk", 0.3)
        for program in ("viewer", "to_gpu", "actors"):
            with self.subTest(program):
                self.assert_alike(self.draw(program, SCRIBE, "walk", 0.3), expected)
        # and not because nothing moves
        self.assertRaises(AssertionError, self.assert_alike, expected, reference(self.lib, SCRIBE, "walk", 0.8))

    def test_the_viewer_takes_every_format(self):
        """Each at rest, and those that move at a time of their first clip."""
        for name in ("v3.sgm", "v0a.sgm", "v3.twm", "v0.twm", "C2.mesh", "A1.mesh", "interleaved.sff", "indices-16.sff", "v11.ctc",
                     "v8.ctc", "2.0.glb", "2.0.gltf", "plain.obj"):
            path = SAMPLES / "dialects" / name
            clips = re.findall(r"^    \[0\] (.*?): ", run(BUILD / "stele", "info", path).partition("clips ")[2], re.M)
            for clip in [None, *clips[:1]]:
                with self.subTest(name, clip=clip):
                    seconds = 0.08 if clip else 0
                    ours = self.draw("viewer", path, clip or "", seconds, name=f"{name}-{clip or 'rest'}")
                    self.assert_alike(ours, reference(self.lib, path, clip, seconds))

    def test_what_cannot_be_read_is_said(self):
        for program, arguments in (("viewer", ["", 0]), ("arrays", []), ("to_gpu", ["walk", 0]), ("actors", ["walk", 0])):
            done = subprocess.run([self.built / program, ROOT / "README.md", *map(str, arguments), self.folder / "none.png"],
                                  capture_output=True, text=True, check=False, timeout=60)
            self.assertEqual((program, done.returncode, done.stdout), (program, 1, ""))
            self.assertIn("README.md" if program == "actors" else "format", done.stderr)

    @unittest.skipUnless(shutil.which("Xvfb"), "there is no Xvfb here")
    def test_in_a_window(self):
        """It opens, and stays until it is closed."""
        if "glfw" not in (self.built / "CMakeCache.txt").read_text():
            self.skipTest("there is no GLFW here")
        ready, tell = os.pipe()
        server = subprocess.Popen(["Xvfb", "-displayfd", str(tell), "-screen", "0", "640x640x24"], stderr=subprocess.DEVNULL, pass_fds=[tell])
        os.close(tell)
        try:
            with open(ready) as told:
                display = told.readline().strip()  # when it listens
            viewer = subprocess.Popen([self.built / "viewer", SCRIBE, "walk"], env=os.environ | {"DISPLAY": f":{display}"},
                                      stderr=subprocess.PIPE)
            self.assertRaises(subprocess.TimeoutExpired, viewer.wait, 5)
            viewer.terminate()
            viewer.communicate()
        finally:
            server.terminate()
            server.wait()


class Pages(unittest.TestCase):
    def test_the_readme_shows_the_example(self):
        shown = re.search(r"/\* README: \*/\n(.*?)/\* :README \*/", (ROOT / "examples/to_gpu.c").read_text(), re.S)[1]
        self.assertIn(f"```c\n{shown}```", (ROOT / "README.md").read_text())
        code = [line for line in shown.splitlines() if line.strip() not in ("", "{", "}") and not line.startswith("/*")]
        self.assertLessEqual(len(code), 25)

    def test_every_example_is_built_and_named(self):
        page = (ROOT / "docs/examples.md").read_text()
        built = (ROOT / "examples/CMakeLists.txt").read_text()
        for path in (ROOT / "examples").glob("*.c*"):
            self.assertIn(path.name, built)
            self.assertIn(path.name, page)


if __name__ == "__main__":
    unittest.main()
