#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

enum { BAR = 30 };
static const double patience = 1.0, interval = 0.1;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void progress_start(progress *p, const settings *s)
{
    *p = (progress){.enabled = !s->quiet && isatty(STDERR_FILENO), .started = seconds()};
}

void progress_show(progress *p, uint64_t done, uint64_t total, const char *unit)
{
    double now = p->enabled ? seconds() : 0;
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
    fprintf(stderr, " %s\033[K", unit);
    fflush(stderr);
    p->last = now;
    p->drawn = true;
}

void progress_clear(progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = false;
}
