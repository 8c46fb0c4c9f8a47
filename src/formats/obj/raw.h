/* Wavefront OBJ and its MTL: what the files of this family share. */
#ifndef ST_OBJ_H
#define ST_OBJ_H

#include <string.h>

#include "base/hash.h"
#include "file/origin.h"
#include "formats/format.h"

/* A corner of a face, line or point: numbers of its position, texture coordinate and normal, from 0. NO_INDEX: it has none. */
typedef struct obj_corner {
    uint32_t v, vt, vn; /* vn with LAST_CORNER if the face ends here */
} obj_corner;

enum { NO_INDEX = 0x7fffffff };
#define LAST_CORNER 0x80000000u

static inline uint32_t corner_vn(const obj_corner *c)
{
    return c->vn & ~LAST_CORNER;
}

/* What holds for all faces that follow, until the next of its kind. */
typedef enum obj_event_kind { EVENT_OBJECT, EVENT_GROUP, EVENT_MATERIAL, EVENT_LIBRARY, EVENT_TOPOLOGY } obj_event_kind;

typedef struct obj_event {
    obj_event_kind kind;
    stele_topology topology;
    uint64_t corner; /* the first that follows */
    text name;       /* as it is in the file */
} obj_event;

enum { UNCOLORED = 0xff };

/* What is in the text. Floats are little-endian, as views have them. */
typedef struct obj_content {
    bool sound;          /* no errors, whatever the rules make of them */
    bool finite;         /* every number is */
    bool only_triangles; /* every three corners are a face */
    uint8_t *positions, *colors, *uvs, *normals;
    uint64_t position_count, uv_count, normal_count;
    bool colored; /* some positions have colours; the bytes of those that have none are UNCOLORED */
    obj_corner *corners;
    uint64_t corner_count;
    obj_event *events;
    size_t event_count;
    const byte_range *corner_texts; /* of each corner, if origins are wanted; otherwise NULL */
} obj_content;

typedef struct obj_file {
    raw_file base;
    span text;                  /* of a file that was read */
    const obj_content *content; /* of it, once it is parsed */
    struct obj_output *output;  /* of a file to be written: what the text is printed from */
} obj_file;

/* The bytes of a line without what is around it, up to a comment or the end of the line. */
static inline bool obj_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* How much of the bytes is text: ZBrush ends files with a NUL, and what is behind it are blanks. */
static inline uint64_t obj_text_size(const uint8_t *data, uint64_t size)
{
    uint64_t end = size;
    while (end && (!data[end - 1] || data[end - 1] == '\n' || obj_blank((char)data[end - 1])))
        end--;
    const uint8_t *nul = size > end ? memchr(data + end, 0, (size_t)(size - end)) : NULL;
    return nul ? (uint64_t)(nul - data) : size;
}

/* parse.c: fills the content, on the caller's threads, and reports what is wrong. */
void st_obj_parse(context *c, raw_file *raw);

/* statements.c: where a statement is: of those that begin with this word, or with f, l or p, the one of that number. */
typedef enum obj_statement { OBJ_NORMAL, OBJ_FACE } obj_statement;
const char *st_obj_statement(const obj_file *f, obj_statement kind, uint64_t number);

/* A place in the file, as "line 17". */
diag_place st_obj_place(context *c, const char *at, uint64_t count);

/* check.c, load.c */
void st_obj_check(context *c, const raw_file *raw);
bool st_obj_load(context *c, const raw_file *raw);

/* What polygons that are not convex may cost: enough for some thousand corners; a hostile file has no end of them. */
enum { MOST_COMPARISONS = 1 << 28 };
typedef struct clipping {
    arena *arena;         /* whose work it is */
    uint64_t comparisons; /* that are left */
    bool refused;         /* by the arena */
} clipping;

/* polygon.c: cuts a polygon of at least four corners into triangles: count - 2 of them, each three numbers of corners.
 * Scratch: two numbers a corner. Returns false if no comparisons are left and it is cut as if it were convex. */
bool st_obj_triangulate(const uint8_t *positions, const obj_corner *corners, uint32_t count, uint32_t *scratch, clipping *c,
                        uint32_t (*triangles)[3]);

/* materials.c: names and their numbers; of two with the same name the first counts. */
typedef struct obj_name {
    text name;
    uint32_t number;
} obj_name;

typedef struct obj_names {
    obj_name *names;
    size_t count, capacity;
    hash_table table;
} obj_names;

bool st_obj_same_name(text a, text b);
uint32_t st_obj_find_name(const obj_names *t, text name); /* STELE_NONE: not there */
bool st_obj_add_name(obj_names *t, arena *a, text name, uint32_t number);

/* The materials of a file, while it is loaded. */
typedef struct obj_materials {
    obj_names names, libraries;
    uint64_t undefined; /* that are used, and nowhere defined; and the first of them */
    text undefined_name;
    bool failed; /* no memory */
} obj_materials;

/* All materials of the file's libraries; and that of a name, which becomes a plain one if no library has it. */
void st_obj_load_libraries(context *c, obj_materials *m, const obj_content *o);
uint32_t st_obj_material(context *c, obj_materials *m, text name);
void st_obj_report_undefined(context *c, const obj_materials *m);

void st_obj_bring(context *c, const raw_file *raw);

/* mtl_load.c: adds the materials of a library to the model, and their names to the table. False without memory. */
bool st_mtl_load(context *c, const char *library, text content, obj_names *names);

/* mtl_save.c: what is written as MTL: the materials of a model under names that are unique, and the names of its textures. */
typedef struct mtl_file {
    const stele_model *model;
    const char **materials, **textures;
    uint64_t renamed; /* materials whose names are not what they were */
} mtl_file;

mtl_file *st_mtl_make(context *c);
void st_mtl_walk(walk *w, void *raw);

/* save.c */
bool st_obj_save(context *c, raw_file *raw);
void st_obj_print(walk *w, const obj_file *f);

/* A name that fits on a line: without control characters and blanks at its ends; otherwise if nothing is left. */
const char *st_obj_clean_name(arena *a, const char *name, const char *otherwise);

#endif
