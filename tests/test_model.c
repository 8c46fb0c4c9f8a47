/* Models as such: building, finishing, evaluating and the operations, by numbers worked out by hand. */
#include <math.h>

#include "base/matrix.h"
#include "model/evaluate.h"
#include "model/flatten.h"
#include "support.h"

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-6))
        fail_msg("%.9g is not %.9g", a, b);
}

/* ---- Matrices ---- */

static void test_inverse(void **state)
{
    (void)state;
    transform t = {{1, 2, 3}, {0.5, 0.5, 0.5, 0.5}, {2, 3, 4}};
    matrix a = st_transform_matrix(&t), inverse;
    assert_true(st_matrix_inverse(&a, &inverse));
    matrix product = st_matrix_product(&a, &inverse), identity = st_matrix_identity();
    for (int i = 0; i < 16; i++)
        assert_near(product.m[i], identity.m[i]);
    /* that rotation takes x to y, y to z and z to x: the point (1, 1, 1) scaled, turned and moved */
    double point[3] = {1, 1, 1}, moved[3];
    st_matrix_point(&a, point, moved);
    assert_near(moved[0], 4 + 1);
    assert_near(moved[1], 2 + 2);
    assert_near(moved[2], 3 + 3);
}

static void test_singular_has_no_inverse(void **state)
{
    (void)state;
    transform flat = {{1, 2, 3}, {0, 0, 0, 1}, {1, 0, 1}};
    matrix a = st_transform_matrix(&flat), inverse;
    assert_false(st_matrix_inverse(&a, &inverse));
    assert_true(st_matrix_is_identity(&inverse));
}

static void test_decompose(void **state)
{
    (void)state;
    const transform all[] = {{{1, 2, 3}, {0, 0, 0, 1}, {1, 1, 1}},
                             {{0, 0, 0}, {0.6, 0, 0, 0.8}, {1, 2, 3}},
                             {{0, 0, 0}, {0, 1, 0, 0}, {5, 5, 5}},
                             {{0, 0, 0}, {0.1, 0.7, -0.1, 0.7}, {-2, 1, 1}}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        transform t = all[i], again;
        st_quaternion_normalize(t.rotation);
        matrix a = st_transform_matrix(&t);
        assert_true(st_matrix_decompose(&a, &again));
        matrix b = st_transform_matrix(&again);
        for (int k = 0; k < 16; k++)
            assert_near(a.m[k], b.m[k]);
    }
    matrix sheared = st_matrix_identity();
    transform t;
    sheared.m[4] = 0.5;
    assert_false(st_matrix_decompose(&sheared, &t));
}

static void test_scaled_to_nothing(void **state)
{
    (void)state;
    transform t = {{1, 2, 3}, {0, 0, 0, 1}, {0, 0, 0}}, again;
    matrix a = st_transform_matrix(&t);
    assert_true(st_matrix_decompose(&a, &again));
    for (int i = 0; i < 3; i++)
        assert_near(again.scale[i], 0);
    assert_near(again.rotation[3], 1);
}

static void test_slerp(void **state)
{
    (void)state;
    const double half = sqrt(0.5);
    double none[4] = {0, 0, 0, 1}, quarter[4] = {0, 0, half, half}, minus[4] = {0, 0, -half, -half}, result[4];
    st_quaternion_slerp(none, quarter, 0.5, result);
    assert_near(result[2], sin(3.14159265358979 / 8));
    st_quaternion_slerp(none, minus, 0.5, result); /* the same rotation: along the shorter arc */
    assert_near(result[2], sin(3.14159265358979 / 8));
    st_quaternion_slerp(none, quarter, 0, result);
    assert_memory_equal(result, none, sizeof none);
    st_quaternion_slerp(none, quarter, 1, result);
    assert_memory_equal(result, quarter, sizeof quarter);
}

/* ---- An arm: two joints one above the other, and a vertex at the end of each ---- */

typedef struct arm {
    stele_file *file;
    uint32_t joints[2], drawn;
} arm;

static const float arm_positions[] = {0, 1, 0, 0, 2, 0, 1, 1, 0};
static const uint8_t arm_joints[] = {0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0};
static const float arm_weights[] = {1, 0, 0, 0, 1, 0, 0, 0, 0.5f, 0.5f, 0, 0};
static const float arm_binds[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0,  0, 1,  /* the lower one is at the origin */
                                  1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1}; /* the upper one at y = 1 */

static arm make_arm(void)
{
    arm a = {.file = stele_new(NULL)};
    stele_node node = stele_default_node();
    node.name = "lower";
    a.joints[0] = stele_add_node(a.file, &node);
    node.name = "upper";
    node.parent = a.joints[0];
    node.local.translation[1] = 1;
    a.joints[1] = stele_add_node(a.file, &node);
    stele_view joints = {arm_joints, 3, 4, 4, STELE_U8, false};
    stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(arm_positions, 3, 3)},
                                    {STELE_JOINTS, 0, joints},
                                    {STELE_WEIGHTS, 0, stele_float_view(arm_weights, 3, 4)}};
    stele_primitive primitive = {.vertex_count = 3, .attributes = attributes, .attribute_count = 3, .material = STELE_NONE};
    stele_skin skin = {
        .joints = a.joints, .joint_count = 2, .inverse_bind = stele_float_view(arm_binds, 2, 16), .skeleton = STELE_NONE};
    node = stele_default_node();
    node.mesh = stele_add_mesh(a.file, &(stele_mesh){.name = "arm", .primitives = &primitive, .primitive_count = 1});
    node.skin = stele_add_skin(a.file, &skin);
    a.drawn = stele_add_node(a.file, &node);
    return a;
}

static const float two_times[] = {1, 3};
static const float quarter_turn[] = {0, 0, 0, 1, 0, 0, 0.70710678f, 0.70710678f}; /* about z: x becomes y, y becomes -x */

static void add_turn(arm *a, uint32_t joint, stele_interpolation how)
{
    stele_channel channel = {a->joints[joint], STELE_ROTATION, how, stele_float_view(two_times, 2, 1),
                             stele_float_view(quarter_turn, 2, 4)};
    assert_int_not_equal(stele_add_clip(a->file, &(stele_clip){.name = "turn", .channels = &channel, .channel_count = 1}),
                         STELE_NONE);
}

static void evaluate(const arm *a, uint32_t clip, double seconds, float positions[9])
{
    double matrices[8][16];
    const stele_model *model = stele_file_model(a->file);
    assert_non_null(model);
    assert_true(stele_evaluate_nodes(model, clip, seconds, matrices, sizeof matrices / sizeof *matrices));
    assert_true(stele_evaluate_vertices(model, a->drawn, 0, clip, seconds, (const double(*)[16])matrices,
                                        sizeof matrices / sizeof *matrices, positions, NULL, 3));
}

static void assert_point(const float *p, double x, double y, double z)
{
    assert_near((double)p[0], x);
    assert_near((double)p[1], y);
    assert_near((double)p[2], z);
}

/* More joints than are prepared at once, more vertices than a block, two sets: every joint only moves, by its number. */
static void test_many_joints_and_sets(void **state)
{
    enum { JOINTS = 300, VERTICES = 150 };
    static uint8_t bytes[2][VERTICES][8];
    static float positions[VERTICES][3], weights[2][VERTICES][4], moved[VERTICES][3];
    static double matrices[JOINTS + 1][16];
    uint32_t joints[JOINTS];
    stele_file *file = stele_new(NULL);
    stele_node node = stele_default_node();
    (void)state;
    for (unsigned i = 0; i < JOINTS; i++) {
        node.local.translation[0] = (float)i;
        node.local.translation[1] = 2 * (float)i;
        joints[i] = stele_add_node(file, &node);
    }
    for (unsigned v = 0; v < VERTICES; v++) {
        const unsigned used[2][4] = {{v, JOINTS - 1 - v, 9, 0}, {2 * v, 7, 0, 1}};
        const float parts[2][4] = {{0.25f, 0.25f, 0, 0}, {0.5f, 0, 0, 0}};
        memcpy(weights[0][v], parts[0], sizeof parts[0]);
        memcpy(weights[1][v], parts[1], sizeof parts[1]);
        for (int k = 0; k < 8; k++)
            store_uint(bytes[k / 4][v] + 2 * (k % 4), used[k / 4][k % 4], 2);
        positions[v][2] = (float)v;
    }
    stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(positions[0], VERTICES, 3)},
                                    {STELE_JOINTS, 0, {bytes[0], VERTICES, 8, 4, STELE_U16, false}},
                                    {STELE_WEIGHTS, 0, stele_float_view(weights[0][0], VERTICES, 4)},
                                    {STELE_JOINTS, 1, {bytes[1], VERTICES, 8, 4, STELE_U16, false}},
                                    {STELE_WEIGHTS, 1, stele_float_view(weights[1][0], VERTICES, 4)}};
    stele_primitive primitive = {
        .vertex_count = VERTICES, .attributes = attributes, .attribute_count = 5, .material = STELE_NONE};
    node = stele_default_node();
    node.mesh = stele_add_mesh(file, &(stele_mesh){.primitives = &primitive, .primitive_count = 1});
    node.skin = stele_add_skin(file, &(stele_skin){.joints = joints, .joint_count = JOINTS, .skeleton = STELE_NONE});
    uint32_t drawn = stele_add_node(file, &node);
    const stele_model *model = stele_file_model(file);
    assert_non_null(model);
    size_t nodes = model->node_count;
    assert_true(stele_evaluate_nodes(model, STELE_NONE, 0, matrices, nodes));
    assert_true(stele_evaluate_vertices(model, drawn, 0, STELE_NONE, 0, (const double(*)[16])matrices, nodes, (float *)moved,
                                        NULL, VERTICES));
    for (unsigned v = 0; v < VERTICES; v++) {
        double way = 0.25 * v + 0.25 * (JOINTS - 1 - v) + 0.5 * 2 * v;
        assert_point(moved[v], way, 2 * way, v);
    }
    stele_close(file);
}

/* A primitive without joints at a node with a skin is drawn where the node is, not squeezed into the origin. */
static void test_no_joints_for_a_skin(void **state)
{
    arm a = make_arm();
    stele_attribute position = {STELE_POSITION, 0, stele_float_view(arm_positions, 3, 3)};
    stele_primitive primitive = {.vertex_count = 3, .attributes = &position, .attribute_count = 1, .material = STELE_NONE};
    stele_node node = stele_default_node();
    float p[9];
    (void)state;
    node.mesh = stele_add_mesh(a.file, &(stele_mesh){.primitives = &primitive, .primitive_count = 1});
    node.skin = 0;
    node.local.translation[0] = 5;
    a.drawn = stele_add_node(a.file, &node);
    evaluate(&a, STELE_NONE, 0, p);
    for (int i = 0; i < 3; i++)
        assert_point(p + 3 * i, (double)arm_positions[3 * i] + 5, (double)arm_positions[3 * i + 1],
                     (double)arm_positions[3 * i + 2]);
    stele_close(a.file);
}

static void test_skinning(void **state)
{
    (void)state;
    arm a = make_arm();
    float p[9];
    add_turn(&a, 1, STELE_LINEAR);
    evaluate(&a, STELE_NONE, 0, p);
    assert_point(p, 0, 1, 0);
    assert_point(p + 3, 0, 2, 0);
    evaluate(&a, 0, 3, p);
    assert_point(p, 0, 1, 0);         /* the lower joint holds still */
    assert_point(p + 3, -1, 1, 0);    /* turned about (0, 1, 0) */
    assert_point(p + 6, 0.5, 1.5, 0); /* half of (1, 1, 0), half of (0, 2, 0) */
    evaluate(&a, 0, 2, p);
    assert_point(p + 3, -sqrt(0.5), 1 + sqrt(0.5), 0); /* an eighth of a turn at half the time */
    evaluate(&a, 0, 0.5, p);
    assert_point(p + 3, 0, 2, 0); /* before the first key */
    evaluate(&a, 0, 99, p);
    assert_point(p + 3, -1, 1, 0); /* after the last */
    stele_close(a.file);
}

static void test_parents_carry_children(void **state)
{
    (void)state;
    arm a = make_arm();
    float p[9];
    add_turn(&a, 0, STELE_LINEAR);
    evaluate(&a, 0, 3, p);
    assert_point(p, -1, 0, 0);
    assert_point(p + 3, -2, 0, 0);
    stele_close(a.file);
}

static void test_steps(void **state)
{
    (void)state;
    arm a = make_arm();
    float p[9];
    add_turn(&a, 1, STELE_STEP);
    evaluate(&a, 0, 2.999, p);
    assert_point(p + 3, 0, 2, 0);
    evaluate(&a, 0, 3, p);
    assert_point(p + 3, -1, 1, 0);
    stele_close(a.file);
}

static void test_curves(void **state)
{
    (void)state;
    arm a = make_arm();
    float p[9];
    /* in-tangent, value, out-tangent of two keys, 2 s apart: from y = 1 with slope 1 to y = 1 with slope 0. In the middle the
     * Hermite curve is 1 + (1/8) * 2 * 1 = 1.25 */
    static const float values[] = {0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0};
    stele_channel channel = {a.joints[1], STELE_TRANSLATION, STELE_CUBIC, stele_float_view(two_times, 2, 1),
                             stele_float_view(values, 6, 3)};
    stele_add_clip(a.file, &(stele_clip){.channels = &channel, .channel_count = 1});
    evaluate(&a, 0, 2, p);
    assert_point(p + 3, 0, 2.25, 0);
    evaluate(&a, 0, 3, p);
    assert_point(p + 3, 0, 2, 0);
    stele_close(a.file);
}

static void test_morphs(void **state)
{
    (void)state;
    stele_file *file = stele_new(NULL);
    static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, dense[] = {0, 0, 1, 0, 0, 1, 0, 0, 1}, sparse[] = {4, 0, 0};
    static const uint16_t moved[] = {2};
    static const float values[] = {0, 0, 1, 0.5f};
    stele_attribute attribute = {STELE_POSITION, 0, stele_float_view(positions, 3, 3)};
    stele_morph morphs[] = {
        {.name = "up", .position = stele_float_view(dense, 3, 3)},
        {.name = "one", .vertices = {moved, 1, 2, 1, STELE_U16, false}, .position = stele_float_view(sparse, 1, 3)}};
    stele_primitive primitive = {.vertex_count = 3,
                                 .attributes = &attribute,
                                 .attribute_count = 1,
                                 .material = STELE_NONE,
                                 .morphs = morphs,
                                 .morph_count = 2};
    float weights[] = {0.5f, 0};
    stele_node node = stele_default_node();
    node.mesh = stele_add_mesh(file, &(stele_mesh){.primitives = &primitive, .primitive_count = 1, .weights = weights});
    arm a = {.file = file, .drawn = stele_add_node(file, &node)};
    stele_channel channel = {a.drawn, STELE_MORPH_WEIGHTS, STELE_LINEAR, stele_float_view(two_times, 2, 1),
                             stele_float_view(values, 4, 1)};
    stele_add_clip(file, &(stele_clip){.channels = &channel, .channel_count = 1});
    float p[9];
    evaluate(&a, STELE_NONE, 0, p); /* as the mesh says */
    assert_point(p, 0, 0, 0.5);
    assert_point(p + 6, 0, 1, 0.5);
    evaluate(&a, 0, 3, p);
    assert_point(p, 0, 0, 1);
    assert_point(p + 6, 2, 1, 1);
    evaluate(&a, 0, 2, p);
    assert_point(p + 6, 1, 1, 0.5);
    stele_close(file);
}

/* ---- Building ---- */

static void test_what_points_nowhere_is_found(void **state)
{
    (void)state;
    stele_file *file = stele_new(NULL);
    stele_node node = stele_default_node();
    node.mesh = 7;
    assert_int_equal(stele_add_node(file, &node), 0);
    assert_null(stele_file_model(file));
    assert_int_equal(stele_file_status(file), STELE_USAGE);
    stele_close(file);
    file = stele_new(NULL);
    node = stele_default_node();
    node.parent = 1;
    stele_add_node(file, &node);
    node.parent = 0;
    stele_add_node(file, &node);
    assert_null(stele_file_model(file));
    assert_non_null(strstr(stele_file_message(file), "ancestors"));
    stele_close(file);
}

static void assert_refused(stele_file *file, const char *why)
{
    assert_null(stele_file_model(file));
    assert_int_equal(stele_file_status(file), STELE_USAGE);
    assert_non_null(strstr(stele_file_message(file), why));
    stele_close(file);
}

static void add_triangle_with(stele_file *file, uint64_t vertices, uint64_t rows, const uint16_t *indices)
{
    stele_attribute attribute = {STELE_POSITION, 0, stele_float_view(arm_positions, rows, 3)};
    stele_primitive primitive = {
        .vertex_count = vertices, .attributes = &attribute, .attribute_count = 1, .material = STELE_NONE};
    if (indices)
        primitive.indices = (stele_view){indices, 3, 2, 1, STELE_U16, false};
    stele_node node = stele_default_node();
    node.mesh = stele_add_mesh(file, &(stele_mesh){.primitives = &primitive, .primitive_count = 1});
    stele_add_node(file, &node);
}

static void test_views_that_are_too_short_are_found(void **state)
{
    (void)state;
    static const uint16_t beyond[] = {0, 1, 60000};
    stele_file *file = stele_new(NULL);
    add_triangle_with(file, 3000, 3, NULL);
    assert_refused(file, "fewer rows");
    file = stele_new(NULL);
    add_triangle_with(file, 3, 3, beyond);
    assert_refused(file, "beyond the vertices");
    arm a = make_arm();
    stele_channel channel = {a.joints[1], STELE_ROTATION, STELE_LINEAR, stele_float_view(two_times, 2, 1),
                             stele_float_view(quarter_turn, 1, 4)};
    stele_add_clip(a.file, &(stele_clip){.channels = &channel, .channel_count = 1});
    assert_refused(a.file, "fewer values");
    a = make_arm();
    channel.values = stele_float_view(quarter_turn, 2, 4);
    channel.times = stele_float_view((const float[]){2, 1}, 2, 1);
    stele_add_clip(a.file, &(stele_clip){.channels = &channel, .channel_count = 1});
    assert_refused(a.file, "increase");
}

static void test_joints_that_are_not_there_are_found(void **state)
{
    (void)state;
    arm a = make_arm();
    stele_skin *skin = (stele_skin *)&stele_file_model(a.file)->skins[0];
    skin->joint_count = 1;
    stele_node node = stele_default_node();
    stele_add_node(a.file, &node);
    assert_refused(a.file, "joint beyond");
}

static void test_order_puts_parents_first(void **state)
{
    (void)state;
    stele_file *file = stele_new(NULL);
    const uint32_t parents[] = {2, 0, 3, STELE_NONE};
    for (size_t i = 0; i < 4; i++) {
        stele_node node = stele_default_node();
        node.parent = parents[i];
        stele_add_node(file, &node);
    }
    const stele_model *model = stele_file_model(file);
    const uint32_t expected[] = {3, 2, 0, 1};
    assert_memory_equal(model->order, expected, sizeof expected);
    stele_close(file);
}

static void test_copies_are_deep(void **state)
{
    (void)state;
    stele_file *file = stele_new(NULL);
    char name[] = "hat";
    stele_material material = stele_default_material();
    material.name = name;
    stele_add_material(file, &material);
    name[0] = 'c';
    assert_string_equal(stele_file_model(file)->materials[0].name, "hat");
    stele_close(file);
}

static void test_nothing_needs_memory_that_is_not_there(void **state)
{
    (void)state;
    stele_options options = {.memory_limit = 4096};
    stele_file *file = stele_new(&options);
    stele_node node = stele_default_node();
    uint32_t index = 0;
    for (int i = 0; i < 10000 && index != STELE_NONE; i++)
        index = stele_add_node(file, &node);
    assert_int_equal(index, STELE_NONE);
    stele_close(file);
}

/* ---- Operations ---- */

static void test_bake(void **state)
{
    (void)state;
    arm a = make_arm();
    add_turn(&a, 1, STELE_LINEAR);
    assert_int_equal(stele_bake(a.file, 5, 0), STELE_USAGE);
    assert_int_equal(stele_bake(a.file, 0, 3), STELE_OK);
    const stele_model *model = stele_file_model(a.file);
    assert_int_equal(model->clip_count + model->skin_count, 0);
    const stele_primitive *p = &model->meshes[0].primitives[0];
    const stele_view *position = stele_primitive_view(p, STELE_POSITION, 0);
    assert_near(stele_view_number(position, 1, 0), -1);
    assert_near(stele_view_number(position, 1, 1), 1);
    assert_null(stele_primitive_view(p, STELE_WEIGHTS, 0));
    stele_close(a.file);
}

static void test_normals_on_request(void **state)
{
    (void)state;
    arm a = make_arm();
    assert_int_equal(stele_make_normals(a.file), STELE_OK);
    const stele_view *normal = stele_primitive_view(&stele_file_model(a.file)->meshes[0].primitives[0], STELE_NORMAL, 0);
    assert_non_null(normal);
    assert_near(fabs(stele_view_number(normal, 0, 2)), 1); /* the arm lies in the plane of x and y */
    stele_close(a.file);
}

typedef struct differences {
    size_t compared, different;
    char first[64];
} differences;

static void count_difference(void *user, const stele_difference *d)
{
    differences *all = user;
    all->compared++;
    if (!d->equal && !all->different++)
        snprintf(all->first, sizeof all->first, "%s", d->path);
}

static void assert_differ(stele_file *a, stele_file *b, double tolerance, const char *first)
{
    differences all = {0};
    stele_status status = stele_diff(a, b, tolerance, count_difference, &all);
    assert_true(all.compared > 3);
    assert_int_equal(status, first ? STELE_DIFFERENT : STELE_OK);
    assert_string_equal(all.first, first ? first : "");
}

static void test_diff(void **state)
{
    (void)state;
    arm a = make_arm(), b = make_arm();
    assert_differ(a.file, b.file, 0, NULL);
    add_turn(&a, 1, STELE_LINEAR);
    assert_differ(a.file, b.file, 1e-5, "clips");
    add_turn(&b, 0, STELE_LINEAR);
    assert_differ(a.file, b.file, 1e-5, "clip[0].positions");
    assert_differ(a.file, b.file, 10, NULL);
    stele_close(a.file);
    stele_close(b.file);
}

/* Two triangles: with four vertices or six, with colours that the material or the vertices have, mirrored or as they are. */
typedef struct square {
    bool split, painted, mirrored, turned;
    const char *image;
    float positions[6][3], colors[6][3]; /* the model points here */
} square;

static stele_file *make_square(square *s)
{
    static const float corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {0, 2, 0}};
    static const uint16_t triangles[6] = {0, 1, 2, 0, 2, 3}, turned[6] = {0, 2, 1, 0, 3, 2};
    const uint16_t *order = s->turned ? turned : triangles;
    uint64_t count = s->split ? 6 : 4;
    stele_file *file = stele_new(NULL);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3; k++) {
            s->positions[i][k] = corners[s->split ? order[i] : i][k] * (s->mirrored && k == 0 ? -1.0f : 1.0f);
            s->colors[i][k] = k == 1 ? 0.25f : 1;
        }
    stele_attribute attributes[2] = {{STELE_POSITION, 0, stele_float_view(&s->positions[0][0], count, 3)},
                                     {STELE_COLOR, 0, stele_float_view(&s->colors[0][0], count, 3)}};
    stele_material material = stele_default_material();
    material.base_color[1] = s->painted ? 1 : 0.25f;
    if (s->image)
        material.textures[STELE_ROLE_BASE_COLOR].texture = stele_add_texture(file, &(stele_texture){.name = s->image});
    stele_primitive p = {.vertex_count = count, .attributes = attributes, .attribute_count = s->painted ? 2 : 1};
    if (!s->split)
        p.indices = (stele_view){.data = order, .count = 6, .stride = 2, .type = STELE_U16, .components = 1};
    p.material = stele_add_material(file, &material);
    stele_node node = stele_default_node();
    node.mesh = stele_add_mesh(file, &(stele_mesh){.primitives = &p, .primitive_count = 1});
    node.local.scale[0] = s->mirrored ? -1 : 1;
    stele_add_node(file, &node);
    return file;
}

static void assert_squares(square a, square b, const char *first)
{
    stele_file *one = make_square(&a), *other = make_square(&b);
    assert_differ(one, other, 1e-5, first);
    stele_close(one);
    stele_close(other);
}

/* Models are compared by what is drawn, not by how it is arranged. */
static void test_diff_of_what_is_drawn(void **state)
{
    (void)state;
    assert_squares((square){0}, (square){.split = true}, NULL);
    assert_squares((square){0}, (square){.painted = true}, NULL);
    assert_squares((square){.painted = true}, (square){.split = true}, NULL);
    assert_squares((square){0}, (square){.mirrored = true, .turned = true}, NULL);
    assert_squares((square){0}, (square){.turned = true}, "mesh[0].position");
    assert_squares((square){0}, (square){.mirrored = true}, "mesh[0].position");
    assert_squares((square){.image = "a.*"}, (square){.image = "a.png"}, NULL);
    assert_squares((square){.image = "a.png"}, (square){.image = "a.*"}, NULL);
    assert_squares((square){.image = "a.*"}, (square){.image = "a.b.png"}, "mesh[0].material.base_color_texture");
    assert_squares((square){.image = "a.png"}, (square){.image = "b.png"}, "mesh[0].material.base_color_texture");
}

/* Every role has a name of its own, and nothing of a plain material has a texture. */
static void test_roles(void **state)
{
    stele_material plain = stele_default_material();
    (void)state;
    for (int role = 0; role < STELE_ROLE_COUNT; role++) {
        assert_int_equal(plain.textures[role].texture, STELE_NONE);
        assert_true(plain.textures[role].strength == 1 && plain.textures[role].scale[1] == 1);
        for (int other = 0; other < role; other++)
            assert_string_not_equal(stele_role_name((stele_role)role), stele_role_name((stele_role)other));
    }
    assert_string_equal(stele_role_name(STELE_ROLE_NORMAL), "normal map");
    assert_null(stele_role_name(STELE_ROLE_COUNT));
    assert_null(stele_role_name((stele_role)-1));
}

/* ---- One set of texture coordinates ---- */

static bool has_uv(const stele_model *model, float u, float v)
{
    for (size_t i = 0; i < model->mesh_count; i++)
        for (size_t k = 0; k < model->meshes[i].primitive_count; k++) {
            const stele_view *uvs = stele_primitive_view(&model->meshes[i].primitives[k], STELE_UV, 0);
            for (uint64_t row = 0; uvs && row < uvs->count; row++) {
                float uv[2];
                stele_view_row(uvs, row, uv);
                if (fabsf(uv[0] - u) < 1e-5f && fabsf(uv[1] - v) < 1e-5f)
                    return true;
            }
        }
    return false;
}

static stele_file *with_two_sets(uint32_t set, uint32_t present)
{
    static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const float uvs[2][6] = {{0.5f, 0.5f, 0.5f, 0.75f, 0.75f, 0.5f}, {0.125f, 0.25f, 0.25f, 0.25f, 0.25f, 0.375f}};
    stele_file *file = stele_new(NULL);
    stele_material material = stele_default_material();
    material.textures[STELE_ROLE_BASE_COLOR].texture = stele_add_texture(file, &(stele_texture){.name = "a.png"});
    material.textures[STELE_ROLE_BASE_COLOR].uv_set = set;
    material.textures[STELE_ROLE_BASE_COLOR].offset[0] = 0.0625f;
    material.textures[STELE_ROLE_BASE_COLOR].scale[0] = 2;
    stele_attribute attributes[3] = {{STELE_POSITION, 0, stele_float_view(positions, 3, 3)}};
    stele_primitive primitive = {.vertex_count = 3, .attributes = attributes, .attribute_count = 1};
    primitive.material = stele_add_material(file, &material);
    for (uint32_t i = 0; i < 2; i++)
        if (present & 1u << i)
            attributes[primitive.attribute_count++] = (stele_attribute){STELE_UV, i, stele_float_view(uvs[i], 3, 2)};
    stele_node node = stele_default_node();
    node.mesh = stele_add_mesh(file, &(stele_mesh){.primitives = &primitive, .primitive_count = 1});
    stele_add_node(file, &node);
    return file;
}

/* Every format with one set takes that of the base colour, as its texture shows it: what is applied is not lost. */
static void test_one_set_of_uvs(void **state)
{
    static const char several[] = "sgm glb gltf";
    static const float first[3][2] = {{0.5f, 0.5f}, {0.5f, 0.75f}, {0.75f, 0.5f}};
    static const float second[3][2] = {{0.3125f, 0.25f}, {0.5625f, 0.25f}, {0.5625f, 0.375f}}; /* 2 * u + 1/16 */
    const stele_format_info *format;
    (void)state;
    for (size_t i = 0; (format = stele_format_at(i)); i++)
        for (uint32_t present = 1; present < 4 && (format->capabilities & STELE_UVS) && !strstr(several, format->name);
             present++) {
            stele_file *file = with_two_sets(1, present);
            bytes out = rewritten(file, &(stele_save_options){.format = format->name});
            assert_non_null(out.data);
            if (find_diagnostic(file, "loss-material"))
                assert_null(strstr(find_diagnostic(file, "loss-material")->text, "transforms"));
            assert_int_equal(find_diagnostic(file, "loss-uv") != NULL, present == 3);
            stele_file *again = stele_open_memory(out.data, out.size, &(stele_options){.format = format->name});
            const stele_model *model = stele_file_model(again);
            assert_non_null(model);
            for (int k = 0; k < 3; k++) {
                const float *uv = present == 1 ? first[k] : second[k];
                if (!has_uv(model, uv[0], uv[1]))
                    fail_msg("%s has no texture coordinates %g %g", format->name, (double)uv[0], (double)uv[1]);
            }
            stele_close(again);
            stele_close(file);
            free(out.data);
        }
}

/* ---- Flattening ---- */

/* One mesh without vertices, one with three, and what moves both. */
static stele_file *with_an_empty_mesh(void)
{
    static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const stele_attribute position = {STELE_POSITION, 0, {positions, 3, 12, 3, STELE_F32, false}};
    stele_primitive full = {.vertex_count = 3, .attributes = &position, .attribute_count = 1, .material = STELE_NONE};
    stele_primitive empty = {.material = STELE_NONE};
    stele_file *file = stele_new(NULL);
    for (int i = 0; i < 2; i++) {
        stele_node node = stele_default_node();
        node.local.translation[0] = 2;
        node.mesh = stele_add_mesh(file, &(stele_mesh){.primitives = i ? &full : &empty, .primitive_count = 1});
        stele_add_node(file, &node);
    }
    return file;
}

static void test_empty_meshes(void **state)
{
    const stele_format_info *format;
    (void)state;
    for (size_t i = 0; (format = stele_format_at(i)); i++) {
        stele_file *file = with_an_empty_mesh();
        bytes out = rewritten(file, &(stele_save_options){.format = format->name});
        if (!out.data)
            fail_msg("%s: %s", format->name, stele_file_message(file));
        stele_close(file);
        free(out.data);
    }
}

/* What saving has around it. */
typedef struct bench {
    arena memory;
    diags found;
    saving saving;
    context context;
    flat_model flat;
    double scratch[8][16];
} bench;

static void set_up(bench *b, arm *a, uint64_t capabilities)
{
    stele_options options = {0};
    st_arena_init(&b->memory, &options);
    st_diags_init(&b->found, &b->memory, NULL, 0, NULL);
    b->saving = (saving){.model = stele_file_model(a->file), .capabilities = capabilities, .name = "test"};
    b->context = (context){.arena = &b->memory, .diags = &b->found, .into = "TEST", .fits = true, .save = &b->saving};
}

static void flatten(bench *b, arm *a, uint64_t capabilities, flat_wishes wishes)
{
    set_up(b, a, capabilities);
    assert_true(st_flatten(&b->context, &wishes, &b->flat));
}

static void clean_up(bench *b, arm *a)
{
    st_arena_free(&b->memory);
    stele_close(a->file);
}

/* A target with y and z exchanged gets exchanged vertices and joints, and shows the same. */
static void test_flatten_turns_axes(void **state)
{
    (void)state;
    arm a = make_arm();
    bench b;
    add_turn(&a, 1, STELE_LINEAR);
    /* the target's z is the model's y, its y the model's -z */
    flatten(&b, &a, UINT32_MAX,
            (flat_wishes){.axes = {{1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1}}, .skeleton = true, .normals = true});
    assert_int_equal(b.flat.mesh_count, 1);
    assert_int_equal(b.flat.joint_count, 2);
    assert_int_equal(b.flat.joints[1].parent, 0);
    assert_near(stele_view_number(&b.flat.meshes[0].position, 1, 2), 2);
    assert_near(b.flat.joints[1].rest.m[14], 1);
    matrix joints[2];
    st_flat_pose(&b.context, &b.flat, 0, 3, b.scratch, joints);
    matrix skin = st_matrix_product(&joints[1], &b.flat.joints[1].inverse_bind);
    double end[3] = {0, 0, 2}, moved[3];
    st_matrix_point(&skin, end, moved);
    assert_near(moved[0], -1); /* as in test_skinning, with the axes of the target */
    assert_near(moved[2], 1);
    clean_up(&b, &a);
}

/* Nodes that a clip moves become joints, and carry meshes that have no skin. */
static void test_flatten_makes_joints_of_animated_nodes(void **state)
{
    (void)state;
    arm a = make_arm();
    bench b;
    stele_node node = stele_default_node();
    node.local.translation[0] = 5;
    uint32_t lever = stele_add_node(a.file, &node);
    node.parent = lever;
    node.mesh = 0;
    uint32_t load = stele_add_node(a.file, &node);
    stele_channel channel = {lever, STELE_ROTATION, STELE_LINEAR, stele_float_view(two_times, 2, 1),
                             stele_float_view(quarter_turn, 2, 4)};
    stele_add_clip(a.file, &(stele_clip){.channels = &channel, .channel_count = 1});
    flatten(&b, &a, UINT32_MAX, (flat_wishes){.axes = st_matrix_identity(), .skeleton = true});
    assert_int_equal(b.flat.joint_count, 3);
    assert_int_equal(b.flat.mesh_count, 2);
    assert_int_equal(b.flat.meshes[1].node, load);
    assert_int_equal(b.flat.meshes[1].rigid_joint, 2);
    influence influences[4];
    size_t all;
    assert_int_equal(st_flat_influences(&b.flat.meshes[1], 0, influences, 4, &all), 1);
    assert_int_equal(influences[0].joint, 2);
    matrix joints[3];
    st_flat_pose(&b.context, &b.flat, 0, 3, b.scratch, joints);
    matrix skin = st_matrix_product(&joints[2], &b.flat.joints[2].inverse_bind);
    double point[3], moved[3];
    for (uint32_t k = 0; k < 3; k++)
        point[k] = stele_view_number(&b.flat.meshes[1].position, 0, k);
    assert_near(point[0], 10); /* baked: 5 and 5 */
    st_matrix_point(&skin, point, moved);
    assert_near(moved[0], 4); /* (5, 1) from the lever, turned to (-1, 5) */
    assert_near(moved[1], 5);
    clean_up(&b, &a);
}

/* Without a skeleton a model that is posed at rest is written as it is seen. */
static void test_flatten_evaluates_a_posed_rest(void **state)
{
    (void)state;
    arm a = make_arm();
    bench b;
    stele_node *upper = (stele_node *)&stele_file_model(a.file)->nodes[a.joints[1]];
    upper->local.rotation[2] = upper->local.rotation[3] = 0.70710678f;
    flatten(&b, &a, STELE_MESHES, (flat_wishes){.axes = st_matrix_identity()});
    assert_near(stele_view_number(&b.flat.meshes[0].position, 1, 0), -1);
    assert_near(stele_view_number(&b.flat.meshes[0].position, 1, 1), 1);
    assert_int_equal(b.flat.joint_count, 0);
    clean_up(&b, &a);
}

static void test_mirrored_triangles_are_turned(void **state)
{
    (void)state;
    arm a = make_arm();
    bench b;
    stele_node node = stele_default_node();
    node.local.scale[0] = -1;
    node.mesh = 0;
    stele_add_node(a.file, &node);
    flatten(&b, &a, STELE_MESHES, (flat_wishes){.axes = st_matrix_identity()});
    assert_int_equal(st_view_integer(&b.flat.meshes[0].indices, 1), 1);
    assert_int_equal(st_view_integer(&b.flat.meshes[1].indices, 1), 2);
    assert_int_equal(st_view_integer(&b.flat.meshes[1].indices, 2), 1);
    assert_near(stele_view_number(&b.flat.meshes[1].position, 2, 0), -1);
    clean_up(&b, &a);
}

static void test_losses_follow_the_capabilities(void **state)
{
    (void)state;
    arm a = make_arm();
    bench b;
    add_turn(&a, 1, STELE_LINEAR);
    set_up(&b, &a, STELE_MESHES);
    st_save_report(&b.context);
    assert_string_equal(b.found.items[0].text, "TEST has no skeleton: 2 joints and 1 clip dropped");
    assert_string_equal(b.found.items[1].text, "TEST has no mesh names: 1 dropped");
    assert_int_equal(b.found.losses, 2);
    clean_up(&b, &a);
}

static void expect_refusal(arm *a, bool in_place)
{
    bench b;
    flat_wishes wishes = {.axes = st_matrix_identity(), .in_place = in_place};
    set_up(&b, a, UINT32_MAX);
    assert_false(st_flatten(&b.context, &wishes, &b.flat));
    assert_false(b.context.fits);
    assert_false(b.memory.failed);
    assert_int_equal(b.found.count, 1);
    assert_string_equal(b.found.items[0].id, "does-not-fit");
    st_arena_free(&b.memory);
}

/* Twice 1e20 is 1e40, which no float holds. */
static void test_flatten_refuses_infinity(void **state)
{
    (void)state;
    arm a = make_arm();
    stele_node node = stele_default_node();
    for (int i = 0; i < 3; i++)
        node.local.scale[i] = 1e20f;
    node.parent = stele_add_node(a.file, &node);
    node.mesh = 0;
    stele_add_node(a.file, &node);
    expect_refusal(&a, false);
    expect_refusal(&a, true);
    stele_close(a.file);
}

/* A million times a primitive of a few numbers. */
static void test_flatten_refuses_crowds(void **state)
{
    (void)state;
    arm a = make_arm();
    bench b;
    flat_wishes wishes = {.axes = st_matrix_identity(), .in_place = true};
    stele_node node = stele_default_node();
    node.mesh = 0;
    for (int i = 0; i < 1000000; i++)
        stele_add_node(a.file, &node);
    set_up(&b, &a, UINT32_MAX);
    b.memory.limit = UINT64_MAX;
    assert_false(st_flatten(&b.context, &wishes, &b.flat));
    assert_false(b.context.fits);
    assert_true(b.memory.failed);
    assert_int_equal(b.memory.reason, REFUSED_WORK);
    assert_int_equal(b.memory.work, b.memory.work_limit);
    st_arena_free(&b.memory);
    stele_close(a.file);
}

/* A key of any length turns as one of length 1 does. */
static void test_long_rotations_turn_only(void **state)
{
    (void)state;
    static const float long_turn[] = {0, 0, 0, 3e38f, 0, 0, 2e38f, 2e38f};
    arm a = make_arm();
    float positions[9];
    stele_channel channel = {a.joints[1], STELE_ROTATION, STELE_LINEAR, stele_float_view(two_times, 2, 1),
                             stele_float_view(long_turn, 2, 4)};
    stele_add_clip(a.file, &(stele_clip){.channels = &channel, .channel_count = 1});
    evaluate(&a, 0, 1, positions);
    assert_point(positions + 3, 0, 2, 0);
    evaluate(&a, 0, 2, positions);
    assert_point(positions + 3, -sqrt(0.5), 1 + sqrt(0.5), 0);
    evaluate(&a, 0, 3, positions);
    assert_point(positions + 3, -1, 1, 0);
    stele_close(a.file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_many_joints_and_sets),
        cmocka_unit_test(test_no_joints_for_a_skin),
        cmocka_unit_test(test_singular_has_no_inverse),
        cmocka_unit_test(test_decompose),
        cmocka_unit_test(test_scaled_to_nothing),
        cmocka_unit_test(test_slerp),
        cmocka_unit_test(test_skinning),
        cmocka_unit_test(test_parents_carry_children),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_curves),
        cmocka_unit_test(test_morphs),
        cmocka_unit_test(test_what_points_nowhere_is_found),
        cmocka_unit_test(test_views_that_are_too_short_are_found),
        cmocka_unit_test(test_joints_that_are_not_there_are_found),
        cmocka_unit_test(test_order_puts_parents_first),
        cmocka_unit_test(test_copies_are_deep),
        cmocka_unit_test(test_nothing_needs_memory_that_is_not_there),
        cmocka_unit_test(test_bake),
        cmocka_unit_test(test_normals_on_request),
        cmocka_unit_test(test_diff),
        cmocka_unit_test(test_diff_of_what_is_drawn),
        cmocka_unit_test(test_roles),
        cmocka_unit_test(test_empty_meshes),
        cmocka_unit_test(test_one_set_of_uvs),
        cmocka_unit_test(test_flatten_turns_axes),
        cmocka_unit_test(test_flatten_makes_joints_of_animated_nodes),
        cmocka_unit_test(test_flatten_evaluates_a_posed_rest),
        cmocka_unit_test(test_flatten_refuses_infinity),
        cmocka_unit_test(test_flatten_refuses_crowds),
        cmocka_unit_test(test_long_rotations_turn_only),
        cmocka_unit_test(test_mirrored_triangles_are_turned),
        cmocka_unit_test(test_losses_follow_the_capabilities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
