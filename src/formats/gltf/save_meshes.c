/* Meshes of a model as glTF. */
#include <stdio.h>
#include <string.h>

#include "save.h"

/* The attributes of a primitive that are written, in the order of their names. Those without data are zeros. */
typedef struct attribute_list {
    stele_attribute items[MOST_ATTRIBUTES];
    size_t count;
} attribute_list;

static uint32_t components_of(stele_semantic semantic, const stele_view *v)
{
    switch (semantic) {
    case STELE_POSITION:
    case STELE_NORMAL: return 3;
    case STELE_UV: return 2;
    case STELE_COLOR: return v->components == 3 ? 3 : 4;
    default: return 4;
    }
}

static void take_attribute(writer *w, attribute_list *list, const stele_primitive *p, const stele_attribute *a, uint32_t set,
                           const char *path)
{
    stele_attribute taken = {.semantic = a->semantic, .set = set, .view = a->view};
    taken.view.count = p->vertex_count;
    if (list->count == MOST_ATTRIBUTES)
        st_gltf_refuse(w, path, "it has too many attributes");
    else if (a->view.count < p->vertex_count || a->view.components != components_of(a->semantic, &a->view))
        st_gltf_refuse(w, path, "an attribute has not one row of the right size for each vertex");
    else
        list->items[list->count++] = taken;
}

/* The attribute of a semantic with the least set from this one on; NULL: none. */
static const stele_attribute *next_set(const stele_primitive *p, stele_semantic semantic, uint32_t from)
{
    const stele_attribute *best = NULL;
    for (size_t i = 0; i < p->attribute_count; i++) {
        const stele_attribute *a = &p->attributes[i];
        if (a->semantic == semantic && a->set >= from && a->view.count && (!best || a->set < best->set))
            best = a;
    }
    return best;
}

/* All sets of a semantic, numbered as glTF wants them: from 0, without gaps. */
static void take_sets(writer *w, attribute_list *list, const stele_primitive *p, stele_semantic semantic, const char *path)
{
    uint32_t number = 0;
    for (const stele_attribute *a = next_set(p, semantic, 0); a && list->count < MOST_ATTRIBUTES;
         a = a->set < UINT32_MAX ? next_set(p, semantic, a->set + 1) : NULL)
        take_attribute(w, list, p, a, number++, path);
}

static void take_one(writer *w, attribute_list *list, const stele_primitive *p, stele_semantic semantic, const char *path)
{
    const stele_attribute *a = next_set(p, semantic, 0);
    if (a)
        take_attribute(w, list, p, a, 0, path);
}

/* How many sets of texture coordinates a material needs. */
static uint64_t needed_uv_sets(const stele_material *m)
{
    uint64_t needed = 0;
    for (int role = 0; role < STELE_ROLE_COUNT; role++) {
        const stele_texture_use *use = &m->textures[role];
        if (use->texture != STELE_NONE && use->uv_set + (uint64_t)1 > needed)
            needed = use->uv_set + (uint64_t)1;
    }
    return needed;
}

/* Sets keep their numbers, because materials know them by these. What a material needs and is not there is 0, 0: zeros without
 * bytes, by which the reader knows that they are not there. */
static void take_uvs(writer *w, attribute_list *list, const stele_primitive *p, const char *path)
{
    uint64_t sets = p->material == STELE_NONE ? 0 : needed_uv_sets(&w->model->materials[p->material]);
    for (const stele_attribute *a = next_set(p, STELE_UV, 0); a;
         a = a->set < UINT32_MAX ? next_set(p, STELE_UV, a->set + 1) : NULL)
        sets = a->set + (uint64_t)1 > sets ? a->set + (uint64_t)1 : sets;
    if (sets > MOST_ATTRIBUTES / 2) {
        st_gltf_refuse(w, path, "it has or needs too many sets of texture coordinates");
        return;
    }
    for (uint32_t set = 0; set < sets; set++) {
        const stele_attribute *a = next_set(p, STELE_UV, set);
        if (a && a->set == set)
            take_attribute(w, list, p, a, set, path);
        else if (list->count < MOST_ATTRIBUTES) {
            list->items[list->count++] = (stele_attribute){.semantic = STELE_UV, .set = set};
            st_lose(w->c, DIAG_UVS_MADE, p->vertex_count, path,
                    "needs texture coordinates for this material: set %u was made of zeros", set);
        }
    }
}

static void take_attributes(writer *w, attribute_list *list, const stele_primitive *p, bool skinned, const char *path)
{
    list->count = 0;
    take_one(w, list, p, STELE_POSITION, path);
    take_one(w, list, p, STELE_NORMAL, path);
    if (next_set(p, STELE_NORMAL, 0))
        take_one(w, list, p, STELE_TANGENT, path);
    else if (next_set(p, STELE_TANGENT, 0))
        st_lose(w->c, DIAG_TANGENTS_DROPPED, 1, path, "has no tangents without normals: dropped");
    take_uvs(w, list, p, path);
    take_sets(w, list, p, STELE_COLOR, path);
    if (skinned) {
        take_sets(w, list, p, STELE_JOINTS, path);
        take_sets(w, list, p, STELE_WEIGHTS, path);
    }
}

static const char *attribute_name(const stele_attribute *a, char name[32])
{
    static const char *const names[] = {"POSITION", "NORMAL", "TANGENT", "TEXCOORD_%u", "COLOR_%u", "JOINTS_%u", "WEIGHTS_%u"};
    if (a->semantic <= STELE_TANGENT)
        return names[a->semantic];
    snprintf(name, 32, names[a->semantic], a->set);
    return name;
}

/* Those with bytes first, for the packer; then all of them, by name. */
static void put_attributes(writer *w, const stele_primitive *p, const attribute_list *list, const char *path)
{
    stele_attribute with_bytes[MOST_ATTRIBUTES];
    uint32_t accessors[MOST_ATTRIBUTES] = {0};
    stele_primitive packed = {.vertex_count = p->vertex_count, .attributes = with_bytes};
    bool zeros[MOST_ATTRIBUTES];
    char name[32];
    for (size_t i = 0; i < list->count; i++) {
        zeros[i] = !list->items[i].view.count;
        if (!zeros[i])
            with_bytes[packed.attribute_count++] = list->items[i];
    }
    st_pack_attributes(&w->packer, &packed, path, accessors);
    st_put_object(&w->json, "attributes");
    for (size_t i = 0, next = 0; i < list->count; i++)
        st_put_uint(&w->json, attribute_name(&list->items[i], name),
                    zeros[i] ? st_pack_zeros(&w->packer, p->vertex_count, 2, false) : accessors[next++]);
    st_put_end_object(&w->json);
}

static void put_target(writer *w, const stele_primitive *p, const stele_morph *morph, const char *path)
{
    const struct {
        const char *name;
        stele_semantic base;
        const stele_view *view;
    } parts[] = {{"POSITION", STELE_POSITION, &morph->position},
                 {"NORMAL", STELE_NORMAL, &morph->normal},
                 {"TANGENT", STELE_TANGENT, &morph->tangent}};
    bool any = false;
    st_put_object(&w->json, NULL);
    for (size_t i = 0; i < 3; i++) {
        bool base = next_set(p, parts[i].base, 0) && (i != 2 || next_set(p, STELE_NORMAL, 0));
        if (!parts[i].view->count || !base)
            continue;
        st_put_uint(&w->json, parts[i].name, st_pack_morph(&w->packer, morph, parts[i].view, p->vertex_count, i == 0, path));
        any = true;
    }
    if (!any) /* a target without attributes is not allowed */
        st_put_uint(&w->json, "POSITION", st_pack_zeros(&w->packer, p->vertex_count, 3, true));
    st_put_end_object(&w->json);
}

static void put_primitive(writer *w, const stele_primitive *p, bool skinned, const char *path)
{
    attribute_list list;
    take_attributes(w, &list, p, skinned, path);
    st_put_object(&w->json, NULL);
    put_attributes(w, p, &list, path);
    if (p->indices.count)
        st_put_uint(&w->json, "indices", st_pack_indices(&w->packer, p, path));
    if (p->material != STELE_NONE)
        st_put_uint(&w->json, "material", p->material);
    if (p->topology != STELE_TRIANGLES)
        st_put_uint(&w->json, "mode", p->topology == STELE_LINES ? 1 : 0);
    if (p->morph_count) {
        st_put_array(&w->json, "targets");
        for (size_t i = 0; i < p->morph_count; i++)
            put_target(w, p, &p->morphs[i], path);
        st_put_end_array(&w->json);
    }
    st_gltf_put_extras(w, &p->properties, NULL, NULL);
    st_put_end_object(&w->json);
}

/* glTF has no names of morphs, but everybody keeps them here. */
static void put_mesh_extras(writer *w, const stele_mesh *mesh)
{
    const stele_primitive *first = &mesh->primitives[0];
    bool named = false;
    for (size_t i = 0; i < first->morph_count; i++)
        named |= first->morphs[i].name != NULL;
    if (!named) {
        st_gltf_put_extras(w, &mesh->properties, NULL, NULL);
        return;
    }
    st_put_object(&w->json, "extras");
    st_put_array(&w->json, "targetNames");
    for (size_t i = 0; i < first->morph_count; i++)
        st_put_string(&w->json, NULL, first->morphs[i].name ? first->morphs[i].name : "");
    st_put_end_array(&w->json);
    for (size_t i = 0; i < mesh->properties.count; i++)
        if (strcmp(mesh->properties.items[i].key, "targetNames") != 0)
            st_gltf_put_property(w, &mesh->properties.items[i]);
    st_put_end_object(&w->json);
}

static void put_mesh(writer *w, uint32_t index)
{
    const stele_mesh *mesh = &w->model->meshes[index];
    char path[WALK_PATH];
    st_put_object(&w->json, NULL);
    st_gltf_put_name(w, mesh->name);
    st_put_array(&w->json, "primitives");
    for (size_t i = 0; i < mesh->primitive_count; i++) {
        if (mesh->primitives[i].morph_count != morphs_of(mesh))
            st_gltf_refuse(w, st_path(path, "mesh[%u]", index), "its primitives have different numbers of morphs");
        if (st_gltf_drawn(&mesh->primitives[i]))
            put_primitive(w, &mesh->primitives[i], w->skinned[index],
                          st_path(path, "mesh[%u].primitive[%u]", index, (unsigned)i));
    }
    st_put_end_array(&w->json);
    if (mesh->weights && morphs_of(mesh))
        st_put_floats(&w->json, "weights", mesh->weights, morphs_of(mesh));
    put_mesh_extras(w, mesh);
    st_put_end_object(&w->json);
}

void st_gltf_put_meshes(writer *w)
{
    if (!w->mesh_count)
        return;
    st_put_array(&w->json, "meshes");
    for (uint32_t i = 0; i < w->model->mesh_count; i++)
        if (w->mesh_map[i] != STELE_NONE)
            put_mesh(w, i);
    st_put_end_array(&w->json);
}
