/* Whether a model that a program made holds together: what files are checked for before they become one. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/scan.h"
#include "validate.h"
#include "view.h"

static bool view_is_sound(const stele_view *v)
{
    bool number = v->type == STELE_F32 || v->type == STELE_U32 || v->type == STELE_U16 || v->type == STELE_I16 ||
                  v->type == STELE_U8 || v->type == STELE_I8;
    bool shape = (v->components >= 1 && v->components <= 4) || v->components == 16;
    return !v->count || (v->data && number && shape);
}

/* ---- Each part by itself ---- */

static const char nothing[] = "nothing is given";
static const char no_items[] = "an array has a count, but no items";
static const char no_view[] = "a view has no data, is not of numbers, or has rows of a length that there is not";
static const char no_value[] = "a value is none of its enumeration";
static const char no_property[] = "a property has no key, or more than one of text, json and numbers";
static const char no_json[] = "the json of a property is no JSON";

static const char *first_of(const char *a, const char *b)
{
    return a ? a : b;
}

/* It becomes part of a document as it is. */
static bool json_is_sound(arena *a, const char *text)
{
    json j;
    json_failure failure;
    arena_mark mark = st_arena_mark(a);
    bool sound = st_json_parse(&j, a, (const uint8_t *)text, strlen(text), &failure) || failure.problem == JSON_NO_MEMORY;
    st_arena_rewind(a, mark);
    return sound;
}

static const char *problem_of_properties(arena *a, const stele_properties *p)
{
    if (p->count && !p->items)
        return no_items;
    for (size_t i = 0; i < p->count; i++) {
        const stele_property *one = &p->items[i];
        if (!one->key || !one->text + !one->json + !one->numbers < 2)
            return no_property;
        if (one->json && !json_is_sound(a, one->json))
            return no_json;
    }
    return NULL;
}

const char *st_node_problem(arena *a, const stele_node *node)
{
    return node ? problem_of_properties(a, &node->properties) : nothing;
}

static const char *problem_of_parts(arena *a, const stele_primitive *p)
{
    if ((unsigned)p->topology > STELE_POINTS)
        return no_value;
    if ((p->attribute_count && !p->attributes) || (p->morph_count && !p->morphs))
        return no_items;
    for (size_t i = 0; i < p->attribute_count; i++)
        if ((unsigned)p->attributes[i].semantic > STELE_WEIGHTS)
            return no_value;
        else if (!view_is_sound(&p->attributes[i].view))
            return no_view;
    for (size_t i = 0; i < p->morph_count; i++) {
        const stele_morph *m = &p->morphs[i];
        if (!view_is_sound(&m->vertices) || !view_is_sound(&m->position) || !view_is_sound(&m->normal) ||
            !view_is_sound(&m->tangent))
            return no_view;
    }
    return view_is_sound(&p->indices) ? problem_of_properties(a, &p->properties) : no_view;
}

const char *st_mesh_problem(arena *a, const stele_mesh *mesh)
{
    const char *problem = NULL;
    if (!mesh)
        return nothing;
    if (mesh->primitive_count && !mesh->primitives)
        return no_items;
    for (size_t i = 0; i < mesh->primitive_count && !problem; i++)
        problem = problem_of_parts(a, &mesh->primitives[i]);
    return first_of(problem, problem_of_properties(a, &mesh->properties));
}

const char *st_skin_problem(arena *a, const stele_skin *skin)
{
    if (!skin)
        return nothing;
    if (skin->joint_count && !skin->joints)
        return no_items;
    return view_is_sound(&skin->inverse_bind) ? problem_of_properties(a, &skin->properties) : no_view;
}

const char *st_clip_problem(arena *a, const stele_clip *clip)
{
    if (!clip)
        return nothing;
    if (clip->channel_count && !clip->channels)
        return no_items;
    for (size_t i = 0; i < clip->channel_count; i++) {
        const stele_channel *c = &clip->channels[i];
        if ((unsigned)c->path > STELE_MORPH_WEIGHTS || (unsigned)c->interpolation > STELE_CUBIC)
            return no_value;
        if (!view_is_sound(&c->times) || !view_is_sound(&c->values))
            return no_view;
    }
    return problem_of_properties(a, &clip->properties);
}

const char *st_material_problem(arena *a, const stele_material *material)
{
    if (!material)
        return nothing;
    return (unsigned)material->alpha_mode > STELE_BLEND ? no_value : problem_of_properties(a, &material->properties);
}

const char *st_texture_problem(arena *a, const stele_texture *texture)
{
    if (!texture)
        return nothing;
    return texture->size && !texture->data ? no_items : problem_of_properties(a, &texture->properties);
}

/* ---- All of them together ---- */

static bool attribute_is_sound(const stele_attribute *a, uint64_t vertex_count)
{
    static const struct {
        uint32_t least, most;
    } components[] = {[STELE_POSITION] = {3, 3}, [STELE_NORMAL] = {3, 3}, [STELE_TANGENT] = {4, 4}, [STELE_UV] = {2, 2},
                      [STELE_COLOR] = {3, 4},    [STELE_JOINTS] = {4, 4}, [STELE_WEIGHTS] = {4, 4}};
    bool counts = a->view.type == STELE_U8 || a->view.type == STELE_U16 || a->view.type == STELE_U32;
    if (a->semantic == STELE_JOINTS && a->view.count && !counts)
        return false; /* it is an index */
    return a->semantic <= STELE_WEIGHTS && view_is_sound(&a->view) && a->view.count >= vertex_count &&
           a->view.components >= components[a->semantic].least && a->view.components <= components[a->semantic].most;
}

static bool indices_are_sound(const stele_view *indices, uint64_t limit)
{
    bool type = indices->type == STELE_U8 || indices->type == STELE_U16 || indices->type == STELE_U32;
    if (indices->count && (!indices->data || !type || indices->components != 1))
        return false;
    return !st_scan_beyond_rows(indices->data, indices->count, indices->stride, 1, indices->type, limit);
}

static bool morph_is_sound(const stele_morph *m, uint64_t vertex_count)
{
    const stele_view *deltas[] = {&m->position, &m->normal, &m->tangent};
    uint64_t rows = m->vertices.count ? m->vertices.count : vertex_count;
    for (size_t i = 0; i < 3; i++)
        if (deltas[i]->count && (!view_is_sound(deltas[i]) || deltas[i]->components != 3 || deltas[i]->count != rows))
            return false;
    return indices_are_sound(&m->vertices, vertex_count);
}

static const char *problem_of_primitive(const stele_primitive *p)
{
    for (size_t i = 0; i < p->attribute_count; i++)
        if (!attribute_is_sound(&p->attributes[i], p->vertex_count))
            return "an attribute has fewer rows than there are vertices, or not the numbers that it should have";
    if (p->vertex_count && !stele_primitive_view(p, STELE_POSITION, 0))
        return "a primitive has no positions";
    if (!indices_are_sound(&p->indices, p->vertex_count))
        return "an index is beyond the vertices, or indices are no plain numbers";
    for (size_t i = 0; i < p->morph_count; i++)
        if (!morph_is_sound(&p->morphs[i], p->vertex_count))
            return "a morph has not as many rows as vertices, or moves one that is not there";
    return NULL;
}

static bool joints_are_there(const stele_primitive *p, size_t joint_count)
{
    for (size_t i = 0; i < p->attribute_count; i++) {
        const stele_view *joints = &p->attributes[i].view;
        for (uint64_t v = 0; p->attributes[i].semantic == STELE_JOINTS && v < p->vertex_count; v++)
            for (uint32_t k = 0; k < 4; k++)
                if (!(stele_view_number(joints, v, k) < (double)joint_count)) /* NaN is not */
                    return false;
    }
    return true;
}

static const char *problem_of_channel(const stele_model *model, const stele_channel *c)
{
    static const uint64_t numbers[] = {[STELE_TRANSLATION] = 3, [STELE_ROTATION] = 4, [STELE_SCALE] = 3};
    const stele_node *node = &model->nodes[c->node];
    uint64_t each = 0;
    if (c->path <= STELE_SCALE)
        each = numbers[c->path];
    else if (node->mesh != STELE_NONE && model->meshes[node->mesh].primitive_count)
        each = model->meshes[node->mesh].primitives[0].morph_count;
    uint64_t wanted = c->times.count * each * (c->interpolation == STELE_CUBIC ? 3 : 1);
    if (!each || !view_is_sound(&c->times) || !view_is_sound(&c->values) || c->times.components != 1 ||
        c->values.count * c->values.components < wanted)
        return "a channel has fewer values than its times need";
    for (uint64_t i = 0; i < c->times.count; i++) {
        double at = stele_view_number(&c->times, i, 0);
        if (!isfinite(at) || (i && at <= stele_view_number(&c->times, i - 1, 0)))
            return "the times of a channel do not increase";
    }
    return NULL;
}

const char *st_model_problem(const stele_model *model)
{
    for (size_t i = 0; i < model->mesh_count; i++)
        for (size_t k = 0; k < model->meshes[i].primitive_count; k++) {
            const char *problem = problem_of_primitive(&model->meshes[i].primitives[k]);
            if (problem)
                return problem;
            if (model->meshes[i].primitives[k].morph_count != model->meshes[i].primitives[0].morph_count)
                return "the primitives of a mesh have not all the same morphs";
        }
    for (size_t i = 0; i < model->skin_count; i++) {
        const stele_view *binds = &model->skins[i].inverse_bind;
        if (binds->count && (!view_is_sound(binds) || binds->components != 16 || binds->count < model->skins[i].joint_count))
            return "a skin has not a matrix for each joint";
    }
    for (size_t i = 0; i < model->node_count; i++) {
        const stele_node *node = &model->nodes[i];
        for (size_t k = 0;
             node->skin != STELE_NONE && node->mesh != STELE_NONE && k < model->meshes[node->mesh].primitive_count; k++)
            if (!joints_are_there(&model->meshes[node->mesh].primitives[k], model->skins[node->skin].joint_count))
                return "a vertex refers to a joint beyond those of its skin";
    }
    for (size_t i = 0; i < model->clip_count; i++)
        for (size_t k = 0; k < model->clips[i].channel_count; k++) {
            const char *problem = problem_of_channel(model, &model->clips[i].channels[k]);
            if (problem)
                return problem;
        }
    return NULL;
}
