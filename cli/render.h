/* Drawing: one picture of each model, or one of all. */
#ifndef RENDER_H
#define RENDER_H

#include "cli.h"

/* What the settings say, understood once. */
typedef struct wishes {
    uint32_t width, height;
    stele_render_options render;
    uint8_t background[4];
    double time, fps;
} wishes;

/* What went wrong and has not been said yet; "" if that is nothing. */
typedef struct reason {
    char text[2048];
} reason;

/* cmd_render.c */
stele_status save_picture(const settings *s, const stele_picture *picture, const char *path, reason *why);
void print_drawn_json(job *j, const stele_file *file, const wishes *w, const char *path, stele_status status);

/* render_sheet.c: the exit code. */
int render_sheet(const settings *s, const wishes *w, char **operands, size_t count);

#endif
