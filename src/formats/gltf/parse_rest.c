/* What a glTF holds and the model has no place for: lost when it becomes anything but a copy of the file. One line for each
 * kind, with a count, however often it is there. */
#include <string.h>

#include "parse.h"

void st_gltf_lose(gltf_doc *d, gltf_rest kind, uint32_t token)
{
    if (!d->rest[kind].count++)
        d->rest[kind].first = token;
}

static const char *const texts[GLTF_REST] = {
    [REST_ATTRIBUTE] = "is an attribute that the model does not have",
    [REST_MORPH_ATTRIBUTE] = "is an attribute that morphs of the model do not have",
    [REST_HIDDEN] = "is not in the scene that is shown: its mesh is no part of the model",
    [REST_SCENE] = "is another scene than the one that is shown: no part of the model",
    [REST_CAMERA] = "is no part of the model",
    [REST_CHANNEL] = "moves no node: no part of the model",
    [REST_MORPH_CHANNEL] = "moves the morphs of a node that has none: no part of the model",
    [REST_EXTRAS] = "are extras where the model has no place for them",
    [REST_IMAGE] = "is an image that no texture shows: no part of the model",
    [REST_NAME] = "is a name beside that of the image or its file: no part of the model",
    [REST_MEMBER] = "is nothing that glTF knows: no part of the model",
    [REST_PRIMITIVE] = "has no POSITION, so that nothing is drawn: no part of the model",
    [REST_ELSEWHERE] = "is an image elsewhere, which is not followed: no part of the model",
};

/* ---- What glTF has, object by object ---- */

typedef enum object {
    VALUE, /* nothing to look into, or somebody else does */
    DOCUMENT,
    ASSET,
    SCENE,
    NODE,
    MESH,
    PRIMITIVE,
    MATERIAL,
    SURFACE,
    USE,
    UNLIT,
    SPECULAR,
    STRENGTH,
    TRANSFORM,
    TEXTURE,
    WEBP,
    IMAGE,
    SAMPLER,
    SKIN,
    ANIMATION,
    CHANNEL,
    TARGET,
    KEYS,
    ACCESSOR,
    SPARSE,
    SPARSE_PART,
    BUFFER_VIEW,
    BUFFER,
    OBJECTS
} object;

typedef struct member {
    const char *name;
    object of; /* what its value is, or the items of it are */
} member;

#define MEMBERS(...) ((const member[]){__VA_ARGS__, {NULL, VALUE}})

/* The members of each, the extensions that are read there, and whether its extras become properties. */
static const struct {
    const member *members, *extensions;
    bool keeps_extras;
} objects[OBJECTS] = {
    [DOCUMENT] = {MEMBERS({"asset", ASSET}, {"scene", VALUE}, {"nodes", NODE}, {"meshes", MESH}, {"materials", MATERIAL},
                          {"textures", TEXTURE}, {"images", IMAGE}, {"samplers", SAMPLER}, {"skins", SKIN},
                          {"animations", ANIMATION}, {"accessors", ACCESSOR}, {"bufferViews", BUFFER_VIEW}, {"buffers", BUFFER},
                          {"scenes", VALUE}, {"cameras", VALUE}, {"extensionsUsed", VALUE}, {"extensionsRequired", VALUE}),
                  NULL, true},
    [ASSET] = {MEMBERS({"version", VALUE}, {"generator", VALUE}, {"copyright", VALUE}, {"minVersion", VALUE}), NULL, true},
    [SCENE] = {MEMBERS({"nodes", VALUE}, {"name", VALUE}), NULL, true},
    [NODE] = {MEMBERS({"name", VALUE}, {"children", VALUE}, {"mesh", VALUE}, {"skin", VALUE}, {"translation", VALUE},
                      {"rotation", VALUE}, {"scale", VALUE}, {"matrix", VALUE}, {"weights", VALUE}, {"camera", VALUE}),
              NULL, true},
    [MESH] = {MEMBERS({"name", VALUE}, {"primitives", PRIMITIVE}, {"weights", VALUE}), NULL, true},
    [PRIMITIVE] = {MEMBERS({"attributes", VALUE}, {"indices", VALUE}, {"material", VALUE}, {"mode", VALUE}, {"targets", VALUE}),
                   NULL, true},
    [MATERIAL] = {MEMBERS({"name", VALUE}, {"pbrMetallicRoughness", SURFACE}, {"normalTexture", USE}, {"occlusionTexture", USE},
                          {"emissiveTexture", USE}, {"emissiveFactor", VALUE}, {"alphaMode", VALUE}, {"alphaCutoff", VALUE},
                          {"doubleSided", VALUE}),
                  MEMBERS({"KHR_materials_unlit", UNLIT}, {"KHR_materials_specular", SPECULAR},
                          {"KHR_materials_emissive_strength", STRENGTH}),
                  true},
    [SURFACE] = {MEMBERS({"baseColorFactor", VALUE}, {"baseColorTexture", USE}, {"metallicFactor", VALUE},
                         {"roughnessFactor", VALUE}, {"metallicRoughnessTexture", USE}),
                 NULL, false},
    [USE] = {MEMBERS({"index", VALUE}, {"texCoord", VALUE}, {"scale", VALUE}, {"strength", VALUE}),
             MEMBERS({"KHR_texture_transform", TRANSFORM}), false},
    [SPECULAR] = {MEMBERS({"specularFactor", VALUE}, {"specularTexture", USE}, {"specularColorFactor", VALUE},
                          {"specularColorTexture", USE}),
                  NULL, false},
    [STRENGTH] = {MEMBERS({"emissiveStrength", VALUE}), NULL, false},
    [TRANSFORM] = {MEMBERS({"offset", VALUE}, {"rotation", VALUE}, {"scale", VALUE}, {"texCoord", VALUE}), NULL, false},
    [TEXTURE] = {MEMBERS({"name", VALUE}, {"source", VALUE}, {"sampler", VALUE}), MEMBERS({"EXT_texture_webp", WEBP}), true},
    [WEBP] = {MEMBERS({"source", VALUE}), NULL, false},
    [IMAGE] = {MEMBERS({"name", VALUE}, {"uri", VALUE}, {"mimeType", VALUE}, {"bufferView", VALUE}), NULL, false},
    [SAMPLER] = {MEMBERS({"name", VALUE}, {"magFilter", VALUE}, {"minFilter", VALUE}, {"wrapS", VALUE}, {"wrapT", VALUE}), NULL,
                 false},
    [SKIN] = {MEMBERS({"name", VALUE}, {"joints", VALUE}, {"inverseBindMatrices", VALUE}, {"skeleton", VALUE}), NULL, true},
    [ANIMATION] = {MEMBERS({"name", VALUE}, {"channels", CHANNEL}, {"samplers", KEYS}), NULL, true},
    [CHANNEL] = {MEMBERS({"sampler", VALUE}, {"target", TARGET}), NULL, false},
    [TARGET] = {MEMBERS({"node", VALUE}, {"path", VALUE}), NULL, false},
    [KEYS] = {MEMBERS({"input", VALUE}, {"output", VALUE}, {"interpolation", VALUE}), NULL, false},
    [ACCESSOR] = {MEMBERS({"name", VALUE}, {"bufferView", VALUE}, {"byteOffset", VALUE}, {"componentType", VALUE},
                          {"normalized", VALUE}, {"count", VALUE}, {"type", VALUE}, {"min", VALUE}, {"max", VALUE},
                          {"sparse", SPARSE}),
                  NULL, false},
    [SPARSE] = {MEMBERS({"count", VALUE}, {"indices", SPARSE_PART}, {"values", SPARSE_PART}), NULL, false},
    [SPARSE_PART] = {MEMBERS({"bufferView", VALUE}, {"byteOffset", VALUE}, {"componentType", VALUE}), NULL, false},
    [BUFFER_VIEW] = {MEMBERS({"name", VALUE}, {"buffer", VALUE}, {"byteOffset", VALUE}, {"byteLength", VALUE},
                             {"byteStride", VALUE}, {"target", VALUE}),
                     NULL, false},
    [BUFFER] = {MEMBERS({"name", VALUE}, {"uri", VALUE}, {"byteLength", VALUE}), NULL, false},
};

static const member *find_member(const json *j, const member *list, uint32_t key)
{
    while (list && list->name && !st_json_is(j, key, list->name))
        list++;
    return list && list->name ? list : NULL;
}

/* ---- Extensions ---- */

enum { MOST_EXTENSIONS = 48 }; /* each with a line of its own; the others share one */
enum { MOST_DECLARED = 200 };  /* that each use is compared with */

typedef struct extension_use {
    uint32_t key; /* of the first use */
    uint64_t count;
} extension_use;

typedef struct survey {
    gltf_doc *d;
    extension_use extensions[MOST_EXTENSIONS + 1];
    size_t extension_count;
    gltf_tally undeclared;
} survey;

static bool same_text(const json *j, uint32_t a, uint32_t b)
{
    const json_token *x = &j->tokens[a], *y = &j->tokens[b];
    return x->size == y->size && memcmp(j->text + x->start, j->text + y->start, x->size) == 0;
}

static void count_extension(survey *s, uint32_t key)
{
    size_t i = 0;
    while (i < s->extension_count && i < MOST_EXTENSIONS && !same_text(&s->d->json, s->extensions[i].key, key))
        i++;
    if (i == s->extension_count) {
        s->extensions[i].key = key;
        s->extension_count++;
    }
    s->extensions[i].count++;
}

static bool is_declared(const json *j, uint32_t name)
{
    uint32_t used = st_json_member(j, 0, "extensionsUsed");
    uint32_t i = st_json_first(j, used), looked_at = 0;
    while (i != JSON_ABSENT && !same_text(j, i, name) && looked_at++ < MOST_DECLARED)
        i = st_json_next(j, used, i);
    return i != JSON_ABSENT;
}

static void survey_value(survey *s, uint32_t value, object is);

static void survey_extensions(survey *s, uint32_t extensions, object of)
{
    const json *j = &s->d->json;
    for (uint32_t name = st_json_first(j, extensions); name != JSON_ABSENT; name = st_json_next(j, extensions, name)) {
        const member *known = find_member(j, objects[of].extensions, name);
        if (known)
            survey_value(s, json_value_of(name), known->of);
        else
            count_extension(s, name);
        if (s->d->c->full && !is_declared(j, name) && !s->undeclared.count++)
            s->undeclared.first = name;
    }
}

static void report_extensions(const survey *s)
{
    gltf_doc *d = s->d;
    for (size_t i = 0; i < s->extension_count; i++) {
        const extension_use *use = &s->extensions[i];
        const char *name = st_json_string(&d->json, d->arena, use->key, NULL);
        st_gltf_report_data(d, DIAG_EXTENSION_IGNORED, use->key, d->text + d->json.tokens[use->key].start, use->count,
                            i == MOST_EXTENSIONS ? "%.80s and others are not supported: what they say is no part of the model"
                            : st_gltf_supports(&d->json, use->key)
                                ? "%.80s does not belong here: what it says is no part of the model"
                                : "%.80s is not supported: what it says is no part of the model",
                            name);
    }
    if (s->undeclared.count)
        st_gltf_report_data(d, DIAG_AGAINST_SPEC, s->undeclared.first, d->text + d->json.tokens[s->undeclared.first].start,
                            s->undeclared.count, "is an extension that \"extensionsUsed\" does not list");
}

/* ---- The whole document ---- */

static void survey_object(survey *s, uint32_t token, object is)
{
    const json *j = &s->d->json;
    for (uint32_t key = st_json_first(j, token); key != JSON_ABSENT; key = st_json_next(j, token, key)) {
        uint32_t value = json_value_of(key);
        const member *known = find_member(j, objects[is].members, key);
        if (known)
            survey_value(s, value, known->of);
        else if (st_json_is(j, key, "extensions"))
            survey_extensions(s, value, is);
        else if (!st_json_is(j, key, "extras"))
            st_gltf_lose(s->d, REST_MEMBER, key);
        else if (!objects[is].keeps_extras)
            st_gltf_lose(s->d, REST_EXTRAS, value);
    }
}

/* One object, or a list of them; the table is as deep as this goes. */
static void survey_value(survey *s, uint32_t value, object is)
{
    const json *j = &s->d->json;
    if (is == VALUE)
        return;
    if (st_json_kind(j, value) == JSON_OBJECT)
        survey_object(s, value, is);
    else if (st_json_kind(j, value) == JSON_ARRAY)
        for (uint32_t i = st_json_first(j, value); i != JSON_ABSENT; i = st_json_next(j, value, i))
            if (st_json_kind(j, i) == JSON_OBJECT)
                survey_object(s, i, is);
}

/* Of scenes only the one that is shown: the others are lost as a whole, and so are cameras. */
static void survey_document(survey *s)
{
    survey_object(s, 0, DOCUMENT);
    if (s->d->lists[GLTF_SCENES].count)
        survey_value(s, gltf_item(s->d, GLTF_SCENES, s->d->scene), SCENE);
}

static void lose_items(gltf_doc *d, gltf_rest kind, uint32_t list, uint32_t but)
{
    for (uint32_t i = st_json_first(&d->json, list); i != JSON_ABSENT; i = st_json_next(&d->json, list, i))
        if (i != but)
            st_gltf_lose(d, kind, i);
}

void st_gltf_report_rest(gltf_doc *d)
{
    survey s = {.d = d};
    if (d->broken || d->arena->failed)
        return;
    survey_document(&s);
    lose_items(d, REST_CAMERA, st_json_member(&d->json, 0, "cameras"), JSON_ABSENT);
    if (d->lists[GLTF_SCENES].count)
        lose_items(d, REST_SCENE, st_json_member(&d->json, 0, "scenes"), gltf_item(d, GLTF_SCENES, d->scene));
    report_extensions(&s);
    for (gltf_rest kind = 0; kind < GLTF_REST; kind++)
        if (d->rest[kind].count) {
            uint32_t token = d->rest[kind].first;
            st_gltf_report_data(d, DIAG_NOT_CARRIED, token, d->text + d->json.tokens[token].start, d->rest[kind].count, "%s",
                                texts[kind]);
        }
}

/* ---- What the document as a whole says ---- */

void st_gltf_keep_asset(gltf_doc *d)
{
    uint32_t asset = st_json_member(&d->json, 0, "asset");
    const struct {
        const char *key;
        uint32_t value;
    } kept[] = {{GLTF_COPYRIGHT, st_gltf_member(d, asset, "copyright", JSON_STRING)},
                {GLTF_ASSET_EXTRAS, st_json_member(&d->json, asset, "extras")},
                {GLTF_EXTRAS, st_json_member(&d->json, 0, "extras")}};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (kept[i].value != JSON_ABSENT)
            st_property_set(&d->model.properties, d->arena, st_gltf_property(d, kept[i].key, kept[i].value));
}
