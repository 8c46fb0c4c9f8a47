#include "srgb_tables.h"

#include <string.h>

#include "power.h"

/* The bits of a positive float are in the order of its value: the upper ones choose a bucket, in which at most one boundary
 * between two bytes lies. */
uint8_t st_srgb_byte(float linear)
{
    uint32_t bits;
    memcpy(&bits, &linear, sizeof bits);
    if (!(linear < 1))
        return linear >= 1 ? 255 : 0; /* not a number: black */
    if (linear < byte_boundaries[0])
        return 0;
    uint8_t byte = first_bytes[(bits - FIRST_BYTE_BITS) >> FIRST_BYTE_SHIFT];
    return (uint8_t)(byte + (linear >= byte_boundaries[byte]));
}

float st_linear_of_srgb(float srgb)
{
    return srgb <= 0.04045f ? srgb / 12.92f : (float)st_power(((double)srgb + 0.055) / 1.055, 2.4);
}
