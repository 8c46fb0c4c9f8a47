/* What Assimp reads, and where it leaves to us what a format means. */
#include <assimp/commonMetaData.h>
#include <assimp/importerdesc.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "import.h"

/* A line for each format: its name, a tab, and its extensions. */
void list_formats(void)
{
    for (size_t i = 0; i < aiGetImportFormatCount(); i++) {
        const struct aiImporterDesc *d = aiGetImportFormatDescription(i);
        printf("%s\t%s\n", d->mName, d->mFileExtensions);
    }
}

static const struct aiMetadataEntry *metadata(const struct aiScene *scene, const char *key, enum aiMetadataType type)
{
    const struct aiMetadata *data = scene->mMetaData;
    for (unsigned i = 0; data && i < data->mNumProperties; i++)
        if (strcmp(data->mKeys[i].data, key) == 0 && data->mValues[i].mType == type)
            return &data->mValues[i];
    return NULL;
}

static int32_t integer(const struct aiScene *scene, const char *key, int32_t otherwise)
{
    const struct aiMetadataEntry *entry = metadata(scene, key, AI_INT32);
    return entry ? *(const int32_t *)entry->mData : otherwise;
}

static double number(const struct aiScene *scene, const char *key, double otherwise)
{
    const struct aiMetadataEntry *single = metadata(scene, key, AI_FLOAT), *twice = metadata(scene, key, AI_DOUBLE);
    return single ? (double)*(const float *)single->mData : twice ? *(const double *)twice->mData : otherwise;
}

/* FBX says which of its axes points to the right, up and to the front; Assimp reads it and leaves the rest to us. What is no
 * turn stays as it is. */
static void turn_fbx(const struct aiScene *scene, format_notes *n)
{
    static const char *const keys[3][2] = {
        {"CoordAxis", "CoordAxisSign"}, {"UpAxis", "UpAxisSign"}, {"FrontAxis", "FrontAxisSign"}};
    float turn[3][3] = {{0}};
    for (int i = 0; i < 3; i++) {
        int32_t axis = integer(scene, keys[i][0], i);
        if (axis >= 0 && axis < 3)
            turn[axis][i] = integer(scene, keys[i][1], 1) < 0 ? -1 : 1;
    }
    float determinant = 0;
    for (int i = 0; i < 3; i++)
        determinant += turn[0][i] * (turn[1][(i + 1) % 3] * turn[2][(i + 2) % 3] - turn[1][(i + 2) % 3] * turn[2][(i + 1) % 3]);
    if (determinant == 1)
        memcpy(n->turn, turn, sizeof turn);
    n->meters = number(scene, "UnitScaleFactor", 1) / 100;
}

format_notes notes_of_format(const struct aiScene *scene)
{
    static const float z_up[3][3] = {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}};
    format_notes n = {.meters = 1, .ticks = 25, .turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const struct aiMetadataEntry *name = metadata(scene, AI_METADATA_SOURCE_FORMAT, AI_AISTRING);
    n.name = name ? ((const struct aiString *)name->mData)->data : "";
    (void)z_up;
    if (strstr(n.name, "FBX"))
        turn_fbx(scene, &n);
    if (!(n.meters > 1e-9 && n.meters < 1e9))
        n.meters = 1;
    return n;
}
