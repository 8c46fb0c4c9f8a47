#define _GNU_SOURCE /* renameat2 and O_TMPFILE, where there are such */

#include "output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { NO_MODE = UINT32_MAX };

/* ---- Temporary names ---- */

/* A process, so that what it left is known for nobody's when it is gone. Numbers of processes are used again, by other machines
 * and in containers at the same time. */
typedef struct owner {
    uint32_t host;
    long process;
    unsigned long long started;
} owner;

static uint32_t mix(uint32_t hash, const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const uint8_t *)data)[i]) * 16777619u;
    return hash;
}

static uint32_t this_host(void)
{
    struct utsname names;
    struct stat status;
    uint32_t hash = 2166136261u;
    if (uname(&names) == 0)
        hash = mix(hash, names.nodename, strlen(names.nodename));
    if (stat("/proc/self/ns/pid", &status) == 0)
        hash = mix(hash, &status.st_ino, sizeof status.st_ino);
    return hash;
}

/* In ticks since the machine was started, as Linux says; 0: nobody knows. */
static unsigned long long start_of(long process)
{
    char path[48], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[size < 0 ? 0 : size] = 0;
    char *field = strrchr(text, ')'); /* the second field is a name that may have anything in it; the start is the 22nd */
    for (int i = 2; field && i < 22; i++)
        field = strchr(field + 1, ' ');
    return field ? strtoull(field, NULL, 10) : 0;
}

static owner this_process(void)
{
    long process = (long)getpid();
    return (owner){this_host(), process, start_of(process)};
}

static const char *name_of(arena *a, const owner *o, uint32_t number)
{
    return st_arena_format(a, ".stele-%08x-%ld-%llu-%08x.tmp", (unsigned)o->host, o->process, o->started, (unsigned)number);
}

static bool parse_name(const char *name, owner *o)
{
    unsigned host, number;
    int end = 0;
    if (sscanf(name, ".stele-%8x-%ld-%llu-%8x.tmp%n", &host, &o->process, &o->started, &number, &end) != 4)
        return false;
    o->host = host;
    return end && !name[end] && o->process > 0;
}

static bool is_gone(const owner *o)
{
    if (kill((pid_t)o->process, 0) != 0)
        return errno == ESRCH;
    unsigned long long started = start_of(o->process);
    return started && o->started && started != o->started;
}

size_t st_output_sweep(const char *folder)
{
    DIR *d = opendir(folder);
    uint32_t host = this_host();
    size_t count = 0;
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        owner o;
        struct stat status;
        bool ours = parse_name(e->d_name, &o) && o.host == host && is_gone(&o) &&
                    fstatat(dirfd(d), e->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode) &&
                    status.st_uid == geteuid();
        count += ours && unlinkat(dirfd(d), e->d_name, 0) == 0;
    }
    if (d)
        closedir(d);
    return count;
}

/* A number that outputs which are open at the same time do not share, so that the first name is nearly always free. */
static uint32_t number_of(const output *o)
{
    return (uint32_t)((uintptr_t)o / sizeof(void *)) * 2654435761u;
}

/* Calls make with one name after the other until it is one that does not exist yet. Names need to be unused, not unpredictable:
 * the system decides. Returns 0 or an errno. */
static int make_temporary(output *o, const spot *s, int (*make)(output *o, const spot *s, const char *name), const char **made)
{
    owner self = this_process();
    int error = EEXIST;
    for (unsigned attempt = 0; attempt < 1000 && error == EEXIST; attempt++) {
        const char *name = name_of(o->arena, &self, number_of(o) + attempt);
        error = o->arena->failed ? ENOMEM : make(o, s, name);
        if (!error)
            *made = name;
    }
    return error;
}

/* ---- Opening ---- */

/* What the system gives to a new file of this folder, by umask or by the folder's own rules. A file that has no name asks it.
 */
static uint32_t mode_of_new(const spot *s)
{
    uint32_t mode = NO_MODE;
#ifdef O_TMPFILE
    struct stat status;
    int fd = openat(s->folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (fd >= 0 && fstat(fd, &status) == 0)
        mode = status.st_mode & 0777;
    if (fd >= 0)
        close(fd);
#else
    (void)s;
#endif
    return mode;
}

/* What is not complete is nobody's business, unless only the system knows whose it will be. */
static int create(output *o, const spot *s, const char *name)
{
    o->fd = openat(s->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, o->mode == NO_MODE ? 0666 : 0600);
    return o->fd < 0 ? errno : 0;
}

static int open_at(output *o, const spot *s)
{
    struct stat status;
    bool exists = fstatat(s->folder, s->name, &status, s->follow ? AT_SYMLINK_NOFOLLOW : 0) == 0;
    if (exists && S_ISDIR(status.st_mode))
        return EISDIR;
    if (exists && !o->overwrite)
        return EEXIST;
    if (exists && !S_ISREG(status.st_mode)) {
        /* a device or a pipe is written to, not replaced */
        o->fd = openat(s->folder, s->name, O_WRONLY | O_CLOEXEC | s->follow);
        return o->fd < 0 ? errno : 0;
    }
    o->mode = exists ? status.st_mode & 0777 : mode_of_new(s); /* never setuid: the owner may be another */
    return make_temporary(o, s, create, &o->temporary);
}

/* A link is followed, so that the file it points to is replaced and the link stays. */
static int resolve_link(output *o)
{
    char resolved[PATH_MAX];
    struct stat status;
    if (lstat(o->where.path, &status) != 0 || !S_ISLNK(status.st_mode))
        return 0;
    if (!realpath(o->where.path, resolved))
        return errno;
    o->where.path = st_arena_text(o->arena, resolved, strlen(resolved));
    return *o->where.path ? 0 : ENOMEM;
}

int st_output_open(output *o, const address *where, bool overwrite, bool sync, arena *a)
{
    spot s;
    *o = (output){.arena = a, .where = *where, .fd = -1, .mode = NO_MODE, .overwrite = overwrite, .sync = sync};
    o->error = where->outside ? resolve_link(o) : 0;
    if (!o->error)
        o->error = st_spot_find(&s, &o->where);
    if (o->error)
        return o->error;
    o->error = open_at(o, &s);
    st_spot_leave(&s);
    return o->error;
}

/* ---- Writing ---- */

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

int st_output_finish(output *o)
{
    if (!o->error && o->temporary && o->fd >= 0 && o->mode != NO_MODE)
        (void)fchmod(o->fd, (mode_t)o->mode); /* not every file system has modes */
    if (!o->error && o->sync && o->temporary && o->fd >= 0 && fsync(o->fd) != 0)
        o->error = errno;
    if (o->fd >= 0 && close(o->fd) != 0 && !o->error)
        o->error = errno;
    o->fd = -1;
    return o->error;
}

/* ---- Taking the name ---- */

static int keep_old(output *o, const spot *s, const char *name)
{
    (void)o;
    return linkat(s->folder, s->name, s->folder, name, 0) ? errno : 0;
}

/* Without overwrite the name must still be free at the very moment it is taken. */
static int take_free_name(const output *o, const spot *s)
{
#ifdef RENAME_NOREPLACE
    if (renameat2(s->folder, o->temporary, s->folder, s->name, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return errno;
#endif
    if (linkat(s->folder, o->temporary, s->folder, s->name, 0) != 0)
        return errno;
    unlinkat(s->folder, o->temporary, 0);
    return 0;
}

static int take_name(output *o, const spot *s, bool keep)
{
    struct stat status;
    o->is_new = !o->overwrite || fstatat(s->folder, s->name, &status, AT_SYMLINK_NOFOLLOW) != 0;
    if (!o->overwrite)
        return take_free_name(o, s);
    if (keep && !o->is_new)
        (void)make_temporary(o, s, keep_old, &o->kept);
    return renameat(s->folder, o->temporary, s->folder, s->name) ? errno : 0;
}

int st_output_commit(output *o, bool keep)
{
    spot s;
    st_output_finish(o);
    if (!o->error && o->temporary && !(o->error = st_spot_find(&s, &o->where))) {
        o->error = take_name(o, &s, keep);
        st_spot_leave(&s);
    }
    if (o->error) {
        o->is_new = false;
        st_output_settle(o);
        st_output_abandon(o);
    }
    o->temporary = NULL;
    return o->error;
}

void st_output_undo(output *o)
{
    spot s;
    if ((o->is_new || o->kept) && st_spot_find(&s, &o->where) == 0) {
        if (o->is_new)
            unlinkat(s.folder, s.name, 0);
        else
            (void)renameat(s.folder, o->kept, s.folder, s.name);
        st_spot_leave(&s);
    }
    o->is_new = false;
    o->kept = NULL;
}

static void remove_beside(output *o, const char *name)
{
    spot s;
    if (name && st_spot_find(&s, &o->where) == 0) {
        unlinkat(s.folder, name, 0);
        st_spot_leave(&s);
    }
}

void st_output_settle(output *o)
{
    remove_beside(o, o->kept);
    o->kept = NULL;
}

void st_output_abandon(output *o)
{
    if (o->fd >= 0)
        close(o->fd);
    remove_beside(o, o->temporary);
    o->fd = -1;
    o->temporary = NULL;
}
