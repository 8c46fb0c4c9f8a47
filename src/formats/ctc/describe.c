/* What is in a CTC. */
#include "raw.h"

#include "base/scan.h"

/* ---- Animations ---- */

static bool counts_follow(const ctc_file *f, uint32_t count)
{
    uint64_t next = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (f->animation[i].unknown != next)
            return false;
        next += f->animation[i].frame_count;
    }
    return next <= ctc_word_of(f, CTC_FRAME_COUNT);
}

static bool ranges_follow(const ctc_file *f, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = f->animation[i].unknown, last = f->animation[i].frame_count;
        bool gap = i && first != (uint64_t)f->animation[i - 1].frame_count + 1;
        if (gap || first > last || last >= ctc_word_of(f, CTC_FRAME_COUNT))
            return false;
    }
    return true;
}

ctc_clips st_ctc_clips(const ctc_file *f)
{
    uint32_t count = ctc_word_of(f, CTC_ANIMATION_COUNT), frames = ctc_word_of(f, CTC_FRAME_COUNT);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += f->animation[i].frame_count;
    if (sum == frames || counts_follow(f, count))
        return CTC_CLIPS_COUNTS;
    if (ranges_follow(f, count))
        return CTC_CLIPS_FIRST_LAST;
    return sum < frames && count ? CTC_CLIPS_COUNTS : CTC_CLIPS_UNKNOWN;
}

uint64_t st_ctc_clip_frames(const ctc_animation *animation, ctc_clips reading)
{
    if (reading == CTC_CLIPS_FIRST_LAST)
        return (uint64_t)animation->frame_count - animation->unknown + 1;
    return animation->frame_count;
}

static void describe_clips(const ctc_file *f, arena *a, stele_info *info)
{
    ctc_clips reading = st_ctc_clips(f);
    uint32_t animations = ctc_word_of(f, CTC_ANIMATION_COUNT), frames = ctc_word_of(f, CTC_FRAME_COUNT);
    bool one = reading == CTC_CLIPS_UNKNOWN || !animations;
    uint64_t tracks = 1 + (uint64_t)ctc_word_of(f, CTC_BONE_COUNT);
    size_t count = one ? frames > 0 : animations;
    stele_clip_info *clips = st_arena_array(a, count, sizeof *clips);
    for (size_t i = 0; clips && i < count; i++) {
        uint64_t length = one ? frames : st_ctc_clip_frames(&f->animation[i], reading);
        const char *name = "all frames";
        if (!one) {
            text field = st_fixed_text(&f->animation[i].name);
            name = st_text_string(a, &field);
        }
        clips[i] = (stele_clip_info){
            .name = name, .seconds = (double)length / CTC_USUAL_FPS, .tracks = tracks, .keys = length * tracks};
    }
    info->clips = clips;
    info->clip_count = clips ? count : 0;
}

/* ---- Materials ---- */

const char *st_ctc_texture(companions *companions, const char *name)
{
    const char *found = st_companion_texture(companions, name);
    const char *dot = strrchr(name, '.');
    size_t stem = dot && !strpbrk(dot, "/\\") ? (size_t)(dot - name) : strlen(name);
    if (found || !stem)
        return found;
    return st_companion_texture(companions, st_arena_format(companions->arena, "%.*s.*", (int)stem, name));
}

static void describe_materials(context *c, const ctc_file *f, stele_info *info)
{
    size_t count = ctc_word_of(f, CTC_SKIN_COUNT);
    stele_material_info *materials = st_arena_array(c->arena, count, sizeof *materials);
    stele_texture_info *textures = st_arena_array(c->arena, count, sizeof *textures);
    if (!materials || !textures)
        return;
    for (size_t i = 0; i < count; i++) {
        text field = st_fixed_text(&f->skin[i].name);
        const char *name = st_text_string(c->arena, &field);
        textures[i] = (stele_texture_info){.name = name, .role = "base color", .found = st_ctc_texture(c->companions, name)};
        materials[i] = (stele_material_info){.textures = &textures[i], .texture_count = 1};
    }
    info->materials = materials;
    info->material_count = count;
}

/* ---- Meshes: the vertices are shared, each list of triangles has its skin ---- */

enum { MOST_INDEXED = 65536 };

typedef struct surface {
    const ctc_file *file;
    uint64_t vertex_count;
    uint32_t *last_mesh; /* of each vertex: the last mesh that used it, plus one */
} surface;

static void add_vertex(const surface *s, uint32_t vertex, uint32_t mesh, stele_mesh_info *info)
{
    if (vertex >= s->vertex_count || s->last_mesh[vertex] == mesh + 1)
        return;
    stele_view position = st_view_f32(s->file->rows[CTC_VERTICES].data + (uint64_t)vertex * VERTEX_BYTES, 1, VERTEX_BYTES, 3);
    stele_bounds here = st_view_bounds(&position);
    s->last_mesh[vertex] = mesh + 1;
    info->vertices++;
    st_bounds_add(&info->bounds, &here);
}

static void describe_mesh(const surface *s, uint32_t mesh, uint64_t first, uint64_t triangles, stele_mesh_info *info)
{
    const uint8_t *indices = s->file->rows[CTC_INDICES].data;
    info->triangles = triangles;
    info->indices = 3 * triangles;
    info->material = mesh < ctc_word_of(s->file, CTC_SKIN_COUNT) ? mesh : STELE_NONE;
    for (uint64_t i = 3 * first; i < 3 * (first + triangles); i++)
        add_vertex(s, settled_u32(load_u16(indices + 2 * i)), mesh, info);
}

static size_t name_attributes(const ctc_file *f, const char *names[5])
{
    size_t count = 0;
    names[count++] = "position";
    names[count++] = "normal";
    if (st_ctc_has(f, CTC_UVS))
        names[count++] = "uv";
    if (st_ctc_has(f, CTC_COLORS))
        names[count++] = "color";
    if (st_ctc_has(f, CTC_WEIGHTS))
        names[count++] = "weights";
    return count;
}

static void describe_meshes(const ctc_file *f, arena *a, stele_info *info)
{
    uint64_t left = ctc_word_of(f, CTC_TRIANGLE_COUNT), first = 0, vertices = ctc_word_of(f, CTC_VERTEX_COUNT);
    const span *lists = &f->rows[CTC_TRI_LISTS];
    surface s = {f, vertices < MOST_INDEXED ? vertices : MOST_INDEXED, NULL};
    size_t count = lists->count ? (size_t)lists->count : vertices > 0;
    stele_mesh_info *meshes = st_arena_array(a, count, sizeof *meshes);
    const char **names = st_arena_array(a, 5, sizeof *names);
    s.last_mesh = st_arena_array(a, s.vertex_count, sizeof *s.last_mesh);
    if (!meshes || !names || !s.last_mesh)
        return;
    size_t attributes = name_attributes(f, names);
    for (size_t i = 0; i < count; i++) {
        uint64_t size = lists->count ? settled_u32(load_u32(lists->data + 4 * i)) : left;
        size = size < left ? size : left;
        meshes[i].attributes = names;
        meshes[i].attribute_count = attributes;
        describe_mesh(&s, (uint32_t)i, first, size, &meshes[i]);
        st_bounds_add(&info->bounds, &meshes[i].bounds);
        first += size;
        left -= size;
    }
    info->meshes = meshes;
    info->mesh_count = count;
}

void st_ctc_describe(context *c, const raw_file *raw, stele_info *info)
{
    const ctc_file *f = (const ctc_file *)raw;
    describe_meshes(f, c->arena, info);
    describe_materials(c, f, info);
    describe_clips(f, c->arena, info);
    info->joints = ctc_word_of(f, CTC_BONE_COUNT);
    info->morphs = ctc_word_of(f, CTC_MORPH_COUNT);
    info->attachments = ctc_word_of(f, CTC_ATTACHMENT_COUNT);
}
