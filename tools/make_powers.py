#!/usr/bin/env python3
"""Prints src/base/powers.h: the leading 128 bits of the powers of ten that reading and printing numbers needs."""
from fractions import Fraction

LEAST, MOST = -342, 324


def leading_bits(exponent):
    """The largest integer below 2 ** 128 that is 10 ** exponent, times a power of two, rounded down."""
    power = Fraction(10) ** exponent
    shift = 128 - (power.numerator.bit_length() - power.denominator.bit_length())
    bits = int(power * Fraction(2) ** shift)
    while bits >> 128:
        shift -= 1
        bits = int(power * Fraction(2) ** shift)
    assert bits >> 127 == 1
    return bits


def main():
    print("/* The leading 128 bits of 10 to the power of POWERS_LEAST ... POWERS_MOST, rounded down. Made by tools/make_powers.py. */")
    print("#ifndef ST_POWERS_H\n#define ST_POWERS_H\n")
    print("#include <stdint.h>\n")
    print(f"enum {{ POWERS_LEAST = {LEAST}, POWERS_MOST = {MOST} }};\n")
    print("/* clang-format off */")
    print(f"static const uint64_t powers_of_ten[{MOST - LEAST + 1}][2] = {{")
    for exponent in range(LEAST, MOST + 1):
        bits = leading_bits(exponent)
        print(f"    {{0x{bits >> 64:016x}, 0x{bits & (1 << 64) - 1:016x}}}, /* {exponent} */")
    print("};\n/* clang-format on */\n\n#endif")


if __name__ == "__main__":
    main()
