/* sweep.c for WebAssembly: files come in by put, and sweep returns its lines. */
#include <stdlib.h>

#include "sweep.h"
#include "system/memory.h"

static char *memory, *lines;
static size_t memory_size, lines_size;

FILE *sweep_memory(void)
{
    memory = NULL;
    return open_memstream(&memory, &memory_size);
}

char *sweep_memory_end(FILE *file, size_t *size)
{
    fclose(file);
    *size = memory_size;
    return memory;
}

__attribute__((export_name("allocate"))) void *sweep_allocate(size_t size)
{
    return malloc(size + 1);
}

/* Both were allocated so; the bytes are taken over. */
__attribute__((export_name("put"))) void sweep_put(char *name, void *data, size_t size)
{
    if (!st_memory_file_put(name, data, size))
        __builtin_trap();
    free(name);
}

__attribute__((export_name("sweep"))) const char *sweep_run(char *path)
{
    FILE *out = open_memstream(&lines, &lines_size);
    sweep_file(path, out);
    fclose(out);
    free(path);
    return lines;
}

__attribute__((export_name("length"))) size_t sweep_length(void)
{
    return lines_size;
}
