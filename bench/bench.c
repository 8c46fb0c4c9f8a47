/* The benchmark: bench STELE BIG_FILES SMALL_FILES SAMPLE... (make bench calls it by way of tools/bench.sh).
 *
 * Every row races Stele against the least that could do the job on the same machine, in the same minute:
 *
 *     open             stele_open + stele_close of BIG      | map, scan every array, unmap; for compressed files, liblz4
 *     heap             what that open allocates             | -
 *     stele check BIG  the command on two cores, all checks | cat BIG
 *     stele explain    the command, ranges of all columns   | cat BIG
 *     small files      stele_open + stele_close of FOLDER   | open, read and close of the same files
 *     processes        stele check SAMPLE, one by one       | /bin/true
 *
 * All files are in the page cache. Competitors take turns (A, B, A, B ...), so that a slow moment of the machine hits both;
 * the numbers are medians, a ratio is that of the medians. A goal that is missed is said, but nothing fails: the exit code
 * is 0 unless something could not be run. This file is compiled with -O3, for the scans of the floor. */
#define _XOPEN_SOURCE 700

#include <fcntl.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "race.h"
#include "stele.h"

enum { OPEN_RUNS = 41, CHECK_RUNS = 41, FOLDER_RUNS = 61, PROCESS_RUNS = 1001 };

/* ---- The large file: opening ---- */

static void open_library(const void *what)
{
    const big_file *big = what;
    stele_file *file = stele_open(big->path, NULL);
    need(stele_file_status(file) == STELE_OK, big->path);
    stele_close(file);
}

static void bench_open(const big_file *big)
{
    double library, floor;
    char name[64];
    race(OPEN_RUNS, (contender){open_library, big, NULL}, (contender){open_floor, big, NULL}, &library, &floor);
    snprintf(name, sizeof name, "open and check, %s", big->name);
    print_row(name, milliseconds("", library, big->size), milliseconds("map and scan ", floor, big->size),
              number("%.2f", library / floor), plain("<= 1.5"), verdict(library <= 1.5 * floor));
}

/* ---- The compressed file ---- */

static void unpack_floor(const void *what)
{
    const big_file *big = what;
    int fd = open(big->path, O_RDONLY);
    uint8_t *data = mmap(NULL, big->size, PROT_READ, MAP_PRIVATE, fd, 0);
    uint64_t size;
    need(fd >= 0 && data != MAP_FAILED, "mapping");
    memcpy(&size, data, 8);
    char *content = malloc(size);
    need(content && LZ4_decompress_safe((char *)data + 8, content, (int)(big->size - 8), (int)size) == (int)size, "unpacking");
    free(content);
    munmap(data, big->size);
    close(fd);
}

static void bench_packed(const char *path)
{
    double library, floor;
    struct stat status;
    need(stat(path, &status) == 0, path);
    big_file big = {.path = path, .size = (uint64_t)status.st_size};
    race(OPEN_RUNS, (contender){open_library, &big, NULL}, (contender){unpack_floor, &big, NULL}, &library, &floor);
    print_row("open and check, big-v0.twm", milliseconds("", library, big.size), milliseconds("liblz4       ", floor, big.size),
              number("%.2f", library / floor), plain("<= 1.2"), verdict(library <= 1.2 * floor));
}

/* ---- The large file: memory ---- */

static void print_heap(const char *name, uint64_t bytes)
{
    print_row(name, number("%.1f KiB", (double)bytes / 1024), plain(""), plain(""), plain("<= 1 MiB"),
              verdict(bytes <= 1 << 20));
}

static void bench_heap(const big_file *big)
{
    heap h = {0, 0};
    stele_options options = {.allocator = {count_allocate, count_release, &h}};
    stele_file *file = stele_open(big->path, &options);
    need(stele_file_status(file) == STELE_OK, big->path);
    print_heap("  heap after it", stele_file_memory(file));
    print_heap("  heap at its peak", h.peak);
    stele_close(file);
    need(h.used == 0, "releasing all memory");
}

/* ---- The large file: commands ---- */

static void bench_command(const char *stele, const char *verb, const char *name, const big_file *big)
{
    const char *command[] = {stele, verb, "-j", "2", big->path, NULL};
    const char *cat[] = {program("/bin/cat", "/usr/bin/cat"), big->path, NULL};
    double mine, peer;
    race(CHECK_RUNS, (contender){run_process, command, NULL}, (contender){run_process, cat, NULL}, &mine, &peer);
    print_row(name, milliseconds("", mine, big->size), milliseconds("cat          ", peer, big->size),
              number("%.2f", mine / peer), plain("<= 4"), verdict(mine <= 4 * peer));
}

/* ---- Small files ---- */

static void open_all(const void *what)
{
    (void)what;
    for (size_t i = 0; i < folder.count; i++) {
        stele_file *file = stele_open(folder.paths[i], NULL);
        need(stele_file_status(file) != STELE_IO && stele_file_status(file) != STELE_NO_MEMORY, folder.paths[i]);
        stele_close(file);
    }
}

static void bench_folder(const char *path)
{
    double mine, peer;
    char name[64];
    find_models(path);
    double files = (double)folder.count;
    race(FOLDER_RUNS, (contender){open_all, NULL, NULL}, (contender){read_all, NULL, NULL}, &mine, &peer);
    snprintf(name, sizeof name, "open and check, %zu of %.1f kB", folder.count, (double)folder.bytes / files / 1e3);
    print_row(name, rate("", files / mine), rate("open, read, close ", files / peer), number("%.2f", peer / mine),
              plain(">= 20000 /s"), verdict(files / mine >= 20000));
}

/* ---- Processes per second ---- */

static void bench_processes(const char *stele, const char *sample)
{
    const char *check[] = {stele, "check", sample, NULL};
    const char *nothing[] = {program("/bin/true", "/usr/bin/true"), NULL};
    const char *slash = strrchr(sample, '/');
    double mine, peer;
    char name[64];
    race(PROCESS_RUNS, (contender){run_process, check, NULL}, (contender){run_process, nothing, NULL}, &mine, &peer);
    snprintf(name, sizeof name, "stele check %s", slash ? slash + 1 : sample);
    print_row(name, rate("", 1 / mine), rate("true ", 1 / peer), number("%.2f", peer / mine), plain(">= 0.6"),
              verdict(peer >= 0.6 * mine));
}

int main(int argc, char **argv)
{
    char path[4096];
    if (argc < 5) {
        fputs("usage: bench STELE FOLDER_OF_BIG_FILES FOLDER_OF_SMALL_FILES SAMPLE...\n", stderr);
        return 2;
    }
    static const char *const others[] = {"big.twm", "big.mesh", "big.sff", "big-packed.sff", "big.ctc"};
    const char *stele = argv[1];
    char big_path[4096];
    snprintf(big_path, sizeof big_path, "%s/big.sgm", argv[2]);
    big_file big = find_bulk(big_path);
    print_row("", plain("measured"), plain("floor or peer"), plain("ratio"), plain("goal"), "");
    bench_open(&big);
    bench_heap(&big);
    bench_command(stele, "check", "stele check, 112 MB, 2 cores", &big);
    bench_command(stele, "explain", "stele explain, 112 MB", &big);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        snprintf(path, sizeof path, "%s/%s", argv[2], others[i]);
        big = find_bulk(path);
        bench_open(&big);
    }
    snprintf(path, sizeof path, "%s/big-v0.twm", argv[2]);
    bench_packed(path);
    bench_folder(argv[3]);
    for (int i = 4; i < argc; i++)
        bench_processes(stele, argv[i]);
    return 0;
}
