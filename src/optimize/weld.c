/* Vertices that are the same become one. */
#include <math.h>

#include "base/hash.h"
#include "base/order.h"
#include "base/vector.h"
#include "optimize.h"

typedef struct welder {
    arena *arena;
    piece *p;
    morph_rows morphs;
    double tolerance, reach; /* of positions */
    const stele_view *position;
    hash_table table;
    uint32_t *to;  /* for each vertex: the one that it becomes */
    uint64_t work; /* of comparing two */
} welder;

/* ---- Equal ---- */

/* A number as bits: -0 is 0. */
static uint32_t float_bits(const uint8_t *p)
{
    uint32_t bits = load_u32(p);
    return bits == 0x80000000u ? 0 : bits;
}

static bool same_row(const stele_view *v, uint64_t a, uint64_t b)
{
    const uint8_t *p = st_view_at(v, a), *q = st_view_at(v, b);
    if (v->type != STELE_F32)
        return memcmp(p, q, (size_t)v->components * stele_type_size(v->type)) == 0;
    for (uint32_t i = 0; i < v->components; i++)
        if (float_bits(p + 4 * i) != float_bits(q + 4 * i))
            return false;
    return true;
}

static uint64_t hash_row(uint64_t hash, const stele_view *v, uint64_t row)
{
    const uint8_t *p = st_view_at(v, row);
    if (v->type != STELE_F32)
        return hash_bytes(hash, p, (uint64_t)v->components * stele_type_size(v->type));
    for (uint32_t i = 0; i < v->components; i++)
        hash = hash_mix(hash, float_bits(p + 4 * i));
    return hash;
}

/* ---- Nearly equal ---- */

static double tolerance_of(const welder *w, stele_semantic semantic)
{
    return semantic == STELE_POSITION ? w->reach : semantic == STELE_JOINTS ? 0 : w->tolerance;
}

static bool near_row(const stele_view *v, uint64_t a, uint64_t b, double tolerance)
{
    if (tolerance == 0)
        return same_row(v, a, b);
    for (uint32_t i = 0; i < v->components; i++)
        if (!(fabs(view_number(v, a, i) - view_number(v, b, i)) <= tolerance))
            return false;
    return true;
}

/* ---- Morphs ---- */

typedef enum morph_part { PART_POSITION, PART_NORMAL, PART_TANGENT, PART_COUNT } morph_part;

static const stele_view *part_of(const stele_morph *m, int part)
{
    return part == PART_POSITION ? &m->position : part == PART_NORMAL ? &m->normal : &m->tangent;
}

static bool near_deltas(const stele_morph *m, uint64_t a, uint64_t b, int parts, double reach, double tolerance)
{
    for (int i = 0; i < parts; i++)
        if (part_of(m, i)->count && !near_row(part_of(m, i), a, b, i == PART_POSITION ? reach : tolerance))
            return false;
    return true;
}

static bool near_morphs(const piece *p, const morph_rows *rows, uint32_t a, uint32_t b, int parts, double reach,
                        double tolerance)
{
    const stele_morph *morphs = p->source->morphs;
    for (size_t i = 0; i < p->source->morph_count; i++)
        if (!morphs[i].vertices.count && !near_deltas(&morphs[i], p->rows[a], p->rows[b], parts, reach, tolerance))
            return false;
    uint64_t i = rows->first[a], k = rows->first[b];
    if (rows->first[a + 1] - i != rows->first[b + 1] - k)
        return false;
    for (; i < rows->first[a + 1]; i++, k++) {
        const morph_row *one = &rows->items[i], *other = &rows->items[k];
        if (one->morph != other->morph || !near_deltas(&morphs[one->morph], one->row, other->row, parts, reach, tolerance))
            return false;
    }
    return true;
}

bool st_same_motion(const piece *p, const morph_rows *morphs, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < p->source->attribute_count; i++) {
        const stele_attribute *attribute = &p->source->attributes[i];
        bool moves = attribute->semantic == STELE_POSITION || attribute->semantic == STELE_JOINTS ||
                     attribute->semantic == STELE_WEIGHTS;
        if (moves && !same_row(&attribute->view, p->rows[a], p->rows[b]))
            return false;
    }
    return near_morphs(p, morphs, a, b, 1, 0, 0);
}

/* ---- Finding ---- */

static bool same_vertex(const welder *w, uint32_t a, uint32_t b)
{
    const piece *p = w->p;
    for (size_t i = 0; i < p->source->attribute_count; i++) {
        const stele_attribute *attribute = &p->source->attributes[i];
        if (!near_row(&attribute->view, p->rows[a], p->rows[b], tolerance_of(w, attribute->semantic)))
            return false;
    }
    return near_morphs(p, &w->morphs, a, b, PART_COUNT, w->reach, w->tolerance);
}

static uint32_t found_under(welder *w, uint32_t hash, uint32_t vertex)
{
    uint32_t other;
    for (hash_probe probe = hash_at(&w->table, hash); (other = hash_next(&probe)) != STELE_NONE;)
        if (!st_work(w->arena, 1, w->work) || same_vertex(w, other, vertex))
            return other;
    return STELE_NONE;
}

static uint32_t hash_of_vertex(const welder *w, uint32_t vertex)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < w->p->source->attribute_count; i++)
        hash = hash_row(hash, &w->p->source->attributes[i].view, w->p->rows[vertex]);
    return hash_end(hash);
}

/* The cells that are twice as wide as the tolerance reaches, so that what is near is in one of eight. */
static uint32_t hash_of_cell(const double cell[3])
{
    uint64_t hash = 0;
    for (int i = 0; i < 3; i++)
        hash = hash_mix(hash, (uint64_t)(int64_t)lesser(greater(cell[i], -9e15), 9e15));
    return hash_end(hash);
}

static uint32_t hash_near(const welder *w, uint32_t vertex, unsigned corner)
{
    double cell[3];
    for (uint32_t i = 0; i < 3; i++) {
        double x = view_number(w->position, w->p->rows[vertex], i);
        cell[i] = floor((x + (corner == 8 ? 0 : (corner >> i & 1) ? w->reach : -w->reach)) / (2 * w->reach));
    }
    return hash_of_cell(cell);
}

static bool weld_exactly(welder *w, uint32_t vertex)
{
    uint32_t hash = hash_of_vertex(w, vertex), other = found_under(w, hash, vertex);
    w->to[vertex] = other == STELE_NONE ? vertex : other;
    return other != STELE_NONE || st_hash_add(&w->table, w->arena, hash, vertex);
}

static bool weld_nearly(welder *w, uint32_t vertex)
{
    uint32_t best = STELE_NONE;
    for (unsigned corner = 0; corner < 8; corner++) {
        uint32_t other = found_under(w, hash_near(w, vertex, corner), vertex);
        best = other < best ? other : best;
    }
    w->to[vertex] = best == STELE_NONE ? vertex : best;
    return best != STELE_NONE || st_hash_add(&w->table, w->arena, hash_near(w, vertex, 8), vertex);
}

bool st_weld(arena *a, piece *p, double tolerance, double size)
{
    welder w = {.arena = a,
                .p = p,
                .tolerance = tolerance,
                .reach = tolerance * size,
                .position = stele_primitive_view(p->source, STELE_POSITION, 0),
                .work = 10 + 10 * ((uint64_t)p->source->attribute_count + p->source->morph_count),
                .to = st_arena_bytes(a, p->vertex_count * (uint64_t)sizeof *w.to)};
    if (!w.to || !st_piece_morph_rows(a, p, &w.morphs) || !st_hash_make(&w.table, a, p->vertex_count))
        return false;
    if (!st_work(a, p->vertex_count, w.work))
        return false;
    for (uint32_t v = 0; v < p->vertex_count; v++)
        if (!(w.reach > 0 ? weld_nearly(&w, v) : weld_exactly(&w, v)))
            return false;
    st_piece_renumber(p, w.to);
    return !a->failed;
}
