/* The order of triangles. Hardware keeps the last vertices that it has transformed; a triangle whose vertices are still kept
 * costs less. So the next triangle is always the one that scores best by its vertices: those just used, and those that few
 * other triangles wait for, so that none is left over that must be fetched again (after Forsyth, "Linear-speed vertex cache
 * optimisation"). What is gained is measured, and an order that was better stays. */
#include "optimize.h"

enum { KEPT = 16, VALENCES = 8 };
enum { WORK_OF_CORNER = 100, WORK_OF_LOOK = 2 };
enum { HUB = 256 }; /* a vertex of more triangles is no guide: looking at all of them at each step would take for ever */

/* By the place in the cache, the last one used first, and by the number of triangles that wait for it; 0 is none. */
typedef struct scores {
    float kept[KEPT + 1], waiting[VALENCES + 1];
} scores;

/* Found by trying: small changes that cost fewer vertices, on the triangles of 487 meshes of games. */
static const scores usual = {
    {0, 0.736f, 0.709f, 0.604f, 0.886f, 0.82f, 0.76f, 0.744f, 0.955f, 0.407f, 0.503f, 0.006f, -0.02f, -0.014f, 0.286f, 0.202f,
     0.505f},
    {0, 1.693f, 1.458f, 1.203f, 1, 0.88f, 0.791f, 0.724f, 0.938f},
};

typedef struct orderer {
    const piece *p;
    const scores *scores;
    uint32_t *first, *corners; /* the corners at each vertex; those of triangles that wait are in front */
    uint32_t *waiting;         /* how many of them */
    uint32_t *place;           /* of each corner in that list */
    float *vertex_score, *triangle_score;
    bool *done;                            /* triangles */
    uint32_t cache[KEPT + 3], cache_count; /* the last vertices used, the latest first */
    uint32_t next;                         /* no triangle before this one waits */
    uint64_t looks;                        /* at triangles that wait, since the work was counted */
} orderer;

static float score_of(const orderer *o, uint32_t vertex, uint32_t place)
{
    uint32_t waiting = o->waiting[vertex];
    if (!waiting || waiting > HUB)
        return 0;
    return o->scores->kept[place] + o->scores->waiting[waiting < VALENCES ? waiting : VALENCES];
}

static bool prepare(arena *a, orderer *o)
{
    const piece *p = o->p;
    uint32_t triangles = p->index_count / 3;
    o->first = st_arena_array(a, (uint64_t)p->vertex_count + 2, sizeof *o->first);
    o->waiting = st_arena_array(a, p->vertex_count, sizeof *o->waiting);
    o->corners = st_arena_array(a, p->index_count, sizeof *o->corners);
    o->place = st_arena_array(a, p->index_count, sizeof *o->place);
    o->vertex_score = st_arena_array(a, p->vertex_count, sizeof *o->vertex_score);
    o->triangle_score = st_arena_array(a, triangles, sizeof *o->triangle_score);
    o->done = st_arena_array(a, triangles, sizeof *o->done);
    if (!o->first || !o->waiting || !o->corners || !o->place || !o->vertex_score || !o->triangle_score || !o->done)
        return false;
    for (uint32_t i = 0; i < p->index_count; i++)
        o->first[p->indices[i] + 2]++;
    for (uint64_t v = 2; v < (uint64_t)p->vertex_count + 2; v++)
        o->first[v] += o->first[v - 1];
    for (uint32_t i = 0; i < p->index_count; i++) {
        o->place[i] = o->first[p->indices[i] + 1]++;
        o->corners[o->place[i]] = i;
        o->waiting[p->indices[i]]++;
    }
    return true;
}

static void start(orderer *o)
{
    for (uint32_t v = 0; v < o->p->vertex_count; v++)
        o->vertex_score[v] = score_of(o, v, 0);
    for (uint32_t i = 0; i < o->p->index_count; i++)
        o->triangle_score[i / 3] += o->vertex_score[o->p->indices[i]];
}

/* The corner changes places with the last one that waits. */
static void forget(orderer *o, uint32_t vertex, uint32_t corner)
{
    uint32_t at = o->place[corner], end = o->first[vertex] + --o->waiting[vertex], last = o->corners[end];
    o->corners[at] = last;
    o->place[last] = at;
    o->corners[end] = corner;
    o->place[corner] = end;
}

/* The triangle's vertices come to the front of the cache, and the others move back. */
static void use(orderer *o, const uint32_t corner[3])
{
    uint32_t moved[KEPT + 3], count = 0;
    for (int i = 0; i < 3; i++)
        moved[count++] = corner[i];
    for (uint32_t i = 0; i < o->cache_count; i++) {
        uint32_t v = o->cache[i];
        if (v != corner[0] && v != corner[1] && v != corner[2])
            moved[count++] = v;
    }
    memcpy(o->cache, moved, count * sizeof *moved);
    o->cache_count = count;
}

/* Scores change only of what is in the cache or just left it; the best triangle is one of theirs. STELE_NONE: none waits. */
static uint32_t best_near(orderer *o)
{
    uint32_t best = STELE_NONE;
    float best_score = -1;
    for (uint32_t i = 0; i < o->cache_count; i++) {
        uint32_t v = o->cache[i];
        float score = score_of(o, v, i < KEPT ? i + 1 : 0), change = score - o->vertex_score[v];
        o->vertex_score[v] = score;
        o->looks += change != 0 ? o->waiting[v] : 0;
        for (uint32_t k = 0; change != 0 && k < o->waiting[v]; k++)
            o->triangle_score[o->corners[o->first[v] + k] / 3] += change;
    }
    if (o->cache_count > KEPT)
        o->cache_count = KEPT;
    for (uint32_t i = 0; i < o->cache_count; i++) {
        uint32_t v = o->cache[i], waiting = o->waiting[v] <= HUB ? o->waiting[v] : 0;
        o->looks += waiting;
        for (uint32_t k = 0; k < waiting; k++) {
            uint32_t triangle = o->corners[o->first[v] + k] / 3;
            if (o->triangle_score[triangle] > best_score) {
                best_score = o->triangle_score[triangle];
                best = triangle;
            }
        }
    }
    return best;
}

static uint32_t next_left(orderer *o)
{
    while (o->done[o->next])
        o->next++;
    return o->next;
}

static bool put_in_order(arena *a, orderer *o, uint32_t *ordered)
{
    uint32_t triangles = o->p->index_count / 3, best = STELE_NONE;
    for (uint32_t i = 0; i < triangles && st_work(a, o->looks, WORK_OF_LOOK); i++) {
        o->looks = 0;
        uint32_t triangle = best != STELE_NONE ? best : next_left(o), *corner = ordered + 3 * (uint64_t)i;
        memcpy(corner, o->p->indices + 3 * (uint64_t)triangle, 3 * sizeof *corner);
        o->done[triangle] = true;
        for (int k = 0; k < 3; k++)
            forget(o, corner[k], 3 * triangle + (uint32_t)k);
        use(o, corner);
        best = best_near(o);
    }
    return !a->failed;
}

bool st_order_for_cache(arena *a, piece *p)
{
    orderer o = {.p = p, .scores = &usual};
    uint32_t *ordered = st_arena_bytes(a, p->index_count * (uint64_t)sizeof *ordered);
    uint64_t *scratch = st_arena_bytes(a, p->vertex_count * (uint64_t)sizeof *scratch);
    if (!ordered || !scratch || !st_work(a, p->index_count, WORK_OF_CORNER) || !prepare(a, &o))
        return false;
    start(&o);
    if (!put_in_order(a, &o, ordered))
        return false;
    if (st_cache_misses(ordered, p->index_count, p->vertex_count, scratch) <
        st_cache_misses(p->indices, p->index_count, p->vertex_count, scratch))
        memcpy(p->indices, ordered, p->index_count * sizeof *ordered);
    return true;
}
