/* Which files a verb is about: operands, and what is in folders. */
#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

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

static int visible(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

/* Regular files, in the order of their names, so that the output does not depend on the file system. Links to folders are not
 * followed: they can lead in circles. */
static void add_folder(file_list *list, const char *folder, size_t below)
{
    struct dirent **names;
    int count = scandir(folder, &names, visible, alphasort);
    if (count < 0) {
        cannot_read(list, folder, strerror(errno));
        return;
    }
    for (int i = 0; i < count; i++) {
        char *path;
        struct stat status;
        bool slash = folder[strlen(folder) - 1] == '/';
        if (asprintf(&path, "%s%s%s", folder, slash ? "" : "/", names[i]->d_name) < 0)
            or_die(NULL);
        bool folder_inside = lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
        if (folder_inside)
            add_folder(list, path, below);
        else if ((stele_format_of_name(path) || (list->imported && is_imported(path))) && stat(path, &status) == 0 &&
                 S_ISREG(status.st_mode))
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
    struct stat status;
    if (strcmp(path, "-") == 0 || stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) {
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

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Two files of one name would overwrite each other in one folder: that name, to be freed, or NULL. */
char *name_twice(const file_list *list, bool by_stem)
{
    char *twice = NULL, **names = or_die(calloc(list->count + 1, sizeof *names));
    for (size_t i = 0; i < list->count; i++) {
        const char *name = list->entries[i].path + list->entries[i].below;
        names[i] = or_die(strndup(name, by_stem ? length_of_stem(name) : strlen(name)));
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
