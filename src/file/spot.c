#include "spot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LINKS = 40 };

const char *st_plain_path(arena *a, const char *path)
{
    char other = st_second_slash();
    if (!path || !other || !strchr(path, other))
        return path;
    char *plain = (char *)st_arena_text(a, path, strlen(path));
    for (char *c = plain; *c; c++)
        *c = *c == other ? '/' : *c;
    return plain;
}

size_t st_length_of_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash + 1 - path) : 0;
}

/* The room is for the text, which the system wants to end with a NUL. */
static folder open_folder(char room[PATH_ROOM], const char *path, size_t length)
{
    if (length >= PATH_ROOM) {
        errno = ENAMETOOLONG;
        return NO_FOLDER;
    }
    memcpy(room, path, length);
    room[length] = 0;
    return st_folder_open(length ? room : ".");
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
    char joined[PATH_ROOM];
    if (*target == '/')
        return EXDEV;
    int size = snprintf(joined, sizeof joined, "%.*s%s%s", (int)before, s->path, target, s->path + before + length);
    if (size >= PATH_ROOM)
        return ENAMETOOLONG;
    memcpy(s->path, joined, (size_t)size + 1);
    return simplify(s->path) ? ELOOP : EXDEV;
}

/* From folder to folder. A link is not followed but read: then the path is where it leads, and the walk begins again. Returns 0
 * when the folder of the last part is open, ELOOP after a link, or another errno. */
static int walk_down(spot *s)
{
    char target[PATH_ROOM];
    for (char *part = s->path;;) {
        size_t length = strcspn(part, "/");
        char end = part[length];
        part[length] = 0;
        s->name = part;
        bool link = st_name_link(s->folder, part, target);
        folder below = !link && end ? st_folder_open_below(s->folder, part) : NO_FOLDER;
        int error = errno;
        part[length] = end;
        if (link)
            return follow(s, (size_t)(part - s->path), length, target);
        if (!end)
            return 0;
        if (below == NO_FOLDER)
            return error;
        st_folder_close(s->folder);
        s->folder = below;
        part += length + 1;
    }
}

static int find_inside(spot *s, const address *where)
{
    char root[PATH_ROOM];
    size_t size = strlen(where->path + where->root) + 1;
    if (size > sizeof s->path)
        return ENAMETOOLONG;
    memcpy(s->path, where->path + where->root, size);
    int error = simplify(s->path) ? ELOOP : EXDEV;
    for (unsigned links = 0; links <= MOST_LINKS && error == ELOOP; links++) {
        s->folder = open_folder(root, where->path, where->root);
        if (s->folder == NO_FOLDER)
            return errno;
        error = walk_down(s);
        if (error)
            st_folder_close(s->folder);
    }
    return error;
}

int st_spot_find(spot *s, const address *where)
{
    s->follow = where->outside;
    if (!where->outside)
        return find_inside(s, where);
    size_t length = st_length_of_folder(where->path);
    s->name = where->path + length;
    s->folder = open_folder(s->path, where->path, length);
    return s->folder == NO_FOLDER ? errno : 0;
}

void st_spot_leave(spot *s)
{
    st_folder_close(s->folder);
    s->folder = NO_FOLDER;
}

int st_spot_open_file(const address *where)
{
    spot s;
    file_status status;
    if (st_spot_find(&s, where) != 0)
        return -1;
    int fd = st_name_open(s.folder, s.name, s.follow);
    st_spot_leave(&s);
    if (fd >= 0 && (st_fd_status(fd, &status) != 0 || status.kind != FILE_REGULAR)) {
        st_fd_close(fd);
        fd = -1;
    }
    return fd;
}
