/* Bulk data into the caller's memory. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/scan.h"
#include "reader.h"

/* ---- Views ---- */

uint64_t stele_read_floats(const stele_view *view, uint32_t components, float *out, size_t stride, uint64_t room)
{
    static const float zeros[MOST_WIDTH];
    size_t bytes = components * sizeof(float);
    stride = stride ? stride : bytes;
    if (!view || !out || !components || components > MOST_WIDTH || stride < bytes)
        return 0;
    uint64_t count = view->count < room ? view->count : room;
    if (st_same_numbers(view, STELE_F32, components, false)) {
        st_copy_rows(view->data, view->stride, (uint8_t *)out, stride, count, bytes);
        return count;
    }
    for (uint64_t done = 0; done < count; done += BLOCK) {
        float rows[BLOCK * MOST_WIDTH];
        size_t some = count - done < BLOCK ? (size_t)(count - done) : BLOCK;
        st_load_rows(view, done, some, components, zeros, rows);
        st_copy_rows((const uint8_t *)rows, bytes, (uint8_t *)out + done * stride, stride, some, bytes);
    }
    return count;
}

bool stele_view_range(const stele_view *view, float *least, float *greatest)
{
    static const float zeros[MOST_WIDTH];
    float low[MOST_WIDTH], high[MOST_WIDTH];
    if (!view || !least || !greatest || !view->count || !view->components || view->components > MOST_WIDTH)
        return false;
    uint32_t width = view->components;
    for (uint32_t k = 0; k < width; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
    }
    for (uint64_t done = 0; done < view->count; done += BLOCK) {
        float rows[BLOCK * MOST_WIDTH];
        size_t some = view->count - done < BLOCK ? (size_t)(view->count - done) : BLOCK;
        st_load_rows(view, done, some, width, zeros, rows);
        for (size_t i = 0; i < some; i++)
            for (uint32_t k = 0; k < width; k++) {
                float x = rows[i * width + k];
                low[k] = x < low[k] ? x : low[k];
                high[k] = x > high[k] ? x : high[k];
            }
    }
    memcpy(least, low, width * sizeof *least);
    memcpy(greatest, high, width * sizeof *greatest);
    return true;
}

/* ---- Vertices ---- */

stele_status stele_read_vertices(const stele_primitive *p, const stele_slot *slots, size_t slot_count, void *buffer,
                                 size_t size)
{
    reader r;
    bool whole = true;
    if (!p || !st_reader_plan(&r, p, slots, slot_count, p->vertex_count, false, buffer, size))
        return STELE_USAGE;
    for (size_t i = 0; i < r.stream_count && p->vertex_count;)
        if (st_reader_copy(&r, &r.streams[i]))
            r.streams[i] = r.streams[--r.stream_count];
        else
            i++;
    for (uint64_t done = 0; done < p->vertex_count && r.stream_count; done += r.block)
        whole &=
            st_reader_fill(&r, done, done, p->vertex_count - done < r.block ? (size_t)(p->vertex_count - done) : r.block, NULL);
    return whole ? STELE_OK : STELE_LOSSY;
}

/* ---- The file's own layout ---- */

/* The bytes of a view's rows; false if there are none. */
static bool extent_of(const stele_view *v, uint64_t rows, uintptr_t *start, uintptr_t *end)
{
    *start = (uintptr_t)v->data;
    *end = *start + (uintptr_t)((rows - 1) * v->stride) + v->components * stele_type_size(v->type);
    return rows && v->count >= rows && v->stride && v->stride <= MOST_STRIDE;
}

/* Bytes that touch are of one piece: those between them belong to somebody too. */
static void grow(const stele_primitive *p, uintptr_t *start, uintptr_t *end)
{
    for (bool grown = true; grown;) {
        grown = false;
        for (size_t i = 0; i < p->attribute_count; i++) {
            uintptr_t from, to;
            if (!extent_of(&p->attributes[i].view, p->vertex_count, &from, &to) || from > *end || to < *start)
                continue;
            grown |= from < *start || to > *end;
            *start = from < *start ? from : *start;
            *end = to > *end ? to : *end;
        }
    }
}

const void *stele_own_layout(const stele_primitive *p, stele_slot slots[STELE_MOST_SLOTS], size_t *slot_count, size_t *size)
{
    const stele_view *position = p ? stele_primitive_view(p, STELE_POSITION, 0) : NULL;
    uintptr_t start, end;
    bool placed = false;
    if (HOST_IS_BIG_ENDIAN || !slots || !slot_count || !size || !position ||
        !extent_of(position, p->vertex_count, &start, &end))
        return NULL;
    grow(p, &start, &end);
    *slot_count = 0;
    *size = (size_t)(end - start);
    for (size_t i = 0; i < p->attribute_count && *slot_count < STELE_MOST_SLOTS; i++) {
        const stele_attribute *a = &p->attributes[i];
        uintptr_t from, to;
        bool inside = extent_of(&a->view, p->vertex_count, &from, &to) && from >= start && to <= end;
        if (!inside || (from - start) % 4 || a->view.stride % 4)
            continue;
        slots[(*slot_count)++] = (stele_slot){.semantic = a->semantic,
                                              .set = a->set,
                                              .type = a->view.type,
                                              .components = a->view.components,
                                              .normalized = a->view.normalized,
                                              .stride = a->view.stride,
                                              .offset = from - start};
        placed |= &a->view == position;
    }
    return placed ? (const uint8_t *)position->data - ((uintptr_t)position->data - start) : NULL;
}

/* ---- Indices ---- */

uint64_t stele_index_count(const stele_primitive *p)
{
    return p ? (p->indices.count ? p->indices.count : p->vertex_count) : 0;
}

/* The bytes of packed indices as they are, where they can be. */
static bool copy_indices(const stele_view *v, uint32_t add, stele_type type, void *indices)
{
    bool same = v->type == type && v->stride == stele_type_size(type) && !add && !HOST_IS_BIG_ENDIAN;
    if (same)
        memcpy(indices, v->data, (size_t)v->count * v->stride);
    return same;
}

/* How a row of indices is loaded: the types one by one, for the compiler. */
#define INDICES(loaded, type, out)                                                                                             \
    for (uint64_t i = 0; i < count; i++, from += stride)                                                                       \
        (out)[i] = (type)((loaded) + add);

static void widen_indices(const stele_view *v, uint32_t add, uint32_t *out)
{
    const uint8_t *from = v->data;
    uint64_t count = v->count;
    size_t stride = v->stride;
    if (v->type == STELE_U32) {
        INDICES(load_u32(from), uint32_t, out)
    } else if (v->type == STELE_U16 && stride == 2) {
        for (uint64_t i = 0; i < count; i++)
            out[i] = load_u16(from + 2 * i) + add;
    } else if (v->type == STELE_U16) {
        INDICES(load_u16(from), uint32_t, out)
    } else {
        INDICES(*from, uint32_t, out)
    }
}

static void narrow_indices(const stele_view *v, uint32_t add, uint16_t *out)
{
    const uint8_t *from = v->data;
    uint64_t count = v->count;
    size_t stride = v->stride;
    if (v->type == STELE_U32 && stride == 4) {
        for (uint64_t i = 0; i < count; i++)
            out[i] = (uint16_t)(load_u32(from + 4 * i) + add);
    } else if (v->type == STELE_U32) {
        INDICES(load_u32(from), uint16_t, out)
    } else if (v->type == STELE_U16) {
        INDICES(load_u16(from), uint16_t, out)
    } else {
        INDICES(*from, uint16_t, out)
    }
}

static void make_indices(uint64_t count, uint32_t add, stele_type type, void *indices)
{
    for (uint64_t i = 0; i < count; i++)
        if (type == STELE_U16)
            ((uint16_t *)indices)[i] = (uint16_t)(i + add);
        else
            ((uint32_t *)indices)[i] = (uint32_t)(i + add);
}

/* The greatest index is below the number of vertices; only where that does not suffice is it looked for. */
static bool indices_fit(const stele_primitive *p, uint32_t add, stele_type type)
{
    uint64_t limit = (type == STELE_U16 ? (uint64_t)UINT16_MAX : (uint64_t)UINT32_MAX) + 1;
    const stele_view *v = &p->indices;
    if (p->vertex_count + add <= limit)
        return true;
    if (!v->count || add >= limit)
        return false;
    return !st_scan_beyond_rows(v->data, v->count, v->stride, 1, v->type, limit - add);
}

stele_status stele_read_indices(const stele_primitive *p, uint32_t add, stele_type type, void *indices, size_t size)
{
    uint64_t count = stele_index_count(p);
    if (!p || (type != STELE_U16 && type != STELE_U32) || (!indices && count) || count > size / stele_type_size(type))
        return STELE_USAGE;
    if (!indices_fit(p, add, type))
        return STELE_LOSSY;
    if (!p->indices.count)
        make_indices(count, add, type, indices);
    else if (copy_indices(&p->indices, add, type, indices))
        return STELE_OK;
    else if (type == STELE_U16)
        narrow_indices(&p->indices, add, indices);
    else
        widen_indices(&p->indices, add, indices);
    return STELE_OK;
}
