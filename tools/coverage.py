#!/usr/bin/env python3
"""Which share of the library's lines the C tests reach, and that it has not fallen: coverage.py BUILD FLOOR.

BUILD is a build with STELE_COVERAGE whose tests have run; FLOOR a file with the least share in per cent, which may only rise."""
import json
import pathlib
import subprocess
import sys


def lines_by_file(build):
    """{source: {line: whether it ran}} as gcov tells, over all translation units."""
    notes = [str(path.resolve()) for path in (build / "CMakeFiles/stele_objects.dir").rglob("*.gcda")]
    if not notes:
        sys.exit(f"no test has run in {build}")
    out = subprocess.run(["gcov", "--json-format", "--stdout", *notes], cwd=build, check=True, capture_output=True).stdout
    found = {}
    for document in out.splitlines():
        for file in json.loads(document)["files"]:
            lines = found.setdefault(file["file"], {})
            for line in file["lines"]:
                lines[line["line_number"]] = lines.get(line["line_number"], False) or line["count"] > 0
    return found


def room_of(source):
    parts = pathlib.PurePath(source).parts
    inside = parts[parts.index("src") + 1:]
    return "/".join(inside[:2] if inside[0] == "formats" and len(inside) > 2 else inside[:1])


def main():
    build, floor_file = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    rooms = {}
    for source, lines in lines_by_file(build).items():
        if "src" in pathlib.PurePath(source).parts:
            ran, all_lines = rooms.get(room_of(source), (0, 0))
            rooms[room_of(source)] = ran + sum(lines.values()), all_lines + len(lines)
    for room, (ran, all_lines) in sorted(rooms.items()):
        print(f"{room:16} {100 * ran / all_lines:5.1f} % of {all_lines}")
    ran, all_lines = (sum(column) for column in zip(*rooms.values()))
    share, floor = 100 * ran / all_lines, float(floor_file.read_text())
    print(f"# {share:.1f} % of {all_lines} lines of the library run in its C tests; the floor is {floor:.1f}")
    if share < floor:
        sys.exit("fewer than before: test what is new")
    if share >= floor + 1:
        print(f"# raise the floor in {floor_file}")


main()
