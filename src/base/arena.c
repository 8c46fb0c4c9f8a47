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

void st_arena_init(arena *a, const stele_options *options)
{
    *a = (arena){.allocator = options->allocator, .limit = options->memory_limit, .separate = options->separate_allocations};
    if (!a->allocator.allocate || !a->allocator.release)
        a->allocator = (stele_allocator){default_allocate, default_release, NULL};
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
    if (total > SIZE_MAX || (a->limit && (total > a->limit || a->used > a->limit - total)))
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

static void *take(arena *a, uint64_t size)
{
    if (size > UINT64_MAX - HEADER - ALIGNMENT)
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
        a->failed = true;
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
    a->failed = true;
    return NULL;
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
    char *text = size < 0 ? NULL : st_arena_bytes(a, (uint64_t)size + 1);
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
