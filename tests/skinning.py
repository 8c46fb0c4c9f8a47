"""What the tests of skinning share: matrices, some times of a clip, and files that are converted in a folder of their own."""
import math
import os
import random
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STELE = os.path.abspath(os.environ.get("STELE", ROOT / "build" / "stele"))


# ---- Matrices: four rows of four numbers ---------------------------------------------------------------------------------

def product(a, b):
    return [[sum(a[r][k] * b[k][c] for k in range(4)) for c in range(4)] for r in range(4)]


def inverse(m):
    """Gauss and Jordan; None if there is none."""
    work = [list(m[r]) + [float(r == c) for c in range(4)] for r in range(4)]
    for c in range(4):
        pivot = max(range(c, 4), key=lambda r: abs(work[r][c]))
        if abs(work[pivot][c]) < 1e-12:
            return None
        work[c], work[pivot] = work[pivot], work[c]
        work[c] = [x / work[c][c] for x in work[c]]
        for r in range(4):
            if r != c:
                factor = work[r][c]
                work[r] = [x - factor * y for x, y in zip(work[r], work[c])]
    return [row[4:] for row in work]


def of_pose(pose):
    tx, ty, tz, w, x, y, z, sx, sy, sz = pose
    length = math.sqrt(w * w + x * x + y * y + z * z) or 1.0
    w, x, y, z = w / length, x / length, y / length, z / length
    return [[(1 - 2 * (y * y + z * z)) * sx, 2 * (x * y - w * z) * sy, 2 * (x * z + w * y) * sz, tx],
            [2 * (x * y + w * z) * sx, (1 - 2 * (x * x + z * z)) * sy, 2 * (y * z - w * x) * sz, ty],
            [2 * (x * z - w * y) * sx, 2 * (y * z + w * x) * sy, (1 - 2 * (x * x + y * y)) * sz, tz],
            [0.0, 0.0, 0.0, 1.0]]


def moved(m, point):
    return tuple(sum(m[r][c] * point[c] for c in range(3)) + m[r][3] for r in range(3))


def between(a, b, t):
    """Two poses: lerp, and slerp along the shorter arc."""
    p, q = a[3:7], b[3:7]
    dot = sum(x * y for x, y in zip(p, q))
    if dot < 0:
        q, dot = tuple(-x for x in q), -dot
    angle = math.acos(min(dot, 1.0))
    if angle < 1e-4:
        turn = tuple(x + (y - x) * t for x, y in zip(p, q))
    else:
        turn = tuple((math.sin((1 - t) * angle) * x + math.sin(t * angle) * y) / math.sin(angle) for x, y in zip(p, q))
    mix = lambda i, j: tuple(x + (y - x) * t for x, y in zip(a[i:j], b[i:j]))
    return mix(0, 3) + turn + mix(7, 10)


def size_of(points):
    return max(max(p[i] for p in points) - min(p[i] for p in points) for i in range(3)) or 1.0


def some_times(keys):
    """At keys and between them, not all of very many, and after the last."""
    picked = keys + [a + (b - a) * 0.3 for a, b in zip(keys, keys[1:])]
    return (picked if len(picked) <= 12 else random.Random(1).sample(picked, 12)) + [keys[-1] + 1]


class Conversions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def convert(self, source, target, *options):
        result = subprocess.run([STELE, "convert", "-f", "-q", *options, str(source), str(target)], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        return target
