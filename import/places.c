/* Nodes: the tree of the scene as a list, by name, and as nodes of the model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import.h"

/* Grows an array that holds count of room items, by one at least. */
static void *grown(void *items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return items;
    *room = *room ? 2 * *room : 64;
    items = realloc(items, *room * size);
    if (!items)
        fail(IMPORT_UNREADABLE, "there is not enough memory");
    return items;
}

typedef struct pending {
    const struct aiNode *node;
    uint32_t parent;
} pending;

/* Parents before their children, and children in their order, without recursion: a file can nest as deep as it likes. */
static void list_places(import *im)
{
    size_t room = 0, stack_room = 0, stack_count = 0;
    pending *stack = grown(NULL, 0, &stack_room, sizeof *stack);
    if (im->scene->mRootNode)
        stack[stack_count++] = (pending){im->scene->mRootNode, STELE_NONE};
    while (stack_count) {
        pending p = stack[--stack_count];
        uint32_t at = im->place_count++;
        im->places = grown(im->places, at, &room, sizeof *im->places);
        im->places[at] = (place){.node = p.node, .parent = p.parent, .index = STELE_NONE};
        for (unsigned i = p.node->mNumChildren; i-- > 0;) {
            stack = grown(stack, stack_count, &stack_room, sizeof *stack);
            if (p.node->mChildren[i]) /* the importer of .raw leaves some out */
                stack[stack_count++] = (pending){p.node->mChildren[i], at};
        }
    }
    free(stack);
}

static const place *sorted_places; /* of compare_names: there is one import in a process */

static int compare_names(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    int order = strcmp(sorted_places[left].node->mName.data, sorted_places[right].node->mName.data);
    return order ? order : left < right ? -1 : 1;
}

void find_places(import *im)
{
    list_places(im);
    im->by_name = take(im, im->place_count, sizeof *im->by_name);
    for (uint32_t i = 0; i < im->place_count; i++)
        im->by_name[i] = i;
    sorted_places = im->places;
    qsort(im->by_name, im->place_count, sizeof *im->by_name, compare_names);
}

uint32_t places_named(const import *im, const struct aiString *name, const uint32_t **list)
{
    uint32_t low = 0, high = im->place_count, count = 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(im->places[im->by_name[middle]].node->mName.data, name->data) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    while (low + count < im->place_count && strcmp(im->places[im->by_name[low + count]].node->mName.data, name->data) == 0)
        count++;
    *list = im->by_name + low;
    return count;
}

/* The first of that name, as Assimp itself finds it. */
uint32_t place_named(const import *im, const struct aiString *name)
{
    const uint32_t *list;
    return places_named(im, name, &list) ? list[0] : STELE_NONE;
}

/* ---- Which of several ---- */

static void find_worlds(import *im)
{
    im->worlds = take(im, im->place_count, sizeof *im->worlds);
    for (uint32_t i = 0; i < im->place_count; i++) {
        im->worlds[i] = im->places[i].node->mTransformation;
        if (im->places[i].parent != STELE_NONE) {
            struct aiMatrix4x4 world = im->worlds[im->places[i].parent];
            aiMultiplyMatrix4(&world, &im->worlds[i]);
            im->worlds[i] = world;
        }
    }
}

/* The lowest place that both are below: parents come before their children. */
static uint32_t common_place(const import *im, uint32_t a, uint32_t b)
{
    while (a != b)
        if (a > b)
            a = im->places[a].parent;
        else
            b = im->places[b].parent;
    return a;
}

/* How far what is bound to a joint is from where it is drawn, at rest. */
static double distance_from(import *im, uint32_t joint, const struct aiBone *bone, uint32_t drawn)
{
    float there[16], here[16];
    double distance = 0;
    struct aiMatrix4x4 bound = im->worlds[joint];
    aiMultiplyMatrix4(&bound, &bone->mOffsetMatrix);
    matrix_of(&bound, there);
    matrix_of(&im->worlds[drawn], here);
    for (int i = 0; i < 16; i++)
        distance = fmax(distance, fabs((double)there[i] - (double)here[i]));
    return distance;
}

/* Armatures may have the same names of bones, and Assimp only tells these. A mesh belongs to the one whose joint leaves it
 * where it is drawn; if several do, to the one that is nearest in the tree. */
uint32_t place_of_bone(import *im, const struct aiBone *bone, uint32_t drawn)
{
    enum { MOST = 64 }; /* no real model has as many */
    const uint32_t *list;
    uint32_t count = places_named(im, &bone->mName, &list), best = count ? list[0] : STELE_NONE;
    if (count < 2)
        return best;
    if (!im->worlds)
        find_worlds(im);
    double least = distance_from(im, best, bone, drawn);
    for (uint32_t i = 1; i < count && i < MOST; i++) {
        double distance = distance_from(im, list[i], bone, drawn), slack = 1e-4 * (1 + least);
        bool nearer = common_place(im, list[i], drawn) > common_place(im, best, drawn);
        if (distance < least - slack || (distance < least + slack && nearer)) {
            best = list[i];
            least = distance;
        }
    }
    return best;
}

/* ---- Properties: what the file says of a node beyond the model ---- */

static bool property_of(import *im, const struct aiString *key, const struct aiMetadataEntry *entry, stele_property *p)
{
    char *name = take(im, (uint64_t)key->length + sizeof "import.", 1);
    double *number = take(im, 3, sizeof *number);
    const struct aiVector3D *vector = entry->mData;
    memcpy(name, "import.", 7);
    memcpy(name + 7, key->data, key->length);
    *p = (stele_property){.key = name, .numbers = number, .number_count = 1};
    switch (entry->mType) {
    case AI_BOOL: number[0] = *(const bool *)entry->mData; break;
    case AI_INT32: number[0] = *(const int32_t *)entry->mData; break;
    case AI_UINT64: number[0] = (double)*(const uint64_t *)entry->mData; break;
    case AI_FLOAT: number[0] = (double)*(const float *)entry->mData; break;
    case AI_DOUBLE: number[0] = *(const double *)entry->mData; break;
    case AI_AIVECTOR3D:
        number[0] = (double)vector->x, number[1] = (double)vector->y, number[2] = (double)vector->z;
        p->number_count = 3;
        break;
    case AI_AISTRING: *p = (stele_property){.key = name, .text = ((const struct aiString *)entry->mData)->data}; break;
    default: return false;
    }
    for (size_t i = 0; i < p->number_count; i++)
        if (!(number[i] - number[i] == 0)) /* JSON has no infinity */
            return false;
    return true;
}

static stele_properties properties_of(import *im, const struct aiMetadata *data)
{
    stele_properties found = {NULL, 0};
    stele_property *items = data ? take(im, data->mNumProperties, sizeof *items) : NULL;
    for (unsigned i = 0; data && i < data->mNumProperties; i++)
        if (data->mKeys[i].length && data->mValues[i].mData &&
            property_of(im, &data->mKeys[i], &data->mValues[i], &items[found.count]))
            found.count++;
    found.items = items;
    return found;
}

/* ---- Into the model ---- */

/* What turns the file's axes and units into metres with Y up; STELE_NONE if that is what they are. */
static uint32_t add_frame(import *im)
{
    struct aiMatrix4x4 m = {0};
    stele_node frame = stele_default_node();
    const float scale = (float)(im->format.meters * im->scale), (*t)[3] = im->format.turn;
    m.a1 = t[0][0] * scale, m.a2 = t[1][0] * scale, m.a3 = t[2][0] * scale;
    m.b1 = t[0][1] * scale, m.b2 = t[1][1] * scale, m.b3 = t[2][1] * scale;
    m.c1 = t[0][2] * scale, m.c2 = t[1][2] * scale, m.c3 = t[2][2] * scale;
    split_matrix(&m, &frame.local);
    return scale == 1 && frame.local.rotation[3] == 1 ? STELE_NONE : stele_add_node(im->model, &frame);
}

/* Nothing needs the place itself: what hung there is skinned, and hangs at the root. */
static bool is_left(const import *im, const place *p)
{
    bool needed = p->moves || p->joint || p->node->mNumChildren || !p->drawn_count;
    for (uint32_t i = 0; i < p->drawn_count && !needed; i++)
        needed = im->drawn[p->first_drawn + i].group->skin == STELE_NONE;
    return !needed;
}

/* A skinned mesh hangs at the root, because its own place has no effect; others are drawn at their place or, if that draws
 * something already, right below it. */
static void add_drawn(import *im, const place *p, drawn *d)
{
    stele_node node = stele_default_node();
    node.mesh = d->group->mesh;
    node.skin = d->group->skin;
    node.name = p->node->mName.length ? p->node->mName.data : NULL;
    node.parent = node.skin == STELE_NONE ? p->index : STELE_NONE;
    d->node = stele_add_node(im->model, &node);
}

static void add_place(import *im, place *p, uint32_t frame)
{
    stele_node node = stele_default_node();
    float matrix[16];
    drawn *first = p->drawn_count ? &im->drawn[p->first_drawn] : NULL;
    bool here = first && first->group->skin == STELE_NONE, whole = split_matrix(&p->node->mTransformation, &node.local);
    matrix_of(&p->node->mTransformation, matrix);
    im->sheared += !whole && p->moves;
    node.matrix = whole || p->moves ? NULL : matrix;
    node.name = p->node->mName.length ? p->node->mName.data : NULL;
    node.parent = p->parent == STELE_NONE ? frame : im->places[p->parent].index;
    node.properties = properties_of(im, p->node->mMetaData);
    node.mesh = here ? first->group->mesh : STELE_NONE;
    if (!is_left(im, p))
        p->index = stele_add_node(im->model, &node);
    if (here)
        first->node = p->index;
    for (uint32_t i = here; i < p->drawn_count; i++)
        add_drawn(im, p, &im->drawn[p->first_drawn + i]);
}

void add_nodes(import *im)
{
    uint32_t frame = add_frame(im);
    for (uint32_t i = 0; i < im->place_count; i++)
        add_place(im, &im->places[i], frame);
    lose(im->sheared, "the shear of %llu nodes that a clip moves", (unsigned long long)im->sheared);
}
