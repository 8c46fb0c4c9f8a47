/* The model of a handle, loaded from its file when it is first asked for. */
#include <string.h>

#include "handle.h"
#include "model/validate.h"

const char *st_base_name(arena *a, const char *path)
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
                 .name = st_base_name(&file->arena, file->name),
                 .repair = !file->load.no_repair};
    const char *problem = "it cannot be taken as a model";
    size_t before = file->diags.count;
    uint64_t losses = file->diags.losses;
    file->model->name = l.name;
    c->load = &l;
    bool loaded = file->format->load && st_format_load(file->format, c, file->raw);
    file->reading_losses += file->diags.losses - losses;
    if (loaded && st_model_finish(file->model, &file->arena, &problem))
        return true;
    if (file->diags.count > before && file->diags.items[file->diags.count - 1].severity == STELE_ERROR)
        problem = st_line_of(file, &file->diags.items[file->diags.count - 1]);
    st_fail(file, STELE_DAMAGED, problem);
    return false;
}

/* A file that was opened for its structure only has not been looked into yet. */
static bool check_first(stele_file *file, context *c)
{
    if (file->level == STELE_CHECK_STRUCTURE) {
        if (!st_parse(file, c))
            return false;
        st_format_check(file->format, c, file->raw);
        file->level = STELE_CHECK_SAFE;
        const stele_diagnostic *worst = st_diags_worst(&file->diags, STELE_ERROR);
        file->sound = !worst && !file->diags.errors;
        if (worst)
            st_fail_by(file, worst);
        else if (!file->sound)
            st_fail_as_opened(file);
    }
    return file->sound;
}

static bool known_choices(stele_file *file)
{
    for (size_t i = 0; i < file->load.choice_count; i++)
        if (!stele_known_choice(&file->load.choices[i])) {
            st_fail(file, STELE_USAGE,
                    st_arena_format(&file->arena, "there is no choice %s=%s", file->load.choices[i].name,
                                    file->load.choices[i].value));
            return false;
        }
    return true;
}

/* NULL, and the outcome says why, if it cannot be had. */
static stele_model *load_model(stele_file *file)
{
    if (!file->complete || !file->sound) {
        st_fail_as_opened(file);
        return NULL;
    }
    if (!known_choices(file))
        return NULL;
    context c = st_context_of(file);
    file->model = st_arena_alloc(&file->arena, sizeof *file->model);
    bool loaded = file->model && check_first(file, &c) && load(file, &c);
    file->diags_of_opening = file->diags.count; /* repairs stay when a later save starts afresh */
    st_end(file);
    return loaded && !file->arena.failed ? file->model : NULL;
}

stele_model *st_loaded_model(stele_file *file)
{
    if (!file->model_done) {
        file->model = load_model(file);
        file->loading = file->outcome;
        file->work = file->arena.work;
        file->model_done = true;
        file->inputs = NULL; /* it may name more */
    }
    if (!file->model)
        file->outcome = file->loading;
    return file->model;
}

const stele_model *st_finished_model(stele_file *file)
{
    stele_model *model = st_loaded_model(file);
    const char *problem;
    if (!model || model->order)
        return model;
    if (st_model_finish(model, &file->arena, &problem)) {
        problem = st_model_problem(model);
        if (!problem)
            return model;
        model->order = NULL;
    }
    st_fail(file, STELE_USAGE, problem);
    st_end(file);
    return NULL;
}

const stele_model *stele_file_model(stele_file *file)
{
    return st_begin(file) ? st_finished_model(file) : NULL;
}
