#include "arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena_block {
    arena_block *older;
    size_t size, fill; /* of the bytes behind this header */
};

enum {
    ALIGNMENT = 16,
    HEADER = (sizeof(arena_block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT,
    FIRST_BLOCK = 4096 - HEADER,
    LARGEST_BLOCK = 65536 - HEADER
};

static void *default_allocate(void *user, size_t size)
{
    (void)user;
    return malloc(size);
}

static void default_release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

/* The usual limits. A small file has room for what a small file may hold; much more needs much input. Pictures have room for
 * images besides, which unpack to a thousand times their size. On a usual machine the first of the units are less than a
 * second. */
static const uint64_t LEAST_MEMORY = 48u << 20, MEMORY_OF_IMAGES = 100u << 20, LEAST_WORK = 700000000;
enum { MEMORY_PER_BYTE = 64, MEMORY_PER_FIRST_BYTE = 640, WORK_PER_BYTE = 2048, WORK_PER_OUTPUT_BYTE = 192 };

static uint64_t sum_of(uint64_t a, uint64_t b)
{
    return a <= UINT64_MAX - b ? a + b : UINT64_MAX;
}

static uint64_t product_of(uint64_t a, uint64_t b)
{
    return !b || a <= UINT64_MAX / b ? a * b : UINT64_MAX;
}

static uint64_t usual_memory(const arena *a)
{
    const uint64_t most = 1u << 30;
    uint64_t first = sum_of(LEAST_MEMORY, product_of(a->input, MEMORY_PER_FIRST_BYTE));
    uint64_t pictures = a->images ? sum_of(MEMORY_OF_IMAGES, a->output) : 0;
    return sum_of(sum_of(first < most ? first : most, product_of(a->input, MEMORY_PER_BYTE)), pictures);
}

static uint64_t usual_work(const arena *a)
{
    return sum_of(sum_of(LEAST_WORK, product_of(a->input, WORK_PER_BYTE)), product_of(a->output, WORK_PER_OUTPUT_BYTE));
}

static void set_pause(arena *a)
{
    enum { ASK_AFTER = 1 << 22 };
    uint64_t ask = sum_of(a->work, ASK_AFTER);
    a->pause = a->progress && ask < a->work_limit ? ask : a->work_limit;
}

static void set_limits(arena *a)
{
    if (a->usual_limit)
        a->limit = usual_memory(a);
    if (a->usual_work_limit)
        a->work_limit = usual_work(a);
    set_pause(a);
}

void st_arena_init(arena *a, const stele_options *options)
{
    *a = (arena){.allocator = options->allocator,
                 .limit = options->memory_limit,
                 .usual_limit = !options->memory_limit,
                 .work_limit = options->work_limit,
                 .usual_work_limit = !options->work_limit,
                 .progress = options->progress,
                 .progress_user = options->progress_user,
                 .separate = options->separate_allocations};
    if (!a->allocator.allocate || !a->allocator.release)
        a->allocator = (stele_allocator){default_allocate, default_release, NULL};
    set_limits(a);
}

void st_arena_input(arena *a, uint64_t bytes)
{
    a->input = sum_of(a->input, bytes);
    set_limits(a);
}

void st_arena_output(arena *a, uint64_t bytes)
{
    a->output = sum_of(a->output, bytes);
    a->images = true;
    set_limits(a);
}

static bool refuse(arena *a, refusal reason)
{
    if (!a->failed)
        a->reason = reason;
    a->failed = true;
    return false;
}

void st_work_begin(arena *a, uint64_t done)
{
    a->failed = false;
    a->work = done;
    a->output = 0;
    set_limits(a);
}

bool st_work(arena *a, uint64_t count, uint64_t units)
{
    if (a->failed && a->reason != REFUSED_MEMORY)
        return false;
    a->work = sum_of(a->work, product_of(count, units));
    if (a->work <= a->pause)
        return true;
    if (a->work > a->work_limit) {
        a->work = a->work_limit;
        return refuse(a, REFUSED_WORK);
    }
    if (a->progress && !a->progress(a->progress_user, a->work, a->work_limit))
        return refuse(a, REFUSED_BY_CALLER);
    set_pause(a);
    return true;
}

uint64_t st_work_left(const arena *a)
{
    return a->failed && a->reason != REFUSED_MEMORY ? 0 : a->work_limit - a->work;
}

static void pop_block(arena *a)
{
    arena_block *block = a->newest;
    a->newest = block->older;
    a->used -= HEADER + block->size;
    a->allocator.release(a->allocator.user, block, HEADER + block->size);
}

void st_arena_free(arena *a)
{
    while (a->newest)
        pop_block(a);
}

static arena_block *push_block(arena *a, uint64_t size)
{
    uint64_t total = HEADER + size;
    if (total > SIZE_MAX || total > a->limit || a->used > a->limit - total)
        return NULL;
    arena_block *block = a->allocator.allocate(a->allocator.user, (size_t)total);
    if (!block)
        return NULL;
    *block = (arena_block){.older = a->newest, .size = (size_t)size};
    a->newest = block;
    a->used += total;
    return block;
}

static uint64_t next_block_size(const arena *a, uint64_t size)
{
    if (a->separate)
        return size;
    uint64_t grown = a->newest ? (uint64_t)a->newest->size * 2 : FIRST_BLOCK;
    if (grown > LARGEST_BLOCK)
        grown = LARGEST_BLOCK;
    return size > grown ? size : grown;
}

/* Memory is filled by who asks for it: that is work, and so loops that nobody counts are seen all the same. */
enum { WORK_OF_ALLOCATION = 16, WORK_OF_FORMAT = 200, BYTES_PER_UNIT = 4 };

static void *take(arena *a, uint64_t size)
{
    if (size > UINT64_MAX - HEADER - ALIGNMENT || !st_work(a, size / BYTES_PER_UNIT + WORK_OF_ALLOCATION, 1))
        return NULL;
    uint64_t rounded = a->separate ? size : (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    arena_block *block = a->newest;
    if (a->separate || !block || rounded > block->size - block->fill) {
        block = push_block(a, next_block_size(a, rounded));
        if (!block)
            return NULL;
    }
    void *memory = (char *)block + HEADER + block->fill;
    block->fill += (size_t)rounded;
    return memory;
}

void *st_arena_grown(arena *a, void *items, size_t count, size_t *capacity, size_t item_size)
{
    if (count < *capacity)
        return items;
    size_t larger = *capacity ? *capacity * 2 : 8;
    void *copy = st_arena_array(a, larger, item_size);
    if (copy && count)
        memcpy(copy, items, count * item_size);
    *capacity = copy ? larger : *capacity;
    return copy;
}

void *st_arena_bytes(arena *a, uint64_t size)
{
    void *memory = take(a, size);
    if (!memory)
        refuse(a, REFUSED_MEMORY);
    return memory;
}

void *st_arena_alloc(arena *a, uint64_t size)
{
    void *memory = st_arena_bytes(a, size);
    if (memory)
        memset(memory, 0, (size_t)size);
    return memory;
}

void *st_arena_array(arena *a, uint64_t count, size_t item_size)
{
    if (!item_size || count <= UINT64_MAX / item_size)
        return st_arena_alloc(a, count * item_size);
    refuse(a, REFUSED_MEMORY);
    return NULL;
}

void *st_arena_begin(arena *a, const stele_options *options, size_t size)
{
    st_arena_init(a, options);
    a->pause = UINT64_MAX;
    void *memory = st_arena_alloc(a, size);
    a->work = 0;
    set_pause(a);
    return memory;
}

uint64_t st_arena_left(const arena *a)
{
    return a->used < a->limit ? a->limit - a->used : 0;
}

arena_mark st_arena_mark(const arena *a)
{
    return (arena_mark){a->newest, a->newest ? a->newest->fill : 0};
}

void st_arena_rewind(arena *a, arena_mark mark)
{
    while (a->newest != mark.block)
        pop_block(a);
    if (a->newest)
        a->newest->fill = mark.fill;
}

const char *st_arena_text(arena *a, const char *data, uint64_t size)
{
    char *copy = st_arena_bytes(a, size + 1);
    if (!copy)
        return "";
    if (size)
        memcpy(copy, data, (size_t)size);
    copy[size] = 0;
    return copy;
}

const char *st_arena_vformat(arena *a, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int size = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = size < 0 || !st_work(a, 1, WORK_OF_FORMAT) ? NULL : st_arena_bytes(a, (uint64_t)size + 1);
    if (!text)
        return "";
    vsnprintf(text, (size_t)size + 1, format, args);
    return text;
}

const char *st_arena_format(arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = st_arena_vformat(a, format, args);
    va_end(args);
    return text;
}
