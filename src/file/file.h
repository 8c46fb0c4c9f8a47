/* The bytes of files: mapping and reading them, and writing them so that no half file is ever seen. */
#ifndef ST_FILE_H
#define ST_FILE_H

#include "base/arena.h"
#include "stele.h"

typedef struct source {
    const uint8_t *data;
    uint64_t size;
    void *map;        /* to unmap, or NULL */
    const char *path; /* of a regular file, to see whether it changed; NULL otherwise */
    uint64_t device, inode;
    int64_t modified[2];
} source;

/* All of these return 0 or an errno. */
int st_source_open(source *s, const char *path, bool read, arena *a);
int st_source_read(source *s, stele_read read, void *user, arena *a);
void st_source_memory(source *s, const void *data, size_t size);
void st_source_close(source *s);
bool st_source_changed(const source *s);

bool st_file_exists(const char *path);
bool st_file_has_size(const char *path, uint64_t size); /* a regular file of that size */

/* A folder; one that is there already is fine, and then *made is false. */
int st_folder_make(const char *path, bool *made);
void st_folder_remove(const char *path); /* if it is empty */

const char *st_error_text(int error, arena *a);

/* A file that appears under its name only when it is complete. */
typedef struct output {
    arena *arena;
    const char *path, *temporary;
    int fd;
    int error; /* the first failure, sticky */
    bool overwrite, sync;
    bool is_new; /* committed, and nothing had its name before */
} output;

int st_output_open(output *o, const char *path, bool overwrite, bool sync, arena *a);

/* Writes some of it and returns how much; 0 without an error if a signal came first. */
size_t st_output_write(output *o, const void *data, size_t size);

/* All is written: the descriptor is given back, for a model may come with more files than a program may have open. */
int st_output_finish(output *o);

/* Gives the file its name, or removes every trace of it. */
int st_output_commit(output *o);
void st_output_undo(output *o); /* after a commit: removes it, unless it replaced another */
void st_output_abandon(output *o);

#endif
