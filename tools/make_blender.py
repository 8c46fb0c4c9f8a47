#!/usr/bin/env python3
"""Packs blender/ and the command into an add-on that Blender installs: make_blender.py ZIP COMMAND [PLATFORM=COMMAND...].

COMMAND is that of this machine; others can be added, such as macos-arm64=path/to/stele. The same input gives the same bytes."""
import importlib.util
import re
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = "io_stele"
LONG_AGO = (1980, 1, 1, 0, 0, 0)


def platform_name():
    """As the add-on names the machine that it runs on."""
    spec = importlib.util.spec_from_file_location("command", ROOT / "blender/command.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.platform_name()


def with_version(text):
    """Stele's, which is in its header and nowhere else, as the manifest and as bl_info write it."""
    version = re.search(r'#define STELE_VERSION "(.*)"', (ROOT / "include/stele.h").read_text())[1]
    return text.replace('version = "0.0.0"', f'version = "{version}"').replace('"version": (0, 0, 0)', f'"version": ({version.replace(".", ", ")})')


def add(archive, name, data, mode):
    entry = zipfile.ZipInfo(f"{FOLDER}/{name}", LONG_AGO)
    entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, (0o100000 | mode) << 16, 3
    archive.writestr(entry, data)


def main(target, command, *others):
    commands = {platform_name(): command, **dict(other.split("=", 1) for other in others)}
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted((ROOT / "blender").iterdir()):
            if path.suffix in (".py", ".toml"):
                add(archive, path.name, with_version(path.read_text()), 0o644)
        add(archive, "LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644)
        for platform, path in sorted(commands.items()):
            name = "stele.exe" if platform.startswith("windows") else "stele"
            add(archive, f"bin/{platform}/{name}", Path(path).read_bytes(), 0o755)
    print(f"{target}: {Path(target).stat().st_size // 1024} kB, for {', '.join(sorted(commands))}")


if __name__ == "__main__":
    main(*sys.argv[1:])
