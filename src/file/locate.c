#include "locate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_byte(place_kind kind)
{
    return kind >= PLACE_BYTE;
}

/* Members and items first. */
static int compare(const void *a, const void *b)
{
    const open_place *x = a, *y = b;
    if (is_byte(x->kind) != is_byte(y->kind))
        return is_byte(x->kind) ? 1 : -1;
    uintptr_t s = (uintptr_t)x->key, t = (uintptr_t)y->key;
    return s < t ? -1 : s > t;
}

bool st_locate_begin(locator *l, open_places *open, const uint8_t *data, uint64_t size, place_found tell, void *user)
{
    *l = (locator){.open = open, .tell = tell, .user = user, .data = data, .size = size, .members = open->items};
    if (!open->count)
        return false;
    qsort(open->items, open->count, sizeof *open->items, compare);
    while (l->member_count < open->count && !is_byte(open->items[l->member_count].kind))
        l->member_count++;
    l->bytes = open->items + l->member_count;
    l->byte_count = open->count - l->member_count;
    return true;
}

void st_locate_end(locator *l)
{
    open_places *open = l->open;
    size_t left = 0;
    for (size_t i = 0; i < open->count; i++)
        if (open->items[i].kind != PLACE_GIVEN)
            open->items[left++] = open->items[i];
    open->count = left;
}

static void found(walk *w, open_place *place, uint64_t offset, const char *path)
{
    w->locator->tell(w->locator->user, place->entry, w->locator->data ? offset : STELE_NOWHERE, path);
    place->kind = PLACE_GIVEN;
}

/* ---- Members and items ---- */

static void find(walk *w, const char *name, const void *key, place_kind kind)
{
    locator *l = w->locator;
    char path[WALK_PATH];
    uintptr_t address = (uintptr_t)key;
    size_t low = 0, high = l->member_count;
    if (!high || address < (uintptr_t)l->members[0].key || address > (uintptr_t)l->members[high - 1].key)
        return;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((uintptr_t)l->members[middle].key < address)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < l->member_count && l->members[low].key == key; low++)
        if (l->members[low].kind == kind) {
            st_walk_path(w, name, path);
            found(w, &l->members[low], w->at, path);
        }
}

void st_locate_member(walk *w, const char *name, const void *member)
{
    find(w, name, member, PLACE_MEMBER);
}

void st_locate_item(walk *w, const void *item)
{
    find(w, NULL, item, PLACE_ITEM);
}

/* ---- Bytes ---- */

static const char *column_at(const located_rows *r, uint64_t at)
{
    for (size_t i = 0; i < r->column_count; i++) {
        uint64_t size = (uint64_t)r->columns[i].components * stele_type_size(r->columns[i].type);
        if (at < size)
            return r->columns[i].name;
        at -= size;
    }
    return "";
}

static void print_place(const walk *w, const char *name, const located_rows *r, place_kind kind, uint64_t at,
                        char path[WALK_PATH])
{
    st_walk_path(w, name, path);
    if (kind == PLACE_BYTE || !r->stride)
        return;
    size_t used = strlen(path);
    const char *column = kind == PLACE_ROW ? "" : column_at(r, at % r->stride);
    char row[32] = "";
    if (kind != PLACE_COLUMNS)
        snprintf(row, sizeof row, "[%llu]", (unsigned long long)(r->first + at / r->stride));
    snprintf(path + used, WALK_PATH - used, "%s%s%s", row, *column ? "." : "", column);
}

/* Runs come in the order of the file, and so do the bytes that are sought; what is not of the file is not looked at. */
void st_locate_rows(walk *w, const char *name, const located_rows *r)
{
    locator *l = w->locator;
    char path[WALK_PATH];
    uintptr_t start = (uintptr_t)r->data, file = (uintptr_t)l->data;
    if (!r->size || l->next == l->byte_count || start < file || start - file >= l->size)
        return;
    for (; l->next < l->byte_count; l->next++) {
        open_place *place = &l->bytes[l->next];
        uintptr_t key = (uintptr_t)place->key;
        if (key >= start && key - start >= r->size)
            return;
        if (key < start)
            continue;
        print_place(w, name, r, place->kind, key - start, path);
        found(w, place, key - file, path);
    }
}
