/* All formats, in one list. Adding one is a line here and a line in the build. */
#include <string.h>

#include "format.h"

extern const stele_format st_format_twm;
extern const stele_format st_format_sgm;
extern const stele_format st_format_sga;
extern const stele_format st_format_mesh;
extern const stele_format st_format_sff;
extern const stele_format st_format_ctc;

const stele_format *const st_formats[] = {
    &st_format_twm, &st_format_sgm, &st_format_sga, &st_format_mesh, &st_format_sff, &st_format_ctc, NULL};

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

const stele_format *st_format_named(const char *name)
{
    for (size_t i = 0; st_formats[i]; i++)
        if (strcmp(st_formats[i]->info.name, name) == 0)
            return st_formats[i];
    return NULL;
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

const stele_format *st_format_of_extension(const char *path)
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

const char *st_stranger(const uint8_t *data, uint64_t size)
{
    static const struct {
        const char *start, *says;
    } strangers[] = {
        {"version https://git-lfs", "this is a git-LFS pointer, not a model: run git lfs pull"},
        {"<!DOCTYPE", "this is an SGML or HTML document, not a model"},
        {"<html", "this is a web page, not a model: the download went wrong"},
        {"\x1f\x8b", "this is gzip-compressed: unpack it first"},
        {"PK\x03\x04", "this is a ZIP archive: unpack it first"},
        {"glTF", "this is a binary glTF file, which this version does not read"},
        {"\x00\x10[MeshSerializer_", "this is a mesh of Ogre, another engine"},
        {"<mesh", "this is an XML mesh of Ogre, another engine"},
        {"MeshVersionFormatted", "this is a mesh of Medit, another program"},
        {"%YAML", "this is a YAML file, as Unity's meshes are, and not a model that Stele knows"},
    };
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) {
        size_t length = strangers[i].start[0] ? strlen(strangers[i].start) : 16; /* Ogre's starts with a NUL */
        if (size >= length && memcmp(data, strangers[i].start, length) == 0)
            return strangers[i].says;
    }
    return NULL;
}

const stele_format_info *stele_format_of_name(const char *file_name)
{
    const stele_format *format = st_format_of_extension(file_name);
    return format ? &format->info : NULL;
}
