/* Building a model: growing arrays in the handle's arena. */
#include "build.h"

#include "base/bytes.h"
#include "base/order.h"
#include "base/scan.h"

/* ---- Growing ---- */

/* Arrays double when their count is a power of two: nobody needs to keep a capacity. */
static void *grown(arena *a, const void *items, size_t count, size_t item_size)
{
    bool full = (count & (count - 1)) == 0;
    if (count >= STELE_NONE)
        return NULL;
    if (!full)
        return (void *)items;
    void *larger = st_arena_array(a, count ? 2 * (uint64_t)count : 1, item_size);
    if (larger && count)
        memcpy(larger, items, count * item_size);
    return larger;
}

void *st_model_room(arena *a, uint64_t count, size_t item_size)
{
    uint64_t room = 1;
    while (room < count)
        room *= 2;
    return st_arena_array(a, room, item_size);
}

/* Appends an item; false without memory, also if only a part of the item could not be copied: nothing is left half made. */
static bool append(arena *a, void *items, size_t *count, const void *item, size_t item_size)
{
    void *old;
    if (a->failed)
        return false;
    memcpy(&old, items, sizeof old);
    uint8_t *larger = grown(a, old, *count, item_size);
    if (!larger)
        return false;
    memcpy(larger + *count * item_size, item, item_size);
    memcpy(items, &larger, sizeof larger);
    ++*count;
    return true;
}

static void *copied(arena *a, const void *items, size_t count, size_t item_size)
{
    void *copy = items && count ? st_arena_array(a, count, item_size) : NULL;
    if (copy)
        memcpy(copy, items, count * item_size);
    return copy;
}

static const char *copied_text(arena *a, const char *text)
{
    return text ? st_arena_text(a, text, strlen(text)) : NULL;
}

/* ---- Properties ---- */

void st_property_set(stele_properties *p, arena *a, stele_property property)
{
    property.key = copied_text(a, property.key);
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->items[i].key, property.key) == 0) {
            ((stele_property *)p->items)[i] = property;
            return;
        }
    append(a, &p->items, &p->count, &property, sizeof property);
}

void st_property_text(stele_properties *p, arena *a, const char *key, const char *text)
{
    st_property_set(p, a, (stele_property){.key = key, .text = copied_text(a, text)});
}

void st_property_numbers(stele_properties *p, arena *a, const char *key, const double *numbers, size_t count)
{
    double *copy = st_arena_array(a, count, sizeof *copy);
    if (copy && count)
        memcpy(copy, numbers, count * sizeof *copy);
    if (copy)
        st_property_set(p, a, (stele_property){.key = key, .numbers = copy, .number_count = count});
}

void st_property_number(stele_properties *p, arena *a, const char *key, double number)
{
    st_property_numbers(p, a, key, &number, 1);
}

const stele_property *stele_find_property(const stele_properties *properties, const char *key)
{
    for (size_t i = 0; properties && key && i < properties->count; i++)
        if (strcmp(properties->items[i].key, key) == 0)
            return &properties->items[i];
    return NULL;
}

const char *st_property_text_of(const stele_properties *p, const char *key)
{
    const stele_property *found = stele_find_property(p, key);
    return found ? found->text : NULL;
}

double st_property_number_of(const stele_properties *p, const char *key, double otherwise)
{
    const stele_property *found = stele_find_property(p, key);
    return found && found->number_count ? found->numbers[0] : otherwise;
}

static stele_properties copied_properties(arena *a, const stele_properties *p)
{
    stele_properties copy = {0};
    for (size_t i = 0; i < p->count; i++) {
        stele_property one = p->items[i];
        one.text = copied_text(a, one.text);
        one.json = copied_text(a, one.json);
        one.numbers = copied(a, one.numbers, one.number_count, sizeof *one.numbers);
        st_property_set(&copy, a, one);
    }
    return copy;
}

/* ---- Adding ---- */

uint32_t st_model_add_node(stele_model *model, arena *a, const stele_node *node)
{
    stele_node copy = *node;
    copy.name = copied_text(a, node->name);
    copy.matrix = copied(a, node->matrix, 16, sizeof *node->matrix);
    copy.weights = NULL; /* how many there are, only the mesh knows */
    if (node->weights && node->mesh < model->mesh_count && model->meshes[node->mesh].primitive_count)
        copy.weights = copied(a, node->weights, model->meshes[node->mesh].primitives[0].morph_count, sizeof *node->weights);
    copy.properties = copied_properties(a, &node->properties);
    return append(a, &model->nodes, &model->node_count, &copy, sizeof copy) ? (uint32_t)(model->node_count - 1) : STELE_NONE;
}

static void copy_primitive(arena *a, stele_primitive *p)
{
    stele_attribute *attributes = copied(a, p->attributes, p->attribute_count, sizeof *p->attributes);
    for (size_t i = 0; attributes && i < p->attribute_count; i++)
        if (attributes[i].view.count > p->vertex_count)
            attributes[i].view.count = p->vertex_count; /* rows of no vertex: nobody may go by their number */
    p->attributes = attributes;
    stele_morph *morphs = copied(a, p->morphs, p->morph_count, sizeof *p->morphs);
    for (size_t i = 0; morphs && i < p->morph_count; i++)
        morphs[i].name = copied_text(a, morphs[i].name);
    p->morphs = morphs;
    p->properties = copied_properties(a, &p->properties);
}

uint32_t st_model_add_mesh(stele_model *model, arena *a, const stele_mesh *mesh)
{
    stele_mesh copy = *mesh;
    copy.name = copied_text(a, mesh->name);
    stele_primitive *primitives = copied(a, mesh->primitives, mesh->primitive_count, sizeof *mesh->primitives);
    for (size_t i = 0; primitives && i < mesh->primitive_count; i++)
        copy_primitive(a, &primitives[i]);
    copy.primitives = primitives;
    if (mesh->primitive_count)
        copy.weights = copied(a, mesh->weights, mesh->primitives[0].morph_count, sizeof *mesh->weights);
    copy.properties = copied_properties(a, &mesh->properties);
    return append(a, &model->meshes, &model->mesh_count, &copy, sizeof copy) ? (uint32_t)(model->mesh_count - 1) : STELE_NONE;
}

uint32_t st_model_add_skin(stele_model *model, arena *a, const stele_skin *skin)
{
    stele_skin copy = *skin;
    copy.name = copied_text(a, skin->name);
    copy.joints = copied(a, skin->joints, skin->joint_count, sizeof *skin->joints);
    copy.properties = copied_properties(a, &skin->properties);
    return append(a, &model->skins, &model->skin_count, &copy, sizeof copy) ? (uint32_t)(model->skin_count - 1) : STELE_NONE;
}

uint32_t st_model_add_clip(stele_model *model, arena *a, const stele_clip *clip)
{
    stele_clip copy = *clip;
    copy.name = copied_text(a, clip->name);
    copy.channels = copied(a, clip->channels, clip->channel_count, sizeof *clip->channels);
    copy.properties = copied_properties(a, &clip->properties);
    copy.duration = 0;
    for (size_t i = 0; i < clip->channel_count; i++) {
        const stele_view *times = &clip->channels[i].times;
        if (times->count)
            copy.duration = greater(copy.duration, stele_view_number(times, times->count - 1, 0));
    }
    return append(a, &model->clips, &model->clip_count, &copy, sizeof copy) ? (uint32_t)(model->clip_count - 1) : STELE_NONE;
}

uint32_t st_model_add_material(stele_model *model, arena *a, const stele_material *material)
{
    stele_material copy = *material;
    copy.name = copied_text(a, material->name);
    copy.properties = copied_properties(a, &material->properties);
    return append(a, &model->materials, &model->material_count, &copy, sizeof copy) ? (uint32_t)(model->material_count - 1)
                                                                                    : STELE_NONE;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_texture(const stele_texture *a, const stele_texture *b)
{
    return same_text(a->name, b->name) && same_text(a->file, b->file) && a->data == b->data && a->size == b->size &&
           a->wrap_u == b->wrap_u && a->wrap_v == b->wrap_v && a->mag_filter == b->mag_filter &&
           a->min_filter == b->min_filter && !a->properties.count && !b->properties.count;
}

uint32_t st_model_add_texture(stele_model *model, arena *a, const stele_texture *texture)
{
    enum { MOST_COMPARED = 1024 }; /* a hostile file may have a million */
    stele_texture copy = *texture;
    for (size_t i = 0; i < model->texture_count && i < MOST_COMPARED; i++)
        if (same_texture(&model->textures[i], texture))
            return (uint32_t)i;
    copy.name = copied_text(a, texture->name);
    copy.file = copied_text(a, texture->file);
    copy.mime_type = copied_text(a, texture->mime_type);
    copy.properties = copied_properties(a, &texture->properties);
    return append(a, &model->textures, &model->texture_count, &copy, sizeof copy) ? (uint32_t)(model->texture_count - 1)
                                                                                  : STELE_NONE;
}

stele_node stele_default_node(void)
{
    return (stele_node){
        .parent = STELE_NONE, .local = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}, .mesh = STELE_NONE, .skin = STELE_NONE};
}

stele_texture_use stele_default_texture_use(void)
{
    return (stele_texture_use){.texture = STELE_NONE, .strength = 1, .scale = {1, 1}};
}

stele_material stele_default_material(void)
{
    stele_material m = {.base_color = {1, 1, 1, 1},
                        .roughness = 1,
                        .emissive_strength = 1,
                        .specular = 1,
                        .specular_color = {1, 1, 1},
                        .alpha_cutoff = 0.5f};
    for (int role = 0; role < STELE_ROLE_COUNT; role++)
        m.textures[role] = stele_default_texture_use();
    return m;
}

const char *stele_role_name(stele_role role)
{
    static const char *const names[STELE_ROLE_COUNT] = {[STELE_ROLE_BASE_COLOR] = "base color",
                                                        [STELE_ROLE_NORMAL] = "normal map",
                                                        [STELE_ROLE_METALLIC_ROUGHNESS] = "metallic and roughness",
                                                        [STELE_ROLE_OCCLUSION] = "occlusion",
                                                        [STELE_ROLE_EMISSIVE] = "emission",
                                                        [STELE_ROLE_SPECULAR] = "specular",
                                                        [STELE_ROLE_SPECULAR_COLOR] = "specular color"};
    return (unsigned)role < STELE_ROLE_COUNT ? names[role] : NULL;
}

/* ---- Finishing ---- */

/* Parents first: a node is placed when its chain of unplaced parents has been. */
static bool order_nodes(stele_model *model, arena *a)
{
    size_t count = model->node_count, placed = 0;
    uint32_t *order = st_arena_array(a, count, sizeof *order), *chain = st_arena_array(a, count, sizeof *chain);
    uint8_t *state = st_arena_alloc(a, count); /* 1: in the chain, 2: placed */
    if (!order || !chain || !state)
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        for (uint32_t n = (uint32_t)i; n != STELE_NONE && state[n] != 2; n = model->nodes[n].parent) {
            if (state[n] == 1)
                return false;
            state[n] = 1;
            chain[length++] = n;
        }
        while (length) {
            state[chain[--length]] = 2;
            order[placed++] = chain[length];
        }
    }
    model->order = order;
    return true;
}

/* False without memory for as many weights as there are. */
static bool place_weights(stele_model *model, arena *a)
{
    size_t *first = st_arena_array(a, model->node_count, sizeof *first), count = 0;
    for (size_t i = 0; first && i < model->node_count; i++) {
        const stele_mesh *mesh = model->nodes[i].mesh == STELE_NONE ? NULL : &model->meshes[model->nodes[i].mesh];
        size_t more = mesh && mesh->primitive_count ? mesh->primitives[0].morph_count : 0;
        first[i] = count;
        if (more > SIZE_MAX / sizeof(float) - count)
            return false;
        count += more;
    }
    model->first_weight = first;
    model->weight_count = count;
    return first;
}

static bool refers(uint32_t index, size_t count)
{
    return index == STELE_NONE || index < count;
}

static bool mesh_refers(const stele_model *model, const stele_mesh *mesh)
{
    for (size_t i = 0; i < mesh->primitive_count; i++)
        if (!refers(mesh->primitives[i].material, model->material_count))
            return false;
    return true;
}

static bool material_refers(const stele_model *model, const stele_material *m)
{
    for (int role = 0; role < STELE_ROLE_COUNT; role++)
        if (!refers(m->textures[role].texture, model->texture_count))
            return false;
    return true;
}

static const char *find_dangling(const stele_model *model)
{
    for (size_t i = 0; i < model->node_count; i++) {
        const stele_node *n = &model->nodes[i];
        if (!refers(n->parent, model->node_count) || !refers(n->mesh, model->mesh_count) || !refers(n->skin, model->skin_count))
            return "a node's parent, mesh or skin is not there";
    }
    for (size_t i = 0; i < model->mesh_count; i++)
        if (!mesh_refers(model, &model->meshes[i]))
            return "the material of a primitive is not there";
    for (size_t i = 0; i < model->material_count; i++)
        if (!material_refers(model, &model->materials[i]))
            return "the texture of a material is not there";
    for (size_t i = 0; i < model->skin_count; i++)
        for (size_t k = 0; k < model->skins[i].joint_count; k++)
            if (model->skins[i].joints[k] >= model->node_count)
                return "the joint of a skin is not there";
    for (size_t i = 0; i < model->clip_count; i++)
        for (size_t k = 0; k < model->clips[i].channel_count; k++)
            if (model->clips[i].channels[k].node >= model->node_count)
                return "the node of a channel is not there";
    return NULL;
}

bool st_model_finish(stele_model *model, arena *a, const char **problem)
{
    /* without memory something that was added may have been left half copied */
    *problem = a->failed ? NULL : find_dangling(model);
    if (!*problem && !place_weights(model, a))
        *problem = "there is not enough memory within the limit";
    if (!*problem && (a->failed || !order_nodes(model, a)))
        *problem = "nodes are their own ancestors";
    return !*problem;
}

uint32_t *st_model_drawn(const stele_model *model, arena *a, size_t *count)
{
    size_t *start = st_arena_array(a, (uint64_t)model->mesh_count + 1, sizeof *start);
    uint32_t *nodes = st_arena_array(a, model->node_count, sizeof *nodes);
    *count = 0;
    if (!start || !nodes)
        return NULL;
    for (size_t i = 0; i < model->node_count; i++)
        if (model->nodes[i].mesh != STELE_NONE) {
            start[model->nodes[i].mesh + 1]++;
            ++*count;
        }
    for (size_t i = 0; i < model->mesh_count; i++)
        start[i + 1] += start[i];
    for (uint32_t i = 0; i < model->node_count; i++)
        if (model->nodes[i].mesh != STELE_NONE)
            nodes[start[model->nodes[i].mesh]++] = i;
    return nodes;
}

bool st_model_has_normals(const stele_model *model)
{
    for (size_t i = 0; i < model->mesh_count; i++)
        for (size_t k = 0; k < model->meshes[i].primitive_count; k++)
            if (stele_primitive_view(&model->meshes[i].primitives[k], STELE_NORMAL, 0))
                return true;
    return false;
}
