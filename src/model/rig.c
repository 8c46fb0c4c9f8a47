#include "rig.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/bytes.h"

/* ---- Joints ---- */

static const char neutral_key[] = "stele.neutral";

void st_store_matrix(uint8_t *bytes, const matrix *m)
{
    for (int i = 0; i < 16; i++)
        store_f32(bytes + 4 * i, i % 4 == 3 ? (i == 15 ? 1.0f : 0.0f) : (float)m->m[i]);
}

/* Absurd matrices have inverses beyond what floats hold. */
static bool fits_floats(const stele_transform *t)
{
    float sum = 0;
    for (int i = 0; i < 3; i++)
        sum += fabsf(t->translation[i]) + fabsf(t->scale[i]);
    for (int i = 0; i < 4; i++)
        sum += fabsf(t->rotation[i]);
    return isfinite(sum);
}

void st_node_place(stele_node *node, arena *a, const matrix *place, bool moved)
{
    transform t;
    bool exact = st_matrix_decompose(place, &t);
    float *columns = exact || moved ? NULL : st_arena_array(a, 16, sizeof *columns);
    stele_transform local = st_transform_float(&t);
    for (int i = 0; columns && i < 16; i++)
        columns[i] = (float)place->m[i];
    if (fits_floats(&local)) {
        node->local = local;
        node->matrix = columns;
    }
}

static matrix inverse_bind_of(const rig *r, uint32_t joint)
{
    float columns[16];
    stele_view_row(&r->inverse_bind, joint, columns);
    return st_matrix_of_columns(columns);
}

enum { ANCHOR_UNKNOWN = STELE_NONE - 1 };

/* The joint whose matrix says where each joint is bound: its own, or that of the nearest ancestor that has one. */
static uint32_t *find_anchors(const rig *r, arena *a)
{
    uint32_t *anchor = st_arena_array(a, r->joint_count, sizeof *anchor);
    for (uint32_t j = 0; anchor && j < r->joint_count; j++) {
        matrix bind = inverse_bind_of(r, j), ignored;
        bool placed = !(r->unplaced && r->unplaced[j]) && st_matrix_inverse(&bind, &ignored);
        anchor[j] = placed ? j : (uint32_t)ANCHOR_UNKNOWN;
    }
    for (uint32_t j = 0; anchor && j < r->joint_count; j++) {
        uint32_t at = j, found = STELE_NONE;
        for (size_t steps = 0; at != STELE_NONE && anchor[at] == ANCHOR_UNKNOWN && steps < r->joint_count; steps++)
            at = r->parent[at];
        if (at != STELE_NONE && anchor[at] != ANCHOR_UNKNOWN)
            found = anchor[at];
        for (at = j; at != STELE_NONE && anchor[at] == ANCHOR_UNKNOWN; at = r->parent[at])
            anchor[at] = found;
    }
    return anchor;
}

/* From the joint's own place to that of its parent. */
static matrix rest_of(const rig *r, const uint32_t *anchor, uint32_t joint)
{
    uint32_t parent = r->parent[joint], above = parent == STELE_NONE ? STELE_NONE : anchor[parent];
    matrix undo_above = above == STELE_NONE ? st_matrix_identity() : inverse_bind_of(r, above), bound = st_matrix_identity();
    if (anchor[joint] == above)
        return st_matrix_identity();
    if (anchor[joint] != STELE_NONE) {
        matrix undo = inverse_bind_of(r, anchor[joint]);
        st_matrix_inverse(&undo, &bound);
    }
    return st_matrix_product(&undo_above, &bound);
}

static size_t count_roots(const rig *r)
{
    size_t roots = r->neutral;
    for (size_t j = 0; j < r->joint_count; j++)
        roots += r->parent[j] == STELE_NONE;
    return roots;
}

static void add_root(context *c, rig *r)
{
    stele_node node = stele_default_node();
    node.name = "root";
    r->root_node = STELE_NONE;
    if (st_matrix_is_identity(&r->root) && count_roots(r) <= 1)
        return;
    st_node_place(&node, c->arena, &r->root, false);
    r->root_node = st_model_add_node(c->load->model, c->arena, &node);
}

static void add_joint(context *c, const rig *r, const uint32_t *anchor, uint32_t joint)
{
    stele_node node = stele_default_node();
    matrix rest = rest_of(r, anchor, joint);
    node.parent = r->parent[joint] == STELE_NONE ? r->root_node : r->first_node + r->parent[joint];
    st_node_place(&node, c->arena, &rest, r->moved && r->moved[joint]);
    st_model_add_node(c->load->model, c->arena, &node);
}

static void add_neutral(context *c, const rig *r)
{
    stele_node node = stele_default_node();
    node.name = "neutral";
    node.parent = r->root_node;
    st_property_number(&node.properties, c->arena, neutral_key, 1);
    st_model_add_node(c->load->model, c->arena, &node);
}

bool st_rig_load(context *c, rig *r)
{
    size_t count = r->joint_count + r->neutral;
    uint32_t *joints = st_arena_array(c->arena, count, sizeof *joints), *anchor = find_anchors(r, c->arena);
    if (!joints || !anchor)
        return false;
    add_root(c, r);
    r->first_node = (uint32_t)c->load->model->node_count;
    for (uint32_t j = 0; j < r->joint_count; j++)
        add_joint(c, r, anchor, j);
    if (r->neutral)
        add_neutral(c, r);
    for (size_t j = 0; j < count; j++)
        joints[j] = r->first_node + (uint32_t)j;
    stele_skin skin = {.joints = joints, .joint_count = count, .inverse_bind = r->inverse_bind, .skeleton = r->root_node};
    r->skin = st_model_add_skin(c->load->model, c->arena, &skin);
    return !c->arena->failed;
}

/* ---- Keys ---- */

typedef struct timed_row {
    float time;
    uint64_t row;
} timed_row;

static int by_time(const void *a, const void *b)
{
    const timed_row *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static timed_row *sorted_rows(arena *a, const double *seconds, uint64_t count)
{
    timed_row *keys = st_arena_array(a, count, sizeof *keys);
    bool sorted = true;
    for (uint64_t i = 0; keys && i < count; i++) {
        keys[i] = (timed_row){(float)fmin(fmax(seconds[i], 0), (double)FLT_MAX), i};
        sorted &= i == 0 || keys[i - 1].time <= keys[i].time;
    }
    if (keys && !sorted)
        qsort(keys, (size_t)count, sizeof *keys, by_time);
    return keys;
}

bool st_keys_order(context *c, const double *seconds, uint64_t count, diag_place at, key_order *order)
{
    uint8_t *times;
    uint64_t changed = 0, kept = 0;
    timed_row *keys = sorted_rows(c->arena, seconds, count);
    order->times = st_view_make(c->arena, count + 1, STELE_F32, 1, &times);
    order->row = st_arena_array(c->arena, count + 1, sizeof *order->row);
    if (!keys || !times || !order->row)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        bool repeated = i + 1 < count && keys[i + 1].time == keys[i].time;
        changed += keys[i].row != i || seconds[keys[i].row] < 0 || repeated;
        if (repeated)
            continue;
        store_f32(times + 4 * kept, keys[i].time);
        order->row[kept++] = keys[i].row;
    }
    order->times.count = kept;
    order->as_they_are = !changed;
    if (changed)
        st_diag(c->diags, DIAG_REPAIRED_TIME, counted(changed, at), "are put in order: none before 0, and one for each time");
    return true;
}

void st_keys_hold(key_order *order, double seconds)
{
    uint64_t last = order->times.count;
    float before = last ? load_f32(st_view_at(&order->times, last - 1)) : 0;
    if (!last || !((float)seconds > before) || seconds > (double)FLT_MAX)
        return;
    store_f32((uint8_t *)st_view_at(&order->times, last), (float)seconds);
    order->row[last] = order->row[last - 1];
    order->times.count++;
    order->as_they_are = false;
}

stele_view st_keys_take(arena *a, const key_order *order, const stele_view *values)
{
    uint8_t *bytes;
    uint32_t size = values->components * stele_type_size(values->type);
    if (order->as_they_are)
        return *values;
    stele_view taken = st_view_make(a, order->times.count, values->type, values->components, &bytes);
    taken.normalized = values->normalized;
    for (uint64_t i = 0; i < taken.count; i++)
        memcpy(bytes + i * size, st_view_at(values, order->row[i]), size);
    return taken;
}

/* ---- Rotations ---- */

static void rotation_at(const stele_view *v, uint64_t row, double q[4])
{
    for (uint32_t i = 0; i < 4; i++)
        q[i] = stele_view_number(v, row, i);
}

static bool nearly_unit(const double q[4])
{
    return fabs(dot4(q, q) - 1) < 1e-5;
}

static bool rotations_fit(const stele_view *v)
{
    double before[4] = {0}, q[4];
    for (uint64_t i = 0; i < v->count; i++) {
        rotation_at(v, i, q);
        if (!nearly_unit(q) || dot4(before, q) < 0)
            return false;
        memcpy(before, q, sizeof q);
    }
    return true;
}

stele_view st_repair_rotations(context *c, const stele_view *rotation, diag_place at)
{
    uint8_t *bytes;
    double before[4] = {0}, q[4];
    uint64_t lengths = 0;
    if (!c->load->repair || rotations_fit(rotation))
        return *rotation;
    stele_view fit = st_view_make(c->arena, rotation->count, STELE_F32, 4, &bytes);
    for (uint64_t i = 0; i < fit.count; i++) {
        rotation_at(rotation, i, q);
        double squared = dot4(q, q);
        lengths += !(squared >= 0.99 * 0.99 && squared <= 1.01 * 1.01);
        if (!nearly_unit(q))
            st_quaternion_normalize(q);
        double side = dot4(before, q) < 0 ? -1 : 1;
        for (uint32_t k = 0; k < 4; k++) {
            q[k] *= side;
            store_f32(bytes + 16 * i + 4 * k, (float)q[k]);
        }
        memcpy(before, q, sizeof q);
    }
    if (lengths)
        st_diag(c->diags, DIAG_REPAIRED_ROTATION, counted(lengths, at), "are not of length 1: they are made so");
    return fit;
}

/* ---- Saving ---- */

/* For each joint: it is the neutral one of a load, and nothing moves it or is below it. NULL without memory. */
static bool *find_neutral(context *c, const flat_model *flat)
{
    const stele_model *model = flat->model;
    bool *neutral = st_arena_array(c->arena, flat->joint_count, sizeof *neutral);
    c->fits &= neutral != NULL;
    if (!neutral)
        return NULL;
    for (size_t i = 0; i < flat->joint_count; i++)
        neutral[i] = flat->joints[i].parent == STELE_NONE &&
                     stele_find_property(&model->nodes[flat->joints[i].node].properties, neutral_key);
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
    *numbers = (joint_numbers){.of = st_arena_array(c->arena, flat->joint_count, sizeof *numbers->of)};
    c->fits &= numbers->of != NULL;
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
    uint64_t unused = 0, curved = 0;
    for (uint32_t i = 0; i < flat->model->clip_count; i++) {
        const stele_clip *clip = &flat->model->clips[i];
        unused += !st_flat_clip_used(flat, i);
        for (size_t k = 0; k < clip->channel_count; k++)
            curved += clip->channels[k].interpolation != STELE_LINEAR && clip->channels[k].path != STELE_MORPH_WEIGHTS;
    }
    st_lose(c, DIAG_LOSS_ANIMATION, unused, "", "only moves joints: %llu clip%s that %s none dropped",
            (unsigned long long)unused, unused == 1 ? "" : "s", unused == 1 ? "moves" : "move");
    st_lose(c, DIAG_LOSS_INTERPOLATION, curved, "", "has straight lines between keys: %llu curve%s or step%s sampled",
            (unsigned long long)curved, curved == 1 ? "" : "s", curved == 1 ? "" : "s");
}

static bool named(const char *name)
{
    return name && *name;
}

void st_report_names(context *c, const flat_model *flat, bool clips_too)
{
    uint64_t count = 0;
    bool *neutral = find_neutral(c, flat);
    for (size_t i = 0; neutral && i < flat->joint_count; i++)
        count += named(flat->joints[i].name) && !neutral[i];
    for (size_t i = 0; i < flat->mesh_count; i++)
        count += named(flat->meshes[i].name);
    for (size_t i = 0; clips_too && i < flat->model->clip_count; i++)
        count += named(flat->model->clips[i].name);
    st_lose(c, DIAG_LOSS_NAME, count, "", "has no names%s: %llu dropped", clips_too ? "" : " but those of clips",
            (unsigned long long)count);
}
