/* The phases of a file. What a phase reports has its place in the raw struct: one walk finds all of them. */
#include <string.h>

#include "file/locate.h"
#include "file/origin.h"
#include "format.h"

static void walk_for(const format *format, const context *c, locator *l, raw_file *raw)
{
    /* not on the stack: a walk is larger than a small thread likes */
    walk *w = st_arena_bytes(c->arena, sizeof *w);
    if (!w)
        return;
    st_walk_locate(w, c->arena, l);
    format->walk(w, raw);
    st_locate_end(l);
}

static void locate(const format *format, const context *c, const uint8_t *data, uint64_t size, raw_file *raw)
{
    locator l;
    if (st_locate_begin(&l, &c->diags->open, data, size, st_diag_found, c->diags))
        walk_for(format, c, &l, raw);
}

static void locate_parts(const format *format, const context *c, const uint8_t *data, uint64_t size, raw_file *raw)
{
    locator l;
    if (c->origins && st_locate_begin(&l, &c->origins->open, data, size, st_part_found, c->origins))
        walk_for(format, c, &l, raw);
}

static void settle(const format *format, const context *c, raw_file *raw)
{
    /* what saving makes is in no file yet, so that it has no offsets */
    locate(format, c, c->save ? NULL : c->data, c->save ? 0 : c->size, raw);
    st_diags_settle(c->diags);
}

void st_format_locate_companion(const format *format, context *c, raw_file *raw, const void *byte)
{
    const companion_bytes *in = st_companion_with(c->companions, byte);
    locate(format, c, NULL, 0, raw);
    if (!c->origins || !in)
        return;
    c->origins->file = in->name;
    locate_parts(format, c, in->data, in->size, raw);
    c->origins->file = NULL;
}

void st_format_check(const format *format, context *c, raw_file *raw)
{
    format->check(c, raw);
    settle(format, c, raw);
}

bool st_format_load(const format *format, context *c, raw_file *raw)
{
    bool loaded = format->load(c, raw);
    settle(format, c, raw);
    locate_parts(format, c, c->data, c->size, raw);
    return loaded;
}

static const stele_diagnostic *first_nonfinite(const diags *d)
{
    for (size_t i = 0; i < d->count; i++)
        if (d->items[i].severity == STELE_ERROR && strncmp(d->items[i].id, "nonfinite-", 10) == 0)
            return &d->items[i];
    return NULL;
}

bool st_format_finite(const format *format, context *c, raw_file *raw)
{
    diags found;
    const char *unknown;
    facts learnt = {.arena = c->arena, .others = c->facts}; /* of bytes that may not stay */
    companions none = {.arena = c->arena};
    context safe = *c;
    if (!st_diags_init(&found, c->arena, NULL, 0, &unknown))
        return false;
    safe.diags = &found;
    safe.facts = &learnt;
    safe.companions = &none;
    safe.full = false;
    safe.target = NULL;
    format->check(&safe, raw);
    const stele_diagnostic *first = first_nonfinite(&found);
    if (first)
        st_refuse(c, at_path("", 1), st_arena_format(c->arena, "numbers became too large (%s)", first->id));
    return !first;
}

/* A writer checks what it writes: whatever the model was, numbers can overflow on the way. Text is checked as it is printed. */
bool st_format_save(const format *format, context *c, raw_file *raw)
{
    unsigned wanted = raw->dialect;
    bool saved = format->save(c, raw) && (raw->dialect == wanted || st_format_adapt(format, c, raw, wanted));
    settle(format, c, raw);
    return saved && c->fits && (format->parse || st_format_finite(format, c, raw));
}

bool st_format_adapt(const format *format, context *c, raw_file *raw, unsigned dialect)
{
    raw_file *from = st_need_copy(c, raw, 1, format->raw_size);
    if (!from)
        return false;
    c->into = format->info.dialects[dialect].name;
    bool fits = format->adapt(c, from, raw, dialect);
    settle(format, c, from);
    return fits;
}
