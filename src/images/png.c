#include <png.h>
#include <setjmp.h>

#include "decode.h"

/* Deflate packs no more than this many bytes into one. */
enum { MOST_DEFLATE_RATIO = 1032 };

/* What the memory of ancillary chunks may be; none of them is used. */
enum { MOST_CHUNK_BYTES = 1 << 20 };

/* ---- Decoding ---------------------------------------------------------------------------------------------------------- */

/* Out of the way of longjmp: everything that is changed is behind a pointer. */
typedef struct png_reading {
    image_source *source;
    stele_picture *picture;
    uint64_t at;
    png_structp png;
    png_infop info;
} png_reading;

static void read_bytes(png_structp png, png_bytep out, size_t size)
{
    png_reading *r = png_get_io_ptr(png);
    if (size > r->source->size - r->at) {
        r->source->problem = "is cut short";
        png_error(png, "");
    }
    memcpy(out, r->source->data + r->at, size);
    r->at += size;
}

/* The messages are for programmers: a problem is only that there is one. */
static void fail_reading(png_structp png, png_const_charp message)
{
    png_reading *r = png_get_error_ptr(png);
    (void)message;
    if (!r->source->problem)
        r->source->problem = "is a damaged PNG";
    png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void set_limits(png_structp png)
{
    png_set_user_limits(png, MOST_IMAGE_PIXELS, MOST_IMAGE_PIXELS);
    png_set_chunk_cache_max(png, 16);
    png_set_chunk_malloc_max(png, MOST_CHUNK_BYTES);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1); /* nor those that libpng knows */
}

/* Whatever is in the file, rows of RGBA with 8 bits come out. */
static void ask_for_rgba(png_structp png)
{
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
}

static void read_rows(png_reading *r)
{
    int passes = png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
    if (png_get_rowbytes(r->png, r->info) != (size_t)r->picture->width * 4)
        png_error(r->png, "");
    for (int pass = 0; pass < passes; pass++)
        for (uint32_t y = 0; y < r->picture->height; y++)
            png_read_row(r->png, r->picture->rgba + (size_t)y * r->picture->width * 4, NULL);
    png_read_end(r->png, NULL);
}

static bool read_png(png_reading *r)
{
    if (setjmp(png_jmpbuf(r->png)))
        return false;
    set_limits(r->png);
    png_set_read_fn(r->png, r, read_bytes);
    png_read_info(r->png, r->info);
    uint64_t width = png_get_image_width(r->png, r->info), height = png_get_image_height(r->png, r->info);
    uint64_t packed = png_get_rowbytes(r->png, r->info) * height / MOST_DEFLATE_RATIO;
    if (!st_image_room(r->source, r->picture, width, height, packed))
        return false;
    ask_for_rgba(r->png);
    read_rows(r);
    return true;
}

bool st_png_decode(image_source *s, stele_picture *p)
{
    png_reading r = {.source = s, .picture = p};
    r.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &r, fail_reading, ignore_warning);
    r.info = r.png ? png_create_info_struct(r.png) : NULL;
    bool read = r.info ? read_png(&r) : st_image_refuse(s, "needs more memory than there is");
    png_destroy_read_struct(&r.png, &r.info, NULL);
    return read;
}

/* ---- Encoding ---------------------------------------------------------------------------------------------------------- */

typedef struct png_writing {
    const stele_picture *picture;
    stele_sink sink;
    void *user;
    png_structp png;
    png_infop info;
} png_writing;

static void write_bytes(png_structp png, png_bytep data, size_t size)
{
    png_writing *w = png_get_io_ptr(png);
    if (!w->sink(w->user, data, size))
        png_error(png, "");
}

static void flush_nothing(png_structp png)
{
    (void)png;
}

static void fail_writing(png_structp png, png_const_charp message)
{
    (void)message;
    png_longjmp(png, 1);
}

static bool is_opaque(const stele_picture *p)
{
    for (size_t i = 3; i < (size_t)p->width * p->height * 4; i += 4)
        if (p->rgba[i] != 255)
            return false;
    return true;
}

/* Pictures of models are flat and smooth: one cheap filter and a low level pack them almost as well as trying them all. */
static bool write_png(const png_writing *w)
{
    if (setjmp(png_jmpbuf(w->png)))
        return false;
    const stele_picture *p = w->picture;
    bool opaque = is_opaque(p);
    png_set_write_fn(w->png, (void *)w, write_bytes, flush_nothing);
    png_set_user_limits(w->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(w->png, w->info, p->width, p->height, 8, opaque ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGBA, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(w->png, 3);
    png_set_filter(w->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
    png_write_info(w->png, w->info);
    if (opaque)
        png_set_filler(w->png, 0, PNG_FILLER_AFTER);
    for (uint32_t y = 0; y < p->height; y++)
        png_write_row(w->png, p->rgba + (size_t)y * p->width * 4);
    png_write_end(w->png, NULL);
    return true;
}

bool st_image_encode_png(const stele_picture *picture, stele_sink sink, void *user)
{
    png_writing w = {.picture = picture, .sink = sink, .user = user};
    w.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &w, fail_writing, ignore_warning);
    w.info = w.png ? png_create_info_struct(w.png) : NULL;
    bool written = w.info && write_png(&w);
    png_destroy_write_struct(&w.png, &w.info);
    return written;
}
