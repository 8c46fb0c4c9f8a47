/* A model and what became of it, compared by what is drawn: every vertex with the one that it became, or, where there are
 * fewer, with the surface around that; every triangle; and nodes and vertices at times of the clips. The operations only say
 * where to look: what is there is measured anew. */
#include <math.h>

#include "base/hash.h"
#include "base/matrix.h"
#include "model/build.h"
#include "model/evaluate.h"
#include "optimize.h"

typedef struct prover {
    arena *arena;
    const stele_model *before, *after;
    double size;  /* of the meshes as the file has them, */
    double seen;  /* and of what is drawn of them at rest: nodes scale */
    double limit; /* what positions may be off, as a part of the size */
    stele_optimize_errors *errors;
    double (*nodes_before)[16], (*nodes_after)[16];
    struct pair *pairs;
    size_t *first;   /* pair of each mesh */
    bool exact;      /* all pairs are */
    uint32_t *drawn; /* nodes */
    size_t drawn_count;
} prover;

/* A primitive before and after. */
typedef struct pair {
    const stele_primitive *before, *after;
    const fate *fate;
    bool exact; /* all that vertices have is what it was, bit by bit */
} pair;

static double worse(double error, double one)
{
    return one <= error ? error : one; /* NaN is the worst */
}

double st_model_size(const stele_model *model)
{
    stele_bounds all = {0};
    for (size_t i = 0; i < model->mesh_count; i++)
        for (size_t k = 0; k < model->meshes[i].primitive_count; k++) {
            const stele_view *position = stele_primitive_view(&model->meshes[i].primitives[k], STELE_POSITION, 0);
            stele_bounds one = position ? st_view_bounds(position) : (stele_bounds){0};
            st_bounds_add(&all, &one);
        }
    return st_bounds_size(&all);
}

/* ---- What vertices have ---- */

static double *error_of(stele_optimize_errors *e, stele_semantic semantic)
{
    switch (semantic) {
    case STELE_POSITION: return &e->position;
    case STELE_NORMAL:
    case STELE_TANGENT: return &e->normal;
    case STELE_UV: return &e->uv;
    case STELE_COLOR: return &e->color;
    default: return &e->weight;
    }
}

/* Skins name a joint several times or in any order, but what becomes one has them alike. */
static void compare_rows(prover *p, pair *pair, const stele_attribute *a, const stele_attribute *b)
{
    double error = 0;
    uint32_t size = a->view.components * stele_type_size(a->view.type);
    for (uint64_t row = 0; row < pair->before->vertex_count; row++) {
        uint32_t vertex = pair->fate->became[row];
        bool same_type = a->view.type == b->view.type;
        if (vertex == STELE_NONE || (same_type && memcmp(st_view_at(&a->view, row), st_view_at(&b->view, vertex), size) == 0))
            continue;
        for (uint32_t k = 0; k < a->view.components; k++)
            error =
                worse(error, fabs((double)((float)view_number(&a->view, row, k) - (float)view_number(&b->view, vertex, k))));
    }
    pair->exact &= error == 0 && st_work(p->arena, pair->before->vertex_count, 8);
    if (a->semantic == STELE_POSITION)
        error /= p->size;
    *error_of(p->errors, a->semantic) = worse(*error_of(p->errors, a->semantic), error);
}

/* What a morph adds to the positions of all vertices. */
static float *deltas_of(arena *a, const stele_primitive *p, const stele_morph *m)
{
    float *deltas = st_arena_array(a, p->vertex_count, 3 * sizeof *deltas);
    for (uint64_t i = 0; deltas && i < m->position.count; i++) {
        uint64_t vertex = m->vertices.count ? st_view_index(&m->vertices, i, p->vertex_count) : i;
        for (uint32_t k = 0; k < 3 && vertex < p->vertex_count; k++)
            deltas[3 * vertex + k] += (float)view_number(&m->position, i, k);
    }
    return deltas;
}

static bool compare_morph(prover *p, pair *pair, size_t morph)
{
    arena_mark mark = st_arena_mark(p->arena);
    float *a = deltas_of(p->arena, pair->before, &pair->before->morphs[morph]);
    float *b = deltas_of(p->arena, pair->after, &pair->after->morphs[morph]);
    double error = 0;
    for (uint64_t row = 0; a && b && row < pair->before->vertex_count; row++) {
        uint32_t vertex = pair->fate->became[row];
        for (uint32_t k = 0; vertex != STELE_NONE && k < 3; k++)
            error = worse(error, fabs((double)a[3 * row + k] - (double)b[3 * vertex + k]));
    }
    bool done = a && b && st_work(p->arena, pair->before->vertex_count + pair->before->morphs[morph].position.count, 8);
    st_arena_rewind(p->arena, mark);
    pair->exact &= error == 0;
    p->errors->position = worse(p->errors->position, error / p->size);
    return done;
}

/* ---- Triangles ---- */

static void corners_of(const stele_primitive *p, const uint32_t *became, uint64_t triangle, uint32_t corner[3])
{
    uint64_t vertices[3];
    st_triangle(p, triangle, vertices);
    for (int i = 0; i < 3; i++)
        corner[i] = vertices[i] >= p->vertex_count ? STELE_NONE : became ? became[vertices[i]] : (uint32_t)vertices[i];
}

/* The same triangle may begin with any of its corners. */
static void turn(uint32_t corner[3])
{
    while (corner[0] > corner[1] || corner[0] > corner[2]) {
        uint32_t first = corner[0];
        corner[0] = corner[1];
        corner[1] = corner[2];
        corner[2] = first;
    }
}

static uint32_t hash_of(const uint32_t corner[3])
{
    return hash_end(hash_mix(hash_mix(hash_mix(0, corner[0]), corner[1]), corner[2]));
}

static bool has_area(const stele_primitive *p, uint64_t triangle)
{
    const stele_view *position = stele_primitive_view(p, STELE_POSITION, 0);
    uint64_t vertices[3];
    double at[3][3], e[3], f[3], normal[3];
    st_triangle(p, triangle, vertices);
    for (int i = 0; i < 3; i++)
        for (uint32_t k = 0; k < 3; k++)
            at[i][k] = vertices[i] < p->vertex_count ? view_number(position, vertices[i], k) : 0;
    minus3(at[1], at[0], e);
    minus3(at[2], at[0], f);
    cross3(e, f, normal);
    return normal[0] != 0 || normal[1] != 0 || normal[2] != 0;
}

static bool is_there(const hash_table *table, const uint32_t (*there)[3], const uint32_t corner[3])
{
    uint32_t item;
    for (hash_probe probe = hash_at(table, hash_of(corner)); (item = hash_next(&probe)) != STELE_NONE;)
        if (memcmp(there[item], corner, sizeof *there) == 0)
            return true;
    return false;
}

/* Every triangle is still there, but for those that cover nothing. Those that are the same are put into the table once: a crowd
 * of equal ones makes it slow. */
static bool compare_triangles(prover *p, const pair *pair)
{
    arena_mark mark = st_arena_mark(p->arena);
    uint64_t count = st_triangle_count(pair->after), missing = 0;
    uint32_t(*there)[3] = st_arena_array(p->arena, count, sizeof *there);
    hash_table table;
    bool done =
        there && st_work(p->arena, count + st_triangle_count(pair->before), 60) && st_hash_make(&table, p->arena, count);
    for (uint32_t i = 0; done && i < count; i++) {
        corners_of(pair->after, NULL, i, there[i]);
        turn(there[i]);
        done = is_there(&table, (const uint32_t(*)[3])there, there[i]) || st_hash_add(&table, p->arena, hash_of(there[i]), i);
    }
    for (uint64_t i = 0; done && i < st_triangle_count(pair->before); i++) {
        uint32_t corner[3];
        corners_of(pair->before, pair->fate->became, i, corner);
        if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0])
            continue;
        turn(corner);
        missing += !is_there(&table, (const uint32_t(*)[3])there, corner) && has_area(pair->before, i);
    }
    st_arena_rewind(p->arena, mark);
    if (missing)
        p->errors->position = INFINITY;
    return done;
}

/* ---- A simplified surface ---- */

static double take_nearest(void *user, const near_triangle *found, double squared_radius)
{
    (void)squared_radius;
    *(double *)user = found->squared_distance;
    return found->squared_distance;
}

static double distance_from(surface *s, const double point[3], double at_most)
{
    double squared = at_most * at_most;
    st_surface_near(s, point, squared, 0, take_nearest, &squared);
    return sqrt(squared);
}

static bool is_seen(stele_semantic semantic)
{
    return semantic == STELE_UV || semantic == STELE_COLOR || semantic == STELE_NORMAL;
}

/* What a vertex had, and the least that it is off in any triangle that passes it. */
typedef struct likeness {
    const pair *pair;
    uint64_t row;
    double best, errors[STELE_WEIGHTS + 1];
} likeness;

static double compare_with(void *user, const near_triangle *found, double squared_radius)
{
    likeness *l = user;
    double errors[STELE_WEIGHTS + 1] = {0}, sum = 0;
    for (size_t i = 0; i < l->pair->before->attribute_count; i++) {
        const stele_attribute *a = &l->pair->before->attributes[i], *b = &l->pair->after->attributes[i];
        for (uint32_t k = 0; is_seen(a->semantic) && k < a->view.components; k++) {
            double there = 0;
            for (int c = 0; c < 3; c++)
                there += found->parts[c] * view_number(&b->view, found->vertices[c], k);
            double off = fabs(there - view_number(&a->view, l->row, k));
            errors[a->semantic] = worse(errors[a->semantic], off);
            sum += a->semantic == STELE_NORMAL ? off * 1e-3 : off; /* tells sides apart, and no more */
        }
    }
    if (sum < l->best) {
        l->best = sum;
        memcpy(l->errors, errors, sizeof errors);
    }
    return squared_radius;
}

/* Units for each triangle that a vertex is compared with. */
static uint64_t work_of_comparing(const stele_primitive *p)
{
    enum { WORK_OF_NUMBER = 12 };
    uint64_t work = 0;
    for (size_t i = 0; i < p->attribute_count; i++)
        work += is_seen(p->attributes[i].semantic) ? WORK_OF_NUMBER * p->attributes[i].view.components : 0;
    return work;
}

/* ---- At a time ---- */

static double compare_moved(const arena *arena, const pair *pair, const float *a, const float *b, surface *s)
{
    double error = 0;
    for (uint64_t row = 0; row < pair->before->vertex_count && !arena->failed; row++) {
        uint32_t vertex = pair->fate->became ? pair->fate->became[row] : (uint32_t)row;
        double from[3], to[3];
        if (vertex == STELE_NONE)
            continue;
        widen3(a + 3 * row, from);
        widen3(b + 3 * (uint64_t)vertex, to);
        double one = distance3(from, to);
        error = worse(error, s && one > error ? distance_from(s, from, one) : one);
    }
    return error;
}

/* Where seams are, several triangles pass a vertex: one of those that are no farther than is allowed must look like it. */
static void compare_surface(prover *p, const pair *pair, const float *a, surface *s)
{
    uint64_t work = work_of_comparing(pair->before);
    for (uint64_t row = 0; row < pair->before->vertex_count; row++) {
        likeness l = {.pair = pair, .row = row, .best = INFINITY};
        double from[3];
        if (pair->fate->became[row] == STELE_NONE)
            continue;
        widen3(a + 3 * row, from);
        if (!st_surface_near(s, from, p->limit * p->seen * p->limit * p->seen, work, compare_with, &l))
            return;
        for (int semantic = STELE_NORMAL; semantic <= STELE_COLOR; semantic++)
            *error_of(p->errors, (stele_semantic)semantic) =
                worse(*error_of(p->errors, (stele_semantic)semantic), l.errors[semantic]);
    }
}

static bool compare_drawn(prover *p, const pair *pair, uint32_t node, uint32_t primitive, uint32_t clip, double seconds)
{
    arena_mark mark = st_arena_mark(p->arena);
    float *a = st_arena_array(p->arena, pair->before->vertex_count, 3 * sizeof *a);
    float *b = st_arena_array(p->arena, pair->after->vertex_count, 3 * sizeof *b);
    surface *s = NULL;
    bool may = a && b && st_work(p->arena, 1, st_work_of_vertices(p->before, node, pair->before, clip)) &&
               st_work(p->arena, 1, st_work_of_vertices(p->after, node, pair->after, clip));
    if (may) {
        st_evaluate_vertices(p->before, node, primitive, clip, seconds, (const double(*)[16])p->nodes_before, a, NULL);
        st_evaluate_vertices(p->after, node, primitive, clip, seconds, (const double(*)[16])p->nodes_after, b, NULL);
        s = pair->fate->simplified ? st_surface_make(p->arena, pair->after, b) : NULL;
        p->errors->position = worse(p->errors->position, compare_moved(p->arena, pair, a, b, s) / p->seen);
        if (s && clip == STELE_NONE)
            compare_surface(p, pair, a, s);
    }
    bool done = may && (s || !pair->fate->simplified) && !p->arena->failed;
    st_arena_rewind(p->arena, mark);
    return done;
}

/* ---- Nodes ---- */

/* How far nodes are from where they were, and how differently turned and scaled: as the size of the model would move. */
static double compare_nodes(const prover *p)
{
    double error = 0;
    for (size_t i = 0; i < p->before->node_count; i++)
        for (int k = 0; k < 15; k++)
            error = worse(error, fabs(p->nodes_before[i][k] - p->nodes_after[i][k]) / (k < 12 ? 1 : p->seen));
    return error;
}

static void pose(prover *p, uint32_t clip, double seconds)
{
    if (!st_work(p->arena, 1, st_work_of_nodes(p->before, clip) + st_work_of_nodes(p->after, clip)))
        return;
    st_evaluate_nodes(p->before, clip, seconds, p->nodes_before);
    st_evaluate_nodes(p->after, clip, seconds, p->nodes_after);
    p->errors->node = worse(p->errors->node, compare_nodes(p));
}

/* Adds what a node draws at rest to a box. */
static bool see(prover *p, uint32_t node, uint32_t primitive, stele_bounds *all)
{
    const stele_primitive *source = &p->before->meshes[p->before->nodes[node].mesh].primitives[primitive];
    arena_mark mark = st_arena_mark(p->arena);
    float *positions = st_arena_array(p->arena, source->vertex_count, 3 * sizeof *positions);
    bool may = positions && st_work(p->arena, 1, st_work_of_vertices(p->before, node, source, STELE_NONE));
    if (may) {
        st_evaluate_vertices(p->before, node, primitive, STELE_NONE, 0, (const double(*)[16])p->nodes_before, positions, NULL);
        stele_view view = {.data = positions, .count = source->vertex_count, .stride = 12, .type = STELE_F32, .components = 3};
        stele_bounds one = st_view_bounds(&view);
        st_bounds_add(all, &one);
    }
    st_arena_rewind(p->arena, mark);
    return may;
}

static bool see_all(prover *p)
{
    stele_bounds all = {0};
    if (!st_work(p->arena, 1, st_work_of_nodes(p->before, STELE_NONE)))
        return false;
    st_evaluate_nodes(p->before, STELE_NONE, 0, p->nodes_before);
    for (size_t i = 0; i < p->drawn_count; i++) {
        const stele_mesh *mesh = &p->before->meshes[p->before->nodes[p->drawn[i]].mesh];
        for (uint32_t k = 0; k < mesh->primitive_count; k++)
            if (stele_primitive_view(&mesh->primitives[k], STELE_POSITION, 0) && !see(p, p->drawn[i], k, &all))
                return false;
    }
    p->seen = all.known ? st_bounds_size(&all) : p->size;
    return true;
}

enum { MOST_POSES = 64, MOST_SHAPES = 4 }; /* of a clip: nodes are cheap, vertices are not */

/* The channel with most keys tells at which times something can be off. */
static const stele_view *times_of(const stele_clip *clip)
{
    const stele_view *most = NULL;
    for (size_t i = 0; i < clip->channel_count; i++)
        if (!most || clip->channels[i].times.count > most->count)
            most = &clip->channels[i].times;
    return most;
}

/* Vertices at a time, of primitives that are not what they were; of all, if nodes may be elsewhere. */
static bool compare_shapes(prover *p, uint32_t clip, double seconds, bool all)
{
    for (size_t i = 0; i < p->drawn_count; i++) {
        uint32_t mesh = p->before->nodes[p->drawn[i]].mesh;
        for (uint32_t k = 0; k < p->before->meshes[mesh].primitive_count; k++) {
            const pair *one = &p->pairs[p->first[mesh] + k];
            if ((one->exact && !all) || !stele_primitive_view(one->before, STELE_POSITION, 0))
                continue;
            if (!compare_drawn(p, one, p->drawn[i], k, clip, seconds))
                return false;
        }
    }
    return true;
}

static bool same_keys(const stele_clip *a, const stele_clip *b)
{
    if (a->channel_count != b->channel_count)
        return false;
    for (size_t i = 0; i < a->channel_count; i++)
        if (a->channels[i].times.data != b->channels[i].times.data || a->channels[i].values.data != b->channels[i].values.data)
            return false;
    return true;
}

static bool compare_clip(prover *p, uint32_t clip)
{
    const stele_view *times = times_of(&p->before->clips[clip]);
    bool same = same_keys(&p->before->clips[clip], &p->after->clips[clip]);
    if (!times || !times->count || (same && p->exact))
        return true;
    uint64_t poses = times->count < MOST_POSES ? times->count : MOST_POSES, every = (poses + MOST_SHAPES - 1) / MOST_SHAPES;
    for (uint64_t i = 0; i < poses; i++) {
        uint64_t key = poses > 1 ? i * (times->count - 1) / (poses - 1) : 0;
        double seconds = view_number(times, key, 0);
        pose(p, clip, seconds);
        if ((i % every == 0 || i + 1 == poses) && !compare_shapes(p, clip, seconds, !same))
            return false;
    }
    return true;
}

/* ---- All of it ---- */

static bool compare_pair(prover *p, pair *pair)
{
    pair->exact = true;
    if (!pair->fate->became)
        return true;
    pair->exact = !pair->fate->simplified;
    if (!pair->exact)
        return true;
    for (size_t i = 0; i < pair->before->attribute_count; i++)
        compare_rows(p, pair, &pair->before->attributes[i], &pair->after->attributes[i]);
    for (size_t i = 0; i < pair->before->morph_count; i++)
        if (!compare_morph(p, pair, i))
            return false;
    return pair->before->topology != STELE_TRIANGLES || compare_triangles(p, pair);
}

static bool make_pairs(prover *p, const fate *fates)
{
    size_t count = 0;
    for (size_t i = 0; i < p->before->mesh_count; i++)
        count += p->before->meshes[i].primitive_count;
    p->pairs = st_arena_array(p->arena, count, sizeof *p->pairs);
    p->first = st_arena_array(p->arena, p->before->mesh_count, sizeof *p->first);
    p->drawn = st_model_drawn(p->before, p->arena, &p->drawn_count);
    p->nodes_before = st_arena_array(p->arena, p->before->node_count, sizeof *p->nodes_before);
    p->nodes_after = st_arena_array(p->arena, p->before->node_count, sizeof *p->nodes_after);
    if (p->arena->failed)
        return false;
    count = 0;
    p->exact = true;
    for (size_t i = 0; i < p->before->mesh_count; i++) {
        p->first[i] = count;
        for (size_t k = 0; k < p->before->meshes[i].primitive_count; k++, count++) {
            p->pairs[count] = (pair){.before = &p->before->meshes[i].primitives[k],
                                     .after = &p->after->meshes[i].primitives[k],
                                     .fate = &fates[count]};
            if (!compare_pair(p, &p->pairs[count]))
                return false;
            p->exact &= p->pairs[count].exact;
        }
    }
    return true;
}

bool st_prove(arena *a, const stele_model *before, const stele_model *after, const fate *fates, double limit,
              stele_optimize_errors *errors)
{
    arena_mark mark = st_arena_mark(a);
    prover p = {.arena = a, .before = before, .after = after, .size = st_model_size(before), .limit = limit, .errors = errors};
    *errors = (stele_optimize_errors){0};
    bool done = make_pairs(&p, fates) && see_all(&p);
    if (done) {
        pose(&p, STELE_NONE, 0);
        done = compare_shapes(&p, STELE_NONE, 0, false);
    }
    for (uint32_t i = 0; done && i < before->clip_count; i++)
        done = compare_clip(&p, i);
    st_arena_rewind(a, mark);
    return done && !a->failed;
}
