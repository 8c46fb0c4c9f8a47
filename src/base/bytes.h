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

static inline float load_f32(const uint8_t *p)
{
    uint32_t bits = load_u32(p);
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

/* An unsigned integer of a type known to be one. */
static inline uint64_t load_uint(const uint8_t *p, stele_type type)
{
    switch (type) {
    case STELE_U8: return *p;
    case STELE_U16: return load_u16(p);
    case STELE_U32: return load_u32(p);
    default: return load_u64(p);
    }
}

#endif
