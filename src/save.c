/* Writing: the file as it is, or adapted to another dialect; atomically, or to a callback. */
#include <errno.h>
#include <string.h>

#include "handle.h"

static int dialect_named(const stele_format *format, const char *name)
{
    for (size_t i = 0; i < format->info.dialect_count; i++)
        if (strcmp(format->info.dialects[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* What to say when adapting failed: the last thing that was listed, if anything was. */
static const char *last_line(stele_file *file, size_t before, const char *otherwise)
{
    return file->diags.count > before ? st_file_line(file, &file->diags.items[file->diags.count - 1]) : otherwise;
}

static raw_file *adapt(stele_file *file, unsigned dialect, bool strict)
{
    size_t before = file->diags.count;
    uint64_t losses = file->diags.losses;
    raw_file *raw = st_arena_alloc(&file->arena, file->format->raw_size);
    if (!raw)
        return NULL;
    memcpy(raw, file->raw, file->format->raw_size);
    checker c = st_file_checker(file);
    if (file->trailing.count)
        st_diag(&file->diags, DIAG_LOSS_TRAILING, (diag_place){file->content.count - file->trailing.count, 1, ""},
                "%llu bytes after the content are dropped", (unsigned long long)file->trailing.count);
    bool fits = file->format->adapt(raw, dialect, &c);
    if (file->arena.failed)
        return NULL;
    if (!fits)
        st_file_fail(file, STELE_DAMAGED, last_line(file, before, "the content does not fit"));
    else if (strict && file->diags.losses > losses)
        st_file_fail(file, STELE_LOSSY, last_line(file, before, "something would be lost"));
    return file->status == STELE_OK ? raw : NULL;
}

/* The raw struct to write: the file's own, or an adapted copy. NULL if it cannot be had; the status says why. */
static raw_file *raw_to_save(stele_file *file, const stele_save_options *options)
{
    int dialect = options->dialect ? dialect_named(file->format, options->dialect) : (int)file->raw->dialect;
    if (dialect < 0) {
        st_file_fail(file, STELE_USAGE,
                     st_arena_format(&file->arena, "%s has no dialect called %s", file->format->info.name, options->dialect));
        return NULL;
    }
    /* a dialect that was asked for is written as we recommend it, whatever the file's reading */
    bool as_it_is = (unsigned)dialect == file->raw->dialect && !file->raw->reading && !file->format->always_adapts;
    if (!options->dialect || as_it_is)
        return file->raw;
    return adapt(file, (unsigned)dialect, options->strict);
}

typedef struct progress_sink {
    stele_sink sink; /* or else */
    output *output;
    void *user;
    const stele_save_options *options;
    uint64_t done, total;
    bool cancelled;
} progress_sink;

enum { PROGRESS_STEP = 4 << 20 };

static bool may_go_on(progress_sink *p)
{
    if (p->options->progress && !p->options->progress(p->options->progress_user, p->done, p->total))
        p->cancelled = true;
    return !p->cancelled;
}

static bool write_with_progress(void *user, const void *data, size_t size)
{
    progress_sink *p = user;
    const uint8_t *bytes = data;
    while (size && may_go_on(p)) {
        size_t step = size < PROGRESS_STEP ? size : PROGRESS_STEP;
        if (p->output)
            step = st_output_write(p->output, bytes, step);
        else if (!p->sink(p->user, bytes, step))
            return false;
        if (p->output && p->output->error)
            return false;
        bytes += step;
        size -= step;
        p->done += step;
    }
    return !p->cancelled;
}

/* Content that is compressed as a whole is written to memory first. */
typedef struct memory {
    arena *arena;
    uint8_t *data;
    uint64_t size, capacity;
} memory;

static bool write_to_memory(void *user, const void *data, size_t size)
{
    memory *m = user;
    if (size > m->capacity - m->size) {
        m->capacity = 2 * m->capacity + size;
        uint8_t *larger = st_arena_bytes(m->arena, m->capacity);
        if (larger && m->size)
            memcpy(larger, m->data, (size_t)m->size);
        m->data = larger;
    }
    if (!m->data)
        return false;
    memcpy(m->data + m->size, data, size);
    m->size += size;
    return true;
}

static void write_packed(stele_file *file, raw_file *raw, walk *w, progress_sink *progress)
{
    memory m = {.arena = &file->arena};
    container packed = {0};
    st_walk_write(w, &file->arena, write_to_memory, &m);
    file->format->walk(w, raw);
    if (!st_walk_finish(w))
        return;
    bool fits = file->format->pack((span){m.data, m.size, 1}, &file->arena, &packed);
    st_walk_write(w, &file->arena, write_with_progress, progress);
    if (fits)
        file->format->walk_container(w, &packed);
    else
        st_walk_fail(w, DIAG_DOES_NOT_FIT, 0, NULL, "is too large to be compressed");
}

static stele_status write_raw(stele_file *file, raw_file *raw, progress_sink *progress)
{
    walk *w = st_arena_bytes(&file->arena, sizeof *w);
    if (!w)
        return STELE_NO_MEMORY;
    if (raw == file->raw && file->packed) {
        /* the same content could be compressed in many ways: what was read is written */
        st_walk_write(w, &file->arena, write_with_progress, progress);
        file->format->walk_container(w, &file->container);
    } else if ((file->format->packed_dialects >> raw->dialect) & 1) {
        write_packed(file, raw, w, progress);
    } else {
        st_walk_write(w, &file->arena, write_with_progress, progress);
        file->format->walk(w, raw);
        if (raw == file->raw)
            st_walk_gap(w, &file->trailing, file->trailing.count);
    }
    if (st_walk_finish(w))
        return STELE_OK;
    if (file->arena.failed)
        return STELE_NO_MEMORY;
    if (w->failed) {
        st_file_fail_with(file, STELE_DAMAGED, w->failure.code, w->failure.offset, w->failure.path, w->failure.text);
        return STELE_DAMAGED;
    }
    return progress->cancelled ? STELE_CANCELLED : STELE_IO;
}

/* Common to both ways of writing: raw, or NULL with the status set. */
static raw_file *begin_save(stele_file *file, const stele_save_options *options)
{
    if (!file->complete) {
        if (file->status == STELE_OK)
            st_file_fail(file, STELE_UNSUPPORTED, "the file was not read, so that it cannot be written");
        return NULL;
    }
    /* what an earlier save lost is no longer of interest */
    st_diags_rewind(&file->diags, file->diags_of_opening);
    st_file_fail(file, STELE_OK, "ok");
    raw_file *raw = raw_to_save(file, options);
    if (!raw && file->status == STELE_OK)
        st_file_fail(file, STELE_NO_MEMORY, "there is not enough memory within the limit");
    return raw;
}

static const stele_save_options save_defaults;

stele_status stele_file_write(stele_file *file, stele_sink sink, void *user, const stele_save_options *options)
{
    options = options ? options : &save_defaults;
    raw_file *raw = file ? begin_save(file, options) : NULL;
    if (!raw)
        return stele_file_status(file);
    progress_sink progress = {.sink = sink, .user = user, .options = options, .total = file->source.size};
    stele_status status = write_raw(file, raw, &progress);
    if (status != STELE_OK && file->status == STELE_OK)
        st_file_fail(file, status,
                     status == STELE_IO          ? "the bytes could not be written"
                     : status == STELE_CANCELLED ? "writing was cancelled"
                                                 : "there is not enough memory within the limit");
    return file->status;
}

static void fail_output(stele_file *file, int error, const char *path)
{
    if (error == EEXIST)
        st_file_fail(file, STELE_IO, st_arena_format(&file->arena, "%s exists already", path));
    else
        st_file_fail(file, STELE_IO, st_arena_format(&file->arena, "%s: %s", path, st_error_text(error, &file->arena)));
}

stele_status stele_file_save(stele_file *file, const char *path, const stele_save_options *options)
{
    output o;
    options = options ? options : &save_defaults;
    raw_file *raw = file ? begin_save(file, options) : NULL;
    if (!raw)
        return stele_file_status(file);
    if (st_output_open(&o, path, options->overwrite, options->sync, &file->arena)) {
        fail_output(file, o.error, path);
        return file->status;
    }
    progress_sink progress = {.output = &o, .options = options, .total = file->source.size};
    stele_status status = write_raw(file, raw, &progress);
    if (status == STELE_OK && st_source_changed(&file->source)) {
        st_output_abandon(&o);
        st_file_fail(file, STELE_IO, "the file changed while it was read");
    } else if (status == STELE_OK && st_output_commit(&o)) {
        fail_output(file, o.error, path);
    } else if (status != STELE_OK) {
        st_output_abandon(&o);
        if (o.error)
            fail_output(file, o.error, path);
        else if (file->status == STELE_OK)
            st_file_fail(file, status, status == STELE_CANCELLED ? "writing was cancelled" : "there is not enough memory");
    }
    return file->status;
}
