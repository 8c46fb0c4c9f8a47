/* What loading shares: choices, textures, repairs. */
#include <math.h>

#include "base/bytes.h"
#include "base/order.h"
#include "base/scan.h"
#include "base/vector.h"
#include "check_mesh.h"
#include "load.h"
#include "ops.h"

const char *st_load_choice(const context *c, const char *name)
{
    for (size_t i = c->load->options->choice_count; i-- > 0;) /* the last one wins */
        if (strcmp(c->load->options->choices[i].name, name) == 0)
            return c->load->options->choices[i].value;
    for (size_t i = 0; i < c->load->choice_count; i++)
        if (strcmp(c->load->choices[i].name, name) == 0)
            return st_arena_text(c->arena, c->load->choices[i].values, strcspn(c->load->choices[i].values, " "));
    return "";
}

double st_load_fps(const context *c, double usual)
{
    return c->load->options->fps > 0 ? c->load->options->fps : usual;
}

uint32_t st_load_texture(context *c, const char *name, diag_place at)
{
    stele_texture texture = {.name = name, .file = st_companion_texture(c->companions, name)};
    /* a full check has said so already */
    if (!texture.file && !c->full && st_companions_any(c->companions))
        st_diag(c->diags, DIAG_TEXTURE_MISSING, at, "%s is not beside the model", name);
    uint32_t index = st_model_add_texture(c->load->model, c->arena, &texture);
    st_part_at(c, STELE_PART_TEXTURE, index, at);
    return index;
}

/* ---- Repairs of floats ---- */

static bool is_unit(const float v[3])
{
    return st_unit_enough(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

uint64_t st_count_bad_normals(const stele_view *normal)
{
    uint64_t bad = 0;
    if (normal->type == STELE_F32 &&
        !st_scan_squares_outside(normal->data, normal->count, normal->stride, LEAST_UNIT, MOST_UNIT))
        return 0;
    for (uint64_t i = 0; i < normal->count; i++) {
        float n[4];
        view_row(normal, i, 3, n);
        bad += !is_unit(n);
    }
    return bad;
}

static bool brought_to_unit(float n[3])
{
    double wide[3];
    widen3(n, wide);
    if (!(length3(wide) > 1e-12) || !normalize3(wide))
        return false;
    for (int k = 0; k < 3; k++)
        n[k] = (float)wide[k];
    return true;
}

stele_view st_repair_normals(context *c, const stele_primitive *p, const stele_view *normal, diag_place at)
{
    bool fine = !c->load->repair || normal->components != 3 || st_known(c->facts, normal, FACT_UNIT);
    uint64_t bad = fine ? 0 : st_count_bad_normals(normal);
    uint8_t *bytes = NULL;
    stele_view made = {0}, repaired;
    if (!bad)
        return *normal;
    repaired = st_view_make(c->arena, normal->count, STELE_F32, 3, &bytes);
    for (uint64_t i = 0; bytes && i < normal->count; i++) {
        float n[3];
        view_row(normal, i, 3, n);
        if (!is_unit(n) && !brought_to_unit(n)) {
            if (!made.count)
                made = st_normals_of(c->arena, p);
            if (!made.count)
                return *normal;
            view_row(&made, i, 3, n);
        }
        for (uint32_t k = 0; k < 3; k++)
            store_f32(bytes + 12 * i + 4 * k, n[k]);
    }
    st_diag(c->diags, DIAG_REPAIRED_NORMAL, counted(bad, at), "%llu normal%s brought to length 1", (unsigned long long)bad,
            bad == 1 ? " was" : "s were");
    if (!bytes)
        return *normal;
    st_know(c->facts, &repaired, FACT_FINITE | FACT_UNIT);
    st_made_of(c, &repaired, normal);
    return repaired;
}

static bool may_repair(const context *c, const stele_view *view)
{
    return c->load->repair && view->type == STELE_F32;
}

static bool not_finite(float value)
{
    return !isfinite(value);
}

/* Rebuilds a view of floats some of which a test finds bad, each number put right. Scanned: a faster test has found some. */
typedef bool (*number_is_bad)(float value);
typedef float (*number_put_right)(float value);

static stele_view repair_numbers(context *c, const stele_view *view, bool scanned, number_is_bad is_bad,
                                 number_put_right put_right, uint64_t *bad)
{
    uint8_t *bytes = NULL;
    stele_view repaired;
    *bad = 0;
    for (uint64_t i = 0; scanned && i < view->count; i++)
        for (uint32_t k = 0; k < view->components; k++)
            *bad += is_bad(load_f32(st_view_at(view, i) + 4 * k));
    if (!*bad)
        return *view;
    repaired = st_view_make(c->arena, view->count, STELE_F32, view->components, &bytes);
    for (uint64_t i = 0; bytes && i < view->count; i++)
        for (uint32_t k = 0; k < view->components; k++)
            store_f32(bytes + i * repaired.stride + 4 * k, put_right(load_f32(st_view_at(view, i) + 4 * k)));
    if (!bytes)
        return *view;
    st_know(c->facts, &repaired, FACT_FINITE);
    st_made_of(c, &repaired, view);
    return repaired;
}

static float finite_or_zero(float value)
{
    return isfinite(value) ? value : 0;
}

stele_view st_repair_uvs(context *c, const stele_view *uv, diag_place at)
{
    uint64_t bad;
    bool some = may_repair(c, uv) && !st_known(c->facts, uv, FACT_FINITE) &&
                st_scan_nonfinite_rows(uv->data, uv->count, uv->stride, uv->components);
    stele_view repaired = repair_numbers(c, uv, some, not_finite, finite_or_zero, &bad);
    if (bad)
        st_diag(c->diags, DIAG_REPAIRED_UV, counted(bad, at), "%llu number%s not finite: taken as 0", (unsigned long long)bad,
                bad == 1 ? " is" : "s are");
    return repaired;
}

static void flip_rows(const stele_view *uv, uint64_t first, uint64_t count, uint8_t *bytes)
{
    const uint8_t *from = st_view_at(uv, first);
    bytes += 8 * first;
    for (uint64_t i = 0; i < count; i++, from += uv->stride, bytes += 8) {
        memcpy(bytes, from, 4);
        store_f32(bytes + 4, 1 - load_f32(from + 4));
    }
}

stele_view st_flipped_uvs(const context *c, const stele_view *uv, row_visitor visit, void *visitor)
{
    enum { ROWS_AT_ONCE = 1024 };
    uint8_t *bytes;
    stele_view flipped = st_view_room(c->arena, uv->count, STELE_F32, 2, &bytes);
    for (uint64_t first = 0; first < flipped.count; first += ROWS_AT_ONCE) {
        uint64_t left = flipped.count - first, count = left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE;
        flip_rows(uv, first, count, bytes);
        if (visit)
            visit(visitor, first, count);
    }
    if (st_known(c->facts, uv, FACT_FINITE))
        st_know(c->facts, &flipped, FACT_FINITE);
    st_made_of(c, &flipped, uv);
    return flipped;
}

void st_look_at_normals(void *look, uint64_t first, uint64_t count)
{
    normal_look *l = look;
    const stele_view *normal = &l->normal;
    if (normal->components == 3 && !l->other)
        l->other = st_scan_squares_outside(st_view_at(normal, first), count, normal->stride, LEAST_UNIT, MOST_UNIT);
}

void st_know_normals(const context *c, const normal_look *look)
{
    if (look->normal.components == 3 && !look->other)
        st_know(c->facts, &look->normal, FACT_UNIT);
}

static bool no_color(float value)
{
    return !(value >= 0 && value <= 1);
}

static float color(float value)
{
    return isfinite(value) ? lesserf(greaterf(value, 0), 1) : 1;
}

stele_view st_repair_colors(context *c, const stele_view *view, diag_place at)
{
    uint64_t bad;
    bool some = may_repair(c, view) && st_scan_outside_rows(view->data, view->count, view->stride, view->components, 0, 1);
    stele_view repaired = repair_numbers(c, view, some, no_color, color, &bad);
    if (bad)
        st_diag(c->diags, DIAG_REPAIRED_COLOR, counted(bad, at), "%llu number%s not between 0 and 1: brought there",
                (unsigned long long)bad, bad == 1 ? " is" : "s are");
    return repaired;
}

stele_view st_repair_attribute(context *c, const stele_primitive *p, const stele_attribute *a, diag_place at)
{
    switch (a->semantic) {
    case STELE_NORMAL: return st_repair_normals(c, p, &a->view, at);
    case STELE_UV: return st_repair_uvs(c, &a->view, at);
    case STELE_COLOR: return st_repair_colors(c, &a->view, at);
    default: return a->view;
    }
}

/* ---- Skin weights ---- */

/* Drops what cannot be, adds up what is listed twice, puts the greatest first. Returns how many are left; *changed if that or
 * the sum is not what the file has. */
static size_t clean_influences(influence *items, size_t count, size_t joint_count, bool repair, bool *changed)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        influence one = items[i];
        size_t same = 0;
        if (one.weight == 0)
            continue;
        if (one.joint >= joint_count || !isfinite(one.weight) || (repair && one.weight < 0)) {
            *changed = true;
            continue;
        }
        while (same < kept && (!repair || items[same].joint != one.joint))
            same++;
        if (same < kept) {
            items[same].weight += one.weight;
            *changed = true;
        } else {
            items[kept++] = one;
        }
    }
    return kept;
}

void st_sort_influences(influence *items, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && items[k].weight > items[k - 1].weight; k--) {
            influence swap = items[k];
            items[k] = items[k - 1];
            items[k - 1] = swap;
        }
}

/* As floats of sum 1 within what a float can hold. Weights that are so already are left alone. */
static void normalize_influences(influence *items, size_t count, bool *changed)
{
    double sum = 0, rest = 0;
    for (size_t i = 0; i < count; i++)
        sum += items[i].weight;
    if (fabs(sum - 1) <= 1e-7 * (double)count)
        return;
    *changed |= fabs(sum - 1) > 1e-3;
    for (size_t i = 1; i < count; i++)
        rest += items[i].weight = (double)(float)(items[i].weight / sum);
    items[0].weight = (double)(float)(1 - rest);
}

/* One vertex, ready to be stored. Without repairs it is what the file has. */
static size_t influences_at(const skin_request *r, uint64_t vertex, bool repair, influence *items, bool *changed)
{
    size_t count = r->influences(r->context, vertex, items);
    count = clean_influences(items, count, r->joint_count, repair, changed);
    if (repair && count) {
        st_sort_influences(items, count);
        normalize_influences(items, count, changed);
    }
    return count;
}

/* What a first look at all vertices finds. */
typedef struct skin_survey {
    size_t most;
    uint64_t changed, unmoved;
} skin_survey;

static skin_survey survey_skin(const skin_request *r, bool repair)
{
    skin_survey s = {1, 0, 0};
    influence items[MOST_INFLUENCES];
    for (uint64_t i = 0; i < r->vertex_count; i++) {
        bool changed = false;
        size_t count = influences_at(r, i, repair, items, &changed);
        s.most = count > s.most ? count : s.most;
        s.changed += changed;
        s.unmoved += !count;
    }
    return s;
}

static void report_skin(context *c, const skin_request *r, const skin_survey *s)
{
    if (s->changed)
        st_diag(c->diags, DIAG_REPAIRED_WEIGHTS, counted(s->changed, r->place),
                "the weights of %llu %s put right: now they sum to 1, of joints that are there, none twice",
                (unsigned long long)s->changed, s->changed == 1 ? "vertex were" : "vertices were");
    if (s->unmoved)
        st_diag(c->diags, DIAG_NEUTRAL_JOINT, counted(s->unmoved, r->place),
                "%llu %s moved by no joint: bound to one that stays where it is", (unsigned long long)s->unmoved,
                s->unmoved == 1 ? "vertex is" : "vertices are");
}

static void note_origins(const context *c, const skin_request *r, const stele_view *made)
{
    byte_range *each = st_made_of_each(c, made);
    for (uint64_t i = 0; each && i < r->vertex_count; i++)
        each[i] = r->bytes(r->context, i);
}

bool st_load_influences(context *c, const skin_request *r, skin_result *result)
{
    skin_survey survey = survey_skin(r, c->load->repair);
    size_t sets = (survey.most + 3) / 4;
    bool wide = r->joint_count > 255;
    uint8_t *joints[MOST_INFLUENCES / 4], *weights[MOST_INFLUENCES / 4];
    *result = (skin_result){.attribute_count = 2 * sets, .needs_neutral = c->load->repair && survey.unmoved};
    for (size_t s = 0; s < sets; s++) {
        stele_attribute *a = result->attributes + 2 * s;
        a[0] = (stele_attribute){STELE_JOINTS, (uint32_t)s,
                                 st_view_make(c->arena, r->vertex_count, wide ? STELE_U16 : STELE_U8, 4, &joints[s])};
        a[1] =
            (stele_attribute){STELE_WEIGHTS, (uint32_t)s, st_view_make(c->arena, r->vertex_count, STELE_F32, 4, &weights[s])};
        if (!joints[s] || !weights[s])
            return false;
    }
    for (uint64_t i = 0; i < r->vertex_count; i++) {
        influence items[MOST_INFLUENCES];
        bool changed = false;
        size_t count = influences_at(r, i, c->load->repair, items, &changed);
        if (!count && result->needs_neutral)
            items[count++] = (influence){(uint32_t)r->joint_count, 1};
        for (size_t k = 0; k < count && k < 4 * sets; k++) { /* more than were counted only if the file changed */
            if ((float)items[k].weight == 0)
                continue; /* too small to be one: then no joint may be named either */
            store_uint(joints[k / 4] + (4 * i + k % 4) * (wide ? 2 : 1), items[k].joint, wide ? 2 : 1);
            store_f32(weights[k / 4] + 4 * (4 * i + k % 4), (float)items[k].weight);
        }
    }
    for (size_t s = 0; s < sets; s++)
        st_know(c->facts, &result->attributes[2 * s + 1].view, FACT_FINITE);
    for (size_t i = 0; i < result->attribute_count; i++)
        note_origins(c, r, &result->attributes[i].view);
    if (c->load->repair)
        report_skin(c, r, &survey);
    return true;
}
