/* Normals for what has none. */
#include "base/hash.h"
#include "base/vector.h"
#include "ops.h"

/* Vertices at the same place share their normal, so that seams of the texture do not show. */
static void load_place(const stele_view *position, uint64_t vertex, float place[3])
{
    stele_view_row(position, vertex, place);
    for (int i = 0; i < 3; i++)
        place[i] += 0.0f; /* -0 is 0 */
}

/* The first vertex that was asked for at the place of this one. */
static uint32_t first_at(hash_table *places, arena *a, const stele_view *position, uint32_t vertex)
{
    float place[3], other[3];
    uint32_t found;
    load_place(position, vertex, place);
    uint32_t hash = hash_end(hash_bytes(0, place, sizeof place));
    for (hash_probe p = hash_at(places, hash); (found = hash_next(&p)) != STELE_NONE;) {
        load_place(position, found, other);
        if (memcmp(place, other, sizeof place) == 0)
            return found;
    }
    st_hash_add(places, a, hash, vertex); /* there is room */
    return vertex;
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
    uint64_t count = p->vertex_count;
    hash_table places;
    uint32_t *first = st_arena_array(a, count, sizeof *first);
    double(*sums)[3] = st_arena_array(a, count, sizeof *sums);
    if (!st_hash_make(&places, a, count) || !first || !sums)
        return false;
    for (uint32_t i = 0; i < count; i++)
        first[i] = first_at(&places, a, position, i);
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

/* ---- For all that have none ---- */

static bool add_normals(stele_primitive *p, arena *a)
{
    stele_view normals = st_normals_of(a, p);
    stele_attribute *attributes = st_arena_array(a, (uint64_t)p->attribute_count + 1, sizeof *attributes);
    if (!normals.count || !attributes)
        return false;
    memcpy(attributes, p->attributes, p->attribute_count * sizeof *attributes);
    attributes[p->attribute_count++] = (stele_attribute){STELE_NORMAL, 0, normals};
    p->attributes = attributes;
    return true;
}

uint64_t st_add_normals(stele_model *model, arena *a)
{
    uint64_t made = 0;
    for (size_t i = 0; i < model->mesh_count; i++)
        for (size_t k = 0; k < model->meshes[i].primitive_count; k++) {
            stele_primitive *p = (stele_primitive *)&model->meshes[i].primitives[k];
            if (p->topology != STELE_TRIANGLES || !p->vertex_count || stele_primitive_view(p, STELE_NORMAL, 0))
                continue;
            if (!add_normals(p, a))
                return UINT64_MAX;
            made++;
        }
    return made;
}
