/* What checking a file shares between formats. */
#ifndef ST_CHECK_H
#define ST_CHECK_H

#include "context.h"

/* Where a pointer into the file is; STELE_NOWHERE for a pointer elsewhere. */
uint64_t st_check_offset(const context *c, const void *pointer);

/* Reports a byte that should be 0 or 1. */
void st_check_flag(context *c, const uint8_t *flag);

/* NUL, UTF-8: of a string, and of one in a field of a fixed size. */
void st_check_string(context *c, const text *string);
void st_check_chars(context *c, const span *field);
void st_check_utf8(context *c, const text *string);

/* The string in a field of a fixed size: up to its NUL and with it, or the whole field if it has none. */
text st_fixed_text(const span *field);

/* The image of a texture: that its file is there (NULL: it is not), and in a full check that it is whole. */
void st_check_texture(context *c, const char *name, const char *file, diag_place place);

/* In a full check, what keeps an image from being whole; otherwise, and if nothing does, NULL. */
const char *st_check_flaw(context *c, const void *data, uint64_t size);

/* How often something was found, and the byte where it was first. */
typedef struct tally {
    uint64_t count;
    const uint8_t *first;
} tally;

static inline void tally_note(tally *t, bool wrong, const uint8_t *at)
{
    if (wrong && t->count++ == 0)
        t->first = at;
}

/* Reports what was found, if anything, at its first byte: as a field, a row or a column. */
void st_report(context *c, diag_code code, place_kind kind, const tally *t, const char *says);

/* Reports every circle in a list of parents once. */
enum { NO_PARENT = -1 };
typedef diag_place (*place_of_item)(const void *list, uint64_t index);
void st_check_cycles(context *c, const int64_t *parent, uint64_t count, place_of_item place_of, const void *list);

#endif
