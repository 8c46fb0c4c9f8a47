/* Two models side by side: by what is drawn, what moves it, and how it moves; not by how their files arrange it. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/matrix.h"
#include "base/trig.h"
#include "base/vector.h"
#include "build.h"
#include "evaluate.h"
#include "ops.h"

typedef struct diff {
    const stele_model *a, *b;
    const span *images_a, *images_b; /* of each texture, if there are bytes */
    arena *arena;
    double tolerance;
    stele_each_difference each;
    void *user;
    bool equal, failed;
    double (*matrices_a)[16], (*matrices_b)[16];
    uint32_t *joints_a, *joints_b;
    matrix *undo_a, *undo_b; /* of each joint: back from how it is turned at rest */
    size_t joint_count;      /* 0: they cannot be compared */
    double size;             /* of the first model: errors of positions are measured by it */
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
    uint64_t corner_count; /* of its triangles, lines or points */
    bool mirrored;         /* by its place: triangles are seen from their other side */
} drawing;

static uint64_t corners_of(const stele_primitive *p)
{
    return st_element_count(p) * st_element_corners(p->topology);
}

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
            drawings[(*count)++] = (drawing){model, nodes[i], k, &mesh->primitives[k], corners_of(&mesh->primitives[k]), false};
    }
    return drawings;
}

/* When nodes are where they are at rest. */
static void find_mirrored(drawing *drawings, size_t count, const double (*matrices)[16])
{
    for (size_t i = 0; i < count; i++) {
        matrix place = st_matrix_of_doubles(matrices[drawings[i].node]);
        bool turns =
            drawings[i].primitive->topology == STELE_TRIANGLES && drawings[i].model->nodes[drawings[i].node].skin == STELE_NONE;
        drawings[i].mirrored = turns && st_matrix_determinant(&place) < 0;
    }
}

/* The vertex at a corner. How vertices are numbered, shared and ordered does not matter, only what corners show. */
static uint64_t vertex_at(const drawing *d, uint64_t corner)
{
    const stele_primitive *p = d->primitive;
    uint64_t from = d->mirrored && corner % 3 ? corner - corner % 3 + 3 - corner % 3 : corner;
    return p->indices.count ? st_view_index(&p->indices, from, p->vertex_count) : from;
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

/* The largest distance between what corners have, of three floats a vertex. */
static double largest_distance(const drawing *a, const drawing *b, const float *p, const float *q)
{
    double worst = 0;
    for (uint64_t i = 0; i < a->corner_count; i++) {
        uint64_t v = vertex_at(a, i), w = vertex_at(b, i);
        double from[3], to[3];
        if (v >= a->primitive->vertex_count || w >= b->primitive->vertex_count) /* in a file that changes */
            return INFINITY;
        widen3(p + 3 * v, from);
        widen3(q + 3 * w, to);
        worst = worse(worst, distance3(from, to));
    }
    return worst;
}

enum { CORNER_WORK = 8 };

/* How far vertices of one model are from those of the other at a time, as a part of the model's size; and their normals. */
typedef struct vertex_errors {
    double position, normal;
} vertex_errors;

static vertex_errors errors_at(diff *d, const drawing *a, const drawing *b, uint32_t clip, double seconds)
{
    arena_mark mark = st_arena_mark(d->arena);
    uint64_t count_a = a->primitive->vertex_count, count_b = b->primitive->vertex_count;
    bool normals = stele_primitive_view(a->primitive, STELE_NORMAL, 0) && stele_primitive_view(b->primitive, STELE_NORMAL, 0);
    float *p = st_arena_array(d->arena, count_a, 6 * sizeof *p), *q = st_arena_array(d->arena, count_b, 6 * sizeof *q);
    vertex_errors errors = {INFINITY, INFINITY};
    d->failed |= !p || !q || !st_work(d->arena, 1, st_work_of_vertices(d->a, a->node, a->primitive, clip)) ||
                 !st_work(d->arena, 1, st_work_of_vertices(d->b, b->node, b->primitive, clip)) ||
                 !st_work(d->arena, a->corner_count, CORNER_WORK);
    if (!d->failed) {
        float *n = p + 3 * count_a, *m = q + 3 * count_b;
        st_evaluate_vertices(d->a, a->node, a->index, clip, seconds, (const double(*)[16])d->matrices_a, p, n);
        st_evaluate_vertices(d->b, b->node, b->index, clip, seconds, (const double(*)[16])d->matrices_b, q, m);
        errors.position = largest_distance(a, b, p, q) / d->size;
        errors.normal = normals ? largest_distance(a, b, n, m) : 0;
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

/* What a corner has of an attribute and a material makes of it: as many numbers as are compared. */
typedef struct shown {
    const drawing *drawing;
    const stele_view *view;       /* NULL: 1 everywhere */
    const float *factor;          /* of colours; NULL: 1 */
    const stele_texture_use *use; /* of texture coordinates; NULL: none moves them */
} shown;

static void shown_at(const shown *s, uint64_t corner, double values[4])
{
    uint64_t vertex = vertex_at(s->drawing, corner);
    for (uint32_t k = 0; k < 4; k++) {
        bool there = s->view && k < s->view->components && vertex < s->view->count;
        values[k] = (there ? stele_view_number(s->view, vertex, k) : 1) * (s->factor ? (double)s->factor[k] : 1);
    }
    if (!s->use)
        return;
    double cosine = st_cos((double)s->use->rotation), sine = st_sin((double)s->use->rotation);
    double u = values[0] * (double)s->use->scale[0], v = values[1] * (double)s->use->scale[1];
    values[0] = cosine * u + sine * v + (double)s->use->offset[0];
    values[1] = cosine * v - sine * u + (double)s->use->offset[1];
}

static void same_shown(diff *d, const char *path, const shown *a, const shown *b)
{
    double error = 0;
    d->failed |= !st_work(d->arena, a->drawing->corner_count, 4 * CORNER_WORK);
    for (uint64_t i = 0; !d->failed && i < a->drawing->corner_count; i++) {
        double values_a[4], values_b[4];
        shown_at(a, i, values_a);
        shown_at(b, i, values_b);
        for (int k = 0; k < 4; k++)
            error = worse(error, fabs(values_a[k] - values_b[k]));
    }
    same_within(d, path, error);
}

static bool both_there(diff *d, const char *path, bool a, bool b)
{
    if (a != b)
        tell(d, path, a ? "there" : "none", b ? "there" : "none", 0, false);
    return a && b;
}

static const char *const topologies[] = {[STELE_TRIANGLES] = "triangles", [STELE_LINES] = "lines", [STELE_POINTS] = "points"};

/* "x.*" is x of any type. */
static bool same_name(const char *a, const char *b)
{
    size_t length = strlen(a);
    if (length > 2 && strcmp(a + length - 2, ".*") == 0)
        return strncmp(a, b, length - 1) == 0 && !strchr(b + length - 1, '.');
    return strcmp(a, b) == 0;
}

static const char *label(const stele_model *model, uint32_t texture)
{
    const stele_texture *t = texture == STELE_NONE ? NULL : &model->textures[texture];
    const char *name = t ? (t->file ? t->file : t->name) : NULL;
    return t && t->data ? "inside" : name ? name : "";
}

/* Images are compared by their bytes, inside a file or beside it, and where there are none by their names. */
static void same_image(diff *d, const char *path, uint32_t texture_a, uint32_t texture_b)
{
    const char *a = label(d->a, texture_a), *b = label(d->b, texture_b);
    span image_a = texture_a == STELE_NONE ? (span){0} : d->images_a[texture_a];
    span image_b = texture_b == STELE_NONE ? (span){0} : d->images_b[texture_b];
    bool same = same_name(a, b) || same_name(b, a);
    if (image_a.data && image_b.data) {
        same = image_a.count == image_b.count;
        d->failed |= same && !st_work(d->arena, image_a.count, 1);
        same = same && !d->failed && memcmp(image_a.data, image_b.data, (size_t)image_a.count) == 0;
    }
    tell(d, path, a, b, 0, same);
}

/* Where a texture is seen: by its coordinates as it moves them. The sets that were compared so are added to those. */
static void same_use(diff *d, const char *path, const drawing *drawn_a, const drawing *drawn_b, const stele_texture_use *a,
                     const stele_texture_use *b, unsigned *sets)
{
    if (a->texture == STELE_NONE && b->texture == STELE_NONE)
        return;
    same_image(d, path, a->texture, b->texture);
    if (a->texture == STELE_NONE || b->texture == STELE_NONE)
        return;
    same_numbers(d, st_arena_format(d->arena, "%s.strength", path), &a->strength, &b->strength, 1);
    const stele_view *uv_a = stele_primitive_view(drawn_a->primitive, STELE_UV, a->uv_set);
    const stele_view *uv_b = stele_primitive_view(drawn_b->primitive, STELE_UV, b->uv_set);
    const char *uv = st_arena_format(d->arena, "%s.uv", path);
    if (drawn_a->corner_count != drawn_b->corner_count || !both_there(d, uv, uv_a, uv_b))
        return;
    same_shown(d, uv, &(shown){.drawing = drawn_a, .view = uv_a, .use = a},
               &(shown){.drawing = drawn_b, .view = uv_b, .use = b});
    *sets |= a->uv_set < 2 ? 1u << a->uv_set : 0;
}

static unsigned same_textures(diff *d, const char *path, const drawing *drawn_a, const drawing *drawn_b,
                              const stele_material *a, const stele_material *b)
{
    static const char *const names[STELE_ROLE_COUNT] = {[STELE_ROLE_BASE_COLOR] = "base_color",
                                                        [STELE_ROLE_NORMAL] = "normal",
                                                        [STELE_ROLE_METALLIC_ROUGHNESS] = "metallic_roughness",
                                                        [STELE_ROLE_OCCLUSION] = "occlusion",
                                                        [STELE_ROLE_EMISSIVE] = "emissive",
                                                        [STELE_ROLE_SPECULAR] = "specular",
                                                        [STELE_ROLE_SPECULAR_COLOR] = "specular_color"};
    unsigned sets = 0;
    for (int role = 0; role < STELE_ROLE_COUNT; role++)
        same_use(d, st_arena_format(d->arena, "%s.%s_texture", path, names[role]), drawn_a, drawn_b, &a->textures[role],
                 &b->textures[role], &sets);
    return sets;
}

static const stele_material *material_of(const drawing *d, const stele_material *plain)
{
    uint32_t material = d->primitive->material;
    return material == STELE_NONE ? plain : &d->model->materials[material];
}

/* The colour of a surface is that of its material and of its vertices, multiplied: files may have it in either. */
static void same_colors(diff *d, const char *path, const drawing *a, const drawing *b, const stele_material *ma,
                        const stele_material *mb)
{
    const stele_view *colors_a = stele_primitive_view(a->primitive, STELE_COLOR, 0);
    const stele_view *colors_b = stele_primitive_view(b->primitive, STELE_COLOR, 0);
    if ((!colors_a && !colors_b) || a->corner_count != b->corner_count)
        same_numbers(d, st_arena_format(d->arena, "%s.material.base_color", path), ma->base_color, mb->base_color, 4);
    else
        same_shown(d, st_arena_format(d->arena, "%s.color", path),
                   &(shown){.drawing = a, .view = colors_a, .factor = ma->base_color},
                   &(shown){.drawing = b, .view = colors_b, .factor = mb->base_color});
}

static void same_material(diff *d, const char *path, const stele_material *ma, const stele_material *mb)
{
    static const char *const modes[] = {[STELE_OPAQUE] = "opaque", [STELE_MASK] = "mask", [STELE_BLEND] = "blend"};
    const float surface_a[] = {ma->metallic, ma->roughness, ma->specular, ma->alpha_mode == STELE_MASK ? ma->alpha_cutoff : 0};
    const float surface_b[] = {mb->metallic, mb->roughness, mb->specular, mb->alpha_mode == STELE_MASK ? mb->alpha_cutoff : 0};
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
    d->failed |= !st_work(d->arena, m->position.count, 12);
    for (uint64_t i = 0; !d->failed && i < m->position.count; i++) {
        uint64_t vertex = m->vertices.count ? st_view_index(&m->vertices, i, p->vertex_count) : i;
        double way[3];
        for (uint32_t k = 0; k < 3; k++)
            way[k] = view_number(&m->position, i, k);
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
        d->failed |= !st_work(d->arena, drawn_a->corner_count, CORNER_WORK);
        double error = d->failed ? INFINITY : largest_distance(drawn_a, drawn_b, p, q) / d->size;
        st_arena_rewind(d->arena, mark);
        same_within(d, morph, error);
    }
}

/* What no texture shows is compared as it is. */
static void same_uvs(diff *d, const char *path, const drawing *a, const drawing *b, unsigned shown_sets)
{
    for (uint32_t set = 0; set < 2; set++) {
        const char *uv = st_arena_format(d->arena, "%s.uv%u", path, (unsigned)set);
        const stele_view *uv_a = stele_primitive_view(a->primitive, STELE_UV, set);
        const stele_view *uv_b = stele_primitive_view(b->primitive, STELE_UV, set);
        if (!(shown_sets >> set & 1) && both_there(d, uv, uv_a, uv_b))
            same_shown(d, uv, &(shown){.drawing = a, .view = uv_a}, &(shown){.drawing = b, .view = uv_b});
    }
}

static void same_attributes(diff *d, const char *path, const drawing *a, const drawing *b)
{
    static const struct {
        stele_semantic semantic;
        const char *name;
    } present[] = {{STELE_NORMAL, "normals"}, {STELE_TANGENT, "tangents"}, {STELE_JOINTS, "weights"}};
    for (size_t i = 0; i < sizeof present / sizeof *present; i++)
        both_there(d, st_arena_format(d->arena, "%s.%s", path, present[i].name),
                   stele_primitive_view(a->primitive, present[i].semantic, 0),
                   stele_primitive_view(b->primitive, present[i].semantic, 0));
    same_morphs(d, path, a, b);
}

static void same_drawing(diff *d, size_t index, const drawing *a, const drawing *b)
{
    arena_mark mark = st_arena_mark(d->arena);
    const char *path = st_arena_format(d->arena, "mesh[%zu]", index);
    stele_material plain = stele_default_material();
    const stele_material *ma = material_of(a, &plain), *mb = material_of(b, &plain);
    same_text(d, st_arena_format(d->arena, "%s.topology", path), topologies[a->primitive->topology],
              topologies[b->primitive->topology]);
    bool comparable = same_count(d, st_arena_format(d->arena, "%s.corners", path), a->corner_count, b->corner_count);
    if (comparable) {
        vertex_errors errors = errors_at(d, a, b, STELE_NONE, 0);
        same_within(d, st_arena_format(d->arena, "%s.position", path), errors.position);
        same_within(d, st_arena_format(d->arena, "%s.normal", path), errors.normal);
        same_attributes(d, path, a, b);
    }
    same_colors(d, path, a, b, ma, mb);
    const char *material = st_arena_format(d->arena, "%s.material", path);
    same_material(d, material, ma, mb);
    unsigned shown_sets = same_textures(d, material, a, b, ma, mb);
    if (comparable)
        same_uvs(d, path, a, b, shown_sets);
    st_arena_rewind(d->arena, mark);
}

/* ---- What moves it ---- */

/* The joints of all skins, one after another, each once. */
static uint32_t *joints_of(diff *d, const stele_model *model, size_t *count)
{
    size_t most = 0;
    for (size_t i = 0; i < model->skin_count; i++)
        most += model->skins[i].joint_count;
    uint32_t *joints = st_arena_array(d->arena, most, sizeof *joints);
    bool *listed = st_arena_array(d->arena, model->node_count, sizeof *listed);
    d->failed |= !joints || !listed;
    *count = 0;
    for (size_t i = 0; !d->failed && i < model->skin_count; i++)
        for (size_t k = 0; k < model->skins[i].joint_count; k++) {
            uint32_t joint = model->skins[i].joints[k];
            if (!listed[joint])
                joints[(*count)++] = joint;
            listed[joint] = true;
        }
    return joints;
}

/* The way back from how a joint is turned and scaled at rest. */
static matrix undo_rest(const double rest[16])
{
    matrix m = st_matrix_of_doubles(rest), undo;
    for (int k = 12; k < 15; k++)
        m.m[k] = 0;
    return st_matrix_inverse(&m, &undo) ? undo : st_matrix_identity();
}

/* How far joints are from each other, as a part of the model's size, and how differently they have been turned and scaled since
 * they were at rest. Which way their axes point is up to the file. */
static double joint_error(const diff *d)
{
    double error = 0;
    for (size_t i = 0; i < d->joint_count; i++) {
        matrix a = st_matrix_of_doubles(d->matrices_a[d->joints_a[i]]), b = st_matrix_of_doubles(d->matrices_b[d->joints_b[i]]);
        for (int k = 12; k < 15; k++)
            error = worse(error, fabs(a.m[k] - b.m[k]) / d->size);
        a = st_matrix_product(&a, &d->undo_a[i]);
        b = st_matrix_product(&b, &d->undo_b[i]);
        for (int k = 0; k < 12; k++)
            error = worse(error, fabs(a.m[k] - b.m[k]));
    }
    return error;
}

static matrix *undo_all(diff *d, const uint32_t *joints, size_t count, const double (*rest)[16])
{
    matrix *undo = st_arena_array(d->arena, count, sizeof *undo);
    d->failed |= !undo;
    for (size_t i = 0; undo && i < count; i++)
        undo[i] = undo_rest(rest[joints[i]]);
    return undo;
}

static void same_skeleton(diff *d)
{
    size_t count_a, count_b, renamed = 0;
    d->joints_a = joints_of(d, d->a, &count_a);
    d->joints_b = joints_of(d, d->b, &count_b);
    if (d->failed || (!count_a && !count_b) || !same_count(d, "skeleton.joints", count_a, count_b))
        return;
    d->undo_a = undo_all(d, d->joints_a, count_a, (const double(*)[16])d->matrices_a);
    d->undo_b = undo_all(d, d->joints_b, count_a, (const double(*)[16])d->matrices_b);
    if (d->failed)
        return;
    d->joint_count = count_a;
    for (size_t i = 0; i < count_a; i++) {
        const char *name_a = d->a->nodes[d->joints_a[i]].name, *name_b = d->b->nodes[d->joints_b[i]].name;
        renamed += name_a && *name_a && strcmp(name_a, name_b ? name_b : "") != 0; /* others may be made up */
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
            if (a[k].corner_count == b[k].corner_count)
                positions = worse(positions, errors_at(d, &a[k], &b[k], clip, seconds).position);
    }
    if (count)
        same_within(d, st_arena_format(d->arena, "%s.positions", path), positions);
    if (d->joint_count)
        same_within(d, st_arena_format(d->arena, "%s.joints", path), joints);
}

bool st_diff(const diff_side *a, const diff_side *b, arena *scratch, double tolerance, stele_each_difference each, void *user)
{
    diff d = {.a = a->model,
              .b = b->model,
              .images_a = a->images,
              .images_b = b->images,
              .arena = scratch,
              .tolerance = tolerance,
              .each = each,
              .user = user,
              .equal = true};
    size_t count_a, count_b;
    d.matrices_a = st_arena_array(scratch, d.a->node_count, sizeof *d.matrices_a);
    d.matrices_b = st_arena_array(scratch, d.b->node_count, sizeof *d.matrices_b);
    drawing *drawn_a = drawings_of(&d, d.a, &count_a), *drawn_b = drawings_of(&d, d.b, &count_b);
    if (!d.matrices_a || !d.matrices_b || d.failed)
        return false;
    d.size = size_of_model(drawn_a, count_a);
    pose(&d, STELE_NONE, STELE_NONE, 0);
    find_mirrored(drawn_a, count_a, (const double(*)[16])d.matrices_a);
    find_mirrored(drawn_b, count_b, (const double(*)[16])d.matrices_b);
    same_count(&d, "meshes", count_a, count_b);
    size_t count = count_a < count_b ? count_a : count_b;
    for (size_t i = 0; i < count && !d.failed; i++)
        same_drawing(&d, i, &drawn_a[i], &drawn_b[i]);
    same_skeleton(&d);
    same_attachments(&d);
    if (d.a->clip_count || d.b->clip_count)
        same_count(&d, "clips", d.a->clip_count, d.b->clip_count);
    for (uint32_t i = 0; i < d.a->clip_count && i < d.b->clip_count && !d.failed; i++)
        same_clip(&d, i, drawn_a, drawn_b, count);
    return d.equal && !d.failed;
}
