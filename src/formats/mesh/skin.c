/* Joints and weights of vertices, looked at together. */
#include "base/bytes.h"
#include "raw.h"

/* ---- Whether they are right as they are ---- */

/* Four bytes at once: the highest bit of each tells. */
#define EACH 0x01010101u
#define HIGH 0x80808080u

static inline uint32_t turned(uint32_t bytes, int by)
{
    return bytes >> 8 * by | bytes << (32 - 8 * by);
}

static inline uint32_t not_zero(uint32_t bytes)
{
    return (((bytes & ~HIGH) + ~HIGH) | bytes) & HIGH;
}

/* Those that are not below the limit, which is at most 256. */
static inline uint32_t not_below(uint32_t bytes, uint32_t limit)
{
    uint32_t low = bytes & ~HIGH;
    return (limit <= 128 ? (low + EACH * (128 - limit)) | bytes : (low + EACH * (256 - limit)) & bytes) & HIGH;
}

static inline uint32_t sum_of(uint32_t bytes)
{
    uint32_t pairs = (bytes & 0x00ff00ffu) + (bytes >> 8 & 0x00ff00ffu);
    return (pairs + (pairs >> 16)) & 0xffffu;
}

static mesh_skin look_at_all(const mesh_file *f, uint32_t offset)
{
    const span *vertices = &f->vertices;
    const uint32_t joint_count = f->joint_count;
    uint32_t wrong = 0, odd = 0, beyond = 0;
    for (uint64_t v = 0; v < f->vertex_count; v++) {
        const uint8_t *at = vertices->data + v * vertices->stride + offset;
        uint32_t joints = load_u32(at), weights = load_u32(at + INFLUENCES), used = not_zero(weights);
        uint32_t strange = not_below(joints, joint_count);
        wrong |= sum_of(weights) ^ 255;
        wrong |= used & strange;
        wrong |= (used >> 8) & ~used;                                            /* one after an unused one */
        wrong |= ~not_zero(joints ^ turned(joints, 1)) & used & turned(used, 1); /* twice the same */
        wrong |= ~not_zero(joints ^ turned(joints, 2)) & used & turned(used, 2);
        odd |= not_zero(joints) & ~used;
        beyond |= strange & not_zero(joints ^ (EACH * NO_JOINT));
    }
    return (mesh_skin){!wrong, !odd, !beyond};
}

mesh_skin st_mesh_look_at_skin(context *c, const mesh_file *f)
{
    uint32_t offset = st_mesh_vertex(f).joints;
    const stele_view joints = {f->vertices.data + offset, f->vertex_count, f->vertices.stride, INFLUENCES, STELE_U8, false};
    bool plain = st_known(c->facts, &joints, FACT_PLAIN);
    if (st_known(c->facts, &joints, FACT_SOUND))
        return (mesh_skin){true, plain, plain};
    mesh_skin look = look_at_all(f, offset);
    if (look.sound)
        st_know(c->facts, &joints, look.plain ? FACT_SOUND | FACT_PLAIN : FACT_SOUND);
    return look;
}

/* ---- What moves vertices ---- */

void st_mesh_used_joints(const mesh_file *f, uint64_t first, uint64_t count, uint8_t *joints)
{
    const uint8_t *at = f->vertices.data + first * f->vertices.stride + st_mesh_vertex(f).joints;
    for (uint64_t v = 0; v < count; v++, at += f->vertices.stride) {
        uint32_t used = not_zero(load_u32(at + INFLUENCES)) >> 7;
        store_uint(joints + INFLUENCES * v, load_u32(at) & (used * UINT8_MAX), INFLUENCES);
    }
}

void st_mesh_find_weighted(const mesh_file *f, bool weighted[256])
{
    uint32_t joints = st_mesh_vertex(f).joints;
    uint64_t last = 0;
    int position[256], asked = 0;
    st_mesh_index_joints(f, position);
    for (int id = 0; id < 256; id++)
        asked += position[id] >= 0;
    for (uint64_t v = 0; joints && asked && v < f->vertex_count; v++) {
        const uint8_t *at = f->vertices.data + v * f->vertices.stride + joints;
        uint64_t skin = load_u64(at);
        if (skin == last && v)
            continue; /* as its neighbour */
        last = skin;
        for (int i = 0; i < INFLUENCES && at[i] != NO_JOINT; i++) {
            bool first = at[INFLUENCES + i] && !weighted[at[i]];
            asked -= first && position[at[i]] >= 0;
            weighted[at[i]] |= first;
        }
    }
}
