"""The stele command as its users see it: exit codes, streams, messages, files that it writes, and how it stops.

STELE names the binary (default: build/stele).
"""
import json
import math
import os
import pty
import random
import re
import resource
import shutil
import signal
import stat
import struct
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import test_oracle_rayne as oracle
from test_oracle_rayne import SAMPLES, STELE, Clip, Material, Mesh, Model, Skeleton

FINE, FINDINGS, USAGE, NO_IO, UNSUPPORTED = range(5)
VERBS = ("formats", "info", "check", "explain", "convert", "diff")
FILE_VERBS = ("info", "check", "explain")
DIALECTS = SAMPLES / "dialects"
GOOD = DIALECTS / "v3.sgm"
CRASHERS = SAMPLES.parent / "tests/crashers"
MEGABYTE = 1 << 20
WINDOWS = b"for Windows" in subprocess.run([STELE, "--version"], capture_output=True, check=False).stdout if shutil.which(STELE) else False


for name in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):  # nohup and & leave them ignored, and the command would too
    if signal.getsignal(name) is signal.SIG_IGN:
        signal.signal(name, signal.SIG_DFL)


def not_on_windows(why):
    """For what the command for Windows cannot do, or cannot be asked under wine; test_windows.py has what is its own."""
    return unittest.skipIf(WINDOWS, why)


def triangle(**changes):
    corners = struct.pack("<18f", 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0)
    return Mesh(0, 0, 0, 0, 0, 0, **({"vertex_count": 3, "raw": corners, "indices": (0, 1, 2)} | changes))


def model_bytes(*textures, **changes):
    """A small v3 file."""
    uv_sets = [[(0, name) for name in textures]] if textures else []
    return oracle.write_sgm(Model([Material(0, uv_sets)], [triangle(**changes)]), "v3")


def large_model(path, size):
    """A valid v3 file whose vertices are a hole, so that it costs neither time nor disk; only with --work-limit 0 is that as good as
    bytes."""
    vertices = size // 24
    data = oracle.write_sgm(Model([Material(0, [])], [triangle(vertex_count=0, raw=b"", indices=())]), "v3")
    # the vertex count comes right before four bytes of header and the empty index part with the trailer
    header, trailer = data[:-14] + struct.pack("<I", vertices) + bytes(4), data[-6:]
    with open(path, "wb") as file:
        file.write(header)
        file.seek(vertices * 24, os.SEEK_CUR)
        file.write(trailer)
    return path.stat().st_size


class CliTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def stele(self, *arguments, **options):
        options = {"capture_output": True, "timeout": 60, "cwd": self.folder} | options
        return subprocess.run([STELE, *map(os.fspath, arguments)], check=False, **options)

    def expect(self, code, *arguments, **options):
        result = self.stele(*arguments, **options)
        self.assertEqual(result.returncode, code, result)
        return result

    def start(self, *arguments, before=(), **options):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": self.folder} | options
        process = subprocess.Popen([*before, STELE, *map(os.fspath, arguments)], **options)
        self.addCleanup(self.stop, process)
        return process

    @staticmethod
    def stop(process):
        process.kill()
        process.communicate()

    def wait_until_up(self, pid):
        """Until the command, and not the system, decides what an interrupt does."""
        for _ in range(6000):
            status = Path(f"/proc/{pid}/status").read_text()
            if int(re.search(r"SigCgt:\s*([0-9a-f]+)", status).group(1), 16) >> (signal.SIGINT - 1) & 1 and "Name:\tstele\n" in status:
                return
            time.sleep(0.01)
        self.fail("it does not start")

    def put(self, name, data):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def names(self, folder=None):
        return sorted(path.name for path in (folder or self.folder).iterdir())


# ---- The command line ----------------------------------------------------------------------------------------------------

class CommandLine(CliTest):
    def test_version(self):
        self.assertRegex(self.expect(FINE, "--version").stdout, rb"^stele \d+\.\d+\.\d+\n")

    def test_help_lists_commands(self):
        for arguments in (["--help"], ["-h"], ["help"]):
            text = self.expect(FINE, *arguments).stdout.decode()
            for verb in VERBS:
                self.assertIn(f"  {verb} ", text)

    def test_help_of_each_command_lists_its_options(self):
        common = {"--help", "--json", "--quiet", "--verbose", "--color"}
        files = common | {"--jobs", "--format", "--base-dir", "--read", "--memory-limit", "--work-limit", "--import", "--scale"}
        many = files | {"--recursive", "--from", "--files-from"}
        models = {"--fps", "--set", "--no-repair", "--allow-outside"}
        options = {"formats": common, "info": many, "check": many | {"--target", "--severity", "--ids"},
                   "explain": many | {"--at", "--path", "--rows", "--hex"}, "diff": files | models | {"--tolerance", "--recursive"},
                   "thumbnail": files | {"--output", "--size", "--time-limit"},
                   "convert": many | models | {"--to", "--dialect", "--output", "--out-dir", "--force", "--update", "--depfile", "--strict", "--sync", "--pose",
                                               "--normals", "--embed-textures", "--copy-textures", "--name-textures"}}
        for verb, wanted in options.items():
            with self.subTest(verb):
                result = self.expect(FINE, verb, "--help")
                self.assertEqual(result.stderr, b"")
                self.assertEqual({option[1] for option in self.options_of(verb)}, wanted)
                self.assertEqual(self.expect(FINE, "help", verb).stdout, result.stdout)

    def options_of(self, verb):
        """Letter, name and argument of each line of its help."""
        return re.findall(r"^  (?:-(\w),|   ) (--[a-z-]+)(?: (\S+))?  ", self.expect(FINE, verb, "--help").stdout.decode(), re.M)

    def all_verbs(self):
        return re.findall(r"^  ([a-z]+) ", self.expect(FINE, "--help").stdout.decode(), re.M)

    def test_help_fits_on_any_terminal(self):
        for arguments in (["--help"], *([verb, "--help"] for verb in self.all_verbs())):
            for line in self.expect(FINE, *arguments).stdout.decode().splitlines():
                self.assertLessEqual(len(line), 80, line)
        words = {"which moves with --clip or --turntable;", "- for standard output"}  # of one option, in two lines
        self.assertEqual({word for word in words if word in re.sub(r"\s+", " ", self.expect(FINE, "render", "--help").stdout.decode())}, words)

    def test_formats_of_a_name(self):
        every = json.loads(self.expect(FINE, "formats", "--json").stdout)
        one = json.loads(self.expect(FINE, "formats", "sgm", "--json").stdout)
        self.assertEqual(one["formats"], [f for f in every["formats"] if f["name"] == "sgm"])
        text = self.expect(FINE, "formats", "sgm", "obj").stdout.decode()
        self.assertEqual(re.findall(r"^(\w+)  ", text, re.M), ["sgm", "obj"])
        self.assertNotIn("imported", text)

    def test_a_letter_and_a_name_mean_the_same_in_every_verb(self):
        letters, arguments = {}, {}
        for verb in self.all_verbs():
            names = [name for _, name, _ in self.options_of(verb)]
            self.assertEqual(len(set(names)), len(names), f"{verb} has an option twice")
            for letter, name, argument in self.options_of(verb):
                if letter:
                    self.assertEqual(letters.setdefault(letter, name), name, verb)
                self.assertEqual(bool(arguments.setdefault(name, argument)), bool(argument), (verb, name))
        self.assertEqual(letters["o"], "--output")

    def test_did_you_mean(self):
        for arguments, meant in ((["chekc", GOOD], b"check"), (["check", "--serverity", "x=off", GOOD], b"--severity"),
                                 (["check", "-s", "texture-mising=off", GOOD], b"texture-missing"),
                                 (["convert", GOOD, "-o", "x", "--to", "gbl"], b"glb"), (["check", "-r", "--from", "smg", "."], b"sgm"),
                                 (["info", "--format", "meshes", GOOD], b"mesh"), (["formats", "smg"], b"sgm"),
                                 (["check", "-s", "degenrate=off", GOOD], b"degenerate-triangle"),
                                 (["check", "-s", "texture-missing=eror", GOOD], b"error"), (["check", "--color", "alway", GOOD], b"always"),
                                 (["render", GOOD, "-o", "x.png", "--background", "drak"], b"dark"),
                                 (["render", SAMPLES / "scribe.sgm", "-o", "x.png", "--clip", "wlak"], b"walk"),
                                 (["convert", GOOD, "x.sgm", "-d", "v3-nocolour"], b"v3-nocolor"),
                                 (["convert", GOOD, "x.glb", "--set", "ctc.bind=forwrad"], b"forward"),
                                 (["convert", GOOD, "x.glb", "--set", "ctc.bnid=auto"], b"ctc.bind")):
            with self.subTest(arguments):
                self.assertIn(b"did you mean " + meant + b"?", self.expect(USAGE, *arguments).stderr)
        for arguments in (["burn"], ["convert", GOOD, "x.sgm", "-d", "v9"], ["formats", "x"]):
            self.assertNotIn(b"did you mean", self.expect(USAGE, *arguments).stderr)

    def test_unknown_words_get_the_list(self):
        for arguments, words in ((["convert", GOOD, "x.sgm", "--dialect", "v9"], b"it has v0, v0a, v0b, v1a, v1b, v1, v2, v3"),
                                 (["check", "--target", "tetris", GOOD], b"it has rayne"), (["convert", GOOD, "-o", "x", "--to", "doc"], b"sgm, sga"),
                                 (["convert", GOOD, "x.glb", "--set", "ctc.bind=no"], b"inverse forward")):
            with self.subTest(arguments):
                self.assertIn(words, self.expect(USAGE, *arguments).stderr)

    def test_help_needs_no_file_and_reads_none(self):
        self.expect(FINE, "check", "missing.sgm", "--help")

    def test_what_makes_no_sense_is_a_usage_error(self):
        wrong = [[], ["burn"], ["check"], ["info"], ["explain"], ["convert"], ["convert", GOOD], ["convert", GOOD, "a", "b"],
                 ["formats", "x"], ["check", "--burn", GOOD], ["check", "-Z", GOOD], ["info", "--at", "1", GOOD],
                 ["check", "--json=1", GOOD], ["check", GOOD, "--target"], ["check", "--target", "tetris", GOOD],
                 ["check", "-s", "normal-zero", GOOD], ["check", "-s", "normal-zero=bad", GOOD],
                 ["check", "-s", "nothing=off", GOOD], ["check", "--format", "doc", GOOD],
                 ["check", "--memory-limit", "lots", GOOD], ["check", "--work-limit", "much", GOOD], ["check", "--memory-limit", "-1", GOOD],
                 ["explain", "--at", "here", GOOD], ["explain", "--at", "-1", GOOD], ["explain", "--at", " -1", GOOD],
                 ["explain", "--at", "999999", GOOD], ["convert", GOOD, "out.sgm", "--dialect", "v9"]]
        for arguments in wrong:
            with self.subTest(arguments):
                result = self.expect(USAGE, *arguments)
                self.assertEqual(result.stdout, b"")
                self.assertNotEqual(result.stderr, b"")
        self.assertEqual(self.names(), [])

    def test_number_of_threads_is_a_number(self):
        for jobs in ("many", "0", "-2", "2x", ""):
            with self.subTest(jobs):
                self.expect(USAGE, "check", "-j", jobs, GOOD)

    def test_every_spelling_of_an_option(self):
        for arguments in (["-s", "texture-missing=error"], ["-stexture-missing=error"], ["--severity=texture-missing=error"],
                          ["-qs", "texture-missing=error"], ["--severity", "texture-missing=error"]):
            self.put("a.sgm", model_bytes(b"gone.png"))
            with self.subTest(arguments):
                self.expect(FINDINGS, "check", "a.sgm", *arguments)

    def test_operands_after_two_dashes(self):
        self.put("-v.sgm", GOOD.read_bytes())
        self.expect(FINE, "check", "--", "-v.sgm")
        self.expect(USAGE, "check", "-v.sgm")


class ExitCodes(CliTest):
    def test_fine(self):
        for verb in FILE_VERBS:
            with self.subTest(verb):
                self.assertEqual(self.expect(FINE, verb, GOOD).stderr, b"")
        self.expect(FINE, "formats")
        self.expect(FINE, "check", "--ids")
        self.assertEqual(self.expect(FINE, "convert", "-q", GOOD, "out.sgm").stderr, b"")

    def test_warnings_are_fine(self):
        path = self.put("a.sgm", model_bytes(b"gone.png"))
        self.assertIn(b"[texture-missing]", self.expect(FINE, "check", path).stdout)

    def test_findings(self):
        path = self.put("a.sgm", model_bytes(indices=(0, 1, 9)))
        self.assertIn(b"[index-out-of-range]", self.expect(FINDINGS, "check", path).stdout)
        self.assertIn(b"[index-out-of-range]", self.expect(FINDINGS, "info", path).stderr)

    def test_damage(self):
        path = self.put("a.sgm", GOOD.read_bytes()[:-300])
        for verb in FILE_VERBS:
            with self.subTest(verb):
                self.expect(FINDINGS, verb, path)
        self.assertEqual(self.expect(FINDINGS, "convert", path, "-").stdout, b"")

    def test_cannot_read(self):
        for verb in FILE_VERBS:
            with self.subTest(verb):
                result = self.expect(NO_IO, verb, "missing.sgm")
                self.assertIn(b"No such file", result.stderr + result.stdout)
        self.expect(NO_IO, "convert", "missing.sgm", "out.sgm")
        self.assertEqual(self.names(), [])

    def test_unknown(self):
        path = self.put("a.txt", b"hello, world\n")
        for verb in FILE_VERBS:
            with self.subTest(verb):
                self.expect(UNSUPPORTED, verb, path)
        self.expect(UNSUPPORTED, "convert", path, "out.sgm")
        self.assertEqual(self.names(), ["a.txt"])

    def test_another_format_is_not_written(self):
        for name in ("out.png", "out.fbx"):
            with self.subTest(name):
                result = self.expect(UNSUPPORTED, "convert", GOOD, name)
                self.assertNotIn(b"not converted: ok", result.stderr)
        self.assertEqual(self.names(), [])

    def test_too_little_memory(self):
        result = self.expect(NO_IO, "check", "--memory-limit", "100", GOOD)
        self.assertIn(b"memory", result.stderr)
        for enough in ("1000000", "1000K", "1M", "1G", "0"):
            self.expect(FINE, "check", "--memory-limit", enough, GOOD)

    def test_work_limit_is_kept_and_named(self):
        result = self.expect(NO_IO, "convert", "--work-limit", "5000", GOOD, self.folder / "out.glb")
        self.assertIn(b"work_limit (--work-limit)", result.stderr)
        self.assertIn(b"5000 units", result.stderr)
        self.assertFalse((self.folder / "out.glb").exists())
        for enough in ("1G", "0"):
            self.expect(FINE, "convert", "-f", "--work-limit", enough, GOOD, self.folder / "out.glb")

    @not_on_windows("files are always read there")
    def test_memory_limit_holds_for_reading(self):
        large_model(self.folder / "a.sgm", 2 * MEGABYTE)
        self.expect(NO_IO, "check", "--read", "--memory-limit", "1M", "a.sgm")
        self.expect(FINE, "check", "--memory-limit", "1M", "a.sgm")

    def test_every_limit_is_survived(self):
        for limit in range(1, 40000, 997):
            result = self.stele("check", "--memory-limit", str(limit), SAMPLES / "scribe.sgm")
            self.assertIn(result.returncode, (FINE, NO_IO), (limit, result))


class Strangers(CliTest):
    """Files under a model's name that are none, or no longer."""

    def refused(self, data, code, words, name="a.sgm"):
        path = self.put(name, data)
        for verb in FILE_VERBS:
            result = self.expect(code, verb, path)
            self.assertIn(words, (result.stdout + result.stderr).decode())
        result = self.expect(code, "convert", path, "out.sgm")
        self.assertIn(words, result.stderr.decode())
        self.assertFalse((self.folder / "out.sgm").exists())

    def test_empty(self):
        self.refused(b"", UNSUPPORTED, "empty")

    def test_git_lfs_pointer(self):
        self.refused(b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n", UNSUPPORTED, "git lfs pull")

    def test_xml_of_2010(self):
        self.refused(b'<?xml version="1.0"?>\n<environment></environment>\n', UNSUPPORTED, "XML")
        self.refused(b"<environment></environment>\n", UNSUPPORTED, "XML")

    def test_version_of_the_future(self):
        self.refused(struct.pack("<IB", oracle.SGM_MAGIC, 4) + bytes(20), UNSUPPORTED, "version")
        self.refused(struct.pack("<IB", oracle.SGA_MAGIC, 2) + bytes(20), UNSUPPORTED, "version", "a.sga")

    def test_folder(self):
        for verb in FILE_VERBS:
            result = self.expect(NO_IO, verb, self.folder)
            self.assertIn(b"folder", result.stderr)

    def test_line_ends_that_became_crlf(self):
        data = model_bytes(vertex_count=10, raw=struct.pack("<6f", 1, 2, 3, 0, 1, 0) * 10)
        self.assertIn(b"\n", data)
        self.refused(data.replace(b"\n", b"\r\n"), FINDINGS, "CR LF")

    def test_line_ends_that_lost_their_cr(self):
        rng = random.Random(1)
        floats = struct.pack("<12000f", *(rng.gauss(0, 1) for _ in range(12000)))
        for pairs in (1, 2, 3):
            raw = bytearray(floats.replace(b"\r\n", b"\r\r"))
            for i in range(pairs):
                raw[40 * i + 1:40 * i + 3] = b"\r\n"
            data = model_bytes(vertex_count=2000, raw=bytes(raw), indices=(0, 1, 2) * 200)
            with self.subTest(pairs):
                self.refused(data.replace(b"\r\n", b"\n"), FINDINGS, "CR LF")

    def test_a_file_cut_short_is_not_blamed_on_line_ends(self):
        for cut in (1, 2, 5, 11):
            path = self.put("a.sgm", (SAMPLES / "scribe.sgm").read_bytes()[:-cut])
            with self.subTest(cut):
                result = self.expect(FINDINGS, "check", path)
                self.assertIn(b"[truncated]", result.stdout)
                self.assertNotIn(b"CR", result.stdout)

    def test_format_can_be_forced(self):
        self.expect(FINDINGS, "check", "--format", "sga", GOOD)
        self.expect(FINE, "check", "--format", "sgm", GOOD)

    def test_a_forced_format_is_walked_whatever_it_looks_like(self):
        for name, start in (("dialects/B2.mesh", 0), ("dialects/v3.sgm", 0), ("dialects/v3.sgm", 4), ("dialects/v1.sga", 0), ("dialects/v11.ctc", 0),
                            ("dialects/v3.twm", 0)):
            data = bytearray((SAMPLES / name).read_bytes())
            data[start] ^= 0x55
            path = self.put("other" + Path(name).suffix, bytes(data))
            form = Path(name).suffix[1:]
            with self.subTest(name, start=start):
                whole = json.loads(self.expect(FINE, "explain", "--json", SAMPLES / name).stdout)["fields"]
                result = json.loads(self.stele("explain", "--json", "--format", form, path).stdout)
                self.assertEqual([(f["offset"], f["path"]) for f in result["fields"]], [(f["offset"], f["path"]) for f in whole])
                self.assertEqual((result["format"], result["status"]), (form, "findings"))
                self.assertIn("bad-magic", [d["id"] for d in result["diagnostics"]])
                self.expect(FINDINGS, "convert", "--format", form, path, "-o", "copy." + form)
        self.assertFalse(list(self.folder.glob("copy.*")))

    def test_intact_rows_of_a_cut_array_are_shown(self):
        leaves = oracle.read_sgm(GOOD.read_bytes(), "v3")[1]
        vertices = next(leaf for leaf in leaves if leaf.type.startswith("row"))
        rows = int(vertices.type[4:-1])
        stride = vertices.size // rows
        path = self.put("a.sgm", GOOD.read_bytes()[:vertices.offset + 3 * stride + 5])
        fields = json.loads(self.expect(FINDINGS, "explain", "--json", path).stdout)["fields"]
        self.assertEqual([(f["type"], f["offset"], f["size"]) for f in fields[-2:]],
                         [("row[3]", vertices.offset, 3 * stride), ("gap", vertices.offset + 3 * stride, 5)])

    def test_what_it_really_is(self):
        png = (SAMPLES / "scribe.png").read_bytes()
        self.refused(png, UNSUPPORTED, "this is an image (png)")
        path = self.put("renamed.glb", (DIALECTS / "v2.sgm").read_bytes())
        self.assertIn(b"this is sgm under the name of a .glb [name-misleads]", self.expect(FINE, "check", path).stdout)
        self.assertNotIn(b"name-misleads", self.expect(FINE, "check", "-", input=path.read_bytes()).stdout)

    def test_why_it_is_nothing(self):
        path = self.put("a.bin", b"\x01" + b"what is this? " * 40)
        for verb in FILE_VERBS:
            result = self.expect(UNSUPPORTED, verb, "-v", path)
            text = (result.stdout + result.stderr).decode()
            for form in ("twm", "sgm", "sga", "mesh", "sff", "ctc", "glb", "gltf", "obj"):
                self.assertIn(f"is no {form}: ", text)
            self.assertNotIn("format-refused", (self.expect(UNSUPPORTED, verb, path).stdout + self.stele(verb, path).stderr).decode())


# ---- Input and output ----------------------------------------------------------------------------------------------------

class Streams(CliTest):
    def test_standard_input(self):
        data = GOOD.read_bytes()
        for verb in FILE_VERBS:
            with self.subTest(verb):
                result = self.expect(FINE, verb, "--json", "-", input=data)
                self.assertEqual(json.loads(result.stdout)["dialect"], "v3")

    def test_standard_input_of_an_old_dialect(self):
        for path in sorted(DIALECTS.glob("*.sgm")):
            with self.subTest(path.name):
                result = self.expect(FINE, "info", "--json", "-", input=path.read_bytes())
                self.assertEqual(json.loads(result.stdout)["format"], "sgm")

    def test_converting_between_streams(self):
        data = GOOD.read_bytes()
        result = self.expect(FINE, "convert", "-", "-", input=data)
        self.assertEqual((result.stdout, result.stderr), (data, b""))

    @not_on_windows("pipes have no names in folders there")
    def test_pipes_as_files(self):
        os.mkfifo(self.folder / "pipe.sgm")
        process = self.start("info", "--json", "pipe.sgm")
        (self.folder / "pipe.sgm").write_bytes(GOOD.read_bytes())
        out, _ = process.communicate(timeout=20)
        self.assertEqual((process.returncode, json.loads(out)["bytes"]), (FINE, GOOD.stat().st_size))

    def test_losses_are_told_whatever_the_output_is(self):
        for options in ([], ["--json"]):
            with self.subTest(options):
                result = self.expect(FINE, "convert", GOOD, "-", "--dialect", "v0", *options)
                self.assertIn(b"loss-skin", result.stderr)
                self.assertEqual(oracle.read_sgm(result.stdout, "v0")[0].animation, None)

    def test_standard_input_finds_what_lies_in_its_folder(self):
        self.put("models/a.sgm", (SAMPLES / "scribe.sgm").read_bytes())
        for name in ("scribe.sga", "scribe.png"):
            self.put("models/" + name, (SAMPLES / name).read_bytes())
        data = (SAMPLES / "scribe.sgm").read_bytes()
        alone = json.loads(self.expect(FINE, "info", "--json", "-", input=data).stdout)
        placed = json.loads(self.expect(FINE, "info", "--json", "--base-dir", "models", "-", input=data).stdout)
        self.assertEqual((len(alone["clips"]), len(placed["clips"])), (0, 3))
        self.expect(FINE, "convert", "--base-dir", "models", "-", "-o", "out.glb", input=data)
        self.expect(FINE, "diff", "models/a.sgm", "out.glb")
        for wrong in (["--base-dir", "models", "models/a.sgm"], ["--base-dir", "nowhere", "-"]):
            self.expect(USAGE, "info", *wrong, input=data)

    def test_standard_input_is_read_once(self):
        self.expect(USAGE, "check", "-", "-", input=GOOD.read_bytes())

    def test_device_without_end(self):
        result = self.expect(NO_IO, "check", "--memory-limit", "1M", "/dev/zero")
        self.assertIn(b"memory", result.stderr)

    def test_companion_that_is_no_file(self):
        path = self.put("a.sgm", oracle.write_sgm(Model([], [], b"a.sga", 1), "v3"))
        os.mkfifo(self.folder / "a.sga")
        for verb in ("check", "info"):
            with self.subTest(verb):
                try:
                    self.expect(FINE, verb, path, timeout=5)
                except subprocess.TimeoutExpired:
                    self.fail("the command waits for a pipe that a model names")

    def test_standard_input_has_no_name_to_keep(self):
        self.expect(USAGE, "convert", "--out-dir", "out", "-", input=GOOD.read_bytes())
        self.assertEqual(self.names(), [])

    def test_reader_that_leaves(self):
        files = [SAMPLES / "scribe.sgm"] * 40
        for arguments in (["explain", *files], ["explain", "--json", *files], ["explain", "-j1", files[0], "-v"]):
            with self.subTest(arguments[:2]):
                process = self.start(*arguments)
                process.stdout.read(1)
                process.stdout.close()
                messages = process.stderr.read().splitlines()
                process.wait(20)
                self.assertIn(process.returncode, (FINE, NO_IO, -signal.SIGPIPE))
                self.assertEqual([line for line in messages if b" files: " not in line], [])

    def test_convert_to_a_reader_that_leaves(self):
        large_model(self.folder / "a.sgm", 4 * MEGABYTE)
        process = self.start("convert", "-q", "a.sgm", "-")
        process.stdout.close()
        messages = process.stderr.read()
        self.assertIn(process.wait(20), (NO_IO, -signal.SIGPIPE))
        self.assertNotIn(b"Success", messages)
        self.assertLessEqual(messages.count(b"\n"), 1)

    def test_full_output(self):
        many = [SAMPLES / "scribe.sgm"] * 20
        for arguments in (["--version"], ["--help"], ["formats"], ["check", GOOD], ["explain", many[0]],
                          ["explain", "--json", *many], ["convert", GOOD, "-"]):
            with self.subTest(arguments[:2]), open("/dev/full", "wb") as full:
                result = self.expect(NO_IO, *arguments, capture_output=False, stdout=full, stderr=subprocess.PIPE)
                self.assertIn(b"cannot write to standard output: " if WINDOWS else b"No space left on device", result.stderr)  # printf forgets why
                self.assertNotIn(b"Success", result.stderr)


class ManyFiles(CliTest):
    def setUp(self):
        super().setUp()
        for i, path in enumerate(sorted(DIALECTS.glob("*.sg[ma]"), reverse=True)):
            self.put(f"models/{'abc'[i % 3]}/{path.name}", path.read_bytes())
        self.put("models/a/.hidden.sgm", b"")
        self.put("models/a/notes.txt", b"")
        self.put("models/cut.sgm", GOOD.read_bytes()[:-300])
        self.put("models/UPPER.SGM", GOOD.read_bytes())

    def test_one_bad_file_does_not_stop_the_rest(self):
        result = self.expect(NO_IO, "check", GOOD, "missing.sgm", SAMPLES / "scribe.sgm")
        for name in (b"v3.sgm: sgm v3: ok", b"missing.sgm: 1 error", b"scribe.sgm: sgm v3: ok"):
            self.assertIn(name, result.stdout)
        self.assertRegex(result.stderr.splitlines()[-1], rb"^3 files: 2 fine, 1 ")

    def test_the_worst_exit_code_wins(self):
        cut, text = self.put("cut.sgm", GOOD.read_bytes()[:-300]), self.put("a.txt", b"hello")
        self.expect(FINDINGS, "check", GOOD, cut)
        self.expect(NO_IO, "check", GOOD, cut, "missing")
        self.expect(UNSUPPORTED, "check", text, "missing", cut, GOOD)

    def test_summary_only_for_several_files(self):
        self.assertEqual(self.expect(FINE, "check", GOOD).stderr, b"")
        self.assertEqual(self.expect(FINE, "check", "-q", GOOD, GOOD).stderr, b"")
        self.assertEqual(self.expect(FINE, "check", GOOD, GOOD).stderr.count(b"\n"), 1)

    def test_folders_only_when_asked(self):
        result = self.expect(NO_IO, "check", "models", GOOD)
        self.assertIn(b"-r", result.stderr)
        self.assertIn(b"v3.sgm: sgm v3: ok", result.stdout)

    def test_order_does_not_depend_on_threads(self):
        expected = [p for p in (self.folder / "models").rglob("*") if re.search(r"/[^/.]+\.sg[ma]$", str(p), re.I)]
        expected = [str(p.relative_to(self.folder)) for p in sorted(expected, key=lambda p: p.parts)]
        for verb in FILE_VERBS:
            with self.subTest(verb):
                one = self.expect(FINDINGS, verb, "-r", "-j1", "--json", "models")
                four = self.expect(FINDINGS, verb, "-r", "-j4", "--json", "models")
                self.assertEqual((one.stdout, one.stderr), (four.stdout, four.stderr))
                self.assertEqual([json.loads(line)["file"] for line in one.stdout.splitlines()], expected)
                texts = {self.expect(FINDINGS, verb, "-r", "-v", jobs, "models").stdout for jobs in ("-j1", "-j3", "-j4")}
                self.assertEqual(len(texts), 1)

    def test_threads_within_a_file_change_nothing(self):
        large_model(self.folder / "a.sgm", 12 * MEGABYTE)
        results = {self.expect(FINE, "check", "--json", jobs, "a.sgm").stdout for jobs in ("-j1", "-j2", "-j7")}
        self.assertEqual(len(results), 1)
        found = {d["id"]: d["count"] for d in json.loads(results.pop())["diagnostics"]}
        self.assertEqual(found["normal-zero"], 12 * MEGABYTE // 24)

    def test_links_in_circles(self):
        (self.folder / "models/a/loop").symlink_to("..")
        self.expect(FINDINGS, "check", "-r", "models")

    def test_names_from_a_file(self):
        names = sorted(str(p.relative_to(self.folder)) for p in (self.folder / "models/a").glob("*.sg[ma]") if p.name[0] != ".")
        for end, before in (("\n", ""), ("\r\n", ""), ("\0", ""), ("\n", "\n\n")):
            listed = (before + end.join(names) + end).encode()
            for source, options in (("-", {"input": listed}), (self.put("list", listed), {})):
                with self.subTest(end=end, source=source):
                    lines = self.expect(FINE, "check", "--json", "--files-from", source, **options).stdout.splitlines()
                    self.assertEqual([json.loads(line)["file"] for line in lines], names)
        self.expect(NO_IO, "check", "--files-from", "missing")
        self.expect(NO_IO, "check", "--files-from", "-", input=b"")
        self.expect(USAGE, "check", "--files-from", "-", "-", input=b"")

    @not_on_windows("there are no such names")
    def test_names_with_line_ends_from_a_file(self):
        odd = "models/new\nline.sgm"
        self.put(odd, GOOD.read_bytes())
        result = self.expect(FINE, "check", "--json", "--files-from", "-", input=odd.encode() + b"\0")
        self.assertEqual(json.loads(result.stdout)["file"], odd)

    def test_listed_names_keep_their_folders(self):
        listed = b"./models/UPPER.SGM\nmodels/../models/cut.sgm\n" + os.fsencode(GOOD) + b"\n"
        self.expect(FINDINGS, "convert", "--to", "glb", "--out-dir", "out", "--files-from", "-", input=listed)
        written = sorted(str(p.relative_to(self.folder / "out")) for p in (self.folder / "out").rglob("*.glb"))
        self.assertEqual(written, ["models/UPPER.glb", "v3.glb"])

    def test_only_files_of_some_formats(self):
        for wanted in ("sga", "sgm,sga"):
            lines = self.stele("check", "-r", "--json", "--from", wanted, "models").stdout.splitlines()
            found = {Path(json.loads(line)["file"]).suffix.lower()[1:] for line in lines}
            self.assertEqual(found, set(wanted.split(",")))

    def test_folder_without_models(self):
        (self.folder / "empty").mkdir()
        result = self.expect(NO_IO, "check", "-r", "empty")
        self.assertIn(b"no model files", result.stderr)


HOSTILE = b"\x1b[31m\x07\x01\x7f\xff\xc2\x9b\xed\xa0\x80\xc3\r\n\"\\\xf0\x9f\x92\xa9.png"


class HostileNames(CliTest):
    def setUp(self):
        super().setUp()
        model = Model([Material(0, [[(0, HOSTILE)]])], [triangle()], HOSTILE, 1)
        skeleton = Skeleton(HOSTILE, [oracle.Bone(HOSTILE, (0.0, 0.0, 0.0), 1, ())], [Clip(HOSTILE, []), Clip(HOSTILE, [])])
        self.files = [self.put("a.sgm", oracle.write_sgm(model, "v3")), self.put("a.sga", oracle.write_sga(skeleton))]
        self.files.append(self.put(os.fsdecode(b"\x1b[2J\x07\xff\n.sgm"), model_bytes(HOSTILE)))

    def assert_harmless(self, output):
        text = output.decode("utf-8", "surrogateescape").replace("\n", "")
        self.assertEqual([c for c in text if ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 or 0xD800 <= ord(c) < 0xE000], [], output)

    def test_text_has_no_control_bytes(self):
        for verb in FILE_VERBS:
            for path in self.files:
                with self.subTest(verb, file=path.name):
                    result = self.stele(verb, "-v", path)
                    self.assert_harmless(result.stdout)
                    self.assert_harmless(result.stderr)

    def test_messages_have_no_control_bytes(self):
        bad = os.fsdecode(b"\x1b[2J\x07\xff")
        for arguments in (["convert", self.files[2], bad + ".png"], ["convert", self.files[2], bad + "/out.sgm"],
                          ["convert", bad, "-"], ["check", bad], ["check", "--memory-limit", "9", self.files[2]],
                          ["explain", "--at", "0xfffff", self.files[2]], ["explain", "--at", bad, GOOD], [bad],
                          ["check", "--" + bad, GOOD], ["check", "-s", bad + "=off", GOOD], ["check", "-s", "a=" + bad, GOOD],
                          ["check", "--target", bad, GOOD], ["check", "--format", bad, GOOD], ["formats", bad],
                          ["convert", GOOD, "-", "--dialect", bad], ["check", "--memory-limit", bad, GOOD]):
            with self.subTest(arguments):
                result = self.stele(*arguments)
                self.assertGreater(result.returncode, 0)
                self.assert_harmless(result.stdout + result.stderr)

    def test_folder_of_a_hostile_name(self):
        folder = self.folder / os.fsdecode(b"\x1b[2J")
        folder.mkdir()
        for options in ([], ["-r"]):
            self.assert_harmless(self.expect(NO_IO, "check", folder, *options).stderr)

    def test_json_is_valid(self):
        for verb in FILE_VERBS:
            lines = self.stele(verb, "--json", *self.files).stdout.decode().splitlines()
            self.assertEqual(len(lines), len(self.files))
            for line in lines:
                self.assertEqual(json.loads(line)["schema"], 1)
                self.assert_harmless(line.encode())


class JsonOutput(CliTest):
    def test_every_command(self):
        cut = self.put("cut.sgm", GOOD.read_bytes()[:-300])
        strange = self.put("a.txt", b"hello")
        files = [GOOD, cut, strange, self.put("e.sgm", b""), "missing.sgm", DIALECTS / "v1.sga"]
        runs = [["formats"], ["check", "--ids"], ["convert", GOOD, "out.sgm"], ["convert", "-f", GOOD, "out.sgm", "-dv0"],
                ["convert", GOOD, "out.sgm"], ["convert", cut, "x.sgm"], ["convert", GOOD, "y.sgm", "--strict", "-dv0"]]
        runs += [[verb, *files] for verb in FILE_VERBS] + [["explain", "--at", "20", GOOD], ["explain", "--at", "400", GOOD]]
        for arguments in runs:
            with self.subTest(arguments[:3]):
                lines = self.stele(*arguments, "--json").stdout.decode().splitlines()
                self.assertEqual(len(lines), len(files) if arguments[-1] == files[-1] else 1)
                for line in lines:
                    document = json.loads(line)
                    self.assertEqual((document["schema"], document["command"]), (1, arguments[0]))

    def test_nonfinite_numbers(self):
        nan, inf = float("nan"), float("inf")
        raw = struct.pack("<18f", nan, inf, -inf, 0, 1, 0, *[0, 0, 0, 0, 1, 0] * 2)
        path = self.put("a.sgm", model_bytes(raw=raw))
        info = json.loads(self.expect(FINDINGS, "info", "--json", path).stdout, parse_constant=self.fail)
        self.assertEqual(info["meshes"][0]["bounds"]["max"], [0, 0, 0])
        fields = json.loads(self.expect(FINE, "explain", "--json", path).stdout, parse_constant=self.fail)["fields"]
        vertices, = (f["value"] for f in fields if f["path"] == "mesh[0].vertices")
        self.assertEqual(vertices["columns"][0]["first"][:3], ["NaN", "Infinity", "-Infinity"])

    def test_ids_are_those_that_can_be_set(self):
        ids = json.loads(self.expect(FINE, "check", "--ids", "--json").stdout)["ids"]
        self.assertEqual(len({entry["id"] for entry in ids}), len(ids))
        text = self.expect(FINE, "check", "--ids").stdout.decode()
        for entry in ids[:40]:
            self.assertIn(entry["id"], text)
            self.expect(FINE, "check", "-q", "-s", entry["id"] + "=off", GOOD)


@not_on_windows("a terminal is no console: wine draws one in it")
class Terminal(CliTest):
    def on_terminal(self, *arguments, **environment):
        """What a terminal would get from both streams."""
        master, slave = pty.openpty()
        env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm"} | environment
        process = self.start(*arguments, stdin=slave, stdout=slave, stderr=slave, env=env)
        os.close(slave)
        output = b""
        try:
            while chunk := os.read(master, 65536):
                output += chunk
        except OSError:
            pass  # how Linux says that the other end is closed
        os.close(master)
        process.wait(20)
        return output

    def test_colors_on_a_terminal_only(self):
        path = self.put("a.sgm", model_bytes(b"gone.png", indices=(0, 1, 9)))
        for verb in ("formats", *FILE_VERBS):
            operands = [] if verb == "formats" else [path]
            with self.subTest(verb):
                self.assertIn(b"\x1b[", self.on_terminal(verb, *operands))
                for plain in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
                    self.assertNotIn(b"\x1b", self.on_terminal(verb, *operands, **plain))
                result = self.stele(verb, *operands)
                self.assertNotIn(b"\x1b", result.stdout + result.stderr)

    def test_colors_as_asked_for(self):
        path = self.put("a.sgm", model_bytes(b"gone.png", indices=(0, 1, 9)))
        for verb in ("formats", *FILE_VERBS):
            operands = [] if verb == "formats" else [path]
            with self.subTest(verb):
                self.assertNotIn(b"\x1b", self.on_terminal(verb, "--color=never", *operands))
                self.assertIn(b"\x1b[", self.on_terminal(verb, "--color=auto", *operands))
                result = self.stele(verb, "--color=always", *operands, env=os.environ | {"NO_COLOR": "1"})
                self.assertIn(b"\x1b[", result.stdout + result.stderr)
        self.assertIn(b"auto", self.expect(USAGE, "formats", "--color=green").stderr)

    def test_empty_no_color_means_nothing(self):
        self.assertIn(b"\x1b[", self.on_terminal("formats", NO_COLOR=""))

    def test_json_is_never_colored(self):
        for verb in FILE_VERBS:
            self.assertNotIn(b"\x1b", self.on_terminal(verb, "--json", GOOD))

    def test_no_binary_on_a_terminal(self):
        self.assertIn(b"binary", self.on_terminal("convert", GOOD, "-"))


# ---- What is shown -------------------------------------------------------------------------------------------------------

class Options(CliTest):
    def test_at_names_the_owner_of_a_byte(self):
        leaves = oracle.read_sgm(GOOD.read_bytes(), "v3")[1]
        for leaf in leaves[:6] + leaves[-3:]:
            for at in {leaf.offset, leaf.offset + leaf.size - 1}:
                document = json.loads(self.expect(FINE, "explain", "--json", "--at", hex(at), GOOD).stdout)
                self.assertEqual([f["offset"] for f in document["fields"]], [leaf.offset])
                self.assertEqual(self.expect(FINE, "explain", "--at", str(at), GOOD).stdout.count(b"\n"), 1)

    def test_at_names_the_element(self):
        model, leaves = oracle.read_sgm(GOOD.read_bytes(), "v3")
        vertices = next(leaf for leaf in leaves if leaf.type.startswith("row"))
        normal_y = vertices.offset + 4 * (2 * model.meshes[0].stride() + 4)
        document = json.loads(self.expect(FINE, "explain", "--json", "--at", str(normal_y + 1), GOOD).stdout)
        element = document["fields"][0]["element"]
        self.assertEqual((element["path"], element["offset"]), ("mesh[0].vertices[2].normal[1]", normal_y))
        self.assertEqual(oracle.as_number(element["value"]), model.meshes[0].rows("normal")[2][1])

    def fields(self, *arguments, code=FINE):
        return json.loads(self.expect(code, "explain", "--json", *arguments).stdout)["fields"]

    def test_at_reaches_unpacked_content(self):
        """The unpacked content of TWM v0 is a file of its own: its bytes are found as those of the file are."""
        packed = SAMPLES / "dialects/v0.twm"
        document = json.loads(self.expect(FINE, "explain", "--json", packed).stdout)
        for field in document["unpacked"]:
            for at in (field["offset"], field["offset"] + field["size"] - 1):
                found = json.loads(self.expect(FINE, "explain", "--json", "--at", f"unpacked:{at}", packed).stdout)
                self.assertEqual([f["path"] for f in found["unpacked"]], [field["path"]])
                self.assertEqual(found["fields"], [])
        end = document["unpacked"][-1]["offset"] + document["unpacked"][-1]["size"]
        self.expect(USAGE, "explain", "--at", f"unpacked:{end}", packed)
        self.expect(USAGE, "explain", "--at", "unpacked:0", GOOD)
        for wrong in ("unpacked", "unpacked:", "unpacked:x", "packed:1"):
            self.expect(USAGE, "explain", "--at", wrong, packed)
        self.assertEqual(self.expect(FINE, "explain", "--at", "unpacked:0x10", packed).stdout.count(b"\n"), 1)

    def test_paths(self):
        every = [f["path"] for f in self.fields(GOOD)]
        for pattern, wanted in (("magic", lambda p: p == "magic"), ("mesh[1]", lambda p: p.startswith("mesh[1].")),
                                ("mesh[*].index_*", lambda p: p.startswith("mesh[") and ".index_" in p),
                                ("*", lambda p: True), ("m?gic", lambda p: p == "magic"), ("*count", lambda p: p.endswith("count")),
                                ("material", lambda p: p.startswith("material[")), ("*.uv_set[0]", lambda p: ".uv_set[0]" in p)):
            with self.subTest(pattern):
                self.assertEqual([f["path"] for f in self.fields("--path", pattern, GOOD)], [p for p in every if wanted(p)])
        for pattern in ("nothing", "mag", "mesh[1", "*.x", "", "magic.x"):
            with self.subTest(pattern):
                self.assertIn(b"no field", self.expect(USAGE, "explain", "--path", pattern, GOOD).stderr)
        columns = self.fields("--path", "mesh[*].vertices.no*", GOOD)
        self.assertEqual([[c["name"] for c in f["value"]["columns"]] for f in columns], [["normal"], ["normal"]])
        text = self.expect(FINE, "explain", "--path", "mesh[0].vertices.normal", GOOD).stdout
        self.assertIn(b".normal", text)
        self.assertNotIn(b".position", text)
        self.assertNotIn(b"sgm v3", text)  # the line above the table is that of the whole

    def test_rows(self):
        model, _ = oracle.read_sgm(GOOD.read_bytes(), "v3")
        positions, count = model.meshes[0].rows("position"), len(model.meshes[0].rows("position"))
        for rows, first, end in (("3..5", 3, 6), ("7", 7, 8), ("..2", 0, 3), (f"{count - 2}..", count - 2, count),
                                 (f"{count - 1}..{count + 9}", count - 1, count), (str(count), count, count)):
            with self.subTest(rows):
                column = self.fields("--path", "mesh[0].vertices.position", "--rows", rows, GOOD)[0]["value"]["columns"][0]
                shown = [oracle.as_number(v) for v in column["rows"]]
                self.assertEqual(shown, [v for row in positions[first:end] for v in row])
                text = self.expect(FINE, "explain", "--path", "mesh[0].vertices", "--rows", rows, GOOD).stdout.decode()
                lines = re.findall(r"^(0x\w+) +(\d+)  mesh\[0\]\.vertices\[(\d+)\]", text, re.M)
                self.assertEqual([int(number) for _, _, number in lines], list(range(first, end)))
                for at, size, number in lines:
                    owner = self.fields("--at", at, GOOD)[0]["element"]["path"]
                    self.assertEqual((owner, int(size)), (f"mesh[0].vertices[{number}].position[0]", 4 * model.meshes[0].stride()))
        for wrong in ("", "..", "a", "5..3", "-1", "1...2", "1..x", "99999999999999999999"):
            self.assertIn(b"rows", self.expect(USAGE, "explain", "--rows", wrong, GOOD).stderr)

    def test_explain_more_components_than_any_format_has(self):
        path = CRASHERS / "more-components-than-room.sgm"
        data = path.read_bytes()
        [field] = [f for f in json.loads(self.expect(FINDINGS, "explain", "--json", path).stdout)["fields"] if f["path"] == "mesh[0].vertices"]
        stride, at, seen = field["value"]["stride"], field["offset"], 0
        for column in field["value"]["columns"]:
            self.assertEqual(column["type"], "f32")
            for i in range(column["components"]):
                rows = [struct.unpack_from("<f", data, at + 4 * i + row * stride)[0] for row in range(field["value"]["count"])]
                finite = [number for number in rows if math.isfinite(number)]
                for side, of in (("min", min), ("max", max)):
                    said = column[side][i]
                    self.assertEqual(said is None, not finite)
                    if finite:
                        self.assertEqual(struct.pack("<f", said), struct.pack("<f", of(finite)), (column["name"], i))
                seen += 1
            at += 4 * column["components"]
        self.assertGreater(seen, 600)
        self.expect(FINDINGS, "explain", path)

    def test_hex(self):
        data = GOOD.read_bytes()
        for field in self.fields("--hex", GOOD):
            self.assertEqual(bytes.fromhex(field["bytes"]), data[field["offset"]:field["offset"] + min(8, field["size"])])
        self.assertNotIn("bytes", self.fields(GOOD)[0])
        self.assertRegex(self.expect(FINE, "explain", "--hex", GOOD).stdout, rb"0x00000000        4  90 22 05 15 +magic +u32")

    def test_magics_and_flags_have_a_meaning(self):
        for name, path, meaning in (("v3.sgm", "magic", "the bytes 90 22 05 15"), ("2.0.glb", "magic", "the letters glTF"),
                                    ("2.0.glb", "chunk[2].type", "the letters NOTE"), ("v1.sga", "magic", "the bytes 5a 4e da 16"),
                                    ("C2.mesh", "format", "positions, normals, uvs, joints")):
            self.assertEqual(self.fields("--path", path, SAMPLES / "dialects" / name)[0]["meaning"], meaning)
        data = bytearray((SAMPLES / "dialects/C2.mesh").read_bytes())
        data[2] |= 0x40
        self.assertEqual(self.fields("--path", "format", self.put("odd.mesh", data))[0]["meaning"],
                         "positions, normals, uvs, joints, and bits that mean nothing")

    def test_the_format_is_said(self):
        said = self.expect(FINE, "explain", GOOD).stdout.splitlines()[0].decode()
        self.assertEqual(said, f"{GOOD}: sgm v3, {GOOD.stat().st_size:,} bytes")
        self.assertIn(b"no format that is known, 5 bytes", self.expect(UNSUPPORTED, "explain", self.put("a.txt", b"hello")).stdout)

    def test_one_numbering_of_clips(self):
        def clip(name, *keys):
            rows = [[float(t), float(x), 0, 0, 1, 1, 1, 0, 0, 0, 1] for t, x in keys]
            return Clip(name, [(0, rows)] if rows else [])
        clips = [clip(b"idle", (0, 0), (24, 1)), clip(b"idle", (0, 0), (24, 1)), clip(b"none"), clip(b"walk", (0, 0), (24, 5))]
        skeleton = Skeleton(b"s", [oracle.Bone(b"b", (0.0, 0.0, 0.0), 1, ())], clips)
        path = self.put("a.sga", oracle.write_sga(skeleton))
        found = json.loads(self.expect(FINE, "info", "--json", path).stdout)["clips"]
        self.assertEqual([(c["name"], c["keys"], c.get("repeats")) for c in found], [("idle", 2, None), ("idle", 2, 0), ("none", 0, None), ("walk", 2, None)])
        text = self.expect(FINE, "info", path).stdout.decode()
        self.assertRegex(text, r"\[1\] idle.*\(the same as \[0\]\)\n.*\[2\] none.*\(empty\)\n.*\[3\] walk")
        pictures = {}
        for name in ("0", "1", "3", "idle", "walk"):
            self.expect(FINE, "render", path, "-o", "out.png", "-f", "--clip", name, "--time", "1", "--joints", "--size", "64", "--bounds")
            pictures[name] = (self.folder / "out.png").read_bytes()
        self.assertEqual((pictures["0"], pictures["1"], pictures["3"]), (pictures["idle"], pictures["idle"], pictures["walk"]))
        refused = self.expect(USAGE, "render", path, "-o", "x.png", "--clip", "2").stderr.decode()
        self.assertIn("  0  idle\nstele:   3  walk\n", refused)

    def test_severities(self):
        path = self.put("a.sgm", model_bytes(b"gone.png"))
        self.assertNotIn(b"texture-missing", self.expect(FINE, "check", "-s", "texture-missing=off", path).stdout)
        self.assertIn(b"error", self.expect(FINDINGS, "check", "-s", "texture-missing=error", path).stdout)
        quiet = self.expect(FINE, "check", "-s", "texture-missing=note", path)
        self.assertNotIn(b"texture-missing", quiet.stdout)
        verbose = self.expect(FINE, "check", "-v", "-s", "texture-missing=note", path)
        self.assertIn(b"texture-missing", verbose.stdout)

    def test_structural_errors_stay(self):
        path = self.put("a.sgm", GOOD.read_bytes()[:-300])
        for name in ("truncated", "count-too-large"):
            self.expect(FINDINGS, "check", "-s", name + "=off", path)

    def test_target(self):
        mesh = triangle(vertex_count=1, raw=bytes(4 * 12), indices=())
        mesh.uv_count = 3
        path = self.put("a.sgm", oracle.write_sgm(Model([Material(0, [])], [mesh]), "v3"))
        self.expect(FINE, "check", path)
        self.assertIn(b"[target-limit]", self.expect(FINDINGS, "check", "--target", "rayne", path).stdout)
        self.expect(FINE, "check", "--target", "rayne", GOOD)
        self.expect(FINDINGS, "check", "--target", "rayne", DIALECTS / "v1a.sgm")

    def test_quiet(self):
        path = self.put("a.sgm", model_bytes(b"gone.png"))
        result = self.expect(FINE, "check", "-q", path)
        self.assertEqual((result.stdout, result.stderr), (b"", b""))
        path = self.put("a.sgm", model_bytes(indices=(0, 1, 9)))
        self.assertIn(b"[index-out-of-range]", self.expect(FINDINGS, "check", "-q", path).stdout)

    def test_reading_and_mapping_agree(self):
        for verb in FILE_VERBS:
            path = SAMPLES / "scribe.sgm"
            self.assertEqual(self.expect(FINE, verb, "--json", path).stdout,
                             self.expect(FINE, verb, "--json", "--read", path).stdout)


# ---- Writing files -------------------------------------------------------------------------------------------------------

class Writing(CliTest):
    def test_existing_files_are_kept(self):
        path = self.put("out.sgm", b"precious")
        result = self.expect(NO_IO, "convert", GOOD, path)
        self.assertIn(b"-f", result.stderr)
        self.assertEqual((path.read_bytes(), self.names()), (b"precious", ["out.sgm"]))

    @not_on_windows("files have no modes there")
    def test_force_replaces_and_keeps_the_mode(self):
        path = self.put("out.sgm", b"old")
        for mode in (0o640, 0o600, 0o444):
            path.chmod(mode)
            self.expect(FINE, "convert", "-f", GOOD, path)
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), mode)
        self.assertEqual((path.read_bytes(), self.names()), (GOOD.read_bytes(), ["out.sgm", "v1.sga"]))

    @not_on_windows("files have no modes there")
    def test_new_files_follow_the_umask(self):
        self.expect(FINE, "convert", GOOD, "out.sgm", umask=0o027)
        self.assertEqual(stat.S_IMODE((self.folder / "out.sgm").stat().st_mode), 0o640)

    @not_on_windows("wine follows links where the command cannot see them")
    def test_links_are_written_through(self):
        target, link = self.put("real/a.sgm", b"old"), self.folder / "link.sgm"
        link.symlink_to("real/a.sgm")
        self.expect(NO_IO, "convert", GOOD, link)
        self.expect(FINE, "convert", "-f", GOOD, link)
        self.assertTrue(link.is_symlink())
        self.assertEqual(target.read_bytes(), GOOD.read_bytes())
        self.assertEqual((self.names(), self.names(target.parent)), (["link.sgm", "real", "v1.sga"], ["a.sgm"]))

    @not_on_windows("wine follows links where the command cannot see them")
    def test_a_link_to_nothing_stays_a_link(self):
        link = self.folder / "link.sgm"
        link.symlink_to("gone.sgm")
        self.assertIn(self.stele("convert", "-f", GOOD, link).returncode, (FINE, NO_IO))
        self.assertTrue(link.is_symlink())

    def test_a_file_onto_itself(self):
        path = self.put("a.sgm", GOOD.read_bytes())
        self.expect(NO_IO, "convert", path, path)
        self.expect(FINE, "convert", "-f", path, path, "--dialect", "v2")
        self.assertEqual(path.read_bytes(), self.expect(FINE, "convert", GOOD, "-", "--dialect", "v2").stdout)
        self.assertEqual(self.names(), ["a.sgm"])

    def test_strict_writes_nothing_that_lacks_something(self):
        for output in ("out.sgm", "-"):
            result = self.expect(FINDINGS, "convert", "--strict", GOOD, output, "--dialect", "v0")
            self.assertEqual(result.stdout, b"")
        self.assertEqual(self.names(), [])
        self.expect(FINE, "convert", "--strict", DIALECTS / "v2.sgm", "out.sgm", "--dialect", "v3")

    def test_strict_keeps_what_was_there(self):
        path = self.put("out.sgm", b"old")
        self.expect(FINDINGS, "convert", "--strict", "-f", GOOD, path, "--dialect", "v0")
        self.assertEqual((path.read_bytes(), self.names()), (b"old", ["out.sgm"]))

    def test_output_is_a_file_and_out_dir_a_folder(self):
        self.expect(FINE, "convert", GOOD, "-o", "new.glb")
        self.assertEqual((self.folder / "new.glb").read_bytes()[:4], b"glTF")
        (self.folder / "folder").mkdir()
        for wrong in ([GOOD, "-o", "folder"], [GOOD, "a.glb", "-o", "b.glb"], [GOOD, "-o", "a.glb", "--out-dir", "b"]):
            self.expect(USAGE, "convert", *wrong)
        self.assertEqual(self.names(), ["folder", "new.glb"])

    def test_out_dir_keeps_folders(self):
        files = {"top.sgm": GOOD, "a/x.sgm": DIALECTS / "v0.sgm", "a/b/x.sgm": DIALECTS / "v1.sgm",
                 "c/k.sga": DIALECTS / "v1.sga"}
        for name, source in files.items():
            self.put("in/" + name, source.read_bytes())
        for folder, target in (("in", "out"), ("in/", "out2/")):
            self.expect(FINE, "convert", "-r", "--sync", folder, "--out-dir", target)
            written = {str(p.relative_to(self.folder / target)): p for p in (self.folder / target).rglob("*") if p.is_file()}
            self.assertEqual(sorted(written), sorted(files))
            for name, path in written.items():
                self.assertEqual(path.read_bytes(), files[name].read_bytes())

    def test_out_dir_takes_the_name_of_a_file(self):
        self.put("deep/down/a.sgm", GOOD.read_bytes())
        self.expect(FINE, "convert", "--out-dir", "out/er", "deep/down/a.sgm", "--dialect", "v2")
        self.assertEqual(self.names(self.folder / "out/er"), ["a.sgm"])

    def test_two_files_of_one_name(self):
        first, second = self.put("a/x.sgm", GOOD.read_bytes()), self.put("b/x.sgm", (DIALECTS / "v1.sgm").read_bytes())
        result = self.stele("convert", "-f", "--out-dir", "out", first, second)
        self.assertNotEqual(result.returncode, FINE, "one result was silently replaced by the other")

    def test_many_inputs_need_a_folder(self):
        self.put("in/a.sgm", GOOD.read_bytes())
        self.put("in/b.sgm", (DIALECTS / "v1.sgm").read_bytes())
        self.expect(USAGE, "convert", "-f", "-r", "in", "out.sgm")
        self.assertEqual(self.names(), ["in"])

    def test_nowhere_to_write(self):
        self.put("file", b"")
        (self.folder / "folder").mkdir()
        for output in ("missing/out.sgm", "file/out.sgm"):
            with self.subTest(output):
                result = self.expect(NO_IO, "convert", "-f", GOOD, output)
                self.assertEqual(result.stderr.count(b"\n"), 1)
        result = self.expect(NO_IO, "convert", "--out-dir", "file", GOOD)
        self.assertNotIn(b"not converted: ok", result.stderr)
        self.assertEqual(self.names(), ["file", "folder"])


class FailingOutputs(CliTest):
    @not_on_windows("there is no such device")
    def test_full_device(self):
        result = self.expect(NO_IO, "convert", "-f", GOOD, "/dev/full")
        self.assertIn(b"No space left", result.stderr)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))

    def test_full_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True, check=False)
        if mount.returncode:
            self.skipTest("no small disk can be mounted here")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        old = self.put("disk/old.sgm", b"old")
        for arguments in (["new.sgm"], ["-f", "old.sgm"]):
            result = self.expect(NO_IO, "convert", SAMPLES / "scribe.sgm", *arguments, cwd=disk)
            self.assertIn(b"No space left", result.stderr)
        self.assertEqual((self.names(disk), old.read_bytes()), (["old.sgm"], b"old"))

    def test_file_size_limit(self):
        large_model(self.folder / "a.sgm", 4 * MEGABYTE)
        result = self.stele("convert", "a.sgm", "out.sgm", preexec_fn=limit_file_size)
        self.assertNotEqual(result.returncode, FINE)
        self.assertEqual(self.names(), ["a.sgm"])

    @not_on_windows("another user has no wine")
    def test_unwritable_folder(self):
        folder = self.folder / "locked"
        folder.mkdir()
        self.put("locked/old.sgm", b"old")
        options = {"user": "nobody", "group": "nogroup"} if os.geteuid() == 0 else {}
        self.folder.chmod(0o755)
        folder.chmod(0o555)
        self.addCleanup(folder.chmod, 0o755)
        try:
            self.stele("--version", **options)
        except (OSError, ValueError, LookupError) as error:
            self.skipTest(f"root can write everywhere, and another user cannot run the command: {error}")
        for arguments in (["new.sgm"], ["-f", "old.sgm"]):
            result = self.expect(NO_IO, "convert", "-", *arguments, input=GOOD.read_bytes(), cwd=folder, **options)
            self.assertIn(b"Permission denied", result.stderr)
        self.assertEqual((self.names(folder), (folder / "old.sgm").read_bytes()), (["old.sgm"], b"old"))


def limit_file_size():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (MEGABYTE, MEGABYTE))


def can_trace():
    return shutil.which("strace") and not subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, check=False).returncode


@not_on_windows("there are no signals, and wine would be traced")
@unittest.skipUnless(can_trace(), "there is no strace, or it may not trace")
class Traced(CliTest):
    """The system interrupts the command in a call that a test chooses: no luck is needed, and no long work."""

    def interrupted_in(self, calls, which, number, *arguments, hangup=signal.SIG_DFL):
        """The command, which gets that signal in one of these calls; the process is the command itself, not the tracer."""
        tracer = ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={calls}", "-e", f"inject={calls}:signal={number.name}:when={which}"]
        # the tests may themselves run under nohup
        return self.start(*arguments, before=tracer, preexec_fn=lambda: signal.signal(signal.SIGHUP, hangup))

    def standing_still(self, *arguments, hangup=signal.SIG_DFL):
        """A conversion of a.sgm that has written something, but not all, and stands still there."""
        size = large_model(self.folder / "a.sgm", 4 * MEGABYTE)
        process = self.interrupted_in("write", 3, signal.SIGSTOP, "convert", "--work-limit", "0", *arguments, hangup=hangup)
        state = os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        self.assertEqual((state.si_code, state.si_status), (os.CLD_STOPPED, signal.SIGSTOP))
        begun, = self.folder.rglob(".stele-*")
        self.assertTrue(0 < begun.stat().st_size < size)
        return process


class Interrupts(Traced):
    def deliver(self, process, number):
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)
        return process.wait(20)

    def test_nothing_is_left_behind(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number.name):
                process = self.standing_still("a.sgm", "out.sgm")
                self.assertEqual(self.deliver(process, number), 128 + number)
                self.assertEqual(self.names(), ["a.sgm"])

    def test_what_was_there_stays(self):
        old = self.put("out.sgm", b"old")
        process = self.standing_still("-f", "a.sgm", "out.sgm")
        self.assertNotEqual(self.deliver(process, signal.SIGTERM), FINE)
        self.assertEqual((self.names(), old.read_bytes()), (["a.sgm", "out.sgm"], b"old"))

    def test_nohup_is_respected(self):
        process = self.standing_still("a.sgm", "out.sgm", hangup=signal.SIG_IGN)
        self.assertEqual(self.deliver(process, signal.SIGHUP), FINE)
        self.assertEqual((self.folder / "out.sgm").stat().st_size, (self.folder / "a.sgm").stat().st_size)

    def test_waiting_for_input(self):
        process = self.start("convert", "-", "out.sgm", stdin=subprocess.PIPE)
        process.stdin.write(GOOD.read_bytes()[:100])
        process.stdin.flush()
        self.interrupt(process)

    def test_waiting_for_a_pipe_to_take_the_output(self):
        os.mkfifo(self.folder / "pipe")
        reader = os.open(self.folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        large_model(self.folder / "a.sgm", 4 * MEGABYTE)
        self.interrupt(self.start("convert", "-f", "a.sgm", "pipe"))

    def interrupt(self, process):
        self.wait_until_up(process.pid)
        time.sleep(0.2)  # until it waits
        process.send_signal(signal.SIGINT)
        try:
            self.assertEqual(process.wait(10), 128 + signal.SIGINT)
        except subprocess.TimeoutExpired:
            self.fail("the command does not react to an interrupt")


class ChangingFiles(Traced):
    SIZE = 200 * MEGABYTE

    def test_a_file_that_is_cut_while_it_is_written_again(self):
        process = self.standing_still("a.sgm", "out.sgm")
        os.truncate(self.folder / "a.sgm", 1000)
        process.send_signal(signal.SIGCONT)
        _, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, NO_IO)
        self.assertIn(b"changed while it was read", errors)
        self.assertEqual(self.names(), ["a.sgm"])

    def test_a_file_that_is_cut_while_it_is_used(self):
        noticed = 0
        for verb, delay in [("check", d) for d in (0, 0.001, 0.003, 0.01, 0.03, 0.06)] + [("info", 0.01), ("convert", 0.02)]:
            path = self.folder / "a.sgm"
            large_model(path, self.SIZE)
            process = self.start(verb, path, *["out.sgm"] * (verb == "convert"), "-q", "--work-limit", "0")
            time.sleep(delay)
            os.truncate(path, 1000)
            _, errors = process.communicate(timeout=30)
            with self.subTest(verb, delay=delay):
                self.assertIn(process.returncode, (FINE, FINDINGS, NO_IO))
                if process.returncode == NO_IO:
                    noticed += 1
                    self.assertIn(b"changed while it was read", errors)
                    self.assertFalse((self.folder / "out.sgm").exists())
            (self.folder / "out.sgm").unlink(missing_ok=True)
        self.assertGreater(noticed, 0)

    def test_a_file_that_is_written_while_it_is_drawn(self):
        path = self.folder / "b.sgm"
        path.write_bytes((SAMPLES / "scribe.sgm").read_bytes())
        for kind, name in (("--turntable", "t.webp"), ("--sheet", "s.png")):
            process = self.start("render", kind, "-j1", "--size", "1500x1500", path, "-o", name)
            self.wait_until_up(process.pid)
            time.sleep(0.1)
            path.write_bytes(path.read_bytes())
            _, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, NO_IO)
            self.assertEqual(errors.count(b"changed while it was read"), 1)
            self.assertEqual((self.folder / name).exists(), kind == "--sheet")

    def test_a_file_that_grows_or_is_rewritten(self):
        path = self.folder / "a.sgm"
        large_model(path, self.SIZE)
        process = self.start("check", path, "-q", "--work-limit", "0")
        time.sleep(0.03)
        with open(path, "r+b") as file:
            file.seek(0, os.SEEK_END)
            file.write(b"more")
        process.communicate(timeout=30)
        self.assertIn(process.returncode, (FINE, FINDINGS, NO_IO))


if __name__ == "__main__":
    if not shutil.which(STELE):
        raise SystemExit(f"there is no {STELE}")
    unittest.main()
