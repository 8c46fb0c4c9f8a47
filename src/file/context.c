#include "context.h"

#include <stdio.h>
#include <string.h>

#include "origin.h"

void st_refuse(context *c, diag_place at, const char *why)
{
    if (!c->arena->failed) /* otherwise that is why */
        st_diag(c->diags, DIAG_DOES_NOT_FIT, at, "does not fit in %s: %s", c->into, why);
    c->fits = false;
}

void st_lose(context *c, diag_code code, uint64_t count, const char *path, const char *format, ...)
{
    va_list args;
    if (!count)
        return;
    va_start(args, format);
    const char *text = st_arena_vformat(c->arena, format, args);
    va_end(args);
    st_diag(c->diags, code, at_path(path, count), "%s %s", c->into, text);
}

void st_drop(context *c, diag_code code, uint64_t count, diag_place at, const char *what)
{
    if (count)
        st_diag(c->diags, code, counted(count, at), "%s %s: %llu dropped", c->into, what, (unsigned long long)count);
}

const char *st_path(char path[WALK_PATH], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(path, WALK_PATH, format, args);
    va_end(args);
    return path;
}

const uint8_t *st_settled_text(context *c, const span *text)
{
    if (c->own || !text->count)
        return text->data;
    uint8_t *copy = st_arena_bytes(c->arena, text->count);
    if (!copy)
        return NULL;
    memcpy(copy, text->data, (size_t)text->count);
    st_made_of_bytes(c, copy, text->count, 1, text->data, 1, 1);
    return copy;
}

void *st_need(context *c, uint64_t count, size_t item_size)
{
    void *items = st_arena_array(c->arena, count, item_size);
    c->fits &= items != NULL;
    return items;
}

void *st_need_copy(context *c, const void *items, uint64_t count, size_t item_size)
{
    void *copy = st_need(c, count, item_size);
    if (copy && count)
        memcpy(copy, items, (size_t)count * item_size);
    return copy;
}
