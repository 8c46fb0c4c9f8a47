#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MOST_LODS = 8 };

/* One file to write: the model itself, or one with fewer triangles. */
typedef struct level {
    job job; /* a copy of the job's, for opening */
    settings settings;
    stele_file *file;
    char *path;
    double part; /* of the triangles; 0: all */
    stele_optimize_report report;
    uint64_t bytes_before, bytes_after;
} level;

typedef struct levels {
    level items[1 + MOST_LODS];
    size_t count;
    const char *format;
} levels;

/* ---- What is wanted ---- */

/* A part of the triangles, from 0 to 1 but neither. */
static bool parse_part(const char *text, char **end, double *part)
{
    *part = strtod(text, end);
    return *end != text && *part > 0 && *part < 1;
}

/* Parts that are separated by commas; how many, or 0 if they are none. */
static size_t parse_lods(const char *text, double parts[MOST_LODS])
{
    char *end = (char *)text;
    for (size_t count = 0; count < MOST_LODS; text = end + 1) {
        if (!parse_part(text, &end, &parts[count++]))
            return 0;
        if (*end != ',')
            return *end ? 0 : count;
    }
    return 0;
}

static stele_optimize_options options_of(const settings *s, const level *l, const char *format)
{
    char *end;
    bool gltf = strcmp(format, "glb") == 0 || strcmp(format, "gltf") == 0;
    stele_optimize_options o = {.simplify = l->part, .prune = s->prune, .keep_order = s->keep_order, .whole_rows = !gltf};
    if (s->tolerance)
        parse_number(s->tolerance, &o.tolerance);
    if (s->key_tolerance)
        parse_number(s->key_tolerance, &o.key_tolerance);
    if (s->key_tolerance && o.key_tolerance == 0)
        o.key_tolerance = -1; /* the library's 0 is the usual one */
    if (s->round)
        parse_number(s->round, &o.round);
    if (s->max_error)
        parse_number(s->max_error, &o.max_error);
    if (s->simplify && l->part == 0)
        parse_part(s->simplify, &end, &o.simplify);
    return o;
}

/* hat.sgm, hat_lod1.sgm, hat_lod2.sgm */
static char *path_of_level(const char *path, size_t level)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t stem = dot && dot > (slash ? slash + 1 : path) ? (size_t)(dot - path) : strlen(path), room = strlen(path) + 32;
    char *made = malloc(room);
    if (made && level)
        snprintf(made, room, "%.*s_lod%zu%s", (int)stem, path, level, path + stem);
    else if (made)
        snprintf(made, room, "%s", path);
    return made;
}

/* ---- Text ---- */

static void print_row(FILE *out, const char *name, double before, double after, bool whole)
{
    char text[2][32];
    for (int i = 0; i < 2; i++)
        snprintf(text[i], sizeof text[i], whole ? "%.0f" : "%.3f", i ? after : before);
    fprintf(out, "  %-10s %12s %12s", name, text[0], text[1]);
    if (before > 0 && before != after)
        fprintf(out, " %+6.1f %%", 100 * (after / before - 1));
    fputc('\n', out);
}

static double largest_error(const stele_optimize_errors *e)
{
    const double errors[] = {e->position, e->normal, e->uv, e->color, e->weight, e->node, e->picture};
    double largest = 0;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        largest = errors[i] > largest ? errors[i] : largest;
    return largest;
}

static void print_table(FILE *out, const level *l)
{
    const stele_measure *a = &l->report.before, *b = &l->report.after;
    const stele_optimize_errors *e = &l->report.errors;
    fprintf(out, "  %-10s %12s %12s\n", "", "before", "after");
    print_row(out, "bytes", (double)l->bytes_before, (double)l->bytes_after, true);
    print_row(out, "vertices", (double)a->vertices, (double)b->vertices, true);
    print_row(out, "triangles", (double)a->triangles, (double)b->triangles, true);
    print_row(out, "ACMR", a->acmr, b->acmr, false);
    print_row(out, "ATVR", a->atvr, b->atvr, false);
    print_row(out, "overfetch", a->overfetch, b->overfetch, false);
    print_row(out, "clips", (double)a->clips, (double)b->clips, true);
    print_row(out, "keys", (double)a->keys, (double)b->keys, true);
    fprintf(out,
            "  differs by at most %.2g: positions %.2g, normals %.2g, uvs %.2g, colours %.2g, joints %.2g, pictures %.2g\n",
            largest_error(e), e->position, e->normal, e->uv, e->color, e->node, e->picture);
}

static void print_line(FILE *out, const char *path, const level *l)
{
    const stele_measure *a = &l->report.before, *b = &l->report.after;
    print_safe(out, path, strlen(path));
    fprintf(out, ": %llu -> %llu bytes, %llu -> %llu vertices, ACMR %.2f -> %.2f, %llu -> %llu keys, differs by %.2g\n",
            (unsigned long long)l->bytes_before, (unsigned long long)l->bytes_after, (unsigned long long)a->vertices,
            (unsigned long long)b->vertices, a->acmr, b->acmr, (unsigned long long)a->keys, (unsigned long long)b->keys,
            largest_error(&l->report.errors));
}

/* The table is what was asked for, unless that is the file itself. */
static void print_level(job *j, const level *l, const char *format)
{
    FILE *out = to_stdout(l->path) ? j->err : j->out;
    if (!j->settings->dry_run && !to_stdout(l->path))
        print_output(j, l->file, l->path, format);
    if (j->several && !j->settings->verbose)
        print_line(out, l->path, l);
    else
        print_table(out, l);
}

/* ---- JSON ---- */

static void json_measure(json *out, const char *key, const stele_measure *m, uint64_t bytes)
{
    json_open(out, key, '{');
    json_uint(out, "bytes", bytes);
    json_uint(out, "vertices", m->vertices);
    json_uint(out, "triangles", m->triangles);
    json_uint(out, "vertex_bytes", m->vertex_bytes);
    json_uint(out, "index_bytes", m->index_bytes);
    json_number(out, "acmr", m->acmr, false);
    json_number(out, "atvr", m->atvr, false);
    json_number(out, "overfetch", m->overfetch, false);
    json_uint(out, "clips", m->clips);
    json_uint(out, "channels", m->channels);
    json_uint(out, "keys", m->keys);
    json_uint(out, "materials", m->materials);
    json_uint(out, "textures", m->textures);
    json_close(out, '}');
}

static void json_report(json *out, const level *l)
{
    const stele_optimize_errors *e = &l->report.errors;
    json_measure(out, "before", &l->report.before, l->bytes_before);
    json_measure(out, "after", &l->report.after, l->bytes_after);
    json_open(out, "errors", '{');
    json_number(out, "position", e->position, false);
    json_number(out, "normal", e->normal, false);
    json_number(out, "uv", e->uv, false);
    json_number(out, "color", e->color, false);
    json_number(out, "weight", e->weight, false);
    json_number(out, "joint", e->node, false);
    json_number(out, "picture", e->picture, false);
    json_close(out, '}');
    json_number(out, "max_error", l->report.limit, false);
    json_bool(out, "changed", l->report.changed);
}

static void print_json(job *j, const levels *all, stele_status status)
{
    json out;
    const level *first = &all->items[0];
    json_begin_job(&out, j);
    json_output(&out, j, first->file, first->path, all->format, j->settings->dry_run ? STELE_CANCELLED : status);
    if (status == STELE_OK || status == STELE_DIFFERENT)
        json_report(&out, first);
    json_open(&out, "lods", '[');
    for (size_t i = 1; status == STELE_OK && i < all->count; i++) {
        json_open(&out, NULL, '{');
        json_string(&out, "output", j->settings->dry_run ? NULL : all->items[i].path);
        json_report(&out, &all->items[i]);
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_end_job(&out, j, first->file);
}

/* ---- Optimising ---- */

/* What an unchanged copy takes, with the files that belong to it. */
static uint64_t bytes_of(stele_file *file)
{
    const stele_save_options copy = {.format = stele_file_format(file), .dry_run = true};
    const char *extension = stele_file_format(file);
    char path[64];
    snprintf(path, sizeof path, "copy.%s", extension ? extension : "glb");
    return stele_file_save(file, path, &copy) == STELE_OK ? stele_file_output_bytes(file) : 0;
}

static stele_status optimize_level(job *j, level *l, const char *format)
{
    stele_optimize_options options = options_of(j->settings, l, format);
    l->bytes_before = bytes_of(l->file);
    return stele_optimize(l->file, &options, &l->report);
}

static stele_status save_level(job *j, level *l, const char *format)
{
    stele_status status = save_output(j, l->file, l->path, format);
    l->bytes_after = stele_file_output_bytes(l->file);
    return status;
}

/* All levels together have the memory that one file may have. */
static uint64_t memory_left(const levels *all)
{
    uint64_t limit = stele_file_memory_limit(all->items[0].file), used = 0;
    for (size_t i = 0; i < all->count; i++)
        used += stele_file_memory(all->items[i].file);
    return limit == UINT64_MAX ? limit : used < limit ? limit - used : 1;
}

/* Opens what the first level was made from again; standard input, for one, is there only once. */
static stele_status open_again(job *j, levels *all, level *l)
{
    uint64_t size;
    const void *content = stele_file_bytes(all->items[0].file, &size);
    l->settings = *j->settings;
    if (!j->imported) {
        l->settings.content = content;
        l->settings.content_size = (size_t)size;
    }
    l->job = *j;
    l->job.settings = &l->settings;
    l->job.imported = NULL;
    l->job.memory_left = memory_left(all);
    l->file = open_job(&l->job, STELE_CHECK_SAFE);
    memcpy(j->error, l->job.error, sizeof j->error); /* is said once */
    return stele_file_status(l->file);
}

/* All are made before the first is written, one after the other, so that only what they became is kept of them. The one that
 * something went wrong with is the one to report. */
static stele_status make_levels(job *j, levels *all, level **failed)
{
    stele_status status = STELE_OK;
    for (size_t i = 0; status == STELE_OK && i < all->count; i++) {
        *failed = &all->items[i];
        if (i)
            status = open_again(j, all, *failed);
        if (status == STELE_OK)
            status = optimize_level(j, *failed, all->format);
    }
    for (size_t i = 0; status == STELE_OK && i < all->count; i++)
        status = save_level(j, *failed = &all->items[i], all->format);
    return status;
}

/* What there will be, and the first of it opened. */
static bool begin_levels(job *j, levels *all, const char *path)
{
    double parts[MOST_LODS];
    all->count = 1 + (j->settings->lod ? parse_lods(j->settings->lod, parts) : 0);
    for (size_t i = 0; i < all->count; i++) {
        all->items[i].part = i ? parts[i - 1] : 0;
        all->items[i].path = path_of_level(path, i);
        if (!all->items[i].path)
            return false;
    }
    all->items[0].file = open_job(j, STELE_CHECK_SAFE);
    return all->items[0].file;
}

static void close_levels(job *j, levels *all)
{
    for (size_t i = all->count; i--;) {
        if (all->items[i].file)
            close_job(i ? &all->items[i].job : j, all->items[i].file);
        free(all->items[i].path);
    }
}

static void optimize(job *j)
{
    levels all = {0};
    char *path = j->settings->out_dir || j->settings->output ? output_path(j) : strdup(j->path);
    level *failed = &all.items[0];
    if (path && !j->settings->dry_run && leave_current(j, path)) {
        free(path);
        return;
    }
    if (path && begin_levels(j, &all, path)) {
        stele_file *file = all.items[0].file;
        stele_status status = stele_file_status(file);
        all.format = target_format(j, file, path);
        if (status == STELE_OK && !has_format(j, path, all.format))
            status = STELE_UNSUPPORTED;
        if (status == STELE_OK)
            status = make_levels(j, &all, &failed);
        if (status == STELE_OK)
            depend(j, file, path);
        report_output(j, failed->file, failed->path, status, "not optimized");
        if (j->settings->json)
            print_json(j, &all, status);
        for (size_t i = 0; status == STELE_OK && !j->settings->json && !j->settings->quiet && i < all.count; i++)
            print_level(j, &all.items[i], all.format);
    }
    close_levels(j, &all);
    free(path);
}

static int run(const settings *given, char **operands, size_t count)
{
    settings s = *given;
    double part, parts[MOST_LODS];
    char *end;
    s.rewrites = true;
    if (s.simplify && (!parse_part(s.simplify, &end, &part) || *end))
        return usage_error("--simplify takes the part of the triangles to keep, such as 0.5, not '%s'", s.simplify);
    if (s.lod && !parse_lods(s.lod, parts))
        return usage_error("--lod takes up to %d parts of the triangles, such as 0.5,0.25, not '%s'", MOST_LODS, s.lod);
    if (s.lod && s.output && to_stdout(s.output))
        return usage_error("several files cannot go to standard output");
    if (s.dry_run && !s.output && !s.out_dir && !s.to)
        return run_jobs(&s, operands, count, optimize, "looked at");
    return run_writing(&s, operands, count, optimize, "optimized");
}

static const option options[] = {
    {'n', "dry-run", NULL, "only tell what would be gained; then there may be many files, and no OUT", OPTION_FLAG,
     offsetof(settings, dry_run)},
    {0, "tolerance", "NUMBER", "vertices that differ by no more become one (default: 0; of positions, of the model's size)",
     OPTION_TEXT, offsetof(settings, tolerance)},
    {0, "key-tolerance", "NUMBER", "keys that interpolation gives back within this go (default: 1e-5; 0: all stay)",
     OPTION_TEXT, offsetof(settings, key_tolerance)},
    {0, "round", "NUMBER",
     "colours and weights that whole numbers of 8 or 16 bits are within this of become so (default: 0; 0.002: all of 8)",
     OPTION_TEXT, offsetof(settings, round)},
    {0, "simplify", "PART", "keep this part of the triangles, as far as --max-error allows", OPTION_TEXT,
     offsetof(settings, simplify)},
    {0, "lod", "PART,...", "write NAME_lod1, NAME_lod2 ... too, with these parts of the triangles", OPTION_TEXT,
     offsetof(settings, lod)},
    {0, "max-error", "NUMBER",
     "if the result differs by more, write nothing and exit with 1 (default: 1e-3; with fewer "
     "triangles or --round 1e-2)",
     OPTION_TEXT, offsetof(settings, max_error)},
    {0, "keep-order", NULL, "leave triangles in their order", OPTION_FLAG, offsetof(settings, keep_order)},
    {0, "prune", NULL, "drop unused materials and textures and repeated clips, which changes the numbers of others",
     OPTION_FLAG, offsetof(settings, prune)},
    {0},
};

const command command_optimize = {
    .name = "optimize",
    .summary = "make a model cheaper to load and draw, and prove it is the same",
    .usage = "[OPTION...] IN OUT\n       stele optimize [OPTION...] --out-dir FOLDER FILE...\n       stele optimize --dry-run "
             "FILE...",
    .examples = "  stele optimize hat.sgm small.sgm\n"
                "  stele optimize -r models --out-dir game --lod 0.5,0.25  (NAME_lod1.sgm ...)\n"
                "  stele optimize hero.glb hero.glb -f --key-tolerance 1e-4\n"
                "  stele optimize --dry-run --json -r models\n",
    .options = options,
    .takes_files = true,
    .takes_many = true,
    .takes_models = true,
    .writes_models = true,
    .run = run,
};
