/* The ground below the model: a grid, and a soft shadow of what stands on it. */
#include "scene.h"

enum { SIDE = 160, BLUR = 4, BLURS = 3, MOST_SHADOW_TASKS = 8 };

/* How far the ground is seen, in radii of what is framed. */
#define REACH 4.0f

struct ground {
    float center[3];   /* below the middle of what is framed, in view space */
    float step;        /* of the grid, in view space; 0: none */
    float phase[2];    /* where its lines are along left and front, from the center */
    float *shadow;     /* SIDE x SIDE numbers from 0 to 1, or NULL */
    float shadow_size; /* half the side of its square */
    float shadow_center[2];
    float slant[3]; /* what a shadow moves along the ground for each height */
};

/* ---- The grid ---- */

/* 1, 2 or 5 times a power of ten, not more than half the radius. */
static double grid_step(double radius)
{
    double step = 1, most = radius / 2;
    if (!(most > 1e-30 && most < 1e30))
        return 0;
    while (step > most)
        step /= 10;
    while (step * 10 <= most)
        step *= 10;
    return step * 5 <= most ? step * 5 : step * 2 <= most ? step * 2 : step;
}

static void set_grid(ground *g, const camera *c)
{
    double step = grid_step(c->radius), center[2] = {c->center_left, c->center_front};
    g->step = (float)(step / c->radius);
    for (int i = 0; i < 2 && step > 0; i++) {
        double lines = center[i] / step;
        g->phase[i] = (float)((lines - floor(lines)) * step / c->radius);
    }
}

/* ---- The shadow ---- */

typedef struct casting {
    const scene *scene;
    const ground *ground;
    uint64_t per_task;
    uint8_t *masks; /* of each task */
    shared_work work;
} casting;

static void cast_vertex(const casting *c, const float view[3], float place[2])
{
    const camera *eye = &c->scene->camera;
    const ground *g = c->ground;
    float height = dot3f(eye->up, view) - eye->ground, at[3], cell = SIDE / (2 * g->shadow_size);
    for (int i = 0; i < 3; i++)
        at[i] = view[i] - g->center[i] - g->slant[i] * height;
    place[0] = (at[0] - g->shadow_center[0]) * cell + SIDE / 2;
    place[1] = (dot3f(at, eye->level) - g->shadow_center[1]) * cell + SIDE / 2;
}

/* The cells whose middle is between two numbers. */
static void cells_between(float low, float high, int *first, int *last)
{
    low = low > 0 ? low : 0;
    high = high < SIDE ? high : SIDE;
    *first = low < high ? (int)ceilf(low - 0.5f) : 0;
    *last = low < high ? (int)floorf(high - 0.5f) : -1;
    *last = *last < SIDE ? *last : SIDE - 1;
}

static float least(float a, float b, float c)
{
    float low = a < b ? a : b;
    return low < c ? low : c;
}

/* Returns how many cells were looked at. */
static uint64_t cast_triangle(float p[3][2], uint8_t *mask)
{
    int first[2], last[2];
    for (int i = 0; i < 2; i++)
        cells_between(least(p[0][i], p[1][i], p[2][i]), -least(-p[0][i], -p[1][i], -p[2][i]), &first[i], &last[i]);
    for (int row = first[1]; row <= last[1]; row++)
        for (int column = first[0]; column <= last[0]; column++) {
            float x = (float)column + 0.5f, y = (float)row + 0.5f;
            int left = 0, right = 0;
            for (int i = 0; i < 3; i++) {
                const float *a = p[i], *b = p[(i + 1) % 3];
                float side = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
                left |= side < 0;
                right |= side > 0;
            }
            if (!left || !right)
                mask[row * SIDE + column] = 1;
        }
    return (uint64_t)(last[0] - first[0] + 1) * (uint64_t)(last[1] - first[1] + 1);
}

static void cast_task(void *context, size_t task)
{
    enum { TRIANGLE_WORK = 40, CELL_WORK = 6 };
    casting *c = context;
    const scene *s = c->scene;
    uint64_t at = task * c->per_task, end = at + c->per_task, work = 0;
    const draw *d = s->draws;
    for (; at < end && at < s->triangle_count && may_go_on(&c->work, &work, UNSAID_WORK); at++) {
        uint64_t corners[3];
        float places[3][2];
        bool known = true;
        if (at - d->first_triangle >= d->triangle_count)
            d = st_scene_draw(s, (uint32_t)at);
        if (!st_draw_corners(d, (uint32_t)at, corners))
            continue;
        for (int i = 0; i < 3; i++) {
            known &= d->vertices[corners[i]].x != NOWHERE;
            cast_vertex(c, d->vertices[corners[i]].view, places[i]);
        }
        work += TRIANGLE_WORK;
        if (known)
            work += CELL_WORK * cast_triangle(places, c->masks + task * SIDE * SIDE);
    }
    may_go_on(&c->work, &work, 0);
}

/* The mean of the neighbours along a line of cells so far apart; beyond its ends there is no shadow. */
static void blur_line(float *cells, size_t apart)
{
    float line[SIDE], sum = 0;
    for (int i = 0; i < SIDE; i++)
        line[i] = cells[(size_t)i * apart];
    for (int i = 0; i < BLUR; i++)
        sum += line[i];
    for (int i = 0; i < SIDE; i++) {
        sum += i + BLUR < SIDE ? line[i + BLUR] : 0;
        sum -= i > BLUR ? line[i - BLUR - 1] : 0;
        cells[(size_t)i * apart] = sum / (2 * BLUR + 1);
    }
}

static void soften(float *shadow)
{
    for (int i = 0; i < BLURS; i++)
        for (size_t k = 0; k < SIDE; k++) {
            blur_line(shadow + k * SIDE, 1);
            blur_line(shadow + k, SIDE);
        }
}

/* Where the middle of what is framed throws its shadow, and how large it is at most. The light stands higher than it does for
 * the model: a short shadow is enough to stand on. */
static void aim_shadow(ground *g, const scene *s)
{
    const camera *c = &s->camera;
    float light[3];
    for (int i = 0; i < 3; i++)
        light[i] = s->lights.direction[i][0] + 0.7f * c->up[i];
    normalize3f(light);
    float steep = dot3f(light, c->up), height = (float)c->distance * c->up[2] - c->ground;
    for (int i = 0; i < 3; i++)
        g->slant[i] = light[i] / steep;
    float to_middle[3] = {0, 0, (float)c->distance};
    for (int i = 0; i < 3; i++)
        to_middle[i] -= g->center[i] + g->slant[i] * height;
    g->shadow_center[0] = to_middle[0];
    g->shadow_center[1] = dot3f(to_middle, c->level);
    g->shadow_size = 1.2f / steep;
}

static bool cast_shadow(ground *g, const scene *s)
{
    arena *a = s->renderer->arena;
    size_t tasks = s->renderer->threads.run ? MOST_SHADOW_TASKS : 1;
    g->shadow = st_arena_array(a, (uint64_t)SIDE * SIDE, sizeof *g->shadow);
    arena_mark mark = st_arena_mark(a);
    casting c = {s, g, (s->triangle_count + tasks - 1) / tasks, st_arena_alloc(a, tasks * SIDE * SIDE), {st_work_left(a), 0}};
    bool ready = g->shadow && c.masks;
    if (ready && s->draw_count) {
        aim_shadow(g, s);
        parallel_for(&s->renderer->threads, tasks, cast_task, &c);
        for (size_t i = 0; i < tasks * SIDE * SIDE; i++)
            if (c.masks[i])
                g->shadow[i % (SIDE * SIDE)] = 1;
        soften(g->shadow);
    }
    st_arena_rewind(a, mark);
    return ready && st_work(a, c.work.done, 1);
}

bool st_ground_make(const scene *s, const ground **made)
{
    unsigned overlays = s->options->overlays;
    const camera *c = &s->camera;
    *made = NULL;
    if (!(overlays & (STELE_OVERLAY_GRID | STELE_OVERLAY_SHADOW)))
        return true;
    ground *g = st_arena_alloc(s->renderer->arena, sizeof *g);
    if (!g)
        return false;
    float drop = c->ground - (float)c->distance * c->up[2];
    for (int i = 0; i < 3; i++)
        g->center[i] = (i == 2 ? (float)c->distance : 0) + c->up[i] * drop;
    if (overlays & STELE_OVERLAY_GRID)
        set_grid(g, c);
    *made = g;
    return !(overlays & STELE_OVERLAY_SHADOW) || cast_shadow(g, s);
}

/* ---- What is seen of it ---- */

/* The place on the ground, from its center; false if the ray does not meet it. */
static bool meet(const scene *s, float x, float y, float at[3], float *depth)
{
    const camera *c = &s->camera;
    float ray[3] = {(x - (float)c->middle[0]) * c->slope, ((float)c->middle[1] - y) * c->slope, 1};
    float sink = dot3f(ray, c->up), distance = c->ground / sink;
    if (!(distance > NEAR_PLANE && distance < 1e4f))
        return false;
    for (int i = 0; i < 3; i++)
        at[i] = ray[i] * distance - s->ground->center[i];
    *depth = 1 / distance;
    return true;
}

/* How much of a pixel the lines across a direction cover; far away, where they are too many, their mean. */
static float lines_at(const ground *g, const float direction[3], float phase, const float at[3], const float next[2][3])
{
    float here = dot3f(direction, at) + phase, across = here / g->step;
    float growth_x = dot3f(direction, next[0]) + phase - here, growth_y = dot3f(direction, next[1]) + phase - here;
    float pixel = sqrtf(growth_x * growth_x + growth_y * growth_y) / g->step;
    float off = across - floorf(across + 0.5f), distance = off < 0 ? -off : off;
    float line = clamp_unit(1.1f - distance / pixel);
    float crowded = clamp_unit(pixel * 4 - 1);
    return line + (pixel - line) * crowded;
}

static float shadow_at(const scene *s, const float at[3])
{
    const ground *g = s->ground;
    float cell = SIDE / (2 * g->shadow_size);
    float x = (at[0] - g->shadow_center[0]) * cell + SIDE / 2 - 0.5f;
    float y = (dot3f(at, s->camera.level) - g->shadow_center[1]) * cell + SIDE / 2 - 0.5f;
    if (!(x >= 0 && y >= 0 && x < SIDE - 1 && y < SIDE - 1))
        return 0;
    int column = (int)x, row = (int)y;
    float part_x = x - (float)column, part_y = y - (float)row;
    const float *above = g->shadow + row * SIDE + column, *below = above + SIDE;
    float upper = above[0] + (above[1] - above[0]) * part_x, lower = below[0] + (below[1] - below[0]) * part_x;
    return upper + (lower - upper) * part_y;
}

static float grid_at(const scene *s, float x, float y, const float at[3])
{
    const ground *g = s->ground;
    float next[2][3], unused;
    if (!meet(s, x + 1, y, next[0], &unused) || !meet(s, x, y + 1, next[1], &unused))
        return 0;
    float a = lines_at(g, s->camera.left, g->phase[0], at, (const float(*)[3])next);
    float b = lines_at(g, s->camera.front, g->phase[1], at, (const float(*)[3])next);
    return clamp_unit(a > b ? a : b);
}

bool st_ground_at(const scene *s, float x, float y, float rgba[4], float *depth)
{
    const ground *g = s->ground;
    float at[3];
    if (!meet(s, x, y, at, depth))
        return false;
    float way = dot3f(at, at) / (REACH * REACH), fade = way < 1 ? (1 - way) * (1 - way) : 0;
    float dark = g->shadow && s->camera.ground < 0 ? 0.5f * shadow_at(s, at) * fade : 0;
    float line = g->step > 0 ? 0.45f * grid_at(s, x, y, at) * fade : 0;
    float below[4] = {0, 0, 0, dark}, grey[4] = {0.16f, 0.17f, 0.19f, line};
    st_blend(below, grey);
    if (!(below[3] > 0))
        return false;
    for (int i = 0; i < 3; i++)
        rgba[i] = below[i] / below[3];
    rgba[3] = below[3];
    return true;
}
