/* glTF 2.0 in its two containers; docs/formats/gltf.md tells the whole story.
 *
 *   glb    a header and chunks: the first is the JSON, the second, if there is one, the buffer; others are kept
 *   gltf   the JSON itself, with its buffers in other files or in data URIs */
#include "raw.h"

#include <string.h>

#include "base/bytes.h"

static const stele_dialect_info dialects[] = {{"2.0", "glTF 2.0 of the Khronos Group"}};

bool st_gltf_add_piece(gltf_pieces *pieces, arena *a, const void *data, uint64_t size)
{
    if (!size)
        return true;
    gltf_piece *items = st_arena_grown(a, pieces->items, pieces->count, &pieces->capacity, sizeof *items);
    if (!items)
        return false;
    pieces->items = items;
    pieces->items[pieces->count++] = (gltf_piece){data, size};
    pieces->size += size;
    return true;
}

static void walk_pieces(walk *w, const char *name, const gltf_pieces *pieces)
{
    static const uint8_t zeros[256];
    for (size_t i = 0; i < pieces->count; i++) {
        const gltf_piece *piece = &pieces->items[i];
        uint64_t step = piece->data ? piece->size : sizeof zeros;
        for (uint64_t done = 0; done < piece->size; done += step) {
            span part = {piece->data ? piece->data : zeros, 0, 1};
            st_walk_blob(w, name, &part, step < piece->size - done ? step : piece->size - done);
        }
    }
}

void st_gltf_walk_pieces(walk *w, void *pieces)
{
    walk_pieces(w, NULL, pieces);
}

/* ---- GLB ---- */

static const char *chunk_meaning(uint64_t type)
{
    return type == GLB_JSON ? "JSON" : type == GLB_BIN ? "BIN" : NULL;
}

/* How many chunk headers there are within the length that the header gives; one that the file cuts off counts too. */
static uint64_t count_chunks(const walk *w, uint64_t end)
{
    uint64_t count = 0, at = w->at;
    while (at < end) {
        count++;
        if (at > w->size || w->size - at < GLB_CHUNK_HEADER)
            break;
        at += GLB_CHUNK_HEADER + (uint64_t)load_u32(w->data + at);
    }
    return count;
}

static void walk_chunk(walk *w, const gltf_file *f, gltf_chunk *c)
{
    c->at = w->at;
    W_U32(w, c, length);
    uint64_t type = !walk_reads(w) ? c->type : w->at + 4 <= w->size ? load_u32(w->data + w->at) : 0;
    const char *meaning = chunk_meaning(type);
    st_walk_uint(w, "type", STELE_U32, &type, meaning ? meaning : st_walk_letters(w, STELE_U32));
    c->type = (uint32_t)type;
    if (walk_ok(w) && walk_reads(w) && w->at + c->length > f->length)
        st_walk_fail(w, DIAG_SIZE_MISMATCH, c->at, "length", "is %u, so that the chunk ends after the file's length of %u",
                     c->length, f->length);
    if (c->made)
        walk_pieces(w, "data", c->made);
    else
        st_walk_blob(w, "data", &c->data, c->length);
}

static span data_of_chunk(const gltf_file *f, uint64_t index, uint32_t type)
{
    return index < f->chunk_count && f->chunk[index].type == type ? f->chunk[index].data : (span){0};
}

static void walk_glb(walk *w, raw_file *raw)
{
    gltf_file *f = (gltf_file *)raw;
    st_walk_constant(w, "magic", STELE_U32, GLB_MAGIC, DIAG_BAD_MAGIC);
    st_walk_constant(w, "version", STELE_U32, GLTF_VERSION, DIAG_BAD_VERSION);
    W_U32(w, f, length);
    if (walk_ok(w) && walk_reads(w)) {
        if (f->length < GLB_HEADER)
            st_walk_fail(w, DIAG_SIZE_MISMATCH, 8, "length", "is %u, less than the header itself", f->length);
        f->chunk_count = count_chunks(w, f->length);
    }
    W_LIST(w, f, chunk, f->chunk_count, GLB_CHUNK_HEADER) walk_chunk(w, f, &f->chunk[i]);
    if (!walk_reads(w) || !f->chunk)
        return;
    f->json = data_of_chunk(f, 0, GLB_JSON);
    f->bin = data_of_chunk(f, 1, GLB_BIN);
}

static void probe_glb(const uint8_t *data, uint64_t size, probe *p)
{
    if (size < 4 || load_u32(data) != GLB_MAGIC)
        return;
    if (size >= 8 && load_u32(data + 4) != GLTF_VERSION) {
        *p = (probe){.trust = TRUST_CERTAIN,
                     .problem = DIAG_BAD_VERSION,
                     .offset = 4,
                     .path = "version",
                     .text = "is not supported: only glTF 2 is"};
        return;
    }
    probe_try(p, TRUST_CERTAIN, 0, 0);
}

/* ---- The text ---- */

static void walk_gltf(walk *w, raw_file *raw)
{
    gltf_file *f = (gltf_file *)raw;
    if (f->made)
        walk_pieces(w, "json", f->made);
    else
        st_walk_blob(w, "json", &f->json, walk_reads(w) ? w->size - w->at : f->json.count);
}

/* Where the JSON begins behind white space and, though glTF forbids it, a byte order mark. */
static uint64_t start_of_json(const uint8_t *data, uint64_t size)
{
    uint64_t at = size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (at < size && (data[at] == ' ' || data[at] == '\t' || data[at] == '\r' || data[at] == '\n'))
        at++;
    return at;
}

/* Every glTF has an asset, but it may come last. */
static bool mentions_asset(const uint8_t *data, uint64_t size)
{
    static const char asset[] = "\"asset\"";
    const uint8_t *end = data + size;
    while (data < end && (data = memchr(data, '"', (size_t)(end - data)))) {
        if ((size_t)(end - data) >= strlen(asset) && memcmp(data, asset, strlen(asset)) == 0)
            return true;
        data++;
    }
    return false;
}

static void probe_gltf(const uint8_t *data, uint64_t size, probe *p)
{
    uint64_t at = start_of_json(data, size);
    if (at < size && data[at] == '{' && mentions_asset(data + at, size - at))
        probe_try(p, TRUST_PLAUSIBLE, 0, 0);
}

/* ---- Both ---- */

static sense sense_of(const raw_file *raw)
{
    const gltf_file *f = (const gltf_file *)raw;
    uint64_t size = f->json.data ? f->json.count : 0, at = start_of_json(f->json.data, size);
    return at < size && f->json.data[at] != '{' ? SENSE_ODD : SENSE_GOOD;
}

/* All there are: the model has the shape of glTF. */
#define CAPABILITIES (2 * STELE_EXACT_TIMES - 1)

const format st_format_glb = {
    .info = {.name = "glb",
             .title = "glTF 2.0, binary",
             .extensions = "glb",
             .capabilities = CAPABILITIES,
             .uv_sets = UINT32_MAX,
             .color_sets = UINT32_MAX,
             .influences = UINT32_MAX,
             .dialects = dialects,
             .dialect_count = 1},
    .raw_size = sizeof(gltf_file),
    .probe = probe_glb,
    .walk = walk_glb,
    .sense = sense_of,
    .parse = st_gltf_parse,
    .check = st_gltf_check,
    .load = st_gltf_load,
    .save = st_glb_save,
    .bring = st_gltf_bring,
};

const format st_format_gltf = {
    .info = {.name = "gltf",
             .title = "glTF 2.0, text",
             .extensions = "gltf",
             .companions = "bin",
             .capabilities = CAPABILITIES,
             .uv_sets = UINT32_MAX,
             .color_sets = UINT32_MAX,
             .influences = UINT32_MAX,
             .dialects = dialects,
             .dialect_count = 1},
    .raw_size = sizeof(gltf_file),
    .probe = probe_gltf,
    .walk = walk_gltf,
    .sense = sense_of,
    .parse = st_gltf_parse,
    .check = st_gltf_check,
    .load = st_gltf_load,
    .save = st_gltf_save,
    .bring = st_gltf_bring,
};
