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
    uint32_t child = settled_u32(load_u16(entry));
    if (child < f->bone_count && parent[child] == NO_PARENT) {
        parent[child] = bone;
        return;
    }
    diag_place place = at_row(entry, 1);
    if (child >= f->bone_count)
        st_diag(c->diags, DIAG_CHILD_OUT_OF_RANGE, place, "is %u, but there are only %u bones", child, f->bone_count);
    else
        st_diag(c->diags, DIAG_BONE_TWO_PARENTS, place, "is %u, which bone %d has as a child too", child, (int)parent[child]);
}

static diag_place place_of_bone(const void *file, uint64_t bone)
{
    return at_item(&((const sga_file *)file)->bone[bone]);
}

static void check_bone(context *c, const sga_bone *b, bool has_parent)
{
    if (st_scan_nonfinite(b->position.data, 3))
        st_diag(c->diags, DIAG_NONFINITE_BONE, at_member(&b->position), "is not finite");
    if (b->rotation.count && st_scan_nonfinite(b->rotation.data, 4))
        st_diag(c->diags, DIAG_NONFINITE_BONE, at_member(&b->rotation), "is not finite");
    if (!c->full)
        return;
    st_check_string(c, &b->name);
    st_check_flag(c, &b->is_root);
    if ((b->is_root != 0) == has_parent)
        st_diag(c->diags, DIAG_ROOT_FLAG, at_member(&b->is_root), "is %u, but the bone %s", b->is_root,
                has_parent ? "is some bone's child" : "is no bone's child");
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
        check_bone(c, &f->bone[i], parent[i] != NO_PARENT);
    st_check_cycles(c, parent, f->bone_count, place_of_bone, f);
}

/* ---- Keys ---- */

static void look_at_keys(context *c, const span *keys)
{
    tally unsorted = {0}, repeated = {0}, turned = {0};
    float before = -INFINITY;
    for (uint64_t i = 0; i < keys->count; i++) {
        const uint8_t *key = keys->data + i * KEY_BYTES;
        float time = load_f32(key + KEY_TIME);
        tally_note(&unsorted, time < before, key + KEY_TIME);
        tally_note(&repeated, time == before, key + KEY_TIME);
        tally_note(&turned, !unit4_at(key + KEY_ROTATION), key + KEY_ROTATION);
        before = time;
    }
    st_report(c, DIAG_TIME_UNSORTED, PLACE_COLUMN, &unsorted, "is earlier than the key before it");
    st_report(c, DIAG_TIME_REPEATED, PLACE_COLUMN, &repeated, "is the same as of the key before it");
    st_report(c, DIAG_ROTATION_NOT_UNIT, PLACE_COLUMN, &turned, "is not of length 1");
}

static void check_keys(context *c, const span *keys)
{
    tally nonfinite = {0};
    if (st_scan_nonfinite(keys->data, keys->count * KEY_BYTES / 4))
        for (uint64_t i = 0; i < keys->count; i++) {
            const uint8_t *key = keys->data + i * KEY_BYTES;
            tally_note(&nonfinite, st_scan_nonfinite(key, KEY_BYTES / 4), key);
        }
    st_report(c, DIAG_NONFINITE_KEY, PLACE_ROW, &nonfinite, "is not finite");
    if (c->full)
        look_at_keys(c, keys);
}

/* ---- Clips ---- */

static void check_track(context *c, const sga_file *f, unsigned clip, const sga_track *t, uint32_t *last_clip)
{
    if (t->bone >= f->bone_count)
        st_diag(c->diags, DIAG_TRACK_UNKNOWN_BONE, at_member(&t->bone), "is %u, but there are only %u bones", t->bone,
                f->bone_count);
    else if (c->full && last_clip[t->bone] == clip + 1)
        st_diag(c->diags, DIAG_TRACK_DUPLICATE, at_member(&t->bone), "is %u, which has a track in this clip already", t->bone);
    else
        last_clip[t->bone] = clip + 1;
    if (c->full && !t->key_count)
        st_diag(c->diags, DIAG_TRACK_EMPTY, at_member(&t->key_count), "is 0: Rayne crashes on a track without keys");
    check_keys(c, &t->key);
}

static void check_duplicate_clips(context *c, const sga_file *f)
{
    const uint32_t *before = st_sga_same_names(c->arena, f);
    for (unsigned i = 0; before && i < f->clip_count; i++)
        if (before[i] != STELE_NONE)
            st_diag(c->diags, DIAG_CLIP_DUPLICATE, at_member(&f->clip[i].name),
                    "is \"%s\", as that of clip %u: the engine keeps the last", st_text_string(c->arena, &f->clip[i].name),
                    before[i]);
}

static void check_clips(context *c, const sga_file *f)
{
    uint32_t *last_clip = st_arena_array(c->arena, f->bone_count, sizeof *last_clip);
    if (!last_clip)
        return;
    for (unsigned i = 0; i < f->clip_count; i++) {
        const sga_clip *clip = &f->clip[i];
        if (c->full)
            st_check_string(c, &clip->name);
        if (c->full && !clip->track_count)
            st_diag(c->diags, DIAG_CLIP_EMPTY, at_item(clip), "has no tracks");
        for (unsigned t = 0; t < clip->track_count; t++)
            check_track(c, f, i, &clip->track[t], last_clip);
    }
}

void st_sga_check(context *c, const raw_file *raw)
{
    const sga_file *f = (const sga_file *)raw;
    if (c->full) {
        st_check_string(c, &f->skeleton);
        if (!f->bone_count)
            st_diag(c->diags, DIAG_SKELETON_EMPTY, at_member(&f->bone_count), "is 0");
        if (c->target && f->bone_count > RAYNE_BONES)
            st_diag(c->diags, DIAG_TARGET_LIMIT, at_member(&f->bone_count), "is %u: Rayne's shader holds %d", f->bone_count,
                    RAYNE_BONES);
        if (c->target && raw->dialect == SGA_PROTOTYPE)
            st_diag(c->diags, DIAG_TARGET_LIMIT, at_offset(4, 1, "version"),
                    "is that of the prototype, whose extra rotations Rayne misreads");
    }
    check_bones(c, f);
    check_clips(c, f);
    if (c->full)
        check_duplicate_clips(c, f);
}

bool st_sga_is_safe(context *c, const sga_file *f)
{
    const char *unknown;
    diags findings;
    context safe = {.arena = c->arena, .diags = &findings, .companions = c->companions};
    if (!st_diags_init(&findings, c->arena, NULL, 0, &unknown))
        return false;
    st_sga_check(&safe, &f->raw);
    return !st_diags_worst(&findings, STELE_ERROR);
}
