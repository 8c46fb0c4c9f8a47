/* The materials of SGM and what they mean. A material is a list of hinted textures for each uv set and a list of hinted
 * colours; the same look can be written in several ways, and properties keep the way that a file had. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/scan.h"
#include "raw.h"

/* Hints are roles, of textures and of colours. */
enum { HINTS = SGM_EMISSION + 1, COLOR_BYTES = 16, COLOR_NUMBERS = 5 };

static const sgm_look plain_look = {.base_color = {1, 1, 1, 1}, .specular = {1, 1, 1}, .roughness = 1};

/* ---- From the lists to the look ---- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Writer 1.5.0 gave every texture the hint 0: then the name tells. */
static bool names_normal_map(const char *name)
{
    static const char *const endings[] = {"-norm", "_n", "_nm", "-nm", "-bump"};
    const char *dot = strrchr(name, '.');
    size_t length = dot ? (size_t)(dot - name) : strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t size = strlen(endings[i]), same = 0;
        while (size < length && same < size && lower(name[length - size + same]) == endings[i][same])
            same++;
        if (same == size)
            return true;
    }
    return false;
}

/* SGM_ROLES: none that we know, or one that is taken. */
static sgm_role role_of(const sgm_look *look, uint8_t hint, const char *name, unsigned uv_set)
{
    unsigned role = hint;
    if (hint == 0 && look->texture[SGM_BASE_COLOR])
        role = names_normal_map(name) ? SGM_NORMAL_MAP : uv_set ? SGM_LIGHTMAP : SGM_ROLES;
    return hint < HINTS && role < SGM_ROLES && !look->texture[role] ? (sgm_role)role : SGM_ROLES;
}

static void look_at_texture(sgm_look *look, arena *a, const sgm_texture *t, unsigned uv_set)
{
    const char *name = st_text_string(a, &t->name);
    sgm_role role = role_of(look, t->hint, name, uv_set);
    if (role == SGM_ROLES || !*name)
        return;
    look->texture[role] = name;
    look->uv_set[role] = uv_set;
}

static float unit(const uint8_t *p)
{
    float value = load_f32(p);
    return value >= 1 ? 1 : value > 0 ? value : 0; /* NaN: 0 */
}

/* The first colour of a hint counts. */
static void look_at_color(sgm_look *look, const sgm_color *c, bool seen[HINTS])
{
    float rgba[4];
    if (c->hint >= HINTS || seen[c->hint])
        return;
    seen[c->hint] = true;
    for (int i = 0; i < 4; i++)
        rgba[i] = unit(c->rgba.data + 4 * i);
    switch (c->hint) {
    case SGM_BASE_COLOR: memcpy(look->base_color, rgba, sizeof look->base_color); break;
    case SGM_SPECULAR: memcpy(look->specular, rgba, sizeof look->specular); break;
    case SGM_ROUGHNESS: look->roughness = rgba[0]; break;
    case SGM_EMISSION: memcpy(look->emission, rgba, sizeof look->emission); break;
    default: break;
    }
}

sgm_look st_sgm_look(arena *a, const sgm_material *m, unsigned uv_count)
{
    sgm_look look = plain_look;
    bool seen[HINTS] = {false};
    for (unsigned s = 0; s < m->uv_set_count; s++)
        for (unsigned i = 0; i < m->uv_set[s].texture_count; i++)
            look_at_texture(&look, a, &m->uv_set[s].texture[i], s);
    for (unsigned i = 0; i < m->color_count; i++)
        look_at_color(&look, &m->color[i], seen);
    st_sgm_clamp_look(&look, uv_count);
    return look;
}

void st_sgm_clamp_look(sgm_look *look, unsigned uv_count)
{
    for (unsigned role = 0; role < SGM_ROLES; role++) {
        if (look->uv_set[role] >= uv_count)
            look->uv_set[role] = uv_count ? uv_count - 1 : 0;
        bool no_lightmap = role == SGM_LIGHTMAP && !look->uv_set[role];
        if (!uv_count || no_lightmap)
            look->texture[role] = NULL;
        if (!look->texture[role])
            look->uv_set[role] = 0;
    }
}

static bool nearly(const float *a, const float *b, int count)
{
    for (int i = 0; i < count; i++)
        if (!(fabsf(a[i] - b[i]) <= 1e-6f))
            return false;
    return true;
}

bool st_sgm_same_look(const sgm_look *a, const sgm_look *b)
{
    for (unsigned role = 0; role < SGM_ROLES; role++) {
        const char *x = a->texture[role], *y = b->texture[role];
        if (!x != !y || (x && strcmp(x, y) != 0) || a->uv_set[role] != b->uv_set[role])
            return false;
    }
    return nearly(a->base_color, b->base_color, 4) && nearly(a->specular, b->specular, 3) &&
           nearly(&a->roughness, &b->roughness, 1) && nearly(a->emission, b->emission, 3);
}

/* ---- From the look to the lists ---- */

static text text_of(const char *string)
{
    return (text){string, strlen(string) + 1};
}

/* The textures of one uv set: the base colour comes first, because the engine takes the first texture for it. */
static bool write_uv_set(arena *a, const sgm_look *look, unsigned uv_set, sgm_uv_set *set)
{
    set->texture = st_arena_array(a, SGM_ROLES, sizeof *set->texture);
    for (unsigned role = 0; set->texture && role < SGM_ROLES; role++)
        if (look->texture[role] && look->uv_set[role] == uv_set)
            set->texture[set->texture_count++] =
                (sgm_texture){.hint = role == SGM_LIGHTMAP ? 0 : (uint8_t)role, .name = text_of(look->texture[role])};
    return set->texture;
}

static bool write_textures(arena *a, const sgm_look *look, sgm_material *m)
{
    unsigned count = 0;
    for (unsigned role = 0; role < SGM_ROLES; role++)
        if (look->texture[role] && look->uv_set[role] >= count)
            count = look->uv_set[role] + 1;
    m->uv_set_count = (uint8_t)count;
    m->uv_set = st_arena_array(a, count, sizeof *m->uv_set);
    for (unsigned i = 0; m->uv_set && i < count; i++)
        if (!write_uv_set(a, look, i, &m->uv_set[i]))
            return false;
    return m->uv_set;
}

static void write_color(sgm_material *m, uint8_t *bytes, sgm_role hint, const float rgb[3], float alpha)
{
    uint8_t *rgba = bytes + COLOR_BYTES * m->color_count;
    for (int i = 0; i < 3; i++)
        store_f32(rgba + 4 * i, rgb[i]);
    store_f32(rgba + 12, alpha);
    m->color[m->color_count++] = (sgm_color){.hint = (uint8_t)hint, .rgba = {rgba, 4, 4}};
}

static bool differs(const float *a, const float *b, int count)
{
    for (int i = 0; i < count; i++)
        if (a[i] != b[i])
            return true;
    return false;
}

/* The engine takes the first colour only, and only if it is a base colour: that one leads if there is any. */
static bool write_colors(arena *a, const sgm_look *look, sgm_material *m)
{
    const float rough[3] = {look->roughness, look->roughness, look->roughness};
    bool specular = differs(look->specular, plain_look.specular, 3), roughness = look->roughness != plain_look.roughness;
    bool emission = differs(look->emission, plain_look.emission, 3); /* without a colour a map does not glow in the engine */
    uint8_t *bytes = st_arena_alloc(a, COLOR_BYTES * HINTS);
    m->color = st_arena_array(a, HINTS, sizeof *m->color);
    if (!bytes || !m->color)
        return false;
    if (specular || roughness || emission || differs(look->base_color, plain_look.base_color, 4))
        write_color(m, bytes, SGM_BASE_COLOR, look->base_color, look->base_color[3]);
    if (specular)
        write_color(m, bytes, SGM_SPECULAR, look->specular, 1);
    if (roughness)
        write_color(m, bytes, SGM_ROUGHNESS, rough, 1);
    if (emission)
        write_color(m, bytes, SGM_EMISSION, look->emission, 1);
    return true;
}

bool st_sgm_material_of_look(arena *a, const sgm_look *look, sgm_material *m)
{
    *m = (sgm_material){0};
    return write_textures(a, look, m) && write_colors(a, look, m);
}

/* ---- Keeping the way that it was written ---- */

static const char textures_key[] = "sgm.textures", colors_key[] = "sgm.colors";

static bool same_uv_set(const sgm_uv_set *a, const sgm_uv_set *b)
{
    if (a->texture_count != b->texture_count)
        return false;
    for (unsigned i = 0; i < a->texture_count; i++) {
        const sgm_texture *x = &a->texture[i], *y = &b->texture[i];
        if (x->hint != y->hint || x->name.size != y->name.size ||
            (x->name.size && memcmp(x->name.data, y->name.data, (size_t)x->name.size) != 0))
            return false;
    }
    return true;
}

static bool same_textures(const sgm_material *a, const sgm_material *b)
{
    if (a->uv_set_count != b->uv_set_count)
        return false;
    for (unsigned i = 0; i < a->uv_set_count; i++)
        if (!same_uv_set(&a->uv_set[i], &b->uv_set[i]))
            return false;
    return true;
}

static bool same_colors(const sgm_material *a, const sgm_material *b)
{
    if (a->color_count != b->color_count)
        return false;
    for (unsigned i = 0; i < a->color_count; i++)
        if (a->color[i].hint != b->color[i].hint || memcmp(a->color[i].rgba.data, b->color[i].rgba.data, COLOR_BYTES) != 0)
            return false;
    return true;
}

/* The room that a texture takes in the kept text: its hint of up to three digits, a colon, its name and what parts it from the
 * next. */
static size_t kept_size(const sgm_texture *t)
{
    return 5 + (size_t)t->name.size;
}

/* A line for each uv set, its textures parted by tabs: "0:wall.png<tab>1:wall_n.png". Without any set there is nothing to keep,
 * and names with tabs or line ends cannot be. */
static void keep_textures(arena *a, const sgm_material *m, stele_properties *properties)
{
    size_t size = m->uv_set_count, at = 0;
    for (unsigned s = 0; s < m->uv_set_count; s++)
        for (unsigned i = 0; i < m->uv_set[s].texture_count; i++)
            size += kept_size(&m->uv_set[s].texture[i]);
    char *lines = m->uv_set_count ? st_arena_alloc(a, size + 1) : NULL;
    if (!lines)
        return;
    for (unsigned s = 0; s < m->uv_set_count; s++) {
        if (s)
            lines[at++] = '\n';
        for (unsigned i = 0; i < m->uv_set[s].texture_count; i++) {
            const sgm_texture *t = &m->uv_set[s].texture[i];
            const char *name = st_text_string(a, &t->name);
            if (strpbrk(name, "\t\n"))
                return;
            at += (size_t)snprintf(lines + at, size + 1 - at, "%s%u:%s", i ? "\t" : "", t->hint, name);
        }
    }
    st_property_text(properties, a, textures_key, lines);
}

/* Properties travel as JSON, which has only finite numbers. */
static void keep_colors(arena *a, const sgm_material *m, stele_properties *properties)
{
    double numbers[COLOR_NUMBERS * SGM_MOST], *n = numbers;
    for (unsigned i = 0; i < m->color_count; i++) {
        if (st_scan_nonfinite(m->color[i].rgba.data, 4))
            return;
        *n++ = m->color[i].hint;
        for (int k = 0; k < 4; k++)
            *n++ = (double)load_f32(m->color[i].rgba.data + 4 * k);
    }
    if (m->color_count)
        st_property_numbers(properties, a, colors_key, numbers, (size_t)(n - numbers));
}

void st_sgm_keep_material(arena *a, const sgm_material *m, const sgm_look *look, stele_properties *properties)
{
    sgm_material usual;
    if (!st_sgm_material_of_look(a, look, &usual))
        return;
    if (!same_textures(m, &usual))
        keep_textures(a, m, properties);
    if (!same_colors(m, &usual))
        keep_colors(a, m, properties);
}

static size_t count_of(const char *string, size_t size, char c)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += string[i] == c;
    return count;
}

/* One texture, "1:wall_n.png", of so many letters. */
static bool read_texture(arena *a, const char *from, size_t size, sgm_texture *t)
{
    unsigned hint = 0;
    size_t at = 0;
    for (; at < size && from[at] >= '0' && from[at] <= '9' && hint <= UINT8_MAX; at++)
        hint = 10 * hint + (unsigned)(from[at] - '0');
    if (at == 0 || at == size || from[at] != ':' || hint > UINT8_MAX)
        return false;
    *t = (sgm_texture){.hint = (uint8_t)hint, .name = {st_arena_text(a, from + at + 1, size - at - 1), size - at}};
    return size - at <= UINT16_MAX;
}

static bool read_uv_set(arena *a, const char *line, size_t size, sgm_uv_set *set)
{
    size_t count = size ? count_of(line, size, '\t') + 1 : 0;
    set->texture = count <= SGM_MOST ? st_arena_array(a, count, sizeof *set->texture) : NULL;
    for (size_t i = 0; set->texture && i < count; i++) {
        const char *tab = memchr(line, '\t', size);
        size_t length = tab ? (size_t)(tab - line) : size;
        if (!read_texture(a, line, length, &set->texture[i]))
            return false;
        line += length + 1;
        size -= length + (tab ? 1 : 0);
    }
    set->texture_count = (uint8_t)count;
    return set->texture;
}

static bool read_kept_textures(arena *a, const char *lines, sgm_material *m)
{
    size_t sets = count_of(lines, strlen(lines), '\n') + 1;
    if (sets > SGM_MOST)
        return false;
    m->uv_set_count = (uint8_t)sets;
    m->uv_set = st_arena_array(a, sets, sizeof *m->uv_set);
    for (size_t i = 0; m->uv_set && i < sets; i++) {
        size_t size = strcspn(lines, "\n");
        if (!read_uv_set(a, lines, size, &m->uv_set[i]))
            return false;
        lines += size + 1;
    }
    return m->uv_set;
}

static bool read_kept_colors(arena *a, const stele_property *kept, sgm_material *m)
{
    size_t count = kept->number_count / COLOR_NUMBERS;
    if (!kept->numbers || kept->number_count % COLOR_NUMBERS || count > SGM_MOST)
        return false;
    uint8_t *bytes = st_arena_alloc(a, COLOR_BYTES * count);
    m->color = st_arena_array(a, count, sizeof *m->color);
    m->color_count = 0;
    for (size_t i = 0; bytes && m->color && i < count; i++) {
        const double *n = kept->numbers + COLOR_NUMBERS * i;
        if (!(n[0] >= 0 && n[0] <= UINT8_MAX))
            return false;
        const float rgb[3] = {(float)n[1], (float)n[2], (float)n[3]};
        write_color(m, bytes, (sgm_role)(uint8_t)n[0], rgb, (float)n[4]);
    }
    return bytes && m->color;
}

/* Changes those lists of a material that were kept. False if none was, or what was kept makes no sense. */
bool st_sgm_kept_material(arena *a, const stele_properties *properties, sgm_material *m)
{
    const char *textures = st_property_text_of(properties, textures_key);
    const stele_property *colors = stele_find_property(properties, colors_key);
    if (textures && !read_kept_textures(a, textures, m))
        return false;
    if (colors && !read_kept_colors(a, colors, m))
        return false;
    return textures || colors;
}
