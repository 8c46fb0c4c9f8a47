/* From the model to OBJ: everything in one space, at rest. The text is printed as it is written, some thousand lines at a time,
 * on as many threads as there are. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/number.h"
#include "model/flatten.h"
#include "raw.h"

typedef struct obj_output {
    flat_model flat;
    const mtl_file *materials;
    const char *library; /* NULL: there is no place for it */
    threads threads;
} obj_output;

static bool has(const flat_mesh *m, const stele_view *view)
{
    return view->count && view->count >= m->vertex_count;
}

/* ---- Lines ---- */

/* What lines of one kind are made of, and how many vertices, texture coordinates and normals there were before. */
typedef struct lines {
    const flat_mesh *mesh;
    const stele_view *uv;
    bool normals, uvs, colors;
    uint64_t v, vt, vn;
    char *(*print)(const struct lines *l, uint64_t row, char *out);
    uint64_t count;
} lines;

/* Numbers that are not finite have no place in a text. */
static inline char *put_floats(char *out, float *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = isfinite(numbers[i]) ? numbers[i] : 0;
    return st_print_row(out, numbers, count);
}

static char *print_position(const lines *l, uint64_t row, char *out)
{
    float numbers[6];
    st_flat_position(l->mesh, row, numbers);
    for (int i = 0; l->colors && i < 3; i++)
        numbers[3 + i] = load_f32(st_view_at(&l->mesh->color, row) + 4 * i);
    *out++ = 'v';
    out = put_floats(out, numbers, l->colors ? 6 : 3);
    *out++ = '\n';
    return out;
}

static char *print_uv(const lines *l, uint64_t row, char *out)
{
    const uint8_t *p = st_view_at(l->uv, row);
    float numbers[] = {load_f32(p), 1 - load_f32(p + 4)};
    memcpy(out, "vt", 2);
    out = put_floats(out + 2, numbers, 2);
    *out++ = '\n';
    return out;
}

static char *print_normal(const lines *l, uint64_t row, char *out)
{
    float numbers[3];
    st_flat_normal(l->mesh, row, numbers);
    memcpy(out, "vn", 2);
    out = put_floats(out + 2, numbers, 3);
    *out++ = '\n';
    return out;
}

static inline char *put_index(char *out, char before, uint64_t index)
{
    *out++ = before;
    return out + st_print_u32(out, (uint32_t)index);
}

/* The same digits several times, behind a blank and slashes: as a rule everything is numbered alike. */
static inline char *put_corner(char *out, uint32_t index, bool uvs, bool normals)
{
    uint64_t text;
    size_t length = number_text(index, &text);
    *out++ = ' ';
    memcpy(out, &text, sizeof text);
    out += length;
    if (uvs || normals)
        *out++ = '/';
    if (uvs) {
        memcpy(out, &text, sizeof text);
        out += length;
    }
    if (normals) {
        *out++ = '/';
        memcpy(out, &text, sizeof text);
        out += length;
    }
    return out;
}

/* How a triangle, a line and a point begin, how many corners they have, and whether these have normals. */
static const struct {
    char word;
    uint8_t corners;
    bool uvs, normals;
} elements[] = {
    [STELE_TRIANGLES] = {'f', 3, true, true}, [STELE_LINES] = {'l', 2, true, false}, [STELE_POINTS] = {'p', 1, false, false}};

static char *print_element(const lines *l, uint64_t row, char *out)
{
    const flat_mesh *m = l->mesh;
    uint64_t corners = elements[m->topology].corners;
    bool alike = (!l->uvs || l->vt == l->v) && (!l->normals || l->vn == l->v);
    *out++ = elements[m->topology].word;
    for (uint64_t i = 0; i < corners; i++) {
        uint64_t index = load_index(st_view_at(&m->indices, corners * row + i), m->indices.type) + 1;
        if (alike && l->v + index < 100000000) {
            out = put_corner(out, (uint32_t)(l->v + index), l->uvs, l->normals);
            continue;
        }
        out = put_index(out, ' ', l->v + index);
        if (l->uvs)
            out = put_index(out, '/', l->vt + index);
        else if (l->normals)
            *out++ = '/';
        if (l->normals)
            out = put_index(out, '/', l->vn + index);
    }
    *out++ = '\n';
    return out;
}

/* ---- Printing them ---- */

enum { BATCH_LINES = 2048, BATCHES = 32, LINE_ROOM = 8 + 6 * (NUMBER_CHARS + 1) };

typedef struct batch {
    const lines *lines;
    uint64_t first;
    char *text, *end;
} batch;

typedef struct printer {
    const obj_output *output;
    walk *walk;
    batch batches[BATCHES];
    uint32_t *last_nodes; /* for each material, and for none, and topology: the last node that had such a primitive, plus 1 */
    const char *object, *name; /* of the model: the last that was begun, and the last mesh */
} printer;

static void print_batch(void *context, size_t index)
{
    batch *b = &((batch *)context)[index];
    uint64_t end = b->first + BATCH_LINES < b->lines->count ? b->first + BATCH_LINES : b->lines->count;
    char *out = b->text;
    for (uint64_t row = b->first; row < end; row++)
        out = b->lines->print(b->lines, row, out);
    b->end = out;
}

static void print_lines(printer *p, const lines *l)
{
    for (uint64_t row = 0; row < l->count && walk_ok(p->walk);) {
        size_t count = 0;
        for (; count < BATCHES && row < l->count; row += BATCH_LINES, count++) {
            p->batches[count].lines = l;
            p->batches[count].first = row;
        }
        parallel_for(&p->output->threads, count, print_batch, p->batches);
        for (size_t i = 0; i < count; i++)
            st_walk_put(p->walk, p->batches[i].text, (uint64_t)(p->batches[i].end - p->batches[i].text));
    }
}

static void put_word(printer *p, const char *word, const char *name)
{
    st_walk_put(p->walk, word, strlen(word));
    st_walk_put(p->walk, name, strlen(name));
    st_walk_put(p->walk, "\n", 1);
}

/* An object, or a group of the object that it was in; but not one that would go on with the one before. */
static void print_beginning(printer *p, const flat_mesh *m, const char *name)
{
    const char *object = st_property_text_of(&p->output->flat.model->meshes[m->mesh].properties, "obj.group");
    const char *own = m->name ? m->name : "";
    if (object && *object && strcmp(object, p->object) != 0)
        put_word(p, "o ", st_obj_clean_name(p->walk->arena, p->object = object, name));
    bool grouped = object && strcmp(object, p->object) == 0 && strcmp(own, p->name) != 0;
    put_word(p, grouped ? "g " : "o ", name);
    p->object = grouped ? object : own;
    p->name = own;
}

/* One for each mesh of each node. A primitive of the material of an earlier one becomes a group, or a reader would take the two
 * as one. */
static void print_names(printer *p, const flat_mesh *m, const flat_mesh *before)
{
    const obj_output *o = p->output;
    const char *name = st_obj_clean_name(p->walk->arena, m->name, st_arena_format(p->walk->arena, "mesh_%u", m->mesh));
    bool begins = !before || before->node != m->node;
    uint64_t material = m->material == STELE_NONE ? o->flat.model->material_count : m->material;
    uint32_t *last = &p->last_nodes[3 * material + m->topology];
    bool again = *last == m->node + 1;
    *last = m->node + 1;
    if (begins)
        print_beginning(p, m, name);
    else if (again)
        put_word(p, "g ", st_arena_format(p->walk->arena, "%s_%u", name, m->primitive));
    bool changes = !before || before->material != m->material;
    if (changes && (m->material != STELE_NONE || before))
        put_word(p, m->material == STELE_NONE ? "usemtl" : "usemtl ",
                 m->material == STELE_NONE ? "" : o->materials->materials[m->material]);
}

static void print_mesh(printer *p, lines *l)
{
    const flat_mesh *m = l->mesh;
    l->uv = st_flat_uv(&p->output->flat, m);
    l->uvs = has(m, l->uv) && elements[m->topology].uvs;
    l->normals = has(m, &m->normal) && elements[m->topology].normals;
    l->colors = has(m, &m->color);
    uint64_t all = has(m, &m->position) ? m->vertex_count : 0;
    uint64_t rows[] = {all, l->uvs ? all : 0, l->normals ? all : 0, all ? m->indices.count / elements[m->topology].corners : 0};
    char *(*const prints[])(const lines *, uint64_t, char *) = {print_position, print_uv, print_normal, print_element};
    for (size_t i = 0; i < 4; i++) {
        l->print = prints[i];
        l->count = rows[i];
        print_lines(p, l);
    }
    l->v += rows[0];
    l->vt += rows[1];
    l->vn += rows[2];
}

void st_obj_print(walk *w, const obj_file *f)
{
    const obj_output *o = f->output;
    printer p = {.output = o, .walk = w, .object = "", .name = ""};
    for (size_t i = 0; i < BATCHES; i++) {
        p.batches[i].text = st_arena_bytes(w->arena, (uint64_t)BATCH_LINES * LINE_ROOM);
        if (!p.batches[i].text) {
            st_walk_fail(w, DIAG_NO_MEMORY, 0, NULL, "there is no memory to print to");
            return;
        }
    }
    p.last_nodes = st_arena_array(w->arena, 3 * ((uint64_t)o->flat.model->material_count + 1), sizeof *p.last_nodes);
    if (!p.last_nodes) {
        st_walk_fail(w, DIAG_NO_MEMORY, 0, NULL, "there is no memory to print to");
        return;
    }
    put_word(&p, "# Written by Stele", "");
    if (o->library)
        put_word(&p, "mtllib ", o->library);
    lines l = {0};
    for (size_t i = 0; i < o->flat.mesh_count; i++) {
        arena_mark mark = st_arena_mark(w->arena);
        l.mesh = &o->flat.meshes[i];
        print_names(&p, l.mesh, i ? l.mesh - 1 : NULL);
        print_mesh(&p, &l);
        st_arena_rewind(w->arena, mark);
    }
}

/* ---- Saving ---- */

const char *st_obj_clean_name(arena *a, const char *name, const char *otherwise)
{
    const char *start = name ? name : "";
    while (*start == ' ')
        start++;
    size_t length = strlen(start);
    while (length && start[length - 1] == ' ')
        length--;
    char *clean = (char *)st_arena_text(a, start, length);
    for (char *c = clean; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '_';
    /* a line that ends with it would go on */
    if (*clean && clean[strlen(clean) - 1] == '\\')
        clean[strlen(clean) - 1] = '_';
    return *clean ? clean : otherwise;
}

static uint64_t translucent_vertices(const stele_view *color)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < color->count; i++)
        count += load_f32(st_view_at(color, i) + 12) != 1;
    return count;
}

/* Names are the rest of a line. */
static uint64_t renamed_meshes(context *c, const obj_output *o)
{
    uint64_t count = 0;
    for (size_t i = 0; i < o->flat.mesh_count; i++) {
        const char *name = o->flat.meshes[i].name;
        bool begins = !i || o->flat.meshes[i - 1].node != o->flat.meshes[i].node;
        count += begins && name && *name && strcmp(st_obj_clean_name(c->arena, name, ""), name) != 0;
    }
    return count;
}

static void report_losses(context *c, const obj_output *o)
{
    uint64_t translucent = 0, renamed = renamed_meshes(c, o) + (o->materials ? o->materials->renamed : 0);
    st_lose(c, DIAG_LOSS_NAME, renamed, "", "has names of one line, and of materials each once: %llu changed",
            (unsigned long long)renamed);
    for (size_t i = 0; i < o->flat.mesh_count; i++)
        translucent += translucent_vertices(&o->flat.meshes[i].color);
    st_report_uvs(c, &o->flat);
    st_lose(c, DIAG_LOSS_VERTEX_COLOR, translucent, "", "has no alpha of vertices: %llu dropped",
            (unsigned long long)translucent);
}

static bool countable(const obj_output *o)
{
    uint64_t vertices = 0;
    for (size_t i = 0; i < o->flat.mesh_count; i++)
        vertices += o->flat.meshes[i].vertex_count;
    return vertices < UINT32_MAX;
}

bool st_obj_save(context *c, raw_file *raw)
{
    obj_file *f = (obj_file *)raw;
    obj_output *o = st_arena_alloc(c->arena, sizeof *o);
    flat_wishes wishes = {.in_place = true, .axes = st_matrix_identity(), .lines_and_points = true};
    if (!o || !st_flatten(c, &wishes, &o->flat))
        return false;
    mtl_file *materials = st_mtl_make(c);
    if (!materials)
        return false;
    if (!countable(o)) {
        st_refuse(c, at_path("", 1), "there are too many vertices");
        return false;
    }
    o->materials = materials;
    o->threads = c->threads;
    if (c->save->name && c->save->model->material_count) {
        o->library = st_arena_format(c->arena, "%s.mtl", c->save->name);
        st_save_beside(c, o->library, st_mtl_walk, materials);
    }
    report_losses(c, o);
    f->output = o;
    return c->fits;
}
