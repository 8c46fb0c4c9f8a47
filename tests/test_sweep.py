#!/usr/bin/env python3
"""The same bytes everywhere (tests/sweeping.py): here and in WebAssembly. `make check-portable` does it for all other machines."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from corpus import CORPUS
from sweeping import OURS, ROOT, corpus, models, sweep

BUILD = Path(os.environ.get("STELE_BUILD", ROOT / "build"))
SWEEP = BUILD / "wasm-build/sweep.wasm"
EACH = 8  # of the corpus; all of it takes minutes


@unittest.skipUnless(SWEEP.exists(), "build/wasm-build is not there: make wasm")
class Everywhere(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        subprocess.run(["cmake", "--build", str(BUILD), "--target", "sweep"], check=True, capture_output=True)

    def compare(self, listed):
        with tempfile.TemporaryDirectory(dir=BUILD) as folder:
            here = set(sweep([BUILD / "sweep"], listed, folder))
            self.assertGreater(len(here), 10 * len(listed))
            self.assertEqual(here ^ set(sweep(["node", ROOT / "tests/sweep.mjs", SWEEP], listed, folder)), set())

    def test_samples(self):
        self.compare(models(*OURS))

    @unittest.skipUnless(CORPUS.is_dir(), "there is no corpus")
    def test_corpus(self):
        self.compare(corpus()[::EACH])


if __name__ == "__main__":
    unittest.main()
