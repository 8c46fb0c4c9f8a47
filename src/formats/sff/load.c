/* The meaning of an SFF: right-handed and Y up like the model, with texture coordinates that start at the bottom. */
#include "base/bytes.h"
#include "raw.h"

typedef unsigned long long number; /* for printf */

/* ---- Textures and materials ---- */

/* The textures of the model by their number in the file. */
static uint32_t *load_textures(context *c, const sff_file *f)
{
    uint32_t *textures = st_arena_array(c->arena, f->texture_count, sizeof *textures);
    for (uint64_t i = 0; textures && i < f->texture_count; i++)
        textures[i] = st_load_texture(c, st_sff_path(c->arena, &f->texture[i]), at_member(&f->texture[i].path));
    return textures;
}

/* What textures a mesh has: copies of the numbers in its own list, or pairs of the relation that end in them. */
typedef struct texture_list {
    const uint32_t *numbers; /* in their lower 16 bits */
    size_t count;
} texture_list;

static texture_list own_textures(context *c, const sff_file *f, const sff_mesh *m)
{
    uint32_t *numbers = st_arena_array(c->arena, m->texture.count, sizeof *numbers);
    size_t count = 0;
    for (uint64_t i = 0; numbers && i < m->texture.count; i++) {
        numbers[count] = settled_u32(load_u16(m->texture.data + 2 * i));
        count += numbers[count] < f->texture_count;
    }
    return (texture_list){numbers, count};
}

static texture_list textures_of(context *c, const sff_file *f, const sff_relation *r, uint64_t mesh)
{
    if (f->mesh[mesh].texture_count || mesh > UINT16_MAX)
        return own_textures(c, f, &f->mesh[mesh]);
    size_t first = st_sff_first_pair(r, st_sff_pair(mesh, 0)), end = first;
    while (end < r->count && r->pairs[end] >> 16 == mesh)
        end++;
    return (texture_list){r->pairs + first, end - first};
}

static uint32_t texture_at(const texture_list *list, size_t i)
{
    return list->numbers[i] & UINT16_MAX;
}

/* The names of all textures but the first, one to a line: the file does not say what they are for. */
static const char *further_names(context *c, const texture_list *list, const uint32_t *textures)
{
    uint64_t size = 0, at = 0;
    for (size_t i = 1; i < list->count; i++)
        size += strlen(c->load->model->textures[textures[texture_at(list, i)]].name) + 1;
    char *names = st_arena_bytes(c->arena, size);
    for (size_t i = 1; names && i < list->count; i++) {
        const char *name = c->load->model->textures[textures[texture_at(list, i)]].name;
        memcpy(names + at, name, strlen(name));
        at += strlen(name);
        names[at++] = i + 1 < list->count ? '\n' : 0;
    }
    return names;
}

static uint32_t load_material(context *c, const texture_list *list, const uint32_t *textures)
{
    stele_material material = stele_default_material();
    if (!list->count)
        return STELE_NONE;
    material.textures[STELE_ROLE_BASE_COLOR].texture = textures[texture_at(list, 0)];
    const char *further = list->count > 1 ? further_names(c, list, textures) : NULL;
    if (further)
        st_property_text(&material.properties, c->arena, SFF_TEXTURES_KEY, further);
    return st_model_add_material(c->load->model, c->arena, &material);
}

/* ---- Meshes ---- */

static stele_view view_of(const sff_layout *layout, const sff_mesh *m, sff_attribute attribute, uint64_t count)
{
    stele_view view = st_sff_floats(layout, m, attribute);
    view.count = count;
    return view;
}

/* The number without those that make no whole triangle. */
static uint64_t whole_triangles(context *c, const sff_mesh *m, uint64_t count)
{
    uint64_t rest = count % 3;
    if (!rest || !c->load->repair)
        return count;
    st_diag(c->diags, DIAG_REPAIRED_INDICES, at_item(m), "has %llu corners of triangles: the last %llu make none",
            (number)count, (number)rest);
    return count - rest;
}

/* And the normals, which often lie beside them, are looked at. */
static stele_view flipped_uvs(context *c, const stele_view *uv, const stele_view *normal)
{
    normal_look look = {.normal = *normal};
    stele_view flipped = st_flipped_uvs(c, uv, st_look_at_normals, &look);
    st_know_normals(c, &look);
    return flipped;
}

static void load_primitive(context *c, const sff_layout *layout, const sff_mesh *m, stele_primitive *p,
                           stele_attribute attributes[SFF_ATTRIBUTES])
{
    bool indexed = layout->index_size && m->index_count;
    p->vertex_count = indexed ? m->vertex_count : whole_triangles(c, m, m->vertex_count);
    p->attributes = attributes;
    if (indexed)
        p->indices = st_view_indices(&(span){m->indices.data, whole_triangles(c, m, m->index_count), layout->index_size},
                                     st_sff_index_type(layout));
    primitive_add(p, STELE_POSITION, 0, view_of(layout, m, SFF_POSITION, p->vertex_count));
    stele_view normal = view_of(layout, m, SFF_NORMAL, p->vertex_count), uv = view_of(layout, m, SFF_UV, p->vertex_count);
    if (layout->components[SFF_UV])
        uv = flipped_uvs(c, &uv, &normal);
    if (layout->components[SFF_NORMAL]) {
        normal = st_repair_normals(c, p, &normal, at_item(m));
        primitive_add(p, STELE_NORMAL, 0, normal);
    }
    if (layout->components[SFF_UV]) {
        uv = st_repair_uvs(c, &uv, at_item(m));
        primitive_add(p, STELE_UV, 0, uv);
    }
}

/* A mesh that draws nothing is there, so that the others keep their numbers, but has no primitive. */
static bool load_mesh(context *c, const sff_layout *layout, const sff_mesh *m, uint32_t material, uint32_t *primitive_count)
{
    stele_attribute attributes[SFF_ATTRIBUTES];
    stele_primitive primitive = {.topology = STELE_TRIANGLES, .material = material};
    stele_node node = stele_default_node();
    load_primitive(c, layout, m, &primitive, attributes);
    bool drawn = st_triangle_count(&primitive) > 0;
    if (drawn)
        st_part_at(c, STELE_PART_PRIMITIVE, (*primitive_count)++, at_item(m));
    node.mesh = st_model_add_mesh(c->load->model, c->arena, &(stele_mesh){.primitives = &primitive, .primitive_count = drawn});
    return node.mesh != STELE_NONE && st_model_add_node(c->load->model, c->arena, &node) != STELE_NONE;
}

bool st_sff_load(context *c, const raw_file *raw)
{
    const sff_file *f = (const sff_file *)raw;
    sff_layout layout = st_sff_layout(f->format, *raw);
    uint32_t *textures = load_textures(c, f), primitive_count = 0;
    sff_relation relation = st_sff_relation(f, c->arena);
    if (!textures || !relation.pairs || c->arena->failed)
        return false;
    for (uint64_t i = 0; i < f->mesh_count; i++) {
        texture_list list = textures_of(c, f, &relation, i);
        if (!load_mesh(c, &layout, &f->mesh[i], load_material(c, &list, textures), &primitive_count))
            return false;
    }
    st_property_text(&c->load->model->properties, c->arena, SFF_DIALECT_KEY, st_format_sff.info.dialects[raw->dialect].name);
    if (f->texture_count && !layout.components[SFF_UV])
        st_property_number(&c->load->model->properties, c->arena, SFF_UVS_KEY, 0);
    uint64_t unknown_bits = f->format & ~(uint64_t)SFF_KNOWN_BITS;
    if (unknown_bits)
        st_property_number(&c->load->model->properties, c->arena, SFF_BITS_KEY, (double)unknown_bits);
    return !c->arena->failed;
}
