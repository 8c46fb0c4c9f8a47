/* What can be wrong with an SGA. */
#include <math.h>
#include <string.h>

#include "base/scan.h"
#include "base/vector.h"
#include "raw.h"

enum { RAYNE_BONES = 100 };

/* ---- Bones ---- */

static void check_child(context *c, const sga_file *f, unsigned bone, unsigned i, int64_t *parent)
{
    const uint8_t *entry = f->bone[bone].child.data + 2 * i;
    uint16_t child = load_u16(entry);
    if (child < f->bone_count && parent[child] == NO_PARENT) {
        parent[child] = bone;
        return;
    }
    diag_place place = st_check_place(c, st_check_offset(c, entry), 1, "bone[%u].child[%u]", bone, i);
    if (child >= f->bone_count)
        st_diag(c->diags, DIAG_CHILD_OUT_OF_RANGE, place, "is %u, but there are only %u bones", child, f->bone_count);
    else
        st_diag(c->diags, DIAG_BONE_TWO_PARENTS, place, "is %u, which bone %d has as a child too", child, (int)parent[child]);
}

static uint64_t offset_of_bone(const context *c, const void *file, uint64_t bone)
{
    (void)c;
    return ((const sga_file *)file)->bone[bone].at;
}

static void check_bone(context *c, const sga_file *f, unsigned index, bool has_parent)
{
    char path[WALK_PATH];
    const sga_bone *b = &f->bone[index];
    if (st_scan_nonfinite(b->position.data, 3))
        st_diag(c->diags, DIAG_NONFINITE_BONE,
                st_check_place(c, st_check_offset(c, b->position.data), 1, "bone[%u].position", index), "is not finite");
    if (b->rotation.count && st_scan_nonfinite(b->rotation.data, 4))
        st_diag(c->diags, DIAG_NONFINITE_BONE,
                st_check_place(c, st_check_offset(c, b->rotation.data), 1, "bone[%u].rotation", index), "is not finite");
    if (!c->full)
        return;
    uint64_t flag = st_check_offset(c, b->child.data) - 3;
    st_check_string(c, &b->name, st_check_path(path, "bone[%u].name", index));
    st_check_flag(c, b->is_root, flag, st_check_path(path, "bone[%u].is_root", index));
    if ((b->is_root != 0) == has_parent)
        st_diag(c->diags, DIAG_ROOT_FLAG, st_check_place(c, flag, 1, "bone[%u].is_root", index), "is %u, but the bone %s",
                b->is_root, has_parent ? "is some bone's child" : "is no bone's child");
}

static void check_bones(context *c, const sga_file *f)
{
    int64_t *parent = st_arena_array(c->arena, f->bone_count, sizeof *parent);
    if (!parent)
        return;
    for (unsigned i = 0; i < f->bone_count; i++)
        parent[i] = NO_PARENT;
    for (unsigned i = 0; i < f->bone_count; i++)
        for (unsigned k = 0; k < f->bone[i].child_count; k++)
            check_child(c, f, i, k, parent);
    for (unsigned i = 0; i < f->bone_count; i++)
        check_bone(c, f, i, parent[i] != NO_PARENT);
    st_check_cycles(c, parent, f->bone_count, "bone", offset_of_bone, f);
}

/* ---- Keys ---- */

static void report_key(context *c, diag_code code, const tally *t, const char *name, const char *track, const char *says)
{
    if (t->count)
        st_diag(
            c->diags, code,
            st_check_place(c, st_check_offset(c, t->at), t->count, "%s.key[%llu]%s", track, (unsigned long long)t->first, name),
            "%s", says);
}

static void look_at_keys(context *c, const span *keys, const char *track)
{
    tally unsorted = {0}, repeated = {0}, turned = {0};
    float before = -INFINITY;
    for (uint64_t i = 0; i < keys->count; i++) {
        const uint8_t *key = keys->data + i * KEY_BYTES;
        float time = load_f32(key + KEY_TIME);
        if (time < before)
            tally_note(&unsorted, i, key + KEY_TIME);
        if (time == before)
            tally_note(&repeated, i, key + KEY_TIME);
        if (!unit4_at(key + KEY_ROTATION))
            tally_note(&turned, i, key + KEY_ROTATION);
        before = time;
    }
    report_key(c, DIAG_TIME_UNSORTED, &unsorted, ".time", track, "is earlier than the key before it");
    report_key(c, DIAG_TIME_REPEATED, &repeated, ".time", track, "is the same as of the key before it");
    report_key(c, DIAG_ROTATION_NOT_UNIT, &turned, ".rotation", track, "is not of length 1");
}

static void check_keys(context *c, const span *keys, const char *track)
{
    tally nonfinite = {0};
    if (st_scan_nonfinite(keys->data, keys->count * KEY_BYTES / 4))
        for (uint64_t i = 0; i < keys->count; i++)
            if (st_scan_nonfinite(keys->data + i * KEY_BYTES, KEY_BYTES / 4))
                tally_note(&nonfinite, i, keys->data + i * KEY_BYTES);
    report_key(c, DIAG_NONFINITE_KEY, &nonfinite, "", track, "is not finite");
    if (c->full)
        look_at_keys(c, keys, track);
}

/* ---- Clips ---- */

static void check_track(context *c, const sga_file *f, unsigned clip, unsigned index, uint32_t *last_clip)
{
    const sga_track *t = &f->clip[clip].track[index];
    char path[WALK_PATH];
    st_check_path(path, "clip[%u].track[%u]", clip, index);
    if (t->bone >= f->bone_count)
        st_diag(c->diags, DIAG_TRACK_UNKNOWN_BONE, st_check_place(c, t->at, 1, "%s.bone", path),
                "is %u, but there are only %u bones", t->bone, f->bone_count);
    else if (c->full && last_clip[t->bone] == clip + 1)
        st_diag(c->diags, DIAG_TRACK_DUPLICATE, st_check_place(c, t->at, 1, "%s.bone", path),
                "is %u, which has a track in this clip already", t->bone);
    else
        last_clip[t->bone] = clip + 1;
    if (c->full && !t->key_count)
        st_diag(c->diags, DIAG_TRACK_EMPTY, st_check_place(c, t->at + 2, 1, "%s.key_count", path),
                "is 0: Rayne crashes on a track without keys");
    check_keys(c, &t->key, path);
}

static void check_duplicate_clips(context *c, const sga_file *f)
{
    const uint32_t *before = st_sga_same_names(c->arena, f);
    for (unsigned i = 0; before && i < f->clip_count; i++)
        if (before[i] != STELE_NONE)
            st_diag(c->diags, DIAG_CLIP_DUPLICATE, st_check_place(c, f->clip[i].at + 2, 1, "clip[%u].name", i),
                    "is \"%s\", as that of clip %u: the engine keeps the last", st_text_string(c->arena, &f->clip[i].name),
                    before[i]);
}

static void check_clips(context *c, const sga_file *f)
{
    char path[WALK_PATH];
    uint32_t *last_clip = st_arena_array(c->arena, f->bone_count, sizeof *last_clip);
    if (!last_clip)
        return;
    for (unsigned i = 0; i < f->clip_count; i++) {
        const sga_clip *clip = &f->clip[i];
        if (c->full)
            st_check_string(c, &clip->name, st_check_path(path, "clip[%u].name", i));
        if (c->full && !clip->track_count)
            st_diag(c->diags, DIAG_CLIP_EMPTY, st_check_place(c, clip->at, 1, "clip[%u]", i), "has no tracks");
        for (unsigned t = 0; t < clip->track_count; t++)
            check_track(c, f, i, t, last_clip);
    }
}

void st_sga_check(context *c, const raw_file *raw)
{
    const sga_file *f = (const sga_file *)raw;
    if (c->full) {
        st_check_string(c, &f->skeleton, "skeleton");
        if (!f->bone_count)
            st_diag(c->diags, DIAG_SKELETON_EMPTY, st_check_place(c, 7 + f->skeleton.size, 1, "bone_count"), "is 0");
        if (c->target && f->bone_count > RAYNE_BONES)
            st_diag(c->diags, DIAG_TARGET_LIMIT, st_check_place(c, 7 + f->skeleton.size, 1, "bone_count"),
                    "is %u: Rayne's shader holds %d", f->bone_count, RAYNE_BONES);
        if (c->target && raw->dialect == SGA_PROTOTYPE)
            st_diag(c->diags, DIAG_TARGET_LIMIT, st_check_place(c, 4, 1, "version"),
                    "is that of the prototype, whose extra rotations Rayne misreads");
    }
    check_bones(c, f);
    check_clips(c, f);
    if (c->full)
        check_duplicate_clips(c, f);
}
