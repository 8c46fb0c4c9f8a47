/* OBJ and MTL: texts written by hand and what they mean; models built by hand and the exact text that they become. */
#include <math.h>

#include "support.h"

/* Files beside the model, from a list of names and contents that ends with NULL. */
static bool find_text(void *user, const char *name, const void **data, size_t *size)
{
    for (const char *const *pair = user; *pair; pair += 2)
        if (strcmp(pair[0], name) == 0) {
            if (data) {
                *data = pair[1];
                *size = strlen(pair[1]);
            }
            return true;
        }
    return false;
}

static stele_file *open_text(const char *text, const char *const *beside)
{
    static const char *const nothing[] = {NULL};
    bytes copy = copy_bytes(text, strlen(text));
    stele_options options = {
        .name = "x.obj", .lookup = find_text, .lookup_user = (void *)(beside ? beside : nothing), .separate_allocations = true};
    stele_file *file = stele_open_memory(copy.data, copy.size, &options);
    /* the handle keeps no copy: it stays until the test ends */
    return file;
}

static void close_text(stele_file *file)
{
    uint64_t size;
    void *data = (void *)stele_file_bytes(file, &size);
    stele_close(file);
    free(data);
}

static const stele_model *model_of(stele_file *file)
{
    const stele_model *model = stele_file_model(file);
    if (!model)
        fail_msg("%s", stele_file_message(file));
    return model;
}

static void expect_row(const stele_view *view, uint64_t row, float x, float y, float z)
{
    float numbers[4], expected[] = {x, y, z};
    assert_non_null(view);
    assert_true(row < view->count);
    stele_view_row(view, row, numbers);
    for (uint32_t i = 0; i < view->components && i < 3; i++)
        if (numbers[i] != expected[i])
            fail_msg("component %u of row %llu is %g, not %g", i, (unsigned long long)row, (double)numbers[i],
                     (double)expected[i]);
}

static void expect_indices(const stele_primitive *p, size_t count, const unsigned *expected)
{
    assert_int_equal(p->indices.count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(stele_view_number(&p->indices, i, 0), expected[i]);
}

#define INDICES(...)                                                                                                           \
    sizeof((unsigned[]){__VA_ARGS__}) / sizeof(unsigned), (unsigned[])                                                         \
    {                                                                                                                          \
        __VA_ARGS__                                                                                                            \
    }

static const stele_view *view_of(const stele_primitive *p, stele_semantic semantic)
{
    return stele_primitive_view(p, semantic, 0);
}

/* ---- Reading ---- */

static void test_all_forms_of_corners(void **state)
{
    (void)state;
    stele_file *file = open_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                                 "vt 0.25 0.25\nvt 1 0\n"
                                 "vn 0 0 1\nvn 0 1 0\n"
                                 "f 1 2 3\n"
                                 "g uv\nf 1/1 2/2 3/1\n"
                                 "g normal\nf 1//1 2//2 3//1\n"
                                 "g all\nf 1/2/1 2/1/1 3/1/2\n"
                                 "g back\nf -1/-1/-1 -2/-2/-2 -4/-1/-1\n",
                                 NULL);
    const stele_model *model = model_of(file);
    assert_int_equal(model->mesh_count, 5);
    assert_int_equal(model->node_count, 5);
    assert_null(model->meshes[0].name);
    assert_string_equal(model->meshes[3].name, "all");
    assert_string_equal(model->nodes[3].name, "all");
    const stele_primitive *p = model->meshes[0].primitives;
    assert_int_equal(p->attribute_count, 1);
    expect_indices(p, INDICES(0, 1, 2));
    expect_row(view_of(p, STELE_POSITION), 1, 1, 0, 0);
    p = model->meshes[1].primitives;
    expect_row(view_of(p, STELE_UV), 0, 0.25f, 0.75f, 0);
    expect_row(view_of(p, STELE_UV), 1, 1, 1, 0);
    assert_null(view_of(p, STELE_NORMAL));
    p = model->meshes[2].primitives;
    expect_row(view_of(p, STELE_NORMAL), 1, 0, 1, 0);
    assert_null(view_of(p, STELE_UV));
    p = model->meshes[3].primitives;
    expect_row(view_of(p, STELE_UV), 0, 1, 1, 0);
    expect_row(view_of(p, STELE_NORMAL), 2, 0, 1, 0);
    p = model->meshes[4].primitives;
    expect_row(view_of(p, STELE_POSITION), 0, 0, 0, 1);
    expect_row(view_of(p, STELE_POSITION), 1, 0, 1, 0);
    expect_row(view_of(p, STELE_POSITION), 2, 0, 0, 0);
    expect_row(view_of(p, STELE_UV), 1, 0.25f, 0.75f, 0);
    close_text(file);
}

/* The same combination is one vertex; another one at the same position is another. */
static void test_vertices_are_shared(void **state)
{
    (void)state;
    stele_file *file = open_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 0.5 0\nvt 0 0.5\n"
                                 "f 1/1 2/2 3/3\nf 1/1 3/3 4/2\nf 1/2 2/2 4/2\n",
                                 NULL);
    const stele_primitive *p = model_of(file)->meshes[0].primitives;
    assert_int_equal(p->vertex_count, 5);
    expect_indices(p, INDICES(0, 1, 2, 0, 2, 3, 4, 1, 3));
    expect_row(view_of(p, STELE_POSITION), 4, 0, 0, 0);
    expect_row(view_of(p, STELE_UV), 4, 0.5f, 1, 0);
    close_text(file);
    /* all alike: the order is the file's, although the last vertex is used first */
    file = open_text("v 9 9 9\nv 0 0 0\nv 1 0 0\nv 1 1 0\nf 4 2 3\n", NULL);
    p = model_of(file)->meshes[0].primitives;
    assert_int_equal(p->vertex_count, 3);
    expect_indices(p, INDICES(2, 0, 1));
    expect_row(view_of(p, STELE_POSITION), 0, 0, 0, 0);
    close_text(file);
    /* what is not used is not there */
    file = open_text("v 0 0 0\nv 9 9 9\nv 1 0 0\nv 1 1 0\nf 4 1 3\n", NULL);
    p = model_of(file)->meshes[0].primitives;
    assert_int_equal(p->vertex_count, 3);
    expect_indices(p, INDICES(0, 1, 2));
    expect_row(view_of(p, STELE_POSITION), 0, 1, 1, 0);
    close_text(file);
}

static void test_lines_of_text(void **state)
{
    (void)state;
    stele_file *file = open_text("\xEF\xBB\xBF# a comment that ends with \\\r\n"
                                 "\tv  0\t0 0 # and one behind\r\n"
                                 "v +1. \\\r\n .0e+3 -0\r\n"
                                 "   v 0 1e0 0 1\r\n"
                                 "\r\n"
                                 "s off\r\n"
                                 "f 1 2 \\\n 3\\\n\n"
                                 "o two words \r\n"
                                 "f 1 3 2", /* no line end */
                                 NULL);
    const stele_model *model = model_of(file);
    assert_int_equal(model->mesh_count, 2);
    expect_row(view_of(model->meshes[0].primitives, STELE_POSITION), 1, 1, 0, 0);
    expect_row(view_of(model->meshes[0].primitives, STELE_POSITION), 2, 0, 1, 0);
    assert_null(view_of(model->meshes[0].primitives, STELE_COLOR)); /* the fourth number is w */
    assert_string_equal(model->meshes[1].name, "two words");
    expect_indices(model->meshes[1].primitives, INDICES(0, 2, 1));
    close_text(file);
}

static void test_lines_and_points(void **state)
{
    (void)state;
    stele_file *file = open_text("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\nl 1 2 3\np 3 1\nl 3 2\n", NULL);
    const stele_model *model = model_of(file);
    assert_int_equal(model->mesh_count, 1);
    assert_int_equal(model->meshes[0].primitive_count, 3);
    const stele_primitive *p = model->meshes[0].primitives;
    assert_int_equal(p[1].topology, STELE_LINES);
    expect_indices(&p[1], INDICES(0, 1, 1, 2, 2, 1));
    assert_int_equal(p[2].topology, STELE_POINTS);
    assert_int_equal(p[2].vertex_count, 2);
    close_text(file);
}

static void test_colors(void **state)
{
    (void)state;
    /* in the first line, and only later; the second mesh has none */
    stele_file *file = open_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nv 0 0 1 1 0.5 0.25\nv 1 0 1\nv 0 1 1 0 0 0\n"
                                 "g colored\nf 4 5 6\n",
                                 NULL);
    const stele_model *model = model_of(file);
    assert_null(view_of(model->meshes[0].primitives, STELE_COLOR));
    const stele_view *color = view_of(model->meshes[1].primitives, STELE_COLOR);
    expect_row(color, 0, 1, 0.5f, 0.25f);
    expect_row(color, 1, 1, 1, 1);
    expect_row(color, 2, 0, 0, 0);
    expect_row(view_of(model->meshes[1].primitives, STELE_POSITION), 2, 0, 1, 1);
    close_text(file);
    file = open_text("v 0 0 0 0.5 0.5 2\nv 1 0 0 0 0 0\nv 0 1 0 1 1 1\nf 1 2 3\n", NULL);
    color = view_of(model_of(file)->meshes[0].primitives, STELE_COLOR);
    expect_row(color, 0, 0.5f, 0.5f, 1);
    assert_non_null(find_diagnostic(file, "repaired-color"));
    close_text(file);
}

static void test_meshes_and_materials(void **state)
{
    (void)state;
    static const char *const beside[] = {"a.mtl", "newmtl unused\nnewmtl red\nKd 1 0 0\n", "my b.mtl",
                                         "newmtl blue\nKd 0 0 1\n", NULL};
    stele_file *file = open_text("mtllib a.mtl\nmtllib my b.mtl\nmtllib a.mtl missing.mtl\n"
                                 "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
                                 "f 1 2 3\n"
                                 "usemtl blue\nf 1 2 3\nusemtl red\nf 3 2 1\nusemtl blue\nf 2 1 3\n"
                                 "o empty\n"
                                 "o one\ng part\nf 1 2 3\nusemtl nowhere\nf 1 2 3\ng part\nf 1 2 3\n"
                                 "o one\nf 1 2 3\n",
                                 beside);
    const stele_model *model = model_of(file);
    assert_int_equal(model->material_count, 4);
    assert_string_equal(model->materials[0].name, "unused");
    assert_string_equal(model->materials[1].name, "red");
    assert_string_equal(model->materials[2].name, "blue");
    assert_string_equal(model->materials[3].name, "nowhere");
    assert_int_equal(model->mesh_count, 3);
    const stele_mesh *m = model->meshes;
    assert_int_equal(m[0].primitive_count, 3);
    assert_int_equal(m[0].primitives[0].material, STELE_NONE);
    assert_int_equal(m[0].primitives[1].material, 2);
    assert_int_equal(m[0].primitives[1].indices.count, 6); /* both runs of it */
    assert_int_equal(m[0].primitives[2].material, 1);
    assert_string_equal(m[1].name, "part");
    assert_int_equal(m[1].primitive_count, 2);
    assert_int_equal(m[1].primitives[0].material, 2);
    assert_int_equal(m[1].primitives[1].material, 3);
    assert_int_equal(m[1].primitives[1].indices.count, 6);
    assert_string_equal(m[2].name, "one");
    const stele_diagnostic *d = find_diagnostic(file, "companion-missing");
    assert_non_null(d);
    assert_string_equal(d->path, "line 3");
    assert_int_equal(d->offset, 42);
    d = find_diagnostic(file, "material-undefined");
    assert_non_null(d);
    assert_string_equal(d->path, "line 18");
    close_text(file);
}

static void test_normals_of_some_corners(void **state)
{
    (void)state;
    stele_file *file = open_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 1 0 0\nf 1//1 2 3\n", NULL);
    const stele_primitive *p = model_of(file)->meshes[0].primitives;
    expect_row(view_of(p, STELE_NORMAL), 0, 1, 0, 0);
    expect_row(view_of(p, STELE_NORMAL), 1, 0, 0, 1);
    assert_non_null(find_diagnostic(file, "repaired-normal"));
    close_text(file);
}

/* ---- Polygons ---- */

/* The area of all triangles, each of which must go round as the polygon does. */
static double positive_area(const stele_primitive *p)
{
    const stele_view *position = view_of(p, STELE_POSITION);
    double sum = 0;
    for (uint64_t i = 0; i + 2 < p->indices.count; i += 3) {
        double c[3][2];
        for (uint64_t k = 0; k < 3; k++)
            for (uint32_t axis = 0; axis < 2; axis++)
                c[k][axis] = stele_view_number(position, (uint64_t)stele_view_number(&p->indices, i + k, 0), axis);
        double area = (c[1][0] - c[0][0]) * (c[2][1] - c[0][1]) - (c[1][1] - c[0][1]) * (c[2][0] - c[0][0]);
        assert_true(area >= 0);
        sum += area / 2;
    }
    return sum;
}

/* If no triangle is turned and the areas add up to the polygon's, they cover it exactly: nothing lies outside or twice. */
static void expect_cut(const char *text, size_t triangles, double area)
{
    stele_file *file = open_text(text, NULL);
    const stele_primitive *p = model_of(file)->meshes[0].primitives;
    assert_int_equal(p->indices.count, 3 * triangles);
    assert_true(fabs(positive_area(p) - area) < 1e-6);
    close_text(file);
}

static void test_polygons(void **state)
{
    (void)state;
    expect_cut("v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nf 1 2 3 4\n", 2, 4);
    /* an arrow: the diagonal from the first corner would lie outside */
    expect_cut("v 2 0 0\nv 0 4 0\nv -2 0 0\nv 0 1 0\nf 1 2 3 4\n", 2, 6);
    expect_cut("v 2 0 0\nv 0 4 0\nv -2 0 0\nv 0 1 0\nf 4 1 2 3\n", 2, 6);
    /* an L, with a corner in the middle of an edge */
    expect_cut("v 0 0 0\nv 1 0 0\nv 3 0 0\nv 3 1 0\nv 1 1 0\nv 1 3 0\nv 0 3 0\nf 1 2 3 4 5 6 7\n", 5, 5);
    /* a comb, beginning anywhere */
    const char *comb =
        "v 0 0 0\nv 5 0 0\nv 5 3 0\nv 4 3 0\nv 4 1 0\nv 3 1 0\nv 3 3 0\nv 2 3 0\nv 2 1 0\nv 1 1 0\nv 1 3 0\nv 0 3 0\n";
    for (int first = 0; first < 12; first++) {
        char text[400];
        int length = snprintf(text, sizeof text, "%sf", comb);
        for (int i = 0; i < 12; i++)
            length += snprintf(text + length, sizeof text - (size_t)length, " %d", (first + i) % 12 + 1);
        expect_cut(text, 10, 11);
    }
    /* a square with a square hole, joined by a slit: corners 4 and 9, 1 and 10 are at the same places */
    expect_cut("v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 1 1 0\nv 1 3 0\nv 3 3 0\nv 3 1 0\nf 1 2 3 4 1 5 6 7 8 5\n", 8, 12);
    /* convex, and standing: seen from +X it goes round */
    stele_file *file = open_text("v 0 0 0\nv 0 1 0\nv 0 1 1\nv 0 0 1\nv 0 -0.5 0.5\nf 1 2 3 4 5\n", NULL);
    expect_indices(model_of(file)->meshes[0].primitives, INDICES(0, 1, 2, 0, 2, 3, 0, 3, 4));
    close_text(file);
    /* without area, and crossing itself: as many triangles as ever */
    file = open_text("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nf 1 2 3 4\nf 1 1 1 1 1\n", NULL);
    assert_int_equal(model_of(file)->meshes[0].primitives->indices.count, 15);
    close_text(file);
    file = open_text("v 0 0 0\nv 2 2 0\nv 2 0 0\nv 0 2 0\nv 1 5 0\nf 1 2 3 4 5\n", NULL);
    assert_int_equal(model_of(file)->meshes[0].primitives->indices.count, 9);
    close_text(file);
}

/* A star of so many corners that clipping its ears would take for ever. */
static void test_polygon_that_is_too_large(void **state)
{
    (void)state;
    enum { CORNERS = 60000 };
    char *text = malloc(CORNERS * 48);
    assert_non_null(text);
    int length = 0;
    for (int i = 0; i < CORNERS; i++) {
        double angle = 6.283185307179586 * i / CORNERS, radius = i % 2 ? 1 : 1000;
        length += sprintf(text + length, "v %.9g %.9g 0\n", radius * cos(angle), radius * sin(angle));
    }
    length += sprintf(text + length, "f");
    for (int i = 0; i < CORNERS; i++)
        length += sprintf(text + length, " %d", i + 1);
    stele_file *file = open_text(text, NULL);
    assert_int_equal(model_of(file)->meshes[0].primitives->indices.count, 3 * (CORNERS - 2));
    assert_non_null(find_diagnostic(file, "polygon-too-large"));
    close_text(file);
    free(text);
}

/* ---- Materials ---- */

static void test_mtl(void **state)
{
    (void)state;
    static const char *const beside[] = {"m.mtl",
                                         "# all of it\r\n"
                                         "newmtl a\r\n"
                                         "  Kd 0.1 0.2 0.3\r\n"
                                         "Ks 0.5 0.25 1\r\n"
                                         "Ke 2 1 0\r\n"
                                         "Tr 0.9\r\n"
                                         "d 0.25\r\n"
                                         "Tr 0.9\r\n"
                                         "Ns 0\r\n"
                                         "map_Kd -blendu on -s 2 4 1 -o 0.5 0.25 0 -mm 0 1 -clamp off base color.png\r\n"
                                         "map_Bump -bm 0.5 bump.png\r\n"
                                         "newmtl b\n"
                                         "Kd 0.5\n"
                                         "Tr 0.25\n"
                                         "Ns 30\n"
                                         "Pr 0.75\n"
                                         "Ns 40\n"
                                         "Pm 1\n"
                                         "illum 0\n"
                                         "map_Pr -imfchan g both.png\n"
                                         "map_Pm -imfchan b both.png\n"
                                         "map_Ke glow.png\n"
                                         "bump other.png\n"
                                         "norm normal.png\n"
                                         "map_Kd image.png\n"
                                         "map_d image.png\n"
                                         "newmtl c\n"
                                         "Kd spectral file.rfl 1\n"
                                         "Kd 1 nan 0\n"
                                         "d zero\n"
                                         "map_Kd\n"
                                         "map_Pr rough.png\n"
                                         "map_d holes.png\n",
                                         "base color.png",
                                         "",
                                         "both.png",
                                         "",
                                         NULL};
    stele_file *file = open_text("mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl b\nf 1 2 3\n", beside);
    const stele_model *model = model_of(file);
    assert_int_equal(model->material_count, 3);
    const stele_material *m = &model->materials[0];
    assert_true(m->base_color[0] == 0.1f && m->base_color[1] == 0.2f && m->base_color[2] == 0.3f && m->base_color[3] == 0.25f);
    assert_int_equal(m->alpha_mode, STELE_BLEND);
    assert_true(m->specular_color[0] == 0.5f && m->specular_color[1] == 0.25f && m->specular_color[2] == 1);
    assert_true(m->emissive_strength == 2 && m->emissive[0] == 1 && m->emissive[1] == 0.5f && m->emissive[2] == 0);
    assert_true(m->roughness == 1 && m->metallic == 0 && !m->unlit);
    const stele_texture_use *use = &m->textures[STELE_ROLE_BASE_COLOR];
    assert_string_equal(model->textures[use->texture].name, "base color.png");
    assert_string_equal(model->textures[use->texture].file, "base color.png");
    /* the texel that OBJ shows at v = 0.25 is the one at 4 * 0.25 + 0.25 = 1.25 from below, -0.25 from above */
    assert_true(use->scale[0] == 2 && use->scale[1] == 4 && use->offset[0] == 0.5f);
    assert_true(0.75f * use->scale[1] + use->offset[1] == -0.25f);
    assert_string_equal(model->textures[m->textures[STELE_ROLE_NORMAL].texture].name, "bump.png");
    assert_true(m->textures[STELE_ROLE_NORMAL].strength == 0.5f);
    m = &model->materials[1];
    assert_true(m->base_color[0] == 0.5f && m->base_color[2] == 0.5f && m->base_color[3] == 0.75f);
    assert_true(m->roughness == 0.75f && m->metallic == 1 && m->unlit);
    assert_string_equal(model->textures[m->textures[STELE_ROLE_METALLIC_ROUGHNESS].texture].name, "both.png");
    assert_string_equal(model->textures[m->textures[STELE_ROLE_NORMAL].texture].name, "normal.png");
    assert_true(m->emissive[0] == 1 && m->emissive[2] == 1);
    m = &model->materials[2];
    assert_true(m->base_color[0] == 1 && m->base_color[3] == 1);
    assert_int_equal(m->textures[STELE_ROLE_BASE_COLOR].texture, STELE_NONE);
    assert_string_equal(stele_find_property(&m->properties, "obj.map_Pr")->text, "rough.png");
    assert_string_equal(stele_find_property(&m->properties, "obj.map_d")->text, "holes.png");
    const stele_diagnostic *d = find_diagnostic(file, "companion-damaged");
    assert_non_null(d);
    assert_int_equal(d->count, 3);
    assert_string_equal(d->path, "m.mtl line 29");
    assert_non_null(find_diagnostic(file, "texture-missing"));
    close_text(file);
}

static void test_roughness_of_the_exponent(void **state)
{
    (void)state;
    static const char *const beside[] = {"m.mtl", "newmtl a\nNs 30\n", NULL};
    stele_file *file = open_text("mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3\n", beside);
    assert_true(fabs((double)model_of(file)->materials[0].roughness - 0.5) < 1e-6); /* (2 / 32) ^ (1 / 4) */
    close_text(file);
}

/* ---- What is wrong ---- */

static void test_bad_texts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *id, *path, *says;
        uint64_t offset, count;
    } cases[] = {
        {"v 0 0 0\nf 1 1 0\n", "index-out-of-range", "line 2", "refers to vertex 0, but they count from 1", 14, 1},
        {"v 0 0 0\nf 1 2 1\nf 3 1 1\n", "index-out-of-range", "line 2", "refers to vertex 2, but there is 1", 12, 2},
        {"v 0 0 0\n\nf 1 1 -2\n", "index-out-of-range", "line 3", "refers to vertex -2, but there is 1 in all", 15, 1},
        {"v 0 0 0\nvt 0 0\nf 1/2 1 1\n", "index-out-of-range", "line 3", "refers to texture coordinate 2, but there is 1", 19,
         1},
        {"v 0 0 0\nvn 0 0 1\nf 1//2 1 1\n", "index-out-of-range", "line 3", "refers to normal 2, but there is 1", 22, 1},
        {"v 0 0 0\nf 99999999999999999999999 1 1\n", "index-out-of-range", "line 2", NULL, 10, 1},
        {"v 0 0 0\nf -99999999999999999999999 1 1\n", "index-out-of-range", "line 2", NULL, 10, 1},
        {"v 0 0 0\nf 4294967297 1 1\n", "index-out-of-range", "line 2", NULL, 10, 1},
        {"v 0 0 0\nf 1 1 x\n", "bad-field", "line 2", "is no index", 14, 1},
        {"v 0 0 0\nf 1/1/1/1 1 1\n", "bad-field", "line 2", "is no index", 10, 1},
        {"v 0 0 0\nf 1 1", "bad-field", "line 2", "has fewer corners than 3", 9, 1},
        {"v 0 0 0\nl 1\n", "bad-field", "line 2", "has fewer corners than 2", 9, 1},
        {"v 0 0 0\nf\n", "bad-field", "line 2", "has fewer corners than 3", 9, 1},
        {"v 0 0\nf 1 1 1\n", "bad-field", "line 1", "has fewer numbers than 3", 1, 1},
        {"v 0 0 zero\nf 1 1 1\n", "bad-field", "line 1", "is no number", 6, 1},
        {"v 0 0,5 1\nf 1 1 1\n", "bad-field", "line 1", "is no number", 4, 1},
        {"v 0 0 1e999\n", "nonfinite-position", "line 1", "is not finite", 6, 1},
        {"v 0 -inf nan\n", "nonfinite-position", "line 1", "is not finite", 4, 2},
        {"v 0 0 -1.#IND\n", "nonfinite-position", "line 1", "is not finite", 6, 1},
        {"v 0 0 0\nvn 0 NaN 0\n", "nonfinite-normal", "line 2", "is not finite", 13, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stele_file *file = open_text(cases[i].text, NULL);
        const stele_diagnostic *d = find_diagnostic(file, cases[i].id);
        if (!d || strcmp(d->path, cases[i].path) != 0 || (cases[i].says && strcmp(d->text, cases[i].says) != 0) ||
            d->offset != cases[i].offset || d->count != cases[i].count)
            fail_msg("%s: %s", cases[i].text, d ? d->text : stele_file_message(file));
        assert_int_equal(d->severity, STELE_ERROR);
        assert_int_equal(stele_file_status(file), STELE_DAMAGED);
        assert_null(stele_file_model(file));
        close_text(file);
    }
}

/* Rules and saves change what is said, not what is safe. */
static void test_errors_stay_errors(void **state)
{
    (void)state;
    static const char text[] = "v 0 0 0\nf 1 2 3\n";
    stele_rule rule = {"index-out-of-range", STELE_NOTE};
    stele_options lenient = {.format = "obj", .rules = &rule, .rule_count = 1};
    stele_file *file = stele_open_memory(text, sizeof text - 1, &lenient);
    assert_int_equal(stele_file_status(file), STELE_OK);
    assert_null(stele_file_model(file));
    assert_int_equal(stele_file_status(file), STELE_DAMAGED);
    stele_close(file);
    file = open_text(text, NULL);
    bytes same = rewritten(file, NULL);
    assert_int_equal(same.size, sizeof text - 1);
    free(same.data);
    assert_int_equal(stele_file_status(file), STELE_OK);
    assert_null(stele_file_model(file));
    assert_int_equal(stele_file_status(file), STELE_DAMAGED);
    stele_save_options as_glb = {.format = "glb"};
    assert_null(rewritten(file, &as_glb).data);
    assert_int_equal(stele_file_status(file), STELE_DAMAGED);
    close_text(file);
}

static void test_what_engines_load(void **state)
{
    (void)state;
    stele_file *file = open_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nvt nan 1\ncurv 0 1 1 2\nwhatever\nf 1/1 2/1 3/1\n", NULL);
    const stele_diagnostic *d = find_diagnostic(file, "statement-unknown");
    assert_int_equal(stele_file_status(file), STELE_OK);
    assert_non_null(d);
    assert_string_equal(d->path, "line 5");
    assert_int_equal(d->count, 2);
    assert_non_null(find_diagnostic(file, "nonfinite-uv"));
    expect_row(view_of(model_of(file)->meshes[0].primitives, STELE_UV), 0, 0, 0, 0);
    close_text(file);
}

/* As ZBrush ends its files, and as others refer to normals that they do not have. */
static void test_a_nul_at_the_end(void **state)
{
    (void)state;
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/1/1 2/2/2 3/3/3\n\0\n";
    stele_file *file = stele_open_memory(text, sizeof text - 1, &(stele_options){.name = "m.obj"});
    const stele_diagnostic *d = find_diagnostic(file, "index-without-list");
    assert_int_equal(stele_file_status(file), STELE_OK);
    assert_non_null(d);
    assert_int_equal(d->severity, STELE_WARNING);
    assert_string_equal(d->path, "line 4");
    assert_int_equal(d->count, 3);
    assert_null(find_diagnostic(file, "statement-unknown"));
    assert_int_equal(model_of(file)->meshes[0].primitives[0].vertex_count, 3);
    assert_null(view_of(model_of(file)->meshes[0].primitives, STELE_NORMAL));
    stele_close(file);
    /* but a NUL between lines is none of a text */
    file = stele_open_memory("v 0 0 0\n\0\nv 1 0 0\n", 18, &(stele_options){.name = "m.obj"});
    assert_int_equal(stele_file_status(file), STELE_UNSUPPORTED);
    stele_close(file);
}

static void test_what_is_no_obj(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "\n\n",
                                        "# a comment\nand text\n",
                                        "hello world\nthis is text\n",
                                        "f\n",
                                        "o\n",
                                        "v\n",
                                        "int main(void)\n{\n    return 0;\n}\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        stele_file *file = open_text(texts[i], NULL);
        assert_int_equal(stele_file_status(file), STELE_UNSUPPORTED);
        close_text(file);
    }
}

/* Comments say nothing by themselves: what is called .obj is one without meshes, anything else is not. */
static void test_comments_alone(void **state)
{
    (void)state;
    static const char text[] = "# a model without meshes\n# and no more\n";
    stele_file *file = open_text(text, NULL);
    assert_int_equal(stele_file_status(file), STELE_OK);
    assert_string_equal(stele_file_format(file), "obj");
    assert_int_equal(model_of(file)->mesh_count, 0);
    close_text(file);
    static const char *const names[] = {NULL, "x.txt", "x.mesh"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        stele_options options = {.name = names[i]};
        file = stele_open_memory(text, sizeof text - 1, &options);
        assert_int_not_equal(stele_file_status(file), STELE_OK);
        assert_true(!stele_file_format(file) || strcmp(stele_file_format(file), "obj") != 0);
        stele_close(file);
    }
}

/* A line of a hundred megabytes, and chunks that meet in the middle of statements. */
static void test_long_texts(void **state)
{
    (void)state;
    enum { LONG = 100 << 20 };
    static const char start[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    char *text = malloc(LONG + 1);
    assert_non_null(text);
    memcpy(text, start, sizeof start - 1);
    memset(text + sizeof start - 1, 'x', LONG - sizeof start);
    text[sizeof start - 1] = '#';
    memcpy(text + LONG - 11, "\nf 1 2 3 4\n", 11);
    stele_options options = {.format = "obj"};
    stele_file *file = stele_open_memory(text, LONG, &options);
    const stele_diagnostic *d = find_diagnostic(file, "index-out-of-range");
    assert_non_null(d);
    assert_string_equal(d->path, "line 5");
    assert_true(stele_file_memory(file) < 1 << 20);
    stele_close(file);
    /* a face whose corners go on over three megabytes of continued lines */
    size_t at = sizeof start - 1;
    text[at++] = 'f';
    for (int i = 0; i < 300000; i++)
        at += (size_t)sprintf(text + at, " %d \\\n\t", i % 3 + 1);
    at += (size_t)sprintf(text + at, "\n");
    file = stele_open_memory(text, at, &options);
    assert_int_equal(stele_file_status(file), STELE_OK);
    assert_int_equal(model_of(file)->meshes[0].primitives->indices.count, 3 * (300000 - 2));
    stele_close(file);
    free(text);
}

/* Backwards, as different from one after the other as can be. */
static void run_backwards(void *user, size_t count, stele_task task, void *context)
{
    ++*(int *)user;
    while (count-- > 0)
        task(context, count);
}

static void test_chunks_in_any_order(void **state)
{
    (void)state;
    enum { VERTICES = 120000 };
    char *text = malloc(VERTICES * 64);
    assert_non_null(text);
    size_t size = 0;
    for (int i = 0; i < VERTICES; i++) {
        size += (size_t)sprintf(text + size, "v %d %d.5 -%d%s", i, i % 7, i % 11, i % 3 ? "\n" : " # 1 2 3 \\\n\n");
        if (i % 100 == 0)
            size += (size_t)sprintf(text + size, "g part %d\n", i % 200);
        if (i > 2)
            size += (size_t)sprintf(text + size, "f -1 -2 %d # no corner\n", i - 1);
        if (i == 90000 || i == 110000)
            size += (size_t)sprintf(text + size, "strange %d\n", i);
    }
    int runs = 0;
    stele_options plain = {.format = "obj"};
    stele_options parallel = {.format = "obj", .parallel = run_backwards, .parallel_user = &runs};
    stele_file *a = stele_open_memory(text, size, &plain), *b = stele_open_memory(text, size, &parallel);
    const stele_model *one = model_of(a), *other = model_of(b);
    assert_true(runs >= 2);
    assert_int_equal(one->mesh_count, VERTICES / 100);
    assert_int_equal(one->mesh_count, other->mesh_count);
    for (size_t i = 0; i < one->mesh_count; i++) {
        const stele_primitive *p = one->meshes[i].primitives, *q = other->meshes[i].primitives;
        assert_string_equal(one->meshes[i].name, other->meshes[i].name);
        assert_int_equal(p->vertex_count, q->vertex_count);
        assert_int_equal(p->indices.count, q->indices.count);
        assert_memory_equal(p->indices.data, q->indices.data, p->indices.count * p->indices.stride);
        assert_memory_equal(view_of(p, STELE_POSITION)->data, view_of(q, STELE_POSITION)->data, 12 * p->vertex_count);
    }
    /* the mesh of vertices 100 to 199: its first face is -1 -2 100, of vertices 100 (counted from 0), 99 and 99 */
    const stele_primitive *p = one->meshes[1].primitives;
    assert_int_equal(p->indices.count, 300);
    expect_row(view_of(p, STELE_POSITION), (uint64_t)stele_view_number(&p->indices, 0, 0), 100, 2.5f, -1);
    const stele_diagnostic *d = find_diagnostic(b, "statement-unknown");
    assert_non_null(d);
    assert_int_equal(d->count, 2);
    assert_string_equal(d->path, find_diagnostic(a, "statement-unknown")->path);
    assert_memory_equal(text + d->offset, "strange 90000\n", 14);
    stele_close(a);
    stele_close(b);
    free(text);
}

/* ---- Writing ---- */

static const float quad[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0.1f};
static const float normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
static const float uvs[] = {0, 1, 1, 1, 1, 0, 0, 0.25f};
static const float colors[] = {1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0.5f, 0.5f, 0.5f, 1};
static const uint16_t both[] = {0, 1, 2, 0, 2, 3};

static stele_view index_view(void)
{
    return (stele_view){.data = both, .count = 6, .stride = 2, .components = 1, .type = STELE_U16};
}

static stele_file *build(void)
{
    stele_file *file = stele_new(NULL);
    stele_material material = stele_default_material();
    stele_texture texture = {.name = "red.png"};
    material.name = "shiny red";
    material.base_color[1] = material.base_color[2] = 0.1f;
    material.base_color[3] = 0.5f;
    material.alpha_mode = STELE_BLEND;
    material.roughness = 0.25f;
    material.emissive[0] = 1;
    material.emissive_strength = 3;
    material.textures[STELE_ROLE_BASE_COLOR].texture = stele_add_texture(file, &texture);
    stele_add_material(file, &material);
    material = stele_default_material();
    material.name = "shiny red"; /* again */
    material.unlit = true;
    stele_add_material(file, &material);
    const stele_attribute all[] = {{STELE_POSITION, 0, stele_float_view(quad, 4, 3)},
                                   {STELE_NORMAL, 0, stele_float_view(normals, 4, 3)},
                                   {STELE_UV, 0, stele_float_view(uvs, 4, 2)}};
    const stele_attribute colored[] = {{STELE_POSITION, 0, stele_float_view(quad, 4, 3)},
                                       {STELE_COLOR, 0, stele_float_view(colors, 4, 4)}};
    const stele_primitive primitives[] = {
        {.vertex_count = 4, .attributes = all, .attribute_count = 3, .indices = index_view(), .material = 0},
        {.vertex_count = 3, .attributes = colored, .attribute_count = 2, .material = 1},
        {.vertex_count = 3, .attributes = all, .attribute_count = 2, .material = 0}};
    stele_mesh mesh = {.name = "quad", .primitives = primitives, .primitive_count = 3};
    stele_node node = stele_default_node();
    node.mesh = stele_add_mesh(file, &mesh);
    stele_add_node(file, &node);
    mesh = (stele_mesh){.primitives = &primitives[1], .primitive_count = 1};
    node.mesh = stele_add_mesh(file, &mesh);
    node.local.translation[2] = 2;
    stele_add_node(file, &node);
    return file;
}

static const char expected_obj[] = "# Written by Stele\n"
                                   "%s"
                                   "o quad\n"
                                   "usemtl shiny red\n"
                                   "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0.1\n"
                                   "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 0.75\n"
                                   "vn 0 0 1\nvn 0 0 1\nvn 0 0 1\nvn 0 0 1\n"
                                   "f 1/1/1 2/2/2 3/3/3\nf 1/1/1 3/3/3 4/4/4\n"
                                   "usemtl shiny red_1\n"
                                   "v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 1 1 0 0 0 1\n"
                                   "f 5 6 7\n"
                                   "g quad_2\n"
                                   "usemtl shiny red\n"
                                   "v 0 0 0\nv 1 0 0\nv 1 1 0\n"
                                   "vn 0 0 1\nvn 0 0 1\nvn 0 0 1\n"
                                   "f 8//5 9//6 10//7\n"
                                   "o mesh_1\n"
                                   "usemtl shiny red_1\n"
                                   "v 0 0 2 1 0 0\nv 1 0 2 0 1 0\nv 1 1 2 0 0 1\n"
                                   "f 11 12 13\n";

static const char expected_mtl[] = "# Written by Stele\n"
                                   "newmtl shiny red\n"
                                   "Kd 1 0.1 0.1\nKe 3 0 0\nd 0.5\nPr 0.25\nPm 0\nillum 2\nmap_Kd red.png\nmap_d red.png\n"
                                   "\n"
                                   "newmtl shiny red_1\n"
                                   "Kd 1 1 1\nPr 1\nPm 0\nillum 0\n";

static void expect_file(const char *path, const char *text)
{
    bytes content = read_bytes(path);
    if (content.size != strlen(text) || memcmp(content.data, text, content.size) != 0)
        fail_msg("%s is\n%.*s", path, (int)content.size, (const char *)content.data);
    free(content.data);
    remove(path);
}

static void test_written_text(void **state)
{
    (void)state;
    char expected[2000];
    stele_file *file = build();
    stele_save_options options = {.format = "obj", .overwrite = true};
    if (stele_file_save(file, "test_obj_out.obj", &options) != STELE_OK)
        fail_msg("%s", stele_file_message(file));
    snprintf(expected, sizeof expected, expected_obj, "mtllib test_obj_out.mtl\n");
    expect_file("test_obj_out.obj", expected);
    expect_file("test_obj_out.mtl", expected_mtl);
    assert_null(find_diagnostic(file, "loss-material"));
    /* without a place for a second file */
    bytes alone = rewritten(file, &options);
    snprintf(expected, sizeof expected, expected_obj, "");
    assert_non_null(alone.data);
    assert_int_equal(alone.size, strlen(expected));
    assert_memory_equal(alone.data, expected, alone.size);
    free(alone.data);
    assert_non_null(find_diagnostic(file, "loss-material"));
    stele_close(file);
}

/* What is read again is what was written, bit for bit. */
static void test_there_and_back(void **state)
{
    (void)state;
    enum { VERTICES = 5000 };
    stele_file *file = stele_new(NULL);
    float *positions = stele_memory(file, VERTICES * 12), *normal = stele_memory(file, VERTICES * 12);
    uint64_t random = 88172645463325252;
    for (size_t i = 0; i < 3 * (size_t)VERTICES; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        uint32_t bits = (uint32_t)random;
        memcpy(&positions[i], &bits, 4);
        positions[i] = isfinite(positions[i]) ? positions[i] : 0;
        normal[i] = i % 3 == 2 ? 1 : (float)(random >> 60) * 1e-3f;
    }
    const stele_attribute all[] = {{STELE_POSITION, 0, stele_float_view(positions, VERTICES, 3)},
                                   {STELE_NORMAL, 0, stele_float_view(normal, VERTICES, 3)}};
    stele_primitive p = {
        .vertex_count = VERTICES - VERTICES % 3, .attributes = all, .attribute_count = 2, .material = STELE_NONE};
    stele_mesh mesh = {.name = "noise", .primitives = &p, .primitive_count = 1};
    stele_node node = stele_default_node();
    node.mesh = stele_add_mesh(file, &mesh);
    stele_add_node(file, &node);
    bytes text = rewritten(file, &(stele_save_options){.format = "obj"});
    assert_non_null(text.data);
    stele_file *again = stele_open_memory(text.data, text.size, NULL);
    const stele_primitive *read = model_of(again)->meshes[0].primitives;
    assert_int_equal(read->vertex_count, p.vertex_count);
    assert_memory_equal(view_of(read, STELE_POSITION)->data, positions, 12 * p.vertex_count);
    assert_memory_equal(view_of(read, STELE_NORMAL)->data, normal, 12 * p.vertex_count);
    stele_close(again);
    free(text.data);
    stele_close(file);
}

static void test_untouched_text(void **state)
{
    (void)state;
    static const char text[] = "# mine \r\n  v 0   0 0\nv 1.000 0 0\nv 0 1 0\n\n\nf  1 2 3";
    stele_file *file = open_text(text, NULL);
    assert_int_equal(assert_explained(file), 0);
    bytes same = rewritten(file, NULL);
    assert_int_equal(same.size, sizeof text - 1);
    assert_memory_equal(same.data, text, same.size);
    free(same.data);
    close_text(file);
}

/* A full check looks at the meshes as it does in every format, and says in which line: of triangles only, and of everything. */
static void test_full_check(void **unused)
{
    static const char corners[] =
        "\xEF\xBB\xBFvn 0 0 1\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nvn 0 0 0\n# vn 9 9 9\nvn 0 \\\n2 0\n";
    static const struct {
        const char *faces, *id, *path;
        uint64_t count;
    } cases[] = {
        {"f 1 2 3\nf 1 2 4\n", "zero-area-triangle", "line 11", 1},
        {"f 1 2 3\nf 1 2 4\nf 4 2 1\n", "zero-area-triangle", "line 11", 2},
        {"f 1 2 3\nf 3 3 1\n", "degenerate-triangle", "line 11", 1},
        {"l 1 2 4\np 1 2 3\nf 1 4 3\nf 1 2 4 3\nl 1 1\nf 1 2 1\n", "degenerate-triangle", "line 15", 1},
        {"l 1 2 4\nf 1 3 2\n# f 1 1 1\nf 1 2 4 4\n", "degenerate-triangle", "line 13", 1},
        {"f 1 2 3\n", "normal-zero", "line 6", 1},
        {"f 1 2 3\n", "normal-length", "line 8", 1},
        {"f 1 2 3\nf 1 3 4\nl 1 1\np 2 2\nf 2 4 3\n", "degenerate-triangle", NULL, 0},
        {"f 1 2 3\nf 1 3 4\nl 1 2 4\np 2 2\nf 2 4 3\n", "zero-area-triangle", NULL, 0},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s", corners, cases[i].faces);
        bytes copy = copy_bytes(text, strlen(text));
        stele_options options = {.name = "x.obj"};
        stele_file *safe = stele_open_memory(copy.data, copy.size, &options);
        options.check = STELE_CHECK_FULL;
        stele_file *full = stele_open_memory(copy.data, copy.size, &options);
        const stele_diagnostic *d = find_diagnostic(full, cases[i].id);
        assert_int_equal(stele_file_status(full), STELE_OK);
        assert_null(find_diagnostic(safe, cases[i].id));
        if (!d != !cases[i].path || (d && (strcmp(d->path, cases[i].path) != 0 || d->count != cases[i].count)))
            fail_msg("%zu: %s %s %llu", i, cases[i].id, d ? d->path : "not found", d ? (unsigned long long)d->count : 0);
        stele_close(safe);
        stele_close(full);
        free(copy.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_check),
        cmocka_unit_test(test_all_forms_of_corners),
        cmocka_unit_test(test_vertices_are_shared),
        cmocka_unit_test(test_lines_of_text),
        cmocka_unit_test(test_lines_and_points),
        cmocka_unit_test(test_colors),
        cmocka_unit_test(test_meshes_and_materials),
        cmocka_unit_test(test_normals_of_some_corners),
        cmocka_unit_test(test_polygons),
        cmocka_unit_test(test_polygon_that_is_too_large),
        cmocka_unit_test(test_mtl),
        cmocka_unit_test(test_roughness_of_the_exponent),
        cmocka_unit_test(test_bad_texts),
        cmocka_unit_test(test_errors_stay_errors),
        cmocka_unit_test(test_what_engines_load),
        cmocka_unit_test(test_a_nul_at_the_end),
        cmocka_unit_test(test_what_is_no_obj),
        cmocka_unit_test(test_comments_alone),
        cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_chunks_in_any_order),
        cmocka_unit_test(test_written_text),
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_untouched_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
