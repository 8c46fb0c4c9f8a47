/* CTC's raw structs, shared by the files of this format. Private to it. */
#ifndef ST_CTC_H
#define ST_CTC_H

#include "base/bytes.h"
#include "formats/format.h"
#include "model/flatten.h"

typedef enum ctc_dialect { CTC_V11, CTC_V10, CTC_V9, CTC_V8 } ctc_dialect;
enum { CTC_NEWEST = 11, CTC_OLDEST = 8 };

/* What the number of vertex colours counts. */
typedef enum ctc_reading { CTC_COLORS_ARE_ENTRIES, CTC_COLORS_ARE_BYTES } ctc_reading;

/* The words of the header, in its order. */
typedef enum ctc_word {
    CTC_MAGIC,
    CTC_VERSION,
    CTC_SKIN_WIDTH,
    CTC_SKIN_HEIGHT,
    CTC_UNKNOWN1,
    CTC_SKIN_COUNT,
    CTC_VERTEX_COUNT,
    CTC_UV_COUNT,
    CTC_TRIANGLE_COUNT,
    CTC_GL_COMMAND_COUNT,
    CTC_FRAME_COUNT,
    CTC_ANIMATION_COUNT,
    CTC_BONE_COUNT,
    CTC_MORPH_COUNT,
    CTC_ATTACHMENT_COUNT,
    CTC_TRI_LIST_COUNT,
    CTC_UNKNOWN5_COUNT,
    CTC_UNKNOWN6,
    CTC_COLOR_COUNT,
    CTC_SKINS_OFFSET,
    CTC_VERTICES_OFFSET,
    CTC_OUTPUT_VERTICES_OFFSET,
    CTC_INDICES_OFFSET,
    CTC_UVS_OFFSET,
    CTC_BONES_OFFSET,
    CTC_WEIGHTS_OFFSET,
    CTC_ANIMATIONS_OFFSET,
    CTC_FRAMES_OFFSET,
    CTC_GL_COMMANDS_OFFSET,
    CTC_MORPHS_OFFSET,
    CTC_ATTACHMENTS_OFFSET,
    CTC_TRI_LISTS_OFFSET,
    CTC_UNKNOWN5_OFFSET,
    CTC_TRIS3_OFFSET,
    CTC_COLORS_OFFSET,
    CTC_EOF_OFFSET,
    CTC_WORDS
} ctc_word;

enum { CTC_HEADER_BYTES = 4 * CTC_WORDS };

/* The sections, in the order of their offsets in the header; in a file they may come in any. */
typedef enum ctc_section {
    CTC_SKINS,
    CTC_VERTICES,
    CTC_OUTPUT_VERTICES,
    CTC_INDICES,
    CTC_UVS,
    CTC_BONES,
    CTC_WEIGHTS,
    CTC_ANIMATIONS,
    CTC_FRAMES,
    CTC_GL_COMMANDS,
    CTC_MORPHS,
    CTC_ATTACHMENTS,
    CTC_TRI_LISTS,
    CTC_UNKNOWN5,
    CTC_TRIS3,
    CTC_COLORS,
    CTC_SECTIONS
} ctc_section;

typedef struct ctc_skin {
    span name;
} ctc_skin;

/* Consecutive vertices with equally many influences: rows of that number and as many bones and weights. */
typedef struct ctc_weight_run {
    uint32_t influences;
    span vertices;
} ctc_weight_run;

typedef struct ctc_animation {
    span name;
    uint32_t unknown, frame_count;
} ctc_animation;

typedef struct ctc_morph {
    span name;
    uint32_t vertex_count;
    span scratch;
    span vertices, targets;
} ctc_morph;

typedef struct ctc_attachment {
    span name, triangle;
} ctc_attachment;

typedef struct ctc_file {
    raw_file raw;
    span word[CTC_WORDS];
    span gap[CTC_SECTIONS]; /* the bytes before each section that nobody claims */
    span last_gap;
    span rows[CTC_SECTIONS]; /* of the sections that are plain tables */
    ctc_skin *skin;
    span weights_magic;
    uint64_t weight_run_count;
    ctc_weight_run *weight_run;
    ctc_animation *animation;
    ctc_morph *morph;
    ctc_attachment *attachment;
} ctc_file;

/* The rows of tables, and where their parts are. */
#define CTC_VERTEX_ROW(X) X(position, F32, 3) X(normal, F32, 3)
#define CTC_UV_ROW(X) X(uv0, F32, 2) X(uv1, F32, 2) X(uv2, F32, 2)
#define CTC_BONE_ROW(X)                                                                                                        \
    X(parent_plus_one, I32, 1)                                                                                                 \
    X(child_count, I32, 1) X(child_list, U32, 1) X(unknown, F32, 6) X(final, F32, 16) X(base, F32, 16)
#define CTC_KEY_ROW(X) X(translation, F32, 3) X(angles, F32, 3)
#define CTC_UNKNOWN5_ROW(X) X(corner, I32, 1) X(replacement, I32, 1) X(unknown, I32, 3) X(uv, F32, 2)

ROW_STRUCT(ctc_vertex_row, CTC_VERTEX_ROW);
ROW_STRUCT(ctc_uv_row, CTC_UV_ROW);
ROW_STRUCT(ctc_bone_row, CTC_BONE_ROW);
ROW_STRUCT(ctc_key_row, CTC_KEY_ROW);
ROW_STRUCT(ctc_unknown5_row, CTC_UNKNOWN5_ROW);

enum {
    VERTEX_BYTES = sizeof(ctc_vertex_row),
    VERTEX_NORMAL = offsetof(ctc_vertex_row, normal),
    UV_FLOATS = sizeof(ctc_uv_row) / 4,
    BONE_BYTES = sizeof(ctc_bone_row),
    BONE_PARENT = offsetof(ctc_bone_row, parent_plus_one),
    BONE_CHILDREN = offsetof(ctc_bone_row, child_count),
    BONE_CHILD_LIST = offsetof(ctc_bone_row, child_list),
    BONE_UNKNOWN = offsetof(ctc_bone_row, unknown),
    BONE_FINAL = offsetof(ctc_bone_row, final),
    BONE_BASE = offsetof(ctc_bone_row, base),
    MATRIX_BYTES = 64,
    KEY_BYTES = sizeof(ctc_key_row),
    MORPH_BYTES = 32,
    UNKNOWN5_BYTES = sizeof(ctc_unknown5_row)
};

/* A word of the header; 0 if the file ends before it. */
static inline uint32_t ctc_word_of(const ctc_file *f, ctc_word word)
{
    return f->word[word].data ? load_u32(f->word[word].data) : 0;
}

/* The vertex of a corner of a triangle, which is there: the first one if the file changed since it was checked. */
static inline uint32_t ctc_vertex_of(const ctc_file *f, uint64_t corner)
{
    uint32_t vertex = settled_u32(load_u16(f->rows[CTC_INDICES].data + 2 * corner));
    return vertex < f->rows[CTC_VERTICES].count ? vertex : 0;
}

/* Whether a section is there, and the word of the header that says where. */
bool st_ctc_has(const ctc_file *f, ctc_section kind);
ctc_word st_ctc_offset_word(ctc_section kind);

/* A column of a section that is a table. */
stele_view st_ctc_column(const ctc_file *f, ctc_section kind, const char *name);

/* One section, where the walk is. */
void st_ctc_walk_section(walk *w, ctc_file *f, ctc_section kind);

/* How the two numbers of an animation are taken: the document is not sure of them. */
typedef enum ctc_clips {
    CTC_CLIPS_COUNTS,     /* the second is the number of frames; they follow each other */
    CTC_CLIPS_FIRST_LAST, /* the first and the last frame */
    CTC_CLIPS_UNKNOWN     /* neither fits: one clip has all frames */
} ctc_clips;
ctc_clips st_ctc_clips(const ctc_file *f);
uint64_t st_ctc_clip_frames(const ctc_animation *animation, ctc_clips reading);

/* The file that a skin's name stands for, whatever type it says; NULL if there is none. */
const char *st_ctc_texture(companions *companions, const char *name);

/* Lays the sections out afresh, in the order of the header and without gaps: fills in the offsets. False, and reported, if
 * offsets cannot reach that far. */
bool st_ctc_lay_out(context *c, ctc_file *f, uint8_t header[CTC_HEADER_BYTES]);

/* ---- Places and angles ---- */

enum { CTC_USUAL_FPS = 10 }; /* as Quake 2, whose engine this one was; the file does not say */

/* A key: a translation and three angles in degrees, around Y, X and Z. */
typedef struct ctc_key {
    double translation[3], angles[3];
} ctc_key;

ctc_key st_ctc_key(const uint8_t *bytes);
void st_ctc_store_key(uint8_t *bytes, const ctc_key *key);
matrix st_ctc_key_matrix(const ctc_key *key);
void st_ctc_quaternion(const double angles[3], double q[4]);

/* The angles of a rotation: of all that give it, those nearest to some others. */
void st_ctc_angles(const matrix *rotation, const double near[3], double angles[3]);

/* The rotation of a matrix, whatever its scale. */
matrix st_ctc_rotation(const matrix *m);

/* The difference of two angles along the shorter arc. */
double st_ctc_shorter(double from, double to);

/* Where a triangle puts what is attached to it: at its first corner, X along the first edge, Z across the triangle. False if it
 * has no area: then it is not turned. */
bool st_ctc_triangle_frame(double corners[3][3], transform *frame);

/* A float that is finite, if the number is. */
float st_ctc_float(double number);

/* ---- What base matrices are ---- */

typedef enum ctc_bind_way {
    CTC_BIND_INVERSE, /* from the model to the bone */
    CTC_BIND_FORWARD, /* from the bone to the model */
    CTC_BIND_LOCAL,   /* unused: vertices are in the space of their bone */
    CTC_BIND_WAYS
} ctc_bind_way;

extern const char *const st_ctc_bind_names[CTC_BIND_WAYS];

/* The skeleton of a file, and how its vertices hang from it. */
typedef struct ctc_rig {
    uint32_t bone_count;
    uint32_t *order;         /* bones, parents before their children */
    const uint8_t **weights; /* of each vertex: its influences, or NULL */
    uint32_t *influences;    /* and how many they are */
    uint32_t *owner;         /* of each vertex: the bone with the greatest weight, or STELE_NONE */
    uint32_t vertex_count;   /* that indices can reach */
    bool some_unowned;       /* some of them have no owner: they follow the main key */
    bool columns;            /* base matrices are stored column by column */
    ctc_bind_way way;
    matrix *inverse_bind; /* of each bone */
    matrix *rest;         /* what each bone does to its vertices in the first frame */
} ctc_rig;

/* False without memory. Choices and what the data decides are reported. */
bool st_ctc_load_rig(context *c, const ctc_file *f, ctc_rig *rig);

/* Whether a reader who is told nothing turns the triangles round. (load.c) */
bool st_ctc_seems_reversed(context *c, const ctc_file *f, const ctc_rig *rig);

/* The parent of a bone, or STELE_NONE. */
uint32_t st_ctc_parent(const ctc_file *f, uint32_t bone);

/* The keys of a frame, the main one first; NULL if the file has no frames. */
const uint8_t *st_ctc_frame(const ctc_file *f, uint64_t frame);

/* ---- Lists of triangles ---- */

typedef struct ctc_list {
    uint64_t first, count; /* triangles */
    uint32_t skin;         /* or STELE_NONE */
} ctc_list;

/* The lists that draw anything; NULL without memory. */
ctc_list *st_ctc_lists(const ctc_file *f, arena *a, size_t *count);

/* The colour of a corner, 4 bytes; NULL if the file has none. */
const uint8_t *st_ctc_color(const ctc_file *f, uint64_t corner);

/* Adds the mesh, a primitive for each list; the material of list i is materials[i]. STELE_NONE without memory. */
uint32_t st_ctc_load_mesh(context *c, const ctc_file *f, const ctc_rig *rig, const ctc_list *lists, size_t list_count,
                          const uint32_t *materials, bool reverse);

/* A colour that is not set, and so white. */
extern const uint8_t st_ctc_unset[3];

/* ---- Properties, where the model has no word for it ---- */

#define CTC_DIALECT_KEY "ctc.dialect"
#define CTC_UP_KEY "ctc.up"            /* of the model: as the choice; not there: z */
#define CTC_WINDING_KEY "ctc.winding"  /* as the choice: what was done to the triangles */
#define CTC_BIND_KEY "ctc.bind"        /* as the choice */
#define CTC_STORAGE_KEY "ctc.storage"  /* "columns"; not there: rows */
#define CTC_FPS_KEY "ctc.fps"          /* not there: 10 */
#define CTC_WIDTH_KEY "ctc.skin_width" /* these words of the header, where they are not what is usual */
#define CTC_HEIGHT_KEY "ctc.skin_height"
#define CTC_UNKNOWN1_KEY "ctc.unknown1"
#define CTC_UV_COUNT_KEY "ctc.uv_count"
#define CTC_MAIN_KEY "ctc.main"         /* of the node that the main key moves */
#define CTC_UNKNOWN_KEY "ctc.unknown"   /* of a bone: 6 numbers; of a clip: 1 */
#define CTC_TRIANGLE_KEY "ctc.triangle" /* of an attachment: x of the second corner, x and y of the third */

enum { CTC_USUAL_SKIN_SIZE = 256 };

#define CTC_BONE_NAME "bone%u" /* bones have no names: what load gives them, and save may forget */

/* ---- Saving ---- */

/* While a model is saved. The bones are the joints of the flat model but the one of the main key. */
typedef struct ctc_saver {
    context *c;
    ctc_file *file;
    flat_model flat;
    uint8_t *header;
    bool reverse; /* triangles */
    uint32_t *bone_of_joint, *joint_of_bone;
    uint32_t bone_count;
    matrix *adjust;     /* of each bone: what takes its scale at rest away, for keys have none, and turns its axes */
    matrix *bone_bind;  /* and its inverse bind matrix after that */
    matrix main_bind;   /* what takes vertices into the space of the main key, for those that no bone moves */
    uint32_t main_node; /* the node of the main key, or STELE_NONE */
    ctc_bind_way way;
    bool columns;
    uint64_t lost_names;
} ctc_saver;

/* What takes a vertex of the bone, or of STELE_NONE, to what the file has. */
matrix st_ctc_space(const ctc_saver *a, uint32_t bone);

/* The bone that carries a node, or STELE_NONE. */
uint32_t st_ctc_bone_above(const ctc_saver *a, uint32_t node);

/* Sets a word of the header. */
void st_ctc_set_word(ctc_saver *a, ctc_word word, uint64_t value);

/* A name in a field of a fixed size, cut off if it must be; room for a NUL is not needed everywhere. */
span st_ctc_fixed(ctc_saver *a, const char *name, uint32_t size, bool terminated);

/* Saves skins, vertices, weights, triangles, morphs and attachments. */
void st_ctc_save_mesh(ctc_saver *a);

bool st_ctc_load(context *c, const raw_file *raw);
bool st_ctc_save(context *c, raw_file *raw);

extern const format st_format_ctc;
void st_ctc_check(context *c, const raw_file *raw);
void st_ctc_describe(context *c, const raw_file *raw, stele_info *info);
bool st_ctc_adapt(context *c, const raw_file *from, raw_file *raw, unsigned dialect);

#endif
