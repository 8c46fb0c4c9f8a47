#!/usr/bin/env python3
"""Prints src/base/srgb_tables.h: what bytes mean as tables, so that no machine's pow decides a pixel."""
import struct
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 60
LEAST_EXPONENT = -13  # anything below 2 ** -13 is nearest to byte 0
BUCKETS = 128  # of each power of two: fine enough that at most one boundary between two bytes is in a bucket


def linear(srgb):
    """The light of an sRGB value, both from 0 to 1."""
    srgb = Decimal(srgb.numerator) / Decimal(srgb.denominator)
    if srgb <= Decimal("0.04045"):
        return Fraction(srgb / Decimal("12.92"))
    return Fraction(((srgb + Decimal("0.055")) / Decimal("1.055")) ** Decimal("2.4"))


def float_of_bits(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def float_neighbours(value):
    """The largest float that is not above a positive number, and the next one."""
    bits = struct.unpack("<I", struct.pack("<f", float(value)))[0] - 2
    while Fraction(float_of_bits(bits + 1)) <= value:
        bits += 1
    return float_of_bits(bits), float_of_bits(bits + 1)


def nearest_float(value):
    if value == 0:
        return 0.0
    below, above = float_neighbours(value)
    return below if value - Fraction(below) <= Fraction(above) - value else above


def least_float(value):
    """The smallest float that is not below a positive number."""
    below, above = float_neighbours(value)
    return below if Fraction(below) == value else above


def table(declaration, items, a_line):
    print(f"{declaration} = {{")
    for start in range(0, len(items), a_line):
        print("    " + ", ".join(items[start : start + a_line]) + ",")
    print("};\n")


def main():
    boundaries = [least_float(linear(Fraction(2 * i + 1, 510))) for i in range(255)]
    first_byte = []
    for exponent in range(LEAST_EXPONENT, 0):
        for step in range(BUCKETS):
            low = 2.0**exponent * (1 + step / BUCKETS)
            high = 2.0**exponent * (1 + (step + 1) / BUCKETS)
            first_byte.append(sum(b <= low for b in boundaries))
            assert sum(low < b < high for b in boundaries) <= 1
    assert boundaries[0] > 2.0**LEAST_EXPONENT

    print("/* What bytes mean: defined by srgb.c. Made by tools/make_srgb.py. */")
    print("#ifndef ST_SRGB_TABLES_H\n#define ST_SRGB_TABLES_H\n")
    print('#include "srgb.h"\n')
    print("/* clang-format off */")
    print("/* The light of every byte. */")
    table("const float st_srgb_linear[256]",
          [f"{nearest_float(linear(Fraction(i, 255))):.9e}f" for i in range(256)], 6)
    print("/* Every byte as a number from 0 to 1. */")
    table("const float st_unit_of_byte[256]", [f"{nearest_float(Fraction(i, 255)):.9e}f" for i in range(256)], 6)
    print("/* The least light whose nearest byte is above the index; of the last there is none. */")
    table("static const float byte_boundaries[256]", [f"{b:.9e}f" for b in [*boundaries, 2.0]], 6)
    print(f"/* The byte of the least light of every bucket: {BUCKETS} for each power of two, from 2 ** {LEAST_EXPONENT} up to 1. */")
    print(f"#define FIRST_BYTE_BITS 0x{struct.unpack('<I', struct.pack('<f', 2.0 ** LEAST_EXPONENT))[0]:08x}u")
    print(f"#define FIRST_BYTE_SHIFT {23 - (BUCKETS.bit_length() - 1)}")
    table(f"static const uint8_t first_bytes[{len(first_byte)}]", [str(b) for b in first_byte], 24)
    print("/* clang-format on */\n\n#endif")


if __name__ == "__main__":
    main()
