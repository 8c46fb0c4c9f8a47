/* A model at a time of a clip. */
#ifndef ST_EVALUATE_H
#define ST_EVALUATE_H

#include "sample.h"

/* What gives the morphs of the mesh that a node draws their weights at a time of a clip (STELE_NONE: at rest). */
typedef struct morphing {
    const float *weights;         /* at rest; NULL: none */
    const stele_channel *channel; /* instead of them, or NULL */
    key_place place;
    uint32_t width; /* of a key */
} morphing;

morphing st_morphing(const stele_model *model, uint32_t node, uint32_t clip, double seconds);
double st_morph_weight(const morphing *m, size_t morph);

/* Whether a caller can mean it: a clip of the model, or none. */
static inline bool clip_is_there(const stele_model *model, uint32_t clip)
{
    return clip == STELE_NONE || clip < model->clip_count;
}

/* stele_evaluate_nodes and _vertices, for those who know that the arrays are large enough and the indices are there. */
void st_evaluate_nodes(const stele_model *model, uint32_t clip, double seconds, double (*matrices)[16]);
bool st_evaluate_vertices(const stele_model *model, uint32_t node, uint32_t primitive, uint32_t clip, double seconds,
                          const double (*matrices)[16], float *positions, float *normals);

/* Units of work (st_work) that these take. */
uint64_t st_work_of_nodes(const stele_model *model, uint32_t clip);
uint64_t st_work_of_vertices(const stele_model *model, uint32_t node, const stele_primitive *p, uint32_t clip);

#endif
