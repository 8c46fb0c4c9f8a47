#include "power.h"

#include <math.h>

/* A number as the sum of two, the second too small for the last digit of the first. */
typedef struct pair {
    double high, low;
} pair;

static pair sum(double a, double b)
{
    double high = a + b, of_b = high - a;
    return (pair){high, (a - (high - of_b)) + (b - of_b)};
}

/* Both halves of a factor have half the digits, so that their products are exact. */
static pair halves(double a)
{
    double shifted = a * 134217729.0, high = shifted - (shifted - a);
    return (pair){high, a - high};
}

static pair product(double a, double b)
{
    pair x = halves(a), y = halves(b);
    double high = a * b;
    return (pair){high, ((x.high * y.high - high) + x.high * y.low + x.low * y.high) + x.low * y.low};
}

static const pair log_of_2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

/* 2 * (s + s^3 / 3 + s^5 / 5 ...), where s = (m - 1) / (m + 1) and m is between sqrt(1/2) and sqrt(2). */
static pair logarithm(double base)
{
    int exponent;
    double m = frexp(base, &exponent), series = 0;
    if (m < 0.70710678118654752) {
        m *= 2;
        exponent--;
    }
    pair below = sum(m, 1);
    double s = (m - 1) / below.high;
    pair back = product(s, below.high);
    double rest = (((m - 1) - back.high) - back.low - s * below.low) / below.high, square = s * s;
    for (int i = 27; i > 1; i -= 2)
        series = square * (1.0 / i + series);
    pair whole = product(exponent, log_of_2.high), all = sum(whole.high, 2 * s);
    return sum(all.high, all.low + (whole.low + exponent * log_of_2.low + 2 * (rest + s * series)));
}

double st_power(double base, double exponent)
{
    if (!(base > 0) || !isfinite(base) || !isfinite(exponent))
        return 0;
    pair log = logarithm(base), way = product(log.high, exponent);
    way.low += log.low * exponent;
    if (!(way.high > -708))
        return 0;
    if (!(way.high < 710))
        return INFINITY;
    double twos = floor(way.high / log_of_2.high + 0.5);
    pair whole = product(twos, log_of_2.high);
    pair x = sum(way.high - whole.high, way.low - whole.low - twos * log_of_2.low);
    double series = 0;
    for (int i = 16; i > 1; i--)
        series = x.high / i * (1 + series);
    return ldexp(1 + (x.high + (x.high * series + x.low)), (int)twos);
}
