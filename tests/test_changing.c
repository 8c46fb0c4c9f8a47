/* Files that change while they are read. Whatever is made of them may be wrong, but nothing leaves the bytes that there are.
 *
 * Two ways to change them, each for STELE_SECONDS (2) a format:
 * - a second thread keeps changing the bytes;
 * - where the processor can be stepped, each single access may see other bytes than the one before, so that no two reads of the
 *   same place agree by luck. The bytes are out of reach; who reads them is let in for one instruction. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "file/diag.h"
#include "uses.h"

#if defined(__linux__) && defined(__x86_64__)
#include <ucontext.h>
#define CAN_STEP 1
#else
#define CAN_STEP 0
#endif

/* ---- Files in memory that ends with them ---- */

typedef struct sample {
    char name[64];
    uint8_t *pages, *data;
    size_t room, size; /* of the pages, of the data in their end; a page follows that nobody may touch */
    uint8_t *original;
} sample;

enum { MOST_SAMPLES = 128 };
static sample samples[MOST_SAMPLES];
static size_t sample_count;
static size_t page;

static void take_sample(const char *path, const bytes *content)
{
    sample *s = &samples[sample_count++];
    assert_true(sample_count < MOST_SAMPLES);
    page = (size_t)sysconf(_SC_PAGESIZE);
    snprintf(s->name, sizeof s->name, "%s", strrchr(path, '/') + 1);
    s->size = content->size;
    s->room = (content->size + page - 1) / page * page;
    s->pages = mmap(NULL, s->room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(s->pages != MAP_FAILED);
    assert_int_equal(mprotect(s->pages + s->room, page, PROT_NONE), 0);
    s->data = s->pages + s->room - s->size;
    s->original = copy_bytes(content->data, content->size).data;
    memcpy(s->data, s->original, s->size);
}

static void take_picture(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/samples/dialects/%s", project_folder(), name);
    bytes content = read_bytes(path);
    take_sample(path, &content);
    free(content.data);
}

static int take_samples(void **state)
{
    char path[1024];
    (void)state;
    snprintf(path, sizeof path, "%s/samples/dialects", project_folder());
    for_each_file(path, take_sample);
    snprintf(path, sizeof path, "%s/samples/gaps", project_folder());
    for_each_file(path, take_sample);
    take_picture("plain.mtl");
    take_picture("scribe.png");
    take_picture("scribe_n.png");
    take_picture("scribe_light.png");
    return 0;
}

static void restore(sample *s)
{
    memcpy(s->data, s->original, s->size);
}

static bool find_sample(void *user, const char *name, const void **data, size_t *size)
{
    (void)user;
    for (size_t i = 0; i < sample_count; i++)
        if (strcmp(samples[i].name, name) == 0) {
            if (data) {
                *data = samples[i].data;
                *size = samples[i].size;
            }
            return true;
        }
    return false;
}

/* In one of several ways, by a number. */
static stele_file *open_sample(const sample *s, uint64_t way)
{
    static const stele_check_level levels[] = {STELE_CHECK_FULL, STELE_CHECK_SAFE, STELE_CHECK_STRUCTURE};
    stele_options options = {.name = s->name,
                             .check = levels[way % 3],
                             .load = {.no_repair = way / 3 % 2},
                             .lookup = find_sample,
                             .memory_limit = 1 << 28,
                             .separate_allocations = true};
    return stele_open_memory(s->data, s->size, &options);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Whoever reports crashes: a sanitizer, or nobody. The framework would only say that there was one. */
static struct sigaction reporter;

static void report_crashes(void)
{
    sigaction(SIGSEGV, &reporter, NULL);
    sigaction(SIGBUS, &reporter, NULL);
    sigaction(SIGILL, &reporter, NULL);
}

static double seconds_each(void)
{
    const char *given = getenv("STELE_SECONDS");
    return given ? atof(given) : 2;
}

/* ---- Other bytes ---- */

static uint32_t random_of(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Some bytes, at most eight, that are likely to be believed: counts, indices, offsets, and the signs of texts. */
static size_t other_bytes(uint64_t *state, uint8_t bytes[8])
{
    static const char signs[] = "\",:{}[] 09-.e\\/\nvfu#";
    size_t count = (size_t)1 << random_of(state) % 4;
    switch (random_of(state) % 6) {
    case 0: memset(bytes, 0xff, 8); break;
    case 1: memset(bytes, 0, 8); break;
    case 2: memset(bytes, signs[random_of(state) % (sizeof signs - 1)], 8); break;
    case 3:
        memset(bytes, 0, 8);
        bytes[0] = (uint8_t)random_of(state);
        break;
    case 4:
        memset(bytes, 0, 8);
        bytes[random_of(state) % count] = 0x7f;
        break;
    default:
        for (int i = 0; i < 8; i++)
            bytes[i] = (uint8_t)random_of(state);
    }
    return count;
}

static void change(sample *s, size_t at, uint64_t *state)
{
    uint8_t bytes[8];
    size_t count = other_bytes(state, bytes);
    count = s->size - at < count ? s->size - at : count;
    for (size_t i = 0; i < count; i++)
        ((volatile uint8_t *)s->data)[at + i] = bytes[i];
}

/* ---- By a second thread ---- */

static atomic_bool stop;

__attribute__((no_sanitize("thread"))) static void *keep_changing(void *user)
{
    sample *s = user;
    uint64_t random = s->size;
    while (!atomic_load(&stop)) {
        size_t at = random_of(&random) % s->size;
        unsigned rest = random_of(&random) % 4096;
        change(s, at, &random);
        for (volatile unsigned i = 0; i < rest; i++) {
        }
        for (size_t i = at; i < s->size && i < at + 8; i++)
            ((volatile uint8_t *)s->data)[i] = s->original[i];
    }
    return NULL;
}

static void use_while_changing(sample *s, double seconds, uint64_t *uses)
{
    pthread_t thread;
    double end = now() + seconds;
    atomic_store(&stop, false);
    assert_int_equal(pthread_create(&thread, NULL, keep_changing, s), 0);
    do
        for (size_t use = 0; use < use_count(); use++) {
            stele_file *file = open_sample(s, *uses / use_count());
            use_file(file, use);
            stele_close(file);
            ++*uses;
        }
    while (now() < end);
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
    restore(s);
}

/* ---- At every access ---- */

#if CAN_STEP

enum { TRAP_FLAG = 0x100 };
static struct {
    sample *of;     /* whose bytes are seen for one instruction */
    size_t changed; /* where they were changed */
    bool lasts;     /* they stay so */
    uint64_t random;
    uint32_t one_in; /* so many accesses are changed */
    uint64_t accesses, changes;
} step;
static sample *sample_at(const uint8_t *address)
{
    for (size_t i = 0; i < sample_count; i++)
        if (address >= samples[i].pages && address < samples[i].pages + samples[i].room)
            return &samples[i];
    return NULL;
}

static void let_in(int signal, siginfo_t *info, void *context)
{
    ucontext_t *c = context;
    sample *s = sample_at(info->si_addr);
    (void)signal;
    if (!s || step.of) {
        report_crashes(); /* what is no access to a sample happens again */
        return;
    }
    mprotect(s->pages, s->room, PROT_READ | PROT_WRITE);
    step.of = s;
    step.changed = SIZE_MAX;
    step.accesses++;
    size_t at = (const uint8_t *)info->si_addr < s->data ? 0 : (size_t)((const uint8_t *)info->si_addr - s->data);
    if (random_of(&step.random) % step.one_in == 0) {
        change(s, at, &step.random);
        step.changed = at;
        step.lasts = random_of(&step.random) % 16 == 0;
        step.changes++;
    }
    c->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void shut_out(int signal, siginfo_t *info, void *context)
{
    ucontext_t *c = context;
    sample *s = step.of;
    (void)signal;
    (void)info;
    c->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    if (!s)
        return;
    for (size_t i = step.changed; !step.lasts && i < s->size && i < step.changed + 8; i++)
        s->data[i] = s->original[i];
    step.of = NULL;
    mprotect(s->pages, s->room, PROT_NONE);
}

static void watch(bool on)
{
    struct sigaction in = {.sa_sigaction = let_in, .sa_flags = SA_SIGINFO | SA_NODEFER};
    struct sigaction out = {.sa_sigaction = shut_out, .sa_flags = SA_SIGINFO | SA_NODEFER};
    if (on) {
        sigaction(SIGSEGV, &in, NULL);
        sigaction(SIGTRAP, &out, NULL);
    } else {
        report_crashes();
    }
    for (size_t i = 0; i < sample_count; i++)
        mprotect(samples[i].pages, samples[i].room, on ? PROT_NONE : PROT_READ | PROT_WRITE);
}

/* Opening is one of the uses: then the file is seen changing from the first byte on, and otherwise after it was found sound. */
static void use_stepping(sample *s, size_t use, uint32_t one_in, uint64_t way)
{
    bool opening = use == use_count();
    stele_file *file = NULL;
    step.one_in = one_in;
    if (opening)
        watch(true);
    file = open_sample(s, way);
    if (!opening)
        watch(true);
    if (getenv("STELE_VERBOSE"))
        fprintf(stderr, "%s, %s, 1 in %u\n", s->name, opening ? "open" : use_name(use), one_in);
    use_file(file, opening ? step.accesses % use_count() : use);
    watch(false);
    stele_close(file);
    for (size_t i = 0; i < sample_count; i++)
        restore(&samples[i]);
}

static void use_changing_steps(sample *s, double seconds, uint64_t *uses)
{
    static const uint32_t rates[] = {2, 16, 128, 1024};
    double end = now() + seconds;
    do {
        uint64_t round = *uses / (use_count() + 1);
        use_stepping(s, *uses % (use_count() + 1), rates[round % 4], round / 4);
        ++*uses;
    } while (now() < end);
}

#endif

/* ---- All formats ---- */

static size_t samples_of(const stele_format_info *format, sample *of[MOST_SAMPLES])
{
    size_t count = 0;
    for (size_t i = 0; i < sample_count; i++)
        if (stele_format_of_name(samples[i].name) == format)
            of[count++] = &samples[i];
    return count;
}

typedef void (*use_for)(sample *s, double seconds, uint64_t *uses);

static void for_all_formats(use_for use)
{
    const stele_format_info *format;
    const char *only = getenv("STELE_FORMAT");
    report_crashes();
    for (size_t i = 0; (format = stele_format_at(i)); i++) {
        sample *of[MOST_SAMPLES];
        size_t count = samples_of(format, of);
        uint64_t uses = 0;
        assert_true(count > 0);
        if (only && strcmp(only, format->name) != 0)
            continue;
        for (size_t k = 0; k < count; k++)
            use(of[k], seconds_each() / (double)count, &uses);
        printf("# %s: %llu uses\n", format->name, (unsigned long long)uses);
    }
}

static void a_thread_changes_bytes(void **state)
{
    (void)state;
    for_all_formats(use_while_changing);
}

static void every_access_sees_other_bytes(void **state)
{
    (void)state;
#if CAN_STEP
    for_all_formats(use_changing_steps);
    printf("# %llu accesses, %llu changed\n", (unsigned long long)step.accesses, (unsigned long long)step.changes);
    assert_true(step.changes > 0);
#else
    skip();
#endif
}

int main(void)
{
    st_bytes_change = true;
    sigaction(SIGSEGV, NULL, &reporter);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_access_sees_other_bytes),
        cmocka_unit_test(a_thread_changes_bytes),
    };
    return cmocka_run_group_tests(tests, take_samples, NULL);
}
