#include "decode.h"

#include <math.h>

enum { HEADER_SIZE = 128, LONG_HEADER_SIZE = 148, BLOCK = 4 };
enum { HAS_ALPHA = 1, HAS_FOURCC = 4, HAS_COLORS = 0x40, HAS_LUMINANCE = 0x20000 };

/* Decodes a block of 4 x 4 pixels. */
typedef void (*block_decoder)(const uint8_t *block, uint8_t pixels[BLOCK * BLOCK][4]);

typedef struct dds {
    uint64_t width, height;
    const uint8_t *at;
    block_decoder decode; /* or NULL: single pixels, by their masks */
    uint32_t block_size;  /* bytes of a block, or of a pixel */
    uint32_t masks[4];
    bool grey; /* the mask of red is that of all colours */
} dds;

/* ---- Blocks ------------------------------------------------------------------------------------------------------------ */

/* The colours of the first eight bytes: two are given, two are between them, or one is and the last is nothing. */
static void read_colors(const uint8_t *block, bool may_be_clear, uint8_t pixels[16][4])
{
    uint8_t colors[4][4];
    unsigned first = load_u16(block), second = load_u16(block + 2);
    for (unsigned i = 0; i < 2; i++) {
        unsigned color = i ? second : first;
        colors[i][0] = st_masked_byte(color, 0xf800);
        colors[i][1] = st_masked_byte(color, 0x07e0);
        colors[i][2] = st_masked_byte(color, 0x001f);
        colors[i][3] = 255;
    }
    bool three = may_be_clear && first <= second;
    for (int c = 0; c < 4; c++) {
        unsigned a = colors[0][c], b = colors[1][c];
        colors[2][c] = (uint8_t)(three ? (a + b + 1) / 2 : (2 * a + b + 1) / 3);
        colors[3][c] = (uint8_t)(three ? 0 : (a + 2 * b + 1) / 3);
    }
    uint32_t which = load_u32(block + 4);
    for (int i = 0; i < 16; i++, which >>= 2)
        memcpy(pixels[i], colors[which & 3], 4);
}

/* One channel in eight bytes: two values are given, and six or four are between them. */
static void read_channel(const uint8_t *block, int channel, uint8_t pixels[16][4])
{
    unsigned values[8] = {block[0], block[1], 0, 0, 0, 0, 0, 255};
    unsigned steps = values[0] > values[1] ? 7 : 5;
    for (unsigned i = 1; i < steps; i++)
        values[i + 1] = ((steps - i) * values[0] + i * values[1] + steps / 2) / steps;
    uint64_t which = load_u64(block) >> 16;
    for (int i = 0; i < 16; i++, which >>= 3)
        pixels[i][channel] = (uint8_t)values[which & 7];
}

static void decode_bc1(const uint8_t *block, uint8_t pixels[16][4])
{
    read_colors(block, true, pixels);
}

static void decode_bc2(const uint8_t *block, uint8_t pixels[16][4])
{
    read_colors(block + 8, false, pixels);
    for (int i = 0; i < 16; i++)
        pixels[i][3] = (uint8_t)((block[i / 2] >> (i % 2 * 4) & 15) * 17);
}

static void decode_bc3(const uint8_t *block, uint8_t pixels[16][4])
{
    read_colors(block + 8, false, pixels);
    read_channel(block, 3, pixels);
}

/* One channel: grey. */
static void decode_bc4(const uint8_t *block, uint8_t pixels[16][4])
{
    read_channel(block, 0, pixels);
    for (int i = 0; i < 16; i++) {
        pixels[i][1] = pixels[i][2] = pixels[i][0];
        pixels[i][3] = 255;
    }
}

/* Two channels: a normal of length 1 whose third is left out. */
static void decode_bc5(const uint8_t *block, uint8_t pixels[16][4])
{
    read_channel(block, 0, pixels);
    read_channel(block + 8, 1, pixels);
    for (int i = 0; i < 16; i++) {
        double x = pixels[i][0] / 127.5 - 1, y = pixels[i][1] / 127.5 - 1, rest = 1 - x * x - y * y;
        pixels[i][2] = (uint8_t)(127.5 + 127.5 * (rest > 0 ? sqrt(rest) : 0) + 0.5);
        pixels[i][3] = 255;
    }
}

/* ---- Headers ----------------------------------------------------------------------------------------------------------- */

static const struct block_kind {
    char fourcc[5];
    uint32_t first, last; /* the numbers of DirectX 10 for it, with and without sRGB; 0: none */
    uint32_t size;
    block_decoder decode;
} block_kinds[] = {
    {"DXT1", 70, 72, 8, decode_bc1}, {"DXT3", 73, 75, 16, decode_bc2}, {"DXT5", 76, 78, 16, decode_bc3},
    {"ATI1", 79, 80, 8, decode_bc4}, {"BC4U", 0, 0, 8, decode_bc4},    {"ATI2", 82, 83, 16, decode_bc5},
    {"BC5U", 0, 0, 16, decode_bc5},
};

static const struct mask_kind {
    uint32_t first, last;
    uint32_t masks[4];
} mask_kinds[] = {
    {27, 29, {0xff, 0xff00, 0xff0000, 0xff000000}}, {87, 87, {0xff0000, 0xff00, 0xff, 0xff000000}},
    {90, 91, {0xff0000, 0xff00, 0xff, 0xff000000}}, {88, 88, {0xff0000, 0xff00, 0xff, 0}},
    {92, 93, {0xff0000, 0xff00, 0xff, 0}},
};

static void set_blocks(dds *d, const struct block_kind *kind)
{
    d->decode = kind->decode;
    d->block_size = kind->size;
}

static bool read_long_header(image_source *s, dds *d)
{
    if (s->size < LONG_HEADER_SIZE)
        return st_image_refuse(s, "is cut short");
    uint32_t format = load_u32(s->data + HEADER_SIZE);
    d->at = s->data + LONG_HEADER_SIZE;
    for (size_t i = 0; i < sizeof block_kinds / sizeof *block_kinds; i++)
        if (format >= block_kinds[i].first && format <= block_kinds[i].last && format) {
            set_blocks(d, &block_kinds[i]);
            return true;
        }
    for (size_t i = 0; i < sizeof mask_kinds / sizeof *mask_kinds; i++)
        if (format >= mask_kinds[i].first && format <= mask_kinds[i].last) {
            memcpy(d->masks, mask_kinds[i].masks, sizeof d->masks);
            d->block_size = 4;
            return true;
        }
    if (format >= 94 && format <= 99)
        return st_image_refuse(s, format < 97 ? "is DDS with BC6H, which is not supported"
                                              : "is DDS with BC7, which is not supported");
    return st_image_refuse(s, "is a DDS of a kind that is not supported");
}

static bool read_fourcc(image_source *s, dds *d)
{
    const uint8_t *fourcc = s->data + 84;
    if (memcmp(fourcc, "DX10", 4) == 0)
        return read_long_header(s, d);
    for (size_t i = 0; i < sizeof block_kinds / sizeof *block_kinds; i++)
        if (memcmp(fourcc, block_kinds[i].fourcc, 4) == 0) {
            set_blocks(d, &block_kinds[i]);
            return true;
        }
    return st_image_refuse(s, "is a DDS of a kind that is not supported");
}

static bool read_masks(image_source *s, dds *d, uint32_t flags)
{
    uint32_t bits = load_u32(s->data + 88);
    if ((bits != 8 && bits != 16 && bits != 24 && bits != 32) || !(flags & (HAS_COLORS | HAS_LUMINANCE)))
        return st_image_refuse(s, "is a DDS of a kind that is not supported");
    d->block_size = bits / 8;
    for (int i = 0; i < 4; i++)
        d->masks[i] = load_u32(s->data + 92 + 4 * i);
    if (!(flags & HAS_ALPHA))
        d->masks[3] = 0;
    d->grey = flags & HAS_LUMINANCE;
    return true;
}

static bool read_header(image_source *s, dds *d)
{
    if (s->size < HEADER_SIZE)
        return st_image_refuse(s, "is cut short");
    d->height = load_u32(s->data + 12);
    d->width = load_u32(s->data + 16);
    d->at = s->data + HEADER_SIZE;
    uint32_t flags = load_u32(s->data + 80);
    return flags & HAS_FOURCC ? read_fourcc(s, d) : read_masks(s, d, flags);
}

/* ---- Pixels ------------------------------------------------------------------------------------------------------------ */

static uint64_t blocks_of(uint64_t size)
{
    return (size + BLOCK - 1) / BLOCK;
}

static void read_blocks(const dds *d, stele_picture *p)
{
    const uint8_t *block = d->at;
    for (uint32_t top = 0; top < p->height; top += BLOCK)
        for (uint32_t left = 0; left < p->width; left += BLOCK, block += d->block_size) {
            uint8_t pixels[BLOCK * BLOCK][4];
            d->decode(block, pixels);
            uint32_t width = p->width - left < BLOCK ? p->width - left : BLOCK;
            for (uint32_t y = 0; y < BLOCK && top + y < p->height; y++)
                memcpy(p->rgba + 4 * ((size_t)(top + y) * p->width + left), pixels[BLOCK * y], (size_t)width * 4);
        }
}

static void read_pixels(const dds *d, stele_picture *p)
{
    size_t count = (size_t)p->width * p->height;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *at = d->at + i * d->block_size;
        uint8_t *out = p->rgba + 4 * i;
        uint32_t pixel = 0;
        for (uint32_t b = 0; b < d->block_size; b++)
            pixel |= (uint32_t)at[b] << 8 * b;
        for (int c = 0; c < 4; c++)
            out[c] = st_masked_byte(pixel, d->masks[d->grey && c < 3 ? 0 : c]);
        if (!d->masks[3])
            out[3] = 255;
    }
}

/* The largest picture of the file: the first side of a cube, the first layer of many. */
bool st_dds_decode(image_source *s, stele_picture *p)
{
    dds d = {0};
    if (!read_header(s, &d))
        return false;
    uint64_t blocks = d.decode ? blocks_of(d.width) * blocks_of(d.height) : d.width * d.height;
    if (!st_image_room(s, p, d.width, d.height, (uint64_t)(d.at - s->data) + blocks * d.block_size))
        return false;
    if (d.decode)
        read_blocks(&d, p);
    else
        read_pixels(&d, p);
    return true;
}
