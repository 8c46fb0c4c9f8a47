/* What every phase of a file works with: checking, describing, adapting, loading, saving. And the words that they share for
 * what is lost, and for what does not fit at all. */
#ifndef ST_CONTEXT_H
#define ST_CONTEXT_H

#include "base/parallel.h"
#include "companion.h"
#include "diag.h"
#include "facts.h"
#include "walk.h"

typedef struct context {
    arena *arena;
    diags *diags;
    const uint8_t *data; /* of the whole file, to turn pointers into offsets */
    uint64_t size;
    bool own;                /* and nobody else can change it */
    companions *companions;  /* of the source */
    facts *facts;            /* what is known of bulk data */
    struct origins *origins; /* and where it came from, see origin.h; NULL if nobody wants to know */
    threads threads;
    bool full;            /* every finding, or only what safe use needs */
    const char *target;   /* NULL or an engine's name */
    const char *into;     /* what adapting or saving makes of it: a dialect, or a format in capitals, "SFF" */
    bool fits;            /* so far */
    struct loading *load; /* of a model, see model/load.h and save.h; NULL in other phases */
    struct saving *save;
} context;

/* Nothing will be written: something cannot be held at all. */
void st_refuse(context *c, diag_place at, const char *why);

/* So many of something are lost, if any: "SFF has no ...". And the same for what is dropped, with its number: "has no bones" is
 * "v0 has no bones: 42 dropped". */
void st_lose(context *c, diag_code code, uint64_t count, const char *path, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void st_drop(context *c, diag_code code, uint64_t count, diag_place at, const char *what);

/* A path in a buffer of the caller's, for what no walk finds: models, JSON, text. */
const char *st_path(char path[WALK_PATH], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Text is taken apart in a copy if somebody could change it meanwhile: of what is parsed, much is looked at twice. NULL without
 * memory. */
const uint8_t *st_settled_text(context *c, const span *text);

/* Zeroed memory for so many items, and a copy of a list; without memory nothing fits. */
void *st_need(context *c, uint64_t count, size_t item_size);
void *st_need_copy(context *c, const void *items, uint64_t count, size_t item_size);

#endif
