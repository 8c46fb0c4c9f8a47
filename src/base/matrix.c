#include "matrix.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "order.h"
#include "trig.h"
#include "turn.h"

matrix st_matrix_identity(void)
{
    return (matrix){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
}

matrix st_matrix_translation(double x, double y, double z)
{
    return (matrix){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1}};
}

matrix st_matrix_of_rows(const float rows[16])
{
    matrix a;
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            a.m[4 * c + r] = (double)rows[4 * r + c];
    return a;
}

matrix st_matrix_of_columns(const float columns[16])
{
    matrix a;
    for (int i = 0; i < 16; i++)
        a.m[i] = (double)columns[i];
    return a;
}

matrix st_matrix_of_doubles(const double columns[16])
{
    matrix a;
    memcpy(a.m, columns, sizeof a.m);
    return a;
}

matrix st_matrix_product(const matrix *a, const matrix *b)
{
    matrix p;
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 4; r++) {
            double sum = 0;
            for (int k = 0; k < 4; k++)
                sum += a->m[4 * k + r] * b->m[4 * c + k];
            p.m[4 * c + r] = sum;
        }
    return p;
}

static double minor_of(const matrix *a, int r, int c)
{
    int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
    return a->m[4 * c1 + r1] * a->m[4 * c2 + r2] - a->m[4 * c2 + r1] * a->m[4 * c1 + r2];
}

double st_matrix_determinant(const matrix *a)
{
    return a->m[0] * minor_of(a, 0, 0) + a->m[4] * minor_of(a, 0, 1) + a->m[8] * minor_of(a, 0, 2);
}

bool st_matrix_inverse(const matrix *a, matrix *inverse)
{
    double determinant = st_matrix_determinant(a);
    *inverse = st_matrix_identity();
    if (determinant == 0 || !isfinite(1 / determinant))
        return false;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            inverse->m[4 * c + r] = minor_of(a, c, r) / determinant;
    for (int r = 0; r < 3; r++)
        inverse->m[12 + r] =
            0 - (inverse->m[r] * a->m[12] + inverse->m[4 + r] * a->m[13] + inverse->m[8 + r] * a->m[14]); /* no -0 */
    return true;
}

bool st_matrix_fits_floats(const matrix *a)
{
    for (int i = 0; i < 16; i++)
        if (!(fabs(a->m[i]) <= (double)FLT_MAX))
            return false;
    return true;
}

bool st_matrix_is_identity(const matrix *a)
{
    for (int i = 0; i < 16; i++)
        if (a->m[i] != (i % 5 == 0 ? 1 : 0))
            return false;
    return true;
}

void st_matrix_direction(const matrix *a, const double direction[3], double result[3])
{
    for (int r = 0; r < 3; r++)
        result[r] = a->m[r] * direction[0] + a->m[4 + r] * direction[1] + a->m[8 + r] * direction[2];
}

void st_matrix_point(const matrix *a, const double point[3], double result[3])
{
    st_matrix_direction(a, point, result);
    for (int r = 0; r < 3; r++)
        result[r] += a->m[12 + r];
}

matrix st_matrix_of_normals(const matrix *a)
{
    double sign = st_matrix_determinant(a) < 0 ? -1 : 1;
    matrix n = st_matrix_identity();
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            n.m[4 * c + r] = sign * minor_of(a, r, c);
    return n;
}

matrix st_quaternion_matrix(const double q[4])
{
    double x = q[0], y = q[1], z = q[2], w = q[3];
    return (matrix){{1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0, /* column 0 */
                     2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0, /* column 1 */
                     2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0, /* column 2 */
                     0, 0, 0, 1}};
}

void st_matrix_quaternion(const matrix *a, double q[4])
{
    const double *m = a->m;
    double trace = m[0] + m[5] + m[10];
    if (trace > 0) {
        double s = 2 * sqrt(trace + 1);
        q[3] = s / 4;
        q[0] = (m[6] - m[9]) / s;
        q[1] = (m[8] - m[2]) / s;
        q[2] = (m[1] - m[4]) / s;
    } else {
        int i = m[0] > m[5] && m[0] > m[10] ? 0 : m[5] > m[10] ? 1 : 2, j = (i + 1) % 3, k = (i + 2) % 3;
        double s = 2 * sqrt(1 + m[5 * i] - m[5 * j] - m[5 * k]);
        q[i] = s / 4;
        q[3] = (m[4 * j + k] - m[4 * k + j]) / s;
        q[j] = (m[4 * i + j] + m[4 * j + i]) / s;
        q[k] = (m[4 * i + k] + m[4 * k + i]) / s;
    }
    st_quaternion_normalize(q);
}

matrix st_transform_matrix(const transform *t)
{
    matrix a = st_quaternion_matrix(t->rotation);
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
            a.m[4 * c + r] *= t->scale[c];
    memcpy(a.m + 12, t->translation, sizeof t->translation);
    return a;
}

/* A column that was scaled to nothing is made up from the others: the rotation is then as good as any. */
static void complete_columns(matrix *a, const double scale[3])
{
    int flat = (scale[0] == 0) + (scale[1] == 0) + (scale[2] == 0);
    if (flat > 1) {
        *a = st_matrix_identity();
    } else if (flat == 1) {
        int c = scale[0] == 0 ? 0 : scale[1] == 0 ? 1 : 2;
        const double *u = a->m + 4 * ((c + 1) % 3), *v = a->m + 4 * ((c + 2) % 3);
        cross3(u, v, a->m + 4 * c);
    }
}

bool st_matrix_differs(const matrix *a, const matrix *b)
{
    double size = 1, error = 0;
    for (int i = 0; i < 16; i++) {
        size = greater(size, fabs(a->m[i]));
        error = greater(error, fabs(a->m[i] - b->m[i]));
    }
    return error > 1e-3 * size;
}

static bool nearly_same(const matrix *a, const matrix *b)
{
    double size = 0, error = 0;
    for (int i = 0; i < 12; i++) {
        size = greater(size, fabs(a->m[i]));
        error = greater(error, fabs(a->m[i] - b->m[i]));
    }
    return error <= 1e-4 * size;
}

bool st_matrix_decompose(const matrix *a, transform *t)
{
    matrix rotation = *a;
    memcpy(t->translation, a->m + 12, sizeof t->translation);
    for (int c = 0; c < 3; c++)
        t->scale[c] = length3(a->m + 4 * c);
    if (st_matrix_determinant(a) < 0)
        t->scale[0] = -t->scale[0];
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3 && t->scale[c] != 0; r++)
            rotation.m[4 * c + r] /= t->scale[c];
    complete_columns(&rotation, t->scale);
    st_matrix_quaternion(&rotation, t->rotation);
    matrix again = st_transform_matrix(t);
    return nearly_same(a, &again);
}

transform st_transform_of(const stele_transform *t)
{
    transform d;
    for (int i = 0; i < 3; i++) {
        d.translation[i] = (double)t->translation[i];
        d.scale[i] = (double)t->scale[i];
    }
    for (int i = 0; i < 4; i++)
        d.rotation[i] = (double)t->rotation[i];
    return d;
}

stele_transform st_transform_float(const transform *t)
{
    stele_transform f;
    for (int i = 0; i < 3; i++) {
        f.translation[i] = (float)t->translation[i];
        f.scale[i] = (float)t->scale[i];
    }
    for (int i = 0; i < 4; i++)
        f.rotation[i] = (float)t->rotation[i];
    return f;
}

void st_quaternion_normalize(double q[4])
{
    double length = sqrt(dot4(q, q));
    bool none = !(length > 0) || !isfinite(length);
    for (int i = 0; i < 4; i++)
        q[i] = none ? i == 3 : q[i] / length;
}

void st_quaternion_slerp(const double a[4], const double b[4], double t, double result[4])
{
    double dot = dot4(a, b), sign = dot < 0 ? -1 : 1;
    double u = 1 - t, v = t;
    dot = fabs(dot);
    if (dot < 0.9999 && t > 0 && t < 1) { /* nearer than that a straight line is as good, and does not divide by nothing */
        double angle = st_acos(dot), sine = st_sin(angle);
        u = st_sin(u * angle) / sine;
        v = st_sin(v * angle) / sine;
    }
    for (int i = 0; i < 4; i++)
        result[i] = u * a[i] + v * sign * b[i];
    if (t > 0 && t < 1)
        st_quaternion_normalize(result);
}

/* sin(t angle) / sin(angle) is a series in x = cos(angle) - 1 whose terms are t, and each of the last with
 * (t * t - i * i) / (i * (2 * i + 1)) * x. What is left after the last few is nearly a geometric one. */
static inline float sine_ratio(float t, float x, int terms)
{
    static const float first[] = {0,         1 / 3.0f,  1 / 10.0f,  1 / 21.0f,  1 / 36.0f,
                                  1 / 55.0f, 1 / 78.0f, 1 / 105.0f, 1 / 136.0f, 1 / 171.0f};
    float square = t * t, sum = 1;
    for (int i = terms; i > 0; i--)
        sum = 1 + (square - (float)(i * i)) * first[i] * x * sum;
    return t * sum;
}

void st_sine_ratios(float x, float t, float *u, float *v)
{
    if (x > -0.05f) {
        *u = sine_ratio(1 - t, x, 5);
        *v = sine_ratio(t, x, 5);
    } else if (x > -0.3f) { /* up to 45 degrees, which turn by 90 */
        *u = sine_ratio(1 - t, x, 9);
        *v = sine_ratio(t, x, 9);
    } else {
        double angle = st_acos((double)x + 1), sine = st_sin(angle);
        *u = (float)(st_sin((double)(1 - t) * angle) / sine);
        *v = (float)(st_sin((double)t * angle) / sine);
    }
}
