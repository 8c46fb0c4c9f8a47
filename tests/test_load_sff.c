/* SFF as a model and back: byte literals, and what they mean. */
#include "literal.h"

#define U32(n) (n) & 0xFF, (n) >> 8 & 0xFF, 0, 0
#define U16(n) (n) & 0xFF, (n) >> 8 & 0xFF
#define F3 0x00, 0x00, 0x40, 0x40
#define FQUARTER 0x00, 0x00, 0x80, 0x3E
#define FTHREE_QUARTERS 0x00, 0x00, 0x40, 0x3F
#define P0 F0, F0, F0
#define P1 F2, F0, F0
#define P2 F0, F3, F0
#define NORMAL F0, F0, F1
#define UV0 FQUARTER, F0
#define UV1 F1, FQUARTER
#define UV2 F0, F1
#define ROWS P0, NORMAL, UV0, P1, NORMAL, UV1, P2, NORMAL, UV2
#define COLUMNS P0, P1, P2, NORMAL, NORMAL, NORMAL, UV0, UV1, UV2
#define INDICES U32(0), U32(1), U32(2)

/* Two triangles: the first has the textures b and a, the second a. */
#define MESHES(ATTRIBUTES)                                                                                                     \
    U32(126), U32(3), U32(3), U16(2), U16(1), U16(0), ATTRIBUTES, INDICES, /* size, vertices, indices, textures */             \
        U32(124), U32(3), U32(3), U16(1), U16(0), ATTRIBUTES, INDICES
#define TEXTURES U32(5), 'a', '.', 'p', 'n', 'g', U32(2), U16(0), U16(1), U32(5), 'b', '.', 'p', 'n', 'g', U32(1), U16(0)
static const uint8_t interleaved[] = {U32(2), U32(250), U16(15), U16(0), U16(32), MESHES(ROWS), TEXTURES};
static const uint8_t packed[] = {U32(2), U32(250), U16(15), U16(1), U16(32), MESHES(COLUMNS), TEXTURES};

/* Without normals, uvs, indices and textures. */
static const uint8_t plain[] = {U32(1), U32(50), U16(1), U16(0), U16(0), U32(50), U32(3), U32(0), U16(0), P0, P1, P2};

static const stele_options named = {.name = "x.sff"};

static stele_file *opened(const uint8_t *data, size_t size, const stele_options *options)
{
    stele_file *file = stele_open_memory(data, size, options);
    if (!stele_file_model(file))
        fail_msg("%s", stele_file_message(file));
    return file;
}

static void expect_file(bytes out, const uint8_t *data, size_t size)
{
    assert_non_null(out.data);
    assert_int_equal(out.size, size);
    assert_memory_equal(out.data, data, size);
    free(out.data);
}

/* ---- Loading ---- */

static void meshes_are_nodes(void **state)
{
    const struct {
        const uint8_t *data;
        size_t size;
        const char *dialect;
    } files[] = {{LITERAL(interleaved), "interleaved"}, {LITERAL(packed), "packed"}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        stele_file *file = opened(files[i].data, files[i].size, &named);
        const stele_model *model = stele_file_model(file);
        assert_int_equal(model->node_count, 2);
        assert_int_equal(model->mesh_count, 2);
        assert_int_equal(model->nodes[1].mesh, 1);
        assert_int_equal(model->nodes[1].parent, STELE_NONE);
        const stele_primitive *p = &model->meshes[0].primitives[0];
        assert_int_equal(p->vertex_count, 3);
        ASSERT_ROW(stele_primitive_view(p, STELE_POSITION, 0), 1, 2, 0, 0);
        ASSERT_ROW(stele_primitive_view(p, STELE_POSITION, 0), 2, 0, 3, 0);
        ASSERT_ROW(stele_primitive_view(p, STELE_NORMAL, 0), 2, 0, 0, 1);
        /* the origin of uvs goes from the bottom to the top */
        ASSERT_ROW(stele_primitive_view(p, STELE_UV, 0), 0, 0.25f, 1);
        ASSERT_ROW(stele_primitive_view(p, STELE_UV, 0), 1, 1, 0.75f);
        ASSERT_ROW(stele_primitive_view(p, STELE_UV, 0), 2, 0, 0);
        assert_int_equal(p->indices.count, 3);
        assert_true(stele_view_number(&p->indices, 2, 0) == 2);
        assert_string_equal(stele_find_property(&model->properties, "sff.dialect")->text, files[i].dialect);
        stele_close(file);
    }
}

/* Positions are views into the file. */
static void positions_are_not_copied(void **state)
{
    (void)state;
    stele_file *file = opened(LITERAL(interleaved), &named);
    const stele_view *position = stele_primitive_view(&stele_file_model(file)->meshes[0].primitives[0], STELE_POSITION, 0);
    assert_ptr_equal(position->data, interleaved + 14 + 14 + 4);
    assert_int_equal(position->stride, 32);
    stele_close(file);
}

static void the_first_texture_is_the_colour(void **state)
{
    (void)state;
    stele_file *file = opened(LITERAL(interleaved), &named);
    const stele_model *model = stele_file_model(file);
    assert_int_equal(model->texture_count, 2);
    assert_string_equal(model->textures[0].name, "a.png");
    assert_string_equal(model->textures[1].name, "b.png");
    const stele_material *first = &model->materials[model->meshes[0].primitives[0].material];
    const stele_material *second = &model->materials[model->meshes[1].primitives[0].material];
    assert_int_equal(first->textures[STELE_ROLE_BASE_COLOR].texture, 1);
    assert_string_equal(stele_find_property(&first->properties, "sff.textures")->text, "a.png");
    assert_int_equal(second->textures[STELE_ROLE_BASE_COLOR].texture, 0);
    assert_null(stele_find_property(&second->properties, "sff.textures"));
    stele_close(file);
}

static void textures_may_name_their_meshes(void **state)
{
    static const uint8_t reverse[] = {U32(1), U32(50), U16(1), U16(0), U16(22), U32(50), U32(3), U32(0), U16(0), P0,
                                      P1,     P2,      U32(1), 'a',    U32(1),  U16(0),  U32(1), 'b',    U32(1), U16(0)};
    (void)state;
    stele_file *file = opened(LITERAL(reverse), &named);
    const stele_model *model = stele_file_model(file);
    assert_int_equal(model->materials[0].textures[STELE_ROLE_BASE_COLOR].texture, 0);
    assert_string_equal(stele_find_property(&model->materials[0].properties, "sff.textures")->text, "b");
    stele_close(file);
}

static void what_is_not_there_is_not_made_up(void **state)
{
    (void)state;
    stele_file *file = opened(LITERAL(plain), &named);
    const stele_primitive *p = &stele_file_model(file)->meshes[0].primitives[0];
    assert_int_equal(p->attribute_count, 1);
    assert_int_equal(p->indices.count, 0);
    assert_int_equal(p->vertex_count, 3);
    assert_int_equal(p->material, STELE_NONE);
    stele_close(file);
}

static void small_indices(void **state)
{
    static const uint8_t small[] = {U32(1), U32(56), U16(9), U16(0), U16(0), U32(56), U32(3), U32(3),
                                    U16(0), P0,      P1,     P2,     U16(2), U16(1),  U16(0)};
    (void)state;
    stele_file *file = opened(LITERAL(small), &named);
    const stele_view *indices = &stele_file_model(file)->meshes[0].primitives[0].indices;
    assert_int_equal(indices->type, STELE_U16);
    assert_int_equal(indices->count, 3);
    assert_true(stele_view_number(indices, 0, 0) == 2);
    stele_close(file);
}

/* Four corners make one triangle and a rest. */
static void incomplete_triangles_are_dropped(void **state)
{
    static const uint8_t four[] = {U32(1), U32(62), U16(1), U16(0), U16(0), U32(62), U32(4), U32(0), U16(0), P0, P1, P2, P1};
    (void)state;
    stele_file *file = opened(LITERAL(four), &named);
    assert_int_equal(stele_file_model(file)->meshes[0].primitives[0].vertex_count, 3);
    assert_non_null(find_diagnostic(file, "repaired-indices"));
    stele_close(file);
    stele_options literally = named;
    literally.load.no_repair = true;
    file = opened(LITERAL(four), &literally);
    assert_int_equal(stele_file_model(file)->meshes[0].primitives[0].vertex_count, 4);
    assert_null(find_diagnostic(file, "repaired-indices"));
    stele_close(file);
}

/* ---- Saving: a model that a program makes, and the bytes that it must become ---- */

static const float positions[] = {0, 0, 0, 2, 0, 0, 0, 3, 0}, normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1},
                   uvs[] = {0.25f, 1, 1, 0.75f, 0, 0};
static const uint8_t byte_indices[] = {0, 1, 2};

static uint32_t add_triangle(stele_file *file, size_t attribute_count, uint32_t material)
{
    const stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(positions, 3, 3)},
                                          {STELE_NORMAL, 0, stele_float_view(normals, 3, 3)},
                                          {STELE_UV, 0, stele_float_view(uvs, 3, 2)}};
    stele_primitive primitive = {.vertex_count = 3,
                                 .attributes = attributes,
                                 .attribute_count = attribute_count,
                                 .indices = {.data = byte_indices, .count = 3, .stride = 1, .components = 1, .type = STELE_U8},
                                 .material = material};
    stele_node node = stele_default_node();
    node.mesh = stele_add_mesh(file, &(stele_mesh){.primitives = &primitive, .primitive_count = 1});
    return stele_add_node(file, &node);
}

static uint32_t add_material(stele_file *file, uint32_t texture, const char *further)
{
    stele_material material = stele_default_material();
    stele_property more = {.key = "sff.textures", .text = further};
    material.textures[STELE_ROLE_BASE_COLOR].texture = texture;
    material.properties = (stele_properties){&more, further != NULL};
    return stele_add_material(file, &material);
}

static stele_file *two_triangles(void)
{
    stele_file *file = stele_new(NULL);
    uint32_t a = stele_add_texture(file, &(stele_texture){.name = "a.png"});
    uint32_t b = stele_add_texture(file, &(stele_texture){.name = "b.png"});
    add_triangle(file, 3, add_material(file, b, "a.png"));
    add_triangle(file, 3, add_material(file, a, NULL));
    return file;
}

static void models_become_files(void **state)
{
    stele_save_options options = {.format = "sff"};
    (void)state;
    stele_file *file = two_triangles();
    expect_file(rewritten(file, &options), LITERAL(interleaved));
    options.dialect = "packed";
    expect_file(rewritten(file, &options), LITERAL(packed));
    stele_close(file);
}

static void plain_meshes_stay_plain(void **state)
{
    const stele_attribute position = {STELE_POSITION, 0, stele_float_view(positions, 3, 3)};
    stele_primitive primitive = {.vertex_count = 3, .attributes = &position, .attribute_count = 1, .material = STELE_NONE};
    stele_save_options options = {.format = "sff"};
    stele_node node = stele_default_node();
    (void)state;
    stele_file *file = stele_new(NULL);
    node.mesh = stele_add_mesh(file, &(stele_mesh){.primitives = &primitive, .primitive_count = 1});
    stele_add_node(file, &node);
    expect_file(rewritten(file, &options), LITERAL(plain));
    stele_close(file);
}

/* The attributes are the same for all meshes: what one lacks is made. */
static void all_meshes_have_the_same_attributes(void **state)
{
#define ZERO F0, F0
    static const uint8_t expected[] = {U32(2), U32(244), U16(15),  U16(0), U16(0), U32(122), U32(3), U32(3), U16(0),
                                       ROWS,   INDICES,  U32(122), U32(3), U32(3), U16(0),   P0,     NORMAL, ZERO,
                                       P1,     NORMAL,   ZERO,     P2,     NORMAL, ZERO,     INDICES};
    stele_save_options options = {.format = "sff"};
    (void)state;
    stele_file *file = stele_new(NULL);
    add_triangle(file, 3, STELE_NONE);
    add_triangle(file, 1, STELE_NONE);
    expect_file(rewritten(file, &options), LITERAL(expected));
    assert_int_equal(find_diagnostic(file, "normals-made")->count, 1);
    assert_int_equal(find_diagnostic(file, "uvs-made")->count, 1);
    stele_close(file);
}

static void places_of_nodes_are_in_the_vertices(void **state)
{
    stele_save_options options = {.format = "sff"};
    (void)state;
    stele_file *file = stele_new(NULL);
    stele_node above = stele_default_node();
    above.local.translation[1] = 5;
    uint32_t parent = stele_add_node(file, &above);
    stele_node node = stele_default_node();
    const stele_attribute position = {STELE_POSITION, 0, stele_float_view(positions, 3, 3)};
    stele_primitive primitive = {.vertex_count = 3, .attributes = &position, .attribute_count = 1, .material = STELE_NONE};
    node.parent = parent;
    node.mesh = stele_add_mesh(file, &(stele_mesh){.primitives = &primitive, .primitive_count = 1});
    stele_add_node(file, &node);
    static const uint8_t moved[] = {U32(1), U32(50), U16(1), U16(0), U16(0), U32(50), U32(3), U32(0), U16(0), F0, F5,
                                    F0,     F2,      F5,     F0,     F0,     0,       0,      0,      0x41,   F0};
    expect_file(rewritten(file, &options), LITERAL(moved));
    stele_close(file);
}

/* Textures have 65535 bytes together. */
static void too_many_textures_do_not_fit(void **state)
{
    stele_save_options options = {.format = "sff"};
    char name[1000];
    (void)state;
    stele_file *file = stele_new(NULL);
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = 0;
    for (int i = 0; i < 66; i++) {
        name[0] = (char)('0' + i);
        add_triangle(file, 3, add_material(file, stele_add_texture(file, &(stele_texture){.name = name}), NULL));
    }
    assert_null(rewritten(file, &options).data);
    assert_string_equal(find_diagnostic(file, "does-not-fit")->path, "texture_size");
    stele_close(file);
}

static void other_textures_are_lost(void **state)
{
    stele_save_options options = {.format = "sff"};
    (void)state;
    stele_file *file = stele_new(NULL);
    stele_material material = stele_default_material();
    material.textures[STELE_ROLE_BASE_COLOR].texture = stele_add_texture(file, &(stele_texture){.name = "a.png"});
    material.textures[STELE_ROLE_NORMAL].texture = stele_add_texture(file, &(stele_texture){.name = "n.png"});
    material.base_color[1] = 0.5f;
    add_triangle(file, 3, stele_add_material(file, &material));
    bytes out = rewritten(file, &options);
    assert_int_equal(find_diagnostic(file, "loss-texture")->count, 1);
    assert_int_equal(find_diagnostic(file, "loss-material")->count, 1);
    assert_int_equal(out.size, 153); /* one triangle and a.png */
    free(out.data);
    stele_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_are_nodes),
        cmocka_unit_test(positions_are_not_copied),
        cmocka_unit_test(the_first_texture_is_the_colour),
        cmocka_unit_test(textures_may_name_their_meshes),
        cmocka_unit_test(what_is_not_there_is_not_made_up),
        cmocka_unit_test(small_indices),
        cmocka_unit_test(incomplete_triangles_are_dropped),
        cmocka_unit_test(models_become_files),
        cmocka_unit_test(plain_meshes_stay_plain),
        cmocka_unit_test(all_meshes_have_the_same_attributes),
        cmocka_unit_test(places_of_nodes_are_in_the_vertices),
        cmocka_unit_test(too_many_textures_do_not_fit),
        cmocka_unit_test(other_textures_are_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
