/* Clips: keys in ticks become keys in seconds, in order, and only where something moves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import.h"

void mark_moving(import *im)
{
    uint64_t namesakes = 0;
    for (unsigned i = 0; i < im->scene->mNumAnimations; i++) {
        const struct aiAnimation *clip = im->scene->mAnimations[i];
        for (unsigned k = 0; k < clip->mNumChannels; k++) {
            const uint32_t *list;
            uint32_t count = places_named(im, &clip->mChannels[k]->mNodeName, &list);
            if (count)
                im->places[list[0]].moves = true;
            namesakes += count > 1 ? count - 1 : 0;
        }
    }
    lose(namesakes, "how %llu nodes move that have the name of another, which Assimp cannot tell apart",
         (unsigned long long)namesakes);
}

/* One clip in the making. */
typedef struct making {
    import *im;
    double ticks; /* a second */
    double start; /* ticks: keys before zero move all others */
    stele_channel *channels;
    size_t count;
    double end; /* seconds */
} making;

/* A key as all kinds have it: up to four numbers. */
typedef struct key {
    double ticks;
    unsigned order; /* in the file */
    float value[4];
} key;

static int compare_keys(const void *a, const void *b)
{
    const key *left = a, *right = b;
    if (left->ticks != right->ticks)
        return left->ticks < right->ticks ? -1 : 1;
    return left->order < right->order ? -1 : 1;
}

static void add_channel(making *m, uint32_t node, stele_channel_path path, stele_interpolation interpolation,
                        const float *times, uint64_t count, stele_view values)
{
    m->channels[m->count++] = (stele_channel){node, path, interpolation, stele_float_view(times, count, 1), values};
    m->end = fmax(m->end, (double)times[count - 1]);
}

/* Sorted, without keys of the same time (the last one counts), of length 1 if they are rotations. */
static uint64_t tidy(making *m, key *keys, unsigned count, unsigned components, float *times, float *values)
{
    uint64_t kept = 0;
    bool sorted = true;
    for (unsigned i = 1; i < count; i++)
        sorted = sorted && keys[i - 1].ticks <= keys[i].ticks;
    if (!sorted)
        qsort(keys, count, sizeof *keys, compare_keys);
    for (unsigned i = 0; i < count; i++) {
        float time = (float)((keys[i].ticks - m->start) / m->ticks);
        if (!isfinite(time))
            continue;
        if (kept && time <= times[kept - 1])
            kept--;
        times[kept] = time;
        memcpy(values + kept++ * components, keys[i].value, components * sizeof *values);
    }
    return kept;
}

static bool rests(const float *values, uint64_t count, unsigned components, const float *rest)
{
    for (uint64_t i = 0; i < count; i++)
        for (unsigned k = 0; k < components; k++)
            if (!(fabsf(values[i * components + k] - rest[k]) <= 1e-6f * fmaxf(1, fabsf(rest[k]))))
                return false;
    return true;
}

static void add_keys(making *m, const place *p, stele_channel_path path, key *keys, unsigned count)
{
    unsigned components = path == STELE_ROTATION ? 4 : 3;
    stele_transform local;
    float *times = take(m->im, count, sizeof *times), *values = take(m->im, (uint64_t)count * components, sizeof *values);
    uint64_t kept = tidy(m, keys, count, components, times, values);
    split_matrix(&p->node->mTransformation, &local);
    const float *rest = path == STELE_TRANSLATION ? local.translation : path == STELE_ROTATION ? local.rotation : local.scale;
    if (kept && !rests(values, kept, components, rest))
        add_channel(m, p->index, path, STELE_LINEAR, times, kept, stele_float_view(values, kept, components));
}

static key *vector_keys(import *im, const struct aiVectorKey *given, unsigned count)
{
    key *keys = take(im, count, sizeof *keys);
    for (unsigned i = 0; i < count; i++) {
        keys[i] = (key){given[i].mTime, i, {given[i].mValue.x, given[i].mValue.y, given[i].mValue.z, 0}};
        im->bad_numbers += !finite_or_zero(keys[i].value, 3);
    }
    return keys;
}

static key *rotation_keys(import *im, const struct aiQuatKey *given, unsigned count)
{
    key *keys = take(im, count, sizeof *keys);
    for (unsigned i = 0; i < count; i++) {
        const struct aiQuaternion *q = &given[i].mValue;
        double length = sqrt((double)q->x * (double)q->x + (double)q->y * (double)q->y + (double)q->z * (double)q->z +
                             (double)q->w * (double)q->w);
        bool turns = length > 0 && length < INFINITY;
        keys[i] = (key){given[i].mTime, i, {q->x, q->y, q->z, q->w}};
        for (int k = 0; k < 4; k++)
            keys[i].value[k] = turns ? (float)((double)keys[i].value[k] / length) : k == 3;
        im->bad_numbers += !turns;
    }
    return keys;
}

static void add_moves(making *m, const struct aiNodeAnim *given)
{
    uint32_t at = place_named(m->im, &given->mNodeName);
    if (at == STELE_NONE)
        return;
    const place *p = &m->im->places[at];
    if (given->mNumPositionKeys)
        add_keys(m, p, STELE_TRANSLATION, vector_keys(m->im, given->mPositionKeys, given->mNumPositionKeys),
                 given->mNumPositionKeys);
    if (given->mNumRotationKeys)
        add_keys(m, p, STELE_ROTATION, rotation_keys(m->im, given->mRotationKeys, given->mNumRotationKeys),
                 given->mNumRotationKeys);
    if (given->mNumScalingKeys)
        add_keys(m, p, STELE_SCALE, vector_keys(m->im, given->mScalingKeys, given->mNumScalingKeys), given->mNumScalingKeys);
}

/* ---- Morphs ---- */

static bool same_string(const struct aiString *a, const struct aiString *b)
{
    return strcmp(a->data, b->data) == 0;
}

/* The name is that of the node or of the mesh, and in FBX followed by a star and more. */
static bool is_meant(const import *im, const place *p, const group *g, const struct aiString *name)
{
    struct aiString plain = *name;
    char *star = strchr(plain.data, '*');
    if (star)
        *star = 0;
    if (same_string(&p->node->mName, name) || same_string(&p->node->mName, &plain))
        return true;
    for (unsigned i = 0; i < g->count; i++) {
        const struct aiString *mesh = &im->scene->mMeshes[g->meshes[i]]->mName;
        if (mesh->length && (same_string(mesh, name) || same_string(mesh, &plain)))
            return true;
    }
    return false;
}

static void add_weights(making *m, uint32_t node, unsigned morphs, const struct aiMeshMorphAnim *given)
{
    float *times = take(m->im, given->mNumKeys, sizeof *times);
    float *values = take(m->im, (uint64_t)given->mNumKeys * morphs, sizeof *values);
    uint64_t kept = 0;
    for (unsigned i = 0; i < given->mNumKeys; i++) {
        const struct aiMeshMorphKey *k = &given->mKeys[i];
        float time = (float)((k->mTime - m->start) / m->ticks);
        if (!isfinite(time) || (kept && time <= times[kept - 1]))
            continue;
        for (unsigned j = 0; j < k->mNumValuesAndWeights; j++)
            if (k->mValues[j] < morphs && isfinite((float)k->mWeights[j]))
                values[kept * morphs + k->mValues[j]] = (float)k->mWeights[j];
        times[kept++] = time;
    }
    if (kept)
        add_channel(m, node, STELE_MORPH_WEIGHTS, STELE_LINEAR, times, kept, stele_float_view(values, kept * morphs, 1));
}

static void add_morphing(making *m, const struct aiMeshMorphAnim *given)
{
    const import *im = m->im;
    for (uint32_t i = 0; i < im->place_count; i++)
        for (uint32_t k = 0; k < im->places[i].drawn_count; k++) {
            const drawn *d = &im->drawn[im->places[i].first_drawn + k];
            unsigned morphs = im->scene->mMeshes[d->group->meshes[0]]->mNumAnimMeshes;
            if (morphs && is_meant(im, &im->places[i], d->group, &given->mName))
                add_weights(m, d->node, morphs, given);
        }
}

/* ---- Whole clips ---- */

static double first_tick(const struct aiAnimation *clip)
{
    double first = 0;
    for (unsigned i = 0; i < clip->mNumChannels; i++) {
        const struct aiNodeAnim *c = clip->mChannels[i];
        for (unsigned k = 0; k < c->mNumPositionKeys; k++)
            first = fmin(first, c->mPositionKeys[k].mTime);
        for (unsigned k = 0; k < c->mNumRotationKeys; k++)
            first = fmin(first, c->mRotationKeys[k].mTime);
        for (unsigned k = 0; k < c->mNumScalingKeys; k++)
            first = fmin(first, c->mScalingKeys[k].mTime);
    }
    for (unsigned i = 0; i < clip->mNumMorphMeshChannels; i++)
        for (unsigned k = 0; k < clip->mMorphMeshChannels[i]->mNumKeys; k++)
            first = fmin(first, clip->mMorphMeshChannels[i]->mKeys[k].mTime);
    return isfinite(first) ? first : 0;
}

static bool has_channel(const making *m, uint32_t node, stele_channel_path path, size_t before)
{
    for (size_t i = 0; i < before; i++)
        if (m->channels[i].node == node && m->channels[i].path == path)
            return true;
    return false;
}

/* A node moves once in a clip: where names are not unique, the first one counts. */
static void drop_doubles(making *m)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->count; i++)
        if (!has_channel(m, m->channels[i].node, m->channels[i].path, kept))
            m->channels[kept++] = m->channels[i];
    m->count = kept;
}

/* Of one, or of several that are played together. */
static void add_clip(import *im, struct aiAnimation *const *given, unsigned count)
{
    making m = {.im = im, .ticks = im->format.real_ticks};
    uint64_t room = 0;
    if (!(m.ticks > 0))
        m.ticks = given[0]->mTicksPerSecond > 0 ? given[0]->mTicksPerSecond : im->format.ticks;
    for (unsigned i = 0; i < count; i++) {
        m.start = fmin(m.start, first_tick(given[i]));
        room += 3 * (uint64_t)given[i]->mNumChannels + (uint64_t)given[i]->mNumMorphMeshChannels * im->drawn_count;
    }
    m.channels = take(im, room, sizeof *m.channels);
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 0; k < given[i]->mNumChannels; k++)
            add_moves(&m, given[i]->mChannels[k]);
        for (unsigned k = 0; k < given[i]->mNumMorphMeshChannels; k++)
            add_morphing(&m, given[i]->mMorphMeshChannels[k]);
        lose(given[i]->mNumMeshChannels, "%u animations of single vertices, in clip %s", given[i]->mNumMeshChannels,
             given[i]->mName.data);
    }
    drop_doubles(&m);
    stele_clip clip = {.name = given[0]->mName.length ? given[0]->mName.data : NULL,
                       .duration = m.end,
                       .channels = m.channels,
                       .channel_count = m.count};
    if (m.count)
        stele_add_clip(im->model, &clip);
}

/* Whether no node is moved by two of them, and all count time in the same way. */
static bool can_be_one(import *im)
{
    const struct aiScene *scene = im->scene;
    bool *moved = take(im, im->place_count, sizeof *moved);
    for (unsigned i = 0; i < scene->mNumAnimations; i++) {
        const struct aiAnimation *clip = scene->mAnimations[i];
        if (clip->mTicksPerSecond != scene->mAnimations[0]->mTicksPerSecond || clip->mNumMorphMeshChannels)
            return false;
        for (unsigned k = 0; k < clip->mNumChannels; k++) {
            uint32_t at = place_named(im, &clip->mChannels[k]->mNodeName);
            if (at != STELE_NONE && moved[at])
                return false;
            if (at != STELE_NONE)
                moved[at] = true;
        }
    }
    return true;
}

void add_clips(import *im)
{
    struct aiAnimation *const *clips = im->scene->mAnimations;
    unsigned count = im->scene->mNumAnimations;
    bool one = count > 1 && im->format.one_clip && can_be_one(im);
    for (unsigned i = 0; i < count; i += one ? count : 1)
        add_clip(im, clips + i, one ? count : 1);
}
