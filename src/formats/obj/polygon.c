/* Polygons become triangles: a fan where they are convex, otherwise ears are clipped, in the plane that the polygon is nearest
 * to. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "raw.h"

enum { WORK_OF_COMPARISON = 2 };

typedef struct polygon {
    const uint8_t *positions;
    const obj_corner *corners;
    uint32_t count;
    uint32_t *previous, *next; /* what is left of it */
    int axes[2];               /* of the plane, so that the polygon goes round counter-clockwise */
} polygon;

typedef struct point {
    double x, y;
} point;

static inline const uint8_t *position(const polygon *p, uint32_t corner)
{
    return p->positions + 12 * (uint64_t)p->corners[corner].v;
}

static inline point project(const polygon *p, uint32_t corner)
{
    const uint8_t *at = position(p, corner);
    return (point){(double)load_f32(at + 4 * p->axes[0]), (double)load_f32(at + 4 * p->axes[1])};
}

/* Twice the area of a triangle: positive if it goes round counter-clockwise. */
static inline double area(point a, point b, point c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* The plane by Newell's method: the two axes along which the polygon is largest. False if it has no area. */
static bool choose_plane(polygon *p)
{
    double normal[3] = {0, 0, 0};
    for (uint32_t i = 0; i < p->count; i++) {
        const uint8_t *a = position(p, i), *b = position(p, i + 1 < p->count ? i + 1 : 0);
        for (int k = 0; k < 3; k++) {
            int u = (k + 1) % 3, v = (k + 2) % 3;
            normal[k] += ((double)load_f32(a + 4 * u) - (double)load_f32(b + 4 * u)) *
                         ((double)load_f32(a + 4 * v) + (double)load_f32(b + 4 * v));
        }
    }
    int largest = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(normal[k]) > fabs(normal[largest]))
            largest = k;
    bool turned = normal[largest] < 0;
    p->axes[turned] = (largest + 1) % 3;
    p->axes[!turned] = (largest + 2) % 3;
    return normal[largest] != 0;
}

static bool is_convex(const polygon *p)
{
    point a = project(p, p->count - 2), b = project(p, p->count - 1);
    for (uint32_t i = 0; i < p->count; i++) {
        point c = project(p, i);
        if (area(a, b, c) < 0)
            return false;
        a = b;
        b = c;
    }
    return true;
}

static void fan(uint32_t count, uint32_t (*triangles)[3])
{
    for (uint32_t i = 0; i + 2 < count; i++) {
        triangles[i][0] = 0;
        triangles[i][1] = i + 1;
        triangles[i][2] = i + 2;
    }
}

static inline bool same(point a, point b)
{
    return a.x == b.x && a.y == b.y;
}

/* A corner that can be cut off: it points outwards, and no other corner lies in its triangle. */
static bool is_ear(const polygon *p, uint32_t corner)
{
    uint32_t before = p->previous[corner], after = p->next[corner];
    point a = project(p, before), b = project(p, corner), c = project(p, after);
    if (area(a, b, c) <= 0)
        return false;
    for (uint32_t i = p->next[after]; i != before; i = p->next[i]) {
        point q = project(p, i);
        if (area(a, b, q) >= 0 && area(b, c, q) >= 0 && area(c, a, q) >= 0 && !same(q, a) && !same(q, b) && !same(q, c))
            return false;
    }
    return true;
}

static bool may_compare(clipping *c, uint32_t count)
{
    if (c->comparisons < count)
        return false;
    c->comparisons -= count;
    c->refused |= !st_work(c->arena, count, WORK_OF_COMPARISON);
    return !c->refused;
}

static bool clip_ears(polygon *p, clipping *c, uint32_t (*triangles)[3])
{
    uint32_t left = p->count, corner = 0, misses = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        p->previous[i] = i ? i - 1 : p->count - 1;
        p->next[i] = i + 1 < p->count ? i + 1 : 0;
    }
    while (left > 3) {
        if (!may_compare(c, left))
            return false;
        /* if none is an ear, the polygon crosses itself: any corner will do */
        if (misses < left && !is_ear(p, corner)) {
            misses++;
            corner = p->next[corner];
            continue;
        }
        uint32_t before = p->previous[corner], after = p->next[corner];
        memcpy(*triangles++, (uint32_t[]){before, corner, after}, sizeof *triangles);
        p->next[before] = after;
        p->previous[after] = before;
        corner = after;
        misses = 0;
        left--;
    }
    memcpy(*triangles, (uint32_t[]){p->previous[corner], corner, p->next[corner]}, sizeof *triangles);
    return true;
}

bool st_obj_triangulate(const uint8_t *positions, const obj_corner *corners, uint32_t count, uint32_t *scratch, clipping *c,
                        uint32_t (*triangles)[3])
{
    polygon p = {.positions = positions, .corners = corners, .count = count, .previous = scratch, .next = scratch + count};
    bool simple = !choose_plane(&p) || is_convex(&p);
    if (!simple && clip_ears(&p, c, triangles))
        return true;
    fan(count, triangles);
    return simple;
}
