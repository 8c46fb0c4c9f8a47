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
    bool color = colored_stdout();
    if (d->equal && !t->job->settings->verbose)
        return;
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

static stele_status compare(job *j, stele_file *a, stele_file *b)
{
    double tolerance = usual_tolerance;
    json out;
    table t = {.job = j, .json = j->settings->json ? &out : NULL};
    if (j->settings->tolerance)
        parse_number(j->settings->tolerance, &tolerance);
    if (t.json) {
        json_begin(&out, j->out, "diff", j->path);
        json_string(&out, "second", second);
        json_number(&out, "tolerance", tolerance, false);
        json_open(&out, "compared", '[');
    }
    stele_status status = stele_diff(a, b, tolerance, each_difference, &t);
    bool compared = status == STELE_OK || status == STELE_DIFFERENT;
    if (t.json) {
        json_close(&out, ']');
        json_bool(&out, "equal", status == STELE_OK);
        if (!compared)
            json_string(&out, "error", stele_file_message(a));
        json_end(&out);
    } else if (compared && !j->settings->quiet) {
        fflush(j->out);
        if (status == STELE_OK)
            fprintf(j->err, "equal within %g\n", tolerance);
        else
            fprintf(j->err, "%zu difference%s beyond %g\n", t.different, t.different == 1 ? "" : "s", tolerance);
    }
    return status;
}

/* A file of which no model can be had is reported with what is wrong with it. */
static bool has_model(job *j, stele_file *file)
{
    if (stele_file_model(file))
        return true;
    report_findings(j, file);
    complain(j->err, "%s: not compared: %s", j->path, stele_file_message(file));
    j->exit_code = exit_code_of(stele_file_status(file));
    return false;
}

static void diff(job *j)
{
    job other = *j;
    other.path = other.below = second;
    stele_file *a = open_job(j, STELE_CHECK_SAFE), *b = open_job(&other, STELE_CHECK_SAFE);
    bool first_good = a && has_model(j, a), second_good = b && has_model(&other, b);
    if (other.exit_code > j->exit_code)
        j->exit_code = other.exit_code;
    if (first_good && second_good)
        j->exit_code = exit_code_of(compare(j, a, b));
    if (a)
        close_job(j, a);
    if (b)
        close_job(&other, b);
    if (other.exit_code > j->exit_code)
        j->exit_code = other.exit_code;
}

static int run(const settings *s, char **operands, size_t count)
{
    if (count != 2)
        return usage_error("stele diff needs two files; see stele diff --help");
    if (strcmp(operands[0], "-") == 0 && strcmp(operands[1], "-") == 0)
        return usage_error("standard input can be read only once");
    second = operands[1];
    return run_jobs(s, operands, 1, diff, "compared");
}

static const option options[] = {
    {0, "tolerance", "NUMBER", "what still counts as equal (default: 1e-5; of positions, as a part of the model's size)",
     OPTION_TEXT, offsetof(settings, tolerance)},
    {0},
};

const command command_diff = {
    .name = "diff",
    .summary = "what differs between two models, of any formats",
    .usage = "[OPTION...] A B",
    .examples = "  stele diff hat.sgm hat.glb\n"
                "  stele diff -v old.glb new.glb --tolerance 1e-3      (what is equal, too)\n"
                "  stele diff --json a.mesh b.mesh\n",
    .options = options,
    .takes_files = true,
    .takes_models = true,
    .run = run,
};
