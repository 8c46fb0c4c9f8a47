/* What a model costs to draw, by models of hardware that others use too (meshoptimizer's analyzers with a cache of 16), so that
 * numbers can be compared. */
#include "base/hash.h"
#include "optimize.h"

enum { CACHE_VERTICES = 16, LINE = 64, LINES = 128 * 1024 / LINE, WORK_OF_CORNER = 10 };

/* A queue of the last vertices transformed: a vertex is in it until as many others were. */
uint64_t st_cache_misses(const uint32_t *indices, uint64_t count, uint32_t vertex_count, uint64_t *scratch)
{
    uint64_t misses = 0;
    memset(scratch, 0, vertex_count * sizeof *scratch);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t *transformed = &scratch[indices[i]];
        if (!*transformed || misses - *transformed >= CACHE_VERTICES)
            *transformed = ++misses;
    }
    return misses;
}

/* A cache of lines of memory, in which each line has one place; how many bytes come through it. */
static uint64_t fetched_bytes(const uint32_t *indices, uint64_t count, uint64_t stride, uint64_t *lines)
{
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < count; i++)
        for (uint64_t line = indices[i] * stride / LINE; line < (indices[i] * stride + stride + LINE - 1) / LINE; line++) {
            bytes += lines[line % LINES] != line + 1 ? LINE : 0;
            lines[line % LINES] = line + 1;
        }
    return bytes;
}

typedef struct sums {
    uint64_t misses, used, fetched, needed;
} sums;

/* Rows are as wide as their attributes together, wherever these are. */
static uint64_t row_bytes(const stele_primitive *p)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < p->attribute_count; i++)
        bytes += (uint64_t)p->attributes[i].view.components * stele_type_size(p->attributes[i].view.type);
    return bytes;
}

static bool measure_triangles(arena *a, const stele_primitive *p, sums *s)
{
    uint64_t count = 3 * st_triangle_count(p), stride = row_bytes(p), used = 0;
    uint32_t *indices = st_arena_bytes(a, count * sizeof *indices);
    uint64_t *scratch = st_arena_bytes(a, p->vertex_count * sizeof *scratch), *lines = st_arena_array(a, LINES, sizeof *lines);
    if (!indices || !scratch || !lines || !st_work(a, count, WORK_OF_CORNER))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t v = p->indices.count ? st_view_index(&p->indices, i, p->vertex_count) : i;
        indices[i] = (uint32_t)v;
    }
    s->misses += st_cache_misses(indices, count, (uint32_t)p->vertex_count, scratch);
    for (uint64_t v = 0; v < p->vertex_count; v++)
        used += scratch[v] != 0;
    s->used += used;
    s->needed += used * stride;
    s->fetched += fetched_bytes(indices, count, stride, lines);
    return true;
}

static bool measure_primitive(arena *a, const stele_primitive *p, sums *s, stele_measure *result)
{
    result->vertices += p->vertex_count;
    result->vertex_bytes += p->vertex_count * row_bytes(p);
    result->index_bytes += p->indices.count * stele_type_size(p->indices.type);
    result->triangles += st_triangle_count(p);
    if (!st_triangle_count(p) || p->vertex_count >= STELE_NONE || 3 * st_triangle_count(p) >= STELE_NONE)
        return true;
    arena_mark mark = st_arena_mark(a);
    bool done = measure_triangles(a, p, s);
    st_arena_rewind(a, mark);
    return done;
}

static void measure_clip(const stele_clip *clip, stele_measure *result)
{
    result->channels += clip->channel_count;
    for (size_t i = 0; i < clip->channel_count; i++)
        result->keys += clip->channels[i].times.count;
}

bool st_measure(arena *a, const stele_model *model, stele_measure *result)
{
    sums s = {0};
    *result = (stele_measure){.clips = model->clip_count, .materials = model->material_count, .textures = model->texture_count};
    for (size_t i = 0; i < model->mesh_count; i++)
        for (size_t k = 0; k < model->meshes[i].primitive_count; k++)
            if (!measure_primitive(a, &model->meshes[i].primitives[k], &s, result))
                return false;
    for (size_t i = 0; i < model->clip_count; i++)
        measure_clip(&model->clips[i], result);
    result->acmr = result->triangles ? (double)s.misses / (double)result->triangles : 0;
    result->atvr = s.used ? (double)s.misses / (double)s.used : 0;
    result->overfetch = s.needed ? (double)s.fetched / (double)s.needed : 0;
    return true;
}
