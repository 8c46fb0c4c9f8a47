/* A viewer: any model, textured, skinned and moved on the graphics card, in a window or as a picture.
 *
 *     viewer MODEL [CLIP [SECONDS PICTURE.png]]
 *
 * Every primitive is a buffer of vertices of one layout, whatever the file has: what it lacks is neutral. So what has no skin
 * is skinned by one joint, its node. Left out: normal maps and the like, lines, points, and the order of transparent surfaces.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "stage.h"

typedef struct vertex {
    float position[3], normal[3], uv[2];
    uint8_t color[4];
    uint16_t joints[4];
    uint8_t weights[4];
} vertex;

enum { SLOTS = 6 };
static const stele_slot slots[SLOTS] = {
    STELE_SLOT(STELE_POSITION, 0, STELE_F32, 3, false, vertex, position),
    STELE_SLOT(STELE_NORMAL, 0, STELE_F32, 3, false, vertex, normal),
    STELE_SLOT(STELE_UV, 0, STELE_F32, 2, false, vertex, uv),
    STELE_SLOT(STELE_COLOR, 0, STELE_U8, 4, true, vertex, color),
    STELE_SLOT(STELE_JOINTS, 0, STELE_U16, 4, false, vertex, joints),
    STELE_SLOT(STELE_WEIGHTS, 0, STELE_U8, 4, true, vertex, weights),
};

typedef struct piece { /* a primitive on the card */
    GLuint array, vertices;
} piece;

typedef struct actor { /* one that moves: a thousand would share a model */
    stele_pose pose;
    uint32_t *keys;
    float *matrices, *palette;
} actor;

static void *take(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    need(memory != NULL, "allocating");
    return memory;
}

/* ---- To the card ---- */

static GLsizeiptr vertex_bytes(const stele_primitive *p)
{
    return (GLsizeiptr)(p->vertex_count * sizeof(vertex));
}

/* The same slots tell OpenGL where everything is. */
static void describe_vertices(void)
{
    for (GLuint i = 0; i < SLOTS; i++) {
        const stele_slot *s = &slots[i];
        const void *at = (const void *)(uintptr_t)s->offset;
        GLenum type = s->type == STELE_F32 ? GL_FLOAT : s->type == STELE_U8 ? GL_UNSIGNED_BYTE : GL_UNSIGNED_SHORT;
        if (s->semantic == STELE_JOINTS)
            glVertexAttribIPointer(i, (GLint)s->components, type, (GLsizei)s->stride, at);
        else
            glVertexAttribPointer(i, (GLint)s->components, type, s->normalized, (GLsizei)s->stride, at);
        glEnableVertexAttribArray(i);
    }
}

static piece upload(const stele_primitive *p)
{
    piece made;
    GLuint indices;
    size_t index_bytes = 4 * (size_t)stele_index_count(p);
    glGenVertexArrays(1, &made.array);
    glBindVertexArray(made.array);
    glGenBuffers(1, &made.vertices);
    glGenBuffers(1, &indices);
    glBindBuffer(GL_ARRAY_BUFFER, made.vertices);
    glBufferData(GL_ARRAY_BUFFER, vertex_bytes(p), NULL, p->morph_count ? GL_STREAM_DRAW : GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)index_bytes, NULL, GL_STATIC_DRAW);
    if (!p->morph_count) {
        stele_read_vertices(p, slots, SLOTS, glMapBuffer(GL_ARRAY_BUFFER, GL_WRITE_ONLY), (size_t)vertex_bytes(p));
        glUnmapBuffer(GL_ARRAY_BUFFER);
    }
    stele_read_indices(p, 0, STELE_U32, glMapBuffer(GL_ELEMENT_ARRAY_BUFFER, GL_WRITE_ONLY), index_bytes);
    glUnmapBuffer(GL_ELEMENT_ARRAY_BUFFER);
    describe_vertices();
    return made;
}

static piece **upload_all(const stele_model *model)
{
    piece **pieces = take(model->mesh_count, sizeof *pieces);
    for (size_t m = 0; m < model->mesh_count; m++) {
        pieces[m] = take(model->meshes[m].primitive_count, sizeof **pieces);
        for (size_t i = 0; i < model->meshes[m].primitive_count; i++)
            pieces[m][i] = upload(&model->meshes[m].primitives[i]);
    }
    return pieces;
}

/* ---- A frame ---- */

static actor make_actor(const stele_model *model, uint32_t clip)
{
    size_t joints = 1;
    for (size_t i = 0; i < model->skin_count; i++)
        joints = model->skins[i].joint_count > joints ? model->skins[i].joint_count : joints;
    return (actor){.pose = {take(model->node_count, sizeof(stele_transform)), model->node_count,
                            take(model->weight_count, sizeof(float)), model->weight_count},
                   .keys = take(clip == STELE_NONE ? 0 : model->clips[clip].channel_count, sizeof(uint32_t)),
                   .matrices = take(model->node_count, 16 * sizeof(float)),
                   .palette = take(joints, 12 * sizeof(float))};
}

/* Three rows of a matrix by columns. */
static void rows_of(const float *matrix, float *rows)
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
            rows[4 * r + c] = matrix[4 * c + r];
}

static void place_node(stage *s, const stele_model *model, uint32_t node, const actor *a)
{
    uint32_t skin = model->nodes[node].skin;
    size_t count = skin == STELE_NONE ? 1 : model->skins[skin].joint_count;
    if (skin == STELE_NONE)
        rows_of(a->matrices + 16 * node, a->palette);
    else
        stele_skin_matrices(model, skin, a->matrices, model->node_count, 12, a->palette, count);
    stage_place(s, a->palette, count);
}

/* Morphs are added before the card bends the vertices. */
static void morph(const stele_primitive *p, const float *weights)
{
    const stele_deform deform = {NULL, 0, weights, p->morph_count};
    void *vertices = glMapBuffer(GL_ARRAY_BUFFER, GL_WRITE_ONLY);
    stele_deform_vertices(p, &deform, 0, p->vertex_count, slots, SLOTS, vertices, (size_t)vertex_bytes(p));
    glUnmapBuffer(GL_ARRAY_BUFFER);
}

static void draw(stage *s, const stele_model *model, uint32_t clip, double seconds, const actor *a, piece *const *pieces,
                 const GLuint *textures)
{
    size_t channels = clip == STELE_NONE ? 0 : model->clips[clip].channel_count;
    need(stele_sample(model, clip, seconds, a->keys, channels, &a->pose) == STELE_OK, "sampling");
    need(stele_node_matrices(model, &a->pose, a->matrices, model->node_count) == STELE_OK, "placing the nodes");
    for (uint32_t n = 0; n < model->node_count; n++) {
        if (model->nodes[n].mesh == STELE_NONE)
            continue;
        const stele_mesh *mesh = &model->meshes[model->nodes[n].mesh];
        place_node(s, model, n, a);
        for (size_t i = 0; i < mesh->primitive_count; i++) {
            const stele_primitive *p = &mesh->primitives[i];
            const piece *on_card = &pieces[model->nodes[n].mesh][i];
            if (p->topology != STELE_TRIANGLES)
                continue;
            glBindVertexArray(on_card->array);
            glBindBuffer(GL_ARRAY_BUFFER, on_card->vertices);
            if (p->morph_count)
                morph(p, a->pose.weights + model->first_weight[n]);
            stage_material(s, model, p, textures);
            glDrawElements(GL_TRIANGLES, (GLsizei)stele_index_count(p), GL_UNSIGNED_INT, NULL);
        }
    }
}

int main(int argc, char **argv)
{
    need(argc > 1, "viewer MODEL [CLIP [SECONDS PICTURE.png]]: the arguments");
    stele_file *file = stele_open(argv[1], NULL);
    need(stele_make_normals(file) == STELE_OK, stele_file_message(file)); /* for those that have none */
    const stele_model *model = stele_file_model(file);
    uint32_t clip = argc > 2 ? stele_find_clip(model, argv[2]) : STELE_NONE;
    double seconds = argc > 3 ? atof(argv[3]) : 0, duration = clip == STELE_NONE ? 0 : model->clips[clip].duration;
    need(argc < 3 || !*argv[2] || clip != STELE_NONE, argv[2]);
    stage_view view = {.width = 512, .height = 512, .yaw = 30, .pitch = 12, .picture = argc > 4 ? argv[4] : NULL};
    const stele_render_options camera = {
        .camera = true, .yaw = view.yaw, .pitch = view.pitch, .posed = clip != STELE_NONE, .clip = clip};
    need(stele_frame(file, &camera, false, &view.frame) == STELE_OK, stele_file_message(file));
    stage *s = stage_open(argv[1], &view);
    GLuint *textures = take(model->texture_count, sizeof *textures);
    stage_textures(file, model, textures);
    piece **pieces = upload_all(model);
    actor a = make_actor(model, clip);
    do {
        double now = seconds + stage_seconds(s);
        stage_clear(s);
        draw(s, model, clip, duration > 0 ? fmod(now, duration) : 0, &a, pieces, textures);
    } while (stage_show(s));
    stage_close(s);
    stele_close(file); /* the rest ends with the program */
    return 0;
}
