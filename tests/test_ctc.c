/* CTC: byte literals, written out by hand from the format's page. */
#include "literal.h"

#define W(n) (n) & 255, (n) >> 8 & 255, 0, 0
#define ZEROS8 F0, F0
#define ZEROS12 F0, F0, F0
#define ZEROS24 ZEROS12, ZEROS12
#define ZEROS40 ZEROS24, ZEROS12, F0
#define ZEROS64 ZEROS24, ZEROS40
#define IDENTITY F1, F0, F0, F0, F0, F1, F0, F0, F0, F0, F1, F0, F0, F0, F0, F1
#define BONE(parent, children) W(parent), W(children), F0, ZEROS24, ZEROS64, IDENTITY
#define UPWARDS F0, F0, F1
#define WHITE 255, 255, 255, 255

/* One of everything, in the order of the header. */
static const uint8_t model[] = {
    'S',        'M',     'D',     'L',                             /*    0 magic */
    W(11),      W(64),   W(64),   W(72),                           /*    4 version, skin width and height, 16 unknown */
    W(1),       W(3),    W(6),    W(2),    W(1),                   /*   20 skins, vertices, uvs, 32 triangles, commands */
    W(2),       W(1),    W(2),    W(1),    W(1),                   /*   40 frames, animations, bones, morphs, attachments */
    W(1),       W(1),    F0,      W(6),                            /*   60 lists, unknown5, unknown6, 72 colours */
    W(144),                                                        /*   76 skins */
    W(208),     W(280),  W(352),  W(364),                          /*   80 vertices, output, indices, uvs */
    W(412),     W(740),  W(780),  W(804),  W(948),                 /*   96 bones, weights, animations, frames, commands */
    W(952),     W(1000), W(1012),                                  /*  116 morphs, attachments, lists */
    W(1016),    W(1044), W(1124), W(1148),                         /*  128 unknown5, tris3, colours, 140 end */
    's',        '.',     't',     'g',     'a',    0,     0,    0, /*  144 skin */
    ZEROS40,    ZEROS12, F0,                                       /*      */
    F0,         F0,      F0,      UPWARDS,                         /*  208 vertices */
    F1,         F0,      F0,      UPWARDS,                         /*  232 */
    F0,         F2,      F0,      UPWARDS,                         /*  256 */
    ZEROS24,    ZEROS24, ZEROS24,                                  /*  280 output vertices */
    0,          0,       1,       0,       2,      0,              /*  352 indices */
    0,          0,       2,       0,       1,      0,              /*  358 */
    F0,         F0,      F1,      F0,      F0,     F1,             /*  364 uvs */
    F0,         F0,      F0,      F1,      F1,     F0,             /*  388 */
    BONE(0, 1),                                                    /*  412 bone: 416 children, 420 list, 448 final, 512 base */
    BONE(1, 0),                                                    /*  576 bone: 612 final */
    'S',        'T',     'G',     'W',                             /*  740 weights */
    W(1),       W(0),    F1,      W(1),    W(1),   F1,    W(1), W(1), F1, /*  744, 756, 768 count, bone, weight */
    'g',        'o',     F0,      F0,      F0,     0,     0,              /*  780 animation */
    W(0),       W(2),                                                     /*  796 unknown, 800 frames */
    ZEROS24,    ZEROS24, ZEROS24,                                         /*  804 keys of the first frame */
    ZEROS24,    ZEROS24, ZEROS24,                                         /*  876 keys of the second */
    W(7),                                                                 /*  948 command */
    'm',        0,       F0,      F0,      F0,     0,     0,              /*  952 morph */
    W(1),       ZEROS12,                                                  /*  968 vertices, 972 scratch */
    W(2),       F0,      F1,      F0,                                     /*  984 vertex, 988 target */
    't',        'a',     'g',     0,       F0,     W(1),                  /* 1000 attachment, 1008 its triangle */
    W(1),                                                                 /* 1012 list */
    W(0),       W(1),    ZEROS12, F0,      F0,                            /* 1016 unknown5 */
    ZEROS40,    ZEROS40,                                                  /* 1044 tris3 */
    WHITE,      WHITE,   WHITE,   WHITE,   WHITE,  WHITE,                 /* 1124 colours */
};

static const stele_options full = {.check = STELE_CHECK_FULL, .name = "x.ctc"};

static void model_is_recognised(void **state)
{
    (void)state;
    size_t count;
    assert_int_equal(sizeof model, 1148);
    stele_file *file = stele_open_memory(LITERAL(model), &full);
    const stele_info *info = stele_file_info(file);
    assert_int_equal(stele_file_status(file), STELE_OK);
    stele_file_diagnostics(file, &count);
    assert_int_equal(count, 0);
    assert_string_equal(stele_file_dialect(file), "v11");
    assert_int_equal(assert_explained(file), 0);
    assert_int_equal(info->mesh_count, 1);
    assert_int_equal(info->meshes[0].triangles, 1);
    assert_int_equal(info->meshes[0].vertices, 3);
    assert_int_equal(info->meshes[0].material, 0);
    assert_int_equal(info->meshes[0].attribute_count, 5);
    assert_string_equal(info->materials[0].textures[0].name, "s.tga");
    assert_int_equal(info->joints, 2);
    assert_int_equal(info->clip_count, 1);
    assert_string_equal(info->clips[0].name, "go");
    assert_true(info->clips[0].seconds == 0.2);
    assert_int_equal(info->clips[0].tracks, 3);
    assert_int_equal(info->clips[0].keys, 6);
    assert_int_equal(info->morphs, 1);
    assert_int_equal(info->attachments, 1);
    assert_true(info->bounds.known && info->bounds.max[0] == 1 && info->bounds.max[1] == 2);
    stele_close(file);
}

#define NONE                                                                                                                   \
    {                                                                                                                          \
        0                                                                                                                      \
    }
static const finding findings[] = {
    {"version-untested", "version", 4, STELE_WARNING, {4, 1, BYTES(9)}, NONE},
    {"bad-version", "", 0, STELE_ERROR, {4, 1, BYTES(7)}, NONE},
    {"bad-version", "", 0, STELE_ERROR, {4, 1, BYTES(12)}, NONE},
    {"eof-position", "eof_offset", 140, STELE_WARNING, {140, 2, BYTES(0, 0)}, NONE},
    {"eof-position", "eof_offset", 140, STELE_WARNING, {143, 1, BYTES(255)}, NONE},
    {"trailing-bytes", "", 1148, STELE_WARNING, {1148, 0, BYTES(0)}, NONE},
    {"bad-field", "skin_count", 20, STELE_ERROR, {23, 1, BYTES(255)}, NONE},
    {"bad-field", "color_count", 72, STELE_ERROR, {75, 1, BYTES(128)}, NONE},
    {"offset-out-of-range", "skins_offset", 76, STELE_ERROR, {76, 1, BYTES(143)}, NONE},
    {"offset-out-of-range", "skins_offset", 76, STELE_ERROR, {79, 1, BYTES(128)}, NONE},
    {"offset-out-of-range", "colors_offset", 136, STELE_ERROR, {136, 4, BYTES(W(1149))}, NONE},
    {"section-overlap", "vertices_offset", 80, STELE_ERROR, {80, 1, BYTES(207)}, NONE},
    {"section-overlap", "vertices_offset", 80, STELE_ERROR, {80, 1, BYTES(144)}, NONE},
    {"section-overlap", "output_vertices_offset", 84, STELE_ERROR, {24, 1, BYTES(4)}, NONE},
    {"section-overlap", "animations_offset", 104, STELE_ERROR, {768, 1, BYTES(2)}, NONE},
    {"count-too-large", "mesh.indices", 352, STELE_ERROR, {32, 4, BYTES(255, 255, 255, 127)}, NONE},
    {"count-too-large", "bone", 412, STELE_ERROR, {48, 4, BYTES(255, 255, 255, 127)}, NONE},
    {"count-too-large", "skin", 144, STELE_ERROR, {20, 4, BYTES(255, 255, 255, 127)}, NONE},
    {"count-too-large", "morph[0].vertices", 984, STELE_ERROR, {968, 4, BYTES(255, 255, 255, 255)}, NONE},
    {"count-too-large", "weight_run[1].vertices", 756, STELE_ERROR, {756, 4, BYTES(255, 255, 255, 255)}, NONE},
    {"truncated", "mesh.colors", 1124, STELE_ERROR, {1147, 1, (const uint8_t *)"", 0}, NONE},
    {"truncated", "colors_offset", 136, STELE_ERROR, {136, 4, BYTES(W(1130))}, {1124, 24, (const uint8_t *)"", 0}},
    {"bad-magic", "weights_magic", 740, STELE_ERROR, {740, 1, BYTES('Z')}, NONE},
    {"index-out-of-range", "mesh.indices[2]", 356, STELE_ERROR, {356, 1, BYTES(3)}, NONE},
    {"nonfinite-position", "mesh.vertices[0].position", 208, STELE_ERROR, {208, 4, BYTES(FNAN)}, NONE},
    {"normal-length", "mesh.vertices[2].normal", 268, STELE_WARNING, {276, 4, BYTES(F2)}, NONE},
    {"nonfinite-uv", "mesh.uvs[1].uv2", 404, STELE_WARNING, {408, 4, BYTES(FINF)}, NONE},
    {"parent-out-of-range", "bone[1].parent_plus_one", 576, STELE_ERROR, {576, 1, BYTES(3)}, NONE},
    {"parent-out-of-range", "bone[1].parent_plus_one", 576, STELE_ERROR, {576, 4, BYTES(255, 255, 255, 255)}, NONE},
    {"parent-order", "bone[0].parent_plus_one", 412, STELE_WARNING, {412, 1, BYTES(2)}, {576, 1, BYTES(0)}},
    {"bone-cycle", "bone[0]", 412, STELE_ERROR, {412, 1, BYTES(2)}, NONE},
    {"bone-cycle", "bone[1]", 576, STELE_ERROR, {576, 1, BYTES(2)}, NONE},
    {"child-count", "bone[0].child_count", 416, STELE_WARNING, {416, 1, BYTES(2)}, NONE},
    {"nonfinite-bone", "bone[0].base", 512, STELE_ERROR, {516, 4, BYTES(FNAN)}, NONE},
    {"scratch-not-zero", "bone[1].final", 612, STELE_NOTE, {616, 1, BYTES(1)}, NONE},
    {"scratch-not-zero", "bone[0].child_list", 420, STELE_NOTE, {423, 1, BYTES(1)}, NONE},
    {"scratch-not-zero", "mesh.output_vertices[1]", 304, STELE_NOTE, {327, 1, BYTES(1)}, NONE},
    {"scratch-not-zero", "mesh.tris3[1]", 1084, STELE_NOTE, {1123, 1, BYTES(1)}, NONE},
    {"scratch-not-zero", "morph[0].scratch", 972, STELE_NOTE, {983, 1, BYTES(1)}, NONE},
    {"bone-out-of-range", "weight_run[0].vertices[1]", 756, STELE_ERROR, {760, 1, BYTES(2)}, NONE},
    {"nonfinite-weight", "weight_run[0].vertices[2]", 768, STELE_ERROR, {776, 4, BYTES(FNAN)}, NONE},
    {"weight-sum", "weight_run[0].vertices[0]", 744, STELE_WARNING, {752, 4, BYTES(FHALF)}, NONE},
    {"weight-negative", "weight_run[0].vertices[0]", 744, STELE_WARNING, {752, 4, BYTES(FMINUS)}, NONE},
    {"weight-all-zero", "weight_run[0].vertices[0]", 744, STELE_WARNING, {752, 4, BYTES(F0)}, NONE},
    /* without its influence the last vertex leaves a gap */
    {"weight-all-zero", "weight_run[1].vertices[0]", 768, STELE_WARNING, {768, 1, BYTES(0)}, NONE},
    {"nonfinite-key", "key[5]", 924, STELE_ERROR, {940, 4, BYTES(FNAN)}, NONE},
    {"frame-count", "frame_count", 40, STELE_WARNING, {800, 1, BYTES(3)}, NONE},
    {"frame-count", "frame_count", 40, STELE_WARNING, {800, 1, BYTES(1)}, NONE},
    {"string-no-nul", "animation[0].name", 780, STELE_WARNING, {780, 16, (const uint8_t *)"0123456789abcdef", 16}, NONE},
    {"string-no-nul", "morph[0].name", 952, STELE_WARNING, {952, 16, (const uint8_t *)"0123456789abcdef", 16}, NONE},
    {"string-not-utf8", "skin[0].name", 144, STELE_WARNING, {144, 1, BYTES(0xC0)}, NONE},
    {"string-not-utf8", "attachment[0].name", 1000, STELE_WARNING, {1000, 1, BYTES(0xC0)}, NONE},
    {"name-leaves-folder", "skin[0].name", 144, STELE_WARNING, {144, 3, BYTES('.', '.', '/')}, NONE},
    {"morph-index", "morph[0].vertices[0]", 984, STELE_ERROR, {984, 1, BYTES(3)}, NONE},
    {"nonfinite-position", "morph[0].targets[0]", 988, STELE_ERROR, {996, 4, BYTES(FINF)}, NONE},
    {"attachment-triangle", "attachment[0].triangle", 1008, STELE_ERROR, {1008, 1, BYTES(2)}, NONE},
    {"attachment-triangle", "attachment[0].triangle", 1008, STELE_ERROR, {1011, 1, BYTES(255)}, NONE},
    {"triangle-not-drawn", "mesh.indices[3]", 358, STELE_NOTE, {1008, 1, BYTES(0)}, NONE},
    {"tri-list-sum", "tri_list[0]", 1012, STELE_ERROR, {1012, 1, BYTES(3)}, NONE},
    {"tri-list-count", "tri_list_count", 60, STELE_WARNING, {20, 1, BYTES(0)}, NONE},
    {"substitution-index", "unknown5[0]", 1016, STELE_WARNING, {1016, 1, BYTES(6)}, NONE},
    {"substitution-index", "unknown5[0]", 1016, STELE_WARNING, {1020, 1, BYTES(3)}, NONE},
    {"color-count", "color_count", 72, STELE_WARNING, {72, 1, BYTES(5)}, NONE},
};

static void findings_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof findings / sizeof *findings; i++)
        expect_finding(LITERAL(model), &findings[i], &full);
}

/* What the engine only notes or ignores must not be an error. */
static void harmless_findings_leave_the_file_usable(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof findings / sizeof *findings; i++) {
        bytes changed = spliced(LITERAL(model), &findings[i].first, &findings[i].second);
        stele_file *file = stele_open_memory(changed.data, changed.size, &full);
        stele_status expected = strcmp(findings[i].id, "bad-version") == 0 ? STELE_UNSUPPORTED
                                : findings[i].severity == STELE_ERROR      ? STELE_DAMAGED
                                                                           : STELE_OK;
        if (stele_file_status(file) != expected)
            fail_msg("%s: status %d, %s", findings[i].id, stele_file_status(file), stele_file_message(file));
        stele_close(file);
        free(changed.data);
    }
}

/* A section without entries may be said to be anywhere. */
static void offsets_of_nothing_are_ignored(void **state)
{
    static const uint8_t empty[144] = {'S', 'M', 'D', 'L', 11, [76] = 1, [80] = 255, [87] = 255, [140] = 144};
    (void)state;
    stele_options safe = {.name = "x.ctc"};
    stele_file *file = stele_open_memory(LITERAL(empty), &safe);
    assert_int_equal(stele_file_status(file), STELE_OK);
    assert_int_equal(assert_explained(file), 0);
    assert_int_equal(stele_file_info(file)->mesh_count, 0);
    stele_close(file);
}

/* Morphs that move nothing have no data, not even at the end of the file. */
static void empty_morphs_may_end_the_file(void **state)
{
    static const uint8_t morphs[144 + 64] = {
        'S', 'M', 'D', 'L', 11, [52] = 2, [116] = 144, [140] = 208, [144] = 'a', [176] = 'b'};
    (void)state;
    stele_options safe = {.name = "x.ctc"};
    stele_file *file = stele_open_memory(LITERAL(morphs), &safe);
    assert_int_equal(stele_file_status(file), STELE_OK);
    assert_int_equal(assert_explained(file), 0);
    assert_int_equal(stele_file_info(file)->morphs, 2);
    stele_close(file);
}

/* ---- Animations ---- */

typedef struct clip_case {
    uint8_t frames, a0, b0, a1, b1;
    size_t clips;
    double seconds0, seconds1;
} clip_case;

static void animations_are_read_as_they_fit(void **state)
{
    static const clip_case cases[] = {
        {5, 0, 2, 2, 3, 2, 0.2, 0.3}, /* counts that add up, and where each begins */
        {5, 9, 2, 9, 3, 2, 0.2, 0.3}, /* counts that add up */
        {6, 0, 2, 2, 3, 2, 0.2, 0.3}, /* each begins where the one before ends */
        {6, 1, 2, 3, 5, 2, 0.2, 0.3}, /* first and last */
        {9, 7, 2, 7, 3, 2, 0.2, 0.3}, /* counts of some of the frames */
        {4, 7, 2, 7, 3, 1, 0.4, 0},   /* neither */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const clip_case *c = &cases[i];
        uint8_t file_bytes[144 + 48 + 9 * 24] = {'S',
                                                 'M',
                                                 'D',
                                                 'L',
                                                 11,
                                                 [44] = 2,
                                                 [104] = 144,
                                                 [108] = 192,
                                                 [144] = 'a',
                                                 [168] = 'b',
                                                 [40] = c->frames,
                                                 [160] = c->a0,
                                                 [164] = c->b0,
                                                 [184] = c->a1,
                                                 [188] = c->b1};
        stele_options safe = {.name = "x.ctc"};
        stele_file *file = stele_open_memory(file_bytes, 192 + 24 * (size_t)c->frames, &safe);
        const stele_info *info = stele_file_info(file);
        assert_int_equal(stele_file_status(file), STELE_OK);
        assert_int_equal(info->clip_count, c->clips);
        assert_true(info->clips[0].seconds == c->seconds0);
        assert_string_equal(info->clips[0].name, c->clips == 2 ? "a" : "all frames");
        assert_true(c->clips < 2 || info->clips[1].seconds == c->seconds1);
        stele_close(file);
    }
}

/* ---- Textures ---- */

static bool only_png(void *user, const char *name, const void **data, size_t *size)
{
    bool there = strcmp(name, user) == 0;
    if (there && data) {
        *data = "";
        *size = 0;
    }
    return there;
}

static void types_of_textures_are_ignored(void **state)
{
    (void)state;
    stele_options options = full;
    options.lookup = only_png;
    options.lookup_user = "s.png";
    stele_file *file = stele_open_memory(LITERAL(model), &options);
    assert_null(find_diagnostic(file, "texture-missing"));
    assert_string_equal(stele_file_info(file)->materials[0].textures[0].found, "s.png");
    stele_close(file);
    options.lookup_user = "t.png";
    file = stele_open_memory(LITERAL(model), &options);
    assert_non_null(find_diagnostic(file, "texture-missing"));
    stele_close(file);
}

/* ---- Another version ---- */

#define COUNTS W(0), W(3), W(3), W(1), W(0), W(0), W(0), W(1), W(0), W(0), W(0), W(0)
#define VERTICES F0, F0, F0, UPWARDS, F1, F0, F0, UPWARDS, F0, F2, F0, UPWARDS
#define UVS F0, F0, F1, F0, F0, F1
#define WEIGHTS 'S', 'T', 'G', 'W', W(1), W(0), F1, W(0), W(1), W(0), F1
#define COLORS 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12

/* Out of order, with gaps, a wrong number of children, scratch in use, and the colours counted in bytes. */
static const uint8_t disorder[] = {
    'S',      'M',     'D',     'L',    W(11),   W(1),   W(2),   W(3),    COUNTS,  F5, W(12), /*   0 */
    W(0),     W(468),  W(394),  W(386), W(360),  W(156), W(324), W(0),    W(0),               /*  76 skins ... frames */
    W(0),     W(0),    W(0),    W(0),   W(0),    W(0),   W(144), W(548), /* 112 commands ... colours, end */
    COLORS,                                                              /* 144 */
    W(0),     W(7),    F1,      F5,     ZEROS12, ZEROS8, F1,     ZEROS40, ZEROS12, F1, F1,    IDENTITY, /* 156 bone */
    0,        0,       0,       0,                                                                      /* 320 a gap of zeros */
    WEIGHTS,                                                                                            /* 324 */
    0,        0,       0,       0,                                                                      /* 356 a gap of zeros */
    UVS,                                                                                                /* 360 */
    'g',      'a',                                                                                      /* 384 a gap */
    0,        0,       1,       0,      2,       0,                                                     /* 386 indices */
    'p',      'q',                                                                                      /* 392 a gap */
    ZEROS24,  ZEROS24, ZEROS24,                                     /* 394 output vertices */
    1,        0,                                                    /* 466 a gap */
    VERTICES,                                                       /* 468 */
    0,        0,       0,       0,      9,       9,      9,      9, /* 540 a gap at the end */
};

static const uint8_t as_v9[] = {
    'S',     'M',     'D',     'L',  W(9),    W(1),   W(2),    W(3),     COUNTS, F0,   W(3), W(0),   W(144), W(216),   W(288),
    W(294),  W(318),  W(482),  W(0), W(0),    W(0),   W(0),    W(0),     W(0),   W(0), W(0), W(514), W(526), VERTICES, /* 144 */
    ZEROS24, ZEROS24, ZEROS24,                                                                                         /* 216 */
    0,       0,       1,       0,    2,       0,                                                                       /* 288 */
    UVS,                                                                                                               /* 294 */
    W(0),    W(0),    F0,      F5,   ZEROS12, ZEROS8, ZEROS64, IDENTITY,                                               /* 318 */
    WEIGHTS,                                                                                                           /* 482 */
    COLORS,                                                                                                            /* 514 */
};

static void other_versions_are_laid_out_afresh(void **state)
{
    (void)state;
    stele_file *file = stele_open_memory(LITERAL(disorder), &full);
    stele_save_options strict = {.dialect = "v9", .strict = true}, save = {.dialect = "v9"};
    assert_int_equal(stele_file_status(file), STELE_OK);
    assert_int_equal(assert_explained(file), 4 + 4 + 2 + 2 + 2 + 8);
    bytes same = rewritten(file, NULL);
    assert_int_equal(same.size, sizeof disorder);
    assert_memory_equal(same.data, disorder, same.size);
    free(same.data);
    assert_null(rewritten(file, &strict).data);
    assert_int_equal(stele_file_status(file), STELE_LOSSY);
    stele_close(file);

    file = stele_open_memory(LITERAL(disorder), &full);
    bytes out = rewritten(file, &save);
    assert_int_equal(out.size, sizeof as_v9);
    assert_memory_equal(out.data, as_v9, out.size);
    const stele_diagnostic *d = find_diagnostic(file, "loss-gap");
    assert_true(d && d->severity == STELE_LOSS);
    free(out.data);
    stele_close(file);
}

/* A dialect that was asked for is written as we recommend it: the colours counted as such. */
static void colors_in_bytes_are_counted_anew(void **state)
{
    (void)state;
    stele_file *file = stele_open_memory(LITERAL(disorder), &full);
    stele_save_options save = {.dialect = "v11"};
    bytes out = rewritten(file, &save);
    assert_int_equal(out.size, sizeof as_v9);
    assert_int_equal(out.data[4], 11);
    assert_memory_equal(out.data + 8, as_v9 + 8, out.size - 8);
    free(out.data);
    stele_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(model_is_recognised),
        cmocka_unit_test(findings_are_found),
        cmocka_unit_test(harmless_findings_leave_the_file_usable),
        cmocka_unit_test(offsets_of_nothing_are_ignored),
        cmocka_unit_test(empty_morphs_may_end_the_file),
        cmocka_unit_test(animations_are_read_as_they_fit),
        cmocka_unit_test(types_of_textures_are_ignored),
        cmocka_unit_test(other_versions_are_laid_out_afresh),
        cmocka_unit_test(colors_in_bytes_are_counted_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
