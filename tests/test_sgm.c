/* SGM: byte literals of every dialect, written out by hand from the format's page and not by any writer of ours. */
#include "literal.h"

/* position, normal and uv of the corners of a triangle */
#define CORNER0 F0, F0, F0, F0, F0, F1, F0, F0
#define CORNER1 F1, F0, F0, F0, F0, F1, F1, F0
#define CORNER2 F0, F1, F0, F0, F0, F1, F0, F1
#define TRIANGLE 0, 0, 1, 0, 2, 0
#define MAGIC 0x90, 0x22, 0x05, 0x15
#define TEXTURE 6, 0, 'a', '.', 'p', 'n', 'g', 0
#define ANIMATION 1, 6, 0, 'a', '.', 's', 'g', 'a', 0
#define WEIGHTS F1, F0, F0, F0
#define BONE0 F0, F0, F0, F0
#define BONE1 F1, F0, F0, F0
#define TANGENT F1, F0, F0, FMINUS

/* Rows as the page has them. */
/* clang-format off */
static const uint8_t v0[] = {
    0, 1, 0, 1, TEXTURE, 1, 0, 0, 3, 0, 1, 0, 1,
    CORNER0, TANGENT, CORNER1, TANGENT, CORNER2, TANGENT,
    3, 0, TRIANGLE,
};
static const uint8_t v0a[] = {
    0, 1, 0, 1, TEXTURE, 1, 0, 0, 3, 0, 1, 0,
    CORNER0, CORNER1, CORNER2,
    3, 0, TRIANGLE,
};
static const uint8_t v0b[] = {
    0, 1, 0, 1, TEXTURE, 1, 0, 0, 3, 0, 1, 0, 0, 1,
    CORNER0, WEIGHTS, BONE0, CORNER1, WEIGHTS, BONE0, CORNER2, WEIGHTS, BONE0,
    3, 0, TRIANGLE,
};
/* the bone map says that the vertices' bone 1 is bone 7 */
#define MAP 2, 4, 0, 7, 0
static const uint8_t v1a[] = {
    1, 1, 0, 1, TEXTURE, 1, 0, 0, 3, 0, 1, 0, 0, MAP,
    CORNER0, WEIGHTS, BONE1, CORNER1, WEIGHTS, BONE0, CORNER2, WEIGHTS, BONE1,
    3, 0, TRIANGLE, ANIMATION,
};
static const uint8_t v1b[] = {
    1, 1, 0, 1, TEXTURE, 1, 0, 0, 3, 0, 1, 0, 0, MAP,
    CORNER0, WEIGHTS, BONE1, CORNER1, WEIGHTS, BONE0, CORNER2, WEIGHTS, BONE1,
    3, 0, 0, 0, TRIANGLE, ANIMATION,
};
static const uint8_t v1[] = {
    MAGIC, 1, 1, 0, 1, TEXTURE, 1, 0, 0, 3, 0, 1, 0, 0, 0,
    CORNER0, CORNER1, CORNER2,
    3, 0, 0, 0, 2, TRIANGLE, 0,
};
static const uint8_t v2[] = {
    MAGIC, 2, 1, 0, 1, TEXTURE, 1, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0,
    CORNER0, CORNER1, CORNER2,
    3, 0, 0, 0, 4, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0,
};
static const uint8_t v3_nocolor[] = {
    MAGIC, 3, 2, 0, 0, 1, 0, /* two materials of id and uv-set count only */
    1, 0, 1, 3, 0, 0, 0, 1, 0, 0, 0,
    CORNER0, CORNER1, CORNER2,
    3, 0, 0, 0, 2, TRIANGLE, 0,
};

/* v3 with everything in it: the offsets on the right are used by the findings below */
#define FULL(corner) corner, F1, F1, F1, F1, TANGENT, WEIGHTS, BONE0
static const uint8_t v3[] = {
    MAGIC, 3,                     /*   0 magic, version */
    1,                            /*   5 materials */
    0, 1, 1, 0, TEXTURE,          /*   6 id, uv sets, textures, hint, 10 length, 12 name */
    1, 0, F1, F1, F1, F1,         /*  18 colours, 19 hint, 20 rgba */
    1,                            /*  36 meshes */
    0, 0, 3, 0, 0, 0, 1, 4, 1, 1, /*  37 id, material, 39 vertices, 43 uvs, colour floats, tangents, bones */
    FULL(CORNER0),                /*  47 rows of 96: normal 12, uv 24, colour 32, tangent 48, weights 64, bones 80 */
    FULL(CORNER1),
    FULL(CORNER2),
    3, 0, 0, 0, 2, TRIANGLE,      /* 335 indices, 339 size, 340 indices */
    ANIMATION,                    /* 346 flag, 347 length, 349 name */
};
/* clang-format on */

/* ---- Companions: a skeleton of one bone, an empty one and rubbish ---- */

static bool find_companion(void *user, const char *name, const void **data, size_t *size)
{
    static const uint8_t one_bone[] = {0x5A, 0x4E, 0xDA, 0x16, 1, 2, 0, 's', 0, 1, 0, 2, 0, 'b', 0, F0, F0, F0, 1, 0, 0, 0, 0};
    static const uint8_t no_bone[] = {0x5A, 0x4E, 0xDA, 0x16, 1, 2, 0, 's', 0, 0, 0, 0, 0};
    static const uint8_t rubbish[] = {1, 2, 3};
    static const struct {
        const char *name;
        const uint8_t *data;
        size_t size;
    } files[] = {
        {"a.png", LITERAL(rubbish)}, {"a.sga", LITERAL(one_bone)}, {"e.sga", LITERAL(no_bone)}, {"c.sga", LITERAL(rubbish)}};
    (void)user;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(files[i].name, name) == 0) {
            if (data) {
                *data = files[i].data;
                *size = files[i].size;
            }
            return true;
        }
    return false;
}

static const stele_options full = {.check = STELE_CHECK_FULL, .name = "x.sgm", .lookup = find_companion};

static const stele_options safe = {.name = "x.sgm"};

/* ---- What they are ---- */

static const struct {
    const char *dialect;
    const uint8_t *data;
    size_t size;
    const char *attributes;
} literals[] = {
    {"v0", LITERAL(v0), "position normal uv0 tangent"},
    {"v0a", LITERAL(v0a), "position normal uv0"},
    {"v0b", LITERAL(v0b), "position normal uv0 weights bones"},
    {"v1a", LITERAL(v1a), "position normal uv0 weights bones"},
    {"v1b", LITERAL(v1b), "position normal uv0 weights bones"},
    {"v1", LITERAL(v1), "position normal uv0"},
    {"v2", LITERAL(v2), "position normal uv0"},
    {"v3", LITERAL(v3), "position normal uv0 color tangent weights bones"},
    {"v3-nocolor", LITERAL(v3_nocolor), "position normal uv0"},
};

static void expect_info(const stele_info *info, const char *dialect, const char *attributes)
{
    char joined[256] = "";
    assert_non_null(info);
    assert_int_equal(info->mesh_count, 1);
    assert_int_equal(info->meshes[0].vertices, 3);
    assert_int_equal(info->meshes[0].indices, 3);
    assert_int_equal(info->meshes[0].triangles, 1);
    for (size_t i = 0; i < info->meshes[0].attribute_count; i++)
        snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s%s", i ? " " : "", info->meshes[0].attributes[i]);
    assert_string_equal(joined, attributes);
    if (strcmp(dialect, "v3-nocolor") != 0) {
        assert_int_equal(info->materials[0].texture_count, 1);
        assert_string_equal(info->materials[0].textures[0].name, "a.png");
        assert_string_equal(info->materials[0].textures[0].role, "base color");
    }
    assert_true(info->bounds.known && info->bounds.max[0] == 1 && info->bounds.max[1] == 1 && info->bounds.max[2] == 0);
}

static void literals_are_recognised(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof literals / sizeof *literals; i++) {
        stele_file *file = stele_open_memory(literals[i].data, literals[i].size, &safe);
        if (stele_file_status(file) != STELE_OK || strcmp(stele_file_dialect(file), literals[i].dialect) != 0)
            fail_msg("%s is taken for %s: %s", literals[i].dialect, stele_file_dialect(file), stele_file_message(file));
        expect_info(stele_file_info(file), literals[i].dialect, literals[i].attributes);
        bytes out = rewritten(file, NULL);
        assert_int_equal(out.size, literals[i].size);
        assert_memory_equal(out.data, literals[i].data, out.size);
        free(out.data);
        stele_close(file);
    }
}

static void companions_are_summed_up(void **state)
{
    (void)state;
    stele_file *file = stele_open_memory(LITERAL(v3), &full);
    const stele_info *info = stele_file_info(file);
    assert_int_equal(info->joints, 1);
    assert_string_equal(info->skeleton, "s");
    assert_int_equal(info->companion_count, 1);
    assert_string_equal(info->companions[0].name, "a.sga");
    assert_true(info->companions[0].found);
    assert_string_equal(info->materials[0].textures[0].found, "a.png");
    assert_true(info->materials[0].colors[0].rgba[3] == 1);
    stele_close(file);
}

/* A v1b file whose last index is 1 would also end with the file as v1a, with an "animation name" that is no string. */
static void v1b_is_not_taken_for_v1a(void **state)
{
    static const uint8_t ends_in_1[] = {1,  1,  0,  0,  1,  0,  0,  3,  0,  0,  0, 0, 0, F0, F0, F0, F0, F0, F1, F1, F0,
                                        F0, F0, F0, F1, F0, F1, F0, F0, F0, F1, 3, 0, 0, 0,  0,  0,  2,  0,  1,  0,  0};
    (void)state;
    stele_file *file = stele_open_memory(LITERAL(ends_in_1), &full);
    assert_string_equal(stele_file_dialect(file), "v1b");
    stele_close(file);
}

/* ---- What is wrong with them ---- */

#define NONE                                                                                                                   \
    {                                                                                                                          \
        0                                                                                                                      \
    }
static const finding findings[] = {
    {"index-out-of-range", "mesh[0].indices[2]", 344, STELE_ERROR, {344, 1, BYTES(3)}, NONE},
    {"degenerate-triangle", "mesh[0].indices[0]", 340, STELE_WARNING, {344, 1, BYTES(0)}, NONE},
    {"zero-area-triangle", "mesh[0].indices[0]", 340, STELE_WARNING, {239, 8, BYTES(F2, F0)}, NONE},
    {"index-count", "mesh[0].indices", 340, STELE_WARNING, {335, 1, BYTES(2)}, {344, 2, (const uint8_t *)"", 0}},
    {"nonfinite-position", "mesh[0].vertices[0].position", 51, STELE_ERROR, {51, 4, BYTES(FNAN)}, NONE},
    {"nonfinite-normal", "mesh[0].vertices[1].normal", 155, STELE_ERROR, {155, 4, BYTES(FINF)}, NONE},
    {"nonfinite-uv", "mesh[0].vertices[0].uv0", 75, STELE_WARNING, {75, 4, BYTES(FNAN)}, NONE},
    {"nonfinite-color", "mesh[0].vertices[0].color", 79, STELE_WARNING, {79, 4, BYTES(FNAN)}, NONE},
    {"nonfinite-color", "material[0].color[0].rgba", 20, STELE_WARNING, {32, 4, BYTES(FNAN)}, NONE},
    {"nonfinite-tangent", "mesh[0].vertices[0].tangent", 95, STELE_WARNING, {95, 4, BYTES(FNAN)}, NONE},
    {"nonfinite-weight", "mesh[0].vertices[0].weights", 111, STELE_ERROR, {111, 4, BYTES(FNAN)}, NONE},
    {"nonfinite-bone", "mesh[0].vertices[0].bones", 127, STELE_ERROR, {127, 4, BYTES(FINF)}, NONE},
    {"normal-zero", "mesh[0].vertices[0].normal", 59, STELE_WARNING, {67, 4, BYTES(F0)}, NONE},
    {"normal-length", "mesh[0].vertices[0].normal", 59, STELE_WARNING, {67, 4, BYTES(F2)}, NONE},
    {"tangent-zero", "mesh[0].vertices[0].tangent", 95, STELE_WARNING, {95, 4, BYTES(F0)}, NONE},
    {"tangent-without-uv", "mesh[0]", 37, STELE_WARNING, {43, 2, BYTES(0, 6)}, NONE},
    {"weight-sum", "mesh[0].vertices[0].weights", 111, STELE_WARNING, {111, 4, BYTES(FHALF)}, NONE},
    {"weight-negative", "mesh[0].vertices[0].weights", 111, STELE_WARNING, {111, 8, BYTES(F2, FMINUS)}, NONE},
    {"weight-all-zero", "mesh[0].vertices[0].weights", 111, STELE_WARNING, {111, 4, BYTES(F0)}, NONE},
    {"bone-negative", "mesh[0].vertices[0].bones", 127, STELE_WARNING, {127, 4, BYTES(FMINUS)}, NONE},
    {"bone-fractional", "mesh[0].vertices[0].bones", 127, STELE_WARNING, {127, 4, BYTES(FHALF)}, NONE},
    {"bone-out-of-range", "mesh[0].vertices[0].bones", 127, STELE_ERROR, {127, 4, BYTES(F65536)}, NONE},
    {"bone-out-of-range", "mesh[0].vertices[2].bones", 319, STELE_ERROR, {331, 4, BYTES(F65536)}, NONE},
    {"material-out-of-range", "mesh[0].material", 38, STELE_ERROR, {38, 1, BYTES(7)}, NONE},
    {"id-not-position", "mesh[0].id", 37, STELE_WARNING, {37, 1, BYTES(5)}, NONE},
    {"id-not-position", "material[0].id", 6, STELE_WARNING, {6, 1, BYTES(1)}, NONE},
    {"id-duplicate", "material[1].id", 36, STELE_WARNING, {5, 1, BYTES(2)}, {36, 0, BYTES(0, 0, 0)}},
    {"flag-not-boolean", "mesh[0].has_tangents", 45, STELE_WARNING, {45, 1, BYTES(2)}, NONE},
    {"flag-not-boolean", "mesh[0].has_bones", 46, STELE_WARNING, {46, 1, BYTES(9)}, NONE},
    {"flag-not-boolean", "has_animation", 346, STELE_WARNING, {346, 9, BYTES(7)}, NONE},
    {"skin-without-skeleton", "has_animation", 346, STELE_WARNING, {346, 9, BYTES(0)}, NONE},
    {"string-no-nul", "material[0].uv_set[0].texture[0].name", 12, STELE_WARNING, {17, 1, BYTES('x')}, NONE},
    {"string-embedded-nul", "animation", 350, STELE_WARNING, {350, 1, BYTES(0)}, NONE},
    {"string-not-utf8", "material[0].uv_set[0].texture[0].name", 13, STELE_WARNING, {13, 1, BYTES(0xFF)}, NONE},
    {"texture-wildcard", "material[0].uv_set[0].texture[0].name", 12, STELE_NOTE, {10, 8, BYTES(4, 0, 'a', '.', '*', 0)}, NONE},
    {"texture-broken-name",
     "material[0].uv_set[0].texture[0].name",
     12,
     STELE_WARNING,
     {10, 8, BYTES(7, 0, 'a', '.', 'j', 'p', 'n', 'g', 0)},
     NONE},
    {"texture-broken-name", "material[0].uv_set[0].texture[0].name", 12, STELE_WARNING, {10, 8, BYTES(2, 0, '*', 0)}, NONE},
    {"texture-broken-name", "material[0].uv_set[0].texture[0].name", 12, STELE_WARNING, {10, 8, BYTES(1, 0, 0)}, NONE},
    {"texture-missing", "material[0].uv_set[0].texture[0].name", 12, STELE_WARNING, {12, 1, BYTES('z')}, NONE},
    {"companion-missing", "animation", 349, STELE_WARNING, {349, 1, BYTES('z')}, NONE},
    {"companion-damaged", "animation", 349, STELE_WARNING, {349, 1, BYTES('c')}, NONE},
    {"skeleton-empty", "animation", 349, STELE_WARNING, {349, 1, BYTES('e')}, NONE},
    {"name-leaves-folder", "animation", 349, STELE_WARNING, {349, 3, BYTES('.', '.', '/')}, NONE},
    {"trailing-bytes", "", 355, STELE_WARNING, {355, 0, BYTES(1, 2, 3)}, NONE},
    {"mesh-empty",
     "mesh[1]",
     346,
     STELE_WARNING,
     {36, 1, BYTES(2)},
     {346, 0, BYTES(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2)}},
    {"bad-version", "version", 4, STELE_ERROR, {4, 1, BYTES(9)}, NONE},
    {"bad-index-size", "mesh[0].index_size", 339, STELE_ERROR, {339, 1, BYTES(3)}, NONE},
    {"count-too-large", "mesh[0].vertices", 47, STELE_ERROR, {39, 4, BYTES(255, 255, 255, 255)}, NONE},
    {"truncated", "animation", 349, STELE_ERROR, {354, 1, (const uint8_t *)"", 0}, NONE},
};

static void findings_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof findings / sizeof *findings; i++)
        expect_finding(LITERAL(v3), &findings[i], &full);
}

static const finding rayne_findings[] = {
    {"target-limit", "mesh[0].uv_count", 43, STELE_ERROR, {43, 2, BYTES(3, 0)}, NONE},
    {"target-limit", "mesh[0].color_floats", 44, STELE_ERROR, {43, 2, BYTES(0, 6)}, NONE},
    {"target-oddity", "material[0].color[0].hint", 19, STELE_WARNING, {19, 1, BYTES(4)}, NONE},
    {"target-oddity", "material[0].uv_set[0].texture[0].hint", 9, STELE_WARNING, {9, 1, BYTES(1)}, NONE},
};

static void rayne_has_limits(void **state)
{
    (void)state;
    stele_options rayne = full;
    rayne.target = "rayne";
    for (size_t i = 0; i < sizeof rayne_findings / sizeof *rayne_findings; i++)
        expect_finding(LITERAL(v3), &rayne_findings[i], &rayne);
    stele_file *old = stele_open_memory(LITERAL(v1a), &rayne);
    assert_non_null(find_diagnostic(old, "target-limit"));
    stele_close(old);
}

static void bone_map_is_checked(void **state)
{
    (void)state;
    /* v1a: a vertex beyond the map; the map beyond the one bone of the skeleton */
    stele_file *file = stele_open_memory(LITERAL(v1a), &full);
    const stele_diagnostic *d = find_diagnostic(file, "bone-out-of-range");
    assert_non_null(d);
    assert_string_equal(d->path, "mesh[0].bone_map[0]");
    stele_close(file);
}

/* There is no bone 5; that takes a look at the skeleton, which only the full check has. */
static void bones_are_those_of_the_skeleton(void **state)
{
    (void)state;
    bytes changed = spliced(LITERAL(v3), &(splice){127, 4, BYTES(F5)}, &(splice){0});
    stele_file *file = stele_open_memory(changed.data, changed.size, &full);
    const stele_diagnostic *d = find_diagnostic(file, "bone-out-of-range");
    assert_non_null(d);
    assert_string_equal(d->path, "mesh[0].vertices[0].bones");
    stele_close(file);
    free(changed.data);
}

/* ---- From one dialect to another: the expected bytes are written out too ---- */

/* v1a as v3: the map applied (1 is bone 7, 0 is bone 4), a hint, no colours, 32-bit counts, an index size */
#define BONE7 0x00, 0x00, 0xE0, 0x40, 0x00, 0x00, 0x80, 0x40, 0x00, 0x00, 0x80, 0x40, 0x00, 0x00, 0x80, 0x40
#define BONE4 0x00, 0x00, 0x80, 0x40, 0x00, 0x00, 0x80, 0x40, 0x00, 0x00, 0x80, 0x40, 0x00, 0x00, 0x80, 0x40
static const uint8_t v1a_as_v3[] = {MAGIC,   3,       1,     0, 1, 1, 0, TEXTURE, 0,        1,        0,       0,       3,
                                    0,       0,       0,     1, 0, 0, 1, CORNER0, WEIGHTS,  BONE7,    CORNER1, WEIGHTS, BONE4,
                                    CORNER2, WEIGHTS, BONE7, 3, 0, 0, 0, 2,       TRIANGLE, ANIMATION};
/* v1b as v3: the same, but the map is an ornament */
static const uint8_t v1b_as_v3[] = {MAGIC,   3,       1,     0, 1, 1, 0, TEXTURE, 0,        1,        0,       0,       3,
                                    0,       0,       0,     1, 0, 0, 1, CORNER0, WEIGHTS,  BONE1,    CORNER1, WEIGHTS, BONE0,
                                    CORNER2, WEIGHTS, BONE1, 3, 0, 0, 0, 2,       TRIANGLE, ANIMATION};
/* v2 as v0: 32-bit indices become 16-bit, the animation byte goes */
static const uint8_t v2_as_v0[] = {0, 1, 0, 1, TEXTURE, 1, 0, 0, 3, 0, 1, 0, 0, CORNER0, CORNER1, CORNER2, 3, 0, TRIANGLE};
/* v3 as v1: colours go, skin and vertex colours stay */
static const uint8_t v3_as_v1[] = {
    MAGIC,         1, 1, 0, 1, TEXTURE, 1,        0,        0, 3, 0, 1, 4, 1, 1, FULL(CORNER0), FULL(CORNER1),
    FULL(CORNER2), 3, 0, 0, 0, 2,       TRIANGLE, ANIMATION};

static const struct {
    const uint8_t *from;
    size_t from_size;
    const char *dialect;
    const uint8_t *to;
    size_t to_size;
    const char *loss; /* an id that must be reported, or NULL: nothing is lost */
} conversions[] = {
    {LITERAL(v1a), "v3", LITERAL(v1a_as_v3), NULL},  {LITERAL(v1b), "v3", LITERAL(v1b_as_v3), NULL},
    {LITERAL(v2), "v0", LITERAL(v2_as_v0), NULL},    {LITERAL(v3), "v1", LITERAL(v3_as_v1), "loss-color"},
    {LITERAL(v1a_as_v3), "v1a", LITERAL(v1a), NULL}, {LITERAL(v1b_as_v3), "v1a", NULL, 0, NULL},
};

static void conversions_are_exact(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++) {
        stele_file *file = stele_open_memory(conversions[i].from, conversions[i].from_size, NULL);
        stele_save_options save = {.dialect = conversions[i].dialect};
        bytes out = rewritten(file, &save);
        assert_non_null(out.data);
        if (conversions[i].to) {
            assert_int_equal(out.size, conversions[i].to_size);
            assert_memory_equal(out.data, conversions[i].to, out.size);
        }
        free(out.data);
        if (conversions[i].loss)
            assert_int_equal(find_diagnostic(file, conversions[i].loss)->severity, STELE_LOSS);
        save.strict = true;
        out = rewritten(file, &save);
        assert_true((out.data == NULL) == (conversions[i].loss != NULL));
        assert_int_equal(stele_file_status(file), conversions[i].loss ? STELE_LOSSY : STELE_OK);
        free(out.data);
        stele_close(file);
    }
}

static void names_get_their_nul(void **state)
{
    static const uint8_t before[] = {MAGIC, 2, 1, 0, 1, 2, 0, 'a', 'b', 0, 0};
    static const uint8_t after[] = {MAGIC, 3, 1, 0, 1, 1, 0, 3, 0, 'a', 'b', 0, 0, 0, 0};
    (void)state;
    stele_file *file = stele_open_memory(LITERAL(before), NULL);
    stele_save_options save = {.dialect = "v3"};
    bytes out = rewritten(file, &save);
    assert_int_equal(out.size, sizeof after);
    assert_memory_equal(out.data, after, sizeof after);
    free(out.data);
    stele_close(file);
}

/* 65536 vertices do not fit in 16 bits: nothing is written, and it is said. */
static void too_much_does_not_fit(void **state)
{
    static const uint8_t head[] = {MAGIC, 3, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0};
    (void)state;
    size_t vertices = 65536 * 24, size = sizeof head + vertices + 6;
    uint8_t *big = calloc(size, 1);
    memcpy(big, head, sizeof head);
    big[sizeof head + vertices + 4] = 2;
    stele_file *file = stele_open_memory(big, size, NULL);
    stele_save_options save = {.dialect = "v1"};
    assert_int_equal(stele_file_status(file), STELE_OK);
    assert_null(rewritten(file, &save).data);
    assert_int_equal(stele_file_status(file), STELE_DAMAGED);
    assert_string_equal(find_diagnostic(file, "does-not-fit")->path, "mesh[0]");
    stele_close(file);
    free(big);
}

/* ---- What is not an SGM ---- */

static void strangers_are_named(void **state)
{
    static const struct {
        const char *text, *says;
    } strangers[] = {{"version https://git-lfs.github.com/spec/v1\noid sha256:12\n", "git lfs pull"},
                     {"<?xml version=\"1.0\"?><environment/>", "XML"},
                     {"<environment><material/></environment>", "XML"},
                     {"<!DOCTYPE html>", "SGML"},
                     {"hello", "is no sgm"},
                     {"", "empty"}};
    (void)state;
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) {
        stele_file *file = stele_open_memory(strangers[i].text, strlen(strangers[i].text), &full);
        assert_int_equal(stele_file_status(file), STELE_UNSUPPORTED);
        if (!strstr(stele_file_message(file), strangers[i].says))
            fail_msg("%s: %s", strangers[i].text, stele_file_message(file));
        stele_close(file);
    }
}

/* Every LF became CR LF: undone in the mind of the reader, the file is whole. The other way, bytes are gone. */
static void line_endings_are_recognised(void **state)
{
    static const uint8_t with_lf[] = {MAGIC, 3, 1, 0, 1, 1, 0, 3, 0, 'a', '\r', '\n', 0, 0, 0, 0};
    static const uint8_t original[] = {MAGIC, 3, 1, 0, 1, 1, 0, 3, 0, 'a', '\n', 0, 0, 0, 0};
    (void)state;
    stele_file *file = stele_open_memory(LITERAL(original), &full);
    assert_int_equal(stele_file_status(file), STELE_OK);
    stele_close(file);
    file = stele_open_memory(LITERAL(with_lf), &full);
    assert_int_equal(stele_file_status(file), STELE_DAMAGED);
    assert_non_null(find_diagnostic(file, "line-endings-converted"));
    assert_non_null(strstr(stele_file_message(file), "CR LF"));
    stele_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals_are_recognised),
        cmocka_unit_test(companions_are_summed_up),
        cmocka_unit_test(v1b_is_not_taken_for_v1a),
        cmocka_unit_test(findings_are_found),
        cmocka_unit_test(rayne_has_limits),
        cmocka_unit_test(bone_map_is_checked),
        cmocka_unit_test(bones_are_those_of_the_skeleton),
        cmocka_unit_test(conversions_are_exact),
        cmocka_unit_test(names_get_their_nul),
        cmocka_unit_test(too_much_does_not_fit),
        cmocka_unit_test(strangers_are_named),
        cmocka_unit_test(line_endings_are_recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
