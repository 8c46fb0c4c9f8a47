/* Which format, dialect and reading a file is: by its content first, by its name only on a tie. */
#include <string.h>

#include "detect.h"

/* What a magic promises and the end of the file confirms needs no look at the bulk data: the checks read it anyway. */
static fit how_well(const attempt *t, const format *format, uint64_t size, bool promised)
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

static attempt try_candidate(stele_file *file, const format *format, raw_file candidate, bool promised, walk *w)
{
    attempt t = {.format = format, .raw = st_arena_alloc(&file->arena, format->raw_size)};
    if (!t.raw)
        return t;
    *t.raw = candidate;
    st_walk_read(w, &file->arena, file->content.data, file->content.count);
    w->forced = file->forced;
    format->walk(w, t.raw);
    t.end = w->at;
    t.failed = w->failed;
    t.failure = w->failure;
    t.fit = how_well(&t, format, file->content.count, promised);
    return t;
}

/* What is to be walked: the file, or what it unpacks to. False if it does not unpack. */
static bool open_content(stele_file *file, const format *format, const probe *p, walk *w)
{
    file->content = (span){file->source.data, file->source.size, 1};
    file->packed = (format->packed_dialects >> p->candidates[0].dialect) & 1;
    if (!file->packed)
        return true;
    st_walk_read(w, &file->arena, file->source.data, file->source.size);
    format->walk_container(w, &file->container);
    file->content = walk_ok(w) ? format->unpack(&file->container, &file->arena) : (span){0};
    return file->content.data != NULL;
}

static void report_packing(stele_file *file, const walk *w)
{
    if (w->failed)
        st_fail_with(file, STELE_DAMAGED, w->failure.code, w->failure.offset, w->failure.path, w->failure.text);
    else
        st_fail_with(file, STELE_DAMAGED, DIAG_BAD_COMPRESSION, 0, "", "the compressed content cannot be unpacked");
}

static void try_format(stele_file *file, const format *format, const probe *p, walk *w, attempt *best)
{
    if (!open_content(file, format, p, w))
        return;
    for (size_t i = 0; i < p->candidate_count && best->fit < FIT_PERFECT; i++) {
        arena_mark mark = st_arena_mark(&file->arena);
        attempt t = try_candidate(file, format, p->candidates[i], p->trust == TRUST_CERTAIN && i == 0, w);
        /* where a magic names the version, the first candidate is it, and the others are known deviations: while the first
         * makes sense they must end with the file, or damage would be taken for a deviation */
        bool deviation = p->trust == TRUST_CERTAIN && i > 0 && best->fit > FIT_NONSENSE;
        /* without a magic, of two that fit equally well the one that explains more of the file */
        bool further = p->trust == TRUST_PLAUSIBLE && best->raw && t.fit == best->fit && t.end > best->end;
        t.certain = p->trust == TRUST_CERTAIN;
        if (t.raw && (further || (t.fit > best->fit && (t.fit >= FIT_EXACT || !deviation))))
            *best = t;
        else
            st_arena_rewind(&file->arena, mark);
    }
}

static void probe_format(const stele_file *file, const format *format, probe *p)
{
    *p = (probe){.trust = TRUST_NONE};
    format->probe(file->source.data, file->source.size, p);
}

/* The format that is certain, if there is one. */
static bool detect_certain(stele_file *file, const format *forced, walk *w, attempt *best)
{
    probe p;
    for (size_t i = 0; st_formats[i]; i++) {
        probe_format(file, st_formats[i], &p);
        if (p.trust != TRUST_CERTAIN || (forced && forced != st_formats[i]))
            continue;
        if (p.candidate_count)
            try_format(file, st_formats[i], &p, w, best);
        else if (!forced)
            st_fail_with(file, STELE_UNSUPPORTED, p.problem, p.offset, p.path ? p.path : "", p.text);
        if (file->packed && !file->content.data && !file->arena.failed)
            report_packing(file, w);
        best->format = st_formats[i];
        return true;
    }
    return false;
}

static void try_dialects(stele_file *file, const format *forced, walk *w, attempt *best)
{
    for (unsigned i = 0; i < forced->info.dialect_count; i++) {
        probe p = {.trust = TRUST_PLAUSIBLE};
        probe_try(&p, TRUST_PLAUSIBLE, i, 0);
        if (!((forced->packed_dialects >> i) & 1)) /* what does not unpack has nothing to walk */
            try_format(file, forced, &p, w, best);
    }
}

/* Whatever it looks like: in the dialect that fits best, and has the version that the file says if there is one. */
static void force(stele_file *file, const format *forced, walk *w, attempt *best)
{
    file->forced = FORCE_MAGIC;
    try_dialects(file, forced, w, best);
    if (best->failed && best->failure.code == DIAG_BAD_VERSION) {
        *best = (attempt){0};
        file->forced = FORCE_VERSION;
        try_dialects(file, forced, w, best);
    }
    best->format = forced;
}

/* Without a magic, the format that fits best. The one that the name promises is believed even if it is damaged, the others only
 * if they end with the file and fit better. */
static void detect_plausible(stele_file *file, const format *forced, walk *w, attempt *best)
{
    const format *promised = forced ? forced : st_format_of_extension(file->name);
    probe p;
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

void st_detect(stele_file *file, const format *forced, walk *w, attempt *best)
{
    if (!detect_certain(file, forced, w, best))
        detect_plausible(file, forced, w, best);
    if (forced && !best->raw && file->source.size && file->outcome.status == STELE_OK)
        force(file, forced, w, best);
}

/* ---- Why not ---- */

/* What a walk that was tried stumbled over; NULL if the first bytes are enough to tell. */
static const char *stumbled(stele_file *file, const format *format, walk *w)
{
    attempt best = {0};
    probe p;
    probe_format(file, format, &p);
    if (p.trust == TRUST_PLAUSIBLE)
        try_format(file, format, &p, w, &best);
    if (!best.raw)
        return NULL;
    if (!best.failed)
        return "can be walked, but what is read makes no sense";
    return st_arena_format(&file->arena, "at 0x%llx: %s%s%s", (unsigned long long)best.failure.offset, best.failure.path,
                           *best.failure.path ? " " : "", best.failure.text);
}

void st_say_why_not(stele_file *file, walk *w)
{
    for (size_t i = 0; st_formats[i]; i++) {
        const char *why = stumbled(file, st_formats[i], w);
        st_diag(&file->diags, DIAG_FORMAT_REFUSED, at_path("", 1), "is no %s: %s", st_formats[i]->info.name,
                why ? why : "it does not begin as one");
    }
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
    stele_file original = *file;
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
    file->source = original.source;
    file->content = original.content;
    file->container = original.container;
    file->packed = original.packed;
    st_arena_rewind(&file->arena, mark);
    file->arena.failed = limited;
    return whole;
}

/* No chance puts a CR before every one of this many LFs. */
enum { CERTAINLY_PAIRS = 8 };

bool st_line_ends_converted(stele_file *file, const attempt *best, walk *w)
{
    line_ends ends = count_line_ends(&file->source);
    bool gained = ends.pairs && !ends.bare && (ends.pairs >= CERTAINLY_PAIRS || whole_without_carriage_returns(file, best, w));
    bool perhaps_lost = !ends.pairs && ends.bare && best->fit == FIT_NONSENSE;
    if (gained)
        st_fail_with(file, STELE_DAMAGED, DIAG_LINE_ENDINGS, 0, "",
                     "every LF in this binary file became CR LF, as git autocrlf or an FTP text transfer do: get it again "
                     "as binary");
    else if (perhaps_lost && !best->failed)
        st_fail_with(file, STELE_DAMAGED, DIAG_LINE_ENDINGS, 0, "",
                     "this binary file probably lost the CR of every CR LF, as git autocrlf does on commit: get it again "
                     "as binary");
    return gained || (perhaps_lost && !best->failed);
}

void st_suspect_line_ends(stele_file *file, const attempt *best)
{
    line_ends ends = count_line_ends(&file->source);
    if (best->failed && best->fit == FIT_NONSENSE && !ends.pairs && ends.bare)
        st_diag(
            &file->diags, DIAG_LINE_ENDINGS_SUSPECTED, at_path("", 1),
            "there is no CR LF in this binary file: if it went through git or FTP as text, it lost its CRs; get it again as "
            "binary");
}
