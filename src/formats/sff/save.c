/* A model as an SFF: all meshes in one space, each with the names of its textures. */
#include "base/bytes.h"
#include "model/save_skeleton.h"
#include "raw.h"

typedef unsigned long long number; /* for printf */

typedef struct sff_saver {
    context *c;
    flat_model flat;
    sff_file *file;
    sff_layout layout;
    const char **name; /* of each texture that is written */
    uint64_t name_count;
    uint32_t *written; /* for each texture of the model: its number in the file, or STELE_NONE */
    span *lists;       /* for each material of the model: its textures */
} sff_saver;

/* ---- Which textures are written ---- */

static const char *further_of(const stele_material *m)
{
    const char *names = st_property_text_of(&m->properties, SFF_TEXTURES_KEY);
    return names ? names : "";
}

static uint64_t count_lines(const char *lines)
{
    uint64_t count = *lines != 0;
    for (; *lines; lines++)
        count += *lines == '\n';
    return count;
}

/* Textures that no material uses are kept: they may be what SFF knows no role for. */
static void choose_textures(sff_saver *a)
{
    context *c = a->c;
    uint64_t room = c->save->model->texture_count;
    uint8_t *uses = st_texture_uses(c);
    for (size_t i = 0; i < c->save->model->material_count; i++)
        room += count_lines(further_of(&c->save->model->materials[i]));
    a->name = st_need(c, room, sizeof *a->name);
    a->written = st_need(c, c->save->model->texture_count, sizeof *a->written);
    for (uint32_t i = 0; c->fits && i < c->save->model->texture_count; i++) {
        bool write = uses[i] != TEXTURE_IS_OTHER;
        a->written[i] = write ? (uint32_t)a->name_count : STELE_NONE;
        if (write)
            a->name[a->name_count++] = st_save_texture_name(c, i, TEXTURE_BY_FILE);
    }
}

/* ---- The textures of a material ---- */

/* A texture has 8 bytes at least, and all of them 65535 at most. */
enum { MOST_TEXTURES = UINT16_MAX / 8 };

static uint32_t number_of_name(sff_saver *a, const char *name, size_t length)
{
    for (uint64_t i = 0; i < a->name_count; i++)
        if (strlen(a->name[i]) == length && memcmp(a->name[i], name, length) == 0)
            return (uint32_t)i;
    a->name[a->name_count] = st_arena_text(a->c->arena, name, length);
    return (uint32_t)a->name_count++;
}

static bool has_color_texture(const stele_material *m)
{
    return m->textures[STELE_ROLE_BASE_COLOR].texture != STELE_NONE;
}

static span list_textures(sff_saver *a, const stele_material *m)
{
    const char *further = has_color_texture(m) ? further_of(m) : ""; /* without the first they would become the colour */
    uint64_t room = has_color_texture(m) + count_lines(further);
    uint8_t *list = st_need(a->c, room, 2);
    uint64_t count = 0;
    if (a->name_count + room > MOST_TEXTURES) {
        st_refuse(a->c, at_path("texture_size", 1), "65535 bytes hold 8191 textures at most");
        return (span){0};
    }
    if (!list)
        return (span){0};
    if (has_color_texture(m))
        store_uint(list + 2 * count++, a->written[m->textures[STELE_ROLE_BASE_COLOR].texture], 2);
    while (count < room) {
        size_t length = strcspn(further, "\n");
        store_uint(list + 2 * count++, number_of_name(a, further, length), 2);
        further += length + (further[length] != 0);
    }
    return (span){list, count, 2};
}

static void list_all_textures(sff_saver *a)
{
    const stele_model *model = a->c->save->model;
    a->lists = st_need(a->c, model->material_count, sizeof *a->lists);
    for (size_t i = 0; a->c->fits && i < model->material_count; i++)
        a->lists[i] = list_textures(a, &model->materials[i]);
}

/* ---- The layout ---- */

/* Whether the vertices follow each other, as they did where the mesh comes from. */
static bool unindexed(const flat_mesh *mesh)
{
    bool follow = !mesh->source->indices.count && mesh->indices.count == mesh->vertex_count;
    for (uint64_t i = 0; follow && i < mesh->indices.count; i++)
        follow = st_view_integer(&mesh->indices, i) == i;
    return follow;
}

/* Texture coordinates that glTF needed, and that the file did not have, are zeros. */
static bool has_uvs(const sff_saver *a, const flat_mesh *mesh)
{
    const stele_view *uv = st_flat_uv(&a->flat, mesh);
    if (st_property_number_of(&a->c->save->model->properties, SFF_UVS_KEY, 1) != 0)
        return uv->count;
    for (uint64_t i = 0; i < uv->count; i++)
        if (stele_view_number(uv, i, 0) != 0 || stele_view_number(uv, i, 1) != 0)
            return true;
    return false;
}

/* The attributes are the same for all meshes. */
static uint64_t choose_format(const sff_saver *a)
{
    uint64_t format = SFF_POSITIONS;
    double unknown_bits = st_property_number_of(&a->c->save->model->properties, SFF_BITS_KEY, 0);
    for (size_t i = 0; i < a->flat.mesh_count; i++) {
        const flat_mesh *mesh = &a->flat.meshes[i];
        format |= mesh->normal.count ? SFF_NORMALS : 0;
        format |= has_uvs(a, mesh) ? SFF_UVS : 0;
        format |= unindexed(mesh) ? 0 : SFF_INDICES;
    }
    if (unknown_bits > 0 && unknown_bits <= UINT16_MAX)
        format |= (uint64_t)unknown_bits & ~(uint64_t)SFF_KNOWN_BITS;
    return format;
}

static void measure_mesh(sff_saver *a, uint64_t index)
{
    const flat_mesh *from = &a->flat.meshes[index];
    sff_mesh *to = &a->file->mesh[index];
    to->vertex_count = from->vertex_count;
    to->index_count = a->layout.index_size ? from->indices.count : 0;
    if (from->material != STELE_NONE)
        to->texture = a->lists[from->material];
    to->texture_count = (uint16_t)to->texture.count;
    to->size = st_sff_mesh_bytes(&a->layout, to->vertex_count, to->index_count, to->texture_count);
    if (to->texture.count > UINT16_MAX)
        st_refuse(a->c, at_path("mesh.texture_count", 1), "a mesh can have 65535 textures at most");
    if (to->texture.count && index > UINT16_MAX)
        st_refuse(a->c, at_path("texture.mesh", 1), "only the first 65536 meshes can have textures");
}

/* ---- Textures list their meshes, too ---- */

/* What relating needs to know of a texture: the last mesh that listed it, plus one, and where its list of meshes goes. */
typedef struct texture_side {
    uint64_t last_mesh;
    uint8_t *meshes; /* NULL: they are only counted */
} texture_side;

static void relate(sff_file *f, texture_side *sides)
{
    for (uint64_t m = 0; m < f->mesh_count; m++)
        for (uint64_t i = 0; i < f->mesh[m].texture.count; i++) {
            uint16_t texture = load_u16(f->mesh[m].texture.data + 2 * i);
            texture_side *side = &sides[texture];
            if (side->last_mesh == m + 1)
                continue; /* listed twice by one mesh */
            side->last_mesh = m + 1;
            if (side->meshes)
                store_uint(side->meshes + 2 * f->texture[texture].mesh.count, m, 2);
            f->texture[texture].mesh.count++;
        }
}

static void save_textures(sff_saver *a)
{
    sff_file *f = a->file;
    texture_side *sides = st_need(a->c, a->name_count, sizeof *sides);
    if (!sides)
        return;
    relate(f, sides);
    for (uint64_t i = 0; i < f->texture_count; i++) {
        sff_texture *t = &f->texture[i];
        t->mesh_count = t->mesh.count;
        sides[i] = (texture_side){.meshes = st_need(a->c, t->mesh_count, 2)};
        t->mesh = (span){sides[i].meshes, 0, 2};
        t->path_length = strlen(a->name[i]);
        t->path = (span){(const uint8_t *)a->name[i], 1, (uint32_t)t->path_length};
    }
    if (a->c->fits)
        relate(f, sides);
}

/* ---- Vertices ---- */

static void store_column(uint8_t *to, uint32_t stride, const stele_view *from, uint32_t components)
{
    for (uint64_t i = 0; i < from->count; i++) {
        float row[4] = {0};
        stele_view_row(from, i, row);
        for (uint32_t k = 0; k < components; k++)
            store_f32(to + i * stride + 4 * k, row[k]);
    }
}

static void turn_upside_down(uint8_t *to, uint32_t stride, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        store_f32(to + i * stride + 4, 1 - load_f32(to + i * stride + 4));
}

static void save_vertices(sff_saver *a, const flat_mesh *from, sff_mesh *to)
{
    const stele_view *columns[] = {&from->position, &from->normal, st_flat_uv(&a->flat, from)};
    uint8_t *bytes = st_need(a->c, to->vertex_count, a->layout.stride);
    if (!bytes)
        return;
    to->vertices = (span){bytes, to->vertex_count, a->layout.stride};
    for (unsigned i = 0; i < SFF_ATTRIBUTES; i++) {
        uint32_t size = 4 * a->layout.components[i], stride = a->layout.packed ? size : a->layout.stride;
        if (!size)
            continue;
        to->attribute[i] = (span){bytes, to->vertex_count, size};
        store_column(bytes, stride, columns[i], a->layout.components[i]);
        if (i == SFF_UV)
            turn_upside_down(bytes, stride, columns[i]->count);
        bytes += a->layout.packed ? to->vertex_count * size : size;
    }
}

static void save_meshes(sff_saver *a)
{
    uint64_t without_uvs = 0;
    for (uint64_t i = 0; a->c->fits && i < a->file->mesh_count; i++) {
        const flat_mesh *from = &a->flat.meshes[i];
        save_vertices(a, from, &a->file->mesh[i]);
        if (a->file->mesh[i].index_count)
            a->file->mesh[i].indices = st_save_indices(a->c, &from->indices, 4);
        without_uvs += a->layout.components[SFF_UV] && !st_flat_uv(&a->flat, from)->count;
    }
    if (without_uvs)
        st_diag(a->c->diags, DIAG_UVS_MADE, at_path("", without_uvs),
                "all meshes of an SFF have texture coordinates, or none: %llu without them got zeros", (number)without_uvs);
}

/* ---- The file ---- */

bool st_sff_save(context *c, raw_file *raw)
{
    sff_file *f = (sff_file *)raw;
    sff_saver a = {.c = c, .file = f};
    flat_wishes wishes = {.axes = st_matrix_identity(), .normals = st_model_has_normals(c->save->model)};
    if (!st_flatten(c, &wishes, &a.flat))
        return false;
    st_report_uvs(c, &a.flat);
    choose_textures(&a);
    if (c->fits)
        list_all_textures(&a);
    f->format = choose_format(&a);
    f->mode = raw->dialect;
    a.layout = st_sff_layout(f->format, *raw);
    f->mesh_count = a.flat.mesh_count;
    f->mesh = st_need(c, f->mesh_count, sizeof *f->mesh);
    f->texture_count = a.name_count;
    f->texture = st_need(c, f->texture_count, sizeof *f->texture);
    for (uint64_t i = 0; c->fits && i < f->mesh_count; i++)
        measure_mesh(&a, i);
    if (c->fits)
        save_textures(&a);
    if (c->fits)
        st_sff_set_sizes(c, f, f);
    if (c->fits)
        save_meshes(&a);
    return c->fits;
}
