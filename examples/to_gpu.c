/* From a file to the graphics card, moved by its joints: what the README shows, and around it what draws a picture of it.
 *
 *     to_gpu MODEL CLIP [SECONDS PICTURE.png]
 *
 * The model has one skin here; viewer.c takes them all. */
#include <math.h>
#include <stdlib.h>

#include "stage.h"

typedef struct actor {
    stele_pose pose;
    uint32_t *keys;
    float *matrices, *palette;
} actor;

/* README: */
typedef struct vertex {
    float position[3], normal[3], uv[2];
    uint8_t color[4], joints[4], weights[4];
} vertex;

static const stele_slot slots[] = {STELE_SLOT(STELE_POSITION, 0, STELE_F32, 3, false, vertex, position),
                                   STELE_SLOT(STELE_NORMAL, 0, STELE_F32, 3, false, vertex, normal),
                                   STELE_SLOT(STELE_UV, 0, STELE_F32, 2, false, vertex, uv),
                                   STELE_SLOT(STELE_COLOR, 0, STELE_U8, 4, true, vertex, color),
                                   STELE_SLOT(STELE_JOINTS, 0, STELE_U8, 4, false, vertex, joints),
                                   STELE_SLOT(STELE_WEIGHTS, 0, STELE_U8, 4, true, vertex, weights)};

/* Once: a primitive of any file, straight into the buffers that are bound. */
static void upload(const stele_primitive *p)
{
    size_t vertices = p->vertex_count * sizeof(vertex), indices = stele_index_count(p) * 4;
    glBufferData(GL_ARRAY_BUFFER, vertices, NULL, GL_STATIC_DRAW);
    stele_read_vertices(p, slots, 6, glMapBuffer(GL_ARRAY_BUFFER, GL_WRITE_ONLY), vertices);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, indices, NULL, GL_STATIC_DRAW);
    stele_read_indices(p, 0, STELE_U32, glMapBuffer(GL_ELEMENT_ARRAY_BUFFER, GL_WRITE_ONLY), indices);
    glUnmapBuffer(GL_ARRAY_BUFFER);
    glUnmapBuffer(GL_ELEMENT_ARRAY_BUFFER);
}

/* Every frame: the joints of an actor at a time of a clip, three rows of four each, for the shader. */
static void move(const stele_model *model, const stele_clip *clip, double seconds, actor *a)
{
    stele_sample(model, clip - model->clips, fmod(seconds, clip->duration), a->keys, clip->channel_count, &a->pose);
    stele_node_matrices(model, &a->pose, a->matrices, model->node_count);
    stele_skin_matrices(model, 0, a->matrices, model->node_count, 12, a->palette, model->skins[0].joint_count);
    glBufferData(GL_TEXTURE_BUFFER, model->skins[0].joint_count * 48, a->palette, GL_STREAM_DRAW);
}
/* :README */

static GLuint upload_described(const stele_primitive *p)
{
    GLuint array, buffers[2];
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    glGenBuffers(2, buffers);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
    upload(p);
    glVertexAttribPointer(AT_POSITION, 3, GL_FLOAT, false, sizeof(vertex), (void *)offsetof(vertex, position));
    glVertexAttribPointer(AT_NORMAL, 3, GL_FLOAT, false, sizeof(vertex), (void *)offsetof(vertex, normal));
    glVertexAttribPointer(AT_UV, 2, GL_FLOAT, false, sizeof(vertex), (void *)offsetof(vertex, uv));
    glVertexAttribPointer(AT_COLOR, 4, GL_UNSIGNED_BYTE, true, sizeof(vertex), (void *)offsetof(vertex, color));
    glVertexAttribIPointer(AT_JOINTS, 4, GL_UNSIGNED_BYTE, sizeof(vertex), (void *)offsetof(vertex, joints));
    glVertexAttribPointer(AT_WEIGHTS, 4, GL_UNSIGNED_BYTE, true, sizeof(vertex), (void *)offsetof(vertex, weights));
    for (GLuint i = 0; i <= AT_WEIGHTS; i++)
        glEnableVertexAttribArray(i);
    return array;
}

int main(int argc, char **argv)
{
    need(argc > 2, "to_gpu MODEL CLIP [SECONDS PICTURE.png]: the arguments");
    stele_file *file = stele_open(argv[1], NULL);
    const stele_model *model = stele_file_model(file);
    need(model != NULL, stele_file_message(file));
    uint32_t index = stele_find_clip(model, argv[2]);
    need(model->mesh_count == 1 && model->skin_count == 1 && index != STELE_NONE, "finding one mesh, one skin and the clip");
    const stele_clip *clip = &model->clips[index];
    actor a = {{stele_memory(file, model->node_count * sizeof(stele_transform)), model->node_count, NULL, 0},
               stele_memory(file, clip->channel_count * sizeof(uint32_t)),
               stele_memory(file, model->node_count * 16 * sizeof(float)),
               stele_memory(file, model->skins[0].joint_count * 12 * sizeof(float))};
    need(a.pose.locals && a.keys && a.matrices && a.palette, stele_file_message(file));
    stage_view view = {.width = 512, .height = 512, .yaw = 30, .pitch = 12, .picture = argc > 4 ? argv[4] : NULL};
    const stele_render_options camera = {.camera = true, .yaw = 30, .pitch = 12, .posed = true, .clip = index};
    need(stele_frame(file, &camera, false, &view.frame) == STELE_OK, stele_file_message(file));
    stage *s = stage_open(argv[1], &view);
    const stele_mesh *mesh = &model->meshes[0];
    GLuint *textures = stele_memory(file, (model->texture_count + 1) * sizeof *textures);
    GLuint *arrays = stele_memory(file, mesh->primitive_count * sizeof *arrays);
    need(textures && arrays, stele_file_message(file));
    stage_textures(file, model, textures);
    for (size_t i = 0; i < mesh->primitive_count; i++)
        arrays[i] = upload_described(&mesh->primitives[i]);
    do {
        stage_clear(s);
        stage_place(s, NULL, model->skins[0].joint_count); /* binds the buffer of the joints */
        move(model, clip, (argc > 3 ? atof(argv[3]) : 0) + stage_seconds(s), &a);
        for (size_t i = 0; i < mesh->primitive_count; i++) {
            glBindVertexArray(arrays[i]);
            stage_material(s, model, &mesh->primitives[i], textures);
            glDrawElements(GL_TRIANGLES, (GLsizei)stele_index_count(&mesh->primitives[i]), GL_UNSIGNED_INT, NULL);
        }
    } while (stage_show(s));
    stage_close(s);
    stele_close(file);
    return 0;
}
