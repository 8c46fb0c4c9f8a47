/* Poses: sampled from clips, blended, made matrices of nodes and of joints. Everything is the caller's memory. */
#include <string.h>

#include "base/matrix.h"
#include "base/turn.h"
#include "columns.h"
#include "model/evaluate.h"
#include "model/sample.h"
#include "model/view.h"

/* ---- By name ---- */

static bool same_name(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

uint32_t stele_find_clip(const stele_model *model, const char *name)
{
    for (size_t i = 0; model && i < model->clip_count; i++)
        if (same_name(model->clips[i].name, name))
            return (uint32_t)i;
    return STELE_NONE;
}

uint32_t stele_find_node(const stele_model *model, const char *name)
{
    for (size_t i = 0; model && i < model->node_count; i++)
        if (same_name(model->nodes[i].name, name))
            return (uint32_t)i;
    return STELE_NONE;
}

/* ---- Sampling ---- */

static bool pose_is_sound(const stele_model *model, const stele_pose *pose)
{
    return model && model->order && pose && (pose->locals || !model->node_count) && pose->local_count >= model->node_count &&
           (!pose->weights || pose->weight_count >= model->weight_count);
}

static size_t morphs_at(const stele_model *model, size_t node)
{
    size_t next = node + 1 < model->node_count ? model->first_weight[node + 1] : model->weight_count;
    return next - model->first_weight[node];
}

static void rest(const stele_model *model, const stele_pose *pose)
{
    for (size_t i = 0; i < model->node_count; i++) {
        const stele_node *n = &model->nodes[i];
        size_t count = morphs_at(model, i);
        pose->locals[i] = n->local;
        if (!pose->weights || !count)
            continue;
        const float *weights = n->weights ? n->weights : model->meshes[n->mesh].weights;
        float *out = pose->weights + model->first_weight[i];
        for (size_t k = 0; k < count; k++)
            out[k] = weights ? weights[k] : 0;
    }
}

static bool same_rows(const stele_view *a, const stele_view *b)
{
    return a->data == b->data && a->count == b->count && a->stride == b->stride && a->type == b->type;
}

static void sample_channel(const stele_model *model, const stele_channel *c, const key_place *place, const stele_pose *pose)
{
    stele_transform *local = &pose->locals[c->node];
    if (c->path == STELE_TRANSLATION)
        st_channel_atf(c, place, 3, local->translation);
    else if (c->path == STELE_ROTATION)
        st_channel_atf(c, place, 4, local->rotation);
    else if (c->path == STELE_SCALE)
        st_channel_atf(c, place, 3, local->scale);
    else if (pose->weights)
        st_channel_atf(c, place, (uint32_t)morphs_at(model, c->node), pose->weights + model->first_weight[c->node]);
}

/* Rotations wait until there are four, which are then turned together. */
enum { TOGETHER = 4 };

typedef struct turning {
    const stele_channel *channels[TOGETHER];
    key_place places[TOGETHER];
    int count;
} turning;

static bool turns_together(const stele_channel *c)
{
    return c->path == STELE_ROTATION && c->interpolation == STELE_LINEAR && c->values.type == STELE_F32 &&
           c->values.components == 4;
}

/* One lane a channel, of the keys before or after. Those that are no rotations leave the mask. */
static int4 load_lanes(const turning *w, bool after, float4 q[4])
{
    const uint8_t *keys[TOGETHER];
    for (int i = 0; i < TOGETHER; i++)
        keys[i] = st_view_at(&w->channels[i]->values, w->places[i].row + (after && w->places[i].fraction != 0));
    for (int e = 0; e < 4; e++)
        q[e] = (float4){load_f32(keys[0] + 4 * e), load_f32(keys[1] + 4 * e), load_f32(keys[2] + 4 * e),
                        load_f32(keys[3] + 4 * e)};
    return is_between(dot4_lanes(q, q) - 1, -(float)ROUNDING_OF_TURNS, (float)ROUNDING_OF_TURNS);
}

static void turn_together(const stele_model *model, const turning *w, const stele_pose *pose)
{
    float4 from[4], to[4], turned[4], t = all_float(0);
    int4 right = load_lanes(w, false, from) & load_lanes(w, true, to);
    for (int i = 0; i < TOGETHER; i++)
        t[i] = (float)w->places[i].fraction;
    right &= st_quaternion_slerp_lanes(from, to, t, turned);
    for (int i = 0; i < TOGETHER; i++)
        if (right[i])
            for (int e = 0; e < 4; e++)
                pose->locals[w->channels[i]->node].rotation[e] = turned[e][i];
        else
            sample_channel(model, w->channels[i], &w->places[i], pose);
}

/* Those that are still waiting: in their order, because the last one that turns a node counts. */
static void turn_rest(const stele_model *model, turning *w, const stele_pose *pose)
{
    for (int i = 0; i < w->count; i++)
        sample_channel(model, w->channels[i], &w->places[i], pose);
    w->count = 0;
}

static void add_turn(const stele_model *model, turning *w, const stele_channel *c, const key_place *place,
                     const stele_pose *pose)
{
    w->channels[w->count] = c;
    w->places[w->count++] = *place;
    if (w->count == TOGETHER) {
        turn_together(model, w, pose);
        w->count = 0;
    }
}

/* Neighbours usually share their times, and then what is found in them. */
static void sample_all(const stele_model *model, const stele_clip *clip, double seconds, uint32_t *keys, const stele_pose *pose)
{
    const stele_channel *last = NULL;
    key_place place = {0, 0, 0};
    turning turning = {.count = 0};
    for (size_t i = 0; i < clip->channel_count; i++) {
        const stele_channel *c = &clip->channels[i];
        if (!c->times.count)
            continue;
        if (!last || !same_rows(&c->times, &last->times))
            place = st_find_key(&c->times, seconds, keys ? &keys[i] : NULL);
        last = c;
        if (turns_together(c)) {
            add_turn(model, &turning, c, &place, pose);
            continue;
        }
        if (c->path == STELE_ROTATION)
            turn_rest(model, &turning, pose);
        sample_channel(model, c, &place, pose);
    }
    turn_rest(model, &turning, pose);
}

stele_status stele_sample(const stele_model *model, uint32_t clip, double seconds, uint32_t *keys, size_t key_count,
                          const stele_pose *pose)
{
    if (!pose_is_sound(model, pose) || !clip_is_there(model, clip))
        return STELE_USAGE;
    const stele_clip *c = clip != STELE_NONE ? &model->clips[clip] : NULL;
    if (c && keys && key_count < c->channel_count)
        return STELE_USAGE;
    rest(model, pose);
    if (c)
        sample_all(model, c, seconds, keys, pose);
    return STELE_OK;
}

/* ---- Blending ---- */

/* All the way is there: a sum with the difference may be rounded to another number. */
static void approach(float *numbers, const float *other, size_t count, float amount)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = amount == 1 ? other[i] : numbers[i] + (other[i] - numbers[i]) * amount;
}

stele_status stele_blend(const stele_model *model, const stele_pose *pose, const stele_pose *other, float amount,
                         const float *amounts, size_t amount_count)
{
    if (!pose_is_sound(model, pose) || !pose_is_sound(model, other) || (amounts && amount_count < model->node_count))
        return STELE_USAGE;
    for (size_t i = 0; i < model->node_count; i++) {
        stele_transform *to = &pose->locals[i];
        const stele_transform *from = &other->locals[i];
        float much = amounts ? amount * amounts[i] : amount, turned[4];
        if (much == 0)
            continue; /* whatever the other has there */
        approach(to->translation, from->translation, 3, much);
        approach(to->scale, from->scale, 3, much);
        st_quaternion_slerpf(to->rotation, from->rotation, much, turned);
        memcpy(to->rotation, turned, sizeof turned);
        if (pose->weights && other->weights)
            approach(pose->weights + model->first_weight[i], other->weights + model->first_weight[i], morphs_at(model, i),
                     much);
    }
    return STELE_OK;
}

/* ---- Matrices ---- */

static void matrix_of(const stele_transform *t, float m[16])
{
    const float *q = t->rotation, x = q[0], y = q[1], z = q[2], w = q[3];
    const float columns[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)},
                                 {2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)},
                                 {2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)}};
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++)
            m[4 * c + r] = columns[c][r] * t->scale[c];
        m[4 * c + 3] = 0;
        m[12 + c] = t->translation[c];
    }
    m[15] = 1;
}

static void product(const float *restrict a, const float *restrict b, float *restrict out)
{
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 4; r++)
            out[4 * c + r] = a[r] * b[4 * c] + a[4 + r] * b[4 * c + 1] + a[8 + r] * b[4 * c + 2] + a[12 + r] * b[4 * c + 3];
}

stele_status stele_node_matrices(const stele_model *model, const stele_pose *pose, float *matrices, size_t matrix_count)
{
    if (!pose_is_sound(model, pose) || (!matrices && model->node_count) || matrix_count < model->node_count)
        return STELE_USAGE;
    for (size_t i = 0; i < model->node_count; i++) {
        uint32_t index = model->order[i];
        const stele_node *node = &model->nodes[index];
        float local[16], *out = matrices + 16 * (size_t)index;
        if (node->matrix)
            memcpy(local, node->matrix, sizeof local);
        else
            matrix_of(&pose->locals[index], local);
        if (node->parent == STELE_NONE)
            memcpy(out, local, sizeof local);
        else
            product(matrices + 16 * (size_t)node->parent, local, out);
    }
    return STELE_OK;
}

static void store_rows(const float m[16], float rows[12])
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
            rows[4 * r + c] = m[4 * c + r];
}

stele_status stele_skin_matrices(const stele_model *model, uint32_t skin, const float *matrices, size_t matrix_count,
                                 uint32_t floats, float *palette, size_t palette_count)
{
    if (!model || skin >= model->skin_count || (floats != 12 && floats != 16))
        return STELE_USAGE;
    static const float none[16];
    const stele_skin *s = &model->skins[skin];
    if (s->joint_count && (!matrices || !palette || matrix_count < model->node_count || palette_count < s->joint_count))
        return STELE_USAGE;
    for (size_t i = 0; i < s->joint_count; i++) {
        const float *joint = matrices + 16 * (size_t)s->joints[i];
        float inverse[16], made[16];
        if (i < s->inverse_bind.count) {
            st_load_rows(&s->inverse_bind, i, 1, 16, none, inverse);
            product(joint, inverse, made);
        } else {
            memcpy(made, joint, sizeof made);
        }
        if (floats == 16)
            memcpy(palette + 16 * i, made, sizeof made);
        else
            store_rows(made, palette + 12 * i);
    }
    return STELE_OK;
}
