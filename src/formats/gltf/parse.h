/* What the JSON of a glTF says, asked for value by value. Everything that is not as it should be is reported where it is, by
 * its JSON pointer, and answered as if it were not there, so that the rest can still be looked at; a document with errors is
 * never used. Parsing builds it, and from then on it stays as it is: check and load work with a copy of the struct. */
#ifndef ST_GLTF_PARSE_H
#define ST_GLTF_PARSE_H

#include "base/json.h"
#include "raw.h"

/* The lists of the document that others refer to by number. */
typedef enum gltf_list_name {
    GLTF_ACCESSORS,
    GLTF_ANIMATIONS,
    GLTF_BUFFERS,
    GLTF_BUFFER_VIEWS,
    GLTF_IMAGES,
    GLTF_MATERIALS,
    GLTF_MESHES,
    GLTF_NODES,
    GLTF_SAMPLERS,
    GLTF_SCENES,
    GLTF_SKINS,
    GLTF_TEXTURES,
    GLTF_LISTS
} gltf_list_name;

typedef struct gltf_list {
    uint32_t *items; /* tokens of objects */
    uint32_t count;
} gltf_list;

typedef struct gltf_buffer {
    const uint8_t *data; /* NULL: it cannot be had */
    uint64_t size;       /* as it says, which it has at least */
    const char *file;    /* its name, or NULL: it is inside */
    bool undefined;      /* it has no bytes, which is allowed as long as nobody wants them */
} gltf_buffer;

typedef struct gltf_buffer_view {
    const uint8_t *data; /* NULL: it cannot be had */
    uint64_t size;
    bool undefined;                  /* as its buffer is */
    uint32_t stride;                 /* 0: the rows follow each other */
    struct gltf_accessor *accessors; /* those in it */
} gltf_buffer_view;

/* Values of an accessor that lie elsewhere: as many rows of each. */
typedef struct gltf_sparse {
    stele_view indices, values; /* no rows: it is not sparse */
} gltf_sparse;

typedef enum gltf_shape { GLTF_SCALAR, GLTF_VEC2, GLTF_VEC3, GLTF_VEC4, GLTF_MAT2, GLTF_MAT3, GLTF_MAT4 } gltf_shape;

typedef struct gltf_accessor {
    gltf_shape shape;
    stele_view view;      /* of the type that it says; data NULL: zeros, or it cannot be had */
    uint32_t buffer_view; /* STELE_NONE: zeros */
    bool usable;
    bool built; /* the view has its sparse values */
    gltf_sparse sparse;
    struct gltf_accessor *next; /* in the same buffer view */
} gltf_accessor;

/* What an accessor is used for, so that its values can be checked. */
typedef enum gltf_use_kind { GLTF_FLOATS, GLTF_SPARSE_FLOATS, GLTF_TIMES, GLTF_INDICES } gltf_use_kind;

typedef struct gltf_use {
    gltf_use_kind kind;
    uint32_t accessor;
    diag_code nonfinite; /* of floats: what it is if they are not finite */
    uint64_t limit;      /* of indices */
} gltf_use;

/* What the model has no place for. */
typedef enum gltf_rest {
    REST_ATTRIBUTE,
    REST_MORPH_ATTRIBUTE,
    REST_HIDDEN,
    REST_SCENE,
    REST_CAMERA,
    REST_CHANNEL,
    REST_MORPH_CHANNEL,
    REST_EXTRAS,
    REST_IMAGE,
    REST_NAME,
    REST_MEMBER,
    REST_PRIMITIVE,
    REST_ELSEWHERE,
    GLTF_REST
} gltf_rest;

typedef struct gltf_tally {
    uint32_t first; /* its token */
    uint64_t count;
} gltf_tally;

typedef struct gltf_doc {
    json json;
    const uint8_t *text; /* of it, in the file: the JSON may be of a copy */
    context *c;          /* of whoever works with it */
    arena *arena;
    bool broken;      /* there are errors */
    uint64_t bytes;   /* of the file and all its buffers */
    uint64_t built;   /* bytes made for what has none in a buffer */
    uint64_t scanned; /* bytes looked at */
    gltf_list lists[GLTF_LISTS];
    gltf_buffer *buffers;
    gltf_buffer_view *buffer_views;
    gltf_accessor *accessors;
    gltf_use *uses; /* of accessors that can be used */
    size_t use_count, use_capacity;
    uint32_t scene; /* the one that is shown */
    gltf_tally rest[GLTF_REST];
    stele_model model;
} gltf_doc;

/* Reports a finding at a token (JSON_ABSENT: the whole document). */
void st_gltf_report(gltf_doc *d, diag_code code, uint32_t token, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The same at bytes of a buffer, so many times; the token is that of their accessor. */
void st_gltf_report_data(gltf_doc *d, diag_code code, uint32_t token, const void *at, uint64_t count, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* ---- Values; what is missing or wrong is JSON_ABSENT, STELE_NONE, or what is given ---- */

uint32_t st_gltf_member(gltf_doc *d, uint32_t object, const char *key, json_kind kind);
uint32_t st_gltf_extension(gltf_doc *d, uint32_t object, const char *name);
uint64_t st_gltf_uint(gltf_doc *d, uint32_t object, const char *key, uint64_t most, uint64_t otherwise);
bool st_gltf_required(gltf_doc *d, uint32_t object, const char *key, uint64_t most, uint64_t *value); /* a uint */
bool st_gltf_bool(gltf_doc *d, uint32_t object, const char *key);
float st_gltf_float(gltf_doc *d, uint32_t object, const char *key, float otherwise);
bool st_gltf_floats(gltf_doc *d, uint32_t object, const char *key, float *values, uint32_t count); /* false: not there */
const char *st_gltf_text(gltf_doc *d, uint32_t object, const char *key);                           /* or NULL */

/* The position of a string in a list of words that NULL ends; otherwise if it is not there, and if it is something else. */
unsigned st_gltf_word(gltf_doc *d, uint32_t object, const char *key, const char *const *words, unsigned otherwise);

/* A number that refers to an item of a list. */
uint32_t st_gltf_reference(gltf_doc *d, uint32_t token, gltf_list_name list);
uint32_t st_gltf_index(gltf_doc *d, uint32_t object, const char *key, gltf_list_name list);

static inline uint32_t gltf_item(const gltf_doc *d, gltf_list_name list, uint32_t index)
{
    return d->lists[list].items[index];
}

/* ---- URIs (parse_uri.c) ---- */

/* The bytes of a URI in a data URI, decoded. False if it is no data URI; *data is NULL if it is a bad one, which is reported.
 */
bool st_gltf_data_uri(gltf_doc *d, uint32_t token, const uint8_t **data, uint64_t *size, const char **mime_type);

/* How long the scheme of a URI is, with its colon; 0 if it has none. One letter is a drive of Windows. */
size_t st_gltf_scheme(const char *uri);

/* The bytes of a buffer view; without, and reported at the token, if its buffer has none. (parse_buffers.c) */
const uint8_t *st_gltf_view_bytes(gltf_doc *d, uint32_t token, uint32_t buffer_view);

/* The name of the file that a relative URI stands for; NULL if it is none, which is reported. */
const char *st_gltf_file_name(gltf_doc *d, uint32_t token);

/* ---- Parts of building it ---- */

void st_gltf_read_buffers(gltf_doc *d, const gltf_file *f); /* parse_buffers.c: buffers, buffer views, accessors */

/* Memory that no bytes of the file stand for: within a small multiple of them, or refused and reported. */
bool st_gltf_may_build(gltf_doc *d, uint32_t token, uint64_t rows, uint32_t row_size);
stele_view st_gltf_make(gltf_doc *d, uint32_t token, uint64_t count, stele_type type, uint32_t components, uint8_t **bytes);

/* True, and counted, if so many more bytes may be looked at: overlapping accessors must not make us read for ever. */
bool st_gltf_may_scan(gltf_doc *d, uint32_t token, uint64_t bytes);

/* Remembers a use for the check, and gives the values: of a morph that is only sparse, the sparse ones. */
stele_view st_gltf_use(gltf_doc *d, gltf_use use);

void st_gltf_read_materials(gltf_doc *d); /* parse_materials.c: materials and textures */
void st_gltf_read_meshes(gltf_doc *d);    /* parse_meshes.c */
void st_gltf_read_scene(gltf_doc *d);     /* parse_scene.c: nodes, skins, animations */

/* The weights of a mesh's morphs, as the mesh or a node of it says; NULL if it does not. (parse_meshes.c) */
const float *st_gltf_weights(gltf_doc *d, uint32_t token, const stele_mesh *mesh);

/* How many rotations of a clip are not of length 1 within 1 %. (check.c) */
uint64_t st_gltf_odd_rotations(gltf_doc *d, uint32_t clip);

/* Rules of the specification that no reader depends on, for a full check. (check_rules.c) */
void st_gltf_check_rules(gltf_doc *d, const gltf_file *f);

/* The primitive of a mesh behind another, or the first (JSON_ABSENT): those that the model has. (parse_meshes.c) */
uint32_t st_gltf_next_primitive(const gltf_doc *d, uint32_t mesh, uint32_t before);

/* The extras of an object become properties. Before that, one that has a place of its own in the model can be taken out: its
 * token, if it is of that kind. */
stele_properties st_gltf_extras(gltf_doc *d, uint32_t object, uint32_t taken);
uint32_t st_gltf_extra(const gltf_doc *d, uint32_t object, const char *key, json_kind kind);
stele_property st_gltf_property(gltf_doc *d, const char *key, uint32_t value);

/* ---- What the model has no place for (parse_rest.c) ---- */

/* One more of a kind, at a token; and at the end a report of all of them, with the extensions that are not supported. */
void st_gltf_lose(gltf_doc *d, gltf_rest kind, uint32_t token);
void st_gltf_report_rest(gltf_doc *d);

/* What the asset and the document say as a whole becomes properties of the model. */
void st_gltf_keep_asset(gltf_doc *d);

bool st_gltf_supports(const json *j, uint32_t name); /* of an extension */

#endif
