/* SGM, the models of Rayne and of its ancestor iSDGE. Little-endian, unpadded; docs/formats/sgm.md tells the whole story.
 *
 *   dialect     magic  version  since       what is different
 *   v0          no     0        2011-03     textures without hints, 16-bit counts, no skin, nothing after the meshes
 *   v0a         no     0        2011-03     one day earlier: no tangent byte either
 *   v0b         no     0        2011-10     a byte for bones
 *   v1a         no     1        2011-10     a bone map, to which the vertices refer; a reference to an animation
 *   v1b         no     1        2013-02     32-bit index count; the vertices refer to bones, the map is an ornament
 *   v1          yes    1        2013-07     no bone map; a byte for the index size
 *   v2          yes    2        2013-08     32-bit vertex count
 *   v3          yes    3        2013-12     uv sets of hinted textures, colours
 *   v3-nocolor  yes    3        2013-12     a writer bug until 2020: without textures, the number of colours is missing
 *
 * Within a version the dialects look alike: each is tried, and the one that ends with the file is it. */
#include <string.h>

#include "base/bytes.h"
#include "base/scan.h"
#include "raw.h"

static const uint8_t magic_bytes[4] = {0x90, 0x22, 0x05, 0x15};
enum { MAGIC = 352658064 };

static const stele_dialect_info dialects[] = {
    [SGM_V0] = {"v0", "iSDGE, March 2011: no skin, no animation"},
    [SGM_V0A] = {"v0a", "iSDGE, one day in March 2011: v0 without tangents"},
    [SGM_V0B] = {"v0b", "iSDGE, October 2011: v0 with skin"},
    [SGM_V1A] = {"v1a", "iSDGE, 2011 to 2013: skin through a bone map, animation reference"},
    [SGM_V1B] = {"v1b", "iSDGE, 2013: as v1a, bones direct, 32-bit index count"},
    [SGM_V1] = {"v1", "iSDGE and Rayne, 2013: with magic"},
    [SGM_V2] = {"v2", "Rayne, 2013: 32-bit vertex count"},
    [SGM_V3] = {"v3", "Rayne since December 2013: hinted textures, colours"},
    [SGM_V3_NOCOLOR] = {"v3-nocolor", "v3 of writers 1.5.0 to 1.5.4 without textures: no colour count"},
};

const sgm_traits st_sgm_traits[] = {
    [SGM_V0] = {.tangents = true, .vertex_count = STELE_U16, .index_count = STELE_U16},
    [SGM_V0A] = {.vertex_count = STELE_U16, .index_count = STELE_U16},
    [SGM_V0B] = {.tangents = true, .bones = BONES_FLAG, .vertex_count = STELE_U16, .index_count = STELE_U16},
    [SGM_V1A] = {.version = 1,
                 .mapped = true,
                 .tangents = true,
                 .bones = BONES_MAP,
                 .animation = true,
                 .vertex_count = STELE_U16,
                 .index_count = STELE_U16},
    [SGM_V1B] = {.version = 1,
                 .tangents = true,
                 .bones = BONES_MAP,
                 .animation = true,
                 .vertex_count = STELE_U16,
                 .index_count = STELE_U32},
    [SGM_V1] = {.magic = true,
                .version = 1,
                .tangents = true,
                .bones = BONES_FLAG,
                .index_size = true,
                .animation = true,
                .vertex_count = STELE_U16,
                .index_count = STELE_U32},
#define SINCE_V2                                                                                                               \
    .magic = true, .tangents = true, .bones = BONES_FLAG, .index_size = true, .animation = true, .vertex_count = STELE_U32,    \
    .index_count = STELE_U32
    [SGM_V2] = {SINCE_V2, .version = 2},
    [SGM_V3] = {SINCE_V2, .version = 3, .uv_sets = true},
    [SGM_V3_NOCOLOR] = {SINCE_V2, .version = 3, .uv_sets = true},
#undef SINCE_V2
};

/* ---- The layout ---- */

static const char *const texture_roles[] = {"base color", "normal map", "specular map", "roughness map", "emission map"};
static const char *const color_roles[] = {"base color", NULL, "specular", "roughness", "emission"};

/* What a texture's or colour's hint means; NULL if nothing is known. */
static const char *texture_role(uint8_t hint)
{
    return hint < sizeof texture_roles / sizeof *texture_roles ? texture_roles[hint] : NULL;
}

static const char *color_role(uint8_t hint)
{
    return hint < sizeof color_roles / sizeof *color_roles ? color_roles[hint] : NULL;
}

size_t st_sgm_columns(const sgm_mesh *m, stele_column columns[SGM_COLUMNS])
{
    static const char *const uv_names[SGM_NAMED_UVS] = {"uv0", "uv1", "uv2", "uv3", "uv4", "uv5", "uv6", "uv7"};
    size_t n = 0;
    columns[n++] = (stele_column){"position", STELE_F32, 3};
    columns[n++] = (stele_column){"normal", STELE_F32, 3};
    for (unsigned i = 0; i < m->uv_count && i < SGM_NAMED_UVS; i++)
        columns[n++] = (stele_column){uv_names[i], STELE_F32, 2};
    if (m->uv_count > SGM_NAMED_UVS)
        columns[n++] = (stele_column){"more_uvs", STELE_F32, 2u * (m->uv_count - SGM_NAMED_UVS)};
    if (m->color_floats)
        columns[n++] = (stele_column){"color", STELE_F32, m->color_floats};
    if (m->has_tangents)
        columns[n++] = (stele_column){"tangent", STELE_F32, 4};
    if (m->has_bones) {
        columns[n++] = (stele_column){"weights", STELE_F32, 4};
        columns[n++] = (stele_column){"bones", STELE_F32, 4};
    }
    return n;
}

stele_view st_sgm_column(const sgm_mesh *m, const char *name)
{
    stele_column columns[SGM_COLUMNS];
    return st_column(&m->vertices, columns, st_sgm_columns(m, columns), name);
}

stele_view st_sgm_uvs(const sgm_mesh *m)
{
    stele_view uvs = st_sgm_column(m, "uv0");
    uvs.components = 2u * m->uv_count;
    return uvs;
}

stele_type st_sgm_index_type(const sgm_mesh *m)
{
    return m->index_size == 1 ? STELE_U8 : m->index_size == 4 ? STELE_U32 : STELE_U16;
}

static void walk_texture(walk *w, const sgm_traits *t, sgm_texture *texture)
{
    if (t->uv_sets)
        W_ENUM(w, texture, hint, texture_role);
    W_STRING(w, texture, name);
}

static void walk_uv_set(walk *w, const sgm_traits *t, sgm_uv_set *set)
{
    W_U8(w, set, texture_count);
    W_LIST(w, set, texture, set->texture_count, 3) walk_texture(w, t, &set->texture[i]);
}

static void walk_color(walk *w, sgm_color *color)
{
    W_ENUM(w, color, hint, color_role);
    W_ARRAY(w, color, rgba, STELE_F32, 4);
}

static void walk_material(walk *w, const sgm_traits *t, bool colors_missing, sgm_material *m)
{
    W_U8(w, m, id);
    if (!t->uv_sets) {
        W_U8(w, m, texture_count);
        W_LIST(w, m, texture, m->texture_count, 2) walk_texture(w, t, &m->texture[i]);
        return;
    }
    W_U8(w, m, uv_set_count);
    W_LIST(w, m, uv_set, m->uv_set_count, 1) walk_uv_set(w, t, &m->uv_set[i]);
    if (colors_missing && m->uv_set_count == 0)
        return;
    W_U8(w, m, color_count);
    W_LIST(w, m, color, m->color_count, 17) walk_color(w, &m->color[i]);
}

static void walk_indices(walk *w, const sgm_traits *t, sgm_mesh *m)
{
    W_UINT(w, m, index_count, t->index_count);
    if (t->index_size) {
        uint64_t at = w->at;
        W_U8(w, m, index_size);
        if (walk_ok(w) && m->index_size != 1 && m->index_size != 2 && m->index_size != 4)
            st_walk_fail(w, DIAG_BAD_INDEX_SIZE, at, "index_size", "is %u, but indices have 1, 2 or 4 bytes", m->index_size);
    } else {
        m->index_size = 2;
    }
    W_ARRAY(w, m, indices, st_sgm_index_type(m), m->index_count);
}

static void walk_mesh(walk *w, const sgm_traits *t, sgm_mesh *m)
{
    stele_column columns[SGM_COLUMNS];
    W_U8(w, m, id);
    W_U8(w, m, material);
    W_UINT(w, m, vertex_count, t->vertex_count);
    W_U8(w, m, uv_count);
    W_U8(w, m, color_floats);
    if (t->tangents)
        W_U8(w, m, has_tangents);
    if (t->bones == BONES_FLAG)
        W_U8(w, m, has_bones);
    if (t->bones == BONES_MAP) {
        walk_u8(w, "bone_count", &m->has_bones, NULL);
        W_ARRAY(w, m, bone_map, STELE_U16, m->has_bones);
    }
    size_t column_count = st_sgm_columns(m, columns);
    W_ROWS(w, m, vertices, columns, column_count, m->vertex_count);
    walk_indices(w, t, m);
}

static void walk_file(walk *w, raw_file *raw)
{
    sgm_file *f = (sgm_file *)raw;
    const sgm_traits *t = &st_sgm_traits[raw->dialect];
    if (t->magic)
        st_walk_constant(w, "magic", STELE_U32, MAGIC, DIAG_BAD_MAGIC);
    st_walk_constant(w, "version", STELE_U8, t->version, DIAG_BAD_VERSION);
    W_U8(w, f, material_count);
    W_LIST(w, f, material, f->material_count, 2) walk_material(w, t, raw->dialect == SGM_V3_NOCOLOR, &f->material[i]);
    W_U8(w, f, mesh_count);
    W_LIST(w, f, mesh, f->mesh_count, 8) walk_mesh(w, t, &f->mesh[i]);
    if (!t->animation)
        return;
    W_U8(w, f, has_animation);
    /* the engine takes only 1 for a yes */
    if (f->has_animation == 1)
        W_STRING(w, f, animation);
}

/* ---- Telling the dialects apart ---- */

static bool starts_with(const uint8_t *data, uint64_t size, const char *prefix)
{
    size_t length = strlen(prefix);
    return size >= length && memcmp(data, prefix, length) == 0;
}

/* <environment> is what it was called; other XML files have other words behind their prolog. */
static bool is_xml_model(const uint8_t *data, uint64_t size)
{
    static const char *const others[] = {"<mesh", "<COLLADA", "<svg", "<html"};
    if (starts_with(data, size, "<environment"))
        return true;
    if (!starts_with(data, size, "<?xml"))
        return false;
    for (uint64_t at = 0; at < size && at < 1024; at++)
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            if (starts_with(data + at, size - at, others[i]))
                return false;
    return true;
}

static void probe_magic(const uint8_t *data, uint64_t size, probe *p)
{
    uint8_t version = size > 4 ? data[4] : 3;
    if (version < 1 || version > 3) {
        *p = (probe){.trust = TRUST_CERTAIN,
                     .problem = DIAG_BAD_VERSION,
                     .offset = 4,
                     .path = "version",
                     .text = "is not known: SGM has the versions 0 to 3"};
        return;
    }
    probe_try(p, TRUST_CERTAIN, version == 1 ? SGM_V1 : version == 2 ? SGM_V2 : SGM_V3, 0);
    if (version == 3)
        probe_try(p, TRUST_CERTAIN, SGM_V3_NOCOLOR, 0);
}

static void probe_file(const uint8_t *data, uint64_t size, probe *p)
{
    static const unsigned version0[] = {SGM_V0, SGM_V0B, SGM_V0A}, version1[] = {SGM_V1A, SGM_V1B};
    if (size >= 4 && memcmp(data, magic_bytes, 4) == 0)
        probe_magic(data, size, p);
    else if (is_xml_model(data, size))
        *p = (probe){.trust = TRUST_CERTAIN,
                     .problem = DIAG_BAD_VERSION,
                     .text = "this is an XML model of 2010 or 2011, from before SGM became binary; that is not supported"};
    for (unsigned i = 0; size && data[0] == 0 && i < 3; i++)
        probe_try(p, TRUST_PLAUSIBLE, version0[i], 0);
    for (unsigned i = 0; size && data[0] == 1 && i < 2; i++)
        probe_try(p, TRUST_PLAUSIBLE, version1[i], 0);
}

static bool mesh_plausible(const sgm_mesh *m)
{
    return m->has_tangents <= 1 &&
           !st_scan_beyond(m->indices.data, sense_rows(m->indices.count), st_sgm_index_type(m), m->vertex_count) &&
           !st_scan_nonfinite(m->vertices.data, sense_rows(m->vertices.count) * m->vertices.stride / 4);
}

static sense sense_of(const raw_file *raw)
{
    const sgm_file *f = (const sgm_file *)raw;
    /* a v1b file whose last index is 1 also ends as v1a does, but then its name is none */
    bool no_name = f->animation.data && (!f->animation.size || f->animation.data[f->animation.size - 1] != 0);
    /* and without a magic, zeros would be a model of nothing */
    bool nothing = !st_sgm_traits[raw->dialect].magic && f->mesh && !f->mesh_count;
    if (f->has_animation > 1 || no_name || nothing)
        return SENSE_NONE;
    for (unsigned i = 0; f->mesh && i < f->mesh_count; i++)
        if (!mesh_plausible(&f->mesh[i]))
            return SENSE_ODD;
    return SENSE_GOOD;
}

/* ---- What is in it ---- */

static void describe_texture(context *c, const sgm_texture *t, uint32_t uv_set, const char *role, stele_texture_info *info)
{
    const char *name = st_text_string(c->arena, &t->name);
    *info = (stele_texture_info){
        .name = name, .role = role ? role : "unknown", .found = st_companion_texture(c->companions, name), .uv_set = uv_set};
}

static void describe_textures(context *c, const sgm_material *m, stele_material_info *info)
{
    size_t count = m->texture_count;
    for (unsigned i = 0; i < m->uv_set_count; i++)
        count += m->uv_set[i].texture_count;
    stele_texture_info *textures = st_arena_array(c->arena, count, sizeof *textures);
    if (!textures)
        return;
    for (unsigned i = 0; i < m->texture_count; i++)
        describe_texture(c, &m->texture[i], i, i ? "unknown" : "base color", &textures[i]);
    size_t n = m->texture_count;
    for (unsigned s = 0; s < m->uv_set_count; s++)
        for (unsigned i = 0; i < m->uv_set[s].texture_count; i++) {
            const sgm_texture *texture = &m->uv_set[s].texture[i];
            describe_texture(c, texture, s, texture_role(texture->hint), &textures[n++]);
        }
    info->textures = textures;
    info->texture_count = count;
}

static void describe_colors(const sgm_material *m, arena *a, stele_material_info *info)
{
    stele_color_info *colors = st_arena_array(a, m->color_count, sizeof *colors);
    if (!colors)
        return;
    for (unsigned i = 0; i < m->color_count; i++) {
        const char *role = color_role(m->color[i].hint);
        colors[i].role = role ? role : "unknown";
        for (int k = 0; k < 4; k++)
            colors[i].rgba[k] = load_f32(m->color[i].rgba.data + 4 * k);
    }
    info->colors = colors;
    info->color_count = m->color_count;
}

static void describe_mesh(const sgm_mesh *m, arena *a, stele_mesh_info *info)
{
    stele_column columns[SGM_COLUMNS];
    size_t count = st_sgm_columns(m, columns);
    const char **names = st_arena_array(a, count, sizeof *names);
    stele_view positions = st_sgm_column(m, "position");
    for (size_t i = 0; names && i < count; i++)
        names[i] = columns[i].name;
    *info = (stele_mesh_info){.vertices = m->vertex_count,
                              .indices = m->index_count,
                              .triangles = m->index_count / 3,
                              .material = m->material,
                              .attributes = names,
                              .attribute_count = names ? count : 0,
                              .bounds = st_view_bounds(&positions)};
}

static void describe_animation(context *c, const sgm_file *f, stele_info *info)
{
    const char *name = st_text_string(c->arena, &f->animation);
    bool found = false;
    const sga_file *animation = st_sga_companion(c, name, &found);
    if (animation)
        st_format_sga.describe(c, &animation->raw, info);
    stele_companion_info *companion = st_arena_alloc(c->arena, sizeof *companion);
    if (!companion)
        return;
    *companion = (stele_companion_info){"animation", name, found};
    info->companions = companion;
    info->companion_count = 1;
}

static void describe(context *c, const raw_file *raw, stele_info *info)
{
    const sgm_file *f = (const sgm_file *)raw;
    stele_material_info *materials = st_arena_array(c->arena, f->material_count, sizeof *materials);
    stele_mesh_info *meshes = st_arena_array(c->arena, f->mesh_count, sizeof *meshes);
    if (!materials || !meshes)
        return;
    if (f->has_animation == 1)
        describe_animation(c, f, info);
    for (unsigned i = 0; i < f->material_count; i++) {
        describe_textures(c, &f->material[i], &materials[i]);
        describe_colors(&f->material[i], c->arena, &materials[i]);
    }
    for (unsigned i = 0; i < f->mesh_count; i++) {
        describe_mesh(&f->mesh[i], c->arena, &meshes[i]);
        st_bounds_add(&info->bounds, &meshes[i].bounds);
    }
    info->materials = materials;
    info->material_count = f->material_count;
    info->meshes = meshes;
    info->mesh_count = f->mesh_count;
}

static const char *const targets[] = {"rayne", NULL};

static const stele_choice_info choices[] = {
    {"sgm.tangents", "auto keep drop", "tangents: where they say something, always, or never"},
    {"sgm.colors", "auto linear srgb", "vertex colours: as the numbers look, linear, or as screens have them"},
};

const format st_format_sgm = {
    .info = {.name = "sgm",
             .title = "Rayne model",
             .extensions = "sgm",
             .capabilities = STELE_MESHES | STELE_NORMALS | STELE_UVS | STELE_COLORS | STELE_TANGENTS | STELE_MATERIALS |
                             STELE_TEXTURES | STELE_SKIN | STELE_SEVERAL_MESHES | STELE_COLOR_ALPHA | STELE_BASE_COLORS |
                             STELE_ALPHA_BLENDING | STELE_ROUGHNESS | STELE_EMISSION | STELE_SPECULAR_COLORS |
                             STELE_UNUSED_MATERIALS | STELE_NORMAL_MAPS | STELE_OCCLUSION_MAPS | STELE_METAL_MAPS |
                             STELE_EMISSION_MAPS | STELE_SPECULAR_COLOR_MAPS,
             .beside = SGA_CAPABILITIES, /* in the .sga */
             .uv_sets = 2,
             .color_sets = 1,
             .influences = 4,
             .companions = "sga",
             .dialects = dialects,
             .dialect_count = sizeof dialects / sizeof *dialects,
             .choices = choices,
             .choice_count = sizeof choices / sizeof *choices},
    .raw_size = sizeof(sgm_file),
    .targets = targets,
    .probe = probe_file,
    .walk = walk_file,
    .sense = sense_of,
    .check = st_sgm_check,
    .describe = describe,
    .adapt = st_sgm_adapt,
    .load = st_sgm_load,
    .save = st_sgm_save,
    .bring = st_sgm_bring,
    .usual_dialect = SGM_V3,
};
