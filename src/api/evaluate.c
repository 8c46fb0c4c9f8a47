/* Evaluating a model into arrays of the caller's, whose sizes are not taken on trust. */
#include "model/evaluate.h"

bool stele_evaluate_nodes(const stele_model *model, uint32_t clip, double seconds, double (*matrices)[16], size_t matrix_count)
{
    if (!model || !model->order || !clip_is_there(model, clip) || matrix_count < model->node_count ||
        (!matrices && model->node_count))
        return false;
    st_evaluate_nodes(model, clip, seconds, matrices);
    return true;
}

static const stele_primitive *drawn_at(const stele_model *model, uint32_t node, uint32_t primitive)
{
    uint32_t mesh = node < model->node_count ? model->nodes[node].mesh : STELE_NONE;
    return mesh != STELE_NONE && primitive < model->meshes[mesh].primitive_count ? &model->meshes[mesh].primitives[primitive]
                                                                                 : NULL;
}

bool stele_evaluate_vertices(const stele_model *model, uint32_t node, uint32_t primitive, uint32_t clip, double seconds,
                             const double (*matrices)[16], size_t matrix_count, float *positions, float *normals,
                             uint64_t vertex_count)
{
    const stele_primitive *p = model && model->order ? drawn_at(model, node, primitive) : NULL;
    return p && clip_is_there(model, clip) && matrices && matrix_count >= model->node_count &&
           (positions || !p->vertex_count) && vertex_count >= p->vertex_count &&
           st_evaluate_vertices(model, node, primitive, clip, seconds, matrices, positions, normals);
}
