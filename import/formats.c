/* What Assimp reads, and where it leaves to us what a format means. */
#include <assimp/commonMetaData.h>
#include <assimp/importerdesc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import.h"

/* Of a format, by what Assimp calls its importer: "Collada Importer", "Blender 3D Importer (http://www.blender3d.org)". */
static char *format_title(const char *importer, char room[MOST_TITLE])
{
    static const char *const surplus[] = {" Importer", " Reader", " (http://www.blender3d.org)"};
    snprintf(room, MOST_TITLE, "%.*s", MOST_TITLE - 1, importer);
    for (size_t i = 0; i < sizeof surplus / sizeof *surplus; i++) {
        char *at = strstr(room, surplus[i]);
        if (at)
            memmove(at, at + strlen(surplus[i]), strlen(at + strlen(surplus[i])) + 1);
    }
    return room;
}

/* A line for each format: its name, a tab, and its extensions. */
void list_formats(void)
{
    char room[MOST_TITLE];
    for (size_t i = 0; i < aiGetImportFormatCount(); i++) {
        const struct aiImporterDesc *d = aiGetImportFormatDescription(i);
        printf("%s\t%s\n", format_title(d->mName, room), d->mFileExtensions);
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

/* What Assimp leaves as the file has it, by the name that it gives a format. */
static const struct {
    const char *name;
    bool z_up;
    double meters, ticks;
    bool linear_colors;
} left_to_us[] = {
    {"Discreet 3DS", false, 1, 30, false},            /* frames, of which there are 30 a second */
    {"Valve SMD", true, 1, 30, false},                /* the same */
    {"Blender 3D", true, 1, 25, false},               /* Z is up */
    {"TrueSpace", true, 1, 25, false},                /* the same */
    {"Heightmap (HMP)", true, 1, 25, false},          /* the same */
    {"Open Game Engine Exchange", true, 1, 1, false}, /* unless it says otherwise; seconds */
    {"3mf", true, 0.001, 25, false},                  /* the plate is X and Y; millimetres */
    {"Additive manufacturing", true, 0.001, 25, false},
    {"glTF", false, 1, 1, true},
};

static void turn_up(format_notes *n, bool z_up)
{
    static const float y[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, z[3][3] = {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}};
    memcpy(n->turn, z_up ? z : y, sizeof n->turn);
}

/* OpenGEX: Metric (key = "up") {string {"y"}}, Metric (key = "distance") {float {0.01}}. The value, or NULL. */
static const char *metric(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    for (int braces = 0; at && braces < 2; braces++)
        at = strchr(at + 1, '{');
    return at ? at + 1 : NULL;
}

static void read_metrics(files *f, format_notes *n)
{
    char text[4096]; /* they come first */
    const char *value;
    text[files_begin(f, NULL, text, sizeof text - 1)] = 0;
    if ((value = metric(text, "\"up\"")))
        turn_up(n, value[strspn(value, " \"")] != 'y');
    if ((value = metric(text, "\"distance\"")))
        n->meters = strtod(value, NULL);
}

/* MD5: Assimp passes over every second line of what it should read here, and takes 24. */
static void read_frame_rate(files *f, format_notes *n)
{
    char text[4096];
    text[files_begin(f, "md5anim", text, sizeof text - 1)] = 0;
    const char *at = strstr(text, "\nframeRate");
    double rate = at ? strtod(at + sizeof "\nframeRate" - 1, NULL) : 0;
    n->real_ticks = rate > 0 && rate < 1e6 ? rate : 0;
}

/* Formats that move by giving every vertex again for each frame: Assimp takes the first. */
static void report_frames(files *f)
{
    static const struct {
        const char *magic;
        size_t at;
    } headers[] = {{"IDP2", 40}, {"IDP3", 76}, {"IDPC", 76}, {"IDPO", 68}, {"MDL3", 68}, {"MDL4", 68}, {"MDL5", 68}};
    char head[128];
    size_t size = files_begin(f, NULL, head, sizeof head);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        uint32_t frames = 0;
        if (size < headers[i].at + 4 || memcmp(head, headers[i].magic, 4) != 0)
            continue;
        for (size_t k = 4; k-- > 0;)
            frames = frames << 8 | (uint8_t)head[headers[i].at + k];
        lose(frames > 1 ? frames - 1 : 0, "%u frames after the first, each with vertices of its own", frames - 1);
    }
}

format_notes notes_of_format(const struct aiScene *scene, files *f)
{
    format_notes n = {.meters = 1, .ticks = 25};
    const struct aiMetadataEntry *name = metadata(scene, AI_METADATA_SOURCE_FORMAT, AI_AISTRING);
    format_title(name ? ((const struct aiString *)name->mData)->data : "", n.title);
    turn_up(&n, false);
    for (size_t i = 0; i < sizeof left_to_us / sizeof *left_to_us; i++)
        if (strstr(n.title, left_to_us[i].name)) {
            turn_up(&n, left_to_us[i].z_up);
            n.meters = left_to_us[i].meters;
            n.ticks = left_to_us[i].ticks;
            n.linear_colors = left_to_us[i].linear_colors;
        }
    if (strstr(n.title, "FBX"))
        turn_fbx(scene, &n);
    if (strstr(n.title, "Open Game Engine"))
        read_metrics(f, &n);
    if (strstr(n.title, "Collada") &&
        scene->mNumAnimations > 1) /* whose animations are of one time unless clips take them apart */
        n.one_clip = !files_mention(f, "<animation_clip");
    if (strstr(n.title, "MD5"))
        read_frame_rate(f, &n);
    if (strstr(n.title, "SMD"))
        n.real_ticks = n.ticks; /* Assimp says 25, which the file does not */
    if (!(n.meters > 1e-9 && n.meters < 1e9))
        n.meters = 1;
    report_frames(f);
    return n;
}
