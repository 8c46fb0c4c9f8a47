#include "decode.h"

enum { HEADER_SIZE = 18, MOST_RUN = 128 };

typedef enum tga_pixels { PALETTE = 1, COLORS = 2, GREYS = 3 } tga_pixels;

typedef struct tga {
    tga_pixels pixels;
    bool packed; /* runs of equal pixels */
    uint64_t width, height;
    uint32_t pixel_size;    /* bytes of one in the file */
    uint32_t color_size;    /* of a colour, which is that of the palette if there is one */
    bool has_alpha_bit;     /* of 16 bits one is alpha */
    bool from_top, to_left; /* where rows and pixels go; from the bottom and to the right otherwise */
    const uint8_t *palette;
    uint32_t palette_first, palette_count;
    const uint8_t *at, *end;
} tga;

static bool read_header(image_source *s, tga *t)
{
    if (s->size < HEADER_SIZE)
        return st_image_refuse(s, "is cut short");
    const uint8_t *h = s->data;
    uint32_t palette_bits = h[1] ? h[7] : 0;
    t->pixels = (tga_pixels)(h[2] & 7);
    t->packed = h[2] & 8;
    t->palette_first = load_u16(h + 3);
    t->palette_count = h[1] ? load_u16(h + 5) : 0;
    t->width = load_u16(h + 12);
    t->height = load_u16(h + 14);
    t->pixel_size = (h[16] + 7u) / 8;
    t->color_size = t->pixels == PALETTE ? (palette_bits + 7) / 8 : t->pixel_size;
    t->has_alpha_bit = h[17] & 15;
    t->from_top = h[17] & 0x20;
    t->to_left = h[17] & 0x10;
    uint64_t palette_size = (uint64_t)t->palette_count * ((palette_bits + 7) / 8);
    if (HEADER_SIZE + h[0] + palette_size > s->size)
        return st_image_refuse(s, "is cut short");
    t->palette = h + HEADER_SIZE + h[0];
    t->at = t->palette + palette_size;
    t->end = s->data + s->size;
    return true;
}

static bool is_known(const uint8_t *header, const tga *t)
{
    if (header[1] > 1 || header[2] & ~11)
        return false;
    switch (t->pixels) {
    case PALETTE: return t->palette_count && t->pixel_size <= 2 && t->pixel_size && t->color_size >= 2 && t->color_size <= 4;
    case COLORS: return t->pixel_size >= 2 && t->pixel_size <= 4;
    case GREYS: return t->pixel_size == 1 || t->pixel_size == 2;
    default: return false;
    }
}

static void read_color(const tga *t, const uint8_t *color, uint8_t *out)
{
    if (t->pixels == GREYS) {
        out[0] = out[1] = out[2] = color[0];
        out[3] = t->color_size == 2 ? color[1] : 255;
    } else if (t->color_size == 2) {
        uint32_t bits = load_u16(color);
        out[0] = st_masked_byte(bits, 0x7c00);
        out[1] = st_masked_byte(bits, 0x03e0);
        out[2] = st_masked_byte(bits, 0x001f);
        out[3] = !t->has_alpha_bit || bits & 0x8000 ? 255 : 0;
    } else {
        out[0] = color[2];
        out[1] = color[1];
        out[2] = color[0];
        out[3] = t->color_size == 4 ? color[3] : 255;
    }
}

static bool read_pixel(const tga *t, const uint8_t *pixel, uint8_t *out)
{
    if (t->pixels == PALETTE) {
        uint32_t index = (t->pixel_size == 1 ? *pixel : load_u16(pixel)) - t->palette_first;
        if (index >= t->palette_count) /* below the first one, it has wrapped */
            return false;
        pixel = t->palette + (size_t)index * t->color_size;
    }
    read_color(t, pixel, out);
    return true;
}

/* Where the pixel that comes next in the file is in the picture. */
static uint8_t *place(const tga *t, const stele_picture *p, uint64_t index)
{
    uint64_t x = index % t->width, y = index / t->width;
    if (t->to_left)
        x = t->width - 1 - x;
    if (!t->from_top)
        y = t->height - 1 - y;
    return p->rgba + 4 * (y * t->width + x);
}

static bool read_pixels(image_source *s, tga *t, stele_picture *p)
{
    uint64_t count = t->width * t->height, run = t->packed ? 0 : count;
    bool repeats = false;
    for (uint64_t i = 0; i < count; i++) {
        if (!run) {
            if (t->at == t->end)
                return st_image_refuse(s, "is cut short");
            repeats = *t->at & 0x80;
            run = (*t->at++ & 0x7f) + 1u;
        }
        if ((uint64_t)(t->end - t->at) < t->pixel_size)
            return st_image_refuse(s, "is cut short");
        if (!read_pixel(t, t->at, place(t, p, i)))
            return st_image_refuse(s, "has pixels beyond its palette");
        run--;
        if (!repeats || !run)
            t->at += t->pixel_size;
    }
    return true;
}

bool st_tga_decode(image_source *s, stele_picture *p)
{
    tga t = {0};
    if (!read_header(s, &t))
        return false;
    if (!is_known(s->data, &t))
        return st_image_refuse(s, "is a TGA of a kind that is not supported");
    uint64_t count = t.width * t.height, before = (uint64_t)(t.at - s->data);
    uint64_t least = t.packed ? (count + MOST_RUN - 1) / MOST_RUN * (1 + t.pixel_size) : count * t.pixel_size;
    if (!st_image_room(s, p, t.width, t.height, before + least) || !read_pixels(s, &t, p))
        return false;
    st_image_mend_alpha(p);
    return true;
}
