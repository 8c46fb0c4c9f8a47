/* Writing glTF when memory ends: at every allocation of a conversion in turn. What is written is tested by test_gltf.py. */
#include "support.h"

typedef struct failing {
    long left; /* allocations that still succeed */
    uint64_t held;
} failing;

static void *allocate(void *user, size_t size)
{
    failing *f = user;
    if (f->left-- <= 0)
        return NULL;
    f->held += size;
    return malloc(size);
}

static void release(void *user, void *memory, size_t size)
{
    ((failing *)user)->held -= size;
    free(memory);
}

/* The bytes of a sample as glTF; none if memory did not suffice, which the status must say. */
static bytes converted(const char *sample, const char *format, failing *f)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/samples/dialects/%s", project_folder(), sample);
    stele_options options = {.allocator = {allocate, release, f}, .separate_allocations = true};
    stele_save_options save = {.format = format, .textures = STELE_TEXTURES_EMBED};
    stele_file *file = stele_open(path, &options);
    bytes out = rewritten(file, &save);
    if (!out.data)
        assert_int_equal(stele_file_status(file), STELE_NO_MEMORY);
    stele_close(file);
    assert_int_equal(f->held, 0);
    return out;
}

/* With one allocation less than it takes there is nothing, or the very same: a diagnostic may be all that was lost. */
static void fail_each_allocation(const char *sample, const char *format)
{
    failing all = {.left = 1000000};
    bytes whole = converted(sample, format, &all);
    long needed = 1000000 - all.left;
    assert_non_null(whole.data);
    assert_true(needed > 50);
    for (long i = 0; i < needed; i++) {
        failing f = {.left = i};
        bytes out = converted(sample, format, &f);
        if (out.data) {
            assert_int_equal(out.size, whole.size);
            assert_memory_equal(out.data, whole.data, whole.size);
        }
        free(out.data);
    }
    free(whole.data);
}

static void every_allocation_may_fail(void **state)
{
    static const char *const samples[] = {"v3.sgm", "v11.ctc", "C2.mesh", "2.0.glb", "uvs-missing.sff"};
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        fail_each_allocation(samples[i], "gltf");
    fail_each_allocation("v3.sgm", "glb");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
