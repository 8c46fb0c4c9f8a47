/* Images: files whose pixels are known, written out in full or by another program; cut at every byte, and lying about their
 * size. */
#include "literal.h"

#include <webp/mux_types.h>
#include <zlib.h>

#include "images/font.h"
#include "images/image.h"

/* clang-format off */
/* By a few lines of Python with zlib. */
static const uint8_t png_rgba[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x02,
    0x00, 0x00, 0x00, 0x02, 0x08, 0x06, 0x00, 0x00, 0x00, 0x72, 0xb6, 0x0d, 0x24, 0x00, 0x00, 0x00, 0x1a, 0x49, 0x44, 0x41,
    0x54, 0x78, 0xda, 0x63, 0x60, 0x64, 0x62, 0x66, 0x61, 0x65, 0x63, 0xe7, 0x60, 0xf8, 0xf5, 0xfb, 0xcf, 0xdf, 0x7f, 0xff,
    0x19, 0x18, 0x01, 0x22, 0x4a, 0x06, 0x11, 0xec, 0x0d, 0xa1, 0x4f, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae,
    0x42, 0x60, 0x82,
};

static const uint8_t png_rgb16[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x01,
    0x00, 0x00, 0x00, 0x02, 0x10, 0x02, 0x00, 0x00, 0x00, 0x46, 0x73, 0xfd, 0x33, 0x00, 0x00, 0x00, 0x15, 0x49, 0x44, 0x41,
    0x54, 0x78, 0xda, 0x63, 0x10, 0x32, 0xf9, 0xff, 0xbf, 0xa1, 0x9e, 0x01, 0x08, 0x1a, 0xff, 0xfd, 0x07, 0x00, 0x25, 0x49,
    0x05, 0xc2, 0x98, 0x4f, 0xdc, 0x62, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
};

static const uint8_t png_palette[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x03,
    0x00, 0x00, 0x00, 0x01, 0x08, 0x03, 0x00, 0x00, 0x00, 0x2c, 0x3e, 0xe4, 0x86, 0x00, 0x00, 0x00, 0x09, 0x50, 0x4c, 0x54,
    0x45, 0x0a, 0x14, 0x1e, 0x28, 0x32, 0x3c, 0x46, 0x50, 0x5a, 0x16, 0xac, 0x84, 0x74, 0x00, 0x00, 0x00, 0x02, 0x74, 0x52,
    0x4e, 0x53, 0xff, 0x80, 0x08, 0x0f, 0xb3, 0x6a, 0x00, 0x00, 0x00, 0x0c, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0x60,
    0x62, 0x60, 0x04, 0x00, 0x00, 0x0b, 0x00, 0x04, 0x6a, 0x68, 0x1d, 0x20, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44,
    0xae, 0x42, 0x60, 0x82,
};

static const uint8_t png_bits[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x0a,
    0x00, 0x00, 0x00, 0x01, 0x01, 0x00, 0x00, 0x00, 0x00, 0xcf, 0x8e, 0x02, 0xd3, 0x00, 0x00, 0x00, 0x0b, 0x49, 0x44, 0x41,
    0x54, 0x78, 0xda, 0x63, 0x58, 0xea, 0x00, 0x00, 0x01, 0x8d, 0x00, 0xe6, 0x3c, 0x3e, 0x96, 0xc4, 0x00, 0x00, 0x00, 0x00,
    0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
};

static const uint8_t png_interlaced[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x03,
    0x00, 0x00, 0x00, 0x03, 0x08, 0x00, 0x00, 0x00, 0x01, 0x04, 0x44, 0xda, 0xf5, 0x00, 0x00, 0x00, 0x17, 0x49, 0x44, 0x41,
    0x54, 0x78, 0xda, 0x63, 0xe0, 0x66, 0x50, 0x64, 0xf0, 0x4d, 0x66, 0x10, 0x63, 0x88, 0x60, 0xd0, 0x31, 0x77, 0x02, 0x00,
    0x0c, 0x38, 0x01, 0xf0, 0x9c, 0x6c, 0x9b, 0xe4, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
};

static const uint8_t png_text[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x01,
    0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0x3a, 0x7e, 0x9b, 0x55, 0x00, 0x00, 0x00, 0x0d, 0x74, 0x45, 0x58,
    0x74, 0x43, 0x6f, 0x6d, 0x6d, 0x65, 0x6e, 0x74, 0x00, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0xe6, 0xff, 0xae, 0x24, 0x00, 0x00,
    0x00, 0x04, 0x67, 0x41, 0x4d, 0x41, 0x00, 0x00, 0xb1, 0x8f, 0x0b, 0xfc, 0x61, 0x05, 0x00, 0x00, 0x00, 0x0a, 0x49, 0x44,
    0x41, 0x54, 0x78, 0xda, 0x63, 0x60, 0x07, 0x00, 0x00, 0x09, 0x00, 0x08, 0x8d, 0xab, 0xb9, 0x01, 0x00, 0x00, 0x00, 0x00,
    0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
};

/* By cjpeg, and the inks by Pillow. */
static const uint8_t jpeg_color[] = {
    0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10, 0x4a, 0x46, 0x49, 0x46, 0x00, 0x01, 0x01, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00, 0x00,
    0xff, 0xdb, 0x00, 0x43, 0x00, 0x03, 0x02, 0x02, 0x03, 0x02, 0x02, 0x03, 0x03, 0x03, 0x03, 0x04, 0x03, 0x03, 0x04, 0x05,
    0x08, 0x05, 0x05, 0x04, 0x04, 0x05, 0x0a, 0x07, 0x07, 0x06, 0x08, 0x0c, 0x0a, 0x0c, 0x0c, 0x0b, 0x0a, 0x0b, 0x0b, 0x0d,
    0x0e, 0x12, 0x10, 0x0d, 0x0e, 0x11, 0x0e, 0x0b, 0x0b, 0x10, 0x16, 0x10, 0x11, 0x13, 0x14, 0x15, 0x15, 0x15, 0x0c, 0x0f,
    0x17, 0x18, 0x16, 0x14, 0x18, 0x12, 0x14, 0x15, 0x14, 0xff, 0xdb, 0x00, 0x43, 0x01, 0x03, 0x04, 0x04, 0x05, 0x04, 0x05,
    0x09, 0x05, 0x05, 0x09, 0x14, 0x0d, 0x0b, 0x0d, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14,
    0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14,
    0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0xff, 0xc0,
    0x00, 0x11, 0x08, 0x00, 0x08, 0x00, 0x09, 0x03, 0x01, 0x22, 0x00, 0x02, 0x11, 0x01, 0x03, 0x11, 0x01, 0xff, 0xc4, 0x00,
    0x15, 0x00, 0x01, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04,
    0xff, 0xc4, 0x00, 0x14, 0x10, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0xff, 0xc4, 0x00, 0x15, 0x01, 0x01, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x07, 0x08, 0xff, 0xc4, 0x00, 0x14, 0x11, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xda, 0x00, 0x0c, 0x03, 0x01, 0x00, 0x02, 0x11, 0x03, 0x11, 0x00, 0x3f,
    0x00, 0x90, 0x00, 0x7a, 0x90, 0x7f, 0xff, 0xd9,
};

static const uint8_t jpeg_grey[] = {
    0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10, 0x4a, 0x46, 0x49, 0x46, 0x00, 0x01, 0x01, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00, 0x00,
    0xff, 0xdb, 0x00, 0x43, 0x00, 0x02, 0x01, 0x01, 0x01, 0x01, 0x01, 0x02, 0x01, 0x01, 0x01, 0x02, 0x02, 0x02, 0x02, 0x02,
    0x04, 0x03, 0x02, 0x02, 0x02, 0x02, 0x05, 0x04, 0x04, 0x03, 0x04, 0x06, 0x05, 0x06, 0x06, 0x06, 0x05, 0x06, 0x06, 0x06,
    0x07, 0x09, 0x08, 0x06, 0x07, 0x09, 0x07, 0x06, 0x06, 0x08, 0x0b, 0x08, 0x09, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x06, 0x08,
    0x0b, 0x0c, 0x0b, 0x0a, 0x0c, 0x09, 0x0a, 0x0a, 0x0a, 0xff, 0xc2, 0x00, 0x0b, 0x08, 0x00, 0x08, 0x00, 0x08, 0x01, 0x01,
    0x11, 0x00, 0xff, 0xc4, 0x00, 0x14, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x03, 0xff, 0xda, 0x00, 0x08, 0x01, 0x01, 0x00, 0x00, 0x00, 0x01, 0x4f, 0xff, 0xc4, 0x00, 0x15, 0x10,
    0x01, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x17, 0xff, 0xda,
    0x00, 0x08, 0x01, 0x01, 0x00, 0x01, 0x05, 0x02, 0xbf, 0xbf, 0xff, 0xc4, 0x00, 0x17, 0x10, 0x00, 0x03, 0x01, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x36, 0xa4, 0xe2, 0xff, 0xda, 0x00, 0x08, 0x01,
    0x01, 0x00, 0x06, 0x3f, 0x02, 0x53, 0xbf, 0x07, 0xff, 0xc4, 0x00, 0x14, 0x10, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xda, 0x00, 0x08, 0x01, 0x01, 0x00, 0x01, 0x3f, 0x21,
    0x2f, 0xff, 0xda, 0x00, 0x08, 0x01, 0x01, 0x00, 0x00, 0x00, 0x10, 0x7f, 0xff, 0xc4, 0x00, 0x14, 0x10, 0x01, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xda, 0x00, 0x08, 0x01, 0x01,
    0x00, 0x01, 0x3f, 0x10, 0x07, 0xff, 0xd9,
};

static const uint8_t jpeg_inks[] = {
    0xff, 0xd8, 0xff, 0xee, 0x00, 0x0e, 0x41, 0x64, 0x6f, 0x62, 0x65, 0x00, 0x64, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xdb,
    0x00, 0x43, 0x00, 0x03, 0x02, 0x02, 0x03, 0x02, 0x02, 0x03, 0x03, 0x03, 0x03, 0x04, 0x03, 0x03, 0x04, 0x05, 0x08, 0x05,
    0x05, 0x04, 0x04, 0x05, 0x0a, 0x07, 0x07, 0x06, 0x08, 0x0c, 0x0a, 0x0c, 0x0c, 0x0b, 0x0a, 0x0b, 0x0b, 0x0d, 0x0e, 0x12,
    0x10, 0x0d, 0x0e, 0x11, 0x0e, 0x0b, 0x0b, 0x10, 0x16, 0x10, 0x11, 0x13, 0x14, 0x15, 0x15, 0x15, 0x0c, 0x0f, 0x17, 0x18,
    0x16, 0x14, 0x18, 0x12, 0x14, 0x15, 0x14, 0xff, 0xc0, 0x00, 0x14, 0x08, 0x00, 0x08, 0x00, 0x08, 0x04, 0x43, 0x11, 0x00,
    0x4d, 0x11, 0x00, 0x59, 0x11, 0x00, 0x4b, 0x11, 0x00, 0xff, 0xc4, 0x00, 0x16, 0x00, 0x01, 0x01, 0x01, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x08, 0x07, 0x09, 0xff, 0xc4, 0x00, 0x14, 0x10, 0x01, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xda, 0x00, 0x0e, 0x04,
    0x43, 0x00, 0x4d, 0x00, 0x59, 0x00, 0x4b, 0x00, 0x00, 0x3f, 0x00, 0x65, 0xa8, 0x61, 0x93, 0x44, 0x1f, 0xff, 0xd9,
};

/* By cwebp. */
static const uint8_t webp_lossless[] = {
    0x52, 0x49, 0x46, 0x46, 0x26, 0x00, 0x00, 0x00, 0x57, 0x45, 0x42, 0x50, 0x56, 0x50, 0x38, 0x4c, 0x1a, 0x00, 0x00, 0x00,
    0x2f, 0x01, 0x00, 0x00, 0x00, 0x0f, 0x70, 0x01, 0xb1, 0xcd, 0x27, 0x98, 0xa4, 0xa9, 0xf6, 0xff, 0xc9, 0x83, 0xf9, 0x0f,
    0xf6, 0x43, 0x05, 0x22, 0xfa, 0x1f,
};

/* clang-format on */

static arena scratch;

static int begin(void **unused)
{
    (void)unused;
    st_arena_init(&scratch, &(stele_options){.separate_allocations = true});
    return 0;
}

static int end(void **unused)
{
    (void)unused;
    st_arena_free(&scratch);
    return 0;
}

/* ---- What must come out ------------------------------------------------------------------------------------------------ */

/* The same through the header: first the size, then the pixels, into exactly as much memory. */
static void expect_public(const bytes *image, const char *name, const stele_picture *expected)
{
    stele_picture p = {0};
    char message[64];
    size_t size = (size_t)expected->width * expected->height * 4;
    assert_int_equal(stele_decode_picture(image->data, image->size, name, &p, message, sizeof message), STELE_OK);
    assert_string_equal(message, "ok");
    assert_true(p.width == expected->width && p.height == expected->height && !p.rgba);
    p.rgba = malloc(size);
    assert_non_null(p.rgba);
    assert_int_equal(stele_decode_picture(image->data, image->size, name, &p, NULL, 0), STELE_OK);
    assert_memory_equal(p.rgba, expected->rgba, size);
    p.width++;
    assert_int_equal(stele_decode_picture(image->data, image->size, name, &p, message, sizeof message), STELE_USAGE);
    assert_string_equal(message, "is of another size");
    assert_int_equal(p.width, expected->width + 1);
    free(p.rgba);
}

static void test_public_refusals(void **unused)
{
    (void)unused;
    stele_picture p = {0};
    char message[64];
    assert_int_equal(stele_decode_picture("GIF89a", 6, NULL, &p, message, sizeof message), STELE_UNSUPPORTED);
    assert_string_equal(message, "is GIF, which is not supported");
    assert_int_equal(stele_decode_picture(png_rgba, 20, NULL, &p, message, sizeof message), STELE_DAMAGED);
    assert_string_equal(message, "is cut short");
    assert_int_equal(stele_decode_picture(NULL, 0, NULL, &p, NULL, 0), STELE_UNSUPPORTED);
    assert_int_equal(stele_decode_picture(NULL, 5, NULL, &p, NULL, 0), STELE_USAGE);
    assert_int_equal(stele_decode_picture(png_rgba, sizeof png_rgba, NULL, NULL, NULL, 0), STELE_USAGE);
}

/* Beside the model, by its name. */
static void test_bytes_of_textures(void **unused)
{
    (void)unused;
    char path[1024];
    size_t size = 1;
    snprintf(path, sizeof path, "%s/samples/scribe.sgm", project_folder());
    stele_file *file = stele_open(path, NULL);
    const uint8_t *image = stele_texture_bytes(file, 0, &size);
    snprintf(path, sizeof path, "%s/samples/scribe.png", project_folder());
    bytes expected = read_bytes(path);
    assert_non_null(image);
    assert_int_equal(size, expected.size);
    assert_memory_equal(image, expected.data, size);
    assert_null(stele_texture_bytes(file, 99, &size));
    assert_int_equal(stele_file_status(file), STELE_USAGE);
    assert_int_equal(size, 0);
    assert_null(stele_texture_bytes(NULL, 0, NULL));
    stele_close(file);
    /* without a folder there is none */
    snprintf(path, sizeof path, "%s/samples/scribe.sgm", project_folder());
    bytes model = read_bytes(path);
    file = stele_open_memory(model.data, model.size, NULL);
    assert_null(stele_texture_bytes(file, 0, &size));
    assert_int_equal(stele_file_status(file), STELE_IO);
    stele_close(file);
    free(model.data);
    free(expected.data);
}

static void expect_pixels(const uint8_t *data, size_t size, const char *name, uint32_t width, uint32_t height,
                          const uint8_t *rgba, int tolerance)
{
    stele_picture p;
    const char *problem = NULL;
    bytes copy = copy_bytes(data, size);
    stele_picture only_size = {0};
    assert_int_equal(st_image_decode_into(copy.data, copy.size, name, &only_size, &problem), IMAGE_DECODED);
    assert_true(only_size.width == width && only_size.height == height);
    if (!st_image_decode(copy.data, copy.size, name, &scratch, &p, &problem))
        fail_msg("%s", problem);
    assert_int_equal(p.width, width);
    assert_int_equal(p.height, height);
    for (uint32_t i = 0; i < width * height * 4; i++)
        if (abs(p.rgba[i] - rgba[i]) > tolerance)
            fail_msg("channel %u of pixel %u is %d, not %d", i % 4, i / 4, p.rgba[i], rgba[i]);
    expect_public(&copy, name, &p);
    free(copy.data);
}

static void expect_refused(const uint8_t *data, size_t size, const char *name, const char *expected)
{
    stele_picture p = {9, 9, (uint8_t *)""};
    const char *problem = NULL;
    bytes copy = copy_bytes(data, size);
    uint64_t used = scratch.used;
    assert_false(st_image_decode(copy.data, copy.size, name, &scratch, &p, &problem));
    assert_non_null(problem);
    if (expected)
        assert_string_equal(problem, expected);
    assert_null(p.rgba);
    assert_int_equal(p.width, 0);
    assert_int_equal(scratch.used, used);
    free(copy.data);
}

#define EXPECT_PIXELS(image, name, width, height, ...)                                                                         \
    expect_pixels(LITERAL(image), name, width, height, (const uint8_t[]){__VA_ARGS__}, 0)

/* Cut anywhere it is refused, and changed anywhere it does no harm. */
static void expect_robust(const uint8_t *data, size_t size, const char *name)
{
    for (size_t cut = 0; cut < size; cut++)
        expect_refused(data, cut, name, NULL);
    arena_mark mark = st_arena_mark(&scratch);
    for (size_t at = 0; at < size; at++)
        for (int change = 1; change < 256; change = change * 5 + 2) {
            stele_picture p;
            const char *problem;
            bytes copy = copy_bytes(data, size);
            copy.data[at] ^= (uint8_t)change;
            st_image_decode(copy.data, copy.size, name, &scratch, &p, &problem);
            st_arena_rewind(&scratch, mark);
            free(copy.data);
        }
}

/* ---- PNG --------------------------------------------------------------------------------------------------------------- */

static void test_png(void **unused)
{
    (void)unused;
    EXPECT_PIXELS(png_rgba, NULL, 2, 2, 1, 2, 3, 4, 5, 6, 7, 8, 250, 251, 252, 253, 254, 255, 0, 1);
    /* 0x1234, 0x807f, 0x0081 and 0xfeff of 65535 as nearest of 255 */
    EXPECT_PIXELS(png_rgb16, "x.tga", 1, 2, 18, 255, 128, 255, 0, 1, 254, 255);
    EXPECT_PIXELS(png_palette, "", 3, 1, 70, 80, 90, 255, 10, 20, 30, 255, 40, 50, 60, 128);
    enum { O = 0, I = 255 };
    EXPECT_PIXELS(png_bits, NULL, 10, 1, I, I, I, I, O, O, O, I, I, I, I, I, O, O, O, I, O, O, O, I, I, I, I, I, O, O, O, I, I,
                  I, I, I, O, O, O, I, I, I, I, I);
    EXPECT_PIXELS(png_interlaced, NULL, 3, 3, 11, 11, 11, I, 22, 22, 22, I, 33, 33, 33, I, 44, 44, 44, I, 55, 55, 55, I, 66, 66,
                  66, I, 77, 77, 77, I, 88, 88, 88, I, 99, 99, 99, I);
    EXPECT_PIXELS(png_text, NULL, 1, 1, 7, 7, 7, 255);
    expect_robust(LITERAL(png_rgba), NULL);
    expect_robust(LITERAL(png_palette), NULL);
    expect_robust(LITERAL(png_interlaced), NULL);
    expect_robust(LITERAL(png_text), NULL);
}

/* A PNG of any size with nothing in it. */
static void expect_png_refused(uint32_t width, uint32_t height, const char *problem)
{
    uint8_t image[sizeof png_rgba];
    memcpy(image, png_rgba, sizeof image);
    for (int i = 0; i < 4; i++) {
        image[16 + i] = (uint8_t)(width >> (24 - 8 * i));
        image[20 + i] = (uint8_t)(height >> (24 - 8 * i));
    }
    uint32_t sum = (uint32_t)crc32(0, image + 12, 17);
    for (int i = 0; i < 4; i++)
        image[29 + i] = (uint8_t)(sum >> (24 - 8 * i));
    expect_refused(LITERAL(image), NULL, problem);
}

static void test_png_that_lies(void **unused)
{
    (void)unused;
    expect_png_refused(0, 1, "is a damaged PNG");
    expect_png_refused(60000, 60000, "has too many pixels");
    expect_png_refused(1 << 26, 1, "is cut short");
    expect_png_refused(0x7fffffff, 0x7fffffff, "is a damaged PNG");
    expect_png_refused(8000, 8000, "is cut short");
    expect_png_refused(2, 3, NULL);
    arena small;
    st_arena_init(&small, &(stele_options){.memory_limit = 8});
    stele_picture p;
    const char *problem;
    assert_false(st_image_decode(LITERAL(png_rgba), NULL, &small, &p, &problem));
    assert_string_equal(problem, "needs more memory than the limit allows (--memory-limit)");
    st_arena_free(&small);
}

/* What a sink took. */
typedef struct taken {
    uint8_t data[1 << 16];
    size_t size, limit; /* it fails beyond the limit, if there is one */
} taken;

static bool take(void *user, const void *data, size_t size)
{
    taken *t = user;
    if (t->limit && t->size + size > t->limit)
        return false;
    assert_true(size <= sizeof t->data - t->size);
    memcpy(t->data + t->size, data, size);
    t->size += size;
    return true;
}

static uint32_t big_u32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* A reader of PNG that knows only what we write: three chunks, no interlacing, rows as they are or as differences to the left.
 */
static void expect_png(const taken *png, const stele_picture *p, uint32_t channels)
{
    const uint8_t *at = png->data + 8;
    assert_memory_equal(png->data, "\x89PNG\r\n\x1a\n", 8);
    assert_memory_equal(at, "\0\0\0\x0dIHDR", 8);
    assert_int_equal(big_u32(at + 8), p->width);
    assert_int_equal(big_u32(at + 12), p->height);
    assert_memory_equal(at + 16, ((const uint8_t[]){8, channels == 4 ? 6 : 2, 0, 0, 0}), 5);
    assert_int_equal(big_u32(at + 21), crc32(0, at + 4, 17));
    at += 25;
    uint32_t packed = big_u32(at);
    assert_memory_equal(at + 4, "IDAT", 4);
    assert_int_equal(big_u32(at + 8 + packed), crc32(0, at + 4, packed + 4));
    uLongf size = p->height * (1 + p->width * channels), expected = size;
    uint8_t *rows = malloc(size);
    assert_int_equal(uncompress(rows, &size, at + 8, packed), Z_OK);
    assert_int_equal(size, expected);
    at += 12 + packed;
    assert_memory_equal(at, "\0\0\0\0IEND\xae\x42\x60\x82", 12);
    assert_int_equal(at + 12 - png->data, png->size);
    for (uint32_t y = 0; y < p->height; y++) {
        uint8_t *row = rows + y * (1 + p->width * channels) + 1;
        assert_true(row[-1] <= 1);
        for (uint32_t i = channels; row[-1] == 1 && i < p->width * channels; i++)
            row[i] = (uint8_t)(row[i] + row[i - channels]);
        for (uint32_t i = 0; i < p->width * channels; i++)
            assert_int_equal(row[i], p->rgba[4 * (y * p->width + i / channels) + i % channels]);
    }
    free(rows);
}

static void paint(uint8_t *rgba, uint32_t count, bool opaque)
{
    uint32_t state = 7;
    for (uint32_t i = 0; i < count * 4; i++) {
        state = state * 1664525 + 1013904223;
        rgba[i] = i % 4 == 3 && opaque ? 255 : (uint8_t)(state >> 24);
    }
}

static void test_writing_png(void **unused)
{
    (void)unused;
    static uint8_t rgba[37 * 21 * 4];
    static taken first, second;
    stele_picture p = {37, 21, rgba};
    for (int opaque = 0; opaque < 2; opaque++) {
        paint(rgba, 37 * 21, opaque);
        first = second = (taken){.size = 0};
        assert_true(st_image_encode_png(&p, take, &first));
        assert_true(st_image_encode_png(&p, take, &second));
        assert_int_equal(first.size, second.size);
        assert_memory_equal(first.data, second.data, first.size);
        expect_png(&first, &p, opaque ? 3 : 4);
        expect_pixels(first.data, first.size, NULL, 37, 21, rgba, 0);
    }
    for (size_t limit = 1; limit < first.size; limit += 29) {
        second = (taken){.limit = limit};
        assert_false(st_image_encode_png(&p, take, &second));
    }
    assert_false(st_image_encode_png(&(stele_picture){0, 1, rgba}, take, &second));
}

/* ---- JPEG -------------------------------------------------------------------------------------------------------------- */

static void test_jpeg(void **unused)
{
    (void)unused;
    uint8_t color[9 * 8 * 4], grey[8 * 8 * 4], inks[8 * 8 * 4];
    for (int i = 0; i < 9 * 8; i++)
        memcpy(color + 4 * i, ((const uint8_t[]){200, 100, 50, 255}), 4);
    for (int i = 0; i < 64; i++) {
        memset(grey + 4 * i, i < 32 ? 200 : 60, 3);
        grey[4 * i + 3] = 255;
        /* 20 %, 40 %, 80 % and 9.8 % of ink */
        memcpy(inks + 4 * i, ((const uint8_t[]){204 * 230 / 255, 153 * 230 / 255, 51 * 230 / 255, 255}), 4);
    }
    expect_pixels(LITERAL(jpeg_color), NULL, 9, 8, color, 1);
    expect_pixels(LITERAL(jpeg_grey), NULL, 8, 8, grey, 2);
    expect_pixels(LITERAL(jpeg_inks), NULL, 8, 8, inks, 2);
    expect_robust(LITERAL(jpeg_color), NULL);
    expect_robust(LITERAL(jpeg_grey), NULL);
    expect_robust(LITERAL(jpeg_inks), NULL);
}

static void expect_jpeg_refused(unsigned width, unsigned height, const char *problem)
{
    uint8_t image[sizeof jpeg_color];
    size_t at = 0;
    memcpy(image, jpeg_color, sizeof image);
    while (memcmp(image + at, "\xff\xc0\0\x11", 4) != 0)
        at++;
    image[at + 5] = (uint8_t)(height >> 8);
    image[at + 6] = (uint8_t)height;
    image[at + 7] = (uint8_t)(width >> 8);
    image[at + 8] = (uint8_t)width;
    expect_refused(LITERAL(image), NULL, problem);
}

static void test_jpeg_that_lies(void **unused)
{
    (void)unused;
    expect_jpeg_refused(0, 8, "is a damaged JPEG");
    expect_jpeg_refused(65535, 65535, "is a damaged JPEG"); /* the library knows 65500 */
    expect_jpeg_refused(65500, 65500, "has too many pixels");
    expect_jpeg_refused(8000, 8000, "is cut short");
}

/* ---- TGA --------------------------------------------------------------------------------------------------------------- */

/* A header: id length, palette, kind, first, count and bits of the palette, width, height, bits, flags. */
static pen tga_header(unsigned kind, unsigned palette_count, unsigned palette_bits, unsigned width, unsigned height,
                      unsigned bits, unsigned flags)
{
    pen p = {.size = 0};
    pen_bytes(&p, BYTES(3, palette_count != 0, (uint8_t)kind, 0, 0, (uint8_t)palette_count, (uint8_t)(palette_count >> 8),
                        (uint8_t)palette_bits, 0, 0, 0, 0, (uint8_t)width, (uint8_t)(width >> 8), (uint8_t)height,
                        (uint8_t)(height >> 8), (uint8_t)bits, (uint8_t)flags));
    pen_bytes(&p, "id.", 3);
    return p;
}

#define EXPECT_PEN(p, name, width, height, ...)                                                                                \
    do {                                                                                                                       \
        expect_pixels((p).data, (p).size, name, width, height, (const uint8_t[]){__VA_ARGS__}, 0);                             \
        expect_robust((p).data, (p).size, name);                                                                               \
    } while (0)

static void test_tga_of_colors(void **unused)
{
    (void)unused;
    pen p = tga_header(2, 0, 0, 2, 2, 24, 0); /* from the bottom */
    pen_bytes(&p, BYTES(3, 2, 1, 6, 5, 4, 30, 20, 10, 60, 50, 40));
    EXPECT_PEN(p, "a.TGA", 2, 2, 10, 20, 30, 255, 40, 50, 60, 255, 1, 2, 3, 255, 4, 5, 6, 255);
    p.data[17] = 0x20; /* from the top */
    EXPECT_PEN(p, "a.tga", 2, 2, 1, 2, 3, 255, 4, 5, 6, 255, 10, 20, 30, 255, 40, 50, 60, 255);
    p.data[17] = 0x30; /* from the right as well */
    EXPECT_PEN(p, "a.tga", 2, 2, 4, 5, 6, 255, 1, 2, 3, 255, 40, 50, 60, 255, 10, 20, 30, 255);
    expect_refused(p.data, p.size, "a.png", "is not an image of a kind that is known");
    expect_refused(p.data, p.size, NULL, "is not an image of a kind that is known");
    pen_bytes(&p, "\0\0\0\0\0\0\0\0TRUEVISION-XFILE.", 26); /* what a newer file ends with */
    expect_pixels(p.data, p.size, NULL, 2, 2, (const uint8_t[]){4, 5, 6, 255, 1, 2, 3, 255, 40, 50, 60, 255, 10, 20, 30, 255},
                  0);

    p = tga_header(2, 0, 0, 2, 1, 32, 0x28);
    pen_bytes(&p, BYTES(3, 2, 1, 0, 6, 5, 4, 77));
    EXPECT_PEN(p, "a.tga", 2, 1, 1, 2, 3, 0, 4, 5, 6, 77);
    p.data[p.size - 1] = 0; /* alpha that is nowhere is not meant */
    EXPECT_PEN(p, "a.tga", 2, 1, 1, 2, 3, 255, 4, 5, 6, 255);

    p = tga_header(2, 0, 0, 3, 1, 16, 0x21); /* a bit of alpha, then five of red, green, blue: 31 is 255, 16 is 132 */
    pen_bytes(&p, BYTES(0x1f, 0x80, 0xe0, 0x83, 0x00, 0x40));
    EXPECT_PEN(p, "a.tga", 3, 1, 0, 0, 255, 255, 0, 255, 0, 255, 132, 0, 0, 0);
    p.data[17] = 0x20;
    EXPECT_PEN(p, "a.tga", 3, 1, 0, 0, 255, 255, 0, 255, 0, 255, 132, 0, 0, 255);
}

static void test_tga_of_other_kinds(void **unused)
{
    (void)unused;
    pen p = tga_header(3, 0, 0, 2, 1, 8, 0);
    pen_bytes(&p, BYTES(9, 200));
    EXPECT_PEN(p, "a.tga", 2, 1, 9, 9, 9, 255, 200, 200, 200, 255);

    p = tga_header(1, 2, 24, 3, 1, 8, 0);
    pen_bytes(&p, BYTES(3, 2, 1, 6, 5, 4, 1, 0, 1));
    EXPECT_PEN(p, "a.tga", 3, 1, 4, 5, 6, 255, 1, 2, 3, 255, 4, 5, 6, 255);
    p.data[3] = 1; /* the palette begins with the second colour */
    expect_refused(p.data, p.size, "a.tga", "has pixels beyond its palette");
    p.data[p.size - 2] = 2;
    EXPECT_PEN(p, "a.tga", 3, 1, 1, 2, 3, 255, 4, 5, 6, 255, 1, 2, 3, 255);
    p.data[p.size - 2] = 3;
    expect_refused(p.data, p.size, "a.tga", "has pixels beyond its palette");

    p = tga_header(10, 0, 0, 3, 2, 24, 0x20); /* a run over the end of a row, then three single ones */
    pen_bytes(&p, BYTES(0x83, 3, 2, 1, 0x01, 6, 5, 4, 9, 8, 7));
    EXPECT_PEN(p, "a.tga", 3, 2, 1, 2, 3, 255, 1, 2, 3, 255, 1, 2, 3, 255, 1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255);
    p = tga_header(11, 0, 0, 4, 1, 8, 0); /* a run that is longer than the picture ends with it */
    pen_bytes(&p, BYTES(0x00, 5, 0xff, 6));
    EXPECT_PEN(p, "a.tga", 4, 1, 5, 5, 5, 255, 6, 6, 6, 255, 6, 6, 6, 255, 6, 6, 6, 255);
    p = tga_header(9, 1, 32, 2, 1, 8, 0);
    pen_bytes(&p, BYTES(3, 2, 1, 99, 0x81, 0));
    EXPECT_PEN(p, "a.tga", 2, 1, 1, 2, 3, 99, 1, 2, 3, 99);
}

static void test_tga_that_lies(void **unused)
{
    (void)unused;
    pen p = tga_header(2, 0, 0, 65535, 65535, 24, 0);
    expect_refused(p.data, p.size, "a.tga", "has too many pixels");
    p = tga_header(10, 0, 0, 8000, 8000, 24, 0);
    pen_bytes(&p, BYTES(0xff, 1, 2, 3));
    expect_refused(p.data, p.size, "a.tga", "is cut short");
    p = tga_header(2, 0, 0, 0, 1, 24, 0);
    expect_refused(p.data, p.size, "a.tga", "has no pixels");
    static const uint8_t bad[][2] = {{2, 8}, {2, 40}, {0, 24}, {3, 24}, {4, 24}, {32, 24}, {66, 24}, {1, 8}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        p = tga_header(bad[i][0], 0, 0, 1, 1, bad[i][1], 0);
        pen_bytes(&p, "12345678", 8);
        expect_refused(p.data, p.size, "a.tga", "is a TGA of a kind that is not supported");
    }
}

/* ---- BMP --------------------------------------------------------------------------------------------------------------- */

static void pen_u16(pen *p, unsigned value)
{
    pen_u8(p, value & 255);
    pen_u8(p, value >> 8);
}

static pen bmp_header(uint32_t header_size, uint32_t before_pixels, uint32_t width, uint32_t height, unsigned bits,
                      uint32_t packing)
{
    pen p = {.size = 0};
    pen_bytes(&p, "BM", 2);
    pen_u32(&p, 0);
    pen_u32(&p, 0);
    pen_u32(&p, 14 + before_pixels);
    pen_u32(&p, header_size);
    pen_u32(&p, width);
    pen_u32(&p, height);
    pen_u16(&p, 1);
    pen_u16(&p, bits);
    pen_u32(&p, packing);
    for (uint32_t i = 20; i < 40; i += 4)
        pen_u32(&p, 0);
    return p;
}

static void test_bmp(void **unused)
{
    (void)unused;
    pen p = bmp_header(40, 40, 1, 2, 24, 0); /* rows from the bottom, of four bytes */
    pen_bytes(&p, BYTES(3, 2, 1, 0xee, 6, 5, 4, 0xee));
    EXPECT_PEN(p, NULL, 1, 2, 4, 5, 6, 255, 1, 2, 3, 255);
    p = bmp_header(40, 40, 1, (uint32_t)-2, 24, 0);
    pen_bytes(&p, BYTES(3, 2, 1, 0xee, 6, 5, 4, 0xee));
    EXPECT_PEN(p, "x.bmp", 1, 2, 1, 2, 3, 255, 4, 5, 6, 255);

    p = bmp_header(40, 40, 2, 1, 32, 0);
    pen_bytes(&p, BYTES(3, 2, 1, 0, 6, 5, 4, 0)); /* the fourth byte is not used */
    EXPECT_PEN(p, NULL, 2, 1, 1, 2, 3, 255, 4, 5, 6, 255);
    p.data[p.size - 1] = 9; /* or is alpha */
    EXPECT_PEN(p, NULL, 2, 1, 1, 2, 3, 0, 4, 5, 6, 9);

    p = bmp_header(40, 40 + 12, 2, 1, 16, 3); /* masks of 5, 6, 5 bits: 63 is 255, 32 is 130 */
    pen_u32(&p, 0xf800);
    pen_u32(&p, 0x07e0);
    pen_u32(&p, 0x001f);
    pen_bytes(&p, BYTES(0xe0, 0x07, 0x00, 0xfc));
    EXPECT_PEN(p, NULL, 2, 1, 0, 255, 0, 255, 255, 130, 0, 255);

    p = bmp_header(56, 56, 1, 1, 32, 3); /* masks in a longer header, of any width */
    pen_u32(&p, 0xf0000000);
    pen_u32(&p, 0x0fff0000);
    pen_u32(&p, 0x00008000);
    pen_u32(&p, 0x00000003);
    pen_u32(&p, 0x58008002); /* 5 of 15, 2048 of 4095, 1 of 1, 2 of 3 */
    EXPECT_PEN(p, NULL, 1, 1, 85, 128, 255, 170);

    p = bmp_header(40, 40 + 8, 3, 1, 8, 0); /* a palette of two */
    p.data[46] = 2;
    pen_bytes(&p, BYTES(3, 2, 1, 0, 6, 5, 4, 0, 1, 0, 1, 0xee));
    EXPECT_PEN(p, NULL, 3, 1, 4, 5, 6, 255, 1, 2, 3, 255, 4, 5, 6, 255);
    p.data[p.size - 2] = 2;
    expect_refused(p.data, p.size, NULL, "has pixels beyond its palette");
    p = bmp_header(40, 40 + 8, 9, 1, 1, 0); /* bits */
    pen_bytes(&p, BYTES(3, 2, 1, 0, 6, 5, 4, 0, 0x41, 0x80, 0, 0));
    enum { A = 255 };
    EXPECT_PEN(p, NULL, 9, 1, 1, 2, 3, A, 4, 5, 6, A, 1, 2, 3, A, 1, 2, 3, A, 1, 2, 3, A, 1, 2, 3, A, 1, 2, 3, A, 4, 5, 6, A, 4,
               5, 6, A);
}

static void test_bmp_of_the_first_kind(void **unused)
{
    (void)unused;
    pen p = {.size = 0};
    pen_bytes(&p, BYTES('B', 'M', 0, 0, 0, 0, 0, 0, 0, 0, 14 + 12 + 48, 0, 0, 0, 12, 0, 0, 0, 3, 0, 1, 0, 1, 0, 4, 0));
    for (unsigned i = 0; i < 16; i++)
        pen_bytes(&p, BYTES((uint8_t)(3 * i + 2), (uint8_t)(3 * i + 1), (uint8_t)(3 * i)));
    pen_bytes(&p, BYTES(0xf0, 0x70, 0, 0));
    EXPECT_PEN(p, NULL, 3, 1, 45, 46, 47, 255, 0, 1, 2, 255, 21, 22, 23, 255);
}

static void test_bmp_that_lies(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t width, height, bits, packing;
        const char *problem;
    } lies[] = {
        {0x7fffffff, 0x7fffffff, 32, 0, "has too many pixels"},
        {0x7fffffff, 0x80000000, 32, 0, "has too many pixels"},
        {0x10000, 0x10000, 32, 0, "has too many pixels"},
        {8000, 8000, 1, 0, "is cut short"},
        {0x80000000, 1, 24, 0, "has no pixels"},
        {1, 0, 24, 0, "has no pixels"},
        {1, 1, 17, 0, "is a BMP of a kind that is not supported"},
        {1, 1, 8, 1, "is a packed BMP, which is not supported"},
        {1, 1, 24, 3, "is a packed BMP, which is not supported"},
    };
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        pen p = bmp_header(40, 40, lies[i].width, lies[i].height, lies[i].bits, lies[i].packing);
        pen_u32(&p, 0);
        expect_refused(p.data, p.size, NULL, lies[i].problem);
    }
    pen p = bmp_header(40, 0xfffffff0, 1, 1, 24, 0);
    pen_u32(&p, 0);
    expect_refused(p.data, p.size, NULL, "is cut short");
    p = bmp_header(41 + 124, 40, 1, 1, 24, 0);
    expect_refused(p.data, p.size, NULL, "is a BMP of a kind that is not supported");
}

/* ---- DDS --------------------------------------------------------------------------------------------------------------- */

static pen dds_header(uint32_t width, uint32_t height, uint32_t flags, const char *fourcc, uint32_t bits,
                      const uint32_t masks[4])
{
    pen p = {.size = 0};
    pen_bytes(&p, "DDS ", 4);
    pen_u32(&p, 124);
    pen_u32(&p, 0x1007);
    pen_u32(&p, height);
    pen_u32(&p, width);
    for (int i = 0; i < 14; i++)
        pen_u32(&p, 0);
    pen_u32(&p, 32);
    pen_u32(&p, flags);
    pen_bytes(&p, fourcc, 4);
    pen_u32(&p, bits);
    for (int i = 0; i < 4; i++)
        pen_u32(&p, masks ? masks[i] : 0);
    for (int i = 0; i < 5; i++)
        pen_u32(&p, 0);
    assert_int_equal(p.size, 128);
    return p;
}

static pen dds_long_header(uint32_t width, uint32_t height, uint32_t format)
{
    pen p = dds_header(width, height, 4, "DX10", 0, NULL);
    pen_u32(&p, format);
    for (int i = 0; i < 4; i++)
        pen_u32(&p, i == 0 ? 3 : 1);
    return p;
}

static void test_dds_of_pixels(void **unused)
{
    (void)unused;
    pen p = dds_header(2, 1, 0x41, "\0\0\0", 32, (const uint32_t[]){0xff0000, 0xff00, 0xff, 0xff000000});
    pen_bytes(&p, BYTES(3, 2, 1, 0, 6, 5, 4, 77));
    EXPECT_PEN(p, NULL, 2, 1, 1, 2, 3, 0, 4, 5, 6, 77);
    p.data[80] = 0x40; /* without alpha */
    EXPECT_PEN(p, NULL, 2, 1, 1, 2, 3, 255, 4, 5, 6, 255);
    p = dds_header(1, 2, 0x40, "\0\0\0", 24, (const uint32_t[]){0xff, 0xff00, 0xff0000, 0});
    pen_bytes(&p, BYTES(1, 2, 3, 4, 5, 6)); /* rows are not filled up */
    EXPECT_PEN(p, NULL, 1, 2, 1, 2, 3, 255, 4, 5, 6, 255);
    p = dds_header(1, 1, 0x41, "\0\0\0", 16, (const uint32_t[]){0xf00, 0xf0, 0xf, 0xf000});
    pen_bytes(&p, BYTES(0xa5, 0x3f));
    EXPECT_PEN(p, NULL, 1, 1, 255, 170, 85, 51);
    p = dds_header(2, 1, 0x20000, "\0\0\0", 8, (const uint32_t[]){0xff, 0, 0, 0});
    pen_bytes(&p, BYTES(5, 200));
    EXPECT_PEN(p, NULL, 2, 1, 5, 5, 5, 255, 200, 200, 200, 255);
    p = dds_long_header(1, 1, 28);
    pen_bytes(&p, BYTES(1, 2, 3, 4));
    EXPECT_PEN(p, NULL, 1, 1, 1, 2, 3, 4);
    p = dds_long_header(1, 1, 93);
    pen_bytes(&p, BYTES(1, 2, 3, 4));
    EXPECT_PEN(p, NULL, 1, 1, 3, 2, 1, 255);
}

/* Colours of blocks: red and blue, and what is between them, in the first four pixels; then the first sixteen all red. */
#define RED_TO_BLUE 0x00, 0xf8, 0x1f, 0x00, 0xe4, 0, 0, 0
#define BLUE_TO_RED 0x1f, 0x00, 0x00, 0xf8, 0xe4, 0, 0, 0

static void test_dds_of_blocks(void **unused)
{
    (void)unused;
    pen p = dds_header(4, 1, 4, "DXT1", 0, NULL);
    pen_bytes(&p, BYTES(RED_TO_BLUE));
    EXPECT_PEN(p, NULL, 4, 1, 255, 0, 0, 255, 0, 0, 255, 255, 170, 0, 85, 255, 85, 0, 170, 255);
    p = dds_long_header(4, 1, 72);
    pen_bytes(&p, BYTES(BLUE_TO_RED));
    EXPECT_PEN(p, NULL, 4, 1, 0, 0, 255, 255, 255, 0, 0, 255, 128, 0, 128, 255, 0, 0, 0, 0);

    p = dds_header(4, 1, 4, "DXT3", 0, NULL); /* never three colours; alpha of four bits, the lower ones first */
    pen_bytes(&p, BYTES(0xf1, 0x08, 0, 0, 0, 0, 0, 0, BLUE_TO_RED));
    EXPECT_PEN(p, NULL, 4, 1, 0, 0, 255, 17, 255, 0, 0, 255, 85, 0, 170, 136, 170, 0, 85, 0);

    p = dds_header(4, 2, 4, "DXT5", 0, NULL); /* alpha 255, 0 and the six between, one after the other */
    pen_bytes(&p, BYTES(255, 0, 0x88, 0xc6, 0xfa, 0, 0, 0, RED_TO_BLUE));
    EXPECT_PEN(p, NULL, 4, 2, 255, 0, 0, 255, 0, 0, 255, 0, 170, 0, 85, 219, 85, 0, 170, 182, 255, 0, 0, 146, 255, 0, 0, 109,
               255, 0, 0, 73, 255, 0, 0, 36);
    p = dds_long_header(4, 2, 77);
    pen_bytes(&p, BYTES(0, 255, 0x88, 0xc6, 0xfa, 0, 0, 0, RED_TO_BLUE)); /* four between, then 0 and 255 */
    EXPECT_PEN(p, NULL, 4, 2, 255, 0, 0, 0, 0, 0, 255, 255, 170, 0, 85, 51, 85, 0, 170, 102, 255, 0, 0, 153, 255, 0, 0, 204,
               255, 0, 0, 0, 255, 0, 0, 255);

    p = dds_header(2, 1, 4, "ATI1", 0, NULL);
    pen_bytes(&p, BYTES(200, 100, 0x08, 0, 0, 0, 0, 0));
    EXPECT_PEN(p, NULL, 2, 1, 200, 200, 200, 255, 100, 100, 100, 255);
    p = dds_header(2, 1, 4, "BC5U", 0, NULL); /* a normal that is 0, 0, 1, and one that is 0.6, 0, 0.8, nearly */
    pen_bytes(&p, BYTES(204, 128, 0x01, 0, 0, 0, 0, 0, 128, 0, 0, 0, 0, 0, 0, 0));
    EXPECT_PEN(p, NULL, 2, 1, 128, 128, 255, 255, 204, 128, 229, 255);
}

/* Five by six pixels are four blocks, each of one colour, of which a part is outside. */
static void test_dds_of_parts_of_blocks(void **unused)
{
    (void)unused;
    static const uint8_t colors[4][2] = {{0x00, 0xf8}, {0xe0, 0x07}, {0x1f, 0x00}, {0xff, 0xff}};
    static const uint8_t rgba[4][4] = {{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 255, 255}};
    pen p = dds_header(5, 6, 4, "DXT1", 0, NULL);
    for (int i = 0; i < 4; i++)
        pen_bytes(&p, BYTES(colors[i][0], colors[i][1], 0, 0, 0, 0, 0, 0));
    uint8_t expected[5 * 6 * 4];
    for (int y = 0; y < 6; y++)
        for (int x = 0; x < 5; x++)
            memcpy(expected + 4 * (5 * y + x), rgba[y / 4 * 2 + x / 4], 4);
    expect_pixels(p.data, p.size, NULL, 5, 6, expected, 0);
    expect_robust(p.data, p.size, NULL);
}

static void test_dds_that_lies(void **unused)
{
    (void)unused;
    pen p = dds_header(0xffffffff, 0xffffffff, 4, "DXT5", 0, NULL);
    expect_refused(p.data, p.size, NULL, "has too many pixels");
    p = dds_header(0xffffffff, 0xffffffff, 0x40, "\0\0\0", 32, NULL);
    expect_refused(p.data, p.size, NULL, "has too many pixels");
    p = dds_header(8000, 8000, 4, "DXT1", 0, NULL);
    expect_refused(p.data, p.size, NULL, "is cut short");
    p = dds_header(0, 8, 4, "DXT1", 0, NULL);
    expect_refused(p.data, p.size, NULL, "has no pixels");
    p = dds_header(4, 4, 4, "DXT2", 0, NULL);
    expect_refused(p.data, p.size, NULL, "is a DDS of a kind that is not supported");
    p = dds_header(4, 4, 0x40, "\0\0\0", 12, NULL);
    expect_refused(p.data, p.size, NULL, "is a DDS of a kind that is not supported");
    p = dds_long_header(4, 4, 98);
    expect_refused(p.data, p.size, NULL, "is DDS with BC7, which is not supported");
    p = dds_long_header(4, 4, 0);
    expect_refused(p.data, p.size, NULL, "is a DDS of a kind that is not supported");
    p = dds_long_header(4, 4, 2);
    expect_refused(p.data, p.size, NULL, "is a DDS of a kind that is not supported");
}

/* ---- WebP -------------------------------------------------------------------------------------------------------------- */

static void test_webp(void **unused)
{
    (void)unused;
    EXPECT_PIXELS(webp_lossless, NULL, 2, 1, 1, 2, 3, 255, 250, 100, 0, 255);
    expect_robust(LITERAL(webp_lossless), NULL);
    uint8_t image[sizeof webp_lossless];
    memcpy(image, webp_lossless, sizeof image);
    image[21] = image[22] = image[23] = 0xff; /* width and height, 14 bits each, less one */
    image[24] |= 0x0f;
    expect_refused(LITERAL(image), NULL, "has too many pixels");
}

/* The next part of a file of parts: a name, a size, and what it says; sizes are even. */
static const uint8_t *expect_part(const uint8_t **at, const char *name, uint32_t *size)
{
    const uint8_t *part = *at + 8;
    assert_memory_equal(*at, name, 4);
    *size = (uint32_t)(*at)[4] | (uint32_t)(*at)[5] << 8 | (uint32_t)(*at)[6] << 16 | (uint32_t)(*at)[7] << 24;
    *at = part + *size + *size % 2;
    return part;
}

static uint32_t u24(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
}

/* A frame alone is a file. */
static pen alone_of(const uint8_t *frame, uint32_t size)
{
    pen alone = {.size = 0};
    pen_bytes(&alone, "RIFF", 4);
    pen_u32(&alone, 4 + size - 16);
    pen_bytes(&alone, "WEBP", 4);
    pen_bytes(&alone, frame + 16, size - 16);
    return alone;
}

/* The first has all the pixels. */
static void expect_first_frame(const uint8_t *frame, uint32_t size, const stele_picture *p)
{
    pen alone = alone_of(frame, size);
    assert_int_equal(u24(frame), 0);
    assert_int_equal(u24(frame + 3), 0);
    assert_int_equal(u24(frame + 6) + 1, p->width);
    assert_int_equal(u24(frame + 9) + 1, p->height);
    expect_pixels(alone.data, alone.size, NULL, p->width, p->height, p->rgba, 0);
}

static void make_animation(taken *out, bool lossless, uint8_t *rgba)
{
    stele_picture p = {16, 8, rgba};
    webp_animation *w = st_webp_begin(&(webp_options){.width = 16, .height = 8, .lossless = lossless});
    assert_non_null(w);
    for (int i = 0; i < 3; i++) {
        paint(rgba, 16 * 8, true);
        rgba[4 * i] = 99;
        assert_true(st_webp_add(w, &p, (uint32_t)(100 + i)));
    }
    for (int times = 0; times < 2; times++) { /* the same again */
        *out = (taken){.size = 0};
        assert_true(st_webp_write(w, take, out));
    }
    assert_false(st_webp_add(w, &p, 100));
    st_webp_free(w);
}

static void test_writing_webp(void **unused)
{
    (void)unused;
    static taken out, again;
    static uint8_t rgba[16 * 8 * 4];
    make_animation(&out, true, rgba);
    make_animation(&again, true, rgba);
    assert_int_equal(out.size, again.size);
    assert_memory_equal(out.data, again.data, out.size);
    uint32_t size;
    const uint8_t *at = out.data, *part = expect_part(&at, "RIFF", &size);
    assert_int_equal(size + 8, out.size);
    assert_memory_equal(part, "WEBP", 4);
    at = part + 4;
    part = expect_part(&at, "VP8X", &size);
    assert_true(part[0] & ANIMATION_FLAG);
    assert_int_equal(u24(part + 4) + 1, 16);
    assert_int_equal(u24(part + 7) + 1, 8);
    part = expect_part(&at, "ANIM", &size);
    assert_int_equal(part[4] | part[5] << 8, 0); /* again and again */
    for (uint32_t i = 0; i < 3; i++) {
        part = expect_part(&at, "ANMF", &size);
        assert_int_equal(u24(part + 12), 100 + i);
        if (i == 0) {
            paint(rgba, 16 * 8, true);
            rgba[0] = 99;
            expect_first_frame(part, size, &(stele_picture){16, 8, rgba});
        }
    }
    assert_ptr_equal(at, out.data + out.size);
    expect_refused(out.data, out.size, NULL, "is an animated WebP, which is not supported");
    make_animation(&again, false, rgba);
    assert_true(again.size < out.size);
}

/* A picture of a movie in which a patch wanders over a ground that changes at times; every fifth is as the one before. */
enum { STAGE = 24, SHOTS = 80, SHOT_MILLISECONDS = 10 };

static void paint_shot(uint8_t rgba[STAGE * STAGE * 4], int shot)
{
    int moment = shot - shot / 5;
    for (int i = 0; i < STAGE * STAGE; i++) {
        int x = i % STAGE - moment % 19, y = i / STAGE - moment % 13;
        bool on = x >= 0 && x < 5 && y >= 0 && y < 3;
        uint8_t ground = (uint8_t)(40 * (moment / 30));
        memcpy(rgba + 4 * i, (uint8_t[4]){on ? 250 : ground, (uint8_t)(on ? x * 50 : 9), 77, on ? 255 : 128}, 4);
    }
}

static void run_backwards(void *user, size_t count, stele_task task, void *context)
{
    ++*(int *)user;
    while (count--)
        task(context, count);
}

static void make_long_movie(taken *out, int *runs)
{
    static uint8_t rgba[STAGE * STAGE * 4];
    webp_options options = {.width = STAGE, .height = STAGE, .lossless = true, .threads = {runs ? run_backwards : NULL, runs}};
    webp_animation *w = st_webp_begin(&options);
    for (int i = 0; i < SHOTS; i++) {
        paint_shot(rgba, i);
        assert_true(st_webp_add(w, &(stele_picture){STAGE, STAGE, rgba}, SHOT_MILLISECONDS));
    }
    assert_true(st_webp_write(w, take, out));
    st_webp_free(w);
}

/* Frames put one over the other, as a player does, are the pictures; in whatever order they were packed. */
static void test_a_movie_shows_its_pictures(void **unused)
{
    (void)unused;
    static taken out, other;
    static uint8_t canvas[STAGE * STAGE * 4], wanted[STAGE * STAGE * 4];
    int runs = 0, shot = 0;
    uint32_t size;
    make_long_movie(&out, NULL);
    make_long_movie(&other, &runs);
    assert_true(runs > 1);
    assert_int_equal(out.size, other.size);
    assert_memory_equal(out.data, other.data, out.size);
    const uint8_t *at = out.data + 12;
    expect_part(&at, "VP8X", &size);
    expect_part(&at, "ANIM", &size);
    while (at < out.data + out.size) {
        const uint8_t *frame = expect_part(&at, "ANMF", &size);
        uint32_t x = 2 * u24(frame), y = 2 * u24(frame + 3), width = u24(frame + 6) + 1, height = u24(frame + 9) + 1;
        assert_true(x + width <= STAGE && y + height <= STAGE && (frame[15] & 3) == 2); /* not blended, not taken away */
        pen alone = alone_of(frame, size);
        stele_picture part;
        const char *problem;
        assert_true(st_image_decode(alone.data, alone.size, NULL, &scratch, &part, &problem));
        for (uint32_t row = 0; row < height; row++)
            memcpy(canvas + 4 * ((y + row) * STAGE + x), part.rgba + (size_t)4 * row * width, (size_t)4 * width);
        for (uint32_t shown = 0; shown < u24(frame + 12); shown += SHOT_MILLISECONDS) {
            paint_shot(wanted, shot++);
            assert_memory_equal(canvas, wanted, sizeof wanted);
        }
    }
    assert_int_equal(shot, SHOTS);
}

/* One picture is a WebP as any other. */
static void test_a_still_webp(void **unused)
{
    (void)unused;
    static taken out;
    static uint8_t rgba[16 * 8 * 4];
    paint(rgba, 16 * 8, true);
    webp_animation *w = st_webp_begin(&(webp_options){.width = 16, .height = 8, .lossless = true});
    assert_true(st_webp_add(w, &(stele_picture){16, 8, rgba}, 0));
    assert_true(st_webp_write(w, take, &out));
    st_webp_free(w);
    expect_pixels(out.data, out.size, NULL, 16, 8, rgba, 0);
}

static void test_webp_that_cannot_be(void **unused)
{
    (void)unused;
    static taken out;
    static uint8_t rgba[4 * 4 * 4];
    assert_null(st_webp_begin(&(webp_options){.height = 4}));
    assert_null(st_webp_begin(&(webp_options){.width = 4, .height = MOST_WEBP_SIDE + 1}));
    webp_animation *w = st_webp_begin(&(webp_options){.width = 4, .height = 4, .lossless = true});
    assert_true(st_webp_add(w, &(stele_picture){4, 4, rgba}, 10));
    assert_false(st_webp_add(w, &(stele_picture){4, 3, rgba}, 10));
    assert_false(st_webp_add(w, &(stele_picture){4, 4, rgba}, 10));
    assert_false(st_webp_write(w, take, &out));
    st_webp_free(w);
    w = st_webp_begin(&(webp_options){.width = 4, .height = 4, .lossless = true});
    assert_true(st_webp_add(w, &(stele_picture){4, 4, rgba}, 10));
    out = (taken){.limit = 1};
    assert_false(st_webp_write(w, take, &out));
    st_webp_free(w);
    w = st_webp_begin(&(webp_options){.width = 4, .height = 4, .lossless = true}); /* no frame at all */
    assert_false(st_webp_write(w, take, &out));
    st_webp_free(w);
}

/* ---- The rest ---------------------------------------------------------------------------------------------------------- */

static void test_kinds_that_are_only_named(void **unused)
{
    (void)unused;
    expect_refused(BYTES(0x13, 0xab, 0xa1, 0x5c, 4, 4, 1), "x.astc", "is ASTC, which is not supported");
    expect_refused((const uint8_t *)"\xabKTX 11\xbb\r\n\x1a\n", 12, NULL, "is KTX, which is not supported");
    expect_refused((const uint8_t *)"\xabKTX 20\xbb\r\n\x1a\n", 12, NULL, "is KTX2, which is not supported");
    expect_refused((const uint8_t *)"PVR\x03....", 8, NULL, "is PVR, which is not supported");
    expect_refused((const uint8_t *)"GIF89a", 6, NULL, "is GIF, which is not supported");
    expect_refused((const uint8_t *)"nothing", 7, "x.png", "is not an image of a kind that is known");
    expect_refused((const uint8_t *)"", 0, "x.png", "is empty");
}

/* Fails unless the picture shows these rows, where # is the colour and . is what was there. */
static void expect_dots(const stele_picture *p, const char *const *rows)
{
    for (uint32_t y = 0; y < p->height; y++)
        for (uint32_t x = 0; x < p->width; x++)
            assert_int_equal(p->rgba[4 * (y * p->width + x)], rows[y][x] == '#' ? 200 : 1);
}

static void test_labels(void **unused)
{
    (void)unused;
    static const uint8_t color[4] = {200, 200, 200, 255};
    static uint8_t rgba[13 * 10 * 4];
    stele_picture p = {13, 10, rgba};
    memset(rgba, 1, sizeof rgba);
    st_draw_text(&p, 1, 0, "Lg", color, 1);
    expect_dots(&p, (const char *const[]){".#...........", ".#...........", ".#......####.", ".#.....#...#.", ".#.....#...#.",
                                          ".#.....#...#.", ".#####..####.", "...........#.", "........###..", "............."});
    memset(rgba, 1, sizeof rgba);
    /* the right side of a letter, a letter that is a box without its top, and nothing of another */
    st_draw_text(&p, -9, -3, "A\x80\xff", color, 2);
    expect_dots(&p, (const char *const[]){"#..##......##", "#..##......##", "#..##......##", "#..##......##", "#..##......##",
                                          "#..##......##", "#..##......##", "#..##......##", "#..##......##", "#..##########"});
    st_draw_text(&p, 2147483647, 2147483647, "far", color, 2147483647);
    st_draw_text(&p, -2147483647 - 1, -2147483647 - 1, "far", color, 2147483647);
    for (char c = 1; c < 127; c++) /* every letter is in its place, and only the space is empty */
        for (int pass = 0; pass < 2; pass++) {
            memset(rgba, 1, sizeof rgba);
            st_draw_text(&p, pass ? 6 : 0, 0, (const char[]){c, 0}, color, 1);
            bool any = memchr(rgba, 200, sizeof rgba);
            assert_true(any == (c != ' '));
            for (int y = 0; y < 10; y++)
                for (int x = 0; x < 13; x++)
                    assert_true(rgba[4 * (13 * y + x)] == 1 || (y < 9 && x >= 6 * pass && x < 6 * pass + 5));
        }
}

/* The dots of a text, row by row from two above its line: so many places of 6 columns. */
static const char *dots_of(const char *text, char dots[12 * 64])
{
    static uint8_t rgba[60 * 12 * 4];
    stele_picture p = {60, 12, rgba};
    memset(rgba, 0, sizeof rgba);
    st_draw_text(&p, 0, 2, text, (const uint8_t[4]){255, 255, 255, 255}, 1);
    for (int i = 0; i < 12 * 60; i++)
        dots[i] = rgba[4 * i] ? '#' : ' ';
    dots[12 * 60] = 0;
    return dots;
}

static void expect_same_dots(const char *one, const char *other, bool same)
{
    char a[12 * 64], b[12 * 64];
    assert_int_equal(strcmp(dots_of(one, a), dots_of(other, b)) == 0, same);
}

static void test_letters(void **unused)
{
    (void)unused;
    char dots[12 * 64];
    static const struct {
        const char *text;
        int places;
    } texts[] = {{"", 0},         {"abc", 3},      {"\xc3\xa9", 1},     {"e\xcc\x81", 1},
                 {"\xd0\x96", 1}, {"\xce\xa9", 1}, {"\xe6\xa8\xa1", 2}, {"\xf0\x9f\x98\x80", 2},
                 {"\x80", 1},     {"\xe6\xa8", 2}, {"\xc3", 1},         {"\xff\xfe", 2}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(st_text_places(texts[i].text), texts[i].places);
    /* an e with its mark, in one character or in two, and no other */
    expect_same_dots("\xc3\xa9x", "e\xcc\x81x", true);
    expect_same_dots("\xc3\xa9x", "\xc3\xa8x", false);
    expect_same_dots("\xc3\xa9", "e", false);
    assert_memory_equal(dots_of("\xc3\xa9", dots) + 2 * 60, "   # ", 5); /* in the rows that a small letter leaves free */
    assert_memory_equal(dots_of("\xc3\x89", dots), "   # ", 5);          /* and above a capital */
    /* a Cyrillic A is Latin's; a Zhe is not */
    expect_same_dots("\xd0\x90", "A", true);
    expect_same_dots("\xd0\x96", "X", false);
    assert_memory_equal(dots_of("\xd0\x96", dots) + 2 * 60, "# # #", 5);
    /* the number of a character: 6a21 above each other as 6a and 21 */
    dots_of("\xe6\xa8\xa1", dots);
    assert_memory_equal(dots + 1 * 60, "### ### ", 8);
    assert_memory_equal(dots + 7 * 60, "###  #  ", 8);
    expect_same_dots("\xe6\xa8\xa1", "\xe6\xa8\xa2", false);
    expect_same_dots("\x80", "\xff", true); /* no UTF-8 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_letters),
        cmocka_unit_test_setup_teardown(test_png, begin, end),
        cmocka_unit_test_setup_teardown(test_png_that_lies, begin, end),
        cmocka_unit_test_setup_teardown(test_writing_png, begin, end),
        cmocka_unit_test_setup_teardown(test_jpeg, begin, end),
        cmocka_unit_test_setup_teardown(test_jpeg_that_lies, begin, end),
        cmocka_unit_test_setup_teardown(test_tga_of_colors, begin, end),
        cmocka_unit_test_setup_teardown(test_tga_of_other_kinds, begin, end),
        cmocka_unit_test_setup_teardown(test_tga_that_lies, begin, end),
        cmocka_unit_test_setup_teardown(test_bmp, begin, end),
        cmocka_unit_test_setup_teardown(test_bmp_of_the_first_kind, begin, end),
        cmocka_unit_test_setup_teardown(test_bmp_that_lies, begin, end),
        cmocka_unit_test_setup_teardown(test_dds_of_pixels, begin, end),
        cmocka_unit_test_setup_teardown(test_dds_of_blocks, begin, end),
        cmocka_unit_test_setup_teardown(test_dds_of_parts_of_blocks, begin, end),
        cmocka_unit_test_setup_teardown(test_dds_that_lies, begin, end),
        cmocka_unit_test_setup_teardown(test_webp, begin, end),
        cmocka_unit_test_setup_teardown(test_writing_webp, begin, end),
        cmocka_unit_test_setup_teardown(test_a_movie_shows_its_pictures, begin, end),
        cmocka_unit_test_setup_teardown(test_a_still_webp, begin, end),
        cmocka_unit_test_setup_teardown(test_webp_that_cannot_be, begin, end),
        cmocka_unit_test_setup_teardown(test_kinds_that_are_only_named, begin, end),
        cmocka_unit_test(test_public_refusals),
        cmocka_unit_test(test_bytes_of_textures),
        cmocka_unit_test(test_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
