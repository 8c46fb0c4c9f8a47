/* The colour of a triangle at a place of the picture: material, textures and light. */
#include "scene.h"

/* ---- Light ---- */

enum { KEY, FILL, RIM, LIGHTS };

/* To the right, up and to the camera. They stand around the camera and turn with it, but stay upright. */
static const float light_places[LIGHTS][3] = {{-0.55f, 0.8f, 0.75f}, {0.85f, 0.15f, 0.6f}, {0.35f, 0.6f, -0.9f}};
static const float light_colors[LIGHTS][3] = {{0.80f, 0.77f, 0.72f}, {0.17f, 0.19f, 0.22f}, {0.32f, 0.34f, 0.38f}};
static const float sky_color[3] = {0.31f, 0.33f, 0.36f}, floor_color[3] = {0.15f, 0.14f, 0.13f};

lights st_lights(const camera *c)
{
    lights l = {0};
    memcpy(l.sky, sky_color, sizeof l.sky);
    memcpy(l.floor, floor_color, sizeof l.floor);
    for (int i = 0; i < LIGHTS; i++) {
        const float *place = light_places[i];
        float direction[3];
        for (int k = 0; k < 3; k++)
            direction[k] = place[0] * (k == 0) + place[1] * c->up[k] + place[2] * c->level[k];
        normalize3f(direction);
        for (int k = 0; k < 3; k++) {
            l.direction[k][i] = direction[k];
            l.color[k][i] = light_colors[i][k];
        }
    }
    return l;
}

/* ---- A triangle ---- */

static inline void load_row(const stele_view *v, uint64_t row, uint32_t count, float *out)
{
    const uint8_t *p = st_view_at(v, row);
    for (uint32_t i = 0; i < count; i++)
        out[i] = v->type == STELE_F32 ? load_f32(p + 4 * i) : (float)stele_view_number(v, row, i);
}

void st_surface(const draw *d, uint32_t triangle, surface *f)
{
    f->draw = d;
    f->triangle = triangle;
    uint64_t corners[3];
    st_draw_corners(d, triangle, corners);
    st_draw_rows(d, triangle, f->rows);
    const float *a = d->vertices[corners[0]].view, to_eye[3] = {-a[0], -a[1], -a[2]};
    memcpy(f->origin, a, sizeof f->origin);
    for (int i = 0; i < 2; i++)
        minus3f(d->vertices[corners[i + 1]].view, a, f->edges[i]);
    cross3f(f->edges[1], to_eye, f->weights[0]);
    cross3f(to_eye, f->edges[0], f->weights[1]);
    cross3f(f->edges[1], f->edges[0], f->normal);
    const stele_view *uv = d->base_color.uv ? d->base_color.uv : d->uv;
    for (int i = 0; i < 3; i++) {
        if (d->normals)
            memcpy(f->normals[i], d->normals[f->rows[i]], sizeof f->normals[i]);
        f->uv[i][0] = f->uv[i][1] = 0;
        if (uv)
            load_row(uv, f->rows[i], 2, f->uv[i]);
        f->color[i][3] = 1;
        if (d->color)
            load_row(d->color, f->rows[i], d->color->components < 4 ? 3 : 4, f->color[i]);
    }
}

/* A place on a triangle: the weights of the second and third corner, and how they change from pixel to pixel. */
typedef struct place {
    float ray[3]; /* from the camera, of depth 1 */
    float weight[2], along_x[2], along_y[2];
} place;

static place find_place(const scene *s, const surface *f, float x, float y)
{
    const camera *c = &s->camera;
    place p = {.ray = {(x - (float)c->middle[0]) * c->slope, ((float)c->middle[1] - y) * c->slope, 1}};
    float whole = dot3f(p.ray, f->normal), over = whole != 0 ? 1 / whole : 0;
    for (int i = 0; i < 2; i++) {
        p.weight[i] = dot3f(p.ray, f->weights[i]) * over;
        p.along_x[i] = (f->weights[i][0] - p.weight[i] * f->normal[0]) * over * c->slope;
        p.along_y[i] = (p.weight[i] * f->normal[1] - f->weights[i][1]) * over * c->slope;
    }
    return p;
}

static inline float between(const place *p, float a, float b, float c)
{
    return a + p->weight[0] * (b - a) + p->weight[1] * (c - a);
}

/* ---- Textures ---- */

/* The logarithm to base 2: the exponent, and a curve that is exact at its ends and wrong by less than 0.01 between. */
static float log2_of(float x)
{
    uint32_t bits;
    float mantissa;
    if (!(x > 1e-30f && x < 1e30f))
        return x > 1 ? 100 : -100;
    memcpy(&bits, &x, sizeof bits);
    int32_t exponent = (int32_t)(bits >> 23) - 127;
    bits = (bits & 0x7fffff) | 0x3f800000;
    memcpy(&mantissa, &bits, sizeof mantissa);
    return (float)exponent + (mantissa - 1) * (5 - mantissa) / 3;
}

typedef struct texel_place {
    float u, v, along_x[2], along_y[2];
} texel_place;

static texel_place texel_of(const place *p, float corner[3][2])
{
    texel_place t;
    float edges[2][2];
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            edges[i][k] = corner[i + 1][k] - corner[0][k];
    t.u = corner[0][0] + p->weight[0] * edges[0][0] + p->weight[1] * edges[1][0];
    t.v = corner[0][1] + p->weight[0] * edges[0][1] + p->weight[1] * edges[1][1];
    for (int k = 0; k < 2; k++) {
        t.along_x[k] = p->along_x[0] * edges[0][k] + p->along_x[1] * edges[1][k];
        t.along_y[k] = p->along_y[0] * edges[0][k] + p->along_y[1] * edges[1][k];
    }
    return t;
}

/* A neutral grey where there is no picture, and a checker of two where there is one that cannot be read. */
static void sample_nothing(const render_texture *t, float u, float v, float rgba[4])
{
    float grey = 0.5f;
    if (t->unsupported && u > -1e6f && u < 1e6f && v > -1e6f && v < 1e6f) {
        int checks = (int)floorf(u * 8) + (int)floorf(v * 8);
        grey = checks & 1 ? 0.6f : 0.35f;
    }
    rgba[0] = rgba[1] = rgba[2] = grey;
    rgba[3] = 1;
}

static void sample(const surface *f, const place *p, const texture_binding *b, bool color, float rgba[4])
{
    float corner[3][2];
    bool loaded = b == &f->draw->base_color || b->uv == f->draw->base_color.uv;
    for (int i = 0; i < 3; i++) {
        float uv[2];
        if (loaded)
            memcpy(uv, f->uv[i], sizeof uv);
        else
            load_row(b->uv, f->rows[i], 2, uv);
        corner[i][0] = uv[0] * b->turn[0] + uv[1] * b->turn[1] + b->offset[0];
        corner[i][1] = uv[0] * b->turn[2] + uv[1] * b->turn[3] + b->offset[1];
    }
    texel_place t = texel_of(p, corner);
    if (!b->texture->level_count) {
        sample_nothing(b->texture, t.u, t.v, rgba);
        return;
    }
    float width = (float)b->texture->levels[0].width, height = (float)b->texture->levels[0].height;
    float x = t.along_x[0] * width * t.along_x[0] * width + t.along_x[1] * height * t.along_x[1] * height;
    float y = t.along_y[0] * width * t.along_y[0] * width + t.along_y[1] * height * t.along_y[1] * height;
    st_texture_sample(b->texture, t.u, t.v, 0.5f * log2_of(x > y ? x : y), color, rgba);
}

/* Squares of two kinds that say where in the texture they are: red grows with u, green with v. Too small ones melt into one. */
static void sample_checker(const surface *f, const place *p, float rgba[4])
{
    enum { SQUARES = 16 };
    float corner[3][2];
    memcpy(corner, f->uv, sizeof corner);
    texel_place t = texel_of(p, corner);
    float u = t.u - floorf(t.u), v = t.v - floorf(t.v);
    bool known = u >= 0 && u <= 1 && v >= 0 && v <= 1 && f->draw->uv; /* and a number */
    int check = known ? ((int)(u * SQUARES) + (int)(v * SQUARES)) & 1 : 0;
    float x = t.along_x[0] * t.along_x[0] + t.along_x[1] * t.along_x[1];
    float y = t.along_y[0] * t.along_y[0] + t.along_y[1] * t.along_y[1];
    float pixels = (x > y ? x : y) * SQUARES * SQUARES; /* squares in a pixel, squared */
    float contrast = known ? 1 - clamp_unit(pixels * 4 - 0.5f) : 0;
    float shade = 0.55f + (check ? 0.35f : -0.35f) * contrast;
    rgba[0] = shade * (known ? 0.35f + 0.65f * u : 1);
    rgba[1] = shade * (known ? 0.35f + 0.65f * v : 1);
    rgba[2] = shade * (known ? 0.6f : 1);
    rgba[3] = 1;
}

static void base_color(const scene *s, const surface *f, const place *p, float rgba[4])
{
    const draw *d = f->draw;
    float texel[4];
    memcpy(rgba, d->material.base_color, 4 * sizeof *rgba);
    bool checker = s->options->overlays & STELE_OVERLAY_UV_CHECKER;
    if (checker || d->base_color.texture) {
        if (checker)
            sample_checker(f, p, texel);
        else
            sample(f, p, &d->base_color, true, texel);
        for (int i = 0; i < 4; i++)
            rgba[i] *= texel[i];
    }
    if (d->color)
        for (int i = 0; i < (d->color->components < 4 ? 3 : 4); i++)
            rgba[i] *= between(p, f->color[0][i], f->color[1][i], f->color[2][i]);
    rgba[3] = clamp_unit(rgba[3]);
}

float st_shade_alpha(const scene *s, const surface *f, float x, float y)
{
    place p = find_place(s, f, x, y);
    float rgba[4];
    base_color(s, f, &p, rgba);
    return rgba[3];
}

/* ---- The way a surface faces ---- */

/* The normal of a normal map stands on the tangents along which u and v grow, which the corners tell. */
static void bend_normal(const surface *f, const place *p, float normal[3])
{
    const texture_binding *b = &f->draw->normal;
    float uv[3][2], texel[4], tangent[3], bitangent[3];
    for (int i = 0; i < 3; i++)
        load_row(b->uv, f->rows[i], 2, uv[i]);
    float u1 = uv[1][0] - uv[0][0], v1 = uv[1][1] - uv[0][1], u2 = uv[2][0] - uv[0][0], v2 = uv[2][1] - uv[0][1];
    float sign = u1 * v2 - u2 * v1 < 0 ? -1.0f : 1.0f;
    for (int i = 0; i < 3; i++)
        tangent[i] = sign * (f->edges[0][i] * v2 - f->edges[1][i] * v1);
    float lean = dot3f(tangent, normal);
    for (int i = 0; i < 3; i++)
        tangent[i] -= lean * normal[i];
    if (!b->texture->level_count || !normalize3f(tangent))
        return;
    /* towards the top of the image: against v */
    cross3f(normal, tangent, bitangent);
    float down[3], toward_top = 0;
    for (int i = 0; i < 3; i++) {
        down[i] = sign * (f->edges[1][i] * u1 - f->edges[0][i] * u2);
        toward_top -= down[i] * bitangent[i];
    }
    sample(f, p, b, false, texel);
    float x = (2 * texel[0] - 1) * b->strength, y = (2 * texel[1] - 1) * b->strength * (toward_top < 0 ? -1.0f : 1.0f);
    float z = 2 * texel[2] - 1, bent[3];
    for (int i = 0; i < 3; i++)
        bent[i] = x * tangent[i] + y * bitangent[i] + z * normal[i];
    if (normalize3f(bent))
        memcpy(normal, bent, sizeof bent);
}

/* Towards the viewer's side of the triangle, for both sides are drawn where the wrong one is seen. */
static void normal_at(const surface *f, const place *p, float normal[3])
{
    const draw *d = f->draw;
    float facing = dot3f(p->ray, f->normal) > 0 ? -1.0f : 1.0f;
    bool back = (facing < 0) != d->mirrored;
    for (int i = 0; i < 3; i++)
        normal[i] = d->normals ? between(p, f->normals[0][i], f->normals[1][i], f->normals[2][i]) : 0;
    if (!d->normals || !normalize3f(normal)) {
        for (int i = 0; i < 3; i++)
            normal[i] = facing * f->normal[i];
        normalize3f(normal);
        back = false;
    }
    back &= draws_triangles(d);
    if (d->normal.texture)
        bend_normal(f, p, normal);
    for (int i = 0; i < 3 && back; i++)
        normal[i] = -normal[i];
}

/* ---- Light on a material ---- */

typedef struct material_here {
    float color[3], mirror[3]; /* what is scattered, and what is mirrored straight on */
    float roughness, occlusion;
} material_here;

static material_here material_at(const surface *f, const place *p, const float base[4])
{
    const draw *d = f->draw;
    const stele_material *m = &d->material;
    float metallic = m->metallic, texel[4];
    material_here h = {.roughness = m->roughness, .occlusion = 1};
    if (d->metallic_roughness.texture && d->metallic_roughness.texture->level_count) {
        sample(f, p, &d->metallic_roughness, false, texel);
        h.roughness *= texel[1];
        metallic *= texel[2];
    }
    if (d->occlusion.texture && d->occlusion.texture->level_count) {
        sample(f, p, &d->occlusion, false, texel);
        h.occlusion = 1 + d->occlusion.strength * (texel[0] - 1);
    }
    metallic = clamp_unit(metallic);
    h.roughness = h.roughness > 0.08f ? (h.roughness < 1 ? h.roughness : 1) : 0.08f;
    for (int i = 0; i < 3; i++) {
        float dull = clamp_unit(0.04f * m->specular * m->specular_color[i]);
        h.color[i] = base[i] * (1 - metallic);
        h.mirror[i] = dull + (base[i] - dull) * metallic;
    }
    return h;
}

static inline float fifth_power(float x)
{
    return x * x * x * x * x;
}

static inline float4 sqrt4(float4 x)
{
    return (float4){sqrtf(x[0]), sqrtf(x[1]), sqrtf(x[2]), sqrtf(x[3])};
}

/* What is scattered of the lights, and what a rough surface mirrors: GGX, with Schlick's shadowing and Fresnel. All lights at
 * once, a lane for each. The half vector between light and eye is never needed itself: its square is 2 + 2 * their cosine. */
static void add_lights(const lights *l, const material_here *h, const float normal[3], const float to_eye[3], float facing_eye,
                       float sum[3])
{
    float4 facing = l->direction[0] * all_float(normal[0]) + l->direction[1] * all_float(normal[1]) +
                    l->direction[2] * all_float(normal[2]);
    float4 to_light = l->direction[0] * all_float(to_eye[0]) + l->direction[1] * all_float(to_eye[1]) +
                      l->direction[2] * all_float(to_eye[2]);
    float4 half_square = all_float(2.001f) + to_light + to_light, along_half = facing + all_float(facing_eye);
    facing = select_float(facing > 0, facing, all_float(0));
    float spread = h->roughness * h->roughness, square = spread * spread;
    float k = (h->roughness + 1) * (h->roughness + 1) * 0.125f;
    float4 width = along_half * along_half / half_square * all_float(square - 1) + all_float(1);
    float4 shadow = (facing * all_float(1 - k) + all_float(k)) * all_float(facing_eye * (1 - k) + k);
    float4 glance = all_float(1) - sqrt4(half_square) * all_float(0.5f), glance_square = glance * glance;
    glance = glance_square * glance_square * glance;
    float4 shine = all_float(0.25f * square) * facing / (width * width * shadow);
    for (int i = 0; i < 3; i++) {
        float4 mirrored = all_float(h->mirror[i]) + all_float(1 - h->mirror[i]) * glance;
        float4 light = l->color[i] * (all_float(h->color[i]) * facing + mirrored * shine);
        sum[i] += (light[0] + light[1]) + light[2];
    }
}

/* The light from above and below, soft, and a little of it mirrored. */
static void add_surroundings(const scene *s, const material_here *h, const float normal[3], const float to_eye[3],
                             float facing_eye, float sum[3])
{
    const lights *l = &s->lights;
    float up = 0.5f + 0.5f * dot3f(normal, s->camera.up), mirrored[3];
    for (int i = 0; i < 3; i++)
        mirrored[i] = 2 * facing_eye * normal[i] - to_eye[i];
    /* a smooth surface sees an horizon, a rough one none */
    float height = dot3f(mirrored, s->camera.up), sharp = 1 / (0.2f + h->roughness);
    float above = clamp_unit(0.5f + 0.5f * height * sharp);
    float glance = fifth_power(1 - facing_eye) * (1 - h->roughness) * 0.7f;
    for (int i = 0; i < 3; i++) {
        float soft = l->floor[i] + (l->sky[i] - l->floor[i]) * up;
        float seen = l->floor[i] * 1.3f + (l->sky[i] * 2.4f - l->floor[i] * 1.3f) * above;
        sum[i] += h->occlusion * (h->color[i] * soft + (h->mirror[i] + (1 - h->mirror[i]) * glance) * seen);
    }
}

/* What is too bright is pressed together, not cut off. */
static float pressed(float light)
{
    const float knee = 0.8f, room = 1 - knee;
    if (!(light > knee))
        return light > 0 ? light : 0;
    float beyond = (light - knee) / room;
    return beyond < 1e6f ? knee + room * beyond / (1 + beyond) : 1;
}

static void light_up(const scene *s, const surface *f, const place *p, float rgba[4])
{
    float normal[3], to_eye[3] = {-p->ray[0], -p->ray[1], -p->ray[2]}, sum[3] = {0};
    material_here h = material_at(f, p, rgba);
    normal_at(f, p, normal);
    normalize3f(to_eye);
    float facing_eye = dot3f(normal, to_eye);
    facing_eye = facing_eye > 0.02f ? facing_eye : 0.02f;
    add_lights(&s->lights, &h, normal, to_eye, facing_eye, sum);
    add_surroundings(s, &h, normal, to_eye, facing_eye, sum);
    memcpy(rgba, sum, sizeof sum);
}

static void add_emission(const surface *f, const place *p, float rgba[4])
{
    const draw *d = f->draw;
    const stele_material *m = &d->material;
    float texel[4] = {1, 1, 1, 1};
    if (m->emissive[0] == 0 && m->emissive[1] == 0 && m->emissive[2] == 0)
        return;
    if (d->emissive.texture && d->emissive.texture->level_count)
        sample(f, p, &d->emissive, true, texel);
    for (int i = 0; i < 3; i++)
        rgba[i] += m->emissive[i] * m->emissive_strength * texel[i];
}

/* ---- Lines ---- */

/* How much of a pixel the lines of the triangle's edges cover: the weight of a corner is 0 at the edge against it, and grows
 * evenly over the picture if it is not divided by the whole. */
static float line_at(const scene *s, const surface *f, const place *p)
{
    const float half_width = 0.55f;
    float nearest = 1e30f;
    for (int i = 0; i < 3; i++) {
        float along[3];
        for (int k = 0; k < 3; k++)
            along[k] = i < 2 ? f->weights[i][k] : f->normal[k] - f->weights[0][k] - f->weights[1][k];
        float at = dot3f(p->ray, along);
        float growth = sqrtf(along[0] * along[0] + along[1] * along[1]) * s->camera.slope;
        float distance = growth > 0 ? (at < 0 ? -at : at) / growth : 1e30f;
        nearest = distance < nearest ? distance : nearest;
    }
    return clamp_unit(half_width + 0.5f - nearest);
}

static void draw_lines(const scene *s, const surface *f, const place *p, float rgba[4])
{
    static const float ink[3] = {0.012f, 0.02f, 0.045f};
    float line = 0.85f * line_at(s, f, p);
    for (int i = 0; i < 3; i++)
        rgba[i] += (ink[i] - rgba[i]) * line;
    rgba[3] += (1 - rgba[3]) * line;
}

void st_shade(const scene *s, const surface *f, float x, float y, float rgba[4])
{
    const draw *d = f->draw;
    if (d->tint) {
        const uint8_t *tint = d->tint[f->triangle - d->first_triangle];
        for (int i = 0; i < 3; i++)
            rgba[i] = st_srgb_linear[tint[i]];
        rgba[3] = (float)tint[3] / 255;
        return;
    }
    place p = find_place(s, f, x, y);
    base_color(s, f, &p, rgba);
    if (d->material.alpha_mode != STELE_BLEND)
        rgba[3] = 1;
    if (!d->material.unlit) {
        light_up(s, f, &p, rgba);
        add_emission(f, &p, rgba);
        for (int i = 0; i < 3; i++)
            rgba[i] = pressed(rgba[i]);
    }
    for (int i = 0; i < 3; i++)
        rgba[i] = clamp_unit(rgba[i]);
    if (s->options->overlays & STELE_OVERLAY_WIREFRAME && draws_triangles(d))
        draw_lines(s, f, &p, rgba);
}
