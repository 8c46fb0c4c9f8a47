/* CTC's raw structs, shared by the files of this format. Private to it. */
#ifndef ST_CTC_H
#define ST_CTC_H

#include "core/bytes.h"
#include "format.h"

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

/* Where the parts of rows are. */
enum {
    VERTEX_BYTES = 24,
    VERTEX_NORMAL = 12,
    UV_FLOATS = 6,
    BONE_BYTES = 164,
    BONE_PARENT = 0,
    BONE_CHILDREN = 4,
    BONE_CHILD_LIST = 8,
    BONE_FINAL = 36,
    BONE_BASE = 100,
    MATRIX_BYTES = 64,
    KEY_BYTES = 24,
    MORPH_BYTES = 32,
    UNKNOWN5_BYTES = 28
};

/* A word of the header; 0 if the file ends before it. */
static inline uint32_t ctc_word_of(const ctc_file *f, ctc_word word)
{
    return f->word[word].data ? load_u32(f->word[word].data) : 0;
}

/* Whether a section is there, and the word of the header that says where. */
bool st_ctc_has(const ctc_file *f, ctc_section kind);
ctc_word st_ctc_offset_word(ctc_section kind);

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

void st_ctc_check(checker *c, const raw_file *raw);
void st_ctc_describe(const raw_file *raw, arena *a, companions *companions, stele_info *info);
bool st_ctc_adapt(raw_file *raw, unsigned dialect, checker *c);

#endif
