/* The model of a glTF is made when it is parsed: glTF has the shape of the model. What is left to do is to repair it, in copies
 * of the lists that change. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/matrix.h"
#include "base/scan.h"
#include "model/check_mesh.h"
#include "parse.h"

/* NULL, and the document is broken, without memory. */
static void *copied(gltf_doc *d, const void *items, size_t count, size_t item_size)
{
    void *copy = st_model_room(d->arena, count, item_size);
    d->broken |= !copy;
    if (copy && count)
        memcpy(copy, items, count * item_size);
    return copy;
}

/* ---- Floats that are not finite, where a model can do without ---- */

static bool is_bad(gltf_doc *d, uint32_t token, const stele_view *v)
{
    return v->type == STELE_F32 && !st_known(d->c->facts, v, FACT_FINITE) && st_gltf_may_scan(d, token, v->count * v->stride) &&
           st_scan_nonfinite_rows(v->data, v->count, v->stride, v->components);
}

/* Integers are as near to length 1 as they can be. */
static bool has_long_normals(gltf_doc *d, uint32_t token, const stele_view *v)
{
    if (v->type != STELE_F32 || v->components != 3 || st_known(d->c->facts, v, FACT_UNIT) ||
        !st_gltf_may_scan(d, token, v->count * v->stride))
        return false;
    if (st_count_bad_normals(v))
        return true;
    st_know(d->c->facts, v, FACT_UNIT);
    return false;
}

/* Tangents of no length, or with another sign than 1 and -1, are none; those of another length are, once they have it. */
typedef enum tangent_state { TANGENTS_FINE, TANGENTS_TOO_LONG, TANGENTS_USELESS } tangent_state;

static tangent_state tangents_of(gltf_doc *d, uint32_t token, const stele_view *v)
{
    tangent_state state = TANGENTS_FINE;
    if (v->type != STELE_F32 || v->components != 4 || !st_gltf_may_scan(d, token, v->count * v->stride))
        return TANGENTS_FINE;
    for (uint64_t i = 0; i < v->count; i++) {
        float t[4];
        stele_view_row(v, i, t);
        float square = t[0] * t[0] + t[1] * t[1] + t[2] * t[2];
        if (!(square > 0 && square <= FLT_MAX) || !(t[3] == 1 || t[3] == -1))
            return TANGENTS_USELESS;
        state = st_unit_enough(square) ? state : TANGENTS_TOO_LONG;
    }
    return state;
}

static bool has_odd_colors(gltf_doc *d, uint32_t token, const stele_view *v)
{
    if (v->type != STELE_F32 || !st_gltf_may_scan(d, token, v->count * v->stride))
        return false;
    for (uint64_t i = 0; i < v->count; i++)
        for (uint32_t k = 0; k < v->components; k++) {
            float x = load_f32(st_view_at(v, i) + 4 * k);
            if (!(x >= 0 && x <= 1))
                return true;
        }
    return false;
}

static bool is_bad_attribute(gltf_doc *d, uint32_t token, const stele_attribute *a)
{
    if (a->semantic == STELE_NORMAL)
        return has_long_normals(d, token, &a->view);
    if (a->semantic == STELE_COLOR)
        return has_odd_colors(d, token, &a->view);
    if (a->semantic == STELE_TANGENT)
        return tangents_of(d, token, &a->view) != TANGENTS_FINE;
    return a->semantic == STELE_UV && is_bad(d, token, &a->view);
}

/* ---- Weights that do not sum to 1 ---- */

static float weight_at(const stele_view *v, uint64_t vertex, uint32_t component)
{
    float weight =
        v->type == STELE_F32 ? load_f32(st_view_at(v, vertex) + 4 * component) : (float)stele_view_number(v, vertex, component);
    return weight > 0 ? weight : 0;
}

/* The sum of a vertex over all sets, and how many of them count. */
static double sum_of_weights(const stele_primitive *p, uint64_t vertex, unsigned *count)
{
    double sum = 0;
    *count = 0;
    for (size_t i = 0; i < p->attribute_count; i++)
        for (uint32_t k = 0; p->attributes[i].semantic == STELE_WEIGHTS && k < 4; k++) {
            double weight = (double)weight_at(&p->attributes[i].view, vertex, k);
            sum += weight;
            *count += weight > 0;
        }
    return sum;
}

static bool has_odd_weights(gltf_doc *d, uint32_t token, const stele_primitive *p)
{
    unsigned count;
    if (!stele_primitive_view(p, STELE_WEIGHTS, 0) || !st_gltf_may_scan(d, token, 16 * p->vertex_count))
        return false;
    for (uint64_t i = 0; i < p->vertex_count; i++)
        if (!(fabs(sum_of_weights(p, i, &count) - 1) <= 1e-7 * (count + 1)))
            return true;
    return false;
}

/* The share of each joint, whatever the sum; where nothing moves a vertex, the first joint does. */
static void share_weights(gltf_doc *d, const stele_primitive *p, stele_view *view, bool first, uint64_t *changed)
{
    uint8_t *bytes;
    unsigned count;
    stele_view made = st_view_make(d->arena, p->vertex_count, STELE_F32, 4, &bytes);
    for (uint64_t i = 0; bytes && i < p->vertex_count; i++) {
        double sum = sum_of_weights(p, i, &count);
        *changed += first && !(fabs(sum - 1) <= 1e-3);
        for (uint32_t k = 0; k < 4; k++) {
            double share = count ? (double)weight_at(view, i, k) / sum : first && k == 0;
            store_f32(bytes + 16 * i + 4 * k, (float)share);
        }
    }
    st_made_of(d->c, &made, view);
    *view = made;
}

static void repair_weights(gltf_doc *d, uint32_t token, stele_primitive *p, const char *path)
{
    stele_primitive before = *p;
    uint64_t changed = 0;
    stele_attribute *attributes = copied(d, p->attributes, p->attribute_count, sizeof *attributes);
    for (size_t i = 0; i < p->attribute_count && !d->broken; i++)
        if (attributes[i].semantic == STELE_WEIGHTS && st_gltf_may_build(d, token, p->vertex_count, 16))
            share_weights(d, &before, &attributes[i].view, attributes[i].set == 0, &changed);
    p->attributes = attributes;
    if (changed)
        st_diag(d->c->diags, DIAG_REPAIRED_WEIGHTS, at_path(path, changed),
                "the weights of %llu %s put right: now they sum to 1", (unsigned long long)changed,
                changed == 1 ? "vertex were" : "vertices were");
}

static bool any_bad(gltf_doc *d, uint32_t token, const stele_primitive *p)
{
    bool bad = false;
    for (size_t i = 0; i < p->attribute_count; i++)
        bad |= is_bad_attribute(d, token, &p->attributes[i]);
    for (size_t i = 0; i < p->morph_count; i++)
        bad |= is_bad(d, token, &p->morphs[i].tangent);
    return bad || has_odd_weights(d, token, p);
}

static void drop_tangents(gltf_doc *d, const char *path, const char *why)
{
    st_diag(d->c->diags, DIAG_TANGENTS_DROPPED, at_path(path, 1), "some tangents%s: all are left out", why);
}

static void repair_tangents(gltf_doc *d, stele_view *v, const char *path)
{
    uint8_t *bytes;
    uint64_t changed = 0;
    stele_view made = st_view_make(d->arena, v->count, STELE_F32, 4, &bytes);
    for (uint64_t i = 0; bytes && i < v->count; i++) {
        float t[4];
        stele_view_row(v, i, t);
        double square = (double)t[0] * (double)t[0] + (double)t[1] * (double)t[1] + (double)t[2] * (double)t[2];
        bool long_enough = st_unit_enough((float)square) || !(square > 0);
        changed += !long_enough;
        for (int k = 0; k < 4; k++)
            store_f32(bytes + 16 * i + 4 * k, long_enough || k == 3 ? t[k] : (float)((double)t[k] / sqrt(square)));
    }
    st_made_of(d->c, &made, v);
    st_diag(d->c->diags, DIAG_REPAIRED_TANGENT, at_path(path, changed), "%llu tangent%s brought to length 1",
            (unsigned long long)changed, changed == 1 ? " was" : "s were");
    *v = made;
}

static void repair_attributes(gltf_doc *d, uint32_t token, stele_primitive *p, const char *path)
{
    stele_attribute *attributes = copied(d, p->attributes, p->attribute_count, sizeof *attributes);
    size_t kept = 0;
    for (size_t i = 0; i < p->attribute_count && !d->broken; i++) {
        stele_attribute a = p->attributes[i];
        bool bad = is_bad_attribute(d, token, &a);
        if (bad && a.semantic == STELE_TANGENT && tangents_of(d, token, &a.view) == TANGENTS_USELESS) {
            drop_tangents(d, path, " are not finite, of no length or of no side");
            continue;
        }
        if (bad && st_gltf_may_build(d, token, a.view.count, 4 * a.view.components)) {
            if (a.semantic == STELE_TANGENT)
                repair_tangents(d, &a.view, path);
            else
                a.view = st_repair_attribute(d->c, p, &a, at_path(path, 1));
        }
        attributes[kept++] = a;
    }
    p->attributes = attributes;
    p->attribute_count = kept;
}

static void repair_morphs(gltf_doc *d, uint32_t token, stele_primitive *p, const char *path)
{
    stele_morph *morphs = copied(d, p->morphs, p->morph_count, sizeof *morphs);
    for (size_t i = 0; i < p->morph_count && !d->broken; i++)
        if (is_bad(d, token, &morphs[i].tangent)) {
            morphs[i].tangent = (stele_view){0};
            drop_tangents(d, path, " of a morph are not finite");
        }
    p->morphs = morphs;
}

static void repair_mesh(gltf_doc *d, uint32_t index, stele_mesh *m)
{
    uint32_t token = gltf_item(d, GLTF_MESHES, index);
    stele_primitive *primitives = copied(d, m->primitives, m->primitive_count, sizeof *primitives);
    uint32_t at = st_gltf_next_primitive(d, index, JSON_ABSENT);
    char path[JSON_POINTER];
    for (size_t i = 0; i < m->primitive_count && !d->broken; i++, at = st_gltf_next_primitive(d, index, at)) {
        if (!any_bad(d, token, &primitives[i]))
            continue;
        st_json_pointer(&d->json, at, path);
        repair_attributes(d, token, &primitives[i], path);
        repair_morphs(d, token, &primitives[i], path);
        if (has_odd_weights(d, token, &primitives[i]))
            repair_weights(d, token, &primitives[i], path);
    }
    m->primitives = primitives;
}

static bool any_bad_mesh(gltf_doc *d)
{
    for (uint32_t i = 0; i < d->model.mesh_count; i++)
        for (size_t k = 0; k < d->model.meshes[i].primitive_count; k++)
            if (any_bad(d, gltf_item(d, GLTF_MESHES, i), &d->model.meshes[i].primitives[k]))
                return true;
    return false;
}

static void repair_meshes(gltf_doc *d)
{
    if (!any_bad_mesh(d))
        return;
    stele_mesh *meshes = copied(d, d->model.meshes, d->model.mesh_count, sizeof *meshes);
    for (uint32_t i = 0; i < d->model.mesh_count && !d->broken; i++)
        repair_mesh(d, i, &meshes[i]);
    d->model.meshes = meshes;
}

/* ---- Keys that are not in order ---- */

/* Whether a key is later than all before it, and not before 0; the latest time so far is kept. */
static bool is_later(const stele_view *times, uint64_t key, double *latest)
{
    double time = stele_view_number(times, key, 0);
    if (time < 0 || time <= *latest)
        return false;
    *latest = time;
    return true;
}

static uint64_t count_later(const stele_view *times)
{
    double latest = -1;
    uint64_t count = 0;
    for (uint64_t i = 0; i < times->count; i++)
        count += is_later(times, i, &latest);
    return count;
}

static void copy_row(const context *c, const stele_view *from, uint64_t row, const stele_view *to, uint64_t at)
{
    uint8_t *bytes = (uint8_t *)st_view_at(to, at);
    memcpy(bytes, st_view_at(from, row), to->stride);
    st_made_of_bytes(c, bytes, to->stride, to->stride, st_view_at(from, row), from->stride, to->stride);
}

/* Leaves out the keys that are not later than those before them, and those before 0 if others are left. */
static void repair_keys(gltf_doc *d, uint32_t token, stele_channel *c)
{
    uint64_t kept = count_later(&c->times), rows = c->values.count / c->times.count, next = 0;
    uint8_t *time_bytes, *value_bytes;
    double latest = -1;
    if (!kept || kept == c->times.count)
        return;
    stele_view times = st_gltf_make(d, token, kept, STELE_F32, 1, &time_bytes);
    stele_view values = st_gltf_make(d, token, kept * rows, c->values.type, c->values.components, &value_bytes);
    if (!time_bytes || !value_bytes)
        return;
    values.normalized = c->values.normalized;
    for (uint64_t i = 0; i < c->times.count && next < kept; i++) { /* no more than were counted, should the file have changed */
        if (!is_later(&c->times, i, &latest))
            continue;
        copy_row(d->c, &c->times, i, &times, next);
        for (uint64_t k = 0; k < rows; k++)
            copy_row(d->c, &c->values, i * rows + k, &values, next * rows + k);
        next++;
    }
    st_gltf_report_data(d, DIAG_REPAIRED_TIME, token, NULL, c->times.count - kept,
                        "%llu keys that are out of order or before 0 are left out",
                        (unsigned long long)(c->times.count - kept));
    times.count = next;
    values.count = next * rows;
    c->times = times;
    c->values = values;
}

static void repair_clip(gltf_doc *d, uint32_t token, stele_clip *clip)
{
    stele_channel *channels = copied(d, clip->channels, clip->channel_count, sizeof *channels);
    clip->channels = channels;
    clip->duration = 0;
    for (size_t i = 0; i < clip->channel_count && !d->broken; i++) {
        stele_channel *c = &channels[i];
        if (st_gltf_may_scan(d, token, 4 * c->times.count))
            repair_keys(d, token, c);
        double end = stele_view_number(&c->times, c->times.count - 1, 0);
        clip->duration = end > clip->duration ? end : clip->duration;
    }
}

static bool any_unsorted(gltf_doc *d)
{
    for (uint32_t i = 0; i < d->model.clip_count; i++)
        for (size_t k = 0; k < d->model.clips[i].channel_count; k++) {
            const stele_view *times = &d->model.clips[i].channels[k].times;
            if (st_gltf_may_scan(d, gltf_item(d, GLTF_ANIMATIONS, i), 4 * times->count) && count_later(times) < times->count)
                return true;
        }
    return false;
}

static void repair_clips(gltf_doc *d)
{
    if (!any_unsorted(d))
        return;
    stele_clip *clips = copied(d, d->model.clips, d->model.clip_count, sizeof *clips);
    for (uint32_t i = 0; i < d->model.clip_count && !d->broken; i++)
        repair_clip(d, gltf_item(d, GLTF_ANIMATIONS, i), &clips[i]);
    d->model.clips = clips;
}

/* ---- Where parts are in the document ---- */

static void note_part(const gltf_doc *d, stele_part part, uint32_t index, uint32_t token)
{
    char pointer[JSON_POINTER];
    st_json_pointer(&d->json, token, pointer);
    st_part_at(d->c, part, index, at_offset(st_check_offset(d->c, d->text + d->json.tokens[token].start), 1, pointer));
}

static void note_primitives(const gltf_doc *d)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->lists[GLTF_MESHES].count; i++)
        for (uint32_t k = st_gltf_next_primitive(d, i, JSON_ABSENT); k != JSON_ABSENT; k = st_gltf_next_primitive(d, i, k))
            note_part(d, STELE_PART_PRIMITIVE, count++, k);
}

static void note_parts(const gltf_doc *d)
{
    static const struct {
        gltf_list_name list;
        stele_part part;
    } lists[] = {{GLTF_NODES, STELE_PART_NODE},
                 {GLTF_MATERIALS, STELE_PART_MATERIAL},
                 {GLTF_ANIMATIONS, STELE_PART_CLIP},
                 {GLTF_TEXTURES, STELE_PART_TEXTURE}};
    if (!d->c->origins)
        return;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (uint32_t k = 0; k < d->lists[lists[i].list].count; k++)
            note_part(d, lists[i].part, k, gltf_item(d, lists[i].list, k));
    note_primitives(d);
}

/* ---- Rotations that are not of length 1 ---- */

static bool is_unit(const float q[4])
{
    double square = 0;
    for (int i = 0; i < 4; i++)
        square += (double)q[i] * (double)q[i];
    return fabs(square - 1) <= 1e-5;
}

static void repair_nodes(gltf_doc *d)
{
    uint64_t bad = 0;
    uint32_t first = 0;
    for (uint32_t i = (uint32_t)d->model.node_count; i-- > 0;)
        if (!is_unit(d->model.nodes[i].local.rotation)) {
            bad++;
            first = i;
        }
    stele_node *nodes = bad ? copied(d, d->model.nodes, d->model.node_count, sizeof *nodes) : NULL;
    if (!nodes)
        return;
    for (uint32_t i = first; i < d->model.node_count; i++) {
        double q[4];
        for (int k = 0; k < 4; k++)
            q[k] = (double)nodes[i].local.rotation[k];
        if (!is_unit(nodes[i].local.rotation))
            st_quaternion_normalize(q);
        for (int k = 0; k < 4; k++)
            nodes[i].local.rotation[k] = (float)q[k];
    }
    d->model.nodes = nodes;
    st_gltf_report_data(d, DIAG_REPAIRED_ROTATION, gltf_item(d, GLTF_NODES, first), NULL, bad,
                        "has a rotation that is not of length 1: it is made so");
}

/* The writer makes them so, and whoever asks for a pose. */
static void report_key_rotations(gltf_doc *d)
{
    for (uint32_t i = 0; i < d->model.clip_count; i++) {
        uint64_t bad = st_gltf_odd_rotations(d, i);
        if (bad)
            st_gltf_report_data(d, DIAG_REPAIRED_ROTATION, gltf_item(d, GLTF_ANIMATIONS, i), NULL, bad,
                                "has rotations that are not of length 1: they are made so");
    }
}

bool st_gltf_load(context *c, const raw_file *raw)
{
    gltf_doc d = *((const gltf_file *)raw)->document;
    d.c = c;
    note_parts(&d);
    if (c->load->repair && !d.broken)
        repair_meshes(&d);
    if (c->load->repair && !d.broken)
        repair_clips(&d);
    if (c->load->repair && !d.broken)
        repair_nodes(&d);
    if (c->load->repair && !d.broken)
        report_key_rotations(&d);
    *c->load->model = d.model;
    return !d.broken;
}

/* ---- An untouched copy ---- */

/* The buffers that are files of their own. */
void st_gltf_bring(context *c, const raw_file *raw)
{
    const gltf_doc *d = ((const gltf_file *)raw)->document;
    for (uint32_t i = 0; !d->broken && i < d->lists[GLTF_BUFFERS].count; i++)
        if (d->buffers[i].file)
            st_save_companion(c, d->buffers[i].file, "bin glbin glbuf");
}
