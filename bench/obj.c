/* The benchmark of OBJ: obj STELE BIG_FILES (make bench calls it by way of tools/bench.sh).
 *
 *     read OBJ      stele_open + stele_file_model + stele_close, 2 threads | count the newlines of the mapped file; Assimp
 *     SGM -> OBJ    stele_file_write of 112 MB to nowhere, 2 threads       | dragonbox printing the same floats to nowhere
 *     the command   stele convert, 2 threads, to a file                    | cp of what it writes
 *     memory of it  what the library allocates                             | the size of the file
 *
 * As in bench.c: competitors take turns, numbers are medians, a goal that is missed is said and nothing fails. */
#define _XOPEN_SOURCE 700

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef WITH_ASSIMP
#include <assimp/cimport.h>
#endif

#include "race.h"
#include "stele.h"

enum { READ_RUNS = 11, WRITE_RUNS = 9, CONVERT_RUNS = 7, PEER_RUNS = 1 };

/* ---- Reading ---- */

static void read_model(const void *path)
{
    stele_options options = {.parallel = on_two_threads};
    stele_file *file = stele_open(path, &options);
    need(stele_file_model(file) != NULL, path);
    stele_close(file);
}

static volatile size_t lines;

static void count_lines(const void *path)
{
    uint64_t size = size_of(path);
    int fd = open(path, O_RDONLY);
    const char *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0), *end = data + size;
    need(fd >= 0 && data != MAP_FAILED, "mapping");
    size_t count = 0;
    for (const char *p = data; p < end && (p = memchr(p, '\n', (size_t)(end - p))); p++)
        count++;
    lines = count;
    munmap((void *)data, size);
    close(fd);
}

#ifdef WITH_ASSIMP
static void read_assimp(const void *path)
{
    const struct aiScene *scene = aiImportFile(path, 0);
    need(scene != NULL, "Assimp");
    aiReleaseImport(scene);
}
#endif

static void bench_read(const char *path)
{
    double mine, peer;
    uint64_t size = size_of(path);
    race(READ_RUNS, (contender){read_model, path, NULL}, (contender){count_lines, path, NULL}, &mine, &peer);
    print_row("read big.obj as a model, 2 threads", milliseconds("", mine, size), milliseconds("newlines     ", peer, size),
              number("%.2f", mine / peer), plain("<= 8"), verdict(mine <= 8 * peer));
#ifdef WITH_ASSIMP
    race(PEER_RUNS, (contender){read_model, path, NULL}, (contender){read_assimp, path, NULL}, &mine, &peer);
    print_row("  beside Assimp", milliseconds("", mine, size), milliseconds("Assimp ", peer, size), number("%.2f", mine / peer),
              plain("-"), "-");
#endif
}

/* ---- Writing ---- */

static uint64_t write_to_nowhere(const char *path, heap *h)
{
    uint64_t size = 0;
    stele_options options = {.allocator = {count_allocate, count_release, h}, .parallel = on_two_threads};
    stele_save_options save = {.format = "obj"};
    stele_file *file = stele_open(path, &options);
    need(stele_file_write(file, count_bytes, &size, &save) == STELE_OK, path);
    stele_close(file);
    return size;
}

static void write_obj(const void *path)
{
    heap h = {0, 0};
    write_to_nowhere(path, &h);
}

#ifdef WITH_DRAGONBOX
size_t print_floor(const float *numbers, size_t count, char *buffer, size_t size);

typedef struct numbers {
    float *data;
    size_t count;
    char *buffer;
} numbers;

enum { BUFFER = 1 << 20 };

static volatile size_t printed;

static void print_numbers(const void *what)
{
    const numbers *n = what;
    printed = print_floor(n->data, n->count, n->buffer, BUFFER);
}

/* All positions, normals and texture coordinates, in the order in which they are written. */
static numbers collect_numbers(const char *path)
{
    numbers n = {NULL, 0, malloc(BUFFER)};
    stele_file *file = stele_open(path, NULL);
    const stele_model *model = stele_file_model(file);
    need(model && n.buffer, path);
    for (int pass = 0; pass < 2; pass++) {
        n.count = 0;
        for (size_t m = 0; m < model->mesh_count; m++)
            for (size_t p = 0; p < model->meshes[m].primitive_count; p++) {
                const stele_primitive *primitive = &model->meshes[m].primitives[p];
                for (size_t a = 0; a < primitive->attribute_count; a++) {
                    const stele_attribute *attribute = &primitive->attributes[a];
                    if (attribute->semantic > STELE_UV || attribute->semantic == STELE_TANGENT)
                        continue;
                    for (uint64_t row = 0; row < attribute->view.count; row++, n.count += attribute->view.components)
                        if (pass)
                            stele_view_row(&attribute->view, row, n.data + n.count);
                }
            }
        n.data = pass ? n.data : malloc(n.count * sizeof *n.data);
        need(n.data != NULL, "allocating");
    }
    stele_close(file);
    return n;
}
#endif

static void bench_write(const char *path)
{
    heap h = {0, 0};
    uint64_t size = write_to_nowhere(path, &h);
    double mine, peer, part = (double)h.peak / (double)size_of(path);
#ifdef WITH_DRAGONBOX
    numbers n = collect_numbers(path);
    race(WRITE_RUNS, (contender){write_obj, path, NULL}, (contender){print_numbers, &n, NULL}, &mine, &peer);
    print_row("SGM -> OBJ, to nowhere, 2 threads", milliseconds("", mine, size), milliseconds("dragonbox    ", peer, printed),
              number("%.2f", mine / peer), plain("<= 1.5"), verdict(mine <= 1.5 * peer));
    free(n.data);
    free(n.buffer);
#else
    race(WRITE_RUNS, (contender){write_obj, path, NULL}, (contender){count_lines, path, NULL}, &mine, &peer);
    print_row("SGM -> OBJ, to nowhere, 2 threads", milliseconds("", mine, size), plain("dragonbox is not here"), plain(""),
              plain("<= 1.5"), "-");
#endif
    print_row("  memory of it", number("%.1f MB", (double)h.peak / 1e6),
              number("the file: %.0f MB", (double)size_of(path) / 1e6), number("%.3f", part), plain("<= 0.25"),
              verdict(part <= 0.25));
}

static void bench_convert(const char *stele, const char *sgm, const char *obj, const char *out)
{
    const char *convert[] = {stele, "convert", "-q", sgm, out, "-f", NULL};
    const char *copy[] = {program("/bin/cp", "/usr/bin/cp"), obj, out, NULL};
    double mine, peer;
    race(CONVERT_RUNS, (contender){run_process, convert, out}, (contender){run_process, copy, out}, &mine, &peer);
    unlink(out);
    print_row("stele convert, SGM -> OBJ", milliseconds("", mine, size_of(obj)),
              milliseconds("cp of the OBJ ", peer, size_of(obj)), number("%.2f", mine / peer), plain("-"), "-");
}

int main(int argc, char **argv)
{
    char sgm[4096], obj[4096], out[4096];
    if (argc < 3) {
        fputs("usage: obj STELE FOLDER_OF_BIG_FILES\n", stderr);
        return 2;
    }
    snprintf(sgm, sizeof sgm, "%s/big.sgm", argv[2]);
    snprintf(obj, sizeof obj, "%s/big.obj", argv[2]);
    snprintf(out, sizeof out, "%s/out.obj", argv[2]);
    bench_read(obj);
    bench_write(sgm);
    bench_convert(argv[1], sgm, obj, out);
    return 0;
}
