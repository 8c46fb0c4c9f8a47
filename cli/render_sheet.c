/* Many models on one sheet. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "render.h"

enum { LABEL_ROOM = STELE_TEXT_HEIGHT + 6 };

static struct {
    pthread_mutex_t mutex;
    stele_picture picture; /* of all; made by the first job, which knows how many there are */
    uint32_t columns;
    wishes wishes;
    size_t count;
    char **names; /* of each cell; NULL: nobody has come to it */
    bool *failed;
} sheet = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static const uint8_t paper[4] = {250, 250, 248, 255};

static void fill(const stele_picture *p, const uint8_t rgba[4])
{
    for (size_t i = 0; i < (size_t)p->width * p->height; i++)
        memcpy(p->rgba + 4 * i, rgba, 4);
}

/* A sheet a little wider than high. False if it would be too large. */
static bool make_sheet(size_t count)
{
    uint32_t cell_height = sheet.wishes.height + LABEL_ROOM;
    double columns = ceil(sqrt(1.4 * (double)count * cell_height / sheet.wishes.width));
    sheet.columns = (uint32_t)lesser(greater(columns, 1), (double)count);
    uint64_t rows = (count + sheet.columns - 1) / sheet.columns;
    uint64_t width = (uint64_t)sheet.columns * sheet.wishes.width, height = rows * cell_height;
    if (width > 65535 || height > 65535 || width * height > UINT64_C(1) << 30)
        return false;
    sheet.count = count;
    sheet.names = calloc(count, sizeof *sheet.names);
    sheet.failed = calloc(count, sizeof *sheet.failed);
    if (sheet.names && sheet.failed)
        sheet.picture = (stele_picture){(uint32_t)width, (uint32_t)height, calloc((size_t)(width * height), 4)};
    if (sheet.picture.rgba)
        fill(&sheet.picture, sheet.wishes.render.background ? sheet.wishes.background : paper);
    return sheet.picture.rgba;
}

static bool have_sheet(size_t count)
{
    pthread_mutex_lock(&sheet.mutex);
    bool there = sheet.picture.rgba || make_sheet(count);
    pthread_mutex_unlock(&sheet.mutex);
    return there;
}

/* Cells do not overlap: no lock is needed. */
static void put_cell(size_t index, const stele_picture *cell)
{
    uint32_t x = (uint32_t)(index % sheet.columns) * cell->width;
    uint32_t y = (uint32_t)(index / sheet.columns) * (cell->height + LABEL_ROOM);
    for (uint32_t row = 0; row < cell->height; row++)
        memcpy(sheet.picture.rgba + 4 * ((size_t)(y + row) * sheet.picture.width + x),
               cell->rgba + 4 * (size_t)row * cell->width, 4 * (size_t)cell->width);
}

static const uint8_t ink[4] = {60, 60, 64, 255}, light_ink[4] = {190, 192, 196, 255}, red[4] = {200, 40, 40, 255};

/* So many places fit across a cell, with a little between it and its neighbour. */
static size_t places_across(void)
{
    size_t fits = sheet.wishes.width / STELE_TEXT_WIDTH;
    return fits - (fits > 0);
}

/* A line of text in the middle of a cell, so many pixels below its top. */
static void put_line(size_t index, int below, const char *text, const uint8_t color[4])
{
    int x = (int)((uint32_t)(index % sheet.columns) * sheet.wishes.width);
    int y = (int)((uint32_t)(index / sheet.columns) * (sheet.wishes.height + LABEL_ROOM));
    int room = (int)sheet.wishes.width - stele_text_places(text) * STELE_TEXT_WIDTH;
    stele_draw_text(&sheet.picture, x + room / 2, y + below, text, color, 1);
}

static bool is_dark(const uint8_t rgba[4])
{
    return rgba[3] > 127 && rgba[0] + rgba[1] + rgba[2] < 3 * 110;
}

static void put_labels(void)
{
    const uint8_t *color = sheet.wishes.render.background && is_dark(sheet.wishes.background) ? light_ink : ink;
    char **labels = calloc(sheet.count, sizeof *labels);
    if (labels)
        make_labels((const char *const *)sheet.names, sheet.count, places_across(), labels);
    for (size_t i = 0; labels && i < sheet.count; i++) {
        put_line(i, (int)sheet.wishes.height + 2, labels[i] ? labels[i] : "", sheet.failed[i] ? red : color);
        free(labels[i]);
    }
    free(labels);
}

/* What is wrong with a file, instead of its picture: as many lines as fit. */
static void put_message(size_t index, const char *text)
{
    enum { LINE = STELE_TEXT_HEIGHT + 2 };
    size_t fits = places_across();
    for (int y = LINE; *text && y + LINE < (int)sheet.wishes.height; y += LINE) {
        char line[512];
        size_t bytes = bytes_that_fit(text, fits), words = bytes;
        while (text[words] && words && text[words] != ' ' && text[words - 1] != ' ')
            words--;
        bytes = words ? words : bytes;
        if (!bytes)
            return;
        snprintf(line, sizeof line, "%.*s", (int)bytes, text);
        put_line(index, y, line, red);
        text += bytes + strspn(text + bytes, " ");
    }
}

static stele_status draw_cell(job *j, stele_file *file)
{
    stele_picture cell = {sheet.wishes.width, sheet.wishes.height,
                          malloc((size_t)sheet.wishes.width * sheet.wishes.height * 4)};
    stele_render_options o = sheet.wishes.render;
    const stele_model *model = stele_file_model(file);
    stele_status status = model ? STELE_NO_MEMORY : stele_file_status(file);
    o.background = j->settings->background ? sheet.wishes.background : paper;
    if (model && cell.rgba) {
        if (j->settings->clip && model->clip_count) { /* those that have it */
            o.posed = true;
            o.clip = find_clip(j, file, model, j->settings->clip, strlen(j->settings->clip));
            o.posed = o.clip != STELE_NONE;
            o.seconds = sheet.wishes.time;
        }
        status = stele_render(file, &cell, &o);
    }
    if (status == STELE_OK && stele_file_changed(file)) {
        j->settled = true;
        status = STELE_IO;
    }
    if (status == STELE_OK)
        put_cell(j->index, &cell);
    free(cell.rgba);
    return status;
}

static void render_cell(job *j)
{
    stele_file *file = open_job(j, STELE_CHECK_SAFE);
    if (!have_sheet(j->count)) {
        job_fails(j, "a sheet of %zu pictures of %u x %u is too large; say a smaller --size", j->count, sheet.wishes.width,
                  sheet.wishes.height);
        j->exit_code = EXIT_USAGE;
        stele_close(file);
        return;
    }
    bool sound = file && stele_file_status(file) == STELE_OK;
    stele_status status = sound ? draw_cell(j, file) : stele_file_status(file);
    sheet.names[j->index] = strdup(j->below);
    sheet.failed[j->index] = status != STELE_OK;
    const char *problem = j->settled ? FILE_CHANGED : file ? stele_file_message(file) : "cannot be opened";
    if (status != STELE_OK)
        put_message(j->index, problem);
    if (!file)
        return;
    report_findings(j, file);
    job_ends(j, status);
    if (status == STELE_OK)
        depend(j, file, j->settings->output);
    else
        report_failure(j, file, "not drawn", problem);
    if (j->settings->json)
        print_drawn_json(j, file, &sheet.wishes, j->settings->output, status);
    close_job(j, file);
}

int render_sheet(const settings *s, const wishes *w, char **operands, size_t count)
{
    sheet.wishes = *w;
    sheet.wishes.render.background = s->background ? sheet.wishes.background : NULL;
    int code = run_jobs(s, operands, count, render_cell, "drawn");
    if (!sheet.picture.rgba || interrupted())
        return code ? code : EXIT_IO;
    reason why;
    put_labels();
    stele_status status = save_picture(s, &sheet.picture, s->output, &why);
    for (size_t i = 0; i < sheet.count; i++)
        free(sheet.names[i]);
    free(sheet.names);
    free(sheet.failed);
    if (status != STELE_OK && s->json)
        json_failure(stdout, s->verb, s->output, exit_code_of(status), why.text);
    else if (status != STELE_OK && !(to_stdout(s->output) && stdout_error()))
        complain(stderr, "%s%s", why.text, hint_for(status));
    else if (status == STELE_OK && !s->quiet && !s->json && !to_stdout(s->output))
        fprintf(stderr, "%s: %u x %u\n", s->output, sheet.picture.width, sheet.picture.height);
    free(sheet.picture.rgba);
    return status == STELE_OK ? code : exit_code_of(status);
}
