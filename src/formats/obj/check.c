/* The checks of a mesh. That all is finite and in range was seen when the text was parsed, so that only a full check has
 * anything left to do. */
#include "base/bytes.h"
#include "model/check_mesh.h"
#include "raw.h"

/* ---- Faces, one after another ---- */

typedef struct face {
    const obj_corner *corners;
    uint32_t count;
    stele_topology topology;
    uint64_t number; /* in the file */
} face;

typedef struct face_reader {
    const obj_content *content;
    uint64_t corner, next_number;
    size_t event;
    stele_topology topology;
} face_reader;

static bool next_face(face_reader *r, face *f)
{
    const obj_content *o = r->content;
    uint64_t first = r->corner;
    if (first == o->corner_count)
        return false;
    for (; r->event < o->event_count && o->events[r->event].corner <= first; r->event++)
        if (o->events[r->event].kind == EVENT_TOPOLOGY)
            r->topology = o->events[r->event].topology;
    while (!(o->corners[r->corner++].vn & LAST_CORNER))
        ;
    *f = (face){o->corners + first, (uint32_t)(r->corner - first), r->topology, r->next_number++};
    return true;
}

static uint64_t triangles_of(const face *f)
{
    return f->topology == STELE_TRIANGLES && f->count >= 3 ? f->count - 2 : 0;
}

/* ---- Triangles ---- */

/* Polygons are cut as load cuts them; scratch is five numbers a corner. */
static uint8_t *put_triangles(const obj_content *o, const face *f, uint32_t *scratch, clipping *budget, uint8_t *out)
{
    uint32_t alone[1][3] = {{0, 1, 2}}, (*triangles)[3] = alone;
    if (f->count > 3) {
        triangles = (uint32_t(*)[3])(scratch + 2 * (uint64_t)f->count);
        st_obj_triangulate(o->positions, f->corners, f->count, scratch, budget, triangles);
    }
    for (uint64_t i = 0; i < triangles_of(f); i++)
        for (int k = 0; k < 3; k++, out += 4)
            store_uint(out, f->corners[triangles[i][k]].v, 4);
    return out;
}

/* The positions that triangles use: where there is nothing else, the corners themselves have them. */
static stele_view indices_of(context *c, const obj_content *o)
{
    if (o->only_triangles)
        return (stele_view){&o->corners->v, o->corner_count, sizeof *o->corners, 1, STELE_U32, false};
    uint64_t count = 0, longest = 0;
    clipping budget = {c->arena, MOST_COMPARISONS, false};
    uint8_t *out;
    face f;
    for (face_reader r = {.content = o}; next_face(&r, &f);) {
        count += triangles_of(&f);
        longest = f.count > longest ? f.count : longest;
    }
    stele_view indices = st_view_make(c->arena, 3 * count, STELE_U32, 1, &out);
    uint32_t *scratch = st_arena_bytes(c->arena, 5 * longest * sizeof *scratch);
    for (face_reader r = {.content = o}; out && scratch && next_face(&r, &f);)
        if (triangles_of(&f))
            out = put_triangles(o, &f, scratch, &budget, out);
    return indices;
}

static uint64_t face_of(const obj_content *o, uint64_t triangle)
{
    face f = {0};
    uint64_t before = 0;
    for (face_reader r = {.content = o}; next_face(&r, &f); before += triangles_of(&f))
        if (triangle < before + triangles_of(&f))
            break;
    return f.number;
}

/* ---- Both tables of a file ---- */

static diag_place place_of(context *c, const mesh_view *m, const stele_view *view, uint64_t row)
{
    const obj_file *f = m->user;
    bool normal = view == &m->normal;
    return st_obj_place(c, st_obj_statement(f, normal ? OBJ_NORMAL : OBJ_FACE, normal ? row : face_of(f->content, row / 3)), 1);
}

void st_obj_check(context *c, const raw_file *raw)
{
    const obj_file *f = (const obj_file *)raw;
    const obj_content *o = f->content;
    if (!c->full || !o->sound)
        return;
    mesh_view normals = {.vertex_count = o->normal_count,
                         .normal = st_view_f32(o->normals, o->normal_count, 12, 3),
                         .seen = true,
                         .place_of = place_of,
                         .user = f};
    mesh_view triangles = {.vertex_count = o->position_count,
                           .position = st_view_f32(o->positions, o->position_count, 12, 3),
                           .indices = indices_of(c, o),
                           .seen = true,
                           .place_of = place_of,
                           .user = f};
    st_check_mesh(c, &normals);
    if (!c->arena->failed)
        st_check_mesh(c, &triangles);
}
