/* Views: rows of numbers, of any type and layout. */
#ifndef ST_VIEW_H
#define ST_VIEW_H

#include "base/arena.h"
#include "base/bytes.h"
#include "file/walk.h"

static inline const uint8_t *st_view_at(const stele_view *v, uint64_t row)
{
    return (const uint8_t *)v->data + row * v->stride;
}

/* As stele_view_number, without a call for what is usual. */
static inline double view_number(const stele_view *v, uint64_t row, uint32_t component)
{
    return v->type == STELE_F32 ? (double)load_f32(st_view_at(v, row) + 4 * component) : stele_view_number(v, row, component);
}

/* As stele_view_row, of so many components. */
static inline void view_row(const stele_view *v, uint64_t row, uint32_t components, float *numbers)
{
    if (v->type != STELE_F32) {
        stele_view_row(v, row, numbers);
        return;
    }
    const uint8_t *p = st_view_at(v, row);
    for (uint32_t i = 0; i < components; i++)
        numbers[i] = load_f32(p + 4 * i);
}

stele_view st_view_f32(const void *data, uint64_t count, uint32_t stride, uint32_t components);

/* Packed memory for a view of so many rows, to be filled with little-endian numbers; *bytes is NULL without memory. */
stele_view st_view_make(arena *a, uint64_t count, stele_type type, uint32_t components, uint8_t **bytes);

/* The same for who fills all of it: what is in it is anything. */
stele_view st_view_room(arena *a, uint64_t count, stele_type type, uint32_t components, uint8_t **bytes);

/* The rows as they are, stride bytes apart. */
void st_view_copy(const stele_view *v, uint8_t *to, uint32_t stride);

/* Rows of one unsigned integer. */
static inline stele_view st_view_indices(const span *rows, stele_type type)
{
    return (stele_view){
        .data = rows->data, .count = rows->count, .stride = stele_type_size(type), .components = 1, .type = type};
}

/* Unsigned integers without normalisation. An index is compared where it is used, not only where the file was checked, for a
 * file may change in between: what is not below the limit is 0. A number is to be looked at. */
uint64_t st_view_index(const stele_view *v, uint64_t row, uint64_t limit);
uint64_t st_view_integer(const stele_view *v, uint64_t row);

/* A copy of them that stays as it is; of numbers beyond 32 bits only these. */
void st_view_integers(const stele_view *v, uint64_t count, uint32_t *numbers);

/* How many triangles, lines or points a primitive has that are complete, and the vertex of a corner of one. */
uint64_t st_element_count(const stele_primitive *p);
uint64_t st_element_corners(stele_topology topology);
uint64_t st_element_row(const stele_primitive *p, uint64_t element, uint64_t corner);

/* Row i of the triangles of a primitive with topology STELE_TRIANGLES: three vertices. Others have none. */
uint64_t st_triangle_count(const stele_primitive *p);
void st_triangle(const stele_primitive *p, uint64_t triangle, uint64_t vertices[3]);

/* The box of all finite positions. */
stele_bounds st_view_bounds(const stele_view *position);
void st_bounds_add(stele_bounds *bounds, const stele_bounds *other);
double st_bounds_size(const stele_bounds *bounds); /* from corner to corner; 1 if it has no size */

/* The first three numbers of rows of a view as floats, stride bytes apart. */
void st_view_triples(const stele_view *v, uint64_t first, uint64_t count, void *triples, size_t stride);

#endif
