/* The terminal as something to draw on and to press keys at, for the command. */
#ifndef ST_TERMINAL_H
#define ST_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct terminal_size {
    unsigned columns, rows;
    unsigned width, height; /* pixels; 0: it does not say */
} terminal_size;

bool st_terminal_size(terminal_size *size); /* of standard output */

/* Keys come one by one and are not shown; the second sets everything back, and may be called at any time. */
bool st_terminal_begin(void);
void st_terminal_end(void);

/* What was typed or answered: waits so long for the first byte. Returns how many, of at most size. */
size_t st_terminal_read(char *bytes, size_t size, int milliseconds);

#endif
