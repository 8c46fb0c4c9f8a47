/* Work on the threads that the caller lends, or on its own. */
#ifndef ST_PARALLEL_H
#define ST_PARALLEL_H

#include "stele.h"

typedef struct threads {
    stele_parallel run; /* NULL: there are none */
    void *user;
} threads;

/* task(context, 0) ... task(context, count - 1), in any order: whatever they find must not depend on it. */
static inline void parallel_for(const threads *t, size_t count, stele_task task, void *context)
{
    if (t->run && count > 1) {
        t->run(t->user, count, task, context);
        return;
    }
    for (size_t i = 0; i < count; i++)
        task(context, i);
}

#endif
