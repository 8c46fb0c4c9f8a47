/* Clips that say the same. */
#include "base/hash.h"
#include "optimize.h"

/* ---- The same numbers are there once ---- */

typedef struct sharer {
    arena *arena;
    hash_table table;
    const stele_view **views;
    size_t count;
} sharer;

static uint32_t hash_of(const stele_view *v)
{
    uint64_t hash = hash_mix(v->count, (uint64_t)v->components << 8 | (uint64_t)v->type << 1 | v->normalized);
    for (uint64_t i = 0; i < v->count; i++)
        hash = hash_bytes(hash, st_view_at(v, i), view_row_size(v));
    return hash_end(hash);
}

static bool same_numbers(const stele_view *a, const stele_view *b)
{
    if (a->count != b->count || a->components != b->components || a->type != b->type || a->normalized != b->normalized)
        return false;
    if (a->data == b->data && a->stride == b->stride)
        return true;
    for (uint64_t i = 0; i < a->count; i++)
        if (memcmp(st_view_at(a, i), st_view_at(b, i), view_row_size(a)) != 0)
            return false;
    return true;
}

static bool share(sharer *s, stele_view *view)
{
    uint32_t hash = hash_of(view), found;
    if (!st_work(s->arena, view->count, 8))
        return false;
    for (hash_probe probe = hash_at(&s->table, hash); (found = hash_next(&probe)) != STELE_NONE;)
        if (same_numbers(s->views[found], view)) {
            *view = *s->views[found];
            return true;
        }
    s->views[s->count] = view;
    return st_hash_add(&s->table, s->arena, hash, (uint32_t)s->count++);
}

static bool share_keys(arena *a, const stele_model *model)
{
    sharer s = {.arena = a};
    uint64_t channels = 0;
    for (size_t i = 0; i < model->clip_count; i++)
        channels += model->clips[i].channel_count;
    s.views = st_arena_array(a, 2 * channels, sizeof(stele_view *));
    if (!s.views || 2 * channels >= STELE_NONE)
        return false;
    for (size_t i = 0; i < model->clip_count; i++)
        for (size_t k = 0; k < model->clips[i].channel_count; k++) {
            stele_channel *c = (stele_channel *)&model->clips[i].channels[k];
            if (!share(&s, &c->times) || !share(&s, &c->values))
                return false;
        }
    return true;
}

/* ---- Clips ---- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Where equal numbers are shared, it is enough to look at where they are. */
static bool same_clip(const stele_clip *a, const stele_clip *b)
{
    if (!same_text(a->name, b->name) || a->channel_count != b->channel_count || a->properties.count || b->properties.count)
        return false;
    for (size_t i = 0; i < a->channel_count; i++) {
        const stele_channel *c = &a->channels[i], *d = &b->channels[i];
        if (c->node != d->node || c->path != d->path || c->interpolation != d->interpolation ||
            c->times.data != d->times.data || c->values.data != d->values.data)
            return false;
    }
    return true;
}

static uint64_t hash_of_clip(const stele_clip *c)
{
    uint64_t hash = hash_mix(0, c->channel_count);
    if (c->name)
        hash = hash_bytes(hash, c->name, strlen(c->name));
    return hash;
}

bool st_drop_clips(arena *a, stele_model *model, bool all)
{
    hash_table table = {0};
    stele_clip *clips = (stele_clip *)model->clips;
    bool *repeats = st_arena_array(a, model->clip_count, sizeof *repeats);
    if (!repeats || !share_keys(a, model) || !st_hash_make(&table, a, model->clip_count))
        return false;
    for (uint32_t i = 0; i < model->clip_count; i++) {
        uint32_t hash = hash_end(hash_of_clip(&clips[i])), found;
        for (hash_probe probe = hash_at(&table, hash); !repeats[i] && (found = hash_next(&probe)) != STELE_NONE;)
            repeats[i] = same_clip(&clips[found], &clips[i]);
        if (!repeats[i] && !st_hash_add(&table, a, hash, i))
            return false;
    }
    while (model->clip_count && repeats[model->clip_count - 1])
        model->clip_count--;
    size_t kept = 0;
    for (size_t i = 0; all && i < model->clip_count; i++)
        if (!repeats[i])
            clips[kept++] = clips[i];
    model->clip_count = all ? kept : model->clip_count;
    return true;
}
