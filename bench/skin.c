/* The benchmark of skinning (make bench calls it by way of tools/bench.sh).
 *
 *     skinning             stele_evaluate_vertices, 4 influences of 64 joints | a plain loop over prepared matrices
 *     skinning + normals   the same with normals                              | the same, by the matrices as they are
 *
 * As in bench.c: competitors take turns, numbers are medians, a goal that is missed is said and nothing fails. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "race.h"
#include "stele.h"

enum { VERTICES = 100000, JOINTS = 64, RUNS = 101 };

static float positions[3 * VERTICES], normals[3 * VERTICES], weights[4 * VERTICES];
static uint8_t joints[4 * VERTICES];
static double matrices[JOINTS + 1][16];
static float palette[JOINTS][12]; /* three rows of four */
static float moved[2][3 * VERTICES], turned[2][3 * VERTICES];

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
            moved[1][3 * i + r] = by[4 * r] * p[0] + by[4 * r + 1] * p[1] + by[4 * r + 2] * p[2] + by[4 * r + 3];
        if (!with_normals)
            continue;
        float out[3];
        for (size_t r = 0; r < 3; r++)
            out[r] = by[4 * r] * n[0] + by[4 * r + 1] * n[1] + by[4 * r + 2] * n[2];
        float scale = 1 / sqrtf(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
        for (size_t r = 0; r < 3; r++)
            turned[1][3 * i + r] = scale * out[r];
    }
}

static const stele_model *model;

static void run_stele(const void *with_normals)
{
    need(stele_evaluate_vertices(model, JOINTS, 0, STELE_NONE, 0, (const double(*)[16])matrices, model->node_count, moved[0],
                                 with_normals ? turned[0] : NULL, VERTICES),
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

static void bench_skinning(const char *name, bool with_normals)
{
    const char *flag = with_normals ? "" : NULL;
    double ours, plain_loop;
    race(RUNS, (contender){run_stele, flag, NULL}, (contender){run_plain, flag, NULL}, &ours, &plain_loop);
    for (size_t i = 0; i < 3 * VERTICES; i++)
        need(fabsf(moved[0][i] - moved[1][i]) < 1e-4f, "skinning alike");
    print_row(name, number("%.1f ns a vertex", 1e9 * ours / VERTICES),
              number("plain loop %.1f ns", 1e9 * plain_loop / VERTICES), number("%.2f", ours / plain_loop),
              plain(with_normals ? "" : "<= 1.5"), with_normals ? "" : verdict(ours <= 1.5 * plain_loop));
}

int main(void)
{
    make_vertices();
    stele_file *file = make_model();
    model = stele_file_model(file);
    need(model != NULL, "making the model");
    need(stele_evaluate_nodes(model, STELE_NONE, 0, matrices, model->node_count), "stele_evaluate_nodes");
    for (size_t i = 0; i < JOINTS; i++)
        for (size_t e = 0; e < 12; e++)
            palette[i][e] = (float)matrices[i][4 * (e % 4) + e / 4];
    bench_skinning("skinning", false);
    bench_skinning("skinning + normals", true);
    stele_close(file);
    return 0;
}
