/* Diagnostics: one list per handle, each entry with its id, place and words. */
#ifndef ST_DIAG_H
#define ST_DIAG_H

#include "base/arena.h"
#include "diag_list.h"
#include "stele.h"

typedef enum diag_code {
#define X(name, id, severity, summary) DIAG_##name,
    DIAG_LIST(X)
#undef X
        DIAG_COUNT
} diag_code;

/* A place in the file: the offset of its first byte, its path, and how often the finding occurred in all. */
typedef struct diag_place {
    uint64_t offset;
    uint64_t count;
    const char *path; /* copied when it is listed */
} diag_place;

typedef struct diags {
    arena *arena;
    stele_diagnostic *items;
    size_t count, capacity;
    uint64_t losses; /* how many were reported, listed or not */
    uint64_t errors; /* the same, whatever a rule makes of them; not those that only a target engine has */
    bool unpacked;   /* offsets are now those of unpacked content */
    uint8_t severity[DIAG_COUNT];
    uint8_t listed[DIAG_COUNT]; /* how many entries an id has */
    uint32_t last[DIAG_COUNT];  /* and the index of its last one */
} diags;

/* False if a rule names an unknown id; *unknown then points to it. */
bool st_diags_init(diags *d, arena *a, const stele_rule *rules, size_t rule_count, const char **unknown);

void st_diag(diags *d, diag_code code, diag_place place, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* True if another finding of this kind would only be counted, so that nobody will see its path. */
bool st_diag_unseen(const diags *d, diag_code code);

/* Forgets all entries from this one on. */
void st_diags_rewind(diags *d, size_t count);

/* The first entry of at least this severity, or NULL. */
const stele_diagnostic *st_diags_worst(const diags *d, stele_severity least);

#endif
