#include "scan.h"

#include "bytes.h"

bool st_scan_nonfinite(const uint8_t *data, uint64_t count)
{
    /* an exponent of all ones, and only that, carries into the sign bit */
    uint32_t carried = 0;
    for (uint64_t i = 0; i < count; i++)
        carried |= (load_u32(data + 4 * i) & 0x7fffffffu) + 0x00800000u;
    return carried >> 31;
}

static inline bool nonfinite_rows(const uint8_t *data, uint64_t rows, uint32_t stride, uint32_t count)
{
    uint32_t carried = 0;
    for (uint64_t i = 0; i < rows; i++, data += stride)
        for (uint32_t k = 0; k < count; k++)
            carried |= (load_u32(data + 4 * k) & 0x7fffffffu) + 0x00800000u;
    return carried >> 31;
}

bool st_scan_nonfinite_rows(const uint8_t *data, uint64_t rows, uint32_t stride, uint32_t count)
{
    if (stride == 4 * count)
        return st_scan_nonfinite(data, rows * count);
    /* the usual counts as constants, for the compiler */
    switch (count) {
    case 3: return nonfinite_rows(data, rows, stride, 3);
    case 6: return nonfinite_rows(data, rows, stride, 6);
    case 8: return nonfinite_rows(data, rows, stride, 8);
    default: return nonfinite_rows(data, rows, stride, count);
    }
}

static inline bool outside_rows(const uint8_t *data, uint64_t rows, uint32_t stride, uint32_t count, float least, float most)
{
    uint32_t outside = 0;
    for (uint64_t i = 0; i < rows; i++, data += stride)
        for (uint32_t k = 0; k < count; k++) {
            float x = load_f32(data + 4 * k);
            outside |= (uint32_t) !(x >= least) | (uint32_t) !(x <= most);
        }
    return outside;
}

bool st_scan_outside_rows(const uint8_t *data, uint64_t rows, uint32_t stride, uint32_t count, float least, float most)
{
    if (count == 4) /* as a constant, for the compiler */
        return outside_rows(data, rows, stride, 4, least, most);
    return outside_rows(data, rows, stride, count, least, most);
}

bool st_scan_squares_outside(const uint8_t *data, uint64_t rows, uint32_t stride, float least, float most)
{
    uint32_t outside = 0;
    for (uint64_t i = 0; i < rows; i++, data += stride) {
        float x = load_f32(data), y = load_f32(data + 4), z = load_f32(data + 8), square = x * x + y * y + z * z;
        outside |= (uint32_t) !(square > least) | (uint32_t) !(square < most);
    }
    return outside;
}

static bool beyond_u16(const uint8_t *data, uint64_t count, uint16_t last)
{
    uint16_t above = 0;
    for (uint64_t i = 0; i < count; i++)
        above |= (uint16_t)(load_u16(data + 2 * i) > last);
    return above;
}

/* Subtraction and OR instead of a comparison: SSE2 has no unsigned one. The sign bit is set by last - index if the index is
 * larger, and by the index itself in the one case where that wraps around. */
static bool beyond_u32(const uint8_t *data, uint64_t count, uint32_t last)
{
    uint32_t above = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t index = load_u32(data + 4 * i);
        above |= index | (last - index);
    }
    return above >> 31;
}

static bool beyond_any(const uint8_t *data, uint64_t count, stele_type type, uint64_t limit)
{
    uint32_t size = stele_type_size(type);
    for (uint64_t i = 0; i < count; i++)
        if (load_uint(data + i * size, type) >= limit)
            return true;
    return false;
}

bool st_scan_beyond(const uint8_t *data, uint64_t count, stele_type type, uint64_t limit)
{
    if (!count || !limit)
        return count > 0;
    if (type == STELE_U16)
        return limit <= UINT16_MAX && beyond_u16(data, count, (uint16_t)(limit - 1));
    if (type == STELE_U32 && limit <= (uint64_t)INT32_MAX + 1)
        return beyond_u32(data, count, (uint32_t)(limit - 1));
    return beyond_any(data, count, type, limit);
}

static bool beyond_rows(const uint8_t *data, uint64_t rows, uint32_t stride, uint32_t count, stele_type type, uint64_t limit)
{
    uint32_t size = stele_type_size(type);
    for (uint64_t i = 0; i < rows; i++, data += stride)
        for (uint32_t k = 0; k < count; k++)
            if (load_uint(data + k * size, type) >= limit)
                return true;
    return false;
}

/* Four bytes, or two pairs of bytes, at once: a number is beyond if adding what is missing from the limit to its highest bit
 * sets that bit, or it is set already. Numbers that carry into the next have it set themselves. */
static bool beyond_four(const uint8_t *data, uint64_t rows, uint32_t stride, stele_type type, uint32_t limit)
{
    uint32_t ones = type == STELE_U8 ? 0x01010101u : 0x00010001u, high = type == STELE_U8 ? 0x80u : 0x8000u;
    uint32_t missing = ones * (high - limit), above = 0;
    for (uint64_t i = 0; i < rows; i++, data += stride) {
        uint32_t first = load_u32(data), second = type == STELE_U8 ? first : load_u32(data + 4);
        above |= first | (first + missing) | second | (second + missing);
    }
    return above & (ones * high);
}

bool st_scan_beyond_rows(const uint8_t *data, uint64_t rows, uint32_t stride, uint32_t count, stele_type type, uint64_t limit)
{
    if (count == 4 && type == STELE_U8 && limit && limit <= 128)
        return beyond_four(data, rows, stride, STELE_U8, (uint32_t)limit);
    if (count == 4 && type == STELE_U16 && limit && limit <= 32768)
        return beyond_four(data, rows, stride, STELE_U16, (uint32_t)limit);
    if (stride == count * stele_type_size(type))
        return st_scan_beyond(data, rows * count, type, limit);
    return beyond_rows(data, rows, stride, count, type, limit);
}

void st_scan_bounds(const uint8_t *data, uint64_t rows, uint32_t stride, float min[3], float max[3])
{
    float low[3] = {min[0], min[1], min[2]}, high[3] = {max[0], max[1], max[2]}; /* in registers */
    for (uint64_t i = 0; i < rows; i++, data += stride)
        for (int k = 0; k < 3; k++) {
            float x = load_f32(data + 4 * k);
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    for (int k = 0; k < 3; k++) {
        min[k] = low[k];
        max[k] = high[k];
    }
}
