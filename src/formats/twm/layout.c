/* TWM, the models of the Twilli engine. Little-endian; docs/formats/twm.md tells the whole story.
 *
 *   dialect  container                            counts  indices
 *   v0       u64 size and one LZ4 block of it all  u64     u64 (its only writer kept half of them)
 *   v1       plain                                 u64     u64
 *   v2       plain                                 u64     u32
 *   v3       plain                                 u32     u32
 *
 * Nobody ever wrote a skeleton, and the document can be taken in several ways: these are the readings, tried one after another.
 * The footer at the very end decides. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/scan.h"
#include "raw.h"
#ifdef STELE_WITHOUT_LZ4
#include "plain_lz4.h"
#else
#include <lz4.h>
#endif

static const char magic[] = ".twm", footer[] = ".twm END OF FILE";
enum { MAGIC_BYTES = 4, FOOTER_BYTES = 16, MOST_UNPACKED = 0x7E000000, MOST_EXPANSION = 255 };

static const stele_dialect_info dialects[] = {
    [TWM_V0] = {"v0", "February 2023: compressed, 64-bit counts and indices"},
    [TWM_V1] = {"v1", "February 2023: plain, 64-bit counts and indices"},
    [TWM_V2] = {"v2", "February 2023: 64-bit counts, 32-bit indices"},
    [TWM_V3] = {"v3", "since February 2023: 32-bit counts and indices"},
};

static const stele_choice_info choices[] = {
    {"twm.quaternion", "xyzw wxyz", "the order of a rotation's numbers, which no file tells"},
    {"twm.uv", "keep flip", "of versions up to 2: whether v counts upwards, as in the OBJ that it came from"},
};

/* The recommended reading first, no skeleton last. */
static const twm_reading layouts[TWM_LAYOUTS] = {
    {72, false, CLUSTERS_OF_DEFORMERS, false, NULL},
    {72, false, CLUSTERS_OF_ALL, false, "clusters of all meshes, after them"},
    {72, true, CLUSTERS_OF_DEFORMERS, false, "clusters inside the meshes"},
    {72, true, CLUSTERS_OF_ALL, false, "clusters inside all meshes"},
    {72, false, CLUSTERS_NONE, false, "no clusters"},
    {68, false, CLUSTERS_OF_DEFORMERS, false, "joints of 68 bytes"},
    {68, false, CLUSTERS_OF_ALL, false, "joints of 68 bytes, clusters of all meshes"},
    {68, true, CLUSTERS_OF_DEFORMERS, false, "joints of 68 bytes, clusters inside the meshes"},
    {68, true, CLUSTERS_OF_ALL, false, "joints of 68 bytes, clusters inside all meshes"},
    {68, false, CLUSTERS_NONE, false, "joints of 68 bytes, no clusters"},
    {0, false, CLUSTERS_NONE, false, "no skeleton, whatever the flag says"},
};

twm_reading st_twm_reading(unsigned reading)
{
    twm_reading r = layouts[reading % TWM_LAYOUTS];
    r.narrow = reading >= TWM_LAYOUTS;
    return r;
}

bool st_twm_has_skeleton(const twm_file *f)
{
    return f->has_skeleton && st_twm_reading(f->raw.reading).joint_size;
}

bool st_twm_has_clusters(const twm_file *f, const twm_mesh *m)
{
    twm_clusters clusters = st_twm_reading(f->raw.reading).clusters;
    return st_twm_has_skeleton(f) && (clusters == CLUSTERS_OF_ALL || (clusters == CLUSTERS_OF_DEFORMERS && m->has_deformer));
}

/* ---- The layout ---- */

static const char *reading_meaning(const twm_file *f)
{
    return f->raw.reading % TWM_LAYOUTS ? st_twm_reading(f->raw.reading).says : NULL;
}

static void walk_skeleton(walk *w, twm_file *f, uint8_t joint_size)
{
    static const stele_column columns[] = {TWM_JOINT_ROW(ROW_COLUMN)};
    const stele_column tight[] = {columns[0], columns[2]};
    W_U32(w, f, joint_count);
    st_walk_rows(w, "joint", &f->joints, joint_size == 72 ? columns : tight, joint_size == 72 ? 3 : 2, f->joint_count);
}

static void walk_indices(walk *w, const twm_file *f, twm_mesh *m)
{
    stele_type count = f->raw.dialect == TWM_V3 ? STELE_U32 : STELE_U64;
    bool wide = f->raw.dialect <= TWM_V1 && !st_twm_reading(f->raw.reading).narrow;
    W_UINT64(w, m, index_count, count);
    m->index_size = wide ? 8 : 4;
    W_ARRAY(w, m, indices, wide ? STELE_U64 : STELE_U32, m->index_count);
}

/* The size of one cluster: a count and so many weights. */
static uint64_t cluster_size(const uint8_t *data, uint64_t left)
{
    uint64_t count = left >= 8 ? settled_u64(load_u64(data)) : UINT64_MAX;
    return count > left / TWM_WEIGHT_BYTES ? UINT64_MAX : 8 + count * TWM_WEIGHT_BYTES;
}

static void walk_clusters(walk *w, const twm_file *f, twm_mesh *m)
{
    if (st_twm_has_clusters(f, m))
        st_walk_items(w, "cluster", &m->clusters, m->vertex_count, cluster_size);
}

static void walk_mesh(walk *w, const twm_file *f, twm_mesh *m)
{
    W_UINT64(w, m, vertex_count, f->raw.dialect == TWM_V3 ? STELE_U32 : STELE_U64);
    W_U8(w, m, has_normals);
    W_U8(w, m, has_uvs);
    W_U8(w, m, has_tangents);
    W_U8(w, m, has_binormals);
    W_U8(w, m, has_deformer);
    W_ARRAY(w, m, reserved, STELE_U8, 3);
    st_walk_rows(w, "position", &m->position, &(stele_column){"", STELE_F32, 3}, 1, m->vertex_count);
    if (m->has_normals)
        st_walk_rows(w, "normal", &m->normal, &(stele_column){"", STELE_F32, 3}, 1, m->vertex_count);
    if (m->has_uvs)
        st_walk_rows(w, "uv", &m->uv, &(stele_column){"", STELE_F32, 2}, 1, m->vertex_count);
    if (m->has_tangents)
        st_walk_rows(w, "tangent", &m->tangent, &(stele_column){"", STELE_F32, 3}, 1, m->vertex_count);
    if (m->has_binormals)
        st_walk_rows(w, "binormal", &m->binormal, &(stele_column){"", STELE_F32, 3}, 1, m->vertex_count);
    walk_indices(w, f, m);
    if (st_twm_reading(f->raw.reading).inside)
        walk_clusters(w, f, m);
}

static void walk_track(walk *w, twm_track *t)
{
    static const stele_column columns[] = {TWM_KEY_ROW(ROW_COLUMN)};
    W_U32(w, t, key_count);
    W_ROWS(w, t, key, columns, 4, t->key_count);
}

static void walk_animation(walk *w, const twm_file *f, twm_animation *a)
{
    W_LIST(w, a, track, f->joint_count, 4) walk_track(w, &a->track[i]);
}

static void walk_animations(walk *w, twm_file *f)
{
    uint64_t at = w->at;
    W_U32(w, f, animation_count);
    /* without joints they would take no bytes at all, however many */
    if (walk_ok(w) && f->animation_count && !f->joint_count)
        st_walk_fail(w, DIAG_BAD_FIELD, at, "animation_count", "is %u, but there are no joints", f->animation_count);
    W_LIST(w, f, animation, f->animation_count, 4 * (uint64_t)f->joint_count) walk_animation(w, f, &f->animation[i]);
}

static void walk_header(walk *w, twm_file *f)
{
    span start = {(const uint8_t *)magic, 1, MAGIC_BYTES};
    st_walk_chars(w, "magic", &start, MAGIC_BYTES);
    if (walk_ok(w) && memcmp(start.data, magic, MAGIC_BYTES) != 0)
        st_walk_fail(w, DIAG_BAD_MAGIC, 0, "magic", "is not .twm");
    st_walk_constant(w, "version", STELE_U32, f->raw.dialect, DIAG_BAD_VERSION);
    W_U32(w, f, mesh_count);
    walk_u8(w, "has_skeleton", &f->has_skeleton, reading_meaning(f));
    W_ARRAY(w, f, reserved, STELE_U8, 3);
}

static void walk_footer(walk *w, twm_file *f)
{
    uint64_t at = w->at;
    if (w->mode == WALK_WRITE)
        f->footer = (span){(const uint8_t *)footer, 1, FOOTER_BYTES};
    W_CHARS(w, f, footer, FOOTER_BYTES);
    if (walk_ok(w) && walk_reads(w) && memcmp(f->footer.data, footer, FOOTER_BYTES) != 0)
        st_walk_fail(w, DIAG_BAD_FIELD, at, "footer", "is not \"%s\"", footer);
}

static void walk_file(walk *w, raw_file *raw)
{
    twm_file *f = (twm_file *)raw;
    twm_reading reading = st_twm_reading(raw->reading);
    walk_header(w, f);
    if (f->has_skeleton && reading.joint_size)
        walk_skeleton(w, f, reading.joint_size);
    W_LIST(w, f, mesh, f->mesh_count, 16) walk_mesh(w, f, &f->mesh[i]);
    for (uint64_t i = 0; !reading.inside && f->mesh && st_walk_item(w, "mesh", f->mesh, sizeof *f->mesh, i, f->mesh_count); i++)
        walk_clusters(w, f, &f->mesh[i]);
    walk_animations(w, f);
    walk_footer(w, f);
}

/* ---- The container of v0 ---- */

static void walk_container(walk *w, container *c)
{
    st_walk_uint(w, "unpacked_size", STELE_U64, &c->unpacked_size, NULL);
    st_walk_blob(w, "block", &c->block, walk_reads(w) ? w->size - w->at : c->block.count);
}

/* A block cannot grow more than 255 times: nothing is allocated on the file's word. */
static span unpack(const container *c, arena *a)
{
    if (c->unpacked_size > MOST_UNPACKED || c->block.count > INT32_MAX || c->unpacked_size / MOST_EXPANSION > c->block.count)
        return (span){0};
    uint8_t *content = st_arena_bytes(a, c->unpacked_size);
    int size =
        content ? LZ4_decompress_safe((const char *)c->block.data, (char *)content, (int)c->block.count, (int)c->unpacked_size)
                : -1;
    return size >= 0 && (uint64_t)size == c->unpacked_size ? (span){content, c->unpacked_size, 1} : (span){0};
}

static bool pack(span content, arena *a, container *c)
{
    if (content.count > MOST_UNPACKED)
        return false;
    int most = LZ4_compressBound((int)content.count);
    char *block = st_arena_bytes(a, (uint64_t)most);
    int size = block ? LZ4_compress_default((const char *)content.data, block, (int)content.count, most) : 0;
    *c = (container){content.count, {(const uint8_t *)block, (uint64_t)size, 1}};
    return size > 0;
}

/* ---- Telling it apart ---- */

/* The magic is the first literal of the LZ4 block: after its token and the bytes of a long literal length. */
static bool starts_packed(const uint8_t *data, uint64_t size)
{
    uint64_t at = 9;
    if (size < 14 || load_u64(data) > MOST_UNPACKED || data[8] >> 4 < MAGIC_BYTES)
        return false;
    if (data[8] >> 4 == 15)
        while (at < size && data[at++] == 255) {
        }
    return size - at >= MAGIC_BYTES && memcmp(data + at, magic, MAGIC_BYTES) == 0;
}

/* The flag of versions up to 2 is always set and never true. */
static void try_readings(probe *p, unsigned dialect, bool flagged)
{
    unsigned widths = dialect <= TWM_V1 ? 2 : 1;
    for (unsigned width = 0; width < widths; width++) {
        unsigned narrow = width * TWM_LAYOUTS;
        if (dialect == TWM_V0)
            probe_try(p, TRUST_CERTAIN, dialect, narrow); /* the flag is still packed: it may be 0 */
        if (flagged && dialect <= TWM_V2)
            probe_try(p, TRUST_CERTAIN, dialect, narrow + TWM_NO_SKELETON);
        for (unsigned i = 0; i < (flagged ? TWM_NO_SKELETON : 1); i++)
            probe_try(p, TRUST_CERTAIN, dialect, narrow + i);
        if (flagged && dialect == TWM_V3)
            probe_try(p, TRUST_CERTAIN, dialect, narrow + TWM_NO_SKELETON);
    }
}

static void probe_file(const uint8_t *data, uint64_t size, probe *p)
{
    if (size >= MAGIC_BYTES && memcmp(data, magic, MAGIC_BYTES) == 0) {
        uint32_t version = size >= 8 ? load_u32(data + 4) : TWM_V3;
        if (version < TWM_V1 || version > TWM_V3)
            *p = (probe){.trust = TRUST_CERTAIN,
                         .problem = DIAG_BAD_VERSION,
                         .offset = 4,
                         .path = "version",
                         .text = "is not known: TWM has the plain versions 1 to 3 and the compressed version 0"};
        else
            try_readings(p, version, size > 12 && data[12]);
    } else if (starts_packed(data, size)) {
        try_readings(p, TWM_V0, true);
    }
}

bool st_twm_half_indices(const twm_file *f, const twm_mesh *m)
{
    if (f->raw.dialect > TWM_V1 || m->index_size != 4 || m->index_count < 6)
        return false;
    for (uint64_t i = 1; i < m->index_count; i += 2)
        if (load_u32(m->indices.data + 4 * i))
            return false;
    return true;
}

bool st_twm_three_float_uvs(const twm_file *f, const twm_mesh *m)
{
    bool any = false;
    if (f->raw.dialect != TWM_V3 || !m->has_uvs || m->vertex_count < 12)
        return false;
    for (uint64_t i = 0; i < 2 * m->vertex_count; i++) {
        bool set = load_f32(m->uv.data + 4 * i) != 0;
        if (set && i % 3 == 2)
            return false;
        any |= set;
    }
    return any;
}

static bool zero_bytes(const span *s)
{
    for (uint64_t i = 0; i < s->count; i++)
        if (s->data[i])
            return false;
    return true;
}

static bool joints_plausible(const twm_file *f)
{
    for (uint64_t i = 0; i < f->joints.count; i++) {
        const uint8_t *joint = f->joints.data + i * f->joints.stride;
        if (load_u32(joint) > f->joint_count || fabsf(load_f32(twm_joint_matrix(f, i) + 60) - 1) > 1e-3f)
            return false;
    }
    return true;
}

static bool clusters_plausible(const twm_file *f, const twm_mesh *m)
{
    for (uint64_t v = 0, at = 0; v < m->clusters.count; v++) {
        const uint8_t *p = m->clusters.data + at + 8;
        uint64_t count = twm_next_cluster(&m->clusters, &at);
        for (uint64_t i = 0; i < count; i++, p += TWM_WEIGHT_BYTES) {
            double weight = load_f64(p + 4);
            if (load_u32(p) >= f->joint_count || !(weight >= 0 && weight <= 1))
                return false;
        }
    }
    return true;
}

static sense sense_of(const raw_file *raw)
{
    const twm_file *f = (const twm_file *)raw;
    if (f->has_skeleton > 1 || !zero_bytes(&f->reserved) || !joints_plausible(f))
        return SENSE_NONE;
    for (uint64_t i = 0; f->mesh && i < f->mesh_count; i++) {
        const twm_mesh *m = &f->mesh[i];
        uint8_t flags = m->has_normals | m->has_uvs | m->has_tangents | m->has_binormals | m->has_deformer;
        if (flags > 1 || !zero_bytes(&m->reserved) || !clusters_plausible(f, m))
            return SENSE_NONE;
        stele_type type = m->index_size == 8 ? STELE_U64 : STELE_U32;
        if (st_scan_beyond(m->indices.data, m->indices.count, type, m->vertex_count))
            return SENSE_ODD;
    }
    return SENSE_GOOD;
}

/* ---- What is in it ---- */

static void describe_mesh(const twm_file *f, const twm_mesh *m, arena *a, stele_mesh_info *info)
{
    const struct {
        bool present;
        const char *name;
    } attributes[] = {{true, "position"},           {m->has_normals, "normal"},     {m->has_uvs, "uv0"},
                      {m->has_tangents, "tangent"}, {m->has_binormals, "binormal"}, {st_twm_has_clusters(f, m), "weights"}};
    const char **names = st_arena_alloc(a, sizeof attributes / sizeof *attributes * sizeof *names);
    stele_view positions = st_view_f32(m->position.data, m->vertex_count, 12, 3);
    uint64_t indices = st_twm_half_indices(f, m) ? m->index_count / 2 : m->index_count;
    size_t count = 0;
    for (size_t i = 0; names && i < sizeof attributes / sizeof *attributes; i++)
        if (attributes[i].present)
            names[count++] = attributes[i].name;
    *info = (stele_mesh_info){.vertices = m->vertex_count,
                              .indices = indices,
                              .triangles = indices / 3,
                              .material = STELE_NONE,
                              .attributes = names,
                              .attribute_count = count,
                              .bounds = st_view_bounds(&positions)};
}

static void describe_clip(const twm_file *f, const twm_animation *animation, stele_clip_info *info)
{
    uint32_t last = 0;
    *info = (stele_clip_info){.name = "", .tracks = f->joint_count};
    for (uint64_t i = 0; i < f->joint_count; i++) {
        const span *keys = &animation->track[i].key;
        info->keys += keys->count;
        uint32_t time = keys->count ? load_u32(keys->data + (keys->count - 1) * TWM_KEY_BYTES) : 0;
        last = time > last ? time : last;
    }
    info->seconds = last / 1000.0;
}

static void describe(context *c, const raw_file *raw, stele_info *info)
{
    const twm_file *f = (const twm_file *)raw;
    stele_mesh_info *meshes = st_arena_array(c->arena, f->mesh_count, sizeof *meshes);
    stele_clip_info *clips = st_arena_array(c->arena, f->animation_count, sizeof *clips);
    if (!meshes || !clips)
        return;
    for (uint64_t i = 0; i < f->mesh_count; i++) {
        describe_mesh(f, &f->mesh[i], c->arena, &meshes[i]);
        st_bounds_add(&info->bounds, &meshes[i].bounds);
    }
    for (uint64_t i = 0; i < f->animation_count; i++)
        describe_clip(f, &f->animation[i], &clips[i]);
    info->meshes = meshes;
    info->mesh_count = f->mesh_count;
    info->clips = clips;
    info->clip_count = f->animation_count;
    info->skeleton = st_twm_has_skeleton(f) ? "" : NULL;
    info->joints = f->joint_count;
}

const format st_format_twm = {
    .info = {.name = "twm",
             .title = "Twilli model",
             .extensions = "twm",
             .capabilities = STELE_MESHES | STELE_NORMALS | STELE_UVS | STELE_TANGENTS | STELE_SKIN | STELE_SKELETON |
                             STELE_ANIMATION | STELE_SEVERAL_MESHES | STELE_NODE_ANIMATION | STELE_SCALE_ANIMATION,
             .uv_sets = 1,
             .influences = UINT32_MAX,
             .dialects = dialects,
             .dialect_count = sizeof dialects / sizeof *dialects,
             .choices = choices,
             .choice_count = sizeof choices / sizeof *choices},
    .raw_size = sizeof(twm_file),
    .probe = probe_file,
    .walk = walk_file,
    .sense = sense_of,
    .check = st_twm_check,
    .describe = describe,
    .adapt = st_twm_adapt,
    .packed_dialects = 1 << TWM_V0,
    .walk_container = walk_container,
    .unpack = unpack,
    .pack = pack,
    .load = st_twm_load,
    .save = st_twm_save,
    .usual_dialect = TWM_V3,
};
