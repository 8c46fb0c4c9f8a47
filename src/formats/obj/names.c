/* A table of names, by open addressing: files may have as many materials as lines. */
#include <string.h>

#include "raw.h"

static uint64_t hash_name(text name)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (uint64_t i = 0; i < name.size; i++)
        hash = (hash ^ (uint8_t)name.data[i]) * 0x100000001b3;
    return hash ^ hash >> 32;
}

bool st_obj_same_name(text a, text b)
{
    return a.size == b.size && (!a.size || memcmp(a.data, b.data, (size_t)a.size) == 0);
}

static obj_name *slot_of(const obj_names *t, text name)
{
    uint64_t slot = hash_name(name);
    while (t->slots[slot & (t->capacity - 1)].taken && !st_obj_same_name(t->slots[slot & (t->capacity - 1)].name, name))
        slot++;
    return &t->slots[slot & (t->capacity - 1)];
}

static bool grow(obj_names *t, arena *a)
{
    obj_names larger = {.capacity = t->capacity ? 2 * t->capacity : 16, .count = t->count};
    larger.slots = st_arena_array(a, larger.capacity, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (uint64_t i = 0; i < t->capacity; i++)
        if (t->slots[i].taken)
            *slot_of(&larger, t->slots[i].name) = t->slots[i];
    *t = larger;
    return true;
}

uint32_t st_obj_name_find(const obj_names *t, text name)
{
    const obj_name *slot = t->capacity ? slot_of(t, name) : NULL;
    return slot && slot->taken ? slot->number : STELE_NONE;
}

bool st_obj_name_add(obj_names *t, arena *a, text name, uint32_t number)
{
    if (2 * t->count >= t->capacity && !grow(t, a))
        return false;
    obj_name *slot = slot_of(t, name);
    if (!slot->taken) {
        *slot = (obj_name){name, number, true};
        t->count++;
    }
    return true;
}
