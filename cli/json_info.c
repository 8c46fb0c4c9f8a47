#include <string.h>

#include "json.h"

static void json_bounds(json *j, const stele_bounds *b)
{
    if (!b->known) {
        json_null(j, "bounds");
        return;
    }
    json_open(j, "bounds", '{');
    for (int side = 0; side < 2; side++) {
        json_open(j, side ? "max" : "min", '[');
        for (int i = 0; i < 3; i++)
            json_number(j, NULL, (double)(side ? b->max : b->min)[i], true);
        json_close(j, ']');
    }
    json_close(j, '}');
}

static void json_meshes(json *j, const stele_info *info)
{
    json_open(j, "meshes", '[');
    for (size_t i = 0; i < info->mesh_count; i++) {
        const stele_mesh_info *m = &info->meshes[i];
        json_open(j, NULL, '{');
        json_uint(j, "vertices", m->vertices);
        json_uint(j, "indices", m->indices);
        json_uint(j, "triangles", m->triangles);
        json_uint(j, "lines", m->lines);
        json_uint(j, "points", m->points);
        json_open(j, "attributes", '[');
        for (size_t k = 0; k < m->attribute_count; k++)
            json_string(j, NULL, m->attributes[k]);
        json_close(j, ']');
        if (m->material == STELE_NONE)
            json_null(j, "material");
        else
            json_uint(j, "material", m->material);
        json_bounds(j, &m->bounds);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_size(json *j, const stele_texture_info *t)
{
    if (t->bytes)
        json_uint(j, "bytes", t->bytes);
    if (t->width) {
        json_uint(j, "width", t->width);
        json_uint(j, "height", t->height);
    }
}

/* What the nodes draw, if there is a model to be had. */
static void json_drawn(json *j, stele_file *file)
{
    stele_drawn d;
    if (stele_file_drawn(file, &d) != STELE_OK) {
        json_null(j, "drawn");
        return;
    }
    json_open(j, "drawn", '{');
    json_uint(j, "meshes", d.meshes);
    json_uint(j, "vertices", d.vertices);
    json_uint(j, "triangles", d.triangles);
    json_uint(j, "lines", d.lines);
    json_uint(j, "points", d.points);
    json_bounds(j, &d.bounds);
    json_close(j, '}');
}

static void json_materials(json *j, const stele_info *info)
{
    json_open(j, "materials", '[');
    for (size_t i = 0; i < info->material_count; i++) {
        const stele_material_info *m = &info->materials[i];
        json_open(j, NULL, '{');
        json_open(j, "textures", '[');
        for (size_t k = 0; k < m->texture_count; k++) {
            json_open(j, NULL, '{');
            json_string(j, "name", m->textures[k].name);
            json_string(j, "role", m->textures[k].role);
            json_uint(j, "uv_set", m->textures[k].uv_set);
            json_string(j, "found", m->textures[k].found);
            json_bool(j, "inside", m->textures[k].data);
            json_size(j, &m->textures[k]);
            json_close(j, '}');
        }
        json_close(j, ']');
        json_open(j, "colors", '[');
        for (size_t k = 0; k < m->color_count; k++) {
            json_open(j, NULL, '{');
            json_string(j, "role", m->colors[k].role);
            json_open(j, "rgba", '[');
            for (int c = 0; c < 4; c++)
                json_number(j, NULL, (double)m->colors[k].rgba[c], true);
            json_close(j, ']');
            json_close(j, '}');
        }
        json_close(j, ']');
        json_close(j, '}');
    }
    json_close(j, ']');
}

size_t repeated_clip(const stele_info *info, size_t clip)
{
    size_t before = clip; /* where those that repeat each other begin */
    while (before > 0 && (info->clips[--before].repeats || strcmp(info->clips[before].name, info->clips[clip].name) != 0))
        ;
    return before;
}

static void json_clips(json *j, const stele_info *info)
{
    json_open(j, "clips", '[');
    for (size_t i = 0; i < info->clip_count; i++) {
        json_open(j, NULL, '{');
        json_string(j, "name", info->clips[i].name);
        json_number(j, "seconds", info->clips[i].seconds, false);
        json_uint(j, "tracks", info->clips[i].tracks);
        json_uint(j, "keys", info->clips[i].keys);
        if (info->clips[i].repeats)
            json_uint(j, "repeats", repeated_clip(info, i));
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_companions(json *j, const stele_info *info)
{
    json_open(j, "companions", '[');
    for (size_t i = 0; i < info->companion_count; i++) {
        json_open(j, NULL, '{');
        json_string(j, "role", info->companions[i].role);
        json_string(j, "name", info->companions[i].name);
        json_bool(j, "found", info->companions[i].found);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void json_info(json *j, stele_file *file)
{
    uint64_t size;
    stele_file_bytes(file, &size);
    json_string(j, "format", stele_file_format(file));
    json_string(j, "dialect", stele_file_dialect(file));
    json_uint(j, "bytes", size);
    const stele_info *info = stele_file_info(file);
    if (info) {
        json_meshes(j, info);
        json_materials(j, info);
        json_string(j, "skeleton", info->skeleton);
        json_uint(j, "joints", info->joints);
        json_clips(j, info);
        json_uint(j, "morphs", info->morphs);
        json_uint(j, "attachments", info->attachments);
        json_companions(j, info);
        json_bounds(j, &info->bounds);
        json_drawn(j, file);
        stele_file_info(file); /* what it says of the handle counts */
    }
}
