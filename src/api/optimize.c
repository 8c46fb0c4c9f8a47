/* A handle's model made to cost less, and pictures of it before and after. */
#include <math.h>
#include <string.h>

#include "base/order.h"
#include "handle.h"
#include "optimize/optimize.h"
#include "options.h"
#include "render/render.h"

/* ---- Pictures ---- */

enum { SIDE = 64 };

static bool draw(stele_file *file, const stele_model *model, const stele_render_options *options, uint8_t *rgba)
{
    renderer r = {.model = model, .arena = &file->arena, .threads = file->threads};
    stele_picture picture = {SIDE, SIDE, rgba};
    return st_render(&r, options, &picture);
}

static double difference(const uint8_t *a, const uint8_t *b)
{
    uint64_t sum = 0;
    for (int i = 0; i < 4 * SIDE * SIDE; i++)
        sum += (uint64_t)(a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]);
    return (double)sum / (4.0 * SIDE * SIDE * 255);
}

/* Both are seen from the same place; a pattern instead of textures shows where these are. */
static bool compare_at(stele_file *file, const stele_model *before, const stele_model *after, bool posed, double *error)
{
    arena_mark mark = st_arena_mark(&file->arena);
    renderer r = {.model = before, .arena = &file->arena, .threads = file->threads};
    uint8_t *pictures = st_arena_array(&file->arena, 2, 4 * SIDE * SIDE);
    stele_framing framing;
    stele_render_options options = {
        .overlays = STELE_OVERLAY_UV_CHECKER, .posed = posed, .seconds = posed ? before->clips[0].duration / 2 : 0};
    bool done = pictures && st_frame(&r, &options, false, &framing);
    options.framing = &framing;
    done = done && draw(file, before, &options, pictures) && draw(file, after, &options, pictures + 4 * SIDE * SIDE);
    if (done)
        *error = greater(*error, difference(pictures, pictures + 4 * SIDE * SIDE));
    st_arena_rewind(&file->arena, mark);
    return done;
}

static bool compare_pictures(stele_file *file, const stele_model *before, const stele_model *after, double *error)
{
    *error = 0;
    return compare_at(file, before, after, false, error) &&
           (!before->clip_count || compare_at(file, before, after, true, error));
}

/* ---- The operation ---- */

static const char *problem_of(const stele_optimize_options *o)
{
    if (!(o->tolerance >= 0 && o->tolerance < 1))
        return "the tolerance is not from 0 to 1";
    if (!(o->simplify >= 0 && o->simplify <= 1))
        return "the part of the triangles to keep is not from 0 to 1";
    if (isnan(o->key_tolerance) || !(o->max_error >= 0) || !(o->round >= 0))
        return "a tolerance is no number";
    return NULL;
}

typedef struct attempt {
    stele_file *file;
    const stele_model *model;
    stele_optimize_options options;
    stele_model *result;
    arena_mark mark; /* after which it is made */
    stele_optimize_report *report;
} attempt;

/* Less is what rounding does to pixels, and a pattern on other triangles. */
static bool same_pictures(const attempt *t)
{
    const double least_difference = t->options.simplify > 0 ? 0.02 : 1e-3;
    return t->report->errors.picture <= greater(t->report->limit, least_difference);
}

static bool try_once(attempt *t, double simplify_limit)
{
    stele_optimize_report *r = t->report;
    st_arena_rewind(&t->file->arena, t->mark); /* what was tried before is no longer of interest */
    if (!st_optimize(&t->file->arena, t->model, &t->options, simplify_limit, t->result, r) ||
        !compare_pictures(t->file, t->model, t->result, &r->errors.picture))
        return false;
    r->proven &= same_pictures(t);
    return true;
}

/* How many triangles can go is found out by trying. Where triangles lie in each other, the first is seen: then their order is
 * part of the picture, and stays. */
static bool try_all(attempt *t)
{
    enum { ATTEMPTS = 6 };
    double limit = t->report->limit;
    if (!try_once(t, limit))
        return false;
    for (int i = 1; i <= ATTEMPTS && !t->report->proven && t->options.simplify > 0; i++) {
        limit = i < ATTEMPTS ? limit / 2 : 0;
        if (!try_once(t, limit))
            return false;
    }
    if (same_pictures(t) || t->options.keep_order)
        return true;
    t->options.keep_order = true;
    return try_once(t, limit);
}

static bool optimize(attempt *t)
{
    static const double usual_error = 1e-3, usual_coarse_error = 1e-2;
    const stele_optimize_options *o = &t->options;
    stele_optimize_report *r = t->report;
    r->limit = o->max_error > 0 ? o->max_error : o->simplify > 0 || o->round > 0 ? usual_coarse_error : usual_error;
    return t->result && st_measure(&t->file->arena, t->model, &r->before) && try_all(t) &&
           st_measure(&t->file->arena, t->result, &r->after);
}

static bool is_gain(const stele_measure *a, const stele_measure *b)
{
    return a->vertices != b->vertices || a->triangles != b->triangles || a->vertex_bytes != b->vertex_bytes ||
           a->index_bytes != b->index_bytes || a->acmr != b->acmr || a->overfetch > b->overfetch || a->clips != b->clips ||
           a->channels != b->channels || a->keys != b->keys || a->materials != b->materials || a->textures != b->textures;
}

static void tell_difference(stele_file *file, const stele_optimize_report *r)
{
    double error = greater(st_largest_error(&r->errors), r->errors.picture);
    st_fail(file, STELE_DIFFERENT,
            st_arena_format(&file->arena, "the result would differ by %.3g, and at most %.3g is allowed", error, r->limit));
}

stele_status stele_optimize(stele_file *file, const stele_optimize_options *options, stele_optimize_report *report)
{
    stele_optimize_options taken;
    stele_optimize_report own;
    const stele_model *model = stele_file_model(file);
    report = report ? report : &own;
    memset(report, 0, sizeof *report);
    if (!model)
        return stele_file_status(file);
    bool known = st_take_options(&taken, sizeof taken, options);
    const char *problem = known ? problem_of(&taken) : UNKNOWN_OPTIONS;
    if (problem)
        return st_fail(file, STELE_USAGE, problem);
    arena_mark mark = st_arena_mark(&file->arena);
    attempt t = {.file = file,
                 .model = model,
                 .options = taken,
                 .result = st_arena_alloc(&file->arena, sizeof *t.result),
                 .report = report};
    t.mark = st_arena_mark(&file->arena);
    bool done = optimize(&t);
    report->changed = done && report->proven && is_gain(&report->before, &report->after);
    if (report->changed)
        st_replace_model(file, t.result);
    else
        st_arena_rewind(&file->arena, mark);
    if (done && !report->proven)
        tell_difference(file, report);
    return st_end(file);
}
