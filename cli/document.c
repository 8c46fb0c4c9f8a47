/* Documents of jobs: every file gets one with --json, whatever becomes of it. */
#include <string.h>

#include "cli.h"
#include "system/process.h"

static const char interruption[] = "interrupted before it was done";
static const char *const of_codes[] = {"ok", "findings", "usage", "io", "unsupported"};

const char *status_word(const job *j)
{
    static const char *const words[OUTCOME_COUNT] = {[OUTCOME_EXISTS] = "exists",
                                                     [OUTCOME_CLASH] = "clash",
                                                     [OUTCOME_CURRENT] = "current",
                                                     [OUTCOME_SKIPPED] = "skipped",
                                                     [OUTCOME_STOPPED] = "stopped"};
    return j->outcome ? words[j->outcome] : of_codes[j->exit_code];
}

/* Where the output itself goes to standard output, they do not. */
static bool goes_to_stderr(const settings *s)
{
    return s->output && strcmp(s->output, "-") == 0;
}

static FILE *stream_of(const job *j)
{
    return goes_to_stderr(j->settings) ? j->err : j->out;
}

void json_begin_job(json *out, job *j)
{
    j->documented = true;
    if (!j->several)
        stop_at_once(false); /* before it is complete */
    json_begin(out, stream_of(j), j->settings->verb, j->path);
    if (imported_from(j))
        json_string(out, "imported", imported_from(j));
}

void json_end_job(json *out, job *j, const stele_file *file)
{
    if (file)
        settle_job(j, file);
    if (interrupted() && j->exit_code)
        j->outcome = OUTCOME_STOPPED;
    const char *error = *j->error ? j->error : j->outcome == OUTCOME_STOPPED ? interruption : NULL;
    if (!error && j->exit_code && file)
        error = opening_error(file) ? opening_error(file) : last_error(file);
    json_string(out, "status", status_word(j));
    json_diagnostics(out, file, error);
    json_end(out);
    if (!j->several) {
        fflush(stream_of(j));
        say_if_stopped(NULL, false); /* there is one now */
        stop_at_once(true);
    }
}

void prepare_to_be_stopped(const settings *s, const char *path)
{
    static memory_stream kept[2]; /* an interrupt may be reading the one before */
    static unsigned used;
    memory_stream *text = &kept[used++ % 2];
    json out;
    if (!s->json || !st_memory_open(text))
        return;
    json_begin(&out, text->file, s->verb, path);
    json_string(&out, "status", "stopped");
    json_diagnostics(&out, NULL, interruption);
    json_end(&out);
    say_if_stopped(st_memory_close(text) ? text->data : NULL, goes_to_stderr(s));
}

void json_failure(FILE *stream, const char *command, const char *path, int exit_code, const char *error)
{
    json out;
    json_begin(&out, stream, command, path);
    json_string(&out, "status", of_codes[exit_code]);
    json_diagnostics(&out, NULL, error);
    json_end(&out);
}
