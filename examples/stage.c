#include "stage.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct stage {
    stage_view view;
    void *window;
    GLuint program, palette, palette_texture;
    GLuint sampled, resolved; /* of a picture */
};

/* ---- Shaders ---- */

static const char vertex_shader[] =
    "#version 330 core\n"
    "layout(location = 0) in vec3 position; layout(location = 1) in vec3 normal; layout(location = 2) in vec2 uv;\n"
    "layout(location = 3) in vec4 color; layout(location = 4) in uvec4 joints; layout(location = 5) in vec4 weights;\n"
    "uniform samplerBuffer palette; uniform mat4 to_view, to_picture;\n"
    "out vec3 seen, facing; out vec2 place; out vec4 tint;\n"
    "vec4 row(int r) {\n"
    "    vec4 sum = vec4(0);\n"
    "    for (int k = 0; k < 4; k++) sum += weights[k] * texelFetch(palette, 3 * int(joints[k]) + r);\n"
    "    return sum;\n"
    "}\n"
    "void main() {\n"
    "    mat3x4 m = mat3x4(row(0), row(1), row(2));\n"
    "    mat3 turn = mat3(to_view) * transpose(mat3(m));\n"
    "    vec4 at = to_view * vec4(vec4(position, 1) * m, 1);\n"
    "    seen = at.xyz; facing = transpose(inverse(turn)) * normal; place = uv; tint = color;\n"
    "    gl_Position = to_picture * at;\n"
    "}\n";

/* The light of stele render: three lamps around the camera, sky and ground (src/render/shade.c). */
static const char pixel_shader[] =
    "#version 330 core\n"
    "in vec3 seen, facing; in vec2 place; in vec4 tint; out vec4 pixel;\n"
    "uniform sampler2D image; uniform vec4 base_color; uniform vec3 glow, shine; uniform vec3 up, level;\n"
    "uniform float metallic, roughness, cutoff; uniform bool unlit, blend;\n"
    "const vec3 lamps[3] = vec3[](vec3(-0.55, 0.8, 0.75), vec3(0.85, 0.15, 0.6), vec3(0.35, 0.6, -0.9));\n"
    "const vec3 colors[3] = vec3[](vec3(0.80, 0.77, 0.72), vec3(0.17, 0.19, 0.22), vec3(0.32, 0.34, 0.38));\n"
    "const vec3 sky = vec3(0.31, 0.33, 0.36), ground = vec3(0.15, 0.14, 0.13);\n"
    "vec3 light(vec3 base) {\n"
    "    vec3 n = normalize(facing) * (gl_FrontFacing ? 1.0 : -1.0), eye = normalize(-seen), sum = vec3(0);\n"
    "    vec3 color = base * (1 - metallic), mirror = mix(shine, base, metallic);\n"
    "    float rough = clamp(roughness, 0.08, 1), to_eye = max(dot(n, eye), 0.02);\n"
    "    float square = pow(rough, 4), k = (rough + 1) * (rough + 1) / 8;\n"
    "    for (int i = 0; i < 3; i++) {\n"
    "        vec3 lamp = normalize(vec3(lamps[i].x, 0, 0) + lamps[i].y * up + lamps[i].z * level);\n"
    "        float f = dot(n, lamp), half_square = 2.001 + 2 * dot(eye, lamp), along = f + to_eye;\n"
    "        f = max(f, 0);\n"
    "        float width = along * along / half_square * (square - 1) + 1;\n"
    "        float shadow = (f * (1 - k) + k) * (to_eye * (1 - k) + k);\n"
    "        vec3 mirrored = mix(mirror, vec3(1), pow(1 - sqrt(half_square) / 2, 5));\n"
    "        sum += colors[i] * (color * f + mirrored * square / 4 * f / (width * width * shadow));\n"
    "    }\n"
    "    float above = clamp(0.5 + 0.5 * dot(2 * to_eye * n - eye, up) / (0.2 + rough), 0, 1);\n"
    "    vec3 glance = mix(mirror, vec3(1), pow(1 - to_eye, 5) * (1 - rough) * 0.7);\n"
    "    sum += color * mix(ground, sky, 0.5 + 0.5 * dot(n, up)) + glance * mix(ground * 1.3, sky * 2.4, above) + glow;\n"
    "    vec3 beyond = max(sum - 0.8, 0) / 0.2;\n"
    "    return mix(sum, 0.8 + 0.2 * beyond / (1 + beyond), greaterThan(sum, vec3(0.8)));\n"
    "}\n"
    "void main() {\n"
    "    vec4 base = base_color * texture(image, place) * tint;\n"
    "    if (base.a < cutoff) discard;\n"
    "    pixel = vec4(unlit ? base.rgb : light(base.rgb), blend ? base.a : 1);\n"
    "}\n";

static GLuint compile(GLenum kind, const char *source)
{
    GLuint shader = glCreateShader(kind);
    GLint fine;
    char message[1000];
    glShaderSource(shader, 1, &source, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &fine);
    glGetShaderInfoLog(shader, sizeof message, NULL, message);
    need(fine, message);
    return shader;
}

static GLuint make_program(void)
{
    GLuint program = glCreateProgram();
    GLint fine;
    glAttachShader(program, compile(GL_VERTEX_SHADER, vertex_shader));
    glAttachShader(program, compile(GL_FRAGMENT_SHADER, pixel_shader));
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &fine);
    need(fine, "linking the shaders");
    glUseProgram(program);
    return program;
}

static GLint at(const stage *s, const char *name)
{
    return glGetUniformLocation(s->program, name);
}

/* ---- Without a window ---- */

static void start_egl(void)
{
    EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, 0, EGL_NONE};
    const EGLint version[] = {
        EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    EGLConfig config;
    EGLint count;
    need(eglInitialize(display, NULL, NULL), "EGL without a window");
    need(eglBindAPI(EGL_OPENGL_API) && eglChooseConfig(display, wanted, &config, 1, &count) && count, "OpenGL by EGL");
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
    need(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context), "OpenGL 3.3");
}

static void add_storage(GLenum use, GLenum format, const stage_view *v, GLsizei samples)
{
    GLuint buffer;
    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, v->width, v->height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, use, GL_RENDERBUFFER, buffer);
}

static GLuint make_target(const stage_view *v, GLsizei samples)
{
    GLuint target;
    glGenFramebuffers(1, &target);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    add_storage(GL_COLOR_ATTACHMENT0, GL_SRGB8_ALPHA8, v, samples);
    add_storage(GL_DEPTH_ATTACHMENT, GL_DEPTH_COMPONENT24, v, samples);
    need(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "making a frame buffer");
    return target;
}

/* OpenGL begins at the bottom, pictures at the top. */
static void save_picture(const stage *s)
{
    const stage_view *v = &s->view;
    size_t row = 4 * (size_t)v->width;
    uint8_t *pixels = malloc(row * (size_t)v->height);
    char message[200] = "";
    need(pixels != NULL, "allocating");
    glBindFramebuffer(GL_READ_FRAMEBUFFER, s->sampled);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, s->resolved);
    glBlitFramebuffer(0, 0, v->width, v->height, 0, 0, v->width, v->height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, s->resolved);
    for (int y = 0; y < v->height; y++)
        glReadPixels(0, v->height - 1 - y, v->width, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixels + (size_t)y * row);
    const stele_picture picture = {(uint32_t)v->width, (uint32_t)v->height, pixels};
    stele_save_options options = {0};
    options.overwrite = true;
    need(glGetError() == GL_NO_ERROR, "OpenGL");
    need(stele_picture_save(&picture, v->picture, &options, message, sizeof message) == STELE_OK, message);
    free(pixels);
}

/* ---- The camera ---- */

static void turn(double degrees, float *sine, float *cosine)
{
    *sine = (float)sin(degrees * 3.14159265358979 / 180);
    *cosine = (float)cos(degrees * 3.14159265358979 / 180);
}

/* As stele_render has it: the ball around the model has radius 1, and the camera is so far away that it fills 30 degrees. What
 * is seen of the model then fills the picture. Matrices are by columns; depth grows away from the camera. */
static void look(const stage *s)
{
    const stage_view *v = &s->view;
    const stele_framing *f = &v->frame;
    const float distance = 1.01f / 0.25881905f, near_plane = 0.5f, far_plane = 3 * distance;
    float sy, cy, sp, cp, wide = 1.08f * (f->right - f->left), high = 1.08f * (f->top - f->bottom);
    turn((double)v->yaw, &sy, &cy);
    turn((double)v->pitch, &sp, &cp);
    const float axes[3][3] = {{cy, 0, sy}, {sp * sy, cp, -sp * cy}, {cp * sy, -sp, -cp * cy}};
    float view[16] = {0}, picture[16] = {0};
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            view[4 * c + r] = axes[r][c] / f->radius;
            view[12 + r] -= view[4 * c + r] * f->center[c];
        }
    }
    view[14] += distance;
    view[15] = 1;
    float w = (float)v->width, h = (float)v->height, focal = fminf(w / wide, h / high);
    picture[0] = 2 * focal / w;
    picture[5] = 2 * focal / h;
    picture[8] = -focal * (f->left + f->right) / w;
    picture[9] = -focal * (f->bottom + f->top) / h;
    picture[10] = (far_plane + near_plane) / (far_plane - near_plane);
    picture[14] = -2 * far_plane * near_plane / (far_plane - near_plane);
    picture[11] = 1;
    glUniformMatrix4fv(at(s, "to_view"), 1, GL_FALSE, view);
    glUniformMatrix4fv(at(s, "to_picture"), 1, GL_FALSE, picture);
    glUniform3f(at(s, "up"), 0, cp, -sp);
    glUniform3f(at(s, "level"), 0, -sp, -cp);
}

/* ---- The stage ---- */

stage *stage_open(const char *title, const stage_view *view)
{
    GLuint vertices;
    stage *s = calloc(1, sizeof *s);
    need(s != NULL, "allocating");
    s->view = *view;
    if (view->picture) {
        start_egl();
        s->resolved = make_target(view, 0);
        s->sampled = make_target(view, 4);
    } else {
        s->window = window_open(title, view->width, view->height);
        need(s->window != NULL, "opening a window (name a picture instead)");
    }
    s->program = make_program();
    glGenVertexArrays(1, &vertices);
    glBindVertexArray(vertices);
    glGenBuffers(1, &s->palette);
    glGenTextures(1, &s->palette_texture);
    glUniform1i(at(s, "palette"), 1);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_FRAMEBUFFER_SRGB);
    glFrontFace(GL_CCW);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    return s;
}

/* The soft grey of stele render, which is sRGB there. */
static float linear(float byte)
{
    return powf((byte / 255 + 0.055f) / 1.055f, 2.4f);
}

void stage_clear(stage *s)
{
    if (s->window)
        window_size(s->window, &s->view.width, &s->view.height);
    glViewport(0, 0, s->view.width, s->view.height);
    glClearColor(linear(222), linear(224), linear(228), 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    look(s);
    glVertexAttrib4f(AT_COLOR, 1, 1, 1, 1);
    glVertexAttrib4f(AT_WEIGHTS, 1, 0, 0, 0);
    glVertexAttribI4ui(AT_JOINTS, 0, 0, 0, 0);
}

void stage_place(stage *s, const float *matrices, size_t count)
{
    glBindBuffer(GL_TEXTURE_BUFFER, s->palette);
    glBufferData(GL_TEXTURE_BUFFER, (GLsizeiptr)(count * 12 * sizeof *matrices), matrices, GL_STREAM_DRAW);
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_BUFFER, s->palette_texture);
    glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32F, s->palette);
}

static GLuint white_texture(void)
{
    static GLuint texture;
    const uint8_t white[4] = {255, 255, 255, 255};
    if (!texture) {
        glGenTextures(1, &texture);
        glBindTexture(GL_TEXTURE_2D, texture);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, white);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    }
    return texture;
}

static void set(GLenum what, bool on)
{
    if (on)
        glEnable(what);
    else
        glDisable(what);
}

void stage_material(stage *s, const stele_model *model, const stele_primitive *p, const GLuint *textures)
{
    const stele_material m = p->material == STELE_NONE ? stele_default_material() : model->materials[p->material];
    uint32_t texture = m.textures[STELE_ROLE_BASE_COLOR].texture;
    bool textured = textures && texture != STELE_NONE && textures[texture] && stele_primitive_view(p, STELE_UV, 0);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, textured ? textures[texture] : white_texture());
    glUniform1i(at(s, "image"), 0);
    glUniform4fv(at(s, "base_color"), 1, m.base_color);
    glUniform3f(at(s, "glow"), m.emissive[0] * m.emissive_strength, m.emissive[1] * m.emissive_strength,
                m.emissive[2] * m.emissive_strength);
    glUniform3f(at(s, "shine"), 0.04f * m.specular * m.specular_color[0], 0.04f * m.specular * m.specular_color[1],
                0.04f * m.specular * m.specular_color[2]);
    glUniform1f(at(s, "metallic"), m.metallic);
    glUniform1f(at(s, "roughness"), m.roughness);
    glUniform1f(at(s, "cutoff"), m.alpha_mode == STELE_MASK ? m.alpha_cutoff : 0);
    glUniform1i(at(s, "unlit"), m.unlit);
    glUniform1i(at(s, "blend"), m.alpha_mode == STELE_BLEND);
    set(GL_BLEND, m.alpha_mode == STELE_BLEND);
    set(GL_CULL_FACE, !m.double_sided);
}

/* glTF numbers wrapping as OpenGL does. */
static void upload_texture(const stele_texture *t, const stele_picture *p)
{
    glTexImage2D(GL_TEXTURE_2D, 0, GL_SRGB8_ALPHA8, (GLsizei)p->width, (GLsizei)p->height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 p->rgba);
    glGenerateMipmap(GL_TEXTURE_2D);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, t->wrap_u ? t->wrap_u : GL_REPEAT);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, t->wrap_v ? t->wrap_v : GL_REPEAT);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
}

void stage_textures(stele_file *file, const stele_model *model, GLuint *textures)
{
    glActiveTexture(GL_TEXTURE0);
    for (uint32_t i = 0; i < model->texture_count; i++) {
        size_t size;
        const void *bytes = stele_texture_bytes(file, i, &size);
        stele_picture picture = {0, 0, NULL};
        textures[i] = 0;
        if (!bytes || stele_decode_picture(bytes, size, model->textures[i].name, &picture, NULL, 0) != STELE_OK)
            continue;
        picture.rgba = malloc(4 * (size_t)picture.width * picture.height);
        if (picture.rgba && stele_decode_picture(bytes, size, model->textures[i].name, &picture, NULL, 0) == STELE_OK) {
            glGenTextures(1, &textures[i]);
            glBindTexture(GL_TEXTURE_2D, textures[i]);
            upload_texture(&model->textures[i], &picture);
        }
        free(picture.rgba);
    }
}

bool stage_show(stage *s)
{
    if (s->window)
        return window_show(s->window);
    save_picture(s);
    return false;
}

double stage_seconds(const stage *s)
{
    return s->window ? window_seconds() : 0;
}

/* What OpenGL has ends with the program. */
void stage_close(stage *s)
{
    free(s);
}
