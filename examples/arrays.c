/* Static meshes as arrays, each attribute in its own: what raylib's LoadModel makes of a file, in a struct like its Mesh.
 *
 *     arrays MODEL [PICTURE.png]
 *
 * stele_bake has moved everything to its place at rest, so that there are no nodes and no skins left to think of. */
#include <stdio.h>
#include <stdlib.h>

#include "stage.h"

typedef struct Mesh { /* as in raylib.h, without what moves it */
    int vertexCount;
    int triangleCount;
    float *vertices;         /* x, y, z */
    float *texcoords;        /* u, v */
    float *normals;          /* x, y, z */
    unsigned char *colors;   /* r, g, b, a */
    unsigned short *indices; /* NULL: the vertices follow each other */
} Mesh;

static void *take(size_t size)
{
    void *memory = malloc(size + 1);
    need(memory != NULL, "allocating");
    return memory;
}

/* One attribute by itself is a layout with one slot. */
static void *read_attribute(const stele_primitive *p, stele_semantic semantic, stele_type type, uint32_t components)
{
    const stele_slot slot = {.semantic = semantic, .type = type, .components = components, .normalized = type == STELE_U8};
    size_t size = (size_t)p->vertex_count * components * stele_type_size(type);
    void *values = take(size);
    if (!stele_primitive_view(p, semantic, 0)) {
        free(values);
        return NULL;
    }
    stele_status status = stele_read_vertices(p, &slot, 1, values, size);
    need(status == STELE_OK || status == STELE_LOSSY, "reading an attribute"); /* colours above 1 are clamped */
    return values;
}

/* Indices of 16 bits do not reach every vertex of a large mesh: then each corner gets a vertex of its own. */
static void *spread(void *values, size_t row, const uint32_t *corners, size_t count)
{
    if (!values)
        return NULL;
    char *out = take(count * row);
    for (size_t i = 0; i < count * row; i++)
        out[i] = ((char *)values)[corners[i / row] * row + i % row];
    free(values);
    return out;
}

static void spread_all(Mesh *mesh, const stele_primitive *p)
{
    size_t count = (size_t)stele_index_count(p);
    uint32_t *corners = take(count * sizeof *corners);
    need(stele_read_indices(p, 0, STELE_U32, corners, count * sizeof *corners) == STELE_OK, "reading indices");
    mesh->vertices = spread(mesh->vertices, 12, corners, count);
    mesh->texcoords = spread(mesh->texcoords, 8, corners, count);
    mesh->normals = spread(mesh->normals, 12, corners, count);
    mesh->colors = spread(mesh->colors, 4, corners, count);
    mesh->vertexCount = (int)count;
    free(corners);
}

static Mesh read_mesh(const stele_primitive *p)
{
    size_t count = (size_t)stele_index_count(p), size = count * sizeof(unsigned short);
    Mesh mesh = {.vertexCount = (int)p->vertex_count,
                 .triangleCount = (int)count / 3,
                 .vertices = read_attribute(p, STELE_POSITION, STELE_F32, 3),
                 .texcoords = read_attribute(p, STELE_UV, STELE_F32, 2),
                 .normals = read_attribute(p, STELE_NORMAL, STELE_F32, 3),
                 .colors = read_attribute(p, STELE_COLOR, STELE_U8, 4),
                 .indices = take(size)};
    if (stele_read_indices(p, 0, STELE_U16, mesh.indices, size) == STELE_LOSSY) {
        free(mesh.indices);
        mesh.indices = NULL;
        spread_all(&mesh, p);
    }
    return mesh;
}

static void free_mesh(Mesh *mesh)
{
    free(mesh->vertices);
    free(mesh->texcoords);
    free(mesh->normals);
    free(mesh->colors);
    free(mesh->indices);
}

/* ---- Drawing it ---- */

static void upload(GLuint location, const void *values, int count, GLint components, GLenum type, size_t row)
{
    GLuint buffer;
    glDisableVertexAttribArray(location);
    if (!values)
        return;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)count * row), values, GL_STATIC_DRAW);
    glVertexAttribPointer(location, components, type, type == GL_UNSIGNED_BYTE, 0, NULL);
    glEnableVertexAttribArray(location);
}

static void draw(const Mesh *mesh)
{
    GLuint indices;
    upload(AT_POSITION, mesh->vertices, mesh->vertexCount, 3, GL_FLOAT, 12);
    upload(AT_UV, mesh->texcoords, mesh->vertexCount, 2, GL_FLOAT, 8);
    upload(AT_NORMAL, mesh->normals, mesh->vertexCount, 3, GL_FLOAT, 12);
    upload(AT_COLOR, mesh->colors, mesh->vertexCount, 4, GL_UNSIGNED_BYTE, 4);
    if (mesh->indices) {
        glGenBuffers(1, &indices);
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices);
        glBufferData(GL_ELEMENT_ARRAY_BUFFER, 6 * (GLsizeiptr)mesh->triangleCount, mesh->indices, GL_STATIC_DRAW);
        glDrawElements(GL_TRIANGLES, 3 * mesh->triangleCount, GL_UNSIGNED_SHORT, NULL);
    } else {
        glDrawArrays(GL_TRIANGLES, 0, mesh->vertexCount);
    }
}

int main(int argc, char **argv)
{
    static const float still[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    need(argc > 1, "arrays MODEL [PICTURE.png]: the arguments");
    stele_file *file = stele_open(argv[1], NULL);
    stage_view view = {.width = 512, .height = 512, .yaw = 30, .pitch = 12, .picture = argc > 2 ? argv[2] : NULL};
    need(stele_frame(file, NULL, false, &view.frame) == STELE_OK, stele_file_message(file));
    need(stele_bake(file, STELE_NONE, 0) == STELE_OK, stele_file_message(file));
    need(stele_make_normals(file) == STELE_OK, stele_file_message(file));
    const stele_model *model = stele_file_model(file);
    stage *s = stage_open(argv[1], &view);
    GLuint *textures = take(model->texture_count * sizeof *textures);
    stage_textures(file, model, textures);
    do {
        stage_clear(s);
        stage_place(s, still, 1);
        for (size_t m = 0; m < model->mesh_count; m++)
            for (size_t i = 0; i < model->meshes[m].primitive_count; i++) {
                const stele_primitive *p = &model->meshes[m].primitives[i];
                if (p->topology != STELE_TRIANGLES)
                    continue;
                Mesh mesh = read_mesh(p);
                stage_material(s, model, p, textures);
                draw(&mesh);
                free_mesh(&mesh);
            }
    } while (stage_show(s));
    stage_close(s);
    free(textures);
    stele_close(file);
    return 0;
}
