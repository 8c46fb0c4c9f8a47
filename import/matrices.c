#include <math.h>

#include "import.h"

void matrix_of(const struct aiMatrix4x4 *m, float out[16])
{
    const float rows[16] = {m->a1, m->a2, m->a3, m->a4, m->b1, m->b2, m->b3, m->b4,
                            m->c1, m->c2, m->c3, m->c4, m->d1, m->d2, m->d3, m->d4};
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++)
            out[4 * column + row] = rows[4 * row + column];
    /* no perspective, which glTF does not have */
    out[3] = out[7] = out[11] = 0;
    out[15] = 1;
    finite_or_zero(out, 16);
}

static double size_of(const float m[16])
{
    double largest = 0;
    for (int i = 0; i < 16; i++)
        largest = fmax(largest, fabs((double)m[i]));
    return largest;
}

bool same_matrix(const float a[16], const float b[16])
{
    double most = 1e-6 * fmax(size_of(a), size_of(b));
    for (int i = 0; i < 16; i++)
        if (!(fabs((double)a[i] - (double)b[i]) <= most))
            return false;
    return true;
}

/* The quaternion of a matrix whose columns are of length 1 and square to each other. */
static void rotation_of(double c[3][3], float q[4])
{
    double trace = c[0][0] + c[1][1] + c[2][2];
    int i = c[1][1] > c[0][0] ? 1 : 0;
    if (c[2][2] > c[i][i])
        i = 2;
    if (trace > 0) {
        double s = 2 * sqrt(trace + 1);
        q[0] = (float)((c[1][2] - c[2][1]) / s);
        q[1] = (float)((c[2][0] - c[0][2]) / s);
        q[2] = (float)((c[0][1] - c[1][0]) / s);
        q[3] = (float)(s / 4);
        return;
    }
    int j = (i + 1) % 3, k = (i + 2) % 3;
    double s = 2 * sqrt(fmax(0, 1 + c[i][i] - c[j][j] - c[k][k]));
    q[i] = (float)(s / 4);
    q[j] = (float)((c[i][j] + c[j][i]) / s);
    q[k] = (float)((c[i][k] + c[k][i]) / s);
    q[3] = (float)((c[j][k] - c[k][j]) / s);
}

bool split_matrix(const struct aiMatrix4x4 *matrix, stele_transform *local)
{
    float m[16];
    double columns[3][3], lengths[3];
    matrix_of(matrix, m);
    for (int i = 0; i < 3; i++) {
        local->translation[i] = m[12 + i];
        lengths[i] = sqrt((double)m[4 * i] * (double)m[4 * i] + (double)m[4 * i + 1] * (double)m[4 * i + 1] +
                          (double)m[4 * i + 2] * (double)m[4 * i + 2]);
        for (int k = 0; k < 3; k++)
            columns[i][k] = lengths[i] > 0 ? (double)m[4 * i + k] / lengths[i] : i == k;
    }
    double determinant = columns[0][0] * (columns[1][1] * columns[2][2] - columns[1][2] * columns[2][1]) -
                         columns[0][1] * (columns[1][0] * columns[2][2] - columns[1][2] * columns[2][0]) +
                         columns[0][2] * (columns[1][0] * columns[2][1] - columns[1][1] * columns[2][0]);
    for (int k = 0; k < 3 && determinant < 0; k++) /* a mirror */
        columns[0][k] = -columns[0][k];
    for (int i = 0; i < 3; i++)
        local->scale[i] = (float)(i == 0 && determinant < 0 ? -lengths[i] : lengths[i]);
    rotation_of(columns, local->rotation);
    double norm = 0;
    for (int i = 0; i < 4; i++)
        norm += (double)local->rotation[i] * (double)local->rotation[i];
    for (int i = 0; i < 4; i++)
        local->rotation[i] = norm > 0 ? (float)((double)local->rotation[i] / sqrt(norm)) : i == 3;
    double shear = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < i; k++)
            shear = fmax(shear,
                         fabs(columns[i][0] * columns[k][0] + columns[i][1] * columns[k][1] + columns[i][2] * columns[k][2]));
    return shear < 1e-4;
}
