#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "import.h"

/* "SEVERITY COUNT TEXT", on one line whatever the text holds. One write: lines stay whole. */
static void say_with(const char *severity, uint64_t count, const char *format, va_list args)
{
    char line[1024];
    int head = snprintf(line, sizeof line, "%s %llu ", severity, (unsigned long long)count);
    int text = vsnprintf(line + head, sizeof line - (size_t)head - 1, format, args);
    size_t size = (size_t)head + (text < 0 ? 0 : (size_t)text);
    if (size > sizeof line - 2)
        size = sizeof line - 2;
    for (size_t i = 0; i < size; i++)
        if (line[i] == '\n' || line[i] == '\r')
            line[i] = ' ';
    line[size++] = '\n';
    ssize_t written = write(STDERR_FILENO, line, size);
    (void)written;
}

void say(const char *severity, uint64_t count, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_with(severity, count, format, args);
    va_end(args);
}

void lose(uint64_t count, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (count)
        say_with("loss", count, format, args);
    va_end(args);
}

/* At once: destructors of a scene that is broken have nothing to give. */
void fail(int exit_code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_with("error", 1, format, args);
    va_end(args);
    _exit(exit_code);
}
