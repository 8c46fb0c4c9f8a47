/* SFF: byte literals of both modes and of every deviation that is read, written out by hand from the format's page. */
#include "literal.h"

#define U32(n) (n) & 0xFF, (n) >> 8 & 0xFF, 0, 0
#define U16(n) (n) & 0xFF, (n) >> 8 & 0xFF
#define APNG 'a', '.', 'p', 'n', 'g'
#define F3 0x00, 0x00, 0x40, 0x40 /* 3 */
#define P0 F0, F0, F0
#define P1 F2, F0, F0
#define P2 F0, F3, F0
#define N F0, F0, F1
#define UV0 F0, F0
#define UV1 F1, F0
#define UV2 F0, F1
#define ROWS P0, N, UV0, P1, N, UV1, P2, N, UV2
#define COLUMNS P0, P1, P2, N, N, N, UV0, UV1, UV2
#define INDICES U32(0), U32(1), U32(2)
#define TEXTURE U32(5), APNG, U32(1), U16(0)

/* The example of the format's page: 153 bytes. */
static const uint8_t interleaved[] = {
    U32(1),   U32(124), U16(15), U16(0),         /*   0 meshes, 4 geometry size, 8 format, 10 mode */
    U16(15),                                     /*  12 texture size */
    U32(124), U32(3),   U32(3),  U16(1), U16(0), /*  14 size, 18 vertices, 22 indices, 26 textures, 28 texture */
    ROWS,                                        /*  30, 62, 94 */
    INDICES,                                     /* 126 */
    U32(5),   APNG,     U32(1),  U16(0),         /* 138 length, 142 path, 147 meshes, 151 mesh */
};
static const uint8_t packed[] = {U32(1), U32(124), U16(15), U16(1),  U16(15), U32(124), U32(3),
                                 U32(3), U16(1),   U16(0),  COLUMNS, INDICES, TEXTURE};
static const uint8_t unindexed[] = {U32(1), U32(50), U16(1), U16(0), U16(0), U32(50), U32(3), U32(0), U16(0), P0, P1, P2};
static const uint8_t unindexed_packed[] = {U32(1), U32(50), U16(1), U16(1), U16(0), U32(50),
                                           U32(3), U32(0),  U16(0), P0,     P1,     P2};

static const stele_options full = {.check = STELE_CHECK_FULL, .name = "x.sff"};

static void expect_bytes(bytes out, const uint8_t *data, size_t size)
{
    assert_non_null(out.data);
    assert_int_equal(out.size, size);
    assert_memory_equal(out.data, data, size);
    free(out.data);
}

static size_t diagnostics(const stele_file *file)
{
    size_t count;
    stele_file_diagnostics(file, &count);
    return count;
}

static void literals_are_recognised(void **state)
{
    const struct {
        const uint8_t *data;
        size_t size;
        const char *dialect;
    } literals[] = {{LITERAL(interleaved), "interleaved"},
                    {LITERAL(packed), "packed"},
                    {LITERAL(unindexed), "interleaved"},
                    {LITERAL(unindexed_packed), "packed"}};
    (void)state;
    assert_int_equal(sizeof interleaved, 153);
    for (size_t i = 0; i < sizeof literals / sizeof *literals; i++)
        for (int named = 0; named < 2; named++) {
            stele_options options = full;
            options.name = named ? full.name : NULL;
            stele_file *file = stele_open_memory(literals[i].data, literals[i].size, &options);
            assert_int_equal(stele_file_status(file), STELE_OK);
            assert_string_equal(stele_file_format(file), "sff");
            assert_string_equal(stele_file_dialect(file), literals[i].dialect);
            assert_int_equal(diagnostics(file), 0);
            assert_int_equal(assert_explained(file), 0);
            expect_bytes(rewritten(file, NULL), literals[i].data, literals[i].size);
            stele_close(file);
        }
}

static void content_is_described(void **state)
{
    (void)state;
    stele_file *file = stele_open_memory(LITERAL(packed), &full);
    const stele_info *info = stele_file_info(file);
    assert_int_equal(info->mesh_count, 1);
    assert_int_equal(info->meshes[0].vertices, 3);
    assert_int_equal(info->meshes[0].indices, 3);
    assert_int_equal(info->meshes[0].triangles, 1);
    assert_int_equal(info->meshes[0].attribute_count, 3);
    assert_string_equal(info->meshes[0].attributes[2], "uv0");
    assert_true(info->bounds.known && info->bounds.max[0] == 2 && info->bounds.max[1] == 3 && info->bounds.max[2] == 0);
    assert_int_equal(info->materials[0].texture_count, 1);
    assert_string_equal(info->materials[0].textures[0].name, "a.png");
    assert_string_equal(info->materials[0].textures[0].role, "base color");
    stele_close(file);

    file = stele_open_memory(LITERAL(unindexed), &full);
    info = stele_file_info(file);
    assert_int_equal(info->meshes[0].indices, 0);
    assert_int_equal(info->meshes[0].triangles, 1);
    assert_int_equal(info->meshes[0].attribute_count, 1);
    assert_int_equal(info->materials[0].texture_count, 0);
    stele_close(file);
}

/* Two textures name a mesh that names none of them. */
static void textures_may_name_their_meshes(void **state)
{
    static const uint8_t reverse[] = {U32(1), U32(50), U16(1), U16(0), U16(22), U32(50), U32(3), U32(0), U16(0), P0,
                                      P1,     P2,      U32(1), 'a',    U32(1),  U16(0),  U32(1), 'b',    U32(1), U16(0)};
    (void)state;
    stele_file *file = stele_open_memory(LITERAL(reverse), &full);
    const stele_info *info = stele_file_info(file);
    assert_int_equal(stele_file_status(file), STELE_OK);
    assert_int_equal(info->materials[0].texture_count, 2);
    assert_string_equal(info->materials[0].textures[0].name, "a");
    assert_string_equal(info->materials[0].textures[1].name, "b");
    assert_string_equal(info->materials[0].textures[1].role, "unknown");
    const stele_diagnostic *d = find_diagnostic(file, "texture-relation");
    assert_string_equal(d->path, "texture[0].mesh[0]");
    assert_int_equal(d->count, 2);
    stele_close(file);
}

/* ---- Deviations: each is read, said, explained at a field, written back identically, and converted to the profile ---- */

typedef struct deviation {
    const uint8_t *data;
    size_t size;
    const char *says;            /* in a diagnostic */
    const char *field, *meaning; /* in the explanation */
    const uint8_t *profile;      /* what it is converted to */
    size_t profile_size;
    const char *dialect;
} deviation;

#define HEADER U32(1), U32(124), U16(15), U16(0), U16(15)
#define MESH U32(124), U32(3), U32(3), U16(1), U16(0)
#define AS_PROFILE interleaved, sizeof interleaved, "interleaved"
#define AS_PACKED packed, sizeof packed, "packed"
static const uint8_t rows_without_uv[] = {U32(1), U32(88), U16(3), U16(0), U16(15), U32(88), U32(3), U32(0), U16(1),
                                          U16(0), P0,      N,      P1,     N,       P2,      N,      TEXTURE};

static const deviation deviations[] = {
    {BYTES(U32(1), U32(138), U16(15), U16(0), U16(15), MESH, ROWS, INDICES, TEXTURE), "the offset at which", "geometry_size",
     "the offset at which the geometry ends", AS_PROFILE},
    {BYTES(U32(1), U32(137), U16(15), U16(0), U16(15), MESH, ROWS, INDICES, TEXTURE), "last byte", "geometry_size",
     "the offset of the last byte of the geometry", AS_PROFILE},
    {BYTES(HEADER, U32(120), U32(3), U32(3), U16(1), U16(0), ROWS, INDICES, TEXTURE), "exclude their own", "mesh[0].size",
     "excludes its own 4 bytes", AS_PROFILE},
    {BYTES(U32(1), U32(124), U16(13), U16(0), U16(15), MESH, ROWS, INDICES, TEXTURE), "about normals", "format",
     "but there are positions, normals, uvs, indices", AS_PROFILE},
    {BYTES(U32(1), U32(124), U16(11), U16(0), U16(15), MESH, ROWS, INDICES, TEXTURE), "about uvs", "format",
     "but there are positions, normals, uvs, indices", AS_PROFILE},
    {BYTES(U32(1), U32(124), U16(7), U16(0), U16(15), MESH, ROWS, INDICES, TEXTURE), "about indices", "format",
     "but there are positions, normals, uvs, indices", AS_PROFILE},
    {BYTES(U32(1), U32(118), U16(15), U16(0), U16(15), U32(118), U32(3), U32(3), U16(1), U16(0), ROWS, U16(0), U16(1), U16(2),
           TEXTURE),
     "2 bytes each", "mesh[0].index_count", "of 2 bytes each", AS_PROFILE},
    {BYTES(U32(1), U32(88), U16(11), U16(0), U16(15), U32(88), U32(3), U32(3), U16(1), U16(0), P0, N, P1, N, P2, N, TEXTURE),
     "about indices", "mesh[0].index_count", "no indices", LITERAL(rows_without_uv), "interleaved"},
    {BYTES(U32(1), U32(126), U16(15), U16(0), U16(15), U32(126), U32(3), U32(3), U16(1), U16(0), 7, 7, ROWS, INDICES, TEXTURE),
     "2 bytes of padding", "mesh[0].padding", NULL, AS_PROFILE},
    {BYTES(HEADER, MESH, INDICES, ROWS, TEXTURE), "before the attributes", "mesh[0].index_count", "before the attributes",
     AS_PROFILE},
    {BYTES(HEADER, MESH, COLUMNS, INDICES, TEXTURE), "is 0, but the attributes are packed", "mode",
     "but the attributes are packed", AS_PACKED},
    {BYTES(U32(1), U32(124), U16(15), U16(1), U16(15), MESH, ROWS, INDICES, TEXTURE), "is 1, but the attributes are interl",
     "mode", "but the attributes are interleaved", AS_PROFILE},
    {BYTES(U32(1), U32(124), U16(15), U16(7), U16(15), MESH, COLUMNS, INDICES, TEXTURE), "is 7, but the attributes are packed",
     "mode", "but the attributes are packed", AS_PACKED},
    {BYTES(U32(1), U32(124), U16(15), U16(0), U16(13), MESH, ROWS, INDICES, U32(5), APNG, U16(1), U16(0)), "written as 2 bytes",
     "texture[0].mesh_count", "written as 2 bytes", AS_PROFILE},
    {BYTES(U32(1), U32(124), U16(15), U16(0), U16(14), MESH, ROWS, INDICES, U32(5), APNG, 1, 0, 0, U16(0)),
     "written as 3 bytes", "texture[0].mesh_count_high", "the high byte of 3", AS_PROFILE},
    {BYTES(U32(1), U32(124), U16(15), U16(0), U16(16), MESH, ROWS, INDICES, U32(6), APNG, 0, U32(1), U16(0)), "end in a NUL",
     "texture[0].path_length", "counts a NUL", AS_PROFILE},
    {BYTES(U32(1), U32(134), U16(6), U16(2), U16(14), U32(116), U32(3), U32(3), U16(1), U16(0), 0, 0, U16(0), U16(1), U16(2),
           COLUMNS, U32(6), APNG, 0, U16(1), U16(0)),
     "exclude their own", "mesh[0].index_count", "of 2 bytes each, before the attributes", AS_PACKED},
};

typedef struct wanted {
    const deviation *deviation;
    bool found;
} wanted;

static bool look_for_meaning(void *user, const stele_field *field)
{
    wanted *w = user;
    const char *meaning = w->deviation->meaning;
    if (strcmp(field->path, w->deviation->field) == 0)
        w->found = meaning ? field->meaning && strcmp(field->meaning, meaning) == 0 : !field->meaning;
    return true;
}

static bool said(const stele_file *file, const char *text)
{
    size_t count;
    const stele_diagnostic *d = stele_file_diagnostics(file, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(d[i].id, "nonstandard-layout") == 0 && strstr(d[i].text, text))
            return true;
    return false;
}

static void deviations_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof deviations / sizeof *deviations; i++) {
        const deviation *d = &deviations[i];
        stele_file *file = stele_open_memory(d->data, d->size, &full);
        wanted wanted = {d, false};
        stele_save_options save = {.dialect = d->dialect, .strict = true};
        if (stele_file_status(file) != STELE_OK)
            fail_msg("%s: %s", d->says, stele_file_message(file));
        if (!said(file, d->says))
            fail_msg("%s is not said", d->says);
        stele_file_explain(file, look_for_meaning, &wanted);
        if (!wanted.found)
            fail_msg("%s is not explained", d->says);
        assert_string_equal(stele_file_dialect(file), d->dialect);
        expect_bytes(rewritten(file, NULL), d->data, d->size);
        expect_bytes(rewritten(file, &save), d->profile, d->profile_size);
        stele_close(file);
    }
}

static void modes_become_each_other(void **state)
{
    const struct {
        const uint8_t *from;
        size_t from_size;
        const uint8_t *to;
        size_t to_size;
        const char *dialect;
    } conversions[] = {
        {LITERAL(interleaved), LITERAL(packed), "packed"},
        {LITERAL(packed), LITERAL(interleaved), "interleaved"},
        {LITERAL(unindexed), LITERAL(unindexed_packed), "packed"},
        {LITERAL(packed), LITERAL(packed), "packed"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++) {
        stele_file *file = stele_open_memory(conversions[i].from, conversions[i].from_size, &full);
        stele_save_options save = {.dialect = conversions[i].dialect, .strict = true};
        expect_bytes(rewritten(file, &save), conversions[i].to, conversions[i].to_size);
        stele_close(file);
    }
}

/* Mesh counts of 4 bytes instead of 2 make the textures too large for their 16-bit size. */
static void what_does_not_fit_is_not_written(void **state)
{
    enum { RECORDS = 10001, TEXTURES = 6 * RECORDS };
    static uint8_t many[14 + 50 + TEXTURES];
    static const uint8_t header[] = {U32(1), U32(50), U16(1), U16(0), U16(TEXTURES), U32(50), U32(3), U32(0),
                                     U16(0), P0,      P1,     P2};
    (void)state;
    memcpy(many, header, sizeof header);
    stele_file *file = stele_open_memory(LITERAL(many), &full);
    stele_save_options save = {.dialect = "packed"};
    assert_int_equal(stele_file_status(file), STELE_OK);
    assert_null(rewritten(file, &save).data);
    assert_non_null(find_diagnostic(file, "does-not-fit"));
    expect_bytes(rewritten(file, NULL), LITERAL(many));
    stele_close(file);
}

/* ---- Findings ---- */

#define NONE                                                                                                                   \
    {                                                                                                                          \
        0                                                                                                                      \
    }
static const finding findings[] = {
    {"index-out-of-range", "mesh[0].indices[2]", 134, STELE_ERROR, {134, 1, BYTES(3)}, NONE},
    {"degenerate-triangle", "mesh[0].indices[0]", 126, STELE_WARNING, {134, 1, BYTES(1)}, NONE},
    {"nonfinite-position", "mesh[0].vertices[1].position", 66, STELE_ERROR, {66, 4, BYTES(FNAN)}, NONE},
    {"nonfinite-normal", "mesh[0].vertices[2].normal", 106, STELE_ERROR, {106, 4, BYTES(FINF)}, NONE},
    {"nonfinite-uv", "mesh[0].vertices[0].uv0", 54, STELE_WARNING, {54, 4, BYTES(FNAN)}, NONE},
    {"normal-length", "mesh[0].vertices[0].normal", 42, STELE_WARNING, {50, 4, BYTES(F5)}, NONE},
    {"normal-zero", "mesh[0].vertices[0].normal", 42, STELE_WARNING, {50, 4, BYTES(F0)}, NONE},
    {"size-mismatch", "mesh[0].size", 14, STELE_ERROR, {14, 1, BYTES(123)}, NONE},
    {"size-mismatch", "geometry_size", 4, STELE_ERROR, {4, 1, BYTES(125)}, NONE},
    {"size-mismatch", "texture_size", 12, STELE_ERROR, {12, 1, BYTES(7)}, NONE},
    {"reserved-not-zero", "format", 8, STELE_WARNING, {9, 1, BYTES(1)}, NONE},
    {"reserved-not-zero", "format", 8, STELE_WARNING, {8, 1, BYTES(0x2F)}, NONE},
    {"nonstandard-layout", "format", 8, STELE_WARNING, {8, 1, BYTES(14)}, NONE},
    {"nonstandard-layout", "mode", 10, STELE_WARNING, {10, 1, BYTES(1)}, NONE},
    {"texture-out-of-range", "mesh[0].texture[0]", 28, STELE_ERROR, {28, 1, BYTES(1)}, NONE},
    {"mesh-out-of-range", "texture[0].mesh[0]", 151, STELE_WARNING, {151, 1, BYTES(1)}, NONE},
    {"texture-relation", "mesh[0].texture[0]", 28, STELE_WARNING, {151, 1, BYTES(1)}, NONE},
    {"texture-relation", "texture[0].mesh[0]", 151, STELE_WARNING, {28, 1, BYTES(1)}, NONE},
    {"string-not-ascii", "texture[0].path", 143, STELE_WARNING, {143, 1, BYTES(0xC4)}, NONE},
    {"string-embedded-nul", "texture[0].path", 143, STELE_WARNING, {143, 1, BYTES(0)}, NONE},
    {"name-leaves-folder", "texture[0].path", 142, STELE_WARNING, {142, 3, BYTES('.', '.', '/')}, NONE},
    {"trailing-bytes", "", 153, STELE_WARNING, {153, 0, BYTES(0)}, NONE},
    {"truncated", "texture[0].mesh", 151, STELE_ERROR, {152, 1, (const uint8_t *)"", 0}, NONE},
    {"truncated", "mesh[0].vertices", 30, STELE_ERROR, {100, 53, (const uint8_t *)"", 0}, NONE},
    {"truncated", "geometry_size", 4, STELE_ERROR, {5, 148, (const uint8_t *)"", 0}, NONE},
    {"count-too-large", "mesh[0].vertices", 30, STELE_ERROR, {18, 4, BYTES(255, 255, 255, 255)}, NONE},
    {"count-too-large", "texture[0].path", 142, STELE_ERROR, {138, 4, BYTES(255, 255, 255, 255)}, NONE},
};
static const finding of_packed[] = {
    {"nonfinite-position", "mesh[0].position[1]", 46, STELE_ERROR, {46, 4, BYTES(FNAN)}, NONE},
    {"nonfinite-uv", "mesh[0].uv0[2]", 122, STELE_WARNING, {122, 4, BYTES(FINF)}, NONE},
    {"normal-zero", "mesh[0].normal[0]", 66, STELE_WARNING, {74, 4, BYTES(F0)}, NONE},
};
static const finding of_unindexed[] = {
    {"zero-area-triangle", "mesh[0].vertices[0].position", 28, STELE_WARNING, {40, 4, BYTES(F0)}, NONE},
    {"index-count", "mesh[0].vertices", 28, STELE_WARNING, {14, 5, BYTES(U32(62), 4)}, {64, 0, BYTES(P0)}},
    {"mesh-empty", "mesh[0]", 14, STELE_WARNING, {14, 5, BYTES(U32(14), 0)}, {28, 36, (const uint8_t *)"", 0}},
    {"nonstandard-layout", "mesh[0].index_count", 22, STELE_WARNING, {22, 1, BYTES(3)}, NONE},
    {"truncated", "mesh", 14, STELE_ERROR, {0, 4, BYTES(1, 1, 0, 0)}, {4, 4, BYTES(U32(0xF000))}},
};

static void findings_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof findings / sizeof *findings; i++)
        expect_finding(LITERAL(interleaved), &findings[i], &full);
    for (size_t i = 0; i < sizeof of_packed / sizeof *of_packed; i++)
        expect_finding(LITERAL(packed), &of_packed[i], &full);
    for (size_t i = 0; i < sizeof of_unindexed / sizeof *of_unindexed; i++)
        expect_finding(LITERAL(unindexed), &of_unindexed[i], &full);
}

static bool find_nothing(void *user, const char *name, const void **data, size_t *size)
{
    (void)user;
    (void)name;
    (void)data;
    (void)size;
    return false;
}

static void missing_textures_are_found(void **state)
{
    stele_options options = full;
    (void)state;
    options.lookup = find_nothing;
    stele_file *file = stele_open_memory(LITERAL(interleaved), &options);
    assert_string_equal(find_diagnostic(file, "texture-missing")->path, "texture[0].path");
    stele_close(file);
}

/* ---- There is no magic: other files must not be taken for SFF ---- */

static const char *format_of(const void *data, size_t size, const char *name)
{
    stele_options options = {.name = name};
    stele_file *file = stele_open_memory(data, size, &options);
    const char *format = stele_file_format(file);
    stele_close(file);
    return format;
}

static void strangers_are_not_claimed(void **state)
{
    static const uint8_t zeros[64] = {0}, one_mesh[4] = {1};
    static const uint8_t empty[] = {U32(0), U32(0), U16(1), U16(0), U16(0)};
    static const char pointer[] = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
    (void)state;
    for (size_t size = 0; size <= sizeof zeros; size++)
        assert_true(!format_of(zeros, size, NULL) || strcmp(format_of(zeros, size, NULL), "sff") != 0);
    assert_null(format_of(LITERAL(empty), NULL));
    assert_string_equal(format_of(LITERAL(empty), "x.sff"), "sff");
    assert_null(format_of(zeros, 15, "x.sff"));
    assert_string_equal(format_of(LITERAL(one_mesh), "x.sff"), "sff");
    assert_string_equal(format_of(LITERAL(one_mesh), "x.sgm"), "sgm");
    assert_null(format_of(LITERAL(pointer), "x.sff"));
    /* an index out of range is a contradiction, which only the name outweighs */
    bytes wrong = spliced(LITERAL(interleaved), &(splice){134, 1, BYTES(3)}, &(splice)NONE);
    assert_null(format_of(wrong.data, wrong.size, NULL));
    assert_string_equal(format_of(wrong.data, wrong.size, "x.sff"), "sff");
    free(wrong.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals_are_recognised),
        cmocka_unit_test(content_is_described),
        cmocka_unit_test(textures_may_name_their_meshes),
        cmocka_unit_test(deviations_are_read),
        cmocka_unit_test(modes_become_each_other),
        cmocka_unit_test(what_does_not_fit_is_not_written),
        cmocka_unit_test(findings_are_found),
        cmocka_unit_test(missing_textures_are_found),
        cmocka_unit_test(strangers_are_not_claimed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
