#include <strings.h>

#include "decode.h"

bool st_image_refuse(image_source *s, const char *problem)
{
    s->problem = problem;
    return false;
}

bool st_image_room(image_source *s, stele_picture *p, uint64_t width, uint64_t height, uint64_t least_bytes)
{
    if (!width || !height)
        return st_image_refuse(s, "has no pixels");
    if (width > MOST_IMAGE_PIXELS || height > MOST_IMAGE_PIXELS || width * height > MOST_IMAGE_PIXELS)
        return st_image_refuse(s, "has too many pixels");
    if (least_bytes > s->size)
        return st_image_refuse(s, "is cut short");
    p->width = (uint32_t)width;
    p->height = (uint32_t)height;
    p->rgba = st_arena_bytes(s->arena, width * height * 4);
    return p->rgba || st_image_refuse(s, "needs more memory than there is");
}

void st_image_mend_alpha(stele_picture *p)
{
    size_t bytes = (size_t)p->width * p->height * 4;
    for (size_t i = 3; i < bytes; i += 4)
        if (p->rgba[i])
            return;
    for (size_t i = 3; i < bytes; i += 4)
        p->rgba[i] = 255;
}

uint8_t st_masked_byte(uint32_t pixel, uint32_t mask)
{
    if (!mask)
        return 0;
    int shift = __builtin_ctz(mask);
    uint64_t most = mask >> shift, value = (pixel & mask) >> shift;
    return (uint8_t)(most == 255 ? value : (value * 255 + most / 2) / most);
}

/* Kinds of images, by what they begin with. */
typedef struct image_kind {
    uint32_t offset, size;
    const char *magic;
    bool (*decode)(image_source *s, stele_picture *p); /* or NULL */
    const char *problem;                               /* then */
} image_kind;

static const image_kind kinds[] = {
    {0, 8, "\x89PNG\r\n\x1a\n", st_png_decode, NULL},
    {0, 3, "\xff\xd8\xff", st_jpeg_decode, NULL},
    {8, 4, "WEBP", st_webp_decode, NULL},
    {0, 4, "DDS ", st_dds_decode, NULL},
    {0, 2, "BM", st_bmp_decode, NULL},
    {0, 4, "\x13\xab\xa1\x5c", NULL, "is ASTC, which is not supported"},
    {0, 7, "\xabKTX 11", NULL, "is KTX, which is not supported"},
    {0, 7, "\xabKTX 20", NULL, "is KTX2, which is not supported"},
    {0, 4, "PVR\x03", NULL, "is PVR, which is not supported"},
    {44, 4, "PVR!", NULL, "is PVR, which is not supported"},
    {0, 2, "sB", NULL, "is Basis, which is not supported"},
    {0, 4, "GIF8", NULL, "is GIF, which is not supported"},
    {0, 4, "II*\0", NULL, "is TIFF, which is not supported"},
    {0, 4, "MM\0*", NULL, "is TIFF, which is not supported"},
    {0, 4, "8BPS", NULL, "is PSD, which is not supported"},
    {0, 4, "\x76\x2f\x31\x01", NULL, "is OpenEXR, which is not supported"},
    {0, 2, "#?", NULL, "is HDR, which is not supported"},
    {0, 4, "qoif", NULL, "is QOI, which is not supported"},
    {4, 8, "ftypavif", NULL, "is AVIF, which is not supported"},
};

static const image_kind *kind_of(const image_source *s)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const image_kind *k = &kinds[i];
        if (s->size >= k->offset + k->size && memcmp(s->data + k->offset, k->magic, k->size) == 0)
            return k;
    }
    return NULL;
}

/* TGA begins with nothing that tells: its name does, or the footer that newer files have. */
static bool is_tga(const image_source *s, const char *name)
{
    static const char footer[] = "TRUEVISION-XFILE.";
    size_t length = name ? strlen(name) : 0;
    if (length >= 4 && strcasecmp(name + length - 4, ".tga") == 0)
        return true;
    return s->size >= sizeof footer && memcmp(s->data + s->size - sizeof footer, footer, sizeof footer) == 0;
}

static bool decode(image_source *s, const char *name, stele_picture *p)
{
    const image_kind *kind = kind_of(s);
    if (kind && kind->decode)
        return kind->decode(s, p);
    if (is_tga(s, name))
        return st_tga_decode(s, p);
    if (kind)
        return st_image_refuse(s, kind->problem);
    return st_image_refuse(s, s->size ? "is not an image of a kind that is known" : "is empty");
}

bool st_image_decode(const void *data, uint64_t size, const char *name, arena *a, stele_picture *picture, const char **problem)
{
    image_source s = {.data = data, .size = size, .arena = a};
    arena_mark mark = st_arena_mark(a);
    *picture = (stele_picture){0};
    if (decode(&s, name, picture))
        return true;
    *picture = (stele_picture){0};
    *problem = s.problem;
    st_arena_rewind(a, mark);
    return false;
}
