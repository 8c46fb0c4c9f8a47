/* What the specification asks for and no reader depends on: files that break these rules are read as they are meant, but other
 * programs refuse them. For a full check. */
#include <math.h>

#include "base/bytes.h"
#include "parse.h"

/* ---- Chunks ---- */

static void check_chunks(context *c, const gltf_file *f)
{
    for (uint64_t i = 0; i < f->chunk_count; i++) {
        const gltf_chunk *chunk = &f->chunk[i];
        if (chunk->length % 4)
            st_diag(c->diags, DIAG_AGAINST_SPEC, at_member(&chunk->length), "is %u, no multiple of 4", chunk->length);
        if ((chunk->type == GLB_JSON && i > 0) || (chunk->type == GLB_BIN && i != 1))
            st_diag(c->diags, DIAG_AGAINST_SPEC, at_member(&chunk->length), "is of a %s chunk where there can be none",
                    chunk->type == GLB_JSON ? "JSON" : "BIN");
    }
}

/* ---- Lists ---- */

/* No list of glTF may be empty. Extensions and extras are somebody else's. */
static void find_empty_lists(gltf_doc *d, uint32_t token, gltf_tally *found)
{
    const json *j = &d->json;
    json_kind kind = st_json_kind(j, token);
    if (kind == JSON_ARRAY && !st_json_count(j, token) && !found->count++)
        found->first = token;
    if (kind != JSON_ARRAY && kind != JSON_OBJECT)
        return;
    for (uint32_t i = st_json_first(j, token); i != JSON_ABSENT; i = st_json_next(j, token, i)) {
        if (kind == JSON_OBJECT && (st_json_is(j, i, "extras") || st_json_is(j, i, "extensions")))
            continue;
        uint32_t item = kind == JSON_OBJECT ? json_value_of(i) : i;
        if (st_json_kind(j, item) < JSON_ARRAY && kind == JSON_ARRAY)
            break; /* a list of numbers or texts */
        find_empty_lists(d, item, found);
    }
}

static void check_lists(gltf_doc *d)
{
    gltf_tally empty = {0};
    find_empty_lists(d, 0, &empty);
    if (empty.count)
        st_gltf_report_data(d, DIAG_AGAINST_SPEC, empty.first, d->text + d->json.tokens[empty.first].start, empty.count,
                            "is empty: then it should not be there");
}

enum { MOST_DECLARED = 200 }; /* that are compared with each other */

static void check_declarations(gltf_doc *d)
{
    const json *j = &d->json;
    uint32_t used = st_json_member(j, 0, "extensionsUsed");
    if (st_json_count(j, used) > MOST_DECLARED)
        return;
    for (uint32_t i = st_json_first(j, used); i != JSON_ABSENT; i = st_json_next(j, used, i))
        for (uint32_t k = st_json_first(j, used); k != i; k = st_json_next(j, used, k))
            if (j->tokens[i].size == j->tokens[k].size &&
                memcmp(j->text + j->tokens[i].start, j->text + j->tokens[k].start, j->tokens[i].size) == 0) {
                st_gltf_report(d, DIAG_AGAINST_SPEC, i, "is listed twice");
                return;
            }
}

/* ---- Bounds ---- */

static void bounds_of(const stele_view *v, double *least, double *greatest)
{
    for (uint32_t k = 0; k < v->components; k++) {
        least[k] = INFINITY;
        greatest[k] = -INFINITY;
    }
    for (uint64_t i = 0; i < v->count; i++)
        for (uint32_t k = 0; k < v->components; k++) {
            double x = v->type == STELE_F32 ? (double)load_f32(st_view_at(v, i) + 4 * k) : stele_view_number(v, i, k);
            least[k] = x < least[k] ? x : least[k];
            greatest[k] = x > greatest[k] ? x : greatest[k];
        }
}

/* Bounds are those of the numbers as they are stored, and as a float holds them. */
static bool bounds_agree(gltf_doc *d, uint32_t list, const stele_view *v, const double *found)
{
    uint32_t k = 0;
    for (uint32_t i = st_json_first(&d->json, list); i != JSON_ABSENT && k < v->components;
         i = st_json_next(&d->json, list, i)) {
        double said = st_json_number(&d->json, i);
        if (!((v->type == STELE_F32 ? (double)(float)said : said) == found[k++]))
            return false;
    }
    return k == v->components;
}

static void check_bounds(gltf_doc *d, uint32_t index)
{
    const gltf_accessor *a = &d->accessors[index];
    uint32_t token = gltf_item(d, GLTF_ACCESSORS, index);
    uint32_t min = st_json_member(&d->json, token, "min"), max = st_json_member(&d->json, token, "max");
    double least[16], greatest[16];
    stele_view v = a->view;
    v.normalized = false;
    if ((min == JSON_ABSENT && max == JSON_ABSENT) || !a->usable || !a->built || !v.count || !v.data || v.components > 16 ||
        (a->shape >= GLTF_MAT2 && v.type != STELE_F32) || !st_gltf_may_scan(d, token, v.count * v.stride))
        return;
    bounds_of(&v, least, greatest);
    if (min != JSON_ABSENT && !bounds_agree(d, min, &v, least))
        st_gltf_report(d, DIAG_AGAINST_SPEC, min, "is not the least that its numbers are");
    if (max != JSON_ABSENT && !bounds_agree(d, max, &v, greatest))
        st_gltf_report(d, DIAG_AGAINST_SPEC, max, "is not the greatest that its numbers are");
}

static bool has_bounds(const gltf_doc *d, uint32_t accessor)
{
    uint32_t token = gltf_item(d, GLTF_ACCESSORS, accessor);
    return st_json_member(&d->json, token, "min") != JSON_ABSENT && st_json_member(&d->json, token, "max") != JSON_ABSENT;
}

/* Positions and times must say them. */
static void check_required_bounds(gltf_doc *d)
{
    gltf_tally without = {0};
    for (uint32_t i = 0; i < d->lists[GLTF_MESHES].count; i++)
        for (uint32_t p = st_gltf_next_primitive(d, i, JSON_ABSENT); p != JSON_ABSENT; p = st_gltf_next_primitive(d, i, p)) {
            uint32_t position = st_json_member(&d->json, st_json_member(&d->json, p, "attributes"), "POSITION");
            if (!has_bounds(d, st_gltf_reference(d, position, GLTF_ACCESSORS)) && !without.count++)
                without.first = position;
        }
    for (size_t i = 0; i < d->use_count; i++)
        if (d->uses[i].kind == GLTF_TIMES && !has_bounds(d, d->uses[i].accessor) && !without.count++)
            without.first = gltf_item(d, GLTF_ACCESSORS, d->uses[i].accessor);
    if (without.count)
        st_gltf_report_data(d, DIAG_AGAINST_SPEC, without.first, d->text + d->json.tokens[without.first].start, without.count,
                            "has no \"min\" and \"max\", which positions and times must have");
}

static void check_buffers(gltf_doc *d, const gltf_file *f)
{
    for (uint32_t i = 0; i < d->lists[GLTF_BUFFERS].count; i++) {
        uint32_t token = gltf_item(d, GLTF_BUFFERS, i);
        if (!d->buffers[i].size)
            st_gltf_report(d, DIAG_AGAINST_SPEC, token, "has a \"byteLength\" of 0");
        else if (i == 0 && f->chunk_count && d->buffers[i].undefined)
            st_gltf_report(d, DIAG_AGAINST_SPEC, token, "has no \"uri\", and there is no BIN chunk for it");
    }
}

static void check_accessors(gltf_doc *d)
{
    for (uint32_t i = 0; i < d->lists[GLTF_ACCESSORS].count; i++) {
        uint32_t token = gltf_item(d, GLTF_ACCESSORS, i), offset = st_json_member(&d->json, token, "byteOffset");
        uint32_t normalized = st_json_member(&d->json, token, "normalized");
        stele_type type = d->accessors[i].view.type;
        if (offset != JSON_ABSENT && d->accessors[i].buffer_view == STELE_NONE)
            st_gltf_report(d, DIAG_AGAINST_SPEC, offset, "is there without a buffer view that it could be in");
        if (st_json_kind(&d->json, normalized) == JSON_TRUE && (type == STELE_F32 || type == STELE_U32))
            st_gltf_report(d, DIAG_AGAINST_SPEC, normalized, "is said of numbers that cannot be normalised");
        check_bounds(d, i);
    }
    for (uint32_t i = 0; i < d->lists[GLTF_BUFFER_VIEWS].count; i++) {
        const gltf_buffer_view *v = &d->buffer_views[i];
        if (v->stride > v->size)
            st_gltf_report(d, DIAG_AGAINST_SPEC, gltf_item(d, GLTF_BUFFER_VIEWS, i), "has a stride of %u, more than its bytes",
                           v->stride);
    }
    check_required_bounds(d);
}

/* ---- Nodes and skins ---- */

static void check_places(gltf_doc *d)
{
    for (uint32_t i = 0; i < d->lists[GLTF_NODES].count; i++) {
        uint32_t node = gltf_item(d, GLTF_NODES, i), matrix = st_json_member(&d->json, node, "matrix");
        if (matrix != JSON_ABSENT && (st_json_member(&d->json, node, "translation") != JSON_ABSENT ||
                                      st_json_member(&d->json, node, "rotation") != JSON_ABSENT ||
                                      st_json_member(&d->json, node, "scale") != JSON_ABSENT))
            st_gltf_report(d, DIAG_AGAINST_SPEC, node, "has a matrix and a translation, rotation or scale: the matrix counts");
    }
    for (size_t i = 0; i < d->model.clip_count; i++)
        for (size_t k = 0; k < d->model.clips[i].channel_count; k++) {
            const stele_channel *c = &d->model.clips[i].channels[k];
            uint32_t matrix = st_json_member(&d->json, gltf_item(d, GLTF_NODES, c->node), "matrix");
            if (c->path != STELE_MORPH_WEIGHTS && matrix != JSON_ABSENT)
                st_gltf_report(d, DIAG_AGAINST_SPEC, matrix, "is a matrix, but an animation moves the node");
        }
}

/* The node above each that has none above it, and whether one node is above it or it is that. */
typedef struct tops {
    uint32_t *root;
    bool *below;
} tops;

static void find_below(gltf_doc *d, uint32_t top, bool *below)
{
    for (size_t i = 0; i < d->model.node_count; i++) {
        uint32_t node = d->model.order[i], parent = d->model.nodes[node].parent;
        below[node] = node == top || (parent != STELE_NONE && below[parent]);
    }
}

static bool find_tops(gltf_doc *d, tops *t)
{
    size_t count = d->model.node_count;
    t->root = st_arena_array(d->arena, count, sizeof *t->root);
    t->below = st_arena_array(d->arena, count, sizeof *t->below);
    for (size_t i = 0; t->root && t->below && i < count; i++) {
        uint32_t node = d->model.order[i], parent = d->model.nodes[node].parent;
        t->root[node] = parent == STELE_NONE ? node : t->root[parent];
    }
    return t->root && t->below;
}

static void check_skin(gltf_doc *d, uint32_t index, const tops *t)
{
    const stele_skin *s = &d->model.skins[index];
    uint32_t token = gltf_item(d, GLTF_SKINS, index);
    bool common = true, above = true, says = s->skeleton != STELE_NONE;
    if (says && !st_work(d->arena, d->model.node_count, 2))
        return;
    if (says)
        find_below(d, s->skeleton, t->below);
    for (size_t i = 0; i < s->joint_count; i++) {
        common &= t->root[s->joints[i]] == t->root[s->joints[0]];
        above &= !says || t->below[s->joints[i]];
    }
    if (!common)
        st_gltf_report(d, DIAG_AGAINST_SPEC, token, "has joints without a common root");
    if (!above)
        st_gltf_report(d, DIAG_AGAINST_SPEC, st_json_member(&d->json, token, "skeleton"), "is not above all joints");
    for (uint64_t i = 0; i < s->inverse_bind.count; i++) {
        float m[16];
        stele_view_row(&s->inverse_bind, i, m);
        if (m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1) {
            st_gltf_report(d, DIAG_TRANSFORM_NOT_AFFINE, token, "has an inverse bind matrix whose last row is not 0, 0, 0, 1");
            break;
        }
    }
}

/* ---- Images ---- */

static void check_images(gltf_doc *d)
{
    for (uint32_t i = 0; i < d->lists[GLTF_IMAGES].count; i++) {
        uint32_t token = gltf_item(d, GLTF_IMAGES, i);
        bool named = st_json_member(&d->json, token, "uri") != JSON_ABSENT;
        if (named == (st_json_member(&d->json, token, "bufferView") != JSON_ABSENT))
            st_gltf_report(d, DIAG_AGAINST_SPEC, token, "has %s a \"uri\" %s a \"bufferView\"", named ? "both" : "neither",
                           named ? "and" : "nor");
    }
}

void st_gltf_check_rules(gltf_doc *d, const gltf_file *f)
{
    check_chunks(d->c, f);
    check_lists(d);
    check_declarations(d);
    check_buffers(d, f);
    check_accessors(d);
    check_places(d);
    check_images(d);
    tops t;
    if (d->model.skin_count && find_tops(d, &t))
        for (uint32_t i = 0; i < d->model.skin_count; i++)
            check_skin(d, i, &t);
}
