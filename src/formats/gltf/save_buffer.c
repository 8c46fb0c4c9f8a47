/* The buffer of a glTF file: views of the model become accessors, and their bytes pieces of the buffer. Bytes are passed
 * through where glTF allows their layout, and rows are packed anew where it does not. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "save.h"

/* ---- Lists that grow ---- */

static void *grown(packer *p, void *items, size_t count, size_t *capacity, size_t item_size)
{
    void *list = p->failed ? NULL : st_arena_grown(p->arena, items, count, capacity, item_size);
    p->failed |= !list;
    return list;
}

void st_pack_start(packer *p, context *c, gltf_pieces *bytes)
{
    *p = (packer){.c = c, .arena = c->arena, .bytes = bytes};
}

void st_pack_add(packer *p, const void *data, uint64_t size)
{
    if (!p->failed)
        p->failed = !st_gltf_add_piece(p->bytes, p->arena, data, size);
    if (!p->failed)
        p->views[p->view_count - 1].size = p->bytes->size - p->views[p->view_count - 1].offset;
}

static void pad(packer *p)
{
    if (!p->failed)
        p->failed = !st_gltf_add_piece(p->bytes, p->arena, NULL, -p->bytes->size % 4);
}

uint32_t st_pack_view(packer *p, uint32_t stride, uint32_t target)
{
    made_view *views = grown(p, p->views, p->view_count, &p->view_capacity, sizeof *views);
    pad(p);
    if (!views || p->failed)
        return STELE_NONE;
    p->views = views;
    views[p->view_count] = (made_view){.offset = p->bytes->size, .stride = stride, .target = target};
    return (uint32_t)p->view_count++;
}

static uint32_t add_accessor(packer *p, const made_accessor *accessor)
{
    made_accessor *accessors = grown(p, p->accessors, p->accessor_count, &p->accessor_capacity, sizeof *accessors);
    if (!accessors)
        return STELE_NONE;
    p->accessors = accessors;
    accessors[p->accessor_count] = *accessor;
    return (uint32_t)p->accessor_count++;
}

/* ---- What was packed already ---- */

static uint32_t hash_of(const stele_view *v, accessor_use use)
{
    uint64_t hash = hash_mix(v->count, (uint64_t)use << 16 | v->components << 8 | (uint64_t)v->type << 1 | v->normalized);
    if (use != USE_TIMES)
        return hash_end(hash_mix(hash_mix(hash, (uintptr_t)v->data), v->stride));
    for (uint64_t i = 0; i < v->count; i++)
        hash = hash_mix(hash, load_u32(st_view_at(v, i)));
    return hash_end(hash);
}

static bool same_shape(const stele_view *a, const stele_view *b)
{
    return a->count == b->count && a->components == b->components && a->type == b->type && a->normalized == b->normalized;
}

static bool same_view(const stele_view *a, const stele_view *b, accessor_use use)
{
    if (!same_shape(a, b))
        return false;
    if (a->data == b->data && a->stride == b->stride)
        return true;
    for (uint64_t i = 0; use == USE_TIMES && i < a->count; i++)
        if (load_u32(st_view_at(a, i)) != load_u32(st_view_at(b, i)))
            return false;
    return use == USE_TIMES;
}

static uint32_t packed_already(const packer *p, const stele_view *v, accessor_use use)
{
    uint32_t i;
    for (hash_probe probe = hash_at(&p->found, hash_of(v, use)); (i = hash_next(&probe)) != STELE_NONE;)
        if (p->packed[i].use == use && same_view(&p->packed[i].view, v, use))
            return p->packed[i].accessor;
    return STELE_NONE;
}

static void remember(packer *p, const stele_view *v, accessor_use use, uint32_t accessor)
{
    packed_view *packed = grown(p, p->packed, p->packed_count, &p->packed_capacity, sizeof *packed);
    if (!packed || accessor == STELE_NONE)
        return;
    p->packed = packed;
    packed[p->packed_count] = (packed_view){*v, use, accessor};
    p->failed = !st_hash_add(&p->found, p->arena, hash_of(v, use), (uint32_t)p->packed_count++);
}

/* ---- Rows, packed anew ---- */

/* Room for rows of another layout. Those of vertices begin at multiples of 4. */
static stele_view new_rows(packer *p, const stele_view *v, stele_type type, bool aligned, uint8_t **rows)
{
    stele_view result = *v;
    result.type = type;
    result.normalized = v->normalized && type == v->type;
    uint32_t size = view_row_size(&result);
    result.stride = aligned ? (size + 3) / 4 * 4 : size;
    *rows = st_arena_array(p->arena, v->count, result.stride);
    p->failed |= !*rows;
    result.data = *rows;
    return result;
}

static stele_view packed_rows(packer *p, const stele_view *v, bool aligned)
{
    uint8_t *rows;
    stele_view result = new_rows(p, v, v->type, aligned, &rows);
    if (rows)
        st_view_copy(v, rows, result.stride);
    return result;
}

stele_view st_pack_floats(packer *p, const stele_view *v)
{
    uint8_t *rows;
    float numbers[16];
    stele_view result = new_rows(p, v, STELE_F32, false, &rows);
    for (uint64_t i = 0; rows && i < v->count; i++) {
        stele_view_row(v, i, numbers);
        for (uint32_t k = 0; k < v->components; k++)
            store_f32(rows + i * result.stride + 4 * k, numbers[k]);
    }
    return result;
}

/* Unsigned integers of another size. */
static stele_view packed_integers(packer *p, const stele_view *v, stele_type type, bool aligned)
{
    uint8_t *rows;
    stele_view result = new_rows(p, v, type, aligned, &rows);
    for (uint64_t i = 0; rows && i < v->count; i++)
        for (uint32_t k = 0; k < v->components; k++)
            store_uint(rows + i * result.stride + k * stele_type_size(type), (uint64_t)stele_view_number(v, i, k),
                       stele_type_size(type));
    return result;
}

/* ---- Attributes ---- */

static bool type_allowed(stele_semantic semantic, const stele_view *v)
{
    bool small = v->type == STELE_U8 || v->type == STELE_U16;
    switch (semantic) {
    case STELE_POSITION:
    case STELE_NORMAL:
    case STELE_TANGENT: return v->type == STELE_F32;
    case STELE_JOINTS: return small && !v->normalized;
    default: return v->type == STELE_F32 || (small && v->normalized);
    }
}

static bool layout_allowed(const stele_view *v)
{
    return v->stride % 4 == 0 && v->stride <= 252 && v->stride >= view_row_size(v);
}

/* An attribute on its way into the buffer. */
typedef struct packing {
    const stele_attribute *attribute;
    stele_view view; /* in a type and layout that glTF allows */
    bool fresh;      /* not yet in the buffer */
    bool finite;     /* as is known before anybody looks */
    bool nonfinite;
    float min[3], max[3]; /* of positions */
} packing;

static packing prepare(packer *p, const stele_attribute *attribute)
{
    packing k = {.attribute = attribute,
                 .view = attribute->view,
                 .fresh = packed_already(p, &attribute->view, USE_VERTEX + attribute->semantic) == STELE_NONE,
                 .finite = attribute->view.type != STELE_F32 || st_known(p->c->facts, &attribute->view, FACT_FINITE),
                 .min = {INFINITY, INFINITY, INFINITY},
                 .max = {-INFINITY, -INFINITY, -INFINITY}};
    if (!k.fresh)
        return k;
    if (!type_allowed(attribute->semantic, &k.view))
        k.view =
            attribute->semantic == STELE_JOINTS ? packed_integers(p, &k.view, STELE_U16, true) : st_pack_floats(p, &k.view);
    if (!layout_allowed(&k.view))
        k.view = packed_rows(p, &k.view, true);
    return k;
}

static const char *semantic_name(stele_semantic semantic)
{
    static const char *const names[] = {"position", "normal", "tangent", "uv", "color", "joints", "weights"};
    return names[semantic];
}

/* What glTF forbids is not written: such texture coordinates, colours and directions get a harmless value. */
static void replace_nonfinite(packer *p, packing *k, const char *path)
{
    static const float harmless[][4] = {
        [STELE_NORMAL] = {0, 0, 1, 0}, [STELE_TANGENT] = {1, 0, 0, 1}, [STELE_UV] = {0, 0, 0, 0}, [STELE_COLOR] = {1, 1, 1, 1}};
    stele_semantic semantic = k->attribute->semantic;
    uint64_t count = 0;
    if (semantic == STELE_POSITION || semantic == STELE_WEIGHTS) {
        st_refuse(p->c, at_path(path, 1),
                  semantic == STELE_POSITION ? "NaN or infinity in a position" : "NaN or infinity in a skin weight");
        return;
    }
    k->view = packed_rows(p, &k->view, true);
    for (uint64_t i = 0; !p->failed && i < k->view.count; i++) {
        uint8_t *row = (uint8_t *)st_view_at(&k->view, i);
        if (!st_scan_nonfinite(row, k->view.components))
            continue;
        for (uint32_t c = 0; c < k->view.components; c++)
            store_f32(row + 4 * c, harmless[semantic][c]);
        count++;
    }
    st_lose(p->c, DIAG_LOSS_PRECISION, count, path, "has no NaN or infinity: %llu %s values were replaced",
            (unsigned long long)count, semantic_name(semantic));
}

/* Attributes that lie interleaved: one bufferView for all. */
typedef struct block {
    uintptr_t start, end;  /* of the first row */
    uint32_t stride, used; /* bytes of a row, and those of them that attributes use */
    uint64_t rows;
    bool finite; /* all members are known to be */
    size_t count;
    packing *members[MOST_ATTRIBUTES];
} block;

static bool joins(const block *b, const packing *k)
{
    uintptr_t at = (uintptr_t)k->view.data, end = at + view_row_size(&k->view);
    uintptr_t low = at < b->start ? at : b->start, high = end > b->end ? end : b->end;
    return k->fresh && k->view.stride == b->stride && (at - b->start) % 4 == 0 && high - low <= b->stride;
}

/* The block that begins with an attribute: it, and those of the later ones that lie beside it. */
static void gather(packing *packings, size_t count, block *b)
{
    uintptr_t start = (uintptr_t)packings[0].view.data;
    *b = (block){
        .start = start, .end = start, .stride = packings[0].view.stride, .rows = packings[0].view.count, .finite = true};
    for (size_t i = 0; i < count; i++) {
        packing *k = &packings[i];
        if (!joins(b, k))
            continue;
        uintptr_t at = (uintptr_t)k->view.data, end = at + view_row_size(&k->view);
        b->start = at < b->start ? at : b->start;
        b->end = end > b->end ? end : b->end;
        b->used += view_row_size(&k->view);
        b->finite &= k->finite;
        b->members[b->count++] = k;
    }
}

/* Some rows of a block: is anything in them not finite? If that is not known, all bytes at once are asked first, at memory
 * speed.
 */
static void look_at_rows(block *b, uint64_t start, uint64_t rows)
{
    const uint8_t *data = (const uint8_t *)b->start + start * b->stride;
    bool suspicious = !b->finite && st_scan_nonfinite(data, ((rows - 1) * b->stride + (b->end - b->start)) / 4);
    for (size_t i = 0; i < b->count; i++) {
        packing *k = b->members[i];
        const uint8_t *own = st_view_at(&k->view, start);
        if (k->view.type == STELE_F32 && suspicious)
            k->nonfinite |= st_scan_nonfinite_rows(own, rows, b->stride, k->view.components);
        if (k->attribute->semantic == STELE_POSITION)
            st_scan_bounds(own, rows, b->stride, k->min, k->max);
    }
}

/* Chunk after chunk, so that rows come into the cache once for all attributes. True if everything is finite. */
static bool look_through(block *b)
{
    enum { CHUNK = 1024 };
    bool finite = true;
    for (uint64_t start = 0; start < b->rows; start += CHUNK)
        look_at_rows(b, start, b->rows - start < CHUNK ? b->rows - start : CHUNK);
    for (size_t i = 0; i < b->count; i++)
        finite &= !b->members[i]->nonfinite;
    return finite;
}

static uint32_t add_attribute(packer *p, const packing *k, uint32_t view, uint64_t offset)
{
    made_accessor a = {.view = view,
                       .offset = offset,
                       .count = k->view.count,
                       .type = k->view.type,
                       .components = k->view.components,
                       .normalized = k->view.normalized,
                       .bounded = k->attribute->semantic == STELE_POSITION};
    memcpy(a.min, k->min, sizeof a.min);
    memcpy(a.max, k->max, sizeof a.max);
    uint32_t index = add_accessor(p, &a);
    remember(p, &k->attribute->view, USE_VERTEX + k->attribute->semantic, index);
    return index;
}

static void repack(packer *p, const block *b)
{
    for (size_t i = 0; i < b->count; i++)
        b->members[i]->view = packed_rows(p, &b->members[i]->view, true);
}

static void replace_in_block(packer *p, const block *b, const char *path)
{
    for (size_t i = 0; i < b->count; i++)
        if (b->members[i]->nonfinite)
            replace_nonfinite(p, b->members[i], path);
}

/* The first of some attributes, and those that lie beside it. */
static void pack_block(packer *p, packing *packings, size_t count, const char *path)
{
    block b;
    gather(packings, count, &b);
    /* rows of which a quarter is not used are not worth their bytes */
    if (4 * b.used < 3 * b.stride) {
        repack(p, &b);
        gather(packings, p->failed ? 0 : count, &b);
    }
    if (!p->failed && !look_through(&b)) {
        replace_in_block(p, &b, path);
        gather(packings, p->failed ? 0 : count, &b);
    }
    if (p->failed)
        return;
    bool packed = b.count == 1 && b.stride == b.used;
    uint32_t view = st_pack_view(p, packed ? 0 : b.stride, GLTF_ARRAY_BUFFER);
    st_pack_add(p, (const void *)b.start, (b.rows - 1) * b.stride + (b.end - b.start));
    /* glTF lets the last row end early, but three.js does not */
    st_pack_add(p, NULL, b.stride - (b.end - b.start));
    for (size_t i = 0; i < b.count; i++) {
        add_attribute(p, b.members[i], view, (uintptr_t)b.members[i]->view.data - b.start);
        b.members[i]->fresh = false;
    }
}

void st_pack_attributes(packer *p, const stele_primitive *primitive, const char *path, uint32_t *accessors)
{
    packing packings[MOST_ATTRIBUTES];
    size_t count = primitive->attribute_count;
    for (size_t i = 0; i < count; i++)
        packings[i] = prepare(p, &primitive->attributes[i]);
    for (size_t i = 0; i < count && !p->failed; i++)
        if (packings[i].fresh)
            pack_block(p, &packings[i], count - i, path);
    for (size_t i = 0; i < count && !p->failed; i++)
        accessors[i] = packed_already(p, &primitive->attributes[i].view, USE_VERTEX + primitive->attributes[i].semantic);
}

/* ---- Indices ---- */

static uint32_t pack_in_own_view(packer *p, const stele_view *v, uint32_t target)
{
    uint32_t view = st_pack_view(p, 0, target);
    st_pack_add(p, v->data, v->count * view_row_size(v));
    return view;
}

static bool is_below(const packer *p, const stele_view *v, uint64_t limit)
{
    return st_known_below(p->c->facts, v, limit) || !st_scan_beyond(v->data, v->count, v->type, limit);
}

/* The type in which no index is the one that restarts a strip: that is the greatest of each. */
static stele_type index_type(const packer *p, const stele_view *v)
{
    if (v->type == STELE_U8)
        return is_below(p, v, UINT8_MAX) ? STELE_U8 : STELE_U16;
    if (v->type == STELE_U16)
        return is_below(p, v, UINT16_MAX) ? STELE_U16 : STELE_U32;
    return STELE_U32;
}

uint32_t st_pack_indices(packer *p, const stele_primitive *primitive, const char *path)
{
    stele_view v = primitive->indices;
    uint32_t index = packed_already(p, &v, USE_INDEX);
    if (index != STELE_NONE)
        return index;
    if (v.stride != view_row_size(&v))
        v = packed_rows(p, &v, false);
    if (p->failed)
        return STELE_NONE;
    if (!is_below(p, &v, primitive->vertex_count)) {
        st_refuse(p->c, at_path(path, 1), "an index is beyond the vertices");
        return STELE_NONE;
    }
    stele_type type = index_type(p, &v);
    if (type != v.type)
        v = packed_integers(p, &v, type, false);
    made_accessor a = {.count = v.count, .type = v.type, .components = 1};
    a.view = pack_in_own_view(p, &v, GLTF_ELEMENT_ARRAY_BUFFER);
    index = add_accessor(p, &a);
    remember(p, &primitive->indices, USE_INDEX, index);
    return index;
}

/* ---- Morphs ---- */

uint32_t st_pack_zeros(packer *p, uint64_t count, uint32_t components, bool bounded)
{
    return add_accessor(
        p,
        &(made_accessor){.view = STELE_NONE, .count = count, .type = STELE_F32, .components = components, .bounded = bounded});
}

static bool all_zero(const stele_view *v)
{
    static const uint8_t zeros[64];
    for (uint64_t i = 0; i < v->count; i++)
        if (memcmp(st_view_at(v, i), zeros, view_row_size(v)) != 0)
            return false;
    return true;
}

/* One vertex of a sparse morph. */
typedef struct moved {
    uint64_t vertex, row;
} moved;

static int by_vertex(const void *a, const void *b)
{
    const moved *x = a, *y = b;
    if (x->vertex != y->vertex)
        return x->vertex < y->vertex ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* The rows in the order of their vertices, as glTF wants them. Those of one vertex add up. */
static uint64_t sort_rows(packer *p, const stele_view *vertices, stele_view *rows, uint64_t **sorted)
{
    moved *order = st_arena_array(p->arena, vertices->count, sizeof *order);
    uint8_t *packed = st_arena_array(p->arena, vertices->count, 12);
    uint64_t *list = st_arena_array(p->arena, vertices->count, sizeof *list), count = 0;
    p->failed |= !order || !packed || !list;
    if (p->failed)
        return 0;
    for (uint64_t i = 0; i < vertices->count; i++)
        order[i] = (moved){st_view_integer(vertices, i), i};
    qsort(order, (size_t)vertices->count, sizeof *order, by_vertex);
    for (uint64_t i = 0; i < vertices->count; i++) {
        float more[3];
        if (!count || list[count - 1] != order[i].vertex)
            list[count++] = order[i].vertex;
        stele_view_row(rows, order[i].row, more);
        for (int c = 0; c < 3; c++) {
            uint8_t *at = packed + (count - 1) * 12 + 4 * c;
            store_f32(at, load_f32(at) + more[c]);
        }
    }
    *rows = st_view_f32(packed, count, 12, 3);
    *sorted = list;
    return count;
}

static stele_view vertex_list(packer *p, const uint64_t *vertices, uint64_t count)
{
    uint8_t *bytes;
    uint64_t last = count ? vertices[count - 1] : 0;
    stele_type type = last < UINT8_MAX ? STELE_U8 : last < UINT16_MAX ? STELE_U16 : STELE_U32;
    stele_view v = st_view_make(p->arena, count, type, 1, &bytes);
    p->failed |= !bytes;
    for (uint64_t i = 0; bytes && i < count; i++)
        store_uint(bytes + i * stele_type_size(type), vertices[i], stele_type_size(type));
    return v;
}

static void bound(made_accessor *a, const stele_view *rows, bool from_zero)
{
    for (int i = 0; i < 3; i++) {
        a->min[i] = from_zero ? 0 : INFINITY;
        a->max[i] = from_zero ? 0 : -INFINITY;
    }
    st_scan_bounds(rows->data, rows->count, rows->stride, a->min, a->max);
}

static uint32_t pack_sparse(packer *p, const stele_morph *morph, stele_view rows, made_accessor *a, const char *path)
{
    uint64_t *vertices = NULL;
    a->view = STELE_NONE;
    a->sparse_count = sort_rows(p, &morph->vertices, &rows, &vertices);
    if (p->failed)
        return STELE_NONE;
    if (vertices[a->sparse_count - 1] >= a->count) {
        st_refuse(p->c, at_path(path, 1), "a morph moves a vertex that is not there");
        return STELE_NONE;
    }
    stele_view list = vertex_list(p, vertices, a->sparse_count);
    if (p->failed)
        return STELE_NONE;
    if (a->bounded)
        bound(a, &rows, a->sparse_count < a->count);
    a->sparse_type = list.type;
    a->sparse_indices = pack_in_own_view(p, &list, 0);
    a->sparse_values = pack_in_own_view(p, &rows, 0);
    return add_accessor(p, a);
}

uint32_t st_pack_morph(packer *p, const stele_morph *morph, const stele_view *view, uint64_t count, bool bounded,
                       const char *path)
{
    made_accessor a = {.count = count, .type = STELE_F32, .components = 3, .bounded = bounded};
    stele_view v = *view;
    if (v.components != 3 || v.count != (morph->vertices.count ? morph->vertices.count : count)) {
        st_refuse(p->c, at_path(path, 1), "a morph has not as many rows as vertices");
        return STELE_NONE;
    }
    if (v.type != STELE_F32 || v.stride != view_row_size(&v))
        v = st_pack_floats(p, &v);
    if (!p->failed && st_scan_nonfinite(v.data, 3 * v.count)) {
        st_refuse(p->c, at_path(path, 1), "NaN or infinity in a morph");
        return STELE_NONE;
    }
    if (p->failed)
        return STELE_NONE;
    if (all_zero(&v))
        return st_pack_zeros(p, count, 3, bounded);
    if (morph->vertices.count)
        return pack_sparse(p, morph, v, &a, path);
    if (bounded)
        bound(&a, &v, false);
    a.view = pack_in_own_view(p, &v, GLTF_ARRAY_BUFFER);
    return add_accessor(p, &a);
}

/* ---- Keys and matrices ---- */

static uint32_t pack_at_end(packer *p, const stele_view *v, gathering gathers, made_accessor a)
{
    if (!p->view_count || p->views[p->view_count - 1].gathers != gathers)
        st_pack_view(p, 0, 0);
    pad(p);
    if (p->failed)
        return STELE_NONE;
    a.view = (uint32_t)p->view_count - 1;
    p->views[a.view].gathers = gathers;
    a.offset = p->bytes->size - p->views[a.view].offset;
    a.count = v->count;
    a.type = v->type;
    a.components = v->components;
    a.normalized = v->normalized;
    st_pack_add(p, v->data, v->count * view_row_size(v));
    return add_accessor(p, &a);
}

uint32_t st_pack_rows(packer *p, const stele_view *values, accessor_use use)
{
    stele_view v = *values;
    uint32_t index = packed_already(p, values, use);
    if (index != STELE_NONE)
        return index;
    if (v.stride != view_row_size(&v))
        v = packed_rows(p, &v, false);
    if (p->failed)
        return STELE_NONE;
    index = pack_at_end(p, &v, use == USE_MATRICES ? GATHERS_MATRICES : GATHERS_KEYS, (made_accessor){.bounded = false});
    remember(p, values, use, index);
    return index;
}

uint32_t st_pack_times(packer *p, const stele_view *times)
{
    stele_view v = *times;
    if (v.type != STELE_F32)
        v = st_pack_floats(p, &v);
    uint32_t index = p->failed ? STELE_NONE : packed_already(p, &v, USE_TIMES);
    if (index != STELE_NONE || p->failed)
        return index;
    stele_view packed = v.stride == 4 ? v : packed_rows(p, &v, false);
    if (p->failed)
        return STELE_NONE;
    made_accessor a = {.bounded = true, .min = {load_f32(st_view_at(&v, 0))}, .max = {load_f32(st_view_at(&v, v.count - 1))}};
    index = pack_at_end(p, &packed, GATHERS_KEYS, a);
    remember(p, &v, USE_TIMES, index);
    return index;
}
