/* One driver, built once per format (FORMAT is its name). Properties: whatever is accepted is written back identically; the
 * explanation covers every byte exactly once; memory stays within a multiple of the input; nothing crashes.
 *
 *     make fuzz FUZZ_SECONDS=600        or        build/fuzz/fuzz/fuzz_sgm samples/dialects
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stele.h"

typedef struct buffer {
    const uint8_t *expected; /* NULL: only count */
    size_t size, expected_size;
} buffer;

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "property violated: %s\n", what);
    abort();
}

static bool compare_bytes(void *user, const void *data, size_t size)
{
    buffer *b = user;
    if (b->expected) {
        require(size <= b->expected_size - b->size, "the rewritten file is longer");
        require(memcmp(b->expected + b->size, data, size) == 0, "the rewritten file differs");
    }
    b->size += size;
    return true;
}

static bool follow(void *user, const stele_field *field)
{
    uint64_t *at = user;
    double min, max;
    require(field->offset == *at, "the explanation has a hole or an overlap");
    *at += field->size;
    for (size_t i = 0; i < field->column_count; i++)
        stele_field_range(field, i, 0, &min, &max);
    return true;
}

/* A companion for every name: a skeleton of one bone, so that checks across files run too. */
static bool find_skeleton(void *user, const char *name, const void **data, size_t *size)
{
    static const uint8_t skeleton[] = {0x5A, 0x4E, 0xDA, 0x16, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0,
                                       0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0};
    (void)user;
    (void)name;
    if (data) {
        *data = skeleton;
        *size = sizeof skeleton;
    }
    return true;
}

static void rewrite_in_every_dialect(stele_file *file)
{
    const stele_format_info *format = NULL;
    for (size_t i = 0; (format = stele_format_at(i)) && strcmp(format->name, stele_file_format(file)) != 0; i++) {
    }
    for (size_t i = 0; format && i < format->dialect_count; i++) {
        stele_save_options options = {.dialect = format->dialects[i].name};
        buffer b = {0};
        stele_file_write(file, compare_bytes, &b, &options);
    }
}

/* With the limits of an engine, if it is one that the format knows. */
static stele_file *open_for_target(const uint8_t *data, size_t size, stele_options *options)
{
    stele_file *file = stele_open_memory(data, size, options);
    if (stele_file_status(file) != STELE_USAGE)
        return file;
    stele_close(file);
    options->target = NULL;
    return stele_open_memory(data, size, options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stele_options options = {.format = FORMAT,
                             .check = STELE_CHECK_FULL,
                             .target = "rayne",
                             .memory_limit = (1 << 20) + 300 * (uint64_t)size, /* LZ4 unpacks to 255 times */
                             .lookup = find_skeleton,
                             .separate_allocations = true};
    stele_file *file = open_for_target(data, size, &options);
    buffer b = {.expected = data, .expected_size = size};
    uint64_t explained = 0;
    require(stele_file_status(file) != STELE_NO_MEMORY, "a small multiple of the file's size is not enough memory");
    if (stele_file_dialect(file)) {
        require(stele_file_explain(file, follow, &explained) != STELE_CANCELLED, "the explanation stopped");
        require(explained == size, "the explanation does not cover the file");
        stele_file_info(file);
        if (stele_file_write(file, compare_bytes, &b, NULL) == STELE_OK) {
            require(b.size == size, "the rewritten file is shorter");
            rewrite_in_every_dialect(file);
        }
    }
    stele_close(file);
    return 0;
}
