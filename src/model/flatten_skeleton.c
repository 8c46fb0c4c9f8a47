/* The joints of a flat model: of skins, and nodes that clips move. */
#include "flattening.h"

#include "base/bytes.h"

static matrix inverse_bind_of(const stele_skin *skin, size_t joint)
{
    float columns[16];
    if (joint >= skin->inverse_bind.count)
        return st_matrix_identity();
    stele_view_row(&skin->inverse_bind, joint, columns);
    return st_matrix_of_columns(columns);
}

enum { IS_JOINT = 1, IS_ANIMATED = 2, MATTERS = 4 };

/* Nodes that move something: joints, and those that are animated and have a mesh, a joint or an attachment below. */
static void mark_nodes(const stele_model *model, uint8_t *marks)
{
    for (size_t i = 0; i < model->skin_count; i++)
        for (size_t k = 0; k < model->skins[i].joint_count; k++)
            marks[model->skins[i].joints[k]] |= IS_JOINT | MATTERS;
    for (size_t i = 0; i < model->clip_count; i++)
        for (size_t k = 0; k < model->clips[i].channel_count; k++)
            if (model->clips[i].channels[k].path != STELE_MORPH_WEIGHTS)
                marks[model->clips[i].channels[k].node] |= IS_ANIMATED;
    for (size_t i = model->node_count; i-- > 0;) {
        uint32_t n = model->order[i];
        const stele_node *node = &model->nodes[n];
        if ((node->mesh != STELE_NONE && node->skin == STELE_NONE) || node->attachment)
            marks[n] |= MATTERS;
        if ((marks[n] & MATTERS) && node->parent != STELE_NONE)
            marks[node->parent] |= MATTERS;
    }
}

static bool is_wanted(uint8_t mark)
{
    return (mark & IS_JOINT) || (mark & (IS_ANIMATED | MATTERS)) == (IS_ANIMATED | MATTERS);
}

static void find_above(flattener *f, const uint8_t *marks)
{
    for (size_t i = 0; i < f->model->node_count; i++) {
        uint32_t node = f->model->order[i], parent = f->model->nodes[node].parent;
        f->above[node] = parent == STELE_NONE || is_wanted(marks[parent]) ? parent : f->above[parent];
    }
}

/* Adds a joint after those above it. */
static void add_joint(flattener *f, uint32_t node, uint32_t *joint_of, uint32_t *chain)
{
    flat_model *flat = f->flat;
    size_t length = 0;
    for (uint32_t n = node; n != STELE_NONE && joint_of[n] == STELE_NONE; n = f->above[n])
        chain[length++] = n;
    while (length) {
        uint32_t n = chain[--length], up = f->above[n];
        flat->joints[flat->joint_count] = (flat_joint){.name = f->model->nodes[n].name,
                                                       .node = n,
                                                       .parent = up == STELE_NONE ? STELE_NONE : joint_of[up],
                                                       .inverse_bind = st_matrix_identity()};
        joint_of[n] = (uint32_t)flat->joint_count++;
    }
}

void st_flatten_joints(flattener *f)
{
    const stele_model *model = f->model;
    uint8_t *marks = st_arena_alloc(f->arena, model->node_count);
    uint32_t *joint_of = st_arena_array(f->arena, model->node_count, sizeof *joint_of);
    uint32_t *chain = st_arena_array(f->arena, model->node_count, sizeof *chain);
    f->above = st_arena_array(f->arena, model->node_count, sizeof *f->above);
    f->flat->joints = st_arena_array(f->arena, model->node_count, sizeof *f->flat->joints);
    if (!marks || !joint_of || !chain || !f->above || !f->flat->joints) {
        f->failed = true;
        return;
    }
    f->flat->joint_of_node = joint_of;
    for (size_t i = 0; i < model->node_count; i++)
        joint_of[i] = STELE_NONE;
    if (!f->wishes->skeleton)
        return;
    mark_nodes(model, marks);
    find_above(f, marks);
    for (size_t i = 0; i < model->skin_count; i++)
        for (size_t k = 0; k < model->skins[i].joint_count; k++)
            add_joint(f, model->skins[i].joints[k], joint_of, chain);
    for (uint32_t i = 0; i < model->node_count; i++)
        if (is_wanted(marks[i]))
            add_joint(f, i, joint_of, chain);
}

/* What a joint does to a vertex at rest. */
static matrix rest_skinning(flattener *f, const stele_skin *skin, size_t joint)
{
    matrix world = st_matrix_of_doubles(f->rest[skin->joints[joint]]), inverse = inverse_bind_of(skin, joint);
    return st_matrix_product(&world, &inverse);
}

/* The joint that stands for the skin: the first that has none of the skin's above it, because its place is rounded least. */
static size_t reference_joint(flattener *f, const stele_skin *skin)
{
    const uint32_t *joint_of = f->flat->joint_of_node;
    for (size_t i = 0; i < skin->joint_count; i++) {
        uint32_t joint = joint_of[skin->joints[i]];
        if (joint == STELE_NONE || f->flat->joints[joint].parent == STELE_NONE)
            return i;
    }
    return 0;
}

matrix st_flatten_skin_place(flattener *f, const stele_skin *skin)
{
    return rest_skinning(f, skin, reference_joint(f, skin));
}

/* A joint that an earlier skin has given its inverse bind matrix decides for this skin too. */
static bool bake_by_shared_joint(flattener *f, const stele_skin *skin, matrix *bake)
{
    for (size_t i = 0; i < skin->joint_count && f->wishes->skeleton; i++) {
        const flat_joint *joint = &f->flat->joints[f->flat->joint_of_node[skin->joints[i]]];
        matrix bind, inverse = inverse_bind_of(skin, i);
        if (joint->bound && st_matrix_inverse(&joint->inverse_bind, &bind)) {
            *bake = st_matrix_product(&bind, &inverse);
            return true;
        }
    }
    return false;
}

static void bind_joints(flattener *f, const stele_skin *skin, const matrix *bake)
{
    matrix undo;
    st_matrix_inverse(bake, &undo);
    for (size_t i = 0; i < skin->joint_count; i++) {
        flat_joint *joint = &f->flat->joints[f->flat->joint_of_node[skin->joints[i]]];
        matrix inverse = inverse_bind_of(skin, i), bound = st_matrix_product(&inverse, &undo);
        if (!joint->bound)
            joint->inverse_bind = bound;
        f->rebound += st_matrix_differs(&bound, &joint->inverse_bind);
        joint->bound = true;
    }
}

static void bake_skin(flattener *f, size_t index)
{
    const stele_skin *skin = &f->model->skins[index];
    matrix all = st_flatten_skin_place(f, skin);
    f->bake[index] = f->wishes->keep_bind ? st_matrix_identity() : st_matrix_product(&f->flat->from_model, &all);
    for (size_t i = 0; i < skin->joint_count && !f->posed[index]; i++) {
        matrix one = rest_skinning(f, skin, i);
        f->posed[index] = st_matrix_differs(&one, &all);
    }
    bake_by_shared_joint(f, skin, &f->bake[index]);
    if (st_matrix_determinant(&f->bake[index]) == 0)
        f->bake[index] = st_matrix_identity();
    f->bake[index] = st_flatten_snapped(f->bake[index]);
    f->flat->posed_rest |= f->posed[index];
    if (f->wishes->skeleton)
        bind_joints(f, skin, &f->bake[index]);
}

/* Joints of no skin carry what is below them rigidly: at rest they change nothing. */
static void bind_other_joints(flattener *f)
{
    for (size_t i = 0; i < f->flat->joint_count; i++) {
        flat_joint *joint = &f->flat->joints[i];
        if (!joint->bound && st_matrix_inverse(&joint->rest, &joint->inverse_bind) &&
            !st_matrix_fits_floats(&joint->inverse_bind))
            joint->inverse_bind = st_matrix_identity();
    }
}

static void check_joints(flattener *f)
{
    char path[WALK_PATH];
    for (size_t i = 0; i < f->flat->joint_count && !f->failed; i++) {
        const flat_joint *joint = &f->flat->joints[i];
        if (!st_matrix_fits_floats(&joint->rest) || !st_matrix_fits_floats(&joint->inverse_bind))
            st_flatten_refuse(f, st_path(path, "node[%u]", joint->node), st_flatten_too_far);
    }
}

void st_flatten_bind(flattener *f)
{
    for (size_t i = 0; i < f->flat->joint_count; i++) {
        matrix rest = st_matrix_of_doubles(f->rest[f->flat->joints[i].node]);
        f->flat->joints[i].rest = st_matrix_product(&f->flat->from_model, &rest);
    }
    for (size_t i = 0; i < f->model->skin_count && !f->failed; i++)
        if (f->model->skins[i].joint_count)
            bake_skin(f, i);
    bind_other_joints(f);
    check_joints(f);
}
