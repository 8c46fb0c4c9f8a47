/* What can be wrong with a CTC. */
#include <math.h>

#include "base/scan.h"
#include "raw.h"

/* ---- The file ---- */

static bool all_zero(const uint8_t *data, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++)
        if (data[i])
            return false;
    return true;
}

/* Rows of stride bytes, of which size bytes are the engine's. */
static void check_scratch(context *c, const uint8_t *data, uint64_t rows, uint32_t stride, uint32_t size, place_kind kind)
{
    tally used = {0};
    for (uint64_t i = 0; i < rows; i++)
        tally_note(&used, !all_zero(data + i * stride, size), data + i * stride);
    st_report(c, DIAG_SCRATCH_NOT_ZERO, kind, &used, "is not empty, although only the engine works there");
}

static void check_all_scratch(context *c, const ctc_file *f)
{
    const span *output = &f->rows[CTC_OUTPUT_VERTICES], *bones = &f->rows[CTC_BONES], *tris3 = &f->rows[CTC_TRIS3];
    uint32_t morphs = ctc_word_of(f, CTC_MORPH_COUNT);
    check_scratch(c, output->data, output->count, output->stride, output->stride, PLACE_ROW);
    check_scratch(c, tris3->data, tris3->count, tris3->stride, tris3->stride, PLACE_ROW);
    if (bones->count) {
        check_scratch(c, bones->data + BONE_CHILD_LIST, bones->count, BONE_BYTES, 4, PLACE_COLUMN);
        check_scratch(c, bones->data + BONE_FINAL, bones->count, BONE_BYTES, MATRIX_BYTES, PLACE_COLUMN);
    }
    if (morphs)
        check_scratch(c, f->morph[0].scratch.data, morphs, MORPH_BYTES, 12, PLACE_BYTE);
}

static void check_header(context *c, const ctc_file *f)
{
    uint32_t end = ctc_word_of(f, CTC_EOF_OFFSET), colors = ctc_word_of(f, CTC_COLOR_COUNT);
    uint64_t corners = 3 * (uint64_t)ctc_word_of(f, CTC_TRIANGLE_COUNT);
    if (f->raw.dialect != CTC_V11)
        st_diag(c->diags, DIAG_VERSION_UNTESTED, at_member(&f->word[CTC_VERSION]),
                "is %u, of which no file is known: this one is read as if it were 11", CTC_NEWEST - f->raw.dialect);
    if (end != c->size)
        st_diag(c->diags, DIAG_EOF_POSITION, at_member(&f->word[CTC_EOF_OFFSET]), "is %d, but the file ends at %llu",
                (int)(int32_t)end, (unsigned long long)c->size);
    if (f->raw.reading == CTC_COLORS_ARE_BYTES)
        st_diag(c->diags, DIAG_NONSTANDARD_LAYOUT, at_member(&f->word[CTC_COLOR_COUNT]),
                "is %u, and counts the bytes of the colours rather than the colours", colors);
    if (f->raw.reading == CTC_COLORS_ARE_ENTRIES && colors && colors != corners && colors != ctc_word_of(f, CTC_VERTEX_COUNT))
        st_diag(c->diags, DIAG_COLOR_COUNT, at_member(&f->word[CTC_COLOR_COUNT]),
                "is %u, but there are %llu triangle corners and %u vertices", colors, (unsigned long long)corners,
                ctc_word_of(f, CTC_VERTEX_COUNT));
}

/* ---- Skins ---- */

static void check_skin(context *c, const ctc_skin *skin)
{
    text field = st_fixed_text(&skin->name);
    const char *name = st_text_string(c->arena, &field);
    diag_place place = at_member(&skin->name);
    st_check_chars(c, &skin->name);
    if (!st_companion_stays(name))
        st_diag(c->diags, DIAG_NAME_LEAVES_FOLDER, place, "is \"%s\", which is not in the model's folder", name);
    else if (*name)
        st_check_texture(c, name, st_ctc_texture(c->companions, name), place);
}

/* ---- Triangles ---- */

static void check_uvs(context *c, const span *uvs)
{
    tally bad = {0};
    if (!st_scan_nonfinite(uvs->data, uvs->count * UV_FLOATS))
        return;
    for (uint64_t i = 0; i < 3 * uvs->count; i++)
        tally_note(&bad, st_scan_nonfinite(uvs->data + 8 * i, 2), uvs->data + 8 * i);
    st_report(c, DIAG_NONFINITE_UV, PLACE_COLUMN, &bad, "is not finite");
}

static void check_mesh(context *c, const ctc_file *f)
{
    const span *vertices = &f->rows[CTC_VERTICES];
    mesh_view view = {.place = at_path("mesh", 1),
                      .vertex_count = vertices->count,
                      .all = st_view_f32(vertices->data, vertices->count, VERTEX_BYTES, VERTEX_BYTES / 4),
                      .position = st_ctc_column(f, CTC_VERTICES, "position"),
                      .normal = st_ctc_column(f, CTC_VERTICES, "normal"),
                      .indices = st_view_indices(&f->rows[CTC_INDICES], STELE_U16)};
    st_check_mesh(c, &view);
    check_uvs(c, &f->rows[CTC_UVS]);
}

/* The triangles that no list draws should be those that attachments are fixed to. */
static void check_undrawn(context *c, const ctc_file *f, uint64_t drawn, uint64_t undrawn)
{
    uint32_t attachments = ctc_word_of(f, CTC_ATTACHMENT_COUNT);
    uint8_t *held = undrawn <= attachments ? st_arena_alloc(c->arena, undrawn) : NULL;
    uint64_t held_count = 0;
    for (uint32_t i = 0; held && i < attachments; i++) {
        uint64_t triangle = settled_u32(load_u32(f->attachment[i].triangle.data));
        if (triangle < drawn || triangle - drawn >= undrawn || held[triangle - drawn])
            continue;
        held[triangle - drawn] = 1;
        held_count++;
    }
    if (held_count < undrawn)
        st_diag(c->diags, DIAG_TRIANGLE_NOT_DRAWN, at_row(f->rows[CTC_INDICES].data + 6 * drawn, undrawn - held_count),
                "starts the %llu triangles that are in no list, not all of which hold attachments",
                (unsigned long long)undrawn);
}

static void check_tri_lists(context *c, const ctc_file *f)
{
    const span *lists = &f->rows[CTC_TRI_LISTS];
    uint64_t triangles = ctc_word_of(f, CTC_TRIANGLE_COUNT), sum = 0, i = 0;
    while (i < lists->count && sum <= triangles)
        sum += load_u32(lists->data + 4 * i++);
    if (sum > triangles)
        st_diag(c->diags, DIAG_TRI_LIST_SUM, at_row(lists->data + 4 * (i - 1), 1),
                "makes %llu triangles, but there are only %llu", (unsigned long long)sum, (unsigned long long)triangles);
    if (!c->full)
        return;
    if (lists->count != ctc_word_of(f, CTC_SKIN_COUNT))
        st_diag(c->diags, DIAG_TRI_LIST_COUNT, at_member(&f->word[CTC_TRI_LIST_COUNT]), "is %llu, but there are %u skins",
                (unsigned long long)lists->count, ctc_word_of(f, CTC_SKIN_COUNT));
    if (lists->count && sum < triangles)
        check_undrawn(c, f, sum, triangles - sum);
}

static void check_attachments(context *c, const ctc_file *f)
{
    for (uint32_t i = 0; i < ctc_word_of(f, CTC_ATTACHMENT_COUNT); i++) {
        const ctc_attachment *a = &f->attachment[i];
        text name = st_fixed_text(&a->name);
        if (c->full)
            st_check_utf8(c, &name);
        if (load_u32(a->triangle.data) >= ctc_word_of(f, CTC_TRIANGLE_COUNT))
            st_diag(c->diags, DIAG_ATTACHMENT_TRIANGLE, at_member(&a->triangle), "is %d, but there are only %u triangles",
                    (int)(int32_t)load_u32(a->triangle.data), ctc_word_of(f, CTC_TRIANGLE_COUNT));
    }
}

static void check_substitutions(context *c, const ctc_file *f)
{
    const span *rows = &f->rows[CTC_UNKNOWN5];
    uint64_t corners = 3 * (uint64_t)ctc_word_of(f, CTC_TRIANGLE_COUNT);
    tally bad = {0};
    for (uint64_t i = 0; i < rows->count; i++) {
        const uint8_t *row = rows->data + i * UNKNOWN5_BYTES;
        tally_note(&bad, load_u32(row) >= corners || load_u32(row + 4) >= ctc_word_of(f, CTC_VERTEX_COUNT), row);
    }
    st_report(c, DIAG_SUBSTITUTION_INDEX, PLACE_ROW, &bad, "refers to a corner or a vertex that is not there");
}

/* ---- Bones ---- */

/* Plus one: 0 if there is none. */
static uint32_t parent_of(const span *bones, uint64_t bone)
{
    return settled_u32(load_u32(bones->data + bone * BONE_BYTES + BONE_PARENT));
}

static void check_bone(context *c, const span *bones, uint64_t index, uint32_t children)
{
    const uint8_t *bone = bones->data + index * BONE_BYTES;
    uint32_t parent = parent_of(bones, index);
    int32_t claimed = (int32_t)load_u32(bone + BONE_CHILDREN);
    if (parent > bones->count)
        st_diag(c->diags, DIAG_PARENT_OUT_OF_RANGE, at_column(bone + BONE_PARENT, 1), "is %d, but there are only %llu bones",
                (int)(int32_t)parent, (unsigned long long)bones->count);
    if (st_scan_nonfinite(bone + BONE_BASE, MATRIX_BYTES / 4))
        st_diag(c->diags, DIAG_NONFINITE_BONE, at_column(bone + BONE_BASE, 1), "is not finite");
    if (!c->full)
        return;
    if (parent > index + 1 && parent <= bones->count)
        st_diag(c->diags, DIAG_PARENT_ORDER, at_column(bone + BONE_PARENT, 1), "is %u: the parent comes after its child",
                parent);
    if (claimed < 0 || (uint32_t)claimed != children)
        st_diag(c->diags, DIAG_CHILD_COUNT, at_column(bone + BONE_CHILDREN, 1), "is %d, but the bone is the parent of %u",
                (int)claimed, children);
}

static diag_place place_of_bone(const void *bones, uint64_t bone)
{
    const span *rows = bones;
    return at_row(rows->data + bone * rows->stride, 1);
}

static void check_cycles(context *c, const span *bones)
{
    int64_t *parent = st_arena_array(c->arena, bones->count, sizeof *parent);
    for (uint64_t i = 0; parent && i < bones->count; i++) {
        uint32_t above = parent_of(bones, i);
        parent[i] = above && above <= bones->count ? (int64_t)above - 1 : NO_PARENT;
    }
    if (parent)
        st_check_cycles(c, parent, bones->count, place_of_bone, bones);
}

static void check_bones(context *c, const span *bones)
{
    uint32_t *children = st_arena_array(c->arena, bones->count, sizeof *children);
    if (!children)
        return;
    for (uint64_t i = 0; i < bones->count; i++) {
        uint32_t above = parent_of(bones, i);
        if (above && above <= bones->count)
            children[above - 1]++;
    }
    for (uint64_t i = 0; i < bones->count; i++)
        check_bone(c, bones, i, children[i]);
    check_cycles(c, bones);
}

/* ---- Weights ---- */

typedef struct weight_tally {
    tally beyond, nonfinite, negative, sum, nothing;
} weight_tally;

static void look_at_vertex(const uint8_t *row, uint32_t influences, uint32_t bone_count, weight_tally *t)
{
    double sum = 0, size = 0;
    bool beyond = false, negative = false;
    for (uint32_t i = 0; i < influences; i++) {
        const uint8_t *influence = row + 4 + 8 * (uint64_t)i;
        double weight = (double)load_f32(influence + 4);
        beyond |= load_u32(influence) >= bone_count;
        negative |= weight < 0;
        sum += weight;
        size += fabs(weight);
    }
    tally_note(&t->beyond, beyond, row);
    tally_note(&t->nonfinite, !isfinite(size), row);
    tally_note(&t->nothing, size == 0, row);
    tally_note(&t->sum, isfinite(size) && size != 0 && (sum < 0.99 || sum > 1.01), row);
    tally_note(&t->negative, negative, row);
}

static void check_weight_run(context *c, const ctc_weight_run *run, uint32_t bone_count)
{
    weight_tally t = {0};
    for (uint64_t i = 0; i < run->vertices.count; i++)
        look_at_vertex(run->vertices.data + i * run->vertices.stride, run->influences, bone_count, &t);
    st_report(c, DIAG_BONE_OUT_OF_RANGE, PLACE_ROW, &t.beyond, "refers to a bone that is not there");
    st_report(c, DIAG_NONFINITE_WEIGHT, PLACE_ROW, &t.nonfinite, "has a weight that is not finite");
    if (!c->full)
        return;
    st_report(c, DIAG_WEIGHT_ALL_ZERO, PLACE_ROW, &t.nothing, "is moved by no bone");
    st_report(c, DIAG_WEIGHT_SUM, PLACE_ROW, &t.sum, "has weights that do not sum to 1");
    st_report(c, DIAG_WEIGHT_NEGATIVE, PLACE_ROW, &t.negative, "has a negative weight");
}

/* ---- Animations and morphs ---- */

static void check_keys(context *c, const span *keys)
{
    tally bad = {0};
    if (!st_scan_nonfinite(keys->data, keys->count * KEY_BYTES / 4))
        return;
    for (uint64_t i = 0; i < keys->count; i++)
        tally_note(&bad, st_scan_nonfinite(keys->data + i * KEY_BYTES, KEY_BYTES / 4), keys->data + i * KEY_BYTES);
    st_report(c, DIAG_NONFINITE_KEY, PLACE_ROW, &bad, "is not finite");
}

static void check_animations(context *c, const ctc_file *f)
{
    uint32_t count = ctc_word_of(f, CTC_ANIMATION_COUNT), frames = ctc_word_of(f, CTC_FRAME_COUNT);
    ctc_clips reading = st_ctc_clips(f);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        st_check_chars(c, &f->animation[i].name);
        sum += reading == CTC_CLIPS_UNKNOWN ? f->animation[i].frame_count : st_ctc_clip_frames(&f->animation[i], reading);
    }
    if (count && sum != frames)
        st_diag(c->diags, DIAG_FRAME_COUNT, at_member(&f->word[CTC_FRAME_COUNT]), "is %u, but the animations have %llu frames",
                frames, (unsigned long long)sum);
}

static void check_morph(context *c, const ctc_morph *m, uint32_t vertex_count)
{
    tally beyond = {0}, bad = {0};
    for (uint64_t i = 0; i < m->vertices.count; i++) {
        const uint8_t *vertex = m->vertices.data + 4 * i, *target = m->targets.data + 12 * i;
        tally_note(&beyond, load_u32(vertex) >= vertex_count, vertex);
        tally_note(&bad, st_scan_nonfinite(target, 3), target);
    }
    if (beyond.count)
        st_diag(c->diags, DIAG_MORPH_INDEX, at_row(beyond.first, beyond.count), "is %u, but there are only %u vertices",
                load_u32(beyond.first), vertex_count);
    st_report(c, DIAG_NONFINITE_POSITION, PLACE_ROW, &bad, "is not finite");
    if (c->full)
        st_check_chars(c, &m->name);
}

void st_ctc_check(context *c, const raw_file *raw)
{
    const ctc_file *f = (const ctc_file *)raw;
    if (c->full) {
        check_header(c, f);
        check_all_scratch(c, f);
        check_animations(c, f);
        check_substitutions(c, f);
        for (uint32_t i = 0; i < ctc_word_of(f, CTC_SKIN_COUNT); i++)
            check_skin(c, &f->skin[i]);
    }
    check_mesh(c, f);
    check_tri_lists(c, f);
    check_attachments(c, f);
    check_bones(c, &f->rows[CTC_BONES]);
    for (uint64_t i = 0; i < f->weight_run_count; i++)
        check_weight_run(c, &f->weight_run[i], ctc_word_of(f, CTC_BONE_COUNT));
    check_keys(c, &f->rows[CTC_FRAMES]);
    for (uint32_t i = 0; i < ctc_word_of(f, CTC_MORPH_COUNT); i++)
        check_morph(c, &f->morph[i], ctc_word_of(f, CTC_VERTEX_COUNT));
}
