#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

static const char *single_output; /* the OUT of "convert IN OUT"; written once, before any thread */

static bool to_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

static bool write_bytes(void *user, const void *data, size_t size)
{
    (void)user;
    return write_stdout(data, size);
}

static bool keep_going(void *user, uint64_t done, uint64_t total)
{
    progress_show(user, done, total, "bytes");
    return !interrupted();
}

/* Until there are conversions between formats, the extension of the output must be the format's own. */
static bool fits_extension(const char *format_name, const char *path)
{
    const stele_format_info *format = stele_format_of_name(path);
    const char *name = strrchr(path, '/') ? strrchr(path, '/') : path;
    return format ? strcmp(format->name, format_name) == 0 : !strchr(name, '.');
}

static bool make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made)
            return false;
    }
    return true;
}

static char *output_path(const job *j)
{
    char *path;
    if (!j->settings->out_dir)
        return strdup(single_output);
    size_t size = strlen(j->settings->out_dir) + strlen(j->below) + 2;
    path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s", j->settings->out_dir, j->below);
    return path;
}

static stele_status save(job *j, stele_file *file, char *path)
{
    progress bar;
    progress_start(&bar, j->settings);
    if (j->settings->out_dir)
        bar.enabled = false; /* the files are the progress */
    stele_save_options options = {.dialect = j->settings->dialect,
                                  .strict = j->settings->strict,
                                  .overwrite = j->settings->force,
                                  .sync = j->settings->sync,
                                  .progress = keep_going,
                                  .progress_user = &bar};
    stele_status status;
    if (to_stdout(path))
        status = stele_file_write(file, write_bytes, NULL, &options);
    else
        status = stele_file_save(file, path, &options);
    progress_clear(&bar);
    return status;
}

static void print_failure(job *j, stele_file *file, const char *path)
{
    const char *message = stele_file_message(file);
    bool exists = strstr(message, "exists already") != NULL;
    if (!(to_stdout(path) && stdout_error())) /* main says that */
        complain(j->err, "%s: not converted: %s%s", j->path, message, exists ? "; use -f to replace it" : "");
}

static void print_outcome(job *j, stele_file *file, const char *path, stele_status status)
{
    const char *dialect = j->settings->dialect ? j->settings->dialect : stele_file_dialect(file);
    report_findings(j, file);
    if (stele_file_status(file) != STELE_OK)
        print_failure(j, file, path);
    if (j->settings->json) {
        json out;
        json_begin(&out, to_stdout(path) ? j->err : j->out, "convert", j->path);
        json_string(&out, "output", status == STELE_OK ? path : NULL);
        json_string(&out, "format", stele_file_format(file));
        json_string(&out, "dialect", dialect);
        json_diagnostics(&out, file, 0);
        json_end(&out);
    } else if (status == STELE_OK && !j->settings->quiet && !to_stdout(path)) {
        print_safe(j->err, j->path, strlen(j->path));
        fputs(" -> ", j->err);
        print_safe(j->err, path, strlen(path));
        fprintf(j->err, " (%s %s)\n", stele_file_format(file), dialect);
    }
}

static stele_status convert_to(job *j, stele_file *file, char *path)
{
    const char *format = stele_file_format(file);
    if (!format)
        return stele_file_status(file);
    if (!to_stdout(path) && !fits_extension(format, path)) {
        complain(j->err, "%s: this version writes %s files as %s only, not as %s", j->path, format, format, path);
        return STELE_UNSUPPORTED;
    }
    if (j->settings->out_dir && !make_folders(path)) {
        complain(j->err, "%s: %s", path, strerror(errno));
        return STELE_IO;
    }
    return save(j, file, path);
}

static void convert(job *j)
{
    /* a copy may be as damaged as its original; another dialect needs content that can be relied on */
    stele_file *file = open_job(j, j->settings->dialect ? STELE_CHECK_SAFE : STELE_CHECK_STRUCTURE);
    char *path = output_path(j);
    if (file && path) {
        bool sound = stele_file_status(file) == STELE_OK;
        stele_status status = sound ? convert_to(j, file, path) : stele_file_status(file);
        print_outcome(j, file, path, status);
        j->exit_code = exit_code_of(status);
        close_job(j, file);
    }
    free(path);
}

static int run(const settings *s, char **operands, size_t count)
{
    catch_interrupts();
    if (s->out_dir)
        return run_jobs(s, operands, count, convert, "converted");
    if (count != 2)
        return usage_error("stele convert needs an input and an output, or --out-dir; see stele convert --help");
    struct stat status;
    if (stat(operands[0], &status) == 0 && S_ISDIR(status.st_mode))
        return usage_error("%s is a folder: use --out-dir to say where its files go", operands[0]);
    single_output = operands[1];
    if (to_stdout(single_output) && isatty(STDOUT_FILENO) && !s->force)
        return usage_error("the output is binary and would go to the terminal; use -f if you mean it");
    return run_jobs(s, operands, 1, convert, "converted");
}

static const option options[] = {
    {'d', "dialect", "NAME", "write this dialect (see stele formats); default: the file's own", OPTION_TEXT,
     offsetof(settings, dialect)},
    {'o', "out-dir", "FOLDER", "write each file there under its own name", OPTION_TEXT, offsetof(settings, out_dir)},
    {'f', "force", NULL, "replace existing files", OPTION_FLAG, offsetof(settings, force)},
    {0, "strict", NULL, "if anything would be lost, write nothing and exit with 1", OPTION_FLAG, offsetof(settings, strict)},
    {0, "sync", NULL, "force files to disk before they get their names", OPTION_FLAG, offsetof(settings, sync)},
    {0},
};

const command command_convert = {
    .name = "convert",
    .summary = "write a file again, in another dialect if you like",
    .usage = "[OPTION...] IN OUT\n       stele convert [OPTION...] --out-dir FOLDER FILE...",
    .examples = "  stele convert old.sgm new.sgm --dialect v3\n"
                "  stele convert -r old --out-dir new --dialect v3\n"
                "  stele convert model.mesh game.mesh --dialect C2     (what the surviving engine of MESH reads)\n"
                "  stele convert - - < hat.sgm > copy.sgm\n",
    .options = options,
    .takes_files = true,
    .run = run,
};
