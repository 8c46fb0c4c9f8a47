/* Textures: files beside the model, found by what is left of a path from another machine, or bytes inside the file. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import.h"

struct texture_list {
    struct entry {
        const char *name; /* as the material has it */
        uint16_t wrap_u, wrap_v;
        uint32_t index;
    } * entries;
    size_t count, room;
};

/* ---- Inside the file ---- */

static const char *base_name(const char *path)
{
    const char *base = path;
    for (; *path; path++)
        if (*path == '/' || *path == '\\')
            base = path + 1;
    return base;
}

/* "*3" by number, as most formats have it; FBX has a path. */
static const struct aiTexture *embedded(const import *im, const char *name)
{
    if (name[0] == '*') {
        unsigned long index = strtoul(name + 1, NULL, 10);
        return index < im->scene->mNumTextures ? im->scene->mTextures[index] : NULL;
    }
    for (unsigned i = 0; i < im->scene->mNumTextures; i++) {
        const char *own = im->scene->mTextures[i]->mFilename.data;
        if (*own && strcmp(base_name(own), base_name(name)) == 0)
            return im->scene->mTextures[i];
    }
    return NULL;
}

static const char *type_of_image(const uint8_t *data, size_t size)
{
    static const struct {
        const char *type;
        size_t at, length;
        const char *magic;
    } kinds[] = {{"image/png", 0, 8, "\x89PNG\r\n\x1a\n"},
                 {"image/jpeg", 0, 3, "\xff\xd8\xff"},
                 {"image/webp", 8, 4, "WEBP"},
                 {"image/vnd-ms.dds", 0, 4, "DDS "}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (size >= kinds[i].at + kinds[i].length && memcmp(data + kinds[i].at, kinds[i].magic, kinds[i].length) == 0)
            return kinds[i].type;
    return NULL;
}

typedef struct encoded {
    import *im;
    uint8_t *data;
    size_t size, room;
} encoded;

static bool append(void *user, const void *data, size_t size)
{
    encoded *e = user;
    while (e->size + size > e->room) {
        size_t room = e->room ? 2 * e->room : 65536;
        uint8_t *larger = take(e->im, room, 1);
        if (e->size)
            memcpy(larger, e->data, e->size);
        e->data = larger;
        e->room = room;
    }
    memcpy(e->data + e->size, data, size);
    e->size += size;
    return true;
}

/* Bare pixels, as blue, green, red, alpha. */
static bool encode_pixels(import *im, const struct aiTexture *given, stele_texture *texture)
{
    uint64_t count = (uint64_t)given->mWidth * given->mHeight;
    stele_picture picture = {given->mWidth, given->mHeight, take(im, count, 4)};
    encoded e = {.im = im};
    for (uint64_t i = 0; i < count; i++) {
        const struct aiTexel *t = &given->pcData[i];
        memcpy(picture.rgba + 4 * i, (uint8_t[4]){t->r, t->g, t->b, t->a}, 4);
    }
    if (stele_picture_write(&picture, append, &e, NULL, NULL, 0) != STELE_OK)
        return false;
    texture->data = e.data;
    texture->size = e.size;
    texture->mime_type = "image/png";
    return true;
}

static bool take_embedded(import *im, const struct aiTexture *given, stele_texture *texture)
{
    texture->name = given->mFilename.length ? base_name(given->mFilename.data) : NULL;
    if (given->mHeight)
        return encode_pixels(im, given, texture);
    texture->data = given->pcData;
    texture->size = given->mWidth;
    texture->mime_type = type_of_image((const uint8_t *)given->pcData, given->mWidth);
    return texture->mime_type;
}

/* ---- Beside the model ---- */

static bool leads_out(const char *path)
{
    return *path == '/' || (*path && path[1] == ':') || strncmp(path, "../", 3) == 0 || strstr(path, "/../");
}

/* What a name stands for here: the path as it is, then its last part, beside the model or where textures usually are. */
static const char *find_file(import *im, const char *name, bool *found)
{
    static const char *const folders[] = {"", "textures/", "Textures/", "maps/", "images/", "tex/"};
    char *path = take(im, strlen(name) + 1, 1);
    *found = true;
    if (strncmp(name, "file://", 7) == 0)
        name += 7;
    for (size_t i = 0; name[i]; i++)
        path[i] = name[i] == '\\' ? '/' : name[i];
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    const char *base = base_name(path);
    if (!leads_out(path) && files_has(im->files, path))
        return path;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t size = strlen(folders[i]) + strlen(base) + 1;
        char *candidate = take(im, size, 1);
        snprintf(candidate, size, "%s%s", folders[i], base);
        if (files_has(im->files, candidate))
            return candidate;
    }
    *found = false;
    return leads_out(path) ? base : path;
}

/* X3D has lists of names between quotes, of which the first that is there counts. */
static const char *find_one_of(import *im, const char *names, bool *found)
{
    const char *first = NULL;
    if (!strchr(names, '"'))
        return find_file(im, names, found);
    *found = false;
    for (const char *at = names; *at && !*found;) {
        size_t length = strcspn(at, "\"");
        char *name = take(im, length + 1, 1);
        memcpy(name, at, length);
        at += length + (at[length] != 0);
        if (name[strspn(name, " ,\t\r\n")] == 0)
            continue;
        const char *file = find_file(im, name, found);
        first = *found || !first ? file : first;
    }
    return first ? first : names;
}

/* ---- Both ---- */

static uint16_t wrap_of(enum aiTextureMapMode mode)
{
    enum { REPEAT = 10497, CLAMP = 33071, MIRROR = 33648 };
    switch (mode) {
    case aiTextureMapMode_Clamp:
    case aiTextureMapMode_Decal: return CLAMP;
    case aiTextureMapMode_Mirror: return MIRROR;
    default: return 0; /* which is repeating */
    }
}

static uint32_t add_new(import *im, const char *name, stele_texture *texture)
{
    const struct aiTexture *inside = embedded(im, name);
    bool found = false;
    if (inside && !take_embedded(im, inside, texture)) {
        lose(1, "texture %s inside the file: it is no PNG, JPEG, WebP or DDS", name);
        return STELE_NONE;
    }
    if (!inside) {
        texture->name = find_one_of(im, name, &found);
        texture->file = found ? texture->name : NULL;
        if (!*texture->name || *texture->name == '*' || *texture->name == '$') /* "$texture_dummy.bmp": Assimp's own */
            return STELE_NONE;
    }
    return stele_add_texture(im->model, texture);
}

uint32_t add_texture(import *im, const char *name, const enum aiTextureMapMode mode[2])
{
    if (!im->textures)
        im->textures = take(im, 1, sizeof *im->textures);
    struct texture_list *list = im->textures;
    stele_texture texture = {.wrap_u = wrap_of(mode[0]), .wrap_v = wrap_of(mode[1])};
    for (size_t i = 0; i < list->count; i++)
        if (list->entries[i].wrap_u == texture.wrap_u && list->entries[i].wrap_v == texture.wrap_v &&
            strcmp(list->entries[i].name, name) == 0)
            return list->entries[i].index;
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 16;
        list->entries = realloc(list->entries, list->room * sizeof *list->entries);
        if (!list->entries)
            fail(IMPORT_UNREADABLE, "there is not enough memory");
    }
    char *copy = take(im, strlen(name) + 1, 1);
    memcpy(copy, name, strlen(name));
    uint32_t index = add_new(im, copy, &texture);
    list->entries[list->count++] = (struct entry){copy, texture.wrap_u, texture.wrap_v, index};
    return index;
}
