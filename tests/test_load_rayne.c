/* SGM and SGA as models, and models as SGM and SGA. Files are written out by hand, and the values expected of them worked out
 * by hand from the formats' pages. */
#include <math.h>
#include <unistd.h>

#include "literal.h"

#define SGM_MAGIC 0x90, 0x22, 0x05, 0x15
#define SGA_MAGIC 0x5A, 0x4E, 0xDA, 0x16
#define TRIANGLE 3, 0, 0, 0, 2, 0, 0, 1, 0, 2, 0
#define FMINUS2 0x00, 0x00, 0x00, 0xC0
#define FQUARTER 0x00, 0x00, 0x80, 0x3E
#define FROOT 0xF3, 0x04, 0x35, 0x3F      /* the root of 1/2 */
#define FMINUSROOT 0xF3, 0x04, 0x35, 0xBF /* and minus that */

/* A triangle on two bones, the second of which turns, moves and grows within two frames. */
#define CORNER0 F0, F0, F0, F0, F0, F1
#define CORNER1 F1, F0, F0, F0, F0, F1
#define CORNER2 F0, F1, F0, F0, F0, F1
static const uint8_t skinned_sgm[] = {
    SGM_MAGIC, 3,     1,                                   /*   0 */
    0,         0,     1,     0,  FHALF, FQUARTER, F0,  F1, /*   6 a material: no uv sets, a base colour */
    1,         0,     0,     3,  0,     0,        0,   0,   0,   0,
    1, /*  26 a mesh of three vertices without uvs, colours and tangents */
    CORNER0,   F1,    F0,    F0, F0,    F0,       F0,  F0,  F0, /*  37 rows of 56: position, normal 12, weights 24, bones 40 */
    CORNER1,   FHALF, FHALF, F0, F0,    F0,       F1,  F0,  F0, /*  93 */
    CORNER2,   F1,    F0,    F0, F0,    F1,       F0,  F0,  F0, /* 149 */
    TRIANGLE,  1,     6,     0,  'm',   '.',      's', 'g', 'a', 0, /* 205 */
};
static const uint8_t skinned_sga[] = {
    SGA_MAGIC, 1,  4,   0,   'r', 'i', 'g', 0,                 /*   0 */
    2,         0,                                              /*  11 */
    2,         0,  'a', 0,   F0,  F1,  F0,  1,  1,  0,  1,  0, /*  13 the head of a is at 0 1 0, */
    2,         0,  'b', 0,   F0,  F2,  F5,  0,  0,  0,         /*  34 that of b, its child, at 0 2 5 */
    1,         0,                                              /*  53 */
    5,         0,  'w', 'a', 'l', 'k', 0,   2,  0,             /*  55 */
    0,         0,  2,   0,   0,   0,                           /*  64 a stays */
    F0,        F0, F0,  F0,  F1,  F1,  F1,  F0, F0, F0, F1,    /*  70 time, position, scale, rotation */
    F2,        F0, F0,  F0,  F1,  F1,  F1,  F0, F0, F0, F1,    /* 114 */
    1,         0,  2,   0,   0,   0,                           /* 158 */
    F0,        F0, F0,  F0,  F1,  F1,  F1,  F0, F0, F0, F1,    /* 164 */
    F2,        F1, F0,  F0,  F2,  F2,  F2,  F0, F1, F0, F0,    /* 208 half a turn about y, twice the size, 1 along x */
};

typedef struct companion {
    const char *name;
    const uint8_t *data;
    size_t size;
} companion;

static bool find_companion(void *user, const char *name, const void **data, size_t *size)
{
    const companion *c = user;
    if (strcmp(c->name, name) != 0)
        return false;
    if (data) {
        *data = c->data;
        *size = c->size;
    }
    return true;
}

static companion rig = {"m.sga", LITERAL(skinned_sga)};
static companion image = {"a.png", (const uint8_t *)"image", 5};

static stele_options with(companion *c)
{
    return (stele_options){.name = "m.sgm", .lookup = find_companion, .lookup_user = c};
}

static stele_options with_choice(const char *name, const char *value)
{
    static stele_choice choice;
    stele_options options = with(&image);
    choice = (stele_choice){name, value};
    options.load.choices = &choice;
    options.load.choice_count = 1;
    return options;
}

static stele_file *open_model(const void *data, size_t size, const stele_options *options, const stele_model **model)
{
    stele_file *file = stele_open_memory(data, size, options);
    *model = stele_file_model(file);
    if (!*model)
        print_error("%s\n", stele_file_message(file));
    assert_non_null(*model);
    return file;
}

static void expect_numbers(const stele_view *view, uint64_t row, uint32_t count, const double *expected)
{
    assert_true(row < view->count && view->components == count);
    for (uint32_t i = 0; i < count; i++)
        if (fabs(stele_view_number(view, row, i) - expected[i]) > 1e-6)
            fail_msg("component %u of row %u is %g, not %g", i, (unsigned)row, stele_view_number(view, row, i), expected[i]);
}

#define EXPECT(view, row, ...)                                                                                                 \
    expect_numbers(view, row, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (const double[]){__VA_ARGS__})

static const stele_view *attribute(const stele_model *model, size_t primitive, stele_semantic semantic, uint32_t set)
{
    assert_true(model->mesh_count == 1 && primitive < model->meshes[0].primitive_count);
    return stele_primitive_view(&model->meshes[0].primitives[primitive], semantic, set);
}

static void expect_node(const stele_model *model, uint32_t index, const char *name, uint32_t parent, float x, float y, float z)
{
    const stele_node *node = &model->nodes[index];
    assert_true(index < model->node_count);
    assert_string_equal(node->name, name);
    assert_int_equal(node->parent, parent);
    assert_true(node->local.translation[0] == x && node->local.translation[1] == y && node->local.translation[2] == z);
}

/* ---- Loading ---- */

static void a_skinned_model_is_loaded(void **state)
{
    (void)state;
    const stele_model *model;
    stele_options options = with(&rig);
    stele_file *file = open_model(LITERAL(skinned_sgm), &options, &model);
    size_t findings;
    stele_file_diagnostics(file, &findings);
    assert_int_equal(findings, 0);

    expect_node(model, 0, "m", STELE_NONE, 0, 0, 0);
    assert_memory_equal(model->nodes[0].local.rotation, ((float[]){0, 1, 0, 0}), 16);
    expect_node(model, 1, "rig", 0, 0, 0, 0);
    expect_node(model, 2, "a", 1, 0, 1, 0);
    expect_node(model, 3, "b", 2, 0, 1, 5);
    expect_node(model, 4, "m_mesh", STELE_NONE, 0, 0, 0); /* the joints place it */
    assert_int_equal(model->nodes[4].mesh, 0);
    assert_int_equal(model->nodes[4].skin, 0);
    assert_int_equal(model->node_count, 5);

    assert_int_equal(model->skin_count, 1);
    assert_int_equal(model->skins[0].joint_count, 2);
    assert_int_equal(model->skins[0].joints[0], 2);
    assert_int_equal(model->skins[0].joints[1], 3);
    assert_int_equal(model->skins[0].skeleton, 1);
    EXPECT(&model->skins[0].inverse_bind, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -2, -5, 1);

    const stele_view *position = attribute(model, 0, STELE_POSITION, 0), *weights = attribute(model, 0, STELE_WEIGHTS, 0);
    assert_ptr_equal(position->data, skinned_sgm + 37);
    assert_int_equal(position->stride, 56);
    assert_ptr_equal(attribute(model, 0, STELE_NORMAL, 0)->data, skinned_sgm + 49);
    assert_ptr_equal(weights->data, skinned_sgm + 61); /* nothing to repair, nothing copied */
    EXPECT(attribute(model, 0, STELE_JOINTS, 0), 1, 0, 1, 0, 0);
    EXPECT(attribute(model, 0, STELE_JOINTS, 0), 2, 1, 0, 0, 0);
    assert_int_equal(attribute(model, 0, STELE_JOINTS, 0)->type, STELE_U8);
    assert_null(attribute(model, 0, STELE_UV, 0));
    assert_ptr_equal(model->meshes[0].primitives[0].indices.data, skinned_sgm + 210);

    const stele_material *m = &model->materials[0];
    assert_true(m->base_color[0] == 0.5f && m->base_color[1] == 0.25f && m->base_color[2] == 0 && m->base_color[3] == 1);
    assert_true(m->metallic == 0 && m->roughness == 1 && m->alpha_mode == STELE_OPAQUE && !m->double_sided);
    stele_close(file);
}

static void keys_are_changes_to_the_rest_pose(void **state)
{
    (void)state;
    const stele_model *model;
    stele_options options = with(&rig);
    stele_file *file = open_model(LITERAL(skinned_sgm), &options, &model);
    assert_int_equal(model->clip_count, 1);
    const stele_clip *clip = &model->clips[0];
    assert_string_equal(clip->name, "walk");
    assert_true(fabs(clip->duration - 2.0 / 24) < 1e-7);
    assert_int_equal(clip->channel_count, 6);
    const stele_channel *moves = &clip->channels[3], *turns = &clip->channels[4], *grows = &clip->channels[5];
    assert_true(moves->node == 3 && turns->node == 3 && grows->node == 3);
    assert_true(moves->path == STELE_TRANSLATION && turns->path == STELE_ROTATION && grows->path == STELE_SCALE);
    assert_ptr_equal(moves->times.data, clip->channels[0].times.data); /* the tracks share their times */
    EXPECT(&moves->times, 1, 2.0 / 24);
    EXPECT(&moves->values, 0, 0, 1, 5);
    EXPECT(&moves->values, 1, 1, 1, 5);
    EXPECT(&turns->values, 1, 0, 1, 0, 0);
    EXPECT(&grows->values, 1, 2, 2, 2);
    assert_ptr_equal(grows->values.data, skinned_sga + 164 + 16);

    /* the corner at 0 1 0 is 0 -1 -5 from the head of b; grown, turned and put at that head, which has moved to 1 2 5, it is at
     * 1 0 15; and the model faces the other way */
    double matrices[5][16];
    float positions[9];
    assert_true(stele_evaluate_nodes(model, 0, 2.0 / 24, matrices, sizeof matrices / sizeof *matrices));
    assert_true(stele_evaluate_vertices(model, 4, 0, 0, 2.0 / 24, (const double(*)[16])matrices,
                                        sizeof matrices / sizeof *matrices, positions, NULL, 3));
    assert_true(fabsf(positions[6] + 1) < 1e-5f && fabsf(positions[7]) < 1e-5f && fabsf(positions[8] + 15) < 1e-5f);
    assert_true(fabsf(positions[0]) < 1e-6f && fabsf(positions[1]) < 1e-6f && fabsf(positions[2]) < 1e-6f);
    stele_close(file);

    options.load.fps = 10;
    file = open_model(LITERAL(skinned_sgm), &options, &model);
    assert_true(fabs(model->clips[0].duration - 0.2) < 1e-7);
    stele_close(file);
}

static void an_animation_alone_is_a_skeleton(void **state)
{
    (void)state;
    const stele_model *model;
    stele_options options = {.name = "m.sga"};
    stele_file *file = open_model(LITERAL(skinned_sga), &options, &model);
    assert_int_equal(model->mesh_count, 0);
    assert_int_equal(model->node_count, 4);
    assert_int_equal(model->skins[0].joint_count, 2);
    assert_int_equal(model->clips[0].channel_count, 6);
    stele_close(file);
}

/* Without the skeleton the mesh is there, and does not move. */
static void a_missing_skeleton_is_said(void **state)
{
    (void)state;
    static const uint8_t empty[] = {SGA_MAGIC, 1, 2, 0, 's', 0, 0, 0, 0, 0};
    static const uint8_t circle[] = {SGA_MAGIC, 1, 2, 0, 's', 0, 1, 0, 2, 0, 'a', 0, F0, F0, F0, 1, 1, 0, 0, 0, 0, 0};
    companion others[] = {{"other", empty, 0}, {"m.sga", LITERAL(empty)}, {"m.sga", LITERAL(circle)}, {"m.sga", empty, 7}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const stele_model *model;
        stele_options options = with(&others[i]);
        stele_file *file = open_model(LITERAL(skinned_sgm), &options, &model);
        assert_non_null(find_diagnostic(file, "skin-dropped"));
        assert_int_equal(model->skin_count, 0);
        assert_int_equal(model->clip_count, 0);
        assert_int_equal(model->node_count, 2);
        assert_int_equal(model->nodes[1].parent, 0);
        assert_null(attribute(model, 0, STELE_JOINTS, 0));
        stele_close(file);
    }
}

static stele_file *open_spliced(const uint8_t *data, size_t size, splice change, const stele_options *options, bytes *changed,
                                const stele_model **model)
{
    static const splice none;
    *changed = spliced(data, size, &change, &none);
    return open_model(changed->data, changed->size, options, model);
}

/* What becomes of the weights and bones of the second vertex. */
static const struct {
    splice change; /* of the weights and bones of the second vertex */
    const char *id;
    double joints[4], weights[4];
} weight_cases[] = {
    {{117, 32, BYTES(FHALF, FHALF, F0, F0, F1, F1, F0, F0)}, "repaired-weights", {1}, {1}},
    {{117, 32, BYTES(F1, F1, F0, F0, F0, F1, F0, F0)}, "repaired-weights", {0, 1}, {0.5, 0.5}},
    {{117, 32, BYTES(FMINUS, F2, F0, F0, F0, F1, F0, F0)}, "repaired-weights", {1}, {1}},
    {{117, 32, BYTES(FHALF, FHALF, F0, F0, FMINUS, F1, F0, F0)}, "repaired-weights", {1}, {1}},
    {{117, 32, BYTES(FHALF, FHALF, F0, F0, F5, F1, F0, F0)}, "repaired-weights", {1}, {1}},
    {{117, 32, BYTES(F0, F0, F0, F0, F1, F1, F0, F0)}, "neutral-joint", {2}, {1}},
    {{117, 32, BYTES(F0, F1, F0, F0, F1, F1, F1, F1)}, NULL, {0, 1}, {0, 1}}, /* what has no weight has no joint */
};

static void weights_are_repaired(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof weight_cases / sizeof *weight_cases; i++) {
        const stele_model *model;
        bytes changed;
        stele_options options = with(&rig);
        stele_file *file = open_spliced(LITERAL(skinned_sgm), weight_cases[i].change, &options, &changed, &model);
        size_t count;
        stele_file_diagnostics(file, &count);
        assert_int_equal(count, weight_cases[i].id != NULL);
        if (weight_cases[i].id)
            assert_int_equal(find_diagnostic(file, weight_cases[i].id)->count, 1);
        expect_numbers(attribute(model, 0, STELE_JOINTS, 0), 1, 4, weight_cases[i].joints);
        expect_numbers(attribute(model, 0, STELE_WEIGHTS, 0), 1, 4, weight_cases[i].weights);
        bool neutral = weight_cases[i].joints[0] == 2;
        assert_int_equal(model->skins[0].joint_count, 2 + neutral);
        if (neutral) {
            uint32_t joint = model->skins[0].joints[2];
            expect_node(model, joint, "neutral", 1, 0, 0, 0);
            EXPECT(&model->skins[0].inverse_bind, 2, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
        }
        stele_close(file);
        free(changed.data);
    }
}

/* Splices of the clip, and what becomes of it. */
#define WALK 5, 0, 'w', 'a', 'l', 'k', 0, 1, 0, 0, 0
#define STAY(time) time, F0, F0, F0, F1, F1, F1, F0, F0, F0, F1
#define FLIP(time) time, F0, F0, F0, F1, F1, F1, F0, F0, F0, FMINUS
static const struct {
    splice change; /* from the number of clips on */
    const char *id;
    size_t clips;
    uint64_t keys;
    double last_time, last_w;
} clip_cases[] = {
    {{53, 199, BYTES(1, 0, WALK, 1, 0, 0, 0, STAY(F0))}, NULL, 1, 1, 0, 1},
    {{53, 199, BYTES(2, 0, WALK, 1, 0, 0, 0, STAY(F0), WALK, 1, 0, 0, 0, STAY(F0))}, "clip-dropped", 1, 1, 0, 1},
    {{53, 199, BYTES(2, 0, WALK, 1, 0, 0, 0, STAY(F0), WALK, 1, 0, 0, 0, STAY(F1))}, NULL, 2, 1, 0, 1},
    {{53, 199, BYTES(2, 0, WALK, 1, 0, 0, 0, STAY(F0), 1, 0, 0, 0, 0)}, "not-carried", 1, 1, 0, 1},
    {{53, 199, BYTES(2, 0, WALK, 1, 0, 0, 0, STAY(F0), WALK, 0, 0, 0, 0)}, "not-carried", 1, 1, 0, 1},
    {{53, 199, BYTES(1, 0, WALK, 3, 0, 0, 0, STAY(F2), STAY(F0), STAY(F2))}, "repaired-time", 1, 2, 2, 1},
    {{53, 199, BYTES(1, 0, WALK, 2, 0, 0, 0, STAY(FMINUS), STAY(F1))}, "repaired-time", 1, 2, 2, 1},
    {{53, 199, BYTES(1, 0, WALK, 2, 0, 0, 0, STAY(F0), FLIP(F2))}, NULL, 1, 2, 2, 1},
    {{53, 199, BYTES(1, 0, WALK, 1, 0, 0, 0, F0, F0, F0, F0, F1, F1, F1, F0, F0, F0, F5)}, "repaired-rotation", 1, 1, 0, 1},
    {{53, 199, BYTES(1, 0, 5, 0, 'w', 'a', 'l', 'k', 0, 2, 0, 0, 0, 1, 0, 0, 0, STAY(F0), 0, 0, 1, 0, 0, 0, STAY(F1))},
     "repaired-time",
     1,
     1,
     0,
     1},
};

static void clips_are_repaired(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof clip_cases / sizeof *clip_cases; i++) {
        const stele_model *model;
        bytes changed;
        stele_options options = {.name = "m.sga"};
        stele_file *file = open_spliced(LITERAL(skinned_sga), clip_cases[i].change, &options, &changed, &model);
        size_t count;
        stele_file_diagnostics(file, &count);
        assert_int_equal(count, clip_cases[i].id != NULL);
        if (clip_cases[i].id)
            assert_non_null(find_diagnostic(file, clip_cases[i].id));
        assert_int_equal(model->clip_count, clip_cases[i].clips);
        const stele_channel *channels = model->clips[0].channels;
        assert_int_equal(model->clips[0].channel_count, 3);
        assert_int_equal(channels[1].values.count, clip_cases[i].keys);
        EXPECT(&channels[1].times, clip_cases[i].keys - 1, clip_cases[i].last_time / 24);
        EXPECT(&channels[1].values, clip_cases[i].keys - 1, 0, 0, 0, clip_cases[i].last_w);
        stele_close(file);
        free(changed.data);
    }
}

static void the_oldest_bone_map_is_applied(void **state)
{
    (void)state;
    /* v1a: the vertices' bone 0 is bone 1; v1b has the same map, and does not mean it */
#define MAPPED(...)                                                                                                            \
    1, 1, 0, 0, 1, 0, 0, 3, 0, 0, 0, 0, 1, 1, 0, CORNER0, F1, F0, F0, F0, F0, F0, F0, F0, CORNER1, F1, F0, F0, F0, F0, F0, F0, \
        F0, CORNER2, F1, F0, F0, F0, F0, F0, F0, F0, __VA_ARGS__, 0, 0, 1, 0, 2, 0, 1, 6, 0, 'm', '.', 's', 'g', 'a', 0
    static const uint8_t v1a[] = {MAPPED(3, 0)}, v1b[] = {MAPPED(3, 0, 0, 0)};
    const stele_model *model;
    stele_options options = with(&rig);
    stele_file *file = open_model(LITERAL(v1a), &options, &model);
    assert_string_equal(stele_file_dialect(file), "v1a");
    EXPECT(attribute(model, 0, STELE_JOINTS, 0), 0, 1, 0, 0, 0);
    stele_close(file);
    file = open_model(LITERAL(v1b), &options, &model);
    assert_string_equal(stele_file_dialect(file), "v1b");
    EXPECT(attribute(model, 0, STELE_JOINTS, 0), 0, 0, 0, 0, 0);
    stele_close(file);
}

/* ---- Materials, colours, tangents ---- */

/* A triangle with a list of materials before it, and some uvs, colours or tangents. */
#define TEXTURE(hint, a) hint, 6, 0, a, '.', 'p', 'n', 'g', 0
#define NORMAL_MAP(hint) hint, 8, 0, 'a', '_', 'N', '.', 'p', 'n', 'g', 0
#define UV_CORNERS CORNER0, F0, F0, CORNER1, F1, F0, CORNER2, F0, F1
#define UV_MESH 1, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, UV_CORNERS, TRIANGLE, 0
#define TWO_UVS(corner) corner, F0, F0, FHALF, F0
#define TWO_UV_MESH 1, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, TWO_UVS(CORNER0), TWO_UVS(CORNER1), TWO_UVS(CORNER2), TRIANGLE, 0

static const char *texture_of(const stele_model *model, const stele_texture_use *use)
{
    return use->texture == STELE_NONE ? "" : model->textures[use->texture].name;
}

static void hints_are_roles(void **state)
{
    (void)state;
    /* clang-format off */
    static const uint8_t file_with_all[] = {
        SGM_MAGIC, 3, 1, 0, 1,
        5, TEXTURE(0, 'a'), TEXTURE(1, 'b'), TEXTURE(2, 'c'), TEXTURE(3, 'd'), TEXTURE(4, 'e'),
        3, 0, F1, FHALF, F2, FHALF, 4, FHALF, F0, F0, F1, 3, FQUARTER, F0, F0, F1,
        UV_MESH,
    };
    /* clang-format on */
    const stele_model *model;
    stele_options options = with(&image);
    stele_file *file = open_model(LITERAL(file_with_all), &options, &model);
    const stele_material *m = &model->materials[0];
    assert_string_equal(texture_of(model, &m->textures[STELE_ROLE_BASE_COLOR]), "a.png");
    assert_string_equal(model->textures[m->textures[STELE_ROLE_BASE_COLOR].texture].file, "a.png");
    assert_string_equal(texture_of(model, &m->textures[STELE_ROLE_NORMAL]), "b.png");
    assert_string_equal(texture_of(model, &m->textures[STELE_ROLE_SPECULAR_COLOR]), "c.png");
    assert_string_equal(texture_of(model, &m->textures[STELE_ROLE_METALLIC_ROUGHNESS]), "d.png");
    assert_string_equal(texture_of(model, &m->textures[STELE_ROLE_EMISSIVE]), "e.png");
    assert_int_equal(find_diagnostic(file, "texture-missing")->count, 1);
    assert_true(m->base_color[0] == 1 && m->base_color[1] == 0.5f && m->base_color[2] == 1); /* brought into 0 to 1 */
    assert_int_equal(m->alpha_mode, STELE_BLEND);
    assert_true(m->emissive[0] == 0.5f && m->roughness == 0.25f && m->metallic == 0);
    stele_close(file);
}

static void textures_without_roles_are_guessed(void **state)
{
    (void)state;
    /* writer 1.5.0 called everything a base colour; v1 has one texture for each uv set */
    static const uint8_t hintless[] = {SGM_MAGIC, 3, 1, 0, 1, 3, TEXTURE(0, 'a'), NORMAL_MAP(0), TEXTURE(0, 'x'), 0, UV_MESH};
    /* clang-format off */
    static const uint8_t lightmap[] = {
        SGM_MAGIC, 1, 1, 0,
        2, 6, 0, 'a', '.', 'p', 'n', 'g', 0, 6, 0, 'l', '.', 'p', 'n', 'g', 0,
        1, 0, 0, 3, 0, 2, 0, 0, 0, TWO_UVS(CORNER0), TWO_UVS(CORNER1), TWO_UVS(CORNER2),
        TRIANGLE, 0,
    };
    /* clang-format on */
    const stele_model *model;
    stele_options options = with(&image);
    stele_file *file = open_model(LITERAL(hintless), &options, &model);
    assert_string_equal(texture_of(model, &model->materials[0].textures[STELE_ROLE_BASE_COLOR]), "a.png");
    assert_string_equal(texture_of(model, &model->materials[0].textures[STELE_ROLE_NORMAL]), "a_N.png");
    assert_string_equal(texture_of(model, &model->materials[0].textures[STELE_ROLE_OCCLUSION]), "");
    assert_string_equal(stele_find_property(&model->materials[0].properties, "sgm.textures")->text,
                        "0:a.png\t0:a_N.png\t0:x.png");
    stele_close(file);
    file = open_model(LITERAL(lightmap), &options, &model);
    assert_string_equal(texture_of(model, &model->materials[0].textures[STELE_ROLE_BASE_COLOR]), "a.png");
    assert_string_equal(texture_of(model, &model->materials[0].textures[STELE_ROLE_OCCLUSION]), "l.png");
    assert_int_equal(model->materials[0].textures[STELE_ROLE_OCCLUSION].uv_set, 1);
    EXPECT(attribute(model, 0, STELE_UV, 1), 2, 0.5, 0);
    stele_close(file);
}

static void textures_need_uvs(void **state)
{
    (void)state;
    /* a texture on uv set 1 of a mesh that has one set, and one of a mesh that has none */
    static const uint8_t beyond[] = {SGM_MAGIC, 3, 1, 0, 2, 0, 1, TEXTURE(0, 'a'), 0, UV_MESH};
    static const uint8_t without[] = {SGM_MAGIC, 3, 1, 0, 1, 1, TEXTURE(0, 'a'), 0,       1,       0,        0, 3, 0,
                                      0,         0, 0, 0, 0, 0, CORNER0,         CORNER1, CORNER2, TRIANGLE, 0};
    const stele_model *model;
    stele_options options = with(&image);
    stele_file *file = open_model(LITERAL(beyond), &options, &model);
    assert_string_equal(texture_of(model, &model->materials[0].textures[STELE_ROLE_BASE_COLOR]), "a.png");
    assert_int_equal(model->materials[0].textures[STELE_ROLE_BASE_COLOR].uv_set, 0);
    stele_close(file);
    file = open_model(LITERAL(without), &options, &model);
    assert_string_equal(texture_of(model, &model->materials[0].textures[STELE_ROLE_BASE_COLOR]), "");
    stele_close(file);
}

#define COLOR_MESH(...)                                                                                                        \
    1, 0, 0, 3, 0, 0, 0, 0, 4, 0, 0, CORNER0, __VA_ARGS__, CORNER1, __VA_ARGS__, CORNER2, __VA_ARGS__, TRIANGLE, 0
#define F51 0xCD, 0xCC, 0x4C, 0x3E       /* 51/255 */
#define F51LINEAR 0xED, 0x7E, 0xED, 0x3C /* (51/255)^2.2, as a float */

static void colors_are_linear(void **state)
{
    (void)state;
    static const uint8_t screen[] = {SGM_MAGIC, 3, 1, 0, 0, 0, COLOR_MESH(F51, F1, F0, FHALF)};
    static const uint8_t linear[] = {SGM_MAGIC, 3, 1, 0, 0, 0, COLOR_MESH(F51LINEAR, F1, F0, F1)};
    float power;
    memcpy(&power, (const uint8_t[]){F51LINEAR}, 4);
    assert_true(fabs((double)power - pow(0.2, 2.2)) < 1e-8);

    const stele_model *model;
    stele_options options = with(&image);
    stele_file *file = open_model(LITERAL(screen), &options, &model);
    assert_non_null(find_diagnostic(file, "assumed"));
    /* 0.2 of sRGB is ((0.2 + 0.055) / 1.055)^2.4; alpha stays, and shows that the mesh is meant to be seen through */
    EXPECT(attribute(model, 0, STELE_COLOR, 0), 1, 0.033104767, 1, 0, 0.5);
    assert_int_equal(model->materials[0].alpha_mode, STELE_BLEND);
    stele_close(file);
    file = open_model(LITERAL(linear), &options, &model);
    assert_null(find_diagnostic(file, "assumed"));
    EXPECT(attribute(model, 0, STELE_COLOR, 0), 1, (double)power, 1, 0, 1);
    assert_int_equal(model->materials[0].alpha_mode, STELE_OPAQUE);
    stele_close(file);
    options = with_choice("sgm.colors", "linear");
    file = open_model(LITERAL(screen), &options, &model);
    EXPECT(attribute(model, 0, STELE_COLOR, 0), 1, 0.2, 1, 0, 0.5);
    stele_close(file);
}

/* Normals along z. The tangent 2 0 2 becomes 1 0 0, and its bitangent points up the image instead of down. */
#define TANGENTS(normal_map, t)                                                                                                \
    SGM_MAGIC, 3, 1, 0, 1, 2, TEXTURE(0, 'a'), TEXTURE(normal_map, 'b'), 0, 1, 0, 0, 3, 0, 0, 0, 1, 0, 1, 0, CORNER0, F0, F0,  \
        t, CORNER1, F1, F0, t, CORNER2, F0, F1, t, TRIANGLE, 0
#define SLANTED F2, F0, F2, F1
#define NOTHING F0, F0, F0, F1
#define UPRIGHT F1, F0, F0, FMINUS

static void tangents_are_taken_where_they_are_needed(void **state)
{
    (void)state;
    static const uint8_t needed[] = {TANGENTS(1, SLANTED)}, not_needed[] = {TANGENTS(2, SLANTED)};
    static const uint8_t useless[] = {TANGENTS(1, NOTHING)};
    static const uint8_t various[] = {SGM_MAGIC,
                                      3,
                                      1,
                                      0,
                                      1,
                                      2,
                                      TEXTURE(0, 'a'),
                                      TEXTURE(2, 'b'),
                                      0,
                                      1,
                                      0,
                                      0,
                                      3,
                                      0,
                                      0,
                                      0,
                                      1,
                                      0,
                                      1,
                                      0,
                                      CORNER0,
                                      F0,
                                      F0,
                                      UPRIGHT,
                                      CORNER1,
                                      F1,
                                      F0,
                                      SLANTED,
                                      CORNER2,
                                      F0,
                                      F1,
                                      SLANTED,
                                      TRIANGLE,
                                      0};
    static const struct {
        const uint8_t *data;
        const char *choice;
        bool taken, kept;
    } cases[] = {{needed, "auto", true, false},  {not_needed, "auto", false, true}, {useless, "auto", false, true},
                 {needed, "drop", false, true},  {not_needed, "keep", true, false}, {useless, "keep", false, true},
                 {various, "auto", true, false}, {various, "drop", false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const stele_model *model;
        stele_options options = with_choice("sgm.tangents", cases[i].choice);
        stele_file *file = open_model(cases[i].data, sizeof needed, &options, &model);
        const stele_view *tangents = attribute(model, 0, STELE_TANGENT, 0);
        assert_int_equal(tangents != NULL, cases[i].taken);
        assert_int_equal(find_diagnostic(file, "tangents-dropped") != NULL, !cases[i].taken && !cases[i].kept);
        assert_int_equal(find_diagnostic(file, "assumed") != NULL, cases[i].kept);
        if (cases[i].taken)
            EXPECT(tangents, 2, 1, 0, 0, -1);
        const stele_properties *properties = &model->meshes[0].primitives[0].properties;
        assert_int_equal(stele_find_property(properties, "sgm.tangent") != NULL, cases[i].kept);
        stele_close(file);
    }
}

static void odd_meshes_are_repaired(void **state)
{
    (void)state;
    /* four indices; a normal of nothing; no indices at all */
    static const uint8_t four[] = {SGM_MAGIC, 3,       1,       0, 0, 0, 1, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0,
                                   CORNER0,   CORNER1, CORNER2, 4, 0, 0, 0, 2, 0, 0, 1, 0, 2, 0, 1, 0, 0};
    static const uint8_t dark[] = {SGM_MAGIC, 3, 1, 0,  0,  0,  1,  0,  0,  3,       0,       0,        0, 0,
                                   0,         0, 0, F0, F0, F0, F0, F0, F0, CORNER1, CORNER2, TRIANGLE, 0};
    static const uint8_t none[] = {SGM_MAGIC, 3, 1, 0, 0,       0,       1,       0, 0, 3, 0, 0, 0,
                                   0,         0, 0, 0, CORNER0, CORNER1, CORNER2, 0, 0, 0, 0, 2, 0};
    const stele_model *model;
    stele_options options = with(&image), literal = with(&image);
    literal.load.no_repair = true;
    stele_file *file = open_model(LITERAL(four), &options, &model);
    assert_non_null(find_diagnostic(file, "repaired-indices"));
    assert_int_equal(model->meshes[0].primitives[0].indices.count, 3);
    stele_close(file);
    file = open_model(LITERAL(four), &literal, &model);
    assert_null(find_diagnostic(file, "repaired-indices"));
    assert_int_equal(model->meshes[0].primitives[0].indices.count, 4);
    stele_close(file);
    file = open_model(LITERAL(dark), &options, &model);
    assert_non_null(find_diagnostic(file, "repaired-normal"));
    EXPECT(attribute(model, 0, STELE_NORMAL, 0), 0, 0, 0, 1);
    stele_close(file);
    file = open_model(LITERAL(none), &options, &model);
    assert_int_equal(model->meshes[0].primitives[0].vertex_count, 0);
    stele_close(file);
}

/* ---- Saving ---- */

/* Another handle with a copy of the model, so that nothing but the model can be written. */
static stele_file *copy_of(const stele_model *model)
{
    stele_file *copy = stele_new(NULL);
    for (size_t i = 0; i < model->texture_count; i++)
        stele_add_texture(copy, &model->textures[i]);
    for (size_t i = 0; i < model->material_count; i++)
        stele_add_material(copy, &model->materials[i]);
    for (size_t i = 0; i < model->mesh_count; i++)
        stele_add_mesh(copy, &model->meshes[i]);
    for (size_t i = 0; i < model->node_count; i++)
        stele_add_node(copy, &model->nodes[i]);
    for (size_t i = 0; i < model->skin_count; i++)
        stele_add_skin(copy, &model->skins[i]);
    for (size_t i = 0; i < model->clip_count; i++)
        stele_add_clip(copy, &model->clips[i]);
    return copy;
}

static void expect_written(stele_file *file, const char *format, const uint8_t *expected, size_t size)
{
    stele_save_options options = {.format = format};
    bytes out = rewritten(file, &options);
    assert_int_equal(stele_file_status(file), STELE_OK);
    assert_non_null(out.data);
    for (size_t i = 0; i < size && i < out.size; i++)
        if (out.data[i] != expected[i])
            fail_msg("byte %zu of the %s is %02X, not %02X", i, format, out.data[i], expected[i]);
    assert_int_equal(out.size, size);
    free(out.data);
}

static void expect_file(const char *folder, const char *name, const uint8_t *expected, size_t size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    bytes out = read_bytes(path);
    for (size_t i = 0; i < size && i < out.size; i++)
        if (out.data[i] != expected[i])
            fail_msg("byte %zu of %s is %02X, not %02X", i, name, out.data[i], expected[i]);
    assert_int_equal(out.size, size);
    free(out.data);
    assert_int_equal(remove(path), 0);
}

static void save_as(stele_file *file, const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (stele_file_save(file, path, NULL) != STELE_OK)
        fail_msg("%s", stele_file_message(file));
}

static void a_model_comes_back_as_its_bytes(void **state)
{
    (void)state;
    char folder[] = "/tmp/stele-rayne-XXXXXX";
    const stele_model *model;
    stele_options options = with(&rig);
    assert_non_null(mkdtemp(folder));
    stele_file *file = open_model(LITERAL(skinned_sgm), &options, &model), *copy = copy_of(model);
    save_as(copy, folder, "m.sgm");
    expect_file(folder, "m.sgm", LITERAL(skinned_sgm));
    expect_file(folder, "m.sga", LITERAL(skinned_sga));
    expect_written(copy, "sga", LITERAL(skinned_sga));
    stele_close(copy);
    stele_close(file);
    assert_int_equal(rmdir(folder), 0);
}

/* Lists that mean the same as shorter ones, or nothing that the model has a word for, are kept. */
static void materials_come_back_as_they_were(void **state)
{
    (void)state;
    static const uint8_t black[] = {SGM_MAGIC, 3, 1, 0, 0, 2, 0, F1, F0, F0, F1, 4, F0, F0, F0, F1, UV_MESH};
    static const uint8_t white[] = {SGM_MAGIC, 3, 1, 0, 0, 1, 0, F1, F1, F1, F1, UV_MESH};
    static const uint8_t bright[] = {SGM_MAGIC, 3, 1, 0, 0, 2, 0, F1, F2, F0, F1, 0, F1, F0, F0, F1, UV_MESH};
    static const uint8_t hintless[] = {SGM_MAGIC, 3, 1, 0, 1, 3, TEXTURE(0, 'a'), NORMAL_MAP(0), TEXTURE(9, 'x'), 0, UV_MESH};
    static const uint8_t beyond[] = {SGM_MAGIC, 3, 1, 0, 3, 0, 2, TEXTURE(0, 'a'), TEXTURE(0, 'a'), 0, 0, UV_MESH};
    static const uint8_t plain[] = {SGM_MAGIC, 3, 1, 0, 0, 0, UV_MESH};
    static const uint8_t glowing[] = {SGM_MAGIC, 3, 1, 0, 1, 2, TEXTURE(0, 'a'), TEXTURE(4, 'e'), 0, UV_MESH};
    static const uint8_t lit[] = {SGM_MAGIC, 3, 1, 0, 2, 1, TEXTURE(0, 'a'), 1, TEXTURE(0, 'l'), 0, TWO_UV_MESH};
    static const uint8_t same[] = {TANGENTS(2, NOTHING)}, upright[] = {TANGENTS(1, UPRIGHT)};
    static const struct {
        const uint8_t *data;
        size_t size;
        bool kept;
    } cases[] = {{LITERAL(black), true},  {LITERAL(white), true},   {LITERAL(bright), true},   {LITERAL(hintless), true},
                 {LITERAL(beyond), true}, {LITERAL(plain), false},  {LITERAL(glowing), false}, {LITERAL(lit), false},
                 {LITERAL(same), false},  {LITERAL(upright), false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const stele_model *model;
        stele_options options = with(&image);
        stele_file *file = open_model(cases[i].data, cases[i].size, &options, &model), *copy = copy_of(model);
        assert_int_equal(model->materials[0].properties.count != 0, cases[i].kept);
        expect_written(copy, "sgm", cases[i].data, cases[i].size);
        stele_close(copy);
        stele_close(file);
    }
}

/* Somebody painted the model blue after it was read: what was kept is stale. */
static void what_was_kept_does_not_hide_a_change(void **state)
{
    (void)state;
    static const uint8_t black[] = {SGM_MAGIC, 3, 1, 0, 0, 2, 0, F1, F0, F0, F1, 4, F0, F0, F0, F1, UV_MESH};
    static const uint8_t blue[] = {SGM_MAGIC, 3, 1, 0, 0, 1, 0, F0, F0, F1, F1, UV_MESH};
    const stele_model *model;
    stele_options options = with(&image);
    stele_file *file = open_model(LITERAL(black), &options, &model), *copy = stele_new(NULL);
    stele_material material = model->materials[0];
    memcpy(material.base_color, ((float[]){0, 0, 1, 1}), 16);
    stele_add_material(copy, &material);
    stele_add_mesh(copy, &model->meshes[0]);
    stele_add_node(copy, &model->nodes[0]);
    stele_add_node(copy, &model->nodes[1]);
    expect_written(copy, "sgm", LITERAL(blue));
    stele_close(copy);
    stele_close(file);
}

/* ---- Models that come from nowhere ---- */

static const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
static const float normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1};

static uint32_t add_triangles(stele_file *file, size_t count, const uint32_t *materials)
{
    stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(corners, 3, 3)},
                                    {STELE_NORMAL, 0, stele_float_view(normals, 3, 3)}};
    stele_primitive *primitives = stele_memory(file, count * sizeof *primitives);
    for (size_t i = 0; i < count; i++)
        primitives[i] = (stele_primitive){.vertex_count = 3,
                                          .attributes = attributes,
                                          .attribute_count = 2,
                                          .material = materials ? materials[i] : STELE_NONE};
    stele_mesh mesh = {.primitives = primitives, .primitive_count = count};
    return stele_add_mesh(file, &mesh);
}

/* Ours face +Z, Rayne's -Z: x and z change their signs. A mesh without a material gets a plain one, indices are made. */
#define TURNED0 F0, F0, F0, F0, F0, FMINUS
#define TURNED1 FMINUS, F0, F0, F0, F0, FMINUS
#define TURNED2 F0, F1, F0, F0, F0, FMINUS
#define TURNED_MESH(i) i, i, 3, 0, 0, 0, 0, 0, 0, 0, TURNED0, TURNED1, TURNED2, TRIANGLE

/* -0 is as good as 0. */
static void expect_written_up_to_sign(stele_file *file, const uint8_t *expected, size_t size)
{
    stele_save_options options = {.format = "sgm"};
    bytes out = rewritten(file, &options);
    assert_int_equal(out.size, size);
    for (size_t i = 0; i < size; i++)
        if (out.data[i] != expected[i] && !(out.data[i] == 0x80 && expected[i] == 0))
            fail_msg("byte %zu is %02X, not %02X", i, out.data[i], expected[i]);
    free(out.data);
}

static void a_model_is_turned_to_face_as_the_engine_wants(void **state)
{
    (void)state;
    static const uint8_t expected[] = {SGM_MAGIC, 3, 1, 0, 0, 0, 1, TURNED_MESH(0), 0};
    stele_file *file = stele_new(NULL);
    stele_node node = stele_default_node();
    node.mesh = add_triangles(file, 1, NULL);
    stele_add_node(file, &node);
    expect_written_up_to_sign(file, LITERAL(expected));
    stele_close(file);
}

/* Each mesh needs a material of its own, at its own position; one that no mesh uses comes last. */
static void shared_materials_are_repeated(void **state)
{
    (void)state;
#define RED 1, 0, F1, F0, F0, F1
#define GREEN 1, 0, F0, F1, F0, F1
#define BLUE 1, 0, F0, F0, F1, F1
    static const uint8_t expected[] = {
        SGM_MAGIC, 3, 4, 0, 0, BLUE, 1, 0, RED, 2, 0, BLUE, 3, 0, GREEN, 3, TURNED_MESH(0), TURNED_MESH(1), TURNED_MESH(2), 0};
    static const uint32_t uses[] = {2, 0, 2};
    stele_file *file = stele_new(NULL);
    for (int i = 0; i < 3; i++) {
        stele_material material = stele_default_material();
        for (int k = 0; k < 3; k++)
            material.base_color[k] = i == k;
        stele_add_material(file, &material);
    }
    stele_node node = stele_default_node();
    node.mesh = add_triangles(file, 3, uses);
    stele_add_node(file, &node);
    expect_written_up_to_sign(file, LITERAL(expected));
    stele_close(file);
}

static void expect_floats(const uint8_t *data, const uint8_t *expected, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i += 4) {
        float got, want;
        memcpy(&got, data + i, 4);
        memcpy(&want, expected + i, 4);
        if (fabsf(got - want) > 1e-6f)
            fail_msg("the float at %zu is %g, not %g", i, (double)got, (double)want);
    }
}

/* A triangle on a joint at 0 1 0 that is turned by 90 degrees about z at rest, and a clip of two keys. */
static const float root = 0.70710678f;
static const float inverse_bind[] = {0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, -1, 0, 0, 1};
static const float times[] = {0, 0.6f};
static const uint8_t joints[12];

static void add_skinned_triangle(stele_file *file, const float *weights, const float *turns, const float *scales)
{
    stele_node joint = stele_default_node(), node = stele_default_node();
    joint.local.translation[1] = 1;
    joint.local.rotation[2] = joint.local.rotation[3] = root;
    uint32_t index = stele_add_node(file, &joint);
    stele_skin skin = {
        .joints = &index, .joint_count = 1, .inverse_bind = stele_float_view(inverse_bind, 1, 16), .skeleton = STELE_NONE};
    stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(corners, 3, 3)},
                                    {STELE_NORMAL, 0, stele_float_view(normals, 3, 3)},
                                    {STELE_JOINTS, 0, {joints, 3, 4, 4, STELE_U8, false}},
                                    {STELE_WEIGHTS, 0, stele_float_view(weights, 3, 4)}};
    stele_primitive primitive = {.vertex_count = 3, .attributes = attributes, .attribute_count = 4, .material = STELE_NONE};
    stele_mesh mesh = {.primitives = &primitive, .primitive_count = 1};
    stele_view at = stele_float_view(times, 2, 1);
    stele_channel channels[] = {{index, STELE_ROTATION, STELE_LINEAR, at, stele_float_view(turns, 2, 4)},
                                {index, STELE_SCALE, STELE_LINEAR, at, stele_float_view(scales, 2, 3)}};
    stele_clip clip = {.channels = channels, .channel_count = 2};
    node.skin = stele_add_skin(file, &skin);
    node.mesh = stele_add_mesh(file, &mesh);
    stele_add_node(file, &node);
    stele_add_clip(file, &clip);
}

#define F15 0x00, 0x00, 0x70, 0x41
#define SKELETON(bones) SGA_MAGIC, 1, 9, 0, 's', 'k', 'e', 'l', 'e', 't', 'o', 'n', 0, bones, 0
#define BONE0 6, 0, 'b', 'o', 'n', 'e', '0', 0, F0, F1, F0, 1, 0, 0
#define CLIP0(tracks) 1, 0, 6, 0, 'c', 'l', 'i', 'p', '0', 0, tracks, 0
static const float all_of_it[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
static const float one_size[] = {1, 1, 1, 1, 1, 1};

/* Without rounding but for the head of the bone and the numbers of the keys. */
static void expect_skeleton(const uint8_t *data, size_t size, const uint8_t *expected, size_t expected_size, unsigned keys)
{
    size_t head = 26, first = expected_size - 44 * (size_t)keys;
    assert_int_equal(size, expected_size);
    assert_memory_equal(data, expected, head);
    expect_floats(data, expected, head, head + 12);
    assert_memory_equal(data + head + 12, expected + head + 12, first - head - 12);
    expect_floats(data, expected, first, size);
}

/* The clip turns the joint by 180 degrees: the key is what was added, a turn by 90 degrees, which is one by -90 for a model
 * that faces the other way. Frames are whole numbers, although 15/25 of a second is none that a float can hold. */
static void keys_are_relative_to_the_bind_pose(void **state)
{
    (void)state;
    static const uint8_t expected[] = {SKELETON(1), BONE0, CLIP0(1), 0,  0,  2,  0,  0,          0,    F0,  F0,
                                       F0,          F0,    F1,       F1, F1, F0, F0, F0,         F1,   F15, F0,
                                       F0,          F0,    F1,       F1, F1, F0, F0, FMINUSROOT, FROOT};
    static const float turns[] = {0, 0, 0.70710678f, 0.70710678f, 0, 0, 1, 0};
    stele_file *file = stele_new(NULL);
    add_skinned_triangle(file, all_of_it, turns, one_size);
    stele_save_options options = {.format = "sga", .fps = 25};
    bytes out = rewritten(file, &options);
    expect_skeleton(out.data, out.size, LITERAL(expected), 2);
    assert_memory_equal(out.data + out.size - 44, expected + sizeof expected - 44, 4);
    free(out.data);

    /* without a place for the .sga, the skeleton and the clip are lost */
    options.format = "sgm";
    out = rewritten(file, &options);
    assert_non_null(out.data);
    assert_non_null(find_diagnostic(file, "loss-skeleton"));
    assert_int_equal(out.data[19], 0); /* no bones */
    free(out.data);
    stele_close(file);
}

/* What is scaled to nothing keeps the rotation that it had before. */
static void nothing_keeps_its_rotation(void **state)
{
    (void)state;
    static const uint8_t expected[] = {SKELETON(1), BONE0, CLIP0(1), 0,  0,  2,  0,  0,          0,     F0,  F0,
                                       F0,          F0,    F1,       F1, F1, F0, F0, FMINUSROOT, FROOT, F15, F0,
                                       F0,          F0,    F0,       F0, F0, F0, F0, FMINUSROOT, FROOT};
    static const float turns[] = {0, 0, 1, 0, 0, 0, 1, 0}, scales[] = {1, 1, 1, 0, 0, 0};
    stele_file *file = stele_new(NULL);
    add_skinned_triangle(file, all_of_it, turns, scales);
    stele_save_options options = {.format = "sga", .fps = 25};
    bytes out = rewritten(file, &options);
    expect_skeleton(out.data, out.size, LITERAL(expected), 2);
    free(out.data);
    stele_close(file);
}

/* A vertex that nothing moves would go to the origin in the engine: a bone that stays holds it. */
static void unmoved_vertices_get_a_bone(void **state)
{
    (void)state;
    static const uint8_t neutral[] = {8, 0, 'n', 'e', 'u', 't', 'r', 'a', 'l', 0, F0, F0, F0, 1, 0, 0};
    static const uint8_t skin[] = {F1, F0, F0, F0, F1, F0, F0, F0};
    static const float weights[] = {1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}, turns[] = {0, 0, 0, 1, 0, 0, 0, 1};
    char folder[] = "/tmp/stele-rayne-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    stele_file *file = stele_new(NULL);
    add_skinned_triangle(file, weights, turns, one_size);
    save_as(file, folder, "m.sgm");
    snprintf(path, sizeof path, "%s/m.sgm", folder);
    bytes sgm = read_bytes(path);
    assert_memory_equal(sgm.data + 20 + 56 + 24, skin, sizeof skin);
    assert_int_equal(remove(path), 0);
    snprintf(path, sizeof path, "%s/m.sga", folder);
    bytes sga = read_bytes(path);
    assert_int_equal(sga.data[16], 2);
    assert_memory_equal(sga.data + 41, neutral, sizeof neutral);
    assert_int_equal(remove(path), 0);
    assert_int_equal(rmdir(folder), 0);
    free(sgm.data);
    free(sga.data);
    stele_close(file);
}

/* Two sets of joints for each vertex, three sets of uvs, and a material that Rayne could not show. */
static void losses_are_said(void **state)
{
    (void)state;
    static const uint8_t many[] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}, more[] = {4, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0};
    static const float first[] = {0.3f, 0.3f, 0.2f, 0.1f, 0.3f, 0.3f, 0.2f, 0.1f, 0.25f, 0.25f, 0.25f, 0.25f};
    static const float rest[] = {0.1f, 0, 0, 0, 0.1f, 0, 0, 0, 0, 0, 0, 0}, uvs[6];
    uint32_t bones[5];
    stele_file *file = stele_new(NULL);
    stele_node node = stele_default_node();
    for (size_t i = 0; i < 5; i++)
        bones[i] = stele_add_node(file, &node);
    stele_skin skin = {.joints = bones, .joint_count = 5, .skeleton = STELE_NONE};
    stele_material material = stele_default_material();
    stele_texture texture = {.name = "o.png"};
    material.alpha_mode = STELE_MASK;
    stele_add_material(file, &material); /* no mesh uses it, and it is written all the same */
    material.alpha_mode = STELE_OPAQUE;
    material.metallic = 1;
    material.textures[STELE_ROLE_OCCLUSION].texture = stele_add_texture(file, &texture);
    stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(corners, 3, 3)},
                                    {STELE_NORMAL, 0, stele_float_view(normals, 3, 3)},
                                    {STELE_JOINTS, 0, {many, 3, 4, 4, STELE_U8, false}},
                                    {STELE_WEIGHTS, 0, stele_float_view(first, 3, 4)},
                                    {STELE_JOINTS, 1, {more, 3, 4, 4, STELE_U8, false}},
                                    {STELE_WEIGHTS, 1, stele_float_view(rest, 3, 4)},
                                    {STELE_UV, 0, stele_float_view(uvs, 3, 2)},
                                    {STELE_UV, 1, stele_float_view(uvs, 3, 2)},
                                    {STELE_UV, 2, stele_float_view(uvs, 3, 2)}};
    stele_primitive primitive = {.vertex_count = 3,
                                 .attributes = attributes,
                                 .attribute_count = sizeof attributes / sizeof *attributes,
                                 .material = stele_add_material(file, &material)};
    stele_mesh mesh = {.primitives = &primitive, .primitive_count = 1};
    char folder[] = "/tmp/stele-rayne-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    node.skin = stele_add_skin(file, &skin);
    node.mesh = stele_add_mesh(file, &mesh);
    stele_add_node(file, &node);
    save_as(file, folder, "m.sgm");
    assert_int_equal(find_diagnostic(file, "loss-influences")->count, 2);
    assert_int_equal(find_diagnostic(file, "loss-uv")->count, 1);
    assert_int_equal(find_diagnostic(file, "loss-texture")->count, 1);
    assert_int_equal(find_diagnostic(file, "loss-material")->count, 2);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/m.%s", folder, i ? "sgm" : "sga");
        assert_int_equal(remove(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
    stele_close(file);
}

/* Four bytes only where two are not enough. */
static void indices_are_as_wide_as_they_need_to_be(void **state)
{
    (void)state;
    for (uint32_t last = 65535; last <= 65536; last++) {
        stele_file *file = stele_new(NULL);
        stele_save_options options = {.format = "sgm"};
        uint32_t *indices = stele_memory(file, 3 * sizeof *indices);
        uint8_t *bytes_of_indices = (uint8_t *)indices;
        for (int i = 0; i < 4; i++)
            bytes_of_indices[8 + i] = (uint8_t)(last >> (8 * i));
        bytes_of_indices[4] = 1;
        float *points = stele_memory(file, 12 * ((uint64_t)last + 1));
        stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(points, last + 1, 3)},
                                        {STELE_NORMAL, 0, stele_float_view(points, last + 1, 3)}};
        stele_primitive primitive = {.vertex_count = last + 1,
                                     .attributes = attributes,
                                     .attribute_count = 2,
                                     .indices = {indices, 3, 4, 1, STELE_U32, false},
                                     .material = STELE_NONE};
        stele_mesh mesh = {.primitives = &primitive, .primitive_count = 1};
        stele_node node = stele_default_node();
        node.mesh = stele_add_mesh(file, &mesh);
        stele_add_node(file, &node);
        bytes out = rewritten(file, &options);
        size_t at = 20 + 24 * ((size_t)last + 1);
        bool wide = last > 65535;
        assert_int_equal(out.size, at + 5 + (wide ? 12 : 6) + 1);
        assert_int_equal(out.data[at + 4], wide ? 4 : 2);
        assert_memory_equal(out.data + at + 5 + (wide ? 8 : 4), bytes_of_indices + 8, wide ? 4 : 2);
        free(out.data);
        stele_close(file);
    }
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    stele_file *file = stele_new(NULL);
    stele_node node = stele_default_node();
    stele_save_options options = {.format = "sgm"};
    node.mesh = add_triangles(file, 255, NULL);
    stele_add_node(file, &node);
    bytes out = rewritten(file, &options);
    assert_non_null(out.data);
    free(out.data);
    node.mesh = add_triangles(file, 1, NULL);
    stele_add_node(file, &node);
    out = rewritten(file, &options);
    assert_null(out.data);
    assert_non_null(find_diagnostic(file, "does-not-fit"));
    stele_close(file);
}

/* Linear colours of 8 bits look like the sRGB of old files: whoever reads them back must not take them for that. */
static void colors_are_read_back_as_they_were(void **state)
{
    (void)state;
    static const uint8_t screen[] = {SGM_MAGIC, 3, 1, 0, 0, 0, COLOR_MESH(F51, F1, F0, FHALF)};
    const stele_model *model;
    stele_options options = with_choice("sgm.colors", "linear"), usual = with(&image);
    stele_save_options as_sgm = {.format = "sgm"};
    stele_file *file = open_model(LITERAL(screen), &options, &model), *copy = copy_of(model);
    bytes out = rewritten(copy, &as_sgm);
    assert_non_null(find_diagnostic(copy, "assumed"));
    stele_file *again = open_model(out.data, out.size, &usual, &model);
    float color[4];
    stele_view_row(attribute(model, 0, STELE_COLOR, 0), 1, color);
    assert_true(fabsf(color[0] - 0.2f) < 2e-5f && color[1] == 1 && color[2] == 0 && color[3] == 0.5f);
    stele_close(again);
    stele_close(copy);
    stele_close(file);
    free(out.data);
}

/* Older dialects are made from v3. */
static void old_dialects_are_written(void **state)
{
    (void)state;
    static const uint8_t expected[] = {SGM_MAGIC, 1, 1, 0, 0,       1,       0,       0,        3, 0,
                                       0,         0, 0, 0, TURNED0, TURNED1, TURNED2, TRIANGLE, 0};
    stele_file *file = stele_new(NULL);
    stele_node node = stele_default_node();
    stele_save_options options = {.format = "sgm", .dialect = "v1"};
    node.mesh = add_triangles(file, 1, NULL);
    stele_add_node(file, &node);
    bytes out = rewritten(file, &options);
    assert_int_equal(out.size, sizeof expected);
    assert_memory_equal(out.data, expected, 14);
    free(out.data);
    stele_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_skinned_model_is_loaded),
        cmocka_unit_test(keys_are_changes_to_the_rest_pose),
        cmocka_unit_test(an_animation_alone_is_a_skeleton),
        cmocka_unit_test(a_missing_skeleton_is_said),
        cmocka_unit_test(weights_are_repaired),
        cmocka_unit_test(clips_are_repaired),
        cmocka_unit_test(the_oldest_bone_map_is_applied),
        cmocka_unit_test(hints_are_roles),
        cmocka_unit_test(textures_without_roles_are_guessed),
        cmocka_unit_test(textures_need_uvs),
        cmocka_unit_test(colors_are_linear),
        cmocka_unit_test(tangents_are_taken_where_they_are_needed),
        cmocka_unit_test(odd_meshes_are_repaired),
        cmocka_unit_test(a_model_comes_back_as_its_bytes),
        cmocka_unit_test(materials_come_back_as_they_were),
        cmocka_unit_test(what_was_kept_does_not_hide_a_change),
        cmocka_unit_test(a_model_is_turned_to_face_as_the_engine_wants),
        cmocka_unit_test(shared_materials_are_repeated),
        cmocka_unit_test(keys_are_relative_to_the_bind_pose),
        cmocka_unit_test(nothing_keeps_its_rotation),
        cmocka_unit_test(unmoved_vertices_get_a_bone),
        cmocka_unit_test(losses_are_said),
        cmocka_unit_test(indices_are_as_wide_as_they_need_to_be),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(colors_are_read_back_as_they_were),
        cmocka_unit_test(old_dialects_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
