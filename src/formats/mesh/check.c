/* What can be wrong with a MESH. */
#include <math.h>
#include <string.h>

#include "base/scan.h"
#include "base/vector.h"
#include "raw.h"

/* ---- The header ---- */

static void check_format(context *c, const mesh_file *f)
{
    if (!(f->format & FORMAT_POSITION))
        st_diag(c->diags, DIAG_BAD_FIELD, at_member(&f->format), "is %u: vertices without positions do not exist", f->format);
    if (f->format & ~FORMAT_KNOWN)
        st_diag(c->diags, DIAG_BAD_FIELD, at_member(&f->format), "is %u, but only its lowest 4 bits have a meaning", f->format);
    if (c->full && f->raw.dialect == MESH_A1 && (f->format & FORMAT_JOINTS))
        st_diag(c->diags, DIAG_WRITER_BUG, at_member(&f->format),
                "says that vertices have joints, which the writer of A1 then left out");
}

static void check_matrix(context *c, const uint8_t *matrix, diag_place at)
{
    if (st_scan_nonfinite(matrix, MATRIX_FLOATS))
        st_diag(c->diags, DIAG_NONFINITE_TRANSFORM, at, "is not finite");
    else if (c->full && !st_mesh_affine(matrix))
        st_diag(c->diags, DIAG_TRANSFORM_NOT_AFFINE, at, "has a last row that is not 0, 0, 0, 1");
}

/* ---- Vertices ---- */

static stele_view floats_at(const mesh_file *f, uint32_t at, uint32_t components)
{
    return at ? st_view_f32(f->vertices.data + at, f->vertex_count, f->vertices.stride, components) : (stele_view){0};
}

static unsigned look_at_skin(const mesh_view *mesh, uint64_t begin, uint64_t end)
{
    return st_mesh_look_at_skin(mesh->user, begin, end);
}

/* Returns what was seen in the skin. */
static unsigned check_geometry(context *c, const mesh_file *f)
{
    mesh_vertex at = st_mesh_vertex(f);
    mesh_view view = {
        .place = at_offset(0, 1, ""),
        .vertex_count = f->vertex_count,
        .position = st_view_f32(f->vertices.data, f->vertex_count, f->vertices.stride, 3),
        .normal = floats_at(f, at.normal, 3),
        .uv = floats_at(f, at.uv, 2),
        .indices = st_view_indices(&f->indices, STELE_U32),
        .look = at.joints ? look_at_skin : NULL,
        .user = f,
    };
    view.all = view.position;
    view.all.components = 3 + view.normal.components + view.uv.components;
    return st_check_mesh(c, &view);
}

/* The engine looks at no further joint after the first that is none. */
static unsigned weight_of(const uint8_t *joints)
{
    unsigned sum = 0;
    for (int i = 0; i < INFLUENCES && joints[i] != NO_JOINT; i++)
        sum += joints[INFLUENCES + i];
    return sum;
}

static bool any_beyond(const uint8_t *joints, unsigned joint_count)
{
    bool beyond = false;
    for (int i = 0; i < INFLUENCES; i++)
        beyond |= joints[i] >= joint_count && joints[i] != NO_JOINT;
    return beyond;
}

/* Weights have 255 for 1; 1 % is 2.55. */
static void check_skin(context *c, const mesh_file *f, uint32_t joints, unsigned seen)
{
    tally beyond = {0}, zero = {0}, sum = {0};
    st_mesh_know_skin(c, f, seen);
    if (!(seen & (SKIN_UNSOUND | SKIN_BEYOND)))
        return;
    for (uint64_t v = 0; v < f->vertex_count; v++) {
        const uint8_t *at = f->vertices.data + v * f->vertices.stride + joints;
        unsigned weight = weight_of(at);
        tally_note(&beyond, any_beyond(at, f->joint_count), at);
        tally_note(&zero, !weight, at + INFLUENCES);
        tally_note(&sum, weight && (weight < 253 || weight > 257), at + INFLUENCES);
    }
    st_report(c, DIAG_BONE_OUT_OF_RANGE, PLACE_COLUMN, &beyond, "go beyond the joints there are");
    if (!c->full)
        return;
    st_report(c, DIAG_WEIGHT_ALL_ZERO, PLACE_COLUMN, &zero, "are of no joint: the vertex does not move");
    st_report(c, DIAG_WEIGHT_SUM, PLACE_COLUMN, &sum, "do not sum to 255");
}

/* ---- Joints ---- */

static const uint8_t *joint_at(const mesh_file *f, unsigned index)
{
    return f->joints.data + (uint64_t)index * JOINT_BYTES;
}

enum { NOWHERE = NO_PARENT };

void st_mesh_index_joints(const mesh_file *f, int position[256])
{
    for (int id = 0; id < 256; id++)
        position[id] = NOWHERE;
    for (unsigned i = (unsigned)f->joints.count; i-- > 0;)
        position[joint_at(f, i)[JOINT_ID]] = (int)i;
    position[NO_JOINT] = NOWHERE;
}

static void check_joint(context *c, const mesh_file *f, unsigned index, const int position[256])
{
    const uint8_t *joint = joint_at(f, index);
    uint8_t id = joint[JOINT_ID], parent = joint[JOINT_PARENT];
    diag_place place = at_column(joint + JOINT_ID, 1);
    if (id >= f->joint_count)
        st_diag(c->diags, DIAG_JOINT_ID, place, "is %u, but there are only %u joints", id, f->joint_count);
    else if (position[id] != (int)index)
        st_diag(c->diags, DIAG_JOINT_ID, place, "is %u, as that of joints[%d]", id, position[id]);
    if (parent >= f->joint_count && parent != NO_JOINT)
        st_diag(c->diags, DIAG_PARENT_OUT_OF_RANGE, at_column(joint + JOINT_PARENT, 1), "is %u, but there are only %u joints",
                parent, f->joint_count);
    check_matrix(c, joint + JOINT_BIND, at_column(joint + JOINT_BIND, 1));
}

static diag_place place_of_joint(const void *file, uint64_t joint)
{
    return at_row(joint_at(file, (unsigned)joint), 1);
}

static void check_cycles(context *c, const mesh_file *f, const int position[256])
{
    int64_t parent[256];
    for (unsigned i = 0; i < f->joints.count; i++)
        parent[i] = position[joint_at(f, i)[JOINT_PARENT]];
    st_check_cycles(c, parent, f->joints.count, place_of_joint, f);
}

static void check_joints(context *c, const mesh_file *f)
{
    int position[256];
    st_mesh_index_joints(f, position);
    for (unsigned i = 0; i < f->joints.count; i++)
        check_joint(c, f, i, position);
    check_cycles(c, f, position);
}

/* ---- Animations ---- */

static void check_amount(context *c, const span *value)
{
    float amount = load_f32(value->data);
    if (!isfinite(amount))
        st_diag(c->diags, DIAG_NONFINITE_KEY, at_member(value), "is not finite");
    else if (c->full && amount < 0)
        st_diag(c->diags, DIAG_TIME_NEGATIVE, at_member(value), "is negative");
}

static void check_times(context *c, const mesh_animation *a)
{
    tally nonfinite = {0}, unsorted = {0}, repeated = {0}, past = {0};
    float before = -INFINITY, duration = load_f32(a->duration.data);
    for (uint64_t i = 0; i < a->pose_count; i++) {
        const uint8_t *at = a->timestamps.data + 4 * i;
        float time = load_f32(at);
        tally_note(&nonfinite, !isfinite(time), at);
        tally_note(&unsorted, time < before, at);
        tally_note(&repeated, time == before, at);
        tally_note(&past, time > duration, at);
        before = time;
    }
    st_report(c, DIAG_NONFINITE_KEY, PLACE_ROW, &nonfinite, "is not finite");
    if (!c->full)
        return;
    st_report(c, DIAG_TIME_UNSORTED, PLACE_ROW, &unsorted, "is earlier than the one before it");
    st_report(c, DIAG_TIME_REPEATED, PLACE_ROW, &repeated, "is the same as the one before it");
    st_report(c, DIAG_TIME_PAST_DURATION, PLACE_ROW, &past, "is later than the animation's duration: it is never reached");
}

static void check_poses(context *c, const mesh_file *f, const mesh_animation *a)
{
    tally nonfinite = {0}, turned = {0}, joints = {0};
    uint64_t last_pose[256] = {0};
    for (uint64_t row = 0; row < a->poses.count; row++) {
        const uint8_t *pose = st_mesh_pose(f, a, row);
        uint64_t joint = st_mesh_pose_joint(f, a, row), number = row / f->joint_count + 1;
        bool finite = !st_scan_nonfinite(pose, POSE_FLOATS), listed = joint >= f->joint_count || last_pose[joint] == number;
        tally_note(&nonfinite, !finite, pose);
        tally_note(&turned, finite && !unit4_at(pose + POSE_ROTATION), pose + POSE_ROTATION);
        tally_note(&joints, listed, a->poses.data + row * a->poses.stride);
        if (!listed)
            last_pose[joint] = number;
    }
    st_report(c, DIAG_NONFINITE_KEY, PLACE_ROW, &nonfinite, "is not finite");
    st_report(c, DIAG_POSE_JOINTS, PLACE_COLUMN, &joints,
              "is not there or was listed in this pose already: another joint is missing");
    if (c->full)
        st_report(c, DIAG_ROTATION_NOT_UNIT, PLACE_COLUMN, &turned, "is not of length 1");
}

static void check_animation(context *c, const mesh_file *f, const mesh_animation *a)
{
    const mesh_traits *t = &st_mesh_traits[f->raw.dialect];
    check_amount(c, &a->duration);
    check_amount(c, &a->speed);
    if (t->names && a->name >= f->animation_count)
        st_diag(c->diags, DIAG_NAME_OUT_OF_RANGE, at_member(&a->name),
                "is %u, but there is at most one name for each of the %u animations", a->name, f->animation_count);
    if (!t->poses)
        return;
    if (c->full && !a->pose_count)
        st_diag(c->diags, DIAG_CLIP_EMPTY, at_member(&a->pose_count), "is 0: nothing moves");
    check_times(c, a);
    check_poses(c, f, a);
}

static void check_strings(context *c, const mesh_file *f)
{
    uint64_t needed = st_mesh_strings_needed(f), there = st_mesh_strings(f);
    if (there < needed)
        st_diag(c->diags, DIAG_STRINGS_MISSING, counted(needed - there, at_member(&f->strings)),
                "hold %llu of the %llu names that the animations refer to", (unsigned long long)there,
                (unsigned long long)needed);
}

/* ---- Joints that the writer forgot to animate ---- */

static bool pose_is_identity(const uint8_t *pose)
{
    static const float identity[POSE_FLOATS] = {0, 0, 0, 1, 0, 0, 0, 1, 1, 1};
    for (int i = 0; i < POSE_FLOATS; i++)
        if (load_f32(pose + 4 * i) != identity[i])
            return false;
    return true;
}

/* Which joints some pose moves; returns how many rows of poses there are. */
static uint64_t find_driven(const mesh_file *f, bool driven[256])
{
    uint64_t poses = 0;
    for (uint32_t i = 0; i < f->animation_count; i++) {
        const mesh_animation *a = &f->animation[i];
        for (uint64_t row = 0; row < a->poses.count; row++) {
            uint64_t joint = st_mesh_pose_joint(f, a, row);
            if (joint < f->joint_count && !driven[joint])
                driven[joint] = !pose_is_identity(st_mesh_pose(f, a, row));
        }
        poses += a->poses.count;
    }
    return poses;
}

/* A joint rests in its parent's place if both undo the same transform. */
static bool rests_on_parent(const mesh_file *f, const uint8_t *joint, const int position[256])
{
    int parent = position[joint[JOINT_PARENT]];
    const uint8_t *above = parent == NOWHERE ? st_mesh_identity : joint_at(f, (unsigned)parent) + JOINT_BIND;
    for (int i = 0; i < MATRIX_FLOATS; i++) {
        float x = load_f32(above + 4 * i), y = load_f32(joint + JOINT_BIND + 4 * i);
        if (fabsf(x - y) > 1e-4f * (1 + fabsf(x)))
            return false;
    }
    return true;
}

void st_mesh_find_forgotten(const mesh_file *f, bool forgotten[256])
{
    bool weighted[256] = {false}, driven[256] = {false};
    int position[256];
    if (!find_driven(f, driven))
        return;
    st_mesh_find_weighted(f, weighted);
    st_mesh_index_joints(f, position);
    for (unsigned i = 0; i < f->joints.count; i++) {
        uint8_t id = joint_at(f, i)[JOINT_ID];
        forgotten[id] = weighted[id] && !driven[id] && !rests_on_parent(f, joint_at(f, i), position);
    }
}

static void check_identity_poses(context *c, const mesh_file *f)
{
    bool forgotten[256] = {false};
    st_mesh_find_forgotten(f, forgotten);
    for (unsigned i = 0; i < f->joints.count; i++)
        if (forgotten[joint_at(f, i)[JOINT_ID]])
            st_diag(c->diags, DIAG_IDENTITY_POSE, at_row(joint_at(f, i), 1),
                    "is at the identity in every pose, but does not rest there: the writer had nothing to say about it, and "
                    "its vertices collapse into its parent");
}

void st_mesh_check(context *c, const raw_file *raw)
{
    const mesh_file *f = (const mesh_file *)raw;
    uint32_t vertex_joints = st_mesh_vertex(f).joints;
    check_format(c, f);
    if (f->root_transform.data)
        check_matrix(c, f->root_transform.data, at_member(&f->root_transform));
    unsigned seen = check_geometry(c, f);
    if (vertex_joints)
        check_skin(c, f, vertex_joints, seen);
    check_joints(c, f);
    if (c->full && f->animation_count && !f->joint_count)
        st_diag(c->diags, DIAG_SKELETON_EMPTY, at_member(&f->joint_count), "is 0: there is nothing to animate");
    for (uint32_t i = 0; i < f->animation_count; i++)
        check_animation(c, f, &f->animation[i]);
    check_strings(c, f);
    if (c->full)
        check_identity_poses(c, f);
}
