#include <string.h>

#include "cli.h"
#include "system/process.h"

enum { BAR = 30 };
static const double patience = 1.0, interval = 0.1;

void progress_start(progress *p, const settings *s)
{
    *p = (progress){.enabled = !s->quiet && st_is_terminal(STANDARD_ERROR), .started = st_seconds()};
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
