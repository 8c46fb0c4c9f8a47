/* Wavefront OBJ: text, line by line. Here is what it looks like; docs/formats/obj.md has the rest. */
#include <string.h>

#include "raw.h"

/* The text is one field, so that what is not changed is written as it was, blanks and comments included. */
static void walk_file(walk *w, raw_file *raw)
{
    obj_file *f = (obj_file *)raw;
    if (w->mode == WALK_WRITE && f->output) {
        st_obj_print(w, f);
        return;
    }
    st_walk_blob(w, "text", &f->text, walk_reads(w) ? w->size - w->at : f->text.count);
}

/* ---- Probing: what the first lines begin with ---- */

enum { PROBED_BYTES = 1 << 16 };

typedef struct line_counts {
    uint64_t vertices, others, unknown, comments;
} line_counts;

/* Padded with zeros, so that every line of a large file of something else costs next to nothing. */
typedef char keyword[8];
static const keyword keywords[] = {"v",  "vn",     "vt",     "f",  "l",   "p",     "o",      "g",   "s",
                                   "vp", "usemtl", "mtllib", "mg", "lod", "bevel", "cstype", "deg", "end"};
enum { VERTEX_KEYWORDS = 3, KEYWORDS = sizeof keywords / sizeof *keywords };

/* The index of a keyword, or KEYWORDS. */
static size_t find_keyword(const uint8_t *word, size_t length)
{
    keyword padded = {0};
    size_t i = 0;
    if (length >= sizeof padded)
        return KEYWORDS;
    memcpy(padded, word, length);
    while (i < KEYWORDS && memcmp(padded, keywords[i], sizeof padded) != 0)
        i++;
    return i;
}

static void judge_line(const uint8_t *line, const uint8_t *end, line_counts *counts)
{
    while (line < end && obj_blank((char)*line))
        line++;
    const uint8_t *word = line;
    while (line < end && !obj_blank((char)*line))
        line++;
    size_t length = (size_t)(line - word);
    while (line < end && obj_blank((char)*line))
        line++;
    counts->comments += length && *word == '#';
    if (!length || *word == '#')
        return;
    bool number = line < end && (strchr("+-.", *line) || (*line >= '0' && *line <= '9'));
    size_t found = find_keyword(word, length);
    if (found < VERTEX_KEYWORDS && number)
        counts->vertices++;
    else if (found < KEYWORDS)
        counts->others++;
    else
        counts->unknown++;
}

static line_counts count_lines(const uint8_t *data, uint64_t size)
{
    line_counts counts = {0, 0, 0, 0};
    uint64_t looked_at = size < PROBED_BYTES ? size : PROBED_BYTES;
    const uint8_t *p = data, *end = data + looked_at;
    bool goes_on = false;
    p += size >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (p < end) {
        const uint8_t *line_end = memchr(p, '\n', (size_t)(end - p));
        /* the last one may go on */
        if (!line_end && looked_at < size)
            break;
        line_end = line_end ? line_end : end;
        if (!goes_on)
            judge_line(p, line_end, &counts);
        const uint8_t *last = line_end - (line_end > p && line_end[-1] == '\r');
        goes_on = last > p && last[-1] == '\\';
        p = line_end + 1;
    }
    return counts;
}

static bool says_something(const line_counts *counts)
{
    return counts->vertices || counts->others >= 2;
}

static void probe_file(const uint8_t *data, uint64_t size, probe *result)
{
    size = obj_text_size(data, size);
    if (!size || memchr(data, 0, (size_t)(size < PROBED_BYTES ? size : PROBED_BYTES)))
        return;
    line_counts counts = count_lines(data, size);
    bool nothing = counts.comments && !counts.unknown; /* a model without meshes is comments, and the name of its materials */
    if ((says_something(&counts) || nothing) && counts.vertices + counts.others >= 2 * counts.unknown)
        probe_try(result, TRUST_PLAUSIBLE, 0, 0);
}

/* Comments could be those of anything: they are believed only in a file of the right name. */
static sense sense_file(const raw_file *raw)
{
    const obj_file *f = (const obj_file *)raw;
    line_counts counts = count_lines(f->text.data, f->text.count);
    return says_something(&counts) ? SENSE_GOOD : SENSE_NONE;
}

static const stele_dialect_info dialects[] = {{"text", "Wavefront OBJ with its MTL"}};

const format st_format_obj = {
    .info = {.name = "obj",
             .title = "Wavefront OBJ",
             .extensions = "obj",
             .capabilities = STELE_MESHES | STELE_NORMALS | STELE_UVS | STELE_COLORS | STELE_SEVERAL_MESHES |
                             STELE_LINES_AND_POINTS | STELE_MESH_NAMES,
             .beside = STELE_MATERIALS | STELE_TEXTURES | STELE_MATERIAL_NAMES | STELE_BASE_COLORS | STELE_ALPHA_BLENDING |
                       STELE_METAL | STELE_ROUGHNESS | STELE_UNLIT_SURFACES | STELE_EMISSION | STELE_EMISSION_STRENGTH |
                       STELE_SPECULAR_COLORS | STELE_UNUSED_MATERIALS | STELE_NORMAL_MAPS | STELE_METAL_MAPS |
                       STELE_EMISSION_MAPS | STELE_SPECULAR_COLOR_MAPS | STELE_NORMAL_STRENGTH, /* in the MTL */
             .uv_sets = 1,
             .color_sets = 1,
             .companions = "mtl",
             .dialects = dialects,
             .dialect_count = sizeof dialects / sizeof *dialects},
    .raw_size = sizeof(obj_file),
    .probe = probe_file,
    .walk = walk_file,
    .sense = sense_file,
    .parse = st_obj_parse,
    .check = st_obj_check,
    .load = st_obj_load,
    .save = st_obj_save,
    .bring = st_obj_bring,
};
