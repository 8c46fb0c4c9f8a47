/* SFF, the Specter File Format 0.1. Little-endian, unpadded. No program that reads or writes it is known: there is only its
 * document, which leaves open where things are and how wide. docs/formats/sff.md proposes a profile, which is reading 0 here,
 * and lists the deviations that are read as well.
 *
 *   dialect      mode  attributes of a mesh
 *   interleaved  0     position, normal and uv of a vertex, then those of the next
 *   packed       1     all positions, then all normals, then all uvs
 *
 * The walk goes by the counts. Sizes only say how much is a texture, and are checked; probe.c uses them to find out which
 * reading it is. */
#include "raw.h"

#include <stdlib.h>

#include "base/bytes.h"

static const stele_dialect_info dialects[] = {
    [SFF_INTERLEAVED] = {"interleaved", "Specter 0.1, mode 0: the attributes of a vertex together"},
    [SFF_PACKED] = {"packed", "Specter 0.1, mode 1: one array per attribute"},
};

static const char *const attribute_names[] = {"position", "normal", "uv0"};

/* ---- What the reading makes of the header ---- */

/* What the format says, unless the reading contradicts it. */
static bool in_force(uint64_t format, unsigned bit, unsigned reading, unsigned contradiction)
{
    return ((format & bit) != 0) != ((reading & contradiction) != 0);
}

sff_layout st_sff_layout(uint64_t format, raw_file raw)
{
    sff_layout l = {.components = {[SFF_POSITION] = 3},
                    .packed = raw.dialect == SFF_PACKED,
                    .padded = raw.reading & SFF_PADDED,
                    .indices_first = raw.reading & SFF_INDICES_FIRST};
    l.components[SFF_NORMAL] = in_force(format, SFF_NORMALS, raw.reading, SFF_OTHER_NORMALS) ? 3 : 0;
    l.components[SFF_UV] = in_force(format, SFF_UVS, raw.reading, SFF_OTHER_UVS) ? 2 : 0;
    l.index_size = in_force(format, SFF_INDICES, raw.reading, SFF_OTHER_INDICES) ? 4 : 0;
    if (raw.reading & SFF_INDICES_16)
        l.index_size = 2;
    for (unsigned i = 0; i < SFF_ATTRIBUTES; i++)
        l.stride += 4 * l.components[i];
    return l;
}

uint64_t st_sff_mesh_bytes(const sff_layout *l, uint64_t vertex_count, uint64_t index_count, uint64_t texture_count)
{
    return SFF_MESH_BYTES + 2 * texture_count + vertex_count * l->stride + index_count * l->index_size;
}

uint64_t st_sff_own_bytes(unsigned reading)
{
    return reading & SFF_SIZE_WITHOUT_ITSELF ? SFF_SIZE_BYTES : 0;
}

uint32_t st_sff_count_bytes(unsigned reading)
{
    return reading & SFF_COUNT_16 ? 2 : reading & SFF_COUNT_24 ? 3 : 4;
}

stele_type st_sff_index_type(const sff_layout *l)
{
    return l->index_size == 2 ? STELE_U16 : STELE_U32;
}

stele_view st_sff_floats(const sff_layout *l, const sff_mesh *m, sff_attribute attribute)
{
    uint32_t before = 0, components = l->components[attribute];
    if (l->packed)
        return st_view_f32(m->attribute[attribute].data, m->vertex_count, 4 * components, components);
    for (unsigned i = 0; i < (unsigned)attribute; i++)
        before += l->components[i];
    return st_view_f32(m->vertices.data + 4 * before, m->vertex_count, l->stride, components);
}

bool st_sff_mesh_size_holds(const sff_file *f, const sff_mesh *m)
{
    return m->size + st_sff_own_bytes(f->raw.reading) == m->bytes;
}

bool st_sff_geometry_size_holds(const sff_file *f)
{
    uint64_t end = f->raw.reading & SFF_GEOMETRY_END    ? f->geometry_size
                   : f->raw.reading & SFF_GEOMETRY_LAST ? f->geometry_size + 1
                                                        : f->geometry_size + SFF_HEADER_BYTES;
    return end == f->geometry_end;
}

bool st_sff_texture_size_holds(const sff_file *f)
{
    return f->texture_size == f->end - f->geometry_end;
}

/* ---- What fields mean, where the reading is not what the field says ---- */

static const char *geometry_size_meaning(unsigned reading)
{
    return reading & SFF_GEOMETRY_END    ? "the offset at which the geometry ends"
           : reading & SFF_GEOMETRY_LAST ? "the offset of the last byte of the geometry"
                                         : NULL;
}

static const char *format_meaning(walk *w, uint64_t format, raw_file raw)
{
    sff_layout l = st_sff_layout(format, raw);
    bool contradicted = raw.reading & (SFF_OTHER_NORMALS | SFF_OTHER_UVS | SFF_OTHER_INDICES);
    if (w->mode != WALK_EXPLAIN)
        return NULL;
    return st_arena_format(w->arena, "%spositions%s%s%s", contradicted ? "but there are " : "",
                           l.components[SFF_NORMAL] ? ", normals" : "", l.components[SFF_UV] ? ", uvs" : "",
                           l.index_size ? ", indices" : "");
}

static const char *mode_meaning(raw_file raw)
{
    if (raw.reading & SFF_OTHER_MODE)
        return raw.dialect == SFF_PACKED ? "but the attributes are packed" : "but the attributes are interleaved";
    return dialects[raw.dialect].name;
}

static const char *index_count_meaning(const sff_layout *l)
{
    if (l->indices_first)
        return l->index_size == 2 ? "of 2 bytes each, before the attributes" : "before the attributes";
    return l->index_size == 2 ? "of 2 bytes each" : l->index_size == 0 ? "no indices" : NULL;
}

/* ---- The layout ---- */

static void walk_header(walk *w, sff_file *f)
{
    st_walk_uint(w, "mesh_count", STELE_U32, &f->mesh_count, NULL);
    st_walk_uint(w, "geometry_size", STELE_U32, &f->geometry_size, geometry_size_meaning(f->raw.reading));
    /* the meaning of a field must be known before it is read */
    if (w->mode == WALK_EXPLAIN && w->size - w->at >= 2)
        f->format = load_u16(w->data + w->at);
    st_walk_uint(w, "format", STELE_U16, &f->format, format_meaning(w, f->format, f->raw));
    st_walk_uint(w, "mode", STELE_U16, &f->mode, mode_meaning(f->raw));
    st_walk_uint(w, "texture_size", STELE_U16, &f->texture_size, NULL);
}

static void walk_attributes(walk *w, const sff_layout *l, sff_mesh *m)
{
    stele_column columns[SFF_ATTRIBUTES];
    size_t count = 0;
    for (unsigned i = 0; i < SFF_ATTRIBUTES; i++) {
        stele_column column = {l->packed ? "" : attribute_names[i], STELE_F32, l->components[i]};
        if (column.components && l->packed)
            st_walk_rows(w, attribute_names[i], &m->attribute[i], &column, 1, m->vertex_count);
        else if (column.components)
            columns[count++] = column;
    }
    if (!l->packed)
        W_ROWS(w, m, vertices, columns, count, m->vertex_count);
}

static void walk_indices(walk *w, const sff_layout *l, sff_mesh *m)
{
    if (l->index_size)
        W_ARRAY(w, m, indices, st_sff_index_type(l), m->index_count);
}

static bool has_padding(const sff_layout *l, const sff_mesh *m, unsigned reading)
{
    uint64_t bytes = st_sff_mesh_bytes(l, m->vertex_count, m->index_count, m->texture_count);
    return l->padded && m->size + st_sff_own_bytes(reading) == bytes + SFF_PADDING_BYTES;
}

static void walk_mesh(walk *w, const sff_layout *l, unsigned reading, sff_mesh *m)
{
    uint64_t start = w->at;
    st_walk_uint(w, "size", STELE_U32, &m->size, reading & SFF_SIZE_WITHOUT_ITSELF ? "excludes its own 4 bytes" : NULL);
    st_walk_uint(w, "vertex_count", STELE_U32, &m->vertex_count, NULL);
    st_walk_uint(w, "index_count", STELE_U32, &m->index_count, index_count_meaning(l));
    W_U16(w, m, texture_count);
    W_ARRAY(w, m, texture, STELE_U16, m->texture_count);
    if (has_padding(l, m, reading))
        W_U16(w, m, padding);
    if (l->indices_first)
        walk_indices(w, l, m);
    walk_attributes(w, l, m);
    if (!l->indices_first)
        walk_indices(w, l, m);
    if (walk_ok(w))
        m->bytes = w->at - start;
}

static void walk_mesh_count(walk *w, uint32_t count_bytes, sff_texture *t)
{
    uint64_t low = t->mesh_count & UINT16_MAX, high = t->mesh_count >> 16;
    if (count_bytes == 4) {
        st_walk_uint(w, "mesh_count", STELE_U32, &t->mesh_count, NULL);
        return;
    }
    st_walk_uint(w, "mesh_count", STELE_U16, &low, count_bytes == 2 ? "written as 2 bytes" : "the low 2 bytes of 3");
    if (count_bytes == 3)
        st_walk_uint(w, "mesh_count_high", STELE_U8, &high, "the high byte of 3");
    t->mesh_count = high << 16 | low;
}

static void walk_texture(walk *w, unsigned reading, sff_texture *t)
{
    st_walk_uint(w, "path_length", STELE_U32, &t->path_length, reading & SFF_PATH_NUL ? "counts a NUL" : NULL);
    W_CHARS(w, t, path, t->path_length);
    walk_mesh_count(w, st_sff_count_bytes(reading), t);
    W_ARRAY(w, t, mesh, STELE_U16, t->mesh_count);
}

static uint64_t load_count(const uint8_t *p, uint32_t bytes)
{
    return bytes == 2 ? load_u16(p) : bytes == 3 ? load_u16(p) | (uint64_t)p[2] << 16 : load_u32(p);
}

sff_texture_scan st_sff_scan_textures(const uint8_t *data, uint64_t size, uint64_t texture_size, uint32_t count_bytes)
{
    sff_texture_scan scan = {.all_nul = texture_size > 0};
    while (scan.end < texture_size) {
        uint64_t path = scan.end + 4;
        uint64_t length = path <= size ? settled_u32(load_u32(data + scan.end)) : UINT32_MAX;
        uint64_t count = path + length;
        scan.count++;
        if (count + count_bytes > size) {
            scan.end = UINT64_MAX;
            break;
        }
        scan.all_nul &= length && data[count - 1] == 0;
        scan.end = count + count_bytes + 2 * load_count(data + count, count_bytes);
    }
    return scan;
}

static void walk_file(walk *w, raw_file *raw)
{
    sff_file *f = (sff_file *)raw;
    walk_header(w, f);
    sff_layout layout = st_sff_layout(f->format, *raw);
    W_LIST(w, f, mesh, f->mesh_count, SFF_MESH_BYTES) walk_mesh(w, &layout, raw->reading, &f->mesh[i]);
    f->geometry_end = w->at;
    if (walk_reads(w) && walk_ok(w))
        f->texture_count =
            st_sff_scan_textures(w->data + w->at, w->size - w->at, f->texture_size, st_sff_count_bytes(raw->reading)).count;
    W_LIST(w, f, texture, f->texture_count, 1) walk_texture(w, raw->reading, &f->texture[i]);
    if (walk_ok(w))
        f->end = w->at;
}

/* ---- What is in it ---- */

const char *st_sff_path(arena *a, const sff_texture *t)
{
    text path = {(const char *)t->path.data, t->path.stride};
    return st_text_string(a, &path);
}

uint64_t st_sff_path_length(const sff_texture *t, unsigned reading)
{
    bool nul = reading & SFF_PATH_NUL && t->path_length && t->path.data[t->path_length - 1] == 0;
    return t->path_length - (nul ? 1 : 0);
}

/* Each texture once: meshes that use it share its strings. */
static stele_texture_info *describe_textures(context *c, const sff_file *f)
{
    stele_texture_info *textures = st_arena_array(c->arena, f->texture_count, sizeof *textures);
    for (uint64_t i = 0; textures && i < f->texture_count; i++) {
        const char *name = st_sff_path(c->arena, &f->texture[i]);
        textures[i].name = name;
        textures[i].found = st_companion_find(c->companions, name, NULL, NULL) ? name : NULL;
    }
    return textures;
}

static int compare_pairs(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

sff_relation st_sff_relation(const sff_file *f, arena *a)
{
    sff_relation r = {NULL, 0};
    uint64_t room = 0;
    for (uint64_t t = 0; t < f->texture_count; t++)
        room += f->texture[t].mesh_count;
    r.pairs = st_arena_array(a, room, sizeof *r.pairs);
    for (uint64_t t = 0; r.pairs && t < f->texture_count; t++)
        for (uint64_t i = 0; i < f->texture[t].mesh_count; i++)
            r.pairs[r.count++] = st_sff_pair(load_u16(f->texture[t].mesh.data + 2 * i), t);
    if (r.count)
        qsort(r.pairs, r.count, sizeof *r.pairs, compare_pairs);
    return r;
}

size_t st_sff_first_pair(const sff_relation *r, uint32_t pair)
{
    size_t low = 0, high = r->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->pairs[middle] < pair)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void use_texture(stele_texture_info *uses, stele_material_info *material, const stele_texture_info *texture)
{
    uses[material->texture_count] = *texture;
    uses[material->texture_count].role = material->texture_count ? "unknown" : "base color";
    material->texture_count++;
}

static void describe_own_textures(const sff_file *f, const sff_mesh *m, arena *a, const stele_texture_info *textures,
                                  stele_material_info *material)
{
    stele_texture_info *uses = st_arena_array(a, m->texture_count, sizeof *uses);
    for (unsigned i = 0; uses && i < m->texture_count; i++) {
        uint32_t texture = settled_u32(load_u16(m->texture.data + 2 * i));
        if (texture < f->texture_count)
            use_texture(uses, material, &textures[texture]);
    }
    material->textures = uses;
}

/* A mesh that names no textures has those that name it. */
static void describe_reverse(const sff_relation *r, uint64_t mesh, arena *a, const stele_texture_info *textures,
                             stele_material_info *material)
{
    if (mesh > UINT16_MAX)
        return;
    size_t first = st_sff_first_pair(r, st_sff_pair(mesh, 0)), end = first;
    while (end < r->count && r->pairs[end] >> 16 == mesh)
        end++;
    stele_texture_info *uses = st_arena_array(a, end - first, sizeof *uses);
    for (size_t i = first; uses && i < end; i++)
        use_texture(uses, material, &textures[r->pairs[i] & UINT16_MAX]);
    material->textures = uses;
}

static void describe_mesh(const sff_layout *l, const sff_mesh *m, uint64_t index, stele_mesh_info *info)
{
    stele_view positions = st_sff_floats(l, m, SFF_POSITION);
    info->vertices = m->vertex_count;
    info->indices = l->index_size ? m->index_count : 0;
    info->triangles = (l->index_size ? m->index_count : m->vertex_count) / 3;
    info->material = (uint32_t)index;
    info->bounds = st_view_bounds(&positions);
}

static void describe(context *c, const raw_file *raw, stele_info *info)
{
    const sff_file *f = (const sff_file *)raw;
    sff_layout layout = st_sff_layout(f->format, *raw);
    const stele_texture_info *textures = describe_textures(c, f);
    sff_relation relation = st_sff_relation(f, c->arena);
    stele_material_info *materials = st_arena_array(c->arena, f->mesh_count, sizeof *materials);
    stele_mesh_info *meshes = st_arena_array(c->arena, f->mesh_count, sizeof *meshes);
    const char **names = st_arena_array(c->arena, SFF_ATTRIBUTES, sizeof *names);
    size_t name_count = 0;
    if (!textures || !relation.pairs || !materials || !meshes || !names)
        return;
    for (unsigned i = 0; i < SFF_ATTRIBUTES; i++)
        if (layout.components[i])
            names[name_count++] = attribute_names[i];
    for (uint64_t i = 0; i < f->mesh_count; i++) {
        if (f->mesh[i].texture_count)
            describe_own_textures(f, &f->mesh[i], c->arena, textures, &materials[i]);
        else
            describe_reverse(&relation, i, c->arena, textures, &materials[i]);
        describe_mesh(&layout, &f->mesh[i], i, &meshes[i]);
        meshes[i].attributes = names;
        meshes[i].attribute_count = name_count;
        st_bounds_add(&info->bounds, &meshes[i].bounds);
    }
    info->materials = materials;
    info->material_count = (size_t)f->mesh_count;
    info->meshes = meshes;
    info->mesh_count = (size_t)f->mesh_count;
}

const format st_format_sff = {
    .info = {.name = "sff",
             .title = "Specter model",
             .extensions = "sff",
             .capabilities = STELE_MESHES | STELE_NORMALS | STELE_UVS | STELE_TEXTURES | STELE_SEVERAL_MESHES,
             .uv_sets = 1,
             .dialects = dialects,
             .dialect_count = sizeof dialects / sizeof *dialects},
    .raw_size = sizeof(sff_file),
    .probe = st_sff_probe,
    .walk = walk_file,
    .sense = st_sff_sense,
    .check = st_sff_check,
    .describe = describe,
    .adapt = st_sff_adapt,
    .load = st_sff_load,
    .save = st_sff_save,
    .usual_dialect = SFF_INTERLEAVED,
};
