/* For file managers: one small picture, quickly, whatever the file may be. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "system/files.h"
#include "system/process.h"

enum { USUAL_THUMBNAIL = 256, MOST_THUMBNAIL = 2048, USUAL_SECONDS = 20, MOST_SECONDS = 3600 };

static const char *output;
static uint32_t side;

static memory_stream late_document; /* of --json; made before, for a handler may do little */

static void give_up(int signal)
{
    static const char message[] = "stele: the time limit has passed\n";
    (void)signal;
    if (in_child())
        _Exit(EXIT_LATE);
    if (late_document.size)
        (void)st_fd_write(strcmp(output, "-") == 0 ? STANDARD_ERROR : STANDARD_OUTPUT, late_document.data, late_document.size);
    else
        (void)st_fd_write(STANDARD_ERROR, message, sizeof message - 1);
    _Exit(EXIT_IO); /* nothing is written before the picture is complete */
}

static void prepare_to_be_late(const settings *s, const char *path)
{
    if (!s->json || !st_memory_open(&late_document))
        return;
    json_failure(late_document.file, s->verb, path, EXIT_IO, "the time limit has passed");
    if (!st_memory_close(&late_document))
        late_document.size = 0;
}

static bool append(void *memory, const void *data, size_t size)
{
    return fwrite(data, 1, size, memory) == size;
}

/* The whole .png, to be freed; NULL without memory. */
static char *encode(const stele_picture *picture, size_t *size)
{
    memory_stream png;
    bool opened = st_memory_open(&png);
    bool fine = opened && stele_picture_write(picture, append, png.file, NULL, NULL, 0) == STELE_OK;
    *size = 0;
    if (opened && st_memory_close(&png) && fine) {
        *size = png.size;
        return png.data;
    }
    free(png.data);
    return NULL;
}

static bool is_png(int file)
{
    static const char magic[8] = "\x89PNG\r\n\x1a\n";
    char start[sizeof magic];
    return st_fd_read(file, start, sizeof start) == sizeof start && memcmp(start, magic, sizeof magic) == 0;
}

/* What is neither empty nor a picture is nobody's thumbnail, and stays: a model, above all. */
static bool may_be_replaced(const file_status *status)
{
    if (status->kind != FILE_REGULAR || !status->size)
        return true;
    int file = st_fd_open(output);
    bool fine = file >= 0 && is_png(file);
    if (file >= 0)
        st_fd_close(file);
    return fine;
}

/* Into the file itself and not into one that takes its place: who asks for a thumbnail may have made the file and hold it open.
 * What was made here and is not complete is removed. */
static bool rewrite(const void *png, size_t size)
{
    file_status status;
    bool there = st_path_status(output, true, &status) == 0;
    if (there && !may_be_replaced(&status)) {
        errno = EEXIST;
        return false;
    }
    int fd = st_fd_rewrite(output);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!out)
        return false;
    bool complete = fwrite(png, 1, size, out) == size;
    complete = fclose(out) == 0 && complete;
    int error = errno;
    if (!complete && !there)
        st_path_remove(output);
    errno = error;
    return complete;
}

static bool write_output(const void *png, size_t size)
{
    if (!saving_begins())
        return false;
    st_limit_time(0); /* what is begun is written completely */
    bool written = rewrite(png, size);
    saving_ends();
    return written;
}

static bool give_out(const char *png, size_t size)
{
    return strcmp(output, "-") == 0 ? write_stdout(png, size) : hand_over(png, size, write_output);
}

static stele_status draw(job *j, stele_file *file)
{
    static const uint8_t transparent[4] = {0, 0, 0, 0};
    stele_render_options o = {.background = transparent};
    stele_picture picture = {side, side, malloc((size_t)side * side * 4)};
    stele_status status = picture.rgba ? stele_render(file, &picture, &o) : STELE_NO_MEMORY;
    size_t size = 0;
    char *png = status == STELE_OK ? encode(&picture, &size) : NULL;
    if (!picture.rgba || (status == STELE_OK && !png)) {
        job_fails(j, "no thumbnail: there is not enough memory");
        status = STELE_NO_MEMORY;
    }
    if (png && !give_out(png, size)) {
        job_fails(j, "no thumbnail: %s: %s", output, errno == EEXIST ? "is no PNG, and not replaced by one" : strerror(errno));
        status = STELE_IO;
    }
    free(png);
    free(picture.rgba);
    return status;
}

static void thumbnail(job *j)
{
    stele_file *file = open_job(j, STELE_CHECK_SAFE);
    if (!file)
        return;
    if (j->settings->no_import && is_to_be_imported(j, NULL, file)) {
        j->exit_code = EXIT_TO_BE_IMPORTED;
        close_job(j, file);
        return;
    }
    end_importer(j);
    lock_in(j->settings, j->path);
    stele_status status = stele_file_status(file) == STELE_OK ? draw(j, file) : stele_file_status(file);
    if (status != STELE_OK && stele_file_status(file) != STELE_OK)
        job_fails_at(j, "no thumbnail", stele_file_message(file));
    job_ends(j, status);
    if (j->settings->json) {
        json out;
        json_begin_job(&out, j);
        json_string(&out, "output", status == STELE_OK ? output : NULL);
        json_uint(&out, "size", side);
        json_end_job(&out, j, file);
    }
    close_job(j, file);
}

static int draw_one(const settings *s, char *path)
{
    return run_jobs(s, &path, 1, thumbnail, "drawn");
}

static int run(const settings *given, char **operands, size_t count)
{
    settings s = *given;
    double size = USUAL_THUMBNAIL, seconds = USUAL_SECONDS;
    if (!s.output && count == 2)
        s.output = operands[--count];
    output = s.output;
    if (count != 1 || !output)
        return usage_error("stele thumbnail needs a model and a .png; see stele thumbnail --help");
    if (s.size && (!parse_positive(s.size, &size) || size < 1 || size > MOST_THUMBNAIL))
        return usage_error("'%s' is no size from 1 to %d", s.size, MOST_THUMBNAIL);
    if (s.time_limit && (!parse_positive(s.time_limit, &seconds) || seconds < 1 || seconds > MOST_SECONDS))
        return usage_error("'%s' is no number of seconds from 1 to %d", s.time_limit, MOST_SECONDS);
    s.read_file = true; /* what changes meanwhile is seen once only */
    side = (uint32_t)size;
    prepare_to_be_late(&s, operands[0]);
    st_on_time_limit(give_up);
    s.seconds = (unsigned)seconds;
    return behind_walls(&s, operands[0], draw_one, write_output);
}

static const option options[] = {
    {'o', "output", "FILE", "a .png that is new, empty or a .png already; - for standard output", OPTION_TEXT,
     offsetof(settings, output)},
    {0, "size", "N", "pixels of the longer side (default: 256)", OPTION_TEXT, offsetof(settings, size)},
    {0, "time-limit", "SECONDS", "give up after this time (default: 20)", OPTION_TEXT, offsetof(settings, time_limit)},
    {0},
};

const command command_thumbnail = {
    .name = "thumbnail",
    .summary = "draw a small picture for a file manager, within limits",
    .usage = "[OPTION...] FILE OUT.png\n       stele thumbnail [OPTION...] FILE -o OUT.png",
    .examples = "  stele thumbnail hat.sgm hat.png --size 128\n",
    .options = options,
    .takes_files = true,
    .run = run,
};
