/* What can be wrong with a TWM. */
#include <math.h>
#include <string.h>

#include "base/scan.h"
#include "base/vector.h"
#include "raw.h"

static void note(tally *t, bool wrong, uint64_t where, const uint8_t *at)
{
    if (wrong)
        tally_note(t, where, at);
}

/* ---- Flags and reserved bytes ---- */

static void check_reserved(context *c, const span *reserved, const char *path)
{
    for (uint64_t i = 0; i < reserved->count; i++)
        if (reserved->data[i]) {
            st_diag(c->diags, DIAG_RESERVED_NOT_ZERO, st_check_place(c, st_check_offset(c, reserved->data + i), 1, "%s", path),
                    "is %u, but reserved bytes are 0", reserved->data[i]);
            return;
        }
}

static void check_flags(context *c, const twm_file *f, const twm_mesh *m, unsigned index)
{
    const uint8_t flags[] = {m->has_normals, m->has_uvs, m->has_tangents, m->has_binormals, m->has_deformer};
    static const char *const names[] = {"has_normals", "has_uvs", "has_tangents", "has_binormals", "has_deformer"};
    char path[WALK_PATH];
    uint64_t at = m->at + (f->raw.dialect == TWM_V3 ? 4 : 8);
    for (unsigned i = 0; i < sizeof flags; i++)
        st_check_flag(c, flags[i], at + i, st_check_path(path, "mesh[%u].%s", index, names[i]));
    check_reserved(c, &m->reserved, st_check_path(path, "mesh[%u].reserved", index));
}

static void check_header(context *c, const twm_file *f)
{
    twm_reading reading = st_twm_reading(f->raw.reading);
    st_check_flag(c, f->has_skeleton, 12, "has_skeleton");
    check_reserved(c, &f->reserved, "reserved");
    if (f->has_skeleton && !reading.joint_size)
        st_diag(c->diags, DIAG_SKELETON_FLAG, st_check_place(c, 12, 1, "has_skeleton"),
                "is %u, but there is no skeleton: a bug of the writers", f->has_skeleton);
    else if (f->has_skeleton && reading.says)
        st_diag(c->diags, DIAG_NONSTANDARD_LAYOUT, st_check_place(c, 12, 1, "has_skeleton"),
                "is followed by a layout that the document leaves open: %s", reading.says);
}

/* ---- Joints ---- */

bool st_twm_counts_from_one(const twm_file *f)
{
    bool own_parent = false;
    for (uint32_t i = 0; i < f->joint_count; i++) {
        uint32_t parent = load_u32(f->joints.data + (uint64_t)i * f->joints.stride);
        if (parent > i)
            return false;
        own_parent |= i && parent == i;
    }
    return own_parent;
}

static uint64_t offset_of_joint(const context *c, const void *file, uint64_t joint)
{
    const twm_file *f = file;
    return st_check_offset(c, f->joints.data + joint * f->joints.stride);
}

static void check_parents(context *c, const twm_file *f)
{
    uint32_t base = st_twm_counts_from_one(f);
    if (base && c->full)
        st_diag(c->diags, DIAG_NONSTANDARD_LAYOUT, st_check_place(c, offset_of_joint(c, f, 0), 1, "joint"),
                "are taken to count their parents from 1, because one seems to be its own parent");
    int64_t *parent = st_arena_array(c->arena, f->joint_count, sizeof *parent);
    for (uint32_t i = 0; parent && i < f->joint_count; i++) {
        uint32_t given = load_u32(f->joints.data + (uint64_t)i * f->joints.stride);
        bool root = given == 0 && (base || i == 0);
        bool beyond = !root && given - base >= f->joint_count;
        parent[i] = root || beyond ? NO_PARENT : (int64_t)(given - base);
        if (beyond)
            st_diag(c->diags, DIAG_PARENT_OUT_OF_RANGE, st_check_place(c, offset_of_joint(c, f, i), 1, "joint[%u].parent", i),
                    "is %u, but there are only %u joints", given, f->joint_count);
    }
    if (parent)
        st_check_cycles(c, parent, f->joint_count, "joint", offset_of_joint, f);
}

static void check_padding(context *c, const twm_file *f)
{
    tally used = {0};
    for (uint64_t i = 0; f->joints.stride == 72 && i < f->joint_count; i++)
        note(&used, load_u32(f->joints.data + 72 * i + 4) != 0, i, f->joints.data + 72 * i + 4);
    if (used.count)
        st_diag(
            c->diags, DIAG_RESERVED_NOT_ZERO,
            st_check_place(c, st_check_offset(c, used.at), used.count, "joint[%llu].padding", (unsigned long long)used.first),
            "is not 0");
}

static void check_matrices(context *c, const twm_file *f)
{
    tally bad = {0};
    for (uint64_t i = 0; i < f->joint_count; i++)
        note(&bad, st_scan_nonfinite(twm_joint_matrix(f, i), 16), i, twm_joint_matrix(f, i));
    if (bad.count)
        st_diag(
            c->diags, DIAG_NONFINITE_BONE,
            st_check_place(c, st_check_offset(c, bad.at), bad.count, "joint[%llu].inverse_bind", (unsigned long long)bad.first),
            "is not finite");
}

/* ---- Clusters ---- */

typedef struct cluster_findings {
    tally beyond, nonfinite, negative, sum, zero;
} cluster_findings;

static void look_at_cluster(const twm_file *f, const uint8_t *p, uint64_t weights, uint64_t vertex, cluster_findings *found)
{
    double sum = 0;
    bool beyond = false, negative = false, finite = true, zero = true;
    for (uint64_t i = 0; i < weights; i++) {
        double weight = load_f64(p + 8 + i * TWM_WEIGHT_BYTES + 4);
        beyond |= load_u32(p + 8 + i * TWM_WEIGHT_BYTES) >= f->joint_count;
        negative |= weight < 0;
        finite &= isfinite(weight) != 0;
        zero &= weight == 0;
        sum += weight;
    }
    note(&found->beyond, beyond, vertex, p);
    note(&found->nonfinite, !finite, vertex, p);
    note(&found->negative, negative, vertex, p);
    note(&found->zero, zero, vertex, p);
    note(&found->sum, finite && !zero && (sum < 0.99 || sum > 1.01), vertex, p);
}

static void report(context *c, diag_code code, const tally *found, unsigned mesh, const char *says)
{
    if (found->count)
        st_diag(c->diags, code,
                st_check_place(c, st_check_offset(c, found->at), found->count, "mesh[%u].cluster[%llu]", mesh,
                               (unsigned long long)found->first),
                "%s", says);
}

static void check_clusters(context *c, const twm_file *f, const twm_mesh *m, unsigned index)
{
    cluster_findings found = {0};
    const uint8_t *p = m->clusters.data;
    for (uint64_t v = 0; v < m->clusters.count; v++) {
        uint64_t weights = load_u64(p);
        look_at_cluster(f, p, weights, v, &found);
        p += 8 + weights * TWM_WEIGHT_BYTES;
    }
    report(c, DIAG_BONE_OUT_OF_RANGE, &found.beyond, index, "refers to a joint that is not there");
    report(c, DIAG_NONFINITE_WEIGHT, &found.nonfinite, index, "has weights that are not finite");
    if (!c->full)
        return;
    report(c, DIAG_WEIGHT_NEGATIVE, &found.negative, index, "has negative weights");
    report(c, DIAG_WEIGHT_ALL_ZERO, &found.zero, index, "has no weight: no joint moves the vertex");
    report(c, DIAG_WEIGHT_SUM, &found.sum, index, "has weights that do not sum to 1");
}

/* ---- Meshes ---- */

static mesh_view view_of(const twm_file *f, const twm_mesh *m, const char *path)
{
    uint32_t present = 3;
    mesh_view view = {
        .path = path,
        .one_uv = true,
        .separate = true,
        .vertex_count = m->vertex_count,
        .position = {m->position.data, 12, present},
        .normal = {m->normal.data, 12, m->has_normals ? present : 0},
        .uv = {m->uv.data, 8, m->has_uvs ? 2 : 0},
        .tangent = {m->tangent.data, 12, m->has_tangents ? present : 0},
        .binormal = {m->binormal.data, 12, m->has_binormals ? present : 0},
        .bone_count = UINT64_MAX,
        .indices = m->indices.data,
        .index_count = m->index_count,
        .index_type = m->index_size == 8 ? STELE_U64 : STELE_U32,
    };
    if (st_twm_half_indices(f, m)) {
        view.index_type = STELE_U64;
        view.index_count = m->index_count / 6 * 3; /* whole triangles of the half that is there */
    }
    return view;
}

static void check_defects(context *c, const twm_file *f, const twm_mesh *m, unsigned index)
{
    if (st_twm_reading(f->raw.reading).narrow && !st_twm_half_indices(f, m) && m->index_count)
        st_diag(c->diags, DIAG_NONSTANDARD_LAYOUT,
                st_check_place(c, st_check_offset(c, m->indices.data), 1, "mesh[%u].indices", index),
                "have 4 bytes each, although those of this version have 8");
    if (st_twm_half_indices(f, m))
        st_diag(c->diags, DIAG_HALF_INDICES,
                st_check_place(c, st_check_offset(c, m->indices.data), 1, "mesh[%u].indices", index),
                "are 64-bit numbers of which only the first %llu of %llu were written: half of the triangles are lost",
                (unsigned long long)(m->index_count / 2), (unsigned long long)m->index_count);
    if (st_twm_three_float_uvs(f, m))
        st_diag(c->diags, DIAG_THREE_FLOAT_UV, st_check_place(c, st_check_offset(c, m->uv.data), 1, "mesh[%u].uv", index),
                "holds three floats for each of the first %llu vertices, and nothing for the others: a bug of the writer",
                (unsigned long long)(2 * m->vertex_count / 3));
}

static void check_mesh(context *c, const twm_file *f, unsigned index)
{
    char path[WALK_PATH];
    const twm_mesh *m = &f->mesh[index];
    mesh_view view = view_of(f, m, st_check_path(path, "mesh[%u]", index));
    if (c->full) {
        check_flags(c, f, m, index);
        check_defects(c, f, m, index);
    }
    st_check_mesh(c, &view);
    check_clusters(c, f, m, index);
}

/* ---- Keys ---- */

static bool key_finite(const uint8_t *key)
{
    return !st_scan_nonfinite(key + 4, TWM_KEY_BYTES / 4 - 1);
}

static void check_track(context *c, const twm_track *t, const char *path)
{
    tally nonfinite = {0}, turned = {0}, unsorted = {0}, repeated = {0};
    const struct {
        diag_code code;
        const tally *found;
        const char *part, *says;
    } reports[] = {{DIAG_NONFINITE_KEY, &nonfinite, "", "is not finite"},
                   {DIAG_TIME_UNSORTED, &unsorted, ".time", "is earlier than the key before it"},
                   {DIAG_TIME_REPEATED, &repeated, ".time", "is the same as of the key before it"},
                   {DIAG_ROTATION_NOT_UNIT, &turned, ".rotation", "is not of length 1"}};
    for (uint64_t i = 0; i < t->key.count; i++) {
        const uint8_t *key = t->key.data + i * TWM_KEY_BYTES;
        uint32_t before = i ? load_u32(key - TWM_KEY_BYTES) : 0;
        note(&nonfinite, !key_finite(key), i, key);
        note(&turned, c->full && key_finite(key) && !unit4_at(key + TWM_KEY_ROTATION), i, key + TWM_KEY_ROTATION);
        note(&unsorted, c->full && i && load_u32(key) < before, i, key);
        note(&repeated, c->full && i && load_u32(key) == before, i, key);
    }
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++)
        if (reports[i].found->count)
            st_diag(c->diags, reports[i].code,
                    st_check_place(c, st_check_offset(c, reports[i].found->at), reports[i].found->count, "%s.key[%llu]%s", path,
                                   (unsigned long long)reports[i].found->first, reports[i].part),
                    "%s", reports[i].says);
}

void st_twm_check(context *c, const raw_file *raw)
{
    char path[WALK_PATH];
    const twm_file *f = (const twm_file *)raw;
    if (c->full) {
        check_header(c, f);
        check_padding(c, f);
    }
    check_parents(c, f);
    check_matrices(c, f);
    for (unsigned i = 0; i < f->mesh_count; i++)
        check_mesh(c, f, i);
    for (unsigned i = 0; i < f->animation_count; i++)
        for (unsigned k = 0; k < f->joint_count; k++)
            check_track(c, &f->animation[i].track[k], st_check_path(path, "animation[%u].track[%u]", i, k));
}
