#!/usr/bin/env python3
"""Pages that speak of the code, and pages that show commands and what they print: "    $ stele ..." and the lines below it, in which "..." stands for any lines."""
import os
import re
import shlex
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STELE = os.environ.get("STELE", str(ROOT / "build" / "stele"))
PAGES = ["inspecting.md"]


def transcripts(page):
    """(command, expected lines) of each."""
    lines = (ROOT / "docs" / page).read_text().splitlines()
    for at, line in enumerate(lines):
        if line.startswith("    $ stele "):
            end = at + 1
            while end < len(lines) and lines[end].startswith("    ") and not lines[end].startswith("    $ "):
                end += 1
            yield line[6:], [text[4:].rstrip() for text in lines[at + 1:end]]


def pattern_of(expected):
    return "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in expected)


class Architecture(unittest.TestCase):
    def test_journeys_name_functions_that_there_are(self):
        page = (ROOT / "docs" / "architecture.md").read_text()
        journeys = page[page.index("## Three journeys"):page.index("**One truth.**")]
        steps = [line for line in journeys.splitlines() if line.startswith("    ")]
        names = {name for line in steps for name in re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", line)} - {"mesh_view"}
        code = "".join(file.read_text() for room in ("src", "cli") for file in (ROOT / room).rglob("*.c"))
        self.assertGreater(len(names), 20)
        for name in names:
            self.assertTrue(re.search(rf"(?m)^\w.*\b{name}\(", code), name)

    def test_drawing_has_every_room(self):
        drawing = (ROOT / "docs" / "architecture.md").read_text().split("## Rooms")[1].split("## ")[0]
        rooms = [f"src/{folder.name}/" for folder in (ROOT / "src").iterdir() if folder.is_dir()]
        formats = [f"{folder.name}/" for folder in (ROOT / "src" / "formats").iterdir() if folder.is_dir()]
        self.assertGreater(len(rooms), 5)
        for name in rooms + formats:
            self.assertIn(name, drawing)


class Transcripts(unittest.TestCase):
    def test_what_pages_show_is_what_is_printed(self):
        for page in PAGES:
            found = list(transcripts(page))
            self.assertGreater(len(found), 3, page)
            for command, expected in found:
                with self.subTest(page, command=command):
                    words = [STELE, *shlex.split(command)[1:]]
                    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
                    printed = "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())
                    self.assertRegex(printed, rf"\A{pattern_of(expected)}\Z")


if __name__ == "__main__":
    unittest.main()
