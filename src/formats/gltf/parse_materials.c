/* Materials, and the textures that they use. */
#include <string.h>

#include "parse.h"

/* ---- Images and textures ---- */

/* Whether a name says no more than that of the file does: "hat" and "textures/hat.png". */
static bool names_file(const char *name, const char *file)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
    size_t length = strlen(name);
    return strcmp(name, file) == 0 || strcmp(name, base) == 0 ||
           (dot && (size_t)(dot - base) == length && strncmp(name, base, length) == 0);
}

static void check_flaw(gltf_doc *d, uint32_t token, const void *data, uint64_t size)
{
    const char *flaw = data ? st_check_flaw(d->c, data, size) : NULL;
    if (flaw)
        st_gltf_report(d, DIAG_TEXTURE_UNREADABLE, token, "%s", flaw);
}

static void check_file(gltf_doc *d, uint32_t uri, const char *file)
{
    const void *data;
    size_t size;
    if (d->c->full && st_companion_find(d->c->companions, file, &data, &size))
        check_flaw(d, uri, data, size);
}

/* An image that lies in the file or in a data URI, or names a file: looked for once, however many textures share it. */
static void read_image(gltf_doc *d, uint32_t token, stele_texture *image)
{
    companions *c = d->c->companions;
    uint32_t uri = st_gltf_member(d, token, "uri", JSON_STRING);
    uint32_t view = st_gltf_index(d, token, "bufferView", GLTF_BUFFER_VIEWS);
    const uint8_t *data;
    image->name = st_gltf_text(d, token, "name");
    image->mime_type = st_gltf_text(d, token, "mimeType");
    if (view != STELE_NONE) {
        image->data = st_gltf_view_bytes(d, token, view);
        image->size = d->buffer_views[view].size;
        check_flaw(d, token, image->data, image->size);
        return;
    }
    if (uri == JSON_ABSENT)
        return;
    const char *mime_type = NULL;
    if (st_gltf_data_uri(d, uri, &data, &image->size, &mime_type)) {
        image->data = data;
        image->mime_type = mime_type && *mime_type ? mime_type : image->mime_type;
        check_flaw(d, uri, data, image->size);
        return;
    }
    image->mime_type = NULL;
    if (st_gltf_scheme(st_gltf_text(d, token, "uri"))) {
        st_gltf_lose(d, REST_ELSEWHERE, uri);
        return;
    }
    const char *name = st_gltf_file_name(d, uri);
    if (!name)
        return;
    if (image->name && !names_file(image->name, name))
        st_gltf_lose(d, REST_NAME, st_json_member(&d->json, token, "name"));
    image->name = name;
    if (!st_companion_allowed(c, name))
        st_gltf_report(d, DIAG_NAME_LEAVES_FOLDER, uri, "is %.200s, out of the model's folder: not followed", name);
    else if (st_companions_any(c) && !(image->file = st_companion_texture(c, name)))
        st_gltf_report(d, DIAG_TEXTURE_MISSING, uri, "is %.200s, which is not beside the model", name);
    else if (image->file)
        check_file(d, uri, image->file);
}

static uint16_t read_constant(gltf_doc *d, uint32_t sampler, const char *key, const uint16_t *allowed)
{
    uint32_t token = st_json_member(&d->json, sampler, key);
    uint64_t value = st_gltf_uint(d, sampler, key, UINT32_MAX, 0);
    for (size_t i = 0; allowed[i]; i++)
        if (value == allowed[i])
            return allowed[i];
    if (token != JSON_ABSENT)
        st_gltf_report(d, DIAG_NONSTANDARD_LAYOUT, token, "is %llu, which glTF does not know: left out",
                       (unsigned long long)value);
    return 0;
}

static void read_sampler(gltf_doc *d, uint32_t sampler, stele_texture *t)
{
    static const uint16_t wraps[] = {33071, 33648, 10497, 0}, mags[] = {9728, 9729, 0},
                          mins[] = {9728, 9729, 9984, 9985, 9986, 9987, 0};
    t->wrap_u = read_constant(d, sampler, "wrapS", wraps);
    t->wrap_v = read_constant(d, sampler, "wrapT", wraps);
    t->mag_filter = read_constant(d, sampler, "magFilter", mags);
    t->min_filter = read_constant(d, sampler, "minFilter", mins);
}

/* A WebP stands where other images do not; beside one that every reader knows it is left out, which is said as of any image
 * that no texture shows. */
static uint32_t read_source(gltf_doc *d, uint32_t texture)
{
    uint32_t image = st_gltf_index(d, texture, "source", GLTF_IMAGES);
    return image != STELE_NONE ? image
                               : st_gltf_index(d, st_gltf_extension(d, texture, "EXT_texture_webp"), "source", GLTF_IMAGES);
}

static void read_textures(gltf_doc *d)
{
    uint32_t count = d->lists[GLTF_TEXTURES].count, image_count = d->lists[GLTF_IMAGES].count;
    stele_texture *textures = st_model_room(d->arena, count, sizeof *textures);
    stele_texture *images = st_arena_array(d->arena, image_count, sizeof *images);
    bool *shown = st_arena_array(d->arena, image_count, sizeof *shown);
    d->model.textures = textures;
    for (uint32_t i = 0; images && i < image_count; i++)
        read_image(d, gltf_item(d, GLTF_IMAGES, i), &images[i]);
    for (uint32_t i = 0; textures && images && shown && i < count; i++) {
        uint32_t token = gltf_item(d, GLTF_TEXTURES, i);
        uint32_t image = read_source(d, token);
        uint32_t sampler = st_gltf_index(d, token, "sampler", GLTF_SAMPLERS);
        stele_texture *t = &textures[d->model.texture_count++];
        uint32_t name = st_gltf_extra(d, token, "stele.name", JSON_STRING);
        const char *own = st_gltf_text(d, token, "name");
        if (image != STELE_NONE) {
            *t = images[image];
            shown[image] = true;
        }
        if (own && t->name && !names_file(own, t->name))
            st_gltf_lose(d, REST_NAME, st_json_member(&d->json, token, "name"));
        t->name = t->name ? t->name : own;
        if (sampler != STELE_NONE)
            read_sampler(d, gltf_item(d, GLTF_SAMPLERS, sampler), t);
        if (name != JSON_ABSENT)
            t->name = st_json_string(&d->json, d->arena, name, NULL);
        t->properties = st_gltf_extras(d, token, name);
    }
    for (uint32_t i = 0; shown && i < image_count; i++)
        if (!shown[i])
            st_gltf_lose(d, REST_IMAGE, gltf_item(d, GLTF_IMAGES, i));
}

/* ---- Materials ---- */

static void read_use(gltf_doc *d, uint32_t object, const char *key, const char *strength, stele_texture_use *use)
{
    uint32_t token = st_gltf_member(d, object, key, JSON_OBJECT);
    uint32_t transform = st_gltf_extension(d, token, "KHR_texture_transform");
    if (token == JSON_ABSENT)
        return;
    uint64_t unused;
    if (st_gltf_required(d, token, "index", UINT32_MAX, &unused))
        use->texture = st_gltf_index(d, token, "index", GLTF_TEXTURES);
    use->uv_set = (uint32_t)st_gltf_uint(d, token, "texCoord", UINT16_MAX, 0);
    if (strength)
        use->strength = st_gltf_float(d, token, strength, 1);
    st_gltf_floats(d, transform, "offset", use->offset, 2);
    st_gltf_floats(d, transform, "scale", use->scale, 2);
    use->rotation = st_gltf_float(d, transform, "rotation", 0);
    use->uv_set = (uint32_t)st_gltf_uint(d, transform, "texCoord", UINT16_MAX, use->uv_set);
}

static void read_material(gltf_doc *d, uint32_t token, stele_material *m)
{
    static const char *const alpha_modes[] = {[STELE_OPAQUE] = "OPAQUE", [STELE_MASK] = "MASK", [STELE_BLEND] = "BLEND", NULL};
    uint32_t pbr = st_gltf_member(d, token, "pbrMetallicRoughness", JSON_OBJECT);
    uint32_t specular = st_gltf_extension(d, token, "KHR_materials_specular");
    uint32_t emissive = st_gltf_extension(d, token, "KHR_materials_emissive_strength");
    *m = stele_default_material();
    m->name = st_gltf_text(d, token, "name");
    st_gltf_floats(d, pbr, "baseColorFactor", m->base_color, 4);
    m->metallic = st_gltf_float(d, pbr, "metallicFactor", 1);
    m->roughness = st_gltf_float(d, pbr, "roughnessFactor", 1);
    read_use(d, pbr, "baseColorTexture", NULL, &m->textures[STELE_ROLE_BASE_COLOR]);
    read_use(d, pbr, "metallicRoughnessTexture", NULL, &m->textures[STELE_ROLE_METALLIC_ROUGHNESS]);
    read_use(d, token, "normalTexture", "scale", &m->textures[STELE_ROLE_NORMAL]);
    read_use(d, token, "occlusionTexture", "strength", &m->textures[STELE_ROLE_OCCLUSION]);
    read_use(d, token, "emissiveTexture", NULL, &m->textures[STELE_ROLE_EMISSIVE]);
    st_gltf_floats(d, token, "emissiveFactor", m->emissive, 3);
    m->emissive_strength = st_gltf_float(d, emissive, "emissiveStrength", 1);
    m->specular = st_gltf_float(d, specular, "specularFactor", 1);
    st_gltf_floats(d, specular, "specularColorFactor", m->specular_color, 3);
    read_use(d, specular, "specularTexture", NULL, &m->textures[STELE_ROLE_SPECULAR]);
    read_use(d, specular, "specularColorTexture", NULL, &m->textures[STELE_ROLE_SPECULAR_COLOR]);
    m->alpha_mode = (stele_alpha_mode)st_gltf_word(d, token, "alphaMode", alpha_modes, STELE_OPAQUE);
    m->alpha_cutoff = st_gltf_float(d, token, "alphaCutoff", 0.5f);
    m->double_sided = st_gltf_bool(d, token, "doubleSided");
    m->unlit = st_gltf_extension(d, token, "KHR_materials_unlit") != JSON_ABSENT;
    m->properties = st_gltf_extras(d, token, JSON_ABSENT);
}

void st_gltf_read_materials(gltf_doc *d)
{
    uint32_t count = d->lists[GLTF_MATERIALS].count;
    stele_material *materials = st_model_room(d->arena, count, sizeof *materials);
    read_textures(d);
    d->model.materials = materials;
    for (uint32_t i = 0; materials && i < count; i++)
        read_material(d, gltf_item(d, GLTF_MATERIALS, i), &materials[d->model.material_count++]);
}
