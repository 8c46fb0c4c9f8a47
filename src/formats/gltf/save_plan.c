/* What of a model is written, and where: glTF has no empty meshes and skins, wants one root above the joints of a skin, and has
 * skinned meshes at the top. */
#include <string.h>

#include "save.h"

bool st_gltf_drawn(const stele_primitive *p)
{
    const stele_view *position = stele_primitive_view(p, STELE_POSITION, 0);
    return p->vertex_count && position && position->count;
}

static bool has_influences(const stele_primitive *p)
{
    return stele_primitive_view(p, STELE_JOINTS, 0) && stele_primitive_view(p, STELE_WEIGHTS, 0);
}

/* How many primitives of a mesh are drawn, and how many of these are skinned. */
static size_t count_drawn(const stele_mesh *mesh, size_t *skinned)
{
    size_t drawn = 0;
    *skinned = 0;
    for (size_t i = 0; i < mesh->primitive_count; i++)
        if (st_gltf_drawn(&mesh->primitives[i])) {
            drawn++;
            *skinned += has_influences(&mesh->primitives[i]);
        }
    return drawn;
}

/* A mesh of nothing is only its name, unless that is the model's, which a loader gave it. */
static bool is_only_a_name(const stele_model *model, const stele_mesh *mesh)
{
    return !mesh->primitive_count && mesh->name && !(model->name && strcmp(mesh->name, model->name) == 0);
}

static void plan_meshes(writer *w)
{
    uint64_t dropped = 0;
    for (size_t i = 0; i < w->model->mesh_count; i++) {
        const stele_mesh *mesh = &w->model->meshes[i];
        size_t skinned, drawn = count_drawn(mesh, &skinned);
        w->mesh_map[i] = drawn ? w->mesh_count++ : STELE_NONE;
        dropped += mesh->primitive_count - drawn + is_only_a_name(w->model, mesh);
    }
    st_lose(w->c, DIAG_LOSS_MESH, dropped, "", "has no empty meshes: %llu without vertices dropped",
            (unsigned long long)dropped);
}

static void plan_skins(writer *w)
{
    for (size_t i = 0; i < w->model->skin_count; i++)
        w->skin_map[i] = w->model->skins[i].joint_count ? w->skin_count++ : STELE_NONE;
}

/* A node keeps its skin if all that it draws has joints, as glTF wants it. */
static void plan_skinned(writer *w)
{
    uint64_t mixed = 0;
    for (size_t i = 0; i < w->model->node_count; i++) {
        const stele_node *n = &w->model->nodes[i];
        if (n->skin == STELE_NONE || n->mesh == STELE_NONE || w->skin_map[n->skin] == STELE_NONE)
            continue;
        size_t skinned, drawn = count_drawn(&w->model->meshes[n->mesh], &skinned);
        mixed += skinned && skinned < drawn;
        if (skinned && skinned == drawn) {
            w->plan[i] |= NODE_SKINNED;
            w->skinned[n->mesh] = true;
        }
    }
    st_lose(w->c, DIAG_LOSS_SKIN, mixed, "", "has no meshes of which only parts are skinned: the skin of %llu dropped",
            (unsigned long long)mixed);
}

static void plan_joints_and_clips(writer *w)
{
    const stele_model *m = w->model;
    for (size_t i = 0; i < m->skin_count; i++)
        for (size_t k = 0; k < m->skins[i].joint_count; k++)
            w->plan[m->skins[i].joints[k]] |= NODE_JOINT;
    for (size_t i = 0; i < m->clip_count; i++)
        for (size_t k = 0; k < m->clips[i].channel_count; k++)
            if (m->clips[i].channels[k].path != STELE_MORPH_WEIGHTS)
                w->plan[m->clips[i].channels[k].node] |= NODE_MOVES;
}

/* Lists of children, in the order of the nodes. */
static void plan_children(writer *w)
{
    for (uint32_t i = 0; i < w->model->node_count; i++)
        w->first_child[i] = w->next_sibling[i] = STELE_NONE;
    for (uint32_t i = (uint32_t)w->model->node_count; i-- > 0;) {
        uint32_t parent = w->model->nodes[i].parent;
        if (parent == STELE_NONE || w->plan[i] & NODE_LIFTED)
            continue;
        w->next_sibling[i] = w->first_child[parent];
        w->first_child[parent] = i;
    }
}

static void plan_lifted(writer *w)
{
    for (size_t i = 0; i < w->model->node_count; i++)
        if ((w->plan[i] & NODE_SKINNED) && !(w->plan[i] & (NODE_JOINT | NODE_MOVES)) && w->first_child[i] == STELE_NONE)
            w->plan[i] |= NODE_LIFTED;
}

static bool same_root(const stele_skin *skin, const uint32_t *root)
{
    for (size_t i = 1; i < skin->joint_count; i++)
        if (root[skin->joints[i]] != root[skin->joints[0]])
            return false;
    return true;
}

static bool plan_root(writer *w)
{
    const stele_model *m = w->model;
    uint32_t *root = st_arena_array(w->arena, m->node_count, sizeof *root);
    if (!root)
        return false;
    for (size_t i = 0; i < m->node_count; i++) {
        uint32_t node = m->order[i], parent = m->nodes[node].parent;
        root[node] = parent == STELE_NONE ? node : root[parent];
    }
    for (size_t i = 0; i < m->skin_count; i++)
        w->common_root |= !same_root(&m->skins[i], root);
    return true;
}

/* The same node twice in a skin is not allowed. */
static void refuse_repeated_joints(writer *w, uint32_t *seen)
{
    for (uint32_t i = 0; i < w->model->skin_count; i++)
        for (size_t k = 0; k < w->model->skins[i].joint_count; k++) {
            uint32_t *last = &seen[w->model->skins[i].joints[k]];
            if (*last == i + 1) {
                st_gltf_refuse(w, st_arena_format(w->arena, "skin[%u]", i), "it has a joint twice");
                break;
            }
            *last = i + 1;
        }
}

bool st_gltf_plan(writer *w)
{
    const stele_model *m = w->model;
    w->plan = st_arena_alloc(w->arena, m->node_count);
    w->first_child = st_arena_array(w->arena, m->node_count, sizeof *w->first_child);
    w->next_sibling = st_arena_array(w->arena, m->node_count, sizeof *w->next_sibling);
    w->mesh_map = st_arena_array(w->arena, m->mesh_count, sizeof *w->mesh_map);
    w->skin_map = st_arena_array(w->arena, m->skin_count, sizeof *w->skin_map);
    w->skinned = st_arena_array(w->arena, m->mesh_count, sizeof *w->skinned);
    uint32_t *seen = st_arena_array(w->arena, m->node_count, sizeof *seen);
    if (!w->plan || !w->first_child || !w->next_sibling || !w->mesh_map || !w->skin_map || !w->skinned || !seen)
        return false;
    plan_meshes(w);
    plan_skins(w);
    plan_skinned(w);
    plan_joints_and_clips(w);
    plan_children(w);
    plan_lifted(w);
    plan_children(w); /* again: those that were lifted have no parent */
    refuse_repeated_joints(w, seen);
    return plan_root(w);
}
