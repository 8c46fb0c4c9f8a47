#include <string.h>

#include "cli.h"

enum { GAP_BYTES = 16 };

typedef struct explanation {
    job *job;
    json json;
    bool color, found, unpacked;
    bool only_at, at_unpacked; /* a byte of the file, or of its unpacked content */
    bool has_unpacked;
    uint64_t at;
    field_view view;
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

static void print_range(FILE *out, const stele_field *f, size_t column, const field_ranges *r)
{
    const stele_column *c = &f->columns[column];
    double min, max;
    for (int side = 0; side < 2; side++) {
        fputs(side ? " to " : "", out);
        fputs(c->components > 1 ? "(" : "", out);
        for (uint32_t i = 0; i < c->components; i++) {
            fputs(i ? ", " : "", out);
            if (range_of(f, r, column, i, &min, &max))
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
    field_ranges ranges;
    find_ranges(f, &ranges);
    fputs(", ...  min and max: ", out);
    print_range(out, f, 0, &ranges);
}

static void print_columns(explanation *e, const stele_field *f)
{
    FILE *out = e->job->out;
    field_ranges ranges;
    find_ranges(f, &ranges);
    for (size_t i = 0; i < f->column_count; i++) {
        char type[32];
        if (!shows_column(&e->view, i))
            continue;
        snprintf(type, sizeof type, "%s[%u]", stele_type_name(f->columns[i].type), f->columns[i].components);
        fprintf(out, "\n%*s.%-12s %-10s first (", 24, "", f->columns[i].name,
                f->columns[i].components == 1 ? stele_type_name(f->columns[i].type) : type);
        print_elements(out, f, 0, i);
        fputs("), min and max: ", out);
        print_range(out, f, i, &ranges);
    }
}

static void print_place(explanation *e, uint64_t offset, uint64_t size, const uint8_t *data)
{
    FILE *out = e->job->out;
    fprintf(out, "%s0x%08llx%s %8llu  ", tint_on(e->color, TINT_DIM), (unsigned long long)offset, tint_off(e->color, TINT_DIM),
            (unsigned long long)size);
    if (!e->view.hex)
        return;
    for (uint64_t i = 0; i < HEX_BYTES; i++)
        if (i < size)
            fprintf(out, "%02x ", data[i]);
        else
            fputs("   ", out);
    fputs(size > HEX_BYTES ? ".. " : "   ", out);
}

/* The rows that were asked for, a line each. */
static void print_rows(explanation *e, const stele_field *f)
{
    FILE *out = e->job->out;
    uint64_t stride = f->rows ? f->size / f->rows : 0;
    for (uint64_t row = e->view.first_row; row < end_of_rows(&e->view, f); row++) {
        char path[512];
        snprintf(path, sizeof path, "%s[%llu]", f->path, (unsigned long long)row);
        print_place(e, f->offset + row * stride, stride, f->data + row * stride);
        fprintf(out, "%-48s ", path);
        for (size_t i = 0, shown = 0; i < f->column_count; i++) {
            if (!shows_column(&e->view, i))
                continue;
            const stele_column *c = &f->columns[i];
            fprintf(out, "%s%s%s%s", shown++ ? ", " : "", c->name, *c->name ? " " : "", c->components > 1 ? "(" : "");
            print_elements(out, f, row, i);
            fputs(c->components > 1 ? ")" : "", out);
        }
        fputc('\n', out);
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
    print_place(e, o.offset, stele_type_size(type), f->data + (o.offset - f->offset));
    fprintf(out, "%-48s %-10s ", path, stele_type_name(type));
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
    print_place(e, f->offset, f->size, f->data);
    fprintf(out, "%-48s %-10s ", f->path, type);
    print_value(e, f);
    fputc('\n', out);
    if (e->view.rows && f->array)
        print_rows(e, f);
}

/* ---- What is shown ---- */

/* Rows as 7, 3..9, 3.. or ..9, both ends included. */
static bool parse_rows(const char *text, field_view *v)
{
    const char *dots = strstr(text, "..");
    char first[24] = "0";
    v->rows = true;
    v->last_row = UINT64_MAX;
    if (!dots)
        return parse_offset(text, &v->first_row) && parse_offset(text, &v->last_row);
    size_t length = (size_t)(dots - text);
    if (length >= sizeof first || (!length && !dots[2]))
        return false;
    if (length)
        snprintf(first, sizeof first, "%.*s", (int)length, text);
    return parse_offset(first, &v->first_row) && (!dots[2] || parse_offset(dots + 2, &v->last_row)) &&
           v->first_row <= v->last_row;
}

/* A byte of the file, or of what is packed in it. */
static bool parse_at(const char *text, explanation *e)
{
    static const char unpacked[] = "unpacked:";
    size_t length = sizeof unpacked - 1;
    e->only_at = true;
    e->at_unpacked = strncmp(text, unpacked, length) == 0;
    return parse_offset(text + (e->at_unpacked ? length : 0), &e->at);
}

/* Whether a pattern, in which * stands for anything and ? for a character, is the path or what it begins with: mesh[1] is all
 * that is in it. */
static bool matches(const char *pattern, const char *path)
{
    const char *star = NULL, *behind = NULL;
    for (;;) {
        if (*pattern == '*') {
            star = ++pattern;
            behind = path;
        } else if (!*pattern && (!*path || *path == '.' || *path == '[')) {
            return true;
        } else if (*path && (*pattern == *path || *pattern == '?')) {
            pattern++;
            path++;
        } else if (star && *behind) {
            pattern = star;
            path = ++behind;
        } else {
            return false;
        }
    }
}

/* The columns of an array that match where it does not itself; 0: none do. */
static uint64_t matching_columns(const char *pattern, const stele_field *f)
{
    uint64_t columns = 0;
    for (size_t i = 0; f->array && i < f->column_count && i < 64; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s.%s", f->path, f->columns[i].name);
        columns |= (uint64_t)(*f->columns[i].name && matches(pattern, path)) << i;
    }
    return columns;
}

static bool is_shown(explanation *e, const stele_field *f)
{
    const char *pattern = e->job->settings->path;
    if (e->only_at)
        return f->unpacked == e->at_unpacked && e->at >= f->offset && e->at - f->offset < f->size;
    e->view.columns = pattern && !matches(pattern, f->path) ? matching_columns(pattern, f) : 0;
    return !pattern || e->view.columns || matches(pattern, f->path);
}

/* ---- The verb ---- */

static void begin_unpacked(explanation *e)
{
    e->unpacked = true;
    if (e->job->settings->json) {
        json_close(&e->json, ']');
        json_open(&e->json, "unpacked", '[');
    } else if (!e->only_at) {
        fputs("\nUnpacked, these bytes are:\n", e->job->out);
    }
}

/* Above the table: which file this is, and in what format. */
static void print_title(explanation *e, const stele_file *file)
{
    job *j = e->job;
    bool part = e->only_at || j->settings->path;
    uint64_t size;
    if (part && !j->several)
        return;
    fputs(tint_on(e->color, TINT_BOLD), j->out);
    print_safe(j->out, j->path, strlen(j->path));
    fputs(tint_off(e->color, TINT_BOLD), j->out);
    if (!part) {
        stele_file_bytes(file, &size);
        fputs(": ", j->out);
        print_kind(j->out, j, file);
        fputs(", ", j->out);
        print_count(j->out, size);
        fputs(size == 1 ? " byte" : " bytes", j->out);
    }
    fputc('\n', j->out);
}

static bool each_field(void *user, const stele_field *f)
{
    explanation *e = user;
    e->has_unpacked |= f->unpacked;
    if (!is_shown(e, f))
        return true;
    if (f->unpacked && !e->unpacked)
        begin_unpacked(e);
    e->found = true;
    if (e->job->settings->json)
        json_field(&e->json, f, &e->view);
    else
        print_field(e, f);
    return !e->only_at;
}

static void complain_of_nothing(job *j, const stele_file *file, const explanation *e)
{
    uint64_t size;
    stele_file_bytes(file, &size);
    if (!e->only_at)
        job_fails(j, "no field is called %s; without --path all are shown, and * stands for anything", j->settings->path);
    else if (e->at_unpacked && !e->has_unpacked)
        job_fails(j, "there is no byte at %s: nothing in it is compressed", j->settings->at);
    else if (e->at_unpacked)
        job_fails(j, "there is no byte at %s: what it unpacks to is shorter", j->settings->at);
    else
        job_fails(j, "there is no byte at %s: it has %llu bytes", j->settings->at, (unsigned long long)size);
    j->exit_code = EXIT_USAGE;
}

static void explain(job *j)
{
    explanation e = {.job = j, .color = colored_stdout(), .view = {.hex = j->settings->hex}};
    if (j->settings->at && parse_at(j->settings->at, &e))
        e.view.at = &e.at;
    if (j->settings->rows)
        parse_rows(j->settings->rows, &e.view);
    stele_file *file = open_job(j, STELE_CHECK_STRUCTURE);
    if (!file)
        return;
    if (j->settings->json) {
        json_begin_job(&e.json, j);
        json_string(&e.json, "format", stele_file_format(file));
        json_string(&e.json, "dialect", stele_file_dialect(file));
        json_open(&e.json, "fields", '[');
    }
    if (!j->settings->json)
        print_title(&e, file);
    stele_status status = stele_file_explain(file, each_field, &e);
    if (interrupted())
        j->outcome = OUTCOME_STOPPED;
    report_findings(j, file);
    if (status == STELE_TOO_MUCH_WORK || status == STELE_NO_MEMORY) {
        job_fails_at(j, "not explained to its end", stele_file_message(file));
        job_ends(j, status);
    }
    if ((e.only_at || j->settings->path) && !e.found && stele_file_format(file) && !interrupted())
        complain_of_nothing(j, file, &e);
    if (j->settings->json) {
        json_close(&e.json, ']');
        json_end_job(&e.json, j, file);
    }
    close_job(j, file);
}

static int run(const settings *s, char **operands, size_t count)
{
    field_view rows;
    explanation at;
    if (s->at && !parse_at(s->at, &at))
        return usage_error("'%s' is not an offset: 7994, 0x1f3a or unpacked:0x1f3a", s->at);
    if (s->rows && !parse_rows(s->rows, &rows))
        return usage_error("'%s' are no rows: 7, 3..9, 3.. or ..9", s->rows);
    return run_jobs(s, operands, count, explain, "explained");
}

static const option options[] = {
    {'a', "at", "OFFSET", "only the field that owns this byte (0x1f3a or 7994; unpacked:0x1f3a in a compressed file)",
     OPTION_TEXT, offsetof(settings, at)},
    {0, "path", "PATTERN", "only fields of this path, in which * is anything, and what is in them", OPTION_TEXT,
     offsetof(settings, path)},
    {0, "rows", "RANGE", "these rows of arrays too: 7, 3..9, 3.. or ..9", OPTION_TEXT, offsetof(settings, rows)},
    {0, "hex", NULL, "the first bytes of each field too", OPTION_FLAG, offsetof(settings, hex)},
    {0},
};

const command command_explain = {
    .name = "explain",
    .summary = "every byte with its offset, size, path, type and value",
    .usage = "[OPTION...] FILE...",
    .examples = "  stele explain hat.sgm\n"
                "  stele explain hat.sgm --at 0x1f3a\n"
                "  stele explain hat.sgm --path 'mesh[*].vertices.normal' --rows 10..20\n"
                "  stele explain --json hat.sgm | jq '.fields[] | select(.type == \"gap\")'\n",
    .options = options,
    .takes_files = true,
    .takes_many = true,
    .run = run,
};
