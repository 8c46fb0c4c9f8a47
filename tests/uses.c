#include "uses.h"

static bool ignore_bytes(void *user, const void *data, size_t size)
{
    uint8_t *last = user;
    if (size)
        *last = ((const uint8_t *)data)[size - 1];
    return true;
}

static bool read_field(void *user, const stele_field *field)
{
    double min, max;
    (void)user;
    for (size_t i = 0; i < field->column_count; i++)
        stele_field_range(field, i, 0, &min, &max);
    return true;
}

static void ignore_difference(void *user, const stele_difference *difference)
{
    (void)user;
    (void)difference;
}

static stele_status explain(stele_file *file)
{
    return stele_file_dialect(file) ? stele_file_explain(file, read_field, NULL) : stele_file_status(file);
}

static stele_status sum_up(stele_file *file)
{
    stele_file_info(file);
    return stele_file_status(file);
}

static void evaluate_at(const stele_model *m, uint32_t clip, double seconds, double (*matrices)[16])
{
    assert_true(stele_evaluate_nodes(m, clip, seconds, matrices, m->node_count));
    for (uint32_t node = 0; node < m->node_count; node++) {
        const stele_mesh *mesh = m->nodes[node].mesh == STELE_NONE ? NULL : &m->meshes[m->nodes[node].mesh];
        for (uint32_t i = 0; mesh && i < mesh->primitive_count; i++) {
            uint64_t count = mesh->primitives[i].vertex_count;
            float *vertices = malloc(24 * (size_t)count + 1);
            if (vertices)
                stele_evaluate_vertices(m, node, i, clip, seconds, (const double(*)[16])matrices, m->node_count, vertices,
                                        vertices + 3 * count, count);
            free(vertices);
        }
    }
}

static stele_status evaluate(stele_file *file)
{
    const stele_model *model = stele_file_model(file);
    stele_status status = stele_file_status(file);
    if (!model)
        return status;
    double(*matrices)[16] = malloc(sizeof *matrices * (model->node_count + 1));
    assert_non_null(matrices);
    evaluate_at(model, STELE_NONE, 0, matrices);
    for (uint32_t clip = 0; clip < model->clip_count && clip < 2; clip++)
        evaluate_at(model, clip, 0.37 * model->clips[clip].duration, matrices);
    free(matrices);
    return status;
}

static stele_status draw(stele_file *file, unsigned overlays)
{
    enum { SIDE = 24 };
    uint8_t pixels[4 * SIDE * SIDE];
    stele_render_options options = {.overlays = overlays};
    stele_status status = stele_render(file, &(stele_picture){SIDE, SIDE, pixels}, &options);
    const stele_model *model = status == STELE_OK ? stele_file_model(file) : NULL;
    if (!model || !model->clip_count)
        return status;
    options.posed = true;
    options.seconds = 0.3;
    return stele_render(file, &(stele_picture){SIDE, SIDE, pixels}, &options);
}

static stele_status draw_plainly(stele_file *file)
{
    return draw(file, 0);
}

static stele_status draw_overlays(stele_file *file)
{
    return draw(file, 127);
}

static stele_status frame(stele_file *file)
{
    stele_framing framing;
    const stele_model *model = stele_file_model(file);
    stele_render_options options = {.posed = model && model->clip_count};
    return model ? stele_frame(file, &options, false, &framing) : stele_file_status(file);
}

/* As engines take it. */
static void read_primitive(const stele_primitive *p)
{
    static const stele_slot slots[] = {
        {.semantic = STELE_POSITION, .type = STELE_F32, .components = 3, .stride = 32},
        {.semantic = STELE_UV, .type = STELE_F16, .components = 2, .stride = 32, .offset = 12},
        {.semantic = STELE_JOINTS, .type = STELE_U8, .components = 4, .stride = 32, .offset = 16},
        {.semantic = STELE_WEIGHTS, .type = STELE_U8, .components = 4, .normalized = true, .stride = 32, .offset = 20}};
    size_t vertices = (size_t)p->vertex_count * 32, indices = (size_t)stele_index_count(p) * 4;
    void *memory = malloc((vertices > indices ? vertices : indices) + 1);
    assert_non_null(memory);
    stele_read_vertices(p, slots, sizeof slots / sizeof *slots, memory, vertices);
    stele_read_indices(p, 0, STELE_U32, memory, indices);
    free(memory);
}

static stele_status read_in_bulk(stele_file *file)
{
    const stele_model *model = stele_file_model(file);
    for (size_t i = 0; model && i < model->mesh_count; i++)
        for (size_t k = 0; k < model->meshes[i].primitive_count; k++)
            read_primitive(&model->meshes[i].primitives[k]);
    return stele_file_status(file);
}

static stele_status compare(stele_file *file)
{
    return stele_diff(file, file, 0, ignore_difference, NULL);
}

static stele_status write_as(stele_file *file, const stele_save_options *options)
{
    uint8_t last = 0;
    return stele_file_write(file, ignore_bytes, &last, options);
}

static stele_status write_every_dialect(stele_file *file)
{
    const stele_format_info *format = NULL;
    stele_status status = stele_file_status(file);
    for (size_t i = 0; stele_file_format(file) && (format = stele_format_at(i)); i++)
        if (strcmp(format->name, stele_file_format(file)) == 0)
            break;
    for (size_t i = 0; format && i < format->dialect_count; i++)
        status = write_as(file, &(stele_save_options){.dialect = format->dialects[i].name});
    return status;
}

static stele_status copy_checked(stele_file *file)
{
    return write_as(file, &(stele_save_options){.check = true});
}

static stele_status embed(stele_file *file)
{
    return write_as(file, &(stele_save_options){.format = "glb", .textures = STELE_TEXTURES_EMBED});
}

static stele_status make_normals(stele_file *file)
{
    stele_status status = stele_make_normals(file);
    return status == STELE_OK ? write_as(file, &(stele_save_options){.format = "obj"}) : status;
}

/* The last of all, for it changes what is there. */
static stele_status bake(stele_file *file)
{
    const stele_model *model = stele_file_model(file);
    stele_status status = model ? stele_bake(file, model->clip_count ? 0 : STELE_NONE, 0.2) : stele_file_status(file);
    return status == STELE_OK ? write_as(file, &(stele_save_options){.format = "glb"}) : status;
}

static const struct {
    const char *name;
    stele_status (*use)(stele_file *file);
} fixed[] = {{"explain", explain},
             {"sum up", sum_up},
             {"evaluate", evaluate},
             {"draw", draw_plainly},
             {"draw overlays", draw_overlays},
             {"frame", frame},
             {"read in bulk", read_in_bulk},
             {"compare", compare},
             {"write every dialect", write_every_dialect},
             {"copy, checked", copy_checked},
             {"embed", embed},
             {"make normals", make_normals},
             {"bake", bake}};
enum { FIXED = sizeof fixed / sizeof *fixed };

static size_t format_count(void)
{
    size_t count = 0;
    while (stele_format_at(count))
        count++;
    return count;
}

/* First a conversion to each format, then the others. */
size_t use_count(void)
{
    return format_count() + FIXED;
}

const char *use_name(size_t use)
{
    const stele_format_info *format = stele_format_at(use);
    return format ? format->name : fixed[use - format_count()].name;
}

stele_status use_file(stele_file *file, size_t use)
{
    const stele_format_info *format = stele_format_at(use);
    return format ? write_as(file, &(stele_save_options){.format = format->name}) : fixed[use - format_count()].use(file);
}
