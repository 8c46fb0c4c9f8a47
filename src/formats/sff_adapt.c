/* From one mode of SFF to the other, and from any reading to the profile. */
#include <string.h>

#include "core/bytes.h"
#include "sff.h"

typedef struct adapter {
    checker *checker;
    sff_layout from, to;
    bool fits;
} adapter;

static void *room(adapter *a, uint64_t size)
{
    void *memory = st_arena_alloc(a->checker->arena, size);
    a->fits &= memory != NULL;
    return memory;
}

static void *copy_list(adapter *a, const void *items, uint64_t count, size_t size)
{
    void *copy = room(a, count * size);
    if (copy && count)
        memcpy(copy, items, (size_t)count * size);
    return copy;
}

static void does_not_fit(adapter *a, uint64_t offset, const char *path, uint64_t size, uint64_t most)
{
    st_diag(a->checker->diags, DIAG_DOES_NOT_FIT, (diag_place){offset, 1, path},
            "does not fit: it would be %llu, and can be %llu at most", (unsigned long long)size, (unsigned long long)most);
    a->fits = false;
}

/* ---- Meshes ---- */

static void copy_column(uint8_t *to, uint32_t to_stride, const vertex_floats *from, uint64_t count)
{
    for (uint64_t v = 0; v < count; v++)
        memcpy(to + v * to_stride, from->data + v * from->stride, 4 * (size_t)from->components);
}

static void turn_attributes(adapter *a, sff_mesh *m)
{
    const sff_mesh before = *m;
    uint8_t *copy = room(a, m->vertex_count * a->to.stride);
    if (!copy)
        return;
    m->vertices = (span){copy, m->vertex_count, a->to.stride};
    for (unsigned i = 0; i < SFF_ATTRIBUTES; i++) {
        vertex_floats from = st_sff_floats(&a->from, &before, (sff_attribute)i);
        uint32_t size = 4 * from.components;
        if (!size)
            continue;
        m->attribute[i] = (span){copy, m->vertex_count, size};
        copy_column(copy, a->to.packed ? size : a->to.stride, &from, m->vertex_count);
        copy += a->to.packed ? m->vertex_count * size : size;
    }
}

static void widen_indices(adapter *a, sff_mesh *m)
{
    uint8_t *copy = room(a, 4 * m->index_count);
    for (uint64_t i = 0; copy && i < m->index_count; i++)
        store_uint(copy + 4 * i, load_u16(m->indices.data + 2 * i), 4);
    m->indices = (span){copy, m->index_count, 4};
}

static void adapt_mesh(adapter *a, sff_mesh *m)
{
    if (a->from.packed != a->to.packed)
        turn_attributes(a, m);
    if (a->from.index_size == 2)
        widen_indices(a, m);
    if (!a->from.index_size)
        m->index_count = 0;
    m->size = st_sff_mesh_bytes(&a->to, m->vertex_count, m->index_count, m->texture_count);
}

/* ---- The file ---- */

static void adapt_texture(sff_texture *t, unsigned reading)
{
    t->path_length = st_sff_path_length(t, reading);
}

static uint64_t actual_format(const sff_file *f, const sff_layout *l)
{
    return (f->format & ~(uint64_t)SFF_KNOWN_BITS) | SFF_POSITIONS | (l->components[SFF_NORMAL] ? SFF_NORMALS : 0) |
           (l->components[SFF_UV] ? SFF_UVS : 0) | (l->index_size ? SFF_INDICES : 0);
}

static void adapt_sizes(adapter *a, sff_file *f)
{
    f->geometry_size = 0;
    f->texture_size = 0;
    for (uint64_t i = 0; i < f->mesh_count; i++)
        f->geometry_size += f->mesh[i].size;
    for (uint64_t i = 0; i < f->texture_count; i++)
        f->texture_size += 8 + f->texture[i].path_length + 2 * f->texture[i].mesh_count;
    if (f->geometry_size > UINT32_MAX)
        does_not_fit(a, 4, "geometry_size", f->geometry_size, UINT32_MAX);
    if (f->texture_size > UINT16_MAX)
        does_not_fit(a, 12, "texture_size", f->texture_size, UINT16_MAX);
}

bool st_sff_adapt(raw_file *raw, unsigned dialect, checker *c)
{
    sff_file *f = (sff_file *)raw;
    unsigned reading = raw->reading;
    adapter a = {.checker = c, .from = st_sff_layout(f->format, *raw), .fits = true};
    f->format = actual_format(f, &a.from);
    f->mode = dialect;
    *raw = (raw_file){dialect, 0};
    a.to = st_sff_layout(f->format, *raw);
    f->mesh = copy_list(&a, f->mesh, f->mesh_count, sizeof *f->mesh);
    f->texture = copy_list(&a, f->texture, f->texture_count, sizeof *f->texture);
    for (uint64_t i = 0; a.fits && i < f->mesh_count; i++)
        adapt_mesh(&a, &f->mesh[i]);
    for (uint64_t i = 0; a.fits && i < f->texture_count; i++)
        adapt_texture(&f->texture[i], reading);
    if (a.fits)
        adapt_sizes(&a, f);
    return a.fits;
}
