/* Joints, normals and bounds, as triangles in front of the camera. */
#include "scene.h"

/* Triangles in the making. */
typedef struct sheet {
    const scene *scene;
    vertex *vertices;
    uint8_t (*tint)[4];
    uint32_t count;
} sheet;

static bool make_sheet(sheet *t, const scene *s, uint64_t capacity)
{
    *t = (sheet){.scene = s};
    if (capacity >= NO_TRIANGLE) {
        s->renderer->arena->failed = true;
        return false;
    }
    t->vertices = st_arena_bytes(s->renderer->arena, 3 * capacity * sizeof *t->vertices);
    t->tint = st_arena_bytes(s->renderer->arena, capacity * sizeof *t->tint);
    return t->vertices && t->tint;
}

static void add_triangle(sheet *t, const float a[3], const float b[3], const float c[3], const uint8_t tint[4])
{
    const float *corners[3] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        vertex *v = &t->vertices[3 * (size_t)t->count + (size_t)i];
        memcpy(v->view, corners[i], sizeof v->view);
        st_project(&t->scene->camera, v);
    }
    memcpy(t->tint[t->count++], tint, 4);
}

static void plus(const float a[3], const float b[3], float scale, float result[3])
{
    for (int i = 0; i < 3; i++)
        result[i] = a[i] + b[i] * scale;
}

/* Across a line, as the camera sees it; false if it points at the camera. */
static bool across(const float from[3], const float direction[3], float result[3])
{
    cross3f(direction, from, result);
    return normalize3f(result);
}

/* ---- Bounds ---- */

bool st_line_corners(const scene *s, const float a[3], const float b[3], float pixels, float corner[LINE_CORNERS][3])
{
    float direction[3], side[3];
    minus3f(b, a, direction);
    if (!across(a, direction, side))
        return false;
    for (int i = 0; i < LINE_CORNERS; i++) {
        const float *end = i < 2 ? a : b;
        plus(end, side, width_at(s, end, i & 1 ? -pixels / 2 : pixels / 2), corner[i]);
    }
    return true;
}

static void add_line(sheet *t, const float a[3], const float b[3], float pixels, const uint8_t tint[4])
{
    float corner[LINE_CORNERS][3];
    if (!st_line_corners(t->scene, a, b, pixels, corner))
        return;
    add_triangle(t, corner[0], corner[1], corner[2], tint);
    add_triangle(t, corner[2], corner[1], corner[3], tint);
}

static void corner_of(const stele_bounds *b, int i, const camera *c, float view[3])
{
    float place[3] = {i & 1 ? b->max[0] : b->min[0], i & 2 ? b->max[1] : b->min[1], i & 4 ? b->max[2] : b->min[2]};
    st_camera_view(c, place, view);
}

static bool add_bounds(scene *s, const stele_bounds *b)
{
    static const uint8_t orange[4] = {214, 110, 20, 255};
    float corner[8][3];
    sheet t;
    if (!b->known)
        return true;
    if (!make_sheet(&t, s, 24))
        return false;
    for (int i = 0; i < 8; i++)
        corner_of(b, i, &s->camera, corner[i]);
    for (int i = 0; i < 8; i++)
        for (int axis = 1; axis < 8; axis *= 2)
            if (!(i & axis))
                add_line(&t, corner[i], corner[i | axis], 1.5f, orange);
    st_scene_add(s, t.vertices, (const uint8_t(*)[4])t.tint, t.count, false);
    return true;
}

/* ---- Normals ---- */

static bool add_normals(scene *s)
{
    static const uint8_t blue[4] = {30, 90, 230, 255};
    const float length = 0.035f; /* of the ball that is framed */
    uint64_t count = 0;
    sheet t;
    for (const draw *d = s->draws; d < s->draws + s->draw_count; d++)
        count += d->normals ? d->vertex_count : 0;
    if (!make_sheet(&t, s, count))
        return false;
    for (const draw *d = s->draws; d < s->draws + s->draw_count; d++)
        for (uint64_t i = 0; d->normals && i < d->vertex_count; i++) {
            const float *at = d->rows[i].view;
            float side[3], left[3], right[3], tip[3];
            if (d->rows[i].x == NOWHERE || !across(at, d->normals[i], side))
                continue;
            plus(at, side, width_at(s, at, 0.8f), left);
            plus(at, side, -width_at(s, at, 0.8f), right);
            plus(at, d->normals[i], length, tip);
            add_triangle(&t, left, right, tip, blue);
        }
    st_scene_add(s, t.vertices, (const uint8_t(*)[4])t.tint, t.count, false);
    return true;
}

/* ---- Joints ---- */

enum { STICK_TRIANGLES = 8 };

static void shaded(const float a[3], const float b[3], const float c[3], const uint8_t tint[3], uint8_t result[4])
{
    static const float light[3] = {-0.45f, 0.7f, -0.55f};
    float one[3], other[3], normal[3];
    minus3f(b, a, one);
    minus3f(c, a, other);
    cross3f(other, one, normal);
    if (dot3f(normal, a) > 0)
        for (int i = 0; i < 3; i++)
            normal[i] = -normal[i];
    float bright = normalize3f(normal) ? 0.75f + 0.25f * dot3f(normal, light) : 0.75f;
    for (int i = 0; i < 3; i++)
        result[i] = (uint8_t)((float)tint[i] * clamp_unit(bright) + 0.5f);
    result[3] = 235;
}

/* Two pyramids on a square: the short one at the joint, the long one towards the next. */
static void add_stick(sheet *t, const float from[3], const float to[3], float waist, float thickness, const uint8_t tint[3])
{
    float direction[3], side[3], other[3], ring[4][3], middle[3];
    minus3f(to, from, direction);
    float most_upright[3] = {0, direction[0] * direction[0] > direction[1] * direction[1], 0};
    most_upright[0] = 1 - most_upright[1];
    cross3f(direction, most_upright, side);
    if (!normalize3f(side))
        return;
    cross3f(direction, side, other);
    normalize3f(other);
    plus(from, direction, waist, middle);
    for (int i = 0; i < 4; i++)
        plus(middle, i % 2 ? other : side, i < 2 ? thickness : -thickness, ring[i]);
    for (int i = 0; i < 4; i++) {
        uint8_t color[4];
        shaded(from, ring[i], ring[(i + 1) % 4], tint, color);
        add_triangle(t, from, ring[i], ring[(i + 1) % 4], color);
        shaded(to, ring[i], ring[(i + 1) % 4], tint, color);
        add_triangle(t, to, ring[i], ring[(i + 1) % 4], color);
    }
}

static void add_knot(sheet *t, const float at[3], const uint8_t tint[3])
{
    const float size = 0.018f;
    float low[3] = {at[0], at[1] - size, at[2]}, high[3] = {at[0], at[1] + size, at[2]};
    add_stick(t, low, high, 0.5f, size, tint);
}

/* The nodes that are joints of a skin; without skins all are. */
static bool *joints_of(const stele_model *model, arena *a)
{
    bool *joints = st_arena_alloc(a, model->node_count);
    for (size_t i = 0; joints && i < model->skin_count; i++)
        for (size_t k = 0; k < model->skins[i].joint_count; k++)
            joints[model->skins[i].joints[k]] = true;
    for (size_t i = 0; joints && !model->skin_count && i < model->node_count; i++)
        joints[i] = true;
    return joints;
}

static void add_joint(sheet *t, const stele_model *model, const bool *joints, const float (*places)[3], size_t i)
{
    static const uint8_t bone[3] = {96, 160, 255}, knot[3] = {255, 206, 84}, fastener[3] = {255, 120, 90};
    uint32_t parent = model->nodes[i].parent;
    if (!joints[i]) {
        if (model->nodes[i].attachment)
            add_knot(t, places[i], fastener);
        return;
    }
    add_knot(t, places[i], knot);
    if (parent == STELE_NONE || !joints[parent])
        return;
    float way[3];
    minus3f(places[i], places[parent], way);
    float length = length3f(way), thickness = length * 0.09f;
    add_stick(t, places[parent], places[i], 0.14f, thickness < 0.035f ? thickness : 0.035f, bone);
}

static void place_of(const double matrix[16], const camera *c, float view[3])
{
    float place[3] = {(float)matrix[12], (float)matrix[13], (float)matrix[14]};
    st_camera_view(c, place, view);
}

static bool add_joints(scene *s, const double (*matrices)[16])
{
    const stele_model *model = s->renderer->model;
    arena *a = s->renderer->arena;
    sheet t;
    bool *joints = joints_of(model, a);
    float(*places)[3] = st_arena_array(a, model->node_count, sizeof *places);
    if (!joints || !places || !make_sheet(&t, s, 2 * STICK_TRIANGLES * (uint64_t)model->node_count))
        return false;
    for (size_t i = 0; i < model->node_count; i++)
        place_of(matrices[i], &s->camera, places[i]);
    for (size_t i = 0; i < model->node_count; i++)
        add_joint(&t, model, joints, (const float(*)[3])places, i);
    st_scene_add(s, t.vertices, (const uint8_t(*)[4])t.tint, t.count, true);
    return true;
}

/* A skeleton alone is to be seen. */
static bool shows_joints(const scene *s)
{
    return s->options->overlays & STELE_OVERLAY_JOINTS || !s->triangle_count;
}

window st_overlay_window(const scene *s, const camera *c, const double (*matrices)[16], const stele_bounds *bounds)
{
    const stele_model *model = s->renderer->model;
    arena_mark mark = st_arena_mark(s->renderer->arena);
    const bool *joints = shows_joints(s) ? joints_of(model, s->renderer->arena) : NULL;
    window w = NO_WINDOW;
    float view[3];
    for (size_t i = 0; joints && i < model->node_count; i++) {
        place_of(matrices[i], c, view);
        float way[3] = {view[0], view[1], view[2] - (float)c->distance};
        if (joints[i] && length3f(way) < 1.01f)
            st_window_extend(&w, c, view);
    }
    for (int i = 0; i < 8 && s->options->overlays & STELE_OVERLAY_BOUNDS && bounds->known; i++) {
        corner_of(bounds, i, c, view);
        st_window_extend(&w, c, view);
    }
    st_arena_rewind(s->renderer->arena, mark);
    return w;
}

bool st_scene_overlays(scene *s, const double (*matrices)[16], const stele_bounds *bounds)
{
    unsigned overlays = s->options->overlays;
    bool joints = shows_joints(s);
    return (!(overlays & STELE_OVERLAY_NORMALS) || add_normals(s)) &&
           (!(overlays & STELE_OVERLAY_BOUNDS) || add_bounds(s, bounds)) && (!joints || add_joints(s, matrices));
}
