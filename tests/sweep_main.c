/* sweep < LIST: the hashes of all that Stele makes of the files in the list, a path a line. What it writes on the way goes into
 * the current folder, and away again. */
#include <stdio.h>
#include <string.h>

#include "sweep.h"
#include "system/process.h"

static memory_stream memory;

FILE *sweep_memory(void)
{
    return st_memory_open(&memory) ? memory.file : NULL;
}

char *sweep_memory_end(FILE *file, size_t *size)
{
    (void)file;
    (void)st_memory_close(&memory);
    *size = memory.size;
    return memory.data;
}

int main(int argc, char **argv)
{
    char path[4096];
    st_process_begin(&argc, &argv);
    while (fgets(path, sizeof path, stdin)) {
        path[strcspn(path, "\r\n")] = 0;
        sweep_file(path, stdout);
    }
    return fflush(stdout) != 0;
}
