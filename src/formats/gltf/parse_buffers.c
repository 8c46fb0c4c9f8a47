/* Buffers, views of them, and accessors: which bytes a number of the document stands for. All sums are of numbers below 2^53,
 * as JSON has them, so that 64 bits hold them; products are avoided. */
#include <string.h>

#include "base/bytes.h"
#include "parse.h"

static const uint64_t most_bytes = UINT64_C(1) << 53;

static const char *const shape_names[] = {
    [GLTF_SCALAR] = "SCALAR", [GLTF_VEC2] = "VEC2", [GLTF_VEC3] = "VEC3", [GLTF_VEC4] = "VEC4",
    [GLTF_MAT2] = "MAT2",     [GLTF_MAT3] = "MAT3", [GLTF_MAT4] = "MAT4", NULL};

/* ---- Buffers ---- */

static bool find_file(gltf_doc *d, uint32_t uri, const char *name, gltf_buffer *b, uint64_t *size)
{
    companions *c = d->c->companions;
    const void *data = NULL;
    size_t there = 0;
    if (!st_companion_allowed(c, name))
        st_gltf_report(d, DIAG_BAD_URI, uri, "leads out of the model's folder to %.200s, which is not followed", name);
    else if (!st_companion_find(c, name, &data, &there))
        st_gltf_report(d, DIAG_BUFFER_MISSING, uri, "is %.200s, which is not beside the model", name);
    b->data = data;
    *size = there;
    return data;
}

/* The bytes of a buffer, and how many there are. */
static bool find_bytes(gltf_doc *d, const gltf_file *f, uint32_t index, gltf_buffer *b, uint64_t *size)
{
    uint32_t token = gltf_item(d, GLTF_BUFFERS, index);
    uint32_t uri = st_gltf_member(d, token, "uri", JSON_STRING);
    if (uri == JSON_ABSENT) {
        b->data = index == 0 ? f->bin.data : NULL;
        *size = f->bin.count;
        b->undefined = !b->data;
        return b->data;
    }
    const char *type = NULL;
    if (st_gltf_data_uri(d, uri, &b->data, size, d->c->full ? &type : NULL)) {
        if (type && strcmp(type, "application/octet-stream") != 0 && strcmp(type, "application/gltf-buffer") != 0)
            st_gltf_report(d, DIAG_AGAINST_SPEC, uri, "is a data URI of the type \"%.40s\", which is none of a buffer", type);
        return b->data;
    }
    b->file = st_gltf_file_name(d, uri);
    return b->file && find_file(d, uri, b->file, b, size);
}

static void read_buffer(gltf_doc *d, const gltf_file *f, uint32_t index)
{
    uint32_t token = gltf_item(d, GLTF_BUFFERS, index);
    gltf_buffer *b = &d->buffers[index];
    uint64_t there;
    if (!st_gltf_required(d, token, "byteLength", most_bytes, &b->size) || !find_bytes(d, f, index, b, &there))
        return;
    if (there < b->size) {
        st_gltf_report(d, DIAG_BUFFER_TOO_SHORT, st_json_member(&d->json, token, "byteLength"),
                       "is %llu, but there are %llu bytes", (unsigned long long)b->size, (unsigned long long)there);
        b->data = NULL;
    } else if (st_check_offset(d->c, b->data) == STELE_NOWHERE) {
        d->bytes += b->size;
    }
}

/* ---- Buffer views ---- */

static uint32_t read_stride(gltf_doc *d, uint32_t token)
{
    uint32_t key = st_json_member(&d->json, token, "byteStride");
    uint64_t stride = st_gltf_uint(d, token, "byteStride", INT32_MAX, 0);
    if (key != JSON_ABSENT && (stride < 4 || stride > 252 || stride % 4))
        st_gltf_report(d, DIAG_NONSTANDARD_LAYOUT, key, "is %llu, not a multiple of 4 from 4 to 252",
                       (unsigned long long)stride);
    return (uint32_t)stride;
}

static void read_buffer_view(gltf_doc *d, uint32_t index)
{
    uint32_t token = gltf_item(d, GLTF_BUFFER_VIEWS, index);
    gltf_buffer_view *v = &d->buffer_views[index];
    uint64_t offset = st_gltf_uint(d, token, "byteOffset", most_bytes, 0), buffer;
    v->stride = read_stride(d, token);
    bool sized = st_gltf_required(d, token, "byteLength", most_bytes, &v->size);
    if (!st_gltf_required(d, token, "buffer", most_bytes, &buffer) || !sized)
        return;
    uint32_t number = st_gltf_index(d, token, "buffer", GLTF_BUFFERS);
    if (number == STELE_NONE)
        return;
    const gltf_buffer *b = &d->buffers[number];
    v->undefined = b->undefined;
    if (b->data && (offset > b->size || v->size > b->size - offset))
        st_gltf_report(d, DIAG_ACCESSOR_OUT_OF_RANGE, token, "needs bytes %llu to %llu, but its buffer has %llu",
                       (unsigned long long)offset, (unsigned long long)(offset + v->size), (unsigned long long)b->size);
    else if (b->data)
        v->data = b->data + offset;
}

const uint8_t *st_gltf_view_bytes(gltf_doc *d, uint32_t token, uint32_t buffer_view)
{
    const gltf_buffer_view *v = &d->buffer_views[buffer_view];
    if (v->undefined)
        st_gltf_report(d, DIAG_BUFFER_MISSING, token, "is in a buffer that has no \"uri\", and there is no BIN chunk for it");
    return v->data;
}

/* ---- Accessors ---- */

/* False if glTF has no such number. */
static bool component_type(uint64_t number, stele_type *type)
{
    static const stele_type types[] = {STELE_I8, STELE_U8, STELE_I16, STELE_U16, STELE_BYTES, STELE_U32, STELE_F32};
    if (number < 5120 || number > 5126 || number == 5124)
        return false;
    *type = types[number - 5120];
    return true;
}

static bool read_type(gltf_doc *d, uint32_t token, stele_type *type)
{
    uint64_t number;
    if (!st_gltf_required(d, token, "componentType", most_bytes, &number))
        return false;
    if (component_type(number, type))
        return true;
    st_gltf_report(d, DIAG_BAD_FIELD, st_json_member(&d->json, token, "componentType"), "is %llu, which is no type of numbers",
                   (unsigned long long)number);
    return false;
}

/* The bytes of a row: columns of a matrix begin at multiples of 4. */
static uint32_t row_size(gltf_shape shape, stele_type type)
{
    static const uint32_t columns[] = {1, 1, 1, 1, 2, 3, 4}, rows[] = {1, 2, 3, 4, 2, 3, 4};
    uint32_t column = rows[shape] * stele_type_size(type);
    return columns[shape] * (shape >= GLTF_MAT2 ? (column + 3) / 4 * 4 : column);
}

/* Rows in a buffer view, from an offset on. False, and reported, if they are not all there. */
static bool place_rows(gltf_doc *d, uint32_t token, uint32_t buffer_view, uint32_t size, stele_view *view)
{
    const gltf_buffer_view *v = &d->buffer_views[buffer_view];
    uint64_t offset = st_gltf_uint(d, token, "byteOffset", most_bytes, 0);
    view->stride = v->stride ? v->stride : size;
    if (!st_gltf_view_bytes(d, token, buffer_view))
        return false;
    uint64_t left = offset <= v->size ? v->size - offset : 0;
    if (view->count && (left < size || (view->count - 1) > (left - size) / view->stride)) {
        st_gltf_report(d, DIAG_ACCESSOR_OUT_OF_RANGE, token,
                       "needs %llu rows of %u bytes, %u apart, from byte %llu on, but its buffer view has %llu bytes",
                       (unsigned long long)view->count, size, view->stride, (unsigned long long)offset,
                       (unsigned long long)v->size);
        return false;
    }
    view->data = v->data + offset;
    if (d->c->full && (uintptr_t)offset % stele_type_size(view->type))
        st_gltf_report(d, DIAG_NONSTANDARD_LAYOUT, token, "is not aligned to the size of its numbers");
    return true;
}

static bool place_part(gltf_doc *d, uint32_t part, uint32_t owner, const char *key, uint32_t size, stele_view *view)
{
    uint64_t unused;
    if (part == JSON_ABSENT) {
        st_gltf_report(d, DIAG_BAD_FIELD, owner, "has no \"%s\", which is required", key);
        return false;
    }
    if (!st_gltf_required(d, part, "bufferView", most_bytes, &unused))
        return false;
    uint32_t buffer_view = st_gltf_index(d, part, "bufferView", GLTF_BUFFER_VIEWS);
    return buffer_view != STELE_NONE && place_rows(d, part, buffer_view, size, view);
}

/* They must be in order, so that no row has two values. */
static bool check_sparse_indices(gltf_doc *d, uint32_t token, const stele_view *indices, uint64_t count)
{
    uint64_t before = UINT64_MAX;
    for (uint64_t i = 0; i < indices->count; i++) {
        uint64_t index = settled_u64(st_view_integer(indices, i));
        if (index >= count || (i && index <= before)) {
            st_gltf_report_data(d, DIAG_ACCESSOR_OUT_OF_RANGE, token, st_view_at(indices, i), 1,
                                index >= count ? "index %llu is %llu, but there are only %llu elements"
                                               : "index %llu is %llu, which does not come after the one before it",
                                (unsigned long long)i, (unsigned long long)index, (unsigned long long)count);
            return false;
        }
        before = index;
    }
    return true;
}

static bool read_sparse(gltf_doc *d, uint32_t token, gltf_accessor *a)
{
    uint32_t indices = st_gltf_member(d, token, "indices", JSON_OBJECT),
             values = st_gltf_member(d, token, "values", JSON_OBJECT);
    gltf_sparse *s = &a->sparse;
    uint64_t count;
    if (!st_gltf_required(d, token, "count", most_bytes, &count))
        return false;
    if (!count || count > a->view.count) {
        st_gltf_report(d, DIAG_BAD_FIELD, st_json_member(&d->json, token, "count"), "is %llu, but must be from 1 to %llu",
                       (unsigned long long)count, (unsigned long long)a->view.count);
        return false;
    }
    s->indices = (stele_view){.count = count, .components = 1};
    s->values = a->view;
    s->values.count = count;
    s->values.data = NULL;
    if (indices != JSON_ABSENT && !read_type(d, indices, &s->indices.type))
        return false;
    if (s->indices.type != STELE_U8 && s->indices.type != STELE_U16 && s->indices.type != STELE_U32) {
        st_gltf_report(d, DIAG_BAD_FIELD, st_json_member(&d->json, indices, "componentType"), "is no type of indices");
        return false;
    }
    return place_part(d, indices, token, "indices", stele_type_size(s->indices.type), &s->indices) &&
           place_part(d, values, token, "values", row_size(a->shape, a->view.type), &s->values) &&
           st_gltf_may_scan(d, indices, count * s->indices.stride) &&
           check_sparse_indices(d, indices, &s->indices, a->view.count);
}

static void read_accessor(gltf_doc *d, uint32_t index)
{
    static const uint32_t components[] = {1, 2, 3, 4, 4, 9, 16};
    uint32_t token = gltf_item(d, GLTF_ACCESSORS, index), key = st_json_member(&d->json, token, "type");
    uint32_t sparse = st_gltf_member(d, token, "sparse", JSON_OBJECT);
    gltf_accessor *a = &d->accessors[index];
    bool typed = read_type(d, token, &a->view.type);
    bool counted = st_gltf_required(d, token, "count", most_bytes, &a->view.count);
    a->buffer_view = st_gltf_index(d, token, "bufferView", GLTF_BUFFER_VIEWS);
    a->shape = st_gltf_word(d, token, "type", shape_names, GLTF_SCALAR);
    if (key == JSON_ABSENT)
        st_gltf_report(d, DIAG_BAD_FIELD, token, "has no \"type\", which is required");
    if (!typed || !counted || key == JSON_ABSENT)
        return;
    if (!a->view.count)
        st_gltf_report(d, DIAG_NONSTANDARD_LAYOUT, st_json_member(&d->json, token, "count"), "is 0, but must be 1 at least");
    a->view.components = components[a->shape];
    a->view.normalized = st_gltf_bool(d, token, "normalized") && a->view.type != STELE_F32 && a->view.type != STELE_U32;
    a->view.stride = row_size(a->shape, a->view.type);
    a->usable = (a->buffer_view == STELE_NONE || place_rows(d, token, a->buffer_view, a->view.stride, &a->view)) &&
                (sparse == JSON_ABSENT || read_sparse(d, sparse, a));
    a->built = sparse == JSON_ABSENT && a->buffer_view != STELE_NONE;
    if (a->buffer_view != STELE_NONE) {
        a->next = d->buffer_views[a->buffer_view].accessors;
        d->buffer_views[a->buffer_view].accessors = a;
    }
}

void st_gltf_read_buffers(gltf_doc *d, const gltf_file *f)
{
    uint32_t buffers = d->lists[GLTF_BUFFERS].count, views = d->lists[GLTF_BUFFER_VIEWS].count;
    uint32_t accessors = d->lists[GLTF_ACCESSORS].count;
    d->buffers = st_arena_array(d->arena, buffers, sizeof *d->buffers);
    d->buffer_views = st_arena_array(d->arena, views, sizeof *d->buffer_views);
    d->accessors = st_arena_array(d->arena, accessors, sizeof *d->accessors);
    if (!d->buffers || !d->buffer_views || !d->accessors)
        return;
    for (uint32_t i = 0; i < buffers; i++)
        read_buffer(d, f, i);
    for (uint32_t i = 0; i < views; i++)
        read_buffer_view(d, i);
    for (uint32_t i = 0; i < accessors; i++)
        read_accessor(d, i);
}

/* ---- What must be made ---- */

/* A face with its morphs takes a few times the bytes of the file; a number in a hostile file takes all the memory there is. */
enum { MOST_BUILT = 16, SMALL_BUILT = 1 << 16, MOST_SCANS = 256, SMALL_SCAN = 1 << 24 };

bool st_gltf_may_build(gltf_doc *d, uint32_t token, uint64_t rows, uint32_t row_size)
{
    uint64_t most = MOST_BUILT * d->bytes + SMALL_BUILT;
    if (d->built <= most && rows <= (most - d->built) / row_size) {
        d->built += rows * row_size;
        return true;
    }
    st_gltf_report(d, DIAG_COUNT_TOO_LARGE, token, "needs %llu rows of %u bytes, far more than the file has",
                   (unsigned long long)rows, row_size);
    return false;
}

stele_view st_gltf_make(gltf_doc *d, uint32_t token, uint64_t count, stele_type type, uint32_t components, uint8_t **bytes)
{
    *bytes = NULL;
    if (!st_gltf_may_build(d, token, count, components * stele_type_size(type)))
        return (stele_view){0};
    return st_view_make(d->arena, count, type, components, bytes);
}

bool st_gltf_may_scan(gltf_doc *d, uint32_t token, uint64_t bytes)
{
    uint64_t most = MOST_SCANS * d->bytes + SMALL_SCAN;
    if (d->scanned <= most && bytes <= most - d->scanned) {
        d->scanned += bytes;
        return true;
    }
    st_gltf_report(d, DIAG_COUNT_TOO_LARGE, token, "takes the bytes of the file once more than can be meant");
    return false;
}

static void build(gltf_doc *d, uint32_t token, gltf_accessor *a)
{
    const stele_view *from = &a->view, *indices = &a->sparse.indices, *values = &a->sparse.values;
    uint32_t size = from->components * stele_type_size(from->type);
    uint8_t *bytes;
    a->built = true;
    stele_view made = st_gltf_make(d, token, from->count, from->type, from->components, &bytes);
    a->usable = bytes != NULL;
    if (!bytes)
        return;
    made.normalized = from->normalized;
    byte_range *each = st_made_of_each(d->c, &made);
    for (uint64_t i = 0; from->data && i < from->count; i++) {
        memcpy(bytes + i * size, st_view_at(from, i), size);
        if (each)
            each[i] = st_row_bytes(from, i);
    }
    for (uint64_t i = 0; i < indices->count; i++) {
        uint64_t row = st_view_index(indices, i, from->count);
        memcpy(bytes + row * size, st_view_at(values, i), size);
        if (each)
            each[row] = st_row_bytes(values, i);
    }
    a->view = made;
}

/* The values of an accessor, its sparse ones included; no rows if they cannot be had. */
static stele_view view_of(gltf_doc *d, uint32_t accessor)
{
    gltf_accessor *a = &d->accessors[accessor];
    if (a->usable && !a->built)
        build(d, gltf_item(d, GLTF_ACCESSORS, accessor), a);
    return a->usable ? a->view : (stele_view){0};
}

stele_view st_gltf_use(gltf_doc *d, gltf_use use)
{
    gltf_use *uses = st_arena_grown(d->arena, d->uses, d->use_count, &d->use_capacity, sizeof *uses);
    if (!uses)
        return (stele_view){0};
    d->uses = uses;
    d->uses[d->use_count++] = use;
    return use.kind == GLTF_SPARSE_FLOATS ? d->accessors[use.accessor].sparse.values : view_of(d, use.accessor);
}
