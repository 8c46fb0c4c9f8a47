/* Findings that callers make themselves. */
#include <string.h>

#include "handle.h"

stele_status stele_file_report(stele_file *file, stele_status status, const char *id, uint64_t count, const char *text)
{
    size_t kind_count, code = 0;
    const stele_diagnostic_kind *kinds = stele_diagnostic_kinds(&kind_count);
    if (!st_begin(file))
        return stele_file_status(file);
    while (id && code < kind_count && strcmp(kinds[code].id, id) != 0)
        code++;
    if (!id || code == kind_count || !text || status < STELE_OK || status > STELE_EXISTS)
        return st_fail(file, STELE_USAGE, "a finding needs an id that there is, a text and a status");
    st_diag(&file->diags, (diag_code)code, at_path("", count), "%s", text);
    file->reported_losses += kinds[code].severity == STELE_LOSS;
    if (status != STELE_OK) {
        st_fail(file, status, st_arena_text(&file->arena, text, strlen(text)));
        file->opening = file->outcome;
    }
    file->diags_of_opening = file->diags.count;
    return st_end(file);
}
