/* Materials and textures of a model as glTF. */
#include <string.h>

#include "base/bytes.h"
#include "base/image_kind.h"
#include "base/text.h"
#include "save.h"

/* ---- Materials ---- */

static float clamped(float x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static bool transformed(const stele_texture_use *use)
{
    return use->offset[0] != 0 || use->offset[1] != 0 || use->rotation != 0 || use->scale[0] != 1 || use->scale[1] != 1;
}

static void put_texture_transform(writer *w, const stele_texture_use *use)
{
    w->uses.texture_transform = true;
    st_put_object(&w->json, "extensions");
    st_put_object(&w->json, "KHR_texture_transform");
    if (use->offset[0] != 0 || use->offset[1] != 0)
        st_put_floats(&w->json, "offset", use->offset, 2);
    if (use->rotation != 0)
        st_put_f32(&w->json, "rotation", use->rotation);
    if (use->scale[0] != 1 || use->scale[1] != 1)
        st_put_floats(&w->json, "scale", use->scale, 2);
    st_put_end_object(&w->json);
    st_put_end_object(&w->json);
}

/* The strength is "scale" of a normal texture and "strength" of an occlusion texture; the others have none. */
static void put_texture_use(writer *w, const char *key, const stele_texture_use *use, const char *strength)
{
    if (use->texture == STELE_NONE)
        return;
    st_put_object(&w->json, key);
    st_put_uint(&w->json, "index", use->texture);
    if (use->uv_set)
        st_put_uint(&w->json, "texCoord", use->uv_set);
    if (strength && use->strength != 1)
        st_put_f32(&w->json, strength, use->strength);
    if (transformed(use))
        put_texture_transform(w, use);
    st_put_end_object(&w->json);
}

/* A colour of a material within 0 to 1, if it is not what goes without saying. */
static void put_color(writer *w, const char *key, const float *color, size_t count, float usual)
{
    float inside[4];
    bool other = false, beyond = false;
    for (size_t i = 0; i < count; i++) {
        inside[i] = clamped(color[i]);
        beyond |= inside[i] != color[i];
        other |= inside[i] != usual;
    }
    w->clamped_colors += beyond;
    if (other)
        st_put_floats(&w->json, key, inside, count);
}

static void put_factor(writer *w, const char *key, float factor, float usual)
{
    if (factor != usual)
        st_put_f32(&w->json, key, clamped(factor));
}

static void put_metallic_roughness(writer *w, const stele_material *m)
{
    st_put_object(&w->json, "pbrMetallicRoughness");
    put_color(w, "baseColorFactor", m->base_color, 4, 1);
    put_texture_use(w, "baseColorTexture", &m->textures[STELE_ROLE_BASE_COLOR], NULL);
    put_factor(w, "metallicFactor", m->metallic, 1);
    put_factor(w, "roughnessFactor", m->roughness, 1);
    put_texture_use(w, "metallicRoughnessTexture", &m->textures[STELE_ROLE_METALLIC_ROUGHNESS], NULL);
    st_put_end_object(&w->json);
}

static void put_specular(writer *w, const stele_material *m)
{
    w->uses.specular = true;
    st_put_object(&w->json, "KHR_materials_specular");
    put_factor(w, "specularFactor", m->specular, 1);
    put_texture_use(w, "specularTexture", &m->textures[STELE_ROLE_SPECULAR], NULL);
    if (m->specular_color[0] != 1 || m->specular_color[1] != 1 || m->specular_color[2] != 1)
        st_put_floats(&w->json, "specularColorFactor", m->specular_color, 3);
    put_texture_use(w, "specularColorTexture", &m->textures[STELE_ROLE_SPECULAR_COLOR], NULL);
    st_put_end_object(&w->json);
}

static bool has_specular(const stele_material *m)
{
    return m->specular != 1 || m->specular_color[0] != 1 || m->specular_color[1] != 1 || m->specular_color[2] != 1 ||
           m->textures[STELE_ROLE_SPECULAR].texture != STELE_NONE ||
           m->textures[STELE_ROLE_SPECULAR_COLOR].texture != STELE_NONE;
}

/* Factors end at 1: what glows more has a strength. */
static float emission(const stele_material *m, float color[3])
{
    float most = 1;
    for (int i = 0; i < 3; i++)
        most = m->emissive[i] > most ? m->emissive[i] : most;
    for (int i = 0; i < 3; i++)
        color[i] = m->emissive[i] / most;
    return m->emissive_strength * most;
}

static void put_material_extensions(writer *w, const stele_material *m, float strength)
{
    bool specular = has_specular(m), strong = strength != 1;
    if (!specular && !strong && !m->unlit)
        return;
    st_put_object(&w->json, "extensions");
    if (strong) {
        w->uses.emissive_strength = true;
        st_put_object(&w->json, "KHR_materials_emissive_strength");
        st_put_f32(&w->json, "emissiveStrength", strength);
        st_put_end_object(&w->json);
    }
    if (specular)
        put_specular(w, m);
    if (m->unlit) {
        w->uses.unlit = true;
        st_put_object(&w->json, "KHR_materials_unlit");
        st_put_end_object(&w->json);
    }
    st_put_end_object(&w->json);
}

static void put_alpha(writer *w, const stele_material *m)
{
    if (m->alpha_mode == STELE_BLEND)
        st_put_string(&w->json, "alphaMode", "BLEND");
    if (m->alpha_mode == STELE_MASK)
        st_put_string(&w->json, "alphaMode", "MASK");
    if (m->alpha_mode == STELE_MASK && m->alpha_cutoff != 0.5f)
        st_put_f32(&w->json, "alphaCutoff", m->alpha_cutoff < 0 ? 0 : m->alpha_cutoff);
}

static void put_material(writer *w, const stele_material *m)
{
    float color[3], strength = emission(m, color);
    bool dark = color[0] == 0 && color[1] == 0 && color[2] == 0;
    st_put_object(&w->json, NULL);
    st_gltf_put_name(w, m->name);
    put_metallic_roughness(w, m);
    put_texture_use(w, "normalTexture", &m->textures[STELE_ROLE_NORMAL], "scale");
    put_texture_use(w, "occlusionTexture", &m->textures[STELE_ROLE_OCCLUSION], "strength");
    put_texture_use(w, "emissiveTexture", &m->textures[STELE_ROLE_EMISSIVE], NULL);
    put_color(w, "emissiveFactor", color, 3, 0);
    put_alpha(w, m);
    if (m->double_sided)
        st_put_bool(&w->json, "doubleSided", true);
    put_material_extensions(w, m, dark ? 1 : strength);
    st_gltf_put_extras(w, &m->properties, NULL, NULL);
    st_put_end_object(&w->json);
}

void st_gltf_put_materials(writer *w)
{
    if (!w->model->material_count)
        return;
    st_put_array(&w->json, "materials");
    for (size_t i = 0; i < w->model->material_count; i++)
        put_material(w, &w->model->materials[i]);
    st_put_end_array(&w->json);
    st_lose(w->c, DIAG_LOSS_COLOR, w->clamped_colors, "", "has colours from 0 to 1 only: %llu were brought into that",
            (unsigned long long)w->clamped_colors);
}

/* ---- Samplers ---- */

typedef struct sampler {
    uint16_t wrap_u, wrap_v, mag_filter, min_filter;
} sampler;

enum { MOST_SAMPLERS = 512 }; /* more than there are combinations of what glTF knows */

static uint16_t known(uint16_t value, const uint16_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (values[i] == value)
            return value;
    return 0;
}

static sampler sampler_of(const stele_texture *t)
{
    static const uint16_t wraps[] = {33071, 33648, 10497}, filters[] = {9728, 9729, 9984, 9985, 9986, 9987};
    return (sampler){known(t->wrap_u, wraps, 3), known(t->wrap_v, wraps, 3), known(t->mag_filter, filters, 2),
                     known(t->min_filter, filters, 6)};
}

static bool says_nothing(const sampler *s)
{
    return !s->wrap_u && !s->wrap_v && !s->mag_filter && !s->min_filter;
}

/* The number of a sampler in the list, to which it is added if it is new. */
static size_t number_of(const sampler *s, sampler *list, size_t *count)
{
    for (size_t i = 0; i < *count; i++)
        if (memcmp(&list[i], s, sizeof *s) == 0)
            return i;
    list[*count] = *s;
    return (*count)++;
}

static void put_unless_zero(writer *w, const char *key, uint16_t value)
{
    if (value)
        st_put_uint(&w->json, key, value);
}

static void put_samplers(writer *w, const sampler *list, size_t count)
{
    if (!count)
        return;
    st_put_array(&w->json, "samplers");
    for (size_t i = 0; i < count; i++) {
        st_put_object(&w->json, NULL);
        put_unless_zero(w, "magFilter", list[i].mag_filter);
        put_unless_zero(w, "minFilter", list[i].min_filter);
        put_unless_zero(w, "wrapS", list[i].wrap_u);
        put_unless_zero(w, "wrapT", list[i].wrap_v);
        st_put_end_object(&w->json);
    }
    st_put_end_array(&w->json);
}

/* ---- Images ---- */

/* Of what glTF can have inside: NULL for the rest, and for what is not whole. */
static const char *mime_type(const void *data, uint64_t size)
{
    image_kind kind = data ? st_image_kind(data, size) : IMAGE_UNKNOWN;
    if ((kind != IMAGE_PNG && kind != IMAGE_JPEG && kind != IMAGE_WEBP) || st_image_flaw(data, size))
        return NULL;
    return kind == IMAGE_PNG ? "image/png" : kind == IMAGE_JPEG ? "image/jpeg" : "image/webp";
}

/* Where the image of a texture is: in the buffer, or under a name. */
typedef struct image {
    const void *data; /* NULL: it is named */
    uint64_t size;
    const char *mime_type, *path;
    size_t number; /* in the file, if it is there */
    bool repeated; /* it is that of an earlier texture */
} image;

static image image_of(writer *w, uint32_t index)
{
    const stele_texture *t = &w->model->textures[index];
    bool embed = w->c->save->textures == STELE_TEXTURES_EMBED || (t->data && w->c->save->textures != STELE_TEXTURES_COPY);
    image found = {0};
    if (embed) {
        found.data = st_texture_bytes(w->c->companions, t, &found.size);
        found.mime_type = mime_type(found.data, found.size);
    }
    if (found.mime_type)
        return found;
    const char *flaw = found.data ? st_image_flaw(found.data, found.size) : NULL;
    bool refused = found.data && !t->data; /* otherwise whoever makes a file of it says so */
    st_lose(w->c, DIAG_LOSS_TEXTURE, refused && flaw, "", "holds whole images only: %s %s, and is not embedded",
            st_save_file_name(w->c, t, TEXTURE_BY_FILE), flaw ? flaw : "");
    st_lose(w->c, DIAG_LOSS_TEXTURE, refused && !flaw, "", "holds PNG, JPEG and WebP images only: %s is not embedded",
            st_save_file_name(w->c, t, TEXTURE_BY_FILE));
    found.data = NULL;
    if (t->data) {
        found.path = st_save_texture_name(w->c, index, TEXTURE_BY_FILE);
        return found;
    }
    found.path = st_save_file_name(w->c, t, TEXTURE_BY_FILE);
    if ((w->c->save->textures == STELE_TEXTURES_COPY || w->c->save->textures == STELE_TEXTURES_EMBED) && t->file)
        st_save_texture_copy(w->c, t, t->file);
    return found;
}

static void put_image(writer *w, const stele_texture *t, const image *image)
{
    st_put_object(&w->json, NULL);
    if (image->data) {
        st_put_uint(&w->json, "bufferView", st_pack_view(&w->packer, 0, 0));
        st_pack_add(&w->packer, image->data, image->size);
        st_put_string(&w->json, "mimeType", image->mime_type);
        st_gltf_put_name(w, t->name);
    } else
        st_put_uri(&w->json, "uri", image->path);
    st_put_end_object(&w->json);
}

static bool is_there(const image *image)
{
    return image->data || *image->path;
}

/* It takes an extension. */
static bool is_webp(const image *image)
{
    const char *dot = image->data ? NULL : strrchr(image->path, '.');
    return image->data ? strcmp(image->mime_type, "image/webp") == 0
                       : dot && strlen(dot) == 5 && st_same_letters(dot, ".webp", 5);
}

static void put_images(writer *w, const image *images)
{
    bool any = false;
    for (size_t i = 0; i < w->model->texture_count; i++) {
        if (!is_there(&images[i]) || images[i].repeated)
            continue;
        if (!any)
            st_put_array(&w->json, "images");
        any = true;
        put_image(w, &w->model->textures[i], &images[i]);
    }
    if (any)
        st_put_end_array(&w->json);
}

static void put_texture(writer *w, const stele_texture *t, const image *image, sampler *list, size_t *count)
{
    sampler s = sampler_of(t);
    bool renamed = t->name && image->path && strcmp(t->name, image->path) != 0;
    st_put_object(&w->json, NULL);
    if (!says_nothing(&s))
        st_put_uint(&w->json, "sampler", number_of(&s, list, count));
    if (is_there(image) && !is_webp(image))
        st_put_uint(&w->json, "source", image->number);
    if (is_there(image) && is_webp(image)) {
        w->uses.webp = true;
        st_put_object(&w->json, "extensions");
        st_put_object(&w->json, "EXT_texture_webp");
        st_put_uint(&w->json, "source", image->number);
        st_put_end_object(&w->json);
        st_put_end_object(&w->json);
    }
    st_gltf_put_extras(w, &t->properties, renamed ? "stele.name" : NULL, t->name);
    st_put_end_object(&w->json);
}

void st_gltf_put_textures(writer *w)
{
    size_t count = w->model->texture_count, image_count = 0, sampler_count = 0;
    const uint32_t *same = st_same_images(w->c);
    image *images = st_arena_array(w->arena, count, sizeof *images);
    sampler *samplers = st_arena_array(w->arena, MOST_SAMPLERS, sizeof *samplers);
    w->packer.failed |= !images || !samplers || (count && !same);
    if (!count || w->packer.failed)
        return;
    for (uint32_t i = 0; i < count; i++) {
        images[i] = same[i] == i ? image_of(w, i) : images[same[i]];
        images[i].repeated = same[i] != i;
        if (same[i] == i)
            images[i].number = is_there(&images[i]) ? image_count++ : 0;
    }
    st_put_array(&w->json, "textures");
    for (size_t i = 0; i < count; i++)
        put_texture(w, &w->model->textures[i], &images[i], samplers, &sampler_count);
    st_put_end_array(&w->json);
    put_images(w, images);
    put_samplers(w, samplers, sampler_count);
}
