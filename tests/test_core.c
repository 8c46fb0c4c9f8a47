/* The core on its own: fast scans against slow ones, the arena's promises, names that stay in their folder. */
#include "support.h"

#include <math.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/scan.h"
#include "file/companion.h"
#include "file/walk.h"

static uint32_t random_state = 12345;

static uint32_t random_u32(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state ^ random_state >> 13;
}

/* Every length and alignment that a vectorised loop could get wrong, with one bad float anywhere. */
static void nonfinite_is_found_everywhere(void **state)
{
    static const uint32_t bad[] = {0x7F800000, 0xFF800000, 0x7FC00000, 0xFFFFFFFF, 0x7F800001};
    static const uint32_t good[] = {0x00000000, 0x80000000, 0x7F7FFFFF, 0xFF7FFFFF, 0x00000001, 0x3F800000};
    uint8_t buffer[4 * 70 + 8];
    (void)state;
    for (unsigned shift = 0; shift < 4; shift++)
        for (unsigned count = 0; count <= 67; count++) {
            for (unsigned i = 0; i < count; i++)
                store_uint(buffer + shift + 4 * i, good[random_u32() % 6], 4);
            assert_false(st_scan_nonfinite(buffer + shift, count));
            for (unsigned i = 0; i < count; i++) {
                uint32_t saved = load_u32(buffer + shift + 4 * i);
                store_uint(buffer + shift + 4 * i, bad[(i + count) % 5], 4);
                assert_true(st_scan_nonfinite(buffer + shift, count));
                store_uint(buffer + shift + 4 * i, saved, 4);
            }
        }
}

static void indices_beyond_are_found_everywhere(void **state)
{
    static const stele_type types[] = {STELE_U8, STELE_U16, STELE_U32, STELE_U64};
    static const uint64_t limits[] = {1,     2,          200,        255,        256,        65535,
                                      65536, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 1ull << 40};
    uint8_t buffer[8 * 40 + 1];
    (void)state;
    for (size_t t = 0; t < 4; t++)
        for (size_t l = 0; l < sizeof limits / sizeof *limits; l++)
            for (unsigned round = 0; round < 200; round++) {
                uint32_t size = stele_type_size(types[t]);
                uint64_t most = size == 8 ? UINT64_MAX : (1ull << (8 * size)) - 1;
                unsigned count = random_u32() % 40;
                bool expected = false;
                for (unsigned i = 0; i < count; i++) {
                    uint64_t value = (uint64_t)random_u32() % limits[l];
                    if (random_u32() % 60 == 0)
                        value = limits[l] + random_u32() % 3 * 0x40000000ull;
                    value = value > most ? most : value;
                    expected |= value >= limits[l];
                    store_uint(buffer + 1 + i * size, value, size);
                }
                assert_int_equal(st_scan_beyond(buffer + 1, count, types[t], limits[l]), expected);
            }
    assert_true(st_scan_beyond(buffer, 1, STELE_U8, 0));
    assert_false(st_scan_beyond(buffer, 0, STELE_U8, 0));
}

/* Four integers a row: each value around each limit, in every place. */
static void rows_beyond_are_found_everywhere(void **state)
{
    static const uint64_t limits[] = {1, 2, 127, 128, 129, 255, 256, 257, 32767, 32768, 32769, 65535, 65536};
    static const stele_type types[] = {STELE_U8, STELE_U16};
    enum { ROWS = 3, STRIDE = 12 };
    uint8_t buffer[ROWS * STRIDE + 1];
    (void)state;
    for (size_t t = 0; t < 2; t++)
        for (size_t l = 0; l < sizeof limits / sizeof *limits; l++)
            for (int place = 0; place < ROWS * 4; place++)
                for (uint64_t value = limits[l] > 3 ? limits[l] - 3 : 0; value < limits[l] + 3; value++) {
                    uint32_t size = stele_type_size(types[t]);
                    if (value >> (8 * size))
                        continue;
                    memset(buffer, 0, sizeof buffer);
                    for (int row = 0; row < ROWS; row++) /* what lies between the rows does not count */
                        memset(buffer + 1 + row * STRIDE + 4 * size, 0xFF, STRIDE - 4 * size);
                    store_uint(buffer + 1 + place / 4 * STRIDE + (uint32_t)(place % 4) * size, value, size);
                    assert_int_equal(st_scan_beyond_rows(buffer + 1, ROWS, STRIDE, 4, types[t], limits[l]), value >= limits[l]);
                }
    memset(buffer, 0, sizeof buffer);
    assert_true(st_scan_beyond_rows(buffer, 1, STRIDE, 4, STELE_U8, 0));
    assert_false(st_scan_beyond_rows(buffer, 0, STRIDE, 4, STELE_U8, 0));
}

static void arena_keeps_its_promises(void **state)
{
    stele_options limited = {.memory_limit = 100000};
    arena a;
    (void)state;
    st_arena_init(&a, &limited);
    uint8_t *first = st_arena_alloc(&a, 100);
    memset(first, 7, 100);
    arena_mark mark = st_arena_mark(&a);
    for (int i = 0; i < 50; i++) {
        uint8_t *more = st_arena_alloc(&a, 1000);
        assert_non_null(more);
        assert_int_equal((uintptr_t)more % 16, 0);
        for (int k = 0; k < 1000; k++)
            assert_int_equal(more[k], 0);
        memset(more, 9, 1000);
    }
    assert_true(a.used <= 100000);
    assert_null(st_arena_alloc(&a, 90000));
    assert_true(a.failed);
    st_arena_rewind(&a, mark);
    for (int i = 0; i < 100; i++)
        assert_int_equal(first[i], 7);
    assert_non_null(st_arena_alloc(&a, 50000));
    assert_null(st_arena_alloc(&a, UINT64_MAX));
    assert_null(st_arena_alloc(&a, UINT64_MAX - 40));
    assert_null(st_arena_array(&a, UINT64_MAX / 8, 16));
    assert_null(st_arena_array(&a, (uint64_t)1 << 32, 1 << 20));
    st_arena_free(&a);
    assert_int_equal(a.used, 0);
}

static void names_stay_in_their_folder(void **state)
{
    static const char *const inside[] = {"a.png", "sub/a.png", "..a", "a..b", "a..", "...", "x/..y", ""};
    static const char *const outside[] = {"/a", "\\a", "..", "../a", "..\\a", "x/../../a", "a/..", "C:\\a", "c:a"};
    (void)state;
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
        if (!st_companion_stays(inside[i]))
            fail_msg("%s is inside", inside[i]);
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        if (st_companion_stays(outside[i]))
            fail_msg("%s is outside", outside[i]);
}

static bool count_bytes(void *user, const void *data, size_t size)
{
    (void)data;
    *(size_t *)user += size;
    return true;
}

/* A value that its field on disk cannot hold must not be cut off in silence. */
static void writing_too_large_a_value_fails(void **state)
{
    stele_options none = {0};
    arena a;
    size_t written = 0;
    walk *w = malloc(sizeof *w);
    uint64_t value = 65536;
    (void)state;
    st_arena_init(&a, &none);
    st_walk_write(w, &a, count_bytes, &written);
    st_walk_uint(w, "count", STELE_U16, &value, NULL);
    assert_false(st_walk_finish(w));
    assert_int_equal(w->failure.code, DIAG_DOES_NOT_FIT);
    assert_string_equal(w->failure.path, "count");
    assert_int_equal(written, 0);
    st_arena_free(&a);
    free(w);
}

/* Items of no bytes at all must not come for free. */
static void empty_items_cannot_be_claimed(void **state)
{
    stele_options none = {0};
    arena a;
    uint8_t data[4] = {0};
    walk *w = malloc(sizeof *w);
    (void)state;
    st_arena_init(&a, &none);
    st_walk_read(w, &a, data, sizeof data);
    assert_null(st_walk_list(w, "item", NULL, NULL, 4000000000u, 16, 0));
    assert_int_equal(w->failure.code, DIAG_COUNT_TOO_LARGE);
    st_walk_read(w, &a, data, sizeof data);
    assert_null(st_walk_list(w, "item", NULL, NULL, UINT64_MAX, 16, 100));
    assert_true(w->failed);
    assert_true(a.used < 10000);
    st_arena_free(&a);
    free(w);
}

/* Numbers of every type, in a block that ends with the last of them: a sanitizer sees a byte too many. */
static void elements_of_every_type(void **state)
{
    static const struct {
        stele_type type;
        uint8_t bytes[8];
        double value;
    } cases[] = {
        {STELE_U8, {0xFD}, 253},
        {STELE_I8, {0xFD}, -3},
        {STELE_U16, {0xFE, 0xFF}, 65534},
        {STELE_I16, {0xFE, 0xFF}, -2},
        {STELE_U32, {0xFE, 0xFF, 0xFF, 0xFF}, 4294967294.0},
        {STELE_I32, {0xFE, 0xFF, 0xFF, 0xFF}, -2},
        {STELE_U64, {1, 0, 0, 0, 1, 0, 0, 0}, 4294967297.0},
        {STELE_F32, {0, 0, 0xC0, 0xBF}, -1.5},
        {STELE_F64, {0, 0, 0, 0, 0, 0, 0xF8, 0xBF}, -1.5},
        {STELE_CHAR, {0xE9}, 233},
        {STELE_BYTES, {0xFF}, 255},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t size = stele_type_size(cases[i].type);
        bytes row = copy_bytes(cases[i].bytes, size), rows = {malloc(2 * size), 2 * size};
        memset(rows.data, 0, size);
        memcpy(rows.data + size, row.data, size);
        stele_column column = {"", cases[i].type, 1};
        stele_field one = {.data = row.data, .rows = 1, .columns = &column, .column_count = 1}, two = one;
        double min, max, value = cases[i].value;
        two.data = rows.data;
        two.rows = 2;
        assert_true(stele_field_element(&one, 0, 0, 0) == value);
        assert_true(stele_field_element(&two, 1, 0, 0) == value);
        assert_true(stele_field_range(&two, 0, 0, &min, &max));
        assert_true(min == (value < 0 ? value : 0) && max == (value > 0 ? value : 0));
        /* beyond it there is nothing */
        double outside[] = {stele_field_element(&one, 1, 0, 0), stele_field_element(&one, 0, 1, 0),
                            stele_field_element(&one, 0, 0, 1)};
        for (size_t k = 0; k < 3; k++)
            assert_true(outside[k] != outside[k]);
        assert_false(stele_field_range(&one, 1, 0, &min, &max));
        free(row.data);
        free(rows.data);
    }
}

/* All components at once are those one by one: over more rows than are looked at together, with numbers that are not finite. */
static void ranges_of_all_components(void **state)
{
    enum { ROWS = 5000, STRIDE = 4 * 3 + 2 * 2 + 8 };
    static const stele_column columns[] = {{"place", STELE_F32, 3}, {"pair", STELE_I16, 2}, {"whole", STELE_U64, 1}};
    static uint8_t data[ROWS * STRIDE];
    (void)state;
    for (uint32_t i = 0; i < ROWS; i++) {
        float place[3] = {(float)i - 2500, i % 3 ? NAN : INFINITY, i == 4321 ? -7.5f : i & 1 ? NAN : -INFINITY};
        int16_t pair[2] = {(int16_t)(i * 13 - 30000), (int16_t)-i};
        uint64_t whole = UINT64_C(1) << i % 50;
        memcpy(data + i * STRIDE, place, 12);
        memcpy(data + i * STRIDE + 12, pair, 4);
        memcpy(data + i * STRIDE + 16, &whole, 8);
    }
    stele_field field = {.data = data, .rows = ROWS, .columns = columns, .column_count = 3};
    double min[6], max[6];
    stele_field_ranges(&field, min, max);
    size_t at = 0;
    for (size_t i = 0; i < 3; i++)
        for (uint32_t k = 0; k < columns[i].components; k++, at++) {
            double low = INFINITY, high = -INFINITY, least, most;
            for (uint64_t row = 0; row < ROWS; row++) {
                double value = stele_field_element(&field, row, i, k);
                low = isfinite(value) && value < low ? value : low;
                high = isfinite(value) && value > high ? value : high;
            }
            assert_true(stele_field_range(&field, i, k, &least, &most) == (low <= high));
            assert_true(min[at] == low && max[at] == high && least == low && most == high);
        }
    assert_true(min[0] == -2500 && max[0] == 2499 && min[1] > max[1] && min[2] == -7.5 && max[2] == -7.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_of_all_components),
        cmocka_unit_test(nonfinite_is_found_everywhere),
        cmocka_unit_test(indices_beyond_are_found_everywhere),
        cmocka_unit_test(rows_beyond_are_found_everywhere),
        cmocka_unit_test(arena_keeps_its_promises),
        cmocka_unit_test(names_stay_in_their_folder),
        cmocka_unit_test(writing_too_large_a_value_fails),
        cmocka_unit_test(empty_items_cannot_be_claimed),
        cmocka_unit_test(elements_of_every_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
