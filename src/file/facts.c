#include "facts.h"

enum { WORTH_KNOWING = 1024 /* rows */ };

static uint32_t hash_of(const stele_view *v)
{
    return hash_end(hash_mix(hash_mix(0, (uintptr_t)v->data), v->stride));
}

/* Whether what is known of one view holds for another: fewer rows, or fewer columns of the same rows. */
static bool covers(const stele_view *known, const stele_view *v)
{
    return known->data == v->data && known->stride == v->stride && known->type == v->type && known->count >= v->count &&
           known->components >= v->components;
}

static bool is_same(const stele_view *a, const stele_view *b)
{
    return covers(a, b) && covers(b, a);
}

/* The fact of a view, to be added to; NULL if it is not worth it, or without memory. */
static fact *fact_of(facts *f, const stele_view *v)
{
    uint32_t hash = hash_of(v), found;
    if (v->count < WORTH_KNOWING)
        return NULL;
    for (hash_probe p = hash_at(&f->table, hash); (found = hash_next(&p)) != STELE_NONE;)
        if (is_same(&f->items[found].view, v))
            return &f->items[found];
    fact *items = st_arena_grown(f->arena, f->items, f->count, &f->capacity, sizeof *items);
    if (!items || !st_hash_add(&f->table, f->arena, hash, f->count))
        return NULL;
    f->items = items;
    f->items[f->count] = (fact){.view = *v};
    return &f->items[f->count++];
}

void st_know(facts *f, const stele_view *v, unsigned what)
{
    fact *known = fact_of(f, v);
    if (known)
        known->known |= what;
}

void st_know_below(facts *f, const stele_view *v, uint64_t limit)
{
    fact *known = fact_of(f, v);
    if (known && (!known->below || limit < known->below))
        known->below = limit;
}

bool st_known(const facts *f, const stele_view *v, unsigned what)
{
    uint32_t found;
    for (hash_probe p = hash_at(&f->table, hash_of(v)); (found = hash_next(&p)) != STELE_NONE;)
        if (covers(&f->items[found].view, v) && (f->items[found].known & what) == what)
            return true;
    return f->others && st_known(f->others, v, what);
}

bool st_known_below(const facts *f, const stele_view *v, uint64_t limit)
{
    uint32_t found;
    for (hash_probe p = hash_at(&f->table, hash_of(v)); (found = hash_next(&p)) != STELE_NONE;)
        if (covers(&f->items[found].view, v) && f->items[found].below && f->items[found].below <= limit)
            return true;
    return f->others && st_known_below(f->others, v, limit);
}
