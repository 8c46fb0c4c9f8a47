/* Angles without libm, whose last bits differ from platform to platform: these use + - * / and sqrt alone, and are the same
 * everywhere. Good to about 1e-15. */
#ifndef ST_TRIG_H
#define ST_TRIG_H

double st_sin(double radians);
double st_cos(double radians);
double st_atan2(double y, double x);
double st_acos(double cosine); /* from 0 to pi; outside of -1 to 1 as at the nearer end */

#define ST_PI 3.14159265358979323846

#endif
