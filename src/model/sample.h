/* Channels at a time, in double precision for numbers that are kept, with an f in single for what is drawn and forgotten: both
 * are the same code, sample_rows.h. */
#ifndef ST_SAMPLE_H
#define ST_SAMPLE_H

#include "stele.h"

/* What is so far from a rotation, in the square of its length, is one but for rounding. */
#define ROUNDING_OF_TURNS 1e-5

/* A time between two keys: the row before it, and how far it is to the next (0 at or beyond the ends). */
typedef struct key_place {
    uint64_t row;
    double fraction, seconds; /* seconds from that row to the next */
} key_place;

/* Where a time lies among the times of a channel that has some. key, which may be NULL, remembers where that was: whatever it
 * holds, the result is the same. */
key_place st_find_key(const stele_view *times, double seconds, uint32_t *key);

/* What a channel says there, width numbers: 3, 4 for a rotation, or one for each morph. */
void st_channel_at(const stele_channel *c, const key_place *found, uint32_t width, double *result);
void st_channel_atf(const stele_channel *c, const key_place *found, uint32_t width, float *result);

/* One number of a channel at a time. */
key_place st_key_place(const stele_channel *c, double seconds);
double st_channel_number(const stele_channel *c, const key_place *place, uint32_t width, uint32_t index);

#endif
