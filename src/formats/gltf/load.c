/* The model of a glTF is made when it is checked: glTF has the shape of the model. What is left to do is to repair it. */
#include <string.h>

#include "base/scan.h"
#include "doc.h"

/* ---- Floats that are not finite, where a model can do without ---- */

static bool any_nonfinite(gltf_doc *d, uint32_t token, const stele_view *v)
{
    return v->type == STELE_F32 && st_gltf_may_scan(d, token, v->count * v->stride) &&
           st_scan_nonfinite_rows(v->data, v->count, v->stride, v->components);
}

static void drop_tangents(gltf_doc *d, stele_primitive *p, size_t index, const char *path)
{
    stele_attribute *attributes = (stele_attribute *)p->attributes;
    memmove(attributes + index, attributes + index + 1, (p->attribute_count - index - 1) * sizeof *attributes);
    p->attribute_count--;
    st_diag(d->c->diags, DIAG_TANGENTS_DROPPED, (diag_place){STELE_NOWHERE, 1, path},
            "some tangents are not finite: all are left out");
}

static void repair_floats(context *c, gltf_doc *d, uint32_t token, stele_primitive *p, const char *path)
{
    for (size_t i = p->attribute_count; i-- > 0 && !d->broken;) {
        stele_attribute *a = (stele_attribute *)&p->attributes[i];
        bool needed = a->semantic == STELE_UV || a->semantic == STELE_COLOR || a->semantic == STELE_TANGENT;
        if (!needed || !any_nonfinite(d, token, &a->view))
            continue;
        if (a->semantic == STELE_TANGENT)
            drop_tangents(d, p, i, path);
        else if (st_gltf_may_build(d, token, a->view.count, 4 * a->view.components))
            a->view = a->semantic == STELE_UV ? st_repair_uvs(c, &a->view, path) : st_repair_colors(c, &a->view, path);
    }
}

static void repair_meshes(context *c, gltf_doc *d)
{
    char path[WALK_PATH];
    for (uint32_t i = 0; i < d->model.mesh_count; i++)
        for (size_t k = 0; k < d->model.meshes[i].primitive_count; k++)
            repair_floats(c, d, gltf_item(d, GLTF_MESHES, i), (stele_primitive *)&d->model.meshes[i].primitives[k],
                          st_check_path(path, "/meshes/%u/primitives/%zu", i, k));
}

/* ---- Keys that are not in order ---- */

/* Whether a key is later than all before it; the latest time so far is kept. */
static bool is_later(const stele_view *times, uint64_t key, double *latest)
{
    double time = stele_view_number(times, key, 0);
    if (key && time <= *latest)
        return false;
    *latest = time;
    return true;
}

static uint64_t count_later(const stele_view *times)
{
    double latest = 0;
    uint64_t count = 0;
    for (uint64_t i = 0; i < times->count; i++)
        count += is_later(times, i, &latest);
    return count;
}

static void copy_row(const stele_view *from, uint64_t row, const stele_view *to, uint64_t at)
{
    memcpy((uint8_t *)st_view_at(to, at), st_view_at(from, row), to->stride);
}

/* Leaves out the keys that are not later than those before them. */
static void repair_keys(gltf_doc *d, uint32_t animation, stele_channel *c)
{
    uint32_t token = gltf_item(d, GLTF_ANIMATIONS, animation);
    uint64_t kept = count_later(&c->times), rows = c->values.count / c->times.count, next = 0;
    uint8_t *time_bytes, *value_bytes;
    double latest = 0;
    if (kept == c->times.count)
        return;
    stele_view times = st_gltf_make(d, token, kept, STELE_F32, 1, &time_bytes);
    stele_view values = st_gltf_make(d, token, kept * rows, c->values.type, c->values.components, &value_bytes);
    if (!time_bytes || !value_bytes)
        return;
    values.normalized = c->values.normalized;
    for (uint64_t i = 0; i < c->times.count; i++) {
        if (!is_later(&c->times, i, &latest))
            continue;
        copy_row(&c->times, i, &times, next);
        for (uint64_t k = 0; k < rows; k++)
            copy_row(&c->values, i * rows + k, &values, next * rows + k);
        next++;
    }
    st_gltf_report_data(d, DIAG_REPAIRED_TIME, token, NULL, c->times.count - kept,
                        "%llu keys that are out of order are left out", (unsigned long long)(c->times.count - kept));
    c->times = times;
    c->values = values;
}

static void repair_clips(gltf_doc *d)
{
    for (uint32_t i = 0; i < d->model.clip_count && !d->broken; i++) {
        stele_clip *clip = (stele_clip *)&d->model.clips[i];
        clip->duration = 0;
        for (size_t k = 0; k < clip->channel_count && !d->broken; k++) {
            stele_channel *c = (stele_channel *)&clip->channels[k];
            if (st_gltf_may_scan(d, gltf_item(d, GLTF_ANIMATIONS, i), 4 * c->times.count))
                repair_keys(d, i, c);
            double end = stele_view_number(&c->times, c->times.count - 1, 0);
            clip->duration = end > clip->duration ? end : clip->duration;
        }
    }
}

bool st_gltf_load(context *c, const raw_file *raw)
{
    gltf_doc *d = st_gltf_document(c, (gltf_file *)raw);
    if (!d || d->broken)
        return false;
    d->c = c;
    if (c->load->repair && d->nonfinite)
        repair_meshes(c, d);
    if (c->load->repair && d->unsorted)
        repair_clips(d);
    d->c = NULL;
    *c->load->model = d->model;
    return !d->broken;
}

/* ---- An untouched copy ---- */

/* The buffers that are files of their own. */
void st_gltf_bring(context *c, const raw_file *raw)
{
    gltf_doc *d = st_gltf_document(c, (gltf_file *)raw);
    for (uint32_t i = 0; d && !d->broken && i < d->lists[GLTF_BUFFERS].count; i++)
        if (d->buffers[i].file)
            st_save_companion(c, d->buffers[i].file);
}
