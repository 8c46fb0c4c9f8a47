#include "origin.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

static made_rows *add_made(origins *o, made_rows rows)
{
    made_rows *made =
        o && rows.size ? st_arena_grown(&o->arena, o->made, o->made_count, &o->made_capacity, sizeof *made) : NULL;
    if (!made)
        return NULL;
    o->made = made;
    made[o->made_count] = rows;
    return &made[o->made_count++];
}

void st_made_of_bytes(const context *c, const void *made, uint64_t size, uint32_t stride, const void *from,
                      uint32_t from_stride, uint32_t from_size)
{
    add_made(c->origins, (made_rows){made, size, stride, from, from_stride, from_size, NULL});
}

byte_range st_row_bytes(const stele_view *v, uint64_t row)
{
    return (byte_range){(const uint8_t *)v->data + row * v->stride, view_row_size(v)};
}

void st_made_of(const context *c, const stele_view *made, const stele_view *from)
{
    uint64_t rows = made->count < from->count ? made->count : from->count;
    if (made->data != from->data)
        st_made_of_bytes(c, made->data, rows * made->stride, made->stride, from->data, from->stride, view_row_size(from));
}

byte_range *st_made_of_each(const context *c, const stele_view *made)
{
    byte_range *each = c->origins && made->count ? st_arena_array(&c->origins->arena, made->count, sizeof *each) : NULL;
    if (each)
        add_made(c->origins,
                 (made_rows){.data = made->data, .size = made->count * made->stride, .stride = made->stride, .each = each});
    return each;
}

void st_part_at(const context *c, stele_part part, uint32_t index, diag_place place)
{
    origins *o = c->origins;
    part_origin *parts = o ? st_arena_grown(&o->arena, o->parts, o->part_count, &o->part_capacity, sizeof *parts) : NULL;
    if (!parts)
        return;
    o->parts = parts;
    parts[o->part_count] = (part_origin){
        .part = part, .index = index, .offset = place.offset, .path = st_arena_text(&o->arena, place.path, strlen(place.path))};
    if (place.kind != PLACE_GIVEN)
        st_open_place(&o->open, &o->arena, &place, (uint32_t)o->part_count);
    o->part_count++;
}

void st_part_found(void *user, uint32_t entry, uint64_t offset, const char *path)
{
    origins *o = user;
    part_origin *part = &o->parts[entry];
    part->file = o->file;
    part->offset = offset;
    part->path = st_arena_text(&o->arena, path, strlen(path));
}

/* ---- Asking ---- */

static int by_part(const void *a, const void *b)
{
    const part_origin *x = a, *y = b;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

const part_origin *st_origin_of_part(origins *o, stele_part part, uint32_t index)
{
    part_origin wanted = {.part = part, .index = index};
    if (o->parts_sorted != o->part_count && o->part_count)
        qsort(o->parts, o->part_count, sizeof *o->parts, by_part);
    o->parts_sorted = o->part_count;
    return o->part_count ? bsearch(&wanted, o->parts, o->part_count, sizeof wanted, by_part) : NULL;
}

static int by_address(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const made_rows *)a)->data, y = (uintptr_t)((const made_rows *)b)->data;
    return x < y ? -1 : x > y;
}

/* The rows that have a byte, or NULL. */
static const made_rows *rows_with(origins *o, const uint8_t *at)
{
    size_t low = 0, high = o->made_count;
    if (o->made_sorted != o->made_count && o->made_count)
        qsort(o->made, o->made_count, sizeof *o->made, by_address);
    o->made_sorted = o->made_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((uintptr_t)o->made[middle].data <= (uintptr_t)at)
            low = middle + 1;
        else
            high = middle;
    }
    const made_rows *found = low ? &o->made[low - 1] : NULL;
    return found && (uintptr_t)at - (uintptr_t)found->data < found->size ? found : NULL;
}

/* From the first row that has some of the bytes to the last; rows that are listed one by one need not follow each other. */
static byte_range bytes_behind(const made_rows *r, byte_range made)
{
    uint64_t offset = (uint64_t)(made.at - r->data), first = offset / r->stride;
    uint64_t last = (offset + (made.size ? made.size - 1 : 0)) / r->stride;
    if (r->each)
        return r->each[first];
    return (byte_range){r->from + first * r->from_stride, (last - first) * r->from_stride + r->from_size};
}

byte_range st_origin_of(origins *o, byte_range made)
{
    enum { MOST_STAGES = 16 }; /* loading has three or four */
    for (int i = 0; i < MOST_STAGES; i++) {
        const made_rows *rows = rows_with(o, made.at);
        if (!rows)
            break;
        made = bytes_behind(rows, made);
    }
    return made;
}
