/* SGA, the skeletons and animations that go with SGM. Little-endian, unpadded; docs/formats/sga.md tells the whole story.
 *
 *   dialect    what is different
 *   v1         since 2013
 *   prototype  the same magic and version, but each bone has a rotation after its position (one file is known)
 *
 * The two look alike: each is tried, and the one that ends with the file is it. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/scan.h"
#include "raw.h"

static const uint8_t magic_bytes[4] = {0x5A, 0x4E, 0xDA, 0x16};
enum { MAGIC = 383405658, VERSION = 1 };

static const stele_dialect_info dialects[] = {
    [SGA_V1] = {"v1", "iSDGE and Rayne since 2013"},
    [SGA_PROTOTYPE] = {"prototype", "early 2013: a rotation in every bone"},
};

static void walk_bone(walk *w, bool rotations, sga_bone *b)
{
    W_STRING(w, b, name);
    W_ARRAY(w, b, position, STELE_F32, 3);
    if (rotations)
        W_ARRAY(w, b, rotation, STELE_F32, 4);
    W_U8(w, b, is_root);
    W_U16(w, b, child_count);
    W_ARRAY(w, b, child, STELE_U16, b->child_count);
}

static void walk_track(walk *w, sga_track *t)
{
    static const stele_column columns[] = {SGA_KEY_ROW(ROW_COLUMN)};
    W_U16(w, t, bone);
    W_U32(w, t, key_count);
    W_ROWS(w, t, key, columns, 4, t->key_count);
}

static void walk_clip(walk *w, sga_clip *c)
{
    W_STRING(w, c, name);
    W_U16(w, c, track_count);
    W_LIST(w, c, track, c->track_count, 6) walk_track(w, &c->track[i]);
}

static void walk_file(walk *w, raw_file *raw)
{
    sga_file *f = (sga_file *)raw;
    st_walk_constant(w, "magic", STELE_U32, MAGIC, DIAG_BAD_MAGIC);
    st_walk_constant(w, "version", STELE_U8, VERSION, DIAG_BAD_VERSION);
    W_STRING(w, f, skeleton);
    W_U16(w, f, bone_count);
    W_LIST(w, f, bone, f->bone_count, 17) walk_bone(w, raw->dialect == SGA_PROTOTYPE, &f->bone[i]);
    W_U16(w, f, clip_count);
    W_LIST(w, f, clip, f->clip_count, 4) walk_clip(w, &f->clip[i]);
}

static void probe_file(const uint8_t *data, uint64_t size, probe *p)
{
    if (size < 4 || memcmp(data, magic_bytes, 4) != 0)
        return;
    if (size > 4 && data[4] != VERSION) {
        *p = (probe){.trust = TRUST_CERTAIN,
                     .problem = DIAG_BAD_VERSION,
                     .offset = 4,
                     .path = "version",
                     .text = "is not known: SGA has the version 1 only"};
        return;
    }
    probe_try(p, TRUST_CERTAIN, SGA_V1, 0);
    probe_try(p, TRUST_CERTAIN, SGA_PROTOTYPE, 0);
}

static bool terminated(const text *string)
{
    return !string->size || string->data[string->size - 1] == 0;
}

static bool bone_plausible(const sga_bone *b, unsigned bone_count)
{
    return b->is_root <= 1 && terminated(&b->name) && !st_scan_nonfinite(b->position.data, b->position.count) &&
           !st_scan_beyond(b->child.data, b->child.count, STELE_U16, bone_count);
}

static bool clip_plausible(const sga_clip *c, unsigned bone_count)
{
    for (unsigned i = 0; c->track && i < c->track_count; i++)
        if (c->track[i].key.data && c->track[i].bone >= bone_count)
            return false;
    return terminated(&c->name);
}

static sense sense_of(const raw_file *raw)
{
    const sga_file *f = (const sga_file *)raw;
    bool any_root = false, all_read = true;
    for (unsigned i = 0; f->bone && i < f->bone_count; i++) {
        if (!bone_plausible(&f->bone[i], f->bone_count))
            return SENSE_ODD;
        any_root |= f->bone[i].is_root != 0;
        all_read &= f->bone[i].child.data != NULL;
    }
    if (f->bone && f->bone_count && all_read && !any_root)
        return SENSE_ODD;
    for (unsigned i = 0; f->clip && i < f->clip_count; i++)
        if (!clip_plausible(&f->clip[i], f->bone_count))
            return SENSE_ODD;
    return SENSE_GOOD;
}

/* As when it is opened by itself: what ends with the file, or else v1 with something behind it. */
const sga_file *st_sga_companion(context *c, const char *name, bool *found)
{
    const void *data = NULL;
    size_t size = 0;
    const sga_file *with_more = NULL;
    *found = st_companion_find(c->companions, name, &data, &size);
    walk *w = *found ? st_arena_bytes(c->arena, sizeof *w) : NULL;
    for (unsigned dialect = SGA_V1; w && dialect <= SGA_PROTOTYPE; dialect++) {
        sga_file *f = st_arena_alloc(c->arena, sizeof *f);
        if (!f)
            return NULL;
        f->raw.dialect = dialect;
        st_walk_read(w, c->arena, data, size);
        walk_file(w, &f->raw);
        if (walk_ok(w) && w->at == w->size)
            return f;
        if (walk_ok(w) && dialect == SGA_V1)
            with_more = f;
    }
    return with_more;
}

/* ---- Clips of the same name ---- */

typedef struct named_clip {
    text name;
    unsigned index;
} named_clip;

static int compare_names(const void *a, const void *b)
{
    const named_clip *x = a, *y = b;
    size_t common = (size_t)(x->name.size < y->name.size ? x->name.size : y->name.size);
    int order = common ? memcmp(x->name.data, y->name.data, common) : 0;
    if (order)
        return order;
    if (x->name.size != y->name.size)
        return x->name.size < y->name.size ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

/* The bytes of a file may change while they are sorted. */
static text copied(arena *a, const text *string)
{
    return (text){st_arena_text(a, string->data, string->size), string->size};
}

static bool same_name(const text *a, const text *b)
{
    return a->size == b->size && (!a->size || memcmp(a->data, b->data, (size_t)a->size) == 0);
}

const uint32_t *st_sga_same_names(arena *a, const sga_file *f)
{
    named_clip *sorted = st_arena_array(a, f->clip_count, sizeof *sorted);
    uint32_t *before = st_arena_array(a, f->clip_count, sizeof *before);
    if (!sorted || !before || !f->clip_count)
        return NULL;
    for (unsigned i = 0; i < f->clip_count; i++)
        sorted[i] = (named_clip){copied(a, &f->clip[i].name), i};
    if (a->failed)
        return NULL;
    qsort(sorted, f->clip_count, sizeof *sorted, compare_names);
    before[sorted[0].index] = STELE_NONE;
    for (unsigned i = 1; i < f->clip_count; i++)
        before[sorted[i].index] = same_name(&sorted[i].name, &sorted[i - 1].name) ? sorted[i - 1].index : STELE_NONE;
    return before;
}

/* ---- What is in it ---- */

static double clip_seconds(const sga_clip *clip)
{
    double last = 0;
    for (unsigned i = 0; i < clip->track_count; i++) {
        const span *keys = &clip->track[i].key;
        double time = keys->count ? (double)load_f32(keys->data + (keys->count - 1) * KEY_BYTES + KEY_TIME) : 0;
        last = time > last ? time : last;
    }
    return last / SGA_FRAMES_PER_SECOND;
}

static bool same_bytes(const void *a, uint64_t a_size, const void *b, uint64_t b_size)
{
    return a_size == b_size && (!a_size || memcmp(a, b, (size_t)a_size) == 0);
}

bool st_sga_same_clip(const sga_clip *a, const sga_clip *b)
{
    if (!same_bytes(a->name.data, a->name.size, b->name.data, b->name.size) || a->track_count != b->track_count)
        return false;
    for (unsigned i = 0; i < a->track_count; i++) {
        const sga_track *x = &a->track[i], *y = &b->track[i];
        if (x->bone != y->bone || !same_bytes(x->key.data, x->key.count * KEY_BYTES, y->key.data, y->key.count * KEY_BYTES))
            return false;
    }
    return true;
}

static void describe(context *c, const raw_file *raw, stele_info *info)
{
    const sga_file *f = (const sga_file *)raw;
    stele_clip_info *clips = st_arena_array(c->arena, f->clip_count, sizeof *clips);
    const uint32_t *before = st_sga_same_names(c->arena, f);
    if (!clips || (f->clip_count && !before))
        return;
    for (unsigned i = 0; i < f->clip_count; i++) {
        const sga_clip *clip = &f->clip[i];
        clips[i] = (stele_clip_info){
            .name = st_text_string(c->arena, &clip->name), .seconds = clip_seconds(clip), .tracks = clip->track_count};
        clips[i].repeats = before[i] != STELE_NONE && st_sga_same_clip(clip, &f->clip[before[i]]);
        for (unsigned t = 0; t < clip->track_count; t++)
            clips[i].keys += clip->track[t].key_count;
    }
    info->skeleton = st_text_string(c->arena, &f->skeleton);
    info->joints = f->bone_count;
    info->clips = clips;
    info->clip_count = f->clip_count;
}

/* From the prototype the rotations go; to it, identities come. */
static bool adapt(context *c, const raw_file *from, raw_file *raw, unsigned dialect)
{
    static const uint8_t identity[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x3F};
    sga_file *f = (sga_file *)raw;
    uint64_t turned = 0;
    sga_bone *bones = st_arena_array(c->arena, f->bone_count, sizeof *bones);
    if (!bones)
        return false;
    for (unsigned i = 0; i < f->bone_count; i++) {
        bones[i] = f->bone[i];
        if (raw->dialect == SGA_PROTOTYPE)
            turned += memcmp(bones[i].rotation.data, identity, sizeof identity) != 0;
        bones[i].rotation = (span){identity, 4, 4};
    }
    if (turned)
        st_diag(c->diags, DIAG_LOSS_ROTATION, counted(turned, at_member(&((const sga_file *)from)->bone)),
                "v1 has no rest rotations: %llu dropped that are not the identity", (unsigned long long)turned);
    f->bone = bones;
    raw->dialect = dialect;
    return true;
}

static const char *const targets[] = {"rayne", NULL};

const format st_format_sga = {
    .info = {.name = "sga",
             .title = "Rayne skeleton and animation",
             .extensions = "sga",
             .capabilities = SGA_CAPABILITIES,
             .dialects = dialects,
             .dialect_count = sizeof dialects / sizeof *dialects},
    .raw_size = sizeof(sga_file),
    .targets = targets,
    .probe = probe_file,
    .walk = walk_file,
    .sense = sense_of,
    .check = st_sga_check,
    .describe = describe,
    .adapt = adapt,
    .load = st_sga_load,
    .save = st_sga_save,
    .usual_dialect = SGA_V1,
};
