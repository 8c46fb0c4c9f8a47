/* The checks of a mesh, whatever format it is from. */
#ifndef ST_CHECK_MESH_H
#define ST_CHECK_MESH_H

#include "file/check.h"

/* Views without components are not there. Those of vertices have vertex_count rows, whatever count they say. */
typedef struct mesh_view {
    diag_place place; /* of the mesh */
    uint64_t vertex_count;
    stele_view all; /* all floats of interleaved vertices, if they are together at the start of the row; or nothing */
    stele_view position, normal, uv, color, tangent, binormal, weight, bone;
    const stele_view *more_weights; /* where a set of them is a view of its own */
    size_t more_weight_count;
    uint64_t bone_count; /* UINT64_MAX: not known */
    bool unindexed;      /* every three vertices are a triangle */
    stele_view indices;  /* packed, unless they are seen */

    /* Somebody has seen to it that floats are finite, and indices in range and whole triangles, or has said that they are not:
     * only what makes sense is still to be checked. Then a mesh may have neither indices nor triangles. */
    bool seen;

    /* What else there is to see in vertices, or NULL: asked of some rows at a time while they are in the cache, maybe on
     * several threads. The bits that it returns are put together. */
    unsigned (*look)(const struct mesh_view *mesh, uint64_t begin, uint64_t end);

    /* Where a row of one of these views is, or the mesh (view NULL), for formats whose bytes no walk has names for; otherwise
     * NULL. Numbered: the place does not say which row, so that the text must. */
    bool numbered;
    diag_place (*place_of)(context *c, const struct mesh_view *mesh, const stele_view *view, uint64_t row);
    const void *user; /* of look and place_of */
} mesh_view;

/* Whether a vector of this squared length need not be repaired: a loose net, for memory speed. NaN is not. */
#define LEAST_UNIT 0.99f
#define MOST_UNIT 1.01f

static inline bool st_unit_enough(float square)
{
    return square > LEAST_UNIT && square < MOST_UNIT;
}

/* Returns all that `look` has seen; all bits, if the work was too much to look. */
unsigned st_check_mesh(context *c, const mesh_view *mesh);

#endif
