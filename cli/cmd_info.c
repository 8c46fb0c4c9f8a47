#include <string.h>

#include "cli.h"

static void print_name(FILE *out, const char *name)
{
    print_safe(out, name, strlen(name));
}

static void print_heading(FILE *out, const char *heading)
{
    bool color = colored_stdout();
    fprintf(out, "  %s%-11s%s", tint_on(color, TINT_DIM), heading, tint_off(color, TINT_DIM));
}

static void print_bounds(FILE *out, const stele_bounds *b)
{
    if (b->known)
        fprintf(out, "(%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g), size %.4g x %.4g x %.4g\n", (double)b->min[0],
                (double)b->min[1], (double)b->min[2], (double)b->max[0], (double)b->max[1], (double)b->max[2],
                (double)b->max[0] - (double)b->min[0], (double)b->max[1] - (double)b->min[1],
                (double)b->max[2] - (double)b->min[2]);
    else
        fputs("none\n", out);
}

static void print_some(FILE *out, uint64_t count, const char *one, const char *many)
{
    print_count(out, count);
    fprintf(out, " %s", count == 1 ? one : many);
}

/* Of triangles, lines and points those that there are. */
static void print_elements(FILE *out, uint64_t vertices, uint64_t triangles, uint64_t lines, uint64_t points)
{
    print_some(out, vertices, "vertex", "vertices");
    if (triangles || !(lines + points)) {
        fputs(", ", out);
        print_some(out, triangles, "triangle", "triangles");
    }
    if (lines) {
        fputs(", ", out);
        print_some(out, lines, "line", "lines");
    }
    if (points) {
        fputs(", ", out);
        print_some(out, points, "point", "points");
    }
}

static void print_meshes(FILE *out, const stele_info *info)
{
    stele_mesh_info all = {0};
    for (size_t i = 0; i < info->mesh_count; i++) {
        all.vertices += info->meshes[i].vertices;
        all.triangles += info->meshes[i].triangles;
        all.lines += info->meshes[i].lines;
        all.points += info->meshes[i].points;
    }
    print_heading(out, "meshes");
    fprintf(out, "%zu: ", info->mesh_count);
    print_elements(out, all.vertices, all.triangles, all.lines, all.points);
    fputc('\n', out);
    for (size_t i = 0; i < info->mesh_count; i++) {
        const stele_mesh_info *m = &info->meshes[i];
        fprintf(out, "    [%zu] ", i);
        print_elements(out, m->vertices, m->triangles, m->lines, m->points);
        if (m->material != STELE_NONE)
            fprintf(out, ", material %u", m->material);
        fputs(":", out);
        for (size_t k = 0; k < m->attribute_count; k++)
            fprintf(out, " %s", m->attributes[k]);
        fputc('\n', out);
    }
}

static void print_texture(FILE *out, const stele_texture_info *t)
{
    fprintf(out, "        texture: %s on uv %u: ", t->role, t->uv_set);
    print_name(out, t->name);
    if (t->data) {
        fputs(" (inside the file", out);
    } else if (!t->found) {
        fputs(" (not found", out);
    } else if (strcmp(t->found, t->name) == 0) {
        fputs(" (found", out);
    } else {
        fputs(" (found as ", out);
        print_name(out, t->found);
    }
    if (t->width)
        fprintf(out, ", %u x %u", t->width, t->height);
    if (t->bytes) {
        fputs(", ", out);
        print_some(out, t->bytes, "byte", "bytes");
    }
    fputs(")\n", out);
}

static void print_material(FILE *out, const stele_material_info *m, size_t index)
{
    fprintf(out, "    [%zu]%s\n", index, m->color_count + m->texture_count ? "" : " plain");
    for (size_t i = 0; i < m->color_count; i++) {
        const float *c = m->colors[i].rgba;
        fprintf(out, "        color: %s (%.3g, %.3g, %.3g, %.3g)\n", m->colors[i].role, (double)c[0], (double)c[1],
                (double)c[2], (double)c[3]);
    }
    for (size_t i = 0; i < m->texture_count; i++)
        print_texture(out, &m->textures[i]);
}

static void print_clips(FILE *out, const stele_info *info)
{
    print_heading(out, "clips");
    fprintf(out, "%zu\n", info->clip_count);
    for (size_t i = 0; i < info->clip_count; i++) {
        const stele_clip_info *c = &info->clips[i];
        fprintf(out, "    [%zu] ", i);
        print_name(out, c->name);
        fprintf(out, "%s%.3g s, ", *c->name ? ": " : "", c->seconds);
        print_count(out, c->tracks);
        fprintf(out, " track%s, ", c->tracks == 1 ? "" : "s");
        print_count(out, c->keys);
        fprintf(out, " key%s", c->keys == 1 ? "" : "s");
        if (c->repeats)
            fprintf(out, " (the same as [%zu])", repeated_clip(info, i));
        fputs(c->keys ? "\n" : " (empty)\n", out);
    }
}

/* Where the nodes change something. */
static void print_drawn(FILE *out, const stele_info *info, const stele_drawn *d)
{
    uint64_t vertices = 0;
    for (size_t i = 0; i < info->mesh_count; i++)
        vertices += info->meshes[i].vertices;
    if (vertices != d->vertices) {
        print_heading(out, "drawn");
        print_some(out, d->meshes, "node: ", "nodes: ");
        print_elements(out, d->vertices, d->triangles, d->lines, d->points);
        fputc('\n', out);
    }
    print_heading(out, "bounds");
    print_bounds(out, &d->bounds);
}

static void print_content(FILE *out, const stele_info *info, const stele_drawn *drawn)
{
    if (info->mesh_count)
        print_meshes(out, info);
    if (info->material_count) {
        print_heading(out, "materials");
        fprintf(out, "%zu\n", info->material_count);
        for (size_t i = 0; i < info->material_count; i++)
            print_material(out, &info->materials[i], i);
    }
    for (size_t i = 0; i < info->companion_count; i++) {
        print_heading(out, info->companions[i].role);
        print_name(out, info->companions[i].name);
        bool readable = info->skeleton || strcmp(info->companions[i].role, "animation") != 0;
        fputs(!info->companions[i].found ? " (not found)\n" : readable ? " (found)\n" : " (found, but cannot be read)\n", out);
    }
    const char *skeleton = info->skeleton ? info->skeleton : "";
    if (info->skeleton || info->joints) {
        print_heading(out, "skeleton");
        print_name(out, skeleton);
        fprintf(out, "%s%llu joint%s\n", *skeleton ? ": " : "", (unsigned long long)info->joints, info->joints == 1 ? "" : "s");
    }
    if (info->skeleton || info->clip_count)
        print_clips(out, info);
    if (info->morphs) {
        print_heading(out, "morphs");
        fprintf(out, "%llu\n", (unsigned long long)info->morphs);
    }
    if (info->attachments) {
        print_heading(out, "attached");
        fprintf(out, "%llu attachment point%s\n", (unsigned long long)info->attachments, info->attachments == 1 ? "" : "s");
    }
    if (info->mesh_count && drawn) {
        print_drawn(out, info, drawn);
    } else if (info->mesh_count) {
        print_heading(out, "bounds");
        print_bounds(out, &info->bounds);
    }
}

static void print_text(job *j, stele_file *file, const stele_info *info, const stele_drawn *drawn)
{
    uint64_t size;
    bool color = colored_stdout();
    stele_file_bytes(file, &size);
    if (!stele_file_format(file))
        return;
    fputs(tint_on(color, TINT_BOLD), j->out);
    print_name(j->out, j->path);
    fputs(tint_off(color, TINT_BOLD), j->out);
    fputc('\n', j->out);
    print_heading(j->out, "format");
    print_kind(j->out, j, file);
    fputs(", ", j->out);
    print_count(j->out, size);
    fputs(" bytes\n", j->out);
    if (info)
        print_content(j->out, info, drawn);
}

static void print_json(job *j, stele_file *file)
{
    json out;
    json_begin_job(&out, j);
    json_info(&out, file);
    json_end_job(&out, j, file);
}

static void info(job *j)
{
    stele_file *file = open_job(j, STELE_CHECK_SAFE);
    if (!file)
        return;
    report_findings(j, file);
    stele_drawn drawn;
    stele_status status = stele_file_drawn(file, &drawn);
    const stele_info *info = status == STELE_NO_MEMORY ? NULL : stele_file_info(file);
    if (!opening_error(file) && !info) {
        job_fails(j, "%s", stele_file_message(file));
        j->exit_code = exit_code_of(stele_file_status(file));
    }
    if (j->settings->json)
        print_json(j, file);
    else
        print_text(j, file, info, status == STELE_OK ? &drawn : NULL);
    close_job(j, file);
}

static int run(const settings *s, char **operands, size_t count)
{
    return run_jobs(s, operands, count, info, "read");
}

const command command_info = {
    .name = "info",
    .summary = "what is in a model: meshes, materials, textures, joints, clips",
    .usage = "[OPTION...] FILE...",
    .examples = "  stele info hat.sgm\n"
                "  stele info --json -r models | jq .meshes[].triangles\n",
    .takes_files = true,
    .takes_many = true,
    .run = run,
};
