/* What can be wrong with an SFF. */
#include <string.h>

#include "base/bytes.h"
#include "raw.h"

typedef unsigned long long number; /* for printf */

/* ---- Sizes ---- */

static void check_sizes(context *c, const sff_file *f)
{
    for (uint64_t i = 0; i < f->mesh_count; i++)
        if (!st_sff_mesh_size_holds(f, &f->mesh[i]))
            st_diag(c->diags, DIAG_SIZE_MISMATCH, at_member(&f->mesh[i].size), "is %llu, but the mesh has %llu bytes",
                    (number)f->mesh[i].size, (number)f->mesh[i].bytes);
    if (!st_sff_geometry_size_holds(f))
        st_diag(c->diags, DIAG_SIZE_MISMATCH, at_member(&f->geometry_size), "is %llu, but the meshes have %llu bytes",
                (number)f->geometry_size, (number)(f->geometry_end - SFF_HEADER_BYTES));
    if (!st_sff_texture_size_holds(f))
        st_diag(c->diags, DIAG_SIZE_MISMATCH, at_member(&f->texture_size), "is %llu, but the textures have %llu bytes",
                (number)f->texture_size, (number)(f->end - f->geometry_end));
}

/* ---- Deviations from the profile ---- */

static void check_reading(context *c, const sff_file *f)
{
    const diag_place geometry_size = at_member(&f->geometry_size), bits = at_member(&f->format), mesh = at_member(&f->mesh),
                     texture = at_member(&f->texture);
    const struct {
        unsigned deviation;
        diag_place place;
        const char *says;
    } deviations[] = {
        {SFF_GEOMETRY_END, geometry_size, "is the offset at which the geometry ends, not its size"},
        {SFF_GEOMETRY_LAST, geometry_size, "is the offset of the geometry's last byte, not its size"},
        {SFF_OTHER_NORMALS, bits, "contradicts the sizes of the meshes about normals"},
        {SFF_OTHER_UVS, bits, "contradicts the sizes of the meshes about uvs"},
        {SFF_OTHER_INDICES, bits, "contradicts the sizes of the meshes about indices"},
        {SFF_SIZE_WITHOUT_ITSELF, mesh, "the sizes exclude their own 4 bytes"},
        {SFF_PADDED, mesh, "2 bytes of padding follow the texture indices"},
        {SFF_INDICES_16, mesh, "the indices have 2 bytes each"},
        {SFF_INDICES_FIRST, mesh, "the indices are before the attributes"},
        {SFF_COUNT_16, texture, "the mesh counts are written as 2 bytes"},
        {SFF_COUNT_24, texture, "the mesh counts are written as 3 bytes"},
        {SFF_PATH_NUL, texture, "the paths end in a NUL"},
    };
    for (size_t i = 0; i < sizeof deviations / sizeof *deviations; i++)
        if (f->raw.reading & deviations[i].deviation)
            st_diag(c->diags, DIAG_NONSTANDARD_LAYOUT, deviations[i].place, "%s", deviations[i].says);
}

static void check_header(context *c, const sff_file *f)
{
    if (f->format & ~(uint64_t)SFF_KNOWN_BITS)
        st_diag(c->diags, DIAG_RESERVED_NOT_ZERO, at_member(&f->format), "is 0x%04llx, but only the bits 0x%04x have a meaning",
                (number)f->format, SFF_KNOWN_BITS);
    if (!(f->format & SFF_POSITIONS))
        st_diag(c->diags, DIAG_NONSTANDARD_LAYOUT, at_member(&f->format), "is 0x%04llx, which denies the positions",
                (number)f->format);
    if (f->raw.reading & SFF_OTHER_MODE)
        st_diag(c->diags, DIAG_NONSTANDARD_LAYOUT, at_member(&f->mode), "is %llu, but the attributes are %s", (number)f->mode,
                f->raw.dialect == SFF_PACKED ? "packed" : "interleaved");
}

/* ---- Meshes ---- */

/* Reports the first of the 16-bit numbers that are not below the limit. */
static void check_numbers(context *c, const span *numbers, uint64_t limit, diag_code code, const char *what)
{
    tally beyond = {0};
    for (uint64_t i = 0; i < numbers->count; i++)
        tally_note(&beyond, load_u16(numbers->data + 2 * i) >= limit, numbers->data + 2 * i);
    if (beyond.count)
        st_diag(c->diags, code, at_row(beyond.first, beyond.count), "is %u, but there are only %llu %s", load_u16(beyond.first),
                (number)limit, what);
}

static void check_mesh(context *c, const sff_file *f, const sff_layout *l, const sff_mesh *m)
{
    check_numbers(c, &m->texture, f->texture_count, DIAG_TEXTURE_OUT_OF_RANGE, "textures");
    if (c->full && !l->index_size && m->index_count)
        st_diag(c->diags, DIAG_NONSTANDARD_LAYOUT, at_member(&m->index_count), "is %llu, but there are no indices",
                (number)m->index_count);
    mesh_view view = {
        .place = at_item(m),
        .vertex_count = m->vertex_count,
        .position = st_sff_floats(l, m, SFF_POSITION),
        .normal = st_sff_floats(l, m, SFF_NORMAL),
        .uv = st_sff_floats(l, m, SFF_UV),
        .unindexed = !l->index_size,
    };
    if (l->index_size)
        view.indices = st_view_indices(&m->indices, st_sff_index_type(l));
    if (!l->packed)
        view.all = st_view_f32(m->vertices.data, m->vertex_count, l->stride, l->stride / 4);
    st_check_mesh(c, &view);
}

/* ---- Textures ---- */

static void check_path(context *c, const sff_texture *t, unsigned reading)
{
    const uint8_t *path = t->path.data;
    uint64_t size = st_sff_path_length(t, reading), ascii = 0;
    const uint8_t *nul = size ? memchr(path, 0, (size_t)size) : NULL;
    while (ascii < size && path[ascii] < 0x80)
        ascii++;
    if (ascii < size)
        st_diag(c->diags, DIAG_STRING_NOT_ASCII, at_byte(path + ascii), "has the byte 0x%02x, which is not ASCII", path[ascii]);
    if (nul)
        st_diag(c->diags, DIAG_STRING_EMBEDDED_NUL, at_byte(nul),
                "has a NUL after %llu of its %llu bytes: engines read no further", (number)(nul - path),
                (number)t->path_length);
    const char *name = st_sff_path(c->arena, t);
    diag_place place = at_member(&t->path);
    if (!st_companion_stays(name))
        st_diag(c->diags, DIAG_NAME_LEAVES_FOLDER, place, "is \"%s\", which is not in the model's folder", name);
    else
        st_check_texture(c, name, st_companion_find(c->companions, name, NULL, NULL) ? name : NULL, place);
}

/* ---- Which mesh uses which texture is said twice ---- */

static void report_contradiction(context *c, const tally *found, const char *owner, const char *entry)
{
    if (found->count)
        st_diag(c->diags, DIAG_TEXTURE_RELATION, at_row(found->first, found->count), "is %u, but that %s does not list this %s",
                load_u16(found->first), entry, owner);
}

/* What meshes say and textures do not. Pairs that both say are marked. */
static tally only_meshes_say(const sff_file *f, const sff_relation *r, uint8_t *said)
{
    tally found = {0};
    for (uint64_t m = 0; m < f->mesh_count && m <= UINT16_MAX; m++)
        for (uint64_t i = 0; i < f->mesh[m].texture.count; i++) {
            const uint8_t *entry = f->mesh[m].texture.data + 2 * i;
            uint32_t pair = st_sff_pair(m, load_u16(entry));
            size_t at = st_sff_first_pair(r, pair);
            if (at < r->count && r->pairs[at] == pair)
                said[at] = 1;
            else
                tally_note(&found, load_u16(entry) < f->texture_count, entry);
        }
    return found;
}

static tally only_textures_say(const sff_file *f, const sff_relation *r, const uint8_t *said)
{
    tally found = {0};
    for (uint64_t t = 0; t < f->texture_count; t++)
        for (uint64_t i = 0; i < f->texture[t].mesh.count; i++) {
            const uint8_t *entry = f->texture[t].mesh.data + 2 * i;
            size_t at = st_sff_first_pair(r, st_sff_pair(load_u16(entry), t)); /* there, unless the file changed */
            tally_note(&found, at < r->count && !said[at] && load_u16(entry) < f->mesh_count, entry);
        }
    return found;
}

static void check_relation(context *c, const sff_file *f)
{
    sff_relation r = st_sff_relation(f, c->arena);
    uint8_t *said = st_arena_alloc(c->arena, r.count);
    if (!r.pairs || !said)
        return;
    tally meshes = only_meshes_say(f, &r, said), textures = only_textures_say(f, &r, said);
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
        check_mesh(c, f, &layout, &f->mesh[i]);
    for (uint64_t i = 0; c->full && i < f->texture_count; i++) {
        check_path(c, &f->texture[i], raw->reading);
        check_numbers(c, &f->texture[i].mesh, f->mesh_count, DIAG_MESH_OUT_OF_RANGE, "meshes");
    }
    if (c->full)
        check_relation(c, f);
}
