"""The `stele` command as a child process: a crash of it can never take the artist's work along."""
import json
import os
import platform
import shutil
import stat
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PATIENCE = 600  # seconds, for one file
asked_path = ""  # of the preferences


class Failure(Exception):
    """The command did not do what it was asked to. `diagnostics` are its findings, if it had any."""

    def __init__(self, text, diagnostics=()):
        super().__init__(text)
        self.diagnostics = list(diagnostics)


def platform_name():
    """The folder in bin/ for this machine: linux-x86_64, macos-arm64, windows-x86_64."""
    system = {"Linux": "linux", "Darwin": "macos", "Windows": "windows"}.get(platform.system(), platform.system().lower())
    machine = {"AMD64": "x86_64", "x64": "x86_64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return f"{system}-{machine}"


def candidates():
    name = "stele.exe" if sys.platform == "win32" else "stele"
    if asked_path:
        yield Path(asked_path)
        return
    if os.environ.get("STELE"):
        yield Path(os.environ["STELE"])
    yield HERE / "bin" / platform_name() / name
    found = shutil.which(name)
    if found:
        yield Path(found)


def program():
    """The command: as the preferences say, $STELE, the one that came with the add-on, or the one that is installed."""
    for path in candidates():
        if path.is_file():
            if not os.access(path, os.X_OK):  # a zip does not keep that
                try:
                    path.chmod(path.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
                except OSError:
                    continue
            return path
    raise Failure(f"the command stele for {platform_name()} is not there: install Stele, or set its path in the add-on's preferences")


def run(*arguments):
    """The documents that a verb prints, and its exit code."""
    command = [str(program()), *map(str, arguments), "--json"]
    flags = {"creationflags": 0x08000000} if sys.platform == "win32" else {}  # no console window
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, **flags)
    except subprocess.TimeoutExpired:
        raise Failure(f"stele {arguments[0]} took longer than {PATIENCE} seconds") from None
    except OSError as error:
        raise Failure(f"stele could not be started: {error}") from None
    try:
        documents = [json.loads(line) for line in done.stdout.decode("utf-8", "replace").splitlines() if line.strip()]
    except ValueError:
        documents = []
    if done.returncode < 0:
        raise Failure(f"stele {arguments[0]} crashed (signal {-done.returncode}); nothing of yours was changed")
    if not documents:
        raise Failure(done.stderr.decode("utf-8", "replace").strip() or f"stele {arguments[0]} said nothing")
    return documents, done.returncode


def formats():
    return run("formats")[0][0]["formats"]


def convert(source, target, *options):
    """Writes `target`; gives the document with its losses."""
    documents, _ = run("convert", "--force", *options, source, target)
    document = documents[-1]
    if not document.get("output"):
        found = document.get("diagnostics", [])
        worst = next((d["text"] for d in found if d["severity"] == "error"), "")
        raise Failure(document.get("error") or worst or "it could not be written", found)
    return document


def check(path, *options):
    """The findings in a file, whatever it is."""
    return run("check", *options, path)[0][-1]


def explain(path):
    return run("explain", path)[0][-1]


def info(path):
    return run("info", path)[0][-1]
