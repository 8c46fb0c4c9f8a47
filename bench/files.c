#define _XOPEN_SOURCE 700
#include "files.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "race.h"
#include "stele.h"

/* ---- Large ones ---- */

enum { LARGE_ARRAY = 1 << 16 };

static bool keep_bulk(void *user, const stele_field *field)
{
    big_file *big = user;
    bool indices = field->type == STELE_U16 || field->type == STELE_U32;
    if (field->array && field->size >= LARGE_ARRAY && big->array_count < MOST_ARRAYS)
        big->arrays[big->array_count++] =
            (bulk){field->offset, field->size, indices && field->column_count == 1 ? stele_type_size(field->type) : 0};
    return true;
}

big_file find_bulk(const char *path)
{
    const char *slash = strrchr(path, '/');
    big_file big = {.path = path, .name = slash ? slash + 1 : path};
    stele_file *file = stele_open(path, NULL);
    need(stele_file_status(file) == STELE_OK, path);
    stele_file_bytes(file, &big.size);
    stele_file_explain(file, keep_bulk, &big);
    need(big.array_count > 0, "finding the arrays");
    stele_close(file);
    return big;
}

static uint32_t largest_index(const uint8_t *data, size_t count)
{
    uint32_t largest = 0, index;
    for (size_t i = 0; i < count; i++) {
        memcpy(&index, data + 4 * i, 4);
        largest = index > largest ? index : largest;
    }
    return largest;
}

static uint16_t largest_short_index(const uint8_t *data, size_t count)
{
    uint16_t largest = 0, index;
    for (size_t i = 0; i < count; i++) {
        memcpy(&index, data + 2 * i, 2);
        largest = index > largest ? index : largest;
    }
    return largest;
}

/* Only an exponent of all ones carries into the sign bit. */
static bool any_nonfinite(const uint8_t *data, size_t count)
{
    uint32_t carried = 0, bits;
    for (size_t i = 0; i < count; i++) {
        memcpy(&bits, data + 4 * i, 4);
        carried |= (bits & 0x7fffffffu) + 0x00800000u;
    }
    return carried >> 31;
}

static volatile uint32_t seen; /* so that the compiler cannot leave the scans out */

void open_floor(const void *what)
{
    const big_file *big = what;
    int fd = open(big->path, O_RDONLY);
    uint8_t *data = mmap(NULL, big->size, PROT_READ, MAP_PRIVATE, fd, 0);
    need(fd >= 0 && data != MAP_FAILED, "mapping");
    for (size_t i = 0; i < big->array_count; i++) {
        const bulk *b = &big->arrays[i];
        if (b->index_size == 4)
            seen = largest_index(data + b->offset, b->bytes / 4);
        else if (b->index_size == 2)
            seen = largest_short_index(data + b->offset, b->bytes / 2);
        else
            seen = any_nonfinite(data + b->offset, b->bytes / 4);
    }
    munmap(data, big->size);
    close(fd);
}

/* ---- Small ones ---- */

struct folder folder;

static bool is_model(const char *path)
{
    const char *dot = strrchr(path, '.');
    const stele_format_info *format;
    for (size_t i = 0; dot && (format = stele_format_at(i)); i++)
        for (const char *list = format->extensions; *list; list += *list == ' ') {
            size_t length = strcspn(list, " ");
            if (strlen(dot + 1) == length && strncasecmp(dot + 1, list, length) == 0)
                return true;
            list += length;
        }
    return false;
}

static int add_file(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)where;
    if (kind != FTW_F || !is_model(path) || folder.count == MOST_FILES)
        return 0;
    folder.paths[folder.count] = strdup(path);
    need(folder.paths[folder.count++] != NULL, "allocating");
    folder.bytes += (uint64_t)status->st_size;
    folder.largest = (uint64_t)status->st_size > folder.largest ? (uint64_t)status->st_size : folder.largest;
    return 0;
}

void find_models(const char *path)
{
    need(nftw(path, add_file, 16, FTW_PHYS) == 0 && folder.count, path);
    /* on a page boundary: some processors copy ten times slower to a few bytes past one */
    folder.buffer = aligned_alloc(4096, (folder.largest / 4096 + 1) * 4096);
    need(folder.buffer != NULL, "allocating");
}

void read_all(const void *nothing)
{
    (void)nothing;
    for (size_t i = 0; i < folder.count; i++) {
        int fd = open(folder.paths[i], O_RDONLY);
        need(fd >= 0 && read(fd, folder.buffer, folder.largest + 1) >= 0, folder.paths[i]);
        close(fd);
    }
}
