/* Columns of numbers: rows of a view as floats, and floats as the numbers that a GPU takes. */
#ifndef ST_COLUMNS_H
#define ST_COLUMNS_H

#include "stele.h"

enum {
    BLOCK = 64,
    MOST_WIDTH = 16
}; /* rows that are worked on at once, for they stay in the nearest cache; numbers in a row */

/* Rows of a view as packed floats, width of them each; what the view lacks is neutral. */
void st_load_rows(const stele_view *v, uint64_t first, size_t count, uint32_t width, const float *neutral, float *rows);

/* What is neutral into packed rows of so many floats, from the given ones on. */
void st_fill_rows(const float *neutral, uint32_t given, uint32_t width, size_t count, float *rows);

/* Packed floats as numbers of the machine's byte order, stride bytes apart. False if some did not fit, and were clamped: then
 * rows are changed too. */
bool st_store_rows(float *rows, size_t count, uint32_t width, stele_type type, bool normalized, uint8_t *out, size_t stride);

/* The bytes of rows as they are. */
void st_copy_rows(const uint8_t *from, size_t from_stride, uint8_t *to, size_t to_stride, uint64_t count, size_t bytes);

/* True if the numbers of a view are, as bytes, what such a column has. */
bool st_same_numbers(const stele_view *v, stele_type type, uint32_t width, bool normalized);

#endif
