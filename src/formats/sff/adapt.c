/* From one mode of SFF to the other, and from any reading to the profile. */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "raw.h"

typedef struct sff_adapter {
    context *c;
    sff_layout from, to;
} sff_adapter;

static void refuse_size(context *c, const uint64_t *place, uint64_t size, uint64_t most)
{
    char why[96];
    snprintf(why, sizeof why, "it would be %llu, and can be %llu at most", (unsigned long long)size, (unsigned long long)most);
    st_refuse(c, at_member(place), why);
}

/* ---- Meshes ---- */

static void turn_attributes(sff_adapter *a, sff_mesh *m)
{
    const sff_mesh before = *m;
    uint8_t *copy = st_need(a->c, m->vertex_count, a->to.stride);
    if (!copy)
        return;
    m->vertices = (span){copy, m->vertex_count, a->to.stride};
    for (unsigned i = 0; i < SFF_ATTRIBUTES; i++) {
        stele_view from = st_sff_floats(&a->from, &before, (sff_attribute)i);
        uint32_t size = 4 * from.components;
        if (!size)
            continue;
        m->attribute[i] = (span){copy, m->vertex_count, size};
        st_view_copy(&from, copy, a->to.packed ? size : a->to.stride);
        copy += a->to.packed ? m->vertex_count * size : size;
    }
}

static void adapt_mesh(sff_adapter *a, sff_mesh *m)
{
    if (a->from.packed != a->to.packed)
        turn_attributes(a, m);
    if (a->from.index_size == 2) {
        stele_view narrow = st_view_indices(&m->indices, STELE_U16);
        m->indices = st_save_indices(a->c, &narrow, 4);
    }
    if (!a->from.index_size)
        m->index_count = 0; /* a claim: there were none */
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

void st_sff_set_sizes(context *c, const sff_file *places, sff_file *f)
{
    f->geometry_size = 0;
    f->texture_size = 0;
    for (uint64_t i = 0; i < f->mesh_count; i++)
        f->geometry_size += f->mesh[i].size;
    for (uint64_t i = 0; i < f->texture_count; i++)
        f->texture_size += 8 + f->texture[i].path_length + 2 * f->texture[i].mesh_count;
    if (f->geometry_size > UINT32_MAX)
        refuse_size(c, &places->geometry_size, f->geometry_size, UINT32_MAX);
    if (f->texture_size > UINT16_MAX)
        refuse_size(c, &places->texture_size, f->texture_size, UINT16_MAX);
}

bool st_sff_adapt(context *c, const raw_file *from, raw_file *raw, unsigned dialect)
{
    sff_file *f = (sff_file *)raw;
    unsigned reading = raw->reading;
    sff_adapter a = {.c = c, .from = st_sff_layout(f->format, *raw)};
    f->format = actual_format(f, &a.from);
    f->mode = dialect;
    *raw = (raw_file){dialect, 0};
    a.to = st_sff_layout(f->format, *raw);
    f->mesh = st_need_copy(c, f->mesh, f->mesh_count, sizeof *f->mesh);
    f->texture = st_need_copy(c, f->texture, f->texture_count, sizeof *f->texture);
    for (uint64_t i = 0; c->fits && i < f->mesh_count; i++)
        adapt_mesh(&a, &f->mesh[i]);
    for (uint64_t i = 0; c->fits && i < f->texture_count; i++)
        adapt_texture(&f->texture[i], reading);
    if (c->fits)
        st_sff_set_sizes(c, (const sff_file *)from, f);
    return c->fits;
}
