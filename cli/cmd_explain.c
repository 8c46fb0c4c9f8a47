#include <string.h>

#include "cli.h"

enum { GAP_BYTES = 16 };

typedef struct explanation {
    job *job;
    json json;
    bool color, found, unpacked;
    bool only_at;
    uint64_t at;
} explanation;

/* ---- Text ---- */

static void print_number(FILE *out, double value, stele_type type)
{
    char text[NUMBER_CHARS + 1];
    fputs(format_number(text, value, type == STELE_F32), out);
}

static void print_elements(FILE *out, const stele_field *f, uint64_t row, size_t column)
{
    const stele_column *c = &f->columns[column];
    for (uint32_t i = 0; i < c->components; i++) {
        fputs(i ? ", " : "", out);
        print_number(out, stele_field_element(f, row, column, i), c->type);
    }
}

static void print_range(FILE *out, const stele_field *f, size_t column)
{
    const stele_column *c = &f->columns[column];
    double min, max;
    for (int side = 0; side < 2; side++) {
        fputs(side ? " to " : "", out);
        fputs(c->components > 1 ? "(" : "", out);
        for (uint32_t i = 0; i < c->components; i++) {
            fputs(i ? ", " : "", out);
            if (stele_field_range(f, column, i, &min, &max))
                print_number(out, side ? max : min, c->type);
            else
                fputs("none", out);
        }
        fputs(c->components > 1 ? ")" : "", out);
    }
}

static void print_plain_array(FILE *out, const stele_field *f)
{
    uint64_t shown = shown_whole(f) ? f->rows : f->rows < FIRST_VALUES ? f->rows : FIRST_VALUES;
    bool tuples = f->columns[0].components > 1;
    for (uint64_t i = 0; i < shown; i++) {
        fprintf(out, "%s%s", i ? ", " : "", tuples ? "(" : "");
        print_elements(out, f, i, 0);
        fputs(tuples ? ")" : "", out);
    }
    if (shown == f->rows)
        return;
    fputs(", ...  min and max: ", out);
    print_range(out, f, 0);
}

static void print_columns(explanation *e, const stele_field *f)
{
    FILE *out = e->job->out;
    for (size_t i = 0; i < f->column_count; i++) {
        char type[32];
        snprintf(type, sizeof type, "%s[%u]", stele_type_name(f->columns[i].type), f->columns[i].components);
        fprintf(out, "\n%*s.%-12s %-10s first (", 24, "", f->columns[i].name,
                f->columns[i].components == 1 ? stele_type_name(f->columns[i].type) : type);
        print_elements(out, f, 0, i);
        fputs("), min and max: ", out);
        print_range(out, f, i);
    }
}

static void print_bytes(FILE *out, const stele_field *f)
{
    uint64_t shown = f->size < GAP_BYTES ? f->size : GAP_BYTES;
    for (uint64_t i = 0; i < shown; i++)
        fprintf(out, "%s%02x", i ? " " : "", f->data[i]);
    fputs(shown < f->size ? " ..." : "", out);
    if (!*f->path)
        fprintf(out, "  (%llu byte%s that nobody claims)", (unsigned long long)f->size, f->size == 1 ? "" : "s");
}

static void print_text_value(FILE *out, const stele_field *f)
{
    fputc('"', out);
    print_safe(out, (const char *)f->data, (size_t)f->size);
    fputc('"', out);
}

static void print_value(explanation *e, const stele_field *f)
{
    FILE *out = e->job->out;
    if (f->array && f->column_count == 1)
        print_plain_array(out, f);
    else if (f->array)
        print_columns(e, f);
    else if (f->type == STELE_BYTES)
        print_bytes(out, f);
    else if (f->type == STELE_CHAR)
        print_text_value(out, f);
    else if (f->column_count)
        print_elements(out, f, 0, 0);
    else
        fprintf(out, "%llu", (unsigned long long)f->number);
    if (f->meaning)
        fprintf(out, " %s(%s)%s", tint_on(e->color, TINT_DIM), f->meaning, tint_off(e->color, TINT_DIM));
}

static void print_owner(explanation *e, const stele_field *f)
{
    FILE *out = e->job->out;
    char path[512];
    element o = element_at(f, e->at);
    stele_type type = f->columns[o.column].type;
    element_path(f, &o, path);
    fprintf(out, "0x%08llx %8u  %-48s %-10s ", (unsigned long long)o.offset, stele_type_size(type), path,
            stele_type_name(type));
    print_number(out, stele_field_element(f, o.row, o.column, o.component), type);
    fputc('\n', out);
}

static void print_field(explanation *e, const stele_field *f)
{
    FILE *out = e->job->out;
    char type[64];
    if (e->only_at && f->array) {
        print_owner(e, f);
        return;
    }
    field_type(f, type);
    fprintf(out, "%s0x%08llx%s %8llu  %-48s %-10s ", tint_on(e->color, TINT_DIM), (unsigned long long)f->offset,
            tint_off(e->color, TINT_DIM), (unsigned long long)f->size, f->path, type);
    print_value(e, f);
    fputc('\n', out);
}

/* ---- The verb ---- */

static void begin_unpacked(explanation *e)
{
    e->unpacked = true;
    if (e->job->settings->json) {
        json_close(&e->json, ']');
        json_open(&e->json, "unpacked", '[');
    } else {
        fputs("\nUnpacked, these bytes are:\n", e->job->out);
    }
}

static bool each_field(void *user, const stele_field *f)
{
    explanation *e = user;
    if (f->unpacked && e->only_at)
        return true; /* offsets are those of the file */
    if (f->unpacked && !e->unpacked)
        begin_unpacked(e);
    if (e->only_at && (e->at < f->offset || e->at - f->offset >= f->size))
        return true;
    e->found = true;
    if (e->job->settings->json)
        json_field(&e->json, f, e->only_at ? &e->at : NULL);
    else
        print_field(e, f);
    return !e->only_at;
}

static void explain(job *j)
{
    explanation e = {.job = j, .color = colored_stdout()};
    e.only_at = j->settings->at && parse_offset(j->settings->at, &e.at);
    stele_file *file = open_job(j, STELE_CHECK_STRUCTURE);
    if (!file)
        return;
    if (j->settings->json) {
        json_begin_job(&e.json, j);
        json_string(&e.json, "format", stele_file_format(file));
        json_string(&e.json, "dialect", stele_file_dialect(file));
        json_open(&e.json, "fields", '[');
    }
    if (j->several && !j->settings->json) {
        fputs(tint_on(e.color, TINT_BOLD), j->out);
        print_safe(j->out, j->path, strlen(j->path));
        fprintf(j->out, "%s\n", tint_off(e.color, TINT_BOLD));
    }
    stele_file_explain(file, each_field, &e);
    report_findings(j, file);
    if (e.only_at && !e.found && stele_file_format(file)) {
        job_fails(j, "there is no byte at %s", j->settings->at);
        j->exit_code = EXIT_USAGE;
    }
    if (j->settings->json) {
        json_close(&e.json, ']');
        json_end_job(&e.json, j, file);
    }
    close_job(j, file);
}

static int run(const settings *s, char **operands, size_t count)
{
    return run_jobs(s, operands, count, explain, "explained");
}

static const option options[] = {
    {'a', "at", "OFFSET", "only the field that owns this byte (0x1f3a or 7994)", OPTION_TEXT, offsetof(settings, at)},
    {0},
};

const command command_explain = {
    .name = "explain",
    .summary = "every byte with its offset, size, path, type and value",
    .usage = "[OPTION...] FILE...",
    .examples = "  stele explain hat.sgm\n"
                "  stele explain hat.sgm --at 0x1f3a\n"
                "  stele explain --json hat.sgm | jq '.fields[] | select(.type == \"gap\")'\n",
    .options = options,
    .takes_files = true,
    .takes_many = true,
    .run = run,
};
