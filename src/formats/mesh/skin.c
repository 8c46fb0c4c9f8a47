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

enum { BATCH = 32 };

/* Gathered first, so that the compiler can take several vertices at once. */
static inline unsigned look_at_batch(const uint8_t *at, uint64_t stride, size_t count, uint32_t joint_count)
{
    uint32_t joint[BATCH], weight[BATCH], wrong = 0, odd = 0, beyond = 0;
    for (size_t i = 0; i < count; i++, at += stride) {
        joint[i] = load_u32(at);
        weight[i] = load_u32(at + INFLUENCES);
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t joints = joint[i], used = not_zero(weight[i]), strange = not_below(joints, joint_count);
        wrong |= sum_of(weight[i]) ^ 255;
        wrong |= used & strange;
        wrong |= (used >> 8) & ~used;                                            /* one after an unused one */
        wrong |= ~not_zero(joints ^ turned(joints, 1)) & used & turned(used, 1); /* twice the same */
        wrong |= ~not_zero(joints ^ turned(joints, 2)) & used & turned(used, 2);
        odd |= not_zero(joints) & ~used;
        beyond |= strange & not_zero(joints ^ (EACH * NO_JOINT));
    }
    return (wrong ? SKIN_UNSOUND : 0) | (odd ? SKIN_ODD : 0) | (beyond ? SKIN_BEYOND : 0);
}

unsigned st_mesh_look_at_skin(const mesh_file *f, uint64_t begin, uint64_t end)
{
    const uint64_t stride = f->vertices.stride;
    const uint8_t *at = f->vertices.data + begin * stride + st_mesh_vertex(f).joints;
    unsigned seen = 0;
    for (; end - begin >= BATCH; begin += BATCH, at += BATCH * stride)
        seen |= look_at_batch(at, stride, BATCH, f->joint_count);
    return seen | look_at_batch(at, stride, (size_t)(end - begin), f->joint_count);
}

static stele_view joints_of(const mesh_file *f)
{
    const uint8_t *data = f->vertices.data + st_mesh_vertex(f).joints;
    return (stele_view){data, f->vertex_count, f->vertices.stride, INFLUENCES, STELE_U8, false};
}

void st_mesh_know_skin(context *c, const mesh_file *f, unsigned seen)
{
    stele_view joints = joints_of(f);
    if (!(seen & SKIN_UNSOUND))
        st_know(c->facts, &joints, seen & SKIN_ODD ? FACT_SOUND : FACT_SOUND | FACT_PLAIN);
}

unsigned st_mesh_skin(const context *c, const mesh_file *f)
{
    stele_view joints = joints_of(f);
    if (st_known(c->facts, &joints, FACT_SOUND))
        return st_known(c->facts, &joints, FACT_PLAIN) ? 0 : SKIN_ODD;
    return st_mesh_look_at_skin(f, 0, f->vertex_count);
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
