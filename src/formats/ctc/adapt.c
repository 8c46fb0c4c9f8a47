/* From one version of CTC to another: the sections are laid out afresh, in the order of the header and without gaps. */
#include "raw.h"

/* ---- What the engine overwrites is written as zeros ---- */

static void clear_rows(context *c, span *rows)
{
    rows->data = st_arena_alloc(c->arena, rows->count * rows->stride);
}

static void clear_morphs(context *c, ctc_file *f)
{
    static const uint8_t zeros[12];
    uint32_t count = ctc_word_of(f, CTC_MORPH_COUNT);
    f->morph = st_need_copy(c, f->morph, count, sizeof *f->morph);
    for (uint32_t i = 0; f->morph && i < count; i++)
        f->morph[i].scratch.data = zeros;
}

/* And the numbers of children are counted. */
static void rewrite_bones(context *c, span *rows)
{
    uint8_t *bones = st_need_copy(c, rows->data, rows->count, BONE_BYTES);
    rows->data = bones;
    for (uint64_t i = 0; bones && i < rows->count; i++) {
        uint8_t *bone = bones + i * BONE_BYTES;
        memset(bone + BONE_CHILDREN, 0, 4);
        memset(bone + BONE_CHILD_LIST, 0, 4);
        memset(bone + BONE_FINAL, 0, MATRIX_BYTES);
    }
    for (uint64_t i = 0; bones && i < rows->count; i++) {
        uint32_t parent = load_u32(bones + i * BONE_BYTES + BONE_PARENT);
        if (!parent || parent > rows->count)
            continue;
        uint8_t *children = bones + (uint64_t)(parent - 1) * BONE_BYTES + BONE_CHILDREN;
        store_uint(children, load_u32(children) + 1, 4);
    }
}

/* ---- The layout ---- */

static bool ignore(void *user, const void *data, size_t size)
{
    (void)user;
    (void)data;
    (void)size;
    return true;
}

static uint64_t size_of(walk *w, arena *a, ctc_file *f, ctc_section kind)
{
    st_walk_write(w, a, ignore, NULL);
    st_ctc_walk_section(w, f, kind);
    return w->at;
}

bool st_ctc_lay_out(context *c, ctc_file *f, uint8_t header[CTC_HEADER_BYTES])
{
    walk *w = st_arena_bytes(c->arena, sizeof *w);
    uint64_t at = CTC_HEADER_BYTES;
    for (unsigned s = 0; w && s < CTC_SECTIONS; s++) {
        bool there = st_ctc_has(f, s);
        store_uint(header + 4 * st_ctc_offset_word(s), there ? at : 0, 4);
        at += there ? size_of(w, c->arena, f, s) : 0;
    }
    store_uint(header + 4 * CTC_EOF_OFFSET, at, 4);
    if (at > INT32_MAX)
        st_diag(c->diags, DIAG_DOES_NOT_FIT, at_offset(0, 1, ""),
                "does not fit: the file would have %llu bytes, and offsets have 31 bits", (unsigned long long)at);
    return at <= INT32_MAX && !c->arena->failed;
}

static uint64_t used_bytes(const span *gap)
{
    uint64_t used = 0;
    for (uint64_t i = 0; i < gap->count; i++)
        used += gap->data[i] != 0;
    return used;
}

static void drop_gap(context *c, span *gap)
{
    uint64_t used = used_bytes(gap);
    if (used)
        st_diag(c->diags, DIAG_LOSS_GAP, at_offset(st_check_offset(c, gap->data), 1, ""),
                "%llu bytes between sections are dropped, of which %llu are not zero", (unsigned long long)gap->count,
                (unsigned long long)used);
    *gap = (span){0};
}

bool st_ctc_adapt(context *c, const raw_file *from, raw_file *raw, unsigned dialect)
{
    (void)from;
    ctc_file *f = (ctc_file *)raw;
    uint8_t *header = st_arena_alloc(c->arena, CTC_HEADER_BYTES);
    if (!header)
        return false;
    for (unsigned i = 0; i < CTC_WORDS; i++) {
        memcpy(header + 4 * i, f->word[i].data, 4);
        f->word[i].data = header + 4 * i;
    }
    store_uint(header + 4 * CTC_VERSION, CTC_NEWEST - dialect, 4);
    store_uint(header + 4 * CTC_UNKNOWN6, 0, 4);
    store_uint(header + 4 * CTC_COLOR_COUNT, f->rows[CTC_COLORS].count, 4);
    raw->dialect = dialect;
    raw->reading = CTC_COLORS_ARE_ENTRIES;
    for (unsigned s = 0; s < CTC_SECTIONS; s++)
        drop_gap(c, &f->gap[s]);
    drop_gap(c, &f->last_gap);
    clear_rows(c, &f->rows[CTC_OUTPUT_VERTICES]);
    clear_rows(c, &f->rows[CTC_TRIS3]);
    clear_morphs(c, f);
    rewrite_bones(c, &f->rows[CTC_BONES]);
    if (c->arena->failed)
        return false;
    return st_ctc_lay_out(c, f, header);
}
