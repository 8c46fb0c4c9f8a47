#!/usr/bin/env python3
"""The library as one pair of files: amalgamate.py FOLDER writes stele.c and stele.h into it.

All sources follow each other, with our headers in their place. What is private to one file stays so: names of file scope that
another file has too get the name of their file, and its macros end with it. That is done on tokens, so that nothing in comments,
strings and names of members is touched. Without image libraries and liblz4, as -DSTELE_WITH_IMAGES=OFF -DSTELE_WITH_LZ4=OFF would
build it.
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
ROOMS = re.findall(r"^    src/(\S+)$", re.search(r"set\(ROOMS\n(.*?)\)", (ROOT / "CMakeLists.txt").read_text(), re.S)[1], re.M)
COMMANDS = re.search(r'"\^src/(system/[^"]*)"\) # the command', (ROOT / "CMakeLists.txt").read_text())[1]
LEFT_OUT = re.compile(COMMANDS + r"|images/(png|jpeg|webp|libraries)\.c$|api/no_draw\.c$")

TOKEN = re.compile(r"""
    (?P<space>\s+|\\\n)
  | (?P<comment>/\*.*?\*/|//[^\n]*)
  | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
  | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<mark>->|\.\.\.|\#\#|.)
""", re.S | re.X)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"[^\n]*\n', re.M)
GUARD = re.compile(r"\A((?:\s|/\*.*?\*/)*)#ifndef (\w+)\n#define \2\n(.*)#endif\s*\Z", re.S)
KEYWORDS = set("""static const extern inline struct union enum typedef void char short int long float double signed unsigned bool
    volatile restrict return if else for while do switch case default break continue goto sizeof _Static_assert register""".split())


def tokens(text):
    return [(m.lastgroup, m.group()) for m in TOKEN.finditer(text)]


def without_directives(text):
    return re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", "", text, flags=re.M)


def skip(items, i, opening, closing):
    """The place after the bracket that closes the one at i."""
    depth = 0
    while i < len(items):
        depth += (items[i] == opening) - (items[i] == closing)
        i += 1
        if not depth:
            break
    return i


def enumerators(body):
    """Of what is between the braces of an enum."""
    names, depth, fresh = [], 0, True
    for word in body:
        depth += (word in "([{") - (word in ")]}")
        if fresh and re.match(r"[A-Za-z_]", word):
            names.append(word)
            fresh = False
        elif word == "," and not depth:
            fresh = True
    return names


def declared(statement):
    """The names that a declaration at file scope introduces."""
    names, i, words = [], 0, []
    while i < len(statement):
        word = statement[i]
        if word in ("struct", "union", "enum") and i + 1 < len(statement):
            tag = statement[i + 1] if statement[i + 1] != "{" else None
            at = i + (2 if tag else 1)
            if at < len(statement) and statement[at] == "{":
                end = skip(statement, at, "{", "}")
                if tag:
                    names.append(tag)
                body = statement[at + 1:end - 1]  # tags in it are of file scope, too
                names += [body[k + 1] for k in range(len(body) - 2) if body[k] in ("struct", "union", "enum") and body[k + 2] == "{"]
                if word == "enum":
                    names += enumerators(statement[at + 1:end - 1])
                i = end
                words.append("int")  # stands for the type
                continue
            i = at
            words.append("int")
            continue
        words.append(word)
        i += 1
    if words[:1] == ["_Static_assert"]:
        return names
    depth, declarator, value = 0, None, False  # value: between = and the next comma
    for i, word in enumerate(words + [";"]):
        if word == "V" and words[i + 1:i + 2] == ["("] and not depth:  # in both precisions
            return names + [words[i + 2], words[i + 2] + "f"]
        if word == "(" and not depth and not value and (declarator or words[i + 1:i + 2] == ["*"]):
            return names + [words[i + 2] if words[i + 1:i + 2] == ["*"] else declarator]  # a function, or a pointer to one
        depth += (word in "([{") - (word in ")]}")
        if word in ("=", ",", ";", "[") and declarator and depth == (word == "["):
            names.append(declarator)
            declarator = None
        if not depth and word in ("=", ","):
            value = word == "="
        elif not depth and not value and i and word not in KEYWORDS and re.match(r"[A-Za-z_]", word):
            declarator = word
    return names


def file_scope(text):
    """All names of file scope in a source, in the order in which they come."""
    words = [t for kind, t in tokens(without_directives(text)) if kind not in ("space", "comment")]
    names, statement, i = [], [], 0
    while i < len(words):
        if words[i] == "{" and (not statement or statement[-1] == ")"):  # the body of a function
            names += declared(statement)
            statement, i = [], skip(words, i, "{", "}")
        elif words[i] == "{":
            end = skip(words, i, "{", "}")
            statement += words[i:end]
            i = end
        elif words[i] == ";":
            names += declared(statement)
            statement, i = [], i + 1
        else:
            statement.append(words[i])
            i += 1
    return {n for n in names if n not in KEYWORDS}


def rename(text, renamed):
    """Names that are no members: not behind . or ->, and not declared in a struct."""
    if not renamed:
        return text
    items = tokens(text)
    solid = [i for i, (kind, _) in enumerate(items) if kind not in ("space", "comment")]
    inside, opened = [], False  # of each brace, whether it is that of a struct
    for at, i in enumerate(solid):
        kind, word = items[i]
        before = items[solid[at - 1]][1] if at else ""
        after = items[solid[at + 1]][1] if at + 1 < len(solid) else ""
        if word in ("struct", "union") and kind == "name":
            two = items[solid[at + 2]][1] if at + 2 < len(solid) else ""
            opened = after == "{" or two == "{"
        if word == "{":
            inside.append(opened)
            opened = False
        elif word == "}" and inside:
            inside.pop()
        if kind != "name" or word not in renamed or before in (".", "->"):
            continue
        if inside and inside[-1] and after in (";", ",", "[", ":", ")"):
            continue
        items[i] = (kind, renamed[word])
    return "".join(word for _, word in items)


class Amalgamation:
    def __init__(self):
        self.paths = [p for room in ROOMS for p in sorted(SRC.glob(room + "/*.c"))
                      if not LEFT_OUT.search(p.relative_to(SRC).as_posix())]
        self.once = set()
        self.texts, self.included = {}, {}

    def find(self, name, here):
        for base in (here.parent, SRC, ROOT / "include"):
            if (base / name).exists():
                return (base / name).resolve()
        raise SystemExit(f"{here}: there is no {name}")

    def text(self, path):
        if path not in self.texts:
            self.texts[path] = path.read_text()
        return self.texts[path]

    def includes(self, path):
        """All of our headers that a file includes, directly or not."""
        if path not in self.included:
            direct = {self.find(name, path) for name in INCLUDE.findall(self.text(path))}
            direct = {header for header in direct if header.name != "stele.h"}
            self.included[path] = direct.union(*(self.includes(header) for header in direct))
        return self.included[path]

    def own(self, path):
        """The text of a file with those of its headers that have no guard: they are parts of it."""
        def part(match):
            header = self.find(match.group(1), path)
            return "" if header.name == "stele.h" or GUARD.match(self.text(header)) else self.own(header)
        guard = GUARD.match(self.text(path))
        return INCLUDE.sub(part, guard.group(1) + guard.group(3) if guard else self.text(path))

    @staticmethod
    def new_name(name, path):
        stem = path.relative_to(SRC).with_suffix("").as_posix()
        return f"{name}_{re.sub(r'[^A-Za-z0-9]', '_', stem)}"

    def clashes(self):
        """For each source, the names to change: those that others have, too. What a source shares with a header of its own is
        the header's."""
        guarded = {h for p in self.paths for h in self.includes(p) if GUARD.match(self.text(h))}
        owners = defaultdict(set)
        shared = set()
        for path in self.paths:
            for name in file_scope(self.own(path)):
                if not name.startswith(("stele_", "st_")):
                    owners[name].add(path)
        for header in guarded:
            for name in file_scope(self.own(header)):
                shared.add((name, header))
        in_headers = defaultdict(set)
        for name, header in shared:
            in_headers[name].add(header)
        changes = defaultdict(dict)
        for name, paths in owners.items():
            for path in paths:
                theirs = in_headers[name] - self.includes(path)
                if len(paths) > 1 or theirs:
                    if in_headers[name] & self.includes(path):
                        continue
                    changes[path][name] = self.new_name(name, path)
        for name, headers in in_headers.items():
            for header in headers if len(headers) > 1 else ():
                changes[header][name] = self.new_name(name, header)
        for path in [*self.paths, *guarded]:
            for header in self.includes(path):
                changes[path].update(changes[header] if header in guarded else {})
        return changes

    def headers(self, path):
        """Those of a file that are not there yet, before it: a file may include them under a condition."""
        out = []
        for name in INCLUDE.findall(self.text(path)):
            header = self.find(name, path)
            guard = GUARD.match(self.text(header))
            if header.name != "stele.h" and header not in self.once:
                self.once.update({header} if guard else ())
                out.append(self.headers(header))
                out.append(rename(self.own(header), self.changes[header]) if guard else "")
        return "".join(out)

    def source(self):
        changes = self.changes = self.clashes()
        version = re.search(r'#define STELE_VERSION "(.*)"', (ROOT / "include/stele.h").read_text())[1]
        parts = [f"/* Stele {version} in one file, made by tools/amalgamate.py: compile it as C11, beside stele.h. Without PNG, JPEG and "
                 "WebP.\n * -ffp-contract=off, which is the default with -std=c11, gives the same bytes on every machine.\n *\n"
                 + "".join(f" * {line}".rstrip() + "\n" for line in (ROOT / "LICENSE").read_text().strip().splitlines()) + " */\n"
                 "#if !defined(_WIN32) && !defined(__wasi__) && !defined(_GNU_SOURCE)\n#define _GNU_SOURCE\n#endif\n"
                 "#if !defined(_WIN32) && !defined(_FILE_OFFSET_BITS)\n#define _FILE_OFFSET_BITS 64\n#endif\n"
                 "#ifndef _POSIX_C_SOURCE\n#define _POSIX_C_SOURCE 200809L\n#endif\n"
                 "#define STELE_WITHOUT_LZ4\n#include \"stele.h\"\n"]
        for path in self.paths:
            text = re.sub(r"^#define _(?:GNU|POSIX_C|XOPEN)_SOURCE[^\n]*\n", "", self.own(path), flags=re.M)
            body = self.headers(path) + rename(text, changes[path])
            macros = dict.fromkeys(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", rename(text, changes[path]), re.M))
            parts.append(f"\n/* ==== {path.relative_to(ROOT).as_posix()} ==== */\n{body}" + "".join(f"#undef {m}\n" for m in macros))
        return "".join(parts)


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "stele.c").write_text(Amalgamation().source())
    (folder / "stele.h").write_text((ROOT / "include/stele.h").read_text())


if __name__ == "__main__":
    main()
