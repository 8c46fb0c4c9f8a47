#include "font.h"

#include <string.h>

enum { GLYPH_WIDTH = 5, GLYPH_HEIGHT = 9, GLYPHS_A_STRIP = 16, BOX = 0x7f };

/* Drawn for this program: ASCII from the space to the tilde, and the box, in strips of 16. */
/* clang-format off */
static const char strips[6 * GLYPH_HEIGHT][FONT_WIDTH * GLYPHS_A_STRIP + 1] = {
    "        #    # #   # #    #   ##  #  ##     #      #   #                                      # ",
    "        #    # #   # #   #### ##  # #  #    #     #     #     #     #                         # ",
    "        #    # #  ##### # #      #  # #    #     #       #  # # #   #                        #  ",
    "        #          # #   ###    #    #           #       #   ###  #####       #####         #   ",
    "        #         #####   # #  #    # # #        #       #  # # #   #                      #    ",
    "                   # #  ####  #  ## #  #          #     #     #     #    ##          ##   #     ",
    "        #          # #    #   #  ##  ## #          #   #                  #          ##   #     ",
    "                                                                         #                      ",
    "                                                                                                ",
    " ###    #    ###  #####    #  #####   ##  #####  ###   ###                 #         #     ###  ",
    "#   #  ##   #   #    #    ##  #      #        # #   # #   #  ##    ##     #           #   #   # ",
    "#  ##   #       #   #    # #  ####  #        #  #   # #   #  ##    ##    #    #####    #      # ",
    "# # #   #      #     #  #  #      # ####    #    ###   ####             #               #    #  ",
    "##  #   #     #       # #####     # #   #  #    #   #     #  ##          #    #####    #    #   ",
    "#   #   #    #    #   #    #  #   # #   #  #    #   #    #   ##    ##     #           #         ",
    " ###   ###  #####  ###     #   ###   ###   #     ###   ##           #      #         #      #   ",
    "                                                                   #                            ",
    "                                                                                                ",
    " ###   ###  ####   ###  ###   ##### #####  ###  #   #  ###    ### #   # #     #   # #   #  ###  ",
    "#   # #   # #   # #   # #  #  #     #     #   # #   #   #      #  #  #  #     ## ## #   # #   # ",
    "# ### #   # #   # #     #   # #     #     #     #   #   #      #  # #   #     # # # ##  # #   # ",
    "# # # ##### ####  #     #   # ####  ####  # ### #####   #      #  ##    #     # # # # # # #   # ",
    "# ##  #   # #   # #     #   # #     #     #   # #   #   #      #  # #   #     #   # #  ## #   # ",
    "#     #   # #   # #   # #  #  #     #     #   # #   #   #   #  #  #  #  #     #   # #   # #   # ",
    " ###  #   # ####   ###  ###   ##### #      #### #   #  ###   ##   #   # ##### #   # #   #  ###  ",
    "                                                                                                ",
    "                                                                                                ",
    "####   ###  ####   #### ##### #   # #   # #   # #   # #   # #####  ###  #      ###    #         ",
    "#   # #   # #   # #       #   #   # #   # #   # #   # #   #     #  #    #        #   # #        ",
    "#   # #   # #   # #       #   #   # #   # #   #  # #   # #     #   #     #       #  #   #       ",
    "####  #   # ####   ###    #   #   # #   # # # #   #     #     #    #      #      #              ",
    "#     # # # # #       #   #   #   # #   # # # #  # #    #    #     #       #     #              ",
    "#     #  #  #  #      #   #   #   #  # #  ## ## #   #   #   #      #        #    #              ",
    "#      ## # #   # ####    #    ###    #   #   # #   #   #   #####  ###      #  ###              ",
    "                                                                                          ##### ",
    "                                                                                                ",
    " #          #               #         ##        #       #      #  #      ##                     ",
    "  #         #               #        #          #                 #       #                     ",
    "   #   ###  ####   ####  ####  ###  ####   #### ####   ##     ##  #  #    #   ## #  ####   ###  ",
    "          # #   # #     #   # #   #  #    #   # #   #   #      #  # #     #   # # # #   # #   # ",
    "       #### #   # #     #   # #####  #    #   # #   #   #      #  ##      #   # # # #   # #   # ",
    "      #   # #   # #     #   # #      #    #   # #   #   #      #  # #     #   # # # #   # #   # ",
    "       #### ####   ####  ####  ###   #     #### #   #  ###     #  #  #   ###  #   # #   #  ###  ",
    "                                              #             #  #                                ",
    "                                           ###               ##                                 ",
    "                         #                                           ##   #   ##          ##### ",
    "                         #                                          #     #     #         #   # ",
    "####   #### # ##   #### ####  #   # #   # #   # #   # #   # #####   #     #     #    #    #   # ",
    "#   # #   # ##  # #      #    #   # #   # #   #  # #  #   #    #   #      #      #  # # # #   # ",
    "#   # #   # #      ###   #    #   # #   # # # #   #   #   #   #     #     #     #      #  #   # ",
    "#   # #   # #         #  #  # #  ##  # #  # # #  # #  #   #  #      #     #     #         #   # ",
    "####   #### #     ####    ##   ## #   #    # #  #   #  #### #####    ##   #   ##          ##### ",
    "#         #                                               #                                     ",
    "#         #                                            ###                                      ",
};
/* clang-format on */

/* The character at a place, which moves behind it. */
static unsigned next_character(const char **utf8)
{
    unsigned char c = (unsigned char)*(*utf8)++;
    for (int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0; more && ((unsigned char)**utf8 & 0xc0) == 0x80; more--)
        (*utf8)++;
    return c < ' ' || c > '~' ? BOX : c;
}

static void draw_dot(const stele_picture *p, int64_t x, int64_t y, const uint8_t rgba[4], int scale)
{
    for (int64_t row = y < 0 ? 0 : y; row < y + scale && row < p->height; row++)
        for (int64_t column = x < 0 ? 0 : x; column < x + scale && column < p->width; column++)
            memcpy(p->rgba + 4 * (row * p->width + column), rgba, 4);
}

static void draw_glyph(const stele_picture *p, int64_t x, int64_t y, unsigned glyph, const uint8_t rgba[4], int scale)
{
    unsigned strip = (glyph - ' ') / GLYPHS_A_STRIP, left = (glyph - ' ') % GLYPHS_A_STRIP * FONT_WIDTH;
    for (unsigned row = 0; row < GLYPH_HEIGHT; row++)
        for (unsigned column = 0; column < GLYPH_WIDTH; column++)
            if (strips[strip * GLYPH_HEIGHT + row][left + column] == '#')
                draw_dot(p, x + (int64_t)column * scale, y + (int64_t)row * scale, rgba, scale);
}

void st_draw_text(const stele_picture *p, int x, int y, const char *utf8, const uint8_t rgba[4], int scale)
{
    for (int64_t at = x; *utf8 && at < p->width; at += (int64_t)FONT_WIDTH * scale)
        draw_glyph(p, at, y, next_character(&utf8), rgba, scale);
}
