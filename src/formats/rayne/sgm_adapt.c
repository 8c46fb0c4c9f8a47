/* From one SGM dialect to another: what fits is carried over, what does not is said. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/scan.h"
#include "raw.h"

typedef struct sgm_adapter {
    context *c;
    const sgm_traits *from, *to;
    unsigned dialect;
    diag_place place; /* of what is being adapted, in the file as it was */
} sgm_adapter;

/* Engines want a NUL at the end of every string. */
static void terminate(sgm_adapter *a, text *string)
{
    if (string->size && string->data[string->size - 1] == 0)
        return;
    if (string->size == UINT16_MAX) {
        st_refuse(a->c, at_byte(string->data), "there is no room for its terminating NUL");
        return;
    }
    string->data = st_arena_text(a->c->arena, string->data, string->size);
    string->size++;
    a->c->fits &= !a->c->arena->failed;
}

/* ---- Materials ---- */

bool st_sgm_plain_to_uv_sets(arena *a, sgm_material *m)
{
    m->uv_set_count = m->texture_count;
    m->uv_set = st_arena_array(a, m->texture_count, sizeof *m->uv_set);
    for (unsigned i = 0; m->uv_set && i < m->texture_count; i++)
        m->uv_set[i] = (sgm_uv_set){1, &m->texture[i]};
    m->texture_count = 0;
    return m->uv_set;
}

static void uv_sets_to_textures(sgm_adapter *a, sgm_material *m)
{
    static const text nothing = {"", 1};
    uint64_t dropped = 0, hints = 0;
    m->texture_count = m->uv_set_count;
    m->texture = st_need(a->c, m->uv_set_count, sizeof *m->texture);
    for (unsigned i = 0; m->texture && i < m->uv_set_count; i++) {
        const sgm_uv_set *set = &m->uv_set[i];
        m->texture[i] = set->texture_count ? set->texture[0] : (sgm_texture){.name = nothing};
        dropped += set->texture_count ? set->texture_count - 1u : 0;
        hints += m->texture[i].hint != 0;
        m->texture[i].hint = 0;
    }
    st_drop(a->c, DIAG_LOSS_TEXTURE, dropped, a->place, "has one texture per uv set");
    st_drop(a->c, DIAG_LOSS_HINT, hints, a->place, "has no texture roles");
    m->uv_set_count = 0;
}

static void terminate_names(sgm_adapter *a, sgm_texture **textures, unsigned count)
{
    *textures = st_need_copy(a->c, *textures, count, sizeof **textures);
    for (unsigned i = 0; *textures && i < count; i++)
        terminate(a, &(*textures)[i].name);
}

static void adapt_material(sgm_adapter *a, sgm_material *m)
{
    if (a->from->uv_sets && !a->to->uv_sets)
        uv_sets_to_textures(a, m);
    if (!a->from->uv_sets && a->to->uv_sets)
        a->c->fits &= st_sgm_plain_to_uv_sets(a->c->arena, m);
    m->uv_set = st_need_copy(a->c, m->uv_set, m->uv_set_count, sizeof *m->uv_set);
    for (unsigned i = 0; m->uv_set && i < m->uv_set_count; i++)
        terminate_names(a, &m->uv_set[i].texture, m->uv_set[i].texture_count);
    terminate_names(a, &m->texture, m->texture_count);
    if (!a->to->uv_sets || (a->dialect == SGM_V3_NOCOLOR && !m->uv_set_count)) {
        st_drop(a->c, DIAG_LOSS_COLOR, m->color_count, a->place, "has no colours here");
        m->color_count = 0;
    }
}

/* ---- Skin ---- */

enum { MOST_BONES = 65536, MOST_MAPPED = 255 };

/* Calls for every bone that a vertex refers to; false if one is not a whole number below limit. */
static bool rewrite_bones(uint8_t *bones, uint64_t vertex_count, uint32_t stride, uint32_t limit, const uint16_t *table)
{
    for (uint64_t v = 0; v < vertex_count; v++)
        for (int i = 0; i < 4; i++) {
            uint8_t *at = bones + v * stride + 4 * i;
            float bone = load_f32(at);
            if (!(bone >= 0 && bone < (float)limit) || bone != floorf(bone))
                return false;
            store_f32(at, table[(uint32_t)bone]);
        }
    return true;
}

/* The bones that the vertices use, in order: entry i of a bone map, and for each bone its entry. False if there are too many.
 */
static bool used_bones(sgm_adapter *a, const sgm_mesh *m, uint8_t *map, uint16_t *entry_of, unsigned *count)
{
    stele_view bones = st_sgm_column(m, "bones");
    uint8_t *used = st_arena_alloc(a->c->arena, MOST_BONES);
    if (!used)
        return false;
    for (uint64_t v = 0; v < m->vertex_count; v++)
        for (int i = 0; i < 4; i++) {
            float bone = load_settled_f32(st_view_at(&bones, v) + 4 * i);
            if (bone >= 0 && bone < MOST_BONES)
                used[(uint32_t)bone] = 1;
        }
    *count = 0;
    for (uint32_t bone = 0; bone < MOST_BONES; bone++) {
        if (!used[bone])
            continue;
        if (*count == MOST_MAPPED)
            return false;
        store_uint(map + 2 * *count, bone, 2);
        entry_of[bone] = (uint16_t)(*count)++;
    }
    return true;
}

static uint8_t *bones_of_copy(const sgm_mesh *m)
{
    return (uint8_t *)st_sgm_column(m, "bones").data;
}

/* From vertices that refer to the map to vertices that refer to bones. */
static void apply_bone_map(sgm_adapter *a, sgm_mesh *m)
{
    uint16_t table[MOST_MAPPED];
    for (unsigned i = 0; i < m->bone_map.count; i++)
        table[i] = load_u16(m->bone_map.data + 2 * i);
    if (!rewrite_bones(bones_of_copy(m), m->vertex_count, m->vertices.stride, (uint32_t)m->bone_map.count, table))
        st_refuse(a->c, a->place, "vertices refer beyond its bone map");
}

static void make_bone_map(sgm_adapter *a, sgm_mesh *m)
{
    arena *memory = a->c->arena;
    uint8_t *map = st_arena_alloc(memory, 2 * MOST_MAPPED);
    arena_mark mark = st_arena_mark(memory);
    uint16_t *entry_of = st_arena_array(memory, MOST_BONES, sizeof *entry_of);
    unsigned count = 0;
    bool fits = map && entry_of && used_bones(a, m, map, entry_of, &count);
    bool rewritten =
        fits && (!a->to->mapped || rewrite_bones(bones_of_copy(m), m->vertex_count, m->vertices.stride, MOST_BONES, entry_of));
    st_arena_rewind(memory, mark);
    if (!fits) {
        st_refuse(a->c, a->place, "a bone map has at most 255 bones");
        return;
    }
    if (!rewritten) {
        st_refuse(a->c, a->place, "vertices refer to bones that are no whole numbers or out of range");
        return;
    }
    /* a map of no entries would mean no skin at all */
    m->bone_map = (span){map, count ? count : 1, 2};
    m->has_bones = (uint8_t)m->bone_map.count;
}

static void adapt_skin(sgm_adapter *a, sgm_mesh *m)
{
    bool same_map = a->from->bones == BONES_MAP && a->to->bones == BONES_MAP && a->from->mapped == a->to->mapped;
    if (!m->has_bones || same_map)
        return;
    if (a->from->mapped)
        apply_bone_map(a, m);
    else if (a->from->bones == BONES_MAP && a->to->bones != BONES_MAP)
        st_drop(a->c, DIAG_LOSS_BONE_MAP, m->bone_map.count, a->place, "has no bone map, and these vertices do not use theirs");
    m->bone_map = (span){0};
    if (a->to->bones == BONES_MAP && a->c->fits)
        make_bone_map(a, m);
    else
        m->has_bones = 1;
}

/* ---- Vertices and indices ---- */

/* A copy of the vertices with the columns that the mesh has now; before is the mesh as it was. */
static void repack_vertices(sgm_adapter *a, sgm_mesh *m, const sgm_mesh *before)
{
    stele_column columns[SGM_COLUMNS];
    size_t count = st_sgm_columns(m, columns);
    uint32_t stride = 0, at = 0;
    for (size_t i = 0; i < count; i++)
        stride += 4 * columns[i].components;
    uint8_t *copy = st_need(a->c, m->vertex_count, stride);
    for (size_t i = 0; copy && i < count; i++) {
        stele_view from = st_sgm_column(before, columns[i].name);
        st_view_copy(&from, copy + at, stride);
        at += 4 * from.components;
    }
    m->vertices = (span){copy, m->vertex_count, stride};
}

static void adapt_vertices(sgm_adapter *a, sgm_mesh *m)
{
    sgm_mesh before = *m;
    if (m->has_tangents && !a->to->tangents) {
        st_drop(a->c, DIAG_LOSS_TANGENT, m->vertex_count, a->place, "has no tangents");
        m->has_tangents = 0;
    }
    if (m->has_bones && a->to->bones == BONES_NONE) {
        st_drop(a->c, DIAG_LOSS_SKIN, m->vertex_count, a->place, "has no skin");
        m->has_bones = 0;
        m->bone_map = (span){0};
    }
    bool bones_change = m->has_bones && a->from->mapped != a->to->mapped;
    if (bones_change || m->has_tangents != before.has_tangents || m->has_bones != before.has_bones)
        repack_vertices(a, m, &before);
}

static void adapt_indices(sgm_adapter *a, sgm_mesh *m)
{
    if (a->to->index_size || m->index_size == 2)
        return;
    if (st_scan_beyond(m->indices.data, m->index_count, st_sgm_index_type(m), UINT16_MAX + 1)) {
        st_refuse(a->c, a->place, "its indices have 16 bits");
        return;
    }
    uint8_t *copy = st_need(a->c, m->index_count, 2);
    for (uint64_t i = 0; copy && i < m->index_count; i++)
        store_uint(copy + 2 * i, load_uint(m->indices.data + i * m->index_size, st_sgm_index_type(m)), 2);
    m->indices = (span){copy, m->index_count, 2};
    m->index_size = 2;
}

static void adapt_mesh(sgm_adapter *a, sgm_mesh *m)
{
    if (m->vertex_count > UINT16_MAX && a->to->vertex_count == STELE_U16)
        st_refuse(a->c, a->place, "it has at most 65535 vertices");
    if (m->index_count > UINT16_MAX && a->to->index_count == STELE_U16)
        st_refuse(a->c, a->place, "it has at most 65535 indices");
    if (a->c->fits)
        adapt_indices(a, m);
    if (a->c->fits)
        adapt_vertices(a, m);
    if (a->c->fits)
        adapt_skin(a, m);
}

/* ---- The file ---- */

bool st_sgm_adapt(context *c, const raw_file *from, raw_file *raw, unsigned dialect)
{
    const sgm_file *before = (const sgm_file *)from;
    sgm_file *f = (sgm_file *)raw;
    sgm_adapter a = {.c = c, .from = &st_sgm_traits[raw->dialect], .to = &st_sgm_traits[dialect], .dialect = dialect};
    f->material = st_need_copy(c, f->material, f->material_count, sizeof *f->material);
    f->mesh = st_need_copy(c, f->mesh, f->mesh_count, sizeof *f->mesh);
    for (unsigned i = 0; c->fits && i < f->material_count; i++) {
        a.place = at_item(&before->material[i]);
        adapt_material(&a, &f->material[i]);
    }
    for (unsigned i = 0; c->fits && i < f->mesh_count; i++) {
        a.place = at_item(&before->mesh[i]);
        adapt_mesh(&a, &f->mesh[i]);
    }
    if (c->fits && f->has_animation == 1 && !a.to->animation)
        st_drop(c, DIAG_LOSS_ANIMATION, 1, at_member(&before->animation), "has no animation reference");
    if (c->fits && f->has_animation == 1 && a.to->animation)
        terminate(&a, &f->animation);
    if (!a.from->animation || !a.to->animation)
        f->has_animation = 0;
    raw->dialect = dialect;
    return c->fits;
}
