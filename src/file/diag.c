#include "diag.h"

#include <stdio.h>
#include <string.h>

/* A hostile file can be wrong in a million places: past this many entries an id only counts. */
enum { ENTRIES_PER_ID = 50 };

static const stele_diagnostic_kind kinds[] = {
#define X(name, id, severity, summary) {id, STELE_##severity, summary},
    DIAG_LIST(X)
#undef X
};

const stele_diagnostic_kind *stele_diagnostic_kinds(size_t *count)
{
    if (count)
        *count = DIAG_COUNT;
    return kinds;
}

bool st_diags_init(diags *d, arena *a, const stele_rule *rules, size_t rule_count, const char **unknown)
{
    *d = (diags){.arena = a};
    for (size_t code = 0; code < DIAG_COUNT; code++)
        d->severity[code] = (uint8_t)kinds[code].severity;
    for (size_t i = 0; i < rule_count; i++) {
        size_t code = 0;
        while (code < DIAG_COUNT && strcmp(kinds[code].id, rules[i].id) != 0)
            code++;
        if (code == DIAG_COUNT) {
            *unknown = rules[i].id;
            return false;
        }
        d->severity[code] = (uint8_t)rules[i].severity;
    }
    return true;
}

void st_open_place(open_places *open, arena *a, const diag_place *place, uint32_t entry)
{
    open_place *items = st_arena_grown(a, open->items, open->count, &open->capacity, sizeof *items);
    if (!items)
        return;
    open->items = items;
    open->items[open->count++] = (open_place){place->kind, entry, place->key};
}

void st_diag_found(void *user, uint32_t index, uint64_t offset, const char *path)
{
    diags *d = user;
    stele_diagnostic *entry = &d->items[index];
    entry->offset = offset;
    entry->unpacked = d->unpacked && offset != STELE_NOWHERE;
    entry->path = st_arena_text(d->arena, path, strlen(path));
}

#ifdef STELE_SELF_CHECKS
bool st_bytes_change;
#endif

void st_diags_settle(diags *d)
{
#ifdef STELE_SELF_CHECKS
    if (d->open.count && !d->arena->failed && !st_bytes_change)
        __builtin_trap(); /* no walk has met the place of a finding: its key addresses a copy */
#endif
    d->open.count = 0;
}

bool st_diag_unseen(const diags *d, diag_code code)
{
    return d->severity[code] == STELE_OFF || d->listed[code] >= ENTRIES_PER_ID;
}

void st_diag(diags *d, diag_code code, diag_place place, const char *format, ...)
{
    d->losses += kinds[code].severity == STELE_LOSS;
    d->errors += kinds[code].severity == STELE_ERROR && code != DIAG_TARGET_LIMIT;
    if (d->severity[code] == STELE_OFF)
        return;
    if (d->listed[code] >= ENTRIES_PER_ID) {
        d->items[d->last[code]].count += place.count;
        return;
    }
    stele_diagnostic *items = st_arena_grown(d->arena, d->items, d->count, &d->capacity, sizeof *items);
    if (!items)
        return;
    d->items = items;
    if (place.kind != PLACE_GIVEN)
        st_open_place(&d->open, d->arena, &place, (uint32_t)d->count);
    d->listed[code]++;
    d->last[code] = (uint32_t)d->count;
    va_list args;
    va_start(args, format);
    d->items[d->count++] = (stele_diagnostic){
        .id = kinds[code].id,
        .severity = (stele_severity)d->severity[code],
        .offset = place.offset,
        .unpacked = d->unpacked && place.offset != STELE_NOWHERE,
        .count = place.count ? place.count : 1,
        .path = place.path ? st_arena_text(d->arena, place.path, strlen(place.path)) : "",
        .text = st_arena_vformat(d->arena, format, args),
    };
    va_end(args);
}

void st_diags_rewind(diags *d, size_t count)
{
    memset(d->listed, 0, sizeof d->listed);
    d->count = count;
    d->open.count = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t code = 0; code < DIAG_COUNT; code++)
            if (d->items[i].id == kinds[code].id) {
                d->listed[code]++;
                d->last[code] = (uint32_t)i;
            }
}

diags st_diags_alike(const diags *d)
{
    diags alike = {.arena = d->arena, .unpacked = d->unpacked};
    memcpy(alike.severity, d->severity, sizeof alike.severity);
    return alike;
}

static bool is_listed(const diags *d, size_t count, const stele_diagnostic *found)
{
    for (size_t i = 0; i < count; i++)
        if (d->items[i].id == found->id && d->items[i].offset == found->offset && strcmp(d->items[i].path, found->path) == 0)
            return true;
    return false;
}

void st_diags_add_new(diags *d, const diags *found)
{
    size_t before = d->count;
    for (size_t i = 0; i < found->count; i++) {
        if (is_listed(d, before, &found->items[i]))
            continue;
        stele_diagnostic *items = st_arena_grown(d->arena, d->items, d->count, &d->capacity, sizeof *items);
        if (!items)
            return;
        d->items = items;
        d->items[d->count++] = found->items[i];
    }
    d->errors += found->errors;
    d->losses += found->losses;
    st_diags_rewind(d, d->count); /* which counts the entries anew */
}

/* Only loading says these. */
static bool is_of_loading(const stele_diagnostic_kind *kind)
{
    return strncmp(kind->id, "repaired-", 9) == 0 || (kind->severity == STELE_LOSS && strncmp(kind->id, "loss-", 5) != 0);
}

void st_diags_loading_counts(diags *d, bool counts)
{
    for (size_t i = 0; i < d->count; i++)
        for (size_t code = 0; code < DIAG_COUNT; code++)
            if (d->items[i].id == kinds[code].id && is_of_loading(&kinds[code]))
                d->items[i].severity = counts ? (stele_severity)d->severity[code] : STELE_NOTE;
}

const stele_diagnostic *st_diags_worst(const diags *d, stele_severity least)
{
    for (size_t i = 0; i < d->count; i++)
        if (d->items[i].severity >= least)
            return &d->items[i];
    return NULL;
}
