/* The public API as a program uses it: options, errors, saving, threads. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "uses.h"

static char folder[256];

static const char *in_folder(const char *name)
{
    static char paths[4][512]; /* a test may hold more than one */
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static const char *sample(const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/samples/%s", project_folder(), name);
    return path;
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/stele-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder); /* fails, as it should, if a test leaves anything behind */
}

static void null_is_a_handle(void **state)
{
    uint64_t size;
    size_t count;
    (void)state;
    assert_int_equal(stele_file_status(NULL), STELE_NO_MEMORY);
    assert_non_null(stele_file_message(NULL));
    assert_null(stele_file_format(NULL));
    assert_null(stele_file_dialect(NULL));
    assert_null(stele_file_bytes(NULL, &size));
    assert_null(stele_file_diagnostics(NULL, &count));
    assert_null(stele_file_info(NULL));
    assert_false(stele_file_changed(NULL));
    assert_int_equal(stele_file_memory(NULL), 0);
    assert_int_equal(stele_file_memory_limit(NULL), 0);
    assert_int_equal(stele_file_explain(NULL, NULL, NULL), STELE_NO_MEMORY);
    assert_int_equal(stele_file_save(NULL, "x", NULL), STELE_NO_MEMORY);
    assert_int_equal(stele_file_write(NULL, NULL, NULL, NULL), STELE_NO_MEMORY);
    stele_close(NULL);
}

static void mistakes_are_usage(void **state)
{
    stele_rule rule = {"no-such-id", STELE_OFF};
    stele_options wrong[] = {
        {.format = "nosuch"}, {.target = "nosuch", .check = STELE_CHECK_FULL}, {.rules = &rule, .rule_count = 1}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        stele_file *file = stele_open(sample("scribe.sgm"), &wrong[i]);
        assert_int_equal(stele_file_status(file), STELE_USAGE);
        assert_non_null(strstr(stele_file_message(file), "no"));
        stele_close(file);
    }
    stele_save_options save = {.dialect = "nosuch"};
    stele_file *file = stele_open(sample("scribe.sgm"), NULL);
    assert_int_equal(stele_file_save(file, in_folder("x.sgm"), &save), STELE_USAGE);
    stele_close(file);
}

static void unreadable_files_are_io(void **state)
{
    (void)state;
    stele_file *file = stele_open(in_folder("missing.sgm"), NULL);
    assert_int_equal(stele_file_status(file), STELE_IO);
    assert_non_null(find_diagnostic(file, "not-readable"));
    assert_null(stele_file_info(file));
    assert_int_equal(stele_file_save(file, in_folder("x.sgm"), NULL), STELE_IO);
    stele_close(file);
    file = stele_open(folder, NULL);
    assert_int_equal(stele_file_status(file), STELE_IO);
    stele_close(file);
}

static void rules_change_severities(void **state)
{
    /* v3-nocolor is a known writer bug: a warning by default */
    stele_rule off = {"writer-bug", STELE_OFF}, error = {"writer-bug", STELE_ERROR};
    stele_options options = {.check = STELE_CHECK_FULL, .rules = &off, .rule_count = 1};
    (void)state;
    stele_file *file = stele_open(sample("dialects/v3-nocolor.sgm"), &options);
    assert_null(find_diagnostic(file, "writer-bug"));
    stele_close(file);
    options.rules = &error;
    file = stele_open(sample("dialects/v3-nocolor.sgm"), &options);
    assert_int_equal(stele_file_status(file), STELE_DAMAGED);
    stele_close(file);
    /* but what is cut off stays cut off */
    stele_rule truncated = {"truncated", STELE_OFF};
    static const uint8_t cut[] = {0x90, 0x22, 0x05, 0x15, 3};
    options.rules = &truncated;
    file = stele_open_memory(cut, sizeof cut, &options);
    assert_int_equal(stele_file_status(file), STELE_DAMAGED);
    stele_close(file);
}

static void saving_is_atomic(void **state)
{
    struct stat status;
    stele_save_options replace = {.overwrite = true, .sync = true};
    const char *path = in_folder("copy.sgm");
    (void)state;
    stele_file *file = stele_open(sample("scribe.sgm"), NULL);
    assert_int_equal(stele_file_save(file, path, NULL), STELE_OK);
    assert_int_equal(stele_file_save(file, path, NULL), STELE_EXISTS);
    assert_non_null(strstr(stele_file_message(file), "exists already"));
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(stele_file_save(file, path, &replace), STELE_OK);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    bytes original = read_bytes(sample("scribe.sgm")), copy = read_bytes(path);
    assert_int_equal(copy.size, original.size);
    assert_memory_equal(copy.data, original.data, copy.size);
    free(original.data);
    free(copy.data);
    assert_int_equal(stele_file_save(file, in_folder("no/such/x.sgm"), NULL), STELE_IO);
    assert_int_equal(stele_file_save(file, folder, &replace), STELE_IO);
    stele_close(file);
    unlink(path);
}

static bool say_no(void *user, uint64_t done, uint64_t total)
{
    (void)user;
    (void)done;
    (void)total;
    return false;
}

static bool refuse(void *user, const void *data, size_t size)
{
    (void)user;
    (void)data;
    (void)size;
    return false;
}

static void saving_can_be_cancelled(void **state)
{
    stele_save_options cancelled = {.progress = say_no};
    (void)state;
    stele_file *file = stele_open(sample("scribe.sgm"), NULL);
    assert_int_equal(stele_file_save(file, in_folder("x.sgm"), &cancelled), STELE_CANCELLED);
    assert_int_equal(access(in_folder("x.sgm"), F_OK), -1);
    assert_int_equal(stele_file_write(file, refuse, NULL, NULL), STELE_IO);
    stele_close(file);
}

static void full_disk_leaves_nothing(void **state)
{
    stele_save_options replace = {.overwrite = true};
    (void)state;
    stele_file *file = stele_open(sample("scribe.sgm"), NULL);
    assert_int_equal(stele_file_save(file, "/dev/full", &replace), STELE_IO);
    stele_close(file);
    assert_int_equal(access("/dev/full", F_OK), 0);
}

static void changes_are_noticed(void **state)
{
    const char *path = in_folder("copy.sgm");
    (void)state;
    stele_file *file = stele_open(sample("scribe.sgm"), NULL);
    assert_int_equal(stele_file_save(file, path, NULL), STELE_OK);
    stele_close(file);
    file = stele_open(path, NULL);
    assert_false(stele_file_changed(file));
    int fd = open(path, O_WRONLY | O_APPEND);
    assert_int_equal(write(fd, "x", 1), 1);
    close(fd);
    assert_true(stele_file_changed(file));
    assert_int_equal(stele_file_save(file, in_folder("other.sgm"), NULL), STELE_IO);
    assert_int_equal(access(in_folder("other.sgm"), F_OK), -1);
    stele_close(file);
    unlink(path);
}

static void copy_sample(const char *name, const char *to)
{
    bytes content = read_bytes(sample(name));
    FILE *out = fopen(to, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(content.data, 1, content.size, out), content.size);
    fclose(out);
    free(content.data);
}

/* A companion is watched like the file itself. */
static void changes_of_companions_are_noticed(void **state)
{
    const char *model = in_folder("scribe.sgm"), *animation = in_folder("scribe.sga");
    stele_options full = {.check = STELE_CHECK_FULL};
    (void)state;
    copy_sample("scribe.sgm", model);
    copy_sample("scribe.sga", animation);
    stele_file *file = stele_open(model, &full);
    assert_false(stele_file_changed(file));
    assert_int_equal(truncate(animation, 100), 0);
    assert_true(stele_file_changed(file));
    stele_close(file);
    unlink(model);
    unlink(animation);
}

/* Names are not cut off, however deep the folder. */
static void companions_are_found_in_deep_folders(void **state)
{
    enum { DEPTH = 6, LENGTH = 200 };
    char path[2048];
    size_t ends[DEPTH], used = (size_t)snprintf(path, sizeof path, "%s", folder);
    (void)state;
    for (int i = 0; i < DEPTH; i++) {
        path[used] = '/';
        memset(path + used + 1, 'd', LENGTH);
        used += 1 + LENGTH;
        path[used] = 0;
        ends[i] = used;
        assert_int_equal(mkdir(path, 0700), 0);
    }
    snprintf(path + used, sizeof path - used, "/scribe.sga");
    copy_sample("scribe.sga", path);
    snprintf(path + used, sizeof path - used, "/scribe.sgm");
    copy_sample("scribe.sgm", path);
    stele_file *file = stele_open(path, NULL);
    assert_true(stele_file_info(file)->companions[0].found);
    assert_int_equal(stele_file_info(file)->joints, 18);
    stele_close(file);
    unlink(path);
    snprintf(path + used, sizeof path - used, "/scribe.sga");
    unlink(path);
    for (int i = DEPTH; i-- > 0;) {
        path[ends[i]] = 0;
        assert_int_equal(rmdir(path), 0);
    }
}

/* ---- Threads: the findings do not depend on them ---- */

static void run_backwards(void *user, size_t count, stele_task task, void *context)
{
    for (size_t i = count; i-- > 0;)
        task(context, i);
    *(size_t *)user += count;
}

/* A v3 file of many vertices, in which every thousandth normal is too long and some indices are out of range. */
static bytes make_large(uint32_t vertices, uint32_t indices)
{
    static const uint8_t head[] = {0x90, 0x22, 0x05, 0x15, 3, 1, 0, 0, 0, 1, 0, 0};
    size_t size = sizeof head + 8 + (size_t)vertices * 24 + 5 + (size_t)indices * 4 + 1;
    bytes b = {calloc(size, 1), size};
    uint8_t *p = b.data + sizeof head;
    memcpy(b.data, head, sizeof head);
    memcpy(p, &vertices, 4);
    p += 8;
    for (uint32_t v = 0; v < vertices; v++, p += 24) {
        float row[6] = {(float)v, (float)(v % 7), 0, 0, 0, v % 1000 == 999 ? 2.0f : 1.0f};
        memcpy(p, row, sizeof row);
    }
    memcpy(p, &indices, 4);
    p[4] = 4;
    p += 5;
    for (uint32_t i = 0; i < indices; i++, p += 4) {
        uint32_t index = i % 100000 == 77777 ? vertices + i : (i * 7) % vertices;
        memcpy(p, &index, 4);
    }
    return b;
}

static void threads_change_nothing(void **state)
{
    size_t tasks = 0, count, count_threaded;
    bytes b = make_large(500000, 900000);
    stele_options serial = {.check = STELE_CHECK_FULL}, threaded = serial;
    threaded.parallel = run_backwards;
    threaded.parallel_user = &tasks;
    (void)state;
    stele_file *one = stele_open_memory(b.data, b.size, &serial), *two = stele_open_memory(b.data, b.size, &threaded);
    const stele_diagnostic *a = stele_file_diagnostics(one, &count), *c = stele_file_diagnostics(two, &count_threaded);
    assert_true(tasks > 10);
    assert_int_equal(find_diagnostic(one, "normal-length")->count, 500);
    assert_int_equal(find_diagnostic(one, "index-out-of-range")->count, 9);
    assert_string_equal(find_diagnostic(one, "index-out-of-range")->path, "mesh[0].indices[77777]");
    assert_int_equal(count, count_threaded);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(a[i].id, c[i].id);
        assert_string_equal(a[i].path, c[i].path);
        assert_int_equal(a[i].offset, c[i].offset);
        assert_int_equal(a[i].count, c[i].count);
    }
    assert_true(stele_file_memory(one) <= 1 << 20);
    assert_true(stele_file_memory(two) <= 1 << 20);
    stele_close(one);
    stele_close(two);
    free(b.data);
}

/* A hostile file can be wrong in a million places; the list stays short and the count is right. */
static void findings_do_not_flood(void **state)
{
    enum { CLIPS = 60000 };
    static const uint8_t head[] = {0x5A, 0x4E, 0xDA, 0x16, 1, 1, 0, 0, 0, 0, CLIPS & 255, CLIPS >> 8};
    size_t size = sizeof head + CLIPS * 5, count;
    uint8_t *data = calloc(size, 1);
    (void)state;
    memcpy(data, head, sizeof head);
    for (size_t i = 0; i < CLIPS; i++)
        data[sizeof head + i * 5] = 1; /* a name of one NUL, no tracks */
    stele_options full = {.check = STELE_CHECK_FULL};
    stele_file *file = stele_open_memory(data, size, &full);
    stele_file_diagnostics(file, &count);
    assert_string_equal(stele_file_format(file), "sga");
    assert_true(count < 200);
    uint64_t total = 0;
    const stele_diagnostic *d = stele_file_diagnostics(file, &count);
    for (size_t i = 0; i < count; i++)
        total += strcmp(d[i].id, "clip-empty") == 0 ? d[i].count : 0;
    assert_int_equal(total, CLIPS);
    stele_close(file);
    free(data);
}

/* Losses count even where they are not listed: silenced, raised, or past the fiftieth. */
static void strict_cannot_be_fooled(void **state)
{
    stele_rule rules[] = {{"loss-color", STELE_OFF}, {"loss-hint", STELE_ERROR}, {"does-not-fit", STELE_OFF}};
    stele_options options = {.rules = rules, .rule_count = 3};
    stele_save_options save = {.dialect = "v2", .strict = true};
    (void)state;
    stele_file *file = stele_open(sample("dialects/v3.sgm"), &options);
    for (int i = 0; i < 3; i++) {
        assert_null(rewritten(file, &save).data);
        assert_int_equal(stele_file_status(file), STELE_LOSSY);
    }
    stele_close(file);
}

/* A sample whose first position is no number. */
static bytes without_a_position(void)
{
    bytes data = read_bytes(sample("dialects/2.0.glb"));
    stele_file *file = stele_open_memory(data.data, data.size, NULL);
    const stele_view *position = stele_primitive_view(stele_file_model(file)->meshes[0].primitives, STELE_POSITION, 0);
    memset(data.data + ((const uint8_t *)position->data - data.data), 0xff, 4);
    stele_close(file);
    return data;
}

static size_t times_found(const stele_file *file, const char *id)
{
    size_t count, times = 0;
    const stele_diagnostic *d = stele_file_diagnostics(file, &count);
    for (size_t i = 0; i < count; i++)
        times += strcmp(d[i].id, id) == 0;
    return times;
}

/* What is wrong with a copy is looked for if that is asked for, and said once. */
static void copies_are_checked(void **state)
{
    bytes data = without_a_position();
    stele_options structure = {.check = STELE_CHECK_STRUCTURE};
    stele_save_options plain = {0}, checked = {.check = true}, strict = {.check = true, .strict = true},
                       obj = {.format = "obj"};
    (void)state;
    stele_file *file = stele_open_memory(data.data, data.size, &structure);
    free(rewritten(file, &plain).data);
    assert_int_equal(stele_open_status(file), STELE_OK);
    for (int i = 0; i < 2; i++) {
        bytes copy = rewritten(file, &checked);
        assert_int_equal(stele_file_status(file), STELE_OK);
        assert_int_equal(stele_open_status(file), STELE_DAMAGED);
        assert_int_equal(times_found(file, "nonfinite-position"), 1);
        assert_int_equal(copy.size, data.size);
        assert_memory_equal(copy.data, data.data, data.size);
        free(copy.data);
    }
    assert_null(rewritten(file, &strict).data);
    assert_int_equal(stele_file_status(file), STELE_DAMAGED);
    assert_null(rewritten(file, &obj).data);
    assert_int_equal(stele_file_status(file), STELE_DAMAGED);
    stele_close(file);
    free(data.data);
}

/* Zeros and other things under a model's name are not models without meshes. */
static void zeros_are_no_model(void **state)
{
    uint8_t *zeros = calloc(100000, 1);
    stele_options named = {.name = "x.sgm"};
    (void)state;
    for (size_t size = 1; size <= 100000; size = size * 3 + 1) {
        stele_file *file = stele_open_memory(zeros, size, &named);
        assert_int_not_equal(stele_file_status(file), STELE_OK);
        stele_close(file);
        file = stele_open_memory(zeros, size, NULL);
        assert_int_equal(stele_file_status(file), STELE_UNSUPPORTED);
        stele_close(file);
    }
    free(zeros);
}

static void registry_is_complete(void **state)
{
    const stele_format_info *format;
    size_t formats = 0, kinds;
    (void)state;
    for (; (format = stele_format_at(formats)); formats++) {
        assert_true(*format->name && *format->title && *format->extensions && format->capabilities);
        for (size_t i = 0; i < format->dialect_count; i++)
            assert_true(*format->dialects[i].name && *format->dialects[i].title);
    }
    assert_true(formats >= 2);
    assert_non_null(stele_diagnostic_kinds(&kinds));
    assert_true(kinds > 50);
    assert_string_equal(stele_capability_name(0), "meshes");
    assert_null(stele_capability_name(99));
    assert_string_equal(stele_version(), STELE_VERSION);
}

/* Neither a copy that was written well nor a rule that calls an error a note makes a damaged file fit for use. */
static void damaged_files_have_no_model(void **state)
{
    static const stele_rule mild = {"index-out-of-range", STELE_NOTE};
    static const char *const kinds[] = {"ctc", "mesh", "sff", "sgm", "twm"};
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/tests/crashers/model-of-a-damaged-file.%s", project_folder(), kinds[i]);
        stele_file *file = stele_open(path, NULL);
        assert_int_equal(stele_file_status(file), STELE_DAMAGED);
        bytes copy = rewritten(file, NULL);
        assert_non_null(copy.data);
        assert_null(stele_file_model(file));
        assert_int_equal(stele_file_status(file), STELE_DAMAGED);
        free(copy.data);
        stele_close(file);
        file = stele_open(path, &(stele_options){.rules = &mild, .rule_count = 1});
        assert_null(stele_file_model(file));
        stele_close(file);
    }
}

/* ---- What is written is sound ---- */

static const float corners[] = {0, 0, 0, 1e20f, 0, 0, 0, 1e20f, 0};

/* A triangle on a moving node, which a parent makes larger: so large that no float holds it. */
static stele_file *enlarged(float scale)
{
    static const float times[] = {0, 1}, places[] = {0, 0, 0, 1e20f, 0, 0};
    stele_attribute position = {STELE_POSITION, 0, stele_float_view(corners, 3, 3)};
    stele_primitive primitive = {.vertex_count = 3, .attributes = &position, .attribute_count = 1, .material = STELE_NONE};
    stele_mesh mesh = {.primitives = &primitive, .primitive_count = 1};
    stele_channel channel = {
        .node = 1, .path = STELE_TRANSLATION, .times = stele_float_view(times, 2, 1), .values = stele_float_view(places, 2, 3)};
    stele_clip clip = {.name = "grow", .channels = &channel, .channel_count = 1};
    stele_node parent = stele_default_node(), child = stele_default_node();
    stele_file *file = stele_new(NULL);
    parent.local.scale[0] = parent.local.scale[1] = parent.local.scale[2] = scale;
    child.parent = stele_add_node(file, &parent);
    child.mesh = stele_add_mesh(file, &mesh);
    stele_add_node(file, &child);
    stele_add_clip(file, &clip);
    assert_int_equal(stele_file_status(file), STELE_OK);
    return file;
}

/* The second joint was bound where no float can say. */
static stele_file *bound_far_away(void)
{
    static const uint8_t joints[12];
    static const float weights[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    static const float binds[] = {1,      0, 0, 0, 0, 1,      0, 0, 0, 0, 1,      0, 0,     0, 0, 1,
                                  1e-30f, 0, 0, 0, 0, 1e-30f, 0, 0, 0, 0, 1e-30f, 0, 1e20f, 0, 0, 1};
    static const float times[] = {0, 1}, places[] = {0, 0, 0, 1, 0, 0};
    stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(corners, 3, 3)},
                                    {STELE_JOINTS, 0, {joints, 3, 4, 4, STELE_U8, false}},
                                    {STELE_WEIGHTS, 0, stele_float_view(weights, 3, 4)}};
    stele_primitive primitive = {.vertex_count = 3, .attributes = attributes, .attribute_count = 3, .material = STELE_NONE};
    stele_mesh mesh = {.primitives = &primitive, .primitive_count = 1};
    stele_channel channel = {
        .node = 1, .path = STELE_TRANSLATION, .times = stele_float_view(times, 2, 1), .values = stele_float_view(places, 2, 3)};
    stele_clip clip = {.name = "move", .channels = &channel, .channel_count = 1};
    stele_node first = stele_default_node(), second = stele_default_node(), body = stele_default_node();
    stele_file *file = stele_new(NULL);
    uint32_t nodes[] = {stele_add_node(file, &first), 1};
    second.parent = nodes[0];
    stele_add_node(file, &second);
    stele_skin skin = {
        .joints = nodes, .joint_count = 2, .inverse_bind = stele_float_view(binds, 2, 16), .skeleton = STELE_NONE};
    body.mesh = stele_add_mesh(file, &mesh);
    body.skin = stele_add_skin(file, &skin);
    stele_add_node(file, &body);
    stele_add_clip(file, &clip);
    assert_int_equal(stele_file_status(file), STELE_OK);
    return file;
}

/* What is written can be read again; whether it was written. */
static bool writes_soundly(stele_file *file, const stele_format_info *format)
{
    stele_save_options save = {.format = format->name};
    bytes out = rewritten(file, &save);
    bool written = stele_file_status(file) == STELE_OK;
    if (written) {
        stele_options as = {.format = format->name};
        stele_file *again = stele_open_memory(out.data, out.size, &as);
        if (stele_file_status(again) != STELE_OK)
            fail_msg("%s: %s", format->name, stele_file_message(again));
        stele_close(again);
    } else {
        assert_int_equal(stele_file_status(file), STELE_DAMAGED);
    }
    free(out.data);
    stele_close(file);
    return written;
}

static void numbers_that_overflow_are_not_written(void **state)
{
    (void)state;
    const stele_format_info *format;
    for (size_t i = 0; (format = stele_format_at(i)); i++) {
        bool keeps_nodes = strcmp(format->name, "glb") == 0 || strcmp(format->name, "gltf") == 0;
        assert_true(writes_soundly(enlarged(1), format));
        assert_int_equal(writes_soundly(enlarged(1e30f), format), keeps_nodes);
        assert_int_equal(writes_soundly(bound_far_away(), format), strcmp(format->name, "sga") != 0);
    }
}

/* Views may have more rows than there are vertices. They are of nobody, and no format writes them. */
static bytes triangle_of_rows(uint64_t rows, const char *format)
{
    enum { MOST = 4096 };
    static float numbers[4 * MOST];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        numbers[i] = i % 4 == 1; /* a triangle, and numbers that are of length 1 by three and by four */
    stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(numbers, rows, 3)},
                                    {STELE_NORMAL, 0, {numbers, rows, 16, 3, STELE_F32, false}},
                                    {STELE_TANGENT, 0, stele_float_view(numbers, rows, 4)},
                                    {STELE_UV, 0, stele_float_view(numbers, rows, 2)},
                                    {STELE_COLOR, 0, stele_float_view(numbers, rows, 4)}};
    stele_primitive primitive = {.vertex_count = 3, .attributes = attributes, .attribute_count = 5, .material = STELE_NONE};
    stele_node node = stele_default_node();
    stele_file *file = stele_new(NULL);
    node.mesh = stele_add_mesh(file, &(stele_mesh){.primitives = &primitive, .primitive_count = 1});
    stele_add_node(file, &node);
    bytes out = rewritten(file, &(stele_save_options){.format = format});
    assert_non_null(out.data);
    stele_close(file);
    return out;
}

static void rows_of_no_vertex_are_not_written(void **state)
{
    (void)state;
    const stele_format_info *format;
    for (size_t i = 0; (format = stele_format_at(i)); i++) {
        if (!(format->capabilities & STELE_MESHES))
            continue;
        bytes exact = triangle_of_rows(3, format->name), more = triangle_of_rows(4096, format->name);
        assert_int_equal(exact.size, more.size);
        assert_memory_equal(exact.data, more.data, exact.size);
        free(exact.data);
        free(more.data);
    }
}

static void json_of_properties_is_json(void **state)
{
    (void)state;
    static const char *const wrong[] = {"}]{broken", "", "{", "1 2", "\"\\x\"", "nul", "{\"a\":1,}", "\"\xff\""};
    static const char *const right[] = {"1", "[]", "{\"a\": [null, true, \"\\u0041\"]}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong + sizeof right / sizeof *right; i++) {
        bool bad = i < sizeof wrong / sizeof *wrong;
        stele_property property = {.key = "x", .json = bad ? wrong[i] : right[i - sizeof wrong / sizeof *wrong]};
        stele_node node = stele_default_node();
        stele_material material = stele_default_material();
        stele_file *file = stele_new(NULL);
        node.properties = material.properties = (stele_properties){&property, 1};
        assert_int_equal(stele_add_node(file, &node), bad ? STELE_NONE : 0);
        assert_int_equal(stele_file_status(file), bad ? STELE_USAGE : STELE_OK);
        assert_int_equal(stele_add_material(file, &material), bad ? STELE_NONE : 0);
        stele_close(file);
    }
}

static void use_as_all(stele_file *file)
{
    const stele_format_info *format;
    for (size_t i = 0; (format = stele_format_at(i)); i++) {
        stele_save_options save = {.format = format->name};
        free(rewritten(file, &save).data);
    }
}

static void ignore(void *user, const stele_difference *difference)
{
    (void)user;
    (void)difference;
}

/* Joints are indices: neither below zero nor anything between two. */
static void joints_are_indices(void **state)
{
    (void)state;
    static const int8_t below[12] = {-1, -2, -3, -4};
    static const float between[12] = {-1e30f, 0.5f};
    static const float weights[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    const stele_view wrong[] = {{below, 3, 4, 4, STELE_I8, false}, stele_float_view(between, 3, 4)};
    for (size_t i = 0; i < 2; i++) {
        stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(corners, 3, 3)},
                                        {STELE_JOINTS, 0, wrong[i]},
                                        {STELE_WEIGHTS, 0, stele_float_view(weights, 3, 4)}};
        stele_primitive primitive = {.vertex_count = 3, .attributes = attributes, .attribute_count = 3, .material = STELE_NONE};
        stele_mesh mesh = {.primitives = &primitive, .primitive_count = 1};
        uint32_t joint = 0;
        stele_skin skin = {.joints = &joint, .joint_count = 1, .skeleton = STELE_NONE};
        stele_node node = stele_default_node();
        stele_file *file = stele_new(NULL);
        node.mesh = stele_add_mesh(file, &mesh);
        node.skin = stele_add_skin(file, &skin);
        stele_add_node(file, &node);
        assert_null(stele_file_model(file));
        assert_int_equal(stele_file_status(file), STELE_USAGE);
        use_as_all(file);
        stele_close(file);
    }
}

static void a_skin_may_have_no_joints(void **state)
{
    (void)state;
    stele_file *file = stele_new(NULL);
    stele_skin skin = {.skeleton = STELE_NONE};
    stele_node node = stele_default_node();
    stele_add_skin(file, &skin);
    stele_add_node(file, &node);
    assert_int_equal(stele_diff(file, file, 0.1, ignore, NULL), STELE_OK);
    use_as_all(file);
    stele_close(file);
}

/* ---- All or nothing ---- */

static bool put_folder_in_the_way(void *user, uint64_t done, uint64_t total)
{
    (void)done;
    (void)total;
    (void)mkdir(user, 0777);
    return true;
}

/* The last of the files cannot get its name any more: those that have theirs are given back. */
/* No bytes, no file, no model, no handle: everything can be asked of them, and a sanitizer sees a pointer that is none. */
static void nothing_can_be_used(void **state)
{
    (void)state;
    for (size_t use = 0; use < use_count(); use++) {
        stele_file *files[] = {stele_open_memory(NULL, 0, NULL),
                               stele_open("/nowhere/at/all.sgm", NULL),
                               stele_open(NULL, NULL),
                               stele_open_memory("", 0, &(stele_options){.format = "sgm"}),
                               stele_new(NULL),
                               NULL};
        for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
            stele_status status = use_file(files[i], use);
            if (status == STELE_OK && i != 4)
                fail_msg("%s: nothing, and yet it went well", use_name(use));
            stele_close(files[i]);
        }
    }
}

static void old_files_stay_when_the_last_fails(void **state)
{
    (void)state;
    static const char old[] = "old";
    stele_file *file = enlarged(1);
    char gltf[512], bin[512], text[8] = "";
    snprintf(gltf, sizeof gltf, "%s", in_folder("m.gltf"));
    snprintf(bin, sizeof bin, "%s", in_folder("m.bin"));
    int fd = open(bin, O_RDWR | O_CREAT, 0640);
    assert_int_equal(write(fd, old, 3), 3);
    stele_save_options save = {.overwrite = true, .progress = put_folder_in_the_way, .progress_user = gltf};
    assert_int_equal(stele_file_save(file, gltf, &save), STELE_IO);
    assert_int_equal(rmdir(gltf), 0);
    close(fd);
    fd = open(bin, O_RDONLY);
    assert_int_equal(read(fd, text, sizeof text), 3);
    assert_string_equal(text, old);
    close(fd);
    assert_int_equal(unlink(bin), 0); /* and nothing else is left, as the end of the tests finds */
    stele_close(file);
}

/* ---- Limits ---- */

typedef struct patience {
    uint64_t asked, most, last;
} patience;

static bool ask(void *user, uint64_t done, uint64_t total)
{
    patience *p = user;
    assert_true(done >= p->last && done <= total);
    p->last = done;
    return p->asked++ < p->most;
}

/* A model that is drawn very often. */
static stele_file *crowd(const stele_options *options)
{
    static const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    stele_file *file = stele_new(options);
    stele_attribute position = {STELE_POSITION, 0, stele_float_view(corners, 3, 3)};
    stele_primitive triangle = {.material = STELE_NONE, .vertex_count = 3, .attributes = &position, .attribute_count = 1};
    stele_node node = stele_default_node();
    node.mesh = stele_add_mesh(file, &(stele_mesh){.primitives = &triangle, .primitive_count = 1});
    for (int i = 0; i < 20000; i++)
        stele_add_node(file, &node);
    return file;
}

static bool swallow(void *user, const void *data, size_t size)
{
    (void)data;
    *(uint64_t *)user += size;
    return true;
}

static void hear(void *user, const stele_difference *difference)
{
    (void)user;
    (void)difference;
}

static stele_status run_verb(int verb, stele_file *file, stele_file *other)
{
    static uint8_t pixels[64 * 64 * 4];
    uint64_t written = 0;
    if (verb == 0)
        return stele_file_write(file, swallow, &written, &(stele_save_options){.format = "sff"});
    if (verb == 1)
        return stele_render(file, &(stele_picture){64, 64, pixels}, NULL);
    if (verb == 2)
        return stele_diff(file, other, 0, hear, NULL);
    return stele_bake(file, STELE_NONE, 0);
}

enum { VERBS = 4 };

static void test_every_call_can_be_cancelled(void **state)
{
    (void)state;
    stele_file *other = crowd(NULL);
    for (int verb = 0; verb < VERBS; verb++) {
        patience p = {.most = UINT64_MAX};
        stele_file *file = crowd(&(stele_options){.progress = ask, .progress_user = &p});
        p = (patience){0};
        assert_int_equal(run_verb(verb, file, other), STELE_CANCELLED);
        assert_string_equal(stele_file_message(file), "cancelled");
        assert_int_equal(p.asked, 1);
        p = (patience){.most = UINT64_MAX};
        assert_int_equal(run_verb(verb, file, other), STELE_OK);
        assert_true(p.asked > 0);
        stele_close(file);
    }
    stele_close(other);
}

static void test_every_call_keeps_the_limit_of_work(void **state)
{
    (void)state;
    stele_file *other = crowd(NULL);
    for (int verb = 0; verb < VERBS; verb++) {
        stele_file *free_one = crowd(NULL);
        assert_int_equal(run_verb(verb, free_one, other), STELE_OK);
        uint64_t needed = stele_file_work(free_one);
        assert_true(needed > 20000);
        stele_file *enough = crowd(&(stele_options){.work_limit = needed});
        assert_int_equal(run_verb(verb, enough, other), STELE_OK);
        assert_int_equal(stele_file_work(enough), needed);
        stele_file *tight = crowd(&(stele_options){.work_limit = needed - 1});
        assert_int_equal(run_verb(verb, tight, other), STELE_TOO_MUCH_WORK);
        assert_non_null(strstr(stele_file_message(tight), "work_limit"));
        assert_int_equal(stele_file_work(tight), needed - 1);
        stele_close(tight);
        stele_close(enough);
        stele_close(free_one);
    }
    stele_close(other);
}

/* What opening did not complete stays so, and says why. */
static void test_opening_can_be_cancelled_and_limited(void **state)
{
    (void)state;
    enum { GROUPS = 20000 };
    char *text = malloc(64 + 32 * GROUPS), *end = text + sprintf(text, "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    for (int i = 0; i < GROUPS; i++)
        end += sprintf(end, "g %d\nf 1 2 3\n", i);
    patience p = {0};
    stele_options options = {.name = "a.obj", .progress = ask, .progress_user = &p, .check = STELE_CHECK_STRUCTURE};
    stele_file *file = stele_open_memory(text, (size_t)(end - text), &options);
    assert_null(stele_file_model(file));
    assert_int_equal(stele_file_status(file), STELE_CANCELLED);
    p.most = UINT64_MAX;
    assert_null(stele_file_model(file));
    assert_int_equal(stele_file_status(file), STELE_CANCELLED);
    stele_close(file);
    p = (patience){.most = UINT64_MAX};
    file = stele_open_memory(text, (size_t)(end - text), &options);
    assert_non_null(stele_file_model(file));
    options.work_limit = stele_file_work(file) - 1;
    stele_close(file);
    p.last = 0;
    file = stele_open_memory(text, (size_t)(end - text), &options);
    assert_null(stele_file_model(file));
    assert_int_equal(stele_file_status(file), STELE_TOO_MUCH_WORK);
    stele_close(file);
    free(text);
}

/* Text is read for long before there is anything to allocate. */
static void test_reading_text_can_be_cancelled(void **state)
{
    (void)state;
    enum { SIZE = 70 << 20 };
    static const char start[] = "v 0 0 0\n";
    char *text = malloc(SIZE);
    memset(text, '\n', SIZE);
    memcpy(text, start, sizeof start - 1);
    patience p = {.most = UINT64_MAX};
    stele_options options = {.name = "a.obj", .progress = ask, .progress_user = &p, .check = STELE_CHECK_STRUCTURE};
    stele_file *file = stele_open_memory(text, SIZE, &options);
    assert_non_null(stele_file_model(file));
    assert_true(p.asked >= 6); /* three times while it is counted, and while it is read */
    stele_close(file);
    for (uint64_t most = 0; most < 6; most++) {
        p = (patience){.most = most};
        file = stele_open_memory(text, SIZE, &options);
        assert_null(stele_file_model(file));
        assert_int_equal(stele_file_status(file), STELE_CANCELLED);
        assert_int_equal(p.asked, most + 1);
        p.most = UINT64_MAX;
        assert_int_equal(run_verb(0, file, NULL), STELE_CANCELLED); /* it stays so */
        stele_close(file);
    }
    free(text);
}

static bool count_bytes(void *user, const void *data, size_t size)
{
    (void)data;
    *(size_t *)user += size;
    return true;
}

/* What does not begin as the format that somebody insists on is walked and explained; but rewriting it would change it. */
static void what_was_forced_is_not_rewritten(void **state)
{
    char path[1024];
    size_t written = 0;
    (void)state;
    snprintf(path, sizeof path, "%s/samples/dialects/v3.sgm", project_folder());
    bytes b = read_bytes(path);
    b.data[0] ^= 1;
    stele_file *file = stele_open_memory(b.data, b.size, &(stele_options){.format = "sgm"});
    assert_string_equal(stele_file_dialect(file), "v3");
    assert_int_not_equal(stele_file_write(file, count_bytes, &written, NULL), STELE_OK);
    assert_int_equal(written, 0);
    stele_close(file);
    free(b.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_call_can_be_cancelled),
        cmocka_unit_test(test_every_call_keeps_the_limit_of_work),
        cmocka_unit_test(test_opening_can_be_cancelled_and_limited),
        cmocka_unit_test(test_reading_text_can_be_cancelled),
        cmocka_unit_test(null_is_a_handle),
        cmocka_unit_test(mistakes_are_usage),
        cmocka_unit_test(unreadable_files_are_io),
        cmocka_unit_test(rules_change_severities),
        cmocka_unit_test(saving_is_atomic),
        cmocka_unit_test(saving_can_be_cancelled),
        cmocka_unit_test(full_disk_leaves_nothing),
        cmocka_unit_test(changes_are_noticed),
        cmocka_unit_test(changes_of_companions_are_noticed),
        cmocka_unit_test(companions_are_found_in_deep_folders),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(findings_do_not_flood),
        cmocka_unit_test(strict_cannot_be_fooled),
        cmocka_unit_test(copies_are_checked),
        cmocka_unit_test(zeros_are_no_model),
        cmocka_unit_test(registry_is_complete),
        cmocka_unit_test(damaged_files_have_no_model),
        cmocka_unit_test(numbers_that_overflow_are_not_written),
        cmocka_unit_test(rows_of_no_vertex_are_not_written),
        cmocka_unit_test(json_of_properties_is_json),
        cmocka_unit_test(joints_are_indices),
        cmocka_unit_test(a_skin_may_have_no_joints),
        cmocka_unit_test(nothing_can_be_used),
        cmocka_unit_test(what_was_forced_is_not_rewritten),
        cmocka_unit_test(old_files_stay_when_the_last_fails),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
