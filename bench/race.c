#define _XOPEN_SOURCE 700
#include "race.h"

#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

void need(bool fine, const char *what)
{
    if (fine)
        return;
    fprintf(stderr, "bench: %s failed\n", what);
    exit(1);
}

/* ---- Races ---- */

double now(void)
{
    struct timespec t;
    clock_gettime(getenv("STELE_BENCH_CPU") ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds_of(const contender *c)
{
    if (c->remove)
        unlink(c->remove);
    double start = now();
    c->run(c->what);
    return now() - start;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_size);
    return values[count / 2];
}

void race(size_t runs, contender a, contender b, double *seconds_a, double *seconds_b)
{
    double *times = calloc(2 * runs, sizeof *times);
    need(times != NULL, "allocating");
    seconds_of(&a);
    seconds_of(&b);
    for (size_t i = 0; i < runs; i++) {
        times[i] = seconds_of(&a);
        times[runs + i] = seconds_of(&b);
    }
    *seconds_a = median(times, runs);
    *seconds_b = median(times + runs, runs);
    free(times);
}

/* ---- The table ---- */

void print_row(const char *name, cell measured, cell peer, cell ratio, cell goal, const char *verdict)
{
    printf("%-34s %20s   %-32s %7s %12s  %s\n", name, measured.text, peer.text, ratio.text, goal.text, verdict);
    fflush(stdout);
}

cell number(const char *format, double value)
{
    cell c;
    snprintf(c.text, sizeof c.text, format, value);
    return c;
}

cell plain(const char *text)
{
    cell c;
    snprintf(c.text, sizeof c.text, "%s", text);
    return c;
}

cell milliseconds(const char *who, double seconds, uint64_t bytes)
{
    cell c;
    snprintf(c.text, sizeof c.text, "%s%6.2f ms %5.1f GB/s", who, 1e3 * seconds, (double)bytes / seconds / 1e9);
    return c;
}

cell rate(const char *who, double per_second)
{
    cell c;
    snprintf(c.text, sizeof c.text, "%s%.0f /s", who, per_second);
    return c;
}

const char *verdict(bool reached)
{
    return reached ? "ok" : "MISSED";
}

/* ---- Processes ---- */

void run_process(const void *what)
{
    char *const *argv = (char *const *)what;
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    need(posix_spawn(&pid, argv[0], &actions, NULL, argv, environ) == 0, argv[0]);
    posix_spawn_file_actions_destroy(&actions);
    need(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0, argv[0]);
}

const char *program(const char *in_bin, const char *in_usr_bin)
{
    return access(in_bin, X_OK) == 0 ? in_bin : in_usr_bin;
}

/* ---- Memory ---- */

void *count_allocate(void *user, size_t size)
{
    heap *h = user;
    void *memory = malloc(size);
    if (memory)
        h->used += size;
    h->peak = h->used > h->peak ? h->used : h->peak;
    return memory;
}

void count_release(void *user, void *memory, size_t size)
{
    ((heap *)user)->used -= size;
    free(memory);
}

uint64_t size_of(const char *path)
{
    struct stat status;
    need(stat(path, &status) == 0, path);
    return (uint64_t)status.st_size;
}

typedef struct work {
    stele_task task;
    void *context;
    size_t count, next;
} work;

static void *do_work(void *user)
{
    work *w = user;
    for (size_t i; (i = __atomic_fetch_add(&w->next, 1, __ATOMIC_RELAXED)) < w->count;)
        w->task(w->context, i);
    return NULL;
}

void on_two_threads(void *user, size_t count, stele_task task, void *context)
{
    (void)user;
    work w = {task, context, count, 0};
    pthread_t other;
    need(pthread_create(&other, NULL, do_work, &w) == 0, "starting a thread");
    do_work(&w);
    pthread_join(other, NULL);
}

bool count_bytes(void *size, const void *data, size_t more)
{
    (void)data;
    *(uint64_t *)size += more;
    return true;
}
