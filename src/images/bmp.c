#include "decode.h"

enum { FILE_HEADER_SIZE = 14, OLD_HEADER_SIZE = 12, HEADER_SIZE = 40, LONGEST_HEADER = 124 };
enum { PLAIN = 0, MASKS = 3, MASKS_WITH_ALPHA = 6 };

typedef struct bmp {
    uint64_t width, height, row_size;
    bool from_top;
    uint32_t bits;     /* of a pixel */
    uint32_t masks[4]; /* red, green, blue, alpha */
    const uint8_t *palette, *pixels;
    uint32_t palette_count, palette_stride;
} bmp;

/* The first header of Windows and OS/2, with 16-bit sizes. */
static bool read_old_header(const uint8_t *h, bmp *b)
{
    b->width = load_u16(h + 4);
    b->height = load_u16(h + 6);
    b->bits = load_u16(h + 10);
    b->palette_stride = 3;
    return true;
}

static bool read_new_header(image_source *s, const uint8_t *h, uint64_t size, bmp *b)
{
    int64_t width = (int32_t)load_u32(h + 4), height = (int32_t)load_u32(h + 8);
    uint32_t packing = load_u32(h + 16);
    b->width = width > 0 ? (uint64_t)width : 0;
    b->height = (uint64_t)(height < 0 ? -height : height);
    b->from_top = height < 0;
    b->bits = load_u16(h + 14);
    b->palette_count = load_u32(h + 32);
    b->palette_stride = 4;
    if (packing == PLAIN)
        return true;
    if ((packing != MASKS && packing != MASKS_WITH_ALPHA) || (b->bits != 16 && b->bits != 32))
        return st_image_refuse(s, "is a packed BMP, which is not supported");
    /* the masks follow the short header, or are in the longer one at the same place */
    uint32_t count = size >= 56 || packing == MASKS_WITH_ALPHA ? 4 : 3;
    if (s->size < FILE_HEADER_SIZE + HEADER_SIZE + 4 * count)
        return st_image_refuse(s, "is cut short");
    for (uint32_t i = 0; i < count; i++)
        b->masks[i] = load_u32(h + HEADER_SIZE + 4 * i);
    return true;
}

static void set_usual_masks(bmp *b)
{
    static const uint32_t masks16[4] = {0x7c00, 0x03e0, 0x001f, 0}, masks32[4] = {0xff0000, 0xff00, 0xff, 0xff000000};
    if (!b->masks[0] && !b->masks[1] && !b->masks[2])
        memcpy(b->masks, b->bits == 16 ? masks16 : masks32, sizeof b->masks);
}

static bool read_header(image_source *s, bmp *b)
{
    if (s->size < FILE_HEADER_SIZE + OLD_HEADER_SIZE)
        return st_image_refuse(s, "is cut short");
    uint64_t pixels = load_u32(s->data + 10), size = load_u32(s->data + FILE_HEADER_SIZE);
    const uint8_t *h = s->data + FILE_HEADER_SIZE;
    if (size != OLD_HEADER_SIZE && (size < HEADER_SIZE || size > LONGEST_HEADER))
        return st_image_refuse(s, "is a BMP of a kind that is not supported");
    if (s->size < FILE_HEADER_SIZE + size || pixels > s->size)
        return st_image_refuse(s, "is cut short");
    if (!(size == OLD_HEADER_SIZE ? read_old_header(h, b) : read_new_header(s, h, size, b)))
        return false;
    if (b->bits != 1 && b->bits != 4 && b->bits != 8 && b->bits != 16 && b->bits != 24 && b->bits != 32)
        return st_image_refuse(s, "is a BMP of a kind that is not supported");
    set_usual_masks(b);
    b->row_size = (b->width * b->bits + 31) / 32 * 4;
    b->palette = h + size;
    b->pixels = s->data + pixels;
    uint64_t most = b->bits <= 8 ? 1u << b->bits : 0, there = (s->size - FILE_HEADER_SIZE - size) / b->palette_stride;
    if (!b->palette_count || b->palette_count > most)
        b->palette_count = (uint32_t)most;
    if (b->palette_count > there)
        b->palette_count = (uint32_t)there;
    return true;
}

static bool read_indexed(const bmp *b, const uint8_t *row, uint64_t x, uint8_t *out)
{
    uint64_t bit = x * b->bits;
    uint32_t index = (uint32_t)row[bit / 8] >> (8 - b->bits - bit % 8) & ((1u << b->bits) - 1);
    if (index >= b->palette_count)
        return false;
    const uint8_t *color = b->palette + (size_t)index * b->palette_stride;
    out[0] = color[2];
    out[1] = color[1];
    out[2] = color[0];
    out[3] = 255;
    return true;
}

static bool read_pixel(const bmp *b, const uint8_t *row, uint64_t x, uint8_t *out)
{
    if (b->bits <= 8)
        return read_indexed(b, row, x, out);
    if (b->bits == 24) {
        out[0] = row[3 * x + 2];
        out[1] = row[3 * x + 1];
        out[2] = row[3 * x];
        out[3] = 255;
        return true;
    }
    uint32_t pixel = b->bits == 16 ? load_u16(row + 2 * x) : load_u32(row + 4 * x);
    for (int i = 0; i < 4; i++)
        out[i] = st_masked_byte(pixel, b->masks[i]);
    if (!b->masks[3])
        out[3] = 255;
    return true;
}

bool st_bmp_decode(image_source *s, stele_picture *p)
{
    bmp b = {0};
    if (!read_header(s, &b))
        return false;
    if (!st_image_room(s, p, b.width, b.height, (uint64_t)(b.pixels - s->data) + b.row_size * b.height))
        return false;
    for (uint64_t y = 0; y < b.height; y++) {
        const uint8_t *row = b.pixels + b.row_size * (b.from_top ? y : b.height - 1 - y);
        for (uint64_t x = 0; x < b.width; x++)
            if (!read_pixel(&b, row, x, p->rgba + 4 * (y * b.width + x)))
                return st_image_refuse(s, "has pixels beyond its palette");
    }
    st_image_mend_alpha(p);
    return true;
}
