/* A summary of a model. */
#include <string.h>

#include "ops.h"

static const char *attribute_name(arena *a, const stele_attribute *attribute)
{
    static const char *const names[] = {
        [STELE_POSITION] = "position", [STELE_NORMAL] = "normal", [STELE_TANGENT] = "tangent", [STELE_UV] = "uv",
        [STELE_COLOR] = "color",       [STELE_JOINTS] = "joints", [STELE_WEIGHTS] = "weights"};
    const char *name = names[attribute->semantic];
    bool numbered = attribute->set || attribute->semantic == STELE_UV;
    return numbered ? st_arena_format(a, "%s%u", name, attribute->set) : name;
}

static void describe_primitive(const stele_primitive *p, arena *a, stele_mesh_info *info)
{
    const char **attributes = st_arena_array(a, p->attribute_count, sizeof *attributes);
    const stele_view *position = stele_primitive_view(p, STELE_POSITION, 0);
    for (size_t i = 0; attributes && i < p->attribute_count; i++)
        attributes[i] = attribute_name(a, &p->attributes[i]);
    *info = (stele_mesh_info){.vertices = p->vertex_count,
                              .indices = p->indices.count,
                              .triangles = st_triangle_count(p),
                              .material = p->material,
                              .attributes = attributes,
                              .attribute_count = attributes ? p->attribute_count : 0};
    if (position && st_work(a, position->count, 4))
        info->bounds = st_view_bounds(position);
}

static void describe_meshes(const stele_model *model, arena *a, stele_info *info)
{
    size_t count = 0;
    for (size_t i = 0; i < model->mesh_count; i++)
        count += model->meshes[i].primitive_count;
    stele_mesh_info *meshes = st_arena_array(a, count, sizeof *meshes);
    if (!meshes)
        return;
    info->meshes = meshes;
    for (size_t i = 0; i < model->mesh_count; i++) {
        const stele_mesh *mesh = &model->meshes[i];
        info->morphs += mesh->primitive_count ? mesh->primitives[0].morph_count : 0;
        for (size_t k = 0; k < mesh->primitive_count; k++) {
            describe_primitive(&mesh->primitives[k], a, &meshes[info->mesh_count]);
            st_bounds_add(&info->bounds, &meshes[info->mesh_count++].bounds);
        }
    }
}

static void describe_material(const stele_model *model, const stele_material *m, arena *a, stele_material_info *info)
{
    enum { COLORS = 2 };
    stele_texture_info *textures = st_arena_array(a, STELE_ROLE_COUNT, sizeof *textures);
    stele_color_info *colors = st_arena_array(a, COLORS, sizeof *colors);
    size_t count = 0;
    if (!textures || !colors)
        return;
    for (stele_role role = 0; role < STELE_ROLE_COUNT; role++) {
        const stele_texture_use *use = &m->textures[role];
        if (use->texture >= model->texture_count)
            continue;
        const stele_texture *t = &model->textures[use->texture];
        textures[count++] = (stele_texture_info){.name = t->name ? t->name : "",
                                                 .role = stele_role_name(role),
                                                 .found = t->data ? "(inside the file)" : t->file,
                                                 .uv_set = use->uv_set};
    }
    colors[0].role = "base color";
    memcpy(colors[0].rgba, m->base_color, sizeof m->base_color);
    colors[1] = (stele_color_info){"emission", {m->emissive[0], m->emissive[1], m->emissive[2], 1}};
    bool glows = m->emissive[0] != 0 || m->emissive[1] != 0 || m->emissive[2] != 0;
    *info = (stele_material_info){
        .textures = textures, .texture_count = count, .colors = colors, .color_count = glows ? COLORS : 1};
}

static void describe_clips(const stele_model *model, arena *a, stele_info *info)
{
    stele_clip_info *clips = st_arena_array(a, model->clip_count, sizeof *clips);
    info->clips = clips;
    for (size_t i = 0; clips && i < model->clip_count; i++) {
        const stele_clip *clip = &model->clips[i];
        clips[i] =
            (stele_clip_info){.name = clip->name ? clip->name : "", .seconds = clip->duration, .tracks = clip->channel_count};
        for (size_t k = 0; k < clip->channel_count; k++)
            clips[i].keys += clip->channels[k].times.count;
        info->clip_count++;
    }
}

void st_describe_model(const stele_model *model, arena *a, stele_info *info)
{
    describe_meshes(model, a, info);
    stele_material_info *materials = st_arena_array(a, model->material_count, sizeof *materials);
    info->materials = materials;
    for (size_t i = 0; materials && i < model->material_count; i++)
        describe_material(model, &model->materials[i], a, &materials[info->material_count++]);
    describe_clips(model, a, info);
    for (size_t i = 0; i < model->skin_count; i++)
        info->joints += model->skins[i].joint_count;
    if (model->skin_count)
        info->skeleton = model->skins[0].name ? model->skins[0].name : "";
    for (size_t i = 0; i < model->node_count; i++)
        info->attachments += model->nodes[i].attachment;
}
