/* Which textures show the same image, and the names of files for images that a model has inside. Names come from a file that
 * may want to put anything anywhere: what is made of them is safe on every system. */
#include <stdlib.h>
#include <string.h>

#include "base/image_kind.h"
#include "base/text.h"
#include "save.h"

/* ---- The same image ---- */

typedef struct shown {
    const stele_texture *texture;
    uint32_t index;
} shown;

static int compare_texts(const char *a, const char *b)
{
    return !a || !b ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

static int compare_images(const shown *a, const shown *b)
{
    const stele_texture *x = a->texture, *y = b->texture;
    if (x->data || y->data)
        return x->data != y->data ? ((uintptr_t)x->data > (uintptr_t)y->data) - ((uintptr_t)x->data < (uintptr_t)y->data)
                                  : (x->size > y->size) - (x->size < y->size);
    int files = compare_texts(x->file, y->file);
    return files ? files : compare_texts(x->name, y->name);
}

static int compare_shown(const void *a, const void *b)
{
    const shown *x = a, *y = b;
    int order = compare_images(x, y);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

const uint32_t *st_same_images(context *c)
{
    size_t count = c->save->model->texture_count;
    if (c->save->same_images || !count)
        return c->save->same_images;
    uint32_t *same = st_arena_array(c->arena, count, sizeof *same);
    shown *list = st_arena_array(c->arena, count, sizeof *list);
    if (!same || !list)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        list[i] = (shown){&c->save->model->textures[i], i};
    qsort(list, count, sizeof *list, compare_shown);
    for (size_t i = 0, first = 0; i < count; i++) {
        if (compare_images(&list[first], &list[i]) != 0)
            first = i;
        same[list[i].index] = list[first].index;
    }
    return c->save->same_images = same;
}

/* ---- Names ---- */

enum { MOST_NAME = 100 }; /* bytes: with what comes to it, any file system takes it */

static bool is_part(char c)
{
    return c == '/' || c == '\\';
}

/* What a name must not have on one system or another. */
static bool is_safe(const char *c, size_t length)
{
    uint8_t first = (uint8_t)*c;
    return length && first >= 0x20 && first != 0x7f && !(first == 0xc2 && (uint8_t)c[1] < 0xa0) && !strchr("<>:\"|?*", *c);
}

/* Windows takes these for devices, whatever extension they have. */
static bool is_device(const char *name)
{
    static const char *const devices[] = {"con", "prn", "aux", "nul", "com", "lpt"};
    size_t length = strcspn(name, ".");
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        bool numbered = i >= 4 && length == 4 && name[3] >= '0' && name[3] <= '9';
        if ((numbered || (i < 4 && length == 3)) && st_same_letters(name, devices[i], 3))
            return true;
    }
    return false;
}

/* One part of a name, behind what is there. */
static void put_part(char *to, const char *part, size_t size)
{
    size_t used = strlen(to), start = used;
    if (strspn(part, ".") >= size) /* it is nowhere, or above */
        return;
    for (size_t i = 0, length; i < size && used < MOST_NAME; i += length) {
        length = st_utf8_length((const uint8_t *)part + i, size - i);
        bool safe = is_safe(part + i, length) && !(used == start && part[i] == '.');
        length = length ? length : 1;
        if (safe)
            memcpy(to + used, part + i, length);
        else
            to[used] = '_';
        used += safe ? length : 1;
    }
    while (used > start && (to[used - 1] == ' ' || to[used - 1] == '.'))
        used--;
    to[used] = 0;
    if (is_device(to + start)) {
        memmove(to + start + 1, to + start, used - start + 1);
        to[start] = '_';
    }
}

/* Of a name as an image has it: without its extension, with its folders only if it leads down. "" if nothing is left. */
static void safe_stem(const char *name, char stem[MOST_NAME + 8])
{
    size_t length = strlen(name), end = length;
    const char *dot = strrchr(name, '.');
    if (dot && dot != name && (strcmp(dot, ".*") == 0 || st_names_image(name)))
        end = (size_t)(dot - name);
    bool folders = st_companion_stays(name);
    stem[0] = 0;
    for (size_t i = 0; i < end && strlen(stem) < MOST_NAME;) {
        size_t size = 0;
        while (i + size < end && !is_part(name[i + size]))
            size++;
        if (!folders)
            stem[0] = 0; /* the last part only */
        else if (*stem && size)
            strcat(stem, "/");
        put_part(stem, name + i, size);
        i += size + 1;
    }
}

/* ---- A file for each image ---- */

typedef struct image_file {
    const char *name;
    uint32_t index;
} image_file;

static int compare_files(const void *a, const void *b)
{
    const image_file *x = a, *y = b;
    size_t length = strlen(x->name), other = strlen(y->name), less = length < other ? length : other;
    for (size_t i = 0; i <= less; i++) {
        int left = x->name[i] | 0x20, right = y->name[i] | 0x20; /* systems that take a.png for A.png find one file */
        if (left != right)
            return left - right;
    }
    return (x->index > y->index) - (x->index < y->index);
}

static bool same_letters(const char *a, const char *b)
{
    return strlen(a) == strlen(b) && st_same_letters(a, b, strlen(a));
}

static const char *extension_of(const stele_texture *t)
{
    image_kind kind = st_image_kind(t->data, t->size); /* what the file says of it is anything */
    return kind == IMAGE_UNKNOWN ? "png" : st_image_extensions(kind);
}

static const char *file_of(context *c, uint32_t index)
{
    const stele_texture *t = &c->save->model->textures[index];
    bool named = c->save->name && st_companion_can_be(c->save->name);
    const char *base = named ? c->save->name : "model", *type = extension_of(t);
    char stem[MOST_NAME + 8];
    safe_stem(t->name ? t->name : "", stem);
    if (*stem)
        return st_arena_format(c->arena, "%s.%.*s", stem, (int)strcspn(type, " "), type);
    return st_arena_format(c->arena, "%s_%u.%.*s", base, index, (int)strcspn(type, " "), type);
}

static bool same_bytes(const stele_texture *a, const stele_texture *b)
{
    return a->size == b->size && memcmp(a->data, b->data, (size_t)a->size) == 0;
}

/* Different images of one name get their number in it. */
static void tell_apart(context *c, image_file *files, size_t count, const char **names)
{
    const stele_texture *textures = c->save->model->textures;
    for (size_t i = 0, first = 0; i < count; i++) {
        uint32_t index = files[i].index;
        if (!same_letters(files[first].name, files[i].name))
            first = i;
        names[index] = files[first].name;
        if (first == i || same_bytes(&textures[files[first].index], &textures[index]))
            continue;
        const char *dot = strrchr(files[i].name, '.');
        names[index] = st_arena_format(c->arena, "%.*s_%u%s", (int)(dot - files[i].name), files[i].name, index, dot);
    }
}

const char *st_image_file(context *c, uint32_t texture)
{
    size_t count = c->save->model->texture_count, found = 0;
    const uint32_t *same = st_same_images(c);
    if (!same)
        return "";
    if (!c->save->image_files) {
        const char **names = st_arena_array(c->arena, count, sizeof *names);
        image_file *files = st_arena_array(c->arena, count, sizeof *files);
        for (uint32_t i = 0; names && files && i < count; i++)
            if (same[i] == i && c->save->model->textures[i].data)
                files[found++] = (image_file){file_of(c, i), i};
        if (!names || !files || c->arena->failed)
            return "";
        qsort(files, found, sizeof *files, compare_files);
        tell_apart(c, files, found, names);
        c->save->image_files = names;
    }
    return c->save->image_files[same[texture]];
}
