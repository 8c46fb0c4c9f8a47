#include "flatten.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/scan.h"
#include "base/trig.h"

/* While flattening. */
typedef struct flattener {
    context *c;
    arena *arena;
    const stele_model *model;
    const flat_wishes *wishes;
    flat_model *flat;
    double (*rest)[16]; /* the nodes of the model at rest */
    matrix *bake;       /* for each skin: what its vertices are multiplied with */
    bool *posed;        /* for each skin: at rest its vertices are not only moved as one */
    uint32_t *above;    /* for each node: the nearest above it that is a joint, or STELE_NONE */
    uint64_t not_triangles, made_normals;
    bool failed;
} flattener;

static void refuse(flattener *f, const char *path, const char *why)
{
    st_refuse(f->c, at_path(path, 1), why);
    f->failed = true;
}

static const char too_far[] = "scaled as it is drawn, it goes beyond what floats hold";

static matrix matrix_at(double (*matrices)[16], uint64_t index)
{
    matrix m;
    memcpy(m.m, matrices[index], sizeof m.m);
    return m;
}

/* A way there and back leaves a matrix that differs from identity by rounding only: then vertices must not be touched. */
static matrix snapped(matrix a)
{
    matrix identity = st_matrix_identity();
    for (int i = 0; i < 16; i++)
        if (fabs(a.m[i] - identity.m[i]) > 5e-7)
            return a;
    return identity;
}

/* ---- The skeleton ---- */

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
        matrix rest = matrix_at(f->rest, n);
        flat->joints[flat->joint_count] = (flat_joint){.name = f->model->nodes[n].name,
                                                       .node = n,
                                                       .parent = up == STELE_NONE ? STELE_NONE : joint_of[up],
                                                       .inverse_bind = st_matrix_identity(),
                                                       .rest = st_matrix_product(&flat->from_model, &rest)};
        joint_of[n] = (uint32_t)flat->joint_count++;
    }
}

static void collect_joints(flattener *f)
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
    matrix world = matrix_at(f->rest, skin->joints[joint]), inverse = inverse_bind_of(skin, joint);
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
        matrix inverse = inverse_bind_of(skin, i);
        if (!joint->bound)
            joint->inverse_bind = st_matrix_product(&inverse, &undo);
        joint->bound = true;
    }
}

static void bake_skin(flattener *f, size_t index)
{
    const stele_skin *skin = &f->model->skins[index];
    matrix all = rest_skinning(f, skin, reference_joint(f, skin));
    f->bake[index] = f->wishes->keep_bind ? st_matrix_identity() : st_matrix_product(&f->flat->from_model, &all);
    for (size_t i = 0; i < skin->joint_count && !f->posed[index]; i++) {
        matrix one = rest_skinning(f, skin, i);
        f->posed[index] = st_matrix_differs(&one, &all);
    }
    bake_by_shared_joint(f, skin, &f->bake[index]);
    if (st_matrix_determinant(&f->bake[index]) == 0)
        f->bake[index] = st_matrix_identity();
    f->bake[index] = snapped(f->bake[index]);
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
            refuse(f, st_path(path, "node[%u]", joint->node), too_far);
    }
}

/* ---- Meshes ---- */

static stele_view as_floats(flattener *f, const stele_view *view, uint32_t components)
{
    uint8_t *bytes;
    if (!view)
        return (stele_view){0};
    if (view->type == STELE_F32 && view->components == components)
        return *view;
    stele_view made = st_view_make(f->arena, view->count, STELE_F32, components, &bytes);
    f->failed |= !bytes;
    for (uint64_t i = 0; i < made.count; i++)
        for (uint32_t k = 0; k < components; k++)
            store_f32(bytes + i * made.stride + 4 * k, k < view->components ? (float)stele_view_number(view, i, k) : 1);
    return made;
}

/* Whether floats hold whatever is in the box of these rows and then transformed. */
static bool stays_finite(const stele_view *rows, const matrix *by)
{
    stele_bounds b = st_view_bounds(rows);
    for (int r = 0; r < 3; r++) {
        double reach = fabs(by->m[12 + r]);
        for (int k = 0; k < 3; k++)
            reach += fabs(by->m[4 * k + r]) * fmax(fabs((double)b.min[k]), fabs((double)b.max[k]));
        if (!(reach <= (double)FLT_MAX))
            return false;
    }
    return st_matrix_fits_floats(by);
}

typedef enum vector_kind { VECTOR_POINT, VECTOR_DIRECTION, VECTOR_NORMAL } vector_kind;

static void transform_row(const matrix *m, vector_kind kind, bool unit, const uint8_t *from, float to[3])
{
    double v[3] = {(double)load_f32(from), (double)load_f32(from + 4), (double)load_f32(from + 8)}, r[3];
    if (kind == VECTOR_POINT)
        st_matrix_point(m, v, r);
    else
        st_matrix_direction(m, v, r);
    double length = length3(r), by_length = unit && length > 0 ? 1 / length : 1;
    for (int k = 0; k < 3; k++)
        to[k] = (float)(r[k] * by_length);
}

/* The first three floats of each row transformed; normals and the directions of tangents come out with length 1. */
static stele_view transformed(flattener *f, const stele_view *view, const matrix *by, vector_kind kind, bool unit)
{
    uint8_t *bytes;
    stele_view made = st_view_make(f->arena, view->count, STELE_F32, view->components, &bytes);
    matrix m = kind == VECTOR_NORMAL ? st_matrix_of_normals(by) : *by;
    f->failed |= !bytes;
    for (uint64_t i = 0; i < made.count; i++) {
        const uint8_t *from = st_view_at(view, i);
        uint8_t *to = bytes + i * made.stride;
        float row[3];
        transform_row(&m, kind, unit, from, row);
        for (uint32_t k = 0; k < 3; k++)
            store_f32(to + 4 * k, row[k]);
        if (view->components == 4)
            memcpy(to + 12, from + 12, 4);
    }
    return made;
}

static void load_row(const stele_view *view, uint64_t row, float to[3])
{
    for (uint32_t k = 0; k < 3; k++)
        to[k] = load_f32(st_view_at(view, row) + 4 * k);
}

void st_flat_position(const flat_mesh *mesh, uint64_t vertex, float position[3])
{
    if (mesh->in_place)
        transform_row(&mesh->place, VECTOR_POINT, false, st_view_at(&mesh->position, vertex), position);
    else
        load_row(&mesh->position, vertex, position);
}

void st_flat_normal(const flat_mesh *mesh, uint64_t vertex, float normal[3])
{
    if (mesh->in_place)
        transform_row(&mesh->place_of_normals, VECTOR_NORMAL, true, st_view_at(&mesh->normal, vertex), normal);
    else
        load_row(&mesh->normal, vertex, normal);
}

/* Mirrored triangles are turned round; what is unindexed gets indices. Incomplete triangles and lines are left out. */
static stele_view indices_of(flattener *f, const stele_primitive *p, bool mirrored)
{
    static const uint64_t corners[] = {[STELE_TRIANGLES] = 3, [STELE_LINES] = 2, [STELE_POINTS] = 1};
    uint64_t count = p->indices.count ? p->indices.count : p->vertex_count, each = corners[p->topology];
    uint8_t *bytes;
    count -= count % each;
    mirrored &= p->topology == STELE_TRIANGLES;
    if (p->indices.count && !mirrored) {
        stele_view same = p->indices;
        same.count = count;
        return same;
    }
    stele_type type = p->indices.count ? p->indices.type : p->vertex_count <= UINT16_MAX ? STELE_U16 : STELE_U32;
    stele_view made = st_view_make(f->arena, count, type, 1, &bytes);
    f->failed |= !bytes;
    for (uint64_t i = 0; i < made.count; i++) {
        uint64_t from = mirrored && i % 3 ? i - i % 3 + 3 - i % 3 : i;
        store_uint(bytes + i * made.stride, p->indices.count ? st_view_index(&p->indices, from) : from, made.stride);
    }
    return made;
}

/* Texture coordinates as the base colour's texture sees them: its transform is applied, for the target has none. */
static stele_view uvs_of(flattener *f, const stele_primitive *p, uint32_t set)
{
    stele_view uv = as_floats(f, stele_primitive_view(p, STELE_UV, set), 2);
    const stele_texture_use *use =
        p->material == STELE_NONE ? NULL : &f->model->materials[p->material].textures[STELE_ROLE_BASE_COLOR];
    bool plain = !use || use->texture == STELE_NONE || use->uv_set != set ||
                 (use->offset[0] == 0 && use->offset[1] == 0 && use->rotation == 0 && use->scale[0] == 1 && use->scale[1] == 1);
    uint8_t *bytes;
    if (plain || !uv.count)
        return uv;
    double c = st_cos((double)use->rotation), s = st_sin((double)use->rotation);
    stele_view made = st_view_make(f->arena, uv.count, STELE_F32, 2, &bytes);
    f->failed |= !bytes;
    for (uint64_t i = 0; i < made.count; i++) {
        double u = stele_view_number(&uv, i, 0) * (double)use->scale[0],
               v = stele_view_number(&uv, i, 1) * (double)use->scale[1];
        store_f32(bytes + 8 * i, (float)(c * u + s * v + (double)use->offset[0]));
        store_f32(bytes + 8 * i + 4, (float)(c * v - s * u + (double)use->offset[1]));
    }
    return made;
}

static const stele_morph *morphs_of(flattener *f, const stele_primitive *p, const matrix *by)
{
    stele_morph *morphs = st_arena_array(f->arena, p->morph_count, sizeof *morphs);
    f->failed |= !morphs;
    for (size_t i = 0; morphs && i < p->morph_count; i++) {
        stele_morph m = p->morphs[i];
        m.position = as_floats(f, &m.position, 3);
        m.normal = as_floats(f, &m.normal, 3);
        if (!st_matrix_is_identity(by) && !stays_finite(&m.position, by)) {
            refuse(f, "", too_far);
            return morphs;
        }
        if (m.position.count && !st_matrix_is_identity(by))
            m.position = transformed(f, &m.position, by, VECTOR_DIRECTION, false);
        if (m.normal.count && !st_matrix_is_identity(by))
            m.normal = transformed(f, &m.normal, by, VECTOR_NORMAL, false);
        m.tangent = (stele_view){0};
        morphs[i] = m;
    }
    return morphs;
}

/* Where a node shows its mesh deformed already at rest, and the target cannot deform it, the vertices are evaluated. */
static bool deformed_at_rest(const flattener *f, const stele_node *node, const stele_primitive *p)
{
    const stele_mesh *mesh = &f->model->meshes[node->mesh];
    const float *weights = node->weights ? node->weights : mesh->weights;
    bool morphed = false;
    for (size_t i = 0; weights && i < p->morph_count; i++)
        morphed |= weights[i] != 0;
    if (morphed && !(f->c->save->capabilities & STELE_MORPHS) && node->skin == STELE_NONE)
        return true;
    return node->skin != STELE_NONE && !f->wishes->skeleton && (f->posed[node->skin] || morphed);
}

static void evaluate_at_rest(flattener *f, uint32_t node, uint32_t primitive, flat_mesh *m)
{
    uint8_t *positions, *normals = NULL;
    stele_view position = st_view_make(f->arena, m->vertex_count, STELE_F32, 3, &positions), normal = {0};
    if (m->normal.count)
        normal = st_view_make(f->arena, m->vertex_count, STELE_F32, 3, &normals);
    if (!positions || (m->normal.count && !normals)) {
        f->failed = true;
        return;
    }
    st_evaluate_vertices(f->model, node, primitive, STELE_NONE, 0, (const double(*)[16])f->rest, (float *)positions,
                         (float *)normals);
    for (uint64_t i = 0; HOST_IS_BIG_ENDIAN && i < 3 * m->vertex_count; i++) {
        store_f32(positions + 4 * i, ((float *)positions)[i]);
        if (normals)
            store_f32(normals + 4 * i, ((float *)normals)[i]);
    }
    if (st_scan_nonfinite(positions, 3 * m->vertex_count) || (normals && st_scan_nonfinite(normals, 3 * m->vertex_count)))
        refuse(f, "", too_far);
    m->position = position;
    m->normal = normal;
}

static void flatten_primitive(flattener *f, uint32_t node_index, uint32_t primitive)
{
    const stele_node *node = &f->model->nodes[node_index];
    const stele_mesh *mesh = &f->model->meshes[node->mesh];
    const stele_primitive *p = &mesh->primitives[primitive];
    flat_mesh *m = &f->flat->meshes[f->flat->mesh_count++];
    matrix world = matrix_at(f->rest, node_index);
    matrix by = node->skin != STELE_NONE ? f->bake[node->skin] : snapped(st_matrix_product(&f->flat->from_model, &world));
    bool deformed = deformed_at_rest(f, node, p);
    *m = (flat_mesh){.name = mesh->name ? mesh->name : node->name,
                     .node = node_index,
                     .mesh = node->mesh,
                     .primitive = primitive,
                     .material = p->material,
                     .topology = p->topology,
                     .vertex_count = p->vertex_count,
                     .source = p,
                     .rigid_joint = STELE_NONE,
                     .position = as_floats(f, stele_primitive_view(p, STELE_POSITION, 0), 3),
                     .normal = as_floats(f, stele_primitive_view(p, STELE_NORMAL, 0), 3),
                     .tangent = as_floats(f, stele_primitive_view(p, STELE_TANGENT, 0), 4),
                     .color = as_floats(f, stele_primitive_view(p, STELE_COLOR, 0), 4),
                     .uv = {uvs_of(f, p, 0), uvs_of(f, p, 1)},
                     .morph_count = p->morph_count};
    if (!m->normal.count && f->wishes->normals && p->vertex_count && p->topology == STELE_TRIANGLES) {
        m->normal = st_normals_of(f->arena, p);
        f->failed |= !m->normal.count;
        f->made_normals++;
    }
    if (deformed) {
        evaluate_at_rest(f, node_index, primitive, m);
        by = snapped(f->flat->from_model);
    }
    m->indices = indices_of(f, p, st_matrix_determinant(&by) < 0);
    m->morphs = morphs_of(f, p, &by);
    if (st_matrix_is_identity(&by) || f->failed)
        return;
    if (!stays_finite(&m->position, &by)) {
        char path[WALK_PATH];
        refuse(f, st_path(path, "node[%u]", node_index), too_far);
        return;
    }
    if (f->wishes->in_place) {
        m->in_place = true;
        m->place = by;
        m->place_of_normals = st_matrix_of_normals(&by);
        m->tangent = (stele_view){0};
        return;
    }
    m->position = transformed(f, &m->position, &by, VECTOR_POINT, false);
    if (m->normal.count)
        m->normal = transformed(f, &m->normal, &by, VECTOR_NORMAL, true);
    if (m->tangent.count)
        m->tangent = transformed(f, &m->tangent, &by, VECTOR_DIRECTION, true);
}

/* What moves a mesh: the joints of its skin, or the one that it hangs from. */
static void connect(flattener *f, const uint32_t *const *joint_maps, flat_mesh *m)
{
    const stele_node *node = &f->model->nodes[m->node];
    if (!f->wishes->skeleton)
        return;
    if (node->skin != STELE_NONE) {
        m->joint_map = joint_maps[node->skin];
        m->joint_map_count = f->model->skins[node->skin].joint_count;
        return;
    }
    uint32_t carrier = f->flat->joint_of_node[m->node] != STELE_NONE ? m->node : f->above[m->node];
    if (carrier == STELE_NONE)
        return;
    m->rigid_joint = f->flat->joint_of_node[carrier];
    f->flat->joints[m->rigid_joint].bound = true;
}

static const uint32_t **map_joints(flattener *f)
{
    const uint32_t **maps = st_arena_array(f->arena, f->model->skin_count, sizeof *maps);
    for (size_t i = 0; maps && i < f->model->skin_count; i++) {
        const stele_skin *skin = &f->model->skins[i];
        uint32_t *map = st_arena_array(f->arena, skin->joint_count, sizeof *map);
        f->failed |= !map;
        for (size_t k = 0; map && k < skin->joint_count; k++)
            map[k] = f->flat->joint_of_node[skin->joints[k]];
        maps[i] = map;
    }
    f->failed |= !maps;
    return maps;
}

/* About how many numbers a mesh holds. */
static double size_of_mesh(const stele_mesh *mesh)
{
    enum { EVEN_IF_EMPTY = 64 };
    double size = 0;
    for (size_t i = 0; i < mesh->primitive_count; i++) {
        const stele_primitive *p = &mesh->primitives[i];
        size += EVEN_IF_EMPTY + 3 * (double)p->vertex_count + (double)p->indices.count;
        for (size_t k = 0; k < p->morph_count; k++)
            size += EVEN_IF_EMPTY + 3 * (double)p->morphs[k].position.count;
    }
    return size;
}

/* A small file can draw one mesh so often that no memory holds all of it. */
static bool draws_too_much(flattener *f, const uint32_t *nodes, size_t node_count)
{
    const stele_model *model = f->model;
    double own = 0, drawn = 0, *size = st_arena_array(f->arena, model->mesh_count, sizeof *size);
    f->failed |= !size;
    for (size_t i = 0; size && i < model->mesh_count; i++)
        own += size[i] = size_of_mesh(&model->meshes[i]);
    for (size_t i = 0; size && i < node_count; i++)
        drawn += size[model->nodes[nodes[i]].mesh];
    if (drawn > 64 * own + (1 << 26))
        refuse(f, "",
               st_arena_format(f->arena, "its meshes are drawn %zu times: that would need %.0f numbers", node_count, drawn));
    return f->failed;
}

static void flatten_meshes(flattener *f, const uint32_t *nodes, size_t node_count)
{
    const stele_model *model = f->model;
    uint64_t count = 0;
    if (f->failed || draws_too_much(f, nodes, node_count))
        return;
    for (size_t i = 0; i < node_count; i++)
        count += model->meshes[model->nodes[nodes[i]].mesh].primitive_count;
    const uint32_t **joint_maps = map_joints(f);
    f->flat->meshes = st_arena_array(f->arena, count, sizeof *f->flat->meshes);
    f->failed |= !f->flat->meshes;
    for (size_t i = 0; i < node_count && !f->failed; i++) {
        const stele_mesh *mesh = &model->meshes[model->nodes[nodes[i]].mesh];
        for (uint32_t k = 0; k < mesh->primitive_count && !f->failed; k++) {
            if (mesh->primitives[k].topology != STELE_TRIANGLES && !f->wishes->lines_and_points) {
                f->not_triangles++;
                continue;
            }
            flatten_primitive(f, nodes[i], k);
            connect(f, joint_maps, &f->flat->meshes[f->flat->mesh_count - 1]);
        }
    }
}

/* Where the target has a root transform, it takes what the first mesh would be multiplied with. */
static matrix root_for(flattener *f, const uint32_t *nodes, size_t node_count)
{
    if (!f->wishes->keep_root || !node_count)
        return f->wishes->axes;
    const stele_node *node = &f->model->nodes[nodes[0]];
    matrix world = matrix_at(f->rest, nodes[0]);
    if (node->skin == STELE_NONE)
        return world;
    const stele_skin *skin = &f->model->skins[node->skin];
    return skin->joint_count ? rest_skinning(f, skin, reference_joint(f, skin)) : world;
}

static void report(flattener *f)
{
    context *c = f->c;
    if (c->save->capabilities & STELE_MESHES)
        st_lose(c, DIAG_LOSS_TOPOLOGY, f->not_triangles, "", "has only triangles: %llu meshes of lines or points dropped",
                (unsigned long long)f->not_triangles);
    if (f->wishes->skeleton && f->flat->posed_rest && !f->wishes->rest_pose)
        st_lose(c, DIAG_LOSS_REST, 1, "", "shows the bind pose when no clip is played: the rest pose is another");
    if (f->made_normals)
        st_diag(c->diags, DIAG_NORMALS_MADE, at_path("", f->made_normals),
                "%s needs normals: computed for %llu mesh%s that had none", c->into, (unsigned long long)f->made_normals,
                f->made_normals == 1 ? "" : "es");
}

bool st_flatten(context *c, const flat_wishes *wishes, flat_model *flat)
{
    const stele_model *model = c->save->model;
    flattener f = {.c = c, .arena = c->arena, .model = model, .wishes = wishes, .flat = flat};
    size_t node_count;
    *flat = (flat_model){.model = model, .root = wishes->axes, .from_model = st_matrix_identity()};
    f.rest = st_arena_array(c->arena, model->node_count, sizeof *f.rest);
    f.bake = st_arena_array(c->arena, model->skin_count, sizeof *f.bake);
    f.posed = st_arena_array(c->arena, model->skin_count, sizeof *f.posed);
    uint32_t *nodes = f.rest && f.bake && f.posed ? st_model_drawn(model, c->arena, &node_count) : NULL;
    if (!nodes)
        return c->fits = false;
    st_evaluate_nodes(model, STELE_NONE, 0, f.rest);
    st_matrix_inverse(&flat->root, &flat->from_model);
    collect_joints(&f);
    if (wishes->keep_root && !f.failed) {
        flat->root = root_for(&f, nodes, node_count);
        if (!st_matrix_inverse(&flat->root, &flat->from_model))
            flat->root = st_matrix_identity();
        for (size_t i = 0; i < flat->joint_count; i++) {
            matrix rest = matrix_at(f.rest, flat->joints[i].node);
            flat->joints[i].rest = st_matrix_product(&flat->from_model, &rest);
        }
    }
    for (size_t i = 0; i < model->skin_count && !f.failed; i++)
        if (model->skins[i].joint_count)
            bake_skin(&f, i);
    bind_other_joints(&f);
    check_joints(&f);
    flatten_meshes(&f, nodes, node_count);
    report(&f);
    c->fits &= !f.failed;
    return !f.failed;
}

/* ---- One set of texture coordinates ---- */

const stele_view *st_flat_uv(const flat_model *flat, const flat_mesh *mesh)
{
    const stele_material *m = mesh->material == STELE_NONE ? NULL : &flat->model->materials[mesh->material];
    bool second =
        m && m->textures[STELE_ROLE_BASE_COLOR].texture != STELE_NONE && m->textures[STELE_ROLE_BASE_COLOR].uv_set == 1;
    return mesh->uv[second].count ? &mesh->uv[second] : &mesh->uv[!second];
}

void st_report_uvs(context *c, const flat_model *flat)
{
    uint64_t other = 0;
    for (size_t i = 0; i < flat->mesh_count; i++)
        other += flat->meshes[i].uv[0].count && flat->meshes[i].uv[1].count;
    st_lose(c, DIAG_LOSS_UV, other, "", "has one set of texture coordinates: the other of %llu mesh%s dropped",
            (unsigned long long)other, other == 1 ? "" : "es");
}

/* ---- Influences ---- */

static size_t gather_influences(const flat_mesh *mesh, uint64_t vertex, influence *all)
{
    size_t count = 0;
    for (size_t i = 0; i < mesh->source->attribute_count; i++) {
        const stele_attribute *joints = &mesh->source->attributes[i];
        if (joints->semantic != STELE_JOINTS)
            continue;
        const stele_view *weights = stele_primitive_view(mesh->source, STELE_WEIGHTS, joints->set);
        for (uint32_t k = 0; weights && k < joints->view.components && k < weights->components; k++) {
            double weight = stele_view_number(weights, vertex, k);
            uint64_t joint = (uint64_t)stele_view_number(&joints->view, vertex, k);
            if (!(weight > 0) || joint >= mesh->joint_map_count)
                continue;
            size_t same = 0;
            while (same < count && all[same].joint != mesh->joint_map[joint])
                same++;
            if (same == MOST_INFLUENCES)
                continue;
            if (same == count)
                all[count++] = (influence){mesh->joint_map[joint], 0};
            all[same].weight += weight;
        }
    }
    return count;
}

size_t st_flat_influences(const flat_mesh *mesh, uint64_t vertex, influence *influences, size_t most, size_t *all)
{
    influence found[MOST_INFLUENCES];
    size_t count = 0;
    double sum = 0;
    if (mesh->joint_map)
        count = gather_influences(mesh, vertex, found);
    else if (mesh->rigid_joint != STELE_NONE)
        found[count++] = (influence){mesh->rigid_joint, 1};
    *all = count;
    st_sort_influences(found, count);
    count = count < most ? count : most;
    for (size_t i = 0; i < count; i++)
        sum += found[i].weight;
    bool whole = *all == count && fabs(sum - 1) <= 1e-6; /* as they are: rounding must not creep in on a way there and back */
    for (size_t i = 0; i < count; i++)
        influences[i] = (influence){found[i].joint, whole ? found[i].weight : found[i].weight / sum};
    return count;
}

/* ---- Clips ---- */

enum { MOST_BETWEEN = 64 }; /* samples between two keys of a curve */

/* How many samples a channel needs from a key to the next, the first included. */
static uint64_t samples_between(const stele_channel *c, uint64_t key, double fps)
{
    if (c->interpolation == STELE_STEP)
        return 2;
    if (c->interpolation != STELE_CUBIC)
        return 1;
    double frames = ceil((stele_view_number(&c->times, key + 1, 0) - stele_view_number(&c->times, key, 0)) * fps);
    return frames < 1 ? 1 : frames > MOST_BETWEEN ? MOST_BETWEEN : (uint64_t)frames;
}

uint64_t st_channel_sample_count(const stele_channel *c, double fps)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < c->times.count; i++)
        count += i + 1 < c->times.count ? samples_between(c, i, fps) : 1;
    return count;
}

uint64_t st_channel_samples(const stele_channel *c, double fps, double *times)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < c->times.count; i++) {
        double from = stele_view_number(&c->times, i, 0);
        times[count++] = from;
        if (i + 1 == c->times.count)
            break;
        double to = stele_view_number(&c->times, i + 1, 0);
        uint64_t samples = samples_between(c, i, fps);
        if (c->interpolation == STELE_STEP) {
            times[count++] = to - fmin(0.001, (to - from) / 2); /* the value holds until just before the next */
            continue;
        }
        for (uint64_t k = 1; k < samples; k++)
            times[count++] = from + (to - from) * (double)k / (double)samples;
    }
    return count;
}

static int compare_times(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

uint64_t st_sort_times(double *times, uint64_t count)
{
    uint64_t kept = 0;
    qsort(times, (size_t)count, sizeof *times, compare_times);
    for (uint64_t i = 0; i < count; i++)
        if (!kept || times[i] > times[kept - 1] + 1e-6)
            times[kept++] = times[i];
    return kept;
}

static bool moves_joint(const flat_model *flat, const stele_channel *c)
{
    return c->path != STELE_MORPH_WEIGHTS && c->times.count && flat->joint_of_node[c->node] != STELE_NONE;
}

double *st_flat_times(const flat_model *flat, arena *a, uint32_t clip, double fps, uint64_t *count)
{
    const stele_clip *c = &flat->model->clips[clip];
    uint64_t most = 1;
    fps = fps > 0 ? fps : USUAL_FPS;
    *count = 0;
    for (size_t i = 0; i < c->channel_count; i++)
        if (moves_joint(flat, &c->channels[i]))
            most += st_channel_sample_count(&c->channels[i], fps);
    double *times = st_arena_array(a, most, sizeof *times);
    if (!times)
        return NULL;
    for (size_t i = 0; i < c->channel_count; i++)
        if (moves_joint(flat, &c->channels[i]))
            *count += st_channel_samples(&c->channels[i], fps, times + *count);
    if (!*count)
        times[(*count)++] = 0;
    *count = st_sort_times(times, *count);
    return times;
}

bool st_flat_clip_used(const flat_model *flat, uint32_t clip)
{
    const stele_clip *c = &flat->model->clips[clip];
    for (size_t i = 0; i < c->channel_count; i++)
        if (moves_joint(flat, &c->channels[i]))
            return true;
    return false;
}

bool st_flat_afford(context *c, uint32_t clip, double poses)
{
    enum { MOST_VALUES = 1 << 28 }; /* hours of any animation */
    size_t channels = clip < c->save->model->clip_count ? c->save->model->clips[clip].channel_count : 0;
    c->save->pose_values += poses * ((double)c->save->model->node_count + (double)channels);
    if (c->save->pose_values > MOST_VALUES && c->fits)
        st_refuse(
            c, at_path("", 1),
            st_arena_format(c->arena, "the poses of all its nodes at all times would need %.0f values", c->save->pose_values));
    return c->fits;
}

void st_flat_pose(context *c, const flat_model *flat, uint32_t clip, double seconds, double (*scratch)[16], matrix *joints)
{
    st_evaluate_nodes(flat->model, clip, seconds, scratch);
    for (size_t i = 0; i < flat->joint_count; i++) {
        matrix world = matrix_at(scratch, flat->joints[i].node);
        joints[i] = st_matrix_product(&flat->from_model, &world);
        if (st_matrix_fits_floats(&world) && st_matrix_fits_floats(&joints[i]))
            continue;
        if (c->fits)
            st_refuse(c, at_path("", 1), "its clips move joints beyond what floats hold");
        joints[i] = st_matrix_identity();
        memcpy(scratch[flat->joints[i].node], joints[i].m, sizeof joints[i].m);
    }
}
