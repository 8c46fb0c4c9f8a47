/* Skins: Assimp gives every mesh bones of its own, by name; the model has one list of joints for as many meshes as agree on how
 * they are bound. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import.h"

struct skin_draft {
    uint32_t *joints; /* places */
    float (*inverse)[16];
    uint32_t count;
    uint32_t *joint_of; /* by place; STELE_NONE: none */
};

enum { MOST_SETS = 2, MOST_INFLUENCES = 4 * MOST_SETS };

/* ---- Which skin ---- */

static bool fits(import *im, const skin_draft *s, const group *g)
{
    for (unsigned i = 0; i < g->count; i++) {
        const struct aiMesh *mesh = im->scene->mMeshes[g->meshes[i]];
        for (unsigned k = 0; k < mesh->mNumBones; k++) {
            uint32_t at = place_of_bone(im, mesh->mBones[k], g->place);
            float inverse[16];
            matrix_of(&mesh->mBones[k]->mOffsetMatrix, inverse);
            if (at != STELE_NONE && s->joint_of[at] != STELE_NONE && !same_matrix(inverse, s->inverse[s->joint_of[at]]))
                return false;
        }
    }
    return true;
}

static void add_joint(import *im, skin_draft *s, uint32_t at, const float inverse[16])
{
    if (s->joint_of[at] != STELE_NONE)
        return;
    if ((s->count & (s->count - 1)) == 0) { /* room for a power of two */
        size_t room = s->count ? 2 * (size_t)s->count : 1;
        uint32_t *joints = take(im, room, sizeof *joints);
        float(*matrices)[16] = take(im, room, sizeof *matrices);
        if (s->count) {
            memcpy(joints, s->joints, s->count * sizeof *joints);
            memcpy(matrices, s->inverse, s->count * sizeof *matrices);
        }
        s->joints = joints;
        s->inverse = matrices;
    }
    memcpy(s->inverse[s->count], inverse, sizeof *s->inverse);
    s->joints[s->count] = at;
    s->joint_of[at] = s->count++;
    im->places[at].joint = true;
}

static skin_draft *new_skin(import *im)
{
    im->skins = realloc(im->skins, (im->skin_count + 1) * sizeof *im->skins);
    if (!im->skins)
        fail(IMPORT_UNREADABLE, "there is not enough memory");
    skin_draft *s = &im->skins[im->skin_count++];
    *s = (skin_draft){.joint_of = take(im, im->place_count, sizeof *s->joint_of)};
    memset(s->joint_of, 0xFF, im->place_count * sizeof *s->joint_of);
    return s;
}

/* Vertices without a bone stay with the node that draws them: it becomes a joint that changes nothing. */
static bool all_weighted(import *im, const struct aiMesh *mesh)
{
    bool *weighted = take(im, mesh->mNumVertices, sizeof *weighted);
    uint64_t count = 0;
    for (unsigned i = 0; i < mesh->mNumBones; i++) {
        const struct aiBone *bone = mesh->mBones[i];
        bool known = place_named(im, &bone->mName) != STELE_NONE;
        for (unsigned k = 0; k < bone->mNumWeights && known; k++) {
            const struct aiVertexWeight *w = &bone->mWeights[k];
            if (w->mVertexId < mesh->mNumVertices && w->mWeight > 0 && !weighted[w->mVertexId]) {
                weighted[w->mVertexId] = true;
                count++;
            }
        }
    }
    return count == mesh->mNumVertices;
}

void plan_skin(import *im, group *g)
{
    static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    g->skin = 0;
    while (g->skin < im->skin_count && !fits(im, &im->skins[g->skin], g))
        g->skin++;
    skin_draft *s = g->skin < im->skin_count ? &im->skins[g->skin] : new_skin(im);
    for (unsigned i = 0; i < g->count; i++) {
        const struct aiMesh *mesh = im->scene->mMeshes[g->meshes[i]];
        for (unsigned k = 0; k < mesh->mNumBones; k++) {
            uint32_t at = place_of_bone(im, mesh->mBones[k], g->place);
            float inverse[16];
            matrix_of(&mesh->mBones[k]->mOffsetMatrix, inverse);
            if (at == STELE_NONE)
                im->unbound++;
            else
                add_joint(im, s, at, inverse);
        }
        if (!all_weighted(im, mesh))
            add_joint(im, s, g->place, identity);
    }
}

/* ---- Weights ---- */

typedef struct influence {
    uint32_t joint;
    float weight;
} influence;

typedef struct influences {
    influence (*of)[MOST_INFLUENCES];
    uint8_t *count;
} influences;

/* The greatest are kept; one joint counts once. */
static void add_influence(influence *list, uint8_t *count, influence new)
{
    unsigned least = 0;
    for (unsigned i = 0; i < *count; i++) {
        if (list[i].joint == new.joint) {
            list[i].weight += new.weight;
            return;
        }
        if (list[i].weight < list[least].weight)
            least = i;
    }
    if (*count < MOST_INFLUENCES)
        list[(*count)++] = new;
    else if (list[least].weight < new.weight)
        list[least] = new;
}

static influences gather(import *im, const struct aiMesh *mesh, const group *g, const skin_draft *s)
{
    influences all = {take(im, mesh->mNumVertices, sizeof *all.of), take(im, mesh->mNumVertices, 1)};
    for (unsigned i = 0; i < mesh->mNumBones; i++) {
        const struct aiBone *bone = mesh->mBones[i];
        uint32_t at = place_of_bone(im, bone, g->place);
        for (unsigned k = 0; k < bone->mNumWeights && at != STELE_NONE; k++) {
            const struct aiVertexWeight *w = &bone->mWeights[k];
            bool counts = w->mVertexId < mesh->mNumVertices && w->mWeight > 0 && isfinite(w->mWeight);
            bool full = counts && all.count[w->mVertexId] == MOST_INFLUENCES;
            if (counts)
                add_influence(all.of[w->mVertexId], &all.count[w->mVertexId], (influence){s->joint_of[at], w->mWeight});
            im->dropped_weights += full;
        }
    }
    return all;
}

/* To a sum of 1; a vertex without any is bound to the joint of its own node. */
static void balance(influence *list, uint8_t *count, uint32_t own)
{
    double sum = 0;
    if (!*count)
        list[(*count)++] = (influence){own == STELE_NONE ? 0 : own, 1};
    for (unsigned i = 0; i < *count; i++)
        sum += (double)list[i].weight;
    for (unsigned i = 0; i < *count; i++)
        list[i].weight = (float)((double)list[i].weight / sum);
}

size_t weigh_mesh(import *im, const struct aiMesh *mesh, const group *g, stele_attribute *attributes)
{
    const skin_draft *s = &im->skins[g->skin];
    influences all = gather(im, mesh, g, s);
    uint64_t vertices = mesh->mNumVertices;
    unsigned sets = 1;
    for (uint64_t i = 0; i < vertices; i++) {
        balance(all.of[i], &all.count[i], s->joint_of[g->place]);
        if (all.count[i] > 4)
            sets = MOST_SETS;
    }
    for (unsigned set = 0; set < sets; set++) {
        uint16_t(*joints)[4] = take(im, vertices, sizeof *joints);
        float(*weights)[4] = take(im, vertices, sizeof *weights);
        for (uint64_t i = 0; i < vertices; i++)
            for (unsigned k = 0; k < 4 && 4 * set + k < all.count[i]; k++) {
                joints[i][k] = (uint16_t)all.of[i][4 * set + k].joint;
                weights[i][k] = all.of[i][4 * set + k].weight;
            }
        stele_view view = {.data = joints, .count = vertices, .stride = sizeof *joints, .components = 4, .type = STELE_U16};
        attributes[2 * set] = (stele_attribute){STELE_JOINTS, set, view};
        attributes[2 * set + 1] = (stele_attribute){STELE_WEIGHTS, set, stele_float_view(&weights[0][0], vertices, 4)};
    }
    return 2 * (size_t)sets;
}

void add_skins(import *im)
{
    for (uint32_t i = 0; i < im->skin_count; i++) {
        skin_draft *s = &im->skins[i];
        stele_skin skin = {.joints = s->joints,
                           .joint_count = s->count,
                           .inverse_bind = stele_float_view(&s->inverse[0][0], s->count, 16),
                           .skeleton = STELE_NONE};
        if (s->count > 0xFFFF)
            fail(IMPORT_FAILED, "a skin has %u joints, and glTF at most 65535", s->count);
        for (uint32_t k = 0; k < s->count; k++)
            s->joints[k] = im->places[s->joints[k]].index;
        stele_add_skin(im->model, &skin);
    }
    lose(im->unbound, "%llu bones that no node has the name of", (unsigned long long)im->unbound);
    lose(im->dropped_weights, "%llu weights of vertices that have more than %d joints", (unsigned long long)im->dropped_weights,
         MOST_INFLUENCES);
}
