/* Which files a verb is about: operands, and what is in folders. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "system/files.h"

void *or_die(void *memory)
{
    if (!memory) {
        fputs("stele: there is not enough memory\n", stderr);
        exit(EXIT_IO);
    }
    return memory;
}

static void add_file(file_list *list, const char *path, size_t below)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? list->capacity * 2 : 16;
        list->entries = or_die(realloc(list->entries, list->capacity * sizeof *list->entries));
    }
    list->entries[list->count++] = (entry){or_die(strdup(path)), below};
}

void cannot_read(file_list *list, const char *path, const char *why)
{
    complain(stderr, "%s: %s", path, why);
    if (list->exit_code < EXIT_IO)
        list->exit_code = EXIT_IO;
}

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The visible names in a folder, in order, so that the output does not depend on the file system; NULL and errno on failure. */
static char **names_in(const char *folder, size_t *count)
{
    size_t capacity = 16;
    listing *entries = st_listing_open(folder);
    if (!entries)
        return NULL;
    char **names = or_die(malloc(capacity * sizeof *names));
    *count = 0;
    for (const char *name; (name = st_listing_next(entries));) {
        if (*name == '.')
            continue;
        if (*count == capacity)
            names = or_die(realloc(names, (capacity *= 2) * sizeof *names));
        names[(*count)++] = or_die(strdup(name));
    }
    st_listing_close(entries);
    qsort(names, *count, sizeof *names, compare_strings);
    return names;
}

static char *path_below(const char *folder, const char *name)
{
    bool slash = folder[strlen(folder) - 1] == '/';
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = or_die(malloc(size));
    snprintf(path, size, "%s%s%s", folder, slash ? "" : "/", name);
    return path;
}

/* Regular files. Links to folders are not followed: they can lead in circles. */
static void add_folder(file_list *list, const char *folder, size_t below)
{
    size_t count;
    char **names = names_in(folder, &count);
    if (!names) {
        cannot_read(list, folder, strerror(errno));
        return;
    }
    for (size_t i = 0; i < count; i++) {
        file_status status;
        char *path = path_below(folder, names[i]);
        bool folder_inside = st_path_status(path, false, &status) == 0 && status.kind == FILE_FOLDER;
        if (folder_inside)
            add_folder(list, path, below);
        else if ((stele_format_of_name(path) || (list->imported && is_imported(path))) &&
                 st_path_status(path, true, &status) == 0 && status.kind == FILE_REGULAR)
            add_file(list, path, below);
        free(path);
        free(names[i]);
    }
    free(names);
}

static size_t length_of_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash + 1 - path) : 0;
}

void add_operand(file_list *list, const settings *s, const char *path)
{
    if (strcmp(path, "-") == 0 || !is_folder(path)) {
        add_file(list, path, length_of_folder(path));
    } else if (s->recursive) {
        size_t length = strlen(path);
        add_folder(list, path, length + (path[length - 1] != '/'));
    } else {
        cannot_read(list, path, "is a folder; use -r to go into it");
    }
}

/* ---- What goes with a model ---- */

static size_t length_of_stem(const char *path)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    return dot && (!slash || dot > slash + 1) ? (size_t)(dot - path) : strlen(path);
}

static bool lists(const char *words, const char *word, size_t length)
{
    for (; words && *words; words += strspn(words, " ")) {
        size_t size = strcspn(words, " ");
        if (size == length && strncmp(words, word, length) == 0)
            return true;
        words += size;
    }
    return false;
}

static bool goes_with(const stele_format_info *format, const stele_format_info *model)
{
    for (const char *word = format->extensions; *word; word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");
        if (lists(model->companions, word, length))
            return true;
        word += length;
    }
    return false;
}

bool goes_with_others(const stele_format_info *format)
{
    const stele_format_info *model;
    for (size_t i = 0; (model = stele_format_at(i)); i++)
        if (goes_with(format, model))
            return true;
    return false;
}

/* The animation of a model that is converted too goes with it: it is no model of its own. */
static bool is_companion_of(const char *path, const char *model)
{
    const stele_format_info *format = stele_format_of_name(path), *other = stele_format_of_name(model);
    size_t stem = length_of_stem(path);
    return format && other && length_of_stem(model) == stem && strncmp(path, model, stem) == 0 && goes_with(format, other);
}

/* Files of one name follow each other. */
static bool is_companion(const file_list *list, size_t index)
{
    const char *path = list->entries[index].path;
    const stele_format_info *format = stele_format_of_name(path);
    size_t stem = length_of_stem(path), first = index, end = index;
    if (!format || !goes_with_others(format))
        return false;
    while (first > 0 && strncmp(list->entries[first - 1].path, path, stem) == 0)
        first--;
    while (end < list->count && strncmp(list->entries[end].path, path, stem) == 0)
        end++;
    for (size_t i = first; i < end; i++)
        if (is_companion_of(path, list->entries[i].path))
            return true;
    return false;
}

void drop_companions(file_list *list)
{
    size_t kept = 0;
    bool *dropped = or_die(calloc(list->count + 1, sizeof *dropped));
    for (size_t i = 0; i < list->count; i++)
        dropped[i] = is_companion(list, i);
    for (size_t i = 0; i < list->count; i++)
        if (dropped[i])
            free(list->entries[i].path);
        else
            list->entries[kept++] = list->entries[i];
    list->count = kept;
    free(dropped);
}

/* ---- Two of one name ---- */

/* Two files of one name would overwrite each other in one folder: that name, to be freed, or NULL. */
char *name_twice(const file_list *list, bool by_stem)
{
    char *twice = NULL, **names = or_die(calloc(list->count + 1, sizeof *names));
    for (size_t i = 0; i < list->count; i++) {
        const char *name = list->entries[i].path + list->entries[i].below;
        names[i] = or_die(strdup(name));
        if (by_stem)
            names[i][length_of_stem(name)] = 0;
    }
    qsort(names, list->count, sizeof *names, compare_strings);
    for (size_t i = 1; i < list->count && !twice; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            twice = or_die(strdup(names[i]));
    for (size_t i = 0; i < list->count; i++)
        free(names[i]);
    free(names);
    return twice;
}
