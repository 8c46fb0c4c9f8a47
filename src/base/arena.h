/* What one handle may cost. Memory: many small allocations, one free, a limit, and marks to go back to. And work: everything
 * that takes time out of proportion to the bytes that are read is counted before it is done, with a limit too. */
#ifndef ST_ARENA_H
#define ST_ARENA_H

#include <stdarg.h>

#include "stele.h"

typedef struct arena_block arena_block;

typedef enum refusal { REFUSED_MEMORY, REFUSED_WORK, REFUSED_BY_CALLER } refusal;

typedef struct arena {
    stele_allocator allocator;
    uint64_t limit; /* of memory */
    uint64_t used;  /* bytes held from the allocator */
    arena_block *newest;
    bool separate;  /* every allocation its own block */
    bool failed;    /* sticky: memory or work was refused; nothing is given any more if it was work */
    refusal reason; /* if failed */

    uint64_t work_limit, work; /* in units, of about a nanosecond */
    uint64_t pause;            /* when the caller is asked next, or the limit is reached */
    uint64_t input, output;    /* bytes that limits are in proportion to: what was read, and what the caller wants to have */
    bool images;               /* are kept for pictures */
    bool usual_limit, usual_work_limit; /* they are in proportion */
    stele_progress progress;            /* NULL: nobody to ask */
    void *progress_user;
    char complaint[128]; /* what is said when something was refused */
} arena;

typedef struct arena_mark {
    arena_block *block;
    size_t fill;
} arena_mark;

void st_arena_init(arena *a, const stele_options *options);

/* The same, and zeroed memory for who is asked why all else was refused: that takes no work. NULL without memory. */
void *st_arena_begin(arena *a, const stele_options *options, size_t size);
void st_arena_free(arena *a);

/* Bytes were read that limits are in proportion to; and a picture of so many bytes is wanted, until the work begins again. */
void st_arena_input(arena *a, uint64_t bytes);
void st_arena_output(arena *a, uint64_t bytes);

/* Begins to work, after so much that has been done before. */
void st_work_begin(arena *a, uint64_t done);

/* Before so many things are done, that cost so many units each: false if that is too much, or the caller has said to stop. Then
 * no memory is given any more either, so that everything ends as it does without memory. On the thread of the caller only. */
bool st_work(arena *a, uint64_t count, uint64_t units);
uint64_t st_work_left(const arena *a);

/* Zeroed memory, aligned for anything; NULL if refused, and then a->failed is set. Size 0 gives a valid pointer. */
void *st_arena_alloc(arena *a, uint64_t size);

/* The same for an array; a size that no 64 bits hold is refused. Counts from files go through this, for size_t may be small. */
void *st_arena_array(arena *a, uint64_t count, size_t item_size);

/* A list with room for one more, which has moved if there was none; NULL without memory. */
void *st_arena_grown(arena *a, void *items, size_t count, size_t *capacity, size_t item_size);

/* Uninitialised memory for bytes that are overwritten at once. */
void *st_arena_bytes(arena *a, uint64_t size);

/* How much there is left; the allocator may have less. */
uint64_t st_arena_left(const arena *a);

/* Everything allocated after the mark is gone after the rewind. */
arena_mark st_arena_mark(const arena *a);
void st_arena_rewind(arena *a, arena_mark mark);

/* NUL-terminated copies; "" when there is no memory, so that messages never need a check. */
const char *st_arena_text(arena *a, const char *data, uint64_t size);
const char *st_arena_format(arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *st_arena_vformat(arena *a, const char *format, va_list args);

#endif
