#include "exports.h"

static void put_index(json *j, const char *key, uint32_t index)
{
    if (index == STELE_NONE)
        json_null(j, key);
    else
        json_uint(j, key, index);
}

static void put_floats(json *j, const char *key, const float *values, size_t count)
{
    if (!values) {
        json_null(j, key);
        return;
    }
    json_open(j, key, '[');
    for (size_t i = 0; i < count; i++)
        json_number(j, NULL, (double)values[i], true);
    json_close(j, ']');
}

/* null where there are no rows. */
static void put_view(json *j, const char *key, const stele_view *view)
{
    if (!view->count) {
        json_null(j, key);
        return;
    }
    json_open(j, key, '{');
    json_uint(j, "data", (uintptr_t)view->data);
    json_uint(j, "count", view->count);
    json_uint(j, "stride", view->stride);
    json_uint(j, "components", view->components);
    json_string(j, "type", stele_type_name(view->type));
    json_bool(j, "normalized", view->normalized);
    json_close(j, '}');
}

static void put_properties(json *j, const stele_properties *properties)
{
    json_open(j, "properties", '{');
    for (size_t i = 0; i < properties->count; i++) {
        const stele_property *p = &properties->items[i];
        if (p->text)
            json_string(j, p->key, p->text);
        else if (p->json)
            json_literal(j, p->key, p->json);
        else {
            json_open(j, p->key, '[');
            for (size_t k = 0; k < p->number_count; k++)
                json_number(j, NULL, p->numbers[k], false);
            json_close(j, ']');
        }
    }
    json_close(j, '}');
}

static void put_node(json *j, const stele_model *model, const stele_node *n)
{
    size_t weights = n->mesh != STELE_NONE && n->weights && model->meshes[n->mesh].primitive_count
                         ? model->meshes[n->mesh].primitives[0].morph_count
                         : 0;
    json_open(j, NULL, '{');
    json_string(j, "name", n->name);
    put_index(j, "parent", n->parent);
    put_floats(j, "translation", n->local.translation, 3);
    put_floats(j, "rotation", n->local.rotation, 4);
    put_floats(j, "scale", n->local.scale, 3);
    put_floats(j, "matrix", n->matrix, 16);
    put_index(j, "mesh", n->mesh);
    put_index(j, "skin", n->skin);
    put_floats(j, "weights", n->weights, weights);
    json_bool(j, "attachment", n->attachment);
    put_properties(j, &n->properties);
    json_close(j, '}');
}

static void put_attribute(json *j, const stele_attribute *a)
{
    static const char *const names[] = {"position", "normal", "tangent", "uv", "color", "joints", "weights"};
    json_open(j, NULL, '{');
    json_string(j, "semantic", names[a->semantic]);
    json_uint(j, "set", a->set);
    put_view(j, "view", &a->view);
    json_close(j, '}');
}

static void put_morph(json *j, const stele_morph *m)
{
    json_open(j, NULL, '{');
    json_string(j, "name", m->name);
    put_view(j, "vertices", &m->vertices);
    put_view(j, "position", &m->position);
    put_view(j, "normal", &m->normal);
    put_view(j, "tangent", &m->tangent);
    json_close(j, '}');
}

static void put_primitive(json *j, const stele_primitive *p)
{
    static const char *const topologies[] = {"triangles", "lines", "points"};
    json_open(j, NULL, '{');
    json_string(j, "topology", topologies[p->topology]);
    json_uint(j, "vertexCount", p->vertex_count);
    json_open(j, "attributes", '[');
    for (size_t i = 0; i < p->attribute_count; i++)
        put_attribute(j, &p->attributes[i]);
    json_close(j, ']');
    put_view(j, "indices", &p->indices);
    put_index(j, "material", p->material);
    json_open(j, "morphs", '[');
    for (size_t i = 0; i < p->morph_count; i++)
        put_morph(j, &p->morphs[i]);
    json_close(j, ']');
    put_properties(j, &p->properties);
    json_close(j, '}');
}

static void put_mesh(json *j, const stele_mesh *m)
{
    json_open(j, NULL, '{');
    json_string(j, "name", m->name);
    json_open(j, "primitives", '[');
    for (size_t i = 0; i < m->primitive_count; i++)
        put_primitive(j, &m->primitives[i]);
    json_close(j, ']');
    put_floats(j, "weights", m->weights, m->primitive_count ? m->primitives[0].morph_count : 0);
    put_properties(j, &m->properties);
    json_close(j, '}');
}

static void put_skin(json *j, const stele_skin *s)
{
    json_open(j, NULL, '{');
    json_string(j, "name", s->name);
    json_open(j, "joints", '[');
    for (size_t i = 0; i < s->joint_count; i++)
        json_uint(j, NULL, s->joints[i]);
    json_close(j, ']');
    put_view(j, "inverseBind", &s->inverse_bind);
    put_index(j, "skeleton", s->skeleton);
    put_properties(j, &s->properties);
    json_close(j, '}');
}

static void put_channel(json *j, const stele_channel *c)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
    static const char *const ways[] = {"linear", "step", "cubic"};
    json_open(j, NULL, '{');
    json_uint(j, "node", c->node);
    json_string(j, "path", paths[c->path]);
    json_string(j, "interpolation", ways[c->interpolation]);
    put_view(j, "times", &c->times);
    put_view(j, "values", &c->values);
    json_close(j, '}');
}

static void put_clip(json *j, const stele_clip *c)
{
    json_open(j, NULL, '{');
    json_string(j, "name", c->name);
    json_number(j, "duration", c->duration, false);
    json_open(j, "channels", '[');
    for (size_t i = 0; i < c->channel_count; i++)
        put_channel(j, &c->channels[i]);
    json_close(j, ']');
    put_properties(j, &c->properties);
    json_close(j, '}');
}

static void put_texture_use(json *j, stele_role role, const stele_texture_use *use)
{
    json_open(j, NULL, '{');
    json_string(j, "role", stele_role_name(role));
    json_uint(j, "texture", use->texture);
    json_uint(j, "uvSet", use->uv_set);
    json_number(j, "strength", (double)use->strength, true);
    put_floats(j, "offset", use->offset, 2);
    json_number(j, "rotation", (double)use->rotation, true);
    put_floats(j, "scale", use->scale, 2);
    json_close(j, '}');
}

static void put_material(json *j, const stele_material *m)
{
    static const char *const modes[] = {"opaque", "mask", "blend"};
    json_open(j, NULL, '{');
    json_string(j, "name", m->name);
    put_floats(j, "baseColor", m->base_color, 4);
    json_number(j, "metallic", (double)m->metallic, true);
    json_number(j, "roughness", (double)m->roughness, true);
    put_floats(j, "emissive", m->emissive, 3);
    json_number(j, "emissiveStrength", (double)m->emissive_strength, true);
    json_number(j, "specular", (double)m->specular, true);
    put_floats(j, "specularColor", m->specular_color, 3);
    json_open(j, "textures", '[');
    for (stele_role role = 0; role < STELE_ROLE_COUNT; role++)
        if (m->textures[role].texture != STELE_NONE)
            put_texture_use(j, role, &m->textures[role]);
    json_close(j, ']');
    json_string(j, "alphaMode", modes[m->alpha_mode]);
    json_number(j, "alphaCutoff", (double)m->alpha_cutoff, true);
    json_bool(j, "doubleSided", m->double_sided);
    json_bool(j, "unlit", m->unlit);
    put_properties(j, &m->properties);
    json_close(j, '}');
}

static void put_texture(json *j, const stele_texture *t)
{
    stele_view bytes = {.data = t->data, .count = t->size, .stride = 1, .components = 1, .type = STELE_U8};
    json_open(j, NULL, '{');
    json_string(j, "name", t->name);
    json_string(j, "file", t->file);
    if (t->data)
        put_view(j, "data", &bytes);
    else
        json_null(j, "data");
    json_string(j, "mimeType", t->mime_type);
    json_uint(j, "wrapU", t->wrap_u);
    json_uint(j, "wrapV", t->wrap_v);
    json_uint(j, "magFilter", t->mag_filter);
    json_uint(j, "minFilter", t->min_filter);
    put_properties(j, &t->properties);
    json_close(j, '}');
}

#define PUT_ALL(j, key, count, each)                                                                                           \
    do {                                                                                                                       \
        json_open(j, key, '[');                                                                                                \
        for (size_t i = 0; i < (count); i++)                                                                                   \
            each;                                                                                                              \
        json_close(j, ']');                                                                                                    \
    } while (0)

void json_model(json *j, const stele_model *m)
{
    json_open(j, "model", '{');
    json_string(j, "name", m->name);
    PUT_ALL(j, "nodes", m->node_count, put_node(j, m, &m->nodes[i]));
    PUT_ALL(j, "order", m->node_count, json_uint(j, NULL, m->order[i]));
    PUT_ALL(j, "meshes", m->mesh_count, put_mesh(j, &m->meshes[i]));
    PUT_ALL(j, "skins", m->skin_count, put_skin(j, &m->skins[i]));
    PUT_ALL(j, "clips", m->clip_count, put_clip(j, &m->clips[i]));
    PUT_ALL(j, "materials", m->material_count, put_material(j, &m->materials[i]));
    PUT_ALL(j, "textures", m->texture_count, put_texture(j, &m->textures[i]));
    put_properties(j, &m->properties);
    json_close(j, '}');
}
