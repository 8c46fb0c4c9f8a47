#include "outcome.h"

#include <stdio.h>

/* There is no memory for the message but what the arena has kept for it. */
static outcome limited(arena *a, stele_status status, const char *problem, uint64_t limit, const char *unit)
{
    snprintf(a->complaint, sizeof a->complaint, "%s: %llu %s", problem, (unsigned long long)limit, unit);
    return (outcome){status, a->complaint};
}

outcome st_outcome_refused(arena *a)
{
    if (a->reason == REFUSED_BY_CALLER)
        return (outcome){STELE_CANCELLED, "cancelled"};
    if (a->reason == REFUSED_WORK)
        return limited(a, STELE_TOO_MUCH_WORK, "it would take more work than work_limit (--work-limit) allows", a->work_limit,
                       "units");
    if (a->limit == UINT64_MAX)
        return outcome_no_memory();
    return limited(a, STELE_NO_MEMORY, "there is not enough memory within memory_limit (--memory-limit)", a->limit, "bytes");
}
