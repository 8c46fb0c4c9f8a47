/* What checking has learnt of bulk data, so that loading and saving need not look again. It is said of bytes, and remains true
 * whatever a program does to the model. Only somebody who writes to the file makes it wrong: so it may save work, but no access
 * to memory may rely on it. */
#ifndef ST_FACTS_H
#define ST_FACTS_H

#include "base/hash.h"

enum {
    FACT_FINITE = 1, /* all floats are */
    FACT_UNIT = 2,   /* rows are of length 1, nearly enough that nobody need repair them */
    FACT_SOUND = 4,  /* joints, and the weights that follow them, need no repair */
    FACT_PLAIN = 8   /* and joints without a weight are 0 */
};

typedef struct fact {
    stele_view view;
    unsigned known;
    uint64_t below; /* integers are less than this; 0: not known */
} fact;

typedef struct facts {
    arena *arena;
    const struct facts *others; /* known besides, to which nothing is added here; or NULL */
    fact *items;
    uint32_t count;
    size_t capacity;
    hash_table table;
} facts;

/* Of few rows nothing is kept: they are looked at again in no time, and a file may have millions of small meshes. */
void st_know(facts *f, const stele_view *v, unsigned what);
void st_know_below(facts *f, const stele_view *v, uint64_t limit);

bool st_known(const facts *f, const stele_view *v, unsigned what);
bool st_known_below(const facts *f, const stele_view *v, uint64_t limit);

#endif
