/* Interrupts only set a flag, so that half-written files go. */
#include <stdatomic.h>

#include "cli.h"
#include "system/process.h"

static atomic_int caught;
static atomic_int saves; /* that are going on, and may have temporary files */

/* The first one is remembered, so that half-written files go; a second one ends everything at once, unless there are such. */
static void remember(int number)
{
    if (caught && !saves)
        st_end_by(number);
    caught = number;
}

void catch_interrupts(void)
{
    st_on_interrupts(remember);
}

int interrupted(void)
{
    return caught;
}

void saving_begins(void)
{
    saves++;
}

void saving_ends(void)
{
    saves--;
}

bool saving(void)
{
    return saves;
}
