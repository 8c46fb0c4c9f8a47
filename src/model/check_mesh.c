/* The checks of a mesh, whatever format it is from. Work is cut into chunks: a chunk is first asked, at memory speed, whether
 * anything at all is wrong with it, and looked at closely only then. Chunks may run on several threads; each counts into a
 * tally of its own, and the tallies are added up in order, so that the findings do not depend on the threads. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/scan.h"
#include "base/vector.h"
#include "check_mesh.h"
#include "load.h"

typedef enum finding {
    POSITION_NONFINITE,
    NORMAL_NONFINITE,
    UV_NONFINITE,
    COLOR_NONFINITE,
    TANGENT_NONFINITE,
    BINORMAL_NONFINITE,
    WEIGHT_NONFINITE,
    BONE_NONFINITE,
    NORMAL_IS_ZERO,
    NORMAL_NOT_UNIT,
    NORMAL_TO_REPAIR, /* no finding: loading will look at it */
    TANGENT_IS_ZERO,
    WEIGHTS_ALL_ZERO,
    WEIGHTS_SUM,
    WEIGHTS_NEGATIVE,
    BONE_IS_NEGATIVE,
    BONE_IS_FRACTIONAL,
    BONE_BEYOND,
    INDEX_BEYOND,
    TRIANGLE_DEGENERATE,
    TRIANGLE_ZERO_AREA,
    FINDINGS
} finding;

typedef struct mesh_tally {
    uint64_t count[FINDINGS];
    uint64_t first[FINDINGS]; /* a vertex, or the position of an index */
    unsigned looks;           /* what the mesh's own look has seen */
} mesh_tally;

typedef struct job {
    const mesh_view *mesh;
    bool full;
    bool known; /* floats are finite, or indices in range: somebody has looked */
    uint64_t rows_per_chunk, rows;
    void (*chunk)(const struct job *job, uint64_t begin, uint64_t end, mesh_tally *t);
    mesh_tally *tallies;
} job;

static void found(mesh_tally *t, finding what, uint64_t where)
{
    if (t->count[what]++ == 0)
        t->first[what] = where;
}

static void add_tally(mesh_tally *sum, const mesh_tally *t)
{
    for (int i = 0; i < FINDINGS; i++) {
        if (t->count[i] && !sum->count[i])
            sum->first[i] = t->first[i];
        sum->count[i] += t->count[i];
    }
    sum->looks |= t->looks;
}

/* ---- Vertices ---- */

static const uint8_t *row(const stele_view *f, uint64_t vertex)
{
    return (const uint8_t *)f->data + vertex * f->stride;
}

static bool row_nonfinite(const stele_view *f, uint64_t vertex)
{
    return f->components && f->type == STELE_F32 && st_scan_nonfinite(row(f, vertex), f->components);
}

typedef struct float_column {
    const stele_view *floats;
    finding what;
} float_column;

enum { FLOAT_COLUMNS = 8, MOST_COMPONENTS = 16 };

static void list_columns(const mesh_view *m, float_column columns[FLOAT_COLUMNS])
{
    const float_column all[FLOAT_COLUMNS] = {
        {&m->position, POSITION_NONFINITE}, {&m->normal, NORMAL_NONFINITE},   {&m->uv, UV_NONFINITE},
        {&m->color, COLOR_NONFINITE},       {&m->tangent, TANGENT_NONFINITE}, {&m->binormal, BINORMAL_NONFINITE},
        {&m->weight, WEIGHT_NONFINITE},     {&m->bone, BONE_NONFINITE}};
    memcpy(columns, all, sizeof all);
}

static void find_nonfinite(const float_column *column, uint64_t begin, uint64_t end, mesh_tally *t)
{
    for (uint64_t v = begin; v < end; v++)
        if (row_nonfinite(column->floats, v))
            found(t, column->what, v);
}

static bool any_nonfinite(const stele_view *f, uint64_t begin, uint64_t end)
{
    if (f->type != STELE_F32)
        return false;
    return st_scan_nonfinite_rows(row(f, begin), end - begin, f->stride, f->components);
}

/* Which columns to look at closely. Interleaved rows are scanned once for all columns; a column of its own by itself. */
static void check_finite(const mesh_view *m, uint64_t begin, uint64_t end, mesh_tally *t)
{
    float_column columns[FLOAT_COLUMNS];
    if (m->all.components && !any_nonfinite(&m->all, begin, end))
        return;
    list_columns(m, columns);
    for (size_t i = 0; i < FLOAT_COLUMNS; i++) {
        const stele_view *f = columns[i].floats;
        if (!f->components)
            continue;
        if (any_nonfinite(f, begin, end))
            find_nonfinite(&columns[i], begin, end, t);
    }
}

static inline float squared_length(const stele_view *f, uint64_t vertex)
{
    float p[4];
    view_row(f, vertex, 3, p);
    return p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
}

static const float unit_least = 0.99f * 0.99f, unit_most = 1.01f * 1.01f, nothing = 1e-12f;

static void check_normals(const mesh_view *m, uint64_t begin, uint64_t end, mesh_tally *t)
{
    stele_view chunk = m->normal;
    chunk.data = row(&chunk, begin);
    chunk.count = end - begin;
    if (!st_count_bad_normals(&chunk))
        return;
    for (uint64_t v = begin; v < end; v++) {
        float length = squared_length(&m->normal, v);
        if (st_unit_enough(length))
            continue;
        found(t, NORMAL_TO_REPAIR, v);
        if (length >= unit_least && length <= unit_most)
            continue;
        if (length <= nothing)
            found(t, NORMAL_IS_ZERO, v);
        else if (isfinite(length) || !row_nonfinite(&m->normal, v))
            found(t, NORMAL_NOT_UNIT, v);
    }
}

static void check_tangents(const mesh_view *m, uint64_t begin, uint64_t end, mesh_tally *t)
{
    for (uint64_t v = begin; v < end; v++)
        if (squared_length(&m->tangent, v) <= nothing)
            found(t, TANGENT_IS_ZERO, v);
}

typedef struct weight_sum {
    float sum;
    bool negative, zero;
} weight_sum;

static inline void add_weights(const stele_view *set, uint64_t vertex, weight_sum *w)
{
    float weights[MOST_COMPONENTS];
    view_row(set, vertex, set->components, weights);
    for (uint32_t i = 0; i < set->components; i++) {
        w->sum += weights[i];
        w->negative |= weights[i] < 0;
        w->zero &= weights[i] == 0;
    }
}

static void check_weights(const mesh_view *m, uint64_t begin, uint64_t end, mesh_tally *t)
{
    for (uint64_t v = begin; v < end; v++) {
        weight_sum w = {.zero = true};
        add_weights(&m->weight, v, &w);
        for (size_t i = 0; i < m->more_weight_count; i++)
            add_weights(&m->more_weights[i], v, &w);
        if (w.zero)
            found(t, WEIGHTS_ALL_ZERO, v);
        else if (w.sum < 0.99f || w.sum > 1.01f)
            found(t, WEIGHTS_SUM, v);
        if (w.negative)
            found(t, WEIGHTS_NEGATIVE, v);
    }
}

/* Where only those that go beyond matter, most meshes have none. */
static bool no_bone_beyond(const mesh_view *m, uint64_t begin, uint64_t end)
{
    const stele_view *bones = &m->bone;
    const uint64_t exact = 1u << 24; /* floats are */
    if (m->bone_count == UINT64_MAX)
        return true;
    return bones->type == STELE_F32 && m->bone_count <= exact &&
           !st_scan_outside_rows(row(bones, begin), end - begin, bones->stride, bones->components, -FLT_MAX,
                                 (float)m->bone_count - 1);
}

static void check_bones(const mesh_view *m, uint64_t begin, uint64_t end, bool full, mesh_tally *t)
{
    double limit = m->bone_count == UINT64_MAX ? INFINITY : (double)m->bone_count;
    if (!full && no_bone_beyond(m, begin, end))
        return;
    for (uint64_t v = begin; v < end; v++) {
        float bones[MOST_COMPONENTS];
        bool negative = false, fractional = false, beyond = false;
        view_row(&m->bone, v, m->bone.components, bones);
        for (uint32_t i = 0; i < m->bone.components; i++) {
            float bone = bones[i];
            if (!isfinite(bone))
                continue;
            negative |= bone < 0;
            fractional |= bone != floorf(bone);
            beyond |= bone >= limit;
        }
        if (negative && full)
            found(t, BONE_IS_NEGATIVE, v);
        if (fractional && full)
            found(t, BONE_IS_FRACTIONAL, v);
        if (beyond)
            found(t, BONE_BEYOND, v);
    }
}

static void check_vertices(const job *j, uint64_t begin, uint64_t end, mesh_tally *t)
{
    const mesh_view *m = j->mesh;
    if (!j->known)
        check_finite(m, begin, end, t);
    if (m->look)
        t->looks |= m->look(m, begin, end);
    if (m->bone.components)
        check_bones(m, begin, end, j->full, t);
    if (!j->full)
        return;
    if (m->normal.components)
        check_normals(m, begin, end, t);
    if (m->tangent.components)
        check_tangents(m, begin, end, t);
    if (m->weight.components)
        check_weights(m, begin, end, t);
}

/* ---- Triangles ---- */

static void load_position(const mesh_view *m, uint64_t vertex, float p[4])
{
    view_row(&m->position, vertex, 3, p);
}

/* The squared sine of the angle at the first corner is below (1e-6)^2, or an edge has no length. */
static bool zero_area(const float a[3], const float b[3], const float c[3])
{
    double u[3], v[3], across[3];
    for (int i = 0; i < 3; i++) {
        u[i] = (double)b[i] - a[i];
        v[i] = (double)c[i] - a[i];
    }
    cross3(u, v, across);
    return dot3(across, across) <= 1e-12 * dot3(u, u) * dot3(v, v);
}

/* In single precision, and generously: right for all but the suspicious ones. */
static inline bool suspicious_area(float ux, float uy, float uz, float vx, float vy, float vz)
{
    float x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    float cross = x * x + y * y + z * z;
    float edges = (ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz);
    return !(cross > 1e-4f * edges);
}

static uint64_t index_at(const mesh_view *m, uint64_t i)
{
    return load_index(row(&m->indices, i), m->indices.type);
}

/* One by one; indices may be out of range. */
static void find_bad_shapes(const mesh_view *m, uint64_t begin, uint64_t end, mesh_tally *t)
{
    for (uint64_t i = begin; i + 3 <= end; i += 3) {
        uint64_t a = index_at(m, i), b = index_at(m, i + 1), c = index_at(m, i + 2);
        if (a >= m->vertex_count || b >= m->vertex_count || c >= m->vertex_count)
            continue;
        float corner[3][4];
        load_position(m, a, corner[0]);
        load_position(m, b, corner[1]);
        load_position(m, c, corner[2]);
        if (a == b || b == c || c == a)
            found(t, TRIANGLE_DEGENERATE, i);
        else if (zero_area(corner[0], corner[1], corner[2]))
            found(t, TRIANGLE_ZERO_AREA, i);
    }
}

enum { BATCH = 32 };

/* The two edges at the first corner of each triangle, as columns. Every index is fetched once, for the file may change; false
 * if one is out of range, which is taken as 0: there are vertices. */
static inline bool load_edges(const mesh_view *m, const uint8_t *indices, stele_type type, float edge[6][BATCH])
{
    const uint8_t *data = m->position.data;
    uint64_t stride = m->position.stride, count = m->vertex_count;
    uint32_t size = stele_type_size(type);
    bool beyond = false;
    for (size_t i = 0; i < BATCH; i++, indices += 3 * size) {
        const uint8_t *corner[3];
        for (uint32_t k = 0; k < 3; k++) {
            uint64_t index = load_index(indices + k * size, type);
            beyond |= index >= count;
            corner[k] = data + (index < count ? index : 0) * stride;
        }
        for (int k = 0; k < 3; k++) {
            float origin = load_f32(corner[0] + 4 * k);
            edge[k][i] = load_f32(corner[1] + 4 * k) - origin;
            edge[3 + k][i] = load_f32(corner[2] + 4 * k) - origin;
        }
    }
    return !beyond;
}

/* A vertex used twice gives no area either, so that this finds all bad shapes. */
static inline bool all_have_area(float edge[6][BATCH])
{
    int suspicious = 0;
    for (size_t i = 0; i < BATCH; i++)
        suspicious |= suspicious_area(edge[0][i], edge[1][i], edge[2][i], edge[3][i], edge[4][i], edge[5][i]);
    return !suspicious;
}

static void find_beyond(const mesh_view *m, uint64_t begin, uint64_t end, mesh_tally *t)
{
    for (uint64_t i = begin; i < end; i++)
        if (index_at(m, i) >= m->vertex_count)
            found(t, INDEX_BEYOND, i);
}

static void look_closely(const job *j, uint64_t begin, uint64_t end, mesh_tally *t)
{
    if (!j->known)
        find_beyond(j->mesh, begin, end, t);
    find_bad_shapes(j->mesh, begin, end, t);
}

/* Batches of triangles: indices are compared as they are used, so that they need no pass of their own. */
static inline void check_shapes(const job *j, stele_type type, uint64_t begin, uint64_t end, mesh_tally *t)
{
    float edge[6][BATCH];
    uint64_t i = begin;
    for (; end - i >= 3 * BATCH; i += 3 * BATCH)
        if (!load_edges(j->mesh, row(&j->mesh->indices, i), type, edge) || !all_have_area(edge))
            look_closely(j, i, i + 3 * BATCH, t);
    look_closely(j, i, end, t);
}

static void check_indices(const job *j, uint64_t begin, uint64_t end, mesh_tally *t)
{
    const mesh_view *m = j->mesh;
    bool plain = m->vertex_count && m->position.type == STELE_F32 && m->indices.stride == stele_type_size(m->indices.type);
    /* the two usual types with the type as a constant, for the compiler */
    if (j->full && plain && m->indices.type == STELE_U16)
        check_shapes(j, STELE_U16, begin, end, t);
    else if (j->full && plain && m->indices.type == STELE_U32)
        check_shapes(j, STELE_U32, begin, end, t);
    else if (j->full)
        look_closely(j, begin, end, t);
    else if (!j->known && st_scan_beyond(row(&m->indices, begin), end - begin, m->indices.type, m->vertex_count))
        find_beyond(m, begin, end, t);
}

/* Every three vertices are a triangle; chunks do not cut any. */
static void check_corners(const job *j, uint64_t begin, uint64_t end, mesh_tally *t)
{
    float corner[3][4];
    for (uint64_t v = begin; j->full && v + 3 <= end; v += 3) {
        for (uint64_t i = 0; i < 3; i++)
            load_position(j->mesh, v + i, corner[i]);
        if (zero_area(corner[0], corner[1], corner[2]))
            found(t, TRIANGLE_ZERO_AREA, v);
    }
}

/* ---- Chunks ---- */

enum {
    ROWS = 3 * 4096, /* a chunk that fits in the cache, and a multiple of 3 so that no triangle is cut */
    MOST_TASKS = 64, /* for threads: few enough that their tallies cost nothing */
    WORTH_THREADS = 200000
};

static void run_range(const job *j, uint64_t begin, uint64_t end, mesh_tally *t)
{
    for (uint64_t at = begin; at < end; at += ROWS)
        j->chunk(j, at, end - at < ROWS ? end : at + ROWS, t);
}

/* Both jobs of a mesh as one list of tasks, so that threads are started once and nobody waits in between. */
typedef struct both {
    job *jobs[2];
    size_t tasks[2];
} both;

static void run_task(void *context, size_t index)
{
    const both *b = context;
    const job *j = b->jobs[index >= b->tasks[0]];
    size_t task = index >= b->tasks[0] ? index - b->tasks[0] : index;
    uint64_t begin = task * j->rows_per_chunk;
    uint64_t end = j->rows - begin < j->rows_per_chunk ? j->rows : begin + j->rows_per_chunk;
    run_range(j, begin, end, &j->tallies[task]);
}

static size_t cut(job *j)
{
    uint64_t chunks = (j->rows + ROWS - 1) / ROWS;
    j->rows_per_chunk = (chunks + MOST_TASKS - 1) / MOST_TASKS * ROWS;
    return j->rows_per_chunk ? (size_t)((j->rows + j->rows_per_chunk - 1) / j->rows_per_chunk) : 0;
}

static void run_jobs(context *c, job *first, job *second, mesh_tally *sum)
{
    arena_mark mark = st_arena_mark(c->arena);
    mesh_tally *tallies = NULL;
    if (c->threads.run && first->rows + second->rows >= WORTH_THREADS)
        tallies = st_arena_array(c->arena, 2 * MOST_TASKS, sizeof(mesh_tally));
    if (!tallies) {
        run_range(first, 0, first->rows, sum);
        run_range(second, 0, second->rows, sum);
        return;
    }
    both b = {{first, second}, {cut(first), cut(second)}};
    first->tallies = tallies;
    second->tallies = tallies + b.tasks[0];
    parallel_for(&c->threads, b.tasks[0] + b.tasks[1], run_task, &b);
    for (size_t i = 0; i < b.tasks[0] + b.tasks[1]; i++)
        add_tally(sum, &tallies[i]);
    st_arena_rewind(c->arena, mark);
}

/* ---- Reports ---- */

static uint32_t first_nonfinite(const stele_view *f, uint64_t vertex)
{
    uint32_t component = 0;
    while (component + 1 < f->components && !st_scan_nonfinite(row(f, vertex) + 4 * component, 1))
        component++;
    return component;
}

/* The walk knows the names of columns, if it can be asked. A place that nobody will see is not looked for. */
static diag_place place_of(context *c, const mesh_view *m, diag_code code, const stele_view *view, uint64_t row_number,
                           uint32_t component)
{
    if (m->place_of)
        return st_diag_unseen(c->diags, code) ? at_path("", 1) : m->place_of(c, m, view, row_number);
    if (!view)
        return m->place;
    return at_column(row(view, row_number) + component * stele_type_size(view->type), 1);
}

typedef struct mesh_report {
    finding what;
    diag_code code;
    const stele_view *view;
    const char *name, *says;
} mesh_report;

static void report(context *c, const mesh_view *m, const mesh_tally *t, const mesh_report *r)
{
    uint64_t count = t->count[r->what], first = t->first[r->what];
    if (!count)
        return;
    uint32_t component = r->what <= BONE_NONFINITE ? first_nonfinite(r->view, first) : 0;
    diag_place place = counted(count, place_of(c, m, r->code, r->view, first, component));
    if (m->numbered)
        st_diag(c->diags, r->code, place, "%s %llu %s", r->name, (unsigned long long)first, r->says);
    else
        st_diag(c->diags, r->code, place, "%s", r->says);
}

static void report_vertices(context *c, const mesh_view *m, const mesh_tally *t)
{
    const mesh_report reports[] = {
        {POSITION_NONFINITE, DIAG_NONFINITE_POSITION, &m->position, "position", "is not finite"},
        {NORMAL_NONFINITE, DIAG_NONFINITE_NORMAL, &m->normal, "normal", "is not finite"},
        {UV_NONFINITE, DIAG_NONFINITE_UV, &m->uv, "uv", "is not finite"},
        {COLOR_NONFINITE, DIAG_NONFINITE_COLOR, &m->color, "color", "is not finite"},
        {TANGENT_NONFINITE, DIAG_NONFINITE_TANGENT, &m->tangent, "tangent", "is not finite"},
        {BINORMAL_NONFINITE, DIAG_NONFINITE_TANGENT, &m->binormal, "binormal", "is not finite"},
        {WEIGHT_NONFINITE, DIAG_NONFINITE_WEIGHT, &m->weight, "weights", "are not finite"},
        {BONE_NONFINITE, DIAG_NONFINITE_BONE, &m->bone, "bones", "are not finite"},
        {NORMAL_IS_ZERO, DIAG_NORMAL_ZERO, &m->normal, "normal", "has no length"},
        {NORMAL_NOT_UNIT, DIAG_NORMAL_LENGTH, &m->normal, "normal", "is not of length 1"},
        {TANGENT_IS_ZERO, DIAG_TANGENT_ZERO, &m->tangent, "tangent", "has no length"},
        {WEIGHTS_ALL_ZERO, DIAG_WEIGHT_ALL_ZERO, &m->weight, "weights", "are all zero: the engine collapses such vertices"},
        {WEIGHTS_SUM, DIAG_WEIGHT_SUM, &m->weight, "weights", "do not sum to 1"},
        {WEIGHTS_NEGATIVE, DIAG_WEIGHT_NEGATIVE, &m->weight, "weights", "are partly negative"},
        {BONE_IS_NEGATIVE, DIAG_BONE_NEGATIVE, &m->bone, "bones", "are partly negative"},
        {BONE_IS_FRACTIONAL, DIAG_BONE_FRACTIONAL, &m->bone, "bones", "are not all whole numbers"},
    };
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++)
        report(c, m, t, &reports[i]);
    if (t->count[BONE_BEYOND])
        st_diag(c->diags, DIAG_BONE_OUT_OF_RANGE,
                counted(t->count[BONE_BEYOND], place_of(c, m, DIAG_BONE_OUT_OF_RANGE, &m->bone, t->first[BONE_BEYOND], 0)),
                "go beyond the %llu bones that there are or can be", (unsigned long long)m->bone_count);
}

/* Corners are the indices, or the vertices where there are none. */
static void report_corners(context *c, const mesh_view *m, const mesh_tally *t)
{
    const stele_view *corners = m->unindexed ? &m->position : &m->indices;
    const char *name = m->unindexed ? "position" : "index";
    uint64_t first = t->first[INDEX_BEYOND];
    if (t->count[INDEX_BEYOND])
        st_diag(c->diags, DIAG_INDEX_OUT_OF_RANGE,
                counted(t->count[INDEX_BEYOND], place_of(c, m, DIAG_INDEX_OUT_OF_RANGE, corners, first, 0)),
                "is %llu, but there are only %llu vertices", (unsigned long long)index_at(m, first),
                (unsigned long long)m->vertex_count);
    report(c, m, t,
           &(mesh_report){TRIANGLE_DEGENERATE, DIAG_DEGENERATE_TRIANGLE, corners, name,
                          "starts a triangle that uses a vertex twice"});
    report(c, m, t,
           &(mesh_report){TRIANGLE_ZERO_AREA, DIAG_ZERO_AREA_TRIANGLE, corners, name, "starts a triangle without area"});
}

static void check_counts(context *c, const mesh_view *m)
{
    const stele_view *corners = m->unindexed ? &m->position : &m->indices;
    uint64_t count = m->unindexed ? m->vertex_count : m->indices.count, rest = count % 3;
    if (rest)
        st_diag(c->diags, DIAG_INDEX_COUNT, at_byte(corners->data),
                "are %llu%s, which is not a multiple of 3: the last %s not drawn", (unsigned long long)count,
                m->unindexed ? " without indices" : "", rest == 1 ? "one is" : "two are");
    if (!m->vertex_count || (!m->indices.count && !m->unindexed))
        st_diag(c->diags, DIAG_MESH_EMPTY, m->place, "has no %s", m->vertex_count ? "indices" : "vertices");
}

/* ---- What is known ---- */

/* Sets of texture coordinates are one column here, and views of their own elsewhere: what is left without the first. */
static bool next_set(finding what, stele_view *column)
{
    if (what != UV_NONFINITE || column->components <= 2)
        return false;
    column->components -= 2;
    column->data = (const uint8_t *)column->data + 8;
    return true;
}

/* Before: that all columns are finite. */
static bool known_finite(const context *c, const mesh_view *m)
{
    float_column columns[FLOAT_COLUMNS];
    list_columns(m, columns);
    for (size_t i = 0; i < FLOAT_COLUMNS; i++) {
        stele_view column = *columns[i].floats;
        column.count = m->vertex_count;
        do {
            stele_view set = column;
            set.components = columns[i].what == UV_NONFINITE && set.components > 2 ? 2 : set.components;
            if (set.components && set.type == STELE_F32 && !st_known(c->facts, &set, FACT_FINITE))
                return false;
        } while (next_set(columns[i].what, &column));
    }
    return true;
}

static void know_column(context *c, const stele_view *column, unsigned what)
{
    if (column->components)
        st_know(c->facts, column, what);
}

/* After: the columns in which nothing was found. */
static void remember(context *c, const mesh_view *m, const mesh_tally *t)
{
    float_column columns[FLOAT_COLUMNS];
    if (m->seen) {
        if (c->full && !t->count[NORMAL_TO_REPAIR])
            know_column(c, &m->normal, FACT_UNIT);
        return;
    }
    list_columns(m, columns);
    for (size_t i = 0; i < FLOAT_COLUMNS; i++) {
        stele_view column = *columns[i].floats;
        column.count = m->vertex_count;
        if (t->count[columns[i].what])
            continue;
        bool unit = columns[i].what == NORMAL_NONFINITE && c->full && !t->count[NORMAL_TO_REPAIR];
        know_column(c, &column, unit ? FACT_FINITE | FACT_UNIT : FACT_FINITE);
        while (next_set(columns[i].what, &column))
            know_column(c, &column, FACT_FINITE);
    }
    if (!t->count[INDEX_BEYOND])
        st_know_below(c->facts, &m->indices, m->vertex_count);
}

unsigned st_check_mesh(context *c, const mesh_view *m)
{
    mesh_tally sum = {0};
    job vertices = {.mesh = m, .full = c->full, .rows = m->vertex_count, .chunk = check_vertices};
    job indices = {.mesh = m, .full = c->full, .rows = m->indices.count, .chunk = check_indices};
    if (m->unindexed) {
        indices.rows = m->vertex_count;
        indices.chunk = check_corners;
    }
    vertices.known = m->seen || known_finite(c, m);
    indices.known = m->seen || st_known_below(c->facts, &m->indices, m->vertex_count);
    /* several may have the same bytes */
    enum { VERTEX_WORK = 4, INDEX_WORK = 1, FULL = 8 }; /* times as much */
    if (!st_work(c->arena, vertices.rows * VERTEX_WORK + indices.rows * INDEX_WORK, c->full ? FULL : 1))
        return ~0u;
    run_jobs(c, &vertices, &indices, &sum);
    remember(c, m, &sum);
    report_vertices(c, m, &sum);
    report_corners(c, m, &sum);
    if (c->full && !m->seen)
        check_counts(c, m);
    if (c->full && m->tangent.components && !m->uv.components)
        st_diag(c->diags, DIAG_TANGENT_WITHOUT_UV, place_of(c, m, DIAG_TANGENT_WITHOUT_UV, NULL, 0, 0),
                "has tangents but no texture coordinates to which they could belong");
    return sum.looks;
}
