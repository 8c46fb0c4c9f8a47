/* What is wrong with models that programs make. */
#ifndef ST_VALIDATE_H
#define ST_VALIDATE_H

#include "base/arena.h"
#include "stele.h"

/* What is wrong with a part of a model by itself, before it is added: none at all, an array without items, a number that its
 * enumeration does not have, a view of what is no number. NULL if nothing is. */
const char *st_node_problem(arena *a, const stele_node *node);
const char *st_mesh_problem(arena *a, const stele_mesh *mesh);
const char *st_skin_problem(arena *a, const stele_skin *skin);
const char *st_clip_problem(arena *a, const stele_clip *clip);
const char *st_material_problem(arena *a, const stele_material *material);
const char *st_texture_problem(arena *a, const stele_texture *texture);

/* What is wrong with a finished model that a program made, so that using it would read beyond what there is; NULL if nothing.
 */
const char *st_model_problem(const stele_model *model);

#endif
