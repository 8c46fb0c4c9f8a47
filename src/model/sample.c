#include "sample.h"

#include <math.h>

#include "base/matrix.h"
#include "base/turn.h"
#include "view.h"

/* ---- Keys ---- */

/* Not before the row. */
static bool is_from(const stele_view *times, uint64_t row, double seconds)
{
    return view_number(times, row, 0) <= seconds;
}

/* The row that was found last, or the next, is usually the one. */
static bool is_still(const stele_view *times, uint64_t row, double seconds)
{
    return row + 1 < times->count && is_from(times, row, seconds) && !is_from(times, row + 1, seconds);
}

static uint64_t search(const stele_view *times, double seconds)
{
    uint64_t low = 0, high = times->count - 1;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (is_from(times, middle, seconds))
            low = middle;
        else
            high = middle;
    }
    return low;
}

key_place st_find_key(const stele_view *times, double seconds, uint32_t *key)
{
    uint64_t last = times->count - 1, row = key ? *key : 0;
    if (!(seconds > view_number(times, 0, 0)))
        return (key_place){0, 0, 0};
    if (is_from(times, last, seconds))
        return (key_place){last, 0, 0};
    if (!key || !is_still(times, row, seconds))
        row = key && is_still(times, row + 1, seconds) ? row + 1 : search(times, seconds);
    if (key)
        *key = (uint32_t)row;
    double from = view_number(times, row, 0), to = view_number(times, row + 1, 0);
    return (key_place){row, (seconds - from) / (to - from), to - from};
}

/* The numbers of a key: row after row of a view, as many as the channel has a key. */
static double key_number(const stele_view *values, uint64_t row, uint32_t width, uint32_t i)
{
    uint64_t at = row * width + i; /* morph weights are rows of one number, the others rows of width */
    return view_number(values, at / values->components, (uint32_t)(at % values->components));
}

#define REAL double
#define V(name) name
#include "sample_rows.h"

#define REAL float
#define V(name) name##f
#include "sample_rows.h"

key_place st_key_place(const stele_channel *c, double seconds)
{
    key_place place = st_find_key(&c->times, seconds, NULL);
    if (c->interpolation == STELE_STEP)
        place.fraction = 0;
    return place;
}

double st_channel_number(const stele_channel *c, const key_place *place, uint32_t width, uint32_t index)
{
    return number_at(c, place, width, index);
}
