#include "stele.h"

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

bool stele_field_range(const stele_field *field, size_t column, uint32_t component, double *min, double *max)
{
    uint32_t stride;
    *min = INFINITY;
    *max = -INFINITY;
    if (!has_component(field, column, component))
        return false;
    const uint8_t *p = component_start(field, column, component, &stride);
    stele_type type = field->columns[column].type;
    for (uint64_t i = 0; i < field->rows; i++, p += stride) {
        double value = load_number(p, type);
        if (!isfinite(value))
            continue;
        *min = value < *min ? value : *min;
        *max = value > *max ? value : *max;
    }
    return *min <= *max;
}
