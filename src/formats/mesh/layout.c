/* MESH, the models of RookieGameDevs' surviveler and renderlib. Little-endian, unpadded; docs/formats/mesh.md tells the whole
 * story. All dates are of 2016.
 *
 *   dialect  header  since     what is different
 *   A1       12      June 26   no vertex joints, even if the format says so; joints are counted, not listed
 *   A2       12      July 2    vertex joints
 *   A3       12      July 2    a joint section
 *   B1       13      July 2    a byte counts animations, which have a name, a duration and a speed; strings
 *   B2       13      July 4    poses, with joints of 4 bytes: what the public document describes
 *   B3       13      July 4    poses with joints of 1 byte
 *   C1       78      July 12   two bytes count animations; a root transform
 *   C2       78      July 15   no names and no strings: what the surviving engine reads
 *
 * All have the same version: each is tried, and the one that ends with the file and makes sense is it. */
#include "raw.h"

#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/scan.h"

enum { VERSION = 0x01 };

static const stele_dialect_info dialects[] = {
    [MESH_A1] = {"A1", "June 2016: no skin"},
    [MESH_A2] = {"A2", "July 2016: skin, but no joints"},
    [MESH_A3] = {"A3", "July 2016: skin and joints, no animation"},
    [MESH_B1] = {"B1", "July 2016: animations without poses"},
    [MESH_B2] = {"B2", "July 2016: the public document"},
    [MESH_B3] = {"B3", "July 2016: as B2, smaller poses"},
    [MESH_C1] = {"C1", "July 2016: as B3, with a root transform"},
    [MESH_C2] = {"C2", "since July 2016: no names; what the surviving engine reads"},
};

#define SINCE_A3 .vertex_joints = true, .joints = true
#define SINCE_B1 SINCE_A3, .animations = true
#define SINCE_C1 SINCE_B1, .root_transform = true, .poses = true, .animation_count = STELE_U16, .pose_joint = STELE_U8
const mesh_traits st_mesh_traits[] = {
    [MESH_A1] = {0},
    [MESH_A2] = {.vertex_joints = true},
    [MESH_A3] = {SINCE_A3},
    [MESH_B1] = {SINCE_B1, .names = true, .animation_count = STELE_U8},
    [MESH_B2] = {SINCE_B1, .names = true, .animation_count = STELE_U8, .poses = true, .pose_joint = STELE_U32},
    [MESH_B3] = {SINCE_B1, .names = true, .animation_count = STELE_U8, .poses = true, .pose_joint = STELE_U8},
    [MESH_C1] = {SINCE_C1, .names = true},
    [MESH_C2] = {SINCE_C1},
};
#undef SINCE_A3
#undef SINCE_B1
#undef SINCE_C1

/* ---- The layout ---- */

enum { VERTEX_COLUMNS = 5, JOINT_COLUMNS = 3, POSE_COLUMNS = 4 };

static const stele_column position_column = {"position", STELE_F32, 3}, normal_column = {"normal", STELE_F32, 3},
                          uv_column = {"uv", STELE_F32, 2}, joints_column = {"joints", STELE_U8, INFLUENCES},
                          weights_column = {"weights", STELE_U8, INFLUENCES};

static bool has_vertex_joints(const mesh_file *f)
{
    return (f->format & FORMAT_JOINTS) && st_mesh_traits[f->raw.dialect].vertex_joints;
}

/* A position is always there: the document calls it an error if the format does not say so. */
static size_t list_columns(const mesh_file *f, stele_column columns[VERTEX_COLUMNS])
{
    size_t n = 0;
    columns[n++] = position_column;
    if (f->format & FORMAT_NORMAL)
        columns[n++] = normal_column;
    if (f->format & FORMAT_UV)
        columns[n++] = uv_column;
    if (has_vertex_joints(f)) {
        columns[n++] = joints_column;
        columns[n++] = weights_column;
    }
    return n;
}

mesh_vertex st_mesh_vertex(const mesh_file *f)
{
    stele_column columns[VERTEX_COLUMNS];
    size_t count = list_columns(f, columns);
    mesh_vertex v = {0};
    for (size_t i = 0; i < count; i++) {
        const struct {
            const char *name;
            uint32_t *at;
        } parts[] = {{normal_column.name, &v.normal}, {uv_column.name, &v.uv}, {joints_column.name, &v.joints}};
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            if (columns[i].name == parts[k].name)
                *parts[k].at = v.bytes;
        v.bytes += columns[i].components * stele_type_size(columns[i].type);
    }
    return v;
}

static void walk_animation(walk *w, const mesh_traits *t, unsigned joint_count, mesh_animation *a)
{
    const stele_column columns[POSE_COLUMNS] = {{"joint", t->pose_joint, 1}, MESH_POSE_ROW(ROW_COLUMN)};
    if (t->names)
        W_U32(w, a, name);
    W_F32(w, a, duration);
    W_F32(w, a, speed);
    if (!t->poses)
        return;
    W_U32(w, a, pose_count);
    W_ARRAY(w, a, timestamps, STELE_F32, a->pose_count);
    W_ROWS(w, a, poses, columns, POSE_COLUMNS, (uint64_t)a->pose_count * joint_count);
}

static uint64_t animation_bytes(const mesh_traits *t)
{
    return 8u + (t->names ? 4u : 0u) + (t->poses ? 4u : 0u);
}

/* Strings have no count: what looks like text belongs to them, up to one for each animation. */
static uint64_t strings_left(const walk *w, uint32_t animation_count)
{
    uint64_t at = w->at;
    for (uint32_t ended = 0; at < w->size && ended < animation_count; at++) {
        if (w->data[at] && (w->data[at] < ' ' || w->data[at] > '~'))
            break;
        ended += w->data[at] == 0;
    }
    return at - w->at;
}

static void walk_strings(walk *w, mesh_file *f)
{
    if (walk_reads(w) && walk_ok(w))
        f->strings_size = strings_left(w, f->animation_count);
    W_CHARS(w, f, strings, f->strings_size);
}

static void walk_file(walk *w, raw_file *raw)
{
    static const stele_column joint_columns[JOINT_COLUMNS] = {MESH_JOINT_ROW(ROW_COLUMN)};
    stele_column columns[VERTEX_COLUMNS];
    mesh_file *f = (mesh_file *)raw;
    const mesh_traits *t = &st_mesh_traits[raw->dialect];
    st_walk_constant(w, "version", STELE_U8, VERSION, DIAG_BAD_VERSION);
    W_FLAGS16(w, f, format, "positions normals uvs joints");
    W_U32(w, f, vertex_count);
    W_U32(w, f, index_count);
    W_U8(w, f, joint_count);
    if (t->animations)
        W_UINT(w, f, animation_count, t->animation_count);
    if (t->root_transform)
        W_ARRAY(w, f, root_transform, STELE_F32, MATRIX_FLOATS);
    size_t column_count = list_columns(f, columns);
    W_ROWS(w, f, vertices, columns, column_count, f->vertex_count);
    W_ARRAY(w, f, indices, STELE_U32, f->index_count);
    if (t->joints)
        W_ROWS(w, f, joints, joint_columns, JOINT_COLUMNS, f->joint_count);
    W_LIST(w, f, animation, f->animation_count, animation_bytes(t)) walk_animation(w, t, f->joint_count, &f->animation[i]);
    if (t->names)
        walk_strings(w, f);
}

/* ---- Telling it apart ---- */

enum { P0_HEADER = 11, P0_NORMALS = 2, P0_CORNER = 12 + 4 };

/* The layout of one day in June: no version byte, positions only, and as many indices as vertices, in order. Nothing else may
 * be taken for it, so that all of this is asked for. */
static bool is_p0(const uint8_t *data, uint64_t size)
{
    uint64_t count = size > P0_HEADER ? (size - P0_HEADER) / P0_CORNER : 0;
    if (!count || size != P0_HEADER + count * P0_CORNER || (load_u16(data) & ~P0_NORMALS) || load_u32(data + 2) != count ||
        load_u32(data + 6) != count)
        return false;
    const uint8_t *indices = data + P0_HEADER + 12 * count;
    for (uint64_t i = 0; i < count; i++)
        if (load_u32(indices + 4 * i) != i)
            return false;
    return !st_scan_nonfinite(data + P0_HEADER, 3 * count);
}

static void probe_file(const uint8_t *data, uint64_t size, probe *p)
{
    /* where several fit, the first is the label that does no harm: see the format's page */
    static const unsigned order[MESH_DIALECTS] = {MESH_C2, MESH_C1, MESH_B2, MESH_B3, MESH_A3, MESH_B1, MESH_A2, MESH_A1};
    if (is_p0(data, size))
        *p = (probe){.trust = TRUST_CERTAIN,
                     .problem = DIAG_BAD_VERSION,
                     .text = "this is a MESH of June 2016, from before it had a version; that is not supported"};
    for (unsigned i = 0; size && data[0] == VERSION && i < MESH_DIALECTS; i++)
        probe_try(p, TRUST_PLAUSIBLE, order[i], 0);
}

/* ---- What the sense, the checks and the adaption ask ---- */

const uint8_t st_mesh_identity[MATRIX_FLOATS * 4] = {
    [2] = 0x80, [3] = 0x3F, [22] = 0x80, [23] = 0x3F, [42] = 0x80, [43] = 0x3F, [62] = 0x80, [63] = 0x3F};

uint64_t st_mesh_pose_joint(const mesh_file *f, const mesh_animation *a, uint64_t row)
{
    return load_index(a->poses.data + row * a->poses.stride, st_mesh_traits[f->raw.dialect].pose_joint);
}

const uint8_t *st_mesh_pose(const mesh_file *f, const mesh_animation *a, uint64_t row)
{
    return a->poses.data + row * a->poses.stride + stele_type_size(st_mesh_traits[f->raw.dialect].pose_joint);
}

bool st_mesh_affine(const uint8_t *matrix)
{
    for (int i = 12; i < MATRIX_FLOATS; i++)
        if (!(fabsf(load_f32(matrix + 4 * i) - (i == 15 ? 1.0f : 0.0f)) <= 1e-4f))
            return false;
    return true;
}

static uint64_t count_ended(const char *strings, uint64_t size)
{
    uint64_t ended = 0;
    for (uint64_t i = 0; i < size; i++)
        ended += strings[i] == 0;
    return ended;
}

uint64_t st_mesh_strings(const mesh_file *f)
{
    return count_ended((const char *)f->strings.data, f->strings_size);
}

uint64_t st_mesh_strings_needed(const mesh_file *f)
{
    uint64_t needed = 0;
    if (!st_mesh_traits[f->raw.dialect].names)
        return 0;
    for (unsigned i = 0; i < f->animation_count; i++) {
        uint64_t name = f->animation[i].name;
        if (name < f->animation_count && name >= needed)
            needed = name + 1;
    }
    return needed;
}

/* ---- What is in it ---- */

const char **st_mesh_list_strings(const mesh_file *f, arena *a, uint64_t *count)
{
    const char *at = st_arena_text(a, (const char *)f->strings.data, f->strings_size);
    *count = a->failed ? 0 : count_ended(at, f->strings_size);
    const char **strings = st_arena_array(a, *count, sizeof *strings);
    strings = a->failed ? NULL : strings;
    for (uint64_t i = 0; strings && i < *count; i++) {
        strings[i] = at;
        at += strlen(at) + 1;
    }
    return strings;
}

/* Times are in ticks; no speed means 25 in a second. */
static double seconds_of(const mesh_animation *a)
{
    double duration = (double)load_f32(a->duration.data), speed = (double)load_f32(a->speed.data);
    return duration / (speed == 0 ? MESH_USUAL_SPEED : speed);
}

static void describe_clips(const mesh_file *f, arena *a, stele_info *info)
{
    uint64_t count;
    const char **strings = st_mesh_list_strings(f, a, &count);
    stele_clip_info *clips = st_arena_array(a, f->animation_count, sizeof *clips);
    if (!strings || !clips)
        return;
    for (unsigned i = 0; i < f->animation_count; i++) {
        const mesh_animation *animation = &f->animation[i];
        clips[i] = (stele_clip_info){.name = animation->name < count ? strings[animation->name] : "",
                                     .seconds = seconds_of(animation),
                                     .tracks = f->joint_count,
                                     .keys = animation->poses.count};
    }
    info->clips = clips;
    info->clip_count = f->animation_count;
}

static void describe(context *c, const raw_file *raw, stele_info *info)
{
    const mesh_file *f = (const mesh_file *)raw;
    stele_column columns[VERTEX_COLUMNS];
    size_t count = list_columns(f, columns);
    stele_mesh_info *mesh = st_arena_alloc(c->arena, sizeof *mesh);
    const char **names = st_arena_array(c->arena, count, sizeof *names);
    stele_view positions = st_column(&f->vertices, columns, count, "position");
    if (!mesh || !names)
        return;
    for (size_t i = 0; i < count; i++)
        names[i] = columns[i].name;
    *mesh = (stele_mesh_info){.vertices = f->vertex_count,
                              .indices = f->index_count,
                              .triangles = f->index_count / 3,
                              .material = STELE_NONE,
                              .attributes = names,
                              .attribute_count = count,
                              .bounds = st_view_bounds(&positions)};
    info->meshes = mesh;
    info->mesh_count = 1;
    info->bounds = mesh->bounds;
    info->joints = f->joint_count;
    describe_clips(f, c->arena, info);
}

const format st_format_mesh = {
    .info = {.name = "mesh",
             .title = "RookieGameDevs mesh",
             .extensions = "mesh",
             .capabilities = STELE_MESHES | STELE_NORMALS | STELE_UVS | STELE_SKIN | STELE_SKELETON | STELE_ANIMATION |
                             STELE_CLIP_NAMES | STELE_NODE_ANIMATION | STELE_SCALE_ANIMATION | STELE_EXACT_TIMES,
             .uv_sets = 1,
             .influences = 4,
             .dialects = dialects,
             .dialect_count = sizeof dialects / sizeof *dialects},
    .raw_size = sizeof(mesh_file),
    .probe = probe_file,
    .walk = walk_file,
    .sense = st_mesh_sense,
    .check = st_mesh_check,
    .describe = describe,
    .adapt = st_mesh_adapt,
    .load = st_mesh_load,
    .save = st_mesh_save,
    .usual_dialect = MESH_B2,
};
