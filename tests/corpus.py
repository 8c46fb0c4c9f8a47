"""Real files, where there are any: STELE_CORPUS or ../shared/corpus. The project does not depend on them.

Suites that others made, and files made to hurt, lie in folders of their own: there, wrong files are wrong on purpose.
"""
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORPUS = Path(os.environ.get("STELE_CORPUS", ROOT.parent / "shared" / "corpus"))
ON_PURPOSE = {"suites", "hostile"}
PATIENT = bool(os.environ.get("STELE_PATIENT"))  # as `make check-long` is


def some(files):
    """Every third in a fixed order; all for the patient."""
    return sorted(files)[::1 if PATIENT else 3]


def real_files(*endings):
    """The files that engines' own tools wrote, by their endings (".sgm"), in a fixed order; none without a corpus."""
    found = (path for path in CORPUS.rglob("*") if path.suffix in endings)
    return sorted(path for path in found if path.relative_to(CORPUS).parts[0] not in ON_PURPOSE)
