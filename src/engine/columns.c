#include "columns.h"

#include <math.h>

#include "base/half.h"
#include "model/view.h"
#include "system/wide.h"

/* Rows are so short that counting them costs as much as moving them. */
#define UNROLLED _Pragma("GCC unroll 4")

/* ---- Bytes ---- */

static inline void copy_rows_of(const uint8_t *from, size_t from_stride, uint8_t *to, size_t to_stride, uint64_t count,
                                size_t bytes)
{
    UNROLLED
    for (uint64_t i = 0; i < count; i++, from += from_stride, to += to_stride)
        memcpy(to, from, bytes);
}

void st_copy_rows(const uint8_t *from, size_t from_stride, uint8_t *to, size_t to_stride, uint64_t count, size_t bytes)
{
    if (!count)
        return; /* and there may be nothing to point to */
    if (from_stride == bytes && to_stride == bytes) {
        memcpy(to, from, (size_t)count * bytes);
        return;
    }
    switch (bytes) { /* the usual ones as constants, for the compiler */
    case 2: copy_rows_of(from, from_stride, to, to_stride, count, 2); break;
    case 4: copy_rows_of(from, from_stride, to, to_stride, count, 4); break;
    case 6: copy_rows_of(from, from_stride, to, to_stride, count, 6); break;
    case 8: copy_rows_of(from, from_stride, to, to_stride, count, 8); break;
    case 12: copy_rows_of(from, from_stride, to, to_stride, count, 12); break;
    case 16: copy_rows_of(from, from_stride, to, to_stride, count, 16); break;
    default: copy_rows_of(from, from_stride, to, to_stride, count, bytes);
    }
}

bool st_same_numbers(const stele_view *v, stele_type type, uint32_t width, bool normalized)
{
    bool one_byte = type == STELE_U8 || type == STELE_I8;
    return v->type == type && v->components >= width && (type == STELE_F32 || v->normalized == normalized) &&
           (one_byte || !HOST_IS_BIG_ENDIAN);
}

/* ---- Into floats ---- */

/* Divisions are as exact as those of stele_view_number in double precision: no quotient lies so near the middle between two
 * floats that rounding twice would matter (the tests try all). */
static inline float f32_at(const uint8_t *p)
{
    return load_f32(p);
}

static inline float u8_at(const uint8_t *p)
{
    return (float)*p;
}

static inline float u8n_at(const uint8_t *p)
{
    return (float)*p / 255.0f;
}

static inline float i8_at(const uint8_t *p)
{
    return (float)(int8_t)*p;
}

static inline float i8n_at(const uint8_t *p)
{
    float value = (float)(int8_t)*p / 127.0f;
    return value < -1 ? -1 : value;
}

static inline float u16_at(const uint8_t *p)
{
    return (float)load_u16(p);
}

static inline float u16n_at(const uint8_t *p)
{
    return (float)load_u16(p) / 65535.0f;
}

static inline float i16_at(const uint8_t *p)
{
    return (float)(int16_t)load_u16(p);
}

static inline float i16n_at(const uint8_t *p)
{
    float value = (float)(int16_t)load_u16(p) / 32767.0f;
    return value < -1 ? -1 : value;
}

static inline float u32_at(const uint8_t *p)
{
    return (float)load_u32(p);
}

typedef void (*load_column)(const uint8_t *p, size_t stride, size_t count, uint32_t given, uint32_t width, float *rows);

/* given numbers of width in a row; the usual ones as constants, for the compiler. */
#define LOADER(name, size)                                                                                                     \
    static inline void name##_of(const uint8_t *p, size_t stride, size_t count, uint32_t given, uint32_t width, float *rows)   \
    {                                                                                                                          \
        for (size_t i = 0; i < count; i++, p += stride, rows += width)                                                         \
            for (uint32_t k = 0; k < given; k++)                                                                               \
                rows[k] = name##_at(p + (size)*k);                                                                             \
    }                                                                                                                          \
    static void name##_rows(const uint8_t *p, size_t stride, size_t count, uint32_t given, uint32_t width, float *rows)        \
    {                                                                                                                          \
        if (given == width && width == 2)                                                                                      \
            name##_of(p, stride, count, 2, 2, rows);                                                                           \
        else if (given == width && width == 3)                                                                                 \
            name##_of(p, stride, count, 3, 3, rows);                                                                           \
        else if (given == width && width == 4)                                                                                 \
            name##_of(p, stride, count, 4, 4, rows);                                                                           \
        else if (given == 3 && width == 4)                                                                                     \
            name##_of(p, stride, count, 3, 4, rows);                                                                           \
        else                                                                                                                   \
            name##_of(p, stride, count, given, width, rows);                                                                   \
    }

LOADER(f32, 4)
LOADER(u8, 1)
LOADER(u8n, 1)
LOADER(i8, 1)
LOADER(i8n, 1)
LOADER(u16, 2)
LOADER(u16n, 2)
LOADER(i16, 2)
LOADER(i16n, 2)
LOADER(u32, 4)

static load_column loader_of(const stele_view *v)
{
    switch (v->type) {
    case STELE_F32: return f32_rows;
    case STELE_U8: return v->normalized ? u8n_rows : u8_rows;
    case STELE_I8: return v->normalized ? i8n_rows : i8_rows;
    case STELE_U16: return v->normalized ? u16n_rows : u16_rows;
    case STELE_I16: return v->normalized ? i16n_rows : i16_rows;
    default: return u32_rows;
    }
}

void st_fill_rows(const float *neutral, uint32_t given, uint32_t width, size_t count, float *rows)
{
    for (uint32_t k = given; k < width; k++) {
        const float rest = neutral[k];
        UNROLLED
        for (size_t i = 0; i < count; i++)
            rows[i * width + k] = rest;
    }
}

void st_load_rows(const stele_view *v, uint64_t first, size_t count, uint32_t width, const float *neutral, float *rows)
{
    uint32_t given = v->components < width ? v->components : width;
    st_fill_rows(neutral, given, width, count, rows);
    if (st_same_numbers(v, STELE_F32, given, false))
        st_copy_rows(st_view_at(v, first), v->stride, (uint8_t *)rows, width * sizeof *rows, count, given * sizeof *rows);
    else
        loader_of(v)(st_view_at(v, first), v->stride, count, given, width, rows);
}

/* ---- Out of floats ---- */

/* What a type of integers holds, and by what a number is multiplied first. */
typedef struct whole_range {
    float least, most, factor;
} whole_range;

static whole_range range_of(stele_type type, bool normalized)
{
    switch (type) {
    case STELE_U8: return (whole_range){0, 255, normalized ? 255 : 1};
    case STELE_I8: return normalized ? (whole_range){-127, 127, 127} : (whole_range){-128, 127, 1};
    case STELE_U16: return (whole_range){0, 65535, normalized ? 65535 : 1};
    case STELE_I16: return normalized ? (whole_range){-32767, 32767, 32767} : (whole_range){-32768, 32767, 1};
    case STELE_F16: return (whole_range){-MOST_HALF, MOST_HALF, 1};
    default: return (whole_range){0, 4294967040.0f, 1}; /* the greatest float below 2^32 */
    }
}

/* What is no number becomes 0. False if some would not be rounded to what the type holds. */
static bool clamp_numbers(float *numbers, size_t count, const whole_range *r, float half)
{
    bool fits = true;
    for (size_t i = 0; i < count; i++) {
        float x = numbers[i] * r->factor;
        fits &= x > r->least - half && x < r->most + half;
        numbers[i] = isnan(x) ? 0 : x < r->least ? r->least / r->factor : x > r->most ? r->most / r->factor : numbers[i];
    }
    return fits;
}

/* Integers of a block, packed. */
typedef union packed_rows {
    uint8_t u8[BLOCK * MOST_WIDTH];
    uint16_t u16[BLOCK * MOST_WIDTH];
    uint32_t u32[BLOCK * MOST_WIDTH];
} packed_rows;

/* In range for the compiler's vectors: what is no number becomes the least. */
static inline float between(float x, float least, float most)
{
    x = x > least ? x : least;
    return x < most ? x : most;
}

#define SIGN 0x80000000u

/* All bits if it is true: masks of one width make the shortest loops. */
static inline uint32_t mask_of(bool condition)
{
    return 0u - (uint32_t)condition;
}

/* With a half itself the sum of it and the last float below it would be 1. */
#define BELOW_HALF 0.49999997f

/* A number brought into a range, to the nearest integer; *outside if it was not in it. */
static inline int32_t rounded(float x, const whole_range *r, uint32_t *outside)
{
    float inside = between(x * r->factor, r->least, r->most);
    *outside |= mask_of(inside != x * r->factor);
    return (int32_t)(inside + float_of_bits(bits_of(BELOW_HALF) | (bits_of(inside) & SIGN)));
}

/* What is outside is no half then, and not used. */
static inline uint32_t halved(float x, uint32_t *outside)
{
    *outside |= mask_of((int32_t)(bits_of(x) & ~SIGN) > (int32_t)bits_of(MOST_HALF));
    return half_of(x);
}

static inline uint32_t rounded_long(float x, const whole_range *r, uint32_t *outside)
{
    *outside |= mask_of(!(x >= r->least && x <= r->most));
    return (uint32_t)((double)between(x, r->least, r->most) + 0.5);
}

/* The types one by one, for the compiler. False if some lie outside. */
#define PACKER(name, type, each)                                                                                               \
    WIDE static bool name(const float *restrict numbers, size_t count, whole_range r, type *restrict packed)                   \
    {                                                                                                                          \
        uint32_t outside = 0;                                                                                                  \
        for (size_t i = 0; i < count; i++)                                                                                     \
            packed[i] = (type)(each);                                                                                          \
        return !outside;                                                                                                       \
    }
PACKER(pack_bytes, uint8_t, rounded(numbers[i], &r, &outside))
PACKER(pack_shorts, uint16_t, rounded(numbers[i], &r, &outside))
PACKER(pack_longs, uint32_t, rounded_long(numbers[i], &r, &outside))

/* In two steps: in one, compilers narrow the parts of each number one by one. */
WIDE static bool pack_halves(const float *restrict numbers, size_t count, uint16_t *restrict packed)
{
    uint32_t halves[BLOCK * MOST_WIDTH], outside = 0;
    for (size_t i = 0; i < count; i++)
        halves[i] = halved(numbers[i], &outside);
    for (size_t i = 0; i < count; i++)
        packed[i] = (uint16_t)halves[i];
    return !outside;
}

static bool pack(const float *numbers, size_t count, stele_type type, whole_range r, packed_rows *packed)
{
    switch (type) {
    case STELE_U8:
    case STELE_I8: return pack_bytes(numbers, count, r, packed->u8);
    case STELE_F16: return pack_halves(numbers, count, packed->u16);
    case STELE_U32: return pack_longs(numbers, count, r, packed->u32);
    default: return pack_shorts(numbers, count, r, packed->u16);
    }
}

bool st_store_rows(float *rows, size_t count, uint32_t width, stele_type type, bool normalized, uint8_t *out, size_t stride)
{
    packed_rows packed;
    size_t numbers = count * width, bytes = width * (size_t)stele_type_size(type);
    if (type == STELE_F32) {
        st_copy_rows((const uint8_t *)rows, bytes, out, stride, count, bytes);
        return true;
    }
    whole_range r = range_of(type, normalized);
    bool fits = pack(rows, numbers, type, r, &packed);
    if (!fits) {
        fits = clamp_numbers(rows, numbers, &r, type == STELE_F16 ? BEYOND_HALF - MOST_HALF : 0.5f);
        pack(rows, numbers, type, r, &packed);
    }
    st_copy_rows(packed.u8, bytes, out, stride, count, bytes);
    return fits;
}
