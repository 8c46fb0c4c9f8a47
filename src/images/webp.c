#include <stdlib.h>

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
    if (!st_image_room(s, p, (uint64_t)features.width, (uint64_t)features.height, 0))
        return false;
    size_t stride = (size_t)p->width * 4;
    if (!WebPDecodeRGBAInto(s->data, (size_t)s->size, p->rgba, stride * p->height, (int)stride))
        return st_image_refuse(s, "is a damaged WebP");
    return true;
}

/* ---- Encoding ---------------------------------------------------------------------------------------------------------- */

enum { MOST_WEBP_MILLISECONDS = INT32_MAX };

struct webp_animation {
    webp_options options;
    WebPAnimEncoder *encoder;
    WebPConfig config;
    int64_t time;  /* at which the next frame begins */
    WebPData data; /* of the whole file, once it is complete */
    bool failed;
};

static bool prepare(webp_animation *w)
{
    WebPAnimEncoderOptions encoder;
    if (!WebPAnimEncoderOptionsInit(&encoder) || !WebPConfigInit(&w->config))
        return false;
    w->config.lossless = w->options.lossless;
    w->config.quality = w->options.lossless ? 50 : 85; /* the work to spend, or what to keep */
    w->config.method = w->options.lossless ? 2 : 4;
    w->encoder = WebPAnimEncoderNew((int)w->options.width, (int)w->options.height, &encoder);
    return w->encoder && WebPValidateConfig(&w->config);
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

static bool add_frame(webp_animation *w, const stele_picture *frame)
{
    WebPPicture picture;
    if (!WebPPictureInit(&picture))
        return false;
    picture.use_argb = 1;
    picture.width = (int)frame->width;
    picture.height = (int)frame->height;
    bool added = WebPPictureImportRGBA(&picture, frame->rgba, picture.width * 4) &&
                 WebPAnimEncoderAdd(w->encoder, &picture, (int)w->time, &w->config);
    WebPPictureFree(&picture);
    return added;
}

bool st_webp_add(webp_animation *w, const stele_picture *frame, uint32_t milliseconds)
{
    bool fits = frame->width == w->options.width && frame->height == w->options.height;
    if (w->failed || w->data.bytes || !fits || w->time + milliseconds > MOST_WEBP_MILLISECONDS || !add_frame(w, frame))
        w->failed = true;
    else
        w->time += milliseconds;
    return !w->failed;
}

static bool complete(webp_animation *w)
{
    return w->data.bytes ||
           (WebPAnimEncoderAdd(w->encoder, NULL, (int)w->time, NULL) && WebPAnimEncoderAssemble(w->encoder, &w->data));
}

bool st_webp_write(webp_animation *w, stele_sink sink, void *user)
{
    return !w->failed && complete(w) && sink(user, w->data.bytes, w->data.size);
}

void st_webp_free(webp_animation *w)
{
    WebPDataClear(&w->data);
    WebPAnimEncoderDelete(w->encoder);
    free(w);
}
