/* Images: the files of textures into pixels, and pixels into files. The only code that sees image libraries. */
#ifndef ST_IMAGE_H
#define ST_IMAGE_H

#include "base/arena.h"
#include "base/parallel.h"
#include "stele.h"

/* The most pixels that an image may have: more is refused before anything is allocated. */
enum { MOST_IMAGE_PIXELS = 1 << 26 };

/* Decodes PNG, JPEG, TGA, BMP or DDS, told apart by their content (TGA, which has no magic, by the name). Pixels are in the
 * arena. False, and *problem says why, if that is not possible: "is ASTC, which is not supported". */
bool st_image_decode(const void *data, uint64_t size, const char *name, arena *a, stele_picture *picture, const char **problem);

typedef enum image_result { IMAGE_DECODED, IMAGE_UNSUPPORTED, IMAGE_DAMAGED, IMAGE_OF_OTHER_SIZE } image_result;

/* The same into the memory of a picture that is as large as the image; without memory only its size is found. */
image_result st_image_decode_into(const void *data, uint64_t size, const char *name, stele_picture *picture,
                                  const char **problem);

/* The libraries that do it, with their versions: "libpng 1.6.39, ...". */
void st_image_libraries(char *text, size_t room);

/* Why there are none that encode, or NULL. */
const char *st_image_no_encoder(void);

/* Encodes a picture as PNG: deterministic, without any metadata. */
bool st_image_encode_png(const stele_picture *picture, stele_sink sink, void *user);

/* An animated WebP, made frame by frame, or a still one of one frame: deterministic, without any metadata. Frames are packed by
 * several threads at once, and kept in memory until the end. A frame that changes nothing makes the one before it longer. */
enum { MOST_WEBP_SIDE = 16383 };

typedef struct webp_animation webp_animation;

typedef struct webp_options {
    uint32_t width, height; /* of every frame; MOST_WEBP_SIDE at most */
    bool lossless;
    threads threads;
} webp_options;

/* NULL if that is not possible. */
webp_animation *st_webp_begin(const webp_options *options);

/* Adds a frame that is shown for so long. After a failure nothing more is added, and nothing is written. */
bool st_webp_add(webp_animation *w, const stele_picture *frame, uint32_t milliseconds);

/* Writes the file, as often as one likes; after the first time nothing more is added. */
bool st_webp_write(webp_animation *w, stele_sink sink, void *user);
void st_webp_free(webp_animation *w);

#endif
