/* The benchmark of conversions: convert STELE BIG_FILES SMALL_FILES (make bench calls it by way of tools/bench.sh).
 *
 *     SGM -> SGM          stele convert of 112 MB                | cp
 *     SGM -> GLB          the same                               | cp
 *     memory of it        what the library allocates             | the size of the file
 *     open GLB            stele_open + stele_close               | map, scan every word, unmap; Assimp, where it is there
 *     small SGM -> GLB    stele convert -j2 of a folder to one   | -
 *
 * As in bench.c: competitors take turns, numbers are medians, a goal that is missed is said and nothing fails. */
#define _XOPEN_SOURCE 700

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef WITH_ASSIMP
#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#endif

#include "race.h"
#include "stele.h"

enum { CONVERT_RUNS = 21, OPEN_RUNS = 21, PEER_RUNS = 3, FOLDER_RUNS = 7 };

static void bench_convert(const char *stele, const char *name, const char *big, const char *out, double goal)
{
    const char *convert[] = {stele, "convert", "-q", big, out, "-f", NULL};
    const char *copy[] = {program("/bin/cp", "/usr/bin/cp"), big, out, NULL};
    double mine, peer;
    char said[16];
    race(CONVERT_RUNS, (contender){run_process, convert, out}, (contender){run_process, copy, out}, &mine, &peer);
    unlink(out);
    snprintf(said, sizeof said, "<= %g", goal);
    print_row(name, milliseconds("", mine, size_of(big)), milliseconds("cp           ", peer, size_of(big)),
              number("%.2f", mine / peer), plain(goal > 0 ? said : "-"), goal > 0 ? verdict(mine <= goal * peer) : "-");
}

/* ---- Memory ---- */

static void bench_memory(const char *path, const char *format)
{
    heap h = {0, 0};
    char name[64];
    const char *slash = strrchr(path, '/');
    stele_options options = {.allocator = {count_allocate, count_release, &h}};
    stele_save_options save = {.format = format};
    uint64_t size = 0;
    stele_file *file = stele_open(path, &options);
    need(stele_file_write(file, count_bytes, &size, &save) == STELE_OK, path);
    stele_close(file);
    double part = (double)h.peak / (double)size_of(path);
    snprintf(name, sizeof name, "  memory, %s -> %s", slash ? slash + 1 : path, format);
    print_row(name, number("%.1f MB", (double)h.peak / 1e6), number("the file: %.0f MB", (double)size_of(path) / 1e6),
              number("%.3f", part), plain("<= 0.25"), verdict(part <= 0.25));
}

/* ---- Opening GLB ---- */

static void open_library(const void *what)
{
    stele_file *file = stele_open(what, NULL);
    need(stele_file_status(file) == STELE_OK, what);
    stele_close(file);
}

static volatile uint32_t seen; /* so that the compiler cannot leave the scan out */

static void open_floor(const void *what)
{
    uint64_t size = size_of(what);
    int fd = open(what, O_RDONLY);
    uint8_t *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    uint32_t carried = 0, bits;
    need(fd >= 0 && data != MAP_FAILED, "mapping");
    for (uint64_t i = 0; i + 4 <= size; i += 4) {
        memcpy(&bits, data + i, 4);
        carried |= (bits & 0x7fffffffu) + 0x00800000u;
    }
    seen = carried;
    munmap(data, size);
    close(fd);
}

#ifdef WITH_ASSIMP
static void open_assimp(const void *what)
{
    const struct aiScene *scene = aiImportFile(what, aiProcess_ValidateDataStructure);
    need(scene != NULL, "Assimp");
    aiReleaseImport(scene);
}
#endif

static void bench_open(const char *path)
{
    double mine, peer;
    uint64_t size = size_of(path);
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char name[64];
    race(OPEN_RUNS, (contender){open_library, path, NULL}, (contender){open_floor, path, NULL}, &mine, &peer);
    snprintf(name, sizeof name, "open and check, %s", base);
    print_row(name, milliseconds("", mine, size), milliseconds("map and scan ", peer, size), number("%.2f", mine / peer),
              plain("<= 1.5"), verdict(mine <= 1.5 * peer));
#ifdef WITH_ASSIMP
    race(PEER_RUNS, (contender){open_library, path, NULL}, (contender){open_assimp, path, NULL}, &mine, &peer);
    snprintf(name, sizeof name, "  beside Assimp, %s", base);
    print_row(name, milliseconds("", mine, size), milliseconds("Assimp ", peer, size), number("%.2f", mine / peer), plain("-"),
              "-");
#endif
}

/* ---- Small files ---- */

static void bench_folder(const char *stele, const char *small, const char *out)
{
    const char *convert[] = {stele, "convert", "-qq", "-r", "-f", "-j", "2", "--to", "glb", "--out-dir", out, small, NULL};
    const char *nothing[] = {program("/bin/true", "/usr/bin/true"), NULL};
    double mine, peer;
    race(FOLDER_RUNS, (contender){run_process, convert, NULL}, (contender){run_process, nothing, NULL}, &mine, &peer);
    print_row("400 small SGM -> GLB, 2 cores", number("%.0f ms", 1e3 * mine), plain(""), plain(""), plain("<= 1000 ms"),
              verdict(mine <= 1));
}

int main(int argc, char **argv)
{
    char sgm[4096], glb[4096], out[4096];
    if (argc < 4) {
        fputs("usage: convert STELE FOLDER_OF_BIG_FILES FOLDER_OF_SMALL_FILES\n", stderr);
        return 2;
    }
    snprintf(sgm, sizeof sgm, "%s/big.sgm", argv[2]);
    snprintf(glb, sizeof glb, "%s/big.glb", argv[2]);
    snprintf(out, sizeof out, "%s/out.sgm", argv[2]);
    bench_convert(argv[1], "stele convert, SGM, 112 MB", sgm, out, 0);
    snprintf(out, sizeof out, "%s/out.glb", argv[2]);
    bench_convert(argv[1], "stele convert, SGM -> GLB, 112 MB", sgm, out, 2);
    snprintf(out, sizeof out, "%s/out.sgm", argv[2]);
    bench_convert(argv[1], "stele convert, GLB -> SGM, 112 MB", glb, out, 0);
    static const char *const plain_formats[] = {"big.sgm", "big.twm", "big.mesh", "big.sff", "big.glb"};
    for (size_t i = 0; i < sizeof plain_formats / sizeof *plain_formats; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[2], plain_formats[i]);
        bench_memory(path, i == 4 ? "sgm" : "glb");
    }
    bench_open(glb);
    snprintf(out, sizeof out, "%s/small-out", argv[2]);
    bench_folder(argv[1], argv[3], out);
    return 0;
}
