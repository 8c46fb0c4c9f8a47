/* Colours as screens take them (sRGB) and as light adds up (linear), from 0 to 1: by tables and powers of our own, the same on
 * every machine. */
#ifndef ST_SRGB_H
#define ST_SRGB_H

#include <stdint.h>

/* Linear light to the nearest sRGB byte, and back. */
uint8_t st_srgb_byte(float linear);
extern const float st_srgb_linear[256];
extern const float st_unit_of_byte[256]; /* those that are not sRGB: divided by 255 */

/* The light of any sRGB number, beyond 1 too. */
float st_linear_of_srgb(float srgb);

#endif
