/* The values that accessors stand for: whether they are safe to use, and with a full check whether they make sense. */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/scan.h"
#include "model/check_mesh.h"
#include "parse.h"

/* How often something was found, the number of the first row and its bytes. */
typedef struct row_tally {
    uint64_t count, first;
    const uint8_t *at;
} row_tally;

static inline void row_note(row_tally *t, uint64_t row, const uint8_t *at)
{
    if (t->count++ == 0)
        *t = (row_tally){1, row, at};
}

/* What has been seen of an accessor so far. */
typedef struct seen {
    uint8_t finite;
    bool reported;   /* what is not finite */
    bool times;      /* in order, or reported */
    uint64_t within; /* indices are below this */
} seen;

typedef struct checking {
    gltf_doc *doc;
    seen *accessors;
    bool *scanned; /* buffer views whose accessors have been looked at together */
} checking;

static seen *seen_of(const checking *k, const gltf_accessor *a)
{
    return &k->accessors[a - k->doc->accessors];
}

static bool packed(const stele_view *v)
{
    return v->stride == v->components * stele_type_size(v->type);
}

static uint64_t bytes_of(const stele_view *v)
{
    return v->count * (uint64_t)(v->stride < 64 ? v->stride : 64); /* what lies between is hardly touched */
}

/* ---- Floats ---- */

enum { UNKNOWN, YES, NO };

enum { BLOCK = 1 << 16, LONGEST_ROW = 64 };

/* Whether its floats are among those that a look at the whole buffer view sees. */
static bool is_plain(const gltf_buffer_view *in, const gltf_accessor *a)
{
    return a->usable && !a->sparse.indices.count && a->view.type == STELE_F32 && a->view.stride % 4 == 0 &&
           ((const uint8_t *)a->view.data - in->data) % 4 == 0;
}

/* Whether the rows of an accessor that begin in a block of its buffer view are finite. */
static bool finite_in_block(const gltf_buffer_view *in, const gltf_accessor *a, uint64_t begin, uint64_t end)
{
    const stele_view *v = &a->view;
    uint64_t offset = (uint64_t)((const uint8_t *)v->data - in->data);
    uint64_t first = begin <= offset ? 0 : (begin - offset + v->stride - 1) / v->stride;
    uint64_t last = end <= offset ? 0 : (end - offset + v->stride - 1) / v->stride;
    last = last < v->count ? last : v->count;
    return first >= last || !st_scan_nonfinite_rows(st_view_at(v, first), last - first, v->stride, v->components);
}

/* Interleaved attributes are looked at together, block by block: if no bytes of a block can be taken for a float that is not
 * finite, none of its accessors has one there. Otherwise there are integers among them that look like that, or it is so: from
 * there on each is looked at by itself. */
static void scan_buffer_view(checking *k, const gltf_buffer_view *in)
{
    bool mixed = false;
    for (const gltf_accessor *a = in->accessors; a; a = a->next)
        if (is_plain(in, a))
            seen_of(k, a)->finite = YES;
    for (uint64_t begin = 0; begin < in->size; begin += BLOCK) {
        uint64_t left = in->size - begin, size = left < BLOCK ? left : BLOCK;
        uint64_t looked_at = left < BLOCK + LONGEST_ROW ? left : BLOCK + LONGEST_ROW;
        mixed = mixed || st_scan_nonfinite(in->data + begin, looked_at / 4);
        if (!mixed)
            continue;
        for (const gltf_accessor *a = in->accessors; a; a = a->next)
            if (is_plain(in, a) && !finite_in_block(in, a, begin, begin + size))
                seen_of(k, a)->finite = NO;
    }
}

/* Sets whether the accessors of a buffer view are finite, those that can be looked at together. */
static bool look_together(checking *k, uint32_t token, uint32_t buffer_view)
{
    const gltf_buffer_view *in = &k->doc->buffer_views[buffer_view];
    uint64_t bytes = in->size;
    if (k->scanned[buffer_view])
        return true;
    k->scanned[buffer_view] = true;
    for (const gltf_accessor *a = in->accessors; a; a = a->next)
        bytes += is_plain(in, a) ? a->view.count * 4 : 0;
    if (!st_gltf_may_scan(k->doc, token, bytes))
        return false;
    scan_buffer_view(k, in);
    return true;
}

static bool is_finite(checking *k, uint32_t token, const gltf_accessor *a, const stele_view *v)
{
    bool inside = v == &a->view && a->buffer_view != STELE_NONE;
    if (inside && is_plain(&k->doc->buffer_views[a->buffer_view], a))
        return look_together(k, token, a->buffer_view) && seen_of(k, a)->finite == YES;
    if (!st_gltf_may_scan(k->doc, token, bytes_of(v)))
        return false;
    return packed(v) ? !st_scan_nonfinite(v->data, v->count * v->components)
                     : !st_scan_nonfinite_rows(v->data, v->count, v->stride, v->components);
}

static void report_nonfinite(gltf_doc *d, uint32_t token, const stele_view *v, diag_code code)
{
    row_tally t = {0};
    if (st_diag_unseen(d->c->diags, code)) {
        st_gltf_report_data(d, code, JSON_ABSENT, NULL, 1, "is not finite");
        return;
    }
    if (!st_gltf_may_scan(d, token, bytes_of(v)))
        return;
    for (uint64_t i = 0; i < v->count; i++)
        if (st_scan_nonfinite(st_view_at(v, i), v->components))
            row_note(&t, i, st_view_at(v, i));
    if (t.count)
        st_gltf_report_data(d, code, token, t.at, t.count, "element %llu is not finite", (unsigned long long)t.first);
}

static void check_finite(checking *k, const gltf_use *use)
{
    const gltf_accessor *a = &k->doc->accessors[use->accessor];
    const stele_view *v = use->kind == GLTF_SPARSE_FLOATS ? &a->sparse.values : &a->view;
    uint32_t token = gltf_item(k->doc, GLTF_ACCESSORS, use->accessor);
    seen *found = seen_of(k, a);
    if (v->type != STELE_F32 || !v->count)
        return;
    if (found->finite == UNKNOWN)
        found->finite = is_finite(k, token, a, v) ? YES : NO;
    if (found->finite == YES)
        st_know(k->doc->c->facts, v, FACT_FINITE);
    if (found->finite == NO && !found->reported)
        report_nonfinite(k->doc, token, v, use->nonfinite);
    found->reported |= found->finite == NO;
}

/* Keys must follow each other in time; those that do not are left out by load. */
static void check_times(gltf_doc *d, uint32_t token, const stele_view *times)
{
    row_tally back = {0}, same = {0};
    if (!st_gltf_may_scan(d, token, times->count * 4))
        return;
    for (uint64_t i = 1; i < times->count; i++) {
        float before = load_f32(st_view_at(times, i - 1)), now = load_f32(st_view_at(times, i));
        if (now < before)
            row_note(&back, i, st_view_at(times, i));
        else if (now == before)
            row_note(&same, i, st_view_at(times, i));
    }
    if (back.count)
        st_gltf_report_data(d, DIAG_TIME_UNSORTED, token, back.at, back.count, "key %llu is earlier than the one before it",
                            (unsigned long long)back.first);
    if (same.count)
        st_gltf_report_data(d, DIAG_TIME_REPEATED, token, same.at, same.count, "key %llu has the time of the one before it",
                            (unsigned long long)same.first);
}

/* Many samplers share them. */
static void check_times_once(checking *k, const gltf_use *use)
{
    const gltf_accessor *a = &k->doc->accessors[use->accessor];
    seen *found = seen_of(k, a);
    if (found->finite == YES && !found->times)
        check_times(k->doc, gltf_item(k->doc, GLTF_ACCESSORS, use->accessor), &a->view);
    found->times = true;
}

/* ---- Indices ---- */

static void report_beyond(gltf_doc *d, uint32_t token, const stele_view *v, uint64_t limit)
{
    row_tally t = {0};
    for (uint64_t i = 0; i < v->count; i++)
        if (st_view_integer(v, i) >= limit)
            row_note(&t, i, st_view_at(v, i));
    st_gltf_report_data(d, DIAG_INDEX_OUT_OF_RANGE, token, t.at, t.count,
                        "index %llu is %llu, but there are only %llu vertices", (unsigned long long)t.first,
                        (unsigned long long)st_view_integer(v, t.first), (unsigned long long)limit);
}

/* The greatest number of each type would restart the primitive, and is not allowed. */
static uint64_t greatest_of(stele_type type)
{
    return type == STELE_U8 ? UINT8_MAX : type == STELE_U16 ? UINT16_MAX : UINT32_MAX;
}

static void check_indices(checking *k, const gltf_use *use)
{
    const gltf_accessor *a = &k->doc->accessors[use->accessor];
    const stele_view *v = &a->view;
    uint32_t token = gltf_item(k->doc, GLTF_ACCESSORS, use->accessor);
    uint64_t limit = use->limit < greatest_of(v->type) ? use->limit : greatest_of(v->type);
    seen *found = seen_of(k, a);
    if (!v->count || (found->within && found->within <= limit) || !st_gltf_may_scan(k->doc, token, bytes_of(v)))
        return;
    bool beyond = packed(v) ? st_scan_beyond(v->data, v->count, v->type, limit)
                            : st_scan_beyond_rows(v->data, v->count, v->stride, 1, v->type, limit);
    if (beyond) {
        report_beyond(k->doc, token, v, limit);
        return;
    }
    found->within = limit;
    st_know_below(k->doc->c->facts, v, limit);
}

static void check_use(checking *k, const gltf_use *use)
{
    const gltf_accessor *a = &k->doc->accessors[use->accessor];
    if (!a->usable || (!a->built && use->kind != GLTF_SPARSE_FLOATS))
        return;
    if (use->kind == GLTF_INDICES)
        check_indices(k, use);
    else
        check_finite(k, use);
    if (use->kind == GLTF_TIMES)
        check_times_once(k, use);
}

/* ---- Joints ---- */

/* The token of an attribute, or of the whole primitive if it has none of that name. */
static uint32_t attribute_token(const gltf_doc *d, uint32_t mesh, uint32_t primitive, const char *name)
{
    uint32_t token = st_gltf_next_primitive(d, mesh, JSON_ABSENT);
    while (primitive-- > 0)
        token = st_gltf_next_primitive(d, mesh, token);
    uint32_t attribute = st_json_member(&d->json, st_json_member(&d->json, token, "attributes"), name);
    return attribute == JSON_ABSENT ? token : attribute;
}

/* The fewest joints that any skin has with which a mesh is drawn; UINT64_MAX: it is not skinned. */
static uint64_t *fewest_joints(gltf_doc *d)
{
    const stele_model *m = &d->model;
    uint64_t *fewest = st_arena_array(d->arena, m->mesh_count, sizeof *fewest);
    for (size_t i = 0; fewest && i < m->mesh_count; i++)
        fewest[i] = UINT64_MAX;
    for (size_t i = 0; fewest && i < m->node_count; i++) {
        const stele_node *n = &m->nodes[i];
        if (n->mesh != STELE_NONE && n->skin != STELE_NONE && m->skins[n->skin].joint_count < fewest[n->mesh])
            fewest[n->mesh] = m->skins[n->skin].joint_count;
    }
    return fewest;
}

/* A joint that is not there does no harm where its weight is 0. */
static void find_joints_beyond(const stele_view *joints, const stele_view *weights, uint64_t limit, row_tally *t)
{
    for (uint64_t i = 0; i < joints->count; i++)
        for (uint32_t k = 0; k < 4; k++)
            if (stele_view_number(joints, i, k) >= (double)limit && stele_view_number(weights, i, k) != 0) {
                row_note(t, i, st_view_at(joints, i));
                break;
            }
}

static void check_joints(gltf_doc *d, uint32_t mesh, uint32_t primitive, uint64_t limit)
{
    const stele_primitive *p = &d->model.meshes[mesh].primitives[primitive];
    for (uint32_t set = 0; set < p->attribute_count; set++) {
        const stele_view *joints = stele_primitive_view(p, STELE_JOINTS, set);
        const stele_view *weights = stele_primitive_view(p, STELE_WEIGHTS, set);
        char name[24];
        row_tally t = {0};
        snprintf(name, sizeof name, "JOINTS_%u", set);
        if (!joints || !weights)
            continue;
        if (!st_gltf_may_scan(d, gltf_item(d, GLTF_MESHES, mesh), bytes_of(joints)))
            return;
        if (st_scan_beyond_rows(joints->data, joints->count, joints->stride, 4, joints->type, limit))
            find_joints_beyond(joints, weights, limit, &t);
        if (!t.count)
            continue;
        bool unseen = st_diag_unseen(d->c->diags, DIAG_BONE_OUT_OF_RANGE);
        st_gltf_report_data(d, DIAG_BONE_OUT_OF_RANGE, unseen ? JSON_ABSENT : attribute_token(d, mesh, primitive, name), t.at,
                            t.count, "vertex %llu is moved by a joint that is not there: the skin has %llu",
                            (unsigned long long)t.first, (unsigned long long)limit);
    }
}

/* ---- What makes sense ---- */

/* A primitive whose mesh is checked. */
typedef struct checked_primitive {
    const gltf_doc *doc;
    uint32_t mesh, primitive;
} checked_primitive;

static diag_place place_of(context *c, const mesh_view *m, const stele_view *view, uint64_t row)
{
    const checked_primitive *p = m->user;
    const json *j = &p->doc->json;
    const char *name = view == &m->position  ? "POSITION"
                       : view == &m->normal  ? "NORMAL"
                       : view == &m->tangent ? "TANGENT"
                       : view == &m->weight  ? "WEIGHTS_0"
                                             : "";
    uint32_t token = attribute_token(p->doc, p->mesh, p->primitive, name);
    const uint8_t *at = view ? st_view_at(view, row) : p->doc->text + j->tokens[token].start;
    char pointer[JSON_POINTER];
    st_json_pointer(j, token, pointer);
    return at_offset(st_check_offset(c, at), 1, st_arena_text(c->arena, pointer, strlen(pointer)));
}

/* The values are known to be safe. */
static void check_primitive(gltf_doc *d, uint32_t mesh, uint32_t primitive)
{
    const stele_primitive *p = &d->model.meshes[mesh].primitives[primitive];
    checked_primitive user = {d, mesh, primitive};
    stele_view more_weights[MOST_INFLUENCES / 4];
    mesh_view m = {.vertex_count = p->vertex_count,
                   .more_weights = more_weights,
                   .seen = true,
                   .numbered = true,
                   .place_of = place_of,
                   .user = &user};
    if (!st_gltf_may_scan(d, gltf_item(d, GLTF_MESHES, mesh), 64 * p->vertex_count + 4 * p->indices.count))
        return;
    for (size_t i = 0; i < p->attribute_count; i++) {
        const stele_attribute *a = &p->attributes[i];
        switch (a->semantic) {
        case STELE_POSITION: m.position = a->view; break;
        case STELE_NORMAL: m.normal = a->view; break;
        case STELE_TANGENT: m.tangent = a->view; break;
        case STELE_UV: m.uv = a->view; break;
        case STELE_WEIGHTS:
            if (!a->set)
                m.weight = a->view;
            else if (m.more_weight_count < MOST_INFLUENCES / 4)
                more_weights[m.more_weight_count++] = a->view;
            break;
        default: break;
        }
    }
    if (p->topology == STELE_TRIANGLES && m.position.components) {
        m.indices = p->indices;
        m.unindexed = !p->indices.count;
    }
    st_check_mesh(d->c, &m);
}

static bool is_unit(const float q[4])
{
    double square = 0;
    for (int k = 0; k < 4; k++)
        square += (double)q[k] * (double)q[k];
    return square >= 0.99 * 0.99 && square <= 1.01 * 1.01;
}

uint64_t st_gltf_odd_rotations(gltf_doc *d, uint32_t clip)
{
    const stele_clip *c = &d->model.clips[clip];
    uint64_t bad = 0;
    for (size_t i = 0; i < c->channel_count; i++) {
        const stele_channel *of = &c->channels[i];
        bool cubic = of->interpolation == STELE_CUBIC; /* then a key has tangents before and behind it */
        if (of->path != STELE_ROTATION || !st_gltf_may_scan(d, gltf_item(d, GLTF_ANIMATIONS, clip), bytes_of(&of->values)))
            continue;
        for (uint64_t k = cubic; k < of->values.count; k += cubic ? 3 : 1) {
            float q[4];
            stele_view_row(&of->values, k, q);
            bad += !is_unit(q);
        }
    }
    return bad;
}

static void check_rotations(gltf_doc *d)
{
    for (uint32_t i = 0; i < d->model.clip_count; i++) {
        uint64_t bad = st_gltf_odd_rotations(d, i);
        if (bad)
            st_gltf_report_data(d, DIAG_ROTATION_NOT_UNIT, gltf_item(d, GLTF_ANIMATIONS, i), NULL, bad,
                                "has rotations that are not of length 1");
    }
    for (uint32_t i = 0; i < d->model.node_count; i++) {
        if (!is_unit(d->model.nodes[i].local.rotation))
            st_gltf_report(d, DIAG_ROTATION_NOT_UNIT, gltf_item(d, GLTF_NODES, i), "has a rotation that is not of length 1");
    }
}

static void check_model(gltf_doc *d)
{
    uint64_t *joints = fewest_joints(d);
    for (uint32_t i = 0; joints && i < d->model.mesh_count; i++)
        for (uint32_t k = 0; k < d->model.meshes[i].primitive_count; k++) {
            if (joints[i] != UINT64_MAX)
                check_joints(d, i, k, joints[i]);
            if (d->c->full)
                check_primitive(d, i, k);
        }
    if (d->c->full)
        check_rotations(d);
}

void st_gltf_check(context *c, const raw_file *raw)
{
    gltf_doc d = *((const gltf_file *)raw)->document;
    checking k = {.doc = &d};
    d.c = c;
    k.accessors = st_arena_array(c->arena, d.lists[GLTF_ACCESSORS].count, sizeof *k.accessors);
    k.scanned = st_arena_array(c->arena, d.lists[GLTF_BUFFER_VIEWS].count, sizeof *k.scanned);
    for (size_t i = 0; k.accessors && k.scanned && i < d.use_count; i++)
        check_use(&k, &d.uses[i]);
    if (!d.broken && !c->arena->failed)
        check_model(&d);
    if (!d.broken && !c->arena->failed && c->full)
        st_gltf_check_rules(&d, (const gltf_file *)raw);
}
