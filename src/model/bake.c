#include <string.h>

#include "base/bytes.h"
#include "build.h"
#include "evaluate.h"
#include "ops.h"

/* Views are little-endian whatever the machine. */
static void to_little_endian(float *numbers, uint64_t count)
{
    for (uint64_t i = 0; HOST_IS_BIG_ENDIAN && i < count; i++)
        store_f32((uint8_t *)(numbers + i), numbers[i]);
}

static bool is_static(stele_semantic semantic)
{
    return semantic == STELE_UV || semantic == STELE_COLOR;
}

/* A primitive as it is drawn; tangents are left out, for they would have to be evaluated too and viewers make their own. */
static bool bake_primitive(const stele_model *model, arena *a, uint32_t node, uint32_t index, uint32_t clip, double seconds,
                           const double (*matrices)[16], stele_primitive *p)
{
    const stele_primitive *from = &model->meshes[model->nodes[node].mesh].primitives[index];
    bool has_normals = stele_primitive_view(from, STELE_NORMAL, 0);
    float *positions = st_arena_array(a, from->vertex_count, 3 * sizeof *positions);
    float *normals = has_normals ? st_arena_array(a, from->vertex_count, 3 * sizeof *normals) : NULL;
    stele_attribute *attributes = st_arena_array(a, (uint64_t)from->attribute_count + 2, sizeof *attributes);
    size_t count = 0;
    if (!positions || !attributes || (has_normals && !normals) || !st_work(a, 1, st_work_of_vertices(model, node, from, clip)))
        return false;
    st_evaluate_vertices(model, node, index, clip, seconds, matrices, positions, normals);
    to_little_endian(positions, 3 * from->vertex_count);
    attributes[count++] = (stele_attribute){STELE_POSITION, 0, stele_float_view(positions, from->vertex_count, 3)};
    if (normals) {
        to_little_endian(normals, 3 * from->vertex_count);
        attributes[count++] = (stele_attribute){STELE_NORMAL, 0, stele_float_view(normals, from->vertex_count, 3)};
    }
    for (size_t i = 0; i < from->attribute_count; i++)
        if (is_static(from->attributes[i].semantic))
            attributes[count++] = from->attributes[i];
    *p = *from;
    p->attributes = attributes;
    p->attribute_count = count;
    p->morphs = NULL;
    p->morph_count = 0;
    return true;
}

static bool bake_node(const stele_model *model, arena *a, uint32_t index, uint32_t clip, double seconds,
                      const double (*matrices)[16], stele_model *baked)
{
    const stele_node *node = &model->nodes[index];
    const stele_mesh *mesh = &model->meshes[node->mesh];
    stele_primitive *primitives = st_arena_array(a, mesh->primitive_count, sizeof *primitives);
    for (uint32_t i = 0; primitives && i < mesh->primitive_count; i++)
        if (!bake_primitive(model, a, index, i, clip, seconds, matrices, &primitives[i]))
            return false;
    stele_mesh still = *mesh;
    still.primitives = primitives;
    still.weights = NULL;
    stele_node place = stele_default_node();
    place.name = node->name;
    place.mesh = primitives ? st_model_add_mesh(baked, a, &still) : STELE_NONE;
    return place.mesh != STELE_NONE && st_model_add_node(baked, a, &place) != STELE_NONE;
}

bool st_bake(const stele_model *model, arena *a, uint32_t clip, double seconds, stele_model *baked)
{
    const char *problem;
    size_t count;
    double(*matrices)[16] = st_arena_array(a, model->node_count, sizeof *matrices);
    uint32_t *nodes = st_model_drawn(model, a, &count);
    if (!matrices || !nodes || !st_work(a, 1, st_work_of_nodes(model, clip)))
        return false;
    st_evaluate_nodes(model, clip, seconds, matrices);
    *baked = (stele_model){.name = model->name,
                           .materials = model->materials,
                           .material_count = model->material_count,
                           .textures = model->textures,
                           .texture_count = model->texture_count};
    for (size_t i = 0; i < count; i++)
        if (!bake_node(model, a, nodes[i], clip, seconds, (const double(*)[16])matrices, baked))
            return false;
    return st_model_finish(baked, a, &problem);
}
