/* Memory that ends: each allocation of everything that can be done with a file fails once. Which file it is hardly matters for
 * that, but its format does: of each one sample. STELE_SWEEP=all takes all samples and each allocation;
 * otherwise there are some, others in each use, so that the time is bearable. */
#include "uses.h"

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
    failing *f = user;
    f->held -= size;
    free(memory);
}

static bool ended_for_lack(stele_status status)
{
    return status == STELE_NO_MEMORY;
}

/* Opens and uses a file with so many allocations; returns how many were made. */
static long use_with(const char *path, size_t use, stele_check_level level, long allocations, bool *enough)
{
    failing f = {.left = allocations};
    stele_options options = {.allocator = {allocate, release, &f}, .check = level, .separate_allocations = true};
    stele_file *file = stele_open(path, &options);
    stele_status status = stele_file_status(file);
    if (stele_file_dialect(file) && !ended_for_lack(status))
        status = use_file(file, use);
    *enough = !ended_for_lack(status);
    stele_close(file);
    assert_int_equal(f.held, 0);
    return allocations - (f.left > 0 ? f.left : 0);
}

static bool is_thorough(void)
{
    const char *given = getenv("STELE_SWEEP");
    return given && strcmp(given, "all") == 0;
}

enum { PLENTY = 100000000, SOME = 100 };
static uint64_t tried;

static void fail_each(const char *path, size_t use, stele_check_level level)
{
    bool enough;
    long needed = use_with(path, use, level, PLENTY, &enough);
    long step = is_thorough() || needed <= SOME ? 1 : needed / SOME;
    for (long i = (long)use % step; i < needed; i += step) {
        use_with(path, use, level, i, &enough);
        tried++;
    }
    /* what is said to be enough is so */
    use_with(path, use, level, needed, &enough);
    if (!enough)
        fail_msg("%s, %s: %ld allocations are not enough the second time", path, use_name(use), needed);
}

/* The formats of which there was a sample. */
static const char *seen[32];

static void sweep_sample(const char *path, const bytes *content)
{
    enum { SMALL = 20000 };
    const stele_format_info *format = stele_format_of_name(path);
    size_t at = 0;
    while (stele_format_at(at) != format)
        at++;
    if (content->size > SMALL || (seen[at] && !is_thorough()))
        return;
    seen[at] = format->name;
    for (size_t use = 0; use < use_count(); use++) {
        fail_each(path, use, STELE_CHECK_FULL);
        fail_each(path, use, STELE_CHECK_STRUCTURE); /* what opening has not looked into is looked into later */
    }
}

static void every_allocation_may_fail(void **state)
{
    char samples[1024];
    (void)state;
    snprintf(samples, sizeof samples, "%s/samples/dialects", project_folder());
    for_each_file(samples, sweep_sample);
    for (size_t i = 0; stele_format_at(i); i++)
        if (!seen[i])
            fail_msg("%s has no sample", stele_format_at(i)->name);
    printf("# %llu allocations failed\n", (unsigned long long)tried);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
