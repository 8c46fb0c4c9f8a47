/* The files that Assimp asks for, by the names that a model gives them: looked for below the folder of the model only, mapped,
 * and read from there. The sandbox forbids the rest a second time. */
#define _GNU_SOURCE

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "import.h"

enum { MOST_LOOKS = 2000 };  /* no real model names thousands of others */
enum { LEAST_NEWS = 65536 }; /* bytes beside the model that are worth a line */

struct files {
    int folder, model;    /* the model is opened at once: it may be all that can be */
    const char *name;     /* of the model, in the folder */
    size_t folder_length; /* of the model's path up to its name */
    const char *path;
    unsigned looks;
    struct {
        dev_t device;
        ino_t number;
    } beside[MOST_LOOKS]; /* what was found */
    unsigned beside_count;
    uint64_t beside_size, said;
};

typedef struct mapped {
    const uint8_t *data;
    size_t size, at;
} mapped;

files *files_open(const char *path)
{
    files *f = calloc(1, sizeof *f);
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX] = ".";
    size_t length = slash ? (size_t)(slash + 1 - path) : 0;
    if (!f || length >= sizeof folder)
        fail(IMPORT_UNREADABLE, "the path is too long");
    if (length) {
        memcpy(folder, path, length);
        folder[length] = 0;
    }
    *f = (files){.name = path + length, .path = path, .folder_length = length};
    f->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    f->model = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (f->folder < 0 || f->model < 0)
        fail(IMPORT_UNREADABLE, "%s", strerror(errno));
    return f;
}

int files_folder(const files *f)
{
    return f->folder;
}

uint64_t files_size(const files *f)
{
    struct stat status;
    return fstat(f->model, &status) == 0 && S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
}

/* A name as a path below the folder: with slashes, without the folder in front; NULL if it leads out of it. */
static const char *name_below(const files *f, const char *name, char room[PATH_MAX])
{
    size_t length = strlen(name), prefix = f->folder_length;
    if (length >= PATH_MAX)
        return NULL;
    for (size_t i = 0; i <= length; i++)
        room[i] = name[i] == '\\' ? '/' : name[i];
    const char *below = prefix && strncmp(room, f->path, prefix) == 0 ? room + prefix : room;
    while (below[0] == '.' && below[1] == '/')
        below += 2;
    for (const char *part = below; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || !part[2]))
            return NULL;
    }
    return *below && *below != '/' && !(below[0] && below[1] == ':') ? below : NULL;
}

/* The limits are in proportion to the model and what it names: whoever set them may have to set them again. Each file counts
 * once, and a line is for much more than the last. */
static void count_beside(files *f, const struct stat *status)
{
    struct stat model;
    if (fstat(f->model, &model) != 0 || (model.st_dev == status->st_dev && model.st_ino == status->st_ino))
        return;
    for (unsigned i = 0; i < f->beside_count; i++)
        if (f->beside[i].device == status->st_dev && f->beside[i].number == status->st_ino)
            return;
    f->beside[f->beside_count].device = status->st_dev;
    f->beside[f->beside_count++].number = status->st_ino;
    f->beside_size += (uint64_t)status->st_size;
    if (f->beside_size >= f->said + f->said / 8 + LEAST_NEWS)
        say("beside", f->said = f->beside_size, "bytes in files that it names");
}

/* A descriptor of a regular file, or -1. */
static int look(files *f, const char *name)
{
    char room[PATH_MAX];
    struct stat status;
    const char *below = name_below(f, name, room);
    if (!below || f->looks++ >= MOST_LOOKS)
        return -1;
    int descriptor = strcmp(below, f->name) == 0 ? dup(f->model) : openat(f->folder, below, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
        count_beside(f, &status);
        return descriptor;
    }
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

bool files_has(files *f, const char *name)
{
    int descriptor = look(f, name);
    if (descriptor >= 0)
        close(descriptor);
    return descriptor >= 0;
}

size_t files_begin(files *f, const char *extension, char *bytes, size_t most)
{
    char name[PATH_MAX];
    const char *dot = strrchr(f->name, '.');
    size_t stem = dot ? (size_t)(dot - f->name) : strlen(f->name);
    snprintf(name, sizeof name, "%.*s.%s", (int)stem, f->name, extension ? extension : "");
    int descriptor = extension ? look(f, name) : dup(f->model);
    ssize_t size = descriptor < 0 ? 0 : pread(descriptor, bytes, most, 0);
    if (descriptor >= 0)
        close(descriptor);
    return size > 0 ? (size_t)size : 0;
}

bool files_mention(files *f, const char *text)
{
    size_t size = (size_t)files_size(f);
    void *data = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, f->model, 0) : MAP_FAILED;
    bool found = data != MAP_FAILED && memmem(data, size, text, strlen(text));
    if (data != MAP_FAILED)
        munmap(data, size);
    return found;
}

/* ---- What Assimp calls ---- */

static size_t read_mapped(struct aiFile *file, char *buffer, size_t size, size_t count)
{
    mapped *m = (mapped *)file->UserData;
    size_t left = m->size - m->at;
    if (!size || count > left / size)
        count = size ? left / size : 0;
    if (count)
        memcpy(buffer, m->data + m->at, size * count);
    m->at += size * count;
    return count;
}

static size_t write_nothing(struct aiFile *file, const char *buffer, size_t size, size_t count)
{
    (void)file, (void)buffer, (void)size, (void)count;
    return 0;
}

static size_t tell(struct aiFile *file)
{
    return ((mapped *)file->UserData)->at;
}

static size_t size_of_file(struct aiFile *file)
{
    return ((mapped *)file->UserData)->size;
}

static enum aiReturn seek(struct aiFile *file, size_t offset, enum aiOrigin origin)
{
    mapped *m = (mapped *)file->UserData;
    /* from the end and from here, an offset below zero comes as a huge number: the sum wraps to what is meant */
    size_t at = offset + (origin == aiOrigin_CUR ? m->at : origin == aiOrigin_END ? m->size : 0);
    if (at > m->size)
        return aiReturn_FAILURE;
    m->at = at;
    return aiReturn_SUCCESS;
}

static void flush_nothing(struct aiFile *file)
{
    (void)file;
}

static struct aiFile *open_for_assimp(struct aiFileIO *io, const char *name, const char *mode)
{
    struct stat status;
    int descriptor = strpbrk(mode, "wa+") ? -1 : look((files *)io->UserData, name);
    if (descriptor < 0)
        return NULL;
    mapped *m = calloc(1, sizeof *m);
    struct aiFile *file = calloc(1, sizeof *file);
    bool good = m && file && fstat(descriptor, &status) == 0;
    if (good && status.st_size) {
        m->size = (size_t)status.st_size;
        m->data = mmap(NULL, m->size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    }
    if (!good || m->data == MAP_FAILED) /* Assimp would take it for a file that is not there */
        fail(IMPORT_UNREADABLE, "there is not enough memory within the limit");
    close(descriptor);
    *file = (struct aiFile){.ReadProc = read_mapped,
                            .WriteProc = write_nothing,
                            .TellProc = tell,
                            .FileSizeProc = size_of_file,
                            .SeekProc = seek,
                            .FlushProc = flush_nothing,
                            .UserData = (char *)m};
    return file;
}

static void close_for_assimp(struct aiFileIO *io, struct aiFile *file)
{
    (void)io;
    mapped *m = file ? (mapped *)file->UserData : NULL;
    if (m && m->size)
        munmap((void *)m->data, m->size);
    free(m);
    free(file);
}

struct aiFileIO files_interface(files *f)
{
    return (struct aiFileIO){.OpenProc = open_for_assimp, .CloseProc = close_for_assimp, .UserData = (char *)f};
}
