/* All that Stele makes of a file, as a list of hashes: to be compared from machine to machine. */
#ifndef SWEEP_H
#define SWEEP_H

#include <stdio.h>

/* Prints a line for each thing that can be done with the file: SHA-256, what it is, the path. */
void sweep_file(const char *path, FILE *out);

/* A stream into memory, and what went into it, to be freed: whoever calls has them. */
FILE *sweep_memory(void);
char *sweep_memory_end(FILE *file, size_t *size);

#endif
