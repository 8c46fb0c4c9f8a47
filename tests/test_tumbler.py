#!/usr/bin/env python3
"""Thumbnails as a file manager gets them: the files are installed, the MIME database is made, and Xfce's thumbnail service is
asked over a D-Bus of its own. Nothing but the installed files tells it about us."""
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path
from queue import Empty, Queue

from png_oracle import Png
from test_install import SAMPLES, SGML, SYSTEM, TYPES, install, missing, run

NAME = "org.freedesktop.thumbnails.Thumbnailer1"
OBJECT = "/org/freedesktop/thumbnails/Thumbnailer1"
PATIENCE = 60


def why_not():
    service = SYSTEM / "dbus-1/services/org.xfce.Tumbler.Thumbnailer1.service"
    return missing("dbus-daemon", "dbus-monitor", "gdbus", "gio", "update-mime-database") or (None if service.exists() else "there is no tumbler here")


class Signals:
    """What the service says, line by line. It tells only the one who asked, so that one must listen in."""

    def __init__(self, environment):
        self.process = subprocess.Popen(["dbus-monitor", "--session", f"type='signal',interface='{NAME}'"], stdout=subprocess.PIPE, text=True,
                                        env=environment)
        self.lines = Queue()
        threading.Thread(target=self.listen, daemon=True).start()
        self.until("member=NameLost")  # its own, when it has become a monitor

    def listen(self):
        for line in self.process.stdout:
            self.lines.put(line)

    def until(self, text):
        heard = []
        while not heard or text not in heard[-1]:
            try:
                heard.append(self.lines.get(timeout=PATIENCE))
            except Empty:
                raise AssertionError(f"waited in vain for {text}; heard {heard}") from None
        return heard

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@unittest.skipIf(why_not(), why_not())
class Tumbler(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.home = Path(folder.name)
        usr = install(cls.home)
        cls.files = cls.home / "models"
        cls.files.mkdir()
        cls.environment = {"PATH": f"{usr}/bin:{os.environ['PATH']}", "HOME": str(cls.home), "XDG_DATA_DIRS": f"{usr}/share:{SYSTEM}",
                           "XDG_DATA_HOME": str(cls.home / "data"), "XDG_CACHE_HOME": str(cls.home / "cache"),
                           "XDG_CONFIG_HOME": str(cls.home / "config"), "XDG_RUNTIME_DIR": str(cls.home)}
        run("update-mime-database", usr / "share/mime", env=cls.environment)
        bus = subprocess.Popen(["dbus-daemon", "--session", "--nofork", "--print-address"], stdout=subprocess.PIPE, text=True,
                               stderr=subprocess.DEVNULL, env=cls.environment)
        cls.addClassCleanup(bus.stdout.close)
        cls.addClassCleanup(bus.wait)
        cls.addClassCleanup(bus.terminate)  # and all who are on it
        cls.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().strip()

    def call(self, method, *arguments):
        return run("gdbus", "call", "--session", "--dest", NAME, "--object-path", OBJECT, "--method", f"{NAME}.{method}", *arguments,
                   env=self.environment)

    def type_of(self, path):
        said = run("gio", "info", "-a", "standard::content-type", path, env=self.environment)
        return re.search(r"standard::content-type: (\S+)", said)[1]

    def put(self, name, source):
        path = self.files / name
        shutil.copy(SAMPLES / source, path)
        return path

    def ask(self, *paths, flavor="normal"):
        """Has thumbnails made; returns what the service said meanwhile."""
        self.call("GetSupported")
        signals = Signals(self.environment)
        self.addCleanup(signals.stop)
        self.call("Queue", str([p.as_uri() for p in paths]), str([self.type_of(p) for p in paths]), flavor, "foreground", "0")
        return "".join(signals.until("member=Finished"))

    def thumbnail(self, path, flavor="normal"):
        name = hashlib.md5(path.as_uri().encode()).hexdigest() + ".png"
        found = self.home / "cache/thumbnails" / flavor / name
        return Png(found.read_bytes()) if found.exists() else None

    def test_the_service_knows_our_types(self):
        said = self.call("GetSupported")
        for kind in TYPES.values():
            self.assertIn(f"'{kind}'", said)

    def assert_ours(self, path, flavor, size):
        """Pixel for pixel what the command draws."""
        shown = self.thumbnail(path, flavor)
        self.assertIsNotNone(shown, path.name)
        self.assertEqual(shown.text[b"Thumb::URI"].decode(), path.as_uri())
        run("stele", "thumbnail", "--size", str(size), path, self.home / "ours.png", env=self.environment)
        ours = Png((self.home / "ours.png").read_bytes())
        self.assertEqual((shown.width, shown.height), (ours.width, ours.height))
        for y in range(ours.height):
            for x in range(ours.width):
                if ours[x, y][3]:  # colours that cannot be seen may be lost on the way
                    self.assertEqual(shown[x, y], ours[x, y], (path.name, x, y))
                else:
                    self.assertEqual(shown[x, y][3], 0)
        seen = sum(ours[x, y][3] > 0 for y in range(ours.height) for x in range(ours.width))
        self.assertGreater(seen, 0.05 * ours.width * ours.height)

    def test_every_format(self):
        self.put("scribe.png", "scribe.png")
        paths = [self.put("scribe.sgm", "scribe.sgm"), self.put("scribe.sga", "scribe.sga"), self.put("old.sgm", "dialects/v1a.sgm"),
                 self.put("a name with spaces.twm", "dialects/v0.twm"), self.put("a.mesh", "dialects/C2.mesh"),
                 self.put("a.sff", "dialects/packed.sff"), self.put("a.ctc", "dialects/v11.ctc"), self.put("a.glb", "dialects/2.0.glb"),
                 self.put("plain.obj", "dialects/plain.obj")]
        self.assertNotIn("member=Error", self.ask(*paths))
        for path in paths:
            with self.subTest(path.name):
                if path.name == "scribe.sga":  # a skeleton is thin
                    self.assertIsNotNone(self.thumbnail(path))
                else:
                    self.assert_ours(path, "normal", 128)

    def test_large(self):
        path = self.put("large.sgm", "scribe.sgm")
        self.ask(path, flavor="large")
        self.assert_ours(path, "large", 256)

    def test_damage_and_texts_give_none_and_do_no_harm(self):
        cut, text, good = self.files / "cut.sgm", self.files / "text.sgm", self.put("good.sgm", "dialects/v3.sgm")
        cut.write_bytes(good.read_bytes()[:-300])
        text.write_text(SGML["docbook.sgm"])
        said = self.ask(cut, text, good)
        for path in (cut, text):
            self.assertIn(path.as_uri(), said)
            self.assertIsNone(self.thumbnail(path))
        self.assertIn("member=Error", said)
        self.assert_ours(good, "normal", 128)
        self.assertEqual(sorted(p.name for p in self.files.glob("*stele*")), [])


if __name__ == "__main__":
    unittest.main()
