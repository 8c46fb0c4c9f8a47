/* Files in memory, where there is no file system (files_memory.c): how they come in and out. */
#ifndef ST_MEMORY_H
#define ST_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Takes over bytes that came from malloc. False without memory, and then they stay the caller's. */
bool st_memory_file_put(const char *name, void *data, size_t size);

/* Hands them over, to be freed; NULL if there is no such file. */
void *st_memory_file_take(const char *name, size_t *size);

#endif
