/* Which files a page needs: the models, and what the library found beside them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "system/files.h"
#include "view.h"

static char *joined(const char *a, size_t length, const char *b)
{
    char *text = or_die(malloc(length + strlen(b) + 1));
    memcpy(text, a, length);
    strcpy(text + length, b);
    return text;
}

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash + 1 - path) : 0;
}

/* Once, however often it is named. The page goes by names: what was imported has that of the GLB that it becomes. */
static void add(shown_files *files, const char *model, size_t number, bool several, const char *name, bool imported)
{
    char prefix[32] = "";
    if (several)
        snprintf(prefix, sizeof prefix, "%zu/", number);
    char *path = joined(model, folder_length(model), name), *ending = joined(name, strlen(name), imported ? ".glb" : "");
    char *shown = joined(prefix, strlen(prefix), ending);
    free(ending);
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->items[i].name, shown) == 0) {
            free(path);
            free(shown);
            return;
        }
    if (files->count == files->capacity) {
        files->capacity = files->capacity ? 2 * files->capacity : 16;
        files->items = or_die(realloc(files->items, files->capacity * sizeof *files->items));
    }
    files->items[files->count++] = (shown_file){path, shown, imported};
}

static void add_beside(shown_files *files, stele_file *file, const char *path, size_t number, bool several)
{
    const stele_info *info = stele_file_info(file);
    const stele_model *model = stele_file_model(file);
    for (size_t i = 0; info && i < info->companion_count; i++)
        if (info->companions[i].found)
            add(files, path, number, several, info->companions[i].name, false);
    for (size_t i = 0; model && i < model->texture_count; i++)
        if (model->textures[i].file)
            add(files, path, number, several, model->textures[i].file, false);
}

int view_ends(const settings *s, const char *path, stele_status status, const char *error)
{
    job j = {.settings = s, .path = path, .out = stdout, .err = stderr};
    json out;
    job_ends(&j, status);
    if (error)
        snprintf(j.error, sizeof j.error, "%s%s", error, hint_for(status));
    if (error && !s->json)
        complain(stderr, "%s%s%s", path ? path : "", path ? ": " : "", j.error);
    if (s->json) {
        json_begin_job(&out, &j);
        if (s->output)
            json_string(&out, "output", error ? NULL : s->output);
        json_end_job(&out, &j, NULL);
    }
    return j.exit_code;
}

stele_file *open_shown(job *j, const stele_options *options)
{
    stele_file *file = stele_open(j->path, options);
    return is_to_be_imported(j, options, file) ? import_file(j, options, file) : file;
}

void close_shown(job *j, stele_file *file)
{
    stele_close(file);
    free_imported(j);
}

/* A damaged file is shown too: that is when one wants to see its bytes. */
static int find_model(const settings *s, const char *path, size_t number, bool several, shown_files *files)
{
    job j = {.settings = s, .path = path};
    stele_options options = opening_options(s);
    options.load.allow_outside = false; /* the page has names in one folder only */
    stele_file *file = open_shown(&j, &options);
    stele_status status = stele_open_status(file);
    int code = EXIT_FINE;
    if (status == STELE_IO || status == STELE_NO_MEMORY || status == STELE_TOO_MUCH_WORK || status == STELE_CANCELLED) {
        code = view_ends(s, path, status, stele_open_message(file));
    } else {
        add(files, path, number, several, path + folder_length(path), imported_from(&j));
        add_beside(files, file, path, number, several);
    }
    close_shown(&j, file);
    return code;
}

int find_shown(const settings *s, char **operands, size_t count, shown_files *files)
{
    int code = EXIT_FINE;
    for (size_t i = 0; i < count && code == EXIT_FINE; i++)
        code = find_model(s, operands[i], i, count > 1, files);
    return code;
}

void free_shown(shown_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->items[i].path);
        free(files->items[i].name);
    }
    free(files->items);
}

static char *imported_bytes(const settings *s, const char *path, size_t *size)
{
    job j = {.settings = s, .path = path};
    stele_options options = opening_options(s);
    options.check = STELE_CHECK_STRUCTURE;
    stele_file *file = open_shown(&j, &options);
    uint64_t bytes;
    const void *data = stele_file_bytes(file, &bytes);
    char *copy = imported_from(&j) ? malloc((size_t)bytes + 1) : NULL;
    if (copy)
        memcpy(copy, data, *size = (size_t)bytes);
    close_shown(&j, file);
    return copy;
}

/* Anybody can make files of holes of any size: there is nothing to see in them. */
static bool is_worth_reading(int fd, const file_status *status)
{
    static const uint64_t most_holes = 1 << 20;
    return status->kind == FILE_REGULAR && status->size < SIZE_MAX &&
           status->size - st_fd_stored(fd, status->size) <= most_holes;
}

static char *bytes_of_file(const char *path, size_t *size)
{
    file_status status;
    int fd = st_fd_open(path);
    if (fd < 0)
        return NULL;
    int error = st_fd_status(fd, &status);
    char *bytes = !error && is_worth_reading(fd, &status) ? malloc((size_t)status.size + 1) : NULL;
    for (*size = 0; bytes && *size < status.size;) {
        size_t got = st_fd_read(fd, bytes + *size, (size_t)status.size - *size);
        if (!got || got == SIZE_MAX)
            break; /* it has become shorter: what there is */
        *size += got;
    }
    errno = error ? error : errno;
    st_fd_close(fd);
    return bytes;
}

char *bytes_of_shown(const settings *s, const shown_file *file, size_t *size)
{
    return file->imported ? imported_bytes(s, file->path, size) : bytes_of_file(file->path, size);
}
