/* Quaternions (x, y, z, w) and 4x4 matrices, column by column, in double precision: floats in files come back exactly
 * after a way there and back. */
#ifndef ST_MATRIX_H
#define ST_MATRIX_H

#include "vector.h"

typedef struct matrix {
    double m[16]; /* element of row r and column c: m[4 * c + r] */
} matrix;

typedef struct transform {
    double translation[3], rotation[4], scale[3];
} transform;

matrix st_matrix_identity(void);
matrix st_matrix_translation(double x, double y, double z);
matrix st_matrix_of_rows(const float rows[16]); /* stored row by row */
matrix st_matrix_of_columns(const float columns[16]);
matrix st_matrix_of_doubles(const double columns[16]);
matrix st_matrix_product(const matrix *a, const matrix *b); /* a after b */

/* The inverse of a matrix whose last row is 0, 0, 0, 1. False if it has none; then it is the identity. */
bool st_matrix_inverse(const matrix *a, matrix *inverse);

double st_matrix_determinant(const matrix *a);            /* of the upper left 3x3 */
bool st_matrix_differs(const matrix *a, const matrix *b); /* by more than a thousandth of what is in them, or of 1 */
bool st_matrix_is_identity(const matrix *a);              /* exactly */
bool st_matrix_fits_floats(const matrix *a);              /* finite, and as floats too */
void st_matrix_point(const matrix *a, const double point[3], double result[3]);
void st_matrix_direction(const matrix *a, const double direction[3], double result[3]); /* without translation */

/* The matrix for normals: the inverse transpose of the upper left 3x3, up to a positive scale. */
matrix st_matrix_of_normals(const matrix *a);

matrix st_transform_matrix(const transform *t); /* translation * rotation * scale */

/* The nearest translation, rotation and scale; a mirrored matrix gets a negative x scale. False if the matrix is sheared: if
 * the parts do not give it back within 1e-4 of its size. */
bool st_matrix_decompose(const matrix *a, transform *t);

transform st_transform_of(const stele_transform *t);
stele_transform st_transform_float(const transform *t);

void st_quaternion_normalize(double q[4]); /* identity if it has no length */

/* From a to b along the shorter arc. At 0 and 1 the result is exactly a and exactly b or -b. */
void st_quaternion_slerp(const double a[4], const double b[4], double t, double result[4]);
matrix st_quaternion_matrix(const double q[4]);
void st_matrix_quaternion(const matrix *rotation, double q[4]);

#endif
