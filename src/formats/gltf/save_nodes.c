/* Nodes and skins of a model as glTF. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/matrix.h"
#include "base/scan.h"
#include "save.h"

/* ---- Nodes ---- */

static void put_unless(writer *w, const char *key, const float *values, const float *usual, size_t count)
{
    if (memcmp(values, usual, count * sizeof *values) != 0)
        st_put_floats(&w->json, key, values, count);
}

static void put_transform(writer *w, const stele_transform *t)
{
    static const float zero[3], one[3] = {1, 1, 1}, identity[4] = {0, 0, 0, 1};
    float rotation[4];
    memcpy(rotation, t->rotation, sizeof rotation);
    st_gltf_make_unit(rotation);
    put_unless(w, "translation", t->translation, zero, 3);
    put_unless(w, "rotation", rotation, identity, 4);
    put_unless(w, "scale", t->scale, one, 3);
}

/* A matrix stays one, unless the node is animated or it is no translation, rotation and scale: glTF allows neither. */
static void put_matrix(writer *w, uint32_t node)
{
    static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    matrix m = st_matrix_of_columns(w->model->nodes[node].matrix);
    transform t;
    bool exact = st_matrix_decompose(&m, &t);
    if (exact && !(w->plan[node] & NODE_MOVES)) {
        put_unless(w, "matrix", w->model->nodes[node].matrix, identity, 16);
        return;
    }
    stele_transform parts = st_transform_float(&t);
    w->sheared += !exact;
    put_transform(w, &parts);
}

static void put_children(writer *w, uint32_t node)
{
    if (w->first_child[node] == STELE_NONE)
        return;
    st_put_array(&w->json, "children");
    for (uint32_t i = w->first_child[node]; i != STELE_NONE; i = w->next_sibling[i])
        st_put_uint(&w->json, NULL, i);
    st_put_end_array(&w->json);
}

static void put_node(writer *w, uint32_t index)
{
    const stele_node *node = &w->model->nodes[index];
    uint32_t mesh = node->mesh == STELE_NONE ? STELE_NONE : w->mesh_map[node->mesh];
    st_put_object(&w->json, NULL);
    st_gltf_put_name(w, node->name);
    if (mesh != STELE_NONE)
        st_put_uint(&w->json, "mesh", mesh);
    if (w->plan[index] & NODE_SKINNED)
        st_put_uint(&w->json, "skin", w->skin_map[node->skin]);
    if (w->plan[index] & NODE_LIFTED)
        ; /* has no place of its own */
    else if (node->matrix)
        put_matrix(w, index);
    else
        put_transform(w, &node->local);
    put_children(w, index);
    if (mesh != STELE_NONE && node->weights && morphs_of(&w->model->meshes[node->mesh]))
        st_put_floats(&w->json, "weights", node->weights, morphs_of(&w->model->meshes[node->mesh]));
    st_gltf_put_extras(w, &node->properties, node->attachment ? "attachment" : NULL, NULL);
    st_put_end_object(&w->json);
}

static void put_roots(writer *w, const char *key)
{
    st_put_array(&w->json, key);
    for (uint32_t i = 0; i < w->model->node_count; i++)
        if (w->model->nodes[i].parent == STELE_NONE && !(w->plan[i] & NODE_LIFTED))
            st_put_uint(&w->json, NULL, i);
    st_put_end_array(&w->json);
}

void st_gltf_put_nodes(writer *w)
{
    if (!w->model->node_count)
        return;
    st_put_array(&w->json, "nodes");
    for (uint32_t i = 0; i < w->model->node_count; i++)
        put_node(w, i);
    if (w->common_root) {
        st_put_object(&w->json, NULL);
        put_roots(w, "children");
        st_put_end_object(&w->json);
    }
    st_put_end_array(&w->json);
}

static void put_scene_nodes(writer *w)
{
    st_put_array(&w->json, "nodes");
    for (uint32_t i = 0; i < w->model->node_count; i++) {
        bool lifted = w->plan[i] & NODE_LIFTED;
        if (lifted || (w->model->nodes[i].parent == STELE_NONE && !w->common_root))
            st_put_uint(&w->json, NULL, i);
    }
    if (w->common_root)
        st_put_uint(&w->json, NULL, w->model->node_count);
    st_put_end_array(&w->json);
}

void st_gltf_put_scene(writer *w)
{
    st_put_uint(&w->json, "scene", 0);
    st_put_array(&w->json, "scenes");
    st_put_object(&w->json, NULL);
    st_gltf_put_name(w, w->model->name);
    if (w->model->node_count)
        put_scene_nodes(w);
    st_gltf_put_extras(w, &w->model->properties, NULL, NULL);
    st_put_end_object(&w->json);
    st_put_end_array(&w->json);
}

/* ---- Skins ---- */

static bool last_row_exact(const uint8_t *matrix)
{
    return load_f32(matrix + 12) == 0 && load_f32(matrix + 28) == 0 && load_f32(matrix + 44) == 0 && load_f32(matrix + 60) == 1;
}

/* Inverse bind matrices, whose last row must be 0, 0, 0, 1 to the bit. */
static stele_view affine(writer *w, const stele_view *matrices)
{
    bool exact = matrices->type == STELE_F32;
    for (uint64_t i = 0; exact && i < matrices->count; i++)
        exact = last_row_exact(st_view_at(matrices, i));
    if (exact)
        return *matrices;
    stele_view copy = st_pack_floats(&w->packer, matrices);
    for (uint64_t i = 0; copy.data && i < copy.count; i++) {
        uint8_t *m = (uint8_t *)st_view_at(&copy, i);
        store_f32(m + 12, 0);
        store_f32(m + 28, 0);
        store_f32(m + 44, 0);
        store_f32(m + 60, 1);
    }
    return copy;
}

static void put_matrices(writer *w, const stele_skin *skin, const char *path)
{
    stele_view matrices = skin->inverse_bind;
    if (!matrices.count)
        return;
    if (matrices.components != 16 || matrices.count < skin->joint_count) {
        st_gltf_refuse(w, path, "it has not an inverse bind matrix for each joint");
        return;
    }
    matrices.count = skin->joint_count;
    matrices = affine(w, &matrices);
    for (uint64_t i = 0; matrices.data && i < matrices.count; i++)
        if (st_scan_nonfinite(st_view_at(&matrices, i), 16)) {
            st_gltf_refuse(w, path, "NaN or infinity in an inverse bind matrix");
            return;
        }
    if (matrices.data)
        st_put_uint(&w->json, "inverseBindMatrices", st_pack_rows(&w->packer, &matrices, USE_MATRICES));
}

/* The nodes in an order in which all that is below a node follows it: who is above whom is known without a walk. */
typedef struct family {
    uint32_t *place; /* of each node */
    uint32_t *size;  /* of each node with all below it */
} family;

static bool find_family(writer *w, family *f)
{
    const stele_model *model = w->model;
    arena *a = w->c->arena;
    uint32_t *next = st_arena_array(a, model->node_count, sizeof *next), roots = 0;
    *f =
        (family){st_arena_array(a, model->node_count, sizeof *f->place), st_arena_array(a, model->node_count, sizeof *f->size)};
    if (!next || !f->place || !f->size)
        return false;
    for (size_t i = model->node_count; i-- > 0;) {
        uint32_t node = model->order[i], parent = model->nodes[node].parent;
        f->size[node]++;
        if (parent != STELE_NONE)
            f->size[parent] += f->size[node];
    }
    for (size_t i = 0; i < model->node_count; i++) {
        uint32_t node = model->order[i], parent = model->nodes[node].parent;
        uint32_t *place = parent == STELE_NONE ? &roots : &next[parent];
        f->place[node] = *place;
        next[node] = *place + 1;
        *place += f->size[node];
    }
    return true;
}

static bool is_above_all(const family *f, const stele_skin *skin)
{
    for (size_t i = 0; i < skin->joint_count; i++)
        if (f->place[skin->joints[i]] - f->place[skin->skeleton] >= f->size[skin->skeleton])
            return false;
    return true;
}

static void put_skin(writer *w, const family *f, uint32_t index)
{
    const stele_skin *skin = &w->model->skins[index];
    char path[WALK_PATH];
    st_path(path, "skin[%u]", index);
    st_put_object(&w->json, NULL);
    st_gltf_put_name(w, skin->name);
    put_matrices(w, skin, path);
    if (skin->skeleton < w->model->node_count && is_above_all(f, skin))
        st_put_uint(&w->json, "skeleton", skin->skeleton);
    st_put_array(&w->json, "joints");
    for (size_t i = 0; i < skin->joint_count; i++)
        st_put_uint(&w->json, NULL, skin->joints[i]);
    st_put_end_array(&w->json);
    st_gltf_put_extras(w, &skin->properties, NULL, NULL);
    st_put_end_object(&w->json);
}

void st_gltf_put_skins(writer *w)
{
    family f;
    if (!w->skin_count || !find_family(w, &f))
        return;
    st_put_array(&w->json, "skins");
    for (uint32_t i = 0; i < w->model->skin_count; i++)
        if (w->skin_map[i] != STELE_NONE)
            put_skin(w, &f, i);
    st_put_end_array(&w->json);
}
