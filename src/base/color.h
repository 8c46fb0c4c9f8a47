/* Colours as screens take them (sRGB) and as light adds up (linear): numbers from 0 to 1. */
#ifndef ST_COLOR_H
#define ST_COLOR_H

double st_linear_of_srgb(double srgb);
double st_srgb_of_linear(double linear);

#endif
