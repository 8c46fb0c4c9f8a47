/* From the materials of a model to MTL, and their names in the OBJ. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "raw.h"

static void put_text(walk *w, const char *text)
{
    st_walk_put(w, text, strlen(text));
}

static void put_numbers(walk *w, const char *word, const float *numbers, int count)
{
    char number[NUMBER_CHARS];
    put_text(w, word);
    for (int i = 0; i < count; i++) {
        put_text(w, " ");
        st_walk_put(w, number, st_print_f32(number, isfinite(numbers[i]) ? numbers[i] : 0));
    }
    put_text(w, "\n");
}

static void put_texture(walk *w, const mtl_file *f, const char *word, const stele_texture_use *use)
{
    if (use->texture == STELE_NONE)
        return;
    put_text(w, word);
    put_text(w, " ");
    put_text(w, f->textures[use->texture]);
    put_text(w, "\n");
}

static bool is_plain(float a, float b, float c, float value)
{
    return a == value && b == value && c == value;
}

static void put_material(walk *w, const mtl_file *f, size_t index)
{
    const stele_material *m = &f->model->materials[index];
    const float *e = m->emissive, *s = m->specular_color, strength = m->emissive_strength;
    put_text(w, index ? "\nnewmtl " : "newmtl ");
    put_text(w, f->materials[index]);
    put_text(w, "\n");
    put_numbers(w, "Kd", m->base_color, 3);
    if (!is_plain(s[0], s[1], s[2], 1) || m->specular != 1)
        put_numbers(w, "Ks", (float[]){m->specular * s[0], m->specular * s[1], m->specular * s[2]}, 3);
    if (!is_plain(e[0], e[1], e[2], 0) || m->textures[STELE_ROLE_EMISSIVE].texture != STELE_NONE)
        put_numbers(w, "Ke", (float[]){strength * e[0], strength * e[1], strength * e[2]}, 3);
    if (m->alpha_mode != STELE_OPAQUE || m->base_color[3] != 1)
        put_numbers(w, "d", &m->base_color[3], 1);
    put_numbers(w, "Pr", &m->roughness, 1);
    put_numbers(w, "Pm", &m->metallic, 1);
    put_text(w, m->unlit ? "illum 0\n" : "illum 2\n");
    put_texture(w, f, "map_Kd", &m->textures[STELE_ROLE_BASE_COLOR]);
    if (m->alpha_mode != STELE_OPAQUE)
        put_texture(w, f, "map_d", &m->textures[STELE_ROLE_BASE_COLOR]);
    put_texture(w, f, "map_Ks", &m->textures[STELE_ROLE_SPECULAR_COLOR]);
    put_texture(w, f, "map_Ke", &m->textures[STELE_ROLE_EMISSIVE]);
    put_texture(w, f, "map_Pr -imfchan g", &m->textures[STELE_ROLE_METALLIC_ROUGHNESS]);
    put_texture(w, f, "map_Pm -imfchan b", &m->textures[STELE_ROLE_METALLIC_ROUGHNESS]);
    float bump = m->textures[STELE_ROLE_NORMAL].strength;
    char word[32 + NUMBER_CHARS] = "norm";
    if (bump != 1 && isfinite(bump)) {
        memcpy(word, "norm -bm ", 9);
        word[9 + st_print_f32(word + 9, bump)] = 0;
    }
    put_texture(w, f, word, &m->textures[STELE_ROLE_NORMAL]);
}

void st_mtl_walk(walk *w, void *raw)
{
    const mtl_file *f = raw;
    put_text(w, "# Written by Stele\n");
    for (size_t i = 0; i < f->model->material_count; i++)
        put_material(w, f, i);
}

static void name_texture(context *c, mtl_file *f, const stele_texture_use *use)
{
    if (use->texture != STELE_NONE && !f->textures[use->texture])
        f->textures[use->texture] = st_obj_clean_name(c->arena, st_save_texture_name(c, use->texture, TEXTURE_BY_FILE), "none");
}

/* Materials of the same name get their number behind it. */
static bool name_materials(context *c, mtl_file *f)
{
    obj_names taken = {0};
    for (uint32_t i = 0; i < f->model->material_count; i++) {
        const char *number = st_arena_format(c->arena, "material_%u", i);
        const char *name = st_obj_clean_name(c->arena, f->model->materials[i].name, number);
        while (st_obj_find_name(&taken, (text){name, strlen(name)}) != STELE_NONE)
            name = st_arena_format(c->arena, "%s_%u", name, i);
        f->materials[i] = name;
        f->renamed +=
            f->model->materials[i].name && *f->model->materials[i].name && strcmp(f->model->materials[i].name, name) != 0;
        if (!st_obj_add_name(&taken, c->arena, (text){name, strlen(name)}, i))
            return false;
    }
    return true;
}

/* Blended is what is translucent, or has a texture that is. */
static void report_blending(context *c, const stele_model *model)
{
    uint64_t changed = 0;
    for (size_t i = 0; i < model->material_count; i++) {
        const stele_material *m = &model->materials[i];
        bool textured = m->textures[STELE_ROLE_BASE_COLOR].texture != STELE_NONE, blends = m->alpha_mode == STELE_BLEND;
        if (m->alpha_mode != STELE_MASK) /* which is lost anyway */
            changed += blends != (m->base_color[3] < 1 || (blends && textured));
    }
    st_lose(c, DIAG_LOSS_MATERIAL, changed, "", "blends what is translucent or textured, and nothing else: %llu material%s",
            (unsigned long long)changed, changed == 1 ? " changes" : "s change");
}

mtl_file *st_mtl_make(context *c)
{
    const stele_model *model = c->save->model;
    mtl_file *f = st_arena_alloc(c->arena, sizeof *f);
    if (!f)
        return NULL;
    f->model = model;
    f->materials = st_arena_array(c->arena, model->material_count, sizeof *f->materials);
    f->textures = st_arena_array(c->arena, model->texture_count, sizeof *f->textures);
    if (!f->materials || !f->textures || !name_materials(c, f))
        return NULL;
    for (size_t i = 0; i < model->material_count; i++)
        for (int role = 0; role < STELE_ROLE_COUNT; role++)
            if (role != STELE_ROLE_OCCLUSION && role != STELE_ROLE_SPECULAR)
                name_texture(c, f, &model->materials[i].textures[role]);
    report_blending(c, model);
    return f;
}
