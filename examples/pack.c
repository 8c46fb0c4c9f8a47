/* Files that are no files, and memory of our own: a model in a pack, with everything that it names, in a block of memory that
 * never grows.
 *
 *     pack PICTURE.png MODEL FILE...
 *
 * The files are put into a pack first, as a game's would be on its disk; from then on nothing but the pack is opened. */
#include <stdio.h>
#include <stdlib.h>
#include <stele.h>
#include <string.h>

#include "need.h"

/* ---- The pack: names and bytes ---- */

typedef struct entry {
    const char *name;
    void *data;
    size_t size;
} entry;

typedef struct pack {
    entry entries[64];
    size_t count;
    size_t asked;
} pack;

static entry read_entry(const char *path)
{
    const char *slash = strrchr(path, '/');
    entry e = {.name = slash ? slash + 1 : path};
    FILE *in = fopen(path, "rb");
    need(in && fseek(in, 0, SEEK_END) == 0 && ftell(in) >= 0, path);
    e.size = (size_t)ftell(in);
    e.data = malloc(e.size + 1);
    rewind(in);
    need(e.data && fread(e.data, 1, e.size, in) == e.size, path);
    fclose(in);
    return e;
}

/* Stele asks for what a model names. With data NULL only whether it is there. */
static bool in_pack(void *user, const char *name, const void **data, size_t *size)
{
    pack *p = user;
    for (size_t i = 0; i < p->count; i++) {
        if (strcmp(p->entries[i].name, name) != 0)
            continue;
        if (data) {
            p->asked++;
            *data = p->entries[i].data;
            *size = p->entries[i].size;
        }
        return true;
    }
    return false;
}

/* ---- The heap: one block, of which nothing is given back before the end ---- */

typedef struct heap {
    char *block;
    size_t size, used, blocks;
} heap;

static void *take(void *user, size_t size)
{
    heap *h = user;
    size_t rounded = (size + 15) / 16 * 16;
    if (rounded < size || rounded > h->size - h->used)
        return NULL;
    void *memory = h->block + h->used;
    h->used += rounded;
    h->blocks++;
    return memory;
}

static void give(void *user, void *memory, size_t size)
{
    heap *h = user;
    (void)memory, (void)size;
    h->blocks--;
}

int main(int argc, char **argv)
{
    enum { SIDE = 512, HEAP = 64 << 20 };
    pack files = {.count = 0};
    heap h = {malloc(HEAP), HEAP, 0, 0};
    char message[200] = "";
    need(argc > 2 && argc < 66 && h.block, "pack PICTURE.png MODEL FILE...: the arguments");
    for (int i = 2; i < argc; i++)
        files.entries[files.count++] = read_entry(argv[i]);
    const entry *model = &files.entries[0];
    const stele_options options = {
        .allocator = {take, give, &h}, .name = model->name, .lookup = in_pack, .lookup_user = &files};
    stele_file *file = stele_open_memory(model->data, model->size, &options);
    need(stele_file_status(file) == STELE_OK, stele_file_message(file));
    const stele_picture picture = {SIDE, SIDE, malloc(4 * SIDE * SIDE)};
    need(picture.rgba && stele_render(file, &picture, NULL) == STELE_OK, stele_file_message(file));
    stele_save_options replace = {.overwrite = true};
    need(stele_picture_save(&picture, argv[1], &replace, message, sizeof message) == STELE_OK, message);
    size_t blocks = h.blocks;
    stele_close(file);
    need(h.blocks == 0, "giving everything back");
    printf("%zu files asked for, %zu blocks, %zu bytes\n", files.asked, blocks, h.used);
    for (size_t i = 0; i < files.count; i++)
        free(files.entries[i].data);
    free(picture.rgba);
    free(h.block);
    return 0;
}
