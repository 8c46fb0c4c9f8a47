// C++: a handle that closes itself, vectors, and threads that share one model.
//
//     actors MODEL CLIP [SECONDS PICTURE.png]
//
// Vertices are morphed and skinned on the processor: each thread has its range of them.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "stage.h"

namespace
{
struct closer {
    void operator()(stele_file *file) const
    {
        stele_close(file);
    }
};
using handle = std::unique_ptr<stele_file, closer>;

handle open_model(const char *path)
{
    handle file(stele_open(path, nullptr));
    if (stele_file_status(file.get()) != STELE_OK)
        throw std::runtime_error(stele_file_message(file.get()));
    return file;
}

struct vertex {
    float position[3], normal[3], uv[2], color[4];
};

const stele_slot slots[] = {STELE_SLOT(STELE_POSITION, 0, STELE_F32, 3, false, vertex, position),
                            STELE_SLOT(STELE_NORMAL, 0, STELE_F32, 3, false, vertex, normal),
                            STELE_SLOT(STELE_UV, 0, STELE_F32, 2, false, vertex, uv),
                            STELE_SLOT(STELE_COLOR, 0, STELE_F32, 4, false, vertex, color)};

// One that moves; any number of them share a model, on any threads.
class actor
{
  public:
    actor(const stele_model &m, uint32_t clip)
        : model(m), clip(clip), locals(m.node_count), weights(m.weight_count), keys(m.clips[clip].channel_count),
          matrices(16 * m.node_count)
    {
    }

    void move(double seconds)
    {
        const stele_pose pose = {locals.data(), locals.size(), weights.data(), weights.size()};
        stele_sample(&model, clip, std::fmod(seconds, model.clips[clip].duration), keys.data(), keys.size(), &pose);
        stele_node_matrices(&model, &pose, matrices.data(), model.node_count);
    }

    // Three rows of four for each joint, or those of the node itself.
    std::vector<float> palette(uint32_t node) const
    {
        const uint32_t skin = model.nodes[node].skin;
        std::vector<float> rows(skin == STELE_NONE ? 12 : 12 * model.skins[skin].joint_count);
        if (skin == STELE_NONE)
            for (size_t i = 0; i < 12; i++)
                rows[i] = matrices[16 * node + 4 * (i % 4) + i / 4];
        else
            stele_skin_matrices(&model, skin, matrices.data(), model.node_count, 12, rows.data(), rows.size() / 12);
        return rows;
    }

    // What is not skinned is moved by its node on the card.
    std::vector<vertex> bend(uint32_t node, const stele_primitive &p, const std::vector<float> &rows) const
    {
        const bool skinned = model.nodes[node].skin != STELE_NONE;
        const stele_deform deform = {skinned ? rows.data() : nullptr, skinned ? rows.size() / 12 : 0,
                                     p.morph_count ? weights.data() + model.first_weight[node] : nullptr, p.morph_count};
        std::vector<vertex> out(p.vertex_count);
        std::vector<std::thread> threads;
        const uint64_t part = out.size() / 4 + 1;
        for (uint64_t first = 0; first < out.size(); first += part)
            threads.emplace_back([&, first] {
                const uint64_t count = std::min<uint64_t>(part, out.size() - first);
                stele_deform_vertices(&p, &deform, first, count, slots, 4, &out[first], count * sizeof(vertex));
            });
        for (std::thread &t : threads)
            t.join();
        return out;
    }

  private:
    const stele_model &model;
    uint32_t clip;
    std::vector<stele_transform> locals;
    std::vector<float> weights;
    std::vector<uint32_t> keys;
    std::vector<float> matrices;
};

template <class T> void fill(GLenum target, const std::vector<T> &from)
{
    glBufferData(target, static_cast<GLsizeiptr>(from.size() * sizeof(T)), from.data(), GL_STREAM_DRAW);
}

void draw(const stele_primitive &p, const std::vector<vertex> &vertices)
{
    std::vector<uint32_t> indices(stele_index_count(&p));
    stele_read_indices(&p, 0, STELE_U32, indices.data(), indices.size() * 4);
    fill(GL_ARRAY_BUFFER, vertices);
    fill(GL_ELEMENT_ARRAY_BUFFER, indices);
    glDrawElements(GL_TRIANGLES, static_cast<GLsizei>(indices.size()), GL_UNSIGNED_INT, nullptr);
}

void bind_buffers()
{
    GLuint buffers[2];
    glGenBuffers(2, buffers);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
    for (GLuint i = 0; i < 4; i++) {
        const auto at = reinterpret_cast<const void *>(static_cast<uintptr_t>(slots[i].offset));
        glVertexAttribPointer(i, static_cast<GLint>(slots[i].components), GL_FLOAT, GL_FALSE, sizeof(vertex), at);
        glEnableVertexAttribArray(i);
    }
}

void run(int argc, char **argv)
{
    const handle file = open_model(argv[1]);
    const stele_model *model = stele_file_model(file.get());
    const uint32_t clip = stele_find_clip(model, argv[2]);
    if (clip == STELE_NONE)
        throw std::runtime_error("there is no such clip");
    stele_render_options camera = {};
    camera.camera = camera.posed = true;
    camera.clip = clip;
    stage_view view = {};
    view.width = view.height = 512;
    view.yaw = camera.yaw = 30;
    view.pitch = camera.pitch = 12;
    view.picture = argc > 4 ? argv[4] : nullptr;
    if (stele_frame(file.get(), &camera, false, &view.frame) != STELE_OK)
        throw std::runtime_error(stele_file_message(file.get()));
    stage *s = stage_open(argv[1], &view);
    std::vector<GLuint> textures(model->texture_count);
    stage_textures(file.get(), model, textures.data());
    bind_buffers();
    actor a(*model, clip);
    const std::vector<float> still = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    do {
        stage_clear(s);
        a.move((argc > 3 ? std::atof(argv[3]) : 0) + stage_seconds(s));
        for (uint32_t n = 0; n < model->node_count; n++) {
            if (model->nodes[n].mesh == STELE_NONE)
                continue;
            const stele_mesh &mesh = model->meshes[model->nodes[n].mesh];
            const std::vector<float> rows = a.palette(n);
            stage_place(s, model->nodes[n].skin == STELE_NONE ? rows.data() : still.data(), 1);
            for (size_t i = 0; i < mesh.primitive_count; i++) {
                stage_material(s, model, &mesh.primitives[i], textures.data());
                draw(mesh.primitives[i], a.bend(n, mesh.primitives[i], rows));
            }
        }
    } while (stage_show(s));
    stage_close(s);
}
} // namespace

int main(int argc, char **argv)
{
    need(argc > 2, "actors MODEL CLIP [SECONDS PICTURE.png]: the arguments");
    try {
        run(argc, argv);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "%s: %s\n", argv[1], e.what());
        return 1;
    }
    return 0;
}
