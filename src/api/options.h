/* Options of programs that were built with another version of the header. */
#ifndef ST_OPTIONS_H
#define ST_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* Copies what a caller has given, which may be NULL, into options of our own, by the size that it begins with; the rest is
 * zero, the default. A size of 0 stands for the first that the struct had: should it grow, that is no longer the size of our
 * own. False, and all is zero, if there is something in it that this library does not know. */
bool st_take_options(void *own, size_t size, const void *given);

#define NO_RATE "frames a second are from 0.001 to 1,000,000, or 0 for as many as usual"
#define UNKNOWN_OPTIONS "the size of the options makes no sense, or they have fields that this library does not know"

/* Times in seconds must stay numbers, and apart. */
static inline bool st_rate_is_sound(double fps)
{
    return fps == 0 || (fps >= 0.001 && fps <= 1e6);
}

#endif
