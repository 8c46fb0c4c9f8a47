#ifndef NEED_H
#define NEED_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program with a message unless all is fine. */
static inline void need(bool fine, const char *what)
{
    if (!fine) {
        fprintf(stderr, "%s failed\n", what);
        exit(1);
    }
}

#endif
