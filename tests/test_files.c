/* What must hold for every file of every format: iterated over the registry, the samples, the crashers and, where it is there,
 * a corpus of real files. */
#include <unistd.h>

#include "support.h"

static stele_file *open_named(const bytes *b, const char *name, stele_check_level level)
{
    stele_options options = {.name = name, .check = level, .separate_allocations = true};
    return stele_open_memory(b->data, b->size, &options);
}

/* ---- Whatever is read is written back identically ---- */

/* Only samples of files that are known to have them: elsewhere a byte that nobody claims is a field that we forgot. */
static bool may_have_gaps(const char *path)
{
    return strstr(path, "/samples/gaps/") != NULL;
}

/* Suites that others made, and files made to hurt, hold what is wrong on purpose. */
static bool may_be_wrong(const char *path)
{
    return strstr(path, "/corpus/suites/") || strstr(path, "/corpus/hostile/");
}

static void expect_same_bytes(const char *path, const bytes *content)
{
    stele_file *file = stele_open(path, NULL);
    if (stele_file_status(file) != STELE_OK) {
        if (!may_be_wrong(path))
            fail_msg("%s: %s", path, stele_file_message(file));
        stele_close(file);
        return;
    }
    bytes out = rewritten(file, NULL);
    assert_int_equal(out.size, content->size);
    assert_memory_equal(out.data, content->data, content->size);
    uint64_t gaps = assert_explained(file);
    assert_true(gaps == 0 || may_have_gaps(path) || may_be_wrong(path));
    free(out.data);
    stele_close(file);
}

static void rewriting_is_exact(void **state)
{
    (void)state;
    char samples[1024];
    snprintf(samples, sizeof samples, "%s/samples", project_folder());
    assert_true(for_each_file(samples, expect_same_bytes) >= 14);
    if (corpus_folder())
        assert_true(for_each_file(corpus_folder(), expect_same_bytes) > 0);
}

/* ---- Every way of opening gives the same ---- */

typedef struct reader {
    const bytes *content;
    size_t at;
} reader;

static size_t read_a_little(void *user, void *buffer, size_t size)
{
    reader *r = user;
    size_t left = r->content->size - r->at, n = size < 1000 ? size : 1000;
    n = n < left ? n : left;
    memcpy(buffer, r->content->data + r->at, n);
    r->at += n;
    return n;
}

static void expect_same_opening(const char *path, const bytes *content)
{
    reader r = {content, 0};
    stele_options named = {.name = path}, reading = {.read_file = true};
    stele_file *files[] = {stele_open(path, NULL), stele_open(path, &reading),
                           stele_open_memory(content->data, content->size, &named),
                           stele_open_callback(read_a_little, &r, &named)};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        uint64_t size;
        const void *data = stele_file_bytes(files[i], &size);
        assert_int_equal(size, content->size);
        assert_memory_equal(data, content->data, size);
        assert_string_equal(stele_file_format(files[i]), stele_file_format(files[0]));
        assert_string_equal(stele_file_dialect(files[i]), stele_file_dialect(files[0]));
        assert_false(stele_file_changed(files[i]));
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        stele_close(files[i]);
}

static void all_ways_of_opening_agree(void **state)
{
    (void)state;
    char samples[1024];
    snprintf(samples, sizeof samples, "%s/samples", project_folder());
    assert_true(for_each_file(samples, expect_same_opening) >= 14);
}

/* ---- Damage ---- */

enum { SMALL = 8192 };

/* Whatever was accepted is written back identically, whatever it was; and it is explained to its end. */
static void expect_sound(stele_file *file, const bytes *b)
{
    assert_true(stele_file_memory(file) < (1 << 20) + 64 * (uint64_t)b->size);
    if (stele_file_dialect(file)) {
        assert_explained(file);
        stele_file_info(file);
        bytes out = rewritten(file, NULL);
        if (out.data) {
            assert_int_equal(out.size, b->size);
            assert_true(memcmp(out.data, b->data, b->size) == 0); /* a million times: cmocka's own looks at each byte */
        }
        free(out.data);
    }
    stele_close(file);
}

static void expect_survival(const bytes *b, const char *name)
{
    expect_sound(open_named(b, name, STELE_CHECK_FULL), b);
}

/* MESH without its joint section is an older MESH, and nothing in it says otherwise; OBJ is a list of lines without an end. */
static bool whole_by_design(const char *path, stele_file *cut)
{
    const char *name = strrchr(path, '/') + 1, *dialect = stele_file_dialect(cut);
    if (strcmp(name, "plain.obj") == 0)
        return true;
    return strcmp(name, "A3.mesh") == 0 && dialect && strcmp(dialect, "A2") == 0;
}

static void truncate_everywhere(const char *path, const bytes *content)
{
    if (content->size > SMALL)
        return;
    for (size_t size = 0; size < content->size; size++) {
        bytes cut = copy_bytes(content->data, size);
        stele_file *file = open_named(&cut, path, STELE_CHECK_SAFE);
        /* a whole number of structures can only end at the very end, but for the v0 family, which has no trailer */
        bool whole = stele_file_status(file) == STELE_OK;
        if (whole && !whole_by_design(path, file))
            fail_msg("%s cut to %zu bytes is taken for whole", path, size);
        assert_true(whole || stele_file_status(file) == STELE_DAMAGED || stele_file_status(file) == STELE_UNSUPPORTED);
        assert_non_null(stele_file_message(file));
        stele_close(file);
        expect_survival(&cut, path);
        free(cut.data);
    }
}

/* Each byte becomes all of these. Deep in a file, where most is bulk data, each byte becomes one of them, and its neighbours
 * the others, unless STELE_SWEEP says that there is time. */
static void mutate_everywhere(const char *path, const bytes *content)
{
    enum { STRUCTURE = 512 };
    static const uint8_t values[] = {0x00, 0x01, 0x7F, 0x80, 0xFF};
    bool patient = getenv("STELE_SWEEP");
    if (content->size > SMALL)
        return;
    bytes copy = copy_bytes(content->data, content->size);
    for (size_t i = 0; i < copy.size; i++) {
        for (size_t v = 0; v < sizeof values; v++) {
            if (!patient && i >= STRUCTURE && i % sizeof values != v)
                continue;
            copy.data[i] = v == 0 ? (uint8_t)(content->data[i] ^ 1) : values[v];
            expect_survival(&copy, path);
        }
        copy.data[i] = content->data[i];
    }
    free(copy.data);
}

static void for_dialects(each_file each)
{
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/samples/dialects", project_folder());
    assert_true(for_each_file(folder, each) >= 12);
}

static void for_gaps(each_file each)
{
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/samples/gaps", project_folder());
    assert_true(for_each_file(folder, each) >= 1);
}

static void truncation_is_noticed(void **state)
{
    (void)state;
    for_dialects(truncate_everywhere);
}

static void mutations_are_survived(void **state)
{
    (void)state;
    for_dialects(mutate_everywhere);
    for_gaps(mutate_everywhere);
}

/* Also read as what its name says, whatever it looks like. */
static void replay(const char *path, const bytes *content)
{
    stele_options forced = {.name = path, .format = strrchr(path, '.') + 1, .check = STELE_CHECK_FULL};
    expect_survival(content, path);
    expect_sound(stele_open_memory(content->data, content->size, &forced), content);
}

static void crashers_stay_fixed(void **state)
{
    (void)state;
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/tests/crashers", project_folder());
    size_t count = for_each_file(folder, replay);
    assert_true(count >= 5);
    printf("# %zu crashers\n", count);
}

/* ---- Memory ---- */

typedef struct failing {
    long left; /* allocations that still succeed */
    uint64_t held, peak;
} failing;

static void *allocate(void *user, size_t size)
{
    failing *f = user;
    if (f->left-- <= 0)
        return NULL;
    f->held += size;
    f->peak = f->held > f->peak ? f->held : f->peak;
    return malloc(size);
}

static void release(void *user, void *memory, size_t size)
{
    failing *f = user;
    f->held -= size;
    free(memory);
}

static bool ignore(void *user, const stele_field *field)
{
    (void)user;
    (void)field;
    return true;
}

static stele_status use_everything(const char *path, failing *f)
{
    stele_options options = {.allocator = {allocate, release, f}, .check = STELE_CHECK_FULL, .separate_allocations = true};
    stele_save_options save = {0};
    stele_file *file = stele_open(path, &options);
    stele_status status = stele_file_status(file);
    stele_file_info(file);
    if (stele_file_dialect(file))
        stele_file_explain(file, ignore, NULL);
    const stele_format_info *format = NULL;
    for (size_t i = 0; stele_file_format(file) && (format = stele_format_at(i)); i++)
        if (strcmp(format->name, stele_file_format(file)) == 0)
            break;
    for (size_t i = 0; format && i < format->dialect_count; i++) {
        save.dialect = format->dialects[i].name;
        free(rewritten(file, &save).data);
    }
    stele_close(file);
    assert_int_equal(f->held, 0);
    return status;
}

static void fail_each_allocation(const char *path, const bytes *content)
{
    if (content->size > SMALL)
        return;
    failing all = {.left = 1000000};
    assert_int_equal(use_everything(path, &all), STELE_OK);
    long needed = 1000000 - all.left;
    for (long i = 0; i < needed; i++) {
        failing f = {.left = i};
        use_everything(path, &f);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for_dialects(fail_each_allocation);
    for_gaps(fail_each_allocation);
}

static void limit_is_kept(const char *path, const bytes *content)
{
    (void)content;
    static const uint64_t limits[] = {1, 1000, 5000, 20000, 100000};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        failing f = {.left = 1000000};
        stele_options options = {.allocator = {allocate, release, &f}, .memory_limit = limits[i], .check = STELE_CHECK_FULL};
        stele_file *file = stele_open(path, &options);
        stele_file_info(file);
        assert_true(f.peak <= limits[i]);
        if (stele_file_status(file) != STELE_OK)
            assert_int_equal(stele_file_status(file), STELE_NO_MEMORY);
        stele_close(file);
    }
}

static void memory_limit_is_respected(void **state)
{
    (void)state;
    char samples[1024];
    snprintf(samples, sizeof samples, "%s/samples", project_folder());
    assert_true(for_each_file(samples, limit_is_kept) >= 14);
}

/* ---- Dialects ---- */

/* Files of the folder that a sample is in, for a copy of it in memory. */
typedef struct neighbours {
    const char *path; /* of the sample */
    bytes found[4];
    size_t count;
} neighbours;

static bool find_neighbour(void *user, const char *name, const void **data, size_t *size)
{
    neighbours *n = user;
    char path[2048];
    snprintf(path, sizeof path, "%.*s/%s", (int)(strrchr(n->path, '/') - n->path), n->path, name);
    if (access(path, R_OK) != 0)
        return false;
    if (!data)
        return true;
    assert_true(n->count < sizeof n->found / sizeof *n->found);
    bytes *found = &n->found[n->count++];
    *found = read_bytes(path);
    *data = found->data;
    *size = found->size;
    return true;
}

static void forget_neighbours(neighbours *n)
{
    while (n->count)
        free(n->found[--n->count].data);
}

/* Of two dialects that are the same without the content that tells them apart, a file gets the name of one. */
static void expect_dialect(stele_file *file, const bytes *content, const char *dialect)
{
    stele_save_options save = {.dialect = dialect, .strict = true};
    if (strcmp(stele_file_dialect(file), dialect) == 0)
        return;
    bytes out = rewritten(file, &save);
    if (!out.data || out.size != content->size || memcmp(out.data, content->data, out.size) != 0)
        fail_msg("%s is taken for %s", dialect, stele_file_dialect(file));
    free(out.data);
}

/* Converting to any dialect gives a file of that dialect which opens without errors. */
static void convert_to_all(const char *path, const bytes *content)
{
    neighbours beside = {.path = path};
    stele_options named = {.name = path, .lookup = find_neighbour, .lookup_user = &beside};
    stele_file *file = stele_open(path, NULL);
    const stele_format_info *format = stele_format_at(0);
    for (size_t i = 1; strcmp(format->name, stele_file_format(file)) != 0; i++)
        format = stele_format_at(i);
    (void)content;
    for (size_t i = 0; i < format->dialect_count; i++) {
        stele_save_options save = {.dialect = format->dialects[i].name};
        bytes out = rewritten(file, &save);
        if (!out.data)
            continue; /* does not fit: the diagnostics say so */
        stele_file *again = stele_open_memory(out.data, out.size, &named);
        if (stele_file_status(again) != STELE_OK)
            fail_msg("%s as %s: %s", path, save.dialect, stele_file_message(again));
        expect_dialect(again, &out, save.dialect);
        uint64_t gaps = assert_explained(again);
        assert_true(gaps == 0 || may_have_gaps(path) || may_be_wrong(path));
        stele_close(again);
        forget_neighbours(&beside);
        free(out.data);
    }
    stele_close(file);
}

static void every_dialect_can_be_written(void **state)
{
    (void)state;
    for_dialects(convert_to_all);
    for_gaps(convert_to_all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rewriting_is_exact),        cmocka_unit_test(all_ways_of_opening_agree),
        cmocka_unit_test(truncation_is_noticed),     cmocka_unit_test(mutations_are_survived),
        cmocka_unit_test(crashers_stay_fixed),       cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(memory_limit_is_respected), cmocka_unit_test(every_dialect_can_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
