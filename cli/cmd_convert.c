#include <stdlib.h>
#include <string.h>

#include "cli.h"

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
    uint32_t clip = find_clip(j, file, model, pose, length);
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

static void print_outcome(job *j, stele_file *file, const char *path, const char *format, stele_status status)
{
    json out;
    report_output(j, file, path, status, "not converted");
    if (j->settings->json) {
        json_begin_job(&out, j);
        json_output(&out, j, file, path, format, status);
        json_end_job(&out, j, file);
    } else if (status == STELE_OK && !j->settings->quiet && !to_stdout(path)) {
        print_output(j, file, path, format);
    }
}

static stele_status convert_to(job *j, stele_file *file, char *path, const char *format)
{
    if (!has_format(j, path, format))
        return STELE_UNSUPPORTED;
    stele_status status = change_model(j, file);
    return status == STELE_OK ? save_output(j, file, path, format) : status;
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
    return run_writing(&s, operands, count, convert, "converted");
}

static const option options[] = {
    {0, "pose", "CLIP@SECONDS", "write a static model of that moment; CLIP is a name or a number", OPTION_TEXT,
     offsetof(settings, pose)},
    {0, "normals", NULL, "compute normals where there are none", OPTION_FLAG, offsetof(settings, normals)},
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
                "  stele convert model.mesh game.mesh --dialect C2     (that renderlib reads)\n"
                "  stele convert - - --to glb < hat.sgm > hat.glb\n",
    .options = options,
    .takes_files = true,
    .takes_many = true,
    .takes_models = true,
    .writes_models = true,
    .run = run,
};
