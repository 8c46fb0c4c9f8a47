/* What adapting a raw struct to another dialect shares between formats: saying what is lost, and what does not fit at all. */
#ifndef ST_ADAPT_H
#define ST_ADAPT_H

#include "check.h"

typedef struct adapter {
    checker *checker;
    const char *name; /* of the target dialect */
    bool fits;        /* so far */
} adapter;

/* Nothing will be written: something cannot be held at all. */
void st_adapt_refuse(adapter *a, uint64_t offset, const char *path, const char *why);

/* So many of something are dropped, if any, because the target "has no ...". */
void st_adapt_lose(adapter *a, diag_code code, uint64_t count, const char *path, const char *what);

/* Zeroed memory, and a copy of a list; without memory nothing fits. */
void *st_adapt_bytes(adapter *a, uint64_t size);
void *st_adapt_copy(adapter *a, const void *items, uint64_t count, size_t item_size);

#endif
