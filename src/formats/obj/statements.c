/* Where the statements of an OBJ are. */
#include "statement.h"

word st_obj_longer_word(const char **p, const char *end)
{
    static const struct {
        const char *text;
        word word;
    } words[] = {{"usemtl", WORD_USEMTL},    {"mtllib", WORD_MTLLIB},  {"s", WORD_IGNORED},      {"vp", WORD_IGNORED},
                 {"mg", WORD_IGNORED},       {"lod", WORD_IGNORED},    {"bevel", WORD_IGNORED},  {"c_interp", WORD_IGNORED},
                 {"d_interp", WORD_IGNORED}, {"usemap", WORD_IGNORED}, {"maplib", WORD_IGNORED}, {"shadow_obj", WORD_IGNORED},
                 {"trace_obj", WORD_IGNORED}};
    const char *start = *p;
    while (*p < end && !ends_word(**p))
        ++*p;
    size_t length = (size_t)(*p - start);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].text) == length && memcmp(words[i].text, start, length) == 0)
            return words[i].word;
    return WORD_UNKNOWN;
}

/* A statement: from its word to its end, and what is behind the word. */
typedef struct statement {
    word word;
    const char *start, *behind, *end;
} statement;

/* The next one from p on; false at the end. */
static bool next_statement(const char **p, const char *end, statement *s)
{
    while (*p < end && obj_blank(**p))
        ++*p;
    if (*p >= end)
        return false;
    s->start = s->behind = *p;
    s->word = read_word(&s->behind, end);
    s->end = statement_end(s->behind, end, *s->start == '#');
    *p = s->end + 1;
    return true;
}

static bool has_corners(word w)
{
    return w == WORD_F || w == WORD_L || w == WORD_P;
}

const char *st_obj_statement(const obj_file *f, obj_statement kind, uint64_t number)
{
    const char *p = obj_start(f), *end = obj_end(f);
    for (statement s; next_statement(&p, end, &s);)
        if ((kind == OBJ_NORMAL ? s.word == WORD_VN : has_corners(s.word)) && !number--)
            return s.start;
    return obj_start(f);
}

diag_place st_obj_place(context *c, const char *at, uint64_t count)
{
    uint64_t line = 1;
    for (const char *p = (const char *)c->data; (p = memchr(p, '\n', (size_t)(at - p))); p++)
        line++;
    return at_offset(st_check_offset(c, at), count, st_arena_format(c->arena, "line %llu", (unsigned long long)line));
}

/* ---- Where it all was ---- */

/* The texts of what is listed, in their order. */
typedef struct listing {
    byte_range *items;
    uint64_t count, next;
} listing;

static void list_text(listing *l, const char *start, const char *end)
{
    if (l->items && l->next < l->count)
        l->items[l->next++] = (byte_range){(const uint8_t *)start, (uint64_t)(end - start)};
}

static void list_corners(listing *corners, const statement *s)
{
    const char *p = skip_blanks(s->behind, s->end);
    while (p < s->end && *p != '#') {
        const char *start = p;
        while (p < s->end && !ends_word(*p) && *p != '#')
            p++;
        list_text(corners, start, p);
        p = skip_blanks(p + (p == start), s->end);
    }
}

static listing listing_of(const context *c, const uint8_t *data, uint64_t count, uint32_t components)
{
    stele_view rows = {data, count, 4 * components, components, STELE_F32, false};
    return (listing){data ? st_made_of_each(c, &rows) : NULL, count, 0};
}

void st_obj_note_origins(const context *c, const obj_file *f, obj_content *o)
{
    const char *p = obj_start(f), *end = obj_end(f);
    listing v = listing_of(c, o->positions, o->position_count, 3), colors = listing_of(c, o->colors, o->position_count, 3);
    listing vt = listing_of(c, o->uvs, o->uv_count, 2), vn = listing_of(c, o->normals, o->normal_count, 3);
    listing corners = {st_arena_array(&c->origins->arena, o->corner_count, sizeof *corners.items), o->corner_count, 0};
    for (statement s; next_statement(&p, end, &s);) {
        if (s.word == WORD_V) {
            list_text(&v, s.start, s.end);
            list_text(&colors, s.start, s.end);
        } else if (has_corners(s.word))
            list_corners(&corners, &s);
        else if (s.word == WORD_VT || s.word == WORD_VN)
            list_text(s.word == WORD_VT ? &vt : &vn, s.start, s.end);
    }
    o->corner_texts = corners.items;
}
