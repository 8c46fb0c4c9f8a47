/* One driver for all formats: STELE_FORMAT in the environment says which; without it the bytes do. Properties: whatever is
 * accepted is written back identically; the explanation covers every byte exactly once; memory stays within a multiple of the
 * input; a model refers to nothing that is not there, can be evaluated and saved in other formats; what was saved is sound, and
 * can be compared and drawn; nothing crashes.
 *
 *     make fuzz FUZZ_SECONDS=600        or        STELE_FORMAT=sgm build/asan/fuzz/fuzz_format samples/dialects
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stele.h"

typedef struct buffer {
    const uint8_t *expected; /* NULL: only count */
    size_t size, expected_size;
} buffer;

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "property violated: %s\n", what);
    abort();
}

static bool compare_bytes(void *user, const void *data, size_t size)
{
    buffer *b = user;
    if (b->expected) {
        require(size <= b->expected_size - b->size, "the rewritten file is longer");
        require(memcmp(b->expected + b->size, data, size) == 0, "the rewritten file differs");
    }
    b->size += size;
    return true;
}

static bool follow(void *user, const stele_field *field)
{
    uint64_t *at = user;
    double min, max;
    if (field->unpacked)
        return true; /* covers what was unpacked, not the file */
    require(field->offset == *at, "the explanation has a hole or an overlap");
    *at += field->size;
    for (size_t i = 0; i < field->column_count; i++)
        stele_field_range(field, i, 0, &min, &max);
    return true;
}

typedef struct input {
    const uint8_t *data;
    size_t size;
} input;

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), needed = strlen(end);
    return length > needed && strcmp(name + length - needed, end) == 0;
}

/* A companion for every name, so that checks across files run too: a skeleton of one bone, for a .bin some numbers, and for an
 * .mtl the file itself, whose lines may be of either kind. */
static bool find_companion(void *user, const char *name, const void **data, size_t *size)
{
    static const uint16_t numbers[512] = {0, 1, 2, 3, 2, 1, 0, 0x3F80, 0, 0x3F00, 0, 0xBF80};
    static const uint8_t skeleton[] = {0x5A, 0x4E, 0xDA, 0x16, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0,
                                       0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0};
    input found = {skeleton, sizeof skeleton};
    if (ends_with(name, ".bin"))
        found = (input){(const uint8_t *)numbers, sizeof numbers};
    else if (ends_with(name, ".mtl"))
        found = *(const input *)user;
    if (data) {
        *data = found.data;
        *size = found.size;
    }
    return true;
}

static void rewrite_in_every_dialect(stele_file *file)
{
    const stele_format_info *format = NULL;
    for (size_t i = 0; (format = stele_format_at(i)) && strcmp(format->name, stele_file_format(file)) != 0; i++) {
    }
    for (size_t i = 0; format && i < format->dialect_count; i++) {
        stele_save_options options = {.dialect = format->dialects[i].name};
        buffer b = {0};
        stele_file_write(file, compare_bytes, &b, &options);
    }
}

/* ---- The model ---- */

enum { MOST_VERTICES = 1 << 16, MOST_PRIMITIVES = 64, MOST_CLIPS = 4 };

static void require_indices(const stele_view *indices, uint64_t limit)
{
    for (uint64_t i = 0; i < indices->count; i++)
        require(stele_view_number(indices, i, 0) < (double)limit, "an index leaves its vertices");
}

/* Reads every number of the vertices, so that a sanitizer sees a view that leaves its bytes. */
static double read_view(const stele_view *view)
{
    double sum = 0;
    for (uint64_t i = 0; i < view->count; i++)
        for (uint32_t k = 0; k < view->components; k++)
            sum += stele_view_number(view, i, k);
    return sum;
}

static void read_primitive(const stele_primitive *p)
{
    require_indices(&p->indices, p->vertex_count);
    for (size_t i = 0; i < p->attribute_count; i++) {
        require(p->attributes[i].view.count == p->vertex_count, "an attribute has too few rows");
        read_view(&p->attributes[i].view);
    }
    for (size_t i = 0; i < p->morph_count; i++) {
        const stele_morph *m = &p->morphs[i];
        uint64_t rows = m->vertices.count ? m->vertices.count : p->vertex_count;
        require_indices(&m->vertices, p->vertex_count);
        require(!m->position.count || m->position.count == rows, "a morph has too few rows");
        require(!m->normal.count || m->normal.count == rows, "a morph has too few rows");
        read_view(&m->position);
        read_view(&m->normal);
    }
}

static volatile uint8_t seen; /* so that the compiler cannot leave the reading out */

/* Into an engine's vertices: the size is what the slots say, so that a sanitizer sees what goes beyond. */
static void read_for_engine(const stele_primitive *p)
{
    static const stele_slot slots[] = {
        {.semantic = STELE_POSITION, .type = STELE_F32, .components = 3, .stride = 36},
        {.semantic = STELE_NORMAL, .type = STELE_I8, .components = 4, .normalized = true, .stride = 36, .offset = 12},
        {.semantic = STELE_UV, .type = STELE_F16, .components = 2, .stride = 36, .offset = 16},
        {.semantic = STELE_JOINTS, .type = STELE_U8, .components = 4, .stride = 36, .offset = 24},
        {.semantic = STELE_WEIGHTS, .type = STELE_U8, .components = 4, .normalized = true, .stride = 36, .offset = 28}};
    uint64_t indices = stele_index_count(p);
    if (!p->vertex_count || p->vertex_count > MOST_VERTICES || indices > 10 * MOST_VERTICES)
        return;
    size_t size = 36 * (size_t)p->vertex_count - 4;
    void *vertices = malloc(size), *numbers = malloc(4 * (size_t)indices);
    if (vertices && numbers) {
        require(stele_read_vertices(p, slots, 5, vertices, size) != STELE_USAGE, "vertices that cannot be read");
        require(stele_read_indices(p, 0, STELE_U32, numbers, 4 * (size_t)indices) == STELE_OK, "indices that cannot be read");
    }
    free(vertices);
    free(numbers);
    stele_slot own[STELE_MOST_SLOTS];
    size_t count, bytes;
    const uint8_t *layout = stele_own_layout(p, own, &count, &bytes);
    for (size_t i = 0; layout && i < bytes; i++)
        seen ^= layout[i];
}

static void evaluate_at(const stele_model *m, uint32_t clip, double seconds, double (*matrices)[16])
{
    unsigned left = MOST_PRIMITIVES;
    require(stele_evaluate_nodes(m, clip, seconds, matrices, m->node_count), "the nodes cannot be evaluated");
    for (uint32_t node = 0; node < m->node_count; node++) {
        const stele_mesh *mesh = m->nodes[node].mesh == STELE_NONE ? NULL : &m->meshes[m->nodes[node].mesh];
        for (uint32_t i = 0; mesh && i < mesh->primitive_count && left; i++, left--) {
            uint64_t count = mesh->primitives[i].vertex_count;
            float *vertices = count <= MOST_VERTICES ? malloc(24 * (size_t)count + 1) : NULL;
            if (vertices)
                stele_evaluate_vertices(m, node, i, clip, seconds, (const double(*)[16])matrices, m->node_count, vertices,
                                        vertices + 3 * count, count);
            free(vertices);
        }
    }
}

static void evaluate(const stele_model *m)
{
    double(*matrices)[16] = malloc(sizeof *matrices * (m->node_count + 1));
    unsigned left = MOST_PRIMITIVES;
    for (size_t i = 0; i < m->mesh_count; i++)
        for (size_t k = 0; k < m->meshes[i].primitive_count && left; k++, left--) {
            read_primitive(&m->meshes[i].primitives[k]);
            read_for_engine(&m->meshes[i].primitives[k]);
        }
    evaluate_at(m, STELE_NONE, 0, matrices);
    for (uint32_t clip = 0; clip < m->clip_count && clip < MOST_CLIPS; clip++)
        evaluate_at(m, clip, 0.37 * m->clips[clip].duration, matrices);
    free(matrices);
}

static bool beyond_limits(stele_status status)
{
    return status == STELE_NO_MEMORY || status == STELE_TOO_MUCH_WORK;
}

/* As a thumbnailer would, with everything that can be shown. */
static void draw(stele_file *file, const stele_model *model, size_t seed)
{
    enum { SIDE = 24 };
    static uint8_t pixels[4 * SIDE * SIDE];
    stele_picture picture = {SIDE, SIDE, pixels};
    stele_render_options options = {.overlays = (unsigned)(seed % 128), .posed = model->clip_count > 0, .seconds = 0.3};
    stele_status status = stele_render(file, &picture, &options);
    require(status == STELE_OK || beyond_limits(status), "a model that cannot be drawn");
}

/* ---- Its own output ---- */

typedef struct output {
    uint8_t *data;
    size_t size, room;
} output;

static bool append_bytes(void *user, const void *data, size_t size)
{
    output *o = user;
    if (size > o->room - o->size) {
        o->room = 2 * o->room + size;
        o->data = realloc(o->data, o->room);
        require(o->data, "there is no memory for the output");
    }
    memcpy(o->data + o->size, data, size);
    o->size += size;
    return true;
}

static void ignore_difference(void *user, const stele_difference *difference)
{
    (void)user;
    (void)difference;
}

/* What was written is sound, and can be had as a model, compared with what it was made of, and drawn. */
static void use_output(stele_file *file, const output *o, const char *format, size_t seed)
{
    stele_options options = {.format = format, .memory_limit = 1 << 28, .lookup = find_companion, .separate_allocations = true};
    input again = {o->data, o->size};
    options.lookup_user = &again;
    stele_file *written = stele_open_memory(o->data, o->size, &options);
    stele_status status = stele_file_status(written);
    require(status == STELE_OK || beyond_limits(status), "what was written has errors");
    const stele_model *model = stele_file_model(written);
    require(model || beyond_limits(stele_file_status(written)), "what was written has no model");
    if (model) {
        stele_diff(file, written, 1e-3, ignore_difference, NULL);
        draw(written, model, seed);
    }
    stele_close(written);
}

/* It is the same, or stays what it was. */
static void optimize(stele_file *file, size_t seed)
{
    stele_optimize_options options = {.tolerance = seed % 3 ? 0 : 1e-3,
                                      .simplify = seed % 5 ? 0 : 0.5,
                                      .max_error = seed % 7 ? 0 : 1,
                                      .prune = seed % 2,
                                      .whole_rows = seed % 4 < 2};
    stele_status status = stele_optimize(file, &options, NULL);
    require(status == STELE_OK || status == STELE_DIFFERENT || beyond_limits(status), "a model that cannot be optimised");
    require(stele_file_model(file) || beyond_limits(stele_file_status(file)), "no model is left of it");
}

static void use_model(stele_file *file, size_t seed)
{
    const stele_model *model = stele_file_model(file);
    size_t formats = 0;
    if (!model)
        return;
    evaluate(model);
    while (stele_format_at(formats))
        formats++;
    stele_save_options options = {.format = stele_format_at(seed % formats)->name};
    output o = {0};
    if (stele_file_write(file, append_bytes, &o, &options) == STELE_OK)
        use_output(file, &o, options.format, seed);
    free(o.data);
    optimize(file, seed);
    model = stele_file_model(file);
    if (model)
        draw(file, model, seed);
}

/* With the checks of an engine, if the format has them. */
static stele_file *open_for(const uint8_t *data, size_t size, stele_options *options)
{
    stele_file *file = stele_open_memory(data, size, options);
    if (stele_file_status(file) != STELE_USAGE)
        return file;
    stele_close(file);
    options->target = NULL;
    return stele_open_memory(data, size, options);
}

/* Units; what conversions and pictures take is limited by the library, and by the timeout of the fuzzer. */
static uint64_t work_of_opening(size_t size)
{
    return 1000000 + 2000 * (uint64_t)size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stele_options options = {.format = getenv("STELE_FORMAT"),
                             .check = STELE_CHECK_FULL,
                             .target = "rayne",
                             .memory_limit = (1 << 20) + 300 * (uint64_t)size, /* LZ4 unpacks to 255 times */
                             .lookup = find_companion,
                             .lookup_user = &(input){data, size},
                             .separate_allocations = true};
    stele_file *file = open_for(data, size, &options);
    buffer b = {.expected = data, .expected_size = size};
    uint64_t explained = 0;
    require(stele_file_status(file) != STELE_USAGE, "STELE_FORMAT is no format");
    require(stele_file_status(file) != STELE_NO_MEMORY, "a small multiple of the file's size is not enough memory");
    require(stele_file_work(file) <= work_of_opening(size), "opening is not in proportion to the file's size");
    if (stele_file_dialect(file)) {
        require(stele_file_explain(file, follow, &explained) != STELE_CANCELLED, "the explanation stopped");
        require(explained == size, "the explanation does not cover the file");
        stele_file_info(file);
        if (stele_file_write(file, compare_bytes, &b, NULL) == STELE_OK) {
            require(b.size == size, "the rewritten file is shorter");
            rewrite_in_every_dialect(file);
        }
        use_model(file, size);
    }
    stele_close(file);
    return 0;
}
