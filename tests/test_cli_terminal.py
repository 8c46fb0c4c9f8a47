"""What somebody at a real terminal sees: tmux is one. Progress, colours, and Ctrl-C.

STELE names the binary (default: build/stele).
"""
import os
import re
import shutil
import subprocess
import time
import unittest

from test_cli import SAMPLES, STELE, CliTest, model_bytes


@unittest.skipUnless(shutil.which("tmux"), "there is no tmux")
class Transcript(CliTest):
    FILES = 200  # more than a second of work

    def setUp(self):
        super().setUp()
        self.socket = f"stele-{os.getpid()}-{self.id().rsplit('.', 1)[-1]}"
        self.addCleanup(subprocess.run, ["tmux", "-L", self.socket, "kill-server"], capture_output=True, check=False)
        environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TMUX")} | {"PS1": "$ ", "LC_ALL": "C.UTF-8"}
        subprocess.run(["tmux", "-L", self.socket, "-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "40", "-c", str(self.folder),
                        "sh"], check=True, env=environment)

    def type(self, *keys):
        subprocess.run(["tmux", "-L", self.socket, "send-keys", *keys], check=True)

    def screen(self, *options):
        shown = subprocess.run(["tmux", "-L", self.socket, "capture-pane", "-p", *options], capture_output=True, check=True)
        return shown.stdout.decode()

    def wait_for(self, pattern, *options, seconds=60):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            found = re.search(pattern, self.screen(*options))
            if found:
                return found
            time.sleep(0.05)
        self.fail(f"{pattern} is never seen; there is:\n{self.screen()}")
        return None

    def put_models(self):
        for i in range(self.FILES):
            for end in ("sgm", "sga", "png"):
                self.put(f"in/m{i:03}/scribe.{end}", (SAMPLES / f"scribe.{end}").read_bytes())

    def test_progress_and_interrupt(self):
        self.put_models()
        self.type(f"{STELE} render -j1 -r in --out-dir out --size 1200; echo ended with $?", "Enter")
        self.wait_for(rf"\[#*\.*\] \d+ of {self.FILES} files, [0-9.]+/s, \d+:\d\d left")
        self.type("C-c")
        done = int(self.wait_for(rf"stele: stopped after (\d+) of {self.FILES} files\n").group(1))
        self.wait_for(r"ended with 130")
        self.assertNotIn(" left", self.screen(), "the bar stays behind")
        pictures = [path for path in (self.folder / "out").rglob("*") if path.is_file()]
        self.assertIn(len(pictures) - done, (0, 1))
        self.assertEqual({path.suffix for path in pictures}, {".png"})

    def test_a_single_file_is_stopped(self):
        self.type(f"{STELE} check -; echo ended with $?", "Enter")
        time.sleep(0.5)
        self.type("C-c")
        self.wait_for(r"stele: stopped\n")
        self.wait_for(r"ended with 130")

    def test_view_draws_turns_and_gives_the_terminal_back(self):
        self.type(f"{STELE} view --terminal {SAMPLES / 'scribe.sgm'}; echo ended with $?", "Enter")
        self.wait_for(r"arrows turn, .* q ends")
        self.wait_for("(\x1b\\[[0-9;]*m)*\u2580(.*\n){20}", "-e")
        before = self.screen("-e")
        self.type("Right")
        until = time.monotonic() + 60
        while self.screen("-e") == before and time.monotonic() < until:
            time.sleep(0.05)
        self.assertNotEqual(self.screen("-e"), before)
        self.type("q")
        self.wait_for(r"ended with 0")
        self.assertNotIn("\u2580", self.screen())
        self.type("stty -a | grep -o -w -e -echo -e echo", "Enter")
        self.wait_for(r"\necho\n")

    def test_view_sends_no_escapes_into_a_pipe(self):
        run = subprocess.run([STELE, "view", "--terminal", str(SAMPLES / "scribe.sgm")], capture_output=True, check=False)
        self.assertEqual((run.returncode, run.stdout), (2, b""))
        self.assertIn(b"needs a terminal", run.stderr)

    def test_colours(self):
        self.put("a.sgm", model_bytes(indices=(0, 1, 9)))
        red = "\x1b\\[31m"
        self.type(f"{STELE} check a.sgm", "Enter")
        self.wait_for(red + "error", "-e")
        self.type("clear", "Enter")
        self.type(f"{STELE} check --color=never a.sgm; echo 'the end'", "Enter")
        self.wait_for(r"\nthe end")
        self.assertIsNone(re.search(red, self.screen("-e")))
        self.type("clear", "Enter")
        self.type(f"{STELE} check --color=always a.sgm | cat", "Enter")
        self.wait_for(red + "error", "-e")


if __name__ == "__main__":
    unittest.main()
