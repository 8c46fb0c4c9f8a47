/* SGA as a model: bones rest without rotation where their heads are, keys are changes to that. docs/formats/sga.md has the
 * formulas. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/order.h"
#include "model/keys.h"
#include "raw.h"

static const float half_turn[4] = {0, 1, 0, 0};

uint32_t st_rayne_root(context *c)
{
    stele_node root = stele_default_node();
    root.name = *c->load->name ? c->load->name : NULL;
    memcpy(root.local.rotation, half_turn, sizeof half_turn);
    return st_model_add_node(c->load->model, c->arena, &root);
}

matrix st_rayne_axes(void)
{
    return (matrix){{-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1}};
}

/* ---- Bones ---- */

static uint32_t add_joint(context *c, const char *name, uint32_t parent, sga_skeleton *skeleton)
{
    stele_node node = stele_default_node();
    node.name = name;
    node.parent = parent;
    uint32_t index = st_model_add_node(c->load->model, c->arena, &node);
    skeleton->joints[skeleton->joint_count++] = index;
    return index;
}

/* Of the joints below another: children are listed by their parents. */
static void place_child(context *c, sga_skeleton *s, uint32_t parent, uint32_t child)
{
    if (child >= s->joint_count)
        return; /* the file changed */
    stele_node *node = st_model_node(c->load->model, s->joints[child]);
    node->parent = s->joints[parent];
    for (unsigned i = 0; i < 3; i++)
        node->local.translation[i] = (float)((double)s->heads[3 * child + i] - (double)s->heads[3 * parent + i]);
}

bool st_sga_load_bones(context *c, const sga_file *f, uint32_t root, sga_skeleton *skeleton)
{
    stele_node armature = stele_default_node();
    size_t room = (size_t)f->bone_count + 1;
    armature.name = st_text_string(c->arena, &f->skeleton);
    armature.parent = root;
    *skeleton = (sga_skeleton){.name = armature.name,
                               .armature = st_model_add_node(c->load->model, c->arena, &armature),
                               .joints = st_arena_array(c->arena, room, sizeof *skeleton->joints),
                               .heads = st_arena_array(c->arena, 3 * room, sizeof *skeleton->heads)};
    if (!skeleton->joints || !skeleton->heads)
        return false;
    for (unsigned i = 0; i < f->bone_count; i++) {
        uint32_t joint = add_joint(c, st_text_string(c->arena, &f->bone[i].name), skeleton->armature, skeleton);
        if (joint == STELE_NONE)
            return false;
        st_part_at(c, STELE_PART_NODE, joint, at_item(&f->bone[i]));
        for (unsigned k = 0; k < 3; k++)
            skeleton->heads[3 * i + k] = load_f32(f->bone[i].position.data + 4 * k);
        memcpy(st_model_node(c->load->model, joint)->local.translation, skeleton->heads + 3 * i, 3 * sizeof(float));
    }
    for (unsigned i = 0; i < f->bone_count; i++)
        for (unsigned k = 0; k < f->bone[i].child_count; k++)
            place_child(c, skeleton, i, settled_u32(load_u16(f->bone[i].child.data + 2 * k)));
    return true;
}

bool st_sga_add_neutral(context *c, sga_skeleton *skeleton)
{
    return add_joint(c, "neutral", skeleton->armature, skeleton) != STELE_NONE;
}

uint32_t st_sga_add_skin(context *c, const sga_skeleton *s)
{
    uint8_t *bytes;
    stele_skin skin = {.name = s->name,
                       .joints = s->joints,
                       .joint_count = s->joint_count,
                       .inverse_bind = st_view_make(c->arena, s->joint_count, STELE_F32, 16, &bytes),
                       .skeleton = s->armature};
    if (!bytes)
        return STELE_NONE;
    for (size_t i = 0; i < s->joint_count; i++) {
        uint8_t *to = bytes + 64 * i;
        for (int k = 0; k < 16; k++)
            store_f32(to + 4 * k, k % 5 == 0);
        for (size_t k = 0; k < 3; k++)
            store_f32(to + 48 + 4 * k, 0 - s->heads[3 * i + k]); /* no -0 */
    }
    return st_model_add_skin(c->load->model, c->arena, &skin);
}

/* ---- Keys ---- */

typedef struct clip_loader {
    context *c;
    const sga_skeleton *skeleton;
    double fps;
    double earliest; /* time of the clip, if that is negative: all of it moves to 0 */
    stele_channel *channels;
    size_t channel_count;
    const span *same_times; /* keys of the track before, whose times may be the same */
    stele_view times;
} clip_loader;

static float key_time(const span *keys, uint64_t i)
{
    return load_f32(keys->data + i * KEY_BYTES + KEY_TIME);
}

/* An order of all floats, for who sorts relies on one. */
static int compare_keys(const void *a, const void *b)
{
    const uint8_t *x = *(const uint8_t *const *)a, *y = *(const uint8_t *const *)b;
    float s = load_f32(x + KEY_TIME), t = load_f32(y + KEY_TIME);
    if (isnan(s) || isnan(t) || s == t)
        return isnan(s) != isnan(t) ? isnan(s) - isnan(t) : x < y ? -1 : x > y;
    return s < t ? -1 : 1;
}

/* The keys in order, one for each time: the first of those that share one. */
static span sorted_keys(context *c, const span *keys)
{
    const uint8_t **order = st_arena_array(c->arena, keys->count, sizeof *order);
    uint8_t *bytes = st_arena_array(c->arena, keys->count, KEY_BYTES);
    uint8_t *unsorted = st_need_copy(c, keys->data, keys->count, KEY_BYTES); /* they stay as they are while they are sorted */
    span sorted = {bytes, 0, KEY_BYTES};
    if (!order || !bytes || !unsorted)
        return *keys;
    for (uint64_t i = 0; i < keys->count; i++)
        order[i] = unsorted + i * KEY_BYTES;
    qsort(order, (size_t)keys->count, sizeof *order, compare_keys);
    for (uint64_t i = 0; i < keys->count; i++)
        if (!sorted.count || load_f32(order[i] + KEY_TIME) != key_time(&sorted, sorted.count - 1)) {
            st_made_of_bytes(c, bytes + KEY_BYTES * sorted.count, KEY_BYTES, KEY_BYTES, order[i], KEY_BYTES, KEY_BYTES);
            memcpy(bytes + KEY_BYTES * sorted.count++, order[i], KEY_BYTES);
        }
    return sorted;
}

static span keys_in_order(context *c, const span *keys, diag_place at)
{
    uint64_t wrong = 0;
    for (uint64_t i = 1; i < keys->count; i++)
        wrong += !(key_time(keys, i) > key_time(keys, i - 1));
    if (!wrong || !c->load->repair)
        return *keys;
    st_diag(c->diags, DIAG_REPAIRED_TIME, counted(wrong, at), "has keys that are not in order or share a time: put in order");
    return sorted_keys(c, keys);
}

static bool same_times(const span *a, const span *b)
{
    if (!a || a->count != b->count)
        return false;
    for (uint64_t i = 0; i < a->count; i++)
        if (key_time(a, i) != key_time(b, i))
            return false;
    return true;
}

/* Tracks of one clip mostly share their times, but each came from its own. */
static bool load_times(clip_loader *l, const span *keys)
{
    uint8_t *bytes;
    if (!l->c->origins && same_times(l->same_times, keys))
        return true;
    l->times = st_view_make(l->c->arena, keys->count, STELE_F32, 1, &bytes);
    for (uint64_t i = 0; bytes && i < keys->count; i++)
        store_f32(bytes + 4 * i, (float)(((double)key_time(keys, i) - l->earliest) / l->fps));
    st_made_of(l->c, &l->times, &(stele_view){keys->data + KEY_TIME, keys->count, KEY_BYTES, 1, STELE_F32, false});
    return bytes;
}

/* The position of a key is added to where the joint rests. */
static bool load_translations(clip_loader *l, const span *keys, uint32_t node, stele_view *view)
{
    const float *rest = l->c->load->model->nodes[node].local.translation;
    uint8_t *bytes;
    *view = st_view_make(l->c->arena, keys->count, STELE_F32, 3, &bytes);
    for (uint64_t i = 0; bytes && i < keys->count; i++)
        for (int k = 0; k < 3; k++) {
            double position = (double)load_f32(keys->data + i * KEY_BYTES + KEY_POSITION + 4 * k);
            store_f32(bytes + 12 * i + 4 * (size_t)k, (float)((double)rest[k] + position));
        }
    st_made_of(l->c, view, &(stele_view){keys->data + KEY_POSITION, keys->count, KEY_BYTES, 3, STELE_F32, false});
    return bytes;
}

/* Of length 1, each in the hemisphere of the one before. Nothing is copied where that is so already. */
static bool load_rotations(clip_loader *l, const span *keys, stele_view *view, diag_place at)
{
    stele_view as_they_are = st_view_f32(keys->data + KEY_ROTATION, keys->count, KEY_BYTES, 4);
    *view = st_repair_rotations(l->c, &as_they_are, at);
    return view->data;
}

static void add_channel(clip_loader *l, uint32_t node, stele_channel_path path, stele_view values)
{
    l->channels[l->channel_count++] = (stele_channel){node, path, STELE_LINEAR, l->times, values};
}

static bool load_track(clip_loader *l, span *keys, uint32_t node, diag_place at)
{
    stele_view translations, rotations;
    *keys = keys_in_order(l->c, keys, at);
    if (!load_times(l, keys) || !load_translations(l, keys, node, &translations) || !load_rotations(l, keys, &rotations, at))
        return false;
    l->same_times = keys;
    add_channel(l, node, STELE_TRANSLATION, translations);
    add_channel(l, node, STELE_ROTATION, rotations);
    add_channel(l, node, STELE_SCALE, st_view_f32(keys->data + KEY_SCALE, keys->count, KEY_BYTES, 3));
    return true;
}

/* ---- Clips ---- */

static double earliest_time(const sga_clip *clip)
{
    double earliest = 0;
    for (unsigned t = 0; t < clip->track_count; t++)
        for (uint64_t i = 0; i < clip->track[t].key.count; i++)
            earliest = lesser(earliest, (double)key_time(&clip->track[t].key, i));
    return earliest;
}

static bool add_clip(context *c, const sga_clip *raw, const sga_skeleton *skeleton)
{
    clip_loader l = {.c = c,
                     .skeleton = skeleton,
                     .fps = st_load_fps(c, SGA_FRAMES_PER_SECOND),
                     .earliest = c->load->repair ? earliest_time(raw) : 0,
                     .channels = st_arena_array(c->arena, 3 * (uint64_t)raw->track_count, sizeof *l.channels)};
    span *keys = st_arena_array(c->arena, raw->track_count, sizeof *keys);
    uint8_t *moved = st_arena_alloc(c->arena, skeleton->joint_count);
    if (!l.channels || !keys || !moved)
        return false;
    if (l.earliest < 0)
        st_diag(c->diags, DIAG_REPAIRED_TIME, at_item(raw), "begins before time 0: moved there");
    for (unsigned t = 0; t < raw->track_count; t++) {
        const sga_track *track = &raw->track[t];
        keys[t] = track->key;
        if (!track->key_count || track->bone >= skeleton->joint_count)
            continue;
        if (moved[track->bone]) {
            st_diag(c->diags, DIAG_REPAIRED_TIME, counted(track->key_count, at_item(track)),
                    "is for a bone that has a track in this clip already: left out");
            continue;
        }
        moved[track->bone] = 1;
        if (!load_track(&l, &keys[t], skeleton->joints[track->bone], at_item(track)))
            return false;
    }
    stele_clip clip = {.name = st_text_string(c->arena, &raw->name), .channels = l.channels, .channel_count = l.channel_count};
    st_part_at(c, STELE_PART_CLIP, (uint32_t)c->load->model->clip_count, at_item(raw));
    return st_model_add_clip(c->load->model, c->arena, &clip) != STELE_NONE;
}

static bool has_keys(const sga_clip *clip)
{
    for (unsigned i = 0; i < clip->track_count; i++)
        if (clip->track[i].key_count)
            return true;
    return false;
}

/* Exporters list a clip twice; the engine keeps the last of a name, and they are all the same. */
bool st_sga_load_clips(context *c, const sga_file *f, const sga_skeleton *skeleton)
{
    const uint32_t *before = st_sga_same_names(c->arena, f);
    for (unsigned i = 0; before && i < f->clip_count; i++) {
        const sga_clip *clip = &f->clip[i];
        bool repeated = c->load->repair && before[i] != STELE_NONE && st_sga_same_clip(clip, &f->clip[before[i]]);
        if (!repeated && has_keys(clip)) {
            if (!add_clip(c, clip, skeleton))
                return false;
            continue;
        }
        if (repeated)
            st_diag(c->diags, DIAG_CLIP_DROPPED, at_item(clip), "is the same as one before it: left out");
        else
            st_diag(c->diags, DIAG_NOT_CARRIED, at_item(clip), "has no keys: left out");
    }
    return !c->arena->failed;
}

bool st_sga_load(context *c, const raw_file *raw)
{
    const sga_file *f = (const sga_file *)raw;
    sga_skeleton skeleton;
    uint32_t root = st_rayne_root(c);
    if (raw->dialect != SGA_V1)
        st_property_text(&c->load->model->properties, c->arena, "sga.dialect", st_format_sga.info.dialects[raw->dialect].name);
    if (root == STELE_NONE || !st_sga_load_bones(c, f, root, &skeleton))
        return false;
    if (skeleton.joint_count && st_sga_add_skin(c, &skeleton) == STELE_NONE)
        return false;
    return st_sga_load_clips(c, f, &skeleton);
}
