/* Textures: what a sample is, by the formula, at places where it is known. */
#include "support.h"

#include <math.h>

#include "render/render.h"

/* The sRGB curve, as its standard has it. */
static double light_of(double srgb)
{
    return srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4);
}

static uint8_t nearest_byte(double linear)
{
    double srgb = linear <= 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1 / 2.4) - 0.055;
    return (uint8_t)floor(srgb * 255 + 0.5);
}

static void test_srgb_of_every_byte(void **unused)
{
    (void)unused;
    for (int i = 0; i < 256; i++) {
        assert_true((float)light_of(i / 255.0) == st_srgb_linear[i]);
        assert_int_equal(st_srgb_byte(st_srgb_linear[i]), i);
        assert_true((float)i / 255 == st_unit_of_byte[i]);
    }
}

static void test_srgb_is_nearest(void **unused)
{
    (void)unused;
    for (int i = 0; i < 255; i++) { /* on both sides of the middle of two bytes */
        float middle = (float)light_of((i + 0.5) / 255);
        assert_int_equal(st_srgb_byte(middle * 0.9999f), i);
        assert_int_equal(st_srgb_byte(middle * 1.0001f), i + 1);
    }
    for (int i = 0; i <= 1 << 20; i++) {
        float linear = (float)i / (1 << 20);
        if (st_srgb_byte(linear) != nearest_byte((double)linear))
            fail_msg("%g is %d, not %d", (double)linear, st_srgb_byte(linear), nearest_byte((double)linear));
    }
    for (float linear = 1e-30f; linear < 2; linear *= 1.001f)
        assert_int_equal(st_srgb_byte(linear), linear < 1 ? nearest_byte((double)linear) : 255);
    assert_int_equal(st_srgb_byte(0), 0);
    assert_int_equal(st_srgb_byte(-0.0f), 0);
    assert_int_equal(st_srgb_byte(-1), 0);
    assert_int_equal(st_srgb_byte(-INFINITY), 0);
    assert_int_equal(st_srgb_byte(INFINITY), 255);
    assert_int_equal(st_srgb_byte(nextafterf(1, 0)), 255);
    assert_int_equal(st_srgb_byte(NAN), 0);
}

/* Four by two texels: red counts the columns, green the rows, blue and alpha are both. */
static uint8_t grid[] = {0, 0,   0,  255, 10, 0,   10,  205, 20, 0,   20,  155, 30, 0,   30,  105, /* the upper row */
                         0, 200, 50, 55,  10, 200, 100, 45,  20, 200, 150, 35,  30, 200, 200, 25};
static const stele_picture grid_picture = {4, 2, grid};

static arena scratch;

static int begin(void **unused)
{
    (void)unused;
    st_arena_init(&scratch, &(stele_options){.separate_allocations = true});
    return 0;
}

static int end(void **unused)
{
    (void)unused;
    st_arena_free(&scratch);
    return 0;
}

static render_texture made(const stele_picture *picture, render_texture flags)
{
    assert_true(st_texture_make(&flags, picture, &scratch));
    return flags;
}

/* Fails unless a sample is these numbers of a channel of bytes. */
static void expect_numbers(const render_texture *t, float u, float v, float lod, double r, double g, double b, double a)
{
    float rgba[4];
    st_texture_sample(t, u, v, lod, false, rgba);
    const double expected[4] = {r, g, b, a};
    for (int i = 0; i < 4; i++)
        if (!(fabs((double)rgba[i] - expected[i] / 255) < 1e-5))
            fail_msg("at %g, %g, level %g: channel %d is %g, not %g", (double)u, (double)v, (double)lod, i,
                     (double)rgba[i] * 255, expected[i]);
}

static void expect_texel(const render_texture *t, float u, float v, int column, int row)
{
    const uint8_t *p = grid + 4 * (4 * row + column);
    expect_numbers(t, u, v, 0, p[0], p[1], p[2], p[3]);
}

static void test_centres_of_texels(void **unused)
{
    (void)unused;
    render_texture t = made(&grid_picture, (render_texture){0});
    for (int row = 0; row < 2; row++)
        for (int column = 0; column < 4; column++) {
            float u = ((float)column + 0.5f) / 4, v = ((float)row + 0.5f) / 2, rgba[4];
            expect_texel(&t, u, v, column, row);
            expect_texel(&t, u - 3, v + 7, column, row); /* it repeats */
            st_texture_sample(&t, u, v, 0, true, rgba);
            const uint8_t *p = grid + 4 * (4 * row + column);
            for (int i = 0; i < 3; i++)
                assert_true(rgba[i] == st_srgb_linear[p[i]]);
            assert_true(rgba[3] == (float)p[3] / 255);
        }
}

static void test_between_texels(void **unused)
{
    (void)unused;
    render_texture t = made(&grid_picture, (render_texture){0});
    expect_numbers(&t, 0.25f, 0.25f, 0, 5, 0, 5, 230);                                /* halfway from the first to the second */
    expect_numbers(&t, 0.1875f, 0.25f, 0, 2.5, 0, 2.5, 242.5);                        /* a quarter */
    expect_numbers(&t, 0.25f, 0.5f, 0, 5, 100, (0 + 10 + 50 + 100) / 4.0, 560 / 4.0); /* among four */
    expect_numbers(&t, 0.125f, 0.375f, 0, 0, 50, 12.5, 205);                          /* a quarter down */
    float rgba[4];
    st_texture_sample(&t, 0.125f, 0.5f, 0, true, rgba); /* of light, not of bytes */
    assert_true(fabsf(rgba[1] - st_srgb_linear[200] / 2) < 1e-6f);
}

static void test_edges(void **unused)
{
    (void)unused;
    render_texture repeat = made(&grid_picture, (render_texture){0});
    expect_numbers(&repeat, 0, 0.25f, 0, 15, 0, 15, 180); /* between the last column and the first */
    expect_numbers(&repeat, 1, 0.25f, 0, 15, 0, 15, 180);
    expect_numbers(&repeat, 0.125f, 0, 0, 0, 100, 25, 155); /* between the rows */

    render_texture clamp = made(&grid_picture, (render_texture){.clamp_u = true, .clamp_v = true});
    for (float far = 0; far < 4; far += 0.5f) {
        expect_texel(&clamp, -far, -far, 0, 0);
        expect_texel(&clamp, 1 + far, 0, 3, 0);
        expect_texel(&clamp, 1 + far, 1 + far, 3, 1);
    }
    expect_numbers(&clamp, 0.25f, 5, 0, 5, 200, 75, 50);

    render_texture mirror = made(&grid_picture, (render_texture){.mirror_u = true, .mirror_v = true});
    expect_texel(&mirror, 0, 0, 0, 0);
    expect_texel(&mirror, 1, 0, 3, 0);
    expect_texel(&mirror, 1.125f, 0, 3, 0);
    expect_texel(&mirror, 1.375f, 0, 2, 0);
    expect_texel(&mirror, -0.375f, 0, 1, 0);
    expect_texel(&mirror, 2.375f, 1.25f, 1, 1);
    expect_texel(&mirror, 0.125f, -0.75f, 0, 1);
    expect_numbers(&mirror, -0.25f, 0.25f, 0, 5, 0, 5, 230);

    render_texture mixed = made(&grid_picture, (render_texture){.clamp_u = true});
    expect_texel(&mixed, -9, 1.25f, 0, 0);
    expect_texel(&mixed, 9, -0.25f, 3, 1);
}

static void test_any_place_is_safe(void **unused)
{
    (void)unused;
    static const float places[] = {NAN,           INFINITY, -INFINITY, 3e38f, -3e38f, 1e-45f, -1e-45f,     8388607.5f, -8388608,
                                   2147483648.0f, 0.5f,     -0.0f,     1,     2,      -1e-9f, 0.99999994f, 16777216,   1e10f};
    enum { PLACES = sizeof places / sizeof *places };
    for (int flags = 0; flags < 4; flags++) {
        render_texture t =
            made(&grid_picture, (render_texture){.clamp_u = flags & 1, .mirror_u = flags & 2, .mirror_v = flags & 1});
        for (int i = 0; i < PLACES; i++)
            for (int j = 0; j < PLACES; j++)
                for (int k = 0; k < PLACES; k++) {
                    float rgba[4];
                    st_texture_sample(&t, places[i], places[j], places[k], true, rgba);
                    for (int c = 0; c < 4; c++)
                        assert_true(rgba[c] >= 0 && rgba[c] <= 1);
                }
    }
    render_texture none = {0};
    expect_numbers(&none, 0.5f, 0.5f, 0, 255, 255, 255, 255);
}

static void test_sizes_of_levels(void **unused)
{
    (void)unused;
    static uint8_t block[4 * 7 * 5];
    render_texture t = made(&(stele_picture){7, 5, block}, (render_texture){0});
    assert_int_equal(t.level_count, 3);
    assert_int_equal(t.levels[1].width, 3);
    assert_int_equal(t.levels[1].height, 2);
    assert_int_equal(t.levels[2].width, 1);
    assert_int_equal(t.levels[2].height, 1);
    t = made(&(stele_picture){1, 1, block}, (render_texture){0});
    assert_int_equal(t.level_count, 1);
    t = made(&(stele_picture){1, 8, block}, (render_texture){0});
    assert_int_equal(t.level_count, 4);
    t = made(&(stele_picture){0, 8, block}, (render_texture){0});
    assert_int_equal(t.level_count, 0);
    uint8_t *strip = calloc(1 << 17, 4); /* there are only so many levels */
    t = made(&(stele_picture){1 << 17, 1, strip}, (render_texture){0});
    assert_int_equal(t.level_count, MOST_MIP_LEVELS);
    assert_int_equal(t.levels[15].width, 4);
    free(strip);
}

static void test_averages_of_numbers(void **unused)
{
    (void)unused;
    render_texture t = made(&grid_picture, (render_texture){.numbers = true});
    assert_int_equal(t.level_count, 3);
    /* means of four texels: 560 / 4 is 140, 320 / 4 is 80, and of all 880 / 8 is 110 */
    expect_numbers(&t, 0.25f, 0.5f, 1, 5, 100, 40, 140);
    expect_numbers(&t, 0.75f, 0.5f, 1, 25, 100, 100, 80);
    expect_numbers(&t, 0.3f, 0.9f, 2, 15, 100, 70, 110);
    expect_numbers(&t, 0.3f, 0.9f, 9, 15, 100, 70, 110); /* there is no smaller one */
    expect_numbers(&t, 0.25f, 0.5f, 1.5f, 10, 100, 55, 125);
    /* the smaller level gives 10, 100, 55, 125 here: a quarter of the way from its last texel to its first is left */
    expect_numbers(&t, 0.125f, 0.25f, 0.25f, 0.25 * 10, 0.25 * 100, 0.25 * 55, 0.75 * 255 + 0.25 * 125);
}

/* Three texels become one, five become two: every part of the line counts the same. */
static void test_odd_sizes(void **unused)
{
    (void)unused;
    static uint8_t three[] = {30, 0, 0, 255, 60, 0, 0, 255, 120, 0, 0, 255};
    render_texture t = made(&(stele_picture){3, 1, three}, (render_texture){.numbers = true});
    assert_int_equal(t.levels[1].rgba[0], (30 + 60 + 120) / 3);
    t = made(&(stele_picture){1, 3, three}, (render_texture){.numbers = true});
    assert_int_equal(t.levels[1].rgba[0], (30 + 60 + 120) / 3);

    static uint8_t five[4 * 5] = {10, 0, 0, 255, 20, 0, 0, 255, 60, 0, 0, 255, 100, 0, 0, 255, 250, 0, 0, 255};
    t = made(&(stele_picture){5, 1, five}, (render_texture){.numbers = true});
    assert_int_equal(t.levels[1].rgba[0], (10 + 20 + 60 / 2) * 2 / 5);   /* 24 */
    assert_int_equal(t.levels[1].rgba[4], (60 / 2 + 100 + 250) * 2 / 5); /* 152 */
    static uint8_t all[4 * 7 * 5];
    memset(all, 77, sizeof all);
    t = made(&(stele_picture){7, 5, all}, (render_texture){0});
    for (uint32_t level = 0; level < t.level_count; level++)
        for (uint32_t i = 0; i < t.levels[level].width * t.levels[level].height * 4; i++)
            assert_int_equal(t.levels[level].rgba[i], 77);
}

static void test_averages_of_light(void **unused)
{
    (void)unused;
    static uint8_t opaque[] = {0, 255, 10, 255, 255, 255, 20, 255};
    render_texture t = made(&(stele_picture){2, 1, opaque}, (render_texture){0});
    assert_int_equal(t.levels[1].rgba[0], 188); /* half the light of white */
    assert_int_equal(t.levels[1].rgba[1], 255);
    assert_int_equal(t.levels[1].rgba[2], nearest_byte((light_of(10 / 255.0) + light_of(20 / 255.0)) / 2));
    assert_int_equal(t.levels[1].rgba[3], 255);

    /* a leaf's edge: the colour of what is not seen does not count; where it is seen a little, it counts a little */
    static uint8_t edge[] = {0, 255, 0, 255, 255, 0, 255, 0};
    t = made(&(stele_picture){2, 1, edge}, (render_texture){0});
    assert_memory_equal(t.levels[1].rgba, ((const uint8_t[]){0, 255, 0, 128}), 4);
    static uint8_t faint[] = {200, 0, 0, 150, 100, 0, 0, 50};
    t = made(&(stele_picture){1, 2, faint}, (render_texture){0});
    double light = (light_of(200 / 255.0) * 150 + light_of(100 / 255.0) * 50) / 200;
    assert_memory_equal(t.levels[1].rgba, ((const uint8_t[]){nearest_byte(light), 0, 0, 100}), 4);
    static uint8_t unseen[] = {0, 0, 0, 0, 255, 255, 255, 0};
    t = made(&(stele_picture){1, 2, unseen}, (render_texture){0});
    assert_memory_equal(t.levels[1].rgba, ((const uint8_t[]){188, 188, 188, 0}), 4);
}

static void test_without_memory(void **unused)
{
    (void)unused;
    arena small;
    st_arena_init(&small, &(stele_options){.memory_limit = 16});
    render_texture t = {.clamp_u = true};
    assert_false(st_texture_make(&t, &grid_picture, &small));
    assert_int_equal(t.level_count, 1);
    assert_true(t.clamp_u);
    expect_texel(&t, 0, 0.25f, 0, 0);
    st_arena_free(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_srgb_of_every_byte),
        cmocka_unit_test(test_srgb_is_nearest),
        cmocka_unit_test_setup_teardown(test_centres_of_texels, begin, end),
        cmocka_unit_test_setup_teardown(test_between_texels, begin, end),
        cmocka_unit_test_setup_teardown(test_edges, begin, end),
        cmocka_unit_test_setup_teardown(test_any_place_is_safe, begin, end),
        cmocka_unit_test_setup_teardown(test_sizes_of_levels, begin, end),
        cmocka_unit_test_setup_teardown(test_averages_of_numbers, begin, end),
        cmocka_unit_test_setup_teardown(test_odd_sizes, begin, end),
        cmocka_unit_test_setup_teardown(test_averages_of_light, begin, end),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
