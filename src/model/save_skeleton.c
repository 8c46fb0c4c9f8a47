#include "save_skeleton.h"

#include <math.h>

#include "load_skeleton.h"

/* For each joint: it is the neutral one of a load, and nothing moves it or is below it. NULL without memory. */
static bool *find_neutral(context *c, const flat_model *flat)
{
    const stele_model *model = flat->model;
    bool *neutral = st_need(c, flat->joint_count, sizeof *neutral);
    if (!neutral)
        return NULL;
    for (size_t i = 0; i < flat->joint_count; i++)
        neutral[i] = flat->joints[i].parent == STELE_NONE &&
                     stele_find_property(&model->nodes[flat->joints[i].node].properties, st_neutral_key);
    for (size_t i = 0; i < flat->joint_count; i++)
        if (flat->joints[i].parent != STELE_NONE)
            neutral[flat->joints[i].parent] = false;
    for (size_t i = 0; i < model->clip_count; i++)
        for (size_t k = 0; k < model->clips[i].channel_count; k++) {
            uint32_t joint = flat->joint_of_node[model->clips[i].channels[k].node];
            if (joint != STELE_NONE)
                neutral[joint] = false;
        }
    return neutral;
}

bool st_joint_numbers(context *c, const flat_model *flat, joint_numbers *numbers)
{
    bool *neutral = find_neutral(c, flat);
    *numbers = (joint_numbers){.of = st_need(c, flat->joint_count, sizeof *numbers->of)};
    if (!neutral || !numbers->of)
        return false;
    for (size_t i = 0; i < flat->joint_count; i++) {
        numbers->of[i] = neutral[i] ? STELE_NONE : numbers->count++;
        numbers->roots += !neutral[i] && flat->joints[i].parent == STELE_NONE;
    }
    return true;
}

size_t st_numbered_influences(const joint_numbers *numbers, const flat_mesh *mesh, uint64_t vertex, influence *influences,
                              size_t most, size_t *all)
{
    influence found[MOST_INFLUENCES];
    size_t count = 0, there = st_flat_influences(mesh, vertex, found, MOST_INFLUENCES, all);
    double sum = 0;
    for (size_t i = 0; i < there; i++)
        if (numbers->of[found[i].joint] != STELE_NONE)
            found[count++] = (influence){numbers->of[found[i].joint], found[i].weight};
    *all = count;
    bool whole = count == there && count <= most;
    count = count < most ? count : most;
    for (size_t i = 0; i < count; i++)
        sum += found[i].weight;
    for (size_t i = 0; i < count; i++)
        influences[i] = (influence){found[i].joint, whole ? found[i].weight : found[i].weight / sum};
    return count;
}

/* Rounding leaves next to nothing where there was nothing. */
static void snap(double *numbers, int count)
{
    for (int i = 0; i < count; i++)
        numbers[i] = fabs(numbers[i]) < 1e-12 ? 0 : numbers[i];
}

bool st_joint_local(const flat_model *flat, const matrix *joints, size_t joint, const double before[4], transform *local)
{
    uint32_t parent = flat->joints[joint].parent;
    matrix m = joints[joint], undo;
    if (parent != STELE_NONE) {
        st_matrix_inverse(&joints[parent], &undo);
        m = st_matrix_product(&undo, &m);
    }
    bool exact = st_matrix_decompose(&m, local);
    double side = dot4(before, local->rotation) < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++)
        local->rotation[i] *= side;
    snap(local->translation, 3);
    snap(local->rotation, 4);
    return exact;
}

void st_report_clips(context *c, const flat_model *flat)
{
    uint64_t unused = 0;
    for (uint32_t i = 0; i < flat->model->clip_count; i++)
        unused += !st_flat_clip_used(flat, i);
    st_lose(c, DIAG_LOSS_ANIMATION, unused, "", "only moves joints: %llu clip%s that %s none dropped",
            (unsigned long long)unused, unused == 1 ? "" : "s", unused == 1 ? "moves" : "move");
}
