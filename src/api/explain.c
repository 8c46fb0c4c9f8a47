/* What is in a file: a summary, and every byte explained. */
#include "handle.h"
#include "images/image.h"
#include "model/ops.h"

/* ---- The summary ---- */

/* What a format does not say of its raw struct, its model says. */
static bool describe(stele_file *file, stele_info *info)
{
    if (file->format && file->format->describe && !file->touched) {
        context c = st_context_of(file);
        file->format->describe(&c, file->raw, info);
        return true;
    }
    const stele_model *model = st_finished_model(file);
    if (model)
        st_describe_model(model, &file->arena, info);
    return model;
}

/* Formats only know the names of images: how large these are is said here. */
static void measure_texture(stele_file *file, stele_texture_info *t)
{
    size_t size;
    const void *data = t->data;
    stele_picture picture = {0};
    const char *problem;
    if (!data && t->found && st_companion_find(&file->companions, t->found, &data, &size))
        t->bytes = size;
    if (data && st_image_decode_into(data, t->bytes, t->found ? t->found : t->name, &picture, &problem) == IMAGE_DECODED) {
        t->width = picture.width;
        t->height = picture.height;
    }
}

static void measure_textures(stele_file *file, stele_info *info)
{
    for (size_t i = 0; i < info->material_count; i++)
        for (size_t k = 0; k < info->materials[i].texture_count; k++)
            measure_texture(file, (stele_texture_info *)&info->materials[i].textures[k]); /* all of the handle's memory */
}

const stele_info *stele_file_info(stele_file *file)
{
    if (!st_begin(file))
        return NULL;
    if (!file->complete && !file->model) {
        st_fail_as_opened(file);
        return NULL;
    }
    if (!file->info) {
        stele_info *info = st_arena_alloc(&file->arena, sizeof *info);
        if (info && describe(file, info) && !file->arena.failed) {
            measure_textures(file, info);
            file->info = info;
        }
    }
    return st_end(file) == STELE_OK ? file->info : NULL;
}

stele_status stele_file_drawn(stele_file *file, stele_drawn *drawn)
{
    const stele_model *model = stele_file_model(file);
    if (!model)
        return stele_file_status(file);
    if (!drawn)
        return st_fail(file, STELE_USAGE, "there is no room for what is drawn");
    st_measure_drawn(model, &file->arena, drawn);
    return st_end(file);
}

/* ---- Explaining ---- */

typedef struct explanation {
    stele_each_field each;
    void *user;
} explanation;

static bool each_unpacked(void *user, const stele_field *field)
{
    explanation *e = user;
    stele_field copy = *field;
    copy.unpacked = true;
    return e->each(e->user, &copy);
}

/* Bytes that the walk did not reach are a gap. */
static bool explain_rest(walk *w)
{
    uint64_t size = w->size - w->at;
    if (size && !w->stopped) {
        stele_field rest = {.offset = w->at, .size = size, .path = "", .data = w->data + w->at, .type = STELE_BYTES};
        w->stopped = !w->each(w->user, &rest);
    }
    return !w->stopped;
}

static bool explain_container(stele_file *file, walk *w, stele_each_field each, void *user)
{
    container again = {0};
    st_walk_explain(w, &file->arena, file->source.data, file->source.size, each, user);
    file->format->walk_container(w, &again);
    return explain_rest(w);
}

static bool explain_content(stele_file *file, walk *w, raw_file *raw, stele_each_field each, void *user)
{
    explanation e = {each, user};
    *raw = *file->raw;
    st_walk_explain(w, &file->arena, file->content.data, file->content.count, file->packed ? each_unpacked : each,
                    file->packed ? &e : user);
    w->forced = file->forced;
    file->format->walk(w, raw);
    return explain_rest(w);
}

static bool explain_all(stele_file *file, stele_each_field each, void *user)
{
    walk *w = st_arena_bytes(&file->arena, sizeof *w);
    bool known = file->format && (file->raw || file->packed);
    raw_file *raw = known ? st_arena_alloc(&file->arena, file->format->raw_size) : NULL;
    if (!w || (known && !raw))
        return true; /* the end says so */
    if (!known) {
        st_walk_explain(w, &file->arena, file->source.data, file->source.size, each, user);
        return explain_rest(w);
    }
    if (file->packed && !explain_container(file, w, each, user))
        return false;
    return !file->raw || explain_content(file, w, raw, each, user);
}

stele_status stele_file_explain(stele_file *file, stele_each_field each, void *user)
{
    if (!st_begin(file))
        return stele_file_status(file);
    if (!each)
        return st_fail(file, STELE_USAGE, "there is nobody to explain it to");
    arena_mark mark = st_arena_mark(&file->arena);
    bool to_the_end = explain_all(file, each, user);
    st_arena_rewind(&file->arena, mark);
    return to_the_end || file->arena.failed ? st_end(file) : st_fail(file, STELE_CANCELLED, "explaining was cancelled");
}
