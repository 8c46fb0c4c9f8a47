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

/* ---- Between keys ---- */

static bool is_even(double x, double y, double z)
{
    return x > 0 && fabs(y - x) <= 1e-6 * x && fabs(z - x) <= 1e-6 * x;
}

/* Nothing is scaled unevenly or mirrored: then a joint's keys say what is between them. */
static bool moves_evenly(const stele_model *model, uint32_t clip)
{
    for (size_t i = 0; i < model->node_count; i++) {
        const stele_node *n = &model->nodes[i];
        if (n->matrix || !is_even((double)n->local.scale[0], (double)n->local.scale[1], (double)n->local.scale[2]))
            return false;
    }
    for (size_t i = 0; i < model->clips[clip].channel_count; i++) {
        const stele_channel *c = &model->clips[clip].channels[i];
        for (uint64_t k = 0; c->path == STELE_SCALE && k < c->values.count; k++)
            if (!is_even(stele_view_number(&c->values, k, 0), stele_view_number(&c->values, k, 1),
                         stele_view_number(&c->values, k, 2)))
                return false;
    }
    return true;
}

static bool is_halfway(const transform *from, const transform *to, const transform *middle)
{
    transform halfway;
    for (int i = 0; i < 3; i++) {
        halfway.translation[i] = (from->translation[i] + to->translation[i]) / 2;
        halfway.scale[i] = (from->scale[i] + to->scale[i]) / 2;
    }
    st_quaternion_slerp(from->rotation, to->rotation, 0.5, halfway.rotation);
    matrix a = st_transform_matrix(&halfway), b = st_transform_matrix(middle);
    for (int i = 0; i < 16; i++)
        if (!(fabs(a.m[i] - b.m[i]) <= 1e-4 * (1 + fabs(b.m[i]))))
            return false;
    return true;
}

typedef struct journey {
    context *c;
    const flat_model *flat;
    key_of_joint *key;
    void *user;
    double (*scratch)[16];
    matrix *places;
    transform *from, *to; /* of each joint */
} journey;

static uint64_t detours_of(journey *j, uint32_t clip)
{
    uint64_t count, detours = 0;
    double *times = st_flat_times(j->flat, j->c->arena, clip, j->c->save->fps, &count);
    j->c->fits &= times != NULL;
    if (!j->c->fits || !st_flat_afford(j->c, j->flat, clip, 2 * (double)count))
        return 0;
    for (uint64_t i = 0; i < count; i++) {
        st_flat_pose(j->c, j->flat, clip, times[i], j->scratch, j->places);
        for (size_t k = 0; k < j->flat->joint_count; k++) {
            j->to[k] = j->from[k];
            j->key(j->user, j->places, k, &j->to[k]);
        }
        if (i)
            st_flat_pose(j->c, j->flat, clip, (times[i - 1] + times[i]) / 2, j->scratch, j->places);
        for (size_t k = 0; k < j->flat->joint_count; k++) {
            transform middle = j->from[k];
            detours += i && (!j->key(j->user, j->places, k, &middle) || !is_halfway(&j->from[k], &j->to[k], &middle));
            j->from[k] = j->to[k];
        }
    }
    return detours;
}

void st_report_detours(context *c, const flat_model *flat, key_of_joint *key, void *user)
{
    journey j = {.c = c, .flat = flat, .key = key, .user = user};
    uint64_t detours = 0;
    j.scratch = st_need(c, flat->model->node_count, sizeof *j.scratch);
    j.places = st_need(c, flat->joint_count, sizeof *j.places);
    j.from = st_need(c, flat->joint_count, sizeof *j.from);
    j.to = st_need(c, flat->joint_count, sizeof *j.to);
    for (size_t k = 0; c->fits && k < flat->joint_count; k++)
        j.from[k] = (transform){.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    for (uint32_t i = 0; c->fits && i < flat->model->clip_count; i++)
        if (st_flat_clip_used(flat, i) && !moves_evenly(flat->model, i))
            detours += detours_of(&j, i);
    st_lose(c, DIAG_LOSS_INTERPOLATION, detours, "",
            "goes straight from key to key: what is scaled unevenly or mirrored goes another way to %llu of them",
            (unsigned long long)detours);
}

bool st_local_key(void *flat, const matrix *joints, size_t joint, transform *key)
{
    double before[4];
    memcpy(before, key->rotation, sizeof before);
    return st_joint_local(flat, joints, joint, before, key);
}
