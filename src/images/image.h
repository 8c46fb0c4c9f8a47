/* Images: the files of textures into pixels, and pixels into files. The only code that sees image libraries. */
#ifndef ST_IMAGE_H
#define ST_IMAGE_H

#include "core/arena.h"
#include "stele.h"

/* The most pixels that an image may have: more is refused before anything is allocated. */
enum { MOST_IMAGE_PIXELS = 1 << 26 };

/* Decodes PNG, JPEG, TGA, BMP or DDS, told apart by their content (TGA, which has no magic, by the name). Pixels are in the arena.
 * False, and *problem says why, if that is not possible: "is ASTC, which is not supported". */
bool st_image_decode(const void *data, uint64_t size, const char *name, arena *a, stele_picture *picture, const char **problem);

/* Encodes a picture as PNG: deterministic, without any metadata. */
bool st_image_encode_png(const stele_picture *picture, stele_sink sink, void *user);

#endif
