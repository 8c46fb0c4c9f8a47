/* The checks of a mesh, whatever format it is from. Work is cut into chunks: a chunk is first asked, at memory speed, whether
 * anything at all is wrong with it, and looked at closely only then. Chunks may run on several threads; each counts into a
 * tally of its own, and the tallies are added up in order, so that the findings do not depend on the threads. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/scan.h"
#include "base/vector.h"
#include "file/check.h"

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
} mesh_tally;

typedef struct job {
    const mesh_view *mesh;
    bool full;
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
}

/* ---- Vertices ---- */

static const uint8_t *row(const vertex_floats *f, uint64_t vertex)
{
    return f->data + vertex * f->stride;
}

static bool row_nonfinite(const vertex_floats *f, uint64_t vertex)
{
    return f->components && st_scan_nonfinite(row(f, vertex), f->components);
}

typedef struct float_column {
    const vertex_floats *floats;
    finding what;
} float_column;

enum { FLOAT_COLUMNS = 8 };

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

static bool any_nonfinite(const vertex_floats *f, uint64_t begin, uint64_t end)
{
    if (f->stride == 4 * f->components)
        return st_scan_nonfinite(row(f, begin), (end - begin) * f->components);
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
        const vertex_floats *f = columns[i].floats;
        if (!f->components)
            continue;
        if (any_nonfinite(f, begin, end))
            find_nonfinite(&columns[i], begin, end, t);
    }
}

static float squared_length(const uint8_t *p)
{
    float x = load_f32(p), y = load_f32(p + 4), z = load_f32(p + 8);
    return x * x + y * y + z * z;
}

static const float unit_least = 0.99f * 0.99f, unit_most = 1.01f * 1.01f, nothing = 1e-12f;

static void check_normals(const mesh_view *m, uint64_t begin, uint64_t end, mesh_tally *t)
{
    for (uint64_t v = begin; v < end; v++) {
        float length = squared_length(row(&m->normal, v));
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
        if (squared_length(row(&m->tangent, v)) <= nothing)
            found(t, TANGENT_IS_ZERO, v);
}

static void check_weights(const mesh_view *m, uint64_t begin, uint64_t end, mesh_tally *t)
{
    for (uint64_t v = begin; v < end; v++) {
        const uint8_t *p = row(&m->weight, v);
        float sum = 0;
        bool negative = false, zero = true;
        for (uint32_t i = 0; i < m->weight.components; i++) {
            float weight = load_f32(p + 4 * i);
            sum += weight;
            negative |= weight < 0;
            zero &= weight == 0;
        }
        if (zero)
            found(t, WEIGHTS_ALL_ZERO, v);
        else if (sum < 0.99f || sum > 1.01f)
            found(t, WEIGHTS_SUM, v);
        if (negative)
            found(t, WEIGHTS_NEGATIVE, v);
    }
}

static void check_bones(const mesh_view *m, uint64_t begin, uint64_t end, bool full, mesh_tally *t)
{
    double limit = m->bone_count == UINT64_MAX ? INFINITY : (double)m->bone_count;
    for (uint64_t v = begin; v < end; v++) {
        const uint8_t *p = row(&m->bone, v);
        bool negative = false, fractional = false, beyond = false;
        for (uint32_t i = 0; i < m->bone.components; i++) {
            float bone = load_f32(p + 4 * i);
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
    check_finite(m, begin, end, t);
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

static void load_position(const mesh_view *m, uint64_t vertex, float p[3])
{
    const uint8_t *at = row(&m->position, vertex);
    for (int i = 0; i < 3; i++)
        p[i] = load_f32(at + 4 * i);
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

/* One by one; indices may be out of range. */
static void find_bad_shapes(const mesh_view *m, uint64_t begin, uint64_t end, mesh_tally *t)
{
    uint32_t size = stele_type_size(m->index_type);
    for (uint64_t i = begin; i + 3 <= end; i += 3) {
        const uint8_t *at = m->indices + i * size;
        uint64_t a = load_uint(at, m->index_type), b = load_uint(at + size, m->index_type),
                 c = load_uint(at + 2 * size, m->index_type);
        if (a >= m->vertex_count || b >= m->vertex_count || c >= m->vertex_count)
            continue;
        float corner[3][3];
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

/* The two edges at the first corner of each triangle, as columns. */
static inline void load_edges(const vertex_floats *position, const uint8_t *indices, stele_type type, float edge[6][BATCH])
{
    const uint8_t *data = position->data;
    uint64_t stride = position->stride;
    uint32_t size = stele_type_size(type);
    for (size_t i = 0; i < BATCH; i++, indices += 3 * size) {
        const uint8_t *a = data + load_uint(indices, type) * stride;
        const uint8_t *b = data + load_uint(indices + size, type) * stride;
        const uint8_t *c = data + load_uint(indices + 2 * size, type) * stride;
        for (int k = 0; k < 3; k++) {
            float origin = load_f32(a + 4 * k);
            edge[k][i] = load_f32(b + 4 * k) - origin;
            edge[3 + k][i] = load_f32(c + 4 * k) - origin;
        }
    }
}

/* A vertex used twice gives no area either, so that this finds all bad shapes. */
static inline bool all_have_area(float edge[6][BATCH])
{
    int suspicious = 0;
    for (size_t i = 0; i < BATCH; i++)
        suspicious |= suspicious_area(edge[0][i], edge[1][i], edge[2][i], edge[3][i], edge[4][i], edge[5][i]);
    return !suspicious;
}

/* Batches of triangles whose indices are in range. */
static inline void check_shapes(const mesh_view *m, stele_type type, uint64_t begin, uint64_t end, mesh_tally *t)
{
    float edge[6][BATCH];
    uint64_t i = begin;
    for (; end - i >= 3 * BATCH; i += 3 * BATCH) {
        load_edges(&m->position, m->indices + i * stele_type_size(type), type, edge);
        if (!all_have_area(edge))
            find_bad_shapes(m, i, i + 3 * BATCH, t);
    }
    find_bad_shapes(m, i, end, t);
}

static void find_beyond(const mesh_view *m, uint64_t begin, uint64_t end, mesh_tally *t)
{
    uint32_t size = stele_type_size(m->index_type);
    for (uint64_t i = begin; i < end; i++)
        if (load_uint(m->indices + i * size, m->index_type) >= m->vertex_count)
            found(t, INDEX_BEYOND, i);
}

static void check_indices(const job *j, uint64_t begin, uint64_t end, mesh_tally *t)
{
    const mesh_view *m = j->mesh;
    bool beyond =
        st_scan_beyond(m->indices + begin * stele_type_size(m->index_type), end - begin, m->index_type, m->vertex_count);
    if (beyond)
        find_beyond(m, begin, end, t);
    if (!j->full)
        return;
    /* the two usual types with the type as a constant, for the compiler */
    if (beyond)
        find_bad_shapes(m, begin, end, t);
    else if (m->index_type == STELE_U16)
        check_shapes(m, STELE_U16, begin, end, t);
    else if (m->index_type == STELE_U32)
        check_shapes(m, STELE_U32, begin, end, t);
    else
        find_bad_shapes(m, begin, end, t);
}

/* Every three vertices are a triangle; chunks do not cut any. */
static void check_corners(const job *j, uint64_t begin, uint64_t end, mesh_tally *t)
{
    float corner[3][3];
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

/* What is between the path of a mesh and a name in it. */
static const char *dot(const mesh_view *m)
{
    return *m->path ? "." : "";
}

static uint32_t first_nonfinite(const vertex_floats *f, uint64_t vertex)
{
    uint32_t component = 0;
    while (component + 1 < f->components && !st_scan_nonfinite(row(f, vertex) + 4 * component, 1))
        component++;
    return component;
}

static diag_place vertex_place(context *c, const mesh_view *m, const vertex_floats *floats, const char *name, uint64_t vertex,
                               uint32_t component, uint64_t count)
{
    uint64_t offset = st_check_offset(c, row(floats, vertex) + 4 * component);
    if (m->separate)
        return st_check_place(c, offset, count, "%s%s%s[%llu]", m->path, dot(m), name, (unsigned long long)vertex);
    return st_check_place(c, offset, count, "%s%svertices[%llu].%s", m->path, dot(m), (unsigned long long)vertex, name);
}

static void report_vertices(context *c, const mesh_view *m, const mesh_tally *t)
{
    const struct {
        finding what;
        diag_code code;
        const vertex_floats *floats;
        const char *name, *says;
    } reports[] = {
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
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        finding what = reports[i].what;
        if (!t->count[what])
            continue;
        uint32_t component = what <= BONE_NONFINITE ? first_nonfinite(reports[i].floats, t->first[what]) : 0;
        char name[32];
        snprintf(name, sizeof name, what == UV_NONFINITE && !m->one_uv ? "%s%u" : "%s", reports[i].name, component / 2);
        st_diag(c->diags, reports[i].code,
                vertex_place(c, m, reports[i].floats, name, t->first[what], component, t->count[what]), "%s", reports[i].says);
    }
    if (t->count[BONE_BEYOND])
        st_diag(c->diags, DIAG_BONE_OUT_OF_RANGE,
                vertex_place(c, m, &m->bone, "bones", t->first[BONE_BEYOND], 0, t->count[BONE_BEYOND]),
                "go beyond the %llu bones that there are or can be", (unsigned long long)m->bone_count);
}

static void report_indices(context *c, const mesh_view *m, const mesh_tally *t)
{
    static const struct {
        finding what;
        diag_code code;
        const char *says;
    } reports[] = {
        {TRIANGLE_DEGENERATE, DIAG_DEGENERATE_TRIANGLE, "starts a triangle that uses a vertex twice"},
        {TRIANGLE_ZERO_AREA, DIAG_ZERO_AREA_TRIANGLE, "starts a triangle without area"},
    };
    uint32_t size = stele_type_size(m->index_type);
    uint64_t first = t->first[INDEX_BEYOND];
    if (t->count[INDEX_BEYOND])
        st_diag(c->diags, DIAG_INDEX_OUT_OF_RANGE,
                st_check_place(c, st_check_offset(c, m->indices + first * size), t->count[INDEX_BEYOND], "%s%sindices[%llu]",
                               m->path, dot(m), (unsigned long long)first),
                "is %llu, but there are only %llu vertices",
                (unsigned long long)load_uint(m->indices + first * size, m->index_type), (unsigned long long)m->vertex_count);
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        finding what = reports[i].what;
        if (t->count[what])
            st_diag(c->diags, reports[i].code,
                    st_check_place(c, st_check_offset(c, m->indices + t->first[what] * size), t->count[what],
                                   "%s%sindices[%llu]", m->path, dot(m), (unsigned long long)t->first[what]),
                    "%s", reports[i].says);
    }
}

/* Corners are the indices, or the vertices where there are none. */
static void report_corners(context *c, const mesh_view *m, const mesh_tally *t)
{
    uint64_t first = t->first[TRIANGLE_ZERO_AREA];
    if (t->count[TRIANGLE_ZERO_AREA])
        st_diag(c->diags, DIAG_ZERO_AREA_TRIANGLE,
                vertex_place(c, m, &m->position, "position", first, 0, t->count[TRIANGLE_ZERO_AREA]),
                "starts a triangle without area");
    if (m->vertex_count % 3 && c->full)
        st_diag(
            c->diags, DIAG_INDEX_COUNT,
            st_check_place(c, st_check_offset(c, m->position.data), 1, "%s.%s", m->path, m->separate ? "position" : "vertices"),
            "are %llu without indices, which is not a multiple of 3: the last %s not drawn",
            (unsigned long long)m->vertex_count, m->vertex_count % 3 == 1 ? "one is" : "two are");
}

/* ---- What is known now ---- */

static stele_view view_of(const vertex_floats *f, uint64_t rows)
{
    return (stele_view){f->data, rows, f->stride, f->components, STELE_F32, false};
}

static void know_column(context *c, const stele_view *column, unsigned what)
{
    if (column->components)
        st_know(c->facts, column, what);
}

/* The columns in which nothing was found. Sets of texture coordinates are one column here, and views of their own later. */
static void remember(context *c, const mesh_view *m, const mesh_tally *t)
{
    float_column columns[FLOAT_COLUMNS];
    list_columns(m, columns);
    for (size_t i = 0; i < FLOAT_COLUMNS; i++) {
        stele_view column = view_of(columns[i].floats, m->vertex_count);
        if (t->count[columns[i].what])
            continue;
        bool unit = columns[i].what == NORMAL_NONFINITE && c->full && !t->count[NORMAL_TO_REPAIR];
        know_column(c, &column, unit ? FACT_FINITE | FACT_UNIT : FACT_FINITE);
        for (; columns[i].what == UV_NONFINITE && column.components > 2; column.components -= 2) {
            column.data = (const uint8_t *)column.data + 8;
            know_column(c, &(stele_view){column.data, column.count, column.stride, 2, STELE_F32, false}, FACT_FINITE);
        }
    }
    stele_view indices = {m->indices, m->index_count, stele_type_size(m->index_type), 1, m->index_type, false};
    if (!t->count[INDEX_BEYOND])
        st_know_below(c->facts, &indices, m->vertex_count);
}

void st_check_mesh(context *c, const mesh_view *m)
{
    mesh_tally sum = {0};
    job vertices = {.mesh = m, .full = c->full, .rows = m->vertex_count, .chunk = check_vertices};
    job indices = {.mesh = m, .full = c->full, .rows = m->index_count, .chunk = check_indices};
    if (m->unindexed) {
        indices.rows = m->vertex_count;
        indices.chunk = check_corners;
    }
    run_jobs(c, &vertices, &indices, &sum);
    remember(c, m, &sum);
    report_vertices(c, m, &sum);
    if (m->unindexed)
        report_corners(c, m, &sum);
    else
        report_indices(c, m, &sum);
    if (!c->full)
        return;
    if (m->index_count % 3)
        st_diag(c->diags, DIAG_INDEX_COUNT,
                st_check_place(c, st_check_offset(c, m->indices), 1, "%s%sindices", m->path, dot(m)),
                "are %llu, which is not a multiple of 3: the last %s not drawn", (unsigned long long)m->index_count,
                m->index_count % 3 == 1 ? "one is" : "two are");
    if (!m->vertex_count || (!m->index_count && !m->unindexed))
        st_diag(c->diags, DIAG_MESH_EMPTY,
                st_check_place(c, st_check_offset(c, m->unindexed ? m->position.data : m->indices), 1, "%s", m->path),
                "has no %s", m->vertex_count ? "indices" : "vertices");
    if (m->tangent.components && !m->uv.components)
        st_diag(c->diags, DIAG_TANGENT_WITHOUT_UV, st_check_place(c, st_check_offset(c, m->tangent.data), 1, "%s", m->path),
                "has tangents but no texture coordinates to which they could belong");
}

/* ---- Bounds ---- */

stele_bounds st_position_bounds(const vertex_floats *position, uint64_t vertex_count)
{
    stele_bounds b = {.min = {INFINITY, INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY, -INFINITY}};
    for (uint64_t v = 0; v < vertex_count; v++) {
        const uint8_t *p = row(position, v);
        if (st_scan_nonfinite(p, 3))
            continue;
        b.known = true;
        for (int i = 0; i < 3; i++) {
            float x = load_f32(p + 4 * i);
            b.min[i] = x < b.min[i] ? x : b.min[i];
            b.max[i] = x > b.max[i] ? x : b.max[i];
        }
    }
    return b.known ? b : (stele_bounds){0};
}

void st_bounds_add(stele_bounds *bounds, const stele_bounds *other)
{
    if (!other->known)
        return;
    if (!bounds->known)
        *bounds = *other;
    for (int i = 0; i < 3; i++) {
        bounds->min[i] = other->min[i] < bounds->min[i] ? other->min[i] : bounds->min[i];
        bounds->max[i] = other->max[i] > bounds->max[i] ? other->max[i] : bounds->max[i];
    }
}
