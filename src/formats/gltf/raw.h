/* glTF 2.0, private to its family: what both containers share. The walk sees the container only (a GLB's header and chunks, or
 * one text); what the JSON says is parsed by parse.c and written by save.c. */
#ifndef ST_GLTF_H
#define ST_GLTF_H

#include "formats/format.h"

enum { GLB_MAGIC = 0x46546C67, GLTF_VERSION = 2, GLB_HEADER = 12, GLB_CHUNK_HEADER = 8 };
enum { GLB_JSON = 0x4E4F534A, GLB_BIN = 0x004E4942 };

/* The properties of a model that are said of the document as a whole. */
#define GLTF_COPYRIGHT "gltf.copyright"
#define GLTF_ASSET_EXTRAS "gltf.asset_extras"
#define GLTF_EXTRAS "gltf.extras"

/* Bytes to be written, wherever they are: what lies in the mapped source is never copied. */
typedef struct gltf_piece {
    const void *data; /* NULL: zeros */
    uint64_t size;
} gltf_piece;

typedef struct gltf_pieces {
    gltf_piece *items;
    size_t count, capacity;
    uint64_t size; /* of all */
} gltf_pieces;

typedef struct gltf_chunk {
    uint64_t at; /* where its header is */
    uint32_t length, type;
    span data;         /* as it was read */
    gltf_pieces *made; /* or what it is made of */
} gltf_chunk;

typedef struct gltf_file {
    raw_file raw;
    uint32_t length;   /* of a GLB, as its header says */
    gltf_chunk *chunk; /* of a GLB, those that glTF does not know included */
    uint64_t chunk_count;
    gltf_pieces *made; /* the text of a .gltf that we write */

    /* reading: where the two parts are, in either container; no data if they are not there */
    span json, bin;
    const struct gltf_doc *document; /* what the JSON says, once it is parsed */
} gltf_file;

/* Appends bytes that must stay where they are; false without memory. */
bool st_gltf_add_piece(gltf_pieces *pieces, arena *a, const void *data, uint64_t size);

/* Writes the pieces of a gltf_pieces: the walk of a side file. */
void st_gltf_walk_pieces(walk *w, void *pieces);

void st_gltf_parse(context *c, raw_file *raw);
void st_gltf_check(context *c, const raw_file *raw);
bool st_gltf_load(context *c, const raw_file *raw);
void st_gltf_bring(context *c, const raw_file *raw);
bool st_glb_save(context *c, raw_file *raw);
bool st_gltf_save(context *c, raw_file *raw);

#endif
