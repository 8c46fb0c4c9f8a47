/* The surface of a CTC: vertices that differ in texture coordinates or colour only become one, for those belong to corners. */
#include <math.h>

#include "base/hash.h"
#include "base/order.h"
#include "base/srgb.h"
#include "model/evaluate.h"
#include "model/flatten.h"
#include "raw.h"

typedef unsigned long long number; /* for printf */

/* ---- Lists and skins ---- */

/* List i has skin i. If each mesh has a material of its own, in their order, the skins are the materials; otherwise every mesh
 * brings its skin. */
static bool materials_are_skins(const ctc_saver *a)
{
    for (size_t i = 0; i < a->flat.mesh_count; i++) {
        uint32_t material = a->flat.meshes[i].material;
        if (material == STELE_NONE || (i && material <= a->flat.meshes[i - 1].material))
            return false;
    }
    return true;
}

static const char *skin_name(ctc_saver *a, uint32_t material)
{
    uint32_t texture = STELE_NONE;
    if (material != STELE_NONE)
        texture = a->c->save->model->materials[material].textures[STELE_ROLE_BASE_COLOR].texture;
    return texture == STELE_NONE ? "" : st_save_texture_name(a->c, texture, TEXTURE_ANY_TYPE);
}

/* Where meshes are skins, materials of no mesh are lost. */
static void report_unused(ctc_saver *a)
{
    uint64_t unused = a->c->save->model->material_count;
    uint8_t *used = st_need(a->c, unused, 1);
    for (size_t i = 0; used && i < a->flat.mesh_count; i++) {
        uint32_t material = a->flat.meshes[i].material;
        if (material == STELE_NONE || used[material])
            continue;
        used[material] = 1;
        unused--;
    }
    st_lose(a->c, DIAG_LOSS_MATERIAL, unused, "", "has a skin for each mesh: %llu materials of no mesh dropped",
            (number)unused);
}

static void save_lists(ctc_saver *a)
{
    const stele_model *model = a->c->save->model;
    bool by_material = materials_are_skins(a);
    uint64_t count = by_material ? model->material_count : a->flat.mesh_count;
    ctc_skin *skins = st_need(a->c, count, sizeof *skins);
    uint8_t *sizes = st_need(a->c, count, 4);
    if (!skins || !sizes)
        return;
    for (uint64_t i = 0; i < count; i++)
        skins[i].name = st_ctc_fixed(a, skin_name(a, by_material ? (uint32_t)i : a->flat.meshes[i].material), 64, true);
    for (size_t i = 0; i < a->flat.mesh_count; i++) {
        uint64_t list = by_material ? a->flat.meshes[i].material : i;
        store_uint(sizes + 4 * list, a->flat.meshes[i].indices.count / 3, 4);
    }
    a->file->skin = skins;
    a->file->rows[CTC_TRI_LISTS] = (span){sizes, count, 4};
    st_ctc_set_word(a, CTC_SKIN_COUNT, count);
    st_ctc_set_word(a, CTC_TRI_LIST_COUNT, count);
    if (!by_material)
        report_unused(a);
}

/* ---- The names of morphs: those of all meshes, each once ---- */

typedef struct morph_names {
    const char **name;
    uint32_t count, known; /* known: those of the meshes before */
} morph_names;

/* Morphs of one mesh are different, whatever their names; those of several are the same if their names are. */
static uint32_t number_of_morph(morph_names *names, arena *a, const char *name, size_t index)
{
    if (!name || !*name)
        name = st_arena_format(a, "morph%zu", index);
    if (index < names->known && strcmp(names->name[index], name) == 0)
        return (uint32_t)index; /* as a rule */
    for (uint32_t i = 0; i < names->known; i++)
        if (strcmp(names->name[i], name) == 0)
            return i;
    names->name[names->count] = name;
    return names->count++;
}

/* ---- What a mesh does to a vertex in its morphs ---- */

typedef struct morph_move {
    uint32_t morph, next; /* next: of the same vertex, plus one */
    double way[3];
} morph_move;

typedef struct morph_moves {
    uint32_t *first; /* of each vertex, plus one; NULL: there are none */
    morph_move *move;
} morph_moves;

static void add_moves(morph_moves *moves, uint32_t *count, const stele_morph *morph, uint32_t number_of, uint64_t vertex_count)
{
    for (uint64_t i = 0; i < morph->position.count; i++) {
        uint64_t vertex = morph->vertices.count ? st_view_index(&morph->vertices, i, vertex_count) : i;
        morph_move move = {.morph = number_of};
        for (uint32_t k = 0; k < 3; k++)
            move.way[k] = stele_view_number(&morph->position, i, k);
        if (vertex >= vertex_count || (move.way[0] == 0 && move.way[1] == 0 && move.way[2] == 0))
            continue;
        uint32_t before = moves->first[vertex];
        if (before && moves->move[before - 1].morph == number_of) {
            memcpy(moves->move[before - 1].way, move.way, sizeof move.way); /* listed twice: the last one counts */
            continue;
        }
        move.next = before;
        moves->move[(*count)++] = move;
        moves->first[vertex] = *count;
    }
}

static morph_moves find_moves(ctc_saver *a, const flat_mesh *mesh, morph_names *names)
{
    morph_moves moves = {0};
    uint64_t most = 0;
    uint32_t count = 0;
    for (size_t i = 0; i < mesh->morph_count; i++)
        most += mesh->morphs[i].position.count;
    if (!mesh->morph_count)
        return moves;
    moves.first = st_need(a->c, mesh->vertex_count, sizeof *moves.first);
    moves.move = st_need(a->c, most, sizeof *moves.move);
    a->c->fits &= most < UINT32_MAX;
    names->known = names->count;
    for (size_t i = 0; a->c->fits && i < mesh->morph_count; i++) {
        uint32_t morph = number_of_morph(names, a->c->arena, mesh->morphs[i].name, i);
        add_moves(&moves, &count, &mesh->morphs[i], morph, mesh->vertex_count);
    }
    return moves;
}

/* ---- Vertices: the bytes of all that a vertex has are its identity ---- */

enum { MOST_VERTICES = 65536 };

/* A record: position and normal, the number of influences and each as bone and weight, the number of moves and each as morph
 * and target. */
typedef struct pool {
    ctc_saver *saver;
    uint8_t *records;
    uint64_t size, capacity;
    uint64_t *start; /* of each vertex, and the end */
    uint32_t count;
    hash_table vertices;
    uint8_t *scratch; /* a record in the making */
    morph_names morphs;
    uint64_t cut_influences;
} pool;

static bool make_pool(pool *p, uint64_t morphs)
{
    context *c = p->saver->c;
    p->start = st_need(c, MOST_VERTICES + 1, sizeof *p->start);
    p->scratch = st_need(c, 1, (size_t)(VERTEX_BYTES + 4 + 8 * MOST_INFLUENCES + 4 + 16 * morphs));
    p->morphs.name = st_need(c, morphs, sizeof *p->morphs.name);
    return c->fits &= st_hash_make(&p->vertices, c->arena, MOST_VERTICES);
}

static bool is_record(const pool *p, uint32_t vertex, const uint8_t *record, uint64_t size)
{
    return p->start[vertex + 1] - p->start[vertex] == size && memcmp(p->records + p->start[vertex], record, (size_t)size) == 0;
}

static void append_record(pool *p, const uint8_t *record, uint64_t size)
{
    if (size > p->capacity - p->size) {
        uint64_t capacity = 2 * p->capacity + size;
        uint8_t *larger = st_need(p->saver->c, capacity, 1);
        if (!larger)
            return;
        if (p->size)
            memcpy(larger, p->records, (size_t)p->size);
        p->records = larger;
        p->capacity = capacity;
    }
    memcpy(p->records + p->size, record, (size_t)size);
    p->size += size;
    p->start[++p->count] = p->size;
}

/* The number of the vertex with the content of the scratch record. */
static uint32_t vertex_of(pool *p, uint64_t size)
{
    uint32_t found, hash = hash_end(hash_bytes(0, p->scratch, size));
    for (hash_probe probe = hash_at(&p->vertices, hash); (found = hash_next(&probe)) != STELE_NONE;)
        if (is_record(p, found, p->scratch, size))
            return found;
    if (p->count == MOST_VERTICES) {
        st_refuse(p->saver->c, at_path("vertex_count", 1), "indices reach 65536 vertices");
        return 0;
    }
    st_hash_add(&p->vertices, p->saver->c->arena, hash, p->count); /* there is room */
    append_record(p, p->scratch, size);
    return p->count - 1;
}

static uint8_t *put_floats(uint8_t *at, const double *numbers, int count)
{
    for (int i = 0; i < count; i++)
        store_f32(at + 4 * i, st_ctc_float(numbers[i]) + 0.0f); /* 0 and -0 are the same vertex */
    return at + 4 * count;
}

/* The influences of bones; those that follow the main key have none. */
static size_t bones_of(pool *p, const flat_mesh *mesh, uint64_t vertex, influence *influences)
{
    size_t all, count = st_flat_influences(mesh, vertex, influences, MOST_INFLUENCES, &all), kept = 0;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t bone = p->saver->bone_of_joint[influences[i].joint];
        if (bone == STELE_NONE)
            continue;
        sum += influences[i].weight;
        influences[kept++] = (influence){bone, influences[i].weight};
    }
    p->cut_influences += kept && kept < all;
    for (size_t i = 0; kept < count && i < kept; i++)
        influences[i].weight /= sum;
    return kept;
}

static uint32_t intern(pool *p, const flat_mesh *mesh, const morph_moves *moves, uint64_t vertex)
{
    influence influences[MOST_INFLUENCES];
    size_t count = bones_of(p, mesh, vertex, influences);
    matrix space = st_ctc_space(p->saver, count ? influences[0].joint : STELE_NONE), turn = st_matrix_of_normals(&space);
    double position[3], normal[3], placed[3], turned[3];
    bool moved = !st_matrix_is_identity(&space);
    uint8_t *at = p->scratch;
    for (uint32_t i = 0; i < 3; i++) {
        position[i] = placed[i] = stele_view_number(&mesh->position, vertex, i);
        normal[i] = turned[i] = stele_view_number(&mesh->normal, vertex, i);
    }
    if (moved) {
        st_matrix_point(&space, position, placed);
        st_matrix_direction(&turn, normal, turned);
        normalize3(turned);
    }
    at = put_floats(put_floats(at, placed, 3), turned, 3);
    store_uint(at, count, 4);
    at += 4;
    for (size_t i = 0; i < count; i++, at += 8) {
        store_uint(at, influences[i].joint, 4);
        store_f32(at + 4, (float)influences[i].weight);
    }
    uint8_t *move_count = at;
    store_uint(move_count, 0, 4);
    at += 4;
    for (uint32_t m = moves->first ? moves->first[vertex] : 0; m; m = moves->move[m - 1].next) {
        double way[3], target[3];
        st_matrix_direction(&space, moves->move[m - 1].way, way);
        for (int i = 0; i < 3; i++)
            target[i] = placed[i] + way[i];
        store_uint(at, moves->move[m - 1].morph, 4);
        at = put_floats(at + 4, target, 3);
        store_uint(move_count, load_u32(move_count) + 1, 4);
    }
    return vertex_of(p, (uint64_t)(at - p->scratch));
}

/* ---- Corners ---- */

typedef struct corners {
    uint8_t *indices, *uvs, *colors; /* colors: NULL if there are none */
    uint64_t count, room;
    uint64_t rounded;           /* colours that 8 bits do not hold */
    uint64_t otherwise_blended; /* meshes whose colours tell otherwise than their materials do */
} corners;

static bool is_colored(const ctc_saver *a, const flat_mesh *mesh)
{
    static const float white[4] = {1, 1, 1, 1};
    return mesh->color.count || (mesh->material != STELE_NONE &&
                                 memcmp(a->c->save->model->materials[mesh->material].base_color, white, sizeof white) != 0);
}

/* White is the colour that is not set, and what is set must not look like it. False if it comes back as another. */
static bool store_color(uint8_t *bytes, const double rgba[4])
{
    bool white = true, exact = true;
    for (int i = 0; i < 4; i++) {
        double value = lesser(greater(rgba[i], 0), 1);
        bytes[i] = i == 3 ? (uint8_t)(255 * value + 0.5) : st_srgb_byte((float)value);
        white &= i == 3 || bytes[i] == 255;
        exact &= fabs(rgba[i] - (i == 3 ? bytes[i] / 255.0 : (double)st_srgb_linear[bytes[i]])) <= 1e-5;
    }
    if (white)
        memcpy(bytes, st_ctc_unset, sizeof st_ctc_unset);
    else if (memcmp(bytes, st_ctc_unset, sizeof st_ctc_unset) == 0) {
        bytes[2]--;
        exact = false;
    }
    return exact;
}

/* A CTC has no colour of a material: the corners take it. */
static void color_of(const ctc_saver *a, const flat_mesh *mesh, uint64_t vertex, double rgba[4])
{
    for (uint32_t i = 0; i < 4; i++) {
        rgba[i] = mesh->color.count ? stele_view_number(&mesh->color, vertex, i) : 1;
        if (mesh->material != STELE_NONE)
            rgba[i] *= (double)a->c->save->model->materials[mesh->material].base_color[i];
    }
}

static void add_corner(corners *c, uint32_t vertex, const double uv[2], const double rgba[4])
{
    store_uint(c->indices + 2 * c->count, vertex, 2);
    put_floats(c->uvs + 8 * c->count, uv, 2);
    if (c->colors)
        c->rounded += !store_color(c->colors + 4 * c->count, rgba);
    c->count++;
}

/* ---- Meshes ---- */

/* Blended is what has colours that are not opaque. */
static void compare_blending(const ctc_saver *a, const flat_mesh *mesh, corners *c)
{
    stele_alpha_mode mode =
        mesh->material == STELE_NONE ? STELE_OPAQUE : a->c->save->model->materials[mesh->material].alpha_mode;
    bool blended = false;
    for (uint64_t i = c->count - mesh->indices.count; c->colors && i < c->count; i++)
        blended |= c->colors[4 * i + 3] < 255;
    if (mode != STELE_MASK) /* which is lost anyway */
        c->otherwise_blended += blended != (mode == STELE_BLEND);
}

static void save_mesh(pool *p, const flat_mesh *mesh, corners *c)
{
    const ctc_saver *a = p->saver;
    const stele_view *uvs = st_flat_uv(&a->flat, mesh);
    morph_moves moves = find_moves(p->saver, mesh, &p->morphs);
    uint32_t *vertices = st_need(a->c, mesh->vertex_count, sizeof *vertices);
    for (uint64_t i = 0; a->c->fits && i < mesh->vertex_count; i++)
        vertices[i] = intern(p, mesh, &moves, i);
    for (uint64_t i = 0; a->c->fits && i < mesh->indices.count; i++) {
        uint64_t turned = a->reverse && i % 3 ? i / 3 * 3 + (3 - i % 3) : i;
        uint64_t vertex = st_view_index(&mesh->indices, turned, mesh->vertex_count);
        double uv[2] = {0, 0}, rgba[4];
        for (uint32_t k = 0; uvs->count && k < 2; k++)
            uv[k] = stele_view_number(uvs, vertex, k);
        color_of(a, mesh, vertex, rgba);
        add_corner(c, vertices[vertex], uv, rgba);
    }
    if (a->c->fits)
        compare_blending(a, mesh, c);
}

/* ---- Attachments: a triangle at the end, of its own vertices ---- */

static uint32_t intern_point(pool *p, const double point[3], const double normal[3], uint32_t bone)
{
    uint8_t *at = put_floats(put_floats(p->scratch, point, 3), normal, 3);
    store_uint(at, bone != STELE_NONE, 4);
    at += 4;
    if (bone != STELE_NONE) {
        store_uint(at, bone, 4);
        store_f32(at + 4, 1);
        at += 8;
    }
    store_uint(at, 0, 4);
    return vertex_of(p, (uint64_t)(at + 4 - p->scratch));
}

/* Where an attachment is, in the space of the vertices of its bone: at rest, taken back to where the bone is bound. */
static matrix attachment_place(const ctc_saver *a, uint32_t node, uint32_t bone, double (*nodes)[16])
{
    matrix back, space = st_ctc_space(a, bone);
    matrix world = st_matrix_of_doubles(nodes[node]), place = st_matrix_product(&a->flat.from_model, &world);
    if (bone != STELE_NONE) {
        const flat_joint *joint = &a->flat.joints[a->joint_of_bone[bone]];
        matrix bind;
        st_matrix_inverse(&joint->rest, &back);
        st_matrix_inverse(&joint->inverse_bind, &bind);
        place = st_matrix_product(&back, &place);
        place = st_matrix_product(&bind, &place);
    }
    return st_matrix_product(&space, &place);
}

static void save_attachment(pool *p, uint32_t index, double (*nodes)[16], corners *c, ctc_attachment *attachment)
{
    static const double usual[] = {1, 0, 1}, nowhere[2] = {0, 0}, white[4] = {1, 1, 1, 1};
    ctc_saver *a = p->saver;
    const stele_node *node = &a->c->save->model->nodes[index];
    const stele_property *shape = stele_find_property(&node->properties, CTC_TRIANGLE_KEY);
    const double *numbers = shape && shape->number_count == 3 ? shape->numbers : usual;
    const double points[3][3] = {{0, 0, 0}, {numbers[0], 0, 0}, {numbers[1], numbers[2], 0}};
    const double up[3] = {0, 0, a->reverse ? -1 : 1};
    uint32_t bone = st_ctc_bone_above(a, index);
    matrix place = attachment_place(a, index, bone, nodes), turn = st_ctc_rotation(&place);
    double normal[3], point[3];
    uint8_t *triangle = st_need(a->c, 4, 1);
    st_matrix_direction(&turn, up, normal);
    attachment->name = st_ctc_fixed(a, node->name ? node->name : "", 8, false);
    attachment->triangle = (span){triangle, 1, 4};
    if (triangle)
        store_uint(triangle, c->count / 3, 4);
    for (int i = 0; i < 3; i++) {
        st_matrix_point(&place, points[i], point);
        add_corner(c, intern_point(p, point, normal, bone), nowhere, white);
    }
}

static void save_attachments(pool *p, corners *c, uint32_t count)
{
    ctc_saver *a = p->saver;
    const stele_model *model = a->c->save->model;
    double(*nodes)[16] = st_need(a->c, model->node_count, sizeof *nodes);
    uint32_t done = 0;
    a->file->attachment = st_need(a->c, count, sizeof *a->file->attachment);
    if (a->c->fits)
        st_evaluate_nodes(model, STELE_NONE, 0, nodes);
    for (uint32_t i = 0; a->c->fits && i < model->node_count; i++)
        if (model->nodes[i].attachment)
            save_attachment(p, i, nodes, c, &a->file->attachment[done++]);
    st_ctc_set_word(a, CTC_ATTACHMENT_COUNT, count);
}

/* ---- From records to sections ---- */

static const uint8_t *influences_in(const pool *p, uint32_t vertex)
{
    return p->records + p->start[vertex] + VERTEX_BYTES;
}

static uint64_t influence_bytes(const pool *p, uint32_t vertex)
{
    return 4 + 8 * (uint64_t)load_u32(influences_in(p, vertex));
}

static const uint8_t *moves_in(const pool *p, uint32_t vertex)
{
    return influences_in(p, vertex) + influence_bytes(p, vertex);
}

static void save_vertices(const pool *p)
{
    ctc_saver *a = p->saver;
    uint64_t size = (uint64_t)p->count * VERTEX_BYTES;
    uint8_t *vertices = st_need(a->c, size, 1), *output = st_need(a->c, size, 1);
    for (uint32_t i = 0; vertices && i < p->count; i++)
        memcpy(vertices + (uint64_t)i * VERTEX_BYTES, p->records + p->start[i], VERTEX_BYTES);
    a->file->rows[CTC_VERTICES] = (span){vertices, p->count, VERTEX_BYTES};
    a->file->rows[CTC_OUTPUT_VERTICES] = (span){output, p->count, VERTEX_BYTES};
    st_ctc_set_word(a, CTC_VERTEX_COUNT, p->count);
}

/* Neighbours with equally many influences are one run. */
static void save_weights(const pool *p)
{
    ctc_saver *a = p->saver;
    uint64_t size = 0, runs = 0;
    for (uint32_t i = 0; i < p->count; i++)
        size += influence_bytes(p, i);
    uint8_t *bytes = st_need(a->c, size, 1);
    ctc_weight_run *run = st_need(a->c, p->count, sizeof *run);
    for (uint32_t i = 0; bytes && run && i < p->count; i++) {
        uint64_t row = influence_bytes(p, i);
        memcpy(bytes, influences_in(p, i), (size_t)row);
        if (!runs || run[runs - 1].vertices.stride != row)
            run[runs++] = (ctc_weight_run){load_u32(bytes), {bytes, 0, (uint32_t)row}};
        run[runs - 1].vertices.count++;
        bytes += row;
    }
    a->file->weights_magic = (span){(const uint8_t *)"STGW", 1, 4};
    a->file->weight_run = run;
    a->file->weight_run_count = runs;
}

/* The rows of all morphs: once to count them, and again to fill them in. */
static void list_moves(const pool *p, ctc_morph *morphs, bool fill)
{
    for (uint32_t v = 0; v < p->count; v++) {
        const uint8_t *move = moves_in(p, v) + 4;
        for (uint32_t i = load_u32(moves_in(p, v)); i; i--, move += 16) {
            ctc_morph *morph = &morphs[load_u32(move)];
            if (fill) {
                store_uint((uint8_t *)morph->vertices.data + 4 * morph->vertices.count, v, 4);
                memcpy((uint8_t *)morph->targets.data + 12 * morph->vertices.count, move + 4, 12);
            }
            morph->vertices.count++;
        }
    }
}

static void save_morphs(const pool *p)
{
    ctc_saver *a = p->saver;
    context *c = a->c;
    ctc_morph *morphs = st_need(c, p->morphs.count, sizeof *morphs);
    if (!morphs)
        return;
    list_moves(p, morphs, false);
    for (uint32_t i = 0; i < p->morphs.count; i++) {
        uint64_t count = morphs[i].vertices.count;
        morphs[i] = (ctc_morph){.name = st_ctc_fixed(a, p->morphs.name[i], 16, true),
                                .vertex_count = (uint32_t)count,
                                .scratch = {st_need(c, 12, 1), 1, 12},
                                .vertices = {st_need(c, count, 4), 0, 4},
                                .targets = {st_need(c, count, 12), count, 12}};
    }
    if (c->fits)
        list_moves(p, morphs, true);
    a->file->morph = morphs;
    st_ctc_set_word(a, CTC_MORPH_COUNT, p->morphs.count);
}

static void save_corners(ctc_saver *a, const corners *c)
{
    a->file->rows[CTC_INDICES] = (span){c->indices, c->count, 2};
    a->file->rows[CTC_UVS] = (span){c->uvs, c->count / 3, 8 * 3};
    a->file->rows[CTC_COLORS] = (span){c->colors, c->colors ? c->count : 0, 4};
    st_ctc_set_word(a, CTC_TRIANGLE_COUNT, c->count / 3);
    st_ctc_set_word(a, CTC_COLOR_COUNT, c->colors ? c->count : 0);
}

/* ---- All of it ---- */

typedef struct survey {
    uint64_t corners, morphs, without_uvs;
    uint32_t attachments;
    bool colored;
} survey;

static survey look_around(const ctc_saver *a)
{
    survey s = {0};
    for (size_t i = 0; i < a->flat.mesh_count; i++) {
        const flat_mesh *mesh = &a->flat.meshes[i];
        s.corners += mesh->indices.count;
        s.morphs += mesh->morph_count;
        s.without_uvs += !st_flat_uv(&a->flat, mesh)->count;
        s.colored |= is_colored(a, mesh);
    }
    for (size_t i = 0; i < a->c->save->model->node_count; i++)
        s.attachments += a->c->save->model->nodes[i].attachment;
    s.corners += 3 * (uint64_t)s.attachments;
    return s;
}

void st_ctc_save_mesh(ctc_saver *a)
{
    context *c = a->c;
    survey s = look_around(a);
    pool p = {.saver = a};
    corners all = {.indices = st_need(c, s.corners, 2),
                   .uvs = st_need(c, s.corners, 8),
                   .colors = s.colored ? st_need(c, s.corners, 4) : NULL};
    if (!c->fits || !make_pool(&p, s.morphs))
        return;
    for (size_t i = 0; c->fits && i < a->flat.mesh_count; i++)
        save_mesh(&p, &a->flat.meshes[i], &all);
    if (c->fits)
        save_attachments(&p, &all, s.attachments);
    if (!c->fits)
        return;
    save_lists(a);
    save_vertices(&p);
    save_weights(&p);
    save_morphs(&p);
    save_corners(a, &all);
    st_report_uvs(a->c, &a->flat);
    st_lose(c, DIAG_LOSS_PRECISION, all.rounded, "colors", "has colours of 8 bits: those of %llu corners are rounded",
            (number)all.rounded);
    st_lose(c, DIAG_LOSS_MATERIAL, all.otherwise_blended, "",
            "blends what has translucent colours, and nothing else: %llu mesh%s", (number)all.otherwise_blended,
            all.otherwise_blended == 1 ? " changes" : "es change");
    st_lose(a->c, DIAG_LOSS_INFLUENCES, p.cut_influences, "", "has no weights of the main key: %llu vertices lose some",
            (number)p.cut_influences);
    if (s.without_uvs)
        st_diag(c->diags, DIAG_UVS_MADE, at_path("", s.without_uvs),
                "a CTC has texture coordinates everywhere: %llu meshes without them got zeros", (number)s.without_uvs);
}
