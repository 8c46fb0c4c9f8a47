#!/usr/bin/env python3
"""What `make install` puts where: a system that takes it must know our files by their content, and programs must be able to
build with the library."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "samples"
STELE = os.environ.get("STELE", str(ROOT / "build" / "stele"))
SYSTEM = Path("/usr/share")
TYPES = {"glb": "model/gltf-binary", "gltf": "model/gltf+json", "obj": "model/obj"}  # what every system knows, and ours
TYPES |= {glob[2:]: kind for kind, glob in re.findall(r'<mime-type type="([^"]+)".*?<glob pattern="([^"]+)"',
                                                      (ROOT / "data/stele.xml").read_text(), re.S)}
SGML = {"docbook.sgm": '<!DOCTYPE book PUBLIC "-//OASIS//DTD DocBook V3.1//EN">\n<book><title>Clay</title></book>\n',
        "manual.sgm": '<!doctype refentry PUBLIC "-//OASIS//DTD DocBook V3.1//EN">\n<refentry id="stele">\n',
        "linuxdoc.sgm": "<!doctype linuxdoc system>\n<article><title>Clay</title><p>Wet it first.</article>\n",
        "plain.sgm": "What scribes write.\n"}


def missing(*programs):
    """Why a test cannot be run here, or None."""
    gone = [name for name in programs if not shutil.which(name)]
    return f"there is no {' and no '.join(gone)} here" if gone else None


def run(*command, **options):
    done = subprocess.run([os.fspath(word) for word in command], capture_output=True, text=True, timeout=300, check=False, **options)
    if done.returncode:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def install(folder):
    """Into a folder as a package would be made; returns where /usr is in it."""
    run("make", "-C", ROOT, "install", "PREFIX=/usr", f"DESTDIR={folder}")
    return Path(folder) / "usr"


def setUpModule():
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    Installed.usr = install(folder.name)
    Installed.share = Installed.usr / "share"


class Installed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class Files(Installed):
    def test_all_are_there(self):
        found = {str(p.relative_to(self.usr)) for p in self.usr.rglob("*") if not p.is_dir()}
        version = run(STELE, "--version").split()[1]
        found.discard("libexec/stele/stele-import")  # where there is Assimp
        pages = {f"share/man/man1/stele-{line.split()[0]}.1" for line in
                 run(STELE, "--help").split("Commands:\n")[1].split("\n\n")[0].splitlines()}
        completions = {"share/bash-completion/completions/stele", "share/zsh/site-functions/_stele",
                       "share/fish/vendor_completions.d/stele.fish"}
        self.assertLessEqual(pages | completions, found)
        found -= pages | completions
        self.assertEqual(found, {"bin/stele", "include/stele.h", "lib/libstele.a", "lib/libstele.so", "lib/libstele.so.0",
                                 f"lib/libstele.so.{version}", "lib/pkgconfig/stele.pc", "share/man/man1/stele.1",
                                 "lib/cmake/stele/stele-config.cmake", "lib/cmake/stele/stele-config-version.cmake",
                                 "lib/cmake/stele/stele-dependencies.cmake",
                                 "lib/cmake/stele/stele-targets.cmake", "lib/cmake/stele/stele-targets-release.cmake",
                                 "share/mime/packages/stele.xml", "share/thumbnailers/stele.thumbnailer"})

    def test_nothing_of_the_building_place_is_in_them(self):
        for name in ("lib/pkgconfig/stele.pc", "share/thumbnailers/stele.thumbnailer", "share/mime/packages/stele.xml"):
            text = (self.usr / name).read_text()
            self.assertNotIn(str(ROOT), text)
            self.assertNotIn(str(self.usr), text)

    def test_the_command_runs(self):
        self.assertEqual(run(self.usr / "bin/stele", "--version"), run(STELE, "--version"))

    @unittest.skipUnless((Path(STELE).parent / "stele-import").exists(), "stele-import is not built")
    def test_the_command_finds_the_importer(self):
        self.assertIn("fbx", run(self.usr / "bin/stele", "formats"))

    def test_prefix(self):
        """Without DESTDIR the prefix is the place itself, and the MIME database there is made if anybody looks for it there."""
        for searched in (False, True):
            environment = os.environ | {"XDG_DATA_DIRS": f"/usr/share:{self.folder}/own/share"} if searched else None
            run("make", "-C", ROOT, "install", f"PREFIX={self.folder}/own", env=environment)
            self.assertTrue((self.folder / "own/bin/stele").exists())
            if not missing("update-mime-database"):
                self.assertEqual((self.folder / "own/share/mime/mime.cache").exists(), searched)

    def test_manual_page_lists_every_command(self):
        page = (self.share / "man/man1/stele.1").read_text()
        commands = [line.split()[0] for line in run(STELE, "--help").split("Commands:\n")[1].split("\n\n")[0].splitlines()]
        for command in commands:
            self.assertIn(f".TP\n.B {command}\n", page)

    @unittest.skipIf(missing("man"), "there is no man here")
    def test_manual_page_is_well_formed(self):
        done = subprocess.run(["man", "--warnings", "-l", self.share / "man/man1/stele.1"], capture_output=True, text=True, check=True,
                              env=os.environ | {"MANPAGER": "cat", "LC_ALL": "C.UTF-8"})
        self.assertEqual(done.stderr, "")


@unittest.skipIf(missing("pkg-config", "cc"), missing("pkg-config", "cc"))
class Library(Installed):
    PROGRAM = """
#include <stele.h>
#include <stdio.h>

int main(int count, char **words)
{
    stele_file *file = stele_open(words[count - 1], NULL);
    const stele_model *model = stele_file_model(file);
    if (model)
        printf("%zu clips\\n", (size_t)model->clip_count);
    stele_close(file);
    return !model;
}
"""

    def build(self, *options):
        flags = run("pkg-config", "--cflags", "--libs", *options, "stele",
                    env=os.environ | {"PKG_CONFIG_PATH": str(self.usr / "lib/pkgconfig")}).split()
        (self.folder / "reader.c").write_text(self.PROGRAM)
        run("cc", "-Wall", "-Werror", *("-static" for o in options if o == "--static"), "reader.c", "-o", "reader", *flags,
            cwd=self.folder)
        return self.folder / "reader"

    def test_shared(self):
        program = self.build()
        said = run(program, SAMPLES / "scribe.sgm", env=os.environ | {"LD_LIBRARY_PATH": str(self.usr / "lib")})
        self.assertEqual(said, "3 clips\n")

    def test_static(self):
        self.assertEqual(run(self.build("--static"), SAMPLES / "scribe.sgm"), "3 clips\n")


class Entry(Installed):
    def setUp(self):
        super().setUp()
        lines = (self.share / "thumbnailers/stele.thumbnailer").read_text().splitlines()
        self.assertEqual(lines[0], "[Thumbnailer Entry]")
        self.entry = dict(line.split("=", 1) for line in lines[1:])

    def test_names_the_type_of_every_format(self):
        formats = json.loads(run(STELE, "formats", "--json"))["formats"]
        self.assertEqual(self.entry["MimeType"].rstrip(";").split(";"), [TYPES[f["name"]] for f in formats])

    def test_the_command_in_it_works(self):
        words = {"%s": "64", "%i": str(SAMPLES / "scribe.sgm"), "%o": str(self.folder / "out.png")}
        path = os.environ | {"PATH": f"{self.usr}/bin:{os.environ['PATH']}"}
        self.assertEqual(shutil.which(self.entry["TryExec"], path=path["PATH"]), str(self.usr / "bin/stele"))
        command = [words.get(word, word) for word in self.entry["Exec"].split()]
        self.assertEqual(command[0], self.entry["TryExec"])
        self.assertIn("--time-limit", command)
        run(*command, env=path)
        self.assertEqual((self.folder / "out.png").read_bytes()[16:24], bytes((0, 0, 0, 64, 0, 0, 0, 64)))


@unittest.skipIf(missing("update-mime-database", "gio"), missing("update-mime-database", "gio"))
class Types(Installed):
    """With our database before that of the system, behind it, and in one with it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        alone, together = Path(folder.name, "alone"), Path(folder.name, "together")
        for place in (alone, together):
            shutil.copytree(cls.share / "mime", place / "mime")
        shutil.copytree(SYSTEM / "mime/packages", together / "mime/packages", dirs_exist_ok=True)
        cls.places = [f"{alone}:{SYSTEM}", f"{SYSTEM}:{alone}", str(together)]
        for place in (alone, together):
            environment = os.environ | {"XDG_DATA_DIRS": str(place)}  # otherwise it advises to set this
            done = subprocess.run(["update-mime-database", place / "mime"], capture_output=True, text=True, check=True, env=environment)
            if place == alone and done.stderr:
                raise AssertionError(done.stderr)

    def each_place(self, paths):
        """{path: type}, once for each arrangement."""
        for place in self.places:
            environment = os.environ | {"XDG_DATA_DIRS": place, "XDG_DATA_HOME": str(self.folder / "none")}
            said = run("gio", "info", "-a", "standard::content-type", *paths, env=environment)
            types = [line.split()[-1] for line in said.splitlines() if "standard::content-type:" in line]
            yield place, dict(zip(paths, types, strict=True))

    def test_samples(self):
        models = [p for p in sorted(SAMPLES.rglob("*.*")) if p.suffix[1:] in TYPES]
        self.assertGreater(len(models), 40)
        for place, types in self.each_place(models):
            for path, found in types.items():
                with self.subTest(path.name, place=place):
                    self.assertEqual(found, TYPES[path.suffix[1:]])

    def test_content_is_enough_where_there_is_a_magic(self):
        bare = {}
        for path in ("scribe.sgm", "scribe.sga", "dialects/v0a.sgm", "dialects/v1b.sgm", "dialects/v0.twm", "dialects/v3.twm", "dialects/v8.ctc"):
            bare[self.folder / path.replace("/", "-").replace(".", "-")] = TYPES[path[-3:]]
            shutil.copy(SAMPLES / path, self.folder / path.replace("/", "-").replace(".", "-"))
        for place, types in self.each_place(list(bare)):
            with self.subTest(place=place):
                self.assertEqual(types, bare)

    def test_a_text_stays_a_text(self):
        for name, text in SGML.items():
            (self.folder / name).write_text(text)
        for place, types in self.each_place([self.folder / name for name in SGML]):
            for path, found in types.items():
                with self.subTest(path.name, place=place):
                    self.assertEqual(found, "text/sgml")


if __name__ == "__main__":
    unittest.main()
