/* Vertices as the slots of a caller want them, block by block. */
#ifndef ST_READER_H
#define ST_READER_H

#include "columns.h"
#include "model/skin.h"

enum { MOST_STRIDE = 2048 };

/* What is read for a slot, and where to. */
typedef struct column {
    stele_slot slot; /* its offset counts from the start of the stream */
    size_t bytes;
    const stele_view *view; /* NULL: the primitive has none, or it is shares or moved */
    const float *neutral;
    bool as_it_is; /* the bytes of the view are the slot's */
    bool share;    /* joints and weights that cannot be read one by one: held of them, from the first_share on */
    uint32_t first_share, held;
    uint32_t steps; /* 255 or 65535 if the weights of a vertex are to sum to that, or 0 */
} column;

/* Slots that lie in the same vertices. */
typedef struct stream {
    uint64_t start; /* of the first slot, in the buffer */
    size_t stride;
    size_t bytes; /* to the end of the last slot of the last vertex */
    column columns[STELE_MOST_SLOTS];
    size_t column_count;
    bool gaps; /* bytes of a vertex that no slot fills */
} stream;

typedef struct reader {
    const stele_primitive *primitive;
    stream streams[STELE_MOST_SLOTS];
    size_t stream_count;
    size_t block; /* most rows at once */
    uint8_t *buffer;
    const stele_view *joints[MOST_SETS], *weights[MOST_SETS]; /* of a set, or NULL */
    size_t set_count, kept; /* sets of the file, and influences of a vertex that are shared out: 0 if that is not needed */
} reader;

/* The vertices of a block as something has moved them. */
typedef struct moved_block {
    float position[BLOCK][3], normal[BLOCK][3], tangent[BLOCK][4];
} moved_block;

/* Plans count vertices into a buffer; with moved, some come from a moved_block. False if a slot makes no sense, or the buffer
 * has no room. */
bool st_reader_plan(reader *r, const stele_primitive *p, const stele_slot *slots, size_t slot_count, uint64_t count, bool moved,
                    void *buffer, size_t size);

/* Reads some vertices of the primitive, at most r->block, into rows of the buffer. False if something was clamped or left out.
 */
bool st_reader_fill(const reader *r, uint64_t first, uint64_t row, size_t count, const moved_block *moved);

/* If the stream is a copy of the file's own bytes, makes that of all of them and returns true. */
bool st_reader_copy(const reader *r, const stream *s);

#endif
