/* The renderer: a model, a camera and a time become pixels. No graphics hardware, no libm in what decides a pixel: only + - * /
 * and sqrt, which are the same everywhere. */
#ifndef ST_RENDER_H
#define ST_RENDER_H

#include "base/parallel.h"
#include "base/srgb.h"
#include "model/view.h"

/* A texture ready to be sampled: mip levels in one block, texel by texel as it came (sRGB bytes, not premultiplied). */
enum { MOST_MIP_LEVELS = 16 };

typedef struct texture_level {
    uint32_t width, height;
    const uint8_t *rgba;
} texture_level;

typedef struct render_texture {
    texture_level levels[MOST_MIP_LEVELS];
    uint32_t level_count; /* 0: there is no image: neutral */
    bool unsupported;     /* there is one that cannot be decoded: drawn as a neutral checker */
    bool numbers;         /* not colours but numbers, as in a normal map: averaged as they are */
    bool clamp_u, clamp_v, mirror_u, mirror_v;
} render_texture;

typedef struct renderer {
    const stele_model *model;
    arena *arena;             /* scratch, given back after every picture by the caller */
    render_texture *textures; /* one for each of the model's, or NULL: none */
    threads threads;
} renderer;

/* Makes the levels of a picture, which stays where it is: the smaller ones by averaging in linear light, where alpha weighs
 * colour. The flags of the texture are the caller's and stay. False without memory; the levels that were made can be sampled
 * then. */
bool st_texture_make(render_texture *t, const stele_picture *picture, arena *a);

/* A sample at texture coordinates u, v (origin top left), bilinear in the level and between two levels; lod 0 is the full size.
 * Linear light, not premultiplied; color says whether the bytes are sRGB (false: a normal map, taken as they are). Any u, v and
 * lod will do, NaN too; without levels it is white. */
void st_texture_sample(const render_texture *t, float u, float v, float lod, bool color, float rgba[4]);

/* Of a picture: more would not fit in the whole numbers that places on it are. */
enum { MOST_PICTURE_SIDE = 1 << 16 };

bool st_render(const renderer *r, const stele_render_options *options, const stele_picture *picture);
bool st_frame(const renderer *r, const stele_render_options *options, bool all_round, stele_framing *framing);

#endif
