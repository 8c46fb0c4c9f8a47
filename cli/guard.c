/* Signals. A mapped file that shrinks raises SIGBUS where it is read: a page of zeros is put in the place of what is gone, the
 * work goes on, and close_job then sees that the file changed. Interrupts only set a flag, so that half-written files go. */
#define _GNU_SOURCE

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli.h"

static size_t page_size;
static volatile sig_atomic_t caught;
static atomic_int saves; /* that are going on, and may have temporary files */

static void fill_page(int number, siginfo_t *info, void *context)
{
    (void)context;
    uintptr_t page = (uintptr_t)info->si_addr & ~((uintptr_t)page_size - 1);
    void *filled = MAP_FAILED;
    if (info->si_code == BUS_ADRERR)
        filled = mmap((void *)page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (filled == MAP_FAILED) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

void survive_truncation(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    action.sa_sigaction = fill_page;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGBUS, &action, NULL);
}

/* The first one is remembered, so that half-written files go; a second one ends everything at once, unless there are such. */
static void remember(int number)
{
    if (caught && !saves) {
        signal(number, SIG_DFL);
        raise(number);
    }
    caught = number;
}

void catch_interrupts(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU};
    struct sigaction action, inherited;
    memset(&action, 0, sizeof action);
    action.sa_handler = remember;
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is a write error like any other */
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigaction(numbers[i], NULL, &inherited) == 0 && inherited.sa_handler != SIG_IGN) /* nohup */
            sigaction(numbers[i], &action, NULL);
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
