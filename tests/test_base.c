/* What knows neither files nor models: the hash table. */
#include "support.h"

#include "base/arena.h"
#include "base/hash.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_was_added),
        cmocka_unit_test(colliding_keys_cost_little),
        cmocka_unit_test(bytes_hash_by_content_and_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
