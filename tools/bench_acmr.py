#!/usr/bin/env python3
"""The ACMR of all triangles together, of what `stele optimize --dry-run --json` says of files. Left out are those whose original in
the FOLDER (by the number that is their name or that of their folder) has a blended material."""
import json
import struct
import sys
from pathlib import Path


def is_blended(folder, number):
    for path in Path(folder, number).glob("*.glb"):
        data = path.read_bytes()
        size, = struct.unpack_from("<I", data, 12)
        return any(m.get("alphaMode") == "BLEND" for m in json.loads(data[20:20 + size]).get("materials", []))
    return True


transformed = triangles = 0
for report in map(json.loads, sys.stdin):
    path = Path(report["file"])
    number = path.stem if path.stem.isdigit() else path.parent.name
    if "before" in report and not is_blended(sys.argv[1], number):
        transformed += report["before"]["acmr"] * report["before"]["triangles"]
        triangles += report["before"]["triangles"]
print(f"{transformed / max(triangles, 1):.4f}")
