#include "check.h"

#include <string.h>

#include "base/image_kind.h"
#include "base/text.h"

uint64_t st_check_offset(const context *c, const void *pointer)
{
    uintptr_t p = (uintptr_t)pointer, start = (uintptr_t)c->data;
    return pointer && p >= start && p - start <= c->size ? p - start : STELE_NOWHERE;
}

void st_check_flag(context *c, const uint8_t *flag)
{
    if (*flag > 1)
        st_diag(c->diags, DIAG_FLAG_NOT_BOOLEAN, at_member(flag), "is %u, neither 0 nor 1", *flag);
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

static void check_string(context *c, const text *string, diag_place whole)
{
    const char *nul = string->size ? memchr(string->data, 0, (size_t)string->size) : NULL;
    if (!nul)
        st_diag(c->diags, DIAG_STRING_NO_NUL, whole, "has no terminating NUL: engines read on into what follows");
    else if (nul + 1 != string->data + string->size)
        st_diag(c->diags, DIAG_STRING_EMBEDDED_NUL, at_byte(nul),
                "has a NUL after %llu of its %llu bytes: engines read no further", (unsigned long long)(nul - string->data),
                (unsigned long long)string->size);
    st_check_utf8(c, string);
}

void st_check_string(context *c, const text *string)
{
    check_string(c, string, at_member(string));
}

void st_check_chars(context *c, const span *field)
{
    text string = st_fixed_text(field);
    check_string(c, &string, at_member(field));
}

void st_check_utf8(context *c, const text *string)
{
    const char *bad = first_not_utf8(string);
    if (bad)
        st_diag(c->diags, DIAG_STRING_NOT_UTF8, at_byte(bad), "is not valid UTF-8");
}

text st_fixed_text(const span *field)
{
    const char *start = (const char *)field->data;
    const char *nul = field->stride ? memchr(start, 0, field->stride) : NULL;
    return (text){start, nul ? (uint64_t)(nul + 1 - start) : field->stride};
}

void st_report(context *c, diag_code code, place_kind kind, const tally *t, const char *says)
{
    if (t->count)
        st_diag(c->diags, code, at_key(kind, t->first, t->count), "%s", says);
}

/* Every item has at most one parent, so that a chain of parents ends at a root or comes back to where it was. */
void st_check_cycles(context *c, const int64_t *parent, uint64_t count, place_of_item place_of, const void *list)
{
    uint64_t *chain = st_arena_array(c->arena, count, sizeof *chain);
    for (uint64_t i = 0; chain && i < count; i++) {
        int64_t at = (int64_t)i;
        while (at != NO_PARENT && !chain[at]) {
            chain[at] = i + 1;
            at = parent[at];
        }
        if (at != NO_PARENT && chain[at] == i + 1)
            st_diag(c->diags, DIAG_BONE_CYCLE, place_of(list, (uint64_t)at), "is its own ancestor");
    }
}

/* ---- Textures ---- */

const char *st_check_flaw(context *c, const void *data, uint64_t size)
{
    enum { BYTE_WORK = 3 };
    return c->full && st_work(c->arena, size, BYTE_WORK) ? st_image_flaw(data, size) : NULL;
}

static void check_image(context *c, const char *name, const void *data, uint64_t size, diag_place place)
{
    const char *flaw = st_check_flaw(c, data, size);
    if (flaw)
        st_diag(c->diags, DIAG_TEXTURE_UNREADABLE, place, "is \"%.200s\", which %s", name, flaw);
}

void st_check_texture(context *c, const char *name, const char *file, diag_place place)
{
    const void *data;
    size_t size;
    if (!file && st_companions_any(c->companions))
        st_diag(c->diags, DIAG_TEXTURE_MISSING, place, "is \"%.200s\", which is not beside the model", name);
    else if (file && c->full && st_companion_find(c->companions, file, &data, &size))
        check_image(c, name, data, size, place);
}
