/* Opening the file of a job, and what there is to say about it. */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "system/files.h"
#include "system/process.h"

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

void run_parallel(void *user, size_t count, stele_task task, void *context)
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
    size_t n;
    do
        n = st_fd_read(STANDARD_INPUT, buffer, size);
    while (n == SIZE_MAX && errno == EINTR && !interrupted());
    return n;
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

/* As the library has it, but that 0 is none. */
static uint64_t limit_of(const char *given)
{
    uint64_t limit = 0;
    return !given ? 0 : parse_bytes(given, &limit) && limit ? limit : UINT64_MAX;
}

static stele_file *open_file(const job *j, const stele_options *options)
{
    const settings *s = j->settings;
    bool piped = strcmp(j->path, "-") == 0;
    char *beside = piped && s->base_dir ? path_in_folder(s->base_dir, "-", NULL) : NULL;
    stele_options in_memory = *options;
    stele_file *file;
    in_memory.beside = piped ? beside : j->path;
    in_memory.name = piped ? options->name : j->path;
    if (s->only_import && !piped)
        file = stele_open_memory("", 0, options); /* nobody looks into it here */
    else if (s->content)
        file = stele_open_memory(s->content, s->content_size, &in_memory);
    else if (piped)
        file = stele_open_callback(read_stdin, NULL, &in_memory);
    else
        file = stele_open(j->path, options);
    free(beside);
    return file;
}

stele_options opening_options(const settings *s)
{
    stele_options options = {.memory_limit = limit_of(s->memory_limit),
                             .work_limit = limit_of(s->work_limit),
                             .format = s->format,
                             .target = s->target,
                             .rules = s->rules,
                             .rule_count = s->rule_count,
                             .read_file = s->read_file,
                             .progress = until_interrupted,
                             .load = {.origins = s->clip || s->pose, /* for the numbers of clips */
                                      .no_repair = s->no_repair,
                                      .allow_outside = s->allow_outside,
                                      .choices = s->choices,
                                      .choice_count = s->choice_count}};
    if (s->fps)
        parse_positive(s->fps, &options.load.fps);
    return options;
}

stele_file *open_job(job *j, stele_check_level level)
{
    const settings *s = j->settings;
    stele_options options = opening_options(s);
    options.check = level;
    if (j->memory_left)
        options.memory_limit = j->memory_left;
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
    if (status == STELE_USAGE || status == STELE_NO_MEMORY || status == STELE_TOO_MUCH_WORK)
        job_fails(j, "%s", stele_file_message(file));
    if (status == STELE_USAGE || !file) {
        stele_close(file);
        free_imported(j);
        return NULL;
    }
    return file;
}

/* ---- What there is to say ---- */

void print_kind(FILE *out, const job *j, const stele_file *file)
{
    const char *format = stele_file_format(file), *dialect = stele_file_dialect(file), *from = imported_from(j);
    if (from)
        print_safe(out, from, strlen(from));
    fprintf(out, "%s%s%s%s", from ? ", imported as " : "", format ? format : "no format that is known", dialect ? " " : "",
            dialect ? dialect : "");
}

void job_fails(job *j, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(j->error, sizeof j->error, format, args);
    va_end(args);
    if (!j->settings->json) /* its document says it */
        complain(j->err, "%s: %s", j->path, j->error);
}

void job_fails_at(job *j, const char *what, const char *message)
{
    if (strcmp(j->error, message) == 0) /* opening has said so */
        snprintf(j->error, sizeof j->error, "%s: %s", what, message);
    else
        job_fails(j, "%s: %s", what, message);
}

void job_ends(job *j, stele_status status)
{
    j->exit_code = exit_code_of(status);
    j->outcome = status == STELE_EXISTS ? OUTCOME_EXISTS : status == STELE_CANCELLED ? OUTCOME_STOPPED : OUTCOME_BY_CODE;
}

void report_failure(job *j, const stele_file *file, const char *what, const char *message)
{
    size_t count;
    const stele_diagnostic *d = stele_file_diagnostics(file, &count);
    for (size_t i = 0; i < count; i++)
        if (d[i].severity == STELE_ERROR && show_diagnostic(j->settings, &d[i]) && strstr(message, d[i].text)) {
            snprintf(j->error, sizeof j->error, "%s: %s", what, message);
            return;
        }
    job_fails_at(j, what, message);
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
            print_diagnostic(j->err, colored_stderr(), j, &d[i]);
    }
}

/* ---- Clips ---- */

/* The number of a clip in the file, which has some that the model has not; its number in the model where nothing else is known.
 */
static uint32_t number_in_file(stele_file *file, uint32_t clip)
{
    stele_origin origin;
    const char *bracket = stele_part_origin(file, STELE_PART_CLIP, clip, &origin) ? strrchr(origin.path, '[') : NULL;
    return bracket ? (uint32_t)strtoul(bracket + 1, NULL, 10) : clip;
}

static uint32_t clip_of_name(const stele_model *model, const char *name, size_t length)
{
    for (uint32_t i = 0; i < model->clip_count; i++)
        if (model->clips[i].name && strlen(model->clips[i].name) == length && strncmp(model->clips[i].name, name, length) == 0)
            return i;
    return STELE_NONE;
}

/* By the number that info and explain have for it. One that repeats another is that. */
static uint32_t clip_of_number(stele_file *file, const stele_model *model, const stele_info *info, size_t number)
{
    for (uint32_t i = 0; i < model->clip_count; i++)
        if (number_in_file(file, i) == number)
            return i;
    if (info && number < info->clip_count && info->clips[number].repeats)
        return clip_of_number(file, model, info, repeated_clip(info, number));
    return STELE_NONE;
}

static void complain_about_clip(job *j, stele_file *file, const stele_model *model, const char *name, size_t length)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    guess g = {.word = word};
    for (uint32_t i = 0; i < model->clip_count; i++)
        consider(&g, model->clips[i].name ? model->clips[i].name : "");
    job_fails(j, "there is no clip '%.*s'%s", (int)length, name, model->clip_count ? did_you_mean(&g) : ", nor any other");
    for (uint32_t i = 0; i < model->clip_count && !j->settings->json; i++)
        complain(j->err, "  %u  %s", number_in_file(file, i), model->clips[i].name ? model->clips[i].name : "");
}

uint32_t find_clip(job *j, stele_file *file, const stele_model *model, const char *name, size_t length)
{
    char *end;
    uint32_t clip = clip_of_name(model, name, length);
    unsigned long number = strtoul(name, &end, 10);
    if (clip == STELE_NONE && length && name[0] >= '0' && name[0] <= '9' && end == name + length)
        clip = clip_of_number(file, model, stele_file_info(file), number);
    if (clip == STELE_NONE)
        complain_about_clip(j, file, model, name, length);
    return clip;
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

void settle_job(job *j, const stele_file *file)
{
    if (!j->settled && stele_file_changed(file)) {
        job_fails(j, "%s", FILE_CHANGED);
        j->exit_code = EXIT_IO;
        j->outcome = OUTCOME_BY_CODE;
    }
    j->settled = true;
}

void close_job(job *j, stele_file *file)
{
    settle_job(j, file);
    stele_close(file);
    free_imported(j);
}
