#!/usr/bin/env python3
"""The same bytes everywhere: all that Stele makes of a file (tests/sweep.c), as a list of SHA-256, on this machine and on others.

    sweeping.py here $PWD/build/sweep                         writes build/portable/here.sha256
    sweeping.py s390x qemu-s390x $PWD/build/s390x/sweep       the same there, and compares

The files are the samples, the seeds of the fuzzers, the corpus, and a thousand files that were mutated. An emulator has not the time
for all: --each N takes every Nth of the corpus and of the mutated, and all samples."""
import argparse
import os
import random
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from corpus import CORPUS

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build/portable"
FORMATS = {".twm", ".sgm", ".sga", ".mesh", ".sff", ".ctc", ".glb", ".gltf", ".obj"}
OURS = (ROOT / "samples", ROOT / "fuzz/seeds")
MUTATED = 1000


def models(*folders):
    return sorted(path for folder in folders for path in Path(folder).rglob("*") if path.suffix in FORMATS and path.is_file())


def corpus():
    """Without files made to pass limits: these end where memory ends, which counts pointers, sooner where they are larger."""
    return [path for path in models(CORPUS) if path.relative_to(CORPUS).parts[0] != "hostile"]


def mutate(data, chance):
    """As transfers, editors and enemies do it: bytes that changed, counts that cannot be, a piece that is missing or comes twice."""
    data = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data) + 1)
        kind = chance.randrange(5)
        if kind == 0:
            data[at:at + 1] = bytes([chance.randrange(256)])
        elif kind == 1:
            data[at:at + 4] = chance.choice((0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fc00000, chance.getrandbits(32))).to_bytes(4, "little")
        elif kind == 2:
            del data[at:at + chance.randint(1, 64)]
        elif kind == 3:
            data[at:at] = data[at:at + chance.randint(1, 64)]
        else:
            data = data[:max(at, len(data) // 2)]
    return bytes(data)


def make_mutated(folder):
    """The samples and seeds again and again, each time changed in other places, with what belongs to them beside them."""
    shutil.rmtree(folder, ignore_errors=True)
    beside = [path for ours in OURS for path in sorted(ours.rglob("*")) if path.is_file()]
    for turn in range(-(-MUTATED // len(models(*OURS)))):
        for path in beside:
            to = folder / str(turn) / path.relative_to(ROOT)
            to.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix in FORMATS:
                to.write_bytes(mutate(path.read_bytes(), random.Random(f"{turn} {path.relative_to(ROOT)}")))
            else:
                shutil.copyfile(path, to)


def sweep(command, listed, folder, parts=1):
    """The lines of a sweep of the files, which are named from a folder in `folder`, for sweeps write into the one they run in."""
    def part(number):
        place = Path(folder) / str(number)
        place.mkdir(parents=True, exist_ok=True)
        names = "".join(os.path.relpath(path, place) + "\n" for path in listed[number::parts])
        run = subprocess.run([*map(str, command)], input=names, capture_output=True, text=True, cwd=place, check=False)
        if run.returncode:
            done = len({line.split(" ", 3)[-1] for line in run.stdout.splitlines()})
            raise RuntimeError(f"{' '.join(map(str, command))} ended with {run.returncode}, near {listed[number::parts][max(done - 1, 0)]}\n"
                               f"{run.stderr[-2000:]}")
        return run.stdout.splitlines()

    with ThreadPoolExecutor(parts) as pool:
        return sorted(line for lines in pool.map(part, range(parts)) for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--each", type=int, default=1, help="every Nth of the corpus and of the mutated files only")
    parser.add_argument("name")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    start = time.monotonic()
    if options.name == "here":
        make_mutated(WORK / "mutated")
    listed = models(*OURS) + (corpus() + models(WORK / "mutated")[:MUTATED])[::options.each]
    lines = sweep(options.command, listed, WORK / options.name, os.cpu_count() or 1)
    shutil.rmtree(WORK / options.name)
    (WORK / f"{options.name}.sha256").write_text("".join(line + "\n" for line in lines))
    here = set((WORK / "here.sha256").read_text().splitlines())
    names = {line.split(" ", 3)[-1] for line in lines}
    expected = {line for line in here if line.split(" ", 3)[-1] in names}
    different = sorted({line[66:] for line in expected ^ set(lines)})
    print(f"# {options.name}: {len(listed)} files, {len(lines)} hashes, {len(different)} different, {time.monotonic() - start:.0f} s")
    if different or len(names) != len(listed):
        print("\n".join(different[:20]))
        sys.exit(1)


if __name__ == "__main__":
    main()
