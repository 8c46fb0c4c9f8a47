/* Models in the making: each function copies what it is given, as the public ones do, and returns its index or STELE_NONE.
 * The model itself is public, see stele.h. */
#ifndef ST_BUILD_H
#define ST_BUILD_H

#include "base/arena.h"

uint32_t st_model_add_node(stele_model *model, arena *a, const stele_node *node);
uint32_t st_model_add_mesh(stele_model *model, arena *a, const stele_mesh *mesh);
uint32_t st_model_add_skin(stele_model *model, arena *a, const stele_skin *skin);
uint32_t st_model_add_clip(stele_model *model, arena *a, const stele_clip *clip); /* computes the duration */
uint32_t st_model_add_material(stele_model *model, arena *a, const stele_material *material);

/* Textures of the same name that hold the same are one. */
uint32_t st_model_add_texture(stele_model *model, arena *a, const stele_texture *texture);

/* Room for so many items in a list of a model, to which more may be added as above. Zeroed; NULL without memory. */
void *st_model_room(arena *a, uint64_t count, size_t item_size);

/* To change what was added. */
static inline stele_node *st_model_node(stele_model *model, uint32_t index)
{
    return (stele_node *)&model->nodes[index];
}

/* Adds a property, replacing one of the same key. The key is copied, and so is a text that is given as such. */
void st_property_set(stele_properties *p, arena *a, stele_property property);
void st_property_text(stele_properties *p, arena *a, const char *key, const char *text);
void st_property_numbers(stele_properties *p, arena *a, const char *key, const double *numbers, size_t count);
void st_property_number(stele_properties *p, arena *a, const char *key, double number);

const char *st_property_text_of(const stele_properties *p, const char *key);                /* or NULL */
double st_property_number_of(const stele_properties *p, const char *key, double otherwise); /* the first number */

/* Sets model->order. False if nodes are their own ancestors, or indices of anything point nowhere; then *problem says what. */
bool st_model_finish(stele_model *model, arena *a, const char **problem);

/* The nodes that draw, by the order of their meshes; NULL without memory. */
uint32_t *st_model_drawn(const stele_model *model, arena *a, size_t *count);

bool st_model_has_normals(const stele_model *model); /* any of its primitives */

#endif
