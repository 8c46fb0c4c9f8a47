/* Meshes: those that a node draws become one mesh of the model, each of them a primitive. Arrays that are fine as they are stay
 * where Assimp has them; others are copied and put right. */
#include <math.h>
#include <string.h>

#include "import.h"

bool finite_or_zero(float *numbers, unsigned count)
{
    bool fine = true;
    for (unsigned i = 0; i < count; i++)
        if (!isfinite(numbers[i])) {
            numbers[i] = 0;
            fine = false;
        }
    return fine;
}

/* ---- Which meshes belong together ---- */

/* Some importers draw the bones of what only moves. */
static bool is_made_of_bones(const import *im, const struct aiMesh *mesh)
{
    struct aiString name = {0};
    if (mesh->mName.length || mesh->mMaterialIndex >= im->scene->mNumMaterials)
        return false;
    aiGetMaterialString(im->scene->mMaterials[mesh->mMaterialIndex], AI_MATKEY_NAME, &name);
    return strcmp(name.data, SKELETON_MATERIAL) == 0;
}

static bool is_drawn(const import *im, const struct aiMesh *mesh)
{
    return mesh->mNumVertices && mesh->mVertices && !is_made_of_bones(im, mesh);
}

static bool alike(const struct aiMesh *a, const struct aiMesh *b)
{
    return !a->mNumBones == !b->mNumBones && a->mNumAnimMeshes == b->mNumAnimMeshes;
}

/* The group of these meshes, which there may be already: nodes can draw the same. */
static group *group_of(import *im, const unsigned *meshes, unsigned count, uint32_t place)
{
    group *g = im->groups[meshes[0]];
    while (g && (g->count != count || memcmp(g->meshes, meshes, count * sizeof *meshes) != 0))
        g = g->next;
    if (g)
        return g;
    g = take(im, 1, sizeof *g);
    *g = (group){meshes, count, STELE_NONE, STELE_NONE, place, im->groups[meshes[0]]};
    im->groups[meshes[0]] = g;
    if (im->scene->mMeshes[meshes[0]]->mNumBones)
        plan_skin(im, g);
    return g;
}

/* The meshes of a node, without those that draw nothing, in groups of those that are alike. */
static void group_meshes(import *im, uint32_t at)
{
    place *p = &im->places[at];
    const struct aiNode *node = p->node;
    unsigned *list = take(im, node->mNumMeshes, sizeof *list), left = 0;
    p->first_drawn = im->drawn_count;
    for (unsigned i = 0; i < node->mNumMeshes; i++)
        if (node->mMeshes[i] < im->scene->mNumMeshes && is_drawn(im, im->scene->mMeshes[node->mMeshes[i]]))
            list[left++] = node->mMeshes[i];
    while (left) {
        const struct aiMesh *first = im->scene->mMeshes[list[0]];
        unsigned *same = take(im, left, sizeof *same), count = 0, others = 0;
        for (unsigned i = 0; i < left; i++)
            if (alike(first, im->scene->mMeshes[list[i]]))
                same[count++] = list[i];
            else
                list[others++] = list[i];
        im->drawn[im->drawn_count++] = (drawn){group_of(im, same, count, at), STELE_NONE};
        left = others;
    }
    p->drawn_count = im->drawn_count - p->first_drawn;
}

void find_groups(import *im)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < im->place_count; i++)
        most += im->places[i].node->mNumMeshes;
    im->groups = take(im, im->scene->mNumMeshes, sizeof *im->groups);
    im->drawn = take(im, most, sizeof *im->drawn);
    for (uint32_t i = 0; i < im->place_count; i++)
        if (im->places[i].node->mNumMeshes)
            group_meshes(im, i);
}

/* ---- Attributes ---- */

static stele_view vectors(const void *data, uint64_t count)
{
    return stele_float_view(data, count, 3);
}

/* All exponents of ones, and only those, carry into the sign bit: a loop that compilers vectorise. */
static bool are_finite(const float *numbers, uint64_t count)
{
    uint32_t carried = 0, bits;
    for (uint64_t i = 0; i < count; i++) {
        memcpy(&bits, &numbers[i], sizeof bits);
        carried |= (bits & 0x7fffffffu) + 0x00800000u;
    }
    return carried >> 31 == 0;
}

static stele_view positions_of(import *im, const struct aiMesh *mesh)
{
    const float *given = &mesh->mVertices[0].x;
    uint64_t count = 3 * (uint64_t)mesh->mNumVertices;
    if (are_finite(given, count))
        return vectors(given, mesh->mNumVertices);
    float *copy = take(im, count, sizeof *copy);
    memcpy(copy, given, count * sizeof *copy);
    for (uint64_t i = 0; i < count; i++)
        im->bad_numbers += !finite_or_zero(&copy[i], 1);
    return vectors(copy, mesh->mNumVertices);
}

static double length_of(const float *v)
{
    return sqrt((double)v[0] * (double)v[0] + (double)v[1] * (double)v[1] + (double)v[2] * (double)v[2]);
}

/* To length 1; false if it has no direction. */
static bool normalize(float v[3])
{
    double length = length_of(v);
    if (!(length > 0 && length < INFINITY))
        return false;
    for (int i = 0; i < 3; i++)
        v[i] = (float)((double)v[i] / length);
    return true;
}

static void face_normal(const struct aiMesh *mesh, const struct aiFace *face, float normal[3])
{
    const float *a = &mesh->mVertices[face->mIndices[0]].x, *b = &mesh->mVertices[face->mIndices[1]].x,
                *c = &mesh->mVertices[face->mIndices[2]].x;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        normal[i] = (b[j] - a[j]) * (c[k] - a[k]) - (b[k] - a[k]) * (c[j] - a[j]);
    }
}

static bool is_triangle(const struct aiMesh *mesh, const struct aiFace *face)
{
    return face->mNumIndices == 3 && face->mIndices[0] < mesh->mNumVertices && face->mIndices[1] < mesh->mNumVertices &&
           face->mIndices[2] < mesh->mNumVertices;
}

/* Normals without a direction get that of a triangle that they are at. */
static void mend_normals(const struct aiMesh *mesh, float (*normals)[3], const bool *bad)
{
    for (unsigned i = 0; i < mesh->mNumFaces; i++) {
        const struct aiFace *face = &mesh->mFaces[i];
        for (unsigned k = 0; k < 3 && is_triangle(mesh, face); k++) {
            float normal[3];
            uint32_t at = face->mIndices[k];
            if (!bad[at])
                continue;
            face_normal(mesh, face, normal);
            if (normalize(normal))
                memcpy(normals[at], normal, sizeof normal);
        }
    }
}

static stele_view normals_of(import *im, const struct aiMesh *mesh)
{
    uint64_t count = mesh->mNumVertices, off = 0, bad_count = 0;
    for (uint64_t i = 0; i < count; i++) {
        const struct aiVector3D *n = &mesh->mNormals[i];
        off += fabsf(n->x * n->x + n->y * n->y + n->z * n->z - 1) < 2e-5f ? 0 : 1;
    }
    if (!off)
        return vectors(mesh->mNormals, count);
    float(*copy)[3] = take(im, count, sizeof *copy);
    bool *bad = take(im, count, sizeof *bad);
    for (uint64_t i = 0; i < count; i++) {
        memcpy(copy[i], &mesh->mNormals[i].x, sizeof *copy);
        bad[i] = !normalize(copy[i]);
        bad_count += bad[i];
        if (bad[i])
            memcpy(copy[i], (float[3]){0, 1, 0}, sizeof *copy);
    }
    if (bad_count)
        mend_normals(mesh, copy, bad);
    im->bad_normals += bad_count;
    return vectors(copy, count);
}

/* With the side that the bitangent is on. None where some have no direction. */
static bool tangents_of(import *im, const struct aiMesh *mesh, stele_view *view)
{
    float(*copy)[4] = take(im, mesh->mNumVertices, sizeof *copy);
    for (unsigned i = 0; i < mesh->mNumVertices; i++) {
        const float *n = &mesh->mNormals[i].x, *t = &mesh->mTangents[i].x, *b = &mesh->mBitangents[i].x;
        double side = 0;
        memcpy(copy[i], t, 3 * sizeof *t);
        if (!normalize(copy[i]))
            return false;
        for (int k = 0; k < 3; k++) {
            int l = (k + 1) % 3, m = (k + 2) % 3;
            side += ((double)n[l] * (double)t[m] - (double)n[m] * (double)t[l]) * (double)b[k];
        }
        copy[i][3] = side < 0 ? -1 : 1;
    }
    *view = stele_float_view(&copy[0][0], mesh->mNumVertices, 4);
    return true;
}

static stele_view uvs_of(import *im, const struct aiMesh *mesh, unsigned set)
{
    float(*copy)[2] = take(im, mesh->mNumVertices, sizeof *copy);
    const struct aiVector3D *given = mesh->mTextureCoords[set];
    for (unsigned i = 0; i < mesh->mNumVertices; i++) {
        copy[i][0] = given[i].x;
        copy[i][1] = 1 - given[i].y; /* from the top */
        im->bad_numbers += !finite_or_zero(copy[i], 2);
        im->third_uvs += mesh->mNumUVComponents[set] == 3 && given[i].z != 0;
    }
    return stele_float_view(&copy[0][0], mesh->mNumVertices, 2);
}

static float linear_of_srgb(float c)
{
    return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

static stele_view colors_of(import *im, const struct aiMesh *mesh, unsigned set)
{
    float(*copy)[4] = take(im, mesh->mNumVertices, sizeof *copy);
    bool opaque = true;
    for (unsigned i = 0; i < mesh->mNumVertices; i++) {
        memcpy(copy[i], &mesh->mColors[set][i], sizeof *copy);
        im->bad_numbers += !finite_or_zero(copy[i], 4);
        for (int k = 0; k < 4; k++) {
            float c = fminf(fmaxf(copy[i][k], 0), 1);
            copy[i][k] = k < 3 && !im->format.linear_colors ? linear_of_srgb(c) : c;
        }
        opaque = opaque && copy[i][3] == 1;
    }
    stele_view view = stele_float_view(&copy[0][0], mesh->mNumVertices, 4);
    if (opaque)
        view.components = 3;
    return view;
}

/* ---- Primitives ---- */

enum { MOST_ATTRIBUTES = 3 + AI_MAX_NUMBER_OF_TEXTURECOORDS + AI_MAX_NUMBER_OF_COLOR_SETS + 4 };

static void add_attribute(stele_primitive *p, stele_attribute *list, stele_semantic semantic, uint32_t set, stele_view view)
{
    list[p->attribute_count++] = (stele_attribute){semantic, set, view};
}

static void add_attributes(import *im, const struct aiMesh *mesh, const group *g, stele_primitive *p)
{
    stele_attribute *list = take(im, MOST_ATTRIBUTES, sizeof *list);
    stele_view tangents;
    uint32_t uv = 0, color = 0;
    p->attributes = list;
    add_attribute(p, list, STELE_POSITION, 0, positions_of(im, mesh));
    if (mesh->mNormals && p->topology == STELE_TRIANGLES)
        add_attribute(p, list, STELE_NORMAL, 0, normals_of(im, mesh));
    if (mesh->mNormals && mesh->mTangents && mesh->mBitangents && p->topology == STELE_TRIANGLES &&
        tangents_of(im, mesh, &tangents))
        add_attribute(p, list, STELE_TANGENT, 0, tangents);
    for (unsigned i = 0; i < AI_MAX_NUMBER_OF_TEXTURECOORDS; i++)
        if (mesh->mTextureCoords[i])
            add_attribute(p, list, STELE_UV, uv++, uvs_of(im, mesh, i));
    for (unsigned i = 0; i < AI_MAX_NUMBER_OF_COLOR_SETS; i++)
        if (mesh->mColors[i])
            add_attribute(p, list, STELE_COLOR, color++, colors_of(im, mesh, i));
    if (g->skin != STELE_NONE)
        p->attribute_count += weigh_mesh(im, mesh, g, list + p->attribute_count);
}

static bool is_whole(const struct aiMesh *mesh, const struct aiFace *face, unsigned corners)
{
    bool good = face->mNumIndices == corners;
    for (unsigned k = 0; k < corners && good; k++)
        good = face->mIndices[k] < mesh->mNumVertices;
    return good;
}

/* Whether the faces take one vertex after the other, as those of STL do: then nothing needs indices. */
static bool is_in_order(const struct aiMesh *mesh, unsigned corners)
{
    bool same = (uint64_t)mesh->mNumFaces * corners == mesh->mNumVertices;
    for (unsigned i = 0; i < mesh->mNumFaces && same; i++) {
        same = mesh->mFaces[i].mNumIndices == corners;
        for (unsigned k = 0; k < corners && same; k++)
            same = mesh->mFaces[i].mIndices[k] == i * corners + k;
    }
    return same;
}

/* After Assimp sorted them, all faces of a mesh are of one kind; without faces it is a cloud of points. */
static void add_indices(import *im, const struct aiMesh *mesh, stele_primitive *p)
{
    unsigned corners = p->topology == STELE_TRIANGLES ? 3 : p->topology == STELE_LINES ? 2 : 1;
    if (is_in_order(mesh, corners))
        return;
    bool narrow = mesh->mNumVertices <= 0xFFFF; /* the index 65535 is not to be used */
    uint16_t *small = narrow ? take(im, (uint64_t)mesh->mNumFaces * corners, sizeof *small) : NULL;
    uint32_t *large = narrow ? NULL : take(im, (uint64_t)mesh->mNumFaces * corners, sizeof *large);
    uint64_t count = 0;
    for (unsigned i = 0; i < mesh->mNumFaces; i++) {
        const struct aiFace *face = &mesh->mFaces[i];
        unsigned used = is_whole(mesh, face, corners) ? corners : 0;
        for (unsigned k = 0; k < used; k++, count++)
            if (narrow)
                small[count] = (uint16_t)face->mIndices[k];
            else
                large[count] = face->mIndices[k];
    }
    p->indices = (stele_view){.data = narrow ? (void *)small : (void *)large,
                              .count = count,
                              .stride = narrow ? 2 : 4,
                              .components = 1,
                              .type = narrow ? STELE_U16 : STELE_U32};
}

static stele_view difference(import *im, const struct aiVector3D *to, const struct aiVector3D *from, uint64_t count)
{
    float *delta = take(im, 3 * count, sizeof *delta);
    for (uint64_t i = 0; i < 3 * count; i++)
        delta[i] = (&to->x)[i] - (&from->x)[i];
    for (uint64_t i = 0; i < count; i++)
        im->bad_numbers += !finite_or_zero(delta + 3 * i, 3);
    return vectors(delta, count);
}

static void add_morphs(import *im, const struct aiMesh *mesh, stele_primitive *p)
{
    stele_morph *morphs = take(im, mesh->mNumAnimMeshes, sizeof *morphs);
    const stele_view *normal = stele_primitive_view(p, STELE_NORMAL, 0);
    const stele_view *position = stele_primitive_view(p, STELE_POSITION, 0);
    for (unsigned i = 0; i < mesh->mNumAnimMeshes; i++) {
        const struct aiAnimMesh *to = mesh->mAnimMeshes[i];
        bool fits = to->mNumVertices == mesh->mNumVertices;
        morphs[i].name = to->mName.length ? to->mName.data : NULL;
        morphs[i].position = fits && to->mVertices
                                 ? difference(im, to->mVertices, position->data, mesh->mNumVertices)
                                 : vectors(take(im, 3 * (uint64_t)mesh->mNumVertices, sizeof(float)), mesh->mNumVertices);
        if (fits && to->mNormals && normal)
            morphs[i].normal = difference(im, to->mNormals, normal->data, mesh->mNumVertices);
    }
    p->morphs = morphs;
    p->morph_count = mesh->mNumAnimMeshes;
}

static stele_primitive primitive_of(import *im, const struct aiMesh *mesh, const group *g)
{
    unsigned kinds = mesh->mPrimitiveTypes;
    stele_primitive p = {.vertex_count = mesh->mNumVertices,
                         .material = mesh->mMaterialIndex < im->scene->mNumMaterials ? im->materials[mesh->mMaterialIndex]
                                                                                     : STELE_NONE};
    p.topology = !mesh->mNumFaces                   ? STELE_POINTS
                 : kinds & aiPrimitiveType_TRIANGLE ? STELE_TRIANGLES
                 : kinds & aiPrimitiveType_LINE     ? STELE_LINES
                                                    : STELE_POINTS;
    add_attributes(im, mesh, g, &p);
    if (mesh->mNumFaces)
        add_indices(im, mesh, &p);
    if (mesh->mNumAnimMeshes)
        add_morphs(im, mesh, &p);
    return p;
}

static void add_mesh(import *im, group *g)
{
    const struct aiMesh *first = im->scene->mMeshes[g->meshes[0]];
    stele_primitive *primitives = take(im, g->count, sizeof *primitives);
    float *weights = take(im, first->mNumAnimMeshes, sizeof *weights);
    stele_mesh mesh = {.name = first->mName.length ? first->mName.data : NULL, .primitives = primitives};
    for (unsigned i = 0; i < g->count; i++)
        primitives[mesh.primitive_count++] = primitive_of(im, im->scene->mMeshes[g->meshes[i]], g);
    for (unsigned i = 0; i < first->mNumAnimMeshes; i++) {
        weights[i] = first->mAnimMeshes[i]->mWeight;
        finite_or_zero(&weights[i], 1);
    }
    mesh.weights = first->mNumAnimMeshes ? weights : NULL;
    g->mesh = stele_add_mesh(im->model, &mesh);
    if (g->mesh == STELE_NONE)
        fail(IMPORT_UNREADABLE, "there is not enough memory");
}

void add_meshes(import *im)
{
    for (uint32_t i = 0; i < im->drawn_count; i++)
        if (im->drawn[i].group->mesh == STELE_NONE)
            add_mesh(im, im->drawn[i].group);
    if (im->bad_numbers)
        say("warning", im->bad_numbers, "numbers that are infinite or none at all, now 0: %llu",
            (unsigned long long)im->bad_numbers);
    if (im->bad_normals)
        say("note", im->bad_normals, "normals without a direction, now that of their triangle: %llu",
            (unsigned long long)im->bad_normals);
    lose(im->third_uvs, "the third texture coordinate of %llu vertices", (unsigned long long)im->third_uvs);
}
