/* Three floats, and four lanes for the four samples of a pixel. */
#ifndef ST_VECTOR_H
#define ST_VECTOR_H

#include <math.h>
#include <stdint.h>

static inline float dot3(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cross3(const float a[3], const float b[3], float result[3])
{
    result[0] = a[1] * b[2] - a[2] * b[1];
    result[1] = a[2] * b[0] - a[0] * b[2];
    result[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void minus3(const float a[3], const float b[3], float result[3])
{
    for (int i = 0; i < 3; i++)
        result[i] = a[i] - b[i];
}

/* False, and nothing is changed, if there is no length. */
static inline int normalize3(float a[3])
{
    float square = dot3(a, a);
    if (!(square > 1e-30f && square < 1e30f))
        return 0;
    float scale = 1 / sqrtf(square);
    for (int i = 0; i < 3; i++)
        a[i] *= scale;
    return 1;
}

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
