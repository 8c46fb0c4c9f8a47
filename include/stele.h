/* stele.h - the model files of small game engines: read, checked, explained and written.
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
 * OPTIONS. Every options struct may be NULL or all zeros: that is the default. Set only what you want to change.
 *
 * MEMORY. Files are mapped and bulk data is never copied: pointers in results point into the mapped bytes, without any
 * alignment and in little-endian order. What Stele allocates is a small multiple of the number of records in the file (and, for
 * a compressed file, its content), comes from your allocator if you give one, and never passes your memory limit.
 *
 * CALLBACKS must not call a function with the file that they are called for.
 *
 * THREADS. There is no global state. Different handles may be used by different threads; one handle by one thread at a time.
 *
 * FILES THAT CHANGE. A mapped file that somebody truncates while it is read raises SIGBUS, as with any mapping. Set
 * options.read_file to have the bytes read into memory instead; stele_file_changed tells whether the file was touched.
 *
 * Stele does NOT
 *   - print, exit, call setlocale, start threads or keep anything between calls;
 *   - trust a file: counts, indices and offsets are compared with what is there before they are used;
 *   - repair in silence: what is odd is a diagnostic, what a conversion cannot keep is a diagnostic of severity STELE_LOSS;
 *   - decode images or sounds: textures are names;
 *   - follow a name out of the model's folder.
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

/* ---- Outcomes ---------------------------------------------------------------------------------------------------------- */

typedef enum stele_status {
    STELE_OK = 0,          /* all went well; there may be warnings */
    STELE_DAMAGED = 1,     /* the file is of a known format, and has errors */
    STELE_USAGE = 2,       /* the call makes no sense: an unknown format, dialect, target or id */
    STELE_IO = 3,          /* the file cannot be read or written */
    STELE_UNSUPPORTED = 4, /* not a format that Stele knows, or a version that it does not read or write */
    STELE_NO_MEMORY = 5,   /* the allocator or the memory limit said no */
    STELE_CANCELLED = 6,   /* your progress callback said no */
    STELE_LOSSY = 7        /* strict saving: something would be lost, nothing was written */
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

/* Finds a file that a model refers to by name (a texture, an animation file). Returns false if there is none. With data NULL
 * only its existence is asked. The bytes must stay until stele_close of the file that asked. */
typedef bool (*stele_lookup)(void *user, const char *name, const void **data, size_t *size);

/* Runs task(context, 0) ... task(context, count - 1), in any order, on any threads, and returns when all are done. */
typedef void (*stele_task)(void *context, size_t index);
typedef void (*stele_parallel)(void *user, size_t count, stele_task task, void *context);

typedef struct stele_options {
    stele_allocator allocator; /* default: malloc and free */
    uint64_t memory_limit;     /* most bytes ever allocated at once for this handle; 0: no limit */
    const char *format;        /* a format's name, to skip detection */
    const char *name;          /* a file name for data that has none: its extension breaks ties */
    stele_check_level check;
    const char *target; /* with STELE_CHECK_FULL: an engine whose limits are checked too, such as "rayne" */
    const stele_rule *rules;
    size_t rule_count;
    bool read_file;            /* read into memory, do not map */
    bool separate_allocations; /* for debugging: one allocation per object, so that a sanitizer sees overruns */
    stele_lookup lookup;       /* default: the folder of the path; nothing for memory and callbacks */
    void *lookup_user;
    stele_parallel parallel; /* default: all work is done on the calling thread */
    void *parallel_user;
} stele_options;

/* ---- Opening and closing ----------------------------------------------------------------------------------------------- */

typedef struct stele_file stele_file;

/* Opens a file by path. Regular files are mapped (small ones are read), pipes and devices are read to their end. */
STELE_API stele_file *stele_open(const char *path, const stele_options *options);

/* Opens bytes in memory, which must stay unchanged until stele_close. */
STELE_API stele_file *stele_open_memory(const void *data, size_t size, const stele_options *options);

/* Opens what a callback delivers: it fills up to size bytes and returns how many; 0 at the end, SIZE_MAX on failure. */
typedef size_t (*stele_read)(void *user, void *buffer, size_t size);
STELE_API stele_file *stele_open_callback(stele_read read, void *user, const stele_options *options);

STELE_API void stele_close(stele_file *file);

/* ---- What it is -------------------------------------------------------------------------------------------------------- */

/* The outcome of opening or, after saving, of the last save. */
STELE_API stele_status stele_file_status(const stele_file *file);

/* The most important thing to say about the status, in one line: the first error, or "ok". Never NULL. */
STELE_API const char *stele_file_message(const stele_file *file);

/* Names from the registry, such as "sgm" and "v3"; NULL if the file is not of a known format. */
STELE_API const char *stele_file_format(const stele_file *file);
STELE_API const char *stele_file_dialect(const stele_file *file);

/* The bytes of the file. */
STELE_API const void *stele_file_bytes(const stele_file *file, uint64_t *size);

/* All diagnostics so far, in the order in which they were found. The array is valid until the next call with this file. */
STELE_API const stele_diagnostic *stele_file_diagnostics(const stele_file *file, size_t *count);

/* True if the file on disk is no longer the one that was opened: another size or modification time. */
STELE_API bool stele_file_changed(const stele_file *file);

/* Bytes now allocated for this handle; the mapping does not count. */
STELE_API uint64_t stele_file_memory(const stele_file *file);

/* ---- A summary --------------------------------------------------------------------------------------------------------- */

#define STELE_NONE UINT32_MAX

typedef struct stele_bounds {
    bool known; /* false: no finite position */
    float min[3], max[3];
} stele_bounds;

typedef struct stele_mesh_info {
    uint64_t vertices, indices, triangles;
    uint32_t material; /* STELE_NONE if there is none; it can be one that is not there in a damaged file */
    const char *const *attributes;
    size_t attribute_count;
    stele_bounds bounds;
} stele_mesh_info;

typedef struct stele_texture_info {
    const char *name;  /* as in the file */
    const char *role;  /* such as "base color" */
    const char *found; /* the name of the file that it stands for beside the model, or NULL */
    uint32_t uv_set;
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
    uint64_t tracks, keys;
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

/* What is in the file: made on the first call, which reads the positions once. NULL if the structure could not be read. */
STELE_API const stele_info *stele_file_info(stele_file *file);

/* ---- Every byte explained ---------------------------------------------------------------------------------------------- */

typedef enum stele_type {
    STELE_U8,
    STELE_U16,
    STELE_U32,
    STELE_U64,
    STELE_I32,
    STELE_F32,
    STELE_F64,
    STELE_CHAR, /* text */
    STELE_BYTES /* no meaning known */
} stele_type;

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
 * of a compressed file follows, and is covered in the same way. Return false to stop. Works on damaged files as far as they can
 * be read; the rest is a gap. A field is valid during its call. */
typedef bool (*stele_each_field)(void *user, const stele_field *field);
STELE_API stele_status stele_file_explain(stele_file *file, stele_each_field each, void *user);

/* One element of an array field, which the caller must not leave, as a double, and the least and greatest finite one of a
 * component (false if none is). */
STELE_API double stele_field_element(const stele_field *field, uint64_t row, size_t column, uint32_t component);
STELE_API bool stele_field_range(const stele_field *field, size_t column, uint32_t component, double *min, double *max);

/* ---- Writing ----------------------------------------------------------------------------------------------------------- */

/* Called now and then with what is done; return false to cancel. */
typedef bool (*stele_progress)(void *user, uint64_t done, uint64_t total);

typedef struct stele_save_options {
    const char *dialect; /* default: the dialect that the file has */
    bool strict;         /* losses are errors: write nothing, return STELE_LOSSY */
    bool overwrite;      /* replace an existing file, keeping its mode; otherwise that is an error */
    bool sync;           /* force the bytes to disk before the file gets its name */
    stele_progress progress;
    void *progress_user;
} stele_save_options;

/* Writes the file to a path, atomically: under a temporary name in the same folder, renamed when complete, removed on any
 * failure. Without another dialect the result is the opened file, byte for byte. Losses are added to the diagnostics. */
STELE_API stele_status stele_file_save(stele_file *file, const char *path, const stele_save_options *options);

/* The same to a callback, which returns false if it cannot take the bytes. */
typedef bool (*stele_sink)(void *user, const void *data, size_t size);
STELE_API stele_status stele_file_write(stele_file *file, stele_sink sink, void *user, const stele_save_options *options);

/* ---- The registry ------------------------------------------------------------------------------------------------------ */

typedef enum stele_capability {
    STELE_MESHES = 1 << 0,
    STELE_NORMALS = 1 << 1,
    STELE_UVS = 1 << 2,
    STELE_COLORS = 1 << 3,
    STELE_TANGENTS = 1 << 4,
    STELE_MATERIALS = 1 << 5,
    STELE_TEXTURES = 1 << 6,
    STELE_SKIN = 1 << 7,
    STELE_SKELETON = 1 << 8,
    STELE_ANIMATION = 1 << 9,
    STELE_MORPHS = 1 << 10,
    STELE_ATTACHMENTS = 1 << 11
} stele_capability;

/* The name of one capability, such as "colors"; NULL past the last. Index 0 is bit 0. */
STELE_API const char *stele_capability_name(unsigned bit);

typedef struct stele_dialect_info {
    const char *name;
    const char *title;
} stele_dialect_info;

typedef struct stele_format_info {
    const char *name;       /* "sgm" */
    const char *title;      /* "Rayne model" */
    const char *extensions; /* space-separated, without dots */
    uint32_t capabilities;
    const stele_dialect_info *dialects; /* each can be read and written */
    size_t dialect_count;
} stele_format_info;

/* Format number index, or NULL past the last. */
STELE_API const stele_format_info *stele_format_at(size_t index);

/* The format that a file's name promises by its extension, or NULL. */
STELE_API const stele_format_info *stele_format_of_name(const char *file_name);

#ifdef __cplusplus
}
#endif

#endif
