"""docs/json.md against what the command really prints: every key that a document has is described, and every key that is described
can be seen.

STELE names the binary (default: build/stele).
"""
import json
import re
import shutil
import unittest
from pathlib import Path

from test_cli import DIALECTS, GOOD, SAMPLES, CliTest, model_bytes

PAGE = Path(__file__).resolve().parent.parent / "docs" / "json.md"
VERBS = ("formats", "info", "check", "explain", "convert", "diff", "optimize", "render", "thumbnail", "view")


def sections():
    """The text of the page by its headings; what comes before the first verb is for all."""
    parts = re.split(r"^## (\w+)$", PAGE.read_text(), flags=re.M)
    return {"": parts[0]} | dict(zip(parts[1::2], parts[2::2]))


def keys(value):
    if isinstance(value, dict):
        for key, inside in value.items():
            yield key
            yield from keys(inside)
    elif isinstance(value, list):
        for inside in value:
            yield from keys(inside)


class Page(CliTest):
    def runs(self):
        cut = self.put("cut.sgm", GOOD.read_bytes()[:-300])
        other = self.put("other.sgm", model_bytes(b"gone.png"))
        self.put("a/x.sgm", GOOD.read_bytes())
        self.put("b/y.sgm", GOOD.read_bytes())
        scribe = SAMPLES / "scribe.sgm"
        files = [GOOD, scribe, cut, other, "missing.sgm", self.put("a.txt", b"hello"), *sorted(DIALECTS.glob("*.twm")), DIALECTS / "v1.sga",
                 DIALECTS / "2.0.glb", DIALECTS / "plain.obj", DIALECTS / "B2.mesh", DIALECTS / "v11.ctc"]
        return {"formats": [[], ["x"]], "info": [files, ["--burn"]], "check": [files, ["--ids"], []],
                "explain": [files, [scribe, "--at", "400"], [scribe, "--at", "20"], [scribe, "--at", "99999999"]],
                "convert": [[scribe, "-o", "out.glb"], [scribe, "-o", "out.glb"], [scribe, "-o", "out.gltf"], [cut, "-o", "c.glb"],
                            ["-r", "a", "b", "--to", "sgm", "--out-dir", "o"], [scribe, "-o", "out.glb", "-u"], [scribe, "-o", "x.obj", "--strict"]],
                "optimize": [[scribe, "-o", "small.sgm", "--lod", "0.5"], [scribe, "--dry-run"], [cut, "-o", "c.sgm"], ["missing.sgm", "-o", "c.sgm"],
                             [scribe, "-o", "small.sgm"]],
                "view": [[scribe, "--export", "page.html"], [scribe, "--export", "page.html"], ["missing.sgm", "--export", "x.html"]],
                "diff": [[GOOD, scribe], [GOOD, GOOD], [cut, GOOD], [GOOD, "missing"], ["-r", "a", "b"]],
                "render": [[scribe, "-o", "out.png", "--size", "32"], [cut, "-o", "c.png"], [scribe, "--sheet", "-o", "out.png"]],
                "thumbnail": [[scribe, "thumb.png"], [cut, "c.png"], ["missing", "c.png"]]}

    def documents(self, verb, arguments):
        return [json.loads(line) for line in self.stele(verb, "--json", *arguments).stdout.splitlines()]

    def test_keys(self):
        text = sections()
        shared = set(re.findall(r"`([a-z_]+)`", text[""] + text["status"] + text["diagnostics"]))
        for verb, runs in self.runs().items():
            with self.subTest(verb):
                described = set(re.findall(r"`([a-z_]+)`", text[verb]))
                seen = {key for arguments in runs for document in self.documents(verb, arguments) for key in keys(document)}
                self.assertEqual(seen - described - shared, set(), "not on the page")
                rows = {key for row in re.findall(r"^\| (`[^|]*) \|", text[verb], flags=re.M) for key in re.findall(r"`([a-z_]+)`", row)}
                self.assertEqual(rows - seen, set(), "on the page, and never seen")

    def test_status(self):
        described = dict(re.findall(r"^\| `(\w+)` \| ([0-9, ]+) \|", sections()["status"], flags=re.M))
        seen = {}
        for verb, runs in self.runs().items():
            for arguments in runs:
                result = self.stele(verb, "--json", *arguments)
                lines = [json.loads(line) for line in result.stdout.splitlines()]
                if len(lines) == 1 and "status" in lines[0]:
                    seen[lines[0]["status"]] = result.returncode
                for line in lines:
                    self.assertIn(line.get("status", "ok"), described)
        for status, code in seen.items():
            self.assertIn(str(code), described[status].split(", "), status)
        self.assertGreaterEqual(set(seen), {"ok", "findings", "usage", "io", "exists", "current"})

    def test_every_verb_has_its_part(self):
        self.assertGreaterEqual(set(sections()), set(VERBS))


if __name__ == "__main__":
    unittest.main()
