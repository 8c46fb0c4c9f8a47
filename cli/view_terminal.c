/* A model in the terminal: a real picture where the terminal takes one, otherwise two pixels a character. Keys turn and play
 * it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "system/process.h"
#include "system/terminal.h"
#include "view.h"

typedef enum drawing { HALF_BLOCKS, KITTY, SIXEL } drawing;

typedef struct screen {
    drawing way;
    unsigned columns, rows;
    stele_picture picture;
} screen;

/* ---- What the terminal can show ---- */

/* Asks for graphics of kitty's kind, and then for what every terminal answers, so that silence is told from slowness. */
static drawing ask_terminal(void)
{
    static const char question[] = "\x1b_Gi=1,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[c";
    enum { PATIENCE = 300 /* ms */ };
    char answer[512];
    size_t size = 0, got;
    fwrite(question, 1, sizeof question - 1, stdout);
    fflush(stdout);
    while (size < sizeof answer - 1 && (got = st_terminal_read(answer + size, sizeof answer - 1 - size, PATIENCE))) {
        size += got;
        answer[size] = 0;
        char *attributes = strstr(answer, "\x1b[?");
        if (!attributes || !strchr(attributes, 'c'))
            continue;
        if (strstr(answer, "\x1b_Gi=1;OK"))
            return KITTY;
        return strstr(attributes, ";4;") || strstr(attributes, ";4c") ? SIXEL : HALF_BLOCKS;
    }
    return HALF_BLOCKS;
}

static bool make_screen(screen *v)
{
    enum { USUAL_WIDTH = 8, USUAL_HEIGHT = 16, MOST = 1600 };
    terminal_size size;
    if (!st_terminal_size(&size) || size.columns < 2 || size.rows < 3)
        return false;
    unsigned columns = size.columns, rows = size.rows - 1;
    unsigned wide = v->way == HALF_BLOCKS ? 1 : size.width ? size.width / size.columns : USUAL_WIDTH;
    unsigned high = v->way == HALF_BLOCKS ? 2 : size.height ? size.height / size.rows : USUAL_HEIGHT;
    unsigned width = columns * wide, height = rows * high;
    width = width < MOST ? width : MOST;
    height = height < MOST ? height / 6 * 6 : MOST / 6 * 6;
    height = v->way == HALF_BLOCKS ? rows * high : height; /* sixels come in bands of six */
    if (width != v->picture.width || height != v->picture.height) {
        free(v->picture.rgba);
        v->picture = (stele_picture){width, height, or_die(malloc((size_t)width * height * 4))};
    }
    v->columns = columns;
    v->rows = rows;
    return true;
}

/* ---- Drawing ---- */

static void put_half_blocks(const stele_picture *p)
{
    for (uint32_t y = 0; y + 1 < p->height; y += 2) {
        uint32_t last[2] = {UINT32_MAX, UINT32_MAX};
        for (uint32_t x = 0; x < p->width; x++) {
            const uint8_t *top = p->rgba + 4 * ((size_t)y * p->width + x), *bottom = top + 4 * (size_t)p->width;
            uint32_t now[2] = {top[0] | (uint32_t)top[1] << 8 | (uint32_t)top[2] << 16,
                               bottom[0] | (uint32_t)bottom[1] << 8 | (uint32_t)bottom[2] << 16};
            if (now[0] != last[0])
                printf("\x1b[38;2;%u;%u;%um", top[0], top[1], top[2]);
            if (now[1] != last[1])
                printf("\x1b[48;2;%u;%u;%um", bottom[0], bottom[1], bottom[2]);
            fputs("\xe2\x96\x80", stdout); /* upper half block */
            memcpy(last, now, sizeof last);
        }
        fputs("\x1b[0m\r\n", stdout);
    }
}

static bool append(void *memory, const void *data, size_t size)
{
    return fwrite(data, 1, size, memory) == size;
}

/* kitty takes a PNG, in pieces of base64. */
static void put_kitty(const stele_picture *p)
{
    enum { PIECE = 4096 };
    memory_stream png, text;
    if (!st_memory_open(&png))
        return;
    bool made = stele_picture_write(p, append, png.file, NULL, NULL, 0) == STELE_OK;
    if (!st_memory_close(&png) || !made || !st_memory_open(&text)) {
        free(png.data);
        return;
    }
    put_base64(text.file, (const unsigned char *)png.data, png.size);
    if (st_memory_close(&text))
        for (size_t at = 0; at < text.size; at += PIECE) {
            size_t left = text.size - at, size = left < PIECE ? left : PIECE;
            printf("\x1b_G%sm=%d;", at ? "" : "a=T,f=100,q=2,i=1,C=1,", left > PIECE);
            fwrite(text.data + at, 1, size, stdout);
            fputs("\x1b\\", stdout);
        }
    free(text.data);
    free(png.data);
}

/* 6 levels of each of red, green and blue: a cube of 216 colours. */
static unsigned sixel_color(const uint8_t *pixel)
{
    return (pixel[0] * 5u + 127) / 255 * 36 + (pixel[1] * 5u + 127) / 255 * 6 + (pixel[2] * 5u + 127) / 255;
}

static void put_sixel_band(const stele_picture *p, uint32_t y, unsigned color)
{
    unsigned run = 0, before = 0;
    for (uint32_t x = 0; x <= p->width; x++) {
        unsigned bits = 0;
        for (uint32_t k = 0; x < p->width && k < 6; k++)
            bits |= (unsigned)(sixel_color(p->rgba + 4 * ((size_t)(y + k) * p->width + x)) == color) << k;
        if (x && (bits != before || x == p->width)) {
            printf("!%u%c", run, '?' + before);
            run = 0;
        }
        before = bits;
        run++;
    }
    fputc('$', stdout);
}

static void put_sixels(const stele_picture *p)
{
    enum { COLORS = 216 };
    fputs("\x1bPq", stdout);
    for (unsigned c = 0; c < COLORS; c++)
        printf("#%u;2;%u;%u;%u", c, c / 36 * 20, c / 6 % 6 * 20, c % 6 * 20);
    for (uint32_t y = 0; y + 6 <= p->height; y += 6) {
        bool used[COLORS] = {false};
        for (size_t i = 0; i < 6 * (size_t)p->width; i++)
            used[sixel_color(p->rgba + 4 * ((size_t)y * p->width + i))] = true;
        for (unsigned c = 0; c < COLORS; c++)
            if (used[c]) {
                printf("#%u", c);
                put_sixel_band(p, y, c);
            }
        fputc('-', stdout);
    }
    fputs("\x1b\\", stdout);
}

static void put_picture(const screen *v)
{
    fputs("\x1b[H", stdout);
    if (v->way == KITTY)
        put_kitty(&v->picture);
    else if (v->way == SIXEL)
        put_sixels(&v->picture);
    else
        put_half_blocks(&v->picture);
    fflush(stdout);
}

/* ---- Keys ---- */

typedef struct looking {
    stele_render_options options;
    bool playing, ended, dirty;
    double started; /* of the clip, by the clock */
} looking;

static void press(looking *l, const stele_model *model, const char *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char key = keys[i];
        if (key == '\x1b' && i + 2 < count && keys[i + 1] == '[') {
            key = keys[i + 2] == 'A' ? 'k' : keys[i + 2] == 'B' ? 'j' : keys[i + 2] == 'C' ? 'l' : keys[i + 2] == 'D' ? 'h' : 0;
            i += 2;
        }
        l->dirty = true;
        switch (key) {
        case 'h': l->options.yaw -= 15; break;
        case 'l': l->options.yaw += 15; break;
        case 'j': l->options.pitch = greaterf(l->options.pitch - 10, -85); break;
        case 'k': l->options.pitch = lesserf(l->options.pitch + 10, 85); break;
        case '+':
        case '=': l->options.distance = greaterf(l->options.distance / 1.2f, 0.1f); break;
        case '-': l->options.distance = lesserf(l->options.distance * 1.2f, 10); break;
        case ' ':
            l->playing = model->clip_count && !l->playing;
            l->options.posed = l->options.posed || l->playing;
            l->started = st_seconds() - l->options.seconds;
            break;
        case 'n':
            if (model->clip_count)
                l->options.clip = l->options.posed ? (l->options.clip + 1) % (uint32_t)model->clip_count : 0;
            l->options.posed = model->clip_count;
            l->started = st_seconds();
            break;
        case 'q':
        case '\x03': l->ended = true; break;
        default: break;
        }
    }
}

static void go_on(looking *l, const stele_model *model)
{
    double duration = l->playing ? model->clips[l->options.clip].duration : 0;
    if (duration > 0)
        l->options.seconds = fmod(st_seconds() - l->started, duration);
    l->dirty |= duration > 0;
}

static stele_status look(stele_file *file, const stele_model *model, screen *v)
{
    looking l = {.options = {.camera = true, .yaw = 30, .pitch = 15, .distance = 1}, .dirty = true};
    stele_status status = STELE_OK;
    while (!l.ended && !interrupted() && status == STELE_OK) {
        char keys[64];
        terminal_size size;
        if (st_terminal_size(&size) && (size.columns != v->columns || size.rows - 1 != v->rows))
            l.dirty |= make_screen(v);
        if (l.dirty) {
            status = stele_render(file, &v->picture, &l.options);
            if (status == STELE_OK)
                put_picture(v);
            printf("\x1b[%u;1H\x1b[K%s", v->rows + 1, "arrows turn, + - zoom, space plays, n next clip, q ends");
            fflush(stdout);
            l.dirty = false;
        }
        size_t got = st_terminal_read(keys, sizeof keys, l.playing ? 40 : 250);
        press(&l, model, keys, got);
        l.dirty &= got > 0 || l.playing;
        go_on(&l, model);
    }
    return status;
}

int view_in_terminal(const settings *s, char *path)
{
    if (!st_is_terminal(STANDARD_OUTPUT) || !st_is_terminal(STANDARD_INPUT))
        return usage_error("--terminal needs a terminal");
    job j = {.settings = s, .path = path};
    stele_options options = opening_options(s);
    stele_file *file = open_shown(&j, &options);
    const stele_model *model = stele_file_model(file);
    screen v = {.way = HALF_BLOCKS};
    stele_status status = stele_file_status(file);
    if (!model)
        view_ends(s, path, status, stele_file_message(file));
    else if (st_terminal_begin()) {
        stop_at_once(false);
        v.way = ask_terminal();
        fputs("\x1b[?1049h\x1b[?25l\x1b[2J", stdout); /* another screen, without a cursor */
        status = make_screen(&v) ? look(file, model, &v) : STELE_USAGE;
        fputs("\x1b[?25h\x1b[?1049l", stdout);
        fflush(stdout);
        st_terminal_end();
        if (status != STELE_OK)
            view_ends(s, path, status, status == STELE_USAGE ? "the terminal is too small" : stele_file_message(file));
    }
    free(v.picture.rgba);
    close_shown(&j, file);
    return exit_code_of(status);
}
