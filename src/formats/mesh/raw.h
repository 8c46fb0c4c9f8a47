/* What the files of MESH share: its raw structs and its vertex. Private to this family. */
#ifndef ST_MESH_H
#define ST_MESH_H

#include "formats/format.h"

typedef enum mesh_dialect {
    MESH_A1,
    MESH_A2,
    MESH_A3,
    MESH_B1,
    MESH_B2,
    MESH_B3,
    MESH_C1,
    MESH_C2,
    MESH_DIALECTS
} mesh_dialect;

/* All that distinguishes the dialects: a table, see layout.c. */
typedef struct mesh_traits {
    bool vertex_joints; /* stored where the format says so; A1 says so and does not */
    bool joints;        /* the joint section; without it the joints are only counted */
    bool animations;
    bool root_transform;
    bool names; /* animations refer to strings at the end of the file */
    bool poses;
    stele_type animation_count, pose_joint;
} mesh_traits;

extern const mesh_traits st_mesh_traits[];

enum { FORMAT_POSITION = 1, FORMAT_NORMAL = 2, FORMAT_UV = 4, FORMAT_JOINTS = 8, FORMAT_KNOWN = 15 };

enum { INFLUENCES = 4, NO_JOINT = 255, MATRIX_FLOATS = 16 };

/* A joint, and a pose after the joint's id, which has one or four bytes; and where their parts are. */
#define MESH_JOINT_ROW(X) X(id, U8, 1) X(parent, U8, 1) X(inverse_bind, F32, MATRIX_FLOATS)
#define MESH_POSE_ROW(X) X(position, F32, 3) X(rotation, F32, 4) X(scale, F32, 3)
ROW_STRUCT(mesh_joint_row, MESH_JOINT_ROW);
ROW_STRUCT(mesh_pose_row, MESH_POSE_ROW);
enum {
    JOINT_ID = offsetof(mesh_joint_row, id),
    JOINT_PARENT = offsetof(mesh_joint_row, parent),
    JOINT_BIND = offsetof(mesh_joint_row, inverse_bind),
    JOINT_BYTES = sizeof(mesh_joint_row),
    POSE_ROTATION = offsetof(mesh_pose_row, rotation),
    POSE_BYTES = sizeof(mesh_pose_row),
    POSE_FLOATS = POSE_BYTES / 4
};

typedef struct mesh_animation {
    uint32_t name; /* a position in the list of strings */
    span duration, speed;
    uint32_t pose_count;
    span timestamps;
    span poses; /* one row for each joint of each pose */
} mesh_animation;

typedef struct mesh_file {
    raw_file raw;
    uint16_t format;
    uint32_t vertex_count, index_count;
    uint8_t joint_count;
    uint32_t animation_count;
    span root_transform;
    span vertices, indices, joints;
    mesh_animation *animation;
    span strings;
    uint64_t strings_size;
} mesh_file;

/* The bytes of a vertex, and where in it its parts are; 0 for those that it does not have. */
typedef struct mesh_vertex {
    uint32_t bytes, normal, uv, joints;
} mesh_vertex;

mesh_vertex st_mesh_vertex(const mesh_file *f);

/* The joint of a pose's row. */
uint64_t st_mesh_pose_joint(const mesh_file *f, const mesh_animation *a, uint64_t row);

/* The floats of a pose's row. */
const uint8_t *st_mesh_pose(const mesh_file *f, const mesh_animation *a, uint64_t row);

/* True if the last row of a matrix is 0, 0, 0, 1, nearly. */
bool st_mesh_affine(const uint8_t *matrix);

extern const uint8_t st_mesh_identity[MATRIX_FLOATS * 4];

/* Properties of clips and of the model: what comes back when the model is written as MESH again. */
#define MESH_SPEED "mesh.speed"
#define MESH_DURATION "mesh.duration"
#define MESH_POSES "mesh.poses" /* as many as were taken from the file; one more if the last is held until the end */
#define MESH_UNPOSED_NAMES "mesh.unposed_names" /* of clips without poses, one a line */
#define MESH_UNPOSED_TIMES "mesh.unposed_times" /* and the duration and speed of each */

/* Times are in ticks; no speed means so many in a second. */
enum { MESH_USUAL_SPEED = 25 };

/* How many of the strings end, and how many the animations need: as many as the greatest sound name asks for. */
uint64_t st_mesh_strings(const mesh_file *f);
uint64_t st_mesh_strings_needed(const mesh_file *f);

/* Where each of the strings that end begins, in one copy of all: many animations may have the same name. NULL without memory.
 */
const char **st_mesh_list_strings(const mesh_file *f, arena *a, uint64_t *count);

/* The position of the first joint with each id, or NO_PARENT. */
void st_mesh_index_joints(const mesh_file *f, int position[256]);

/* What is seen in joints and weights. Most files have such as are right as they are: bytes of sum 255, of different joints, the
 * unused ones last and 0. */
enum {
    SKIN_UNSOUND = 1, /* they are not */
    SKIN_ODD = 2,     /* a joint without a weight is not 0 */
    SKIN_BEYOND = 4   /* a joint is neither there nor none */
};

/* Of some vertices. */
unsigned st_mesh_look_at_skin(const mesh_file *f, uint64_t begin, uint64_t end);

/* Remembers what was seen in all vertices; and what is known, or else seen now. */
void st_mesh_know_skin(context *c, const mesh_file *f, unsigned seen);
unsigned st_mesh_skin(const context *c, const mesh_file *f);

/* The joints of some vertices; those without a weight are 0. */
void st_mesh_used_joints(const mesh_file *f, uint64_t first, uint64_t count, uint8_t *joints);

/* By ids: which joints move vertices, and which of these the writer forgot to animate: they are at the identity in every pose,
 * but do not rest there. */
void st_mesh_find_weighted(const mesh_file *f, bool weighted[256]);
void st_mesh_find_forgotten(const mesh_file *f, bool forgotten[256]);

extern const format st_format_mesh;
sense st_mesh_sense(const raw_file *raw);
void st_mesh_check(context *c, const raw_file *raw);
bool st_mesh_adapt(context *c, const raw_file *from, raw_file *raw, unsigned dialect);
bool st_mesh_load(context *c, const raw_file *raw);
bool st_mesh_save(context *c, raw_file *raw);

#endif
