/* Two models side by side: by what is drawn, what moves it, and how it moves; not by how their files arrange it. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/vector.h"
#include "build.h"
#include "evaluate.h"
#include "ops.h"

typedef struct diff {
    const stele_model *a, *b;
    arena *arena;
    double tolerance;
    stele_each_difference each;
    void *user;
    bool equal, failed;
    double (*matrices_a)[16], (*matrices_b)[16];
    uint32_t *joints_a, *joints_b;
    size_t joint_count; /* 0: they cannot be compared */
    double size;        /* of the first model: errors of positions are measured by it */
} diff;

static void tell(diff *d, const char *path, const char *a, const char *b, double error, bool equal)
{
    stele_difference difference = {.path = path, .a = a, .b = b, .error = error, .equal = equal};
    d->equal &= equal;
    d->each(d->user, &difference);
}

static bool same_count(diff *d, const char *path, uint64_t a, uint64_t b)
{
    tell(d, path, st_arena_format(d->arena, "%llu", (unsigned long long)a),
         st_arena_format(d->arena, "%llu", (unsigned long long)b), 0, a == b);
    return a == b;
}

static void same_text(diff *d, const char *path, const char *a, const char *b)
{
    a = a ? a : "";
    b = b ? b : "";
    tell(d, path, a, b, 0, strcmp(a, b) == 0);
}

/* An error that is measured: the values are not listed, they are many. */
static void same_within(diff *d, const char *path, double error)
{
    tell(d, path, NULL, NULL, error, error <= d->tolerance); /* NaN is not */
}

/* The larger of two errors; NaN is larger than all. */
static double worse(double error, double one)
{
    return one <= error ? error : one;
}

static void same_numbers(diff *d, const char *path, const float *a, const float *b, size_t count)
{
    double error = 0;
    for (size_t i = 0; i < count; i++)
        error = worse(error, fabs((double)a[i] - (double)b[i]));
    same_within(d, path, error);
}

/* ---- What is drawn ---- */

typedef struct drawing {
    const stele_model *model;
    uint32_t node, index;
    const stele_primitive *primitive;
} drawing;

static drawing *drawings_of(diff *d, const stele_model *model, size_t *count)
{
    size_t node_count, total = 0;
    uint32_t *nodes = st_model_drawn(model, d->arena, &node_count);
    *count = 0;
    for (size_t i = 0; nodes && i < node_count; i++)
        total += model->meshes[model->nodes[nodes[i]].mesh].primitive_count;
    drawing *drawings = nodes ? st_arena_array(d->arena, total, sizeof *drawings) : NULL;
    d->failed |= !drawings;
    for (size_t i = 0; drawings && i < node_count; i++) {
        const stele_mesh *mesh = &model->meshes[model->nodes[nodes[i]].mesh];
        for (uint32_t k = 0; k < mesh->primitive_count; k++)
            drawings[(*count)++] = (drawing){model, nodes[i], k, &mesh->primitives[k]};
    }
    return drawings;
}

/* A mesh counts once, at the first of its nodes, which follow each other. */
static double size_of_model(const drawing *drawings, size_t count)
{
    stele_bounds all = {0};
    uint32_t first = STELE_NONE;
    for (size_t i = 0; i < count; i++) {
        const stele_node *nodes = drawings[i].model->nodes;
        if (first == STELE_NONE || nodes[drawings[i].node].mesh != nodes[first].mesh)
            first = drawings[i].node;
        if (drawings[i].node != first)
            continue;
        const stele_view *position = stele_primitive_view(drawings[i].primitive, STELE_POSITION, 0);
        stele_bounds one = position ? st_view_bounds(position) : (stele_bounds){0};
        st_bounds_add(&all, &one);
    }
    return st_bounds_size(&all);
}

/* The largest distance between the rows of two arrays of three floats. */
static double largest_distance(const float *p, const float *q, uint64_t count)
{
    double worst = 0;
    for (uint64_t i = 0; i < count; i++) {
        double from[3], to[3];
        widen3(p + 3 * i, from);
        widen3(q + 3 * i, to);
        worst = worse(worst, distance3(from, to));
    }
    return worst;
}

/* How far vertices of one model are from those of the other at a time, as a part of the model's size; and their normals. */
typedef struct vertex_errors {
    double position, normal;
} vertex_errors;

static vertex_errors errors_at(diff *d, const drawing *a, const drawing *b, uint32_t clip, double seconds)
{
    arena_mark mark = st_arena_mark(d->arena);
    uint64_t count = a->primitive->vertex_count;
    bool normals = stele_primitive_view(a->primitive, STELE_NORMAL, 0) && stele_primitive_view(b->primitive, STELE_NORMAL, 0);
    float *p = st_arena_array(d->arena, count, 6 * sizeof *p), *q = st_arena_array(d->arena, count, 6 * sizeof *q);
    vertex_errors errors = {INFINITY, INFINITY};
    d->failed |= !p || !q || !st_work(d->arena, 1, st_work_of_vertices(d->a, a->node, a->primitive, clip)) ||
                 !st_work(d->arena, 1, st_work_of_vertices(d->b, b->node, b->primitive, clip));
    if (!d->failed) {
        float *n = p + 3 * count, *m = q + 3 * count;
        st_evaluate_vertices(d->a, a->node, a->index, clip, seconds, (const double(*)[16])d->matrices_a, p, n);
        st_evaluate_vertices(d->b, b->node, b->index, clip, seconds, (const double(*)[16])d->matrices_b, q, m);
        errors.position = largest_distance(p, q, count) / d->size;
        errors.normal = normals ? largest_distance(n, m, count) : 0;
    }
    st_arena_rewind(d->arena, mark);
    return errors;
}

static void pose(diff *d, uint32_t clip_a, uint32_t clip_b, double seconds)
{
    d->failed |= !st_work(d->arena, 1, st_work_of_nodes(d->a, clip_a)) || !st_work(d->arena, 1, st_work_of_nodes(d->b, clip_b));
    if (d->failed)
        return;
    st_evaluate_nodes(d->a, clip_a, seconds, d->matrices_a);
    st_evaluate_nodes(d->b, clip_b, seconds, d->matrices_b);
}

static void same_view(diff *d, const char *path, const stele_view *a, const stele_view *b)
{
    double error = 0;
    uint32_t components;
    if (!a || !b) {
        if (a || b)
            tell(d, path, a ? "there" : "none", b ? "there" : "none", 0, false);
        return;
    }
    components = a->components > b->components ? a->components : b->components;
    d->failed |= !st_work(d->arena, a->count, 4 * (uint64_t)components);
    for (uint64_t i = 0; !d->failed && i < a->count && i < b->count; i++)
        for (uint32_t k = 0; k < components; k++) {
            double one = k < a->components ? stele_view_number(a, i, k) : 1; /* the alpha that a colour may lack */
            error = worse(error, fabs(one - (k < b->components ? stele_view_number(b, i, k) : 1)));
        }
    same_within(d, path, error);
}

static uint64_t index_at(const stele_primitive *p, uint64_t i)
{
    return p->indices.count ? st_view_integer(&p->indices, i) : i;
}

static const char *const topologies[] = {[STELE_TRIANGLES] = "triangles", [STELE_LINES] = "lines", [STELE_POINTS] = "points"};

static void same_indices(diff *d, const char *path, const stele_primitive *a, const stele_primitive *b)
{
    uint64_t count_a = a->indices.count ? a->indices.count : a->vertex_count, different = 0;
    uint64_t count_b = b->indices.count ? b->indices.count : b->vertex_count;
    same_text(d, st_arena_format(d->arena, "%s.topology", path), topologies[a->topology], topologies[b->topology]);
    if (!same_count(d, st_arena_format(d->arena, "%s.indices", path), count_a, count_b))
        return;
    d->failed |= !st_work(d->arena, count_a, 4);
    for (uint64_t i = 0; !d->failed && i < count_a; i++)
        different += index_at(a, i) != index_at(b, i);
    tell(d, st_arena_format(d->arena, "%s.order", path), "all",
         different ? st_arena_format(d->arena, "%llu differ", (unsigned long long)different) : "all", 0, !different);
}

static void same_use(diff *d, const char *path, const stele_texture_use *a, const stele_texture_use *b)
{
    const stele_texture *ta = a->texture == STELE_NONE ? NULL : &d->a->textures[a->texture];
    const stele_texture *tb = b->texture == STELE_NONE ? NULL : &d->b->textures[b->texture];
    if (!ta && !tb)
        return;
    if (ta && tb && ta->data && tb->data)
        tell(d, path, "inside", "inside", 0,
             ta->size == tb->size && (ta->data == tb->data ||
                                      (st_work(d->arena, ta->size, 1) && memcmp(ta->data, tb->data, (size_t)ta->size) == 0)));
    else
        same_text(d, path, ta ? (ta->file ? ta->file : ta->name) : NULL, tb ? (tb->file ? tb->file : tb->name) : NULL);
    const float values_a[] = {(float)a->uv_set, a->strength, a->rotation, a->offset[0], a->offset[1], a->scale[0], a->scale[1]};
    const float values_b[] = {(float)b->uv_set, b->strength, b->rotation, b->offset[0], b->offset[1], b->scale[0], b->scale[1]};
    if (ta && tb)
        same_numbers(d, st_arena_format(d->arena, "%s.use", path), values_a, values_b, 7);
}

static void same_textures(diff *d, const char *path, const stele_material *a, const stele_material *b)
{
    static const char *const names[STELE_ROLE_COUNT] = {[STELE_ROLE_BASE_COLOR] = "base_color",
                                                        [STELE_ROLE_NORMAL] = "normal",
                                                        [STELE_ROLE_METALLIC_ROUGHNESS] = "metallic_roughness",
                                                        [STELE_ROLE_OCCLUSION] = "occlusion",
                                                        [STELE_ROLE_EMISSIVE] = "emissive",
                                                        [STELE_ROLE_SPECULAR] = "specular",
                                                        [STELE_ROLE_SPECULAR_COLOR] = "specular_color"};
    for (int role = 0; role < STELE_ROLE_COUNT; role++)
        same_use(d, st_arena_format(d->arena, "%s.%s_texture", path, names[role]), &a->textures[role], &b->textures[role]);
}

static void same_material(diff *d, const char *path, uint32_t a, uint32_t b)
{
    stele_material plain = stele_default_material();
    const stele_material *ma = a == STELE_NONE ? &plain : &d->a->materials[a];
    const stele_material *mb = b == STELE_NONE ? &plain : &d->b->materials[b];
    static const char *const modes[] = {[STELE_OPAQUE] = "opaque", [STELE_MASK] = "mask", [STELE_BLEND] = "blend"};
    const float surface_a[] = {ma->metallic, ma->roughness, ma->specular, ma->alpha_mode == STELE_MASK ? ma->alpha_cutoff : 0};
    const float surface_b[] = {mb->metallic, mb->roughness, mb->specular, mb->alpha_mode == STELE_MASK ? mb->alpha_cutoff : 0};
    same_numbers(d, st_arena_format(d->arena, "%s.base_color", path), ma->base_color, mb->base_color, 4);
    float glow_a[3], glow_b[3]; /* colour and strength are one light */
    for (int i = 0; i < 3; i++) {
        glow_a[i] = ma->emissive[i] * ma->emissive_strength;
        glow_b[i] = mb->emissive[i] * mb->emissive_strength;
    }
    same_numbers(d, st_arena_format(d->arena, "%s.emissive", path), glow_a, glow_b, 3);
    same_numbers(d, st_arena_format(d->arena, "%s.specular_color", path), ma->specular_color, mb->specular_color, 3);
    same_numbers(d, st_arena_format(d->arena, "%s.surface", path), surface_a, surface_b, 4);
    same_text(d, st_arena_format(d->arena, "%s.alpha_mode", path), modes[ma->alpha_mode], modes[mb->alpha_mode]);
    same_text(d, st_arena_format(d->arena, "%s.sides", path), ma->double_sided ? "two" : "one",
              mb->double_sided ? "two" : "one");
    same_text(d, st_arena_format(d->arena, "%s.lit", path), ma->unlit ? "no" : "yes", mb->unlit ? "no" : "yes");
    same_textures(d, path, ma, mb);
}

/* ---- Morphs ---- */

/* What a morph adds, for every vertex, in the space of the model. The skin of a mesh may be bound in any space: there only the
 * lengths can be compared. */
static float *deltas_of(diff *d, const drawing *drawn, const double (*matrices)[16], const stele_morph *m)
{
    const stele_primitive *p = drawn->primitive;
    const double *place = drawn->model->nodes[drawn->node].skin == STELE_NONE ? matrices[drawn->node] : NULL;
    float *deltas = st_arena_array(d->arena, p->vertex_count, 3 * sizeof *deltas);
    d->failed |= !deltas;
    d->failed |= !st_work(d->arena, m->position.count, 8);
    for (uint64_t i = 0; !d->failed && i < m->position.count; i++) {
        uint64_t vertex = m->vertices.count ? st_view_index(&m->vertices, i, p->vertex_count) : i;
        double way[3];
        for (uint32_t k = 0; k < 3; k++)
            way[k] = stele_view_number(&m->position, i, k);
        if (vertex >= p->vertex_count)
            continue;
        for (uint32_t k = 0; k < 3 && place; k++)
            deltas[3 * vertex + k] = (float)(place[k] * way[0] + place[4 + k] * way[1] + place[8 + k] * way[2]);
        if (!place)
            deltas[3 * vertex] = (float)length3(way);
    }
    return deltas;
}

static void same_morphs(diff *d, const char *path, const drawing *drawn_a, const drawing *drawn_b)
{
    const stele_primitive *a = drawn_a->primitive, *b = drawn_b->primitive;
    if (!a->morph_count && !b->morph_count)
        return;
    if (!same_count(d, st_arena_format(d->arena, "%s.morphs", path), a->morph_count, b->morph_count))
        return;
    for (size_t i = 0; i < a->morph_count && !d->failed; i++) {
        const char *morph = st_arena_format(d->arena, "%s.morph[%zu]", path, i);
        arena_mark mark = st_arena_mark(d->arena);
        float *p = deltas_of(d, drawn_a, (const double(*)[16])d->matrices_a, &a->morphs[i]);
        float *q = deltas_of(d, drawn_b, (const double(*)[16])d->matrices_b, &b->morphs[i]);
        double error = d->failed ? INFINITY : largest_distance(p, q, a->vertex_count) / d->size;
        st_arena_rewind(d->arena, mark);
        same_within(d, morph, error);
    }
}

static void same_attributes(diff *d, const char *path, const drawing *drawn_a, const drawing *drawn_b)
{
    const stele_primitive *a = drawn_a->primitive, *b = drawn_b->primitive;
    static const struct {
        stele_semantic semantic;
        uint32_t set;
        const char *name;
    } compared[] = {{STELE_UV, 0, "uv0"}, {STELE_UV, 1, "uv1"}, {STELE_COLOR, 0, "color"}},
      present[] = {{STELE_NORMAL, 0, "normals"}, {STELE_TANGENT, 0, "tangents"}, {STELE_JOINTS, 0, "weights"}};
    for (size_t i = 0; i < sizeof compared / sizeof *compared; i++)
        same_view(d, st_arena_format(d->arena, "%s.%s", path, compared[i].name),
                  stele_primitive_view(a, compared[i].semantic, compared[i].set),
                  stele_primitive_view(b, compared[i].semantic, compared[i].set));
    for (size_t i = 0; i < sizeof present / sizeof *present; i++) {
        bool there = stele_primitive_view(a, present[i].semantic, 0), also = stele_primitive_view(b, present[i].semantic, 0);
        if (there != also)
            tell(d, st_arena_format(d->arena, "%s.%s", path, present[i].name), there ? "there" : "none",
                 also ? "there" : "none", 0, false);
    }
    same_morphs(d, path, drawn_a, drawn_b);
}

static void same_drawing(diff *d, size_t index, const drawing *a, const drawing *b)
{
    arena_mark mark = st_arena_mark(d->arena);
    const char *path = st_arena_format(d->arena, "mesh[%zu]", index);
    if (same_count(d, st_arena_format(d->arena, "%s.vertices", path), a->primitive->vertex_count, b->primitive->vertex_count)) {
        vertex_errors errors = errors_at(d, a, b, STELE_NONE, 0);
        same_within(d, st_arena_format(d->arena, "%s.position", path), errors.position);
        same_within(d, st_arena_format(d->arena, "%s.normal", path), errors.normal);
        same_attributes(d, path, a, b);
    }
    same_indices(d, path, a->primitive, b->primitive);
    same_material(d, st_arena_format(d->arena, "%s.material", path), a->primitive->material, b->primitive->material);
    st_arena_rewind(d->arena, mark);
}

/* ---- What moves it ---- */

/* The joints of all skins, one after another. */
static uint32_t *joints_of(diff *d, const stele_model *model, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < model->skin_count; i++)
        *count += model->skins[i].joint_count;
    uint32_t *joints = st_arena_array(d->arena, *count, sizeof *joints);
    d->failed |= !joints;
    for (size_t i = 0, at = 0; joints && i < model->skin_count; at += model->skins[i++].joint_count)
        if (model->skins[i].joint_count)
            memcpy(joints + at, model->skins[i].joints, model->skins[i].joint_count * sizeof *joints);
    return joints;
}

/* How far joints are from each other, as a part of the model's size, and how differently they are turned and scaled. */
static double joint_error(const diff *d)
{
    double error = 0;
    for (size_t i = 0; i < d->joint_count; i++) {
        const double *a = d->matrices_a[d->joints_a[i]], *b = d->matrices_b[d->joints_b[i]];
        for (int k = 0; k < 12; k++)
            error = worse(error, fabs(a[k] - b[k]));
        for (int k = 12; k < 15; k++)
            error = worse(error, fabs(a[k] - b[k]) / d->size);
    }
    return error;
}

static void same_skeleton(diff *d)
{
    size_t count_a, count_b, renamed = 0;
    d->joints_a = joints_of(d, d->a, &count_a);
    d->joints_b = joints_of(d, d->b, &count_b);
    if (d->failed || (!count_a && !count_b) || !same_count(d, "skeleton.joints", count_a, count_b))
        return;
    d->joint_count = count_a;
    for (size_t i = 0; i < count_a; i++) {
        const char *name_a = d->a->nodes[d->joints_a[i]].name, *name_b = d->b->nodes[d->joints_b[i]].name;
        renamed += strcmp(name_a ? name_a : "", name_b ? name_b : "") != 0;
    }
    tell(d, "skeleton.names", "all", renamed ? st_arena_format(d->arena, "%zu differ", renamed) : "all", 0, !renamed);
    same_within(d, "skeleton.rest", joint_error(d));
}

static size_t count_attachments(const stele_model *model)
{
    size_t count = 0;
    for (size_t i = 0; i < model->node_count; i++)
        count += model->nodes[i].attachment;
    return count;
}

static void same_attachments(diff *d)
{
    size_t count = count_attachments(d->a), k = 0;
    double error = 0;
    if ((!count && !count_attachments(d->b)) || !same_count(d, "attachments", count, count_attachments(d->b)))
        return;
    for (size_t i = 0; i < d->a->node_count; i++) {
        if (!d->a->nodes[i].attachment)
            continue;
        while (!d->b->nodes[k].attachment)
            k++;
        for (int e = 12; e < 15; e++)
            error = worse(error, fabs(d->matrices_a[i][e] - d->matrices_b[k][e]) / d->size);
        k++;
    }
    same_within(d, "attachments.places", error);
}

enum { TIMES_A_CLIP = 5 };

static void same_clip(diff *d, uint32_t clip, const drawing *a, const drawing *b, size_t count)
{
    const stele_clip *ca = &d->a->clips[clip], *cb = &d->b->clips[clip];
    const char *path = st_arena_format(d->arena, "clip[%u]", clip);
    double positions = 0, joints = 0;
    same_text(d, st_arena_format(d->arena, "%s.name", path), ca->name, cb->name);
    same_within(d, st_arena_format(d->arena, "%s.duration", path), fabs(ca->duration - cb->duration));
    for (int i = 0; i < TIMES_A_CLIP; i++) {
        double seconds = ca->duration * i / (TIMES_A_CLIP - 1);
        pose(d, clip, clip, seconds);
        joints = worse(joints, joint_error(d));
        for (size_t k = 0; k < count; k++)
            if (a[k].primitive->vertex_count == b[k].primitive->vertex_count)
                positions = worse(positions, errors_at(d, &a[k], &b[k], clip, seconds).position);
    }
    if (count)
        same_within(d, st_arena_format(d->arena, "%s.positions", path), positions);
    if (d->joint_count)
        same_within(d, st_arena_format(d->arena, "%s.joints", path), joints);
}

bool st_diff(const stele_model *a, const stele_model *b, arena *scratch, double tolerance, stele_each_difference each,
             void *user)
{
    diff d = {.a = a, .b = b, .arena = scratch, .tolerance = tolerance, .each = each, .user = user, .equal = true};
    size_t count_a, count_b;
    d.matrices_a = st_arena_array(scratch, a->node_count, sizeof *d.matrices_a);
    d.matrices_b = st_arena_array(scratch, b->node_count, sizeof *d.matrices_b);
    drawing *drawn_a = drawings_of(&d, a, &count_a), *drawn_b = drawings_of(&d, b, &count_b);
    if (!d.matrices_a || !d.matrices_b || d.failed)
        return false;
    d.size = size_of_model(drawn_a, count_a);
    pose(&d, STELE_NONE, STELE_NONE, 0);
    same_count(&d, "meshes", count_a, count_b);
    size_t count = count_a < count_b ? count_a : count_b;
    for (size_t i = 0; i < count && !d.failed; i++)
        same_drawing(&d, i, &drawn_a[i], &drawn_b[i]);
    same_skeleton(&d);
    same_attachments(&d);
    if (a->clip_count || b->clip_count)
        same_count(&d, "clips", a->clip_count, b->clip_count);
    for (uint32_t i = 0; i < a->clip_count && i < b->clip_count && !d.failed; i++)
        same_clip(&d, i, drawn_a, drawn_b, count);
    return d.equal && !d.failed;
}
