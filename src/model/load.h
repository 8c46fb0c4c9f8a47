/* Loading a model: what every format shares. */
#ifndef ST_LOAD_H
#define ST_LOAD_H

#include "build.h"
#include "file/context.h"
#include "file/origin.h"
#include "view.h"

/* What loading has besides: see context. */
typedef struct loading {
    stele_model *model; /* empty at first */
    const stele_load_options *options;
    const stele_choice_info *choices; /* of the format */
    size_t choice_count;
    const char *name; /* of the file, without folder and extension; "" if it has none */
    bool repair;
} loading;

/* The value of a choice of the format, such as st_load_choice(c, "ctc.bind"): what the caller said, or the default. */
const char *st_load_choice(const context *c, const char *name);
double st_load_fps(const context *c, double usual);

/* The texture of a name as it is in the file: its file is looked for beside the model, "x.*" by the usual types. A missing one
 * is reported, and taken all the same. */
uint32_t st_load_texture(context *c, const char *name, diag_place at);

/* A view with what is wrong put right, if loading repairs: then it is built anew and the repair reported, otherwise it
 * is the given one. */
stele_view st_repair_normals(context *c, const stele_primitive *p, const stele_view *normal, diag_place at);
uint64_t st_count_bad_normals(const stele_view *normal);
stele_view st_repair_uvs(context *c, const stele_view *uv, diag_place at);       /* not finite: 0 */
stele_view st_repair_colors(context *c, const stele_view *color, diag_place at); /* not finite: 1; clamped to 0 ... 1 */

/* Whichever of these an attribute has; others are fine. */
stele_view st_repair_attribute(context *c, const stele_primitive *p, const stele_attribute *a, diag_place at);

/* What else is done with rows while they are at hand: reading those of a large file from memory is what takes the time. */
typedef void (*row_visitor)(void *visitor, uint64_t first, uint64_t count);

/* Texture coordinates that start at the bottom, as the model has them: from the top. They are turned block by block, and the
 * visitor, which may be NULL, gets each block. */
stele_view st_flipped_uvs(const context *c, const stele_view *uv, row_visitor visit, void *visitor);

/* A visitor that looks whether normals are of length 1; if all are, they are known to be in the end. */
typedef struct normal_look {
    stele_view normal;
    bool other; /* some are not */
} normal_look;

void st_look_at_normals(void *look, uint64_t first, uint64_t count);
void st_know_normals(const context *c, const normal_look *look);

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

/* And the bytes that say so. */
typedef byte_range (*bytes_of_influences)(const void *context, uint64_t vertex);

typedef struct skin_request {
    uint64_t vertex_count;
    influences_of influences;
    bytes_of_influences bytes;
    const void *context;
    size_t joint_count;
    diag_place place;
} skin_request;

typedef struct skin_result {
    stele_attribute attributes[2 * (MOST_INFLUENCES / 4)]; /* joints and weights of each set */
    size_t attribute_count;
    bool needs_neutral; /* some vertices refer to joint number joint_count: the neutral one, to be added to the skin */
} skin_result;

/* An attribute more, in the room that the primitive's attributes have. */
static inline void primitive_add(stele_primitive *p, stele_semantic semantic, uint32_t set, stele_view view)
{
    ((stele_attribute *)p->attributes)[p->attribute_count++] = (stele_attribute){semantic, set, view};
}

static inline void primitive_add_skin(stele_primitive *p, const skin_result *skin)
{
    for (size_t i = 0; i < skin->attribute_count; i++)
        ((stele_attribute *)p->attributes)[p->attribute_count++] = skin->attributes[i];
}

/* Joints come out as U8 or U16, weights as F32, most important first. False without memory. */
bool st_load_influences(context *c, const skin_request *request, skin_result *result);

#endif
