/* One job per file. Jobs run on several threads, each into buffers of its own, and are printed in the order of the files. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "system/process.h"

typedef struct slot {
    job job;
    memory_stream out, err;
    bool done;
} slot;

typedef struct pool {
    slot *slots;
    size_t count, next, finished_count;
    pthread_t *workers;
    unsigned started;
    job_function run;
    const char *done, *found; /* what a finished file is, and one with findings */
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

/* ---- What became of a file ---- */

static void write_document(job *j)
{
    json out;
    json_begin_job(&out, j);
    json_end_job(&out, j, NULL);
}

static void refuse_rivals(job *j, const char *done)
{
    char *output = path_in_folder(j->settings->out_dir, j->below, extension_of(j->settings));
    if (strcmp(j->entry->rival, j->path) == 0)
        job_fails(j, "not %s: it is given twice", done);
    else
        job_fails(j, "not %s: %s would be written as %s too", done, j->entry->rival, output ? output : "the same");
    free(output);
    j->exit_code = EXIT_USAGE;
    j->outcome = OUTCOME_CLASH;
}

static void skip(job *j)
{
    j->outcome = OUTCOME_SKIPPED;
    if (!j->settings->verbose || j->settings->json)
        return;
    print_safe(j->err, j->path, strlen(j->path));
    fprintf(j->err, ": is %s already\n", j->settings->to);
}

/* Every file gets a document, whatever becomes of it. */
static void run_job(pool *p, job *j)
{
    if (j->entry->problem) {
        job_fails(j, "%s", j->entry->problem);
        j->exit_code = EXIT_IO;
    } else if (j->entry->rival) {
        refuse_rivals(j, p->done);
    } else if (is_skipped(j->entry, j->settings)) {
        skip(j);
    } else {
        p->run(j);
    }
    if (j->settings->json && !j->documented && j->exit_code != EXIT_TO_BE_IMPORTED)
        write_document(j);
}

/* ---- Threads ---- */

static void run_slot(pool *p, slot *one)
{
    if (!st_memory_open(&one->out) || !st_memory_open(&one->err))
        or_die(NULL);
    one->job.out = one->out.file;
    one->job.err = one->err.file;
    run_job(p, &one->job);
    st_memory_close(&one->out);
    st_memory_close(&one->err);
}

static void *work(void *context)
{
    pool *p = context;
    pthread_mutex_lock(&p->mutex);
    while (p->next < p->count && !interrupted()) {
        slot *one = &p->slots[p->next++];
        pthread_mutex_unlock(&p->mutex);
        run_slot(p, one);
        pthread_mutex_lock(&p->mutex);
        one->done = true;
        p->finished_count++;
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

/* For a tenth of a second or until something happens. */
static void wait_a_little(pool *p)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&p->finished, &p->mutex, &until);
}

/* False if it was interrupted before. */
static bool wait_for(pool *p, size_t index, progress *bar)
{
    pthread_mutex_lock(&p->mutex);
    while (!p->slots[index].done && !interrupted()) {
        wait_a_little(p);
        progress_show(bar, p->finished_count, p->count, "files");
    }
    bool done = p->slots[index].done;
    size_t finished = p->finished_count;
    pthread_mutex_unlock(&p->mutex);
    progress_show(bar, finished, p->count, "files");
    return done;
}

static void print_rest(pool *p, size_t first)
{
    for (size_t i = first; i < p->count; i++) {
        job *j = &p->slots[i].job;
        if (p->slots[i].done) {
            print_slot(&p->slots[i]);
        } else if (j->settings->json) { /* its streams belong to a thread that may still be at it */
            job stopped = {.settings = j->settings, .path = j->path, .outcome = OUTCOME_STOPPED};
            stopped.out = stdout;
            stopped.err = stderr;
            stopped.several = true;
            write_document(&stopped);
        }
    }
}

/* Whoever saves ends that, and nobody begins to: then all that is finished is printed, and what is not needs no waiting for. */
static void stop(pool *p, size_t printed, progress *bar)
{
    pthread_mutex_lock(&p->mutex);
    do {
        for (unsigned i = 0; i < p->started; i++)
            st_interrupt(p->workers[i], interrupted()); /* it may wait for a pipe or a device */
        wait_a_little(p);
    } while (!no_more_saves());
    wait_a_little(p); /* for those that have saved, and only have to say so */
    progress_clear(bar);
    print_rest(p, printed);
    size_t complete = 0;
    for (size_t i = 0; i < p->count; i++)
        complete += p->slots[i].done && p->slots[i].job.outcome != OUTCOME_STOPPED;
    print_stopped(complete, p->count);
    fflush(stdout);
    fflush(stderr);
    _Exit(EXIT_SIGNAL + interrupted());
}

static void run_threads(pool *p, unsigned threads, const settings *s)
{
    progress bar;
    progress_start(&bar, s);
    stop_at_once(false); /* what is finished shall be printed */
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->finished, NULL);
    p->workers = or_die(calloc(threads, sizeof *p->workers));
    while (p->started < threads && pthread_create(&p->workers[p->started], NULL, work, p) == 0)
        p->started++;
    if (!p->started)
        work(p);
    for (size_t i = 0; i < p->count; i++) {
        if (!wait_for(p, i, &bar))
            stop(p, i, &bar);
        if (p->slots[i].out.size + p->slots[i].err.size)
            progress_clear(&bar);
        print_slot(&p->slots[i]);
    }
    if (interrupted()) /* the last ones may have been left for that */
        stop(p, p->count, &bar);
    progress_clear(&bar);
    for (unsigned i = 0; i < p->started; i++)
        pthread_join(p->workers[i], NULL);
    free(p->workers);
}

static void count_of(size_t count, const char *what, const char *more)
{
    if (!count)
        return;
    fputs(", ", stderr);
    print_count(stderr, count);
    fprintf(stderr, " %s%s", what, more);
}

static void print_summary(const pool *p, const settings *s)
{
    size_t codes[EXIT_UNSUPPORTED + 1] = {0}, outcomes[OUTCOME_COUNT] = {0};
    uint64_t errors = 0, warnings = 0;
    for (size_t i = 0; i < p->count; i++) {
        const job *j = &p->slots[i].job;
        outcomes[j->outcome]++;
        codes[j->exit_code] += j->outcome == OUTCOME_BY_CODE;
        errors += j->errors;
        warnings += j->warnings;
    }
    fflush(stdout);
    print_count(stderr, p->count);
    fputs(" files: ", stderr);
    print_count(stderr, codes[EXIT_FINE]);
    fprintf(stderr, " %s", p->done);
    count_of(outcomes[OUTCOME_CURRENT], "up to date", "");
    count_of(outcomes[OUTCOME_SKIPPED], s->to ? s->to : "", " already");
    count_of(codes[EXIT_FINDINGS], p->found, "");
    count_of(outcomes[OUTCOME_EXISTS], "there already", " (-f replaces them, --update those that are older)");
    count_of(outcomes[OUTCOME_CLASH], "that would overwrite another", "");
    count_of(codes[EXIT_IO], "not readable or writable", "");
    count_of(codes[EXIT_USAGE], "not possible as asked", "");
    count_of(codes[EXIT_UNSUPPORTED], "unknown or unsupported", "");
    if (errors + warnings) {
        fputs("; ", stderr);
        print_count(stderr, errors);
        fprintf(stderr, " error%s, ", errors == 1 ? "" : "s");
        print_count(stderr, warnings);
        fprintf(stderr, " warning%s", warnings == 1 ? "" : "s");
    }
    fputc('\n', stderr);
}

/* Straight to the streams: what one file gives may be large. */
static void run_alone(pool *p)
{
    job *j = &p->slots[0].job;
    j->out = stdout;
    j->err = stderr;
    if (!in_child())
        prepare_to_be_stopped(j->settings, j->path);
    errno = 0;
    run_job(p, j);
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

int run_list(const settings *s, file_list *list, job_function run, const char *done, const char *found)
{
    pool p = {
        .slots = or_die(calloc(list->count, sizeof *p.slots)), .count = list->count, .run = run, .done = done, .found = found};
    unsigned threads = thread_count(s);
    for (size_t i = 0; i < list->count; i++)
        p.slots[i].job = (job){.settings = s,
                               .path = list->entries[i].path,
                               .below = list->entries[i].path + list->entries[i].below,
                               .entry = &list->entries[i],
                               .several = list->count > 1,
                               .index = i,
                               .count = list->count,
                               .threads = list->count == 1 ? threads : 1};
    if (list->count == 1)
        run_alone(&p);
    else
        run_threads(&p, threads < list->count ? threads : (unsigned)list->count, s);
    if (list->count > 1 && !s->quiet)
        print_summary(&p, s);
    stop_at_once(true);
    int worst = EXIT_FINE;
    for (size_t i = 0; i < list->count; i++)
        if (p.slots[i].job.exit_code > worst)
            worst = p.slots[i].job.exit_code;
    free_list(list);
    free(p.slots);
    return worst;
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
    if (s->to || s->rewrites)
        drop_companions(&list);
    if (s->out_dir)
        find_rivals(&list, s);
    if (!list.count)
        add_problem(&list, count ? operands[0] : s->files_from, "there are no model files in it");
    return run_list(s, &list, run, done, "with errors");
}
