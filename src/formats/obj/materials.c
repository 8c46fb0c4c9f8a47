/* The materials that an OBJ refers to, by names: its libraries, and what none of them defines. */
#include "raw.h"

/* ---- Names and their numbers: files may have as many materials as lines ---- */

bool st_obj_same_name(text a, text b)
{
    return a.size == b.size && (!a.size || memcmp(a.data, b.data, (size_t)a.size) == 0);
}

static uint32_t hash_of(text name)
{
    return hash_end(hash_bytes(0, name.data, name.size));
}

static const obj_name *find(const obj_names *t, text name)
{
    uint32_t i;
    for (hash_probe p = hash_at(&t->table, hash_of(name)); (i = hash_next(&p)) != STELE_NONE;)
        if (st_obj_same_name(t->names[i].name, name))
            return &t->names[i];
    return NULL;
}

uint32_t st_obj_find_name(const obj_names *t, text name)
{
    const obj_name *found = find(t, name);
    return found ? found->number : STELE_NONE;
}

bool st_obj_add_name(obj_names *t, arena *a, text name, uint32_t number)
{
    if (find(t, name))
        return true;
    obj_name *names = st_arena_grown(a, t->names, t->count, &t->capacity, sizeof *names);
    if (!names)
        return false;
    t->names = names;
    t->names[t->count] = (obj_name){name, number};
    return st_hash_add(&t->table, a, hash_of(name), (uint32_t)t->count++);
}

/* ---- Libraries ---- */

/* True if there is such a file, or there was. */
static bool load_library(context *c, obj_materials *m, text name)
{
    const void *data;
    size_t size;
    const char *file = st_text_string(c->arena, &name), *path = st_companion_path(c->arena, file);
    text key = {path, strlen(path)}; /* whatever way it is spelled */
    if (st_obj_find_name(&m->libraries, name) != STELE_NONE || st_obj_find_name(&m->libraries, key) != STELE_NONE)
        return true;
    if (!*file || !st_companion_find(c->companions, file, &data, &size))
        return false;
    m->failed |= !st_obj_add_name(&m->libraries, c->arena, key, 0);
    if (strcmp(st_companion_first_name(c->companions, file), file) != 0)
        return true; /* a link to one that was read */
    m->failed |= !st_mtl_load(c, file, (text){data, size}, &m->names);
    return true;
}

static void report_library(context *c, obj_materials *m, text name)
{
    const char *file = st_text_string(c->arena, &name);
    if (!st_companion_stays(file))
        st_diag(c->diags, DIAG_NAME_LEAVES_FOLDER, st_obj_place(c, name.data, 1), "%s is not in the model's folder", file);
    else if (st_companions_any(c->companions))
        st_diag(c->diags, DIAG_COMPANION_MISSING, st_obj_place(c, name.data, 1), "%s is not beside the model", file);
    m->failed |= !st_obj_add_name(&m->libraries, c->arena, name, 0); /* once is enough */
}

static text take_name(text *names)
{
    uint64_t length = 0;
    while (length < names->size && !obj_blank(names->data[length]))
        length++;
    text name = {names->data, length};
    length += length < names->size;
    *names = (text){names->data + length, names->size - length};
    return name;
}

/* One name, which may have blanks in it, or several. */
static void load_libraries(context *c, obj_materials *m, text names)
{
    if (load_library(c, m, names))
        return;
    while (names.size && !m->failed) {
        text name = take_name(&names);
        if (name.size && !load_library(c, m, name))
            report_library(c, m, name);
    }
}

void st_obj_load_libraries(context *c, obj_materials *m, const obj_content *o)
{
    for (size_t i = 0; i < o->event_count && !m->failed; i++)
        if (o->events[i].kind == EVENT_LIBRARY)
            load_libraries(c, m, o->events[i].name);
}

/* ---- Materials ---- */

uint32_t st_obj_material(context *c, obj_materials *m, text name)
{
    uint32_t found = st_obj_find_name(&m->names, name);
    if (!name.size || found != STELE_NONE)
        return found;
    stele_material material = stele_default_material();
    material.name = st_text_string(c->arena, &name);
    found = st_model_add_material(c->load->model, c->arena, &material);
    m->failed |= found == STELE_NONE || !st_obj_add_name(&m->names, c->arena, name, found);
    if (!m->undefined++)
        m->undefined_name = name;
    return found;
}

void st_obj_report_undefined(context *c, const obj_materials *m)
{
    if (m->undefined)
        st_diag(c->diags, DIAG_MATERIAL_UNDEFINED, st_obj_place(c, m->undefined_name.data, m->undefined),
                "%s is not defined: taken as plain white", st_text_string(c->arena, &m->undefined_name));
}

/* ---- An untouched copy ---- */

/* Its libraries. */
void st_obj_bring(context *c, const raw_file *raw)
{
    const obj_file *f = (const obj_file *)raw;
    for (size_t i = 0; f->content && i < f->content->event_count; i++) {
        text names = f->content->events[i].name;
        if (f->content->events[i].kind != EVENT_LIBRARY || st_save_companion(c, st_text_string(c->arena, &names), "mtl"))
            continue;
        while (names.size) {
            text name = take_name(&names);
            st_save_companion(c, st_text_string(c->arena, &name), "mtl");
        }
    }
}
