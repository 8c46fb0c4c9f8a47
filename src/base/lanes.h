/* Four lanes: for the samples of a pixel, or for joints that turn together. */
#ifndef ST_LANES_H
#define ST_LANES_H

#include <stdint.h>

static inline float clamp_unit(float x)
{
    return x > 0 ? (x < 1 ? x : 1) : 0;
}

/* The compilers' own vectors: the same arithmetic in every lane as alone. */
typedef int32_t int4 __attribute__((vector_size(16)));
typedef float float4 __attribute__((vector_size(16)));
typedef uint64_t two_halves __attribute__((vector_size(16)));

static inline int4 all_int(int32_t x)
{
    return (int4){x, x, x, x};
}

static inline float4 all_float(float x)
{
    return (float4){x, x, x, x};
}

static inline int any(int4 mask)
{
    two_halves halves = (two_halves)mask;
    return (halves[0] | halves[1]) != 0;
}

static inline float4 select_float(int4 mask, float4 yes, float4 no)
{
    return (float4)(((int4)yes & mask) | ((int4)no & ~mask));
}

static inline int4 select_int(int4 mask, int4 yes, int4 no)
{
    return (yes & mask) | (no & ~mask);
}

#endif
