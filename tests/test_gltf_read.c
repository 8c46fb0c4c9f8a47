/* Reading glTF 2.0: a hand-written file for each feature with the values that it must give, and for each thing that can be
 * wrong one with its id, its JSON pointer and its status. In the texts ' stands for ". */
#include <math.h>

#include "support.h"

/* ---- Files from texts ---- */

typedef struct source_text {
    char json[1 << 16];
    const void *bin; /* served as b.bin and "sub folder/b.bin" */
    size_t bin_size;
} source_text;

static source_text current;

static bool serve(void *user, const char *name, const void **data, size_t *size)
{
    const source_text *s = user;
    bool known =
        s->bin && (strcmp(name, "b.bin") == 0 || strcmp(name, "sub folder/b.bin") == 0 || strcmp(name, "../b.bin") == 0);
    if (strcmp(name, "there.png") == 0)
        return true;
    if (known && data) {
        *data = s->bin;
        *size = s->bin_size;
    }
    return known;
}

static stele_options options_of(source_text *s)
{
    return (stele_options){.name = "test.gltf", .lookup = serve, .lookup_user = s, .separate_allocations = true};
}

static void set_text(const char *text)
{
    size_t size = strlen(text);
    assert_true(size < sizeof current.json);
    memcpy(current.json, text, size + 1);
    for (char *c = current.json; *c; c++)
        if (*c == '\'')
            *c = '"';
}

static stele_file *open_checked(const char *text, const void *bin, size_t bin_size, stele_check_level level)
{
    set_text(text);
    current.bin = bin;
    current.bin_size = bin_size;
    stele_options options = options_of(&current);
    options.check = level;
    return stele_open_memory(current.json, strlen(current.json), &options);
}

static stele_file *open_text(const char *text, const void *bin, size_t bin_size)
{
    return open_checked(text, bin, bin_size, STELE_CHECK_SAFE);
}

/* Opens a text that must be good, and gives its model. */
static const stele_model *model_of(stele_file *file)
{
    const stele_model *model = stele_file_model(file);
    if (stele_file_status(file) != STELE_OK || !model)
        fail_msg("status %d: %s", stele_file_status(file), stele_file_message(file));
    return model;
}

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-6 * (1 + fabs(b))))
        fail_msg("%.9g is not %.9g", a, b);
}

static void assert_view(const stele_view *v, uint64_t rows, uint32_t components, const double *numbers)
{
    assert_non_null(v);
    assert_int_equal(v->count, rows);
    assert_int_equal(v->components, components);
    for (uint64_t i = 0; i < rows; i++)
        for (uint32_t k = 0; k < components; k++)
            assert_near(stele_view_number(v, i, k), numbers[i * components + k]);
}

#define NUMBERS(...) ((const double[]){__VA_ARGS__})

static const stele_view *attribute(const stele_model *m, stele_semantic semantic, uint32_t set)
{
    return stele_primitive_view(&m->meshes[0].primitives[0], semantic, set);
}

#define ASSET "'asset':{'version':'2.0'}"
#define ONE_MESH "'scene':0,'scenes':[{'nodes':[0]}],'nodes':[{'mesh':0}]"
#define BUFFER(size) "'buffers':[{'uri':'b.bin','byteLength':" size "}]"

/* ---- Positions and indices ---- */

/* A triangle, and its corners turned around in three types of indices. */
static const struct {
    float position[9];
    uint8_t bytes[4];
    uint16_t shorts[4];
    uint32_t words[3];
} triangle = {{0, 0, 0, 1, 0, 0, 0, 1, 0}, {2, 1, 0, 0}, {1, 2, 0, 0}, {0, 2, 1}};

#define TRIANGLE(primitive)                                                                                                    \
    "{" ASSET "," ONE_MESH                                                                                                     \
    "," BUFFER("60") ",'bufferViews':[{'buffer':0,'byteLength':36},"                                                           \
                     "{'buffer':0,'byteOffset':36,'byteLength':4},{'buffer':0,'byteOffset':40,'byteLength':8},"                \
                     "{'buffer':0,'byteOffset':48,'byteLength':12}],'accessors':["                                             \
                     "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','min':[0,0,0],'max':[1,1,0]},"              \
                     "{'bufferView':1,'componentType':5121,'count':3,'type':'SCALAR'},"                                        \
                     "{'bufferView':2,'componentType':5123,'count':3,'type':'SCALAR'},"                                        \
                     "{'bufferView':3,'componentType':5125,'count':3,'type':'SCALAR'}],"                                       \
                     "'meshes':[{'primitives':[" primitive "]}]}"

static void indices_of_every_type(void **state)
{
    static const struct {
        const char *text;
        stele_type type;
        double corners[3];
    } cases[] = {
        {TRIANGLE("{'attributes':{'POSITION':0},'indices':1}"), STELE_U8, {2, 1, 0}},
        {TRIANGLE("{'attributes':{'POSITION':0},'indices':2}"), STELE_U16, {1, 2, 0}},
        {TRIANGLE("{'attributes':{'POSITION':0},'indices':3,'mode':4}"), STELE_U32, {0, 2, 1}},
    };
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        stele_file *file = open_text(cases[i].text, &triangle, sizeof triangle);
        const stele_model *m = model_of(file);
        const stele_primitive *p = &m->meshes[0].primitives[0];
        assert_int_equal(p->topology, STELE_TRIANGLES);
        assert_int_equal(p->vertex_count, 3);
        assert_int_equal(p->indices.type, cases[i].type);
        assert_view(&p->indices, 3, 1, cases[i].corners);
        assert_view(attribute(m, STELE_POSITION, 0), 3, 3, NUMBERS(0, 0, 0, 1, 0, 0, 0, 1, 0));
        assert_ptr_equal(attribute(m, STELE_POSITION, 0)->data, triangle.position); /* borrowed */
        assert_int_equal(p->material, STELE_NONE);
        stele_close(file);
    }
}

static void unindexed(void **state)
{
    (void)state;
    stele_file *file = open_text(TRIANGLE("{'attributes':{'POSITION':0}}"), &triangle, sizeof triangle);
    const stele_primitive *p = &model_of(file)->meshes[0].primitives[0];
    assert_int_equal(p->indices.count, 0);
    assert_int_equal(p->vertex_count, 3);
    stele_close(file);
}

/* Five points in a row, taken in every mode, with and without indices (4 3 2 1 0). */
static const struct {
    float position[15];
    uint16_t back[5];
} row = {{0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0}, {4, 3, 2, 1, 0}};

#define ROW(primitive)                                                                                                         \
    "{" ASSET "," ONE_MESH                                                                                                     \
    "," BUFFER("70") ",'bufferViews':[{'buffer':0,'byteLength':60},"                                                           \
                     "{'buffer':0,'byteOffset':60,'byteLength':10}],'accessors':["                                             \
                     "{'bufferView':0,'componentType':5126,'count':5,'type':'VEC3'},"                                          \
                     "{'bufferView':1,'componentType':5123,'count':5,'type':'SCALAR'},"                                        \
                     "{'bufferView':1,'componentType':5123,'count':2,'type':'SCALAR'}],'meshes':[{'primitives':[" primitive    \
                     "]}]}"

static void every_topology(void **state)
{
    static const struct {
        const char *text;
        stele_topology topology;
        uint64_t corners;
        double vertices[12];
    } cases[] = {
        {ROW("{'attributes':{'POSITION':0},'mode':0}"), STELE_POINTS, 0, {0}},
        {ROW("{'attributes':{'POSITION':0},'indices':1,'mode':0}"), STELE_POINTS, 5, {4, 3, 2, 1, 0}},
        {ROW("{'attributes':{'POSITION':0},'mode':1}"), STELE_LINES, 4, {0, 1, 2, 3}},
        {ROW("{'attributes':{'POSITION':0},'indices':1,'mode':1}"), STELE_LINES, 4, {4, 3, 2, 1}},
        {ROW("{'attributes':{'POSITION':0},'mode':2}"), STELE_LINES, 10, {0, 1, 1, 2, 2, 3, 3, 4, 4, 0}},
        {ROW("{'attributes':{'POSITION':0},'indices':1,'mode':2}"), STELE_LINES, 10, {4, 3, 3, 2, 2, 1, 1, 0, 0, 4}},
        {ROW("{'attributes':{'POSITION':0},'mode':3}"), STELE_LINES, 8, {0, 1, 1, 2, 2, 3, 3, 4}},
        {ROW("{'attributes':{'POSITION':0},'indices':1,'mode':3}"), STELE_LINES, 8, {4, 3, 3, 2, 2, 1, 1, 0}},
        {ROW("{'attributes':{'POSITION':0},'mode':4}"), STELE_TRIANGLES, 3, {0, 1, 2}},
        {ROW("{'attributes':{'POSITION':0},'indices':1,'mode':4}"), STELE_TRIANGLES, 3, {4, 3, 2}},
        {ROW("{'attributes':{'POSITION':0},'mode':5}"), STELE_TRIANGLES, 9, {0, 1, 2, 1, 3, 2, 2, 3, 4}},
        {ROW("{'attributes':{'POSITION':0},'indices':1,'mode':5}"), STELE_TRIANGLES, 9, {4, 3, 2, 3, 1, 2, 2, 1, 0}},
        {ROW("{'attributes':{'POSITION':0},'mode':6}"), STELE_TRIANGLES, 9, {1, 2, 0, 2, 3, 0, 3, 4, 0}},
        {ROW("{'attributes':{'POSITION':0},'indices':1,'mode':6}"), STELE_TRIANGLES, 9, {3, 2, 4, 2, 1, 4, 1, 0, 4}},
        /* too few for a triangle: drawn as one without extent, not as all vertices */
        {ROW("{'attributes':{'POSITION':0},'indices':2,'mode':5}"), STELE_TRIANGLES, 3, {0, 0, 0}},
        {ROW("{'attributes':{'POSITION':0},'indices':2,'mode':4}"), STELE_TRIANGLES, 3, {0, 0, 0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stele_file *file = open_text(cases[i].text, &row, sizeof row);
        const stele_primitive *p = &model_of(file)->meshes[0].primitives[0];
        assert_int_equal(p->topology, cases[i].topology);
        if (cases[i].corners)
            assert_view(&p->indices, cases[i].corners, 1, cases[i].vertices);
        else
            assert_int_equal(p->indices.count, 0);
        stele_close(file);
    }
}

/* ---- Layouts ---- */

static void interleaved(void **state)
{
    static const struct {
        float position[3], normal[3], uv[2];
    } vertices[3] = {{{0, 0, 0}, {0, 0, 1}, {0, 1}}, {{1, 0, 0}, {0, 1, 0}, {.5f, 1}}, {{0, 1, 0}, {1, 0, 0}, {0, .25f}}};
    static const char text[] =
        "{" ASSET "," ONE_MESH
        "," BUFFER("96") ",'bufferViews':[{'buffer':0,'byteLength':96,'byteStride':32}],"
                         "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
                         "{'bufferView':0,'byteOffset':12,'componentType':5126,'count':3,'type':'VEC3'},"
                         "{'bufferView':0,'byteOffset':24,'componentType':5126,'count':3,'type':'VEC2'}],"
                         "'meshes':[{'primitives':[{'attributes':{'TEXCOORD_0':2,'NORMAL':1,'POSITION':0}}]}]}";
    (void)state;
    stele_file *file = open_text(text, vertices, sizeof vertices);
    const stele_model *m = model_of(file);
    assert_view(attribute(m, STELE_POSITION, 0), 3, 3, NUMBERS(0, 0, 0, 1, 0, 0, 0, 1, 0));
    assert_view(attribute(m, STELE_NORMAL, 0), 3, 3, NUMBERS(0, 0, 1, 0, 1, 0, 1, 0, 0));
    assert_view(attribute(m, STELE_UV, 0), 3, 2, NUMBERS(0, 1, .5, 1, 0, .25));
    assert_int_equal(attribute(m, STELE_UV, 0)->stride, 32);
    assert_ptr_equal(attribute(m, STELE_UV, 0)->data, &vertices[0].uv);
    stele_close(file);
}

/* Integers: a position of KHR_mesh_quantization, and uvs, colours and weights that are normalised. */
static void integers(void **state)
{
    static const struct {
        int16_t position[4];
        int8_t normal[4];
        uint16_t uv[2];
        uint8_t color[4], joints[4], weights[4];
    } vertices[3] = {{{-5, 7, 1000, 0}, {0, 0, 127, 0}, {0, 65535}, {255, 0, 51, 255}, {0}, {255, 0, 0, 0}},
                     {{0, 0, 0, 0}, {0, -128, 0, 0}, {13107, 0}, {0, 0, 0, 0}, {0}, {51, 204, 0, 0}},
                     {{1, 2, 3, 0}, {127, 0, 0, 0}, {0, 0}, {1, 2, 3, 4}, {0}, {255, 0, 0, 0}}};
    static const char text[] =
        "{" ASSET "," ONE_MESH
        ",'extensionsUsed':['KHR_mesh_quantization'],'extensionsRequired':['KHR_mesh_quantization']," BUFFER(
            "84") ",'bufferViews':[{'buffer':0,'byteLength':84,'byteStride':28}],"
                  "'accessors':[{'bufferView':0,'componentType':5122,'count':3,'type':'VEC3'},"
                  "{'bufferView':0,'byteOffset':8,'componentType':5120,'count':3,'type':'VEC3','normalized':true},"
                  "{'bufferView':0,'byteOffset':12,'componentType':5123,'count':3,'type':'VEC2','normalized':true},"
                  "{'bufferView':0,'byteOffset':16,'componentType':5121,'count':3,'type':'VEC4','normalized':true},"
                  "{'bufferView':0,'byteOffset':20,'componentType':5121,'count':3,'type':'VEC4'},"
                  "{'bufferView':0,'byteOffset':24,'componentType':5121,'count':3,'type':'VEC4'}],"
                  "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'NORMAL':1,'TEXCOORD_0':2,'COLOR_0':3,'JOINTS_0':4,"
                  "'WEIGHTS_0':5}}]}]}";
    (void)state;
    stele_file *file = open_text(text, vertices, sizeof vertices);
    const stele_model *m = model_of(file);
    assert_view(attribute(m, STELE_POSITION, 0), 3, 3, NUMBERS(-5, 7, 1000, 0, 0, 0, 1, 2, 3));
    assert_view(attribute(m, STELE_NORMAL, 0), 3, 3, NUMBERS(0, 0, 1, 0, -1, 0, 1, 0, 0));
    assert_view(attribute(m, STELE_UV, 0), 3, 2, NUMBERS(0, 1, .2, 0, 0, 0));
    assert_view(attribute(m, STELE_COLOR, 0), 3, 4, NUMBERS(1, 0, .2, 1, 0, 0, 0, 0, 1 / 255., 2 / 255., 3 / 255., 4 / 255.));
    assert_view(attribute(m, STELE_WEIGHTS, 0), 3, 4, NUMBERS(1, 0, 0, 0, .2, .8, 0, 0, 1, 0, 0, 0));
    assert_int_equal(attribute(m, STELE_POSITION, 0)->type, STELE_I16); /* as in the file */
    /* the weights do not say that they are normalised: taken so, and said */
    assert_string_equal(find_diagnostic(file, "nonstandard-layout")->path, "/meshes/0/primitives/0/attributes/WEIGHTS_0");
    stele_close(file);
}

static const struct {
    float position[12];
    uint16_t index[2];
    float value[6];
    float other[3];
    uint8_t other_index[4];
} sparse_data = {{0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, {1, 3}, {9, 8, 7, 6, 5, 4}, {1, 2, 3}, {2, 0, 0, 0}};

#define SPARSE(accessors, mesh)                                                                                                \
    "{" ASSET "," ONE_MESH                                                                                                     \
    "," BUFFER("92") ",'bufferViews':[{'buffer':0,'byteLength':48},"                                                           \
                     "{'buffer':0,'byteOffset':48,'byteLength':4},{'buffer':0,'byteOffset':52,'byteLength':24},"               \
                     "{'buffer':0,'byteOffset':76,'byteLength':12},{'buffer':0,'byteOffset':88,'byteLength':1}],"              \
                     "'accessors':[" accessors "],'meshes':[" mesh "]}"
#define FOUR_PLACES "{'bufferView':0,'componentType':5126,'count':4,'type':'VEC3'}"
#define TWO_SPARSE                                                                                                             \
    "'componentType':5126,'count':4,'type':'VEC3','sparse':{'count':2,'indices':"                                              \
    "{'bufferView':1,'componentType':5123},'values':{'bufferView':2}}}"
#define ONE_SPARSE                                                                                                             \
    "{'componentType':5126,'count':4,'type':'VEC3','sparse':{'count':1,'indices':"                                             \
    "{'bufferView':4,'componentType':5121},'values':{'bufferView':3}}}"

static void sparse(void **state)
{
    (void)state;
    stele_file *file = open_text(SPARSE("{'bufferView':0," TWO_SPARSE, "{'primitives':[{'attributes':{'POSITION':0}}]}"),
                                 &sparse_data, sizeof sparse_data);
    assert_view(attribute(model_of(file), STELE_POSITION, 0), 4, 3, NUMBERS(0, 0, 0, 9, 8, 7, 0, 1, 0, 6, 5, 4));
    stele_close(file);
    file =
        open_text(SPARSE("{" TWO_SPARSE, "{'primitives':[{'attributes':{'POSITION':0}}]}"), &sparse_data, sizeof sparse_data);
    assert_view(attribute(model_of(file), STELE_POSITION, 0), 4, 3, NUMBERS(0, 0, 0, 9, 8, 7, 0, 0, 0, 6, 5, 4));
    stele_close(file);
    file = open_text(SPARSE("{'componentType':5126,'count':4,'type':'VEC3'}", "{'primitives':[{'attributes':{'POSITION':0}}]}"),
                     &sparse_data, sizeof sparse_data);
    assert_view(attribute(model_of(file), STELE_POSITION, 0), 4, 3, NUMBERS(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    stele_close(file);
}

/* Morphs that are only sparse stay so: the vertices that move, and by how much. */
static void sparse_morphs(void **state)
{
    (void)state;
    stele_file *file = open_text(
        SPARSE(FOUR_PLACES ",{" TWO_SPARSE "," ONE_SPARSE,
               "{'weights':[0.5,0.25],'extras':{'targetNames':['smile','blink']},'primitives':[{'attributes':{'POSITION':0},"
               "'targets':[{'POSITION':1},{'POSITION':1,'NORMAL':2}]}]}"),
        &sparse_data, sizeof sparse_data);
    const stele_model *m = model_of(file);
    const stele_primitive *p = &m->meshes[0].primitives[0];
    assert_int_equal(p->morph_count, 2);
    assert_string_equal(p->morphs[0].name, "smile");
    assert_string_equal(p->morphs[1].name, "blink");
    assert_int_equal(m->meshes[0].properties.count, 0);
    assert_near(m->meshes[0].weights[0], .5);
    assert_view(&p->morphs[0].vertices, 2, 1, NUMBERS(1, 3));
    assert_view(&p->morphs[0].position, 2, 3, NUMBERS(9, 8, 7, 6, 5, 4));
    assert_ptr_equal(p->morphs[0].position.data, sparse_data.value);
    assert_view(&p->morphs[1].vertices, 3, 1, NUMBERS(1, 2, 3));
    assert_view(&p->morphs[1].position, 3, 3, NUMBERS(9, 8, 7, 0, 0, 0, 6, 5, 4));
    assert_view(&p->morphs[1].normal, 3, 3, NUMBERS(0, 0, 0, 1, 2, 3, 0, 0, 0));
    double matrices[1][16];
    float positions[12];
    assert_true(stele_evaluate_nodes(m, STELE_NONE, 0, matrices, sizeof matrices / sizeof *matrices));
    assert_true(stele_evaluate_vertices(m, 0, 0, STELE_NONE, 0, (const double(*)[16])matrices,
                                        sizeof matrices / sizeof *matrices, positions, NULL, 4));
    assert_near(positions[3], 1 + .75 * 9);
    assert_near(positions[6], 0);
    assert_near(positions[11], .75 * 4);
    stele_close(file);
}

/* ---- Where the bytes are ---- */

#define TRIANGLE_IN(buffer)                                                                                                    \
    "{" ASSET "," ONE_MESH ",'buffers':[" buffer "],'bufferViews':[{'buffer':0,'byteLength':36}],"                             \
    "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}],"                                             \
    "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]}"
#define TRIANGLE_DATA "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"

static void places_of_buffers(void **state)
{
    static const char *const good[] = {
        TRIANGLE_IN("{'byteLength':36,'uri':'b.bin'}"),
        TRIANGLE_IN("{'byteLength':36,'uri':'sub%20folder/b.bin'}"),
        TRIANGLE_IN("{'byteLength':36,'uri':'sub folder\\u002fb.bin'}"),
        TRIANGLE_IN("{'byteLength':36,'uri':'data:application/octet-stream;base64," TRIANGLE_DATA "'}"),
        TRIANGLE_IN("{'byteLength':36,'uri':'data:;base64," TRIANGLE_DATA "'}"),
        TRIANGLE_IN("{'byteLength':36,'uri':'data:application/gltf-buffer;base64," TRIANGLE_DATA "AA=='}"),
        TRIANGLE_IN("{'byteLength':36,'uri':'data:x;y=z;base64," TRIANGLE_DATA "AAA'}"),
    };
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        stele_file *file = open_text(good[i], &triangle, sizeof triangle);
        assert_view(attribute(model_of(file), STELE_POSITION, 0), 3, 3, NUMBERS(0, 0, 0, 1, 0, 0, 0, 1, 0));
        stele_close(file);
    }
}

static void put_u32(uint8_t *p, size_t value)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(value >> (8 * i));
}

/* A GLB of the text and the bytes; its chunks are padded as they must be. */
static bytes make_glb(const char *text, const void *bin, size_t bin_size)
{
    set_text(text);
    size_t json = (strlen(current.json) + 3) / 4 * 4, padded = (bin_size + 3) / 4 * 4;
    bytes glb = {calloc(1, 12 + 8 + json + 8 + padded), 12 + 8 + json + 8 + padded};
    memcpy(glb.data, "glTF\2\0\0\0", 8);
    put_u32(glb.data + 8, glb.size);
    put_u32(glb.data + 12, json);
    memcpy(glb.data + 16, "JSON", 4);
    memset(glb.data + 20, ' ', json);
    memcpy(glb.data + 20, current.json, strlen(current.json));
    put_u32(glb.data + 20 + json, padded);
    memcpy(glb.data + 24 + json, "BIN", 4);
    memcpy(glb.data + 28 + json, bin, bin_size);
    return glb;
}

static void binary(void **state)
{
    bytes glb = make_glb(TRIANGLE_IN("{'byteLength':36}"), &triangle, 36);
    (void)state;
    stele_file *file = stele_open_memory(glb.data, glb.size, NULL);
    assert_view(attribute(model_of(file), STELE_POSITION, 0), 3, 3, NUMBERS(0, 0, 0, 1, 0, 0, 0, 1, 0));
    assert_ptr_equal(attribute(stele_file_model(file), STELE_POSITION, 0)->data, glb.data + glb.size - 36);
    stele_close(file);
    free(glb.data);
}

/* ---- Nodes and scenes ---- */

static void scenes(void **state)
{
    static const char text[] =
        "{" ASSET ",'scene':1,'scenes':[{'nodes':[3]},{'name':'shown','nodes':[0],'extras':{'author':'me'}}],"
        "'nodes':[{'children':[1]},{'mesh':0,'children':[2]},{'mesh':0},{'mesh':0,'name':'other'}]," BUFFER(
            "36") ",'bufferViews':[{'buffer':0,'byteLength':36}],"
                  "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}],"
                  "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]}";
    (void)state;
    stele_file *file = open_text(text, &triangle, sizeof triangle);
    const stele_model *m = model_of(file);
    assert_int_equal(m->node_count, 4);
    assert_string_equal(m->name, "shown");
    assert_string_equal(stele_find_property(&m->properties, "author")->text, "me");
    assert_int_equal(m->nodes[0].parent, STELE_NONE);
    assert_int_equal(m->nodes[1].parent, 0);
    assert_int_equal(m->nodes[2].parent, 1);
    assert_int_equal(m->nodes[2].mesh, 0);
    assert_int_equal(m->nodes[3].mesh, STELE_NONE);
    assert_string_equal(m->nodes[3].name, "other");
    assert_string_equal(find_diagnostic(file, "not-carried")->path, "/nodes/3");
    stele_close(file);
}

static void places_of_nodes(void **state)
{
    static const char text[] = "{" ASSET ",'nodes':[{'translation':[1,2,3],'rotation':[0,0,0.6,0.8],'scale':[4,5,6]},"
                               /* 2 x 3 x -4 after a quarter turn about z */
                               "{'matrix':[0,2,0,0,-3,0,0,0,0,0,-4,0,7,8,9,1]},"
                               "{'matrix':[1,0,0,0,0.5,1,0,0,0,0,1,0,7,8,9,1]},{'extras':{'attachment':true,'n':1}}]}";
    double matrices[4][16];
    (void)state;
    stele_file *file = open_text(text, NULL, 0);
    const stele_model *m = model_of(file);
    const stele_transform *t = &m->nodes[0].local;
    assert_near(t->translation[1], 2);
    assert_near(t->rotation[2], .6);
    assert_near(t->scale[2], 6);
    assert_null(m->nodes[1].matrix);
    assert_true(stele_evaluate_nodes(m, STELE_NONE, 0, matrices, sizeof matrices / sizeof *matrices));
    static const double turned[16] = {0, 2, 0, 0, -3, 0, 0, 0, 0, 0, -4, 0, 7, 8, 9, 1};
    for (int i = 0; i < 16; i++)
        assert_near(matrices[1][i], turned[i]);
    assert_non_null(m->nodes[2].matrix);
    assert_near(matrices[2][4], .5);
    assert_false(m->nodes[2].attachment);
    assert_true(m->nodes[3].attachment);
    assert_int_equal(m->nodes[3].properties.count, 1);
    stele_close(file);
}

/* ---- Skins and animations ---- */

static const struct {
    float times[3], steps[9], lines[12], curve[27];
    int16_t turns[12];
    float weights[6];
} keys = {{1, 2, 4},
          {0, 0, 0, 5, 0, 0, 6, 0, 0},
          {0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1},
          {0, 0, 0, 1, 1, 1, 2, 0, 0, /* in, value, out of each key */
           1, 0, 0, 3, 1, 1, 4, 0, 0, /* */
           0, 0, 0, 5, 1, 1, 0, 0, 0},
          {0, 0, 0, 32767, 0, 0, 32767, 0, 0, 0, 0, 32767},
          {0, 1, 1, 0, .5f, .5f}};

#define KEYS(samplers, channels)                                                                                               \
    "{" ASSET ",'scenes':[{'nodes':[0]}],'nodes':[{'mesh':0}]," BUFFER(                                                        \
        "252") ","                                                                                                             \
               "'bufferViews':[{'buffer':0,'byteLength':12},{'buffer':0,'byteOffset':12,'byteLength':36},"                     \
               "{'buffer':0,'byteOffset':48,'byteLength':48},{'buffer':0,'byteOffset':96,'byteLength':108},"                   \
               "{'buffer':0,'byteOffset':204,'byteLength':24},{'buffer':0,'byteOffset':228,'byteLength':24}],'accessors':["    \
               "{'bufferView':0,'componentType':5126,'count':3,'type':'SCALAR','min':[1],'max':[4]},"                          \
               "{'bufferView':1,'componentType':5126,'count':3,'type':'VEC3'},"                                                \
               "{'bufferView':2,'componentType':5126,'count':3,'type':'VEC4'},"                                                \
               "{'bufferView':3,'componentType':5126,'count':9,'type':'VEC3'},"                                                \
               "{'bufferView':4,'componentType':5122,'count':3,'type':'VEC4','normalized':true},"                              \
               "{'bufferView':5,'componentType':5126,'count':6,'type':'SCALAR'}],"                                             \
               "'meshes':[{'weights':[0,0],'primitives':[{'attributes':{'POSITION':1},'targets':[{'POSITION':1},{'POSITION':"  \
               "1}]}]}],"                                                                                                      \
               "'animations':[{'name':'move','samplers':[" samplers "],'channels':[" channels "]}]}"
#define CHANNEL(path) "{'sampler':0,'target':{'node':0,'path':'" path "'}}"

static void place_at(const stele_model *m, double seconds, double matrix[16])
{
    double matrices[1][16];
    assert_true(stele_evaluate_nodes(m, 0, seconds, matrices, sizeof matrices / sizeof *matrices));
    memcpy(matrix, matrices[0], sizeof matrices[0]);
}

static void interpolations(void **state)
{
    double at[16];
    (void)state;
    stele_file *file =
        open_text(KEYS("{'input':0,'output':1,'interpolation':'STEP'}", CHANNEL("translation")), &keys, sizeof keys);
    const stele_model *m = model_of(file);
    assert_string_equal(m->clips[0].name, "move");
    assert_near(m->clips[0].duration, 4);
    place_at(m, 1.99, at);
    assert_near(at[12], 0);
    place_at(m, 2.5, at);
    assert_near(at[12], 5);
    stele_close(file);

    file = open_text(KEYS("{'input':0,'output':1}", CHANNEL("scale")), &keys, sizeof keys);
    place_at(model_of(file), 1.5, at);
    assert_near(at[0], 2.5);
    stele_close(file);

    /* half way round x: 180 degrees to none; then to 180 about another axis */
    file = open_text(KEYS("{'input':0,'output':4,'interpolation':'LINEAR'}", CHANNEL("rotation")), &keys, sizeof keys);
    place_at(model_of(file), 3, at); /* from 180 about z to none: 90 about z */
    assert_near(at[0], 0);
    assert_near(at[1], 1);
    stele_close(file);

    file = open_text(KEYS("{'input':0,'output':3,'interpolation':'CUBICSPLINE'}", CHANNEL("translation")), &keys, sizeof keys);
    place_at(model_of(file), 3, at); /* between 3 (out 4) and 5 (in 0), 2 seconds apart: 4 + 2 * 4 / 8 */
    assert_near(at[12], 5);
    stele_close(file);
}

static void animated_weights(void **state)
{
    double matrices[1][16];
    float positions[9];
    (void)state;
    stele_file *file = open_text(KEYS("{'input':0,'output':5}", CHANNEL("weights")), &keys, sizeof keys);
    const stele_model *m = model_of(file);
    assert_true(stele_evaluate_nodes(m, 0, 1.5, matrices, sizeof matrices / sizeof *matrices));
    assert_true(stele_evaluate_vertices(m, 0, 0, 0, 1.5, (const double(*)[16])matrices, sizeof matrices / sizeof *matrices,
                                        positions, NULL, 3));
    assert_near(positions[3], 5 + .5 * 5 + .5 * 5);
    assert_true(stele_evaluate_nodes(m, 0, 4, matrices, sizeof matrices / sizeof *matrices));
    assert_true(stele_evaluate_vertices(m, 0, 0, 0, 1, (const double(*)[16])matrices, sizeof matrices / sizeof *matrices,
                                        positions, NULL, 3));
    assert_near(positions[6], 6 + 0 * 6 + 1 * 6);
    stele_close(file);
}

/* Keys that go back in time are left out, and said. */
static void unsorted_keys(void **state)
{
    static const float data[] = {0, 2, 1, 2, 3, /* */ 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4};
    static const char text[] =
        "{" ASSET ",'nodes':[{}]," BUFFER("80") ",'bufferViews':[{'buffer':0,'byteLength':20},"
                                                "{'buffer':0,'byteOffset':20,'byteLength':60}],"
                                                "'accessors':[{'bufferView':0,'componentType':5126,'count':5,'type':'SCALAR'},"
                                                "{'bufferView':1,'componentType':5126,'count':5,'type':'VEC3'}],"
                                                "'animations':[{'samplers':[{'input':0,'output':1}],'channels':[{'sampler':0,'"
                                                "target':{'node':0,'path':'scale'}}]}]}";
    (void)state;
    stele_file *file = open_text(text, data, sizeof data);
    const stele_channel *c = &model_of(file)->clips[0].channels[0];
    assert_view(&c->times, 3, 1, NUMBERS(0, 2, 3));
    assert_view(&c->values, 3, 3, NUMBERS(0, 0, 0, 1, 1, 1, 4, 4, 4));
    assert_string_equal(find_diagnostic(file, "time-unsorted")->path, "/accessors/0");
    assert_int_equal(find_diagnostic(file, "repaired-time")->count, 2);
    stele_close(file);
    set_text(text);
    stele_options options = options_of(&current);
    options.load.no_repair = true;
    file = stele_open_memory(current.json, strlen(current.json), &options);
    assert_int_equal(model_of(file)->clips[0].channels[0].times.count, 5);
    assert_null(find_diagnostic(file, "repaired-time"));
    stele_close(file);
}

static const struct {
    float position[6];
    uint8_t joints[8];
    float weights[8];
    float inverse[32];
} skinned = {{0, 0, 0, 0, 1, 0},
             {0, 1, 9, 9, 1, 0, 0, 0}, /* joints that are not there do no harm without a weight */
             {.5f, .5f, 0, 0, 1, 0, 0, 0},
             {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1}};

#define SKINNED                                                                                                                \
    "{" ASSET ",'scenes':[{'nodes':[0,1]}],'nodes':[{'mesh':0,'skin':0,'translation':[100,0,0]},{'children':[2]},"             \
    "{'translation':[2,1,0]}],'skins':[{'name':'arm','joints':[1,2],'skeleton':1,'inverseBindMatrices':3}]," BUFFER(           \
        "192") ",'bufferViews':[{'buffer':0,'byteLength':24},{'buffer':0,'byteOffset':24,'byteLength':8},"                     \
               "{'buffer':0,'byteOffset':32,'byteLength':32},{'buffer':0,'byteOffset':64,'byteLength':128}],"                  \
               "'accessors':[{'bufferView':0,'componentType':5126,'count':2,'type':'VEC3'},"                                   \
               "{'bufferView':1,'componentType':5121,'count':2,'type':'VEC4'},"                                                \
               "{'bufferView':2,'componentType':5126,'count':2,'type':'VEC4'},"                                                \
               "{'bufferView':3,'componentType':5126,'count':2,'type':'MAT4'}],"                                               \
               "'meshes':[{'primitives':[{'mode':0,'attributes':{'POSITION':0,'JOINTS_0':1,'WEIGHTS_0':2}}]}]}"

static void skins(void **state)
{
    double matrices[3][16];
    float positions[6];
    (void)state;
    stele_file *file = open_text(SKINNED, &skinned, sizeof skinned);
    const stele_model *m = model_of(file);
    assert_string_equal(m->skins[0].name, "arm");
    assert_int_equal(m->skins[0].joint_count, 2);
    assert_int_equal(m->skins[0].joints[1], 2);
    assert_int_equal(m->skins[0].skeleton, 1);
    assert_int_equal(m->skins[0].inverse_bind.components, 16);
    assert_true(stele_evaluate_nodes(m, STELE_NONE, 0, matrices, sizeof matrices / sizeof *matrices));
    assert_true(stele_evaluate_vertices(m, 0, 0, STELE_NONE, 0, (const double(*)[16])matrices,
                                        sizeof matrices / sizeof *matrices, positions, NULL, 3));
    /* the second joint is moved by (2, 0, 0); the node's own place has no effect */
    assert_near(positions[0], 1);
    assert_near(positions[3], 2);
    assert_near(positions[4], 1);
    stele_close(file);
}

/* ---- Materials ---- */

static void materials(void **state)
{
    static const char text[] =
        "{" ASSET ",'extensionsUsed':['KHR_texture_transform','KHR_materials_unlit','KHR_materials_specular',"
        "'KHR_materials_emissive_strength'],'materials':[{'name':'skin','pbrMetallicRoughness':{'baseColorFactor':"
        "[0.5,0.25,0.125,0.75],'metallicFactor':0.2,'roughnessFactor':0.3,'baseColorTexture':{'index':1,'texCoord':1,"
        "'extensions':{'KHR_texture_transform':{'offset':[0.1,0.2],'rotation':0.3,'scale':[2,3],'texCoord':2}}}},"
        "'normalTexture':{'index':0,'scale':0.7},'occlusionTexture':{'index':0,'strength':0.6},'emissiveFactor':[1,0.5,0],"
        "'emissiveTexture':{'index':0},'alphaMode':'MASK','alphaCutoff':0.4,'doubleSided':true,'extensions':{"
        "'KHR_materials_emissive_strength':{'emissiveStrength':5},'KHR_materials_specular':{'specularFactor':0.9,"
        "'specularColorFactor':[0.1,0.2,0.3],'specularColorTexture':{'index':1}},'KHR_materials_unlit':{}}},{}],"
        "'samplers':[{'wrapS':33071,'wrapT':33648,'magFilter':9728,'minFilter':9987}],"
        "'images':[{'uri':'there.png'},{'uri':'data:image/png;base64,iVBORw=='},{'uri':'gone%20away.png'},"
        "{'bufferView':0,'mimeType':'image/jpeg','name':'photo'}]," BUFFER(
            "4") ",'bufferViews':[{'buffer':0,'byteLength':3}],"
                 "'textures':[{'source':0,'sampler':0},{'source':1,'name':'inside'},{'source':2},{'source':3,'extras':"
                 "{'stele.name':'hat.*','other':true}}]}";
    (void)state;
    stele_file *file = open_text(text, "\xFF\xD8\xFF", 4);
    const stele_model *m = model_of(file);
    const stele_material *a = &m->materials[0];
    assert_int_equal(m->material_count, 2);
    assert_string_equal(a->name, "skin");
    assert_near(a->base_color[3], .75);
    assert_near(a->metallic, .2f);
    assert_near(a->roughness, .3f);
    assert_int_equal(a->textures[STELE_ROLE_BASE_COLOR].texture, 1);
    assert_int_equal(a->textures[STELE_ROLE_BASE_COLOR].uv_set, 2);
    assert_near(a->textures[STELE_ROLE_BASE_COLOR].offset[1], .2f);
    assert_near(a->textures[STELE_ROLE_BASE_COLOR].rotation, .3f);
    assert_near(a->textures[STELE_ROLE_BASE_COLOR].scale[0], 2);
    assert_int_equal(a->textures[STELE_ROLE_NORMAL].texture, 0);
    assert_near(a->textures[STELE_ROLE_NORMAL].strength, .7f);
    assert_near(a->textures[STELE_ROLE_OCCLUSION].strength, .6f);
    assert_near(a->emissive[1], .5);
    assert_near(a->emissive_strength, 5);
    assert_near(a->specular, .9f);
    assert_near(a->specular_color[2], .3f);
    assert_int_equal(a->textures[STELE_ROLE_SPECULAR_COLOR].texture, 1);
    assert_int_equal(a->textures[STELE_ROLE_SPECULAR].texture, STELE_NONE);
    assert_int_equal(a->alpha_mode, STELE_MASK);
    assert_near(a->alpha_cutoff, .4f);
    assert_true(a->double_sided && a->unlit);
    assert_near(m->materials[1].metallic, 1);
    assert_false(m->materials[1].unlit);
    assert_int_equal(m->texture_count, 4);
    assert_string_equal(m->textures[0].file, "there.png");
    assert_int_equal(m->textures[0].wrap_u, 33071);
    assert_int_equal(m->textures[0].wrap_v, 33648);
    assert_int_equal(m->textures[0].mag_filter, 9728);
    assert_int_equal(m->textures[0].min_filter, 9987);
    assert_string_equal(m->textures[1].name, "inside");
    assert_string_equal(m->textures[1].mime_type, "image/png");
    assert_int_equal(m->textures[1].size, 4);
    assert_memory_equal(m->textures[1].data, "\x89PNG", 4);
    assert_string_equal(m->textures[2].name, "gone away.png");
    assert_null(m->textures[2].file);
    assert_string_equal(find_diagnostic(file, "texture-missing")->path, "/images/2/uri");
    assert_string_equal(m->textures[3].name, "hat.*");
    assert_string_equal(m->textures[3].mime_type, "image/jpeg");
    assert_memory_equal(m->textures[3].data, "\xFF\xD8\xFF", 3);
    assert_int_equal(m->textures[3].properties.count, 1);
    stele_close(file);
}

/* ---- Extras, extensions and what the model does not have ---- */

static void extras(void **state)
{
    static const char text[] = "{" ASSET ",'nodes':[{'extras':{'t':'a\\u00e9\\n','n':1.5,'l':[1,2.5,-3e2],'b':true,'z':null,"
                               "'o':{'x': [1, 'y']},'m':[1,'x'],'e':[],'nul':'a\\u0000b'}},{'extras':7}]}";
    (void)state;
    stele_file *file = open_text(text, NULL, 0);
    const stele_properties *p = &model_of(file)->nodes[0].properties;
    assert_int_equal(p->count, 9);
    assert_string_equal(stele_find_property(p, "t")->text, "a\xC3\xA9\n");
    assert_int_equal(stele_find_property(p, "n")->number_count, 1);
    assert_near(stele_find_property(p, "n")->numbers[0], 1.5);
    assert_int_equal(stele_find_property(p, "l")->number_count, 3);
    assert_near(stele_find_property(p, "l")->numbers[2], -300);
    assert_string_equal(stele_find_property(p, "b")->json, "true");
    assert_string_equal(stele_find_property(p, "z")->json, "null");
    assert_string_equal(stele_find_property(p, "o")->json, "{\"x\": [1, \"y\"]}");
    assert_string_equal(stele_find_property(p, "m")->json, "[1,\"x\"]");
    assert_string_equal(stele_find_property(p, "e")->json, "[]");
    assert_string_equal(stele_find_property(p, "nul")->json, "\"a\\u0000b\"");
    assert_null(stele_find_property(p, "nul")->text);
    assert_near(stele_find_property(&model_of(file)->nodes[1].properties, "extras")->numbers[0], 7);
    stele_close(file);
}

static void what_is_passed_over(void **state)
{
    (void)state;
    stele_file *file = open_text("{" ASSET ",'extensionsUsed':['KHR_lights_punctual','KHR_materials_unlit','EXT_unused'],"
                                 "'nodes':[{'extensions':{'KHR_lights_punctual':{}}},{'extensions':{'KHR_lights_punctual':{},"
                                 "'OTHER':{}}},{'extras':{'extensions':{'MINE':{}}}}],"
                                 "'materials':[{'extensions':{'KHR_materials_unlit':{}}}],"
                                 "'cameras':[{'type':'perspective'},{'type':'perspective'}]}",
                                 NULL, 0);
    size_t count;
    model_of(file);
    stele_file_diagnostics(file, &count);
    assert_int_equal(count, 3); /* each kind once; what is only announced or in extras is not lost */
    const stele_diagnostic *d = find_diagnostic(file, "extension-ignored");
    assert_string_equal(d->path, "/nodes/0/extensions/KHR_lights_punctual");
    assert_non_null(strstr(d->text, "KHR_lights_punctual"));
    assert_int_equal(d->severity, STELE_LOSS);
    assert_int_equal(d->count, 2);
    assert_string_equal(find_diagnostic(file, "not-carried")->path, "/cameras/0");
    assert_int_equal(find_diagnostic(file, "not-carried")->count, 2);
    stele_close(file);
    file = open_text(TRIANGLE("{'attributes':{'POSITION':0,'_HEAT':0}}"), &triangle, sizeof triangle);
    assert_int_equal(model_of(file)->meshes[0].primitives[0].attribute_count, 1);
    assert_string_equal(find_diagnostic(file, "not-carried")->path, "/meshes/0/primitives/0/attributes/_HEAT");
    stele_close(file);
}

/* A document of so many extensions that each has a name of its own, and one that all nodes have. */
static void extensions_without_end(void **state)
{
    (void)state;
    enum { NODES = 3000 };
    char *text = malloc(NODES * 64 + 256), *at = text;
    size_t count;
    uint64_t uses = 0;
    at += sprintf(at, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[");
    for (int i = 0; i < NODES; i++)
        at += sprintf(at, "%s{\"extensions\":{\"EXT_%d\":{},\"EXT_all\":{}}}", i ? "," : "", i);
    at += sprintf(at, "]}");
    stele_file *file = stele_open_memory(text, (size_t)(at - text), &(stele_options){.name = "m.gltf"});
    const stele_diagnostic *d = stele_file_diagnostics(file, &count);
    assert_in_range(count, 2, 50);
    for (size_t i = 0; i < count; i++)
        uses += d[i].count;
    assert_int_equal(uses, 2 * NODES);
    assert_int_equal(d[1].count, NODES);
    stele_close(file);
    free(text);
}

static void extras_without_a_place(void **state)
{
    (void)state;
    stele_file *file =
        open_text("{'asset':{'version':'2.0','copyright':'CC-BY me','extras':{'a':[1,2]}},'extras':'whole',"
                  "'scenes':[{'extras':{'kept':1}},{'extras':{'not':1}}],'nodes':[{'extras':{'kept':1}}],"
                  "'samplers':[{'extras':{'not':2}}],'images':[{'name':'unused','uri':'data:image/png;base64,AAAA'}]}",
                  NULL, 0);
    const stele_properties *p = &model_of(file)->properties;
    assert_string_equal(stele_find_property(p, "gltf.copyright")->text, "CC-BY me");
    assert_string_equal(stele_find_property(p, "gltf.asset_extras")->json, "{\"a\":[1,2]}");
    assert_string_equal(stele_find_property(p, "gltf.extras")->text, "whole");
    assert_near(stele_find_property(p, "kept")->numbers[0], 1);
    size_t count, carried = 0;
    const stele_diagnostic *d = stele_file_diagnostics(file, &count);
    static const char *const paths[] = {"/scenes/1", "/samplers/0/extras", "/images/0"};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3; k++)
            carried += strcmp(d[i].path, paths[k]) == 0 && d[i].severity == STELE_LOSS && d[i].count == 1;
    assert_int_equal(carried, 3);
    stele_close(file);
}

/* Positions as normals, one of them zero: each is brought to length 1, and none passed on. */
static void lengths_are_repaired(void **state)
{
    (void)state;
    float row[3];
    stele_file *file = open_text(TRIANGLE("{'attributes':{'POSITION':0,'NORMAL':0}}"), &triangle, sizeof triangle);
    const stele_view *normals = stele_primitive_view(&model_of(file)->meshes[0].primitives[0], STELE_NORMAL, 0);
    for (uint64_t i = 0; i < 3; i++) {
        stele_view_row(normals, i, row);
        assert_near((double)(row[0] * row[0] + row[1] * row[1] + row[2] * row[2]), 1);
    }
    assert_non_null(find_diagnostic(file, "repaired-normal"));
    stele_close(file);
    file = open_text("{" ASSET ",'nodes':[{},{'rotation':[0,0,3,4]},{'rotation':[0,2,0,0]}]}", NULL, 0);
    assert_near((double)model_of(file)->nodes[1].local.rotation[2], 0.6);
    assert_near((double)model_of(file)->nodes[2].local.rotation[1], 1);
    assert_int_equal(find_diagnostic(file, "repaired-rotation")->count, 2);
    assert_string_equal(find_diagnostic(file, "repaired-rotation")->path, "/nodes/1");
    stele_close(file);
}

/* ---- What is wrong with the JSON ---- */

typedef struct bad_json {
    const char *text;
    const char *id, *pointer;
    size_t offset;
} bad_json;

static void malformed_json(void **state)
{
    static const bad_json cases[] = {
        {"{'asset':{'version':'2.0'}} x", "bad-json", "", 28},
        {"{'asset':{'version':'2.0'}}}", "bad-json", "", 27},
        {"{'asset':{'version':'2.0'},}", "bad-json", "/asset", 27},
        {"{'asset':{'version':'2.0'}", "bad-json", "/asset", 26},
        {"{'asset' {'version':'2.0'}}", "bad-json", "/asset", 9},
        {"{'asset':{'version':'2.0'},'a':[1,]}", "bad-json", "/a/1", 34},
        {"{'asset':{'version':'2.0'},'a':[1 2]}", "bad-json", "/a/1", 34},
        {"{'asset':{'version':'2.0'},'a':[01]}", "bad-json", "/a/0", 32},
        {"{'asset':{'version':'2.0'},'a':[1.]}", "bad-json", "/a/0", 32},
        {"{'asset':{'version':'2.0'},'a':[.5]}", "bad-json", "/a/0", 32},
        {"{'asset':{'version':'2.0'},'a':[+1]}", "bad-json", "/a/0", 32},
        {"{'asset':{'version':'2.0'},'a':[-]}", "bad-json", "/a/0", 32},
        {"{'asset':{'version':'2.0'},'a':[1e]}", "bad-json", "/a/0", 32},
        {"{'asset':{'version':'2.0'},'a':[0x10]}", "bad-json", "/a/1", 33},
        {"{'asset':{'version':'2.0'},'a':[NaN]}", "bad-json", "/a/0", 32},
        {"{'asset':{'version':'2.0'},'a':[Infinity]}", "bad-json", "/a/0", 32},
        {"{'asset':{'version':'2.0'},'a':[True]}", "bad-json", "/a/0", 32},
        {"{'asset':{'version':'2.0'},'a':[tru]}", "bad-json", "/a/0", 32},
        {"{'asset':{'version':'2.0'},a:1}", "bad-json", "/asset", 27},
        {"{'asset':{'version':'2.0'},'a':'\\x'}", "bad-json", "/a", 32},
        {"{'asset':{'version':'2.0'},'a':'\\u12G4'}", "bad-json", "/a", 32},
        {"{'asset':{'version':'2.0'},'a':'\\ud800'}", "bad-json", "/a", 32},
        {"{'asset':{'version':'2.0'},'a':'\\ud800\\u0041'}", "bad-json", "/a", 32},
        {"{'asset':{'version':'2.0'},'a':'\\udc00'}", "bad-json", "/a", 32},
        {"{'asset':{'version':'2.0'},'a':'\n'}", "bad-json", "/a", 32},
        {"{'asset':{'version':'2.0'},'a':'x}", "bad-json", "/a", 31},
        {"{'asset':{'version':'2.0'},'a':'\xC3('}", "bad-json", "/a", 32},
        {"{'asset':{'version':'2.0'},'a':'abcdefgh\xFF'}", "bad-json", "/a", 40},
        {"{'asset':{'version':'2.0'},'a':'\xED\xA0\x80'}", "bad-json", "/a", 32},
        {"{'asset':{'version':'2.0'},'a':'\xC0\x80'}", "bad-json", "/a", 32},
        {"{'asset':{'version':'2.0'},'a':{'b/c~d':[{},{'x':?}]}}", "bad-json", "/a/b~1c~0d/1/x", 49},
        {"{'asset':{'version':'2.0'},'a':1,'asset':2}", "json-duplicate-key", "/asset", 33},
        {"{'asset':{'version':'2.0'},'a':{'k':1,'x':2,'\\u006b':3}}", "json-duplicate-key", "/a/k", 44},
        {"{'asset':{'version':'2.0'},'a':{'':1,'':2}}", "json-duplicate-key", "/a/", 37},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stele_file *file = open_text(cases[i].text, NULL, 0);
        const stele_diagnostic *d = find_diagnostic(file, cases[i].id);
        if (!d || stele_file_status(file) != STELE_DAMAGED)
            fail_msg("%s: status %d, %s", cases[i].text, stele_file_status(file), stele_file_message(file));
        if (strcmp(d->path, cases[i].pointer) != 0 || d->offset != cases[i].offset)
            fail_msg("%s: at '%s', %llu: %s", cases[i].text, d->path, (unsigned long long)d->offset, d->text);
        assert_null(stele_file_model(file));
        stele_close(file);
    }
}

static void good_json(void **state)
{
    static const char *const cases[] = {
        " \t\r\n{'asset' : {'version' :\n'2.0'} , 'a' : [ ] , 'b' : { } } \n",
        "{'asset':{'version':'2.0'},'a':[-0,0.5e-10,1E+3,12345678901234567890,1e400,true,false,null]}",
        "{'asset':{'version':'2.0'},'a':'\\\"\\\\\\/\\b\\f\\n\\r\\t'}",
        "{'asset':{'version':'2.0'},'a':'\\ud83d\\ude00 \xF0\x9F\x98\x80 \xC3\xA9'}",
        "{'asset':{'version':'2.0'},'a':{'a':1,'b':1},'b':{'a':1,'b':1}}",
        "{'asset':{'version':'2.0'},'a':'\\\\','b':'\\\\\\\\','c':[',:[{','\\\\',1,2,3]}",
        "\xEF\xBB\xBF{'asset':{'version':'2.0'}}",
        "{'asset':{'version':'2.5','minVersion':'2.0'}}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stele_file *file = open_text(cases[i], NULL, 0);
        model_of(file);
        stele_close(file);
    }
}

/* A megabyte of brackets, and one level too many. */
static void deep_json(void **state)
{
    static const char head[] = "{\"asset\":{\"version\":\"2.0\"},\"a\":";
    size_t size = sizeof head - 1 + (1 << 20);
    char *text = malloc(size);
    stele_options options = {.name = "deep.gltf"};
    (void)state;
    memset(text, '[', size);
    memcpy(text, head, sizeof head - 1);
    stele_file *file = stele_open_memory(text, size, &options);
    const stele_diagnostic *d = find_diagnostic(file, "json-depth");
    assert_non_null(d);
    assert_int_equal(d->offset, sizeof head - 1 + 63);
    assert_int_equal(strncmp(d->path, "/a/0/0/0/", 9), 0);
    assert_int_equal(stele_file_status(file), STELE_DAMAGED);
    stele_close(file);
    size = sizeof head - 1 + 2 * 63;
    memset(text + sizeof head - 1 + 63, ']', 63);
    text[size++] = '}';
    file = stele_open_memory(text, size, &options);
    assert_int_equal(stele_file_status(file), STELE_OK);
    stele_close(file);
    free(text);
}

/* ---- What is wrong with the document ---- */

typedef struct bad_document {
    const char *text;
    const char *id, *pointer;
    stele_status status;
} bad_document;

static void expect_found(const bad_document *b, const void *bin, size_t size, stele_check_level level)
{
    stele_file *file = open_checked(b->text, bin, size, level);
    const stele_diagnostic *d = find_diagnostic(file, b->id);
    if (!d || stele_file_status(file) != b->status || strcmp(d->path, b->pointer) != 0)
        fail_msg("%s\n  status %d, %s; %s at '%s'", b->text, stele_file_status(file), stele_file_message(file), b->id,
                 d ? d->path : "nowhere");
    if (b->status != STELE_OK)
        assert_null(stele_file_model(file));
    stele_close(file);
}

static void expect_bad(const bad_document *b, const void *bin, size_t size)
{
    expect_found(b, bin, size, STELE_CHECK_SAFE);
}

#define VIEWS(views, accessors)                                                                                                \
    "{" ASSET "," ONE_MESH "," BUFFER("60") ",'bufferViews':[" views "],'accessors':[" accessors "],"                          \
                                            "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]}"
#define V36 "{'buffer':0,'byteLength':36}"

static void bad_documents(void **state)
{
    static const bad_document cases[] = {
        {"{'asset':{}}", "bad-field", "/asset", STELE_DAMAGED},
        {"{'asset':{'version':2}}", "bad-field", "/asset/version", STELE_DAMAGED},
        {"{'asset':{'version':'1.0'}}", "bad-version", "/asset/version", STELE_UNSUPPORTED},
        {"{'asset':{'version':'2.1','minVersion':'2.1'}}", "bad-version", "/asset/version", STELE_UNSUPPORTED},
        {"{" ASSET ",'extensionsRequired':['KHR_mesh_quantization','KHR_draco_mesh_compression']}", "extension-unsupported",
         "/extensionsRequired/1", STELE_UNSUPPORTED},
        {"{" ASSET ",'nodes':{}}", "bad-field", "/nodes", STELE_DAMAGED},
        {"{" ASSET ",'nodes':[7]}", "bad-field", "/nodes/0", STELE_DAMAGED},
        {"{" ASSET ",'nodes':[{'mesh':0}]}", "reference-out-of-range", "/nodes/0/mesh", STELE_DAMAGED},
        {"{" ASSET ",'nodes':[{'mesh':-1}]}", "bad-field", "/nodes/0/mesh", STELE_DAMAGED},
        {"{" ASSET ",'nodes':[{'mesh':0.5}]}", "bad-field", "/nodes/0/mesh", STELE_DAMAGED},
        {"{" ASSET ",'nodes':[{'children':[1]}]}", "reference-out-of-range", "/nodes/0/children/0", STELE_DAMAGED},
        {"{" ASSET ",'nodes':[{'children':[0]}]}", "node-cycle", "/nodes/0", STELE_DAMAGED},
        {"{" ASSET ",'nodes':[{},{'children':[2]},{'children':[3]},{'children':[1]}]}", "node-cycle", "/nodes/1",
         STELE_DAMAGED},
        {"{" ASSET ",'nodes':[{'children':[2]},{'children':[2]},{}]}", "node-two-parents", "/nodes/1/children/0",
         STELE_DAMAGED},
        {"{" ASSET ",'nodes':[{'children':[1,1]},{}]}", "node-two-parents", "/nodes/0/children/1", STELE_DAMAGED},
        {"{" ASSET ",'nodes':[{'translation':[1,2]}]}", "bad-field", "/nodes/0/translation", STELE_DAMAGED},
        {"{" ASSET ",'nodes':[{'translation':[1,2,1e39]}]}", "bad-field", "/nodes/0/translation/2", STELE_DAMAGED},
        {"{" ASSET ",'nodes':[{'translation':[1,2,'3']}]}", "bad-field", "/nodes/0/translation/2", STELE_DAMAGED},
        {"{" ASSET ",'nodes':[{}],'scenes':[{'nodes':[1]}]}", "reference-out-of-range", "/scenes/0/nodes/0", STELE_DAMAGED},
        {"{" ASSET ",'scene':1,'scenes':[{}]}", "reference-out-of-range", "/scene", STELE_DAMAGED},
        {"{" ASSET ",'nodes':[{}],'skins':[{'joints':[0,1]}]}", "reference-out-of-range", "/skins/0/joints/1", STELE_DAMAGED},
        {"{" ASSET ",'nodes':[{}],'skins':[{'joints':[]}]}", "bad-field", "/skins/0/joints", STELE_DAMAGED},
        {"{" ASSET ",'materials':[{'alphaMode':'GLASS'}]}", "bad-field", "/materials/0/alphaMode", STELE_DAMAGED},
        {"{" ASSET ",'materials':[{'normalTexture':{'index':0}}]}", "reference-out-of-range",
         "/materials/0/normalTexture/index", STELE_DAMAGED},
        {"{" ASSET ",'materials':[{'normalTexture':{}}]}", "bad-field", "/materials/0/normalTexture", STELE_DAMAGED},
        {"{" ASSET ",'materials':[{'doubleSided':1}]}", "bad-field", "/materials/0/doubleSided", STELE_DAMAGED},
        /* URIs */
        {TRIANGLE_IN("{'byteLength':36,'uri':'c.bin'}"), "buffer-missing", "/buffers/0/uri", STELE_DAMAGED},
        {TRIANGLE_IN("{'byteLength':36}"), "buffer-missing", "/accessors/0", STELE_DAMAGED},
        {TRIANGLE_IN("{'uri':'b.bin'}"), "bad-field", "/buffers/0", STELE_DAMAGED},
        {TRIANGLE_IN("{'byteLength':61,'uri':'b.bin'}"), "buffer-too-short", "/buffers/0/byteLength", STELE_DAMAGED},
        {TRIANGLE_IN("{'byteLength':1e18,'uri':'b.bin'}"), "count-too-large", "/buffers/0/byteLength", STELE_DAMAGED},
        {TRIANGLE_IN("{'byteLength':36,'uri':'../b.bin'}"), "bad-uri", "/buffers/0/uri", STELE_DAMAGED},
        {TRIANGLE_IN("{'byteLength':36,'uri':'%2e%2e/b.bin'}"), "bad-uri", "/buffers/0/uri", STELE_DAMAGED},
        {TRIANGLE_IN("{'byteLength':36,'uri':'x/../../b.bin'}"), "bad-uri", "/buffers/0/uri", STELE_DAMAGED},
        {TRIANGLE_IN("{'byteLength':36,'uri':'/etc/passwd'}"), "bad-uri", "/buffers/0/uri", STELE_DAMAGED},
        {TRIANGLE_IN("{'byteLength':36,'uri':'c:/b.bin'}"), "bad-uri", "/buffers/0/uri", STELE_DAMAGED},
        {TRIANGLE_IN("{'byteLength':36,'uri':'http://example.com/b.bin'}"), "bad-uri", "/buffers/0/uri", STELE_DAMAGED},
        {TRIANGLE_IN("{'byteLength':36,'uri':'file:///b.bin'}"), "bad-uri", "/buffers/0/uri", STELE_DAMAGED},
        {TRIANGLE_IN("{'byteLength':36,'uri':'b.bin%00'}"), "bad-uri", "/buffers/0/uri", STELE_DAMAGED},
        {TRIANGLE_IN("{'byteLength':36,'uri':''}"), "bad-uri", "/buffers/0/uri", STELE_DAMAGED},
        {TRIANGLE_IN("{'byteLength':36,'uri':'data:application/octet-stream'}"), "bad-uri", "/buffers/0/uri", STELE_DAMAGED},
        {TRIANGLE_IN("{'byteLength':36,'uri':'data:,%00%01%'}"), "buffer-too-short", "/buffers/0/byteLength", STELE_DAMAGED},
        {TRIANGLE_IN("{'byteLength':36,'uri':'data:;base64'}"), "bad-uri", "/buffers/0/uri", STELE_DAMAGED},
        {TRIANGLE_IN("{'byteLength':36,'uri':'data:;base64,AA-A" TRIANGLE_DATA "'}"), "bad-uri", "/buffers/0/uri",
         STELE_DAMAGED},
        {TRIANGLE_IN("{'byteLength':36,'uri':'data:;base64," TRIANGLE_DATA "A'}"), "bad-uri", "/buffers/0/uri", STELE_DAMAGED},
        {TRIANGLE_IN("{'byteLength':36,'uri':'data:;base64," TRIANGLE_DATA "AA='}"), "bad-uri", "/buffers/0/uri",
         STELE_DAMAGED},
        {TRIANGLE_IN("{'byteLength':36,'uri':'data:;base64,AAAA'}"), "buffer-too-short", "/buffers/0/byteLength",
         STELE_DAMAGED},
        {"{" ASSET ",'images':[{'uri':'../x.png'}]}", "name-leaves-folder", "/images/0/uri", STELE_OK},
        {"{" ASSET ",'images':[{'uri':'https://x/y.png'}],'textures':[{'source':0}]}", "not-carried", "/images/0/uri",
         STELE_OK},
        {"{" ASSET ",'images':[{'uri':'x.png'}]}", "texture-missing", "/images/0/uri", STELE_OK},
        /* views and accessors */
        {VIEWS("{'buffer':0,'byteLength':61}", "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}"),
         "accessor-out-of-range", "/bufferViews/0", STELE_DAMAGED},
        {VIEWS("{'buffer':0,'byteOffset':59,'byteLength':2}", "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}"),
         "accessor-out-of-range", "/bufferViews/0", STELE_DAMAGED},
        {VIEWS("{'buffer':0,'byteOffset':9007199254740992,'byteLength':9007199254740992}",
               "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}"),
         "accessor-out-of-range", "/bufferViews/0", STELE_DAMAGED},
        {VIEWS("{'buffer':1,'byteLength':36}", "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}"),
         "reference-out-of-range", "/bufferViews/0/buffer", STELE_DAMAGED},
        {VIEWS("{'byteLength':36}", ""), "bad-field", "/bufferViews/0", STELE_DAMAGED},
        {VIEWS("{'buffer':0}", ""), "bad-field", "/bufferViews/0", STELE_DAMAGED},
        {VIEWS(V36, "{'bufferView':0,'componentType':5126,'count':4,'type':'VEC3'}"), "accessor-out-of-range", "/accessors/0",
         STELE_DAMAGED},
        {VIEWS(V36, "{'bufferView':0,'byteOffset':1,'componentType':5126,'count':3,'type':'VEC3'}"), "accessor-out-of-range",
         "/accessors/0", STELE_DAMAGED},
        {VIEWS(V36, "{'bufferView':0,'byteOffset':1e15,'componentType':5126,'count':3,'type':'VEC3'}"), "accessor-out-of-range",
         "/accessors/0", STELE_DAMAGED},
        {VIEWS("{'buffer':0,'byteLength':36,'byteStride':16}", "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}"),
         "accessor-out-of-range", "/accessors/0", STELE_DAMAGED},
        {VIEWS("{'buffer':0,'byteLength':36,'byteStride':2147483647}",
               "{'bufferView':0,'componentType':5126,'count':9007199254740991,'type':'VEC3'}"),
         "accessor-out-of-range", "/accessors/0", STELE_DAMAGED},
        {VIEWS("{'buffer':0,'byteLength':36,'byteStride':3e9}",
               "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}"),
         "count-too-large", "/bufferViews/0/byteStride", STELE_DAMAGED},
        {VIEWS(V36, "{'bufferView':0,'componentType':5126,'count':1e18,'type':'VEC3'}"), "count-too-large",
         "/accessors/0/count", STELE_DAMAGED},
        {VIEWS(V36, "{'bufferView':0,'componentType':5126,'count':1e400,'type':'VEC3'}"), "count-too-large",
         "/accessors/0/count", STELE_DAMAGED},
        {VIEWS(V36, "{'bufferView':0,'componentType':5126,'count':-1,'type':'VEC3'}"), "bad-field", "/accessors/0/count",
         STELE_DAMAGED},
        {VIEWS(V36, "{'bufferView':0,'componentType':5126,'count':1.5,'type':'VEC3'}"), "bad-field", "/accessors/0/count",
         STELE_DAMAGED},
        {VIEWS(V36, "{'bufferView':0,'componentType':5126,'count':'3','type':'VEC3'}"), "bad-field", "/accessors/0/count",
         STELE_DAMAGED},
        {VIEWS(V36, "{'componentType':5126,'count':1000000000,'type':'VEC3'}"), "count-too-large", "/accessors/0",
         STELE_DAMAGED},
        {VIEWS(V36, "{'bufferView':0,'componentType':5124,'count':3,'type':'VEC3'}"), "bad-field", "/accessors/0/componentType",
         STELE_DAMAGED},
        {VIEWS(V36, "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC5'}"), "bad-field", "/accessors/0/type",
         STELE_DAMAGED},
        {VIEWS(V36, "{'bufferView':0,'componentType':5126,'count':3}"), "bad-field", "/accessors/0", STELE_DAMAGED},
        {VIEWS(V36, "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC2'}"), "bad-field",
         "/meshes/0/primitives/0/attributes/POSITION", STELE_DAMAGED},
        {VIEWS(V36, "{'bufferView':0,'componentType':5126,'count':2,'type':'MAT2'}"), "bad-field",
         "/meshes/0/primitives/0/attributes/POSITION", STELE_DAMAGED},
        /* sparse */
        {VIEWS(V36, "{'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':4}}"), "bad-field",
         "/accessors/0/sparse/count", STELE_DAMAGED},
        {VIEWS(V36, "{'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':1,'indices':{'bufferView':0,"
                    "'componentType':5126},'values':{'bufferView':0}}}"),
         "bad-field", "/accessors/0/sparse/indices/componentType", STELE_DAMAGED},
        {VIEWS(V36 ",{'buffer':0,'byteOffset':48,'byteLength':12}",
               "{'componentType':5126,'count':2,'type':'VEC3','sparse':{'count':2,'indices':{'bufferView':1,"
               "'componentType':5125},'values':{'bufferView':0}}}"),
         "accessor-out-of-range", "/accessors/0/sparse/indices", STELE_DAMAGED},
        {VIEWS(V36 ",{'buffer':0,'byteOffset':36,'byteLength':4}",
               "{'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':3,'indices':{'bufferView':1,"
               "'componentType':5121},'values':{'bufferView':0}}}"),
         "accessor-out-of-range", "/accessors/0/sparse/indices", STELE_DAMAGED}, /* 2 1 0: not in order */
        {VIEWS(V36, "{'componentType':5126,'count':9,'type':'VEC3','sparse':{'count':4,'indices':{'bufferView':0,"
                    "'componentType':5121},'values':{'bufferView':0}}}"),
         "accessor-out-of-range", "/accessors/0/sparse/values", STELE_DAMAGED},
        /* primitives */
        {TRIANGLE("{'attributes':{}}"), "not-carried", "/meshes/0/primitives/0", STELE_OK},
        {TRIANGLE("{}"), "attribute-missing", "/meshes/0/primitives/0", STELE_DAMAGED},
        {TRIANGLE(""), "bad-field", "/meshes/0", STELE_DAMAGED},
        {TRIANGLE("{'attributes':{'POSITION':9}}"), "reference-out-of-range", "/meshes/0/primitives/0/attributes/POSITION",
         STELE_DAMAGED},
        {TRIANGLE("{'attributes':{'POSITION':0},'indices':9}"), "reference-out-of-range", "/meshes/0/primitives/0/indices",
         STELE_DAMAGED},
        {TRIANGLE("{'attributes':{'POSITION':0},'indices':0}"), "bad-field", "/meshes/0/primitives/0/indices", STELE_DAMAGED},
        {TRIANGLE("{'attributes':{'POSITION':0},'material':0}"), "reference-out-of-range", "/meshes/0/primitives/0/material",
         STELE_DAMAGED},
        {TRIANGLE("{'attributes':{'POSITION':0},'mode':7}"), "bad-field", "/meshes/0/primitives/0/mode", STELE_DAMAGED},
        {TRIANGLE("{'attributes':{'POSITION':0},'targets':[{'POSITION':1}]}"), "bad-field",
         "/meshes/0/primitives/0/targets/0/POSITION", STELE_DAMAGED},
        {TRIANGLE("{'attributes':{'POSITION':0},'targets':[{}]},{'attributes':{'POSITION':0}}"), "attribute-count",
         "/meshes/0/primitives/1", STELE_DAMAGED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_bad(&cases[i], &triangle, sizeof triangle);
}

/* Read as they are meant, but others refuse them. */
static void against_the_specification(void **state)
{
    static const bad_document cases[] = {
        {"{" ASSET ",'nodes':[]}", "against-spec", "/nodes", STELE_OK},
        {"{" ASSET ",'nodes':[{'children':[]}]}", "against-spec", "/nodes/0/children", STELE_OK},
        {"{" ASSET ",'buffers':[{'byteLength':0}]}", "against-spec", "/buffers/0", STELE_OK},
        {"{" ASSET ",'images':[{'name':'neither'}]}", "against-spec", "/images/0", STELE_OK},
        {VIEWS(V36, "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','max':[9,9,9]}"), "against-spec",
         "/accessors/0/max", STELE_OK},
        {VIEWS(V36, "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}"), "against-spec",
         "/meshes/0/primitives/0/attributes/POSITION", STELE_OK},
        {"{" ASSET ",'accessors':[{'componentType':5126,'count':3,'type':'VEC3','byteOffset':4}]}", "against-spec",
         "/accessors/0/byteOffset", STELE_OK},
        {"{" ASSET ",'accessors':[{'componentType':5126,'count':3,'type':'VEC3','normalized':true}]}", "against-spec",
         "/accessors/0/normalized", STELE_OK},
        {"{" ASSET ",'nodes':[{'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],'scale':[1,1,1]}]}", "against-spec", "/nodes/0",
         STELE_OK},
        {"{" ASSET ",'nodes':[{},{}],'skins':[{'joints':[0],'skeleton':1}]}", "against-spec", "/skins/0/skeleton", STELE_OK},
        {"{" ASSET ",'nodes':[{},{}],'skins':[{'joints':[0,1]}]}", "against-spec", "/skins/0", STELE_OK},
        {"{" ASSET ",'materials':[{'extensions':{'KHR_materials_unlit':{}}}]}", "against-spec",
         "/materials/0/extensions/KHR_materials_unlit", STELE_OK},
        {"{" ASSET ",'extensionsUsed':['A','B','A']}", "against-spec", "/extensionsUsed/2", STELE_OK},
        {TRIANGLE_IN("{'byteLength':36,'uri':'data:application/octet-stream;;base64," TRIANGLE_DATA "'}"), "against-spec",
         "/buffers/0/uri", STELE_OK},
        {TRIANGLE_IN("{'byteLength':36,'uri':'data:text/plain;base64," TRIANGLE_DATA "'}"), "against-spec", "/buffers/0/uri",
         STELE_OK},
        {"{" ASSET ",'images':[{'uri':'data:image/png;base64,AAAA'}]}", "texture-unreadable", "/images/0/uri", STELE_OK},
        /* and what is lost of them */
        {"{" ASSET ",'nodes':[{'visible':false}]}", "not-carried", "/nodes/0/visible", STELE_OK},
        {"{" ASSET ",'samplers':[{'extensions':{'KHR_materials_unlit':{}}}]}", "extension-ignored",
         "/samplers/0/extensions/KHR_materials_unlit", STELE_OK},
        {"{" ASSET ",'materials':[{'extensions':{'KHR_materials_specular':{'extras':{'a':1}}}}]}", "not-carried",
         "/materials/0/extensions/KHR_materials_specular/extras", STELE_OK},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_found(&cases[i], &triangle, sizeof triangle, STELE_CHECK_FULL);
}

/* A buffer without bytes does no harm as long as nobody wants any, and bytes need not be in base64. */
static void bytes_of_buffers(void **state)
{
    (void)state;
    stele_file *file =
        open_text("{" ASSET ",'buffers':[{'byteLength':4}],'bufferViews':[{'buffer':0,'byteLength':4}]}", NULL, 0);
    assert_non_null(model_of(file));
    stele_close(file);
    file = open_text("{" ASSET ",'buffers':[{'byteLength':4,'uri':'data:,%00%00%80%3f'}],'bufferViews':[{'buffer':0,"
                     "'byteLength':4}],'accessors':[{'bufferView':0,'componentType':5126,'count':1,'type':'SCALAR'}],"
                     "'nodes':[{}],'animations':[{'samplers':[{'input':0,'output':0}],'channels':[]}]}",
                     NULL, 0);
    assert_non_null(model_of(file));
    stele_close(file);
}

static void bad_animations(void **state)
{
    static const bad_document cases[] = {
        {KEYS("{'input':0,'output':1}", "{'sampler':1,'target':{'node':0,'path':'scale'}}"), "reference-out-of-range",
         "/animations/0/channels/0/sampler", STELE_DAMAGED},
        {KEYS("{'input':0,'output':1}", "{'sampler':0,'target':{'node':1,'path':'scale'}}"), "reference-out-of-range",
         "/animations/0/channels/0/target/node", STELE_DAMAGED},
        {KEYS("{'input':0,'output':1}", "{'sampler':0,'target':{'path':'scale'}}"), "not-carried", "/animations/0/channels/0",
         STELE_OK},
        {KEYS("{'input':0,'output':1}", CHANNEL("size")), "bad-field", "/animations/0/channels/0/target/path", STELE_DAMAGED},
        {KEYS("{'input':0,'output':1}", "{'sampler':0,'target':{'node':0}}"), "bad-field", "/animations/0/channels/0/target",
         STELE_DAMAGED},
        {KEYS("{'input':0,'output':1,'interpolation':'FAST'}", CHANNEL("scale")), "bad-field",
         "/animations/0/samplers/0/interpolation", STELE_DAMAGED},
        {KEYS("{'input':1,'output':1}", CHANNEL("scale")), "bad-field", "/animations/0/samplers/0/input", STELE_DAMAGED},
        {KEYS("{'input':0,'output':2}", CHANNEL("scale")), "bad-field", "/animations/0/samplers/0/output", STELE_DAMAGED},
        {KEYS("{'input':0,'output':3}", CHANNEL("scale")), "attribute-count", "/animations/0/samplers/0/output", STELE_DAMAGED},
        {KEYS("{'input':0,'output':1,'interpolation':'CUBICSPLINE'}", CHANNEL("scale")), "attribute-count",
         "/animations/0/samplers/0/output", STELE_DAMAGED},
        {KEYS("{'input':0,'output':0}", CHANNEL("weights")), "attribute-count", "/animations/0/samplers/0/output",
         STELE_DAMAGED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_bad(&cases[i], &keys, sizeof keys);
}

/* The text with one part replaced. */
static const char *replaced(const char *text, const char *from, const char *to)
{
    static char out[1 << 14];
    const char *at = strstr(text, from);
    assert_non_null(at);
    snprintf(out, sizeof out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}

static void bad_skins(void **state)
{
    static const struct {
        const char *from, *to, *id, *pointer;
        stele_status status;
    } cases[] = {
        {"'joints':[1,2]", "'joints':[1]", "bone-out-of-range", "/meshes/0/primitives/0/attributes/JOINTS_0", STELE_DAMAGED},
        {"'joints':[1,2]", "'joints':[1,2,1]", "attribute-count", "/skins/0/inverseBindMatrices", STELE_DAMAGED},
        {"'inverseBindMatrices':3", "'inverseBindMatrices':2", "bad-field", "/skins/0/inverseBindMatrices", STELE_DAMAGED},
        {",'WEIGHTS_0':2", "", "attribute-missing", "/meshes/0/primitives/0/attributes", STELE_DAMAGED},
        {"'JOINTS_0':1,", "", "attribute-missing", "/meshes/0/primitives/0/attributes", STELE_DAMAGED},
        {"'JOINTS_0':1", "'JOINTS_1':1", "attribute-missing", "/meshes/0/primitives/0/attributes", STELE_DAMAGED},
        {"'JOINTS_0':1", "'JOINTS_0':2", "bad-field", "/meshes/0/primitives/0/attributes/JOINTS_0", STELE_DAMAGED},
        {"'count':2,'type':'MAT4'", "'count':1,'type':'MAT4'", "attribute-count", "/skins/0/inverseBindMatrices",
         STELE_DAMAGED},
        {"{'bufferView':1,'componentType':5121,'count':2", "{'bufferView':1,'componentType':5121,'count':1", "attribute-count",
         "/meshes/0/primitives/0/attributes/JOINTS_0", STELE_DAMAGED},
        {"'JOINTS_0':1,'WEIGHTS_0':2", "'COLOR_0':2", "nonstandard-layout", "/nodes/0/skin", STELE_OK},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_bad(
            &(bad_document){replaced(SKINNED, cases[i].from, cases[i].to), cases[i].id, cases[i].pointer, cases[i].status},
            &skinned, sizeof skinned);
}

/* ---- Values that are wrong; the offset is that of the value, in a file that holds its buffer ---- */

static void expect_finding_in(const char *text, const void *bin, size_t size, const char *id, const char *pointer,
                              size_t offset, stele_status status)
{
    bytes glb = make_glb(text, bin, size);
    stele_options options = {.separate_allocations = true};
    stele_file *file = stele_open_memory(glb.data, glb.size, &options);
    const stele_diagnostic *d = find_diagnostic(file, id);
    if (!d || strcmp(d->path, pointer) != 0 || stele_file_status(file) != status)
        fail_msg("%s: status %d, %s", id, stele_file_status(file), stele_file_message(file));
    assert_int_equal(d->offset, glb.size - (size + 3) / 4 * 4 + offset);
    stele_file_model(file);
    stele_close(file);
    free(glb.data);
}

static void bad_values(void **state)
{
    struct {
        float position[9], uv[6];
        uint16_t index[3], restart;
    } data = {{0}, {0}, {0, 1, 2}, 0};
    static const char text[] =
        "{" ASSET "," ONE_MESH ",'buffers':[{'byteLength':66}],'bufferViews':[{'buffer':0,'byteLength':36},"
        "{'buffer':0,'byteOffset':36,'byteLength':24},{'buffer':0,'byteOffset':60,'byteLength':6}],'accessors':["
        "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
        "{'bufferView':1,'componentType':5126,'count':3,'type':'VEC2'},"
        "{'bufferView':2,'componentType':5123,'count':3,'type':'SCALAR'}],"
        "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'TEXCOORD_0':1},'indices':2}]}]}";
    (void)state;
    data.position[4] = NAN;
    expect_finding_in(text, &data, sizeof data, "nonfinite-position", "/accessors/0", 12, STELE_DAMAGED);
    data.position[4] = 0;
    data.uv[5] = INFINITY;
    expect_finding_in(text, &data, sizeof data, "nonfinite-uv", "/accessors/1", 52, STELE_OK);
    expect_finding_in(text, &data, sizeof data, "nonfinite-uv", "/accessors/1", 52, STELE_OK);
    data.uv[5] = 0;
    data.index[1] = 3;
    expect_finding_in(text, &data, sizeof data, "index-out-of-range", "/accessors/2", 62, STELE_DAMAGED);
    data.index[1] = 65535;
    expect_finding_in(text, &data, sizeof data, "index-out-of-range", "/accessors/2", 62, STELE_DAMAGED);
}

/* The greatest index restarts a primitive in other worlds, and is forbidden here even if there are that many vertices. */
static void restart_index(void **state)
{
    enum { VERTICES = 256 };
    struct {
        float position[3 * VERTICES];
        uint8_t index[4];
    } data = {{0}, {0, 254, 255, 0}};
    static const char text[] = "{" ASSET "," ONE_MESH ",'buffers':[{'byteLength':3075}],'bufferViews':[{'buffer':0,"
                               "'byteLength':3072},{'buffer':0,'byteOffset':3072,'byteLength':3}],'accessors':["
                               "{'bufferView':0,'componentType':5126,'count':256,'type':'VEC3'},"
                               "{'bufferView':1,'componentType':5121,'count':3,'type':'SCALAR'}],"
                               "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1}]}]}";
    (void)state;
    expect_finding_in(text, &data, sizeof data, "index-out-of-range", "/accessors/1", 3074, STELE_DAMAGED);
}

/* Vertices are looked at in blocks; integers among them look like NaN, and rows lie across the borders. */
static void nonfinite_among_integers(void **state)
{
    enum { ROWS = 8000 };
    typedef struct vertex {
        float position[3], uv;
        uint8_t color[4];
    } vertex;
    static const size_t rows[] = {0, 1, 3275, 3276, 3277, 6552, 6553, 6554, ROWS - 1};
    static const char text[] =
        "{" ASSET "," ONE_MESH ",'buffers':[{'byteLength':160000}],'bufferViews':[{'buffer':0,'byteLength':160000,"
        "'byteStride':20}],'accessors':[{'bufferView':0,'componentType':5126,'count':8000,'type':'VEC3'},"
        "{'bufferView':0,'byteOffset':16,'componentType':5121,'normalized':true,'count':8000,'type':'VEC4'}],"
        "'meshes':[{'primitives':[{'mode':0,'attributes':{'POSITION':0,'COLOR_0':1}}]}]}";
    vertex *vertices = calloc(ROWS, sizeof *vertices);
    (void)state;
    for (int colored = 0; colored < 2; colored++) {
        for (size_t i = 0; colored && i < ROWS; i++)
            memset(vertices[i].color, 0xFF, 4);
        bytes glb = make_glb(text, vertices, ROWS * sizeof *vertices);
        stele_file *file = stele_open_memory(glb.data, glb.size, NULL);
        model_of(file);
        stele_close(file);
        free(glb.data);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            for (int k = 0; k < 3; k++) {
                vertices[rows[i]].position[k] = NAN;
                expect_finding_in(text, vertices, ROWS * sizeof *vertices, "nonfinite-position", "/accessors/0",
                                  rows[i] * sizeof *vertices, STELE_DAMAGED);
                vertices[rows[i]].position[k] = 0;
            }
    }
    free(vertices);
}

/* A uv that is not finite is set to 0 in the model, and an error in the file stays one whatever its rule says. */
static void repaired_values(void **state)
{
    float data[15] = {0};
    static const char text[] =
        "{" ASSET "," ONE_MESH
        "," BUFFER("60") ",'bufferViews':[{'buffer':0,'byteLength':60}],'accessors':["
                         "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
                         "{'bufferView':0,'byteOffset':36,'componentType':5126,'count':3,'type':'VEC2'}],"
                         "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'TEXCOORD_0':1}}]}]}";
    static const stele_rule mild = {"nonfinite-position", STELE_NOTE};
    (void)state;
    data[9] = NAN;
    data[12] = 5;
    stele_file *file = open_text(text, data, sizeof data);
    assert_view(attribute(model_of(file), STELE_UV, 0), 3, 2, NUMBERS(0, 0, 0, 5, 0, 0));
    assert_non_null(find_diagnostic(file, "repaired-uv"));
    stele_close(file);
    data[0] = NAN;
    stele_options options = options_of(&current);
    options.rules = &mild;
    options.rule_count = 1;
    file = stele_open_memory(current.json, strlen(current.json), &options);
    assert_null(stele_file_model(file));
    stele_close(file);
}

/* A full check looks at what makes sense, too. */
static void full_check(void **state)
{
    static const struct {
        float normal[6], weights[8];
        uint8_t joints[8];
        uint16_t index[3], pad;
    } data = {{0, 0, 2, 0, 0, 0}, {.5f, 0, 0, 0, 0, 0, 0, 0}, {0}, {0, 1, 1}, 0};
    static const char text[] = "{" ASSET ",'nodes':[{'mesh':0,'rotation':[0,0,0,2]}]," BUFFER(
        "72") ",'bufferViews':[{'buffer':0,'byteLength':24},"
              "{'buffer':0,'byteOffset':24,'byteLength':32},{'buffer':0,'byteOffset':56,'byteLength':8},"
              "{'buffer':0,'byteOffset':64,'byteLength':8}],'accessors':["
              "{'bufferView':0,'componentType':5126,'count':2,'type':'VEC3'},"
              "{'bufferView':1,'componentType':5126,'count':2,'type':'VEC4'},"
              "{'bufferView':2,'componentType':5121,'count':2,'type':'VEC4'},"
              "{'bufferView':3,'componentType':5123,'count':3,'type':'SCALAR'}],'meshes':[{'primitives':[{'attributes':"
              "{'POSITION':0,'NORMAL':0,'WEIGHTS_0':1,'JOINTS_0':2},'indices':3}]}]}";
    static const char *const found[][2] = {{"normal-length", "/meshes/0/primitives/0/attributes/NORMAL"},
                                           {"normal-zero", "/meshes/0/primitives/0/attributes/NORMAL"},
                                           {"weight-sum", "/meshes/0/primitives/0/attributes/WEIGHTS_0"},
                                           {"weight-all-zero", "/meshes/0/primitives/0/attributes/WEIGHTS_0"},
                                           {"degenerate-triangle", "/meshes/0/primitives/0"},
                                           {"rotation-not-unit", "/nodes/0"}};
    (void)state;
    stele_file *file = open_text(text, &data, sizeof data);
    assert_int_equal(stele_file_status(file), STELE_OK);
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        assert_null(find_diagnostic(file, found[i][0]));
    stele_close(file);
    stele_options options = options_of(&current);
    options.check = STELE_CHECK_FULL;
    file = stele_open_memory(current.json, strlen(current.json), &options);
    assert_int_equal(stele_file_status(file), STELE_OK);
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        assert_non_null(find_diagnostic(file, found[i][0]));
        assert_string_equal(find_diagnostic(file, found[i][0])->path, found[i][1]);
    }
    stele_close(file);
}

/* The mesh checks of all formats hold for glTF: with and without indices, of integers, with several sets of weights. */
static void full_check_of_meshes(void **state)
{
    static const struct {
        float position[9], tangent[12], half[12];
        int16_t small[3][4];
        uint8_t joints[12];
        uint16_t index[3][2]; /* 4 bytes apart */
    } data = {{0, 0, 0, 1, 1, 1, 2, 2, 2},
              {1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1},
              {.5f, 0, 0, 0, .5f, 0, 0, 0, .5f, 0, 0, 0},
              {{1, 0, 0, 0}, {3, 0, 0, 0}, {5, 0, 0, 0}},
              {0},
              {{0}, {2}, {1}}};
    static const char text[] = "{" ASSET ",'nodes':[{'mesh':0}]," BUFFER(
        "180") ",'bufferViews':[{'buffer':0,'byteLength':36},{'buffer':0,'byteOffset':36,'byteLength':48},"
               "{'buffer':0,'byteOffset':84,'byteLength':48},{'buffer':0,'byteOffset':132,'byteLength':24,'byteStride':8},"
               "{'buffer':0,'byteOffset':156,'byteLength':12},{'buffer':0,'byteOffset':168,'byteLength':12,'byteStride':4}],"
               "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
               "{'bufferView':1,'componentType':5126,'count':3,'type':'VEC4'},"
               "{'bufferView':2,'componentType':5126,'count':3,'type':'VEC4'},"
               "{'bufferView':3,'componentType':5122,'count':3,'type':'VEC3'},"
               "{'bufferView':4,'componentType':5121,'count':3,'type':'VEC4'},"
               "{'bufferView':5,'componentType':5123,'count':3,'type':'SCALAR'}],'meshes':[{'primitives':["
               "{'attributes':{'POSITION':0,'TANGENT':1},'indices':5},{'attributes':{'POSITION':3}},"
               "{'attributes':{'POSITION':0,'WEIGHTS_0':2,'JOINTS_0':4,'WEIGHTS_1':2,'JOINTS_1':4},'mode':0}]}]}";
    static const struct {
        const char *id, *path, *text;
    } found[] = {
        {"zero-area-triangle", "/meshes/0/primitives/0", "index 0 starts a triangle without area"},
        {"zero-area-triangle", "/meshes/0/primitives/1/attributes/POSITION", "position 0 starts a triangle without area"},
        {"tangent-zero", "/meshes/0/primitives/0/attributes/TANGENT", "tangent 1 has no length"},
        {"tangent-without-uv", "/meshes/0/primitives/0", NULL}};
    (void)state;
    stele_close(open_text(text, &data, sizeof data));
    stele_options options = options_of(&current);
    options.check = STELE_CHECK_FULL;
    stele_file *file = stele_open_memory(current.json, strlen(current.json), &options);
    assert_int_equal(stele_file_status(file), STELE_OK);
    size_t count, seen = 0;
    const stele_diagnostic *d = stele_file_diagnostics(file, &count);
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        for (size_t k = 0; k < count; k++)
            seen += strcmp(d[k].id, found[i].id) == 0 && strcmp(d[k].path, found[i].path) == 0 && d[k].count == 1 &&
                    (!found[i].text || strcmp(d[k].text, found[i].text) == 0);
    assert_int_equal(seen, sizeof found / sizeof *found);
    assert_null(find_diagnostic(file, "weight-sum"));
    assert_null(find_diagnostic(file, "index-count"));
    stele_close(file);
}

/* Indices that are not side by side, in a number at which triangles are looked at many at a time. */
static void full_check_of_spread_indices(void **state)
{
    static struct {
        float position[9];
        uint16_t index[120][2];
    } data = {{0, 0, 0, 1, 0, 0, 0, 1, 0}, {{0}}};
    static const char text[] = "{" ASSET ",'nodes':[{'mesh':0}]," BUFFER(
        "516") ",'bufferViews':[{'buffer':0,'byteLength':36},{'buffer':0,'byteOffset':36,'byteLength':480,'byteStride':4}],"
               "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
               "{'bufferView':1,'componentType':5123,'count':120,'type':'SCALAR'}],"
               "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1}]}]}";
    (void)state;
    /* all triangles use a vertex twice, and none would with what lies between their indices */
    for (int i = 0; i < 120; i++) {
        data.index[i][0] = i % 3 == 1;
        data.index[i][1] = i % 3 == 1 ? 1 : 2;
    }
    stele_close(open_text(text, &data, sizeof data));
    stele_options options = options_of(&current);
    options.check = STELE_CHECK_FULL;
    stele_file *file = stele_open_memory(current.json, strlen(current.json), &options);
    assert_int_equal(stele_file_status(file), STELE_OK);
    assert_non_null(find_diagnostic(file, "degenerate-triangle"));
    assert_int_equal(find_diagnostic(file, "degenerate-triangle")->count, 40);
    stele_close(file);
}

/* ---- The container, names outside, and the promises of memory and time ---- */

static void outside_when_allowed(void **state)
{
    (void)state;
    set_text(TRIANGLE_IN("{'byteLength':36,'uri':'../b.bin'}"));
    current.bin = &triangle;
    current.bin_size = sizeof triangle;
    stele_options options = options_of(&current);
    options.load.allow_outside = true;
    stele_file *file = stele_open_memory(current.json, strlen(current.json), &options);
    assert_view(attribute(model_of(file), STELE_POSITION, 0), 3, 3, NUMBERS(0, 0, 0, 1, 0, 0, 0, 1, 0));
    stele_close(file);
}

static void damaged_containers(void **state)
{
    static const struct {
        size_t at;
        uint32_t value;
        const char *id;
    } cases[] = {{8, 11, "size-mismatch"},     {8, 0, "size-mismatch"},  {8, 100000, "truncated"},
                 {12, 8, "size-mismatch"},     {12, 0, "size-mismatch"}, {12, 0xFFFFFFFF, "size-mismatch"},
                 {16, 0x12345678, "bad-json"}, {4, 1, "bad-version"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes glb = make_glb(TRIANGLE_IN("{'byteLength':36}"), &triangle, 36);
        put_u32(glb.data + cases[i].at, cases[i].value);
        stele_file *file = stele_open_memory(glb.data, glb.size, NULL);
        if (stele_file_status(file) == STELE_OK || !find_diagnostic(file, cases[i].id))
            fail_msg("%zu: status %d, %s", i, stele_file_status(file), stele_file_message(file));
        assert_null(stele_file_model(file));
        stele_close(file);
        free(glb.data);
    }
}

static void truncated_everywhere(void **state)
{
    bytes glb = make_glb(TRIANGLE_IN("{'byteLength':36}"), &triangle, 36);
    (void)state;
    for (size_t size = 0; size < glb.size; size++) {
        bytes cut = copy_bytes(glb.data, size);
        stele_file *file = stele_open_memory(cut.data, cut.size, &(stele_options){.name = "x.glb"});
        assert_int_not_equal(stele_file_status(file), STELE_OK);
        assert_null(stele_file_model(file));
        stele_close(file);
        free(cut.data);
    }
    free(glb.data);
    set_text(TRIANGLE_IN("{'byteLength':36,'uri':'data:;base64," TRIANGLE_DATA "'}"));
    for (size_t size = 0; size < strlen(current.json); size++) {
        bytes cut = copy_bytes(current.json, size);
        stele_file *file = stele_open_memory(cut.data, cut.size, &(stele_options){.name = "x.gltf", .format = "gltf"});
        assert_int_not_equal(stele_file_status(file), STELE_OK);
        assert_null(stele_file_model(file));
        stele_close(file);
        free(cut.data);
    }
}

/* Many accessors and primitives over the same bytes: each is cheap to write down, and must not be paid for a thousand times. */
static void small_texts_stay_small(void **state)
{
    enum { TIMES = 1000 };
    static char text[1 << 20];
    static float data[3 * 4096];
    char *p = text;
    (void)state;
    p += sprintf(p, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0}],\"buffers\":[{\"uri\":\"b.bin\",\"byteLength\":"
                    "49152}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":49152}],\"accessors\":[{\"bufferView\":0,"
                    "\"componentType\":5126,\"count\":4096,\"type\":\"VEC3\"}],\"meshes\":[{\"primitives\":[");
    for (int i = 0; i < TIMES; i++)
        p += sprintf(p, "%s{\"attributes\":{\"POSITION\":0},\"mode\":5}", i ? "," : "");
    p += sprintf(p, "]}]}");
    current.bin = data;
    current.bin_size = sizeof data;
    stele_options options = options_of(&current);
    stele_file *file = stele_open_memory(text, (size_t)(p - text), &options);
    assert_int_equal(stele_file_status(file), STELE_DAMAGED);
    assert_non_null(find_diagnostic(file, "count-too-large"));
    assert_true(stele_file_memory(file) < 20 * ((uint64_t)(p - text) + sizeof data) + (1 << 20));
    stele_close(file);
}

/* Whatever allocation fails, the file says so and nothing else happens. */
static void no_memory(void **state)
{
    char path[1024];
    (void)state;
    snprintf(path, sizeof path, "%s/fuzz/seeds/everything.gltf", project_folder());
    bytes text = read_bytes(path);
    stele_options options = {.name = "x.gltf", .separate_allocations = true, .check = STELE_CHECK_FULL};
    stele_file *file = stele_open_memory(text.data, text.size, &options);
    assert_non_null(stele_file_model(file));
    uint64_t needed = stele_file_memory(file);
    stele_close(file);
    uint64_t refused = 0;
    for (options.memory_limit = 1; options.memory_limit < needed + 20000; options.memory_limit += 61) {
        file = stele_open_memory(text.data, text.size, &options);
        refused += !stele_file_model(file);
        assert_true(stele_file_model(file) || stele_file_status(file) == STELE_NO_MEMORY);
        stele_close(file);
    }
    assert_true(refused > 100);
    assert_true(refused < (needed + 20000) / 61);
    free(text.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_of_every_type),
        cmocka_unit_test(unindexed),
        cmocka_unit_test(every_topology),
        cmocka_unit_test(interleaved),
        cmocka_unit_test(integers),
        cmocka_unit_test(sparse),
        cmocka_unit_test(sparse_morphs),
        cmocka_unit_test(places_of_buffers),
        cmocka_unit_test(binary),
        cmocka_unit_test(scenes),
        cmocka_unit_test(places_of_nodes),
        cmocka_unit_test(interpolations),
        cmocka_unit_test(animated_weights),
        cmocka_unit_test(unsorted_keys),
        cmocka_unit_test(skins),
        cmocka_unit_test(materials),
        cmocka_unit_test(extras),
        cmocka_unit_test(what_is_passed_over),
        cmocka_unit_test(extensions_without_end),
        cmocka_unit_test(extras_without_a_place),
        cmocka_unit_test(lengths_are_repaired),
        cmocka_unit_test(malformed_json),
        cmocka_unit_test(good_json),
        cmocka_unit_test(deep_json),
        cmocka_unit_test(bad_documents),
        cmocka_unit_test(against_the_specification),
        cmocka_unit_test(bytes_of_buffers),
        cmocka_unit_test(bad_animations),
        cmocka_unit_test(bad_skins),
        cmocka_unit_test(bad_values),
        cmocka_unit_test(restart_index),
        cmocka_unit_test(nonfinite_among_integers),
        cmocka_unit_test(repaired_values),
        cmocka_unit_test(full_check),
        cmocka_unit_test(full_check_of_meshes),
        cmocka_unit_test(full_check_of_spread_indices),
        cmocka_unit_test(outside_when_allowed),
        cmocka_unit_test(damaged_containers),
        cmocka_unit_test(truncated_everywhere),
        cmocka_unit_test(small_texts_stay_small),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
