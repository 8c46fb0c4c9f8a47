/* Triangles in a tile: which samples they cover, and how deep they lie there. Edges are computed in whole numbers, so that two
 * triangles that share one cover every sample along it exactly once. */
#include "scene.h"

/* Samples lie on a raster of eighths of a pixel, and so do all steps between them: an edge function need only be known to a
 * multiple of an eighth of a pixel, which keeps it within 32 bits in a tile. */
enum { UNITS = 8, UNIT = SUBPIXELS / UNITS, UNIT_SHIFT = 5, LARGEST_EDGE = 1 << 21, FAR_INSIDE = (1 << 30) - 1 };

/* A piece in a tile. Edge functions are 0 or more inside; those of borders that belong to the neighbour are made less by one.
 */
typedef struct coverage {
    pixel_box box; /* in the tile */
    int4 edge[3];  /* at the samples of the first pixel of the box */
    int4 step_x[3], step_y[3];
    float4 depth, depth_x, depth_y; /* the same */
    float4 least, most;
    const piece *huge; /* if the numbers are too large for this */
    const tile *tile;
} coverage;

/* The edge function at a place in subpixels. On the picture an edge that goes upwards is a left one, and a level one that goes
 * to the right is a top one. */
static int64_t edge_at(const piece *p, int i, int64_t x, int64_t y)
{
    int j = (i + 1) % 3;
    int64_t dx = p->x[j] - p->x[i], dy = p->y[j] - p->y[i];
    bool ours = dy < 0 || (dy == 0 && dx > 0);
    return dx * (y - p->y[i]) - dy * (x - p->x[i]) - !ours;
}

/* False if the whole box is outside of the edge. */
static bool set_edge(coverage *c, const piece *p, int i, int64_t x, int64_t y)
{
    int j = (i + 1) % 3;
    int64_t dx = p->x[j] - p->x[i], dy = p->y[j] - p->y[i];
    int64_t units_x = (int64_t)UNITS * (c->box.last[0] - c->box.first[0] + 1);
    int64_t units_y = (int64_t)UNITS * (c->box.last[1] - c->box.first[1] + 1);
    int64_t at = edge_at(p, i, x, y) >> UNIT_SHIFT;
    if (at + (dx > 0 ? dx * units_y : 0) - (dy < 0 ? dy * units_x : 0) < 0)
        return false;
    if (dx > LARGEST_EDGE || dx < -LARGEST_EDGE || dy > LARGEST_EDGE || dy < -LARGEST_EDGE) {
        c->huge = p;
        c->edge[i] = c->step_x[i] = c->step_y[i] = all_int(0);
        return true;
    }
    int32_t across = (int32_t)dx, down = (int32_t)dy;
    int32_t start = at < FAR_INSIDE ? (int32_t)at : FAR_INSIDE; /* beyond, the box is inside anyway */
    for (int k = 0; k < SAMPLES; k++)
        c->edge[i][k] = start + across * sample_y[k] - down * sample_x[k];
    c->step_x[i] = all_int(-down * UNITS);
    c->step_y[i] = all_int(across * UNITS);
    return true;
}

static void set_depth(coverage *c, const piece *p, int64_t x, int64_t y)
{
    double dx1 = p->x[1] - p->x[0], dy1 = p->y[1] - p->y[0], dx2 = p->x[2] - p->x[0], dy2 = p->y[2] - p->y[0];
    double depth0 = (double)p->depth[0], d1 = (double)p->depth[1] - depth0, d2 = (double)p->depth[2] - depth0;
    double area = dx1 * dy2 - dx2 * dy1;
    double along_x = (d1 * dy2 - d2 * dy1) / area, along_y = (d2 * dx1 - d1 * dx2) / area;
    double start = depth0 + along_x * (double)(x - p->x[0]) + along_y * (double)(y - p->y[0]);
    for (int k = 0; k < SAMPLES; k++)
        c->depth[k] = (float)(start + along_x * UNIT * sample_x[k] + along_y * UNIT * sample_y[k]);
    c->depth_x = all_float((float)(along_x * SUBPIXELS));
    c->depth_y = all_float((float)(along_y * SUBPIXELS));
    /* at the samples of a sliver the plane is not known well: it stays within its corners */
    float low = p->depth[0] < p->depth[1] ? p->depth[0] : p->depth[1];
    float high = p->depth[0] > p->depth[1] ? p->depth[0] : p->depth[1];
    c->least = all_float(low < p->depth[2] ? low : p->depth[2]);
    c->most = all_float(high > p->depth[2] ? high : p->depth[2]);
}

/* False if the piece covers nothing in the tile. */
static bool set_up(coverage *c, const piece *p, const tile *t)
{
    pixel_box box = st_piece_box(p);
    int32_t origin[2] = {t->x, t->y}, size[2] = {t->width, t->height};
    for (int i = 0; i < 2; i++) {
        int32_t first = box.first[i] - origin[i], last = box.last[i] - origin[i];
        c->box.first[i] = first > 0 ? first : 0;
        c->box.last[i] = last < size[i] ? last : size[i] - 1;
        if (c->box.first[i] > c->box.last[i])
            return false;
    }
    int64_t x = (int64_t)(t->x + c->box.first[0]) * SUBPIXELS, y = (int64_t)(t->y + c->box.first[1]) * SUBPIXELS;
    c->huge = NULL;
    c->tile = t;
    for (int i = 0; i < 3; i++)
        if (!set_edge(c, p, i, x, y))
            return false;
    set_depth(c, p, x, y);
    return true;
}

static uint64_t pixels_of(const pixel_box *box)
{
    return (uint64_t)(box->last[0] - box->first[0] + 1) * (uint64_t)(box->last[1] - box->first[1] + 1);
}

static int4 covered_of_huge(const coverage *c, int32_t column, int32_t row)
{
    int4 covered = all_int(-1);
    for (int k = 0; k < SAMPLES; k++) {
        int64_t x = (int64_t)(c->tile->x + column) * SUBPIXELS + UNIT * sample_x[k];
        int64_t y = (int64_t)(c->tile->y + row) * SUBPIXELS + UNIT * sample_y[k];
        for (int i = 0; i < 3; i++)
            if (edge_at(c->huge, i, x, y) < 0)
                covered[k] = 0;
    }
    return covered;
}

/* Sets up, and counts the work. */
static bool begin(coverage *c, const piece *p, tile *t)
{
    t->work += PIECE_WORK;
    if (p->cut)
        t->work += CUT_WORK;
    if (!set_up(c, p, t))
        return false;
    t->work += PIXEL_WORK * pixels_of(&c->box) * (c->huge ? 12 : 1);
    return true;
}

/* What is done with a pixel of which some samples are covered. Inlined into each loop below. */
typedef void (*pixel_visitor)(void *context, int32_t column, int32_t row, int4 covered, float4 depth);

static inline __attribute__((always_inline)) void each_pixel(coverage *c, pixel_visitor visit, void *context)
{
    for (int32_t row = c->box.first[1]; row <= c->box.last[1]; row++) {
        int4 a = c->edge[0], b = c->edge[1], d = c->edge[2];
        float4 depth = c->depth + c->depth_y * all_float((float)(row - c->box.first[1]));
        for (int32_t column = c->box.first[0]; column <= c->box.last[0]; column++) {
            int4 covered = __builtin_expect(!c->huge, 1) ? (a | b | d) >= 0 : covered_of_huge(c, column, row);
            if (any(covered)) {
                float4 at = depth + c->depth_x * all_float((float)(column - c->box.first[0]));
                at = select_float(at < c->least, c->least, at);
                at = select_float(at > c->most, c->most, at);
                visit(context, column, row, covered, at);
            }
            a += c->step_x[0];
            b += c->step_x[1];
            d += c->step_x[2];
        }
        for (int i = 0; i < 3; i++)
            c->edge[i] += c->step_y[i];
    }
}

/* ---- Opaque ---- */

typedef struct covering {
    tile *tile;
    const scene *scene;
    int32_t triangle;
    surface surface; /* of a mask */
} covering;

/* The nearer one is seen; of two at the same depth the first, so that the order of drawing has no effect. */
static inline __attribute__((always_inline)) void cover_pixel(void *context, int32_t column, int32_t row, int4 covered,
                                                              float4 depth)
{
    const covering *c = context;
    int32_t at = row * TILE + column;
    float4 *there = &c->tile->depth[at];
    int4 *triangles = &c->tile->triangle[at];
    covered &= (depth > *there) | ((depth == *there) & (all_int(c->triangle) < *triangles));
    *there = select_float(covered, depth, *there);
    *triangles = select_int(covered, all_int(c->triangle), *triangles);
}

/* The alpha of a mask is asked at every sample. */
static void cover_masked(void *context, int32_t column, int32_t row, int4 covered, float4 depth)
{
    covering *c = context;
    const surface *f = &c->surface;
    covered &= depth >= c->tile->depth[row * TILE + column];
    for (int k = 0; k < SAMPLES; k++)
        if (covered[k]) {
            float x = (float)(c->tile->x + column) + (float)sample_x[k] / UNITS;
            float y = (float)(c->tile->y + row) + (float)sample_y[k] / UNITS;
            c->tile->work += work_of_alpha(f->draw);
            covered[k] = st_shade_alpha(c->scene, f, x, y) >= f->draw->material.alpha_cutoff ? -1 : 0;
        }
    cover_pixel(context, column, row, covered, depth);
}

void st_tile_cover(tile *t, const scene *s, const draw *d, uint32_t triangle)
{
    piece pieces[2];
    covering context;
    int count = st_pieces(s, d, triangle, pieces);
    bool masked = d->material.alpha_mode == STELE_MASK;
    context.tile = t;
    context.scene = s;
    context.triangle = (int32_t)triangle;
    for (int i = 0; i < count; i++) {
        coverage c;
        if (!begin(&c, &pieces[i], t))
            continue;
        if (masked) {
            st_surface(d, triangle, &context.surface);
            each_pixel(&c, cover_masked, &context);
        } else {
            each_pixel(&c, cover_pixel, &context);
        }
    }
}

/* ---- Painted ---- */

/* Lines of overlays that lie on the model are drawn as if they were a little nearer. */
#define OVERLAY_NEARER 1.0005f

static void paint_pixel(void *context, int32_t column, int32_t row, int4 covered, float4 depth)
{
    covering *c = context;
    const draw *d = c->surface.draw;
    int32_t at = row * TILE + column;
    if (d->tint)
        depth *= all_float(OVERLAY_NEARER);
    if (!d->over)
        covered &= depth >= c->tile->depth[at];
    if (!any(covered))
        return;
    float x = 0, y = 0, count = 0, rgba[4];
    for (int k = 0; k < SAMPLES; k++)
        if (covered[k]) {
            x += (float)sample_x[k];
            y += (float)sample_y[k];
            count += UNITS;
        }
    c->tile->work += work_of_shading(d);
    st_shade(c->scene, &c->surface, (float)(c->tile->x + column) + x / count, (float)(c->tile->y + row) + y / count, rgba);
    for (int k = 0; k < SAMPLES; k++)
        if (covered[k])
            st_blend(c->tile->color[at][k], rgba);
}

void st_tile_paint(tile *t, const scene *s, const draw *d, uint32_t triangle)
{
    piece pieces[2];
    covering context = {.tile = t, .scene = s, .triangle = (int32_t)triangle};
    int count = st_pieces(s, d, triangle, pieces);
    for (int i = 0; i < count; i++) {
        coverage c;
        if (!begin(&c, &pieces[i], t))
            continue;
        st_surface(d, triangle, &context.surface);
        each_pixel(&c, paint_pixel, &context);
    }
}
