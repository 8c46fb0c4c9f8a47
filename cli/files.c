/* Which files a verb is about: operands, and what is in folders. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "system/files.h"
#include "system/process.h"

void *or_die(void *memory)
{
    if (!memory) {
        fputs("stele: there is not enough memory\n", stderr);
        exit(EXIT_IO);
    }
    return memory;
}

/* Whether "sgm,sga" has that word. */
static bool lists_name(const char *names, const char *name)
{
    for (size_t length; *names; names += length + (names[length] == ',')) {
        length = strcspn(names, ",");
        if (strlen(name) == length && strncmp(names, name, length) == 0)
            return true;
    }
    return false;
}

static entry *add_file(file_list *list, const char *path, size_t below)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? list->capacity * 2 : 16;
        list->entries = or_die(realloc(list->entries, list->capacity * sizeof *list->entries));
    }
    entry *e = &list->entries[list->count++];
    *e = (entry){.path = or_die(strdup(path)), .below = below};
    return e;
}

void add_problem(file_list *list, const char *path, const char *why)
{
    add_file(list, path, 0)->problem = or_die(strdup(why));
}

void free_list(file_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->entries[i].path);
        free(list->entries[i].problem);
        free(list->entries[i].partner);
    }
    free(list->entries);
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

/* Of files in folders, their names say which are models. */
static bool is_wanted(const settings *s, const char *path)
{
    const stele_format_info *format = stele_format_of_name(path);
    if (s->from)
        return format && lists_name(s->from, format->name);
    return format || (s->import && is_imported(path));
}

/* What was written by another run is not read by this one. */
static bool is_output(const settings *s, const file_status *folder)
{
    file_status output;
    return s->out_dir && st_path_status(s->out_dir, true, &output) == 0 && output.device == folder->device &&
           output.inode == folder->inode;
}

/* Regular files. Links to folders are not followed: they can lead in circles. */
static void add_folder(file_list *list, const settings *s, const char *folder, size_t below)
{
    size_t count;
    char **names = names_in(folder, &count);
    if (!names) {
        add_problem(list, folder, strerror(errno));
        return;
    }
    for (size_t i = 0; i < count; i++) {
        file_status status;
        char *path = path_below(folder, names[i]);
        bool folder_inside = st_path_status(path, false, &status) == 0 && status.kind == FILE_FOLDER;
        if (folder_inside && !is_output(s, &status))
            add_folder(list, s, path, below);
        else if (!folder_inside && is_wanted(s, path) && st_path_status(path, true, &status) == 0 &&
                 status.kind == FILE_REGULAR)
            add_file(list, path, below)->found = true;
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

static void add_path(file_list *list, const settings *s, const char *path, size_t below)
{
    if (strcmp(path, "-") == 0 || !is_folder(path)) {
        add_file(list, path, below);
    } else if (s->recursive) {
        size_t length = strlen(path);
        add_folder(list, s, path, length + (path[length - 1] != '/'));
    } else {
        add_problem(list, path, "is a folder; use -r to go into it");
    }
}

void add_operand(file_list *list, const settings *s, const char *path)
{
    add_path(list, s, path, length_of_folder(path));
}

/* ---- Names from a file ---- */

/* Where the part of a listed name starts that is kept below --out-dir: all of it, unless that leads elsewhere. */
static size_t kept_part(const char *name)
{
    size_t start = 0;
    while (name[start] == '.' && name[start + 1] == '/')
        start += 2 + strspn(name + start + 2, "/");
    bool elsewhere = *name == '/';
    for (const char *part = name; part && !elsewhere; part = strchr(part, '/')) {
        part += *part == '/';
        elsewhere = strncmp(part, "..", 2) == 0 && (part[2] == '/' || !part[2]);
    }
    return elsewhere ? length_of_folder(name) : start;
}

static void add_name(file_list *list, const settings *s, char *name, size_t length, bool line)
{
    length -= line && length && name[length - 1] == '\r';
    name[length] = 0;
    if (length)
        add_path(list, s, name, kept_part(name));
}

void add_listed(file_list *list, const settings *s)
{
    bool standard = strcmp(s->files_from, "-") == 0;
    int fd = standard ? -1 : st_fd_open(s->files_from);
    FILE *in = standard ? stdin : fd < 0 ? NULL : fdopen(fd, "rb");
    memory_stream memory;
    if (!st_memory_open(&memory))
        or_die(NULL);
    char chunk[65536];
    for (size_t n; in && (n = fread(chunk, 1, sizeof chunk, in)) > 0;)
        fwrite(chunk, 1, n, memory.file);
    if (!in || ferror(in))
        add_problem(list, s->files_from, strerror(errno));
    if (in && !standard)
        fclose(in);
    if (!st_memory_close(&memory))
        or_die(NULL);
    char *names = memory.data;
    size_t size = memory.size;
    char end = memchr(names, 0, size) ? 0 : '\n';
    for (char *name = names; name < names + size;) {
        char *next = memchr(name, end, (size_t)(names + size - name));
        next = next ? next : names + size; /* where there is a NUL more */
        add_name(list, s, name, (size_t)(next - name), end);
        name = next + 1;
    }
    free(names);
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

/* ---- What is written ---- */

bool is_skipped(const entry *e, const settings *s)
{
    const stele_format_info *format = stele_format_of_name(e->path);
    return e->found && s->to && !s->dialect && !s->from && !s->rewrites && format && strcmp(format->name, s->to) == 0;
}

const char *extension_of(const settings *s)
{
    const stele_format_info *to = s->to ? format_named(s->to) : NULL;
    return to ? to->extensions : s->to;
}

/* ---- Two of one name ---- */

typedef struct claim {
    char *output;
    entry *by;
} claim;

/* In the order of the files where they claim the same. */
static int compare_claims(const void *a, const void *b)
{
    const claim *x = a, *y = b;
    int order = strcmp(x->output, y->output);
    return order ? order : (x->by > y->by) - (x->by < y->by);
}

/* Those that are skipped claim nothing. */
void find_rivals(file_list *list, const settings *s)
{
    claim *claims = or_die(calloc(list->count + 1, sizeof *claims));
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        entry *e = &list->entries[i];
        if (!e->problem && !is_skipped(e, s))
            claims[count++] = (claim){or_die(path_in_folder(s->out_dir, e->path + e->below, extension_of(s))), e};
    }
    qsort(claims, count, sizeof *claims, compare_claims);
    for (size_t i = 1; i < count; i++)
        if (strcmp(claims[i - 1].output, claims[i].output) == 0) {
            claims[i].by->rival = claims[i - 1].by->path;
            if (!claims[i - 1].by->rival)
                claims[i - 1].by->rival = claims[i].by->path;
        }
    for (size_t i = 0; i < count; i++)
        free(claims[i].output);
    free(claims);
}

/* ---- Two folders ---- */

static bool same_names(const entry *a, const entry *b, bool stems)
{
    const char *x = a->path + a->below, *y = b->path + b->below;
    size_t length = stems ? length_of_stem(x) : strlen(x);
    return length == (stems ? length_of_stem(y) : strlen(y)) && strncmp(x, y, length) == 0;
}

/* By the whole name where that is possible, or else by the name without the extension: a.sgm and a.glb. */
static void pair(file_list *list, file_list *others, bool stems)
{
    for (size_t i = 0; i < list->count; i++)
        for (size_t k = 0; k < others->count && !list->entries[i].partner; k++) {
            entry *other = &others->entries[k];
            if (other->path && !other->problem && !list->entries[i].problem && same_names(&list->entries[i], other, stems)) {
                list->entries[i].partner = other->path;
                other->path = NULL;
            }
        }
}

void pair_folders(file_list *list, const settings *s, const char *first, const char *second)
{
    file_list others = {0};
    add_operand(list, s, first);
    add_operand(&others, s, second);
    drop_companions(list);
    drop_companions(&others);
    pair(list, &others, false);
    pair(list, &others, true);
    for (size_t i = 0; i < others.count; i++)
        if (others.entries[i].path) {
            entry *lone = add_file(list, others.entries[i].path, others.entries[i].below);
            lone->problem = others.entries[i].problem;
            others.entries[i].problem = NULL;
        }
    free_list(&others);
}
