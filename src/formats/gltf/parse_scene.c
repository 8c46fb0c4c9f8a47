/* Nodes, the scene that is shown, skins and animations. */
#include <string.h>

#include "base/bytes.h"
#include "base/matrix.h"
#include "parse.h"

/* ---- Nodes ---- */

static stele_node *node_at(gltf_doc *d, uint32_t index)
{
    return (stele_node *)&d->model.nodes[index];
}

/* A matrix becomes translation, rotation and scale, which can be animated, unless it is none. */
static void read_place(gltf_doc *d, uint32_t token, stele_node *node)
{
    float columns[16];
    transform t;
    st_gltf_floats(d, token, "translation", node->local.translation, 3);
    st_gltf_floats(d, token, "rotation", node->local.rotation, 4);
    st_gltf_floats(d, token, "scale", node->local.scale, 3);
    if (!st_gltf_floats(d, token, "matrix", columns, 16))
        return;
    matrix m = st_matrix_of_columns(columns);
    if (columns[3] != 0 || columns[7] != 0 || columns[11] != 0 || columns[15] != 1)
        st_gltf_report(d, DIAG_TRANSFORM_NOT_AFFINE, st_json_member(&d->json, token, "matrix"),
                       "has a last row that is not 0, 0, 0, 1");
    bool whole = st_matrix_decompose(&m, &t);
    node->local = st_transform_float(&t);
    float *kept = whole ? NULL : st_arena_array(d->arena, 16, sizeof *kept);
    if (kept)
        memcpy(kept, columns, sizeof columns);
    node->matrix = kept;
}

static bool has_joints(const stele_mesh *m)
{
    for (size_t i = 0; i < m->primitive_count; i++)
        if (stele_primitive_view(&m->primitives[i], STELE_JOINTS, 0))
            return true;
    return false;
}

static void read_node(gltf_doc *d, uint32_t token, const bool *skinned, stele_node *node)
{
    uint32_t attachment = st_gltf_extra(d, token, "attachment", JSON_TRUE);
    uint32_t parent = node->parent; /* known from the lists of children */
    *node = stele_default_node();
    node->parent = parent;
    node->name = st_gltf_text(d, token, "name");
    node->mesh = st_gltf_index(d, token, "mesh", GLTF_MESHES);
    node->skin = st_gltf_index(d, token, "skin", GLTF_SKINS);
    if (node->mesh < d->model.mesh_count)
        node->weights = st_gltf_weights(d, token, &d->model.meshes[node->mesh]);
    if (node->skin != STELE_NONE && (node->mesh >= d->model.mesh_count || !skinned[node->mesh])) {
        st_gltf_report(d, DIAG_NONSTANDARD_LAYOUT, st_json_member(&d->json, token, "skin"), "is there for no mesh with joints");
        node->skin = STELE_NONE;
    }
    read_place(d, token, node);
    node->attachment = attachment != JSON_ABSENT;
    node->properties = st_gltf_extras(d, token, attachment);
}

static void read_children(gltf_doc *d, uint32_t index)
{
    const json *j = &d->json;
    uint32_t list = st_gltf_member(d, gltf_item(d, GLTF_NODES, index), "children", JSON_ARRAY);
    for (uint32_t i = st_json_first(j, list); i != JSON_ABSENT; i = st_json_next(j, list, i)) {
        uint32_t child = st_gltf_reference(d, i, GLTF_NODES);
        if (child == STELE_NONE)
            continue;
        if (node_at(d, child)->parent != STELE_NONE)
            st_gltf_report(d, DIAG_NODE_TWO_PARENTS, i, "is %u, which is a child of node %u already", child,
                           node_at(d, child)->parent);
        else
            node_at(d, child)->parent = index;
    }
}

/* Every node has at most one parent, so that a chain of parents ends at a root or comes back to where it was. */
static void check_cycles(gltf_doc *d)
{
    uint32_t count = (uint32_t)d->model.node_count;
    arena_mark mark = st_arena_mark(d->arena);
    uint32_t *chain = st_arena_array(d->arena, count, sizeof *chain);
    bool found = false;
    for (uint32_t i = 0; chain && i < count; i++) {
        uint32_t at = i;
        while (at != STELE_NONE && !chain[at]) {
            chain[at] = i + 1;
            at = node_at(d, at)->parent;
        }
        if (at == STELE_NONE || chain[at] != i + 1)
            continue;
        st_gltf_report(d, DIAG_NODE_CYCLE, gltf_item(d, GLTF_NODES, at), "is its own ancestor");
        found = true;
    }
    if (!found)
        st_arena_rewind(d->arena, mark);
}

/* ---- Scenes ---- */

/* The nodes of a scene; those that are not there are reported. */
static void read_scene(gltf_doc *d, uint32_t scene, bool *shown)
{
    uint32_t list = st_gltf_member(d, gltf_item(d, GLTF_SCENES, scene), "nodes", JSON_ARRAY);
    for (uint32_t i = st_json_first(&d->json, list); i != JSON_ABSENT; i = st_json_next(&d->json, list, i)) {
        uint32_t node = st_gltf_reference(d, i, GLTF_NODES);
        if (node != STELE_NONE && shown)
            shown[node] = true;
    }
}

static void show_only(gltf_doc *d, bool *shown)
{
    for (size_t i = 0; i < d->model.node_count; i++) {
        uint32_t index = d->model.order[i];
        stele_node *node = node_at(d, index);
        shown[index] |= node->parent != STELE_NONE && shown[node->parent];
        if (shown[index] || node->mesh == STELE_NONE)
            continue;
        st_gltf_lose(d, REST_HIDDEN, gltf_item(d, GLTF_NODES, index));
        node->mesh = node->skin = STELE_NONE;
        node->weights = NULL;
    }
}

/* The default scene, or the first one, is the model. What is only in others keeps its place, for joints and channels may need
 * it, but its meshes are not drawn. Without scenes all is shown. */
static void read_scenes(gltf_doc *d)
{
    uint32_t count = d->lists[GLTF_SCENES].count, scene = st_gltf_index(d, 0, "scene", GLTF_SCENES);
    bool *shown = st_arena_array(d->arena, d->model.node_count, sizeof *shown);
    d->scene = scene = scene == STELE_NONE ? 0 : scene;
    for (uint32_t i = 0; i < count; i++)
        read_scene(d, i, i == scene ? shown : NULL);
    if (!count || !shown || d->broken)
        return;
    d->model.name = st_gltf_text(d, gltf_item(d, GLTF_SCENES, scene), "name");
    d->model.properties = st_gltf_extras(d, gltf_item(d, GLTF_SCENES, scene), JSON_ABSENT);
    show_only(d, shown);
}

static void read_nodes(gltf_doc *d)
{
    uint32_t count = d->lists[GLTF_NODES].count;
    stele_node *nodes = st_model_room(d->arena, count, sizeof *nodes);
    bool *skinned = st_arena_array(d->arena, d->model.mesh_count, sizeof *skinned);
    if (!nodes || !skinned)
        return;
    for (size_t i = 0; i < d->model.mesh_count; i++)
        skinned[i] = has_joints(&d->model.meshes[i]);
    d->model.nodes = nodes;
    d->model.node_count = count;
    for (uint32_t i = 0; i < count; i++)
        nodes[i].parent = STELE_NONE;
    for (uint32_t i = 0; i < count; i++)
        read_children(d, i);
    for (uint32_t i = 0; i < count; i++)
        read_node(d, gltf_item(d, GLTF_NODES, i), skinned, &nodes[i]);
    check_cycles(d);
}

/* ---- Skins ---- */

static void read_bind(gltf_doc *d, uint32_t token, stele_skin *s)
{
    uint32_t key = st_json_member(&d->json, token, "inverseBindMatrices");
    uint32_t accessor = st_gltf_reference(d, key, GLTF_ACCESSORS);
    if (accessor == STELE_NONE || !d->accessors[accessor].usable)
        return;
    const gltf_accessor *a = &d->accessors[accessor];
    if (a->shape != GLTF_MAT4 || a->view.type != STELE_F32) {
        st_gltf_report(d, DIAG_BAD_FIELD, key, "is accessor %u, which has no matrices of floats", accessor);
        return;
    }
    if (a->view.count < s->joint_count) {
        st_gltf_report(d, DIAG_ATTRIBUTE_COUNT, key, "has %llu matrices for %zu joints", (unsigned long long)a->view.count,
                       s->joint_count);
        return;
    }
    s->inverse_bind = st_gltf_use(d, (gltf_use){GLTF_FLOATS, accessor, .nonfinite = DIAG_NONFINITE_TRANSFORM});
    s->inverse_bind.count = s->inverse_bind.count ? s->joint_count : 0;
}

static void read_skin(gltf_doc *d, uint32_t token, stele_skin *s)
{
    uint32_t list = st_gltf_member(d, token, "joints", JSON_ARRAY);
    uint32_t *joints = st_arena_array(d->arena, st_json_count(&d->json, list), sizeof *joints);
    s->name = st_gltf_text(d, token, "name");
    s->joints = joints;
    if (!st_json_count(&d->json, list))
        st_gltf_report(d, DIAG_BAD_FIELD, list == JSON_ABSENT ? token : list, "has no joints, which are required");
    for (uint32_t i = st_json_first(&d->json, list); joints && i != JSON_ABSENT; i = st_json_next(&d->json, list, i))
        joints[s->joint_count++] = st_gltf_reference(d, i, GLTF_NODES);
    s->skeleton = st_gltf_index(d, token, "skeleton", GLTF_NODES);
    read_bind(d, token, s);
    s->properties = st_gltf_extras(d, token, JSON_ABSENT);
}

static void read_skins(gltf_doc *d)
{
    uint32_t count = d->lists[GLTF_SKINS].count;
    stele_skin *skins = st_model_room(d->arena, count, sizeof *skins);
    d->model.skins = skins;
    for (uint32_t i = 0; skins && i < count; i++)
        read_skin(d, gltf_item(d, GLTF_SKINS, i), &skins[d->model.skin_count++]);
}

/* ---- Animations ---- */

static const char *const path_names[] = {[STELE_TRANSLATION] = "translation",
                                         [STELE_ROTATION] = "rotation",
                                         [STELE_SCALE] = "scale",
                                         [STELE_MORPH_WEIGHTS] = "weights",
                                         NULL};
static const char *const interpolation_names[] = {
    [STELE_LINEAR] = "LINEAR", [STELE_STEP] = "STEP", [STELE_CUBIC] = "CUBICSPLINE", NULL};

/* How many numbers a key has, and in rows of how many. */
static uint32_t key_width(gltf_doc *d, const stele_channel *c)
{
    uint32_t mesh = d->model.nodes[c->node].mesh;
    if (c->path == STELE_ROTATION)
        return 4;
    if (c->path != STELE_MORPH_WEIGHTS)
        return 3;
    return mesh < d->model.mesh_count && d->model.meshes[mesh].primitive_count
               ? (uint32_t)d->model.meshes[mesh].primitives[0].morph_count
               : 0;
}

static bool read_times(gltf_doc *d, uint32_t sampler, stele_channel *c)
{
    uint32_t key = st_json_member(&d->json, sampler, "input"), accessor = st_gltf_reference(d, key, GLTF_ACCESSORS);
    if (accessor == STELE_NONE || !d->accessors[accessor].usable)
        return false;
    const gltf_accessor *a = &d->accessors[accessor];
    if (a->shape != GLTF_SCALAR || a->view.type != STELE_F32) {
        st_gltf_report(d, DIAG_BAD_FIELD, key, "is accessor %u, which has no times: floats, one a row", accessor);
        return false;
    }
    if (!a->view.count) {
        st_gltf_report(d, DIAG_TRACK_EMPTY, key, "is accessor %u, which has no keys", accessor);
        return false;
    }
    c->times = st_gltf_use(d, (gltf_use){GLTF_TIMES, accessor, .nonfinite = DIAG_NONFINITE_KEY});
    return c->times.count;
}

static bool read_values(gltf_doc *d, uint32_t sampler, stele_channel *c)
{
    uint32_t key = st_json_member(&d->json, sampler, "output"), accessor = st_gltf_reference(d, key, GLTF_ACCESSORS);
    uint32_t width = key_width(d, c), components = c->path == STELE_MORPH_WEIGHTS ? 1 : width;
    if (accessor == STELE_NONE || !d->accessors[accessor].usable)
        return false;
    const gltf_accessor *a = &d->accessors[accessor];
    if (a->shape >= GLTF_MAT2 || a->view.components != components || a->view.type == STELE_U32) {
        st_gltf_report(d, DIAG_BAD_FIELD, key, "is accessor %u, whose type does not fit %s", accessor, path_names[c->path]);
        return false;
    }
    uint64_t rows = c->times.count * (c->interpolation == STELE_CUBIC ? 3 : 1) * (width / components);
    if (a->view.count != rows) {
        st_gltf_report(d, DIAG_ATTRIBUTE_COUNT, key, "has %llu rows, where %llu keys need %llu",
                       (unsigned long long)a->view.count, (unsigned long long)c->times.count, (unsigned long long)rows);
        return false;
    }
    c->values = st_gltf_use(d, (gltf_use){GLTF_FLOATS, accessor, .nonfinite = DIAG_NONFINITE_KEY});
    if (c->values.type != STELE_F32 && (c->path == STELE_ROTATION || c->path == STELE_MORPH_WEIGHTS))
        c->values.normalized = true;
    return c->values.count;
}

/* Tokens of an animation's samplers by number. */
static gltf_list list_samplers(gltf_doc *d, uint32_t token)
{
    uint32_t list = st_gltf_member(d, token, "samplers", JSON_ARRAY);
    gltf_list l = {st_arena_array(d->arena, st_json_count(&d->json, list), sizeof *l.items), 0};
    for (uint32_t i = st_json_first(&d->json, list); l.items && i != JSON_ABSENT; i = st_json_next(&d->json, list, i))
        l.items[l.count++] = i;
    return l;
}

static bool read_channel(gltf_doc *d, uint32_t token, const gltf_list *samplers, stele_channel *c)
{
    uint32_t target = st_gltf_member(d, token, "target", JSON_OBJECT);
    uint64_t sampler;
    c->node = st_gltf_index(d, target, "node", GLTF_NODES);
    if (!st_gltf_required(d, token, "sampler", UINT32_MAX, &sampler))
        return false;
    if (c->node == STELE_NONE) {
        if (st_json_member(&d->json, target, "node") == JSON_ABSENT)
            st_gltf_lose(d, REST_CHANNEL, token);
        return false;
    }
    if (sampler >= samplers->count) {
        st_gltf_report(d, DIAG_REFERENCE_OUT_OF_RANGE, st_json_member(&d->json, token, "sampler"),
                       "is %llu, but there are only %u", (unsigned long long)sampler, samplers->count);
        return false;
    }
    uint32_t from = samplers->items[sampler];
    c->path = (stele_channel_path)st_gltf_word(d, target, "path", path_names, STELE_MORPH_WEIGHTS + 1);
    c->interpolation = (stele_interpolation)st_gltf_word(d, from, "interpolation", interpolation_names, STELE_LINEAR);
    if (c->path > STELE_MORPH_WEIGHTS) {
        if (st_json_member(&d->json, target, "path") == JSON_ABSENT)
            st_gltf_report(d, DIAG_BAD_FIELD, target == JSON_ABSENT ? token : target, "has no \"path\", which is required");
        return false;
    }
    if (c->path == STELE_MORPH_WEIGHTS && !key_width(d, c)) {
        st_gltf_lose(d, REST_MORPH_CHANNEL, token);
        return false;
    }
    return read_times(d, from, c) && read_values(d, from, c);
}

/* What is animated has no matrix: the nearest translation, rotation and scale must do. */
static void animate_node(gltf_doc *d, const stele_channel *c)
{
    stele_node *node = node_at(d, c->node);
    if (c->path != STELE_MORPH_WEIGHTS && node->matrix) {
        st_gltf_report(d, DIAG_NONSTANDARD_LAYOUT, gltf_item(d, GLTF_NODES, c->node),
                       "is animated and has a sheared matrix: the shear is left out");
        node->matrix = NULL;
    }
}

static void read_animation(gltf_doc *d, uint32_t token, stele_clip *clip)
{
    uint32_t list = st_gltf_member(d, token, "channels", JSON_ARRAY);
    stele_channel *channels = st_arena_array(d->arena, st_json_count(&d->json, list), sizeof *channels);
    gltf_list samplers = list_samplers(d, token);
    clip->name = st_gltf_text(d, token, "name");
    clip->channels = channels;
    if (!channels || !samplers.items)
        return;
    for (uint32_t i = st_json_first(&d->json, list); i != JSON_ABSENT; i = st_json_next(&d->json, list, i)) {
        stele_channel *c = &channels[clip->channel_count];
        *c = (stele_channel){0};
        if (!read_channel(d, i, &samplers, c))
            continue;
        double end = stele_view_number(&c->times, c->times.count - 1, 0);
        clip->duration = end > clip->duration ? end : clip->duration;
        animate_node(d, c);
        clip->channel_count++;
    }
    clip->properties = st_gltf_extras(d, token, JSON_ABSENT);
}

static void read_animations(gltf_doc *d)
{
    uint32_t count = d->lists[GLTF_ANIMATIONS].count;
    stele_clip *clips = st_model_room(d->arena, count, sizeof *clips);
    d->model.clips = clips;
    for (uint32_t i = 0; clips && i < count && !d->arena->failed; i++)
        read_animation(d, gltf_item(d, GLTF_ANIMATIONS, i), &clips[d->model.clip_count++]);
}

void st_gltf_read_scene(gltf_doc *d)
{
    const char *problem;
    read_nodes(d);
    read_skins(d);
    if (d->arena->failed)
        return;
    if (!d->broken && !st_model_finish(&d->model, d->arena, &problem))
        st_gltf_report(d, DIAG_BAD_FIELD, JSON_ABSENT, "%s", problem);
    read_scenes(d);
    st_gltf_keep_asset(d);
    read_animations(d);
}
