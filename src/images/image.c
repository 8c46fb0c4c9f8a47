#include <strings.h>

#include "base/image_kind.h"
#include "decode.h"

const char st_image_too_large[] = "needs more memory than the limit allows (--memory-limit)";
const char st_image_too_costly[] = "needs more work than the limit allows (--work-limit)";

bool st_image_refuse(image_source *s, const char *problem)
{
    s->problem = problem;
    return false;
}

bool st_image_afford(const image_source *s, uint64_t pixels, uint64_t units)
{
    return st_work_left(s->arena) / units >= pixels && st_work(s->arena, pixels, units);
}

bool st_image_room(image_source *s, stele_picture *p, uint64_t width, uint64_t height, uint64_t least_bytes)
{
    if (!width || !height)
        return st_image_refuse(s, "has no pixels");
    if (width > MOST_IMAGE_PIXELS || height > MOST_IMAGE_PIXELS || width * height > MOST_IMAGE_PIXELS)
        return st_image_refuse(s, "has too many pixels");
    if (least_bytes > s->size)
        return st_image_refuse(s, "is cut short");
    /* an image that is too large is no reason to have no picture at all */
    enum { PIXEL_WORK = 12, PIXEL_BYTES = 6 }; /* with the smaller levels that are made of it */
    uint64_t pixels = width * height;
    if (st_arena_left(s->arena) < pixels * (PIXEL_BYTES + s->bytes_per_pixel))
        return st_image_refuse(s, st_image_too_large);
    if (!st_image_afford(s, pixels, PIXEL_WORK))
        return st_image_refuse(s, st_image_too_costly);
    p->width = (uint32_t)width;
    p->height = (uint32_t)height;
    if (s->only_size)
        return false;
    s->other_size = s->into.rgba && (s->into.width != width || s->into.height != height);
    if (s->other_size)
        return st_image_refuse(s, "is of another size");
    p->rgba = s->into.rgba;
    if (p->rgba)
        return true;
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

/* What is done with each kind. */
static const struct {
    bool (*decode)(image_source *s, stele_picture *p); /* or NULL */
    const char *problem;                               /* then */
} ways[IMAGE_KINDS] = {
    [IMAGE_UNKNOWN] = {NULL, "is not an image of a kind that is known"},
    [IMAGE_PNG] = {st_png_decode, NULL},
    [IMAGE_JPEG] = {st_jpeg_decode, NULL},
    [IMAGE_WEBP] = {st_webp_decode, NULL},
    [IMAGE_DDS] = {st_dds_decode, NULL},
    [IMAGE_BMP] = {st_bmp_decode, NULL},
    [IMAGE_TGA] = {NULL, "is not an image of a kind that is known"}, /* see is_tga */
    [IMAGE_ASTC] = {NULL, "is ASTC, which is not supported"},
    [IMAGE_KTX] = {NULL, "is KTX, which is not supported"},
    [IMAGE_KTX2] = {NULL, "is KTX2, which is not supported"},
    [IMAGE_PVR] = {NULL, "is PVR, which is not supported"},
    [IMAGE_BASIS] = {NULL, "is Basis, which is not supported"},
    [IMAGE_GIF] = {NULL, "is GIF, which is not supported"},
    [IMAGE_TIFF] = {NULL, "is TIFF, which is not supported"},
    [IMAGE_PSD] = {NULL, "is PSD, which is not supported"},
    [IMAGE_EXR] = {NULL, "is OpenEXR, which is not supported"},
    [IMAGE_HDR] = {NULL, "is HDR, which is not supported"},
    [IMAGE_QOI] = {NULL, "is QOI, which is not supported"},
    [IMAGE_AVIF] = {NULL, "is AVIF, which is not supported"},
};

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
    image_kind kind = st_image_kind(s->data, s->size);
    if (ways[kind].decode)
        return ways[kind].decode(s, p);
    if (is_tga(s, name))
        return st_tga_decode(s, p);
    return st_image_refuse(s, s->size ? ways[kind].problem : "is empty");
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

image_result st_image_decode_into(const void *data, uint64_t size, const char *name, stele_picture *picture,
                                  const char **problem)
{
    arena a;
    stele_picture made = {0};
    image_source s = {.data = data, .size = size, .arena = &a, .only_size = !picture->rgba, .into = *picture};
    st_arena_init(&a, &(stele_options){0});
    bool decoded = decode(&s, name, &made);
    bool known = ways[st_image_kind(data, size)].decode || is_tga(&s, name);
    st_arena_free(&a);
    *problem = s.problem ? s.problem : "";
    if (decoded || (s.only_size && made.width && !s.problem)) {
        picture->width = made.width;
        picture->height = made.height;
        return IMAGE_DECODED;
    }
    return !known ? IMAGE_UNSUPPORTED : s.other_size ? IMAGE_OF_OTHER_SIZE : IMAGE_DAMAGED;
}
