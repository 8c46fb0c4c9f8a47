/* Opening: source -> probe -> trial walks -> raw -> parse -> check. */
#include <string.h>

#include "base/image_kind.h"
#include "detect.h"
#include "file/spot.h"
#include "options.h"

/* Not damaged, but beyond what Stele reads. */
static bool is_unsupported(const stele_diagnostic *d)
{
    const stele_diagnostic_kind *kinds = stele_diagnostic_kinds(NULL);
    return d->id == kinds[DIAG_BAD_VERSION].id || d->id == kinds[DIAG_EXTENSION_UNSUPPORTED].id;
}

void st_fail_by(stele_file *file, const stele_diagnostic *worst)
{
    st_fail(file, is_unsupported(worst) ? STELE_UNSUPPORTED : STELE_DAMAGED, st_line_of(file, worst));
}

/* After checking: errors decide the status, and no memory beats everything. */
static void conclude(stele_file *file)
{
    const stele_diagnostic *worst = st_diags_worst(&file->diags, STELE_ERROR);
    if (file->outcome.status == STELE_OK && worst)
        st_fail_by(file, worst);
    if (file->arena.failed)
        file->outcome = st_outcome_refused(&file->arena);
}

bool st_parse(stele_file *file, context *c)
{
    uint64_t losses = file->diags.losses;
    if (file->format->parse && !file->parsed) {
        file->format->parse(c, file->raw);
        file->reading_losses += file->diags.losses - losses;
        file->diags_of_opening = file->diags.count; /* said once, and not forgotten by a save */
    }
    file->parsed = true;
    return !file->arena.failed;
}

static void check_content(stele_file *file, context *c)
{
    if (file->trailing.count)
        st_diag(&file->diags, DIAG_TRAILING_BYTES, at_offset(file->content.count - file->trailing.count, 1, ""),
                "%llu byte%s after the end of the content", (unsigned long long)file->trailing.count,
                file->trailing.count == 1 ? "" : "s");
    if (file->level != STELE_CHECK_STRUCTURE && st_parse(file, c))
        st_format_check(file->format, c, file->raw);
}

void st_check_fully(stele_file *file)
{
    if (file->level == STELE_CHECK_FULL)
        return;
    file->level = STELE_CHECK_FULL;
    context c = st_context_of(file);
    diags found = st_diags_alike(&file->diags);
    if (!st_parse(file, &c))
        return;
    c.diags = &found;
    st_format_check(file->format, &c, file->raw);
    st_diags_add_new(&file->diags, &found);
    file->diags_of_opening = file->diags.count;
    const stele_diagnostic *worst = st_diags_worst(&file->diags, STELE_ERROR);
    file->sound = !worst && !file->diags.errors;
    if (worst && file->opening.status == STELE_OK) {
        st_fail_by(file, worst);
        file->opening = file->outcome;
        file->outcome = outcome_good(); /* the call goes on */
    }
}

static const char *not_as(stele_file *file, const format *promised)
{
    const source *s = &file->source;
    return st_arena_format(&file->arena, "starts with %02x %02x %02x %02x and is no %s, whatever its name", s->data[0],
                           s->size > 1 ? s->data[1] : 0, s->size > 2 ? s->data[2] : 0, s->size > 3 ? s->data[3] : 0,
                           promised->info.name);
}

/* TGA begins with nothing that tells. */
static const char *image_named(stele_file *file)
{
    image_kind kind = st_image_kind(file->source.data, file->source.size);
    if (kind == IMAGE_UNKNOWN || kind == IMAGE_TGA)
        return NULL;
    const char *names = st_image_extensions(kind);
    return st_arena_format(&file->arena, "this is an image (%.*s), not a model", (int)strcspn(names, " "), names);
}

static void explain_unknown(stele_file *file, const format *promised)
{
    const source *s = &file->source;
    const char *stranger = st_stranger(s->data, s->size);
    if (!stranger)
        stranger = image_named(file);
    if (!s->size)
        st_fail_with(file, STELE_UNSUPPORTED, DIAG_UNKNOWN_FORMAT, 0, "", "the file is empty");
    else if (stranger)
        st_fail_with(file, STELE_UNSUPPORTED, DIAG_NOT_A_MODEL, 0, "", stranger);
    else if (promised)
        st_fail_with(file, STELE_UNSUPPORTED, DIAG_BAD_MAGIC, 0, "", not_as(file, promised));
    else
        st_fail_with(file, STELE_UNSUPPORTED, DIAG_UNKNOWN_FORMAT, 0, "", "is not of a format that Stele knows");
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
        st_diag(&file->diags, f->code, at_offset(f->offset, 1, f->path), "%s", f->text);
        st_suspect_line_ends(file, best);
        if (file->outcome.status == STELE_OK)
            st_fail(file, STELE_DAMAGED, st_line_of(file, &d));
        return;
    }
    file->complete = true;
    file->trailing = (span){file->content.data + best->end, file->content.count - best->end, 1};
    c = st_context_of(file);
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

static const char *no_such_target(stele_file *file, const format *format)
{
    const char *all = "";
    for (const char *const *target = format->targets; target && *target; target++)
        all = st_arena_format(&file->arena, "%s%s %s", all, *all ? "," : "; it has", *target);
    return st_arena_format(&file->arena, "%s has no target called %s%s", format->info.name, file->target, all);
}

static void recognise(stele_file *file, const format *forced)
{
    attempt best = {0};
    /* on the heap, not the stack: a walk is larger than a small thread likes */
    walk *w = st_arena_bytes(&file->arena, sizeof *w);
    if (w)
        st_detect(file, forced, w, &best);
    file->format = best.format;
    if (file->outcome.status != STELE_OK || !w)
        return;
    /* without a magic, what makes no sense and does not even fail is something else under a model's name */
    bool stranger = best.fit == FIT_NONSENSE && !best.failed && !best.certain && !forced;
    if (!best.raw || stranger) {
        file->format = NULL;
        explain_unknown(file, forced ? forced : st_format_of_extension(file->name));
        if (file->source.size && !forced)
            st_say_why_not(file, w);
    } else if (!known_target(file)) {
        st_fail(file, STELE_USAGE, no_such_target(file, best.format));
    } else {
        const format *promised = st_format_of_extension(file->name);
        if (file->forced)
            st_diag(&file->diags, DIAG_BAD_MAGIC, at_offset(0, 1, ""), "%s", not_as(file, forced));
        else if (promised && promised != best.format && !forced)
            st_diag(&file->diags, DIAG_NAME_MISLEADS, at_path("", 1), "this is %s under the name of a .%.*s",
                    best.format->info.name, (int)strcspn(promised->info.extensions, " "), promised->info.extensions);
        /* what was converted is not content, even if it can be read to some end */
        if (best.fit >= FIT_EXACT || !st_line_ends_converted(file, &best, w) || best.failed)
            accept(file, &best);
        else
            file->raw = best.raw;
    }
}

/* ---- Handles ---- */

static const char *copied(stele_file *file, const char *text)
{
    return text ? st_arena_text(&file->arena, text, strlen(text)) : NULL;
}

/* The model may be asked for long after the caller's choices are gone. */
static void copy_load_options(stele_file *file, const stele_load_options *load)
{
    stele_choice *choices = st_arena_array(&file->arena, load->choice_count, sizeof *choices);
    file->load = *load;
    file->load.choices = choices;
    for (size_t i = 0; choices && i < load->choice_count; i++)
        choices[i] = (stele_choice){copied(file, load->choices[i].name), copied(file, load->choices[i].value)};
}

static bool choices_are_sound(const stele_load_options *load)
{
    if (load->choice_count && !load->choices)
        return false;
    for (size_t i = 0; i < load->choice_count; i++)
        if (!load->choices[i].name || !load->choices[i].value)
            return false;
    return true;
}

static bool rules_are_sound(const stele_options *o)
{
    if (o->rule_count && !o->rules)
        return false;
    for (size_t i = 0; i < o->rule_count; i++)
        if (!o->rules[i].id || (unsigned)o->rules[i].severity > STELE_ERROR)
            return false;
    return true;
}

/* What is wrong with options whatever the file, or NULL. */
static const char *problem_of(const stele_options *o)
{
    if ((unsigned)o->check > STELE_CHECK_FULL)
        return "there is no such level of checking";
    if (!rules_are_sound(o))
        return "a rule has no id, or a severity that there is not";
    if (!choices_are_sound(&o->load))
        return "a choice has no name or no value";
    if (!st_rate_is_sound(o->load.fps))
        return NO_RATE;
    if (!o->allocator.allocate != !o->allocator.release)
        return "an allocator must be able to allocate and to release";
    return NULL;
}

static void take_options(stele_file *file, const stele_options *options, bool known, const char *path)
{
    const char *problem = known ? problem_of(options) : UNKNOWN_OPTIONS, *unknown = NULL;
    bool sound = !problem;
    file->level = options->check;
    file->threads = (threads){options->parallel, options->parallel_user};
    file->target = copied(file, options->target);
    file->name = copied(file, st_plain_path(&file->arena, options->name ? options->name : path));
    st_companions_init(&file->companions, &file->arena, path, options);
    if (sound)
        copy_load_options(file, &options->load);
    if (!st_diags_init(&file->diags, &file->arena, options->rules, sound ? options->rule_count : 0, &unknown))
        problem = st_arena_format(&file->arena, "there is no diagnostic called %s", unknown);
    else if (sound && options->format && !st_format_named(options->format))
        problem = st_arena_format(&file->arena, "there is no format called %s", options->format);
    if (problem)
        st_fail(file, STELE_USAGE, problem);
}

stele_file *st_new_handle(const stele_options *given, const char *path, stele_options *options)
{
    arena a;
    bool known = st_take_options(options, sizeof *options, given);
    stele_file *file = st_arena_begin(&a, options, sizeof *file);
    if (!file)
        return NULL;
    file->arena = a;
    file->facts.arena = &file->arena;
    st_arena_init(&file->origins.arena, options);
    file->outcome = outcome_good();
    take_options(file, options, known, path);
    return file;
}

/* False if there is no handle, or options and arguments make no sense: then nothing is opened. */
static bool may_open(stele_file *file, const char *problem)
{
    if (!file)
        return false;
    if (problem && file->outcome.status == STELE_OK)
        st_fail(file, STELE_USAGE, problem);
    if (file->outcome.status == STELE_OK)
        return true;
    st_end(file);
    file->opening = file->outcome;
    return false;
}

static stele_file *open_source(stele_file *file, int error, const stele_options *options)
{
    if (!file->arena.failed && error)
        st_fail_with(file, STELE_IO, DIAG_NOT_READABLE, STELE_NOWHERE, "", st_error_text(error, &file->arena));
    else if (!file->arena.failed)
        recognise(file, options->format ? st_format_named(options->format) : NULL);
    conclude(file);
    file->sound = file->outcome.status == STELE_OK && !file->diags.errors;
    file->diags_of_opening = file->diags.count;
    file->opening = file->outcome;
    file->work = file->arena.work;
    return file;
}

stele_file *stele_open(const char *path, const stele_options *options)
{
    stele_options own;
    stele_file *file = st_new_handle(options, path, &own);
    if (!may_open(file, path ? NULL : "no path is given"))
        return file;
    return open_source(file, st_source_open(&file->source, path, own.read_file, &file->arena), &own);
}

stele_file *stele_open_memory(const void *data, size_t size, const stele_options *options)
{
    stele_options own;
    stele_file *file = st_new_handle(options, NULL, &own);
    if (!may_open(file, size && !data ? "no bytes are given" : NULL))
        return file;
    st_source_memory(&file->source, data, size);
    st_arena_input(&file->arena, size);
    return open_source(file, 0, &own);
}

stele_file *stele_open_callback(stele_read read, void *user, const stele_options *options)
{
    stele_options own;
    stele_file *file = st_new_handle(options, NULL, &own);
    if (!may_open(file, read ? NULL : "no callback is given"))
        return file;
    return open_source(file, st_source_read(&file->source, read, user, &file->arena), &own);
}

void stele_close(stele_file *file)
{
    if (!file)
        return;
    st_companions_free(&file->companions);
    st_source_close(&file->source);
    st_arena_free(&file->origins.arena);
    /* the handle lies in its own arena */
    arena a = file->arena;
    st_arena_free(&a);
}
