/* MTL: the materials of an OBJ file, with the usual extension for roughness and metal (Pr, Pm, Ke, norm). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "raw.h"

/* ---- Reading ---- */

typedef struct mtl_reader {
    context *c;
    const char *library;
    stele_material material;
    bool any;            /* a material has begun */
    bool opacity_said;   /* d counts for more than Tr */
    bool roughness_said; /* and Pr for more than Ns */
    bool emission_said;
    text name, roughness_map, metallic_map, opacity_map;
    uint64_t line, bad_lines, first_bad;
    obj_names *names;
    bool failed;
} mtl_reader;

static text trimmed(text t)
{
    while (t.size && obj_blank(t.data[0]))
        t = (text){t.data + 1, t.size - 1};
    while (t.size && obj_blank(t.data[t.size - 1]))
        t.size--;
    return t;
}

static text take_line(text *rest)
{
    const char *newline = rest->size ? memchr(rest->data, '\n', (size_t)rest->size) : NULL;
    text line = {rest->data, newline ? (uint64_t)(newline - rest->data) : rest->size};
    uint64_t taken = line.size + (newline != NULL);
    *rest = (text){rest->data + taken, rest->size - taken};
    return trimmed(line);
}

static text take_word(text *rest)
{
    uint64_t length = 0;
    while (length < rest->size && !obj_blank(rest->data[length]))
        length++;
    text word = {rest->data, length};
    *rest = trimmed((text){rest->data + length, rest->size - length});
    return word;
}

static bool is(text t, const char *word)
{
    return t.size == strlen(word) && memcmp(t.data, word, (size_t)t.size) == 0;
}

static void complain(mtl_reader *r)
{
    if (!r->bad_lines++)
        r->first_bad = r->line;
}

static bool take_number(text *rest, float *number)
{
    text word = take_word(rest);
    const char *end = word.data + word.size;
    return word.size && st_parse_f32(word.data, end, number) == end && isfinite(*number);
}

/* One number, or a colour: a single number is grey. Spectra and XYZ colours are left out. */
static bool read_number(mtl_reader *r, text rest, float *number)
{
    bool fine = take_number(&rest, number);
    if (!fine)
        complain(r);
    return fine;
}

static bool read_color(mtl_reader *r, text rest, float color[3])
{
    float c[3];
    text copy = rest;
    if (is(take_word(&copy), "spectral") || !read_number(r, rest, &c[0]))
        return false;
    take_word(&rest);
    c[1] = c[2] = c[0];
    if (rest.size && (!take_number(&rest, &c[1]) || !take_number(&rest, &c[2]))) {
        complain(r);
        return false;
    }
    for (int i = 0; i < 3; i++)
        color[i] = fmaxf(c[i], 0);
    return true;
}

/* How many words follow an option of a map; those with up to three numbers are looked at. */
static void skip_option(text option, text *rest, stele_texture_use *use)
{
    float numbers[3] = {0, 0, 0};
    int count = 0;
    bool scale = is(option, "-s"), offset = is(option, "-o");
    if (!scale && !offset && !is(option, "-t")) {
        text value = *rest;
        if (is(option, "-bm"))
            take_number(&value, &use->strength);
        take_word(rest);
        if (is(option, "-mm"))
            take_word(rest);
        return;
    }
    for (text next = *rest; count < 3 && take_number(&next, &numbers[count]); count++)
        *rest = next;
    for (int i = 0; i < count && i < 2; i++)
        (scale ? use->scale : use->offset)[i] = scale || offset ? numbers[i] : use->offset[i];
}

/* Options, and then the name, which may have blanks in it. */
static text read_map(text rest, stele_texture_use *use)
{
    while (rest.size && rest.data[0] == '-') {
        text option = take_word(&rest);
        skip_option(option, &rest, use);
    }
    /* the origin is at the bottom left there: v' = s v + o is 1 - v' = s (1 - v) + 1 - s - o */
    use->offset[1] = use->scale[1] == 1 && use->offset[1] == 0 ? 0 : 1 - use->scale[1] - use->offset[1];
    return rest;
}

static void use_texture(mtl_reader *r, text name, stele_texture_use *use, const char *word)
{
    context *c = r->c;
    char path[WALK_PATH];
    const char *file = st_text_string(r->c->arena, &name);
    if (!*file) {
        complain(r);
        return;
    }
    st_check_path(path, "%s line %llu %s", r->library, (unsigned long long)r->line, word);
    use->texture = st_load_texture(r->c, file, path);
    r->failed |= use->texture == STELE_NONE;
    if (c->full && use->texture != STELE_NONE && !r->c->load->model->textures[use->texture].file &&
        st_companions_any(c->companions))
        st_diag(c->diags, DIAG_TEXTURE_MISSING, (diag_place){STELE_NOWHERE, 1, path}, "%s is not beside the model", file);
}

static void read_texture(mtl_reader *r, text rest, stele_texture_use *use, const char *word)
{
    *use = stele_default_texture_use();
    use_texture(r, read_map(rest, use), use, word);
}

static bool read_value(mtl_reader *r, text word, text rest)
{
    stele_material *m = &r->material;
    float number;
    if (is(word, "Kd")) {
        read_color(r, rest, m->base_color);
    } else if (is(word, "Ke")) {
        r->emission_said |= read_color(r, rest, m->emissive);
    } else if (is(word, "Ks")) {
        if (read_color(r, rest, m->specular_color))
            m->specular = 1;
    } else if (is(word, "d")) {
        text first = take_word(&(text){rest.data, rest.size});
        if (is(first, "-halo"))
            take_word(&rest);
        r->opacity_said |= read_number(r, rest, &m->base_color[3]);
    } else if (is(word, "Tr")) {
        if (!r->opacity_said && read_number(r, rest, &number))
            m->base_color[3] = 1 - number;
    } else if (is(word, "Pr")) {
        r->roughness_said |= read_number(r, rest, &m->roughness);
    } else if (is(word, "Pm")) {
        read_number(r, rest, &m->metallic);
    } else if (is(word, "Ns")) {
        /* the exponent of Blinn and Phong, and the roughness that looks most like it */
        if (!r->roughness_said && read_number(r, rest, &number))
            m->roughness = sqrtf(sqrtf(2 / (fmaxf(number, 0) + 2)));
    } else if (is(word, "illum")) {
        m->unlit = is(rest, "0");
    } else {
        return false;
    }
    return true;
}

static void read_statement(mtl_reader *r, text word, text rest)
{
    stele_material *m = &r->material;
    stele_texture_use none = stele_default_texture_use();
    if (read_value(r, word, rest))
        return;
    if (is(word, "map_Kd"))
        read_texture(r, rest, &m->base_color_texture, "map_Kd");
    else if (is(word, "map_Ke"))
        read_texture(r, rest, &m->emissive_texture, "map_Ke");
    else if (is(word, "map_Ks"))
        read_texture(r, rest, &m->specular_color_texture, "map_Ks");
    else if (is(word, "norm") || is(word, "map_Kn"))
        read_texture(r, rest, &m->normal_texture, "norm");
    else if ((is(word, "map_Bump") || is(word, "map_bump") || is(word, "bump")) && m->normal_texture.texture == STELE_NONE)
        read_texture(r, rest, &m->normal_texture, "map_Bump");
    else if (is(word, "map_Pr"))
        r->roughness_map = read_map(rest, &none);
    else if (is(word, "map_Pm"))
        r->metallic_map = read_map(rest, &none);
    else if (is(word, "map_d"))
        r->opacity_map = read_map(rest, &none);
}

static float between(float least, float value, float most)
{
    return fminf(fmaxf(value, least), most);
}

/* What depends on several lines. */
static void conclude(mtl_reader *r)
{
    stele_material *m = &r->material;
    for (int i = 0; i < 4; i++)
        m->base_color[i] = between(0, m->base_color[i], 1);
    for (int i = 0; i < 3; i++)
        m->specular_color[i] = between(0, m->specular_color[i], 1);
    m->roughness = between(0, m->roughness, 1);
    m->metallic = between(0, m->metallic, 1);
    float brightest = fmaxf(m->emissive[0], fmaxf(m->emissive[1], m->emissive[2]));
    for (int i = 0; i < 3 && brightest > 1; i++)
        m->emissive[i] /= brightest;
    m->emissive_strength = brightest > 1 ? brightest : 1;
    for (int i = 0; i < 3 && m->emissive_texture.texture != STELE_NONE && !r->emission_said; i++)
        m->emissive[i] = 1;
    if (m->base_color[3] < 1)
        m->alpha_mode = STELE_BLEND;
    if (r->roughness_map.size && st_obj_same_name(r->roughness_map, r->metallic_map)) {
        use_texture(r, r->roughness_map, &m->metallic_roughness_texture, "map_Pr");
    } else {
        /* the model has one texture for both */
        if (r->roughness_map.size)
            st_property_text(&m->properties, r->c->arena, "obj.map_Pr", st_text_string(r->c->arena, &r->roughness_map));
        if (r->metallic_map.size)
            st_property_text(&m->properties, r->c->arena, "obj.map_Pm", st_text_string(r->c->arena, &r->metallic_map));
    }
    if (r->opacity_map.size) {
        /* the alpha of the same image is the model's way; another image is only remembered */
        const char *file = st_text_string(r->c->arena, &r->opacity_map);
        uint32_t base = m->base_color_texture.texture;
        if (base != STELE_NONE && strcmp(r->c->load->model->textures[base].name, file) == 0)
            m->alpha_mode = STELE_BLEND;
        else
            st_property_text(&m->properties, r->c->arena, "obj.map_d", file);
    }
}

static void finish_material(mtl_reader *r)
{
    if (!r->any)
        return;
    conclude(r);
    uint32_t index = st_model_add_material(r->c->load->model, r->c->arena, &r->material);
    r->failed |= index == STELE_NONE || !st_obj_name_add(r->names, r->c->arena, r->name, index);
}

static void begin_material(mtl_reader *r, text name)
{
    mtl_reader fresh = {.c = r->c,
                        .library = r->library,
                        .material = stele_default_material(),
                        .any = true,
                        .name = name,
                        .line = r->line,
                        .bad_lines = r->bad_lines,
                        .first_bad = r->first_bad,
                        .names = r->names,
                        .failed = r->failed};
    fresh.material.name = st_text_string(r->c->arena, &name);
    *r = fresh;
}

bool st_mtl_load(context *c, const char *library, text content, obj_names *names)
{
    mtl_reader r = {.c = c, .library = library, .names = names};
    if (content.size >= 3 && memcmp(content.data, "\xEF\xBB\xBF", 3) == 0)
        content = (text){content.data + 3, content.size - 3};
    while (content.size && !r.failed) {
        text line = take_line(&content);
        r.line++;
        if (!line.size || line.data[0] == '#')
            continue;
        text word = take_word(&line);
        if (is(word, "newmtl")) {
            finish_material(&r);
            begin_material(&r, line);
        } else if (r.any) {
            read_statement(&r, word, line);
        } else {
            complain(&r); /* before any material */
        }
    }
    finish_material(&r);
    if (r.bad_lines)
        st_diag(c->diags, DIAG_COMPANION_DAMAGED,
                st_check_place(c, STELE_NOWHERE, r.bad_lines, "%s line %llu", library, (unsigned long long)r.first_bad),
                "cannot be understood, and is left out");
    return !r.failed;
}

/* ---- Writing ---- */

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
    if (!is_plain(e[0], e[1], e[2], 0) || m->emissive_texture.texture != STELE_NONE)
        put_numbers(w, "Ke", (float[]){strength * e[0], strength * e[1], strength * e[2]}, 3);
    if (m->alpha_mode != STELE_OPAQUE || m->base_color[3] != 1)
        put_numbers(w, "d", &m->base_color[3], 1);
    put_numbers(w, "Pr", &m->roughness, 1);
    put_numbers(w, "Pm", &m->metallic, 1);
    put_text(w, m->unlit ? "illum 0\n" : "illum 2\n");
    put_texture(w, f, "map_Kd", &m->base_color_texture);
    if (m->alpha_mode != STELE_OPAQUE)
        put_texture(w, f, "map_d", &m->base_color_texture);
    put_texture(w, f, "map_Ks", &m->specular_color_texture);
    put_texture(w, f, "map_Ke", &m->emissive_texture);
    put_texture(w, f, "map_Pr -imfchan g", &m->metallic_roughness_texture);
    put_texture(w, f, "map_Pm -imfchan b", &m->metallic_roughness_texture);
    float bump = m->normal_texture.strength;
    char word[32 + NUMBER_CHARS] = "norm";
    if (bump != 1 && isfinite(bump)) {
        memcpy(word, "norm -bm ", 9);
        word[9 + st_print_f32(word + 9, bump)] = 0;
    }
    put_texture(w, f, word, &m->normal_texture);
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
        while (st_obj_name_find(&taken, (text){name, strlen(name)}) != STELE_NONE)
            name = st_arena_format(c->arena, "%s_%u", name, i);
        f->materials[i] = name;
        if (!st_obj_name_add(&taken, c->arena, (text){name, strlen(name)}, i))
            return false;
    }
    return true;
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
    uint64_t lost = 0, sides = 0;
    for (size_t i = 0; i < model->material_count; i++) {
        const stele_material *m = &model->materials[i];
        name_texture(c, f, &m->base_color_texture);
        name_texture(c, f, &m->specular_color_texture);
        name_texture(c, f, &m->emissive_texture);
        name_texture(c, f, &m->metallic_roughness_texture);
        name_texture(c, f, &m->normal_texture);
        lost += m->occlusion_texture.texture != STELE_NONE;
        lost += m->specular_texture.texture != STELE_NONE;
        sides += m->double_sided || m->alpha_mode == STELE_MASK;
    }
    st_lose(c, DIAG_LOSS_MATERIAL, sides, "",
            "has no word for two sides and for alpha that is cut off: said by %llu material%s", (unsigned long long)sides,
            sides == 1 ? "" : "s");
    st_lose(c, DIAG_LOSS_TEXTURE, lost, "", "has no word for occlusion and specular strength: %llu texture%s dropped",
            (unsigned long long)lost, lost == 1 ? "" : "s");
    return f;
}
