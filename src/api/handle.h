/* The handle behind the public API, shared by the files that implement it. */
#ifndef ST_HANDLE_H
#define ST_HANDLE_H

#include "file/context.h"
#include "file/file.h"
#include "file/walk.h"
#include "formats/format.h"

struct stele_file {
    arena arena;
    diags diags;
    source source;
    companions companions;
    stele_check_level level;
    const char *name; /* for its extension, or NULL */
    const char *target;
    threads threads;
    const format *format;
    raw_file *raw;
    container container; /* of a file that is compressed as a whole */
    bool packed;
    span content;  /* what is walked: the file's bytes, or what they unpack to */
    span trailing; /* bytes after the content */
    bool complete; /* the structure was read to its end */
    bool parsed;   /* and what is in it */
    size_t diags_of_opening;
    stele_status status;
    const char *message;
    stele_info *info;
    stele_load_options load;
    stele_model *model;              /* NULL until it is asked for, or if it cannot be had */
    bool model_done;                 /* we have tried */
    bool sound;                      /* no errors were found on opening, whatever rules and later saves make of the status */
    bool touched;                    /* the model is no longer what the file says */
    struct render_texture *textures; /* of pictures, one for each of the model's */
    size_t texture_count;
    const stele_model *texture_model; /* whose they are */
    const char **outputs;             /* of the last save */
    size_t output_count;
};

/* Sets the status and what to say about it. */
void st_file_fail(stele_file *file, stele_status status, const char *message);

/* The same, with a diagnostic. */
void st_file_fail_with(stele_file *file, stele_status status, diag_code code, uint64_t offset, const char *path,
                       const char *text);

/* A diagnostic as one line. */
const char *st_file_line(stele_file *file, const stele_diagnostic *d);

/* What every phase starts with. */
context st_file_context(stele_file *file);

/* Parses what the walk has read, if that is still to be done. False without memory. */
bool st_file_parse(stele_file *file, context *c);

/* The model, which may still be added to; NULL if it cannot be had, and then the status says why. */
stele_model *st_file_model(stele_file *file);

/* The same, complete: parents are known to precede their children, and indices to point somewhere. */
const stele_model *st_file_finished_model(stele_file *file);

/* The name of a path without folder and extension. */
const char *st_file_base_name(arena *a, const char *path);

/* Writes what a function gives to a path, atomically and by the options; or to a sink. */
typedef bool (*st_produce)(void *context, stele_sink sink, void *user);
stele_status st_file_save_bytes(stele_file *file, const char *path, const stele_save_options *options, st_produce produce,
                                void *context);
stele_status st_file_write_bytes(stele_file *file, stele_sink sink, void *user, st_produce produce, void *context);

/* How a candidate fits the file, from worst to best. */
typedef enum fit {
    FIT_NONE,
    FIT_NONSENSE,       /* it does not end with the file, and what was read makes no sense */
    FIT_FAILED,         /* it fails in the middle, but makes sense until there */
    FIT_TRAILING_BYTES, /* something follows */
    FIT_CUT_OFF,        /* the file is cut off: this explains all of it, and so more than a shorter reading does */
    FIT_BY_CHANCE,      /* it ends with the file, but contradicts itself */
    FIT_EXACT,          /* it ends with the file */
    FIT_PERFECT         /* and makes sense */
} fit;

typedef struct attempt {
    const format *format;
    raw_file *raw;
    fit fit;
    bool certain; /* a magic says so */
    uint64_t end;
    bool failed;
    walk_failure failure;
} attempt;

/* Finds out what the file is: the best attempt at reading it. No raw: no format that we know. The status is set if it is known
 * but cannot be read. */
void st_file_detect(stele_file *file, const format *forced, walk *w, attempt *best);

/* After a failure: says so if a line-ending conversion may be the reason. */
void st_file_suspect_line_ends(stele_file *file, const attempt *best);

/* True, and reported, if a line-ending conversion explains why nothing fits. */
bool st_file_converted(stele_file *file, const attempt *best, walk *w);

#endif
