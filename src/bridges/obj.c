/* Wavefront OBJ: text, line by line. Here is what it looks like; docs/formats/obj.md has the rest. */
#include <string.h>

#include "obj.h"

/* The text is one field, so that what is not changed is written as it was, blanks and comments included. */
static void walk_file(walk *w, raw_file *raw)
{
    obj_file *f = (obj_file *)raw;
    if (w->mode == WALK_WRITE && f->output) {
        st_obj_print(w, f);
        return;
    }
    st_walk_blob(w, "text", &f->text, w->mode == WALK_WRITE ? f->text.count : w->size - w->at);
    if (w->mode == WALK_READ)
        f->content = st_arena_alloc(w->arena, sizeof *f->content);
}

static sense sense_file(const raw_file *raw)
{
    (void)raw;
    return SENSE_GOOD; /* the probe has looked at the words */
}

static void check_file(checker *c, const raw_file *raw)
{
    st_obj_parse(c, (const obj_file *)raw);
}

/* ---- Probing: what the first lines begin with ---- */

enum { PROBED_BYTES = 1 << 16 };

typedef struct line_counts {
    uint64_t vertices, others, unknown;
} line_counts;

static bool is_word(const uint8_t *word, size_t length, const char *list)
{
    for (const char *w = list; *w; w += strspn(w, " ")) {
        size_t size = strcspn(w, " ");
        if (size == length && memcmp(w, word, size) == 0)
            return true;
        w += size;
    }
    return false;
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
    if (!length || *word == '#')
        return;
    bool number = line < end && (strchr("+-.", *line) || (*line >= '0' && *line <= '9'));
    if (is_word(word, length, "v vn vt") && number)
        counts->vertices++;
    else if (is_word(word, length, "v vn vt f l p o g s vp usemtl mtllib mg lod bevel cstype deg end"))
        counts->others++;
    else
        counts->unknown++;
}

static void probe_file(const uint8_t *data, uint64_t size, probe *result)
{
    line_counts counts = {0, 0, 0};
    uint64_t looked_at = size < PROBED_BYTES ? size : PROBED_BYTES;
    const uint8_t *p = data, *end = data + looked_at;
    bool goes_on = false;
    if (!size || memchr(data, 0, (size_t)looked_at))
        return;
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
    bool any = counts.vertices || counts.others >= 2;
    if (any && counts.vertices + counts.others >= 2 * counts.unknown)
        probe_try(result, TRUST_PLAUSIBLE, 0, 0);
}

static const stele_dialect_info dialects[] = {{"text", "Wavefront OBJ with its MTL"}};

const stele_format st_format_obj = {
    .info = {.name = "obj",
             .title = "Wavefront OBJ",
             .extensions = "obj",
             .capabilities = STELE_MESHES | STELE_NORMALS | STELE_UVS | STELE_COLORS,
             .beside = STELE_MATERIALS | STELE_TEXTURES, /* in the MTL */
             .dialects = dialects,
             .dialect_count = sizeof dialects / sizeof *dialects},
    .raw_size = sizeof(obj_file),
    .probe = probe_file,
    .walk = walk_file,
    .sense = sense_file,
    .check = check_file,
    .load = st_obj_load,
    .save = st_obj_save,
};
