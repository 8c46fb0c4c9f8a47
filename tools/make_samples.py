#!/usr/bin/env python3
"""Write the sample models: an animated stone scribe, and a low-poly one in every dialect of every format.

    tools/make_samples.py [folder]        the default folder is ../samples

Nothing here is shared with the library: the tests take these files as independent truth.
"""

import sys
from pathlib import Path

from samples import ctc, gltf, mesh, obj, rayne, sff, twm

MODULES = [rayne, twm, mesh, sff, ctc, obj, gltf]


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "samples"
    for module in MODULES:
        for name, data in module.files().items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


if __name__ == "__main__":
    main()
