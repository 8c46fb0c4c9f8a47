/* Where the numbers and parts of a model came from. What points into the file needs no word; of what is made from it, loading
 * notes which bytes that were. Nothing is kept unless the caller wants to know (stele_load_options.origins). */
#ifndef ST_ORIGIN_H
#define ST_ORIGIN_H

#include "context.h"

typedef struct byte_range {
    const uint8_t *at;
    uint64_t size;
} byte_range;

/* Rows of bytes that were made of others: evenly spaced, or listed one by one. */
typedef struct made_rows {
    const uint8_t *data;
    uint64_t size;
    uint32_t stride;
    const uint8_t *from;
    uint32_t from_stride, from_size;
    const byte_range *each;
} made_rows;

typedef struct part_origin {
    stele_part part;
    uint32_t index;
    const char *file; /* one beside the model, or NULL */
    uint64_t offset;
    const char *path;
} part_origin;

typedef struct origins {
    arena arena;     /* of its own: loading goes back in the handle's */
    made_rows *made; /* both are sorted when they are asked for */
    size_t made_count, made_capacity, made_sorted;
    part_origin *parts;
    size_t part_count, part_capacity, parts_sorted;
    open_places open;
    const char *file; /* whose walk finds places now: that of a companion, or NULL */
} origins;

/* Row i of a view was made of row i of another. */
void st_made_of(const context *c, const stele_view *made, const stele_view *from);

/* The same of any bytes: each stride of them was made of from_size bytes. */
void st_made_of_bytes(const context *c, const void *made, uint64_t size, uint32_t stride, const void *from,
                      uint32_t from_stride, uint32_t from_size);

/* A list, to be filled with the bytes that each row was made of; NULL if nobody wants to know, or without memory. */
byte_range *st_made_of_each(const context *c, const stele_view *made);

/* The bytes of a row of a view. */
byte_range st_row_bytes(const stele_view *view, uint64_t row);

/* The place of a part of the model. */
void st_part_at(const context *c, stele_part part, uint32_t index, diag_place place);
void st_part_found(void *origins, uint32_t entry, uint64_t offset, const char *path);

/* The bytes that others were made of, through all stages; themselves if nothing is known of them. */
byte_range st_origin_of(origins *o, byte_range made);

/* Where a part is, or NULL. */
const part_origin *st_origin_of_part(origins *o, stele_part part, uint32_t index);

#endif
