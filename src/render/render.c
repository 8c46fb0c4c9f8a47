/* From a model to a picture: what is drawn is placed, seen by the camera, sorted into tiles, and each tile is drawn on its own.
 */
#include "model/evaluate.h"
#include "scene.h"

/* ---- What is in the picture ---- */

typedef double node_matrix[16];

static const node_matrix *nodes_at(const renderer *r, uint32_t clip, double seconds)
{
    node_matrix *matrices = st_arena_array(r->arena, r->model->node_count, sizeof *matrices);
    if (!matrices || !st_work(r->arena, 1, st_work_of_nodes(r->model, clip)))
        return NULL;
    st_evaluate_nodes(r->model, clip, seconds, matrices);
    return (const node_matrix *)matrices;
}

/* Without triangles, the nodes are what there is. */
static void add_nodes(const renderer *r, const node_matrix *matrices, stele_bounds *b)
{
    for (size_t i = 0; i < r->model->node_count; i++) {
        float place[3];
        for (int k = 0; k < 3; k++)
            place[k] = (float)matrices[i][12 + k];
        st_bounds_extend(b, place);
    }
}

static stele_bounds bounds_of(const scene *s, const node_matrix *matrices)
{
    stele_bounds b = st_scene_bounds(s);
    if (!b.known)
        add_nodes(s->renderer, matrices, &b);
    return b;
}

static void center_of(const stele_bounds *b, double center[3])
{
    for (int i = 0; i < 3; i++)
        center[i] = ((double)b->min[i] + (double)b->max[i]) / 2;
}

static double radius_of(const scene *s, const stele_bounds *b, const double center[3])
{
    if (s->triangle_count)
        return st_scene_radius(s, b, center);
    double corner[3];
    widen3(b->max, corner);
    return distance3(corner, center);
}

static stele_framing framing_of(const stele_bounds *b, double radius)
{
    stele_framing f = {.radius = radius > 0 && radius < 1e38 ? (float)radius : 1};
    double center[3];
    center_of(b, center);
    for (int i = 0; i < 3; i++) {
        f.center[i] = (float)center[i];
        f.lowest[i] = b->min[i];
    }
    return f;
}

static window window_of(const scene *s, const camera *c, const node_matrix *matrices, const stele_bounds *b)
{
    return st_window_join(st_scene_window(s, c), st_overlay_window(s, c, matrices, b));
}

/* ---- The framing of what moves ---- */

enum { MOST_MOMENTS = 33 };

/* Moments of a clip, a tenth of a second from each other, or as many as there may be; both ends are among them. */
static size_t moments_of(const stele_model *model, uint32_t clip, double *step)
{
    double duration = clip < model->clip_count ? model->clips[clip].duration : 0;
    if (!(duration > 0 && duration < 1e9)) {
        *step = 0;
        return 1;
    }
    double steps = ceil(duration * 10);
    steps = steps < MOST_MOMENTS - 1 ? steps : MOST_MOMENTS - 1;
    *step = duration / steps;
    return (size_t)steps + 1;
}

/* What is learnt of the moments, each by a look at all of them: the next needs what those before found. */
typedef struct motion {
    stele_bounds bounds;
    double radius;
    stele_framing framing;
    window window;
    bool all_round;
} motion;

typedef void (*look)(motion *m, const scene *s, const node_matrix *matrices);

static void look_at_bounds(motion *m, const scene *s, const node_matrix *matrices)
{
    stele_bounds b = bounds_of(s, matrices);
    if (b.known) {
        st_bounds_extend(&m->bounds, b.min);
        st_bounds_extend(&m->bounds, b.max);
    }
}

static void look_at_radius(motion *m, const scene *s, const node_matrix *matrices)
{
    (void)matrices;
    double center[3];
    center_of(&m->bounds, center);
    double reach = radius_of(s, &m->bounds, center);
    m->radius = reach > m->radius ? reach : m->radius;
}

enum { SIDES = 24 }; /* between them nothing grows by more than the room around it */

static void look_at_window(motion *m, const scene *s, const node_matrix *matrices)
{
    for (int i = 0; i < (m->all_round ? SIDES : 1); i++) {
        camera c = st_camera(s->options, &m->framing, i * (360.0 / SIDES));
        m->window = st_window_join(m->window, window_of(s, &c, matrices, &m->bounds));
    }
}

static bool look_at_moment(motion *m, const renderer *r, const stele_render_options *o, double seconds, look at)
{
    uint32_t clip = o->posed ? o->clip : STELE_NONE;
    arena_mark mark = st_arena_mark(r->arena);
    scene s = {.renderer = r, .options = o};
    const node_matrix *matrices = nodes_at(r, clip, seconds);
    bool ready = matrices && st_scene_draws(&s, matrices, clip, seconds);
    if (ready)
        at(m, &s, matrices);
    st_arena_rewind(r->arena, mark);
    return ready;
}

static bool look_at_all(motion *m, const renderer *r, const stele_render_options *o, look at)
{
    double step;
    size_t moments = moments_of(r->model, o->posed ? o->clip : STELE_NONE, &step);
    for (size_t i = 0; i < moments; i++)
        if (!look_at_moment(m, r, o, (double)i * step, at))
            return false;
    return true;
}

bool st_frame(const renderer *r, const stele_render_options *o, bool all_round, stele_framing *framing)
{
    motion m = {.window = NO_WINDOW, .all_round = all_round};
    if (!look_at_all(&m, r, o, look_at_bounds) || !look_at_all(&m, r, o, look_at_radius))
        return false;
    m.framing = framing_of(&m.bounds, m.radius);
    if (!look_at_all(&m, r, o, look_at_window))
        return false;
    *framing = m.framing;
    if (m.window.left <= m.window.right) {
        framing->left = m.window.left;
        framing->right = m.window.right;
        framing->bottom = m.window.bottom;
        framing->top = m.window.top;
    }
    return true;
}

/* ---- Tiles ---- */

/* So many tasks draw the tiles, each every so many-th: odd, so that a task has tiles of all columns. */
enum { MOST_TASKS = 15 };

typedef struct drawing {
    const scene *scene;
    const stele_picture *picture;
    bins opaque, painted;
    const uint32_t *paint_order;
    float background[4]; /* premultiplied */
    uint8_t empty[4];    /* and as a pixel */
    size_t columns, rows, tasks;
    tile *tiles;       /* of each task */
    size_t first, end; /* of the tiles that are drawn now */
    shared_work work;
} drawing;

/* The bin of a level that a tile is in. */
static size_t bin_of(const bin_level *l, const tile *t)
{
    return l->first + (size_t)((uint32_t)t->y / l->size) * l->columns + (uint32_t)t->x / l->size;
}

static void clear(const drawing *d, tile *t)
{
    for (int i = 0; i < TILE_PIXELS; i++) {
        t->depth[i] = all_float(0);
        t->triangle[i] = all_int(NO_TRIANGLE);
        for (int k = 0; k < SAMPLES; k++)
            memcpy(t->color[i][k], d->background, sizeof t->color[i][k]);
    }
}

/* The draw of a triangle, which mostly is the one before. */
static const draw *draw_of(const drawing *d, tile *t, const draw *before, uint32_t triangle)
{
    if (triangle - before->first_triangle < before->triangle_count)
        return before;
    t->work += SEARCH_WORK;
    return st_scene_draw(d->scene, triangle);
}

static void cover(drawing *d, tile *t)
{
    const bins *b = &d->opaque;
    const draw *of = d->scene->draws;
    for (int i = 0; i < b->level_count; i++) {
        size_t bin = bin_of(&b->levels[i], t);
        for (uint64_t at = b->starts[bin]; at < b->starts[bin + 1] && may_go_on(&d->work, &t->work, UNSAID_WORK); at++) {
            uint32_t triangle = b->entries[at];
            of = draw_of(d, t, of, triangle);
            t->work += i ? LARGE_WORK : 0;
            st_tile_cover(t, d->scene, of, triangle);
        }
    }
}

/* The samples that see the same triangle share a colour: that in their middle. */
static void shade_samples(const drawing *d, tile *t, int32_t at, int first, surface *f)
{
    int4 seen = t->triangle[at];
    int32_t triangle = seen[first], x = 0, y = 0, count = 0;
    float rgba[4], left = (float)(t->x + at % TILE), top = (float)(t->y + at / TILE);
    for (int k = first; k < SAMPLES; k++)
        if (seen[k] == triangle) {
            x += sample_x[k];
            y += sample_y[k];
            count += 8;
        }
    if (f->triangle != (uint32_t)triangle)
        st_surface(draw_of(d, t, f->draw, (uint32_t)triangle), (uint32_t)triangle, f);
    t->work += work_of_shading(f->draw);
    st_shade(d->scene, f, left + (float)x / (float)count, top + (float)y / (float)count, rgba);
    for (int k = first; k < SAMPLES; k++)
        if (seen[k] == triangle)
            st_blend(t->color[at][k], rgba);
}

static void shade(const drawing *d, tile *t)
{
    surface f = {.draw = d->scene->draws, .triangle = NO_TRIANGLE};
    for (int32_t row = 0; row < t->height; row++)
        for (int32_t at = row * TILE; at < row * TILE + t->width; at++) {
            int4 seen = t->triangle[at];
            for (int k = 0; k < SAMPLES; k++) {
                bool done = seen[k] == NO_TRIANGLE;
                for (int before = 0; before < k; before++)
                    done |= seen[before] == seen[k];
                if (!done)
                    shade_samples(d, t, at, k, &f);
            }
        }
}

static void add_ground(const drawing *d, tile *t)
{
    for (int32_t row = 0; row < t->height; row++)
        for (int32_t column = 0; column < t->width; column++) {
            int32_t at = row * TILE + column;
            float rgba[4], depth;
            if (!st_ground_at(d->scene, (float)(t->x + column) + 0.5f, (float)(t->y + row) + 0.5f, rgba, &depth))
                continue;
            for (int k = 0; k < SAMPLES; k++)
                if (depth > t->depth[at][k])
                    st_blend(t->color[at][k], rgba);
        }
}

/* The lists of all levels are in the order of painting: the least of their heads is next. */
static void paint(drawing *d, tile *t)
{
    const bins *b = &d->painted;
    const draw *of = d->scene->draws;
    uint64_t heads[MOST_BIN_LEVELS], ends[MOST_BIN_LEVELS];
    for (int i = 0; i < b->level_count; i++) {
        size_t bin = bin_of(&b->levels[i], t);
        heads[i] = b->starts[bin];
        ends[i] = b->starts[bin + 1];
    }
    for (;;) {
        int next = -1;
        for (int i = 0; i < b->level_count; i++)
            if (heads[i] < ends[i] && (next < 0 || b->entries[heads[i]] < b->entries[heads[next]]))
                next = i;
        if (next < 0 || !may_go_on(&d->work, &t->work, UNSAID_WORK))
            return;
        uint32_t triangle = d->paint_order[b->entries[heads[next]++]];
        of = draw_of(d, t, of, triangle);
        t->work += next ? LARGE_WORK : 0;
        st_tile_paint(t, d->scene, of, triangle);
    }
}

/* The mean of the samples, no longer premultiplied. */
static void resolve_pixel(const float samples[SAMPLES][4], uint8_t *pixel)
{
    float sum[4] = {0};
    for (int k = 0; k < SAMPLES; k++)
        for (int i = 0; i < 4; i++)
            sum[i] += samples[k][i];
    float alpha = sum[3] / SAMPLES;
    for (int i = 0; i < 3; i++)
        pixel[i] = alpha > 0 ? st_srgb_byte(sum[i] / sum[3]) : 0;
    pixel[3] = (uint8_t)(clamp_unit(alpha) * 255 + 0.5f);
}

static uint8_t *row_of(const drawing *d, const tile *t, int32_t row)
{
    return d->picture->rgba + 4 * ((size_t)(t->y + row) * d->picture->width + (size_t)t->x);
}

static void resolve(const drawing *d, const tile *t)
{
    for (int32_t row = 0; row < t->height; row++)
        for (int32_t column = 0; column < t->width; column++)
            resolve_pixel(t->color[row * TILE + column], row_of(d, t, row) + 4 * (size_t)column);
}

static void fill_empty(const drawing *d, const tile *t)
{
    for (int32_t row = 0; row < t->height; row++)
        for (int32_t column = 0; column < t->width; column++)
            memcpy(row_of(d, t, row) + 4 * (size_t)column, d->empty, 4);
}

static bool is_empty(const bins *b, const tile *t)
{
    for (int i = 0; i < b->level_count; i++) {
        size_t bin = bin_of(&b->levels[i], t);
        if (b->starts[bin] < b->starts[bin + 1])
            return false;
    }
    return true;
}

static void draw_tile(drawing *d, tile *t, size_t index)
{
    t->x = (int32_t)(index % d->columns * TILE);
    t->y = (int32_t)(index / d->columns * TILE);
    t->width = (int32_t)d->picture->width - t->x < TILE ? (int32_t)d->picture->width - t->x : TILE;
    t->height = (int32_t)d->picture->height - t->y < TILE ? (int32_t)d->picture->height - t->y : TILE;
    bool opaque = !is_empty(&d->opaque, t), painted = !is_empty(&d->painted, t);
    if (!opaque && !painted && !d->scene->ground) {
        fill_empty(d, t);
        return;
    }
    clear(d, t);
    if (opaque) {
        cover(d, t);
        shade(d, t);
    }
    if (d->scene->ground)
        add_ground(d, t);
    if (painted)
        paint(d, t);
    resolve(d, t);
}

static void draw_tiles(void *context, size_t task)
{
    drawing *d = context;
    tile *t = &d->tiles[task];
    t->work = 0;
    for (size_t i = d->first + task; i < d->end && may_go_on(&d->work, &t->work, 0); i += d->tasks)
        draw_tile(d, t, i);
    may_go_on(&d->work, &t->work, 0);
}

/* All at once, unless somebody wants to be asked now and then. */
static bool draw_all(drawing *d)
{
    enum { TILES_AT_ONCE = 16 };
    arena *a = d->scene->renderer->arena;
    size_t count = d->columns * d->rows, step = a->progress ? d->tasks * TILES_AT_ONCE : count;
    for (; d->end < count; d->first = d->end) {
        d->end = count - d->first < step ? count : d->first + step;
        d->work = (shared_work){.left = st_work_left(a)};
        parallel_for(&d->scene->renderer->threads, d->tasks, draw_tiles, d);
        if (!st_work(a, d->work.done, 1))
            return false;
    }
    return true;
}

/* ---- Pictures ---- */

static void set_background(drawing *d, const stele_render_options *options)
{
    static const uint8_t soft_grey[4] = {222, 224, 228, 255};
    const uint8_t *pixel = options->background ? options->background : soft_grey;
    for (int i = 0; i < 3; i++)
        d->background[i] = st_srgb_linear[pixel[i]] * (float)pixel[3] / 255;
    d->background[3] = (float)pixel[3] / 255;
    float samples[SAMPLES][4];
    for (int k = 0; k < SAMPLES; k++)
        memcpy(samples[k], d->background, sizeof samples[k]);
    resolve_pixel((const float(*)[4])samples, d->empty);
}

static bool draw_scene(const scene *s, const stele_picture *picture)
{
    drawing d = {.scene = s,
                 .picture = picture,
                 .columns = ((size_t)picture->width + TILE - 1) / TILE,
                 .rows = ((size_t)picture->height + TILE - 1) / TILE};
    uint32_t *order;
    uint64_t painted;
    set_background(&d, s->options);
    d.tasks = !s->renderer->threads.run ? 1 : d.columns * d.rows < MOST_TASKS ? d.columns * d.rows : MOST_TASKS;
    if (!st_bin(s, picture, NULL, s->triangle_count, &d.opaque) || !st_paint_order(s, &order, &painted) ||
        !st_bin(s, picture, order, painted, &d.painted))
        return false;
    d.paint_order = order;
    d.tiles = st_arena_bytes(s->renderer->arena, d.tasks * sizeof *d.tiles);
    return d.tiles && draw_all(&d);
}

bool st_render(const renderer *r, const stele_render_options *options, const stele_picture *picture)
{
    uint32_t clip = options->posed ? options->clip : STELE_NONE;
    scene s = {.renderer = r, .options = options};
    const node_matrix *matrices = nodes_at(r, clip, options->seconds);
    if (!matrices || !st_scene_draws(&s, matrices, clip, options->seconds))
        return false;
    stele_bounds bounds = bounds_of(&s, matrices);
    double center[3];
    center_of(&bounds, center);
    const stele_framing *given = options->framing;
    stele_framing framing = given ? *given : framing_of(&bounds, radius_of(&s, &bounds, center));
    s.camera = st_camera(options, &framing, 0);
    window seen =
        given ? (window){given->left, given->right, given->bottom, given->top} : window_of(&s, &s.camera, matrices, &bounds);
    st_camera_fit(&s.camera, seen, picture);
    s.lights = st_lights(&s.camera);
    return st_scene_view(&s) && st_ground_make(&s, &s.ground) && st_scene_overlays(&s, matrices, &bounds) &&
           draw_scene(&s, picture);
}
