/* In place of png.c, jpeg.c and webp.c, for builds without their libraries (STELE_WITH_IMAGES). */
#include <stdio.h>

#include "decode.h"

bool st_png_decode(image_source *s, stele_picture *p)
{
    (void)p;
    return st_image_refuse(s, "is PNG, and this library was built without images");
}

bool st_jpeg_decode(image_source *s, stele_picture *p)
{
    (void)p;
    return st_image_refuse(s, "is JPEG, and this library was built without images");
}

bool st_webp_decode(image_source *s, stele_picture *p)
{
    (void)p;
    return st_image_refuse(s, "is WebP, and this library was built without images");
}

bool st_image_encode_png(const stele_picture *picture, stele_sink sink, void *user)
{
    (void)picture, (void)sink, (void)user;
    return false;
}

webp_animation *st_webp_begin(const webp_options *options)
{
    (void)options;
    return NULL;
}

bool st_webp_add(webp_animation *w, const stele_picture *frame, uint32_t milliseconds)
{
    (void)w, (void)frame, (void)milliseconds;
    return false;
}

bool st_webp_write(webp_animation *w, stele_sink sink, void *user)
{
    (void)w, (void)sink, (void)user;
    return false;
}

void st_webp_free(webp_animation *w)
{
    (void)w;
}

void st_image_libraries(char *text, size_t room)
{
    snprintf(text, room, "no libraries for images");
}

const char *st_image_no_encoder(void)
{
    return "this library was built without images";
}
