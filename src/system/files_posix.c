#if !defined(_WIN32) && !defined(__wasi__)

#define _GNU_SOURCE /* renameat2, O_TMPFILE and O_PATH, where there are such */

#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

enum { OPEN_FOLDER = O_PATH | O_DIRECTORY | O_CLOEXEC };

static int outcome(int result)
{
    return result == 0 ? 0 : errno;
}

static void translate(const struct stat *from, file_status *to)
{
    *to = (file_status){.kind = S_ISREG(from->st_mode)   ? FILE_REGULAR
                                : S_ISDIR(from->st_mode) ? FILE_FOLDER
                                : S_ISLNK(from->st_mode) ? FILE_LINK
                                                         : FILE_OTHER,
                        .mode = from->st_mode & 0777, /* never setuid: the owner may be another */
                        .size = (uint64_t)from->st_size,
                        .device = (uint64_t)from->st_dev,
                        .inode = (uint64_t)from->st_ino,
                        .owner = (uint64_t)from->st_uid};
#ifdef __APPLE__
    to->modified[0] = (int64_t)from->st_mtimespec.tv_sec;
    to->modified[1] = (int64_t)from->st_mtimespec.tv_nsec;
#else
    to->modified[0] = (int64_t)from->st_mtim.tv_sec;
    to->modified[1] = (int64_t)from->st_mtim.tv_nsec;
#endif
}

/* ---- Paths ---- */

char st_second_slash(void)
{
    return 0;
}

bool st_path_is_absolute(const char *path)
{
    return *path == '/';
}

int st_path_compare(const char *a, const char *b)
{
    return strcmp(a, b);
}

bool st_name_is_possible(const char *name)
{
    return *name;
}

int st_path_status(const char *path, bool follow, file_status *status)
{
    return st_name_status(AT_FDCWD, path, follow, status);
}

int st_path_resolve(const char *path, char resolved[PATH_ROOM])
{
    char *found = realpath(path, NULL);
    if (!found)
        return errno;
    size_t size = strlen(found) + 1;
    if (size <= PATH_ROOM)
        memcpy(resolved, found, size);
    free(found);
    return size <= PATH_ROOM ? 0 : ENAMETOOLONG;
}

int st_path_make_folder(const char *path)
{
    return st_name_make_folder(AT_FDCWD, path);
}

int st_path_remove(const char *path)
{
    return st_name_remove(AT_FDCWD, path);
}

/* ---- Descriptors ---- */

int st_fd_open(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC);
}

int st_fd_rewrite(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

int st_fd_status(int fd, file_status *status)
{
    struct stat found;
    int error = outcome(fstat(fd, &found));
    if (!error)
        translate(&found, status);
    return error;
}

size_t st_fd_read(int fd, void *buffer, size_t size)
{
    ssize_t n = read(fd, buffer, size);
    return n < 0 ? SIZE_MAX : (size_t)n;
}

size_t st_fd_write(int fd, const void *data, size_t size)
{
    ssize_t n = write(fd, data, size);
    return n < 0 ? SIZE_MAX : (size_t)n;
}

/* The descriptor is at its start, and is so afterwards. */
uint64_t st_fd_stored(int fd, uint64_t size)
{
#if defined(SEEK_DATA) && defined(SEEK_HOLE)
    enum { MOST_PIECES = 256 };
    off_t at = 0, data, hole;
    uint64_t stored = 0;
    errno = 0;
    for (int i = 0; i < MOST_PIECES && (data = lseek(fd, at, SEEK_DATA)) >= 0; i++, at = hole) {
        hole = lseek(fd, data, SEEK_HOLE);
        if (hole <= data)
            break;
        stored += (uint64_t)(hole - data);
    }
    bool known = stored || errno == ENXIO;
    return lseek(fd, 0, SEEK_SET) == 0 && known ? stored : size;
#else
    (void)fd;
    return size;
#endif
}

const void *st_fd_map(int fd, uint64_t size)
{
    void *map = size > SIZE_MAX ? MAP_FAILED : mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
    return map == MAP_FAILED ? NULL : map;
}

void st_unmap(const void *map, uint64_t size)
{
    munmap((void *)(uintptr_t)map, (size_t)size);
}

int st_fd_set_mode(int fd, uint32_t mode)
{
    return outcome(fchmod(fd, (mode_t)mode));
}

int st_fd_sync(int fd)
{
    return outcome(fsync(fd));
}

int st_fd_close(int fd)
{
    return outcome(close(fd));
}

/* ---- Folders ---- */

folder st_folder_open(const char *path)
{
    return open(path, OPEN_FOLDER);
}

folder st_folder_open_below(folder in, const char *name)
{
    return openat((int)in, name, OPEN_FOLDER | O_NOFOLLOW);
}

void st_folder_close(folder f)
{
    close((int)f);
}

bool st_name_link(folder in, const char *name, char target[PATH_ROOM])
{
    ssize_t size = readlinkat((int)in, name, target, PATH_ROOM - 1);
    target[size < 0 ? 0 : size] = 0;
    return size >= 0;
}

int st_name_status(folder in, const char *name, bool follow, file_status *status)
{
    struct stat found;
    int error = outcome(fstatat((int)in, name, &found, follow ? 0 : AT_SYMLINK_NOFOLLOW));
    if (!error)
        translate(&found, status);
    return error;
}

int st_name_open(folder in, const char *name, bool follow)
{
    return openat((int)in, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW));
}

int st_name_create(folder in, const char *name, bool only_ours)
{
    return openat((int)in, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, only_ours ? 0600 : 0666);
}

int st_name_open_device(folder in, const char *name, bool follow)
{
    return openat((int)in, name, O_WRONLY | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW));
}

/* A file that has no name asks the system. */
uint32_t st_folder_mode_of_new(folder in)
{
    uint32_t mode = NO_MODE;
#ifdef O_TMPFILE
    file_status status;
    int fd = openat((int)in, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (fd >= 0 && st_fd_status(fd, &status) == 0)
        mode = status.mode;
    if (fd >= 0)
        close(fd);
#else
    (void)in;
#endif
    return mode;
}

int st_name_rename(folder in, const char *from, const char *to)
{
    return outcome(renameat((int)in, from, (int)in, to));
}

int st_name_rename_new(folder in, const char *from, const char *to)
{
#ifdef RENAME_NOREPLACE
    if (renameat2((int)in, from, (int)in, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return errno;
#endif
    int error = st_name_link_too(in, from, to);
    if (!error)
        (void)st_name_remove(in, from);
    return error;
}

int st_name_link_too(folder in, const char *name, const char *other)
{
    return outcome(linkat((int)in, name, (int)in, other, 0));
}

int st_name_remove(folder in, const char *name)
{
    return outcome(unlinkat((int)in, name, 0));
}

int st_name_make_folder(folder in, const char *name)
{
    return outcome(mkdirat((int)in, name, 0777));
}

int st_name_remove_folder(folder in, const char *name)
{
    return outcome(unlinkat((int)in, name, AT_REMOVEDIR));
}

listing *st_listing_open(const char *path)
{
    return (listing *)opendir(path);
}

const char *st_listing_next(listing *l)
{
    struct dirent *entry = readdir((DIR *)l);
    return entry ? entry->d_name : NULL;
}

void st_listing_close(listing *l)
{
    closedir((DIR *)l);
}

/* ---- Who we are ---- */

uint64_t st_this_user(void)
{
    return (uint64_t)geteuid();
}

static uint32_t mix(uint32_t hash, const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const uint8_t *)data)[i]) * 16777619u;
    return hash;
}

uint32_t st_this_host(void)
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

long st_this_process(void)
{
    return (long)getpid();
}

bool st_process_is_gone(long process)
{
    return kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

/* In ticks since the machine was started, as Linux says. */
unsigned long long st_process_start(long process)
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

void st_error_name(int error, char *text, size_t size)
{
    snprintf(text, size, "%s", strerror(error));
}

#endif
