"""Many files at once: what is skipped, what clashes, what is left when it is interrupted, and what it says about each.

STELE names the binary (default: build/stele).
"""
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import time
import unittest
from pathlib import Path

from test_cli import DIALECTS, FILE_VERBS, FINDINGS, FINE, GOOD, NO_IO, SAMPLES, STELE, UNSUPPORTED, USAGE, WINDOWS, CliTest, Traced, \
    large_model, model_bytes, not_on_windows

MOMENTS = 100


def documents(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


class BatchTest(CliTest):
    def put_models(self, *names):
        for name in names:
            self.put(name, GOOD.read_bytes())

    def tree(self, folder="."):
        root = self.folder / folder
        return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


class Converting(BatchTest):
    def test_a_rerun_skips_what_it_wrote(self):
        self.put_models("w/cat.sgm", "w/sub/dog.sgm")
        for _ in range(3):
            result = self.expect(FINE, "convert", "-f", "-r", "w", "--to", "glb", "--out-dir", "w")
        self.assertIn(b"4 files: 2 converted, 2 glb already", result.stderr)
        self.assertEqual(sorted(self.tree("w")), ["cat.glb", "cat.sgm", "sub/dog.glb", "sub/dog.sgm"])

    def test_a_folder_of_outputs_is_no_input(self):
        self.put_models("w/cat.sgm")
        for _ in range(2):
            self.expect(FINE, "convert", "-f", "-r", "w", "--out-dir", "w/out")
        self.assertEqual(sorted(self.tree("w")), ["cat.sgm", "out/cat.sgm"])

    def test_what_is_named_is_not_skipped(self):
        self.put_models("a.sgm")
        self.expect(FINE, "convert", "a.sgm", "--to", "sgm", "--out-dir", "out")
        self.expect(FINE, "convert", "-r", ".", "--from", "sgm", "--to", "sgm", "--out-dir", "out2")
        self.expect(FINE, "convert", "-r", ".", "--dialect", "v2", "--to", "sgm", "--out-dir", "out3")
        for folder in ("out", "out2", "out3"):
            self.assertIn("a.sgm", self.tree(folder))

    def test_a_clash_fails_only_those_concerned(self):
        self.put_models("in/a.sgm", "in/b.sgm")
        self.put("in/a.twm", (DIALECTS / "v2.twm").read_bytes())
        result = self.expect(USAGE, "convert", "-r", "in", "--to", "glb", "--out-dir", "out")
        self.assertEqual(list(self.tree("out")), ["b.glb"])
        lines = result.stderr.decode().splitlines()
        for one, other in (("in/a.sgm", "in/a.twm"), ("in/a.twm", "in/a.sgm")):
            self.assertEqual([line for line in lines if line.startswith(f"stele: {one}: ") and f"{other} would" in line and "out/a.glb" in line
                              ], [line for line in lines if line.startswith(f"stele: {one}: ")])
        self.assertIn("3 files: 1 converted, 2 that would overwrite another", lines[-1])
        found = {d["file"]: d["status"] for d in
                 documents(self.expect(USAGE, "convert", "-f", "--json", "-r", "in", "--to", "glb", "--out-dir", "out"))}
        self.assertEqual(found, {"in/a.sgm": "clash", "in/a.twm": "clash", "in/b.sgm": "ok"})

    def test_the_summary_counts_what_happened(self):
        self.put_models("in/a.sgm", "in/b.sgm", "out/b.glb")
        self.put("in/c.sgm", GOOD.read_bytes()[:-300])
        self.put("in/d.sgm", b"hello")
        result = self.expect(UNSUPPORTED, "convert", "-r", "in", "--to", "glb", "--out-dir", "out")
        self.assertRegex(result.stderr.decode().splitlines()[-1],
                         r"^4 files: 1 converted, 1 with errors, 1 there already \(.*--update.*\), 1 unknown or unsupported; ")
        statuses = [d["status"] for d in documents(self.stele("convert", "--json", "-r", "in", "--to", "glb", "--out-dir", "out"))]
        self.assertEqual(statuses, ["exists", "exists", "findings", "unsupported"])


class Updating(BatchTest):
    """Outputs that are newer than all that they are made of stay; nobody has to know which these are."""

    def setUp(self):
        super().setUp()
        for name, source in (("a.sgm", "scribe.sgm"), ("b.sgm", "scribe.sgm"), ("scribe.sga", "scribe.sga"), ("scribe.png", "scribe.png")):
            self.put(f"in/{name}", (SAMPLES / source).read_bytes())
        for i, path in enumerate(sorted((self.folder / "in").iterdir())):
            os.utime(path, (1000 + i, 1000 + i))

    def touch(self, name):
        os.utime(self.folder / name)

    def statuses(self, *arguments, code=FINE):
        return {d["file"]: d["status"] for d in documents(self.expect(code, *arguments, "--json"))}

    def test_convert_and_render(self):
        for verb in (["convert", "--to", "glb"], ["render", "--size", "32x32"]):
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            run = [*verb, "in/a.sgm", "in/b.sgm", "--out-dir", "out", "--update"]
            with self.subTest(verb):
                self.assertEqual(set(self.statuses(*run).values()), {"ok"})
                self.assertEqual(set(self.statuses(*run).values()), {"current"})
                time.sleep(0.02)
                self.touch("in/a.sgm")
                self.assertEqual(self.statuses(*run), {"in/a.sgm": "ok", "in/b.sgm": "current"})
                time.sleep(0.02)
                next((self.folder / "out").glob("b.*")).unlink()
                self.assertEqual(self.statuses(*run), {"in/a.sgm": "current", "in/b.sgm": "ok"})
                self.assertIn(b"2 files: 0 " + {"convert": b"converted", "render": b"drawn"}[verb[0]] + b", 2 up to date", self.expect(FINE, *run).stderr)

    def test_what_goes_with_a_model(self):
        run = ["convert", "--to", "glb", "in/a.sgm", "--out-dir", "out", "--update"]
        for name in ("in/scribe.sga", "in/scribe.png"):
            with self.subTest(name):
                self.expect(FINE, *run)
                self.assertEqual(self.statuses(*run), {"in/a.sgm": "current"})
                time.sleep(0.02)
                self.touch(name)
                self.assertEqual(self.statuses(*run), {"in/a.sgm": "ok"})

    def test_a_file_beside_the_output_that_is_gone(self):
        run = ["convert", "in/a.sgm", "-o", "out.gltf", "--update"]
        self.expect(FINE, *run)
        (self.folder / "out.bin").unlink()
        self.assertEqual(self.statuses(*run), {"in/a.sgm": "ok"})
        self.assertEqual(self.statuses(*run), {"in/a.sgm": "current"})

    def test_what_cannot_be_read_is_no_reason_to_leave_it(self):
        self.put("out/a.glb", b"old")
        (self.folder / "in/a.sgm").write_bytes(GOOD.read_bytes()[:-300])
        os.utime(self.folder / "in/a.sgm", (1, 1))
        self.assertEqual(self.statuses("convert", "--to", "glb", "in/a.sgm", "--out-dir", "out", "--update", code=FINDINGS), {"in/a.sgm": "findings"})

    def test_usage(self):
        for wrong in (["convert", GOOD, "-", "--update"], ["convert", GOOD, "-o", "-", "--depfile", "d"],
                      ["render", "--sheet", GOOD, "-o", "x.png", "--update"]):
            self.expect(USAGE, *wrong)


ODD = "odd name $x #1"


class Building(BatchTest):
    """ninja and make, as they are."""

    def setUp(self):
        super().setUp()
        for name in ("plain", ODD):
            self.put(f"in/{name}.sgm", (SAMPLES / "scribe.sgm").read_bytes())
        for name in ("scribe.sga", "scribe.png"):
            self.put(f"in/{name}", (SAMPLES / name).read_bytes())
        (self.folder / "out").mkdir()

    def build(self, *command):
        result = subprocess.run(command, cwd=self.folder, capture_output=True, check=False, timeout=60, env=os.environ | {"LC_ALL": "C"})
        self.assertEqual(result.returncode, 0, result)
        return result.stdout.decode()

    def check(self, nothing, *command):
        made = [self.folder / f"out/{name}.glb" for name in ("plain", ODD)]
        self.build(*command)
        for name in ("in/scribe.sga", "in/scribe.png", "in/plain.sgm"):
            with self.subTest(name):
                self.assertIn(nothing, self.build(*command))
                before = [path.stat().st_mtime_ns for path in made]
                time.sleep(0.02)
                os.utime(self.folder / name)
                self.assertNotIn(nothing, self.build(*command))
                after = [path.stat().st_mtime_ns for path in made]
                self.assertEqual([b < a for b, a in zip(before, after)], [True, not name.endswith("sgm")])
        (self.folder / "in/scribe.png").unlink()  # what is gone stops nobody
        self.build(*command)

    def test_ninja(self):
        if not shutil.which("ninja"):
            self.skipTest("there is no ninja")
        odd = ODD.replace("$", "$$").replace(" ", "$ ")
        self.put("build.ninja", f"""rule glb
  command = {STELE} convert -q -f $in -o $out --depfile $out.d
  depfile = $out.d
build out/plain.glb: glb in/plain.sgm
build out/{odd}.glb: glb in/{odd}.sgm
""".encode())
        self.check("no work to do", "ninja")

    def test_make(self):
        odd = ODD.replace("$", "$$").replace("#", "\\#").replace(" ", "\\ ")
        self.put("Makefile", f"""all: out/plain.glb out/{odd}.glb
out/%.glb: in/%.sgm
\t{STELE} convert -q -f '$<' -o '$@' --depfile '$@.d'
-include out/plain.glb.d
-include out/{odd}.glb.d
""".encode())
        self.check("Nothing to be done", "make")

    def test_a_batch(self):
        self.expect(FINE, "convert", "-r", "in", "--to", "glb", "--out-dir", "out", "--depfile", "all.d", "--update")
        first = (self.folder / "all.d").read_text()
        self.expect(FINE, "convert", "-r", "in", "--to", "glb", "--out-dir", "out", "--depfile", "all.d", "--update")
        self.assertEqual((self.folder / "all.d").read_text(), first)
        self.assertIn("out/plain.glb: in/plain.sgm \\\n  in/scribe.png \\\n  in/scribe.sga\n", first)

    def test_only_such_a_file_is_replaced(self):
        path = self.put("model.obj", b"v 0 0 0\n")
        result = self.expect(NO_IO, "convert", "in/plain.sgm", "-o", "x.glb", "--depfile", path)
        self.assertEqual((path.read_bytes(), b"use -f" in result.stderr), (b"v 0 0 0\n", True))
        for _ in range(2):
            self.expect(FINE, "convert", "-u", "in/plain.sgm", "-o", "y.glb", "--depfile", "y.d")


class Folders(BatchTest):
    def test_pairs_by_name(self):
        self.put_models("a/same.sgm", "b/same.sgm", "a/sub/only.sgm", "b/other.sgm")
        self.put("a/changed.sgm", model_bytes())
        self.put("b/changed.sgm", model_bytes(raw=struct.pack("<18f", 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0)))
        self.put("a/format.sgm", model_bytes())
        self.expect(FINE, "convert", "a/format.sgm", "b/format.glb")
        found = {(d["file"], d.get("second")): d["status"] for d in documents(self.expect(FINDINGS, "diff", "--json", "-r", "a", "b"))}
        self.assertEqual(found, {("a/same.sgm", "b/same.sgm"): "ok", ("a/format.sgm", "b/format.glb"): "ok",
                                 ("a/changed.sgm", "b/changed.sgm"): "findings", ("a/sub/only.sgm", None): "findings",
                                 ("b/other.sgm", None): "findings"})
        result = self.expect(FINDINGS, "diff", "-r", "a", "b")
        self.assertIn(b"a/sub/only.sgm: there is no such file in the other folder", result.stderr)
        self.assertIn(b"5 files: 2 equal, 3 different", result.stderr)
        self.assertIn(b"a/changed.sgm", result.stdout)
        self.expect(FINE, "diff", "-r", "a", "a")

    def test_a_folder_and_a_file(self):
        self.put_models("a/x.sgm", "x.sgm")
        self.expect(USAGE, "diff", "-r", "a", "x.sgm")
        self.assertIn(b"-r", self.expect(NO_IO, "diff", "a", "a").stderr)


@not_on_windows("there are no signals")
class Interruptions(BatchTest):
    """At any moment: the files that are there are whole, there are no others, and it says how far it got."""
    FILES = 24

    def setUp(self):
        super().setUp()
        for i in range(self.FILES):
            for end in ("sgm", "sga", "png"):
                self.put(f"in/m{i:02}.{end}", (SAMPLES / f"scribe.{end}").read_bytes())
        self.rng = random.Random(12)

    def interrupted_runs(self, *arguments):
        start = time.monotonic()
        self.expect(FINE, *arguments)
        usual = time.monotonic() - start
        whole, stopped = self.tree("out"), 0
        for _ in range(MOMENTS):
            shutil.rmtree(self.folder / "out")
            number = self.rng.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
            process = self.start(*arguments, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
            time.sleep(self.rng.uniform(0, usual))
            process.send_signal(number)
            if self.rng.random() < 0.3:
                process.send_signal(number)  # somebody who is impatient
            _, said = process.communicate(timeout=10)
            (self.folder / "out").mkdir(exist_ok=True)
            left = self.tree("out")
            self.assertEqual({name: data for name, data in left.items() if whole.get(name) != data}, {}, "a file is not whole")
            if process.returncode in (FINE, -number):  # it came too late, or before the command was up
                continue
            self.assertEqual(process.returncode, 128 + number, said)
            last = said.decode().splitlines()[-1]
            stopped += 1
            if last == "stele: stopped":  # before any file was begun, or after the last
                self.assertIn(len(left), (0, self.FILES))
            else:
                done = int(last.removeprefix("stele: stopped after ").removesuffix(f" of {self.FILES} files"))
                self.assertLessEqual(done, len(left))
                self.assertGreaterEqual(done, len(left) - os.cpu_count())
        self.assertGreater(stopped, MOMENTS // 4)

    def test_converting(self):
        self.interrupted_runs("convert", "-r", "in", "--to", "glb", "--out-dir", "out")

    def test_drawing(self):
        self.interrupted_runs("render", "-r", "in", "--size", "96x96", "--out-dir", "out")

    def test_every_file_has_a_status(self):
        process = self.start("render", "--json", "-r", "in", "--size", "600x600", "--out-dir", "out", "-j1")
        while not any((self.folder / "out").glob("*.png")):
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=10)
        statuses = [json.loads(line)["status"] for line in out.splitlines()]
        self.assertEqual(len(statuses), self.FILES)
        self.assertEqual(set(statuses), {"ok", "stopped"})

    def test_every_verb_prints_a_document(self):
        for arguments in (["info", "-"], ["check", "-"], ["explain", "-"], ["convert", "-", "-o", "o.glb"], ["convert", "-", "-o", "-", "--to", "glb"],
                          ["diff", "-", GOOD], ["optimize", "-", "-o", "o.sgm"], ["render", "-", "-o", "o.png"], ["thumbnail", "-", "-o", "o.png"],
                          ["render", "--sheet", "-", "-o", "o.png"], ["check", "--files-from", "-"]):
            with self.subTest(arguments):
                process = self.start(*arguments, "--json", stdin=-1)
                self.wait_until_up(process.pid)
                time.sleep(0.05)  # until it waits for what does not come
                process.send_signal(signal.SIGTERM)
                process.wait(timeout=10)  # with its input still open: one that ends would be an empty file
                printed, said = process.communicate()
                self.assertEqual(process.returncode, 128 + signal.SIGTERM)
                document = json.loads((said if "-o" in arguments and "--to" in arguments else printed).splitlines()[0])
                self.assertEqual((document["command"], document["status"]), (arguments[0], "stopped"))
                self.assertIn("error", document)

    def test_verbs_that_only_read(self):
        large_model(self.folder / "large.sgm", 3 << 30)  # not done when it is stopped
        for arguments in (["check", "large.sgm"], ["check", "large.sgm", "large.sgm", "large.sgm"], ["explain", "-"], ["info", "large.sgm"]):
            with self.subTest(arguments):
                process = self.start(*arguments, "--work-limit", "0", stdin=-1)
                self.wait_until_up(process.pid)
                process.send_signal(signal.SIGINT)
                begun = time.monotonic()
                _, said = process.communicate(timeout=10)
                self.assertEqual(process.returncode, 128 + signal.SIGINT)
                self.assertIn(b"stele: stopped", said)
                self.assertLess(time.monotonic() - begun, 2)


class EveryCall(BatchTest, Traced):
    """A signal in each single call that changes files, or could: all outputs are the old ones or all are the new ones, and nothing else
    is there."""
    CALLS = "openat,write,fchmod,close,?renameat,renameat2,linkat,unlinkat,mkdirat"
    NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def runs(self, old, *arguments):
        """What a signal in the first call leaves and says, in the second, and so on, until none comes any more."""
        for which in range(1, 1000):
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            for name, data in old.items():
                self.put(f"out/{name}", data)
            (self.folder / "out").mkdir(exist_ok=True)
            number = self.NUMBERS[which % 3]
            process = self.interrupted_in(self.CALLS, which, number, *arguments)
            printed, said = process.communicate(timeout=30)
            if process.returncode == FINE:
                return
            self.assertEqual(process.returncode, 128 + number, said)
            yield self.tree("out"), said.decode().splitlines(), printed.decode().splitlines()

    def test_all_or_nothing(self):
        source = SAMPLES / "scribe.sgm"
        for arguments, names in ((["convert", "-f", "--copy-textures", source, "-o", "out/a.gltf"], ("a.gltf", "a.bin", "scribe.png")),
                                 (["render", "-f", "--size", "32", source, "-o", "out/a.png"], ("a.png",))):
            with self.subTest(arguments[0]):
                old = {name: b"old " + name.encode() for name in names}
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                (self.folder / "out").mkdir()
                self.expect(FINE, *arguments)
                new, moments = self.tree("out"), 0
                for left, said, _ in self.runs(old, *arguments):
                    moments += 1
                    self.assertTrue(left in (old, new), sorted(left))
                    self.assertEqual(said[-1], "stele: stopped")
                self.assertGreater(moments, 10)

    def test_levels_are_whole(self):
        """Each is a file of its own: those before the signal are new."""
        arguments = ["optimize", "-f", "--lod", "0.5", GOOD, "-o", "out/a.glb"]
        old = {name: b"old " + name.encode() for name in ("a.glb", "a_lod1.glb")}
        (self.folder / "out").mkdir()
        self.expect(FINE, *arguments)
        new, seen = self.tree("out"), set()
        for left, said, _ in self.runs(old, *arguments):
            self.assertEqual(sorted(left), sorted(old))
            self.assertTrue(all(data in (old[name], new[name]) for name, data in left.items()))
            self.assertTrue(left["a.glb"] == new["a.glb"] or left == old)
            self.assertEqual(said[-1], "stele: stopped")
            seen.add(left["a.glb"])
        self.assertEqual(seen, {old["a.glb"], new["a.glb"]})

    def test_it_says_how_far_it_got(self):
        self.put_models("in/a.sgm", "in/b.sgm")
        partly = 0
        for left, said, _ in self.runs({}, "convert", "--to", "glb", "--out-dir", "out", "in/a.sgm", "in/b.sgm"):
            self.assertLessEqual(set(left), {"a.glb", "b.glb"})
            if said[-1] == "stele: stopped":  # before the first, or after the last
                self.assertIn(len(left), (0, 2))
            else:
                self.assertRegex(said[-1], rf"^stele: stopped after {len(left)} of 2 files$")
                partly += 1
        self.assertGreater(partly, 5)


    def test_there_is_one_document(self):
        statuses = []
        for left, _, printed in self.runs({}, "convert", "--json", SAMPLES / "scribe.sgm", "-o", "out/a.gltf"):
            document, = map(json.loads, printed)
            statuses.append(document["status"])
            self.assertEqual("error" in document, document["status"] == "stopped")
            self.assertEqual(bool(left), document["status"] == "ok")
        self.assertEqual(statuses, sorted(statuses, reverse=True))  # stopped, until it is done
        self.assertEqual(set(statuses), {"stopped", "ok"})


class EveryFailure(BatchTest):
    """The same file and the same reason give the same code and the same words, once, in every verb."""

    def runs(self, path):
        return [[verb, path] for verb in FILE_VERBS] + [["convert", path, "-o", "out.glb"], ["diff", path, GOOD], ["diff", GOOD, path],
                ["optimize", path, "-o", "out.sgm"], ["render", path, "-o", "out.png"], ["thumbnail", path, "-o", "out.png"],
                ["render", "--sheet", path, "-o", "out.png"]]

    CONTENT = ("wrong.sgm", "old.gltf", "text.gltf")

    @staticmethod
    def nobody():
        return {"user": "nobody", "group": "nogroup"} if os.geteuid() == 0 and not WINDOWS else {}  # who has no wine

    def cases(self):
        self.put("empty.sgm", b"")
        self.put("text.sgm", b"hello, world\n")
        self.put("cut.sgm", GOOD.read_bytes()[:-300])
        self.put("future.sgm", GOOD.read_bytes()[:4] + b"\x09" + GOOD.read_bytes()[5:])
        self.put("wrong.sgm", model_bytes(indices=(0, 1, 9)))
        self.put("old.gltf", b'{"asset":{"version":"1.0"}}')
        self.put("text.gltf", b'{"asset":{"version":"2.0"}')
        self.put("secret.sgm", GOOD.read_bytes()).chmod(0)
        (self.folder / "folder.sgm").mkdir()
        self.folder.chmod(0o777)  # root may read everything: somebody else tries
        secret = {} if WINDOWS else {"secret.sgm": (NO_IO, "Permission denied")}  # wine runs as root
        return secret | {"wrong.sgm": (FINDINGS, "is 9, but there are only 3 vertices"), "old.gltf": (UNSUPPORTED, "only glTF 2.0"),
                "text.gltf": (FINDINGS, "ends too early"), "missing.sgm": (NO_IO, "No such file"), "folder.sgm": (NO_IO, "folder"),
                "empty.sgm": (UNSUPPORTED, "the file is empty"), "text.sgm": (UNSUPPORTED, "starts with"), "cut.sgm": (FINDINGS, "are left"),
                "future.sgm": (UNSUPPORTED, "version")}

    def test_one_code_and_one_message(self):
        for name, (code, words) in self.cases().items():
            for arguments in self.runs(name):
                if code in (FINDINGS, UNSUPPORTED) and name in self.CONTENT and arguments[0] == "explain":
                    continue  # which only goes by the structure
                with self.subTest(arguments):
                    result = self.expect(code, *arguments, **self.nobody())
                    text = (result.stdout + result.stderr).decode()
                    said = [line for line in text.splitlines() if words in line and ("error" in line or "stele: " in line)
                            and "gap" not in line]
                    self.assertEqual(len(said), 1, text)
                    self.assertIn(name, said[0])
                    made = list(self.folder.glob("out.*"))
                    self.assertEqual(len(made), "--sheet" in arguments and name != "folder.sgm")  # which shows that it failed
                    for path in made:
                        path.unlink()

    def test_outputs_that_cannot_be_written(self):
        self.put("file", b"")
        for arguments in (["convert", GOOD, "-o"], ["render", GOOD, "-o"], ["thumbnail", GOOD, "-o"], ["render", "--sheet", GOOD, "-o"]):
            for where in ("nowhere", "file"):
                output = f"{where}/out.{'glb' if arguments[0] == 'convert' else 'png'}"
                with self.subTest(arguments, output=output):
                    result = self.expect(NO_IO, *arguments, output)
                    self.assertEqual(result.stderr.count(b"\n"), 1, result.stderr)
                    self.assertIn(output.encode(), result.stderr)
                    self.assertEqual(b"there is no folder nowhere\n" in result.stderr, where == "nowhere" and arguments[0] != "thumbnail",
                                     result.stderr)

    def test_a_file_that_is_given_twice(self):
        self.put("a.sgm", GOOD.read_bytes())
        result = self.expect(USAGE, "convert", "a.sgm", "a.sgm", "--to", "glb", "--out-dir", "out")
        self.assertEqual(result.stderr.count(b"a.sgm: not converted: it is given twice\n"), 2)

    def test_json_always_prints_a_document(self):
        runs = [run for name in self.cases() for run in self.runs(name)]
        runs += [run for run in self.runs(GOOD)]
        self.put("there.glb", b"")
        runs += [["convert", GOOD, "-o", "there.glb"], ["optimize", GOOD, "-o", "nowhere/a.sgm"], ["optimize", GOOD],
                 ["view", "missing.sgm", "--export", "a.html"], ["view", GOOD, "-o", "nowhere/a.html"], ["view", GOOD, "-o", "there.glb"],
                 ["view", "--terminal", GOOD], ["burn"], ["check"], ["check", "--burn"], ["convert", GOOD], ["convert", GOOD, "-o", "x.doc"], ["diff", GOOD],
                 ["info", "--format", "x", GOOD], ["explain", "--at", "99999999", GOOD], ["render", GOOD, "-o", "a.png", "--clip", "nothing"],
                 ["check", "--memory-limit", "100", GOOD], ["check", "-r", "folder.sgm"], ["convert", GOOD, "-o", "y.glb", "--pose", "no@1"],
                 ["check", "--target", "tetris", GOOD], ["formats", "x"], ["convert", GOOD, "-o", "z.sgm", "-d", "v9"],
                 ["render", GOOD, "-o", "nowhere/a.png"], ["convert", GOOD, "-o", "nowhere/a.glb"], ["thumbnail", GOOD, "-o", "nowhere/a.png"],
                 ["thumbnail", "-", "-o", "a.png", "--time-limit", "1"], ["diff", "-r", "folder.sgm", "folder.sgm"]]
        for arguments in runs:
            with self.subTest(arguments):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                for made in self.folder.glob("out.*"):
                    made.unlink()
                process = self.start(*arguments, "--json", stdin=-1, **self.nobody())
                if "--time-limit" in arguments:
                    process.wait(20)  # nothing comes
                out, _ = process.communicate(timeout=30)
                lines = out.splitlines()
                self.assertGreaterEqual(len(lines), 1)
                last = json.loads(lines[-1])
                self.assertEqual((last["schema"], last["command"]), (1, arguments[0]))
                words = {FINE: "ok", FINDINGS: "findings", USAGE: "usage", NO_IO: "io", UNSUPPORTED: "unsupported"}
                exists = "there.glb" in arguments and process.returncode == NO_IO
                self.assertEqual(last["status"], "exists" if exists else words[process.returncode])
                self.assertEqual("error" in last, process.returncode != FINE)


if __name__ == "__main__":
    if not shutil.which(STELE):
        raise SystemExit(f"there is no {STELE}")
    unittest.main()
