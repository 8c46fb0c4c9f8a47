/* Finds what is the same: a table of the numbers of things that its user keeps, compares and hashes.
 *
 *     for (hash_probe p = hash_at(table, hash); (item = hash_next(&p)) != STELE_NONE;)
 *         if (same(item, mine))
 *             return item;
 *     st_hash_add(table, arena, hash, mine);
 *
 * Open addressing, at most half full. A search looks at no more than MOST_PROBES slots: natural keys never need so many, and
 * what a file gains by keys that collide is that equal things stay apart, not our time. Nothing depends on the order of slots.
 */
#ifndef ST_HASH_H
#define ST_HASH_H

#include "arena.h"
#include "bytes.h"

enum { MOST_PROBES = 512 };

typedef struct hash_table {
    uint64_t *slots; /* the hash in the upper half, and the number plus 1 in the lower; 0: free */
    uint64_t capacity, count;
} hash_table;

typedef struct hash_probe {
    const hash_table *table;
    uint64_t slot, left;
    uint32_t hash;
} hash_probe;

/* Room for so many; it grows beyond by itself. An empty table (all 0) will do too. False without memory. */
bool st_hash_make(hash_table *t, arena *a, uint64_t count);

/* Adds a number, which must be less than STELE_NONE, whether it is there or not. False without memory. */
bool st_hash_add(hash_table *t, arena *a, uint32_t hash, uint32_t number);

static inline hash_probe hash_at(const hash_table *t, uint32_t hash)
{
    return (hash_probe){t, hash, t->capacity < MOST_PROBES ? t->capacity : MOST_PROBES, hash};
}

/* The next number of that hash, or STELE_NONE. */
static inline uint32_t hash_next(hash_probe *p)
{
    while (p->left) {
        uint64_t slot = p->table->slots[p->slot++ & (p->table->capacity - 1)];
        p->left = slot ? p->left - 1 : 0;
        if (slot && slot >> 32 == p->hash)
            return (uint32_t)slot - 1;
    }
    return STELE_NONE;
}

/* ---- Hashes: of numbers one after another, and at last what a table takes ---- */

static inline uint64_t hash_mix(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, uint64_t size)
{
    const uint8_t *p = bytes;
    uint64_t rest = 0;
    hash = hash_mix(hash, size);
    for (; size >= 8; size -= 8, p += 8)
        hash = hash_mix(hash, load_u64(p));
    for (uint64_t i = 0; i < size; i++)
        rest |= (uint64_t)p[i] << 8 * i;
    return size ? hash_mix(hash, rest) : hash;
}

static inline uint32_t hash_end(uint64_t hash)
{
    return (uint32_t)((hash * 0xBF58476D1CE4E5B9u) >> 32);
}

#endif
