#include "reader.h"

#include <string.h>

#include "base/bytes.h"
#include "base/order.h"

/* ---- Planning ---- */

/* What is read where the primitive has nothing. */
static const float *neutral_of(stele_semantic semantic, uint32_t set)
{
    static const float none[4] = {0}, normal[4] = {0, 0, 1, 0}, tangent[4] = {1, 0, 0, 1}, color[4] = {1, 1, 1, 1},
                       first[4] = {1, 0, 0, 0};
    switch (semantic) {
    case STELE_NORMAL: return normal;
    case STELE_TANGENT: return tangent;
    case STELE_COLOR: return color;
    case STELE_WEIGHTS: return set ? none : first; /* all of it to the first joint */
    default: return none;
    }
}

static bool slot_is_sound(const stele_slot *s)
{
    bool type = s->type == STELE_F32 || s->type == STELE_F16 || s->type == STELE_U8 || s->type == STELE_I8 ||
                s->type == STELE_U16 || s->type == STELE_I16 || (s->type == STELE_U32 && !s->normalized);
    return type && (unsigned)s->semantic <= STELE_WEIGHTS && s->components >= 1 && s->components <= 4 &&
           s->stride <= MOST_STRIDE && (!s->stride || s->stride >= s->components * stele_type_size(s->type));
}

/* True if what must be written fits. */
static bool fits(uint64_t offset, size_t stride, size_t bytes, uint64_t count, size_t size)
{
    return !count || (offset <= size && bytes <= size - offset && (count - 1) <= (size - offset - bytes) / stride);
}

static bool is_moved(stele_semantic semantic)
{
    return semantic <= STELE_TANGENT;
}

static column column_of(const stele_primitive *p, const stele_slot *slot, uint64_t start, bool moved)
{
    column c = {.slot = *slot,
                .bytes = slot->components * stele_type_size(slot->type),
                .neutral = neutral_of(slot->semantic, slot->set)};
    const stele_view *v = stele_primitive_view(p, slot->semantic, slot->set);
    bool plain = slot->scale[0] == 0 && !(moved && is_moved(slot->semantic));
    c.slot.offset -= start;
    c.view = v && v->count >= p->vertex_count ? v : NULL;
    c.as_it_is = plain && c.view && st_same_numbers(v, slot->type, slot->components, slot->normalized);
    return c;
}

/* Slots of one stride whose places are less than that apart lie in the same vertices, which begin with the first of them. */
static stream *stream_for(reader *r, const stele_slot *slot, size_t stride)
{
    for (size_t i = 0; i < r->stream_count; i++)
        if (r->streams[i].stride == stride && slot->offset - r->streams[i].start < stride)
            return &r->streams[i];
    stream *opened = &r->streams[r->stream_count++];
    opened->start = slot->offset;
    opened->stride = stride;
    opened->column_count = 0;
    return opened;
}

/* By their places, so that who comes first in a vertex opens its stream. */
static void sort_slots(const stele_slot *slots, size_t count, const stele_slot **sorted)
{
    for (size_t i = 0; i < count; i++) {
        size_t k = i;
        for (; k > 0 && sorted[k - 1]->offset > slots[i].offset; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = &slots[i];
    }
}

/* Columns come in the order of their places. False if some overlap, or reach into the next vertex. */
static bool measure_stream(stream *s, uint64_t count)
{
    uint64_t end = 0, filled = 0;
    for (size_t i = 0; i < s->column_count; i++) {
        const column *c = &s->columns[i];
        if (c->slot.offset < end)
            return false;
        end = c->slot.offset + c->bytes;
        filled += c->bytes;
    }
    if (end > s->stride && count > 1)
        return false;
    s->stride = end > s->stride ? (size_t)end : s->stride; /* a vertex that none follows may be longer */
    s->bytes = count ? (size_t)(count - 1) * s->stride + (size_t)end : 0;
    s->gaps = filled < s->stride;
    return true;
}

static bool streams_are_apart(const reader *r)
{
    for (size_t i = 0; i < r->stream_count; i++)
        for (size_t k = 0; k < i; k++) {
            const stream *a = &r->streams[i], *b = &r->streams[k];
            if (a->start < b->start + b->bytes && b->start < a->start + a->bytes)
                return false;
        }
    return true;
}

/* What the slots have room for: influences of each set, as many as the narrowest of its slots has numbers. */
typedef struct influence_room {
    uint32_t held[MOST_SETS];
    size_t set_count; /* up to the last that is asked for; those between are taken to be read elsewhere, whole */
    bool rounded;     /* there are weights that are to sum to whole steps */
} influence_room;

static bool is_influence(const stele_slot *s)
{
    return (s->semantic == STELE_JOINTS || s->semantic == STELE_WEIGHTS) && s->set < MOST_SETS;
}

static uint32_t weight_steps(const stele_slot *s)
{
    bool whole = s->semantic == STELE_WEIGHTS && s->normalized && s->scale[0] == 0;
    return whole && s->type == STELE_U8 ? 255 : whole && s->type == STELE_U16 ? 65535 : 0;
}

static void ask_for(influence_room *room, const stele_slot *s)
{
    if (!is_influence(s))
        return;
    for (; room->set_count <= s->set; room->set_count++)
        room->held[room->set_count] = 4;
    room->held[s->set] = s->components < room->held[s->set] ? s->components : room->held[s->set];
    room->rounded |= weight_steps(s) != 0;
}

/* The joints and weights of the file that belong together. True if a set has more of them than there is room for. */
static bool find_influences(reader *r, const influence_room *room)
{
    const stele_primitive *p = r->primitive;
    bool more = false;
    for (size_t i = 0; i < p->attribute_count; i++) {
        const stele_attribute *a = &p->attributes[i];
        bool joints = a->semantic == STELE_JOINTS && a->set < MOST_SETS;
        const stele_view *weights = joints ? stele_primitive_view(p, STELE_WEIGHTS, a->set) : NULL;
        if (!weights || weights->count < p->vertex_count || a->view.count < p->vertex_count)
            continue;
        for (; r->set_count <= a->set; r->set_count++)
            r->joints[r->set_count] = r->weights[r->set_count] = NULL;
        r->joints[a->set] = &a->view;
        r->weights[a->set] = weights;
        uint32_t held = a->set < room->set_count ? room->held[a->set] : 0;
        more |= a->view.components > held && weights->components > held;
    }
    return more;
}

static void share_column(column *c, const influence_room *room)
{
    c->share = true;
    c->as_it_is = false;
    c->steps = weight_steps(&c->slot);
    c->held = room->held[c->slot.set];
    c->first_share = 0;
    for (uint32_t set = 0; set < c->slot.set; set++)
        c->first_share += room->held[set];
}

/* Influences that are more than there is room for, and weights of few bits, are looked at all together. */
static void plan_shares(reader *r, const stele_slot *slots, size_t slot_count)
{
    influence_room room = {.set_count = 0};
    for (size_t i = 0; i < slot_count; i++)
        ask_for(&room, &slots[i]);
    bool more = room.set_count && find_influences(r, &room);
    if (!r->set_count || (!more && !room.rounded))
        return;
    for (size_t set = 0; set < room.set_count; set++)
        r->kept += room.held[set];
    for (size_t i = 0; i < r->stream_count; i++)
        for (size_t k = 0; k < r->streams[i].column_count; k++)
            if (is_influence(&r->streams[i].columns[k].slot))
                share_column(&r->streams[i].columns[k], &room);
    size_t most = 4 * r->set_count > r->kept ? 4 * r->set_count : r->kept;
    r->block = r->block * most > 4 * BLOCK ? 4 * BLOCK / most : r->block;
}

/* Streams stay as they are, for most are not used, and to zero them takes longer than to read a small model. */
static void begin(reader *r, const stele_primitive *p, void *buffer)
{
    r->primitive = p;
    r->stream_count = r->set_count = r->kept = 0;
    r->block = BLOCK;
    r->buffer = buffer;
}

bool st_reader_plan(reader *r, const stele_primitive *p, const stele_slot *slots, size_t slot_count, uint64_t count, bool moved,
                    void *buffer, size_t size)
{
    const stele_slot *sorted[STELE_MOST_SLOTS];
    begin(r, p, buffer);
    if (!slots || !slot_count || slot_count > STELE_MOST_SLOTS || (!buffer && count))
        return false;
    sort_slots(slots, slot_count, sorted);
    for (size_t i = 0; i < slot_count; i++) {
        if (!slot_is_sound(sorted[i]))
            return false;
        size_t bytes = sorted[i]->components * stele_type_size(sorted[i]->type);
        size_t stride = sorted[i]->stride ? sorted[i]->stride : bytes;
        if (!fits(sorted[i]->offset, stride, bytes, count, size))
            return false;
        stream *s = stream_for(r, sorted[i], stride);
        s->columns[s->column_count++] = column_of(p, sorted[i], s->start, moved);
        r->block = r->block * stride > 8 * MOST_STRIDE ? 8 * MOST_STRIDE / stride : r->block;
    }
    for (size_t i = 0; i < r->stream_count; i++)
        if (!measure_stream(&r->streams[i], count))
            return false;
    if (!streams_are_apart(r))
        return false;
    plan_shares(r, slots, slot_count);
    return true;
}

/* ---- Influences ---- */

#define MOST_JOINT 4294967040.0f /* the greatest float that is one */

/* Joints and weights of a block, kept of each a vertex, as floats; the more there are, the fewer vertices. */
typedef struct shares {
    float joint[4 * BLOCK], weight[4 * BLOCK];
} shares;

/* The heaviest first; the kept of them are made to sum to 1. Returns what all weighed that are left out. */
static float keep_heaviest(influence *items, size_t count, size_t kept)
{
    float left_out = 0;
    double sum = 0;
    if (count <= kept)
        return 0;
    st_sort_influences(items, count);
    for (size_t i = 0; i < count; i++)
        if (i < kept)
            sum += items[i].weight;
        else
            left_out += (float)items[i].weight;
    for (size_t i = 0; i < kept && sum > 0 && left_out > 0; i++)
        items[i].weight /= sum;
    return left_out;
}

/* As multiples of a step that sum to exactly 1: the heaviest takes what rounding leaves. */
static void round_weights(float *weights, size_t count, float steps)
{
    float sum = 0;
    int32_t rest = (int32_t)steps;
    size_t heaviest = 0;
    for (size_t i = 0; i < count; i++) {
        weights[i] = weights[i] > 0 ? (weights[i] < 1 ? weights[i] : 1) : 0; /* also what is no number */
        sum += weights[i];
    }
    if (!(sum > 0))
        return; /* no weights at all */
    for (size_t i = 0; i < count; i++) {
        int32_t step = (int32_t)(weights[i] / sum * steps + 0.5f); /* a sum may be too small for its inverse */
        rest -= step;
        weights[i] = (float)step;
        heaviest = weights[i] > weights[heaviest] ? i : heaviest;
    }
    weights[heaviest] += (float)rest;
    for (size_t i = 0; i < count; i++)
        weights[i] /= steps;
}

static bool share_out(const reader *r, uint64_t first, size_t count, shares *s)
{
    static const float none[4];
    float joints[4 * BLOCK], weights[4 * BLOCK], left_out = 0;
    size_t width = r->kept;
    for (size_t set = 0; set < r->set_count; set++) {
        if (!r->joints[set])
            continue;
        st_load_rows(r->joints[set], first, count, 4, none, joints + 4 * set * count);
        st_load_rows(r->weights[set], first, count, 4, none, weights + 4 * set * count);
    }
    for (size_t i = 0; i < count; i++) {
        influence items[MOST_INFLUENCES] = {{0, 0}};
        size_t given = 0;
        for (size_t set = 0; set < r->set_count; set++)
            for (size_t k = 0; k < 4 && r->joints[set]; k++)
                items[given++] = (influence){(uint32_t)lesserf(joints[4 * (set * count + i) + k], MOST_JOINT),
                                             (double)weights[4 * (set * count + i) + k]};
        left_out += keep_heaviest(items, given, width);
        for (size_t k = 0; k < width; k++) {
            s->joint[i * width + k] = (float)items[k].joint;
            s->weight[i * width + k] = (float)items[k].weight;
        }
    }
    return left_out == 0;
}

/* ---- Reading ---- */

static void take_share(const reader *r, const column *c, const shares *s, size_t count, float *rows)
{
    const float *from = c->slot.semantic == STELE_JOINTS ? s->joint : s->weight;
    for (size_t i = 0; i < count; i++, from += r->kept) {
        float rounded[MOST_INFLUENCES];
        if (c->steps) {
            memcpy(rounded, from, r->kept * sizeof *from);
            round_weights(rounded, r->kept, (float)c->steps);
        }
        const float *taken = (c->steps ? rounded : from) + c->first_share;
        for (uint32_t k = 0; k < c->slot.components; k++)
            rows[i * c->slot.components + k] = k < c->held ? taken[k] : 0;
    }
}

/* What is moved, as packed rows. */
static const float *moved_of(const moved_block *m, stele_semantic semantic, uint32_t *width)
{
    *width = semantic == STELE_TANGENT ? 4 : 3;
    return semantic == STELE_POSITION ? m->position[0] : semantic == STELE_NORMAL ? m->normal[0] : m->tangent[0];
}

static void take_moved(const column *c, const moved_block *m, size_t count, float *rows)
{
    uint32_t width, wanted = c->slot.components;
    const float *from = moved_of(m, c->slot.semantic, &width);
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < wanted; k++)
            rows[i * wanted + k] = k < width ? from[i * width + k] : c->neutral[k];
}

/* Moved rows that are what the slot wants, as they are. */
static bool copy_moved(const column *c, const moved_block *m, size_t count, uint8_t *out, size_t stride)
{
    uint32_t width;
    const float *from = moved_of(m, c->slot.semantic, &width);
    if (c->slot.type != STELE_F32 || c->slot.components > width || c->slot.scale[0] != 0)
        return false;
    st_copy_rows((const uint8_t *)from, width * sizeof *from, out, stride, count, c->bytes);
    return true;
}

static void scale_rows(const stele_slot *slot, size_t count, float *rows)
{
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < slot->components; k++)
            rows[i * slot->components + k] = (rows[i * slot->components + k] - slot->bias[k]) * slot->scale[k];
}

static bool fill_column(const reader *r, const column *c, uint64_t first, size_t count, const moved_block *moved,
                        const shares *shared, uint8_t *out, size_t stride)
{
    float rows[4 * BLOCK];
    if (c->as_it_is) {
        st_copy_rows((const uint8_t *)c->view->data + first * c->view->stride, c->view->stride, out, stride, count, c->bytes);
        return true;
    }
    bool is_posed = moved && is_moved(c->slot.semantic) && !c->slot.set;
    if (is_posed && copy_moved(c, moved, count, out, stride))
        return true;
    if (c->share)
        take_share(r, c, shared, count, rows);
    else if (is_posed)
        take_moved(c, moved, count, rows);
    else if (c->view)
        st_load_rows(c->view, first, count, c->slot.components, c->neutral, rows);
    else
        st_fill_rows(c->neutral, 0, c->slot.components, count, rows);
    if (c->slot.scale[0] != 0)
        scale_rows(&c->slot, count, rows);
    return st_store_rows(rows, count, c->slot.components, c->slot.type, c->slot.normalized, out, stride);
}

enum { LINE = 64 }; /* bytes that a cache fetches at once */

static bool fill_stream(const reader *r, const stream *s, uint64_t first, uint64_t row, size_t count, const moved_block *moved,
                        const shares *shared)
{
    uint8_t stage[8 * MOST_STRIDE], *out = r->buffer + s->start + row * s->stride;
    bool direct = s->column_count == 1 && !s->gaps, whole = true;
    size_t bytes = count * s->stride, room = s->bytes - (size_t)row * s->stride;
    for (size_t at = bytes; at < 2 * bytes && at < room; at += LINE) /* where the next go */
        __builtin_prefetch(out + at, 1);
    if (s->gaps)
        memset(stage, 0, bytes);
    for (size_t i = 0; i < s->column_count; i++)
        whole &= fill_column(r, &s->columns[i], first, count, moved, shared, direct ? out : stage + s->columns[i].slot.offset,
                             s->stride);
    if (!direct)
        memcpy(out, stage, bytes < room ? bytes : room);
    return whole;
}

/* The rows after some are fetched while these are worked on, for the processor sees no pattern in blocks. */
static void look_ahead(const reader *r, uint64_t first, size_t count)
{
    const stele_view *last = NULL;
    for (size_t i = 0; i < r->stream_count; i++)
        for (size_t k = 0; k < r->streams[i].column_count; k++) {
            const stele_view *v = r->streams[i].columns[k].view;
            if (!v || first + 2 * count > v->count)
                continue;
            bool beside = last && last->stride == v->stride && (uintptr_t)v->data - (uintptr_t)last->data < v->stride;
            const uint8_t *next = (const uint8_t *)v->data + (first + count) * v->stride;
            for (size_t at = 0; !beside && at < count * v->stride; at += LINE)
                __builtin_prefetch(next + at);
            last = v;
        }
}

bool st_reader_fill(const reader *r, uint64_t first, uint64_t row, size_t count, const moved_block *moved)
{
    shares shared;
    look_ahead(r, first, count);
    bool whole = !r->kept || share_out(r, first, count, &shared);
    for (size_t i = 0; i < r->stream_count; i++)
        whole &= fill_stream(r, &r->streams[i], first, row, count, moved, &shared);
    return whole;
}

/* The vertex of the file that the columns of a stream lie in as they lie in the stream; or NULL. */
static const uint8_t *own_vertex(const stream *s)
{
    const uint8_t *start = NULL;
    for (size_t i = 0; i < s->column_count; i++) {
        const column *c = &s->columns[i];
        if (!c->as_it_is || c->view->stride != s->stride || (start && (const uint8_t *)c->view->data != start + c->slot.offset))
            return NULL;
        if (!start && c->slot.offset == 0)
            start = c->view->data;
    }
    return s->gaps ? NULL : start;
}

bool st_reader_copy(const reader *r, const stream *s)
{
    const uint8_t *start = own_vertex(s);
    if (start)
        memcpy(r->buffer + s->start, start, (size_t)r->primitive->vertex_count * s->stride);
    return start;
}
