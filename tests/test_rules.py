#!/usr/bin/env python3
"""The house rules: who may include whom, how names begin, and that the documents say what the code does."""
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("STELE_BUILD", ROOT / "build"))
STELE = os.environ.get("STELE", str(BUILD / "stele"))

# A room may include itself, stele.h and these. A format is a folder of its own in src/formats, and knows no other.
ROOMS = {
    "src/base": {"base"},
    "src/system": {"system"},
    "src/file": {"base", "system", "file"},
    "src/model": {"base", "file", "model"},
    "src/engine": {"base", "system", "model", "engine"},  # of system only wide.h
    "src/formats": {"base", "file", "model", "formats"},
    "src/images": {"base", "images"},
    "src/render": {"base", "model", "render"},
    "src/optimize": {"base", "model", "optimize"},
    "src/api": {"base", "file", "model", "formats", "images", "render", "optimize", "api"},
    "sandbox": {"sandbox"},
    "import": {"import", "sandbox"},
    "cli": {"base", "system", "cli", "sandbox"},  # base prints numbers and text
    "wasm": {"base", "system", "cli", "wasm"},  # of cli only json.h: documents
    "fuzz": {"base", "images"},
    "bench": {"bench"},
}
ROOMS.update({f"src/formats/{path.name}": ROOMS["src/formats"] | {path.name}
              for path in (ROOT / "src/formats").iterdir() if path.is_dir()})
LIBRARY = [room for room in ROOMS if room.startswith("src/")]


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=True, **more).stdout


def libraries():
    """What a program that uses the static library is linked with, in the words of the README."""
    return re.search(r"libstele\.a((?: -l\w+)+)$", (ROOT / "README.md").read_text(), re.M)[1].split()


def sources(folder):
    return sorted(p for p in (ROOT / folder).glob("*.[ch]"))


def room_of(include, here):
    """The room that an included file of ours is in; None for a system header or stele.h."""
    if include == "stele.h":
        return None
    for base in (here, ROOT / "src", ROOT):
        if (base / include).exists():
            return (base / include).resolve().parent.name
    raise AssertionError(f"{include} does not exist")


class Rooms(unittest.TestCase):
    def test_includes(self):
        for folder, allowed in ROOMS.items():
            for path in sources(folder):
                for include in re.findall(r'#include "([^"]+)"', path.read_text()):
                    room = room_of(include, path.parent)
                    self.assertTrue(room is None or room in allowed, f"{path.relative_to(ROOT)} must not include {include}")

    def test_every_source_is_in_a_room(self):
        rooms = {path.parent.relative_to(ROOT).as_posix() for path in (ROOT / "src").rglob("*.[ch]")}
        self.assertEqual(rooms, set(LIBRARY))

    def test_documents_are_apart_from_the_command(self):
        for path in [*sources("wasm"), *(ROOT / "cli").glob("json*.[ch]")]:
            includes = set(re.findall(r'#include "(?:cli/)?([^/"]+)"', path.read_text()))
            self.assertLessEqual(includes, {"json.h", "exports.h", "stele.h"}, path.name)

    # Programs for POSIX systems only, and what speaks with them.
    POSIX = ("sandbox/", "import/", "cli/walls.c", "cli/import.c")
    # What a build asks for, and what a compiler has; nothing that tells one system from another.
    CONDITIONS = {"STELE_BUILT_FOR", "STELE_PAGE", "STELE_WASM", "STELE_SELF_CHECKS", "STELE_WITHOUT_BRIDGES", "STELE_WITHOUT_LZ4", "__SIZEOF_INT128__", "__cplusplus", "__GNUC__", "__BYTE_ORDER__", "__ORDER_BIG_ENDIAN__"}

    def test_one_room_touches_the_system(self):
        for folder in [*LIBRARY, "include", "cli", "sandbox", "import"]:
            for path in sources(folder):
                name, text = path.relative_to(ROOT).as_posix(), path.read_text()
                if folder == "src/system" or name.startswith(self.POSIX):
                    continue
                headers = set(re.findall(r"#\s*include <([^>]+)>", text))
                self.assertEqual([h for h in headers if re.match(r"sys/|windows|io\.h|(unistd|fcntl|dirent|signal|poll|spawn|dlfcn)\.h", h)],
                                 [], name)
                guard = re.search(r"#ifndef (\w+)\n#define \1\n", text)
                conditions = set(re.findall(r"\b[A-Za-z_]\w*", " ".join(re.findall(r"^\s*#\s*(?:if|ifdef|ifndef|elif)\b(.*)$", text, re.M))))
                self.assertEqual(conditions - self.CONDITIONS - {guard[1] if guard else "", "defined"}, set(), name)

    def test_every_system_has_everything(self):
        for header, part in ("files.h", "files"), ("process.h", "process"), ("net.h", "net"), ("terminal.h", "terminal"):
            declared = set(re.findall(r"\b(st_\w+)\(", (ROOT / "src/system" / header).read_text()))
            for path in (ROOT / "src/system").glob(part + "_*.c"):
                self.assertEqual(declared - set(re.findall(r"^\w[^\n;=]*\b(st_\w+)\(", path.read_text(), re.M)), set(), path.name)

    def test_only_the_command_owns_stdio(self):
        for folder in LIBRARY:
            for path in sources(folder):
                found = re.findall(r"(?<!format\()\b(?:printf|fprintf|puts|fputs|stdout|stderr|exit|abort|setlocale)\b\s*[(;,)]", path.read_text())
                self.assertEqual(found, [], path.name)


    def test_engines_are_served_without_allocating(self):
        for path in sources("src/engine"):
            self.assertEqual(re.findall(r"\b(?:st_arena_\w+|[mc]alloc|realloc|free)\(", path.read_text()), [], path.name)

    def test_results_do_not_depend_on_a_libm(self):
        """Square roots and rounding are exact everywhere; what libraries approximate comes from base/trig.h and base/power.h, and
        which of two zeros is the lesser from base/order.h."""
        approximated = "a?(?:sin|cos|tan)h?|atan2|sincos|exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|cbrt|hypot|erfc?|[lt]gamma|fma|fmin|fmax"
        for folder in LIBRARY:
            for path in sources(folder):
                code = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
                self.assertEqual(re.findall(rf"\b(?:{approximated})[fl]?\(", code), [], path.name)


class Names(unittest.TestCase):
    def symbols(self, *options):
        out = run("nm", *options)
        return [line.split()[-1] for line in out.splitlines() if len(line.split()) == 3]

    def test_static_library_has_the_names_of_the_header_only(self):
        for name in self.symbols("-g", "--defined-only", str(BUILD / "libstele.a")):
            self.assertRegex(name, r"^stele_")

    def test_shared_library_exports_the_header_only(self):
        declared = set(re.findall(r"STELE_API[^;]*?\b(stele_\w+)\(", (ROOT / "include/stele.h").read_text()))
        exported = set(self.symbols("-D", "-g", "--defined-only", str(BUILD / "libstele.so")))
        self.assertEqual(exported, declared)

    def test_there_is_no_mutable_global_in_the_library(self):
        table = run("objdump", "-t", str(BUILD / "libstele.a"))
        # .data.rel.ro holds tables of pointers, which the loader makes read-only
        mutable = re.findall(r"^.* O (?:\.data|\.bss|\*COM\*)(?!\.rel\.ro)\S*\s.*$", table, re.M)
        self.assertEqual(mutable, [])


class Documents(unittest.TestCase):
    def test_every_diagnostic_is_explained(self):
        page = (ROOT / "docs/diagnostics.md").read_text()
        documented = dict(re.findall(r"^\| `([a-z0-9-]+)` \| (\w+) \|", page, re.M))
        ids = json.loads(run(STELE, "check", "--ids", "--json"))["ids"]
        self.assertEqual(documented, {i["id"]: i["severity"] for i in ids})

    def fields_of(self, name):
        """The names of all fields that the samples of a format show, without indices."""
        names = set()
        for path in sorted((ROOT / "samples").rglob("*." + name)):
            explained = json.loads(run(STELE, "explain", "--json", str(path)))
            for field in explained["fields"] + explained.get("unpacked", []):
                names.add(re.sub(r"\[\d+\]", "[]", field["path"]))
                value = field["value"]
                for column in value.get("columns", []) if isinstance(value, dict) else []:
                    names.add(re.sub(r"\[\d+\]", "[]", field["path"]) + "." + column["name"] if "name" in column else "")
        return names - {""}

    def test_format_pages_name_every_field(self):
        for format in json.loads(run(STELE, "formats", "--json"))["formats"]:
            page = (ROOT / "docs/formats" / (format["name"] + ".md")).read_text()
            documented = set(re.findall(r"^\| `([^`]+)` \|", page, re.M))
            self.assertEqual(self.fields_of(format["name"]), documented, format["name"])
            for dialect in format["dialects"]:
                self.assertIn(f"**{dialect['name']}**", page)

    def test_readme_matrix_is_the_registry(self):
        page = (ROOT / "README.md").read_text()
        for format in json.loads(run(STELE, "formats", "--json"))["formats"]:
            dialects = ", ".join(d["name"] for d in format["dialects"])
            self.assertIn(f"| {format['name'].upper()} | .{format['extensions'][0]} | {dialects} |", page)

    def test_powers_of_ten_are_what_their_maker_prints(self):
        self.assertEqual((ROOT / "src/base/powers.h").read_text(), run("python3", str(ROOT / "tools/make_powers.py")))

    def test_srgb_tables_are_what_their_maker_prints(self):
        self.assertEqual((ROOT / "src/base/srgb_tables.h").read_text(), run("python3", str(ROOT / "tools/make_srgb.py")))

    def test_the_gallery_shows_what_its_commands_draw(self):
        page = (ROOT / "docs/gallery.md").read_text()
        drawn = sorted(re.findall(r"^    stele render .*-o docs/(gallery/\S+)", page, re.M))
        there = sorted("gallery/" + p.name for p in (ROOT / "docs/gallery").iterdir())
        self.assertEqual(drawn, sorted(re.findall(r"!\[[^]]+\]\(([^)]+)\)", page)))
        self.assertEqual(drawn, there)
        self.assertLess(sum((ROOT / "docs" / name).stat().st_size for name in there), 600000)

    def test_the_version_is_in_one_place(self):
        version = re.search(r'#define STELE_VERSION "(.*)"', (ROOT / "include/stele.h").read_text())[1]
        self.assertEqual(run(STELE, "--version").splitlines()[0], "stele " + version)
        spelled = [name for name in run("git", "ls-files", "*.txt", "*.in", "*.toml", "*.py", "*.sh", "*.c", "*.mjs", "*.1", "debian", cwd=ROOT).split()
                   if re.search(rf"(?<![\d.]){re.escape(version)}(?![\d.])", (ROOT / name).read_text())]
        self.assertEqual(spelled, [])
        self.assertTrue((ROOT / "CHANGELOG.md").read_text().startswith(f"# Changelog\n\n## {version} ("))

    def test_links_lead_somewhere(self):
        for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
            for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
                if "://" not in target:
                    self.assertTrue((page.parent / target).exists(), f"{page.name}: {target}")

    def test_nothing_speaks_of_this_machine(self):
        for name in run("git", "ls-files", cwd=ROOT).split():
            if (ROOT / name).exists():
                self.assertNotRegex((ROOT / name).read_bytes(), b"/" + b"work/|/" + b"root/|registry" + rb"\.npmjs", name)


class Header(unittest.TestCase):
    def compile(self, compiler, source, suffix, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / ("program" + suffix)
            path.write_text(source)
            program = Path(folder) / "program"
            run(compiler, "-Wall", "-Wextra", "-Wconversion", "-Werror", *options, f"-I{ROOT}/include", str(path), "-o",
                str(program), str(BUILD / "libstele.a"), *libraries())
            return run(str(program), str(ROOT / "samples/scribe.sgm"))

    def example(self, text):
        return re.search(r"#include <stdio\.h>.*?^\}", text, re.S | re.M)[0]

    def test_example_of_the_readme(self):
        source = self.example((ROOT / "README.md").read_text())
        self.assertLessEqual(len(source.splitlines()), 16)
        self.assertIn("mesh 0: 3396 triangles", self.compile("cc", source, ".c", "-std=c11"))

    def test_example_of_the_header(self):
        text = re.sub(r"^ \*     ", "", (ROOT / "include/stele.h").read_text(), flags=re.M)
        text = re.sub(r"^ \*$", "", text, flags=re.M)
        self.assertIn("mesh 0: 3396 triangles", self.compile("cc", self.example(text), ".c", "-std=c11"))

    def test_header_is_cpp(self):
        source = ("#include <stele.h>\nstruct vertex { float position[3]; };\n"
                  "int main() { stele_options o = {}; stele_close(stele_open(\"x\", &o));\n"
                  "stele_slot slots[] = {STELE_SLOT(STELE_POSITION, 0, STELE_F32, 3, false, vertex, position)};\n"
                  "return slots[0].stride == 12 ? 0 : 1; }\n")
        for standard in "c++11", "c++20":
            self.assertEqual(self.compile("g++", source, ".cpp", "-std=" + standard, "-pedantic", "-Wsign-conversion", "-Wold-style-cast",
                                          "-Wno-missing-field-initializers"), "")


if __name__ == "__main__":
    unittest.main()
