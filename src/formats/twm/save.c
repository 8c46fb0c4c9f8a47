/* A model as TWM: written as v3 in the recommended reading, and adapted from there. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/order.h"
#include "model/load_skeleton.h"
#include "model/save_skeleton.h"
#include "raw.h"

typedef struct twm_saver {
    context *c;
    twm_file *file;
    flat_model flat;
    joint_numbers numbers;
    uint32_t made_root; /* 1: joint 0 is one that we made, because the format has only one root */
    uint64_t sheared, moved_keys;
} twm_saver;

static span packed_floats(twm_saver *t, const stele_view *view, uint32_t components)
{
    uint32_t stride = 4 * components;
    if (view->stride == stride)
        return (span){view->data, view->count, stride};
    uint8_t *bytes = st_need(t->c, view->count, stride);
    if (bytes)
        st_view_copy(view, bytes, stride);
    return (span){bytes, view->count, stride};
}

/* ---- The skeleton ---- */

static uint32_t number_of(const twm_saver *t, size_t joint)
{
    return t->numbers.of[joint] + t->made_root;
}

static void save_joint(uint8_t *joints, uint32_t number, uint32_t parent, const matrix *inverse_bind)
{
    uint8_t *joint = joints + (uint64_t)number * TWM_JOINT_BYTES;
    store_uint(joint, parent, 4);
    st_store_matrix(joint + TWM_JOINT_MATRIX, inverse_bind);
}

/* Only joint 0 can be a root: several get one above them. */
static void save_skeleton(twm_saver *t)
{
    twm_file *f = t->file;
    matrix identity = st_matrix_identity();
    t->made_root = t->numbers.roots > 1;
    f->joint_count = t->numbers.count + t->made_root;
    f->has_skeleton = f->joint_count > 0;
    uint8_t *joints = st_need(t->c, f->joint_count, TWM_JOINT_BYTES);
    if (!joints)
        return;
    if (t->made_root)
        save_joint(joints, 0, 0, &identity);
    for (size_t i = 0; i < t->flat.joint_count; i++) {
        const flat_joint *joint = &t->flat.joints[i];
        uint32_t parent = joint->parent == STELE_NONE ? 0 : number_of(t, joint->parent);
        if (t->numbers.of[i] != STELE_NONE)
            save_joint(joints, number_of(t, i), parent, &joint->inverse_bind);
    }
    f->joints = (span){joints, f->joint_count, TWM_JOINT_BYTES};
}

/* ---- Meshes ---- */

/* Bitangent = cross(normal, tangent) * w. Without normals there is no binormal. */
static void save_tangents(twm_saver *t, const flat_mesh *from, twm_mesh *m)
{
    uint8_t *tangents = st_need(t->c, from->vertex_count, 12);
    uint8_t *binormals = from->normal.count ? st_need(t->c, from->vertex_count, 12) : NULL;
    for (uint64_t v = 0; tangents && v < from->vertex_count; v++) {
        float tangent[4], n[3];
        stele_view_row(&from->tangent, v, tangent);
        for (int i = 0; i < 3; i++)
            store_f32(tangents + 12 * v + 4 * (uint64_t)i, tangent[i]);
        if (!binormals)
            continue;
        stele_view_row(&from->normal, v, n);
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            store_f32(binormals + 12 * v + 4 * (uint64_t)i, (n[j] * tangent[k] - n[k] * tangent[j]) * tangent[3]);
        }
    }
    m->has_tangents = 1;
    m->tangent = (span){tangents, from->vertex_count, 12};
    m->has_binormals = binormals != NULL;
    m->binormal = (span){binormals, binormals ? from->vertex_count : 0, 12};
}

static void store_f64(uint8_t *p, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    store_uint(p, bits, sizeof bits);
}

static size_t influences_at(twm_saver *t, const flat_mesh *from, uint64_t vertex, influence *influences)
{
    size_t all;
    return st_numbered_influences(&t->numbers, from, vertex, influences, MOST_INFLUENCES, &all);
}

/* One for each vertex, which may be empty. */
static void save_clusters(twm_saver *t, const flat_mesh *from, twm_mesh *m)
{
    influence influences[MOST_INFLUENCES];
    uint64_t weights = 0;
    for (uint64_t v = 0; v < from->vertex_count; v++)
        weights += influences_at(t, from, v, influences);
    uint64_t size = 8 * from->vertex_count + TWM_WEIGHT_BYTES * weights;
    uint8_t *bytes = st_need(t->c, size, 1), *p = bytes;
    for (uint64_t v = 0; bytes && v < from->vertex_count; v++) {
        size_t count = influences_at(t, from, v, influences);
        count = count < weights ? count : (size_t)weights; /* as were counted, should the file have changed */
        weights -= count;
        store_uint(p, count, 8);
        p += 8;
        for (size_t i = 0; i < count; i++, p += TWM_WEIGHT_BYTES) {
            store_uint(p, influences[i].joint + t->made_root, 4);
            store_f64(p + 4, influences[i].weight);
        }
    }
    m->has_deformer = 1;
    m->clusters = (items){bytes, from->vertex_count, size};
}

static void save_mesh(twm_saver *t, const flat_mesh *from, twm_mesh *m, unsigned index)
{
    static const uint8_t zeros[3];
    char path[WALK_PATH];
    if (from->vertex_count > UINT32_MAX || from->indices.count > UINT32_MAX) {
        st_refuse(t->c, at_path(st_path(path, "mesh[%u]", index), 1), "counts have 32 bits");
        return;
    }
    m->vertex_count = from->vertex_count;
    m->reserved = (span){zeros, sizeof zeros, 1};
    m->position = packed_floats(t, &from->position, 3);
    m->has_normals = from->normal.count > 0;
    m->normal = packed_floats(t, &from->normal, 3);
    m->has_uvs = st_flat_uv(&t->flat, from)->count > 0;
    m->uv = packed_floats(t, st_flat_uv(&t->flat, from), 2);
    if (from->tangent.count)
        save_tangents(t, from, m);
    m->index_count = from->indices.count;
    m->index_size = 4;
    m->indices = st_save_indices(t->c, &from->indices, m->index_size);
    if (t->file->joint_count)
        save_clusters(t, from, m);
}

static void save_meshes(twm_saver *t)
{
    t->file->mesh = st_need(t->c, t->flat.mesh_count, sizeof *t->file->mesh);
    t->c->fits &= t->flat.mesh_count <= UINT32_MAX;
    t->file->mesh_count = (uint32_t)t->flat.mesh_count;
    for (unsigned i = 0; t->c->fits && i < t->flat.mesh_count; i++)
        save_mesh(t, &t->flat.meshes[i], &t->file->mesh[i], i);
    st_report_uvs(t->c, &t->flat);
}

/* ---- Clips ---- */

/* The times of a joint's keys, as long as they are collected. */
typedef struct joint_keys {
    double *times;
    uint64_t count, done;
    uint8_t *bytes;
    double rotation[4];
} joint_keys;

typedef struct clip_saver {
    uint32_t clip;
    joint_keys *joints;
    matrix *places;
    double (*scratch)[16];
} clip_saver;

/* Without a key the joint is taken to be where it is bound: elsewhere it needs one to say where it rests. */
static bool rests_elsewhere(const flat_model *flat, size_t joint)
{
    uint32_t parent = flat->joints[joint].parent;
    matrix bound, rest = flat->joints[joint].rest, undo = st_matrix_identity();
    if (!st_matrix_inverse(&flat->joints[joint].inverse_bind, &bound))
        return true;
    if (parent != STELE_NONE) {
        st_matrix_inverse(&flat->joints[parent].rest, &undo);
        rest = st_matrix_product(&undo, &rest);
        bound = st_matrix_product(&flat->joints[parent].inverse_bind, &bound);
    }
    for (int i = 0; i < 16; i++)
        if (fabs(rest.m[i] - bound.m[i]) > 1e-5 * (1 + fabs(rest.m[i])))
            return true;
    return false;
}

/* Each joint has keys of its own: where its channels have them. */
static bool collect_times(twm_saver *t, clip_saver *c)
{
    flat_track *tracks = st_flat_tracks(&t->flat, t->c->arena, c->clip, t->c->save->fps);
    for (size_t j = 0; tracks && j < t->flat.joint_count; j++) {
        joint_keys *joint = &c->joints[j];
        joint->times = tracks[j].times;
        joint->count = tracks[j].count;
        if (!joint->count && rests_elsewhere(&t->flat, j))
            joint->times[joint->count++] = 0;
        joint->bytes = st_need(t->c, joint->count, TWM_KEY_BYTES);
    }
    return tracks && t->c->fits;
}

/* Times are whole milliseconds: rounding moves keys, and those that fall on the one before take its place. */
static uint32_t milliseconds(twm_saver *t, double seconds)
{
    double exact = lesser(greater(seconds, 0) * 1000, (double)UINT32_MAX), rounded = floor(exact + 0.5);
    t->moved_keys += fabs(exact - rounded) > 1e-3 + exact * 1e-7;
    return (uint32_t)rounded;
}

static void save_key(twm_saver *t, clip_saver *c, size_t index, double seconds)
{
    joint_keys *joint = &c->joints[index];
    transform local;
    uint32_t time = milliseconds(t, seconds);
    t->sheared += !st_joint_local(&t->flat, c->places, index, joint->rotation, &local);
    memcpy(joint->rotation, local.rotation, sizeof joint->rotation);
    if (joint->done && load_u32(joint->bytes + (joint->done - 1) * TWM_KEY_BYTES) == time)
        joint->done--;
    uint8_t *key = joint->bytes + joint->done++ * TWM_KEY_BYTES;
    store_uint(key, time, 4);
    for (int i = 0; i < 4; i++) {
        store_f32(key + TWM_KEY_ROTATION + 4 * i, (float)local.rotation[i]);
        if (i < 3) {
            store_f32(key + TWM_KEY_TRANSLATION + 4 * i, (float)local.translation[i]);
            store_f32(key + TWM_KEY_SCALE + 4 * i, (float)local.scale[i]);
        }
    }
}

/* All joints are evaluated at once, at the times of any of them; each then keeps its own. */
static bool save_keys(twm_saver *t, clip_saver *c)
{
    uint64_t most = 0, count = 0;
    for (size_t j = 0; j < t->flat.joint_count; j++)
        most += c->joints[j].count;
    double *times = st_arena_array(t->c->arena, most, sizeof *times);
    uint64_t *next = st_arena_array(t->c->arena, t->flat.joint_count, sizeof *next);
    if (!times || !next)
        return false;
    for (size_t j = 0; j < t->flat.joint_count; j++) {
        memcpy(times + count, c->joints[j].times, (size_t)c->joints[j].count * sizeof *times);
        count += c->joints[j].count;
    }
    count = st_sort_times(times, count);
    if (!st_flat_afford(t->c, &t->flat, c->clip, (double)count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        st_flat_pose(t->c, &t->flat, c->clip, times[i], c->scratch, c->places);
        for (size_t j = 0; j < t->flat.joint_count; j++)
            while (next[j] < c->joints[j].count && c->joints[j].times[next[j]] <= times[i] + 1e-6)
                save_key(t, c, j, c->joints[j].times[next[j]++]);
    }
    return true;
}

static bool save_clip(twm_saver *t, uint32_t clip, twm_animation *animation)
{
    arena *a = t->c->arena;
    clip_saver c = {.clip = clip,
                    .joints = st_arena_array(a, t->flat.joint_count, sizeof *c.joints),
                    .places = st_arena_array(a, t->flat.joint_count, sizeof *c.places),
                    .scratch = st_arena_array(a, t->flat.model->node_count, sizeof *c.scratch)};
    animation->track = st_arena_array(a, t->file->joint_count, sizeof *animation->track);
    if (!c.joints || !c.places || !c.scratch || !animation->track || !collect_times(t, &c) || !save_keys(t, &c))
        return false;
    for (size_t j = 0; j < t->flat.joint_count; j++) {
        uint64_t count = c.joints[j].done;
        if (t->numbers.of[j] != STELE_NONE)
            animation->track[number_of(t, j)] =
                (twm_track){.key_count = (uint32_t)count, .key = {c.joints[j].bytes, count, TWM_KEY_BYTES}};
    }
    return true;
}

static void save_clips(twm_saver *t)
{
    const stele_model *model = t->flat.model;
    t->file->animation = st_need(t->c, model->clip_count, sizeof *t->file->animation);
    for (uint32_t i = 0; t->c->fits && i < model->clip_count; i++)
        if (st_flat_clip_used(&t->flat, i))
            t->c->fits &= save_clip(t, i, &t->file->animation[t->file->animation_count++]);
    st_lose(t->c, DIAG_LOSS_PRECISION, t->moved_keys, "", "has whole milliseconds: %llu key%s moved by less than one",
            (unsigned long long)t->moved_keys, t->moved_keys == 1 ? " is" : "s are");
    st_report_detours(t->c, &t->flat, st_local_key, &t->flat);
    st_lose(t->c, DIAG_LOSS_SHEAR, t->sheared, "", "has no shear: %llu key%s changed", (unsigned long long)t->sheared,
            t->sheared == 1 ? " is" : "s are");
}

bool st_twm_save(context *c, raw_file *raw)
{
    static const uint8_t zeros[3];
    twm_file *f = (twm_file *)raw;
    twm_saver t = {.c = c, .file = f};
    flat_wishes wishes = {.axes = st_matrix_identity(), .skeleton = true};
    if (!st_flatten(c, &wishes, &t.flat) || !st_joint_numbers(c, &t.flat, &t.numbers))
        return false;
    raw->dialect = TWM_V3;
    f->reserved = (span){zeros, sizeof zeros, 1};
    save_skeleton(&t);
    save_meshes(&t);
    save_clips(&t);
    st_report_clips(c, &t.flat);
    return c->fits;
}
