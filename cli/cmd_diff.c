#include <string.h>

#include "cli.h"

static const char *second; /* the B of "diff A B"; written once, before any thread */

static const double usual_tolerance = 1e-5;

/* Where the rows go. */
typedef struct table {
    job *job;
    json *json; /* NULL: a table for people */
    size_t different, rows;
} table;

static void print_value(FILE *out, const char *value, int width)
{
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)sizeof text - 1, value);
    print_safe(out, text, strlen(text));
    for (int i = (int)strlen(text); i < width; i++)
        fputc(' ', out);
}

static void print_row(table *t, const stele_difference *d)
{
    FILE *out = t->job->out;
    if (d->equal && !t->job->settings->verbose)
        return;
    bool color = colored_stdout(); /* asks the system */
    if (!t->rows && t->job->several) {
        print_safe(out, t->job->path, strlen(t->job->path));
        fputs(":\n", out);
    }
    if (!t->rows++)
        fprintf(out, "%-2s %-30s %-20s %-20s\n", "", "what", "first", "second");
    fprintf(out, "%s%-2s%s ", tint_on(color, d->equal ? TINT_DIM : TINT_RED), d->equal ? "=" : "!",
            tint_off(color, d->equal ? TINT_DIM : TINT_RED));
    print_value(out, d->path, 30);
    fputc(' ', out);
    if (d->a) {
        print_value(out, d->a, 20);
        fputc(' ', out);
        print_value(out, d->b, 0);
    } else {
        fprintf(out, "largest error %.3g", d->error);
    }
    fputc('\n', out);
}

static void print_json_row(table *t, const stele_difference *d)
{
    json_open(t->json, NULL, '{');
    json_string(t->json, "path", d->path);
    json_bool(t->json, "equal", d->equal);
    if (d->a) {
        json_string(t->json, "first", d->a);
        json_string(t->json, "second", d->b);
    } else {
        json_number(t->json, "error", d->error, false);
    }
    json_close(t->json, '}');
}

static void each_difference(void *user, const stele_difference *d)
{
    table *t = user;
    t->different += !d->equal;
    if (t->json)
        print_json_row(t, d);
    else
        print_row(t, d);
}

static void print_verdict(const table *t, stele_status status, double tolerance)
{
    FILE *err = t->job->err;
    fflush(t->job->out);
    if (t->job->several) {
        print_safe(err, t->job->path, strlen(t->job->path));
        fputs(": ", err);
    }
    if (status == STELE_OK)
        fprintf(err, "equal within %g\n", tolerance);
    else
        fprintf(err, "%zu difference%s beyond %g\n", t->different, t->different == 1 ? "" : "s", tolerance);
}

static stele_status compare(table *t, stele_file *a, stele_file *b, double tolerance)
{
    job *j = t->job;
    stele_status status = stele_diff(a, b, tolerance, each_difference, t);
    if (status != STELE_OK && status != STELE_DIFFERENT)
        job_fails(j, "not compared: %s", stele_file_message(a));
    else if (!t->json && !j->settings->quiet)
        print_verdict(t, status, tolerance);
    return status;
}

/* A file of which no model can be had is reported with what is wrong with it. */
static stele_status get_model(job *j, stele_file *file)
{
    if (!file) /* it has been said */
        return j->exit_code == EXIT_USAGE ? STELE_USAGE : STELE_NO_MEMORY;
    if (stele_file_model(file))
        return STELE_OK;
    report_findings(j, file);
    report_failure(j, file, "not compared", stele_file_message(file));
    return stele_file_status(file);
}

/* The worse of two, by what it means to whoever called. */
static stele_status worse(stele_status a, stele_status b)
{
    return exit_code_of(b) > exit_code_of(a) ? b : a;
}

/* Of a pair of files in two folders, or the B of "diff A B". */
static const char *second_of(const job *j)
{
    return j->entry->partner ? j->entry->partner : second;
}

static void diff(job *j)
{
    double tolerance = usual_tolerance;
    job other = *j;
    const char *path = second_of(j);
    json out;
    table t = {.job = j, .json = j->settings->json ? &out : NULL};
    if (j->settings->tolerance)
        parse_number(j->settings->tolerance, &tolerance);
    other.path = other.below = path;
    stele_file *a = open_job(j, STELE_CHECK_SAFE), *b = open_job(&other, STELE_CHECK_SAFE);
    if (t.json) {
        json_begin_job(&out, j);
        json_string(&out, "second", path);
        if (imported_from(&other))
            json_string(&out, "second_imported", imported_from(&other));
        json_number(&out, "tolerance", tolerance, false);
        json_open(&out, "compared", '[');
    }
    stele_status of_a = get_model(j, a), of_b = get_model(&other, b), status = worse(of_a, of_b);
    if (status == STELE_OK)
        status = compare(&t, a, b, tolerance);
    job_ends(j, status);
    settle_job(&other, b);
    if (other.exit_code == EXIT_IO && j->exit_code < EXIT_IO) /* it changed meanwhile */
        j->exit_code = EXIT_IO;
    if (of_a == STELE_OK && *other.error)
        snprintf(j->error, sizeof j->error, "%.200s: %.800s", path, other.error);
    if (t.json) {
        json_close(&out, ']');
        json_bool(&out, "equal", status == STELE_OK);
        json_end_job(&out, j, of_a == STELE_OK && of_b != STELE_OK ? b : a);
    }
    if (a)
        close_job(j, a);
    if (b)
        close_job(&other, b);
}

static void diff_pair(job *j)
{
    if (j->entry->partner) {
        diff(j);
    } else {
        job_fails(j, "there is no such file in the other folder");
        j->exit_code = EXIT_FINDINGS;
    }
}

static int run_folders(const settings *s, char **operands)
{
    file_list list = {0};
    pair_folders(&list, s, operands[0], operands[1]);
    if (!list.count)
        add_problem(&list, operands[0], "there are no model files in it");
    return run_list(s, &list, diff_pair, "equal", "different");
}

static int run(const settings *s, char **operands, size_t count)
{
    if (count != 2)
        return usage_error("stele diff needs two files; see stele diff --help");
    if (strcmp(operands[0], "-") == 0 && strcmp(operands[1], "-") == 0)
        return usage_error("standard input can be read only once");
    bool folders[] = {is_folder(operands[0]), is_folder(operands[1])};
    if (s->recursive && folders[0] != folders[1])
        return usage_error("%s is a folder, and %s is none", operands[!folders[0]], operands[folders[0]]);
    second = operands[1];
    return folders[0] && s->recursive ? run_folders(s, operands) : run_jobs(s, operands, 1, diff, "compared");
}

static const option options[] = {
    {'r', "recursive", NULL, "compare two folders, file by file: by their names in them", OPTION_FLAG,
     offsetof(settings, recursive)},
    {0, "tolerance", "NUMBER", "what still counts as equal (default: 1e-5; of positions, as a part of the model's size)",
     OPTION_TEXT, offsetof(settings, tolerance)},
    {0},
};

const command command_diff = {
    .name = "diff",
    .summary = "what differs between two models, of any formats",
    .usage = "[OPTION...] A B\n       stele diff [OPTION...] -r FOLDER FOLDER",
    .examples = "  stele diff hat.sgm hat.glb\n"
                "  stele diff -v old.glb new.glb --tolerance 1e-3      (what is equal, too)\n"
                "  stele diff -r models converted\n"
                "  stele diff --json a.mesh b.mesh\n",
    .options = options,
    .takes_files = true,
    .takes_models = true,
    .run = run,
};
