#!/usr/bin/env python3
"""Prints python/stele/_header.py: what include/stele.h declares, for ctypes."""
import re
from pathlib import Path

HEADER = Path(__file__).resolve().parent.parent / "include/stele.h"
PLAIN = {"void": None, "bool": "c_bool", "char": "c_char", "uint8_t": "c_uint8", "uint16_t": "c_uint16", "uint32_t": "c_uint32",
         "uint64_t": "c_uint64", "int": "c_int", "unsigned": "c_uint", "size_t": "c_size_t", "float": "c_float", "double": "c_double"}


def code():
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S)
    return re.sub(r"^\s*#(?:\\\n|[^\n])*", "", text, flags=re.M)


class Header:
    def __init__(self):
        self.text = code()
        self.enums = re.findall(r"typedef enum (\w+) \{(.*?)\} \1;", self.text, re.S)
        self.enums += [("", body) for body in re.findall(r"(?<!\w)enum \{(.*?)\};", self.text, re.S)]
        self.structs = re.findall(r"typedef struct (\w+) \{(.*?)\} \1;", self.text, re.S)
        self.opaque = set(re.findall(r"typedef struct (\w+) \1;", self.text))
        self.constants = self.values()

    def values(self):
        values = {"STELE_NONE": 0xFFFFFFFF, "STELE_NOWHERE": 0xFFFFFFFFFFFFFFFF}
        for _, body in self.enums:
            value = -1
            for item in filter(str.strip, body.split(",")):
                name, _, said = (part.strip() for part in item.partition("="))
                value = eval(said, {}, values) if said else value + 1  # the header's own numbers
                values[name] = value
        return values

    def type(self, words, stars):
        """Of a base type and so many *."""
        base = next(w for w in words.split() if w not in ("const", "struct", "enum"))
        if base in self.opaque or stars and base == "void":
            return "c_void_p" if stars == 1 else "POINTER(c_void_p)"
        if base == "char" and stars:
            made, stars = "c_char_p", stars - 1
        elif base in PLAIN:
            made = PLAIN[base]
        elif base in {name for name, _ in self.structs}:
            made = base
        elif base in {name for name, _ in self.enums}:
            made = "c_int"
        else:
            made, stars = "c_void_p", 0  # a function
        for _ in range(stars):
            made = f"POINTER({made})"
        return made

    def fields(self, body):
        for line in filter(str.strip, body.split(";")):
            pointer = re.search(r"\(\*(\w+)\)\s*\(", line)
            if pointer:
                yield pointer[1], "c_void_p"
                continue
            words, rest = re.match(r"\s*((?:const\s+)?\w+)\s+(.*)", " ".join(line.split())).groups()
            for item in re.sub(r"\bconst\b", "", rest).split(","):
                stars, name, count = re.match(r"\s*([*\s]*)(\w+)(?:\[(\w+)\])?", item).groups()
                kind = self.type(words, stars.count("*"))
                yield name, f"{kind} * {self.constants.get(count, count)}" if count else kind

    def functions(self):
        for returned, name, arguments in re.findall(r"STELE_API\s+([^;]*?)\b(stele_\w+)\(([^;]*)\);", self.text):
            kinds = []
            for argument in re.split(r",(?![^(]*\))", arguments):
                argument = " ".join(argument.split())
                stars = argument.count("*") + argument.count("[")
                if argument != "void":
                    kinds.append("c_void_p" if "(" in argument else self.type(argument.split("*")[0], stars))
            yield name, self.type(returned.replace("*", " "), returned.count("*")), kinds

    def print(self):
        print('"""What include/stele.h declares, for ctypes: printed by tools/make_python.py."""')
        print("from ctypes import (POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_float, c_int, c_size_t, c_uint, c_uint8, c_uint16,\n"
              "                    c_uint32, c_uint64, c_void_p)  # noqa: F401\n")
        for name, value in self.constants.items():
            print(f"{name[6:]} = {value}")
        for name, body in self.structs:
            print(f"\n\nclass {name}(Structure):\n    _fields_ = [")
            for field, kind in self.fields(body):
                print(f'        ("{field}", {kind}),')
            print("    ]")
        print("\n\nFUNCTIONS = {")
        for name, returned, kinds in self.functions():
            print(f'    "{name}": ({returned}, [{", ".join(kinds)}]),')
        print("}")


if __name__ == "__main__":
    Header().print()
