/* Where a surface is nearest to a point: in a triangle, and in a tree of boxes around all of them. */
#include <math.h>

#include "base/order.h"
#include "base/vector.h"
#include "optimize.h"

static double set(const double p[3], const double *const corner[3], const double parts[3])
{
    double at[3];
    for (int i = 0; i < 3; i++)
        at[i] = parts[0] * corner[0][i] + parts[1] * corner[1][i] + parts[2] * corner[2][i] - p[i];
    return dot3(at, at);
}

/* Along an edge, from one corner to another. */
static double on_edge(const double p[3], const double *const corner[3], int from, int to, double parts[3])
{
    double along[3], way[3];
    minus3(corner[to], corner[from], along);
    minus3(p, corner[from], way);
    double length = dot3(along, along), part = length > 0 ? dot3(way, along) / length : 0;
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    parts[0] = parts[1] = parts[2] = 0;
    parts[from] = 1 - part;
    parts[to] += part;
    return set(p, corner, parts);
}

double st_nearest_in_triangle(const double p[3], const double a[3], const double b[3], const double c[3], double parts[3])
{
    const double *const corner[3] = {a, b, c};
    double e[3], f[3], way[3];
    minus3(b, a, e);
    minus3(c, a, f);
    minus3(p, a, way);
    double ee = dot3(e, e), ef = dot3(e, f), ff = dot3(f, f), we = dot3(way, e), wf = dot3(way, f);
    double whole = ee * ff - ef * ef, v = whole > 0 ? (ff * we - ef * wf) / whole : -1,
           w = whole > 0 ? (ee * wf - ef * we) / whole : -1;
    if (v >= 0 && w >= 0 && v + w <= 1) {
        parts[0] = 1 - v - w;
        parts[1] = v;
        parts[2] = w;
        return set(p, corner, parts);
    }
    double best = on_edge(p, corner, 0, 1, parts);
    for (int from = 1; from < 3; from++) {
        double other[3], distance = on_edge(p, corner, from, (from + 1) % 3, other);
        if (distance < best) {
            best = distance;
            memcpy(parts, other, sizeof other);
        }
    }
    return best;
}

/* ---- Boxes ---- */

enum { LEAF = 4, DEEPEST = 64, WORK_OF_BOX = 20, WORK_OF_TRIANGLE = 200, WORK_OF_ASKING = 120, WORK_OF_SPLITTING = 4 };

typedef struct box {
    float low[3], high[3];
    uint32_t first, count; /* triangles; no count: the boxes after this one and at first */
} box;

struct surface {
    arena *arena;
    const stele_primitive *primitive;
    const float *positions;
    uint32_t *triangles;
    float (*middles)[3];
    box *boxes;
    uint32_t box_count;
};

static const float *corner_at(const surface *s, uint32_t triangle, uint64_t corner)
{
    uint64_t vertex = st_view_index(&s->primitive->indices, 3 * (uint64_t)triangle + corner, s->primitive->vertex_count);
    return s->positions + 3 * vertex;
}

static void fit(const surface *s, box *b, uint32_t first, uint32_t count)
{
    for (int k = 0; k < 3; k++) {
        b->low[k] = INFINITY;
        b->high[k] = -INFINITY;
    }
    for (uint32_t i = first; i < first + count; i++)
        for (uint64_t c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) {
                float x = corner_at(s, s->triangles[i], c)[k];
                b->low[k] = x < b->low[k] ? x : b->low[k];
                b->high[k] = x > b->high[k] ? x : b->high[k];
            }
}

static bool is_less(const surface *s, int axis, uint32_t a, uint32_t b)
{
    float x = s->middles[a][axis], y = s->middles[b][axis];
    return x != y ? x < y : a < b;
}

/* So that those before the middle one are less than it, and the others are not. That may take long for an order that was made
 * for it. */
static void split(const surface *s, int axis, uint32_t *items, uint32_t count)
{
    uint32_t low = 0, high = count - 1, middle = count / 2;
    while (low < high && st_work(s->arena, high - low, WORK_OF_SPLITTING)) {
        uint32_t pivot = items[low + (high - low) / 2], i = low, k = high;
        for (;;) {
            while (is_less(s, axis, items[i], pivot))
                i++;
            while (is_less(s, axis, pivot, items[k]))
                k--;
            if (i >= k)
                break;
            uint32_t swapped = items[i];
            items[i++] = items[k];
            items[k--] = swapped;
        }
        if (middle <= k)
            high = k;
        else
            low = k + 1;
    }
}

static void build(surface *s, uint32_t first, uint32_t count)
{
    box *b = &s->boxes[s->box_count++];
    int axis = 0;
    fit(s, b, first, count);
    b->first = first;
    b->count = count;
    if (count <= LEAF)
        return;
    for (int k = 1; k < 3; k++)
        if (b->high[k] - b->low[k] > b->high[axis] - b->low[axis])
            axis = k;
    split(s, axis, s->triangles + first, count);
    b->count = 0;
    build(s, first, count / 2);
    b->first = s->box_count;
    build(s, first + count / 2, count - count / 2);
}

surface *st_surface_make(arena *a, const stele_primitive *p, const float *positions)
{
    uint32_t count = (uint32_t)st_triangle_count(p);
    surface *s = st_arena_alloc(a, sizeof *s);
    if (!s)
        return NULL;
    *s = (surface){.arena = a, .primitive = p, .positions = positions};
    s->triangles = st_arena_array(a, count, sizeof *s->triangles);
    s->middles = st_arena_array(a, count, sizeof *s->middles);
    s->boxes = st_arena_array(a, 2 * (uint64_t)count + 1, sizeof *s->boxes);
    if (!s->triangles || !s->middles || !s->boxes || !st_work(a, count, WORK_OF_TRIANGLE))
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        s->triangles[i] = i;
        for (int k = 0; k < 3; k++)
            s->middles[i][k] = corner_at(s, i, 0)[k] + corner_at(s, i, 1)[k] + corner_at(s, i, 2)[k];
    }
    build(s, 0, count);
    return a->failed ? NULL : s;
}

static double squared_from_box(const box *b, const double p[3])
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double off = greater(greater((double)b->low[k] - p[k], p[k] - (double)b->high[k]), 0);
        sum += off * off;
    }
    return sum;
}

static void ask(const surface *s, uint32_t triangle, const double p[3], double *radius, each_near each, void *user)
{
    near_triangle found = {.squared_distance = INFINITY};
    double at[3][3];
    for (uint64_t c = 0; c < 3; c++) {
        found.vertices[c] = st_view_index(&s->primitive->indices, 3 * (uint64_t)triangle + c, s->primitive->vertex_count);
        widen3(corner_at(s, triangle, c), at[c]);
    }
    found.squared_distance = st_nearest_in_triangle(p, at[0], at[1], at[2], found.parts);
    if (found.squared_distance <= *radius)
        *radius = each(user, &found, *radius);
}

bool st_surface_near(surface *s, const double p[3], double squared_radius, uint64_t work_of_each, each_near each, void *user)
{
    uint32_t waiting[DEEPEST], count = 0;
    uint64_t work = 0;
    waiting[count++] = 0;
    while (count) {
        uint32_t at = waiting[--count];
        const box *b = &s->boxes[at];
        work += WORK_OF_BOX;
        if (!(squared_from_box(b, p) <= squared_radius))
            continue;
        work += (WORK_OF_ASKING + work_of_each) * b->count;
        for (uint32_t i = 0; i < b->count; i++)
            ask(s, s->triangles[b->first + i], p, &squared_radius, each, user);
        if (b->count || count + 2 > DEEPEST)
            continue;
        /* the nearer one first, which is the last to wait */
        bool left = squared_from_box(&s->boxes[at + 1], p) <= squared_from_box(&s->boxes[b->first], p);
        waiting[count++] = left ? b->first : at + 1;
        waiting[count++] = left ? at + 1 : b->first;
    }
    return st_work(s->arena, 1, work);
}
