/* Models in the making: what every load and save shares. The model itself is public, see stele.h. */
#ifndef ST_MODEL_H
#define ST_MODEL_H

#include "base/matrix.h"
#include "file/context.h"
#include "file/walk.h"

/* ---- Building; each copies what it is given, as the public functions do, and returns the index or STELE_NONE ---- */

uint32_t st_model_add_node(stele_model *model, arena *a, const stele_node *node);
uint32_t st_model_add_mesh(stele_model *model, arena *a, const stele_mesh *mesh);
uint32_t st_model_add_skin(stele_model *model, arena *a, const stele_skin *skin);
uint32_t st_model_add_clip(stele_model *model, arena *a, const stele_clip *clip); /* computes the duration */
uint32_t st_model_add_material(stele_model *model, arena *a, const stele_material *material);

/* Textures of the same name that hold the same are one. */
uint32_t st_model_add_texture(stele_model *model, arena *a, const stele_texture *texture);

/* Room for so many items in a list of a model, to which more may be added as above. Zeroed; NULL without memory. */
void *st_model_room(arena *a, uint64_t count, size_t item_size);

/* To change what was added. */
static inline stele_node *st_model_node(stele_model *model, uint32_t index)
{
    return (stele_node *)&model->nodes[index];
}

/* Adds a property, replacing one of the same key. The key and text are copied. */
void st_property_text(stele_properties *p, arena *a, const char *key, const char *text);
void st_property_json(stele_properties *p, arena *a, const char *key, const char *json);
void st_property_numbers(stele_properties *p, arena *a, const char *key, const double *numbers, size_t count);
void st_property_number(stele_properties *p, arena *a, const char *key, double number);

const char *st_property_text_of(const stele_properties *p, const char *key);                /* or NULL */
double st_property_number_of(const stele_properties *p, const char *key, double otherwise); /* the first number */

/* Sets model->order. False if nodes are their own ancestors, or indices of anything point nowhere; then *problem says what. */
bool st_model_finish(stele_model *model, arena *a, const char **problem);

/* What is wrong with a part of a model by itself, before it is added: none at all, an array without items, a number that its
 * enumeration does not have, a view of what is no number. NULL if nothing is. */
const char *st_node_problem(const stele_node *node);
const char *st_mesh_problem(const stele_mesh *mesh);
const char *st_skin_problem(const stele_skin *skin);
const char *st_clip_problem(const stele_clip *clip);
const char *st_material_problem(const stele_material *material);
const char *st_texture_problem(const stele_texture *texture);

/* What is wrong with a finished model that a program made, so that using it would read beyond what there is; NULL if nothing.
 */
const char *st_model_problem(const stele_model *model);

/* The nodes that draw, by the order of their meshes; NULL without memory. */
uint32_t *st_model_drawn(const stele_model *model, arena *a, size_t *count);

bool st_model_has_normals(const stele_model *model); /* any of its primitives */
/* The weight of a morph of the mesh that a node draws, at a time of a clip (STELE_NONE: at rest). */
double st_morph_weight(const stele_model *model, uint32_t node, uint32_t clip, double seconds, size_t morph);

/* stele_evaluate_nodes and _vertices, for those who know that the arrays are large enough and the indices are there. */
void st_evaluate_nodes(const stele_model *model, uint32_t clip, double seconds, double (*matrices)[16]);
bool st_evaluate_vertices(const stele_model *model, uint32_t node, uint32_t primitive, uint32_t clip, double seconds,
                          const double (*matrices)[16], float *positions, float *normals);

/* A summary of a model, for formats that are only known by it. */
void st_describe_model(const stele_model *model, arena *a, stele_info *info);

/* ---- Views ---- */

static inline const uint8_t *st_view_at(const stele_view *v, uint64_t row)
{
    return (const uint8_t *)v->data + row * v->stride;
}

stele_view st_view_f32(const void *data, uint64_t count, uint32_t stride, uint32_t components);

/* Packed memory for a view of so many rows, to be filled with little-endian numbers; *bytes is NULL without memory. */
stele_view st_view_make(arena *a, uint64_t count, stele_type type, uint32_t components, uint8_t **bytes);

/* Rows of one unsigned integer. */
static inline stele_view st_view_indices(const span *rows, stele_type type)
{
    return (stele_view){
        .data = rows->data, .count = rows->count, .stride = stele_type_size(type), .components = 1, .type = type};
}

uint64_t st_view_index(const stele_view *v, uint64_t row); /* of an unsigned integer without normalisation */

/* Row i of the triangles of a primitive with topology STELE_TRIANGLES: three vertices. */
uint64_t st_triangle_count(const stele_primitive *p);
void st_triangle(const stele_primitive *p, uint64_t triangle, uint64_t vertices[3]);

/* The box of all finite positions. */
stele_bounds st_view_bounds(const stele_view *position);
void st_bounds_add(stele_bounds *bounds, const stele_bounds *other);

/* Smooth normals of triangles, weighted by area; vertices at the same place share theirs. No rows for lines and points, without
 * positions, and without memory. */
stele_view st_normals_of(arena *a, const stele_primitive *p);

/* ---- Loading ---- */

/* What loading has besides: see context. */
typedef struct loading {
    stele_model *model; /* empty at first */
    const stele_load_options *options;
    const stele_choice_info *choices; /* of the format */
    size_t choice_count;
    const char *name; /* of the file, without folder and extension; "" if it has none */
    bool repair;
} loading;

/* The value of a choice of the format, such as st_load_choice(l, "ctc.bind"): what the caller said, or the default. */
const char *st_load_choice(const context *c, const char *name);
double st_load_fps(const context *c, double usual);

/* The texture of a name as it is in the file: its file is looked for beside the model, "x.*" by the usual types. A missing one
 * is reported, and taken all the same. */
uint32_t st_load_texture(context *c, const char *name, diag_place at);

/* A view with what is wrong put right, if loading repairs: then it is built anew and the repair reported, otherwise it
 * is the given one. */
stele_view st_repair_normals(context *c, const stele_primitive *p, const stele_view *normal, diag_place at);
stele_view st_repair_uvs(context *c, const stele_view *uv, diag_place at);       /* not finite: 0 */
stele_view st_repair_colors(context *c, const stele_view *color, diag_place at); /* not finite: 1; clamped to 0 ... 1 */

/* Joints and weights of any layout made fit for skinning: what is negative, not finite or refers to no joint is dropped, what
 * is listed twice is added up, sums become 1; vertices that nothing moves follow the neutral joint. */
typedef struct influence {
    uint32_t joint; /* STELE_NONE: none */
    double weight;
} influence;
enum { MOST_INFLUENCES = 64 };

void st_sort_influences(influence *items, size_t count); /* the greatest weight first, otherwise as they are */

/* The influences of a vertex as the file has them; returns how many, of at most MOST_INFLUENCES. */
typedef size_t (*influences_of)(const void *context, uint64_t vertex, influence *influences);

typedef struct skin_request {
    uint64_t vertex_count;
    influences_of influences;
    const void *context;
    size_t joint_count;
    diag_place place;
} skin_request;

typedef struct skin_result {
    stele_attribute attributes[2 * (MOST_INFLUENCES / 4)]; /* joints and weights of each set */
    size_t attribute_count;
    bool needs_neutral; /* some vertices refer to joint number joint_count: the neutral one, to be added to the skin */
} skin_result;

/* Joints come out as U8 or U16, weights as F32, most important first. False without memory. */
bool st_load_influences(context *c, const skin_request *request, skin_result *result);

/* ---- Saving ---- */

typedef struct side_file {
    const char *name; /* beside the output */
    void (*walk)(walk *w, void *raw);
    void *raw;
    bool same_is_fine; /* an existing file of the same bytes is left alone */
    struct side_file *next;
} side_file;

/* What saving has besides. */
typedef struct saving {
    const stele_model *model;
    uint32_t capabilities;   /* of the format */
    const char *format;      /* its name, as in keys of properties */
    double fps;              /* 0: not said */
    stele_textures textures; /* what becomes of them */
    const char *name;        /* of the output, without folder and extension; NULL: there is no place for a second file */
    side_file *side_files;
    double pose_values; /* see st_flat_afford */
} saving;

/* Reports all that the format has no word for, by its capabilities and what is in the model: "SFF has no skeleton: 42 joints
 * and 3 clips dropped". Called for every save, before it. */
void st_save_report(context *c);

/* Another file, to be written beside the output. Not if name is NULL. */
void st_save_beside(context *c, const char *name, void (*walk)(walk *w, void *raw), void *raw);

/* For formats whose textures are colours only: how materials use each texture of the model, as a set of these bits (NULL
 * without memory); and a report of those that no material uses as a colour. */
enum { TEXTURE_IS_COLOR = 1, TEXTURE_IS_OTHER = 2 };
uint8_t *st_texture_uses(context *c);
void st_report_other_textures(context *c, const uint8_t *uses);

/* The bytes of a texture: inside the model, or beside it. NULL if there are none. */
const void *st_save_texture_bytes(context *c, const stele_texture *texture, uint64_t *size);

/* Puts the bytes of a texture beside the output under a name, once. Names and bytes come from files that may want to put
 * anything anywhere: only images are copied, and only under names of images. Why it is not copied; NULL: it is. */
void st_save_texture_copy(context *c, const stele_texture *texture, const char *name);
const char *st_save_texture_problem(context *c, const stele_texture *texture, const char *name);

/* Brings a file from beside the source, under the same name, if it has one of these extensions ("mtl"). False if there is none.
 */
bool st_save_companion(context *c, const char *name, const char *extensions);

/* Which image a format takes a name for. */
typedef enum texture_naming {
    TEXTURE_BY_FILE,   /* the file of that name */
    TEXTURE_OPEN_TYPE, /* the same, but "x.*" is x of any type */
    TEXTURE_ANY_TYPE   /* that of any type, whatever type is named */
} texture_naming;

/* The name to write for a texture that is not embedded: what the file said if the format will find the same image by it,
 * otherwise the name of the image that was found. */
const char *st_save_file_name(context *c, const stele_texture *texture, texture_naming naming);

/* The name that a format that only names textures should write: that, and the file is copied if it is to be; embedded images
 * get a name and, when they are to be copied, a file of that name. */
const char *st_save_texture_name(context *c, uint32_t texture, texture_naming naming);

#endif
