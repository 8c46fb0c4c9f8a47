/* The raw structs of TWM, shared by its files. */
#ifndef ST_TWM_H
#define ST_TWM_H

#include "base/bytes.h"
#include "formats/format.h"

typedef enum twm_dialect { TWM_V0, TWM_V1, TWM_V2, TWM_V3 } twm_dialect;

/* Which meshes have clusters, where the document can be taken either way. */
typedef enum twm_clusters { CLUSTERS_OF_DEFORMERS, CLUSTERS_OF_ALL, CLUSTERS_NONE } twm_clusters;

/* One way to take the document. */
typedef struct twm_reading {
    uint8_t joint_size; /* 72 as its offsets say, 68 as its fields add up, 0: there is no skeleton whatever the flag says */
    bool inside;        /* clusters follow each mesh rather than all meshes */
    twm_clusters clusters;
    bool narrow; /* indices have 4 bytes although the version's have 8 */
    const char *says;
} twm_reading;

enum { TWM_LAYOUTS = 11, TWM_NO_SKELETON = TWM_LAYOUTS - 1 };
twm_reading st_twm_reading(unsigned reading);

typedef struct twm_mesh {
    uint64_t vertex_count;
    uint8_t has_normals, has_uvs, has_tangents, has_binormals, has_deformer;
    span reserved;
    span position, normal, uv, tangent, binormal;
    uint64_t index_count;
    uint32_t index_size;
    span indices;
    items clusters; /* of all vertices */
} twm_mesh;

typedef struct twm_track {
    uint32_t key_count;
    span key;
} twm_track;

typedef struct twm_animation {
    twm_track *track; /* one per joint */
} twm_animation;

typedef struct twm_file {
    raw_file raw;
    uint32_t mesh_count;
    uint8_t has_skeleton;
    span reserved;
    uint32_t joint_count;
    span joints;
    twm_mesh *mesh;
    uint32_t animation_count;
    twm_animation *animation;
    span footer;
} twm_file;

/* Keys and joints, and where their parts are. */
#define TWM_KEY_ROW(X) X(time, U32, 1) X(translation, F32, 3) X(scale, F32, 3) X(rotation, F32, 4)
#define TWM_JOINT_ROW(X) X(parent, U32, 1) X(padding, U32, 1) X(inverse_bind, F32, 16)
ROW_STRUCT(twm_key_row, TWM_KEY_ROW);
ROW_STRUCT(twm_joint_row, TWM_JOINT_ROW);
enum {
    TWM_KEY_BYTES = sizeof(twm_key_row),
    TWM_KEY_TRANSLATION = offsetof(twm_key_row, translation),
    TWM_KEY_SCALE = offsetof(twm_key_row, scale),
    TWM_KEY_ROTATION = offsetof(twm_key_row, rotation),
    TWM_WEIGHT_BYTES = 12,
    TWM_JOINT_BYTES = sizeof(twm_joint_row),
    TWM_JOINT_MATRIX = offsetof(twm_joint_row, inverse_bind)
};

/* Where the 16 floats of a joint's matrix are. */
static inline const uint8_t *twm_joint_matrix(const twm_file *f, uint64_t joint)
{
    return f->joints.data + (joint + 1) * f->joints.stride - 64;
}

/* How many weights the cluster at an offset has: they follow 8 bytes later. Goes on to the next cluster. In a file that changes
 * meanwhile it may say more than there is room for; then it has none. */
static inline uint64_t twm_next_cluster(const items *clusters, uint64_t *at)
{
    uint64_t left = clusters->size - *at, count = left >= 8 ? settled_u64(load_u64(clusters->data + *at)) : 0;
    count = left >= 8 && count <= (left - 8) / TWM_WEIGHT_BYTES ? count : 0;
    *at += left >= 8 ? 8 + count * TWM_WEIGHT_BYTES : 0;
    return count;
}

/* An old writer copied half of its 64-bit indices: half of them are there, each taking the place of two. */
bool st_twm_half_indices(const twm_file *f, const twm_mesh *m);

/* A newer one wrote three floats for each uv: those of two thirds of the vertices are there. */
bool st_twm_three_float_uvs(const twm_file *f, const twm_mesh *m);

/* Some files may count parents from 1, with 0 for none: then a joint seems to be its own parent, and none comes after its
 * child. */
bool st_twm_counts_from_one(const twm_file *f);

bool st_twm_has_skeleton(const twm_file *f);
bool st_twm_has_clusters(const twm_file *f, const twm_mesh *m);

extern const format st_format_twm;
void st_twm_check(context *c, const raw_file *raw);
bool st_twm_adapt(context *c, const raw_file *from, raw_file *raw, unsigned dialect);
bool st_twm_load(context *c, const raw_file *raw);
bool st_twm_save(context *c, raw_file *raw);

#endif
