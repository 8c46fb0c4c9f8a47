#include "load_skeleton.h"

#include <math.h>

#include "base/bytes.h"

const char st_neutral_key[] = "stele.neutral";

void st_store_matrix(uint8_t *bytes, const matrix *m)
{
    for (int i = 0; i < 16; i++)
        store_f32(bytes + 4 * i, i % 4 == 3 ? (i == 15 ? 1.0f : 0.0f) : (float)m->m[i]);
}

/* Absurd matrices have inverses beyond what floats hold. */
static bool fits_floats(const stele_transform *t)
{
    float sum = 0;
    for (int i = 0; i < 3; i++)
        sum += fabsf(t->translation[i]) + fabsf(t->scale[i]);
    for (int i = 0; i < 4; i++)
        sum += fabsf(t->rotation[i]);
    return isfinite(sum);
}

void st_node_place(stele_node *node, arena *a, const matrix *place, bool moved)
{
    transform t;
    bool exact = st_matrix_decompose(place, &t);
    float *columns = exact || moved ? NULL : st_arena_array(a, 16, sizeof *columns);
    stele_transform local = st_transform_float(&t);
    for (int i = 0; columns && i < 16; i++)
        columns[i] = (float)place->m[i];
    if (fits_floats(&local)) {
        node->local = local;
        node->matrix = columns;
    }
}

static matrix inverse_bind_of(const skeleton *s, uint32_t joint)
{
    float columns[16];
    stele_view_row(&s->inverse_bind, joint, columns);
    return st_matrix_of_columns(columns);
}

/* The joint whose matrix says where each joint is bound: its own, or that of the nearest ancestor that has one. Whoever is
 * passed on the way to it learns it too, so that long chains cost no more; and a circle of parents ends where it began. */
static uint32_t *find_anchors(const skeleton *s, arena *a)
{
    uint32_t *anchor = st_arena_array(a, s->joint_count, sizeof *anchor);
    bool *known = st_arena_array(a, s->joint_count, sizeof *known);
    if (!anchor || !known)
        return NULL;
    for (uint32_t j = 0; j < s->joint_count; j++) {
        matrix inverse = inverse_bind_of(s, j), ignored;
        known[j] = !(s->unplaced && s->unplaced[j]) && st_matrix_inverse(&inverse, &ignored);
        anchor[j] = j;
    }
    for (uint32_t j = 0; j < s->joint_count; j++) {
        uint32_t above = j;
        for (size_t steps = 0; above != STELE_NONE && !known[above] && steps < s->joint_count; steps++)
            above = s->parent[above];
        uint32_t found = above != STELE_NONE && known[above] ? anchor[above] : STELE_NONE;
        for (uint32_t at = j; at != STELE_NONE && !known[at]; at = s->parent[at]) {
            anchor[at] = found;
            known[at] = true;
        }
    }
    return anchor;
}

/* From the joint's own place to that of its parent. */
static matrix rest_of(const skeleton *s, const uint32_t *anchor, uint32_t joint)
{
    uint32_t parent = s->parent[joint], above = parent == STELE_NONE ? STELE_NONE : anchor[parent];
    matrix undo_above = above == STELE_NONE ? st_matrix_identity() : inverse_bind_of(s, above), bound = st_matrix_identity();
    if (anchor[joint] == above)
        return st_matrix_identity();
    if (anchor[joint] != STELE_NONE) {
        matrix undo = inverse_bind_of(s, anchor[joint]);
        st_matrix_inverse(&undo, &bound);
    }
    return st_matrix_product(&undo_above, &bound);
}

static size_t count_roots(const skeleton *s)
{
    size_t roots = s->neutral;
    for (size_t j = 0; j < s->joint_count; j++)
        roots += s->parent[j] == STELE_NONE;
    return roots;
}

static void add_root(context *c, skeleton *s)
{
    stele_node node = stele_default_node();
    node.name = "root";
    s->root_node = STELE_NONE;
    if (st_matrix_is_identity(&s->root) && count_roots(s) <= 1)
        return;
    st_node_place(&node, c->arena, &s->root, false);
    s->root_node = st_model_add_node(c->load->model, c->arena, &node);
}

static void add_joint(context *c, const skeleton *s, const uint32_t *anchor, uint32_t joint)
{
    stele_node node = stele_default_node();
    matrix rest = rest_of(s, anchor, joint);
    node.parent = s->parent[joint] == STELE_NONE ? s->root_node : s->first_node + s->parent[joint];
    st_node_place(&node, c->arena, &rest, s->moved && s->moved[joint]);
    st_model_add_node(c->load->model, c->arena, &node);
}

static void add_neutral(context *c, const skeleton *s)
{
    stele_node node = stele_default_node();
    node.name = "neutral";
    node.parent = s->root_node;
    st_property_number(&node.properties, c->arena, st_neutral_key, 1);
    st_model_add_node(c->load->model, c->arena, &node);
}

bool st_load_skeleton(context *c, skeleton *s)
{
    size_t count = s->joint_count + s->neutral;
    uint32_t *joints = st_arena_array(c->arena, count, sizeof *joints), *anchor = find_anchors(s, c->arena);
    if (!joints || !anchor)
        return false;
    add_root(c, s);
    s->first_node = (uint32_t)c->load->model->node_count;
    for (uint32_t j = 0; j < s->joint_count; j++)
        add_joint(c, s, anchor, j);
    if (s->neutral)
        add_neutral(c, s);
    for (size_t j = 0; j < count; j++)
        joints[j] = s->first_node + (uint32_t)j;
    stele_skin skin = {.joints = joints, .joint_count = count, .inverse_bind = s->inverse_bind, .skeleton = s->root_node};
    s->skin = st_model_add_skin(c->load->model, c->arena, &skin);
    return !c->arena->failed;
}
