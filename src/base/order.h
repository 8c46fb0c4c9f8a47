/* The lesser and the greater of two numbers. Which zero fmax(-0, 0) is C leaves open, libraries differ, and then files would:
 * here it is the second of what is equal. What is no number loses. */
#ifndef ST_ORDER_H
#define ST_ORDER_H

static inline double lesser(double a, double b)
{
    return a < b || b != b ? a : b;
}

static inline double greater(double a, double b)
{
    return a > b || b != b ? a : b;
}

static inline float lesserf(float a, float b)
{
    return a < b || b != b ? a : b;
}

static inline float greaterf(float a, float b)
{
    return a > b || b != b ? a : b;
}

#endif
