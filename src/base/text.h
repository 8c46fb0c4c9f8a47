/* Text: UTF-8, and letters that differ in nothing but their case. The command prints with these, too. */
#ifndef ST_TEXT_H
#define ST_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the UTF-8 sequence at p, or 0 if there is none (overlong forms, surrogates and beyond U+10FFFF included). */
size_t st_utf8_length(const uint8_t *p, size_t left);

/* Whether so many characters are the same, but for the case of ASCII letters. */
bool st_same_letters(const char *a, const char *b, size_t size);

#endif
