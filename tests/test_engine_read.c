/* Bulk reading for engines, compared number by number with stele_view_number and with formulas of the tests' own. */
#include <math.h>

#include "support.h"

/* ---- Views ---- */

static stele_view view_of(const void *data, uint64_t count, uint32_t components, stele_type type, bool normalized)
{
    return (stele_view){.data = data,
                        .count = count,
                        .stride = components * stele_type_size(type),
                        .components = components,
                        .type = type,
                        .normalized = normalized};
}

static void test_floats_are_the_numbers_of_the_view(void **state)
{
    (void)state;
    static const stele_type types[] = {STELE_U8, STELE_I8, STELE_U16, STELE_I16};
    static uint8_t data[2 * 65536];
    static float read[65536];
    for (uint32_t i = 0; i < 65536; i++) {
        data[2 * i] = (uint8_t)i;
        data[2 * i + 1] = (uint8_t)(i >> 8);
    }
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int normalized = 0; normalized < 2; normalized++) {
            stele_view v = view_of(data, 65536, 1, types[t], normalized);
            assert_int_equal(stele_read_floats(&v, 1, read, 0, 65536), 65536);
            for (uint64_t i = 0; i < 65536; i++)
                assert_true(read[i] == (float)stele_view_number(&v, i, 0));
        }
}

static void test_floats_with_stride_room_and_less(void **state)
{
    (void)state;
    const float given[] = {1, 2, 3, 4, 5, 6};
    stele_view v = stele_float_view(given, 2, 3);
    float out[12];
    memset(out, 0x77, sizeof out);
    assert_int_equal(stele_read_floats(&v, 4, out, 20, 9), 2);
    assert_true(out[0] == 1 && out[2] == 3 && out[3] == 0 && out[5] == 4 && out[7] == 6 && out[8] == 0);
    assert_int_equal(((uint8_t *)out)[16], 0x77); /* between the rows */
    assert_int_equal(((uint8_t *)out)[36], 0x77); /* and after them */
    assert_int_equal(stele_read_floats(&v, 2, out, 0, 1), 1);
    assert_true(out[0] == 1 && out[1] == 2 && out[2] == 3);
    assert_int_equal(stele_read_floats(&v, 3, out, 8, 2), 0);
    assert_int_equal(stele_read_floats(&v, 17, out, 0, 2), 0);
    assert_int_equal(stele_read_floats(NULL, 3, out, 0, 2), 0);
    assert_int_equal(stele_read_floats(&v, 3, NULL, 0, 2), 0);
    const stele_view none = stele_float_view(NULL, 0, 3);
    assert_int_equal(stele_read_floats(&none, 3, out, 0, 2), 0);
}

static void test_range(void **state)
{
    (void)state;
    float numbers[3 * 200], least[3], greatest[3];
    for (int i = 0; i < 200; i++) {
        numbers[3 * i] = (float)(i == 150 ? -7 : i);
        numbers[3 * i + 1] = -2;
        numbers[3 * i + 2] = (float)(i % 11);
    }
    stele_view v = stele_float_view(numbers, 200, 3), none = stele_float_view(numbers, 0, 3);
    assert_true(stele_view_range(&v, least, greatest));
    assert_true(least[0] == -7 && greatest[0] == 199 && least[1] == -2 && greatest[1] == -2 && greatest[2] == 10);
    assert_false(stele_view_range(&none, least, greatest));
}

static void test_view_of_no_primitive(void **state)
{
    (void)state;
    assert_null(stele_primitive_view(NULL, STELE_POSITION, 0));
}

/* ---- Numbers of a GPU ---- */

static stele_primitive positions_of(const stele_attribute *attributes, size_t count, uint64_t vertices)
{
    return (stele_primitive){
        .vertex_count = vertices, .attributes = attributes, .attribute_count = count, .material = STELE_NONE};
}

/* What one number becomes in a slot. */
static stele_status store(float value, stele_type type, bool normalized, void *out)
{
    const float row[3] = {value, 0, 0};
    const stele_attribute a = {STELE_POSITION, 0, stele_float_view(row, 1, 3)};
    const stele_primitive p = positions_of(&a, 1, 1);
    const stele_slot slot = {.semantic = STELE_POSITION, .type = type, .components = 1, .normalized = normalized};
    return stele_read_vertices(&p, &slot, 1, out, stele_type_size(type));
}

/* By the definition of a half. */
static double half_number(uint16_t half)
{
    int exponent = half >> 10 & 31, mantissa = half & 1023;
    double size = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    return half & 0x8000 ? -size : size;
}

static void test_halves(void **state)
{
    (void)state;
    for (uint32_t h = 0; h < 65536; h++) {
        uint16_t got;
        if ((h >> 10 & 31) == 31)
            continue; /* infinite, or no number */
        assert_int_equal(store((float)half_number((uint16_t)h), STELE_F16, false, &got), STELE_OK);
        assert_int_equal(got, h);
        if ((h & 0x7fff) == 0x7bff)
            continue;
        /* the middle between two goes to the even one, and what is next to it to the nearer */
        double a = half_number((uint16_t)h), b = half_number((uint16_t)(h + 1));
        float middle = (float)((a + b) / 2);
        store(middle, STELE_F16, false, &got);
        assert_int_equal(got, h % 2 ? h + 1 : h);
        store(nextafterf(middle, (float)a), STELE_F16, false, &got);
        assert_int_equal(got, h);
        store(nextafterf(middle, (float)b), STELE_F16, false, &got);
        assert_int_equal(got, h + 1);
    }
    uint16_t got;
    assert_int_equal(store(65519, STELE_F16, false, &got), STELE_OK);
    assert_int_equal(got, 0x7bff);
    assert_int_equal(store(65520, STELE_F16, false, &got), STELE_LOSSY);
    assert_int_equal(got, 0x7bff);
    assert_int_equal(store(-INFINITY, STELE_F16, false, &got), STELE_LOSSY);
    assert_int_equal(got, 0xfbff);
    assert_int_equal(store(NAN, STELE_F16, false, &got), STELE_LOSSY);
    assert_int_equal(got, 0);
}

static void test_integers(void **state)
{
    (void)state;
    static const struct {
        stele_type type;
        bool normalized;
        float value;
        int64_t expected;
        stele_status status;
    } cases[] = {
        {STELE_U8, true, 0, 0, STELE_OK},
        {STELE_U8, true, 1, 255, STELE_OK},
        {STELE_U8, true, 0.5f, 128, STELE_OK},
        {STELE_U8, true, 1.001f, 255, STELE_OK}, /* rounds to what there is */
        {STELE_U8, true, 1.01f, 255, STELE_LOSSY},
        {STELE_U8, true, -0.01f, 0, STELE_LOSSY},
        {STELE_U8, false, 200.4f, 200, STELE_OK},
        {STELE_U8, false, 256, 255, STELE_LOSSY},
        {STELE_U8, false, 0.49999997f, 0, STELE_OK}, /* the last below a half */
        {STELE_U8, false, 0.5f, 1, STELE_OK},
        {STELE_U8, false, 254.5f, 255, STELE_OK},
        {STELE_I8, false, -0.49999997f, 0, STELE_OK},
        {STELE_I8, false, -0.5f, -1, STELE_OK},
        {STELE_U16, false, 65534.496f, 65534, STELE_OK},
        {STELE_U16, false, 65534.5f, 65535, STELE_OK},
        {STELE_I8, true, -1, -127, STELE_OK},
        {STELE_I8, true, 1, 127, STELE_OK},
        {STELE_I8, false, -128, -128, STELE_OK},
        {STELE_U16, true, 1, 65535, STELE_OK},
        {STELE_U16, true, 0.25f, 16384, STELE_OK},
        {STELE_U16, false, 65535, 65535, STELE_OK},
        {STELE_U16, false, 65536, 65535, STELE_LOSSY},
        {STELE_U16, true, NAN, 0, STELE_LOSSY},
        {STELE_I16, true, -1, -32767, STELE_OK},
        {STELE_I16, true, 0.5f, 16384, STELE_OK},
        {STELE_I16, true, -0.5f, -16384, STELE_OK},
        {STELE_I16, true, -2, -32767, STELE_LOSSY},
        {STELE_I16, false, -32768, -32768, STELE_OK},
        {STELE_U32, false, 16777216, 16777216, STELE_OK},
        {STELE_U32, false, -1, 0, STELE_LOSSY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        union {
            uint8_t u8;
            int8_t i8;
            uint16_t u16;
            int16_t i16;
            uint32_t u32;
        } got = {.u32 = 0};
        assert_int_equal(store(cases[i].value, cases[i].type, cases[i].normalized, &got), cases[i].status);
        int64_t value = cases[i].type == STELE_U8    ? got.u8
                        : cases[i].type == STELE_I8  ? got.i8
                        : cases[i].type == STELE_U16 ? got.u16
                        : cases[i].type == STELE_I16 ? got.i16
                                                     : (int64_t)got.u32;
        assert_int_equal(value, cases[i].expected);
    }
}

/* ---- Vertices ---- */

typedef struct vertex {
    uint8_t before[4]; /* no slot's */
    float position[3];
    int16_t normal[4];
    uint16_t uv[2];
    uint8_t color[4];
    uint8_t after[8];
} vertex;

enum { COUNT = 150 }; /* more than two blocks, and not a whole number of them */

static float place[COUNT][3], up[COUNT][3], uv[COUNT][2];

static stele_primitive make_primitive(stele_attribute attributes[3])
{
    for (int i = 0; i < COUNT; i++) {
        place[i][0] = (float)i;
        place[i][1] = (float)-i / 4;
        place[i][2] = 1000.0f / (float)(i + 1);
        up[i][i % 3] = i % 2 ? 1 : -1;
        uv[i][0] = (float)i / 256;
        uv[i][1] = 1;
    }
    attributes[0] = (stele_attribute){STELE_POSITION, 0, stele_float_view(place[0], COUNT, 3)};
    attributes[1] = (stele_attribute){STELE_NORMAL, 0, stele_float_view(up[0], COUNT, 3)};
    attributes[2] = (stele_attribute){STELE_UV, 0, stele_float_view(uv[0], COUNT, 2)};
    return positions_of(attributes, 3, COUNT);
}

static void test_interleaved_vertices(void **state)
{
    (void)state;
    static const stele_slot slots[] = {STELE_SLOT(STELE_COLOR, 0, STELE_U8, 4, true, vertex, color),
                                       STELE_SLOT(STELE_POSITION, 0, STELE_F32, 3, false, vertex, position),
                                       STELE_SLOT(STELE_UV, 0, STELE_F16, 2, false, vertex, uv),
                                       STELE_SLOT(STELE_NORMAL, 0, STELE_I16, 4, true, vertex, normal)};
    stele_attribute attributes[3];
    stele_primitive p = make_primitive(attributes);
    size_t room = COUNT * sizeof(vertex);
    vertex *v = malloc(room); /* exactly, so that a sanitizer sees overruns */
    assert_non_null(v);
    memset(v, 0x77, room);
    assert_int_equal(stele_read_vertices(&p, slots, 4, v, room), STELE_OK);
    for (int i = 0; i < COUNT; i++) {
        static const uint8_t nothing[8];
        assert_memory_equal(v[i].position, place[i], sizeof place[i]);
        for (int k = 0; k < 3; k++)
            assert_int_equal(v[i].normal[k], (int)(32767 * up[i][k]));
        assert_int_equal(v[i].normal[3], 0);
        assert_true(half_number(v[i].uv[0]) == (double)uv[i][0] && half_number(v[i].uv[1]) == 1);
        for (int k = 0; k < 4; k++)
            assert_int_equal(v[i].color[k], 255); /* what is missing is white */
        if (i > 0) {
            assert_memory_equal(v[i].before, nothing, sizeof v[i].before);
            assert_memory_equal(v[i - 1].after, nothing, sizeof v[i].after);
        }
    }
    /* around them nothing is touched */
    assert_int_equal(v[0].before[3], 0x77);
    assert_int_equal(v[COUNT - 1].after[0], 0x77);
    /* nor need there be room behind the last slot */
    size_t least = room - sizeof v->after;
    memset(v, 0x77, room);
    assert_int_equal(stele_read_vertices(&p, slots, 4, v, least), STELE_OK);
    assert_int_equal(v[COUNT - 1].after[0], 0x77);
    memset(v, 0x77, room);
    assert_int_equal(stele_read_vertices(&p, slots, 4, v, least - 1), STELE_USAGE);
    assert_int_equal(v[0].before[0], 0x77);
    free(v);
}

static void test_what_is_missing_is_neutral(void **state)
{
    static const float expected[][4] = {{0, 0, 0, 0}, {0, 0, 1, 0}, {1, 0, 0, 1}, {0, 0, 0, 0},
                                        {1, 1, 1, 1}, {0, 0, 0, 0}, {1, 0, 0, 0}};
    const stele_primitive p = {.vertex_count = 1, .material = STELE_NONE};
    (void)state;
    for (stele_semantic s = STELE_POSITION; s <= STELE_WEIGHTS; s++) {
        float out[8] = {0};
        const stele_slot slots[] = {{.semantic = s, .type = STELE_F32, .components = 4},
                                    {.semantic = s, .set = 1, .type = STELE_F32, .components = 4, .offset = 16}};
        assert_int_equal(stele_read_vertices(&p, slots, 2, out, sizeof out), STELE_OK);
        assert_memory_equal(out, expected[s], sizeof expected[s]);
        if (s == STELE_WEIGHTS) /* all of it went to the first set */
            assert_memory_equal(out + 4, expected[STELE_POSITION], sizeof expected[s]);
    }
}

static void test_streams_and_quantised_positions(void **state)
{
    (void)state;
    stele_attribute attributes[3];
    stele_primitive p = make_primitive(attributes);
    float least[3], greatest[3];
    assert_true(stele_view_range(&attributes[0].view, least, greatest));
    stele_slot slots[] = {{.semantic = STELE_POSITION, .type = STELE_U16, .components = 3, .normalized = true, .stride = 8},
                          {.semantic = STELE_UV, .type = STELE_F32, .components = 2, .offset = 8 * COUNT},
                          {.semantic = STELE_TANGENT, .type = STELE_I8, .components = 4, .offset = 16 * COUNT}};
    for (int k = 0; k < 3; k++) {
        slots[0].bias[k] = least[k];
        slots[0].scale[k] = 1 / (greatest[k] - least[k]);
    }
    static uint8_t out[20 * COUNT + 1];
    memset(out, 0x77, sizeof out);
    assert_int_equal(stele_read_vertices(&p, slots, 3, out, 20 * COUNT), STELE_OK);
    for (int i = 0; i < COUNT; i++) {
        uint16_t q[4];
        memcpy(q, out + 8 * i, sizeof q);
        for (int k = 0; k < 3; k++) {
            double step = ((double)greatest[k] - (double)least[k]) / 65535;
            assert_true(fabs((double)least[k] + q[k] * step - (double)place[i][k]) <= 0.51 * step);
        }
        assert_int_equal(q[3], i < COUNT - 1 ? 0 : 0x7777);
        assert_memory_equal(out + 8 * COUNT + 8 * i, uv[i], 8);
        static const uint8_t tangent[] = {1, 0, 0, 1};
        assert_memory_equal(out + 16 * COUNT + 4 * i, tangent, 4);
    }
    assert_int_equal(out[20 * COUNT], 0x77);
}

/* Reads into bytes that are all 0x77, and compares. */
static void assert_bytes(const stele_primitive *p, const stele_slot *slots, size_t slot_count, const uint8_t *expected,
                         size_t size)
{
    uint8_t *out = malloc(size);
    assert_non_null(out);
    memset(out, 0x77, size);
    assert_int_equal(stele_read_vertices(p, slots, slot_count, out, size), STELE_OK);
    assert_memory_equal(out, expected, size);
    free(out);
}

/* A stream begins with its first slot, wherever that is, and ends with the last one of the last vertex. */
static void test_streams_lie_anywhere(void **state)
{
    (void)state;
    stele_attribute attributes[3];
    stele_primitive p = make_primitive(attributes);
    stele_slot slots[] = {{.semantic = STELE_POSITION, .type = STELE_F32, .components = 3},
                          {.semantic = STELE_UV, .type = STELE_F32, .components = 2}};
    static uint8_t expected[48 * COUNT];
    for (size_t stride = 12; stride <= 32; stride += 20)
        for (size_t offset = 0; offset <= 36; offset += 4) {
            size_t end = offset + (COUNT - 1) * stride + 12;
            memset(expected, 0x77, sizeof expected);
            memset(expected + offset, 0, end - offset);
            for (size_t i = 0; i < COUNT; i++)
                memcpy(expected + offset + i * stride, place[i], 12);
            slots[0].stride = (uint32_t)stride;
            slots[0].offset = offset;
            assert_bytes(&p, slots, 1, expected, end);
            assert_bytes(&p, slots, 1, expected, end + 3);
            /* the next may begin where it ends, but not before */
            slots[1].offset = end;
            memcpy(expected + end, uv, sizeof uv);
            assert_bytes(&p, slots, 2, expected, end + sizeof uv);
            slots[1].offset = end - 1;
            assert_int_equal(stele_read_vertices(&p, slots, 2, expected, sizeof expected), STELE_USAGE);
        }
}

/* Of a single vertex the stride says nothing. */
static void test_streams_of_one_vertex(void **state)
{
    (void)state;
    stele_attribute attributes[3];
    stele_primitive p = make_primitive(attributes);
    p.vertex_count = 1;
    stele_slot slots[] = {{.semantic = STELE_UV, .type = STELE_F32, .components = 2},
                          {.semantic = STELE_POSITION, .type = STELE_F32, .components = 3, .offset = 8}};
    uint8_t expected[26];
    memset(expected, 0, sizeof expected);
    memcpy(expected, uv[0], 8);
    memcpy(expected + 8, place[0], 12);
    assert_bytes(&p, slots, 2, expected, 20);
    slots[0].stride = slots[1].stride = 16;
    assert_bytes(&p, slots, 2, expected, 20);
    slots[1].offset = 14; /* with a gap */
    memset(expected + 8, 0, 6);
    memcpy(expected + 14, place[0], 12);
    assert_bytes(&p, slots, 2, expected, 26);
    slots[1].offset = 7;
    assert_int_equal(stele_read_vertices(&p, slots, 2, expected, sizeof expected), STELE_USAGE);
    p.vertex_count = 2; /* then it reaches into the next */
    slots[1].offset = 8;
    static uint8_t two[64];
    assert_int_equal(stele_read_vertices(&p, slots, 2, two, sizeof two), STELE_USAGE);
}

static void test_slots_without_sense(void **state)
{
    (void)state;
    stele_attribute attributes[3];
    stele_primitive p = make_primitive(attributes);
    static uint8_t out[64 * COUNT];
    const stele_slot good = {.semantic = STELE_POSITION, .type = STELE_F32, .components = 3, .stride = 32};
    stele_slot slots[17];
    assert_int_equal(stele_read_vertices(&p, &good, 1, out, sizeof out), STELE_OK);
#define REFUSED(change)                                                                                                        \
    do {                                                                                                                       \
        slots[0] = good;                                                                                                       \
        change;                                                                                                                \
        assert_int_equal(stele_read_vertices(&p, slots, 1, out, sizeof out), STELE_USAGE);                                     \
    } while (0)
    REFUSED(slots[0].components = 0);
    REFUSED(slots[0].components = 5);
    REFUSED(slots[0].type = STELE_F64);
    REFUSED(slots[0].type = (stele_type)99);
    REFUSED((slots[0].type = STELE_U32, slots[0].normalized = true));
    REFUSED(slots[0].semantic = (stele_semantic)7);
    REFUSED(slots[0].stride = 11);
    REFUSED(slots[0].stride = 2049);
    REFUSED(slots[0].offset = sizeof out);
    REFUSED(slots[0].offset = UINT64_MAX);
    REFUSED(slots[0].offset = UINT64_MAX - 31);
    /* two at one place, in one vertex and as streams */
    slots[0] = slots[1] = good;
    slots[1].offset = 8;
    assert_int_equal(stele_read_vertices(&p, slots, 2, out, sizeof out), STELE_USAGE);
    slots[1].stride = 16;
    slots[1].offset = 32 * (COUNT - 1) + 11;
    assert_int_equal(stele_read_vertices(&p, slots, 2, out, sizeof out), STELE_USAGE);
    slots[1].offset = 32 * (COUNT - 1) + 12;
    assert_int_equal(stele_read_vertices(&p, slots, 2, out, sizeof out), STELE_OK);
    for (size_t i = 0; i < 17; i++) {
        slots[i] = good;
        slots[i].type = STELE_U8;
        slots[i].components = 1;
        slots[i].offset = i;
    }
    assert_int_equal(stele_read_vertices(&p, slots, 16, out, sizeof out), STELE_OK);
    assert_int_equal(stele_read_vertices(&p, slots, 17, out, sizeof out), STELE_USAGE);
    assert_int_equal(stele_read_vertices(&p, slots, 0, out, sizeof out), STELE_USAGE);
    assert_int_equal(stele_read_vertices(&p, NULL, 1, out, sizeof out), STELE_USAGE);
    assert_int_equal(stele_read_vertices(NULL, &good, 1, out, sizeof out), STELE_USAGE);
    assert_int_equal(stele_read_vertices(&p, &good, 1, NULL, sizeof out), STELE_USAGE);
    p.vertex_count = UINT64_MAX;
    assert_int_equal(stele_read_vertices(&p, &good, 1, out, sizeof out), STELE_USAGE);
}

static void test_weights_of_few_bits_sum_to_one(void **state)
{
    (void)state;
    static float weights[COUNT][4];
    static uint8_t joints[COUNT][4], q8[COUNT][4];
    static uint16_t q16[COUNT][4];
    for (int i = 0; i < COUNT; i++) {
        float sum = 0;
        for (int k = 0; k < 4; k++) {
            joints[i][k] = (uint8_t)(i + k);
            sum += weights[i][k] = (float)((i * 7 + k * k * 13) % 31);
        }
        for (int k = 0; k < 4; k++)
            weights[i][k] = sum > 0 ? weights[i][k] / sum : 0;
    }
    const stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(place[0], COUNT, 3)},
                                          {STELE_JOINTS, 0, view_of(joints, COUNT, 4, STELE_U8, false)},
                                          {STELE_WEIGHTS, 0, stele_float_view(weights[0], COUNT, 4)}};
    const stele_primitive p = positions_of(attributes, 3, COUNT);
    stele_slot slot = {.semantic = STELE_WEIGHTS, .type = STELE_U8, .components = 4, .normalized = true};
    assert_int_equal(stele_read_vertices(&p, &slot, 1, q8, sizeof q8), STELE_OK);
    slot.type = STELE_U16;
    assert_int_equal(stele_read_vertices(&p, &slot, 1, q16, sizeof q16), STELE_OK);
    for (int i = 0; i < COUNT; i++) {
        int sum8 = 0, sum16 = 0;
        for (int k = 0; k < 4; k++) {
            sum8 += q8[i][k];
            sum16 += q16[i][k];
            assert_true(fabs(q8[i][k] / 255.0 - (double)weights[i][k]) <= 2.01 / 255);
            assert_true(fabs(q16[i][k] / 65535.0 - (double)weights[i][k]) <= 2.01 / 65535);
        }
        assert_int_equal(sum8, 255);
        assert_int_equal(sum16, 65535);
    }
}

/* The inverse of their sum is infinite. */
static void test_the_smallest_weights_count(void **state)
{
    static const float position[3], weights[4] = {0, 1e-45f, 0, 0};
    static const uint8_t joints[4] = {0, 1, 2, 3};
    const stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(position, 1, 3)},
                                          {STELE_JOINTS, 0, {joints, 1, 4, 4, STELE_U8, false}},
                                          {STELE_WEIGHTS, 0, stele_float_view(weights, 1, 4)}};
    const stele_primitive p = {.vertex_count = 1, .attributes = attributes, .attribute_count = 3, .material = STELE_NONE};
    uint8_t packed[4];
    const stele_slot slot = {.semantic = STELE_WEIGHTS, .type = STELE_U8, .components = 4, .normalized = true, .stride = 4};
    (void)state;
    assert_int_equal(stele_read_vertices(&p, &slot, 1, packed, sizeof packed), STELE_OK);
    assert_memory_equal(packed, ((uint8_t[]){0, 255, 0, 0}), 4);
}

static void test_the_heaviest_influences_stay(void **state)
{
    (void)state;
    const uint16_t joints[2][4] = {{10, 11, 12, 13}, {300, 21, 22, 23}};
    const float weights[2][4] = {{0.05f, 0.2f, 0.05f, 0.1f}, {0.3f, 0.25f, 0.05f, 0}};
    const stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(place[0], 1, 3)},
                                          {STELE_JOINTS, 0, view_of(joints[0], 1, 4, STELE_U16, false)},
                                          {STELE_WEIGHTS, 0, stele_float_view(weights[0], 1, 4)},
                                          {STELE_JOINTS, 1, view_of(joints[1], 1, 4, STELE_U16, false)},
                                          {STELE_WEIGHTS, 1, stele_float_view(weights[1], 1, 4)}};
    const stele_primitive p = positions_of(attributes, 5, 1);
    struct {
        uint16_t joints[4];
        float weights[4];
    } one, two[2];
    const stele_slot slots[] = {
        {.semantic = STELE_JOINTS, .type = STELE_U16, .components = 4, .stride = 24, .offset = 0},
        {.semantic = STELE_WEIGHTS, .type = STELE_F32, .components = 4, .stride = 24, .offset = 8},
        {.semantic = STELE_JOINTS, .set = 1, .type = STELE_U16, .components = 4, .stride = 24, .offset = 24},
        {.semantic = STELE_WEIGHTS, .set = 1, .type = STELE_F32, .components = 4, .stride = 24, .offset = 32}};
    assert_int_equal(stele_read_vertices(&p, slots, 2, &one, sizeof one), STELE_LOSSY);
    static const uint16_t kept[] = {300, 21, 11, 13};
    static const double heaviest[] = {0.3 / 0.85, 0.25 / 0.85, 0.2 / 0.85, 0.1 / 0.85};
    assert_memory_equal(one.joints, kept, sizeof kept);
    for (int k = 0; k < 4; k++)
        assert_true(fabs((double)one.weights[k] - heaviest[k]) < 1e-6);
    /* with room for all they are as they are */
    assert_int_equal(stele_read_vertices(&p, slots, 4, two, sizeof two), STELE_OK);
    for (int s = 0; s < 2; s++) {
        assert_memory_equal(two[s].joints, joints[s], sizeof joints[s]);
        assert_memory_equal(two[s].weights, weights[s], sizeof weights[s]);
    }
    /* and a joint that a byte cannot name is said */
    const stele_slot narrow = {.semantic = STELE_JOINTS, .set = 1, .type = STELE_U8, .components = 4};
    uint8_t bytes[4];
    assert_int_equal(stele_read_vertices(&p, &narrow, 1, bytes, 4), STELE_LOSSY);
    assert_int_equal(bytes[0], 255);
}

static const float some_weights[4] = {0.1f, 0.2f, 0.3f, 0.4f};
static const uint8_t some_joints[4] = {0, 1, 2, 3};

static stele_primitive one_skinned(stele_attribute attributes[3])
{
    attributes[0] = (stele_attribute){STELE_POSITION, 0, stele_float_view(place[0], 1, 3)};
    attributes[1] = (stele_attribute){STELE_JOINTS, 0, view_of(some_joints, 1, 4, STELE_U8, false)};
    attributes[2] = (stele_attribute){STELE_WEIGHTS, 0, stele_float_view(some_weights, 1, 4)};
    return positions_of(attributes, 3, 1);
}

static void test_room_for_few_influences(void **state)
{
    (void)state;
    static const uint8_t expected[5][4] = {{0}, {255}, {146, 109}, {113, 85, 57}, {26, 51, 76, 102}};
    stele_attribute attributes[3];
    const stele_primitive p = one_skinned(attributes);
    for (uint32_t n = 1; n <= 4; n++) {
        uint8_t out[8] = {0};
        stele_slot slots[] = {{.semantic = STELE_JOINTS, .type = STELE_U8, .components = n},
                              {.semantic = STELE_WEIGHTS, .type = STELE_U8, .components = n, .normalized = true, .offset = 4}};
        assert_int_equal(stele_read_vertices(&p, slots, 2, out, sizeof out), n < 4 ? STELE_LOSSY : STELE_OK);
        uint32_t sum = 0;
        for (uint32_t k = 0; k < n; k++) {
            assert_int_equal(out[k], n < 4 ? 3 - k : k); /* the heaviest first, or as they are */
            assert_true(abs(out[4 + k] - expected[n][k]) <= 1);
            sum += out[4 + k];
        }
        assert_int_equal(sum, 255);
        /* the narrower of the two decides */
        slots[0].components = 4;
        assert_int_equal(stele_read_vertices(&p, slots, 2, out, sizeof out), n < 4 ? STELE_LOSSY : STELE_OK);
        for (uint32_t k = n; k < 4; k++)
            assert_int_equal(out[k], 0);
        assert_int_equal(out[0], n < 4 ? 3 : 0);
    }
    /* floats too are made to sum to 1 */
    float two[2];
    const stele_slot heaviest = {.semantic = STELE_WEIGHTS, .type = STELE_F32, .components = 2};
    assert_int_equal(stele_read_vertices(&p, &heaviest, 1, two, sizeof two), STELE_LOSSY);
    assert_true(fabsf(two[0] - 4 / 7.0f) < 1e-6f && fabsf(two[1] - 3 / 7.0f) < 1e-6f);
    /* what does not fit the first set goes to the second */
    uint8_t joints[4] = {9, 9, 9, 9};
    const stele_slot split[] = {{.semantic = STELE_JOINTS, .type = STELE_U8, .components = 3},
                                {.semantic = STELE_JOINTS, .set = 1, .type = STELE_U8, .components = 1, .offset = 3}};
    assert_int_equal(stele_read_vertices(&p, split, 2, joints, sizeof joints), STELE_OK);
    assert_memory_equal(joints, some_joints, 4);
}

/* A file with fewer fits without a word. */
static void test_few_influences_fit(void **state)
{
    (void)state;
    stele_attribute attributes[3];
    const stele_primitive p = one_skinned(attributes);
    attributes[1].view.components = attributes[2].view.components = 2;
    uint8_t joints[2];
    const stele_slot slot = {.semantic = STELE_JOINTS, .type = STELE_U8, .components = 2};
    assert_int_equal(stele_read_vertices(&p, &slot, 1, joints, sizeof joints), STELE_OK);
    assert_memory_equal(joints, some_joints, 2);
}

static void test_weights_of_several_types(void **state)
{
    (void)state;
    stele_attribute attributes[3];
    const stele_primitive p = one_skinned(attributes);
    struct {
        uint8_t q8[4];
        uint16_t q16[4];
        float floats[4];
    } out;
    const stele_slot slots[] = {
        {.semantic = STELE_WEIGHTS, .type = STELE_U8, .components = 4, .normalized = true},
        {.semantic = STELE_WEIGHTS, .type = STELE_U16, .components = 4, .normalized = true, .offset = 4},
        {.semantic = STELE_WEIGHTS, .type = STELE_F32, .components = 4, .offset = 12}};
    assert_int_equal(stele_read_vertices(&p, slots, 3, &out, sizeof out), STELE_OK);
    assert_int_equal(out.q8[0] + out.q8[1] + out.q8[2] + out.q8[3], 255);
    assert_int_equal(out.q16[0] + out.q16[1] + out.q16[2] + out.q16[3], 65535);
    assert_true(abs(out.q16[1] - 13107) <= 1); /* no multiple of what a byte has */
    assert_memory_equal(out.floats, some_weights, sizeof some_weights);
}

/* ---- Every sample ---- */

static uint64_t with_layout, without_layout;

/* A slot of the bytes of a layout says the same as the view. */
static void assert_slot(const stele_primitive *p, const stele_slot *slot, const uint8_t *data, size_t size)
{
    const stele_view *v = stele_primitive_view(p, slot->semantic, slot->set);
    stele_view as_slot = {.data = data + slot->offset,
                          .count = p->vertex_count,
                          .stride = slot->stride,
                          .components = slot->components,
                          .type = slot->type,
                          .normalized = slot->normalized};
    assert_non_null(v);
    assert_true(slot->offset % 4 == 0 && slot->stride % 4 == 0);
    assert_true(slot->offset + (p->vertex_count - 1) * slot->stride + slot->components * stele_type_size(slot->type) <= size);
    for (uint64_t i = 0; i < p->vertex_count; i++)
        for (uint32_t k = 0; k < slot->components; k++)
            assert_true(stele_view_number(&as_slot, i, k) == stele_view_number(v, i, k));
}

static void check_own_layout(const stele_primitive *p)
{
    stele_slot slots[STELE_MOST_SLOTS];
    size_t count, size;
    const uint8_t *own = stele_own_layout(p, slots, &count, &size);
    if (!own) {
        without_layout++;
        return;
    }
    with_layout++;
    for (size_t i = 0; i < count; i++)
        assert_slot(p, &slots[i], own, size);
    /* reading into that layout gives slots of the same numbers */
    uint8_t *read = malloc(size);
    assert_non_null(read);
    memset(read, 0x77, size);
    stele_status status = stele_read_vertices(p, slots, count, read, size);
    assert_true(status == STELE_OK || status == STELE_LOSSY); /* one of two sets of joints may lie elsewhere */
    for (size_t i = 0; i < count && status == STELE_OK; i++)
        assert_slot(p, &slots[i], read, size);
    free(read);
}

/* Everything as floats in one vertex. */
static void check_all_as_floats(const stele_primitive *p)
{
    stele_slot slots[STELE_MOST_SLOTS];
    size_t count = p->attribute_count < STELE_MOST_SLOTS ? p->attribute_count : STELE_MOST_SLOTS;
    uint32_t stride = (uint32_t)count * 16;
    for (size_t i = 0; i < count; i++)
        slots[i] = (stele_slot){.semantic = p->attributes[i].semantic,
                                .set = p->attributes[i].set,
                                .type = STELE_F32,
                                .components = p->attributes[i].view.components,
                                .stride = stride,
                                .offset = 16 * i};
    float *read = calloc((size_t)p->vertex_count, stride); /* what is after the last slot stays 0 */
    assert_non_null(read);
    assert_int_equal(stele_read_vertices(p, slots, count, read, (size_t)p->vertex_count * stride), STELE_OK);
    for (uint64_t i = 0; i < p->vertex_count; i++)
        for (size_t a = 0; a < count; a++)
            for (uint32_t k = 0; k < 4; k++) {
                float expected =
                    k < slots[a].components ? (float)stele_view_number(&p->attributes[a].view, i, k) : 0; /* a gap */
                assert_true(read[i * stride / 4 + 4 * a + k] == expected);
            }
    free(read);
}

static void check_indices(const stele_primitive *p)
{
    uint64_t count = stele_index_count(p);
    uint32_t *wide = malloc((size_t)count * sizeof *wide);
    uint16_t *narrow = malloc((size_t)count * sizeof *narrow);
    assert_true(wide && narrow);
    assert_int_equal(stele_read_indices(p, 5, STELE_U32, wide, (size_t)count * 4), STELE_OK);
    stele_status status = stele_read_indices(p, 5, STELE_U16, narrow, (size_t)count * 2);
    bool fit = true;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t expected = 5 + (p->indices.count ? (uint64_t)stele_view_number(&p->indices, i, 0) : i);
        assert_int_equal(wide[i], expected);
        fit &= expected < 65536;
        if (status == STELE_OK)
            assert_int_equal(narrow[i], expected);
    }
    assert_int_equal(status, fit ? STELE_OK : STELE_LOSSY);
    assert_int_equal(stele_read_indices(p, 5, STELE_U32, wide, (size_t)count * 4 - 1), STELE_USAGE);
    free(wide);
    free(narrow);
}

static void check_sample(const char *path, const bytes *content)
{
    (void)content;
    stele_file *file = stele_open(path, NULL);
    const stele_model *model = stele_file_model(file);
    for (size_t m = 0; model && m < model->mesh_count; m++)
        for (size_t i = 0; i < model->meshes[m].primitive_count; i++) {
            const stele_primitive *p = &model->meshes[m].primitives[i];
            if (!p->vertex_count)
                continue;
            check_own_layout(p);
            check_all_as_floats(p);
            check_indices(p);
        }
    stele_close(file);
}

static void test_samples(void **state)
{
    (void)state;
    char samples[1024];
    with_layout = without_layout = 0;
    snprintf(samples, sizeof samples, "%s/samples", project_folder());
    assert_true(for_each_file(samples, check_sample) > 40);
    assert_true(with_layout > 40);
    print_message("# %llu primitives have a layout of their own, %llu have none\n", (unsigned long long)with_layout,
                  (unsigned long long)without_layout);
}

/* ---- Indices ---- */

static void test_indices(void **state)
{
    (void)state;
    const uint8_t small[] = {0, 2, 1};
    const uint16_t middle[] = {0, 65535, 1}; /* stored as the machine has them, see below */
    uint8_t little[6];
    for (int i = 0; i < 3; i++) {
        little[2 * i] = (uint8_t)middle[i];
        little[2 * i + 1] = (uint8_t)(middle[i] >> 8);
    }
    uint16_t narrow[3] = {7, 7, 7};
    uint32_t wide[3];
    stele_primitive p = {.vertex_count = 3, .indices = view_of(small, 3, 1, STELE_U8, false)};
    assert_int_equal(stele_read_indices(&p, 65533, STELE_U16, narrow, sizeof narrow), STELE_OK);
    assert_true(narrow[0] == 65533 && narrow[1] == 65535 && narrow[2] == 65534);
    narrow[0] = 7;
    assert_int_equal(stele_read_indices(&p, 65534, STELE_U16, narrow, sizeof narrow), STELE_LOSSY);
    assert_int_equal(narrow[0], 7);
    assert_int_equal(stele_read_indices(&p, UINT32_MAX - 1, STELE_U32, wide, sizeof wide), STELE_LOSSY);
    p = (stele_primitive){.vertex_count = 70000, .indices = view_of(little, 3, 1, STELE_U16, false)};
    assert_int_equal(stele_read_indices(&p, 0, STELE_U16, narrow, sizeof narrow), STELE_OK); /* none is too large */
    assert_memory_equal(narrow, middle, sizeof middle);
    assert_int_equal(stele_read_indices(&p, 1, STELE_U16, narrow, sizeof narrow), STELE_LOSSY);
    assert_int_equal(stele_read_indices(&p, 1, STELE_U32, wide, sizeof wide), STELE_OK);
    assert_int_equal(wide[1], 65536);
    p = (stele_primitive){.vertex_count = 3};
    assert_int_equal(stele_index_count(&p), 3);
    assert_int_equal(stele_read_indices(&p, 4, STELE_U32, wide, sizeof wide), STELE_OK);
    assert_true(wide[0] == 4 && wide[2] == 6);
    assert_int_equal(stele_read_indices(&p, 4, STELE_U8, wide, sizeof wide), STELE_USAGE);
    assert_int_equal(stele_read_indices(&p, 4, STELE_U32, NULL, sizeof wide), STELE_USAGE);
    assert_int_equal(stele_read_indices(NULL, 4, STELE_U32, wide, sizeof wide), STELE_USAGE);
    p.vertex_count = 70000;
    assert_int_equal(stele_read_indices(&p, 0, STELE_U16, wide, SIZE_MAX), STELE_LOSSY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floats_are_the_numbers_of_the_view),
        cmocka_unit_test(test_floats_with_stride_room_and_less),
        cmocka_unit_test(test_range),
        cmocka_unit_test(test_view_of_no_primitive),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_interleaved_vertices),
        cmocka_unit_test(test_what_is_missing_is_neutral),
        cmocka_unit_test(test_streams_and_quantised_positions),
        cmocka_unit_test(test_streams_lie_anywhere),
        cmocka_unit_test(test_streams_of_one_vertex),
        cmocka_unit_test(test_slots_without_sense),
        cmocka_unit_test(test_weights_of_few_bits_sum_to_one),
        cmocka_unit_test(test_the_smallest_weights_count),
        cmocka_unit_test(test_the_heaviest_influences_stay),
        cmocka_unit_test(test_room_for_few_influences),
        cmocka_unit_test(test_few_influences_fit),
        cmocka_unit_test(test_weights_of_several_types),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_indices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
