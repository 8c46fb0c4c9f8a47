#include "keys.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/matrix.h"
#include "base/order.h"
#include "view.h"

typedef struct timed_row {
    float time;
    uint64_t row;
} timed_row;

static int by_time(const void *a, const void *b)
{
    const timed_row *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static timed_row *sorted_rows(arena *a, const double *seconds, uint64_t count)
{
    timed_row *keys = st_arena_array(a, count, sizeof *keys);
    bool sorted = true;
    for (uint64_t i = 0; keys && i < count; i++) {
        keys[i] = (timed_row){(float)lesser(greater(seconds[i], 0), (double)FLT_MAX), i};
        sorted &= i == 0 || keys[i - 1].time <= keys[i].time;
    }
    if (keys && !sorted)
        qsort(keys, (size_t)count, sizeof *keys, by_time);
    return keys;
}

static void note_rows(const context *c, const stele_view *made, const key_order *order, const stele_view *from)
{
    byte_range *each = st_made_of_each(c, made);
    for (uint64_t i = 0; each && i < made->count; i++)
        each[i] = st_row_bytes(from, order->row[i]);
}

bool st_keys_order(context *c, const double *seconds, const stele_view *stored, diag_place at, key_order *order)
{
    uint8_t *times;
    uint64_t count = stored->count, changed = 0, kept = 0;
    timed_row *keys = sorted_rows(c->arena, seconds, count);
    order->times = st_view_make(c->arena, count + 1, STELE_F32, 1, &times);
    order->row = st_arena_array(c->arena, count + 1, sizeof *order->row);
    if (!keys || !times || !order->row)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        bool repeated = i + 1 < count && keys[i + 1].time == keys[i].time;
        changed += keys[i].row != i || seconds[keys[i].row] < 0 || repeated;
        if (repeated)
            continue;
        store_f32(times + 4 * kept, keys[i].time);
        order->row[kept++] = keys[i].row;
    }
    order->times.count = kept;
    note_rows(c, &order->times, order, stored);
    order->as_they_are = !changed;
    if (changed)
        st_diag(c->diags, DIAG_REPAIRED_TIME, counted(changed, at), "are put in order: none before 0, and one for each time");
    return true;
}

void st_keys_hold(key_order *order, double seconds)
{
    uint64_t last = order->times.count;
    float before = last ? load_f32(st_view_at(&order->times, last - 1)) : 0;
    if (!last || !((float)seconds > before) || seconds > (double)FLT_MAX)
        return;
    store_f32((uint8_t *)st_view_at(&order->times, last), (float)seconds);
    order->row[last] = order->row[last - 1];
    order->times.count++;
    order->as_they_are = false;
}

stele_view st_keys_take(const context *c, const key_order *order, const stele_view *values)
{
    uint8_t *bytes;
    uint32_t size = values->components * stele_type_size(values->type);
    if (order->as_they_are)
        return *values;
    stele_view taken = st_view_make(c->arena, order->times.count, values->type, values->components, &bytes);
    taken.normalized = values->normalized;
    for (uint64_t i = 0; i < taken.count; i++)
        memcpy(bytes + i * size, st_view_at(values, order->row[i]), size);
    note_rows(c, &taken, order, values);
    return taken;
}

/* ---- Rotations ---- */

static void rotation_at(const stele_view *v, uint64_t row, double q[4])
{
    for (uint32_t i = 0; i < 4; i++)
        q[i] = view_number(v, row, i);
}

static bool nearly_unit(const double q[4])
{
    return fabs(dot4(q, q) - 1) < 1e-5;
}

static bool rotations_fit(const stele_view *v)
{
    double before[4] = {0}, q[4];
    for (uint64_t i = 0; i < v->count; i++) {
        rotation_at(v, i, q);
        if (!nearly_unit(q) || dot4(before, q) < 0)
            return false;
        memcpy(before, q, sizeof q);
    }
    return true;
}

stele_view st_repair_rotations(context *c, const stele_view *rotation, diag_place at)
{
    uint8_t *bytes;
    double before[4] = {0}, q[4];
    uint64_t lengths = 0;
    if (!c->load->repair || rotations_fit(rotation))
        return *rotation;
    stele_view fit = st_view_make(c->arena, rotation->count, STELE_F32, 4, &bytes);
    for (uint64_t i = 0; i < fit.count; i++) {
        rotation_at(rotation, i, q);
        double squared = dot4(q, q);
        lengths += !(squared >= 0.99 * 0.99 && squared <= 1.01 * 1.01);
        if (!nearly_unit(q))
            st_quaternion_normalize(q);
        double side = dot4(before, q) < 0 ? -1 : 1;
        for (uint32_t k = 0; k < 4; k++) {
            q[k] *= side;
            store_f32(bytes + 16 * i + 4 * k, (float)q[k]);
        }
        memcpy(before, q, sizeof q);
    }
    if (lengths)
        st_diag(c->diags, DIAG_REPAIRED_ROTATION, counted(lengths, at), "are not of length 1: they are made so");
    st_made_of(c, &fit, rotation);
    return fit;
}
