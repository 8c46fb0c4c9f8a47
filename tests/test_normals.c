/* Normals that are made: of shapes whose normals are known. */
#include "support.h"

#include <math.h>

#include "base/bytes.h"
#include "model/ops.h"

static stele_view normals_of(arena *a, const float *positions, uint64_t vertices, const uint32_t *indices, uint64_t count)
{
    stele_attribute position = {STELE_POSITION, 0, stele_float_view(positions, vertices, 3)};
    stele_primitive p = {.vertex_count = vertices, .attributes = &position, .attribute_count = 1};
    if (indices)
        p.indices = (stele_view){.data = indices, .count = count, .stride = 4, .components = 1, .type = STELE_U32};
    return st_normals_of(a, &p);
}

static void expect_normal(const stele_view *normals, uint64_t row, double x, double y, double z)
{
    float n[3];
    stele_view_row(normals, row, n);
    double length = sqrt(x * x + y * y + z * z);
    assert_true(fabs((double)n[0] - x / length) < 1e-6);
    assert_true(fabs((double)n[1] - y / length) < 1e-6);
    assert_true(fabs((double)n[2] - z / length) < 1e-6);
}

static void test_one_triangle(void **unused)
{
    (void)unused;
    arena a;
    st_arena_init(&a, &(stele_options){0});
    static const float triangle[] = {0, 0, 0, 2, 0, 0, 0, 3, 0, 9, 9, 9};
    stele_view n = normals_of(&a, triangle, 3, NULL, 0);
    assert_int_equal(n.count, 3);
    for (uint64_t i = 0; i < 3; i++)
        expect_normal(&n, i, 0, 0, 1);
    /* the other way round; a vertex that no triangle uses; an index that points nowhere */
    static const uint32_t turned[] = {0, 2, 1, 0, 1, 77};
    n = normals_of(&a, triangle, 4, turned, 6);
    for (uint64_t i = 0; i < 3; i++)
        expect_normal(&n, i, 0, 0, -1);
    expect_normal(&n, 3, 0, 0, 1);
    st_arena_free(&a);
}

/* A roof of two rectangles, of which one is twice as deep: along the ridge the normal leans to the larger one. The ridge is
 * there twice, once with -0, as a seam would have it. */
static void test_area_and_seams(void **unused)
{
    (void)unused;
    arena a;
    st_arena_init(&a, &(stele_options){0});
    static const float roof[] = {
        0,     1, 0,     4, 1, 0,     0, 0,  1,  4, 0,  1,   /* faces 0, 1, 1 */
        -0.0f, 1, -0.0f, 4, 1, -0.0f, 0, -1, -2, 4, -1, -2}; /* faces 0, 1, -1, and is twice as large */
    static const uint32_t indices[] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    stele_view n = normals_of(&a, roof, 8, indices, 12);
    /* corners 0 and 4 are one place: triangles of both sides meet there, 2 + 2 of areas 1 and 2 */
    expect_normal(&n, 0, 0, 1 + 2, 1 - 2);
    expect_normal(&n, 4, 0, 1 + 2, 1 - 2);
    expect_normal(&n, 2, 0, 1, 1);
    expect_normal(&n, 7, 0, 1, -1);
    st_arena_free(&a);
}

static void test_what_has_none(void **unused)
{
    (void)unused;
    arena a;
    st_arena_init(&a, &(stele_options){0});
    static const float points[] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    stele_attribute position = {STELE_POSITION, 0, stele_float_view(points, 3, 3)};
    stele_primitive p = {.topology = STELE_LINES, .vertex_count = 3, .attributes = &position, .attribute_count = 1};
    assert_int_equal(st_normals_of(&a, &p).count, 0);
    p.topology = STELE_TRIANGLES;
    stele_view n = st_normals_of(&a, &p);
    expect_normal(&n, 1, 0, 0, 1); /* without area */
    p.attribute_count = 0;
    assert_int_equal(st_normals_of(&a, &p).count, 0);
    st_arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_triangle),
        cmocka_unit_test(test_area_and_seams),
        cmocka_unit_test(test_what_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
