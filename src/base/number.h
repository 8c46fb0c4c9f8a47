/* Numbers as text, in JSON and OBJ: printed as short as possible, read with correct rounding, whatever the locale. */
#ifndef ST_NUMBER_H
#define ST_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

/* The shortest decimal that reads back as the same number, and of those the nearest one. Finite numbers only. Returns its
 * length; there is no NUL at the end, and all NUMBER_CHARS bytes may be overwritten. -0 is "-0". */
enum { NUMBER_CHARS = 32 };
size_t st_print_f32(char *out, float value);
size_t st_print_f64(char *out, double value);
size_t st_print_u32(char *out, uint32_t value);

/* Several floats, with a blank before each: faster than one by one. Returns where they end. */
enum { MOST_IN_ROW = 8 };
char *st_print_row(char *out, const float *values, size_t count);

/* Reads [+-]digits[.digits][e[+-]digits], of any length; one of the two runs of digits before e may be empty. Returns where it
 * ends, or NULL if there is no number. What is too large becomes infinity, what is too small 0. */
const char *st_parse_f32(const char *p, const char *end, float *value);
const char *st_parse_f64(const char *p, const char *end, double *value);

/* ---- Digits, eight at a time ---- */

/* How many of eight bytes, from the lowest on, are digits. */
static inline unsigned number_digits_of(uint64_t eight)
{
    uint64_t high = (eight ^ 0x3030303030303030) | ((eight ^ 0x3030303030303030) + 0x0606060606060606);
    uint64_t others = high & 0xf0f0f0f0f0f0f0f0;
    return others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
}

/* The value of the first so many of them, at least one. */
static inline uint32_t number_value_of(uint64_t eight, unsigned count)
{
    uint64_t v = (eight ^ 0x3030303030303030) << (64 - 8 * count); /* the others become leading zeros */
    v = v * 10 + (v >> 8);
    v = ((v & 0x000000ff000000ff) * 0x000f424000000064 + ((v >> 16) & 0x000000ff000000ff) * 0x0000271000000001) >> 32;
    return (uint32_t)v;
}

/* The digits of a number below 10 ^ 8, one a byte, the first one lowest: halved three times, both halves of all at once. */
static inline uint64_t number_eight_digits(uint32_t value)
{
    uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
    uint64_t high = (fours * 10486 >> 20) & 0x0000007f0000007f;
    uint64_t twos = high | (fours - 100 * high) << 16;
    high = (twos * 103 >> 10) & 0x000f000f000f000f;
    return high | (twos - 10 * high) << 8;
}

/* The text of such a number in eight bytes as they are in memory, and its length: to be written several times. */
static inline size_t number_text(uint32_t value, uint64_t *text)
{
    uint64_t digits = number_eight_digits(value);
    int missing = digits ? __builtin_ctzll(digits) / 8 : 7;
    *text = (digits + 0x3030303030303030) >> 8 * missing;
    *text = HOST_IS_BIG_ENDIAN ? __builtin_bswap64(*text) : *text;
    return (size_t)(8 - missing);
}

#endif
