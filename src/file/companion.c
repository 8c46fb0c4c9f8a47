#include "companion.h"

#include <string.h>

#include "source.h"
#include "spot.h"

struct companion_map {
    companion_map *next;
    source source;
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

/* Takes over the descriptor. */
static bool map_file(companions *c, int fd, const char *path, const void **data, size_t *size)
{
    companion_map *map = st_arena_alloc(c->arena, sizeof *map);
    if (!map)
        st_fd_close(fd);
    if (!map || st_source_take(&map->source, fd, path, c->read, c->arena))
        return false;
    map->next = c->maps;
    c->maps = map;
    *data = map->source.data;
    *size = (size_t)map->source.size;
    return true;
}

static bool find_in_folder(void *user, const char *name, const void **data, size_t *size)
{
    companions *c = user;
    arena_mark mark = st_arena_mark(c->arena);
    const char *folder = *name == '/' ? "" : c->folder;
    const char *path = st_arena_format(c->arena, "%s%s", folder, st_companion_path(c->arena, name));
    bool named = *name && !c->arena->failed; /* without memory there is no path */
    int fd = named ? st_spot_open_file(&(address){path, strlen(folder), c->outside}) : -1;
    if (fd >= 0 && data)
        return map_file(c, fd, path, data, size);
    if (fd >= 0)
        st_fd_close(fd);
    st_arena_rewind(c->arena, mark);
    return fd >= 0;
}

enum { MOST_LOOKUPS = 8192 };

void st_companions_init(companions *c, arena *a, const char *path, const stele_options *options)
{
    *c = (companions){.arena = a,
                      .lookup = options->lookup,
                      .user = options->lookup_user,
                      .read = options->read_file,
                      .outside = options->load.allow_outside,
                      .left = MOST_LOOKUPS};
    path = path ? path : options->beside;
    if (c->lookup || !path)
        return;
    const char *slash = strrchr(path, '/');
    c->folder = st_arena_text(a, path, slash ? (size_t)(slash + 1 - path) : 0);
    c->lookup = find_in_folder;
    c->user = c;
}

void st_companions_free(companions *c)
{
    for (companion_map *map = c->maps; map; map = map->next)
        st_source_close(&map->source);
}

bool st_companions_changed(const companions *c)
{
    for (const companion_map *map = c->maps; map; map = map->next)
        if (st_source_changed(&map->source))
            return true;
    return false;
}

bool st_companions_any(const companions *c)
{
    return c->lookup && c->left;
}

bool st_companion_find(companions *c, const char *name, const void **data, size_t *size)
{
    if (!st_companions_any(c) || !st_companion_allowed(c, name))
        return false;
    c->left--;
    if (!c->lookup(c->user, name, data, size))
        return false;
    companion_bytes *opened = data ? st_arena_alloc(c->arena, sizeof *opened) : NULL;
    if (opened) {
        *opened = (companion_bytes){c->opened, st_arena_text(c->arena, name, strlen(name)), *data, *size};
        c->opened = opened;
    }
    return true;
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
