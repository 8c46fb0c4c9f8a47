/* stele.h - the model files of small game engines: read, checked, explained, converted and written.
 *
 * Stele opens a file, finds out by its content which format and dialect it is, and keeps a view of every byte:
 *
 *     #include <stdio.h>
 *     #include <stele.h>
 *
 *     int main(int argc, char **argv)
 *     {
 *         stele_file *file = stele_open(argc > 1 ? argv[1] : "hat.sgm", NULL);
 *         if (stele_file_status(file) != STELE_OK)
 *             fprintf(stderr, "%s\n", stele_file_message(file));
 *         const stele_info *info = stele_file_info(file);
 *         for (size_t i = 0; info && i < info->mesh_count; i++)
 *             printf("mesh %zu: %llu triangles\n", i, (unsigned long long)info->meshes[i].triangles);
 *         stele_close(file);
 *         return 0;
 *     }
 *
 * THE HANDLE. Opening always gives a handle, also for a damaged or unknown file; it holds the status, the diagnostics and as
 * much of the content as could be read. Only when there is no memory for the handle itself is it NULL, and every function
 * takes NULL (its status is STELE_NO_MEMORY). One handle, one stele_close, which frees all that was ever returned for it.
 *
 * STATUS. Every call that works with a handle and can fail sets the handle's status and message, and returns that status if it
 * returns one: they are those of the last such call, so that a failure is over with the next success. Calls that only look
 * (those that take a const handle) leave them alone. What opening said of the file itself stays: stele_open_status. A call that
 * makes no sense is STELE_USAGE and changes nothing: a NULL where something is needed, a value that its enumeration does not
 * have, an index of what is not there. Pointers to results (count, size) may be NULL.
 *
 * OPTIONS. Every options struct may be NULL or all zeros: that is the default. Set only what you want to change. Arguments come
 * in one order: the object, where the result goes, the options.
 *
 * MEMORY. Large files are mapped and bulk data is never copied: pointers in results point into the mapped bytes, without any
 * alignment and in little-endian order. What Stele allocates is a small multiple of the number of records in the file (and, for
 * a compressed file, its content), comes from your allocator if you give one, and never passes your memory limit.
 *
 * LIMITS. A small file can ask for a lot: one mesh drawn by every node, a clip with a key of its own for every joint, an image
 * that unpacks to a thousand times its size. What would take more memory or work than the limits say is refused, with
 * STELE_NO_MEMORY or STELE_TOO_MUCH_WORK. The usual limits are in proportion to the bytes of the file and of the files that it
 * names, and far from what models need: a file of 100 kB gets about 120 MB, 100 MB more for the images of pictures, and one
 * second of a usual machine. Work is counted, not timed: the same call is refused everywhere or nowhere.
 *
 * CALLBACKS must not call a function with the file that they are called for.
 *
 * THREADS. There is no global state. Different handles may be used by different threads; one handle by one thread at a time.
 *
 * FILES THAT CHANGE. Files up to 1 MiB are read, larger ones are mapped. Whoever writes to a mapped file (or to bytes that you
 * gave) meanwhile makes results wrong, but never makes Stele leave its memory; saving then fails, and stele_file_changed tells.
 * Yet the views of a model show what is there now: compare indices before you use them, or set options.read_file to have the
 * bytes read into memory. And a mapped file that somebody truncates raises SIGBUS, as with any mapping.
 *
 * STABILITY. Until 1.0 a minor version (0.2) may change anything, and CHANGELOG.md says what; a patch (0.1.1) changes nothing
 * that a program sees. From 1.0 on a program that was built with an older header goes on to work with a newer library of the
 * same soname: functions and enumerators are added and never changed, and only these structs grow, at their end. Options begin
 * with their size: sizeof, or 0 for the fields that they had in the first version. A library that is older than the header
 * takes them too, unless a field that it does not know is set: that is STELE_USAGE. So zero the structs that you fill, and set
 * the size if you use fields that were added. stele_model, stele_info and stele_format_info come from the library, which alone
 * knows how large they are; structs in arrays (nodes, slots, ...) and stele_load_options stay as they are.
 *
 * Stele does NOT
 *   - print, exit, call setlocale, start threads or keep anything between calls;
 *   - trust a file: counts, indices and offsets are compared with what is there before they are used;
 *   - repair in silence: what is odd is a diagnostic, what a conversion cannot keep is a diagnostic of severity STELE_LOSS;
 *   - decode images but for pictures: elsewhere textures are names and bytes;
 *   - follow a name out of the model's folder, unless load.allow_outside says so.
 *
 * Strings are UTF-8 as far as the file's are; those that come from a file may hold any byte but NUL.
 */
#ifndef STELE_H
#define STELE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define STELE_API __attribute__((visibility("default")))
#else
#define STELE_API
#endif

#define STELE_VERSION "0.1.0"

/* The version of the library that is linked, which may be newer than the header's STELE_VERSION. */
STELE_API const char *stele_version(void);

/* What it was built by, for what, and with which libraries, in one line, cut to room bytes with its NUL. */
STELE_API void stele_build_facts(char *text, size_t room);

/* ---- Outcomes ---------------------------------------------------------------------------------------------------------- */

typedef enum stele_status {
    STELE_OK = 0,            /* all went well; there may be warnings */
    STELE_DAMAGED = 1,       /* the file is of a known format, and has errors */
    STELE_USAGE = 2,         /* the call makes no sense: an unknown format, dialect, target or id */
    STELE_IO = 3,            /* the file cannot be read or written */
    STELE_UNSUPPORTED = 4,   /* not a format that Stele knows, or a version that it does not read or write */
    STELE_NO_MEMORY = 5,     /* the allocator or the memory limit said no */
    STELE_CANCELLED = 6,     /* your progress callback said no */
    STELE_LOSSY = 7,         /* strict saving: something would be lost, nothing was written */
    STELE_DIFFERENT = 8,     /* two models are not the same */
    STELE_EXISTS = 9,        /* there is a file of that name already, and options.overwrite is not set */
    STELE_TOO_MUCH_WORK = 10 /* the limit of work said no */
} stele_status;

/* ---- Diagnostics ------------------------------------------------------------------------------------------------------- */

typedef enum stele_severity {
    STELE_OFF = 0,
    STELE_NOTE = 1,    /* worth knowing */
    STELE_WARNING = 2, /* wrong or suspicious, but engines load it */
    STELE_LOSS = 3,    /* what a conversion could not keep */
    STELE_ERROR = 4    /* the file cannot be used safely or as it was meant */
} stele_severity;

#define STELE_NOWHERE UINT64_MAX

typedef struct stele_diagnostic {
    const char *id; /* stable, such as "index-out-of-range" */
    stele_severity severity;
    uint64_t offset;  /* of the first byte concerned; STELE_NOWHERE if there is none */
    bool unpacked;    /* the offset counts in the unpacked content of a compressed file */
    uint64_t count;   /* how often this was found here, at least 1; offset and path are those of the first */
    const char *path; /* such as "mesh[2].indices[17]"; "" for the file as a whole */
    const char *text; /* what is wrong, for people */
} stele_diagnostic;

typedef struct stele_diagnostic_kind {
    const char *id;
    stele_severity severity; /* the default one */
    const char *summary;
} stele_diagnostic_kind;

/* All kinds of diagnostics. The list is static and ordered by nothing in particular; ids are never reused. */
STELE_API const stele_diagnostic_kind *stele_diagnostic_kinds(size_t *count);

/* Raises, lowers or silences (STELE_OFF) one kind. Structural errors cannot be made harmless: the status stays. */
typedef struct stele_rule {
    const char *id;
    stele_severity severity;
} stele_rule;

/* ---- Options of opening ------------------------------------------------------------------------------------------------ */

typedef struct stele_allocator {
    void *(*allocate)(void *user, size_t size); /* NULL when there is none left; aligned as malloc */
    void (*release)(void *user, void *memory, size_t size);
    void *user;
} stele_allocator;

typedef enum stele_check_level {
    STELE_CHECK_SAFE = 0,      /* structure, index range, finite floats: all that using the data safely needs */
    STELE_CHECK_STRUCTURE = 1, /* structure only: the fastest */
    STELE_CHECK_FULL = 2       /* every finding that Stele knows */
} stele_check_level;

/* Finds a file that a model refers to by name (a texture, an animation file). Returns false if there is none; bytes at NULL are
 * none either. With data NULL only its existence is asked. The bytes must stay until stele_close of the file that asked. */
typedef bool (*stele_lookup)(void *user, const char *name, const void **data, size_t *size);

/* Runs task(context, 0) ... task(context, count - 1), in any order, on any threads, and returns when all are done. */
typedef void (*stele_task)(void *context, size_t index);
typedef void (*stele_parallel)(void *user, size_t count, stele_task task, void *context);

/* A choice where a format leaves something open: {"ctc.bind", "forward"}. stele_format_info lists them. */
typedef struct stele_choice {
    const char *name, *value;
} stele_choice;

/* How the bytes are taken as a model. */
typedef struct stele_load_options {
    double fps;     /* frames a second (0.001 to 1,000,000), where a format only counts frames; 0: as usual for it */
    bool no_repair; /* take everything literally */
    const stele_choice *choices;
    size_t choice_count;
    bool allow_outside; /* follow names out of the model's folder */
    bool origins;       /* for stele_row_origin and stele_part_origin: takes memory, of which the limit holds once more */
} stele_load_options;

/* Called now and then with what is done; return false to cancel. */
typedef bool (*stele_progress)(void *user, uint64_t done, uint64_t total);

typedef struct stele_options {
    uint32_t size;             /* sizeof, or 0: see STABILITY */
    stele_allocator allocator; /* default: malloc and free */
    uint64_t memory_limit;     /* most bytes ever allocated at once for this handle; 0: the usual limit, UINT64_MAX: none */
    uint64_t work_limit;       /* most units of work for a call, with opening and loading; 0 and UINT64_MAX: the same */
    const char *format;        /* a format's name, to skip detection */
    const char *name;          /* a file name for data that has none: its extension breaks ties */
    const char *beside;        /* a path: data that has none is taken to lie in its folder, with the files that it names */
    stele_check_level check;
    const char *target; /* with STELE_CHECK_FULL: an engine whose limits are checked too, such as "rayne" */
    const stele_rule *rules;
    size_t rule_count;
    bool read_file;            /* read into memory, do not map */
    bool separate_allocations; /* for debugging: one allocation per object, so that a sanitizer sees overruns */
    stele_lookup lookup;       /* default: the folder of the path; nothing for memory and callbacks, but see beside */
    void *lookup_user;
    stele_parallel parallel; /* default: all work is done on the calling thread */
    void *parallel_user;
    stele_load_options load; /* of stele_file_model */
    stele_progress progress; /* asked during all calls with the handle, on their thread; done is units of work, total the limit.
                              * A cancelled call is STELE_CANCELLED; a file or model that was not complete then stays so */
    void *progress_user;
} stele_options;

/* ---- Opening and closing ----------------------------------------------------------------------------------------------- */

typedef struct stele_file stele_file;

/* Opens a file by path. Regular files are mapped (small ones are read), pipes and devices are read to their end. */
STELE_API stele_file *stele_open(const char *path, const stele_options *options);

/* Opens bytes in memory, which must stay until stele_close, and should stay unchanged: see FILES THAT CHANGE. */
STELE_API stele_file *stele_open_memory(const void *data, size_t size, const stele_options *options);

/* Opens what a callback delivers: it fills up to size bytes and returns how many; 0 at the end, SIZE_MAX on failure. */
typedef size_t (*stele_read)(void *user, void *buffer, size_t size);
STELE_API stele_file *stele_open_callback(stele_read read, void *user, const stele_options *options);

STELE_API void stele_close(stele_file *file);

/* ---- What it is -------------------------------------------------------------------------------------------------------- */

/* The outcome of the last call, opening included; and the most important thing to say about it, in one line: the first error,
 * or "ok". Never NULL. */
STELE_API stele_status stele_file_status(const stele_file *file);
STELE_API const char *stele_file_message(const stele_file *file);

/* The outcome of opening, whatever was called since: whether the file is sound, as far as it was checked. */
STELE_API stele_status stele_open_status(const stele_file *file);
STELE_API const char *stele_open_message(const stele_file *file);

/* Names from the registry, such as "sgm" and "v3"; NULL if the file is not of a known format. */
STELE_API const char *stele_file_format(const stele_file *file);
STELE_API const char *stele_file_dialect(const stele_file *file);

/* The bytes of the file. */
STELE_API const void *stele_file_bytes(const stele_file *file, uint64_t *size);

/* All diagnostics so far, in the order in which they were found. The array is valid until the next call with this file. */
STELE_API const stele_diagnostic *stele_file_diagnostics(const stele_file *file, size_t *count);

/* Adds a finding of the caller's own, such as what an importer could not keep: its id is one of stele_diagnostic_kinds. A loss
 * is one for strict saving too. A status other than STELE_OK becomes the handle's, as if opening had ended so, and the text its
 * message. */
STELE_API stele_status stele_file_report(stele_file *file, stele_status status, const char *id, uint64_t count,
                                         const char *text);

/* What the file was read with so far: the paths of files beside it that were opened, and of the textures that its model names
 * (once stele_file_model was asked for it). In order, each once; the file itself is not among them, nor what a lookup of the
 * caller's delivered. The array is valid until the next call with this file. */
STELE_API const char *const *stele_file_inputs(stele_file *file, size_t *count);

/* True if the file on disk is no longer the one that was opened: another size or modification time. */
STELE_API bool stele_file_changed(const stele_file *file);

/* Bytes now allocated for this handle, and the most that they may become, by memory_limit or by the usual one for this file;
 * neither the mapping counts nor what the option origins takes. */
STELE_API uint64_t stele_file_memory(const stele_file *file);
STELE_API uint64_t stele_file_memory_limit(const stele_file *file);

/* Units of work of the last call, with those of opening and loading; the limit at most. */
STELE_API uint64_t stele_file_work(const stele_file *file);

/* ---- A summary --------------------------------------------------------------------------------------------------------- */

#define STELE_NONE UINT32_MAX

typedef struct stele_bounds {
    bool known; /* false: no finite position */
    float min[3], max[3];
} stele_bounds;

typedef struct stele_mesh_info {
    uint64_t vertices, indices;
    uint64_t triangles, lines, points; /* of one kind only */
    uint32_t material;                 /* STELE_NONE if there is none; it can be one that is not there in a damaged file */
    const char *const *attributes;
    size_t attribute_count;
    stele_bounds bounds;
} stele_mesh_info;

typedef struct stele_texture_info {
    const char *name;  /* as in the file */
    const char *role;  /* such as "base color" */
    const char *found; /* the name of the file that it stands for beside the model, or NULL */
    uint32_t uv_set;
    const void *data;       /* of an image inside the file, or NULL */
    uint64_t bytes;         /* of the image; 0 if it cannot be read */
    uint32_t width, height; /* as it says itself; 0 if that is not known */
} stele_texture_info;

typedef struct stele_color_info {
    const char *role;
    float rgba[4];
} stele_color_info;

typedef struct stele_material_info {
    const stele_texture_info *textures;
    size_t texture_count;
    const stele_color_info *colors;
    size_t color_count;
} stele_material_info;

typedef struct stele_clip_info {
    const char *name;
    double seconds;
    uint64_t tracks, keys; /* without keys it is no clip of the model */
    bool repeats;          /* it is the same as the last before it of its name: the model has them once */
} stele_clip_info;

typedef struct stele_companion_info {
    const char *role; /* such as "animation" */
    const char *name;
    bool found;
} stele_companion_info;

typedef struct stele_info {
    const stele_mesh_info *meshes;
    size_t mesh_count;
    const stele_material_info *materials;
    size_t material_count;
    const char *skeleton; /* its name, or NULL */
    uint64_t joints;      /* of this file or of its companion */
    const stele_clip_info *clips;
    size_t clip_count;
    const stele_companion_info *companions;
    size_t companion_count;
    uint64_t morphs, attachments;
    stele_bounds bounds;
} stele_info;

/* What is in the file, or in its model once that was changed: made on the first call, which reads the positions once, and again
 * after a change. NULL if the structure could not be read. */
STELE_API const stele_info *stele_file_info(stele_file *file);

/* What the nodes of the model draw at rest: a mesh counts as often as it is used, and one that no node uses does not. The
 * bounds are those of all vertices where they are then, in the space of the model; those of stele_file_info are the file's
 * numbers. */
typedef struct stele_drawn {
    uint64_t meshes; /* nodes that draw one */
    uint64_t vertices, triangles, lines, points;
    stele_bounds bounds;
} stele_drawn;
STELE_API stele_status stele_file_drawn(stele_file *file, stele_drawn *drawn);

/* ---- Every byte explained ---------------------------------------------------------------------------------------------- */

typedef enum stele_type {
    STELE_U8,
    STELE_U16,
    STELE_U32,
    STELE_U64,
    STELE_I32,
    STELE_F32,
    STELE_F64,
    STELE_CHAR,  /* text */
    STELE_BYTES, /* no meaning known */
    STELE_I8,
    STELE_I16,
    STELE_F16 /* only of a stele_slot */
} stele_type;

/* "f32"; and 4, its bytes. NULL and 0 for what is no type. */
STELE_API const char *stele_type_name(stele_type type);
STELE_API uint32_t stele_type_size(stele_type type);

/* A column of a bulk array: "normal", STELE_F32, 3. A plain array has one column with an empty name. */
typedef struct stele_column {
    const char *name;
    stele_type type;
    uint32_t components;
} stele_column;

typedef struct stele_field {
    uint64_t offset, size;
    bool unpacked;       /* in the unpacked content of a compressed file, whose own bytes come first */
    const char *path;    /* "mesh[2].vertex_count"; "" for a gap */
    const char *meaning; /* of an enumerated value, such as "normal map"; or NULL */
    const uint8_t *data; /* its bytes */
    stele_type type;     /* of a number or text; STELE_BYTES for bytes that are not looked into, or that nobody claims */
    bool array;          /* rows of columns rather than one value */
    uint64_t rows;
    const stele_column *columns;
    size_t column_count;
    uint64_t number; /* the value of an unsigned integer that is not an array; other scalars have one row and column */
} stele_field;

/* Calls each for every field in the order of the file, gaps included: together they cover every byte exactly once. The content
 * of a compressed file follows, and is covered in the same way. Return false to stop, which is STELE_CANCELLED. Works on
 * damaged files as far as they can be read; the rest is a gap. A field is valid during its call. */
typedef bool (*stele_each_field)(void *user, const stele_field *field);
STELE_API stele_status stele_file_explain(stele_file *file, stele_each_field each, void *user);

/* One element of an array field as a double, NaN beyond its rows, columns and components; and the least and greatest finite one
 * of a component (false if none is). */
STELE_API double stele_field_element(const stele_field *field, uint64_t row, size_t column, uint32_t component);
STELE_API bool stele_field_range(const stele_field *field, size_t column, uint32_t component, double *min, double *max);

/* The same of all components of all columns at once, in their order, which is faster: there must be room for as many. Where
 * none is finite, min is greater than max. */
STELE_API void stele_field_ranges(const stele_field *field, double *min, double *max);

/* ---- The model --------------------------------------------------------------------------------------------------------- */

/* What a file means, in one shape for all formats, that of glTF 2.0: right-handed, Y up, models face +Z, metres and seconds,
 * counter-clockwise triangles face the viewer, texture coordinates start at the top left, colours are linear, quaternions are
 * x, y, z, w, matrices are column by column and multiply columns. Where a format has other axes, a root node turns it: vertices
 * stay as they are in the file.
 *
 * Everything is an array and an index into another. A model belongs to its handle, and views point into the opened file where
 * they can: it is good until stele_close. */

/* Numbers: count rows of components, each row stride bytes after the one before. Little-endian, of any alignment. */
typedef struct stele_view {
    const void *data;
    uint64_t count;
    uint32_t stride;
    uint32_t components; /* 1 to 4, or 16 for a matrix */
    stele_type type;     /* STELE_U8, I8, U16, I16, U32 or F32 */
    bool normalized;     /* integers stand for 0 to 1, or -1 to 1 */
} stele_view;

/* One number, with normalisation applied; and a row of them as floats: view->components of them, 16 at most. The row and the
 * component must be there: below view->count and view->components. */
STELE_API double stele_view_number(const stele_view *view, uint64_t row, uint32_t component);
STELE_API void stele_view_row(const stele_view *view, uint64_t row, float *components);

/* What a format or a file says beyond the model: kept under a key such as "sgm.texture", carried through glTF's extras. Exactly
 * one of text, json and numbers is there. */
typedef struct stele_property {
    const char *key;
    const char *text;
    const char *json; /* any other value, as JSON */
    const double *numbers;
    size_t number_count;
} stele_property;

typedef struct stele_properties {
    const stele_property *items;
    size_t count;
} stele_properties;

typedef struct stele_transform {
    float translation[3];
    float rotation[4];
    float scale[3];
} stele_transform;

typedef struct stele_node {
    const char *name; /* NULL: none; so everywhere */
    uint32_t parent;  /* STELE_NONE: a root */
    stele_transform local;
    const float *matrix;  /* 16 floats instead of local, for what is no translation, rotation and scale; usually NULL */
    uint32_t mesh;        /* STELE_NONE, or what is drawn here */
    uint32_t skin;        /* STELE_NONE, or what moves it: then the node's own place has no effect, as in glTF */
    const float *weights; /* of the mesh's morphs, or NULL: as the mesh says */
    bool attachment;      /* a place to fasten something to */
    stele_properties properties;
} stele_node;

typedef enum stele_semantic {
    STELE_POSITION, /* 3 */
    STELE_NORMAL,   /* 3, of length 1 */
    STELE_TANGENT,  /* 4: bitangent = cross(normal, tangent) * w, towards the top of the image */
    STELE_UV,       /* 2 */
    STELE_COLOR,    /* 3 or 4, linear, multiplied with the base colour */
    STELE_JOINTS,   /* 4 indices into the joints of the skin: U8, U16 or U32 */
    STELE_WEIGHTS   /* 4, of sum 1 over all sets */
} stele_semantic;

typedef struct stele_attribute {
    stele_semantic semantic;
    uint32_t set; /* of texture coordinates, colours, joints and weights */
    stele_view view;
} stele_attribute;

/* What is added to positions, normals and tangents, times a weight. Views without rows are not there. */
typedef struct stele_morph {
    const char *name;
    stele_view vertices; /* the vertices that it moves, one for each row of the others; no rows: all of them */
    stele_view position, normal, tangent;
} stele_morph;

typedef enum stele_topology { STELE_TRIANGLES, STELE_LINES, STELE_POINTS } stele_topology;

typedef struct stele_primitive {
    stele_topology topology;
    uint64_t vertex_count;
    const stele_attribute *attributes;
    size_t attribute_count;
    stele_view indices; /* no rows: the vertices follow each other */
    uint32_t material;  /* STELE_NONE: a plain white one */
    const stele_morph *morphs;
    size_t morph_count; /* the same in all primitives of a mesh */
    stele_properties properties;
} stele_primitive;

/* The view of an attribute, or NULL if the primitive has none. */
STELE_API const stele_view *stele_primitive_view(const stele_primitive *primitive, stele_semantic semantic, uint32_t set);

typedef struct stele_mesh {
    const char *name;
    const stele_primitive *primitives;
    size_t primitive_count;
    const float *weights; /* of the morphs, or NULL: all 0 */
    stele_properties properties;
} stele_mesh;

typedef struct stele_skin {
    const char *name;
    const uint32_t *joints; /* nodes */
    size_t joint_count;
    stele_view inverse_bind; /* a matrix for each joint; no rows: identity */
    uint32_t skeleton;       /* the node above all joints, or STELE_NONE */
    stele_properties properties;
} stele_skin;

typedef enum stele_channel_path {
    STELE_TRANSLATION,
    STELE_ROTATION,
    STELE_SCALE,
    STELE_MORPH_WEIGHTS /* one value for each morph and key */
} stele_channel_path;

typedef enum stele_interpolation {
    STELE_LINEAR, /* rotations along the shorter arc */
    STELE_STEP,
    STELE_CUBIC /* three values a key: in-tangent, value, out-tangent */
} stele_interpolation;

typedef struct stele_channel {
    uint32_t node;
    stele_channel_path path;
    stele_interpolation interpolation;
    stele_view times; /* seconds, increasing */
    stele_view values;
} stele_channel;

typedef struct stele_clip {
    const char *name;
    double duration; /* seconds: the last key of all channels */
    const stele_channel *channels;
    size_t channel_count;
    stele_properties properties;
} stele_clip;

typedef struct stele_texture {
    const char *name; /* as the file has it, which may be "hat.*" */
    const char *file; /* what that stands for beside the model, or NULL if there is no such file */
    const void *data; /* an image inside the file, or NULL */
    uint64_t size;
    const char *mime_type;                           /* of data, such as "image/png" */
    uint16_t wrap_u, wrap_v, mag_filter, min_filter; /* as glTF numbers them; 0: not said, which is repeat and linear */
    stele_properties properties;
} stele_texture;

typedef struct stele_texture_use {
    uint32_t texture; /* STELE_NONE: none */
    uint32_t uv_set;
    float strength;                      /* of a normal or occlusion texture: 1 as a rule */
    float offset[2], rotation, scale[2]; /* of the texture coordinates, as KHR_texture_transform has it */
} stele_texture_use;

/* What textures are to a material. */
typedef enum stele_role {
    STELE_ROLE_BASE_COLOR,
    STELE_ROLE_NORMAL,
    STELE_ROLE_METALLIC_ROUGHNESS, /* roughness in green, metallic in blue */
    STELE_ROLE_OCCLUSION,          /* in red */
    STELE_ROLE_EMISSIVE,
    STELE_ROLE_SPECULAR, /* in alpha */
    STELE_ROLE_SPECULAR_COLOR,
    STELE_ROLE_COUNT
} stele_role;

STELE_API const char *stele_role_name(stele_role role); /* such as "base color"; NULL if there is no such role */

typedef enum stele_alpha_mode { STELE_OPAQUE, STELE_MASK, STELE_BLEND } stele_alpha_mode;

typedef struct stele_material {
    const char *name;
    float base_color[4];
    float metallic, roughness;
    float emissive[3], emissive_strength;
    float specular, specular_color[3];
    stele_texture_use textures[STELE_ROLE_COUNT];
    stele_alpha_mode alpha_mode;
    float alpha_cutoff;
    bool double_sided, unlit;
    stele_properties properties;
} stele_material;

typedef struct stele_model {
    const char *name;
    const stele_node *nodes;
    size_t node_count;
    const uint32_t *order; /* all nodes, parents before their children */
    const stele_mesh *meshes;
    size_t mesh_count;
    const stele_skin *skins;
    size_t skin_count;
    const stele_clip *clips;
    size_t clip_count;
    const stele_material *materials;
    size_t material_count;
    const stele_texture *textures;
    size_t texture_count;
    stele_properties properties;
    const size_t *first_weight; /* for each node, where the weights of its mesh's morphs begin among those of all nodes */
    size_t weight_count;        /* of all nodes */
} stele_model;

/* The model of a file: made on the first call, with options.load. Repairs are diagnostics of the file. NULL if the file has
 * errors, or no memory is left; the status says which. Adding and baking make another of it: ask again. */
STELE_API const stele_model *stele_file_model(stele_file *file);

/* The property of that key, or NULL. */
STELE_API const stele_property *stele_find_property(const stele_properties *properties, const char *key);

/* ---- Where it came from ------------------------------------------------------------------------------------------------ */

/* The bytes that something of the model was made of. */
typedef struct stele_origin {
    const char *file; /* NULL: the file itself; otherwise the name of one beside it */
    bool unpacked;    /* the offset is one of unpacked content */
    uint64_t offset;
    uint64_t size;    /* 0 for parts: see what stele_explain says of the path */
    const char *path; /* of parts, as findings name it; otherwise "" */
} stele_origin;

typedef enum stele_part {
    STELE_PART_NODE,
    STELE_PART_PRIMITIVE, /* counted through all meshes */
    STELE_PART_MATERIAL,
    STELE_PART_TEXTURE,
    STELE_PART_CLIP
} stele_part;

/* Where a row of one of the model's views came from: a vertex's position, an index, a key. False if no bytes say it (a node
 * that has no bone, times that are counted), or if the model was not loaded with the option origins. */
STELE_API bool stele_row_origin(stele_file *file, const stele_view *view, uint64_t row, stele_origin *origin);

/* The same of a part, by its number in the model. */
STELE_API bool stele_part_origin(stele_file *file, stele_part part, uint32_t index, stele_origin *origin);

/* ---- Making a model ---------------------------------------------------------------------------------------------------- */

/* A handle without a file, whose model is empty. Add to it, save it, close it. Adding also works on the model of an opened
 * file, which is then saved as changed. */
STELE_API stele_file *stele_new(const stele_options *options);

/* Memory that lives as long as the handle; NULL if there is none. Zeroed. */
STELE_API void *stele_memory(stele_file *file, uint64_t size);

/* What is neither drawn nor moved: no name, parent, mesh or skin; identity. A plain white material; a texture that is not used.
 */
STELE_API stele_node stele_default_node(void);
STELE_API stele_material stele_default_material(void);
STELE_API stele_texture_use stele_default_texture_use(void);

/* Each copies its struct with the arrays and strings in it, but not what views and textures point to, which must stay until
 * stele_close: take it from stele_memory. A node with weights is added after its mesh, which knows how many there are: as many
 * as the mesh has morphs; a matrix has 16 floats. Returns the index, or STELE_NONE: no memory, or STELE_USAGE if the struct
 * makes no sense by itself (a count without an array, an enumeration's value that there is not, a view of what is no number).
 * Afterwards ask stele_file_model again: it returns NULL, and saving fails, both with STELE_USAGE, as long as an index points
 * nowhere or a view has fewer rows than it needs. What was made of the model before (the summary, the textures of pictures) is
 * made anew. */
STELE_API uint32_t stele_add_node(stele_file *file, const stele_node *node);
STELE_API uint32_t stele_add_mesh(stele_file *file, const stele_mesh *mesh);
STELE_API uint32_t stele_add_skin(stele_file *file, const stele_skin *skin);
STELE_API uint32_t stele_add_clip(stele_file *file, const stele_clip *clip);
STELE_API uint32_t stele_add_material(stele_file *file, const stele_material *material);
STELE_API uint32_t stele_add_texture(stele_file *file, const stele_texture *texture);

/* A view of packed floats, little-endian as all views: count * components of them. */
STELE_API stele_view stele_float_view(const float *data, uint64_t count, uint32_t components);

/* ---- For engines: reading in bulk ------------------------------------------------------------------------------------------
 */

/* From here to the textures nothing takes a handle, allocates or remembers: a model is read, and the caller's memory written,
 * in the byte order of the machine. Any number of threads may share a model, each with its own output, until it is added to,
 * baked or closed: a thousand actors are one model and a thousand poses. The same bits come out everywhere, for there is only +
 * - * / and the square root. Sizes are compared before anything is written: what does not fit is STELE_USAGE. */

/* The first components of each row as floats, stride bytes apart (0: packed); what the view lacks is 0. Of keys, morphs and
 * matrices (16) too. Writes at most room rows, and returns how many: none if the stride is too small. */
STELE_API uint64_t stele_read_floats(const stele_view *view, uint32_t components, float *out, size_t stride, uint64_t room);

/* The least and the greatest of each component: view->components floats each. False without rows. */
STELE_API bool stele_view_range(const stele_view *view, float *least, float *greatest);

enum { STELE_MOST_SLOTS = 16 };

/* Where an attribute goes: that of vertex i to buffer + offset + i * stride. Slots of one stride whose places are less than
 * that apart are interleaved; others are streams of their own, anywhere in the buffer. */
typedef struct stele_slot {
    stele_semantic semantic;
    uint32_t set;
    stele_type type;     /* STELE_F32, F16, U8, I8, U16, I16 or U32; the nearest number, normalized within 0.502 steps */
    uint32_t components; /* 1 to 4 */
    bool normalized;     /* integers of 8 and 16 bits stand for 0 to 1, or -1 to 1 */
    uint32_t stride;     /* at most 2048; 0: packed */
    uint64_t offset;
    float bias[4], scale[4]; /* (value - bias) * scale is stored; scale[0] 0: the value itself */
} stele_slot;

/* The slot of a member of a struct: {STELE_SLOT(STELE_UV, 0, STELE_F16, 2, false, vertex, uv), ...}. */
#define STELE_SLOT(semantic, set, type, components, normalized, vertex, member)                                                \
    {                                                                                                                          \
        semantic, set, type, components, normalized, sizeof(vertex), offsetof(vertex, member), {0, 0, 0, 0},                   \
        {                                                                                                                      \
            0, 0, 0, 0                                                                                                         \
        }                                                                                                                      \
    }

/* Reads all vertices of a primitive into slots. What it lacks is neutral: normal 0 0 1, tangent 1 0 0 1, colour 1, weights
 * 1 0 0 0, else 0. Interleaved vertices are written whole and in order, and never read: mapped graphics memory will do. Bytes
 * between their slots, also those between a vertex and the next, become 0: from slot to slot equal vertices are equal bytes.
 * What lies before the first slot of the first vertex and after the last slot of the last one stays as it is. A set of
 * joints holds as many influences as the narrowest of its slots has numbers: if the file has more, the heaviest stay, made to
 * sum to 1. Normalized weights of 8 and 16 bits sum to exactly 255 and 65535, whatever other slots there are.
 *
 * STELE_LOSSY: all is written, but a number did not fit its type and was clamped, or influences were left out. STELE_USAGE: a
 * slot makes no sense, slots overlap, or size bytes are too few; nothing is written. */
STELE_API stele_status stele_read_vertices(const stele_primitive *primitive, const stele_slot *slots, size_t slot_count,
                                           void *buffer, size_t size);

/* The layout that the file has itself, to be uploaded as it is: slots that describe the size bytes returned, which live as long
 * as the model. Attributes that lie elsewhere (made or repaired by Stele) are left out: read them into a second buffer. Strides
 * and offsets are multiples of 4; the pointer need not be. NULL: there is none, read the vertices instead. */
STELE_API const void *stele_own_layout(const stele_primitive *primitive, stele_slot slots[STELE_MOST_SLOTS], size_t *slot_count,
                                       size_t *size);

/* How many indices there are; without any, as many as vertices. */
STELE_API uint64_t stele_index_count(const stele_primitive *primitive);

/* The indices, each plus add, as aligned STELE_U16 or U32; made where the primitive has none. STELE_LOSSY: 16 bits do not
 * suffice, and nothing is written. */
STELE_API stele_status stele_read_indices(const stele_primitive *primitive, uint32_t add, stele_type type, void *indices,
                                          size_t size);

/* ---- For engines: animating
 * -------------------------------------------------------------------------------------------------- */

/* The first of exactly that name, or STELE_NONE. Ask once: all are looked at. Attachments are nodes with `attachment`. */
STELE_API uint32_t stele_find_clip(const stele_model *model, const char *name);
STELE_API uint32_t stele_find_node(const stele_model *model, const char *name);

/* Memory of the caller's: a transform for each node, and model->weight_count weights of morphs or NULL. Those of a node's mesh
 * begin at model->first_weight[node]. Change them between calls as you like: root motion, inverse kinematics. */
typedef struct stele_pose {
    stele_transform *locals;
    size_t local_count;
    float *weights;
    size_t weight_count;
} stele_pose;

/* All nodes at a time of a clip (STELE_NONE: at rest). Before its first and after its last key a channel holds still; to loop,
 * give fmod(seconds, duration). keys may be NULL, or has a number for each channel of the clip, all 0 at first, that remembers
 * where the time was: playing on then searches nothing. Whatever is in it, the pose is the same. */
STELE_API stele_status stele_sample(const stele_model *model, uint32_t clip, double seconds, uint32_t *keys, size_t key_count,
                                    const stele_pose *pose);

/* Moves a pose towards another: by amount, times that of each node if amounts is not NULL; rotations along the shorter arc. By
 * 0 nothing changes, by 1 it is the other's exactly (a rotation may have all signs turned). To mix many, add one after the
 * other by its weight / the sum of the weights so far. */
STELE_API stele_status stele_blend(const stele_model *model, const stele_pose *pose, const stele_pose *other, float amount,
                                   const float *amounts, size_t amount_count);

/* A matrix of 16 floats for each node, by columns, from its space to that of the model. Nodes with a `matrix` have that instead
 * of their transform. */
STELE_API stele_status stele_node_matrices(const stele_model *model, const stele_pose *pose, float *matrices,
                                           size_t matrix_count);

/* A matrix for each joint of a skin, from vertices as they are in the file to the model: ready for a uniform or storage buffer.
 * With 16 floats by columns (mat4), with 12 three rows of four (GLSL's mat3x4: vec4(position, 1) * m). Matrices are those of
 * stele_node_matrices. */
STELE_API stele_status stele_skin_matrices(const stele_model *model, uint32_t skin, const float *matrices, size_t matrix_count,
                                           uint32_t floats, float *palette, size_t palette_count);

typedef struct stele_deform {
    const float *matrices; /* 12 floats for each joint, see above; NULL: not skinned. Joints beyond them weigh nothing */
    size_t matrix_count;
    const float *weights; /* one for each morph of the primitive; NULL: not morphed */
    size_t weight_count;
} stele_deform;

/* stele_read_vertices of count vertices from first on, as they are posed: morphed, then skinned by all sets of joints. Normals
 * turn by the inverse transpose, and like tangents come out with length 1. The first vertex goes to the start of the buffer, so
 * that each thread can have its range. */
STELE_API stele_status stele_deform_vertices(const stele_primitive *primitive, const stele_deform *deform, uint64_t first,
                                             uint64_t count, const stele_slot *slots, size_t slot_count, void *buffer,
                                             size_t size);

/* ---- For engines: textures --------------------------------------------------------------------------------------------------
 */

/* The file of a texture's image: inside the model, beside it, or from options.lookup. It stays until stele_close. NULL if it is
 * not found, which is STELE_IO. */
STELE_API const void *stele_texture_bytes(stele_file *file, uint32_t texture, size_t *size);

/* ---- Evaluating a model ------------------------------------------------------------------------------------------------ */

/* The matrix of every node in the space of the model, at a time of a clip (STELE_NONE: at rest). Before its first and after its
 * last key a channel holds still. False, and nothing is written, if there is no such clip or room for fewer matrices than the
 * model has nodes. */
STELE_API bool stele_evaluate_nodes(const stele_model *model, uint32_t clip, double seconds, double (*matrices)[16],
                                    size_t matrix_count);

/* The vertices of a primitive as they are drawn at a node, morphed and skinned: three floats each, in the space of the model.
 * The matrices are those of stele_evaluate_nodes at the same time. Normals may be NULL, and are left alone if the primitive has
 * none; both arrays have room for vertex_count vertices. False, and nothing is written, if the node draws no such primitive, it
 * has more vertices than that, there is no such clip, or there are fewer matrices than nodes. */
STELE_API bool stele_evaluate_vertices(const stele_model *model, uint32_t node, uint32_t primitive, uint32_t clip,
                                       double seconds, const double (*matrices)[16], size_t matrix_count, float *positions,
                                       float *normals, uint64_t vertex_count);

/* ---- Operations -------------------------------------------------------------------------------------------------------- */

/* Turns the model into a static one of what is seen at a time of a clip (STELE_NONE: at rest). After a failure it is as it was.
 */
STELE_API stele_status stele_bake(stele_file *file, uint32_t clip, double seconds);

/* Gives every mesh of triangles that has no normals smooth ones. */
STELE_API stele_status stele_make_normals(stele_file *file);

/* What a model costs: numbers of things, and how often a vertex is transformed for a triangle (ACMR: 0.5 at best, 3 at worst)
 * and for itself (ATVR: 1 at best) by hardware that keeps the last 16, and how often its bytes are fetched through 128 KiB of
 * cache (overfetch: 1 at best). */
typedef struct stele_measure {
    uint64_t vertices, triangles, vertex_bytes, index_bytes;
    double acmr, atvr, overfetch;
    uint64_t clips, channels, keys, materials, textures;
} stele_measure;

/* The largest differences between a model and what it was optimised to. Positions (at rest and at times of clips) and nodes are
 * measured as parts of the model's size, the others as they are; normals and tangents are one. */
typedef struct stele_optimize_errors {
    double position, normal, uv, color, weight, node;
    double picture; /* how different two small pictures of them are, on the whole: from 0 to 1 */
} stele_optimize_errors;

typedef struct stele_optimize_options {
    uint32_t size;    /* sizeof, or 0: see STABILITY */
    double tolerance; /* vertices that differ by no more become one (of positions: as a part of the model's size); 0: equal */
    double key_tolerance; /* keys that interpolation gives back within this go; 0: 0.00001; less than 0: all stay */
    double simplify;      /* keep this part of the triangles, as far as max_error allows; 0: all */
    double
        max_error; /* more must not differ, or nothing is changed; 0: 0.001, and 0.01 if triangles go or numbers are rounded */
    double round;  /* colours and weights become whole numbers of 8 or 16 bits that differ by no more; 0: by nothing */
    bool prune;    /* leave out materials and textures that nothing uses, and repeated clips: numbers of others change */
    bool keep_order; /* triangles stay in their order */
    bool whole_rows; /* translation, rotation and scale keep their keys together, as all formats but glTF have them */
} stele_optimize_options;

typedef struct stele_optimize_report {
    stele_measure before, after;
    stele_optimize_errors errors;
    double limit; /* that they must not pass */
    bool proven;  /* and do not */
    bool changed; /* the model is another; otherwise nothing could be gained */
} stele_optimize_report;

/* Makes the model draw and move as before and cost less: equal vertices become one; vertices that are not used and triangles
 * that cover nothing go; triangles and vertices get the order that hardware likes, indices the smallest type; keys go that say
 * nothing. Nodes, meshes, primitives, materials, skins and clips keep their numbers, and everything its properties. Then both
 * models are compared: if they differ by more than the limit it is STELE_DIFFERENT, and the model is as it was. The report may
 * be NULL. */
STELE_API stele_status stele_optimize(stele_file *file, const stele_optimize_options *options, stele_optimize_report *report);

/* One thing that was compared. Where single values were, a and b say them; where many were, error is the largest difference: of
 * positions as a part of the model's size, of others as it is. */
typedef struct stele_difference {
    const char *path; /* "mesh[0].position" */
    const char *a, *b;
    double error;
    bool equal; /* within the tolerance */
} stele_difference;

typedef void (*stele_each_difference)(void *user, const stele_difference *difference);

/* Compares the models of two files by what is drawn, what moves it and how it moves, not by how the files arrange it. Returns
 * STELE_OK if they are equal within the tolerance (0 or more), or STELE_DIFFERENT; otherwise why a model could not be had. Both
 * handles say the same. */
STELE_API stele_status stele_diff(stele_file *a, stele_file *b, double tolerance, stele_each_difference each, void *user);

/* ---- Writing ----------------------------------------------------------------------------------------------------------- */

/* What becomes of textures. */
typedef enum stele_textures {
    STELE_TEXTURES_REFER, /* files are named, and stay where they are; images inside stay inside, or become files beside it */
    STELE_TEXTURES_COPY,  /* files are put beside the output, and images inside become such files */
    STELE_TEXTURES_EMBED, /* into the file, where the format can; otherwise as above */
    STELE_TEXTURES_NAME   /* all are only named, and no image is written where the format has none inside */
} stele_textures;

typedef struct stele_save_options {
    uint32_t size;       /* sizeof, or 0: see STABILITY */
    const char *format;  /* default: by the extension of the path; for a callback, the format that the file has */
    const char *dialect; /* default: the dialect that the file has or had, or else the format's usual one */
    stele_textures textures;
    double fps;     /* frames a second (0.001 to 1,000,000), where a format only counts frames; 0: as usual for it */
    bool strict;    /* losses are errors: write nothing, return STELE_LOSSY */
    bool overwrite; /* replace an existing file, keeping its mode; otherwise that is STELE_EXISTS */
    bool sync;      /* force the bytes to disk before the file gets its name */
    stele_progress progress;
    void *progress_user;
    bool dry_run;      /* make everything, and write nothing: outputs and their bytes are those that there would be */
    bool same_is_fine; /* an existing file of the bytes that an unchanged copy has is left alone, and no error */
    bool check; /* nothing repairs what stays in its format: look for all that is wrong with it, as STELE_CHECK_FULL does.
                   stele_open_status then says whether it is sound; if it is not, strict writes nothing */
} stele_save_options;

/* Writes the file to a path, atomically: under a temporary name in the same folder, renamed when complete, removed on any
 * failure. In its own format and dialect the result is the opened file, byte for byte, and the files that belong to it go with
 * it; in another format it is what the model says, and files that belong to it (an .sga, a .bin, an .mtl) are written beside it
 * under the same name. Losses are added to the diagnostics. */
STELE_API stele_status stele_file_save(stele_file *file, const char *path, const stele_save_options *options);

/* The files that the last stele_file_save wrote: those beside it, and last the file itself. None if it failed. */
STELE_API const char *const *stele_file_outputs(const stele_file *file, size_t *count);

/* The bytes of all of them. */
STELE_API uint64_t stele_file_output_bytes(const stele_file *file);

/* The same to a callback, which returns false if it cannot take the bytes. What needs a second file then goes into the first,
 * or is lost. */
typedef bool (*stele_sink)(void *user, const void *data, size_t size);
STELE_API stele_status stele_file_write(stele_file *file, stele_sink sink, void *user, const stele_save_options *options);

/* A process that is killed while it saves leaves temporary files behind. This removes those of processes that are gone from a
 * folder ("." is the current one), and returns how many they were. */
STELE_API size_t stele_sweep(const char *folder);

/* ---- Pictures ---------------------------------------------------------------------------------------------------------- */

/* Pixels: four bytes each (red, green, blue, alpha, as sRGB, not premultiplied), rows from the top. */
typedef struct stele_picture {
    uint32_t width, height;
    uint8_t *rgba;
} stele_picture;

/* Decodes PNG, JPEG, WebP, TGA, BMP or DDS. With rgba NULL only width and height are filled; otherwise rgba has room for
 * width * height pixels of exactly that size. The name is needed for TGA only, and may be NULL. Some decoders allocate by
 * malloc. STELE_UNSUPPORTED: no image of these kinds; STELE_DAMAGED: one that cannot be decoded, then the pixels are anything.
 * The message is as that of stele_picture_save. */
STELE_API stele_status stele_decode_picture(const void *bytes, size_t size, const char *name, stele_picture *picture,
                                            char *message, size_t room);

typedef enum stele_overlay {
    STELE_OVERLAY_WIREFRAME = 1 << 0,
    STELE_OVERLAY_JOINTS = 1 << 1,
    STELE_OVERLAY_NORMALS = 1 << 2,
    STELE_OVERLAY_UV_CHECKER = 1 << 3, /* instead of textures */
    STELE_OVERLAY_BOUNDS = 1 << 4,
    STELE_OVERLAY_GRID = 1 << 5,  /* on the ground, below the model */
    STELE_OVERLAY_SHADOW = 1 << 6 /* the same */
} stele_overlay;

/* What a picture must show: a ball, or what is seen of it. */
typedef struct stele_framing {
    float center[3], radius;
    float lowest[3];                /* the least x, y and z of any vertex: one of them is the height of the ground */
    float left, right, bottom, top; /* the part of the camera's view that fills the picture, as slopes; all 0: the whole ball */
} stele_framing;

typedef struct stele_render_options {
    uint32_t size;    /* sizeof, or 0: see STABILITY */
    bool camera;      /* the next three are given; otherwise the model is seen from the front, half from the left */
    float yaw, pitch; /* degrees: where the camera is, from the front to the left (model's right), and upwards */
    float distance;   /* 1 or 0: the whole model fills the picture; 2: twice as far */
    bool posed;       /* at a time of a clip; otherwise at rest */
    uint32_t clip;
    double seconds;
    char up;                      /* 'x', 'y' or 'z': the axis of the model that is up; 0: 'y' */
    const uint8_t *background;    /* four bytes, as a pixel; NULL: a soft grey */
    unsigned overlays;            /* stele_overlay */
    const stele_framing *framing; /* NULL: that of the moment; see stele_frame */
} stele_render_options;

/* Draws the model into a picture of the caller's, width * height * 4 bytes, without any graphics hardware. The same model gives
 * the same bytes on every machine and with any number of threads. A side may have 65536 pixels. Textures that cannot be had are
 * drawn neutral, and reported as diagnostics. */
STELE_API stele_status stele_render(stele_file *file, const stele_picture *picture, const stele_render_options *options);

/* The framing that shows all of what moves, so that the camera of an animation stands still: all of a clip (posed and clip of
 * the options; otherwise the rest pose), seen by the camera of the options, or, all_round, by one that goes round the model at
 * its height. NULL is as for stele_render. */
STELE_API stele_status stele_frame(stele_file *file, const stele_render_options *options, bool all_round,
                                   stele_framing *framing);

/* Writes bytes of any kind to a path, in the way of stele_picture_save below. */
STELE_API stele_status stele_bytes_save(const void *data, size_t size, const char *path, const stele_save_options *options,
                                        char *message, size_t room);

/* Writes a picture as PNG: to a path, atomically and by the rules of stele_file_save, or to a callback. Of the options
 * overwrite, sync and progress count. A picture has no handle: what there is to say goes, cut to room bytes with its NUL, into
 * message, which may be NULL. */
STELE_API stele_status stele_picture_save(const stele_picture *picture, const char *path, const stele_save_options *options,
                                          char *message, size_t room);
STELE_API stele_status stele_picture_write(const stele_picture *picture, stele_sink sink, void *user,
                                           const stele_save_options *options, char *message, size_t room);

/* An animated WebP, picture by picture; it begins again after the last. Of one picture it is a still WebP. A handle of its own:
 * NULL only without memory for it, with the status and message of its last call, freed by one stele_movie_close. A side may
 * have 16383 pixels, and all pictures have the size of the movie. It can be saved more than once; the first time completes it,
 * and nothing more is added. What is written does not depend on the threads. */
typedef struct stele_movie stele_movie;

typedef struct stele_movie_options {
    uint32_t size;           /* sizeof, or 0: see STABILITY */
    bool lossless;           /* exact colours, which is larger */
    stele_parallel parallel; /* default: all work is done on the calling thread */
    void *parallel_user;
} stele_movie_options;

STELE_API stele_movie *stele_movie_begin(uint32_t width, uint32_t height, const stele_movie_options *options);
STELE_API stele_status stele_movie_add(stele_movie *movie, const stele_picture *picture, uint32_t milliseconds);
STELE_API stele_status stele_movie_save(stele_movie *movie, const char *path, const stele_save_options *options);
STELE_API stele_status stele_movie_write(stele_movie *movie, stele_sink sink, void *user, const stele_save_options *options);
STELE_API stele_status stele_movie_status(const stele_movie *movie);
STELE_API const char *stele_movie_message(const stele_movie *movie);
STELE_API void stele_movie_close(stele_movie *movie);

/* A label in a plain font of our own, so that it is the same everywhere: Latin, Greek and Cyrillic letters, of other scripts
 * the numbers of the characters. Each place takes STELE_TEXT_WIDTH by STELE_TEXT_HEIGHT pixels times scale; a letter takes one,
 * a number two, a mark that follows its letter none. */
enum { STELE_TEXT_WIDTH = 6, STELE_TEXT_HEIGHT = 10 };
STELE_API int stele_text_places(const char *text);
STELE_API void stele_draw_text(const stele_picture *picture, int x, int y, const char *text, const uint8_t rgba[4], int scale);

/* ---- The registry ------------------------------------------------------------------------------------------------------ */

/* What a format can hold: a set of these. What a model has and the format cannot hold is a loss; docs/losses.md is the table.
 */
#define STELE_MESHES (UINT64_C(1) << 0)
#define STELE_NORMALS (UINT64_C(1) << 1)
#define STELE_UVS (UINT64_C(1) << 2)    /* sets of them: uv_sets */
#define STELE_COLORS (UINT64_C(1) << 3) /* of vertices; sets of them: color_sets */
#define STELE_TANGENTS (UINT64_C(1) << 4)
#define STELE_MATERIALS (UINT64_C(1) << 5) /* as such, whatever of the following they have */
#define STELE_TEXTURES (UINT64_C(1) << 6)  /* by name; as the base colour at least */
#define STELE_SKIN (UINT64_C(1) << 7)
#define STELE_SKELETON (UINT64_C(1) << 8)
#define STELE_ANIMATION (UINT64_C(1) << 9)
#define STELE_MORPHS (UINT64_C(1) << 10)
#define STELE_ATTACHMENTS (UINT64_C(1) << 11)
#define STELE_SEVERAL_MESHES (UINT64_C(1) << 12) /* otherwise all become one */
#define STELE_LINES_AND_POINTS (UINT64_C(1) << 13)
#define STELE_NODES (UINT64_C(1) << 14)      /* that group and place others, and draw one mesh in several places */
#define STELE_PROPERTIES (UINT64_C(1) << 15) /* what others say of their models: extras */
#define STELE_MESH_NAMES (UINT64_C(1) << 16)
#define STELE_NODE_NAMES (UINT64_C(1) << 17)
#define STELE_JOINT_NAMES (UINT64_C(1) << 18)
#define STELE_SKIN_NAMES (UINT64_C(1) << 19)
#define STELE_CLIP_NAMES (UINT64_C(1) << 20)
#define STELE_MATERIAL_NAMES (UINT64_C(1) << 21)
#define STELE_MORPH_NAMES (UINT64_C(1) << 22)
#define STELE_IMAGE_NAMES (UINT64_C(1) << 23) /* of those inside the file */
#define STELE_MODEL_NAME (UINT64_C(1) << 24)
#define STELE_BASE_COLORS (UINT64_C(1) << 25)
#define STELE_ALPHA_BLENDING (UINT64_C(1) << 26) /* of materials */
#define STELE_ALPHA_MASKS (UINT64_C(1) << 27)    /* with their cutoff */
#define STELE_DOUBLE_SIDES (UINT64_C(1) << 28)
#define STELE_METAL (UINT64_C(1) << 29)
#define STELE_ROUGHNESS (UINT64_C(1) << 30)
#define STELE_UNLIT_SURFACES (UINT64_C(1) << 31)
#define STELE_EMISSION (UINT64_C(1) << 32)          /* the colour of it */
#define STELE_EMISSION_STRENGTH (UINT64_C(1) << 33) /* beyond 1 */
#define STELE_SPECULAR (UINT64_C(1) << 34)          /* the strength of reflections */
#define STELE_SPECULAR_COLORS (UINT64_C(1) << 35)   /* and their colour */
#define STELE_UNUSED_MATERIALS (UINT64_C(1) << 36)  /* those of no mesh */
#define STELE_NORMAL_MAPS (UINT64_C(1) << 37)
#define STELE_OCCLUSION_MAPS (UINT64_C(1) << 38)
#define STELE_METAL_MAPS (UINT64_C(1) << 39) /* with roughness */
#define STELE_EMISSION_MAPS (UINT64_C(1) << 40)
#define STELE_SPECULAR_MAPS (UINT64_C(1) << 41) /* the strength of reflections */
#define STELE_SPECULAR_COLOR_MAPS (UINT64_C(1) << 42)
#define STELE_EMBEDDED_IMAGES (UINT64_C(1) << 43) /* images inside the file */
#define STELE_NORMAL_STRENGTH (UINT64_C(1) << 44)
#define STELE_OCCLUSION_STRENGTH (UINT64_C(1) << 45)
#define STELE_WRAP_MODES (UINT64_C(1) << 46)
#define STELE_FILTERS (UINT64_C(1) << 47)
#define STELE_TEXTURE_TRANSFORMS                                                                                               \
    (UINT64_C(1)                                                                                                               \
     << 48) /* of each texture by itself: where they are those of the base colour, they are applied to the coordinates */
#define STELE_COLOR_ALPHA (UINT64_C(1) << 49)     /* of vertices */
#define STELE_REST_POSE (UINT64_C(1) << 50)       /* that is not the bind pose */
#define STELE_DEFAULT_WEIGHTS (UINT64_C(1) << 51) /* without a clip */
#define STELE_MORPH_NORMALS (UINT64_C(1) << 52)
#define STELE_MORPH_ANIMATION (UINT64_C(1) << 53)
#define STELE_NODE_ANIMATION (UINT64_C(1) << 54) /* of nodes that are no joints */
#define STELE_CURVES (UINT64_C(1) << 55)         /* cubic keys */
#define STELE_STEPS (UINT64_C(1) << 56)          /* keys that hold until the next */
#define STELE_SCALE_ANIMATION (UINT64_C(1) << 57)
#define STELE_EXACT_TIMES (UINT64_C(1) << 58) /* of keys: others round them to milliseconds or frames */

/* The name of one capability, such as "colors"; NULL past the last. Index 0 is bit 0. */
STELE_API const char *stele_capability_name(unsigned bit);

typedef struct stele_dialect_info {
    const char *name;
    const char *title;
} stele_dialect_info;

typedef struct stele_choice_info {
    const char *name;   /* "ctc.bind" */
    const char *values; /* space-separated, the default first */
    const char *title;
} stele_choice_info;

typedef struct stele_format_info {
    const char *name;       /* "sgm" */
    const char *title;      /* "Rayne model" */
    const char *extensions; /* space-separated, without dots */
    uint64_t capabilities;
    uint64_t beside;                    /* capabilities that a second file beside it adds, as an .sga does to an .sgm */
    const char *companions;             /* extensions of such files, of the same name: "sga"; or NULL */
    const stele_dialect_info *dialects; /* each can be read and written */
    size_t dialect_count;
    const stele_choice_info *choices; /* of stele_load_options */
    size_t choice_count;
    uint32_t uv_sets, color_sets, influences; /* most for a vertex; UINT32_MAX: any number */
} stele_format_info;

/* Whether some format has this choice, and this value for it. */
STELE_API bool stele_known_choice(const stele_choice *choice);

/* Format number index, or NULL past the last. */
STELE_API const stele_format_info *stele_format_at(size_t index);

/* The format that a file's name promises by its extension, or NULL. */
STELE_API const stele_format_info *stele_format_of_name(const char *file_name);

#ifdef __cplusplus
}
#endif

#endif
