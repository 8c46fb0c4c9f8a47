#!/usr/bin/env python3
"""Pages that show commands and what they print: "    $ stele ..." and the lines below it, in which "..." stands for any lines."""
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
