/* From one TWM version to another, in the recommended reading. */
#include <string.h>

#include "base/bytes.h"
#include "base/scan.h"
#include "raw.h"

/* Joints of 68 bytes get the gap that the document's offsets show. */
static bool widen_joints(twm_file *f, arena *a)
{
    if (f->joints.stride != 68)
        return true;
    uint8_t *wide = st_arena_alloc(a, 72 * (uint64_t)f->joint_count);
    for (uint64_t i = 0; wide && i < f->joint_count; i++) {
        memcpy(wide + 72 * i, f->joints.data + 68 * i, 4);
        memcpy(wide + 72 * i + 8, f->joints.data + 68 * i + 4, 64);
    }
    f->joints = (span){wide, f->joint_count, 72};
    return wide != NULL;
}

/* With a skeleton every mesh gets clusters, so that every reading of the document agrees. */
static bool add_clusters(twm_mesh *m, arena *a)
{
    if (m->clusters.data)
        return true;
    uint8_t *empty = st_arena_alloc(a, 8 * m->vertex_count);
    m->clusters = (items){empty, m->vertex_count, 8 * m->vertex_count};
    return empty != NULL;
}

static void lose(context *c, diag_code code, uint64_t count, const twm_mesh *before, const char *what)
{
    if (count)
        st_diag(c->diags, code, counted(count, at_item(before)), "%s: %llu are missing", what, (unsigned long long)count);
}

/* Only v3 can tell that its writer took three floats for each uv: elsewhere they must be what they seem. */
static bool repair_uvs(context *c, const twm_file *f, const twm_mesh *before, twm_mesh *m)
{
    uint64_t known = 2 * m->vertex_count / 3;
    if (!st_twm_three_float_uvs(f, m))
        return true;
    uint8_t *copy = st_arena_alloc(c->arena, 8 * m->vertex_count);
    for (uint64_t v = 0; copy && v < known; v++)
        memcpy(copy + 8 * v, m->uv.data + 12 * v, 8);
    m->uv = (span){copy, m->vertex_count, 8};
    lose(c, DIAG_LOSS_UV, m->vertex_count - known, before, "uvs of some vertices were never written");
    return copy != NULL;
}

static bool resize_indices(context *c, const twm_file *f, const twm_mesh *before, twm_mesh *m, uint32_t size)
{
    bool half = st_twm_half_indices(f, m);
    uint32_t from = half ? 8 : m->index_size;
    uint64_t count = half ? m->index_count / 6 * 3 : m->index_count;
    stele_type type = from == 8 ? STELE_U64 : STELE_U32;
    if (from == size && !half)
        return true;
    if (size == 4 && st_scan_beyond(m->indices.data, count, type, (uint64_t)UINT32_MAX + 1)) {
        st_diag(c->diags, DIAG_DOES_NOT_FIT, at_member(&before->indices), "do not fit in 32 bits");
        return false;
    }
    if (half)
        lose(c, DIAG_LOSS_INDICES, m->index_count - count, before, "half of the indices were never written");
    uint8_t *copy = st_arena_alloc(c->arena, count * size);
    for (uint64_t i = 0; copy && i < count; i++)
        store_uint(copy + i * size, load_uint(m->indices.data + i * from, type), size);
    m->indices = (span){copy, count, size};
    m->index_count = count;
    m->index_size = size;
    return copy != NULL;
}

static bool adapt_mesh(context *c, const twm_file *f, const twm_mesh *before, twm_mesh *m, unsigned dialect)
{
    if (dialect == TWM_V3 && (m->vertex_count > UINT32_MAX || m->index_count > UINT32_MAX)) {
        st_diag(c->diags, DIAG_DOES_NOT_FIT, at_item(before), "does not fit in v3: counts have 32 bits");
        return false;
    }
    if (st_twm_has_skeleton(f)) {
        if (!st_twm_has_clusters(f, m))
            m->clusters = (items){0};
        m->has_deformer = 1;
        if (!add_clusters(m, c->arena))
            return false;
    }
    if (dialect != TWM_V3 && !repair_uvs(c, f, before, m))
        return false;
    return resize_indices(c, f, before, m, dialect <= TWM_V1 ? 8 : 4);
}

bool st_twm_adapt(context *c, const raw_file *from, raw_file *raw, unsigned dialect)
{
    const twm_file *before = (const twm_file *)from;
    twm_file *f = (twm_file *)raw;
    twm_mesh *meshes = st_arena_array(c->arena, f->mesh_count, sizeof *meshes);
    if (!meshes || !widen_joints(f, c->arena))
        return false;
    for (unsigned i = 0; i < f->mesh_count; i++) {
        meshes[i] = f->mesh[i];
        if (!adapt_mesh(c, f, &before->mesh[i], &meshes[i], dialect))
            return false;
    }
    f->has_skeleton = st_twm_has_skeleton(f);
    f->mesh = meshes;
    raw->dialect = dialect;
    raw->reading = 0;
    return true;
}
