/* Walls around a process that reads what nobody has checked yet. It opens what it needs, calls sandbox_enter, and from then on,
 * for good, can read files below one folder, write to the descriptors it was left with, compute, and end: nothing else. */
#ifndef SANDBOX_H
#define SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

/* How far the kernel let us go. */
typedef enum sandbox_walls {
    SANDBOX_NONE,    /* there are no walls: do not go on */
    SANDBOX_CLOSED,  /* no file can be opened any more: without Landlock the kernel cannot tell one folder from another */
    SANDBOX_READING, /* files can be opened for reading, wherever they are */
    SANDBOX_FOLDER   /* files below the folder can be opened for reading */
} sandbox_walls;

typedef struct sandbox {
    int folder; /* a descriptor of the folder whose files may be read, or -1: none */
    bool
        or_anywhere; /* all files may be read if the kernel cannot tell folders: then what is read stays inside, all the same */
    bool threads;    /* may be started */
    const int *writing; /* descriptors that may be written to */
    unsigned writing_count;
    uint64_t memory;  /* most bytes of address space; 0: as it is */
    unsigned seconds; /* most time, of the processor and of the clock; 0: as it is */
} sandbox;

enum { SANDBOX_MOST_WRITING = 8 };

/* A forbidden call ends the process with SIGSYS; those that libraries try and can do without fail with EACCES. */
sandbox_walls sandbox_enter(const sandbox *s);

#endif
