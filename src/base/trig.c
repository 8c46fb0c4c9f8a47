#include "trig.h"

#include <math.h>

/* The series of the sine, from 0 to pi / 4, where its ninth term is too small to count. */
static double sine_series(double x)
{
    double square = x * x, sum = 0;
    for (int i = 17; i > 1; i -= 2)
        sum = (1 - sum) * square / (i * (i - 1));
    return x * (1 - sum);
}

static double cosine_series(double x)
{
    double square = x * x, sum = 0;
    for (int i = 18; i > 1; i -= 2)
        sum = (1 - sum) * square / (i * (i - 1));
    return 1 - sum;
}

/* The sine of x and so many quarters of a turn. */
static double sine_of(double x, double quarters)
{
    /* far from 0 the angle is not known to better than this anyway */
    double nearest = floor(x / (ST_PI / 2) + 0.5);
    double rest = x - nearest * (ST_PI / 2);
    double turns = (nearest + quarters) / 4;
    int quadrant = (int)((turns - floor(turns)) * 4 + 0.5);
    double value = quadrant % 2 ? cosine_series(rest) : sine_series(rest);
    return quadrant % 4 < 2 ? value : -value;
}

double st_sin(double radians)
{
    return isfinite(radians) ? sine_of(radians, 0) : 0;
}

double st_cos(double radians)
{
    return isfinite(radians) ? sine_of(radians, 1) : 1;
}

/* The angle of a tangent from 0 to 1: halved twice, so that the series is short. */
static double angle_of_tangent(double t)
{
    for (int i = 0; i < 2; i++)
        t = t / (1 + sqrt(1 + t * t));
    double square = t * t, sum = 0;
    for (int i = 25; i >= 1; i -= 2)
        sum = 1.0 / i - square * sum;
    return 4 * t * sum;
}

/* From 0 to pi: across is not negative. */
static double angle_to(double along, double across)
{
    double x = fabs(along), angle = across < x ? angle_of_tangent(across / x) : ST_PI / 2 - angle_of_tangent(x / across);
    return along < 0 ? ST_PI - angle : angle;
}

double st_acos(double cosine)
{
    if (!(cosine > -1))
        return ST_PI;
    return cosine < 1 ? angle_to(cosine, sqrt((1 - cosine) * (1 + cosine))) : 0;
}

double st_atan2(double y, double x)
{
    double angle = x == 0 && y == 0 ? 0 : angle_to(x, fabs(y));
    return y < 0 ? -angle : angle;
}
