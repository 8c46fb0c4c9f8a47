#include <stdlib.h>
#include <string.h>

#include <webp/decode.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include "decode.h"

/* ---- Decoding ---------------------------------------------------------------------------------------------------------- */

bool st_webp_decode(image_source *s, stele_picture *p)
{
    WebPBitstreamFeatures features;
    VP8StatusCode status = WebPGetFeatures(s->data, (size_t)s->size, &features);
    if (status != VP8_STATUS_OK)
        return st_image_refuse(s, status == VP8_STATUS_NOT_ENOUGH_DATA ? "is cut short" : "is a damaged WebP");
    if (features.has_animation)
        return st_image_refuse(s, "is an animated WebP, which is not supported");
    s->bytes_per_pixel = 5;
    if (!st_image_room(s, p, (uint64_t)features.width, (uint64_t)features.height, 0))
        return false;
    size_t stride = (size_t)p->width * 4;
    if (!WebPDecodeRGBAInto(s->data, (size_t)s->size, p->rgba, stride * p->height, (int)stride))
        return st_image_refuse(s, "is a damaged WebP");
    return true;
}

/* ---- Encoding ---------------------------------------------------------------------------------------------------------- */

/* Pictures wait until there are enough of them for all threads, or so many bytes; what is made of them does not depend on it.
 */
enum { MOST_WAITING = 32, MOST_WAITING_BYTES = 1 << 27, MOST_MILLISECONDS = (1 << 24) - 1 };

/* What a frame changes of the picture before it, packed. */
typedef struct webp_frame {
    int x, y, width, height;
    int milliseconds;
    WebPMemoryWriter bytes;
    bool failed;
} webp_frame;

struct webp_animation {
    webp_options options;
    WebPConfig config;
    webp_frame *frames;
    size_t count, room;
    uint8_t *pixels; /* of the picture before those that wait, and of these, which are the last frames */
    size_t waiting, most_waiting;
    WebPData data; /* of the whole file, once it is complete */
    bool failed;
};

static size_t picture_bytes(const webp_animation *w)
{
    return (size_t)w->options.width * w->options.height * 4;
}

static bool prepare(webp_animation *w)
{
    size_t fit = MOST_WAITING_BYTES / picture_bytes(w);
    w->most_waiting = fit < 1 ? 1 : fit < MOST_WAITING ? fit : MOST_WAITING;
    w->pixels = malloc((w->most_waiting + 1) * picture_bytes(w));
    if (!w->pixels || !WebPConfigInit(&w->config))
        return false;
    w->config.lossless = w->options.lossless;
    w->config.quality = w->options.lossless ? 50 : 85; /* the work to spend, or what to keep */
    w->config.method = w->options.lossless ? 2 : 4;
    return WebPValidateConfig(&w->config);
}

webp_animation *st_webp_begin(const webp_options *options)
{
    if (!options->width || !options->height || options->width > WEBP_MAX_DIMENSION || options->height > WEBP_MAX_DIMENSION)
        return NULL;
    webp_animation *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->options = *options;
    if (prepare(w))
        return w;
    st_webp_free(w);
    return NULL;
}

/* The pixels that differ from those before, from an even place on, as frames are. */
static void find_change(const webp_animation *w, const uint8_t *before, const uint8_t *now, webp_frame *f)
{
    int width = (int)w->options.width, height = (int)w->options.height, first[2] = {width, height}, last[2] = {-1, -1};
    for (int y = 0; y < height; y++, before += 4 * (size_t)width, now += 4 * (size_t)width) {
        if (memcmp(before, now, 4 * (size_t)width) == 0)
            continue;
        int left = 0, right = width - 1;
        while (memcmp(before + 4 * (size_t)left, now + 4 * (size_t)left, 4) == 0)
            left++;
        while (memcmp(before + 4 * (size_t)right, now + 4 * (size_t)right, 4) == 0)
            right--;
        first[0] = left < first[0] ? left : first[0];
        last[0] = right > last[0] ? right : last[0];
        first[1] = y < first[1] ? y : first[1];
        last[1] = y;
    }
    f->x = first[0] & ~1;
    f->y = first[1] & ~1;
    f->width = last[0] + 1 - f->x;
    f->height = last[1] + 1 - f->y;
}

/* One task for each picture that waits. */
static void encode_frame(void *context, size_t index)
{
    const webp_animation *w = context;
    webp_frame *f = &w->frames[w->count - w->waiting + index];
    WebPPicture picture;
    int stride = (int)w->options.width * 4;
    const uint8_t *pixels = w->pixels + (index + 1) * picture_bytes(w) + (size_t)f->y * (size_t)stride + (size_t)f->x * 4;
    f->failed = !WebPPictureInit(&picture);
    if (f->failed)
        return;
    WebPMemoryWriterInit(&f->bytes);
    picture.use_argb = 1;
    picture.width = f->width;
    picture.height = f->height;
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &f->bytes;
    f->failed = !WebPPictureImportRGBA(&picture, pixels, stride) || !WebPEncode(&w->config, &picture);
    WebPPictureFree(&picture);
}

static bool encode_waiting(webp_animation *w)
{
    parallel_for(&w->options.threads, w->waiting, encode_frame, w);
    for (size_t i = w->count - w->waiting; i < w->count; i++)
        w->failed |= w->frames[i].failed;
    memmove(w->pixels, w->pixels + w->waiting * picture_bytes(w), picture_bytes(w));
    w->waiting = 0;
    return !w->failed;
}

static bool make_room(webp_animation *w)
{
    if (w->count < w->room)
        return true;
    size_t room = w->room ? 2 * w->room : 64;
    webp_frame *frames = realloc(w->frames, room * sizeof *frames);
    if (frames) {
        w->frames = frames;
        w->room = room;
    }
    return frames;
}

static bool add_frame(webp_animation *w, const stele_picture *picture, uint32_t milliseconds)
{
    if (milliseconds > MOST_MILLISECONDS || !make_room(w) || (w->waiting == w->most_waiting && !encode_waiting(w)))
        return false;
    webp_frame f = {.width = (int)picture->width, .height = (int)picture->height, .milliseconds = (int)milliseconds};
    uint8_t *now = w->pixels + (w->waiting + 1) * picture_bytes(w);
    if (w->count) {
        find_change(w, now - picture_bytes(w), picture->rgba, &f);
        webp_frame *last = &w->frames[w->count - 1];
        if (f.width <= 0 && last->milliseconds + f.milliseconds <= MOST_MILLISECONDS) {
            last->milliseconds += f.milliseconds; /* nothing has changed */
            return true;
        }
        if (f.width <= 0) /* nor can it be longer */
            f = (webp_frame){.width = 1, .height = 1, .milliseconds = f.milliseconds};
    }
    memcpy(now, picture->rgba, picture_bytes(w));
    w->frames[w->count++] = f;
    w->waiting++;
    return true;
}

bool st_webp_add(webp_animation *w, const stele_picture *frame, uint32_t milliseconds)
{
    bool fits = frame->width == w->options.width && frame->height == w->options.height;
    w->failed |= w->data.bytes || !fits || !add_frame(w, frame, milliseconds);
    return !w->failed;
}

static bool push(WebPMux *mux, const webp_frame *f)
{
    WebPMuxFrameInfo frame = {.bitstream = {f->bytes.mem, f->bytes.size},
                              .x_offset = f->x,
                              .y_offset = f->y,
                              .duration = f->milliseconds,
                              .id = WEBP_CHUNK_ANMF,
                              .dispose_method = WEBP_MUX_DISPOSE_NONE,
                              .blend_method = WEBP_MUX_NO_BLEND};
    return WebPMuxPushFrame(mux, &frame, 0) == WEBP_MUX_OK;
}

/* One picture alone does not move: its bytes are the file. */
static bool assemble(webp_animation *w)
{
    if (w->count == 1)
        return WebPDataCopy(&(WebPData){w->frames->bytes.mem, w->frames->bytes.size}, &w->data);
    WebPMux *mux = WebPMuxNew();
    WebPMuxAnimParams params = {.bgcolor = 0xffffffff, .loop_count = 0};
    bool done = mux && WebPMuxSetCanvasSize(mux, (int)w->options.width, (int)w->options.height) == WEBP_MUX_OK &&
                WebPMuxSetAnimationParams(mux, &params) == WEBP_MUX_OK;
    for (size_t i = 0; done && i < w->count; i++)
        done = push(mux, &w->frames[i]);
    done = done && WebPMuxAssemble(mux, &w->data) == WEBP_MUX_OK;
    WebPMuxDelete(mux);
    return done;
}

static bool complete(webp_animation *w)
{
    if (!w->data.bytes && (!w->count || !encode_waiting(w) || !assemble(w)))
        w->failed = true;
    return !w->failed;
}

bool st_webp_write(webp_animation *w, stele_sink sink, void *user)
{
    return !w->failed && complete(w) && sink(user, w->data.bytes, w->data.size);
}

void st_webp_free(webp_animation *w)
{
    WebPDataClear(&w->data);
    for (size_t i = 0; i < w->count; i++)
        WebPMemoryWriterClear(&w->frames[i].bytes);
    free(w->frames);
    free(w->pixels);
    free(w);
}
