/* Powers without libm, whose last bits differ from platform to platform: of + - * / alone, and the same everywhere. */
#ifndef ST_POWER_H
#define ST_POWER_H

/* A positive base to any power, within 1.2 units in the last place; 0 if the base is not positive. Results too large for a
 * double are infinite, and those below the normal numbers 0. */
double st_power(double base, double exponent);

#endif
