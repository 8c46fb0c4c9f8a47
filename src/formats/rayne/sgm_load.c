/* SGM as a model: one mesh with a primitive for each of the file's meshes, which point into the file; a skeleton and clips if
 * the .sga is beside it. docs/formats/sgm.md says what is taken how. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/power.h"
#include "base/srgb.h"
#include "raw.h"

typedef struct sgm_loader {
    context *c;
    const sgm_file *file;
    const sgm_traits *traits;
    bool *normal_mapped;       /* for each material */
    const sga_file *animation; /* NULL: nothing moves */
    sga_skeleton skeleton;
    bool skinned; /* some meshes are, and it moves them */
    bool needs_neutral;
    bool srgb; /* colours are as screens show them */
} sgm_loader;

static stele_view colors_of(const sgm_mesh *m)
{
    return st_sgm_column(m, "color");
}

/* ---- Materials ---- */

/* The texture coordinates that all meshes of a material have. */
static unsigned uv_count_of(const sgm_file *f, unsigned material)
{
    unsigned count = SGM_MOST;
    for (unsigned i = 0; i < f->mesh_count; i++)
        if (f->mesh[i].material == material && f->mesh[i].uv_count < count)
            count = f->mesh[i].uv_count;
    return count;
}

/* No value that rounding or an odd exporter could give instead of 1; and 0 is what was never set. */
static bool is_translucent(float alpha)
{
    return alpha > 0 && alpha < 0.95f;
}

static bool mesh_is_translucent(const sgm_mesh *m)
{
    stele_view colors = colors_of(m);
    for (uint64_t v = 0; colors.components >= 4 && v < m->vertex_count; v++)
        if (is_translucent(load_f32(st_view_at(&colors, v) + 12)))
            return true;
    return false;
}

bool st_sgm_is_blended(const sgm_file *f, unsigned material, float alpha)
{
    if (alpha > 0 && alpha < 1)
        return true;
    for (unsigned i = 0; i < f->mesh_count; i++)
        if (f->mesh[i].material == material && mesh_is_translucent(&f->mesh[i]))
            return true;
    return false;
}

const stele_role st_sgm_role[SGM_ROLES] = {
    [SGM_BASE_COLOR] = STELE_ROLE_BASE_COLOR,   [SGM_NORMAL_MAP] = STELE_ROLE_NORMAL,
    [SGM_SPECULAR] = STELE_ROLE_SPECULAR_COLOR, [SGM_ROUGHNESS] = STELE_ROLE_METALLIC_ROUGHNESS,
    [SGM_EMISSION] = STELE_ROLE_EMISSIVE,       [SGM_LIGHTMAP] = STELE_ROLE_OCCLUSION};

/* The engine shades like chalk: not metallic, fully rough. */
static stele_material material_of(context *c, const sgm_look *look, diag_place place)
{
    stele_material m = stele_default_material();
    for (unsigned role = 0; role < SGM_ROLES; role++)
        if (look->texture[role]) {
            stele_texture_use *use = &m.textures[st_sgm_role[role]];
            use->texture = st_load_texture(c, look->texture[role], place);
            use->uv_set = look->uv_set[role];
        }
    memcpy(m.base_color, look->base_color, sizeof m.base_color);
    memcpy(m.specular_color, look->specular, sizeof m.specular_color);
    memcpy(m.emissive, look->emission, sizeof m.emissive);
    m.metallic = 0;
    m.roughness = look->roughness;
    return m;
}

static bool load_material(sgm_loader *s, unsigned index)
{
    context *c = s->c;
    sgm_material raw = s->file->material[index];
    if (!s->traits->uv_sets && !st_sgm_plain_to_uv_sets(c->arena, &raw))
        return false;
    sgm_look look = st_sgm_look(c->arena, &raw, uv_count_of(s->file, index));
    stele_material m = material_of(c, &look, at_item(&s->file->material[index]));
    m.alpha_mode = st_sgm_is_blended(s->file, index, m.base_color[3]) ? STELE_BLEND : STELE_OPAQUE;
    st_sgm_keep_material(c->arena, &raw, &look, &m.properties);
    s->normal_mapped[index] = look.texture[SGM_NORMAL_MAP];
    st_part_at(c, STELE_PART_MATERIAL, index, at_item(&s->file->material[index]));
    return st_model_add_material(c->load->model, c->arena, &m) != STELE_NONE;
}

/* ---- Colours ---- */

enum { ENOUGH_NUMBERS = 1 << 16 };

static bool is_whole(double x)
{
    return fabs(x - floor(x + 0.5)) < 0.001;
}

/* What was made of numbers before, for powers are dear, and a model has few colours. */
typedef struct memo {
    float (*make)(float);
    float number[256], made[256]; /* that of 0 is 0 */
} memo;

static float remembered(memo *m, float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    uint32_t place = bits * 0x9e3779b1u >> 24;
    if (m->number[place] != number) {
        m->number[place] = number;
        m->made[place] = m->make(number);
    }
    return m->made[place];
}

/* 1 for a number between 0 and 1 that was made on a screen. */
static float look_of_srgb(float number)
{
    return (float)is_whole(255 * (double)number);
}

/* And -1 for one of linear light, 0 for one that tells nothing. */
static float look_of(float number)
{
    return look_of_srgb(number) - (float)is_whole(255 * st_power((double)number, 1 / 2.2));
}

static float look_of_color(memo *looks, const uint8_t *color, uint64_t *telling)
{
    float sum = 0;
    *telling = 0;
    for (int k = 0; k < 3; k++) {
        float number = load_f32(color + 4 * k);
        if (number > 0 && number < 1) {
            sum += remembered(looks, number);
            ++*telling;
        }
    }
    return sum;
}

/* Whether more than half of the numbers that tell have the look. A vertex usually has the colour of the one before it. */
static bool most_look(const sgm_file *f, float (*look_of_number)(float))
{
    memo looks = {.make = look_of_number};
    uint64_t numbers = 0, telling = 0;
    float sum = 0, look = 0;
    uint8_t before[3 * sizeof(float)] = {0};
    for (unsigned i = 0; i < f->mesh_count; i++) {
        stele_view colors = colors_of(&f->mesh[i]);
        for (uint64_t v = 0; colors.components >= 3 && v < f->mesh[i].vertex_count && numbers < ENOUGH_NUMBERS; v++) {
            const uint8_t *color = st_view_at(&colors, v);
            if (memcmp(color, before, sizeof before) != 0) {
                memcpy(before, color, sizeof before);
                look = look_of_color(&looks, before, &telling);
            }
            sum += look;
            numbers += telling;
        }
    }
    return 2 * sum > (float)numbers;
}

/* Numbers between 0 and 1 tell, and no file mixes them: among any numbers a few are multiples by chance. Most files are out
 * before a power is asked for. */
bool st_sgm_colors_look_srgb(const sgm_file *f)
{
    return most_look(f, look_of_srgb) && most_look(f, look_of);
}

static bool decide_colors(context *c, const sgm_file *f)
{
    const char *choice = st_load_choice(c, "sgm.colors");
    if (strcmp(choice, "auto") != 0)
        return strcmp(choice, "srgb") == 0;
    if (!st_sgm_colors_look_srgb(f))
        return false;
    st_diag(c->diags, DIAG_ASSUMED, at_member(&f->mesh),
            "vertex colours are multiples of 1/255: taken as sRGB, and made linear");
    return true;
}

/* Alpha stays as it is. */
static stele_view linear_colors(const context *context, const stele_view *colors)
{
    uint8_t *bytes;
    memo light = {.make = st_linear_of_srgb};
    stele_view made = st_view_make(context->arena, colors->count, STELE_F32, colors->components, &bytes);
    for (uint64_t v = 0; v < made.count; v++)
        for (uint32_t k = 0; k < made.components; k++) {
            float c = load_f32(st_view_at(colors, v) + 4 * k);
            store_f32(bytes + v * made.stride + 4 * k, k < 3 ? remembered(&light, c) : c);
        }
    st_made_of(context, &made, colors);
    return made;
}

/* ---- Tangents ---- */

/* Exporters do not make them perpendicular to the normal, and write zeros where they have none. Ours point up the image where
 * the file's point down. */
bool st_sgm_tangent(const uint8_t *from, const float normal[3], bool repair, float tangent[4])
{
    double t[3], n[3];
    for (int i = 0; i < 3; i++)
        t[i] = (double)load_f32(from + 4 * i);
    widen3(normal, n);
    double lean = dot3(t, n), before = dot3(t, t);
    repair &= fabs(lean) > 1e-5 || fabs(before - 1) > 1e-5; /* what is right already stays as it is */
    for (int i = 0; i < 3; i++)
        t[i] -= repair ? lean * n[i] : 0;
    double after = dot3(t, t);
    float w = load_f32(from + 12);
    if (!(after > 1e-6 * before) || !isfinite(after) || !(w == 1 || w == -1))
        return false;
    for (int i = 0; i < 3; i++)
        tangent[i] = (float)(repair ? t[i] / sqrt(after) : t[i]);
    tangent[3] = -w;
    return true;
}

static bool make_tangents(sgm_loader *s, const sgm_mesh *m, const stele_view *normals, stele_view *made)
{
    stele_view raw = st_sgm_column(m, "tangent");
    arena_mark mark = st_arena_mark(s->c->arena);
    uint8_t *bytes;
    *made = st_view_make(s->c->arena, m->vertex_count, STELE_F32, 4, &bytes);
    for (uint64_t v = 0; v < made->count; v++) {
        float normal[3], tangent[4];
        stele_view_row(normals, v, normal);
        if (!st_sgm_tangent(st_view_at(&raw, v), normal, s->c->load->repair, tangent)) {
            st_arena_rewind(s->c->arena, mark);
            return false;
        }
        for (int k = 0; k < 4; k++)
            store_f32(bytes + 16 * v + 4 * (size_t)k, tangent[k]);
    }
    st_made_of(s->c, made, &raw);
    return made->count;
}

/* Whether tangents that are all the same are meant: those of a plane are right for every vertex. */
static bool are_right(const sgm_mesh *m, const stele_view *normals)
{
    stele_view raw = st_sgm_column(m, "tangent");
    for (uint64_t v = 0; v < m->vertex_count; v++) {
        float normal[3], row[4], tangent[4];
        stele_view_row(normals, v, normal);
        stele_view_row(&raw, v, row);
        double t[3], n[3];
        widen3(row, t);
        widen3(normal, n);
        if (!st_sgm_tangent(st_view_at(&raw, v), normal, false, tangent) || fabs(dot3(t, n)) > 1e-5 ||
            fabs(dot3(t, t) - 1) > 1e-5)
            return false;
    }
    return m->vertex_count && m->uv_count;
}

/* Most tangents in real files are a row of zeros for every vertex: that is easily kept. */
static bool keep_same_tangents(arena *a, const sgm_mesh *m, stele_properties *properties)
{
    stele_view raw = st_sgm_column(m, "tangent");
    double row[4];
    for (uint64_t v = 0; v < m->vertex_count; v++)
        if (memcmp(raw.data, st_view_at(&raw, v), 16) != 0)
            return false;
    for (int k = 0; k < 4; k++)
        row[k] = (double)load_f32(st_view_at(&raw, 0) + 4 * k);
    if (!isfinite(row[0]) || !isfinite(row[1]) || !isfinite(row[2]) || !isfinite(row[3]))
        return false;
    st_property_numbers(properties, a, SGM_SAME_TANGENTS, row, 4);
    return true;
}

static bool wants_tangents(sgm_loader *s, const sgm_mesh *m)
{
    const char *choice = st_load_choice(s->c, "sgm.tangents");
    if (strcmp(choice, "auto") != 0)
        return strcmp(choice, "keep") == 0;
    return m->uv_count && m->material < s->file->material_count && s->normal_mapped[m->material];
}

/* ---- Skin ---- */

/* The number of a bone that a vertex refers to; STELE_NONE if it is none. */
static uint32_t bone_of(const sgm_loader *s, const sgm_mesh *m, const uint8_t *p)
{
    float number = load_settled_f32(p);
    uint32_t bone = number >= 0 && number < 65536 ? (uint32_t)number : STELE_NONE;
    if (!s->traits->mapped)
        return bone;
    return bone < m->bone_map.count ? load_u16(m->bone_map.data + 2 * (size_t)bone) : STELE_NONE;
}

typedef struct skinned_mesh {
    const sgm_loader *loader;
    const sgm_mesh *mesh;
    stele_view weights, bones;
} skinned_mesh;

static size_t influences_at(const void *context, uint64_t vertex, influence *influences)
{
    const skinned_mesh *s = context;
    if (!s->mesh->has_bones)
        return 0;
    for (int i = 0; i < 4; i++)
        influences[i] = (influence){bone_of(s->loader, s->mesh, st_view_at(&s->bones, vertex) + 4 * i),
                                    (double)load_f32(st_view_at(&s->weights, vertex) + 4 * i)};
    return 4;
}

static byte_range bytes_of_influences_at(const void *context, uint64_t vertex)
{
    const skinned_mesh *s = context;
    return s->mesh->has_bones ? st_row_bytes(&s->bones, vertex) : (byte_range){0};
}

/* True if a vertex needs no repair; its joints are then filled in, those without weight as 0. */
static bool sound_influences(const skinned_mesh *s, uint64_t vertex, size_t joint_count, uint32_t joints[4])
{
    const uint8_t *w = st_view_at(&s->weights, vertex), *b = st_view_at(&s->bones, vertex);
    double sum = 0;
    int used = 0;
    for (int i = 0; i < 4; i++) {
        float weight = load_f32(w + 4 * i);
        joints[i] = 0;
        if (weight == 0)
            continue;
        joints[i] = bone_of(s->loader, s->mesh, b + 4 * i);
        if (!(weight > 0) || joints[i] >= joint_count)
            return false;
        for (int k = 0; k < i; k++)
            if (joints[k] == joints[i] && load_f32(w + 4 * k) != 0)
                return false;
        sum += (double)weight;
        used++;
    }
    return used && fabs(sum - 1) <= 2e-7 * used; /* what glTF allows */
}

/* Joints for weights that are used as they are; no rows if some need repair. */
static stele_view joints_of(sgm_loader *s, const skinned_mesh *mesh)
{
    context *c = s->c;
    arena_mark mark = st_arena_mark(c->arena);
    uint8_t *bytes;
    size_t joint_count = s->animation->bone_count;
    uint32_t size = joint_count > 256 ? 2 : 1, joints[4];
    stele_view view = st_view_make(c->arena, mesh->mesh->vertex_count, size == 1 ? STELE_U8 : STELE_U16, 4, &bytes);
    for (uint64_t v = 0; v < view.count; v++) {
        if (!sound_influences(mesh, v, joint_count, joints)) {
            st_arena_rewind(c->arena, mark);
            return (stele_view){0};
        }
        for (uint32_t k = 0; k < 4; k++)
            store_uint(bytes + (4 * v + k) * size, joints[k], size);
    }
    st_made_of(c, &view, &mesh->bones);
    return view;
}

static bool load_skin(sgm_loader *s, const sgm_mesh *m, stele_primitive *p)
{
    skinned_mesh mesh = {s, m, st_sgm_column(m, "weights"), st_sgm_column(m, "bones")};
    stele_view joints = m->has_bones ? joints_of(s, &mesh) : (stele_view){0};
    if (joints.count) {
        primitive_add(p, STELE_JOINTS, 0, joints);
        primitive_add(p, STELE_WEIGHTS, 0, mesh.weights);
        return true;
    }
    skin_request request = {m->vertex_count,          influences_at, bytes_of_influences_at, &mesh,
                            s->animation->bone_count, at_item(m)};
    skin_result result;
    if (!st_load_influences(s->c, &request, &result))
        return false;
    primitive_add_skin(p, &result);
    s->needs_neutral |= result.needs_neutral;
    return true;
}

/* ---- Meshes ---- */

static stele_view indices_of(sgm_loader *s, const sgm_mesh *m)
{
    uint32_t rest = m->index_count % 3;
    stele_view view = st_view_indices(&m->indices, st_sgm_index_type(m));
    if (!rest || !s->c->load->repair)
        return view;
    view.count -= rest;
    st_diag(s->c->diags, DIAG_REPAIRED_INDICES, counted(rest, at_item(m)),
            "the last %u indices are no whole triangle: left out", rest);
    return view;
}

static void load_colors(sgm_loader *s, const sgm_mesh *m, stele_primitive *p)
{
    context *c = s->c;
    if (m->color_floats < 3) {
        if (m->color_floats)
            st_diag(c->diags, DIAG_REPAIRED_COLOR, counted(m->vertex_count, at_item(m)),
                    "colours of %u floats are none that we know: left out", m->color_floats);
        return;
    }
    stele_view colors = colors_of(m);
    colors.components = m->color_floats == 3 ? 3 : 4;
    colors = st_repair_colors(c, &colors, at_item(m));
    if (s->srgb)
        colors = linear_colors(c, &colors);
    primitive_add(p, STELE_COLOR, 0, colors);
}

static void load_tangents(sgm_loader *s, const sgm_mesh *m, stele_primitive *p)
{
    stele_view tangents;
    const stele_view *normals = stele_primitive_view(p, STELE_NORMAL, 0);
    bool choose = strcmp(st_load_choice(s->c, "sgm.tangents"), "auto") == 0;
    bool wanted = wants_tangents(s, m) || (choose && are_right(m, normals));
    bool same = !wanted && keep_same_tangents(s->c->arena, m, &p->properties);
    wanted |= !same && m->uv_count && choose;
    if (wanted && make_tangents(s, m, normals, &tangents)) {
        primitive_add(p, STELE_TANGENT, 0, tangents);
        return;
    }
    if (same || keep_same_tangents(s->c->arena, m, &p->properties)) {
        st_diag(s->c->diags, DIAG_ASSUMED, counted(m->vertex_count, at_item(m)),
                "all tangents are the same: kept as a property");
        return;
    }
    st_diag(s->c->diags, DIAG_TANGENTS_DROPPED, counted(m->vertex_count, at_item(m)), "%s: left out",
            wanted ? "some tangents are zero or along their normals" : "tangents are not wanted, or there are no uvs");
}

/* Without indices nothing is drawn, where in the model all vertices would be: then there are none either. */
static bool load_mesh(sgm_loader *s, unsigned index, stele_primitive *p)
{
    context *c = s->c;
    const sgm_mesh *m = &s->file->mesh[index];
    st_part_at(c, STELE_PART_PRIMITIVE, index, at_item(m));
    stele_attribute *attributes =
        st_arena_array(c->arena, 4 + (uint64_t)m->uv_count + 2 * (MOST_INFLUENCES / 4), sizeof *attributes);
    *p = (stele_primitive){.attributes = attributes,
                           .material = m->material < s->file->material_count ? m->material : STELE_NONE,
                           .indices = indices_of(s, m)};
    if (!attributes || !p->indices.count || !m->vertex_count) {
        p->indices = (stele_view){0};
        return attributes;
    }
    p->vertex_count = m->vertex_count;
    primitive_add(p, STELE_POSITION, 0, st_sgm_column(m, "position"));
    stele_view normals = st_sgm_column(m, "normal");
    normals = st_repair_normals(c, p, &normals, at_item(m));
    primitive_add(p, STELE_NORMAL, 0, normals);
    for (uint32_t i = 0; i < m->uv_count; i++) {
        stele_view uv = st_sgm_uvs(m);
        uv = st_view_f32(st_view_at(&uv, 0) + 8 * i, uv.count, uv.stride, 2);
        primitive_add(p, STELE_UV, i, st_repair_uvs(c, &uv, at_item(m)));
    }
    load_colors(s, m, p);
    if (m->has_tangents)
        load_tangents(s, m, p);
    return !s->skinned || load_skin(s, m, p);
}

static uint32_t load_meshes(sgm_loader *s)
{
    context *c = s->c;
    stele_primitive *primitives = st_arena_array(c->arena, s->file->mesh_count, sizeof *primitives);
    if (!primitives)
        return STELE_NONE;
    for (unsigned i = 0; i < s->file->mesh_count; i++)
        if (!load_mesh(s, i, &primitives[i]))
            return STELE_NONE;
    stele_mesh mesh = {
        .name = *c->load->name ? c->load->name : NULL, .primitives = primitives, .primitive_count = s->file->mesh_count};
    return st_model_add_mesh(c->load->model, c->arena, &mesh);
}

/* ---- The animation file ---- */

static uint64_t count_skinned(const sgm_file *f)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < f->mesh_count; i++)
        count += f->mesh[i].has_bones != 0;
    return count;
}

/* NULL if there is none to use; *problem then says why. */
static const sga_file *find_animation(sgm_loader *s, const char **problem)
{
    context *c = s->c;
    bool found = false;
    if (s->file->has_animation != 1) {
        *problem = "no animation file is named";
        return NULL;
    }
    const char *name = st_text_string(c->arena, &s->file->animation);
    const sga_file *f = st_sga_companion(c, name, &found);
    if (f && f->bone_count && st_sga_is_safe(c, f))
        return f;
    *problem = st_arena_format(c->arena, "\"%s\" %s", name,
                               !found           ? "is not beside the model"
                               : !f             ? "cannot be read as an SGA"
                               : !f->bone_count ? "has no bones"
                                                : "has errors");
    return NULL;
}

static bool load_animation(sgm_loader *s, uint32_t root)
{
    context *c = s->c;
    const char *problem;
    uint64_t skinned = count_skinned(s->file);
    s->animation = find_animation(s, &problem);
    s->skinned = s->animation && skinned;
    if (s->animation)
        return st_sga_load_bones(c, s->animation, root, &s->skeleton);
    if (skinned)
        st_diag(c->diags, DIAG_SKIN_DROPPED, counted(skinned, at_member(&s->file->mesh)),
                "%llu mesh%s skin weights, but %s: nothing moves", (unsigned long long)skinned,
                skinned == 1 ? " has" : "es have", problem);
    else if (s->file->has_animation == 1 && !c->full && st_companions_any(c->companions))
        st_diag(c->diags, DIAG_COMPANION_MISSING, at_member(&s->file->animation), "%s", problem);
    return true;
}

/* ---- The file ---- */

/* A skinned mesh is placed by its joints: its node is a root, as glTF recommends. */
static bool add_mesh_node(sgm_loader *s, uint32_t root, uint32_t mesh, uint32_t skin)
{
    context *c = s->c;
    stele_node node = stele_default_node();
    node.name = *c->load->name ? st_arena_format(c->arena, "%s_mesh", c->load->name) : "mesh";
    node.mesh = mesh;
    node.skin = skin;
    node.parent = skin == STELE_NONE ? root : STELE_NONE;
    return st_model_add_node(c->load->model, c->arena, &node) != STELE_NONE;
}

static bool load_all(sgm_loader *s)
{
    context *c = s->c;
    uint32_t root = st_rayne_root(c), skin = STELE_NONE, mesh;
    for (unsigned i = 0; i < s->file->material_count; i++)
        if (!load_material(s, i))
            return false;
    s->srgb = decide_colors(c, s->file);
    if (root == STELE_NONE || !load_animation(s, root) || (mesh = load_meshes(s)) == STELE_NONE)
        return false;
    if (s->animation) {
        if (s->needs_neutral && !st_sga_add_neutral(c, &s->skeleton))
            return false;
        if ((skin = st_sga_add_skin(c, &s->skeleton)) == STELE_NONE || !st_sga_load_clips(c, s->animation, &s->skeleton))
            return false;
    }
    if (s->animation)
        st_format_locate_companion(&st_format_sga, c, (raw_file *)&s->animation->raw, s->animation->skeleton.data);
    return add_mesh_node(s, root, mesh, s->skinned ? skin : STELE_NONE);
}

bool st_sgm_load(context *c, const raw_file *raw)
{
    const sgm_file *f = (const sgm_file *)raw;
    sgm_loader s = {.c = c,
                    .file = f,
                    .traits = &st_sgm_traits[raw->dialect],
                    .normal_mapped = st_arena_array(c->arena, f->material_count, sizeof(bool))};
    if (raw->dialect != SGM_V3)
        st_property_text(&c->load->model->properties, c->arena, "sgm.dialect", st_format_sgm.info.dialects[raw->dialect].name);
    return s.normal_mapped && load_all(&s);
}
