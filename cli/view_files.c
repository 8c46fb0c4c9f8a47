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

/* Once, however often it is named. */
static void add(shown_files *files, const char *model, size_t number, bool several, const char *name)
{
    char prefix[32] = "";
    if (several)
        snprintf(prefix, sizeof prefix, "%zu/", number);
    char *path = joined(model, folder_length(model), name), *shown = joined(prefix, strlen(prefix), name);
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
    files->items[files->count++] = (shown_file){path, shown};
}

static void add_beside(shown_files *files, stele_file *file, const char *path, size_t number, bool several)
{
    const stele_info *info = stele_file_info(file);
    const stele_model *model = stele_file_model(file);
    for (size_t i = 0; info && i < info->companion_count; i++)
        if (info->companions[i].found)
            add(files, path, number, several, info->companions[i].name);
    for (size_t i = 0; model && i < model->texture_count; i++)
        if (model->textures[i].file)
            add(files, path, number, several, model->textures[i].file);
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

/* A damaged file is shown too: that is when one wants to see its bytes. */
static int find_model(const settings *s, const char *path, size_t number, bool several, shown_files *files)
{
    stele_options options = {.load = {.allow_outside = false}, .format = s->format};
    stele_file *file = stele_open(path, &options);
    stele_status status = stele_open_status(file);
    int code = EXIT_FINE;
    if (status == STELE_IO || status == STELE_NO_MEMORY) {
        code = view_ends(s, path, status, stele_open_message(file));
    } else {
        add(files, path, number, several, path + folder_length(path));
        add_beside(files, file, path, number, several);
    }
    stele_close(file);
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

char *bytes_of_file(const char *path, size_t *size)
{
    file_status status;
    int fd = st_fd_open(path);
    if (fd < 0)
        return NULL;
    int error = st_fd_status(fd, &status);
    char *bytes = error || status.kind != FILE_REGULAR || status.size > SIZE_MAX - 1 ? NULL : malloc((size_t)status.size + 1);
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
