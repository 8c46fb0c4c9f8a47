"""What a model's file, and what happens beside it, must not be able to do: read or write elsewhere, choose names, leave things.

STELE names the binary (default: build/stele), STELE_BUILD the folder of the library.
"""
import base64
import ctypes
import json
import os
import shutil
import signal
import stat
import struct
import subprocess
import time
import unittest
import zlib
from pathlib import Path

from test_cli import FINDINGS, FINE, NO_IO, SAMPLES, STELE, CliTest, Traced, model_bytes

BUILD = Path(os.environ.get("STELE_BUILD", Path(__file__).resolve().parent.parent / "build"))
TRIANGLE = b"v 0 0 0\nv 1 0 0\nv 0 1 0\n"


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


PNG = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
       + chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b""))
JPEG = (Path(__file__).resolve().parent.parent / "fuzz/images/grey.jpg").read_bytes()


def textured_obj(mtl="a.mtl"):
    return f"mtllib {mtl}\n".encode() + TRIANGLE + b"usemtl m\nf 1 2 3\n"


def mtl(texture):
    return f"newmtl m\nmap_Kd {texture}\n".encode()


def gltf(**image):
    """A triangle with one image."""
    content = struct.pack("<15f", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1)
    return json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "textures": [{"source": 0}], "images": [image],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0],
                       "max": [1, 1, 0]},
                      {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC2"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 24}],
        "buffers": [{"byteLength": 60, "uri": data_uri("application/octet-stream", content)}],
    }).encode()


def data_uri(kind, content):
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


class SafeTest(CliTest):
    def setUp(self):
        super().setUp()
        self.model, self.out, self.secret = (self.folder / name for name in ("model", "out", "secret"))
        for folder in (self.model, self.out, self.secret):
            folder.mkdir()
        self.good = self.put("model/good.sgm", model_bytes())

    def written(self):
        return sorted(str(path.relative_to(self.out)) for path in self.out.rglob("*") if not path.is_dir())


class Links(SafeTest):
    """A link that leads out of the folder is as little followed as a name that does."""

    def link(self, path, target):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)

    def put_linked(self, target):
        self.put("model/a.obj", textured_obj())
        self.put("model/a.mtl", mtl("t/x.png"))
        self.link(self.model / "t/x.png", target)

    def test_reading_a_file_through_a_link(self):
        (self.secret / "s.png").write_bytes(PNG)
        for target in ("../../secret/s.png", self.secret / "s.png"):
            with self.subTest(target=target):
                self.put_linked(target)
                self.stele("convert", "-f", "--copy-textures", "model/a.obj", "out/a.obj")
                self.assertNotIn("t/x.png", self.written())
                self.expect(FINE, "convert", "-f", "--copy-textures", "--allow-outside", "model/a.obj", "out/b.obj")
                self.assertEqual((self.out / "t/x.png").read_bytes(), PNG)
                (self.out / "t/x.png").unlink()
                (self.model / "t/x.png").unlink()

    def test_reading_through_a_linked_folder(self):
        (self.secret / "s.png").write_bytes(PNG)
        self.put("model/a.obj", textured_obj())
        self.put("model/a.mtl", mtl("t/s.png"))
        self.link(self.model / "t", self.secret)
        self.stele("convert", "--copy-textures", "model/a.obj", "out/a.obj")
        self.assertNotIn("t/s.png", self.written())

    def test_a_link_that_stays_is_followed(self):
        (self.model / "real").mkdir()
        self.put("model/real/r.png", PNG)
        self.put_linked("../real/r.png")
        self.expect(FINE, "convert", "--copy-textures", "model/a.obj", "out/a.obj")
        self.assertEqual((self.out / "t/x.png").read_bytes(), PNG)

    def test_circles_end(self):
        self.put_linked("y.png")
        self.link(self.model / "t/y.png", "x.png")
        self.stele("convert", "--copy-textures", "model/a.obj", "out/a.obj")
        self.assertNotIn("t/x.png", self.written())

    def test_writing_through_a_linked_folder(self):
        (self.model / "t").mkdir()
        self.put("model/t/x.png", PNG)
        self.put("model/a.obj", textured_obj())
        self.put("model/a.mtl", mtl("t/x.png"))
        self.link(self.out / "t", self.secret)
        result = self.expect(NO_IO, "convert", "-f", "--copy-textures", "model/a.obj", "out/a.obj")
        self.assertIn(b"out of the output's folder", result.stderr)
        self.assertEqual(os.listdir(self.secret), [])
        self.assertEqual(os.listdir(self.out), ["t"])
        self.expect(FINE, "convert", "-f", "--copy-textures", "--allow-outside", "model/a.obj", "out/a.obj")
        self.assertEqual(os.listdir(self.secret), ["x.png"])

    def test_writing_to_a_link_beside_the_output(self):
        victim = self.put("secret/victim", b"old")
        self.put("model/a.obj", textured_obj())
        self.put("model/a.mtl", mtl("x.png"))
        self.link(self.out / "a.mtl", victim)
        self.expect(NO_IO, "convert", "-f", "model/a.obj", "out/a.obj")
        self.assertEqual((victim.read_bytes(), os.listdir(self.out)), (b"old", ["a.mtl"]))

    def test_the_output_itself_may_be_a_link(self):
        target = self.put("secret/real.sgm", b"old")
        self.link(self.out / "a.sgm", target)
        self.expect(FINE, "convert", "-f", self.good, "out/a.sgm")
        self.assertEqual(target.read_bytes(), self.good.read_bytes())
        self.assertTrue((self.out / "a.sgm").is_symlink())


class Copies(SafeTest):
    """Nothing is put beside the output that does not belong to a model, whatever the model calls it."""
    BAD_NAMES = (".vscode/tasks.json", ".hidden.png", "a/.git/hooks/x.png", ".bashrc", "run.sh", "x.desktop", "png", "x.png.exe",
                 "a\x01b.png", "a\x7fb.png", "a\u0085b.png", "x.py")

    def put_deep(self, name, content):
        (self.model / name).parent.mkdir(parents=True, exist_ok=True)
        (self.model / name).write_bytes(content)

    def test_libraries(self):
        for name in (".vscode/tasks.json", "x.sh", ".a.mtl", ".d/a.mtl", "a.mtl.desktop"):
            with self.subTest(name=name):
                self.put_deep(name, b"newmtl m\n")
                self.put("model/a.obj", textured_obj(name))
                result = self.expect(FINE, "convert", "-f", "model/a.obj", "out/a.obj")
                self.assertIn(b"[companion-not-copied]", result.stderr)
                self.assertEqual(self.written(), ["a.obj"])
        self.put_deep("sub/A.MTL", b"newmtl m\n")
        self.put("model/a.obj", textured_obj("./sub/A.MTL"))
        self.expect(FINE, "convert", "-f", "model/a.obj", "out/a.obj")
        self.assertEqual(self.written(), ["a.obj", "sub/A.MTL"])

    def test_buffers(self):
        text = json.loads(gltf(uri=data_uri("image/png", PNG)))
        for name, copied in (("b.bin", True), (".b.bin", False), ("b.sh", False)):
            text["buffers"][0]["uri"] = name
            self.put_deep(name, bytes(60))
            self.put("model/a.gltf", json.dumps(text).encode())
            self.expect(FINE, "convert", "-f", "model/a.gltf", "out/a.gltf")
            self.assertEqual(name in self.written(), copied)

    def test_textures(self):
        for name in self.BAD_NAMES:
            for target in ("b.obj", "b.glb", "b.sgm", "b.gltf"):
                with self.subTest(name=name, target=target):
                    self.put_deep(name, PNG)
                    self.put("model/a.gltf", gltf(uri=name))
                    self.expect(FINE, "convert", "-f", "--copy-textures", "model/a.gltf", "out/" + target)
                    self.assertEqual([n for n in self.written() if not n.startswith("b.")], [])

    def test_what_is_no_image_is_not_copied(self):
        for content in (b"#!/bin/sh\n", b"[Desktop Entry]\n", b"\x7fELF" + bytes(60), b"", b"\x89PNG"):
            for extension in ("png", "tga", "jpg", "dds"):
                self.put("model/x." + extension, content)
                self.put("model/a.gltf", gltf(uri="x." + extension))
                result = self.expect(FINE, "convert", "-f", "--copy-textures", "model/a.gltf", "out/b.glb")
                self.assertEqual(self.written(), ["b.glb"])
                self.assertIn(b"is no image", result.stderr)

    def test_images_are_copied(self):
        tga = struct.pack("<BBB5xHHHHBB", 0, 0, 2, 0, 0, 2, 1, 24, 0) + bytes(6)
        for name, content in (("x.png", PNG), ("x.jpg", JPEG), ("x.jpeg", PNG), ("d/x.tga", tga), ("x.DDS", b"DDS " + bytes(124))):
            self.put_deep(name, content)
            self.put("model/a.gltf", gltf(uri=name))
            self.expect(FINE, "convert", "-f", "--copy-textures", "model/a.gltf", "out/b.glb")
            self.assertEqual((self.out / name).read_bytes(), content)

    def test_the_content_decides_on_the_extension(self):
        for kind in ("application/desktop", "image/sh", "image/x\ny", "image/../../x", "image/png"):
            for content, extension in ((PNG, "png"), (JPEG, "jpg")):
                with self.subTest(kind=kind, extension=extension):
                    # as a view of a buffer, because a data URI has a type of its own
                    text = json.loads(gltf(bufferView=2, mimeType=kind))
                    text["buffers"].append({"byteLength": len(content), "uri": data_uri("application/octet-stream", content)})
                    text["bufferViews"].append({"buffer": 1, "byteLength": len(content)})
                    self.put("model/a.gltf", json.dumps(text).encode())
                    self.stele("convert", "-f", "--copy-textures", "model/a.gltf", "out/b.obj")
                    self.assertEqual([n for n in self.written() if n not in ("b.obj", "b.mtl")], ["b_0." + extension])
                    (self.out / f"b_0.{extension}").unlink()

    def test_one_name_for_two(self):
        text = json.loads(gltf(uri=data_uri("image/png", PNG)))
        text["images"].append({"uri": "b_0.png"})
        text["textures"].append({"source": 1})
        text["materials"][0]["emissiveTexture"] = {"index": 1}
        self.put("model/b_0.png", PNG + b"other")
        self.put("model/a.gltf", json.dumps(text).encode())
        for force in ([], ["-f"]):
            result = self.expect(NO_IO, "convert", *force, "--copy-textures", "model/a.gltf", "out/b.obj")
            self.assertIn(b"two different files", result.stderr)
            self.assertEqual(self.written(), [])

    def test_images_inside_get_safe_names(self):
        names = {"hat": "hat.png", "hat.png": "hat.png", "hat.*": "hat.png", "hat.jpg": "hat.png", "v1.2": "v1.2.png", "d/hat.png": "d/hat.png",
                 "d\\hat": "d/hat.png", "../hat.png": "hat.png", "/etc/passwd": "passwd.png", "C:\\x\\hat.tga": "hat.png", ".hidden": "_hidden.png",
                 "a\nb": "a_b.png", 'q"<>|?*:': "q_______.png", "con": "_con.png", "LPT1.x": "_LPT1.x.png", "hat. ": "hat.png", "": "b_0.png",
                 "..": "b_0.png", "x" * 300: "x" * 100 + ".png", "h\u00fct": "h\u00fct.png", "d/../../x": "x.png", "a/.b/c": "a/_b/c.png"}
        for name, file in names.items():
            for target in ("b.obj", "b.sgm"):
                self.put("model/a.gltf", gltf(uri=data_uri("image/png", PNG), name=name))
                with self.subTest(name, target=target):
                    self.expect(FINE, "convert", "-f", "model/a.gltf", "out/" + target)
                    found = sorted(str(p.relative_to(self.out)) for p in self.out.rglob("*") if p.is_file() and p.suffix not in (".obj", ".mtl", ".sgm"))
                    self.assertEqual(found, [file])
                    self.assertEqual((self.out / file).read_bytes(), PNG)
                    shutil.rmtree(self.out)
                    self.out.mkdir()

    def test_what_is_embedded_and_no_image(self):
        self.put("model/a.gltf", gltf(uri=data_uri("image/sh", b"#!/bin/sh\n")))
        result = self.expect(FINE, "convert", "-f", "--copy-textures", "model/a.gltf", "out/b.obj")
        self.assertEqual(self.written(), ["b.mtl", "b.obj"])
        self.assertIn(b"no image", result.stderr)


class NamesOfOutputs(SafeTest):
    """What lies beside an output is called as it is: names that mean something else elsewhere are refused."""

    def test_names_that_cannot_be(self):
        for name in ("a\\b", "a\\", "a\nv 9 9 9\nb", "a\tb", "a\x7fb"):
            for target, code in (("glb", FINE), ("gltf", FINDINGS), ("sgm", FINE)):
                with self.subTest(name, target=target):
                    self.expect(code, "convert", "-f", self.good, "--to", target, f"out/{name}.{target}")
                    self.assertEqual(self.written(), [f"{name}.{target}"] * (code == FINE))
                    shutil.rmtree(self.out)
                    self.out.mkdir()


class Modes(SafeTest):
    def test_setuid_is_not_kept(self):
        for mode in (0o4755, 0o2755, 0o1644, 0o640, 0o777):
            out = self.put("out/a.sgm", b"old")
            out.chmod(mode)
            self.expect(FINE, "convert", "-f", self.good, "out/a.sgm")
            self.assertEqual(stat.S_IMODE(out.stat().st_mode), mode & 0o777)

    def test_new_files_obey_the_umask(self):
        for mask in (0o022, 0o077, 0o002):
            self.expect(FINE, "convert", "-f", self.good, f"out/{mask}.sgm", preexec_fn=lambda m=mask: os.umask(m))
            self.assertEqual(stat.S_IMODE((self.out / f"{mask}.sgm").stat().st_mode), 0o666 & ~mask)


class Temporaries(SafeTest, Traced):
    def temporaries(self):
        return list(self.folder.rglob(".stele-*"))

    def test_they_are_private(self):
        self.put("out/a.sgm", b"old").chmod(0o600)
        for arguments in (["a.sgm", "out/b.sgm"], ["-f", "a.sgm", "out/a.sgm"]):
            process = self.standing_still(*arguments)
            modes = [stat.S_IMODE(path.stat().st_mode) for path in self.temporaries()]
            process.kill()
            process.wait()
            for path in self.temporaries():
                path.unlink()
            self.assertEqual(modes, [0o600])

    def test_two_signals_leave_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.standing_still("a.sgm", "out/b.sgm")
            process.send_signal(number)
            process.send_signal(signal.SIGINT if number != signal.SIGINT else signal.SIGTERM)
            process.send_signal(signal.SIGCONT)
            self.assertIn(process.wait(20), (128 + number, 128 + signal.SIGINT, 128 + signal.SIGTERM))
            self.assertEqual((self.temporaries(), self.written()), ([], []))

    def test_signals_at_any_moment_leave_nothing(self):
        source = SAMPLES / "scribe.sgm"
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        for i in range(60):
            process = self.start("convert", "-f", "--copy-textures", source, "out/a.obj",
                                 preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
            time.sleep(i * 0.0002)
            process.send_signal(numbers[i % 3])
            code = process.wait(20)
            self.assertIn(code, (FINE, 128 + numbers[i % 3], -numbers[i % 3]))  # the last before it is up
            self.assertEqual(self.temporaries(), [])

    def test_what_a_killed_process_left_is_swept(self):
        process = self.standing_still("a.sgm", "out/b.sgm")
        left = self.temporaries()
        self.expect(FINE, "convert", "-f", self.good, "out/c.sgm")
        self.assertEqual(self.temporaries(), left)  # it lives
        process.kill()
        process.wait()
        self.expect(FINE, "convert", "-f", self.good, "out/d.sgm")
        self.assertEqual((self.temporaries(), self.written()), ([], ["c.sgm", "d.sgm"]))

    def test_what_is_not_ours_is_not_swept(self):
        names = [".stele-1.tmp", ".stele-00000000-999999-5-00000000.tmp", ".stele-x-1-1-1.tmp", "stele-1-1-1-1.tmp"]
        for name in names:
            self.put("out/" + name, b"")
        self.expect(FINE, "convert", self.good, "out/a.sgm")
        self.assertEqual(self.written(), sorted(names + ["a.sgm"]))

    def test_a_number_that_was_used_again(self):
        process = self.standing_still("a.sgm", "out/b.sgm")
        left, = self.temporaries()
        process.kill()
        process.wait()
        parts = left.name.split("-")
        parts[2] = str(os.getpid())  # of a process that lives, but started at another time
        left.rename(left.with_name("-".join(parts)))
        self.assertEqual(ctypes.CDLL(BUILD / "libstele.so").stele_sweep(bytes(left.parent)), 0)  # it is its own
        self.expect(FINE, "convert", self.good, "out/c.sgm")
        self.assertEqual(self.temporaries(), [])


class LittleMemory(SafeTest):
    def test_saving_at_every_limit(self):
        """Wherever memory ends, the command says so, and nothing is written."""
        materials = [{"name": f"m{i}", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}} for i in range(200)]
        text = json.loads(gltf(uri=data_uri("image/png", PNG)))
        text["materials"] = materials
        text["meshes"] = [{"primitives": [dict(text["meshes"][0]["primitives"][0], material=i) for i in range(200)]}]
        self.put("model/a.gltf", json.dumps(text).encode())
        for target in ("sgm", "obj", "twm"):
            little, enough = 10_000, 10_000_000
            while enough - little > 500:
                middle = (little + enough) // 2
                little, enough = (little, middle) if self.converts(target, middle) else (middle, enough)
            for limit in range(little, little - 100_000, -1000):  # where saving is nearly done
                self.assertFalse(self.converts(target, limit))

    def converts(self, target, limit):
        out = self.out / f"{limit}.{target}"
        result = self.stele("convert", "-q", "-f", "--memory-limit", str(limit), "model/a.gltf", out)
        self.assertIn(result.returncode, (FINE, NO_IO), result)
        self.assertEqual(out.exists(), result.returncode == FINE, result)
        return result.returncode == FINE

    def test_info_says_that_it_is_incomplete(self):
        codes = set()
        for limit in range(8_000, 1_000_000, 8_000):  # the file itself is read into it, and its model is made
            result = self.stele("info", "--memory-limit", str(limit), SAMPLES / "scribe.sgm")
            codes.add(result.returncode)
            self.assertEqual(b"bounds" in result.stdout, result.returncode == FINE, result)
            self.assertEqual(b"not enough memory" in result.stderr, result.returncode == NO_IO, result)
        self.assertEqual(codes, {FINE, NO_IO})


class Walls(SafeTest):
    """The thumbnailer looks into a file only when it can do nothing else any more."""

    def traced(self, *arguments):
        if not shutil.which("strace"):
            self.skipTest("there is no strace")
        log = self.folder / "log"
        subprocess.run(["strace", "-f", "-o", log, STELE, *map(os.fspath, arguments)], cwd=self.folder, check=False)
        return log.read_text().splitlines()

    def test_the_model_is_looked_into_behind_them(self):
        lines = self.traced("thumbnail", SAMPLES / "scribe.sgm", "out.png")
        parent, locked = lines[0].split()[0], next(i for i, line in enumerate(lines) if "PR_SET_SECCOMP" in line)
        inside = [line for line in lines[locked:] if not line.startswith(parent)]
        outside = lines[:locked] + [line for line in lines[locked:] if line.startswith(parent)]
        self.assertTrue(any("scribe.png" in line and "openat" in line for line in inside))  # its texture
        self.assertFalse(any("openat" in line and ("scribe.png" in line or "scribe.sga" in line) for line in outside))
        self.assertTrue(any("landlock_restrict_self" in line and line.endswith("= 0") for line in lines))
        self.assertFalse(any("out.png" in line and "O_WRONLY" in line for line in inside))
        self.assertTrue((self.folder / "out.png").read_bytes().startswith(b"\x89PNG"))

    def test_textures_elsewhere_cannot_be_read(self):
        (self.secret / "s.png").write_bytes(PNG)
        text = gltf(uri="../secret/s.png")
        self.put("model/a.gltf", text)
        log = self.traced("thumbnail", "model/a.gltf", "out.png")
        self.assertFalse(any("openat" in line and "s.png" in line for line in log))

    def test_it_says_when_there_is_no_output(self):
        result = self.expect(NO_IO, "thumbnail", self.good, "nowhere/out.png")
        self.assertIn(b"No such file", result.stderr)
        self.expect(NO_IO, "thumbnail", "missing.sgm", "out.png")

    def test_a_linked_model(self):
        (self.folder / "linked.sgm").symlink_to(SAMPLES / "scribe.sgm")
        self.expect(FINE, "thumbnail", "linked.sgm", "out.png")


class Hardened(unittest.TestCase):
    """What the linker made of it."""

    def readelf(self, *arguments):
        return subprocess.run(["readelf", "-W", *map(os.fspath, arguments)], capture_output=True, text=True, check=True).stdout

    def test_headers(self):
        library = BUILD / "libstele.so"
        for path in (Path(STELE), library):
            with self.subTest(path.name):
                self.assertRegex(self.readelf("-h", path), r"Type:\s+DYN")
                programs = self.readelf("-l", path)
                self.assertRegex(programs, r"GNU_STACK.* RW ")
                self.assertIn("GNU_RELRO", programs)
                self.assertIn("BIND_NOW", self.readelf("-d", path))
                self.assertNotRegex(programs, r"LOAD.* RWE ")
        self.assertIn("PIE", self.readelf("-d", STELE))

    def test_calls(self):
        symbols = self.readelf("--dyn-syms", BUILD / "libstele.so")
        self.assertIn("__stack_chk_fail", symbols)
        self.assertRegex(symbols, r"__(memcpy|snprintf|vsnprintf|read|readlinkat)_chk")


class AllOrNothing(SafeTest):
    def test_a_failure_keeps_all_old_files(self):
        self.put("model/a.obj", textured_obj())
        self.put("model/a.mtl", mtl("x.png"))
        self.put("model/x.png", PNG)
        olds = [self.put("out/" + name, b"old " + name.encode()) for name in ("a.obj", "a.mtl", "x.png")]
        if subprocess.run(["chattr", "+i", olds[0]], capture_output=True, check=False).returncode:
            self.skipTest("no file can be made immutable here")
        try:
            self.expect(NO_IO, "convert", "-f", "--copy-textures", "model/a.obj", "out/a.obj")
        finally:
            subprocess.run(["chattr", "-i", olds[0]], check=True)
        self.assertEqual([old.read_bytes() for old in olds], [b"old a.obj", b"old a.mtl", b"old x.png"])
        self.assertEqual(self.written(), ["a.mtl", "a.obj", "x.png"])


if __name__ == "__main__":
    unittest.main()
