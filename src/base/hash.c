#include "hash.h"

bool st_hash_make(hash_table *t, arena *a, uint64_t count)
{
    *t = (hash_table){.capacity = 16};
    while (t->capacity < 2 * count)
        t->capacity *= 2;
    t->slots = st_arena_array(a, t->capacity, sizeof *t->slots);
    return t->slots;
}

static void put(hash_table *t, uint64_t item)
{
    uint64_t slot = item >> 32;
    for (int i = 0; i < MOST_PROBES; i++, slot++) {
        uint64_t *place = &t->slots[slot & (t->capacity - 1)];
        if (!*place) {
            *place = item;
            t->count++;
            return;
        }
    }
}

static bool grow(hash_table *t, arena *a)
{
    hash_table larger;
    if (!st_hash_make(&larger, a, t->capacity))
        return false;
    for (uint64_t i = 0; i < t->capacity; i++)
        if (t->slots[i])
            put(&larger, t->slots[i]);
    *t = larger;
    return true;
}

bool st_hash_add(hash_table *t, arena *a, uint32_t hash, uint32_t number)
{
    if (2 * t->count >= t->capacity && !grow(t, a))
        return false;
    put(t, (uint64_t)hash << 32 | (number + 1));
    return true;
}
