/* Skeletons out of files: joints placed by their inverse bind matrices. */
#ifndef ST_LOAD_SKELETON_H
#define ST_LOAD_SKELETON_H

#include "base/matrix.h"
#include "load.h"

/* Puts a node at a place: as translation, rotation and scale, or as a matrix if it is sheared and nothing moves it. */
void st_node_place(stele_node *node, arena *a, const matrix *place, bool moved);

/* A skeleton whose file says where its joints are bound. At rest they are there, so that the mesh looks as it was made. */
typedef struct skeleton {
    size_t joint_count;
    const uint32_t *parent;  /* of each joint: another, or STELE_NONE */
    const bool *unplaced;    /* joints whose matrix says nothing: they rest where their parent does; NULL: none */
    stele_view inverse_bind; /* a matrix for each joint, and for the neutral one */
    bool neutral;            /* one more joint, that stays where it is */
    const bool *moved;       /* joints that clips move; NULL: none */
    matrix root;             /* above all of it */

    /* What st_load_skeleton makes. A node above all is there if root is not the identity or there are several joints without a
     * parent, for the joints of a skin must have a common root. */
    uint32_t root_node;  /* or STELE_NONE */
    uint32_t first_node; /* that of joint 0; the others follow in order */
    uint32_t skin;
} skeleton;

/* Adds the nodes and the skin. False without memory. */
bool st_load_skeleton(context *c, skeleton *s);

/* Packed matrices, column by column, whose last row is exactly 0, 0, 0, 1. */
void st_store_matrix(uint8_t *bytes, const matrix *m);

/* The property of the neutral joint's node. */
extern const char st_neutral_key[];

#endif
