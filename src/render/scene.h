/* A picture in the making: what is drawn, where it is seen, and the tiles that it is drawn in. Private to the renderer. */
#ifndef ST_SCENE_H
#define ST_SCENE_H

#include "base/lanes.h"
#include "base/vector.h"
#include "render.h"

/* ---- Work of several threads ---- */

typedef struct shared_work {
    uint64_t left;             /* units that may be done */
    _Alignas(8) uint64_t done; /* by all tasks; more than left: nobody goes on. In one word on machines of 32 bits too */
} shared_work;

enum { UNSAID_WORK = 1 << 20 };

/* Tells the others what a task has done, if it is more than may remain unsaid; false if all is over. Who has done how much when
 * that happens is chance, but not whether it does: the sum is the same. */
static inline bool may_go_on(shared_work *w, uint64_t *work, uint64_t unsaid)
{
    if (*work <= unsaid)
        return true;
    uint64_t done = __atomic_add_fetch(&w->done, *work, __ATOMIC_RELAXED);
    *work = 0;
    return done <= w->left;
}

/* ---- Camera ---- */

/* In view space x is to the right, y up, and z away from the camera; the ball that is framed has a radius of 1. */
typedef struct camera {
    double axes[3][3]; /* right, up and away, in the space of the model, divided by the radius */
    double center[3];
    double distance;                  /* of the center, in view space */
    double usual_distance;            /* at which the whole fills the picture */
    double farther;                   /* than that: a factor */
    double focal;                     /* pixels for a slope of 1 */
    double middle[2];                 /* where the center of the ball is seen, in pixels */
    float slope;                      /* of a pixel: 1 / focal */
    float up[3];                      /* that of the model, in view space */
    float level[3];                   /* horizontal, towards the camera, in view space */
    float left[3], front[3];          /* those of the model, in view space */
    double center_left, center_front; /* the place of the center along these, in the space of the model */
    float ground;                     /* the height of the ground in view space, along up */
    double radius;
} camera;

/* Where it stands and looks: as the options say, and so many degrees further round. */
camera st_camera(const stele_render_options *options, const stele_framing *framing, double turn);

/* What a picture shows of the ball: sides as slopes from where the camera stands at a distance of 1. */
typedef struct window {
    float left, right, bottom, top;
} window;

#define NO_WINDOW ((window){INFINITY, -INFINITY, INFINITY, -INFINITY})

window st_window_join(window a, window b);
window st_window_of_ball(void);
void st_window_extend(window *w, const camera *c, const float view[3]);

/* Lets the window fill the picture. */
void st_camera_fit(camera *c, window w, const stele_picture *picture);

/* From the space of the model. */
void st_camera_view(const camera *c, const float position[3], float view[3]);
void st_camera_turn(const camera *c, const float direction[3], float view[3]);

/* ---- What is drawn ---- */

enum { SUBPIXELS = 256 }; /* of a pixel, along each axis */

/* What is nearer is cut off. */
#define NEAR_PLANE 0.01f

enum { BEHIND = INT32_MIN, NOWHERE = INT32_MIN + 1 }; /* for x: behind the near plane; not a number */

typedef struct vertex {
    float view[3]; /* at first in the space of the model */
    int32_t x, y;  /* on the picture, in subpixels from its top left */
} vertex;

void st_project(const camera *c, vertex *v);

/* A texture as a material uses it at a primitive. */
typedef struct texture_binding {
    const render_texture *texture; /* NULL: none */
    const stele_view *uv;
    float turn[4], offset[2]; /* of the coordinates: u * turn[0] + v * turn[1] + offset[0] ... */
    float strength;
} texture_binding;

/* A primitive at a node, or the triangles of an overlay. */
typedef struct draw {
    const stele_primitive *primitive; /* NULL: three vertices for each triangle */
    uint32_t node;
    uint64_t first_vertex, vertex_count;     /* the rows of the primitive, in the numbering of all draws */
    uint32_t first_triangle, triangle_count; /* a line or a point is two of them */
    const uint32_t *indices;                 /* a copy of the primitive's; NULL: it has none */
    vertex *rows;
    vertex *vertices;    /* the corners of triangles: the rows, or four for each line or point */
    float (*normals)[3]; /* NULL: those of the triangles */
    stele_material material;
    texture_binding base_color, metallic_roughness, normal, occlusion, emissive;
    uint32_t texture_count;       /* of these, that can be sampled */
    const stele_view *color, *uv; /* or NULL */
    bool mirrored;                /* triangles face the viewer clockwise */
    bool double_sided;
    bool painted;             /* from back to front, after what is opaque */
    bool over;                /* painted over everything */
    const uint8_t (*tint)[4]; /* the colour of each triangle of an overlay, as a pixel */
} draw;

/* A lane for each light, of which there are three. */
typedef struct lights {
    float4 direction[3]; /* x, y and z towards them, in view space */
    float4 color[3];     /* red, green and blue */
    float sky[3], floor[3];
} lights;

typedef struct ground ground;

typedef struct scene {
    const renderer *renderer;
    const stele_render_options *options;
    camera camera;
    lights lights;
    draw *draws;
    uint32_t *first_triangles; /* of the draws: close to each other, for who looks for one */
    size_t draw_count;
    uint64_t vertex_count, triangle_count;
    bool *used;           /* of each vertex: by a triangle */
    const ground *ground; /* NULL: none */
} scene;

/* The draws of the model at a time, with vertices in the space of the model. False without memory. */
bool st_scene_draws(scene *s, const double (*matrices)[16], uint32_t clip, double seconds);

void st_bounds_extend(stele_bounds *b, const float position[3]); /* nothing if it is not finite */

/* Of the corners of all triangles, in the space of the model; and how far vertices within the bounds are from a center. */
stele_bounds st_scene_bounds(const scene *s);
double st_scene_radius(const scene *s, const stele_bounds *bounds, const double center[3]);

/* What a camera sees of the corners of all triangles: the silhouette, while vertices are in the space of the model. */
window st_scene_window(const scene *s, const camera *c);

/* Brings all vertices into view space and onto the picture, where lines and points get their width. False without memory. */
bool st_scene_view(scene *s);

/* Another draw of triangles, three vertices each, in view space. */
void st_scene_add(scene *s, vertex *vertices, const uint8_t (*tint)[4], uint32_t triangle_count, bool over);

/* Room for draws that overlays add. */
enum { MOST_OVERLAYS = 4 };

const draw *st_scene_draw(const scene *s, uint32_t triangle);

/* Which vertices a triangle has, and which rows of the primitive these come from: the same, but for lines and points. False if
 * one is not there. */
bool st_draw_corners(const draw *d, uint32_t triangle, uint64_t corners[3]);
bool st_draw_rows(const draw *d, uint32_t triangle, uint64_t rows[3]);

static inline bool draws_triangles(const draw *d)
{
    return !d->primitive || d->primitive->topology == STELE_TRIANGLES;
}

/* How wide a line of so many pixels is at a place. */
static inline float width_at(const scene *s, const float place[3], float pixels)
{
    return pixels * s->camera.slope * (place[2] > NEAR_PLANE ? place[2] : NEAR_PLANE);
}

/* The corners of a line of so many pixels: two at each end. False if it points at the camera. */
enum { LINE_CORNERS = 4 };
bool st_line_corners(const scene *s, const float a[3], const float b[3], float pixels, float corner[LINE_CORNERS][3]);

/* Overlays as draws: joints, normals, bounds. False without memory. */
bool st_scene_overlays(scene *s, const double (*matrices)[16], const stele_bounds *bounds);

/* What a camera sees of the places that overlays show: of joints as far as the ball goes. */
window st_overlay_window(const scene *s, const camera *c, const double (*matrices)[16], const stele_bounds *bounds);

/* ---- Triangles on the picture ---- */

/* A triangle of which nothing is behind the camera, turned so that its inside is to the right of its edges. */
typedef struct piece {
    int32_t x[3], y[3];
    float depth[3]; /* 1 / z */
    bool cut;       /* at the near plane, which takes time */
} piece;

/* What is to be seen of a triangle: none if it is turned away, has no area, or lies behind. */
int st_pieces(const scene *s, const draw *d, uint32_t triangle, piece pieces[2]);

/* A box of pixels, both ends included; empty if first > last. */
typedef struct pixel_box {
    int32_t first[2], last[2];
} pixel_box;

/* The pixels in which a piece may cover a sample. */
pixel_box st_piece_box(const piece *p);

/* ---- Bins ---- */

enum { TILE = 32, BIN_GROWTH = 8, MOST_BIN_LEVELS = 8 };

/* Lists of triangles by the place where they are. A triangle is in at most four lists: those of the level whose bins are large
 * enough. */
typedef struct bin_level {
    uint32_t size, columns, rows; /* of a bin in pixels; how many */
    size_t first;                 /* of its bins in starts */
} bin_level;

typedef struct bins {
    bin_level levels[MOST_BIN_LEVELS];
    int level_count;
    size_t bin_count;
    uint64_t *starts; /* of each bin in entries, and the end */
    uint32_t *entries;
} bins;

/* Of all triangles that are not painted (order NULL), or of those in a list: then entries are places in it. */
bool st_bin(const scene *s, const stele_picture *picture, const uint32_t *order, uint64_t count, bins *b);

/* The triangles that are painted, from back to front. */
bool st_paint_order(const scene *s, uint32_t **order, uint64_t *count);

/* ---- Tiles ---- */

enum { SAMPLES = 4, TILE_PIXELS = TILE * TILE };
#define NO_TRIANGLE INT32_MAX /* and there are at most so many */

typedef struct tile {
    int32_t x, y, width, height; /* on the picture */
    uint64_t work;               /* units that were done and not yet told to anybody */
    float4 depth[TILE_PIXELS];   /* of each sample: 1 / z; 0: nothing */
    int4 triangle[TILE_PIXELS];
    float color[TILE_PIXELS][SAMPLES][4]; /* linear, premultiplied */
} tile;

/* Units of work: of setting a triangle up in a tile, more if it is cut, if its draw must be looked for, or if it is a large
 * one, which every tile fetches from memory again; of a pixel that it may cover; and of finding the colour at a place, or its
 * alpha, to which each texture adds. */
enum { PIECE_WORK = 80, CUT_WORK = 100, SEARCH_WORK = 200, LARGE_WORK = 140 };
enum { PIXEL_WORK = 5, SHADE_WORK = 150, ALPHA_WORK = 70, TEXTURE_WORK = 100 };

static inline uint64_t work_of_shading(const draw *d)
{
    return SHADE_WORK + TEXTURE_WORK * (uint64_t)d->texture_count;
}

static inline uint64_t work_of_alpha(const draw *d)
{
    return ALPHA_WORK + (d->base_color.texture ? TEXTURE_WORK : 0);
}

/* Where the samples are in a pixel, in eighths of it: no two in a row or column, and their middle is the middle. */
static const int32_t sample_x[SAMPLES] = {3, 7, 1, 5}, sample_y[SAMPLES] = {1, 3, 5, 7};

/* Draws an opaque triangle into depth and triangle; st_tile_paint onto the colours. */
void st_tile_cover(tile *t, const scene *s, const draw *d, uint32_t triangle);
void st_tile_paint(tile *t, const scene *s, const draw *d, uint32_t triangle);

/* A colour that is not premultiplied over one that is. */
static inline void st_blend(float below[4], const float rgba[4])
{
    for (int i = 0; i < 3; i++)
        below[i] = rgba[i] * rgba[3] + below[i] * (1 - rgba[3]);
    below[3] = rgba[3] + below[3] * (1 - rgba[3]);
}

/* ---- Shading ---- */

/* A triangle as it is seen: all that is the same at all its places. */
typedef struct surface {
    const draw *draw;
    uint32_t triangle;
    uint64_t rows[3];               /* of its corners in the primitive */
    float origin[3], edges[2][3];   /* the first corner, and the way to the others */
    float weights[2][3], normal[3]; /* times a ray, they are the weights of the second and third corner, times that of normal */
    float normals[3][3];
    float uv[3][2]; /* of the base colour */
    float color[3][4];
} surface;

void st_surface(const draw *d, uint32_t triangle, surface *f);

/* The colour at a place of the picture, in pixels: linear light, not premultiplied. */
void st_shade(const scene *s, const surface *f, float x, float y, float rgba[4]);

/* The alpha alone. */
float st_shade_alpha(const scene *s, const surface *f, float x, float y);

lights st_lights(const camera *c);

/* ---- The ground ---- */

/* The grid and the shadow. */
bool st_ground_make(const scene *s, const ground **made);

/* The colour of the ground at a place of the picture, and 1 / z; false if it is not there. */
bool st_ground_at(const scene *s, float x, float y, float rgba[4], float *depth);

#endif
