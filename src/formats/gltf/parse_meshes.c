/* Meshes: attributes, indices of every topology, morphs. */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "parse.h"

/* ---- Attributes ---- */

/* What an attribute may be made of. Bits of types count from STELE_U8 on; those that need KHR_mesh_quantization are apart. */
#define BIT(type) (1u << (type))
enum { INTEGERS = BIT(STELE_U8) | BIT(STELE_I8) | BIT(STELE_U16) | BIT(STELE_I16) };

typedef struct attribute_rule {
    const char *name;
    stele_semantic semantic;
    bool numbered;
    uint32_t least, most; /* components */
    uint32_t types, quantized;
    bool normalizes; /* integers are always normalised, whether they say so or not */
    diag_code nonfinite;
} attribute_rule;

static const attribute_rule rules[] = {
    {"POSITION", STELE_POSITION, false, 3, 3, BIT(STELE_F32), INTEGERS, false, DIAG_NONFINITE_POSITION},
    {"NORMAL", STELE_NORMAL, false, 3, 3, BIT(STELE_F32), BIT(STELE_I8) | BIT(STELE_I16), true, DIAG_NONFINITE_NORMAL},
    {"TANGENT", STELE_TANGENT, false, 4, 4, BIT(STELE_F32), BIT(STELE_I8) | BIT(STELE_I16), true, DIAG_NONFINITE_TANGENT},
    {"TEXCOORD", STELE_UV, true, 2, 2, BIT(STELE_F32) | BIT(STELE_U8) | BIT(STELE_U16), INTEGERS, false, DIAG_NONFINITE_UV},
    {"COLOR", STELE_COLOR, true, 3, 4, BIT(STELE_F32) | BIT(STELE_U8) | BIT(STELE_U16), 0, true, DIAG_NONFINITE_COLOR},
    {"JOINTS", STELE_JOINTS, true, 4, 4, BIT(STELE_U8) | BIT(STELE_U16), 0, false, DIAG_NONFINITE_BONE},
    {"WEIGHTS", STELE_WEIGHTS, true, 4, 4, BIT(STELE_F32) | BIT(STELE_U8) | BIT(STELE_U16), 0, true, DIAG_NONFINITE_WEIGHT},
};

/* The rule of an attribute, and the number behind its name; NULL if glTF does not know it. */
static const attribute_rule *find_rule(const char *name, uint32_t *set)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        size_t length = strlen(rules[i].name);
        const char *digits = name + length + 1;
        *set = 0;
        if (strncmp(name, rules[i].name, length) != 0)
            continue;
        if (!rules[i].numbered)
            return name[length] ? NULL : &rules[i];
        if (name[length] != '_' || !*digits || strlen(digits) > 2 || (digits[0] == '0' && digits[1]))
            return NULL;
        for (; *digits >= '0' && *digits <= '9'; digits++)
            *set = 10 * *set + (uint32_t)(*digits - '0');
        return *digits ? NULL : &rules[i];
    }
    return NULL;
}

/* The number of components, where a matrix is not taken for a vector. */
static bool fits(const gltf_accessor *a, uint32_t least, uint32_t most, uint32_t types)
{
    return a->shape < GLTF_MAT2 && a->view.components >= least && a->view.components <= most && (types >> a->view.type & 1);
}

/* The values of an attribute by its rule; no rows, and reported, if they do not fit it. */
static stele_view take_attribute(gltf_doc *d, uint32_t token, uint32_t accessor, const attribute_rule *rule,
                                 uint32_t components)
{
    const gltf_accessor *a = &d->accessors[accessor];
    uint32_t least = components ? components : rule->least, most = components ? components : rule->most;
    if (!a->usable)
        return (stele_view){0};
    if (!fits(a, least, most, rule->types | rule->quantized)) {
        st_gltf_report(d, DIAG_BAD_FIELD, token, "is accessor %u, whose type does not fit a %s", accessor, rule->name);
        return (stele_view){0};
    }
    stele_view v = st_gltf_use(d, (gltf_use){GLTF_FLOATS, accessor, .nonfinite = rule->nonfinite});
    if (rule->normalizes && v.type != STELE_F32 && !v.normalized) {
        st_gltf_report(d, DIAG_NONSTANDARD_LAYOUT, token, "has integers that do not say that they are normalised: taken so");
        v.normalized = true;
    }
    return v;
}

/* ---- Indices ---- */

typedef enum gltf_mode {
    MODE_POINTS,
    MODE_LINES,
    MODE_LINE_LOOP,
    MODE_LINE_STRIP,
    MODE_TRIANGLES,
    MODE_TRIANGLE_STRIP,
    MODE_TRIANGLE_FAN,
    MODES
} gltf_mode;

static stele_topology topology_of(gltf_mode mode)
{
    return mode == MODE_POINTS ? STELE_POINTS : mode < MODE_TRIANGLES ? STELE_LINES : STELE_TRIANGLES;
}

/* How many corners the simple primitives of n vertices have together. */
static uint64_t corner_count(gltf_mode mode, uint64_t n)
{
    switch (mode) {
    case MODE_LINES: return n / 2 * 2;
    case MODE_LINE_LOOP: return n < 2 ? 0 : 2 * n;
    case MODE_LINE_STRIP: return n < 2 ? 0 : 2 * (n - 1);
    case MODE_TRIANGLES: return n / 3 * 3;
    case MODE_TRIANGLE_STRIP:
    case MODE_TRIANGLE_FAN: return n < 3 ? 0 : 3 * (n - 2);
    default: return n;
    }
}

/* Which of the n vertices a corner of a strip, fan or loop is. Every other triangle of a strip is turned around. */
static uint64_t corner_vertex(gltf_mode mode, uint64_t n, uint64_t corner)
{
    uint64_t triangle = corner / 3, which = corner % 3;
    switch (mode) {
    case MODE_LINE_LOOP:
    case MODE_LINE_STRIP: return (corner / 2 + corner % 2) % n;
    case MODE_TRIANGLE_STRIP:
        if (which == 0)
            return triangle;
        return triangle + (which == 1 ? 1 + triangle % 2 : 2 - triangle % 2);
    case MODE_TRIANGLE_FAN: return which == 0 ? triangle + 1 : which == 1 ? triangle + 2 : 0;
    default: return corner;
    }
}

/* Indices that say what a strip, fan or loop means, or which vertices are left of those that follow each other. */
static stele_view spell_out(gltf_doc *d, uint32_t token, gltf_mode mode, const stele_view *indices, uint64_t vertex_count)
{
    uint64_t n = indices->count ? indices->count : vertex_count, corners = corner_count(mode, n);
    stele_type type = indices->count ? indices->type : vertex_count > UINT16_MAX ? STELE_U32 : STELE_U16;
    uint32_t size = stele_type_size(type);
    uint8_t *bytes;
    stele_view made = st_gltf_make(d, token, corners, type, 1, &bytes);
    byte_range *each = indices->count ? st_made_of_each(d->c, &made) : NULL;
    for (uint64_t i = 0; bytes && i < corners; i++) {
        uint64_t vertex = corner_vertex(mode, n, i);
        if (each)
            each[i] = st_row_bytes(indices, vertex);
        store_uint(bytes + i * size, indices->count ? st_view_integer(indices, vertex) : vertex, size);
    }
    return made;
}

/* Nothing is drawn: one triangle or line without extent, because no indices would mean all vertices. */
static stele_view nothing_drawn(gltf_doc *d, uint32_t token, stele_topology topology)
{
    uint8_t *bytes;
    st_gltf_report(d, DIAG_MESH_EMPTY, token, "has too few indices for anything to be drawn");
    return st_gltf_make(d, token, topology == STELE_TRIANGLES ? 3 : 2, STELE_U16, 1, &bytes);
}

static gltf_mode read_mode(gltf_doc *d, uint32_t token)
{
    uint64_t mode = st_gltf_uint(d, token, "mode", UINT32_MAX, MODE_TRIANGLES);
    if (mode < MODES)
        return (gltf_mode)mode;
    st_gltf_report(d, DIAG_BAD_FIELD, st_json_member(&d->json, token, "mode"), "is %llu, which is no topology",
                   (unsigned long long)mode);
    return MODE_TRIANGLES;
}

static void read_indices(gltf_doc *d, uint32_t token, stele_primitive *p)
{
    gltf_mode mode = read_mode(d, token);
    uint32_t accessor = st_gltf_index(d, token, "indices", GLTF_ACCESSORS);
    stele_view indices = {0};
    p->topology = topology_of(mode);
    if (accessor != STELE_NONE) {
        if (!fits(&d->accessors[accessor], 1, 1, BIT(STELE_U8) | BIT(STELE_U16) | BIT(STELE_U32))) {
            st_gltf_report(d, DIAG_BAD_FIELD, st_json_member(&d->json, token, "indices"),
                           "is accessor %u, whose type does not fit indices", accessor);
            return;
        }
        indices = st_gltf_use(d, (gltf_use){GLTF_INDICES, accessor, .limit = p->vertex_count});
        indices.normalized = false;
        if (!indices.count && d->accessors[accessor].view.count)
            return; /* they cannot be had */
    }
    uint64_t n = accessor == STELE_NONE ? p->vertex_count : indices.count, corners = corner_count(mode, n);
    bool simple = mode == MODE_POINTS || mode == MODE_LINES || mode == MODE_TRIANGLES;
    if (simple && corners != n)
        st_gltf_report(d, DIAG_INDEX_COUNT, token, "%llu %s are not a multiple of %u", (unsigned long long)n,
                       accessor == STELE_NONE ? "vertices" : "indices", mode == MODE_LINES ? 2u : 3u);
    if (!corners && mode != MODE_POINTS)
        p->indices = p->vertex_count ? nothing_drawn(d, token, p->topology) : (stele_view){0};
    else if (!simple || (accessor == STELE_NONE && corners != n))
        p->indices = spell_out(d, token, mode, &indices, p->vertex_count);
    else
        p->indices = indices;
    if (simple && p->indices.count > corners && corners)
        p->indices.count = corners;
}

/* ---- Morphs ---- */

/* Views that only have sparse values are taken as those: a face has fifty morphs of a few vertices each. */
static bool only_sparse(const gltf_doc *d, uint32_t accessor)
{
    return accessor == STELE_NONE ||
           (d->accessors[accessor].buffer_view == STELE_NONE && d->accessors[accessor].sparse.indices.count);
}

enum { MORPH_PARTS = 3 };

static const attribute_rule *morph_rule(unsigned part)
{
    return &rules[part]; /* POSITION, NORMAL, TANGENT */
}

static stele_view *part_of(stele_morph *m, unsigned part)
{
    return part == 0 ? &m->position : part == 1 ? &m->normal : &m->tangent;
}

static const gltf_sparse *sparse_of(const gltf_doc *d, uint32_t accessor)
{
    return accessor == STELE_NONE ? NULL : &d->accessors[accessor].sparse;
}

/* The vertices that any part moves, in order, at most so many; with bytes NULL they are only counted. */
static uint64_t merge_vertices(const gltf_doc *d, const uint32_t accessors[MORPH_PARTS], uint64_t most, uint8_t *bytes)
{
    uint64_t at[MORPH_PARTS] = {0}, count = 0;
    for (;; count++) {
        uint64_t next[MORPH_PARTS], least = UINT64_MAX;
        for (unsigned i = 0; i < MORPH_PARTS; i++) {
            const gltf_sparse *s = sparse_of(d, accessors[i]);
            next[i] = s && at[i] < s->indices.count ? settled_u64(st_view_integer(&s->indices, at[i])) : UINT64_MAX;
            least = next[i] < least ? next[i] : least;
        }
        if (least == UINT64_MAX || count == most)
            return count;
        for (unsigned i = 0; i < MORPH_PARTS; i++)
            at[i] += next[i] == least;
        if (bytes)
            store_uint(bytes + 4 * count, least, 4);
    }
}

/* The rows of one part for the merged vertices: its own, and zeros. */
static stele_view spread(gltf_doc *d, uint32_t token, const gltf_sparse *s, const stele_view *vertices)
{
    uint8_t *bytes;
    stele_view made = st_gltf_make(d, token, vertices->count, s->values.type, s->values.components, &bytes);
    byte_range *each = st_made_of_each(d->c, &made);
    made.normalized = s->values.normalized;
    for (uint64_t i = 0, k = 0; bytes && i < vertices->count && k < s->indices.count; i++)
        if (st_view_integer(vertices, i) == st_view_integer(&s->indices, k)) {
            memcpy(bytes + i * made.stride, st_view_at(&s->values, k), made.stride);
            if (each)
                each[i] = st_row_bytes(&s->values, k);
            k++;
        }
    return made;
}

static bool same_rows(const stele_view *a, const stele_view *b)
{
    return a->data == b->data && a->count == b->count && a->stride == b->stride && a->type == b->type;
}

static void take_sparse_morph(gltf_doc *d, uint32_t token, const uint32_t accessors[MORPH_PARTS], stele_morph *m)
{
    const gltf_sparse *first = NULL;
    bool shared = true;
    for (unsigned i = 0; i < MORPH_PARTS; i++) {
        const gltf_sparse *s = sparse_of(d, accessors[i]);
        first = first ? first : s;
        shared &= !s || same_rows(&s->indices, &first->indices);
    }
    if (shared) {
        m->vertices = first->indices;
    } else {
        uint8_t *bytes;
        m->vertices = st_gltf_make(d, token, merge_vertices(d, accessors, UINT64_MAX, NULL), STELE_U32, 1, &bytes);
        if (bytes)
            merge_vertices(d, accessors, m->vertices.count, bytes);
    }
    for (unsigned i = 0; i < MORPH_PARTS; i++) {
        const gltf_sparse *s = sparse_of(d, accessors[i]);
        if (s)
            *part_of(m, i) = shared ? s->values : spread(d, token, s, &m->vertices);
    }
}

/* The accessors of a morph's parts, checked; false if the morph cannot be used. */
static bool find_parts(gltf_doc *d, uint32_t target, uint64_t vertex_count, uint32_t accessors[MORPH_PARTS])
{
    for (unsigned i = 0; i < MORPH_PARTS; i++) {
        const char *name = morph_rule(i)->name;
        uint32_t token = st_json_member(&d->json, target, name);
        accessors[i] = st_gltf_reference(d, token, GLTF_ACCESSORS);
        if (accessors[i] == STELE_NONE)
            continue;
        const gltf_accessor *a = &d->accessors[accessors[i]];
        if (!a->usable)
            return false;
        if (!fits(a, 3, 3, morph_rule(i)->types | morph_rule(i)->quantized | INTEGERS)) {
            st_gltf_report(d, DIAG_BAD_FIELD, token, "is accessor %u, whose type does not fit a morph", accessors[i]);
            return false;
        }
        if (a->view.count != vertex_count) {
            st_gltf_report(d, DIAG_ATTRIBUTE_COUNT, token, "has %llu rows for %llu vertices", (unsigned long long)a->view.count,
                           (unsigned long long)vertex_count);
            return false;
        }
    }
    return true;
}

static void note_other_parts(gltf_doc *d, uint32_t target)
{
    for (uint32_t key = st_json_first(&d->json, target); key != JSON_ABSENT; key = st_json_next(&d->json, target, key)) {
        bool known = false;
        for (unsigned i = 0; i < MORPH_PARTS; i++)
            known |= st_json_is(&d->json, key, morph_rule(i)->name);
        if (!known)
            st_gltf_lose(d, REST_MORPH_ATTRIBUTE, key);
    }
}

static void read_morph(gltf_doc *d, uint32_t target, uint64_t vertex_count, stele_morph *m)
{
    uint32_t accessors[MORPH_PARTS];
    bool sparse = true, any = false;
    note_other_parts(d, target);
    if (!find_parts(d, target, vertex_count, accessors))
        return;
    for (unsigned i = 0; i < MORPH_PARTS; i++) {
        sparse &= only_sparse(d, accessors[i]);
        any |= accessors[i] != STELE_NONE;
    }
    for (unsigned i = 0; i < MORPH_PARTS; i++) {
        if (accessors[i] == STELE_NONE)
            continue;
        gltf_use_kind kind = sparse ? GLTF_SPARSE_FLOATS : GLTF_FLOATS;
        *part_of(m, i) = st_gltf_use(d, (gltf_use){kind, accessors[i], .nonfinite = morph_rule(i)->nonfinite});
    }
    if (sparse && any && !d->broken)
        take_sparse_morph(d, target, accessors, m);
}

static void read_morphs(gltf_doc *d, uint32_t token, stele_primitive *p)
{
    uint32_t targets = st_gltf_member(d, token, "targets", JSON_ARRAY), count = st_json_count(&d->json, targets);
    stele_morph *morphs = count ? st_arena_array(d->arena, count, sizeof *morphs) : NULL;
    p->morphs = morphs;
    for (uint32_t t = st_json_first(&d->json, targets); morphs && t != JSON_ABSENT; t = st_json_next(&d->json, targets, t)) {
        if (st_json_kind(&d->json, t) != JSON_OBJECT)
            st_gltf_report(d, DIAG_BAD_FIELD, t, "is not an object");
        read_morph(d, t, p->vertex_count, &morphs[p->morph_count++]);
    }
}

/* ---- Primitives ---- */

static bool has(const stele_primitive *p, stele_semantic semantic, uint32_t set)
{
    return stele_primitive_view(p, semantic, set);
}

/* Joints without weights, or the reverse. */
static void check_pairs(gltf_doc *d, uint32_t attributes, const stele_primitive *p)
{
    for (size_t i = 0; i < p->attribute_count; i++) {
        const stele_attribute *a = &p->attributes[i];
        if ((a->semantic == STELE_JOINTS && !has(p, STELE_WEIGHTS, a->set)) ||
            (a->semantic == STELE_WEIGHTS && !has(p, STELE_JOINTS, a->set)))
            st_gltf_report(d, DIAG_ATTRIBUTE_MISSING, attributes, "has %s_%u without the other half of the pair",
                           a->semantic == STELE_JOINTS ? "JOINTS" : "WEIGHTS", a->set);
    }
}

/* Zeros that need no bytes stand for texture coordinates that are not there, where a material asks for them. */
static bool only_asked_for(const gltf_doc *d, const attribute_rule *rule, uint32_t accessor)
{
    const gltf_accessor *a = &d->accessors[accessor];
    return rule->semantic == STELE_UV && a->usable && a->buffer_view == STELE_NONE && !a->sparse.indices.count;
}

static void read_attribute(gltf_doc *d, uint32_t key, stele_primitive *p, stele_attribute *attributes)
{
    uint32_t value = json_value_of(key), set;
    arena_mark mark = st_arena_mark(d->arena);
    const attribute_rule *rule = find_rule(st_json_string(&d->json, d->arena, key, NULL), &set);
    st_arena_rewind(d->arena, mark);
    uint32_t accessor = st_gltf_reference(d, value, GLTF_ACCESSORS);
    if (!rule) {
        st_gltf_lose(d, REST_ATTRIBUTE, key);
        return;
    }
    if (accessor == STELE_NONE || only_asked_for(d, rule, accessor))
        return;
    stele_view view = take_attribute(d, value, accessor, rule, 0);
    bool counted = d->accessors[accessor].usable;
    if (rule->semantic == STELE_POSITION || !p->attribute_count)
        p->vertex_count = d->accessors[accessor].view.count;
    if (counted && d->accessors[accessor].view.count != p->vertex_count)
        st_gltf_report(d, DIAG_ATTRIBUTE_COUNT, value, "has %llu rows, where other attributes have %llu",
                       (unsigned long long)d->accessors[accessor].view.count, (unsigned long long)p->vertex_count);
    attributes[p->attribute_count++] = (stele_attribute){rule->semantic, set, view};
}

static void read_attributes(gltf_doc *d, uint32_t token, stele_primitive *p)
{
    uint32_t list = st_gltf_member(d, token, "attributes", JSON_OBJECT);
    stele_attribute *attributes = st_arena_array(d->arena, st_json_count(&d->json, list), sizeof *attributes);
    uint32_t position = st_json_member(&d->json, list, "POSITION");
    p->attributes = attributes;
    if (!attributes)
        return;
    if (list == JSON_ABSENT)
        st_gltf_report(d, DIAG_ATTRIBUTE_MISSING, token, "has no attributes");
    if (position != JSON_ABSENT)
        read_attribute(d, position - 1, p, attributes); /* first: the others are compared with it */
    for (uint32_t key = st_json_first(&d->json, list); key != JSON_ABSENT; key = st_json_next(&d->json, list, key))
        if (json_value_of(key) != position)
            read_attribute(d, key, p, attributes);
    check_pairs(d, list, p);
}

static void read_primitive(gltf_doc *d, uint32_t token, stele_primitive *p)
{
    p->material = st_gltf_index(d, token, "material", GLTF_MATERIALS);
    read_attributes(d, token, p);
    if (d->arena->failed)
        return;
    read_indices(d, token, p);
    read_morphs(d, token, p);
    p->properties = st_gltf_extras(d, token, JSON_ABSENT);
}

/* ---- Meshes ---- */

/* Names of morphs are in the extras by a custom that Blender and three.js share. */
static void name_morphs(gltf_doc *d, uint32_t names, stele_mesh *m)
{
    uint32_t name = st_json_first(&d->json, names);
    size_t count = m->primitive_count ? m->primitives[0].morph_count : 0;
    for (size_t i = 0; i < count && name != JSON_ABSENT; i++, name = st_json_next(&d->json, names, name)) {
        const char *text = NULL;
        if (st_json_kind(&d->json, name) == JSON_STRING)
            text = st_json_string(&d->json, d->arena, name, NULL);
        for (size_t k = 0; k < m->primitive_count; k++)
            if (i < m->primitives[k].morph_count)
                ((stele_morph *)m->primitives[k].morphs)[i].name = text;
    }
}

const float *st_gltf_weights(gltf_doc *d, uint32_t token, const stele_mesh *m)
{
    uint32_t count = m->primitive_count ? (uint32_t)m->primitives[0].morph_count : 0;
    uint32_t list = st_gltf_member(d, token, "weights", JSON_ARRAY);
    float *weights = list == JSON_ABSENT || !count ? NULL : st_arena_array(d->arena, count, sizeof *weights);
    if (list != JSON_ABSENT && st_json_count(&d->json, list) != count)
        st_gltf_report(d, DIAG_ATTRIBUTE_COUNT, list, "has %u weights for %u morphs", st_json_count(&d->json, list), count);
    else if (weights)
        st_gltf_floats(d, token, "weights", weights, count);
    return weights;
}

/* Without positions a primitive is allowed, and means nothing. */
static bool means_nothing(const gltf_doc *d, uint32_t primitive)
{
    uint32_t attributes = st_json_member(&d->json, primitive, "attributes");
    return st_json_kind(&d->json, attributes) == JSON_OBJECT && st_json_member(&d->json, attributes, "POSITION") == JSON_ABSENT;
}

uint32_t st_gltf_next_primitive(const gltf_doc *d, uint32_t mesh, uint32_t before)
{
    const json *j = &d->json;
    uint32_t list = st_json_member(j, gltf_item(d, GLTF_MESHES, mesh), "primitives");
    uint32_t token = before == JSON_ABSENT ? st_json_first(j, list) : st_json_next(j, list, before);
    while (token != JSON_ABSENT && means_nothing(d, token))
        token = st_json_next(j, list, token);
    return token;
}

static void read_mesh(gltf_doc *d, uint32_t token, stele_mesh *m)
{
    uint32_t list = st_gltf_member(d, token, "primitives", JSON_ARRAY);
    stele_primitive *primitives = st_arena_array(d->arena, st_json_count(&d->json, list), sizeof *primitives);
    uint32_t names = st_gltf_extra(d, token, "targetNames", JSON_ARRAY);
    m->name = st_gltf_text(d, token, "name");
    m->primitives = primitives;
    if (!primitives)
        return;
    if (!st_json_count(&d->json, list))
        st_gltf_report(d, DIAG_BAD_FIELD, token, "has no \"primitives\", which are required");
    for (uint32_t i = st_json_first(&d->json, list); i != JSON_ABSENT; i = st_json_next(&d->json, list, i)) {
        stele_primitive *p = &primitives[m->primitive_count];
        if (st_json_kind(&d->json, i) != JSON_OBJECT)
            st_gltf_report(d, DIAG_BAD_FIELD, i, "is not an object");
        if (means_nothing(d, i)) {
            st_gltf_lose(d, REST_PRIMITIVE, i);
            continue;
        }
        m->primitive_count++;
        read_primitive(d, i, p);
        if (d->arena->failed)
            return;
        if (p->morph_count != primitives[0].morph_count)
            st_gltf_report(d, DIAG_ATTRIBUTE_COUNT, i, "has %zu morphs, where the first primitive has %zu", p->morph_count,
                           primitives[0].morph_count);
    }
    m->weights = st_gltf_weights(d, token, m);
    name_morphs(d, names, m);
    m->properties = st_gltf_extras(d, token, names);
}

void st_gltf_read_meshes(gltf_doc *d)
{
    uint32_t count = d->lists[GLTF_MESHES].count;
    stele_mesh *meshes = st_model_room(d->arena, count, sizeof *meshes);
    d->model.meshes = meshes;
    for (uint32_t i = 0; meshes && i < count && !d->arena->failed; i++)
        read_mesh(d, gltf_item(d, GLTF_MESHES, i), &meshes[d->model.mesh_count++]);
}
