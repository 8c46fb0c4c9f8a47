/* What Stele writes is read as it was meant: random rigs and clips, saved in every format and dialect and opened again without
 * being told anything but what the writer says that it must be told, show the same triangles at the same places, at rest and at
 * every key, seen from the same side, with the same normals, texture coordinates and colours. */
#include <math.h>
#include <unistd.h>

#include "support.h"

enum { MOST_JOINTS = 100, MOST_TRIANGLES = 40, MOST_KEYS = 24, LONGEST_CLIP = 200, SEEDS = 300 };

static uint64_t state_of_random;

static uint32_t pick(uint32_t below)
{
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state_of_random >> 33) % below;
}

static float between(float low, float high)
{
    return low + (high - low) * (float)pick(10001) / 10000;
}

static void random_rotation(float q[4], float most)
{
    float axis[3] = {between(-1, 1), between(-1, 1), between(-1, 1)}, half = between(-most, most) / 2;
    float length = sqrtf(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    for (int i = 0; i < 3; i++)
        q[i] = length > 0.01f ? axis[i] / length * sinf(half) : 0;
    q[3] = sqrtf(fmaxf(0, 1 - q[0] * q[0] - q[1] * q[1] - q[2] * q[2]));
}

/* ---- A random model ---- */

/* Bounds are right: the rest pose shows what was modelled. Rigid matrices are inverted by hand. */
static void invert_rigid(const double m[16], float inverse[16])
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            inverse[4 * c + r] = (float)m[4 * r + c];
    for (int r = 0; r < 3; r++)
        inverse[12 + r] = (float)-(m[4 * r] * m[12] + m[4 * r + 1] * m[13] + m[4 * r + 2] * m[14]);
    inverse[3] = inverse[7] = inverse[11] = 0;
    inverse[15] = 1;
}

static uint32_t add_skeleton(stele_file *file, uint32_t count)
{
    uint32_t joints[MOST_JOINTS];
    float *inverse = stele_memory(file, 64 * (uint64_t)count);
    for (uint32_t i = 0; i < count; i++) {
        stele_node node = stele_default_node();
        char name[16];
        snprintf(name, sizeof name, "joint%u", i);
        node.name = name;
        node.parent = i ? joints[pick(4) ? i - 1 : pick(i)] : STELE_NONE;
        for (int k = 0; k < 3; k++)
            node.local.translation[k] = between(-1, 1);
        if (pick(2))
            random_rotation(node.local.rotation, 3);
        joints[i] = stele_add_node(file, &node);
    }
    const stele_model *model = stele_file_model(file);
    double(*matrices)[16] = malloc(model->node_count * sizeof *matrices);
    assert_true(stele_evaluate_nodes(model, STELE_NONE, 0, matrices, model->node_count));
    for (uint32_t i = 0; i < count; i++)
        invert_rigid(matrices[joints[i]], inverse + 16 * i);
    free(matrices);
    return stele_add_skin(file, &(stele_skin){.joints = joints,
                                              .joint_count = count,
                                              .skeleton = STELE_NONE,
                                              .inverse_bind = stele_float_view(inverse, count, 16)});
}

/* Triangles of their own vertices, whose normals say which side is seen, but for some models that are inside out. */
static void add_mesh(stele_file *file, uint32_t triangles, uint32_t joints)
{
    uint32_t count = 3 * triangles, used = 0;
    float *positions = stele_memory(file, 12 * (uint64_t)count), *normals = stele_memory(file, 12 * (uint64_t)count);
    float *uvs = stele_memory(file, 8 * (uint64_t)count), *weights = stele_memory(file, 16 * (uint64_t)count);
    float *colors = stele_memory(file, 16 * (uint64_t)count);
    uint8_t *owners = stele_memory(file, 4 * (uint64_t)count);
    float side = pick(8) ? 1 : -1;
    bool in_bytes = pick(2), colored = pick(3) == 0;
    for (uint32_t t = 0; t < triangles; t++) {
        float *p = positions + 9 * t, a[3], b[3], n[3], length;
        do {
            for (int i = 0; i < 9; i++)
                p[i] = between(-2, 2);
            for (int i = 0; i < 3; i++) {
                a[i] = p[3 + i] - p[i];
                b[i] = p[6 + i] - p[i];
            }
            for (int i = 0; i < 3; i++)
                n[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
            length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        } while (length < 0.1f);
        for (int i = 0; i < 9; i++)
            normals[9 * t + (uint32_t)i] = side * n[i % 3] / length;
        bool seam = joints > 1 && pick(3) == 0;
        uint32_t owner = joints ? pick(joints) : 0;
        for (uint32_t v = 3 * t; v < 3 * t + 3; v++) {
            uint32_t share = pick(3) ? 255 : pick(256);
            owners[4 * v] = (uint8_t)(seam ? pick(joints) : owner);
            owners[4 * v + 1] = (uint8_t)(joints ? (owners[4 * v] + 1u) % joints : 0);
            weights[4 * v] = joints > 1 ? (float)share / 255 : 1;
            weights[4 * v + 1] = 1 - weights[4 * v];
            for (uint32_t k = 0; k < 4; k++)
                colors[4 * v + k] = k == 3 ? 1 : in_bytes ? (float)pick(256) / 255 : between(0, 1);
            uvs[2 * v] = between(0, 1);
            uvs[2 * v + 1] = between(0, 1);
        }
    }
    stele_attribute attributes[6] = {{STELE_POSITION, 0, stele_float_view(positions, count, 3)},
                                     {STELE_NORMAL, 0, stele_float_view(normals, count, 3)},
                                     {STELE_UV, 0, stele_float_view(uvs, count, 2)}};
    used = 3;
    if (colored)
        attributes[used++] = (stele_attribute){STELE_COLOR, 0, stele_float_view(colors, count, 4)};
    if (joints) {
        attributes[used++] = (stele_attribute){STELE_JOINTS, 0, {owners, count, 4, 4, STELE_U8, false}};
        attributes[used++] = (stele_attribute){STELE_WEIGHTS, 0, stele_float_view(weights, count, 4)};
    }
    stele_primitive primitive = {
        .vertex_count = count, .attributes = attributes, .attribute_count = used, .material = STELE_NONE};
    stele_add_mesh(file, &(stele_mesh){.primitives = &primitive, .primitive_count = 1});
}

/* Keys at tenths of a second, which all formats hold. */
static void add_clip(stele_file *file, uint32_t number, uint32_t joints)
{
    uint32_t keys = 1 + pick(pick(2) ? 3 : pick(8) ? MOST_KEYS : LONGEST_CLIP), used = 0;
    stele_channel channels[2 * MOST_JOINTS];
    float *times = stele_memory(file, 4 * (uint64_t)keys);
    char name[16];
    snprintf(name, sizeof name, "clip%u", number);
    for (uint32_t k = 0; k < keys; k++)
        times[k] = (float)(k / 10.0);
    for (uint32_t i = 0; i < joints; i++) {
        float *turns = stele_memory(file, 16 * (uint64_t)keys), *ways = stele_memory(file, 12 * (uint64_t)keys);
        if (i && pick(3) == 0)
            continue;
        for (uint32_t k = 0; k < keys; k++) {
            random_rotation(turns + 4 * k, pick(2) ? 0.3f : 3);
            for (int c = 0; c < 3; c++)
                ways[3 * k + (uint32_t)c] = between(-1, 1);
        }
        channels[used++] = (stele_channel){i, STELE_ROTATION, STELE_LINEAR, stele_float_view(times, keys, 1),
                                           stele_float_view(turns, keys, 4)};
        if (pick(2))
            channels[used++] = (stele_channel){i, STELE_TRANSLATION, STELE_LINEAR, stele_float_view(times, keys, 1),
                                               stele_float_view(ways, keys, 3)};
    }
    stele_add_clip(file, &(stele_clip){.name = name, .channels = channels, .channel_count = used});
}

static stele_file *random_model(uint64_t seed)
{
    state_of_random = seed * 7919 + 1;
    stele_file *file = stele_new(NULL);
    uint32_t joints = pick(4) ? 1 + pick(pick(2) ? 3 : MOST_JOINTS) : 0, clips = joints ? pick(4) : 0;
    stele_node node = stele_default_node();
    node.skin = joints ? add_skeleton(file, joints) : STELE_NONE;
    add_mesh(file, 1 + pick(MOST_TRIANGLES), joints);
    node.mesh = 0;
    stele_add_node(file, &node);
    for (uint32_t i = 0; i < clips; i++)
        add_clip(file, i, joints);
    return file;
}

/* ---- What it shows ---- */

/* A triangle by the middles of its corners: the same however vertices and corners are listed. */
typedef struct triangle {
    double middle[3], across[3], normal[3], uv[2], color[4]; /* across: the side that is seen, as long as its area */
} triangle;

static void add_corner(const stele_primitive *p, uint64_t v, const float *positions, const float *normals, triangle *t)
{
    const stele_view *uv = stele_primitive_view(p, STELE_UV, 0), *color = stele_primitive_view(p, STELE_COLOR, 0);
    for (uint64_t k = 0; k < 3; k++) {
        t->middle[k] += (double)positions[3 * v + k] / 3;
        t->normal[k] += (double)normals[3 * v + k] / 3;
    }
    for (uint32_t k = 0; k < 2; k++)
        t->uv[k] += uv ? stele_view_number(uv, v, k) / 3 : 0;
    for (uint32_t k = 0; k < 4; k++)
        t->color[k] += color && k < color->components ? stele_view_number(color, v, k) / 3 : 1.0 / 3;
}

static void find_side(const float *a, const float *b, const float *c, double across[3])
{
    for (int k = 0; k < 3; k++) {
        int x = (k + 1) % 3, y = (k + 2) % 3;
        across[k] = ((double)b[x] - (double)a[x]) * ((double)c[y] - (double)a[y]) -
                    ((double)b[y] - (double)a[y]) * ((double)c[x] - (double)a[x]);
    }
}

/* All triangles, in their order. */
static size_t triangles_of(stele_file *file, uint32_t clip, double seconds, triangle *triangles)
{
    const stele_model *m = stele_file_model(file);
    double(*matrices)[16] = malloc(m->node_count * sizeof *matrices);
    size_t count = 0;
    assert_true(stele_evaluate_nodes(m, clip, seconds, matrices, m->node_count));
    for (uint32_t n = 0; n < m->node_count; n++)
        for (uint32_t k = 0; m->nodes[n].mesh != STELE_NONE && k < m->meshes[m->nodes[n].mesh].primitive_count; k++) {
            const stele_primitive *p = &m->meshes[m->nodes[n].mesh].primitives[k];
            float *positions = malloc((size_t)p->vertex_count * 12), *normals = calloc((size_t)p->vertex_count, 12);
            uint64_t corners = p->indices.count ? p->indices.count : p->vertex_count;
            bool shaded = stele_primitive_view(p, STELE_NORMAL, 0);
            assert_true(stele_evaluate_vertices(m, n, k, clip, seconds, (const double(*)[16])matrices, m->node_count, positions,
                                                shaded ? normals : NULL, p->vertex_count));
            for (uint64_t i = 0; i + 2 < corners && count < MOST_TRIANGLES; i += 3, count++) {
                uint64_t v[3];
                triangles[count] = (triangle){{0}, {0}, {0}, {0}, {0}};
                for (uint64_t c = 0; c < 3; c++) {
                    v[c] = p->indices.count ? (uint64_t)stele_view_number(&p->indices, i + c, 0) : i + c;
                    add_corner(p, v[c], positions, normals, &triangles[count]);
                }
                find_side(positions + 3 * v[0], positions + 3 * v[1], positions + 3 * v[2], triangles[count].across);
            }
            free(positions);
            free(normals);
        }
    free(matrices);
    return count;
}

static double distance(const double *a, const double *b, int count)
{
    double worst = 0;
    for (int k = 0; k < count; k++)
        worst = fmax(worst, fabs(a[k] - b[k]));
    return worst;
}

/* What differs, or NULL. Only where they are, if nothing else is asked for. */
static const char *what_differs(stele_file *a, stele_file *b, uint32_t clip, double seconds, double most, uint64_t holds)
{
    triangle p[MOST_TRIANGLES], q[MOST_TRIANGLES];
    size_t count = triangles_of(a, clip, seconds, p);
    if (triangles_of(b, clip, seconds, q) != count)
        return "the number of triangles";
    for (size_t i = 0; i < count; i++) {
        double sides = 0;
        for (int k = 0; k < 3; k++)
            sides += p[i].across[k] * q[i].across[k];
        if (!(distance(p[i].middle, q[i].middle, 3) < most))
            return "where triangles are";
        if (holds && !(sides > 0))
            return "the side that is seen";
        if ((holds & STELE_NORMALS) && !(distance(p[i].normal, q[i].normal, 3) < 1e-3))
            return "normals";
        if ((holds & STELE_UVS) && !(distance(p[i].uv, q[i].uv, 2) < 1e-4))
            return "texture coordinates";
        if ((holds & STELE_COLORS) && !(distance(p[i].color, q[i].color, 4) < 4e-3))
            return "colours";
    }
    return NULL;
}

/* ---- There and back ---- */

static unsigned told_count;
static char folder[] = "/tmp/stele-meant-XXXXXX";

static bool loses(const stele_file *file, const char *ids)
{
    size_t count;
    const stele_diagnostic *d = stele_file_diagnostics(file, &count);
    for (size_t i = 0; i < count; i++)
        if (d[i].severity == STELE_LOSS && strstr(ids, d[i].id))
            return true;
    return false;
}

static void compare(stele_file *meant, stele_file *read, const stele_format_info *format, const char *what)
{
    const stele_model *model = stele_file_model(meant);
    uint64_t holds = format->capabilities | format->beside;
    bool moves = holds & STELE_ANIMATION && !loses(meant, "loss-skin loss-skeleton loss-animation loss-poses");
    if (loses(meant, "loss-color loss-vertex-color"))
        holds &= ~STELE_COLORS;
    if (loses(meant, "loss-uv"))
        holds &= ~STELE_UVS;
    if (loses(meant, "loss-normal"))
        holds &= ~STELE_NORMALS;
    const char *differs = loses(meant, "loss-rest") ? NULL : what_differs(meant, read, STELE_NONE, 0, 1e-3, holds);
    if (differs)
        fail_msg("%s is not read as it was meant, at rest: %s", what, differs);
    for (uint32_t c = 0; moves && c < model->clip_count; c++)
        for (double t = 0; t <= model->clips[c].duration + 0.01; t += 0.1)
            if (what_differs(meant, read, c, t, 2e-3, 0))
                fail_msg("%s is not read as it was meant: clip %u at %g", what, c, t);
}

/* What the writer says that a reader must be told: random bones may tear what is meant apart more than what is not, and what is
 * inside out looks as if it were the other way round. */
static size_t choices_told(const stele_file *meant, stele_choice choices[2])
{
    static const stele_choice known[] = {{"ctc.bind", "inverse"}, {"ctc.winding", "reverse"}};
    size_t count, told = 0;
    const stele_diagnostic *d = stele_file_diagnostics(meant, &count);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < count; i++)
            if (strcmp(d[i].id, "nonstandard-layout") == 0 && strstr(d[i].text, known[k].name)) {
                choices[told++] = known[k];
                break;
            }
    return told;
}

/* Written and opened again: in memory, unless there are files beside it. Not there: it does not fit. */
static stele_file *read_again(stele_file *meant, const stele_format_info *format, const char *dialect, bytes *content)
{
    stele_choice choices[2];
    char path[128];
    stele_save_options options = {.format = format->name, .dialect = dialect, .overwrite = true};
    snprintf(path, sizeof path, "%s/m.%s", folder, format->name);
    if (format->companions && strcmp(format->companions, "sga") == 0)
        stele_file_save(meant, path, &options);
    else
        *content = rewritten(meant, &options);
    size_t told = choices_told(meant, choices);
    stele_options reading = {.name = path, .check = STELE_CHECK_FULL, .load = {.choices = choices, .choice_count = told}};
    told_count += told > 0;
    if (stele_file_status(meant) != STELE_OK)
        return NULL;
    return content->data ? stele_open_memory(content->data, content->size, &reading) : stele_open(path, &reading);
}

static void there_and_back(uint64_t seed, const stele_format_info *format, const char *dialect)
{
    char what[128];
    bytes content = {NULL, 0};
    stele_file *meant = random_model(seed), *read = read_again(meant, format, dialect, &content);
    snprintf(what, sizeof what, "%s %s of seed %llu", format->name, dialect, (unsigned long long)seed);
    if (read) {
        if (stele_file_status(read) != STELE_OK || !stele_file_model(read))
            fail_msg("%s: %s", what, stele_file_message(read));
        compare(meant, read, format, what);
    } else if (stele_file_status(meant) != STELE_DAMAGED) {
        fail_msg("%s: %s", what, stele_file_message(meant)); /* old dialects need not hold it */
    }
    stele_close(read);
    free(content.data);
    stele_close(meant);
}

static void what_is_written_is_read_as_it_was_meant(void **state)
{
    (void)state;
    const stele_format_info *format;
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; (format = stele_format_at(i)); i++)
        for (uint64_t seed = 0; (format->capabilities & STELE_MESHES) && seed < SEEDS; seed++)
            there_and_back(seed, format, format->dialects[seed % format->dialect_count].name);
    assert_in_range(told_count, SEEDS / 20, SEEDS / 5); /* those that are inside out, and few others */
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_as_it_was_meant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
