/* A model at a time of a clip: where its nodes and vertices are. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "evaluate.h"
#include "skin.h"

/* ---- Channels ---- */

/* A time between two keys: the row before it, and how far it is to the next (0 at or beyond the ends). */
typedef struct key_place {
    uint64_t row;
    double fraction, seconds; /* seconds from that row to the next */
} key_place;

static key_place find_key(const stele_view *times, double seconds)
{
    uint64_t low = 0, high = times->count - 1;
    if (!(seconds > stele_view_number(times, 0, 0)))
        return (key_place){0, 0, 0};
    if (seconds >= stele_view_number(times, high, 0))
        return (key_place){high, 0, 0};
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (stele_view_number(times, middle, 0) <= seconds)
            low = middle;
        else
            high = middle;
    }
    double from = stele_view_number(times, low, 0), to = stele_view_number(times, high, 0);
    return (key_place){low, (seconds - from) / (to - from), to - from};
}

/* The numbers of a key: row after row of a view, as many as the channel has a key. */
static double key_number(const stele_view *values, uint64_t row, uint32_t width, uint32_t i)
{
    uint64_t at = row * width + i; /* morph weights are rows of one number, the others rows of width */
    return stele_view_number(values, at / values->components, (uint32_t)(at % values->components));
}

static double cubic(const stele_view *values, const key_place *place, uint32_t width, uint32_t i)
{
    double t = place->fraction, t2 = t * t, t3 = t2 * t;
    double from = key_number(values, 3 * place->row + 1, width, i);
    if (t == 0)
        return from;
    double out = key_number(values, 3 * place->row + 2, width, i) * place->seconds;
    double in = key_number(values, 3 * place->row + 3, width, i) * place->seconds;
    double to = key_number(values, 3 * place->row + 4, width, i);
    return (2 * t3 - 3 * t2 + 1) * from + (t3 - 2 * t2 + t) * out + (-2 * t3 + 3 * t2) * to + (t3 - t2) * in;
}

static double straight(const stele_view *values, const key_place *place, uint32_t width, uint32_t i)
{
    double from = key_number(values, place->row, width, i);
    if (place->fraction == 0)
        return from;
    return from + (key_number(values, place->row + 1, width, i) - from) * place->fraction;
}

/* What is a rotation but for rounding stays as it is. */
static void key_rotation(const stele_view *values, uint64_t row, double q[4])
{
    double squared = 0;
    for (uint32_t i = 0; i < 4; i++) {
        q[i] = key_number(values, row, 4, i);
        squared += q[i] * q[i];
    }
    if (!(fabs(squared - 1) < 1e-5))
        st_quaternion_normalize(q);
}

static void turn(const stele_view *values, const key_place *place, double result[4])
{
    double from[4], to[4];
    key_rotation(values, place->row, from);
    key_rotation(values, place->row + (place->fraction != 0), to);
    st_quaternion_slerp(from, to, place->fraction, result);
}

static void channel_at(const stele_channel *c, double seconds, uint32_t width, double *result)
{
    key_place place = find_key(&c->times, seconds);
    if (c->interpolation == STELE_STEP)
        place.fraction = 0;
    if (c->path == STELE_ROTATION && c->interpolation != STELE_CUBIC) {
        turn(&c->values, &place, result);
        return;
    }
    for (uint32_t i = 0; i < width; i++)
        result[i] =
            c->interpolation == STELE_CUBIC ? cubic(&c->values, &place, width, i) : straight(&c->values, &place, width, i);
    if (c->path == STELE_ROTATION)
        st_quaternion_normalize(result);
}

/* ---- Nodes ---- */

/* The transform of a node waits in the place of its matrix until all channels have changed it. */
_Static_assert(sizeof(transform) <= sizeof(double[16]), "a transform fits where a matrix will be");

static void animate(const stele_clip *clip, double seconds, double (*matrices)[16])
{
    for (size_t i = 0; i < clip->channel_count; i++) {
        const stele_channel *c = &clip->channels[i];
        transform t;
        if (!c->times.count || c->path == STELE_MORPH_WEIGHTS)
            continue;
        memcpy(&t, matrices[c->node], sizeof t);
        if (c->path == STELE_TRANSLATION)
            channel_at(c, seconds, 3, t.translation);
        else if (c->path == STELE_ROTATION)
            channel_at(c, seconds, 4, t.rotation);
        else
            channel_at(c, seconds, 3, t.scale);
        memcpy(matrices[c->node], &t, sizeof t);
    }
}

void st_evaluate_nodes(const stele_model *model, uint32_t clip, double seconds, double (*matrices)[16])
{
    for (size_t i = 0; i < model->node_count; i++) {
        transform t = st_transform_of(&model->nodes[i].local);
        memcpy(matrices[i], &t, sizeof t);
    }
    if (clip < model->clip_count)
        animate(&model->clips[clip], seconds, matrices);
    for (size_t i = 0; i < model->node_count; i++) {
        const stele_node *node = &model->nodes[model->order[i]];
        double *place = matrices[model->order[i]];
        transform t;
        memcpy(&t, place, sizeof t);
        matrix m = node->matrix ? st_matrix_of_columns(node->matrix) : st_transform_matrix(&t);
        if (node->parent != STELE_NONE) {
            matrix parent = st_matrix_of_doubles(matrices[node->parent]);
            m = st_matrix_product(&parent, &m);
        }
        memcpy(place, m.m, sizeof m.m);
    }
}

/* ---- Vertices ---- */

double st_morph_weight(const stele_model *model, uint32_t node_index, uint32_t clip, double seconds, size_t morph)
{
    const stele_node *node = &model->nodes[node_index];
    const stele_mesh *mesh = &model->meshes[node->mesh];
    const stele_clip *c = clip < model->clip_count ? &model->clips[clip] : NULL;
    for (size_t i = 0; c && i < c->channel_count; i++) {
        const stele_channel *channel = &c->channels[i];
        if (channel->node != node_index || channel->path != STELE_MORPH_WEIGHTS || !channel->times.count)
            continue;
        uint32_t width = (uint32_t)mesh->primitives[0].morph_count;
        key_place place = find_key(&channel->times, seconds);
        if (channel->interpolation == STELE_STEP)
            place.fraction = 0;
        return channel->interpolation == STELE_CUBIC ? cubic(&channel->values, &place, width, (uint32_t)morph)
                                                     : straight(&channel->values, &place, width, (uint32_t)morph);
    }
    if (node->weights)
        return (double)node->weights[morph];
    return mesh->weights ? (double)mesh->weights[morph] : 0;
}

bool st_evaluate_vertices(const stele_model *model, uint32_t node, uint32_t primitive, uint32_t clip, double seconds,
                          const double (*matrices)[16], float *positions, float *normals)
{
    enum { MOST_PREPARED = 256 }; /* on the stack, for there is no other memory */
    double joints[MOST_PREPARED][12];
    float(*moved)[3] = (float(*)[3])positions, (*turned)[3] = (float(*)[3])normals;
    const stele_node *n = node < model->node_count ? &model->nodes[node] : NULL;
    if (!n || n->mesh == STELE_NONE || primitive >= model->meshes[n->mesh].primitive_count)
        return false;
    const stele_primitive *p = &model->meshes[n->mesh].primitives[primitive];
    const stele_view *position = stele_primitive_view(p, STELE_POSITION, 0);
    const stele_view *normal = stele_primitive_view(p, STELE_NORMAL, 0);
    if (!position)
        return false;
    mover m = st_mover(model, node, p, matrices);
    st_view_triples(position, 0, p->vertex_count, moved, sizeof *moved);
    if (!normal)
        turned = NULL;
    if (turned)
        st_view_triples(normal, 0, p->vertex_count, turned, sizeof *turned);
    for (size_t i = 0; i < p->morph_count; i++) {
        double weight = st_morph_weight(model, node, clip, seconds, i);
        if (weight != 0)
            st_morph(&p->morphs[i], weight, p->vertex_count, moved, turned);
    }
    st_mover_prepare(&m, joints, MOST_PREPARED);
    st_move(&m, 0, p->vertex_count, moved, sizeof *moved, turned);
    return true;
}
