#ifdef __wasi__

/* In WebAssembly there is no file system: a list of named bytes in memory stands for one, so that what saves files needs to
 * know of nothing else. Names are taken as they are; folders are where there is a name below them. */
#include "files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

typedef struct entry {
    struct entry *next;
    uint8_t *data;
    size_t size, capacity;
    char name[];
} entry;

typedef struct reader {
    entry *entry; /* NULL: not open */
    size_t at;
} reader;

enum { MOST_OPEN = 64, FIRST_FD = 3 };

static entry *entries;
static reader readers[MOST_OPEN];

/* "./a" is "a". */
static const char *plain(const char *name)
{
    while (name[0] == '.' && name[1] == '/')
        name += 2;
    return name;
}

static entry **find(const char *name)
{
    entry **at = &entries;
    while (*at && strcmp((*at)->name, plain(name)) != 0)
        at = &(*at)->next;
    return at;
}

static entry *add(const char *name)
{
    size_t size = strlen(plain(name)) + 1;
    entry *e = calloc(1, sizeof *e + size);
    if (!e)
        return NULL;
    memcpy(e->name, plain(name), size);
    e->next = entries;
    entries = e;
    return e;
}

static void free_entry(entry *e)
{
    free(e->data);
    free(e);
}

static bool grow(entry *e, size_t size)
{
    size_t capacity = e->capacity * 2 > size ? e->capacity * 2 : size;
    uint8_t *data = realloc(e->data, capacity);
    if (!data && capacity > size)
        data = realloc(e->data, capacity = size);
    if (data) {
        e->data = data;
        e->capacity = capacity;
    }
    return data;
}

/* ---- For whoever fills and empties it ---- */

bool st_memory_file_put(const char *name, void *data, size_t size)
{
    (void)st_path_remove(name);
    entry *e = add(name);
    if (!e)
        return false;
    e->data = data;
    e->size = e->capacity = size;
    return true;
}

void *st_memory_file_take(const char *name, size_t *size)
{
    entry **at = find(name), *e = *at;
    if (!e)
        return NULL;
    void *data = e->data;
    *size = e->size;
    *at = e->next;
    free(e);
    return data;
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

static bool is_folder(const char *path)
{
    size_t length = strlen(path = plain(path));
    while (length && path[length - 1] == '/')
        length--;
    for (const entry *e = entries; e; e = e->next)
        if (strncmp(e->name, path, length) == 0 && e->name[length] == '/')
            return true;
    return !length || strcmp(path, ".") == 0;
}

int st_path_status(const char *path, bool follow, file_status *status)
{
    const entry *e = *find(path);
    (void)follow;
    if (!e && !is_folder(path))
        return ENOENT;
    *status = (file_status){
        .kind = e ? FILE_REGULAR : FILE_FOLDER, .mode = NO_MODE, .size = e ? e->size : 0, .inode = (uint64_t)(uintptr_t)e};
    return 0;
}

int st_path_resolve(const char *path, char resolved[PATH_ROOM])
{
    size_t size = strlen(path) + 1;
    if (size > PATH_ROOM)
        return ENAMETOOLONG;
    memcpy(resolved, path, size);
    return 0;
}

int st_path_make_folder(const char *path)
{
    return *find(path) ? EEXIST : 0;
}

int st_path_remove(const char *path)
{
    entry **at = find(path), *e = *at;
    if (!e)
        return ENOENT;
    *at = e->next;
    free_entry(e);
    return 0;
}

/* ---- Descriptors ---- */

static int open_entry(entry *e)
{
    for (int i = 0; e && i < MOST_OPEN; i++)
        if (!readers[i].entry) {
            readers[i] = (reader){e, 0};
            return i + FIRST_FD;
        }
    errno = e ? EMFILE : ENOENT;
    return -1;
}

static reader *reader_of(int fd)
{
    bool open = fd >= FIRST_FD && fd - FIRST_FD < MOST_OPEN && readers[fd - FIRST_FD].entry;
    errno = open ? errno : EBADF;
    return open ? &readers[fd - FIRST_FD] : NULL;
}

int st_fd_open(const char *path)
{
    return open_entry(*find(path));
}

int st_fd_rewrite(const char *path)
{
    (void)st_path_remove(path);
    return open_entry(add(path));
}

int st_fd_status(int fd, file_status *status)
{
    reader *r = reader_of(fd);
    return r ? st_path_status(r->entry->name, true, status) : EBADF;
}

size_t st_fd_read(int fd, void *buffer, size_t size)
{
    reader *r = reader_of(fd);
    if (!r)
        return SIZE_MAX;
    size_t left = r->entry->size - r->at, count = size < left ? size : left;
    if (count)
        memcpy(buffer, r->entry->data + r->at, count);
    r->at += count;
    return count;
}

size_t st_fd_write(int fd, const void *data, size_t size)
{
    reader *r = reader_of(fd);
    if (!r)
        return SIZE_MAX;
    entry *e = r->entry;
    if (size > e->capacity - e->size && !grow(e, e->size + size)) {
        errno = ENOSPC;
        return SIZE_MAX;
    }
    memcpy(e->data + e->size, data, size);
    e->size += size;
    return size;
}

uint64_t st_fd_stored(int fd, uint64_t size)
{
    (void)fd;
    return size;
}

const void *st_fd_map(int fd, uint64_t size)
{
    (void)fd;
    (void)size;
    return NULL;
}

void st_unmap(const void *map, uint64_t size)
{
    (void)map;
    (void)size;
}

int st_fd_set_mode(int fd, uint32_t mode)
{
    (void)fd;
    (void)mode;
    return 0;
}

int st_fd_sync(int fd)
{
    (void)fd;
    return 0;
}

int st_fd_close(int fd)
{
    reader *r = reader_of(fd);
    if (!r)
        return EBADF;
    r->entry = NULL;
    return 0;
}

/* ---- Folders: their names ---- */

folder st_folder_open(const char *path)
{
    size_t length = strlen(path = plain(path));
    char *name = malloc(length + 2);
    if (!name)
        return NO_FOLDER;
    memcpy(name, path, length + 1);
    if (strcmp(name, ".") == 0)
        *name = 0;
    else if (length && name[length - 1] != '/')
        memcpy(name + length, "/", 2);
    return (folder)(uintptr_t)name;
}

void st_folder_close(folder f)
{
    free((void *)(uintptr_t)f);
}

/* The path of a name in a folder: in room, or "", which no file has. */
static const char *path_of(folder in, const char *name, char room[PATH_ROOM])
{
    const char *path = (const char *)(uintptr_t)in;
    size_t length = strlen(path), size = strlen(name) + 1;
    if (size > PATH_ROOM || length > PATH_ROOM - size)
        return "";
    memcpy(room, path, length);
    memcpy(room + length, name, size);
    return room;
}

folder st_folder_open_below(folder in, const char *name)
{
    char room[PATH_ROOM];
    return st_folder_open(path_of(in, name, room));
}

bool st_name_link(folder in, const char *name, char target[PATH_ROOM])
{
    (void)in;
    (void)name;
    (void)target;
    return false;
}

int st_name_status(folder in, const char *name, bool follow, file_status *status)
{
    char room[PATH_ROOM];
    return st_path_status(path_of(in, name, room), follow, status);
}

int st_name_open(folder in, const char *name, bool follow)
{
    char room[PATH_ROOM];
    (void)follow;
    return st_fd_open(path_of(in, name, room));
}

int st_name_create(folder in, const char *name, bool only_ours)
{
    char room[PATH_ROOM];
    const char *path = path_of(in, name, room);
    (void)only_ours;
    if (*path && !*find(path))
        return open_entry(add(path));
    errno = *path ? EEXIST : ENAMETOOLONG;
    return -1;
}

int st_name_open_device(folder in, const char *name, bool follow)
{
    (void)in;
    (void)name;
    (void)follow;
    errno = ENODEV;
    return -1;
}

uint32_t st_folder_mode_of_new(folder in)
{
    (void)in;
    return NO_MODE;
}

int st_name_rename(folder in, const char *from, const char *to)
{
    char from_room[PATH_ROOM], to_room[PATH_ROOM];
    entry *old = *find(path_of(in, from, from_room));
    entry *renamed = old ? add(path_of(in, to, to_room)) : NULL;
    if (!renamed)
        return old ? ENOMEM : ENOENT;
    renamed->data = old->data;
    renamed->size = old->size;
    renamed->capacity = old->capacity;
    old->data = NULL;
    entries = renamed->next; /* out of the way of what has the name already */
    (void)st_path_remove(to_room);
    renamed->next = entries;
    entries = renamed;
    return st_path_remove(from_room);
}

int st_name_rename_new(folder in, const char *from, const char *to)
{
    char room[PATH_ROOM];
    return *find(path_of(in, to, room)) ? EEXIST : st_name_rename(in, from, to);
}

int st_name_link_too(folder in, const char *name, const char *other)
{
    (void)in;
    (void)name;
    (void)other;
    return ENOTSUP;
}

int st_name_remove(folder in, const char *name)
{
    char room[PATH_ROOM];
    return st_path_remove(path_of(in, name, room));
}

int st_name_make_folder(folder in, const char *name)
{
    char room[PATH_ROOM];
    return st_path_make_folder(path_of(in, name, room));
}

int st_name_remove_folder(folder in, const char *name)
{
    (void)in;
    (void)name;
    return 0;
}

listing *st_listing_open(const char *path)
{
    (void)path;
    errno = ENOTSUP;
    return NULL;
}

const char *st_listing_next(listing *l)
{
    (void)l;
    return NULL;
}

void st_listing_close(listing *l)
{
    (void)l;
}

/* ---- Who we are: the only one ---- */

uint64_t st_this_user(void)
{
    return 0;
}

uint32_t st_this_host(void)
{
    return 0;
}

long st_this_process(void)
{
    return 1;
}

bool st_process_is_gone(long process)
{
    (void)process;
    return false;
}

unsigned long long st_process_start(long process)
{
    (void)process;
    return 0;
}

void st_error_name(int error, char *text, size_t size)
{
    const char *name = strerror(error);
    size_t length = strlen(name);
    length = length < size ? length : size - 1;
    memcpy(text, name, length);
    text[length] = 0;
}

#endif
