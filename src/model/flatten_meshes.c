/* The meshes of a flat model: what nodes draw, in the space of the target. */
#include <float.h>
#include <math.h>

#include "base/bytes.h"
#include "base/order.h"
#include "base/scan.h"
#include "base/trig.h"
#include "evaluate.h"
#include "flattening.h"
#include "ops.h"

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
            reach += fabs(by->m[4 * k + r]) * greater(fabs((double)b.min[k]), fabs((double)b.max[k]));
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

/* Where a surface is scaled to nothing, its normals stay as they are in the space of the model. */
static void transform_normal(const matrix *m, const matrix *from_model, const uint8_t *from, float to[3])
{
    transform_row(m, VECTOR_NORMAL, true, from, to);
    if (to[0] == 0 && to[1] == 0 && to[2] == 0)
        transform_row(from_model, VECTOR_NORMAL, true, from, to);
}

/* The first three floats of each row transformed; normals and the directions of tangents come out with length 1. */
static stele_view transformed(flattener *f, const stele_view *view, const matrix *by, vector_kind kind, bool unit)
{
    uint8_t *bytes;
    stele_view made = st_view_make(f->arena, view->count, STELE_F32, view->components, &bytes);
    matrix m = kind == VECTOR_NORMAL ? st_matrix_of_normals(by) : *by;
    matrix from_model = st_matrix_of_normals(&f->flat->from_model);
    f->failed |= !bytes;
    for (uint64_t i = 0; i < made.count; i++) {
        const uint8_t *from = st_view_at(view, i);
        uint8_t *to = bytes + i * made.stride;
        float row[3];
        if (kind == VECTOR_NORMAL && unit)
            transform_normal(&m, &from_model, from, row);
        else
            transform_row(&m, kind, unit, from, row);
        for (uint32_t k = 0; k < 3; k++)
            store_f32(to + 4 * k, row[k]);
        if (view->components == 4)
            memcpy(to + 12, from + 12, 4);
    }
    return made;
}

void st_flat_position(const flat_mesh *mesh, uint64_t vertex, float position[3])
{
    if (mesh->in_place)
        transform_row(&mesh->place, VECTOR_POINT, false, st_view_at(&mesh->position, vertex), position);
    else
        view_row(&mesh->position, vertex, 3, position);
}

void st_flat_normal(const flat_mesh *mesh, uint64_t vertex, float normal[3])
{
    if (mesh->in_place)
        transform_normal(&mesh->place_of_normals, &mesh->normals_from_model, st_view_at(&mesh->normal, vertex), normal);
    else
        view_row(&mesh->normal, vertex, 3, normal);
}

/* Mirrored triangles are turned round; what is unindexed gets indices. Incomplete triangles and lines are left out. */
static stele_view indices_of(flattener *f, const stele_primitive *p, bool mirrored)
{
    uint64_t count = st_element_count(p) * st_element_corners(p->topology);
    uint8_t *bytes;
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
        store_uint(bytes + i * made.stride, p->indices.count ? st_view_integer(&p->indices, from) : from, made.stride);
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
            st_flatten_refuse(f, "", st_flatten_too_far);
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
        st_flatten_refuse(f, "", st_flatten_too_far);
    m->position = position;
    m->normal = normal;
}

/* What vertices are multiplied with. */
static matrix place_of(flattener *f, uint32_t node_index, bool evaluated)
{
    const stele_node *node = &f->model->nodes[node_index];
    if (evaluated)
        return st_flatten_snapped(f->flat->from_model);
    if (node->skin != STELE_NONE)
        return f->bake[node->skin];
    matrix world = st_matrix_of_doubles(f->rest[node_index]);
    return st_flatten_snapped(st_matrix_product(&f->flat->from_model, &world));
}

/* Everything of a primitive that is the same wherever it is drawn. */
static flat_mesh mesh_of(flattener *f, uint32_t node_index, uint32_t primitive)
{
    const stele_node *node = &f->model->nodes[node_index];
    const stele_mesh *mesh = &f->model->meshes[node->mesh];
    const stele_primitive *p = &mesh->primitives[primitive];
    return (flat_mesh){.name = mesh->name ? mesh->name : node->name,
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
}

static void move_to(flattener *f, const matrix *place, flat_mesh *m)
{
    char path[WALK_PATH];
    if (!stays_finite(&m->position, place)) {
        st_flatten_refuse(f, st_path(path, "node[%u]", m->node), st_flatten_too_far);
        return;
    }
    if (f->wishes->in_place) {
        m->in_place = true;
        m->place = *place;
        m->place_of_normals = st_matrix_of_normals(place);
        m->normals_from_model = st_matrix_of_normals(&f->flat->from_model);
        m->tangent = (stele_view){0};
        return;
    }
    m->position = transformed(f, &m->position, place, VECTOR_POINT, false);
    if (m->normal.count)
        m->normal = transformed(f, &m->normal, place, VECTOR_NORMAL, true);
    if (m->tangent.count)
        m->tangent = transformed(f, &m->tangent, place, VECTOR_DIRECTION, true);
}

static flat_mesh flat_primitive(flattener *f, uint32_t node, uint32_t primitive)
{
    flat_mesh m = mesh_of(f, node, primitive);
    bool evaluated = deformed_at_rest(f, &f->model->nodes[node], m.source);
    matrix place = place_of(f, node, evaluated);
    if (!m.normal.count && f->wishes->normals && m.vertex_count && m.topology == STELE_TRIANGLES) {
        m.normal = st_normals_of(f->arena, m.source);
        f->failed |= !m.normal.count;
        f->made_normals++;
    }
    if (evaluated)
        evaluate_at_rest(f, node, primitive, &m);
    m.indices = indices_of(f, m.source, st_matrix_determinant(&place) < 0);
    m.morphs = morphs_of(f, m.source, &place);
    if (!st_matrix_is_identity(&place) && !f->failed)
        move_to(f, &place, &m);
    return m;
}

/* The joints and weights of a primitive, set by set; nodes that draw the same one after another share them. */
static void find_sets(flattener *f, flat_mesh *m)
{
    const stele_primitive *p = m->source;
    size_t each = f->model->meshes[m->mesh].primitive_count;
    const flat_mesh *before = f->flat->mesh_count > each ? m - each : NULL;
    if (before && before->source == p && before->sets) {
        m->sets = before->sets;
        m->set_count = before->set_count;
        return;
    }
    influence_set *sets = st_arena_array(f->arena, p->attribute_count, sizeof *sets);
    f->failed |= !sets || !st_work(f->arena, p->attribute_count, p->attribute_count);
    for (size_t i = 0; !f->failed && i < p->attribute_count; i++) {
        const stele_attribute *joints = &p->attributes[i];
        const stele_view *weights =
            joints->semantic == STELE_JOINTS ? stele_primitive_view(p, STELE_WEIGHTS, joints->set) : NULL;
        if (weights)
            sets[m->set_count++] = (influence_set){&joints->view, weights};
    }
    m->sets = sets;
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
        find_sets(f, m);
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

/* What it takes to make a primitive fit for a target, and to write it. */
static uint64_t work_of(flattener *f, uint32_t node, const stele_primitive *p)
{
    enum { EVEN_IF_EMPTY = 2000, VERTEX_WORK = 100, INFLUENCE_WORK = 24, INDEX_WORK = 8 };
    uint64_t sets = 0;
    for (size_t i = 0; i < p->attribute_count && f->wishes->skeleton; i++)
        sets += p->attributes[i].semantic == STELE_JOINTS;
    return EVEN_IF_EMPTY + st_work_of_vertices(f->model, node, p, STELE_NONE) +
           p->vertex_count * (VERTEX_WORK + 4 * INFLUENCE_WORK * sets) + p->indices.count * INDEX_WORK;
}

/* A small file can draw one mesh so often that nobody has the time. */
static bool can_draw_all(flattener *f, const uint32_t *nodes, size_t node_count)
{
    uint64_t work = 0;
    uint32_t mesh = STELE_NONE;
    for (size_t i = 0; i < node_count && !f->failed; i++) {
        const stele_mesh *m = &f->model->meshes[f->model->nodes[nodes[i]].mesh];
        /* the nodes of a mesh follow each other, and most have no skin */
        if (f->model->nodes[nodes[i]].mesh != mesh || f->model->nodes[nodes[i]].skin != STELE_NONE) {
            work = 0;
            for (size_t k = 0; k < m->primitive_count; k++)
                work += work_of(f, nodes[i], &m->primitives[k]);
        }
        mesh = f->model->nodes[nodes[i]].skin == STELE_NONE ? f->model->nodes[nodes[i]].mesh : STELE_NONE;
        f->failed |= !st_work(f->arena, 1, work);
    }
    return !f->failed;
}

void st_flatten_meshes(flattener *f, const uint32_t *nodes, size_t node_count)
{
    const stele_model *model = f->model;
    uint64_t count = 0;
    if (f->failed || !can_draw_all(f, nodes, node_count))
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
            flat_mesh *m = &f->flat->meshes[f->flat->mesh_count++];
            *m = flat_primitive(f, nodes[i], k);
            connect(f, joint_maps, m);
        }
    }
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
    for (size_t i = 0; i < mesh->set_count; i++) {
        const stele_view *joints = mesh->sets[i].joints, *weights = mesh->sets[i].weights;
        for (uint32_t k = 0; k < joints->components && k < weights->components; k++) {
            double weight = stele_view_number(weights, vertex, k);
            uint64_t joint = settled_u64((uint64_t)stele_view_number(joints, vertex, k));
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
