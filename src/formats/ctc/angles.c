/* The places of CTC: keys of a translation and three angles, and triangles that hold attachments. */
#include <float.h>
#include <math.h>

#include "base/order.h"
#include "base/trig.h"
#include "raw.h"

static const double degrees = 57.295779513082320876798154814105;

float st_ctc_float(double number)
{
    return (float)lesser(greater(number, -FLT_MAX), FLT_MAX);
}

ctc_key st_ctc_key(const uint8_t *bytes)
{
    ctc_key key;
    for (int i = 0; i < 3; i++) {
        key.translation[i] = (double)load_f32(bytes + 4 * i);
        key.angles[i] = (double)load_f32(bytes + 12 + 4 * i);
    }
    return key;
}

/* Rounding leaves next to nothing where there was nothing, and quaternions of floats know their angles to 1e-5 degrees. */
void st_ctc_store_key(uint8_t *bytes, const ctc_key *key)
{
    for (int i = 0; i < 3; i++) {
        double translation = key->translation[i], angle = key->angles[i];
        store_f32(bytes + 4 * i, fabs(translation) < 1e-9 ? 0 : st_ctc_float(translation));
        store_f32(bytes + 12 + 4 * i, st_ctc_float(nearbyint(angle * 1e5) / 1e5) + 0.0f);
    }
}

/* Around Y after around X after around Z. */
void st_ctc_quaternion(const double angles[3], double q[4])
{
    double y = angles[0] / degrees / 2, x = angles[1] / degrees / 2, z = angles[2] / degrees / 2;
    double cy = st_cos(y), sy = st_sin(y), cx = st_cos(x), sx = st_sin(x), cz = st_cos(z), sz = st_sin(z);
    q[0] = cy * sx * cz + sy * cx * sz;
    q[1] = sy * cx * cz - cy * sx * sz;
    q[2] = cy * cx * sz - sy * sx * cz;
    q[3] = cy * cx * cz + sy * sx * sz;
}

matrix st_ctc_key_matrix(const ctc_key *key)
{
    transform t = {.scale = {1, 1, 1}};
    memcpy(t.translation, key->translation, sizeof t.translation);
    st_ctc_quaternion(key->angles, t.rotation);
    return st_transform_matrix(&t);
}

matrix st_ctc_rotation(const matrix *m)
{
    transform t;
    st_matrix_decompose(m, &t);
    return st_quaternion_matrix(t.rotation);
}

/* ---- Angles ---- */

double st_ctc_shorter(double from, double to)
{
    return remainder(to - from, 360);
}

static double nearest(double angle, double near)
{
    return near + st_ctc_shorter(near, angle);
}

/* Moves each angle by whole turns towards the others; returns how far they still are. */
static double come_near(double angles[3], const double near[3])
{
    double distance = 0;
    for (int i = 0; i < 3; i++) {
        angles[i] = nearest(angles[i], near[i]);
        distance += fabs(angles[i] - near[i]);
    }
    return distance;
}

void st_ctc_angles(const matrix *rotation, const double near[3], double angles[3])
{
    const double *m = rotation->m; /* row r and column c: m[4 * c + r] */
    double flat = sqrt(m[1] * m[1] + m[5] * m[5]);
    angles[1] = degrees * st_atan2(-m[9], flat);
    if (flat < 1e-6) {
        /* straight up or down, Y and Z turn around the same axis: Z stays what it was */
        double both = degrees * st_atan2(-m[2], m[0]);
        angles[2] = near[2];
        angles[0] = m[9] < 0 ? both + near[2] : both - near[2];
        come_near(angles, near);
        return;
    }
    angles[0] = degrees * st_atan2(m[8], m[10]);
    angles[2] = degrees * st_atan2(m[1], m[5]);
    double other[3] = {angles[0] + 180, 180 - angles[1], angles[2] + 180};
    if (come_near(other, near) < come_near(angles, near))
        memcpy(angles, other, sizeof other);
}

/* ---- Triangles ---- */

bool st_ctc_triangle_frame(double corners[3][3], transform *frame)
{
    matrix rotation = st_matrix_identity();
    double *x = rotation.m, *y = rotation.m + 4, *z = rotation.m + 8, edge[3];
    *frame = (transform){.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    memcpy(frame->translation, corners[0], sizeof frame->translation);
    minus3(corners[1], corners[0], x);
    minus3(corners[2], corners[0], edge);
    if (!normalize3(x) || !normalize3(edge))
        return false;
    cross3(x, edge, z);
    if (!normalize3(z))
        return false;
    cross3(z, x, y);
    st_matrix_quaternion(&rotation, frame->rotation);
    return true;
}
