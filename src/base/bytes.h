/* Little-endian loads and stores at any alignment, on any host. */
#ifndef ST_BYTES_H
#define ST_BYTES_H

#include <stdint.h>
#include <string.h>

#include "stele.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define HOST_IS_BIG_ENDIAN 1
#else
#define HOST_IS_BIG_ENDIAN 0
#endif

/* The bytes of the numbers in a row of a view. */
static inline uint32_t view_row_size(const stele_view *v)
{
    return v->components * stele_type_size(v->type);
}

static inline uint16_t load_u16(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return HOST_IS_BIG_ENDIAN ? (uint16_t)(v << 8 | v >> 8) : v;
}

static inline uint32_t load_u32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return HOST_IS_BIG_ENDIAN ? __builtin_bswap32(v) : v;
}

static inline uint64_t load_u64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return HOST_IS_BIG_ENDIAN ? __builtin_bswap64(v) : v;
}

/* A number from bytes that may change (see "Files that change" in docs/architecture.md), which is compared first and then used:
 * a compiler may take it for what it still finds there, and fetch it a second time. Of this one there is no other. */
static inline uint32_t settled_u32(uint32_t value)
{
    __asm__ volatile("" : "+r"(value));
    return value;
}

static inline uint64_t settled_u64(uint64_t value)
{
    return (uint64_t)settled_u32((uint32_t)(value >> 32)) << 32 | settled_u32((uint32_t)value);
}

static inline float load_f32(const uint8_t *p)
{
    uint32_t bits = load_u32(p);
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline float load_settled_f32(const uint8_t *p)
{
    uint32_t bits = settled_u32(load_u32(p));
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline double load_f64(const uint8_t *p)
{
    uint64_t bits = load_u64(p);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline void store_uint(uint8_t *p, uint64_t value, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        p[i] = (uint8_t)(value >> (8 * i));
}

static inline void store_f32(uint8_t *p, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    store_uint(p, bits, sizeof bits);
}

/* An unsigned integer of a type known to be one, to be looked at; and one to be used as an index or a count, which is settled.
 */
static inline uint64_t load_uint(const uint8_t *p, stele_type type)
{
    switch (type) {
    case STELE_U8: return *p;
    case STELE_U16: return load_u16(p);
    case STELE_U32: return load_u32(p);
    default: return load_u64(p);
    }
}

static inline uint64_t load_index(const uint8_t *p, stele_type type)
{
    return type == STELE_U64 ? settled_u64(load_u64(p)) : settled_u32((uint32_t)load_uint(p, type));
}

#endif
