#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "system/process.h"

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

/* ---- Where it goes ---- */

/* The format to write: said, or promised by the output's extension, or the input's. NULL: no such format. */
static const char *target_format(const job *j, const stele_file *file, const char *path)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') : path;
    const stele_format_info *promised = stele_format_of_name(path);
    if (j->settings->to)
        return j->settings->to;
    if (promised && !to_stdout(path))
        return promised->name;
    return to_stdout(path) || !strchr(name, '.') ? stele_file_format(file) : NULL;
}

/* In a folder a file keeps its name, but for the extension of another format. */
static char *output_path(const job *j)
{
    const settings *s = j->settings;
    return s->out_dir ? path_in_folder(s->out_dir, j->below, extension_of(s)) : strdup(s->output);
}

/* ---- Changing the model first ---- */

/* CLIP@SECONDS, where the clip is a name or a number and the time may be missing. */
static stele_status bake_pose(job *j, stele_file *file)
{
    const char *pose = j->settings->pose, *at = strrchr(pose, '@');
    const stele_model *model = stele_file_model(file);
    size_t length = at ? (size_t)(at - pose) : strlen(pose);
    double seconds = 0;
    if (!model)
        return stele_file_status(file);
    if (at && !parse_number(at + 1, &seconds)) {
        job_fails(j, "'%s' is no time in seconds", at + 1);
        return STELE_USAGE;
    }
    uint32_t clip = find_clip(j, model, pose, length);
    return clip == STELE_NONE ? STELE_USAGE : stele_bake(file, clip, seconds);
}

static stele_status change_model(job *j, stele_file *file)
{
    stele_status status = j->settings->pose ? bake_pose(j, file) : STELE_OK;
    if (status == STELE_OK && j->settings->normals)
        status = stele_make_normals(file);
    return status;
}

/* ---- Converting ---- */

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

static stele_status save(job *j, stele_file *file, char *path, const char *format)
{
    const settings *s = j->settings;
    progress bar;
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
                                  .progress = keep_going,
                                  .progress_user = &bar,
                                  /* a model that is copied too brings its animation, maybe sooner */
                                  .same_is_fine = s->out_dir && j->several && goes_with_others(format_named(format))};
    stele_status status;
    if (s->fps)
        parse_positive(s->fps, &options.fps);
    if (to_stdout(path))
        status = stele_file_write(file, write_bytes, NULL, &options);
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

static void print_success(job *j, const stele_file *file, const char *path, const char *format)
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

static void print_json(job *j, const stele_file *file, const char *path, const char *format, stele_status status)
{
    size_t count;
    const char *const *outputs = stele_file_outputs(file, &count);
    json out;
    json_begin_job(&out, j);
    json_string(&out, "output", status == STELE_OK ? path : NULL);
    json_open(&out, "beside", '[');
    for (size_t i = 0; status == STELE_OK && i + 1 < count; i++)
        json_string(&out, NULL, outputs[i]);
    json_close(&out, ']');
    json_string(&out, "source_format", stele_file_format(file));
    json_string(&out, "format", format);
    json_string(&out, "dialect", format ? dialect_written(j, file, format) : NULL);
    json_end_job(&out, j, file);
}

static void print_outcome(job *j, stele_file *file, const char *path, const char *format, stele_status status)
{
    char message[1024];
    report_findings(j, file);
    job_ends(j, status);
    snprintf(message, sizeof message, "%s%s", stele_file_message(file), hint_for(status));
    if (stele_file_status(file) != STELE_OK && !interrupted() && !(to_stdout(path) && stdout_error())) /* main says that */
        report_failure(j, file, "not converted", message);
    if (j->settings->json)
        print_json(j, file, path, format, status);
    else if (status == STELE_OK && !j->settings->quiet && !to_stdout(path))
        print_success(j, file, path, format);
}

static stele_status convert_to(job *j, stele_file *file, char *path, const char *format)
{
    if (!format) {
        job_fails(j, "no format that Stele knows has the extension of %s; see stele formats, or say --to FORMAT", path);
        return STELE_UNSUPPORTED;
    }
    stele_status status = change_model(j, file);
    if (status != STELE_OK)
        return status;
    if (j->settings->out_dir && !make_folders(path)) {
        job_fails(j, "not converted: %s: %s", path, strerror(errno));
        return STELE_IO;
    }
    return save(j, file, path, format);
}

static void convert(job *j)
{
    char *path = output_path(j);
    if (path && leave_current(j, path)) {
        free(path);
        return;
    }
    /* a copy may be as damaged as its original; another dialect needs content that can be relied on, and a model checks */
    stele_file *file = open_job(j, j->settings->dialect ? STELE_CHECK_SAFE : STELE_CHECK_STRUCTURE);
    if (file && path) {
        const char *format = target_format(j, file, path);
        bool sound = stele_file_status(file) == STELE_OK;
        stele_status status = sound ? convert_to(j, file, path, format) : stele_file_status(file);
        if (status == STELE_OK)
            depend(j, file, path);
        print_outcome(j, file, path, format, status);
        close_job(j, file);
    }
    free(path);
}

static int run(const settings *given, char **operands, size_t count)
{
    settings s = *given;
    if (s.to && !format_named(s.to))
        return unknown_format(s.to);
    if (s.embed_textures + s.copy_textures + s.name_textures > 1)
        return usage_error("textures are either embedded, copied or only named");
    if (s.output && s.out_dir)
        return usage_error("the output is either a file (-o) or in a folder (--out-dir)");
    if (!s.output && !s.out_dir && count >= 2 && is_folder(operands[count - 1]))
        s.out_dir = operands[--count];
    if (!s.output && !s.out_dir && count == 2)
        s.output = operands[--count];
    int wrong = check_update(&s);
    if (wrong)
        return wrong;
    if (s.out_dir)
        return write_depfile(&s, run_jobs(&s, operands, count, convert, "converted"));
    if (count != 1 || !s.output || s.files_from)
        return usage_error("stele convert needs an input and an output, or --out-dir; see stele convert --help");
    if (is_folder(operands[0]))
        return usage_error("%s is a folder: use --out-dir to say where its files go", operands[0]);
    if (is_folder(s.output))
        return usage_error("%s is a folder: use --out-dir to write into it", s.output);
    if (to_stdout(s.output) && st_is_terminal(STANDARD_OUTPUT) && !s.force)
        return usage_error("the output is binary and would go to the terminal; use -f if you mean it");
    return write_depfile(&s, run_jobs(&s, operands, 1, convert, "converted"));
}

static const option options[] = {
    {'t', "to", "FORMAT", "write this format (see stele formats); default: by the extension of OUT", OPTION_TEXT,
     offsetof(settings, to)},
    {'d', "dialect", "NAME", "write this dialect; default: the one that the file has or had, or the usual one", OPTION_TEXT,
     offsetof(settings, dialect)},
    {'o', "output", "FILE", "write this file; - for standard output", OPTION_TEXT, offsetof(settings, output)},
    {0, "out-dir", "FOLDER", "write each file there under its own name", OPTION_TEXT, offsetof(settings, out_dir)},
    {'f', "force", NULL, "replace existing files", OPTION_FLAG, offsetof(settings, force)},
    {'u', "update", NULL, "replace those that are older than what they are made of, and leave the others", OPTION_FLAG,
     offsetof(settings, update)},
    {0, "depfile", "FILE", "write what outputs are made of, for ninja and make", OPTION_TEXT, offsetof(settings, depfile)},
    {0, "strict", NULL, "if anything would be lost, write nothing and exit with 1", OPTION_FLAG, offsetof(settings, strict)},
    {0, "embed-textures", NULL, "put textures into the file where the format can", OPTION_FLAG,
     offsetof(settings, embed_textures)},
    {0, "copy-textures", NULL, "put the files of textures beside the output", OPTION_FLAG, offsetof(settings, copy_textures)},
    {0, "name-textures", NULL,
     "write no image beside the output; default: those that were inside the file, where it cannot hold them", OPTION_FLAG,
     offsetof(settings, name_textures)},
    {0, "pose", "CLIP@SECONDS", "write a static model of that moment; CLIP is a name or a number", OPTION_TEXT,
     offsetof(settings, pose)},
    {0, "normals", NULL, "compute normals where there are none", OPTION_FLAG, offsetof(settings, normals)},
    {0, "sync", NULL, "force files to disk before they get their names", OPTION_FLAG, offsetof(settings, sync)},
    {0},
};

const command command_convert = {
    .name = "convert",
    .summary = "write a file in another format or dialect, and say what is lost",
    .usage = "[OPTION...] IN OUT\n       stele convert [OPTION...] IN -o OUT\n       stele convert [OPTION...] --to FORMAT "
             "--out-dir FOLDER FILE...",
    .examples = "  stele convert hat.sgm hat.glb                       (its .sga goes with it)\n"
                "  stele convert -r models --to glb --out-dir out --embed-textures\n"
                "  stele convert -r models --to glb --out-dir out --update   (only what is older)\n"
                "  stele convert hat.glb hat.sgm --strict              (only if nothing is lost)\n"
                "  stele convert hero.sgm hero.obj --pose walk@0.5\n"
                "  stele convert old.sgm new.sgm --dialect v3\n"
                "  stele convert model.mesh game.mesh --dialect C2     (what the surviving engine of MESH reads)\n"
                "  stele convert - - --to glb < hat.sgm > hat.glb\n",
    .options = options,
    .takes_files = true,
    .takes_many = true,
    .takes_models = true,
    .run = run,
};
