/* What saving shares: files beside the output, indices, and the names and bytes of textures. */
#include <string.h>

#include "base/image_kind.h"
#include "save.h"

void st_save_beside(context *c, const char *name, void (*walk)(walk *w, void *raw), void *raw)
{
    side_file *file = st_arena_alloc(c->arena, sizeof *file), **last = &c->save->side_files;
    if (!file || !c->save->name) {
        c->fits &= file != NULL;
        return;
    }
    if (!st_companion_can_be(name)) {
        st_diag(c->diags, DIAG_DOES_NOT_FIT, at_path("", 1),
                "%s would lie beside the output, which must be called otherwise: no file beside another has a backslash or a "
                "control character in its name",
                name);
        c->fits = false;
        return;
    }
    *file = (side_file){.name = st_companion_path(c->arena, name), .walk = walk, .raw = raw};
    while (*last)
        last = &(*last)->next;
    *last = file;
}

span st_save_indices(context *c, const stele_view *indices, uint32_t size)
{
    if (indices->stride == size && stele_type_size(indices->type) == size)
        return (span){indices->data, indices->count, size};
    uint8_t *bytes = st_need(c, indices->count, size);
    for (uint64_t i = 0; bytes && i < indices->count; i++)
        store_uint(bytes + i * size, st_view_integer(indices, i), size);
    return (span){bytes, indices->count, size};
}

/* ---- Textures ---- */

uint8_t *st_texture_uses(context *c)
{
    uint8_t *uses = st_need(c, c->save->model->texture_count, 1);
    for (size_t i = 0; uses && i < c->save->model->material_count; i++)
        for (int role = 0; role < STELE_ROLE_COUNT; role++) {
            uint32_t texture = c->save->model->materials[i].textures[role].texture;
            if (texture != STELE_NONE)
                uses[texture] |= role == STELE_ROLE_BASE_COLOR ? TEXTURE_IS_COLOR : TEXTURE_IS_OTHER;
        }
    return uses;
}

const void *st_texture_bytes(companions *beside, const stele_texture *texture, uint64_t *size)
{
    const void *data;
    size_t found;
    *size = texture->size;
    if (texture->data)
        return texture->data;
    if (!texture->file || !st_companion_find(beside, texture->file, &data, &found))
        return NULL;
    *size = found;
    return data;
}

static void walk_bytes(walk *w, void *raw)
{
    span *bytes = raw;
    st_walk_gap(w, bytes, bytes->count);
}

static bool holds(const span *bytes, const void *data, uint64_t size)
{
    return bytes->count == size && (bytes->data == data || memcmp(bytes->data, data, (size_t)size) == 0);
}

static void copy(context *c, const void *data, uint64_t size, const char *name)
{
    span *bytes = st_arena_alloc(c->arena, sizeof *bytes);
    if (!bytes || !c->save->name)
        return;
    name = st_companion_path(c->arena, name);
    for (side_file *f = c->save->side_files; f; f = f->next)
        if (strcmp(f->name, name) == 0 && f->same_is_fine && holds(f->raw, data, size))
            return;
    *bytes = (span){data, size, 1};
    st_save_beside(c, name, walk_bytes, bytes);
    for (side_file *f = c->save->side_files; f; f = f->next)
        if (f->raw == bytes)
            f->same_is_fine = true;
}

bool st_save_companion(context *c, const char *name, const char *extensions)
{
    const void *data = NULL;
    size_t size = 0;
    if (!*name || !st_companion_find(c->companions, name, &data, &size))
        return false;
    if (st_companion_plain(name) && st_has_extension(name, extensions))
        copy(c, data, size, name);
    else
        st_diag(c->diags, DIAG_COMPANION_NOT_COPIED, at_path("", 1), "%s is not copied: its name is none of a .%s", name,
                extensions);
    return true;
}

const char *st_save_texture_problem(context *c, const stele_texture *texture, const char *name)
{
    uint64_t size;
    const void *data = st_texture_bytes(c->companions, texture, &size);
    if (!data)
        return "cannot be read";
    if (st_image_kind(data, size) == IMAGE_UNKNOWN)
        return "is no image";
    return st_companion_plain(name) && st_names_image(name) ? NULL : "has a name that is none of an image";
}

void st_save_texture_copy(context *c, const stele_texture *texture, const char *name)
{
    uint64_t size;
    const void *data = st_save_texture_problem(c, texture, name) ? NULL : st_texture_bytes(c->companions, texture, &size);
    if (data)
        copy(c, data, size, name);
}

static size_t length_of_stem(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && !strpbrk(dot, "/\\") ? (size_t)(dot - name) : strlen(name);
}

/* Without a file, "hat.*" is taken for what it usually is where its type must be said. */
const char *st_save_file_name(context *c, const stele_texture *texture, texture_naming naming)
{
    const char *name = texture->name ? texture->name : "", *file = texture->file;
    size_t stem = length_of_stem(name);
    bool open = stem && strcmp(name + stem, ".*") == 0;
    bool any_type = naming == (open ? TEXTURE_OPEN_TYPE : TEXTURE_ANY_TYPE);
    if (any_type && (!file || (length_of_stem(file) == stem && memcmp(file, name, stem) == 0)))
        return name;
    if (file)
        return file;
    return open ? st_arena_format(c->arena, "%.*s.png", (int)stem, name) : name;
}

/* "hat.*" where the format finds hat.png by that, and the model said so. */
static const char *name_of_image(context *c, const stele_texture *t, const char *file, texture_naming naming)
{
    const char *name = t->name ? t->name : "";
    size_t stem = length_of_stem(name);
    bool open = stem && strcmp(name + stem, ".*") == 0, any = naming == (open ? TEXTURE_OPEN_TYPE : TEXTURE_ANY_TYPE);
    bool same = stem && length_of_stem(file) == stem && memcmp(st_companion_path(c->arena, name), file, stem) == 0;
    return any && same && (open || st_names_image(name)) ? name : file;
}

static const char *save_image(context *c, uint32_t texture, texture_naming naming)
{
    const stele_texture *t = &c->save->model->textures[texture];
    const char *file = st_image_file(c, texture);
    const char *flaw = st_image_flaw(t->data, t->size);
    if (flaw)
        st_lose(c, DIAG_LOSS_TEXTURE, 1, "", "gets no %s: what the file has for it %s", file, flaw);
    else if (!c->save->name)
        st_lose(c, DIAG_LOSS_TEXTURE, 1, "", "only names textures: there is no place for the image %s beside a stream", file);
    else if (c->save->textures == STELE_TEXTURES_NAME)
        st_lose(c, DIAG_LOSS_TEXTURE, 1, "", "only names textures: the image %s inside the file is not written", file);
    else
        copy(c, t->data, t->size, file);
    return name_of_image(c, t, file, naming);
}

const char *st_save_texture_name(context *c, uint32_t texture, texture_naming naming)
{
    const stele_texture *t = &c->save->model->textures[texture];
    bool copied = c->save->textures == STELE_TEXTURES_COPY || c->save->textures == STELE_TEXTURES_EMBED;
    if (t->data)
        return save_image(c, texture, naming);
    if (copied && c->save->name && t->file)
        st_save_texture_copy(c, t, t->file);
    return st_save_file_name(c, t, naming);
}
