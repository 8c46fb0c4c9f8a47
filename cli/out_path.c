#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

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

bool make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made)
            return false;
    }
    return true;
}

bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}
