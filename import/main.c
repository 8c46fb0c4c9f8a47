/* stele-import FILE: what Assimp reads becomes a GLB on standard output, and what there is to say about it lines on standard
 * error. The command `stele` runs it; docs/import.md describes the conversation. */
#define _GNU_SOURCE

#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "import.h"
#include "sandbox/sandbox.h"

enum { USUAL_PAD = 16 << 20, MOST_PREPARED = 256 << 20 };

void *take(import *im, uint64_t count, size_t size)
{
    void *memory = count && size > UINT64_MAX / count ? NULL : stele_memory(im->model, (count ? count : 1) * size);
    if (!memory)
        fail(IMPORT_UNREADABLE, "there is not enough memory");
    return memory;
}

/* ---- Options ---- */

typedef struct request {
    const char *path;
    double scale;
    uint64_t memory, output; /* bytes; 0: as many as there are */
    double processor;        /* seconds; 0: any */
    unsigned seconds;
    bool embed;
} request;

static int usage(void)
{
    fputs("usage: stele-import [--scale N] [--memory BYTES] [--output BYTES] [--processor SECONDS] [--seconds N] [--embed] "
          "FILE > OUT.glb\n"
          "       stele-import --formats\n",
          stderr);
    return IMPORT_USAGE;
}

static bool parse(int argc, char **argv, request *r)
{
    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        char *end;
        if (strcmp(argv[i], "--embed") == 0) {
            r->embed = true;
            i--;
            continue;
        }
        double value = strtod(argv[i + 1], &end);
        bool good = end != argv[i + 1] && !*end && value > 0 && value < 1e18;
        if (good && strcmp(argv[i], "--scale") == 0)
            r->scale = value;
        else if (good && strcmp(argv[i], "--memory") == 0)
            r->memory = (uint64_t)value;
        else if (good && strcmp(argv[i], "--output") == 0)
            r->output = (uint64_t)value;
        else if (good && strcmp(argv[i], "--processor") == 0 && value < 1e6)
            r->processor = value;
        else if (good && strcmp(argv[i], "--seconds") == 0 && value >= 1 && value < 1e6)
            r->seconds = (unsigned)value;
        else
            return false;
    }
    r->path = argv[i];
    return i + 1 == argc;
}

/* ---- Importing ---- */

static const struct aiScene *read_scene(files *f, const char *path)
{
    struct aiFileIO io = files_interface(f);
    struct aiPropertyStore *settings = aiCreatePropertyStore();
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 0);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_COLLADA_USE_COLLADA_NAMES, 1);
    const struct aiScene *scene = aiImportFileExWithProperties(
        path, aiProcess_Triangulate | aiProcess_SortByPType | aiProcess_GenUVCoords | aiProcess_TransformUVCoords, &io,
        settings);
    if (!scene) {
        const char *why = aiGetErrorString();
        bool unknown = strstr(why, "No suitable reader") != NULL;
        if (strstr(why, "bad_alloc"))
            fail(IMPORT_UNREADABLE, "there is not enough memory within the limit");
        fail(unknown ? IMPORT_UNKNOWN : IMPORT_FAILED, "%s", *why ? why : "Assimp does not say why");
    }
    return scene;
}

static void build(import *im)
{
    const struct aiScene *scene = im->scene;
    add_materials(im);
    find_places(im);
    mark_moving(im);
    find_groups(im);
    add_meshes(im);
    add_nodes(im);
    add_skins(im);
    add_clips(im);
    lose(scene->mNumLights, "%u light%s", scene->mNumLights, scene->mNumLights == 1 ? "" : "s");
    lose(scene->mNumCameras, "%u camera%s", scene->mNumCameras, scene->mNumCameras == 1 ? "" : "s");
}

static bool write_out(void *user, const void *data, size_t size)
{
    const char *from = data;
    (void)user;
    while (size) {
        ssize_t written = write(STDOUT_FILENO, from, size);
        if (written < 0 && errno != EINTR)
            return false;
        from += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

/* What is freed is used again, rather than given back and fetched page by page. No importer gets along with less memory than
 * the file has bytes: that much is fetched at once, which takes the kernel half as long. */
static void prepare_heap(uint64_t expected)
{
    const uintptr_t page = 4096;
    int size = (int)(expected < MOST_PREPARED ? expected : MOST_PREPARED);
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, 512 << 20);
    mallopt(M_TOP_PAD, size > USUAL_PAD ? size : USUAL_PAD);
    void *first = malloc(page);
    mallopt(M_TOP_PAD, USUAL_PAD);
#ifdef MADV_POPULATE_WRITE
    uintptr_t start = ((uintptr_t)first + page - 1) & ~(page - 1), end = (uintptr_t)sbrk(0) & ~(page - 1);
    if (size > USUAL_PAD && start < end)
        madvise((void *)start, end - start, MADV_POPULATE_WRITE); /* kernels before 5.14 do not know it */
#endif
    free(first);
}

/* Below what the sandbox sets: it lowers limits, and never raises one; none is the greatest number. The timer has fractions of
 * a second, which the limit has not; that comes after it, for whom the signal does not end. */
static void limit_work(const request *r)
{
    double whole, part = modf(r->processor, &whole);
    struct itimerval most = {.it_value = {(time_t)whole, (suseconds_t)(part * 1e6)}};
    struct rlimit now, limit = {(rlim_t)whole + 2, (rlim_t)whole + 2}, size = {r->output, r->output};
    if (r->processor > 0) {
        signal(SIGPROF, SIG_DFL);
        most.it_value.tv_usec += !most.it_value.tv_sec && !most.it_value.tv_usec; /* zero would be none */
        setitimer(ITIMER_PROF, &most, NULL);
        if (getrlimit(RLIMIT_CPU, &now) == 0 && limit.rlim_max < now.rlim_max)
            setrlimit(RLIMIT_CPU, &limit);
    }
    if (r->output) {
        signal(SIGXFSZ, SIG_DFL);
        if (getrlimit(RLIMIT_FSIZE, &now) == 0 && size.rlim_max < now.rlim_max)
            setrlimit(RLIMIT_FSIZE, &size);
    }
}

static void enter_sandbox(const request *r, const files *f)
{
    static const int writing[] = {STDOUT_FILENO, STDERR_FILENO};
    sandbox s = {.folder = files_folder(f), .writing = writing, .writing_count = 2, .memory = r->memory, .seconds = r->seconds};
    switch (sandbox_enter(&s)) {
    case SANDBOX_NONE: fail(IMPORT_UNREADABLE, "the kernel does not let us lock ourselves in");
    case SANDBOX_CLOSED: say("note", 1, "this kernel has no Landlock: files beside the model are not read"); break;
    case SANDBOX_READING:
    case SANDBOX_FOLDER: break;
    }
}

int main(int argc, char **argv)
{
    request r = {.scale = 1, .seconds = 300};
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody would read what we write */
    if (argc == 2 && strcmp(argv[1], "--formats") == 0) {
        list_formats();
        return fflush(stdout) == 0 ? IMPORT_DONE : IMPORT_UNREADABLE;
    }
    if (!parse(argc, argv, &r))
        return usage();
    syscall(SYS_close_range, 3u, ~0u, 0u); /* what we were left by accident */
import im = {.path = r.path, .scale = r.scale, .files = files_open(r.path) };
    limit_work(&r);
    enter_sandbox(&r, im.files);
    prepare_heap(files_size(im.files));
    im.scene = read_scene(im.files, r.path);
    im.model = stele_new(&(stele_options){.beside = r.path, .read_file = true});
    im.format = notes_of_format(im.scene, im.files);
    say("format", 1, "%s", *im.format.title ? im.format.title : "a format without a name");
    say("note", 1, "read by Assimp %u.%u.%u", aiGetVersionMajor(), aiGetVersionMinor(), aiGetVersionPatch());
    build(&im);
    stele_save_options save = {.format = "glb", .textures = r.embed ? STELE_TEXTURES_EMBED : STELE_TEXTURES_REFER};
    if (stele_file_write(im.model, write_out, NULL, &save) != STELE_OK)
        fail(IMPORT_FAILED, "%s", stele_file_message(im.model));
    say("done", 1, "%s", r.path);
    close(STDOUT_FILENO); /* who reads need not wait until the kernel has taken the scene apart */
    close(STDERR_FILENO);
    _exit(IMPORT_DONE);
}
