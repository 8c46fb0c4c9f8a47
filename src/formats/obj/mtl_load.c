/* From MTL, the materials of an OBJ file, to the model, with the usual extension for roughness and metal (Pr, Pm, Ke, norm). */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/order.h"
#include "raw.h"

typedef struct mtl_reader {
    context *c;
    const char *library, *start; /* its name, and its first byte */
    stele_material material;
    bool any;            /* a material has begun */
    bool opacity_said;   /* d counts for more than Tr */
    bool roughness_said; /* and Pr for more than Ns */
    bool emission_said;
    text name, roughness_map, metallic_map, opacity_map, ambient_map;
    uint64_t line, begun, bad_lines, first_bad, unknown, first_unknown;
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
        color[i] = greaterf(c[i], 0);
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

/* Where the part that was added last is named in this file. */
static void note_part(mtl_reader *r, text name, uint64_t line)
{
    origins *o = r->c->origins;
    char path[WALK_PATH];
    if (!o || !o->part_count)
        return;
    const char *file = st_companion_path(r->c->arena, r->library);
    o->file = st_arena_text(&o->arena, file, strlen(file));
    st_part_found(o, (uint32_t)o->part_count - 1, (uint64_t)(name.data - r->start),
                  st_path(path, "line %llu", (unsigned long long)line));
    o->file = NULL;
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
    st_path(path, "%s line %llu %s", r->library, (unsigned long long)r->line, word);
    use->texture = st_load_texture(r->c, file, at_path(path, 1));
    note_part(r, name, r->line);
    r->failed |= use->texture == STELE_NONE;
    if (c->full && use->texture != STELE_NONE && !r->c->load->model->textures[use->texture].file &&
        st_companions_any(c->companions))
        st_diag(c->diags, DIAG_TEXTURE_MISSING, at_path(path, 1), "%s is not beside the model", file);
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
            m->roughness = sqrtf(sqrtf(2 / (greaterf(number, 0) + 2)));
    } else if (is(word, "illum")) {
        m->unlit = is(rest, "0");
    } else {
        return false;
    }
    return true;
}

static void note_unknown(mtl_reader *r)
{
    if (!r->unknown++)
        r->first_unknown = r->line;
}

/* What only lighting of another kind asks for: how the surroundings shine, what is seen through it, and which formula is used.
 */
static bool is_of_other_lighting(text word)
{
    return is(word, "Ka") || is(word, "Ni") || is(word, "Tf");
}

static void read_statement(mtl_reader *r, text word, text rest)
{
    stele_material *m = &r->material;
    stele_texture_use none = stele_default_texture_use();
    if (read_value(r, word, rest))
        return;
    if (is(word, "map_Kd"))
        read_texture(r, rest, &m->textures[STELE_ROLE_BASE_COLOR], "map_Kd");
    else if (is(word, "map_Ke"))
        read_texture(r, rest, &m->textures[STELE_ROLE_EMISSIVE], "map_Ke");
    else if (is(word, "map_Ks"))
        read_texture(r, rest, &m->textures[STELE_ROLE_SPECULAR_COLOR], "map_Ks");
    else if (is(word, "norm") || is(word, "map_Kn"))
        read_texture(r, rest, &m->textures[STELE_ROLE_NORMAL], "norm");
    else if ((is(word, "map_Bump") || is(word, "map_bump") || is(word, "bump")) &&
             m->textures[STELE_ROLE_NORMAL].texture == STELE_NONE)
        read_texture(r, rest, &m->textures[STELE_ROLE_NORMAL], "map_Bump");
    else if (is(word, "map_Pr"))
        r->roughness_map = read_map(rest, &none);
    else if (is(word, "map_Pm"))
        r->metallic_map = read_map(rest, &none);
    else if (is(word, "map_d"))
        r->opacity_map = read_map(rest, &none);
    else if (is(word, "map_Ka"))
        r->ambient_map = read_map(rest, &none);
    else if (!is_of_other_lighting(word))
        note_unknown(r);
}

static float between(float least, float value, float most)
{
    return lesserf(greaterf(value, least), most);
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
    float brightest = greaterf(m->emissive[0], greaterf(m->emissive[1], m->emissive[2]));
    for (int i = 0; i < 3 && brightest > 1; i++)
        m->emissive[i] /= brightest;
    m->emissive_strength = brightest > 1 ? brightest : 1;
    for (int i = 0; i < 3 && m->textures[STELE_ROLE_EMISSIVE].texture != STELE_NONE && !r->emission_said; i++)
        m->emissive[i] = 1;
    if (m->base_color[3] < 1)
        m->alpha_mode = STELE_BLEND;
    if (r->roughness_map.size && st_obj_same_name(r->roughness_map, r->metallic_map)) {
        use_texture(r, r->roughness_map, &m->textures[STELE_ROLE_METALLIC_ROUGHNESS], "map_Pr");
    } else {
        /* the model has one texture for both */
        if (r->roughness_map.size)
            st_property_text(&m->properties, r->c->arena, "obj.map_Pr", st_text_string(r->c->arena, &r->roughness_map));
        if (r->metallic_map.size)
            st_property_text(&m->properties, r->c->arena, "obj.map_Pm", st_text_string(r->c->arena, &r->metallic_map));
    }
    uint32_t color = m->textures[STELE_ROLE_BASE_COLOR].texture;
    if (r->ambient_map.size && (color == STELE_NONE || strcmp(r->c->load->model->textures[color].name,
                                                              st_text_string(r->c->arena, &r->ambient_map)) != 0))
        note_unknown(r);
    if (r->opacity_map.size) {
        /* the alpha of the same image is the model's way; another image is only remembered */
        const char *file = st_text_string(r->c->arena, &r->opacity_map);
        uint32_t base = m->textures[STELE_ROLE_BASE_COLOR].texture;
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
    st_part_at(r->c, STELE_PART_MATERIAL, index, at_path("", 1));
    note_part(r, r->name, r->begun);
    r->failed |= index == STELE_NONE || !st_obj_add_name(r->names, r->c->arena, r->name, index);
}

static void begin_material(mtl_reader *r, text name)
{
    mtl_reader fresh = {.c = r->c,
                        .library = r->library,
                        .start = r->start,
                        .material = stele_default_material(),
                        .any = true,
                        .name = name,
                        .line = r->line,
                        .begun = r->line,
                        .bad_lines = r->bad_lines,
                        .first_bad = r->first_bad,
                        .unknown = r->unknown,
                        .first_unknown = r->first_unknown,
                        .names = r->names,
                        .failed = r->failed};
    fresh.material.name = st_text_string(r->c->arena, &name);
    *r = fresh;
}

bool st_mtl_load(context *c, const char *library, text content, obj_names *names)
{
    mtl_reader r = {.c = c, .library = library, .start = content.data, .names = names};
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
                at_path(st_arena_format(c->arena, "%s line %llu", library, (unsigned long long)r.first_bad), r.bad_lines),
                "cannot be understood, and is left out");
    if (r.unknown)
        st_diag(c->diags, DIAG_STATEMENT_UNKNOWN,
                at_path(st_arena_format(c->arena, "%s line %llu", library, (unsigned long long)r.first_unknown), r.unknown),
                "says what the model has no place for, and is left out");
    return !r.failed;
}
