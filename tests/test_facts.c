/* What checking has learnt is not looked up again, and must never show: the same repairs and the same bytes at every level of
 * checking, and nothing taken on trust that a program brings. Meshes are large, because small ones are always looked at. */
#include <math.h>

#include "support.h"

enum { SIDE = 48, COUNT = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };

typedef struct grid {
    float position[COUNT][3], normal[COUNT][3], uv[COUNT][2];
    uint32_t index[TRIANGLES][3];
} grid;

static void lay_out(grid *g)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        float x = (float)(i % SIDE), z = (float)(i / SIDE);
        memcpy(g->position[i], (float[]){x, 0, z}, sizeof g->position[i]);
        memcpy(g->normal[i], (float[]){0, 1, 0}, sizeof g->normal[i]);
        memcpy(g->uv[i], (float[]){x / SIDE, z / SIDE}, sizeof g->uv[i]);
    }
    for (uint32_t z = 0; z + 1 < SIDE; z++)
        for (uint32_t x = 0; x + 1 < SIDE; x++) {
            uint32_t a = z * SIDE + x;
            memcpy(g->index[next++], (uint32_t[]){a, a + SIDE, a + 1}, sizeof g->index[0]);
            memcpy(g->index[next++], (uint32_t[]){a + 1, a + SIDE, a + SIDE + 1}, sizeof g->index[0]);
        }
}

static stele_view floats(const void *data, uint32_t components)
{
    return (stele_view){data, COUNT, 4 * components, components, STELE_F32, false};
}

/* Adds the grid, whose memory must stay, and a node that shows it. */
static void add_grid(stele_file *file, const grid *g)
{
    stele_attribute attributes[] = {
        {STELE_POSITION, 0, floats(g->position, 3)}, {STELE_NORMAL, 0, floats(g->normal, 3)}, {STELE_UV, 0, floats(g->uv, 2)}};
    stele_primitive p = {.topology = STELE_TRIANGLES,
                         .material = STELE_NONE,
                         .vertex_count = COUNT,
                         .indices = {g->index, 3 * TRIANGLES, 4, 1, STELE_U32, false},
                         .attributes = attributes,
                         .attribute_count = 3};
    stele_node node = stele_default_node();
    node.mesh = stele_add_mesh(file, &(stele_mesh){.primitives = &p, .primitive_count = 1});
    assert_int_not_equal(stele_add_node(file, &node), STELE_NONE);
}

static bytes saved(const grid *g, const char *format)
{
    stele_file *file = stele_new(NULL);
    add_grid(file, g);
    bytes b = rewritten(file, &(stele_save_options){.format = format});
    assert_non_null(b.data);
    stele_close(file);
    return b;
}

static const stele_check_level levels[] = {STELE_CHECK_STRUCTURE, STELE_CHECK_SAFE, STELE_CHECK_FULL};

/* Makes the one normal of 0.6, 0.8 and 0 longer, whichever way the format turns it, if it has it as three floats: none would be
 * written that is not of length 1. */
static const float marked[3] = {0.6f, 0.8f, 0};

static bool is_marked(const float n[3])
{
    int seen = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            seen |= fabsf(n[i]) == marked[k] ? 1 << k : 0;
    return seen == 7;
}

static bool stretch_marked(bytes *b, float factor)
{
    for (size_t i = 0; i + sizeof marked <= b->size; i++) {
        float n[3];
        memcpy(n, b->data + i, sizeof n);
        if (!is_marked(n))
            continue;
        for (int k = 0; k < 3; k++)
            n[k] *= factor;
        memcpy(b->data + i, n, sizeof n);
        return true;
    }
    return false;
}

/* The file as a GLB, opened with each level; a repair is reported as often each time. */
static void expect_same_glb(const bytes *file, const char *format, const char *repair)
{
    bytes first = {0};
    uint64_t count = 0;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        stele_options options = {.check = levels[i], .format = format};
        stele_file *f = stele_open_memory(file->data, file->size, &options);
        assert_int_equal(stele_file_status(f), STELE_OK);
        assert_non_null(stele_file_model(f));
        const stele_diagnostic *found = repair ? find_diagnostic(f, repair) : NULL;
        bytes b = rewritten(f, &(stele_save_options){.format = strcmp(format, "glb") == 0 ? "gltf" : "glb"});
        assert_non_null(b.data);
        if (i == 0) {
            first = b;
            count = found ? found->count : 0;
        } else {
            assert_int_equal(found ? found->count : 0, count);
            assert_int_equal(b.size, first.size);
            assert_memory_equal(b.data, first.data, b.size);
            free(b.data);
        }
        stele_close(f);
    }
    free(first.data);
}

static void test_every_level_gives_the_same(void **unused)
{
    (void)unused;
    static grid g;
    uint64_t damaged = 0;
    const stele_format_info *format;
    for (size_t i = 0; (format = stele_format_at(i)); i++) {
        if (!(format->capabilities & STELE_MESHES))
            continue;
        lay_out(&g);
        bytes b = saved(&g, format->name);
        expect_same_glb(&b, format->name, NULL);
        free(b.data);
        /* a little shorter, which a full check does not mind, and much longer: both are repaired */
        for (int k = 0; k < 2; k++) {
            memcpy(g.normal[COUNT - 1], marked, sizeof marked);
            b = saved(&g, format->name);
            damaged += stretch_marked(&b, k ? 3 : 0.993f);
            expect_same_glb(&b, format->name, "repaired-normal");
            free(b.data);
        }
    }
    assert_true(damaged >= 6);
}

/* The last normal is not quite of length 1, and the last uv not finite. */
static void test_repairs_are_not_missed(void **unused)
{
    (void)unused;
    static grid g;
    lay_out(&g);
    g.uv[COUNT - 1][1] = NAN;
    memcpy(g.normal[COUNT - 1], marked, sizeof marked);
    bytes b = saved(&g, "sgm");
    assert_true(stretch_marked(&b, 0.993f));
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        stele_options options = {.check = levels[i]};
        stele_file *f = stele_open_memory(b.data, b.size, &options);
        assert_non_null(stele_file_model(f));
        assert_non_null(find_diagnostic(f, "repaired-uv"));
        assert_int_equal(find_diagnostic(f, "repaired-uv")->count, 1);
        assert_non_null(find_diagnostic(f, "repaired-normal"));
        assert_int_equal(find_diagnostic(f, "repaired-normal")->count, 1);
        stele_close(f);
    }
    expect_same_glb(&b, "sgm", "repaired-uv");
    free(b.data);
}

/* A program's mesh beside a clean one of the same layout. */
static void test_what_a_program_brings_is_looked_at(void **unused)
{
    (void)unused;
    static grid good, bad;
    lay_out(&good);
    lay_out(&bad);
    bad.uv[COUNT - 1][0] = INFINITY;
    bytes b = saved(&good, "glb");
    stele_options options = {.check = STELE_CHECK_FULL};
    stele_file *f = stele_open_memory(b.data, b.size, &options);
    assert_non_null(stele_file_model(f));
    add_grid(f, &bad);
    bytes glb = rewritten(f, &(stele_save_options){.format = "glb"});
    assert_non_null(glb.data);
    assert_non_null(find_diagnostic(f, "loss-precision"));
    assert_int_equal(find_diagnostic(f, "loss-precision")->count, 1);
    free(glb.data);
    bad.uv[COUNT - 1][0] = 0;
    bad.position[7][2] = NAN;
    add_grid(f, &bad);
    assert_null(rewritten(f, &(stele_save_options){.format = "glb"}).data);
    bad.position[7][2] = 0;
    glb = rewritten(f, &(stele_save_options){.format = "glb"});
    assert_non_null(glb.data);
    free(glb.data);
    stele_close(f);
    free(b.data);
}

/* All numbers of the file are known to be finite, but not those that saving makes of them. */
static void test_what_saving_makes_is_looked_at(void **unused)
{
    (void)unused;
    static grid g;
    const stele_format_info *format;
    lay_out(&g);
    bytes b = saved(&g, "glb");
    for (size_t i = 0; (format = stele_format_at(i)); i++) {
        if (!(format->capabilities & STELE_MESHES) || format->capabilities & STELE_NODES)
            continue;
        stele_options options = {.check = STELE_CHECK_FULL};
        stele_file *f = stele_open_memory(b.data, b.size, &options);
        bytes sound = rewritten(f, &(stele_save_options){.format = format->name});
        assert_non_null(sound.data);
        free(sound.data);
        stele_node huge = stele_default_node();
        huge.mesh = 0;
        huge.local.scale[2] = 3e38f;
        assert_int_not_equal(stele_add_node(f, &huge), STELE_NONE);
        assert_null(rewritten(f, &(stele_save_options){.format = format->name}).data);
        assert_int_equal(stele_file_status(f), STELE_DAMAGED);
        stele_close(f);
    }
    free(b.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_level_gives_the_same),
        cmocka_unit_test(test_repairs_are_not_missed),
        cmocka_unit_test(test_what_a_program_brings_is_looked_at),
        cmocka_unit_test(test_what_saving_makes_is_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
