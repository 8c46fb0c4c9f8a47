/* Labels in pictures: one plain font. */
#ifndef ST_FONT_H
#define ST_FONT_H

#include "stele.h"

/* Of a character, with the space to the next one and to the next line, at scale 1. */
enum { FONT_WIDTH = 6, FONT_HEIGHT = 10 };

/* Draws a text whose upper left corner is at x, y; every dot of the font is a square of so many pixels. What is outside of the
 * picture is left out. Latin letters with their marks, Greek and Cyrillic are drawn; of other characters the number is, which
 * takes two places; a byte that is no UTF-8 is a box. Marks above capitals reach two dots above y, numbers one. */
void st_draw_text(const stele_picture *p, int x, int y, const char *utf8, const uint8_t rgba[4], int scale);

/* How many places a text takes. */
int st_text_places(const char *utf8);

#endif
