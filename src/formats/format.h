/* What a format gives to the rest: one const descriptor, found through the registry. */
#ifndef ST_FORMAT_H
#define ST_FORMAT_H

#include "file/check.h"
#include "file/walk.h"
#include "model/check_mesh.h"
#include "model/load.h"
#include "model/save.h"
#include "stele.h"

/* Every raw struct begins with this. */
typedef struct raw_file {
    unsigned dialect; /* index into the format's dialects */
    unsigned reading; /* how the bytes are taken where the format's document leaves it open; 0 is what we write */
} raw_file;

typedef enum trust {
    TRUST_NONE,
    TRUST_PLAUSIBLE, /* nothing speaks against it: only a parse that fits decides */
    TRUST_CERTAIN    /* the magic is right */
} trust;

typedef enum sense {
    SENSE_NONE, /* the layout contradicts itself: this is another dialect */
    SENSE_ODD,  /* values that no sound file has */
    SENSE_GOOD
} sense;

/* A wrong layout shows early: judging a right one must not read the bulk data twice, for the checks read all of it. */
enum { SENSE_ROWS = 1 << 16 };

static inline uint64_t sense_rows(uint64_t count)
{
    return count < SENSE_ROWS ? count : SENSE_ROWS;
}

enum { MOST_CANDIDATES = 64 };

/* What the first bytes say. Candidates are the dialects and readings to try, the likeliest first. None of them: the file is of
 * this format, but problem and text say why it cannot be read. */
typedef struct probe {
    trust trust;
    raw_file candidates[MOST_CANDIDATES];
    size_t candidate_count;
    diag_code problem;
    uint64_t offset; /* of the problem */
    const char *path, *text;
} probe;

static inline void probe_try(probe *p, trust how, unsigned dialect, unsigned reading)
{
    p->trust = how;
    if (p->candidate_count < MOST_CANDIDATES)
        p->candidates[p->candidate_count++] = (raw_file){dialect, reading};
}

/* A file whose content is compressed as a whole: what is around it. */
typedef struct container {
    uint64_t unpacked_size;
    span block;
} container;

typedef struct format {
    stele_format_info info;
    size_t raw_size;
    const char *const *targets; /* engines that check knows, NULL-terminated; or NULL */

    void (*probe)(const uint8_t *data, uint64_t size, probe *result);
    void (*walk)(walk *w, raw_file *raw);

    /* Of a file that may have failed half-way: does what was read look like this dialect? */
    sense (*sense)(const raw_file *raw);

    /* Where the walk sees a text as one field: takes it apart into the raw struct, and reports what is wrong with it. Called
     * once, before the first phase that needs more than the structure, and none follows if there was no memory; from then on
     * the raw struct stays as it is. NULL: the walk has seen everything. */
    void (*parse)(context *c, raw_file *raw);

    void (*check)(context *c, const raw_file *raw);
    /* NULL: the model is described instead. */
    void (*describe)(context *c, const raw_file *raw, stele_info *info);

    /* Changes a raw struct, a shallow copy of another, into a dialect, in reading 0. Losses and what does not fit are reported,
     * at places in the other; false if it does not fit. NULL: there is one dialect. */
    bool (*adapt)(context *c, const raw_file *from, raw_file *raw, unsigned dialect);

    /* Adapting to the dialect that a file has already still changes it: its sections are laid out afresh. */
    bool always_adapts;

    /* For the dialects in this set of bits, the walk is over what the container unpacks to. No data if it cannot be unpacked or
     * there is no memory for it. */
    uint32_t packed_dialects;
    void (*walk_container)(walk *w, container *c);
    span (*unpack)(const container *c, arena *a);
    bool (*pack)(span content, arena *a, container *c);

    /* The meaning of the bytes: fills the model of c->load. False if it cannot be had; a diagnostic says why. */
    bool (*load)(context *c, const raw_file *raw);

    /* The reverse: fills a raw struct that is zero but for its dialect, in which it says which dialect it has made of it: if
     * that is not the one that was asked for, it is adapted. Losses are reported; false if it does not fit. */
    bool (*save)(context *c, raw_file *raw);
    unsigned usual_dialect; /* that of new files */

    /* An untouched copy of a file that is in several: the others are put beside it. NULL: there are none. */
    void (*bring)(context *c, const raw_file *raw);
} format;

/* The phases: each does what the format does, and then finds the places of what it reported. */
void st_format_check(const format *format, context *c, raw_file *raw);
bool st_format_adapt(const format *format, context *c, raw_file *raw, unsigned dialect);
bool st_format_load(const format *format, context *c, raw_file *raw);
bool st_format_save(const format *format, context *c, raw_file *raw);

/* Whether all numbers in what saving made are finite; otherwise it does not fit. */
bool st_format_finite(const format *format, context *c, raw_file *raw);

/* For a companion, of which a byte is given: finds its places, and leaves others to the phase. Findings have no offset then. */
void st_format_locate_companion(const format *format, context *c, raw_file *raw, const void *byte);

/* The registry. */
extern const format *const st_formats[]; /* NULL-terminated */
const format *st_format_named(const char *name);

/* The format that an extension promises, or NULL. */
const format *st_format_of_extension(const char *path);

/* What a file that no format claims may be: an explanation, or NULL. */
const char *st_stranger(const uint8_t *data, uint64_t size);

#endif
