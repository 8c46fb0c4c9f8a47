#include "skin.h"

#include <math.h>

#include "base/bytes.h"

enum { BLOCK = 64 }; /* rows of four influences that are loaded at once */

/* What is no joint is a number beyond all of them. The usual types one by one, for the compiler. */
static void load_joints(const stele_view *v, uint64_t first, size_t count, uint32_t (*joints)[4])
{
    const uint8_t *p = st_view_at(v, first);
    const size_t stride = v->stride;
    stele_type type = v->normalized || v->components < 4 ? STELE_F32 : v->type;
    if (type == STELE_U8)
        for (size_t i = 0; i < count; i++)
            for (uint32_t k = 0; k < 4; k++)
                joints[i][k] = p[i * stride + k];
    else if (type == STELE_U16)
        for (size_t i = 0; i < count; i++)
            for (uint32_t k = 0; k < 4; k++)
                joints[i][k] = load_u16(p + i * stride + 2 * k);
    else
        for (size_t i = 0; i < count; i++)
            for (uint32_t k = 0; k < 4; k++) {
                double joint = stele_view_number(v, first + i, k);
                joints[i][k] = joint >= 0 && joint < (double)STELE_NONE ? (uint32_t)joint : STELE_NONE;
            }
}

static matrix joint_matrix(const mover *m, size_t joint)
{
    float columns[16];
    matrix world = st_matrix_of_doubles(m->nodes[m->skin->joints[joint]]);
    if (joint >= m->skin->inverse_bind.count)
        return world;
    stele_view_row(&m->skin->inverse_bind, joint, columns);
    matrix inverse = st_matrix_of_columns(columns);
    return st_matrix_product(&world, &inverse);
}

/* A primitive without joints, or with a skin without any, goes with its node. */
static void find_sets(mover *m, const stele_primitive *p)
{
    for (size_t i = 0; i < p->attribute_count && m->skin->joint_count && m->set_count < MOST_SETS; i++) {
        const stele_attribute *joints = &p->attributes[i];
        const stele_view *weights =
            joints->semantic == STELE_JOINTS ? stele_primitive_view(p, STELE_WEIGHTS, joints->set) : NULL;
        if (!weights)
            continue;
        m->joint_sets[m->set_count] = &joints->view;
        m->weight_sets[m->set_count++] = weights;
    }
}

mover st_mover(const stele_model *model, uint32_t node, const stele_primitive *p, const double (*nodes)[16])
{
    mover m = {.rigid = st_matrix_of_doubles(nodes[node]), .nodes = nodes};
    m.rigid_normals = st_matrix_of_normals(&m.rigid);
    if (model->nodes[node].skin != STELE_NONE) {
        m.skin = &model->skins[model->nodes[node].skin];
        find_sets(&m, p);
    }
    return m;
}

mover st_mover_of_palette(const stele_primitive *p, const stele_skin *skin, const float (*joints)[12])
{
    mover m = {.skin = skin, .jointsf = joints, .prepared = skin->joint_count};
    find_sets(&m, p);
    return m;
}

bool st_mover_mirrors(const mover *m)
{
    size_t mirrored = 0;
    if (!m->set_count)
        return st_matrix_determinant(&m->rigid) < 0;
    for (size_t i = 0; i < m->skin->joint_count; i++) {
        matrix joint = joint_matrix(m, i);
        mirrored += st_matrix_determinant(&joint) < 0;
    }
    return 2 * mirrored > m->skin->joint_count;
}

static void move_rigidly(const mover *m, uint64_t count, uint8_t *positions, size_t stride, float (*normals)[3])
{
    for (uint64_t i = 0; i < count; i++) {
        float *position = (float *)(positions + i * stride);
        double from[3], to[3];
        widen3(position, from);
        st_matrix_point(&m->rigid, from, to);
        for (int k = 0; k < 3; k++)
            position[k] = (float)to[k];
        if (!normals)
            continue;
        widen3(normals[i], from);
        st_matrix_direction(&m->rigid_normals, from, to);
        if (normalize3(to))
            for (int k = 0; k < 3; k++)
                normals[i][k] = (float)to[k];
    }
}

/* What a vector is divided by (in single precision multiplied with, which is faster) to have length 1; 0 if it has no
 * direction. As normalize3 has it, in two steps for the compiler's vectors. */
static inline double unit_by(double square)
{
    double length = sqrt(square);
    return length > 0 && isfinite(length) ? length : 0;
}

static inline double brought_to_one(double x, double by)
{
    return x / by;
}

static inline float unit_byf(float square)
{
    float scale = 1 / sqrtf(square);
    return square > 1e-30f && square < 1e30f ? scale : 0;
}

static inline float brought_to_onef(float x, float by)
{
    return x * by;
}

#define REAL double
#define V(name) name
#include "skin_rows.h"

#define REAL float
#define V(name) name##f
#include "skin_rows.h"
