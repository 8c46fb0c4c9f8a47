/* A model as formats without nodes see it: meshes in one space, one skeleton, and poses of it. */
#ifndef ST_FLATTEN_H
#define ST_FLATTEN_H

#include "base/matrix.h"
#include "load.h"
#include "save.h"

typedef struct influence_set {
    const stele_view *joints, *weights;
} influence_set;

/* One primitive as it is drawn at one node, in the space of the target. Views without rows are not there. */
typedef struct flat_mesh {
    const char *name;
    uint32_t node, mesh, primitive; /* where it comes from */
    uint32_t material;              /* STELE_NONE: none */
    stele_topology topology;        /* triangles, unless others are wished for */
    uint64_t vertex_count;
    stele_view position, normal, tangent, color;
    stele_view uv[2];   /* the set of the base colour as its texture shows it: with its transform */
    stele_view indices; /* U8, U16 or U32; always there */
    const stele_primitive *source;
    const influence_set *sets; /* of joints and weights: see st_flat_influences */
    size_t set_count;
    const uint32_t *joint_map; /* from the joints of its skin to those of the skeleton; NULL: not skinned */
    size_t joint_map_count;
    uint32_t rigid_joint;      /* without a skin: the joint that carries it, or STELE_NONE */
    const stele_morph *morphs; /* in the space of the target */
    size_t morph_count;
    bool in_place; /* positions and normals are still those of the model: see st_flat_position */
    matrix place, place_of_normals, normals_from_model;
} flat_mesh;

typedef struct flat_joint {
    const char *name;
    uint32_t node;
    uint32_t parent;     /* a joint before this one, or STELE_NONE */
    matrix inverse_bind; /* from the space of the target to the joint, at bind pose */
    matrix rest;         /* the joint in the space of the target, at rest */
    bool bound;          /* vertices or a skin refer to it; otherwise it is only there because it moves others */
} flat_joint;

typedef struct flat_model {
    const stele_model *model;
    matrix root; /* what turns the result into the model's space */
    flat_mesh *meshes;
    size_t mesh_count;
    flat_joint *joints; /* parents first; else in the order of the skin */
    size_t joint_count;
    const uint32_t *joint_of_node; /* STELE_NONE: the node is no joint */
    matrix from_model;             /* the inverse of root */
    bool posed_rest;               /* at rest the skin is deformed: what is shown without a clip will differ */
} flat_model;

typedef struct flat_wishes {
    matrix axes;    /* from the space of the target to that of the model, such as a root node of load would have it */
    bool keep_root; /* the target has a root transform: axes is the identity, and flat.root what the first mesh needs, so that
                     * its vertices stay */
    bool lines_and_points; /* can be held; otherwise they are dropped, and reported */
    bool skeleton;         /* joints and clips are wanted; otherwise everything is taken at rest */
    bool normals;          /* are needed: made where they are missing, and reported */
    bool rest_pose;        /* the target holds a rest pose besides the bind pose: that they differ is no loss */
    bool keep_bind;        /* skinned vertices stay as they are, in whatever space they are bound */
    bool in_place; /* positions and normals are asked for one by one, so that no memory is needed for them; no tangents */
} flat_wishes;

/* Meshes come in the order of the model's meshes, primitives and nodes. Views are those of the model where nothing changes.
 * False without memory, and if it does not fit: if it would be out of all proportion or beyond what floats hold. */
bool st_flatten(context *c, const flat_wishes *wishes, flat_model *flat);

/* A vertex in the space of the target. The mesh must have positions, or normals. */
void st_flat_position(const flat_mesh *mesh, uint64_t vertex, float position[3]);
void st_flat_normal(const flat_mesh *mesh, uint64_t vertex, float normal[3]);

/* For formats with one set of texture coordinates: the one that the base colour of a mesh is on if it is there, otherwise the
 * other, perhaps without rows; and a report of those that are left out. */
const stele_view *st_flat_uv(const flat_model *flat, const flat_mesh *mesh);
void st_report_uvs(context *c, const flat_model *flat);

/* The influences of a vertex on joints of the skeleton, the greatest first, of sum 1, none twice; at most `most`, and the
 * number that there were before is returned in *all. 0 if nothing moves it. */
size_t st_flat_influences(const flat_mesh *mesh, uint64_t vertex, influence *influences, size_t most, size_t *all);

/* The times (seconds) at which a clip must be sampled so that linear interpolation between them shows it: its keys, and times
 * between where channels are not linear. Sorted, at least one. */
double *st_flat_times(const flat_model *flat, arena *a, uint32_t clip, double fps, uint64_t *count);

/* The same for each joint, by its own channels: none if it has no channels, and there is room for two more. A joint's pose in
 * its parent's depends on nothing else. NULL without memory. */
typedef struct flat_track {
    double *times;
    uint64_t count, room;
} flat_track;
flat_track *st_flat_tracks(const flat_model *flat, arena *a, uint32_t clip, double fps);

/* The same for one channel, with fps greater than 0: as many as counted, or as there is room for, unsorted. */
enum { USUAL_FPS = 30 };
uint64_t st_channel_sample_count(const stele_channel *c, double fps);
uint64_t st_channel_samples(const stele_channel *c, double fps, double *times, uint64_t room);

/* Sorts times and drops all that are there already; returns how many are left. */
uint64_t st_sort_times(double *times, uint64_t count);

/* Whether the model can be posed so often for a clip within the limit of work: a small file may have a joint for every key, and
 * keys at as many times. */
bool st_flat_afford(context *c, const flat_model *flat, uint32_t clip, double poses);

/* The joints in the space of the target at a time of a clip. Scratch: as many matrices as the model has nodes. Refuses what
 * floats do not hold. */
void st_flat_pose(context *c, const flat_model *flat, uint32_t clip, double seconds, double (*scratch)[16], matrix *joints);

/* Whether a clip moves any joint. */
bool st_flat_clip_used(const flat_model *flat, uint32_t clip);

#endif
