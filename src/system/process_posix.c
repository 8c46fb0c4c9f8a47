#if !defined(_WIN32) && !defined(__wasi__)

#define _GNU_SOURCE

#include "process.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static size_t page_size;

/* A mapped file that shrinks raises SIGBUS where it is read: a page of zeros is put in the place of what is gone. */
static void fill_page(int number, siginfo_t *info, void *context)
{
    (void)context;
    uintptr_t page = (uintptr_t)info->si_addr & ~((uintptr_t)page_size - 1);
    void *filled = MAP_FAILED;
    if (info->si_code == BUS_ADRERR)
        filled = mmap((void *)page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (filled == MAP_FAILED)
        st_end_by(number);
}

static void survive_truncation(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    action.sa_sigaction = fill_page;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGBUS, &action, NULL);
}

void st_process_begin(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    signal(SIGPIPE, SIG_IGN);
    survive_truncation();
}

void st_expand_patterns(char ***operands, size_t *count)
{
    (void)operands;
    (void)count;
}

/* ---- Interrupts ---- */

void st_on_interrupts(void (*remember)(int number))
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

void st_end_by(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

void st_interrupt(pthread_t thread, int number)
{
    pthread_kill(thread, number);
}

void st_on_time_limit(void (*late)(int number))
{
    signal(SIGALRM, late);
}

void st_limit_time(unsigned seconds)
{
    alarm(seconds);
}

void st_limit_memory(uint64_t bytes)
{
#ifdef STELE_SANITIZE /* sanitizers take terabytes of addresses, and use little */
    (void)bytes;
#else
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > bytes)) {
        limit.rlim_cur = (rlim_t)bytes;
        setrlimit(RLIMIT_AS, &limit);
    }
#endif
}

/* ---- Surroundings ---- */

bool st_is_terminal(int stream)
{
    return isatty(stream);
}

unsigned st_processors(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (unsigned)count;
}

double st_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void st_write_whole_lines(FILE *stream)
{
    setvbuf(stream, NULL, _IOLBF, BUFSIZ);
}

bool st_reader_left(int error)
{
    return error == EPIPE;
}

bool st_discard(FILE *stream)
{
    return freopen("/dev/null", "w", stream);
}

/* ---- A stream into memory ---- */

bool st_memory_open(memory_stream *m)
{
    *m = (memory_stream){0};
    m->file = open_memstream(&m->data, &m->size);
    return m->file;
}

bool st_memory_close(memory_stream *m)
{
    return fclose(m->file) == 0;
}

#endif
