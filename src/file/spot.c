#define _GNU_SOURCE /* O_PATH, where there is one */

#include "spot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

enum { OPEN_FOLDER = O_PATH | O_DIRECTORY | O_CLOEXEC, MOST_LINKS = 40 };

size_t st_length_of_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash + 1 - path) : 0;
}

/* The room is for the text, which the system wants to end with a NUL. */
static int open_folder(char room[PATH_MAX], const char *path, size_t length)
{
    if (length >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(room, path, length);
    room[length] = 0;
    return open(length ? room : ".", OPEN_FOLDER);
}

/* ---- Without being led out ---- */

/* Takes ".", ".." and empty parts out of a path. False if nothing is left of it, or ".." leads above where it starts. */
static bool simplify(char *path)
{
    char *to = path;
    for (const char *part = path, *next; *part; part = next) {
        size_t length = strcspn(part, "/");
        next = part + length + (part[length] == '/');
        bool last = !part[length];
        if (length == 2 && memcmp(part, "..", 2) == 0) {
            if (to == path)
                return false;
            for (to--; to > path && to[-1] != '/';)
                to--;
        } else if (length && !(length == 1 && *part == '.')) {
            memmove(to, part, length);
            to += length;
            if (!last)
                *to++ = '/';
        }
    }
    *to = 0;
    return to > path;
}

/* Puts what a link says in the place of the link. None of the parts before is a link, so that ".." is what it seems. */
static int follow(spot *s, size_t before, size_t length, const char *target)
{
    char joined[PATH_MAX];
    if (*target == '/')
        return EXDEV;
    int size = snprintf(joined, sizeof joined, "%.*s%s%s", (int)before, s->path, target, s->path + before + length);
    if (size >= PATH_MAX)
        return ENAMETOOLONG;
    memcpy(s->path, joined, (size_t)size + 1);
    return simplify(s->path) ? ELOOP : EXDEV;
}

/* From folder to folder. A link is not followed but read: then the path is where it leads, and the walk begins again. Returns 0
 * when the folder of the last part is open, ELOOP after a link, or another errno. */
static int walk_down(spot *s)
{
    char target[PATH_MAX];
    for (char *part = s->path;;) {
        size_t length = strcspn(part, "/");
        char end = part[length];
        part[length] = 0;
        s->name = part;
        ssize_t size = readlinkat(s->folder, part, target, sizeof target - 1);
        int below = size < 0 && end ? openat(s->folder, part, OPEN_FOLDER | O_NOFOLLOW) : -1;
        int error = errno;
        part[length] = end;
        if (size >= 0) {
            target[size] = 0;
            return follow(s, (size_t)(part - s->path), length, target);
        }
        if (!end)
            return 0;
        if (below < 0)
            return error;
        close(s->folder);
        s->folder = below;
        part += length + 1;
    }
}

static int find_inside(spot *s, const address *where)
{
    char root[PATH_MAX];
    size_t size = strlen(where->path + where->root) + 1;
    if (size > sizeof s->path)
        return ENAMETOOLONG;
    memcpy(s->path, where->path + where->root, size);
    int error = simplify(s->path) ? ELOOP : EXDEV;
    for (unsigned links = 0; links <= MOST_LINKS && error == ELOOP; links++) {
        s->folder = open_folder(root, where->path, where->root);
        if (s->folder < 0)
            return errno;
        error = walk_down(s);
        if (error)
            close(s->folder);
    }
    return error;
}

int st_spot_find(spot *s, const address *where)
{
    s->follow = where->outside ? 0 : O_NOFOLLOW;
    if (!where->outside)
        return find_inside(s, where);
    size_t folder = st_length_of_folder(where->path);
    s->name = where->path + folder;
    s->folder = open_folder(s->path, where->path, folder);
    return s->folder < 0 ? errno : 0;
}

void st_spot_leave(spot *s)
{
    close(s->folder);
    s->folder = -1;
}

int st_spot_open_file(const address *where)
{
    spot s;
    struct stat status;
    if (st_spot_find(&s, where) != 0)
        return -1;
    /* a pipe could make us wait for ever */
    int fd = openat(s.folder, s.name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | s.follow);
    st_spot_leave(&s);
    if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(fd);
        fd = -1;
    }
    return fd;
}
