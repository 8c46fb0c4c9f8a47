/* How a call went, and what to say about it: every public object has one, that of its last call. */
#ifndef ST_OUTCOME_H
#define ST_OUTCOME_H

#include "base/arena.h"
#include "stele.h"

typedef struct outcome {
    stele_status status;
    const char *message; /* lives as long as the object */
} outcome;

static inline outcome outcome_good(void)
{
    return (outcome){STELE_OK, "ok"};
}

static inline outcome outcome_no_memory(void)
{
    return (outcome){STELE_NO_MEMORY, "there is not enough memory"};
}

/* That of an arena which has refused something. */
outcome st_outcome_refused(arena *a);

#endif
