#!/usr/bin/env python3
"""The parts of a release (build/dist, by tools/dist.sh, which calls this): each is taken as its users take it, and used."""
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "build/dist"
SAMPLE = ROOT / "samples/scribe.sgm"
VERSION = re.search(r'#define STELE_VERSION "(.*)"', (ROOT / "include/stele.h").read_text())[1]
NAME = f"stele-{VERSION}"
EXAMPLE = re.search(r"#include <stdio\.h>.*?^\}", (ROOT / "README.md").read_text(), re.S | re.M)[0]
SAID = "mesh 0: 3396 triangles"
LIBRARIES = re.search(r"libstele\.a((?: -l\w+)+)$", (ROOT / "README.md").read_text(), re.M)[1].split()


def run(*command, **options):
    done = subprocess.run([os.fspath(word) for word in command], capture_output=True, text=True, check=False, **options)
    if done.returncode:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


class Part(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def unpack(self, archive):
        """Into the folder; nothing in it may name the place that it was built in."""
        if archive.endswith(".deb"):
            run("dpkg-deb", "-x", DIST / archive, self.folder)
        elif archive.endswith(".zip"):
            run("unzip", "-q", DIST / archive, "-d", self.folder)
        else:
            run("tar", "-xzf", DIST / archive, "-C", self.folder)
        for path in self.folder.rglob("*"):
            if path.is_file():
                self.assertNotIn(str(ROOT).encode(), path.read_bytes(), path.name)
        return self.folder / archive.removesuffix(".tar.gz").removesuffix(".zip")

    def compile(self, *words):
        (self.folder / "example.c").write_text(EXAMPLE)
        run("cc", "-std=c11", "-D_GNU_SOURCE", "example.c", *words, "-o", "example", cwd=self.folder)

    def command_works(self, command):
        self.assertEqual(run(command, "--version").splitlines()[0], f"stele {VERSION}")
        run(command, "convert", SAMPLE, self.folder / "out.glb")
        run(command, "view", SAMPLE, "--export", self.folder / "page.html")  # the page is in it
        self.assertEqual((self.folder / "out.glb").read_bytes()[:4], b"glTF")


class Parts(Part):
    def test_checksums(self):
        listed = dict(reversed(line.split("  ")) for line in (DIST / "SHA256SUMS").read_text().splitlines())
        there = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in DIST.iterdir() if p.name != "SHA256SUMS"}
        self.assertEqual(listed, there)
        self.assertEqual(set(there), {f"{NAME}.tar.gz", f"{NAME}-amalgamation.zip", f"{NAME}-linux-x86_64.tar.gz", f"{NAME}-blender.zip",
                                      f"{NAME}-windows-x86_64.zip", f"stele-models-{VERSION}.tgz", f"stele_{VERSION}-1_amd64.deb",
                                      f"libstele0_{VERSION}-1_amd64.deb", f"libstele-dev_{VERSION}-1_amd64.deb"})

    def test_source(self):
        folder = self.unpack(f"{NAME}.tar.gz")
        names = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if not p.is_dir()}
        self.assertEqual(names, set(run("git", "-c", "core.quotePath=off", "ls-tree", "-r", "--name-only", "HEAD", cwd=ROOT).splitlines()))

    def test_amalgamation(self):
        folder = self.unpack(f"{NAME}-amalgamation.zip")
        self.compile("-w", f"-I{folder}", folder / "stele.c", "-lm")
        self.assertIn(SAID, run(self.folder / "example", SAMPLE))

    def test_linux(self):
        folder = self.unpack(f"{NAME}-linux-x86_64.tar.gz")
        self.command_works(folder / "bin/stele")
        self.assertNotIn("NEEDED", run("readelf", "-d", folder / "bin/stele"))
        for name in ("man/man1/stele.1", "man/man1/stele-view.1", "bash-completion/completions/stele", "doc/stele/LICENSE", "doc/stele/NOTICES"):
            self.assertTrue((folder / "share" / name).exists(), name)

    def test_windows(self):
        folder = self.unpack(f"{NAME}-windows-x86_64.zip")
        names = {"stele.exe", "stele.dll", "libstele.dll.a", "stele.h", "LICENSE", "NOTICES", "README.md", "CHANGELOG.md", "manifest"}
        self.assertEqual({p.name for p in folder.iterdir()}, names)
        needed = re.findall(r"DLL Name: (\S+)", run("x86_64-w64-mingw32-objdump", "-p", folder / "stele.exe"))
        self.assertLessEqual({name.lower() for name in needed}, {"kernel32.dll", "msvcrt.dll", "shell32.dll", "ws2_32.dll", "advapi32.dll"})

    def test_npm(self):
        (self.folder / "package.json").write_text('{"type": "module"}')
        run("npm", "install", "--offline", "--silent", "--no-audit", DIST / f"stele-models-{VERSION}.tgz", cwd=self.folder)
        (self.folder / "use.mjs").write_text(
            "import fs from 'node:fs'; import { load } from 'stele-models';\n"
            "const stele = await load(), file = stele.open(fs.readFileSync(process.argv[2]), { name: 'scribe.sgm' });\n"
            "console.log(stele.version, file.info().meshes[0].triangles, file.convert('glb').length > 1000);\n")
        self.assertEqual(run("node", "use.mjs", SAMPLE, cwd=self.folder), f"{VERSION} 3396 true\n")

    def test_debian(self):
        for name in ("stele", "libstele0", "libstele-dev"):
            self.unpack(f"{name}_{VERSION}-1_amd64.deb")
        library = next(self.folder.glob("usr/lib/*/libstele.so")).parent
        self.command_works(self.folder / "usr/bin/stele")
        self.assertIn("fbx", run(self.folder / "usr/bin/stele", "formats"))  # the importer is found
        self.compile(f"-I{self.folder}/usr/include", f"-L{library}", "-lstele")
        self.assertIn(SAID, run(self.folder / "example", SAMPLE, env={**os.environ, "LD_LIBRARY_PATH": str(library)}))
        self.compile(f"-I{self.folder}/usr/include", library / "libstele.a", *LIBRARIES)
        self.assertIn(SAID, run(self.folder / "example", SAMPLE))
        field = lambda name: run("dpkg-deb", "-f", DIST / f"stele_{VERSION}-1_amd64.deb", name)
        self.assertNotIn("assimp", field("Depends"))
        self.assertIn("libpng16-16", field("Depends"))
        self.assertIn("assimp", field("Recommends"))

    def test_blender(self):
        self.unpack(f"{NAME}-blender.zip")
        for platform, archive, path in (("linux-x86_64/stele", f"{NAME}-linux-x86_64.tar.gz", "bin/stele"),
                                        ("windows-x86_64/stele.exe", f"{NAME}-windows-x86_64.zip", "stele.exe")):
            self.assertEqual((self.folder / "io_stele/bin" / platform).read_bytes(), (self.unpack(archive) / path).read_bytes())


if __name__ == "__main__":
    unittest.main()
