/* Writing: the file as it is, adapted to another dialect, or its model in another format; atomically, or to a callback. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"

static int dialect_named(const format *format, const char *name)
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

/* The first loss of a strict save; what the rules silence is still one. */
static const char *first_loss(stele_file *file, size_t before)
{
    for (size_t i = before; i < file->diags.count; i++)
        if (file->diags.items[i].severity == STELE_LOSS)
            return st_file_line(file, &file->diags.items[i]);
    return "something would be lost";
}

static raw_file *adapt(stele_file *file, unsigned dialect, bool strict)
{
    size_t before = file->diags.count;
    uint64_t losses = file->diags.losses;
    raw_file *raw = st_arena_alloc(&file->arena, file->format->raw_size);
    if (!raw)
        return NULL;
    memcpy(raw, file->raw, file->format->raw_size);
    context c = st_file_context(file);
    if (file->trailing.count)
        st_diag(&file->diags, DIAG_LOSS_TRAILING, (diag_place){file->content.count - file->trailing.count, 1, ""},
                "%llu bytes after the content are dropped", (unsigned long long)file->trailing.count);
    bool fits = file->format->adapt(&c, raw, dialect);
    if (file->arena.failed)
        return NULL;
    if (!fits)
        st_file_fail(file, STELE_DAMAGED, last_line(file, before, "the content does not fit"));
    else if (strict && file->diags.losses > losses)
        st_file_fail(file, STELE_LOSSY, first_loss(file, before));
    return file->status == STELE_OK ? raw : NULL;
}

/* What is to be written. */
typedef struct product {
    const format *format;
    raw_file *raw;         /* NULL if it cannot be had; the status says why */
    side_file *side_files; /* beside it */
} product;

static int dialect_to_write(stele_file *file, const format *format, const stele_save_options *options, int usual)
{
    int dialect = options->dialect ? dialect_named(format, options->dialect) : usual;
    if (dialect < 0)
        st_file_fail(file, STELE_USAGE,
                     st_arena_format(&file->arena, "%s has no dialect called %s", format->info.name, options->dialect));
    return dialect;
}

/* In its own format the file is written as it is, or adapted to a dialect. */
static raw_file *own_raw(stele_file *file, const stele_save_options *options)
{
    int dialect = dialect_to_write(file, file->format, options, (int)file->raw->dialect);
    if (dialect < 0)
        return NULL;
    /* a dialect that was asked for is written as we recommend it, whatever the file's reading */
    bool as_it_is = (unsigned)dialect == file->raw->dialect && !file->raw->reading && !file->format->always_adapts;
    if (!options->dialect || as_it_is)
        return file->raw;
    return adapt(file, (unsigned)dialect, options->strict);
}

/* ---- In another format ---- */

static const char *capitals(arena *a, const char *name)
{
    char *text = (char *)st_arena_text(a, name, strlen(name));
    for (char *c = text; *c; c++)
        *c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
    return text;
}

/* A file that came from this format remembers its dialect. */
static int remembered_dialect(stele_file *file, const format *format, const stele_model *model)
{
    const char *key = st_arena_format(&file->arena, "%s.dialect", format->info.name);
    const char *name = st_property_text_of(&model->properties, key);
    int dialect = name ? dialect_named(format, name) : -1;
    return dialect < 0 ? (int)format->usual_dialect : dialect;
}

static void conclude_product(stele_file *file, product *p, bool fits, bool strict, size_t diags, uint64_t losses)
{
    if (file->arena.failed)
        st_file_fail(file, STELE_NO_MEMORY, "there is not enough memory within the limit");
    else if (!fits)
        st_file_fail(file, STELE_DAMAGED, last_line(file, diags, "the content does not fit"));
    else if (strict && file->diags.losses > losses)
        st_file_fail(file, STELE_LOSSY, first_loss(file, diags));
    if (file->status != STELE_OK)
        p->raw = NULL;
}

static saving saving_of(stele_file *file, const format *format, const char *path, const stele_save_options *options)
{
    return (saving){.capabilities = format->info.capabilities | (path ? format->info.beside : 0),
                    .format = format->info.name,
                    .fps = options->fps,
                    .textures = options->textures,
                    .name = path ? st_file_base_name(&file->arena, path) : NULL};
}

static bool names_textures(const format *format)
{
    return (format->info.capabilities | format->info.beside) & STELE_TEXTURES;
}

/* What belongs to the file goes where it goes; so do the textures of the model, if it is given. */
static void bring_others(stele_file *file, product *p, const stele_model *model, const char *path,
                         const stele_save_options *options)
{
    context c = st_file_context(file);
    saving s = saving_of(file, p->format, path, options);
    c.save = &s;
    if (!p->raw || !path)
        return;
    if (p->format->bring && st_file_parse(file, &c))
        p->format->bring(&c, p->raw);
    for (size_t i = 0; model && i < model->texture_count; i++)
        if (!model->textures[i].data && model->textures[i].file)
            st_save_texture_copy(&c, &model->textures[i], model->textures[i].file);
    p->side_files = s.side_files;
}

/* Only to have its textures is the model of a copy of any interest. A copy cannot embed them: then they are copied as well. */
static void make_copy(stele_file *file, product *p, const char *path, const stele_save_options *options)
{
    bool with_textures = path && options->textures != STELE_TEXTURES_REFER && names_textures(p->format);
    const stele_model *model = with_textures ? st_file_finished_model(file) : NULL;
    if (with_textures && !model)
        return;
    p->raw = own_raw(file, options);
    bring_others(file, p, model, path, options);
}

static void make_product(stele_file *file, product *p, const char *path, const stele_save_options *options)
{
    const format *format = p->format;
    const stele_model *model = st_file_finished_model(file);
    size_t diags = file->diags.count;
    uint64_t losses = file->diags.losses;
    if (!model)
        return;
    if (!format->save) {
        st_file_fail(file, STELE_UNSUPPORTED, st_arena_format(&file->arena, "%s cannot be written", format->info.name));
        return;
    }
    int dialect = dialect_to_write(file, format, options, remembered_dialect(file, format, model));
    p->raw = dialect < 0 ? NULL : st_arena_alloc(&file->arena, format->raw_size);
    if (!p->raw)
        return;
    p->raw->dialect = (unsigned)dialect;
    context c = st_file_context(file);
    saving s = saving_of(file, format, path, options);
    s.model = model;
    c.save = &s;
    c.into = capitals(&file->arena, format->info.name);
    st_save_report(&c);
    bool fits = format->save(&c, p->raw) && c.fits;
    p->side_files = s.side_files;
    conclude_product(file, p, fits, options->strict, diags, losses);
}

/* The format to write: what the caller says, what the path says, or the file's own. */
static const format *format_to_write(stele_file *file, const char *path, const stele_save_options *options)
{
    const format *format = options->format ? st_format_named(options->format) : st_format_of_extension(path);
    if (options->format && !format)
        st_file_fail(file, STELE_USAGE, st_arena_format(&file->arena, "there is no format called %s", options->format));
    else if (!format && !file->format)
        st_file_fail(file, STELE_USAGE, "no format is said, neither by name nor by extension");
    return format || options->format ? format : file->format;
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

static void write_packed(stele_file *file, const product *p, walk *w, progress_sink *progress)
{
    memory m = {.arena = &file->arena};
    container packed = {0};
    st_walk_write(w, &file->arena, write_to_memory, &m);
    p->format->walk(w, p->raw);
    if (!st_walk_finish(w))
        return;
    bool fits = p->format->pack((span){m.data, m.size, 1}, &file->arena, &packed);
    st_walk_write(w, &file->arena, write_with_progress, progress);
    if (fits)
        p->format->walk_container(w, &packed);
    else
        st_walk_fail(w, DIAG_DOES_NOT_FIT, 0, NULL, "is too large to be compressed");
}

/* After the walk: what came of it. */
static stele_status conclude_walk(stele_file *file, walk *w, const progress_sink *progress)
{
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

static stele_status write_product(stele_file *file, const product *p, progress_sink *progress)
{
    walk *w = st_arena_bytes(&file->arena, sizeof *w);
    bool untouched = p->raw == file->raw;
    if (!w)
        return STELE_NO_MEMORY;
    if (untouched && file->packed) {
        /* the same content could be compressed in many ways: what was read is written */
        st_walk_write(w, &file->arena, write_with_progress, progress);
        file->format->walk_container(w, &file->container);
    } else if ((p->format->packed_dialects >> p->raw->dialect) & 1) {
        write_packed(file, p, w, progress);
    } else {
        st_walk_write(w, &file->arena, write_with_progress, progress);
        p->format->walk(w, p->raw);
        if (untouched)
            st_walk_gap(w, &file->trailing, file->trailing.count);
    }
    return conclude_walk(file, w, progress);
}

static stele_status write_side_file(stele_file *file, const side_file *side, progress_sink *progress)
{
    walk *w = st_arena_bytes(&file->arena, sizeof *w);
    if (!w)
        return STELE_NO_MEMORY;
    st_walk_write(w, &file->arena, write_with_progress, progress);
    side->walk(w, side->raw);
    return conclude_walk(file, w, progress);
}

/* Common to both ways of writing. No path: there is no place for files beside it. */
static product begin_save(stele_file *file, const char *path, const stele_save_options *options)
{
    product p = {0};
    if (!file->complete && !file->touched) {
        if (file->status == STELE_OK)
            st_file_fail(file, STELE_UNSUPPORTED, "the file was not read, so that it cannot be written");
        return p;
    }
    /* what an earlier save lost is no longer of interest */
    st_diags_rewind(&file->diags, file->diags_of_opening);
    st_file_fail(file, STELE_OK, "ok");
    p.format = format_to_write(file, path, options);
    if (p.format && p.format == file->format && !file->touched)
        make_copy(file, &p, path, options);
    else if (p.format)
        make_product(file, &p, path, options);
    if (!p.raw && file->status == STELE_OK)
        st_file_fail(file, STELE_NO_MEMORY, "there is not enough memory within the limit");
    return p;
}

static const stele_save_options save_defaults;

static void fail_writing(stele_file *file, stele_status status)
{
    if (status != STELE_OK && file->status == STELE_OK)
        st_file_fail(file, status,
                     status == STELE_IO          ? "the bytes could not be written"
                     : status == STELE_CANCELLED ? "writing was cancelled"
                                                 : "there is not enough memory within the limit");
}

stele_status stele_file_write(stele_file *file, stele_sink sink, void *user, const stele_save_options *options)
{
    options = options ? options : &save_defaults;
    product p = file ? begin_save(file, NULL, options) : (product){0};
    if (!p.raw)
        return stele_file_status(file);
    progress_sink progress = {.sink = sink, .user = user, .options = options, .total = file->source.size};
    fail_writing(file, write_product(file, &p, &progress));
    return file->status;
}

/* ---- To a path: the file and those beside it get their names when all are complete ---- */

static void fail_output(stele_file *file, int error, const char *path)
{
    if (error == EEXIST)
        st_file_fail(file, STELE_IO, st_arena_format(&file->arena, "%s exists already", path));
    else
        st_file_fail(file, STELE_IO, st_arena_format(&file->arena, "%s: %s", path, st_error_text(error, &file->arena)));
}

/* One file that is being written. */
typedef struct draft {
    const char *path;
    size_t folder;         /* so much of it is the folder of the output */
    const side_file *side; /* NULL: the file itself */
    const span *same;      /* a file that has just these bytes already is as good; NULL: none is */
    output output;
    bool open, there; /* there: such a file is, and stays */
} draft;

typedef struct folder {
    const char *path;
    struct folder *next;
} folder;

typedef struct draft_list {
    draft *items;
    size_t count;
    folder *made; /* for them, the last one first */
} draft_list;

static size_t length_of_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash + 1 - path) : 0;
}

static const char *path_beside(arena *a, const char *path, const char *name)
{
    return st_arena_format(a, "%.*s%s", (int)length_of_folder(path), path, st_companion_path(a, name));
}

/* A texture that is there already need not be copied. */
static bool is_there(stele_file *file, const draft *d)
{
    source there;
    arena_mark mark = st_arena_mark(&file->arena);
    if (!d->same || !st_file_has_size(d->path, d->same->count) || st_source_open(&there, d->path, true, &file->arena))
        return false;
    bool same = there.size == d->same->count && (!there.size || memcmp(there.data, d->same->data, (size_t)there.size) == 0);
    st_source_close(&there);
    st_arena_rewind(&file->arena, mark);
    return same;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp((*(const draft *const *)a)->path, (*(const draft *const *)b)->path);
}

/* A texture may have the name of the model that is written, or of what is written beside it. */
static bool have_own_names(stele_file *file, const draft_list *drafts)
{
    const draft **sorted = st_arena_array(&file->arena, drafts->count, sizeof *sorted);
    for (size_t i = 0; sorted && i < drafts->count; i++)
        sorted[i] = &drafts->items[i];
    if (sorted)
        qsort(sorted, drafts->count, sizeof *sorted, compare_paths);
    for (size_t i = 1; sorted && i < drafts->count; i++)
        if (compare_paths(&sorted[i - 1], &sorted[i]) == 0) {
            st_file_fail(file, STELE_IO,
                         st_arena_format(&file->arena, "two different files would be written as %s", sorted[i]->path));
            return false;
        }
    return sorted;
}

/* The bytes that a file there may have already, if that is fine. */
static const span *own_bytes(stele_file *file, const product *p, const stele_save_options *options)
{
    span *bytes = options->same_is_fine && p->raw == file->raw ? st_arena_alloc(&file->arena, sizeof *bytes) : NULL;
    if (bytes)
        *bytes = (span){file->source.data, file->source.size, 1};
    return bytes;
}

static bool make_drafts(stele_file *file, const product *p, const char *path, const stele_save_options *options,
                        draft_list *drafts)
{
    size_t most = 1;
    for (const side_file *side = p->side_files; side; side = side->next)
        most++;
    drafts->items = st_arena_array(&file->arena, most, sizeof *drafts->items);
    if (!drafts->items)
        return false;
    for (const side_file *side = p->side_files; side; side = side->next)
        drafts->items[drafts->count++] = (draft){.path = path_beside(&file->arena, path, side->name),
                                                 .folder = length_of_folder(path),
                                                 .side = side,
                                                 .same = side->same_is_fine ? side->raw : NULL};
    drafts->items[drafts->count++] =
        (draft){.path = path,
                .folder = length_of_folder(path),
                .same = own_bytes(file, p, options)}; /* last: when it is there, all that it needs is */
    return !file->arena.failed && have_own_names(file, drafts);
}

/* The folders between that of the output and a file in them. */
static int make_folders(stele_file *file, const draft *d, draft_list *drafts)
{
    int error = 0;
    for (const char *slash = strchr(d->path + d->folder, '/'); slash && !error; slash = strchr(slash + 1, '/')) {
        folder *f = st_arena_alloc(&file->arena, sizeof *f);
        bool made = false;
        if (!f)
            return ENOMEM;
        *f = (folder){st_arena_text(&file->arena, d->path, (uint64_t)(slash - d->path)), drafts->made};
        error = *f->path ? st_folder_make(f->path, &made) : ENOMEM;
        if (made)
            drafts->made = f;
    }
    return error;
}

/* Another save may put the same file there at any time: then that is as good. */
static bool failed_for_good(stele_file *file, draft *d, int error)
{
    d->there = error == EEXIST && is_there(file, d);
    if (error && !d->there)
        fail_output(file, error, d->path);
    return error && !d->there;
}

static bool write_draft(stele_file *file, const product *p, draft *d, draft_list *drafts, const stele_save_options *options)
{
    d->there = is_there(file, d);
    if (d->there)
        return true;
    int error = make_folders(file, d, drafts);
    if (!error)
        error = st_output_open(&d->output, d->path, options->overwrite, options->sync, &file->arena);
    if (error)
        return !failed_for_good(file, d, error);
    d->open = true;
    progress_sink progress = {.output = &d->output, .options = options, .total = file->source.size};
    stele_status status = d->side ? write_side_file(file, d->side, &progress) : write_product(file, p, &progress);
    if (status == STELE_OK && st_output_finish(&d->output))
        status = STELE_IO;
    if (status != STELE_OK && d->output.error)
        fail_output(file, d->output.error, d->path);
    fail_writing(file, status);
    return status == STELE_OK;
}

/* Textures that are named must be where the output is looked for. */
static void note_missing_textures(stele_file *file, const product *p, const char *path, const stele_save_options *options)
{
    const stele_model *model = file->model;
    if (!model || !names_textures(p->format) || options->textures == STELE_TEXTURES_EMBED)
        return;
    for (size_t i = 0; i < model->texture_count; i++) {
        const char *name = model->textures[i].file;
        if (name && !st_file_exists(path_beside(&file->arena, path, name)))
            st_diag(&file->diags, DIAG_TEXTURE_NOT_COPIED, (diag_place){STELE_NOWHERE, 1, ""},
                    "%s is not beside the output: copy or embed textures to have it there", name);
    }
}

const char *const *stele_file_outputs(const stele_file *file, size_t *count)
{
    *count = file ? file->output_count : 0;
    return file ? (const char *const *)file->outputs : NULL;
}

static void note_output(stele_file *file, const char *path)
{
    if (file->outputs)
        file->outputs[file->output_count++] = st_arena_text(&file->arena, path, strlen(path));
}

static bool commit_drafts(stele_file *file, draft_list *drafts)
{
    file->outputs = st_arena_array(&file->arena, drafts->count, sizeof *file->outputs);
    for (size_t i = 0; i < drafts->count; i++) {
        draft *d = &drafts->items[i];
        if (!d->there && failed_for_good(file, d, st_output_commit(&d->output)))
            return false;
        if (!d->there || !d->side)
            note_output(file, d->path);
    }
    return true;
}

/* All or nothing: what has its name already goes as well. */
static void undo_drafts(stele_file *file, draft_list *drafts)
{
    for (size_t i = drafts->count; i > 0; i--) {
        draft *d = &drafts->items[i - 1];
        if (!d->open)
            continue;
        st_output_undo(&d->output);
        st_output_abandon(&d->output);
    }
    for (folder *f = drafts->made; f; f = f->next)
        st_folder_remove(f->path);
    file->output_count = 0;
}

stele_status stele_file_save(stele_file *file, const char *path, const stele_save_options *options)
{
    draft_list drafts = {0};
    options = options ? options : &save_defaults;
    product p = file ? begin_save(file, path, options) : (product){0};
    if (!p.raw || !make_drafts(file, &p, path, options, &drafts)) {
        fail_writing(file, p.raw ? STELE_NO_MEMORY : STELE_OK);
        return stele_file_status(file);
    }
    bool good = true;
    file->output_count = 0;
    for (size_t i = 0; good && i < drafts.count; i++)
        good = write_draft(file, &p, &drafts.items[i], &drafts, options);
    if (good && stele_file_changed(file)) {
        st_file_fail(file, STELE_IO, "the file changed while it was read");
        good = false;
    }
    if (good && commit_drafts(file, &drafts))
        note_missing_textures(file, &p, path, options);
    else
        undo_drafts(file, &drafts);
    return file->status;
}

/* ---- What is no model ---- */

stele_status st_file_save_bytes(stele_file *file, const char *path, const stele_save_options *options, st_produce produce,
                                void *context)
{
    output o;
    options = options ? options : &save_defaults;
    st_file_fail(file, STELE_OK, "ok");
    if (st_output_open(&o, path, options->overwrite, options->sync, &file->arena)) {
        fail_output(file, o.error, path);
        return file->status;
    }
    progress_sink progress = {.output = &o, .options = options};
    bool done = produce(context, write_with_progress, &progress);
    if (done && st_output_commit(&o) == 0)
        return STELE_OK;
    int error = o.error;
    st_output_abandon(&o);
    if (error)
        fail_output(file, error, path);
    else
        fail_writing(file, progress.cancelled ? STELE_CANCELLED : STELE_NO_MEMORY);
    return file->status;
}

stele_status st_file_write_bytes(stele_file *file, stele_sink sink, void *user, st_produce produce, void *context)
{
    progress_sink progress = {.sink = sink, .user = user, .options = &save_defaults};
    st_file_fail(file, STELE_OK, "ok");
    if (!produce(context, write_with_progress, &progress))
        fail_writing(file, STELE_IO);
    return file->status;
}
