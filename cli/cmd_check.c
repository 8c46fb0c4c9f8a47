#include <string.h>

#include "cli.h"

static void count_findings(job *j, const stele_file *file, uint64_t counts[STELE_ERROR + 1])
{
    size_t count;
    const stele_diagnostic *d = stele_file_diagnostics(file, &count);
    for (size_t i = 0; i < count; i++)
        counts[d[i].severity]++;
    j->errors = counts[STELE_ERROR];
    j->warnings = counts[STELE_WARNING];
}

static void print_verdict(job *j, const stele_file *file, const uint64_t counts[STELE_ERROR + 1])
{
    bool color = colored_stdout();
    tint t = j->errors || j->exit_code ? TINT_RED : j->warnings ? TINT_YELLOW : TINT_GREEN;
    print_safe(j->out, j->path, strlen(j->path));
    fputs(": ", j->out);
    if (stele_file_format(file)) {
        print_kind(j->out, j, file);
        fputs(": ", j->out);
    }
    fputs(tint_on(color, t), j->out);
    if (!j->errors && j->exit_code == EXIT_IO)
        fprintf(j->out, "not checked to the end%s", j->warnings ? ", " : "");
    else if (!j->errors && !j->warnings)
        fputs(j->exit_code ? "damaged" : "ok", j->out);
    if (j->errors)
        fprintf(j->out, "%llu error%s", (unsigned long long)j->errors, j->errors == 1 ? "" : "s");
    if (j->warnings)
        fprintf(j->out, "%s%llu warning%s", j->errors ? ", " : "", (unsigned long long)j->warnings,
                j->warnings == 1 ? "" : "s");
    fputs(tint_off(color, t), j->out);
    if (counts[STELE_LOSS])
        fprintf(j->out, ", %llu loss%s if it is converted", (unsigned long long)counts[STELE_LOSS],
                counts[STELE_LOSS] == 1 ? "" : "es");
    if (counts[STELE_NOTE])
        fprintf(j->out, ", %llu note%s%s", (unsigned long long)counts[STELE_NOTE], counts[STELE_NOTE] == 1 ? "" : "s",
                j->settings->verbose ? "" : " (-v shows them)");
    fputc('\n', j->out);
}

static void print_json(job *j, const stele_file *file, const uint64_t counts[STELE_ERROR + 1])
{
    json out;
    uint64_t size;
    stele_file_bytes(file, &size);
    json_begin_job(&out, j);
    json_string(&out, "format", stele_file_format(file));
    json_string(&out, "dialect", stele_file_dialect(file));
    json_uint(&out, "bytes", size);
    json_uint(&out, "errors", counts[STELE_ERROR]);
    json_uint(&out, "warnings", counts[STELE_WARNING]);
    json_uint(&out, "losses", counts[STELE_LOSS]);
    json_uint(&out, "notes", counts[STELE_NOTE]);
    json_end_job(&out, j, file);
}

static void check(job *j)
{
    stele_file *file = open_job(j, STELE_CHECK_FULL);
    uint64_t counts[STELE_ERROR + 1] = {0};
    size_t count;
    if (!file)
        return;
    count_findings(j, file, counts);
    if (j->settings->json) {
        print_json(j, file, counts);
    } else {
        const stele_diagnostic *d = stele_file_diagnostics(file, &count);
        for (size_t i = 0; i < count; i++)
            if (show_diagnostic(j->settings, &d[i]))
                print_diagnostic(j->out, colored_stdout(), j, &d[i]);
        if (!j->settings->quiet)
            print_verdict(j, file, counts);
    }
    close_job(j, file);
}

static int print_ids(bool as_json)
{
    size_t count;
    const stele_diagnostic_kind *kinds = stele_diagnostic_kinds(&count);
    json j;
    if (as_json) {
        json_begin(&j, stdout, "check", NULL);
        json_open(&j, "ids", '[');
    }
    for (size_t i = 0; i < count; i++) {
        if (!as_json) {
            printf("%-24s %-8s %s\n", kinds[i].id, severity_name(kinds[i].severity), kinds[i].summary);
            continue;
        }
        json_open(&j, NULL, '{');
        json_string(&j, "id", kinds[i].id);
        json_string(&j, "severity", severity_name(kinds[i].severity));
        json_string(&j, "summary", kinds[i].summary);
        json_close(&j, '}');
    }
    if (as_json) {
        json_close(&j, ']');
        json_end(&j);
    }
    return EXIT_FINE;
}

static int run(const settings *s, char **operands, size_t count)
{
    if (s->ids)
        return print_ids(s->json);
    return run_jobs(s, operands, count, check, "fine");
}

static const option options[] = {
    {0, "target", "ENGINE", "also find what this engine cannot load: rayne", OPTION_TEXT, offsetof(settings, target)},
    {'s', "severity", "ID=SEVERITY", "make a finding off, note, warning or error", OPTION_RULE, 0},
    {0, "ids", NULL, "list all findings that there are", OPTION_FLAG, offsetof(settings, ids)},
    {0},
};

const command command_check = {
    .name = "check",
    .summary = "find what is wrong, with ids, offsets and paths",
    .usage = "[OPTION...] FILE...",
    .examples = "  stele check hat.sgm\n"
                "  stele check -r models --target rayne\n"
                "  stele check -s degenerate-triangle=off -s texture-missing=error *.sgm\n",
    .options = options,
    .takes_files = true,
    .takes_many = true,
    .run = run,
};
