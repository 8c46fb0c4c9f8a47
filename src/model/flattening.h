/* Flattening in the making: what its parts share. Private to flatten*.c. */
#ifndef ST_FLATTENING_H
#define ST_FLATTENING_H

#include "flatten.h"

typedef struct flattener {
    context *c;
    arena *arena;
    const stele_model *model;
    const flat_wishes *wishes;
    flat_model *flat;
    double (*rest)[16]; /* the nodes of the model at rest */
    matrix *bake;       /* for each skin: what its vertices are multiplied with */
    bool *posed;        /* for each skin: at rest its vertices are not only moved as one */
    uint32_t *above;    /* for each node: the nearest above it that is a joint, or STELE_NONE */
    uint64_t not_triangles, made_normals;
    uint64_t rebound; /* joints that skins bind in different ways */
    bool failed;
} flattener;

/* Nothing will be written. */
void st_flatten_refuse(flattener *f, const char *path, const char *why);
extern const char st_flatten_too_far[];

/* A way there and back leaves a matrix that differs from identity by rounding only: then vertices must not be touched. */
matrix st_flatten_snapped(matrix a);

/* The joints and their parents, not yet where they are. */
void st_flatten_joints(flattener *f);

/* What a skin does to its vertices at rest, as one: by the joint that stands for it. */
matrix st_flatten_skin_place(flattener *f, const stele_skin *skin);

/* Where joints are, at rest and bound, and what vertices of skins are multiplied with. */
void st_flatten_bind(flattener *f);

/* The primitives that nodes draw, in the order of the list. */
void st_flatten_meshes(flattener *f, const uint32_t *nodes, size_t node_count);

#endif
