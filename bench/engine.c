/* The benchmark of what engines do: engine BIG_FILES SMALL_FILES SMALL_GLBS (make bench calls it by way of tools/bench.sh).
 *
 *     into buffers    open, model, vertices and indices into memory of ours | open, model and memcpy of as many bytes
 *     as it is        open, model, the file's own layout                    | map, scan every array, unmap
 *     quantised       vertices into 20 bytes: f32x3, i16x2, f16x2           | memcpy of the vertices
 *     small models    open, check, model, read in bulk                      | open, read and close of the same files
 *     beside cgltf    the same                                              | cgltf: parse, load, validate, unpack, as GLB
 *
 * As in bench.c: competitors take turns, numbers are medians, a goal that is missed is said and nothing fails. */
#define _XOPEN_SOURCE 700

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "race.h"
#include "stele.h"

enum { RUNS = 21, FOLDER_RUNS = 31 };

/* ---- Memory of ours ---- */

static void *vertices, *indices;
static size_t vertex_room, index_room;

static void *room(void *memory, size_t *have, size_t size)
{
    if (size <= *have)
        return memory;
    memory = realloc(memory, size);
    need(memory != NULL, "allocating");
    memset(memory, 1, size); /* so that no page is new */
    *have = size;
    return memory;
}

static void make_room(uint64_t vertex_bytes, uint64_t index_bytes)
{
    vertices = room(vertices, &vertex_room, (size_t)vertex_bytes);
    indices = room(indices, &index_room, (size_t)index_bytes);
}

/* ---- Large models ---- */

typedef struct full_vertex {
    float position[3], normal[3], uv[2];
} full_vertex;

static const stele_slot full[] = {STELE_SLOT(STELE_POSITION, 0, STELE_F32, 3, false, full_vertex, position),
                                  STELE_SLOT(STELE_NORMAL, 0, STELE_F32, 3, false, full_vertex, normal),
                                  STELE_SLOT(STELE_UV, 0, STELE_F32, 2, false, full_vertex, uv)};

typedef struct small_vertex {
    float position[3];
    int8_t normal[4];
    uint16_t uv[2];
} small_vertex;

static const stele_slot quantised[] = {STELE_SLOT(STELE_POSITION, 0, STELE_F32, 3, false, small_vertex, position),
                                       STELE_SLOT(STELE_NORMAL, 0, STELE_I8, 4, true, small_vertex, normal),
                                       STELE_SLOT(STELE_UV, 0, STELE_F16, 2, false, small_vertex, uv)};

typedef struct tiny_vertex {
    uint16_t position[4];
    int8_t normal[4];
    uint16_t uv[2];
} tiny_vertex;

static const stele_slot tiny[] = {STELE_SLOT(STELE_POSITION, 0, STELE_F16, 4, false, tiny_vertex, position),
                                  STELE_SLOT(STELE_NORMAL, 0, STELE_I8, 4, true, tiny_vertex, normal),
                                  STELE_SLOT(STELE_UV, 0, STELE_U16, 2, true, tiny_vertex, uv)};

typedef void (*each_primitive)(const stele_primitive *p);

static void with_model(const char *path, each_primitive each)
{
    stele_file *file = stele_open(path, NULL);
    const stele_model *model = stele_file_model(file);
    need(model != NULL, path);
    for (size_t m = 0; m < model->mesh_count; m++)
        for (size_t i = 0; i < model->meshes[m].primitive_count; i++)
            each(&model->meshes[m].primitives[i]);
    stele_close(file);
}

static void read_both(const stele_primitive *p)
{
    need(stele_read_vertices(p, full, 3, vertices, vertex_room) == STELE_OK, "stele_read_vertices");
    need(stele_read_indices(p, 0, STELE_U32, indices, index_room) == STELE_OK, "stele_read_indices");
}

/* As many bytes from where they are. */
static void copy_both(const stele_primitive *p)
{
    memcpy(vertices, stele_primitive_view(p, STELE_POSITION, 0)->data, p->vertex_count * sizeof(full_vertex));
    memcpy(indices, p->indices.data, p->indices.count * 4);
}

static void run_read(const void *big)
{
    with_model(((const big_file *)big)->path, read_both);
}

static void run_copy(const void *big)
{
    with_model(((const big_file *)big)->path, copy_both);
}

static void take_layout(const stele_primitive *p)
{
    stele_slot slots[STELE_MOST_SLOTS];
    size_t count, size;
    need(stele_own_layout(p, slots, &count, &size) && size >= p->vertex_count * 12, "stele_own_layout");
}

static void run_own(const void *big)
{
    with_model(((const big_file *)big)->path, take_layout);
}

static void make_room_for(const stele_primitive *p)
{
    make_room(p->vertex_count * sizeof(full_vertex), stele_index_count(p) * 4);
}

static void bench_big(const char *folder_path, const char *name)
{
    char path[512], title[64];
    double ours, theirs;
    snprintf(path, sizeof path, "%s/%s", folder_path, name);
    big_file big = find_bulk(path);
    with_model(path, make_room_for);
    race(RUNS, (contender){run_read, &big, NULL}, (contender){run_copy, &big, NULL}, &ours, &theirs);
    snprintf(title, sizeof title, "into buffers, %s", name);
    print_row(title, milliseconds("", ours, big.size), milliseconds("validation + memcpy ", theirs, big.size),
              number("%.2f", ours / theirs), plain("<= 1.2"), verdict(ours <= 1.2 * theirs));
    race(RUNS, (contender){run_own, &big, NULL}, (contender){open_floor, &big, NULL}, &ours, &theirs);
    snprintf(title, sizeof title, "as it is, %s", name);
    print_row(title, milliseconds("", ours, big.size), milliseconds("map and scan ", theirs, big.size),
              number("%.2f", ours / theirs), plain("<= 1.5"), verdict(ours <= 1.5 * theirs));
}

/* ---- Quantising ---- */

static const stele_primitive *primitive;

typedef struct layout {
    const stele_slot *slots;
    const char *name;
} layout;

static void run_quantise(const void *what)
{
    need(stele_read_vertices(primitive, ((const layout *)what)->slots, 3, vertices, vertex_room) == STELE_OK, "quantising");
}

static void run_memcpy(const void *what)
{
    (void)what;
    memcpy(vertices, stele_primitive_view(primitive, STELE_POSITION, 0)->data, primitive->vertex_count * sizeof(full_vertex));
}

static void bench_quantising(const char *folder_path)
{
    static const layout layouts[] = {
        {full, "f32x3 f32x3 f32x2"}, {quantised, "f32x3 i8x4n f16x2"}, {tiny, "f16x4 i8x4n u16x2n"}};
    char path[512], title[64];
    double ours, theirs;
    snprintf(path, sizeof path, "%s/big.sgm", folder_path);
    stele_file *file = stele_open(path, NULL);
    const stele_model *model = stele_file_model(file);
    need(model != NULL, path);
    primitive = &model->meshes[0].primitives[0];
    uint64_t bytes = primitive->vertex_count * sizeof(full_vertex);
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        race(RUNS, (contender){run_quantise, &layouts[i], NULL}, (contender){run_memcpy, NULL, NULL}, &ours, &theirs);
        snprintf(title, sizeof title, "vertices as %s", layouts[i].name);
        print_row(title, milliseconds("", ours, bytes), milliseconds("memcpy ", theirs, bytes), number("%.2f", ours / theirs),
                  plain("<= 2"), verdict(ours <= 2 * theirs));
    }
    stele_close(file);
}

/* ---- Small models ---- */

static void read_small(const stele_primitive *p)
{
    uint64_t count = stele_index_count(p);
    if (p->vertex_count * sizeof(full_vertex) <= vertex_room && count * 4 <= index_room)
        read_both(p);
}

/* An .sga comes with its .sgm. */
static bool is_companion(const char *path)
{
    return strcmp(path + strlen(path) - 4, ".sga") == 0;
}

static size_t model_count(void)
{
    size_t count = 0;
    for (size_t i = 0; i < folder.count; i++)
        count += !is_companion(folder.paths[i]);
    return count;
}

static void load_one(const char *path)
{
    stele_file *file = stele_open(path, NULL);
    const stele_model *model = stele_file_model(file);
    for (size_t m = 0; model && m < model->mesh_count; m++)
        for (size_t k = 0; k < model->meshes[m].primitive_count; k++)
            read_small(&model->meshes[m].primitives[k]);
    stele_close(file);
}

static void load_all(const void *what)
{
    (void)what;
    for (size_t i = 0; i < folder.count; i++)
        if (!is_companion(folder.paths[i]))
            load_one(folder.paths[i]);
}

static void bench_small(const char *path)
{
    double ours, theirs, files;
    char title[64];
    find_models(path);
    files = (double)model_count();
    race(FOLDER_RUNS, (contender){load_all, NULL, NULL}, (contender){read_all, NULL, NULL}, &ours, &theirs);
    snprintf(title, sizeof title, "model and buffers, %zu small", model_count());
    print_row(title, rate("", files / ours), rate("open, read, close ", files / theirs), number("%.2f", theirs / ours),
              plain(">= 0.5"), verdict(theirs >= 0.5 * ours));
}

/* ---- Beside cgltf ---- */

#ifdef WITH_CGLTF
#define CGLTF_IMPLEMENTATION
#include <cgltf.h>

/* The same numbers into the same buffers; its indices one by one, as its users do. */
static void unpack(const cgltf_primitive *p)
{
    float *out = vertices;
    uint32_t *to = indices;
    for (size_t i = 0; i < p->attributes_count; i++) {
        const cgltf_attribute *a = &p->attributes[i];
        size_t floats = cgltf_num_components(a->data->type) * a->data->count;
        bool wanted = a->index == 0 && (a->type == cgltf_attribute_type_position || a->type == cgltf_attribute_type_normal ||
                                        a->type == cgltf_attribute_type_texcoord);
        if (wanted && (size_t)(out - (float *)vertices) + floats <= vertex_room / 4)
            out += cgltf_accessor_unpack_floats(a->data, out, floats);
    }
    for (size_t i = 0; p->indices && i < p->indices->count && i < index_room / 4; i++)
        to[i] = (uint32_t)cgltf_accessor_read_index(p->indices, i);
}

static void unpack_one(const char *path)
{
    const cgltf_options options = {0};
    cgltf_data *data = NULL;
    need(cgltf_parse_file(&options, path, &data) == cgltf_result_success, path);
    need(cgltf_load_buffers(&options, data, path) == cgltf_result_success && cgltf_validate(data) == cgltf_result_success,
         path);
    for (size_t m = 0; m < data->meshes_count; m++)
        for (size_t k = 0; k < data->meshes[m].primitives_count; k++)
            unpack(&data->meshes[m].primitives[k]);
    cgltf_free(data);
}

static struct folder glbs;

static void unpack_all(const void *what)
{
    (void)what;
    for (size_t i = 0; i < glbs.count; i++)
        unpack_one(glbs.paths[i]);
}

static void load_glbs(const void *what)
{
    (void)what;
    for (size_t i = 0; i < glbs.count; i++)
        load_one(glbs.paths[i]);
}

static void print_beside(const char *what, void (*run)(const void *))
{
    double ours, theirs, files = (double)glbs.count;
    race(FOLDER_RUNS, (contender){run, NULL, NULL}, (contender){unpack_all, NULL, NULL}, &ours, &theirs);
    print_row(what, rate("", files / ours), rate("cgltf, of GLB ", files / theirs), number("%.2f", theirs / ours), plain("> 1"),
              verdict(theirs > ours));
}

/* Of all models there is a GLB. */
static void bench_cgltf(const char *path)
{
    struct folder natives = folder;
    folder = (struct folder){.count = 0};
    find_models(path);
    glbs = folder;
    folder = natives;
    need(glbs.count == model_count(), "making the same models as GLB");
    print_beside("the same, as they are", load_all);
    print_beside("the same, as GLB", load_glbs);
}
#else
static void bench_cgltf(const char *path)
{
    (void)path;
}
#endif

int main(int argc, char **argv)
{
    need(argc == 4, "engine BIG_FILES SMALL_FILES SMALL_GLBS: the arguments");
    bench_big(argv[1], "big.sgm");
    bench_big(argv[1], "big.mesh");
    bench_big(argv[1], "big.sff");
    bench_quantising(argv[1]);
    bench_small(argv[2]);
    bench_cgltf(argv[3]);
    return 0;
}
