/* Memory of one handle: many small allocations, one free, a limit, and marks to go back to. */
#ifndef ST_ARENA_H
#define ST_ARENA_H

#include <stdarg.h>

#include "stele.h"

typedef struct arena_block arena_block;

typedef struct arena {
    stele_allocator allocator;
    uint64_t limit; /* 0: none */
    uint64_t used;  /* bytes held from the allocator */
    arena_block *newest;
    bool separate; /* every allocation its own block */
    bool failed;   /* sticky: some allocation was refused */
} arena;

typedef struct arena_mark {
    arena_block *block;
    size_t fill;
} arena_mark;

void st_arena_init(arena *a, const stele_options *options);
void st_arena_free(arena *a);

/* Zeroed memory, aligned for anything; NULL if refused, and then a->failed is set. Size 0 gives a valid pointer. */
void *st_arena_alloc(arena *a, uint64_t size);

/* The same for an array; a size that no 64 bits hold is refused. Counts from files go through this, for size_t may be small. */
void *st_arena_array(arena *a, uint64_t count, size_t item_size);

/* A list with room for one more, which has moved if there was none; NULL without memory. */
void *st_arena_grown(arena *a, void *items, size_t count, size_t *capacity, size_t item_size);

/* Uninitialised memory for bytes that are overwritten at once. */
void *st_arena_bytes(arena *a, uint64_t size);

/* Everything allocated after the mark is gone after the rewind. */
arena_mark st_arena_mark(const arena *a);
void st_arena_rewind(arena *a, arena_mark mark);

/* NUL-terminated copies; "" when there is no memory, so that messages never need a check. */
const char *st_arena_text(arena *a, const char *data, uint64_t size);
const char *st_arena_format(arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *st_arena_vformat(arena *a, const char *format, va_list args);

#endif
