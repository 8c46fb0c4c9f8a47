/* Clips of a model as glTF animations. */
#include <string.h>

#include "base/bytes.h"
#include "base/scan.h"
#include "save.h"

/* A channel as it is written. No keys: it is not. */
typedef struct curve {
    const stele_channel *channel;
    stele_view times, values;
    stele_interpolation interpolation;
} curve;

/* What of a clip could not be written. */
typedef struct clip_losses {
    uint64_t channels, keys;
} clip_losses;

static uint64_t morphs_at(const writer *w, uint32_t node)
{
    uint32_t mesh = w->model->nodes[node].mesh;
    return mesh == STELE_NONE || w->mesh_map[mesh] == STELE_NONE ? 0 : morphs_of(&w->model->meshes[mesh]);
}

/* How many rows of values a key has; 0: it makes no sense. */
static uint64_t rows_of_key(const writer *w, const stele_channel *c)
{
    bool weights = c->path == STELE_MORPH_WEIGHTS;
    uint32_t components = weights ? 1 : c->path == STELE_ROTATION ? 4 : 3;
    uint64_t rows = (c->interpolation == STELE_CUBIC ? 3 : 1) * (weights ? morphs_at(w, c->node) : 1);
    if (!rows || c->values.components != components || c->times.components != 1)
        return 0;
    return c->values.count / rows < c->times.count ? 0 : rows;
}

/* ---- Keys in order ---- */

static bool comes_after(const stele_view *times, uint64_t row, float last)
{
    float time = load_f32(st_view_at(times, row));
    return time >= 0 && (row == 0 || time > last);
}

static bool in_order(const stele_view *times)
{
    for (uint64_t i = 0; i < times->count; i++)
        if (!comes_after(times, i, i ? load_f32(st_view_at(times, i - 1)) : 0))
            return false;
    return true;
}

static void copy_rows(const stele_view *from, uint64_t row, uint8_t *to, uint64_t to_row, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        memcpy(to + (to_row + i) * from->components * 4, st_view_at(from, row + i), (size_t)from->components * 4);
}

/* Leaves out keys before 0 and those that are not later than the one before them. */
static void put_in_order(writer *w, curve *k, uint64_t rows, clip_losses *losses)
{
    uint8_t *times, *values;
    uint64_t kept = 0;
    float last = -1;
    stele_view t = st_view_make(w->arena, k->times.count, STELE_F32, 1, &times);
    stele_view v = st_view_make(w->arena, k->values.count, STELE_F32, k->values.components, &values);
    if (!times || !values) {
        w->packer.failed = true;
        return;
    }
    for (uint64_t i = 0; i < k->times.count; i++) {
        float time = load_f32(st_view_at(&k->times, i));
        if (!(time >= 0 && time > last))
            continue;
        last = time;
        store_f32(times + 4 * kept, time);
        copy_rows(&k->values, i * rows, values, kept++ * rows, rows);
    }
    losses->keys += k->times.count - kept;
    t.count = kept;
    v.count = kept * rows;
    k->times = t;
    k->values = v;
}

/* ---- Values as glTF wants them ---- */

/* Rotations of length 1, those of a cubic channel without its tangents. */
static void make_units(writer *w, curve *k)
{
    uint64_t step = k->interpolation == STELE_CUBIC ? 3 : 1;
    bool copied = false;
    for (uint64_t i = step / 2; i < k->values.count; i += step) {
        float q[4];
        stele_view_row(&k->values, i, q);
        if (!st_gltf_make_unit(q))
            continue;
        if (!copied)
            k->values = st_pack_floats(&w->packer, &k->values);
        if (!k->values.data)
            return;
        copied = true;
        for (int c = 0; c < 4; c++)
            store_f32((uint8_t *)st_view_at(&k->values, i) + 4 * c, q[c]);
    }
}

/* A single key has no curve. */
static void straighten_single(curve *k, uint64_t rows)
{
    if (k->interpolation != STELE_CUBIC || k->times.count != 1)
        return;
    k->interpolation = STELE_STEP;
    k->values.count = rows / 3;
    k->values.data = st_view_at(&k->values, rows / 3);
}

static stele_view floats(writer *w, const stele_view *v)
{
    return v->type == STELE_F32 ? *v : st_pack_floats(&w->packer, v);
}

static curve prepare(writer *w, const stele_channel *c, clip_losses *losses, const char *path)
{
    curve k = {.channel = c, .times = floats(w, &c->times), .values = floats(w, &c->values), .interpolation = c->interpolation};
    uint64_t rows = rows_of_key(w, c);
    if (!rows || !c->times.count || w->packer.failed) {
        losses->channels++;
        k.times.count = 0;
        return k;
    }
    k.values.count = k.times.count * rows;
    if (st_scan_nonfinite_rows(k.times.data, k.times.count, k.times.stride, 1) ||
        st_scan_nonfinite_rows(k.values.data, k.values.count, k.values.stride, k.values.components))
        st_gltf_refuse(w, path, "NaN or infinity in a key");
    if (!in_order(&k.times))
        put_in_order(w, &k, rows, losses);
    straighten_single(&k, rows);
    if (c->path == STELE_ROTATION)
        make_units(w, &k);
    return k;
}

/* ---- Channels ---- */

static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
static const char *const interpolations[] = {"LINEAR", "STEP", "CUBICSPLINE"};

/* Two channels of a clip for the same target are not allowed: the first stays. */
static bool first_for_target(writer *w, const stele_channel *c)
{
    uint8_t bit = (uint8_t)(1 << c->path);
    bool first = !(w->animated[c->node] & bit);
    w->animated[c->node] |= bit;
    return first;
}

static void put_samplers(writer *w, const curve *curves, size_t count)
{
    st_put_array(&w->json, "samplers");
    for (size_t i = 0; i < count; i++) {
        st_put_object(&w->json, NULL);
        st_put_uint(&w->json, "input", st_pack_times(&w->packer, &curves[i].times));
        st_put_uint(&w->json, "output", st_pack_rows(&w->packer, &curves[i].values, USE_KEYS));
        if (curves[i].interpolation != STELE_LINEAR)
            st_put_string(&w->json, "interpolation", interpolations[curves[i].interpolation]);
        st_put_end_object(&w->json);
    }
    st_put_end_array(&w->json);
}

static void put_channels(writer *w, const curve *curves, size_t count)
{
    st_put_array(&w->json, "channels");
    for (size_t i = 0; i < count; i++) {
        st_put_object(&w->json, NULL);
        st_put_uint(&w->json, "sampler", i);
        st_put_object(&w->json, "target");
        st_put_uint(&w->json, "node", curves[i].channel->node);
        st_put_string(&w->json, "path", paths[curves[i].channel->path]);
        st_put_end_object(&w->json);
        st_put_end_object(&w->json);
    }
    st_put_end_array(&w->json);
}

static size_t prepare_curves(writer *w, uint32_t index, curve *curves, clip_losses *losses)
{
    const stele_clip *clip = &w->model->clips[index];
    char path[WALK_PATH];
    size_t count = 0;
    for (size_t i = 0; i < clip->channel_count; i++)
        w->animated[clip->channels[i].node] = 0;
    for (size_t i = 0; i < clip->channel_count; i++) {
        st_path(path, "clip[%u].channel[%u]", index, (unsigned)i);
        curves[count] = prepare(w, &clip->channels[i], losses, path);
        if (!curves[count].times.count)
            continue;
        if (first_for_target(w, &clip->channels[i]))
            count++;
        else
            losses->channels++;
    }
    return count;
}

/* False if nothing of it can be written: glTF has no empty animations. */
static bool put_clip(writer *w, uint32_t index, clip_losses *losses)
{
    const stele_clip *clip = &w->model->clips[index];
    curve *curves = st_arena_array(w->arena, clip->channel_count, sizeof *curves);
    size_t count = curves ? prepare_curves(w, index, curves, losses) : 0;
    w->packer.failed |= !curves;
    if (!count || w->packer.failed)
        return false;
    if (!w->any_clip)
        st_put_array(&w->json, "animations");
    w->any_clip = true;
    st_put_object(&w->json, NULL);
    st_gltf_put_name(w, clip->name);
    put_samplers(w, curves, count);
    put_channels(w, curves, count);
    st_gltf_put_extras(w, &clip->properties, NULL, NULL);
    st_put_end_object(&w->json);
    return true;
}

void st_gltf_put_clips(writer *w)
{
    clip_losses losses = {0};
    uint64_t dropped = 0;
    w->animated = st_arena_alloc(w->arena, w->model->node_count);
    w->packer.failed |= !w->animated;
    for (uint32_t i = 0; i < w->model->clip_count && !w->packer.failed; i++)
        dropped += !put_clip(w, i, &losses);
    if (w->any_clip)
        st_put_end_array(&w->json);
    st_lose(w->c, DIAG_LOSS_ANIMATION, dropped, "", "has no empty clips: %llu dropped", (unsigned long long)dropped);
    st_lose(w->c, DIAG_LOSS_ANIMATION, losses.channels, "",
            "has no channels without keys or for what another one moves: %llu dropped", (unsigned long long)losses.channels);
    st_lose(w->c, DIAG_LOSS_ANIMATION, losses.keys, "", "has no keys before 0 and no two at one time: %llu dropped",
            (unsigned long long)losses.keys);
}
