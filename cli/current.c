/* What depends on what: whether an output is newer than all that it is made of, and a file that tells ninja and make. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "system/files.h"
#include "system/process.h"

/* ---- Times ---- */

static bool time_of(const char *path, file_status *status)
{
    return st_path_status(path, true, status) == 0 && status->kind == FILE_REGULAR;
}

static bool is_newer(const char *path, const file_status *than)
{
    file_status status;
    if (!time_of(path, &status))
        return true;
    return status.modified[0] != than->modified[0] ? status.modified[0] > than->modified[0]
                                                   : status.modified[1] > than->modified[1];
}

/* A picture has nothing beside it; of a model that was written with an .sga or .bin, that must be there too. */
static bool is_whole(const char *output)
{
    if (!stele_format_of_name(output))
        return true;
    stele_file *file = stele_open(output, &(stele_options){.check = STELE_CHECK_STRUCTURE});
    const stele_info *info = stele_file_info(file);
    bool whole = stele_open_status(file) == STELE_OK && info;
    for (size_t i = 0; whole && i < info->companion_count; i++)
        whole = info->companions[i].found;
    stele_close(file);
    return whole;
}

/* Of a file that is imported only its own time is known. */
static bool is_current(const job *j, const char *output)
{
    file_status made;
    if (!time_of(output, &made) || is_newer(j->path, &made))
        return false;
    stele_options options = {
        .format = j->settings->format, .check = STELE_CHECK_STRUCTURE, .load = {.allow_outside = j->settings->allow_outside}};
    stele_file *file = stele_open(j->path, &options);
    bool unknown = stele_open_status(file) == STELE_UNSUPPORTED && is_imported(j->path);
    bool current = unknown || stele_file_model(file);
    size_t count;
    const char *const *inputs = stele_file_inputs(file, &count);
    for (size_t i = 0; i < count && current; i++)
        current = !is_newer(inputs[i], &made);
    current = current && is_whole(output);
    if (current)
        depend(j, file, output);
    stele_close(file);
    return current;
}

bool leave_current(job *j, const char *output)
{
    if (!j->settings->update || !is_current(j, output))
        return false;
    j->outcome = OUTCOME_CURRENT;
    if (j->settings->verbose && !j->settings->json) {
        print_safe(j->err, output, strlen(output));
        fputs(": is up to date\n", j->err);
    }
    return true;
}

int check_update(const settings *s)
{
    bool to_stdout = s->output && strcmp(s->output, "-") == 0;
    if (to_stdout && (s->update || s->depfile))
        return usage_error("--%s needs an output that is a file", s->update ? "update" : "depfile");
    return 0;
}

bool replaces(const settings *s)
{
    return s->force || s->update;
}

/* ---- The file for ninja and make ---- */

static struct {
    pthread_mutex_t mutex;
    char **rules;
    size_t count, capacity;
} known = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* Names as make and ninja take them; a line break cannot be said. */
static void put_name(FILE *out, const char *name)
{
    for (const char *c = name; *c; c++) {
        if (*c == ' ' || *c == '#' || *c == ':' || *c == '\\')
            fputc('\\', out);
        else if (*c == '$')
            fputc('$', out);
        fputc(*c, out);
    }
}

/* A file that goes away must not stop make: it has a rule without anything to do. */
static void put_rule(FILE *out, const char *input, const char *output, const char *const *beside, size_t count)
{
    put_name(out, output);
    fputs(": ", out);
    put_name(out, input);
    for (size_t i = 0; i < count; i++) {
        fputs(" \\\n  ", out);
        put_name(out, beside[i]);
    }
    fputc('\n', out);
    for (size_t i = 0; i < count; i++) {
        put_name(out, beside[i]);
        fputs(":\n", out);
    }
}

void depend(const job *j, stele_file *file, const char *output)
{
    size_t count;
    memory_stream text;
    if (!j->settings->depfile)
        return;
    const char *const *beside = stele_file_inputs(file, &count);
    if (!st_memory_open(&text))
        or_die(NULL);
    put_rule(text.file, j->path, output, beside, count);
    if (!st_memory_close(&text))
        or_die(NULL);
    pthread_mutex_lock(&known.mutex);
    if (known.count == known.capacity) {
        known.capacity = known.capacity ? 2 * known.capacity : 16;
        known.rules = or_die(realloc(known.rules, known.capacity * sizeof *known.rules));
    }
    known.rules[known.count++] = text.data;
    pthread_mutex_unlock(&known.mutex);
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Nothing, or what such a run wrote before, so that no model is lost by a slip. */
static bool may_be_replaced(const settings *s, const char *rule)
{
    char old[4096];
    size_t target = (size_t)(strstr(rule, ": ") + 1 - rule), most = target < sizeof old ? target : sizeof old;
    FILE *file = s->force ? NULL : fopen(s->depfile, "rb");
    if (!file)
        return true;
    size_t n = fread(old, 1, most, file);
    fclose(file);
    return !n || (n == most && memcmp(old, rule, n) == 0);
}

static bool put_rules(const settings *s)
{
    int fd = st_fd_rewrite(s->depfile);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "wb");
    for (size_t i = 0; out && i < known.count; i++)
        fputs(known.rules[i], out);
    return out && fclose(out) == 0;
}

int write_depfile(const settings *s, int code)
{
    if (!s->depfile || !known.count || !saving_begins())
        return code;
    qsort(known.rules, known.count, sizeof *known.rules, compare);
    const char *problem = NULL;
    if (!may_be_replaced(s, known.rules[0]))
        problem = "is not what --depfile wrote before; use -f to replace it";
    else if (!put_rules(s))
        problem = strerror(errno);
    saving_ends();
    for (size_t i = 0; i < known.count; i++)
        free(known.rules[i]);
    free(known.rules);
    if (!problem)
        return code;
    if (s->json)
        json_failure(stdout, s->verb, s->depfile, EXIT_IO, problem);
    else
        complain(stderr, "%s: %s", s->depfile, problem);
    return EXIT_IO;
}
