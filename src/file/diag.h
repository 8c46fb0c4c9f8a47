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

/* How a place is known. Most are keys, for what is on disk has its name and place in the walk only: one walk turns all keys of
 * a phase into offsets and paths, see locate.h. */
typedef enum place_kind {
    PLACE_GIVEN,
    PLACE_MEMBER, /* the address of a member of a raw struct */
    PLACE_ITEM,   /* that of an item of a list, which is also that of its first member */
    PLACE_BYTE,   /* a byte of the file, in the field that has it */
    PLACE_ROW,    /* the same, in a row of the field */
    PLACE_COLUMN, /* and in a column of the row */
    PLACE_COLUMNS /* the same, of all rows */
} place_kind;

/* A place in the file: where, and how often the finding occurred in all. */
typedef struct diag_place {
    place_kind kind;
    uint64_t count;
    const void *key;
    uint64_t offset;
    const char *path; /* copied when it is listed */
} diag_place;

static inline diag_place at_offset(uint64_t offset, uint64_t count, const char *path)
{
    return (diag_place){PLACE_GIVEN, count, NULL, offset, path};
}

static inline diag_place at_path(const char *path, uint64_t count)
{
    return at_offset(STELE_NOWHERE, count, path);
}

static inline diag_place at_key(place_kind kind, const void *key, uint64_t count)
{
    return (diag_place){kind, count, key, STELE_NOWHERE, ""};
}

/* &mesh->material, &file->mesh (the whole list), and &file->mesh[2] */
static inline diag_place at_member(const void *member)
{
    return at_key(PLACE_MEMBER, member, 1);
}

static inline diag_place at_item(const void *item)
{
    return at_key(PLACE_ITEM, item, 1);
}

/* A byte of the file as name, bone[3], vertices[17].normal and vertices.normal. An empty field has none: say the member. */
static inline diag_place at_byte(const void *byte)
{
    return at_key(PLACE_BYTE, byte, 1);
}

static inline diag_place at_row(const void *byte, uint64_t count)
{
    return at_key(PLACE_ROW, byte, count);
}

static inline diag_place at_column(const void *byte, uint64_t count)
{
    return at_key(PLACE_COLUMN, byte, count);
}

static inline diag_place at_columns(const void *byte, uint64_t count)
{
    return at_key(PLACE_COLUMNS, byte, count);
}

static inline diag_place counted(uint64_t count, diag_place place)
{
    place.count = count;
    return place;
}

/* An entry of some list whose place is not known yet, and all of them. */
typedef struct open_place {
    place_kind kind;
    uint32_t entry;
    const void *key;
} open_place;

typedef struct open_places {
    open_place *items;
    size_t count, capacity;
} open_places;

/* Without memory the place stays unknown. */
void st_open_place(open_places *open, arena *a, const diag_place *place, uint32_t entry);

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
    open_places open;
} diags;

/* False if a rule names an unknown id; *unknown then points to it. */
bool st_diags_init(diags *d, arena *a, const stele_rule *rules, size_t rule_count, const char **unknown);

void st_diag(diags *d, diag_code code, diag_place place, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* True if another finding of this kind would only be counted, so that nobody will see its path. */
bool st_diag_unseen(const diags *d, diag_code code);

/* The place of an entry is found. */
void st_diag_found(void *diags, uint32_t entry, uint64_t offset, const char *path);

/* No place is open any more. Builds for development stop if one is: a key that no walk passes is a mistake of ours,
 * unless a test changes the bytes between the two. */
void st_diags_settle(diags *d);
#ifdef STELE_SELF_CHECKS
extern bool st_bytes_change;
#endif

/* Forgets all entries from this one on. */
void st_diags_rewind(diags *d, size_t count);

/* An empty list with the same rules. */
diags st_diags_alike(const diags *d);

/* Adds those findings that are not listed yet, in the same place. */
void st_diags_add_new(diags *d, const diags *found);

/* What could not be read is lost when the file becomes another, and what was repaired is another; both are only worth a note
 * when every byte of it is kept. */
void st_diags_loading_counts(diags *d, bool counts);

/* The first entry of at least this severity, or NULL. */
const stele_diagnostic *st_diags_worst(const diags *d, stele_severity least);

#endif
