/* In the place of walls.c where nothing can be locked in: limits, and no second process. */
#include "cli.h"
#include "system/process.h"

void lock_in(const settings *s, const char *path)
{
    (void)s;
    (void)path;
}

bool hand_over(const void *data, size_t size, bool (*deliver)(const void *data, size_t size))
{
    return deliver(data, size);
}

int behind_walls(const settings *given, char *path, work_function work, bool (*deliver)(const void *data, size_t size))
{
    (void)deliver;
    st_limit_memory(MOST_ADDRESS_SPACE);
    st_limit_time(given->seconds);
    return work(given, path);
}

bool in_child(void)
{
    return false;
}
