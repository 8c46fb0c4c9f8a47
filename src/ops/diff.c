/* Two models side by side: by what is drawn, what moves it, and how it moves; not by how their files arrange it. */
#include <math.h>
#include <string.h>

#include "core/bytes.h"
#include "ops.h"

typedef struct diff {
    const stele_model *a, *b;
    arena *arena;
    double tolerance;
    stele_each_difference each;
    void *user;
    bool equal, failed;
    double (*matrices_a)[16], (*matrices_b)[16];
    double size; /* of the first model: errors of positions are measured by it */
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

static void same_numbers(diff *d, const char *path, const float *a, const float *b, size_t count)
{
    double error = 0;
    for (size_t i = 0; i < count; i++)
        error = fmax(error, fabs((double)a[i] - (double)b[i]));
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

static double size_of_model(const drawing *drawings, size_t count)
{
    stele_bounds all = {0};
    double square = 0;
    for (size_t i = 0; i < count; i++) {
        const stele_view *position = stele_primitive_view(drawings[i].primitive, STELE_POSITION, 0);
        stele_bounds one = position ? st_view_bounds(position) : (stele_bounds){0};
        st_bounds_add(&all, &one);
    }
    for (int k = 0; k < 3 && all.known; k++)
        square += ((double)all.max[k] - (double)all.min[k]) * ((double)all.max[k] - (double)all.min[k]);
    return square > 0 ? sqrt(square) : 1;
}

/* The largest distance of a vertex in one model from the same in the other, at a time; as a part of the model's size. */
static double position_error(diff *d, const drawing *a, const drawing *b, uint32_t clip_a, uint32_t clip_b, double seconds)
{
    arena_mark mark = st_arena_mark(d->arena);
    uint64_t count = a->primitive->vertex_count;
    float *p = st_arena_array(d->arena, count, 3 * sizeof *p), *q = st_arena_array(d->arena, count, 3 * sizeof *q);
    double worst = 0;
    if (!p || !q) {
        d->failed = true;
        return INFINITY;
    }
    stele_evaluate_vertices(d->a, a->node, a->index, clip_a, seconds, (const double(*)[16])d->matrices_a, p, NULL);
    stele_evaluate_vertices(d->b, b->node, b->index, clip_b, seconds, (const double(*)[16])d->matrices_b, q, NULL);
    for (uint64_t i = 0; i < count; i++) {
        double square = 0;
        for (uint64_t k = 3 * i; k < 3 * i + 3; k++)
            square += ((double)p[k] - (double)q[k]) * ((double)p[k] - (double)q[k]);
        worst = square <= worst ? worst : square;
    }
    st_arena_rewind(d->arena, mark);
    return sqrt(worst) / d->size;
}

static void pose(diff *d, uint32_t clip_a, uint32_t clip_b, double seconds)
{
    stele_evaluate_nodes(d->a, clip_a, seconds, d->matrices_a);
    stele_evaluate_nodes(d->b, clip_b, seconds, d->matrices_b);
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
    components = a->components < b->components ? a->components : b->components;
    for (uint64_t i = 0; i < a->count && i < b->count; i++)
        for (uint32_t k = 0; k < components; k++) {
            double one = fabs(stele_view_number(a, i, k) - stele_view_number(b, i, k));
            error = one <= error ? error : one;
        }
    same_within(d, path, error);
}

static uint64_t index_at(const stele_primitive *p, uint64_t i)
{
    return p->indices.count ? st_view_index(&p->indices, i) : i;
}

static void same_indices(diff *d, const char *path, const stele_primitive *a, const stele_primitive *b)
{
    uint64_t count = 3 * st_triangle_count(a), different = 0;
    if (!same_count(d, st_arena_format(d->arena, "%s.triangles", path), count / 3, st_triangle_count(b)))
        return;
    for (uint64_t i = 0; i < count; i++)
        different += index_at(a, i) != index_at(b, i);
    tell(d, st_arena_format(d->arena, "%s.indices", path), "all",
         different ? st_arena_format(d->arena, "%llu differ", (unsigned long long)different) : "all", 0, !different);
}

static void same_use(diff *d, const char *path, const stele_texture_use *a, const stele_texture_use *b)
{
    const stele_texture *ta = a->texture == STELE_NONE ? NULL : &d->a->textures[a->texture];
    const stele_texture *tb = b->texture == STELE_NONE ? NULL : &d->b->textures[b->texture];
    if (!ta && !tb)
        return;
    if (ta && tb && ta->data && tb->data)
        tell(d, path, "inside", "inside", 0, ta->size == tb->size && memcmp(ta->data, tb->data, (size_t)ta->size) == 0);
    else
        same_text(d, path, ta ? (ta->file ? ta->file : ta->name) : NULL, tb ? (tb->file ? tb->file : tb->name) : NULL);
}

static void same_material(diff *d, const char *path, uint32_t a, uint32_t b)
{
    stele_material plain = stele_default_material();
    const stele_material *ma = a == STELE_NONE ? &plain : &d->a->materials[a];
    const stele_material *mb = b == STELE_NONE ? &plain : &d->b->materials[b];
    same_numbers(d, st_arena_format(d->arena, "%s.base_color", path), ma->base_color, mb->base_color, 4);
    same_numbers(d, st_arena_format(d->arena, "%s.emissive", path), ma->emissive, mb->emissive, 3);
    same_use(d, st_arena_format(d->arena, "%s.base_color_texture", path), &ma->base_color_texture, &mb->base_color_texture);
    same_use(d, st_arena_format(d->arena, "%s.normal_texture", path), &ma->normal_texture, &mb->normal_texture);
    same_use(d, st_arena_format(d->arena, "%s.emissive_texture", path), &ma->emissive_texture, &mb->emissive_texture);
}

static void same_attributes(diff *d, const char *path, const stele_primitive *a, const stele_primitive *b)
{
    static const struct {
        stele_semantic semantic;
        uint32_t set;
        const char *name;
    } compared[] = {{STELE_NORMAL, 0, "normal"},
                    {STELE_TANGENT, 0, "tangent"},
                    {STELE_UV, 0, "uv0"},
                    {STELE_UV, 1, "uv1"},
                    {STELE_COLOR, 0, "color"}};
    for (size_t i = 0; i < sizeof compared / sizeof *compared; i++)
        same_view(d, st_arena_format(d->arena, "%s.%s", path, compared[i].name),
                  stele_primitive_view(a, compared[i].semantic, compared[i].set),
                  stele_primitive_view(b, compared[i].semantic, compared[i].set));
    bool skinned = stele_primitive_view(a, STELE_JOINTS, 0), also = stele_primitive_view(b, STELE_JOINTS, 0);
    if (skinned != also)
        tell(d, st_arena_format(d->arena, "%s.weights", path), skinned ? "there" : "none", also ? "there" : "none", 0, false);
    if (a->morph_count || b->morph_count)
        same_count(d, st_arena_format(d->arena, "%s.morphs", path), a->morph_count, b->morph_count);
}

static void same_drawing(diff *d, size_t index, const drawing *a, const drawing *b)
{
    const char *path = st_arena_format(d->arena, "mesh[%zu]", index);
    if (same_count(d, st_arena_format(d->arena, "%s.vertices", path), a->primitive->vertex_count, b->primitive->vertex_count)) {
        same_within(d, st_arena_format(d->arena, "%s.position", path), position_error(d, a, b, STELE_NONE, STELE_NONE, 0));
        same_attributes(d, path, a->primitive, b->primitive);
    }
    same_indices(d, path, a->primitive, b->primitive);
    same_material(d, st_arena_format(d->arena, "%s.material", path), a->primitive->material, b->primitive->material);
}

/* ---- What moves it ---- */

static const stele_skin *skin_of(const stele_model *model)
{
    return model->skin_count ? &model->skins[0] : NULL;
}

static void same_skeleton(diff *d)
{
    const stele_skin *a = skin_of(d->a), *b = skin_of(d->b);
    size_t count_a = a ? a->joint_count : 0, count_b = b ? b->joint_count : 0, renamed = 0;
    if ((!count_a && !count_b) || !same_count(d, "skeleton.joints", count_a, count_b))
        return;
    double error = 0;
    for (size_t i = 0; i < count_a; i++) {
        const char *name_a = d->a->nodes[a->joints[i]].name, *name_b = d->b->nodes[b->joints[i]].name;
        const double *p = d->matrices_a[a->joints[i]] + 12, *q = d->matrices_b[b->joints[i]] + 12;
        renamed += strcmp(name_a ? name_a : "", name_b ? name_b : "") != 0;
        error =
            fmax(error, sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2])));
    }
    tell(d, "skeleton.names", "all", renamed ? st_arena_format(d->arena, "%zu differ", renamed) : "all", 0, !renamed);
    same_within(d, "skeleton.rest", error / d->size);
}

enum { TIMES_A_CLIP = 5 };

static void same_clip(diff *d, uint32_t clip, const drawing *a, const drawing *b, size_t count)
{
    const stele_clip *ca = &d->a->clips[clip], *cb = &d->b->clips[clip];
    const char *path = st_arena_format(d->arena, "clip[%u]", clip);
    double worst = 0;
    same_text(d, st_arena_format(d->arena, "%s.name", path), ca->name, cb->name);
    same_within(d, st_arena_format(d->arena, "%s.duration", path), fabs(ca->duration - cb->duration));
    for (int i = 0; i < TIMES_A_CLIP; i++) {
        double seconds = ca->duration * i / (TIMES_A_CLIP - 1);
        pose(d, clip, clip, seconds);
        for (size_t k = 0; k < count; k++)
            if (a[k].primitive->vertex_count == b[k].primitive->vertex_count)
                worst = fmax(worst, position_error(d, &a[k], &b[k], clip, clip, seconds));
    }
    same_within(d, st_arena_format(d->arena, "%s.positions", path), worst);
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
    for (size_t i = 0; i < count; i++)
        same_drawing(&d, i, &drawn_a[i], &drawn_b[i]);
    same_skeleton(&d);
    if (a->clip_count || b->clip_count)
        same_count(&d, "clips", a->clip_count, b->clip_count);
    for (uint32_t i = 0; i < a->clip_count && i < b->clip_count; i++)
        same_clip(&d, i, drawn_a, drawn_b, count);
    return d.equal && !d.failed;
}
