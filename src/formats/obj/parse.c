/* Parsing OBJ, in two passes over chunks of whole lines that know nothing of each other: the first counts, so that the second
 * knows where its numbers go and what relative indices refer to. Both may use threads. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/number.h"
#include "statement.h"

typedef struct counts {
    uint64_t v, vt, vn, corners, events; /* at most so many corners: comments and line ends may look like some */
} counts;

typedef enum finding {
    NO_NUMBER,
    TOO_FEW_NUMBERS,
    TOO_FEW_CORNERS,
    NO_INDEX_THERE,
    POSITION_OUT_OF_RANGE,
    UV_OUT_OF_RANGE,
    NORMAL_OUT_OF_RANGE,
    POSITION_NOT_FINITE,
    NORMAL_NOT_FINITE,
    UV_NOT_FINITE,
    COLOR_NOT_FINITE,
    UNKNOWN_WORD,
    NO_UVS_AT_ALL,
    NO_NORMALS_AT_ALL,
    FINDINGS
} finding;

typedef struct place {
    uint64_t count;
    const char *at; /* the first */
    int64_t index;
} place;

typedef struct chunk {
    const char *start, *end;
    counts found, before;
    uint64_t corners, events; /* really there */
    bool colored;             /* in the first pass: perhaps */
    bool others;              /* faces that are no triangles */
    place places[FINDINGS];
} chunk;

typedef struct parser {
    obj_content *content;
    chunk *chunks;
    size_t chunk_count, first; /* of those that are worked on now */
    counts total;
} parser;

static chunk *chunk_at(parser *p, size_t index)
{
    return &p->chunks[p->first + index];
}

/* ---- The first pass ---- */

/* How many words begin in a run of bytes before which there is a blank: eight bytes at a time, a bit for each byte. */
static uint64_t count_words(const char *p, const char *end)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7f, high = ~low;
    uint64_t count = 0, before = 0;
    for (; end - p >= 8; p += 8) {
        uint64_t eight = load_u64((const uint8_t *)p);
        uint64_t dark = (((eight & low) + 0x5f5f5f5f5f5f5f5f) | eight) & high; /* above the blank */
        count += ((dark & ~(dark << 8 | before)) >> 7) * 0x0101010101010101 >> 56;
        before = dark >> 56;
    }
    bool in_word = before;
    for (; p < end; p++) {
        bool dark = (unsigned char)*p > ' ';
        count += dark && !in_word;
        in_word = dark;
    }
    return count;
}

static void count_chunk(void *context, size_t index)
{
    chunk *c = chunk_at(context, index);
    word topology = WORD_NONE;
    for (const char *p = c->start; p < c->end; p++) {
        while (p < c->end && obj_blank(*p))
            p++;
        if (p == c->end)
            break;
        bool comment = *p == '#';
        word w = read_word(&p, c->end);
        const char *end = statement_end(p, c->end, comment);
        switch (w) {
        case WORD_V:
            /* colours are usual in the first line or in none */
            if (!c->found.v++)
                c->colored = count_words(p, end) >= 6;
            break;
        case WORD_VT: c->found.vt++; break;
        case WORD_VN: c->found.vn++; break;
        case WORD_F:
        case WORD_L:
        case WORD_P:
            c->found.corners += count_words(p, end);
            c->found.events += w != topology;
            topology = w;
            break;
        case WORD_O:
        case WORD_G:
        case WORD_USEMTL:
        case WORD_MTLLIB: c->found.events++; break;
        default: break;
        }
        p = end;
    }
}

/* ---- The second pass ---- */

typedef struct reader {
    parser *parser;
    obj_content *content;
    chunk *chunk;
    const char *end;
    counts at; /* where the next of each goes */
    word topology;
} reader;

static void note(reader *r, finding what, const char *at, int64_t index)
{
    place *p = &r->chunk->places[what];
    if (p->count++ == 0) {
        p->at = at;
        p->index = index;
    }
}

/* "nan", "-inf", and what Microsoft prints: 1.#QNAN */
static bool names_nonfinite(const char *p, const char *end, const char *behind)
{
    if (behind)
        return behind < end && *behind == '#' && behind > p && behind[-1] == '.';
    p += p < end && (*p == '-' || *p == '+');
    return end - p >= 3 && ((memcmp(p, "nan", 3) == 0 || memcmp(p, "NaN", 3) == 0 || memcmp(p, "NAN", 3) == 0) ||
                            (memcmp(p, "inf", 3) == 0 || memcmp(p, "Inf", 3) == 0 || memcmp(p, "INF", 3) == 0));
}

/* Up to most numbers; returns how many there are. */
static inline int read_numbers(reader *r, const char **at, float *numbers, int most, finding not_finite)
{
    const char *p = *at, *end = r->end;
    int count = 0;
    for (; count < most; count++) {
        p = skip_blanks(p, end);
        if (p == end || *p == '\n' || *p == '#')
            break;
        const char *behind = st_parse_f32(p, end, &numbers[count]);
        if (!behind || (behind < end && !ends_word(*behind))) {
            numbers[count] = NAN;
            note(r, names_nonfinite(p, end, behind) ? not_finite : NO_NUMBER, p, 0);
            while (p < end && !ends_word(*p))
                p++;
            continue;
        }
        if (!isfinite(numbers[count]))
            note(r, not_finite, p, 0);
        p = behind;
    }
    *at = p;
    return count;
}

static inline void store_floats(uint8_t *out, const float *numbers, int count)
{
    for (int i = 0; i < count; i++)
        store_f32(out + 4 * i, numbers[i]);
}

/* x y z, x y z w (without meaning here), or x y z r g b */
static inline const char *read_position(reader *r, const char *p)
{
    float numbers[6];
    const char *start = p;
    int count = read_numbers(r, &p, numbers, 3, POSITION_NOT_FINITE);
    if (count < 3) {
        note(r, TOO_FEW_NUMBERS, start, 3);
        return p;
    }
    store_floats(r->content->positions + 12 * r->at.v, numbers, 3);
    p = skip_blanks(p, r->end);
    if (p < r->end && *p != '\n' && read_numbers(r, &p, numbers, 3, COLOR_NOT_FINITE) == 3) {
        r->chunk->colored = true;
        if (r->content->colors)
            store_floats(r->content->colors + 12 * r->at.v, numbers, 3);
    } else if (r->content->colors) {
        memset(r->content->colors + 12 * r->at.v, UNCOLORED, 12);
    }
    return p;
}

/* The origin of textures is at the bottom left in OBJ, and at the top left in the model. */
static inline const char *read_uv(reader *r, const char *p)
{
    float numbers[2] = {0, 0};
    const char *start = p;
    if (read_numbers(r, &p, numbers, 2, UV_NOT_FINITE) < 1)
        note(r, TOO_FEW_NUMBERS, start, 1);
    numbers[1] = 1 - numbers[1];
    store_floats(r->content->uvs + 8 * r->at.vt, numbers, 2);
    return p;
}

static inline const char *read_normal(reader *r, const char *p)
{
    float numbers[3];
    const char *start = p;
    if (read_numbers(r, &p, numbers, 3, NORMAL_NOT_FINITE) < 3)
        note(r, TOO_FEW_NUMBERS, start, 3);
    else
        store_floats(r->content->normals + 12 * r->at.vn, numbers, 3);
    return p;
}

/* An index as it is written: many files number everything alike, and what repeats the text before it is not read again. */
typedef struct written_index {
    const char *text;
    ptrdiff_t length;
    int64_t value;
} written_index;

enum { MOST_REPEATED = 7 }; /* digits: longer ones are not compared */

static inline bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static inline bool repeats(const written_index *index, const char *p, const char *end)
{
    if (!index->length || index->length > MOST_REPEATED || end - p < 8)
        return false;
    uint64_t differs = load_u64((const uint8_t *)index->text) ^ load_u64((const uint8_t *)p);
    return !(differs << (64 - 8 * index->length)) && !is_digit(p[index->length]);
}

/* An index that counts from 1, or back from what there is so far. Returns where it ends, or NULL if there is none. */
static inline const char *read_index(const char *p, const char *end, written_index *index)
{
    if (repeats(index, p, end))
        return p + index->length;
    const char *start = p;
    bool negative = p < end && *p == '-';
    const char *digits = p += negative;
    int64_t value = 0;
    if (end - p >= 8) {
        uint64_t eight = load_u64((const uint8_t *)p);
        unsigned count = number_digits_of(eight);
        value = count ? number_value_of(eight, count) : 0;
        p += count;
    }
    for (; p < end && is_digit(*p); p++)
        value = value < INT64_MAX / 100 ? 10 * value + (*p - '0') : value;
    if (p == digits)
        return NULL;
    *index = (written_index){start, p - start, negative ? -value : value};
    return p;
}

static inline uint32_t resolve(reader *r, int64_t index, uint64_t so_far, uint64_t total, finding wrong, const char *at)
{
    uint64_t found = index < 0 ? so_far - (uint64_t)-index : (uint64_t)index - 1; /* 0 and what is below wraps around */
    if (found < total)
        return (uint32_t)found;
    note(r, wrong, at, index);
    return 0;
}

/* The number behind a slash, which may be left out. Of what the file has nothing at all it is passed over, as elsewhere. */
static inline const char *read_second(reader *r, const char *p, written_index *index, uint64_t so_far, uint64_t total,
                                      finding wrong, uint32_t *number)
{
    if (p == r->end || *p != '/')
        return p;
    const char *behind = read_index(++p, r->end, index);
    if (!behind)
        return p;
    if (total)
        *number = resolve(r, index->value, so_far, total, wrong, p);
    else
        note(r, wrong == UV_OUT_OF_RANGE ? NO_UVS_AT_ALL : NO_NORMALS_AT_ALL, p, index->value);
    return behind;
}

/* v, v/vt, v//vn or v/vt/vn; NULL if it is none of them. */
static inline const char *read_corner(reader *r, const char *p, obj_corner *corner)
{
    const counts *so_far = &r->at, *total = &r->parser->total;
    written_index index = {0};
    const char *start = p;
    *corner = (obj_corner){0, NO_INDEX, NO_INDEX};
    p = read_index(p, r->end, &index);
    if (!p)
        return NULL;
    corner->v = resolve(r, index.value, so_far->v, total->v, POSITION_OUT_OF_RANGE, start);
    p = read_second(r, p, &index, so_far->vt, total->vt, UV_OUT_OF_RANGE, &corner->vt);
    p = read_second(r, p, &index, so_far->vn, total->vn, NORMAL_OUT_OF_RANGE, &corner->vn);
    return p == r->end || ends_word(*p) || *p == '#' ? p : NULL;
}

static void add_event(reader *r, obj_event event)
{
    /* the first pass has counted them: nothing is lost */
    if (r->chunk->events == r->chunk->found.events)
        return;
    event.corner = r->at.corners;
    r->content->events[r->at.events++] = event;
    r->chunk->events++;
}

/* From here on corners are those of another topology. */
static void begin_topology(reader *r, word w)
{
    static const stele_topology topologies[] = {[WORD_F] = STELE_TRIANGLES, [WORD_L] = STELE_LINES, [WORD_P] = STELE_POINTS};
    add_event(r, (obj_event){.kind = EVENT_TOPOLOGY, .topology = topologies[w]});
    r->topology = w;
}

static inline const char *read_corners(reader *r, const char *p, word w)
{
    const char *start = p;
    bool sound = true;
    uint64_t first = r->at.corners, most = r->chunk->before.corners + r->chunk->found.corners;
    if (w != r->topology)
        begin_topology(r, w);
    while (sound && r->at.corners < most) {
        p = skip_blanks(p, r->end);
        if (p == r->end || *p == '\n' || *p == '#')
            break;
        const char *behind = read_corner(r, p, &r->content->corners[r->at.corners]);
        sound = behind;
        if (!sound)
            note(r, NO_INDEX_THERE, p, 0);
        p = behind ? behind : p;
        r->at.corners += sound;
    }
    uint64_t count = r->at.corners - first, least = w == WORD_F ? 3 : w == WORD_L ? 2 : 1;
    if (count)
        r->content->corners[r->at.corners - 1].vn |= LAST_CORNER;
    r->chunk->others |= w != WORD_F || count != 3;
    if (count < least && sound)
        note(r, TOO_FEW_CORNERS, start, (int64_t)least);
    return p;
}

static void read_name(reader *r, const char *p, obj_event_kind kind)
{
    const char *end = line_end(p, r->end);
    while (p < end && obj_blank(*p))
        p++;
    const char *last = end;
    while (last > p && obj_blank(last[-1]))
        last--;
    add_event(r, (obj_event){.kind = kind, .name = {p, (uint64_t)(last - p)}});
}

static void read_rest(reader *r, const char *p, word w, const char *statement)
{
    switch (w) {
    case WORD_O: read_name(r, p, EVENT_OBJECT); break;
    case WORD_G: read_name(r, p, EVENT_GROUP); break;
    case WORD_USEMTL: read_name(r, p, EVENT_MATERIAL); break;
    case WORD_MTLLIB: read_name(r, p, EVENT_LIBRARY); break;
    case WORD_UNKNOWN: note(r, UNKNOWN_WORD, statement, 0); break;
    default: break;
    }
}

/* Whether there is room for another of a kind. There always is, unless the text was changed after it was counted. */
static inline bool has_room(const reader *r, word w)
{
    const counts *first = &r->chunk->before, *found = &r->chunk->found;
    return (w != WORD_V || r->at.v < first->v + found->v) && (w != WORD_VT || r->at.vt < first->vt + found->vt) &&
           (w != WORD_VN || r->at.vn < first->vn + found->vn);
}

/* And what was counted and is no longer there must not be what lay there before. */
static void fill_up(const reader *r)
{
    const counts *first = &r->chunk->before, *found = &r->chunk->found;
    uint64_t v = first->v + found->v - r->at.v, vt = first->vt + found->vt - r->at.vt, vn = first->vn + found->vn - r->at.vn;
    memset(r->content->positions + 12 * r->at.v, 0, (size_t)(12 * v));
    if (r->content->colors)
        memset(r->content->colors + 12 * r->at.v, UNCOLORED, (size_t)(12 * v));
    memset(r->content->uvs + 8 * r->at.vt, 0, (size_t)(8 * vt));
    memset(r->content->normals + 12 * r->at.vn, 0, (size_t)(12 * vn));
}

static void parse_chunk(void *context, size_t index)
{
    parser *all = context;
    chunk *c = chunk_at(all, index);
    reader r = {.parser = all, .content = all->content, .chunk = c, .end = c->end, .at = c->before};
    c->colored = false;
    c->events = 0;
    memset(c->places, 0, sizeof c->places);
    for (const char *p = c->start; p < c->end; p++) {
        while (p < c->end && obj_blank(*p))
            p++;
        if (p == c->end)
            break;
        const char *statement = p;
        word w = read_word(&p, c->end);
        if (!has_room(&r, w))
            break;
        switch (w) {
        case WORD_V:
            p = read_position(&r, p);
            r.at.v++;
            break;
        case WORD_VT:
            p = read_uv(&r, p);
            r.at.vt++;
            break;
        case WORD_VN:
            p = read_normal(&r, p);
            r.at.vn++;
            break;
        case WORD_F:
        case WORD_L:
        case WORD_P: p = read_corners(&r, p, w); break;
        default: read_rest(&r, p, w, statement);
        }
        if (p < c->end && *p != '\n')
            p = statement_end(p, c->end, *statement == '#');
    }
    fill_up(&r);
    c->corners = r.at.corners - c->before.corners;
}

/* ---- All of it ---- */

enum { CHUNK = 1 << 20 };

/* Chunks end with a line that does not go on. */
static void cut(parser *p, const char *start, const char *end)
{
    while (start < end) {
        const char *at = end - start > CHUNK ? start + CHUNK : end;
        while (at < end) {
            at = line_end(at, end);
            if (at == end || !continued(start, at++))
                break;
        }
        p->chunks[p->chunk_count++] = (chunk){.start = start, .end = at};
        start = at;
    }
}

/* Some chunks at a time: the caller is asked between them whether to go on. */
static bool for_all_chunks(context *c, parser *p, stele_task task)
{
    enum { AT_ONCE = 32 };
    for (p->first = 0; p->first < p->chunk_count; p->first += AT_ONCE) {
        size_t left = p->chunk_count - p->first, count = left < AT_ONCE ? left : AT_ONCE;
        const chunk *first = chunk_at(p, 0), *last = chunk_at(p, count - 1);
        if (!st_work(c->arena, (uint64_t)(last->end - first->start), 1))
            return false;
        parallel_for(&c->threads, count, task, p);
    }
    return true;
}

static void add_up(parser *p)
{
    for (size_t i = 0; i < p->chunk_count; i++) {
        chunk *c = &p->chunks[i];
        c->before = p->total;
        p->total.v += c->found.v;
        p->total.vt += c->found.vt;
        p->total.vn += c->found.vn;
        p->total.corners += c->found.corners;
        p->total.events += c->found.events;
        p->content->colored |= c->colored;
    }
}

static bool allocate(context *c, parser *p)
{
    obj_content *o = p->content;
    o->position_count = p->total.v;
    o->uv_count = p->total.vt;
    o->normal_count = p->total.vn;
    o->positions = st_arena_bytes(c->arena, 12 * p->total.v);
    o->uvs = st_arena_bytes(c->arena, 8 * p->total.vt);
    o->normals = st_arena_bytes(c->arena, 12 * p->total.vn);
    o->corners = st_arena_bytes(c->arena, sizeof *o->corners * p->total.corners);
    o->events = st_arena_bytes(c->arena, sizeof *o->events * p->total.events);
    o->colors = o->colored ? st_arena_bytes(c->arena, 12 * p->total.v) : NULL;
    return !c->arena->failed;
}

/* What the first pass took for corners leaves holes. */
static void close_holes(parser *p)
{
    obj_content *o = p->content;
    for (size_t i = 0; i < p->chunk_count; i++) {
        const chunk *c = &p->chunks[i];
        uint64_t hole = c->before.corners - o->corner_count;
        for (uint64_t k = 0; k < c->events; k++) {
            obj_event e = o->events[c->before.events + k];
            e.corner -= hole;
            o->events[o->event_count++] = e;
        }
        if (hole)
            memmove(o->corners + o->corner_count, o->corners + c->before.corners, (size_t)c->corners * sizeof *o->corners);
        o->corner_count += c->corners;
    }
}

static place place_of(const parser *p, finding what)
{
    place all = {0};
    for (size_t i = 0; i < p->chunk_count; i++) {
        const place *one = &p->chunks[i].places[what];
        if (!all.count)
            all = *one;
        else
            all.count += one->count;
    }
    return all;
}

/* ---- What was found ---- */

static const char *wrong_index(arena *a, const place *p, const char *what, uint64_t total)
{
    if (!p->index)
        return st_arena_format(a, "refers to %s 0, but they count from 1", what);
    return st_arena_format(a, "refers to %s %lld, but there %s %llu%s", what, (long long)p->index, total == 1 ? "is" : "are",
                           (unsigned long long)total, p->index < 0 ? " in all" : "");
}

static const char *describe(context *c, const parser *p, finding what, const place *at)
{
    switch (what) {
    case NO_NUMBER: return "is no number";
    case TOO_FEW_NUMBERS: return st_arena_format(c->arena, "has fewer numbers than %lld", (long long)at->index);
    case TOO_FEW_CORNERS: return st_arena_format(c->arena, "has fewer corners than %lld", (long long)at->index);
    case NO_INDEX_THERE: return "is no index";
    case POSITION_OUT_OF_RANGE: return wrong_index(c->arena, at, "vertex", p->total.v);
    case UV_OUT_OF_RANGE: return wrong_index(c->arena, at, "texture coordinate", p->total.vt);
    case NORMAL_OUT_OF_RANGE: return wrong_index(c->arena, at, "normal", p->total.vn);
    case UNKNOWN_WORD: return "is not known, and left out";
    case NO_UVS_AT_ALL: return "refers to a texture coordinate, but there are none: passed over";
    case NO_NORMALS_AT_ALL: return "refers to a normal, but there are none: passed over";
    default: return "is not finite";
    }
}

static void report(context *c, const parser *p)
{
    static const diag_code codes[FINDINGS] = {
        [NO_NUMBER] = DIAG_BAD_FIELD,
        [TOO_FEW_NUMBERS] = DIAG_BAD_FIELD,
        [TOO_FEW_CORNERS] = DIAG_BAD_FIELD,
        [NO_INDEX_THERE] = DIAG_BAD_FIELD,
        [POSITION_OUT_OF_RANGE] = DIAG_INDEX_OUT_OF_RANGE,
        [UV_OUT_OF_RANGE] = DIAG_INDEX_OUT_OF_RANGE,
        [NORMAL_OUT_OF_RANGE] = DIAG_INDEX_OUT_OF_RANGE,
        [POSITION_NOT_FINITE] = DIAG_NONFINITE_POSITION,
        [NORMAL_NOT_FINITE] = DIAG_NONFINITE_NORMAL,
        [UV_NOT_FINITE] = DIAG_NONFINITE_UV,
        [COLOR_NOT_FINITE] = DIAG_NONFINITE_COLOR,
        [UNKNOWN_WORD] = DIAG_STATEMENT_UNKNOWN,
        [NO_UVS_AT_ALL] = DIAG_INDEX_WITHOUT_LIST,
        [NO_NORMALS_AT_ALL] = DIAG_INDEX_WITHOUT_LIST,
    };
    for (int i = 0; i < FINDINGS; i++) {
        place at = place_of(p, (finding)i);
        if (!at.count)
            continue;
        st_diag(c->diags, codes[i], st_obj_place(c, at.at, at.count), "%s", describe(c, p, (finding)i, &at));
    }
}

static bool fits(context *c, const counts *total)
{
    if (total->v < NO_INDEX && total->vt < NO_INDEX && total->vn < NO_INDEX)
        return true;
    st_diag(c->diags, DIAG_COUNT_TOO_LARGE, at_offset(0, 1, ""), "has more vertices than 32 bits can number");
    return false;
}

static void parse(context *c, const obj_file *f, parser *p)
{
    obj_content *o = p->content;
    cut(p, obj_start(f), obj_end(f));
    if (!for_all_chunks(c, p, count_chunk))
        return;
    add_up(p);
    if (!fits(c, &p->total) || !allocate(c, p) || !for_all_chunks(c, p, parse_chunk))
        return;
    o->colored = false;
    for (size_t i = 0; i < p->chunk_count; i++)
        o->colored |= p->chunks[i].colored;
    if (o->colored && !o->colors) {
        /* the first lines had none: once more, with room for them */
        o->colors = st_arena_bytes(c->arena, 12 * p->total.v);
        if (!o->colors || !for_all_chunks(c, p, parse_chunk))
            return;
    }
    close_holes(p);
    o->sound = o->finite = o->only_triangles = true;
    for (finding i = 0; i < UNKNOWN_WORD; i++) {
        bool found = place_of(p, i).count;
        o->sound &= !found || i > NORMAL_NOT_FINITE;
        o->finite &= !found;
    }
    for (size_t i = 0; i < p->chunk_count; i++)
        o->only_triangles &= !p->chunks[i].others;
    if (c->origins && o->sound)
        st_obj_note_origins(c, f, o);
    report(c, p);
}

void st_obj_parse(context *c, raw_file *raw)
{
    obj_file *f = (obj_file *)raw;
    obj_content *content = st_arena_alloc(c->arena, sizeof *content);
    parser p = {.content = content};
    p.chunks = st_arena_array(c->arena, f->text.count / CHUNK + 1, sizeof *p.chunks);
    f->content = content;
    if (content && p.chunks)
        parse(c, f, &p);
    if (content && c->arena->failed)
        *content = (obj_content){0}; /* rather nothing than half of it */
}
