/* The process and its surroundings, for the command: the library prints nothing, starts no thread and catches no signal.
 * Threads themselves are POSIX's, which every compiler that we build with has. */
#ifndef ST_PROCESS_H
#define ST_PROCESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* First of all: the streams carry bytes, the arguments are UTF-8, a reader that left is a write error like any other, and a
 * mapped file that shrinks reads as zeros. */
void st_process_begin(int *argc, char ***argv);

/* Puts the files that match in the place of operands with * or ?, where shells leave that to programs. */
void st_expand_patterns(char ***operands, size_t *count);

/* ---- Interrupts ---- */

/* Calls remember with the number of whatever asks the process to end, unless whoever started it said that it must not. It may
 * be called at any moment, as handlers of signals are. */
void st_on_interrupts(void (*remember)(int number));
void st_end_by(int number);                      /* as if nobody had caught it */
void st_interrupt(pthread_t thread, int number); /* so that one that waits for a pipe or a device sees it as well */

/* Calls late, as above, when so many seconds have passed; 0: not any more. */
void st_on_time_limit(void (*late)(int number));
void st_limit_time(unsigned seconds);
void st_limit_memory(uint64_t bytes); /* addresses that the process may have, where that can be said */

/* ---- Surroundings ---- */

enum { STANDARD_INPUT, STANDARD_OUTPUT, STANDARD_ERROR };
bool st_is_terminal(int stream);
unsigned st_processors(void);
double st_seconds(void); /* of a clock that only goes forward */

void st_write_whole_lines(FILE *stream); /* and not what they are made of piece by piece, where that is possible */
bool st_reader_left(int error);          /* whether that is how writing to a pipe fails that nobody reads any more */
bool st_discard(FILE *stream);           /* what is written to it goes nowhere from now on */

/* ---- A stream into memory ---- */

typedef struct memory_stream {
    FILE *file;
    char *data; /* once it is closed; to be freed */
    size_t size;
} memory_stream;
bool st_memory_open(memory_stream *m);
bool st_memory_close(memory_stream *m); /* false if not all of it is there */

#endif
