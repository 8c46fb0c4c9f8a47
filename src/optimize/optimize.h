/* A model that draws and moves as before, and costs less. One operation a file; docs/optimize.md says what each promises.
 *
 * Geometry is worked on as a piece: the triangles of one primitive by numbers of their own, which say in which row of the
 * primitive's views each vertex is. Nothing is copied until all operations are done. */
#ifndef ST_OPTIMIZE_H
#define ST_OPTIMIZE_H

#include "model/view.h"

typedef struct piece {
    const stele_primitive *source;
    uint32_t corners; /* of a triangle or a line */
    uint32_t vertex_count, index_count;
    uint32_t *rows;    /* of the vertices in the views of the source */
    uint32_t *indices; /* of vertices */
    uint32_t *became;  /* for each row of the source: the vertex that it is now, or STELE_NONE if nobody used it */
    double round;      /* colours and weights may differ by this */
} piece;

/* The rows that morphs with a list of vertices have for each vertex of a piece, in the order of the morphs. */
typedef struct morph_row {
    uint32_t morph, row;
} morph_row;

typedef struct morph_rows {
    const uint64_t *first; /* of each vertex, and the end of the last */
    const morph_row *items;
} morph_rows;

/* mesh.c: what a primitive draws, with vertices in the order of their first use. False without memory. */
bool st_piece_take(arena *a, const stele_primitive *p, piece *result);
bool st_piece_can(const stele_primitive *p);          /* it has what optimising needs */
void st_piece_renumber(piece *p, const uint32_t *to); /* vertex v is to[v] from now on */
bool st_piece_morph_rows(arena *a, const piece *p, morph_rows *result);

/* The primitive that a piece has become: one array for all attributes, and the smallest type of indices. */
bool st_piece_give(arena *a, const piece *p, stele_primitive *result);
bool st_piece_give_order(arena *a, const piece *p, stele_primitive *result); /* vertices are those of the source, and stay */

/* weld.c: vertices of which all attributes and morphs are equal, or differ by no more than the tolerance (of positions: times
 * the size), become the first of them. */
bool st_weld(arena *a, piece *p, double tolerance, double size);
bool st_same_motion(const piece *p, const morph_rows *morphs, uint32_t a, uint32_t b); /* they are always at one place */

/* degenerate.c: leaves out triangles that never cover anything. */
bool st_drop_degenerate(arena *a, piece *p);

/* cache.c: the order of triangles in which a vertex is used again while the hardware still has it. */
bool st_order_for_cache(arena *a, piece *p);

/* fetch.c: the order of vertices in which triangles use them; those that none uses are left out. */
bool st_order_for_fetch(arena *a, piece *p);

/* surface.c: the squared distance of a point from a triangle, and which parts of its corners make the nearest point. */
double st_nearest_in_triangle(const double p[3], const double a[3], const double b[3], const double c[3], double parts[3]);

/* Triangles of a primitive with indices whose vertices are at these positions: each is called for those within a radius of a
 * point, and says within which one more are wanted. NULL and false if there is no memory, or it is too much work. */
typedef struct surface surface;
typedef struct near_triangle {
    uint64_t vertices[3];
    double parts[3], squared_distance;
} near_triangle;
typedef double (*each_near)(void *user, const near_triangle *found, double squared_radius);
surface *st_surface_make(arena *a, const stele_primitive *p, const float *positions);
bool st_surface_near(surface *s, const double p[3], double squared_radius, uint64_t work_of_each, each_near each, void *user);

/* simplify.c: no more triangles than the target, as long as nothing moves by more than the limit. Fixed places are where other
 * primitives end, and stay. */
typedef struct places places;
places *st_shared_places(arena *a, const stele_model *model); /* NULL without memory */
bool st_simplify(arena *a, piece *p, const places *fixed, uint64_t target, double limit, double size);

/* keys.c: keys that interpolation gives back, and channels that say what holds without them. */
bool st_reduce_keys(arena *a, stele_model *model, double tolerance, double size, bool whole_rows);

/* clips.c: clips that repeat another of the same name, as far as no other clip's number changes; all, if that may be. */
bool st_drop_clips(arena *a, stele_model *model, bool all);

/* prune.c: materials and textures that nothing uses. */
bool st_prune(arena *a, stele_model *model);

/* measure.c */
bool st_measure(arena *a, const stele_model *model, stele_measure *result);
uint64_t st_cache_misses(const uint32_t *indices, uint64_t count, uint32_t vertex_count, uint64_t *scratch);

/* prove.c: the largest differences between a model and what became of it. The pieces say where each vertex went. */
typedef struct fate {
    const uint32_t *became; /* for each vertex: what it is now, or STELE_NONE; NULL: the primitive is as it was */
    bool simplified;
} fate;

bool st_prove(arena *a, const stele_model *before, const stele_model *after, const fate *fates, double limit,
              stele_optimize_errors *errors);

double st_model_size(const stele_model *model); /* the diagonal of the box of all meshes, or 1 */

/* optimize.c: all of it, and whether the errors are within report->limit. What simplifying may do in a step has a limit of its
 * own, because steps add up. False without memory. */
bool st_optimize(arena *a, const stele_model *model, const stele_optimize_options *options, double simplify_limit,
                 stele_model *result, stele_optimize_report *report);
double st_largest_error(const stele_optimize_errors *errors);

#endif
