/* Places: findings, and parts of a model, name what they are about by its address. After a phase one walk of what was read
 * finds all of them; nothing is walked if nothing is sought. */
#ifndef ST_LOCATE_H
#define ST_LOCATE_H

#include "walk.h"

typedef void (*place_found)(void *user, uint32_t entry, uint64_t offset, const char *path);

typedef struct locator {
    open_places *open;
    place_found tell;
    void *user;
    const uint8_t *data; /* of the file; NULL if it is another one, in which offsets would mean nothing */
    uint64_t size;
    open_place *members, *bytes; /* each sorted by address */
    size_t member_count, byte_count;
    size_t next; /* of the bytes: they are found in the order of the file */
} locator;

/* Sorts what is sought. False if there is nothing. */
bool st_locate_begin(locator *l, open_places *open, const uint8_t *data, uint64_t size, place_found tell, void *user);

/* After the walk: what was found is no longer sought. */
void st_locate_end(locator *l);

/* For the walk. A field of the file is a member of a raw struct; an item of a list; a run of bytes, perhaps in rows. */
void st_locate_member(walk *w, const char *name, const void *member);
void st_locate_item(walk *w, const void *item);

typedef struct located_rows {
    const void *data;
    uint64_t size;
    uint64_t stride; /* 0: there are no rows */
    uint64_t first;  /* the number of the first row */
    const stele_column *columns;
    size_t column_count;
} located_rows;
void st_locate_rows(walk *w, const char *name, const located_rows *rows);

#endif
