/* A file that appears under its name only when it is complete, so that no half file is ever seen. */
#ifndef ST_OUTPUT_H
#define ST_OUTPUT_H

#include "base/arena.h"
#include "stele.h"

typedef struct output {
    arena *arena;
    const char *path, *temporary;
    int fd;
    int error; /* the first failure, sticky */
    bool overwrite, sync;
    bool is_new; /* committed, and nothing had its name before */
} output;

/* Those that return an int return 0 or an errno. */
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
