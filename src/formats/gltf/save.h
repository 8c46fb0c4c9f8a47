/* Writing glTF: JSON as text (save_json.c), the buffer with its views and accessors (save_buffer.c), and the document. */
#ifndef ST_GLTF_SAVE_H
#define ST_GLTF_SAVE_H

#include "base/hash.h"
#include "raw.h"

/* ---- JSON: commas and escapes come by themselves; keys are NULL in arrays ---- */

typedef struct json_writer {
    arena *arena;
    gltf_pieces *text;
    bool lines;   /* for people */
    bool in_list; /* in one of the document's lists */
    char *block;
    size_t used, size; /* of the block */
    unsigned depth;
    bool first;         /* nothing is in the object or array yet */
    bool failed;        /* no memory */
    uint64_t not_utf8;  /* strings that had bytes replaced */
    uint64_t nonfinite; /* numbers that JSON cannot hold: null is written */
} json_writer;

void st_put_start(json_writer *j, arena *a, bool lines);
void st_put_object(json_writer *j, const char *key);
void st_put_array(json_writer *j, const char *key);
void st_put_end_object(json_writer *j);
void st_put_end_array(json_writer *j);
void st_put_uint(json_writer *j, const char *key, uint64_t value);
void st_put_bool(json_writer *j, const char *key, bool value);
void st_put_f32(json_writer *j, const char *key, float value);
void st_put_f64(json_writer *j, const char *key, double value);
void st_put_floats(json_writer *j, const char *key, const float *values, size_t count);
void st_put_string(json_writer *j, const char *key, const char *value);
void st_put_verbatim(json_writer *j, const char *key, const char *json);

/* A string that is a percent-encoded relative path, and one that is a data URI of the pieces. */
void st_put_uri(json_writer *j, const char *key, const char *path);
void st_put_data_uri(json_writer *j, const char *key, const gltf_pieces *bytes);

/* Hands out the last block. Padded with spaces to a multiple of 4, if asked. */
void st_put_finish(json_writer *j, bool pad);

/* ---- The buffer ---- */

enum { GLTF_ARRAY_BUFFER = 34962, GLTF_ELEMENT_ARRAY_BUFFER = 34963 };

/* What small things a bufferView gathers; glTF wants matrices by themselves. */
typedef enum gathering { GATHERS_NOTHING, GATHERS_KEYS, GATHERS_MATRICES } gathering;

typedef struct made_view {
    uint64_t offset, size;
    uint32_t stride; /* 0: not said */
    uint32_t target; /* 0: none */
    gathering gathers;
} made_view;

/* What an accessor is used for. The same view is packed once for each use. */
enum {
    USE_INDEX,
    USE_KEYS,
    USE_TIMES, /* these are shared by their content: many channels have keys at the same times */
    USE_MATRICES,
    USE_VERTEX /* plus the semantic */
};
typedef unsigned accessor_use;

typedef struct made_accessor {
    uint32_t view; /* STELE_NONE: zeros */
    uint64_t offset, count;
    stele_type type;
    uint32_t components;
    bool normalized, bounded;
    float min[3], max[3];
    uint64_t sparse_count; /* 0: not sparse */
    uint32_t sparse_indices, sparse_values;
    stele_type sparse_type;
} made_accessor;

typedef struct packed_view {
    stele_view view;
    accessor_use use;
    uint32_t accessor;
} packed_view;

typedef struct packer {
    context *c;
    arena *arena;
    gltf_pieces *bytes;
    made_view *views;
    size_t view_count, view_capacity;
    made_accessor *accessors;
    size_t accessor_count, accessor_capacity;
    packed_view *packed; /* already, and found by what it is */
    size_t packed_count, packed_capacity;
    hash_table found;
    bool failed; /* no memory */
} packer;

void st_pack_start(packer *p, context *c, gltf_pieces *bytes);

/* A new bufferView at the end of the buffer, at a multiple of 4. It has the bytes that are added until the next one. */
uint32_t st_pack_view(packer *p, uint32_t stride, uint32_t target);
void st_pack_add(packer *p, const void *data, uint64_t size);

enum { MOST_ATTRIBUTES = 64 };

/* The accessors of a primitive's attributes, which are at most MOST_ATTRIBUTES. */
void st_pack_attributes(packer *p, const stele_primitive *primitive, const char *path, uint32_t *accessors);
uint32_t st_pack_indices(packer *p, const stele_primitive *primitive, const char *path);

/* One view of a morph, dense or sparse, of so many vertices. Positions are bounded. */
uint32_t st_pack_morph(packer *p, const stele_morph *morph, const stele_view *view, uint64_t count, bool bounded,
                       const char *path);

/* Zeros, which need no bytes. */
uint32_t st_pack_zeros(packer *p, uint64_t count, uint32_t components, bool bounded);

/* Keys and matrices, of which many share a bufferView. */
uint32_t st_pack_times(packer *p, const stele_view *times);
uint32_t st_pack_rows(packer *p, const stele_view *values, accessor_use use);

/* A copy of a view as floats; no data without memory. */
stele_view st_pack_floats(packer *p, const stele_view *view);

/* ---- The document ---- */

/* What becomes of a node. */
enum {
    NODE_JOINT = 1,
    NODE_MOVES = 2,   /* a clip has its place */
    NODE_SKINNED = 4, /* it keeps its skin */
    NODE_LIFTED = 8   /* skinned, so that its own place has no effect: it is written as a root without one */
};

typedef struct writer {
    context *c;
    const stele_model *model;
    arena *arena;
    json_writer json;
    packer packer;
    uint8_t *plan; /* of each node */
    uint32_t *first_child, *next_sibling;
    bool common_root;              /* one more node, above all roots: the joints of a skin must have one */
    uint32_t *mesh_map, *skin_map; /* to those that are written; STELE_NONE: it is not */
    uint32_t mesh_count, skin_count;
    bool *skinned; /* meshes that keep their joints and weights */
    struct {
        bool unlit, specular, emissive_strength, texture_transform, webp;
    } uses;            /* of extensions */
    uint8_t *animated; /* paths of each node that the clip has already: a bit for each */
    bool any_clip;
    uint64_t sheared, lost_numbers, clamped_colors; /* so far */
} writer;

/* The same in all primitives of a mesh, or it is refused. */
static inline size_t morphs_of(const stele_mesh *mesh)
{
    return mesh->primitive_count ? mesh->primitives[0].morph_count : 0;
}

/* Decides what is written and where. False without memory. */
bool st_gltf_plan(writer *w);
bool st_gltf_drawn(const stele_primitive *p);

/* The arrays of the document, left out where they would be empty. */
void st_gltf_put_scene(writer *w);
void st_gltf_put_nodes(writer *w);
void st_gltf_put_meshes(writer *w);
void st_gltf_put_skins(writer *w);
void st_gltf_put_clips(writer *w);
void st_gltf_put_materials(writer *w);
void st_gltf_put_textures(writer *w);

/* What all objects have: a name, and the properties with one word of our own before them that they cannot replace (key NULL:
 * none; text NULL: it is true). */
void st_gltf_put_name(writer *w, const char *name);
void st_gltf_put_extras(writer *w, const stele_properties *properties, const char *own_key, const char *own_text);
void st_gltf_put_property(writer *w, const stele_property *property);

/* Brings a quaternion to length 1; false if it has it already, and stays to the bit. */
bool st_gltf_make_unit(float quaternion[4]);

void st_gltf_refuse(writer *w, const char *path, const char *why);

#endif
