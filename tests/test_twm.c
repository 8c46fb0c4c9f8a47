/* TWM: byte literals of every version and of the readings, written out by hand from the format's page. */
#include <lz4.h>

#include "literal.h"

#define HEADER(version, meshes, skeleton) '.', 't', 'w', 'm', version, 0, 0, 0, meshes, 0, 0, 0, skeleton, 0, 0, 0
#define FOOTER '.', 't', 'w', 'm', ' ', 'E', 'N', 'D', ' ', 'O', 'F', ' ', 'F', 'I', 'L', 'E'
#define U32(n) n, 0, 0, 0
#define U64(n) n, 0, 0, 0, 0, 0, 0, 0
#define FLAGS(normals, uvs, tangents, binormals, deformer) normals, uvs, tangents, binormals, deformer, 0, 0, 0
#define POSITIONS F0, F0, F0, F1, F0, F0, F0, F1, F0
#define NORMALS F0, F0, F1, F0, F0, F1, F0, F0, F1
#define UVS F0, F0, F1, F0, F0, F1
#define INDICES32 U32(0), U32(1), U32(2)
#define INDICES64 U64(0), U64(1), U64(2)
#define NOTHING U32(0)

static const uint8_t v1[] = {HEADER(1, 1, 0), U64(3), FLAGS(1, 1, 0, 0, 0), POSITIONS, NORMALS, UVS, U64(3), INDICES64,
                             NOTHING,         FOOTER};
static const uint8_t v1_narrow[] = {HEADER(1, 1, 0), U64(3), FLAGS(0, 0, 0, 0, 0), POSITIONS, U64(3), INDICES32,
                                    NOTHING,         FOOTER};
/* the flag that all writers of v0 to v2 set, and no skeleton */
static const uint8_t v2[] = {HEADER(2, 1, 1), U64(3), FLAGS(1, 0, 0, 0, 0), POSITIONS, NORMALS, U64(3), INDICES32,
                             NOTHING,         FOOTER};
static const uint8_t v3[] = {
    HEADER(3, 1, 0), /*   0 */
    U32(3),
    FLAGS(1, 1, 1, 1, 0), /*  16 vertices, 20 flags, 25 reserved */
    POSITIONS,
    NORMALS,
    UVS,
    NORMALS,
    NORMALS, /*  28 position, 64 normal, 100 uv, 124 tangent, 160 binormal */
    U32(3),
    INDICES32, /* 196 count, 200 indices */
    NOTHING,
    FOOTER, /* 212 animations, 216 footer */
};

#define ROW(a, b, c, d) a, b, c, d
#define IDENTITY ROW(F1, F0, F0, F0), ROW(F0, F1, F0, F0), ROW(F0, F0, F1, F0), ROW(F0, F0, F0, F1)
#define JOINT72(parent) U32(parent), U32(0), IDENTITY
#define JOINT68(parent) U32(parent), IDENTITY
#define DOUBLE1 0, 0, 0, 0, 0, 0, 0xF0, 0x3F
#define DOUBLEHALF 0, 0, 0, 0, 0, 0, 0xE0, 0x3F
#define ONE_WEIGHT(joint) U64(1), U32(joint), DOUBLE1
#define CLUSTERS ONE_WEIGHT(0), ONE_WEIGHT(1), U64(2), U32(0), DOUBLEHALF, U32(1), DOUBLEHALF
#define KEY(ms) U32(ms), F0, F0, F0, F1, F1, F1, F0, F0, F0, F1
#define SKINNED_MESH U32(3), FLAGS(0, 0, 0, 0, 1), POSITIONS, U32(3), INDICES32
#define ANIMATION U32(1), U32(2), KEY(0), KEY(250), U32(1), KEY(0)

static const uint8_t skinned[] = {
    HEADER(3, 1, 1),                         /*   0 */
    U32(2),          JOINT72(0), JOINT72(0), /*  16 joints, 20 and 92 */
    SKINNED_MESH,                            /* 164 vertices, 168 flags, 176 position, 212 count, 216 indices */
    CLUSTERS,                                /* 228, 248, 268 */
    ANIMATION,                               /* 300 animations, 304 keys, 308 and 352, 396 keys, 400 */
    FOOTER,                                  /* 444 */
};
static const uint8_t skinned68[] = {HEADER(3, 1, 1), U32(2), JOINT68(0), JOINT68(0), SKINNED_MESH, CLUSTERS, ANIMATION, FOOTER};

/* ---- What they are ---- */

static const struct {
    const uint8_t *data;
    size_t size;
    const char *dialect, *attributes;
    unsigned joints;
} literals[] = {
    {LITERAL(v1), "v1", "position normal uv0", 0},   {LITERAL(v1_narrow), "v1", "position", 0},
    {LITERAL(v2), "v2", "position normal", 0},       {LITERAL(v3), "v3", "position normal uv0 tangent binormal", 0},
    {LITERAL(skinned), "v3", "position weights", 2}, {LITERAL(skinned68), "v3", "position weights", 2},
};

static void literals_are_recognised(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof literals / sizeof *literals; i++) {
        stele_file *file = stele_open_memory(literals[i].data, literals[i].size, NULL);
        char joined[128] = "";
        if (stele_file_status(file) != STELE_OK)
            fail_msg("%zu: %s", i, stele_file_message(file));
        const stele_info *info = stele_file_info(file);
        assert_string_equal(stele_file_dialect(file), literals[i].dialect);
        assert_int_equal(info->mesh_count, 1);
        assert_int_equal(info->meshes[0].triangles, 1);
        assert_int_equal(info->joints, literals[i].joints);
        for (size_t k = 0; k < info->meshes[0].attribute_count; k++)
            snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s%s", k ? " " : "",
                     info->meshes[0].attributes[k]);
        assert_string_equal(joined, literals[i].attributes);
        bytes out = rewritten(file, NULL);
        assert_int_equal(out.size, literals[i].size);
        assert_memory_equal(out.data, literals[i].data, out.size);
        assert_int_equal(assert_explained(file), 0);
        free(out.data);
        stele_close(file);
    }
}

static void clips_are_in_milliseconds(void **state)
{
    (void)state;
    stele_file *file = stele_open_memory(LITERAL(skinned), NULL);
    const stele_info *info = stele_file_info(file);
    assert_int_equal(info->clip_count, 1);
    assert_true(info->clips[0].seconds == 0.25);
    assert_int_equal(info->clips[0].tracks, 2);
    assert_int_equal(info->clips[0].keys, 3);
    stele_close(file);
}

/* ---- The container of v0: a literal with a match, packed by hand ---- */

static const uint8_t v0[] = {
    U64(36), /* the size of what follows, unpacked */
    0x5B,    '.', 't',    'w',
    'm',     0,   1,      0, /* five literals, then fifteen bytes more like the last: the header, no animations */
    0xF0,    1,   FOOTER,    /* sixteen literals */
};

static void containers_are_unpacked(void **state)
{
    uint8_t spoiled[sizeof v0];
    (void)state;
    stele_file *file = stele_open_memory(LITERAL(v0), NULL);
    assert_int_equal(stele_file_status(file), STELE_OK);
    assert_string_equal(stele_file_dialect(file), "v0");
    assert_int_equal(assert_explained(file), 0);
    bytes out = rewritten(file, NULL);
    assert_int_equal(out.size, sizeof v0);
    assert_memory_equal(out.data, v0, out.size);
    free(out.data);
    stele_close(file);

    memcpy(spoiled, v0, sizeof v0);
    spoiled[14] = 99; /* further back than there is anything */
    file = stele_open_memory(LITERAL(spoiled), NULL);
    assert_int_equal(stele_file_status(file), STELE_DAMAGED);
    assert_non_null(find_diagnostic(file, "bad-compression"));
    assert_explained(file);
    stele_close(file);
}

/* Findings in a container are at offsets of what it unpacks to, and say so. */
static void places_are_those_of_the_content(void **state)
{
    static const uint8_t flagged[] = {U64(36), 0xF0, 36 - 15, '.', 't', 'w', 'm', U32(0), U32(0), 1, 0, 0, 0, U32(0), FOOTER};
    stele_options full = {.check = STELE_CHECK_FULL};
    (void)state;
    stele_file *file = stele_open_memory(LITERAL(flagged), &full);
    const stele_diagnostic *d = find_diagnostic(file, "skeleton-flag");
    assert_non_null(d);
    assert_string_equal(d->path, "has_skeleton");
    assert_int_equal(d->offset, 12);
    assert_true(d->unpacked);
    stele_close(file);
}

/* A claim of two gigabytes in a few bytes must cost nothing. */
static void claims_are_not_believed(void **state)
{
    static const uint8_t bomb[] = {0, 0, 0, 0x7D, 0, 0, 0, 0, 0x40, '.', 't', 'w', 'm', 0, 0, 0};
    stele_options limited = {.memory_limit = 1 << 16};
    (void)state;
    stele_file *file = stele_open_memory(bomb, sizeof bomb, &limited);
    assert_int_equal(stele_file_status(file), STELE_DAMAGED);
    stele_close(file);
}

/* What we pack is unpacked by liblz4 itself. */
static void packing_is_lz4(void **state)
{
    char content[4096];
    (void)state;
    stele_file *file = stele_open_memory(LITERAL(v1), NULL);
    stele_save_options save = {.dialect = "v0"};
    bytes out = rewritten(file, &save);
    assert_non_null(out.data);
    int size = LZ4_decompress_safe((char *)out.data + 8, content, (int)out.size - 8, sizeof content);
    assert_int_equal(size, sizeof v1);
    assert_int_equal(out.data[0] + 256 * out.data[1], sizeof v1);
    assert_int_equal(content[4], 0);
    content[4] = 1; /* only the version differs */
    assert_memory_equal(content, v1, sizeof v1);
    free(out.data);
    stele_close(file);
}

/* ---- What is wrong with them ---- */

static const stele_options full = {.check = STELE_CHECK_FULL};

#define NONE                                                                                                                   \
    {                                                                                                                          \
        0                                                                                                                      \
    }
static const finding static_findings[] = {
    {"index-out-of-range", "mesh[0].indices[2]", 208, STELE_ERROR, {208, 1, BYTES(3)}, NONE},
    {"degenerate-triangle", "mesh[0].indices[0]", 200, STELE_WARNING, {208, 1, BYTES(1)}, NONE},
    {"nonfinite-position", "mesh[0].position[0]", 28, STELE_ERROR, {28, 4, BYTES(FNAN)}, NONE},
    {"nonfinite-normal", "mesh[0].normal[1]", 76, STELE_ERROR, {76, 4, BYTES(FNAN)}, NONE},
    {"nonfinite-uv", "mesh[0].uv[2]", 120, STELE_WARNING, {120, 4, BYTES(FINF)}, NONE},
    {"nonfinite-tangent", "mesh[0].tangent[0]", 128, STELE_WARNING, {128, 4, BYTES(FNAN)}, NONE},
    {"nonfinite-tangent", "mesh[0].binormal[0]", 160, STELE_WARNING, {160, 4, BYTES(FNAN)}, NONE},
    {"normal-length", "mesh[0].normal[0]", 64, STELE_WARNING, {72, 4, BYTES(F5)}, NONE},
    {"flag-not-boolean", "mesh[0].has_uvs", 21, STELE_WARNING, {21, 1, BYTES(3)}, NONE},
    {"reserved-not-zero", "mesh[0].reserved", 26, STELE_WARNING, {26, 1, BYTES(1)}, NONE},
    {"reserved-not-zero", "reserved", 15, STELE_WARNING, {15, 1, BYTES(1)}, NONE},
    {"skeleton-flag", "has_skeleton", 12, STELE_WARNING, {12, 1, BYTES(1)}, NONE},
    {"bad-field", "footer", 216, STELE_ERROR, {216, 1, BYTES('x')}, NONE},
    {"bad-field", "animation_count", 212, STELE_ERROR, {212, 1, BYTES(9)}, NONE},
    {"bad-version", "version", 4, STELE_ERROR, {4, 1, BYTES(4)}, NONE},
    {"trailing-bytes", "", 232, STELE_WARNING, {232, 0, BYTES(7)}, NONE},
    {"count-too-large", "mesh[0].position", 28, STELE_ERROR, {16, 4, BYTES(255, 255, 255, 255)}, NONE},
    {"truncated", "footer", 216, STELE_ERROR, {231, 1, (const uint8_t *)"", 0}, NONE},
};
static const finding skinned_findings[] = {
    {"parent-out-of-range", "joint[1].parent", 92, STELE_ERROR, {92, 1, BYTES(2)}, NONE},
    {"nonfinite-bone", "joint[0].inverse_bind", 28, STELE_ERROR, {28, 4, BYTES(FNAN)}, NONE},
    {"bone-out-of-range", "mesh[0].cluster[1]", 248, STELE_ERROR, {256, 1, BYTES(2)}, NONE},
    {"nonfinite-weight", "mesh[0].cluster[0]", 228, STELE_ERROR, {246, 2, BYTES(0xF8, 0x7F)}, NONE},
    {"weight-sum", "mesh[0].cluster[0]", 228, STELE_WARNING, {246, 2, BYTES(0xE0, 0x3F)}, NONE},
    {"weight-negative", "mesh[0].cluster[0]", 228, STELE_WARNING, {247, 1, BYTES(0xBF)}, NONE},
    {"weight-all-zero", "mesh[0].cluster[0]", 228, STELE_WARNING, {246, 2, BYTES(0, 0)}, NONE},
    {"time-repeated", "animation[0].track[0].key[1].time", 352, STELE_WARNING, {352, 1, BYTES(0)}, NONE},
    {"time-unsorted", "animation[0].track[0].key[1].time", 352, STELE_WARNING, {308, 2, BYTES(0, 1)}, NONE},
    {"rotation-not-unit", "animation[0].track[1].key[0].rotation", 428, STELE_WARNING, {440, 4, BYTES(F2)}, NONE},
    {"nonfinite-key", "animation[0].track[1].key[0]", 400, STELE_ERROR, {404, 4, BYTES(FNAN)}, NONE},
};

static void findings_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof static_findings / sizeof *static_findings; i++)
        expect_finding(LITERAL(v3), &static_findings[i], &full);
    for (size_t i = 0; i < sizeof skinned_findings / sizeof *skinned_findings; i++)
        expect_finding(LITERAL(skinned), &skinned_findings[i], &full);
}

static void cycles_are_found(void **state)
{
    /* three joints, the last two of which are each other's parents */
    static const uint8_t cycle[] = {HEADER(3, 0, 1), U32(3), JOINT72(0), JOINT72(2), JOINT72(1), NOTHING, FOOTER};
    (void)state;
    stele_file *file = stele_open_memory(LITERAL(cycle), NULL);
    assert_string_equal(find_diagnostic(file, "bone-cycle")->path, "joint[1]");
    stele_close(file);
}

static void parents_may_count_from_one(void **state)
{
    static const uint8_t from_one[] = {HEADER(3, 0, 1), U32(3), JOINT72(0), JOINT72(1), JOINT72(2), NOTHING, FOOTER};
    static const uint8_t root_has_parent[] = {HEADER(3, 0, 1), U32(2), JOINT72(1), JOINT72(0), NOTHING, FOOTER};
    static const uint8_t padded[] = {HEADER(3, 0, 1), U32(1), U32(0), U32(7), IDENTITY, NOTHING, FOOTER};
    (void)state;
    stele_file *file = stele_open_memory(LITERAL(from_one), &full);
    assert_non_null(find_diagnostic(file, "nonstandard-layout"));
    assert_null(find_diagnostic(file, "bone-cycle"));
    stele_close(file);
    file = stele_open_memory(LITERAL(root_has_parent), &full);
    assert_non_null(find_diagnostic(file, "bone-cycle"));
    stele_close(file);
    file = stele_open_memory(LITERAL(padded), &full);
    assert_string_equal(find_diagnostic(file, "reserved-not-zero")->path, "joint[0].padding");
    stele_close(file);
}

static void writers_defects_are_named(void **state)
{
    /* six indices of which the first three are there, as 64-bit numbers */
    static const uint8_t half[] = {HEADER(1, 1, 0), U64(3), FLAGS(0, 0, 0, 0, 0), POSITIONS, U64(6), INDICES64,
                                   NOTHING,         FOOTER};
    (void)state;
    stele_file *file = stele_open_memory(LITERAL(half), &full);
    assert_int_equal(stele_file_status(file), STELE_OK);
    assert_int_equal(find_diagnostic(file, "half-indices")->offset, 76);
    assert_int_equal(stele_file_info(file)->meshes[0].triangles, 1);
    stele_save_options save = {.dialect = "v2"};
    bytes out = rewritten(file, &save);
    static const uint8_t as_v2[] = {HEADER(2, 1, 0), U64(3), FLAGS(0, 0, 0, 0, 0), POSITIONS, U64(3), INDICES32,
                                    NOTHING,         FOOTER};
    assert_int_equal(out.size, sizeof as_v2);
    assert_memory_equal(out.data, as_v2, out.size);
    free(out.data);
    stele_close(file);
}

/* What a writer lost before is said when a conversion makes it look whole. */
static void old_losses_are_said(void **state)
{
    static const uint8_t half[] = {HEADER(1, 1, 0), U64(3), FLAGS(0, 0, 0, 0, 0), POSITIONS, U64(6), INDICES64,
                                   NOTHING,         FOOTER};
    (void)state;
    stele_file *file = stele_open_memory(LITERAL(half), NULL);
    stele_save_options save = {.dialect = "v3", .strict = true};
    assert_null(rewritten(file, &save).data);
    assert_int_equal(stele_file_status(file), STELE_LOSSY);
    assert_int_equal(find_diagnostic(file, "loss-indices")->count, 3);
    assert_null(rewritten(file, &save).data); /* nor the second time */
    stele_close(file);
}

static void readings_become_the_recommended_one(void **state)
{
    (void)state;
    stele_file *file = stele_open_memory(LITERAL(skinned68), &full);
    stele_save_options save = {.dialect = "v3"};
    assert_non_null(find_diagnostic(file, "nonstandard-layout"));
    bytes out = rewritten(file, &save);
    assert_int_equal(out.size, sizeof skinned);
    assert_memory_equal(out.data, skinned, out.size);
    free(out.data);
    stele_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals_are_recognised),    cmocka_unit_test(clips_are_in_milliseconds),
        cmocka_unit_test(containers_are_unpacked),    cmocka_unit_test(places_are_those_of_the_content),
        cmocka_unit_test(claims_are_not_believed),    cmocka_unit_test(packing_is_lz4),
        cmocka_unit_test(findings_are_found),         cmocka_unit_test(cycles_are_found),
        cmocka_unit_test(parents_may_count_from_one), cmocka_unit_test(writers_defects_are_named),
        cmocka_unit_test(old_losses_are_said),        cmocka_unit_test(readings_become_the_recommended_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
