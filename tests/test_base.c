/* What knows neither files nor models: the hash table, and functions that libm has too. */
#include "support.h"

#include <math.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/order.h"
#include "base/power.h"
#include "base/srgb.h"
#include "base/trig.h"

static uint32_t find(const hash_table *t, const uint64_t *keys, uint64_t key, uint32_t hash)
{
    uint32_t found;
    for (hash_probe p = hash_at(t, hash); (found = hash_next(&p)) != STELE_NONE;)
        if (keys[found] == key)
            break;
    return found;
}

static void finds_what_was_added(void **state)
{
    enum { COUNT = 20000 };
    arena a;
    hash_table t = {0};
    uint64_t *keys;
    (void)state;
    st_arena_init(&a, &(stele_options){0});
    keys = st_arena_array(&a, COUNT, sizeof *keys);
    for (uint32_t i = 0; i < COUNT; i++) {
        keys[i] = (uint64_t)i * i * 2654435761u + (i % 2 ? UINT64_MAX / 2 : 0);
        uint32_t hash = hash_end(hash_mix(0, keys[i]));
        assert_int_equal(find(&t, keys, keys[i], hash), STELE_NONE);
        assert_true(st_hash_add(&t, &a, hash, i));
        assert_true(2 * t.count <= t.capacity + 1);
    }
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(find(&t, keys, keys[i], hash_end(hash_mix(0, keys[i]))), i);
    assert_int_equal(find(&t, keys, 7, hash_end(hash_mix(0, 7))), STELE_NONE);
    st_arena_free(&a);
}

/* A file that knows the hash gains nothing: a search ends, and those that came first are still found. */
static void colliding_keys_cost_little(void **state)
{
    enum { COUNT = 100000 };
    arena a;
    hash_table t;
    uint32_t found, seen = 0;
    (void)state;
    st_arena_init(&a, &(stele_options){0});
    assert_true(st_hash_make(&t, &a, 4));
    for (uint32_t i = 0; i < COUNT; i++)
        assert_true(st_hash_add(&t, &a, 77, i));
    for (hash_probe p = hash_at(&t, 77); (found = hash_next(&p)) != STELE_NONE; seen++)
        assert_true(found < MOST_PROBES);
    assert_int_equal(seen, MOST_PROBES);
    assert_true(t.capacity <= 4 * MOST_PROBES);
    assert_true(a.used < 1 << 20);
    st_arena_free(&a);
}

static void bytes_hash_by_content_and_length(void **state)
{
    uint8_t bytes[40] = {0}, copy[41];
    (void)state;
    for (uint64_t size = 0; size < sizeof bytes; size++) {
        uint64_t hash = hash_bytes(5, bytes, size);
        memcpy(copy + 1, bytes, sizeof bytes);
        assert_true(hash_bytes(5, copy + 1, size) == hash); /* at any alignment */
        assert_true(hash_bytes(5, bytes, size + 1) != hash);
        for (uint64_t i = 0; i < size; i++) {
            copy[1 + i] ^= 0x80;
            assert_true(hash_bytes(5, copy + 1, size) != hash);
            copy[1 + i] ^= 0x80;
        }
    }
}

/* ---- Beside libm, which is good to a unit in the last place, more or less ---- */

static void powers_are_right(void **state)
{
    static const double exponents[] = {2.4, 1 / 2.4, 1 / 2.2, 0.5, -3.7, 25, 0};
    (void)state;
    for (int i = 0; i < 200000; i++) {
        double base = ldexp(1 + (double)(i * 7919 % 200003) / 200003, i % 41 - 20), exponent = exponents[i % 7];
        double right = pow(base, exponent);
        if (!(fabs(st_power(base, exponent) - right) <= 3e-16 * right))
            fail_msg("%.17g to the %g is %.17g, not %.17g", base, exponent, st_power(base, exponent), right);
    }
    assert_true(st_power(1, 17) == 1);
    assert_true(st_power(2, 10) == 1024);
    assert_true(st_power(0, 2) == 0);
    assert_true(st_power(-1, 2) == 0);
    assert_true(st_power((double)NAN, 2) == 0);
    assert_true(st_power(10, 309) == (double)INFINITY);
    assert_true(st_power(10, -400) == 0);
}

/* As floats they are the same as what a good pow rounds to, over and below where the curve bends. */
static void light_is_right(void **state)
{
    (void)state;
    for (int i = 0; i <= 300000; i++) {
        float srgb = (float)i / 200000;
        double right = srgb <= 0.04045f ? (double)(srgb / 12.92f) : pow(((double)srgb + 0.055) / 1.055, 2.4);
        if (st_linear_of_srgb(srgb) != (float)right)
            fail_msg("%.9g is %.9g, not %.9g", (double)srgb, (double)st_linear_of_srgb(srgb), right);
    }
}

static void angles_are_right(void **state)
{
    (void)state;
    for (int i = -20000; i <= 20000; i++) {
        double x = i / 1000.0, c = i / 20000.0;
        assert_true(fabs(st_sin(x) - sin(x)) < 4e-15);
        assert_true(fabs(st_cos(x) - cos(x)) < 4e-15);
        assert_true(fabs(st_acos(c) - acos(c)) < 2e-15);
        for (int k = 0; k < 7; k++) {
            static const double y[] = {0, 1, -1, 0.3, -20, 1e-9, -1e9};
            assert_true(fabs(st_atan2(y[k], x) - atan2(y[k], x)) < 2e-15);
        }
    }
    assert_true(st_atan2(0, 0) == 0);
    assert_true(st_atan2(0, 1) == 0);
    assert_true(st_acos(2) == 0);
}

static void the_second_of_equal_numbers_is_taken(void **state)
{
    (void)state;
    assert_true(lesser(1, 2) == 1 && lesser(2, 1) == 1 && greater(1, 2) == 2 && greater(2, 1) == 2);
    assert_true(lesserf(1, 2) == 1 && lesserf(2, 1) == 1 && greaterf(1, 2) == 2 && greaterf(2, 1) == 2);
    assert_true(!signbit(greater(-0.0, 0.0)) && signbit(greater(0.0, -0.0)) && !signbit(lesser(-0.0, 0.0)) &&
                signbit(lesser(0.0, -0.0)));
    assert_true(!signbit(greaterf(-0.0f, 0.0f)) && signbit(lesserf(0.0f, -0.0f)));
    assert_true(lesser(NAN, 1) == 1 && lesser(1, NAN) == 1 && greater(NAN, 1) == 1 && greater(1, NAN) == 1 &&
                isnan(lesser(NAN, NAN)));
    assert_true(lesserf(NAN, 1) == 1 && lesserf(1, NAN) == 1 && greaterf(NAN, 1) == 1 && greaterf(1, NAN) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_was_added),
        cmocka_unit_test(colliding_keys_cost_little),
        cmocka_unit_test(bytes_hash_by_content_and_length),
        cmocka_unit_test(powers_are_right),
        cmocka_unit_test(light_is_right),
        cmocka_unit_test(angles_are_right),
        cmocka_unit_test(the_second_of_equal_numbers_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
