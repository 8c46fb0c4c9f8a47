#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "render.h"
#include "system/process.h"

enum { USUAL_SIZE = 800, USUAL_CELL = 192, MOST_SIDE = 16384, USUAL_FPS = 24 };

static const double turntable_seconds = 4;

/* ---- Understanding the settings ---- */

static bool parse_size(const char *text, uint32_t *width, uint32_t *height)
{
    unsigned w, h;
    char rest;
    int found = sscanf(text, "%6u%*1[xX]%6u%c", &w, &h, &rest);
    if (found == 1 && sscanf(text, "%6u%c", &w, &rest) == 1)
        h = w; /* a square */
    else if (found != 2)
        return false;
    *width = w;
    *height = h;
    return w > 0 && h > 0 && w <= MOST_SIDE && h <= MOST_SIDE;
}

static bool parse_camera(const char *text, stele_render_options *o)
{
    char rest;
    int end = 0;
    o->camera = true;
    o->distance = 1;
    if (sscanf(text, "%f,%f%n", &o->yaw, &o->pitch, &end) != 2)
        return false;
    if (text[end] && sscanf(text + end, ",%f%c", &o->distance, &rest) != 1)
        return false;
    return isfinite(o->yaw) && isfinite(o->pitch) && isfinite(o->distance) && o->distance > 0;
}

static bool parse_color(const char *text, uint8_t rgba[4])
{
    static const struct {
        const char *name;
        uint8_t rgba[4];
    } names[] = {
        {"transparent", {0, 0, 0, 0}}, {"white", {255, 255, 255, 255}}, {"black", {0, 0, 0, 255}}, {"dark", {38, 40, 44, 255}}};
    unsigned c[4] = {0, 0, 0, 255};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i].name) == 0) {
            memcpy(rgba, names[i].rgba, 4);
            return true;
        }
    size_t length = strlen(text);
    if (*text != '#' || (length != 7 && length != 9) || strspn(text + 1, "0123456789abcdefABCDEF") != length - 1)
        return false;
    sscanf(text + 1, "%2x%2x%2x%2x", &c[0], &c[1], &c[2], &c[3]);
    for (int i = 0; i < 4; i++)
        rgba[i] = (uint8_t)c[i];
    return true;
}

static unsigned overlays_of(const settings *s)
{
    return (s->wireframe ? STELE_OVERLAY_WIREFRAME : 0u) | (s->joints ? STELE_OVERLAY_JOINTS : 0u) |
           (s->show_normals ? STELE_OVERLAY_NORMALS : 0u) | (s->uv_checker ? STELE_OVERLAY_UV_CHECKER : 0u) |
           (s->bounds ? STELE_OVERLAY_BOUNDS : 0u) | (s->grid ? STELE_OVERLAY_GRID : 0u) |
           (s->shadow ? STELE_OVERLAY_SHADOW : 0u);
}

/* 0, or EXIT_USAGE after a message. */
static int understand(const settings *s, wishes *w)
{
    uint32_t usual = s->sheet ? USUAL_CELL : USUAL_SIZE;
    *w = (wishes){.width = usual, .height = usual, .fps = USUAL_FPS};
    if (s->size && !parse_size(s->size, &w->width, &w->height))
        return usage_error("'%s' is no size: WIDTHxHEIGHT, each from 1 to %d", s->size, MOST_SIDE);
    if (s->camera && !parse_camera(s->camera, &w->render))
        return usage_error("'%s' is no camera: YAW,PITCH or YAW,PITCH,DISTANCE", s->camera);
    if (s->background && !parse_color(s->background, w->background)) {
        guess g = {.word = s->background};
        consider_all(&g, "white black dark transparent");
        return usage_error("'%s' is no colour: #rrggbb, #rrggbbaa, white, black, dark or transparent%s", s->background,
                           did_you_mean(&g));
    }
    if (s->up && (strlen(s->up) != 1 || !strchr("xyz", *s->up)))
        return usage_error("--up is x, y or z, not '%s'", s->up);
    if (s->time && !parse_number(s->time, &w->time))
        return usage_error("'%s' is no time in seconds", s->time);
    if (s->movie_fps && (!parse_positive(s->movie_fps, &w->fps) || w->fps > 1000))
        return usage_error("'%s' is no number of pictures a second", s->movie_fps);
    if (s->time && !s->clip)
        return usage_error("--time needs a --clip");
    w->render.up = s->up ? *s->up : 0;
    w->render.overlays = overlays_of(s);
    return 0;
}

/* ---- One model ---- */

static bool take_clip(job *j, stele_file *file, const stele_model *model, stele_render_options *o)
{
    const char *name = j->settings->clip;
    if (!name)
        return true;
    o->clip = find_clip(j, file, model, name, strlen(name));
    o->posed = true;
    return o->clip != STELE_NONE;
}

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), size = strlen(end);
    return length >= size && strcmp(path + length - size, end) == 0;
}

static bool is_webp(const settings *s, const char *path)
{
    return ends_with(path, ".webp") || (to_stdout(path) && s->turntable);
}

/* A clip without a time is all of it. */
static bool moves(const settings *s, const char *path)
{
    return is_webp(s, path) && (s->turntable || (s->clip && !s->time));
}

static stele_save_options save_options(const settings *s)
{
    return (stele_save_options){.overwrite = replaces(s), .sync = s->sync, .progress = until_interrupted};
}

static stele_status because(reason *why, stele_status status, const char *message)
{
    snprintf(why->text, sizeof why->text, "%s", status == STELE_OK ? "" : message);
    return status;
}

/* After a call: its message is asked for when it is over, which the order of arguments does not promise. */
static stele_status of_file(reason *why, stele_status status, const stele_file *file)
{
    return because(why, status, stele_file_message(file));
}

static stele_status of_movie(reason *why, stele_status status, const stele_movie *movie)
{
    return because(why, status, stele_movie_message(movie));
}

stele_status save_picture(const settings *s, const stele_picture *picture, const char *path, reason *why)
{
    stele_save_options options = save_options(s);
    char message[sizeof why->text];
    if (to_stdout(path)) {
        stele_status status = stele_picture_write(picture, bytes_to_stdout, NULL, NULL, message, sizeof message);
        return because(why, status, message);
    }
    if (!saving_begins())
        return STELE_CANCELLED;
    stele_status status = stele_picture_save(picture, path, &options, message, sizeof message);
    saving_ends();
    sweep_folder_of(path);
    return because(why, status, message);
}

/* Whole milliseconds, so that rounding does not add up. */
static uint32_t milliseconds_of(size_t picture, double fps)
{
    return (uint32_t)(round(1000.0 * (double)(picture + 1) / fps) - round(1000.0 * (double)picture / fps));
}

enum { MOST_PICTURES = 10000 };

/* A clip, once; or a turn of the model, during which its clip repeats. The last picture is the one before the first. */
static stele_status make_movie(job *j, stele_file *file, const wishes *w, stele_render_options *o, const stele_picture *picture,
                               stele_movie *movie, reason *why)
{
    const stele_model *model = stele_file_model(file);
    bool turns = j->settings->turntable;
    double clip_seconds = o->posed ? model->clips[o->clip].duration : 0;
    double seconds = turns ? turntable_seconds : clip_seconds;
    size_t count = (size_t)lesser(greater(round(seconds * w->fps), 1), MOST_PICTURES);
    float start = o->camera ? o->yaw : 30;
    if (turns && !o->camera) {
        o->camera = true;
        o->pitch = 15;
        o->distance = 1;
    }
    stele_framing framing;
    stele_status status = of_file(why, stele_frame(file, o, turns, &framing), file);
    o->framing = &framing;
    for (size_t i = 0; i < count && status == STELE_OK && !interrupted(); i++) {
        double at = seconds * (double)i / (double)count;
        o->seconds = turns && clip_seconds > 0 ? fmod(at, clip_seconds) : at;
        if (turns)
            o->yaw = start + 360.0f * (float)i / (float)count;
        status = of_file(why, stele_render(file, picture, o), file);
        if (status == STELE_OK)
            status = of_movie(why, stele_movie_add(movie, picture, milliseconds_of(i, w->fps)), movie);
        progress_show(&j->bar, i + 1, count, "pictures");
    }
    o->framing = NULL;
    return interrupted() ? STELE_CANCELLED : status;
}

static stele_status put_movie(const settings *s, stele_movie *movie, const char *path)
{
    stele_save_options options = save_options(s);
    if (to_stdout(path))
        return stele_movie_write(movie, bytes_to_stdout, NULL, NULL);
    if (!saving_begins())
        return STELE_CANCELLED;
    stele_status status = stele_movie_save(movie, path, &options);
    saving_ends();
    sweep_folder_of(path);
    return status;
}

static stele_status make_still(stele_file *file, const wishes *w, stele_render_options *o, const stele_picture *picture,
                               reason *why)
{
    o->seconds = w->time;
    return of_file(why, stele_render(file, picture, o), file);
}

/* Of a file that changed meanwhile nothing is kept. */
static stele_status still_the_same(job *j, const stele_file *file, reason *why)
{
    if (!stele_file_changed(file))
        return STELE_OK;
    j->settled = true;
    return because(why, STELE_IO, FILE_CHANGED);
}

/* A still one is a movie of one picture. */
static stele_status save_webp(job *j, stele_file *file, const wishes *w, stele_render_options *o, const char *path,
                              const stele_picture *picture, reason *why)
{
    stele_movie_options options = {
        .lossless = j->settings->lossless, .parallel = j->threads > 1 ? run_parallel : NULL, .parallel_user = j};
    stele_movie *movie = stele_movie_begin(picture->width, picture->height, &options);
    stele_status status;
    progress_start(&j->bar, j->settings);
    if (moves(j->settings, path)) {
        status = make_movie(j, file, w, o, picture, movie, why);
    } else {
        status = make_still(file, w, o, picture, why);
        if (status == STELE_OK)
            status = of_movie(why, stele_movie_add(movie, picture, 0), movie);
    }
    progress_clear(&j->bar);
    if (status == STELE_OK)
        status = still_the_same(j, file, why);
    if (status == STELE_OK) {
        status = put_movie(j->settings, movie, path);
        because(why, status, stele_movie_message(movie));
    }
    stele_movie_close(movie);
    return status;
}

void print_drawn_json(job *j, const stele_file *file, const wishes *w, const char *path, stele_status status)
{
    json out;
    json_begin_job(&out, j);
    json_string(&out, "output", status == STELE_OK ? path : NULL);
    json_uint(&out, "width", w->width);
    json_uint(&out, "height", w->height);
    json_end_job(&out, j, file);
}

static void print_outcome(job *j, const stele_file *file, const wishes *w, const char *path, stele_status status,
                          const reason *why)
{
    char message[sizeof why->text + 64];
    report_findings(j, file);
    job_ends(j, status);
    snprintf(message, sizeof message, "%s%s", why->text, hint_for(status));
    if (*why->text && !interrupted())
        report_failure(j, file, "not drawn", message);
    if (j->settings->json) {
        print_drawn_json(j, file, w, path, status);
    } else if (status == STELE_OK && !j->settings->quiet && !to_stdout(path)) {
        print_safe(j->err, j->path, strlen(j->path));
        fputs(" -> ", j->err);
        print_safe(j->err, path, strlen(path));
        fprintf(j->err, " (%u x %u)\n", w->width, w->height);
    }
}

static stele_status draw_to(job *j, stele_file *file, const wishes *w, char *path, reason *why)
{
    const stele_model *model = stele_file_model(file);
    stele_render_options o = w->render;
    if (!model)
        return because(why, stele_file_status(file), stele_file_message(file));
    if (!take_clip(j, file, model, &o))
        return STELE_USAGE;
    if (j->settings->background)
        o.background = w->background;
    if (j->settings->out_dir && !make_folders(path)) {
        job_fails(j, "not drawn: %s: %s", path, strerror(errno));
        return STELE_IO;
    }
    stele_picture picture = {w->width, w->height, malloc((size_t)w->width * w->height * 4)};
    stele_status status = STELE_NO_MEMORY;
    if (picture.rgba && is_webp(j->settings, path))
        status = save_webp(j, file, w, &o, path, &picture, why);
    else if (picture.rgba && (status = make_still(file, w, &o, &picture, why)) == STELE_OK &&
             (status = still_the_same(j, file, why)) == STELE_OK)
        status = save_picture(j->settings, &picture, path, why);
    free(picture.rgba);
    return status;
}

static void render_one(job *j)
{
    wishes w;
    understand(j->settings, &w);
    const settings *s = j->settings;
    char *path = s->out_dir ? path_in_folder(s->out_dir, j->below, extension_of(s)) : strdup(s->output);
    if (path && leave_current(j, path)) {
        free(path);
        return;
    }
    stele_file *file = open_job(j, STELE_CHECK_SAFE);
    if (file && path) {
        reason why = {""};
        stele_status status = because(&why, stele_open_status(file), stele_open_message(file));
        if (status == STELE_OK)
            status = draw_to(j, file, &w, path, &why);
        if (status == STELE_OK)
            depend(j, file, path);
        print_outcome(j, file, &w, path, status, &why);
        close_job(j, file);
    }
    free(path);
}

/* ---- The command ---- */

static int run(const settings *given, char **operands, size_t count)
{
    settings s = *given;
    wishes w;
    int error = understand(&s, &w);
    if (error)
        return error;
    if (!count)
        return usage_error("stele render needs a model; see stele render --help");
    if (!s.output && !s.out_dir)
        return usage_error("say where the picture goes: -o OUT.png, or --out-dir FOLDER for several");
    if (s.output && to_stdout(s.output) && st_is_terminal(STANDARD_OUTPUT) && !s.force)
        return usage_error("the output is binary and would go to the terminal; use -f if you mean it");
    int wrong = check_update(&s);
    if (wrong)
        return wrong;
    s.to = s.turntable && !s.sheet ? "webp" : "png"; /* what goes with a model is no model of its own */
    if (s.sheet) {
        if (!s.output || s.out_dir || s.turntable || (!ends_with(s.output, ".png") && !to_stdout(s.output)))
            return usage_error("a sheet is one picture: -o SHEET.png");
        if (s.update)
            return usage_error("--update is for files one by one: a sheet is drawn anew");
        return write_depfile(&s, render_sheet(&s, &w, operands, count));
    }
    if (s.output && (count > 1 || (s.recursive && is_folder(operands[0]))))
        return usage_error("several models: use --sheet for one picture of all, or --out-dir for one of each");
    if (s.output && !ends_with(s.output, ".png") && !ends_with(s.output, ".webp") && !to_stdout(s.output))
        return usage_error("'%s' is neither a .png nor a .webp", s.output);
    if (s.turntable && s.output && !moves(&s, s.output))
        return usage_error("a turntable moves: -o OUT.webp");
    return write_depfile(&s, run_jobs(&s, operands, count, render_one, "drawn"));
}

#define AT(field) offsetof(settings, field)

static const option options[] = {
    {'o', "output", "FILE", "a .png or a .webp, which moves with --clip or --turntable; - for standard output", OPTION_TEXT,
     AT(output)},
    {0, "out-dir", "FOLDER", "write a .png of each model there, or a .webp with --turntable", OPTION_TEXT, AT(out_dir)},
    {0, "sheet", NULL, "one picture of all models, with their names", OPTION_FLAG, AT(sheet)},
    {0, "size", "WxH", "in pixels (default: 800x800; of one model on a sheet: 192x192)", OPTION_TEXT, AT(size)},
    {0, "camera", "YAW,PITCH[,DIST]", "degrees round the model and up; distance 1 fills the picture", OPTION_TEXT, AT(camera)},
    {0, "clip", "NAME|N", "all of this clip in a .webp, or a moment of it", OPTION_TEXT, AT(clip)},
    {0, "time", "SECONDS", "the moment of the clip (default: 0)", OPTION_TEXT, AT(time)},
    {0, "turntable", NULL, "turn the model once round in a .webp", OPTION_FLAG, AT(turntable)},
    {0, "movie-fps", "N", "pictures a second in a .webp (default: 24)", OPTION_TEXT, AT(movie_fps)},
    {0, "lossless", NULL, "exact colours in a .webp, which is larger", OPTION_FLAG, AT(lossless)},
    {0, "up", "x|y|z", "the axis of the model that is up (default: y)", OPTION_TEXT, AT(up)},
    {0, "background", "COLOR", "#rrggbb, #rrggbbaa, white, black, dark or transparent", OPTION_TEXT, AT(background)},
    {0, "wireframe", NULL, "show the edges of triangles", OPTION_FLAG, AT(wireframe)},
    {0, "joints", NULL, "show the skeleton", OPTION_FLAG, AT(joints)},
    {0, "show-normals", NULL, "show the normals of vertices", OPTION_FLAG, AT(show_normals)},
    {0, "uv-checker", NULL, "show the texture coordinates instead of textures", OPTION_FLAG, AT(uv_checker)},
    {0, "bounds", NULL, "show the bounding box", OPTION_FLAG, AT(bounds)},
    {0, "grid", NULL, "show the ground as a grid", OPTION_FLAG, AT(grid)},
    {0, "shadow", NULL, "let the model throw a shadow on the ground", OPTION_FLAG, AT(shadow)},
    {'f', "force", NULL, "replace existing files", OPTION_FLAG, AT(force)},
    {'u', "update", NULL, "replace those that are older than what they are made of, and leave the others", OPTION_FLAG,
     AT(update)},
    {0, "depfile", "FILE", "write what pictures are made of, for ninja and make", OPTION_TEXT, AT(depfile)},
    {0},
};

const command command_render = {
    .name = "render",
    .summary = "draw a picture of a model, without a graphics card",
    .usage = "[OPTION...] FILE -o OUT.png\n       stele render [OPTION...] --sheet FILE... -o SHEET.png\n"
             "       stele render [OPTION...] --out-dir FOLDER FILE...",
    .examples = "  stele render hat.sgm -o hat.png --shadow\n"
                "  stele render hero.sgm -o walk.webp --clip walk\n"
                "  stele render hero.glb -o hero.webp --turntable --background transparent\n"
                "  stele render hero.mesh -o bones.png --clip 0 --time 0.5 --joints\n"
                "  stele render -r models --sheet -o catalogue.png\n",
    .options = options,
    .takes_files = true,
    .takes_many = true,
    .takes_models = true,
    .run = run,
};
