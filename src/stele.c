/* The public API: joins the core and the registry. The way of a file: source -> probe -> trial walks -> raw -> check. */
#include "stele.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/file.h"
#include "core/scan.h"
#include "core/walk.h"
#include "formats/format.h"

struct stele_file {
    arena arena;
    diags diags;
    source source;
    companions companions;
    stele_check_level level;
    const char *name; /* for its extension, or NULL */
    const char *target;
    stele_parallel parallel;
    void *parallel_user;
    const stele_format *format;
    raw_file *raw;
    span trailing; /* bytes after the content */
    bool complete; /* the structure was read to its end */
    stele_status status;
    const char *message;
    stele_info *info;
};

const char *stele_version(void)
{
    return STELE_VERSION;
}

/* ---- Failing ---- */

static void fail(stele_file *file, stele_status status, const char *message)
{
    file->status = status;
    file->message = message;
}

static const char *one_line(stele_file *file, const stele_diagnostic *d)
{
    if (d->offset == STELE_NOWHERE)
        return st_arena_format(&file->arena, "%s%s%s [%s]", d->path, *d->path ? ": " : "", d->text, d->id);
    return st_arena_format(&file->arena, "0x%llx: %s%s%s [%s]", (unsigned long long)d->offset, d->path, *d->path ? ": " : "",
                           d->text, d->id);
}

static void fail_with(stele_file *file, stele_status status, diag_code code, uint64_t offset, const char *path,
                      const char *text)
{
    st_diag(&file->diags, code, (diag_place){offset, 1, path}, "%s", text);
    fail(file, status, text);
}

/* After checking: errors decide the status, and no memory beats everything. */
static void conclude(stele_file *file)
{
    const stele_diagnostic *worst = st_diags_worst(&file->diags, STELE_ERROR);
    if (file->status == STELE_OK && worst)
        fail(file, STELE_DAMAGED, one_line(file, worst));
    if (file->arena.failed)
        fail(file, STELE_NO_MEMORY, "there is not enough memory within the limit");
}

/* ---- Which format and dialect ---- */

typedef enum fit {
    FIT_NONE,
    FIT_NONSENSE,       /* it does not end with the file, and what was read makes no sense */
    FIT_FAILED,         /* it fails in the middle, but makes sense until there */
    FIT_TRAILING_BYTES, /* something follows */
    FIT_CUT_OFF,        /* the file is cut off: this explains all of it, and so more than a shorter reading does */
    FIT_BY_CHANCE,      /* it ends with the file, but contradicts itself */
    FIT_EXACT,          /* it ends with the file */
    FIT_PERFECT         /* and makes sense */
} fit;

typedef struct attempt {
    const stele_format *format;
    raw_file *raw;
    fit fit;
    uint64_t end;
    bool failed;
    walk_failure failure;
} attempt;

/* What a magic promises and the end of the file confirms needs no look at the bulk data: the checks read it anyway. */
static fit how_well(const attempt *t, const stele_format *format, uint64_t size, bool promised)
{
    bool exact = !t->failed && t->end == size;
    sense sense = exact && promised ? SENSE_GOOD : format->sense(t->raw);
    if (exact)
        return sense == SENSE_GOOD ? FIT_PERFECT : sense == SENSE_ODD ? FIT_EXACT : FIT_BY_CHANCE;
    if (sense != SENSE_GOOD)
        return FIT_NONSENSE;
    if (!t->failed)
        return FIT_TRAILING_BYTES;
    return t->failure.code == DIAG_TRUNCATED ? FIT_CUT_OFF : FIT_FAILED;
}

static attempt try_candidate(stele_file *file, const stele_format *format, raw_file candidate, bool promised, walk *w)
{
    attempt t = {.format = format, .raw = st_arena_alloc(&file->arena, format->raw_size)};
    if (!t.raw)
        return t;
    *t.raw = candidate;
    st_walk_read(w, &file->arena, file->source.data, file->source.size);
    format->walk(w, t.raw);
    t.end = w->at;
    t.failed = w->failed;
    t.failure = w->failure;
    t.fit = how_well(&t, format, file->source.size, promised);
    return t;
}

static void try_format(stele_file *file, const stele_format *format, const probe *p, walk *w, attempt *best)
{
    for (size_t i = 0; i < p->candidate_count && best->fit < FIT_PERFECT; i++) {
        arena_mark mark = st_arena_mark(&file->arena);
        attempt t = try_candidate(file, format, p->candidates[i], p->trust == TRUST_CERTAIN && i == 0, w);
        /* where a magic names the version, the first candidate is it, and the others are known deviations: while the first
         * makes sense they must end with the file, or damage would be taken for a deviation */
        bool deviation = p->trust == TRUST_CERTAIN && i > 0 && best->fit > FIT_NONSENSE;
        if (t.raw && t.fit > best->fit && (t.fit >= FIT_EXACT || !deviation))
            *best = t;
        else
            st_arena_rewind(&file->arena, mark);
    }
}

static void probe_format(const stele_file *file, const stele_format *format, probe *p)
{
    *p = (probe){.trust = TRUST_NONE};
    format->probe(file->source.data, file->source.size, p);
}

/* The format that is certain, if there is one. */
static bool detect_certain(stele_file *file, const stele_format *forced, walk *w, attempt *best)
{
    probe p;
    for (size_t i = 0; st_formats[i]; i++) {
        probe_format(file, st_formats[i], &p);
        if (p.trust != TRUST_CERTAIN || (forced && forced != st_formats[i]))
            continue;
        if (p.candidate_count)
            try_format(file, st_formats[i], &p, w, best);
        else
            fail_with(file, STELE_UNSUPPORTED, p.problem, 0, "", p.text);
        best->format = st_formats[i];
        return true;
    }
    return false;
}

/* Without a magic, the format that fits best. The one that the name promises is believed even if it is damaged, the others only
 * if they end with the file and fit better. */
static void detect(stele_file *file, const stele_format *forced, walk *w, attempt *best)
{
    const stele_format *promised = forced ? forced : st_format_of_extension(file->name);
    probe p;
    if (detect_certain(file, forced, w, best))
        return;
    if (promised) {
        probe_format(file, promised, &p);
        if (p.trust == TRUST_PLAUSIBLE)
            try_format(file, promised, &p, w, best);
    }
    for (size_t i = 0; !forced && st_formats[i] && best->fit < FIT_PERFECT; i++) {
        attempt other = {.fit = best->fit > FIT_BY_CHANCE ? best->fit : FIT_BY_CHANCE};
        probe_format(file, st_formats[i], &p);
        if (st_formats[i] == promised || p.trust != TRUST_PLAUSIBLE)
            continue;
        try_format(file, st_formats[i], &p, w, &other);
        if (other.raw)
            *best = other;
    }
}

static void explain_unknown(stele_file *file, const stele_format *promised)
{
    const source *s = &file->source;
    const char *stranger = st_stranger(s->data, s->size);
    if (!s->size)
        fail_with(file, STELE_UNSUPPORTED, DIAG_UNKNOWN_FORMAT, 0, "", "the file is empty");
    else if (stranger)
        fail_with(file, STELE_UNSUPPORTED, DIAG_NOT_A_MODEL, 0, "", stranger);
    else if (promised)
        fail_with(file, STELE_UNSUPPORTED, DIAG_BAD_MAGIC, 0, "",
                  st_arena_format(&file->arena, "is called %s, but starts with the byte 0x%02x, as no such file does",
                                  promised->info.extensions, s->data[0]));
    else
        fail_with(file, STELE_UNSUPPORTED, DIAG_UNKNOWN_FORMAT, 0, "", "is not of a format that Stele knows");
}

/* ---- Line endings: binary files that went through a text conversion ---- */

typedef struct line_ends {
    uint64_t bare, pairs; /* LF alone, and after a CR */
} line_ends;

static line_ends count_line_ends(const source *s)
{
    line_ends ends = {0, 0};
    const uint8_t *p = s->data, *end = s->data + s->size;
    while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
        if (p > s->data && p[-1] == '\r')
            ends.pairs++;
        else
            ends.bare++;
        p++;
    }
    return ends;
}

static uint8_t *without_carriage_returns(stele_file *file, uint64_t *size)
{
    const source *s = &file->source;
    uint8_t *copy = st_arena_bytes(&file->arena, s->size);
    *size = 0;
    for (uint64_t i = 0; copy && i < s->size; i++)
        if (s->data[i] != '\r' || i + 1 == s->size || s->data[i + 1] != '\n')
            copy[(*size)++] = s->data[i];
    return copy;
}

/* Would the file be whole if every CR LF were an LF again? */
static bool whole_without_carriage_returns(stele_file *file, const attempt *best, walk *w)
{
    arena_mark mark = st_arena_mark(&file->arena);
    bool limited = file->arena.failed, whole = false;
    source original = file->source;
    uint64_t size;
    uint8_t *copy = without_carriage_returns(file, &size);
    if (copy) {
        probe p;
        attempt repaired = {0};
        file->source.data = copy;
        file->source.size = size;
        probe_format(file, best->format, &p);
        try_format(file, best->format, &p, w, &repaired);
        whole = repaired.fit == FIT_PERFECT;
    }
    file->source = original;
    st_arena_rewind(&file->arena, mark);
    file->arena.failed = limited;
    return whole;
}

static bool converted(stele_file *file, const attempt *best, walk *w)
{
    line_ends ends = count_line_ends(&file->source);
    const char *text = NULL;
    if (ends.pairs && !ends.bare && whole_without_carriage_returns(file, best, w))
        text = "every LF in this binary file became CR LF, as git autocrlf or an FTP text transfer do: get it again as binary";
    else if (!ends.pairs && ends.bare && best->fit == FIT_NONSENSE)
        text = "this binary file probably lost the CR of every CR LF, as git autocrlf does on commit: get it again as binary";
    if (text)
        fail_with(file, STELE_DAMAGED, DIAG_LINE_ENDINGS, 0, "", text);
    return text != NULL;
}

/* ---- Opening ---- */

static void check_content(stele_file *file, checker *c)
{
    if (file->trailing.count)
        st_diag(&file->diags, DIAG_TRAILING_BYTES, (diag_place){file->source.size - file->trailing.count, 1, ""},
                "%llu bytes follow the end of the content", (unsigned long long)file->trailing.count);
    if (file->level != STELE_CHECK_STRUCTURE)
        file->format->check(c, file->raw);
}

static checker make_checker(stele_file *file)
{
    return (checker){.arena = &file->arena,
                     .diags = &file->diags,
                     .data = file->source.data,
                     .size = file->source.size,
                     .full = file->level == STELE_CHECK_FULL,
                     .target = file->target,
                     .companions = &file->companions,
                     .parallel = file->parallel,
                     .parallel_user = file->parallel_user};
}

static void accept(stele_file *file, const attempt *best)
{
    checker c;
    file->raw = best->raw;
    if (best->failed) {
        const walk_failure *f = &best->failure;
        stele_diagnostic d = {
            .id = stele_diagnostic_kinds(NULL)[f->code].id, .offset = f->offset, .path = f->path, .text = f->text};
        st_diag(&file->diags, f->code, (diag_place){f->offset, 1, f->path}, "%s", f->text);
        if (file->status == STELE_OK)
            fail(file, STELE_DAMAGED, one_line(file, &d));
        return;
    }
    file->complete = true;
    file->trailing = (span){file->source.data + best->end, file->source.size - best->end, 1};
    c = make_checker(file);
    check_content(file, &c);
}

static bool known_target(const stele_file *file)
{
    const char *const *targets = file->format->targets;
    if (!file->target)
        return true;
    for (; targets && *targets; targets++)
        if (strcmp(*targets, file->target) == 0)
            return true;
    return false;
}

static void parse(stele_file *file, const stele_options *options)
{
    const stele_format *forced = options->format ? st_format_named(options->format) : NULL;
    attempt best = {0};
    if (options->format && !forced) {
        fail(file, STELE_USAGE, st_arena_format(&file->arena, "there is no format called %s", options->format));
        return;
    }
    /* on the heap, not the stack: a walk is larger than a small thread likes */
    walk *w = st_arena_bytes(&file->arena, sizeof *w);
    if (w)
        detect(file, forced, w, &best);
    file->format = best.format;
    if (file->status != STELE_OK || !w)
        return;
    if (!best.raw) {
        file->format = NULL;
        explain_unknown(file, forced ? forced : st_format_of_extension(file->name));
    } else if (!known_target(file)) {
        fail(file, STELE_USAGE,
             st_arena_format(&file->arena, "%s has no target called %s", best.format->info.name, file->target));
    } else {
        /* what was converted is not content, even if it can be read to some end */
        if (best.fit >= FIT_EXACT || !converted(file, &best, w) || best.failed)
            accept(file, &best);
        else
            file->raw = best.raw;
    }
}

static stele_file *new_file(const stele_options *options, const char *path)
{
    arena a;
    const char *unknown = NULL;
    st_arena_init(&a, options);
    stele_file *file = st_arena_alloc(&a, sizeof *file);
    if (!file)
        return NULL;
    file->arena = a;
    file->source.fd = -1;
    file->level = options->check;
    file->parallel = options->parallel;
    file->parallel_user = options->parallel_user;
    file->message = "ok";
    if (options->target)
        file->target = st_arena_text(&file->arena, options->target, strlen(options->target));
    const char *name = options->name ? options->name : path;
    if (name)
        file->name = st_arena_text(&file->arena, name, strlen(name));
    if (!st_diags_init(&file->diags, &file->arena, options->rules, options->rule_count, &unknown))
        fail(file, STELE_USAGE, st_arena_format(&file->arena, "there is no diagnostic called %s", unknown));
    st_companions_init(&file->companions, &file->arena, path, options);
    return file;
}

static stele_file *open_source(stele_file *file, int error, const stele_options *options)
{
    if (file->arena.failed)
        conclude(file);
    else if (error)
        fail_with(file, STELE_IO, DIAG_NOT_READABLE, STELE_NOWHERE, "", st_error_text(error, &file->arena));
    else if (file->status == STELE_OK) {
        parse(file, options);
        conclude(file);
    }
    return file;
}

static const stele_options defaults;

stele_file *stele_open(const char *path, const stele_options *options)
{
    options = options ? options : &defaults;
    stele_file *file = new_file(options, path);
    if (!file)
        return NULL;
    int error = st_source_open(&file->source, path, options->read_file, &file->arena);
    return open_source(file, error, options);
}

stele_file *stele_open_memory(const void *data, size_t size, const stele_options *options)
{
    options = options ? options : &defaults;
    stele_file *file = new_file(options, NULL);
    if (!file)
        return NULL;
    st_source_memory(&file->source, data, size);
    return open_source(file, 0, options);
}

stele_file *stele_open_callback(stele_read read, void *user, const stele_options *options)
{
    options = options ? options : &defaults;
    stele_file *file = new_file(options, NULL);
    if (!file)
        return NULL;
    int error = st_source_read(&file->source, read, user, &file->arena);
    return open_source(file, error, options);
}

void stele_close(stele_file *file)
{
    if (!file)
        return;
    st_companions_free(&file->companions);
    st_source_close(&file->source);
    /* the handle lies in its own arena */
    arena a = file->arena;
    st_arena_free(&a);
}

/* ---- Asking ---- */

stele_status stele_file_status(const stele_file *file)
{
    return file ? file->status : STELE_NO_MEMORY;
}

const char *stele_file_message(const stele_file *file)
{
    return file ? file->message : "there is not enough memory";
}

const char *stele_file_format(const stele_file *file)
{
    return file && file->format ? file->format->info.name : NULL;
}

const char *stele_file_dialect(const stele_file *file)
{
    return file && file->raw ? file->format->info.dialects[file->raw->dialect].name : NULL;
}

const void *stele_file_bytes(const stele_file *file, uint64_t *size)
{
    *size = file ? file->source.size : 0;
    return file ? file->source.data : NULL;
}

const stele_diagnostic *stele_file_diagnostics(const stele_file *file, size_t *count)
{
    *count = file ? file->diags.count : 0;
    return file ? file->diags.items : NULL;
}

bool stele_file_changed(const stele_file *file)
{
    return file && st_source_changed(&file->source);
}

uint64_t stele_file_memory(const stele_file *file)
{
    return file ? file->arena.used : 0;
}

const stele_info *stele_file_info(stele_file *file)
{
    if (!file || !file->complete || file->arena.failed)
        return NULL;
    if (!file->info) {
        stele_info *info = st_arena_alloc(&file->arena, sizeof *info);
        if (info)
            file->format->describe(file->raw, &file->arena, &file->companions, info);
        if (file->arena.failed)
            fail(file, STELE_NO_MEMORY, "there is not enough memory within the limit");
        else
            file->info = info;
    }
    return file->info;
}

/* ---- Explaining ---- */

static void explain_rest(stele_file *file, walk *w, stele_each_field each, void *user)
{
    uint64_t size = file->source.size - w->at;
    if (size && !w->stopped)
        each(user,
             &(stele_field){.offset = w->at, .size = size, .path = "", .data = file->source.data + w->at, .type = STELE_BYTES});
}

stele_status stele_file_explain(stele_file *file, stele_each_field each, void *user)
{
    if (!file)
        return STELE_NO_MEMORY;
    if (!file->format || !file->raw)
        return file->status == STELE_OK ? STELE_UNSUPPORTED : file->status;
    arena_mark mark = st_arena_mark(&file->arena);
    walk *w = st_arena_bytes(&file->arena, sizeof *w);
    raw_file *raw = st_arena_alloc(&file->arena, file->format->raw_size);
    stele_status status = w && raw ? file->status : STELE_NO_MEMORY;
    if (w && raw) {
        *raw = *file->raw;
        st_walk_explain(w, &file->arena, file->source.data, file->source.size, each, user);
        file->format->walk(w, raw);
        explain_rest(file, w, each, user);
        if (w->stopped)
            status = STELE_CANCELLED;
    }
    st_arena_rewind(&file->arena, mark);
    return status;
}

/* ---- Writing ---- */

static int dialect_named(const stele_format *format, const char *name)
{
    for (size_t i = 0; i < format->info.dialect_count; i++)
        if (strcmp(format->info.dialects[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* The raw struct to write: the file's own, or an adapted copy. NULL if it cannot be had; the status says why. */
static raw_file *raw_to_save(stele_file *file, const stele_save_options *options)
{
    size_t before = file->diags.count;
    int dialect = options->dialect ? dialect_named(file->format, options->dialect) : (int)file->raw->dialect;
    if (dialect < 0) {
        fail(file, STELE_USAGE,
             st_arena_format(&file->arena, "%s has no dialect called %s", file->format->info.name, options->dialect));
        return NULL;
    }
    /* a dialect that was asked for is written as we recommend it, whatever the file's reading */
    if (!options->dialect || ((unsigned)dialect == file->raw->dialect && !file->raw->reading))
        return file->raw;
    raw_file *raw = st_arena_alloc(&file->arena, file->format->raw_size);
    if (!raw)
        return NULL;
    memcpy(raw, file->raw, file->format->raw_size);
    checker c = make_checker(file);
    if (file->trailing.count)
        st_diag(&file->diags, DIAG_LOSS_TRAILING, (diag_place){file->source.size - file->trailing.count, 1, ""},
                "%llu bytes after the content are dropped", (unsigned long long)file->trailing.count);
    bool fits = file->format->adapt(raw, (unsigned)dialect, &c);
    for (size_t i = before; i < file->diags.count; i++)
        if (file->diags.items[i].severity == STELE_LOSS && options->strict) {
            fail(file, STELE_LOSSY, one_line(file, &file->diags.items[i]));
            return NULL;
        }
    if (!fits && !file->arena.failed)
        fail(file, STELE_DAMAGED, one_line(file, &file->diags.items[file->diags.count - 1]));
    return fits && !file->arena.failed ? raw : NULL;
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

static stele_status write_raw(stele_file *file, raw_file *raw, progress_sink *progress)
{
    walk *w = st_arena_bytes(&file->arena, sizeof *w);
    if (!w)
        return STELE_NO_MEMORY;
    st_walk_write(w, &file->arena, write_with_progress, progress);
    file->format->walk(w, raw);
    if (raw == file->raw)
        st_walk_gap(w, &file->trailing, file->trailing.count);
    if (st_walk_finish(w))
        return STELE_OK;
    if (w->failed) {
        fail_with(file, STELE_DAMAGED, w->failure.code, w->failure.offset, w->failure.path, w->failure.text);
        return STELE_DAMAGED;
    }
    return progress->cancelled ? STELE_CANCELLED : STELE_IO;
}

/* Common to both ways of writing: raw, or NULL with the status set. */
static raw_file *begin_save(stele_file *file, const stele_save_options *options)
{
    if (!file->complete) {
        if (file->status == STELE_OK)
            fail(file, STELE_UNSUPPORTED, "the file was not read, so that it cannot be written");
        return NULL;
    }
    fail(file, STELE_OK, "ok");
    raw_file *raw = raw_to_save(file, options);
    if (!raw && file->status == STELE_OK)
        fail(file, STELE_NO_MEMORY, "there is not enough memory within the limit");
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
        fail(file, status, status == STELE_IO ? "the bytes could not be written" : "writing was cancelled");
    return file->status;
}

static void fail_output(stele_file *file, int error, const char *path)
{
    if (error == EEXIST)
        fail(file, STELE_IO, st_arena_format(&file->arena, "%s exists already", path));
    else
        fail(file, STELE_IO, st_arena_format(&file->arena, "%s: %s", path, st_error_text(error, &file->arena)));
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
        fail(file, STELE_IO, "the file changed while it was read");
    } else if (status == STELE_OK && st_output_commit(&o)) {
        fail_output(file, o.error, path);
    } else if (status != STELE_OK) {
        st_output_abandon(&o);
        if (o.error)
            fail_output(file, o.error, path);
        else if (file->status == STELE_OK)
            fail(file, status, status == STELE_CANCELLED ? "writing was cancelled" : "there is not enough memory");
    }
    return file->status;
}
