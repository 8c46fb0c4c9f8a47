#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include "decode.h"

/* A block of 64 values takes one bit at least, and one of its values may stand for 4 x 4 pixels. */
enum { MOST_PIXELS_PER_BYTE = 1024 };

/* A progressive file comes in scans, each over all of the picture; more than these are made to waste time. */
enum { MOST_SCANS = 100 };

/* Coefficients of progressive files are kept until the last scan. */
static const long most_memory = (long)MOST_IMAGE_PIXELS * 8;

/* The library's structs first, so that it gives us back ours. */
typedef struct jpeg_failure {
    struct jpeg_error_mgr manager;
    jmp_buf back;
    const char *problem;
} jpeg_failure;

typedef struct jpeg_reading {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_source_mgr input;
    struct jpeg_progress_mgr progress;
    jpeg_failure failure;
    image_source *source;
    stele_picture *picture;
    int scans; /* that were counted as work */
} jpeg_reading;

static _Noreturn void fail_with(j_common_ptr jpeg, const char *problem)
{
    jpeg_failure *f = (jpeg_failure *)(void *)jpeg->err;
    f->problem = problem;
    longjmp(f->back, 1);
}

static void fail(j_common_ptr jpeg)
{
    fail_with(jpeg, "is a damaged JPEG");
}

static void ignore_message(j_common_ptr jpeg, int level)
{
    (void)jpeg;
    (void)level;
}

static void print_nothing(j_common_ptr jpeg)
{
    (void)jpeg;
}

/* The first scan is paid for already. */
static void limit_scans(j_common_ptr jpeg)
{
    enum { PIXEL_WORK = 4 };
    jpeg_reading *r = (jpeg_reading *)(void *)jpeg;
    int scan = r->jpeg.input_scan_number;
    if (scan > MOST_SCANS)
        fail_with(jpeg, "is a JPEG of too many scans");
    for (; r->scans < scan; r->scans++)
        if (r->scans && !st_image_afford(r->source, (uint64_t)r->jpeg.image_width * r->jpeg.image_height, PIXEL_WORK))
            fail_with(jpeg, st_image_too_costly);
}

static void start_input(j_decompress_ptr jpeg)
{
    (void)jpeg;
}

/* All that there is was given at once. */
static boolean fill_input(j_decompress_ptr jpeg)
{
    fail_with((j_common_ptr)jpeg, "is cut short");
}

static void skip_input(j_decompress_ptr jpeg, long count)
{
    if (count <= 0)
        return;
    if ((unsigned long)count > jpeg->src->bytes_in_buffer)
        fail_with((j_common_ptr)jpeg, "is cut short");
    jpeg->src->next_input_byte += count;
    jpeg->src->bytes_in_buffer -= (size_t)count;
}

static void prepare(jpeg_reading *r)
{
    r->progress.progress_monitor = limit_scans;
    r->input.init_source = start_input;
    r->input.fill_input_buffer = fill_input;
    r->input.skip_input_data = skip_input;
    r->input.resync_to_restart = jpeg_resync_to_restart;
    r->input.term_source = start_input;
    r->input.next_input_byte = r->source->data;
    r->input.bytes_in_buffer = (size_t)r->source->size;
    r->jpeg.src = &r->input;
    r->jpeg.progress = &r->progress;
    r->jpeg.mem->max_memory_to_use = most_memory;
}

/* Inks of a row into light, in place. Adobe's programs write them inverted, and say that it was they. */
static void light_of_inks(uint8_t *row, uint32_t width, bool inverted)
{
    for (uint8_t *p = row; p < row + (size_t)width * 4; p += 4) {
        unsigned paper[4];
        for (int i = 0; i < 4; i++)
            paper[i] = inverted ? p[i] : 255u - p[i];
        for (int i = 0; i < 3; i++)
            p[i] = (uint8_t)((paper[i] * paper[3] + 127) / 255);
        p[3] = 255;
    }
}

static bool read_jpeg(jpeg_reading *r)
{
    struct jpeg_decompress_struct *jpeg = &r->jpeg;
    if (setjmp(r->failure.back))
        return st_image_refuse(r->source, r->failure.problem);
    jpeg_create_decompress(jpeg);
    prepare(r);
    jpeg_read_header(jpeg, TRUE);
    uint64_t width = jpeg->image_width, height = jpeg->image_height;
    r->source->bytes_per_pixel = jpeg_has_multiple_scans(jpeg) ? 2 * (uint64_t)jpeg->num_components : 0;
    if (!st_image_room(r->source, r->picture, width, height, width * height / MOST_PIXELS_PER_BYTE))
        return false;
    bool inks = jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
    jpeg->out_color_space = inks ? JCS_CMYK : JCS_EXT_RGBA;
    jpeg->dct_method = JDCT_ISLOW; /* the same everywhere */
    jpeg_start_decompress(jpeg);
    while (jpeg->output_scanline < jpeg->output_height) {
        uint8_t *row = r->picture->rgba + (size_t)jpeg->output_scanline * jpeg->output_width * 4;
        jpeg_read_scanlines(jpeg, &row, 1);
        if (inks)
            light_of_inks(row, jpeg->output_width, jpeg->saw_Adobe_marker);
    }
    jpeg_finish_decompress(jpeg);
    return true;
}

bool st_jpeg_decode(image_source *s, stele_picture *p)
{
    jpeg_reading r = {.source = s, .picture = p};
    r.jpeg.err = jpeg_std_error(&r.failure.manager);
    r.failure.manager.error_exit = fail;
    r.failure.manager.emit_message = ignore_message;
    r.failure.manager.output_message = print_nothing;
    bool read = read_jpeg(&r);
    jpeg_destroy_decompress(&r.jpeg);
    return read;
}
