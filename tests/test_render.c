/* Pictures of tiny scenes whose pixels are known: by where the camera is said to stand, a place on the picture is a place in
 * the model. */
#include "support.h"

#include <math.h>
#include <pthread.h>

#include "model/evaluate.h"
#include "render/render.h"

/* ---- Scenes ---- */

/* The camera looks along -z at a ball of radius 1 around the origin, from where its opening of 30 degrees just holds it, and a
 * hundredth of it more. */
static const double degree = 3.14159265358979323846 / 180;

static double camera_distance(void)
{
    return 1.01 / sin(15 * degree);
}

typedef struct scene {
    stele_file *file;
    uint32_t width, height;
    uint8_t *pixels;
    stele_render_options options;
    stele_framing framing;
} scene;

static const uint8_t black[4] = {0, 0, 0, 255}, nothing[4] = {0, 0, 0, 0};

static scene new_scene(uint32_t width, uint32_t height, const stele_options *options)
{
    scene s = {.file = stele_new(options), .width = width, .height = height, .pixels = calloc((size_t)width * height, 4)};
    s.options = (stele_render_options){.camera = true, .background = black};
    s.framing = (stele_framing){.radius = 1, .lowest = {-1, -1, -1}};
    assert_int_equal(stele_file_status(s.file), STELE_OK);
    return s;
}

static void end_scene(scene *s)
{
    stele_close(s->file);
    free(s->pixels);
}

static void take_picture(scene *s)
{
    if (s->framing.radius > 0)
        s->options.framing = &s->framing;
    else
        s->options.framing = NULL;
    stele_picture picture = {s->width, s->height, s->pixels};
    assert_int_equal(stele_render(s->file, &picture, &s->options), STELE_OK);
}

static const uint8_t *pixel(const scene *s, uint32_t x, uint32_t y)
{
    return s->pixels + 4 * ((size_t)y * s->width + x);
}

static void expect_pixel(const scene *s, uint32_t x, uint32_t y, int r, int g, int b, int a)
{
    const uint8_t *p = pixel(s, x, y);
    if (p[0] != r || p[1] != g || p[2] != b || p[3] != a)
        fail_msg("pixel %u, %u is %d %d %d %d, not %d %d %d %d", x, y, p[0], p[1], p[2], p[3], r, g, b, a);
}

/* The place in the model, at a height z above the origin towards the camera, that is seen at a place of the picture. */
static void place_at(const scene *s, double x, double y, double z, float position[3])
{
    double smaller = s->width < s->height ? s->width : s->height, focal = smaller / 2 / tan(15 * degree);
    double scale = (camera_distance() - z) / focal;
    position[0] = (float)((x - s->width / 2.0) * scale);
    position[1] = (float)((s->height / 2.0 - y) * scale);
    position[2] = (float)z;
}

static float linear(int byte)
{
    double c = byte / 255.0;
    return (float)(c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
}

static int srgb(double light)
{
    return (int)lround(255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055));
}

/* Of a colour that is given as a pixel. */
static stele_material plain(int r, int g, int b, int a)
{
    stele_material m = stele_default_material();
    m.unlit = true;
    m.base_color[0] = linear(r);
    m.base_color[1] = linear(g);
    m.base_color[2] = linear(b);
    m.base_color[3] = (float)(a / 255.0);
    m.alpha_mode = a < 255 ? STELE_BLEND : STELE_OPAQUE;
    return m;
}

typedef struct shape {
    stele_attribute attributes[6];
    stele_primitive primitive;
    stele_node node;
} shape;

static stele_view kept(scene *s, const float *numbers, uint64_t count, uint32_t components)
{
    float *copy = stele_memory(s->file, count * components * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, numbers, (size_t)count * components * sizeof *copy);
    return stele_float_view(copy, count, components);
}

static void give(scene *s, shape *h, stele_semantic semantic, const float *numbers, uint32_t components)
{
    h->attributes[h->primitive.attribute_count++] =
        (stele_attribute){semantic, 0, kept(s, numbers, h->primitive.vertex_count, components)};
}

/* Triangles of three corners each. */
static shape triangles(scene *s, const float *positions, uint64_t count, const stele_material *material)
{
    shape h = {.primitive = {.vertex_count = 3 * count, .material = stele_add_material(s->file, material)},
               .node = stele_default_node()};
    give(s, &h, STELE_POSITION, positions, 3);
    return h;
}

static void add(scene *s, shape *h)
{
    h->primitive.attributes = h->attributes;
    h->node.mesh = stele_add_mesh(s->file, &(stele_mesh){.primitives = &h->primitive, .primitive_count = 1});
    assert_int_not_equal(stele_add_node(s->file, &h->node), STELE_NONE);
}

/* Corners on the picture, counter-clockwise as it is seen: x, y, and z of the model. */
static shape seen(scene *s, const double (*corners)[3], uint64_t count, const stele_material *material)
{
    float positions[64][9];
    for (uint64_t i = 0; i < 3 * count; i++)
        place_at(s, corners[i][0], corners[i][1], corners[i][2], &positions[0][0] + 3 * i);
    return triangles(s, &positions[0][0], count, material);
}

static void rectangle(double left, double top, double right, double bottom, double z, double corners[6][3])
{
    double all[6][3] = {{left, top, z}, {left, bottom, z},  {right, bottom, z},
                        {left, top, z}, {right, bottom, z}, {right, top, z}};
    memcpy(corners, all, sizeof all);
}

static shape rectangle_of(scene *s, double left, double top, double right, double bottom, double z, const stele_material *m)
{
    double corners[6][3];
    rectangle(left, top, right, bottom, z, corners);
    return seen(s, (const double(*)[3])corners, 2, m);
}

static const float whole_uv[12] = {0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0}; /* of a rectangle */

/* ---- Coverage ---- */

static void test_one_colour_everywhere(void **unused)
{
    (void)unused;
    scene s = new_scene(37, 21, NULL);
    stele_material m = plain(201, 7, 128, 255);
    shape h = seen(&s, (const double[][3]){{-100, -10, 0}, {10, 200, 0}, {150, -10, 0}}, 1, &m);
    add(&s, &h);
    take_picture(&s);
    for (uint32_t i = 0; i < s.width * s.height; i++)
        expect_pixel(&s, i % s.width, i / s.width, 201, 7, 128, 255);
    end_scene(&s);
}

/* Samples lie at 1, 3, 5 and 7 eighths of a pixel along both axes: an edge between them covers so many quarters. */
static void test_covered_in_part(void **unused)
{
    (void)unused;
    static const double edges[] = {4, 4.25, 4.5, 4.75, 5};
    for (int i = 0; i <= 4; i++)
        for (int vertical = 0; vertical < 2; vertical++) {
            scene s = new_scene(8, 8, NULL);
            stele_material m = plain(255, 255, 255, 255);
            shape h = vertical ? rectangle_of(&s, -9, -9, 99, edges[i], 0, &m) : rectangle_of(&s, -9, -9, edges[i], 99, 0, &m);
            add(&s, &h);
            take_picture(&s);
            int grey = srgb(i / 4.0);
            for (uint32_t k = 0; k < 8; k++) {
                expect_pixel(&s, vertical ? k : 3, vertical ? 3 : k, 255, 255, 255, 255);
                expect_pixel(&s, vertical ? k : 4, vertical ? 4 : k, grey, grey, grey, 255);
                expect_pixel(&s, vertical ? k : 5, vertical ? 5 : k, 0, 0, 0, 255);
            }
            /* without a background the colour stays, and alpha says how much of it there is */
            s.options.background = nothing;
            take_picture(&s);
            int white = i ? 255 : 0;
            expect_pixel(&s, vertical ? 2 : 4, vertical ? 4 : 2, white, white, white, (int)(255 * i / 4.0 + 0.5));
            end_scene(&s);
        }
    assert_int_equal(srgb(0.5), 188);
}

/* A fan of triangles around a point that cover the picture, half transparent: where one covers a sample twice, or not at all,
 * the colour is another. */
static void test_shared_edges_are_covered_once(void **unused)
{
    (void)unused;
    uint32_t random = 1;
    for (int round = 0; round < 40; round++) {
        scene s = new_scene(40, 40, NULL);
        stele_material m = plain(255, 255, 255, 127);
        double corners[3 * 12][3], rim[12][2], x = 0, y = 0;
        for (int i = 0; i < 12; i++) {
            rim[i][0] = 20 + 60 * sin(30 * degree * i);
            rim[i][1] = 20 + 60 * cos(30 * degree * i);
        }
        random = random * 1664525 + 1013904223;
        /* on whole pixels, on samples, and anywhere */
        x = round < 10 ? 10 + round : (double)(random >> 16 & 8191) / (round < 20 ? 8 : 255.7);
        y = round < 10 ? 20 : (double)(random >> 8 & 8191) / (round < 20 ? 8 : 255.7);
        x = fmin(x, 39);
        y = fmin(y, 39);
        for (int i = 0; i < 12; i++) {
            double fan[3][3] = {{x, y, 0}, {rim[i][0], rim[i][1], 0}, {rim[(i + 1) % 12][0], rim[(i + 1) % 12][1], 0}};
            memcpy(corners[3 * i], fan, sizeof fan);
        }
        shape h = seen(&s, (const double(*)[3])corners, 12, &m);
        add(&s, &h);
        take_picture(&s);
        int grey = srgb(127 / 255.0);
        for (uint32_t i = 0; i < 1600; i++)
            expect_pixel(&s, i % 40, i / 40, grey, grey, grey, 255);
        end_scene(&s);
    }
}

/* ---- Depth and sides ---- */

static void test_nearer_hides_farther(void **unused)
{
    (void)unused;
    for (int order = 0; order < 2; order++) {
        scene s = new_scene(16, 16, NULL);
        stele_material red = plain(255, 0, 0, 255), green = plain(0, 255, 0, 255);
        shape near = rectangle_of(&s, -5, -5, 8, 30, 0.5, &red), far = rectangle_of(&s, -5, -5, 30, 30, -0.5, &green);
        add(&s, order ? &near : &far);
        add(&s, order ? &far : &near);
        take_picture(&s);
        expect_pixel(&s, 3, 8, 255, 0, 0, 255);
        expect_pixel(&s, 7, 8, 255, 0, 0, 255);
        expect_pixel(&s, 8, 8, 0, 255, 0, 255);
        end_scene(&s);
    }
}

/* Two planes cross in a line: each is seen where it is nearer. */
static void test_planes_cross(void **unused)
{
    (void)unused;
    scene s = new_scene(16, 16, NULL);
    stele_material red = plain(255, 0, 0, 255), green = plain(0, 255, 0, 255);
    float slanted[2][9] = {{-9, -9, -9, 9, -9, 9, 9, 9, 9}, {-9, -9, -9, 9, 9, 9, -9, 9, -9}}; /* z = x */
    shape plane = triangles(&s, slanted[0], 2, &red), wall = rectangle_of(&s, -5, -5, 30, 30, 0, &green);
    s.options.distance = 4; /* nothing is behind the camera */
    add(&s, &plane);
    add(&s, &wall);
    take_picture(&s);
    for (uint32_t y = 7; y < 9; y++)
        for (uint32_t x = 5; x < 11; x++)
            expect_pixel(&s, x, y, x < 8 ? 0 : 255, x < 8 ? 255 : 0, 0, 255);
    end_scene(&s);
}

static void expect_side(bool mirrored_node, bool clockwise, bool double_sided, bool shown)
{
    scene s = new_scene(8, 8, NULL);
    stele_material m = plain(255, 255, 255, 255);
    m.double_sided = double_sided;
    double one[3][3] = {{-20, -20, 0}, {4, 60, 0}, {30, -20, 0}}, other[3][3] = {{-20, -20, 0}, {30, -20, 0}, {4, 60, 0}};
    shape h = seen(&s, (const double(*)[3])(clockwise ? other : one), 1, &m);
    h.node.local.scale[0] = mirrored_node ? -1.0f : 1.0f;
    add(&s, &h);
    take_picture(&s);
    expect_pixel(&s, 4, 4, shown ? 255 : 0, shown ? 255 : 0, shown ? 255 : 0, 255);
    end_scene(&s);
}

static void test_sides(void **unused)
{
    (void)unused;
    expect_side(false, false, false, true);
    expect_side(false, true, false, false);
    expect_side(false, true, true, true);
    /* a node that mirrors turns triangles over, and they are the right way round all the same, as glTF says */
    expect_side(true, false, false, true);
    expect_side(true, true, false, false);
    expect_side(true, true, true, true);
}

/* A floor from far behind the camera to far in front of it: below the horizon it is seen, above it there is nothing. */
static void test_what_is_behind_the_camera_is_cut_off(void **unused)
{
    (void)unused;
    scene s = new_scene(16, 16, NULL);
    stele_material m = plain(9, 99, 199, 255);
    float floor[2][9] = {{-1e4f, -1, -1e4f, -1e4f, -1, 1e4f, 1e4f, -1, 1e4f},
                         {-1e4f, -1, -1e4f, 1e4f, -1, 1e4f, 1e4f, -1, -1e4f}};
    shape h = triangles(&s, floor[0], 2, &m);
    add(&s, &h);
    for (int turn = 0; turn < 8; turn++) {
        s.options.yaw = (float)(45 * turn + turn);
        take_picture(&s);
        for (uint32_t i = 0; i < 16; i++) {
            expect_pixel(&s, i, 7, 0, 0, 0, 255);
            expect_pixel(&s, i, 0, 0, 0, 0, 255);
            expect_pixel(&s, i, 8, 9, 99, 199, 255);
            expect_pixel(&s, i, 15, 9, 99, 199, 255);
        }
    }
    end_scene(&s);
}

/* ---- Colours ---- */

static void test_vertex_colours_multiply(void **unused)
{
    (void)unused;
    scene s = new_scene(8, 8, NULL);
    stele_material m = plain(255, 255, 255, 255);
    m.base_color[0] = 0.5f;
    float colors[6][3];
    for (int i = 0; i < 6; i++)
        memcpy(colors[i], (float[3]){0.5f, 0.25f, 1}, sizeof colors[i]);
    shape h = rectangle_of(&s, -5, -5, 20, 20, 0, &m);
    give(&s, &h, STELE_COLOR, colors[0], 3);
    add(&s, &h);
    take_picture(&s);
    expect_pixel(&s, 3, 3, srgb(0.25), srgb(0.25), 255, 255);
    end_scene(&s);
}

/* By the formula, whichever comes first in the file: farther ones are painted first. */
static void test_blending(void **unused)
{
    (void)unused;
    for (int order = 0; order < 2; order++) {
        scene s = new_scene(16, 16, NULL);
        stele_material red = plain(255, 0, 0, 51), green = plain(0, 255, 0, 102), wall = plain(255, 255, 255, 255);
        shape near = rectangle_of(&s, -5, -5, 30, 30, 0.5, &red), far = rectangle_of(&s, -5, -5, 30, 30, 0, &green);
        shape behind = rectangle_of(&s, -5, 8, 30, 30, -0.5, &wall), hidden = rectangle_of(&s, -5, 8, 30, 30, -0.7, &green);
        add(&s, order ? &near : &far);
        add(&s, order ? &far : &near);
        add(&s, &behind);
        add(&s, &hidden);
        take_picture(&s);
        /* red at 0.2 over green at 0.4 over white */
        double r = 0.2 + 0.8 * 0.6, g = 0.8 * (0.4 + 0.6), b = 0.8 * 0.6;
        expect_pixel(&s, 8, 12, srgb(r), srgb(g), srgb(b), 255);
        s.options.background = nothing;
        take_picture(&s);
        double alpha = 1 - 0.8 * 0.6;
        expect_pixel(&s, 8, 3, srgb(0.2 / alpha), srgb(0.8 * 0.4 / alpha), 0, (int)lround(255 * alpha));
        expect_pixel(&s, 8, 12, srgb(r), srgb(g), srgb(b), 255);
        end_scene(&s);
    }
}

/* ---- Textures ---- */

/* A picture of a scene of one material whose base colour is this texture. */
static void take_textured(scene *s, render_texture *texture)
{
    arena a;
    st_arena_init(&a, &(stele_options){0});
    renderer r = {.model = stele_file_model(s->file), .arena = &a, .textures = texture};
    assert_non_null(r.model);
    s->options.framing = &s->framing;
    stele_picture picture = {s->width, s->height, s->pixels};
    assert_true(st_render(&r, &s->options, &picture));
    st_arena_free(&a);
}

static uint32_t add_texture(scene *s)
{
    return stele_add_texture(s->file, &(stele_texture){.name = "t"});
}

/* Where a texel is as large as a pixel, the pixel is the texel; the first one is at the top left. */
static void test_texels(void **unused)
{
    (void)unused;
    scene s = new_scene(8, 8, NULL);
    uint8_t image[8][8][4];
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++)
            memcpy(image[y][x], (uint8_t[4]){(uint8_t)(30 * x), (uint8_t)(33 * y), (uint8_t)(x * y), 255}, 4);
    stele_material m = plain(255, 255, 255, 255);
    m.textures[STELE_ROLE_BASE_COLOR].texture = add_texture(&s);
    /* one triangle, so that all samples of a pixel see the same and share the colour in their middle */
    shape h = seen(&s, (const double[][3]){{0, 0, 0}, {0, 16, 0}, {16, 0, 0}}, 1, &m);
    give(&s, &h, STELE_UV, (const float[]){0, 0, 0, 2, 2, 0}, 2);
    add(&s, &h);
    render_texture t = {0};
    arena a;
    st_arena_init(&a, &(stele_options){0});
    assert_true(st_texture_make(&t, &(stele_picture){8, 8, &image[0][0][0]}, &a));
    take_textured(&s, &t);
    for (uint32_t y = 0; y < 8; y++)
        for (uint32_t x = 0; x < 8; x++)
            expect_pixel(&s, x, y, (int)(30 * x), (int)(33 * y), (int)(x * y), 255);
    st_arena_free(&a);
    end_scene(&s);
}

/* A wall that leads away: the texture coordinate is that of the point that the ray through a pixel meets. */
static void test_perspective(void **unused)
{
    (void)unused;
    scene s = new_scene(64, 64, NULL);
    static uint8_t image[4][256][4];
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 256; x++)
            memcpy(image[y][x], (uint8_t[4]){(uint8_t)x, 0, 0, 255}, 4);
    stele_material m = plain(255, 255, 255, 255);
    m.textures[STELE_ROLE_BASE_COLOR].texture = add_texture(&s);
    float wall[2][9] = {{-1, 1, 1, -1, -1, 1, 2, -1, -8}, {-1, 1, 1, 2, -1, -8, 2, 1, -8}};
    shape h = triangles(&s, wall[0], 2, &m);
    give(&s, &h, STELE_UV, whole_uv, 2);
    add(&s, &h);
    render_texture t = {0};
    arena a;
    st_arena_init(&a, &(stele_options){0});
    assert_true(st_texture_make(&t, &(stele_picture){256, 4, &image[0][0][0]}, &a));
    take_textured(&s, &t);
    int checked = 0;
    for (uint32_t x = 0; x < 64; x++) {
        /* from -1, 1 to 2, -8 along u: x = -1 + 3 u, z = 1 - 9 u, and x = slope * (distance - z) */
        double slope = (x + 0.5 - 32) * tan(15 * degree) / 32, d = camera_distance();
        double u = (slope * (d - 1) + 1) / (3 - 9 * slope);
        if (u < 0.02 || u > 0.98)
            continue;
        assert_true(fabs(pixel(&s, x, 32)[0] - (u * 256 - 0.5)) < 2.5); /* levels are mixed where it is steep */
        checked++;
    }
    assert_true(checked > 20);
    st_arena_free(&a);
    end_scene(&s);
}

static void test_mask(void **unused)
{
    (void)unused;
    scene s = new_scene(8, 8, NULL);
    uint8_t image[8][8][4];
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++)
            memcpy(image[y][x], (uint8_t[4]){255, 255, 255, x < 4 ? 0 : 255}, 4);
    stele_material m = plain(255, 255, 255, 255), back = plain(0, 0, 255, 255);
    m.alpha_mode = STELE_MASK;
    m.textures[STELE_ROLE_BASE_COLOR].texture = add_texture(&s);
    shape h = rectangle_of(&s, 0, 0, 8, 8, 0.5, &m), wall = rectangle_of(&s, -9, -9, 99, 99, 0, &back);
    give(&s, &h, STELE_UV, whole_uv, 2);
    add(&s, &h);
    add(&s, &wall);
    render_texture t = {.clamp_u = true};
    arena a;
    st_arena_init(&a, &(stele_options){0});
    assert_true(st_texture_make(&t, &(stele_picture){8, 8, &image[0][0][0]}, &a));
    take_textured(&s, &t);
    /* between the middles of texels 3 and 4 alpha grows from 0 to 1: it is a half at their border */
    for (uint32_t y = 0; y < 8; y++)
        for (uint32_t x = 0; x < 8; x++)
            expect_pixel(&s, x, y, x < 4 ? 0 : 255, x < 4 ? 0 : 255, 255, 255);
    st_arena_free(&a);
    end_scene(&s);
}

/* ---- Light ---- */

static int brightness(float x, float y, float z, const stele_material *m, bool with_normals)
{
    scene s = new_scene(8, 8, NULL);
    float normals[6][3];
    for (int i = 0; i < 6; i++)
        memcpy(normals[i], (float[3]){x, y, z}, sizeof normals[i]);
    shape h = rectangle_of(&s, -9, -9, 99, 99, 0, m);
    if (with_normals)
        give(&s, &h, STELE_NORMAL, normals[0], 3);
    add(&s, &h);
    take_picture(&s);
    const uint8_t *p = pixel(&s, 4, 4);
    int sum = p[0] + p[1] + p[2];
    end_scene(&s);
    return sum;
}

static void test_light(void **unused)
{
    (void)unused;
    stele_material m = stele_default_material();
    /* the key light comes from the upper left of the viewer */
    int towards = brightness(-0.45f, 0.65f, 0.6f, &m, true), away = brightness(0.45f, -0.65f, 0.6f, &m, true);
    int ahead = brightness(0, 0, 1, &m, true), up = brightness(0, 1, 0, &m, true), down = brightness(0, -1, 0, &m, true);
    assert_true(towards > ahead && ahead > away);
    assert_true(up > down && down > 0);
    assert_true(towards <= 3 * 255 && towards > 3 * 215); /* white is nearly white */
    /* without normals a triangle is flat; a normal of no length is as none */
    assert_int_equal(brightness(0, 0, 1, &m, false), ahead);
    assert_int_equal(brightness(0, 0, 0, &m, true), ahead);
    m.emissive[0] = m.emissive[1] = m.emissive[2] = 0.2f;
    assert_true(brightness(0, -1, 0, &m, true) > down);
    m = stele_default_material();
    m.base_color[0] = m.base_color[1] = m.base_color[2] = 0;
    m.metallic = m.specular = 0;
    assert_int_equal(brightness(0, 0, 1, &m, true), 0);
}

/* The back of a triangle that is seen from both sides is lit as its front would be. */
static void test_light_on_the_back(void **unused)
{
    (void)unused;
    stele_material m = stele_default_material();
    m.double_sided = true;
    scene s = new_scene(8, 8, NULL);
    float normals[6][3];
    for (int i = 0; i < 6; i++)
        memcpy(normals[i], (float[3]){0, 0, -1}, sizeof normals[i]);
    double corners[6][3], turned[6][3];
    rectangle(-9, -9, 99, 99, 0, corners);
    for (int i = 0; i < 6; i++)
        memcpy(turned[i], corners[5 - i], sizeof turned[i]);
    shape h = seen(&s, (const double(*)[3])turned, 2, &m);
    give(&s, &h, STELE_NORMAL, normals[0], 3);
    add(&s, &h);
    take_picture(&s);
    const uint8_t *p = pixel(&s, 4, 4);
    assert_int_equal(p[0] + p[1] + p[2], brightness(0, 0, 1, &m, true));
    end_scene(&s);
}

/* ---- Motion ---- */

/* A square that a joint carries from the left half to the right one, and a morph that carries it from the top to the bottom. */
static void test_skin_and_morph(void **unused)
{
    (void)unused;
    scene s = new_scene(16, 16, NULL);
    stele_material m = plain(255, 255, 255, 255);
    shape h = rectangle_of(&s, 1, 1, 7, 7, 0, &m);
    static const uint8_t joints[6][4] = {{0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}};
    float from[3], to[3], weights[6][4], moved[6][3];
    place_at(&s, 0, 0, 0, from);
    place_at(&s, 8, 8, 0, to);
    for (int i = 0; i < 6; i++) {
        memcpy(weights[i], (float[4]){0.25f, 0.75f, 0, 0}, sizeof weights[i]);
        memcpy(moved[i], (float[3]){0, to[1] - from[1], 0}, sizeof moved[i]);
    }
    h.attributes[h.primitive.attribute_count++] = (stele_attribute){STELE_JOINTS, 0, {joints, 6, 4, 4, STELE_U8, false}};
    give(&s, &h, STELE_WEIGHTS, weights[0], 4);
    stele_morph morph = {.position = kept(&s, moved[0], 6, 3)};
    h.primitive.morphs = &morph;
    h.primitive.morph_count = 1;
    stele_node joint = stele_default_node();
    uint32_t list[2] = {stele_add_node(s.file, &joint), stele_add_node(s.file, &joint)};
    h.node.skin = stele_add_skin(s.file, &(stele_skin){.joints = list, .joint_count = 2});
    add(&s, &h);
    const stele_model *model = stele_file_model(s.file);
    float times[2] = {0, 1}, places[2][3] = {{0}, {(to[0] - from[0]) * 4 / 3, 0, 0}}, amounts[2] = {0, 1};
    stele_channel channels[2] = {{.node = list[1], .path = STELE_TRANSLATION},
                                 {.node = (uint32_t)model->node_count - 1, .path = STELE_MORPH_WEIGHTS}};
    channels[0].times = channels[1].times = kept(&s, times, 2, 1);
    channels[0].values = kept(&s, places[0], 2, 3);
    channels[1].values = kept(&s, amounts, 2, 1);
    uint32_t both = stele_add_clip(s.file, &(stele_clip){.channels = channels, .channel_count = 2});
    uint32_t joint_only = stele_add_clip(s.file, &(stele_clip){.channels = channels, .channel_count = 1});
    static const struct {
        bool posed;
        int clip;
        double seconds;
        uint32_t x, y;
    } moments[] = {{false, 0, 1, 4, 4},  {true, 0, 0, 4, 4},    {true, 1, 1, 12, 4},
                   {true, 0, 1, 12, 12}, {true, 0, 99, 12, 12}, {true, 0, 0.5, 8, 8}};
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        s.options.posed = moments[i].posed;
        s.options.clip = moments[i].clip ? joint_only : both;
        s.options.seconds = moments[i].seconds;
        take_picture(&s);
        for (uint32_t k = 0; k < 256; k++) {
            uint32_t x = k % 16, y = k / 16;
            bool inside = x + 3 >= moments[i].x && x < moments[i].x + 3 && y + 3 >= moments[i].y && y < moments[i].y + 3;
            int white = inside ? 255 : 0;
            expect_pixel(&s, x, y, white, white, white, 255);
        }
    }
    /* all of the clip is seen by its framing */
    stele_framing framing;
    assert_int_equal(stele_frame(s.file, &(stele_render_options){.posed = true, .clip = both}, false, &framing), STELE_OK);
    float corner[2][3];
    place_at(&s, 1, 15, 0, corner[0]);
    place_at(&s, 15, 1, 0, corner[1]);
    for (int i = 0; i < 3; i++) {
        assert_true(fabs((double)framing.center[i] - (double)(corner[0][i] + corner[1][i]) / 2) < 1e-5);
        assert_true(fabs((double)framing.lowest[i] - (double)corner[0][i]) < 1e-5);
    }
    /* it is farthest at its corners, which it reaches at the top left and the bottom right only, at the first and last moment
     */
    double reach = hypot((double)(corner[1][0] - corner[0][0]), (double)(corner[1][1] - corner[0][1])) / 2;
    assert_true(fabs((double)framing.radius - reach) < 1e-5);
    assert_int_equal(stele_frame(s.file, &(stele_render_options){.posed = true, .clip = 7}, false, &framing), STELE_USAGE);
    end_scene(&s);
}

/* ---- The camera ---- */

/* A signpost: red towards +x, green towards +y, blue towards +z. */
static void add_signpost(scene *s)
{
    for (int axis = 0; axis < 3; axis++) {
        stele_material m = plain(axis == 0 ? 255 : 0, axis == 1 ? 255 : 0, axis == 2 ? 255 : 0, 255);
        m.double_sided = true;
        float blade[2][9] = {{0}};
        blade[0][axis] = blade[1][axis] = 1;
        for (int i = 0; i < 2; i++) {
            blade[i][3 + (axis + 1 + i) % 3] = 0.2f;
            blade[i][6 + (axis + 1 + i) % 3] = -0.2f;
        }
        shape h = triangles(s, blade[0], 2, &m);
        add(s, &h);
    }
}

/* Where the pixels of a channel are on average, from the middle of the picture. */
static void middle_of(const scene *s, int channel, double *x, double *y)
{
    double sum[3] = {0};
    for (uint32_t i = 0; i < s->width * s->height; i++) {
        double light = s->pixels[4 * i + (uint32_t)channel];
        sum[0] += light;
        sum[1] += light * (i % s->width + 0.5 - s->width / 2.0);
        sum[2] += light * (s->height / 2.0 - i / s->width - 0.5);
    }
    *x = sum[0] > 0 ? sum[1] / sum[0] : 0;
    *y = sum[0] > 0 ? sum[2] / sum[0] : 0;
}

static void test_camera(void **unused)
{
    (void)unused;
    scene s = new_scene(64, 64, NULL);
    double x, y;
    add_signpost(&s);
    take_picture(&s); /* from the front: x to the right, y up */
    middle_of(&s, 0, &x, &y);
    assert_true(x > 5 && fabs(y) < 3);
    middle_of(&s, 1, &x, &y);
    assert_true(y > 5 && fabs(x) < 3);
    s.options.yaw = 90; /* from the left of the viewer, which is -x: z to the right */
    take_picture(&s);
    middle_of(&s, 2, &x, &y);
    assert_true(x > 5 && fabs(y) < 3);
    middle_of(&s, 0, &x, &y);
    assert_true(fabs(x) < 3);
    s.options.yaw = 0;
    s.options.pitch = 90; /* from above: z downwards */
    take_picture(&s);
    middle_of(&s, 2, &x, &y);
    assert_true(y < -5 && fabs(x) < 3);
    s.options.pitch = 0;
    s.options.up = 'z'; /* z is up, and -y is in front */
    take_picture(&s);
    middle_of(&s, 2, &x, &y);
    assert_true(y > 5 && fabs(x) < 3);
    middle_of(&s, 0, &x, &y);
    assert_true(x > 5 && fabs(y) < 3);
    s.options.up = 'x';
    take_picture(&s);
    middle_of(&s, 0, &x, &y);
    assert_true(y > 5 && fabs(x) < 3);
    s.options = (stele_render_options){.background = black}; /* from the front, half from the left, and above */
    take_picture(&s);
    middle_of(&s, 2, &x, &y);
    assert_true(x > 2 && y < -1);
    end_scene(&s);
}

/* A ball of points fills the picture but for a hundredth, at the middle of each side and nowhere beyond. */
static void test_framing(void **unused)
{
    (void)unused;
    scene s = new_scene(200, 200, NULL);
    stele_material m = plain(255, 255, 255, 255);
    float ball[60][9];
    for (int i = 0; i < 60; i++) { /* slices in the plane that the rays of the border touch */
        double r = cos(15 * degree), z = sin(15 * degree), a = 6 * degree * i, b = 6 * degree * (i + 1);
        float slice[9] = {
            0,       0, (float)z, (float)(r * cos(a)), (float)(r * sin(a)), (float)z, (float)(r * cos(b)), (float)(r * sin(b)),
            (float)z};
        for (int k = 0; k < 9; k++)
            ball[i][k] = slice[k] * 1000 + (k % 3 == 1 ? 5000.0f : 0);
    }
    shape h = triangles(&s, ball[0], 60, &m);
    add(&s, &h);
    float far_off[9] = {0, 4000, -1000, 0.001f, 4000, -1000, 0, 4000, -1000}; /* the other end of the ball; not to be seen */
    shape other = triangles(&s, far_off, 1, &m);
    add(&s, &other);
    s.framing = (stele_framing){.center = {0, 5000, 0}, .radius = 1000};
    take_picture(&s);
    uint32_t first = 200, last = 0;
    for (uint32_t x = 0; x < 200; x++)
        if (pixel(&s, x, 100)[0]) {
            first = first < x ? first : x;
            last = x;
        }
    assert_in_range(first, 0, 3);
    assert_in_range(last, 196, 199);
    end_scene(&s);
}

/* Without a framing, the model is found wherever it is and however large; vertices that no triangle uses do not count. */
static void test_framing_of_itself(void **unused)
{
    (void)unused;
    static const float sizes[] = {1e-6f, 1, 1e6f, 1e30f};
    for (size_t i = 0; i < 4; i++) {
        scene s = new_scene(32, 32, NULL);
        stele_material m = plain(255, 255, 255, 255);
        m.double_sided = true;
        float z = sizes[i],
              corners[5][3] = {{9 * z, 7 * z, z}, {11 * z, 7 * z, z}, {11 * z, 9 * z, z}, {9 * z, 9 * z, z}, {-90 * z, 0, 0}};
        static const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
        shape h = {.primitive = {.vertex_count = 5, .material = stele_add_material(s.file, &m)}, .node = stele_default_node()};
        give(&s, &h, STELE_POSITION, corners[0], 3);
        h.primitive.indices = (stele_view){indices, 6, 4, 1, STELE_U32, false};
        add(&s, &h);
        s.framing.radius = 0;
        take_picture(&s);
        /* but for a border of 4 in 108, it fills the picture */
        expect_pixel(&s, 16, 16, 255, 255, 255, 255);
        for (uint32_t k = 2; k < 30; k++) {
            expect_pixel(&s, 2, k, 255, 255, 255, 255);
            expect_pixel(&s, k, 29, 255, 255, 255, 255);
        }
        expect_pixel(&s, 0, 16, 0, 0, 0, 255);
        expect_pixel(&s, 31, 16, 0, 0, 0, 255);
        expect_pixel(&s, 16, 0, 0, 0, 0, 255);
        expect_pixel(&s, 16, 31, 0, 0, 0, 255);
        end_scene(&s);
    }
}

/* The box of what is not black: left, top, right, bottom. */
static void find_box(const scene *s, int box[4])
{
    int empty[4] = {INT32_MAX, INT32_MAX, -1, -1};
    memcpy(box, empty, sizeof empty);
    for (int i = 0; i < (int)(s->width * s->height); i++) {
        int at[2] = {i % (int)s->width, i / (int)s->width};
        for (int k = 0; k < 2 && s->pixels[4 * i]; k++) {
            box[k] = at[k] < box[k] ? at[k] : box[k];
            box[2 + k] = at[k] > box[2 + k] ? at[k] : box[2 + k];
        }
    }
}

/* A long bar from all sides, in pictures of all shapes: it is in the middle and fills one side but for a border. */
static void test_the_silhouette_is_framed(void **unused)
{
    (void)unused;
    static const uint32_t sizes[][2] = {{100, 100}, {160, 60}, {60, 160}};
    static const float corners[8][3] = {{0, 0, 0}, {9, 0, 0}, {0, 1, 0}, {9, 1, 0}, {0, 0, 2}, {9, 0, 2}, {0, 4, 2}, {9, 1, 2}};
    static const uint8_t indices[36] = {0, 1, 3, 0, 3, 2, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                        2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 3, 7, 1, 7, 5};
    for (int i = 0; i < 36; i++) {
        scene s = new_scene(sizes[i % 3][0], sizes[i % 3][1], NULL);
        stele_material m = plain(255, 255, 255, 255);
        m.double_sided = true;
        shape h = {.primitive = {.vertex_count = 8, .material = stele_add_material(s.file, &m)}, .node = stele_default_node()};
        give(&s, &h, STELE_POSITION, corners[0], 3);
        h.primitive.indices = (stele_view){indices, 36, 1, 1, STELE_U8, false};
        add(&s, &h);
        s.framing.radius = 0;
        s.options.yaw = (float)(i * 23);
        s.options.pitch = (float)(i * 17 % 120 - 60);
        for (float distance = 1; distance < 4; distance += 2) {
            s.options.distance = distance;
            take_picture(&s);
            int box[4];
            find_box(&s, box);
            int width = (int)s.width, height = (int)s.height;
            assert_true(abs(box[0] + box[2] + 1 - width) <= (distance > 1 ? width / 10 : 2));
            assert_true(abs(box[1] + box[3] + 1 - height) <= (distance > 1 ? height / 10 : 2));
            if (distance == 1)
                assert_true(box[0] >= 2 && box[1] >= 2 && (box[0] <= width / 20 || box[1] <= height / 20));
            else
                assert_true(box[2] - box[0] < width / 2 && box[3] - box[1] < height / 2);
        }
        /* one framing for a turn: never out of the picture, and not much too small */
        stele_framing framing;
        int widest = 0, highest = 0;
        assert_int_equal(stele_frame(s.file, &s.options, true, &framing), STELE_OK);
        s.framing = framing;
        s.options.distance = 1;
        for (int k = 0; k < 20; k++) {
            s.options.yaw = (float)(18 * k);
            take_picture(&s);
            int box[4];
            find_box(&s, box);
            assert_true(box[0] > 0 && box[1] > 0 && box[2] < (int)s.width - 1 && box[3] < (int)s.height - 1);
            widest = box[2] - box[0] > widest ? box[2] - box[0] : widest;
            highest = box[3] - box[1] > highest ? box[3] - box[1] : highest;
        }
        assert_true(widest > (int)s.width * 8 / 10 || highest > (int)s.height * 8 / 10);
        end_scene(&s);
    }
}

/* ---- Lines and points ---- */

static shape bare(scene *s, stele_topology topology, const double (*places)[3], uint64_t count, const stele_material *m)
{
    float positions[16][3];
    shape h = {.primitive = {.topology = topology, .vertex_count = count, .material = STELE_NONE},
               .node = stele_default_node()};
    if (m)
        h.primitive.material = stele_add_material(s->file, m);
    for (uint64_t i = 0; i < count; i++)
        place_at(s, places[i][0], places[i][1], places[i][2], positions[i]);
    give(s, &h, STELE_POSITION, positions[0], 3);
    return h;
}

/* A line is a pixel and a half wide: the row that it runs along, and a quarter of each neighbour. */
static void test_lines(void **unused)
{
    (void)unused;
    scene s = new_scene(32, 16, NULL);
    stele_material m = stele_default_material();
    m.base_color[1] = 0; /* lit or not makes a difference: without normals it is not */
    shape h = bare(&s, STELE_LINES, (const double[][3]){{4, 8.5, 0}, {28, 8.5, 0}, {2, 1, 0}, {2, 1, 0}, {9, 9, 0}}, 5, &m);
    static const float colors[5][3] = {{1, 0, 0}, {0, 0, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    give(&s, &h, STELE_COLOR, colors[0], 3);
    add(&s, &h);
    take_picture(&s);
    for (uint32_t x = 0; x < 32; x++) {
        bool on = x >= 4 && x < 28;
        double blue = ((double)x + 0.5 - 4) / 24;
        int r = on ? srgb(1 - blue) : 0, b = on ? srgb(blue) : 0;
        const uint8_t *p = pixel(&s, x, 8);
        assert_true(abs(p[0] - r) <= 2 && p[1] == 0 && abs(p[2] - b) <= 2);
        expect_pixel(&s, x, 6, 0, 0, 0, 255);
        expect_pixel(&s, x, 10, 0, 0, 0, 255);
        assert_true(on == (pixel(&s, x, 7)[0] + pixel(&s, x, 7)[2] > 0) && on == (pixel(&s, x, 9)[0] + pixel(&s, x, 9)[2] > 0));
    }
    expect_pixel(&s, 2, 1, 0, 0, 0, 255); /* it has no length; and the last has no end */
    end_scene(&s);
}

/* Three pixels each way. Those on a surface are seen, those behind one are not, and those that are not there do no harm. */
static void test_points(void **unused)
{
    (void)unused;
    scene s = new_scene(16, 16, NULL);
    stele_material red = plain(255, 0, 0, 255), green = plain(0, 255, 0, 255);
    shape wall = rectangle_of(&s, -5, -5, 8, 30, 0, &green);
    shape h =
        bare(&s, STELE_POINTS, (const double[][3]){{4.5, 4.5, 0}, {4.5, 12.5, -0.5}, {12.5, 12.5, -0.5}, {1, 1, 0}}, 4, &red);
    static const uint32_t indices[5] = {0, 1, 2, 77, UINT32_MAX};
    h.primitive.indices = (stele_view){indices, 3, 4, 1, STELE_U32, false};
    add(&s, &wall);
    add(&s, &h);
    take_picture(&s);
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t x = i % 16, y = i / 16;
        bool on = (x >= 3 && x <= 5 && y >= 3 && y <= 5) || (x >= 11 && x <= 13 && y >= 11 && y <= 13);
        expect_pixel(&s, x, y, on ? 255 : 0, on || x >= 8 ? 0 : 255, 0, 255);
    }
    end_scene(&s);
    /* alone, they are framed; without a material they are seen on any background */
    s = new_scene(32, 32, NULL);
    h = bare(&s, STELE_POINTS, (const double[][3]){{10, 16, 0}, {20, 16, 0}, {15, 18, 0}}, 3, NULL);
    add(&s, &h);
    s.framing.radius = 0;
    take_picture(&s);
    int box[4];
    find_box(&s, box);
    assert_true(box[0] <= 2 && box[2] >= 29 && box[0] >= 0 && box[1] > 8);
    const uint8_t *p = pixel(&s, (uint32_t)box[0] + 1, (uint32_t)box[1] + 1);
    assert_in_range(p[0], 80, 140);
    end_scene(&s);
}

/* A material that says no colour is white: on white nobody would see a line of it, and on black it is what it says. */
static void test_lines_without_a_colour(void **unused)
{
    static const struct {
        uint8_t background, base, least, most;
    } cases[] = {{255, 255, 80, 140}, {200, 255, 80, 140}, {0, 255, 255, 255}, {255, 254, 254, 254}};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t b = cases[i].background, background[4] = {b, b, b, 255};
        scene s = new_scene(32, 16, NULL);
        stele_material m = plain(cases[i].base, cases[i].base, cases[i].base, 255);
        m.unlit = false;
        shape h = bare(&s, STELE_LINES, (const double[][3]){{4, 8.5, 0}, {28, 8.5, 0}}, 2, &m);
        add(&s, &h);
        s.options.background = background;
        take_picture(&s);
        for (int k = 0; k < 3; k++)
            assert_in_range(pixel(&s, 16, 8)[k], cases[i].least, cases[i].most);
        end_scene(&s);
    }
}

/* ---- Overlays ---- */

static void test_overlays(void **unused)
{
    (void)unused;
    scene s = new_scene(64, 64, NULL);
    stele_material m = plain(255, 255, 255, 255);
    shape h = seen(&s, (const double[][3]){{8, 8, 0}, {8, 56, 0}, {56, 56, 0}}, 1, &m);
    add(&s, &h);
    s.options.overlays = STELE_OVERLAY_WIREFRAME;
    take_picture(&s);
    /* along the left edge, whose line covers about half of the pixel beside it; and the slanted one */
    assert_in_range(pixel(&s, 8, 30)[0], 170, 215);
    assert_in_range(pixel(&s, 30, 30)[0], 100, 215);
    expect_pixel(&s, 16, 45, 255, 255, 255, 255);
    /* a line behind something is not seen */
    stele_material blue = plain(0, 0, 255, 255);
    shape cover = rectangle_of(&s, 2, 20, 20, 40, 0.3, &blue);
    add(&s, &cover);
    take_picture(&s);
    expect_pixel(&s, 8, 31, 0, 0, 255, 255);
    /* joints are: a bone from the upper middle to the lower one, behind the blue wall */
    stele_node joint = stele_default_node(), child = joint;
    float from[3], to[3];
    place_at(&s, 11, 4, -0.5, from);
    place_at(&s, 11, 60, -0.5, to);
    for (int i = 0; i < 3; i++) {
        joint.local.translation[i] = from[i];
        child.local.translation[i] = to[i] - from[i];
    }
    uint32_t joints[2];
    joints[0] = child.parent = stele_add_node(s.file, &joint);
    joints[1] = stele_add_node(s.file, &child);
    stele_add_skin(s.file, &(stele_skin){.joints = joints, .joint_count = 2});
    s.options.overlays = STELE_OVERLAY_JOINTS;
    take_picture(&s);
    assert_true(pixel(&s, 11, 30)[1] > 60); /* lighter than the wall */
    s.options.overlays = 0;
    take_picture(&s);
    expect_pixel(&s, 11, 30, 0, 0, 255, 255);
    /* bounds: around the triangle and the wall, the lower left corner of which is at 2, 56 */
    s.options.overlays = STELE_OVERLAY_BOUNDS;
    take_picture(&s);
    int orange = 0;
    for (uint32_t x = 0; x < 64; x++)
        orange += pixel(&s, x, 50)[0] > 60 && pixel(&s, x, 50)[0] < 250 && pixel(&s, x, 50)[2] < 60;
    assert_true(orange >= 1);
    end_scene(&s);
}

static void test_ground(void **unused)
{
    (void)unused;
    scene s = new_scene(64, 64, NULL);
    static const uint8_t white[4] = {255, 255, 255, 255};
    stele_material m = plain(255, 0, 0, 255);
    m.double_sided = true;
    float roof[2][9] = {{-0.5f, 0, -0.5f, -0.5f, 0, 0.5f, 0.5f, 0, 0.5f}, {-0.5f, 0, -0.5f, 0.5f, 0, 0.5f, 0.5f, 0, -0.5f}};
    shape h = triangles(&s, roof[0], 2, &m);
    add(&s, &h);
    s.framing.lowest[1] = -0.4f; /* the roof hovers over it */
    s.options.pitch = 20;
    s.options.background = white;
    s.options.overlays = STELE_OVERLAY_SHADOW;
    take_picture(&s);
    uint32_t darkest = 0;
    for (uint32_t i = 0; i < 64 * 64; i++) {
        const uint8_t *p = s.pixels + 4 * i;
        assert_true(p[3] == 255);
        if (p[0] < s.pixels[4 * darkest])
            darkest = i;
    }
    assert_true(s.pixels[4 * darkest] < 220);
    assert_true(darkest / 64 > 32); /* below the roof */
    s.options.background = nothing; /* a shadow on nothing is black, and says so by its alpha */
    take_picture(&s);
    const uint8_t *p = s.pixels + 4 * darkest;
    assert_true(p[0] == 0 && p[3] > 20 && p[3] < 140);
    s.options.background = white;
    s.options.overlays = STELE_OVERLAY_GRID;
    take_picture(&s);
    int lines = 0, above = 0;
    for (uint32_t i = 0; i < 64; i++) {
        lines += pixel(&s, i, 60)[0] < 230;
        above += pixel(&s, i, 1)[0] < 255;
    }
    assert_in_range(lines, 1, 40);
    assert_int_equal(above, 0); /* too far away */
    end_scene(&s);
}

/* ---- Threads ---- */

typedef struct worker {
    stele_task task;
    void *context;
    size_t first, count, step;
} worker;

static void *work(void *user)
{
    const worker *w = user;
    for (size_t i = w->first; i < w->count; i += w->step)
        w->task(w->context, i);
    return NULL;
}

static void on_threads(void *user, size_t count, stele_task task, void *context)
{
    size_t threads = *(const size_t *)user;
    pthread_t ids[8];
    worker workers[8];
    for (size_t i = 0; i < threads; i++) {
        workers[i] = (worker){task, context, i, count, threads};
        assert_int_equal(pthread_create(&ids[i], NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
}

static void backwards(void *unused, size_t count, stele_task task, void *context)
{
    (void)unused;
    while (count)
        task(context, --count);
}

static uint64_t hash_of_picture(const char *path, const stele_options *options, uint32_t width, uint32_t height)
{
    stele_file *file = stele_open(path, options);
    uint8_t *pixels = calloc((size_t)width * height, 4);
    stele_picture picture = {width, height, pixels};
    stele_render_options r = {.posed = true, .seconds = 0.3, .overlays = 0x7f};
    assert_int_equal(stele_render(file, &picture, &r), STELE_OK);
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < (size_t)width * height * 4; i++)
        hash = (hash ^ pixels[i]) * 1099511628211u;
    free(pixels);
    stele_close(file);
    return hash;
}

static void test_threads_make_no_difference(void **unused)
{
    (void)unused;
    char path[4096];
    snprintf(path, sizeof path, "%s/samples/scribe.sgm", project_folder());
    static const uint32_t sizes[][2] = {{1, 1}, {31, 33}, {97, 161}, {64, 64}};
    for (size_t i = 0; i < 4; i++) {
        uint64_t alone = hash_of_picture(path, NULL, sizes[i][0], sizes[i][1]);
        for (size_t threads = 1; threads <= 7; threads += threads < 2 ? 1 : 5) {
            stele_options o = {.parallel = on_threads, .parallel_user = &threads};
            assert_true(hash_of_picture(path, &o, sizes[i][0], sizes[i][1]) == alone);
        }
        stele_options o = {.parallel = backwards};
        assert_true(hash_of_picture(path, &o, sizes[i][0], sizes[i][1]) == alone);
    }
}

/* ---- Bad input ---- */

static void test_odd_numbers(void **unused)
{
    (void)unused;
    static const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-40f, 0, 1};
    for (unsigned overlays = 0; overlays <= 0x7f; overlays += 0x7f)
        for (size_t i = 0; i < 64; i++)
            for (int framed = 0; framed < 2; framed++) {
                scene s = new_scene(20, 20, NULL);
                stele_material m = stele_default_material();
                m.alpha_mode = (stele_alpha_mode)(i % 3);
                m.double_sided = true;
                m.base_color[3] = odd[i % 8];
                m.emissive[0] = odd[i / 8];
                m.roughness = odd[(i + 1) % 8];
                float positions[2][9] = {{odd[i % 8], odd[i / 8], 0, 1, 0, 0, 0, 1, 0}, {0, 0, 0, 1, 0, 0, 0, 1, odd[i % 8]}};
                float numbers[6][4];
                for (int k = 0; k < 24; k++)
                    numbers[k / 4][k % 4] = odd[((size_t)k + i) % 8];
                shape h = triangles(&s, positions[0], 2, &m);
                give(&s, &h, STELE_NORMAL, numbers[0], 3);
                give(&s, &h, STELE_UV, numbers[0], 2);
                give(&s, &h, STELE_COLOR, numbers[0], 4);
                h.node.local.scale[i % 3] = odd[i / 8];
                add(&s, &h);
                s.framing.radius = framed ? odd[i % 8] : 0;
                s.framing.center[0] = odd[i / 8];
                s.options.overlays = overlays;
                s.options.yaw = odd[i % 8];
                s.options.distance = odd[i / 8];
                take_picture(&s);
                end_scene(&s);
            }
}

static void test_nothing_to_see(void **unused)
{
    (void)unused;
    scene s = new_scene(3, 2, NULL);
    s.framing.radius = 0;
    take_picture(&s); /* an empty model */
    expect_pixel(&s, 1, 1, 0, 0, 0, 255);
    stele_material m = plain(255, 255, 255, 255);
    m.double_sided = true;
    float flat[3][9] = {{0, 0, 0, 1, 0, 0, 2, 0, 0}, {1, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 1, 1, 1, 0, 0, 0}};
    shape h = triangles(&s, flat[0], 3, &m); /* without area */
    add(&s, &h);
    take_picture(&s);
    for (uint32_t i = 0; i < 6; i++)
        expect_pixel(&s, i % 3, i / 3, 0, 0, 0, 255);
    h.primitive.topology = STELE_POINTS;
    add(&s, &h);
    take_picture(&s);
    stele_picture none = {0, 5, s.pixels}, huge = {1u << 20, 1, s.pixels};
    assert_int_equal(stele_render(s.file, &none, NULL), STELE_USAGE);
    assert_int_equal(stele_render(s.file, &huge, NULL), STELE_USAGE);
    s.options.posed = true;
    stele_picture picture = {s.width, s.height, s.pixels};
    assert_int_equal(stele_render(s.file, &picture, &s.options), STELE_USAGE); /* there is no clip */
    assert_int_equal(stele_render(NULL, &picture, NULL), STELE_NO_MEMORY);
    static const uint32_t wild[3] = {0, 1, 1000000};
    h.primitive.indices = (stele_view){wild, 3, 4, 1, STELE_U32, false}; /* a vertex that is not there */
    add(&s, &h);
    assert_int_equal(stele_render(s.file, &picture, NULL), STELE_USAGE);
    end_scene(&s);
}

static void test_one_pixel(void **unused)
{
    (void)unused;
    scene s = new_scene(1, 1, NULL);
    stele_material m = plain(1, 2, 3, 255);
    shape h = rectangle_of(&s, -9, -9, 9, 9, 0, &m);
    add(&s, &h);
    take_picture(&s);
    expect_pixel(&s, 0, 0, 1, 2, 3, 255);
    end_scene(&s);
}

/* Whatever allocation is refused, the call says so. */
static void test_memory_runs_out(void **unused)
{
    (void)unused;
    char path[4096];
    uint8_t pixels[40 * 40 * 4];
    stele_picture picture = {40, 40, pixels};
    stele_render_options r = {.overlays = 0x7f};
    snprintf(path, sizeof path, "%s/samples/dialects/v11.ctc", project_folder());
    stele_status status = STELE_NO_MEMORY;
    bool refused = false;
    for (uint64_t limit = 16384; status != STELE_OK; limit += limit / 16) {
        stele_file *file = stele_open(path, &(stele_options){.memory_limit = limit, .separate_allocations = true});
        status = stele_render(file, &picture, &r);
        assert_true(status == STELE_OK || status == STELE_NO_MEMORY);
        refused |= status == STELE_NO_MEMORY && stele_file_model(file);
        assert_true(limit < 1u << 26);
        stele_close(file);
    }
    assert_true(refused);
}

/* What a picture needed is given back. */
static void test_memory_is_given_back(void **unused)
{
    (void)unused;
    char path[4096];
    uint8_t pixels[40 * 40 * 4];
    stele_picture picture = {40, 40, pixels};
    snprintf(path, sizeof path, "%s/samples/scribe.sgm", project_folder());
    stele_file *file = stele_open(path, NULL);
    assert_int_equal(stele_render(file, &picture, NULL), STELE_OK);
    uint64_t memory = stele_file_memory(file);
    for (int i = 0; i < 5; i++)
        assert_int_equal(stele_render(file, &picture, NULL), STELE_OK);
    assert_true(stele_file_memory(file) == memory);
    stele_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_colour_everywhere),
        cmocka_unit_test(test_covered_in_part),
        cmocka_unit_test(test_shared_edges_are_covered_once),
        cmocka_unit_test(test_nearer_hides_farther),
        cmocka_unit_test(test_planes_cross),
        cmocka_unit_test(test_sides),
        cmocka_unit_test(test_what_is_behind_the_camera_is_cut_off),
        cmocka_unit_test(test_vertex_colours_multiply),
        cmocka_unit_test(test_blending),
        cmocka_unit_test(test_texels),
        cmocka_unit_test(test_perspective),
        cmocka_unit_test(test_mask),
        cmocka_unit_test(test_light),
        cmocka_unit_test(test_light_on_the_back),
        cmocka_unit_test(test_skin_and_morph),
        cmocka_unit_test(test_camera),
        cmocka_unit_test(test_framing),
        cmocka_unit_test(test_framing_of_itself),
        cmocka_unit_test(test_the_silhouette_is_framed),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_lines_without_a_colour),
        cmocka_unit_test(test_overlays),
        cmocka_unit_test(test_ground),
        cmocka_unit_test(test_threads_make_no_difference),
        cmocka_unit_test(test_odd_numbers),
        cmocka_unit_test(test_nothing_to_see),
        cmocka_unit_test(test_one_pixel),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_memory_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
