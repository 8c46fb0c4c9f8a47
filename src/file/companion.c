#include "companion.h"

#include <string.h>

#include "base/hash.h"
#include "source.h"
#include "spot.h"

struct companion_map {
    companion_map *next; /* of the same hash */
    const char *path;    /* as st_companion_path has it */
    companion_bytes bytes;
    source source;            /* if it was the folder's lookup */
    companion_map *next_file; /* and of the same hash, as a file */
    bool another_name;        /* of a file that has been opened: its bytes are those */
};

const char *st_companion_path(arena *a, const char *name)
{
    char *path = (char *)st_arena_text(a, name, strlen(name)), *to = path;
    if (!*path)
        return path;
    for (const char *part = name; *part; part += strspn(part, "/\\")) {
        size_t length = strcspn(part, "/\\");
        bool nowhere = (!length && part != name) || (length == 1 && *part == '.');
        if (!nowhere) {
            memcpy(to, part, length);
            to += length;
            *to++ = '/';
        }
        part += length;
    }
    to -= to > path + 1; /* the last slash, unless it is all there is */
    *to = 0;
    return path;
}

/* A file that has been opened under another name: links are as many as one likes, and cost next to nothing. */
static companion_map **files_like(companions *c, uint64_t device, uint64_t inode)
{
    return &c->files[hash_end(hash_mix(device, inode)) % COMPANION_LISTS];
}

static const companion_map *opened_before(companions *c, int fd)
{
    file_status status;
    if (st_fd_status(fd, &status) != 0 || status.kind != FILE_REGULAR)
        return NULL;
    companion_map *map = *files_like(c, status.device, status.inode);
    while (map && (map->source.device != status.device || map->source.inode != status.inode))
        map = map->next_file;
    return map;
}

/* Into the map that is being opened, and closes the descriptor. */
static bool take_file(companions *c, int fd, const char *path)
{
    companion_map *map = c->opening;
    const companion_map *same = opened_before(c, fd);
    if (same) {
        st_fd_close(fd);
        map->another_name = true;
        map->bytes = same->bytes;
        return true;
    }
    if (st_source_take(&map->source, fd, path, c->read, c->arena))
        return false;
    map->bytes.data = map->source.data;
    map->bytes.size = (size_t)map->source.size;
    if (map->source.path) {
        companion_map **list = files_like(c, map->source.device, map->source.inode);
        map->next_file = *list;
        *list = map;
    }
    return true;
}

static bool find_in_folder(void *user, const char *name, const void **data, size_t *size)
{
    companions *c = user;
    arena_mark mark = st_arena_mark(c->arena);
    const char *folder = st_path_is_absolute(name) ? "" : c->folder;
    const char *path = st_arena_format(c->arena, "%s%s", folder, st_companion_path(c->arena, name));
    bool named = *name && !c->arena->failed; /* without memory there is no path */
    int fd = named ? st_spot_open_file(&(address){path, strlen(folder), c->outside}) : -1;
    if (fd >= 0 && data) {
        bool taken = take_file(c, fd, path);
        *data = c->opening->bytes.data;
        *size = c->opening->bytes.size;
        return taken;
    }
    if (fd >= 0)
        st_fd_close(fd);
    st_arena_rewind(c->arena, mark);
    return fd >= 0;
}

void st_companions_begin(companions *c)
{
    enum { MOST_LOOKUPS = 8192 };
    c->left = MOST_LOOKUPS;
}

void st_companions_init(companions *c, arena *a, const char *path, const stele_options *options)
{
    *c = (companions){.arena = a,
                      .lookup = options->lookup,
                      .user = options->lookup_user,
                      .read = options->read_file,
                      .outside = options->load.allow_outside};
    st_companions_begin(c);
    path = st_plain_path(a, path ? path : options->beside);
    if (c->lookup || !path)
        return;
    const char *slash = strrchr(path, '/');
    c->folder = st_arena_text(a, path, slash ? (size_t)(slash + 1 - path) : 0);
    c->lookup = find_in_folder;
    c->user = c;
}

void st_companions_free(companions *c)
{
    for (size_t i = 0; i < COMPANION_LISTS; i++)
        for (companion_map *map = c->maps[i]; map; map = map->next)
            st_source_close(&map->source);
}

bool st_companions_changed(const companions *c)
{
    for (size_t i = 0; i < COMPANION_LISTS; i++)
        for (const companion_map *map = c->maps[i]; map; map = map->next)
            if (st_source_changed(&map->source))
                return true;
    return false;
}

bool st_companions_any(const companions *c)
{
    return c->lookup && c->left;
}

static companion_map *look_for(companions *c, const char *name)
{
    companion_map *map = c->opening = c->left ? st_arena_alloc(c->arena, sizeof *map) : NULL;
    const void *data = NULL;
    size_t size = 0;
    if (!map || !c->lookup(c->user, name, &data, &size) || !data) /* a callback may have found it, and nothing in it */
        return NULL;
    if (map->another_name)
        return map;
    if (!map->source.data)
        st_arena_input(c->arena, size);
    map->bytes = (companion_bytes){c->opened, st_arena_text(c->arena, name, strlen(name)), data, size};
    c->opened = &map->bytes;
    return map;
}

/* The bytes of a file are taken once, however often and in whatever spelling it is named. Only what is new takes memory. */
static const companion_map *find_bytes(companions *c, const char *name)
{
    arena_mark mark = st_arena_mark(c->arena);
    const char *path = st_companion_path(c->arena, name);
    companion_map **list = &c->maps[hash_end(hash_bytes(0, path, strlen(path))) % COMPANION_LISTS];
    for (companion_map *map = *list; map; map = map->next)
        if (strcmp(map->path, path) == 0) {
            st_arena_rewind(c->arena, mark);
            return map;
        }
    companion_map *map = look_for(c, name);
    c->left -= c->left > 0;
    if (!map) {
        st_arena_rewind(c->arena, mark);
        return NULL;
    }
    map->path = path;
    map->next = *list;
    *list = map;
    c->taken++;
    return map;
}

bool st_companion_find(companions *c, const char *name, const void **data, size_t *size)
{
    if (!c->lookup || !st_companion_allowed(c, name))
        return false;
    if (data) {
        const companion_map *map = find_bytes(c, name);
        *data = map ? map->bytes.data : NULL;
        *size = map ? map->bytes.size : 0;
        return map;
    }
    bool found = c->left && c->lookup(c->user, name, NULL, NULL);
    c->left -= c->left > 0;
    return found;
}

const char *st_companion_first_name(companions *c, const char *name)
{
    const companion_map *map = find_bytes(c, name);
    return map ? map->bytes.name : name;
}

const companion_bytes *st_companion_with(const companions *c, const void *byte)
{
    for (const companion_bytes *b = c->opened; b; b = b->next)
        if ((uintptr_t)byte - (uintptr_t)b->data < b->size)
            return b;
    return NULL;
}

bool st_companion_allowed(const companions *c, const char *name)
{
    return c->outside || st_companion_stays(name);
}

bool st_companion_stays(const char *name)
{
    if (*name == '/' || *name == '\\' || (*name && name[1] == ':'))
        return false;
    for (const char *part = name; part; part = strpbrk(part, "/\\")) {
        part += part != name;
        if (strncmp(part, "..", 2) == 0 && (!part[2] || part[2] == '/' || part[2] == '\\'))
            return false;
    }
    return true;
}

/* Those of ASCII, and those of Unicode that UTF-8 writes as two bytes. */
static bool is_control(const char *c)
{
    uint8_t first = (uint8_t)c[0], second = first ? (uint8_t)c[1] : 0;
    return first < 0x20 || first == 0x7f || (first == 0xc2 && second >= 0x80 && second < 0xa0);
}

bool st_companion_can_be(const char *name)
{
    for (const char *c = name; *c; c++)
        if (is_control(c) || *c == '\\')
            return false;
    return true;
}

bool st_companion_plain(const char *name)
{
    bool starts = true; /* a part of it */
    for (const char *c = name; *c; c++) {
        bool here = *c == '.' && (c[1] == '/' || c[1] == '\\'); /* "./a.png" */
        if (is_control(c) || (starts && *c == '.' && !here))
            return false;
        starts = *c == '/' || *c == '\\';
    }
    return *name && st_companion_stays(name);
}

const char *st_companion_texture(companions *c, const char *name)
{
    static const char *const types[] = {"png", "jpg", "jpeg", "dds", "astc", "ktx2", "ktx", "pvr", "tga", "bmp", "webp"};
    size_t length = strlen(name);
    if (!length || name[length - 1] != '*')
        return st_companion_find(c, name, NULL, NULL) ? name : NULL;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        arena_mark mark = st_arena_mark(c->arena);
        const char *candidate = st_arena_format(c->arena, "%.*s%s", (int)(length - 1), name, types[i]);
        if (st_companion_find(c, candidate, NULL, NULL))
            return candidate;
        st_arena_rewind(c->arena, mark);
    }
    return NULL;
}

const char *st_text_string(arena *a, const text *string)
{
    const char *end = string->size ? memchr(string->data, 0, (size_t)string->size) : NULL;
    return st_arena_text(a, string->data, end ? (uint64_t)(end - string->data) : string->size);
}
