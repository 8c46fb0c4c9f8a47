"""What somebody at a real terminal sees: tmux is one. Progress, colours, and Ctrl-C.

STELE names the binary (default: build/stele).
"""
import base64
import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import termios
import time
import unittest
from pathlib import Path

from test_cli import FINE, SAMPLES, STELE, CliTest, model_bytes


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

    def child(self):
        """The process that the shell has started."""
        shell = subprocess.run(["tmux", "-L", self.socket, "display", "-p", "#{pane_pid}"], capture_output=True, check=True).stdout.decode().strip()
        until = time.monotonic() + 60
        while time.monotonic() < until:
            started = Path(f"/proc/{shell}/task/{shell}/children").read_text().split()
            if started:
                return started[0]
            time.sleep(0.01)
        self.fail("the shell starts nothing")
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
        self.wait_until_up(self.child())
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


class Pictures(CliTest):
    """Terminals that take pictures, played by this test: 100 columns of 8 pixels, 40 rows of 16."""

    def view(self, answer):
        child, terminal = pty.fork()
        if not child:
            os.execv(STELE, [STELE, "view", "--terminal", str(SAMPLES / "scribe.sgm")])
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("4H", 40, 100, 800, 640))
        shown, answered, ended, until = b"", False, False, time.monotonic() + 60
        while time.monotonic() < until:
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    shown += os.read(terminal, 1 << 16)
                except OSError:  # it has ended
                    break
            if not answered and b"\x1b[c" in shown:
                answered = os.write(terminal, answer)
            if not ended and b"q ends" in shown:
                ended = os.write(terminal, b"q")
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), FINE)
        self.assertTrue(shown.endswith(b"\x1b[?25h\x1b[?1049l"), "the screen is given back")
        return shown

    def test_kitty(self):
        pieces = re.findall(rb"\x1b_G([^;]*m=([01]));([^\x1b]*)\x1b", self.view(b"\x1b_Gi=1;OK\x1b\\\x1b[?62;c"))
        self.assertIn(b"f=100", pieces[0][0])
        self.assertEqual([more for _, more, _ in pieces], [b"1"] * (len(pieces) - 1) + [b"0"])
        png = base64.b64decode(b"".join(data for _, _, data in pieces), validate=True)
        self.assertEqual((png[:8], struct.unpack(">2I", png[16:24])), (b"\x89PNG\r\n\x1a\n", (800, 624)))

    def test_sixels(self):
        picture = re.search(rb"\x1bPq(.*?)\x1b\\", self.view(b"\x1b[?62;4;6c"), re.S).group(1)
        bands = re.sub(rb"#\d+;2;\d+;\d+;\d+", b"", picture).split(b"-")
        self.assertEqual((len(bands), bands[-1]), (624 // 6 + 1, b""))
        for band in bands[:-1]:
            covered = [0] * 800
            for row in band.split(b"$")[:-1]:
                at = 0
                for count, bits in re.findall(rb"!(\d+)([?-~])", row):
                    for x in range(at, at + int(count)):
                        self.assertFalse(covered[x] & (bits[0] - 63), "a pixel has two colours")
                        covered[x] |= bits[0] - 63
                    at += int(count)
                self.assertEqual(at, 800)
            self.assertEqual(set(covered), {63}, "a pixel has none")


if __name__ == "__main__":
    unittest.main()
