/* What can be wrong with a CTC. */
#include <math.h>

#include "base/scan.h"
#include "raw.h"

static diag_place header_place(context *c, ctc_word word, const char *name)
{
    return st_check_place(c, 4 * (uint64_t)word, 1, "%s", name);
}

/* ---- The file ---- */

static bool all_zero(const uint8_t *data, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++)
        if (data[i])
            return false;
    return true;
}

/* Rows of stride bytes, of which size bytes are the engine's. */
static void check_scratch(context *c, const uint8_t *data, uint64_t rows, uint32_t stride, uint32_t size, const char *list,
                          const char *part)
{
    tally used = {0};
    for (uint64_t i = 0; i < rows; i++)
        if (!all_zero(data + i * stride, size))
            tally_note(&used, i, NULL);
    if (used.count)
        st_diag(c->diags, DIAG_SCRATCH_NOT_ZERO,
                st_check_place(c, st_check_offset(c, data + used.first * stride), used.count, "%s[%llu]%s", list,
                               (unsigned long long)used.first, part),
                "is not empty, although only the engine works there");
}

static void check_all_scratch(context *c, const ctc_file *f)
{
    const span *output = &f->rows[CTC_OUTPUT_VERTICES], *bones = &f->rows[CTC_BONES], *tris3 = &f->rows[CTC_TRIS3];
    uint32_t morphs = ctc_word_of(f, CTC_MORPH_COUNT);
    check_scratch(c, output->data, output->count, output->stride, output->stride, "mesh.output_vertices", "");
    check_scratch(c, tris3->data, tris3->count, tris3->stride, tris3->stride, "mesh.tris3", "");
    if (bones->count) {
        check_scratch(c, bones->data + BONE_CHILD_LIST, bones->count, BONE_BYTES, 4, "bone", ".child_list");
        check_scratch(c, bones->data + BONE_FINAL, bones->count, BONE_BYTES, MATRIX_BYTES, "bone", ".final");
    }
    if (morphs)
        check_scratch(c, f->morph[0].scratch.data, morphs, MORPH_BYTES, 12, "morph", ".scratch");
}

static void check_header(context *c, const ctc_file *f)
{
    uint32_t end = ctc_word_of(f, CTC_EOF_OFFSET), colors = ctc_word_of(f, CTC_COLOR_COUNT);
    uint64_t corners = 3 * (uint64_t)ctc_word_of(f, CTC_TRIANGLE_COUNT);
    if (f->raw.dialect != CTC_V11)
        st_diag(c->diags, DIAG_VERSION_UNTESTED, header_place(c, CTC_VERSION, "version"),
                "is %u, of which no file is known: this one is read as if it were 11", CTC_NEWEST - f->raw.dialect);
    if (end != c->size)
        st_diag(c->diags, DIAG_EOF_POSITION, header_place(c, CTC_EOF_OFFSET, "eof_offset"), "is %d, but the file ends at %llu",
                (int)(int32_t)end, (unsigned long long)c->size);
    if (f->raw.reading == CTC_COLORS_ARE_BYTES)
        st_diag(c->diags, DIAG_NONSTANDARD_LAYOUT, header_place(c, CTC_COLOR_COUNT, "color_count"),
                "is %u, and counts the bytes of the colours rather than the colours", colors);
    if (f->raw.reading == CTC_COLORS_ARE_ENTRIES && colors && colors != corners && colors != ctc_word_of(f, CTC_VERTEX_COUNT))
        st_diag(c->diags, DIAG_COLOR_COUNT, header_place(c, CTC_COLOR_COUNT, "color_count"),
                "is %u, but there are %llu triangle corners and %u vertices", colors, (unsigned long long)corners,
                ctc_word_of(f, CTC_VERTEX_COUNT));
}

/* ---- Skins ---- */

static void check_skin(context *c, const ctc_skin *skin, uint32_t index)
{
    char path[WALK_PATH];
    text field = st_fixed_text(&skin->name);
    const char *name = st_text_string(c->arena, &field);
    st_check_string(c, &field, st_check_path(path, "skin[%u].name", index));
    diag_place place = st_check_place(c, st_check_offset(c, skin->name.data), 1, "skin[%u].name", index);
    if (!st_companion_stays(name))
        st_diag(c->diags, DIAG_NAME_LEAVES_FOLDER, place, "is \"%s\", which is not in the model's folder", name);
    else if (st_companions_any(c->companions) && !st_ctc_texture(c->companions, name))
        st_diag(c->diags, DIAG_TEXTURE_MISSING, place, "is \"%s\", which is not beside the model, of whatever type", name);
}

/* ---- Triangles ---- */

static void check_uvs(context *c, const span *uvs)
{
    tally bad = {0};
    if (!st_scan_nonfinite(uvs->data, uvs->count * UV_FLOATS))
        return;
    for (uint64_t i = 0; i < 3 * uvs->count; i++)
        if (st_scan_nonfinite(uvs->data + 8 * i, 2))
            tally_note(&bad, i, NULL);
    st_diag(c->diags, DIAG_NONFINITE_UV,
            st_check_place(c, st_check_offset(c, uvs->data + 8 * bad.first), bad.count, "mesh.uvs[%llu].uv%u",
                           (unsigned long long)(bad.first / 3), (unsigned)(bad.first % 3)),
            "is not finite");
}

static void check_mesh(context *c, const ctc_file *f)
{
    const span *vertices = &f->rows[CTC_VERTICES], *indices = &f->rows[CTC_INDICES];
    mesh_view view = {.path = "mesh",
                      .vertex_count = vertices->count,
                      .all = {vertices->data, VERTEX_BYTES, VERTEX_BYTES / 4},
                      .position = {vertices->data, VERTEX_BYTES, 3},
                      .normal = {vertices->data ? vertices->data + VERTEX_NORMAL : NULL, VERTEX_BYTES, 3},
                      .indices = indices->data,
                      .index_count = indices->count,
                      .index_type = STELE_U16};
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
        uint64_t triangle = load_u32(f->attachment[i].triangle.data);
        if (triangle < drawn || triangle - drawn >= undrawn || held[triangle - drawn])
            continue;
        held[triangle - drawn] = 1;
        held_count++;
    }
    if (held_count < undrawn)
        st_diag(c->diags, DIAG_TRIANGLE_NOT_DRAWN,
                st_check_place(c, st_check_offset(c, f->rows[CTC_INDICES].data + 6 * drawn), undrawn - held_count,
                               "mesh.indices[%llu]", (unsigned long long)(3 * drawn)),
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
        st_diag(
            c->diags, DIAG_TRI_LIST_SUM,
            st_check_place(c, st_check_offset(c, lists->data + 4 * (i - 1)), 1, "tri_list[%llu]", (unsigned long long)(i - 1)),
            "makes %llu triangles, but there are only %llu", (unsigned long long)sum, (unsigned long long)triangles);
    if (!c->full)
        return;
    if (lists->count != ctc_word_of(f, CTC_SKIN_COUNT))
        st_diag(c->diags, DIAG_TRI_LIST_COUNT, header_place(c, CTC_TRI_LIST_COUNT, "tri_list_count"),
                "is %llu, but there are %u skins", (unsigned long long)lists->count, ctc_word_of(f, CTC_SKIN_COUNT));
    if (lists->count && sum < triangles)
        check_undrawn(c, f, sum, triangles - sum);
}

static void check_attachments(context *c, const ctc_file *f)
{
    char path[WALK_PATH];
    for (uint32_t i = 0; i < ctc_word_of(f, CTC_ATTACHMENT_COUNT); i++) {
        const ctc_attachment *a = &f->attachment[i];
        text name = st_fixed_text(&a->name);
        if (c->full)
            st_check_utf8(c, &name, st_check_path(path, "attachment[%u].name", i));
        if (load_u32(a->triangle.data) >= ctc_word_of(f, CTC_TRIANGLE_COUNT))
            st_diag(c->diags, DIAG_ATTACHMENT_TRIANGLE,
                    st_check_place(c, st_check_offset(c, a->triangle.data), 1, "attachment[%u].triangle", i),
                    "is %d, but there are only %u triangles", (int)(int32_t)load_u32(a->triangle.data),
                    ctc_word_of(f, CTC_TRIANGLE_COUNT));
    }
}

static void check_substitutions(context *c, const ctc_file *f)
{
    const span *rows = &f->rows[CTC_UNKNOWN5];
    uint64_t corners = 3 * (uint64_t)ctc_word_of(f, CTC_TRIANGLE_COUNT);
    tally bad = {0};
    for (uint64_t i = 0; i < rows->count; i++) {
        const uint8_t *row = rows->data + i * UNKNOWN5_BYTES;
        if (load_u32(row) >= corners || load_u32(row + 4) >= ctc_word_of(f, CTC_VERTEX_COUNT))
            tally_note(&bad, i, NULL);
    }
    if (bad.count)
        st_diag(c->diags, DIAG_SUBSTITUTION_INDEX,
                st_check_place(c, st_check_offset(c, rows->data + bad.first * UNKNOWN5_BYTES), bad.count, "unknown5[%llu]",
                               (unsigned long long)bad.first),
                "refers to a corner or a vertex that is not there");
}

/* ---- Bones ---- */

static uint32_t parent_of(const span *bones, uint64_t bone)
{
    return load_u32(bones->data + bone * BONE_BYTES + BONE_PARENT);
}

static bool parent_known(const span *bones, uint64_t bone)
{
    return parent_of(bones, bone) && parent_of(bones, bone) <= bones->count;
}

static diag_place bone_place(context *c, const span *bones, uint64_t bone, unsigned part, const char *name)
{
    return st_check_place(c, st_check_offset(c, bones->data + bone * BONE_BYTES + part), 1, "bone[%llu]%s",
                          (unsigned long long)bone, name);
}

static void check_bone(context *c, const span *bones, uint64_t index, uint32_t children)
{
    const uint8_t *bone = bones->data + index * BONE_BYTES;
    uint32_t parent = parent_of(bones, index);
    int32_t claimed = (int32_t)load_u32(bone + BONE_CHILDREN);
    if (parent > bones->count)
        st_diag(c->diags, DIAG_PARENT_OUT_OF_RANGE, bone_place(c, bones, index, BONE_PARENT, ".parent_plus_one"),
                "is %d, but there are only %llu bones", (int)(int32_t)parent, (unsigned long long)bones->count);
    if (st_scan_nonfinite(bone + BONE_BASE, MATRIX_BYTES / 4))
        st_diag(c->diags, DIAG_NONFINITE_BONE, bone_place(c, bones, index, BONE_BASE, ".base"), "is not finite");
    if (!c->full)
        return;
    if (parent > index + 1 && parent <= bones->count)
        st_diag(c->diags, DIAG_PARENT_ORDER, bone_place(c, bones, index, BONE_PARENT, ".parent_plus_one"),
                "is %u: the parent comes after its child", parent);
    if (claimed < 0 || (uint32_t)claimed != children)
        st_diag(c->diags, DIAG_CHILD_COUNT, bone_place(c, bones, index, BONE_CHILDREN, ".child_count"),
                "is %d, but the bone is the parent of %u", (int)claimed, children);
}

static uint64_t offset_of_bone(const context *c, const void *bones, uint64_t bone)
{
    const span *rows = bones;
    return st_check_offset(c, rows->data + bone * rows->stride);
}

static void check_cycles(context *c, const span *bones)
{
    int64_t *parent = st_arena_array(c->arena, bones->count, sizeof *parent);
    for (uint64_t i = 0; parent && i < bones->count; i++)
        parent[i] = parent_known(bones, i) ? (int64_t)parent_of(bones, i) - 1 : NO_PARENT;
    if (parent)
        st_check_cycles(c, parent, bones->count, "bone", offset_of_bone, bones);
}

static void check_bones(context *c, const span *bones)
{
    uint32_t *children = st_arena_array(c->arena, bones->count, sizeof *children);
    if (!children)
        return;
    for (uint64_t i = 0; i < bones->count; i++)
        if (parent_known(bones, i))
            children[parent_of(bones, i) - 1]++;
    for (uint64_t i = 0; i < bones->count; i++)
        check_bone(c, bones, i, children[i]);
    check_cycles(c, bones);
}

/* ---- Weights ---- */

typedef struct weight_tally {
    tally beyond, nonfinite, negative, sum, nothing;
} weight_tally;

static void look_at_vertex(const uint8_t *row, uint32_t influences, uint32_t bone_count, uint64_t vertex, weight_tally *t)
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
    if (beyond)
        tally_note(&t->beyond, vertex, NULL);
    if (!isfinite(size))
        tally_note(&t->nonfinite, vertex, NULL);
    else if (size == 0)
        tally_note(&t->nothing, vertex, NULL);
    else if (sum < 0.99 || sum > 1.01)
        tally_note(&t->sum, vertex, NULL);
    if (negative)
        tally_note(&t->negative, vertex, NULL);
}

static void report_weights(context *c, const ctc_weight_run *run, uint64_t index, diag_code code, const tally *t,
                           const char *says)
{
    if (t->count)
        st_diag(c->diags, code,
                st_check_place(c, st_check_offset(c, run->vertices.data + t->first * run->vertices.stride), t->count,
                               "weight_run[%llu].vertices[%llu]", (unsigned long long)index, (unsigned long long)t->first),
                "%s", says);
}

static void check_weight_run(context *c, const ctc_weight_run *run, uint64_t index, uint32_t bone_count)
{
    weight_tally t = {0};
    for (uint64_t i = 0; i < run->vertices.count; i++)
        look_at_vertex(run->vertices.data + i * run->vertices.stride, run->influences, bone_count, i, &t);
    report_weights(c, run, index, DIAG_BONE_OUT_OF_RANGE, &t.beyond, "refers to a bone that is not there");
    report_weights(c, run, index, DIAG_NONFINITE_WEIGHT, &t.nonfinite, "has a weight that is not finite");
    if (!c->full)
        return;
    report_weights(c, run, index, DIAG_WEIGHT_ALL_ZERO, &t.nothing, "is moved by no bone");
    report_weights(c, run, index, DIAG_WEIGHT_SUM, &t.sum, "has weights that do not sum to 1");
    report_weights(c, run, index, DIAG_WEIGHT_NEGATIVE, &t.negative, "has a negative weight");
}

/* ---- Animations and morphs ---- */

static void check_keys(context *c, const span *keys)
{
    tally bad = {0};
    if (!st_scan_nonfinite(keys->data, keys->count * KEY_BYTES / 4))
        return;
    for (uint64_t i = 0; i < keys->count; i++)
        if (st_scan_nonfinite(keys->data + i * KEY_BYTES, KEY_BYTES / 4))
            tally_note(&bad, i, NULL);
    st_diag(c->diags, DIAG_NONFINITE_KEY,
            st_check_place(c, st_check_offset(c, keys->data + bad.first * KEY_BYTES), bad.count, "key[%llu]",
                           (unsigned long long)bad.first),
            "is not finite");
}

static void check_animations(context *c, const ctc_file *f)
{
    char path[WALK_PATH];
    uint32_t count = ctc_word_of(f, CTC_ANIMATION_COUNT), frames = ctc_word_of(f, CTC_FRAME_COUNT);
    ctc_clips reading = st_ctc_clips(f);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        text name = st_fixed_text(&f->animation[i].name);
        st_check_string(c, &name, st_check_path(path, "animation[%u].name", i));
        sum += reading == CTC_CLIPS_UNKNOWN ? f->animation[i].frame_count : st_ctc_clip_frames(&f->animation[i], reading);
    }
    if (count && sum != frames)
        st_diag(c->diags, DIAG_FRAME_COUNT, header_place(c, CTC_FRAME_COUNT, "frame_count"),
                "is %u, but the animations have %llu frames", frames, (unsigned long long)sum);
}

static void check_morph(context *c, const ctc_file *f, uint32_t index)
{
    char path[WALK_PATH];
    const ctc_morph *m = &f->morph[index];
    text name = st_fixed_text(&m->name);
    tally beyond = {0}, bad = {0};
    for (uint64_t i = 0; i < m->vertices.count; i++) {
        if (load_u32(m->vertices.data + 4 * i) >= ctc_word_of(f, CTC_VERTEX_COUNT))
            tally_note(&beyond, i, NULL);
        if (st_scan_nonfinite(m->targets.data + 12 * i, 3))
            tally_note(&bad, i, NULL);
    }
    if (beyond.count)
        st_diag(c->diags, DIAG_MORPH_INDEX,
                st_check_place(c, st_check_offset(c, m->vertices.data + 4 * beyond.first), beyond.count,
                               "morph[%u].vertices[%llu]", index, (unsigned long long)beyond.first),
                "is %u, but there are only %u vertices", load_u32(m->vertices.data + 4 * beyond.first),
                ctc_word_of(f, CTC_VERTEX_COUNT));
    if (bad.count)
        st_diag(c->diags, DIAG_NONFINITE_POSITION,
                st_check_place(c, st_check_offset(c, m->targets.data + 12 * bad.first), bad.count, "morph[%u].targets[%llu]",
                               index, (unsigned long long)bad.first),
                "is not finite");
    if (c->full)
        st_check_string(c, &name, st_check_path(path, "morph[%u].name", index));
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
            check_skin(c, &f->skin[i], i);
    }
    check_mesh(c, f);
    check_tri_lists(c, f);
    check_attachments(c, f);
    check_bones(c, &f->rows[CTC_BONES]);
    for (uint64_t i = 0; i < f->weight_run_count; i++)
        check_weight_run(c, &f->weight_run[i], i, ctc_word_of(f, CTC_BONE_COUNT));
    check_keys(c, &f->rows[CTC_FRAMES]);
    for (uint32_t i = 0; i < ctc_word_of(f, CTC_MORPH_COUNT); i++)
        check_morph(c, f, i);
}
