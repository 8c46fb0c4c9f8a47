/* Normals for what has none. */
#include <math.h>

#include "base/bytes.h"
#include "model.h"

/* Vertices at the same place share their normal, so that seams of the texture do not show. Found by an open-addressing table
 * of vertices, with room for twice as many. */
typedef struct places {
    uint32_t *slots; /* a vertex and 1; 0: free */
    uint64_t mask;
} places;

static void load_place(const stele_view *position, uint64_t vertex, float place[3])
{
    stele_view_row(position, vertex, place);
    for (int i = 0; i < 3; i++)
        place[i] += 0.0f; /* -0 is 0 */
}

static uint64_t hash_place(const float place[3])
{
    uint32_t bits[3];
    memcpy(bits, place, sizeof bits);
    uint64_t hash = ((uint64_t)bits[0] << 32 | bits[1]) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 29 ^ bits[2]) * 0xbf58476d1ce4e5b9u;
    return hash ^ hash >> 32;
}

/* The first vertex that was asked for at the place of this one. */
static uint32_t first_at(places *p, const stele_view *position, uint64_t vertex)
{
    float place[3], other[3];
    load_place(position, vertex, place);
    for (uint64_t slot = hash_place(place);; slot++) {
        uint32_t *found = &p->slots[slot & p->mask];
        if (!*found) {
            *found = (uint32_t)vertex + 1;
            return (uint32_t)vertex;
        }
        load_place(position, *found - 1, other);
        if (memcmp(place, other, sizeof place) == 0)
            return *found - 1;
    }
}

/* The cross product of two edges is the normal times twice the area: larger triangles count for more. Angles would need
 * functions that round differently from platform to platform. */
static void add_triangle(const stele_view *position, const uint64_t vertices[3], const uint32_t *first, double (*sums)[3])
{
    double corner[3][3], edges[2][3], normal[3];
    for (int i = 0; i < 3; i++)
        for (uint32_t k = 0; k < 3; k++)
            corner[i][k] = stele_view_number(position, vertices[i], k);
    minus3(corner[1], corner[0], edges[0]);
    minus3(corner[2], corner[0], edges[1]);
    cross3(edges[0], edges[1], normal);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            sums[first[vertices[i]]][k] += normal[k];
}

/* Of length 1 in any case: what belongs to no triangle looks along +Z. */
static void store_normal(uint8_t *out, const double sum[3])
{
    double normal[3] = {sum[0], sum[1], sum[2]};
    bool usable = normalize3(normal);
    for (int k = 0; k < 3; k++)
        store_f32(out + 4 * k, usable ? (float)normal[k] : k == 2 ? 1.0f : 0.0f);
}

static bool sum_up(arena *a, const stele_primitive *p, const stele_view *position, uint8_t *out)
{
    uint64_t count = p->vertex_count, capacity = 2;
    while (capacity < 2 * count)
        capacity *= 2;
    places all = {st_arena_array(a, capacity, sizeof *all.slots), capacity - 1};
    uint32_t *first = st_arena_array(a, count, sizeof *first);
    double(*sums)[3] = st_arena_array(a, count, sizeof *sums);
    if (!all.slots || !first || !sums)
        return false;
    for (uint64_t i = 0; i < count; i++)
        first[i] = first_at(&all, position, i);
    for (uint64_t i = 0; i < st_triangle_count(p); i++) {
        uint64_t vertices[3];
        st_triangle(p, i, vertices);
        if (vertices[0] < count && vertices[1] < count && vertices[2] < count)
            add_triangle(position, vertices, first, sums);
    }
    for (uint64_t i = 0; i < count; i++)
        store_normal(out + 12 * i, sums[first[i]]);
    return true;
}

stele_view st_normals_of(arena *a, const stele_primitive *p)
{
    const stele_view *position = stele_primitive_view(p, STELE_POSITION, 0);
    uint8_t *out;
    if (p->topology != STELE_TRIANGLES || !position || position->count < p->vertex_count || p->vertex_count >= STELE_NONE)
        return (stele_view){0};
    stele_view normal = st_view_make(a, p->vertex_count, STELE_F32, 3, &out);
    arena_mark mark = st_arena_mark(a);
    bool done = out && sum_up(a, p, position, out);
    st_arena_rewind(a, mark);
    return done ? normal : (stele_view){0};
}
