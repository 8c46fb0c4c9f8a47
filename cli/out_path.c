#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "system/files.h"

char *path_in_folder(const char *folder, const char *below, const char *extensions)
{
    size_t extension = extensions ? strcspn(extensions, " ") : 0, stem = strlen(below);
    const char *dot = strrchr(below, '.'), *slash = strrchr(below, '/');
    if (extension && dot && (!slash || dot > slash))
        stem = (size_t)(dot - below);
    size_t size = strlen(folder) + strlen(below) + extension + 3;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%.*s%s%.*s", folder, (int)stem, below, extension ? "." : "", (int)extension,
                 extension ? extensions : "");
    return path;
}

void plain_slashes(char *path)
{
    for (char *c = path; c && st_second_slash() && *c; c++)
        *c = *c == st_second_slash() ? '/' : *c;
}

bool make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        int error = st_path_make_folder(path);
        *slash = '/';
        if (error && error != EEXIST) {
            errno = error;
            return false;
        }
    }
    return true;
}

bool is_folder(const char *path)
{
    file_status status;
    return st_path_status(path, true, &status) == 0 && status.kind == FILE_FOLDER;
}

/* Once a folder and not once a file: looking through it takes longer the more files are in it. */
static struct swept {
    struct swept *next;
    char folder[];
} * swept;

static bool is_first(const char *folder)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    size_t size = strlen(folder) + 1;
    pthread_mutex_lock(&mutex);
    struct swept *s = swept;
    while (s && strcmp(s->folder, folder) != 0)
        s = s->next;
    bool first = !s;
    if (first && (s = malloc(sizeof *s + size))) {
        memcpy(s->folder, folder, size);
        s->next = swept;
        swept = s;
    }
    pthread_mutex_unlock(&mutex);
    return first;
}

void sweep_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = strdup(path);
    if (!folder)
        return;
    folder[slash ? slash + 1 - path : 0] = 0;
    if (is_first(folder))
        stele_sweep(slash ? folder : ".");
    free(folder);
}
