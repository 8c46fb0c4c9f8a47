/* Interrupts. No signal ends the process while it saves, so that half-written files always go. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "system/files.h"
#include "system/process.h"

enum { CLOSED = -1 };

static atomic_int caught;
static atomic_int saves; /* that are going on, and may have temporary files; CLOSED: none may begin any more */
static atomic_bool at_once;
static _Atomic(const char *) last_words; /* of --json: a document, or NULL */
static int words_stream = STANDARD_OUTPUT;

/* A handler may do little: no streams, above all. */
static void say_and_end(int number)
{
    static const char message[] = "stele: stopped\n";
    const char *line = st_is_terminal(STANDARD_ERROR) ? "\r\033[K" : "", *words = last_words;
    if (words)
        (void)st_fd_write(words_stream, words, strlen(words));
    (void)st_fd_write(STANDARD_ERROR, line, strlen(line));
    (void)st_fd_write(STANDARD_ERROR, message, sizeof message - 1);
    _Exit(EXIT_SIGNAL + number);
}

static void remember(int number)
{
    caught = number;
    if (at_once && no_more_saves())
        say_and_end(number);
}

void catch_interrupts(void)
{
    st_on_interrupts(remember);
}

int interrupted(void)
{
    return caught;
}

bool until_interrupted(void *user, uint64_t done, uint64_t total)
{
    (void)user;
    (void)done;
    (void)total;
    return !interrupted();
}

void say_if_stopped(const char *document, bool to_stderr)
{
    words_stream = to_stderr ? STANDARD_ERROR : STANDARD_OUTPUT;
    last_words = document;
}

void stop_at_once(bool yes)
{
    at_once = yes;
    if (yes && caught && no_more_saves())
        say_and_end(caught);
}

bool no_more_saves(void)
{
    int none = 0;
    return atomic_compare_exchange_strong(&saves, &none, CLOSED) || none == CLOSED;
}

bool saving_begins(void)
{
    int count = saves;
    while (count != CLOSED)
        if (atomic_compare_exchange_weak(&saves, &count, count + 1))
            return true;
    return false;
}

void saving_ends(void)
{
    saves--;
}

void print_stopped(size_t done, size_t count)
{
    fflush(stdout);
    fprintf(stderr, "stele: stopped after ");
    print_count(stderr, done);
    fputs(" of ", stderr);
    print_count(stderr, count);
    fputs(" files\n", stderr);
}
