#!/usr/bin/env python3
"""Stele for JavaScript: tests/wasm_api.mjs in node, beside the command. `make wasm` builds it."""
import os
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("STELE_BUILD", ROOT / "build"))
STELE = os.environ.get("STELE", str(BUILD / "stele"))


@unittest.skipUnless((BUILD / "wasm/stele.wasm").exists(), "build/wasm is not there: make wasm")
class WebAssembly(unittest.TestCase):
    def test_api(self):
        run = subprocess.run(["node", "--expose-gc", "--test-reporter=tap", str(ROOT / "tests/wasm_api.mjs"), str(BUILD / "wasm"), STELE],
                             capture_output=True, text=True, cwd=ROOT)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_package(self):
        listed = subprocess.run(["npm", "pack", "--dry-run", "--json"], cwd=BUILD / "wasm", capture_output=True, text=True, check=True)
        for name in ("stele.wasm", "stele.mjs", "stele.d.ts", "README.md", "LICENSE", "NOTICES", "manifest", "package.json"):
            self.assertIn(f'"path": "{name}"', listed.stdout)


if __name__ == "__main__":
    unittest.main()
