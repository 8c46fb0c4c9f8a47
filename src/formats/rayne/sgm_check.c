/* What can be wrong with an SGM. */
#include <string.h>

#include "base/bytes.h"
#include "base/scan.h"
#include "raw.h"

enum { RAYNE_BONES = 100, RAYNE_UVS = 2, MOST_BONES = 65536 };

/* Ids are positions in every known file, and the engine looks up by position. Each is a byte, stride bytes from the next. */
static void check_ids(context *c, const uint8_t *ids, size_t stride, unsigned count)
{
    bool seen[256] = {false};
    unsigned moved = 0, first_moved = 0;
    for (unsigned i = 0; i < count; i++) {
        const uint8_t *id = ids + i * stride;
        if (*id != i && moved++ == 0)
            first_moved = i;
        if (seen[*id])
            st_diag(c->diags, DIAG_ID_DUPLICATE, at_member(id), "is %u, as another one's", *id);
        seen[*id] = true;
    }
    if (moved)
        st_diag(c->diags, DIAG_ID_NOT_POSITION, counted(moved, at_member(ids + first_moved * stride)),
                "is %u: engines go by the position, which is %u", ids[first_moved * stride], first_moved);
}

static void check_all_ids(context *c, const sgm_file *f)
{
    if (f->material_count)
        check_ids(c, &f->material[0].id, sizeof *f->material, f->material_count);
    if (f->mesh_count)
        check_ids(c, &f->mesh[0].id, sizeof *f->mesh, f->mesh_count);
}

/* ---- Materials ---- */

/* An exporter replaces the last three letters of a name by "png" or "*", whatever they are. */
static bool mangled(const char *name)
{
    const char *dot = strrchr(name, '.');
    size_t length = strlen(name);
    if (!length || !dot)
        return !length || name[length - 1] == '*' || (length >= 3 && strcmp(name + length - 3, "png") == 0);
    if (dot == name)
        return true;
    return strlen(dot + 1) > 1 && (name[length - 1] == '*' || (strlen(dot + 1) == 4 && strcmp(dot + 2, "png") == 0));
}

static void check_texture(context *c, const sgm_texture *t)
{
    st_check_string(c, &t->name);
    const char *name = st_text_string(c->arena, &t->name);
    diag_place place = at_member(&t->name);
    if (mangled(name)) {
        st_diag(c->diags, DIAG_TEXTURE_BROKEN_NAME, place, "is \"%s\", which an exporter mangled: give it its real name", name);
        return;
    }
    if (name[strlen(name) - 1] == '*')
        st_diag(c->diags, DIAG_TEXTURE_WILDCARD, place, "is \"%s\": the engine picks the type", name);
    if (!st_companion_stays(name))
        st_diag(c->diags, DIAG_NAME_LEAVES_FOLDER, place, "is \"%s\", which is not in the model's folder", name);
    else
        st_check_texture(c, name, st_companion_texture(c->companions, name), place);
}

static void check_material(context *c, const sgm_material *m)
{
    for (unsigned i = 0; i < m->texture_count; i++)
        check_texture(c, &m->texture[i]);
    for (unsigned s = 0; s < m->uv_set_count; s++)
        for (unsigned i = 0; i < m->uv_set[s].texture_count; i++)
            check_texture(c, &m->uv_set[s].texture[i]);
    for (unsigned i = 0; i < m->color_count; i++)
        if (st_scan_nonfinite(m->color[i].rgba.data, 4))
            st_diag(c->diags, DIAG_NONFINITE_COLOR, at_member(&m->color[i].rgba), "is not finite");
}

/* ---- Meshes ---- */

static mesh_view view_of(const sgm_mesh *m, uint64_t bone_count)
{
    return (mesh_view){
        .place = at_item(m),
        .vertex_count = m->vertex_count,
        .all = st_view_f32(m->vertices.data, m->vertex_count, m->vertices.stride, m->vertices.stride / 4),
        .position = st_sgm_column(m, "position"),
        .normal = st_sgm_column(m, "normal"),
        .uv = st_sgm_uvs(m),
        .color = st_sgm_column(m, "color"),
        .tangent = st_sgm_column(m, "tangent"),
        .weight = st_sgm_column(m, "weights"),
        .bone = st_sgm_column(m, "bones"),
        .bone_count = bone_count < MOST_BONES ? bone_count : MOST_BONES, /* a skeleton counts in 16 bits */
        .indices = st_view_indices(&m->indices, st_sgm_index_type(m)),
    };
}

static void check_bone_map(context *c, const sgm_mesh *m, uint64_t bone_count)
{
    for (unsigned i = 0; i < m->bone_map.count; i++) {
        const uint8_t *entry = m->bone_map.data + 2 * i;
        if (load_u16(entry) >= bone_count)
            st_diag(c->diags, DIAG_BONE_OUT_OF_RANGE, at_row(entry, 1), "is %u, but there are only %llu bones", load_u16(entry),
                    (unsigned long long)bone_count);
    }
}

static void check_mesh(context *c, const sgm_file *f, const sgm_mesh *m, uint64_t bone_count)
{
    const sgm_traits *t = &st_sgm_traits[f->raw.dialect];
    if (m->material >= f->material_count)
        st_diag(c->diags, DIAG_MATERIAL_OUT_OF_RANGE, at_member(&m->material), "is %u, but there are only %u materials",
                m->material, f->material_count);
    if (c->full) {
        st_check_flag(c, &m->has_tangents);
        if (t->bones == BONES_FLAG)
            st_check_flag(c, &m->has_bones);
        check_bone_map(c, m, bone_count);
    }
    mesh_view view = view_of(m, t->mapped ? m->bone_map.count : bone_count);
    st_check_mesh(c, &view);
}

/* ---- The animation file ---- */

static bool any_skin(const sgm_file *f)
{
    for (unsigned i = 0; i < f->mesh_count; i++)
        if (f->mesh[i].has_bones)
            return true;
    return false;
}

/* The number of bones that the vertices can refer to; UINT64_MAX if it is not known. */
static uint64_t check_animation(context *c, const sgm_file *f)
{
    bool found = false;
    if (f->has_animation != 1) {
        if (any_skin(f) && st_sgm_traits[f->raw.dialect].animation)
            st_diag(c->diags, DIAG_SKIN_WITHOUT_SKELETON, at_member(&f->has_animation),
                    "is %u although meshes have skin weights: they can only be shown unmoved", f->has_animation);
        return UINT64_MAX;
    }
    st_check_string(c, &f->animation);
    const char *name = st_text_string(c->arena, &f->animation);
    diag_place place = at_member(&f->animation);
    if (!st_companion_stays(name)) {
        st_diag(c->diags, DIAG_NAME_LEAVES_FOLDER, place, "is \"%s\", which is not in the model's folder", name);
        return UINT64_MAX;
    }
    const sga_file *animation = st_sga_companion(c, name, &found);
    if (!found && st_companions_any(c->companions))
        st_diag(c->diags, DIAG_COMPANION_MISSING, place, "is \"%s\", which is not beside the model", name);
    if (found && !animation)
        st_diag(c->diags, DIAG_COMPANION_DAMAGED, place, "is \"%s\", which cannot be read as an SGA", name);
    if (animation && !st_sga_is_safe(c, animation))
        st_diag(c->diags, DIAG_COMPANION_DAMAGED, place, "is \"%s\", which has errors: check it by itself", name);
    if (animation && animation->bone_count == 0)
        st_diag(c->diags, DIAG_SKELETON_EMPTY, place, "is \"%s\", which has no bones: the model can only be shown unmoved",
                name);
    return animation && animation->bone_count ? animation->bone_count : UINT64_MAX;
}

/* ---- Rayne ---- */

static void check_rayne_mesh(context *c, const sgm_file *f, unsigned index)
{
    const sgm_mesh *m = &f->mesh[index];
    if (m->uv_count > RAYNE_UVS)
        st_diag(c->diags, DIAG_TARGET_LIMIT, at_member(&m->uv_count),
                "is %u: Rayne misreads vertices with more than %d uv sets", m->uv_count, RAYNE_UVS);
    if (m->color_floats != 0 && m->color_floats != 4)
        st_diag(c->diags, DIAG_TARGET_LIMIT, at_member(&m->color_floats), "is %u: Rayne reads colours of 4 floats only",
                m->color_floats);
    if (m->index_size == 1)
        st_diag(c->diags, DIAG_TARGET_LIMIT, at_member(&m->index_size), "is 1: Rayne reads such indices as 2 bytes each");
    for (unsigned i = 0; i < index; i++)
        if (f->mesh[i].material == m->material) {
            st_diag(c->diags, DIAG_TARGET_LIMIT, at_member(&m->material),
                    "is %u, which mesh[%u] has too: Rayne frees a shared material twice", m->material, i);
            break;
        }
}

static void check_rayne_material(context *c, const sgm_material *m)
{
    if (m->color_count && m->color[0].hint != 0)
        st_diag(c->diags, DIAG_TARGET_ODDITY, at_member(&m->color[0].hint),
                "is %u: Rayne uses the first colour only, and only a base colour", m->color[0].hint);
    if (m->uv_set_count && m->uv_set[0].texture_count && m->uv_set[0].texture[0].hint != 0)
        st_diag(c->diags, DIAG_TARGET_ODDITY, at_member(&m->uv_set[0].texture[0].hint),
                "is %u: Rayne ignores the hint and takes the first texture as the base colour", m->uv_set[0].texture[0].hint);
}

static void check_rayne(context *c, const sgm_file *f, uint64_t bone_count)
{
    const sgm_traits *t = &st_sgm_traits[f->raw.dialect];
    if (!t->magic)
        st_diag(c->diags, DIAG_TARGET_LIMIT, at_offset(0, 1, "version"),
                "is %u without a magic before it: Rayne does not load that", t->version);
    if (f->raw.dialect == SGM_V3_NOCOLOR)
        st_diag(c->diags, DIAG_TARGET_LIMIT, at_member(&f->material_count),
                "counts materials that lack their colour count: Rayne misreads them");
    if (bone_count != UINT64_MAX && bone_count > RAYNE_BONES)
        st_diag(c->diags, DIAG_TARGET_LIMIT, at_member(&f->animation), "has %llu bones: Rayne's shader holds %d",
                (unsigned long long)bone_count, RAYNE_BONES);
    for (unsigned i = 0; i < f->material_count; i++)
        check_rayne_material(c, &f->material[i]);
    for (unsigned i = 0; i < f->mesh_count; i++)
        check_rayne_mesh(c, f, i);
}

void st_sgm_check(context *c, const raw_file *raw)
{
    const sgm_file *f = (const sgm_file *)raw;
    uint64_t bone_count = UINT64_MAX;
    if (c->full) {
        if (raw->dialect == SGM_V3_NOCOLOR)
            st_diag(c->diags, DIAG_WRITER_BUG, at_member(&f->material_count),
                    "counts materials without a colour count: a bug of the writers 1.5.0 to 1.5.4");
        check_all_ids(c, f);
        for (unsigned i = 0; i < f->material_count; i++)
            check_material(c, &f->material[i]);
        bone_count = check_animation(c, f);
    }
    for (unsigned i = 0; i < f->mesh_count; i++)
        check_mesh(c, f, &f->mesh[i], bone_count);
    if (c->full && st_sgm_traits[raw->dialect].animation)
        st_check_flag(c, &f->has_animation);
    if (c->full && c->target)
        check_rayne(c, f, bone_count);
}
