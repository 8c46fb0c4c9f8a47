/* A model as glTF 2.0: the document, from top to bottom. What the arrays at its end hold, accessors and bufferViews, is
 * gathered on the way. The names of extras are told in docs/formats/gltf.md. */
#include <math.h>
#include <string.h>

#include "base/matrix.h"

#include "save.h"

/* ---- What all objects have ---- */

static void put_number(writer *w, const char *key, double value)
{
    if (isfinite(value)) {
        st_put_f64(&w->json, key, value);
        return;
    }
    st_put_verbatim(&w->json, key, "null");
    w->lost_numbers++;
}

void st_gltf_put_property(writer *w, const stele_property *p)
{
    if (p->text)
        st_put_string(&w->json, p->key, p->text);
    else if (p->json)
        st_put_verbatim(&w->json, p->key, p->json);
    else if (p->number_count == 1)
        put_number(w, p->key, p->numbers[0]);
    else {
        st_put_array(&w->json, p->key);
        for (size_t i = 0; i < p->number_count; i++)
            put_number(w, NULL, p->numbers[i]);
        st_put_end_array(&w->json);
    }
}

static bool is_of_document(const stele_property *p)
{
    return strcmp(p->key, GLTF_COPYRIGHT) == 0 || strcmp(p->key, GLTF_ASSET_EXTRAS) == 0 || strcmp(p->key, GLTF_EXTRAS) == 0;
}

/* The properties, and one word of our own before them that they cannot replace; NULL: none. */
void st_gltf_put_extras(writer *w, const stele_properties *properties, const char *own_key, const char *own_text)
{
    bool any = own_key != NULL;
    for (size_t i = 0; i < properties->count; i++)
        any |= !is_of_document(&properties->items[i]);
    if (!any)
        return;
    st_put_object(&w->json, "extras");
    if (own_key && own_text)
        st_put_string(&w->json, own_key, own_text);
    else if (own_key)
        st_put_bool(&w->json, own_key, true);
    for (size_t i = 0; i < properties->count; i++)
        if (!is_of_document(&properties->items[i]) && (!own_key || strcmp(properties->items[i].key, own_key) != 0))
            st_gltf_put_property(w, &properties->items[i]);
    st_put_end_object(&w->json);
}

void st_gltf_put_name(writer *w, const char *name)
{
    if (name)
        st_put_string(&w->json, "name", name);
}

void st_gltf_refuse(writer *w, const char *path, const char *why)
{
    st_refuse(w->c, at_path(path, 1), why);
}

/* Files hold rounded numbers: what they mean as a unit is left as it is. */
bool st_gltf_make_unit(float quaternion[4])
{
    double q[4], squares = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = (double)quaternion[i];
        squares += q[i] * q[i];
    }
    if (fabs(squares - 1) <= 1e-5)
        return false;
    st_quaternion_normalize(q);
    for (int i = 0; i < 4; i++)
        quaternion[i] = (float)q[i];
    return true;
}

/* ---- The end of the document ---- */

static unsigned component_type(stele_type type)
{
    switch (type) {
    case STELE_I8: return 5120;
    case STELE_U8: return 5121;
    case STELE_I16: return 5122;
    case STELE_U16: return 5123;
    case STELE_U32: return 5125;
    default: return 5126;
    }
}

static const char *type_name(uint32_t components)
{
    static const char *const names[] = {"SCALAR", "SCALAR", "VEC2", "VEC3", "VEC4"};
    return components == 16 ? "MAT4" : names[components];
}

static void put_sparse(writer *w, const made_accessor *a)
{
    st_put_object(&w->json, "sparse");
    st_put_uint(&w->json, "count", a->sparse_count);
    st_put_object(&w->json, "indices");
    st_put_uint(&w->json, "bufferView", a->sparse_indices);
    st_put_uint(&w->json, "componentType", component_type(a->sparse_type));
    st_put_end_object(&w->json);
    st_put_object(&w->json, "values");
    st_put_uint(&w->json, "bufferView", a->sparse_values);
    st_put_end_object(&w->json);
    st_put_end_object(&w->json);
}

static void put_accessor(writer *w, const made_accessor *a)
{
    st_put_object(&w->json, NULL);
    if (a->view != STELE_NONE)
        st_put_uint(&w->json, "bufferView", a->view);
    if (a->offset)
        st_put_uint(&w->json, "byteOffset", a->offset);
    st_put_uint(&w->json, "componentType", component_type(a->type));
    if (a->normalized)
        st_put_bool(&w->json, "normalized", true);
    st_put_uint(&w->json, "count", a->count);
    st_put_string(&w->json, "type", type_name(a->components));
    if (a->bounded) {
        st_put_floats(&w->json, "min", a->min, a->components);
        st_put_floats(&w->json, "max", a->max, a->components);
    }
    if (a->sparse_count)
        put_sparse(w, a);
    st_put_end_object(&w->json);
}

static void put_accessors(writer *w)
{
    if (!w->packer.accessor_count)
        return;
    st_put_array(&w->json, "accessors");
    for (size_t i = 0; i < w->packer.accessor_count; i++)
        put_accessor(w, &w->packer.accessors[i]);
    st_put_end_array(&w->json);
}

static void put_buffer_views(writer *w)
{
    if (!w->packer.view_count)
        return;
    st_put_array(&w->json, "bufferViews");
    for (size_t i = 0; i < w->packer.view_count; i++) {
        const made_view *v = &w->packer.views[i];
        st_put_object(&w->json, NULL);
        st_put_uint(&w->json, "buffer", 0);
        if (v->offset)
            st_put_uint(&w->json, "byteOffset", v->offset);
        st_put_uint(&w->json, "byteLength", v->size);
        if (v->stride)
            st_put_uint(&w->json, "byteStride", v->stride);
        if (v->target)
            st_put_uint(&w->json, "target", v->target);
        st_put_end_object(&w->json);
    }
    st_put_end_array(&w->json);
}

/* In a GLB the buffer is the second chunk; otherwise it is a file beside this one, or, without a place for that, inside it. */
static void put_buffer(writer *w, bool glb)
{
    const gltf_pieces *bytes = w->packer.bytes;
    if (!bytes->size)
        return;
    st_put_array(&w->json, "buffers");
    st_put_object(&w->json, NULL);
    if (!glb && w->c->save->name)
        st_put_uri(&w->json, "uri", st_arena_format(w->arena, "%s.bin", w->c->save->name));
    else if (!glb)
        st_put_data_uri(&w->json, "uri", bytes);
    st_put_uint(&w->json, "byteLength", bytes->size);
    st_put_end_object(&w->json);
    st_put_end_array(&w->json);
}

static void put_extensions(writer *w)
{
    const struct {
        bool used;
        const char *name;
    } extensions[] = {{w->uses.webp, "EXT_texture_webp"},
                      {w->uses.emissive_strength, "KHR_materials_emissive_strength"},
                      {w->uses.specular, "KHR_materials_specular"},
                      {w->uses.unlit, "KHR_materials_unlit"},
                      {w->uses.texture_transform, "KHR_texture_transform"}};
    bool any = false;
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        if (!extensions[i].used)
            continue;
        if (!any)
            st_put_array(&w->json, "extensionsUsed");
        any = true;
        st_put_string(&w->json, NULL, extensions[i].name);
    }
    if (any)
        st_put_end_array(&w->json);
    if (!w->uses.webp) /* the only one without which something would be missing */
        return;
    st_put_array(&w->json, "extensionsRequired");
    st_put_string(&w->json, NULL, "EXT_texture_webp");
    st_put_end_array(&w->json);
}

/* Extras of what is no object of the model. */
static void put_kept_extras(writer *w, const char *key)
{
    const stele_property *kept = stele_find_property(&w->model->properties, key);
    if (!kept)
        return;
    stele_property extras = *kept;
    extras.key = "extras";
    st_gltf_put_property(w, &extras);
}

static void put_asset(writer *w)
{
    const stele_property *copyright = stele_find_property(&w->model->properties, GLTF_COPYRIGHT);
    st_put_object(&w->json, "asset");
    st_put_string(&w->json, "version", "2.0");
    st_put_string(&w->json, "generator", "stele " STELE_VERSION);
    if (copyright && copyright->text)
        st_put_string(&w->json, "copyright", copyright->text);
    put_kept_extras(w, GLTF_ASSET_EXTRAS);
    st_put_end_object(&w->json);
}

static void put_document(writer *w, bool glb)
{
    st_put_object(&w->json, NULL);
    put_asset(w);
    st_gltf_put_scene(w);
    st_gltf_put_nodes(w);
    st_gltf_put_meshes(w);
    st_gltf_put_skins(w);
    st_gltf_put_clips(w);
    st_gltf_put_materials(w);
    st_gltf_put_textures(w);
    put_accessors(w);
    put_buffer_views(w);
    put_buffer(w, glb);
    put_extensions(w);
    put_kept_extras(w, GLTF_EXTRAS);
    st_put_end_object(&w->json);
    st_put_finish(&w->json, glb);
}

/* ---- Saving ---- */

static void report(writer *w)
{
    st_lose(w->c, DIAG_LOSS_NAME, w->json.not_utf8, "", "has only UTF-8: in %llu names and texts other bytes were replaced",
            (unsigned long long)w->json.not_utf8);
    st_lose(w->c, DIAG_LOSS_PRECISION, w->lost_numbers, "", "has no NaN or infinity: %llu numbers of properties became null",
            (unsigned long long)w->lost_numbers);
    st_lose(w->c, DIAG_LOSS_SHEAR, w->sheared, "", "has no sheared nodes: %llu were straightened",
            (unsigned long long)w->sheared);
    if (w->json.nonfinite)
        st_gltf_refuse(w, "", "NaN or infinity in a node, a material or a weight");
}

/* The text and the bytes; false if they cannot be had. */
static bool write_model(context *c, bool glb, writer *w, gltf_pieces *bytes)
{
    *w = (writer){.c = c, .model = c->save->model, .arena = c->arena};
    if (!bytes || !st_gltf_plan(w))
        return false;
    st_put_start(&w->json, c->arena, !glb);
    st_pack_start(&w->packer, c, bytes);
    put_document(w, glb);
    report(w);
    return c->fits && !w->json.failed && !w->packer.failed && !c->arena->failed;
}

static gltf_chunk made_chunk(gltf_pieces *pieces, uint32_t type)
{
    return (gltf_chunk){.length = (uint32_t)pieces->size, .type = type, .made = pieces};
}

bool st_glb_save(context *c, raw_file *raw)
{
    gltf_file *f = (gltf_file *)raw;
    gltf_pieces *bytes = st_arena_alloc(c->arena, sizeof *bytes);
    writer w;
    f->chunk = st_arena_array(c->arena, 2, sizeof *f->chunk);
    if (!f->chunk || !write_model(c, true, &w, bytes) || !st_gltf_add_piece(bytes, c->arena, NULL, -bytes->size % 4))
        return false;
    uint64_t length = GLB_HEADER + GLB_CHUNK_HEADER + w.json.text->size + (bytes->size ? GLB_CHUNK_HEADER + bytes->size : 0);
    if (length > UINT32_MAX) {
        st_gltf_refuse(&w, "", "it ends at 4 GiB; the text form (.gltf) does not");
        return false;
    }
    f->length = (uint32_t)length;
    f->chunk[f->chunk_count++] = made_chunk(w.json.text, GLB_JSON);
    if (bytes->size)
        f->chunk[f->chunk_count++] = made_chunk(bytes, GLB_BIN);
    return true;
}

bool st_gltf_save(context *c, raw_file *raw)
{
    gltf_file *f = (gltf_file *)raw;
    gltf_pieces *bytes = st_arena_alloc(c->arena, sizeof *bytes);
    writer w;
    if (!write_model(c, false, &w, bytes))
        return false;
    if (bytes->size && c->save->name)
        st_save_beside(c, st_arena_format(c->arena, "%s.bin", c->save->name), st_gltf_walk_pieces, bytes);
    f->made = w.json.text;
    return c->fits;
}
