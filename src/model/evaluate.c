/* A model at a time of a clip: where its nodes and vertices are. */
#include <string.h>

#include "evaluate.h"
#include "sample.h"
#include "skin.h"

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
        key_place place = st_find_key(&c->times, seconds, NULL);
        if (c->path == STELE_TRANSLATION)
            st_channel_at(c, &place, 3, t.translation);
        else if (c->path == STELE_ROTATION)
            st_channel_at(c, &place, 4, t.rotation);
        else
            st_channel_at(c, &place, 3, t.scale);
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
        m.place = st_key_place(m.channel, seconds);
    return m;
}

double st_morph_weight(const morphing *m, size_t morph)
{
    if (!m->channel)
        return m->weights ? (double)m->weights[morph] : 0;
    return st_channel_number(m->channel, &m->place, m->width, (uint32_t)morph);
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
    st_move(&m, 0, p->vertex_count, moved, sizeof *moved, turned, NULL);
    return true;
}
