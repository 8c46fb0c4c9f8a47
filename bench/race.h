/* What the benchmarks share: races between two contenders, and the table of their results. */
#ifndef BENCH_RACE_H
#define BENCH_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stele.h"

/* Ends the benchmark with a message unless all is fine. */
void need(bool fine, const char *what);

typedef struct contender {
    void (*run)(const void *what);
    const void *what;
    const char *remove; /* a file that goes before every run, outside the time; or NULL */
} contender;

double now(void);

/* Median seconds of both, taking turns, after one run that does not count. */
void race(size_t runs, contender a, contender b, double *seconds_a, double *seconds_b);

typedef struct cell {
    char text[48];
} cell;

void print_row(const char *name, cell measured, cell peer, cell ratio, cell goal, const char *verdict);
cell number(const char *format, double value);
cell plain(const char *text);
cell milliseconds(const char *who, double seconds, uint64_t bytes);
cell rate(const char *who, double per_second);
const char *verdict(bool reached);

/* A contender that is a command: what is its argv. Its standard output is thrown away. */
void run_process(const void *what);

/* By its path, so that nobody pays for a search. */
const char *program(const char *in_bin, const char *in_usr_bin);

uint64_t size_of(const char *path);

/* A stele_parallel of two threads; and a stele_sink to nowhere, which counts in a uint64_t. */
void on_two_threads(void *user, size_t count, stele_task task, void *context);
bool count_bytes(void *size, const void *data, size_t more);

/* An allocator of stele_options that counts. */
typedef struct heap {
    size_t used, peak;
} heap;
void *count_allocate(void *heap, size_t size);
void count_release(void *heap, void *memory, size_t size);

#endif
