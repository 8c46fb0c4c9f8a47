/* Saving a model: what every format shares. */
#ifndef ST_SAVE_H
#define ST_SAVE_H

#include "file/context.h"
#include "view.h"

typedef struct side_file {
    const char *name; /* beside the output */
    void (*walk)(walk *w, void *raw);
    void *raw;
    bool same_is_fine; /* an existing file of the same bytes is left alone */
    struct side_file *next;
} side_file;

/* What saving has besides. */
typedef struct saving {
    const stele_model *model;
    uint64_t capabilities;   /* of the format */
    uint32_t color_sets;     /* that it has room for */
    const char *format;      /* its name, as in keys of properties */
    double fps;              /* 0: not said */
    stele_textures textures; /* what becomes of them */
    const char *name;        /* of the output, without folder and extension; NULL: there is no place for a second file */
    const char *source;      /* what the source is called, likewise; "" if it has no name */
    side_file *side_files;

    /* Made when they are first asked for: of each texture, the first that shows the same image; and files for images inside. */
    const uint32_t *same_images;
    const char **image_files;
} saving;

/* Reports all that the format has no word for, by its capabilities and what is in the model: "SFF has no skeleton: 42 joints
 * and 3 clips dropped". Called for every save, before it. (losses.c) */
void st_save_report(context *c);

/* Another file, to be written beside the output. Not if name is NULL. */
void st_save_beside(context *c, const char *name, void (*walk)(walk *w, void *raw), void *raw);

/* Indices as packed integers of so many bytes: the model's own where they are that. */
span st_save_indices(context *c, const stele_view *indices, uint32_t size);

/* For formats whose textures are colours only: how materials use each texture of the model, as a set of these bits (NULL
 * without memory). */
enum { TEXTURE_IS_COLOR = 1, TEXTURE_IS_OTHER = 2 };
uint8_t *st_texture_uses(context *c);

/* The bytes of a texture: inside the model, or beside it. NULL if there are none. */
const void *st_texture_bytes(companions *beside, const stele_texture *texture, uint64_t *size);

/* Puts the bytes of a texture beside the output under a name, once. Names and bytes come from files that may want to put
 * anything anywhere: only images are copied, and only under names of images. Why it is not copied; NULL: it is. */
void st_save_texture_copy(context *c, const stele_texture *texture, const char *name);
const char *st_save_texture_problem(context *c, const stele_texture *texture, const char *name);

/* Brings a file from beside the source, under the same name, if it has one of these extensions ("mtl"). False if there is
 * none. */
bool st_save_companion(context *c, const char *name, const char *extensions);

/* save_images.c: of each texture, the first one that shows the same image (NULL without memory, or textures); and the file for
 * an image that the model has inside: by its own name, safe on every system, and one for all textures that show it. */
const uint32_t *st_same_images(context *c);
const char *st_image_file(context *c, uint32_t texture);

/* Which image a format takes a name for. */
typedef enum texture_naming {
    TEXTURE_BY_FILE,   /* the file of that name */
    TEXTURE_OPEN_TYPE, /* the same, but "x.*" is x of any type */
    TEXTURE_ANY_TYPE   /* that of any type, whatever type is named */
} texture_naming;

/* The name to write for a texture that is not embedded: what the file said if the format will find the same image by it,
 * otherwise the name of the image that was found. */
const char *st_save_file_name(context *c, const stele_texture *texture, texture_naming naming);

/* The name that a format that only names textures should write: that, and the file is copied if it is to be; embedded images
 * get a file of their name, unless textures are only to be named. */
const char *st_save_texture_name(context *c, uint32_t texture, texture_naming naming);

#endif
