/* What checking a file shares between formats: where findings go, and the checks of a mesh whatever its layout. */
#ifndef ST_CHECK_H
#define ST_CHECK_H

#include "context.h"

/* Where a pointer into the file is; STELE_NOWHERE for a pointer elsewhere. */
uint64_t st_check_offset(const context *c, const void *pointer);

/* A place: an offset in the file, how often, and the printf of its path. Good until the next place is made. */
diag_place st_check_place(context *c, uint64_t offset, uint64_t count, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A path in a buffer of the caller's, for functions that take one. */
const char *st_check_path(char path[WALK_PATH], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reports a byte that should be 0 or 1. */
void st_check_flag(context *c, uint8_t flag, uint64_t offset, const char *path);

/* NUL, UTF-8. The path is that of the string. */
void st_check_string(context *c, const text *string, const char *path);
void st_check_utf8(context *c, const text *string, const char *path);

/* The string in a field of a fixed size: up to its NUL and with it, or the whole field if it has none. */
text st_fixed_text(const span *field);

/* How often something was found, and where first: its number, and its bytes if they are not found by that. */
typedef struct tally {
    uint64_t count, first;
    const uint8_t *at;
} tally;

static inline void tally_note(tally *t, uint64_t where, const uint8_t *at)
{
    if (t->count++ == 0) {
        t->first = where;
        t->at = at;
    }
}

/* Reports every circle in a list of parents once, at list[i]. */
enum { NO_PARENT = -1 };
typedef uint64_t (*offset_of_item)(const context *c, const void *list_of, uint64_t index);
void st_check_cycles(context *c, const int64_t *parent, uint64_t count, const char *list, offset_of_item offset_of,
                     const void *list_of);

/* Whether a vector of this squared length need not be repaired: a loose net, for memory speed. NaN is not. */
static inline bool st_unit_enough(float square)
{
    return square > 0.99f && square < 1.01f;
}

/* Floats of a vertex: components of them from data + stride * vertex. No components: the mesh does not have them. */
typedef struct vertex_floats {
    const uint8_t *data;
    uint32_t stride, components;
} vertex_floats;

typedef struct mesh_view {
    const char *path; /* "mesh[2]"; "" if the file is one mesh */
    bool one_uv;      /* uv sets are not numbered */
    uint64_t vertex_count;
    vertex_floats all; /* all floats of interleaved vertices, if they are together at the start of the row; or nothing */
    vertex_floats position, normal, uv, color, tangent, binormal, weight, bone;
    uint64_t bone_count; /* UINT64_MAX: not known */
    bool separate;       /* each attribute is an array of its own: a path is position[17], not vertices[17].position */
    bool unindexed;      /* no indices: every three vertices are a triangle */
    const uint8_t *indices;
    uint64_t index_count;
    stele_type index_type;
} mesh_view;

void st_check_mesh(context *c, const mesh_view *mesh);

/* The box of all finite positions. */
stele_bounds st_position_bounds(const vertex_floats *position, uint64_t vertex_count);
void st_bounds_add(stele_bounds *bounds, const stele_bounds *other);

#endif
