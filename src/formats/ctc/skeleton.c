/* How the vertices of a CTC hang from its bones. What base matrices are is not proven: of the ways to take them, the one is
 * right that keeps the seams between bones closed while the bones move. */
#include <math.h>

#include "raw.h"

const char *const st_ctc_bind_names[] = {"inverse", "forward", "local"};

uint32_t st_ctc_parent(const ctc_file *f, uint32_t bone)
{
    uint32_t parent = settled_u32(load_u32(f->rows[CTC_BONES].data + (uint64_t)bone * BONE_BYTES + BONE_PARENT));
    return parent && parent <= f->rows[CTC_BONES].count ? parent - 1 : STELE_NONE;
}

const uint8_t *st_ctc_frame(const ctc_file *f, uint64_t frame)
{
    if (!ctc_word_of(f, CTC_FRAME_COUNT))
        return NULL;
    return f->rows[CTC_FRAMES].data + frame * KEY_BYTES * (1 + (uint64_t)ctc_word_of(f, CTC_BONE_COUNT));
}

/* Bones come out when all above them have. */
static uint32_t *order_bones(const ctc_file *f, arena *a, uint32_t count)
{
    uint32_t *order = st_arena_array(a, count, sizeof *order), *chain = st_arena_array(a, count, sizeof *chain);
    uint8_t *placed = st_arena_alloc(a, count);
    uint32_t done = 0;
    for (uint32_t i = 0; order && chain && placed && i < count; i++) {
        uint32_t length = 0;
        for (uint32_t b = i; b != STELE_NONE && !placed[b]; b = st_ctc_parent(f, b)) {
            placed[b] = 1;
            chain[length++] = b;
        }
        while (length)
            order[done++] = chain[--length];
    }
    return done == count ? order : NULL;
}

/* ---- Weights ---- */

static uint32_t owner_of(const ctc_rig *rig, uint32_t vertex)
{
    uint32_t owner = STELE_NONE;
    float greatest = 0;
    for (uint32_t i = 0; i < rig->influences[vertex]; i++) {
        const uint8_t *influence = rig->weights[vertex] + 8 * (uint64_t)i;
        float weight = load_f32(influence + 4);
        if (weight > greatest) {
            greatest = weight;
            owner = settled_u32(load_u32(influence));
        }
    }
    return owner < rig->bone_count ? owner : STELE_NONE;
}

static void read_weights(const ctc_file *f, ctc_rig *rig)
{
    uint32_t vertex = 0;
    for (uint64_t i = 0; i < f->weight_run_count; i++) {
        const span *rows = &f->weight_run[i].vertices;
        for (uint64_t k = 0; k < rows->count && vertex < rig->vertex_count; k++, vertex++) {
            rig->weights[vertex] = rows->data + k * rows->stride + 4;
            rig->influences[vertex] = f->weight_run[i].influences;
            rig->owner[vertex] = owner_of(rig, vertex);
        }
    }
    for (; vertex < rig->vertex_count; vertex++)
        rig->owner[vertex] = STELE_NONE;
    for (uint32_t i = 0; i < rig->vertex_count; i++)
        rig->some_unowned |= rig->owner[i] == STELE_NONE;
}

/* ---- Base matrices ---- */

static void base_floats(const ctc_file *f, uint32_t bone, float base[16])
{
    const uint8_t *bytes = f->rows[CTC_BONES].data + (uint64_t)bone * BONE_BYTES + BONE_BASE;
    for (int i = 0; i < 16; i++)
        base[i] = load_f32(bytes + 4 * i);
}

/* Whether translations are where they are only if the matrices are stored column by column. */
static bool stored_by_columns(const ctc_file *f, uint32_t count)
{
    bool below = false;
    for (uint32_t i = 0; i < count; i++) {
        float base[16];
        base_floats(f, i, base);
        if (base[3] != 0 || base[7] != 0 || base[11] != 0)
            return false;
        below |= base[12] != 0 || base[13] != 0 || base[14] != 0;
    }
    return below;
}

static matrix base_of(const ctc_file *f, uint32_t bone, bool columns)
{
    float base[16];
    base_floats(f, bone, base);
    matrix m = columns ? st_matrix_of_columns(base) : st_matrix_of_rows(base);
    for (int i = 0; i < 4; i++)
        m.m[4 * i + 3] = i == 3;
    return m;
}

static bool fits_floats(const matrix *m)
{
    for (int i = 0; i < 16; i++)
        if (!isfinite((float)m->m[i]))
            return false;
    return true;
}

/* The inverse bind matrix of a bone if base matrices are meant in that way. False if it cannot be. */
static bool inverse_bind(const ctc_file *f, uint32_t bone, bool columns, ctc_bind_way way, matrix *result)
{
    matrix base = base_of(f, bone, columns);
    *result = way == CTC_BIND_INVERSE ? base : st_matrix_identity();
    return way != CTC_BIND_FORWARD || (st_matrix_inverse(&base, result) && fits_floats(result));
}

/* ---- Which way keeps the seams closed ---- */

typedef struct seams {
    uint64_t count;
    double length[CTC_BIND_WAYS]; /* INFINITY: it cannot be that way */
} seams;

static void point_of(const ctc_file *f, uint32_t vertex, double point[3])
{
    const uint8_t *position = f->rows[CTC_VERTICES].data + (uint64_t)vertex * VERTEX_BYTES;
    for (int i = 0; i < 3; i++)
        point[i] = (double)load_f32(position + 4 * i);
}

/* Adds the edges that join vertices of different bones, as they are in one frame. */
static void add_seams(const ctc_file *f, const ctc_rig *rig, const matrix *skinning, seams *s)
{
    uint64_t corners = sense_rows(f->rows[CTC_INDICES].count / 3) * 3;
    for (uint64_t i = 0; i < corners; i++) {
        uint32_t a = ctc_vertex_of(f, i), b = ctc_vertex_of(f, i % 3 == 2 ? i - 2 : i + 1);
        uint32_t bone_a = rig->owner[a], bone_b = rig->owner[b];
        double from[3], to[3], point[3];
        if (bone_a == bone_b || bone_a == STELE_NONE || bone_b == STELE_NONE)
            continue;
        s->count++;
        for (unsigned way = 0; way < CTC_BIND_WAYS; way++) {
            point_of(f, a, point);
            st_matrix_point(&skinning[(uint64_t)way * rig->bone_count + bone_a], point, from);
            point_of(f, b, point);
            st_matrix_point(&skinning[(uint64_t)way * rig->bone_count + bone_b], point, to);
            s->length[way] += distance3(from, to);
        }
    }
}

/* Where the bones are in a frame. */
static void place_bones(const ctc_file *f, const ctc_rig *rig, uint64_t frame, matrix *place)
{
    const uint8_t *keys = st_ctc_frame(f, frame);
    ctc_key main_key = st_ctc_key(keys);
    matrix main_matrix = st_ctc_key_matrix(&main_key);
    for (uint32_t i = 0; i < rig->bone_count; i++) {
        uint32_t bone = rig->order[i], parent = st_ctc_parent(f, bone);
        ctc_key key = st_ctc_key(keys + KEY_BYTES * (1 + (uint64_t)bone));
        matrix local = st_ctc_key_matrix(&key);
        place[bone] = st_matrix_product(parent == STELE_NONE ? &main_matrix : &place[parent], &local);
    }
}

/* What the bones do to vertices there, for each way. */
static void skin_bones(const ctc_file *f, const ctc_rig *rig, const matrix *place, matrix *skinning, seams *s)
{
    for (unsigned way = 0; way < CTC_BIND_WAYS; way++)
        for (uint32_t bone = 0; bone < rig->bone_count; bone++) {
            matrix inverse;
            if (!inverse_bind(f, bone, rig->columns, (ctc_bind_way)way, &inverse))
                s->length[way] = INFINITY;
            skinning[(uint64_t)way * rig->bone_count + bone] = st_matrix_product(&place[bone], &inverse);
        }
}

enum { LOOK_AT_FRAMES = 4 };

static seams measure_seams(context *c, const ctc_file *f, const ctc_rig *rig)
{
    seams s = {0};
    uint64_t frames = ctc_word_of(f, CTC_FRAME_COUNT), looks = frames < LOOK_AT_FRAMES ? frames : LOOK_AT_FRAMES;
    arena_mark mark = st_arena_mark(c->arena);
    matrix *place = st_arena_array(c->arena, rig->bone_count, sizeof *place);
    matrix *skinning = st_arena_array(c->arena, (uint64_t)CTC_BIND_WAYS * rig->bone_count, sizeof *skinning);
    for (uint64_t i = 0; place && skinning && i < looks; i++) {
        place_bones(f, rig, looks == 1 ? 0 : i * (frames - 1) / (looks - 1), place);
        skin_bones(f, rig, place, skinning, &s);
        add_seams(f, rig, skinning, &s);
    }
    st_arena_rewind(c->arena, mark);
    return s;
}

static diag_place base_place(const ctc_file *f)
{
    return at_column(f->rows[CTC_BONES].data + BONE_BASE, ctc_word_of(f, CTC_BONE_COUNT));
}

/* Bones that bend shorten some seams and lengthen others: only seams that are torn open otherwise are evidence. */
static const double strong_evidence = 0.5;

static ctc_bind_way best_way(const seams *s)
{
    ctc_bind_way best = CTC_BIND_INVERSE;
    for (unsigned way = 1; way < CTC_BIND_WAYS; way++)
        if (s->length[way] < strong_evidence * s->length[CTC_BIND_INVERSE] &&
            s->length[way] < s->length[best] * (1 - 1e-6)) /* equal within rounding: the first */
            best = (ctc_bind_way)way;
    return best;
}

static ctc_bind_way decide_way(context *c, const ctc_file *f, const ctc_rig *rig)
{
    seams s = measure_seams(c, f, rig);
    double count = (double)(s.count ? s.count : 1);
    ctc_bind_way best = best_way(&s);
    if (s.count)
        st_diag(c->diags, best == CTC_BIND_INVERSE ? DIAG_ASSUMED : DIAG_NONSTANDARD_LAYOUT, base_place(f),
                "is taken as %s: the edges between bones then have a length of %.3g, rather than %.3g inverse, %.3g forward, "
                "%.3g local",
                st_ctc_bind_names[best], s.length[best] / count, s.length[0] / count, s.length[1] / count, s.length[2] / count);
    else
        st_diag(c->diags, DIAG_ASSUMED, base_place(f), "is taken as inverse: nothing in the file speaks for another");
    return best;
}

static ctc_bind_way choose_way(context *c, const ctc_file *f, const ctc_rig *rig)
{
    const char *choice = st_load_choice(c, CTC_BIND_KEY);
    for (unsigned way = 0; way < CTC_BIND_WAYS; way++)
        if (strcmp(choice, st_ctc_bind_names[way]) == 0)
            return (ctc_bind_way)way;
    return decide_way(c, f, rig);
}

/* ---- All of it ---- */

static void load_binds(context *c, const ctc_file *f, ctc_rig *rig)
{
    uint32_t none = 0;
    rig->columns = stored_by_columns(f, rig->bone_count);
    if (rig->columns)
        st_diag(c->diags, DIAG_ASSUMED, base_place(f), "is taken to be stored column by column: its rows hold no translation");
    rig->way = choose_way(c, f, rig);
    for (uint32_t i = 0; i < rig->bone_count; i++)
        none += !inverse_bind(f, i, rig->columns, rig->way, &rig->inverse_bind[i]);
    if (none)
        st_diag(c->diags, DIAG_ASSUMED, base_place(f), "%u of them cannot be inverted: taken as identity", none);
}

static void skin_rest(const ctc_file *f, ctc_rig *rig)
{
    bool posed = ctc_word_of(f, CTC_FRAME_COUNT);
    if (posed)
        place_bones(f, rig, 0, rig->rest);
    for (uint32_t i = 0; i < rig->bone_count; i++)
        rig->rest[i] = posed ? st_matrix_product(&rig->rest[i], &rig->inverse_bind[i]) : st_matrix_identity();
}

bool st_ctc_load_rig(context *c, const ctc_file *f, ctc_rig *rig)
{
    enum { MOST_INDEXED = 65536 };
    uint32_t vertices = ctc_word_of(f, CTC_VERTEX_COUNT);
    *rig = (ctc_rig){.bone_count = ctc_word_of(f, CTC_BONE_COUNT),
                     .vertex_count = vertices < MOST_INDEXED ? vertices : MOST_INDEXED};
    rig->order = order_bones(f, c->arena, rig->bone_count);
    rig->weights = st_arena_array(c->arena, rig->vertex_count, sizeof *rig->weights);
    rig->influences = st_arena_array(c->arena, rig->vertex_count, sizeof *rig->influences);
    rig->owner = st_arena_array(c->arena, rig->vertex_count, sizeof *rig->owner);
    rig->inverse_bind = st_arena_array(c->arena, rig->bone_count, sizeof *rig->inverse_bind);
    rig->rest = st_arena_array(c->arena, rig->bone_count, sizeof *rig->rest);
    if (!rig->order || !rig->weights || !rig->influences || !rig->owner || !rig->inverse_bind || !rig->rest)
        return false;
    read_weights(f, rig);
    if (rig->bone_count) {
        load_binds(c, f, rig);
        skin_rest(f, rig);
    }
    return true;
}
