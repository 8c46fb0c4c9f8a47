/* Operations on models, whatever file they came from. One verb a file. */
#ifndef ST_OPS_H
#define ST_OPS_H

#include "file/walk.h"
#include "view.h"

/* A static model of what is seen at a time of a clip: no joints, clips or morphs, every mesh where it is drawn. False without
 * memory. */
bool st_bake(const stele_model *model, arena *a, uint32_t clip, double seconds, stele_model *baked);

/* Smooth normals of triangles, weighted by area; vertices at the same place share theirs. No rows for lines and points, without
 * positions, and without memory. */
stele_view st_normals_of(arena *a, const stele_primitive *p);

/* Normals for all primitives of triangles that have none; how many were made. UINT64_MAX without memory. */
uint64_t st_add_normals(stele_model *model, arena *a);

/* A model and its images, inside its file or beside it: of each texture the bytes, if there are any. */
typedef struct diff_side {
    const stele_model *model;
    const span *images;
} diff_side;

/* Everything that two models can differ in, told to a callback; true if all of it is equal within the tolerance. Scratch memory
 * is taken from the arena, and given back. */
bool st_diff(const diff_side *a, const diff_side *b, arena *scratch, double tolerance, stele_each_difference each, void *user);

/* A summary of a model, for formats that are only known by it. */
void st_describe_model(const stele_model *model, arena *a, stele_info *info);

/* What its nodes draw at rest. False without memory. */
bool st_measure_drawn(const stele_model *model, arena *a, stele_drawn *drawn);

#endif
