/* One job per file. Jobs run on several threads, each into buffers of its own, and are printed in the order of the files. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "system/process.h"

/* ---- Threads ---- */

typedef struct slot {
    job job;
    memory_stream out, err;
    bool done;
} slot;

typedef struct pool {
    slot *slots;
    size_t count, next;
    pthread_t *workers;
    unsigned started;
    job_function run;
    pthread_mutex_t mutex;
    pthread_cond_t finished;
} pool;

unsigned thread_count(const settings *s)
{
    char *end;
    unsigned cores = st_processors();
    if (!s->jobs)
        return cores > MOST_THREADS ? MOST_THREADS : cores;
    long wanted = strtol(s->jobs, &end, 10);
    return *end || wanted < 1 || wanted > MOST_THREADS ? 0 : (unsigned)wanted;
}

static int first_error; /* of standard output; only the main thread writes to it, or a job that is alone */

bool write_stdout(const void *data, size_t size)
{
    if (fwrite(data, 1, size, stdout) == size)
        return true;
    if (!first_error)
        first_error = errno ? errno : EIO;
    return false;
}

int stdout_error(void)
{
    return first_error;
}

static void run_slot(pool *p, slot *one)
{
    if (!st_memory_open(&one->out) || !st_memory_open(&one->err))
        or_die(NULL);
    one->job.out = one->out.file;
    one->job.err = one->err.file;
    if (!interrupted())
        p->run(&one->job);
    st_memory_close(&one->out);
    st_memory_close(&one->err);
}

static void *work(void *context)
{
    pool *p = context;
    pthread_mutex_lock(&p->mutex);
    while (p->next < p->count) {
        slot *one = &p->slots[p->next++];
        pthread_mutex_unlock(&p->mutex);
        run_slot(p, one);
        pthread_mutex_lock(&p->mutex);
        one->done = true;
        pthread_cond_signal(&p->finished);
    }
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

static void print_slot(slot *one)
{
    if (one->err.size)
        fflush(stdout); /* the two may be the same terminal */
    fwrite(one->err.data, 1, one->err.size, stderr);
    write_stdout(one->out.data, one->out.size);
    free(one->out.data);
    free(one->err.data);
}

enum { PATIENCE = 20 }; /* tenths of a second */

/* One thread was interrupted: so are the others now, should they wait for a pipe or a device. */
static void wake(pool *p)
{
    for (unsigned i = 0; i < p->started; i++)
        st_interrupt(p->workers[i], interrupted());
}

static void wait_for(pool *p, size_t index, progress *bar)
{
    struct timespec until;
    unsigned waited = 0;
    pthread_mutex_lock(&p->mutex);
    while (!p->slots[index].done) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&p->finished, &p->mutex, &until);
        if (interrupted())
            wake(p);
        if (interrupted() && ++waited > PATIENCE && !saving())
            _Exit(128 + interrupted()); /* a thread waits for a pipe or a device that says nothing */
        progress_show(bar, index, p->count, "files");
    }
    pthread_mutex_unlock(&p->mutex);
    progress_show(bar, index, p->count, "files");
}

static void run_threads(pool *p, unsigned threads, const settings *s)
{
    progress bar;
    progress_start(&bar, s);
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->finished, NULL);
    p->workers = or_die(calloc(threads, sizeof *p->workers));
    while (p->started < threads && pthread_create(&p->workers[p->started], NULL, work, p) == 0)
        p->started++;
    if (!p->started)
        work(p);
    for (size_t i = 0; i < p->count; i++) {
        wait_for(p, i, &bar);
        if (p->slots[i].out.size + p->slots[i].err.size)
            progress_clear(&bar);
        print_slot(&p->slots[i]);
    }
    progress_clear(&bar);
    for (unsigned i = 0; i < p->started; i++)
        pthread_join(p->workers[i], NULL);
    free(p->workers);
}

static void print_summary(const pool *p, const char *done)
{
    size_t codes[EXIT_UNSUPPORTED + 1] = {0};
    uint64_t errors = 0, warnings = 0;
    for (size_t i = 0; i < p->count; i++) {
        codes[p->slots[i].job.exit_code]++;
        errors += p->slots[i].job.errors;
        warnings += p->slots[i].job.warnings;
    }
    fflush(stdout);
    print_count(stderr, p->count);
    fprintf(stderr, " files: ");
    print_count(stderr, codes[EXIT_FINE]);
    fprintf(stderr, " %s", done);
    if (codes[EXIT_FINDINGS])
        fprintf(stderr, ", %zu with errors", codes[EXIT_FINDINGS]);
    if (codes[EXIT_IO])
        fprintf(stderr, ", %zu not readable or writable", codes[EXIT_IO]);
    if (codes[EXIT_USAGE] + codes[EXIT_UNSUPPORTED])
        fprintf(stderr, ", %zu unknown or unsupported", codes[EXIT_USAGE] + codes[EXIT_UNSUPPORTED]);
    fputs("; ", stderr);
    print_count(stderr, errors);
    fprintf(stderr, " error%s, ", errors == 1 ? "" : "s");
    print_count(stderr, warnings);
    fprintf(stderr, " warning%s\n", warnings == 1 ? "" : "s");
}

/* Straight to the streams: what one file gives may be large. */
static void run_alone(pool *p)
{
    job *j = &p->slots[0].job;
    j->out = stdout;
    j->err = stderr;
    errno = 0;
    p->run(j);
    if (ferror(stdout) && !first_error)
        first_error = errno ? errno : EIO;
}
static int check_operands(const settings *s, char **operands, size_t count)
{
    size_t from_stdin = s->files_from && strcmp(s->files_from, "-") == 0;
    for (size_t i = 0; i < count; i++)
        from_stdin += strcmp(operands[i], "-") == 0;
    if (from_stdin > 1)
        return usage_error("standard input can be read only once");
    if (s->base_dir && !from_stdin)
        return usage_error("--base-dir is for standard input: other files know their folder");
    if (s->base_dir && !is_folder(s->base_dir))
        return usage_error("--base-dir %s is no folder", s->base_dir);
    if (from_stdin && s->out_dir && !s->files_from)
        return usage_error("standard input has no name to write in %s under", s->out_dir);
    return 0;
}

int run_jobs(const settings *s, char **operands, size_t count, job_function run, const char *done)
{
    file_list list = {0};
    int error = check_operands(s, operands, count);
    if (error)
        return error;
    for (size_t i = 0; i < count; i++)
        add_operand(&list, s, operands[i]);
    if (s->files_from)
        add_listed(&list, s);
    if (s->to)
        drop_companions(&list);
    char *twice = s->out_dir ? name_twice(&list, s->to) : NULL;
    if (twice) {
        usage_error("two of the files would be written as %s/%s%s%s", s->out_dir, twice, s->to ? "." : "", s->to ? s->to : "");
        free(twice);
        return EXIT_USAGE;
    }
    pool p = {.slots = or_die(calloc(list.count + 1, sizeof *p.slots)), .count = list.count, .run = run};
    unsigned threads = thread_count(s);
    for (size_t i = 0; i < list.count; i++)
        p.slots[i].job = (job){.settings = s,
                               .path = list.entries[i].path,
                               .below = list.entries[i].path + list.entries[i].below,
                               .several = list.count > 1,
                               .index = i,
                               .count = list.count,
                               .threads = list.count == 1 ? threads : 1};
    if (list.count == 1)
        run_alone(&p);
    else if (list.count)
        run_threads(&p, threads < list.count ? threads : (unsigned)list.count, s);
    if (list.count > 1 && !s->quiet)
        print_summary(&p, done);
    if (!list.count && !list.exit_code)
        cannot_read(&list, count ? operands[0] : s->files_from, "there are no model files in it");
    for (size_t i = 0; i < list.count; i++) {
        if (p.slots[i].job.exit_code > list.exit_code)
            list.exit_code = p.slots[i].job.exit_code;
        free(list.entries[i].path);
    }
    free(list.entries);
    free(p.slots);
    return list.exit_code;
}
