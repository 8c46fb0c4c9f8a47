/* Materials: the keys of Assimp's, which grew with the formats, as the metal and roughness of the model. Colours are taken for
 * linear, as Stele takes those of an .mtl file. */
#include <assimp/GltfMaterial.h>
#include <math.h>
#include <string.h>

#include "import.h"

static bool number_of(const struct aiMaterial *m, const char *key, unsigned type, unsigned index, float *number)
{
    float value;
    unsigned count = 1;
    if (aiGetMaterialFloatArray(m, key, type, index, &value, &count) != aiReturn_SUCCESS || !isfinite(value))
        return false;
    *number = value;
    return true;
}

static bool color_of(const struct aiMaterial *m, const char *key, unsigned type, unsigned index, float color[3])
{
    struct aiColor4D value;
    if (aiGetMaterialColor(m, key, type, index, &value) != aiReturn_SUCCESS)
        return false;
    color[0] = value.r, color[1] = value.g, color[2] = value.b;
    finite_or_zero(color, 3);
    for (int i = 0; i < 3; i++)
        color[i] = fmaxf(color[i], 0);
    return true;
}

static float between_0_and_1(float value)
{
    return fminf(fmaxf(value, 0), 1);
}

/* ---- Textures ---- */

/* One texture of a kind; false if the material has none. */
static bool texture_at(import *im, const struct aiMaterial *m, enum aiTextureType kind, unsigned index, stele_texture_use *use)
{
    struct aiString path;
    unsigned uv = 0, flags = 0;
    enum aiTextureMapMode modes[3] = {aiTextureMapMode_Wrap, aiTextureMapMode_Wrap, aiTextureMapMode_Wrap};
    if (aiGetMaterialTexture(m, kind, index, &path, NULL, &uv, NULL, NULL, modes, &flags) != aiReturn_SUCCESS || !path.length)
        return false;
    uint32_t texture = add_texture(im, path.data, modes);
    if (texture == STELE_NONE)
        return false;
    use->texture = texture;
    use->uv_set = uv < AI_MAX_NUMBER_OF_TEXTURECOORDS ? uv : 0;
    return true;
}

static bool use_first(import *im, const struct aiMaterial *m, const enum aiTextureType *kinds, unsigned count,
                      stele_texture_use *use)
{
    for (unsigned i = 0; i < count; i++)
        if (texture_at(im, m, kinds[i], 0, use))
            return true;
    return false;
}

#define USE_FIRST(im, m, use, ...)                                                                                             \
    use_first(im, m, (const enum aiTextureType[]){__VA_ARGS__},                                                                \
              sizeof((const enum aiTextureType[]){__VA_ARGS__}) / sizeof(int), use)

/* glTF has roughness and metal in two channels of one image; when two are named, both must be the same. */
static void use_metal_and_roughness(import *im, const struct aiMaterial *m, stele_material *out)
{
    stele_texture_use metal = stele_default_texture_use(), rough = stele_default_texture_use();
    bool metallic = texture_at(im, m, aiTextureType_METALNESS, 0, &metal);
    bool roughness = texture_at(im, m, aiTextureType_DIFFUSE_ROUGHNESS, 0, &rough);
    if (metallic && roughness && metal.texture == rough.texture)
        out->textures[STELE_ROLE_METALLIC_ROUGHNESS] = metal;
    else
        lose((uint64_t)metallic + roughness, "the metal or roughness texture of material %s, which is not one image for both",
             out->name ? out->name : "");
}

static const char *const kind_names[] = {
    "none",      "diffuse",           "specular", "ambient",    "emissive",   "height",        "normal",         "shininess",
    "opacity",   "displacement",      "lightmap", "reflection", "base color", "normal camera", "emission color", "metalness",
    "roughness", "ambient occlusion", "unknown",  "sheen",      "clearcoat",  "transmission"};

/* What is there beyond what was taken, kind by kind. */
static void report_rest(const struct aiMaterial *m, const stele_material *out, uint32_t taken)
{
    for (unsigned kind = 1; kind < sizeof kind_names / sizeof *kind_names; kind++) {
        unsigned count = aiGetMaterialTextureCount(m, (enum aiTextureType)kind), known = taken >> kind & 1;
        lose(count > known ? count - known : 0, "%u texture%s (%s) of material %s", count - known,
             count - known == 1 ? "" : "s", kind_names[kind], out->name ? out->name : "");
    }
}

static bool same_file(const struct aiMaterial *m, enum aiTextureType a, enum aiTextureType b)
{
    struct aiString left, right;
    return aiGetMaterialTexture(m, a, 0, &left, NULL, NULL, NULL, NULL, NULL, NULL) == aiReturn_SUCCESS &&
           aiGetMaterialTexture(m, b, 0, &right, NULL, NULL, NULL, NULL, NULL, NULL) == aiReturn_SUCCESS &&
           strcmp(left.data, right.data) == 0;
}

static void use_textures(import *im, const struct aiMaterial *m, stele_material *out)
{
    uint32_t taken = 1u << aiTextureType_METALNESS | 1u << aiTextureType_DIFFUSE_ROUGHNESS;
    if (USE_FIRST(im, m, &out->textures[STELE_ROLE_BASE_COLOR], aiTextureType_BASE_COLOR, aiTextureType_DIFFUSE))
        taken |= 1u << aiTextureType_BASE_COLOR | 1u << aiTextureType_DIFFUSE;
    if (USE_FIRST(im, m, &out->textures[STELE_ROLE_NORMAL], aiTextureType_NORMALS, aiTextureType_NORMAL_CAMERA,
                  aiTextureType_HEIGHT))
        taken |= 1u << aiTextureType_NORMALS | 1u << aiTextureType_NORMAL_CAMERA | 1u << aiTextureType_HEIGHT;
    if (USE_FIRST(im, m, &out->textures[STELE_ROLE_EMISSIVE], aiTextureType_EMISSION_COLOR, aiTextureType_EMISSIVE))
        taken |= 1u << aiTextureType_EMISSION_COLOR | 1u << aiTextureType_EMISSIVE;
    if (USE_FIRST(im, m, &out->textures[STELE_ROLE_OCCLUSION], aiTextureType_AMBIENT_OCCLUSION, aiTextureType_LIGHTMAP))
        taken |= 1u << aiTextureType_AMBIENT_OCCLUSION | 1u << aiTextureType_LIGHTMAP;
    if (USE_FIRST(im, m, &out->textures[STELE_ROLE_SPECULAR_COLOR], aiTextureType_SPECULAR))
        taken |= 1u << aiTextureType_SPECULAR;
    use_metal_and_roughness(im, m, out);
    if (same_file(m, aiTextureType_OPACITY, aiTextureType_DIFFUSE)) {
        taken |= 1u << aiTextureType_OPACITY;
        out->alpha_mode = STELE_BLEND;
    }
    if (same_file(m, aiTextureType_UNKNOWN, aiTextureType_METALNESS))
        taken |= 1u << aiTextureType_UNKNOWN; /* glTF's metal and roughness a second time */
    report_rest(m, out, taken);
}

/* ---- Numbers ---- */

static void set_surface(const struct aiMaterial *m, stele_material *out)
{
    float shininess, strength = 1;
    bool metal = number_of(m, AI_MATKEY_METALLIC_FACTOR, &out->metallic);
    if (!metal)
        out->metallic = 0;
    bool rough = number_of(m, AI_MATKEY_ROUGHNESS_FACTOR, &out->roughness);
    /* the exponent of Blinn and Phong, and the roughness that looks most like it, as for .mtl files */
    if (!rough)
        out->roughness = number_of(m, AI_MATKEY_SHININESS, &shininess) ? sqrtf(sqrtf(2 / (fmaxf(shininess, 0) + 2))) : 1;
    if (!metal && !rough && color_of(m, AI_MATKEY_COLOR_SPECULAR, out->specular_color)) {
        number_of(m, AI_MATKEY_SHININESS_STRENGTH, &strength);
        for (int i = 0; i < 3; i++)
            out->specular_color[i] = between_0_and_1(out->specular_color[i] * strength);
    }
    out->metallic = between_0_and_1(out->metallic);
    out->roughness = between_0_and_1(out->roughness);
}

static void set_light(const struct aiMaterial *m, stele_material *out)
{
    float intensity;
    color_of(m, AI_MATKEY_COLOR_EMISSIVE, out->emissive);
    if (number_of(m, AI_MATKEY_EMISSIVE_INTENSITY, &intensity))
        for (int i = 0; i < 3; i++)
            out->emissive[i] *= fmaxf(intensity, 0);
    float brightest = fmaxf(out->emissive[0], fmaxf(out->emissive[1], out->emissive[2]));
    for (int i = 0; i < 3 && brightest > 1; i++)
        out->emissive[i] = between_0_and_1(out->emissive[i] / brightest);
    out->emissive_strength = brightest > 1 ? brightest : 1;
    for (int i = 0; i < 3 && !(brightest > 0) && out->textures[STELE_ROLE_EMISSIVE].texture != STELE_NONE; i++)
        out->emissive[i] = 1;
}

static void set_alpha(const struct aiMaterial *m, stele_material *out)
{
    struct aiString mode;
    float opacity = 1;
    int number;
    number_of(m, AI_MATKEY_OPACITY, &opacity);
    out->base_color[3] = between_0_and_1(opacity);
    if (out->base_color[3] < 1)
        out->alpha_mode = STELE_BLEND;
    if (aiGetMaterialString(m, AI_MATKEY_GLTF_ALPHAMODE, &mode) == aiReturn_SUCCESS)
        out->alpha_mode = strcmp(mode.data, "MASK") == 0    ? STELE_MASK
                          : strcmp(mode.data, "BLEND") == 0 ? STELE_BLEND
                                                            : STELE_OPAQUE;
    if (number_of(m, AI_MATKEY_GLTF_ALPHACUTOFF, &out->alpha_cutoff))
        out->alpha_cutoff = between_0_and_1(out->alpha_cutoff);
    out->double_sided = aiGetMaterialIntegerArray(m, AI_MATKEY_TWOSIDED, &number, NULL) == aiReturn_SUCCESS && number;
    out->unlit = aiGetMaterialIntegerArray(m, AI_MATKEY_SHADING_MODEL, &number, NULL) == aiReturn_SUCCESS &&
                 number == aiShadingMode_NoShading;
}

/* Assimp gives what has no material one of its own. */
static bool is_made_up(const struct aiMaterial *m, const struct aiString *name)
{
    if (strcmp(name->data, SKELETON_MATERIAL) == 0)
        return true;
    if (strcmp(name->data, AI_DEFAULT_MATERIAL_NAME) != 0)
        return false;
    for (unsigned kind = 1; kind < sizeof kind_names / sizeof *kind_names; kind++)
        if (aiGetMaterialTextureCount(m, (enum aiTextureType)kind))
            return false;
    return true;
}

static uint32_t add_material(import *im, const struct aiMaterial *m)
{
    stele_material out = stele_default_material();
    struct aiString name = {0};
    aiGetMaterialString(m, AI_MATKEY_NAME, &name);
    if (is_made_up(m, &name))
        return STELE_NONE;
    out.name = name.length ? name.data : NULL;
    if (!color_of(m, AI_MATKEY_BASE_COLOR, out.base_color))
        color_of(m, AI_MATKEY_COLOR_DIFFUSE, out.base_color);
    for (int i = 0; i < 3; i++)
        out.base_color[i] = between_0_and_1(out.base_color[i]);
    set_surface(m, &out);
    set_alpha(m, &out);
    use_textures(im, m, &out);
    set_light(m, &out);
    return stele_add_material(im->model, &out);
}

void add_materials(import *im)
{
    im->materials = take(im, im->scene->mNumMaterials, sizeof *im->materials);
    for (unsigned i = 0; i < im->scene->mNumMaterials; i++)
        im->materials[i] = add_material(im, im->scene->mMaterials[i]);
}
