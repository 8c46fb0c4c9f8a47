/* Triangles sorted into the parts of the picture where they are, so that each tile knows what is in it. */
#include "scene.h"

/* A few parts for each thread that there may be: each has its own count of every bin. */
enum { MOST_PARTS = 16, LEAST_PART = 4096 };

typedef struct binning {
    const scene *scene;
    const uint32_t *order;
    uint64_t count, per_part;
    bins *bins;
    uint32_t width, height;
    uint64_t *places; /* of each part and bin: first how many entries, then where the next one goes */
    bool fill;
} binning;

static void plan_levels(bins *b, const stele_picture *picture)
{
    uint64_t size = TILE;
    bool whole = false;
    while (!whole && b->level_count < MOST_BIN_LEVELS) {
        bin_level *l = &b->levels[b->level_count++];
        *l = (bin_level){(uint32_t)size, (uint32_t)((picture->width + size - 1) / size),
                         (uint32_t)((picture->height + size - 1) / size), b->bin_count};
        b->bin_count += (size_t)l->columns * l->rows;
        whole = l->columns <= 2 && l->rows <= 2;
        size *= BIN_GROWTH;
    }
}

/* The pixels of a triangle on the picture; false if there are none. */
static bool box_of(const binning *b, const draw *d, uint32_t triangle, pixel_box *box)
{
    piece pieces[2];
    int count = st_pieces(b->scene, d, triangle, pieces);
    int32_t end[2] = {(int32_t)b->width - 1, (int32_t)b->height - 1};
    bool any = false;
    for (int i = 0; i < count; i++) {
        pixel_box one = st_piece_box(&pieces[i]);
        bool empty = false;
        for (int k = 0; k < 2; k++) {
            one.first[k] = one.first[k] > 0 ? one.first[k] : 0;
            one.last[k] = one.last[k] < end[k] ? one.last[k] : end[k];
            empty |= one.first[k] > one.last[k];
        }
        if (empty)
            continue;
        for (int k = 0; k < 2; k++) {
            box->first[k] = any && box->first[k] < one.first[k] ? box->first[k] : one.first[k];
            box->last[k] = any && box->last[k] > one.last[k] ? box->last[k] : one.last[k];
        }
        any = true;
    }
    return any;
}

static void put(const binning *b, uint64_t *places, const pixel_box *box, uint32_t entry)
{
    const bin_level *l = b->bins->levels;
    uint32_t first[2], last[2];
    for (;; l++) {
        for (int k = 0; k < 2; k++) {
            first[k] = (uint32_t)box->first[k] / l->size;
            last[k] = (uint32_t)box->last[k] / l->size;
        }
        if (last[0] - first[0] <= 1 && last[1] - first[1] <= 1) /* as it is on the last level */
            break;
    }
    for (uint32_t row = first[1]; row <= last[1]; row++)
        for (uint32_t column = first[0]; column <= last[0]; column++) {
            uint64_t *place = &places[l->first + (size_t)row * l->columns + column];
            if (b->fill)
                b->bins->entries[*place] = entry;
            ++*place;
        }
}

static void bin_part(void *context, size_t part)
{
    const binning *b = context;
    const scene *s = b->scene;
    uint64_t *places = b->places + part * b->bins->bin_count, at = part * b->per_part, end = at + b->per_part;
    const draw *d = s->draws;
    end = end < b->count ? end : b->count;
    for (; at < end; at++) {
        uint32_t triangle = b->order ? b->order[at] : (uint32_t)at;
        pixel_box box;
        if (triangle - d->first_triangle >= d->triangle_count)
            d = st_scene_draw(s, triangle);
        if ((b->order || !d->painted) && box_of(b, d, triangle, &box))
            put(b, places, &box, (uint32_t)at);
    }
}

/* From counts to places: bin after bin, and in each part after part. */
static uint64_t sum_up(binning *b, size_t parts)
{
    uint64_t sum = 0;
    for (size_t bin = 0; bin < b->bins->bin_count; bin++) {
        b->bins->starts[bin] = sum;
        for (size_t part = 0; part < parts; part++) {
            uint64_t *place = &b->places[part * b->bins->bin_count + bin], count = *place;
            *place = sum;
            sum += count;
        }
    }
    b->bins->starts[b->bins->bin_count] = sum;
    return sum;
}

bool st_bin(const scene *s, const stele_picture *picture, const uint32_t *order, uint64_t count, bins *result)
{
    arena *a = s->renderer->arena;
    *result = (bins){0};
    plan_levels(result, picture);
    size_t parts = s->renderer->threads.run ? (size_t)((count + LEAST_PART - 1) / LEAST_PART) : 1;
    parts = parts < MOST_PARTS ? (parts ? parts : 1) : MOST_PARTS;
    binning b = {.scene = s,
                 .order = order,
                 .count = count,
                 .per_part = (count + parts - 1) / parts,
                 .bins = result,
                 .width = picture->width,
                 .height = picture->height,
                 .places = st_arena_array(a, (uint64_t)result->bin_count * parts, sizeof *b.places)};
    result->starts = st_arena_array(a, (uint64_t)result->bin_count + 1, sizeof *result->starts);
    if (!b.places || !result->starts)
        return false;
    if (!s->draw_count)
        return true;
    parallel_for(&s->renderer->threads, parts, bin_part, &b);
    result->entries = st_arena_bytes(a, sum_up(&b, parts) * sizeof *result->entries);
    b.fill = true;
    if (result->entries)
        parallel_for(&s->renderer->threads, parts, bin_part, &b);
    return result->entries;
}

/* ---- The order of painting ---- */

typedef struct painted {
    uint32_t key, triangle;
} painted;

/* Positive floats are ordered as their bits are. What is far comes first. */
static uint32_t key_of(const draw *d, uint32_t triangle)
{
    uint64_t corners[3];
    uint32_t bits;
    float sum = 0;
    if (!st_draw_corners(d, triangle, corners))
        return 0;
    for (int i = 0; i < 3; i++)
        sum += d->vertices[corners[i]].view[2];
    sum = sum > 0 ? sum : 0;
    memcpy(&bits, &sum, sizeof bits);
    return ~bits;
}

static void sort_byte(const painted *from, painted *to, uint64_t count, int shift)
{
    uint64_t places[257] = {0};
    for (uint64_t i = 0; i < count; i++)
        places[(from[i].key >> shift & 255) + 1]++;
    for (int i = 0; i < 256; i++)
        places[i + 1] += places[i];
    for (uint64_t i = 0; i < count; i++)
        to[places[from[i].key >> shift & 255]++] = from[i];
}

static uint64_t add_painted(const scene *s, bool over, painted *items, painted *others, uint32_t *order)
{
    uint64_t count = 0;
    for (const draw *d = s->draws; d < s->draws + s->draw_count; d++)
        for (uint32_t i = 0; d->painted && d->over == over && i < d->triangle_count; i++)
            items[count++] = (painted){key_of(d, d->first_triangle + i), d->first_triangle + i};
    for (int shift = 0; shift < 32; shift += 16) {
        sort_byte(items, others, count, shift);
        sort_byte(others, items, count, shift + 8);
    }
    for (uint64_t i = 0; i < count; i++)
        order[i] = items[i].triangle;
    return count;
}

bool st_paint_order(const scene *s, uint32_t **order, uint64_t *count)
{
    arena *a = s->renderer->arena;
    *count = 0;
    for (const draw *d = s->draws; d < s->draws + s->draw_count; d++)
        *count += d->painted ? d->triangle_count : 0;
    *order = st_arena_bytes(a, *count * sizeof **order);
    if (!*order)
        return false;
    arena_mark mark = st_arena_mark(a);
    painted *items = st_arena_bytes(a, *count * sizeof *items), *others = st_arena_bytes(a, *count * sizeof *others);
    bool ready = items && others;
    if (ready) {
        uint64_t below = add_painted(s, false, items, others, *order);
        add_painted(s, true, items, others, *order + below);
    }
    st_arena_rewind(a, mark);
    return ready;
}
