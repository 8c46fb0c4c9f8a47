/* Where the numbers of a model came from, proven by changing the bytes: the row that is said to be made of them changes, and
 * rows that are said to be made of others do not. For every sample of every format, through the registry. */
#include "support.h"

enum { MOST_VIEWS = 4096, ROWS = 5, MOST_FILES = 16 };

/* A model's file and those beside it, in memory where they can be changed. */
typedef struct folder {
    char path[1024];
    char name[MOST_FILES][256];
    bytes content[MOST_FILES];
    size_t count;
} folder;

static bytes *file_named(folder *f, const char *name)
{
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->name[i], name) == 0)
            return &f->content[i];
    return NULL;
}

static bool look_up(void *user, const char *name, const void **data, size_t *size)
{
    folder *f = user;
    bytes *found = file_named(f, name);
    if (!found && f->count < MOST_FILES) {
        char path[2048];
        snprintf(path, sizeof path, "%s/%s", f->path, name);
        FILE *there = fopen(path, "rb");
        if (!there)
            return false;
        fclose(there);
        snprintf(f->name[f->count], sizeof f->name[0], "%s", name);
        found = &f->content[f->count++];
        *found = read_bytes(path);
    }
    if (found && data) {
        *data = found->data;
        *size = found->size;
    }
    return found;
}

static void empty(folder *f)
{
    for (size_t i = 0; i < f->count; i++)
        free(f->content[i].data);
    f->count = 0;
}

static stele_file *opened(folder *f, const bytes *content, const char *path)
{
    stele_options options = {.name = path, .lookup = look_up, .lookup_user = f, .load = {.origins = true}};
    return stele_open_memory(content->data, content->size, &options);
}

/* ---- All views of a model, in one order ---- */

typedef struct views {
    const stele_view *items[MOST_VIEWS];
    const stele_view *positions[MOST_VIEWS]; /* of indices: what they stand for, because loading may number vertices anew */
    bool drawn[MOST_VIEWS];                  /* positions and indices: what somebody clicks on */
    size_t count;
} views;

static void add(views *v, const stele_view *view, bool drawn, const stele_view *positions)
{
    if (v->count == MOST_VIEWS)
        return;
    v->positions[v->count] = positions;
    v->drawn[v->count] = drawn;
    v->items[v->count++] = view;
}

static views views_of(const stele_model *m)
{
    views v = {.count = 0};
    for (size_t i = 0; i < m->mesh_count; i++)
        for (size_t k = 0; k < m->meshes[i].primitive_count; k++) {
            const stele_primitive *p = &m->meshes[i].primitives[k];
            add(&v, &p->indices, true, stele_primitive_view(p, STELE_POSITION, 0));
            for (size_t a = 0; a < p->attribute_count; a++)
                add(&v, &p->attributes[a].view, p->attributes[a].semantic == STELE_POSITION, NULL);
            for (size_t a = 0; a < p->morph_count; a++)
                add(&v, &p->morphs[a].position, false, NULL);
        }
    for (size_t i = 0; i < m->clip_count; i++)
        for (size_t k = 0; k < m->clips[i].channel_count; k++) {
            add(&v, &m->clips[i].channels[k].times, false, NULL);
            add(&v, &m->clips[i].channels[k].values, false, NULL);
        }
    for (size_t i = 0; i < m->skin_count; i++)
        add(&v, &m->skins[i].inverse_bind, false, NULL);
    return v;
}

static void numbers_of(const views *v, size_t index, uint64_t row, double numbers[16])
{
    const stele_view *view = v->items[index];
    memset(numbers, 0, 16 * sizeof *numbers);
    if (v->positions[index]) {
        row = (uint64_t)stele_view_number(view, row, 0);
        view = v->positions[index];
    }
    for (uint32_t i = 0; i < view->components; i++)
        numbers[i] = stele_view_number(view, row, i);
}

/* ---- Changing bytes ---- */

static bool is_text(const uint8_t *bytes, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++)
        if (bytes[i] < ' ' || bytes[i] > '~')
            return false;
    return size > 0;
}

/* Changes a little in the bytes, and returns where: the first digit of a line or corner, the middle one of base64, a bit of a
 * number that no rounding hides. */
static uint64_t change(uint8_t *bytes, uint64_t size, bool floats)
{
    uint64_t at = 0;
    if (is_text(bytes, size)) {
        bool encoded = !memchr(bytes, ' ', size) && !memchr(bytes, '/', size) && size > 8;
        while (!encoded && at + 1 < size && (bytes[at] < '0' || bytes[at] > '9'))
            at++;
        at = encoded ? size / 2 : at;
        bytes[at] = bytes[at] == '1' ? '2' : '1';
        return at;
    }
    at = !floats || size < 4 ? 0 : bytes[3] ? 1 : 3; /* a 0 becomes an eighth */
    bytes[at] ^= at == 3 ? 0x3e : 1;
    return at;
}

typedef struct score {
    uint64_t asked, known, tried, changed;
} score;

static score all;

/* Whether two origins share the byte that was changed. */
static bool has_byte(const stele_origin *o, const char *file, uint64_t at)
{
    bool same = (!o->file && !file) || (o->file && file && strcmp(o->file, file) == 0);
    return same && at >= o->offset && at - o->offset < o->size;
}

/* Rows of the same view that were made of other bytes stay as they are. */
static void expect_others_same(const char *path, stele_file *file, const views *before, const views *after, size_t index,
                               const char *in, uint64_t at)
{
    const stele_view *view = before->items[index];
    for (int i = 0; i < ROWS; i++) {
        stele_origin o;
        double x[16], y[16];
        uint64_t row = (uint64_t)i * (view->count - 1) / (ROWS - 1);
        if (!stele_row_origin(file, view, row, &o) || has_byte(&o, in, at))
            continue;
        numbers_of(before, index, row, x);
        numbers_of(after, index, row, y);
        if (memcmp(x, y, sizeof x) != 0)
            fail_msg("%s: row %llu was made of other bytes (0x%llx, %llu) than 0x%llx, and changes with it", path,
                     (unsigned long long)row, (unsigned long long)o.offset, (unsigned long long)o.size, (unsigned long long)at);
    }
}

static void try_row(folder *f, const bytes *content, const char *path, stele_file *file, const views *v, size_t index,
                    uint64_t row)
{
    const stele_view *view = v->items[index];
    stele_origin o;
    double before[16], after[16];
    bool floats = view->type == STELE_F32;
    all.asked++;
    if (!stele_row_origin(file, view, row, &o)) {
        if (v->drawn[index] && view->count)
            fail_msg("%s: nobody knows where row %llu of view %zu came from", path, (unsigned long long)row, index);
        return;
    }
    all.known++;
    if (o.unpacked)
        return; /* no byte of the file is one of these */
    char in[256] = "";
    if (o.file)
        snprintf(in, sizeof in, "%s", o.file);
    bytes copy = copy_bytes(content->data, content->size);
    bytes *target = o.file ? file_named(f, in) : &copy;
    assert_non_null(target);
    assert_true(o.offset + o.size <= target->size);
    uint8_t *saved = malloc(o.size);
    assert_non_null(saved);
    memcpy(saved, target->data + o.offset, o.size);
    numbers_of(v, index, row, before);
    stele_view first = *view;
    uint64_t at = o.offset + change(target->data + o.offset, o.size, floats);
    if (o.file)
        memcpy(target->data + o.offset, saved, o.size); /* the first handle still looks at it */
    stele_file *other;
    folder changed = *f;
    if (o.file) {
        bytes *inside = file_named(&changed, in);
        *inside = copy_bytes(target->data, target->size);
        change(inside->data + o.offset, o.size, floats);
    }
    other = opened(&changed, &copy, path);
    const stele_model *model = stele_file_model(other);
    views w = model ? views_of(model) : (views){.count = 0};
    if (w.count == v->count && w.items[index]->count == first.count && w.items[index]->type == first.type) {
        numbers_of(&w, index, row, after);
        all.tried++;
        all.changed += memcmp(before, after, sizeof before) != 0;
        if (first.count >= ROWS)
            expect_others_same(path, file, v, &w, index, o.file ? in : NULL, at);
    }
    stele_close(other);
    if (o.file)
        free(file_named(&changed, in)->data);
    free(saved);
    free(copy.data);
}

static void try_file(const char *path, const bytes *content)
{
    folder f = {.count = 0};
    snprintf(f.path, sizeof f.path, "%.*s", (int)(strrchr(path, '/') - path), path);
    stele_file *file = opened(&f, content, path);
    const stele_model *model = stele_file_model(file);
    assert_non_null(model);
    views v = views_of(model);
    for (size_t i = 0; i < v.count; i++)
        for (int k = 0; k < 2 && v.items[i]->count; k++)
            try_row(&f, content, path, file, &v, i, k ? v.items[i]->count - 1 : v.items[i]->count / 2);
    stele_close(file);
    empty(&f);
}

static void rows_come_from_their_bytes(void **state)
{
    char samples[1024];
    (void)state;
    snprintf(samples, sizeof samples, "%s/samples/dialects", project_folder());
    assert_true(for_each_file(samples, try_file) >= 14);
    print_message("# origins: of %llu rows %llu known, of %llu changed bytes %llu seen\n", (unsigned long long)all.asked,
                  (unsigned long long)all.known, (unsigned long long)all.tried, (unsigned long long)all.changed);
    assert_true(all.known * 100 >= all.asked * 95);
    /* a number may change nothing: the weight of a joint that is left out, a colour behind a position, what a tangent has along
     * its normal */
    assert_true(all.changed * 100 >= all.tried * 94);
}

/* ---- Parts ---- */

typedef struct sought_part {
    const stele_origin *origin;
    bool found;
} sought_part;

/* The part begins with this field, or is a row of it. */
static bool compare_field(void *user, const stele_field *field)
{
    sought_part *s = user;
    const char *longer = field->array ? s->origin->path : field->path, *shorter = field->array ? field->path : s->origin->path;
    bool there = s->origin->offset >= field->offset && s->origin->offset - field->offset < (field->array ? field->size : 1);
    s->found |= there && *shorter && strncmp(longer, shorter, strlen(shorter)) == 0;
    return !s->found;
}

/* The path and offset are those of explain; in a JSON document an object begins there. */
static void expect_field(const char *path, stele_file *file, const bytes *content, const stele_origin *o)
{
    sought_part s = {o, false};
    if (strstr(path, ".gl")) {
        assert_int_equal(content->data[o->offset], '{');
        return;
    }
    if (strstr(path, ".obj")) { /* the first corner, after the word: the whole text is one field */
        assert_int_equal(content->data[o->offset - 1], ' ');
        assert_non_null(strchr("-0123456789", content->data[o->offset]));
        return;
    }
    stele_file_explain(file, compare_field, &s);
    if (!s.found)
        fail_msg("%s: explain has no field %s at 0x%llx", path, o->path, (unsigned long long)o->offset);
}

static uint64_t parts_known[STELE_PART_CLIP + 1];

static void try_parts(const char *path, const bytes *content)
{
    folder f = {.count = 0};
    snprintf(f.path, sizeof f.path, "%.*s", (int)(strrchr(path, '/') - path), path);
    stele_file *file = opened(&f, content, path);
    const stele_model *m = stele_file_model(file);
    size_t primitives = 0;
    for (size_t i = 0; i < m->mesh_count; i++)
        primitives += m->meshes[i].primitive_count;
    const size_t counts[] = {[STELE_PART_NODE] = m->node_count,
                             [STELE_PART_PRIMITIVE] = primitives,
                             [STELE_PART_MATERIAL] = m->material_count,
                             [STELE_PART_TEXTURE] = m->texture_count,
                             [STELE_PART_CLIP] = m->clip_count};
    for (int part = 0; part <= STELE_PART_CLIP; part++)
        for (uint32_t i = 0; i < counts[part]; i++) {
            stele_origin o;
            if (!stele_part_origin(file, (stele_part)part, i, &o))
                continue;
            parts_known[part]++;
            if (!o.file)
                expect_field(path, file, content, &o);
        }
    stele_origin none;
    assert_false(stele_part_origin(file, STELE_PART_NODE, (uint32_t)m->node_count, &none));
    stele_close(file);
    empty(&f);
}

static void parts_are_where_explain_says(void **state)
{
    char samples[1024];
    (void)state;
    snprintf(samples, sizeof samples, "%s/samples/dialects", project_folder());
    assert_true(for_each_file(samples, try_parts) >= 14);
    for (int part = 0; part <= STELE_PART_CLIP; part++)
        assert_true(parts_known[part] > 10);
}

/* The .mtl says what is painted: the offsets are of names in its text. */
static void materials_of_an_obj_are_in_its_library(void **state)
{
    char path[1024];
    stele_origin o;
    (void)state;
    snprintf(path, sizeof path, "%s/samples/dialects/plain.obj", project_folder());
    stele_file *file = stele_open(path, &(stele_options){.load = {.origins = true}});
    const stele_model *m = stele_file_model(file);
    snprintf(path, sizeof path, "%s/samples/dialects/plain.mtl", project_folder());
    bytes text = read_bytes(path);
    assert_true(m->material_count > 1 && m->texture_count > 1);
    for (uint32_t i = 0; i < m->material_count; i++) {
        assert_true(stele_part_origin(file, STELE_PART_MATERIAL, i, &o));
        assert_string_equal(o.file, "plain.mtl");
        assert_memory_equal(text.data + o.offset - 7, "newmtl ", 7);
        assert_memory_equal(text.data + o.offset, m->materials[i].name, strlen(m->materials[i].name));
    }
    for (uint32_t i = 0; i < m->texture_count; i++) {
        assert_true(stele_part_origin(file, STELE_PART_TEXTURE, i, &o));
        assert_memory_equal(text.data + o.offset, m->textures[i].name, strlen(m->textures[i].name));
    }
    free(text.data);
    stele_close(file);
}

/* Nobody asked for origins: nothing is remembered, and nothing said. */
static void only_on_request(void **state)
{
    char path[1024];
    stele_origin o;
    (void)state;
    snprintf(path, sizeof path, "%s/samples/dialects/v3.sgm", project_folder());
    stele_file *file = stele_open(path, NULL);
    const stele_model *m = stele_file_model(file);
    assert_false(stele_row_origin(file, &m->meshes[0].primitives[0].indices, 0, &o));
    assert_false(stele_part_origin(file, STELE_PART_NODE, 0, &o));
    assert_false(stele_row_origin(NULL, NULL, 0, NULL));
    stele_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_from_their_bytes), cmocka_unit_test(parts_are_where_explain_says),
        cmocka_unit_test(materials_of_an_obj_are_in_its_library), cmocka_unit_test(only_on_request)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
