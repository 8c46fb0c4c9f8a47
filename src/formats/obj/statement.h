/* The statements of an OBJ: what parsing, which has no time to lose, and looking for a place share. A statement begins with a
 * word, and goes on behind a line end that has a backslash before it. */
#ifndef ST_OBJ_STATEMENT_H
#define ST_OBJ_STATEMENT_H

#include "raw.h"

typedef enum word {
    WORD_NONE,
    WORD_V,
    WORD_VT,
    WORD_VN,
    WORD_F,
    WORD_L,
    WORD_P,
    WORD_O,
    WORD_G,
    WORD_USEMTL,
    WORD_MTLLIB,
    WORD_IGNORED,
    WORD_UNKNOWN
} word;

static inline bool ends_word(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\\';
}

/* Of more than two letters, or of one that is none of those above. */
word st_obj_longer_word(const char **p, const char *end);

/* The word that a statement begins with; p is then behind it. */
static inline word read_word(const char **p, const char *end)
{
    const char *w = *p;
    char second = end - w > 1 ? w[1] : '\n', third = end - w > 2 ? w[2] : '\n';
    word found = WORD_NONE;
    if (*w == '#' || *w == '\n')
        return WORD_NONE;
    if (*w == 'v' && !ends_word(second) && ends_word(third)) {
        found = second == 't' ? WORD_VT : second == 'n' ? WORD_VN : WORD_NONE;
        *p += found ? 2 : 0;
    } else if (ends_word(second)) {
        found = *w == 'v'   ? WORD_V
                : *w == 'f' ? WORD_F
                : *w == 'l' ? WORD_L
                : *w == 'p' ? WORD_P
                : *w == 'o' ? WORD_O
                : *w == 'g' ? WORD_G
                            : WORD_NONE;
        *p += found ? 1 : 0;
    }
    return found ? found : st_obj_longer_word(p, end);
}

static inline const char *line_end(const char *p, const char *end)
{
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    return newline ? newline : end;
}

/* A line end that a statement goes on behind. */
static inline bool continued(const char *start, const char *newline)
{
    const char *p = newline - (newline > start && newline[-1] == '\r');
    return p > start && p[-1] == '\\';
}

/* Behind the line ends that a statement has, with p in it. A comment never goes on. */
static inline const char *statement_end(const char *p, const char *end, bool comment)
{
    const char *newline = line_end(p, end);
    while (newline < end && continued(p, newline) && !comment)
        newline = line_end(newline + 1, end);
    return newline;
}

static inline const char *skip_blanks(const char *p, const char *end)
{
    for (; p < end; p++) {
        if (obj_blank(*p))
            continue;
        if (*p != '\\')
            break;
        const char *next = p + 1 + (end - p > 1 && p[1] == '\r');
        if (next >= end || *next != '\n')
            break;
        p = next;
    }
    return p;
}

static inline const char *obj_end(const obj_file *f)
{
    return (const char *)f->text.data + obj_text_size(f->text.data, f->text.count);
}

/* Behind a byte order mark. */
static inline const char *obj_start(const obj_file *f)
{
    const char *text = (const char *)f->text.data;
    return text + (f->text.count >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0);
}

/* statements.c: notes the bytes that each row and corner was made of: of a text without errors, where each counts. */
void st_obj_note_origins(const context *c, const obj_file *f, obj_content *o);

#endif
