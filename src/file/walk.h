/* The walk: one function per on-disk structure, walked to read it, to write it, to explain it or to find places in it.
 *
 *     static void walk_mesh(walk *w, sgm_mesh *m)
 *     {
 *         W_U8(w, m, id);
 *         W_UINT(w, m, vertex_count, STELE_U32);
 *         W_ROWS(w, m, vertices, columns, column_count, m->vertex_count);
 *     }
 *
 * The raw struct keeps every distinction that the bytes make, so that whatever is read is written back identically. The first
 * failure is sticky: all later calls do nothing, and lists come out empty from there on. Format code has no error branches. */
#ifndef ST_WALK_H
#define ST_WALK_H

#include "base/arena.h"
#include "diag.h"
#include "stele.h"

/* Bulk data: a view into the file's bytes, of no alignment, little-endian. */
typedef struct span {
    const uint8_t *data;
    uint64_t count; /* rows */
    uint32_t stride;
} span;

/* Items of their own sizes, one after another: how many, and how many bytes they all are. */
typedef struct items {
    const uint8_t *data;
    uint64_t count, size;
} items;

/* Rows that always look the same are listed once: as columns, and as a struct of bytes whose members are where the columns are.
 *
 *     #define SGA_KEY(X) X(time, F32, 1) X(position, F32, 3)
 *     ROW_STRUCT(sga_key, SGA_KEY);
 *     static const stele_column columns[] = {SGA_KEY(ROW_COLUMN)};
 */
enum { ROW_U8 = 1, ROW_I32 = 4, ROW_U32 = 4, ROW_F32 = 4 };
#define ROW_MEMBER(name, type, components) uint8_t name[(components)*ROW_##type];
#define ROW_STRUCT(name, LIST)                                                                                                 \
    typedef struct name {                                                                                                      \
        LIST(ROW_MEMBER)                                                                                                       \
    } name
#define ROW_COLUMN(name, type, components) {#name, STELE_##type, components},

/* The numbers of one of its columns; no components if it has none of that name. */
stele_view st_column(const span *rows, const stele_column *columns, size_t column_count, const char *name);

/* A string as it is in the file, with its terminating NUL if it has one. */
typedef struct text {
    const char *data;
    uint64_t size;
} text;

typedef enum walk_mode { WALK_READ, WALK_WRITE, WALK_EXPLAIN, WALK_LOCATE } walk_mode;

enum { WALK_DEPTH = 12, WALK_PATH = 256, WALK_BUFFER = 4096 };

typedef struct walk_step {
    const char *name;
    uint64_t index;
} walk_step;

typedef struct walk_failure {
    diag_code code;
    uint64_t offset;
    const char *path, *text;
} walk_failure;

/* What may be wrong because somebody wants to see the rest. */
typedef enum walk_force { FORCE_NOTHING, FORCE_MAGIC, FORCE_VERSION } walk_force; /* the last: both */

typedef struct walk {
    walk_mode mode;
    arena *arena;
    const uint8_t *data; /* reading and explaining */
    uint64_t size;
    uint64_t at; /* how far the walk has come, reading or writing */
    stele_sink sink;
    void *user; /* of sink or each */
    stele_each_field each;
    struct locator *locator;
    bool stopped; /* the sink or the callback said no */
    bool failed;
    walk_force forced;
    walk_failure failure;
    unsigned depth;
    walk_step path[WALK_DEPTH];
    size_t buffered;
    uint8_t buffer[WALK_BUFFER];
} walk;

void st_walk_read(walk *w, arena *a, const uint8_t *data, uint64_t size);
void st_walk_explain(walk *w, arena *a, const uint8_t *data, uint64_t size, stele_each_field each, void *user);
void st_walk_write(walk *w, arena *a, stele_sink sink, void *user);
void st_walk_locate(walk *w, arena *a, struct locator *locator); /* of what was read; see locate.h */

/* After writing: hands the last bytes to the sink. False if anything failed or the sink refused. */
bool st_walk_finish(walk *w);

static inline bool walk_ok(const walk *w)
{
    return !w->failed && !w->stopped;
}

/* True if the structs are filled from bytes; otherwise they are given. */
static inline bool walk_reads(const walk *w)
{
    return w->mode == WALK_READ || w->mode == WALK_EXPLAIN;
}

/* The path of the field that is being walked (name may be NULL: the structure itself). */
void st_walk_path(const walk *w, const char *name, char path[WALK_PATH]);

/* Fails at an offset, with that path. */
void st_walk_fail(walk *w, diag_code code, uint64_t offset, const char *name, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Fields. W_ENUM gives the values 0, 1, 2 ... of a byte their meanings. */
void st_walk_uint(walk *w, const char *name, stele_type type, uint64_t *value, const char *meaning);
void st_walk_constant(walk *w, const char *name, stele_type type, uint64_t value, diag_code otherwise);
void st_walk_string(walk *w, const char *name, text *value);

/* What an explanation says of the number that comes next: its bytes as letters, or its bits by their names, which are separated
 * by spaces. NULL if nothing is explained. */
const char *st_walk_letters(walk *w, stele_type type);
const char *st_walk_flags(walk *w, stele_type type, const char *names);
void st_walk_rows(walk *w, const char *name, span *value, const stele_column *columns, size_t column_count, uint64_t rows);
void st_walk_array(walk *w, const char *name, span *value, stele_type type, uint64_t count);

void st_walk_scalar(walk *w, const char *name, span *value, stele_type type); /* of any type; its bytes are kept */
void st_walk_scalar_as(walk *w, const char *name, span *value, stele_type type, const char *meaning);
void st_walk_chars(walk *w, const char *name, span *value, uint64_t count); /* text of a fixed size */

/* Bytes that are claimed, but not looked into; and items of their own sizes. size_of gets the bytes of an item and of all that
 * is left, and gives the item's size, or UINT64_MAX if it does not fit. */
void st_walk_blob(walk *w, const char *name, span *value, uint64_t count);
typedef uint64_t (*walk_size)(const uint8_t *data, uint64_t left);
void st_walk_items(walk *w, const char *name, items *value, uint64_t count, walk_size size_of);

/* Only writing: bytes that are made as they are written, such as text, so that they need not all be in memory. */
void st_walk_put(walk *w, const void *data, uint64_t size);

/* So many bytes that nobody claims, kept as they are. */
void st_walk_gap(walk *w, span *value, uint64_t count);

/* A list: the array to fill (when reading) or the one given (when writing), then one step per item. */
void *st_walk_list(walk *w, const char *name, const void *member, void *items, uint64_t count, size_t item_size,
                   uint64_t least_bytes);
bool st_walk_item(walk *w, const char *name, const void *items, size_t item_size, uint64_t index, uint64_t count);

/* A number whose member is not of 64 bits: that is its key for places. */
void st_walk_number(walk *w, const char *name, stele_type type, const void *member, uint64_t *value, const char *meaning);

static inline void walk_u8(walk *w, const char *name, uint8_t *field, const char *meaning)
{
    uint64_t value = *field;
    st_walk_number(w, name, STELE_U8, field, &value, meaning);
    *field = (uint8_t)value;
}

static inline void walk_u16(walk *w, const char *name, uint16_t *field, const char *meaning)
{
    uint64_t value = *field;
    st_walk_number(w, name, STELE_U16, field, &value, meaning);
    *field = (uint16_t)value;
}

static inline void walk_u32(walk *w, const char *name, uint32_t *field, stele_type type)
{
    uint64_t value = *field;
    st_walk_number(w, name, type, field, &value, NULL);
    *field = (uint32_t)value;
}

static inline void walk_u64(walk *w, const char *name, uint64_t *field, stele_type type)
{
    st_walk_uint(w, name, type, field, NULL);
}

/* The byte that comes next, without taking it: to give an enumerated byte its meaning in any mode. */
static inline uint8_t walk_peek(const walk *w, uint8_t written)
{
    if (!walk_reads(w))
        return written;
    return w->at < w->size ? w->data[w->at] : 0;
}

#define W_U8(w, owner, field) walk_u8(w, #field, &(owner)->field, NULL)
#define W_ENUM(w, owner, field, meaning) walk_u8(w, #field, &(owner)->field, meaning(walk_peek(w, (owner)->field)))
#define W_U16(w, owner, field) walk_u16(w, #field, &(owner)->field, NULL)
#define W_FLAGS16(w, owner, field, names) walk_u16(w, #field, &(owner)->field, st_walk_flags(w, STELE_U16, names))
#define W_U32(w, owner, field) walk_u32(w, #field, &(owner)->field, STELE_U32)
#define W_UINT64(w, owner, field, type) walk_u64(w, #field, &(owner)->field, type)
#define W_F32(w, owner, field) st_walk_scalar(w, #field, &(owner)->field, STELE_F32)
#define W_I32(w, owner, field) st_walk_scalar(w, #field, &(owner)->field, STELE_I32)
#define W_CHARS(w, owner, field, count) st_walk_chars(w, #field, &(owner)->field, count)
#define W_UINT(w, owner, field, type) walk_u32(w, #field, &(owner)->field, type)
#define W_STRING(w, owner, field) st_walk_string(w, #field, &(owner)->field)
#define W_ARRAY(w, owner, field, type, count) st_walk_array(w, #field, &(owner)->field, type, count)
#define W_ROWS(w, owner, field, columns, column_count, rows)                                                                   \
    st_walk_rows(w, #field, &(owner)->field, columns, column_count, rows)

/* Two statements: the array, and a loop over i whose body walks (owner)->field[i]. Not for the branch of a bare if. */
#define W_LIST(w, owner, field, count, least_bytes)                                                                            \
    (owner)->field = st_walk_list(w, #field, &(owner)->field, (owner)->field, count, sizeof *(owner)->field, least_bytes);     \
    for (uint64_t i = 0; st_walk_item(w, #field, (owner)->field, sizeof *(owner)->field, i, count); i++)

#endif
