#!/usr/bin/env python3
"""Stele for JavaScript: tests/wasm_api.mjs in node and in Deno, beside the command. `make wasm` builds it."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("STELE_BUILD", ROOT / "build"))
STELE = os.environ.get("STELE", str(BUILD / "stele"))
DENO = ROOT / "tests/npm/node_modules/.bin/deno"


@unittest.skipUnless((BUILD / "wasm/stele.wasm").exists(), "build/wasm is not there: make wasm")
class WebAssembly(unittest.TestCase):
    def passes(self, *command, **environment):
        run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=os.environ | environment, check=False)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout

    def test_api(self):
        self.passes("node", "--expose-gc", "--test-reporter=tap", "tests/wasm_api.mjs", str(BUILD / "wasm"), STELE)

    @unittest.skipUnless(DENO.exists(), "Deno is not in tests/npm/node_modules")
    def test_api_in_deno(self):
        with tempfile.TemporaryDirectory() as cache:
            said = self.passes(str(DENO), "test", "--quiet", "--allow-all", "--no-check", "--v8-flags=--expose-gc", "tests/wasm_api.mjs", "--",
                               str(BUILD / "wasm"), STELE, DENO_DIR=cache, DENO_NO_UPDATE_CHECK="1", NO_COLOR="1")
        self.assertRegex(said, r"(?m)^ok \| \d\d passed \| 0 failed")

    def test_package(self):
        listed = subprocess.run(["npm", "pack", "--dry-run", "--json"], cwd=BUILD / "wasm", capture_output=True, text=True, check=True)
        for name in ("stele.wasm", "stele.mjs", "stele.d.ts", "README.md", "LICENSE", "NOTICES", "manifest", "package.json"):
            self.assertIn(f'"path": "{name}"', listed.stdout)


if __name__ == "__main__":
    unittest.main()
