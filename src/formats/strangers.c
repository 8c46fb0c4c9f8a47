/* Files that are no models, or those of others: what to say about them. */
#include <string.h>

#include "base/text.h"
#include "format.h"

static bool starts(const uint8_t *data, uint64_t size, const char *word)
{
    size_t length = strlen(word);
    return size >= length && st_same_letters((const char *)data, word, length);
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
