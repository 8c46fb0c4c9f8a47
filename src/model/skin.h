/* Where vertices are: morphed, and moved by their node or by the joints of a skin. In double precision for numbers that are
 * kept (evaluated, baked, compared), with an f in single for pictures: both are the same code, skin_rows.h. */
#ifndef ST_SKIN_H
#define ST_SKIN_H

#include "base/matrix.h"
#include "load.h"

enum { MOST_SETS = MOST_INFLUENCES / 4 };

/* What moves the vertices of a primitive that a node draws: one matrix, or one for each joint. */
typedef struct mover {
    matrix rigid, rigid_normals;
    const stele_skin *skin;
    const double (*nodes)[16];                                        /* as stele_evaluate_nodes gives them */
    const stele_view *joint_sets[MOST_SETS], *weight_sets[MOST_SETS]; /* of four each */
    size_t set_count;                                                 /* 0: rigid */
    const double (*joints)[12]; /* the matrices of the first joints, three rows of four; others are made whenever needed */
    const float (*jointsf)[12];
    size_t prepared;
} mover;

mover st_mover(const stele_model *model, uint32_t node, const stele_primitive *p, const double (*nodes)[16]);

/* The same for vertices that are moved by matrices that somebody else has made, in single precision: one for each joint. The
 * skin only says how many they are. */
mover st_mover_of_palette(const stele_primitive *p, const stele_skin *skin, const float (*joints)[12]);

/* Makes the matrices of joints, of as many as there is room for. */
void st_mover_prepare(mover *m, double (*joints)[12], size_t room);
void st_mover_preparef(mover *m, float (*joints)[12], size_t room);

/* Triangles are turned over: by the matrix, or by most joints. */
bool st_mover_mirrors(const mover *m);

/* Adds a morph to all vertices of a primitive. Normals may be NULL. */
void st_morph(const stele_morph *morph, double weight, uint64_t vertex_count, float (*positions)[3], float (*normals)[3]);
void st_morphf(const stele_morph *morph, float weight, uint64_t vertex_count, float (*positions)[3], float (*normals)[3]);

/* Moves rows of positions, stride bytes apart, from the vertex first on; and their normals and tangents, if not NULL, to length
 * 1: those that are left without a direction stay as they are. Tangents only go with joints. */
void st_move(const mover *m, uint64_t first, uint64_t count, void *positions, size_t stride, float (*normals)[3],
             float (*tangents)[4]);
void st_movef(const mover *m, uint64_t first, uint64_t count, void *positions, size_t stride, float (*normals)[3],
              float (*tangents)[4]);

#endif
