#include "stele.h"

#include <float.h>
#include <math.h>

#include "half.h"

static const struct {
    const char *name;
    uint32_t size;
} types[] = {[STELE_U8] = {"u8", 1},       [STELE_U16] = {"u16", 2}, [STELE_U32] = {"u32", 4}, [STELE_U64] = {"u64", 8},
             [STELE_I32] = {"i32", 4},     [STELE_F32] = {"f32", 4}, [STELE_F64] = {"f64", 8}, [STELE_CHAR] = {"char", 1},
             [STELE_BYTES] = {"bytes", 1}, [STELE_I8] = {"i8", 1},   [STELE_I16] = {"i16", 2}, [STELE_F16] = {"f16", 2}};

static bool is_type(stele_type type)
{
    return (unsigned)type < sizeof types / sizeof *types;
}

const char *stele_type_name(stele_type type)
{
    return is_type(type) ? types[type].name : NULL;
}

uint32_t stele_type_size(stele_type type)
{
    return is_type(type) ? types[type].size : 0;
}

static double load_number(const uint8_t *p, stele_type type)
{
    switch (type) {
    case STELE_F32: return (double)load_f32(p);
    case STELE_F64: return load_f64(p);
    case STELE_F16: return (double)load_f16(p);
    case STELE_I8: return (double)(int8_t)*p;
    case STELE_I16: return (double)(int16_t)load_u16(p);
    case STELE_I32: return (double)(int32_t)load_u32(p);
    case STELE_CHAR:
    case STELE_BYTES: return *p;
    case STELE_U8:
    case STELE_U16:
    case STELE_U32:
    case STELE_U64: return (double)load_uint(p, type);
    }
    return NAN;
}

/* Where a component of row 0 is, and how far apart the rows are. */
static const uint8_t *component_start(const stele_field *field, size_t column, uint32_t component, uint32_t *stride)
{
    uint32_t offset = 0;
    *stride = 0;
    for (size_t i = 0; i < field->column_count; i++) {
        uint32_t size = stele_type_size(field->columns[i].type);
        if (i == column)
            offset = *stride + component * size;
        *stride += field->columns[i].components * size;
    }
    return field->data + offset;
}

static bool has_component(const stele_field *field, size_t column, uint32_t component)
{
    return column < field->column_count && component < field->columns[column].components;
}

double stele_field_element(const stele_field *field, uint64_t row, size_t column, uint32_t component)
{
    uint32_t stride;
    if (row >= field->rows || !has_component(field, column, component))
        return NAN;
    const uint8_t *start = component_start(field, column, component, &stride);
    return load_number(start + row * stride, field->columns[column].type);
}

/* ---- The least and the greatest ---- */

/* A loop of its own for each type: what is not finite is passed over, and no number goes through a double that need not. */
#define RANGE_LOOP(name, number, load, least, most, finite)                                                                    \
    static void name(const uint8_t *p, uint64_t rows, uint32_t stride, double *min, double *max)                               \
    {                                                                                                                          \
        number low = most, high = least;                                                                                       \
        bool any = false;                                                                                                      \
        for (uint64_t i = 0; i < rows; i++, p += stride) {                                                                     \
            number value = load;                                                                                               \
            bool counts = finite;                                                                                              \
            any |= counts;                                                                                                     \
            low = counts && value < low ? value : low;                                                                         \
            high = counts && value > high ? value : high;                                                                      \
        }                                                                                                                      \
        *min = any && (double)low < *min ? (double)low : *min;                                                                 \
        *max = any && (double)high > *max ? (double)high : *max;                                                               \
    }

RANGE_LOOP(range_u8, uint8_t, *p, 0, UINT8_MAX, true)
RANGE_LOOP(range_i8, int8_t, (int8_t)*p, INT8_MIN, INT8_MAX, true)
RANGE_LOOP(range_u16, uint16_t, load_u16(p), 0, UINT16_MAX, true)
RANGE_LOOP(range_i16, int16_t, (int16_t)load_u16(p), INT16_MIN, INT16_MAX, true)
RANGE_LOOP(range_u32, uint32_t, load_u32(p), 0, UINT32_MAX, true)
RANGE_LOOP(range_i32, int32_t, (int32_t)load_u32(p), INT32_MIN, INT32_MAX, true)
RANGE_LOOP(range_u64, uint64_t, load_uint(p, STELE_U64), 0, UINT64_MAX, true)
RANGE_LOOP(range_f32, float, load_f32(p), -FLT_MAX, FLT_MAX, value - value == 0)
RANGE_LOOP(range_f64, double, load_f64(p), -DBL_MAX, DBL_MAX, value - value == 0)

static void (*const ranges[])(const uint8_t *p, uint64_t rows, uint32_t stride, double *min, double *max) = {
    [STELE_U8] = range_u8,   [STELE_I8] = range_i8,   [STELE_U16] = range_u16, [STELE_I16] = range_i16,
    [STELE_U32] = range_u32, [STELE_I32] = range_i32, [STELE_U64] = range_u64, [STELE_F32] = range_f32,
    [STELE_F64] = range_f64, [STELE_CHAR] = range_u8, [STELE_BYTES] = range_u8};

bool stele_field_range(const stele_field *field, size_t column, uint32_t component, double *min, double *max)
{
    uint32_t stride;
    *min = INFINITY;
    *max = -INFINITY;
    if (!has_component(field, column, component))
        return false;
    const uint8_t *p = component_start(field, column, component, &stride);
    ranges[field->columns[column].type](p, field->rows, stride, min, max);
    return *min <= *max;
}

/* So many bytes of rows at a time stay in the cache while all their components are looked at. */
enum { RANGE_BYTES = 1 << 15 };

void stele_field_ranges(const stele_field *field, double *min, double *max)
{
    uint32_t stride = 0;
    component_start(field, 0, 0, &stride);
    uint64_t rows_at_once = 1 + RANGE_BYTES / (stride ? stride : 1);
    size_t count = 0;
    for (size_t i = 0; i < field->column_count; i++)
        count += field->columns[i].components;
    for (size_t i = 0; i < count; i++) {
        min[i] = INFINITY;
        max[i] = -INFINITY;
    }
    for (uint64_t first = 0; first < field->rows; first += rows_at_once) {
        uint64_t rows = field->rows - first < rows_at_once ? field->rows - first : rows_at_once;
        const uint8_t *p = field->data + first * stride;
        size_t at = 0;
        for (size_t i = 0; i < field->column_count; i++)
            for (uint32_t k = 0; k < field->columns[i].components; k++, at++) {
                ranges[field->columns[i].type](p, rows, stride, &min[at], &max[at]);
                p += stele_type_size(field->columns[i].type);
            }
    }
}
