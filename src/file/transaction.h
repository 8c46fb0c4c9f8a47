/* Writing: to a callback, or to several files that get their names together when all of them are complete. */
#ifndef ST_TRANSACTION_H
#define ST_TRANSACTION_H

#include "outcome.h"
#include "output.h"
#include "walk.h"

/* Gives bytes to a sink. False if the sink did not take them, or if there are none to be had: the outcome may then be set
 * already, and otherwise it was for lack of memory. */
typedef bool (*st_produce)(void *context, stele_sink sink, void *user);

typedef struct writing {
    arena *arena;
    outcome *outcome; /* good at first; says what went wrong */
    const stele_save_options *options;
    uint64_t total; /* bytes, as progress is told; 0: nobody knows */
} writing;

bool st_write_to_sink(const writing *w, stele_sink sink, void *user, st_produce produce, void *context);

/* One of the files. */
typedef struct draft {
    address where;    /* folders below its root are made */
    const span *same; /* a file that has just these bytes already is as good; NULL: none is */
    st_produce produce;
    void *context;
    output output; /* from here on not the caller's */
    bool open, there;
} draft;

typedef struct transaction {
    writing writing;
    draft *drafts;
    size_t count;
    struct made_folder *made; /* for them, the last one first */
} transaction;

/* Writes all under temporary names, then gives them theirs, in this order. What failed leaves everything as it was. */
bool st_transaction_write(transaction *t);
bool st_transaction_commit(transaction *t);

/* Instead of committing. */
void st_transaction_undo(transaction *t);

#endif
