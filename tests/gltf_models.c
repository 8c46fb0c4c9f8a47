/* Makes models through the public API that ask something special of the writer of glTF, and saves each as FOLDER/NAME.glb and
 * .gltf. Prints a line for each: its name, the format, the status and the diagnostics with their counts. tests/test_gltf.py
 * knows what must be in the files. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stele.h"

enum { ROOT = STELE_NONE };

static const float triangle[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

static void *keep(stele_file *f, const void *data, size_t size)
{
    void *copy = stele_memory(f, size);
    if (!copy)
        exit(2);
    memcpy(copy, data, size);
    return copy;
}

static stele_view floats(stele_file *f, const float *data, uint64_t count, uint32_t components)
{
    return stele_float_view(keep(f, data, (size_t)count * components * sizeof *data), count, components);
}

static stele_view integers(stele_file *f, const void *data, uint64_t count, uint32_t components, stele_type type)
{
    uint32_t row = components * stele_type_size(type);
    return (stele_view){keep(f, data, (size_t)count * row), count, row, components, type, false};
}

static uint32_t add_mesh(stele_file *f, const stele_primitive *primitives, size_t count)
{
    return stele_add_mesh(f, &(stele_mesh){.name = "m", .primitives = primitives, .primitive_count = count});
}

static uint32_t draw(stele_file *f, uint32_t mesh)
{
    stele_node node = stele_default_node();
    node.mesh = mesh;
    return stele_add_node(f, &node);
}

/* A triangle with nothing but positions. */
static stele_primitive plain(stele_file *f, stele_attribute *attribute)
{
    *attribute = (stele_attribute){.semantic = STELE_POSITION, .view = floats(f, triangle, 3, 3)};
    return (stele_primitive){.vertex_count = 3, .attributes = attribute, .attribute_count = 1, .material = STELE_NONE};
}

static uint32_t add_plain(stele_file *f)
{
    stele_attribute position;
    stele_primitive p = plain(f, &position);
    return add_mesh(f, &p, 1);
}

static void build_empty(stele_file *f)
{
    (void)f;
}

/* Rows of 36 bytes at an odd address: position, normal, uv and a colour of bytes; one bufferView. */
static void build_interleaved(stele_file *f)
{
    enum { ROW = 36, COUNT = 3 };
    uint8_t *rows = (uint8_t *)stele_memory(f, 1 + ROW * COUNT) + 1;
    for (int i = 0; i < COUNT; i++) {
        float numbers[8] = {triangle[3 * i], triangle[3 * i + 1], -1.5f, 0, 0, 1, (float)i, 0.25f};
        memcpy(rows + i * ROW, numbers, sizeof numbers);
        memcpy(rows + i * ROW + 32, (uint8_t[]){0, 51, 255, 255}, 4);
    }
    stele_view row = {rows, COUNT, ROW, 3, STELE_F32, false}, normal = row, uv = row, color = row;
    normal.data = rows + 12;
    uv.data = rows + 24;
    uv.components = 2;
    color = (stele_view){rows + 32, COUNT, ROW, 4, STELE_U8, true};
    stele_attribute attributes[] = {
        {STELE_COLOR, 0, color}, {STELE_UV, 0, uv}, {STELE_NORMAL, 0, normal}, {STELE_POSITION, 0, row}};
    stele_primitive p = {.vertex_count = COUNT, .attributes = attributes, .attribute_count = 4, .material = STELE_NONE};
    draw(f, add_mesh(f, &p, 1));
}

/* Rows that glTF does not allow: of 13 bytes, of 300 bytes, and uvs of two bytes. */
static void build_strides(stele_file *f)
{
    uint8_t *odd = stele_memory(f, 3 * 13), *wide = stele_memory(f, 3 * 300);
    for (int i = 0; i < 3; i++) {
        memcpy(odd + 13 * i, triangle + 3 * i, 12);
        memcpy(wide + 300 * i, (float[]){0, 1, 0}, 12);
    }
    stele_view uv = integers(f, (uint8_t[]){0, 255, 255, 0, 51, 102}, 3, 2, STELE_U8);
    uv.normalized = true;
    stele_attribute attributes[] = {{STELE_POSITION, 0, {odd, 3, 13, 3, STELE_F32, false}},
                                    {STELE_NORMAL, 0, {wide, 3, 300, 3, STELE_F32, false}},
                                    {STELE_UV, 0, uv}};
    stele_primitive p = {.vertex_count = 3, .attributes = attributes, .attribute_count = 3, .material = STELE_NONE};
    draw(f, add_mesh(f, &p, 1));
}

/* Rows of which a position is the smallest part; and one point, whose arrays lie beside each other without being interleaved.
 */
static void build_neighbours(stele_file *f)
{
    uint8_t *wide = stele_memory(f, 3 * 40);
    for (int i = 0; i < 3; i++)
        memcpy(wide + 40 * i, triangle + 3 * i, 12);
    float *point = keep(f, (float[]){1, 2, 3, 0, 0, 1, 7, 7, 7}, 36);
    stele_attribute little = {STELE_POSITION, 0, {wide, 3, 40, 3, STELE_F32, false}};
    stele_attribute beside[] = {{STELE_POSITION, 0, stele_float_view(point, 1, 3)},
                                {STELE_NORMAL, 0, stele_float_view(point + 3, 2, 3)}}; /* one row too many */
    stele_primitive primitives[] = {
        {.vertex_count = 3, .attributes = &little, .attribute_count = 1, .material = STELE_NONE},
        {.topology = STELE_POINTS, .vertex_count = 1, .attributes = beside, .attribute_count = 2, .material = STELE_NONE}};
    draw(f, add_mesh(f, primitives, 2));
}

/* Indices with the greatest number of their type, which restarts strips; and rows of indices with holes between. */
static void build_restart(stele_file *f)
{
    float *positions = stele_memory(f, 65536 * 12);
    for (int i = 0; i < 65536; i++)
        positions[3 * i] = (float)i;
    stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(positions, 65536, 3)}};
    stele_view holes = integers(f, (uint16_t[]){7, 99, 8, 99, 9, 99}, 6, 1, STELE_U16);
    holes.stride = 4;
    holes.count = 3;
    stele_view indices[] = {
        integers(f, (uint8_t[]){0, 1, 254}, 3, 1, STELE_U8),     integers(f, (uint8_t[]){0, 1, 255}, 3, 1, STELE_U8),
        integers(f, (uint16_t[]){0, 1, 65534}, 3, 1, STELE_U16), integers(f, (uint16_t[]){0, 1, 65535}, 3, 1, STELE_U16),
        integers(f, (uint32_t[]){0, 1, 65535}, 3, 1, STELE_U32), holes};
    stele_primitive primitives[6];
    for (size_t i = 0; i < 6; i++)
        primitives[i] = (stele_primitive){.vertex_count = 65536,
                                          .attributes = attributes,
                                          .attribute_count = 1,
                                          .material = STELE_NONE,
                                          .indices = indices[i]};
    draw(f, add_mesh(f, primitives, 6));
}

/* Dense, sparse (out of order, one vertex twice) and empty morphs, with names and weights, and a clip of the weights. */
static void build_morphs(stele_file *f)
{
    stele_attribute position;
    stele_primitive p = plain(f, &position);
    stele_morph morphs[] = {
        {.name = "dense", .position = floats(f, (float[]){1, 1, 1, 2, 2, 2, 3, 3, 3}, 3, 3)},
        {.name = "sparse",
         .vertices = integers(f, (uint16_t[]){2, 0, 2}, 3, 1, STELE_U16),
         .position = floats(f, (float[]){0, 0, 4, 0, 0, -1, 0, 0, 8}, 3, 3),
         .normal = floats(f, (float[]){0, 0, 4, 0, 0, -1, 0, 0, 8}, 3, 3)},
        {.name = NULL},
    };
    p.morphs = morphs;
    p.morph_count = 3;
    uint32_t mesh = stele_add_mesh(f, &(stele_mesh){.primitives = &p, .primitive_count = 1, .weights = (float[]){0.5f, 1, 0}});
    stele_node node = stele_default_node();
    node.mesh = mesh;
    node.weights = (float[]){0, 0.25f, 0};
    uint32_t drawn = stele_add_node(f, &node);
    stele_channel channel = {.node = drawn,
                             .path = STELE_MORPH_WEIGHTS,
                             .times = floats(f, (float[]){0, 2}, 2, 1),
                             .values = floats(f, (float[]){0, 0, 0, 1, 0.5f, 0}, 6, 1)};
    stele_add_clip(f, &(stele_clip){.name = "blend", .channels = &channel, .channel_count = 1});
}

/* Keys of all kinds, good and bad. */
static void build_clips(stele_file *f)
{
    stele_node node = stele_default_node();
    node.mesh = add_plain(f);
    uint32_t n = stele_add_node(f, &node);
    stele_view two = floats(f, (float[]){0, 1}, 2, 1), same = floats(f, (float[]){0, 1}, 2, 1);
    stele_view early = floats(f, (float[]){-1, 0, 0.5f, 1}, 4, 1), one = floats(f, (float[]){0.5f}, 1, 1);
    stele_view four = floats(f, (float[]){9, 9, 9, 1, 1, 1, 2, 2, 2, 3, 3, 3}, 4, 3);
    stele_view turns = floats(f, (float[]){0, 0, 0, 2, 0, 0, 1, 1}, 2, 4);
    stele_view cubic = floats(f, (float[]){0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}, 6, 3);
    stele_view curve = floats(f, (float[]){7, 7, 7, 2, 3, 4, 7, 7, 7}, 3, 3);
    stele_channel mixed[] = {{n, STELE_ROTATION, STELE_LINEAR, two, turns},
                             {n, STELE_TRANSLATION, STELE_CUBIC, same, cubic},
                             {n, STELE_TRANSLATION, STELE_LINEAR, two, four}, /* again */
                             {n, STELE_SCALE, STELE_CUBIC, one, curve}};
    stele_channel before = {n, STELE_TRANSLATION, STELE_STEP, early, four};
    stele_add_clip(f, &(stele_clip){.name = "mixed", .channels = mixed, .channel_count = 4});
    stele_add_clip(f, &(stele_clip){.name = "early", .channels = &before, .channel_count = 1});
    stele_add_clip(f, &(stele_clip){.name = "empty"});
}

/* A skin whose joints have two roots, a matrix whose last row is nearly right, and a mesh below a
 * node that has no effect on it. */
static void build_skin(stele_file *f)
{
    static const float weights[] = {1, 0, 0, 0, 0.5f, 0.5f, 0, 0, 0, 1, 0, 0};
    static const uint16_t joints[] = {0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0};
    float inverse[32] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1e-7f, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1};
    stele_node node = stele_default_node();
    node.local.translation[0] = 5;
    uint32_t first = stele_add_node(f, &node);
    node.local.translation[0] = 0;
    node.local.translation[1] = 3;
    uint32_t second = stele_add_node(f, &node);
    uint32_t skin = stele_add_skin(f, &(stele_skin){.joints = (uint32_t[]){first, second},
                                                    .joint_count = 2,
                                                    .inverse_bind = floats(f, inverse, 2, 16),
                                                    .skeleton = first});
    stele_attribute attributes[] = {{STELE_POSITION, 0, floats(f, triangle, 3, 3)},
                                    {STELE_JOINTS, 0, integers(f, joints, 3, 4, STELE_U16)},
                                    {STELE_WEIGHTS, 0, floats(f, weights, 3, 4)}};
    stele_primitive p = {.vertex_count = 3, .attributes = attributes, .attribute_count = 3, .material = STELE_NONE};
    node = stele_default_node();
    node.parent = first;
    node.mesh = add_mesh(f, &p, 1);
    node.skin = skin;
    node.local.translation[2] = 100;
    stele_add_node(f, &node);
    node.mesh = add_plain(f); /* no joints: the skin cannot stay */
    stele_add_node(f, &node);
}

static void build_nodes(stele_file *f)
{
    static const float moved[16] = {0, 0, -2, 0, 0, 2, 0, 0, 2, 0, 0, 0, 7, 8, 9, 1},
                       sheared[16] = {1, 0, 0, 0, 0.5f, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    stele_node node = stele_default_node();
    uint32_t mesh = add_plain(f);
    double numbers[] = {1, 2.5, NAN};
    stele_property properties[] = {{.key = "word", .text = "quoted \"\\\n\x01 \xC3\xA4"},
                                   {.key = "tree", .json = "{\"a\":[1,null]}"},
                                   {.key = "one", .numbers = numbers, .number_count = 1},
                                   {.key = "three", .numbers = numbers, .number_count = 3},
                                   {.key = "attachment", .text = "not this"}};
    node.name = "with \xFF properties";
    node.attachment = true;
    node.properties = (stele_properties){properties, 5};
    uint32_t parent = stele_add_node(f, &node);
    node = stele_default_node();
    node.parent = parent;
    node.mesh = mesh;
    node.matrix = moved;
    stele_add_node(f, &node);
    uint32_t animated = stele_add_node(f, &node);
    node.matrix = sheared;
    stele_add_node(f, &node);
    node.matrix = NULL;
    node.local.rotation[3] = 3;
    stele_add_node(f, &node);
    stele_channel channel = {animated, STELE_SCALE, STELE_STEP, floats(f, (float[]){1}, 1, 1),
                             floats(f, (float[]){3, 3, 3}, 1, 3)};
    stele_add_clip(f, &(stele_clip){.channels = &channel, .channel_count = 1});
    stele_add_mesh(f, &(stele_mesh){.name = "nothing"});
}

/* The smallest PNG there is: one grey pixel. */
static const uint8_t png[] = {
    0x89, 'P', 'N',  'G', '\r', '\n', 0x1A, '\n', 0,    0,    0, 13, 'I', 'H', 'D', 'R', 0,   0,    0,    1,    0,    0,    0,
    1,    8,   0,    0,   0,    0,    0x3A, 0x7E, 0x9B, 0x55, 0, 0,  0,   10,  'I', 'D', 'A', 'T',  0x78, 0x9C, 0x63, 0x68, 0,
    0,    0,   0x82, 0,   0x81, 0x77, 0xCD, 0x72, 0xB6, 0,    0, 0,  0,   'I', 'E', 'N', 'D', 0xAE, 0x42, 0x60, 0x82};

static void build_materials(stele_file *f)
{
    stele_texture named = {.name = "fur & 100% wool.*", .wrap_u = 33071, .min_filter = 9987, .mag_filter = 77};
    stele_texture inside = {.name = "inside", .data = keep(f, png, sizeof png), .size = sizeof png, .mime_type = "image/png"};
    stele_texture nothing = {.name = ""};
    uint32_t wool = stele_add_texture(f, &named), grey = stele_add_texture(f, &inside);
    stele_add_texture(f, &nothing);
    stele_material plain_one = stele_default_material(), m = plain_one;
    stele_add_material(f, &plain_one);
    m.base_color[0] = 0.5f;
    m.base_color[1] = 1.25f;
    m.emissive[0] = 4;
    m.emissive[2] = 1;
    m.emissive_strength = 0.5f;
    m.specular = 0.25f;
    m.specular_color[1] = 0.5f;
    m.double_sided = true;
    m.alpha_mode = STELE_MASK;
    m.alpha_cutoff = 0.75f;
    m.textures[STELE_ROLE_BASE_COLOR].texture = wool;
    m.textures[STELE_ROLE_BASE_COLOR].scale[0] = 2;
    m.textures[STELE_ROLE_BASE_COLOR].uv_set = 1;
    m.textures[STELE_ROLE_NORMAL].texture = grey;
    m.textures[STELE_ROLE_NORMAL].strength = 0.5f;
    m.textures[STELE_ROLE_OCCLUSION].texture = grey;
    m.textures[STELE_ROLE_OCCLUSION].strength = 0.25f;
    uint32_t index = stele_add_material(f, &m);
    plain_one.unlit = true;
    plain_one.emissive_strength = 5; /* of nothing */
    stele_add_material(f, &plain_one);
    stele_attribute attribute;
    stele_primitive p = plain(f, &attribute); /* has no texture coordinates */
    p.material = index;
    draw(f, add_mesh(f, &p, 1));
}

/* What is not finite: uvs are replaced. Tangents need normals. */
static void build_nonfinite(stele_file *f)
{
    stele_attribute attributes[] = {{STELE_POSITION, 0, floats(f, triangle, 3, 3)},
                                    {STELE_UV, 0, floats(f, (float[]){0, 1, NAN, 1, 1, INFINITY}, 3, 2)},
                                    {STELE_TANGENT, 0, floats(f, (float[]){1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1}, 3, 4)}};
    stele_primitive p = {.vertex_count = 3, .attributes = attributes, .attribute_count = 3, .material = STELE_NONE};
    draw(f, add_mesh(f, &p, 1));
}

static void build_refused_position(stele_file *f)
{
    stele_attribute attribute;
    stele_primitive p = plain(f, &attribute);
    ((float *)attribute.view.data)[4] = NAN;
    draw(f, add_mesh(f, &p, 1));
}

static void build_refused_index(stele_file *f)
{
    stele_attribute attribute;
    stele_primitive p = plain(f, &attribute);
    p.indices = integers(f, (uint16_t[]){0, 1, 3}, 3, 1, STELE_U16);
    draw(f, add_mesh(f, &p, 1));
}

static void build_refused_key(stele_file *f)
{
    uint32_t node = draw(f, add_plain(f));
    stele_channel channel = {node, STELE_SCALE, STELE_STEP, floats(f, (float[]){1}, 1, 1),
                             floats(f, (float[]){3, INFINITY, 3}, 1, 3)};
    stele_add_clip(f, &(stele_clip){.channels = &channel, .channel_count = 1});
}

static void build_refused_joint(stele_file *f)
{
    uint32_t node = draw(f, add_plain(f));
    stele_add_skin(f, &(stele_skin){.joints = (uint32_t[]){node, node}, .joint_count = 2, .skeleton = STELE_NONE});
}

static void build_refused_rows(stele_file *f)
{
    stele_attribute attribute;
    stele_primitive p = plain(f, &attribute);
    p.vertex_count = 4; /* one more than there are rows */
    draw(f, add_mesh(f, &p, 1));
}

static void build_refused_material(stele_file *f)
{
    stele_material m = stele_default_material();
    m.roughness = NAN;
    stele_add_material(f, &m);
}

static const struct {
    const char *name;
    void (*build)(stele_file *f);
} models[] = {
    {"empty", build_empty},
    {"interleaved", build_interleaved},
    {"strides", build_strides},
    {"neighbours", build_neighbours},
    {"restart", build_restart},
    {"morphs", build_morphs},
    {"clips", build_clips},
    {"skin", build_skin},
    {"nodes", build_nodes},
    {"materials", build_materials},
    {"nonfinite", build_nonfinite},
    {"refused-position", build_refused_position},
    {"refused-index", build_refused_index},
    {"refused-key", build_refused_key},
    {"refused-joint", build_refused_joint},
    {"refused-rows", build_refused_rows},
    {"refused-material", build_refused_material},
};

static bool append(void *user, const void *data, size_t size)
{
    return fwrite(data, 1, size, user) == size;
}

/* Without a path there is no second file: the buffer goes into the text. */
static void write_alone(stele_file *f, const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-alone.gltf", folder, name);
    FILE *out = fopen(path, "wb");
    stele_save_options options = {.format = "gltf"};
    stele_status status = out ? stele_file_write(f, append, out, &options) : STELE_IO;
    if (out)
        fclose(out);
    if (status != STELE_OK)
        remove(path);
}

static void save(stele_file *f, const char *folder, const char *name, const char *format)
{
    char path[4096];
    size_t count;
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, format);
    stele_save_options options = {.overwrite = true};
    stele_status status = stele_file_save(f, path, &options);
    printf("%s %s %d", name, format, (int)status);
    const stele_diagnostic *list = stele_file_diagnostics(f, &count);
    for (size_t i = 0; i < count; i++)
        printf(" %s=%llu", list[i].id, (unsigned long long)list[i].count);
    printf("\n");
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        stele_file *f = stele_new(NULL);
        models[i].build(f);
        save(f, folder, models[i].name, "glb");
        save(f, folder, models[i].name, "gltf");
        write_alone(f, folder, models[i].name);
        stele_close(f);
    }
    return 0;
}
