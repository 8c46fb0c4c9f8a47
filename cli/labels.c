/* Names and messages where there is little room for them: on the cells of a sheet. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static size_t character_bytes(const char *text)
{
    size_t bytes = 1;
    while (((unsigned char)text[bytes] & 0xc0) == 0x80)
        bytes++;
    return bytes;
}

/* How many places the first bytes of a text take. */
static size_t places_in(const char *text, size_t bytes)
{
    char *copy = or_die(malloc(bytes + 1));
    memcpy(copy, text, bytes);
    copy[bytes] = 0;
    size_t places = (size_t)stele_text_places(copy);
    free(copy);
    return places;
}

size_t bytes_that_fit(const char *text, size_t places)
{
    size_t bytes = 0;
    while (text[bytes] && places_in(text, bytes + character_bytes(text + bytes)) <= places)
        bytes += character_bytes(text + bytes);
    return bytes;
}

/* A part of a name that begins at a byte, with dots where something is left out. */
static char *part_of(const char *name, size_t start, size_t fits)
{
    const char *before = start ? ".." : "", *rest = name + start;
    size_t room = fits > strlen(before) ? fits - strlen(before) : 0, bytes = bytes_that_fit(rest, room);
    bool cut = rest[bytes];
    if (cut)
        bytes = bytes_that_fit(rest, room > 2 ? room - 2 : 0);
    size_t size = strlen(before) + bytes + 3;
    char *part = malloc(size);
    if (part)
        snprintf(part, size, "%s%.*s%s", before, (int)bytes, rest, cut ? ".." : "");
    return part;
}

/* The end of a long name says more than its beginning. */
static char *end_of(const char *name, size_t fits)
{
    size_t start = 0, most = fits > 2 ? fits - 2 : 0;
    if ((size_t)stele_text_places(name) <= fits)
        return part_of(name, 0, fits);
    while (name[start] && (size_t)stele_text_places(name + start) > most)
        start += character_bytes(name + start);
    return part_of(name, start, fits);
}

typedef struct named {
    const char *name;
    char *label;
    size_t index;
} named;

static int by_label(const void *a, const void *b)
{
    const named *x = a, *y = b;
    int order = strcmp(x->label, y->label);
    return order ? order : x->index < y->index ? -1 : 1;
}

/* Where names that have the same label differ, a little before. */
static size_t first_difference(const named *group, size_t count)
{
    size_t same = strlen(group->name);
    for (size_t i = 1; i < count; i++) {
        size_t k = 0;
        while (k < same && group[i].name[k] == group->name[k])
            k++;
        same = k;
    }
    if (!group->name[same] && !group[count - 1].name[same]) /* nowhere */
        return 0;
    size_t start = same > 2 ? same - 2 : 0;
    while (start && ((unsigned char)group->name[start] & 0xc0) == 0x80)
        start--;
    return start;
}

/* Gives those that have the same label another, which shows where they differ; true if that changed any. */
static bool tell_apart(named *all, size_t count, size_t fits)
{
    bool changed = false;
    qsort(all, count, sizeof *all, by_label);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && strcmp(all[end].label, all[first].label) == 0; end++)
            ;
        size_t start = end - first > 1 ? first_difference(all + first, end - first) : 0;
        for (size_t i = first; end - first > 1 && i < end; i++) {
            char *label = part_of(all[i].name, start, fits);
            if (!label)
                return false;
            changed |= strcmp(label, all[i].label) != 0;
            free(all[i].label);
            all[i].label = label;
        }
    }
    return changed;
}

bool make_labels(const char *const *names, size_t count, size_t fits, char **labels)
{
    enum { ROUNDS = 8 };
    named *all = calloc(count, sizeof *all);
    bool made = all;
    for (size_t i = 0; made && i < count; i++) {
        const char *name = names[i] ? names[i] : "";
        all[i] = (named){name, end_of(name, fits), i};
        made = all[i].label;
    }
    for (int i = 0; made && i < ROUNDS && tell_apart(all, count, fits); i++)
        ;
    for (size_t i = 0; all && i < count; i++)
        labels[all[i].index] = all[i].label;
    free(all);
    return made;
}
