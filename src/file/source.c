#include "source.h"

#include <errno.h>
#include <string.h>

#include "system/files.h"

/* Up to this, files are read: nobody can change what was read. Measured by opening and checking an SGM of 1 MB: a process that
 * opens many files has it in 78 us read and 113 us mapped (they cross near 10 MB), for its memory is there already; one that
 * opens a single file loses 0.4 ms, and would lose more and more beyond. */
enum { SMALL_FILE = 1 << 20, FIRST_GUESS = 1 << 15 };

static void remember_identity(source *s, const file_status *status)
{
    s->modified[0] = status->modified[0];
    s->modified[1] = status->modified[1];
    s->device = status->device;
    s->inode = status->inode;
}

static size_t read_descriptor(void *user, void *buffer, size_t size)
{
    size_t n;
    do
        n = st_fd_read(*(int *)user, buffer, size);
    while (n == SIZE_MAX && errno == EINTR);
    return n;
}

/* Some never end. */
static const uint64_t MOST_OF_A_STREAM = (uint64_t)1 << 32;

/* Reads to the end. Expected is only a first guess of the size; what comes beyond is a surprise. */
static int read_all(source *s, stele_read read, void *user, uint64_t expected, arena *a)
{
    uint64_t capacity = expected + 1; /* one more, so that the end is seen without growing */
    uint8_t *data = st_arena_bytes(a, capacity);
    for (;;) {
        if (!data)
            return ENOMEM;
        size_t room = (size_t)(capacity - s->size), n = read(user, data + s->size, room);
        if (n > room)
            return n == SIZE_MAX && errno ? errno : EIO;
        s->size += n;
        if (n == 0)
            break;
        if (s->size > expected)
            st_arena_input(a, n);
        if (s->size > expected && s->size > MOST_OF_A_STREAM)
            return EFBIG;
        if (s->size == capacity) {
            uint8_t *larger = st_arena_bytes(a, capacity * 2);
            if (larger)
                memcpy(larger, data, (size_t)s->size);
            data = larger;
            capacity *= 2;
        }
    }
    s->data = data;
    s->own = true;
    return 0;
}

static int open_regular(source *s, int fd, const file_status *status, bool read, arena *a)
{
    uint64_t size = status->size;
    remember_identity(s, status);
    /* anybody can make a file of holes of any size: what is not stored is no input, and must be paid for */
    enum { HOLE_WORK = 4 };
    uint64_t stored = size <= SMALL_FILE ? size : st_fd_stored(fd, size);
    st_arena_input(a, stored);
    if (stored < size && !st_work(a, size - stored, HOLE_WORK))
        return EFBIG;
    if (read || size <= SMALL_FILE)
        return read_all(s, read_descriptor, &fd, size, a);
    if (size > SIZE_MAX)
        return EFBIG;
    const void *map = st_fd_map(fd, size);
    if (!map)
        return read_all(s, read_descriptor, &fd, size, a);
    s->map = map;
    s->data = map;
    s->size = size;
    return 0;
}

/* The descriptor is not kept: a program may hold more handles than it may have descriptors. */
int st_source_open(source *s, const char *path, bool read, arena *a)
{
    *s = (source){0};
    int fd = path ? st_fd_open(path) : -1;
    if (fd < 0)
        return path ? errno : EINVAL;
    return st_source_take(s, fd, path, read, a);
}

int st_source_take(source *s, int fd, const char *path, bool read, arena *a)
{
    file_status status;
    *s = (source){0};
    int error = st_fd_status(fd, &status);
    if (!error && status.kind == FILE_FOLDER)
        error = EISDIR;
    else if (!error && status.kind == FILE_REGULAR)
        error = open_regular(s, fd, &status, read, a);
    else if (!error)
        error = read_all(s, read_descriptor, &fd, FIRST_GUESS, a);
    if (!error && status.kind == FILE_REGULAR)
        s->path = st_arena_text(a, path, strlen(path));
    st_fd_close(fd);
    return error;
}

int st_source_read(source *s, stele_read read, void *user, arena *a)
{
    errno = 0;
    *s = (source){0};
    return read_all(s, read, user, FIRST_GUESS, a);
}

void st_source_memory(source *s, const void *data, size_t size)
{
    *s = (source){.data = data, .size = size};
}

void st_source_close(source *s)
{
    if (s->map)
        st_unmap(s->map, s->size);
    *s = (source){0};
}

/* A file that was replaced by another is still there for who has it open: only one that was written to has changed. */
bool st_source_changed(const source *s)
{
    file_status status;
    source now = *s;
    if (!s->path || st_path_status(s->path, true, &status) != 0)
        return false;
    remember_identity(&now, &status);
    if (now.device != s->device || now.inode != s->inode)
        return false;
    return status.size != s->size || now.modified[0] != s->modified[0] || now.modified[1] != s->modified[1];
}

bool st_file_exists(const char *path)
{
    file_status status;
    return st_path_status(path, true, &status) == 0 && status.kind == FILE_REGULAR;
}

bool st_file_has_size(const char *path, uint64_t size)
{
    file_status status;
    return st_path_status(path, true, &status) == 0 && status.kind == FILE_REGULAR && status.size == size;
}

const char *st_error_text(int error, arena *a)
{
    char text[128];
    st_error_name(error, text, sizeof text);
    return st_arena_format(a, "%s", text);
}
