#include "transaction.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source.h"

/* ---- A sink that reports progress ---- */

typedef struct progress_sink {
    arena *arena;
    const stele_save_options *options;
    stele_sink sink; /* or else */
    output *output;
    void *user;
    uint64_t done, total;
    bool cancelled, refused;
} progress_sink;

/* What a byte costs on a slow disk: a name can be written as often as a small file says. */
enum { PROGRESS_STEP = 4 << 20, BYTE_WORK = 8 };

static bool may_go_on(progress_sink *p)
{
    if (p->options->progress && !p->options->progress(p->options->progress_user, p->done, p->total))
        p->cancelled = true;
    return !p->cancelled;
}

static size_t write_some(progress_sink *p, const uint8_t *bytes, size_t size)
{
    if (p->output) {
        size = st_output_write(p->output, bytes, size);
        p->refused = p->output->error;
    } else {
        p->refused = !p->sink(p->user, bytes, size);
    }
    return size;
}

static bool write_with_progress(void *user, const void *data, size_t size)
{
    progress_sink *p = user;
    const uint8_t *bytes = data;
    while (size && may_go_on(p)) {
        size_t step = write_some(p, bytes, size < PROGRESS_STEP ? size : PROGRESS_STEP);
        if (p->refused || !st_work(p->arena, step, BYTE_WORK))
            return false;
        bytes += step;
        size -= step;
        p->done += step;
    }
    return !p->cancelled;
}

/* Why the bytes did not go where they should, unless who made them has said so. */
static void conclude(const writing *w, const progress_sink *p)
{
    if (w->outcome->status != STELE_OK)
        return;
    if (p->cancelled)
        *w->outcome = (outcome){STELE_CANCELLED, "writing was cancelled"};
    else if (p->refused)
        *w->outcome = (outcome){STELE_IO, "the bytes could not be written"};
    else
        *w->outcome = outcome_no_memory();
}

bool st_write_to_sink(const writing *w, stele_sink sink, void *user, st_produce produce, void *context)
{
    progress_sink progress = {.arena = w->arena, .options = w->options, .sink = sink, .user = user, .total = w->total};
    bool done = produce(context, write_with_progress, &progress);
    if (!done)
        conclude(w, &progress);
    return done;
}

/* ---- Folders ---- */

struct made_folder {
    address where;
    struct made_folder *next;
};

/* One that is there already is fine, and then *made is false. Returns 0 or an errno. */
static int make_folder(const address *where, bool *made)
{
    spot s;
    file_status status;
    int error = st_spot_find(&s, where);
    if (error)
        return error;
    error = st_name_make_folder(s.folder, s.name);
    *made = !error;
    if (error == EEXIST) {
        error = st_name_status(s.folder, s.name, true, &status);
        if (!error && status.kind != FILE_FOLDER)
            error = ENOTDIR;
    }
    st_spot_leave(&s);
    return error;
}

static void remove_folder(const address *where)
{
    spot s;
    if (st_spot_find(&s, where) != 0)
        return;
    (void)st_name_remove_folder(s.folder, s.name);
    st_spot_leave(&s);
}

static int make_folders(transaction *t, const draft *d)
{
    arena *a = t->writing.arena;
    const char *path = d->where.path;
    int error = 0;
    for (const char *slash = strchr(path + d->where.root, '/'); slash && !error; slash = strchr(slash + 1, '/')) {
        struct made_folder *f = st_arena_alloc(a, sizeof *f);
        bool made = false;
        if (!f)
            return ENOMEM;
        *f = (struct made_folder){d->where, t->made};
        f->where.path = st_arena_text(a, path, (uint64_t)(slash - path));
        error = *f->where.path ? make_folder(&f->where, &made) : ENOMEM;
        if (made)
            t->made = f;
    }
    return error;
}

/* ---- Files ---- */

static bool has_folder(const address *where, arena *a)
{
    file_status status;
    return !where->root || st_path_status(st_arena_text(a, where->path, where->root), true, &status) == 0;
}

static void fail(const writing *w, int error, const address *where)
{
    const char *path = where->path;
    if (error == EEXIST)
        *w->outcome = (outcome){STELE_EXISTS, st_arena_format(w->arena, "%s exists already", path)};
    else if (error == EXDEV)
        *w->outcome = (outcome){STELE_IO, st_arena_format(w->arena, "a link leads from %s out of the output's folder", path)};
    else if (error == ENOENT && !has_folder(where, w->arena))
        *w->outcome = (outcome){STELE_IO, st_arena_format(w->arena, "%s: %s: there is no folder %.*s", path,
                                                          st_error_text(error, w->arena), (int)where->root - 1, path)};
    else
        *w->outcome = (outcome){STELE_IO, st_arena_format(w->arena, "%s: %s", path, st_error_text(error, w->arena))};
}

/* A texture that is there already need not be copied. */
static bool is_there(arena *a, const draft *d)
{
    source there;
    arena_mark mark = st_arena_mark(a);
    if (!d->same || !st_file_has_size(d->where.path, d->same->count) || st_source_open(&there, d->where.path, true, a))
        return false;
    bool same = there.size == d->same->count && (!there.size || memcmp(there.data, d->same->data, (size_t)there.size) == 0);
    st_source_close(&there);
    st_arena_rewind(a, mark);
    return same;
}

/* Another save may put the same file there at any time: then that is as good. */
static bool failed_for_good(transaction *t, draft *d, int error)
{
    d->there = error == EEXIST && is_there(t->writing.arena, d);
    if (error && !d->there)
        fail(&t->writing, error, &d->where);
    return error && !d->there;
}

static int compare_paths(const void *a, const void *b)
{
    return st_path_compare((*(const draft *const *)a)->where.path, (*(const draft *const *)b)->where.path);
}

/* A texture may have the name of the model that is written, or of what is written beside it. */
static bool have_own_names(const transaction *t)
{
    arena *a = t->writing.arena;
    const draft **sorted = st_arena_array(a, t->count, sizeof *sorted);
    if (!sorted) {
        *t->writing.outcome = outcome_no_memory();
        return false;
    }
    for (size_t i = 0; i < t->count; i++)
        sorted[i] = &t->drafts[i];
    qsort(sorted, t->count, sizeof *sorted, compare_paths);
    for (size_t i = 1; i < t->count; i++)
        if (compare_paths(&sorted[i - 1], &sorted[i]) == 0) {
            *t->writing.outcome =
                (outcome){STELE_IO, st_arena_format(a, "two different files would be written as %s", sorted[i]->where.path)};
            return false;
        }
    return true;
}

/* Whether files can have these names, and folders. */
static bool have_possible_names(const transaction *t)
{
    char name[PATH_ROOM];
    for (size_t i = 0; i < t->count; i++) {
        const address *where = &t->drafts[i].where;
        for (const char *part = where->path + where->root; *part;) {
            size_t length = strcspn(part, "/");
            snprintf(name, sizeof name, "%.*s", (int)length, part);
            if (length && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && !st_name_is_possible(name)) {
                *t->writing.outcome = (outcome){
                    STELE_IO, st_arena_format(t->writing.arena, "%s: there can be no file of this name", where->path)};
                return false;
            }
            part += length + (part[length] == '/');
        }
    }
    return true;
}

static bool write_draft(transaction *t, draft *d)
{
    const writing *w = &t->writing;
    d->there = is_there(w->arena, d);
    if (d->there)
        return true;
    int error = make_folders(t, d);
    if (!error)
        error = st_output_open(&d->output, &d->where, w->options->overwrite, w->options->sync, w->arena);
    if (error)
        return !failed_for_good(t, d, error);
    d->open = true;
    progress_sink progress = {.arena = w->arena, .options = w->options, .output = &d->output, .total = w->total};
    bool done = d->produce(d->context, write_with_progress, &progress) && st_output_finish(&d->output) == 0;
    if (!done && d->output.error && w->outcome->status == STELE_OK)
        fail(w, d->output.error, &d->where);
    if (!done)
        conclude(w, &progress);
    return done;
}

/* What has its name already goes as well. */
void st_transaction_undo(transaction *t)
{
    for (size_t i = t->count; i > 0; i--) {
        draft *d = &t->drafts[i - 1];
        if (!d->open)
            continue;
        st_output_undo(&d->output);
        st_output_abandon(&d->output);
    }
    for (struct made_folder *f = t->made; f; f = f->next)
        remove_folder(&f->where);
}

bool st_transaction_write(transaction *t)
{
    bool good = have_possible_names(t) && have_own_names(t);
    for (size_t i = 0; good && i < t->count; i++)
        good = write_draft(t, &t->drafts[i]);
    if (!good)
        st_transaction_undo(t);
    return good;
}

/* After the last one nothing can fail any more, so that nobody wants back what it replaced. */
bool st_transaction_commit(transaction *t)
{
    for (size_t i = 0; i < t->count; i++) {
        draft *d = &t->drafts[i];
        if (!d->there && failed_for_good(t, d, st_output_commit(&d->output, i + 1 < t->count))) {
            st_transaction_undo(t);
            return false;
        }
    }
    for (size_t i = 0; i < t->count; i++)
        if (t->drafts[i].open)
            st_output_settle(&t->drafts[i].output);
    return true;
}
