/* Fast answers about bulk data: is any float not finite, is any index too large, how far do points reach? Plain loops that
 * compilers vectorise. */
#ifndef ST_SCAN_H
#define ST_SCAN_H

#include "stele.h"

/* True if any of the packed little-endian float32 is NaN or infinite. */
bool st_scan_nonfinite(const uint8_t *data, uint64_t count);

/* The same for some floats at the start of each row of stride bytes. */
bool st_scan_nonfinite_rows(const uint8_t *data, uint64_t rows, uint32_t stride, uint32_t count);

/* True if any of the packed unsigned integers of this type is >= limit. */
bool st_scan_beyond(const uint8_t *data, uint64_t count, stele_type type, uint64_t limit);

/* The same for some integers at the start of each row of stride bytes. */
bool st_scan_beyond_rows(const uint8_t *data, uint64_t rows, uint32_t stride, uint32_t count, stele_type type, uint64_t limit);

/* Widens a box by rows of three little-endian float32, which must be finite. */
void st_scan_bounds(const uint8_t *data, uint64_t rows, uint32_t stride, float min[3], float max[3]);

/* True if any of some floats at the start of each row of stride bytes is not between least and most, both included. */
bool st_scan_outside_rows(const uint8_t *data, uint64_t rows, uint32_t stride, uint32_t count, float least, float most);

/* True if the square of the length of any row of three floats is not between both, these excluded. */
bool st_scan_squares_outside(const uint8_t *data, uint64_t rows, uint32_t stride, float least, float most);

#endif
