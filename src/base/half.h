/* Floats of 16 bits, as graphics hardware has them: 1 of sign, 5 of exponent, 10 of mantissa. */
#ifndef ST_HALF_H
#define ST_HALF_H

#include "bytes.h"

#define MOST_HALF 65504.0f
#define BEYOND_HALF 65520.0f /* what is nearer to the next, which is infinite */

static inline uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The nearest half of a float below BEYOND_HALF; of two, the even one. Without branches and in 32 bits, for the
 * compiler's vectors. */
static inline uint32_t half_of(float value)
{
    const uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
    /* the adder rounds what is subnormal as a half, if it is added to a number whose last bit is the least half */
    const uint32_t smallest_unit = 126u << 23,
                   small = bits_of(float_of_bits(size) + float_of_bits(smallest_unit)) - smallest_unit;
    const uint32_t normal = (size - (112u << 23) + 0xfffu + (size >> 13 & 1u)) >> 13;
    const uint32_t is_small = 0u - (uint32_t)((int32_t)size < (113 << 23));
    return sign | (small & is_small) | (normal & ~is_small);
}

static inline float load_f16(const uint8_t *p)
{
    const uint32_t half = load_u16(p), sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31u, mantissa = half & 0x3ffu;
    if (exponent == 31)
        return float_of_bits(sign | 0x7f800000u | mantissa << 13);
    if (exponent)
        return float_of_bits(sign | (exponent + 112u) << 23 | mantissa << 13);
    return float_of_bits(sign | bits_of((float)mantissa * 0x1p-24f));
}

#endif
