#define _GNU_SOURCE /* renameat2, where there is one */

#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Below this, reading is cheaper than mapping, faulting and unmapping (measured: they cross near 32 KiB). */
enum { SMALL_FILE = 32 * 1024 };

/* ---- Reading ---- */

static void remember_identity(source *s, const struct stat *status)
{
#ifdef __APPLE__
    s->modified[0] = (int64_t)status->st_mtimespec.tv_sec;
    s->modified[1] = (int64_t)status->st_mtimespec.tv_nsec;
#else
    s->modified[0] = (int64_t)status->st_mtim.tv_sec;
    s->modified[1] = (int64_t)status->st_mtim.tv_nsec;
#endif
    s->device = (uint64_t)status->st_dev;
    s->inode = (uint64_t)status->st_ino;
}

static size_t read_descriptor(void *user, void *buffer, size_t size)
{
    ssize_t n;
    do
        n = read(*(int *)user, buffer, size);
    while (n < 0 && errno == EINTR);
    return n < 0 ? SIZE_MAX : (size_t)n;
}

/* Reads to the end; expected is only a first guess of the size. */
static int read_all(source *s, stele_read read, void *user, uint64_t expected, arena *a)
{
    uint64_t capacity = expected + 1; /* one more, so that the end is seen without growing */
    uint8_t *data = st_arena_bytes(a, capacity);
    for (;;) {
        if (!data)
            return ENOMEM;
        size_t n = read(user, data + s->size, (size_t)(capacity - s->size));
        if (n == SIZE_MAX)
            return errno ? errno : EIO;
        s->size += n;
        if (n == 0)
            break;
        if (s->size == capacity) {
            uint8_t *larger = st_arena_bytes(a, capacity * 2);
            if (larger)
                memcpy(larger, data, (size_t)s->size);
            data = larger;
            capacity *= 2;
        }
    }
    s->data = data;
    return 0;
}

static int open_regular(source *s, int fd, const struct stat *status, bool read, arena *a)
{
    uint64_t size = (uint64_t)status->st_size;
    remember_identity(s, status);
    if (read || size <= SMALL_FILE)
        return read_all(s, read_descriptor, &fd, size, a);
    if (size > SIZE_MAX)
        return EFBIG;
    void *map = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return read_all(s, read_descriptor, &fd, size, a);
    s->map = map;
    s->data = map;
    s->size = size;
    return 0;
}

/* The descriptor is not kept: a program may hold more handles than it may have descriptors. */
int st_source_open(source *s, const char *path, bool read, arena *a)
{
    struct stat status;
    *s = (source){0};
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return path ? errno : EINVAL;
    int error = 0;
    if (fstat(fd, &status) != 0)
        error = errno;
    else if (S_ISDIR(status.st_mode))
        error = EISDIR;
    else if (S_ISREG(status.st_mode))
        error = open_regular(s, fd, &status, read, a);
    else
        error = read_all(s, read_descriptor, &fd, SMALL_FILE, a);
    if (!error && S_ISREG(status.st_mode))
        s->path = st_arena_text(a, path, strlen(path));
    close(fd);
    return error;
}

int st_source_read(source *s, stele_read read, void *user, arena *a)
{
    errno = 0;
    *s = (source){0};
    return read_all(s, read, user, SMALL_FILE, a);
}

void st_source_memory(source *s, const void *data, size_t size)
{
    *s = (source){.data = data, .size = size};
}

void st_source_close(source *s)
{
    if (s->map)
        munmap(s->map, (size_t)s->size);
    *s = (source){0};
}

/* A file that was replaced by another is still there for who has it open: only one that was written to has changed. */
bool st_source_changed(const source *s)
{
    struct stat status;
    source now = *s;
    if (!s->path || stat(s->path, &status) != 0)
        return false;
    remember_identity(&now, &status);
    if (now.device != s->device || now.inode != s->inode)
        return false;
    return (uint64_t)status.st_size != s->size || now.modified[0] != s->modified[0] || now.modified[1] != s->modified[1];
}

bool st_file_exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool st_file_has_size(const char *path, uint64_t size)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && (uint64_t)status.st_size == size;
}

int st_folder_make(const char *path, bool *made)
{
    struct stat status;
    *made = mkdir(path, 0777) == 0;
    if (*made)
        return 0;
    int error = errno;
    if (error != EEXIST)
        return error;
    return stat(path, &status) != 0 ? errno : S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
}

void st_folder_remove(const char *path)
{
    (void)rmdir(path);
}

const char *st_error_text(int error, arena *a)
{
    char text[128] = "";
#if defined(__GLIBC__)
    return st_arena_format(a, "%s", strerror_r(error, text, sizeof text));
#else
    strerror_r(error, text, sizeof text);
    return st_arena_format(a, "%s", text);
#endif
}

/* ---- Writing ---- */

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
