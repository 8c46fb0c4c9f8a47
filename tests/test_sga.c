/* SGA: byte literals of both dialects, written out by hand from the format's page. */
#include "literal.h"

#define MAGIC 0x5A, 0x4E, 0xDA, 0x16
#define KEY(time) time, F0, F0, F0, F1, F1, F1, F0, F0, F0, F1
#define IDENTITY F0, F0, F0, F1

static const uint8_t v1[] = {
    MAGIC, 1, 2,   0, 's', 0,                                /*   0 magic, version, 5 skeleton */
    2,     0,                                                /*   9 bones */
    2,     0, 'a', 0, F0,  F0, F0,      1,       1, 0, 1, 0, /*  11 name, 15 position, 27 root, 28 children, 30 child */
    2,     0, 'b', 0, F0,  F1, F0,      0,       0, 0,       /*  32 name, 36 position, 48 root, 49 children */
    1,     0,                                                /*  51 clips */
    2,     0, 'w', 0, 2,   0,                                /*  53 name, 57 tracks */
    0,     0, 2,   0, 0,   0,  KEY(F0), KEY(F1),             /*  59 bone, 61 keys, 65 and 109 */
    1,     0, 1,   0, 0,   0,  KEY(F0),                      /* 153 bone, 155 keys, 159 */
};
static const uint8_t prototype[] = {MAGIC, 1, 2, 0, 's', 0, 1,   0, 2, 0, 'a', 0, F0, F0, F0, IDENTITY, 1,
                                    0,     0, 1, 0, 2,   0, 'w', 0, 1, 0, 0,   0, 1,  0,  0,  0,        KEY(F1)};

static const stele_options full = {.check = STELE_CHECK_FULL, .name = "x.sga"};

static void literals_are_recognised(void **state)
{
    (void)state;
    stele_file *file = stele_open_memory(LITERAL(v1), &full);
    const stele_info *info = stele_file_info(file);
    size_t count;
    assert_int_equal(stele_file_status(file), STELE_OK);
    stele_file_diagnostics(file, &count);
    assert_int_equal(count, 0);
    assert_string_equal(stele_file_dialect(file), "v1");
    assert_int_equal(info->joints, 2);
    assert_int_equal(info->clip_count, 1);
    assert_string_equal(info->clips[0].name, "w");
    assert_int_equal(info->clips[0].tracks, 2);
    assert_int_equal(info->clips[0].keys, 3);
    assert_true(info->clips[0].seconds == 1.0 / 24);
    stele_close(file);

    file = stele_open_memory(LITERAL(prototype), &full);
    assert_int_equal(stele_file_status(file), STELE_OK);
    assert_string_equal(stele_file_dialect(file), "prototype");
    bytes out = rewritten(file, NULL);
    assert_int_equal(out.size, sizeof prototype);
    assert_memory_equal(out.data, prototype, out.size);
    free(out.data);
    stele_close(file);
}

#define NONE                                                                                                                   \
    {                                                                                                                          \
        0                                                                                                                      \
    }
static const finding findings[] = {
    {"child-out-of-range", "bone[0].child[0]", 30, STELE_ERROR, {30, 1, BYTES(9)}, NONE},
    {"bone-cycle", "bone[0]", 11, STELE_ERROR, {49, 2, BYTES(1, 0, 0, 0)}, NONE},
    {"bone-cycle", "bone[0]", 11, STELE_ERROR, {30, 1, BYTES(0)}, NONE},
    {"bone-two-parents", "bone[0].child[1]", 32, STELE_ERROR, {28, 4, BYTES(2, 0, 1, 0, 1, 0)}, NONE},
    {"root-flag", "bone[0].is_root", 27, STELE_WARNING, {27, 1, BYTES(0)}, NONE},
    {"root-flag", "bone[1].is_root", 48, STELE_WARNING, {48, 1, BYTES(1)}, NONE},
    {"flag-not-boolean", "bone[0].is_root", 27, STELE_WARNING, {27, 1, BYTES(3)}, NONE},
    {"track-unknown-bone", "clip[0].track[0].bone", 59, STELE_ERROR, {59, 1, BYTES(2)}, NONE},
    {"track-duplicate", "clip[0].track[1].bone", 153, STELE_WARNING, {153, 1, BYTES(0)}, NONE},
    {"track-empty", "clip[0].track[1].key_count", 155, STELE_ERROR, {155, 48, BYTES(0, 0, 0, 0)}, NONE},
    {"time-unsorted", "clip[0].track[0].key[1].time", 109, STELE_WARNING, {109, 4, BYTES(FMINUS)}, NONE},
    {"time-repeated", "clip[0].track[0].key[1].time", 109, STELE_WARNING, {109, 4, BYTES(F0)}, NONE},
    {"rotation-not-unit", "clip[0].track[1].key[0].rotation", 187, STELE_WARNING, {199, 4, BYTES(F2)}, NONE},
    {"nonfinite-key", "clip[0].track[1].key[0]", 159, STELE_ERROR, {175, 4, BYTES(FNAN)}, NONE},
    {"nonfinite-bone", "bone[1].position", 36, STELE_ERROR, {40, 4, BYTES(FINF)}, NONE},
    {"clip-duplicate", "clip[1].name", 205, STELE_WARNING, {51, 1, BYTES(2)}, {203, 0, BYTES(2, 0, 'w', 0, 0, 0)}},
    {"clip-empty", "clip[1]", 203, STELE_WARNING, {51, 1, BYTES(2)}, {203, 0, BYTES(2, 0, 'v', 0, 0, 0)}},
    {"skeleton-empty", "bone_count", 9, STELE_WARNING, {9, 194, BYTES(0, 0, 0, 0)}, NONE},
    {"string-no-nul", "skeleton", 7, STELE_WARNING, {8, 1, BYTES('t')}, NONE},
    {"string-not-utf8", "bone[1].name", 34, STELE_WARNING, {34, 1, BYTES(0xC0)}, NONE},
    {"trailing-bytes", "", 203, STELE_WARNING, {203, 0, BYTES(0)}, NONE},
    {"bad-version", "version", 4, STELE_ERROR, {4, 1, BYTES(2)}, NONE},
    {"count-too-large", "clip[0].track[1].key", 159, STELE_ERROR, {155, 4, BYTES(255, 255, 255, 255)}, NONE},
    {"truncated", "clip[0].track[1].key", 159, STELE_ERROR, {202, 1, (const uint8_t *)"", 0}, NONE},
};

static void findings_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof findings / sizeof *findings; i++)
        expect_finding(LITERAL(v1), &findings[i], &full);
}

static void rayne_has_limits(void **state)
{
    (void)state;
    stele_options rayne = full;
    rayne.target = "rayne";
    stele_file *file = stele_open_memory(LITERAL(prototype), &rayne);
    assert_non_null(find_diagnostic(file, "target-limit"));
    stele_close(file);
    file = stele_open_memory(LITERAL(v1), &rayne);
    assert_null(find_diagnostic(file, "target-limit"));
    stele_close(file);
}

static void prototype_becomes_v1(void **state)
{
    static const uint8_t as_v1[] = {MAGIC, 1, 2, 0, 's', 0,   1, 0, 2, 0, 'a', 0, F0, F0, F0, 1,      0,
                                    0,     1, 0, 2, 0,   'w', 0, 1, 0, 0, 0,   1, 0,  0,  0,  KEY(F1)};
    (void)state;
    stele_file *file = stele_open_memory(LITERAL(prototype), &full);
    stele_save_options save = {.dialect = "v1", .strict = true};
    bytes out = rewritten(file, &save);
    assert_int_equal(out.size, sizeof as_v1);
    assert_memory_equal(out.data, as_v1, out.size);
    free(out.data);
    stele_close(file);

    file = stele_open_memory(LITERAL(as_v1), &full);
    save.dialect = "prototype";
    out = rewritten(file, &save);
    assert_int_equal(out.size, sizeof prototype);
    assert_memory_equal(out.data, prototype, out.size);
    free(out.data);
    stele_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals_are_recognised),
        cmocka_unit_test(findings_are_found),
        cmocka_unit_test(rayne_has_limits),
        cmocka_unit_test(prototype_becomes_v1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
