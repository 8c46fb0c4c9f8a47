#include "context.h"

#include <string.h>

void st_refuse(context *c, uint64_t offset, const char *path, const char *why)
{
    st_diag(c->diags, DIAG_DOES_NOT_FIT, (diag_place){offset, 1, path}, "does not fit in %s: %s", c->into, why);
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
    st_diag(c->diags, code, (diag_place){STELE_NOWHERE, count, path}, "%s %s", c->into, text);
}

void st_drop(context *c, diag_code code, uint64_t count, const char *path, const char *what)
{
    st_lose(c, code, count, path, "%s: %llu dropped", what, (unsigned long long)count);
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
