/* Quaternions in single precision, for poses of every frame: here, so that they become part of the loops over joints. */
#ifndef ST_TURN_H
#define ST_TURN_H

#include <math.h>
#include <stdbool.h>

#include "lanes.h"

static inline float square4f(const float q[4])
{
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
}

/* Identity if it has no length. Near 1 the inverse of a root is a line. */
static inline void st_quaternion_normalizef(float q[4])
{
    float square = square4f(q), scale = 1.5f - 0.5f * square;
    if (!(square > 0.9998f && square < 1.0002f)) {
        if (!(square > 1e-30f && square < 1e30f)) {
            q[0] = q[1] = q[2] = 0;
            q[3] = 1;
            return;
        }
        scale = 1 / sqrtf(square);
    }
    for (int i = 0; i < 4; i++)
        q[i] *= scale;
}

/* sin((1 - t) angle) / sin(angle) and sin(t angle) / sin(angle), where x = cos(angle) - 1. */
void st_sine_ratios(float x, float t, float *u, float *v);

/* The first terms of their series, enough for small angles; of one t and x, or of lanes. */
#define FIRST_SINE_RATIO(t, x)                                                                                                 \
    ((t) * (1 + ((t) * (t)-1) * (1 / 3.0f) * (x) *                                                                             \
                    (1 + ((t) * (t)-4) * (1 / 10.0f) * (x) * (1 + ((t) * (t)-9) * (1 / 21.0f) * (x)))))
#define SMALL_ANGLE -0.01f /* cos(angle) - 1 above it */

/* From a to b along the shorter arc. At 0 and 1 the result is exactly a and exactly b or -b. */
static inline void st_quaternion_slerpf(const float a[4], const float b[4], float t, float result[4])
{
    float dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3], sign = dot < 0 ? -1.0f : 1.0f, x = dot * sign - 1;
    if (!(t > 0 && t < 1)) {
        for (int i = 0; i < 4; i++)
            result[i] = t > 0 ? b[i] * sign : a[i];
        return;
    }
    float s = 1 - t, u, v;
    if (x > SMALL_ANGLE) {
        u = FIRST_SINE_RATIO(s, x);
        v = FIRST_SINE_RATIO(t, x);
    } else {
        st_sine_ratios(x, t, &u, &v);
    }
    v *= sign;
    for (int i = 0; i < 4; i++)
        result[i] = u * a[i] + v * b[i];
    st_quaternion_normalizef(result);
}

static inline float4 dot4_lanes(const float4 a[4], const float4 b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static inline int4 is_between(float4 x, float low, float high)
{
    return (x > low) & (x < high);
}

/* Four of them, of which a[0] has the first numbers. Lanes are right that the mask has: the usual ones, between rotations that
 * are near each other; the others want st_quaternion_slerpf. */
static inline int4 st_quaternion_slerp_lanes(const float4 a[4], const float4 b[4], float4 t, float4 result[4])
{
    float4 dot = dot4_lanes(a, b), sign = select_float(dot < 0, all_float(-1), all_float(1)), x = dot * sign - 1, s = 1 - t;
    float4 u = FIRST_SINE_RATIO(s, x), v = FIRST_SINE_RATIO(t, x) * sign;
    for (int i = 0; i < 4; i++)
        result[i] = u * a[i] + v * b[i];
    float4 square = dot4_lanes(result, result), scale = 1.5f - 0.5f * square;
    for (int i = 0; i < 4; i++)
        result[i] *= scale;
    return is_between(t, 0, 1) & (x > SMALL_ANGLE) & is_between(square, 0.9998f, 1.0002f);
}

#endif
