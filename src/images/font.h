/* Labels in pictures: one plain font. */
#ifndef ST_FONT_H
#define ST_FONT_H

#include "stele.h"

/* Of a character, with the space to the next one and to the next line, at scale 1. */
enum { FONT_WIDTH = 6, FONT_HEIGHT = 10 };

/* Draws a text whose upper left corner is at x, y; every dot of the font is a square of so many pixels. What is outside of the
 * picture is left out; what is not ASCII is a box. */
void st_draw_text(const stele_picture *p, int x, int y, const char *utf8, const uint8_t rgba[4], int scale);

#endif
