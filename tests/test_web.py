#!/usr/bin/env python3
"""The page that shows a model and its bytes, and `stele view`: web/test.mjs in a real browser; and that web/dist is what npm makes
of web/src."""
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("STELE_BUILD", ROOT / "build"))
STELE = os.environ.get("STELE", str(BUILD / "stele"))


class Web(unittest.TestCase):
    def test_bundle_is_fresh(self):
        with tempfile.TemporaryDirectory() as folder:
            made = pathlib.Path(folder) / "page.html"
            subprocess.run(["node", "web/build.mjs", str(made)], cwd=ROOT, check=True)
            self.assertEqual(made.read_bytes(), (ROOT / "web/dist/page.html").read_bytes(), "run make bundle, and commit it")

    def test_in_a_browser(self):
        run = subprocess.run(["node", "--test", "web/test.mjs"], cwd=ROOT, env={**os.environ, "STELE": STELE}, capture_output=True,
                             text=True)
        self.assertEqual(run.returncode, 0, run.stdout[-8000:] + run.stderr[-2000:])


if __name__ == "__main__":
    unittest.main()
