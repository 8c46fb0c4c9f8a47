/* What can be wrong with a TWM. */
#include <math.h>
#include <string.h>

#include "base/scan.h"
#include "base/vector.h"
#include "raw.h"

/* ---- Flags and reserved bytes ---- */

static void check_reserved(context *c, const span *reserved)
{
    for (uint64_t i = 0; i < reserved->count; i++)
        if (reserved->data[i]) {
            st_diag(c->diags, DIAG_RESERVED_NOT_ZERO, at_byte(reserved->data + i), "is %u, but reserved bytes are 0",
                    reserved->data[i]);
            return;
        }
}

static void check_flags(context *c, const twm_mesh *m)
{
    st_check_flag(c, &m->has_normals);
    st_check_flag(c, &m->has_uvs);
    st_check_flag(c, &m->has_tangents);
    st_check_flag(c, &m->has_binormals);
    st_check_flag(c, &m->has_deformer);
    check_reserved(c, &m->reserved);
}

static void check_header(context *c, const twm_file *f)
{
    twm_reading reading = st_twm_reading(f->raw.reading);
    st_check_flag(c, &f->has_skeleton);
    check_reserved(c, &f->reserved);
    if (f->has_skeleton && !reading.joint_size)
        st_diag(c->diags, DIAG_SKELETON_FLAG, at_member(&f->has_skeleton),
                "is %u, but there is no skeleton: a bug of the writers", f->has_skeleton);
    else if (f->has_skeleton && reading.says)
        st_diag(c->diags, DIAG_NONSTANDARD_LAYOUT, at_member(&f->has_skeleton),
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

static diag_place place_of_joint(const void *joints, uint64_t joint)
{
    const span *rows = joints;
    return at_row(rows->data + joint * rows->stride, 1);
}

static void check_parents(context *c, const twm_file *f)
{
    uint32_t base = st_twm_counts_from_one(f);
    if (base && c->full)
        st_diag(c->diags, DIAG_NONSTANDARD_LAYOUT, at_member(&f->joints),
                "are taken to count their parents from 1, because one seems to be its own parent");
    int64_t *parent = st_arena_array(c->arena, f->joint_count, sizeof *parent);
    for (uint32_t i = 0; parent && i < f->joint_count; i++) {
        const uint8_t *joint = f->joints.data + (uint64_t)i * f->joints.stride;
        uint32_t given = load_u32(joint);
        bool root = given == 0 && (base || i == 0);
        bool beyond = !root && given - base >= f->joint_count;
        parent[i] = root || beyond ? NO_PARENT : (int64_t)(given - base);
        if (beyond)
            st_diag(c->diags, DIAG_PARENT_OUT_OF_RANGE, at_column(joint, 1), "is %u, but there are only %u joints", given,
                    f->joint_count);
    }
    if (parent)
        st_check_cycles(c, parent, f->joint_count, place_of_joint, &f->joints);
}

static void check_padding(context *c, const twm_file *f)
{
    tally used = {0};
    for (uint64_t i = 0; f->joints.stride == 72 && i < f->joint_count; i++)
        tally_note(&used, load_u32(f->joints.data + 72 * i + 4) != 0, f->joints.data + 72 * i + 4);
    st_report(c, DIAG_RESERVED_NOT_ZERO, PLACE_COLUMN, &used, "is not 0");
}

static void check_matrices(context *c, const twm_file *f)
{
    tally bad = {0};
    for (uint64_t i = 0; i < f->joint_count; i++)
        tally_note(&bad, st_scan_nonfinite(twm_joint_matrix(f, i), 16), twm_joint_matrix(f, i));
    st_report(c, DIAG_NONFINITE_BONE, PLACE_COLUMN, &bad, "is not finite");
}

/* ---- Clusters ---- */

typedef struct cluster_findings {
    tally beyond, nonfinite, negative, sum, zero;
} cluster_findings;

static void look_at_cluster(const twm_file *f, const uint8_t *p, uint64_t weights, cluster_findings *found)
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
    tally_note(&found->beyond, beyond, p);
    tally_note(&found->nonfinite, !finite, p);
    tally_note(&found->negative, negative, p);
    tally_note(&found->zero, zero, p);
    tally_note(&found->sum, finite && !zero && (sum < 0.99 || sum > 1.01), p);
}

static void check_clusters(context *c, const twm_file *f, const twm_mesh *m)
{
    cluster_findings found = {0};
    for (uint64_t v = 0, at = 0; v < m->clusters.count; v++) {
        const uint8_t *p = m->clusters.data + at;
        look_at_cluster(f, p, twm_next_cluster(&m->clusters, &at), &found);
    }
    st_report(c, DIAG_BONE_OUT_OF_RANGE, PLACE_ROW, &found.beyond, "refers to a joint that is not there");
    st_report(c, DIAG_NONFINITE_WEIGHT, PLACE_ROW, &found.nonfinite, "has weights that are not finite");
    if (!c->full)
        return;
    st_report(c, DIAG_WEIGHT_NEGATIVE, PLACE_ROW, &found.negative, "has negative weights");
    st_report(c, DIAG_WEIGHT_ALL_ZERO, PLACE_ROW, &found.zero, "has no weight: no joint moves the vertex");
    st_report(c, DIAG_WEIGHT_SUM, PLACE_ROW, &found.sum, "has weights that do not sum to 1");
}

/* ---- Meshes ---- */

static stele_view floats_of(const span *rows, bool there, uint32_t components)
{
    return there ? st_view_f32(rows->data, rows->count, 4 * components, components) : (stele_view){0};
}

static mesh_view view_of(const twm_file *f, const twm_mesh *m)
{
    bool half = st_twm_half_indices(f, m);
    mesh_view view = {
        .place = at_item(m),
        .vertex_count = m->vertex_count,
        .position = floats_of(&m->position, true, 3),
        .normal = floats_of(&m->normal, m->has_normals, 3),
        .uv = floats_of(&m->uv, m->has_uvs, 2),
        .tangent = floats_of(&m->tangent, m->has_tangents, 3),
        .binormal = floats_of(&m->binormal, m->has_binormals, 3),
        .bone_count = UINT64_MAX,
        .indices = st_view_indices(&m->indices, half || m->index_size == 8 ? STELE_U64 : STELE_U32),
    };
    if (half)
        view.indices.count = m->index_count / 6 * 3; /* whole triangles of the half that is there */
    return view;
}

static void check_defects(context *c, const twm_file *f, const twm_mesh *m)
{
    if (st_twm_reading(f->raw.reading).narrow && !st_twm_half_indices(f, m) && m->index_count)
        st_diag(c->diags, DIAG_NONSTANDARD_LAYOUT, at_member(&m->indices),
                "have 4 bytes each, although those of this version have 8");
    if (st_twm_half_indices(f, m))
        st_diag(c->diags, DIAG_HALF_INDICES, at_member(&m->indices),
                "are 64-bit numbers of which only the first %llu of %llu were written: half of the triangles are lost",
                (unsigned long long)(m->index_count / 2), (unsigned long long)m->index_count);
    if (st_twm_three_float_uvs(f, m))
        st_diag(c->diags, DIAG_THREE_FLOAT_UV, at_member(&m->uv),
                "holds three floats for each of the first %llu vertices, and nothing for the others: a bug of the writer",
                (unsigned long long)(2 * m->vertex_count / 3));
}

static void check_mesh(context *c, const twm_file *f, const twm_mesh *m)
{
    mesh_view view = view_of(f, m);
    if (c->full) {
        check_flags(c, m);
        check_defects(c, f, m);
    }
    st_check_mesh(c, &view);
    check_clusters(c, f, m);
}

/* ---- Keys ---- */

static bool key_finite(const uint8_t *key)
{
    return !st_scan_nonfinite(key + 4, TWM_KEY_BYTES / 4 - 1);
}

static void check_track(context *c, const twm_track *t)
{
    tally nonfinite = {0}, turned = {0}, unsorted = {0}, repeated = {0};
    for (uint64_t i = 0; i < t->key.count; i++) {
        const uint8_t *key = t->key.data + i * TWM_KEY_BYTES, *rotation = key + TWM_KEY_ROTATION;
        uint32_t before = i ? load_u32(key - TWM_KEY_BYTES) : 0;
        tally_note(&nonfinite, !key_finite(key), key);
        tally_note(&turned, c->full && key_finite(key) && !unit4_at(rotation), rotation);
        tally_note(&unsorted, c->full && i && load_u32(key) < before, key);
        tally_note(&repeated, c->full && i && load_u32(key) == before, key);
    }
    st_report(c, DIAG_NONFINITE_KEY, PLACE_ROW, &nonfinite, "is not finite");
    st_report(c, DIAG_TIME_UNSORTED, PLACE_COLUMN, &unsorted, "is earlier than the key before it");
    st_report(c, DIAG_TIME_REPEATED, PLACE_COLUMN, &repeated, "is the same as of the key before it");
    st_report(c, DIAG_ROTATION_NOT_UNIT, PLACE_COLUMN, &turned, "is not of length 1");
}

void st_twm_check(context *c, const raw_file *raw)
{
    const twm_file *f = (const twm_file *)raw;
    if (c->full) {
        check_header(c, f);
        check_padding(c, f);
    }
    check_parents(c, f);
    check_matrices(c, f);
    for (unsigned i = 0; i < f->mesh_count; i++)
        check_mesh(c, f, &f->mesh[i]);
    for (unsigned i = 0; i < f->animation_count; i++)
        for (unsigned k = 0; k < f->joint_count; k++)
            check_track(c, &f->animation[i].track[k]);
}
