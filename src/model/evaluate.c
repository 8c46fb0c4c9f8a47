/* A model at a time of a clip: where its nodes and vertices are. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "evaluate.h"
#include "skin.h"

/* ---- Channels ---- */

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

static const stele_channel *weights_channel(const stele_clip *clip, uint32_t node)
{
    for (size_t i = 0; i < clip->channel_count; i++) {
        const stele_channel *c = &clip->channels[i];
        if (c->node == node && c->path == STELE_MORPH_WEIGHTS && c->times.count)
            return c;
    }
    return NULL;
}

morphing st_morphing(const stele_model *model, uint32_t node_index, uint32_t clip, double seconds)
{
    const stele_node *node = &model->nodes[node_index];
    const stele_mesh *mesh = &model->meshes[node->mesh];
    morphing m = {.weights = node->weights ? node->weights : mesh->weights,
                  .width = mesh->primitive_count ? (uint32_t)mesh->primitives[0].morph_count : 0};
    m.channel = m.width && clip < model->clip_count ? weights_channel(&model->clips[clip], node_index) : NULL;
    if (m.channel)
        m.place = find_key(&m.channel->times, seconds);
    if (m.channel && m.channel->interpolation == STELE_STEP)
        m.place.fraction = 0;
    return m;
}

double st_morph_weight(const morphing *m, size_t morph)
{
    if (!m->channel)
        return m->weights ? (double)m->weights[morph] : 0;
    return m->channel->interpolation == STELE_CUBIC ? cubic(&m->channel->values, &m->place, m->width, (uint32_t)morph)
                                                    : straight(&m->channel->values, &m->place, m->width, (uint32_t)morph);
}

/* Matrices of joints on the stack, for there is no other memory. */
enum { MOST_PREPARED = 256 };

/* ---- What it costs, in units of work ---- */

enum {
    NODE_WORK = 48,
    CHANNEL_WORK = 64,
    VERTEX_WORK = 24,
    INFLUENCE_WORK = 6,
    JOINT_WORK = 64,
    DELTA_WORK = 8,
    MORPH_WORK = 8
};

uint64_t st_work_of_nodes(const stele_model *model, uint32_t clip)
{
    uint64_t channels = clip < model->clip_count ? model->clips[clip].channel_count : 0;
    return NODE_WORK * (uint64_t)model->node_count + CHANNEL_WORK * channels;
}

uint64_t st_work_of_vertices(const stele_model *model, uint32_t node, const stele_primitive *p, uint32_t clip)
{
    uint64_t channels = p->morph_count && clip < model->clip_count ? model->clips[clip].channel_count : 0, deltas = 0, sets = 0;
    uint32_t skin = model->nodes[node].skin;
    uint64_t joints = skin == STELE_NONE ? 0 : model->skins[skin].joint_count;
    for (size_t i = 0; i < p->morph_count; i++)
        deltas += p->morphs[i].position.count;
    for (size_t i = 0; joints && i < p->attribute_count; i++)
        sets += p->attributes[i].semantic == STELE_JOINTS;
    sets = sets < MOST_SETS ? sets : MOST_SETS;
    uint64_t influence = joints > MOST_PREPARED ? JOINT_WORK : INFLUENCE_WORK;
    uint64_t prepared = joints > MOST_PREPARED ? MOST_PREPARED : joints;
    return p->vertex_count * (VERTEX_WORK + 4 * sets * influence) + prepared * JOINT_WORK + deltas * DELTA_WORK +
           p->morph_count * (uint64_t)MORPH_WORK + channels;
}

bool st_evaluate_vertices(const stele_model *model, uint32_t node, uint32_t primitive, uint32_t clip, double seconds,
                          const double (*matrices)[16], float *positions, float *normals)
{
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
    morphing morphs = st_morphing(model, node, clip, seconds);
    for (size_t i = 0; i < p->morph_count; i++) {
        double weight = st_morph_weight(&morphs, i);
        if (weight != 0)
            st_morph(&p->morphs[i], weight, p->vertex_count, moved, turned);
    }
    st_mover_prepare(&m, joints, MOST_PREPARED);
    st_move(&m, 0, p->vertex_count, moved, sizeof *moved, turned);
    return true;
}
