#include "parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Findings ---- */

enum { MOST_TEXT = 512 };

static void report(gltf_doc *d, diag_code code, uint32_t token, uint64_t offset, uint64_t count, const char *text)
{
    char pointer[JSON_POINTER] = "";
    d->broken |= stele_diagnostic_kinds(NULL)[code].severity == STELE_ERROR;
    if (token != JSON_ABSENT && !st_diag_unseen(d->c->diags, code))
        st_json_pointer(&d->json, token, pointer);
    st_diag(d->c->diags, code, at_offset(offset, count, pointer), "%s", text);
}

void st_gltf_report(gltf_doc *d, diag_code code, uint32_t token, const char *format, ...)
{
    char text[MOST_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    uint64_t start = token < d->json.count ? d->json.tokens[token].start : 0;
    report(d, code, token, st_check_offset(d->c, d->text + start), 1, text);
}

void st_gltf_report_data(gltf_doc *d, diag_code code, uint32_t token, const void *at, uint64_t count, const char *format, ...)
{
    char text[MOST_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    report(d, code, token, st_check_offset(d->c, at), count, text);
}

/* ---- Values ---- */

static const char *kind_name(json_kind kind)
{
    static const char *const names[] = {"null", "a boolean", "a boolean", "a number", "a string", "an array", "an object"};
    return names[kind];
}

static bool require_kind(gltf_doc *d, uint32_t token, json_kind kind)
{
    json_kind found = st_json_kind(&d->json, token);
    if (token != JSON_ABSENT && found != kind)
        st_gltf_report(d, DIAG_BAD_FIELD, token, "is %s, where %s should be", kind_name(found), kind_name(kind));
    return token != JSON_ABSENT && found == kind;
}

uint32_t st_gltf_member(gltf_doc *d, uint32_t object, const char *key, json_kind kind)
{
    uint32_t token = st_json_member(&d->json, object, key);
    return require_kind(d, token, kind) ? token : JSON_ABSENT;
}

uint32_t st_gltf_extension(gltf_doc *d, uint32_t object, const char *name)
{
    return st_gltf_member(d, st_gltf_member(d, object, "extensions", JSON_OBJECT), name, JSON_OBJECT);
}

/* A number without fraction from 0 to most. JSON does not tell 1 from 1.0, and neither do we. */
static bool take_uint(gltf_doc *d, uint32_t token, uint64_t most, uint64_t *value)
{
    if (!require_kind(d, token, JSON_NUMBER))
        return false;
    double number = st_json_number(&d->json, token);
    if (!(number >= 0) || number != floor(number)) {
        st_gltf_report(d, DIAG_BAD_FIELD, token, "is %.17g, where a whole number from 0 on should be", number);
        return false;
    }
    if (number > (double)most) {
        st_gltf_report(d, DIAG_COUNT_TOO_LARGE, token, "is %.17g, more than can be", number);
        return false;
    }
    *value = (uint64_t)number;
    return true;
}

uint64_t st_gltf_uint(gltf_doc *d, uint32_t object, const char *key, uint64_t most, uint64_t otherwise)
{
    uint32_t token = st_json_member(&d->json, object, key);
    uint64_t value;
    return token != JSON_ABSENT && take_uint(d, token, most, &value) ? value : otherwise;
}

static void report_missing(gltf_doc *d, uint32_t object, const char *key)
{
    st_gltf_report(d, DIAG_BAD_FIELD, object, "has no \"%s\", which is required", key);
}

bool st_gltf_required(gltf_doc *d, uint32_t object, const char *key, uint64_t most, uint64_t *value)
{
    uint32_t token = st_json_member(&d->json, object, key);
    if (token == JSON_ABSENT)
        report_missing(d, object, key);
    return token != JSON_ABSENT && take_uint(d, token, most, value);
}

bool st_gltf_bool(gltf_doc *d, uint32_t object, const char *key)
{
    uint32_t token = st_json_member(&d->json, object, key);
    json_kind kind = st_json_kind(&d->json, token);
    if (token != JSON_ABSENT && kind != JSON_TRUE && kind != JSON_FALSE)
        require_kind(d, token, JSON_TRUE);
    return kind == JSON_TRUE;
}

static bool take_float(gltf_doc *d, uint32_t token, float *value)
{
    if (!require_kind(d, token, JSON_NUMBER))
        return false;
    *value = (float)st_json_number(&d->json, token);
    if (isfinite(*value))
        return true;
    st_gltf_report(d, DIAG_BAD_FIELD, token, "is too large for a float");
    return false;
}

float st_gltf_float(gltf_doc *d, uint32_t object, const char *key, float otherwise)
{
    uint32_t token = st_json_member(&d->json, object, key);
    float value;
    return token != JSON_ABSENT && take_float(d, token, &value) ? value : otherwise;
}

bool st_gltf_floats(gltf_doc *d, uint32_t object, const char *key, float *values, uint32_t count)
{
    uint32_t list = st_gltf_member(d, object, key, JSON_ARRAY), i = 0;
    if (list == JSON_ABSENT)
        return false;
    if (st_json_count(&d->json, list) != count) {
        st_gltf_report(d, DIAG_BAD_FIELD, list, "has %u numbers instead of %u", st_json_count(&d->json, list), count);
        return false;
    }
    for (uint32_t item = st_json_first(&d->json, list); item != JSON_ABSENT; item = st_json_next(&d->json, list, item), i++)
        if (!take_float(d, item, &values[i]))
            return false;
    return true;
}

const char *st_gltf_text(gltf_doc *d, uint32_t object, const char *key)
{
    uint32_t token = st_gltf_member(d, object, key, JSON_STRING);
    return token == JSON_ABSENT ? NULL : st_json_string(&d->json, d->arena, token, NULL);
}

unsigned st_gltf_word(gltf_doc *d, uint32_t object, const char *key, const char *const *words, unsigned otherwise)
{
    uint32_t token = st_gltf_member(d, object, key, JSON_STRING);
    if (token == JSON_ABSENT)
        return otherwise;
    for (unsigned i = 0; words[i]; i++)
        if (st_json_is(&d->json, token, words[i]))
            return i;
    arena_mark mark = st_arena_mark(d->arena);
    const char *text = st_json_string(&d->json, d->arena, token, NULL);
    st_gltf_report(d, DIAG_BAD_FIELD, token, "is \"%.60s\", which glTF does not know", text);
    if (st_diag_unseen(d->c->diags, DIAG_BAD_FIELD))
        st_arena_rewind(d->arena, mark);
    return otherwise;
}

uint32_t st_gltf_reference(gltf_doc *d, uint32_t token, gltf_list_name list)
{
    uint64_t index;
    if (token == JSON_ABSENT || !take_uint(d, token, UINT64_C(1) << 53, &index))
        return STELE_NONE;
    if (index < d->lists[list].count)
        return (uint32_t)index;
    st_gltf_report(d, DIAG_REFERENCE_OUT_OF_RANGE, token, "is %llu, but there are only %u", (unsigned long long)index,
                   d->lists[list].count);
    return STELE_NONE;
}

uint32_t st_gltf_index(gltf_doc *d, uint32_t object, const char *key, gltf_list_name list)
{
    return st_gltf_reference(d, st_json_member(&d->json, object, key), list);
}

/* ---- Extras ---- */

static bool all_numbers(const json *j, uint32_t token)
{
    uint32_t item = st_json_first(j, token);
    if (st_json_kind(j, token) != JSON_ARRAY || item == JSON_ABSENT)
        return false;
    for (; item != JSON_ABSENT; item = st_json_next(j, token, item))
        if (st_json_kind(j, item) != JSON_NUMBER || !isfinite(st_json_number(j, item)))
            return false;
    return true;
}

stele_property st_gltf_property(gltf_doc *d, const char *key, uint32_t value)
{
    const json *j = &d->json;
    stele_property p = {.key = key};
    bool number = st_json_kind(j, value) == JSON_NUMBER && isfinite(st_json_number(j, value));
    bool list = all_numbers(j, value);
    uint64_t size;
    if (st_json_kind(j, value) == JSON_STRING) {
        p.text = st_json_string(j, d->arena, value, &size);
        if (strlen(p.text) == size)
            return p;
        p.text = NULL; /* a NUL in it: only JSON can say that */
    } else if (number || list) {
        double *numbers = st_arena_array(d->arena, list ? st_json_count(j, value) : 1, sizeof *numbers);
        p.numbers = numbers;
        if (number && numbers)
            numbers[p.number_count++] = st_json_number(j, value);
        for (uint32_t i = list ? st_json_first(j, value) : JSON_ABSENT; numbers && i != JSON_ABSENT;
             i = st_json_next(j, value, i))
            numbers[p.number_count++] = st_json_number(j, i);
        return p;
    }
    p.json = st_arena_text(d->arena, (const char *)j->text + j->tokens[value].start, j->tokens[value].size);
    return p;
}

uint32_t st_gltf_extra(const gltf_doc *d, uint32_t object, const char *key, json_kind kind)
{
    uint32_t token = st_json_member(&d->json, st_json_member(&d->json, object, "extras"), key);
    return st_json_kind(&d->json, token) == kind ? token : JSON_ABSENT;
}

stele_properties st_gltf_extras(gltf_doc *d, uint32_t object, uint32_t taken)
{
    const json *j = &d->json;
    uint32_t extras = st_json_member(j, object, "extras");
    bool single = extras != JSON_ABSENT && st_json_kind(j, extras) != JSON_OBJECT; /* allowed, but nobody does it */
    uint32_t count = single ? 1 : st_json_count(j, extras) - (taken != JSON_ABSENT);
    stele_property *items = count ? st_model_room(d->arena, count, sizeof *items) : NULL;
    stele_properties p = {items, 0};
    if (!items)
        return p;
    if (single)
        items[p.count++] = st_gltf_property(d, "extras", extras);
    for (uint32_t key = single ? JSON_ABSENT : st_json_first(j, extras); key != JSON_ABSENT; key = st_json_next(j, extras, key))
        if (json_value_of(key) != taken)
            items[p.count++] = st_gltf_property(d, st_json_string(j, d->arena, key, NULL), json_value_of(key));
    return p;
}

/* ---- The document ---- */

static const char *const list_names[GLTF_LISTS] = {[GLTF_ACCESSORS] = "accessors",
                                                   [GLTF_ANIMATIONS] = "animations",
                                                   [GLTF_BUFFERS] = "buffers",
                                                   [GLTF_IMAGES] = "images",
                                                   [GLTF_BUFFER_VIEWS] = "bufferViews",
                                                   [GLTF_MATERIALS] = "materials",
                                                   [GLTF_MESHES] = "meshes",
                                                   [GLTF_NODES] = "nodes",
                                                   [GLTF_SAMPLERS] = "samplers",
                                                   [GLTF_SCENES] = "scenes",
                                                   [GLTF_SKINS] = "skins",
                                                   [GLTF_TEXTURES] = "textures"};

static void read_list(gltf_doc *d, gltf_list_name name)
{
    uint32_t list = st_gltf_member(d, 0, list_names[name], JSON_ARRAY);
    gltf_list *l = &d->lists[name];
    l->items = st_arena_array(d->arena, st_json_count(&d->json, list), sizeof *l->items);
    for (uint32_t i = st_json_first(&d->json, list); l->items && i != JSON_ABSENT; i = st_json_next(&d->json, list, i)) {
        require_kind(d, i, JSON_OBJECT);
        l->items[l->count++] = i;
    }
}

static bool parse(gltf_doc *d, span text)
{
    static const diag_code codes[] = {
        [JSON_SYNTAX] = DIAG_BAD_JSON, [JSON_TOO_DEEP] = DIAG_JSON_DEPTH, [JSON_DUPLICATE_KEY] = DIAG_JSON_DUPLICATE_KEY};
    json_failure failure;
    const uint8_t *settled = st_settled_text(d->c, &text);
    if (!settled)
        return !(d->broken = true);
    uint64_t start = text.count >= 3 && memcmp(settled, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    d->json.text = settled;
    d->text = text.data;
    if (start)
        st_gltf_report(d, DIAG_NONSTANDARD_LAYOUT, JSON_ABSENT, "begins with a byte order mark, which glTF does not allow");
    d->text += start;
    if (st_json_parse(&d->json, d->arena, settled + start, text.count - start, &failure))
        return true;
    d->broken = true;
    if (failure.problem != JSON_NO_MEMORY)
        st_diag(d->c->diags, codes[failure.problem],
                at_offset(st_check_offset(d->c, d->text + failure.offset), 1, failure.pointer), "%s", failure.text);
    return false;
}

static bool is_version_2(gltf_doc *d)
{
    uint32_t asset = st_gltf_member(d, 0, "asset", JSON_OBJECT), version = st_gltf_member(d, asset, "version", JSON_STRING);
    if (version == JSON_ABSENT) {
        report_missing(d, asset == JSON_ABSENT ? 0 : asset, asset == JSON_ABSENT ? "asset" : "version");
        return false;
    }
    const char *text = st_json_string(&d->json, d->arena, version, NULL);
    const char *least = st_gltf_text(d, asset, "minVersion");
    if (strncmp(text, "2.", 2) != 0 || (least && strcmp(least, "2.0") != 0)) {
        st_gltf_report(d, DIAG_BAD_VERSION, version, "is \"%.20s\": only glTF 2.0 is supported", least ? least : text);
        return false;
    }
    return true;
}

bool st_gltf_supports(const json *j, uint32_t name)
{
    static const char *const supported[] = {"KHR_mesh_quantization",  "KHR_texture_transform",           "KHR_materials_unlit",
                                            "KHR_materials_specular", "KHR_materials_emissive_strength", "EXT_texture_webp"};
    for (size_t i = 0; i < sizeof supported / sizeof *supported; i++)
        if (st_json_is(j, name, supported[i]))
            return true;
    return false;
}

/* Names every required extension that we do not know; false if there is one. */
static bool supports_required(gltf_doc *d)
{
    uint32_t list = st_gltf_member(d, 0, "extensionsRequired", JSON_ARRAY);
    bool all = true;
    for (uint32_t i = st_json_first(&d->json, list); i != JSON_ABSENT; i = st_json_next(&d->json, list, i)) {
        if (!require_kind(d, i, JSON_STRING) || st_gltf_supports(&d->json, i))
            continue;
        all = false;
        st_gltf_report(d, DIAG_EXTENSION_UNSUPPORTED, i, "%.80s is required to read this file, and not supported",
                       st_json_string(&d->json, d->arena, i, NULL));
    }
    return all;
}

static void read_parts(gltf_doc *d, const gltf_file *f)
{
    for (gltf_list_name i = 0; i < GLTF_LISTS; i++)
        read_list(d, i);
    if (d->arena->failed)
        return;
    st_gltf_read_buffers(d, f);
    if (!d->arena->failed)
        st_gltf_read_materials(d);
    if (!d->arena->failed)
        st_gltf_read_meshes(d);
    if (!d->arena->failed)
        st_gltf_read_scene(d);
}

static void read_document(gltf_doc *d, const gltf_file *f)
{
    if (!f->json.data) {
        st_diag(d->c->diags, DIAG_BAD_JSON, at_path("", 1), "the first chunk is not the JSON");
        d->broken = true;
        return;
    }
    if (!parse(d, f->json) || !require_kind(d, 0, JSON_OBJECT) || !is_version_2(d))
        return;
    if (!supports_required(d))
        return;
    read_parts(d, f);
    st_gltf_report_rest(d);
}

void st_gltf_parse(context *c, raw_file *raw)
{
    gltf_file *f = (gltf_file *)raw;
    gltf_doc *d = st_arena_alloc(c->arena, sizeof *d);
    if (!d)
        return;
    *d = (gltf_doc){.c = c, .arena = c->arena, .bytes = c->size};
    read_document(d, f);
    d->c = NULL;
    d->broken |= c->arena->failed;
    f->document = d;
}
