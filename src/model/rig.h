/* What loading and saving skeletons and their clips shares: joints placed by their inverse bind matrices, keys made fit, and
 * the way back. */
#ifndef ST_RIG_H
#define ST_RIG_H

#include "flatten.h"

/* Puts a node at a place: as translation, rotation and scale, or as a matrix if it is sheared and nothing moves it. */
void st_node_place(stele_node *node, arena *a, const matrix *place, bool moved);

/* A skeleton whose file says where its joints are bound. At rest they are there, so that the mesh looks as it was made. */
typedef struct rig {
    size_t joint_count;
    const uint32_t *parent;  /* of each joint: another, or STELE_NONE */
    const bool *unplaced;    /* joints whose matrix says nothing: they rest where their parent does; NULL: none */
    stele_view inverse_bind; /* a matrix for each joint, and for the neutral one */
    bool neutral;            /* one more joint, that stays where it is */
    const bool *moved;       /* joints that clips move; NULL: none */
    matrix root;             /* above all of it */

    /* What st_rig_load makes. A node above all is there if root is not the identity or there are several joints without a
     * parent, for the joints of a skin must have a common root. */
    uint32_t root_node;  /* or STELE_NONE */
    uint32_t first_node; /* that of joint 0; the others follow in order */
    uint32_t skin;
} rig;

/* Adds the nodes and the skin. False without memory. */
bool st_rig_load(context *c, rig *r);

/* Packed matrices, column by column, whose last row is exactly 0, 0, 0, 1. */
void st_store_matrix(uint8_t *bytes, const matrix *m);

/* The keys of a track in the order of time. Times are increasing, and the rows of the file say which key is which. */
typedef struct key_order {
    stele_view times; /* seconds */
    uint64_t *row;
    bool as_they_are; /* row i is key i */
} key_order;

/* Sorts keys, moves those before 0 to 0, and of several at the same time keeps the last. What had to be changed is reported
 * at the path. False without memory. There is room for one more key at the end, see st_keys_hold. */
bool st_keys_order(context *c, const double *seconds, uint64_t count, diag_place at, key_order *order);

/* The last key once more at a later time. */
void st_keys_hold(key_order *order, double seconds);

/* Those rows of a view, in that order. */
stele_view st_keys_take(arena *a, const key_order *order, const stele_view *values);

/* Rotations of length 1, neighbours in the same hemisphere, so that whoever interpolates takes the shorter way. */
stele_view st_repair_rotations(context *c, const stele_view *rotation, diag_place at);

/* ---- Saving ---- */

/* The joints of a flat model as a file numbers them. A neutral joint that nothing moves has no number: formats in which a
 * vertex may have no joint do not need it. */
typedef struct joint_numbers {
    uint32_t *of; /* of each joint of the flat model; STELE_NONE: none */
    uint32_t count, roots;
} joint_numbers;
bool st_joint_numbers(context *c, const flat_model *flat, joint_numbers *numbers);

/* As st_flat_influences, with joints as they are numbered. */
size_t st_numbered_influences(const joint_numbers *numbers, const flat_mesh *mesh, uint64_t vertex, influence *influences,
                              size_t most, size_t *all);

/* A joint in the space of its parent, from all joints in the space of the target. False if it is sheared. The rotation is on
 * the side of the one before, which may be all 0. */
bool st_joint_local(const flat_model *flat, const matrix *joints, size_t joint, const double before[4], transform *local);

/* Reports clips that move no joint, and curves and steps, for formats that only have linear keys of joints. */
void st_report_clips(context *c, const flat_model *flat);

/* Reports the names of joints, clips and meshes as lost. */
void st_report_names(context *c, const flat_model *flat, bool clips_too);

#endif
