/* A TWM as a model: its arrays are glTF's but for names and defects. Right-handed and Y up, uv origin top left. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "model/keys.h"
#include "model/load_skeleton.h"
#include "raw.h"

typedef struct twm_loader {
    context *c;
    const twm_file *file;
    bool flip_uvs, rotation_w_first;
    bool neutral; /* some vertex needs the neutral joint */
    uint32_t primitive_count;
} twm_loader;

/* ---- Indices ---- */

/* The indices that are there, however they were written, in whole triangles. */
static stele_view load_indices(twm_loader *t, const twm_mesh *m)
{
    bool half = st_twm_half_indices(t->file, m); /* not literally: nothing else has been checked */
    uint32_t size = half ? 8 : m->index_size;
    uint64_t there = half ? m->index_count / 2 : m->index_count, count = there / 3 * 3;
    if (half)
        st_diag(t->c->diags, DIAG_REPAIRED_INDICES, counted(m->index_count - count, at_member(&m->indices)),
                "are 64-bit numbers of which half were never written: the half that is there is taken");
    else if (count != there)
        st_diag(t->c->diags, DIAG_REPAIRED_INDICES, counted(there - count, at_member(&m->indices)),
                "do not make whole triangles: the last ones are dropped");
    if (size == 4)
        return st_view_indices(&(span){m->indices.data, count, 4}, STELE_U32);
    uint8_t *bytes;
    stele_view narrow = st_view_make(t->c->arena, count, STELE_U32, 1, &bytes);
    for (uint64_t i = 0; i < narrow.count; i++)
        store_uint(bytes + 4 * i, load_u64(m->indices.data + 8 * i), 4);
    st_made_of_bytes(t->c, bytes, 4 * narrow.count, 4, m->indices.data, 8, 8);
    return narrow;
}

/* ---- Vertices ---- */

static stele_view three_floats(const span *s)
{
    return st_view_f32(s->data, s->count, 12, 3);
}

/* Two thirds of the uvs are there, each followed by a 0. */
static stele_view repair_three_floats(twm_loader *t, const twm_mesh *m)
{
    uint8_t *bytes;
    uint64_t known = 2 * m->vertex_count / 3;
    stele_view uv = st_view_make(t->c->arena, m->vertex_count, STELE_F32, 2, &bytes);
    for (uint64_t v = 0; v < known && v < uv.count; v++)
        memcpy(bytes + 8 * v, m->uv.data + 12 * v, 8);
    st_made_of_bytes(t->c, bytes, 8 * (known < uv.count ? known : uv.count), 8, m->uv.data, 12, 8);
    st_diag(t->c->diags, DIAG_REPAIRED_UV, counted(m->vertex_count, at_member(&m->uv)),
            "were written as three floats each: they are put where they belong, and those of the last %llu vertices, which are "
            "not there, are 0",
            (unsigned long long)(m->vertex_count - known));
    return uv;
}

static stele_view load_uvs(twm_loader *t, const twm_mesh *m)
{
    stele_view uv = st_view_f32(m->uv.data, m->uv.count, 8, 2);
    if (t->c->load->repair && st_twm_three_float_uvs(t->file, m))
        uv = repair_three_floats(t, m);
    uv = st_repair_uvs(t->c, &uv, at_member(&m->uv));
    return t->flip_uvs ? st_flipped_uvs(t->c, &uv, NULL, NULL) : uv;
}

/* ---- Tangents ---- */

/* Brings a tangent to length 1, or makes one up at a right angle to the normal; true if it had to be changed. */
static bool repair_tangent(const float normal[3], float tangent[3])
{
    static const float x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
    float squared = dot3f(tangent, tangent);
    if (fabsf(squared - 1) < 1e-3f)
        return false;
    if (!(squared > 1e-20f && squared < 1e20f)) {
        cross3f(normal, fabsf(normal[0]) < 0.9f ? x : y, tangent);
        squared = dot3f(tangent, tangent);
    }
    for (int i = 0; i < 3; i++)
        tangent[i] = squared > 0 ? tangent[i] / sqrtf(squared) : x[i];
    return true;
}

/* The side that the binormal is on is all that a tangent does not say itself. */
static stele_view load_tangents(twm_loader *t, const twm_mesh *m, const stele_view *normals)
{
    uint8_t *bytes;
    uint64_t repaired = 0;
    stele_view tangents = st_view_make(t->c->arena, m->vertex_count, STELE_F32, 4, &bytes);
    for (uint64_t v = 0; v < tangents.count; v++) {
        float normal[3], tangent[4], binormal[3], side[3];
        stele_view_row(normals, v, normal);
        for (uint64_t i = 0; i < 3; i++) {
            tangent[i] = load_f32(m->tangent.data + 12 * v + 4 * i);
            binormal[i] = m->has_binormals ? load_f32(m->binormal.data + 12 * v + 4 * i) : 0;
        }
        repaired += t->c->load->repair && repair_tangent(normal, tangent);
        cross3f(normal, tangent, side);
        tangent[3] = dot3f(side, binormal) < 0 ? -1 : 1;
        for (uint64_t i = 0; i < 4; i++)
            store_f32(bytes + 16 * v + 4 * i, tangent[i]);
    }
    st_made_of_bytes(t->c, bytes, 16 * tangents.count, 16, m->tangent.data, 12, 12);
    if (repaired)
        st_diag(t->c->diags, DIAG_REPAIRED_TANGENT, counted(repaired, at_member(&m->tangent)),
                "are not of length 1: they are made so, or made up where they have no direction");
    return tangents;
}

/* Tangents without normals have no meaning, and binormals without tangents no place. */
static bool usable_tangents(twm_loader *t, const twm_mesh *m)
{
    bool usable = m->has_tangents && m->has_normals;
    if ((m->has_tangents || m->has_binormals) && !usable)
        st_diag(t->c->diags, DIAG_TANGENTS_DROPPED,
                counted(m->vertex_count, at_member(m->has_tangents ? &m->tangent : &m->binormal)),
                "are left out: only together with normals do tangents and binormals say something");
    return usable;
}

/* ---- Clusters ---- */

typedef struct cluster_list {
    const uint8_t *data;
    uint64_t *offset; /* of each vertex, and where the last one ends */
} cluster_list;

/* The influences of a vertex; of too many the greatest. */
static size_t influences_of_cluster(const void *context, uint64_t vertex, influence *influences)
{
    const cluster_list *clusters = context;
    const uint8_t *cluster = clusters->data + clusters->offset[vertex];
    uint64_t weights = (clusters->offset[vertex + 1] - clusters->offset[vertex]) / TWM_WEIGHT_BYTES;
    size_t count = 0;
    for (uint64_t i = 0; i < weights; i++) {
        const uint8_t *at = cluster + 8 + i * TWM_WEIGHT_BYTES;
        influence one = {load_u32(at), load_f64(at + 4)};
        size_t least = 0;
        if (count < MOST_INFLUENCES) {
            influences[count++] = one;
            continue;
        }
        for (size_t k = 1; k < count; k++)
            least = influences[k].weight < influences[least].weight ? k : least;
        if (one.weight > influences[least].weight)
            influences[least] = one;
    }
    return count;
}

static byte_range bytes_of_cluster(const void *context, uint64_t vertex)
{
    const cluster_list *clusters = context;
    const uint8_t *cluster = clusters->data + clusters->offset[vertex];
    return (byte_range){cluster, 8 + load_u64(cluster) * TWM_WEIGHT_BYTES};
}

/* Finds the clusters; false if all are empty, as writers have to make them for a mesh that is not skinned. */
static bool find_clusters(twm_loader *t, const twm_mesh *m, cluster_list *list)
{
    bool any = false;
    uint64_t at = 0;
    list->data = m->clusters.data;
    list->offset = st_arena_array(t->c->arena, m->clusters.count + 1, sizeof *list->offset);
    for (uint64_t v = 0; list->offset && v < m->clusters.count; v++) {
        any |= twm_next_cluster(&m->clusters, &at) != 0;
        list->offset[v + 1] = at;
    }
    return any;
}

enum { MOST_JOINTS = 65535 }; /* of a skin that glTF can hold, less the neutral one */

static bool joints_usable(const twm_file *f)
{
    return f->joint_count && f->joint_count < MOST_JOINTS;
}

static bool load_skin(twm_loader *t, const twm_mesh *m, skin_result *skin)
{
    cluster_list clusters;
    skin->attribute_count = 0;
    if (!joints_usable(t->file) || !m->clusters.data || !find_clusters(t, m, &clusters))
        return false;
    skin_request request = {.vertex_count = m->vertex_count,
                            .influences = influences_of_cluster,
                            .bytes = bytes_of_cluster,
                            .context = &clusters,
                            .joint_count = t->file->joint_count,
                            .place = at_member(&m->clusters)};
    if (!st_load_influences(t->c, &request, skin))
        return false;
    t->neutral |= skin->needs_neutral;
    return true;
}

/* ---- Meshes ---- */

enum { PLAIN_ATTRIBUTES = 4, MOST_ATTRIBUTES = PLAIN_ATTRIBUTES + 2 * (MOST_INFLUENCES / 4) };

/* What draws nothing has no primitive, but keeps its number. */
static void load_primitive(twm_loader *t, const twm_mesh *m, stele_mesh *mesh, stele_node *node)
{
    stele_attribute attributes[MOST_ATTRIBUTES];
    skin_result skin;
    stele_primitive p = {.vertex_count = m->vertex_count, .attributes = attributes, .material = STELE_NONE};
    p.indices = load_indices(t, m);
    if (!p.indices.count || !m->vertex_count)
        return;
    primitive_add(&p, STELE_POSITION, 0, three_floats(&m->position));
    stele_view normals = three_floats(&m->normal);
    if (m->has_normals) {
        normals = st_repair_normals(t->c, &p, &normals, at_member(&m->normal));
        primitive_add(&p, STELE_NORMAL, 0, normals);
    }
    if (usable_tangents(t, m))
        primitive_add(&p, STELE_TANGENT, 0, load_tangents(t, m, &normals));
    if (m->has_uvs)
        primitive_add(&p, STELE_UV, 0, load_uvs(t, m));
    if (load_skin(t, m, &skin)) {
        primitive_add_skin(&p, &skin);
        node->skin = 0;
    }
    mesh->primitives = &p;
    mesh->primitive_count = 1;
    st_part_at(t->c, STELE_PART_PRIMITIVE, t->primitive_count++, at_item(m));
    node->mesh = st_model_add_mesh(t->c->load->model, t->c->arena, mesh);
}

static void load_mesh(twm_loader *t, unsigned index)
{
    const twm_mesh *m = &t->file->mesh[index];
    stele_mesh mesh = {0};
    stele_node node = stele_default_node();
    load_primitive(t, m, &mesh, &node);
    if (!mesh.primitive_count)
        node.mesh = st_model_add_mesh(t->c->load->model, t->c->arena, &mesh);
    st_model_add_node(t->c->load->model, t->c->arena, &node);
}

/* ---- The skeleton ---- */

/* Matrices are stored column by column, but a file may have them transposed: then the translations are elsewhere. */
static bool stored_transposed(const twm_file *f)
{
    bool elsewhere = false;
    for (uint64_t j = 0; j < f->joint_count; j++) {
        const uint8_t *m = twm_joint_matrix(f, j);
        for (uint64_t i = 0; i < 3; i++) {
            if (load_f32(m + 4 * (12 + i)) != 0)
                return false;
            elsewhere |= load_f32(m + 4 * (4 * i + 3)) != 0;
        }
    }
    return elsewhere;
}

static stele_view load_matrices(twm_loader *t)
{
    const twm_file *f = t->file;
    uint8_t *bytes;
    uint64_t count = (uint64_t)f->joint_count + t->neutral;
    stele_view matrices = st_view_make(t->c->arena, count, STELE_F32, 16, &bytes);
    bool transposed = stored_transposed(f);
    if (transposed)
        st_diag(t->c->diags, DIAG_ASSUMED, at_columns(twm_joint_matrix(f, 0), 1),
                "is taken as stored row by row, because that is where the translations are");
    for (uint64_t j = 0; j < matrices.count; j++) {
        float given[16];
        matrix m = st_matrix_identity();
        for (uint64_t i = 0; j < f->joint_count && i < 16; i++)
            given[i] = load_f32(twm_joint_matrix(f, j) + 4 * i);
        if (j < f->joint_count)
            m = transposed ? st_matrix_of_rows(given) : st_matrix_of_columns(given);
        st_store_matrix(bytes + 64 * j, &m);
    }
    if (f->joint_count)
        st_made_of_bytes(t->c, bytes, 64 * (uint64_t)f->joint_count, 64, twm_joint_matrix(f, 0), f->joints.stride, 64);
    return matrices;
}

static uint32_t *load_parents(twm_loader *t)
{
    const twm_file *f = t->file;
    uint32_t base = st_twm_counts_from_one(f);
    uint32_t *parent = st_arena_array(t->c->arena, f->joint_count, sizeof *parent);
    if (base)
        st_diag(t->c->diags, DIAG_ASSUMED, at_columns(f->joints.data, 1),
                "is taken to count from 1, because one joint seems to be its own parent");
    for (uint32_t j = 0; parent && j < f->joint_count; j++) {
        uint32_t given = load_u32(f->joints.data + (uint64_t)j * f->joints.stride);
        bool root = (given == 0 && (base || j == 0)) || given - base >= f->joint_count;
        parent[j] = root ? STELE_NONE : given - base;
    }
    return parent;
}

static bool *find_moved(const twm_file *f, arena *a)
{
    bool *moved = st_arena_array(a, f->joint_count, sizeof *moved);
    for (uint32_t i = 0; moved && i < f->animation_count; i++)
        for (uint32_t j = 0; j < f->joint_count; j++)
            moved[j] |= f->animation[i].track[j].key.count > 0;
    return moved;
}

static bool load_skeleton(twm_loader *t, skeleton *s)
{
    *s = (skeleton){.joint_count = t->file->joint_count,
                    .parent = load_parents(t),
                    .inverse_bind = load_matrices(t),
                    .neutral = t->neutral,
                    .moved = find_moved(t->file, t->c->arena),
                    .root = st_matrix_identity()};
    if (!s->parent || !s->moved || !s->inverse_bind.count || !st_load_skeleton(t->c, s))
        return false;
    for (uint32_t j = 0; j < t->file->joint_count; j++)
        st_part_at(t->c, STELE_PART_NODE, s->first_node + j,
                   at_row(t->file->joints.data + (uint64_t)j * t->file->joints.stride, 1));
    return true;
}

/* ---- Clips ---- */

static stele_view keys_of(const twm_track *track, uint32_t at, uint32_t components)
{
    return st_view_f32(track->key.data + at, track->key.count, TWM_KEY_BYTES, components);
}

/* From w, x, y, z to x, y, z, w. */
static stele_view w_last(const context *c, const stele_view *rotation)
{
    uint8_t *bytes;
    stele_view turned = st_view_make(c->arena, rotation->count, STELE_F32, 4, &bytes);
    for (uint64_t i = 0; i < turned.count; i++) {
        memcpy(bytes + 16 * i, st_view_at(rotation, i) + 4, 12);
        memcpy(bytes + 16 * i + 12, st_view_at(rotation, i), 4);
    }
    st_made_of(c, &turned, rotation);
    return turned;
}

static stele_view load_rotations(twm_loader *t, const twm_track *track, const key_order *order)
{
    stele_view rotation = keys_of(track, TWM_KEY_ROTATION, 4);
    if (t->rotation_w_first)
        rotation = w_last(t->c, &rotation);
    rotation = st_keys_take(t->c, order, &rotation);
    return st_repair_rotations(t->c, &rotation, at_member(&track->key));
}

static bool load_track(twm_loader *t, const twm_track *track, uint32_t node, stele_channel *channels)
{
    key_order order;
    arena *a = t->c->arena;
    double *seconds = st_arena_array(a, track->key.count, sizeof *seconds);
    for (uint64_t i = 0; seconds && i < track->key.count; i++)
        seconds[i] = load_u32(track->key.data + i * TWM_KEY_BYTES) / 1000.0;
    stele_view stored = {track->key.data, track->key.count, TWM_KEY_BYTES, 1, STELE_U32, false};
    if (!seconds || !st_keys_order(t->c, seconds, &stored, at_member(&track->key), &order))
        return false;
    stele_view translation = keys_of(track, TWM_KEY_TRANSLATION, 3), scale = keys_of(track, TWM_KEY_SCALE, 3);
    const stele_view values[] = {st_keys_take(t->c, &order, &translation), load_rotations(t, track, &order),
                                 st_keys_take(t->c, &order, &scale)};
    static const stele_channel_path paths[] = {STELE_TRANSLATION, STELE_ROTATION, STELE_SCALE};
    for (int i = 0; i < 3; i++)
        channels[i] = (stele_channel){.node = node, .path = paths[i], .times = order.times, .values = values[i]};
    return true;
}

static bool load_clip(twm_loader *t, const skeleton *s, unsigned index)
{
    const twm_animation *animation = &t->file->animation[index];
    uint64_t tracks = 0;
    for (uint32_t j = 0; j < t->file->joint_count; j++)
        tracks += animation->track[j].key.count > 0;
    stele_channel *channels = st_arena_array(t->c->arena, 3 * tracks, sizeof *channels);
    stele_clip clip = {.channels = channels};
    for (uint32_t j = 0; channels && j < t->file->joint_count; j++) {
        const twm_track *track = &animation->track[j];
        if (!track->key.count)
            continue;
        if (!load_track(t, track, s->first_node + j, channels + clip.channel_count))
            return false;
        clip.channel_count += 3;
    }
    if (tracks)
        st_part_at(t->c, STELE_PART_CLIP, (uint32_t)t->c->load->model->clip_count, at_item(animation));
    if (tracks)
        return channels && st_model_add_clip(t->c->load->model, t->c->arena, &clip) != STELE_NONE;
    st_diag(t->c->diags, DIAG_NOT_CARRIED, at_item(animation), "has no keys: it is left out");
    return true;
}

bool st_twm_load(context *c, const raw_file *raw)
{
    const twm_file *f = (const twm_file *)raw;
    skeleton s;
    twm_loader t = {.c = c,
                    .file = f,
                    .flip_uvs = raw->dialect != TWM_V3 && strcmp(st_load_choice(c, "twm.uv"), "flip") == 0,
                    .rotation_w_first = strcmp(st_load_choice(c, "twm.quaternion"), "wxyz") == 0};
    st_property_text(&c->load->model->properties, c->arena, "twm.dialect", st_format_twm.info.dialects[raw->dialect].name);
    for (unsigned i = 0; i < f->mesh_count && !c->arena->failed; i++)
        load_mesh(&t, i);
    if (f->joint_count && !joints_usable(f))
        st_diag(c->diags, DIAG_SKIN_DROPPED, counted(f->joint_count, at_member(&f->joint_count)),
                "is more than a skin can have: nothing moves");
    else if (f->joint_count && !load_skeleton(&t, &s))
        return false;
    for (unsigned i = 0; joints_usable(f) && i < f->animation_count; i++)
        if (!load_clip(&t, &s, i))
            return false;
    return !c->arena->failed;
}
