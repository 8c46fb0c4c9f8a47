/* What the examples share, and what an engine has already: OpenGL 3.3 in a window or for a picture, a camera, a light, a
 * shader. Nothing of Stele is to be learned here. */
#ifndef STAGE_H
#define STAGE_H

#define GL_GLEXT_PROTOTYPES
#include <GL/glcorearb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stele.h>

#include "need.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the shader takes its vertices from. What is not given is at rest and white. */
enum { AT_POSITION, AT_NORMAL, AT_UV, AT_COLOR, AT_JOINTS, AT_WEIGHTS };

typedef struct stage stage;

typedef struct stage_view {
    int width, height;
    float yaw, pitch;    /* degrees, as of stele_render */
    stele_framing frame; /* what stele_frame says */
    const char *picture; /* a PNG to write instead of opening a window, or NULL */
} stage_view;

stage *stage_open(const char *title, const stage_view *view);

/* Begins a frame: clears it, and looks at what is framed. */
void stage_clear(stage *s);

/* Where the next vertices are: three rows of four for each joint, or one such matrix for what has no skin. */
void stage_place(stage *s, const float *matrices, size_t count);

/* What the next triangles are made of; textures are those of stage_textures, and may be NULL. */
void stage_material(stage *s, const stele_model *model, const stele_primitive *primitive, const GLuint *textures);

/* A texture of OpenGL for each of the model, decoded by Stele; 0 for those that cannot be had. */
void stage_textures(stele_file *file, const stele_model *model, GLuint *textures);

/* Ends a frame. False when it was the last: the picture is written, or the window was closed. */
bool stage_show(stage *s);
double stage_seconds(const stage *s);
void stage_close(stage *s);

/* The window, if the examples were built with one (window.c; otherwise no_window.c). */
void *window_open(const char *title, int width, int height);
bool window_show(void *window);
void window_size(void *window, int *width, int *height);
double window_seconds(void);

#ifdef __cplusplus
}
#endif

#endif
