/* All formats, in one list. */
#include <string.h>

#include "base/text.h"
#include "format.h"

#ifdef STELE_WITHOUT_BRIDGES
#define BRIDGES(X)
#else
#define BRIDGES(X)                                                                                                             \
    X(glb)                                                                                                                     \
    X(gltf)                                                                                                                    \
    X(obj)
#endif

#define FORMATS(X)                                                                                                             \
    X(twm)                                                                                                                     \
    X(sgm)                                                                                                                     \
    X(sga)                                                                                                                     \
    X(mesh)                                                                                                                    \
    X(sff)                                                                                                                     \
    X(ctc)                                                                                                                     \
    BRIDGES(X)

#define DECLARE(name) extern const format st_format_##name;
FORMATS(DECLARE)

#define ADDRESS(name) &st_format_##name,
const format *const st_formats[] = {FORMATS(ADDRESS) NULL};

const stele_format_info *stele_format_at(size_t index)
{
    for (size_t i = 0; st_formats[i]; i++)
        if (i == index)
            return &st_formats[i]->info;
    return NULL;
}

const format *st_format_named(const char *name)
{
    for (size_t i = 0; st_formats[i]; i++)
        if (strcmp(st_formats[i]->info.name, name) == 0)
            return st_formats[i];
    return NULL;
}

static bool lists(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *w = words; *w; w += strspn(w, " ")) {
        size_t size = strcspn(w, " ");
        if (size == length && memcmp(w, word, size) == 0)
            return true;
        w += size;
    }
    return false;
}

bool stele_known_choice(const stele_choice *choice)
{
    if (!choice || !choice->name || !choice->value)
        return false;
    for (size_t i = 0; st_formats[i]; i++)
        for (size_t k = 0; k < st_formats[i]->info.choice_count; k++) {
            const stele_choice_info *known = &st_formats[i]->info.choices[k];
            if (strcmp(known->name, choice->name) == 0)
                return lists(known->values, choice->value);
        }
    return false;
}

const format *st_format_of_extension(const char *path)
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    size_t size = dot ? strlen(dot + 1) : 0;
    for (size_t i = 0; size && st_formats[i]; i++)
        for (const char *list = st_formats[i]->info.extensions; *list;) {
            size_t length = strcspn(list, " ");
            if (length == size && st_same_letters(list, dot + 1, size))
                return st_formats[i];
            list += length + (list[length] == ' ');
        }
    return NULL;
}

const stele_format_info *stele_format_of_name(const char *file_name)
{
    const format *format = st_format_of_extension(file_name);
    return format ? &format->info : NULL;
}
