/* Which libraries decode and encode images. */
#include <stdio.h>

#include <jpeglib.h>
#include <png.h>
#include <webp/decode.h>

#include "image.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

void st_image_libraries(char *text, size_t room)
{
    unsigned webp = (unsigned)WebPGetDecoderVersion();
    snprintf(text, room, "libpng %s, libjpeg-turbo " TEXT(LIBJPEG_TURBO_VERSION) ", libwebp %u.%u.%u", png_get_libpng_ver(NULL),
             webp >> 16, webp >> 8 & 255, webp & 255);
}

const char *st_image_no_encoder(void)
{
    return NULL;
}
