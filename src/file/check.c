#include "check.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

uint64_t st_check_offset(const context *c, const void *pointer)
{
    uintptr_t p = (uintptr_t)pointer, start = (uintptr_t)c->data;
    return pointer && p >= start && p - start <= c->size ? p - start : STELE_NOWHERE;
}

diag_place st_check_place(context *c, uint64_t offset, uint64_t count, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(c->path, sizeof c->path, format, args);
    va_end(args);
    return (diag_place){offset, count, c->path};
}

const char *st_check_path(char path[WALK_PATH], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(path, WALK_PATH, format, args);
    va_end(args);
    return path;
}

void st_check_flag(context *c, uint8_t flag, uint64_t offset, const char *path)
{
    if (flag > 1)
        st_diag(c->diags, DIAG_FLAG_NOT_BOOLEAN, st_check_place(c, offset, 1, "%s", path), "is %u, neither 0 nor 1", flag);
}

static const char *first_not_utf8(const text *string)
{
    const uint8_t *p = (const uint8_t *)string->data, *end = p + string->size;
    while (p < end) {
        size_t length = st_utf8_length(p, (size_t)(end - p));
        if (!length)
            return (const char *)p;
        p += length;
    }
    return NULL;
}

void st_check_string(context *c, const text *string, const char *path)
{
    const char *nul = string->size ? memchr(string->data, 0, (size_t)string->size) : NULL;
    if (!nul)
        st_diag(c->diags, DIAG_STRING_NO_NUL, st_check_place(c, st_check_offset(c, string->data), 1, "%s", path),
                "has no terminating NUL: engines read on into what follows");
    else if (nul + 1 != string->data + string->size)
        st_diag(c->diags, DIAG_STRING_EMBEDDED_NUL, st_check_place(c, st_check_offset(c, nul), 1, "%s", path),
                "has a NUL after %llu of its %llu bytes: engines read no further", (unsigned long long)(nul - string->data),
                (unsigned long long)string->size);
    st_check_utf8(c, string, path);
}

void st_check_utf8(context *c, const text *string, const char *path)
{
    const char *bad = first_not_utf8(string);
    if (bad)
        st_diag(c->diags, DIAG_STRING_NOT_UTF8, st_check_place(c, st_check_offset(c, bad), 1, "%s", path),
                "is not valid UTF-8");
}

text st_fixed_text(const span *field)
{
    const char *start = (const char *)field->data;
    const char *nul = field->stride ? memchr(start, 0, field->stride) : NULL;
    return (text){start, nul ? (uint64_t)(nul + 1 - start) : field->stride};
}

/* Every item has at most one parent, so that a chain of parents ends at a root or comes back to where it was. */
void st_check_cycles(context *c, const int64_t *parent, uint64_t count, const char *list, offset_of_item offset_of,
                     const void *list_of)
{
    uint64_t *chain = st_arena_array(c->arena, count, sizeof *chain);
    for (uint64_t i = 0; chain && i < count; i++) {
        int64_t at = (int64_t)i;
        while (at != NO_PARENT && !chain[at]) {
            chain[at] = i + 1;
            at = parent[at];
        }
        if (at != NO_PARENT && chain[at] == i + 1)
            st_diag(c->diags, DIAG_BONE_CYCLE,
                    st_check_place(c, offset_of(c, list_of, (uint64_t)at), 1, "%s[%llu]", list, (unsigned long long)at),
                    "is its own ancestor");
    }
}
