#include <string.h>

#include "cli.h"
#include "system/process.h"

enum { BAR = 20 };
static const double patience = 1.0, interval = 0.1;

void progress_start(progress *p, const settings *s)
{
    *p = (progress){.enabled = !s->quiet && st_is_terminal(STANDARD_ERROR), .started = st_seconds()};
}

/* 950 | 12.3k | 4.56M */
static void put_rate(char *text, size_t size, double rate, const char *unit)
{
    static const char *const steps[] = {"", "k", "M", "G"};
    size_t step = 0;
    for (; rate >= 1000 && step < 3; step++)
        rate /= 1000;
    bool bytes = strcmp(unit, "bytes") == 0;
    snprintf(text, size, "%.*f%s%s/s", rate < 10 ? 2 : rate < 100 ? 1 : 0, rate, steps[step], bytes ? "B" : "");
}

/* 0:07 | 1:02:03 */
static void put_time(char *text, size_t size, double seconds)
{
    unsigned long whole = seconds < 360000 ? (unsigned long)(seconds + 0.5) : 360000;
    if (whole >= 3600)
        snprintf(text, size, "%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60, whole % 60);
    else
        snprintf(text, size, "%lu:%02lu", whole / 60, whole % 60);
}

/* How fast it goes, and how long it will take if it goes on like that. */
static void print_rate(uint64_t done, uint64_t total, const char *unit, double elapsed)
{
    char rate[32], left[32];
    if (!done || done > total)
        return;
    put_rate(rate, sizeof rate, (double)done / elapsed, unit);
    put_time(left, sizeof left, elapsed * (double)(total - done) / (double)done);
    fprintf(stderr, ", %s, %s left", rate, left);
}

void progress_show(progress *p, uint64_t done, uint64_t total, const char *unit)
{
    double now = p->enabled ? st_seconds() : 0;
    if (!p->enabled || now - p->started < patience || now - p->last < interval)
        return;
    char bar[BAR + 1];
    int filled = total ? (int)((double)done / (double)total * BAR) : 0;
    filled = filled > BAR ? BAR : filled;
    memset(bar, '.', BAR);
    memset(bar, '#', (size_t)filled);
    bar[BAR] = 0;
    fprintf(stderr, "\r[%s] ", bar);
    print_count(stderr, done);
    fputs(" of ", stderr);
    print_count(stderr, total);
    fprintf(stderr, " %s", unit);
    print_rate(done, total, unit, now - p->started);
    fputs("\033[K", stderr);
    fflush(stderr);
    p->last = now;
    p->drawn = true;
}

void progress_clear(progress *p)
{
    if (p->drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    p->drawn = false;
}
