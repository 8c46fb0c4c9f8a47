/* A MESH as a model. Right-handed; its root transform turns it Y up. Texture coordinates start at the bottom left, quaternions
 * are w, x, y, z, matrices are stored row by row, times are ticks. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "model/keys.h"
#include "model/load_skeleton.h"
#include "raw.h"

typedef struct mesh_loader {
    context *c;
    const mesh_file *file;
    mesh_vertex vertex;
    stele_view joints; /* without those that have no weight; of no rows until they are made */
    bool skinned;
    bool neutral;        /* some vertex needs the neutral joint */
    bool forgotten[256]; /* joints that the writer did not animate: they stay at rest */
    skeleton skeleton;
} mesh_loader;

static matrix matrix_at(const uint8_t *rows)
{
    float given[MATRIX_FLOATS];
    for (int i = 0; i < MATRIX_FLOATS; i++)
        given[i] = load_f32(rows + 4 * i);
    matrix m = st_matrix_of_rows(given);
    for (int i = 0; i < 4; i++)
        m.m[4 * i + 3] = i == 3;
    return m;
}

static matrix root_transform(const mesh_file *f)
{
    return f->root_transform.data ? matrix_at(f->root_transform.data) : st_matrix_identity();
}

/* ---- The mesh ---- */

static stele_view load_indices(mesh_loader *m)
{
    const mesh_file *f = m->file;
    uint64_t whole = f->index_count / 3 * 3;
    context *c = m->c;
    if (whole != f->index_count)
        st_diag(c->diags, DIAG_REPAIRED_INDICES, counted(f->index_count - whole, at_byte(f->indices.data + 4 * whole)),
                "do not make whole triangles: the last ones are dropped");
    return st_view_indices(&(span){f->indices.data, whole, 4}, STELE_U32);
}

static stele_view floats_at(const mesh_loader *m, uint32_t at, uint32_t components)
{
    return st_view_f32(m->file->vertices.data + at, m->file->vertex_count, m->file->vertices.stride, components);
}

/* The engine looks at no further joint after the first that is none. */
static size_t influences_of_vertex(const void *context, uint64_t vertex, influence *influences)
{
    const mesh_loader *m = context;
    const uint8_t *at = m->file->vertices.data + vertex * m->file->vertices.stride + m->vertex.joints;
    size_t count = 0;
    for (; count < INFLUENCES && at[count] != NO_JOINT; count++)
        influences[count] = (influence){at[count], at[INFLUENCES + count] / 255.0};
    return count;
}

static byte_range bytes_of_influences_at(const void *context, uint64_t vertex)
{
    const mesh_loader *m = context;
    return (byte_range){m->file->vertices.data + vertex * m->file->vertices.stride + m->vertex.joints, 2 * INFLUENCES};
}

static stele_view bytes_at(const mesh_loader *m, uint32_t offset)
{
    const span *v = &m->file->vertices;
    return (stele_view){v->data + offset, m->file->vertex_count, v->stride, INFLUENCES, STELE_U8, false};
}

/* Joints of influences that are not there are 0, as glTF has it: room for them, which some pass over the vertices fills. */
static uint8_t *room_for_joints(mesh_loader *m)
{
    stele_view from = bytes_at(m, m->vertex.joints);
    uint8_t *bytes;
    m->joints = st_view_room(m->c->arena, from.count, STELE_U8, INFLUENCES, &bytes);
    st_made_of(m->c, &m->joints, &from);
    return bytes;
}

static stele_view joints_without_none(mesh_loader *m)
{
    uint8_t *bytes = m->joints.count ? NULL : room_for_joints(m);
    if (bytes)
        st_mesh_used_joints(m->file, 0, m->file->vertex_count, bytes);
    return m->joints;
}

static void take_skin_bytes(mesh_loader *m, unsigned seen, skin_result *skin)
{
    stele_view weights = bytes_at(m, m->vertex.joints + INFLUENCES);
    weights.normalized = true;
    *skin = (skin_result){.attribute_count = 2};
    skin->attributes[0] =
        (stele_attribute){STELE_JOINTS, 0, seen & SKIN_ODD ? joints_without_none(m) : bytes_at(m, m->vertex.joints)};
    skin->attributes[1] = (stele_attribute){STELE_WEIGHTS, 0, weights};
}

/* Vertices may refer to joints that are only counted: then there is nothing to move them by. */
static bool load_skin(mesh_loader *m, skin_result *skin)
{
    const mesh_file *f = m->file;
    context *c = m->c;
    if (!m->vertex.joints)
        return false;
    if (!f->joints.count) {
        st_diag(c->diags, DIAG_SKIN_DROPPED,
                f->vertex_count ? at_columns(f->vertices.data + m->vertex.joints, f->vertex_count) : at_member(&f->vertices),
                "are of a skeleton that is not there: the mesh does not move");
        return false;
    }
    unsigned seen = st_mesh_skin(c, f);
    if (!(seen & SKIN_UNSOUND)) {
        take_skin_bytes(m, seen, skin);
        return true;
    }
    skin_request request = {.vertex_count = f->vertex_count,
                            .influences = influences_of_vertex,
                            .bytes = bytes_of_influences_at,
                            .context = m,
                            .joint_count = (size_t)f->joints.count,
                            .place = at_columns(f->vertices.data + m->vertex.joints + INFLUENCES, 1)};
    if (!st_load_influences(m->c, &request, skin))
        return false;
    m->neutral = skin->needs_neutral;
    return true;
}

/* ---- Vertices ---- */

typedef struct vertex_pass {
    const mesh_file *file;
    normal_look normals;
    uint8_t *joints; /* NULL: they stay as they are */
} vertex_pass;

static void pass_over_rows(void *visitor, uint64_t first, uint64_t count)
{
    vertex_pass *pass = visitor;
    st_look_at_normals(&pass->normals, first, count);
    if (pass->joints)
        st_mesh_used_joints(pass->file, first, count, pass->joints + INFLUENCES * first);
}

static bool needs_joints(mesh_loader *m)
{
    if (!m->vertex.joints || !m->file->joints.count)
        return false;
    return (st_mesh_skin(m->c, m->file) & (SKIN_UNSOUND | SKIN_ODD)) == SKIN_ODD;
}

/* All that needs another look at the vertices is done when these are read to turn the coordinates. */
static stele_view load_uvs(mesh_loader *m, const stele_view *normal)
{
    stele_view uv = floats_at(m, m->vertex.uv, 2);
    vertex_pass pass = {.file = m->file, .normals = {.normal = *normal}};
    uv = st_repair_uvs(m->c, &uv, at_columns(uv.data, 1));
    pass.joints = needs_joints(m) ? room_for_joints(m) : NULL;
    uv = st_flipped_uvs(m->c, &uv, pass_over_rows, &pass);
    st_know_normals(m->c, &pass.normals);
    return uv;
}

enum { MOST_ATTRIBUTES = 3 + 2 * (MOST_INFLUENCES / 4) };

static uint32_t load_primitive(mesh_loader *m)
{
    stele_attribute attributes[MOST_ATTRIBUTES];
    skin_result skin;
    stele_primitive p = {.vertex_count = m->file->vertex_count, .attributes = attributes, .material = STELE_NONE};
    stele_mesh mesh = {.primitives = &p, .primitive_count = 1};
    p.indices = load_indices(m);
    st_part_at(m->c, STELE_PART_PRIMITIVE, 0, at_member(&m->file->vertices));
    primitive_add(&p, STELE_POSITION, 0, floats_at(m, 0, 3));
    stele_view normal = m->vertex.normal ? floats_at(m, m->vertex.normal, 3) : (stele_view){0};
    stele_view uv = m->vertex.uv ? load_uvs(m, &normal) : (stele_view){0};
    if (m->vertex.normal) {
        normal = st_repair_normals(m->c, &p, &normal, at_columns(normal.data, 1));
        primitive_add(&p, STELE_NORMAL, 0, normal);
    }
    if (m->vertex.uv)
        primitive_add(&p, STELE_UV, 0, uv);
    m->skinned = load_skin(m, &skin);
    if (m->skinned)
        primitive_add_skin(&p, &skin);
    if (!p.indices.count || !p.vertex_count)
        mesh.primitive_count = 0; /* nothing is drawn */
    return st_model_add_mesh(m->c->load->model, m->c->arena, &mesh);
}

static void load_mesh(mesh_loader *m)
{
    stele_node node = stele_default_node();
    matrix root = root_transform(m->file);
    node.mesh = load_primitive(m);
    if (m->skinned)
        node.skin = 0; /* the skeleton is below the root transform, and the node's own place has no effect */
    else
        st_node_place(&node, m->c->arena, &root, false);
    st_model_add_node(m->c->load->model, m->c->arena, &node);
}

/* ---- The skeleton ---- */

/* A joint that moves no vertex and whose matrix is the identity was never bound: it is where its parent is. */
static bool never_bound(const uint8_t *joint, const bool weighted[256])
{
    matrix bind = matrix_at(joint + JOINT_BIND);
    return !weighted[joint[JOINT_ID]] && st_matrix_is_identity(&bind);
}

static bool load_skeleton(mesh_loader *m)
{
    const mesh_file *f = m->file;
    bool weighted[256] = {false}, unplaced[256] = {false}, moved[256] = {false};
    uint32_t parent[256];
    int position[256];
    uint8_t *matrices;
    stele_view inverse_bind = st_view_make(m->c->arena, f->joints.count + m->neutral, STELE_F32, MATRIX_FLOATS, &matrices);
    if (!matrices)
        return false;
    st_mesh_find_weighted(f, weighted);
    st_mesh_index_joints(f, position);
    for (uint64_t id = 0; id < inverse_bind.count; id++) {
        matrix bind = st_matrix_identity();
        parent[id] = STELE_NONE;
        moved[id] = f->animation_count && !m->forgotten[id];
        if (id < f->joints.count && position[id] >= 0) {
            const uint8_t *joint = f->joints.data + (uint64_t)position[id] * JOINT_BYTES;
            bind = matrix_at(joint + JOINT_BIND);
            uint32_t above = settled_u32(joint[JOINT_PARENT]);
            parent[id] = above < f->joints.count ? above : STELE_NONE;
            unplaced[id] = never_bound(joint, weighted);
            st_made_of_bytes(m->c, matrices + 64 * id, 64, 64, joint + JOINT_BIND, JOINT_BYTES, 4 * MATRIX_FLOATS);
        }
        st_store_matrix(matrices + 64 * id, &bind);
    }
    m->skeleton = (skeleton){.joint_count = (size_t)f->joints.count,
                             .parent = parent,
                             .unplaced = unplaced,
                             .inverse_bind = inverse_bind,
                             .neutral = m->neutral,
                             .moved = moved,
                             .root = root_transform(f)};
    if (!st_load_skeleton(m->c, &m->skeleton))
        return false;
    for (uint32_t id = 0; id < f->joints.count; id++)
        if (position[id] >= 0)
            st_part_at(m->c, STELE_PART_NODE, m->skeleton.first_node + id,
                       at_row(f->joints.data + (uint64_t)position[id] * JOINT_BYTES, 1));
    return true;
}

/* What literal playback would do to joints without poses of their own: their vertices would collapse into their parent's. */
static void repair_forgotten(mesh_loader *m)
{
    context *c = m->c;
    const span *joints = &m->file->joints;
    tally found = {0};
    if (c->load->repair)
        st_mesh_find_forgotten(m->file, m->forgotten);
    for (uint64_t i = 0; i < joints->count; i++) {
        const uint8_t *joint = joints->data + i * joints->stride;
        tally_note(&found, m->forgotten[joint[JOINT_ID]], joint);
    }
    st_report(c, DIAG_REPAIRED_POSE, PLACE_ROW, &found,
              "is at the identity in every pose, which its writer does to joints that it has nothing to say about: the bind "
              "pose is taken instead");
}

/* ---- Clips ---- */

typedef struct clip_loader {
    const mesh_animation *animation;
    key_order order;
    stele_channel *channels;
    size_t channel_count;
} clip_loader;

/* The floats of a joint in a pose. Every pose lists every joint, mostly in order. */
static const uint8_t *pose_of(const mesh_file *f, const mesh_animation *a, uint64_t pose, uint32_t joint)
{
    uint64_t first = pose * f->joint_count;
    if (st_mesh_pose_joint(f, a, first + joint) == joint)
        return st_mesh_pose(f, a, first + joint);
    for (uint64_t row = first; row < first + f->joint_count; row++)
        if (st_mesh_pose_joint(f, a, row) == joint)
            return st_mesh_pose(f, a, row);
    return st_mesh_pose(f, a, first);
}

/* The parts of a pose: where they are in the file, and how they become the model's. */
typedef struct pose_part {
    stele_channel_path path;
    uint32_t components, from[4];
} pose_part;

enum { POSE_PARTS = 3 };
static const pose_part pose_parts[POSE_PARTS] = {
    {STELE_TRANSLATION, 3, {0, 1, 2, 0}}, {STELE_ROTATION, 4, {4, 5, 6, 3}}, {STELE_SCALE, 3, {7, 8, 9, 0}}};

static const float *rest_part(const stele_transform *rest, stele_channel_path path)
{
    return path == STELE_TRANSLATION ? rest->translation : path == STELE_ROTATION ? rest->rotation : rest->scale;
}

static stele_view load_values(mesh_loader *m, const clip_loader *clip, uint32_t joint, const pose_part *part)
{
    uint8_t *bytes;
    stele_view values = st_view_make(m->c->arena, clip->order.times.count, STELE_F32, part->components, &bytes);
    byte_range *each = st_made_of_each(m->c, &values);
    for (uint64_t i = 0; i < values.count; i++) {
        const uint8_t *pose = pose_of(m->file, clip->animation, clip->order.row[i], joint);
        if (each)
            each[i] = (byte_range){pose + 4 * (part->path == STELE_ROTATION ? 3 : part->from[0]), 4 * part->components};
        for (uint32_t k = 0; k < part->components; k++)
            memcpy(bytes + i * values.stride + 4 * k, pose + 4 * part->from[k], 4);
    }
    return values;
}

/* Whether a joint stays where it rests, as to this part, in all poses. Quaternions of opposite signs are the same. */
static bool stays_at_rest(const mesh_loader *m, const clip_loader *clip, uint32_t joint, const pose_part *part)
{
    const float *rest = rest_part(&m->c->load->model->nodes[m->skeleton.first_node + joint].local, part->path);
    for (uint64_t i = 0; i < clip->order.times.count; i++) {
        const uint8_t *pose = pose_of(m->file, clip->animation, clip->order.row[i], joint);
        float along = 0;
        for (uint32_t k = 0; k < part->components; k++)
            along += load_f32(pose + 4 * part->from[k]) * rest[k];
        float side = part->path == STELE_ROTATION && along < 0 ? -1 : 1;
        for (uint32_t k = 0; k < part->components; k++)
            if (fabsf(side * load_f32(pose + 4 * part->from[k]) - rest[k]) > 1e-6f * (1 + fabsf(rest[k])))
                return false;
    }
    return true;
}

static void load_channel(mesh_loader *m, clip_loader *clip, uint32_t joint, const pose_part *part)
{
    stele_view values = load_values(m, clip, joint, part);
    if (part->path == STELE_ROTATION)
        values = st_repair_rotations(m->c, &values, at_columns(st_mesh_pose(m->file, clip->animation, 0) + POSE_ROTATION, 1));
    clip->channels[clip->channel_count++] = (stele_channel){
        .node = m->skeleton.first_node + joint, .path = part->path, .times = clip->order.times, .values = values};
}

/* If nothing moves, a joint that stays where it rests says when there are poses. */
static void load_stillness(mesh_loader *m, clip_loader *clip)
{
    uint8_t *bytes;
    uint32_t joint = 0;
    while (joint + 1 < m->file->joint_count && m->c->load->model->nodes[m->skeleton.first_node + joint].matrix)
        joint++;
    stele_node *node = st_model_node(m->c->load->model, m->skeleton.first_node + joint);
    stele_view values = st_view_make(m->c->arena, clip->order.times.count, STELE_F32, 3, &bytes);
    node->matrix = NULL; /* a node that has keys cannot have one */
    for (uint64_t i = 0; i < 3 * values.count; i++)
        store_f32(bytes + 4 * i, node->local.translation[i % 3]);
    clip->channels[clip->channel_count++] = (stele_channel){
        .node = m->skeleton.first_node + joint, .path = STELE_TRANSLATION, .times = clip->order.times, .values = values};
}

static void load_channels(mesh_loader *m, clip_loader *clip)
{
    for (uint32_t joint = 0; joint < m->file->joint_count; joint++)
        for (int i = 0; i < POSE_PARTS && !m->forgotten[joint]; i++)
            if (!stays_at_rest(m, clip, joint, &pose_parts[i]))
                load_channel(m, clip, joint, &pose_parts[i]);
    if (!clip->channel_count)
        load_stillness(m, clip);
}

static bool positive(double x)
{
    return x >= (double)FLT_MIN && x <= (double)FLT_MAX;
}

/* Ticks in a second: what the file says, or else the caller, or else what is usual. */
static double speed_of(const mesh_loader *m, const mesh_animation *a)
{
    double speed = (double)load_f32(a->speed.data);
    return positive(speed) ? speed : st_load_fps(m->c, MESH_USUAL_SPEED);
}

/* What a clip of the model does not say: kept so that the file can be had back. */
static void keep_times(mesh_loader *m, const clip_loader *loaded, uint64_t poses, stele_clip *clip)
{
    double given = (double)load_f32(loaded->animation->speed.data), taken = speed_of(m, loaded->animation);
    bool usual = !positive(given) && taken == MESH_USUAL_SPEED;
    st_property_number(&clip->properties, m->c->arena, MESH_SPEED, usual ? 0 : taken);
    st_property_number(&clip->properties, m->c->arena, MESH_DURATION, (double)load_f32(loaded->animation->duration.data));
    st_property_number(&clip->properties, m->c->arena, MESH_POSES, (double)poses);
}

static bool load_clip(mesh_loader *m, unsigned index, const char *name)
{
    const mesh_animation *a = &m->file->animation[index];
    clip_loader loaded = {.animation = a};
    double speed = speed_of(m, a), *seconds = st_arena_array(m->c->arena, a->pose_count, sizeof *seconds);
    loaded.channels = st_arena_array(m->c->arena, POSE_PARTS * (uint64_t)m->file->joint_count, sizeof *loaded.channels);
    for (uint64_t i = 0; seconds && i < a->pose_count; i++)
        seconds[i] = (double)load_f32(a->timestamps.data + 4 * i) / speed;
    stele_view stored = st_view_f32(a->timestamps.data, a->pose_count, 4, 1);
    if (!seconds || !loaded.channels || !st_keys_order(m->c, seconds, &stored, at_member(&a->timestamps), &loaded.order))
        return false;
    st_part_at(m->c, STELE_PART_CLIP, (uint32_t)m->c->load->model->clip_count, at_item(a));
    uint64_t poses = loaded.order.times.count;
    st_keys_hold(&loaded.order, (double)load_f32(a->duration.data) / speed);
    load_channels(m, &loaded);
    stele_clip clip = {.name = name, .channels = loaded.channels, .channel_count = loaded.channel_count};
    keep_times(m, &loaded, poses, &clip);
    return st_model_add_clip(m->c->load->model, m->c->arena, &clip) != STELE_NONE;
}

/* Their names, one a line. */
static const char *join_names(arena *a, const char *const *names, const uint32_t *clips, size_t count)
{
    uint64_t size = 1;
    for (size_t i = 0; i < count; i++)
        size += strlen(names[clips[i]]) + 1;
    char *joined = st_arena_alloc(a, size), *end = joined;
    for (size_t i = 0; joined && i < count; i++) {
        size_t length = strlen(names[clips[i]]);
        memcpy(end, names[clips[i]], length);
        end[length] = '\n';
        end += length + 1;
    }
    return joined;
}

/* Clips without poses move nothing, and are kept as properties that come back when a MESH is written. */
static void keep_unposed(mesh_loader *m, const char *const *names, const uint32_t *clips, size_t count)
{
    arena *a = m->c->arena;
    const char *joined = join_names(a, names, clips, count);
    double *times = st_arena_array(a, 2 * (uint64_t)count, sizeof *times);
    if (!times || !joined || !count)
        return;
    for (size_t i = 0; i < count; i++) {
        times[2 * i] = (double)load_f32(m->file->animation[clips[i]].duration.data);
        times[2 * i + 1] = (double)load_f32(m->file->animation[clips[i]].speed.data);
    }
    st_property_text(&m->c->load->model->properties, a, MESH_UNPOSED_NAMES, joined);
    st_property_numbers(&m->c->load->model->properties, a, MESH_UNPOSED_TIMES, times, 2 * count);
    st_diag(m->c->diags, DIAG_CLIP_DROPPED, counted(count, at_item(&m->file->animation[clips[0]])),
            "has no poses: it is left out, and only its name and times are kept");
}

enum { LONGEST_NAME = 255 }; /* many animations may have the same name, and each gets a copy */

static const char **load_names(const mesh_file *f, arena *a)
{
    uint64_t there;
    const char **strings = st_mesh_list_strings(f, a, &there);
    const char **names = st_arena_array(a, f->animation_count, sizeof *names);
    for (uint32_t i = 0; strings && names && i < f->animation_count; i++) {
        const char *name = f->animation[i].name < there ? strings[f->animation[i].name] : "";
        names[i] = strlen(name) <= LONGEST_NAME ? name : st_arena_text(a, name, LONGEST_NAME);
    }
    return strings ? names : NULL;
}

static bool load_clips(mesh_loader *m)
{
    const mesh_file *f = m->file;
    const char **names = load_names(f, m->c->arena);
    uint32_t *unposed = st_arena_array(m->c->arena, f->animation_count, sizeof *unposed);
    size_t unposed_count = 0;
    if (!names || !unposed)
        return false;
    for (uint32_t i = 0; i < f->animation_count; i++) {
        if (!f->animation[i].poses.count)
            unposed[unposed_count++] = i;
        else if (!load_clip(m, i, *names[i] ? names[i] : NULL))
            return false;
    }
    keep_unposed(m, names, unposed, unposed_count);
    return true;
}

bool st_mesh_load(context *c, const raw_file *raw)
{
    const mesh_file *f = (const mesh_file *)raw;
    mesh_loader m = {.c = c, .file = f, .vertex = st_mesh_vertex(f)};
    st_property_text(&c->load->model->properties, c->arena, "mesh.dialect", st_format_mesh.info.dialects[raw->dialect].name);
    load_mesh(&m);
    repair_forgotten(&m);
    if (f->joints.count && !load_skeleton(&m))
        return false;
    return load_clips(&m) && !c->arena->failed;
}
