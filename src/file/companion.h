/* Files that a model refers to by name, found through one callback: beside the model, or in memory. */
#ifndef ST_COMPANION_H
#define ST_COMPANION_H

#include "base/arena.h"
#include "stele.h"
#include "walk.h"

enum { COMPANION_LISTS = 256 };
typedef struct companion_map companion_map;

/* A file beside the model that was opened. */
typedef struct companion_bytes {
    struct companion_bytes *next;
    const char *name;
    const uint8_t *data;
    size_t size;
} companion_bytes;

typedef struct companions {
    arena *arena;
    const char *folder; /* with its final slash, or "" for the current one; NULL if there is no folder */
    stele_lookup lookup;
    void *user;
    bool read;                             /* do not map */
    bool outside;                          /* names may lead out of the folder */
    unsigned left;                         /* how often a call still looks: no real file names thousands of others */
    companion_map *maps[COMPANION_LISTS];  /* what was found, by a hash of its path */
    size_t taken;                          /* how many these are */
    companion_map *files[COMPANION_LISTS]; /* and by what file it is */
    companion_map *opening;                /* what is looked for */
    companion_bytes *opened;
} companions;

/* Looks in options->lookup, or else in the folder of path or options->beside (NULL: nowhere). */
void st_companions_init(companions *c, arena *a, const char *path, const stele_options *options);
void st_companions_free(companions *c);

/* A call begins, which may look as often as any other. */
void st_companions_begin(companions *c);

/* True if one of the files that were opened is no longer what it was. */
bool st_companions_changed(const companions *c);

/* False if there is nowhere to look, or we have looked too often, so that a missing file means nothing. */
bool st_companions_any(const companions *c);

bool st_companion_find(companions *c, const char *name, const void **data, size_t *size);

/* The name under which a file that was found has been opened first: links are names of the same. */
const char *st_companion_first_name(companions *c, const char *name);

/* The opened file that has a byte, or NULL. */
const companion_bytes *st_companion_with(const companions *c, const void *byte);

/* True if a name, taken as a path, stays in the folder of the model; and if it is followed, because it does or need not. */
bool st_companion_stays(const char *name);
bool st_companion_allowed(const companions *c, const char *name);

/* Whether a file beside the output can have this name: on every system, and in every text that mentions it. */
bool st_companion_can_be(const char *name);

/* True if a file may be written under a name that came from a file: it stays in the folder, and no part of it is hidden or has
 * control characters. */
bool st_companion_plain(const char *name);

/* A name as a path of ours: with slashes only, and without parts that lead nowhere: ".\\maps//a.png" is "maps/a.png". */
const char *st_companion_path(arena *a, const char *name);

/* The file that a texture's name stands for: itself, or for "x.*" the first that exists of the usual types. NULL if none. */
const char *st_companion_texture(companions *c, const char *name);

/* A string of the file up to its NUL, as a C string. */
const char *st_text_string(arena *a, const text *string);

#endif
