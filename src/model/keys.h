/* Keys out of files, made fit: in order, and rotations that are some. */
#ifndef ST_KEYS_H
#define ST_KEYS_H

#include "load.h"

/* The keys of a track in the order of time. Times are increasing, and the rows of the file say which key is which. */
typedef struct key_order {
    stele_view times; /* seconds */
    uint64_t *row;
    bool as_they_are; /* row i is key i */
} key_order;

/* Sorts keys, moves those before 0 to 0, and of several at the same time keeps the last. What had to be changed is reported
 * at the path; stored is the times as the file has them. False without memory. There is room for one more key at the end, see
 * st_keys_hold. */
bool st_keys_order(context *c, const double *seconds, const stele_view *stored, diag_place at, key_order *order);

/* The last key once more at a later time. */
void st_keys_hold(key_order *order, double seconds);

/* Those rows of a view, in that order. */
stele_view st_keys_take(const context *c, const key_order *order, const stele_view *values);

/* Rotations of length 1, neighbours in the same hemisphere, so that whoever interpolates takes the shorter way. */
stele_view st_repair_rotations(context *c, const stele_view *rotation, diag_place at);

#endif
