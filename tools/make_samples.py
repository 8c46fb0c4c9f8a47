#!/usr/bin/env python3
"""Write the sample models: an animated stone scribe, and a low-poly one in every dialect of every format.

    tools/make_samples.py [folder]        the default folder is ../samples

Nothing here is shared with the library: the tests take these files as independent truth.
"""

import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import samples


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "samples"
    for module in iter_modules(samples.__path__, "samples."):
        files = getattr(import_module(module.name), "files", dict)
        for name, data in files().items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


if __name__ == "__main__":
    main()
