#include "walk.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "locate.h"

stele_view st_column(const span *rows, const stele_column *columns, size_t column_count, const char *name)
{
    uint64_t at = 0;
    for (size_t i = 0; i < column_count; i++) {
        const stele_column *column = &columns[i];
        if (strcmp(column->name, name) == 0)
            return (stele_view){.data = rows->data ? rows->data + at : NULL,
                                .count = rows->count,
                                .stride = rows->stride,
                                .components = column->components,
                                .type = column->type};
        at += (uint64_t)column->components * stele_type_size(column->type);
    }
    return (stele_view){0};
}

static void start(walk *w, walk_mode mode, arena *a)
{
    /* the buffer is large and needs no zeros */
    memset(w, 0, offsetof(walk, buffer));
    w->mode = mode;
    w->arena = a;
}

void st_walk_read(walk *w, arena *a, const uint8_t *data, uint64_t size)
{
    start(w, WALK_READ, a);
    w->data = data;
    w->size = size;
}

void st_walk_explain(walk *w, arena *a, const uint8_t *data, uint64_t size, stele_each_field each, void *user)
{
    st_walk_read(w, a, data, size);
    w->mode = WALK_EXPLAIN;
    w->each = each;
    w->user = user;
}

void st_walk_write(walk *w, arena *a, stele_sink sink, void *user)
{
    start(w, WALK_WRITE, a);
    w->sink = sink;
    w->user = user;
}

void st_walk_locate(walk *w, arena *a, locator *l)
{
    start(w, WALK_LOCATE, a);
    w->locator = l;
}

/* ---- Paths and failures: nothing is formatted until somebody looks ---- */

static void append(char path[WALK_PATH], size_t *used, const char *text)
{
    while (*text && *used < WALK_PATH - 1)
        path[(*used)++] = *text++;
}

/* By hand: whoever explains a file asks for the path of each of its fields. */
static void append_index(char path[WALK_PATH], size_t *used, uint64_t index)
{
    char text[24] = {0}, *at = text + sizeof text - 1;
    *--at = ']';
    do {
        *--at = (char)('0' + index % 10);
        index /= 10;
    } while (index);
    *--at = '[';
    append(path, used, at);
}

void st_walk_path(const walk *w, const char *name, char path[WALK_PATH])
{
    size_t used = 0;
    for (unsigned i = 0; i < w->depth; i++) {
        append(path, &used, i ? "." : "");
        append(path, &used, w->path[i].name);
        append_index(path, &used, w->path[i].index);
    }
    if (name) {
        append(path, &used, w->depth ? "." : "");
        append(path, &used, name);
    }
    path[used] = 0;
}

static const char *keep_path(const walk *w, const char *name)
{
    char path[WALK_PATH];
    st_walk_path(w, name, path);
    return st_arena_text(w->arena, path, strlen(path));
}

void st_walk_fail(walk *w, diag_code code, uint64_t offset, const char *name, const char *format, ...)
{
    bool forced =
        (code == DIAG_BAD_MAGIC && w->forced >= FORCE_MAGIC) || (code == DIAG_BAD_VERSION && w->forced >= FORCE_VERSION);
    if (w->failed || forced)
        return;
    va_list args;
    va_start(args, format);
    w->failed = true;
    w->failure = (walk_failure){code, offset, keep_path(w, name), st_arena_vformat(w->arena, format, args)};
    va_end(args);
}

/* A claim this many times larger than the whole file, and large in itself, is a wrong count; a smaller one is more likely a
 * file cut short. */
enum { ABSURD = 16, LARGE = 1 << 20 };

static uint64_t saturating_multiply(uint64_t a, uint64_t b)
{
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static bool enough_left(walk *w, const char *name, uint64_t needed)
{
    uint64_t left = w->size - w->at;
    if (needed <= left)
        return true;
    diag_code code = needed / ABSURD > w->size && needed > LARGE ? DIAG_COUNT_TOO_LARGE : DIAG_TRUNCATED;
    st_walk_fail(w, code, w->at, name, "needs %llu byte%s, but only %llu %s left", (unsigned long long)needed,
                 needed == 1 ? "" : "s", (unsigned long long)left, left == 1 ? "is" : "are");
    return false;
}

/* ---- Writing: small fields gather in the buffer, bulk data goes to the sink as it is ---- */

static void flush(walk *w)
{
    if (w->buffered && walk_ok(w) && !w->sink(w->user, w->buffer, w->buffered))
        w->stopped = true;
    w->buffered = 0;
}

static void put(walk *w, const void *data, uint64_t size)
{
    if (!walk_ok(w) || !size)
        return;
    w->at += size;
    if (w->mode == WALK_LOCATE)
        return;
    bool bulk = size > WALK_BUFFER / 2;
    if (bulk || size > WALK_BUFFER - w->buffered)
        flush(w);
    if (bulk) {
        if (walk_ok(w) && !w->sink(w->user, data, (size_t)size))
            w->stopped = true;
        return;
    }
    memcpy(w->buffer + w->buffered, data, (size_t)size);
    w->buffered += (size_t)size;
}

void st_walk_put(walk *w, const void *data, uint64_t size)
{
    put(w, data, size);
}

bool st_walk_finish(walk *w)
{
    flush(w);
    return walk_ok(w);
}

/* ---- Explaining ---- */

/* Who is told makes a line of text of it, and of each column. */
static bool may_tell(walk *w, const stele_field *field)
{
    enum { FIELD_WORK = 2000, COLUMN_WORK = 1500 };
    return st_work(w->arena, 1, FIELD_WORK + COLUMN_WORK * (uint64_t)field->column_count);
}

static void report(walk *w, const char *name, stele_field *field)
{
    char path[WALK_PATH];
    if (w->mode != WALK_EXPLAIN)
        return;
    st_walk_path(w, name, path);
    field->path = name ? path : "";
    field->offset = w->at;
    field->data = w->data + w->at;
    if (!may_tell(w, field) || !w->each(w->user, field))
        w->stopped = true;
}

/* ---- Fields ---- */

void st_walk_number(walk *w, const char *name, stele_type type, const void *member, uint64_t *value, const char *meaning)
{
    uint32_t size = stele_type_size(type);
    if (!walk_ok(w))
        return;
    if (w->mode == WALK_LOCATE)
        st_locate_member(w, name, member);
    if (!walk_reads(w)) {
        uint8_t bytes[8];
        if (size < 8 && *value >> (8 * size))
            st_walk_fail(w, DIAG_DOES_NOT_FIT, w->at, name, "is %llu, which does not fit in %u byte%s",
                         (unsigned long long)*value, size, size == 1 ? "" : "s");
        store_uint(bytes, *value, sizeof bytes);
        put(w, bytes, size);
        return;
    }
    if (!enough_left(w, name, size))
        return;
    *value = load_uint(w->data + w->at, type);
    report(w, name, &(stele_field){.size = size, .type = type, .number = *value, .meaning = meaning});
    w->at += size;
}

void st_walk_uint(walk *w, const char *name, stele_type type, uint64_t *value, const char *meaning)
{
    st_walk_number(w, name, type, value, value, meaning);
}

const char *st_walk_letters(walk *w, stele_type type)
{
    char bytes[8], hex[3 * sizeof bytes + 1] = "";
    uint32_t size = stele_type_size(type), letters = 0;
    if (w->mode != WALK_EXPLAIN || w->size - w->at < size)
        return NULL;
    uint64_t value = load_uint(w->data + w->at, type);
    for (uint32_t i = 0; i < size; i++) {
        bytes[i] = (char)(value >> 8 * i);
        letters += bytes[i] >= ' ' && bytes[i] <= '~';
        snprintf(hex + 3 * i, 4, " %02x", (unsigned)(value >> 8 * i & 255));
    }
    return letters == size ? st_arena_format(w->arena, "the letters %.*s", (int)size, bytes)
                           : st_arena_format(w->arena, "the bytes%s", hex);
}

const char *st_walk_flags(walk *w, stele_type type, const char *names)
{
    if (w->mode != WALK_EXPLAIN || w->size - w->at < stele_type_size(type))
        return NULL;
    uint64_t value = load_uint(w->data + w->at, type);
    const char *text = value ? "" : "none";
    for (; *names && value; value >>= 1) {
        size_t length = strcspn(names, " ");
        if (value & 1)
            text = st_arena_format(w->arena, "%s%s%.*s", text, *text ? ", " : "", (int)length, names);
        names += length + (names[length] == ' ');
    }
    return value ? st_arena_format(w->arena, "%s%sand bits that mean nothing", text, *text ? ", " : "") : text;
}

void st_walk_constant(walk *w, const char *name, stele_type type, uint64_t value, diag_code otherwise)
{
    uint64_t found = value, at = w->at;
    st_walk_uint(w, name, type, &found, otherwise == DIAG_BAD_MAGIC ? st_walk_letters(w, type) : NULL);
    if (walk_ok(w) && found != value)
        st_walk_fail(w, otherwise, at, name, "is %llu, not %llu", (unsigned long long)found, (unsigned long long)value);
}

void st_walk_rows(walk *w, const char *name, span *value, const stele_column *columns, size_t column_count, uint64_t rows)
{
    uint32_t stride = 0;
    for (size_t i = 0; i < column_count; i++)
        stride += columns[i].components * stele_type_size(columns[i].type);
    if (!walk_ok(w))
        return;
    uint64_t size = saturating_multiply(rows, stride);
    if (w->mode == WALK_LOCATE) {
        st_locate_member(w, name, value);
        st_locate_rows(w, name, &(located_rows){value->data, size, stride, 0, columns, column_count});
    }
    if (!walk_reads(w)) {
        put(w, value->data, size);
        return;
    }
    *value = (span){w->data + w->at, rows, stride};
    bool whole = enough_left(w, name, size);
    if (!whole) {
        /* what is there stays visible: it tells a truncated file from a damaged one */
        rows = value->count = stride ? (w->size - w->at) / stride : 0;
        size = rows * stride;
    }
    if (size)
        report(w, name,
               &(stele_field){.size = size,
                              .type = columns[0].type,
                              .array = true,
                              .rows = rows,
                              .columns = columns,
                              .column_count = column_count});
    if (whole || w->mode == WALK_EXPLAIN)
        w->at += size;
}

void st_walk_array(walk *w, const char *name, span *value, stele_type type, uint64_t count)
{
    st_walk_rows(w, name, value, &(stele_column){"", type, 1}, 1, count);
}

/* A field that is not cut into rows. */
static void locate_whole(walk *w, const char *name, const void *member, const void *data, uint64_t size)
{
    if (w->mode != WALK_LOCATE)
        return;
    st_locate_member(w, name, member);
    st_locate_rows(w, name, &(located_rows){.data = data, .size = size});
}

void st_walk_string(walk *w, const char *name, text *value)
{
    char length_name[64];
    uint64_t length = value->size;
    snprintf(length_name, sizeof length_name, "%s_length", name);
    st_walk_uint(w, length_name, STELE_U16, &length, NULL);
    if (!walk_ok(w))
        return;
    locate_whole(w, name, value, value->data, length);
    if (!walk_reads(w)) {
        put(w, value->data, length);
        return;
    }
    if (!enough_left(w, name, length))
        return;
    *value = (text){(const char *)w->data + w->at, length};
    if (length)
        report(w, name, &(stele_field){.size = length, .type = STELE_CHAR});
    w->at += length;
}

/* A span that is one value: kept as bytes, so that nothing is lost, and reported as it is named. */
static void walk_whole(walk *w, const char *name, span *value, stele_field field)
{
    if (!walk_ok(w))
        return;
    locate_whole(w, name, value, value->data, field.size);
    if (!walk_reads(w)) {
        put(w, value->data, field.size);
        return;
    }
    if (!enough_left(w, name, field.size))
        return;
    *value = (span){w->data + w->at, 1, (uint32_t)field.size};
    if (field.size)
        report(w, name, &field);
    w->at += field.size;
}

void st_walk_scalar_as(walk *w, const char *name, span *value, stele_type type, const char *meaning)
{
    stele_column column = {"", type, 1};
    walk_whole(
        w, name, value,
        (stele_field){
            .size = stele_type_size(type), .type = type, .meaning = meaning, .rows = 1, .columns = &column, .column_count = 1});
}

void st_walk_scalar(walk *w, const char *name, span *value, stele_type type)
{
    st_walk_scalar_as(w, name, value, type, NULL);
}

void st_walk_chars(walk *w, const char *name, span *value, uint64_t count)
{
    walk_whole(w, name, value, (stele_field){.size = count, .type = STELE_CHAR});
}

/* Where a run of bytes is: in the file, reading, or given, writing. Reported under a name, or as a gap. */
static void walk_bytes(walk *w, const char *name, span *value, uint64_t size, stele_type type)
{
    locate_whole(w, name, value, value->data, size);
    if (!walk_reads(w)) {
        put(w, value->data, size);
        return;
    }
    if (!enough_left(w, name, size))
        return;
    value->data = w->data + w->at;
    if (size)
        report(w, name, &(stele_field){.size = size, .type = type});
    w->at += size;
}

void st_walk_blob(walk *w, const char *name, span *value, uint64_t count)
{
    if (!walk_ok(w))
        return;
    *value = (span){value->data, count, 1};
    walk_bytes(w, name, value, count, STELE_BYTES);
}

/* The bytes of so many items, as they say themselves; UINT64_MAX if there are fewer. */
static uint64_t size_of_items(const uint8_t *data, uint64_t count, uint64_t left, walk_size size_of)
{
    uint64_t size = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t item = size_of(data + size, left - size);
        if (item > left - size)
            return UINT64_MAX;
        size += item;
    }
    return size;
}

/* Only as many bytes as there were when they were read, whatever the items say now. */
static void locate_items(walk *w, const char *name, const items *value, walk_size size_of)
{
    for (uint64_t i = 0, at = 0, item; at < value->size; i++, at += item) {
        item = size_of(value->data + at, value->size - at);
        item = item && item <= value->size - at ? item : value->size - at;
        st_locate_rows(w, name, &(located_rows){value->data + at, item, item, i, NULL, 0});
    }
}

void st_walk_items(walk *w, const char *name, items *value, uint64_t count, walk_size size_of)
{
    span all = {value->data, value->size, 1};
    if (!walk_ok(w))
        return;
    if (walk_reads(w)) {
        uint64_t left = w->size - w->at;
        all = (span){w->data + w->at, size_of_items(w->data + w->at, count, left, size_of), 1};
        if (all.count > left) {
            enough_left(w, name, left + 1);
            return;
        }
        *value = (items){all.data, count, all.count};
    }
    if (w->mode == WALK_LOCATE) {
        st_locate_member(w, name, value);
        locate_items(w, name, value, size_of);
    }
    walk_bytes(w, name, &all, all.count, STELE_BYTES);
}

void st_walk_gap(walk *w, span *value, uint64_t count)
{
    st_walk_blob(w, NULL, value, walk_reads(w) ? count : value->count);
}

/* ---- Lists ---- */

void *st_walk_list(walk *w, const char *name, const void *member, void *items, uint64_t count, size_t item_size,
                   uint64_t least_bytes)
{
    if (w->mode == WALK_LOCATE)
        st_locate_member(w, name, member);
    if (!walk_reads(w))
        return items;
    /* items of no bytes count as one, or a file could claim billions of them for nothing */
    if (!walk_ok(w) || !enough_left(w, name, saturating_multiply(count, least_bytes ? least_bytes : 1)))
        return NULL;
    void *list = st_arena_array(w->arena, count, item_size);
    if (!list)
        st_walk_fail(w, DIAG_NO_MEMORY, w->at, name, "there is no memory for %llu entries", (unsigned long long)count);
    return list;
}

bool st_walk_item(walk *w, const char *name, const void *items, size_t item_size, uint64_t index, uint64_t count)
{
    if (index > 0 && w->depth > 0)
        w->depth--;
    if (!walk_ok(w) || index >= count)
        return false;
    if (w->depth == WALK_DEPTH) {
        st_walk_fail(w, DIAG_BAD_FIELD, w->at, name, "is nested too deeply");
        return false;
    }
    w->path[w->depth++] = (walk_step){name, index};
    if (w->mode == WALK_LOCATE)
        st_locate_item(w, (const char *)items + index * item_size);
    return true;
}
