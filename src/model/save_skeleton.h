/* Skeletons into files: the joints of a flat model as a file numbers them, and what a format without nodes loses. */
#ifndef ST_SAVE_SKELETON_H
#define ST_SAVE_SKELETON_H

#include "flatten.h"

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

/* Reports where joints move otherwise between two keys than straight from one to the other, as formats do that hold
 * translations, rotations and scales. The key of a joint is what such a format makes of its place (in: the key before), false
 * if it is only near it; st_local_key, with the flat model, is that of most. */
typedef bool key_of_joint(void *user, const matrix *joints, size_t joint, transform *key);
void st_report_detours(context *c, const flat_model *flat, key_of_joint *key, void *user);
bool st_local_key(void *flat, const matrix *joints, size_t joint, transform *key);

/* Reports clips that move no joint, for formats that have only keys of joints. */
void st_report_clips(context *c, const flat_model *flat);

#endif
