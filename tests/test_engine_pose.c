/* Poses for engines: by formulas of the tests' own (libm's sines, matrices by hand), and on all samples beside evaluation in
 * double precision. */
#include <math.h>

#include "base/matrix.h"
#include "base/turn.h"
#include "support.h"

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.9g is not %.9g", a, b);
}

/* ---- Turning ---- */

static void turn_z(float angle, float q[4])
{
    q[0] = q[1] = 0;
    q[2] = sinf(angle / 2);
    q[3] = cosf(angle / 2);
}

static void test_shorter_arc(void **state)
{
    (void)state;
    for (int step = 0; step <= 360; step++)
        for (int part = 0; part <= 8; part++) {
            float a[4], b[4], got[4], t = (float)part / 8, angle = (float)step * 3.14159265f / 180;
            double whole = (double)angle <= 3.14159265358979 ? (double)angle : (double)angle - 2 * 3.14159265358979;
            if (step == 180)
                continue; /* either way is the shorter */
            turn_z(0.3f, a);
            turn_z(0.3f + angle, b);
            st_quaternion_slerpf(a, b, t, got);
            /* the angle, whatever the sign of the quaternion */
            double expected = 0.3 + (double)t * whole,
                   sign = (double)got[3] * cos(expected / 2) + (double)got[2] * sin(expected / 2);
            assert_near(fabs(sign), 1, 1e-6);
            sign = sign < 0 ? -1 : 1;
            assert_near((double)got[2], sign * sin(expected / 2), 4e-7);
            assert_near((double)got[3], sign * cos(expected / 2), 4e-7);
        }
}

/* ---- An arm ---- */

/* A root at (1, 0, 0), a hand two further that turns by 90 degrees about z in two seconds, and a mesh of two vertices: one for
 * each joint, with a morph that lifts the second. */
typedef struct arm {
    stele_file *file;
    const stele_model *model;
    float places[6], normals[6], weights[8], times[2], turns[8], lifts[3], inverse[32], morph_times[2], morph_values[2];
    uint8_t joints[8];
    uint8_t lifted;
} arm;

static void make_arm(arm *a)
{
    *a = (arm){.file = stele_new(NULL),
               .places = {1, 0, 0, 4, 0, 0},
               .normals = {1, 0, 0, 1, 0, 0},
               .weights = {1, 0, 0, 0, 1, 0, 0, 0},
               .joints = {0, 0, 0, 0, 1, 0, 0, 0},
               .times = {0, 2},
               .lifts = {0, 0, 5},
               .morph_times = {0, 2},
               .morph_values = {0, 1},
               .lifted = 1};
    const float inverses[2][3] = {{-1, 0, 0}, {-3, 0, 0}};
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 16; i++)
            a->inverse[16 * j + i] = i % 5 == 0 ? 1 : i >= 12 && i < 15 ? inverses[j][i - 12] : 0;
    turn_z(0, a->turns);
    turn_z(1.57079633f, a->turns + 4);
    stele_node root = stele_default_node(), hand = stele_default_node(), drawn = stele_default_node();
    root.name = "root";
    root.local.translation[0] = 1;
    hand.name = "hand";
    hand.parent = stele_add_node(a->file, &root);
    hand.local.translation[0] = 2;
    const uint32_t joints[2] = {hand.parent, stele_add_node(a->file, &hand)};
    const stele_view rows = {.data = a->joints, .count = 2, .stride = 4, .components = 4, .type = STELE_U8};
    const stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(a->places, 2, 3)},
                                          {STELE_NORMAL, 0, stele_float_view(a->normals, 2, 3)},
                                          {STELE_JOINTS, 0, rows},
                                          {STELE_WEIGHTS, 0, stele_float_view(a->weights, 2, 4)}};
    const stele_morph morph = {.vertices = {.data = &a->lifted, .count = 1, .stride = 1, .components = 1, .type = STELE_U8},
                               .position = stele_float_view(a->lifts, 1, 3)};
    const stele_primitive p = {.vertex_count = 2,
                               .attributes = attributes,
                               .attribute_count = 4,
                               .morphs = &morph,
                               .morph_count = 1,
                               .material = STELE_NONE};
    drawn.mesh = stele_add_mesh(a->file, &(stele_mesh){.primitives = &p, .primitive_count = 1});
    drawn.skin = stele_add_skin(a->file, &(stele_skin){.joints = joints,
                                                       .joint_count = 2,
                                                       .inverse_bind = stele_float_view(a->inverse, 2, 16),
                                                       .skeleton = STELE_NONE});
    uint32_t node = stele_add_node(a->file, &drawn);
    const stele_channel channels[] = {
        {joints[1], STELE_ROTATION, STELE_LINEAR, stele_float_view(a->times, 2, 1), stele_float_view(a->turns, 2, 4)},
        {node, STELE_MORPH_WEIGHTS, STELE_LINEAR, stele_float_view(a->morph_times, 2, 1),
         stele_float_view(a->morph_values, 2, 1)}};
    stele_add_clip(a->file, &(stele_clip){.name = "wave", .channels = channels, .channel_count = 2});
    a->model = stele_file_model(a->file);
    assert_non_null(a->model);
}

enum { NODES = 3 };

static void test_an_arm(void **state)
{
    (void)state;
    arm a;
    make_arm(&a);
    const stele_model *m = a.model;
    assert_int_equal(stele_find_clip(m, "wave"), 0);
    assert_int_equal(stele_find_clip(m, "Wave"), STELE_NONE);
    assert_int_equal(stele_find_clip(m, NULL), STELE_NONE);
    assert_int_equal(stele_find_node(m, "hand"), 1);
    assert_int_equal(m->weight_count, 1);
    assert_int_equal(m->first_weight[2], 0);
    stele_transform locals[NODES];
    float weights[1], matrices[NODES * 16], palette[2 * 12], columns[2 * 16];
    uint32_t keys[2] = {0};
    const stele_pose pose = {locals, NODES, weights, 1};
    assert_int_equal(stele_sample(m, 0, 1, keys, 2, &pose), STELE_OK);
    const double half = 1.57079632679 / 4;
    assert_near((double)locals[1].rotation[2], sin(half), 1e-6);
    assert_near((double)weights[0], 0.5, 1e-6);
    assert_int_equal(stele_node_matrices(m, &pose, matrices, NODES), STELE_OK);
    assert_near((double)matrices[16 + 0], cos(2 * half), 1e-6);
    assert_near((double)matrices[16 + 1], sin(2 * half), 1e-6);
    assert_near((double)matrices[16 + 12], 3, 1e-6);
    assert_int_equal(stele_skin_matrices(m, 0, matrices, NODES, 12, palette, 2), STELE_OK);
    assert_int_equal(stele_skin_matrices(m, 0, matrices, NODES, 16, columns, 2), STELE_OK);
    for (int j = 0; j < 2; j++)
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 4; c++)
                assert_true(palette[12 * j + 4 * r + c] == columns[16 * j + 4 * c + r]);
    /* the second vertex is one beyond the hand, which is at (3, 0, 0), and half lifted */
    float out[2][6];
    const stele_slot slots[] = {{.semantic = STELE_POSITION, .type = STELE_F32, .components = 3, .stride = 24},
                                {.semantic = STELE_NORMAL, .type = STELE_F32, .components = 3, .stride = 24, .offset = 12}};
    stele_deform deform = {palette, 2, weights, 1};
    assert_int_equal(stele_deform_vertices(&m->meshes[0].primitives[0], &deform, 0, 2, slots, 2, out, sizeof out), STELE_OK);
    const double expected[2][6] = {{1, 0, 0, 1, 0, 0},
                                   {3 + cos(2 * half), sin(2 * half), 2.5, cos(2 * half), sin(2 * half), 0}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 6; k++)
            assert_near((double)out[i][k], expected[i][k], 1e-6);
    /* the second alone; and without joints it weighs nothing */
    float alone[6];
    assert_int_equal(stele_deform_vertices(&m->meshes[0].primitives[0], &deform, 1, 1, slots, 2, alone, sizeof alone),
                     STELE_OK);
    assert_memory_equal(alone, out[1], sizeof alone);
    deform.matrix_count = 1;
    assert_int_equal(stele_deform_vertices(&m->meshes[0].primitives[0], &deform, 0, 2, slots, 2, out, sizeof out), STELE_OK);
    assert_true(out[1][0] == 0 && out[1][1] == 0 && out[1][2] == 0);
    deform.matrices = NULL; /* only morphed */
    assert_int_equal(stele_deform_vertices(&m->meshes[0].primitives[0], &deform, 0, 2, slots, 2, out, sizeof out), STELE_OK);
    assert_true(out[1][0] == 4 && out[1][2] == 2.5f);
    stele_close(a.file);
}

/* Also where nothing moves them; what has no length stays. */
static void test_directions_have_length_one(void **state)
{
    static const float place[2][3], up[2][3] = {{0, 0.9f, 0}, {0, 0, 0}}, along[2][4] = {{3, 0, 4, -1}, {0, 0, 0.5f, 1}};
    const stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(place[0], 2, 3)},
                                          {STELE_NORMAL, 0, stele_float_view(up[0], 2, 3)},
                                          {STELE_TANGENT, 0, stele_float_view(along[0], 2, 4)}};
    const stele_primitive p = {.vertex_count = 2, .attributes = attributes, .attribute_count = 3, .material = STELE_NONE};
    const stele_slot slots[] = {{.semantic = STELE_NORMAL, .type = STELE_F32, .components = 3, .stride = 28},
                                {.semantic = STELE_TANGENT, .type = STELE_F32, .components = 4, .stride = 28, .offset = 12}};
    static const double expected[2][7] = {{0, 1, 0, 0.6, 0, 0.8, -1}, {0, 0, 0, 0, 0, 1, 1}};
    const stele_deform still = {.matrices = NULL};
    float out[2][7];
    (void)state;
    assert_int_equal(stele_deform_vertices(&p, &still, 0, 2, slots, 2, out, sizeof out), STELE_OK);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 7; k++)
            assert_near((double)out[i][k], expected[i][k], 1e-6);
}

static void test_blending(void **state)
{
    (void)state;
    arm a;
    make_arm(&a);
    stele_transform rest[NODES], end[NODES];
    float weights[2][1], amounts[NODES] = {1, 0.5f, 1};
    const stele_pose to = {rest, NODES, weights[0], 1}, from = {end, NODES, weights[1], 1};
    assert_int_equal(stele_sample(a.model, STELE_NONE, 0, NULL, 0, &to), STELE_OK);
    assert_int_equal(stele_sample(a.model, 0, 99, NULL, 0, &from), STELE_OK);
    end[0].translation[1] = 8;
    end[0].scale[2] = 3;
    assert_int_equal(stele_blend(a.model, &to, &from, 0.5f, amounts, NODES), STELE_OK);
    assert_near((double)rest[0].translation[1], 4, 1e-6);
    assert_near((double)rest[0].scale[2], 2, 1e-6);
    assert_near((double)rest[1].rotation[2], sin(1.57079632679 / 8), 1e-6); /* a quarter of the way */
    assert_near((double)weights[0][0], 0.5, 1e-6);
    /* all the way is the other pose, exactly, and not at all is none of it */
    stele_transform before = rest[0];
    end[2].translation[0] = NAN;
    amounts[0] = amounts[2] = 0;
    assert_int_equal(stele_blend(a.model, &to, &from, 1, amounts, NODES), STELE_OK);
    assert_memory_equal(&rest[0], &before, sizeof before);
    assert_true(!isnan(rest[2].translation[0]));
    rest[2].translation[0] = 1e8f;
    end[2].translation[0] = 1;
    weights[0][0] = 3e7f;
    weights[1][0] = 0.1f;
    assert_int_equal(stele_blend(a.model, &to, &from, 1, NULL, 0), STELE_OK);
    assert_memory_equal(rest, end, sizeof end);
    assert_memory_equal(weights[0], weights[1], sizeof weights[1]);
    stele_close(a.file);
}

/* Rotations are turned four at a time: each must come out as if it were alone, small and large ones, at keys and between, and
 * the last one that turns a node counts. */
static void test_turning_together(void **state)
{
    (void)state;
    enum { TURNERS = 10, LAST = TURNERS + 1, CHANNELS }; /* the last two turn the last node, one of them in steps */
    float times[CHANNELS][2], turns[CHANNELS][8];
    stele_file *file = stele_new(NULL);
    stele_channel channels[CHANNELS];
    for (uint32_t i = 0; i < TURNERS; i++) {
        stele_node node = stele_default_node();
        assert_int_equal(stele_add_node(file, &node), i);
    }
    for (uint32_t i = 0; i < CHANNELS; i++) {
        times[i][0] = 0;
        times[i][1] = 1 + (float)(i / 4);
        turn_z(0.1f, turns[i]);
        turn_z(0.1f + 0.04f * (float)(i * i), turns[i] + 4);
        for (int e = 4; e < 8 && i % 3 == 1; e++)
            turns[i][e] = -turns[i][e]; /* the same turn, by the longer way */
        channels[i] = (stele_channel){i < TURNERS ? i : TURNERS - 1, STELE_ROTATION, i == LAST ? STELE_STEP : STELE_LINEAR,
                                      stele_float_view(times[i], 2, 1), stele_float_view(turns[i], 2, 4)};
    }
    stele_add_clip(file, &(stele_clip){.channels = channels, .channel_count = CHANNELS});
    const stele_model *m = stele_file_model(file);
    assert_non_null(m);
    for (int step = 0; step <= 40; step++) {
        stele_transform locals[TURNERS];
        double seconds = step / 10.0;
        assert_int_equal(stele_sample(m, 0, seconds, NULL, 0, &(stele_pose){locals, TURNERS, NULL, 0}), STELE_OK);
        for (uint32_t i = 0; i < TURNERS; i++) {
            uint32_t c = i == TURNERS - 1 ? LAST : i;
            double part = seconds / (double)times[c][1];
            float alone[4];
            st_quaternion_slerpf(turns[c], turns[c] + 4, c == LAST ? 0 : (float)part, alone);
            if (part >= 1) /* not the nearer of both signs: the key */
                memcpy(alone, turns[c] + 4, sizeof alone);
            assert_memory_equal(locals[i].rotation, alone, sizeof alone);
        }
    }
    stele_close(file);
}

static void test_wrong_sizes(void **state)
{
    (void)state;
    arm a;
    make_arm(&a);
    const stele_model *m = a.model;
    const stele_primitive *p = &m->meshes[0].primitives[0];
    stele_transform locals[NODES];
    float weights[1], matrices[NODES * 16], palette[32], out[6];
    uint32_t keys[2] = {0};
    const stele_pose pose = {locals, NODES, weights, 1}, few = {locals, NODES - 1, NULL, 0},
                     light = {locals, NODES, weights, 0}, none = {NULL, NODES, NULL, 0};
    assert_int_equal(stele_sample(m, 1, 0, keys, 2, &pose), STELE_USAGE);
    assert_int_equal(stele_sample(m, 0, 0, keys, 1, &pose), STELE_USAGE);
    assert_int_equal(stele_sample(m, 0, 0, NULL, 0, &few), STELE_USAGE);
    assert_int_equal(stele_sample(m, 0, 0, NULL, 0, &light), STELE_USAGE);
    assert_int_equal(stele_sample(m, 0, 0, NULL, 0, &none), STELE_USAGE);
    assert_int_equal(stele_sample(NULL, 0, 0, NULL, 0, &pose), STELE_USAGE);
    assert_int_equal(stele_sample(m, 0, 0, NULL, 0, NULL), STELE_USAGE);
    assert_int_equal(stele_sample(m, 0, NAN, NULL, 0, &pose), STELE_OK); /* no time is before all others */
    assert_int_equal(stele_blend(m, &pose, &few, 1, NULL, 0), STELE_USAGE);
    assert_int_equal(stele_blend(m, &pose, &pose, 1, weights, 1), STELE_USAGE);
    assert_int_equal(stele_node_matrices(m, &pose, matrices, NODES - 1), STELE_USAGE);
    assert_int_equal(stele_node_matrices(m, &pose, NULL, NODES), STELE_USAGE);
    assert_int_equal(stele_node_matrices(m, &pose, matrices, NODES), STELE_OK);
    assert_int_equal(stele_skin_matrices(m, 1, matrices, NODES, 12, palette, 2), STELE_USAGE);
    assert_int_equal(stele_skin_matrices(m, 0, matrices, NODES - 1, 12, palette, 2), STELE_USAGE);
    assert_int_equal(stele_skin_matrices(m, 0, matrices, NODES, 12, palette, 1), STELE_USAGE);
    assert_int_equal(stele_skin_matrices(m, 0, matrices, NODES, 9, palette, 2), STELE_USAGE);
    const stele_slot slot = {.semantic = STELE_POSITION, .type = STELE_F32, .components = 3};
    const stele_deform deform = {palette, 2, NULL, 0}, unweighted = {NULL, 0, weights, 0};
    assert_int_equal(stele_deform_vertices(p, &deform, 0, 2, &slot, 1, out, sizeof out - 1), STELE_USAGE);
    assert_int_equal(stele_deform_vertices(p, &deform, 1, 2, &slot, 1, out, sizeof out), STELE_USAGE);
    assert_int_equal(stele_deform_vertices(p, &deform, UINT64_MAX, 2, &slot, 1, out, sizeof out), STELE_USAGE);
    assert_int_equal(stele_deform_vertices(p, &unweighted, 0, 2, &slot, 1, out, sizeof out), STELE_USAGE);
    assert_int_equal(stele_deform_vertices(p, NULL, 0, 2, &slot, 1, out, sizeof out), STELE_USAGE);
    stele_close(a.file);
}

/* ---- Every sample ---- */

typedef struct actor {
    stele_pose pose;
    float *matrices, *palette;
    uint32_t *keys;
    size_t palette_count;
} actor;

static actor make_actor(const stele_model *m)
{
    actor a = {.pose = {calloc(m->node_count + 1, sizeof(stele_transform)), m->node_count, calloc(m->weight_count + 1, 4),
                        m->weight_count},
               .matrices = calloc(m->node_count + 1, 64)};
    size_t channels = 0;
    for (size_t i = 0; i < m->clip_count; i++)
        channels = m->clips[i].channel_count > channels ? m->clips[i].channel_count : channels;
    for (size_t i = 0; i < m->skin_count; i++)
        a.palette_count = m->skins[i].joint_count > a.palette_count ? m->skins[i].joint_count : a.palette_count;
    a.keys = calloc(channels + 1, sizeof *a.keys);
    a.palette = calloc(a.palette_count + 1, 48);
    assert_true(a.pose.locals && a.pose.weights && a.matrices && a.keys && a.palette);
    return a;
}

static void free_actor(actor *a)
{
    free(a->pose.locals);
    free(a->pose.weights);
    free(a->matrices);
    free(a->palette);
    free(a->keys);
}

static uint64_t vertices_compared;

/* A primitive at a node that is skinned, beside what double precision makes of it. */
static void compare_vertices(const stele_model *m, uint32_t node, uint32_t primitive, uint32_t clip, double seconds, actor *a,
                             const double (*exact)[16])
{
    const stele_node *n = &m->nodes[node];
    const stele_primitive *p = &m->meshes[n->mesh].primitives[primitive];
    size_t count = (size_t)p->vertex_count;
    float *expected = calloc(2 * count + 1, 12), *got = calloc(2 * count + 1, 12), size = 1e-6f;
    const stele_slot slots[] = {
        {.semantic = STELE_POSITION, .type = STELE_F32, .components = 3},
        {.semantic = STELE_NORMAL, .type = STELE_F32, .components = 3, .offset = 12 * count},
    };
    bool normals = stele_primitive_view(p, STELE_NORMAL, 0);
    assert_true(expected && got);
    assert_true(stele_evaluate_vertices(m, node, primitive, clip, seconds, exact, m->node_count, expected,
                                        normals ? expected + 3 * count : NULL, count));
    const stele_deform deform = {a->palette, a->palette_count, a->pose.weights + m->first_weight[node], p->morph_count};
    assert_int_equal(stele_skin_matrices(m, n->skin, a->matrices, m->node_count, 12, a->palette, a->palette_count), STELE_OK);
    assert_int_equal(stele_deform_vertices(p, &deform, 0, count, slots, normals ? 2 : 1, got, 24 * count), STELE_OK);
    for (size_t i = 0; i < 3 * count; i++)
        size = fabsf(expected[i]) > size ? fabsf(expected[i]) : size;
    for (size_t i = 0; i < 3 * count; i++)
        assert_near((double)got[i], (double)expected[i], 5e-6 * (double)size);
    for (size_t i = 0; i < 3 * count && normals; i++)
        assert_near((double)got[3 * count + i], (double)expected[3 * count + i], 2e-4);
    vertices_compared += count;
    free(expected);
    free(got);
}

static void compare_pose(const stele_model *m, uint32_t clip, double seconds, actor *a)
{
    double(*exact)[16] = calloc(m->node_count + 1, sizeof *exact), size = 1;
    actor cold = make_actor(m);
    size_t keys = clip == STELE_NONE ? 0 : m->clips[clip].channel_count;
    assert_true(exact && stele_evaluate_nodes(m, clip, seconds, exact, m->node_count));
    assert_int_equal(stele_sample(m, clip, seconds, a->keys, keys, &a->pose), STELE_OK);
    /* what is remembered changes nothing, nor does nonsense */
    memset(cold.keys, 0xa5, keys * sizeof *cold.keys);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(stele_sample(m, clip, seconds, k ? cold.keys : NULL, keys, &cold.pose), STELE_OK);
        assert_memory_equal(cold.pose.locals, a->pose.locals, m->node_count * sizeof *a->pose.locals);
        assert_memory_equal(cold.pose.weights, a->pose.weights, m->weight_count * sizeof(float));
    }
    assert_int_equal(stele_node_matrices(m, &a->pose, a->matrices, m->node_count), STELE_OK);
    for (size_t i = 0; i < 16 * m->node_count; i++)
        size = fabs(exact[i / 16][i % 16]) > size ? fabs(exact[i / 16][i % 16]) : size;
    for (size_t i = 0; i < 16 * m->node_count; i++)
        assert_near((double)a->matrices[i], exact[i / 16][i % 16], 5e-6 * size);
    for (uint32_t n = 0; n < m->node_count; n++)
        for (uint32_t i = 0; m->nodes[n].mesh != STELE_NONE && m->nodes[n].skin != STELE_NONE &&
                             i < m->meshes[m->nodes[n].mesh].primitive_count;
             i++)
            compare_vertices(m, n, i, clip, seconds, a, (const double(*)[16])exact);
    free(exact);
    free_actor(&cold);
}

static void check_sample(const char *path, const bytes *content)
{
    (void)content;
    stele_file *file = stele_open(path, NULL);
    const stele_model *m = stele_file_model(file);
    if (m) {
        actor a = make_actor(m);
        compare_pose(m, STELE_NONE, 0, &a);
        for (uint32_t clip = 0; clip < m->clip_count && clip < 3; clip++)
            for (int i = -1; i <= 6; i++) /* forward, over both ends, and back to the start with the next clip */
                compare_pose(m, clip, m->clips[clip].duration * i / 5.3, &a);
        free_actor(&a);
    }
    stele_close(file);
}

static void test_samples(void **state)
{
    (void)state;
    char samples[1024];
    vertices_compared = 0;
    snprintf(samples, sizeof samples, "%s/samples", project_folder());
    assert_true(for_each_file(samples, check_sample) > 40);
    assert_true(vertices_compared > 10000);
    print_message("# %llu vertices compared\n", (unsigned long long)vertices_compared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shorter_arc),
        cmocka_unit_test(test_an_arm),
        cmocka_unit_test(test_directions_have_length_one),
        cmocka_unit_test(test_blending),
        cmocka_unit_test(test_turning_together),
        cmocka_unit_test(test_wrong_sizes),
        cmocka_unit_test(test_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
