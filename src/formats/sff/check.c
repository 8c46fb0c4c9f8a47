/* What can be wrong with an SFF. */
#include <string.h>

#include "base/bytes.h"
#include "raw.h"

enum { AT_GEOMETRY_SIZE = 4, AT_FORMAT = 8, AT_MODE = 10, AT_TEXTURE_SIZE = 12, MESH_INDEX_COUNT = 8, TEXTURE_PATH = 4 };

typedef unsigned long long number; /* for printf */

/* ---- Sizes ---- */

static void check_sizes(context *c, const sff_file *f)
{
    for (uint64_t i = 0; i < f->mesh_count; i++)
        if (!st_sff_mesh_size_holds(f, &f->mesh[i]))
            st_diag(c->diags, DIAG_SIZE_MISMATCH, st_check_place(c, f->mesh[i].at, 1, "mesh[%llu].size", (number)i),
                    "is %llu, but the mesh has %llu bytes", (number)f->mesh[i].size, (number)(f->mesh[i].end - f->mesh[i].at));
    if (!st_sff_geometry_size_holds(f))
        st_diag(c->diags, DIAG_SIZE_MISMATCH, st_check_place(c, AT_GEOMETRY_SIZE, 1, "geometry_size"),
                "is %llu, but the meshes have %llu bytes", (number)f->geometry_size,
                (number)(f->geometry_end - SFF_HEADER_BYTES));
    if (!st_sff_texture_size_holds(f))
        st_diag(c->diags, DIAG_SIZE_MISMATCH, st_check_place(c, AT_TEXTURE_SIZE, 1, "texture_size"),
                "is %llu, but the textures have %llu bytes", (number)f->texture_size, (number)(f->end - f->geometry_end));
}

/* ---- Deviations from the profile ---- */

static void check_reading(context *c, const sff_file *f)
{
    enum { MESH = SFF_HEADER_BYTES };
    const uint64_t texture = f->geometry_end;
    const struct {
        unsigned deviation;
        uint64_t offset;
        const char *path, *says;
    } deviations[] = {
        {SFF_GEOMETRY_END, AT_GEOMETRY_SIZE, "geometry_size", "is the offset at which the geometry ends, not its size"},
        {SFF_GEOMETRY_LAST, AT_GEOMETRY_SIZE, "geometry_size", "is the offset of the geometry's last byte, not its size"},
        {SFF_OTHER_NORMALS, AT_FORMAT, "format", "contradicts the sizes of the meshes about normals"},
        {SFF_OTHER_UVS, AT_FORMAT, "format", "contradicts the sizes of the meshes about uvs"},
        {SFF_OTHER_INDICES, AT_FORMAT, "format", "contradicts the sizes of the meshes about indices"},
        {SFF_SIZE_WITHOUT_ITSELF, MESH, "mesh", "the sizes exclude their own 4 bytes"},
        {SFF_PADDED, MESH, "mesh", "2 bytes of padding follow the texture indices"},
        {SFF_INDICES_16, MESH, "mesh", "the indices have 2 bytes each"},
        {SFF_INDICES_FIRST, MESH, "mesh", "the indices are before the attributes"},
        {SFF_COUNT_16, texture, "texture", "the mesh counts are written as 2 bytes"},
        {SFF_COUNT_24, texture, "texture", "the mesh counts are written as 3 bytes"},
        {SFF_PATH_NUL, texture, "texture", "the paths end in a NUL"},
    };
    for (size_t i = 0; i < sizeof deviations / sizeof *deviations; i++)
        if (f->raw.reading & deviations[i].deviation)
            st_diag(c->diags, DIAG_NONSTANDARD_LAYOUT, (diag_place){deviations[i].offset, 1, deviations[i].path}, "%s",
                    deviations[i].says);
}

static void check_header(context *c, const sff_file *f)
{
    if (f->format & ~(uint64_t)SFF_KNOWN_BITS)
        st_diag(c->diags, DIAG_RESERVED_NOT_ZERO, st_check_place(c, AT_FORMAT, 1, "format"),
                "is 0x%04llx, but only the bits 0x%04x have a meaning", (number)f->format, SFF_KNOWN_BITS);
    if (!(f->format & SFF_POSITIONS))
        st_diag(c->diags, DIAG_NONSTANDARD_LAYOUT, st_check_place(c, AT_FORMAT, 1, "format"),
                "is 0x%04llx, which denies the positions", (number)f->format);
    if (f->raw.reading & SFF_OTHER_MODE)
        st_diag(c->diags, DIAG_NONSTANDARD_LAYOUT, st_check_place(c, AT_MODE, 1, "mode"), "is %llu, but the attributes are %s",
                (number)f->mode, f->raw.dialect == SFF_PACKED ? "packed" : "interleaved");
}

/* ---- Meshes ---- */

static void check_texture_indices(context *c, const sff_file *f, uint64_t index)
{
    const span *texture = &f->mesh[index].texture;
    uint64_t beyond = 0, first = 0;
    for (uint64_t i = 0; i < texture->count; i++)
        if (load_u16(texture->data + 2 * i) >= f->texture_count && beyond++ == 0)
            first = i;
    if (beyond)
        st_diag(c->diags, DIAG_TEXTURE_OUT_OF_RANGE,
                st_check_place(c, st_check_offset(c, texture->data + 2 * first), beyond, "mesh[%llu].texture[%llu]",
                               (number)index, (number)first),
                "is %u, but there are only %llu textures", load_u16(texture->data + 2 * first), (number)f->texture_count);
}

static void check_mesh(context *c, const sff_file *f, const sff_layout *l, uint64_t index)
{
    char path[WALK_PATH];
    const sff_mesh *m = &f->mesh[index];
    check_texture_indices(c, f, index);
    if (c->full && !l->index_size && m->index_count)
        st_diag(c->diags, DIAG_NONSTANDARD_LAYOUT,
                st_check_place(c, m->at + MESH_INDEX_COUNT, 1, "mesh[%llu].index_count", (number)index),
                "is %llu, but there are no indices", (number)m->index_count);
    mesh_view view = {
        .path = st_check_path(path, "mesh[%llu]", (number)index),
        .vertex_count = m->vertex_count,
        .position = st_sff_floats(l, m, SFF_POSITION),
        .normal = st_sff_floats(l, m, SFF_NORMAL),
        .uv = st_sff_floats(l, m, SFF_UV),
        .separate = l->packed,
        .unindexed = !l->index_size,
        .indices = m->indices.data,
        .index_count = l->index_size ? m->index_count : 0,
        .index_type = st_sff_index_type(l),
    };
    if (!l->packed)
        view.all = (vertex_floats){m->vertices.data, l->stride, l->stride / 4};
    st_check_mesh(c, &view);
}

/* ---- Textures ---- */

static void check_path(context *c, const sff_texture *t, uint64_t index, unsigned reading)
{
    const uint8_t *path = t->path.data;
    uint64_t size = st_sff_path_length(t, reading), ascii = 0;
    const uint8_t *nul = size ? memchr(path, 0, (size_t)size) : NULL;
    while (ascii < size && path[ascii] < 0x80)
        ascii++;
    if (ascii < size)
        st_diag(c->diags, DIAG_STRING_NOT_ASCII,
                st_check_place(c, t->at + TEXTURE_PATH + ascii, 1, "texture[%llu].path", (number)index),
                "has the byte 0x%02x, which is not ASCII", path[ascii]);
    if (nul)
        st_diag(c->diags, DIAG_STRING_EMBEDDED_NUL,
                st_check_place(c, st_check_offset(c, nul), 1, "texture[%llu].path", (number)index),
                "has a NUL after %llu of its %llu bytes: engines read no further", (number)(nul - path),
                (number)t->path_length);
    const char *name = st_sff_path(c->arena, t);
    diag_place place = st_check_place(c, t->at + TEXTURE_PATH, 1, "texture[%llu].path", (number)index);
    if (!st_companion_stays(name))
        st_diag(c->diags, DIAG_NAME_LEAVES_FOLDER, place, "is \"%s\", which is not in the model's folder", name);
    else if (st_companions_any(c->companions) && !st_companion_find(c->companions, name, NULL, NULL))
        st_diag(c->diags, DIAG_TEXTURE_MISSING, place, "is \"%s\", which is not beside the model", name);
}

static void check_mesh_indices(context *c, const sff_file *f, uint64_t index)
{
    const span *mesh = &f->texture[index].mesh;
    uint64_t beyond = 0, first = 0;
    for (uint64_t i = 0; i < mesh->count; i++)
        if (load_u16(mesh->data + 2 * i) >= f->mesh_count && beyond++ == 0)
            first = i;
    if (beyond)
        st_diag(c->diags, DIAG_MESH_OUT_OF_RANGE,
                st_check_place(c, st_check_offset(c, mesh->data + 2 * first), beyond, "texture[%llu].mesh[%llu]", (number)index,
                               (number)first),
                "is %u, but there are only %llu meshes", load_u16(mesh->data + 2 * first), (number)f->mesh_count);
}

/* ---- Which mesh uses which texture is said twice ---- */

typedef struct contradiction {
    uint64_t count;
    uint64_t owner, entry; /* of the first */
    const uint8_t *data;
} contradiction;

static void contradict(contradiction *found, uint64_t owner, uint64_t entry, const uint8_t *data)
{
    if (found->count++ == 0)
        *found = (contradiction){1, owner, entry, data};
}

static void report_contradiction(context *c, const contradiction *found, const char *owner, const char *entry)
{
    if (found->count)
        st_diag(c->diags, DIAG_TEXTURE_RELATION,
                st_check_place(c, st_check_offset(c, found->data), found->count, "%s[%llu].%s[%llu]", owner,
                               (number)found->owner, entry, (number)found->entry),
                "is %u, but that %s does not list this %s", load_u16(found->data), entry, owner);
}

/* What meshes say and textures do not. Pairs that both say are marked. */
static contradiction only_meshes_say(const sff_file *f, const sff_relation *r, uint8_t *said)
{
    contradiction found = {0};
    for (uint64_t m = 0; m < f->mesh_count && m <= UINT16_MAX; m++)
        for (uint64_t i = 0; i < f->mesh[m].texture.count; i++) {
            const uint8_t *entry = f->mesh[m].texture.data + 2 * i;
            uint32_t pair = st_sff_pair(m, load_u16(entry));
            size_t at = st_sff_first_pair(r, pair);
            if (at < r->count && r->pairs[at] == pair)
                said[at] = 1;
            else if (load_u16(entry) < f->texture_count)
                contradict(&found, m, i, entry);
        }
    return found;
}

static contradiction only_textures_say(const sff_file *f, const sff_relation *r, const uint8_t *said)
{
    contradiction found = {0};
    for (uint64_t t = 0; t < f->texture_count; t++)
        for (uint64_t i = 0; i < f->texture[t].mesh.count; i++) {
            const uint8_t *entry = f->texture[t].mesh.data + 2 * i;
            if (!said[st_sff_first_pair(r, st_sff_pair(load_u16(entry), t))] && load_u16(entry) < f->mesh_count)
                contradict(&found, t, i, entry);
        }
    return found;
}

static void check_relation(context *c, const sff_file *f)
{
    sff_relation r = st_sff_relation(f, c->arena);
    uint8_t *said = st_arena_alloc(c->arena, r.count);
    if (!r.pairs || !said)
        return;
    contradiction meshes = only_meshes_say(f, &r, said), textures = only_textures_say(f, &r, said);
    report_contradiction(c, &meshes, "mesh", "texture");
    report_contradiction(c, &textures, "texture", "mesh");
}

void st_sff_check(context *c, const raw_file *raw)
{
    const sff_file *f = (const sff_file *)raw;
    sff_layout layout = st_sff_layout(f->format, *raw);
    check_sizes(c, f);
    if (c->full) {
        check_header(c, f);
        check_reading(c, f);
    }
    for (uint64_t i = 0; i < f->mesh_count; i++)
        check_mesh(c, f, &layout, i);
    for (uint64_t i = 0; c->full && i < f->texture_count; i++) {
        check_path(c, &f->texture[i], i, raw->reading);
        check_mesh_indices(c, f, i);
    }
    if (c->full)
        check_relation(c, f);
}
