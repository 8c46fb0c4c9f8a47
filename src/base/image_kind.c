#include "image_kind.h"

#include <stddef.h>
#include <string.h>

#include "bytes.h"
#include "text.h"

typedef struct magic {
    image_kind kind;
    uint32_t offset, size;
    const char *bytes;
} magic;

static const magic magics[] = {
    {IMAGE_PNG, 0, 8, "\x89PNG\r\n\x1a\n"},
    {IMAGE_JPEG, 0, 3, "\xff\xd8\xff"},
    {IMAGE_WEBP, 8, 4, "WEBP"},
    {IMAGE_DDS, 0, 4, "DDS "},
    {IMAGE_BMP, 0, 2, "BM"},
    {IMAGE_ASTC, 0, 4, "\x13\xab\xa1\x5c"},
    {IMAGE_KTX, 0, 7, "\xabKTX 11"},
    {IMAGE_KTX2, 0, 7, "\xabKTX 20"},
    {IMAGE_PVR, 0, 4, "PVR\x03"},
    {IMAGE_PVR, 44, 4, "PVR!"},
    {IMAGE_BASIS, 0, 2, "sB"},
    {IMAGE_GIF, 0, 4, "GIF8"},
    {IMAGE_TIFF, 0, 4, "II*\0"},
    {IMAGE_TIFF, 0, 4, "MM\0*"},
    {IMAGE_PSD, 0, 4, "8BPS"},
    {IMAGE_EXR, 0, 4, "\x76\x2f\x31\x01"},
    {IMAGE_HDR, 0, 2, "#?"},
    {IMAGE_QOI, 0, 4, "qoif"},
    {IMAGE_AVIF, 4, 8, "ftypavif"},
};

static const char *const extensions[IMAGE_KINDS] = {
    [IMAGE_UNKNOWN] = "", [IMAGE_PNG] = "png",     [IMAGE_JPEG] = "jpg jpeg", [IMAGE_WEBP] = "webp",     [IMAGE_DDS] = "dds",
    [IMAGE_BMP] = "bmp",  [IMAGE_TGA] = "tga",     [IMAGE_ASTC] = "astc",     [IMAGE_KTX] = "ktx",       [IMAGE_KTX2] = "ktx2",
    [IMAGE_PVR] = "pvr",  [IMAGE_BASIS] = "basis", [IMAGE_GIF] = "gif",       [IMAGE_TIFF] = "tif tiff", [IMAGE_PSD] = "psd",
    [IMAGE_EXR] = "exr",  [IMAGE_HDR] = "hdr",     [IMAGE_QOI] = "qoi",       [IMAGE_AVIF] = "avif",
};

enum { TGA_HEADER = 18 };

static bool makes_sense_as_tga(const uint8_t *h, uint64_t size)
{
    if (size < TGA_HEADER || h[1] > 1 || h[2] & ~11 || !(h[2] & 3) || !h[16] || h[16] > 32)
        return false;
    uint64_t pixel = (h[16] + 7u) / 8, pixels = (uint64_t)load_u16(h + 12) * load_u16(h + 14);
    uint64_t palette = h[1] ? (uint64_t)load_u16(h + 5) * ((h[7] + 7u) / 8) : 0;
    uint64_t least = h[2] & 8 ? pixels / 128 : pixels * pixel; /* a run of one pixel is 128 of them at most */
    return pixels && size >= TGA_HEADER + h[0] + palette + least;
}

image_kind st_image_kind(const void *data, uint64_t size)
{
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
        const magic *m = &magics[i];
        if (size >= m->offset + m->size && memcmp((const uint8_t *)data + m->offset, m->bytes, m->size) == 0)
            return m->kind;
    }
    return makes_sense_as_tga(data, size) ? IMAGE_TGA : IMAGE_UNKNOWN;
}

/* ---- Whether it is whole ---- */

static uint32_t big_u32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t checksum(const uint32_t table[256], const uint8_t *data, uint64_t size)
{
    uint32_t sum = UINT32_MAX;
    for (uint64_t i = 0; i < size; i++)
        sum = table[(sum ^ data[i]) & 255] ^ sum >> 8;
    return ~sum;
}

/* Chunks of a length, a name, data and a checksum of the last two, from IHDR to IEND. */
static const char *png_flaw(const uint8_t *data, uint64_t size)
{
    enum { START = 8, AROUND = 12 };
    uint32_t table[256];
    bool pixels = false;
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] & 1 ? 0xedb88320 ^ table[i] >> 1 : table[i] >> 1;
    }
    for (uint64_t at = START;;) {
        if (size - at < AROUND)
            return "is cut off";
        uint64_t length = settled_u64(big_u32(data + at));
        const uint8_t *name = data + at + 4;
        if (size - at - AROUND < length)
            return "is cut off";
        if (at == START && memcmp(name, "IHDR", 4) != 0)
            return "does not begin as a PNG should";
        if (checksum(table, name, length + 4) != big_u32(name + 4 + length))
            return "is damaged: a checksum is wrong";
        pixels |= memcmp(name, "IDAT", 4) == 0;
        if (memcmp(name, "IEND", 4) == 0)
            return pixels ? NULL : "has no pixels";
        at += AROUND + length;
    }
}

/* Segments of a marker and a length up to the pixels, which the marker of the end follows somewhere. */
static const char *jpeg_flaw(const uint8_t *data, uint64_t size)
{
    uint64_t at = 2;
    while (size - at >= 4 && data[at] == 0xff && data[at + 1] != 0xda) {
        uint64_t length = settled_u64(data[at + 1] == 0xff ? 0 : 1 + ((uint64_t)data[at + 2] << 8 | data[at + 3]));
        if (size - at - 1 < length)
            return "is cut off";
        at += 1 + length;
    }
    if (size - at < 4)
        return "is cut off";
    if (data[at] != 0xff)
        return "is damaged: a segment begins where none is";
    for (uint64_t end = size; end > at + 4; end--)
        if (data[end - 2] == 0xff && data[end - 1] == 0xd9)
            return NULL;
    return "is cut off";
}

static const char *riff_flaw(const uint8_t *data, uint64_t size)
{
    return size < 12 || load_u32(data + 4) > size - 8 ? "is cut off" : NULL;
}

const char *st_image_flaw(const void *data, uint64_t size)
{
    switch (st_image_kind(data, size)) {
    case IMAGE_UNKNOWN: return "is no image";
    case IMAGE_PNG: return png_flaw(data, size);
    case IMAGE_JPEG: return jpeg_flaw(data, size);
    case IMAGE_WEBP: return riff_flaw(data, size);
    default: return NULL;
    }
}

/* ---- Names ---- */

const char *st_image_extensions(image_kind kind)
{
    return extensions[kind];
}

bool st_has_extension(const char *name, const char *list)
{
    const char *dot = strrchr(name, '.');
    size_t length = dot ? strlen(dot + 1) : 0;
    for (const char *word = list; length && *word; word += strspn(word, " ")) {
        size_t size = strcspn(word, " ");
        if (size == length && st_same_letters(word, dot + 1, size))
            return true;
        word += size;
    }
    return false;
}

bool st_names_image(const char *name)
{
    for (image_kind kind = IMAGE_PNG; kind < IMAGE_KINDS; kind++)
        if (st_has_extension(name, extensions[kind]))
            return true;
    return false;
}
