/* CTC, the models of Anachronox ("SMDL"). Little-endian, unpadded; docs/formats/ctc.md tells the whole story.
 *
 *   dialect   what is known
 *   v11       every model of the game
 *   v10 - v8  the engine takes them; none is known. Read and written as v11 with another number
 *
 * A header of 36 words counts and locates the sections, which may come in any order and with bytes between them that nobody
 * claims. They are walked in the order of the file. Some only reserve room that the engine works in. */
#include "raw.h"

#include "base/scan.h"

static const char magic_bytes[4] = {'S', 'M', 'D', 'L'}, weights_magic[4] = {'S', 'T', 'G', 'W'};

static const stele_dialect_info dialects[] = {
    [CTC_V11] = {"v11", "Anachronox: every known file"},
    [CTC_V10] = {"v10", "taken by the engine, never seen: read as v11"},
    [CTC_V9] = {"v9", "taken by the engine, never seen: read as v11"},
    [CTC_V8] = {"v8", "taken by the engine, never seen: read as v11"},
};

/* What nobody has proven. */
static const stele_choice_info choices[] = {
    {CTC_BIND_KEY, "auto inverse forward local",
     "what the base matrices of bones are: by the data, from the model to the bone, the reverse, or not used"},
    {CTC_WINDING_KEY, "auto keep reverse", "which side of triangles is seen: by the normals, as they are, or the other one"},
    {CTC_UP_KEY, "z y", "the axis that points up"},
};

/* ---- The header ---- */

static const struct {
    const char *name;
    stele_type type;
    const char *meaning;
} words[CTC_WORDS] = {
    [CTC_MAGIC] = {"magic", STELE_CHAR, NULL},
    [CTC_VERSION] = {"version", STELE_I32, NULL},
    [CTC_SKIN_WIDTH] = {"skin_width", STELE_I32, NULL},
    [CTC_SKIN_HEIGHT] = {"skin_height", STELE_I32, NULL},
    [CTC_UNKNOWN1] = {"unknown1", STELE_I32, "unknown, perhaps the bytes of a frame"},
    [CTC_SKIN_COUNT] = {"skin_count", STELE_I32, NULL},
    [CTC_VERTEX_COUNT] = {"vertex_count", STELE_I32, NULL},
    [CTC_UV_COUNT] = {"uv_count", STELE_I32, "counts no section"},
    [CTC_TRIANGLE_COUNT] = {"triangle_count", STELE_I32, NULL},
    [CTC_GL_COMMAND_COUNT] = {"gl_command_count", STELE_I32, "unknown, perhaps words"},
    [CTC_FRAME_COUNT] = {"frame_count", STELE_I32, NULL},
    [CTC_ANIMATION_COUNT] = {"animation_count", STELE_I32, NULL},
    [CTC_BONE_COUNT] = {"bone_count", STELE_I32, NULL},
    [CTC_MORPH_COUNT] = {"morph_count", STELE_I32, NULL},
    [CTC_ATTACHMENT_COUNT] = {"attachment_count", STELE_I32, NULL},
    [CTC_TRI_LIST_COUNT] = {"tri_list_count", STELE_I32, NULL},
    [CTC_UNKNOWN5_COUNT] = {"unknown5_count", STELE_I32, "vertex substitutions, never used"},
    [CTC_UNKNOWN6] = {"unknown6", STELE_F32, "unknown, room for the engine"},
    [CTC_COLOR_COUNT] = {"color_count", STELE_I32, NULL},
    [CTC_SKINS_OFFSET] = {"skins_offset", STELE_I32, NULL},
    [CTC_VERTICES_OFFSET] = {"vertices_offset", STELE_I32, NULL},
    [CTC_OUTPUT_VERTICES_OFFSET] = {"output_vertices_offset", STELE_I32, "room for the engine"},
    [CTC_INDICES_OFFSET] = {"indices_offset", STELE_I32, NULL},
    [CTC_UVS_OFFSET] = {"uvs_offset", STELE_I32, NULL},
    [CTC_BONES_OFFSET] = {"bones_offset", STELE_I32, NULL},
    [CTC_WEIGHTS_OFFSET] = {"weights_offset", STELE_I32, NULL},
    [CTC_ANIMATIONS_OFFSET] = {"animations_offset", STELE_I32, NULL},
    [CTC_FRAMES_OFFSET] = {"frames_offset", STELE_I32, NULL},
    [CTC_GL_COMMANDS_OFFSET] = {"gl_commands_offset", STELE_I32, "unknown, perhaps GL commands"},
    [CTC_MORPHS_OFFSET] = {"morphs_offset", STELE_I32, NULL},
    [CTC_ATTACHMENTS_OFFSET] = {"attachments_offset", STELE_I32, NULL},
    [CTC_TRI_LISTS_OFFSET] = {"tri_lists_offset", STELE_I32, NULL},
    [CTC_UNKNOWN5_OFFSET] = {"unknown5_offset", STELE_I32, "vertex substitutions, never used"},
    [CTC_TRIS3_OFFSET] = {"tris3_offset", STELE_I32, "room for the engine"},
    [CTC_COLORS_OFFSET] = {"colors_offset", STELE_I32, NULL},
    [CTC_EOF_OFFSET] = {"eof_offset", STELE_I32, NULL},
};

/* Counts and offsets are asked for again and again, and must stay what they were when the rows were found by them. */
static void keep_words(walk *w, ctc_file *f)
{
    uint8_t *copy = st_arena_bytes(w->arena, CTC_HEADER_BYTES);
    if (!copy)
        st_walk_fail(w, DIAG_NO_MEMORY, w->at, words[0].name, "there is no memory for the header");
    for (unsigned i = 0; i < CTC_WORDS; i++) {
        if (copy && f->word[i].data)
            memcpy(copy + 4 * i, f->word[i].data, 4);
        f->word[i].data = copy && f->word[i].data ? copy + 4 * i : NULL;
    }
}

static void walk_header(walk *w, ctc_file *f)
{
    for (unsigned i = 0; i < CTC_WORDS; i++)
        if (words[i].type == STELE_CHAR)
            st_walk_chars(w, words[i].name, &f->word[i], 4);
        else
            st_walk_scalar_as(w, words[i].name, &f->word[i], words[i].type, words[i].meaning);
    if (walk_reads(w))
        keep_words(w, f);
    if (walk_ok(w) && walk_reads(w) && memcmp(f->word[CTC_MAGIC].data, magic_bytes, 4) != 0)
        st_walk_fail(w, DIAG_BAD_MAGIC, 0, words[CTC_MAGIC].name, "is not SMDL");
    for (unsigned i = CTC_SKIN_COUNT; i <= CTC_COLOR_COUNT; i++) {
        int32_t count = (int32_t)ctc_word_of(f, i);
        if (words[i].type == STELE_I32 && count < 0)
            st_walk_fail(w, DIAG_BAD_FIELD, 4 * i, words[i].name, "is %d, and there cannot be fewer than none", (int)count);
    }
}

/* ---- Sections that are lists ---- */

static void walk_skins(walk *w, ctc_file *f)
{
    W_LIST(w, f, skin, ctc_word_of(f, CTC_SKIN_COUNT), 64) W_CHARS(w, &f->skin[i], name, 64);
}

static void walk_animation(walk *w, ctc_animation *a)
{
    W_CHARS(w, a, name, 16);
    W_U32(w, a, unknown);
    W_U32(w, a, frame_count);
}

static void walk_animations(walk *w, ctc_file *f)
{
    W_LIST(w, f, animation, ctc_word_of(f, CTC_ANIMATION_COUNT), 24) walk_animation(w, &f->animation[i]);
}

static void walk_morph_header(walk *w, ctc_morph *m)
{
    static const stele_column scratch[] = {
        {"factor", STELE_F32, 1}, {"vertices_pointer", STELE_U32, 1}, {"targets_pointer", STELE_U32, 1}};
    W_CHARS(w, m, name, 16);
    W_U32(w, m, vertex_count);
    W_ROWS(w, m, scratch, scratch, 3, 1);
}

static void walk_morph_data(walk *w, ctc_morph *m)
{
    static const stele_column target[] = {{"", STELE_F32, 3}};
    W_ARRAY(w, m, vertices, STELE_U32, m->vertex_count);
    W_ROWS(w, m, targets, target, 1, m->vertex_count);
}

/* The headers of all morphs, and then the data of all. */
static void walk_morphs(walk *w, ctc_file *f)
{
    uint64_t count = ctc_word_of(f, CTC_MORPH_COUNT);
    W_LIST(w, f, morph, count, 32) walk_morph_header(w, &f->morph[i]);
    for (uint64_t i = 0; st_walk_item(w, "morph", f->morph, sizeof *f->morph, i, count); i++)
        walk_morph_data(w, &f->morph[i]);
}

static void walk_attachment(walk *w, ctc_attachment *a)
{
    W_CHARS(w, a, name, 8);
    W_I32(w, a, triangle);
}

static void walk_attachments(walk *w, ctc_file *f)
{
    W_LIST(w, f, attachment, ctc_word_of(f, CTC_ATTACHMENT_COUNT), 12) walk_attachment(w, &f->attachment[i]);
}

/* ---- Weights: vertices of different sizes ---- */

typedef struct run_size {
    uint32_t influences;
    uint64_t rows, stride;
} run_size;

/* How many of the next vertices have as many influences as the first; none if the first does not fit in the file. */
static run_size measure_run(const walk *w, uint64_t at, uint64_t most)
{
    /* offsets have 31 bits, so that no sound file has more */
    uint64_t left = w->size - at < INT32_MAX ? w->size - at : INT32_MAX;
    run_size run = {.influences = left >= 4 ? settled_u32(load_u32(w->data + at)) : 0};
    run.stride = 4 + 8 * (uint64_t)run.influences;
    while (run.rows < most && left >= run.stride && load_u32(w->data + at) == run.influences) {
        run.rows++;
        at += run.stride;
        left -= run.stride;
    }
    return run;
}

/* The last run may be one that does not fit: walking it fails. */
static uint64_t count_runs(const walk *w, uint64_t vertices)
{
    uint64_t count = 0, at = w->at;
    for (run_size run = {.rows = 1}; vertices && run.rows; count++) {
        run = measure_run(w, at, vertices);
        at += run.rows * run.stride;
        vertices -= run.rows;
    }
    return count;
}

enum { NAMED_INFLUENCES = 4, RUN_COLUMNS = 1 + 2 * NAMED_INFLUENCES + 1 };

static size_t run_columns(uint32_t influences, stele_column columns[RUN_COLUMNS])
{
    static const stele_column named[] = {{"count", STELE_U32, 1},   {"bone0", STELE_U32, 1},   {"weight0", STELE_F32, 1},
                                         {"bone1", STELE_U32, 1},   {"weight1", STELE_F32, 1}, {"bone2", STELE_U32, 1},
                                         {"weight2", STELE_F32, 1}, {"bone3", STELE_U32, 1},   {"weight3", STELE_F32, 1}};
    size_t count = 1 + 2 * (size_t)(influences < NAMED_INFLUENCES ? influences : NAMED_INFLUENCES);
    memcpy(columns, named, count * sizeof *named);
    if (influences > NAMED_INFLUENCES)
        columns[count++] = (stele_column){"more", STELE_U32, 2 * (influences - NAMED_INFLUENCES)};
    return count;
}

static void walk_weight_run(walk *w, ctc_weight_run *run, uint64_t *vertices_left)
{
    stele_column columns[RUN_COLUMNS];
    run_size size = {run->influences, run->vertices.count, run->vertices.stride};
    if (walk_reads(w))
        size = measure_run(w, w->at, *vertices_left);
    if (!size.rows) {
        W_ARRAY(w, run, vertices, STELE_U32, size.stride / 4);
        return;
    }
    run->influences = size.influences;
    W_ROWS(w, run, vertices, columns, run_columns(size.influences, columns), size.rows);
    *vertices_left -= size.rows;
}

static void walk_weights(walk *w, ctc_file *f)
{
    uint64_t at = w->at, vertices = ctc_word_of(f, CTC_VERTEX_COUNT);
    W_CHARS(w, f, weights_magic, 4);
    if (walk_ok(w) && walk_reads(w) && memcmp(f->weights_magic.data, weights_magic, 4) != 0)
        st_walk_fail(w, DIAG_BAD_MAGIC, at, "weights_magic", "is not STGW: these are no weights");
    if (walk_ok(w) && walk_reads(w))
        f->weight_run_count = count_runs(w, vertices);
    W_LIST(w, f, weight_run, f->weight_run_count, 4) walk_weight_run(w, &f->weight_run[i], &vertices);
}

/* ---- All sections ---- */

static const stele_column vertex_columns[] = {CTC_VERTEX_ROW(ROW_COLUMN)};
static const stele_column uv_columns[] = {CTC_UV_ROW(ROW_COLUMN)};
static const stele_column bone_columns[] = {CTC_BONE_ROW(ROW_COLUMN)};
static const stele_column key_columns[] = {CTC_KEY_ROW(ROW_COLUMN)};
static const stele_column unknown5_columns[] = {CTC_UNKNOWN5_ROW(ROW_COLUMN)};
static const stele_column tris3_columns[] = {
    {"vertices", STELE_I32, 3}, {"unmodified", STELE_I32, 1}, {"u", STELE_F32, 3}, {"v", STELE_F32, 3}};
static const stele_column index_columns[] = {{"", STELE_U16, 1}};
static const stele_column word_columns[] = {{"", STELE_U32, 1}};
static const stele_column color_columns[] = {{"", STELE_U8, 4}};

typedef struct section {
    ctc_word offset, count;
    ctc_word only_with;                 /* not there if this word is 0; by default there whatever the magic is */
    void (*walk)(walk *w, ctc_file *f); /* of a list; without it the section is a table: */
    const char *name;
    const stele_column *columns;
    size_t column_count;
} section;

static const section sections[CTC_SECTIONS] = {
    [CTC_SKINS] = {CTC_SKINS_OFFSET, CTC_SKIN_COUNT, .walk = walk_skins},
    [CTC_VERTICES] = {CTC_VERTICES_OFFSET, CTC_VERTEX_COUNT, 0, NULL, "mesh.vertices", vertex_columns, 2},
    [CTC_OUTPUT_VERTICES] = {CTC_OUTPUT_VERTICES_OFFSET, CTC_VERTEX_COUNT, 0, NULL, "mesh.output_vertices", vertex_columns, 2},
    [CTC_INDICES] = {CTC_INDICES_OFFSET, CTC_TRIANGLE_COUNT, 0, NULL, "mesh.indices", index_columns, 1},
    [CTC_UVS] = {CTC_UVS_OFFSET, CTC_TRIANGLE_COUNT, 0, NULL, "mesh.uvs", uv_columns, 3},
    [CTC_BONES] = {CTC_BONES_OFFSET, CTC_BONE_COUNT, 0, NULL, "bone", bone_columns, 6},
    [CTC_WEIGHTS] = {CTC_WEIGHTS_OFFSET, CTC_VERTEX_COUNT, CTC_BONE_COUNT, .walk = walk_weights},
    [CTC_ANIMATIONS] = {CTC_ANIMATIONS_OFFSET, CTC_ANIMATION_COUNT, .walk = walk_animations},
    [CTC_FRAMES] = {CTC_FRAMES_OFFSET, CTC_FRAME_COUNT, 0, NULL, "key", key_columns, 2},
    [CTC_GL_COMMANDS] = {CTC_GL_COMMANDS_OFFSET, CTC_GL_COMMAND_COUNT, 0, NULL, "gl_commands", word_columns, 1},
    [CTC_MORPHS] = {CTC_MORPHS_OFFSET, CTC_MORPH_COUNT, .walk = walk_morphs},
    [CTC_ATTACHMENTS] = {CTC_ATTACHMENTS_OFFSET, CTC_ATTACHMENT_COUNT, .walk = walk_attachments},
    [CTC_TRI_LISTS] = {CTC_TRI_LISTS_OFFSET, CTC_TRI_LIST_COUNT, 0, NULL, "tri_list", word_columns, 1},
    [CTC_UNKNOWN5] = {CTC_UNKNOWN5_OFFSET, CTC_UNKNOWN5_COUNT, 0, NULL, "unknown5", unknown5_columns, 4},
    [CTC_TRIS3] = {CTC_TRIS3_OFFSET, CTC_TRIANGLE_COUNT, CTC_UNKNOWN5_COUNT, NULL, "mesh.tris3", tris3_columns, 4},
    [CTC_COLORS] = {CTC_COLORS_OFFSET, CTC_COLOR_COUNT, 0, NULL, "mesh.colors", color_columns, 1},
};

bool st_ctc_has(const ctc_file *f, ctc_section kind)
{
    ctc_word only_with = sections[kind].only_with;
    return ctc_word_of(f, sections[kind].count) && (only_with == CTC_MAGIC || ctc_word_of(f, only_with));
}

ctc_word st_ctc_offset_word(ctc_section kind)
{
    return sections[kind].offset;
}

stele_view st_ctc_column(const ctc_file *f, ctc_section kind, const char *name)
{
    return st_column(&f->rows[kind], sections[kind].columns, sections[kind].column_count, name);
}

static uint64_t row_count(const ctc_file *f, ctc_section kind)
{
    uint64_t count = ctc_word_of(f, sections[kind].count);
    switch (kind) {
    case CTC_INDICES: return 3 * count;
    case CTC_FRAMES: return count * (1 + (uint64_t)ctc_word_of(f, CTC_BONE_COUNT));
    case CTC_COLORS: return f->raw.reading == CTC_COLORS_ARE_BYTES ? count / 4 : count;
    default: return count;
    }
}

void st_ctc_walk_section(walk *w, ctc_file *f, ctc_section kind)
{
    const section *s = &sections[kind];
    if (s->walk)
        s->walk(w, f);
    else
        st_walk_rows(w, s->name, &f->rows[kind], s->columns, s->column_count, row_count(f, kind));
}

/* The sections that are there in the order of the file; returns how many. */
static size_t sort_sections(const ctc_file *f, ctc_section order[CTC_SECTIONS])
{
    size_t count = 0;
    for (unsigned s = 0; s < CTC_SECTIONS; s++) {
        size_t place = count;
        if (!st_ctc_has(f, s))
            continue;
        for (; place && ctc_word_of(f, sections[order[place - 1]].offset) > ctc_word_of(f, sections[s].offset); place--)
            order[place] = order[place - 1];
        order[place] = s;
        count++;
    }
    return count;
}

/* An offset beyond a file that is shorter than it says itself is no wrong offset. */
static void judge_offset(walk *w, const ctc_file *f, ctc_section kind, uint64_t offset)
{
    ctc_word word = sections[kind].offset;
    const char *name = words[word].name;
    if (offset < CTC_HEADER_BYTES || offset > INT32_MAX)
        st_walk_fail(w, DIAG_OFFSET_OUT_OF_RANGE, 4 * word, name, "is %d, and sections begin after the %d bytes of the header",
                     (int)(int32_t)offset, CTC_HEADER_BYTES);
    else if (offset > w->size)
        st_walk_fail(w, offset < ctc_word_of(f, CTC_EOF_OFFSET) ? DIAG_TRUNCATED : DIAG_OFFSET_OUT_OF_RANGE, 4 * word, name,
                     "is %llu, but the file ends at %llu", (unsigned long long)offset, (unsigned long long)w->size);
    else if (offset < w->at)
        st_walk_fail(w, DIAG_SECTION_OVERLAP, 4 * word, name, "is %llu, but the section before it ends at %llu",
                     (unsigned long long)offset, (unsigned long long)w->at);
}

static void walk_file(walk *w, raw_file *raw)
{
    ctc_file *f = (ctc_file *)raw;
    ctc_section order[CTC_SECTIONS];
    walk_header(w, f);
    size_t count = walk_ok(w) ? sort_sections(f, order) : 0;
    for (size_t i = 0; i < count && walk_ok(w); i++) {
        uint64_t offset = ctc_word_of(f, sections[order[i]].offset);
        if (walk_reads(w))
            judge_offset(w, f, order[i], offset);
        st_walk_gap(w, &f->gap[order[i]], offset - w->at);
        st_ctc_walk_section(w, f, order[i]);
    }
    uint64_t end = ctc_word_of(f, CTC_EOF_OFFSET);
    st_walk_gap(w, &f->last_gap, end > w->at && end <= w->size ? end - w->at : 0);
}

/* ---- Telling it from others ---- */

/* Early notes on the format counted the colours in bytes: there are three of 4 bytes to a triangle. */
static bool colors_may_be_bytes(const uint8_t *data, uint64_t size)
{
    if (size < CTC_HEADER_BYTES)
        return false;
    uint64_t colors = load_u32(data + 4 * CTC_COLOR_COUNT), triangles = load_u32(data + 4 * CTC_TRIANGLE_COUNT);
    return colors && colors == 12 * triangles;
}

static void probe_file(const uint8_t *data, uint64_t size, probe *p)
{
    if (size < 4 || memcmp(data, magic_bytes, 4) != 0)
        return;
    uint32_t version = size >= 8 ? load_u32(data + 4) : CTC_NEWEST;
    if (version < CTC_OLDEST || version > CTC_NEWEST) {
        *p = (probe){.trust = TRUST_CERTAIN, .problem = DIAG_BAD_VERSION, .text = "CTC has the versions 8 to 11 only"};
        return;
    }
    probe_try(p, TRUST_CERTAIN, CTC_NEWEST - version, CTC_COLORS_ARE_ENTRIES);
    if (colors_may_be_bytes(data, size))
        probe_try(p, TRUST_CERTAIN, CTC_NEWEST - version, CTC_COLORS_ARE_BYTES);
}

static sense sense_of(const raw_file *raw)
{
    const ctc_file *f = (const ctc_file *)raw;
    const span *vertices = &f->rows[CTC_VERTICES], *indices = &f->rows[CTC_INDICES];
    bool odd = st_scan_nonfinite(vertices->data, vertices->count * VERTEX_BYTES / 4) ||
               st_scan_beyond(indices->data, indices->count, STELE_U16, ctc_word_of(f, CTC_VERTEX_COUNT));
    return odd ? SENSE_ODD : SENSE_GOOD;
}

const format st_format_ctc = {
    .info = {.name = "ctc",
             .title = "Anachronox model",
             .extensions = "ctc",
             .capabilities = STELE_MESHES | STELE_NORMALS | STELE_UVS | STELE_COLORS | STELE_MATERIALS | STELE_TEXTURES |
                             STELE_SKIN | STELE_SKELETON | STELE_ANIMATION | STELE_SEVERAL_MESHES | STELE_MORPHS |
                             STELE_ATTACHMENTS | STELE_CLIP_NAMES | STELE_MORPH_NAMES | STELE_BASE_COLORS |
                             STELE_ALPHA_BLENDING | STELE_COLOR_ALPHA | STELE_UNUSED_MATERIALS | STELE_NODE_ANIMATION |
                             STELE_REST_POSE,
             .uv_sets = 1,
             .color_sets = 1,
             .influences = UINT32_MAX,
             .dialects = dialects,
             .dialect_count = sizeof dialects / sizeof *dialects,
             .choices = choices,
             .choice_count = sizeof choices / sizeof *choices},
    .raw_size = sizeof(ctc_file),
    .probe = probe_file,
    .walk = walk_file,
    .sense = sense_of,
    .check = st_ctc_check,
    .describe = st_ctc_describe,
    .always_adapts = true,
    .adapt = st_ctc_adapt,
    .load = st_ctc_load,
    .save = st_ctc_save,
    .usual_dialect = CTC_V11,
};
