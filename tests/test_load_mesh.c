/* MESH as a model and back: files written number by number from the format's page, and what they mean. */
#include "literal.h"

enum { NORMAL = 2, UV = 4, JOINTS = 8 };

static void head(pen *p, unsigned format, uint32_t vertices, uint32_t indices, unsigned joints)
{
    pen_u8(p, 1);
    pen_u8(p, format | 1);
    pen_u8(p, 0);
    pen_u32(p, vertices);
    pen_u32(p, indices);
    pen_u8(p, joints);
}

/* Matrices row by row: nothing but a move. */
static void rows(pen *p, float x, float y, float z)
{
    PEN_FLOATS(p, 1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z, 0, 0, 0, 1);
}

static void head_c(pen *p, unsigned format, unsigned joints, unsigned clips, const float root[16])
{
    head(p, format, 3, 3, joints);
    pen_u8(p, clips);
    pen_u8(p, 0);
    pen_floats(p, 16, root);
}

static void indices(pen *p)
{
    for (uint32_t i = 0; i < 3; i++)
        pen_u32(p, i);
}

static void joint(pen *p, unsigned id, unsigned parent, float x, float y, float z)
{
    pen_u8(p, id);
    pen_u8(p, parent);
    rows(p, x, y, z);
}

static void weights(pen *p, unsigned j0, unsigned j1, unsigned w0, unsigned w1)
{
    const uint8_t all[8] = {(uint8_t)j0, (uint8_t)j1, 255, 255, (uint8_t)w0, (uint8_t)w1, 0, 0};
    pen_bytes(p, all, sizeof all);
}

static void pose(pen *p, unsigned id, float x, float y, float z, float w, float qz)
{
    pen_u8(p, id);
    PEN_FLOATS(p, x, y, z, w, 0, 0, qz, 1, 1, 1);
}

static stele_file *opened(const pen *p, const stele_options *options)
{
    stele_options named = options ? *options : (stele_options){0};
    named.name = "x.mesh";
    stele_file *file = stele_open_memory(p->data, p->size, &named);
    if (stele_file_status(file) != STELE_OK || !stele_file_model(file))
        fail_msg("%s", stele_file_message(file));
    return file;
}

static const stele_view *view_of(stele_file *file, stele_semantic semantic)
{
    return stele_primitive_view(&stele_file_model(file)->meshes[0].primitives[0], semantic, 0);
}

static const stele_channel *channel_of(const stele_clip *clip, uint32_t node, stele_channel_path path)
{
    for (size_t i = 0; i < clip->channel_count; i++)
        if (clip->channels[i].node == node && clip->channels[i].path == path)
            return &clip->channels[i];
    return NULL;
}

static double number(const stele_properties *properties, const char *key)
{
    const stele_property *p = stele_find_property(properties, key);
    return p && p->number_count ? p->numbers[0] : -1;
}

/* ---- Meshes ---- */

/* Z up, turned Y up by its root transform: x, y, z becomes x, z, -y. */
static const float z_up[16] = {1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1},
                   nowhere[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

static void static_vertices(pen *p)
{
    PEN_FLOATS(p, 0, 0, 0, 0, 0, 1, 0, 0.25f);
    PEN_FLOATS(p, 1, 0, 0, 0, 0, 3, 1, 0);
    PEN_FLOATS(p, 0, 1, 0, 0, 0, 1, 0.5f, 1);
    indices(p);
}

static void meshes_are_below_their_root_transform(void **state)
{
    pen p = {.size = 0};
    (void)state;
    head_c(&p, NORMAL | UV, 0, 0, z_up);
    static_vertices(&p);
    stele_file *file = opened(&p, NULL);
    const stele_model *model = stele_file_model(file);
    double place[1][16];
    float moved[9];
    assert_int_equal(model->node_count, 1);
    assert_ptr_equal(view_of(file, STELE_POSITION)->data, p.data + 78);
    ASSERT_ROW(view_of(file, STELE_NORMAL), 1, 0, 0, 1);
    ASSERT_ROW(view_of(file, STELE_UV), 0, 0, 0.75f);
    ASSERT_ROW(view_of(file, STELE_UV), 2, 0.5f, 0);
    assert_int_equal(find_diagnostic(file, "repaired-normal")->count, 1);
    assert_true(stele_evaluate_nodes(model, STELE_NONE, 0, place, sizeof place / sizeof *place));
    assert_true(stele_evaluate_vertices(model, 0, 0, STELE_NONE, 0, place, sizeof place / sizeof *place, moved, NULL, 3));
    const stele_view positions = stele_float_view(moved, 3, 3);
    ASSERT_ROW(&positions, 1, 1, 0, 0);
    ASSERT_ROW(&positions, 2, 0, 0, -1);
    assert_string_equal(stele_find_property(&model->properties, "mesh.dialect")->text, "C2");
    stele_close(file);
}

static void skin_without_joints_is_dropped(void **state)
{
    pen p = {.size = 0};
    (void)state;
    head(&p, JOINTS, 3, 3, 2); /* A2: no joint section */
    for (int i = 0; i < 3; i++) {
        PEN_FLOATS(&p, (float)i, (float)(i * i), 0);
        weights(&p, 0, 1, 200, 55);
    }
    indices(&p);
    stele_file *file = opened(&p, NULL);
    const stele_model *model = stele_file_model(file);
    assert_string_equal(stele_file_dialect(file), "A2");
    assert_int_equal(find_diagnostic(file, "skin-dropped")->severity, STELE_LOSS);
    assert_int_equal(model->skin_count, 0);
    assert_int_equal(model->nodes[0].skin, STELE_NONE);
    assert_null(view_of(file, STELE_WEIGHTS));
    stele_close(file);
}

/* ---- Skeletons and clips ---- */

/* A chain of three joints at y = 1, 3 and 4, turned Y up. The writer forgot to animate the last. */
static void skinned(pen *p, float speed, float duration)
{
    head_c(p, JOINTS, 3, 1, z_up);
    for (int i = 0; i < 3; i++) {
        PEN_FLOATS(p, i == 1, i == 2, 0);
        if (i == 0)
            weights(p, 0, 2, 200, 54);
        else if (i == 1)
            weights(p, 255, 1, 0, 255); /* nothing moves it: the list ends with its first entry */
        else
            weights(p, 1, 255, 255, 0);
    }
    indices(p);
    joint(p, 0, 255, 0, -1, 0);
    joint(p, 1, 0, 0, -3, 0);
    joint(p, 2, 1, 0, -4, 0);
    PEN_FLOATS(p, duration, speed);
    pen_u32(p, 4);
    PEN_FLOATS(p, 0, 1, 1, 2);
    for (int i = 0; i < 4; i++) {
        pose(p, 0, 0, 1, 0, 1, 0); /* at rest */
        pose(p, 1, (float)i, 2, 0, i == 2 ? -0.8f : 0.8f, i == 2 ? -0.6f : 0.6f);
        pose(p, 2, 0, 0, 0, 1, 0);
    }
}

static void skeletons_rest_where_they_are_bound(void **state)
{
    pen p = {.size = 0};
    (void)state;
    skinned(&p, 2, 6);
    stele_file *file = opened(&p, NULL);
    const stele_model *m = stele_file_model(file);
    const stele_skin *skin = &m->skins[0];
    assert_int_equal(m->nodes[0].skin, 0);
    assert_int_equal(m->nodes[0].parent, STELE_NONE);
    assert_int_equal(skin->joint_count, 4);
    const stele_node *first = &m->nodes[skin->joints[0]], *last = &m->nodes[skin->joints[2]], *root = &m->nodes[first->parent];
    assert_string_equal(root->name, "root");
    assert_int_equal(m->nodes[skin->joints[3]].parent, first->parent); /* the neutral one */
    assert_int_equal(last->parent, skin->joints[1]);
    assert_true(first->local.translation[1] == 1 && last->local.translation[1] == 1);
    assert_true(root->local.rotation[0] < -0.7f);
    ASSERT_ROW(&skin->inverse_bind, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -3, 0, 1);
    ASSERT_ROW(view_of(file, STELE_JOINTS), 1, 3, 0, 0, 0);
    ASSERT_ROW(view_of(file, STELE_WEIGHTS), 0, 200.0f / 254, 54.0f / 254, 0, 0);
    stele_close(file);
}

static void poses_become_channels(void **state)
{
    pen p = {.size = 0};
    (void)state;
    skinned(&p, 2, 6);
    stele_file *file = opened(&p, NULL);
    const stele_model *m = stele_file_model(file);
    const uint32_t *joints = m->skins[0].joints;
    const stele_clip *clip = &m->clips[0];
    assert_int_equal(clip->channel_count, 2); /* the rest stays at rest */
    const stele_channel *move = channel_of(clip, joints[1], STELE_TRANSLATION);
    const stele_channel *turn = channel_of(clip, joints[1], STELE_ROTATION);
    assert_int_equal(move->times.count, 4); /* one of two at the same time, and the last held until the end */
    ASSERT_ROW(&move->times, 1, 0.5f);
    ASSERT_ROW(&move->values, 1, 2, 2, 0);
    ASSERT_ROW(&move->times, 2, 1);
    ASSERT_ROW(&move->times, 3, 3);
    ASSERT_ROW(&move->values, 3, 3, 2, 0);
    ASSERT_ROW(&turn->values, 0, 0, 0, 0.6f, 0.8f);
    ASSERT_ROW(&turn->values, 1, 0, 0, 0.6f, 0.8f); /* the file has it negated */
    assert_int_equal(find_diagnostic(file, "repaired-time")->count, 1);
    assert_int_equal(find_diagnostic(file, "repaired-pose")->count, 1);
    assert_string_equal(find_diagnostic(file, "repaired-pose")->path, "joints[2]");
    assert_true(number(&clip->properties, "mesh.speed") == 2 && number(&clip->properties, "mesh.duration") == 6);
    stele_close(file);
}

static void forgotten_joints_can_be_taken_literally(void **state)
{
    pen p = {.size = 0};
    (void)state;
    skinned(&p, 2, 6);
    stele_file *file = opened(&p, &(stele_options){.load.no_repair = true});
    const stele_model *m = stele_file_model(file);
    const stele_channel *collapsed = channel_of(&m->clips[0], m->skins[0].joints[2], STELE_TRANSLATION);
    assert_non_null(collapsed);
    ASSERT_ROW(&collapsed->values, 0, 0, 0, 0);
    assert_null(find_diagnostic(file, "repaired-pose"));
    stele_close(file);
}

static void no_speed_is_25_or_what_the_caller_says(void **state)
{
    static const struct {
        double fps, seconds, kept;
    } cases[] = {{0, 2 / 25.0, 0}, {50, 2 / 50.0, 50}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        pen p = {.size = 0};
        skinned(&p, 0, 2);
        stele_file *file = opened(&p, &(stele_options){.load.fps = cases[i].fps});
        const stele_clip *clip = &stele_file_model(file)->clips[0];
        assert_true(clip->duration > cases[i].seconds - 1e-6 && clip->duration < cases[i].seconds + 1e-6);
        assert_true(number(&clip->properties, "mesh.speed") == cases[i].kept);
        stele_close(file);
    }
}

/* Joints that move no vertex and have no matrix rest where their parent does. */
static void joints_that_were_never_bound_rest_on_their_parent(void **state)
{
    pen p = {.size = 0};
    (void)state;
    head_c(&p, JOINTS, 3, 0, nowhere);
    for (int i = 0; i < 3; i++) {
        PEN_FLOATS(&p, i == 1, i == 2, 0);
        weights(&p, 2, 255, 255, 0);
    }
    indices(&p);
    joint(&p, 2, 1, 0, -4, 0); /* in any order */
    joint(&p, 0, 255, 0, -1, 0);
    joint(&p, 1, 0, 0, 0, 0);
    stele_file *file = opened(&p, NULL);
    const stele_model *m = stele_file_model(file);
    assert_int_equal(m->node_count, 4); /* one root joint and no transform: no further node */
    assert_true(m->nodes[m->skins[0].joints[1]].local.translation[1] == 0);
    assert_true(m->nodes[m->skins[0].joints[2]].local.translation[1] == 3);
    stele_close(file);
}

/* So many vertices that what checking learns of them is kept. All are of joint 0 but the last, which is of joint 1, and that
 * has no matrix. Bytes of unused joints are as given. */
enum { CROWD = 1100, CROWD_BYTES = 16384 * 2 };

static size_t write_crowd(uint8_t *file, unsigned unused)
{
    pen p = {.size = 0};
    head(&p, JOINTS, CROWD, 3, 2);
    pen_u8(&p, 0);
    pen_u8(&p, 0);
    pen_floats(&p, 16, nowhere);
    size_t size = p.size;
    memcpy(file, p.data, size);
    for (int i = 0; i < CROWD; i++, size += 20) {
        p.size = 0;
        PEN_FLOATS(&p, i == 1, i == 2, 0);
        const uint8_t skin[8] = {i == CROWD - 1, (uint8_t)unused, (uint8_t)unused, (uint8_t)unused, 255, 0, 0, 0};
        pen_bytes(&p, skin, sizeof skin);
        memcpy(file + size, p.data, 20);
    }
    p.size = 0;
    indices(&p);
    joint(&p, 0, 255, 0, -1, 0);
    joint(&p, 1, 0, 0, 0, 0);
    memcpy(file + size, p.data, p.size);
    return size + p.size;
}

static void skins_that_are_right_are_taken_as_they_are(void **state)
{
    static uint8_t data[CROWD_BYTES];
    (void)state;
    for (unsigned unused = 0; unused < 256; unused += 255) {
        size_t size = write_crowd(data, unused);
        stele_file *file = stele_open_memory(data, size, &(stele_options){.name = "x.mesh"});
        const stele_model *m = stele_file_model(file);
        assert_non_null(m);
        const stele_view *joints = view_of(file, STELE_JOINTS), *shares = view_of(file, STELE_WEIGHTS);
        const uint8_t *at = joints->data, *weight = shares->data;
        assert_true(weight > data && weight < data + size && shares->stride == 20);
        assert_int_equal(at == weight - 4, unused == 0); /* in the file, or made */
        for (int i = 0; i < CROWD; i++) {
            const uint8_t expected[4] = {i == CROWD - 1, 0, 0, 0};
            assert_memory_equal(at + (size_t)i * joints->stride, expected, 4);
        }
        assert_true(m->nodes[m->skins[0].joints[1]].local.translation[1] == -1); /* bound: the last vertex is its own */
        assert_int_equal(stele_file_status(file), STELE_OK);
        stele_close(file);
    }
    stele_file *file = stele_open_memory(data, write_crowd(data, 2), &(stele_options){.name = "x.mesh"});
    assert_int_equal(stele_file_status(file), STELE_DAMAGED); /* a joint that is not there, though it weighs nothing */
    stele_close(file);
}

static void b1_clips_are_kept_as_properties(pen *p)
{
    head(p, JOINTS, 3, 3, 1);
    pen_u8(p, 2);
    for (int i = 0; i < 3; i++) {
        PEN_FLOATS(p, i == 1, i == 2, 0);
        weights(p, 0, 255, 255, 0);
    }
    indices(p);
    joint(p, 0, 255, 0, 0, 0);
    for (uint32_t i = 0; i < 2; i++) {
        pen_u32(p, i);
        PEN_FLOATS(p, 10 + (float)i, 24);
    }
    pen_bytes(p, "run\0sit", 8);
}

static void clips_without_poses_come_back(void **state)
{
    pen p = {.size = 0};
    (void)state;
    b1_clips_are_kept_as_properties(&p);
    stele_file *file = opened(&p, NULL);
    assert_string_equal(stele_file_dialect(file), "B1");
    assert_int_equal(stele_file_model(file)->clip_count, 0);
    assert_int_equal(find_diagnostic(file, "clip-dropped")->count, 2);
    stele_node more = stele_default_node();
    stele_add_node(file, &more);
    bytes out = rewritten(file, NULL);
    assert_written(&out, &p);
    free(out.data);
    stele_close(file);
}

/* ---- Saving ---- */

static const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, up[] = {0, 0, 1, 0, 0, 1, 0, 0, 1},
                   uvs[] = {0, 0.25f, 1, 0, 0.5f, 1};

static uint32_t add_triangle(stele_file *file, const stele_attribute *attributes, size_t count)
{
    const stele_primitive p = {.vertex_count = 3, .attributes = attributes, .attribute_count = count, .material = STELE_NONE};
    return stele_add_mesh(file, &(stele_mesh){.primitives = &p, .primitive_count = 1});
}

static void meshes_are_merged(void **state)
{
    (void)state;
    stele_file *file = stele_new(NULL);
    const stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(corners, 3, 3)},
                                          {STELE_NORMAL, 0, stele_float_view(up, 3, 3)},
                                          {STELE_UV, 0, stele_float_view(uvs, 3, 2)}};
    stele_node node = stele_default_node();
    node.mesh = add_triangle(file, attributes, 3);
    stele_add_node(file, &node);
    node.mesh = add_triangle(file, attributes, 1);
    node.local.translation[2] = 5;
    stele_add_node(file, &node);
    pen expected = {.size = 0};
    head(&expected, NORMAL | UV, 6, 6, 0);
    pen_u8(&expected, 0);
    PEN_FLOATS(&expected, 0, 0, 0, 0, 0, 1, 0, 0.75f, 1, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0, 1, 0.5f, 0);
    PEN_FLOATS(&expected, 0, 0, 5, 0, 0, 1, 0, 0, 1, 0, 5, 0, 0, 1, 0, 0, 0, 1, 5, 0, 0, 1, 0, 0);
    for (uint32_t i = 0; i < 6; i++)
        pen_u32(&expected, i);
    bytes out = rewritten(file, &(stele_save_options){.format = "mesh"});
    assert_written(&out, &expected);
    assert_string_equal(find_diagnostic(file, "loss-merged")->text, "MESH holds one mesh: 2 merged");
    free(out.data);
    stele_close(file);
}

/* Five joints in a row under a node that is no joint; the third turns. */
static stele_file *snake(const float *all_weights)
{
    static const uint8_t joints[2][12] = {{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}, {4, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0}};
    static float binds[5 * 16];
    static const float times[] = {0, 0.5f}, turns[] = {0, 0, 0, 1, 0, 0, 1, 0};
    stele_file *file = stele_new(NULL);
    const stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(corners, 3, 3)},
                                          {STELE_JOINTS, 0, {joints[0], 3, 4, 4, STELE_U8, false}},
                                          {STELE_WEIGHTS, 0, stele_float_view(all_weights, 3, 4)},
                                          {STELE_JOINTS, 1, {joints[1], 3, 4, 4, STELE_U8, false}},
                                          {STELE_WEIGHTS, 1, stele_float_view(all_weights + 12, 3, 4)}};
    stele_node node = stele_default_node();
    uint32_t nodes[5];
    node.mesh = add_triangle(file, attributes, 5);
    node.skin = 0;
    stele_add_node(file, &node);
    node = stele_default_node();
    node.local.scale[0] = node.local.scale[1] = node.local.scale[2] = 2;
    node.parent = stele_add_node(file, &node);
    node.local.scale[0] = node.local.scale[1] = node.local.scale[2] = 1;
    for (int i = 0; i < 5; i++) {
        memcpy(binds + 16 * i, nowhere, sizeof nowhere);
        binds[16 * i + 12] = (float)-i;
        node.parent = nodes[i] = stele_add_node(file, &node);
        node.local.translation[0] = 1;
    }
    stele_add_skin(
        file, &(stele_skin){
                  .joints = nodes, .joint_count = 5, .inverse_bind = stele_float_view(binds, 5, 16), .skeleton = STELE_NONE});
    const stele_channel channel = {.node = nodes[2],
                                   .path = STELE_ROTATION,
                                   .times = stele_float_view(times, 2, 1),
                                   .values = stele_float_view(turns, 2, 4)};
    stele_add_clip(file, &(stele_clip){.name = "na\xc3\xafve", .channels = &channel, .channel_count = 1});
    return file;
}

/* Weights of sum 255 by largest remainder: these are 127.5, 63.75, 47.8125, 15.9375. */
static const float few[24] = {0.5f, 0.25f, 0.1875f, 0.0625f, 0, 0, 1, 0, 0, 0, 0, 0};
/* Of five the smallest goes: 0.3, 0.25, 0.2, 0.15 of 0.9 are 85, 70.83, 56.67, 42.5. */
static const float many[24] = {0.3f, 0.25f, 0.2f, 0.15f, 0, 0, 1, 0, 0, 0, 0, 0, 0.1f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

static void snake_vertices(pen *p, const uint8_t first[8])
{
    static const uint8_t second[8] = {2, 255, 255, 255, 255, 0, 0, 0}, none[8] = {255, 255, 255, 255};
    PEN_FLOATS(p, 0, 0, 0);
    pen_bytes(p, first, 8);
    PEN_FLOATS(p, 1, 0, 0);
    pen_bytes(p, second, 8);
    PEN_FLOATS(p, 0, 1, 0);
    pen_bytes(p, none, 8);
    indices(p);
    for (unsigned i = 0; i < 5; i++)
        joint(p, i, i ? i - 1 : 255, (float)-(int)i, 0, 0);
}

static void a_root_transform_is_kept_in_c2(void **state)
{
    static const float doubled[16] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1};
    (void)state;
    stele_file *file = snake(few);
    pen expected = {.size = 0};
    head_c(&expected, JOINTS, 5, 1, doubled);
    snake_vertices(&expected, (const uint8_t[]){0, 1, 2, 3, 127, 64, 48, 16});
    PEN_FLOATS(&expected, 0.5f, 1);
    pen_u32(&expected, 2);
    PEN_FLOATS(&expected, 0, 0.5f);
    for (int k = 0; k < 2; k++)
        for (unsigned i = 0; i < 5; i++)
            pose(&expected, i, i ? 1 : 0, 0, 0, i == 2 && k ? 0 : 1, i == 2 && k ? 1 : 0);
    bytes out = rewritten(file, &(stele_save_options){.format = "mesh", .dialect = "C2"});
    assert_written(&out, &expected);
    assert_null(find_diagnostic(file, "loss-influences"));
    assert_non_null(find_diagnostic(file, "loss-name"));
    free(out.data);
    stele_close(file);
}

static void b2_is_the_public_document(void **state)
{
    (void)state;
    stele_file *file = snake(many);
    bytes out = rewritten(file, &(stele_save_options){.format = "mesh"});
    static const uint8_t first[] = {0, 1, 2, 3, 85, 71, 57, 42};
    assert_non_null(out.data);
    assert_int_equal(out.size, 13 + 3 * 20 + 12 + 5 * 66 + 16 + 2 * 4 + 10 * 44 + 7);
    assert_memory_equal(out.data + 13 + 12, first, sizeof first);
    assert_memory_equal(out.data + out.size - 7, "na??ve", 7);
    assert_string_equal(find_diagnostic(file, "loss-influences")->text,
                        "MESH weights are 8 bits and 4 per vertex: 1 vertex had more");
    assert_string_equal(find_diagnostic(file, "loss-name")->text, "MESH has plain names only: 1 changed");
    stele_file *again = stele_open_memory(out.data, out.size, NULL);
    assert_string_equal(stele_file_dialect(again), "B2");
    ASSERT_ROW(view_of(again, STELE_POSITION), 1, 2, 0, 0); /* the transform above is in the vertices */
    stele_close(again);
    stele_close(file);
    free(out.data);
}

static void too_many_joints_are_refused(void **state)
{
    uint32_t nodes[256];
    (void)state;
    stele_file *file = stele_new(NULL);
    stele_node node = stele_default_node();
    for (int i = 0; i < 256; i++)
        node.parent = nodes[i] = stele_add_node(file, &node);
    stele_add_skin(file, &(stele_skin){.joints = nodes, .joint_count = 256, .skeleton = STELE_NONE});
    bytes out = rewritten(file, &(stele_save_options){.format = "mesh"});
    assert_null(out.data);
    assert_non_null(find_diagnostic(file, "does-not-fit"));
    stele_close(file);
}

/* The model of a file gives the file again, but for what was repaired: here nothing is. */
static void sound_file(pen *p)
{
    head_c(p, JOINTS | UV, 2, 2, z_up);
    for (int i = 0; i < 3; i++) {
        PEN_FLOATS(p, i == 1, i == 2, 0, 0.25f * (float)i, 0.5f);
        if (i == 1)
            pen_bytes(p, (const uint8_t[]){255, 255, 255, 255, 0, 0, 0, 0}, 8);
        else
            weights(p, 1, 0, 200, 55);
    }
    indices(p);
    joint(p, 0, 255, 0, -1, 0);
    joint(p, 1, 0, 0, -3, 0);
    PEN_FLOATS(p, 8, 4); /* eight ticks, the last pose at six: it is held */
    pen_u32(p, 2);
    PEN_FLOATS(p, 1, 6);
    for (int i = 0; i < 2; i++) {
        pose(p, 0, 0, 1, 0, 1, 0);
        pose(p, 1, (float)i, 2, 0, i ? 0 : 1, i ? 1 : 0);
    }
    PEN_FLOATS(p, 25, 0);
    pen_u32(p, 1);
    PEN_FLOATS(p, 25);
    pose(p, 0, 0, 1, 0, 1, 0);
    pose(p, 1, 0, 2, 0, 1, 0);
}

static void a_way_there_and_back_changes_nothing(void **state)
{
    pen p = {.size = 0};
    (void)state;
    sound_file(&p);
    stele_file *file = opened(&p, NULL);
    stele_node more = stele_default_node();
    stele_add_node(file, &more);
    bytes out = rewritten(file, NULL);
    assert_non_null(out.data);
    for (size_t i = 0; i < 16; i++) { /* the root transform was a quaternion for a while */
        const stele_view root = {out.data + 14 + 4 * i, 1, 4, 1, STELE_F32, false};
        ASSERT_ROW(&root, 0, z_up[i]);
    }
    memcpy(out.data + 14, p.data + 14, 64);
    assert_written(&out, &p);
    free(out.data);
    stele_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_are_below_their_root_transform),
        cmocka_unit_test(skin_without_joints_is_dropped),
        cmocka_unit_test(skeletons_rest_where_they_are_bound),
        cmocka_unit_test(poses_become_channels),
        cmocka_unit_test(forgotten_joints_can_be_taken_literally),
        cmocka_unit_test(no_speed_is_25_or_what_the_caller_says),
        cmocka_unit_test(joints_that_were_never_bound_rest_on_their_parent),
        cmocka_unit_test(skins_that_are_right_are_taken_as_they_are),
        cmocka_unit_test(clips_without_poses_come_back),
        cmocka_unit_test(meshes_are_merged),
        cmocka_unit_test(a_root_transform_is_kept_in_c2),
        cmocka_unit_test(b2_is_the_public_document),
        cmocka_unit_test(too_many_joints_are_refused),
        cmocka_unit_test(a_way_there_and_back_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
