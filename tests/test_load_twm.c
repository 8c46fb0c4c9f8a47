/* TWM as a model and back: files written number by number from the format's page, and what they mean. */
#include "literal.h"

static void header(pen *p, uint32_t version, uint32_t meshes, unsigned skeleton)
{
    pen_bytes(p, ".twm", 4);
    pen_u32(p, version);
    pen_u32(p, meshes);
    pen_u8(p, skeleton);
    pen_bytes(p, "\0\0\0", 3);
}

static void footer(pen *p)
{
    pen_bytes(p, ".twm END OF FILE", 16);
}

static void flags(pen *p, unsigned normals, unsigned uvs, unsigned tangents, unsigned binormals, unsigned deformer)
{
    const uint8_t all[8] = {(uint8_t)normals, (uint8_t)uvs, (uint8_t)tangents, (uint8_t)binormals, (uint8_t)deformer};
    pen_bytes(p, all, sizeof all);
}

static void triangle(pen *p)
{
    pen_u32(p, 3);
    for (uint32_t i = 0; i < 3; i++)
        pen_u32(p, i);
}

static stele_file *opened(const pen *p, const stele_options *options)
{
    stele_file *file = stele_open_memory(p->data, p->size, options);
    if (stele_file_status(file) != STELE_OK || !stele_file_model(file))
        fail_msg("%s", stele_file_message(file));
    return file;
}

static const stele_view *view_of(const stele_file *file, uint32_t mesh, stele_semantic semantic, uint32_t set)
{
    const stele_model *model = stele_file_model((stele_file *)file);
    return stele_primitive_view(&model->meshes[mesh].primitives[0], semantic, set);
}

static const stele_channel *channel_of(const stele_clip *clip, uint32_t node, stele_channel_path path)
{
    for (size_t i = 0; i < clip->channel_count; i++)
        if (clip->channels[i].node == node && clip->channels[i].path == path)
            return &clip->channels[i];
    fail_msg("node %u has no channel %d", node, path);
    return NULL;
}

/* ---- Meshes ---- */

/* A triangle in the plane z = 0, with a tangent and a binormal on its left; the second normal is twice as long. */
static void whole_mesh(pen *p)
{
    header(p, 3, 1, 0);
    pen_u32(p, 3);
    flags(p, 1, 1, 1, 1, 0);
    PEN_FLOATS(p, 0, 0, 0, 1, 0, 0, 0, 1, 0);
    PEN_FLOATS(p, 0, 0, 1, 0, 0, 2, 0, 0, 1);
    PEN_FLOATS(p, 0.25f, 0.75f, 1, 0, 0, 1);
    PEN_FLOATS(p, 1, 0, 0, 1, 0, 0, 0, 0, 0);
    PEN_FLOATS(p, 0, -1, 0, 0, 1, 0, 0, 1, 0);
    triangle(p);
    pen_u32(p, 0);
    footer(p);
}

static void meshes_are_taken_as_they_are(void **state)
{
    pen p = {.size = 0};
    (void)state;
    whole_mesh(&p);
    stele_file *file = opened(&p, NULL);
    const stele_model *model = stele_file_model(file);
    assert_int_equal(model->node_count, 1);
    assert_int_equal(model->nodes[0].parent, STELE_NONE);
    assert_int_equal(model->nodes[0].skin, STELE_NONE);
    assert_ptr_equal(view_of(file, 0, STELE_POSITION, 0)->data, p.data + 28); /* in the file itself */
    ASSERT_ROW(view_of(file, 0, STELE_POSITION, 0), 1, 1, 0, 0);
    ASSERT_ROW(view_of(file, 0, STELE_NORMAL, 0), 1, 0, 0, 1);
    ASSERT_ROW(view_of(file, 0, STELE_UV, 0), 0, 0.25f, 0.75f);
    ASSERT_ROW(view_of(file, 0, STELE_TANGENT, 0), 0, 1, 0, 0, -1);
    ASSERT_ROW(view_of(file, 0, STELE_TANGENT, 0), 1, 1, 0, 0, 1);
    assert_int_equal(find_diagnostic(file, "repaired-normal")->count, 1);
    assert_int_equal(find_diagnostic(file, "repaired-tangent")->count, 1);
    assert_string_equal(stele_find_property(&model->properties, "twm.dialect")->text, "v3");
    float made[4];
    stele_view_row(view_of(file, 0, STELE_TANGENT, 0), 2, made);
    assert_true(made[0] * made[0] + made[1] * made[1] > 0.999f && made[2] == 0); /* at a right angle to the normal */
    stele_close(file);
}

static void nothing_is_repaired_if_not_wanted(void **state)
{
    pen p = {.size = 0};
    (void)state;
    whole_mesh(&p);
    stele_file *file = opened(&p, &(stele_options){.load.no_repair = true});
    ASSERT_ROW(view_of(file, 0, STELE_NORMAL, 0), 1, 0, 0, 2);
    ASSERT_ROW(view_of(file, 0, STELE_TANGENT, 0), 2, 0, 0, 0, 1);
    assert_null(find_diagnostic(file, "repaired-normal"));
    assert_null(find_diagnostic(file, "repaired-tangent"));
    stele_close(file);
}

static void three_float_uvs_are_put_where_they_belong(void **state)
{
    pen p = {.size = 0};
    (void)state;
    header(&p, 3, 1, 0);
    pen_u32(&p, 12);
    flags(&p, 0, 1, 0, 0, 0);
    for (uint32_t i = 0; i < 12; i++)
        PEN_FLOATS(&p, (float)i, (float)(i * i), 0);
    for (uint32_t i = 0; i < 8; i++) /* 24 floats for 12 vertices: 8 of 3 */
        PEN_FLOATS(&p, (float)i + 1, (float)i + 2, 0);
    triangle(&p);
    pen_u32(&p, 0);
    footer(&p);
    stele_file *file = opened(&p, NULL);
    ASSERT_ROW(view_of(file, 0, STELE_UV, 0), 0, 1, 2);
    ASSERT_ROW(view_of(file, 0, STELE_UV, 0), 7, 8, 9);
    ASSERT_ROW(view_of(file, 0, STELE_UV, 0), 8, 0, 0);
    assert_string_equal(find_diagnostic(file, "repaired-uv")->path, "mesh[0].uv");
    stele_close(file);
    file = opened(&p, &(stele_options){.load.no_repair = true});
    ASSERT_ROW(view_of(file, 0, STELE_UV, 0), 1, 0, 2);
    stele_close(file);
}

static void old_mesh(pen *p, uint32_t version, uint64_t index_count)
{
    header(p, version, 1, 1);
    pen_u64(p, 3);
    flags(p, 0, 1, 0, 0, 0);
    PEN_FLOATS(p, 0, 0, 0, 1, 0, 0, 0, 1, 0);
    PEN_FLOATS(p, 0.25f, 0.75f, 1, 0, 0, 1);
    pen_u64(p, index_count);
}

static void half_of_the_indices_are_found(void **state)
{
    pen p = {.size = 0};
    (void)state;
    old_mesh(&p, 1, 6);
    for (uint32_t i = 0; i < 3; i++)
        pen_u64(&p, 2 - i);
    pen_u32(&p, 0);
    footer(&p);
    stele_file *file = opened(&p, NULL);
    const stele_view *indices = &stele_file_model(file)->meshes[0].primitives[0].indices;
    assert_int_equal(indices->count, 3);
    assert_int_equal(indices->type, STELE_U32);
    ASSERT_ROW(indices, 0, 2);
    ASSERT_ROW(indices, 2, 0);
    assert_int_equal(find_diagnostic(file, "repaired-indices")->count, 3);
    stele_close(file);
}

static void old_uvs_are_flipped_on_request(void **state)
{
    const stele_choice flip = {"twm.uv", "flip"};
    pen p = {.size = 0};
    (void)state;
    old_mesh(&p, 2, 3);
    for (uint32_t i = 0; i < 3; i++)
        pen_u32(&p, i);
    pen_u32(&p, 0);
    footer(&p);
    stele_file *file = opened(&p, NULL);
    ASSERT_ROW(view_of(file, 0, STELE_UV, 0), 0, 0.25f, 0.75f);
    stele_close(file);
    file = opened(&p, &(stele_options){.load = {.choices = &flip, .choice_count = 1}});
    ASSERT_ROW(view_of(file, 0, STELE_UV, 0), 0, 0.25f, 0.25f);
    stele_close(file);
}

static void what_draws_nothing_has_no_primitive(void **state)
{
    pen p = {.size = 0};
    (void)state;
    header(&p, 3, 1, 0);
    pen_u32(&p, 1);
    flags(&p, 0, 0, 0, 0, 0);
    PEN_FLOATS(&p, 0, 0, 0);
    pen_u32(&p, 0);
    pen_u32(&p, 0);
    footer(&p);
    stele_file *file = opened(&p, NULL);
    const stele_model *model = stele_file_model(file);
    assert_int_equal(model->mesh_count, 1);
    assert_int_equal(model->meshes[0].primitive_count, 0);
    assert_int_equal(model->nodes[0].mesh, 0);
    stele_close(file);
}

/* ---- Skeletons ---- */

static void joint(pen *p, uint32_t parent, float x, float y, float z)
{
    pen_u32(p, parent);
    pen_u32(p, 0);
    PEN_FLOATS(p, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1);
}

static void transposed_joint(pen *p, uint32_t parent, float x, float y, float z)
{
    pen_u32(p, parent);
    pen_u32(p, 0);
    PEN_FLOATS(p, 1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z, 0, 0, 0, 1);
}

static void skinned_triangle(pen *p)
{
    pen_u32(p, 3);
    flags(p, 0, 0, 0, 0, 1);
    PEN_FLOATS(p, 0, 0, 0, 1, 0, 0, 0, 1, 0);
    triangle(p);
}

static void weight(pen *p, uint32_t index, double value)
{
    pen_u32(p, index);
    pen_f64(p, value);
}

/* Joint 0 at (1, 2, 3), joint 1 at (1, 7, 3). */
static void skinned(pen *p, void (*write_joint)(pen *, uint32_t, float, float, float), const uint32_t parents[2])
{
    header(p, 3, 1, 1);
    pen_u32(p, 2);
    write_joint(p, parents[0], -1, -2, -3);
    write_joint(p, parents[1], -1, -7, -3);
    skinned_triangle(p);
    pen_u64(p, 1);
    weight(p, 0, 1);
    pen_u64(p, 0);
    pen_u64(p, 2);
    weight(p, 0, 0.5);
    weight(p, 1, 1.5);
    pen_u32(p, 1);
    pen_u32(p, 0); /* joint 0 has no keys */
    pen_u32(p, 2);
    pen_u32(p, 250);
    PEN_FLOATS(p, 0, 5, 0, 1, 1, 1, 0, 0, 0, 1);
    pen_u32(p, 1500);
    PEN_FLOATS(p, 1, 5, 0, 1, 2, 3, 0, 0, -1, 0);
    footer(p);
}

static void skeletons_rest_where_they_are_bound(void **state)
{
    pen p = {.size = 0};
    (void)state;
    skinned(&p, joint, (const uint32_t[]){0, 0});
    stele_file *file = opened(&p, NULL);
    const stele_model *m = stele_file_model(file);
    const stele_skin *skin = &m->skins[0];
    assert_int_equal(m->nodes[0].skin, 0);
    assert_int_equal(m->nodes[0].parent, STELE_NONE);
    assert_int_equal(skin->joint_count, 3); /* the third does not move: vertex 1 needs it */
    const stele_node *first = &m->nodes[skin->joints[0]], *second = &m->nodes[skin->joints[1]],
                     *neutral = &m->nodes[skin->joints[2]];
    assert_int_equal(first->parent, neutral->parent);
    assert_int_equal(first->parent, skin->skeleton);
    assert_int_equal(second->parent, skin->joints[0]);
    assert_true(first->local.translation[0] == 1 && first->local.translation[1] == 2 && first->local.translation[2] == 3);
    assert_true(second->local.translation[0] == 0 && second->local.translation[1] == 5);
    ASSERT_ROW(&skin->inverse_bind, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1, -7, -3, 1);
    ASSERT_ROW(&skin->inverse_bind, 2, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
    ASSERT_ROW(view_of(file, 0, STELE_JOINTS, 0), 1, 2, 0, 0, 0);
    ASSERT_ROW(view_of(file, 0, STELE_JOINTS, 0), 2, 1, 0, 0, 0);
    ASSERT_ROW(view_of(file, 0, STELE_WEIGHTS, 0), 2, 0.75f, 0.25f, 0, 0);
    assert_int_equal(find_diagnostic(file, "neutral-joint")->count, 1);
    stele_close(file);
}

static void keys_are_local_and_in_milliseconds(void **state)
{
    pen p = {.size = 0};
    (void)state;
    skinned(&p, joint, (const uint32_t[]){0, 0});
    stele_file *file = opened(&p, NULL);
    const stele_model *m = stele_file_model(file);
    uint32_t moving = m->skins[0].joints[1];
    assert_int_equal(m->clip_count, 1);
    assert_int_equal(m->clips[0].channel_count, 3);
    assert_true(m->clips[0].duration == 1.5);
    const stele_channel *turn = channel_of(&m->clips[0], moving, STELE_ROTATION);
    ASSERT_ROW(&turn->times, 0, 0.25f);
    ASSERT_ROW(&turn->times, 1, 1.5f);
    ASSERT_ROW(&turn->values, 1, 0, 0, -1, 0);
    ASSERT_ROW(&channel_of(&m->clips[0], moving, STELE_TRANSLATION)->values, 1, 1, 5, 0);
    ASSERT_ROW(&channel_of(&m->clips[0], moving, STELE_SCALE)->values, 1, 1, 2, 3);
    stele_close(file);
    const stele_choice first = {"twm.quaternion", "wxyz"};
    file = opened(&p, &(stele_options){.load = {.choices = &first, .choice_count = 1}});
    m = stele_file_model(file);
    ASSERT_ROW(&channel_of(&m->clips[0], moving, STELE_ROTATION)->values, 0, 0, 0, 1, 0);
    stele_close(file);
}

static void transposed_matrices_are_recognised(void **state)
{
    pen p = {.size = 0};
    (void)state;
    skinned(&p, transposed_joint, (const uint32_t[]){0, 0});
    stele_file *file = opened(&p, NULL);
    const stele_model *m = stele_file_model(file);
    ASSERT_ROW(&m->skins[0].inverse_bind, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1, -7, -3, 1);
    assert_string_equal(find_diagnostic(file, "assumed")->path, "joint.inverse_bind");
    stele_close(file);
}

static void parents_that_count_from_one_are_recognised(void **state)
{
    pen p = {.size = 0};
    (void)state;
    skinned(&p, joint, (const uint32_t[]){0, 1});
    stele_file *file = opened(&p, NULL);
    const stele_model *m = stele_file_model(file);
    assert_int_equal(m->nodes[m->skins[0].joints[1]].parent, m->skins[0].joints[0]);
    assert_string_equal(find_diagnostic(file, "assumed")->path, "joint.parent");
    stele_close(file);
}

static void more_than_four_joints_make_more_sets(void **state)
{
    pen p = {.size = 0};
    (void)state;
    header(&p, 3, 1, 1);
    pen_u32(&p, 6);
    for (uint32_t i = 0; i < 6; i++)
        joint(&p, 0, 0, 0, 0);
    skinned_triangle(&p);
    pen_u64(&p, 5);
    for (uint32_t i = 0; i < 5; i++)
        weight(&p, i + 1, i == 3 ? 0.5 : 0.125);
    for (uint32_t i = 0; i < 2; i++) {
        pen_u64(&p, 1);
        weight(&p, i, 1);
    }
    pen_u32(&p, 0);
    footer(&p);
    stele_file *file = opened(&p, NULL);
    ASSERT_ROW(view_of(file, 0, STELE_JOINTS, 0), 0, 4, 1, 2, 3);
    ASSERT_ROW(view_of(file, 0, STELE_WEIGHTS, 0), 0, 0.5f, 0.125f, 0.125f, 0.125f);
    ASSERT_ROW(view_of(file, 0, STELE_JOINTS, 1), 0, 5, 0, 0, 0);
    ASSERT_ROW(view_of(file, 0, STELE_WEIGHTS, 1), 0, 0.125f, 0, 0, 0);
    stele_close(file);
}

static void unsorted_keys_are_sorted(void **state)
{
    static const uint32_t times[] = {500, 0, 500};
    pen p = {.size = 0};
    (void)state;
    header(&p, 3, 0, 1);
    pen_u32(&p, 1);
    joint(&p, 0, 0, 0, 0);
    pen_u32(&p, 1);
    pen_u32(&p, 3);
    for (uint32_t i = 0; i < 3; i++) {
        pen_u32(&p, times[i]);
        PEN_FLOATS(&p, (float)i, 0, 0, 1, 1, 1, 0, 0, 0, 2);
    }
    footer(&p);
    stele_file *file = opened(&p, NULL);
    const stele_clip *clip = &stele_file_model(file)->clips[0];
    const stele_channel *move = channel_of(clip, 0, STELE_TRANSLATION);
    assert_int_equal(move->times.count, 2);
    ASSERT_ROW(&move->times, 0, 0);
    ASSERT_ROW(&move->values, 0, 1, 0, 0);
    ASSERT_ROW(&move->times, 1, 0.5f);
    ASSERT_ROW(&move->values, 1, 2, 0, 0); /* of two at the same time the last */
    ASSERT_ROW(&channel_of(clip, 0, STELE_ROTATION)->values, 1, 0, 0, 0, 1);
    assert_non_null(find_diagnostic(file, "repaired-time"));
    assert_int_equal(find_diagnostic(file, "repaired-rotation")->count, 2);
    stele_close(file);
}

/* ---- Saving ---- */

static stele_view floats(const float *data, uint64_t count, uint32_t components)
{
    return stele_float_view(data, count, components);
}

static const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, up[] = {0, 0, 1, 0, 0, 1, 0, 0, 1},
                   along[] = {1, 0, 0, -1, 1, 0, 0, 1, 1, 0, 0, -1}, uvs[] = {0, 0.25f, 1, 0, 0.5f, 1};
static const uint8_t small_indices[] = {0, 1, 2};

static stele_primitive new_triangle(const stele_attribute *attributes, size_t count)
{
    return (stele_primitive){.vertex_count = 3,
                             .attributes = attributes,
                             .attribute_count = count,
                             .indices = {small_indices, 3, 1, 1, STELE_U8, false},
                             .material = STELE_NONE};
}

static void a_static_model_is_written(void **state)
{
    (void)state;
    stele_file *file = stele_new(NULL);
    const stele_attribute attributes[] = {{STELE_POSITION, 0, floats(corners, 3, 3)},
                                          {STELE_NORMAL, 0, floats(up, 3, 3)},
                                          {STELE_TANGENT, 0, floats(along, 3, 4)},
                                          {STELE_UV, 0, floats(uvs, 3, 2)}};
    const stele_primitive p = new_triangle(attributes, 4);
    stele_node node = stele_default_node();
    node.mesh = stele_add_mesh(file, &(stele_mesh){.primitives = &p, .primitive_count = 1});
    node.local.translation[1] = 4; /* there are no nodes: it moves the vertices */
    stele_add_node(file, &node);
    pen expected = {.size = 0};
    header(&expected, 3, 1, 0);
    pen_u32(&expected, 3);
    flags(&expected, 1, 1, 1, 1, 0);
    PEN_FLOATS(&expected, 0, 4, 0, 1, 4, 0, 0, 5, 0);
    PEN_FLOATS(&expected, 0, 0, 1, 0, 0, 1, 0, 0, 1);
    PEN_FLOATS(&expected, 0, 0.25f, 1, 0, 0.5f, 1);
    PEN_FLOATS(&expected, 1, 0, 0, 1, 0, 0, 1, 0, 0);
    PEN_FLOATS(&expected, -0.0f, -1, -0.0f, 0, 1, 0, -0.0f, -1, -0.0f);
    triangle(&expected);
    pen_u32(&expected, 0);
    footer(&expected);
    bytes out = rewritten(file, &(stele_save_options){.format = "twm"});
    assert_written(&out, &expected);
    free(out.data);
    stele_close(file);
}

/* Two joints without a parent, of which the second is keyed; three vertices, of which one is moved by nothing. */
static stele_file *two_roots(void)
{
    static const uint8_t joints[] = {0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0};
    static const float weights[] = {1, 0, 0, 0, 0, 0, 0, 0, 0.75f, 0.25f, 0, 0};
    static const float binds[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0,  0, 1,
                                  1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -2, 0, 1};
    static const float times[] = {0, 0.5004f}, moves[] = {0, 2, 0, 0, 3, 0};
    stele_file *file = stele_new(NULL);
    const stele_attribute attributes[] = {{STELE_POSITION, 0, floats(corners, 3, 3)},
                                          {STELE_JOINTS, 0, {joints, 3, 4, 4, STELE_U8, false}},
                                          {STELE_WEIGHTS, 0, floats(weights, 3, 4)}};
    const stele_primitive p = new_triangle(attributes, 3);
    stele_node drawn = stele_default_node(), joint = stele_default_node();
    drawn.mesh = stele_add_mesh(file, &(stele_mesh){.primitives = &p, .primitive_count = 1});
    drawn.skin = 0;
    stele_add_node(file, &drawn);
    uint32_t nodes[2] = {stele_add_node(file, &joint)};
    joint.local.translation[1] = 2;
    joint.name = "arm";
    nodes[1] = stele_add_node(file, &joint);
    stele_add_skin(
        file, &(stele_skin){
                  .joints = nodes, .joint_count = 2, .inverse_bind = stele_float_view(binds, 2, 16), .skeleton = STELE_NONE});
    const stele_channel channel = {
        .node = nodes[1], .path = STELE_TRANSLATION, .times = floats(times, 2, 1), .values = floats(moves, 2, 3)};
    stele_add_clip(file, &(stele_clip){.name = "wave", .channels = &channel, .channel_count = 1});
    return file;
}

static void several_roots_get_one_above_them(void **state)
{
    (void)state;
    stele_file *file = two_roots();
    pen expected = {.size = 0};
    header(&expected, 3, 1, 1);
    pen_u32(&expected, 3);
    joint(&expected, 0, 0, 0, 0);
    joint(&expected, 0, 0, 0, 0);
    joint(&expected, 0, 0, -2, 0);
    skinned_triangle(&expected);
    pen_u64(&expected, 1);
    weight(&expected, 1, 1);
    pen_u64(&expected, 0);
    pen_u64(&expected, 2);
    weight(&expected, 1, 0.75);
    weight(&expected, 2, 0.25);
    pen_u32(&expected, 1);
    pen_u32(&expected, 0);
    pen_u32(&expected, 0);
    pen_u32(&expected, 2);
    pen_u32(&expected, 0);
    PEN_FLOATS(&expected, 0, 2, 0, 1, 1, 1, 0, 0, 0, 1);
    pen_u32(&expected, 500);
    PEN_FLOATS(&expected, 0, 3, 0, 1, 1, 1, 0, 0, 0, 1);
    footer(&expected);
    bytes out = rewritten(file, &(stele_save_options){.format = "twm"});
    assert_written(&out, &expected);
    assert_int_equal(find_diagnostic(file, "loss-precision")->count, 1);
    assert_string_equal(find_diagnostic(file, "loss-name")->text, "TWM has no joint names or clip names: 2 dropped");
    free(out.data);
    stele_close(file);
}

/* A joint that no channel moves, but which does not rest where it is bound, would otherwise be taken back there. */
static void a_rest_pose_is_kept_as_a_key(void **state)
{
    static const float binds[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0,  0, 1,
                                  1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -2, 0, 1};
    static const float times[] = {0.25f}, moves[] = {1, 0, 0};
    (void)state;
    stele_file *file = stele_new(NULL);
    stele_node node = stele_default_node();
    uint32_t nodes[2] = {stele_add_node(file, &node)};
    node.parent = nodes[0];
    node.local.translation[1] = 5;
    nodes[1] = stele_add_node(file, &node);
    stele_add_skin(
        file, &(stele_skin){
                  .joints = nodes, .joint_count = 2, .inverse_bind = stele_float_view(binds, 2, 16), .skeleton = STELE_NONE});
    const stele_channel channel = {
        .node = nodes[0], .path = STELE_TRANSLATION, .times = floats(times, 1, 1), .values = floats(moves, 1, 3)};
    stele_add_clip(file, &(stele_clip){.channels = &channel, .channel_count = 1});
    pen expected = {.size = 0};
    header(&expected, 3, 0, 1);
    pen_u32(&expected, 2);
    joint(&expected, 0, 0, 0, 0);
    joint(&expected, 0, 0, -2, 0);
    pen_u32(&expected, 1);
    pen_u32(&expected, 1);
    pen_u32(&expected, 250);
    PEN_FLOATS(&expected, 1, 0, 0, 1, 1, 1, 0, 0, 0, 1);
    pen_u32(&expected, 1);
    pen_u32(&expected, 0);
    PEN_FLOATS(&expected, 0, 5, 0, 1, 1, 1, 0, 0, 0, 1);
    footer(&expected);
    bytes out = rewritten(file, &(stele_save_options){.format = "twm"});
    assert_written(&out, &expected);
    assert_non_null(find_diagnostic(file, "loss-rest"));
    free(out.data);
    stele_close(file);
}

static void older_versions_are_written(void **state)
{
    static const char *const dialects[] = {"v0", "v1", "v2"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        stele_file *file = two_roots();
        bytes out = rewritten(file, &(stele_save_options){.format = "twm", .dialect = dialects[i]});
        stele_file *again = stele_open_memory(out.data, out.size, NULL);
        assert_string_equal(stele_file_dialect(again), dialects[i]);
        assert_int_equal(stele_file_model(again)->skins[0].joint_count, 4); /* with the root and the neutral one */
        stele_close(again);
        stele_close(file);
        free(out.data);
    }
}

/* Saving the model of a file, rather than its bytes, gives the file again. Adding a node makes it a model of its own. */
static void a_way_there_and_back_changes_nothing(void **state)
{
    pen p = {.size = 0};
    (void)state;
    header(&p, 3, 2, 1);
    pen_u32(&p, 2);
    joint(&p, 0, -1, -2, -3);
    joint(&p, 0, -1, -7, -3);
    skinned_triangle(&p);
    skinned_triangle(&p);
    pen_u64(&p, 1);
    weight(&p, 0, 1);
    pen_u64(&p, 0); /* nothing moves this vertex */
    pen_u64(&p, 2);
    weight(&p, 1, 0.75);
    weight(&p, 0, 0.25);
    for (int i = 0; i < 3; i++)
        pen_u64(&p, 0); /* and nothing the second mesh */
    pen_u32(&p, 1);
    pen_u32(&p, 1);
    pen_u32(&p, 0);
    PEN_FLOATS(&p, 1, 2, 4, 1, 1, 1, 0, 0, 0, 1);
    pen_u32(&p, 2);
    pen_u32(&p, 250);
    PEN_FLOATS(&p, 0, 5, 0, 1, 1, 1, 0, 0, 0, 1);
    pen_u32(&p, 1501);
    PEN_FLOATS(&p, 1, 5, 0, 1, 2, 3, 0, 0, 1, 0);
    footer(&p);
    stele_file *file = opened(&p, NULL);
    stele_node nothing = stele_default_node();
    stele_add_node(file, &nothing);
    bytes out = rewritten(file, NULL);
    assert_written(&out, &p);
    free(out.data);
    stele_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_are_taken_as_they_are),
        cmocka_unit_test(nothing_is_repaired_if_not_wanted),
        cmocka_unit_test(three_float_uvs_are_put_where_they_belong),
        cmocka_unit_test(half_of_the_indices_are_found),
        cmocka_unit_test(old_uvs_are_flipped_on_request),
        cmocka_unit_test(what_draws_nothing_has_no_primitive),
        cmocka_unit_test(skeletons_rest_where_they_are_bound),
        cmocka_unit_test(keys_are_local_and_in_milliseconds),
        cmocka_unit_test(transposed_matrices_are_recognised),
        cmocka_unit_test(parents_that_count_from_one_are_recognised),
        cmocka_unit_test(more_than_four_joints_make_more_sets),
        cmocka_unit_test(unsorted_keys_are_sorted),
        cmocka_unit_test(a_static_model_is_written),
        cmocka_unit_test(several_roots_get_one_above_them),
        cmocka_unit_test(a_rest_pose_is_kept_as_a_key),
        cmocka_unit_test(older_versions_are_written),
        cmocka_unit_test(a_way_there_and_back_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
