/* The model of a handle: loaded from its file on the first call, or made by the caller. */
#include <string.h>

#include "handle.h"
#include "model/ops.h"

static const char no_memory[] = "there is not enough memory within the limit";

/* The name of a path without folder and extension. */
const char *st_file_base_name(arena *a, const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL, *start = slash ? slash + 1 : path ? path : "";
    const char *dot = strrchr(start, '.');
    return st_arena_text(a, start, dot && dot > start ? (size_t)(dot - start) : strlen(start));
}

static bool load(stele_file *file, context *c)
{
    loading l = {.model = file->model,
                 .options = &file->load,
                 .choices = file->format->info.choices,
                 .choice_count = file->format->info.choice_count,
                 .name = st_file_base_name(&file->arena, file->name),
                 .repair = !file->load.no_repair};
    const char *problem = "it cannot be taken as a model";
    size_t before = file->diags.count;
    file->model->name = l.name;
    c->load = &l;
    if (file->format->load && file->format->load(c, file->raw) && st_model_finish(file->model, &file->arena, &problem))
        return true;
    if (file->diags.count > before && file->diags.items[file->diags.count - 1].severity == STELE_ERROR)
        problem = st_file_line(file, &file->diags.items[file->diags.count - 1]);
    st_file_fail(file, STELE_DAMAGED, problem);
    return false;
}

/* A file that was opened for its structure only has not been looked into yet. */
static bool check_first(stele_file *file, context *c)
{
    if (file->level == STELE_CHECK_STRUCTURE && st_file_parse(file, c)) {
        file->format->check(c, file->raw);
        file->level = STELE_CHECK_SAFE;
        const stele_diagnostic *worst = st_diags_worst(&file->diags, STELE_ERROR);
        if (worst)
            st_file_fail(file, STELE_DAMAGED, st_file_line(file, worst));
        file->sound = !worst && !file->diags.errors;
    }
    return file->sound;
}

static bool known_choices(stele_file *file)
{
    for (size_t i = 0; i < file->load.choice_count; i++)
        if (!stele_known_choice(&file->load.choices[i])) {
            st_file_fail(file, STELE_USAGE,
                         st_arena_format(&file->arena, "there is no choice %s=%s: see stele formats",
                                         file->load.choices[i].name, file->load.choices[i].value));
            return false;
        }
    return true;
}

stele_model *st_file_model(stele_file *file)
{
    if (file->model_done)
        return file->model;
    if (!file->complete || file->arena.failed || !known_choices(file))
        return NULL;
    if (!file->sound) {
        if (file->status == STELE_OK)
            st_file_fail(file, STELE_DAMAGED, "the file has errors, so that its model cannot be had");
        return NULL;
    }
    context c = st_file_context(file);
    file->model = st_arena_alloc(&file->arena, sizeof *file->model);
    bool loaded = file->model && check_first(file, &c) && load(file, &c);
    if (file->arena.failed)
        st_file_fail(file, STELE_NO_MEMORY, no_memory);
    file->model_done = true;
    if (!loaded || file->arena.failed)
        file->model = NULL;
    file->diags_of_opening = file->diags.count; /* repairs stay when a later save starts afresh */
    return file->model;
}

const stele_model *st_file_finished_model(stele_file *file)
{
    stele_model *model = st_file_model(file);
    const char *problem;
    if (!model || model->order)
        return model;
    if (st_model_finish(model, &file->arena, &problem)) {
        problem = st_model_problem(model);
        if (!problem)
            return model;
        model->order = NULL;
    }
    st_file_fail(file, file->arena.failed ? STELE_NO_MEMORY : STELE_USAGE, problem);
    return NULL;
}

const stele_model *stele_file_model(stele_file *file)
{
    return file ? st_file_finished_model(file) : NULL;
}

/* ---- Making one ---- */

stele_file *stele_new(const stele_options *options)
{
    stele_file *file = stele_open_memory("", 0, options);
    if (!file || file->arena.failed)
        return file;
    st_diags_rewind(&file->diags, 0);
    st_file_fail(file, STELE_OK, "ok");
    file->model = st_arena_alloc(&file->arena, sizeof *file->model);
    file->model_done = file->touched = true;
    file->diags_of_opening = 0;
    if (!file->model)
        st_file_fail(file, STELE_NO_MEMORY, no_memory);
    return file;
}

void *stele_memory(stele_file *file, uint64_t size)
{
    return file ? st_arena_alloc(&file->arena, size) : NULL;
}

/* The model to add to: from now on it is not what the file says. */
static stele_model *touched(stele_file *file)
{
    stele_model *model = file ? st_file_model(file) : NULL;
    if (model) {
        file->touched = true;
        model->order = NULL;
    }
    return model;
}

uint32_t stele_add_node(stele_file *file, const stele_node *node)
{
    stele_model *model = touched(file);
    return model ? st_model_add_node(model, &file->arena, node) : STELE_NONE;
}

uint32_t stele_add_mesh(stele_file *file, const stele_mesh *mesh)
{
    stele_model *model = touched(file);
    return model ? st_model_add_mesh(model, &file->arena, mesh) : STELE_NONE;
}

uint32_t stele_add_skin(stele_file *file, const stele_skin *skin)
{
    stele_model *model = touched(file);
    return model ? st_model_add_skin(model, &file->arena, skin) : STELE_NONE;
}

uint32_t stele_add_clip(stele_file *file, const stele_clip *clip)
{
    stele_model *model = touched(file);
    return model ? st_model_add_clip(model, &file->arena, clip) : STELE_NONE;
}

uint32_t stele_add_material(stele_file *file, const stele_material *material)
{
    stele_model *model = touched(file);
    return model ? st_model_add_material(model, &file->arena, material) : STELE_NONE;
}

uint32_t stele_add_texture(stele_file *file, const stele_texture *texture)
{
    stele_model *model = touched(file);
    return model ? st_model_add_texture(model, &file->arena, texture) : STELE_NONE;
}

/* ---- Operations ---- */

static stele_status without_memory(stele_file *file)
{
    st_file_fail(file, STELE_NO_MEMORY, no_memory);
    return STELE_NO_MEMORY;
}

stele_status stele_bake(stele_file *file, uint32_t clip, double seconds)
{
    const stele_model *model = stele_file_model(file);
    stele_model *baked = model ? st_arena_alloc(&file->arena, sizeof *baked) : NULL;
    if (!model)
        return stele_file_status(file);
    if (clip != STELE_NONE && clip >= model->clip_count) {
        st_file_fail(file, STELE_USAGE, "there is no such clip");
        return STELE_USAGE;
    }
    if (!baked || !st_bake(model, &file->arena, clip, seconds, baked))
        return without_memory(file);
    file->model = baked;
    file->touched = true;
    return STELE_OK;
}

stele_status stele_make_normals(stele_file *file)
{
    if (!stele_file_model(file))
        return stele_file_status(file);
    uint64_t made = st_add_normals(file->model, &file->arena);
    if (made == UINT64_MAX)
        return without_memory(file);
    file->touched |= made > 0;
    return STELE_OK;
}

stele_status stele_diff(stele_file *a, stele_file *b, double tolerance, stele_each_difference each, void *user)
{
    const stele_model *first = stele_file_model(a), *second = first ? stele_file_model(b) : NULL;
    if (!first || !second)
        return stele_file_status(first ? b : a);
    arena_mark mark = st_arena_mark(&a->arena);
    bool equal = st_diff(first, second, &a->arena, tolerance, each, user);
    bool failed = a->arena.failed;
    st_arena_rewind(&a->arena, mark);
    return failed ? without_memory(a) : equal ? STELE_OK : STELE_DIFFERENT;
}
