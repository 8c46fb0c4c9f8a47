/* A model as SGM v3, and its skeleton and clips as an .sga beside it; older dialects are made from that. The rules are those
 * that every known file keeps, because engines rely on them: one material for each mesh at the same position, ids that are
 * positions, normals always, weights in descending order. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/scan.h"
#include "model/save_skeleton.h"
#include "raw.h"

enum { MOST_UVS = 2 }; /* Rayne misreads more */

typedef struct sgm_saver {
    context *c;
    flat_model flat;
    sgm_file *file;
    bool needs_neutral;         /* a vertex of a skinned mesh is moved by nothing */
    uint64_t crowded;           /* vertices with more than four influences */
    uint64_t lost_uvs;          /* sets */
    uint64_t lost_tangents;     /* meshes */
    uint64_t lost_textures;     /* of occlusion */
    uint64_t otherwise_blended; /* materials whose colours tell otherwise than they do */
    uint64_t unmapped_textures; /* of meshes without the texture coordinates for them */
} sgm_saver;

/* ---- Materials ---- */

/* The use of a texture in the role that SGM has for it; NULL if it has none. */
static const stele_texture_use *use_of(const stele_material *m, sgm_role role)
{
    const stele_texture_use *use = &m->textures[st_sgm_role[role]];
    return role == SGM_LIGHTMAP && !use->uv_set ? NULL : use; /* on the first set it is occlusion, which SGM has not */
}

static uint64_t count_textures(const sgm_look *look)
{
    uint64_t count = 0;
    for (unsigned role = 0; role < SGM_ROLES; role++)
        count += look->texture[role] != NULL;
    return count;
}

static sgm_look look_of(sgm_saver *a, const stele_material *m, unsigned uv_count)
{
    sgm_look look = {.roughness = m->roughness};
    for (unsigned role = 0; role < SGM_ROLES; role++) {
        const stele_texture_use *use = use_of(m, (sgm_role)role);
        if (!use || use->texture == STELE_NONE)
            continue;
        look.texture[role] = st_save_texture_name(a->c, use->texture, TEXTURE_OPEN_TYPE);
        look.uv_set[role] = use->uv_set;
    }
    memcpy(look.base_color, m->base_color, sizeof look.base_color);
    for (int i = 0; i < 3; i++) {
        look.specular[i] = m->specular * m->specular_color[i];
        look.emission[i] = m->emissive_strength * m->emissive[i];
    }
    uint64_t textures = count_textures(&look);
    st_sgm_clamp_look(&look, uv_count);
    a->unmapped_textures += textures - count_textures(&look);
    return look;
}

static void count_lost(sgm_saver *a, const stele_material *m, unsigned index)
{
    bool blended = m->alpha_mode == STELE_BLEND;
    if (m->alpha_mode != STELE_MASK) /* which is lost anyway */
        a->otherwise_blended += blended != st_sgm_is_blended(a->file, index, m->base_color[3]);
    a->lost_textures += m->textures[STELE_ROLE_OCCLUSION].texture != STELE_NONE && !use_of(m, SGM_LIGHTMAP);
}

static void check_names(sgm_saver *a, const sgm_material *m, const char *path)
{
    for (unsigned s = 0; s < m->uv_set_count; s++)
        for (unsigned i = 0; i < m->uv_set[s].texture_count; i++)
            if (m->uv_set[s].texture[i].name.size > UINT16_MAX)
                st_refuse(a->c, at_path(path, 1), "a texture's name has at most 65534 bytes");
}

/* As it was written in the file that it came from, if it still means the same; otherwise in the usual way. */
static void save_material(sgm_saver *a, const stele_material *m, unsigned uv_count, sgm_material *to)
{
    char path[WALK_PATH];
    arena *memory = a->c->arena;
    sgm_look look = look_of(a, m, uv_count);
    bool made = st_sgm_material_of_look(memory, &look, to);
    sgm_material kept = *to;
    if (made && st_sgm_kept_material(memory, &m->properties, &kept)) {
        sgm_look kept_look = st_sgm_look(memory, &kept, uv_count);
        if (st_sgm_same_look(&kept_look, &look))
            *to = kept;
    }
    a->c->fits &= made;
    if (!made)
        return;
    to->id = (uint8_t)(to - a->file->material);
    count_lost(a, m, to->id);
    check_names(a, to, st_path(path, "material[%u]", to->id));
}

static bool *used_materials(sgm_saver *a)
{
    bool *used = st_need(a->c, a->c->save->model->material_count, 1);
    for (size_t i = 0; used && i < a->flat.mesh_count; i++)
        if (a->flat.meshes[i].material != STELE_NONE)
            used[a->flat.meshes[i].material] = true;
    return used;
}

/* One for each mesh, those that meshes share again and again; then those that no mesh has. */
static void save_materials(sgm_saver *a)
{
    context *c = a->c;
    const stele_model *model = a->c->save->model;
    const stele_material plain = stele_default_material();
    const bool *used = used_materials(a);
    uint64_t count = a->flat.mesh_count;
    for (size_t i = 0; used && i < model->material_count; i++)
        count += !used[i];
    if (count > SGM_MOST) {
        st_refuse(c, at_path("material", 1), "there are at most 255 materials, and each mesh needs its own");
        return;
    }
    a->file->material = st_need(c, count, sizeof *a->file->material);
    if (!c->fits)
        return;
    for (size_t i = 0; i < a->flat.mesh_count; i++) {
        uint32_t material = a->flat.meshes[i].material;
        save_material(a, material == STELE_NONE ? &plain : &model->materials[material], a->file->mesh[i].uv_count,
                      &a->file->material[a->file->material_count++]);
    }
    for (size_t i = 0; i < model->material_count; i++)
        if (!used[i])
            save_material(a, &model->materials[i], SGM_MOST, &a->file->material[a->file->material_count++]);
}

/* ---- Vertices ---- */

typedef struct vertex_column {
    const stele_view *view; /* floats; NULL: zeros */
    uint32_t components;
} vertex_column;

enum { MOST_COLUMNS = 4 + MOST_UVS };

/* The columns up to the colour, which are floats as they are. */
static size_t plain_columns(const flat_mesh *m, unsigned uv_count, vertex_column columns[MOST_COLUMNS])
{
    size_t n = 0;
    columns[n++] = (vertex_column){&m->position, 3};
    columns[n++] = (vertex_column){&m->normal, 3};
    for (unsigned i = 0; i < uv_count; i++)
        columns[n++] = (vertex_column){m->uv[i].count ? &m->uv[i] : NULL, 2};
    if (m->color.count)
        columns[n++] = (vertex_column){&m->color, 4};
    return n;
}

/* True if the views lie in memory just as the file wants them: then that is what is written. */
static bool lie_together(const vertex_column *columns, size_t count, uint32_t stride)
{
    const uint8_t *start = columns[0].view->data;
    for (size_t i = 0; i < count; i++) {
        const stele_view *view = columns[i].view;
        if (!view || view->data != start || view->stride != stride)
            return false;
        start += 4 * (size_t)columns[i].components;
    }
    return true;
}

/* The file's tangents point down the image, ours up. */
static void save_tangent(const flat_mesh *m, uint64_t vertex, uint8_t *to)
{
    for (uint32_t k = 0; k < 4; k++) {
        float value = load_f32(st_view_at(&m->tangent, vertex) + 4 * k);
        store_f32(to + 4 * k, k == 3 ? -value : value);
    }
}

static void save_tangents(const flat_mesh *m, const stele_property *same, uint8_t *to, uint32_t stride)
{
    for (uint64_t v = 0; v < m->vertex_count; v++, to += stride)
        if (m->tangent.count)
            save_tangent(m, v, to);
        else
            for (int k = 0; k < 4; k++)
                store_f32(to + 4 * k, (float)same->numbers[k]);
}

/* Four weights and four bones for each vertex. */
static void save_skin(sgm_saver *a, const flat_mesh *m, uint8_t *to, uint32_t stride)
{
    for (uint64_t v = 0; v < m->vertex_count; v++) {
        influence influences[4];
        size_t all, count = st_flat_influences(m, v, influences, 4, &all);
        a->crowded += all > 4;
        if (!count) {
            influences[count++] = (influence){(uint32_t)a->flat.joint_count, 1};
            a->needs_neutral = true;
        }
        for (size_t k = 0; k < count; k++) {
            store_f32(to + v * stride + 4 * k, (float)influences[k].weight);
            store_f32(to + v * stride + 16 + 4 * k, (float)influences[k].joint);
        }
    }
}

static void save_vertices(sgm_saver *a, const flat_mesh *m, const stele_property *same_tangents, sgm_mesh *to)
{
    vertex_column columns[MOST_COLUMNS];
    size_t count = plain_columns(m, to->uv_count, columns);
    uint32_t plain = 0, at = 0;
    for (size_t i = 0; i < count; i++)
        plain += 4 * columns[i].components;
    uint32_t stride = plain + 16u * to->has_tangents + 32u * to->has_bones;
    if (stride == plain && lie_together(columns, count, stride)) {
        to->vertices = (span){m->position.data, m->vertex_count, stride};
        return;
    }
    uint8_t *bytes = st_need(a->c, m->vertex_count, stride);
    to->vertices = (span){bytes, m->vertex_count, stride};
    if (!bytes)
        return;
    for (size_t i = 0; i < count; i++) {
        if (columns[i].view)
            st_view_copy(columns[i].view, bytes + at, stride);
        at += 4 * columns[i].components;
    }
    if (to->has_tangents)
        save_tangents(m, same_tangents, bytes + at, stride);
    if (to->has_bones)
        save_skin(a, m, bytes + plain + 16u * to->has_tangents, stride);
}

/* Two bytes each wherever that is enough; the engine knows two and four. */
static void save_indices(sgm_saver *a, const flat_mesh *m, sgm_mesh *to)
{
    const stele_view *v = &m->indices;
    bool wide = false;
    for (uint64_t i = 0; v->type == STELE_U32 && m->vertex_count > UINT16_MAX && i < v->count && !wide; i++)
        wide = st_view_integer(v, i) > UINT16_MAX;
    to->index_count = (uint32_t)v->count;
    to->index_size = wide ? 4 : 2;
    to->indices = st_save_indices(a->c, v, to->index_size);
}

/* ---- Meshes ---- */

static bool fits(sgm_saver *a, const flat_mesh *m, const char *path)
{
    if (m->vertex_count > UINT32_MAX || m->indices.count > UINT32_MAX)
        st_refuse(a->c, at_path(path, 1), "a mesh has at most 4294967295 vertices and indices");
    return a->c->fits;
}

static void count_lost_uvs(sgm_saver *a, const stele_primitive *p)
{
    for (size_t i = 0; i < p->attribute_count; i++)
        a->lost_uvs += p->attributes[i].semantic == STELE_UV && p->attributes[i].set >= MOST_UVS;
}

/* Tangents that no reader would take: without texture coordinates, or of no direction. */
static bool are_useful(const flat_mesh *m)
{
    bool useful = m->uv[0].count || m->uv[1].count;
    for (uint64_t v = 0; useful && v < m->tangent.count; v++) {
        uint8_t row[16];
        float normal[3], tangent[4];
        st_flat_normal(m, v, normal);
        save_tangent(m, v, row);
        useful = st_sgm_tangent(row, normal, true, tangent);
    }
    return useful;
}

/* Tangents that were all the same and so said nothing. */
static const stele_property *same_tangents_of(const flat_mesh *m)
{
    const stele_property *same = stele_find_property(&m->source->properties, SGM_SAME_TANGENTS);
    return same && same->number_count == 4 ? same : NULL;
}

static void save_mesh(sgm_saver *a, unsigned index)
{
    char path[WALK_PATH];
    flat_mesh *m = &a->flat.meshes[index];
    if (m->tangent.count && !are_useful(m)) {
        m->tangent = (stele_view){0};
        a->lost_tangents++;
    }
    const stele_property *same_tangents = same_tangents_of(m);
    sgm_mesh *to = &a->file->mesh[index];
    *to = (sgm_mesh){.id = (uint8_t)index,
                     .material = (uint8_t)index,
                     .vertex_count = (uint32_t)m->vertex_count,
                     .uv_count = m->uv[1].count   ? 2
                                 : m->uv[0].count ? 1
                                                  : 0,
                     .color_floats = m->color.count ? 4 : 0,
                     .has_tangents = m->tangent.count || same_tangents,
                     .has_bones = m->joint_map || m->rigid_joint != STELE_NONE};
    if (!fits(a, m, st_path(path, "mesh[%u]", index)))
        return;
    count_lost_uvs(a, m->source);
    save_vertices(a, m, same_tangents, to);
    save_indices(a, m, to);
}

static void save_meshes(sgm_saver *a)
{
    context *c = a->c;
    if (a->flat.mesh_count > SGM_MOST) {
        st_refuse(c, at_path("mesh", 1), "there are at most 255 meshes");
        return;
    }
    a->file->mesh_count = (uint8_t)a->flat.mesh_count;
    a->file->mesh = st_need(c, a->flat.mesh_count, sizeof *a->file->mesh);
    for (unsigned i = 0; c->fits && i < a->file->mesh_count; i++)
        save_mesh(a, i);
}

/* ---- Colours ---- */

/* Further than the look of sRGB reaches, and too little for any screen. */
static const float color_step = 6e-6f;

static void move_colors(sgm_saver *a, sgm_mesh *m)
{
    uint32_t stride = m->vertices.stride;
    m->vertices.data = st_need_copy(a->c, m->vertices.data, m->vertex_count, stride);
    if (!m->vertices.data || !m->vertex_count)
        return;
    uint8_t *colors = (uint8_t *)st_sgm_column(m, "color").data;
    for (uint64_t v = 0; v < m->vertex_count; v++)
        for (uint32_t k = 0; k < 3; k++) {
            uint8_t *at = colors + v * stride + 4 * k;
            float c = load_f32(at);
            if (c > 0 && c < 1)
                store_f32(at, c < 0.5f ? c + color_step : c - color_step);
        }
}

/* Linear colours of 8 bits are multiples of 1/255 too, by which readers know the sRGB of old files. */
static void tell_colors(sgm_saver *a)
{
    if (!st_sgm_colors_look_srgb(a->file))
        return;
    for (unsigned i = 0; i < a->file->mesh_count; i++)
        if (a->file->mesh[i].color_floats)
            move_colors(a, &a->file->mesh[i]);
    st_diag(a->c->diags, DIAG_ASSUMED, at_path("mesh", 1),
            "vertex colours are multiples of 1/255, as sRGB in old files: moved by 0.000006, so that they are taken as linear");
}

/* ---- The animation file ---- */

static void walk_animation(walk *w, void *raw)
{
    st_format_sga.walk(w, raw);
}

static void save_animation(sgm_saver *a)
{
    context *c = a->c;
    sga_file *f = st_need(c, 1, sizeof *f);
    const char *name = st_arena_format(c->arena, "%s.sga", c->save->name);
    if (strlen(name) > RAYNE_LONGEST_NAME)
        st_refuse(c, at_path("animation", 1), "its name has at most 65534 bytes");
    if (!c->fits || !st_sga_of_model(c, &a->flat, a->needs_neutral, f) || !st_format_finite(&st_format_sga, c, &f->raw))
        return;
    a->file->has_animation = 1;
    a->file->animation = (text){name, strlen(name) + 1};
    st_save_beside(c, name, walk_animation, f);
}

/* ---- The file ---- */

static void report_losses(sgm_saver *a)
{
    st_lose(a->c, DIAG_LOSS_INFLUENCES, a->crowded, "mesh", "has four joints for a vertex: %llu had more",
            (unsigned long long)a->crowded);
    st_lose(a->c, DIAG_LOSS_UV, a->lost_uvs, "mesh", "has two sets of texture coordinates: %llu more dropped",
            (unsigned long long)a->lost_uvs);
    st_lose(a->c, DIAG_LOSS_TANGENT, a->lost_tangents, "mesh",
            "has tangents only with texture coordinates, and none of no direction: those of %llu mesh%s dropped",
            (unsigned long long)a->lost_tangents, a->lost_tangents == 1 ? "" : "es");
    st_lose(a->c, DIAG_LOSS_MATERIAL, a->otherwise_blended, "material",
            "blends what has translucent colours, and nothing else: %llu material%s", (unsigned long long)a->otherwise_blended,
            a->otherwise_blended == 1 ? " changes" : "s change");
    st_lose(a->c, DIAG_LOSS_TEXTURE, a->lost_textures, "material",
            "has no textures for occlusion on the first texture coordinates: %llu dropped",
            (unsigned long long)a->lost_textures);
    st_lose(a->c, DIAG_LOSS_TEXTURE, a->unmapped_textures, "material",
            "has textures only for meshes with coordinates for them: %llu dropped", (unsigned long long)a->unmapped_textures);
}

/* Without a place for the .sga there is no skeleton, and everything stays as it is at rest. */
bool st_sgm_save(context *c, raw_file *raw)
{
    sgm_saver a = {.c = c, .file = (sgm_file *)raw};
    flat_wishes wishes = {.axes = st_rayne_axes(), .skeleton = c->save->name, .normals = true};
    raw->dialect = SGM_V3;
    if (!st_flatten(c, &wishes, &a.flat))
        return false;
    save_meshes(&a);
    if (c->fits)
        tell_colors(&a);
    if (c->fits)
        save_materials(&a);
    if (c->fits && a.flat.joint_count)
        save_animation(&a);
    else
        st_report_clips(c, &a.flat);
    report_losses(&a);
    return c->fits;
}

/* The animation file of an untouched copy. */
void st_sgm_bring(context *c, const raw_file *raw)
{
    const sgm_file *f = (const sgm_file *)raw;
    if (f->has_animation == 1)
        st_save_companion(c, st_text_string(c->arena, &f->animation), "sga");
}
