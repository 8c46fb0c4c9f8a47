/* What a file was read with: for those who make things again when these change. */
#include <stdlib.h>
#include <string.h>

#include "file/spot.h"
#include "handle.h"

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *path_of(stele_file *file, const char *name)
{
    bool absolute = st_path_is_absolute(name);
    return st_arena_format(&file->arena, "%s%s", absolute ? "" : file->companions.folder,
                           st_companion_path(&file->arena, name));
}

static size_t without_repetitions(const char **paths, size_t count)
{
    size_t kept = 0;
    qsort(paths, count, sizeof *paths, compare);
    for (size_t i = 0; i < count; i++)
        if (!kept || strcmp(paths[kept - 1], paths[i]) != 0)
            paths[kept++] = paths[i];
    return kept;
}

static bool make_inputs(stele_file *file)
{
    const companion_bytes *opened = file->companions.opened;
    size_t most = file->model ? file->model->texture_count : 0, found = 0;
    for (const companion_bytes *b = opened; b; b = b->next)
        most++;
    arena_mark mark = st_arena_mark(&file->arena);
    const char **paths = st_arena_array(&file->arena, most, sizeof *paths);
    for (const companion_bytes *b = opened; paths && b; b = b->next)
        paths[found++] = path_of(file, b->name);
    for (size_t i = 0; paths && file->model && i < file->model->texture_count; i++)
        if (file->model->textures[i].file)
            paths[found++] = path_of(file, file->model->textures[i].file);
    if (st_end(file) != STELE_OK) {
        st_arena_rewind(&file->arena, mark);
        return false;
    }
    file->inputs = paths;
    file->input_count = without_repetitions(paths, found);
    file->inputs_taken = file->companions.taken;
    return true;
}

const char *const *stele_file_inputs(stele_file *file, size_t *count)
{
    if (count)
        *count = 0;
    if (!st_begin(file) || !file->companions.folder)
        return NULL;
    bool made = file->inputs && file->inputs_taken == file->companions.taken;
    if (!made && !make_inputs(file))
        return NULL;
    if (count)
        *count = file->input_count;
    return (const char *const *)file->inputs;
}
