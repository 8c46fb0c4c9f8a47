/* A model as MESH: written as B2, or as C1 where there is a root transform, and adapted from there. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/order.h"
#include "model/save_skeleton.h"
#include "raw.h"

typedef struct mesh_saver {
    context *c;
    mesh_file *file;
    flat_model flat;
    joint_numbers numbers;
    mesh_vertex vertex;
    uint64_t vertex_count, index_count;
    uint64_t rounded;           /* vertices whose weights are not exact */
    uint64_t too_many, sheared; /* vertices with more joints than fit, poses */
} mesh_saver;

/* ---- The mesh ---- */

/* What some mesh has, all vertices get. */
static void choose_format(mesh_saver *m)
{
    uint16_t format = FORMAT_POSITION;
    for (size_t i = 0; i < m->flat.mesh_count; i++) {
        const flat_mesh *mesh = &m->flat.meshes[i];
        format |= mesh->normal.count ? FORMAT_NORMAL : 0;
        format |= st_flat_uv(&m->flat, mesh)->count ? FORMAT_UV : 0;
        format |= m->numbers.count && (mesh->joint_map || mesh->rigid_joint != STELE_NONE) ? FORMAT_JOINTS : 0;
        m->vertex_count += mesh->vertex_count;
        m->index_count += mesh->indices.count;
    }
    m->file->format = format;
    m->vertex = st_mesh_vertex(m->file);
}

/* Weights of sum 255: rounded down, and what is left goes to those that lost most. Sorted, so that zeros come last. */
static void quantize(const influence *influences, size_t count, uint8_t weights[INFLUENCES])
{
    double lost[INFLUENCES];
    unsigned left = 255;
    for (size_t i = 0; i < count; i++) {
        double exact = influences[i].weight * 255, whole = floor(exact + 1e-9);
        weights[i] = (uint8_t)lesser(whole, left);
        lost[i] = exact - weights[i];
        left -= weights[i];
    }
    while (left && count) {
        size_t most = 0;
        for (size_t i = 1; i < count; i++)
            most = lost[i] > lost[most] ? i : most;
        weights[most]++;
        lost[most]--;
        left--;
    }
}

static void save_influences(mesh_saver *m, const flat_mesh *mesh, uint64_t vertex, uint8_t *joints)
{
    influence influences[INFLUENCES];
    uint8_t weights[INFLUENCES] = {0};
    size_t all, count = st_numbered_influences(&m->numbers, mesh, vertex, influences, INFLUENCES, &all);
    m->too_many += all > INFLUENCES;
    quantize(influences, count, weights);
    bool rounded = false;
    for (size_t i = 0; i < count; i++)
        rounded |= fabs(influences[i].weight * 255 - weights[i]) > 1e-3;
    m->rounded += rounded;
    for (size_t i = 0; i < INFLUENCES; i++) {
        joints[i] = i < count && weights[i] ? (uint8_t)influences[i].joint : NO_JOINT;
        joints[INFLUENCES + i] = weights[i];
    }
}

static void save_vertex(mesh_saver *m, const flat_mesh *mesh, uint64_t vertex, uint8_t *row)
{
    memcpy(row, st_view_at(&mesh->position, vertex), 12);
    if (m->vertex.normal && mesh->normal.count)
        memcpy(row + m->vertex.normal, st_view_at(&mesh->normal, vertex), 12);
    const stele_view *uvs = st_flat_uv(&m->flat, mesh);
    if (m->vertex.uv && uvs->count) {
        const uint8_t *uv = st_view_at(uvs, vertex);
        memcpy(row + m->vertex.uv, uv, 4);
        store_f32(row + m->vertex.uv + 4, 1 - load_f32(uv + 4));
    }
    if (m->vertex.joints)
        save_influences(m, mesh, vertex, row + m->vertex.joints);
}

/* All meshes become one. */
static void save_geometry(mesh_saver *m)
{
    mesh_file *f = m->file;
    uint8_t *vertices = st_need(m->c, m->vertex_count, m->vertex.bytes), *indices = st_need(m->c, m->index_count, 4);
    uint64_t vertex = 0, index = 0;
    if (!vertices || !indices)
        return;
    for (size_t i = 0; i < m->flat.mesh_count; i++) {
        const flat_mesh *mesh = &m->flat.meshes[i];
        for (uint64_t k = 0; k < mesh->indices.count; k++)
            store_uint(indices + 4 * index++, vertex + st_view_integer(&mesh->indices, k), 4);
        for (uint64_t v = 0; v < mesh->vertex_count; v++)
            save_vertex(m, mesh, v, vertices + vertex++ * m->vertex.bytes);
    }
    f->vertex_count = (uint32_t)m->vertex_count;
    f->index_count = (uint32_t)m->index_count;
    f->vertices = (span){vertices, m->vertex_count, m->vertex.bytes};
    f->indices = (span){indices, m->index_count, 4};
}

static void report_geometry(mesh_saver *m)
{
    if (m->flat.mesh_count > 1)
        st_lose(m->c, DIAG_LOSS_MERGED, m->flat.mesh_count, "", "holds one mesh: %zu merged", m->flat.mesh_count);
    st_report_uvs(m->c, &m->flat);
    st_lose(m->c, DIAG_LOSS_INFLUENCES, m->too_many, "vertices", "weights are 8 bits and 4 per vertex: %llu %s had more",
            (unsigned long long)m->too_many, m->too_many == 1 ? "vertex" : "vertices");
    st_lose(m->c, DIAG_LOSS_PRECISION, m->rounded, "vertices", "has weights of 8 bits: those of %llu %s rounded",
            (unsigned long long)m->rounded, m->rounded == 1 ? "vertex are" : "vertices are");
}

/* ---- The skeleton ---- */

static void store_rows(uint8_t *bytes, const matrix *m)
{
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++)
            store_f32(bytes + 4 * (4 * row + column), row == 3 ? (float)(column == 3) : (float)m->m[4 * column + row]);
}

static void save_joints(mesh_saver *m)
{
    mesh_file *f = m->file;
    uint8_t *joints = st_need(m->c, m->numbers.count, JOINT_BYTES);
    for (size_t i = 0; joints && i < m->flat.joint_count; i++) {
        const flat_joint *from = &m->flat.joints[i];
        if (m->numbers.of[i] == STELE_NONE)
            continue;
        uint8_t *joint = joints + (uint64_t)m->numbers.of[i] * JOINT_BYTES;
        joint[JOINT_ID] = (uint8_t)m->numbers.of[i];
        joint[JOINT_PARENT] = from->parent == STELE_NONE ? NO_JOINT : (uint8_t)m->numbers.of[from->parent];
        store_rows(joint + JOINT_BIND, &from->inverse_bind);
    }
    f->joint_count = (uint8_t)m->numbers.count;
    f->joints = (span){joints, m->numbers.count, JOINT_BYTES};
}

static void save_root(mesh_saver *m)
{
    uint8_t *root = st_need(m->c, MATRIX_FLOATS, 4);
    if (root)
        store_rows(root, &m->flat.root);
    m->file->root_transform = (span){root, MATRIX_FLOATS, 4};
}

/* ---- Clips ---- */

static span one_float(mesh_saver *m, double value)
{
    uint8_t *bytes = st_need(m->c, 1, 4);
    if (bytes)
        store_f32(bytes, (float)value);
    return (span){bytes, 1, 4};
}

static void save_pose(mesh_saver *m, const matrix *places, double (*before)[4], uint8_t *rows, uint32_t id_bytes)
{
    uint32_t stride = id_bytes + POSE_BYTES;
    for (size_t j = 0; j < m->flat.joint_count; j++) {
        transform local;
        if (m->numbers.of[j] == STELE_NONE)
            continue;
        m->sheared += !st_joint_local(&m->flat, places, j, before[j], &local);
        memcpy(before[j], local.rotation, sizeof before[j]);
        const double floats[POSE_FLOATS] = {local.translation[0], local.translation[1], local.translation[2], local.rotation[3],
                                            local.rotation[0],    local.rotation[1],    local.rotation[2],    local.scale[0],
                                            local.scale[1],       local.scale[2]};
        uint8_t *row = rows + (uint64_t)m->numbers.of[j] * stride;
        store_uint(row, m->numbers.of[j], id_bytes);
        for (int i = 0; i < POSE_FLOATS; i++)
            store_f32(row + id_bytes + 4 * i, (float)floats[i]);
    }
}

/* Every pose has every joint. */
static void save_poses(mesh_saver *m, uint32_t clip, const double *times, double ticks, mesh_animation *a)
{
    uint32_t id_bytes = stele_type_size(st_mesh_traits[m->file->raw.dialect].pose_joint), stride = id_bytes + POSE_BYTES;
    uint64_t rows = (uint64_t)a->pose_count * m->numbers.count;
    uint8_t *timestamps = st_need(m->c, a->pose_count, 4), *poses = st_need(m->c, rows, stride);
    matrix *places = st_need(m->c, m->flat.joint_count, sizeof *places);
    double(*before)[4] = st_need(m->c, m->flat.joint_count, sizeof *before);
    double(*scratch)[16] = st_need(m->c, m->flat.model->node_count, sizeof *scratch);
    if (!m->c->fits)
        return;
    for (uint64_t i = 0; i < a->pose_count; i++) {
        store_f32(timestamps + 4 * i, (float)(times[i] * ticks));
        st_flat_pose(m->c, &m->flat, clip, times[i], scratch, places);
        save_pose(m, places, before, poses + i * m->numbers.count * stride, id_bytes);
    }
    a->timestamps = (span){timestamps, a->pose_count, 4};
    a->poses = (span){poses, rows, stride};
}

/* Seconds are ticks, unless the clip was a MESH's and says otherwise. If it still has the poses that it had then, or one more
 * to hold the last until the end, its duration is what it was. */
static void save_clip(mesh_saver *m, uint32_t index, mesh_animation *a)
{
    const stele_clip *clip = &m->flat.model->clips[index];
    double speed = st_property_number_of(&clip->properties, MESH_SPEED, 1), ticks = speed > 0 ? speed : MESH_USUAL_SPEED;
    double poses = st_property_number_of(&clip->properties, MESH_POSES, -1);
    uint64_t count;
    double *times = st_flat_times(&m->flat, m->c->arena, index, m->c->save->fps, &count);
    m->c->fits &= times != NULL && count <= UINT32_MAX && st_flat_afford(m->c, &m->flat, index, (double)count);
    if (!m->c->fits)
        return;
    double duration = greater(times[count - 1], clip->duration) * ticks;
    bool same = (double)count == poses, held = count > 1 && (double)count == poses + 1;
    if (same || held)
        duration = st_property_number_of(&clip->properties, MESH_DURATION, duration);
    a->duration = one_float(m, duration);
    a->speed = one_float(m, speed > 0 ? speed : 0);
    a->pose_count = (uint32_t)(held ? count - 1 : count);
    save_poses(m, index, times, ticks, a);
}

/* Strings of one file: what the reader would not take for text is replaced. */
typedef struct string_list {
    char *text;
    uint64_t size;
    uint32_t count;
    uint64_t changed;
} string_list;

static void add_string(string_list *list, const char *name, size_t length)
{
    bool changed = false;
    for (size_t i = 0; i < length; i++) {
        bool plain = name[i] >= ' ' && name[i] <= '~';
        list->text[list->size++] = plain ? name[i] : '?';
        changed |= !plain;
    }
    list->size++;
    list->count++;
    list->changed += changed;
}

/* Clips without poses, which came from another MESH. */
typedef struct unposed_clips {
    const char *names;
    const double *times;
    size_t count;
} unposed_clips;

static unposed_clips find_unposed(const stele_model *model)
{
    const stele_property *times = stele_find_property(&model->properties, MESH_UNPOSED_TIMES);
    const char *names = st_property_text_of(&model->properties, MESH_UNPOSED_NAMES);
    return times && names ? (unposed_clips){names, times->numbers, times->number_count / 2} : (unposed_clips){"", NULL, 0};
}

static void save_unposed(mesh_saver *m, const unposed_clips *unposed, string_list *strings)
{
    const char *name = unposed->names;
    for (size_t i = 0; i < unposed->count; i++) {
        size_t length = strcspn(name, "\n");
        mesh_animation *a = &m->file->animation[m->file->animation_count++];
        *a = (mesh_animation){.name = strings->count,
                              .duration = one_float(m, unposed->times[2 * i]),
                              .speed = one_float(m, unposed->times[2 * i + 1])};
        add_string(strings, name, length);
        name += length + (name[length] == '\n');
    }
}

static bool prepare_clips(mesh_saver *m, const unposed_clips *unposed, string_list *strings)
{
    const stele_model *model = m->flat.model;
    uint64_t size = strlen(unposed->names) + unposed->count, used = unposed->count;
    uint64_t most = st_mesh_traits[m->file->raw.dialect].animation_count == STELE_U8 ? UINT8_MAX : UINT16_MAX;
    for (uint32_t i = 0; i < model->clip_count; i++) {
        used += st_flat_clip_used(&m->flat, i);
        size += (model->clips[i].name ? strlen(model->clips[i].name) : 0) + 1;
    }
    if (used > most) {
        st_refuse(m->c, at_path("animation", 1), "there are more animations than it can count");
        return false;
    }
    m->file->animation = st_need(m->c, used, sizeof *m->file->animation);
    strings->text = st_need(m->c, size, 1);
    return m->c->fits;
}

static void save_clips(mesh_saver *m)
{
    const stele_model *model = m->flat.model;
    unposed_clips unposed = find_unposed(model);
    string_list strings = {0};
    if (!prepare_clips(m, &unposed, &strings))
        return;
    for (uint32_t i = 0; m->c->fits && i < model->clip_count; i++) {
        const char *name = model->clips[i].name ? model->clips[i].name : "";
        if (!st_flat_clip_used(&m->flat, i))
            continue;
        mesh_animation *a = &m->file->animation[m->file->animation_count++];
        a->name = strings.count;
        add_string(&strings, name, strlen(name));
        save_clip(m, i, a);
    }
    save_unposed(m, &unposed, &strings);
    m->file->strings = (span){(const uint8_t *)strings.text, strings.size, 1};
    m->file->strings_size = strings.size;
    st_lose(m->c, DIAG_LOSS_NAME, strings.changed, "strings", "has plain names only: %llu changed",
            (unsigned long long)strings.changed);
    st_report_detours(m->c, &m->flat, st_local_key, &m->flat);
    st_lose(m->c, DIAG_LOSS_SHEAR, m->sheared, "", "has no shear: %llu pose%s changed", (unsigned long long)m->sheared,
            m->sheared == 1 ? " is" : "s are");
}

/* ---- All of it ---- */

static bool fits(mesh_saver *m)
{
    if (m->numbers.count > NO_JOINT)
        st_refuse(m->c, at_path("joints", 1),
                  st_arena_format(m->c->arena, "there are %u joints, and it can have 255", m->numbers.count));
    if (m->vertex_count > UINT32_MAX || m->index_count > UINT32_MAX)
        st_refuse(m->c, at_path("vertices", 1), "counts have 32 bits");
    return m->c->fits;
}

bool st_mesh_save(context *c, raw_file *raw)
{
    mesh_saver m = {.c = c, .file = (mesh_file *)raw};
    bool keep_root = st_mesh_traits[raw->dialect].root_transform;
    flat_wishes wishes = {.axes = st_matrix_identity(),
                          .keep_root = keep_root,
                          .skeleton = true,
                          .normals = st_model_has_normals(c->save->model)};
    if (!st_flatten(c, &wishes, &m.flat) || !st_joint_numbers(c, &m.flat, &m.numbers))
        return false;
    raw->dialect = keep_root ? MESH_C1 : MESH_B2;
    choose_format(&m);
    if (!fits(&m))
        return false;
    save_geometry(&m);
    report_geometry(&m);
    save_joints(&m);
    if (keep_root)
        save_root(&m);
    save_clips(&m);
    st_report_clips(c, &m.flat);
    return c->fits;
}
