/* Vertices as they are posed: morphed and skinned on the way into the caller's slots. */
#include <string.h>

#include "reader.h"

/* ---- Morphs ---- */

/* Rows of a morph that may move vertices from first on: all of them, unless their vertices are in order. */
static uint64_t first_row(const stele_view *vertices, bool ordered, uint64_t first)
{
    uint64_t low = 0, high = ordered ? vertices->count : 0;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (st_view_index(vertices, middle, UINT64_MAX) < first)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_ordered(const stele_view *vertices)
{
    for (uint64_t i = 1; i < vertices->count; i++)
        if (st_view_index(vertices, i, UINT64_MAX) < st_view_index(vertices, i - 1, UINT64_MAX))
            return false;
    return true;
}

/* Some vertices of a primitive. */
typedef struct range {
    uint64_t first;
    size_t count;
} range;

static void add_all(const stele_view *deltas, float weight, range r, float *rows, uint32_t width)
{
    static const float none[3];
    float more[3 * BLOCK];
    st_load_rows(deltas, r.first, r.count, 3, none, more);
    for (size_t i = 0; i < r.count; i++)
        for (uint32_t k = 0; k < 3; k++)
            rows[i * width + k] += weight * more[3 * i + k];
}

static void add_some(const stele_morph *m, bool ordered, const stele_view *deltas, float weight, range r, float *rows,
                     uint32_t width)
{
    for (uint64_t i = first_row(&m->vertices, ordered, r.first); i < deltas->count; i++) {
        uint64_t vertex = st_view_index(&m->vertices, i, UINT64_MAX);
        if (vertex >= r.first + r.count && ordered)
            return;
        for (uint32_t k = 0; k < 3 && vertex >= r.first && vertex < r.first + r.count; k++)
            rows[(vertex - r.first) * width + k] += weight * (float)view_number(deltas, i, k);
    }
}

static void add_deltas(const stele_morph *m, bool ordered, const stele_view *deltas, float weight, range r, float *rows,
                       uint32_t width)
{
    if (deltas->count && m->vertices.count)
        add_some(m, ordered, deltas, weight, r, rows, width);
    else if (deltas->count >= r.first + r.count)
        add_all(deltas, weight, r, rows, width);
}

/* ---- Posing ---- */

typedef struct poser {
    const stele_primitive *primitive;
    const float *weights; /* of morphs, or NULL */
    stele_skin skin;
    mover mover;
    bool wants_normals, wants_tangents; /* somebody asked for them */
    bool normals, tangents;             /* and they are there */
    bool ordered;                       /* the vertices of all sparse morphs */
} poser;

static void load(const stele_primitive *p, stele_semantic semantic, range r, uint32_t width, float *rows)
{
    static const float neutral[3][4] = {{0, 0, 0, 0}, {0, 0, 1, 0}, {1, 0, 0, 1}};
    const stele_view *v = stele_primitive_view(p, semantic, 0);
    if (v && v->count >= p->vertex_count)
        st_load_rows(v, r.first, r.count, width, neutral[semantic], rows);
    else
        for (size_t i = 0; i < r.count; i++)
            memcpy(rows + i * width, neutral[semantic], width * sizeof *rows);
}

static void move_some(const poser *p, range r, moved_block *b)
{
    load(p->primitive, STELE_POSITION, r, 3, b->position[0]);
    if (p->wants_normals)
        load(p->primitive, STELE_NORMAL, r, 3, b->normal[0]);
    if (p->wants_tangents)
        load(p->primitive, STELE_TANGENT, r, 4, b->tangent[0]);
    for (size_t i = 0; p->weights && i < p->primitive->morph_count; i++) {
        const stele_morph *m = &p->primitive->morphs[i];
        if (p->weights[i] == 0)
            continue;
        add_deltas(m, p->ordered, &m->position, p->weights[i], r, b->position[0], 3);
        if (p->normals)
            add_deltas(m, p->ordered, &m->normal, p->weights[i], r, b->normal[0], 3);
        if (p->tangents)
            add_deltas(m, p->ordered, &m->tangent, p->weights[i], r, b->tangent[0], 4);
    }
    if (p->mover.set_count)
        st_movef(&p->mover, r.first, r.count, b->position, sizeof *b->position, p->normals ? b->normal : NULL,
                 p->tangents ? b->tangent : NULL);
    else
        for (size_t i = 0; i < r.count; i++) {
            if (p->wants_normals)
                normalize3f(b->normal[i]);
            if (p->wants_tangents)
                normalize3f(b->tangent[i]);
        }
}

static bool asked_for(stele_semantic semantic, const stele_slot *slots, size_t slot_count)
{
    for (size_t i = 0; i < slot_count; i++)
        if (slots[i].semantic == semantic && !slots[i].set)
            return true;
    return false;
}

static bool deform_is_sound(const stele_primitive *p, const stele_deform *d, uint64_t first, uint64_t count)
{
    return p && d && count <= p->vertex_count && first <= p->vertex_count - count &&
           (!d->weights || d->weight_count >= p->morph_count);
}

stele_status stele_deform_vertices(const stele_primitive *p, const stele_deform *deform, uint64_t first, uint64_t count,
                                   const stele_slot *slots, size_t slot_count, void *buffer, size_t size)
{
    reader r;
    moved_block b;
    bool whole = true;
    if (!deform_is_sound(p, deform, first, count) || !st_reader_plan(&r, p, slots, slot_count, count, true, buffer, size))
        return STELE_USAGE;
    poser poser = {.primitive = p,
                   .weights = p->morph_count ? deform->weights : NULL,
                   .skin = {.joint_count = deform->matrices ? deform->matrix_count : 0},
                   .wants_normals = asked_for(STELE_NORMAL, slots, slot_count),
                   .wants_tangents = asked_for(STELE_TANGENT, slots, slot_count),
                   .ordered = true};
    poser.normals = poser.wants_normals && stele_primitive_view(p, STELE_NORMAL, 0);
    poser.tangents = poser.wants_tangents && stele_primitive_view(p, STELE_TANGENT, 0);
    poser.mover = st_mover_of_palette(p, &poser.skin, (const float(*)[12])deform->matrices);
    for (size_t i = 0; poser.weights && i < p->morph_count; i++)
        poser.ordered &= is_ordered(&p->morphs[i].vertices);
    for (uint64_t done = 0; done < count; done += r.block) {
        range some = {first + done, count - done < r.block ? (size_t)(count - done) : r.block};
        move_some(&poser, some, &b);
        whole &= st_reader_fill(&r, some.first, done, some.count, &b);
    }
    return whole ? STELE_OK : STELE_LOSSY;
}
