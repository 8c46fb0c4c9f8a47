/* The bytes of files: mapped, read, or in memory already. */
#ifndef ST_SOURCE_H
#define ST_SOURCE_H

#include "base/arena.h"
#include "stele.h"

typedef struct source {
    const uint8_t *data;
    uint64_t size;
    const void *map;  /* to unmap, or NULL */
    bool own;         /* the bytes were read: nobody else can change them */
    const char *path; /* of a regular file, to see whether it changed; NULL otherwise */
    uint64_t device, inode;
    int64_t modified[2];
} source;

/* All of these return 0 or an errno. */
int st_source_open(source *s, const char *path, bool read, arena *a);
int st_source_take(source *s, int fd, const char *path, bool read, arena *a); /* a descriptor, which is closed */
int st_source_read(source *s, stele_read read, void *user, arena *a);
void st_source_memory(source *s, const void *data, size_t size);
void st_source_close(source *s);
bool st_source_changed(const source *s);

bool st_file_exists(const char *path);
bool st_file_has_size(const char *path, uint64_t size); /* a regular file of that size */

const char *st_error_text(int error, arena *a);

#endif
