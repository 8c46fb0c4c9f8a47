#include "view.h"

#include <math.h>

#include "base/order.h"
#include "base/scan.h"
#include "base/vector.h"

stele_view st_view_f32(const void *data, uint64_t count, uint32_t stride, uint32_t components)
{
    return (stele_view){.data = data, .count = count, .stride = stride, .components = components, .type = STELE_F32};
}

stele_view stele_float_view(const float *data, uint64_t count, uint32_t components)
{
    return st_view_f32(data, count, 4 * components, components);
}

stele_view st_view_room(arena *a, uint64_t count, stele_type type, uint32_t components, uint8_t **bytes)
{
    uint32_t stride = components * stele_type_size(type);
    bool fits = !stride || count <= UINT64_MAX / stride; /* rows of nothing: of a mesh without vertices */
    *bytes = st_arena_bytes(a, fits ? count * stride : UINT64_MAX);
    return (stele_view){.data = *bytes, .count = *bytes ? count : 0, .stride = stride, .components = components, .type = type};
}

stele_view st_view_make(arena *a, uint64_t count, stele_type type, uint32_t components, uint8_t **bytes)
{
    stele_view made = st_view_room(a, count, type, components, bytes);
    if (*bytes)
        memset(*bytes, 0, (size_t)(count * made.stride));
    return made;
}

void st_view_copy(const stele_view *v, uint8_t *to, uint32_t stride)
{
    size_t size = (size_t)v->components * stele_type_size(v->type);
    for (uint64_t i = 0; i < v->count; i++)
        memcpy(to + i * stride, st_view_at(v, i), size);
}

static double normalized_number(double value, stele_type type)
{
    switch (type) {
    case STELE_U8: return value / 255;
    case STELE_U16: return value / 65535;
    case STELE_I8: return greater(value / 127, -1);
    case STELE_I16: return greater(value / 32767, -1);
    default: return value;
    }
}

double stele_view_number(const stele_view *view, uint64_t row, uint32_t component)
{
    const uint8_t *p = st_view_at(view, row) + component * stele_type_size(view->type);
    double value;
    switch (view->type) {
    case STELE_F32: return (double)load_f32(p);
    case STELE_I8: value = (int8_t)*p; break;
    case STELE_I16: value = (int16_t)load_u16(p); break;
    default: value = (double)load_uint(p, view->type);
    }
    return view->normalized ? normalized_number(value, view->type) : value;
}

void stele_view_row(const stele_view *view, uint64_t row, float *components)
{
    for (uint32_t i = 0; i < view->components; i++)
        components[i] = (float)stele_view_number(view, row, i);
}

uint64_t st_view_integer(const stele_view *v, uint64_t row)
{
    return load_uint(st_view_at(v, row), v->type);
}

uint64_t st_view_index(const stele_view *v, uint64_t row, uint64_t limit)
{
    uint64_t index = load_index(st_view_at(v, row), v->type);
    return index < limit ? index : 0;
}

void st_view_integers(const stele_view *v, uint64_t count, uint32_t *numbers)
{
    /* the usual types as constants, for the compiler */
    for (uint64_t i = 0; v->type == STELE_U16 && i < count; i++)
        numbers[i] = load_u16(st_view_at(v, i));
    for (uint64_t i = 0; v->type == STELE_U32 && i < count; i++)
        numbers[i] = load_u32(st_view_at(v, i));
    for (uint64_t i = 0; v->type != STELE_U16 && v->type != STELE_U32 && i < count; i++)
        numbers[i] = (uint32_t)st_view_integer(v, i);
}

const stele_view *stele_primitive_view(const stele_primitive *primitive, stele_semantic semantic, uint32_t set)
{
    for (size_t i = 0; primitive && i < primitive->attribute_count; i++)
        if (primitive->attributes[i].semantic == semantic && primitive->attributes[i].set == set)
            return &primitive->attributes[i].view;
    return NULL;
}

uint64_t st_element_corners(stele_topology topology)
{
    static const uint64_t corners[] = {[STELE_TRIANGLES] = 3, [STELE_LINES] = 2, [STELE_POINTS] = 1};
    return corners[topology];
}

uint64_t st_element_count(const stele_primitive *p)
{
    return (p->indices.count ? p->indices.count : p->vertex_count) / st_element_corners(p->topology);
}

uint64_t st_element_row(const stele_primitive *p, uint64_t element, uint64_t corner)
{
    uint64_t at = st_element_corners(p->topology) * element + corner;
    return p->indices.count ? st_view_index(&p->indices, at, p->vertex_count) : at;
}

uint64_t st_triangle_count(const stele_primitive *p)
{
    return p->topology == STELE_TRIANGLES ? st_element_count(p) : 0;
}

void st_triangle(const stele_primitive *p, uint64_t triangle, uint64_t vertices[3])
{
    for (uint64_t i = 0; i < 3; i++)
        vertices[i] = st_element_row(p, triangle, i);
}

/* Rows of floats: those that are not finite have no place. */
static void add_floats(stele_bounds *b, const uint8_t *row, uint64_t count, uint32_t stride)
{
    if (!st_scan_nonfinite_rows(row, count, stride, 3)) {
        st_scan_bounds(row, count, stride, b->min, b->max);
        b->known = true;
    } else if (count > 1) {
        for (uint64_t i = 0; i < count; i++)
            add_floats(b, row + i * stride, 1, stride);
    }
}

static void add_numbers(stele_bounds *b, const stele_view *position, uint64_t at)
{
    b->known = true;
    for (uint32_t k = 0; k < 3; k++) {
        float x = (float)view_number(position, at, k);
        b->min[k] = x < b->min[k] ? x : b->min[k];
        b->max[k] = x > b->max[k] ? x : b->max[k];
    }
}

stele_bounds st_view_bounds(const stele_view *position)
{
    enum { CHUNK = 1024 }; /* rows come into the cache once */
    stele_bounds b = {.min = {INFINITY, INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY, -INFINITY}};
    for (uint64_t i = 0; position->type == STELE_F32 && i < position->count; i += CHUNK)
        add_floats(&b, st_view_at(position, i), position->count - i < CHUNK ? position->count - i : CHUNK, position->stride);
    for (uint64_t i = 0; position->type != STELE_F32 && i < position->count; i++)
        add_numbers(&b, position, i);
    return b.known ? b : (stele_bounds){0};
}

void st_bounds_add(stele_bounds *bounds, const stele_bounds *other)
{
    if (!other->known)
        return;
    if (!bounds->known)
        *bounds = *other;
    for (int i = 0; i < 3; i++) {
        bounds->min[i] = other->min[i] < bounds->min[i] ? other->min[i] : bounds->min[i];
        bounds->max[i] = other->max[i] > bounds->max[i] ? other->max[i] : bounds->max[i];
    }
}

double st_bounds_size(const stele_bounds *bounds)
{
    double low[3], high[3];
    widen3(bounds->min, low);
    widen3(bounds->max, high);
    double size = bounds->known ? distance3(high, low) : 0;
    return size > 0 && isfinite(size) ? size : 1;
}

void st_view_triples(const stele_view *v, uint64_t first, uint64_t count, void *triples, size_t stride)
{
    bool as_they_are = v->type == STELE_F32 && !HOST_IS_BIG_ENDIAN;
    for (uint64_t i = 0; i < count; i++) {
        float row[3];
        if (as_they_are)
            memcpy(row, st_view_at(v, first + i), sizeof row);
        else
            for (uint32_t k = 0; k < 3; k++)
                row[k] = (float)view_number(v, first + i, k);
        memcpy((uint8_t *)triples + i * stride, row, sizeof row);
    }
}
