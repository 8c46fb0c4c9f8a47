/* A model at a time of a clip. */
#ifndef ST_EVALUATE_H
#define ST_EVALUATE_H

#include "stele.h"

/* The weight of a morph of the mesh that a node draws, at a time of a clip (STELE_NONE: at rest). */
double st_morph_weight(const stele_model *model, uint32_t node, uint32_t clip, double seconds, size_t morph);

/* stele_evaluate_nodes and _vertices, for those who know that the arrays are large enough and the indices are there. */
void st_evaluate_nodes(const stele_model *model, uint32_t clip, double seconds, double (*matrices)[16]);
bool st_evaluate_vertices(const stele_model *model, uint32_t node, uint32_t primitive, uint32_t clip, double seconds,
                          const double (*matrices)[16], float *positions, float *normals);

#endif
