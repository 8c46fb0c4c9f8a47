/* What SGM and SGA, the model and animation files of one engine, share: their raw structs. Private to this family. */
#ifndef ST_RAYNE_H
#define ST_RAYNE_H

#include "formats/format.h"

#define SGA_CAPABILITIES                                                                                                       \
    (STELE_SKELETON | STELE_ANIMATION | STELE_JOINT_NAMES | STELE_SKIN_NAMES | STELE_CLIP_NAMES | STELE_NODE_ANIMATION |       \
     STELE_SCALE_ANIMATION | STELE_EXACT_TIMES)
#include "model/flatten.h"

/* ---- SGM ---- */

typedef enum sgm_dialect { SGM_V0, SGM_V0A, SGM_V0B, SGM_V1A, SGM_V1B, SGM_V1, SGM_V2, SGM_V3, SGM_V3_NOCOLOR } sgm_dialect;

typedef enum sgm_bones {
    BONES_NONE, /* no skin at all */
    BONES_FLAG, /* a byte says whether there are weights and bones */
    BONES_MAP   /* that byte counts the entries of a bone map, which follows it */
} sgm_bones;

/* All that distinguishes the dialects: a table, see sgm_layout.c. */
typedef struct sgm_traits {
    bool magic;
    uint8_t version;
    bool uv_sets;    /* materials have uv sets of hinted textures, and colours; otherwise a plain list of textures */
    bool mapped;     /* vertices refer to entries of the bone map rather than to bones */
    bool tangents;   /* a byte says whether there are tangents */
    bool index_size; /* a byte gives the size of an index; otherwise it is 2 */
    bool animation;  /* a reference to an animation file ends the file */
    sgm_bones bones;
    stele_type vertex_count, index_count;
} sgm_traits;

extern const sgm_traits st_sgm_traits[];
extern const format st_format_sgm;

typedef struct sgm_texture {
    uint8_t hint;
    text name;
} sgm_texture;

typedef struct sgm_uv_set {
    uint8_t texture_count;
    sgm_texture *texture;
} sgm_uv_set;

typedef struct sgm_color {
    uint8_t hint;
    span rgba;
} sgm_color;

typedef struct sgm_material {
    uint8_t id;
    uint8_t texture_count; /* before v3: texture i belongs to uv set i */
    sgm_texture *texture;
    uint8_t uv_set_count; /* since v3 */
    sgm_uv_set *uv_set;
    uint8_t color_count;
    sgm_color *color;
} sgm_material;

typedef struct sgm_mesh {
    uint8_t id, material;
    uint32_t vertex_count;
    uint8_t uv_count, color_floats, has_tangents;
    uint8_t has_bones; /* or the number of entries of the bone map */
    span bone_map;
    span vertices;
    uint32_t index_count;
    uint8_t index_size;
    span indices;
} sgm_mesh;

typedef struct sgm_file {
    raw_file raw;
    uint8_t material_count;
    sgm_material *material;
    uint8_t mesh_count;
    sgm_mesh *mesh;
    uint8_t has_animation;
    text animation;
} sgm_file;

/* The columns of a vertex: position, normal, uv0 ..., color, tangent, weights, bones. */
enum { SGM_NAMED_UVS = 8, SGM_COLUMNS = 6 + SGM_NAMED_UVS + 1 };
size_t st_sgm_columns(const sgm_mesh *m, stele_column columns[SGM_COLUMNS]);

/* One of them in a mesh that was read, and all uv sets as one; no components if it has none. */
stele_view st_sgm_column(const sgm_mesh *m, const char *name);
stele_view st_sgm_uvs(const sgm_mesh *m);

stele_type st_sgm_index_type(const sgm_mesh *m);

void st_sgm_check(context *c, const raw_file *raw);
bool st_sgm_adapt(context *c, const raw_file *from, raw_file *raw, unsigned dialect);

/* ---- SGA ---- */

typedef enum sga_dialect { SGA_V1, SGA_PROTOTYPE } sga_dialect;

typedef struct sga_bone {
    text name;
    span position;
    span rotation; /* prototype only */
    uint8_t is_root;
    uint16_t child_count;
    span child;
} sga_bone;

typedef struct sga_track {
    uint16_t bone;
    uint32_t key_count;
    span key;
} sga_track;

typedef struct sga_clip {
    text name;
    uint16_t track_count;
    sga_track *track;
} sga_clip;

typedef struct sga_file {
    raw_file raw;
    text skeleton;
    uint16_t bone_count;
    sga_bone *bone;
    uint16_t clip_count;
    sga_clip *clip;
} sga_file;

/* A key, and where its parts are. */
#define SGA_KEY_ROW(X) X(time, F32, 1) X(position, F32, 3) X(scale, F32, 3) X(rotation, F32, 4)
ROW_STRUCT(sga_key_row, SGA_KEY_ROW);
enum {
    KEY_TIME = offsetof(sga_key_row, time),
    KEY_POSITION = offsetof(sga_key_row, position),
    KEY_SCALE = offsetof(sga_key_row, scale),
    KEY_ROTATION = offsetof(sga_key_row, rotation),
    KEY_BYTES = sizeof(sga_key_row)
};

/* Both engines advance an animation by 24 of its units in a second; the file does not say. */
enum { SGA_FRAMES_PER_SECOND = 24 };

extern const format st_format_sga;

/* Reads the .sga that a model names. NULL if it is not there or cannot be read; *found says which. */
const sga_file *st_sga_companion(context *c, const char *name, bool *found);

/* For each clip the last one before it that has its name, or STELE_NONE. NULL without clips or memory. */
const uint32_t *st_sga_same_names(arena *a, const sga_file *f);
bool st_sga_same_clip(const sga_clip *a, const sga_clip *b);

void st_sga_check(context *c, const raw_file *raw);

/* Whether one that was only walked so far has no errors. */
bool st_sga_is_safe(context *c, const sga_file *f);

/* ---- As a model ---- */

/* The node that everything hangs below: Rayne's models face -Z, ours +Z. */
uint32_t st_rayne_root(context *c);
matrix st_rayne_axes(void); /* its matrix */

/* A skeleton on its way into the model; joint i is bone i of the file. There is room for one joint more. */
typedef struct sga_skeleton {
    const char *name;
    uint32_t armature; /* the node above all of them */
    uint32_t *joints;
    float *heads; /* three for each joint: where it rests in the space of the mesh */
    size_t joint_count;
} sga_skeleton;

bool st_sga_load_bones(context *c, const sga_file *f, uint32_t root, sga_skeleton *skeleton);

/* A joint that stays where it is, for vertices that no bone moves. */
bool st_sga_add_neutral(context *c, sga_skeleton *skeleton);

uint32_t st_sga_add_skin(context *c, const sga_skeleton *skeleton);
bool st_sga_load_clips(context *c, const sga_file *f, const sga_skeleton *skeleton);
bool st_sga_load(context *c, const raw_file *raw);

/* The skeleton and clips of a model; with a neutral bone after all others if that is wanted. */
bool st_sga_of_model(context *c, const flat_model *flat, bool neutral, sga_file *f);
bool st_sga_save(context *c, raw_file *raw);

bool st_sgm_load(context *c, const raw_file *raw);
bool st_sgm_save(context *c, raw_file *raw);
void st_sgm_bring(context *c, const raw_file *raw);

/* What the lists of a material mean. */
typedef enum sgm_role {
    SGM_BASE_COLOR,
    SGM_NORMAL_MAP,
    SGM_SPECULAR,
    SGM_ROUGHNESS,
    SGM_EMISSION,
    SGM_LIGHTMAP, /* a second texture without a role, on texture coordinates of its own */
    SGM_ROLES
} sgm_role;
extern const stele_role st_sgm_role[]; /* what they are to a material */

typedef struct sgm_look {
    const char *texture[SGM_ROLES]; /* NULL: none */
    uint32_t uv_set[SGM_ROLES];
    float base_color[4], specular[3], roughness, emission[3];
} sgm_look;

/* Before v3, texture i belonged to uv set i and had no hint. */
bool st_sgm_plain_to_uv_sets(arena *a, sgm_material *m);

/* The look of a material of v3 for meshes with so many uv sets. */
sgm_look st_sgm_look(arena *a, const sgm_material *m, unsigned uv_count);
bool st_sgm_is_blended(const sgm_file *f, unsigned material, float alpha); /* alpha: of the base colour */

/* Its reverse: the usual way to write it. False without memory. */
bool st_sgm_material_of_look(arena *a, const sgm_look *look, sgm_material *m);

/* Uses the last uv set that is there instead of one that is not. */
void st_sgm_clamp_look(sgm_look *look, unsigned uv_count);
bool st_sgm_same_look(const sgm_look *a, const sgm_look *b);

/* Where a material was written in another way than the usual one, properties keep it. */
void st_sgm_keep_material(arena *a, const sgm_material *m, const sgm_look *look, stele_properties *properties);
bool st_sgm_kept_material(arena *a, const stele_properties *properties, sgm_material *m);

/* Exporters until 2024 wrote vertex colours as screens have them, n / 255; later ones raise these to 2.2, which is linear. */
bool st_sgm_colors_look_srgb(const sgm_file *f);

/* A tangent as files have it into one of the model, made perpendicular to its normal if it may be repaired. False if it is of
 * no use. */
bool st_sgm_tangent(const uint8_t *from, const float normal[3], bool repair, float tangent[4]);

/* The property of a primitive whose tangents were left out because they are all the same: no tangents at all. */
#define SGM_SAME_TANGENTS "sgm.tangent"

/* 255 of everything, and strings of 65534 bytes. */
enum { SGM_MOST = 255, RAYNE_LONGEST_NAME = UINT16_MAX - 1 };

#endif
