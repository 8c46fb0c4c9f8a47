/* The benchmark of skinning and animating (make bench calls it by way of tools/bench.sh).
 *
 *     skinning             stele_deform_vertices, 4 influences of 64 joints | a plain loop over prepared matrices
 *     skinning + normals   the same with normals, by the inverse transpose  | the same, by the matrices as they are
 *     skinning, evaluated  stele_evaluate_vertices, in double precision     | as skinning
 *     sampling             stele_sample of 100 joints that move and turn    | a plain loop over the keys, which mixes straight
 *     a frame              sampling, matrices of nodes and of joints        | -
 *     allocations          all of the program while frames are made          | none
 *
 * As in bench.c: competitors take turns, numbers are medians, a goal that is missed is said and nothing fails. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "race.h"
#include "stele.h"

/* Every allocation of the program comes by here: the linker wraps them. */
static uint64_t allocations;
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size)
{
    allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    allocations++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    allocations++;
    return __real_realloc(memory, size);
}

enum { VERTICES = 100000, JOINTS = 64, RUNS = 101 };

static float positions[3 * VERTICES], normals[3 * VERTICES], weights[4 * VERTICES];
static uint8_t joints[4 * VERTICES];
static float palette[JOINTS][12]; /* three rows of four */
static float moved[3 * VERTICES], turned[3 * VERTICES];

static float random_unit(void)
{
    static uint32_t state = 12345;
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / (1 << 24);
}

/* A plain loop, as an engine would have it. */
static void run_plain(const void *with_normals)
{
    for (size_t i = 0; i < VERTICES; i++) {
        float by[12] = {0};
        for (size_t k = 0; k < 4; k++)
            for (size_t e = 0; e < 12; e++)
                by[e] += weights[4 * i + k] * palette[joints[4 * i + k]][e];
        const float *p = positions + 3 * i, *n = normals + 3 * i;
        for (size_t r = 0; r < 3; r++)
            moved[3 * i + r] = by[4 * r] * p[0] + by[4 * r + 1] * p[1] + by[4 * r + 2] * p[2] + by[4 * r + 3];
        if (!with_normals)
            continue;
        float out[3];
        for (size_t r = 0; r < 3; r++)
            out[r] = by[4 * r] * n[0] + by[4 * r + 1] * n[1] + by[4 * r + 2] * n[2];
        float scale = 1 / sqrtf(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
        for (size_t r = 0; r < 3; r++)
            turned[3 * i + r] = scale * out[r];
    }
}

static const stele_model *model;

static const stele_slot slots[] = {{.semantic = STELE_POSITION, .type = STELE_F32, .components = 3},
                                   {.semantic = STELE_NORMAL, .type = STELE_F32, .components = 3, .offset = sizeof moved}};

static float posed[6 * VERTICES];

static void run_stele(const void *with_normals)
{
    const stele_deform deform = {palette[0], JOINTS, NULL, 0};
    need(stele_deform_vertices(&model->meshes[0].primitives[0], &deform, 0, VERTICES, slots, with_normals ? 2 : 1, posed,
                               sizeof posed) == STELE_OK,
         "stele_deform_vertices");
}

static double places[JOINTS + 1][16];

static void run_evaluate(const void *nothing)
{
    (void)nothing;
    need(stele_evaluate_vertices(model, JOINTS, 0, STELE_NONE, 0, (const double(*)[16])places, model->node_count, posed, NULL,
                                 VERTICES),
         "stele_evaluate_vertices");
}

static void make_vertices(void)
{
    for (size_t i = 0; i < VERTICES; i++) {
        float sum = 0;
        for (size_t k = 0; k < 3; k++) {
            positions[3 * i + k] = random_unit();
            normals[3 * i + k] = k == 2;
        }
        for (size_t k = 0; k < 4; k++) {
            joints[4 * i + k] = (uint8_t)((i / 8 + k) % JOINTS);
            sum += weights[4 * i + k] = 0.1f + random_unit();
        }
        for (size_t k = 0; k < 4; k++)
            weights[4 * i + k] /= sum;
    }
}

static stele_file *make_model(void)
{
    stele_file *file = stele_new(NULL);
    uint32_t nodes[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        stele_node joint = stele_default_node();
        float angle = 0.01f * (float)i;
        joint.parent = i ? i - 1 : STELE_NONE;
        joint.local.translation[0] = 0.1f;
        joint.local.rotation[2] = sinf(angle / 2);
        joint.local.rotation[3] = cosf(angle / 2);
        nodes[i] = stele_add_node(file, &joint);
    }
    const stele_view influences = {.data = joints, .count = VERTICES, .stride = 4, .components = 4, .type = STELE_U8};
    const stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(positions, VERTICES, 3)},
                                          {STELE_NORMAL, 0, stele_float_view(normals, VERTICES, 3)},
                                          {STELE_JOINTS, 0, influences},
                                          {STELE_WEIGHTS, 0, stele_float_view(weights, VERTICES, 4)}};
    const stele_primitive primitive = {
        .material = STELE_NONE, .vertex_count = VERTICES, .attributes = attributes, .attribute_count = 4};
    stele_node drawn = stele_default_node();
    drawn.mesh = stele_add_mesh(file, &(stele_mesh){.primitives = &primitive, .primitive_count = 1});
    drawn.skin = stele_add_skin(file, &(stele_skin){.joints = nodes, .joint_count = JOINTS, .skeleton = STELE_NONE});
    stele_add_node(file, &drawn);
    return file;
}

static void bench_skinning(const char *name, void (*run)(const void *), bool with_normals)
{
    const char *flag = with_normals ? "" : NULL;
    double ours, plain_loop;
    race(RUNS, (contender){run, flag, NULL}, (contender){run_plain, flag, NULL}, &ours, &plain_loop);
    for (size_t i = 0; i < 3 * VERTICES; i++)
        need(fabsf(posed[i] - moved[i]) < 1e-4f, "skinning alike");
    print_row(name, number("%.1f ns a vertex", 1e9 * ours / VERTICES),
              number("plain loop %.1f ns", 1e9 * plain_loop / VERTICES), number("%.2f", ours / plain_loop), plain("<= 1.5"),
              verdict(ours <= 1.5 * plain_loop));
}

/* ---- A clip ---- */

enum { DANCERS = 100, KEYS = 60, FRAMES = 600, CLIP_RUNS = 101 };

static float times[KEYS], moves[DANCERS][3 * KEYS], turns[DANCERS][4 * KEYS];
static stele_transform locals[DANCERS + 1];
static float node_matrices[16 * (DANCERS + 1)], joint_matrices[12 * DANCERS];
static uint32_t keys[2 * DANCERS];
static const stele_pose pose = {locals, DANCERS + 1, NULL, 0};

static stele_file *make_dance(void)
{
    stele_file *file = stele_new(NULL);
    stele_channel channels[2 * DANCERS];
    uint32_t nodes[DANCERS];
    for (int k = 0; k < KEYS; k++)
        times[k] = (float)k / 30;
    for (uint32_t i = 0; i < DANCERS; i++) {
        stele_node joint = stele_default_node();
        joint.parent = i ? i / 2 : STELE_NONE;
        float angle = 0;
        nodes[i] = stele_add_node(file, &joint);
        for (int k = 0; k < KEYS; k++) {
            angle += (i % 10 ? 0.2f : 1.0f) * (random_unit() - 0.5f); /* one in ten is quick */
            moves[i][3 * k] = random_unit();
            turns[i][4 * k + 1] = sinf(angle / 2);
            turns[i][4 * k + 3] = cosf(angle / 2);
        }
        const stele_view at = stele_float_view(times, KEYS, 1);
        channels[2 * i] = (stele_channel){nodes[i], STELE_TRANSLATION, STELE_LINEAR, at, stele_float_view(moves[i], KEYS, 3)};
        channels[2 * i + 1] = (stele_channel){nodes[i], STELE_ROTATION, STELE_LINEAR, at, stele_float_view(turns[i], KEYS, 4)};
    }
    stele_add_skin(file, &(stele_skin){.joints = nodes, .joint_count = DANCERS, .skeleton = STELE_NONE});
    stele_add_clip(file, &(stele_clip){.channels = channels, .channel_count = 2 * DANCERS});
    return file;
}

static void run_sample(const void *whole_frame)
{
    for (int f = 0; f < FRAMES; f++) {
        stele_sample(model, 0, f / 300.0, keys, 2 * DANCERS, &pose);
        if (!whole_frame)
            continue;
        stele_node_matrices(model, &pose, node_matrices, DANCERS + 1);
        stele_skin_matrices(model, 0, node_matrices, DANCERS + 1, 12, joint_matrices, DANCERS);
    }
}

/* Knows the rate of the keys, and mixes rotations straight. */
static void run_plain_sample(const void *nothing)
{
    (void)nothing;
    for (int f = 0; f < FRAMES; f++) {
        float at = (float)f / 10, t = at - floorf(at);
        int k = (int)at < KEYS - 2 ? (int)at : KEYS - 2;
        for (int i = 0; i < DANCERS; i++) {
            float q[4], squares = 0;
            for (int e = 0; e < 3; e++)
                locals[i].translation[e] = moves[i][3 * k + e] + (moves[i][3 * k + 3 + e] - moves[i][3 * k + e]) * t;
            for (int e = 0; e < 4; e++) {
                q[e] = turns[i][4 * k + e] + (turns[i][4 * k + 4 + e] - turns[i][4 * k + e]) * t;
                squares += q[e] * q[e];
            }
            for (int e = 0; e < 4; e++)
                locals[i].rotation[e] = q[e] / sqrtf(squares);
        }
    }
}

static void bench_clip(void)
{
    double ours, theirs;
    stele_file *file = make_dance();
    model = stele_file_model(file);
    need(model != NULL, "making the dance");
    race(CLIP_RUNS, (contender){run_sample, NULL, NULL}, (contender){run_plain_sample, NULL, NULL}, &ours, &theirs);
    print_row("sampling 100 joints, forward", number("%.2f us", 1e6 * ours / FRAMES),
              number("plain loop %.2f us", 1e6 * theirs / FRAMES), number("%.2f", ours / theirs), plain("<= 5 us"),
              verdict(1e6 * ours / FRAMES <= 5));
    race(CLIP_RUNS, (contender){run_sample, "", NULL}, (contender){run_plain_sample, NULL, NULL}, &ours, &theirs);
    print_row("a frame of 100 joints", number("%.2f us", 1e6 * ours / FRAMES), plain(""), plain(""), plain(""), "");
    uint64_t before = allocations;
    run_sample("");
    print_row("allocations in 600 frames", number("%.0f", (double)(allocations - before)), plain(""), plain(""), plain("0"),
              verdict(before && allocations == before));
    stele_close(file);
}

int main(void)
{
    static float matrices[16 * (JOINTS + 1)];
    static stele_transform rest[JOINTS + 1];
    make_vertices();
    stele_file *file = make_model();
    model = stele_file_model(file);
    need(model != NULL, "making the model");
    const stele_pose still = {rest, JOINTS + 1, NULL, 0};
    need(stele_sample(model, STELE_NONE, 0, NULL, 0, &still) == STELE_OK, "stele_sample");
    need(stele_node_matrices(model, &still, matrices, JOINTS + 1) == STELE_OK, "stele_node_matrices");
    need(stele_skin_matrices(model, 0, matrices, JOINTS + 1, 12, palette[0], JOINTS) == STELE_OK, "stele_skin_matrices");
    bench_skinning("skinning", run_stele, false);
    bench_skinning("skinning + normals", run_stele, true);
    need(stele_evaluate_nodes(model, STELE_NONE, 0, places, model->node_count), "stele_evaluate_nodes");
    bench_skinning("skinning, evaluated", run_evaluate, false);
    stele_close(file);
    bench_clip();
    return 0;
}
