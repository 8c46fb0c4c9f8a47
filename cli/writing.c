/* Verbs that write models: where these go, how they are saved, and what is said of it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "system/process.h"

bool to_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

bool bytes_to_stdout(void *user, const void *data, size_t size)
{
    (void)user;
    return write_stdout(data, size);
}

static bool keep_going(void *user, uint64_t done, uint64_t total)
{
    progress_show(user, done, total, "bytes");
    return !interrupted();
}

/* ---- Where it goes ---- */

const char *target_format(const job *j, const stele_file *file, const char *path)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') : path;
    const stele_format_info *promised = stele_format_of_name(path);
    if (j->settings->to)
        return j->settings->to;
    if (promised && !to_stdout(path))
        return promised->name;
    return to_stdout(path) || !strchr(name, '.') ? stele_file_format(file) : NULL;
}

char *output_path(const job *j)
{
    const settings *s = j->settings;
    return s->out_dir ? path_in_folder(s->out_dir, j->below, extension_of(s)) : strdup(s->output);
}

/* ---- Saving ---- */

static stele_status save_files(stele_file *file, const char *path, const stele_save_options *options)
{
    size_t count;
    if (!saving_begins())
        return STELE_CANCELLED;
    stele_status status = stele_file_save(file, path, options);
    saving_ends();
    const char *const *outputs = stele_file_outputs(file, &count);
    sweep_folder_of(path);
    for (size_t i = 0; i < count; i++)
        sweep_folder_of(outputs[i]);
    return status;
}

static bool has_dialect(job *j, const stele_format_info *format)
{
    guess g = {.word = j->settings->dialect};
    char all[512] = "";
    for (size_t i = 0; i < format->dialect_count; i++) {
        size_t used = strlen(all);
        if (strcmp(format->dialects[i].name, g.word) == 0)
            return true;
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", format->dialects[i].name);
        consider(&g, format->dialects[i].name);
    }
    job_fails(j, "%s has no dialect called %s; it has %s%s", format->name, g.word, all, did_you_mean(&g));
    return false;
}

stele_status save_output(job *j, stele_file *file, char *path, const char *format)
{
    const settings *s = j->settings;
    progress bar;
    if (!s->dry_run && s->out_dir && !make_folders(path)) {
        job_fails(j, "not written: %s: %s", path, strerror(errno));
        return STELE_IO;
    }
    if (s->dialect && !has_dialect(j, format_named(format)))
        return STELE_USAGE;
    progress_start(&bar, s);
    if (s->out_dir)
        bar.enabled = false; /* the files are the progress */
    stele_save_options options = {.format = format,
                                  .dialect = s->dialect,
                                  .textures = s->embed_textures  ? STELE_TEXTURES_EMBED
                                              : s->copy_textures ? STELE_TEXTURES_COPY
                                              : s->name_textures ? STELE_TEXTURES_NAME
                                                                 : STELE_TEXTURES_REFER,
                                  .strict = s->strict,
                                  .overwrite = replaces(s),
                                  .sync = s->sync,
                                  .dry_run = s->dry_run,
                                  .progress = keep_going,
                                  .progress_user = &bar,
                                  .check = true,
                                  /* a model that is copied too brings its animation, maybe sooner */
                                  .same_is_fine = s->out_dir && j->several && goes_with_others(format_named(format))};
    stele_status status;
    if (s->fps)
        parse_positive(s->fps, &options.fps);
    if (to_stdout(path))
        status = stele_file_write(file, bytes_to_stdout, NULL, &options);
    else
        status = save_files(file, path, &options);
    progress_clear(&bar);
    return status;
}

/* Where it is known: what was asked for, or what an unchanged file has. */
static const char *dialect_written(const job *j, const stele_file *file, const char *format)
{
    const char *own = stele_file_format(file);
    return j->settings->dialect ? j->settings->dialect : own && strcmp(own, format) == 0 ? stele_file_dialect(file) : NULL;
}

void print_output(job *j, const stele_file *file, const char *path, const char *format)
{
    size_t count;
    const char *const *outputs = stele_file_outputs(file, &count);
    print_safe(j->err, j->path, strlen(j->path));
    fputs(" -> ", j->err);
    print_safe(j->err, path, strlen(path));
    const char *dialect = dialect_written(j, file, format);
    fprintf(j->err, " (%s%s%s", format, dialect ? " " : "", dialect ? dialect : "");
    for (size_t i = 0; i + 1 < count; i++) {
        const char *slash = strrchr(outputs[i], '/'), *name = slash ? slash + 1 : outputs[i];
        fputs(i ? ", " : " with ", j->err);
        print_safe(j->err, name, strlen(name));
    }
    fputs(")\n", j->err);
}

void json_output(json *out, const job *j, const stele_file *file, const char *path, const char *format, stele_status status)
{
    size_t count;
    const char *const *outputs = stele_file_outputs(file, &count);
    json_string(out, "output", status == STELE_OK ? path : NULL);
    json_open(out, "beside", '[');
    for (size_t i = 0; status == STELE_OK && i + 1 < count; i++)
        json_string(out, NULL, outputs[i]);
    json_close(out, ']');
    json_string(out, "source_format", stele_file_format(file));
    json_string(out, "format", format);
    json_string(out, "dialect", format ? dialect_written(j, file, format) : NULL);
}

void report_output(job *j, stele_file *file, const char *path, stele_status status, const char *not_done)
{
    char message[1024];
    report_findings(j, file);
    job_ends(j, status == STELE_OK ? stele_open_status(file) : status); /* a copy is written, whatever is wrong with it */
    snprintf(message, sizeof message, "%s%s", stele_file_message(file), hint_for(status));
    if (stele_file_status(file) != STELE_OK && !interrupted() && !(to_stdout(path) && stdout_error())) /* main says that */
        report_failure(j, file, not_done, message);
}

bool has_format(job *j, const char *path, const char *format)
{
    if (!format)
        job_fails(j, "no format that Stele knows has the extension of %s; see stele formats, or say --to FORMAT", path);
    return format;
}

/* ---- Operands ---- */

int run_writing(settings *s, char **operands, size_t count, job_function run, const char *done)
{
    if (s->to && !format_named(s->to))
        return unknown_format(s->to);
    if (s->embed_textures + s->copy_textures + s->name_textures > 1)
        return usage_error("textures are either embedded, copied or only named");
    if (s->output && s->out_dir)
        return usage_error("the output is either a file (-o) or in a folder (--out-dir)");
    if (!s->output && !s->out_dir && count >= 2 && is_folder(operands[count - 1]))
        s->out_dir = operands[--count];
    if (!s->output && !s->out_dir && count == 2)
        s->output = operands[--count];
    int wrong = check_update(s);
    if (wrong)
        return wrong;
    if (s->out_dir)
        return write_depfile(s, run_jobs(s, operands, count, run, done));
    if (count != 1 || !s->output || s->files_from)
        return usage_error("stele %s needs an input and an output, or --out-dir; see stele %s --help", s->verb, s->verb);
    if (s->recursive && is_folder(operands[0]))
        return usage_error("%s is a folder: use --out-dir to say where its files go", operands[0]);
    if (is_folder(s->output))
        return usage_error("%s is a folder: use --out-dir to write into it", s->output);
    if (to_stdout(s->output) && st_is_terminal(STANDARD_OUTPUT) && !s->force)
        return usage_error("the output is binary and would go to the terminal; use -f if you mean it");
    return write_depfile(s, run_jobs(s, operands, 1, run, done));
}
