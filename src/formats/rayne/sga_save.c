/* A model's skeleton and clips as SGA. With h the head of a bone at bind pose, p its parent, and S what a bone does to a
 * vertex, its key is K = T(-h) S_p^-1 S T(h): the change to the rest frame that the engine undoes into S. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "model/save_skeleton.h"
#include "raw.h"

typedef struct sga_saver {
    context *c;
    const flat_model *flat;
    sga_file *file;
    double (*heads)[3]; /* of the bones */
    matrix *pose;       /* of the joints at a time, and what they do to vertices then */
    double (*scratch)[16];
    double fps;
    uint64_t sheared;
} sga_saver;

static text name_of(context *c, const char *name, const char *otherwise, const char *path)
{
    const char *chosen = name && *name ? name : otherwise;
    size_t length = strlen(chosen);
    if (length > RAYNE_LONGEST_NAME)
        st_refuse(c, at_path(path, 1), "a name has at most 65534 bytes");
    return (text){chosen, (uint64_t)length + 1};
}

static span floats_of(context *c, const double *values, unsigned count)
{
    uint8_t *bytes = st_need(c, (uint64_t)count, 4);
    for (unsigned i = 0; bytes && i < count; i++)
        store_f32(bytes + 4 * i, (float)values[i]);
    return (span){bytes, count, 4};
}

/* ---- Bones ---- */

/* Where the joint is at bind pose. A joint whose matrix has no inverse moves nothing: any place is right. */
static void find_head(const flat_joint *joint, double head[3])
{
    matrix bind;
    st_matrix_inverse(&joint->inverse_bind, &bind);
    for (int i = 0; i < 3; i++)
        head[i] = (double)(float)bind.m[12 + i]; /* as it will be read */
}

static void list_children(sga_saver *a)
{
    const flat_model *flat = a->flat;
    uint8_t *bytes = st_need(a->c, (uint64_t)flat->joint_count, 2);
    uint16_t *filled = st_need(a->c, flat->joint_count, sizeof *filled);
    size_t at = 0;
    if (!bytes || !filled)
        return;
    for (size_t i = 0; i < flat->joint_count; i++)
        if (flat->joints[i].parent != STELE_NONE)
            a->file->bone[flat->joints[i].parent].child_count++;
    for (size_t i = 0; i < flat->joint_count; i++) {
        sga_bone *bone = &a->file->bone[i];
        bone->child = (span){bytes + 2 * at, bone->child_count, 2};
        at += bone->child_count;
    }
    for (size_t i = 0; i < flat->joint_count; i++) {
        uint32_t parent = flat->joints[i].parent;
        if (parent != STELE_NONE)
            store_uint((uint8_t *)a->file->bone[parent].child.data + 2 * (size_t)filled[parent]++, i, 2);
    }
}

static void save_bones(sga_saver *a)
{
    char path[WALK_PATH];
    context *c = a->c;
    for (unsigned i = 0; i < a->file->bone_count; i++) {
        const flat_joint *joint = i < a->flat->joint_count ? &a->flat->joints[i] : NULL;
        if (joint)
            find_head(joint, a->heads[i]);
        a->file->bone[i] =
            (sga_bone){.name = name_of(c, joint ? joint->name : "neutral", st_arena_format(c->arena, "bone%u", i),
                                       st_path(path, "bone[%u].name", i)),
                       .position = floats_of(c, a->heads[i], 3),
                       .is_root = !joint || joint->parent == STELE_NONE};
    }
    list_children(a);
}

/* ---- Keys ---- */

/* K of a bone; false if there is none because its parent is scaled to nothing. */
static bool key_matrix(const sga_saver *a, unsigned bone, matrix *key)
{
    const double *h = a->heads[bone];
    matrix to = st_matrix_translation(h[0], h[1], h[2]), back = st_matrix_translation(-h[0], -h[1], -h[2]), undo;
    uint32_t parent = a->flat->joints[bone].parent;
    *key = st_matrix_product(&a->pose[bone], &to);
    if (parent != STELE_NONE) {
        if (!st_matrix_inverse(&a->pose[parent], &undo))
            return false;
        *key = st_matrix_product(&undo, key);
    }
    *key = st_matrix_product(&back, key);
    return true;
}

/* Frames are whole numbers in all known files, which seconds as floats are not exactly. */
static float frame_of(double seconds, double fps)
{
    double frame = seconds * fps, whole = floor(frame + 0.5);
    return (float)(fabs(frame - whole) < 1e-4 ? whole : frame);
}

static void store_key(uint8_t *to, float time, const transform *t)
{
    store_f32(to + KEY_TIME, time);
    for (int i = 0; i < 3; i++) {
        store_f32(to + KEY_POSITION + 4 * i, (float)t->translation[i]);
        store_f32(to + KEY_SCALE + 4 * i, (float)t->scale[i]);
    }
    for (int i = 0; i < 4; i++)
        store_f32(to + KEY_ROTATION + 4 * i, (float)t->rotation[i]);
}

static bool is_flat(const transform *t)
{
    return t->scale[0] == 0 || t->scale[1] == 0 || t->scale[2] == 0;
}

/* What is scaled to nothing has no rotation of its own, and what is below it no place: both keep what they had. */
static void decompose_key(sga_saver *a, unsigned bone, transform *t)
{
    matrix key;
    transform before = *t;
    if (bone >= a->flat->joint_count || !key_matrix(a, bone, &key))
        return;
    a->sheared += !st_matrix_decompose(&key, t);
    double dot = 0;
    if (is_flat(t))
        memcpy(t->rotation, before.rotation, sizeof t->rotation);
    for (int i = 0; i < 4; i++)
        dot += t->rotation[i] * before.rotation[i];
    for (int i = 0; dot < 0 && i < 4; i++)
        t->rotation[i] = -t->rotation[i];
}

static void pose_joints(sga_saver *a, uint32_t clip, double seconds)
{
    st_flat_pose(a->c, a->flat, clip, seconds, a->scratch, a->pose);
    for (size_t i = 0; i < a->flat->joint_count; i++)
        a->pose[i] = st_matrix_product(&a->pose[i], &a->flat->joints[i].inverse_bind);
}

static const transform no_change = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};

/* A track for every bone with the keys of its own channels; from the first time of the clip to its last, because engines begin
 * each again when it ends. */
static bool make_tracks(sga_saver *a, flat_track *own, const double *times, uint64_t count, sga_clip *to)
{
    unsigned bones = a->file->bone_count;
    to->track = st_need(a->c, bones, sizeof *to->track);
    for (unsigned b = 0; to->track && b < bones; b++) {
        uint64_t keys = count > 1 ? 2 : 1; /* of a bone that no joint is */
        if (b < a->flat->joint_count) {
            own[b].times[own[b].count++] = times[0];
            own[b].times[own[b].count++] = times[count - 1];
            keys = own[b].count = st_sort_times(own[b].times, own[b].count);
        }
        to->track[b] = (sga_track){.bone = (uint16_t)b, .key = {st_need(a->c, keys, KEY_BYTES), keys, KEY_BYTES}};
    }
    to->track_count = (uint16_t)bones;
    return a->c->fits;
}

/* Whether a bone has a key at a time; those are met in order. */
static bool has_key(const sga_saver *a, const flat_track *own, unsigned bone, const sga_track *track, double time, bool last)
{
    if (bone >= a->flat->joint_count)
        return !track->key_count || last;
    return track->key_count < own[bone].count && own[bone].times[track->key_count] <= time + 1e-6;
}

static bool save_tracks(sga_saver *a, uint32_t clip, const double *times, uint64_t count, sga_clip *to)
{
    unsigned bones = a->file->bone_count;
    flat_track *own = st_flat_tracks(a->flat, a->c->arena, clip, a->fps);
    transform *last = st_need(a->c, bones, sizeof *last);
    a->c->fits &= own != NULL;
    if (!a->c->fits || !make_tracks(a, own, times, count, to))
        return false;
    for (unsigned b = 0; b < bones; b++)
        last[b] = no_change;
    for (uint64_t i = 0; i < count; i++) {
        pose_joints(a, clip, times[i]);
        for (unsigned b = 0; b < bones; b++) {
            sga_track *track = &to->track[b];
            decompose_key(a, b, &last[b]);
            if (has_key(a, own, b, track, times[i], i + 1 == count))
                store_key((uint8_t *)track->key.data + (uint64_t)track->key_count++ * KEY_BYTES, frame_of(times[i], a->fps),
                          &last[b]);
        }
    }
    for (unsigned b = 0; b < bones; b++)
        to->track[b].key.count = to->track[b].key_count;
    return true;
}

static void save_clip(sga_saver *a, uint32_t clip)
{
    char path[WALK_PATH];
    context *c = a->c;
    sga_clip *to = &a->file->clip[a->file->clip_count++];
    uint64_t count;
    double *times = st_flat_times(a->flat, c->arena, clip, a->fps, &count);
    to->name = name_of(c, c->save->model->clips[clip].name, st_arena_format(c->arena, "clip%u", clip),
                       st_path(path, "clip[%u].name", clip));
    if (times && count > UINT32_MAX)
        st_refuse(c, at_path(path, 1), "a track has at most 4294967295 keys");
    else if (!times || !st_flat_afford(c, a->flat, clip, (double)count) || !save_tracks(a, clip, times, count, to))
        c->fits = false;
}

static bool key_between(void *user, const matrix *joints, size_t joint, transform *key)
{
    sga_saver *a = user;
    uint64_t sheared = a->sheared;
    uint32_t parent = a->flat->joints[joint].parent;
    a->pose[joint] = st_matrix_product(&joints[joint], &a->flat->joints[joint].inverse_bind);
    if (parent != STELE_NONE)
        a->pose[parent] = st_matrix_product(&joints[parent], &a->flat->joints[parent].inverse_bind);
    decompose_key(a, (unsigned)joint, key);
    bool whole = a->sheared == sheared;
    a->sheared = sheared;
    return whole;
}

/* Clips are known by their names: readers take one that is the same as another of its name for that. */
static void drop_repeated(sga_saver *a)
{
    sga_file *f = a->file;
    const uint32_t *before = a->c->fits ? st_sga_same_names(a->c->arena, f) : NULL;
    sga_clip *kept = st_need(a->c, f->clip_count, sizeof *kept);
    uint16_t count = 0;
    a->c->fits &= before || !f->clip_count;
    if (!a->c->fits)
        return;
    for (unsigned i = 0; i < f->clip_count; i++)
        if (before[i] == STELE_NONE || !st_sga_same_clip(&f->clip[i], &f->clip[before[i]]))
            kept[count++] = f->clip[i];
    uint64_t repeated = (uint64_t)f->clip_count - count;
    f->clip = kept;
    f->clip_count = count;
    st_lose(a->c, DIAG_LOSS_ANIMATION, repeated, "clip", "knows clips by their names: %llu that %s another of its name dropped",
            (unsigned long long)repeated, repeated == 1 ? "is the same as" : "are the same as");
}

static void save_clips(sga_saver *a)
{
    context *c = a->c;
    a->file->clip = st_need(c, c->save->model->clip_count, sizeof *a->file->clip);
    for (uint32_t i = 0; c->fits && i < c->save->model->clip_count; i++) {
        if (!st_flat_clip_used(a->flat, i))
            continue;
        if (a->file->clip_count == UINT16_MAX)
            st_refuse(c, at_path("clip", 1), "there are at most 65535 clips");
        else
            save_clip(a, i);
    }
    drop_repeated(a);
    st_report_clips(c, a->flat);
    st_report_detours(c, a->flat, key_between, a);
    st_lose(c, DIAG_LOSS_SHEAR, a->sheared, "clip", "has no shear: %llu key%s only near what they were",
            (unsigned long long)a->sheared, a->sheared == 1 ? " is" : "s are");
}

/* ---- The file ---- */

static const char *skeleton_name(const stele_model *model)
{
    for (size_t i = 0; i < model->skin_count; i++)
        if (model->skins[i].name)
            return model->skins[i].name;
    return model->name;
}

bool st_sga_of_model(context *c, const flat_model *flat, bool neutral, sga_file *f)
{
    uint64_t bones = (uint64_t)flat->joint_count + neutral;
    if (bones > UINT16_MAX) {
        st_refuse(c, at_path("bone", 1), "there are at most 65535 bones");
        return false;
    }
    f->bone_count = (uint16_t)bones;
    f->skeleton = name_of(c, skeleton_name(c->save->model), "skeleton", "skeleton");
    f->bone = st_need(c, bones, sizeof *f->bone);
    sga_saver a = {.c = c,
                   .flat = flat,
                   .file = f,
                   .heads = st_need(c, bones, sizeof *a.heads),
                   .pose = st_need(c, bones, sizeof *a.pose),
                   .scratch = st_need(c, c->save->model->node_count, sizeof *a.scratch),
                   .fps = c->save->fps > 0 ? c->save->fps : SGA_FRAMES_PER_SECOND};
    if (c->fits)
        save_bones(&a);
    if (c->fits)
        save_clips(&a);
    return c->fits;
}

bool st_sga_save(context *c, raw_file *raw)
{
    flat_model flat;
    flat_wishes wishes = {.axes = st_rayne_axes(), .skeleton = true};
    raw->dialect = SGA_V1;
    return st_flatten(c, &wishes, &flat) && st_sga_of_model(c, &flat, false, (sga_file *)raw);
}
