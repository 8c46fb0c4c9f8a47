/* MESH: byte literals of all dialects, written out by hand from the format's page. */
#include "literal.h"

#define IDENTITY F1, F0, F0, F0, F0, F1, F0, F0, F0, F0, F1, F0, F0, F0, F0, F1
#define COUNTS 3, 0, 0, 0, 3, 0, 0, 0, 2
#define INDICES 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0
#define SKIN 0, 1, 255, 255, 200, 55, 0, 0
#define JOINTS 0, 255, IDENTITY, 1, 0, IDENTITY
/* position, rotation w x y z, scale */
#define POSE F0, F1, F0, F1, F0, F0, F0, F1, F1, F1
#define UP F0, F0, F1
#define BARE_VERTICES F0, F0, F0, UP, F1, F0, F0, UP, F0, F1, F0, UP
#define SKINNED_VERTICES F0, F0, F0, UP, SKIN, F1, F0, F0, UP, SKIN, F0, F1, F0, UP, SKIN
#define FULL_VERTICES F0, F0, F0, UP, F0, F0, SKIN, F1, F0, F0, UP, F1, F0, SKIN, F0, F1, F0, UP, F0, F1, SKIN
#define NAME0 0, 0, 0, 0
#define TWO_POSES 2, 0, 0, 0, F0, F1
#define SMALL_POSES 0, POSE, 1, POSE, 0, POSE, 1, POSE
#define LARGE_POSES 0, 0, 0, 0, POSE, 1, 0, 0, 0, POSE, 0, 0, 0, 0, POSE, 1, 0, 0, 0, POSE

static const uint8_t a1[] = {1, 11, 0, COUNTS, BARE_VERTICES, INDICES};
static const uint8_t a2[] = {1, 11, 0, COUNTS, SKINNED_VERTICES, INDICES};
static const uint8_t a3[] = {1, 11, 0, COUNTS, SKINNED_VERTICES, INDICES, JOINTS};
static const uint8_t b1[] = {1, 11, 0, COUNTS, 1, SKINNED_VERTICES, INDICES, JOINTS, NAME0, F1, F2, 'n', 0};
static const uint8_t b2[] = {
    1,
    15,
    0,
    COUNTS,
    1,             /*   0 version, 1 format, 3 counts, 12 animations */
    FULL_VERTICES, /*  13 */
    INDICES,       /* 133 */
    JOINTS,        /* 145 */
    NAME0,
    F1,
    F2,          /* 277 name, 281 duration, 285 speed */
    TWO_POSES,   /* 289 count, 293 timestamps */
    LARGE_POSES, /* 301 */
    'n',
    0, /* 477 */
};
static const uint8_t b3[] = {1,     15, 0,  COUNTS,    1,           FULL_VERTICES, INDICES, JOINTS,
                             NAME0, F1, F2, TWO_POSES, SMALL_POSES, 'n',           0};
static const uint8_t c1[] = {1,     15, 0,  COUNTS,    1,           0,   IDENTITY, FULL_VERTICES, INDICES, JOINTS,
                             NAME0, F1, F2, TWO_POSES, SMALL_POSES, 'n', 0};
static const uint8_t c2[] = {
    1,
    15,
    0,
    COUNTS,
    1,
    0,
    IDENTITY,      /*   0 version, 1 format, 3 counts, 12 animations, 14 root transform */
    FULL_VERTICES, /*  78 */
    INDICES,       /* 198 */
    JOINTS,        /* 210 and 276 */
    F1,
    F2,
    TWO_POSES,   /* 342 duration, 346 speed, 350 count, 354 timestamps */
    SMALL_POSES, /* 362, 403, 444, 485 */
};

static const stele_options full = {.check = STELE_CHECK_FULL, .name = "x.mesh"}, nameless = {.check = STELE_CHECK_FULL};

static const splice nothing;

typedef struct sample {
    const char *dialect;
    const uint8_t *data;
    size_t size;
} sample;

static const sample samples[] = {
    {"A1", LITERAL(a1)}, {"A2", LITERAL(a2)}, {"A3", LITERAL(a3)}, {"B1", LITERAL(b1)},
    {"B2", LITERAL(b2)}, {"B3", LITERAL(b3)}, {"C1", LITERAL(c1)}, {"C2", LITERAL(c2)},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static void literals_are_recognised(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        stele_file *file = stele_open_memory(samples[i].data, samples[i].size, &nameless);
        size_t count;
        if (stele_file_status(file) != STELE_OK)
            fail_msg("%s: %s", samples[i].dialect, stele_file_message(file));
        assert_string_equal(stele_file_format(file), "mesh");
        assert_string_equal(stele_file_dialect(file), samples[i].dialect);
        stele_file_diagnostics(file, &count);
        assert_int_equal(count, i == 0); /* A1 says that it has vertex joints, and has none */
        bytes out = rewritten(file, NULL);
        assert_int_equal(out.size, samples[i].size);
        assert_memory_equal(out.data, samples[i].data, out.size);
        free(out.data);
        stele_close(file);
    }
}

static void content_is_described(void **state)
{
    (void)state;
    stele_file *file = stele_open_memory(LITERAL(b2), &full);
    const stele_info *info = stele_file_info(file);
    assert_int_equal(info->mesh_count, 1);
    assert_int_equal(info->meshes[0].vertices, 3);
    assert_int_equal(info->meshes[0].triangles, 1);
    assert_int_equal(info->meshes[0].attribute_count, 5);
    assert_string_equal(info->meshes[0].attributes[2], "uv");
    assert_true(info->bounds.known && info->bounds.max[0] == 1 && info->bounds.max[2] == 0);
    assert_int_equal(info->joints, 2);
    assert_int_equal(info->clip_count, 1);
    assert_string_equal(info->clips[0].name, "n");
    assert_true(info->clips[0].seconds == 0.5);
    assert_int_equal(info->clips[0].tracks, 2);
    assert_int_equal(info->clips[0].keys, 4);
    stele_close(file);
}

static void no_speed_is_25_ticks(void **state)
{
    (void)state;
    splice still = {346, 4, BYTES(F0)};
    bytes slow = spliced(LITERAL(c2), &still, &nothing);
    stele_file *file = stele_open_memory(slow.data, slow.size, &full);
    assert_true(stele_file_info(file)->clips[0].seconds == 1.0 / 25);
    assert_string_equal(stele_file_info(file)->clips[0].name, "");
    stele_close(file);
    free(slow.data);
}

/* ---- Dialects that cannot be told apart ---- */

static void expect_dialect(const uint8_t *data, size_t size, const char *dialect)
{
    stele_file *file = stele_open_memory(data, size, &nameless);
    if (stele_file_status(file) != STELE_OK)
        fail_msg("%s: %s", dialect, stele_file_message(file));
    assert_string_equal(stele_file_dialect(file), dialect);
    stele_close(file);
}

static void labels_of_the_ambiguous(void **state)
{
    static const uint8_t a[] = {1, 3, 0, 3, 0, 0, 0, 3, 0, 0, 0, 0, BARE_VERTICES, INDICES};
    static const uint8_t b[] = {1, 11, 0, COUNTS, 0, SKINNED_VERTICES, INDICES, JOINTS};
    static const uint8_t c[] = {1, 11, 0, COUNTS, 0, 0, IDENTITY, SKINNED_VERTICES, INDICES, JOINTS};
    static const uint8_t jointless[] = {1,       3,     0,  3,  0,         0,   0, 3, 0, 0, 0, 0, 1, BARE_VERTICES,
                                        INDICES, NAME0, F1, F2, TWO_POSES, 'n', 0};
    (void)state;
    expect_dialect(LITERAL(a), "A3");
    expect_dialect(LITERAL(b), "B2");
    expect_dialect(LITERAL(c), "C2");
    expect_dialect(LITERAL(jointless), "B2");
}

/* As a B2, the pose takes three letters of the name, the file ends where it should, and the rotation is next to nothing. */
static void an_end_alone_proves_nothing(void **state)
{
    static const uint8_t b[] = {1,       3,  0,   3,        0,     0,  0,  3,  0,  0,   0,   1,   1,   BARE_VERTICES,
                                INDICES, 0,  255, IDENTITY, NAME0, F1, F2, 1,  0,  0,   0,   F0,  0,   F0,
                                F0,      F0, F1,  F0,       F0,    F0, F1, F1, F1, 'w', 'a', 'l', 'k', 0};
    (void)state;
    expect_dialect(LITERAL(b), "B3");
}

static void missing_strings_are_survived(void **state)
{
    (void)state;
    for (size_t i = 3; i < 7; i++) {
        stele_file *file = stele_open_memory(samples[i].data, samples[i].size - 2, &nameless);
        const stele_diagnostic *d = find_diagnostic(file, "strings-missing");
        assert_string_equal(stele_file_dialect(file), samples[i].dialect);
        assert_non_null(d);
        assert_int_equal(d->offset, samples[i].size - 2);
        assert_string_equal(stele_file_info(file)->clips[0].name, "");
        bytes out = rewritten(file, NULL);
        assert_int_equal(out.size, samples[i].size - 2);
        free(out.data);
        stele_close(file);
    }
}

static const splice not_p0[] = {{0, 1, BYTES(4)}, {2, 1, BYTES(2)}, {6, 1, BYTES(2)}, {47, 1, BYTES(9)}, {59, 0, BYTES(0)}};

static void the_first_layout_is_refused_by_name(void **state)
{
    static const uint8_t p0[] = {2, 0, 3, 0, 0, 0, 3, 0, 0, 0, 0, F0, F0, F0, F1, F0, F0, F0, F1, F0, INDICES};
    (void)state;
    stele_file *file = stele_open_memory(LITERAL(p0), &full);
    assert_int_equal(stele_file_status(file), STELE_UNSUPPORTED);
    assert_string_equal(stele_file_format(file), "mesh");
    assert_non_null(find_diagnostic(file, "bad-version"));
    stele_close(file);

    for (size_t i = 0; i < sizeof not_p0 / sizeof *not_p0; i++) {
        bytes changed = spliced(LITERAL(p0), &not_p0[i], &nothing);
        file = stele_open_memory(changed.data, changed.size, &full);
        assert_null(find_diagnostic(file, "bad-version"));
        stele_close(file);
        free(changed.data);
    }
}

/* So many poses of no bytes: only their timestamps count. */
static void expect_poses(uint8_t claimed, stele_status status)
{
    enum { POSES = 1000 };
    static const uint8_t start[] = {1, 3, 0, 3, 0, 0, 0, 3, 0, 0, 0, 0, 1, 0, IDENTITY, BARE_VERTICES, INDICES, F0, F0};
    uint8_t data[sizeof start + 4 + 4 * POSES] = {0};
    stele_options limited = full;
    limited.memory_limit = 64 << 10;
    memcpy(data, start, sizeof start);
    memcpy(data + sizeof start, (uint8_t[]){POSES & 255, POSES >> 8, 0, claimed}, 4);
    stele_file *file = stele_open_memory(LITERAL(data), &limited);
    assert_int_equal(stele_file_status(file), status);
    assert_string_equal(stele_file_dialect(file), "C2");
    if (status == STELE_OK)
        assert_int_equal(stele_file_info(file)->clips[0].keys, 0);
    stele_close(file);
}

static void poses_of_no_joints_cost_nothing(void **state)
{
    (void)state;
    expect_poses(0, STELE_OK);
    expect_poses(255, STELE_DAMAGED);
}

/* ---- Findings ---- */

#define NONE                                                                                                                   \
    {                                                                                                                          \
        0                                                                                                                      \
    }
static const finding in_c2[] = {
    {"bad-field", "format", 1, STELE_ERROR, {1, 1, BYTES(14)}, NONE},
    {"bad-field", "format", 1, STELE_ERROR, {2, 1, BYTES(1)}, NONE},
    {"nonfinite-transform", "root_transform", 14, STELE_ERROR, {26, 4, BYTES(FNAN)}, NONE},
    {"transform-not-affine", "root_transform", 14, STELE_WARNING, {62, 4, BYTES(F1)}, NONE},
    {"nonfinite-position", "vertices[1].position", 118, STELE_ERROR, {118, 4, BYTES(FNAN)}, NONE},
    {"nonfinite-uv", "vertices[0].uv", 106, STELE_WARNING, {106, 4, BYTES(FINF)}, NONE},
    {"normal-length", "vertices[0].normal", 90, STELE_WARNING, {98, 4, BYTES(F2)}, NONE},
    {"bone-out-of-range", "vertices[2].joints", 190, STELE_ERROR, {191, 1, BYTES(2)}, NONE},
    {"weight-sum", "vertices[0].weights", 114, STELE_WARNING, {114, 1, BYTES(197)}, NONE},
    {"weight-all-zero", "vertices[0].weights", 114, STELE_WARNING, {114, 2, BYTES(0, 0)}, NONE},
    {"weight-all-zero", "vertices[0].weights", 114, STELE_WARNING, {110, 1, BYTES(255)}, NONE},
    {"index-out-of-range", "indices[2]", 206, STELE_ERROR, {206, 1, BYTES(3)}, NONE},
    {"degenerate-triangle", "indices[0]", 198, STELE_WARNING, {206, 1, BYTES(1)}, NONE},
    {"joint-id", "joints[1].id", 276, STELE_ERROR, {276, 1, BYTES(0)}, NONE},
    {"joint-id", "joints[1].id", 276, STELE_ERROR, {276, 1, BYTES(2)}, NONE},
    {"parent-out-of-range", "joints[1].parent", 277, STELE_ERROR, {277, 1, BYTES(2)}, NONE},
    {"bone-cycle", "joints[0]", 210, STELE_ERROR, {211, 1, BYTES(1)}, NONE},
    {"bone-cycle", "joints[1]", 276, STELE_ERROR, {277, 1, BYTES(1)}, NONE},
    {"nonfinite-transform", "joints[0].inverse_bind", 212, STELE_ERROR, {212, 4, BYTES(FINF)}, NONE},
    {"transform-not-affine", "joints[1].inverse_bind", 278, STELE_WARNING, {338, 4, BYTES(F2)}, NONE},
    {"skeleton-empty", "joint_count", 11, STELE_WARNING, {11, 1, BYTES(0)}, {210, 132, (const uint8_t *)"", 0}},
    {"nonfinite-key", "animation[0].duration", 342, STELE_ERROR, {342, 4, BYTES(FNAN)}, NONE},
    {"nonfinite-key", "animation[0].speed", 346, STELE_ERROR, {346, 4, BYTES(FINF)}, NONE},
    {"nonfinite-key", "animation[0].timestamps[1]", 358, STELE_ERROR, {358, 4, BYTES(FNAN)}, NONE},
    {"nonfinite-key", "animation[0].poses[1]", 404, STELE_ERROR, {440, 4, BYTES(FNAN)}, NONE},
    {"time-negative", "animation[0].speed", 346, STELE_WARNING, {346, 4, BYTES(FMINUS)}, NONE},
    {"time-unsorted", "animation[0].timestamps[1]", 358, STELE_WARNING, {358, 4, BYTES(FMINUS)}, NONE},
    {"time-repeated", "animation[0].timestamps[1]", 358, STELE_WARNING, {358, 4, BYTES(F0)}, NONE},
    {"time-past-duration", "animation[0].timestamps[1]", 358, STELE_WARNING, {342, 4, BYTES(FHALF)}, NONE},
    {"pose-joints", "animation[0].poses[1].joint", 403, STELE_ERROR, {403, 1, BYTES(0)}, NONE},
    {"pose-joints", "animation[0].poses[2].joint", 444, STELE_ERROR, {444, 1, BYTES(2)}, NONE},
    {"rotation-not-unit", "animation[0].poses[3].rotation", 498, STELE_WARNING, {498, 4, BYTES(F2)}, NONE},
    {"clip-empty", "animation[0].pose_count", 350, STELE_WARNING, {350, 176, BYTES(0, 0, 0, 0)}, NONE},
    {"trailing-bytes", "", 526, STELE_WARNING, {526, 0, BYTES(0)}, NONE},
    {"truncated", "animation[0].poses", 362, STELE_ERROR, {525, 1, (const uint8_t *)"", 0}, NONE},
    {"count-too-large", "vertices", 78, STELE_ERROR, {6, 1, BYTES(9)}, NONE},
};
static const finding in_b2[] = {
    {"name-out-of-range", "animation[0].name", 277, STELE_ERROR, {277, 1, BYTES(1)}, NONE},
    {"strings-missing", "strings", 477, STELE_ERROR, {478, 1, (const uint8_t *)"", 0}, NONE},
    {"pose-joints", "animation[0].poses[1].joint", 345, STELE_ERROR, {346, 1, BYTES(1)}, NONE},
    {"trailing-bytes", "", 479, STELE_WARNING, {479, 0, BYTES('x', 0)}, NONE},
};
static const finding in_b1[] = {
    {"nonfinite-normal", "vertices[0].normal", 25, STELE_ERROR, {25, 4, BYTES(FNAN)}, NONE},
};

static void findings_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof in_c2 / sizeof *in_c2; i++)
        expect_finding(LITERAL(c2), &in_c2[i], &full);
    for (size_t i = 0; i < sizeof in_b2 / sizeof *in_b2; i++)
        expect_finding(LITERAL(b2), &in_b2[i], &full);
    for (size_t i = 0; i < sizeof in_b1 / sizeof *in_b1; i++)
        expect_finding(LITERAL(b1), &in_b1[i], &full);
}

static void expect_dialects(const sample *s, const finding *findings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bytes changed = spliced(s->data, s->size, &findings[i].first, &findings[i].second);
        stele_file *file = stele_open_memory(changed.data, changed.size, &full);
        if (strcmp(stele_file_dialect(file), s->dialect) != 0)
            fail_msg("with %s, %s is taken for %s", findings[i].id, s->dialect, stele_file_dialect(file));
        stele_close(file);
        free(changed.data);
    }
}

static void damage_keeps_the_dialect(void **state)
{
    (void)state;
    expect_dialects(&samples[7], in_c2, sizeof in_c2 / sizeof *in_c2);
    expect_dialects(&samples[4], in_b2, sizeof in_b2 / sizeof *in_b2);
    expect_dialects(&samples[3], in_b1, sizeof in_b1 / sizeof *in_b1);
}

/* The second joint rests one above the first, but no pose says so. */
#define STILL F0, F0, F0, F1, F0, F0, F0, F1, F1, F1
#define ALL_STILL 362, 164, BYTES(0, STILL, 1, STILL, 0, STILL, 1, STILL)
#define ONE_MOVES 362, 164, BYTES(0, STILL, 1, STILL, 0, STILL, 1, POSE)
#define RAISED 306, 4, BYTES(FMINUS)
#define WITHOUT_WEIGHT 78, 120, BYTES(FULL_VERTICES_OF_FIRST_JOINT)
#define FIRST_ONLY 0, 255, 255, 255, 255, 0, 0, 0
#define FULL_VERTICES_OF_FIRST_JOINT                                                                                           \
    F0, F0, F0, UP, F0, F0, FIRST_ONLY, F1, F0, F0, UP, F1, F0, FIRST_ONLY, F0, F1, F0, UP, F0, F1, FIRST_ONLY
static const finding forgotten = {"identity-pose", "joints[1]", 276, STELE_WARNING, {ALL_STILL}, {RAISED}};
static const splice not_forgotten[][3] = {
    {{ALL_STILL}, NONE, NONE},                 /* it rests there */
    {{RAISED}, NONE, NONE},                    /* every pose moves it */
    {{ONE_MOVES}, {RAISED}, NONE},             /* one does */
    {{ALL_STILL}, {RAISED}, {WITHOUT_WEIGHT}}, /* no vertex follows it */
};

static void forgotten_joints_are_found(void **state)
{
    (void)state;
    expect_finding(LITERAL(c2), &forgotten, &full);
    for (size_t i = 0; i < sizeof not_forgotten / sizeof *not_forgotten; i++) {
        bytes some = spliced(LITERAL(c2), &not_forgotten[i][0], &not_forgotten[i][1]);
        bytes changed = spliced(some.data, some.size, &not_forgotten[i][2], &nothing);
        stele_file *file = stele_open_memory(changed.data, changed.size, &full);
        assert_int_equal(stele_file_status(file), STELE_OK);
        assert_null(find_diagnostic(file, "identity-pose"));
        stele_close(file);
        free(some.data);
        free(changed.data);
    }
}

/* ---- Conversion ---- */

typedef struct conversion {
    sample from, to;
    const char *loss; /* or NULL */
} conversion;

static void expect_conversion(const conversion *k)
{
    stele_file *file = stele_open_memory(k->from.data, k->from.size, &nameless);
    stele_save_options save = {.dialect = k->to.dialect, .strict = true};
    bytes strict = rewritten(file, &save);
    if (k->loss) {
        assert_null(strict.data);
        assert_int_equal(stele_file_status(file), STELE_LOSSY);
        if (!find_diagnostic(file, k->loss))
            fail_msg("%s to %s: no %s", k->from.dialect, k->to.dialect, k->loss);
    } else if (!strict.data) {
        fail_msg("%s to %s: %s", k->from.dialect, k->to.dialect, stele_file_message(file));
    }
    save.strict = false;
    bytes out = rewritten(file, &save);
    if (out.size != k->to.size || memcmp(out.data, k->to.data, out.size) != 0)
        fail_msg("%s to %s: other bytes", k->from.dialect, k->to.dialect);
    free(strict.data);
    free(out.data);
    stele_close(file);
}

static void conversions_are_exact(void **state)
{
    static const uint8_t c2_of_b1[] = {1, 11, 0, COUNTS, 1, 0, IDENTITY, SKINNED_VERTICES, INDICES, JOINTS, F1, F2, 0, 0, 0, 0};
    static const uint8_t b3_of_c2[] = {1,      15,    0,  COUNTS, 1,         FULL_VERTICES, INDICES,
                                       JOINTS, NAME0, F1, F2,     TWO_POSES, SMALL_POSES,   0};
    static const uint8_t b1_of_b2[] = {1, 15, 0, COUNTS, 1, FULL_VERTICES, INDICES, JOINTS, NAME0, F1, F2, 'n', 0};
    static const uint8_t a3_of_c2[] = {1, 15, 0, COUNTS, FULL_VERTICES, INDICES, JOINTS};
    static const uint8_t flat[] = {1, 11, 0, COUNTS, SKINNED_VERTICES, INDICES, 0, 255, IDENTITY, 1, 255, IDENTITY};
    static const uint8_t a3_of_a1[] = {1, 3, 0, COUNTS, BARE_VERTICES, INDICES, 0, 255, IDENTITY, 1, 255, IDENTITY};
    const sample named = {"B2", b2, sizeof b2}, cut = {"B2", b2, sizeof b2 - 2};
    static const uint8_t b3_of_cut[] = {1,      15,    0,  COUNTS, 1,         FULL_VERTICES, INDICES,
                                        JOINTS, NAME0, F1, F2,     TWO_POSES, SMALL_POSES,   0};
    const conversion conversions[] = {
        {named, {"B3", LITERAL(b3)}, NULL},
        {{"B3", LITERAL(b3)}, named, NULL},
        {{"B3", LITERAL(b3)}, {"C1", LITERAL(c1)}, NULL},
        {{"C1", LITERAL(c1)}, named, NULL},
        {{"C1", LITERAL(c1)}, {"C2", LITERAL(c2)}, "loss-name"},
        {{"C2", LITERAL(c2)}, {"B3", LITERAL(b3_of_c2)}, NULL},
        {named, {"B1", LITERAL(b1_of_b2)}, "loss-poses"},
        {{"B1", LITERAL(b1)}, {"C2", LITERAL(c2_of_b1)}, "loss-name"},
        {{"C2", LITERAL(c2)}, {"A3", LITERAL(a3_of_c2)}, "loss-animation"},
        {{"A3", LITERAL(a3)}, {"A2", LITERAL(a2)}, "loss-skeleton"},
        {{"A2", LITERAL(a2)}, {"A3", LITERAL(flat)}, NULL},
        {{"A2", LITERAL(a2)}, {"A1", LITERAL(a1)}, "loss-skin"},
        {{"A1", LITERAL(a1)}, {"A3", LITERAL(a3_of_a1)}, NULL},
        {cut, {"B3", LITERAL(b3_of_cut)}, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++)
        expect_conversion(&conversions[i]);
}

static void a_root_transform_is_lost(void **state)
{
    (void)state;
    stele_save_options save = {.dialect = "B2"};
    bytes turned = spliced(LITERAL(c2), &(splice){14, 4, BYTES(F2)}, &nothing);
    stele_file *file = stele_open_memory(turned.data, turned.size, &full);
    free(rewritten(file, &save).data);
    const stele_diagnostic *loss = find_diagnostic(file, "loss-transform");
    assert_non_null(loss);
    assert_int_equal(loss->severity, STELE_LOSS);
    stele_close(file);
    free(turned.data);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    /* 256 animations without poses, and a joint that no byte holds */
    static const uint8_t header[] = {1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, IDENTITY};
    uint8_t many[sizeof header + 256 * 12] = {0};
    stele_save_options save = {.dialect = "B2"};
    memcpy(many, header, sizeof header);
    stele_file *file = stele_open_memory(LITERAL(many), &full);
    assert_string_equal(stele_file_dialect(file), "C2");
    assert_null(rewritten(file, &save).data);
    assert_string_equal(find_diagnostic(file, "does-not-fit")->path, "animation_count");
    stele_close(file);

    bytes wide = spliced(LITERAL(b2), &(splice){346, 1, BYTES(1)}, &nothing);
    save.dialect = "B3";
    file = stele_open_memory(wide.data, wide.size, &full);
    assert_null(rewritten(file, &save).data);
    assert_string_equal(find_diagnostic(file, "does-not-fit")->path, "animation[0].poses[1].joint");
    stele_close(file);
    free(wide.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals_are_recognised),
        cmocka_unit_test(content_is_described),
        cmocka_unit_test(no_speed_is_25_ticks),
        cmocka_unit_test(labels_of_the_ambiguous),
        cmocka_unit_test(missing_strings_are_survived),
        cmocka_unit_test(the_first_layout_is_refused_by_name),
        cmocka_unit_test(poses_of_no_joints_cost_nothing),
        cmocka_unit_test(findings_are_found),
        cmocka_unit_test(damage_keeps_the_dialect),
        cmocka_unit_test(an_end_alone_proves_nothing),
        cmocka_unit_test(forgotten_joints_are_found),
        cmocka_unit_test(conversions_are_exact),
        cmocka_unit_test(a_root_transform_is_lost),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
