/* All operations on a model, in their order, and the proof. */
#include "optimize.h"

#include <math.h>

#include "base/hash.h"
#include "model/build.h"

static const double usual_key_tolerance = 1e-5;

typedef struct optimizer {
    arena *arena;
    const stele_model *model;
    const stele_optimize_options *options;
    double size;
    places *shared;
    double limit;              /* of simplifying */
    stele_primitive **results; /* of all primitives, mesh by mesh */
    fate *fates;
    uint32_t *group;     /* of all primitives: the first that has the same vertices */
    uint64_t *group_use; /* of these: the vertices that primitives of the group use, together */
    hash_table done;     /* primitives, by what they draw */
    const stele_primitive **sources;
    size_t count;
} optimizer;

/* ---- Primitives ---- */

static bool same_view(const stele_view *a, const stele_view *b)
{
    return a->data == b->data && a->count == b->count && a->stride == b->stride && a->type == b->type &&
           a->components == b->components && a->normalized == b->normalized;
}

static bool same_vertices(const stele_primitive *a, const stele_primitive *b)
{
    if (a->vertex_count != b->vertex_count || a->attribute_count != b->attribute_count || a->morph_count != b->morph_count)
        return false;
    for (size_t i = 0; i < a->attribute_count; i++)
        if (a->attributes[i].semantic != b->attributes[i].semantic || a->attributes[i].set != b->attributes[i].set ||
            !same_view(&a->attributes[i].view, &b->attributes[i].view))
            return false;
    for (size_t i = 0; i < a->morph_count; i++)
        if (!same_view(&a->morphs[i].vertices, &b->morphs[i].vertices) ||
            !same_view(&a->morphs[i].position, &b->morphs[i].position) ||
            !same_view(&a->morphs[i].normal, &b->morphs[i].normal) || !same_view(&a->morphs[i].tangent, &b->morphs[i].tangent))
            return false;
    return true;
}

/* Blended triangles are seen through each other: which comes first is part of the picture. */
static bool keeps_order(const optimizer *o, const stele_primitive *p)
{
    return o->options->keep_order || (p->material != STELE_NONE && o->model->materials[p->material].alpha_mode == STELE_BLEND);
}

static bool draws_the_same(const optimizer *o, const stele_primitive *a, const stele_primitive *b)
{
    return a->topology == b->topology && same_view(&a->indices, &b->indices) && same_vertices(a, b) &&
           keeps_order(o, a) == keeps_order(o, b);
}

static uint32_t hash_of_vertices(const stele_primitive *p)
{
    return hash_end(hash_mix(hash_mix(0, (uintptr_t)p->attributes[0].view.data), p->vertex_count));
}

/* ---- Primitives that share their vertices ---- */

/* How many vertices a primitive draws. */
static bool count_used(arena *a, const stele_primitive *p, uint64_t *used)
{
    arena_mark mark = st_arena_mark(a);
    uint64_t count = p->indices.count;
    uint8_t *seen = count ? st_arena_array(a, p->vertex_count, 1) : NULL;
    *used = count ? 0 : p->vertex_count;
    for (uint64_t i = 0; seen && i < count; i++) {
        uint64_t v = st_view_index(&p->indices, i, p->vertex_count);
        *used += !seen[v];
        seen[v] = 1;
    }
    st_arena_rewind(a, mark);
    return (seen || !count) && st_work(a, count, 4);
}

static bool find_groups(optimizer *o)
{
    hash_table table = {0};
    for (uint32_t i = 0; i < o->count; i++) {
        uint32_t found;
        uint64_t used;
        o->group[i] = STELE_NONE;
        if (!st_piece_can(o->sources[i]))
            continue;
        uint32_t hash = hash_of_vertices(o->sources[i]);
        bool repeated = false;
        for (hash_probe probe = hash_at(&table, hash); (found = hash_next(&probe)) != STELE_NONE;) {
            if (o->group[i] == STELE_NONE && same_vertices(o->sources[found], o->sources[i]))
                o->group[i] = o->group[found];
            repeated |= draws_the_same(o, o->sources[found], o->sources[i]);
        }
        if (o->group[i] == STELE_NONE)
            o->group[i] = i;
        if (repeated)
            continue;
        if (!count_used(o->arena, o->sources[i], &used) || !st_hash_add(&table, o->arena, hash, i))
            return false;
        o->group_use[o->group[i]] += used;
    }
    return true;
}

/* Vertices that several primitives draw stay together: apart they would be more. */
static bool stays_together(const optimizer *o, size_t index)
{
    return o->group_use[o->group[index]] > o->sources[index]->vertex_count;
}

/* ---- One primitive ---- */

enum { WORK_OF_VERTEX = 40 }; /* to be taken, renumbered and given */

static bool work_on(const optimizer *o, arena *a, piece *p, bool *simplified)
{
    const stele_optimize_options *options = o->options;
    if (!st_weld(a, p, options->tolerance, o->size) || !st_drop_degenerate(a, p))
        return false;
    uint32_t indices = p->index_count;
    if (options->simplify > 0 &&
        !st_simplify(a, p, o->shared, (uint64_t)ceil(p->index_count / 3 * options->simplify), o->limit, o->size))
        return false;
    *simplified = p->index_count != indices;
    if (p->corners == 3 && !keeps_order(o, p->source) && !st_order_for_cache(a, p))
        return false;
    return st_order_for_fetch(a, p);
}

/* Only the order of triangles changes. */
static bool work_on_order(const optimizer *o, arena *a, piece *p)
{
    if (p->corners == 3 && !keeps_order(o, p->source) && !st_order_for_cache(a, p))
        return false;
    for (uint32_t i = 0; i < p->index_count; i++)
        p->indices[i] = p->rows[p->indices[i]];
    p->vertex_count = (uint32_t)p->source->vertex_count;
    for (uint32_t v = 0; v < p->vertex_count; v++)
        p->became[v] = v;
    return true;
}

static bool optimize_primitive(optimizer *o, arena *scratch, size_t index)
{
    const stele_primitive *source = o->sources[index];
    uint32_t *became = st_arena_bytes(o->arena, source->vertex_count * sizeof *became);
    piece p;
    uint64_t corners = source->indices.count ? source->indices.count : source->vertex_count;
    bool simplified = false, done = became && st_work(scratch, source->vertex_count + corners, WORK_OF_VERTEX) &&
                                    st_piece_take(scratch, source, &p);
    p.round = o->options->round;
    if (done && stays_together(o, index)) {
        done = work_on_order(o, scratch, &p) && st_piece_give_order(o->arena, &p, o->results[index]);
    } else if (done) {
        done = work_on(o, scratch, &p, &simplified) && st_piece_give(o->arena, &p, o->results[index]);
    }
    if (!done)
        return false;
    memcpy(became, p.became, (size_t)source->vertex_count * sizeof *became);
    o->fates[index] = (fate){became, simplified};
    return true;
}

/* Memory for one primitive, which the next one can have: what stays is between, so that marks would not do. */
static arena scratch_beside(const arena *a)
{
    arena scratch = *a;
    scratch.newest = NULL;
    scratch.used = 0;
    scratch.limit = st_arena_left(a);
    return scratch;
}

/* What was done there is done. */
static void give_back(arena *a, arena *scratch)
{
    a->work = scratch->work;
    a->pause = scratch->pause;
    if (scratch->failed && !a->failed) {
        a->failed = true;
        a->reason = scratch->reason;
    }
    st_arena_free(scratch);
}

/* One that draws the same as an earlier one becomes the same. */
static bool optimize_or_share(optimizer *o, size_t index)
{
    const stele_primitive *source = o->sources[index];
    uint32_t hash = hash_of_vertices(source), found;
    for (hash_probe probe = hash_at(&o->done, hash); (found = hash_next(&probe)) != STELE_NONE;)
        if (draws_the_same(o, o->sources[found], source)) {
            *o->results[index] = *o->results[found];
            o->results[index]->material = source->material;
            o->results[index]->properties = source->properties;
            o->fates[index] = o->fates[found];
            return true;
        }
    arena scratch = scratch_beside(o->arena);
    bool done = optimize_primitive(o, &scratch, index) && st_hash_add(&o->done, o->arena, hash, (uint32_t)index);
    give_back(o->arena, &scratch);
    return done;
}

/* ---- The model ---- */

/* A copy of a list, to which more may be added. */
static const void *copied(arena *a, const void *items, size_t count, size_t item_size)
{
    void *copy = st_model_room(a, count, item_size);
    if (copy && count)
        memcpy(copy, items, count * item_size);
    return copy;
}

static bool copy_model(optimizer *o, stele_model *result)
{
    arena *a = o->arena;
    const stele_model *model = o->model;
    *result = *model;
    result->meshes = copied(a, model->meshes, model->mesh_count, sizeof *model->meshes);
    result->clips = copied(a, model->clips, model->clip_count, sizeof *model->clips);
    result->materials = copied(a, model->materials, model->material_count, sizeof *model->materials);
    result->textures = copied(a, model->textures, model->texture_count, sizeof *model->textures);
    size_t count = 0;
    for (size_t i = 0; !a->failed && i < model->mesh_count; i++) {
        stele_mesh *mesh = (stele_mesh *)&result->meshes[i];
        mesh->primitives = copied(a, mesh->primitives, mesh->primitive_count, sizeof *mesh->primitives);
        for (size_t k = 0; mesh->primitives && k < mesh->primitive_count; k++)
            o->results[count++] = (stele_primitive *)&mesh->primitives[k];
    }
    return !a->failed;
}

static bool prepare(optimizer *o)
{
    for (size_t i = 0; i < o->model->mesh_count; i++)
        o->count += o->model->meshes[i].primitive_count;
    o->sources = st_arena_array(o->arena, o->count, sizeof *o->sources);
    o->results = st_arena_array(o->arena, o->count, sizeof *o->results);
    o->fates = st_arena_array(o->arena, o->count, sizeof *o->fates);
    o->group = st_arena_array(o->arena, o->count, sizeof *o->group);
    o->group_use = st_arena_array(o->arena, o->count, sizeof *o->group_use);
    o->shared = o->options->simplify > 0 ? st_shared_places(o->arena, o->model) : NULL;
    if (o->arena->failed || o->count >= STELE_NONE)
        return false;
    size_t count = 0;
    for (size_t i = 0; i < o->model->mesh_count; i++)
        for (size_t k = 0; k < o->model->meshes[i].primitive_count; k++)
            o->sources[count++] = &o->model->meshes[i].primitives[k];
    return find_groups(o);
}

static bool optimize_meshes(optimizer *o)
{
    if (!st_hash_make(&o->done, o->arena, o->count))
        return false;
    for (size_t i = 0; i < o->count; i++)
        if (o->group[i] != STELE_NONE && !optimize_or_share(o, i))
            return false;
    return true;
}

/* ---- The proof ---- */

double st_largest_error(const stele_optimize_errors *e)
{
    const double errors[] = {e->position, e->normal, e->uv, e->color, e->weight, e->node};
    double largest = 0;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        largest = errors[i] <= largest ? largest : errors[i];
    return largest;
}

/* Fewer triangles have other normals; that is what they are. */
static bool is_within(const stele_optimize_errors *e, bool simplified, double limit)
{
    stele_optimize_errors counted = *e;
    if (simplified)
        counted.normal = 0;
    return st_largest_error(&counted) <= limit;
}

static bool attempt(optimizer *o, stele_model *result, stele_optimize_report *report)
{
    const stele_optimize_options *options = o->options;
    double tolerance = options->key_tolerance != 0 ? options->key_tolerance : usual_key_tolerance;
    memset(o->fates, 0, o->count * sizeof *o->fates);
    if (!copy_model(o, result) || !optimize_meshes(o))
        return false;
    if (tolerance > 0 && !st_reduce_keys(o->arena, result, tolerance, o->size, options->whole_rows))
        return false;
    return st_prove(o->arena, o->model, result, o->fates, report->limit, &report->errors);
}

bool st_optimize(arena *a, const stele_model *model, const stele_optimize_options *options, double simplify_limit,
                 stele_model *result, stele_optimize_report *report)
{
    optimizer o = {.arena = a, .model = model, .options = options, .size = st_model_size(model), .limit = simplify_limit};
    if (!prepare(&o) || !attempt(&o, result, report))
        return false;
    report->proven = is_within(&report->errors, options->simplify > 0, report->limit);
    return st_drop_clips(a, result, options->prune) && (!options->prune || st_prune(a, result));
}
