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
} sgm_adapter;

/* Engines want a NUL at the end of every string. */
static void terminate(sgm_adapter *a, text *string, const char *path)
{
    if (string->size && string->data[string->size - 1] == 0)
        return;
    if (string->size == UINT16_MAX) {
        st_refuse(a->c, st_check_offset(a->c, string->data), path, "there is no room for its terminating NUL");
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

static void uv_sets_to_textures(sgm_adapter *a, sgm_material *m, const char *path)
{
    static const text nothing = {"", 1};
    uint64_t dropped = 0, hints = 0;
    m->texture_count = m->uv_set_count;
    m->texture = st_arena_array(a->c->arena, m->uv_set_count, sizeof *m->texture);
    a->c->fits &= m->texture != NULL;
    for (unsigned i = 0; m->texture && i < m->uv_set_count; i++) {
        const sgm_uv_set *set = &m->uv_set[i];
        m->texture[i] = set->texture_count ? set->texture[0] : (sgm_texture){.name = nothing};
        dropped += set->texture_count ? set->texture_count - 1u : 0;
        hints += m->texture[i].hint != 0;
        m->texture[i].hint = 0;
    }
    st_drop(a->c, DIAG_LOSS_TEXTURE, dropped, path, "has one texture per uv set");
    st_drop(a->c, DIAG_LOSS_HINT, hints, path, "has no texture roles");
    m->uv_set_count = 0;
}

static void terminate_names(sgm_adapter *a, sgm_texture **textures, unsigned count, const char *path)
{
    *textures = st_need_copy(a->c, *textures, count, sizeof **textures);
    for (unsigned i = 0; *textures && i < count; i++)
        terminate(a, &(*textures)[i].name, path);
}

static void adapt_material(sgm_adapter *a, sgm_material *m, const char *path)
{
    if (a->from->uv_sets && !a->to->uv_sets)
        uv_sets_to_textures(a, m, path);
    if (!a->from->uv_sets && a->to->uv_sets)
        a->c->fits &= st_sgm_plain_to_uv_sets(a->c->arena, m);
    m->uv_set = st_need_copy(a->c, m->uv_set, m->uv_set_count, sizeof *m->uv_set);
    for (unsigned i = 0; m->uv_set && i < m->uv_set_count; i++)
        terminate_names(a, &m->uv_set[i].texture, m->uv_set[i].texture_count, path);
    terminate_names(a, &m->texture, m->texture_count, path);
    if (!a->to->uv_sets || (a->dialect == SGM_V3_NOCOLOR && !m->uv_set_count)) {
        st_drop(a->c, DIAG_LOSS_COLOR, m->color_count, path, "has no colours here");
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
    vertex_floats bones = st_sgm_floats(m, SGM_BONES);
    uint8_t *used = st_arena_alloc(a->c->arena, MOST_BONES);
    if (!used)
        return false;
    for (uint64_t v = 0; v < m->vertex_count; v++)
        for (int i = 0; i < 4; i++) {
            float bone = load_f32(bones.data + v * bones.stride + 4 * i);
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
    return (uint8_t *)st_sgm_floats(m, SGM_BONES).data;
}

/* From vertices that refer to the map to vertices that refer to bones. */
static void apply_bone_map(sgm_adapter *a, sgm_mesh *m, const char *path)
{
    uint16_t table[MOST_MAPPED];
    for (unsigned i = 0; i < m->bone_map.count; i++)
        table[i] = load_u16(m->bone_map.data + 2 * i);
    if (!rewrite_bones(bones_of_copy(m), m->vertex_count, m->vertices.stride, (uint32_t)m->bone_map.count, table))
        st_refuse(a->c, m->at, path, "vertices refer beyond its bone map");
}

static void make_bone_map(sgm_adapter *a, sgm_mesh *m, const char *path)
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
        st_refuse(a->c, m->at, path, "a bone map has at most 255 bones");
        return;
    }
    if (!rewritten) {
        st_refuse(a->c, m->at, path, "vertices refer to bones that are no whole numbers or out of range");
        return;
    }
    /* a map of no entries would mean no skin at all */
    m->bone_map = (span){map, count ? count : 1, 2};
    m->has_bones = (uint8_t)m->bone_map.count;
}

static void adapt_skin(sgm_adapter *a, sgm_mesh *m, const char *path)
{
    bool same_map = a->from->bones == BONES_MAP && a->to->bones == BONES_MAP && a->from->mapped == a->to->mapped;
    if (!m->has_bones || same_map)
        return;
    if (a->from->mapped)
        apply_bone_map(a, m, path);
    else if (a->from->bones == BONES_MAP && a->to->bones != BONES_MAP)
        st_drop(a->c, DIAG_LOSS_BONE_MAP, m->bone_map.count, path, "has no bone map, and these vertices do not use theirs");
    m->bone_map = (span){0};
    if (a->to->bones == BONES_MAP && a->c->fits)
        make_bone_map(a, m, path);
    else
        m->has_bones = 1;
}

/* ---- Vertices and indices ---- */

static void copy_rows(uint8_t *to, uint32_t to_stride, const vertex_floats *from, uint64_t count)
{
    for (uint64_t v = 0; v < count; v++)
        memcpy(to + v * to_stride, from->data + v * from->stride, 4 * (size_t)from->components);
}

/* A copy of the vertices with the columns that the mesh has now; before is the mesh as it was. */
static void repack_vertices(sgm_adapter *a, sgm_mesh *m, const sgm_mesh *before)
{
    uint32_t stride = 0, at = 0;
    for (unsigned column = SGM_POSITION; column <= SGM_BONES; column++)
        stride += 4 * st_sgm_floats(m, (sgm_column)column).components;
    uint8_t *copy = st_arena_alloc(a->c->arena, (uint64_t)stride * m->vertex_count);
    if (!copy) {
        a->c->fits = false;
        return;
    }
    for (unsigned column = SGM_POSITION; column <= SGM_BONES; column++) {
        vertex_floats from = st_sgm_floats(before, (sgm_column)column);
        if (!st_sgm_floats(m, (sgm_column)column).components)
            continue;
        copy_rows(copy + at, stride, &from, m->vertex_count);
        at += 4 * from.components;
    }
    m->vertices = (span){copy, m->vertex_count, stride};
}

static void adapt_vertices(sgm_adapter *a, sgm_mesh *m, const char *path)
{
    sgm_mesh before = *m;
    if (m->has_tangents && !a->to->tangents) {
        st_drop(a->c, DIAG_LOSS_TANGENT, m->vertex_count, path, "has no tangents");
        m->has_tangents = 0;
    }
    if (m->has_bones && a->to->bones == BONES_NONE) {
        st_drop(a->c, DIAG_LOSS_SKIN, m->vertex_count, path, "has no skin");
        m->has_bones = 0;
        m->bone_map = (span){0};
    }
    bool bones_change = m->has_bones && a->from->mapped != a->to->mapped;
    if (bones_change || m->has_tangents != before.has_tangents || m->has_bones != before.has_bones)
        repack_vertices(a, m, &before);
}

static void adapt_indices(sgm_adapter *a, sgm_mesh *m, const char *path)
{
    if (a->to->index_size || m->index_size == 2)
        return;
    if (st_scan_beyond(m->indices.data, m->index_count, st_sgm_index_type(m), UINT16_MAX + 1)) {
        st_refuse(a->c, m->at, path, "its indices have 16 bits");
        return;
    }
    uint8_t *copy = st_arena_alloc(a->c->arena, 2 * (uint64_t)m->index_count);
    a->c->fits &= copy != NULL;
    for (uint64_t i = 0; copy && i < m->index_count; i++)
        store_uint(copy + 2 * i, load_uint(m->indices.data + i * m->index_size, st_sgm_index_type(m)), 2);
    m->indices = (span){copy, m->index_count, 2};
    m->index_size = 2;
}

static void adapt_mesh(sgm_adapter *a, sgm_mesh *m, const char *path)
{
    if (m->vertex_count > UINT16_MAX && a->to->vertex_count == STELE_U16)
        st_refuse(a->c, m->at, path, "it has at most 65535 vertices");
    if (m->index_count > UINT16_MAX && a->to->index_count == STELE_U16)
        st_refuse(a->c, m->at, path, "it has at most 65535 indices");
    if (a->c->fits)
        adapt_indices(a, m, path);
    if (a->c->fits)
        adapt_vertices(a, m, path);
    if (a->c->fits)
        adapt_skin(a, m, path);
}

/* ---- The file ---- */

bool st_sgm_adapt(context *c, raw_file *raw, unsigned dialect)
{
    char path[WALK_PATH];
    sgm_file *f = (sgm_file *)raw;
    sgm_adapter a = {.c = c, .from = &st_sgm_traits[raw->dialect], .to = &st_sgm_traits[dialect], .dialect = dialect};
    c->into = st_format_sgm.info.dialects[dialect].name;
    f->material = st_need_copy(c, f->material, f->material_count, sizeof *f->material);
    f->mesh = st_need_copy(c, f->mesh, f->mesh_count, sizeof *f->mesh);
    for (unsigned i = 0; c->fits && i < f->material_count; i++)
        adapt_material(&a, &f->material[i], st_check_path(path, "material[%u]", i));
    for (unsigned i = 0; c->fits && i < f->mesh_count; i++)
        adapt_mesh(&a, &f->mesh[i], st_check_path(path, "mesh[%u]", i));
    if (c->fits && f->has_animation == 1 && !a.to->animation)
        st_drop(c, DIAG_LOSS_ANIMATION, 1, "animation", "has no animation reference");
    if (c->fits && f->has_animation == 1 && a.to->animation)
        terminate(&a, &f->animation, "animation");
    if (!a.from->animation || !a.to->animation)
        f->has_animation = 0;
    raw->dialect = dialect;
    return c->fits;
}
