/* All formats, in one list. Adding one is a line here and a line in the build. */
#include <string.h>

#include "format.h"

extern const format st_format_twm;
extern const format st_format_sgm;
extern const format st_format_sga;
extern const format st_format_mesh;
extern const format st_format_sff;
extern const format st_format_ctc;
extern const format st_format_glb;
extern const format st_format_gltf;
extern const format st_format_obj;

const format *const st_formats[] = {&st_format_twm, &st_format_sgm, &st_format_sga,  &st_format_mesh, &st_format_sff,
                                    &st_format_ctc, &st_format_glb, &st_format_gltf, &st_format_obj,  NULL};

static const char *const capability_names[] = {"meshes",   "normals", "uvs",      "colors",    "tangents", "materials",
                                               "textures", "skin",    "skeleton", "animation", "morphs",   "attachments"};

const char *stele_capability_name(unsigned bit)
{
    return bit < sizeof capability_names / sizeof *capability_names ? capability_names[bit] : NULL;
}

const stele_format_info *stele_format_at(size_t index)
{
    for (size_t i = 0; st_formats[i]; i++)
        if (i == index)
            return &st_formats[i]->info;
    return NULL;
}

const format *st_format_named(const char *name)
{
    for (size_t i = 0; st_formats[i]; i++)
        if (strcmp(st_formats[i]->info.name, name) == 0)
            return st_formats[i];
    return NULL;
}

static bool lists(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *w = words; *w; w += strspn(w, " ")) {
        size_t size = strcspn(w, " ");
        if (size == length && memcmp(w, word, size) == 0)
            return true;
        w += size;
    }
    return false;
}

bool stele_known_choice(const stele_choice *choice)
{
    for (size_t i = 0; st_formats[i]; i++)
        for (size_t k = 0; k < st_formats[i]->info.choice_count; k++) {
            const stele_choice_info *known = &st_formats[i]->info.choices[k];
            if (strcmp(known->name, choice->name) == 0)
                return lists(known->values, choice->value);
        }
    return false;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_letters(const char *a, const char *b, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (lower(a[i]) != lower(b[i]))
            return false;
    return true;
}

const format *st_format_of_extension(const char *path)
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    size_t size = dot ? strlen(dot + 1) : 0;
    for (size_t i = 0; size && st_formats[i]; i++)
        for (const char *list = st_formats[i]->info.extensions; *list;) {
            size_t length = strcspn(list, " ");
            if (length == size && same_letters(list, dot + 1, size))
                return st_formats[i];
            list += length + (list[length] == ' ');
        }
    return NULL;
}

static bool starts(const uint8_t *data, uint64_t size, const char *word)
{
    size_t length = strlen(word);
    return size >= length && same_letters((const char *)data, word, length);
}

/* What an XML file is shows in its first element, behind the prolog. */
static bool mentions(const uint8_t *data, uint64_t size, const char *word)
{
    for (uint64_t i = 0; i < size && i < 1024; i++)
        if (starts(data + i, size - i, word))
            return true;
    return false;
}

const char *st_stranger(const uint8_t *data, uint64_t size)
{
    static const uint8_t ogre[] = {0x00, 0x10, '[', 'M', 'e', 's', 'h', 'S', 'e', 'r', 'i', 'a', 'l', 'i', 'z', 'e', 'r'};
    static const struct {
        const char *start, *says;
    } strangers[] = {
        {"version https://git-lfs", "this is a git-LFS pointer, not a model: run git lfs pull"},
        {"<!DOCTYPE", "this is an SGML or HTML document, not a model"},
        {"<!--", "this is an SGML, XML or HTML document, not a model"},
        {"<html", "this is a web page, not a model: the download went wrong"},
        {"\x1f\x8b", "this is gzip-compressed: unpack it first"},
        {"PK\x03\x04", "this is a ZIP archive: unpack it first"},
        {"MeshVersionFormatted", "this is a mesh of Medit, another program"},
        {"%YAML", "this is a YAML file, as Unity's meshes are, and not a model that Stele knows"},
    };
    if (size >= sizeof ogre && memcmp(data, ogre, sizeof ogre) == 0)
        return "this is a mesh of Ogre, another engine";
    if (starts(data, size, "<mesh") || (starts(data, size, "<?xml") && mentions(data, size, "<mesh")))
        return "this is an XML mesh of Ogre, another engine";
    if (starts(data, size, "<?xml"))
        return "this is an XML file, and not a model that Stele knows";
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++)
        if (starts(data, size, strangers[i].start))
            return strangers[i].says;
    return NULL;
}

const stele_format_info *stele_format_of_name(const char *file_name)
{
    const format *format = st_format_of_extension(file_name);
    return format ? &format->info : NULL;
}
