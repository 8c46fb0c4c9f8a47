#include "font.h"

#include <string.h>

#include "font_letters.h"

enum { GLYPH_WIDTH = 5, GLYPH_HEIGHT = 9, GLYPHS_A_STRIP = 16, BOX = 0x7f };

#define NOT_UTF8 UINT32_MAX
#define COUNT(array) (sizeof(array) / sizeof *(array))

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

/* ---- Which glyph ---- */

/* The character at a place, which moves behind it; a byte that is no UTF-8 is one of its own. */
static uint32_t next_character(const char **utf8)
{
    const unsigned char *p = (const unsigned char *)*utf8;
    uint32_t c = *p++;
    int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
    if (c >= 0x80)
        c = more ? c & (0x3fu >> more) : NOT_UTF8;
    for (; more && c != NOT_UTF8; more--, p++)
        c = (*p & 0xc0) == 0x80 ? c << 6 | (*p & 0x3f) : NOT_UTF8;
    if (c == NOT_UTF8)
        p = (const unsigned char *)*utf8 + 1;
    *utf8 = (const char *)p;
    return c < ' ' || c == 0x7f ? NOT_UTF8 : c; /* nor is there a letter for what controls */
}

/* The rows of a glyph in its strip, FONT_WIDTH * GLYPHS_A_STRIP + 1 from each other; NULL: there is none. */
static const char *glyph_of(uint32_t c)
{
    for (size_t i = 0; i < COUNT(letter_aliases); i++)
        if (letter_aliases[i].code == c)
            c = (unsigned char)letter_aliases[i].as;
    if (c >= ' ' && c <= '~')
        return strips[(c - ' ') / GLYPHS_A_STRIP * GLYPH_HEIGHT] + (c - ' ') % GLYPHS_A_STRIP * FONT_WIDTH;
    for (size_t i = 0; i < COUNT(letter_codes); i++)
        if (letter_codes[i] == c)
            return letter_strips[i / GLYPHS_A_STRIP * GLYPH_HEIGHT] + i % GLYPHS_A_STRIP * FONT_WIDTH;
    return NULL;
}

static const char *row_of(const char *glyph, int row)
{
    return glyph + row * (FONT_WIDTH * GLYPHS_A_STRIP + 1);
}

static size_t mark_of(uint32_t c)
{
    size_t i = 0;
    while (i < COUNT(letter_marks) && letter_marks[i].code != c)
        i++;
    return i;
}

static bool is_mark(uint32_t c)
{
    return mark_of(c) < COUNT(letter_marks);
}

/* A letter with marks as what it is made of. */
static const uint16_t *parts_of(uint32_t c)
{
    for (size_t i = 0; i < COUNT(marked_letters); i++)
        if (marked_letters[i][0] == c)
            return marked_letters[i] + 1;
    return NULL;
}

/* Of what has no glyph the number is shown, which takes two places. */
static int places_of(uint32_t c)
{
    return is_mark(c) ? 0 : c == NOT_UTF8 || glyph_of(c) || parts_of(c) ? 1 : 2;
}

int st_text_places(const char *utf8)
{
    int64_t places = 0;
    while (*utf8)
        places += places_of(next_character(&utf8));
    return places < INT32_MAX ? (int)places : INT32_MAX;
}

/* ---- Drawing ---- */

/* Where a character is drawn: its upper left corner, and how. */
typedef struct pen {
    const stele_picture *picture;
    int64_t x, y;
    const uint8_t *rgba;
    int scale;
} pen;

static void draw_dot(const pen *p, int64_t column, int64_t row)
{
    int64_t left = p->x + column * p->scale, top = p->y + row * p->scale;
    for (int64_t y = top < 0 ? 0 : top; y < top + p->scale && y < p->picture->height; y++)
        for (int64_t x = left < 0 ? 0 : left; x < left + p->scale && x < p->picture->width; x++)
            memcpy(p->picture->rgba + 4 * (y * p->picture->width + x), p->rgba, 4);
}

static void draw_row(const pen *p, int64_t column, int64_t row, const char *dots, int width)
{
    for (int i = 0; i < width; i++)
        if (dots[i] == '#')
            draw_dot(p, column + i, row);
}

/* Above capitals a mark is above the line. */
static void draw_mark(const pen *p, const char *glyph, size_t mark)
{
    bool tall = memchr(row_of(glyph, 0), '#', GLYPH_WIDTH) || memchr(row_of(glyph, 1), '#', GLYPH_WIDTH);
    int first = letter_marks[mark].below ? 7 : tall ? -2 : 0;
    for (int i = 0; i < 2; i++)
        draw_row(p, 0, first + i, letter_marks[mark].rows[i], GLYPH_WIDTH);
}

/* The number of a character, as sixteens, in two lines. */
static void draw_number(const pen *p, uint32_t c)
{
    static const char digits[16][5][4] = {
        {"###", "# #", "# #", "# #", "###"}, {" # ", "## ", " # ", " # ", "###"}, {"###", "  #", "###", "#  ", "###"},
        {"###", "  #", "###", "  #", "###"}, {"# #", "# #", "###", "  #", "  #"}, {"###", "#  ", "###", "  #", "###"},
        {"###", "#  ", "###", "# #", "###"}, {"###", "  #", "  #", "  #", "  #"}, {"###", "# #", "###", "# #", "###"},
        {"###", "# #", "###", "  #", "###"}, {"###", "# #", "###", "# #", "# #"}, {"## ", "# #", "## ", "# #", "## "},
        {"###", "#  ", "#  ", "#  ", "###"}, {"## ", "# #", "# #", "# #", "## "}, {"###", "#  ", "###", "#  ", "###"},
        {"###", "#  ", "###", "#  ", "#  "}};
    int a_line = c > 0xffff ? 3 : 2;
    for (int i = 0; i < 2 * a_line; i++)
        for (int row = 0; row < 5; row++)
            draw_row(p, 4 * (i % a_line), i / a_line * 6 - 1 + row, digits[c >> 4 * (2 * a_line - 1 - i) & 15][row], 3);
}

static void draw_box(const pen *p)
{
    const char *box = strips[(BOX - ' ') / GLYPHS_A_STRIP * GLYPH_HEIGHT] + (BOX - ' ') % GLYPHS_A_STRIP * FONT_WIDTH;
    for (int row = 0; row < GLYPH_HEIGHT; row++)
        draw_row(p, 0, row, row_of(box, row), GLYPH_WIDTH);
}

static void draw_character(const pen *p, uint32_t c)
{
    const uint16_t *parts = parts_of(c);
    const char *glyph = glyph_of(parts ? parts[0] : c);
    if (!glyph && c == NOT_UTF8)
        draw_box(p);
    else if (!glyph)
        draw_number(p, c);
    for (int row = 0; glyph && row < GLYPH_HEIGHT; row++)
        draw_row(p, 0, row, row_of(glyph, row), GLYPH_WIDTH);
    for (int i = 1; glyph && parts && i < 3 && parts[i]; i++)
        draw_mark(p, glyph, mark_of(parts[i]));
}

void st_draw_text(const stele_picture *p, int x, int y, const char *utf8, const uint8_t rgba[4], int scale)
{
    int64_t at = x, before = x;
    const char *letter = glyph_of(' '); /* that a mark belongs to */
    while (*utf8 && at < p->width) {
        uint32_t c = next_character(&utf8);
        if (is_mark(c)) {
            draw_mark(&(pen){p, before, y, rgba, scale}, letter, mark_of(c));
            continue;
        }
        const char *glyph = glyph_of(c);
        draw_character(&(pen){p, at, y, rgba, scale}, c);
        letter = glyph ? glyph : glyph_of('M');
        before = at;
        at += (int64_t)FONT_WIDTH * scale * places_of(c);
    }
}
