/* What a model has and a format cannot hold: one comparison for all formats. What each object needs is a set of capabilities;
 * what the format lacks of them is said once for each kind of thing, with the number of those that lose something. */
#include <string.h>

#include "load_skeleton.h"
#include "save.h"

/* clang-format off */
static const char *const names[] = {
    "meshes", "normals", "uvs", "colors", "tangents", "materials", "textures", "skin", "skeleton", "animation",
    "morphs", "attachments", "several-meshes", "lines-and-points", "nodes", "properties", "mesh-names", "node-names",
    "joint-names", "skin-names", "clip-names", "material-names", "morph-names", "image-names", "model-name",
    "base-colors", "alpha-blending", "alpha-masks", "double-sides", "metal", "roughness", "unlit-surfaces",
    "emission", "emission-strength", "specular", "specular-colors", "unused-materials", "normal-maps",
    "occlusion-maps", "metal-maps", "emission-maps", "specular-maps", "specular-color-maps", "embedded-images",
    "normal-strength", "occlusion-strength", "wrap-modes", "filters", "texture-transforms", "color-alpha",
    "rest-pose", "default-weights", "morph-normals", "morph-animation", "node-animation", "curves", "steps",
    "scale-animation", "exact-times",
};
/* clang-format on */

enum { CAPABILITIES = sizeof names / sizeof *names };
_Static_assert(STELE_EXACT_TIMES == UINT64_C(1) << (CAPABILITIES - 1), "a capability has no name");

const char *stele_capability_name(unsigned bit)
{
    return bit < CAPABILITIES ? names[bit] : NULL;
}

/* ---- Kinds of things that lose something ---- */

typedef enum kind {
    KIND_MATERIAL,
    KIND_MAP,
    KIND_SAMPLING,
    KIND_NAME,
    KIND_NODE,
    KIND_MORPH,
    KIND_CHANNEL,
    KIND_INTERPOLATION,
    KIND_COLOR_SET,
    KIND_PROPERTY,
    KINDS
} kind;

static const struct {
    diag_code code;
    const char *one, *many; /* what becomes of them, behind their number */
} kinds[KINDS] = {
    [KIND_MATERIAL] = {DIAG_LOSS_MATERIAL, "material loses that", "materials lose that"},
    [KIND_MAP] = {DIAG_LOSS_TEXTURE, "dropped", "dropped"},
    [KIND_SAMPLING] = {DIAG_LOSS_SAMPLING, "texture loses that", "textures lose that"},
    [KIND_NAME] = {DIAG_LOSS_NAME, "dropped", "dropped"},
    [KIND_NODE] = {DIAG_LOSS_HIERARCHY, "node loses its place in the hierarchy", "nodes lose their places in the hierarchy"},
    [KIND_MORPH] = {DIAG_LOSS_MORPH, "morph or mesh loses that", "morphs or meshes lose that"},
    [KIND_CHANNEL] = {DIAG_LOSS_ANIMATION, "channel dropped", "channels dropped"},
    [KIND_INTERPOLATION] = {DIAG_LOSS_INTERPOLATION, "channel sampled", "channels sampled"},
    [KIND_COLOR_SET] = {DIAG_LOSS_VERTEX_COLOR, "set more dropped", "sets more dropped"},
    [KIND_PROPERTY] = {DIAG_LOSS_PROPERTY, "dropped", "dropped"},
};

typedef struct survey {
    context *c;
    const stele_model *model;
    uint64_t can;
    bool *joints; /* nodes that are joints of some skin */
    uint64_t joint_count;
    struct {
        uint64_t missing, count;
    } lost[KINDS];
} survey;

/* Something needs capabilities: it loses what the format lacks of them. */
static void demand(survey *s, kind kind, uint64_t needs)
{
    uint64_t missing = needs & ~s->can;
    s->lost[kind].missing |= missing;
    s->lost[kind].count += missing != 0;
}

/* "alpha masks, metal or roughness" */
static const char *words_for(arena *a, uint64_t missing)
{
    const char *list = "";
    for (unsigned bit = 0, left = 0; bit < CAPABILITIES; bit++) {
        if (!(missing >> bit & 1))
            continue;
        bool last = !(missing >> bit >> 1);
        list = st_arena_format(a, "%s%s%s", list, !left ? "" : last ? " or " : ", ", names[bit]);
        left++;
    }
    char *words = (char *)st_arena_text(a, list, strlen(list));
    for (char *w = words; *w; w++)
        *w = *w == '-' ? ' ' : *w;
    return words;
}

static void report(survey *s)
{
    for (kind k = 0; k < KINDS; k++)
        if (s->lost[k].count)
            st_lose(s->c, kinds[k].code, s->lost[k].count, "", "has no %s: %llu %s", words_for(s->c->arena, s->lost[k].missing),
                    (unsigned long long)s->lost[k].count, s->lost[k].count == 1 ? kinds[k].one : kinds[k].many);
}

/* ---- Materials and textures ---- */

static bool all_are(const float *values, int count, float value)
{
    for (int i = 0; i < count; i++)
        if (values[i] != value)
            return false;
    return true;
}

static bool glows_beyond_1(const stele_material *m)
{
    for (int i = 0; i < 3; i++)
        if (m->emissive[i] * m->emissive_strength > 1)
            return true;
    return false;
}

static uint64_t needs_of_material(const stele_material *m)
{
    const stele_texture_use *normal = &m->textures[STELE_ROLE_NORMAL], *occlusion = &m->textures[STELE_ROLE_OCCLUSION];
    uint64_t needs = 0;
    needs |= all_are(m->base_color, 4, 1) ? 0 : STELE_BASE_COLORS;
    needs |= m->alpha_mode == STELE_BLEND ? STELE_ALPHA_BLENDING : m->alpha_mode == STELE_MASK ? STELE_ALPHA_MASKS : 0;
    needs |= m->double_sided ? STELE_DOUBLE_SIDES : 0;
    needs |= m->metallic != 0 ? STELE_METAL : 0;
    needs |= m->roughness != 1 ? STELE_ROUGHNESS : 0;
    needs |= m->unlit ? STELE_UNLIT_SURFACES : 0;
    needs |= all_are(m->emissive, 3, 0) ? 0 : STELE_EMISSION;
    needs |= glows_beyond_1(m) ? STELE_EMISSION_STRENGTH : 0;
    needs |= m->specular != 1 ? STELE_SPECULAR : 0;
    needs |= m->specular != 1 || !all_are(m->specular_color, 3, 1) ? STELE_SPECULAR_COLORS : 0;
    needs |= normal->texture != STELE_NONE && normal->strength != 1 ? STELE_NORMAL_STRENGTH : 0;
    needs |= occlusion->texture != STELE_NONE && occlusion->strength != 1 ? STELE_OCCLUSION_STRENGTH : 0;
    return needs;
}

static bool same_transform(const stele_texture_use *a, const stele_texture_use *b)
{
    return a->rotation == b->rotation && memcmp(a->offset, b->offset, sizeof a->offset) == 0 &&
           memcmp(a->scale, b->scale, sizeof a->scale) == 0;
}

static bool repeats(uint16_t wrap)
{
    return !wrap || wrap == 10497;
}

static bool is_smooth(uint16_t filter)
{
    return !filter || filter == 9729 || filter == 9987;
}

/* How a texture is sampled. The coordinates that the base colour is on get its transform. */
static uint64_t needs_of_use(const survey *s, const stele_material *m, const stele_texture_use *use)
{
    const stele_texture *t = &s->model->textures[use->texture];
    const stele_texture_use *base = &m->textures[STELE_ROLE_BASE_COLOR], plain = stele_default_texture_use();
    bool shares = base->texture != STELE_NONE && base->uv_set == use->uv_set;
    uint64_t needs = 0;
    needs |= repeats(t->wrap_u) && repeats(t->wrap_v) ? 0 : STELE_WRAP_MODES;
    needs |= is_smooth(t->mag_filter) && is_smooth(t->min_filter) ? 0 : STELE_FILTERS;
    needs |= same_transform(use, shares ? base : &plain) ? 0 : STELE_TEXTURE_TRANSFORMS;
    return needs;
}

static void survey_material(survey *s, const stele_material *m)
{
    static const uint64_t maps[STELE_ROLE_COUNT] = {
        [STELE_ROLE_NORMAL] = STELE_NORMAL_MAPS,       [STELE_ROLE_METALLIC_ROUGHNESS] = STELE_METAL_MAPS,
        [STELE_ROLE_OCCLUSION] = STELE_OCCLUSION_MAPS, [STELE_ROLE_EMISSIVE] = STELE_EMISSION_MAPS,
        [STELE_ROLE_SPECULAR] = STELE_SPECULAR_MAPS,   [STELE_ROLE_SPECULAR_COLOR] = STELE_SPECULAR_COLOR_MAPS};
    uint64_t needs = needs_of_material(m);
    for (int role = 0; role < STELE_ROLE_COUNT && (s->can & STELE_TEXTURES); role++) {
        const stele_texture_use *use = &m->textures[role];
        if (use->texture == STELE_NONE)
            continue;
        demand(s, KIND_MAP, maps[role]);
        if ((maps[role] & s->can) == maps[role])
            demand(s, KIND_SAMPLING, needs_of_use(s, m, use));
    }
    if (!(s->can & STELE_NORMAL_MAPS))
        needs &= ~STELE_NORMAL_STRENGTH; /* lost with the map */
    if (!(s->can & STELE_OCCLUSION_MAPS))
        needs &= ~STELE_OCCLUSION_STRENGTH;
    demand(s, KIND_MATERIAL, needs);
}

static void survey_unused_materials(survey *s)
{
    bool *used = st_need(s->c, s->model->material_count, sizeof *used);
    for (size_t i = 0; used && i < s->model->node_count; i++) {
        uint32_t index = s->model->nodes[i].mesh;
        const stele_mesh *mesh = index == STELE_NONE ? NULL : &s->model->meshes[index];
        for (size_t k = 0; mesh && k < mesh->primitive_count; k++)
            if (mesh->primitives[k].material != STELE_NONE)
                used[mesh->primitives[k].material] = true;
    }
    for (size_t i = 0; used && i < s->model->material_count; i++)
        if (!used[i])
            demand(s, KIND_MATERIAL, STELE_UNUSED_MATERIALS);
}

static void survey_materials(survey *s)
{
    uint64_t count = s->model->material_count;
    if (!(s->can & (STELE_MATERIALS | STELE_TEXTURES))) {
        st_lose(s->c, DIAG_LOSS_MATERIAL, count, "", "has no materials: %llu dropped", (unsigned long long)count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        survey_material(s, &s->model->materials[i]);
    if (!(s->can & STELE_UNUSED_MATERIALS))
        survey_unused_materials(s);
}

/* ---- Names ---- */

static bool is(const char *name, const char *other)
{
    return other && strcmp(name, other) == 0;
}

/* Names that loading makes up, for what has none in its file: they come back by themselves. */
static bool is_made_up(const survey *s, const char *name)
{
    static const char *const usual[] = {"root", "neutral", "main", "mesh", "ctc_root"};
    const char *model = s->model->name && *s->model->name ? s->model->name : NULL;
    size_t length = model ? strlen(model) : 0;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (is(name, usual[i]))
            return true;
    if (strncmp(name, "bone", 4) == 0 && name[4] && !name[4 + strspn(name + 4, "0123456789")])
        return true;
    return model && strncmp(name, model, length) == 0 && (!name[length] || is(name + length, "_mesh"));
}

static void survey_name(survey *s, const char *name, uint64_t needs)
{
    if (name && *name && !is_made_up(s, name))
        demand(s, KIND_NAME, needs);
}

static bool names_skin(const survey *s, const char *name)
{
    for (size_t i = 0; name && i < s->model->skin_count; i++)
        if (is(name, s->model->skins[i].name))
            return true;
    return false;
}

/* Where there is one name for a mesh and the node that draws it, it is the mesh's, or the node's if the mesh has none. */
static void survey_node_name(survey *s, uint32_t index)
{
    const stele_node *node = &s->model->nodes[index];
    const char *mesh = node->mesh == STELE_NONE ? NULL : s->model->meshes[node->mesh].name;
    if (s->joints[index]) {
        if (s->can & STELE_SKELETON)
            survey_name(s, node->name, STELE_JOINT_NAMES);
    } else if (node->mesh != STELE_NONE && !mesh) {
        survey_name(s, node->name, STELE_MESH_NAMES);
    } else if (node->name && !is(node->name, mesh) && !names_skin(s, node->name) && !node->attachment) {
        survey_name(s, node->name, STELE_NODE_NAMES);
    }
}

static void survey_names(survey *s)
{
    const stele_model *m = s->model;
    if (m->name && *m->name && !is(m->name, s->c->save->name) && !is(m->name, s->c->save->source)) /* files are named anyway */
        demand(s, KIND_NAME, STELE_MODEL_NAME);
    for (size_t i = 0; i < m->mesh_count && (s->can & STELE_MESHES); i++)
        survey_name(s, m->meshes[i].name, STELE_MESH_NAMES);
    for (uint32_t i = 0; i < m->node_count && s->joints; i++)
        survey_node_name(s, i);
    for (size_t i = 0; i < m->skin_count && (s->can & STELE_SKELETON); i++)
        survey_name(s, m->skins[i].name, STELE_SKIN_NAMES);
    for (size_t i = 0; i < m->clip_count && (s->can & STELE_ANIMATION); i++)
        survey_name(s, m->clips[i].name, STELE_CLIP_NAMES);
    for (size_t i = 0; i < m->material_count && (s->can & (STELE_MATERIALS | STELE_TEXTURES)); i++)
        survey_name(s, m->materials[i].name, STELE_MATERIAL_NAMES);
    for (size_t i = 0; i < m->texture_count && (s->can & STELE_TEXTURES); i++)
        if (m->textures[i].data)
            survey_name(s, m->textures[i].name, STELE_IMAGE_NAMES);
}

/* ---- Nodes, meshes, morphs, clips ---- */

/* A node that groups others, unless it is only there to turn all of them; and one that draws what another draws already. */
static void survey_nodes(survey *s)
{
    const stele_model *m = s->model;
    uint8_t *drawn = st_need(s->c, m->mesh_count, 1), *groups = st_need(s->c, m->node_count, 1);
    for (size_t i = 0; groups && i < m->node_count; i++)
        if (m->nodes[i].parent != STELE_NONE && !(s->joints && s->joints[i]) && !m->nodes[i].attachment)
            groups[m->nodes[i].parent] = 1;
    for (size_t i = 0; drawn && groups && s->joints && i < m->node_count; i++) {
        const stele_node *n = &m->nodes[i];
        bool made_up = n->name && (is_made_up(s, n->name) || names_skin(s, n->name));
        bool lost = groups[i] && !s->joints[i] && !made_up && (n->parent != STELE_NONE || n->name || n->mesh != STELE_NONE);
        if (n->mesh != STELE_NONE) {
            lost |= drawn[n->mesh];
            drawn[n->mesh] = 1;
        }
        if (lost)
            demand(s, KIND_NODE, STELE_NODES);
    }
}

static bool is_weighted(const float *weights, size_t count)
{
    return weights && !all_are(weights, (int)count, 0);
}

static void survey_morphs(survey *s)
{
    const stele_model *m = s->model;
    for (size_t i = 0; i < m->mesh_count; i++) {
        const stele_primitive *p = m->meshes[i].primitives;
        size_t count = m->meshes[i].primitive_count ? p->morph_count : 0;
        for (size_t k = 0; k < count; k++) {
            survey_name(s, p->morphs[k].name, STELE_MORPH_NAMES);
            demand(s, KIND_MORPH, p->morphs[k].normal.count || p->morphs[k].tangent.count ? STELE_MORPH_NORMALS : 0);
        }
        demand(s, KIND_MORPH, is_weighted(m->meshes[i].weights, count) ? STELE_DEFAULT_WEIGHTS : 0);
    }
    for (size_t i = 0; i < m->node_count; i++) {
        uint32_t mesh = m->nodes[i].mesh;
        if (mesh != STELE_NONE && m->meshes[mesh].primitive_count)
            demand(s, KIND_MORPH,
                   is_weighted(m->nodes[i].weights, m->meshes[mesh].primitives->morph_count) ? STELE_DEFAULT_WEIGHTS : 0);
    }
}

/* Whether a channel has one value at all times: then it does not matter how it goes from key to key. */
static bool holds_still(const stele_channel *c)
{
    if (c->times.count > c->values.count) /* in a file that changes */
        return false;
    for (uint64_t i = 1; i < c->values.count; i++)
        for (uint32_t k = 0; k < c->values.components; k++) {
            bool tangent = c->interpolation == STELE_CUBIC && i % 3 != 1;
            double other = tangent ? 0 : stele_view_number(&c->values, c->interpolation == STELE_CUBIC, k);
            if (stele_view_number(&c->values, i, k) != other)
                return false;
        }
    return true;
}

static void survey_clips(survey *s)
{
    for (size_t i = 0; i < s->model->clip_count; i++)
        for (size_t k = 0; k < s->model->clips[i].channel_count; k++) {
            const stele_channel *c = &s->model->clips[i].channels[k];
            uint64_t kind = c->interpolation == STELE_CUBIC ? STELE_CURVES : c->interpolation == STELE_STEP ? STELE_STEPS : 0;
            if (c->path == STELE_MORPH_WEIGHTS)
                demand(s, KIND_CHANNEL, STELE_MORPH_ANIMATION);
            else if ((kind & ~s->can) && !holds_still(c))
                demand(s, KIND_INTERPOLATION, kind);
        }
}

static void survey_color_sets(survey *s)
{
    for (size_t i = 0; i < s->model->mesh_count; i++)
        for (size_t k = 0; k < s->model->meshes[i].primitive_count; k++) {
            const stele_primitive *p = &s->model->meshes[i].primitives[k];
            for (size_t n = 0; n < p->attribute_count; n++)
                if (p->attributes[n].semantic == STELE_COLOR && p->attributes[n].set >= s->c->save->color_sets) {
                    s->lost[KIND_COLOR_SET].count++;
                    s->lost[KIND_COLOR_SET].missing = STELE_COLORS;
                }
        }
}

/* ---- Properties ---- */

/* What a format says of its own files is its own business: "sgm.dialect". */
static bool is_of_a_format(const char *key)
{
    size_t prefix = strspn(key, "abcdefghijklmnopqrstuvwxyz");
    return prefix && key[prefix] == '.' && strncmp(key, "gltf.", 5) != 0;
}

static void survey_properties(survey *s, const stele_properties *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (!is_of_a_format(p->items[i].key))
            demand(s, KIND_PROPERTY, STELE_PROPERTIES);
}

static void survey_all_properties(survey *s)
{
    const stele_model *m = s->model;
    survey_properties(s, &m->properties);
    for (size_t i = 0; i < m->node_count; i++)
        survey_properties(s, &m->nodes[i].properties);
    for (size_t i = 0; i < m->mesh_count; i++) {
        survey_properties(s, &m->meshes[i].properties);
        for (size_t k = 0; k < m->meshes[i].primitive_count; k++)
            survey_properties(s, &m->meshes[i].primitives[k].properties);
    }
    for (size_t i = 0; i < m->skin_count; i++)
        survey_properties(s, &m->skins[i].properties);
    for (size_t i = 0; i < m->clip_count; i++)
        survey_properties(s, &m->clips[i].properties);
    for (size_t i = 0; i < m->material_count; i++)
        survey_properties(s, &m->materials[i].properties);
    for (size_t i = 0; i < m->texture_count; i++)
        survey_properties(s, &m->textures[i].properties);
}

/* ---- What a format has nothing of ---- */

typedef struct inventory {
    uint64_t normals, uvs, colors, tangents, skins, morphs, attachments;
} inventory;

static void count_attributes(const stele_primitive *p, inventory *i)
{
    for (size_t k = 0; k < p->attribute_count; k++) {
        const stele_attribute *a = &p->attributes[k];
        i->normals += a->semantic == STELE_NORMAL;
        i->uvs += a->semantic == STELE_UV;
        i->colors += a->semantic == STELE_COLOR;
        i->tangents += a->semantic == STELE_TANGENT;
        i->skins += a->semantic == STELE_WEIGHTS && a->set == 0;
    }
}

static inventory take_inventory(const stele_model *model)
{
    inventory i = {0};
    for (size_t m = 0; m < model->mesh_count; m++) {
        const stele_mesh *mesh = &model->meshes[m];
        i.morphs += mesh->primitive_count ? mesh->primitives[0].morph_count : 0;
        for (size_t k = 0; k < mesh->primitive_count; k++)
            count_attributes(&mesh->primitives[k], &i);
    }
    for (size_t n = 0; n < model->node_count; n++)
        i.attachments += model->nodes[n].attachment;
    return i;
}

/* Skins may share joints: each counts once. */
static void find_joints(survey *s)
{
    s->joints = st_need(s->c, s->model->node_count, sizeof *s->joints);
    for (size_t i = 0; s->joints && i < s->model->skin_count; i++)
        for (size_t k = 0; k < s->model->skins[i].joint_count; k++) {
            bool *joint = &s->joints[s->model->skins[i].joints[k]];
            s->joint_count += !*joint;
            *joint = true;
        }
}

static void report_skeleton(survey *s, const inventory *i)
{
    bool skeleton = s->can & STELE_SKELETON, animation = s->can & STELE_ANIMATION;
    uint64_t clips = s->model->clip_count, joints = s->joint_count;
    if (!skeleton && joints)
        st_lose(s->c, DIAG_LOSS_SKELETON, joints, "", "has no skeleton: %llu joint%s%s dropped", (unsigned long long)joints,
                joints == 1 ? "" : "s",
                !animation && clips
                    ? st_arena_format(s->c->arena, " and %llu clip%s", (unsigned long long)clips, clips == 1 ? "" : "s")
                    : "");
    if (!animation && (skeleton || !joints))
        st_lose(s->c, DIAG_LOSS_ANIMATION, clips, "", "has no animation: %llu clip%s dropped", (unsigned long long)clips,
                clips == 1 ? "" : "s");
    if ((s->can & (STELE_MESHES | STELE_SKIN)) == STELE_MESHES && skeleton)
        st_lose(s->c, DIAG_LOSS_SKIN, i->skins, "", "has no skin: the weights of %llu meshes dropped",
                (unsigned long long)i->skins);
}

static void report_without(survey *s, uint64_t capability, diag_code code, uint64_t count, const char *what)
{
    if (!(s->can & capability))
        st_lose(s->c, code, count, "", "has no %s: %llu dropped", what, (unsigned long long)count);
}

/* Without nodes every mesh is drawn once, where it is: what no node draws has no place. */
static void survey_undrawn(survey *s)
{
    bool *drawn = st_need(s->c, s->model->mesh_count, sizeof *drawn);
    uint64_t undrawn = 0;
    for (size_t i = 0; drawn && i < s->model->node_count; i++)
        if (s->model->nodes[i].mesh != STELE_NONE)
            drawn[s->model->nodes[i].mesh] = true;
    for (size_t i = 0; drawn && i < s->model->mesh_count; i++)
        undrawn += !drawn[i];
    st_lose(s->c, DIAG_LOSS_MESH, undrawn, "", "has no place for meshes that no node draws: %llu dropped",
            (unsigned long long)undrawn);
}

static void survey_meshes(survey *s, const inventory *i)
{
    if (!(s->can & STELE_NODES))
        survey_undrawn(s);
    report_without(s, STELE_NORMALS, DIAG_LOSS_NORMAL, i->normals, "normals");
    report_without(s, STELE_UVS, DIAG_LOSS_UV, i->uvs, "texture coordinates");
    report_without(s, STELE_COLORS, DIAG_LOSS_VERTEX_COLOR, i->colors, "vertex colours");
    report_without(s, STELE_TANGENTS, DIAG_LOSS_TANGENT, i->tangents, "tangents");
    report_without(s, STELE_MORPHS, DIAG_LOSS_MORPH, i->morphs, "morphs");
    report_without(s, STELE_TEXTURES, DIAG_LOSS_TEXTURE, s->model->texture_count, "textures");
    survey_materials(s);
    if (s->can & STELE_COLORS)
        survey_color_sets(s);
    if (s->can & STELE_MORPHS)
        survey_morphs(s);
    survey_nodes(s);
}

void st_save_report(context *c)
{
    survey s = {.c = c, .model = c->save->model, .can = c->save->capabilities};
    inventory i = take_inventory(s.model);
    find_joints(&s);
    report_without(&s, STELE_MESHES, DIAG_LOSS_MESH, s.model->mesh_count, "meshes");
    report_skeleton(&s, &i);
    if (s.can & STELE_MESHES) /* otherwise that says it all */
        survey_meshes(&s, &i);
    report_without(&s, STELE_ATTACHMENTS, DIAG_LOSS_ATTACHMENT, i.attachments, "attachments");
    if (s.can & STELE_ANIMATION)
        survey_clips(&s);
    survey_names(&s);
    survey_all_properties(&s);
    report(&s);
}
