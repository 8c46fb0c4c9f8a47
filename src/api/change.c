/* The model of a handle as its caller makes it, and what changes it. */
#include <string.h>

#include "handle.h"
#include "model/evaluate.h"
#include "model/ops.h"
#include "model/save.h"
#include "model/validate.h"

/* ---- Making one ---- */

stele_file *stele_new(const stele_options *options)
{
    stele_options own;
    stele_file *file = st_new_handle(options, NULL, &own);
    if (!file)
        return NULL;
    st_arena_input(&file->arena, UINT64_MAX); /* what the caller makes is no file that came from anywhere */
    if (file->outcome.status == STELE_OK)
        file->model = st_arena_alloc(&file->arena, sizeof *file->model);
    st_end(file);
    file->model_done = file->touched = true;
    file->opening = file->loading = file->outcome;
    return file;
}

/* What was made from the model is no longer true. */
static void model_changed(stele_file *file)
{
    file->touched = true;
    file->info = NULL;
    file->inputs = NULL;
    file->textures_done = false;
}

void st_replace_model(stele_file *file, stele_model *model)
{
    if (model->texture_count != file->model->texture_count)
        file->texture_count = 0; /* what is decoded has other numbers now */
    file->model = model;
    model_changed(file);
}

/* The model to add to; NULL if what is to be added has a problem of its own, or there is none. */
static stele_model *model_to_add_to(stele_file *file, const char *problem)
{
    if (!st_begin(file))
        return NULL;
    if (problem) {
        st_fail(file, STELE_USAGE, problem);
        return NULL;
    }
    return st_loaded_model(file);
}

/* From now on the model is not what the file says, and it must be looked at again as a whole. */
static uint32_t added(stele_file *file, uint32_t index)
{
    if (index != STELE_NONE) {
        file->model->order = NULL;
        model_changed(file);
    } else if (st_end(file) == STELE_OK) {
        st_fail(file, STELE_USAGE, "there is no index for so many");
    }
    return index;
}

uint32_t stele_add_node(stele_file *file, const stele_node *node)
{
    stele_model *model = model_to_add_to(file, file ? st_node_problem(&file->arena, node) : NULL);
    return model ? added(file, st_model_add_node(model, &file->arena, node)) : STELE_NONE;
}

/* What views point to is input too. */
static void count_input(stele_file *file, const stele_view *v)
{
    st_arena_input(&file->arena, v->count * v->components * stele_type_size(v->type));
}

uint32_t stele_add_mesh(stele_file *file, const stele_mesh *mesh)
{
    stele_model *model = model_to_add_to(file, file ? st_mesh_problem(&file->arena, mesh) : NULL);
    for (size_t i = 0; model && i < mesh->primitive_count; i++) {
        for (size_t k = 0; k < mesh->primitives[i].attribute_count; k++)
            count_input(file, &mesh->primitives[i].attributes[k].view);
        count_input(file, &mesh->primitives[i].indices);
    }
    return model ? added(file, st_model_add_mesh(model, &file->arena, mesh)) : STELE_NONE;
}

uint32_t stele_add_skin(stele_file *file, const stele_skin *skin)
{
    stele_model *model = model_to_add_to(file, file ? st_skin_problem(&file->arena, skin) : NULL);
    return model ? added(file, st_model_add_skin(model, &file->arena, skin)) : STELE_NONE;
}

uint32_t stele_add_clip(stele_file *file, const stele_clip *clip)
{
    stele_model *model = model_to_add_to(file, file ? st_clip_problem(&file->arena, clip) : NULL);
    for (size_t i = 0; model && i < clip->channel_count; i++)
        count_input(file, &clip->channels[i].values);
    return model ? added(file, st_model_add_clip(model, &file->arena, clip)) : STELE_NONE;
}

uint32_t stele_add_material(stele_file *file, const stele_material *material)
{
    stele_model *model = model_to_add_to(file, file ? st_material_problem(&file->arena, material) : NULL);
    return model ? added(file, st_model_add_material(model, &file->arena, material)) : STELE_NONE;
}

uint32_t stele_add_texture(stele_file *file, const stele_texture *texture)
{
    stele_model *model = model_to_add_to(file, file ? st_texture_problem(&file->arena, texture) : NULL);
    return model ? added(file, st_model_add_texture(model, &file->arena, texture)) : STELE_NONE;
}

/* ---- Operations ---- */

stele_status stele_bake(stele_file *file, uint32_t clip, double seconds)
{
    const stele_model *model = stele_file_model(file);
    if (!model)
        return stele_file_status(file);
    if (!clip_is_there(model, clip))
        return st_fail(file, STELE_USAGE, "there is no such clip");
    stele_model *baked = st_arena_alloc(&file->arena, sizeof *baked);
    if (baked && st_bake(model, &file->arena, clip, seconds, baked) && !file->arena.failed)
        st_replace_model(file, baked);
    return st_end(file);
}

stele_status stele_make_normals(stele_file *file)
{
    if (!stele_file_model(file))
        return stele_file_status(file);
    if (st_add_normals(file->model, &file->arena))
        model_changed(file); /* also if memory ran out half-way */
    return st_end(file);
}

/* Both handles say the same; a message of one does not live as long as the other. */
static stele_status tell_both(stele_file *a, stele_file *b, outcome o)
{
    a->outcome = b->outcome = o;
    return o.status;
}

static stele_status tell_other(const stele_file *failed, stele_file *other)
{
    outcome o = failed->outcome;
    other->outcome = (outcome){o.status, st_arena_text(&other->arena, o.message, strlen(o.message))};
    return o.status;
}

/* The mark is where memory may be given back to: what images take that are found now must stay. */
static diff_side side_of(stele_file *file, const stele_model *model, arena_mark *mark)
{
    size_t taken = file->companions.taken;
    *mark = st_arena_mark(&file->arena);
    span *images = st_arena_array(&file->arena, model->texture_count, sizeof *images);
    for (size_t i = 0; images && i < model->texture_count; i++)
        images[i].data = st_texture_bytes(&file->companions, &model->textures[i], &images[i].count);
    if (file->companions.taken != taken)
        *mark = st_arena_mark(&file->arena);
    return (diff_side){model, images};
}

stele_status stele_diff(stele_file *a, stele_file *b, double tolerance, stele_each_difference each, void *user)
{
    if (!a || !b) {
        if (a || b)
            (a ? a : b)->outcome = outcome_no_memory();
        return STELE_NO_MEMORY;
    }
    const stele_model *first = stele_file_model(a), *second = first ? stele_file_model(b) : NULL;
    if (!first || !second)
        return first ? tell_other(b, a) : tell_other(a, b);
    if (!each || !(tolerance >= 0))
        return tell_both(a, b, (outcome){STELE_USAGE, each ? "the tolerance is no number" : "there is nobody to tell"});
    arena_mark mark_a, mark_b;
    diff_side side_a = side_of(a, first, &mark_a), side_b = side_of(b, second, &mark_b);
    bool equal = side_a.images && side_b.images && st_diff(&side_a, &side_b, &a->arena, tolerance, each, user);
    stele_file *failed = a->arena.failed ? a : b->arena.failed ? b : NULL;
    st_arena_rewind(&b->arena, mark_b);
    st_arena_rewind(&a->arena, mark_a);
    if (failed) {
        st_end(failed);
        return tell_other(failed, failed == a ? b : a);
    }
    return tell_both(a, b, equal ? outcome_good() : (outcome){STELE_DIFFERENT, "the models differ"});
}
