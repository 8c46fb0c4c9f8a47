/* What is drawn, and where its vertices are at a time: morphed, skinned, and seen by the camera. */
#include "scene.h"

#include "base/trig.h"
#include "model/evaluate.h"
#include "model/skin.h"

enum { ROWS_PER_TASK = 8192 };

/* ---- What is drawn ---- */

static texture_binding bind(const scene *s, const stele_primitive *p, const stele_texture_use *use)
{
    texture_binding b = {.uv = stele_primitive_view(p, STELE_UV, use->uv_set), .strength = use->strength};
    if (use->texture == STELE_NONE || !s->renderer->textures || !b.uv || b.uv->count < p->vertex_count || b.uv->components < 2)
        return b;
    b.texture = &s->renderer->textures[use->texture];
    float cosine = (float)st_cos((double)use->rotation), sine = (float)st_sin((double)use->rotation);
    b.turn[0] = cosine * use->scale[0];
    b.turn[1] = sine * use->scale[1];
    b.turn[2] = -sine * use->scale[0];
    b.turn[3] = cosine * use->scale[1];
    b.offset[0] = use->offset[0];
    b.offset[1] = use->offset[1];
    return b;
}

static uint32_t textures_of(const draw *d)
{
    const render_texture *textures[] = {d->base_color.texture, d->metallic_roughness.texture, d->normal.texture,
                                        d->occlusion.texture, d->emissive.texture};
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof textures / sizeof *textures; i++)
        count += textures[i] && textures[i]->level_count;
    return count;
}

static const stele_view *usable(const stele_primitive *p, stele_semantic semantic, uint32_t components)
{
    const stele_view *v = stele_primitive_view(p, semantic, 0);
    return v && v->count >= p->vertex_count && v->components >= components ? v : NULL;
}

/* Nobody gave it a colour: white is what formats have where none is said. */
static bool is_plain(const draw *d)
{
    const float *c = d->material.base_color;
    return c[0] >= 1 && c[1] >= 1 && c[2] >= 1 && !d->color && !d->base_color.texture;
}

static bool is_light(const uint8_t background[4])
{
    return !background || background[3] < 128 || background[0] + background[1] + background[2] >= 3 * 128;
}

static void bind_material(const scene *s, draw *d)
{
    const stele_model *model = s->renderer->model;
    const stele_primitive *p = d->primitive;
    const stele_material *m = &d->material;
    d->material = p->material == STELE_NONE ? stele_default_material() : model->materials[p->material];
    d->color = usable(p, STELE_COLOR, 3);
    d->uv = usable(p, STELE_UV, 2);
    d->base_color = bind(s, p, &m->textures[STELE_ROLE_BASE_COLOR]);
    d->metallic_roughness = bind(s, p, &m->textures[STELE_ROLE_METALLIC_ROUGHNESS]);
    d->normal = bind(s, p, &m->textures[STELE_ROLE_NORMAL]);
    d->occlusion = bind(s, p, &m->textures[STELE_ROLE_OCCLUSION]);
    d->emissive = bind(s, p, &m->textures[STELE_ROLE_EMISSIVE]);
    d->double_sided = m->double_sided || !draws_triangles(d);
    d->painted = m->alpha_mode == STELE_BLEND;
    if (!draws_triangles(d)) { /* no surface for bumps; without normals lines and points are not lit (glTF 2.0, 3.9.6) */
        d->normal.texture = NULL;
        d->material.unlit |= !usable(p, STELE_NORMAL, 3);
        bool white_on_white = d->material.unlit && is_light(s->options->background);
        bool hidden = is_plain(d) && (white_on_white || p->material == STELE_NONE);
        for (int i = 0; i < 3 && hidden; i++)
            d->material.base_color[i] = 0.15f; /* white would be hard to see */
    }
    d->texture_count = textures_of(d);
}

/* Of a primitive on the picture: 0 if it is not drawn. */
static uint64_t triangles_of(const stele_primitive *p)
{
    uint64_t each = p->topology == STELE_TRIANGLES ? 1 : 2;
    return usable(p, STELE_POSITION, 3) ? each * st_element_count(p) : 0;
}

enum { DRAW_WORK = 1000, TRIANGLE_WORK = 130, VERTEX_WORK = 40 }; /* besides moving */

/* A small file can draw one mesh so often that nobody has the time. */
static bool can_draw(const scene *s, uint32_t node, const stele_primitive *p, uint64_t triangles, uint32_t clip)
{
    uint64_t vertices = VERTEX_WORK * p->vertex_count + st_work_of_vertices(s->renderer->model, node, p, clip);
    return st_work(s->renderer->arena, 1, DRAW_WORK + TRIANGLE_WORK * triangles + vertices);
}

/* Triangles are asked for again and again, and must stay what they were: the indices are copied, once for all nodes that draw a
 * mesh. */
typedef struct index_copies {
    size_t *first; /* of each mesh: its first primitive in the list of all */
    const uint32_t **of;
} index_copies;

static bool prepare_copies(index_copies *c, const stele_model *model, arena *a)
{
    uint64_t count = 0;
    c->first = st_arena_array(a, model->mesh_count, sizeof *c->first);
    for (size_t i = 0; c->first && i < model->mesh_count; i++) {
        c->first[i] = (size_t)count;
        count += model->meshes[i].primitive_count;
    }
    c->of = st_arena_array(a, count, sizeof *c->of);
    return c->first && c->of;
}

static bool copy_indices(const index_copies *c, const stele_node *node, size_t primitive, arena *a, draw *d)
{
    const stele_primitive *p = d->primitive;
    const uint32_t **of = &c->of[c->first[node->mesh] + primitive];
    uint64_t count = st_element_corners(p->topology) * st_element_count(p);
    uint32_t *indices = *of || !p->indices.count ? NULL : st_arena_bytes(a, count * sizeof *indices);
    if (indices) {
        st_view_integers(&p->indices, count, indices);
        *of = indices;
    }
    d->indices = *of;
    return *of || !p->indices.count;
}

static draw *next_draw(scene *s)
{
    draw *d = &s->draws[s->draw_count];
    *d = (draw){.first_vertex = s->vertex_count, .first_triangle = (uint32_t)s->triangle_count};
    s->first_triangles[s->draw_count++] = d->first_triangle;
    return d;
}

static bool list_draws(scene *s, uint32_t clip)
{
    const stele_model *model = s->renderer->model;
    index_copies copies;
    uint64_t count = 0;
    if (!prepare_copies(&copies, model, s->renderer->arena))
        return false;
    for (size_t i = 0; i < model->node_count; i++)
        count += model->nodes[i].mesh == STELE_NONE ? 0 : model->meshes[model->nodes[i].mesh].primitive_count;
    s->draws = st_arena_array(s->renderer->arena, count + MOST_OVERLAYS, sizeof *s->draws);
    s->first_triangles = st_arena_array(s->renderer->arena, count + MOST_OVERLAYS, sizeof *s->first_triangles);
    if (!s->draws || !s->first_triangles)
        return false;
    for (uint32_t i = 0; i < model->node_count; i++) {
        const stele_mesh *mesh = model->nodes[i].mesh == STELE_NONE ? NULL : &model->meshes[model->nodes[i].mesh];
        for (size_t k = 0; mesh && k < mesh->primitive_count; k++) {
            const stele_primitive *p = &mesh->primitives[k];
            uint64_t triangles = triangles_of(p);
            if (!triangles)
                continue;
            if (s->triangle_count + triangles >= NO_TRIANGLE) /* an instance of many too many */
                return true;
            if (!can_draw(s, i, p, triangles, clip))
                return false;
            draw *d = next_draw(s);
            d->primitive = p;
            d->node = i;
            d->vertex_count = p->vertex_count;
            d->triangle_count = (uint32_t)triangles;
            if (!copy_indices(&copies, &model->nodes[i], k, s->renderer->arena, d))
                return false;
            bind_material(s, d);
            s->vertex_count += p->vertex_count;
            s->triangle_count += triangles;
        }
    }
    return true;
}

/* The corners of the two triangles of a line, of which 0 and 1 are at its beginning, and of a point. */
static const uint8_t line_corners[2][3] = {{0, 1, 2}, {2, 1, 3}};

/* The last one that begins at or before it. */
static const draw *draw_of_vertex(const scene *s, uint64_t vertex)
{
    size_t low = 0, high = s->draw_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->draws[middle].first_vertex <= vertex)
            low = middle;
        else
            high = middle;
    }
    return &s->draws[low];
}

const draw *st_scene_draw(const scene *s, uint32_t triangle)
{
    size_t low = 0, high = s->draw_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->first_triangles[middle] <= triangle)
            low = middle;
        else
            high = middle;
    }
    return &s->draws[low];
}

/* Of a line or a point. */
static uint64_t row_of_corner(const draw *d, uint64_t triangle, uint64_t corner)
{
    bool second = d->primitive->topology == STELE_LINES && line_corners[triangle % 2][corner] > 1;
    uint64_t at = st_element_corners(d->primitive->topology) * (triangle / 2) + second;
    return d->indices ? d->indices[at] : at;
}

static inline bool rows_of(const draw *d, uint64_t index, uint64_t rows[3])
{
    if (!draws_triangles(d))
        for (uint64_t i = 0; i < 3; i++)
            rows[i] = row_of_corner(d, index, i);
    else if (d->indices)
        for (uint64_t i = 0; i < 3; i++)
            rows[i] = d->indices[3 * index + i];
    else
        for (uint64_t i = 0; i < 3; i++)
            rows[i] = 3 * index + i;
    return rows[0] < d->vertex_count && rows[1] < d->vertex_count && rows[2] < d->vertex_count;
}

bool st_draw_rows(const draw *d, uint32_t triangle, uint64_t rows[3])
{
    return rows_of(d, triangle - d->first_triangle, rows);
}

bool st_draw_corners(const draw *d, uint32_t triangle, uint64_t corners[3])
{
    uint64_t index = triangle - d->first_triangle;
    if (!rows_of(d, index, corners))
        return false;
    for (int i = 0; i < 3 && !draws_triangles(d); i++)
        corners[i] = index / 2 * LINE_CORNERS + line_corners[index % 2][i];
    return true;
}

/* ---- Vertices in the space of the model ---- */

/* The vertices of a draw before anything moves them: as the model has them, or morphed. */
typedef struct moving_draw {
    mover mover;
    const stele_view *position, *normal;
    const float (*morphed)[3], (*morphed_normal)[3]; /* instead of those, or NULL */
} moving_draw;

typedef struct moving {
    const scene *scene;
    const moving_draw *draws;
} moving;

/* The joints of a skin, which are the same for all that it moves. */
typedef struct moved_skin {
    float (*joints)[12]; /* NULL: not made yet */
    bool mirrors;
} moved_skin;

static float (*copied_rows(const stele_view *v, uint64_t count, arena *a))[3]
{
    float(*rows)[3] = st_arena_array(a, count, sizeof *rows);
    if (rows)
        st_view_triples(v, 0, count, rows, sizeof *rows);
    return rows;
}

static bool morph(moving_draw *m, const scene *s, const draw *d, uint32_t clip, double seconds)
{
    const stele_primitive *p = d->primitive;
    arena *a = s->renderer->arena;
    float(*positions)[3] = NULL, (*normals)[3] = NULL;
    morphing morphs = st_morphing(s->renderer->model, d->node, clip, seconds);
    for (size_t i = 0; i < p->morph_count; i++) {
        float weight = (float)st_morph_weight(&morphs, i);
        if (weight == 0)
            continue;
        if (!positions) {
            positions = copied_rows(m->position, p->vertex_count, a);
            normals = m->normal ? copied_rows(m->normal, p->vertex_count, a) : NULL;
            if (!positions || (m->normal && !normals))
                return false;
        }
        st_morphf(&p->morphs[i], weight, p->vertex_count, positions, normals);
    }
    m->morphed = (const float(*)[3])positions;
    m->morphed_normal = (const float(*)[3])normals;
    return true;
}

static bool move_by_skin(mover *m, arena *a, moved_skin *skin, draw *d)
{
    enum { JOINT_WORK = 200 };
    size_t count = m->skin->joint_count;
    if (!skin->joints) {
        skin->joints = st_work(a, count, JOINT_WORK) ? st_arena_array(a, count, sizeof *skin->joints) : NULL;
        if (!skin->joints)
            return false;
        st_mover_preparef(m, skin->joints, count);
        skin->mirrors = st_mover_mirrors(m);
    }
    m->jointsf = (const float(*)[12])skin->joints;
    m->prepared = count;
    d->mirrored = skin->mirrors;
    return true;
}

static bool prepare(moving_draw *m, const scene *s, draw *d, const double (*matrices)[16], moved_skin *skins, uint32_t clip,
                    double seconds)
{
    const stele_model *model = s->renderer->model;
    m->mover = st_mover(model, d->node, d->primitive, matrices);
    m->position = usable(d->primitive, STELE_POSITION, 3);
    m->normal = usable(d->primitive, STELE_NORMAL, 3);
    if (!m->mover.set_count)
        d->mirrored = st_mover_mirrors(&m->mover);
    else if (!move_by_skin(&m->mover, s->renderer->arena, &skins[model->nodes[d->node].skin], d))
        return false;
    return morph(m, s, d, clip, seconds);
}

static void move_rows(const moving_draw *m, const draw *d, uint64_t first, uint64_t last)
{
    vertex *vertices = d->rows + first;
    float(*normals)[3] = d->normals ? d->normals + first : NULL;
    uint64_t count = last - first;
    if (!m->morphed)
        st_view_triples(m->position, first, count, vertices->view, sizeof *vertices);
    for (uint64_t i = 0; m->morphed && i < count; i++)
        memcpy(vertices[i].view, m->morphed[first + i], sizeof vertices[i].view);
    if (normals && m->morphed_normal)
        memcpy(normals, m->morphed_normal + first, (size_t)count * sizeof *normals);
    else if (normals)
        st_view_triples(m->normal, first, count, normals, sizeof *normals);
    st_movef(&m->mover, first, count, vertices->view, sizeof *vertices, normals, NULL);
}

/* Calls for the part of each draw that a task has to do. */
typedef void (*row_range)(void *context, const draw *d, uint64_t first, uint64_t last);

static void each_range(const scene *s, size_t task, row_range range, void *context)
{
    uint64_t at = (uint64_t)task * ROWS_PER_TASK, end = at + ROWS_PER_TASK;
    end = end < s->vertex_count ? end : s->vertex_count;
    for (const draw *d = draw_of_vertex(s, at); at < end; d++) {
        uint64_t last = d->first_vertex + d->vertex_count;
        last = last < end ? last : end;
        if (last > at) {
            range(context, d, at - d->first_vertex, last - d->first_vertex);
            at = last;
        }
    }
}

static void move_range(void *context, const draw *d, uint64_t first, uint64_t last)
{
    const moving *m = context;
    move_rows(&m->draws[d - m->scene->draws], d, first, last);
}

static void move_task(void *context, size_t task)
{
    each_range(((moving *)context)->scene, task, move_range, context);
}

static size_t tasks_of(uint64_t rows)
{
    return (size_t)((rows + ROWS_PER_TASK - 1) / ROWS_PER_TASK);
}

static bool place_vertices(scene *s)
{
    arena *a = s->renderer->arena;
    vertex *vertices = st_arena_bytes(a, s->vertex_count * sizeof *vertices);
    if (!vertices)
        return false;
    for (size_t i = 0; i < s->draw_count; i++) {
        draw *d = &s->draws[i];
        d->rows = d->vertices = vertices + d->first_vertex;
        if (usable(d->primitive, STELE_NORMAL, 3)) {
            d->normals = st_arena_bytes(a, d->vertex_count * sizeof *d->normals);
            if (!d->normals)
                return false;
        }
    }
    return true;
}

/* Says of the vertices of some triangles that they are used: from several threads, all of which say the same. */
static void mark_task(void *context, size_t task)
{
    const scene *s = context;
    uint64_t at = (uint64_t)task * ROWS_PER_TASK, end = at + ROWS_PER_TASK;
    end = end < s->triangle_count ? end : s->triangle_count;
    const draw *d = st_scene_draw(s, (uint32_t)at);
    for (; at < end; at++) {
        uint64_t rows[3];
        while (at - d->first_triangle >= d->triangle_count)
            d++;
        if (rows_of(d, at - d->first_triangle, rows))
            for (int i = 0; i < 3; i++)
                __atomic_store_n(&s->used[d->first_vertex + rows[i]], true, __ATOMIC_RELAXED);
    }
}

static bool mark_used(scene *s)
{
    s->used = st_arena_array(s->renderer->arena, s->vertex_count, sizeof *s->used);
    if (s->used)
        parallel_for(&s->renderer->threads, tasks_of(s->triangle_count), mark_task, s);
    return s->used;
}

bool st_scene_draws(scene *s, const double (*matrices)[16], uint32_t clip, double seconds)
{
    arena *a = s->renderer->arena;
    if (!list_draws(s, clip) || !place_vertices(s) || !mark_used(s))
        return false;
    arena_mark mark = st_arena_mark(a);
    moving_draw *draws = st_arena_array(a, s->draw_count, sizeof *draws);
    moved_skin *skins = st_arena_array(a, s->renderer->model->skin_count, sizeof *skins);
    bool ready = draws && skins;
    for (size_t i = 0; ready && i < s->draw_count; i++)
        ready = prepare(&draws[i], s, &s->draws[i], matrices, skins, clip, seconds);
    if (ready)
        parallel_for(&s->renderer->threads, tasks_of(s->vertex_count), move_task, &(moving){s, draws});
    st_arena_rewind(a, mark);
    return ready;
}

/* ---- How large it is ---- */

typedef struct measuring {
    const scene *scene;
    stele_bounds *bounds; /* of each task */
    const camera *camera;
    window *windows; /* the same */
    const stele_bounds *all;
    double center[3];
    double *squares; /* of the largest distance from the center, of each task */
} measuring;

void st_bounds_extend(stele_bounds *b, const float p[3])
{
    if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]))
        return;
    for (int i = 0; i < 3; i++) {
        b->min[i] = !b->known || p[i] < b->min[i] ? p[i] : b->min[i];
        b->max[i] = !b->known || p[i] > b->max[i] ? p[i] : b->max[i];
    }
    b->known = true;
}

/* Calls for each vertex of a part that a triangle uses. */
typedef void (*vertex_visitor)(void *context, const float position[3]);

static inline __attribute__((always_inline)) void each_used(const scene *s, const draw *d, uint64_t first, uint64_t last,
                                                            vertex_visitor visit, void *context)
{
    for (uint64_t i = first; i < last; i++)
        if (s->used[d->first_vertex + i])
            visit(context, d->rows[i].view);
}

typedef struct bounding {
    const scene *scene;
    stele_bounds bounds;
} bounding;

static void extend_bounds(void *bounds, const float position[3])
{
    st_bounds_extend(bounds, position);
}

static void bounds_range(void *context, const draw *d, uint64_t first, uint64_t last)
{
    bounding *b = context;
    each_used(b->scene, d, first, last, extend_bounds, &b->bounds);
}

static void bounds_task(void *context, size_t task)
{
    const measuring *m = context;
    bounding b = {.scene = m->scene};
    each_range(m->scene, task, bounds_range, &b);
    m->bounds[task] = b.bounds;
}

stele_bounds st_scene_bounds(const scene *s)
{
    arena *a = s->renderer->arena;
    arena_mark mark = st_arena_mark(a);
    size_t tasks = tasks_of(s->vertex_count);
    measuring m = {.scene = s, .bounds = st_arena_array(a, tasks, sizeof *m.bounds)};
    stele_bounds all = {0};
    if (m.bounds)
        parallel_for(&s->renderer->threads, tasks, bounds_task, &m);
    for (size_t i = 0; m.bounds && i < tasks; i++)
        if (m.bounds[i].known) {
            st_bounds_extend(&all, m.bounds[i].min);
            st_bounds_extend(&all, m.bounds[i].max);
        }
    st_arena_rewind(a, mark);
    return all;
}

typedef struct looking {
    const scene *scene;
    const camera *camera;
    window window;
} looking;

static void extend_window(void *context, const float position[3])
{
    looking *l = context;
    float view[3];
    st_camera_view(l->camera, position, view);
    st_window_extend(&l->window, l->camera, view);
}

static void window_range(void *context, const draw *d, uint64_t first, uint64_t last)
{
    looking *l = context;
    each_used(l->scene, d, first, last, extend_window, l);
}

static void window_task(void *context, size_t task)
{
    const measuring *m = context;
    looking l = {m->scene, m->camera, NO_WINDOW};
    each_range(m->scene, task, window_range, &l);
    m->windows[task] = l.window;
}

window st_scene_window(const scene *s, const camera *c)
{
    arena *a = s->renderer->arena;
    arena_mark mark = st_arena_mark(a);
    size_t tasks = tasks_of(s->vertex_count);
    measuring m = {.scene = s, .camera = c, .windows = st_arena_array(a, tasks, sizeof *m.windows)};
    window all = NO_WINDOW;
    bool ready = m.windows && st_work(a, s->vertex_count, 1);
    if (ready)
        parallel_for(&s->renderer->threads, tasks, window_task, &m);
    for (size_t i = 0; ready && i < tasks; i++)
        all = st_window_join(all, m.windows[i]);
    st_arena_rewind(a, mark);
    return all;
}

typedef struct farthest {
    const measuring *measuring;
    double square;
} farthest;

/* A vertex outside of the bounds belongs to no triangle. */
static void radius_range(void *context, const draw *d, uint64_t first, uint64_t last)
{
    farthest *f = context;
    const measuring *m = f->measuring;
    for (uint64_t i = first; i < last; i++) {
        const float *p = d->rows[i].view;
        double square = 0;
        bool inside = true;
        for (int k = 0; k < 3; k++) {
            double way = (double)p[k] - m->center[k];
            square += way * way;
            inside &= p[k] >= m->all->min[k] && p[k] <= m->all->max[k];
        }
        if (inside && square > f->square)
            f->square = square;
    }
}

static void radius_task(void *context, size_t task)
{
    measuring *m = context;
    farthest f = {m, 0};
    each_range(m->scene, task, radius_range, &f);
    m->squares[task] = f.square;
}

double st_scene_radius(const scene *s, const stele_bounds *bounds, const double center[3])
{
    arena *a = s->renderer->arena;
    arena_mark mark = st_arena_mark(a);
    size_t tasks = tasks_of(s->vertex_count);
    measuring m = {.scene = s, .all = bounds, .squares = st_arena_array(a, tasks, sizeof *m.squares)};
    double square = 0;
    memcpy(m.center, center, sizeof m.center);
    if (m.squares)
        parallel_for(&s->renderer->threads, tasks, radius_task, &m);
    for (size_t i = 0; m.squares && i < tasks; i++)
        square = m.squares[i] > square ? m.squares[i] : square;
    st_arena_rewind(a, mark);
    return sqrt(square);
}

/* ---- As the camera sees them ---- */

static void view_range(void *context, const draw *d, uint64_t first, uint64_t last)
{
    const scene *s = context;
    for (uint64_t i = first; i < last; i++) {
        vertex *v = &d->rows[i];
        float position[3];
        memcpy(position, v->view, sizeof position);
        st_camera_view(&s->camera, position, v->view);
        st_project(&s->camera, v);
        if (d->normals)
            st_camera_turn(&s->camera, d->normals[i], d->normals[i]);
    }
}

static void view_task(void *context, size_t task)
{
    each_range(context, task, view_range, context);
}

/* ---- Lines and points ---- */

/* In pixels. Points are squares. */
#define LINE_WIDTH 1.5f
#define POINT_SIZE 3.0f

/* Those that lie on a surface are seen. */
#define NEARER 0.9995f

/* The corners of a point, as those of a line. */
static void point_corners(const scene *s, const float at[3], float corner[4][3])
{
    float half = width_at(s, at, POINT_SIZE / 2);
    for (int i = 0; i < LINE_CORNERS; i++) {
        memcpy(corner[i], at, sizeof corner[i]);
        corner[i][0] += i & 1 ? half : -half;
        corner[i][1] += i & 2 ? half : -half;
    }
}

static void widen(const scene *s, const draw *d, uint32_t element)
{
    vertex *v = d->vertices + (size_t)element * LINE_CORNERS;
    uint64_t rows[3];
    float corner[LINE_CORNERS][3];
    bool seen = st_draw_rows(d, d->first_triangle + 2 * element, rows) && d->rows[rows[0]].x != NOWHERE &&
                d->rows[rows[2]].x != NOWHERE;
    if (seen && d->primitive->topology == STELE_POINTS)
        point_corners(s, d->rows[rows[0]].view, corner);
    else if (seen)
        seen = st_line_corners(s, d->rows[rows[0]].view, d->rows[rows[2]].view, LINE_WIDTH, corner);
    for (int i = 0; i < LINE_CORNERS; i++) {
        v[i].x = NOWHERE;
        for (int k = 0; k < 3 && seen; k++)
            v[i].view[k] = corner[i][k] * NEARER;
        if (seen)
            st_project(&s->camera, &v[i]);
    }
}

static bool widen_all(const scene *s, draw *d)
{
    uint32_t count = d->triangle_count / 2;
    d->vertices = st_arena_bytes(s->renderer->arena, (uint64_t)count * LINE_CORNERS * sizeof *d->vertices);
    for (uint32_t i = 0; d->vertices && i < count; i++)
        widen(s, d, i);
    return d->vertices;
}

bool st_scene_view(scene *s)
{
    bool ready = true;
    parallel_for(&s->renderer->threads, tasks_of(s->vertex_count), view_task, s);
    for (size_t i = 0; ready && i < s->draw_count; i++)
        ready = draws_triangles(&s->draws[i]) || widen_all(s, &s->draws[i]);
    return ready;
}

void st_scene_add(scene *s, vertex *vertices, const uint8_t (*tint)[4], uint32_t triangle_count, bool over)
{
    if (!triangle_count || s->triangle_count + triangle_count >= NO_TRIANGLE)
        return;
    st_work(s->renderer->arena, triangle_count, TRIANGLE_WORK); /* who draws them sees whether that was too much */
    draw *d = next_draw(s);
    d->vertex_count = 3 * (uint64_t)triangle_count;
    d->triangle_count = triangle_count;
    d->rows = d->vertices = vertices;
    d->double_sided = d->painted = true;
    d->over = over;
    d->tint = tint;
    s->vertex_count += d->vertex_count;
    s->triangle_count += triangle_count;
}
