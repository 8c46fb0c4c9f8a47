/* Keys that interpolation gives back. Errors are lengths for translations, as a part of the model's size, and angles for
 * rotations: how far something of the size of the model would move. */
#include <math.h>

#include "base/matrix.h"
#include "base/order.h"
#include "optimize.h"

/* A channel as numbers. */
typedef struct track {
    arena *arena;
    const stele_channel *channel;
    uint64_t count; /* keys */
    uint32_t width; /* numbers of a key */
    const double *times, *values;
    double tolerance;
    bool constant;
} track;

static uint64_t numbers_of_key(const stele_channel *c)
{
    return c->times.count ? c->values.count * c->values.components / c->times.count : 0;
}

static double tolerance_of(stele_channel_path path, double tolerance, double size)
{
    return path == STELE_TRANSLATION ? tolerance * size : tolerance;
}

static double *numbers_of(arena *a, const stele_view *v, uint64_t count)
{
    double *numbers = st_arena_array(a, count, sizeof *numbers);
    for (uint64_t i = 0; numbers && i < count; i++)
        numbers[i] = view_number(v, i / v->components, (uint32_t)(i % v->components));
    return numbers;
}

static bool load_track(arena *a, const stele_channel *c, double tolerance, double size, track *t)
{
    uint64_t width = numbers_of_key(c);
    double *values = numbers_of(a, &c->values, c->times.count * width), *times = numbers_of(a, &c->times, c->times.count);
    if (!values || !times || !st_work(a, c->times.count, 20 + 8 * width))
        return false;
    for (uint64_t i = 0; c->path == STELE_ROTATION && width == 4 && i < c->times.count; i++)
        st_quaternion_normalize(values + 4 * i);
    *t = (track){.arena = a,
                 .channel = c,
                 .count = c->times.count,
                 .width = (uint32_t)width,
                 .times = times,
                 .values = values,
                 .tolerance = tolerance_of(c->path, tolerance, size)};
    return true;
}

/* ---- What a key is without it ---- */

static double difference(const track *t, const double *a, const double *b)
{
    double worst = 0, squares = 0, dot = 0;
    for (uint32_t i = 0; i < t->width; i++) {
        worst = greater(worst, fabs(a[i] - b[i]));
        squares += (a[i] - b[i]) * (a[i] - b[i]);
        dot += a[i] * b[i];
    }
    if (t->channel->path == STELE_ROTATION) /* q and -q are one; an angle is twice the way between quaternions */
        return 2 * sqrt(dot < 0 ? greater(2 + 2 * dot, 0) : squares);
    return t->channel->path == STELE_TRANSLATION ? sqrt(squares) : worst;
}

static bool gives_back(const track *t, uint64_t from, uint64_t to, uint64_t key)
{
    const double *a = t->values + from * t->width, *b = t->values + to * t->width, *k = t->values + key * t->width;
    if (t->channel->interpolation == STELE_STEP)
        return difference(t, a, k) <= t->tolerance;
    double part = (t->times[key] - t->times[from]) / (t->times[to] - t->times[from]);
    if (t->channel->path == STELE_ROTATION) {
        double turned[4];
        st_quaternion_slerp(a, b, part, turned);
        return difference(t, turned, k) <= t->tolerance;
    }
    double squares = 0, worst = 0;
    for (uint32_t i = 0; i < t->width; i++) {
        double off = a[i] + (b[i] - a[i]) * part - k[i];
        squares += off * off;
        worst = greater(worst, fabs(off));
    }
    return (t->channel->path == STELE_TRANSLATION ? sqrt(squares) : worst) <= t->tolerance;
}

static bool all_give_back(const track *tracks, size_t count, uint64_t from, uint64_t to)
{
    for (size_t i = 0; i < count; i++)
        if (!st_work(tracks[i].arena, to - from, 40 + 2 * (uint64_t)tracks[i].width))
            return false;
    for (size_t i = 0; i < count; i++)
        if (!gives_back(&tracks[i], from, to, from + (to - from) / 2)) /* which is off most, as a rule */
            return false;
    for (size_t i = 0; i < count; i++)
        for (uint64_t key = from + 1; key < to; key++)
            if (!gives_back(&tracks[i], from, to, key))
                return false;
    return true;
}

/* The farthest key to which nothing between is needed, by steps that double and then halve. */
static uint64_t farthest(const track *tracks, size_t count, uint64_t from)
{
    uint64_t last = tracks[0].count - 1, good = from + 1, step = 1;
    while (good < last) {
        uint64_t next = last - good < step ? last : good + step;
        if (!all_give_back(tracks, count, from, next))
            break;
        good = next;
        step *= 2;
    }
    for (; step; step /= 2)
        if (good < last && step <= last - good && all_give_back(tracks, count, from, good + step))
            good += step;
    return good;
}

static uint64_t choose_keys(const track *tracks, size_t count, uint64_t *kept)
{
    uint64_t chosen = 0, at = 0, last = tracks[0].count - 1;
    kept[chosen++] = 0;
    while (at < last) {
        at = farthest(tracks, count, at);
        kept[chosen++] = at;
    }
    return chosen;
}

/* ---- Channels ---- */

static bool reducible(const stele_channel *c)
{
    uint64_t width = numbers_of_key(c);
    return c->interpolation != STELE_CUBIC && c->times.count && width && width <= UINT16_MAX &&
           c->values.count * c->values.components == c->times.count * width && (c->path != STELE_ROTATION || width == 4) &&
           ((c->path != STELE_TRANSLATION && c->path != STELE_SCALE) || width == 3);
}

static bool is_constant(const track *t)
{
    for (uint64_t i = 1; i < t->count; i++)
        if (!(difference(t, t->values, t->values + i * t->width) <= t->tolerance))
            return false;
    return true;
}

/* What the node has without the channel. */
static bool says_rest(const track *t, const stele_node *node)
{
    double rest[4];
    const float *at = t->channel->path == STELE_TRANSLATION ? node->local.translation
                      : t->channel->path == STELE_ROTATION  ? node->local.rotation
                                                            : node->local.scale;
    if (t->channel->path == STELE_MORPH_WEIGHTS || node->matrix)
        return false;
    for (uint32_t i = 0; i < t->width; i++)
        rest[i] = (double)at[i];
    return difference(t, t->values, rest) <= t->tolerance;
}

static stele_view taken(arena *a, const stele_view *v, const uint64_t *kept, uint64_t count, uint64_t rows)
{
    uint8_t *bytes;
    uint32_t size = v->components * stele_type_size(v->type);
    stele_view result = st_view_make(a, count * rows, v->type, v->components, &bytes);
    result.normalized = v->normalized;
    for (uint64_t i = 0; bytes && i < count; i++)
        for (uint64_t k = 0; k < rows; k++)
            memcpy(bytes + (i * rows + k) * size, st_view_at(v, kept[i] * rows + k), size);
    return result;
}

static bool same_times(const stele_view *a, const stele_view *b)
{
    if (a->count != b->count)
        return false;
    for (uint64_t i = 0; a->data != b->data && i < a->count; i++)
        if (view_number(a, i, 0) != view_number(b, i, 0))
            return false;
    return true;
}

/* ---- Clips ---- */

typedef struct reducer {
    arena *arena;
    const stele_model *model;
    double tolerance, size;
    bool whole_rows;
    stele_channel *channels; /* the result, and how many */
    size_t count;
    uint64_t *kept;
    double end;   /* of the clip */
    bool ends_so; /* a channel that stays has a key there */
} reducer;

static double end_of(const stele_channel *c)
{
    return view_number(&c->times, c->times.count - 1, 0);
}

static bool keep(reducer *r, const stele_channel *c, uint64_t count)
{
    stele_channel *to = &r->channels[r->count++];
    *to = *c;
    if (count < c->times.count) {
        to->times = taken(r->arena, &c->times, r->kept, count, 1);
        to->values = taken(r->arena, &c->values, r->kept, count, c->values.count / c->times.count);
    }
    return !r->arena->failed;
}

/* Channels that are reduced together: those of a node that follow each other and have the same times. */
enum { MOST_TOGETHER = 4 };

static size_t together(const reducer *r, const stele_clip *clip, size_t first)
{
    size_t count = 1;
    const stele_channel *c = &clip->channels[first];
    while (r->whole_rows && count < MOST_TOGETHER && first + count < clip->channel_count) {
        const stele_channel *next = &clip->channels[first + count];
        if (next->node != c->node || !reducible(next) || next->interpolation != c->interpolation ||
            next->path == STELE_MORPH_WEIGHTS || !same_times(&c->times, &next->times))
            break;
        count++;
    }
    return count;
}

/* A constant channel needs one key, and none if it says what holds without it: but something must last as long as the clip. */
static bool reduce_constant(reducer *r, const track *t)
{
    const stele_channel *c = t->channel;
    bool needed = !r->ends_so && end_of(c) == r->end;
    if (!needed && says_rest(t, &r->model->nodes[c->node]))
        return true;
    r->kept[0] = 0;
    r->kept[1] = c->times.count - 1;
    r->ends_so |= needed;
    return keep(r, c, needed && c->times.count > 1 ? 2 : 1);
}

static bool reduce_together(reducer *r, const track *tracks, size_t count)
{
    track moving[MOST_TOGETHER];
    size_t moving_count = 0;
    for (size_t i = 0; i < count; i++)
        if (!tracks[i].constant)
            moving[moving_count++] = tracks[i];
    uint64_t chosen = moving_count ? choose_keys(moving, moving_count, r->kept) : 0;
    for (size_t i = 0; i < moving_count; i++) {
        r->ends_so |= end_of(moving[i].channel) == r->end;
        if (!keep(r, moving[i].channel, chosen))
            return false;
    }
    for (size_t i = 0; i < count; i++)
        if (tracks[i].constant && !reduce_constant(r, &tracks[i]))
            return false;
    return true;
}

static bool reduce_from(reducer *r, const stele_clip *clip, size_t *first)
{
    track tracks[MOST_TOGETHER];
    const stele_channel *c = &clip->channels[*first];
    if (!reducible(c)) {
        r->ends_so |= c->times.count && end_of(c) == r->end;
        ++*first;
        return keep(r, c, c->times.count);
    }
    size_t count = together(r, clip, *first);
    for (size_t i = 0; i < count; i++) {
        if (!load_track(r->arena, c + i, r->tolerance, r->size, &tracks[i]))
            return false;
        tracks[i].constant = is_constant(&tracks[i]);
    }
    r->kept = st_arena_array(r->arena, c->times.count + 1, sizeof *r->kept);
    *first += count;
    return r->kept && reduce_together(r, tracks, count);
}

/* What moves to the end of the clip is known before the first channel is left out. */
static bool some_channel_moves_to(const reducer *r, const stele_clip *clip)
{
    for (size_t i = 0; i < clip->channel_count; i++) {
        const stele_channel *c = &clip->channels[i];
        if (!c->times.count || end_of(c) != r->end)
            continue;
        if (!reducible(c))
            return true;
        arena_mark mark = st_arena_mark(r->arena);
        track t;
        bool moves = load_track(r->arena, c, r->tolerance, r->size, &t) && !is_constant(&t);
        st_arena_rewind(r->arena, mark);
        if (moves)
            return true;
    }
    return false;
}

static bool reduce_clip(reducer *r, stele_clip *clip)
{
    r->channels = st_arena_array(r->arena, clip->channel_count, sizeof *r->channels);
    r->count = 0;
    r->end = 0;
    if (!r->channels)
        return false;
    for (size_t i = 0; i < clip->channel_count; i++)
        if (clip->channels[i].times.count)
            r->end = greater(r->end, end_of(&clip->channels[i]));
    r->ends_so = some_channel_moves_to(r, clip);
    for (size_t i = 0; i < clip->channel_count;)
        if (!reduce_from(r, clip, &i))
            return false;
    clip->channels = r->channels;
    clip->channel_count = r->count;
    return true;
}

bool st_reduce_keys(arena *a, stele_model *model, double tolerance, double size, bool whole_rows)
{
    reducer r = {.arena = a, .model = model, .tolerance = tolerance, .size = size, .whole_rows = whole_rows};
    for (size_t i = 0; i < model->clip_count; i++)
        if (!reduce_clip(&r, (stele_clip *)&model->clips[i]))
            return false;
    return true;
}
