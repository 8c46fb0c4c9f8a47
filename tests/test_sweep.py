#!/usr/bin/env python3
"""The same bytes everywhere: all that Stele makes of a file (tests/sweep.c), here and in WebAssembly, compared by hashes."""
import os
import subprocess
import unittest
from pathlib import Path

from corpus import CORPUS

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("STELE_BUILD", ROOT / "build"))
SWEEP = BUILD / "wasm-build/sweep.wasm"
FORMATS = {".twm", ".sgm", ".sga", ".mesh", ".sff", ".ctc", ".glb", ".gltf", ".obj"}
EACH = 8  # of the corpus; all of it takes minutes


def files(*folders):
    return sorted(os.path.relpath(p, ROOT) for folder in folders for p in Path(folder).rglob("*") if p.suffix in FORMATS and p.is_file())


@unittest.skipUnless(SWEEP.exists(), "build/wasm-build is not there: make wasm")
class Everywhere(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        subprocess.run(["cmake", "--build", str(BUILD), "--target", "sweep"], check=True, capture_output=True)

    def sweep(self, *command, listed):
        run = subprocess.run(command, input="\n".join(listed) + "\n", capture_output=True, text=True, cwd=ROOT)
        self.assertEqual(run.returncode, 0, run.stderr)
        return set(run.stdout.splitlines())

    def compare(self, listed):
        here = self.sweep(str(BUILD / "sweep"), listed=listed)
        self.assertGreater(len(here), 10 * len(listed))
        self.assertEqual(here ^ self.sweep("node", "tests/sweep.mjs", str(SWEEP), listed=listed), set())

    def test_samples(self):
        self.compare(files(ROOT / "samples", ROOT / "fuzz/seeds"))

    @unittest.skipUnless(CORPUS.is_dir(), "there is no corpus")
    def test_corpus(self):
        # files made to pass limits end where memory ends, which counts pointers: sooner where these are larger
        self.compare([name for name in files(CORPUS) if "/hostile/" not in name][::EACH])


if __name__ == "__main__":
    unittest.main()
