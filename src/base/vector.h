/* Three numbers as a place or a direction, and four as a rotation (x, y, z, w). In double precision, as whatever is computed
 * between the floats of files; with an f in single, as pictures are made. Sums go from left to right, so that results are the
 * same everywhere. */
#ifndef ST_VECTOR_H
#define ST_VECTOR_H

#include <math.h>
#include <stdbool.h>

#include "bytes.h"

static inline double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline float dot3f(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cross3(const double a[3], const double b[3], double result[3])
{
    result[0] = a[1] * b[2] - a[2] * b[1];
    result[1] = a[2] * b[0] - a[0] * b[2];
    result[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void cross3f(const float a[3], const float b[3], float result[3])
{
    result[0] = a[1] * b[2] - a[2] * b[1];
    result[1] = a[2] * b[0] - a[0] * b[2];
    result[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void minus3(const double a[3], const double b[3], double result[3])
{
    for (int i = 0; i < 3; i++)
        result[i] = a[i] - b[i];
}

static inline void minus3f(const float a[3], const float b[3], float result[3])
{
    for (int i = 0; i < 3; i++)
        result[i] = a[i] - b[i];
}

/* Floats as doubles, which is exact. */
static inline void widen3(const float a[3], double result[3])
{
    for (int i = 0; i < 3; i++)
        result[i] = (double)a[i];
}

static inline double length3(const double a[3])
{
    return sqrt(dot3(a, a));
}

static inline float length3f(const float a[3])
{
    return sqrtf(dot3f(a, a));
}

static inline double distance3(const double a[3], const double b[3])
{
    double way[3];
    minus3(a, b, way);
    return length3(way);
}

/* To length 1; false, and nothing is changed, if there is no length. */
static inline bool normalize3(double a[3])
{
    double length = length3(a);
    if (!(length > 0) || !isfinite(length))
        return false;
    for (int i = 0; i < 3; i++)
        a[i] /= length;
    return true;
}

static inline bool normalize3f(float a[3])
{
    float square = dot3f(a, a);
    if (!(square > 1e-30f && square < 1e30f))
        return false;
    float scale = 1 / sqrtf(square);
    for (int i = 0; i < 3; i++)
        a[i] *= scale;
    return true;
}

static inline double dot4(const double a[4], const double b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/* The length of a rotation in a file, and whether it is 1 within 1 %. */
static inline float length4_at(const uint8_t *q)
{
    float squares = 0;
    for (int i = 0; i < 4; i++)
        squares += load_f32(q + 4 * i) * load_f32(q + 4 * i);
    return sqrtf(squares);
}

static inline bool unit4_at(const uint8_t *q)
{
    float length = length4_at(q);
    return length >= 0.99f && length <= 1.01f;
}

#endif
