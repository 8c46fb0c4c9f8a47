/* Which format, dialect and reading a file is. */
#ifndef ST_DETECT_H
#define ST_DETECT_H

#include "handle.h"

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
void st_detect(stele_file *file, const format *forced, walk *w, attempt *best);

/* Of a file that is of no known format: a note for each that there is. */
void st_say_why_not(stele_file *file, walk *w);

/* After a failure: says so if a line-ending conversion may be the reason. */
void st_suspect_line_ends(stele_file *file, const attempt *best);

/* True, and reported, if a line-ending conversion explains why nothing fits. */
bool st_line_ends_converted(stele_file *file, const attempt *best, walk *w);

#endif
