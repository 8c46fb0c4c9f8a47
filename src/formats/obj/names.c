/* Names and their numbers: files may have as many materials as lines. */
#include "raw.h"

bool st_obj_same_name(text a, text b)
{
    return a.size == b.size && (!a.size || memcmp(a.data, b.data, (size_t)a.size) == 0);
}

static uint32_t hash_of(text name)
{
    return hash_end(hash_bytes(0, name.data, name.size));
}

static const obj_name *find(const obj_names *t, text name)
{
    uint32_t i;
    for (hash_probe p = hash_at(&t->table, hash_of(name)); (i = hash_next(&p)) != STELE_NONE;)
        if (st_obj_same_name(t->names[i].name, name))
            return &t->names[i];
    return NULL;
}

uint32_t st_obj_name_find(const obj_names *t, text name)
{
    const obj_name *found = find(t, name);
    return found ? found->number : STELE_NONE;
}

bool st_obj_name_add(obj_names *t, arena *a, text name, uint32_t number)
{
    if (find(t, name))
        return true;
    if (t->count == t->capacity) {
        obj_names larger = *t;
        larger.capacity = t->capacity ? 2 * t->capacity : 16;
        larger.names = st_arena_array(a, larger.capacity, sizeof *larger.names);
        if (!larger.names)
            return false;
        if (t->count)
            memcpy(larger.names, t->names, (size_t)t->count * sizeof *t->names);
        *t = larger;
    }
    t->names[t->count] = (obj_name){name, number};
    return st_hash_add(&t->table, a, hash_of(name), (uint32_t)t->count++);
}
