/* Pictures of a handle's model. The images of its textures are decoded once and kept. */
#include <string.h>

#include "base/hash.h"
#include "handle.h"
#include "images/image.h"
#include "model/evaluate.h"
#include "options.h"
#include "render/render.h"

/* ---- Textures ---- */

enum { WRAP_CLAMP = 33071, WRAP_MIRROR = 33648 }; /* as glTF numbers them */

static void report(stele_file *file, diag_code code, size_t index, const char *name, const char *problem)
{
    const char *path = st_arena_format(&file->arena, "texture[%zu]", index);
    st_diag(&file->diags, code, at_path(path, 1), "%s %s", name, problem);
}

static render_texture wrapped(const stele_texture *texture)
{
    return (render_texture){.clamp_u = texture->wrap_u == WRAP_CLAMP,
                            .clamp_v = texture->wrap_v == WRAP_CLAMP,
                            .mirror_u = texture->wrap_u == WRAP_MIRROR,
                            .mirror_v = texture->wrap_v == WRAP_MIRROR};
}

/* Textures of the same image share its levels, whatever way each is wrapped. */
typedef struct decoded_images {
    const void **data; /* of each texture; NULL: none */
    hash_table table;
    render_texture *textures;
} decoded_images;

static bool share_decoded(const decoded_images *images, uint32_t hash, const void *data, render_texture *result)
{
    uint32_t other;
    for (hash_probe p = hash_at(&images->table, hash); (other = hash_next(&p)) != STELE_NONE;) {
        const render_texture *same = &images->textures[other];
        if (images->data[other] != data || same->numbers != result->numbers)
            continue;
        memcpy(result->levels, same->levels, sizeof result->levels);
        result->level_count = same->level_count;
        result->unsupported = same->unsupported;
        return true;
    }
    return false;
}

static bool decode(stele_file *file, const stele_texture *texture, uint32_t index, bool numbers, decoded_images *images)
{
    uint64_t size;
    const void *data = st_texture_bytes(&file->companions, texture, &size);
    const char *name = texture->file ? texture->file : texture->name ? texture->name : "an image", *problem = "";
    uint32_t hash = hash_end(hash_mix(size, (uintptr_t)data));
    stele_picture picture;
    render_texture *result = &images->textures[index];
    *result = wrapped(texture);
    result->numbers = numbers;
    if (!data) {
        /* loading has said so, if there is a place to look */
        if (texture->file)
            report(file, DIAG_TEXTURE_MISSING, index, name, "cannot be read");
        return true;
    }
    if (share_decoded(images, hash, data, result))
        return true;
    images->data[index] = data;
    if (!st_hash_add(&images->table, &file->arena, hash, index))
        return false;
    if (st_image_decode(data, size, name, &file->arena, &picture, &problem))
        return st_texture_make(result, &picture, &file->arena);
    result->unsupported = true;
    if (!file->arena.failed)
        report(file, DIAG_TEXTURE_UNREADABLE, index, name, problem);
    return !file->arena.failed;
}

/* What the materials make of a texture. */
enum { USED_AS_COLORS = 1, USED_AS_NUMBERS = 2 };

static void mark_uses(const stele_model *model, uint8_t *marks)
{
    for (size_t i = 0; i < model->material_count; i++)
        for (int role = 0; role < STELE_ROLE_SPECULAR; role++) { /* what is specular is not drawn */
            uint32_t texture = model->materials[i].textures[role].texture;
            bool color = role == STELE_ROLE_BASE_COLOR || role == STELE_ROLE_EMISSIVE;
            if (texture != STELE_NONE)
                marks[texture] |= color ? USED_AS_COLORS : USED_AS_NUMBERS;
        }
}

/* Textures are only ever added to a model: what is decoded stays good, unless it is used in another way now. */
static bool decode_textures(stele_file *file, const stele_model *model)
{
    if (file->textures_done)
        return true;
    arena *a = &file->arena;
    render_texture *textures = st_arena_array(a, model->texture_count, sizeof *textures);
    uint8_t *uses = st_arena_alloc(a, model->texture_count);
    decoded_images images = {.textures = textures, .data = st_arena_array(a, model->texture_count, sizeof *images.data)};
    if (!textures || !uses || !images.data || !st_hash_make(&images.table, a, 0))
        return false;
    mark_uses(model, uses);
    for (uint32_t i = 0; i < model->texture_count; i++) {
        uint8_t before = i < file->texture_count ? file->texture_uses[i] : 0;
        if (before && (before & USED_AS_NUMBERS) == (uses[i] & USED_AS_NUMBERS))
            textures[i] = file->textures[i];
        else if (uses[i] && !decode(file, &model->textures[i], i, uses[i] & USED_AS_NUMBERS, &images))
            return false;
    }
    file->textures = textures;
    file->texture_uses = uses;
    file->texture_count = model->texture_count;
    file->textures_done = true;
    file->diags_of_opening = file->diags.count; /* said once, and not forgotten by a save */
    return true;
}

/* ---- Pictures ---- */

static renderer renderer_of(stele_file *file, const stele_model *model)
{
    return (renderer){.model = model, .arena = &file->arena, .textures = file->textures, .threads = file->threads};
}

enum { ALL_OVERLAYS = 2 * STELE_OVERLAY_SHADOW - 1 };

/* Gives back what was only needed for a picture. */
static stele_status finish(stele_file *file, arena_mark mark, bool done)
{
    st_arena_rewind(&file->arena, mark);
    if (!done && !file->arena.failed)
        file->outcome = outcome_no_memory();
    return st_end(file);
}

/* What is wrong with what the caller wants, or NULL. */
static const char *problem_of_options(const stele_model *model, const stele_render_options *o)
{
    if (o->posed && !clip_is_there(model, o->clip))
        return "there is no such clip";
    if (o->up && !strchr("xyz", o->up))
        return "the axis that is up is x, y or z";
    if (o->overlays & ~(unsigned)ALL_OVERLAYS)
        return "there is no such overlay";
    return NULL;
}

static const char *problem_of(const stele_model *model, const stele_picture *picture, const stele_render_options *o)
{
    if (!picture || !picture->rgba || !picture->width || !picture->height)
        return "there is no picture to draw into";
    if (picture->width > MOST_PICTURE_SIDE || picture->height > MOST_PICTURE_SIDE)
        return "a side of the picture is longer than 65536 pixels";
    return problem_of_options(model, o);
}

stele_status stele_render(stele_file *file, const stele_picture *picture, const stele_render_options *options)
{
    const stele_model *model = stele_file_model(file);
    if (!model)
        return stele_file_status(file);
    stele_render_options own;
    bool known = st_take_options(&own, sizeof own, options);
    const char *problem = known ? problem_of(model, picture, &own) : UNKNOWN_OPTIONS;
    if (problem)
        return st_fail(file, STELE_USAGE, problem);
    st_arena_output(&file->arena, (uint64_t)picture->width * picture->height * 4);
    if (!decode_textures(file, model))
        return st_end(file);
    arena_mark mark = st_arena_mark(&file->arena);
    renderer r = renderer_of(file, model);
    return finish(file, mark, st_render(&r, &own, picture));
}

stele_status stele_frame(stele_file *file, const stele_render_options *options, bool all_round, stele_framing *framing)
{
    const stele_model *model = stele_file_model(file);
    if (!model)
        return stele_file_status(file);
    stele_render_options own;
    bool known = st_take_options(&own, sizeof own, options);
    const char *problem = !known ? UNKNOWN_OPTIONS : framing ? problem_of_options(model, &own) : "there is no framing to fill";
    if (problem)
        return st_fail(file, STELE_USAGE, problem);
    arena_mark mark = st_arena_mark(&file->arena);
    renderer r = renderer_of(file, model);
    return finish(file, mark, st_frame(&r, &own, all_round, framing));
}
