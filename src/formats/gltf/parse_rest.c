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
};

/* ---- Extensions ---- */

enum { MOST_EXTENSIONS = 48 }; /* each with a line of its own; the others share one */

typedef struct extension_use {
    uint32_t key; /* of the first use */
    uint64_t count;
} extension_use;

typedef struct survey {
    gltf_doc *d;
    extension_use extensions[MOST_EXTENSIONS + 1];
    size_t extension_count;
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

static void survey_extensions(survey *s, uint32_t extensions)
{
    const json *j = &s->d->json;
    for (uint32_t name = st_json_first(j, extensions); name != JSON_ABSENT; name = st_json_next(j, extensions, name))
        if (!st_gltf_supports(j, name))
            count_extension(s, name);
}

static void report_extensions(const survey *s)
{
    gltf_doc *d = s->d;
    for (size_t i = 0; i < s->extension_count; i++) {
        const extension_use *use = &s->extensions[i];
        const char *name = st_json_string(&d->json, d->arena, use->key, NULL);
        st_gltf_report_data(d, DIAG_EXTENSION_IGNORED, use->key, d->text + d->json.tokens[use->key].start, use->count,
                            i < MOST_EXTENSIONS ? "%.80s is not supported: what it says is no part of the model"
                                                : "%.80s and others are not supported: what they say is no part of the model",
                            name);
    }
}

/* ---- The whole document ---- */

/* Where extras become properties: of the document, its asset, the scene that is shown, and the items of these lists. */
static bool keeps_extras(const json *j, uint32_t list_key)
{
    static const char *const lists[] = {"nodes", "meshes", "materials", "textures", "skins", "animations"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (st_json_is(j, list_key, lists[i]))
            return true;
    return false;
}

static void survey_value(survey *s, uint32_t value, bool kept);

static void survey_object(survey *s, uint32_t object, bool kept)
{
    const json *j = &s->d->json;
    for (uint32_t key = st_json_first(j, object); key != JSON_ABSENT; key = st_json_next(j, object, key)) {
        uint32_t value = json_value_of(key);
        if (st_json_is(j, key, "extras")) {
            if (!kept)
                st_gltf_lose(s->d, REST_EXTRAS, value);
        } else if (st_json_is(j, key, "extensions")) {
            survey_extensions(s, value);
        } else {
            survey_value(s, value, kept && st_json_is(j, key, "primitives"));
        }
    }
}

/* As deep as the JSON is, which has an end. */
static void survey_value(survey *s, uint32_t value, bool kept)
{
    const json *j = &s->d->json;
    uint32_t first = st_json_first(j, value);
    if (st_json_kind(j, value) == JSON_OBJECT)
        survey_object(s, value, kept);
    else if (st_json_kind(j, value) == JSON_ARRAY && first != JSON_ABSENT && st_json_kind(j, first) >= JSON_ARRAY)
        for (uint32_t i = first; i != JSON_ABSENT; i = st_json_next(j, value, i))
            survey_value(s, i, kept);
}

static void survey_document(survey *s)
{
    const json *j = &s->d->json;
    uint32_t shown = s->d->lists[GLTF_SCENES].count ? gltf_item(s->d, GLTF_SCENES, s->d->scene) : JSON_ABSENT;
    for (uint32_t key = st_json_first(j, 0); key != JSON_ABSENT; key = st_json_next(j, 0, key)) {
        uint32_t value = json_value_of(key);
        if (st_json_is(j, key, "extras"))
            continue;
        if (st_json_is(j, key, "scenes"))
            for (uint32_t i = st_json_first(j, value); i != JSON_ABSENT; i = st_json_next(j, value, i))
                survey_value(s, i, i == shown);
        else if (st_json_is(j, key, "extensions"))
            survey_extensions(s, value);
        else
            survey_value(s, value, st_json_is(j, key, "asset") || keeps_extras(j, key));
    }
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
