/* A model at a time of a clip: where its nodes and vertices are. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "model.h"

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

static matrix matrix_of(const double elements[16])
{
    matrix m;
    memcpy(m.m, elements, sizeof m.m);
    return m;
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
            matrix parent = matrix_of(matrices[node->parent]);
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

static void add_morph(const stele_view *vertices, const stele_view *deltas, double weight, float *result, uint64_t vertex_count)
{
    for (uint64_t i = 0; i < deltas->count; i++) {
        uint64_t vertex = vertices->count ? st_view_index(vertices, i) : i;
        for (uint32_t k = 0; k < 3 && vertex < vertex_count; k++)
            result[3 * vertex + k] = (float)((double)result[3 * vertex + k] + weight * stele_view_number(deltas, i, k));
    }
}

static void copy_rows(const stele_view *view, uint64_t count, float *result)
{
    for (uint64_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < 3; k++)
            result[3 * i + k] = (float)stele_view_number(view, i, k);
}

/* What moves the vertices: one matrix for all, or one for each joint. */
typedef struct mover {
    const stele_skin *skin; /* NULL: rigid */
    const stele_primitive *primitive;
    const double (*matrices)[16];
    matrix rigid;
} mover;

static matrix joint_matrix(const mover *m, uint64_t joint)
{
    float columns[16];
    matrix world = matrix_of(m->matrices[m->skin->joints[joint]]);
    if (joint >= m->skin->inverse_bind.count)
        return world;
    stele_view_row(&m->skin->inverse_bind, joint, columns);
    matrix inverse = st_matrix_of_columns(columns);
    return st_matrix_product(&world, &inverse);
}

static matrix blended_matrix(const mover *m, uint64_t vertex)
{
    matrix sum = {{0}};
    for (size_t i = 0; i < m->primitive->attribute_count; i++) {
        const stele_attribute *joints = &m->primitive->attributes[i];
        const stele_view *weights;
        if (joints->semantic != STELE_JOINTS)
            continue;
        weights = stele_primitive_view(m->primitive, STELE_WEIGHTS, joints->set);
        for (uint32_t k = 0; weights && k < joints->view.components && k < weights->components; k++) {
            double weight = stele_view_number(weights, vertex, k);
            uint64_t joint = (uint64_t)stele_view_number(&joints->view, vertex, k);
            if (weight == 0 || joint >= m->skin->joint_count)
                continue;
            matrix one = joint_matrix(m, joint);
            for (int e = 0; e < 16; e++)
                sum.m[e] += weight * one.m[e];
        }
    }
    return sum;
}

static void move_vertex(const matrix *m, float *position, float *normal)
{
    double p[3] = {(double)position[0], (double)position[1], (double)position[2]}, moved[3];
    st_matrix_point(m, p, moved);
    for (int k = 0; k < 3; k++)
        position[k] = (float)moved[k];
    if (!normal)
        return;
    matrix turn = st_matrix_of_normals(m);
    double n[3] = {(double)normal[0], (double)normal[1], (double)normal[2]};
    st_matrix_direction(&turn, n, moved);
    double length = sqrt(moved[0] * moved[0] + moved[1] * moved[1] + moved[2] * moved[2]);
    for (int k = 0; k < 3 && length > 0; k++)
        normal[k] = (float)(moved[k] / length);
}

static void morph_vertices(const stele_model *model, uint32_t node, const stele_primitive *p, uint32_t clip, double seconds,
                           float *positions, float *normals)
{
    for (size_t i = 0; i < p->morph_count; i++) {
        const stele_morph *morph = &p->morphs[i];
        double weight = st_morph_weight(model, node, clip, seconds, i);
        if (weight == 0)
            continue;
        add_morph(&morph->vertices, &morph->position, weight, positions, p->vertex_count);
        if (normals)
            add_morph(&morph->vertices, &morph->normal, weight, normals, p->vertex_count);
    }
}

bool st_evaluate_vertices(const stele_model *model, uint32_t node, uint32_t primitive, uint32_t clip, double seconds,
                          const double (*matrices)[16], float *positions, float *normals)
{
    const stele_node *n = node < model->node_count ? &model->nodes[node] : NULL;
    if (!n || n->mesh == STELE_NONE || primitive >= model->meshes[n->mesh].primitive_count)
        return false;
    const stele_primitive *p = &model->meshes[n->mesh].primitives[primitive];
    const stele_view *position = stele_primitive_view(p, STELE_POSITION, 0);
    const stele_view *normal = stele_primitive_view(p, STELE_NORMAL, 0);
    mover m = {n->skin == STELE_NONE ? NULL : &model->skins[n->skin], p, matrices, matrix_of(matrices[node])};
    if (!position)
        return false;
    copy_rows(position, p->vertex_count, positions);
    if (normals && normal)
        copy_rows(normal, p->vertex_count, normals);
    morph_vertices(model, node, p, clip, seconds, positions, normal ? normals : NULL);
    for (uint64_t i = 0; i < p->vertex_count; i++) {
        matrix blended = m.skin ? blended_matrix(&m, i) : m.rigid;
        move_vertex(&blended, positions + 3 * i, normals && normal ? normals + 3 * i : NULL);
    }
    return true;
}
