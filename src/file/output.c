#define _GNU_SOURCE /* renameat2, where there is one */

#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A number that outputs which are open at the same time do not share, so that the first name is nearly always free. */
static uint32_t number_of(const output *o)
{
    return (uint32_t)((uintptr_t)o / sizeof(void *)) * 2654435761u;
}

/* A name in the folder of path that does not exist yet. It needs to be unused, not unpredictable: O_EXCL decides. */
static int create_temporary(output *o, mode_t mode)
{
    const char *slash = strrchr(o->path, '/');
    int folder = slash ? (int)(slash + 1 - o->path) : 0;
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        o->temporary =
            st_arena_format(o->arena, "%.*s.stele-%ld-%u.tmp", folder, o->path, (long)getpid(), number_of(o) + attempt);
        if (o->arena->failed)
            return ENOMEM;
        o->fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (o->fd >= 0)
            return 0;
        if (errno != EEXIST)
            return errno;
    }
    return EEXIST;
}

/* A link is followed, so that the file it points to is replaced and the link stays. */
static int resolve_link(output *o)
{
    char resolved[PATH_MAX];
    struct stat status;
    if (lstat(o->path, &status) != 0 || !S_ISLNK(status.st_mode))
        return 0;
    if (!realpath(o->path, resolved))
        return errno;
    o->path = st_arena_text(o->arena, resolved, strlen(resolved));
    return *o->path ? 0 : ENOMEM;
}

int st_output_open(output *o, const char *path, bool overwrite, bool sync, arena *a)
{
    struct stat status;
    *o = (output){.arena = a, .path = path, .fd = -1, .overwrite = overwrite, .sync = sync};
    int error = resolve_link(o);
    if (error)
        return o->error = error;
    bool exists = stat(o->path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
        return o->error = EISDIR;
    if (exists && !overwrite)
        return o->error = EEXIST;
    if (exists && !S_ISREG(status.st_mode)) {
        /* a device or a pipe is written to, not replaced */
        o->fd = open(o->path, O_WRONLY | O_CLOEXEC);
        return o->error = o->fd < 0 ? errno : 0;
    }
    o->error = create_temporary(o, 0666);
    if (!o->error && exists)
        (void)fchmod(o->fd, status.st_mode & 07777);
    return o->error;
}

/* A write that meets a page which is not mapped yet starts over in small steps: touch the pages of the next step first. */
static void touch(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i += 4096)
        (void)*(const volatile uint8_t *)(data + i);
    (void)*(const volatile uint8_t *)(data + size - 1);
}

enum { WRITE_STEP = 1 << 18 };

size_t st_output_write(output *o, const void *data, size_t size)
{
    size_t step = size < WRITE_STEP ? size : WRITE_STEP;
    touch(data, step);
    ssize_t n = write(o->fd, data, step);
    if (n < 0 && errno != EINTR)
        o->error = errno;
    return n < 0 ? 0 : (size_t)n;
}

/* Without overwrite the name must still be free at the very moment it is taken. */
static int take_name(output *o)
{
    struct stat status;
    o->is_new = !o->overwrite || stat(o->path, &status) != 0;
    if (o->overwrite)
        return rename(o->temporary, o->path) ? errno : 0;
#ifdef RENAME_NOREPLACE
    if (renameat2(AT_FDCWD, o->temporary, AT_FDCWD, o->path, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return errno;
#endif
    if (link(o->temporary, o->path) == 0) {
        unlink(o->temporary);
        return 0;
    }
    return errno;
}

int st_output_finish(output *o)
{
    if (!o->error && o->sync && o->temporary && o->fd >= 0 && fsync(o->fd) != 0)
        o->error = errno;
    if (o->fd >= 0 && close(o->fd) != 0 && !o->error)
        o->error = errno;
    o->fd = -1;
    return o->error;
}

int st_output_commit(output *o)
{
    st_output_finish(o);
    if (!o->error && o->temporary)
        o->error = take_name(o);
    if (o->error) {
        o->is_new = false;
        st_output_abandon(o);
    }
    o->temporary = NULL;
    return o->error;
}

void st_output_undo(output *o)
{
    if (o->is_new)
        unlink(o->path);
    o->is_new = false;
}

void st_output_abandon(output *o)
{
    if (o->fd >= 0)
        close(o->fd);
    if (o->temporary)
        unlink(o->temporary);
    o->fd = -1;
    o->temporary = NULL;
}
