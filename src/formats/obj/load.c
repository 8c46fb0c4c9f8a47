/* From OBJ to the model: objects and groups become meshes, materials split them into primitives, and each combination of
 * position, texture coordinate and normal becomes a vertex. */
#include <string.h>

#include "base/bytes.h"
#include "raw.h"

/* A run of corners of one topology and material, in one mesh. */
typedef struct segment {
    uint64_t first, count;
    uint32_t next; /* segment of the same primitive, or NO_INDEX */
} segment;

typedef struct part {
    stele_topology topology;
    uint32_t material;
    uint32_t first, last; /* segments */
    uint64_t corners;
} part;

typedef struct group {
    text name, object; /* that it is in, or none */
    bool by_group;     /* begun by g, not by o */
    size_t first_part, part_count;
} group;

/* A vertex in the making, in a tree of those with the same position: at each level one more bit of a number that is different
 * for different pairs decides, so that no file can make it deeper than 64. */
typedef struct vertex {
    uint32_t v, vt, vn, below[2];
} vertex;

typedef struct builder {
    context *c;
    arena *arena;
    const obj_content *content;
    obj_materials materials;
    segment *segments;
    part *parts;
    group *groups;
    size_t segment_count, part_count, group_count;
    uint32_t primitive_count; /* that are made */
    uint32_t *newest_part;    /* of a material and topology: its number and 1 */
    uint32_t *first_vertex;   /* of a position: a vertex and 1, or 0 */
    vertex *vertices;         /* room for those of any part */
    clipping clipping;
    uint64_t cut_badly;
    bool failed;
} builder;

static void *take(builder *b, uint64_t count, size_t size)
{
    void *memory = st_arena_array(b->arena, count, size);
    b->failed |= !memory;
    return memory;
}

static void *take_bytes(builder *b, uint64_t size)
{
    void *memory = st_arena_bytes(b->arena, size);
    b->failed |= !memory;
    return memory;
}

/* ---- Which corners belong together ---- */

/* A mesh by the statement that names it, in the object of the last o. */
static void begin_group(builder *b, const obj_event *e, text *object)
{
    if (e->kind == EVENT_OBJECT)
        *object = e->name;
    b->groups[b->group_count++] = (group){e->name, *object, e->kind == EVENT_GROUP, b->part_count, 0};
}

static void add_segment(builder *b, stele_topology topology, uint32_t material, uint64_t first, uint64_t end)
{
    group *g = &b->groups[b->group_count - 1];
    uint32_t index = (uint32_t)b->segment_count;
    if (first == end)
        return;
    b->segments[b->segment_count++] = (segment){first, end - first, NO_INDEX};
    uint32_t *newest = &b->newest_part[3 * (uint64_t)(material + 1) + topology];
    if (*newest > g->first_part) {
        part *p = &b->parts[*newest - 1];
        b->segments[p->last].next = index;
        p->last = index;
        p->corners += end - first;
        return;
    }
    b->parts[b->part_count++] = (part){topology, material, index, index, end - first};
    *newest = (uint32_t)b->part_count;
    g->part_count++;
}

/* Materials that are used in the order of the file. */
static bool use_materials(builder *b, uint32_t *materials)
{
    const obj_content *o = b->content;
    for (size_t i = 0; i < o->event_count && !b->failed; i++)
        if (o->events[i].kind == EVENT_MATERIAL)
            materials[i] = st_obj_material(b->c, &b->materials, o->events[i].name);
    b->failed |= b->materials.failed;
    b->newest_part = take(b, 3 * ((uint64_t)b->c->load->model->material_count + 1), sizeof *b->newest_part);
    return !b->failed;
}

/* Objects and groups both begin a mesh; a group's name is the closer one. A group that is named again goes on. */
static void sort_corners(builder *b)
{
    const obj_content *o = b->content;
    uint64_t most = (uint64_t)o->event_count + 1, at = 0;
    uint32_t *materials = take(b, most, sizeof *materials), material = STELE_NONE;
    stele_topology topology = STELE_TRIANGLES;
    text object = {0};
    b->segments = take(b, most, sizeof *b->segments);
    b->parts = take(b, most, sizeof *b->parts);
    b->groups = take(b, most, sizeof *b->groups);
    if (b->failed || most >= NO_INDEX || !use_materials(b, materials))
        return;
    begin_group(b, &(obj_event){.kind = EVENT_OBJECT}, &object);
    for (size_t i = 0; i < o->event_count; i++) {
        const obj_event *e = &o->events[i];
        add_segment(b, topology, material, at, e->corner);
        at = e->corner;
        if (e->kind == EVENT_TOPOLOGY)
            topology = e->topology;
        else if (e->kind == EVENT_MATERIAL)
            material = materials[i];
        else if (e->kind != EVENT_LIBRARY) {
            const group *g = &b->groups[b->group_count - 1];
            text kept = e->name.size ? e->name : g->name;
            bool empty = !g->part_count;
            if (!empty && e->kind == EVENT_GROUP && st_obj_same_name(g->name, e->name))
                continue;
            b->group_count -= empty;
            begin_group(b, e, &object);
            if (empty)
                b->groups[b->group_count - 1].name = kept;
        }
    }
    add_segment(b, topology, material, at, o->corner_count);
}

/* ---- One primitive ---- */

typedef struct survey {
    uint64_t indices;
    uint32_t least, most; /* positions */
    bool uvs, normals;    /* some corners have them */
    bool no_uvs, no_normals;
    bool colors, no_colors;
    bool alike;       /* the three numbers of every corner are the same */
    uint32_t longest; /* face */
} survey;

static uint64_t indices_of(stele_topology topology, uint64_t corners)
{
    switch (topology) {
    case STELE_TRIANGLES: return corners < 3 ? 0 : 3 * (corners - 2);
    case STELE_LINES: return corners < 2 ? 0 : 2 * (corners - 1);
    default: return corners;
    }
}

static bool has_color(const obj_content *o, uint32_t v)
{
    return o->colored && load_u32(o->colors + 12 * (uint64_t)v) != UINT32_MAX;
}

static survey survey_part(const builder *b, const part *p)
{
    survey s = {.least = NO_INDEX, .alike = true};
    for (uint32_t i = p->first; i != NO_INDEX; i = b->segments[i].next) {
        const obj_corner *c = b->content->corners + b->segments[i].first, *end = c + b->segments[i].count;
        for (uint32_t in_face = 0; c < end; c++) {
            uint32_t v = c->v, vn = corner_vn(c);
            s.least = v < s.least ? v : s.least;
            s.most = v > s.most ? v : s.most;
            s.uvs |= c->vt != NO_INDEX;
            s.no_uvs |= c->vt == NO_INDEX;
            s.normals |= vn != NO_INDEX;
            s.no_normals |= vn == NO_INDEX;
            s.colors |= has_color(b->content, v);
            s.no_colors |= !has_color(b->content, v);
            s.alike &= (c->vt == v || c->vt == NO_INDEX) && (vn == v || vn == NO_INDEX);
            in_face++;
            if (c->vn & LAST_CORNER) {
                s.indices += indices_of(p->topology, in_face);
                s.longest = in_face > s.longest ? in_face : s.longest;
                in_face = 0;
            }
        }
    }
    return s;
}

/* Vertices by their corners, in the order of their first use. */
static inline uint32_t vertex_of(builder *b, uint32_t *count, const obj_corner *c)
{
    uint32_t vn = corner_vn(c), *link = &b->first_vertex[c->v];
    vertex *vertices = b->vertices;
    uint64_t bits = ((uint64_t)c->vt << 32 | vn) * 0x9e3779b97f4a7c15u;
    for (; *link; bits <<= 1) {
        vertex *found = &vertices[*link - 1];
        if (found->vt == c->vt && found->vn == vn)
            return *link - 1;
        link = &found->below[bits >> 63];
    }
    vertices[*count] = (vertex){c->v, c->vt, vn, {0, 0}};
    *link = ++*count;
    return *count - 1;
}

typedef struct index_writer {
    uint8_t *at;
    bool wide;
    byte_range *each; /* the texts that they were made of, or NULL */
    const obj_content *content;
} index_writer;

static inline void put_index(index_writer *w, uint32_t index, const obj_corner *corner)
{
    store_uint(w->at, index, w->wide ? 4 : 2);
    w->at += w->wide ? 4 : 2;
    if (w->each)
        *w->each++ = w->content->corner_texts[corner - w->content->corners];
}

/* The corners of a face as indices; numbers has the vertex of each corner, and room for five times as many behind them. */
static void put_face(builder *b, const part *p, const obj_corner *corners, uint32_t *numbers, uint32_t count, index_writer *w)
{
    if (p->topology == STELE_POINTS) {
        for (uint32_t i = 0; i < count; i++)
            put_index(w, numbers[i], &corners[i]);
    } else if (p->topology == STELE_LINES) {
        for (uint32_t i = 0; i + 1 < count; i++) {
            put_index(w, numbers[i], &corners[i]);
            put_index(w, numbers[i + 1], &corners[i + 1]);
        }
    } else if (count == 3) {
        for (int i = 0; i < 3; i++)
            put_index(w, numbers[i], &corners[i]);
    } else if (count > 3) {
        uint32_t *scratch = numbers + count, (*triangles)[3] = (uint32_t(*)[3])(scratch + 2 * (uint64_t)count);
        b->cut_badly += !st_obj_triangulate(b->content->positions, corners, count, scratch, &b->clipping, triangles);
        b->failed |= b->clipping.refused;
        for (uint32_t i = 0; i < count - 2; i++)
            for (int k = 0; k < 3; k++)
                put_index(w, numbers[triangles[i][k]], &corners[triangles[i][k]]);
    }
}

/* Indices of all faces: of vertices that are made for them. */
static void put_faces(builder *b, const part *p, const survey *s, uint32_t *vertex_count, index_writer w)
{
    arena_mark mark = st_arena_mark(b->arena);
    uint32_t *numbers = take_bytes(b, 6 * (uint64_t)s->longest * sizeof *numbers);
    for (uint32_t i = p->first; numbers && i != NO_INDEX; i = b->segments[i].next) {
        const obj_corner *c = b->content->corners + b->segments[i].first, *end = c + b->segments[i].count, *face = c;
        for (; c < end; c++) {
            numbers[c - face] = vertex_of(b, vertex_count, c);
            if (c->vn & LAST_CORNER) {
                put_face(b, p, face, numbers, (uint32_t)(c + 1 - face), &w);
                face = c + 1;
            }
        }
    }
    st_arena_rewind(b->arena, mark);
}

static bool uses_all(builder *b, const part *p, const survey *s)
{
    arena_mark mark = st_arena_mark(b->arena);
    uint64_t range = (uint64_t)s->most - s->least + 1, used = 0;
    uint8_t *seen = take(b, range, 1);
    for (uint32_t i = p->first; seen && i != NO_INDEX; i = b->segments[i].next) {
        const obj_corner *c = b->content->corners + b->segments[i].first, *end = c + b->segments[i].count;
        for (; c < end; c++) {
            used += !seen[c->v - s->least];
            seen[c->v - s->least] = 1;
        }
    }
    st_arena_rewind(b->arena, mark);
    return used == range;
}

/* Indices of all faces, where the positions of the file are the vertices, from least on. */
static void put_direct(builder *b, const part *p, const survey *s, index_writer w)
{
    arena_mark mark = st_arena_mark(b->arena);
    uint32_t *numbers = take_bytes(b, 6 * (uint64_t)s->longest * sizeof *numbers);
    bool triangles = p->topology == STELE_TRIANGLES && s->indices == p->corners && s->longest == 3;
    for (uint32_t i = p->first; !b->failed && i != NO_INDEX; i = b->segments[i].next) {
        const obj_corner *c = b->content->corners + b->segments[i].first, *end = c + b->segments[i].count, *face = c;
        for (; c < end; c++) {
            if (triangles) {
                put_index(&w, c->v - s->least, c);
                continue;
            }
            numbers[c - face] = c->v - s->least;
            if (c->vn & LAST_CORNER) {
                put_face(b, p, face, numbers, (uint32_t)(c + 1 - face), &w);
                face = c + 1;
            }
        }
    }
    st_arena_rewind(b->arena, mark);
}

static stele_view slice(const uint8_t *data, uint64_t first, uint64_t count, uint32_t components)
{
    return st_view_f32(data + 4 * components * first, count, 4 * components, components);
}

/* Rows of a table of the file, one for each vertex; NO_INDEX gives zeros. */
static stele_view gathered(builder *b, const uint8_t *data, const vertex *vertices, uint32_t count, size_t member,
                           uint32_t components)
{
    uint8_t *out;
    stele_view view = st_view_make(b->arena, count, STELE_F32, components, &out);
    byte_range *each = st_made_of_each(b->c, &view);
    b->failed |= !out;
    for (uint32_t i = 0; out && i < count; i++) {
        uint32_t index;
        memcpy(&index, (const char *)&vertices[i] + member, sizeof index);
        if (index == NO_INDEX)
            continue;
        const uint8_t *from = data + (uint64_t)index * view.stride;
        memcpy(out + (uint64_t)i * view.stride, from, view.stride);
        if (each)
            each[i] = (byte_range){from, view.stride};
    }
    return view;
}

/* Vertices without a colour among others with one are white. */
static stele_view whitened(builder *b, stele_view colors)
{
    uint8_t *out;
    stele_view white = st_view_make(b->arena, colors.count, STELE_F32, 3, &out);
    b->failed |= !out;
    for (uint64_t i = 0; out && i < colors.count; i++)
        for (uint64_t k = 0; k < 3; k++) {
            uint32_t bits = load_u32(st_view_at(&colors, i) + 4 * k);
            store_f32(out + 12 * i + 4 * k, 1);
            if (bits != UINT32_MAX)
                store_uint(out + 12 * i + 4 * k, bits, 4);
        }
    st_made_of(b->c, &white, &colors);
    return white;
}

static void add_colors(builder *b, const survey *s, stele_view colors, stele_primitive *p)
{
    primitive_add(p, STELE_COLOR, 0, s->no_colors ? whitened(b, colors) : colors);
}

static void add_direct(builder *b, const survey *s, stele_primitive *p)
{
    const obj_content *o = b->content;
    uint64_t count = (uint64_t)s->most - s->least + 1;
    primitive_add(p, STELE_POSITION, 0, slice(o->positions, s->least, count, 3));
    if (s->normals)
        primitive_add(p, STELE_NORMAL, 0, slice(o->normals, s->least, count, 3));
    if (s->uvs)
        primitive_add(p, STELE_UV, 0, slice(o->uvs, s->least, count, 2));
    if (s->colors)
        add_colors(b, s, slice(o->colors, s->least, count, 3), p);
}

static void add_gathered(builder *b, const survey *s, const vertex *vertices, uint32_t count, stele_primitive *p)
{
    const obj_content *o = b->content;
    primitive_add(p, STELE_POSITION, 0, gathered(b, o->positions, vertices, count, offsetof(vertex, v), 3));
    if (s->normals)
        primitive_add(p, STELE_NORMAL, 0, gathered(b, o->normals, vertices, count, offsetof(vertex, vn), 3));
    if (s->uvs)
        primitive_add(p, STELE_UV, 0, gathered(b, o->uvs, vertices, count, offsetof(vertex, vt), 2));
    if (s->colors)
        add_colors(b, s, gathered(b, o->colors, vertices, count, offsetof(vertex, v), 3), p);
}

static bool make_room(builder *b)
{
    uint64_t most = 0;
    if (b->vertices)
        return true;
    for (size_t i = 0; i < b->part_count; i++)
        most = b->parts[i].corners > most ? b->parts[i].corners : most;
    b->vertices = take_bytes(b, most * sizeof *b->vertices);
    b->first_vertex = take(b, b->content->position_count, sizeof *b->first_vertex);
    return !b->failed;
}

static void build_gathered(builder *b, const part *p, const survey *s, index_writer w, stele_primitive *result)
{
    uint32_t count = 0;
    if (!make_room(b))
        return;
    put_faces(b, p, s, &count, w);
    for (uint32_t i = 0; i < count; i++)
        b->first_vertex[b->vertices[i].v] = 0;
    result->vertex_count = count;
    add_gathered(b, s, b->vertices, count, result);
}

/* Where the file's arrays can be taken as they are: positions, texture coordinates and normals go together, and from the first
 * position used to the last one all are used. */
static bool build_direct(builder *b, const part *p, const survey *s, index_writer w, stele_primitive *result)
{
    uint64_t range = (uint64_t)s->most - s->least + 1;
    if (!s->alike || (s->uvs && s->no_uvs) || (s->normals && s->no_normals) || range > p->corners || !uses_all(b, p, s))
        return false;
    put_direct(b, p, s, w);
    result->vertex_count = range;
    add_direct(b, s, result);
    return true;
}

enum { MOST_ATTRIBUTES = 4 };

static void build_primitive(builder *b, const part *p, stele_attribute *attributes, stele_primitive *result, const char *path)
{
    survey s = survey_part(b, p);
    bool wide = p->corners > UINT16_MAX;
    index_writer w = {.at = take_bytes(b, s.indices * (wide ? 4 : 2)), .wide = wide, .content = b->content};
    *result = (stele_primitive){.topology = p->topology, .material = p->material, .attributes = attributes};
    result->indices = st_view_indices(&(span){w.at, s.indices, 0}, wide ? STELE_U32 : STELE_U16);
    if (b->failed)
        return;
    w.each = b->content->corner_texts ? st_made_of_each(b->c, &result->indices) : NULL;
    if (!build_direct(b, p, &s, w, result) && !b->failed)
        build_gathered(b, p, &s, w, result);
    for (size_t i = 0; b->content->finite && i < result->attribute_count; i++)
        st_know(b->c->facts, &attributes[i].view, FACT_FINITE);
    for (size_t i = 0; !b->failed && i < result->attribute_count; i++)
        attributes[i].view = st_repair_attribute(b->c, result, &attributes[i], at_path(path, 1));
}

/* ---- Meshes ---- */

/* It begins with the first corner of its first face. */
static void note_primitive(builder *b, const part *p, const char *path)
{
    const byte_range *texts = b->content->corner_texts;
    if (texts)
        st_part_at(b->c, STELE_PART_PRIMITIVE, b->primitive_count,
                   at_offset(st_check_offset(b->c, texts[b->segments[p->first].first].at), 1, path));
    b->primitive_count++;
}

static void build_mesh(builder *b, const group *g)
{
    stele_model *model = b->c->load->model;
    stele_primitive *primitives = take(b, g->part_count, sizeof *primitives);
    stele_attribute(*attributes)[MOST_ATTRIBUTES] = take(b, g->part_count, sizeof *attributes);
    char path[WALK_PATH];
    for (size_t i = 0; i < g->part_count && !b->failed; i++) {
        const part *p = &b->parts[g->first_part + i];
        build_primitive(b, p, attributes[i], &primitives[i], st_path(path, "mesh[%zu].primitive[%zu]", model->mesh_count, i));
        note_primitive(b, p, path);
    }
    if (b->failed)
        return;
    stele_mesh mesh = {.name = g->name.size ? st_text_string(b->arena, &g->name) : NULL,
                       .primitives = primitives,
                       .primitive_count = g->part_count};
    if (g->by_group)
        st_property_text(&mesh.properties, b->arena, "obj.group", st_text_string(b->arena, &g->object));
    stele_node node = stele_default_node();
    node.name = mesh.name;
    node.mesh = st_model_add_mesh(model, b->arena, &mesh);
    b->failed |= node.mesh == STELE_NONE || st_model_add_node(model, b->arena, &node) == STELE_NONE;
}

static void report(builder *b)
{
    if (b->cut_badly)
        st_diag(b->c->diags, DIAG_POLYGON_TOO_LARGE, at_path("", b->cut_badly),
                "%llu polygon%s cut as if convex: there are too many corners", (unsigned long long)b->cut_badly,
                b->cut_badly == 1 ? " was" : "s were");
    st_obj_report_undefined(b->c, &b->materials);
    uint64_t unused = b->content->corner_count ? 0 : b->content->position_count;
    if (unused)
        st_diag(b->c->diags, DIAG_NOT_CARRIED, at_path("", unused), "nothing is drawn: no face, line or point has a vertex");
}

bool st_obj_load(context *c, const raw_file *raw)
{
    const obj_file *f = (const obj_file *)raw;
    builder b = {.c = c, .arena = c->arena, .content = f->content, .clipping = {c->arena, MOST_COMPARISONS, false}};
    if (!f->content->sound)
        return false;
    st_obj_load_libraries(c, &b.materials, f->content);
    b.failed = b.materials.failed;
    if (!b.failed)
        sort_corners(&b);
    for (size_t i = 0; i < b.group_count && !b.failed; i++)
        if (b.groups[i].part_count)
            build_mesh(&b, &b.groups[i]);
    report(&b);
    return !b.failed;
}
