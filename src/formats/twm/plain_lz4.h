/* LZ4 blocks for builds without liblz4, by its names: every block is read, and what is written is not made smaller. */
#ifndef ST_PLAIN_LZ4_H
#define ST_PLAIN_LZ4_H

#include <string.h>

#include "base/bytes.h"

/* A length of 15 goes on with bytes, up to one that is not 255. False if the block ends. */
static inline bool lz4_length(const uint8_t **p, const uint8_t *end, uint64_t *length)
{
    uint8_t more = 255;
    while (*length >= 15 && more == 255) {
        if (*p == end)
            return false;
        more = *(*p)++;
        *length += more;
    }
    return true;
}

/* Sequences of a token, literals, and a copy of what was unpacked before; the last has literals only. */
static inline int LZ4_decompress_safe(const char *from, char *to, int size, int room)
{
    const uint8_t *p = (const uint8_t *)from, *end = p + size;
    uint64_t done = 0, most = (uint64_t)room;
    while (p < end) {
        uint64_t literals = *p >> 4, match = *p & 15, distance;
        p++;
        if (!lz4_length(&p, end, &literals) || literals > (uint64_t)(end - p) || literals > most - done)
            return -1;
        memcpy(to + done, p, (size_t)literals);
        done += literals;
        p += literals;
        if (p == end)
            return (int)done;
        if (end - p < 2)
            return -1;
        distance = load_u16(p);
        p += 2;
        if (!lz4_length(&p, end, &match) || !distance || distance > done || match + 4 > most - done)
            return -1;
        for (match += 4; match; match--, done++)
            to[done] = to[done - distance]; /* it may overlap */
    }
    return -1;
}

static inline int LZ4_compressBound(int size)
{
    return size + size / 255 + 16;
}

static inline int LZ4_compress_default(const char *from, char *to, int size, int room)
{
    uint8_t *p = (uint8_t *)to;
    int rest = size - 15;
    if (room < LZ4_compressBound(size))
        return 0;
    *p++ = (uint8_t)((size < 15 ? size : 15) << 4);
    for (; rest >= 0; rest -= 255)
        *p++ = (uint8_t)(rest < 255 ? rest : 255);
    memcpy(p, from, (size_t)size);
    return (int)(p - (uint8_t *)to) + size;
}

#endif
