/* One job per file. Jobs run on several threads, each into buffers of its own, and are printed in the order of the files. */
#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

/* ---- Which files ---- */

typedef struct entry {
    char *path;
    size_t below; /* where the part below the operand starts */
} entry;

typedef struct file_list {
    entry *entries;
    size_t count, capacity;
    bool imported; /* in folders, files that are only imported count too */
    int exit_code;
} file_list;

static void *or_die(void *memory)
{
    if (!memory) {
        fputs("stele: there is not enough memory\n", stderr);
        exit(EXIT_IO);
    }
    return memory;
}

static void add_file(file_list *list, const char *path, size_t below)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? list->capacity * 2 : 16;
        list->entries = or_die(realloc(list->entries, list->capacity * sizeof *list->entries));
    }
    list->entries[list->count++] = (entry){or_die(strdup(path)), below};
}

static void cannot_read(file_list *list, const char *path, const char *why)
{
    complain(stderr, "%s: %s", path, why);
    if (list->exit_code < EXIT_IO)
        list->exit_code = EXIT_IO;
}

static int visible(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

/* Regular files, in the order of their names, so that the output does not depend on the file system. Links to folders are not
 * followed: they can lead in circles. */
static void add_folder(file_list *list, const char *folder, size_t below)
{
    struct dirent **names;
    int count = scandir(folder, &names, visible, alphasort);
    if (count < 0) {
        cannot_read(list, folder, strerror(errno));
        return;
    }
    for (int i = 0; i < count; i++) {
        char *path;
        struct stat status;
        bool slash = folder[strlen(folder) - 1] == '/';
        if (asprintf(&path, "%s%s%s", folder, slash ? "" : "/", names[i]->d_name) < 0)
            or_die(NULL);
        bool folder_inside = lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
        if (folder_inside)
            add_folder(list, path, below);
        else if ((stele_format_of_name(path) || (list->imported && is_imported(path))) && stat(path, &status) == 0 &&
                 S_ISREG(status.st_mode))
            add_file(list, path, below);
        free(path);
        free(names[i]);
    }
    free(names);
}

static size_t length_of_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash + 1 - path) : 0;
}

static void add_operand(file_list *list, const settings *s, const char *path)
{
    struct stat status;
    if (strcmp(path, "-") == 0 || stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) {
        add_file(list, path, length_of_folder(path));
    } else if (s->recursive) {
        size_t length = strlen(path);
        add_folder(list, path, length + (path[length - 1] != '/'));
    } else {
        cannot_read(list, path, "is a folder; use -r to go into it");
    }
}

/* ---- Threads ---- */

enum { MOST_THREADS = 256 };

typedef struct slot {
    job job;
    char *out, *err;
    size_t out_size, err_size;
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
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (!s->jobs)
        return cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : (unsigned)cores;
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
    one->job.out = or_die(open_memstream(&one->out, &one->out_size));
    one->job.err = or_die(open_memstream(&one->err, &one->err_size));
    if (!interrupted())
        p->run(&one->job);
    fclose(one->job.out);
    fclose(one->job.err);
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
    if (one->err_size)
        fflush(stdout); /* the two may be the same terminal */
    fwrite(one->err, 1, one->err_size, stderr);
    write_stdout(one->out, one->out_size);
    free(one->out);
    free(one->err);
}

enum { PATIENCE = 20 }; /* tenths of a second */

/* One thread was interrupted: so are the others now, should they wait for a pipe or a device. */
static void wake(pool *p)
{
    for (unsigned i = 0; i < p->started; i++)
        pthread_kill(p->workers[i], interrupted());
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
            _exit(128 + interrupted()); /* a thread waits for a pipe or a device that says nothing */
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
        if (p->slots[i].out_size + p->slots[i].err_size)
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

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t length_of_stem(const char *path)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    return dot && (!slash || dot > slash + 1) ? (size_t)(dot - path) : strlen(path);
}

static bool lists(const char *words, const char *word, size_t length)
{
    for (; words && *words; words += strspn(words, " ")) {
        size_t size = strcspn(words, " ");
        if (size == length && strncmp(words, word, length) == 0)
            return true;
        words += size;
    }
    return false;
}

static bool goes_with(const stele_format_info *format, const stele_format_info *model)
{
    for (const char *word = format->extensions; *word; word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");
        if (lists(model->companions, word, length))
            return true;
        word += length;
    }
    return false;
}

bool goes_with_others(const stele_format_info *format)
{
    const stele_format_info *model;
    for (size_t i = 0; (model = stele_format_at(i)); i++)
        if (goes_with(format, model))
            return true;
    return false;
}

/* The animation of a model that is converted too goes with it: it is no model of its own. */
static bool is_companion_of(const char *path, const char *model)
{
    const stele_format_info *format = stele_format_of_name(path), *other = stele_format_of_name(model);
    size_t stem = length_of_stem(path);
    return format && other && length_of_stem(model) == stem && strncmp(path, model, stem) == 0 && goes_with(format, other);
}

/* Files of one name follow each other. */
static bool is_companion(const file_list *list, size_t index)
{
    const char *path = list->entries[index].path;
    const stele_format_info *format = stele_format_of_name(path);
    size_t stem = length_of_stem(path), first = index, end = index;
    if (!format || !goes_with_others(format))
        return false;
    while (first > 0 && strncmp(list->entries[first - 1].path, path, stem) == 0)
        first--;
    while (end < list->count && strncmp(list->entries[end].path, path, stem) == 0)
        end++;
    for (size_t i = first; i < end; i++)
        if (is_companion_of(path, list->entries[i].path))
            return true;
    return false;
}

static void drop_companions(file_list *list)
{
    size_t kept = 0;
    bool *dropped = or_die(calloc(list->count + 1, sizeof *dropped));
    for (size_t i = 0; i < list->count; i++)
        dropped[i] = is_companion(list, i);
    for (size_t i = 0; i < list->count; i++)
        if (dropped[i])
            free(list->entries[i].path);
        else
            list->entries[kept++] = list->entries[i];
    list->count = kept;
    free(dropped);
}

/* Two files of one name would overwrite each other in one folder: that name, to be freed, or NULL. */
static char *name_twice(const file_list *list, bool by_stem)
{
    char *twice = NULL, **names = or_die(calloc(list->count + 1, sizeof *names));
    for (size_t i = 0; i < list->count; i++) {
        const char *name = list->entries[i].path + list->entries[i].below;
        names[i] = or_die(strndup(name, by_stem ? length_of_stem(name) : strlen(name)));
    }
    qsort(names, list->count, sizeof *names, compare_strings);
    for (size_t i = 1; i < list->count && !twice; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            twice = or_die(strdup(names[i]));
    for (size_t i = 0; i < list->count; i++)
        free(names[i]);
    free(names);
    return twice;
}

static int check_operands(const settings *s, char **operands, size_t count)
{
    size_t from_stdin = 0;
    for (size_t i = 0; i < count; i++)
        from_stdin += strcmp(operands[i], "-") == 0;
    if (from_stdin > 1)
        return usage_error("standard input can be read only once");
    if (from_stdin && s->out_dir)
        return usage_error("standard input has no name to write in %s under", s->out_dir);
    return 0;
}

int run_jobs(const settings *s, char **operands, size_t count, job_function run, const char *done)
{
    file_list list = {.imported = s->import};
    int error = check_operands(s, operands, count);
    if (error)
        return error;
    for (size_t i = 0; i < count; i++)
        add_operand(&list, s, operands[i]);
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
        cannot_read(&list, operands[0], "there are no model files in it");
    for (size_t i = 0; i < list.count; i++) {
        if (p.slots[i].job.exit_code > list.exit_code)
            list.exit_code = p.slots[i].job.exit_code;
        free(list.entries[i].path);
    }
    free(list.entries);
    free(p.slots);
    return list.exit_code;
}

/* ---- Several threads for one file ---- */

typedef struct team {
    stele_task task;
    void *context;
    size_t count;
    size_t next;
    pthread_mutex_t mutex;
} team;

static void work_with(team *t, progress *bar)
{
    for (;;) {
        pthread_mutex_lock(&t->mutex);
        size_t index = t->next++;
        pthread_mutex_unlock(&t->mutex);
        if (index >= t->count)
            return;
        t->task(t->context, index);
        if (bar)
            progress_show(bar, index, t->count, "parts of a mesh");
    }
}

static void *help_out(void *context)
{
    work_with(context, NULL);
    return NULL;
}

static void run_parallel(void *user, size_t count, stele_task task, void *context)
{
    job *j = user;
    team t = {.task = task, .context = context, .count = count};
    pthread_t helpers[MOST_THREADS];
    unsigned started = 0, wanted = j->threads - 1;
    pthread_mutex_init(&t.mutex, NULL);
    while (started < wanted && started + 1 < count && pthread_create(&helpers[started], NULL, help_out, &t) == 0)
        started++;
    work_with(&t, &j->bar);
    progress_clear(&j->bar);
    for (unsigned i = 0; i < started; i++)
        pthread_join(helpers[i], NULL);
    pthread_mutex_destroy(&t.mutex);
}

/* ---- Opening a job's file ---- */

static size_t read_stdin(void *user, void *buffer, size_t size)
{
    (void)user;
    ssize_t n;
    do
        n = read(STDIN_FILENO, buffer, size);
    while (n < 0 && errno == EINTR && !interrupted());
    return n < 0 ? SIZE_MAX : (size_t)n;
}

int exit_code_of(stele_status status)
{
    switch (status) {
    case STELE_OK: return EXIT_FINE;
    case STELE_DAMAGED:
    case STELE_DIFFERENT:
    case STELE_LOSSY: return EXIT_FINDINGS;
    case STELE_USAGE: return EXIT_USAGE;
    case STELE_UNSUPPORTED: return EXIT_UNSUPPORTED;
    default: return EXIT_IO;
    }
}

/* Generous for any real file; what a pipe or a device gives has no size to go by. */
static uint64_t default_limit(const char *path)
{
    const uint64_t gigabyte = 1u << 30;
    struct stat status;
    bool regular = stat(path, &status) == 0 && S_ISREG(status.st_mode);
    return regular ? gigabyte + 64 * (uint64_t)status.st_size : 8 * gigabyte;
}

static stele_file *open_file(const job *j, const stele_options *options)
{
    const settings *s = j->settings;
    stele_options in_memory = *options;
    in_memory.beside = in_memory.name = j->path;
    if (strcmp(j->path, "-") == 0)
        return stele_open_callback(read_stdin, NULL, options);
    if (s->only_import)
        return stele_open_memory("", 0, options); /* nobody looks into it here */
    return s->content ? stele_open_memory(s->content, s->content_size, &in_memory) : stele_open(j->path, options);
}

stele_file *open_job(job *j, stele_check_level level)
{
    const settings *s = j->settings;
    stele_options options = {.format = s->format,
                             .check = level,
                             .target = s->target,
                             .rules = s->rules,
                             .rule_count = s->rule_count,
                             .read_file = s->read_file,
                             .load = {.no_repair = s->no_repair,
                                      .allow_outside = s->allow_outside,
                                      .choices = s->choices,
                                      .choice_count = s->choice_count}};
    if (s->fps)
        parse_positive(s->fps, &options.load.fps);
    options.memory_limit = default_limit(j->path);
    if (s->memory_limit)
        parse_bytes(s->memory_limit, &options.memory_limit);
    if (j->threads > 1) {
        progress_start(&j->bar, s);
        options.parallel = run_parallel;
        options.parallel_user = j;
    }
    stele_file *file = open_file(j, &options);
    if (!s->no_import && is_to_be_imported(j, &options, file))
        file = import_file(j, &options, file);
    stele_status status = stele_file_status(file);
    j->exit_code = exit_code_of(status);
    if (status == STELE_USAGE || status == STELE_NO_MEMORY)
        complain(j->err, "%s: %s", j->path, stele_file_message(file));
    if (status == STELE_USAGE || !file) {
        stele_close(file);
        free_imported(j->imported);
        j->imported = NULL;
        return NULL;
    }
    return file;
}

void report_findings(job *j, const stele_file *file)
{
    size_t count;
    const stele_diagnostic *d = stele_file_diagnostics(file, &count);
    fflush(j->out); /* the two may be the same terminal */
    for (size_t i = 0; i < count; i++) {
        j->errors += d[i].severity == STELE_ERROR;
        j->warnings += d[i].severity == STELE_WARNING || d[i].severity == STELE_LOSS;
        if (!j->settings->json && show_diagnostic(j->settings, &d[i]))
            print_diagnostic(j->err, colored_stderr(), j->path, &d[i]);
    }
}

static void complain_about_clip(job *j, const stele_model *model, const char *name, size_t length)
{
    complain(j->err, "%s: there is no clip '%.*s'%s", j->path, (int)length, name, model->clip_count ? "; there are:" : "");
    for (size_t i = 0; i < model->clip_count; i++)
        complain(j->err, "  %zu  %s", i, model->clips[i].name ? model->clips[i].name : "");
}

uint32_t find_clip(job *j, const stele_model *model, const char *name, size_t length)
{
    char *end;
    for (uint32_t i = 0; i < model->clip_count; i++)
        if (model->clips[i].name && strlen(model->clips[i].name) == length && strncmp(model->clips[i].name, name, length) == 0)
            return i;
    unsigned long number = strtoul(name, &end, 10);
    if (length && name[0] != '-' && end == name + length && number < model->clip_count)
        return (uint32_t)number;
    complain_about_clip(j, model, name, length);
    return STELE_NONE;
}

const char *opening_error(const stele_file *file)
{
    return stele_open_status(file) == STELE_OK ? NULL : stele_open_message(file);
}

const char *last_error(const stele_file *file)
{
    return stele_file_status(file) == STELE_OK ? NULL : stele_file_message(file);
}

const char *hint_for(stele_status status)
{
    return status == STELE_EXISTS ? "; use -f to replace it" : "";
}

void close_job(job *j, stele_file *file)
{
    if (stele_file_changed(file)) {
        complain(j->err, "%s: the file changed while it was read", j->path);
        j->exit_code = EXIT_IO;
    }
    stele_close(file);
    free_imported(j->imported);
    j->imported = NULL;
}
