#include "render.h"

/* ---- Smaller levels ---------------------------------------------------------------------------------------------------- */

/* What a texel of the smaller level covers of the larger one, along one axis: two texels, or three if the size is odd, of which
 * the outer ones count in part. */
typedef struct coverage {
    uint32_t first, count;
    float weights[3]; /* their sum is 1 */
} coverage;

static coverage covered(uint32_t index, uint32_t large, uint32_t small)
{
    if (large == 1)
        return (coverage){0, 1, {1}};
    if (large % 2 == 0)
        return (coverage){2 * index, 2, {0.5f, 0.5f}};
    float size = (float)large;
    return (coverage){2 * index, 3, {(float)(small - index) / size, (float)small / size, (float)(index + 1) / size}};
}

static uint8_t unit_byte(float unit)
{
    return (uint8_t)(unit * 255 + 0.5f);
}

/* Colour counts as much as it is seen; where nothing is seen, it counts as if it were. */
static void average_color(const texture_level *from, const coverage *x, const coverage *y, uint8_t *out)
{
    float seen[3] = {0}, plain[3] = {0}, alpha = 0;
    for (uint32_t j = 0; j < y->count; j++) {
        const uint8_t *texel = from->rgba + 4 * ((size_t)(y->first + j) * from->width + x->first);
        for (uint32_t i = 0; i < x->count; i++, texel += 4) {
            float weight = x->weights[i] * y->weights[j], weight_seen = weight * (float)texel[3];
            for (int c = 0; c < 3; c++) {
                float light = st_srgb_linear[texel[c]];
                plain[c] += weight * light;
                seen[c] += weight_seen * light;
            }
            alpha += weight_seen;
        }
    }
    for (int c = 0; c < 3; c++)
        out[c] = st_srgb_byte(alpha > 0 ? seen[c] / alpha : plain[c]);
    out[3] = unit_byte(alpha / 255);
}

static void average_numbers(const texture_level *from, const coverage *x, const coverage *y, uint8_t *out)
{
    float sums[4] = {0};
    for (uint32_t j = 0; j < y->count; j++) {
        const uint8_t *texel = from->rgba + 4 * ((size_t)(y->first + j) * from->width + x->first);
        for (uint32_t i = 0; i < x->count; i++, texel += 4)
            for (int c = 0; c < 4; c++)
                sums[c] += x->weights[i] * y->weights[j] * (float)texel[c];
    }
    for (int c = 0; c < 4; c++)
        out[c] = unit_byte(sums[c] / 255);
}

static void make_level(const texture_level *from, uint32_t width, uint32_t height, bool numbers, uint8_t *out)
{
    for (uint32_t row = 0; row < height; row++) {
        coverage y = covered(row, from->height, height);
        for (uint32_t column = 0; column < width; column++, out += 4) {
            coverage x = covered(column, from->width, width);
            if (numbers)
                average_numbers(from, &x, &y, out);
            else
                average_color(from, &x, &y, out);
        }
    }
}

static uint32_t half(uint32_t size)
{
    return size > 1 ? size / 2 : 1;
}

bool st_texture_make(render_texture *t, const stele_picture *picture, arena *a)
{
    t->level_count = 0;
    if (!picture->width || !picture->height)
        return true;
    t->levels[t->level_count++] = (texture_level){picture->width, picture->height, picture->rgba};
    while (t->level_count < MOST_MIP_LEVELS) {
        const texture_level *last = &t->levels[t->level_count - 1];
        if (last->width == 1 && last->height == 1)
            break;
        uint32_t width = half(last->width), height = half(last->height);
        uint8_t *rgba = st_arena_bytes(a, (uint64_t)width * height * 4);
        if (!rgba)
            return false; /* what there is can be sampled */
        make_level(last, width, height, t->numbers, rgba);
        t->levels[t->level_count++] = (texture_level){width, height, rgba};
    }
    return true;
}

/* ---- Sampling ---------------------------------------------------------------------------------------------------------- */

/* What is left of a number when its whole part is taken away: from 0 to 1. Large numbers have none, and NaN is 0. */
static float fraction(float x)
{
    if (!(x > -8388608 && x < 8388608))
        return 0;
    float rest = x - (float)(int32_t)x;
    return rest < 0 ? rest + 1 : rest;
}

/* A texture coordinate, brought into 0 to 1. */
static float folded(float u, bool clamp, bool mirror)
{
    if (clamp)
        return u > 0 ? (u < 1 ? u : 1) : 0;
    if (!mirror)
        return fraction(u);
    float twice = fraction(u * 0.5f) * 2;
    return twice > 1 ? 2 - twice : twice;
}

/* The two texels around a place, and how far it is from the first to the second. */
typedef struct between {
    uint32_t first, second;
    float part;
} between;

static between neighbours(float folded_u, uint32_t size, bool repeat)
{
    float x = folded_u * (float)size - 0.5f;
    uint32_t last = size - 1;
    if (x < 0)
        return (between){repeat ? last : 0, 0, x + 1};
    uint32_t first = (uint32_t)x;
    if (first >= last)
        return (between){last, repeat ? 0 : last, x - (float)last};
    return (between){first, first + 1, x - (float)first};
}

/* Of equal ones it is exactly them. */
static inline float mix(float a, float b, float part)
{
    return a + (b - a) * part;
}

static void sample_level(const texture_level *level, between x, between y, bool color, float rgba[4])
{
    const uint8_t *upper = level->rgba + 4 * (size_t)y.first * level->width;
    const uint8_t *lower = level->rgba + 4 * (size_t)y.second * level->width;
    const uint8_t *a = upper + 4 * (size_t)x.first, *b = upper + 4 * (size_t)x.second;
    const uint8_t *c = lower + 4 * (size_t)x.first, *d = lower + 4 * (size_t)x.second;
    for (int i = 0; i < 4; i++) {
        const float *meaning = color && i < 3 ? st_srgb_linear : st_unit_of_byte;
        float above = mix(meaning[a[i]], meaning[b[i]], x.part);
        rgba[i] = mix(above, mix(meaning[c[i]], meaning[d[i]], x.part), y.part);
    }
}

static void sample_at(const render_texture *t, uint32_t index, float u, float v, bool color, float rgba[4])
{
    const texture_level *level = &t->levels[index];
    between x = neighbours(u, level->width, !t->clamp_u && !t->mirror_u);
    between y = neighbours(v, level->height, !t->clamp_v && !t->mirror_v);
    sample_level(level, x, y, color, rgba);
}

void st_texture_sample(const render_texture *t, float u, float v, float lod, bool color, float rgba[4])
{
    if (!t->level_count) {
        rgba[0] = rgba[1] = rgba[2] = rgba[3] = 1;
        return;
    }
    u = folded(u, t->clamp_u, t->mirror_u);
    v = folded(v, t->clamp_v, t->mirror_v);
    float last = (float)(t->level_count - 1);
    lod = lod > 0 ? (lod < last ? lod : last) : 0;
    uint32_t level = (uint32_t)lod;
    float part = lod - (float)level;
    sample_at(t, level, u, v, color, rgba);
    if (part > 0) {
        float smaller[4];
        sample_at(t, level + 1, u, v, color, smaller);
        for (int i = 0; i < 4; i++)
            rgba[i] = mix(rgba[i], smaller[i], part);
    }
}
