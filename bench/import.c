/* Importing: import STELE FOLDER prints a table. `stele info` of a large file of another format, which stele-import reads with
 * Assimp and hands over, beside a process that only lets Assimp import it; the files are made in FOLDER. The goal is 1.3 times
 * the peer and 30 ms for the process. Memory is that of the larger process: the peer's and the model may be used. */
#define _DEFAULT_SOURCE

#include <assimp/cexport.h>
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "race.h"

enum { SIDE = 700, POINTS = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1), RUNS = 7 };

static void point(int index, float p[3])
{
    int x = index % SIDE, y = index / SIDE;
    p[0] = (float)x / SIDE;
    p[1] = 0.1f * sinf((float)x * 0.05f) * cosf((float)y * 0.07f);
    p[2] = (float)y / SIDE;
}

static void triangle(int index, int corners[3])
{
    int cell = index / 2, at = cell / (SIDE - 1) * SIDE + cell % (SIDE - 1);
    corners[0] = index % 2 ? at + 1 : at;
    corners[1] = at + SIDE;
    corners[2] = index % 2 ? at + SIDE + 1 : at + 1;
}

static void write_stl(FILE *out)
{
    uint32_t count = TRIANGLES;
    fwrite((char[80]){0}, 1, 80, out);
    fwrite(&count, 4, 1, out);
    for (int i = 0; i < TRIANGLES; i++) {
        float rows[4][3] = {{0, 1, 0}};
        int corners[3];
        triangle(i, corners);
        for (int k = 0; k < 3; k++)
            point(corners[k], rows[k + 1]);
        fwrite(rows, sizeof rows, 1, out);
        fwrite((char[2]){0}, 1, 2, out);
    }
}

static void write_ply(FILE *out)
{
    fprintf(out,
            "ply\nformat binary_little_endian 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\n"
            "element face %d\nproperty list uchar int vertex_indices\nend_header\n",
            POINTS, TRIANGLES);
    for (int i = 0; i < POINTS; i++) {
        float p[3];
        point(i, p);
        fwrite(p, sizeof p, 1, out);
    }
    for (int i = 0; i < TRIANGLES; i++) {
        int corners[3];
        triangle(i, corners);
        fputc(3, out);
        fwrite(corners, sizeof corners, 1, out);
    }
}

static void write_dae(FILE *out)
{
    fprintf(
        out,
        "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\"><asset>"
        "<up_axis>Y_UP</up_axis></asset><library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array id=\"a\" "
        "count=\"%d\">",
        3 * POINTS);
    for (int i = 0; i < POINTS; i++) {
        float p[3];
        point(i, p);
        fprintf(out, "%.6f %.6f %.6f ", (double)p[0], (double)p[1], (double)p[2]);
    }
    fprintf(out,
            "</float_array><technique_common><accessor source=\"#a\" count=\"%d\" stride=\"3\"><param name=\"X\" "
            "type=\"float\"/><param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor></technique_common>"
            "</source><vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices><triangles count=\"%d\">"
            "<input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>",
            POINTS, TRIANGLES);
    for (int i = 0; i < TRIANGLES; i++) {
        int corners[3];
        triangle(i, corners);
        fprintf(out, "%d %d %d ", corners[0], corners[1], corners[2]);
    }
    fputs("</p></triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id=\"s\"><node id=\"n\">"
          "<instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes><scene><instance_visual_scene "
          "url=\"#s\"/></scene></COLLADA>",
          out);
}

static void write_obj(FILE *out)
{
    for (int i = 0; i < POINTS; i++) {
        float p[3];
        point(i, p);
        fprintf(out, "v %.6f %.6f %.6f\n", (double)p[0], (double)p[1], (double)p[2]);
    }
    for (int i = 0; i < TRIANGLES; i++) {
        int corners[3];
        triangle(i, corners);
        fprintf(out, "f %d %d %d\n", corners[0] + 1, corners[1] + 1, corners[2] + 1);
    }
}

/* ---- The race ---- */

/* Most kilobytes of a process and its children. */
static double memory_of(const char *const *arguments)
{
    struct rusage used;
    int status;
    pid_t child = fork();
    need(child >= 0, "fork");
    if (!child) {
        need(freopen("/dev/null", "w", stdout) != NULL, "/dev/null");
        execv(arguments[0], (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    need(wait4(child, &status, 0, &used) == child && status == 0, arguments[0]);
    return (double)used.ru_maxrss;
}

static void bench_file(const char *stele, const char *self, const char *path)
{
    char row[64];
    double mine, peer;
    const char *info[] = {stele, "info", "-q", "--import", path, NULL}, *own[] = {self, path, NULL};
    race(RUNS, (contender){run_process, info, NULL}, (contender){run_process, own, NULL}, &mine, &peer);
    snprintf(row, sizeof row, "import %s", strrchr(path, '/') + 1);
    print_row(row, milliseconds("", mine, size_of(path)), milliseconds("Assimp ", peer, size_of(path)),
              number("%.2f", mine / peer), plain("<= 1.3 + 30 ms"), verdict(mine <= 1.3 * peer + 0.03));
    double kilobytes = memory_of(info), theirs = memory_of(own);
    print_row("  memory", number("%.0f MB", kilobytes / 1024), number("Assimp %.0f MB", theirs / 1024),
              number("%.2f", kilobytes / theirs), plain("-"), "-");
    remove(path);
}

static void write_file(const char *path, void (*write)(FILE *))
{
    FILE *out = fopen(path, "wb");
    need(out != NULL, path);
    write(out);
    need(fclose(out) == 0, path);
}

static void bench_format(const char *stele, const char *self, const char *folder, const char *name, void (*write)(FILE *))
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    write_file(path, write);
    bench_file(stele, self, path);
}

/* A format that Assimp writes too, in parts that 16 bits can count. */
static void bench_exported(const char *stele, const char *self, const char *folder, const char *format)
{
    char source[4096], path[4096];
    snprintf(source, sizeof source, "%s/exported.ply", folder);
    snprintf(path, sizeof path, "%s/grid.%s", folder, format);
    write_file(source, write_ply);
    struct aiPropertyStore *limits = aiCreatePropertyStore();
    aiSetImportPropertyInteger(limits, AI_CONFIG_PP_SLM_VERTEX_LIMIT, 30000);
    aiSetImportPropertyInteger(limits, AI_CONFIG_PP_SLM_TRIANGLE_LIMIT, 30000);
    const struct aiScene *scene =
        aiImportFileExWithProperties(source, aiProcess_SplitLargeMeshes | aiProcess_GenSmoothNormals, NULL, limits);
    need(scene != NULL && aiExportScene(scene, format, path, 0) == aiReturn_SUCCESS, path);
    aiReleaseImport(scene);
    aiReleasePropertyStore(limits);
    remove(source);
    bench_file(stele, self, path);
}

int main(int argc, char **argv)
{
    if (argc == 2) { /* the peer */
        const struct aiScene *scene = aiImportFile(argv[1], aiProcess_Triangulate | aiProcess_SortByPType |
                                                                aiProcess_GenUVCoords | aiProcess_TransformUVCoords);
        _exit(scene ? 0 : 1);
    }
    need(argc == 3, "usage: import STELE FOLDER");
    bench_format(argv[1], argv[0], argv[2], "grid.ply", write_ply);
    bench_format(argv[1], argv[0], argv[2], "grid.dae", write_dae);
    bench_format(argv[1], argv[0], argv[2], "grid.stl", write_stl);
    bench_format(argv[1], argv[0], argv[2], "grid.obj", write_obj);
    bench_exported(argv[1], argv[0], argv[2], "3ds");
    return 0;
}
