/* What the decoders share. */
#ifndef ST_DECODE_H
#define ST_DECODE_H

#include "base/bytes.h"
#include "image.h"

typedef struct image_source {
    const uint8_t *data;
    uint64_t size;
    arena *arena;
    uint64_t bytes_per_pixel; /* that a library takes besides, while it decodes */
    const char *problem;      /* why it cannot be decoded: a text that lives for ever */
    bool only_size;           /* no pixels are wanted */
    bool other_size;          /* that is the problem */
    stele_picture into;       /* with rgba: the pixels go there, and no other size will do */
} image_source;

/* Problems. */
extern const char st_image_too_large[], st_image_too_costly[];

/* Sets the problem and returns false. */
bool st_image_refuse(image_source *s, const char *problem);

/* Whether so much may be done with so many pixels; if not, nothing is counted. */
bool st_image_afford(const image_source *s, uint64_t pixels, uint64_t units);

/* Makes room for a picture of this size, for which the file must have at least so many bytes; false if it has not, or if the
 * size is none that a picture may have. Nothing is allocated before. */
bool st_image_room(image_source *s, stele_picture *p, uint64_t width, uint64_t height, uint64_t least_bytes);

/* Where alpha is 0 everywhere, nobody meant it: the picture is made opaque. */
void st_image_mend_alpha(stele_picture *p);

/* A channel of a pixel that is given by a mask, as a byte. */
uint8_t st_masked_byte(uint32_t pixel, uint32_t mask);

bool st_bmp_decode(image_source *s, stele_picture *p);
bool st_dds_decode(image_source *s, stele_picture *p);
bool st_jpeg_decode(image_source *s, stele_picture *p);
bool st_png_decode(image_source *s, stele_picture *p);
bool st_tga_decode(image_source *s, stele_picture *p);
bool st_webp_decode(image_source *s, stele_picture *p);

#endif
