/* Kinds of images, by what they begin with: for who decodes them, and for who only passes them on. */
#ifndef ST_IMAGE_KIND_H
#define ST_IMAGE_KIND_H

#include <stdbool.h>
#include <stdint.h>

typedef enum image_kind {
    IMAGE_UNKNOWN,
    IMAGE_PNG,
    IMAGE_JPEG,
    IMAGE_WEBP,
    IMAGE_DDS,
    IMAGE_BMP,
    IMAGE_TGA,
    IMAGE_ASTC,
    IMAGE_KTX,
    IMAGE_KTX2,
    IMAGE_PVR,
    IMAGE_BASIS,
    IMAGE_GIF,
    IMAGE_TIFF,
    IMAGE_PSD,
    IMAGE_EXR,
    IMAGE_HDR,
    IMAGE_QOI,
    IMAGE_AVIF,
    IMAGE_KINDS
} image_kind;

/* TGA begins with nothing that tells: what makes sense as one is taken for one, if it is nothing else. */
image_kind st_image_kind(const void *data, uint64_t size);

/* What keeps an image from being whole, as far as its frame tells: "is cut off". NULL if nothing does, or nobody knows. */
const char *st_image_flaw(const void *data, uint64_t size);

/* How files of the kind are called, the usual way first: "jpg jpeg". */
const char *st_image_extensions(image_kind kind);

/* Whether a file of this name would be taken for an image. */
bool st_names_image(const char *name);

/* Whether a name ends with one of these extensions, in whatever case. */
bool st_has_extension(const char *name, const char *extensions);

#endif
