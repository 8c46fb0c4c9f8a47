#include "adapt.h"

#include <string.h>

void st_adapt_refuse(adapter *a, uint64_t offset, const char *path, const char *why)
{
    st_diag(a->checker->diags, DIAG_DOES_NOT_FIT, (diag_place){offset, 1, path}, "does not fit in %s: %s", a->name, why);
    a->fits = false;
}

void st_adapt_lose(adapter *a, diag_code code, uint64_t count, const char *path, const char *what)
{
    if (count)
        st_diag(a->checker->diags, code, (diag_place){STELE_NOWHERE, count, path}, "%s %s: %llu dropped", a->name, what,
                (unsigned long long)count);
}

void *st_adapt_bytes(adapter *a, uint64_t size)
{
    void *bytes = st_arena_alloc(a->checker->arena, size);
    a->fits &= bytes != NULL;
    return bytes;
}

void *st_adapt_copy(adapter *a, const void *items, uint64_t count, size_t item_size)
{
    void *copy = st_arena_array(a->checker->arena, count, item_size);
    a->fits &= copy != NULL;
    if (copy && count)
        memcpy(copy, items, (size_t)count * item_size);
    return copy;
}
