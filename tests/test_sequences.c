/* The API as a sequence of calls: all pairs of them. Ask, change, ask again: the answer is that of a handle that was changed
 * before it was ever asked. Fail, then succeed: the status is that of the last call. */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support.h"

enum { SIDE = 24 };

static char folder[256], existing[300], fresh[300];
static bytes red, green; /* two images */
static stele_file *other;

static uint64_t mixed(uint64_t digest, const void *data, size_t size)
{
    const uint8_t *p = data;
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ p[i]) * UINT64_C(0x100000001b3);
    return digest;
}

static void mix(uint64_t *digest, uint64_t value)
{
    *digest = mixed(*digest, &value, sizeof value);
}

static bool append(void *user, const void *data, size_t size)
{
    bytes *out = user;
    out->data = realloc(out->data, out->size + size);
    assert_non_null(out->data);
    memcpy(out->data + out->size, data, size);
    out->size += size;
    return true;
}

static bytes image_of(uint8_t r, uint8_t g)
{
    uint8_t rgba[4 * 4 * 4];
    bytes png = {NULL, 0};
    for (size_t i = 0; i < sizeof rgba; i++)
        rgba[i] = i % 4 == 0 ? r : i % 4 == 1 ? g : i % 4 == 2 ? 0 : 255;
    assert_int_equal(stele_picture_write(&(stele_picture){4, 4, rgba}, append, &png, NULL, NULL, 0), STELE_OK);
    return png;
}

/* ---- Models to start from ---- */

static const float corners[] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, -1, 0, 1, 1, 0, -1, 1, 0};
static const float nearer[] = {-1, -1, 1, 1, -1, 1, 1, 1, 1, -1, -1, 1, 1, 1, 1, -1, 1, 1};
static const float wider[] = {-3, -1, 0, 3, -1, 0, 3, 1, 0, -3, -1, 0, 3, 1, 0, -3, 1, 0};
static const float uvs[] = {0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0};

static uint32_t add_image(stele_file *file, const char *name, const bytes *image)
{
    return stele_add_texture(
        file, &(stele_texture){.name = name, .data = image->data, .size = image->size, .mime_type = "image/png"});
}

/* A square with a texture. */
static stele_status add_square(stele_file *file, const float *positions, uint32_t texture)
{
    stele_material material = stele_default_material();
    stele_node node = stele_default_node();
    stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(positions, 6, 3)},
                                    {STELE_UV, 0, stele_float_view(uvs, 6, 2)}};
    stele_primitive square = {.vertex_count = 6, .attributes = attributes, .attribute_count = 2};
    material.textures[STELE_ROLE_BASE_COLOR].texture = texture;
    square.material = stele_add_material(file, &material);
    node.mesh = stele_add_mesh(file, &(stele_mesh){.primitives = &square, .primitive_count = 1});
    stele_add_node(file, &node);
    return stele_file_status(file);
}

static stele_file *open_sample(const stele_options *options)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/samples/dialects/C2.mesh", project_folder());
    return stele_open(path, options);
}

/* With an image that nothing uses yet. */
static stele_file *make_square(const stele_options *options)
{
    stele_file *file = stele_new(options);
    uint32_t texture = add_image(file, "red", &red);
    add_image(file, "green", &green);
    add_square(file, corners, texture);
    return file;
}

static const struct {
    const char *name;
    stele_file *(*begin)(const stele_options *options);
    bool has_clips;
} subjects[] = {{"an opened file", open_sample, true}, {"a new model", make_square, false}};

/* ---- Calls: each returns what the API returned, or the status if that is no status, and adds to a digest what it learned ----
 */

static stele_status ask_model(stele_file *file, uint64_t *digest)
{
    const stele_model *m = stele_file_model(file);
    mix(digest, m ? m->node_count : 99);
    mix(digest, m ? m->clip_count : 99);
    mix(digest, m ? m->material_count : 99);
    return stele_file_status(file);
}

static stele_status ask_info(stele_file *file, uint64_t *digest)
{
    const stele_info *info = stele_file_info(file);
    mix(digest, info ? info->joints : 99);
    mix(digest, info ? info->clip_count : 99);
    mix(digest, info ? info->material_count : 99);
    for (size_t i = 0; info && i < info->mesh_count; i++) {
        mix(digest, info->meshes[i].triangles);
        mix(digest, info->meshes[i].attribute_count);
        *digest = mixed(*digest, &info->meshes[i].bounds.max, sizeof info->meshes[i].bounds.max);
    }
    return stele_file_status(file);
}

static stele_status draw(stele_file *file, uint64_t *digest, stele_render_options options)
{
    uint8_t rgba[SIDE * SIDE * 4] = {0};
    options.camera = true; /* from the front */
    stele_status status = stele_render(file, &(stele_picture){SIDE, SIDE, rgba}, &options);
    *digest = mixed(*digest, rgba, sizeof rgba);
    return status;
}

static stele_status ask_picture(stele_file *file, uint64_t *digest)
{
    return draw(file, digest, (stele_render_options){0});
}

static stele_status ask_posed_picture(stele_file *file, uint64_t *digest)
{
    return draw(file, digest, (stele_render_options){.posed = true, .clip = 0, .seconds = 0.25});
}

static stele_status ask_framing(stele_file *file, uint64_t *digest)
{
    stele_framing framing = {.radius = 0};
    stele_status status = stele_frame(file, NULL, false, &framing);
    *digest = mixed(*digest, &framing, sizeof framing);
    return status;
}

static stele_status ask_drawn(stele_file *file, uint64_t *digest)
{
    stele_drawn drawn = {.meshes = 0};
    stele_status status = stele_file_drawn(file, &drawn);
    *digest = mixed(*digest, &drawn, sizeof drawn);
    return status;
}

static stele_status ask_framing_of_clip(stele_file *file, uint64_t *digest)
{
    stele_framing framing = {.radius = 0};
    stele_status status = stele_frame(file, &(stele_render_options){.posed = true}, true, &framing);
    *digest = mixed(*digest, &framing, sizeof framing);
    return status;
}

static stele_status ask_bytes(stele_file *file, uint64_t *digest)
{
    bytes out = {NULL, 0};
    stele_status status = stele_file_write(file, append, &out, &(stele_save_options){.format = "glb"});
    *digest = mixed(*digest, out.data, out.size);
    free(out.data);
    return status;
}

static bool count_field(void *user, const stele_field *field)
{
    mix(user, field->offset);
    return true;
}

static stele_status ask_fields(stele_file *file, uint64_t *digest)
{
    return stele_file_explain(file, count_field, digest);
}

static void count_difference(void *user, const stele_difference *d)
{
    mix(user, d->equal);
}

static stele_status ask_same(stele_file *file, uint64_t *digest)
{
    return stele_diff(file, file, 0, count_difference, digest);
}

static stele_status ask_difference(stele_file *file, uint64_t *digest)
{
    stele_status status = stele_diff(file, other, 0, count_difference, digest);
    assert_int_equal(stele_file_status(other), status);
    return status;
}

static stele_status save_file(stele_file *file, uint64_t *digest)
{
    size_t count;
    stele_status status = stele_file_save(file, fresh, NULL);
    stele_file_outputs(file, &count);
    mix(digest, count);
    unlink(fresh);
    return status;
}

static stele_status ask_inputs(stele_file *file, uint64_t *digest)
{
    size_t count;
    stele_file_inputs(file, &count);
    mix(digest, count);
    return stele_file_status(file);
}

static stele_status take_memory(stele_file *file, uint64_t *digest)
{
    void *memory = stele_memory(file, 100);
    mix(digest, memory != NULL);
    return stele_file_status(file);
}

/* ---- Changes ---- */

static stele_status bake(stele_file *file, uint64_t *digest)
{
    (void)digest;
    return stele_bake(file, STELE_NONE, 0);
}

static stele_status bake_clip(stele_file *file, uint64_t *digest)
{
    (void)digest;
    return stele_bake(file, 0, 0.25);
}

static stele_status make_normals(stele_file *file, uint64_t *digest)
{
    (void)digest;
    return stele_make_normals(file);
}

static stele_status use_other_image(stele_file *file, uint64_t *digest)
{
    (void)digest;
    return add_square(file, nearer, add_image(file, "green", &green));
}

static stele_status add_node(stele_file *file, uint64_t *digest)
{
    stele_node node = stele_default_node();
    mix(digest, stele_add_node(file, &node) != STELE_NONE);
    return stele_file_status(file);
}

static stele_status add_clip(stele_file *file, uint64_t *digest)
{
    mix(digest, stele_add_clip(file, &(stele_clip){.name = "nothing"}) != STELE_NONE);
    return stele_file_status(file);
}

/* ---- Failures ---- */

static stele_status bake_no_clip(stele_file *file, uint64_t *digest)
{
    (void)digest;
    return stele_bake(file, 77, 0);
}

static stele_status draw_no_clip(stele_file *file, uint64_t *digest)
{
    return draw(file, digest, (stele_render_options){.posed = true, .clip = 77});
}

static stele_status draw_no_overlay(stele_file *file, uint64_t *digest)
{
    return draw(file, digest, (stele_render_options){.overlays = 1u << 20});
}

static stele_status draw_no_axis(stele_file *file, uint64_t *digest)
{
    return draw(file, digest, (stele_render_options){.up = 'w'});
}

static stele_status draw_nowhere(stele_file *file, uint64_t *digest)
{
    (void)digest;
    return stele_render(file, NULL, NULL);
}

static stele_status frame_no_clip(stele_file *file, uint64_t *digest)
{
    stele_framing framing;
    (void)digest;
    return stele_frame(file, &(stele_render_options){.posed = true, .clip = 77}, false, &framing);
}

static stele_status frame_nowhere(stele_file *file, uint64_t *digest)
{
    (void)digest;
    return stele_frame(file, NULL, false, NULL);
}

static stele_status save_over(stele_file *file, uint64_t *digest)
{
    size_t count;
    stele_status status = stele_file_save(file, existing, NULL);
    stele_file_outputs(file, &count);
    mix(digest, count);
    return status;
}

static stele_status save_no_folder(stele_file *file, uint64_t *digest)
{
    char path[400];
    (void)digest;
    snprintf(path, sizeof path, "%s/no/such.glb", folder);
    return stele_file_save(file, path, NULL);
}

static stele_status save_no_format(stele_file *file, uint64_t *digest)
{
    (void)digest;
    return stele_file_save(file, fresh, &(stele_save_options){.format = "nosuch"});
}

static stele_status save_no_dialect(stele_file *file, uint64_t *digest)
{
    (void)digest;
    return stele_file_save(file, fresh, &(stele_save_options){.dialect = "nosuch"});
}

static stele_status save_no_textures(stele_file *file, uint64_t *digest)
{
    (void)digest;
    return stele_file_save(file, fresh, &(stele_save_options){.textures = (stele_textures)9});
}

static stele_status save_nowhere(stele_file *file, uint64_t *digest)
{
    (void)digest;
    return stele_file_save(file, NULL, NULL);
}

static bool refuse(void *user, const void *data, size_t size)
{
    (void)user;
    (void)data;
    (void)size;
    return false;
}

static stele_status write_refused(stele_file *file, uint64_t *digest)
{
    (void)digest;
    return stele_file_write(file, refuse, NULL, &(stele_save_options){.format = "glb"});
}

static bool cancel(void *user, uint64_t done, uint64_t total)
{
    (void)user;
    (void)done;
    (void)total;
    return false;
}

static stele_status save_cancelled(stele_file *file, uint64_t *digest)
{
    (void)digest;
    return stele_file_save(file, fresh, &(stele_save_options){.progress = cancel});
}

static stele_status write_nowhere(stele_file *file, uint64_t *digest)
{
    (void)digest;
    return stele_file_write(file, NULL, NULL, &(stele_save_options){.format = "glb"});
}

static stele_status explain_to_nobody(stele_file *file, uint64_t *digest)
{
    (void)digest;
    return stele_file_explain(file, NULL, NULL);
}

static stele_status diff_for_nobody(stele_file *file, uint64_t *digest)
{
    (void)digest;
    return stele_diff(file, other, 0, NULL, NULL);
}

static stele_status add_nothing(stele_file *file, uint64_t *digest)
{
    mix(digest, stele_add_node(file, NULL));
    return stele_file_status(file);
}

static stele_status take_too_much(stele_file *file, uint64_t *digest)
{
    mix(digest, stele_memory(file, UINT64_MAX / 2) != NULL);
    return stele_file_status(file);
}

/* ---- All of them ---- */

typedef struct call {
    const char *name;
    stele_status (*run)(stele_file *file, uint64_t *digest);
    stele_status expected;
    bool changes, bakes;
    bool of_clip; /* STELE_USAGE without one */
} call;

#define ASK(function)                                                                                                          \
    {                                                                                                                          \
        .name = #function, .run = function                                                                                     \
    }
#define ASK_CLIP(function)                                                                                                     \
    {                                                                                                                          \
        .name = #function, .run = function, .of_clip = true                                                                    \
    }
#define CHANGE(function)                                                                                                       \
    {                                                                                                                          \
        .name = #function, .run = function, .changes = true                                                                    \
    }
#define FAIL(function, status)                                                                                                 \
    {                                                                                                                          \
        .name = #function, .run = function, .expected = status                                                                 \
    }

static const call calls[] = {
    ASK(ask_model),
    ASK(ask_info),
    ASK(ask_picture),
    ASK_CLIP(ask_posed_picture),
    ASK(ask_framing),
    ASK(ask_drawn),
    ASK_CLIP(ask_framing_of_clip),
    ASK(ask_bytes),
    ASK(ask_fields),
    ASK(ask_same),
    FAIL(ask_difference, STELE_DIFFERENT),
    ASK(save_file),
    ASK(take_memory),
    ASK(ask_inputs),
    {.name = "bake", .run = bake, .changes = true, .bakes = true},
    {.name = "bake_clip", .run = bake_clip, .changes = true, .bakes = true, .of_clip = true},
    CHANGE(make_normals),
    CHANGE(use_other_image),
    CHANGE(add_node),
    CHANGE(add_clip),
    FAIL(bake_no_clip, STELE_USAGE),
    FAIL(draw_no_clip, STELE_USAGE),
    FAIL(draw_no_overlay, STELE_USAGE),
    FAIL(draw_no_axis, STELE_USAGE),
    FAIL(draw_nowhere, STELE_USAGE),
    FAIL(frame_no_clip, STELE_USAGE),
    FAIL(frame_nowhere, STELE_USAGE),
    FAIL(save_over, STELE_EXISTS),
    FAIL(save_no_folder, STELE_IO),
    FAIL(save_no_format, STELE_USAGE),
    FAIL(save_no_dialect, STELE_USAGE),
    FAIL(save_no_textures, STELE_USAGE),
    FAIL(save_nowhere, STELE_USAGE),
    FAIL(write_refused, STELE_IO),
    FAIL(save_cancelled, STELE_CANCELLED),
    FAIL(write_nowhere, STELE_USAGE),
    FAIL(explain_to_nobody, STELE_USAGE),
    FAIL(diff_for_nobody, STELE_USAGE),
    FAIL(add_nothing, STELE_USAGE),
    FAIL(take_too_much, STELE_NO_MEMORY),
};
enum { CALLS = sizeof calls / sizeof *calls };

/* A call, after which the handle says what the call returned; *clips is whether the model has any. */
static uint64_t expect(stele_file *file, const call *c, bool *clips, const char *after)
{
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    stele_status expected = c->of_clip && !*clips ? STELE_USAGE : c->expected;
    stele_status returned = c->run(file, &digest);
    if (returned != expected)
        fail_msg("%s after %s is %d, not %d: %s", c->name, after, returned, expected, stele_file_message(file));
    assert_int_equal(stele_file_status(file), returned);
    assert_true((strcmp(stele_file_message(file), "ok") == 0) == (returned == STELE_OK));
    assert_int_equal(stele_open_status(file), STELE_OK);
    if (returned == STELE_OK && c->bakes)
        *clips = false;
    if (returned == STELE_OK && c->run == add_clip)
        *clips = true;
    return digest;
}

/* So that too much is refused before malloc is asked for it. */
static const stele_options limited = {.memory_limit = 1 << 28};

static void the_last_call_wins(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof subjects / sizeof *subjects; s++)
        for (size_t a = 0; a < CALLS; a++)
            for (size_t b = 0; b < CALLS; b++) {
                bool clips = subjects[s].has_clips;
                stele_file *file = subjects[s].begin(&limited);
                expect(file, &calls[a], &clips, subjects[s].name);
                expect(file, &calls[b], &clips, calls[a].name);
                stele_close(file);
            }
}

/* What is asked after a change does not depend on what was asked, or failed, before it. */
static void changes_are_seen(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof subjects / sizeof *subjects; s++)
        for (size_t change = 0; change < CALLS; change++)
            for (size_t ask = 0; ask < CALLS && calls[change].changes; ask++) {
                if (calls[ask].expected != STELE_OK && calls[ask].expected != STELE_DIFFERENT)
                    continue; /* it learns nothing */
                bool clips = subjects[s].has_clips;
                stele_file *file = subjects[s].begin(&limited);
                expect(file, &calls[change], &clips, subjects[s].name);
                uint64_t right = expect(file, &calls[ask], &clips, calls[change].name);
                stele_close(file);
                for (size_t before = 0; before < CALLS; before++) {
                    if (calls[before].changes)
                        continue;
                    clips = subjects[s].has_clips;
                    file = subjects[s].begin(&limited);
                    expect(file, &calls[before], &clips, subjects[s].name);
                    expect(file, &calls[change], &clips, calls[before].name);
                    if (expect(file, &calls[ask], &clips, calls[change].name) != right)
                        fail_msg("%s: %s after %s differs if %s came before", subjects[s].name, calls[ask].name,
                                 calls[change].name, calls[before].name);
                    stele_close(file);
                }
            }
}

/* ---- Memory that runs out once ---- */

typedef struct failing {
    long until; /* so many allocations succeed, and all after the next */
    bool failed;
} failing;

static void *allocate(void *user, size_t size)
{
    failing *f = user;
    if (f->until-- == 0) {
        f->failed = true;
        return NULL;
    }
    return malloc(size);
}

static void release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

/* One allocation fails, anywhere: the call that needed it says so at most, and later ones are as if it had not been. */
static void memory_may_come_back(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof subjects / sizeof *subjects; s++)
        for (long at = 0;; at++) {
            failing f = {.until = at};
            stele_options options = {
                .allocator = {allocate, release, &f}, .memory_limit = limited.memory_limit, .separate_allocations = true};
            stele_file *file = subjects[s].begin(&options);
            bool clips = subjects[s].has_clips, opened = file && stele_open_status(file) == STELE_OK;
            bool whole = opened && stele_file_model(file) && stele_file_model(file)->mesh_count;
            for (size_t i = 0; i < CALLS; i++) {
                uint64_t digest = 0;
                bool failed_before = f.failed;
                if (f.failed && whole)
                    expect(file, &calls[i], &clips, "memory ran out");
                else if (calls[i].run(file, &digest) == STELE_OK && calls[i].bakes)
                    clips = false;
                else if (whole && !f.failed && calls[i].run == add_clip)
                    clips = true;
                if (!failed_before && f.failed) { /* a clip may or may not be there now */
                    const stele_model *model = stele_file_model(file);
                    clips = model && model->clip_count;
                }
            }
            stele_close(file);
            if (!f.failed)
                break;
        }
}

/* ---- What opening said ---- */

static void damage_stays_known(void **state)
{
    char path[1024];
    (void)state;
    snprintf(path, sizeof path, "%s/tests/crashers/model-of-a-damaged-file.sgm", project_folder());
    stele_file *file = stele_open(path, NULL);
    char message[512];
    assert_int_equal(stele_file_status(file), STELE_DAMAGED);
    snprintf(message, sizeof message, "%s", stele_file_message(file));
    for (int times = 0; times < 2; times++) {
        assert_non_null(stele_file_info(file));
        assert_int_equal(stele_file_status(file), STELE_OK);
        assert_int_equal(stele_open_status(file), STELE_DAMAGED);
        assert_string_equal(stele_open_message(file), message);
        assert_null(stele_file_model(file));
        assert_int_equal(stele_file_status(file), STELE_DAMAGED);
        assert_string_equal(stele_file_message(file), message);
        assert_int_equal(stele_add_node(file, &(stele_node){.parent = STELE_NONE}), STELE_NONE);
        assert_int_equal(stele_file_status(file), STELE_DAMAGED);
    }
    stele_close(file);
}

static void a_new_model_is_empty(void **state)
{
    size_t count;
    (void)state;
    stele_file *file = stele_new(NULL);
    assert_int_equal(stele_file_status(file), STELE_OK);
    assert_int_equal(stele_open_status(file), STELE_OK);
    assert_string_equal(stele_file_message(file), "ok");
    stele_file_diagnostics(file, &count);
    assert_int_equal(count, 0);
    assert_int_equal(stele_file_model(file)->node_count, 0);
    stele_close(file);
    const stele_rule rule = {"nosuch", STELE_OFF};
    file = stele_new(&(stele_options){.rules = &rule, .rule_count = 1});
    assert_int_equal(stele_file_status(file), STELE_USAGE);
    assert_null(stele_file_model(file));
    assert_int_equal(stele_file_status(file), STELE_USAGE);
    stele_close(file);
}

/* ---- What makes no sense ---- */

static void nonsense_is_not_opened(void **state)
{
    const stele_rule no_id = {NULL, STELE_OFF}, no_severity = {"truncated", (stele_severity)7};
    const stele_choice no_name = {NULL, "x"}, no_value = {"ctc.bind", NULL};
    const stele_options wrong[] = {
        {.check = (stele_check_level)5},
        {.rule_count = 1},
        {.rules = &no_id, .rule_count = 1},
        {.rules = &no_severity, .rule_count = 1},
        {.load = {.choice_count = 1}},
        {.load = {.choices = &no_name, .choice_count = 1}},
        {.load = {.choices = &no_value, .choice_count = 1}},
        {.load = {.fps = -5}},
        {.load = {.fps = NAN}},
        {.load = {.fps = INFINITY}},
        {.load = {.fps = 1e-320}},
        {.load = {.fps = 1e300}},
        {.format = "nosuch"},
        {.allocator = {.allocate = allocate}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        stele_file *file = open_sample(&wrong[i]);
        assert_int_equal(stele_file_status(file), STELE_USAGE);
        assert_null(stele_file_model(file));
        assert_int_equal(stele_file_status(file), STELE_USAGE);
        assert_int_equal(stele_file_save(file, fresh, NULL), STELE_USAGE);
        stele_close(file);
    }
    stele_file *nothing[] = {stele_open(NULL, NULL), stele_open_memory(NULL, 4, NULL), stele_open_callback(NULL, NULL, NULL)};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
        assert_int_equal(stele_file_status(nothing[i]), STELE_USAGE);
        stele_close(nothing[i]);
    }
    stele_file *unknown = open_sample(&(stele_options){.load = {.choices = &(stele_choice){"no", "such"}, .choice_count = 1}});
    assert_int_equal(stele_file_status(unknown), STELE_OK);
    assert_null(stele_file_model(unknown));
    assert_int_equal(stele_file_status(unknown), STELE_USAGE);
    assert_string_equal(stele_file_message(unknown), "there is no choice no=such"); /* and nothing about any command */
    stele_close(unknown);
}

/* ---- Options of other versions of the header ---- */

/* Options as a newer header has them. */
typedef struct newer_options {
    stele_save_options known;
    uint64_t added;
} newer_options;

static bool swallow(void *user, const void *data, size_t size)
{
    (void)user, (void)data, (void)size;
    return true;
}

static void options_of_any_size(void **state)
{
    newer_options newer = {.known = {.size = sizeof newer, .format = "obj"}};
    stele_save_options older = {.size = offsetof(stele_save_options, format), .format = "nosuch"};
    stele_file *file = open_sample(NULL);
    (void)state;
    /* what an older header does not have is not looked at */
    assert_int_equal(stele_file_write(file, swallow, NULL, &older), STELE_OK);
    older.size = sizeof older;
    assert_int_equal(stele_file_write(file, swallow, NULL, &older), STELE_USAGE);
    older.size = 0; /* all that there was first */
    assert_int_equal(stele_file_write(file, swallow, NULL, &older), STELE_USAGE);
    /* what a newer one has more is fine as long as it is not used */
    assert_int_equal(stele_file_write(file, swallow, NULL, &newer.known), STELE_OK);
    newer.added = 1;
    assert_int_equal(stele_file_write(file, swallow, NULL, &newer.known), STELE_USAGE);
    assert_int_equal(stele_file_save(file, fresh, &newer.known), STELE_USAGE);
    assert_non_null(strstr(stele_file_message(file), "does not know"));
    assert_int_equal(stele_picture_save(&(stele_picture){1, 1, (uint8_t[4]){0}}, fresh, &newer.known, NULL, 0), STELE_USAGE);
    /* no size at all, and that of memory which nobody has zeroed */
    const uint32_t wrong[] = {1, 3, 4097, 0xcdcdcdcd};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint8_t pixels[16];
        stele_picture picture = {2, 2, pixels};
        stele_framing framing;
        assert_int_equal(stele_file_write(file, swallow, NULL, &(stele_save_options){.size = wrong[i]}), STELE_USAGE);
        assert_int_equal(stele_render(file, &picture, &(stele_render_options){.size = wrong[i]}), STELE_USAGE);
        assert_int_equal(stele_frame(file, &(stele_render_options){.size = wrong[i]}, false, &framing), STELE_USAGE);
        assert_int_equal(stele_optimize(file, &(stele_optimize_options){.size = wrong[i]}, NULL), STELE_USAGE);
        stele_movie *movie = stele_movie_begin(2, 2, &(stele_movie_options){.size = wrong[i]});
        assert_int_equal(stele_movie_status(movie), STELE_USAGE);
        stele_movie_close(movie);
        stele_file *other = open_sample(&(stele_options){.size = wrong[i]});
        assert_int_equal(stele_file_status(other), STELE_USAGE);
        stele_close(other);
        other = stele_new(&(stele_options){.size = wrong[i]});
        assert_int_equal(stele_file_status(other), STELE_USAGE);
        stele_close(other);
    }
    stele_file *other = open_sample(&(stele_options){.size = sizeof(stele_options)});
    assert_int_equal(stele_file_status(other), STELE_OK);
    stele_close(other);
    stele_close(file);
}

static void expect_refused(stele_file *file, uint32_t index)
{
    assert_int_equal(index, STELE_NONE);
    assert_int_equal(stele_file_status(file), STELE_USAGE);
}

static void nonsense_is_not_added(void **state)
{
    stele_file *file = stele_new(NULL);
    stele_view good = stele_float_view(corners, 6, 3), types = good, shape = good, empty = good;
    stele_property keyless = {.text = "x"}, both = {.key = "x", .text = "x", .json = "1"};
    (void)state;
    types.type = (stele_type)77;
    shape.components = 5;
    empty.data = NULL;
    const stele_view views[] = {types, shape, empty, {.data = corners, .count = 1, .components = 1, .type = STELE_CHAR}};
    expect_refused(file, stele_add_node(file, NULL));
    expect_refused(file, stele_add_mesh(file, NULL));
    expect_refused(file, stele_add_skin(file, NULL));
    expect_refused(file, stele_add_clip(file, NULL));
    expect_refused(file, stele_add_material(file, NULL));
    expect_refused(file, stele_add_texture(file, NULL));
    expect_refused(file, stele_add_mesh(file, &(stele_mesh){.primitive_count = 2}));
    expect_refused(file, stele_add_skin(file, &(stele_skin){.joint_count = 2}));
    expect_refused(file, stele_add_clip(file, &(stele_clip){.channel_count = 2}));
    expect_refused(file, stele_add_texture(file, &(stele_texture){.size = 2}));
    expect_refused(file, stele_add_node(file, &(stele_node){.properties = {NULL, 1}}));
    expect_refused(file, stele_add_node(file, &(stele_node){.properties = {&keyless, 1}}));
    expect_refused(file, stele_add_node(file, &(stele_node){.properties = {&both, 1}}));
    expect_refused(file, stele_add_material(file, &(stele_material){.alpha_mode = (stele_alpha_mode)3}));
    stele_attribute position = {STELE_POSITION, 0, good}, unknown = {(stele_semantic)9, 0, good};
    const stele_primitive primitives[] = {
        {.topology = (stele_topology)3, .vertex_count = 6, .attributes = &position, .attribute_count = 1},
        {.vertex_count = 6, .attribute_count = 1},
        {.vertex_count = 6, .attributes = &unknown, .attribute_count = 1},
        {.vertex_count = 6, .attributes = &position, .attribute_count = 1, .morph_count = 1},
    };
    for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++)
        expect_refused(file, stele_add_mesh(file, &(stele_mesh){.primitives = &primitives[i], .primitive_count = 1}));
    stele_view times = stele_float_view(uvs, 1, 1);
    const stele_channel channels[] = {
        {.path = (stele_channel_path)4, .times = times, .values = good},
        {.interpolation = (stele_interpolation)3, .times = times, .values = good},
    };
    for (size_t i = 0; i < sizeof channels / sizeof *channels; i++)
        expect_refused(file, stele_add_clip(file, &(stele_clip){.channels = &channels[i], .channel_count = 1}));
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        stele_attribute attribute = {STELE_POSITION, 0, views[i]};
        stele_morph morph = {.position = views[i]};
        stele_primitive wrong[] = {
            {.vertex_count = 1, .attributes = &attribute, .attribute_count = 1},
            {.vertex_count = 1, .attributes = &position, .attribute_count = 1, .indices = views[i]},
            {.vertex_count = 1, .attributes = &position, .attribute_count = 1, .morphs = &morph, .morph_count = 1}};
        for (size_t k = 0; k < 3; k++)
            expect_refused(file, stele_add_mesh(file, &(stele_mesh){.primitives = &wrong[k], .primitive_count = 1}));
        stele_channel channel = {.times = views[i], .values = good}, other_channel = {.times = times, .values = views[i]};
        expect_refused(file, stele_add_clip(file, &(stele_clip){.channels = &channel, .channel_count = 1}));
        expect_refused(file, stele_add_clip(file, &(stele_clip){.channels = &other_channel, .channel_count = 1}));
        expect_refused(file, stele_add_skin(file, &(stele_skin){.inverse_bind = views[i]}));
    }
    /* and nothing of it is left */
    assert_int_equal(stele_file_model(file)->mesh_count, 0);
    assert_int_equal(stele_file_status(file), STELE_OK);
    stele_close(file);
}

/* What points nowhere yet may point somewhere later. */
static void a_model_may_become_whole(void **state)
{
    stele_node node = stele_default_node();
    (void)state;
    stele_file *file = stele_new(NULL);
    node.parent = 1;
    assert_int_equal(stele_add_node(file, &node), 0);
    assert_int_equal(stele_file_status(file), STELE_OK);
    assert_null(stele_file_model(file));
    assert_int_equal(stele_file_status(file), STELE_USAGE);
    assert_null(stele_file_info(file));
    assert_int_equal(stele_file_status(file), STELE_USAGE);
    node.parent = STELE_NONE;
    assert_int_equal(stele_add_node(file, &node), 1);
    assert_int_equal(stele_file_model(file)->order[0], 1);
    assert_non_null(stele_file_info(file));
    assert_int_equal(stele_file_status(file), STELE_OK);
    stele_close(file);
}

static void types_out_of_range_have_no_name(void **state)
{
    (void)state;
    assert_null(stele_type_name((stele_type)99));
    assert_int_equal(stele_type_size((stele_type)99), 0);
    assert_null(stele_type_name((stele_type)-1));
    assert_string_equal(stele_type_name(STELE_I16), "i16");
    assert_false(stele_known_choice(NULL));
    assert_false(stele_known_choice(&(stele_choice){0}));
}

/* ---- Sizes ---- */

static void arrays_have_room(void **state)
{
    double matrices[3][16];
    float positions[18 + 1], normals[18 + 1];
    (void)state;
    stele_file *file = make_square(NULL);
    const stele_model *model = stele_file_model(file);
    const double(*places)[16] = (const double(*)[16])matrices;
    memset(matrices, 0x55, sizeof matrices);
    assert_false(stele_evaluate_nodes(model, STELE_NONE, 0, matrices, 0));
    assert_false(stele_evaluate_nodes(model, 0, 0, matrices, 1)); /* there is no clip */
    assert_false(stele_evaluate_nodes(NULL, STELE_NONE, 0, matrices, 1));
    assert_false(stele_evaluate_nodes(model, STELE_NONE, 0, NULL, 1));
    assert_int_equal(((uint8_t *)matrices)[0], 0x55);
    assert_true(stele_evaluate_nodes(model, STELE_NONE, 0, matrices, 1));
    memset(positions, 0x55, sizeof positions);
    assert_false(stele_evaluate_vertices(model, 0, 0, STELE_NONE, 0, places, 1, positions, normals, 5));
    assert_false(stele_evaluate_vertices(model, 0, 0, STELE_NONE, 0, places, 0, positions, normals, 6));
    assert_false(stele_evaluate_vertices(model, 0, 1, STELE_NONE, 0, places, 1, positions, normals, 6));
    assert_false(stele_evaluate_vertices(model, 7, 0, STELE_NONE, 0, places, 1, positions, normals, 6));
    assert_false(stele_evaluate_vertices(model, 0, 0, 0, 0, places, 1, positions, normals, 6));
    assert_false(stele_evaluate_vertices(model, 0, 0, STELE_NONE, 0, places, 1, NULL, normals, 6));
    assert_int_equal(((uint8_t *)positions)[0], 0x55);
    assert_true(stele_evaluate_vertices(model, 0, 0, STELE_NONE, 0, places, 1, positions, normals, 6));
    assert_memory_equal(positions, corners, sizeof corners);
    assert_int_equal(((uint8_t *)&positions[18])[0], 0x55);
    stele_close(file);
}

/* A view may have more rows than the primitive has vertices. */
static void only_vertices_are_written(void **state)
{
    double matrices[1][16];
    float positions[9 + 1];
    stele_attribute attribute = {STELE_POSITION, 0, stele_float_view(corners, 6, 3)};
    stele_primitive triangle = {.vertex_count = 3, .attributes = &attribute, .attribute_count = 1, .material = STELE_NONE};
    stele_node node = stele_default_node();
    (void)state;
    stele_file *file = stele_new(NULL);
    node.mesh = stele_add_mesh(file, &(stele_mesh){.primitives = &triangle, .primitive_count = 1});
    stele_add_node(file, &node);
    memset(positions, 0x55, sizeof positions);
    const stele_model *model = stele_file_model(file);
    assert_true(stele_evaluate_nodes(model, STELE_NONE, 0, matrices, 1));
    assert_true(stele_evaluate_vertices(model, 0, 0, STELE_NONE, 0, (const double(*)[16])matrices, 1, positions, NULL, 3));
    assert_memory_equal(positions, corners, 36);
    assert_int_equal(((uint8_t *)&positions[9])[0], 0x55);
    stele_close(file);
}

/* ---- Pictures and movies: no model's handle, but the same rules ---- */

static void pictures_say_what_went_wrong(void **state)
{
    uint8_t rgba[4] = {1, 2, 3, 4};
    stele_picture pixel = {1, 1, rgba};
    char message[512] = "x", path[300], little[5];
    (void)state;
    snprintf(path, sizeof path, "%s/pixel.png", folder);
    assert_int_equal(stele_picture_save(&pixel, path, NULL, message, sizeof message), STELE_OK);
    assert_string_equal(message, "ok");
    assert_int_equal(stele_picture_save(&pixel, path, NULL, message, sizeof message), STELE_EXISTS);
    assert_non_null(strstr(message, "pixel.png exists already"));
    assert_int_equal(stele_picture_save(&pixel, path, NULL, little, sizeof little), STELE_EXISTS);
    assert_memory_equal(little, message, 4);
    assert_int_equal(little[4], 0);
    assert_int_equal(stele_picture_save(&pixel, path, NULL, NULL, 0), STELE_EXISTS);
    assert_int_equal(stele_picture_save(&pixel, path, &(stele_save_options){.overwrite = true}, NULL, 0), STELE_OK);
    assert_int_equal(stele_picture_save(&pixel, NULL, NULL, message, sizeof message), STELE_USAGE);
    assert_int_equal(stele_picture_save(NULL, path, NULL, message, sizeof message), STELE_USAGE);
    assert_int_equal(stele_picture_save(&(stele_picture){0, 1, rgba}, path, NULL, message, sizeof message), STELE_USAGE);
    assert_int_equal(stele_picture_write(&pixel, NULL, NULL, NULL, message, sizeof message), STELE_USAGE);
    assert_int_equal(stele_picture_write(&pixel, refuse, NULL, NULL, message, sizeof message), STELE_IO);
    assert_int_equal(unlink(path), 0);
}

static void bytes_are_saved_as_pictures_are(void **state)
{
    char message[512] = "x", path[300];
    (void)state;
    snprintf(path, sizeof path, "%s/bytes.html", folder);
    assert_int_equal(stele_bytes_save("<p>", 3, path, NULL, message, sizeof message), STELE_OK);
    bytes written = read_bytes(path);
    assert_int_equal(written.size, 3);
    assert_memory_equal(written.data, "<p>", 3);
    free(written.data);
    assert_int_equal(stele_bytes_save("<b>", 3, path, NULL, message, sizeof message), STELE_EXISTS);
    assert_non_null(strstr(message, "bytes.html exists already"));
    assert_int_equal(stele_bytes_save("", 0, path, &(stele_save_options){.overwrite = true}, NULL, 0), STELE_OK);
    assert_int_equal(stele_bytes_save(NULL, 1, path, NULL, message, sizeof message), STELE_USAGE);
    assert_int_equal(stele_bytes_save("x", 1, NULL, NULL, message, sizeof message), STELE_USAGE);
    assert_int_equal(unlink(path), 0);
}

static void expect_movie(stele_movie *movie, stele_status returned, stele_status expected)
{
    assert_int_equal(returned, expected);
    assert_int_equal(stele_movie_status(movie), expected);
    assert_true((strcmp(stele_movie_message(movie), "ok") == 0) == (expected == STELE_OK));
}

static void movies_go_on_after_failures(void **state)
{
    static uint8_t rgba[8 * 8 * 4];
    stele_picture right = {8, 8, rgba}, wrong = {8, 7, rgba};
    bytes first = {NULL, 0}, second = {NULL, 0};
    char path[300];
    (void)state;
    snprintf(path, sizeof path, "%s/movie.webp", folder);
    stele_movie *movie = stele_movie_begin(8, 8, &(stele_movie_options){.lossless = true});
    expect_movie(movie, stele_movie_save(movie, path, NULL), STELE_USAGE); /* of nothing */
    expect_movie(movie, stele_movie_add(movie, &wrong, 10), STELE_USAGE);
    expect_movie(movie, stele_movie_add(movie, NULL, 10), STELE_USAGE);
    expect_movie(movie, stele_movie_add(movie, &right, 10), STELE_OK);
    rgba[0] = 200;
    expect_movie(movie, stele_movie_add(movie, &right, 10), STELE_OK);
    expect_movie(movie, stele_movie_save(movie, existing, NULL), STELE_EXISTS);
    expect_movie(movie, stele_movie_save(movie, NULL, NULL), STELE_USAGE);
    expect_movie(movie, stele_movie_write(movie, refuse, NULL, NULL), STELE_IO);
    expect_movie(movie, stele_movie_write(movie, append, &first, NULL), STELE_OK);
    expect_movie(movie, stele_movie_add(movie, &right, 10), STELE_USAGE); /* it is complete */
    expect_movie(movie, stele_movie_save(movie, path, NULL), STELE_OK);
    second = read_bytes(path);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    stele_movie_close(movie);
    movie = stele_movie_begin(8, 16384, NULL);
    assert_int_equal(stele_movie_status(movie), STELE_USAGE);
    expect_movie(movie, stele_movie_add(movie, &right, 10), STELE_USAGE);
    stele_movie_close(movie);
    stele_movie_close(NULL);
    assert_int_equal(stele_movie_add(NULL, &right, 10), STELE_NO_MEMORY);
    free(first.data);
    free(second.data);
    assert_int_equal(unlink(path), 0);
}

/* ---- Saving again ---- */

static bool mix_bytes(void *user, const void *data, size_t size)
{
    uint64_t *digest = user;
    *digest = mixed(*digest, data, size);
    return true;
}

/* What a save took is given back by the next, whatever lies between them, and the bytes are the same. */
static void expect_saves(const char *path, const stele_format_info *format, bool touched)
{
    enum { TIMES = 6 };
    stele_file *file = stele_open(path, &(stele_options){.separate_allocations = true});
    if (touched)
        stele_add_texture(file, &(stele_texture){.name = "added.png"});
    stele_save_options options = {.format = format->name, .textures = STELE_TEXTURES_EMBED};
    uint64_t digest[TIMES], memory[TIMES];
    stele_status status[TIMES];
    for (int i = 0; i < TIMES; i++) {
        digest[i] = 0;
        status[i] = stele_file_write(file, mix_bytes, &digest[i], &options);
        memory[i] = stele_file_memory(file);
        assert_int_equal(status[i], status[0]);
        assert_true(status[i] != STELE_OK || digest[i] == digest[0]);
        if (i == 3)
            stele_file_info(file);
    }
    assert_int_equal(memory[2], memory[1]);
    assert_int_equal(memory[5], memory[4]);
    stele_close(file);
}

static void save_as_all(const char *path, const bytes *content)
{
    static size_t saved; /* half of them touched; of each format, as their number is odd */
    const stele_format_info *format;
    (void)content;
    for (size_t i = 0; (format = stele_format_at(i)); i++)
        expect_saves(path, format, saved++ % 2);
}

static void saving_again_takes_nothing(void **state)
{
    char path[1024];
    (void)state;
    snprintf(path, sizeof path, "%s/samples/dialects", project_folder());
    for_each_file(path, save_as_all);
}

/* ---- Asking again ---- */

static void ignore_difference(void *user, const stele_difference *difference)
{
    (void)user;
    (void)difference;
}

static void ask_all(stele_file *file)
{
    size_t count;
    const stele_model *model = stele_file_model(file);
    for (uint32_t i = 0; i <= model->texture_count; i++) /* one is not there */
        stele_texture_bytes(file, i, &count);
    assert_non_null(stele_file_inputs(file, &count));
    stele_file_write(file, mix_bytes, &(uint64_t){0}, NULL);
    stele_diff(file, file, 0, ignore_difference, NULL);
}

static void asking_again_takes_nothing(void **state)
{
    char path[1024];
    (void)state;
    snprintf(path, sizeof path, "%s/samples/scribe.sgm", project_folder());
    stele_file *file = stele_open(path, &(stele_options){.separate_allocations = true});
    size_t count;
    assert_non_null(stele_file_inputs(file, &count));
    assert_int_equal(count, 0);
    ask_all(file);
    ask_all(file);
    uint64_t memory = stele_file_memory(file);
    for (int i = 0; i < 10; i++)
        ask_all(file);
    assert_int_equal(stele_file_memory(file), memory);
    assert_non_null(stele_file_inputs(file, &count));
    assert_int_equal(count, 2); /* the .sga and an image */
    stele_close(file);
}

/* What is there, but cannot be had until somebody has fetched it. */
static bool fetch(void *user, const char *name, const void **data, size_t *size)
{
    static const char image[] = "an image";
    const bool *fetched = user;
    if (!data)
        return strstr(name, ".png");
    *data = image;
    *size = sizeof image;
    return *fetched;
}

static void waiting_for_an_image(void **state)
{
    char path[1024];
    bool fetched = false;
    size_t size;
    (void)state;
    snprintf(path, sizeof path, "%s/samples/scribe.sgm", project_folder());
    stele_file *file = stele_open(path, &(stele_options){.lookup = fetch, .lookup_user = &fetched});
    assert_null(stele_texture_bytes(file, 0, &size));
    uint64_t memory = stele_file_memory(file);
    for (int i = 0; i < 10000; i++)
        assert_null(stele_texture_bytes(file, 0, &size));
    assert_int_equal(stele_file_status(file), STELE_IO);
    assert_int_equal(stele_file_memory(file), memory);
    fetched = true;
    assert_string_equal(stele_texture_bytes(file, 0, &size), "an image");
    stele_close(file);
}

/* Everything is there, and is nothing. */
static bool find_nothing(void *user, const char *name, const void **data, size_t *size)
{
    (void)name;
    if (data && *(int *)user)
        *data = NULL;
    if (data && *(int *)user == 2)
        *size = 100000;
    return true;
}

static void bytes_at_null(void **state)
{
    char path[1024];
    (void)state;
    snprintf(path, sizeof path, "%s/samples/scribe.sgm", project_folder());
    for (int kind = 0; kind < 3; kind++) {
        stele_file *file = stele_open(path, &(stele_options){.lookup = find_nothing, .lookup_user = &kind});
        assert_non_null(stele_file_model(file));
        assert_null(stele_texture_bytes(file, 0, NULL));
        stele_close(file);
    }
}

/* ---- Companions ---- */

static void companions_are_declared(void **state)
{
    const stele_format_info *format;
    size_t found = 0;
    (void)state;
    for (size_t i = 0; (format = stele_format_at(i)); i++) {
        if (strcmp(format->name, "sgm") == 0)
            assert_string_equal(format->companions, "sga");
        if (format->beside)
            assert_non_null(format->companions);
        found += format->companions != NULL;
    }
    assert_true(found >= 3);
}

/* ---- */

static int begin(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/stele-test-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(existing, sizeof existing, "%s/existing.glb", folder);
    snprintf(fresh, sizeof fresh, "%s/fresh.glb", folder);
    fclose(fopen(existing, "wb"));
    red = image_of(255, 0);
    green = image_of(0, 255);
    other = stele_new(NULL);
    stele_node node = stele_default_node();
    stele_add_node(other, &node);
    add_square(other, wider, STELE_NONE);
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(red.data);
    free(green.data);
    stele_close(other);
    unlink(existing);
    return rmdir(folder); /* fails, as it should, if a test leaves anything behind */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_call_wins),
        cmocka_unit_test(changes_are_seen),
        cmocka_unit_test(memory_may_come_back),
        cmocka_unit_test(damage_stays_known),
        cmocka_unit_test(a_new_model_is_empty),
        cmocka_unit_test(nonsense_is_not_opened),
        cmocka_unit_test(options_of_any_size),
        cmocka_unit_test(nonsense_is_not_added),
        cmocka_unit_test(a_model_may_become_whole),
        cmocka_unit_test(types_out_of_range_have_no_name),
        cmocka_unit_test(arrays_have_room),
        cmocka_unit_test(only_vertices_are_written),
        cmocka_unit_test(pictures_say_what_went_wrong),
        cmocka_unit_test(bytes_are_saved_as_pictures_are),
        cmocka_unit_test(movies_go_on_after_failures),
        cmocka_unit_test(saving_again_takes_nothing),
        cmocka_unit_test(asking_again_takes_nothing),
        cmocka_unit_test(waiting_for_an_image),
        cmocka_unit_test(bytes_at_null),
        cmocka_unit_test(companions_are_declared),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
