/* A summary of a model. */
#include <math.h>
#include <string.h>

#include "evaluate.h"
#include "ops.h"

static const char *attribute_name(arena *a, const stele_attribute *attribute)
{
    static const char *const names[] = {
        [STELE_POSITION] = "position", [STELE_NORMAL] = "normal", [STELE_TANGENT] = "tangent", [STELE_UV] = "uv",
        [STELE_COLOR] = "color",       [STELE_JOINTS] = "joints", [STELE_WEIGHTS] = "weights"};
    const char *name = names[attribute->semantic];
    bool numbered = attribute->set || attribute->semantic == STELE_UV;
    return numbered ? st_arena_format(a, "%s%u", name, attribute->set) : name;
}

static void count_elements(const stele_primitive *p, uint64_t *triangles, uint64_t *lines, uint64_t *points)
{
    uint64_t *counts[] = {[STELE_TRIANGLES] = triangles, [STELE_LINES] = lines, [STELE_POINTS] = points};
    *counts[p->topology] += st_element_count(p);
}

static void describe_primitive(const stele_primitive *p, arena *a, stele_mesh_info *info)
{
    const char **attributes = st_arena_array(a, p->attribute_count, sizeof *attributes);
    const stele_view *position = stele_primitive_view(p, STELE_POSITION, 0);
    for (size_t i = 0; attributes && i < p->attribute_count; i++)
        attributes[i] = attribute_name(a, &p->attributes[i]);
    *info = (stele_mesh_info){.vertices = p->vertex_count,
                              .indices = p->indices.count,
                              .material = p->material,
                              .attributes = attributes,
                              .attribute_count = attributes ? p->attribute_count : 0};
    count_elements(p, &info->triangles, &info->lines, &info->points);
    if (position && st_work(a, position->count, 4))
        info->bounds = st_view_bounds(position);
}

static void describe_meshes(const stele_model *model, arena *a, stele_info *info)
{
    size_t count = 0;
    for (size_t i = 0; i < model->mesh_count; i++)
        count += model->meshes[i].primitive_count;
    stele_mesh_info *meshes = st_arena_array(a, count, sizeof *meshes);
    if (!meshes)
        return;
    info->meshes = meshes;
    for (size_t i = 0; i < model->mesh_count; i++) {
        const stele_mesh *mesh = &model->meshes[i];
        info->morphs += mesh->primitive_count ? mesh->primitives[0].morph_count : 0;
        for (size_t k = 0; k < mesh->primitive_count; k++) {
            describe_primitive(&mesh->primitives[k], a, &meshes[info->mesh_count]);
            st_bounds_add(&info->bounds, &meshes[info->mesh_count++].bounds);
        }
    }
}

static void describe_material(const stele_model *model, const stele_material *m, arena *a, stele_material_info *info)
{
    enum { COLORS = 2 };
    stele_texture_info *textures = st_arena_array(a, STELE_ROLE_COUNT, sizeof *textures);
    stele_color_info *colors = st_arena_array(a, COLORS, sizeof *colors);
    size_t count = 0;
    if (!textures || !colors)
        return;
    for (stele_role role = 0; role < STELE_ROLE_COUNT; role++) {
        const stele_texture_use *use = &m->textures[role];
        if (use->texture >= model->texture_count)
            continue;
        const stele_texture *t = &model->textures[use->texture];
        textures[count++] = (stele_texture_info){.name = t->name ? t->name : "",
                                                 .role = stele_role_name(role),
                                                 .found = t->data ? NULL : t->file,
                                                 .uv_set = use->uv_set,
                                                 .data = t->data,
                                                 .bytes = t->data ? t->size : 0};
    }
    colors[0].role = "base color";
    memcpy(colors[0].rgba, m->base_color, sizeof m->base_color);
    colors[1] = (stele_color_info){"emission", {m->emissive[0], m->emissive[1], m->emissive[2], 1}};
    bool glows = m->emissive[0] != 0 || m->emissive[1] != 0 || m->emissive[2] != 0;
    *info = (stele_material_info){
        .textures = textures, .texture_count = count, .colors = colors, .color_count = glows ? COLORS : 1};
}

static void describe_clips(const stele_model *model, arena *a, stele_info *info)
{
    stele_clip_info *clips = st_arena_array(a, model->clip_count, sizeof *clips);
    info->clips = clips;
    for (size_t i = 0; clips && i < model->clip_count; i++) {
        const stele_clip *clip = &model->clips[i];
        clips[i] =
            (stele_clip_info){.name = clip->name ? clip->name : "", .seconds = clip->duration, .tracks = clip->channel_count};
        for (size_t k = 0; k < clip->channel_count; k++)
            clips[i].keys += clip->channels[k].times.count;
        info->clip_count++;
    }
}

void st_describe_model(const stele_model *model, arena *a, stele_info *info)
{
    describe_meshes(model, a, info);
    stele_material_info *materials = st_arena_array(a, model->material_count, sizeof *materials);
    info->materials = materials;
    for (size_t i = 0; materials && i < model->material_count; i++)
        describe_material(model, &model->materials[i], a, &materials[info->material_count++]);
    describe_clips(model, a, info);
    for (size_t i = 0; i < model->skin_count; i++)
        info->joints += model->skins[i].joint_count;
    if (model->skin_count)
        info->skeleton = model->skins[0].name ? model->skins[0].name : "";
    for (size_t i = 0; i < model->node_count; i++)
        info->attachments += model->nodes[i].attachment;
}

/* ---- What is drawn ---- */

typedef struct measuring {
    const stele_model *model;
    arena *arena;
    const double (*matrices)[16];
    stele_drawn *drawn;
} measuring;

/* These are the machine's own floats; a view's are little-endian. */
static void extend(stele_bounds *b, const float (*positions)[3], uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const float *p = positions[i];
        stele_bounds point = {.known = isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2])};
        memcpy(point.min, p, sizeof point.min);
        memcpy(point.max, p, sizeof point.max);
        st_bounds_add(b, &point);
    }
}

/* A matrix that only swaps, turns round and scales axes, and moves, makes a box of a box. */
static bool keeps_boxes(const double m[16])
{
    for (int row = 0; row < 3; row++) {
        int used = 0;
        for (int column = 0; column < 3; column++)
            used += m[4 * column + row] != 0;
        if (used > 1)
            return false;
    }
    return true;
}

/* All corners of a box, for a matrix may swap its sides. */
static void extend_by_box(stele_bounds *b, const stele_bounds *box, const double m[16])
{
    float corners[8][3];
    for (int i = 0; i < 8 && box->known; i++)
        for (int k = 0; k < 3; k++) {
            double sum = m[12 + k];
            for (int axis = 0; axis < 3; axis++)
                sum += m[4 * axis + k] * (double)(i >> axis & 1 ? box->max : box->min)[axis];
            corners[i][k] = (float)sum;
        }
    if (box->known)
        extend(b, (const float(*)[3])corners, 8);
}

static bool measure(const measuring *m, uint32_t node, uint32_t primitive)
{
    const stele_node *n = &m->model->nodes[node];
    const stele_primitive *p = &m->model->meshes[n->mesh].primitives[primitive];
    const stele_view *position = stele_primitive_view(p, STELE_POSITION, 0);
    m->drawn->vertices += p->vertex_count;
    count_elements(p, &m->drawn->triangles, &m->drawn->lines, &m->drawn->points);
    if (!position)
        return true;
    if (!st_work(m->arena, 1, st_work_of_vertices(m->model, node, p, STELE_NONE)))
        return false;
    if (n->skin == STELE_NONE && !p->morph_count && keeps_boxes(m->matrices[node])) {
        stele_bounds box = st_view_bounds(position);
        extend_by_box(&m->drawn->bounds, &box, m->matrices[node]);
        return true;
    }
    arena_mark mark = st_arena_mark(m->arena);
    float(*positions)[3] = st_arena_array(m->arena, p->vertex_count, sizeof *positions);
    bool done = positions && st_evaluate_vertices(m->model, node, primitive, STELE_NONE, 0, m->matrices, positions[0], NULL);
    if (done)
        extend(&m->drawn->bounds, (const float(*)[3])positions, p->vertex_count);
    st_arena_rewind(m->arena, mark);
    return positions;
}

bool st_measure_drawn(const stele_model *model, arena *a, stele_drawn *drawn)
{
    arena_mark mark = st_arena_mark(a);
    double(*matrices)[16] = st_arena_array(a, model->node_count, sizeof *matrices);
    measuring m = {model, a, (const double(*)[16])matrices, drawn};
    bool ready = matrices && st_work(a, 1, st_work_of_nodes(model, STELE_NONE));
    *drawn = (stele_drawn){0};
    if (ready)
        st_evaluate_nodes(model, STELE_NONE, 0, matrices);
    for (uint32_t i = 0; ready && i < model->node_count; i++) {
        const stele_mesh *mesh = model->nodes[i].mesh == STELE_NONE ? NULL : &model->meshes[model->nodes[i].mesh];
        drawn->meshes += mesh != NULL;
        for (uint32_t k = 0; ready && mesh && k < mesh->primitive_count; k++)
            ready = measure(&m, i, k);
    }
    st_arena_rewind(a, mark);
    return ready;
}
