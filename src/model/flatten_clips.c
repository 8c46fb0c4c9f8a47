/* The clips of a flat model: at which times it must be looked at, and where its joints are then. */
#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "evaluate.h"
#include "flatten.h"

enum { MOST_BETWEEN = 64 }; /* samples between two keys of a curve */

/* What is no time, in a file that changes, must not confuse who sorts them. */
static double time_of(const stele_channel *c, uint64_t key)
{
    double time = stele_view_number(&c->times, key, 0);
    return isfinite(time) ? time : 0;
}

/* How many samples a channel needs from a key to the next, the first included. */
static uint64_t samples_between(const stele_channel *c, uint64_t key, double fps)
{
    if (c->interpolation == STELE_STEP)
        return 2;
    if (c->interpolation != STELE_CUBIC)
        return 1;
    double frames = ceil((time_of(c, key + 1) - time_of(c, key)) * fps);
    return frames < 1 ? 1 : frames > MOST_BETWEEN ? MOST_BETWEEN : (uint64_t)frames;
}

uint64_t st_channel_sample_count(const stele_channel *c, double fps)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < c->times.count; i++)
        count += i + 1 < c->times.count ? samples_between(c, i, fps) : 1;
    return count;
}

uint64_t st_channel_samples(const stele_channel *c, double fps, double *times, uint64_t room)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < c->times.count && count < room; i++) {
        double from = time_of(c, i);
        times[count++] = from;
        if (i + 1 == c->times.count)
            break;
        double to = time_of(c, i + 1);
        uint64_t samples = samples_between(c, i, fps);
        samples = samples < room - count + 1 ? samples : room - count + 1;
        if (c->interpolation == STELE_STEP && samples > 1) {
            times[count++] = to - lesser(0.001, (to - from) / 2); /* the value holds until just before the next */
            continue;
        }
        for (uint64_t k = 1; k < samples; k++)
            times[count++] = from + (to - from) * (double)k / (double)samples;
    }
    return count;
}

static int compare_times(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

uint64_t st_sort_times(double *times, uint64_t count)
{
    uint64_t kept = 0;
    qsort(times, (size_t)count, sizeof *times, compare_times);
    for (uint64_t i = 0; i < count; i++)
        if (!kept || times[i] > times[kept - 1] + 1e-6)
            times[kept++] = times[i] + 0.0; /* -0 becomes 0: which of them comes first is up to qsort */
    return kept;
}

static bool moves_joint(const flat_model *flat, const stele_channel *c)
{
    return c->path != STELE_MORPH_WEIGHTS && c->times.count && flat->joint_of_node[c->node] != STELE_NONE;
}

double *st_flat_times(const flat_model *flat, arena *a, uint32_t clip, double fps, uint64_t *count)
{
    const stele_clip *c = &flat->model->clips[clip];
    uint64_t most = 1;
    fps = fps > 0 ? fps : USUAL_FPS;
    *count = 0;
    for (size_t i = 0; i < c->channel_count; i++)
        if (moves_joint(flat, &c->channels[i]))
            most += st_channel_sample_count(&c->channels[i], fps);
    double *times = st_arena_array(a, most, sizeof *times);
    if (!times)
        return NULL;
    for (size_t i = 0; i < c->channel_count; i++)
        if (moves_joint(flat, &c->channels[i]))
            *count += st_channel_samples(&c->channels[i], fps, times + *count, most - *count);
    if (!*count)
        times[(*count)++] = 0;
    *count = st_sort_times(times, *count);
    return times;
}

flat_track *st_flat_tracks(const flat_model *flat, arena *a, uint32_t clip, double fps)
{
    const stele_clip *c = &flat->model->clips[clip];
    flat_track *tracks = st_arena_array(a, flat->joint_count, sizeof *tracks);
    fps = fps > 0 ? fps : USUAL_FPS;
    if (!tracks)
        return NULL;
    for (size_t i = 0; i < c->channel_count; i++)
        if (moves_joint(flat, &c->channels[i]))
            tracks[flat->joint_of_node[c->channels[i].node]].count += st_channel_sample_count(&c->channels[i], fps);
    for (size_t j = 0; j < flat->joint_count; j++) {
        tracks[j].times = st_arena_array(a, tracks[j].count + 2, sizeof *tracks[j].times);
        if (!tracks[j].times)
            return NULL;
        tracks[j].room = tracks[j].count;
        tracks[j].count = 0;
    }
    for (size_t i = 0; i < c->channel_count; i++)
        if (moves_joint(flat, &c->channels[i])) {
            flat_track *t = &tracks[flat->joint_of_node[c->channels[i].node]];
            t->count += st_channel_samples(&c->channels[i], fps, t->times + t->count, t->room - t->count);
        }
    for (size_t j = 0; j < flat->joint_count; j++)
        tracks[j].count = st_sort_times(tracks[j].times, tracks[j].count);
    return tracks;
}

bool st_flat_clip_used(const flat_model *flat, uint32_t clip)
{
    const stele_clip *c = &flat->model->clips[clip];
    for (size_t i = 0; i < c->channel_count; i++)
        if (moves_joint(flat, &c->channels[i]))
            return true;
    return false;
}

bool st_flat_afford(context *c, const flat_model *flat, uint32_t clip, double poses)
{
    enum { JOINT_WORK = 200 }; /* with the key that is made of it */
    uint64_t count = poses < 1e18 ? (uint64_t)poses : (uint64_t)1e18;
    c->fits &= st_work(c->arena, count, st_work_of_nodes(flat->model, clip) + JOINT_WORK * (uint64_t)flat->joint_count);
    return c->fits;
}

void st_flat_pose(context *c, const flat_model *flat, uint32_t clip, double seconds, double (*scratch)[16], matrix *joints)
{
    st_evaluate_nodes(flat->model, clip, seconds, scratch);
    for (size_t i = 0; i < flat->joint_count; i++) {
        matrix world = st_matrix_of_doubles(scratch[flat->joints[i].node]);
        joints[i] = st_matrix_product(&flat->from_model, &world);
        if (st_matrix_fits_floats(&world) && st_matrix_fits_floats(&joints[i]))
            continue;
        if (c->fits)
            st_refuse(c, at_path("", 1), "its clips move joints beyond what floats hold");
        joints[i] = st_matrix_identity();
        memcpy(scratch[flat->joints[i].node], joints[i].m, sizeof joints[i].m);
    }
}
