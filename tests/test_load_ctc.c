/* CTC as a model and back: files written number by number from the format's page, and what they mean. tests/test_skin_ctc.py
 * looks at their motion. */
#include <math.h>

#include "literal.h"

static const stele_options named = {.name = "imp.ctc"};

enum { HEADER = 144 };

/* ---- Writing files ---- */

typedef enum section {
    SKINS,
    VERTICES,
    OUTPUT,
    INDICES,
    UVS,
    BONES,
    WEIGHTS,
    ANIMATIONS,
    FRAMES,
    COMMANDS,
    MORPHS,
    ATTACHMENTS,
    LISTS,
    UNKNOWN5,
    TRIS3,
    COLORS,
    SECTIONS
} section;

/* The words of the header up to the offsets. */
typedef struct counts {
    uint32_t unknown1, skins, vertices, uvs, triangles, frames, animations, bones, morphs, attachments, lists, colors;
} counts;

typedef struct ctc {
    pen body;
    uint32_t offset[SECTIONS];
} ctc;

static void begin(ctc *c, section s)
{
    c->offset[s] = HEADER + (uint32_t)c->body.size;
}

static void pen_u16(pen *p, unsigned value)
{
    pen_u8(p, value & 255);
    pen_u8(p, value >> 8);
}

static void pen_name(pen *p, const char *name, size_t size)
{
    char field[64] = {0};
    memcpy(field, name, strlen(name));
    pen_bytes(p, field, size);
}

static void pen_zeros(pen *p, size_t size)
{
    while (size--)
        pen_u8(p, 0);
}

static pen finish(const ctc *c, const counts *n)
{
    pen p = {.size = 0};
    const uint32_t words[] = {11,           256, 256,       n->unknown1,   n->skins, n->vertices, n->uvs,
                              n->triangles, 0,   n->frames, n->animations, n->bones, n->morphs,   n->attachments,
                              n->lists,     0,   0,         n->colors};
    pen_bytes(&p, "SMDL", 4);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        pen_u32(&p, words[i]);
    for (size_t i = 0; i < SECTIONS; i++)
        pen_u32(&p, c->offset[i]);
    pen_u32(&p, HEADER + (uint32_t)c->body.size);
    assert_int_equal(p.size, HEADER);
    pen_bytes(&p, c->body.data, c->body.size);
    return p;
}

static void pen_bone(pen *p, uint32_t parent_plus_one, uint32_t children, const float base[12])
{
    pen_u32(p, parent_plus_one);
    pen_u32(p, children);
    pen_zeros(p, 4 + 24 + 64);
    pen_floats(p, 12, base);
    PEN_FLOATS(p, 0, 0, 0, 1);
}

/* A triangle that faces X, clockwise as the game has it, of two bones; another one to hold a hat. */
static pen imp(void)
{
    ctc c = {.offset = {0}};
    pen *p = &c.body;
    begin(&c, SKINS);
    pen_name(p, "imp.tga", 64);
    begin(&c, VERTICES);
    PEN_FLOATS(p, 0, 0, 0, 1, 0, 0);
    PEN_FLOATS(p, 0, 2, 0, 1, 0, 0);
    PEN_FLOATS(p, 0, 0, 3, 1, 0, 0);
    PEN_FLOATS(p, 1, 0, 3, 1, 0, 0);
    PEN_FLOATS(p, 1, 2, 3, 1, 0, 0);
    PEN_FLOATS(p, 1, 1, 7, 1, 0, 0);
    begin(&c, OUTPUT);
    pen_zeros(p, 6 * 24);
    begin(&c, INDICES);
    for (unsigned i = 0; i < 6; i++)
        pen_u16(p, (const unsigned[]){0, 2, 1, 3, 4, 5}[i]);
    begin(&c, UVS);
    PEN_FLOATS(p, 0, 0, 0.25f, 0.5f, 1, 0);
    PEN_FLOATS(p, 0, 0, 0, 0, 0, 0);
    begin(&c, BONES);
    pen_bone(p, 0, 1, (const float[]){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -1});
    pen_bone(p, 1, 0, (const float[]){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -3});
    begin(&c, WEIGHTS);
    pen_bytes(p, "STGW", 4);
    for (uint32_t i = 0; i < 6; i++) {
        pen_u32(p, 1);
        pen_u32(p, i >= 2);
        PEN_FLOATS(p, 1);
    }
    begin(&c, ANIMATIONS);
    pen_name(p, "nod", 16);
    pen_u32(p, 7);
    pen_u32(p, 2);
    begin(&c, FRAMES);
    PEN_FLOATS(p, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0);
    PEN_FLOATS(p, 4, 5, 6, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0, 90, 0);
    begin(&c, MORPHS);
    pen_name(p, "grin", 16);
    pen_u32(p, 2);
    pen_zeros(p, 12);
    pen_u32(p, 2);
    pen_u32(p, 0);
    PEN_FLOATS(p, 0, 0, 4, 0.5f, 0, 0);
    begin(&c, ATTACHMENTS);
    pen_name(p, "hat", 8);
    pen_u32(p, 1);
    begin(&c, LISTS);
    pen_u32(p, 1);
    begin(&c, COLORS);
    pen_bytes(p, "\x33\x66\xE5\x80\xFF\x00\xBC\xFF\x33\x66\xE5\xFF", 12);
    pen_bytes(p, "\x33\x66\xE5\xFF\x33\x66\xE5\xFF\x33\x66\xE5\xFF", 12);
    return finish(&c, &(counts){72, 1, 6, 6, 2, 2, 1, 2, 1, 1, 1, 6});
}

static stele_file *opened(const pen *p, const stele_options *options)
{
    stele_file *file = stele_open_memory(p->data, p->size, options);
    if (!stele_file_model(file))
        fail_msg("%s", stele_file_message(file));
    return file;
}

static const stele_view *view_of(const stele_model *model, stele_semantic semantic)
{
    return stele_primitive_view(&model->meshes[0].primitives[0], semantic, 0);
}

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) < 1e-5))
        fail_msg("%g is not %g", found, expected);
}

static void assert_floats(const float *found, size_t count, const float *expected)
{
    for (size_t i = 0; i < count; i++)
        assert_near((double)found[i], (double)expected[i]);
}
#define ASSERT_FLOATS(found, ...)                                                                                              \
    assert_floats(found, sizeof((const float[]){__VA_ARGS__}) / sizeof(float), (const float[]){__VA_ARGS__})

/* ---- Loading ---- */

static void bones_hang_from_the_main_key(void **state)
{
    (void)state;
    pen p = imp();
    stele_file *file = opened(&p, &named);
    const stele_model *model = stele_file_model(file);
    assert_int_equal(model->node_count, 6);
    assert_string_equal(model->nodes[0].name, "ctc_root");
    ASSERT_FLOATS(model->nodes[0].local.rotation, -0.5f, -0.5f, -0.5f, 0.5f);
    assert_string_equal(model->nodes[1].name, "main");
    assert_int_equal(model->nodes[1].parent, 0);
    assert_int_equal(model->nodes[2].parent, 1);
    ASSERT_FLOATS(model->nodes[2].local.translation, 0, 0, 1);
    assert_int_equal(model->nodes[3].parent, 2);
    ASSERT_FLOATS(model->nodes[3].local.translation, 0, 0, 2);
    assert_int_equal(model->nodes[4].parent, STELE_NONE); /* the mesh */
    assert_int_equal(model->nodes[4].skin, 0);
    assert_int_equal(model->skins[0].joint_count, 2);
    assert_int_equal(model->skins[0].joints[1], 3);
    ASSERT_ROW(&model->skins[0].inverse_bind, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -3, 1);
    assert_string_equal(stele_find_property(&model->properties, "ctc.dialect")->text, "v11");
    stele_close(file);
}

static void triangles_are_turned_round(void **state)
{
    (void)state;
    pen p = imp();
    stele_file *file = opened(&p, &named);
    const stele_model *model = stele_file_model(file);
    const stele_primitive *primitive = &model->meshes[0].primitives[0];
    assert_int_equal(model->meshes[0].primitive_count, 1);
    assert_int_equal(primitive->vertex_count, 3); /* what holds the hat is not drawn */
    assert_int_equal(primitive->indices.count, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_near(stele_view_number(&primitive->indices, i, 0), i);
    ASSERT_ROW(view_of(model, STELE_POSITION), 1, 0, 2, 0);
    ASSERT_ROW(view_of(model, STELE_POSITION), 2, 0, 0, 3);
    ASSERT_ROW(view_of(model, STELE_NORMAL), 2, 1, 0, 0);
    ASSERT_ROW(view_of(model, STELE_UV), 1, 1, 0); /* not turned over */
    ASSERT_ROW(view_of(model, STELE_UV), 2, 0.25f, 0.5f);
    ASSERT_ROW(view_of(model, STELE_JOINTS), 2, 1, 0, 0, 0);
    assert_non_null(find_diagnostic(file, "assumed"));
    stele_close(file);

    stele_options keep = named;
    keep.load = (stele_load_options){.choices = &(stele_choice){"ctc.winding", "keep"}, .choice_count = 1};
    file = opened(&p, &keep);
    primitive = &stele_file_model(file)->meshes[0].primitives[0];
    assert_near(stele_view_number(&primitive->indices, 1, 0), 2);
    stele_close(file);
}

static void colours_are_linear(void **state)
{
    (void)state;
    pen p = imp();
    stele_file *file = opened(&p, &named);
    const stele_model *model = stele_file_model(file);
    float color[4];
    stele_view_row(view_of(model, STELE_COLOR), 0, color);
    ASSERT_FLOATS(color, 1, 1, 1, 128 / 255.0f); /* not set */
    stele_view_row(view_of(model, STELE_COLOR), 2, color);
    assert_floats(color, 2, (const float[]){1, 0});
    assert_true(fabsf(color[2] - 0.50289f) < 1e-4f); /* 0xBC is half of the light */
    assert_int_equal(model->materials[0].alpha_mode, STELE_BLEND);
    assert_string_equal(model->textures[0].name, "imp.tga");
    stele_close(file);
}

static void morphs_are_ways_not_places(void **state)
{
    (void)state;
    pen p = imp();
    stele_file *file = opened(&p, &named);
    const stele_primitive *primitive = &stele_file_model(file)->meshes[0].primitives[0];
    assert_int_equal(primitive->morph_count, 1);
    assert_string_equal(primitive->morphs[0].name, "grin");
    assert_int_equal(primitive->morphs[0].vertices.count, 2);
    assert_near(stele_view_number(&primitive->morphs[0].vertices, 0, 0), 0);
    assert_near(stele_view_number(&primitive->morphs[0].vertices, 1, 0), 2);
    ASSERT_ROW(&primitive->morphs[0].position, 0, 0.5f, 0, 0);
    ASSERT_ROW(&primitive->morphs[0].position, 1, 0, 0, 1);
    stele_close(file);
}

/* At (1, 0, 3), X along Y and Z along X, on the bone at (0, 0, 3). */
static void triangles_hold_attachments(void **state)
{
    (void)state;
    pen p = imp();
    stele_file *file = opened(&p, &named);
    const stele_node *hat = &stele_file_model(file)->nodes[5];
    assert_string_equal(hat->name, "hat");
    assert_true(hat->attachment);
    assert_int_equal(hat->parent, 3);
    ASSERT_FLOATS(hat->local.translation, 1, 0, 0);
    ASSERT_FLOATS(hat->local.rotation, 0.5f, 0.5f, 0.5f, 0.5f);
    const stele_property *shape = stele_find_property(&hat->properties, "ctc.triangle");
    assert_int_equal(shape->number_count, 3);
    assert_near(shape->numbers[0], 2);
    assert_near(shape->numbers[1], 1);
    assert_near(shape->numbers[2], 4);
    stele_close(file);
}

static void frames_are_clips(void **state)
{
    stele_options slow = named;
    (void)state;
    pen p = imp();
    stele_file *file = opened(&p, &named);
    const stele_model *model = stele_file_model(file);
    assert_int_equal(model->clip_count, 1);
    const stele_clip *clip = &model->clips[0];
    assert_string_equal(clip->name, "nod");
    assert_near(clip->duration, 0.1);
    assert_int_equal(clip->channel_count, 2); /* what does not move has none */
    assert_int_equal(clip->channels[0].node, 1);
    assert_int_equal(clip->channels[0].path, STELE_TRANSLATION);
    ASSERT_ROW(&clip->channels[0].values, 1, 4, 5, 6);
    assert_int_equal(clip->channels[1].node, 3);
    ASSERT_ROW(&clip->channels[1].values, 1, 0.70710678f, 0, 0, 0.70710678f); /* the second angle is around X */
    assert_near(stele_find_property(&clip->properties, "ctc.unknown")->numbers[0], 7);
    stele_close(file);
    slow.load.fps = 2;
    file = opened(&p, &slow);
    assert_near(stele_file_model(file)->clips[0].duration, 0.5);
    stele_close(file);
}

/* Frames without any animation are a clip with the name of the file; a single one is how the model rests. */
static void frames_without_animations(void **state)
{
    (void)state;
    for (uint32_t frames = 1; frames < 3; frames++) {
        ctc c = {.offset = {0}};
        begin(&c, FRAMES);
        PEN_FLOATS(&c.body, 1, 2, 3, 0, 0, 0, 3, 2, 1, 0, 0, 0);
        pen p = finish(&c, &(counts){.frames = frames});
        stele_file *file = opened(&p, &named);
        const stele_model *model = stele_file_model(file);
        ASSERT_FLOATS(model->nodes[1].local.translation, 1, 2, 3);
        assert_int_equal(model->clip_count, frames - 1);
        if (frames == 2)
            assert_string_equal(model->clips[0].name, "imp");
        stele_close(file);
    }
}

/* Bones without frames rest where they are bound. */
static void bones_without_frames(void **state)
{
    (void)state;
    ctc c = {.offset = {0}};
    begin(&c, BONES);
    pen_bone(&c.body, 0, 1, (const float[]){1, 0, 0, -1, 0, 1, 0, -2, 0, 0, 1, -3});
    pen_bone(&c.body, 1, 0, (const float[]){1, 0, 0, -1, 0, 1, 0, -2, 0, 0, 1, -8});
    pen p = finish(&c, &(counts){.bones = 2});
    stele_file *file = opened(&p, &named);
    const stele_model *model = stele_file_model(file);
    ASSERT_FLOATS(model->nodes[2].local.translation, 1, 2, 3);
    ASSERT_FLOATS(model->nodes[3].local.translation, 0, 0, 5);
    assert_int_equal(model->clip_count, 0);
    stele_close(file);
}

/* ---- Saving ---- */

/* A model that is not what was opened is written anew: what can be known of the file comes back. */
static void files_come_back(void **state)
{
    stele_save_options options = {.format = "ctc"};
    (void)state;
    pen p = imp();
    stele_file *file = opened(&p, &named);
    stele_add_texture(file, &(stele_texture){.name = "unused"});
    bytes out = rewritten(file, &options);
    /* the normals of what holds the hat are our own */
    for (size_t i = 0; i < 3; i++)
        memcpy(out.data + HEADER + 64 + 24 * (3 + i) + 12, p.data + HEADER + 64 + 24 * (3 + i) + 12, 12);
    /* and the vertices of a morph come in their order */
    size_t morph = p.size - 24 - 4 - 12 - 32;
    pen expected = {.size = 0};
    pen_bytes(&expected, p.data, morph);
    pen_u32(&expected, 0);
    pen_u32(&expected, 2);
    PEN_FLOATS(&expected, 0.5f, 0, 0, 0, 0, 4);
    pen_bytes(&expected, p.data + morph + 32, p.size - morph - 32);
    assert_written(&out, &expected);
    free(out.data);
    stele_close(file);
}

static const float positions[] = {0, 0, 0, 2, 0, 0, 0, 3, 0, 2, 0, 0}, normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1},
                   uvs[] = {0, 0, 1, 0, 0, 1, 0.5f, 0.5f};
static const uint8_t byte_indices[] = {0, 1, 2, 0, 3, 2};

/* Two triangles, whose four vertices have three places. */
static stele_primitive two_triangles(stele_attribute attributes[3], uint32_t material)
{
    attributes[0] = (stele_attribute){STELE_POSITION, 0, stele_float_view(positions, 4, 3)};
    attributes[1] = (stele_attribute){STELE_NORMAL, 0, stele_float_view(normals, 4, 3)};
    attributes[2] = (stele_attribute){STELE_UV, 0, stele_float_view(uvs, 4, 2)};
    return (stele_primitive){.vertex_count = 4,
                             .attributes = attributes,
                             .attribute_count = 3,
                             .indices = {.data = byte_indices, .count = 6, .stride = 1, .components = 1, .type = STELE_U8},
                             .material = material};
}

static uint32_t add_mesh(stele_file *file, uint32_t material, uint32_t skin)
{
    stele_attribute attributes[3];
    stele_primitive primitive = two_triangles(attributes, material);
    stele_node node = stele_default_node();
    node.mesh = stele_add_mesh(file, &(stele_mesh){.primitives = &primitive, .primitive_count = 1});
    node.skin = skin;
    return stele_add_node(file, &node);
}

static uint32_t add_material(stele_file *file, const char *texture)
{
    stele_material material = stele_default_material();
    material.textures[STELE_ROLE_BASE_COLOR].texture = stele_add_texture(file, &(stele_texture){.name = texture});
    return stele_add_material(file, &material);
}

/* X, Y and Z of the model are Y, Z and X of the file. */
static void pen_surface(ctc *c, const char *skin)
{
    pen *p = &c->body;
    begin(c, SKINS);
    pen_name(p, skin, 64);
    begin(c, VERTICES);
    PEN_FLOATS(p, 0, 0, 0, 1, 0, 0);
    PEN_FLOATS(p, 0, 2, 0, 1, 0, 0);
    PEN_FLOATS(p, 0, 0, 3, 1, 0, 0);
    begin(c, OUTPUT);
    pen_zeros(p, 3 * 24);
    begin(c, INDICES);
    for (unsigned i = 0; i < 6; i++)
        pen_u16(p, (const unsigned[]){0, 2, 1, 0, 2, 1}[i]);
    begin(c, UVS);
    PEN_FLOATS(p, 0, 0, 0, 1, 1, 0);
    PEN_FLOATS(p, 0, 0, 0, 1, 0.5f, 0.5f);
}

static void vertices_are_merged_and_turned(void **state)
{
    stele_save_options options = {.format = "ctc"};
    (void)state;
    stele_file *file = stele_new(NULL);
    add_mesh(file, add_material(file, "s.tga"), STELE_NONE);
    bytes out = rewritten(file, &options);
    ctc c = {.offset = {0}};
    pen_surface(&c, "s.tga");
    begin(&c, LISTS);
    pen_u32(&c.body, 2);
    pen expected = finish(&c, &(counts){.skins = 1, .vertices = 3, .uvs = 6, .triangles = 2, .lists = 1});
    assert_written(&out, &expected);
    free(out.data);
    stele_close(file);
}

/* A joint 5 above the ground that turns by 90 degrees around the model's Y, which is the file's Z. */
static void joints_become_bones(void **state)
{
    static const float inverse_bind[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -5, 0, 1}, times[] = {0, 0.1f},
                       turns[] = {0, 0, 0, 1, 0, 0.70710678f, 0, 0.70710678f},
                       weights[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    static const uint8_t joints[16] = {0};
    stele_save_options options = {.format = "ctc"};
    (void)state;
    stele_file *file = stele_new(NULL);
    stele_node bone = stele_default_node(), node = stele_default_node();
    bone.name = "spine";
    bone.local.translation[1] = 5;
    uint32_t joint = stele_add_node(file, &bone);
    stele_attribute attributes[5];
    stele_primitive primitive = two_triangles(attributes, add_material(file, "s.tga"));
    attributes[3] =
        (stele_attribute){STELE_JOINTS, 0, {.data = joints, .count = 4, .stride = 4, .components = 4, .type = STELE_U8}};
    attributes[4] = (stele_attribute){STELE_WEIGHTS, 0, stele_float_view(weights, 4, 4)};
    primitive.attribute_count = 5;
    node.mesh = stele_add_mesh(file, &(stele_mesh){.primitives = &primitive, .primitive_count = 1});
    node.skin = stele_add_skin(file, &(stele_skin){.joints = &joint,
                                                   .joint_count = 1,
                                                   .inverse_bind = stele_float_view(inverse_bind, 1, 16),
                                                   .skeleton = STELE_NONE});
    stele_add_node(file, &node);
    stele_channel channel = {
        .node = joint, .path = STELE_ROTATION, .times = stele_float_view(times, 2, 1), .values = stele_float_view(turns, 2, 4)};
    stele_add_clip(file, &(stele_clip){.name = "a name that is too long", .channels = &channel, .channel_count = 1});
    bytes out = rewritten(file, &options);

    ctc c = {.offset = {0}};
    pen *p = &c.body;
    pen_surface(&c, "s.tga");
    begin(&c, BONES);
    pen_bone(p, 0, 0, (const float[]){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -5});
    begin(&c, WEIGHTS);
    pen_bytes(p, "STGW", 4);
    for (int i = 0; i < 3; i++) {
        pen_u32(p, 1);
        pen_u32(p, 0);
        PEN_FLOATS(p, 1);
    }
    begin(&c, ANIMATIONS);
    pen_name(p, "a name that is ", 16);
    pen_u32(p, 0);
    pen_u32(p, 2);
    begin(&c, FRAMES);
    PEN_FLOATS(p, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0);
    PEN_FLOATS(p, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 90);
    begin(&c, LISTS);
    pen_u32(p, 2);
    pen expected = finish(&c, &(counts){.unknown1 = 48,
                                        .skins = 1,
                                        .vertices = 3,
                                        .uvs = 6,
                                        .triangles = 2,
                                        .frames = 2,
                                        .animations = 1,
                                        .bones = 1,
                                        .lists = 1});
    assert_written(&out, &expected);
    assert_int_equal(find_diagnostic(file, "loss-name")->count, 1);
    free(out.data);
    stele_close(file);
}

static uint32_t word(const bytes *out, size_t index)
{
    const uint8_t *p = out->data + 4 * index;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Meshes keep their order: where materials do not, skins are repeated. */
static void every_mesh_is_a_list(void **state)
{
    enum { SKIN_COUNT = 5, SKINS_OFFSET = 19, LISTS_OFFSET = 31 };
    static const struct {
        uint32_t materials[3];
        uint32_t skins;
        const char *names[3];
        uint32_t sizes[3];
    } cases[] = {{{0, 1, 2}, 3, {"a", "b", "c"}, {2, 2, 2}},
                 {{0, 2, STELE_NONE - 1}, 3, {"a", "b", "c"}, {2, 0, 2}}, /* two meshes */
                 {{1, 0, 1}, 3, {"b", "a", "b"}, {2, 2, 2}},
                 {{0, STELE_NONE, 1}, 3, {"a", "", "b"}, {2, 2, 2}}};
    stele_save_options options = {.format = "ctc"};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stele_file *file = stele_new(NULL);
        for (int k = 0; k < 3; k++)
            add_material(file, (const char *[]){"a", "b", "c"}[k]);
        for (int k = 0; k < 3; k++)
            if (cases[i].materials[k] != STELE_NONE - 1)
                add_mesh(file, cases[i].materials[k], STELE_NONE);
        bytes out = rewritten(file, &options);
        assert_non_null(out.data);
        assert_int_equal(word(&out, SKIN_COUNT), cases[i].skins);
        for (uint32_t k = 0; k < cases[i].skins; k++) {
            assert_string_equal((char *)out.data + word(&out, SKINS_OFFSET) + 64 * k, cases[i].names[k]);
            assert_int_equal(word(&out, word(&out, LISTS_OFFSET) / 4 + k), cases[i].sizes[k]);
        }
        free(out.data);
        stele_close(file);
    }
}

/* A colour of the material goes to the corners; white is not set, and what looks like it but is not gets out of the way. */
static void colours_go_to_corners(void **state)
{
    static const float colors[] = {1, 1, 1, 0.5f, 1, 0, 0, 1, 0.033104767f, 0.13286832f, 0.78353781f, 1, 0.21586050f, 0, 0, 1};
    static const uint8_t expected[] = {0x33, 0x66, 0xE5, 128, 0x33, 0x66, 0xE4, 255, 255, 0, 0, 255,
                                       0x33, 0x66, 0xE5, 128, 0x33, 0x66, 0xE4, 255, 128, 0, 0, 255};
    stele_save_options options = {.format = "ctc"};
    (void)state;
    stele_file *file = stele_new(NULL);
    stele_attribute attributes[4];
    stele_primitive primitive = two_triangles(attributes, STELE_NONE);
    stele_node node = stele_default_node();
    attributes[3] = (stele_attribute){STELE_COLOR, 0, stele_float_view(colors, 4, 4)};
    primitive.attribute_count = 4;
    node.mesh = stele_add_mesh(file, &(stele_mesh){.primitives = &primitive, .primitive_count = 1});
    stele_add_node(file, &node);
    bytes out = rewritten(file, &options);
    assert_non_null(out.data);
    assert_int_equal(word(&out, 18), 6);
    assert_memory_equal(out.data + word(&out, 34), expected, sizeof expected);
    free(out.data);
    stele_close(file);
}

static void too_many_vertices_do_not_fit(void **state)
{
    enum { COUNT = 65538 };
    stele_save_options options = {.format = "ctc"};
    (void)state;
    stele_file *file = stele_new(NULL);
    float *many = stele_memory(file, 3 * COUNT * sizeof *many), *all_up = stele_memory(file, 3 * COUNT * sizeof *all_up);
    for (uint32_t i = 0; i < COUNT; i++) {
        many[3 * i] = (float)i;
        many[3 * i + 1] = (float)(i % 3);
        all_up[3 * i + 2] = 1;
    }
    stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(many, COUNT, 3)},
                                    {STELE_NORMAL, 0, stele_float_view(all_up, COUNT, 3)}};
    stele_primitive primitive = {.vertex_count = COUNT, .attributes = attributes, .attribute_count = 2, .material = STELE_NONE};
    stele_node node = stele_default_node();
    node.mesh = stele_add_mesh(file, &(stele_mesh){.primitives = &primitive, .primitive_count = 1});
    stele_add_node(file, &node);
    assert_null(rewritten(file, &options).data);
    assert_string_equal(find_diagnostic(file, "does-not-fit")->path, "vertex_count");
    stele_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bones_hang_from_the_main_key),
        cmocka_unit_test(triangles_are_turned_round),
        cmocka_unit_test(colours_are_linear),
        cmocka_unit_test(morphs_are_ways_not_places),
        cmocka_unit_test(triangles_hold_attachments),
        cmocka_unit_test(frames_are_clips),
        cmocka_unit_test(frames_without_animations),
        cmocka_unit_test(bones_without_frames),
        cmocka_unit_test(files_come_back),
        cmocka_unit_test(vertices_are_merged_and_turned),
        cmocka_unit_test(joints_become_bones),
        cmocka_unit_test(every_mesh_is_a_list),
        cmocka_unit_test(colours_go_to_corners),
        cmocka_unit_test(too_many_vertices_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
