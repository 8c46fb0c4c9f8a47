/* A name in an open folder, found without being led out of where it should be. */
#ifndef ST_SPOT_H
#define ST_SPOT_H

#include "base/arena.h"
#include "system/files.h"

/* A path, of which so much (root) is a folder that the caller trusts. The rest may come from a file: no link in it leads out of
 * that folder, unless it may (outside). */
typedef struct address {
    const char *path;
    size_t root; /* with the slash at its end; 0: the current folder */
    bool outside;
} address;

/* It holds its text itself: what is half-written must go even when there is no memory left. */
typedef struct spot {
    folder folder; /* of the name */
    const char *name;
    bool follow; /* a link that has the name */
    char path[PATH_ROOM];
} spot;

/* Returns 0 or an errno: EXDEV if a link leads out. After 0 the spot is left again, sooner or later. */
int st_spot_find(spot *s, const address *where);
void st_spot_leave(spot *s);

/* Opens a regular file for reading: a descriptor, or -1. */
int st_spot_open_file(const address *where);

/* A path with '/' only, whatever else separates parts here; itself if it is so already, or NULL. */
const char *st_plain_path(arena *a, const char *path);

/* How much of a path is its folder, with the slash. */
size_t st_length_of_folder(const char *path);

#endif
