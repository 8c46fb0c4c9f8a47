/* From one MESH dialect to another: what fits is carried over, what does not is said. */
#include <string.h>

#include "base/bytes.h"
#include "raw.h"

typedef struct mesh_adapter {
    context *c;
    const mesh_file *before;
    const mesh_traits *from, *to;
} mesh_adapter;

/* ---- Vertices ---- */

/* The joints end the vertex, so that shorter rows are left. */
static void drop_vertex_joints(mesh_adapter *a, mesh_file *f, const mesh_vertex *before)
{
    uint8_t *copy = st_need(a->c, (uint64_t)f->vertex_count, before->joints);
    for (uint64_t v = 0; copy && v < f->vertex_count; v++)
        memcpy(copy + v * before->joints, f->vertices.data + v * f->vertices.stride, before->joints);
    f->vertices = (span){copy, f->vertex_count, before->joints};
}

/* What A1 says about vertex joints is not true: other dialects must not repeat it. */
static void adapt_vertices(mesh_adapter *a, mesh_file *f)
{
    mesh_vertex before = st_mesh_vertex(f);
    if (!a->from->vertex_joints && a->to->vertex_joints)
        f->format &= (uint16_t)~FORMAT_JOINTS;
    if (!before.joints || a->to->vertex_joints)
        return;
    st_drop(a->c, DIAG_LOSS_SKIN, f->vertex_count, at_member(&a->before->vertices), "has no vertex joints");
    drop_vertex_joints(a, f, &before);
}

/* ---- Joints ---- */

/* Joints that were only counted become roots that rest at the origin, so that vertices still refer to something. */
static void make_joints(mesh_adapter *a, mesh_file *f)
{
    uint8_t *joints = st_need(a->c, (uint64_t)f->joint_count, JOINT_BYTES);
    for (unsigned i = 0; joints && i < f->joint_count; i++) {
        uint8_t *joint = joints + (size_t)i * JOINT_BYTES;
        joint[JOINT_ID] = (uint8_t)i;
        joint[JOINT_PARENT] = NO_JOINT;
        memcpy(joint + JOINT_BIND, st_mesh_identity, sizeof st_mesh_identity);
    }
    f->joints = (span){joints, f->joint_count, JOINT_BYTES};
}

static void adapt_joints(mesh_adapter *a, mesh_file *f)
{
    if (a->from->joints && !a->to->joints)
        st_drop(a->c, DIAG_LOSS_SKELETON, f->joint_count, at_member(&a->before->joints), "only counts joints");
    if (!a->from->joints && a->to->joints)
        make_joints(a, f);
    if (!a->from->joints && a->to->joints && f->joint_count)
        st_diag(a->c->diags, DIAG_SKELETON_MADE_UP, at_path("joints", f->joint_count),
                "were only counted: they are written as roots at the origin");
}

/* ---- The root transform ---- */

static bool is_identity(const uint8_t *matrix)
{
    for (int i = 0; i < MATRIX_FLOATS; i++)
        if (load_f32(matrix + 4 * i) != load_f32(st_mesh_identity + 4 * i))
            return false;
    return true;
}

static void adapt_root_transform(mesh_adapter *a, mesh_file *f)
{
    if (a->from->root_transform && !a->to->root_transform)
        st_drop(a->c, DIAG_LOSS_TRANSFORM, !is_identity(f->root_transform.data), at_member(&a->before->root_transform),
                "has no root transform");
    if (!a->from->root_transform)
        f->root_transform = (span){st_mesh_identity, MATRIX_FLOATS, 4};
}

/* ---- Animations ---- */

static void repack_poses(mesh_adapter *a, const mesh_file *f, mesh_animation *animation)
{
    uint32_t id_bytes = stele_type_size(a->to->pose_joint), stride = id_bytes + POSE_BYTES;
    uint8_t *copy = st_need(a->c, animation->poses.count, stride);
    for (uint64_t row = 0; a->c->fits && row < animation->poses.count; row++) {
        uint64_t joint = st_mesh_pose_joint(f, animation, row);
        if (joint > UINT8_MAX)
            st_refuse(a->c, at_column(animation->poses.data + row * animation->poses.stride, 1),
                      "joints of poses have one byte");
        store_uint(copy + row * stride, joint, id_bytes);
        memcpy(copy + row * stride + id_bytes, st_mesh_pose(f, animation, row), POSE_BYTES);
    }
    animation->poses = (span){copy, animation->poses.count, stride};
}

static void adapt_poses(mesh_adapter *a, const mesh_file *f, mesh_animation *animation, unsigned index)
{
    if (a->from->poses && !a->to->poses)
        st_drop(a->c, DIAG_LOSS_POSES, animation->pose_count, at_item(&a->before->animation[index]), "has no poses");
    if (!a->from->poses || !a->to->poses) {
        animation->pose_count = 0;
        animation->timestamps = animation->poses = (span){0};
    } else if (a->from->pose_joint != a->to->pose_joint) {
        repack_poses(a, f, animation);
    }
}

/* Ends the last string if it does not, and adds empty ones until there are enough. */
static void complete_strings(mesh_adapter *a, mesh_file *f, uint64_t needed)
{
    uint64_t there = st_mesh_strings(f);
    if (there >= needed)
        return;
    uint8_t *strings = st_need(a->c, f->strings_size + needed - there, 1);
    if (strings && f->strings_size)
        memcpy(strings, f->strings.data, (size_t)f->strings_size);
    f->strings.data = strings;
    f->strings_size += needed - there;
}

static uint64_t count_named(const mesh_file *f)
{
    uint64_t named = 0;
    for (uint64_t i = 0; i < f->strings_size; i++)
        named += f->strings.data[i] != 0 && (i == 0 || f->strings.data[i - 1] == 0);
    return named;
}

static void adapt_names(mesh_adapter *a, mesh_file *f)
{
    if (a->from->names && !a->to->names) {
        st_drop(a->c, DIAG_LOSS_NAME, count_named(f), at_member(&a->before->strings), "has no names");
        f->strings_size = 0;
    }
    for (uint32_t i = 0; !a->from->names && i < f->animation_count; i++)
        f->animation[i].name = i;
    if (a->to->names)
        complete_strings(a, f, a->from->names ? st_mesh_strings_needed(f) : f->animation_count);
}

static void adapt_animations(mesh_adapter *a, mesh_file *f)
{
    if (a->from->animations && !a->to->animations) {
        st_drop(a->c, DIAG_LOSS_ANIMATION, f->animation_count, at_member(&a->before->animation), "has no animations");
        f->animation_count = 0;
        return;
    }
    if (f->animation_count > UINT8_MAX && a->to->animation_count == STELE_U8) {
        st_refuse(a->c, at_member(&a->before->animation_count), "it has at most 255 animations");
        return;
    }
    f->animation = st_need_copy(a->c, f->animation, f->animation_count, sizeof *f->animation);
    for (uint32_t i = 0; a->c->fits && i < f->animation_count; i++)
        adapt_poses(a, f, &f->animation[i], i);
    if (a->c->fits)
        adapt_names(a, f);
}

bool st_mesh_adapt(context *c, const raw_file *from, raw_file *raw, unsigned dialect)
{
    mesh_file *f = (mesh_file *)raw;
    mesh_adapter a = {
        .c = c, .before = (const mesh_file *)from, .from = &st_mesh_traits[raw->dialect], .to = &st_mesh_traits[dialect]};
    adapt_root_transform(&a, f);
    adapt_vertices(&a, f);
    adapt_joints(&a, f);
    adapt_animations(&a, f);
    raw->dialect = dialect;
    return c->fits;
}
