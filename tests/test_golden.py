#!/usr/bin/env python3
"""The explanation of every small sample, compared with the one kept in tests/golden. The dump is the test: a field that moves,
changes its name or is no longer claimed shows up as a difference. `tests/test_golden.py --update` rewrites them."""
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STELE = os.environ.get("STELE", str(ROOT / "build" / "stele"))
FOLDERS = [ROOT / "samples" / name for name in ("dialects", "gaps")]
GOLDEN = ROOT / "tests" / "golden"


def models():
    listed = subprocess.run([STELE, "formats", "--json"], capture_output=True, check=True, text=True).stdout
    endings = {"." + e for f in json.loads(listed)["formats"] for e in f["extensions"]}
    return sorted(p for folder in FOLDERS for p in folder.iterdir() if p.suffix in endings)


def explain(path):
    return subprocess.run([STELE, "explain", path.name], cwd=path.parent, capture_output=True, check=True, text=True).stdout


class Golden(unittest.TestCase):
    def test_explanations(self):
        for path in models():
            with self.subTest(path.name):
                kept = GOLDEN / (path.name + ".txt")
                self.assertTrue(kept.exists(), "run tests/test_golden.py --update and look at the new file")
                self.assertEqual(explain(path), kept.read_text())

    def test_nothing_is_left_over(self):
        self.assertEqual({p.name + ".txt" for p in models()}, {p.name for p in GOLDEN.iterdir()} - {"pictures.txt"})


def update():
    GOLDEN.mkdir(exist_ok=True)
    for path in models():
        (GOLDEN / (path.name + ".txt")).write_text(explain(path))
        print("wrote", path.name)


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update()
    else:
        unittest.main()
