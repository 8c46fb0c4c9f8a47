#!/usr/bin/env python3
"""Manual pages and completions, which the command makes from its own options: pages are read by man, and completions asked for in the
shells themselves."""
import os
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STELE = os.environ.get("STELE", str(ROOT / "build" / "stele"))


def stele(*arguments, code=0):
    done = subprocess.run([STELE, *arguments], capture_output=True, text=True)
    if done.returncode != code:
        raise AssertionError(f"{arguments}: {done}")
    return done.stdout


def verbs():
    return [line.split()[0] for line in stele("--help").split("Commands:\n")[1].split("\n\n")[0].splitlines()]


def options_of(verb):
    """Letter and name of each."""
    return re.findall(r"^  (?:-(\w),|   ) (--[a-z-]+)", stele(verb, "--help"), re.M)


class Pages(unittest.TestCase):
    def test_every_option_and_example_is_in_the_page_of_its_verb(self):
        for verb in verbs():
            with self.subTest(verb):
                page = stele("help", "--man", verb).replace("\\-", "-")
                for letter, name in options_of(verb):
                    self.assertIn((f"\\fB-{letter}\\fR, " if letter else ".TP\n") + f"\\fB{name}\\fR", page)
                shown = stele(verb, "--help")
                for example in shown.split("Examples:\n")[1].split("\n\n")[0].splitlines() if "Examples:" in shown else []:
                    self.assertIn(example.strip(), page)
                self.assertIn(f"\nstele-{verb} - {re.match('stele [a-z]+ - (.*)', shown)[1]}\n", page)

    @unittest.skipUnless(shutil.which("man"), "there is no man here")
    def test_pages_are_well_formed(self):
        for verb in verbs():
            with self.subTest(verb):
                done = subprocess.run(["man", "--warnings", "-l", "-"], input=stele("help", "--man", verb), capture_output=True,
                                      text=True, check=True, env=os.environ | {"MANPAGER": "cat", "LC_ALL": "C.UTF-8"})
                self.assertEqual(done.stderr, "")
                self.assertIn(f"stele-{verb}", done.stdout)
                self.assertIn("--json", done.stdout)

    def test_the_page_of_the_command_knows_all_verbs(self):
        page = (ROOT / "docs/stele.1").read_text().replace("\\-", "-")
        for line in stele("--help").split("Commands:\n")[1].split("\n\n")[0].splitlines():
            verb, summary = line.split(None, 1)
            self.assertIn(f".TP\n.B {verb}\n{summary}\n", page)
            self.assertIn(f"stele-{verb} (1)", page)

    def test_usage(self):
        for arguments in (["help", "--man"], ["help", "--man", "burn"], ["help", "--completions"], ["help", "--completions", "csh"],
                          ["help", "burn"]):
            stele(*arguments, code=2)

    def test_version(self):
        self.assertRegex(stele("--version"),
                         r"^stele \d+\.\d+\.\d+\nfor \w+ \S+, by (GNU|Clang) .*\d.*, with libpng [\d.]+, libjpeg-turbo [\d.]+, libwebp [\d.]+\n"
                         r"stele-import: (not )?found\n$")
        self.assertEqual(stele("-V"), stele("--version"))


class Completions:
    """The same for every shell: what follows a line that somebody types."""
    CASES = [("stele ", set(verbs()) | {"help"}), ("stele re", {"render"}), ("stele c", {"check", "convert"}),
             ("stele help exp", {"explain"}), ("stele render --wire", {"--wireframe"}), ("stele explain --ro", {"--rows"}),
             ("stele check --color ", {"always", "never", "auto"}), ("stele render --up ", {"x", "y", "z"}),
             ("stele convert --to s", {"sff", "sga", "sgm"}), ("stele check mod", {"model one.sgm"}),
             ("stele render --out-dir fol", {"folder"}), ("stele convert --out-dir mod", set()),
             ("stele check --files-from mod", {"model one.sgm"})]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "model one.sgm").write_bytes(b"")
        (self.folder / "folder").mkdir()
        self.script = self.folder / ("_stele" if self.SHELL == "zsh" else "completions")
        self.script.write_text(stele("help", "--completions", self.SHELL))

    def test_what_is_offered(self):
        for line, wanted in self.CASES:
            with self.subTest(line):
                self.assertEqual(self.offered(line), wanted)

    def test_every_option_of_every_verb(self):
        for verb in verbs():
            with self.subTest(verb):
                self.assertLessEqual({name for _, name in options_of(verb)}, self.offered(f"stele {verb} --"))


@unittest.skipUnless(shutil.which("bash"), "there is no bash here")
class Bash(Completions, unittest.TestCase):
    SHELL = "bash"

    def offered(self, line):
        """As readline asks: the words, and if there is no answer, names of files."""
        words = re.split(r"[ =]+", line)
        quoted = " ".join(f"'{w}'" for w in words)
        program = f"""source '{self.script}'; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}
compopt() {{ local IFS=' '; case "$*" in *"+o default"*) default=no ;; esac; }}
_stele; printf '%s\n' "${{COMPREPLY[@]}}"
if [ ${{#COMPREPLY[@]}} = 0 ] && [ "$default" != no ]; then compgen -f -- '{words[-1]}'; fi"""
        done = subprocess.run(["bash", "--norc", "-c", program], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return set(done.stdout.splitlines()) - {""}

    def test_an_equals_sign(self):
        program = f"""source '{self.script}'; compopt() {{ :; }}
for word in '' ne; do COMP_WORDS=(stele check --color = $word); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _stele; echo "${{COMPREPLY[@]}}"; done"""
        done = subprocess.run(["bash", "--norc", "-c", program], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "always never auto\nnever\n")


@unittest.skipUnless(shutil.which("fish"), "there is no fish here")
class Fish(Completions, unittest.TestCase):
    SHELL = "fish"

    def offered(self, line):
        done = subprocess.run(["fish", "--no-config", "-c", f"source {self.script}; complete -C '{line}'"], cwd=self.folder,
                              capture_output=True, text=True, env=os.environ | {"HOME": str(self.folder)})
        self.assertEqual(done.stderr, "")
        return {text.split("\t")[0].rstrip("/").replace("\\ ", " ") for text in done.stdout.splitlines()}


@unittest.skipUnless(shutil.which("zsh"), "there is no zsh here")
class Zsh(Completions, unittest.TestCase):
    SHELL = "zsh"

    def setUp(self):
        """A zsh on a terminal of its own, which hands every list of what matches to a file instead of showing it."""
        super().setUp()
        self.master, slave = pty.openpty()
        self.matches = self.folder.parent / (self.folder.name + ".matches")
        self.addCleanup(lambda: self.matches.unlink(missing_ok=True))
        self.process = subprocess.Popen(["zsh", "-f", "-i"], cwd=self.folder, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                                        env=os.environ | {"TERM": "dumb", "HOME": str(self.folder), "LC_ALL": "C.UTF-8"})
        os.close(slave)
        self.addCleanup(self.end)
        for line in ("PS1=; unsetopt prompt_cr prompt_sp", f"fpath=({self.folder} $fpath); autoload -Uz compinit; compinit -u -D",
                     "compadd() { if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd \"$@\"; return $?; fi; "
                     "typeset -a __found; builtin compadd -A __found \"$@\"; "
                     f"print -rl -- $__found >> {self.matches}; builtin compadd \"$@\"; }}",
                     f"finish() {{ rm -f {self.matches}; zle complete-word; print -r done >> {self.matches}; zle kill-whole-line }}; "
                     "zle -N finish; bindkey '^I' finish", "stele() { : }; unsetopt beep"):
            os.write(self.master, line.encode() + b"\n")
        time.sleep(1)

    def end(self):
        self.process.kill()
        self.process.wait()
        os.close(self.master)

    def offered(self, line):
        self.matches.unlink(missing_ok=True)
        os.write(self.master, line.encode() + b"\t")
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if select.select([self.master], [], [], 0.05)[0]:
                os.read(self.master, 65536)
            if self.matches.exists() and self.matches.read_text().endswith("done\n"):
                break
        found = set(self.matches.read_text().splitlines()) - {"done", ""}
        return {text.removesuffix("/").removesuffix("=").replace("\\ ", " ") for text in found}


if __name__ == "__main__":
    unittest.main()
