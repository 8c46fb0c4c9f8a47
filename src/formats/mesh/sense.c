/* Which dialect of MESH? The header does not say: a layout is believed only if nothing that it makes of the bytes is absurd.
 * A wrong layout is off by at least a byte, and then indices leave the vertices, ids repeat and integers become floats that
 * are next to nothing. Works on files that were read half-way. */
#include <math.h>
#include <string.h>

#include "base/scan.h"
#include "base/vector.h"
#include "raw.h"

static bool header_plausible(const mesh_file *f)
{
    const uint8_t *root = f->root_transform.count == MATRIX_FLOATS ? f->root_transform.data : NULL;
    bool format = (f->format & FORMAT_POSITION) && !(f->format & ~FORMAT_KNOWN);
    return format && (!root || (!st_scan_nonfinite(root, MATRIX_FLOATS) && st_mesh_affine(root)));
}

static bool vertex_joints_plausible(const mesh_file *f, uint32_t joints)
{
    for (uint64_t v = 0; v < sense_rows(f->vertices.count); v++) {
        const uint8_t *ids = f->vertices.data + v * f->vertices.stride + joints;
        for (int i = 0; i < INFLUENCES; i++)
            if (ids[i] >= f->joint_count && ids[i] != NO_JOINT)
                return false;
    }
    return true;
}

static bool geometry_plausible(const mesh_file *f)
{
    mesh_vertex at = st_mesh_vertex(f);
    const span *v = &f->vertices;
    uint64_t rows = sense_rows(v->count);
    if (st_scan_nonfinite_rows(v->data, rows, v->stride, 3) ||
        (at.uv && rows && st_scan_nonfinite_rows(v->data + at.uv, rows, v->stride, 2)))
        return false;
    if (at.joints && f->joint_count && !vertex_joints_plausible(f, at.joints))
        return false;
    return !st_scan_beyond(f->indices.data, sense_rows(f->indices.count), STELE_U32, f->vertex_count);
}

/* ---- Joints ---- */

static bool joint_plausible(const uint8_t *joint, unsigned joint_count, bool taken[256])
{
    uint8_t id = joint[JOINT_ID], parent = joint[JOINT_PARENT];
    bool sound = id < joint_count && !taken[id] && parent != id && (parent < joint_count || parent == NO_JOINT);
    taken[id] = true;
    return sound && st_mesh_affine(joint + JOINT_BIND);
}

/* From each joint a chain of parents must end before it is longer than there are joints. */
static bool joints_end_at_roots(const mesh_file *f)
{
    uint8_t parent[256];
    memset(parent, NO_JOINT, sizeof parent);
    for (uint64_t i = 0; i < f->joints.count; i++) {
        const uint8_t *joint = f->joints.data + i * JOINT_BYTES;
        parent[joint[JOINT_ID]] = joint[JOINT_PARENT];
    }
    for (unsigned id = 0; id < f->joint_count; id++) {
        unsigned steps = 0;
        for (uint8_t at = (uint8_t)id; at != NO_JOINT; at = parent[at])
            if (steps++ > f->joint_count)
                return false;
    }
    return true;
}

static bool joints_plausible(const mesh_file *f)
{
    bool taken[256] = {false};
    for (uint64_t i = 0; i < f->joints.count; i++)
        if (!joint_plausible(f->joints.data + i * JOINT_BYTES, f->joint_count, taken))
            return false;
    return joints_end_at_roots(f);
}

/* ---- Animations ---- */

/* A denormal number is an integer that was misread. */
static bool amount_plausible(const span *value)
{
    float amount = value->data ? load_f32(value->data) : 0;
    return isfinite(amount) && amount >= 0 && fpclassify(amount) != FP_SUBNORMAL;
}

static bool times_plausible(const span *times)
{
    float before = -INFINITY;
    if (st_scan_nonfinite(times->data, times->count))
        return false;
    for (uint64_t i = 0; i < times->count; i++) {
        float time = load_f32(times->data + 4 * i);
        if (time < before)
            return false;
        before = time;
    }
    return true;
}

/* No pose has a joint twice: as it has as many rows as there are joints, it has them all. */
static bool poses_plausible(const mesh_file *f, const mesh_animation *a)
{
    uint64_t last_pose[256] = {0};
    if (a->poses.count && st_scan_nonfinite_rows(st_mesh_pose(f, a, 0), a->poses.count, a->poses.stride, POSE_FLOATS))
        return false;
    for (uint64_t row = 0; row < a->poses.count; row++) {
        uint64_t joint = st_mesh_pose_joint(f, a, row), pose = row / f->joint_count + 1;
        if (joint >= f->joint_count || last_pose[joint] == pose)
            return false;
        last_pose[joint] = pose;
    }
    return true;
}

static bool animations_plausible(const mesh_file *f)
{
    for (uint32_t i = 0; f->animation && i < f->animation_count; i++) {
        const mesh_animation *a = &f->animation[i];
        if (a->name >= f->animation_count || !amount_plausible(&a->duration) || !amount_plausible(&a->speed) ||
            !times_plausible(&a->timestamps) || !poses_plausible(f, a))
            return false;
    }
    return true;
}

/* ---- What a sound file may lack ---- */

static bool rotations_usual(const mesh_file *f)
{
    for (uint32_t i = 0; f->animation && i < f->animation_count; i++)
        for (uint64_t row = 0; row < f->animation[i].poses.count; row++) {
            float length = length4_at(st_mesh_pose(f, &f->animation[i], row) + POSE_ROTATION);
            if (!(length > 0.5f && length < 2.0f))
                return false;
        }
    return true;
}

static bool normals_usual(const mesh_file *f)
{
    uint32_t normal = st_mesh_vertex(f).normal;
    uint64_t unit = 0, rows = sense_rows(f->vertices.count);
    for (uint64_t v = 0; normal && v < rows; v++) {
        const uint8_t *at = f->vertices.data + v * f->vertices.stride + normal;
        float x = load_f32(at), y = load_f32(at + 4), z = load_f32(at + 8), length = x * x + y * y + z * z;
        unit += length > 0.98f && length < 1.02f;
    }
    return !normal || 2 * unit >= rows;
}

static bool strings_usual(const mesh_file *f)
{
    return !f->strings.data || st_mesh_strings(f) >= st_mesh_strings_needed(f);
}

sense st_mesh_sense(const raw_file *raw)
{
    const mesh_file *f = (const mesh_file *)raw;
    if (!header_plausible(f) || !geometry_plausible(f) || !joints_plausible(f) || !animations_plausible(f))
        return SENSE_NONE;
    /* a header that counts nothing is found in many files */
    bool usual = f->vertex_count && rotations_usual(f) && normals_usual(f) && strings_usual(f);
    return usual ? SENSE_GOOD : SENSE_ODD;
}
