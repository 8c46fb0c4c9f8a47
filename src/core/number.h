/* Numbers as text, in JSON and OBJ: printed as short as possible, read with correct rounding, whatever the locale. */
#ifndef ST_NUMBER_H
#define ST_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* The shortest decimal that reads back as the same number, and of those the nearest one. Finite numbers only. Returns its
 * length; there is no NUL at the end, and all NUMBER_CHARS bytes may be overwritten. -0 is "-0". */
enum { NUMBER_CHARS = 32 };
size_t st_print_f32(char *out, float value);
size_t st_print_f64(char *out, double value);
size_t st_print_u32(char *out, uint32_t value);

/* Reads [+-]digits[.digits][e[+-]digits], of any length; one of the two runs of digits before e may be empty. Returns where it
 * ends, or NULL if there is no number. What is too large becomes infinity, what is too small 0. */
const char *st_parse_f32(const char *p, const char *end, float *value);
const char *st_parse_f64(const char *p, const char *end, double *value);

#endif
