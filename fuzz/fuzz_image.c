/* Images of any kind. Properties: what is decoded has all its pixels, and is written as PNG and read back the same; what is not
 * has a reason, and nothing is left of it; nothing crashes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "images/image.h"

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "property violated: %s\n", what);
    abort();
}

typedef struct buffer {
    uint8_t *data;
    size_t size;
} buffer;

static bool append(void *user, const void *data, size_t size)
{
    buffer *b = user;
    b->data = realloc(b->data, b->size + size + 1);
    memcpy(b->data + b->size, data, size);
    b->size += size;
    return true;
}

static void write_and_read(const stele_picture *p, arena *a)
{
    buffer png = {0};
    stele_picture again;
    const char *problem;
    require(st_image_encode_png(p, append, &png), "a picture cannot be written");
    require(st_image_decode(png.data, png.size, NULL, a, &again, &problem), "what was written cannot be read");
    require(p->width == again.width && p->height == again.height, "what was written has another size");
    require(memcmp(p->rgba, again.rgba, (size_t)p->width * p->height * 4) == 0, "what was written has other pixels");
    free(png.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    arena a;
    stele_picture p;
    const char *problem = NULL;
    st_arena_init(&a, &(stele_options){.separate_allocations = true, .memory_limit = 1 << 26});
    if (st_image_decode(data, size, "x.tga", &a, &p, &problem)) {
        uint64_t sum = 0, bytes = (uint64_t)p.width * p.height * 4;
        for (uint64_t i = 0; i < bytes; i++)
            sum += p.rgba[i];
        require(bytes && sum <= 255 * bytes, "there are no pixels");
        if (bytes <= 1 << 16)
            write_and_read(&p, &a);
    } else {
        require(problem && *problem, "there is no reason");
        require(!p.rgba && !a.used, "something is left");
    }
    st_arena_free(&a);
    return 0;
}
