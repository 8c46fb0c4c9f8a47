/* The files of the benchmarks, and the least that could be done with them. */
#ifndef BENCH_FILES_H
#define BENCH_FILES_H

#include <stddef.h>
#include <stdint.h>

/* The arrays of a file, as its explanation tells them. */
typedef struct bulk {
    uint64_t offset, bytes;
    uint32_t index_size; /* 0: words */
} bulk;

enum { MOST_ARRAYS = 16 };

typedef struct big_file {
    const char *path, *name;
    uint64_t size;
    bulk arrays[MOST_ARRAYS];
    size_t array_count;
} big_file;

big_file find_bulk(const char *path);

/* A contender, of a big_file: maps it, scans every array for what validation asks, unmaps it. */
void open_floor(const void *big);

enum { MOST_FILES = 100000 };

/* The models below a folder; there is one such list, for nftw has no user pointer. */
struct folder {
    char *paths[MOST_FILES];
    size_t count;
    uint64_t bytes, largest;
    void *buffer; /* for the largest */
};
extern struct folder folder;
void find_models(const char *path);

/* A contender: opens, reads and closes each of them. */
void read_all(const void *nothing);

#endif
