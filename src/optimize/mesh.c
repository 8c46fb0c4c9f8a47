/* Primitives as pieces, and pieces as primitives. */
#include <math.h>

#include "optimize.h"

static uint64_t corner_count(const stele_primitive *p)
{
    return p->indices.count ? p->indices.count : p->vertex_count;
}

static bool is_complete(const stele_view *v, uint64_t rows)
{
    return v->data && v->count >= rows;
}

bool st_piece_can(const stele_primitive *p)
{
    uint64_t corners = corner_count(p);
    if (p->topology == STELE_POINTS || !p->attribute_count || !p->vertex_count ||
        corners < (p->topology == STELE_LINES ? 2 : 3))
        return false;
    if (p->vertex_count >= STELE_NONE || corners >= STELE_NONE || !stele_primitive_view(p, STELE_POSITION, 0))
        return false;
    for (size_t i = 0; i < p->attribute_count; i++)
        if (!is_complete(&p->attributes[i].view, p->vertex_count))
            return false;
    for (size_t i = 0; i < p->morph_count; i++) {
        const stele_morph *m = &p->morphs[i];
        const stele_view *parts[] = {&m->position, &m->normal, &m->tangent};
        for (int k = 0; k < 3; k++)
            if (parts[k]->count && !is_complete(parts[k], m->vertices.count ? m->vertices.count : p->vertex_count))
                return false;
    }
    return true;
}

bool st_piece_take(arena *a, const stele_primitive *p, piece *result)
{
    uint32_t corners = p->topology == STELE_LINES ? 2 : 3;
    uint32_t count = (uint32_t)(corner_count(p) / corners * corners), used = 0;
    uint32_t *became = st_arena_bytes(a, p->vertex_count * sizeof *became);
    uint32_t *rows = st_arena_bytes(a, (p->vertex_count < count ? p->vertex_count : count) * sizeof *rows);
    uint32_t *indices = st_arena_bytes(a, count * (uint64_t)sizeof *indices);
    if (!became || !rows || !indices)
        return false;
    memset(became, 0xFF, (size_t)p->vertex_count * sizeof *became);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t row = p->indices.count ? st_view_index(&p->indices, i, p->vertex_count) : i;
        if (became[row] == STELE_NONE) {
            rows[used] = (uint32_t)row;
            became[row] = used++;
        }
        indices[i] = became[row];
    }
    *result = (piece){p, corners, used, count, rows, indices, became, 0};
    return true;
}

void st_piece_renumber(piece *p, const uint32_t *to)
{
    for (uint64_t row = 0; row < p->source->vertex_count; row++)
        if (p->became[row] != STELE_NONE)
            p->became[row] = to[p->became[row]];
    for (uint32_t i = 0; i < p->index_count; i++)
        p->indices[i] = to[p->indices[i]];
}

/* ---- Morphs ---- */

static bool sparse(const stele_morph *m)
{
    return m->vertices.count;
}

/* For each row of a morph with a list whose vertex is used, and is not one that became another. */
#define EACH_MORPH_ROW(p, m, row, vertex)                                                                                      \
    for (uint64_t row = 0, vertex; row < (p)->source->morphs[m].vertices.count; row++)                                         \
        if ((vertex = vertex_of_row(p, m, row)) != STELE_NONE)

static uint64_t vertex_of_row(const piece *p, size_t morph, uint64_t row)
{
    uint64_t source = st_view_index(&p->source->morphs[morph].vertices, row, p->source->vertex_count);
    uint32_t vertex = p->became[source];
    return vertex != STELE_NONE && p->rows[vertex] == source ? vertex : STELE_NONE;
}

bool st_piece_morph_rows(arena *a, const piece *p, morph_rows *result)
{
    uint64_t *first = st_arena_array(a, (uint64_t)p->vertex_count + 2, sizeof *first);
    for (size_t m = 0; first && m < p->source->morph_count; m++)
        if (!st_work(a, p->source->morphs[m].vertices.count, 16))
            return false;
    if (!first)
        return false;
    for (size_t m = 0; m < p->source->morph_count; m++)
        EACH_MORPH_ROW(p, m, row, vertex)
    first[vertex + 2]++;
    for (uint64_t v = 2; v < (uint64_t)p->vertex_count + 2; v++)
        first[v] += first[v - 1];
    uint64_t room = first[p->vertex_count + 1]; /* the bytes of a file may change meanwhile */
    morph_row *items = st_arena_array(a, room, sizeof *items);
    if (!items)
        return false;
    for (uint32_t m = 0; m < p->source->morph_count; m++)
        EACH_MORPH_ROW(p, m, row, vertex)
    items[first[vertex + 1]++] = (morph_row){m, (uint32_t)row};
    *result = (morph_rows){first, items};
    return true;
}

/* ---- Giving it back ---- */

static double greatest_of(stele_type type)
{
    return type == STELE_U8 ? 255 : 65535;
}

/* Whether all numbers of an attribute are parts of the greatest of a type: to the last bit, or nearly. */
static bool fits(const piece *p, const stele_view *v, stele_type type)
{
    const double greatest = greatest_of(type);
    for (uint32_t i = 0; i < p->vertex_count; i++)
        for (uint32_t k = 0; k < v->components; k++) {
            float x = load_f32(st_view_at(v, p->rows[i]) + 4 * k);
            if (!(x >= 0 && x <= 1))
                return false;
            double given = floor((double)x * greatest + 0.5) / greatest;
            if ((float)given != x && !(fabs(given - (double)x) <= p->round))
                return false;
        }
    return true;
}

/* Weights in several sets have a sum only together, which rounding each would change. */
static bool can_be_whole(const piece *p, const stele_attribute *a)
{
    bool alone = p->round <= 0 || !stele_primitive_view(p->source, STELE_WEIGHTS, 1);
    return a->view.type == STELE_F32 && (a->semantic == STELE_COLOR || (a->semantic == STELE_WEIGHTS && alone));
}

/* Colours and weights that were whole numbers once can be so again: 1 and 0 most of all. */
static stele_type smallest_type(const piece *p, const stele_attribute *a)
{
    return !can_be_whole(p, a)            ? a->view.type
           : fits(p, &a->view, STELE_U8)  ? STELE_U8
           : fits(p, &a->view, STELE_U16) ? STELE_U16
                                          : STELE_F32;
}

/* What rounding takes from a sum of 1, the largest weight gives back. */
static void keep_sum(uint64_t *whole, uint32_t count, double sum, double greatest)
{
    uint32_t largest = 0;
    uint64_t rounded = 0;
    for (uint32_t k = 0; k < count; k++) {
        rounded += whole[k];
        largest = whole[k] > whole[largest] ? k : largest;
    }
    if (fabs(sum - 1) < 1e-3)
        whole[largest] += (uint64_t)greatest - rounded;
}

static void give_row(const piece *p, const stele_attribute *attribute, uint32_t row, const stele_view *to, uint8_t *bytes)
{
    const stele_view *from = &attribute->view;
    const uint8_t *source = st_view_at(from, row);
    uint32_t size = stele_type_size(to->type);
    uint64_t whole[4] = {0};
    double sum = 0;
    if (to->type == from->type) {
        memcpy(bytes, source, view_row_size(from));
        return;
    }
    for (uint32_t k = 0; k < from->components; k++) {
        double x = (double)load_f32(source + 4 * k);
        whole[k] = (uint64_t)floor(x * greatest_of(to->type) + 0.5);
        sum += x;
    }
    if (p->round > 0 && attribute->semantic == STELE_WEIGHTS)
        keep_sum(whole, from->components, sum, greatest_of(to->type));
    for (uint32_t k = 0; k < from->components; k++)
        store_uint(bytes + k * size, whole[k], size);
}

/* All attributes of a vertex side by side, each beginning at a multiple of 4. */
static bool give_attributes(arena *a, const piece *p, stele_primitive *result)
{
    const stele_primitive *s = p->source;
    stele_attribute *attributes = st_arena_array(a, s->attribute_count, sizeof *attributes);
    uint32_t stride = 0;
    for (size_t i = 0; attributes && i < s->attribute_count; i++) {
        attributes[i] = s->attributes[i];
        attributes[i].view.type = smallest_type(p, &s->attributes[i]);
        attributes[i].view.normalized |= attributes[i].view.type != s->attributes[i].view.type;
        attributes[i].view.count = p->vertex_count;
        stride += (view_row_size(&attributes[i].view) + 3) / 4 * 4;
    }
    uint8_t *bytes = st_arena_array(a, p->vertex_count, stride);
    if (!attributes || !bytes)
        return false;
    for (size_t i = 0; i < s->attribute_count; i++) {
        stele_view *to = &attributes[i].view;
        to->data = bytes;
        to->stride = stride;
        for (uint32_t v = 0; v < p->vertex_count; v++)
            give_row(p, &s->attributes[i], p->rows[v], to, bytes + (uint64_t)v * stride);
        bytes += (view_row_size(to) + 3) / 4 * 4;
    }
    result->attributes = attributes;
    result->attribute_count = s->attribute_count;
    result->vertex_count = p->vertex_count;
    return true;
}

static bool give_indices(arena *a, const piece *p, stele_primitive *result)
{
    /* the greatest number of each type may mean something else */
    stele_type type = p->vertex_count <= UINT8_MAX ? STELE_U8 : p->vertex_count <= UINT16_MAX ? STELE_U16 : STELE_U32;
    uint32_t size = stele_type_size(type);
    uint8_t *bytes;
    result->indices = st_view_make(a, p->index_count, type, 1, &bytes);
    for (uint32_t i = 0; bytes && i < p->index_count; i++)
        store_uint(bytes + (uint64_t)i * size, p->indices[i], size);
    return bytes;
}

static bool give_rows(arena *a, const stele_view *from, const uint32_t *rows, uint64_t count, stele_view *result)
{
    uint8_t *bytes;
    uint32_t size = view_row_size(from);
    *result = *from;
    if (!from->count)
        return true;
    *result = st_view_make(a, count, from->type, from->components, &bytes);
    result->normalized = from->normalized;
    for (uint64_t i = 0; bytes && i < count; i++)
        memcpy(bytes + i * size, st_view_at(from, rows[i]), size);
    return bytes;
}

/* The rows of a morph with a list that are still needed: one for each vertex that it moves, in the order of vertices. */
static bool give_list(arena *a, const piece *p, size_t morph, uint32_t **rows, stele_morph *result)
{
    uint64_t count = 0;
    uint8_t *bytes;
    uint32_t *row_of = st_arena_bytes(a, p->vertex_count * (uint64_t)sizeof *row_of);
    *rows = st_arena_array(a, p->vertex_count, sizeof **rows);
    result->vertices = st_view_make(a, p->vertex_count, STELE_U32, 1, &bytes);
    if (!row_of || !*rows || !bytes)
        return false;
    memset(row_of, 0xFF, p->vertex_count * sizeof *row_of);
    EACH_MORPH_ROW(p, morph, row, vertex)
    row_of[vertex] = (uint32_t)row;
    for (uint32_t v = 0; v < p->vertex_count; v++)
        if (row_of[v] != STELE_NONE) {
            store_uint(bytes + 4 * count, v, 4);
            (*rows)[count++] = row_of[v];
        }
    result->vertices.count = count;
    return true;
}

static bool give_morphs(arena *a, const piece *p, stele_primitive *result)
{
    const stele_primitive *s = p->source;
    stele_morph *morphs = st_arena_array(a, s->morph_count, sizeof *morphs);
    if (!morphs)
        return false;
    for (size_t i = 0; i < s->morph_count; i++) {
        const stele_morph *m = &s->morphs[i];
        uint32_t *rows = p->rows;
        uint64_t count = p->vertex_count;
        morphs[i] = *m;
        if (!st_work(a, p->vertex_count, 8) || (sparse(m) && !give_list(a, p, i, &rows, &morphs[i])))
            return false;
        if (sparse(m))
            count = morphs[i].vertices.count;
        if (sparse(m) && !count) {
            /* a morph of nothing: one row that adds nothing, because no rows would mean all vertices */
            morphs[i] = (stele_morph){.name = m->name};
            continue;
        }
        if (!give_rows(a, &m->position, rows, count, &morphs[i].position) ||
            !give_rows(a, &m->normal, rows, count, &morphs[i].normal) ||
            !give_rows(a, &m->tangent, rows, count, &morphs[i].tangent))
            return false;
    }
    result->morphs = morphs;
    return true;
}

bool st_piece_give(arena *a, const piece *p, stele_primitive *result)
{
    *result = *p->source;
    return give_attributes(a, p, result) && give_indices(a, p, result) && give_morphs(a, p, result);
}

bool st_piece_give_order(arena *a, const piece *p, stele_primitive *result)
{
    *result = *p->source;
    return give_indices(a, p, result);
}
