/* Documents of jobs: every file gets one with --json, whatever becomes of it. */
#include <string.h>

#include "cli.h"

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
static FILE *stream_of(const job *j)
{
    const char *output = j->settings->output;
    return output && strcmp(output, "-") == 0 ? j->err : j->out;
}

void json_begin_job(json *out, job *j)
{
    j->documented = true;
    json_begin(out, stream_of(j), j->settings->verb, j->path);
}

void json_end_job(json *out, job *j, const stele_file *file)
{
    if (file)
        settle_job(j, file);
    const char *error = *j->error ? j->error : NULL;
    if (!error && j->exit_code && file)
        error = opening_error(file) ? opening_error(file) : last_error(file);
    json_string(out, "status", status_word(j));
    json_diagnostics(out, file, error);
    json_end(out);
}

void json_failure(FILE *stream, const char *command, const char *path, int exit_code, const char *error)
{
    json out;
    json_begin(&out, stream, command, path);
    json_string(&out, "status", of_codes[exit_code]);
    json_diagnostics(&out, NULL, error);
    json_end(&out);
}
