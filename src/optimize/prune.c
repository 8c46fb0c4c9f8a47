/* Materials and textures that nothing uses. Those that stay keep their order, not their numbers. */
#include "optimize.h"

/* The new number of each that is used; *count is how many are. */
static void number(uint32_t *to, size_t count, size_t *kept)
{
    *kept = 0;
    for (size_t i = 0; i < count; i++)
        to[i] = to[i] ? (uint32_t)(*kept)++ : STELE_NONE;
}

static bool prune_materials(arena *a, stele_model *model)
{
    size_t kept;
    stele_material *materials = (stele_material *)model->materials;
    uint32_t *to = st_arena_array(a, model->material_count, sizeof *to);
    if (!to)
        return false;
    for (size_t i = 0; i < model->mesh_count; i++)
        for (size_t k = 0; k < model->meshes[i].primitive_count; k++)
            if (model->meshes[i].primitives[k].material != STELE_NONE)
                to[model->meshes[i].primitives[k].material] = 1;
    number(to, model->material_count, &kept);
    for (size_t i = 0; i < model->mesh_count; i++)
        for (size_t k = 0; k < model->meshes[i].primitive_count; k++) {
            stele_primitive *p = (stele_primitive *)&model->meshes[i].primitives[k];
            if (p->material != STELE_NONE)
                p->material = to[p->material];
        }
    for (size_t i = 0; i < model->material_count; i++)
        if (to[i] != STELE_NONE)
            materials[to[i]] = materials[i];
    model->material_count = kept;
    return true;
}

static bool prune_textures(arena *a, stele_model *model)
{
    size_t kept;
    stele_texture *textures = (stele_texture *)model->textures;
    uint32_t *to = st_arena_array(a, model->texture_count, sizeof *to);
    if (!to)
        return false;
    for (size_t i = 0; i < model->material_count; i++)
        for (int role = 0; role < STELE_ROLE_COUNT; role++)
            if (model->materials[i].textures[role].texture != STELE_NONE)
                to[model->materials[i].textures[role].texture] = 1;
    number(to, model->texture_count, &kept);
    for (size_t i = 0; i < model->material_count; i++)
        for (int role = 0; role < STELE_ROLE_COUNT; role++) {
            stele_texture_use *use = (stele_texture_use *)&model->materials[i].textures[role];
            if (use->texture != STELE_NONE)
                use->texture = to[use->texture];
        }
    for (size_t i = 0; i < model->texture_count; i++)
        if (to[i] != STELE_NONE)
            textures[to[i]] = textures[i];
    model->texture_count = kept;
    return true;
}

bool st_prune(arena *a, stele_model *model)
{
    return prune_materials(a, model) && prune_textures(a, model);
}
