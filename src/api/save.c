/* Writing: the file as it is, adapted to another dialect, or its model in another format; atomically, or to a callback. */
#include <string.h>

#include "file/transaction.h"
#include "handle.h"
#include "options.h"

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
    return file->diags.count > before ? st_line_of(file, &file->diags.items[file->diags.count - 1]) : otherwise;
}

/* The first loss of a strict save; what the rules silence is still one. */
static const char *first_loss(stele_file *file, size_t before)
{
    for (size_t i = before; i < file->diags.count; i++)
        if (file->diags.items[i].severity == STELE_LOSS)
            return st_line_of(file, &file->diags.items[i]);
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
    context c = st_context_of(file);
    if (file->trailing.count)
        st_diag(&file->diags, DIAG_LOSS_TRAILING, at_offset(file->content.count - file->trailing.count, 1, ""),
                "%llu bytes after the content are dropped", (unsigned long long)file->trailing.count);
    bool fits = st_format_adapt(file->format, &c, raw, dialect);
    if (file->arena.failed)
        return NULL;
    if (!fits)
        st_fail(file, STELE_DAMAGED, last_line(file, before, "the content does not fit"));
    else if (strict && file->diags.losses > losses)
        st_fail(file, STELE_LOSSY, first_loss(file, before));
    return file->outcome.status == STELE_OK ? raw : NULL;
}

/* What is to be written. */
typedef struct product {
    const format *format;
    raw_file *raw;         /* NULL if it cannot be had; the status says why */
    side_file *side_files; /* beside it */
} product;

static const char *no_such_dialect(stele_file *file, const format *format, const char *name)
{
    const char *all = "";
    for (size_t i = 0; i < format->info.dialect_count; i++)
        all = st_arena_format(&file->arena, "%s%s%s", all, i ? ", " : "", format->info.dialects[i].name);
    return st_arena_format(&file->arena, "%s has no dialect called %s; it has %s", format->info.name, name, all);
}

static int dialect_to_write(stele_file *file, const format *format, const stele_save_options *options, int usual)
{
    int dialect = options->dialect ? dialect_named(format, options->dialect) : usual;
    if (dialect < 0)
        st_fail(file, STELE_USAGE, no_such_dialect(file, format, options->dialect));
    return dialect;
}

/* In its own format the file is written as it is, or adapted to a dialect. */
static raw_file *own_raw(stele_file *file, const stele_save_options *options)
{
    if (file->forced) { /* its own first bytes would not come back */
        st_fail_as_opened(file);
        return NULL;
    }
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
    if (!fits)
        st_fail(file, STELE_DAMAGED, last_line(file, diags, "the content does not fit"));
    else if (strict && (file->reading_losses || file->diags.losses > losses))
        st_fail(file, STELE_LOSSY, first_loss(file, 0));
    if (file->outcome.status != STELE_OK)
        p->raw = NULL;
}

static saving saving_of(stele_file *file, const format *format, const char *path, const stele_save_options *options)
{
    return (saving){.capabilities = format->info.capabilities | (path ? format->info.beside : 0),
                    .color_sets = format->info.color_sets,
                    .format = format->info.name,
                    .fps = options->fps,
                    .textures = options->textures,
                    .name = path ? st_base_name(&file->arena, path) : NULL,
                    .source = st_base_name(&file->arena, file->name)};
}

static bool names_textures(const format *format)
{
    return (format->info.capabilities | format->info.beside) & STELE_TEXTURES;
}

/* What belongs to the file goes where it goes; so do the textures of the model, if it is given. */
static void bring_others(stele_file *file, product *p, const stele_model *model, const char *path,
                         const stele_save_options *options)
{
    context c = st_context_of(file);
    saving s = saving_of(file, p->format, path, options);
    c.save = &s;
    if (!p->raw || !path)
        return;
    if (p->format->bring && st_parse(file, &c))
        p->format->bring(&c, p->raw);
    for (size_t i = 0; model && i < model->texture_count; i++)
        if (!model->textures[i].data && model->textures[i].file)
            st_save_texture_copy(&c, &model->textures[i], model->textures[i].file);
    p->side_files = s.side_files;
}

/* Whether images that lie beside the file are to come into it: then it is no copy. */
static bool takes_images_in(stele_file *file, const format *format, const stele_save_options *options)
{
    bool can = options->textures == STELE_TEXTURES_EMBED && (format->info.capabilities & STELE_EMBEDDED_IMAGES);
    const stele_model *model = can ? st_finished_model(file) : NULL;
    for (size_t i = 0; model && i < model->texture_count; i++)
        if (!model->textures[i].data && model->textures[i].file)
            return true;
    return false;
}

/* Only to have its textures is the model of a copy of any interest. What cannot embed them has them beside it. */
static void make_copy(stele_file *file, product *p, const char *path, const stele_save_options *options)
{
    bool copied = options->textures == STELE_TEXTURES_COPY || options->textures == STELE_TEXTURES_EMBED;
    bool with_textures = path && copied && names_textures(p->format);
    const stele_model *model = with_textures ? st_finished_model(file) : NULL;
    if (with_textures && !model)
        return;
    p->raw = own_raw(file, options);
    bring_others(file, p, model, path, options);
}

/* What is wrong with a file is wrong with a copy: it is said, and only strict saving refuses it. */
static bool may_copy(stele_file *file, const stele_save_options *options)
{
    if (options->check)
        st_check_fully(file);
    if (options->check && options->strict && file->opening.status != STELE_OK)
        st_fail_as_opened(file);
    return st_end(file) == STELE_OK;
}

static void make_product(stele_file *file, product *p, const char *path, const stele_save_options *options)
{
    const format *format = p->format;
    const stele_model *model = st_finished_model(file);
    size_t diags = file->diags.count;
    uint64_t losses = file->diags.losses;
    if (!model)
        return;
    if (!format->save) {
        st_fail(file, STELE_UNSUPPORTED, st_arena_format(&file->arena, "%s cannot be written", format->info.name));
        return;
    }
    int dialect = dialect_to_write(file, format, options, remembered_dialect(file, format, model));
    p->raw = dialect < 0 ? NULL : st_arena_alloc(&file->arena, format->raw_size);
    if (!p->raw)
        return;
    p->raw->dialect = (unsigned)dialect;
    context c = st_context_of(file);
    saving s = saving_of(file, format, path, options);
    s.model = model;
    c.save = &s;
    c.into = capitals(&file->arena, format->info.name);
    if (!path && format->info.beside)
        c.into = st_arena_format(&file->arena, "%s without a file beside it", c.into);
    st_save_report(&c);
    bool fits = st_format_save(format, &c, p->raw) && c.fits;
    p->side_files = s.side_files;
    conclude_product(file, p, fits, options->strict, diags, losses);
}

/* The format to write: what the caller says, what the path says, or the file's own. */
static const format *format_to_write(stele_file *file, const char *path, const stele_save_options *options)
{
    const format *format = options->format ? st_format_named(options->format) : st_format_of_extension(path);
    if (options->format && !format)
        st_fail(file, STELE_USAGE, st_arena_format(&file->arena, "there is no format called %s", options->format));
    else if (!format && !file->format)
        st_fail(file, STELE_USAGE, "no format is said, neither by name nor by extension");
    return format || options->format ? format : file->format;
}

/* ---- Its bytes ---- */

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

/* A file of a product: the one that was asked for, or one beside it. */
typedef struct part {
    stele_file *file;
    const product *product;
    const side_file *side; /* NULL: the file itself */
} part;

static void walk_packed(const part *p, walk *w, stele_sink sink, void *user)
{
    arena *a = &p->file->arena;
    const product *product = p->product;
    memory m = {.arena = a};
    container packed = {0};
    st_walk_write(w, a, write_to_memory, &m);
    product->format->walk(w, product->raw);
    if (!st_walk_finish(w))
        return;
    bool fits = product->format->pack((span){m.data, m.size, 1}, a, &packed);
    st_walk_write(w, a, sink, user);
    if (fits)
        product->format->walk_container(w, &packed);
    else
        st_walk_fail(w, DIAG_DOES_NOT_FIT, 0, NULL, "is too large to be compressed");
}

static void walk_product(const part *p, walk *w, stele_sink sink, void *user)
{
    stele_file *file = p->file;
    const product *product = p->product;
    bool untouched = product->raw == file->raw;
    if (untouched && file->packed) {
        /* the same content could be compressed in many ways: what was read is written */
        st_walk_write(w, &file->arena, sink, user);
        file->format->walk_container(w, &file->container);
    } else if ((product->format->packed_dialects >> product->raw->dialect) & 1) {
        walk_packed(p, w, sink, user);
    } else {
        st_walk_write(w, &file->arena, sink, user);
        product->format->walk(w, product->raw);
        if (untouched)
            st_walk_gap(w, &file->trailing, file->trailing.count);
    }
}

/* An st_produce. */
static bool produce_part(void *context, stele_sink sink, void *user)
{
    const part *p = context;
    arena *a = &p->file->arena;
    walk *w = st_arena_bytes(a, sizeof *w);
    if (!w)
        return false;
    if (p->side) {
        st_walk_write(w, a, sink, user);
        p->side->walk(w, p->side->raw);
    } else {
        walk_product(p, w, sink, user);
    }
    if (st_walk_finish(w)) {
        p->file->output_bytes += w->at;
        return true;
    }
    if (w->failed && !a->failed)
        st_fail_with(p->file, STELE_DAMAGED, w->failure.code, w->failure.offset, w->failure.path, w->failure.text);
    return false;
}

/* ---- Saving ---- */

/* How much there is in the handle that lasts. */
typedef struct lasting {
    const stele_model *model;
    stele_check_level level;
    uint32_t facts;
    size_t companions; /* that were taken */
} lasting;

static lasting lasting_of(const stele_file *file)
{
    return (lasting){file->model, file->level, file->facts.count, file->companions.taken};
}

static bool is_same_mark(arena_mark a, arena_mark b)
{
    return a.block == b.block && a.fill == b.fill;
}

static lasting begin_saving(stele_file *file)
{
    last_save *last = &file->last_save;
    if (last->end.block && !last->lasts && is_same_mark(st_arena_mark(&file->arena), last->end)) {
        file->diags = last->diags;
        st_arena_rewind(&file->arena, last->begin);
    }
    if (file->touched)
        st_finished_model(file); /* which lasts */
    file->output_count = 0;
    *last = (last_save){.begin = st_arena_mark(&file->arena), .diags = file->diags};
    return lasting_of(file);
}

static stele_status end_saving(stele_file *file, lasting before, stele_status status)
{
    lasting now = lasting_of(file);
    file->last_save.end = st_arena_mark(&file->arena);
    file->last_save.lasts = now.model != before.model || now.level != before.level || now.facts != before.facts ||
                            now.companions != before.companions;
    return status;
}

/* Common to both ways of writing. No path: there is no place for files beside it. */
static product make(stele_file *file, const char *path, const stele_save_options *options)
{
    product p = {0};
    if ((unsigned)options->textures > STELE_TEXTURES_NAME) {
        st_fail(file, STELE_USAGE, "there is no such thing to do with textures");
        return p;
    }
    if (!st_rate_is_sound(options->fps)) {
        st_fail(file, STELE_USAGE, NO_RATE);
        return p;
    }
    if (!file->complete && !file->touched) {
        st_fail_as_opened(file);
        return p;
    }
    if (options->strict && file->reported_losses) {
        st_fail(file, STELE_LOSSY, first_loss(file, 0));
        return p;
    }
    /* what an earlier save lost is no longer of interest */
    st_diags_rewind(&file->diags, file->diags_of_opening);
    p.format = format_to_write(file, path, options);
    bool copied = p.format && p.format == file->format && !file->touched && !takes_images_in(file, p.format, options);
    if (copied && may_copy(file, options))
        make_copy(file, &p, path, options);
    else if (p.format && !copied)
        make_product(file, &p, path, options);
    st_diags_loading_counts(&file->diags, !copied);
    if (st_end(file) != STELE_OK)
        p.raw = NULL;
    return p;
}

static writing writing_of(stele_file *file, const stele_save_options *options)
{
    return (writing){.arena = &file->arena, .outcome = &file->outcome, .options = options, .total = file->source.size};
}

static stele_status write_file(stele_file *file, stele_sink sink, void *user, const stele_save_options *options)
{
    product p = make(file, NULL, options);
    if (!p.raw)
        return file->outcome.status;
    part whole = {file, &p, NULL};
    writing w = writing_of(file, options);
    st_write_to_sink(&w, sink, user, produce_part, &whole);
    return st_end(file);
}

stele_status stele_file_write(stele_file *file, stele_sink sink, void *user, const stele_save_options *options)
{
    stele_save_options own;
    bool known = st_take_options(&own, sizeof own, options);
    if (!st_begin(file))
        return stele_file_status(file);
    if (!known)
        return st_fail(file, STELE_USAGE, UNKNOWN_OPTIONS);
    if (!sink)
        return st_fail(file, STELE_USAGE, "no callback is given");
    lasting before = begin_saving(file);
    return end_saving(file, before, write_file(file, sink, user, &own));
}

static const char *path_beside(arena *a, const char *path, const char *name)
{
    return st_arena_format(a, "%.*s%s", (int)st_length_of_folder(path), path, st_companion_path(a, name));
}

/* The bytes that a file there may have already, if that is fine. */
static const span *own_bytes(stele_file *file, const product *p, const stele_save_options *options)
{
    span *bytes = options->same_is_fine && p->raw == file->raw ? st_arena_alloc(&file->arena, sizeof *bytes) : NULL;
    if (bytes)
        *bytes = (span){file->source.data, file->source.size, 1};
    return bytes;
}

static bool make_drafts(stele_file *file, const product *p, const char *path, transaction *t)
{
    size_t most = 1, folder = st_length_of_folder(path);
    for (const side_file *side = p->side_files; side; side = side->next)
        most++;
    part *parts = st_arena_array(&file->arena, most, sizeof *parts);
    t->drafts = st_arena_array(&file->arena, most, sizeof *t->drafts);
    if (!parts || !t->drafts)
        return false;
    for (const side_file *side = p->side_files; side; side = side->next, t->count++) {
        parts[t->count] = (part){file, p, side};
        const char *beside = path_beside(&file->arena, path, side->name);
        t->drafts[t->count] = (draft){.where = {beside, folder, file->companions.outside},
                                      .same = side->same_is_fine ? side->raw : NULL,
                                      .produce = produce_part,
                                      .context = &parts[t->count]};
    }
    /* last: when it is there, all that it needs is */
    parts[t->count] = (part){file, p, NULL};
    t->drafts[t->count] = (draft){.where = {path, folder, true}, /* that is what the caller wants */
                                  .same = own_bytes(file, p, t->writing.options),
                                  .produce = produce_part,
                                  .context = &parts[t->count]};
    t->count++;
    return !file->arena.failed;
}

/* Textures that are named must be where the output is looked for. */
static void note_missing_textures(stele_file *file, const product *p, const char *path, const stele_save_options *options)
{
    const stele_model *model = file->model;
    context c = st_context_of(file);
    bool copied = options->textures == STELE_TEXTURES_COPY;
    if (!model || !names_textures(p->format) || options->textures == STELE_TEXTURES_EMBED)
        return;
    for (size_t i = 0; i < model->texture_count; i++) {
        const stele_texture *t = &model->textures[i];
        if (!t->file || st_file_exists(path_beside(&file->arena, path, t->file)))
            continue;
        const char *problem = copied ? st_save_texture_problem(&c, t, t->file) : NULL;
        if (!copied)
            st_diag(&file->diags, DIAG_TEXTURE_NOT_COPIED, at_path("", 1),
                    "%s is not beside the output: copy or embed textures (--copy-textures, --embed-textures) to have it there",
                    t->file);
        else if (problem)
            st_diag(&file->diags, DIAG_TEXTURE_NOT_COPIED, at_path("", 1), "%s is not copied: it %s", t->file, problem);
    }
}

/* What was there already and stays is not ours, but for the file that was asked for. */
static void note_outputs(stele_file *file, const transaction *t)
{
    file->outputs = st_arena_array(&file->arena, t->count, sizeof *file->outputs);
    for (size_t i = 0; file->outputs && i < t->count; i++)
        if (!t->drafts[i].there || i + 1 == t->count)
            file->outputs[file->output_count++] =
                st_arena_text(&file->arena, t->drafts[i].where.path, strlen(t->drafts[i].where.path));
}

static bool commit(stele_file *file, transaction *t)
{
    if (!st_transaction_write(t))
        return false;
    if (!stele_file_changed(file))
        return st_transaction_commit(t);
    st_transaction_undo(t);
    st_fail(file, STELE_IO, "the file changed while it was read");
    return false;
}

static bool take_nothing(void *user, const void *data, size_t size)
{
    (void)user;
    (void)data;
    (void)size;
    return true;
}

/* All but the files. */
static bool rehearse(const transaction *t)
{
    for (size_t i = 0; i < t->count; i++)
        if (!st_write_to_sink(&t->writing, take_nothing, NULL, t->drafts[i].produce, t->drafts[i].context))
            return false;
    return true;
}

static stele_status save_file(stele_file *file, const char *path, const stele_save_options *options)
{
    path = st_plain_path(&file->arena, path);
    product p = make(file, path, options);
    transaction t = {.writing = writing_of(file, options)};
    if (!p.raw || !make_drafts(file, &p, path, &t) || !(options->dry_run ? rehearse(&t) : commit(file, &t)))
        return st_end(file);
    note_outputs(file, &t);
    note_missing_textures(file, &p, path, options);
    return STELE_OK; /* whatever there was no memory to note */
}

stele_status stele_file_save(stele_file *file, const char *path, const stele_save_options *options)
{
    stele_save_options own;
    bool known = st_take_options(&own, sizeof own, options);
    if (!st_begin(file))
        return stele_file_status(file);
    file->output_count = 0;
    file->output_bytes = 0;
    if (!known)
        return st_fail(file, STELE_USAGE, UNKNOWN_OPTIONS);
    if (!path)
        return st_fail(file, STELE_USAGE, "no path is given");
    lasting before = begin_saving(file);
    return end_saving(file, before, save_file(file, path, &own));
}

size_t stele_sweep(const char *folder)
{
    return folder ? st_output_sweep(folder) : 0;
}
