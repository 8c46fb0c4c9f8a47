/* Optimising through the public API: models whose best form is known by hand. */
#include "support.h"

#include <math.h>

#include "base/bytes.h"

/* Four vertices of a square, of which two are there twice with the same numbers, one that nobody uses, and three triangles: the
 * third has no area. */
static const float square[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 9, 9, 9, 0, 0, 0, 1, 1, 0, 0, 1, 0};
static const uint32_t triangles[] = {0, 1, 2, 4, 5, 6, 0, 1, 4};
enum { SQUARE_VERTICES = 7, SQUARE_INDICES = 9 };

static stele_view indices_of(const uint32_t *indices, uint64_t count)
{
    return (stele_view){.data = indices, .count = count, .stride = 4, .components = 1, .type = STELE_U32};
}

static stele_file *scaled_file_of(const stele_primitive *p, float scale)
{
    stele_file *f = stele_new(NULL);
    stele_node node = stele_default_node();
    for (int i = 0; i < 3; i++)
        node.local.scale[i] = scale;
    node.mesh = stele_add_mesh(f, &(stele_mesh){.name = "m", .primitives = p, .primitive_count = 1});
    assert_int_equal(stele_add_node(f, &node), 0);
    return f;
}

static stele_file *file_of(const stele_primitive *p)
{
    return scaled_file_of(p, 1);
}

static const stele_primitive *optimized(stele_file *f, const stele_optimize_options *options, stele_optimize_report *report)
{
    assert_int_equal(stele_optimize(f, options, report), STELE_OK);
    assert_true(report->proven);
    return &stele_file_model(f)->meshes[0].primitives[0];
}

static stele_primitive plain(const stele_attribute *attributes, size_t count)
{
    return (stele_primitive){.vertex_count = SQUARE_VERTICES,
                             .attributes = attributes,
                             .attribute_count = count,
                             .indices = indices_of(triangles, SQUARE_INDICES),
                             .material = STELE_NONE};
}

static void test_equal_vertices_become_one(void **unused)
{
    (void)unused;
    stele_attribute position = {STELE_POSITION, 0, stele_float_view(square, SQUARE_VERTICES, 3)};
    stele_primitive p = plain(&position, 1);
    stele_optimize_report r;
    stele_file *f = file_of(&p);
    const stele_primitive *q = optimized(f, NULL, &r);
    assert_int_equal(q->vertex_count, 4);
    assert_int_equal(q->indices.count, 6);
    assert_int_equal(q->indices.type, STELE_U8);
    assert_int_equal(r.before.vertices, 7);
    assert_int_equal(r.before.triangles, 3);
    assert_int_equal(r.after.vertices, 4);
    assert_int_equal(r.after.triangles, 2);
    assert_true(r.after.acmr == 2 && r.after.atvr == 1);
    assert_true(r.changed);
    /* and there is nothing left to do */
    assert_int_equal(stele_optimize(f, NULL, &r), STELE_OK);
    assert_false(r.changed);
    stele_close(f);
}

/* What differs in any attribute stays apart: a texture coordinate, or a joint. */
static void test_other_attributes_keep_vertices_apart(void **unused)
{
    (void)unused;
    static const float uvs[] = {0, 0, 1, 0, 1, 1, 0, 0, 0.5f, 0, 1, 1, 0, 1};
    stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(square, SQUARE_VERTICES, 3)},
                                    {STELE_UV, 0, stele_float_view(uvs, SQUARE_VERTICES, 2)}};
    stele_primitive p = plain(attributes, 2);
    stele_optimize_report r;
    stele_file *f = file_of(&p);
    assert_int_equal(optimized(f, NULL, &r)->vertex_count, 5);
    stele_close(f);
    f = file_of(&p);
    stele_optimize_options loose = {.tolerance = 0.5, .max_error = 0.5};
    assert_int_equal(optimized(f, &loose, &r)->vertex_count, 4);
    assert_true(r.errors.uv == 0.5);
    stele_close(f);
}

/* The same square, of which a morph moves one of two equal corners: by a list of vertices, or by a row for each. */
static void test_morphs_keep_vertices_apart(void **unused)
{
    (void)unused;
    static const uint32_t moved[] = {2, 3};
    static const float by[] = {0, 0, 1, 5, 5, 5};
    float dense[3 * SQUARE_VERTICES] = {0};
    dense[3 * 2 + 2] = 1;
    for (int sparse = 0; sparse < 2; sparse++) {
        stele_attribute position = {STELE_POSITION, 0, stele_float_view(square, SQUARE_VERTICES, 3)};
        stele_morph morph = {.name = "up",
                             .vertices = sparse ? indices_of(moved, 2) : (stele_view){0},
                             .position = sparse ? stele_float_view(by, 2, 3) : stele_float_view(dense, SQUARE_VERTICES, 3)};
        stele_primitive p = plain(&position, 1);
        stele_optimize_report r;
        p.morphs = &morph;
        p.morph_count = 1;
        stele_file *f = file_of(&p);
        const stele_primitive *q = optimized(f, NULL, &r);
        assert_int_equal(q->vertex_count, 5); /* 1, 1, 0 is there twice: one stays */
        double height = 0;
        for (uint64_t i = 0; i < q->morphs[0].position.count; i++)
            height += stele_view_number(&q->morphs[0].position, i, 2);
        assert_true(height == 1); /* of the vertex that nobody uses nothing is left */
        assert_string_equal(q->morphs[0].name, "up");
        stele_close(f);
    }
}

/* A triangle on a line has no area, but joints could give it some. */
static void test_flat_triangles_that_may_open_stay(void **unused)
{
    (void)unused;
    static const float line[] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0};
    static const uint32_t indices[] = {0, 1, 2, 0, 2, 3};
    static const uint8_t joints[16] = {0};
    static const float weights[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(line, 4, 3)},
                                    {STELE_JOINTS, 0, {joints, 4, 4, 4, STELE_U8, false}},
                                    {STELE_WEIGHTS, 0, stele_float_view(weights, 4, 4)}};
    stele_primitive p = {
        .vertex_count = 4, .attributes = attributes, .indices = indices_of(indices, 6), .material = STELE_NONE};
    for (size_t count = 1; count <= 3; count += 2) {
        stele_optimize_report r;
        p.attribute_count = count;
        stele_file *f = file_of(&p);
        assert_int_equal(optimized(f, NULL, &r)->indices.count, count == 1 ? 3 : 6);
        stele_close(f);
    }
}

/* ---- Clips ---- */

static stele_file *moving(const stele_channel *channels, size_t count)
{
    stele_attribute position = {STELE_POSITION, 0, stele_float_view(square, 3, 3)};
    stele_primitive p = {.vertex_count = 3, .attributes = &position, .attribute_count = 1, .material = STELE_NONE};
    stele_file *f = file_of(&p);
    assert_int_equal(stele_add_clip(f, &(stele_clip){.name = "go", .channels = channels, .channel_count = count}), 0);
    return f;
}

static void test_keys_that_say_nothing_go(void **unused)
{
    (void)unused;
    static const float times[] = {0, 1, 2, 3, 4, 5};
    /* straight up to 3, then down: three of six keys are needed */
    static const float way[] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 2, 0, 0, 1, 0, 0};
    static const float still[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const float turned[] = {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    const stele_channel channels[] = {
        {0, STELE_TRANSLATION, STELE_LINEAR, stele_float_view(times, 6, 1), stele_float_view(way, 6, 3)},
        {0, STELE_SCALE, STELE_LINEAR, stele_float_view(times, 6, 1), stele_float_view(still, 6, 3)},
        {0, STELE_ROTATION, STELE_LINEAR, stele_float_view(times, 6, 1), stele_float_view(turned, 6, 4)}};
    stele_optimize_report r;
    stele_file *f = moving(channels, 3);
    optimized(f, NULL, &r);
    const stele_clip *clip = &stele_file_model(f)->clips[0];
    /* the scale is what the node has anyway; the half turn is always the same one, whatever its sign */
    assert_int_equal(clip->channel_count, 2);
    assert_int_equal(clip->channels[0].times.count, 3);
    assert_true(stele_view_number(&clip->channels[0].times, 1, 0) == 3);
    assert_true(stele_view_number(&clip->channels[0].values, 1, 0) == 3);
    assert_int_equal(clip->channels[1].times.count, 1);
    assert_true(clip->duration == 5);
    assert_int_equal(r.after.keys, 4);
    assert_true(r.errors.node < 1e-6);
    stele_close(f);
    /* exactly nothing goes */
    f = moving(channels, 3);
    stele_optimize_options none = {.key_tolerance = -1};
    optimized(f, &none, &r);
    assert_int_equal(r.after.keys, 18);
    stele_close(f);
}

/* A clip in which nothing moves lasts as long as before. */
static void test_a_still_clip_keeps_its_length(void **unused)
{
    (void)unused;
    static const float times[] = {0, 1, 2};
    static const float rest[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const stele_channel channel = {0, STELE_SCALE, STELE_LINEAR, stele_float_view(times, 3, 1), stele_float_view(rest, 3, 3)};
    stele_optimize_report r;
    stele_file *f = moving(&channel, 1);
    optimized(f, NULL, &r);
    const stele_clip *clip = &stele_file_model(f)->clips[0];
    assert_int_equal(clip->channel_count, 1);
    assert_int_equal(clip->channels[0].times.count, 2);
    assert_true(stele_view_number(&clip->channels[0].times, 1, 0) == 2);
    stele_close(f);
}

static void test_repeated_clips(void **unused)
{
    (void)unused;
    static const float times[] = {0, 1}, to[] = {0, 0, 0, 1, 0, 0}, fro[] = {0, 0, 0, 2, 0, 0};
    const stele_channel one = {0, STELE_TRANSLATION, STELE_LINEAR, stele_float_view(times, 2, 1), stele_float_view(to, 2, 3)};
    const stele_channel two = {0, STELE_TRANSLATION, STELE_LINEAR, stele_float_view(times, 2, 1), stele_float_view(fro, 2, 3)};
    for (int prune = 0; prune < 2; prune++) {
        stele_optimize_report r;
        stele_file *f = moving(&one, 1);
        stele_add_clip(f, &(stele_clip){.name = "go", .channels = &one, .channel_count = 1});
        stele_add_clip(f, &(stele_clip){.name = "back", .channels = &two, .channel_count = 1});
        stele_add_clip(f, &(stele_clip){.name = "go", .channels = &one, .channel_count = 1});
        stele_optimize_options options = {.prune = prune};
        optimized(f, &options, &r);
        const stele_model *m = stele_file_model(f);
        assert_int_equal(m->clip_count, prune ? 2 : 3); /* the last goes; the second would change the number of another */
        assert_string_equal(m->clips[prune ? 1 : 2].name, "back");
        stele_close(f);
    }
}

/* ---- Numbers ---- */

static void test_pruning_is_asked_for(void **unused)
{
    (void)unused;
    for (int prune = 0; prune < 2; prune++) {
        stele_attribute position = {STELE_POSITION, 0, stele_float_view(square, SQUARE_VERTICES, 3)};
        stele_primitive p = plain(&position, 1);
        stele_material material = stele_default_material();
        stele_optimize_options options = {.prune = prune};
        stele_optimize_report r;
        p.material = 1;
        stele_file *f = file_of(&p);
        stele_add_texture(f, &(stele_texture){.name = "a.png"});
        stele_add_texture(f, &(stele_texture){.name = "b.png"});
        material.name = "unused";
        material.textures[STELE_ROLE_BASE_COLOR].texture = 0;
        stele_add_material(f, &material);
        material.name = "used";
        material.textures[STELE_ROLE_BASE_COLOR].texture = 1;
        stele_add_material(f, &material);
        const stele_primitive *q = optimized(f, &options, &r);
        const stele_model *m = stele_file_model(f);
        assert_int_equal(m->material_count, prune ? 1 : 2);
        assert_int_equal(m->texture_count, prune ? 1 : 2);
        assert_string_equal(m->materials[q->material].name, "used");
        assert_string_equal(m->textures[m->materials[q->material].textures[STELE_ROLE_BASE_COLOR].texture].name, "b.png");
        stele_close(f);
    }
}

/* ---- Fewer triangles ---- */

enum { SIDE = 17 };

/* A plane of 16 by 16 squares, with texture coordinates that are its places, and a hill in the middle if wanted. */
static stele_file *plane(float height, float (*positions)[3], float (*uvs)[2], uint32_t *indices)
{
    uint32_t count = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            float u = (float)x / (SIDE - 1), v = (float)y / (SIDE - 1);
            positions[y * SIDE + x][0] = u;
            positions[y * SIDE + x][1] = v;
            positions[y * SIDE + x][2] = x == SIDE / 2 && y == SIDE / 2 ? height : 0;
            uvs[y * SIDE + x][0] = u;
            uvs[y * SIDE + x][1] = v;
        }
    for (uint32_t y = 0; y + 1 < SIDE; y++)
        for (uint32_t x = 0; x + 1 < SIDE; x++) {
            uint32_t at = y * SIDE + x, corners[] = {at, at + 1, at + SIDE + 1, at, at + SIDE + 1, at + SIDE};
            memcpy(indices + count, corners, sizeof corners);
            count += 6;
        }
    stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(positions[0], SIDE * SIDE, 3)},
                                    {STELE_UV, 0, stele_float_view(uvs[0], SIDE * SIDE, 2)}};
    stele_primitive p = {.vertex_count = SIDE * SIDE,
                         .attributes = attributes,
                         .attribute_count = 2,
                         .indices = indices_of(indices, count),
                         .material = STELE_NONE};
    return file_of(&p);
}

static void test_a_plane_needs_few_triangles(void **unused)
{
    (void)unused;
    float positions[SIDE * SIDE][3], uvs[SIDE * SIDE][2];
    uint32_t indices[6 * SIDE * SIDE];
    stele_optimize_options options = {.simplify = 0.01, .max_error = 1e-5};
    stele_optimize_report r;
    stele_file *f = plane(0, positions, uvs, indices);
    const stele_primitive *q = optimized(f, &options, &r);
    assert_true(r.after.triangles <= 6);
    assert_true(r.errors.position < 1e-6 && r.errors.uv < 1e-6);
    /* nothing of the plane is missing */
    double area = 0;
    const stele_view *at = stele_primitive_view(q, STELE_POSITION, 0);
    for (uint64_t i = 0; i < q->indices.count; i += 3) {
        double corner[3][2];
        for (uint64_t k = 0; k < 3; k++)
            for (uint32_t c = 0; c < 2; c++)
                corner[k][c] = stele_view_number(at, (uint64_t)stele_view_number(&q->indices, i + k, 0), c);
        area += ((corner[1][0] - corner[0][0]) * (corner[2][1] - corner[0][1]) -
                 (corner[1][1] - corner[0][1]) * (corner[2][0] - corner[0][0])) /
                2;
    }
    assert_true(fabs(area - 1) < 1e-6);
    stele_close(f);
    /* a hill stays one, and the error that is told is no less than what it would lose */
    f = plane(0.2f, positions, uvs, indices);
    q = optimized(f, &options, &r);
    assert_true(stele_file_info(f)->bounds.max[2] == 0.2f);
    stele_close(f);
}

/* Nodes make models larger and smaller. What is told is a part of what is seen, and costs as much to find out. */
static void test_errors_are_parts_of_what_is_drawn(void **unused)
{
    (void)unused;
    float positions[SIDE * SIDE][3], uvs[SIDE * SIDE][2];
    uint32_t indices[6 * SIDE * SIDE];
    const stele_optimize_options options = {.simplify = 0.3};
    stele_optimize_report r, first = {0};
    uint64_t work = 0;
    stele_close(plane(0, positions, uvs, indices));
    for (int i = 0; i < SIDE * SIDE; i++)
        positions[i][2] = 0.1f * positions[i][0] * positions[i][0];
    stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(positions[0], SIDE * SIDE, 3)},
                                    {STELE_UV, 0, stele_float_view(uvs[0], SIDE * SIDE, 2)}};
    stele_primitive p = {.vertex_count = SIDE * SIDE,
                         .attributes = attributes,
                         .attribute_count = 2,
                         .indices = indices_of(indices, 6 * (SIDE - 1) * (SIDE - 1)),
                         .material = STELE_NONE};
    for (float scale = 1; scale > 1e-4f; scale /= 64) {
        stele_file *f = scaled_file_of(&p, scale);
        assert_int_equal(stele_optimize(f, &options, &r), STELE_OK);
        if (scale == 1) {
            first = r;
            work = stele_file_work(f);
        }
        assert_true(r.after.triangles == first.after.triangles && first.errors.position > 0);
        assert_true(fabs(r.errors.position / first.errors.position - 1) < 1e-3);
        assert_true(stele_file_work(f) < work + work / 4);
        stele_close(f);
    }
}

/* ---- Calls that make no sense ---- */

static void test_usage(void **unused)
{
    (void)unused;
    static const stele_optimize_options wrong[] = {{.tolerance = -1},  {.tolerance = 1},  {.simplify = 1.5},
                                                   {.simplify = -0.5}, {.max_error = -1}, {.key_tolerance = NAN}};
    stele_attribute position = {STELE_POSITION, 0, stele_float_view(square, SQUARE_VERTICES, 3)};
    stele_primitive p = plain(&position, 1);
    stele_file *f = file_of(&p);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(stele_optimize(f, &wrong[i], NULL), STELE_USAGE);
    assert_int_equal(stele_file_model(f)->meshes[0].primitives[0].vertex_count, SQUARE_VERTICES);
    assert_int_equal(stele_optimize(f, NULL, NULL), STELE_OK);
    assert_int_equal(stele_optimize(NULL, NULL, NULL), STELE_NO_MEMORY);
    stele_close(f);
}

/* Beyond the limit nothing is changed. */
static void test_too_different(void **unused)
{
    (void)unused;
    static const float uvs[] = {0, 0, 1, 0, 1, 1, 0, 0, 0.5f, 0, 1, 1, 0, 1};
    stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(square, SQUARE_VERTICES, 3)},
                                    {STELE_UV, 0, stele_float_view(uvs, SQUARE_VERTICES, 2)}};
    stele_primitive p = plain(attributes, 2);
    stele_optimize_options loose = {.tolerance = 0.5};
    stele_optimize_report r;
    stele_file *f = file_of(&p);
    assert_int_equal(stele_optimize(f, &loose, &r), STELE_DIFFERENT);
    assert_false(r.proven || r.changed);
    assert_non_null(strstr(stele_file_message(f), "0.5"));
    assert_int_equal(stele_file_model(f)->meshes[0].primitives[0].vertex_count, SQUARE_VERTICES);
    stele_close(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_vertices_become_one),
        cmocka_unit_test(test_other_attributes_keep_vertices_apart),
        cmocka_unit_test(test_morphs_keep_vertices_apart),
        cmocka_unit_test(test_flat_triangles_that_may_open_stay),
        cmocka_unit_test(test_keys_that_say_nothing_go),
        cmocka_unit_test(test_a_still_clip_keeps_its_length),
        cmocka_unit_test(test_repeated_clips),
        cmocka_unit_test(test_pruning_is_asked_for),
        cmocka_unit_test(test_a_plane_needs_few_triangles),
        cmocka_unit_test(test_errors_are_parts_of_what_is_drawn),
        cmocka_unit_test(test_usage),
        cmocka_unit_test(test_too_different),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
