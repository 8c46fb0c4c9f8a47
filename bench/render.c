/* The benchmark of pictures: render STELE SAMPLE SMALL_FILES (make bench calls it by way of tools/bench.sh).
 *
 *     1,000,000 triangles   stele_render, 1024 x 1024, 4 samples | the same triangles by OpenGL ES on the processor (Mesa's
 * llvmpipe) thumbnail             stele thumbnail of a small model     | true contact sheet         stele render --sheet of 400
 * models   | -
 *
 * As in bench.c: competitors take turns, numbers are medians, a goal that is missed is said and nothing fails. */
#define _XOPEN_SOURCE 700

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef WITH_EGL
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>
#endif

#include "race.h"
#include "stele.h"

enum { SIDE = 1024, AROUND = 1000, ACROSS = 500, VERTICES = AROUND * ACROSS, INDICES = 6 * VERTICES };
enum { PICTURE_RUNS = 9, THUMBNAIL_RUNS = 41, SHEET_RUNS = 3 };

/* ---- A torus, which both draw ---- */

static float positions[3 * VERTICES], normals[3 * VERTICES];
static uint32_t indices[INDICES];

static void make_torus(void)
{
    const double turn = 6.283185307179586;
    for (int i = 0; i < AROUND; i++)
        for (int k = 0; k < ACROSS; k++) {
            double a = turn * i / AROUND, b = turn * k / ACROSS;
            float *p = positions + 3 * (i * ACROSS + k), *n = normals + 3 * (i * ACROSS + k);
            n[0] = (float)(cos(b) * cos(a));
            n[1] = (float)sin(b);
            n[2] = (float)(cos(b) * sin(a));
            p[0] = (float)((1 + 0.45 * cos(b)) * cos(a));
            p[1] = (float)(0.45 * sin(b));
            p[2] = (float)((1 + 0.45 * cos(b)) * sin(a));
        }
    uint32_t *at = indices;
    for (uint32_t i = 0; i < AROUND; i++)
        for (uint32_t k = 0; k < ACROSS; k++) {
            uint32_t a = i * ACROSS + k, b = i * ACROSS + (k + 1) % ACROSS;
            uint32_t c = (i + 1) % AROUND * ACROSS + k, d = (i + 1) % AROUND * ACROSS + (k + 1) % ACROSS;
            const uint32_t quad[] = {a, b, c, b, d, c};
            memcpy(at, quad, sizeof quad);
            at += 6;
        }
}

/* ---- Stele ---- */

static heap used;

static stele_file *make_model(void)
{
    stele_options options = {.parallel = on_two_threads, .allocator = {count_allocate, count_release, &used}};
    stele_file *file = stele_new(&options);
    stele_attribute attributes[] = {{STELE_POSITION, 0, stele_float_view(positions, VERTICES, 3)},
                                    {STELE_NORMAL, 0, stele_float_view(normals, VERTICES, 3)}};
    stele_primitive torus = {.vertex_count = VERTICES,
                             .attributes = attributes,
                             .attribute_count = 2,
                             .indices = {indices, INDICES, 4, 1, STELE_U32, false},
                             .material = STELE_NONE};
    stele_node node = stele_default_node();
    node.mesh = stele_add_mesh(file, &(stele_mesh){.primitives = &torus, .primitive_count = 1});
    stele_add_node(file, &node);
    need(stele_file_model(file) != NULL, "making a model");
    return file;
}

static uint8_t pixels[4 * SIDE * SIDE];

static void draw_stele(const void *file)
{
    stele_picture picture = {SIDE, SIDE, pixels};
    need(stele_render((stele_file *)file, &picture, NULL) == STELE_OK, "drawing");
}

/* ---- OpenGL ES ---- */

#ifdef WITH_EGL
static const char vertex_shader[] =
    "#version 300 es\n"
    "layout(location = 0) in vec3 position; layout(location = 1) in vec3 normal; out vec3 n;\n"
    "void main() { n = normal; vec3 p = vec3(position.x, 0.9 * position.y - 0.4 * position.z,\n"
    "  0.9 * position.z + 0.4 * position.y); gl_Position = vec4(0.6 * p.xy, 0.3 * -p.z, 1.0); }\n";
static const char pixel_shader[] = "#version 300 es\nprecision highp float; in vec3 n; out vec4 color;\n"
                                   "void main() { vec3 d = normalize(n); float key = max(dot(d, vec3(0.5, 0.6, 0.6)), 0.0);\n"
                                   "  float fill = max(dot(d, vec3(-0.7, 0.2, 0.5)), 0.0);\n"
                                   "  color = vec4(vec3(0.2 + 0.6 * key + 0.2 * fill), 1.0); }\n";

static GLuint compile(GLenum kind, const char *source)
{
    GLuint shader = glCreateShader(kind);
    GLint fine;
    glShaderSource(shader, 1, &source, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &fine);
    need(fine, "compiling a shader");
    return shader;
}

static GLuint sampled, resolved;

static GLuint make_target(GLsizei samples)
{
    GLuint frame, color, depth;
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glGenRenderbuffers(1, &color);
    glBindRenderbuffer(GL_RENDERBUFFER, color);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, SIDE, SIDE);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color);
    glGenRenderbuffers(1, &depth);
    glBindRenderbuffer(GL_RENDERBUFFER, depth);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_DEPTH_COMPONENT24, SIDE, SIDE);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
    need(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "making a frame buffer");
    return frame;
}

static bool start_egl(void)
{
    EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_SURFACE_TYPE, 0, EGL_NONE};
    const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE};
    EGLConfig config;
    EGLint count;
    if (!eglInitialize(display, NULL, NULL) || !eglChooseConfig(display, wanted, &config, 1, &count) || !count)
        return false;
    eglBindAPI(EGL_OPENGL_ES_API);
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
    return context != EGL_NO_CONTEXT && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context);
}

static void upload(GLuint location, const void *data, size_t size)
{
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, data, GL_STATIC_DRAW);
    glEnableVertexAttribArray(location);
    glVertexAttribPointer(location, 3, GL_FLOAT, GL_FALSE, 12, NULL);
}

static bool prepare_egl(void)
{
    GLuint program, buffer;
    if (!start_egl())
        return false;
    program = glCreateProgram();
    glAttachShader(program, compile(GL_VERTEX_SHADER, vertex_shader));
    glAttachShader(program, compile(GL_FRAGMENT_SHADER, pixel_shader));
    glLinkProgram(program);
    glUseProgram(program);
    upload(0, positions, sizeof positions);
    upload(1, normals, sizeof normals);
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffer);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof indices, indices, GL_STATIC_DRAW);
    resolved = make_target(0);
    sampled = make_target(4);
    glViewport(0, 0, SIDE, SIDE);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
    return true;
}

static void draw_egl(const void *nothing)
{
    (void)nothing;
    glBindFramebuffer(GL_FRAMEBUFFER, sampled);
    glClearColor(0.8f, 0.8f, 0.8f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glDrawElements(GL_TRIANGLES, INDICES, GL_UNSIGNED_INT, NULL);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, sampled);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, resolved);
    glBlitFramebuffer(0, 0, SIDE, SIDE, 0, 0, SIDE, SIDE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, resolved);
    glReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    need(glGetError() == GL_NO_ERROR, "OpenGL ES");
}
#endif

static cell seconds_cell(const char *who, double seconds)
{
    cell c;
    snprintf(c.text, sizeof c.text, "%s%.0f ms", who, 1e3 * seconds);
    return c;
}

static void bench_picture(void)
{
    stele_file *file = make_model();
    double mine, peer = 0;
    bool with_peer = false;
    draw_stele(file);
    uint64_t whole = sizeof pixels + sizeof positions + sizeof normals + sizeof indices;
#ifdef WITH_EGL
    with_peer = prepare_egl();
    if (with_peer)
        race(PICTURE_RUNS, (contender){draw_stele, file, NULL}, (contender){draw_egl, NULL, NULL}, &mine, &peer);
#endif
    if (!with_peer)
        race(PICTURE_RUNS, (contender){draw_stele, file, NULL}, (contender){draw_stele, file, NULL}, &mine, &peer);
    print_row("1,000,000 triangles, 1024 x 1024", seconds_cell("", mine),
              with_peer ? seconds_cell("OpenGL ES, llvmpipe ", peer) : plain("(no OpenGL ES here)"),
              with_peer ? number("%.2f", mine / peer) : plain(""), plain("<= 500 ms"), verdict(mine <= 0.5));
    print_row("  memory of it", number("%.0f MB", (double)used.peak / 1e6),
              number("image and model: %.0f MB", (double)whole / 1e6), number("%.2f", (double)used.peak / (double)whole),
              plain("<= 3"), verdict((double)used.peak <= 3.0 * (double)whole));
    stele_close(file);
}

static void bench_thumbnail(const char *stele, const char *sample, const char *out)
{
    const char *thumbnail[] = {stele, "thumbnail", sample, out, "--size", "256", NULL};
    const char *nothing[] = {program("/bin/true", "/usr/bin/true"), NULL};
    double mine, peer;
    race(THUMBNAIL_RUNS, (contender){run_process, thumbnail, out}, (contender){run_process, nothing, NULL}, &mine, &peer);
    unlink(out);
    print_row("stele thumbnail, a small model", number("%.1f ms", 1e3 * mine), number("true %.1f ms", 1e3 * peer), plain(""),
              plain("<= 20 ms"), verdict(mine <= 0.02));
}

static void bench_sheet(const char *stele, const char *small, const char *out)
{
    const char *sheet[] = {stele, "render", "-qq", "-f", "-r", "-j", "2", "--sheet", "-o", out, small, NULL};
    const char *nothing[] = {program("/bin/true", "/usr/bin/true"), NULL};
    double mine, peer;
    race(SHEET_RUNS, (contender){run_process, sheet, NULL}, (contender){run_process, nothing, NULL}, &mine, &peer);
    unlink(out);
    print_row("a sheet of 400 models, 2 cores", number("%.2f s", mine), plain(""), plain(""), plain("<= 10 s"),
              verdict(mine <= 10));
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fputs("usage: render STELE SAMPLE FOLDER_OF_SMALL_FILES OUT.png\n", stderr);
        return 2;
    }
    make_torus();
    bench_picture();
    bench_thumbnail(argv[1], argv[2], argv[4]);
    bench_sheet(argv[1], argv[3], argv[4]);
    return 0;
}
