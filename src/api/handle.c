/* The handle: its outcome, and what is asked of it without any work. */
#include "handle.h"

const char *stele_version(void)
{
    return STELE_VERSION;
}

/* ---- The outcome of the last call ---- */

bool st_begin(stele_file *file)
{
    if (!file)
        return false;
    st_work_begin(&file->arena, file->work);
    st_companions_begin(&file->companions);
    /* what could not be opened within the limits is half made */
    stele_status opening = file->opening.status;
    bool usable = opening != STELE_NO_MEMORY && opening != STELE_TOO_MUCH_WORK && opening != STELE_CANCELLED;
    file->outcome = usable ? outcome_good() : file->opening;
    return usable;
}

stele_status st_end(stele_file *file)
{
    if (file && file->arena.failed)
        file->outcome = st_outcome_refused(&file->arena);
    return stele_file_status(file);
}

stele_status st_fail(stele_file *file, stele_status status, const char *message)
{
    file->outcome = (outcome){status, message};
    return status;
}

const char *st_line_of(stele_file *file, const stele_diagnostic *d)
{
    if (d->offset == STELE_NOWHERE)
        return st_arena_format(&file->arena, "%s%s%s [%s]", d->path, *d->path ? ": " : "", d->text, d->id);
    return st_arena_format(&file->arena, "0x%llx: %s%s%s [%s]", (unsigned long long)d->offset, d->path, *d->path ? ": " : "",
                           d->text, d->id);
}

void st_fail_with(stele_file *file, stele_status status, diag_code code, uint64_t offset, const char *path, const char *text)
{
    stele_diagnostic d = {.id = stele_diagnostic_kinds(NULL)[code].id, .offset = offset, .path = path, .text = text};
    st_diag(&file->diags, code, at_offset(offset, 1, path), "%s", text);
    st_fail(file, status, *path ? st_line_of(file, &d) : text);
}

/* Rules may have called errors harmless, but that does not make the file so. */
void st_fail_as_opened(stele_file *file)
{
    file->outcome = file->opening;
    if (file->outcome.status == STELE_OK)
        st_fail(file, STELE_DAMAGED, "the file has errors, so that its model cannot be had");
}

context st_context_of(stele_file *file)
{
    return (context){.arena = &file->arena,
                     .diags = &file->diags,
                     .data = file->content.data,
                     .size = file->content.count,
                     .own = file->source.own || file->packed,
                     .full = file->level == STELE_CHECK_FULL,
                     .target = file->target,
                     .companions = &file->companions,
                     .facts = &file->facts,
                     .origins = file->load.origins ? &file->origins : NULL,
                     .threads = file->threads,
                     .fits = true};
}

/* ---- Asking ---- */

static const char no_handle[] =
    "there is not enough memory for a handle; memory_limit (--memory-limit), if given, is too small";

stele_status stele_file_status(const stele_file *file)
{
    return file ? file->outcome.status : STELE_NO_MEMORY;
}

const char *stele_file_message(const stele_file *file)
{
    return file ? file->outcome.message : no_handle;
}

stele_status stele_open_status(const stele_file *file)
{
    return file ? file->opening.status : STELE_NO_MEMORY;
}

const char *stele_open_message(const stele_file *file)
{
    return file ? file->opening.message : no_handle;
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
    if (size)
        *size = file ? file->source.size : 0;
    return file ? file->source.data : NULL;
}

const stele_diagnostic *stele_file_diagnostics(const stele_file *file, size_t *count)
{
    if (count)
        *count = file ? file->diags.count : 0;
    return file ? file->diags.items : NULL;
}

const char *const *stele_file_outputs(const stele_file *file, size_t *count)
{
    if (count)
        *count = file ? file->output_count : 0;
    return file ? (const char *const *)file->outputs : NULL;
}

uint64_t stele_file_output_bytes(const stele_file *file)
{
    return file && file->output_count ? file->output_bytes : 0;
}

bool stele_file_changed(const stele_file *file)
{
    return file && (st_source_changed(&file->source) || st_companions_changed(&file->companions));
}

uint64_t stele_file_memory(const stele_file *file)
{
    return file ? file->arena.used : 0;
}

uint64_t stele_file_memory_limit(const stele_file *file)
{
    return file ? file->arena.limit : 0;
}

uint64_t stele_file_work(const stele_file *file)
{
    return file ? file->arena.work : 0;
}

/* What the caller has is input, as what is read. */
void *stele_memory(stele_file *file, uint64_t size)
{
    if (!st_begin(file))
        return NULL;
    st_arena_input(&file->arena, size);
    void *memory = st_arena_alloc(&file->arena, size);
    st_end(file);
    return memory;
}
