/* The handle behind the public API, shared by the files that implement it. */
#ifndef ST_HANDLE_H
#define ST_HANDLE_H

#include "file/context.h"
#include "file/origin.h"
#include "file/outcome.h"
#include "file/source.h"
#include "file/walk.h"
#include "formats/format.h"

/* What the last save took is of no interest to the next one, which gives it back: unless something else has been taken since,
 * or the save has made something that lasts, as the first one makes the model. */
typedef struct last_save {
    bool lasts;
    arena_mark begin, end;
    diags diags; /* as they were when it began */
} last_save;

struct stele_file {
    arena arena;
    diags diags;
    facts facts;
    origins origins;
    source source;
    companions companions;
    stele_check_level level;
    const char *name; /* for its extension, or NULL */
    const char *target;
    threads threads;
    outcome outcome; /* of the last call */
    outcome opening; /* of opening: the file's own */
    const format *format;
    raw_file *raw;
    container container; /* of a file that is compressed as a whole */
    bool packed;
    span content;      /* what is walked: the file's bytes, or what they unpack to */
    span trailing;     /* bytes after the content */
    walk_force forced; /* it is walked as a format that it does not begin as, because somebody said so */
    bool complete;     /* the structure was read to its end */
    bool parsed;       /* and what is in it */
    bool sound;        /* no errors were found, whatever rules make of them */
    size_t diags_of_opening;
    uint64_t reported_losses; /* by callers, of what the file held before it was ours */
    uint64_t reading_losses;  /* what the file holds and the model does not */
    stele_load_options load;
    stele_model *model; /* NULL until it is asked for, or if it cannot be had */
    bool model_done;    /* we have tried */
    outcome loading;    /* and so it went */
    uint64_t work;      /* of opening and loading */
    bool touched;       /* the model is no longer what the file says */

    /* Made from the model when they are asked for; model_changed (change.c) forgets them. */
    stele_info *info;
    const char **inputs;
    size_t input_count, inputs_taken; /* companions that were taken by then */
    struct render_texture *textures;  /* of pictures, one for each of the model's */
    uint8_t *texture_uses;            /* what each is decoded for */
    size_t texture_count;
    bool textures_done;

    const char **outputs; /* of the last save */
    size_t output_count;
    uint64_t output_bytes; /* of all of them */
    last_save last_save;
};

/* Every call that can fail begins and ends with these, so that the outcome is always that of the last one. Nothing begins
 * without a handle, or if there was no memory to open it. The end returns the status, which is STELE_NO_MEMORY if anything was
 * refused on the way. */
bool st_begin(stele_file *file);
stele_status st_end(stele_file *file);

/* Sets the outcome, and returns its status; the second with a diagnostic, the third to what opening said, which must be the
 * reason, the last to what the worst finding means. */
stele_status st_fail(stele_file *file, stele_status status, const char *message);
void st_fail_with(stele_file *file, stele_status status, diag_code code, uint64_t offset, const char *path, const char *text);
void st_fail_as_opened(stele_file *file);
void st_fail_by(stele_file *file, const stele_diagnostic *worst);

/* The worst finding decides: what Stele does not read is no damage. */
void st_fail_by(stele_file *file, const stele_diagnostic *worst);

/* A diagnostic as one line. */
const char *st_line_of(stele_file *file, const stele_diagnostic *d);

/* What every phase starts with. */
context st_context_of(stele_file *file);

/* Parses what the walk has read, if that is still to be done. False without memory. */
bool st_parse(stele_file *file, context *c);

/* Finds what opening would have found with STELE_CHECK_FULL, if that is still to be done. */
void st_check_fully(stele_file *file);

/* A handle without content; NULL without memory. The options are copied first. Those that make no sense are its outcome. */
stele_file *st_new_handle(const stele_options *given, const char *path, stele_options *options);

/* The model, which may still be added to; NULL if it cannot be had, and then the outcome says why. */
stele_model *st_loaded_model(stele_file *file);

/* The same, complete: parents are known to precede their children, and indices to point somewhere. */
const stele_model *st_finished_model(stele_file *file);

/* From now on this is the model, and not what the file says. */
void st_replace_model(stele_file *file, stele_model *model);

/* The name of a path without folder and extension. */
const char *st_base_name(arena *a, const char *path);

#endif
