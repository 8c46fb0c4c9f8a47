/* Printing and reading numbers, against the C library: every printed text reads back and is the shortest, every text is read as
 * strtof and strtod read it. */
#include "support.h"

#include <math.h>

#include "base/number.h"

static uint64_t state = 88172645463325252;

static uint64_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The significant digits of a text: what is before an exponent, without sign, point and zeros at both ends. */
static size_t significant_digits(const char *text, char digits[64])
{
    size_t count = 0, kept = 0;
    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (count || *text != '0')) {
            digits[count++] = *text;
            kept = *text == '0' ? kept : count;
        }
    digits[kept] = 0;
    return kept;
}

/* Valid as a number in JSON. */
static bool is_json_number(const char *p)
{
    p += *p == '-';
    size_t whole = strspn(p, "0123456789");
    if (!whole || (*p == '0' && whole > 1))
        return false;
    p += whole;
    if (*p == '.') {
        size_t fraction = strspn(p + 1, "0123456789");
        if (!fraction)
            return false;
        p += 1 + fraction;
    }
    if (*p == 'e') {
        p += 1 + (p[1] == '-');
        size_t exponent = strspn(p, "0123456789");
        if (!exponent)
            return false;
        p += exponent;
    }
    return !*p;
}

static void expect_float(uint32_t bits)
{
    char text[NUMBER_CHARS + 1], other[64], digits[64], other_digits[64];
    float value = float_of(bits), read;
    size_t length = st_print_f32(text, value);
    assert_true(length < NUMBER_CHARS);
    text[length] = 0;
    assert_true(is_json_number(text));
    assert_int_equal(bits_of_float(strtof(text, NULL)), bits);
    assert_ptr_equal(st_parse_f32(text, text + length, &read), text + length);
    assert_int_equal(bits_of_float(read), bits);
    size_t count = significant_digits(text, digits);
    if (count > 1) {
        snprintf(other, sizeof other, "%.*e", (int)count - 2, (double)value);
        assert_int_not_equal(bits_of_float(strtof(other, NULL)), bits);
    }
    /* of the shortest ones it is the nearest, if that one reads back */
    snprintf(other, sizeof other, "%.*e", count ? (int)count - 1 : 0, (double)value);
    significant_digits(other, other_digits);
    if (bits_of_float(strtof(other, NULL)) == bits)
        assert_string_equal(digits, other_digits);
}

static void expect_double(uint64_t bits)
{
    char text[NUMBER_CHARS + 1], other[64], digits[64], other_digits[64];
    double value = double_of(bits), read;
    size_t length = st_print_f64(text, value);
    assert_true(length < NUMBER_CHARS);
    text[length] = 0;
    assert_true(is_json_number(text));
    assert_true(bits_of_double(strtod(text, NULL)) == bits);
    assert_ptr_equal(st_parse_f64(text, text + length, &read), text + length);
    assert_true(bits_of_double(read) == bits);
    size_t count = significant_digits(text, digits);
    if (count > 1) {
        snprintf(other, sizeof other, "%.*e", (int)count - 2, value);
        assert_true(bits_of_double(strtod(other, NULL)) != bits);
    }
    snprintf(other, sizeof other, "%.*e", count ? (int)count - 1 : 0, value);
    significant_digits(other, other_digits);
    if (bits_of_double(strtod(other, NULL)) == bits)
        assert_string_equal(digits, other_digits);
}

static void test_floats_are_printed_shortest(void **unused)
{
    (void)unused;
    for (uint32_t exponent = 0; exponent < 255; exponent++)
        for (int i = -3; i <= 3; i++) {
            uint32_t bits = (exponent << 23) + (uint32_t)i;
            if (bits < 0x7f800000)
                expect_float(bits);
            expect_float(exponent << 23 | 1u << 22 | (uint32_t)(i + 3));
        }
    for (int i = 0; i < 300000; i++) {
        uint32_t bits = (uint32_t)random_bits();
        if (isfinite(float_of(bits)))
            expect_float(bits);
    }
    for (int i = 0; i < 100000; i++)
        expect_float(bits_of_float((float)(int64_t)(random_bits() % 2000000 - 1000000) / 1000));
}

static void test_doubles_are_printed_shortest(void **unused)
{
    (void)unused;
    for (uint64_t exponent = 0; exponent < 2047; exponent++)
        for (int i = -3; i <= 3; i++) {
            uint64_t bits = (exponent << 52) + (uint64_t)(int64_t)i;
            if (bits < 0x7ffull << 52)
                expect_double(bits);
        }
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = random_bits();
        if (isfinite(double_of(bits)))
            expect_double(bits);
    }
    for (int i = 0; i < 50000; i++)
        expect_double(bits_of_double((double)(int64_t)(random_bits() % 2000000000 - 1000000000) / 10000));
}

static void expect_text_32(float value, const char *expected)
{
    char text[NUMBER_CHARS + 1];
    text[st_print_f32(text, value)] = 0;
    assert_string_equal(text, expected);
}

static void expect_text_64(double value, const char *expected)
{
    char text[NUMBER_CHARS + 1];
    text[st_print_f64(text, value)] = 0;
    assert_string_equal(text, expected);
}

static void test_notation(void **unused)
{
    (void)unused;
    expect_text_32(0.0f, "0");
    expect_text_32(-0.0f, "-0");
    expect_text_32(1.0f, "1");
    expect_text_32(-1.5f, "-1.5");
    expect_text_32(0.1f, "0.1");
    expect_text_32(100.0f, "100");
    expect_text_32(16777216.0f, "16777216");
    expect_text_32(123.456f, "123.456");
    expect_text_32(0.00001f, "0.00001");
    expect_text_32(0.000001f, "1e-6");
    expect_text_32(1.25e-7f, "1.25e-7");
    expect_text_32(1e15f, "1000000000000000");
    expect_text_32(1e16f, "1e16");
    expect_text_32(3.4028235e38f, "3.4028235e38");
    expect_text_32(1.1754944e-38f, "1.1754944e-38");
    expect_text_32(1e-45f, "1e-45");
    expect_text_64(0.1, "0.1");
    expect_text_64(5e-324, "5e-324");
    expect_text_64(1.7976931348623157e308, "1.7976931348623157e308");
    expect_text_64(2.2250738585072014e-308, "2.2250738585072014e-308");
    expect_text_64(9007199254740993.0, "9007199254740992");
    expect_text_64(2e-3, "0.002");
    expect_text_64(1234567890123456.7, "1234567890123456.8");
    expect_text_64(9.5367431640625e-7, "9.5367431640625e-7");
    expect_text_64(-123456.789, "-123456.789");
}

static void test_rows(void **unused)
{
    (void)unused;
    static const float numbers[] = {0, -0.0f, 1.5f, -1e-20f, 16777216, 0.1f};
    char text[MOST_IN_ROW * (NUMBER_CHARS + 1) + 1];
    *st_print_row(text, numbers, 6) = 0;
    assert_string_equal(text, " 0 -0 1.5 -1e-20 16777216 0.1");
    assert_ptr_equal(st_print_row(text, numbers, 0), text);
}

static void test_integers(void **unused)
{
    (void)unused;
    static const uint32_t numbers[] = {0,        1,        9,         10,        99,        100,        12345,
                                       99999999, 10000000, 100000000, 100000001, 999999999, 1000000000, 4294967295};
    for (size_t i = 0; i < 100000 + sizeof numbers / sizeof *numbers; i++) {
        char text[NUMBER_CHARS + 1], expected[16];
        uint32_t value = i < 100000 ? (uint32_t)(random_bits() >> (32 + i % 32)) : numbers[i - 100000];
        text[st_print_u32(text, value)] = 0;
        snprintf(expected, sizeof expected, "%u", value);
        assert_string_equal(text, expected);
    }
}

/* ---- Reading ---- */

static void expect_read(const char *text)
{
    float f, expected_f = strtof(text, NULL);
    double d, expected_d = strtod(text, NULL);
    const char *end = text + strlen(text);
    if (st_parse_f64(text, end, &d) != end || st_parse_f32(text, end, &f) != end)
        fail_msg("%s is not read to its end", text);
    if (bits_of_double(d) != bits_of_double(expected_d) || bits_of_float(f) != bits_of_float(expected_f))
        fail_msg("%.120s is read as %.17g and %.9g, not as %.17g and %.9g", text, d, (double)f, expected_d, (double)expected_f);
}

static void test_hard_texts(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "0",
        "-0",
        "+1",
        "1.",
        ".5",
        "-.5e1",
        "00012.50",
        "1e0",
        "1E+5",
        "1e-5",
        "0e999999999999999999999",
        "1e999",
        "-1e999",
        "1e-999",
        "0.0000000000000000000000000000000000000000000000000000000000001",
        "1e23",
        "8.5e22",
        "9007199254740993",
        "9007199254740992.99999999999999999999999",
        "9007199254740993.00000000000000000000001",
        "9007199254740991.5",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "2.2250738585072014e-308",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.47032822920623272e-324",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1.797693134862315807e308",
        "179769313486231580793e289",
        "6.631236846766476e-316",
        "3.237883913302901e-319",
        "7.2057594037927933e16",
        "0.500000000000000166533453693773481063544750213623046875",
        "3.518437208883201171875e13",
        "6.92949564460090000e15",
        "104110013277974872254e-225",
        "9e0265",
        "5e-324",
        "1e-323",
        "12345678901234567890123456789012345678901234567890e-30",
        "0.000001",
        "3.4028234663852886e38",
        "3.4028235677973366e38",
        "3.4028235677973365e38",
        "3.40282357e38",
        "1.17549435e-38",
        "1.1754942807573643e-38",
        "7.0064923216240854e-46",
        "7.0064923216240853e-46",
        "7.0064923216240862e-46",
        "1.00000017881393432617187499",
        "1.00000017881393432617187500",
        "1.00000017881393432617187501",
        "16777217",
        "16777219",
        "16777217.0000001",
        "33554434.9999999999999999999999999",
        "1e-45",
        "7e-46",
        "8.589934591999999999e9",
        "5.9604644775390625e-8",
        "1.4012984643248170e-45",
        "43723e-4",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_read(texts[i]);
}

/* Decimals just at, below and above the middle of two neighbours: with all digits of the middle, with one more, and cut. */
static void expect_middle(double low, double high, bool single)
{
    char text[1200], nudged[1210];
    /* the middle has one bit more than a number: exact as long double where that is wider, or as the double of two floats */
    if (single) {
        snprintf(text, sizeof text, "%.160f", low / 2 + high / 2);
    } else {
        if (sizeof(long double) == sizeof(double) || high >= 1e300)
            return;
        snprintf(text, sizeof text, "%.1100Lf", (long double)low / 2 + (long double)high / 2);
    }
    expect_read(text);
    snprintf(nudged, sizeof nudged, "%s1", text);
    expect_read(nudged);
    size_t length = strlen(text);
    while (length && text[length - 1] == '0')
        length--;
    if (length && text[length - 1] != '.') {
        text[length - 1]--;
        text[length] = 0;
        snprintf(nudged, sizeof nudged, "%s999999999999999999999999999999", text);
        expect_read(nudged);
    }
}

static void test_middles(void **unused)
{
    (void)unused;
    for (int i = 0; i < 30000; i++) {
        uint32_t bits = (uint32_t)random_bits() % 0x7f7fffff;
        expect_middle((double)float_of(bits), (double)float_of(bits + 1), true);
    }
    for (int i = 0; i < 5000; i++) {
        /* of moderate size, for the middle is printed in full */
        uint64_t bits = (random_bits() % (0x4ffull << 52 | 1)) | (i % 8 ? 0x3000000000000000 : 0);
        if (bits < 0x4ffull << 52)
            expect_middle(double_of(bits), double_of(bits + 1), false);
    }
    for (uint64_t bits = 0; bits < 40; bits++)
        expect_middle(double_of(bits), double_of(bits + 1), false);
}

static void test_random_texts(void **unused)
{
    (void)unused;
    char text[400];
    for (int i = 0; i < 300000; i++) {
        size_t digits = 1 + random_bits() % (i % 16 ? 25 : 120), point = random_bits() % (digits + 1), length = 0;
        text[length++] = random_bits() % 2 ? '-' : '+';
        for (size_t j = 0; j < digits; j++) {
            if (j == point)
                text[length++] = '.';
            text[length++] = (char)('0' + random_bits() % 10);
        }
        text[length] = 0;
        if (random_bits() % 4)
            snprintf(text + length, sizeof text - length, "e%d", (int)(random_bits() % 700) - 350);
        expect_read(text);
    }
}

/* A number ends where it ends: at the end of the bytes, and before what is no part of it. */
static void test_where_numbers_end(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        size_t length; /* SIZE_MAX: no number */
        double value;
    } cases[] = {{"1 2", 1, 1},        {"1e", 1, 1},         {"1e+", 1, 1},         {"1.5.5", 3, 1.5},
                 {"-", SIZE_MAX, 0},   {".", SIZE_MAX, 0},   {"", SIZE_MAX, 0},     {"e5", SIZE_MAX, 0},
                 {"nan", SIZE_MAX, 0}, {"inf", SIZE_MAX, 0}, {"+-1", SIZE_MAX, 0},  {"0x10", 1, 0},
                 {"12/3", 2, 12},      {"1e5x", 3, 1e5},     {"-.e1", SIZE_MAX, 0}, {"1,5", 1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes exact = copy_bytes(cases[i].text, strlen(cases[i].text));
        const char *start = (const char *)exact.data, *end = start + exact.size;
        double d = 0;
        float f = 0;
        const char *rest = st_parse_f64(start, end, &d), *other = st_parse_f32(start, end, &f);
        assert_ptr_equal(rest, cases[i].length == SIZE_MAX ? NULL : start + cases[i].length);
        assert_ptr_equal(other, rest);
        assert_true(d == cases[i].value && (double)f == cases[i].value);
        free(exact.data);
    }
    /* a million digits, and an exponent that undoes them */
    enum { MANY = 1000000 };
    char *text = malloc(MANY + 32);
    assert_non_null(text);
    memset(text, '0', MANY);
    text[0] = '1';
    snprintf(text + MANY, 32, "e-%d", MANY);
    double d;
    assert_ptr_equal(st_parse_f64(text, text + strlen(text), &d), text + strlen(text));
    assert_true(d == 0.1);
    memset(text, '0', MANY);
    text[1] = '.';
    text[MANY - 1] = '7';
    snprintf(text + MANY, 32, "e%d", MANY);
    assert_non_null(st_parse_f64(text, text + strlen(text), &d));
    assert_true(d == 700);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floats_are_printed_shortest),
        cmocka_unit_test(test_doubles_are_printed_shortest),
        cmocka_unit_test(test_notation),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_hard_texts),
        cmocka_unit_test(test_middles),
        cmocka_unit_test(test_random_texts),
        cmocka_unit_test(test_where_numbers_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
