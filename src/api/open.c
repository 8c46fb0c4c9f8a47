/* The public API: joins the core and the registry. The way of a file: source -> probe -> trial walks -> raw -> parse -> check.
 */
#include "stele.h"

#include <string.h>

#include "handle.h"

const char *stele_version(void)
{
    return STELE_VERSION;
}

/* ---- Failing ---- */

void st_file_fail(stele_file *file, stele_status status, const char *message)
{
    file->status = status;
    file->message = message;
}

const char *st_file_line(stele_file *file, const stele_diagnostic *d)
{
    if (d->offset == STELE_NOWHERE)
        return st_arena_format(&file->arena, "%s%s%s [%s]", d->path, *d->path ? ": " : "", d->text, d->id);
    return st_arena_format(&file->arena, "0x%llx: %s%s%s [%s]", (unsigned long long)d->offset, d->path, *d->path ? ": " : "",
                           d->text, d->id);
}

void st_file_fail_with(stele_file *file, stele_status status, diag_code code, uint64_t offset, const char *path,
                       const char *text)
{
    stele_diagnostic d = {.id = stele_diagnostic_kinds(NULL)[code].id, .offset = offset, .path = path, .text = text};
    st_diag(&file->diags, code, (diag_place){offset, 1, path}, "%s", text);
    st_file_fail(file, status, *path ? st_file_line(file, &d) : text);
}

/* Not damaged, but beyond what Stele reads. */
static bool is_unsupported(const stele_diagnostic *d)
{
    const stele_diagnostic_kind *kinds = stele_diagnostic_kinds(NULL);
    return d->id == kinds[DIAG_BAD_VERSION].id || d->id == kinds[DIAG_EXTENSION_UNSUPPORTED].id;
}

/* After checking: errors decide the status, and no memory beats everything. */
static void conclude(stele_file *file)
{
    const stele_diagnostic *worst = st_diags_worst(&file->diags, STELE_ERROR);
    if (file->status == STELE_OK && worst)
        st_file_fail(file, is_unsupported(worst) ? STELE_UNSUPPORTED : STELE_DAMAGED, st_file_line(file, worst));
    if (file->arena.failed)
        st_file_fail(file, STELE_NO_MEMORY, "there is not enough memory within the limit");
}

context st_file_context(stele_file *file)
{
    return (context){.arena = &file->arena,
                     .diags = &file->diags,
                     .data = file->content.data,
                     .size = file->content.count,
                     .full = file->level == STELE_CHECK_FULL,
                     .target = file->target,
                     .companions = &file->companions,
                     .threads = file->threads,
                     .fits = true};
}

/* ---- Opening ---- */

bool st_file_parse(stele_file *file, context *c)
{
    if (file->format->parse && !file->parsed)
        file->format->parse(c, file->raw);
    file->parsed = true;
    return !file->arena.failed;
}

static void check_content(stele_file *file, context *c)
{
    if (file->trailing.count)
        st_diag(&file->diags, DIAG_TRAILING_BYTES, (diag_place){file->content.count - file->trailing.count, 1, ""},
                "%llu byte%s after the end of the content", (unsigned long long)file->trailing.count,
                file->trailing.count == 1 ? "" : "s");
    if (file->level != STELE_CHECK_STRUCTURE && st_file_parse(file, c))
        file->format->check(c, file->raw);
}

static void explain_unknown(stele_file *file, const format *promised)
{
    const source *s = &file->source;
    const char *stranger = st_stranger(s->data, s->size);
    if (!s->size)
        st_file_fail_with(file, STELE_UNSUPPORTED, DIAG_UNKNOWN_FORMAT, 0, "", "the file is empty");
    else if (stranger)
        st_file_fail_with(file, STELE_UNSUPPORTED, DIAG_NOT_A_MODEL, 0, "", stranger);
    else if (promised)
        st_file_fail_with(file, STELE_UNSUPPORTED, DIAG_BAD_MAGIC, 0, "",
                          st_arena_format(&file->arena, "starts with %02x %02x %02x %02x and is no %s, whatever its name",
                                          s->data[0], s->size > 1 ? s->data[1] : 0, s->size > 2 ? s->data[2] : 0,
                                          s->size > 3 ? s->data[3] : 0, promised->info.name));
    else
        st_file_fail_with(file, STELE_UNSUPPORTED, DIAG_UNKNOWN_FORMAT, 0, "", "is not of a format that Stele knows");
}

static void accept(stele_file *file, const attempt *best)
{
    context c;
    file->raw = best->raw;
    file->diags.unpacked = file->packed;
    if (best->failed) {
        const walk_failure *f = &best->failure;
        stele_diagnostic d = {
            .id = stele_diagnostic_kinds(NULL)[f->code].id, .offset = f->offset, .path = f->path, .text = f->text};
        st_diag(&file->diags, f->code, (diag_place){f->offset, 1, f->path}, "%s", f->text);
        st_file_suspect_line_ends(file, best);
        if (file->status == STELE_OK)
            st_file_fail(file, STELE_DAMAGED, st_file_line(file, &d));
        return;
    }
    file->complete = true;
    file->trailing = (span){file->content.data + best->end, file->content.count - best->end, 1};
    c = st_file_context(file);
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
    const format *forced = options->format ? st_format_named(options->format) : NULL;
    attempt best = {0};
    if (options->format && !forced) {
        st_file_fail(file, STELE_USAGE, st_arena_format(&file->arena, "there is no format called %s", options->format));
        return;
    }
    /* on the heap, not the stack: a walk is larger than a small thread likes */
    walk *w = st_arena_bytes(&file->arena, sizeof *w);
    if (w)
        st_file_detect(file, forced, w, &best);
    file->format = best.format;
    if (file->status != STELE_OK || !w)
        return;
    /* without a magic, what makes no sense and does not even fail is something else under a model's name */
    bool stranger = best.fit == FIT_NONSENSE && !best.failed && !best.certain && !forced;
    if (!best.raw || stranger) {
        file->format = NULL;
        explain_unknown(file, forced ? forced : st_format_of_extension(file->name));
    } else if (!known_target(file)) {
        st_file_fail(file, STELE_USAGE,
                     st_arena_format(&file->arena, "%s has no target called %s", best.format->info.name, file->target));
    } else {
        /* what was converted is not content, even if it can be read to some end */
        if (best.fit >= FIT_EXACT || !st_file_converted(file, &best, w) || best.failed)
            accept(file, &best);
        else
            file->raw = best.raw;
    }
}

/* The model may be asked for long after the caller's choices are gone. */
static void copy_load_options(stele_file *file, const stele_load_options *load)
{
    stele_choice *choices = st_arena_array(&file->arena, load->choice_count, sizeof *choices);
    file->load = *load;
    file->load.choices = choices;
    for (size_t i = 0; choices && i < load->choice_count; i++) {
        choices[i].name = st_arena_text(&file->arena, load->choices[i].name, strlen(load->choices[i].name));
        choices[i].value = st_arena_text(&file->arena, load->choices[i].value, strlen(load->choices[i].value));
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
    file->level = options->check;
    file->threads = (threads){options->parallel, options->parallel_user};
    file->message = "ok";
    copy_load_options(file, &options->load);
    if (options->target)
        file->target = st_arena_text(&file->arena, options->target, strlen(options->target));
    const char *name = options->name ? options->name : path;
    if (name)
        file->name = st_arena_text(&file->arena, name, strlen(name));
    if (!st_diags_init(&file->diags, &file->arena, options->rules, options->rule_count, &unknown))
        st_file_fail(file, STELE_USAGE, st_arena_format(&file->arena, "there is no diagnostic called %s", unknown));
    st_companions_init(&file->companions, &file->arena, path, options);
    return file;
}

static stele_file *open_source(stele_file *file, int error, const stele_options *options)
{
    if (file->arena.failed)
        conclude(file);
    else if (error)
        st_file_fail_with(file, STELE_IO, DIAG_NOT_READABLE, STELE_NOWHERE, "", st_error_text(error, &file->arena));
    else if (file->status == STELE_OK) {
        parse(file, options);
        conclude(file);
        file->sound = file->status == STELE_OK && !file->diags.errors;
        file->diags_of_opening = file->diags.count;
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
    return file && (st_source_changed(&file->source) || st_companions_changed(&file->companions));
}

uint64_t stele_file_memory(const stele_file *file)
{
    return file ? file->arena.used : 0;
}

/* What a format does not say of its raw struct, its model says. */
static bool describe(stele_file *file, stele_info *info)
{
    if (file->format && file->format->describe && !file->touched) {
        context c = st_file_context(file);
        file->format->describe(&c, file->raw, info);
        return true;
    }
    const stele_model *model = st_file_finished_model(file);
    if (model)
        st_describe_model(model, &file->arena, info);
    return model;
}

const stele_info *stele_file_info(stele_file *file)
{
    if (!file || !(file->complete || file->model) || file->arena.failed)
        return NULL;
    if (!file->info) {
        stele_info *info = st_arena_alloc(&file->arena, sizeof *info);
        if (info && !describe(file, info))
            return NULL;
        if (file->arena.failed)
            st_file_fail(file, STELE_NO_MEMORY, "there is not enough memory within the limit");
        else
            file->info = info;
    }
    return file->info;
}

/* ---- Explaining ---- */

typedef struct explanation {
    stele_each_field each;
    void *user;
} explanation;

static bool each_unpacked(void *user, const stele_field *field)
{
    explanation *e = user;
    stele_field copy = *field;
    copy.unpacked = true;
    return e->each(e->user, &copy);
}

/* Bytes that the walk did not reach are a gap. */
static bool explain_rest(walk *w)
{
    uint64_t size = w->size - w->at;
    stele_field rest = {.offset = w->at, .size = size, .path = "", .data = w->data + w->at, .type = STELE_BYTES};
    if (size && !w->stopped)
        w->stopped = !w->each(w->user, &rest);
    return !w->stopped;
}

static bool explain_container(stele_file *file, walk *w, stele_each_field each, void *user)
{
    container again = {0};
    st_walk_explain(w, &file->arena, file->source.data, file->source.size, each, user);
    file->format->walk_container(w, &again);
    return explain_rest(w);
}

static bool explain_content(stele_file *file, walk *w, raw_file *raw, stele_each_field each, void *user)
{
    explanation e = {each, user};
    *raw = *file->raw;
    st_walk_explain(w, &file->arena, file->content.data, file->content.count, file->packed ? each_unpacked : each,
                    file->packed ? &e : user);
    file->format->walk(w, raw);
    return explain_rest(w);
}

stele_status stele_file_explain(stele_file *file, stele_each_field each, void *user)
{
    if (!file)
        return STELE_NO_MEMORY;
    if (!file->format || (!file->raw && !file->packed)) {
        walk nothing_known;
        st_walk_explain(&nothing_known, &file->arena, file->source.data, file->source.size, each, user);
        return explain_rest(&nothing_known) ? file->status : STELE_CANCELLED;
    }
    arena_mark mark = st_arena_mark(&file->arena);
    walk *w = st_arena_bytes(&file->arena, sizeof *w);
    raw_file *raw = st_arena_alloc(&file->arena, file->format->raw_size);
    stele_status status = w && raw ? file->status : STELE_NO_MEMORY;
    bool going = w && raw && (!file->packed || explain_container(file, w, each, user));
    if (going && file->raw)
        going = explain_content(file, w, raw, each, user);
    if (w && raw && !going)
        status = STELE_CANCELLED;
    st_arena_rewind(&file->arena, mark);
    return status;
}
