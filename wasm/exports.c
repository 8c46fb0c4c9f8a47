/* What stele.mjs calls. Options come as pairs of texts; what is said about a file goes back as JSON, in the words of what the
 * command prints (docs/json.md); bulk data as places in memory. */
#include "exports.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "system/memory.h"

#define EXPORT(name) __attribute__((export_name(#name))) wasm_##name

/* ---- Options: key NUL value NUL, ..., NUL ---- */

static const char *next_option(const char *key)
{
    const char *value = key + strlen(key) + 1;
    return value + strlen(value) + 1;
}

/* NULL if it is not given. */
static const char *option(const char *options, const char *key)
{
    for (const char *o = options; *o; o = next_option(o))
        if (strcmp(o, key) == 0)
            return o + strlen(o) + 1;
    return NULL;
}

static bool is_set(const char *options, const char *key)
{
    const char *value = option(options, key);
    return value && strcmp(value, "true") == 0;
}

static double number(const char *options, const char *key, double otherwise)
{
    double value = otherwise;
    const char *text = option(options, key);
    return text && st_parse_f64(text, text + strlen(text), &value) ? value : otherwise;
}

/* Which of the words it is; 0 if it is none of them. */
static unsigned word(const char *options, const char *key, const char *const *words)
{
    const char *value = option(options, key);
    for (unsigned i = 0; value && words[i]; i++)
        if (strcmp(words[i], value) == 0)
            return i;
    return 0;
}

/* ---- Documents ---- */

static char *document;
static size_t document_size;

static json begin_document(void)
{
    free(document);
    document = NULL;
    json j = {.out = open_memstream(&document, &document_size)};
    if (!j.out)
        __builtin_trap();
    json_open(&j, NULL, '{');
    return j;
}

/* Returns where it is; document_length says how long. */
static const char *end_document(json *j)
{
    json_close(j, '}');
    fclose(j->out);
    return document;
}

size_t EXPORT(document_length)(void)
{
    return document_size;
}

static void put_status(json *j, stele_status status, const char *message)
{
    static const char *const names[] = {"ok",        "damaged",   "usage", "io",        "unsupported",
                                        "no-memory", "cancelled", "lossy", "different", "exists"};
    json_string(j, "status", names[status]);
    json_string(j, "message", message);
}

const char *EXPORT(formats)(void)
{
    const stele_format_info *format;
    json j = begin_document();
    json_string(&j, "version", stele_version());
    json_open(&j, "formats", '[');
    for (size_t i = 0; (format = stele_format_at(i)); i++)
        json_format(&j, format);
    json_close(&j, ']');
    return end_document(&j);
}

/* ---- Opening ---- */

/* JavaScript frees the bytes and the options, after closing. */
typedef struct handle {
    stele_file *file;
    const void *bytes;
    size_t size;
    const char *options;
    uint32_t id; /* by which JavaScript knows it */
} handle;

void *EXPORT(allocate)(size_t size)
{
    return malloc(size ? size : 1);
}

void EXPORT(release)(void *memory)
{
    free(memory);
}

__attribute__((import_module("stele"), import_name("lookup"))) bool stele_js_lookup(uint32_t id, const char *name,
                                                                                    const void **data, size_t *size);

static bool look_up(void *user, const char *name, const void **data, size_t *size)
{
    return stele_js_lookup(((handle *)user)->id, name, data, size);
}

enum { MOST_CHOICES = 16, MOST_RULES = 64 };

/* "NAME=VALUE" into two; the second is where the '=' is followed by it. */
static const char *split(char room[128], const char *pair)
{
    size_t length = strcspn(pair, "=");
    length = length < 127 ? length : 127;
    memcpy(room, pair, length);
    room[length] = 0;
    return pair[length] ? pair + length + 1 : "";
}

static stele_severity severity_of(const char *name)
{
    for (stele_severity s = STELE_OFF; s < STELE_ERROR; s++)
        if (strcmp(severity_name(s), name) == 0)
            return s;
    return STELE_ERROR;
}

/* A second one of the same bytes too, for what changes a model. */
static stele_file *open_file(handle *h)
{
    static const char *const levels[] = {"safe", "structure", "full", NULL};
    const char *given = h->options;
    char names[MOST_CHOICES][128], ids[MOST_RULES][128];
    stele_choice choices[MOST_CHOICES];
    stele_rule rules[MOST_RULES];
    stele_options options = {.memory_limit = (uint64_t)number(given, "memoryLimit", 3221225472.0),
                             .format = option(given, "format"),
                             .name = option(given, "name"),
                             .check = word(given, "check", levels),
                             .target = option(given, "target"),
                             .rules = rules,
                             .lookup = look_up,
                             .lookup_user = h,
                             .load = {.fps = number(given, "fps", 0),
                                      .no_repair = is_set(given, "noRepair"),
                                      .choices = choices,
                                      .allow_outside = is_set(given, "allowOutside"),
                                      .origins = is_set(given, "origins")}};
    for (const char *o = given; *o; o = next_option(o)) {
        const char *value = o + strlen(o) + 1;
        if (strcmp(o, "set") == 0 && options.load.choice_count < MOST_CHOICES) {
            size_t i = options.load.choice_count++;
            choices[i].value = split(names[i], value);
            choices[i].name = names[i];
        } else if (strcmp(o, "severity") == 0 && options.rule_count < MOST_RULES) {
            size_t i = options.rule_count++;
            rules[i].severity = severity_of(split(ids[i], value));
            rules[i].id = ids[i];
        }
    }
    return stele_open_memory(h->bytes, h->size, &options);
}

/* NULL only without memory. */
handle *EXPORT(open)(const void *bytes, size_t size, const char *options, uint32_t id)
{
    handle *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    *h = (handle){.bytes = bytes, .size = size, .options = options, .id = id};
    h->file = open_file(h);
    return h;
}

void EXPORT(close)(handle *h)
{
    stele_close(h->file);
    free(h);
}

/* ---- Looking ---- */

/* What opening said. */
const char *EXPORT(describe)(handle *h)
{
    json j = begin_document();
    json_string(&j, "format", stele_file_format(h->file));
    json_string(&j, "dialect", stele_file_dialect(h->file));
    put_status(&j, stele_open_status(h->file), stele_open_message(h->file));
    json_diagnostics(&j, h->file, NULL);
    return end_document(&j);
}

const char *EXPORT(info)(handle *h)
{
    json j = begin_document();
    json_info(&j, h->file);
    put_status(&j, stele_file_status(h->file), stele_file_message(h->file));
    json_diagnostics(&j, h->file, NULL);
    return end_document(&j);
}

typedef struct explanation {
    json json;
    bool unpacked, only_at;
    uint64_t at;
} explanation;

static bool each_field(void *user, const stele_field *f)
{
    explanation *e = user;
    if (e->only_at && (f->unpacked || e->at < f->offset || e->at - f->offset >= f->size))
        return true;
    if (f->unpacked && !e->unpacked) {
        e->unpacked = true;
        json_close(&e->json, ']');
        json_open(&e->json, "unpacked", '[');
    }
    json_field(&e->json, f, &(field_view){.at = e->only_at ? &e->at : NULL});
    return !e->only_at;
}

/* Only what owns one byte, if at is 0 or more. */
const char *EXPORT(explain)(handle *h, double at)
{
    explanation e = {.json = begin_document(), .only_at = at >= 0, .at = at >= 0 ? (uint64_t)at : 0};
    json_open(&e.json, "fields", '[');
    stele_file_explain(h->file, each_field, &e);
    json_close(&e.json, ']');
    json_diagnostics(&e.json, h->file, NULL);
    return end_document(&e.json);
}

const char *EXPORT(model)(handle *h)
{
    const stele_model *model = stele_file_model(h->file);
    json j = begin_document();
    put_status(&j, stele_file_status(h->file), stele_file_message(h->file));
    json_diagnostics(&j, h->file, NULL);
    if (model)
        json_model(&j, model);
    return end_document(&j);
}

static const char *report_origin(bool known, const stele_origin *origin)
{
    json j = begin_document();
    json_bool(&j, "known", known);
    if (known) {
        json_string(&j, "file", origin->file);
        json_bool(&j, "unpacked", origin->unpacked);
        json_uint(&j, "offset", origin->offset);
        json_uint(&j, "size", origin->size);
        json_string(&j, "path", origin->path);
    }
    return end_document(&j);
}

const char *EXPORT(row_origin)(handle *h, const void *data, uint32_t stride, uint32_t components, stele_type type, uint32_t row)
{
    stele_origin origin;
    stele_view view = {.data = data, .count = (uint64_t)row + 1, .stride = stride, .components = components, .type = type};
    return report_origin(stele_row_origin(h->file, &view, row, &origin), &origin);
}

static void put_data(json *j, const void *data, uint64_t size)
{
    json_uint(j, "data", (uintptr_t)data);
    json_uint(j, "size", size);
}

/* The content of a compressed file, which fields and origins count in; it lives as long as the handle. */
typedef struct content {
    const uint8_t *data;
    uint64_t size;
} content;

static bool each_piece(void *user, const stele_field *f)
{
    content *c = user;
    if (f->unpacked) {
        c->data = c->data ? c->data : f->data - f->offset;
        c->size = f->offset + f->size > c->size ? f->offset + f->size : c->size;
    }
    return true;
}

const char *EXPORT(unpacked)(handle *h)
{
    content c = {0};
    stele_file_explain(h->file, each_piece, &c);
    json j = begin_document();
    put_data(&j, c.data, c.size);
    return end_document(&j);
}

/* Which rows were made of bytes of a file, from begin to before end; no name is the file itself, or its unpacked content. */
const char *EXPORT(rows_at)(handle *h, const void *data, uint32_t stride, uint32_t components, stele_type type, uint32_t count,
                            const char *name, double begin, double end, uint32_t most, bool unpacked)
{
    stele_view view = {.data = data, .count = count, .stride = stride, .components = components, .type = type};
    json j = begin_document();
    json_open(&j, "rows", '[');
    for (uint32_t row = 0; row < count && most; row++) {
        stele_origin o;
        if (!stele_row_origin(h->file, &view, row, &o) || o.unpacked != unpacked || strcmp(o.file ? o.file : "", name) != 0)
            continue;
        if ((double)o.offset >= end || (double)(o.offset + o.size) <= begin)
            continue;
        json_uint(&j, NULL, row);
        most--;
    }
    json_close(&j, ']');
    return end_document(&j);
}

const char *EXPORT(part_origin)(handle *h, stele_part part, uint32_t index)
{
    stele_origin origin;
    return report_origin(stele_part_origin(h->file, part, index, &origin), &origin);
}

/* ---- Comparing ---- */

static void put_difference(void *user, const stele_difference *d)
{
    json *j = user;
    json_open(j, NULL, '{');
    json_string(j, "path", d->path);
    json_string(j, "a", d->a);
    json_string(j, "b", d->b);
    json_number(j, "error", d->error, false);
    json_bool(j, "equal", d->equal);
    json_close(j, '}');
}

const char *EXPORT(diff)(handle *h, handle *other, double tolerance)
{
    json j = begin_document();
    json_open(&j, "compared", '[');
    stele_status status = stele_diff(h->file, other->file, tolerance, put_difference, &j);
    json_close(&j, ']');
    put_status(&j, status == STELE_DIFFERENT ? STELE_OK : status, stele_file_message(h->file));
    json_diagnostics(&j, h->file, NULL);
    return end_document(&j);
}

/* ---- Writing ---- */

/* Bytes that are JavaScript's to free. */
static void put_file(json *j, const char *name, const void *data, size_t size)
{
    json_open(j, NULL, '{');
    json_string(j, "name", name);
    put_data(j, data, size);
    json_close(j, '}');
}

static bool append(void *memory, const void *data, size_t size)
{
    return fwrite(data, 1, size, memory) == size;
}

static json begin_report(const stele_file *file, stele_status status)
{
    json j = begin_document();
    put_status(&j, status, stele_file_message(file));
    json_diagnostics(&j, file, NULL);
    json_open(&j, "files", '[');
    return j;
}

static const char *end_report(json *j)
{
    json_close(j, ']');
    return end_document(j);
}

/* One file, with all that it can hold. */
static const char *write_one(stele_file *file, const stele_save_options *save)
{
    char *data = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&data, &size);
    stele_status status = memory ? stele_file_write(file, append, memory, save) : STELE_NO_MEMORY;
    if (memory)
        fclose(memory);
    json j = begin_report(file, status);
    if (status == STELE_OK)
        put_file(&j, NULL, data, size);
    else
        free(data);
    return end_report(&j);
}

/* Into the files in memory, and out of them; the one that was asked for comes first. */
static const char *write_files(stele_file *file, const char *name, const stele_save_options *save)
{
    static const char folder[] = "out/";
    char path[512];
    size_t count, size = 0;
    snprintf(path, sizeof path, "%s%s", folder, name);
    stele_status status = stele_file_save(file, path, save);
    const char *const *outputs = stele_file_outputs(file, &count);
    json j = begin_report(file, status);
    for (size_t i = count; status == STELE_OK && i > 0; i--) {
        const void *data = st_memory_file_take(outputs[i - 1], &size);
        put_file(&j, outputs[i - 1] + sizeof folder - 1, data, size);
    }
    return end_report(&j);
}

static stele_status change(stele_file *file, const char *options)
{
    double clip = number(options, "clip", -1);
    stele_status status = clip >= 0 ? stele_bake(file, (uint32_t)clip, number(options, "time", 0)) : STELE_OK;
    return status == STELE_OK && is_set(options, "normals") ? stele_make_normals(file) : status;
}

/* With a name all files that belong to it, otherwise one. A moment of a clip and normals change the model: that is done to
 * another one of the same file. */
const char *EXPORT(convert)(handle *h, const char *name, const char *options)
{
    static const char *const textures[] = {"refer", "copy", "embed", NULL};
    stele_save_options save = {.format = option(options, "format"),
                               .dialect = option(options, "dialect"),
                               .textures = word(options, "textures", textures),
                               .fps = number(options, "fps", 0),
                               .strict = is_set(options, "strict"),
                               .overwrite = true};
    bool changes = number(options, "clip", -1) >= 0 || is_set(options, "normals");
    stele_file *file = changes ? open_file(h) : h->file;
    stele_status status = changes ? change(file, options) : STELE_OK;
    const char *report;
    if (status != STELE_OK) {
        json j = begin_report(file, status);
        report = end_report(&j);
    } else {
        report = *name ? write_files(file, name, &save) : write_one(file, &save);
    }
    if (changes)
        stele_close(file);
    return report;
}

/* ---- Drawing ---- */

static bool parse_color(const char *text, uint8_t rgba[4])
{
    char *end = NULL;
    unsigned long value = text && *text == '#' ? strtoul(text + 1, &end, 16) : 0;
    if (!end || *end || end - text != 9)
        return false;
    for (int i = 0; i < 4; i++)
        rgba[i] = (uint8_t)(value >> (24 - 8 * i));
    return true;
}

static uint64_t pixel_bytes(const stele_picture *p)
{
    return (uint64_t)p->width * p->height * 4;
}

/* Whether there is room for its pixels. */
static bool make_pixels(stele_picture *p)
{
    p->rgba = pixel_bytes(p) < SIZE_MAX ? malloc((size_t)pixel_bytes(p)) : NULL;
    return p->rgba;
}

/* Pixels, or a .png if that is asked for. */
const char *EXPORT(render)(handle *h, uint32_t width, uint32_t height, const char *options)
{
    uint8_t background[4];
    double clip = number(options, "clip", -1);
    const char *up = option(options, "up");
    stele_render_options render = {.camera = option(options, "yaw") || option(options, "pitch") || option(options, "distance"),
                                   .yaw = (float)number(options, "yaw", 30),
                                   .pitch = (float)number(options, "pitch", 20),
                                   .distance = (float)number(options, "distance", 1),
                                   .posed = clip >= 0,
                                   .clip = clip >= 0 ? (uint32_t)clip : 0,
                                   .seconds = number(options, "time", 0),
                                   .up = up ? *up : 0,
                                   .overlays = (unsigned)number(options, "overlays", 0)};
    render.background = parse_color(option(options, "background"), background) ? background : NULL;
    stele_picture picture = {width, height, NULL};
    stele_status status = make_pixels(&picture) ? stele_render(h->file, &picture, &render) : STELE_NO_MEMORY;
    uint64_t size = pixel_bytes(&picture);
    void *data = picture.rgba;
    if (status == STELE_OK && is_set(options, "png")) {
        char *png = NULL;
        size_t length = 0;
        FILE *memory = open_memstream(&png, &length);
        status = memory ? stele_picture_write(&picture, append, memory, NULL, NULL, 0) : STELE_NO_MEMORY;
        if (memory)
            fclose(memory);
        free(picture.rgba);
        data = png;
        size = length;
    }
    json j = begin_document();
    put_status(&j, status, picture.rgba ? stele_file_message(h->file) : "there is not enough memory for the picture");
    json_diagnostics(&j, h->file, NULL);
    put_data(&j, data, size);
    return end_document(&j);
}

/* The pixels of an image, such as that of a texture. */
const char *EXPORT(decode_picture)(const void *bytes, size_t size, const char *name)
{
    char message[128];
    stele_picture picture = {0};
    stele_status status = stele_decode_picture(bytes, size, name, &picture, message, sizeof message);
    if (status == STELE_OK && make_pixels(&picture))
        status = stele_decode_picture(bytes, size, name, &picture, message, sizeof message);
    else if (status == STELE_OK)
        status = STELE_NO_MEMORY;
    json j = begin_document();
    put_status(&j, status, status == STELE_NO_MEMORY ? "needs more memory than there is" : message);
    json_uint(&j, "width", picture.width);
    json_uint(&j, "height", picture.height);
    put_data(&j, picture.rgba, picture.rgba ? pixel_bytes(&picture) : 0);
    return end_document(&j);
}
