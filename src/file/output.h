/* A file that appears under its name only when it is complete, so that no half file is ever seen. */
#ifndef ST_OUTPUT_H
#define ST_OUTPUT_H

#include "base/arena.h"
#include "spot.h"
#include "stele.h"

typedef struct output {
    arena *arena;
    address where;
    const char *temporary; /* its name until it is complete; NULL: what is written to is no file that could be replaced */
    const char *kept;      /* the name of what it replaced, until all goes well */
    uint32_t mode;         /* to be given when it is complete; NO_MODE: it has it already */
    int fd;
    int error; /* the first failure, sticky */
    bool overwrite, sync;
    bool is_new; /* committed, and nothing had its name before */
} output;

/* Those that return an int return 0 or an errno. */
int st_output_open(output *o, const address *where, bool overwrite, bool sync, arena *a);

/* Writes some of it and returns how much; 0 without an error if a signal came first. */
size_t st_output_write(output *o, const void *data, size_t size);

/* All is written: the descriptor is given back, for a model may come with more files than a program may have open. */
int st_output_finish(output *o);

/* Gives the file its name, or removes every trace of it. What it replaces is kept, if it can be (a file system without hard
 * links cannot) and somebody may want it back. */
int st_output_commit(output *o, bool keep);
void st_output_undo(output *o);   /* after a commit: as it was before */
void st_output_settle(output *o); /* after a commit: that will not be asked for any more */
void st_output_abandon(output *o);

/* Removes what processes that are gone have left in a folder. Returns how many files. */
size_t st_output_sweep(const char *folder);

#endif
