/* stele-import: a scene of Assimp's becomes a model of Stele's, through the public API of both. One file a concern; what they
 * share is here. */
#ifndef IMPORT_H
#define IMPORT_H

#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <assimp/version.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stele.h"

/* How stele-import ends; docs/import.md describes the whole conversation. */
enum { IMPORT_DONE = 0, IMPORT_FAILED = 1, IMPORT_USAGE = 2, IMPORT_UNREADABLE = 3, IMPORT_UNKNOWN = 4 };

/* ---- findings.c: lines to standard error, which the command makes diagnostics of ---- */

void say(const char *severity, uint64_t count, const char *format, ...) __attribute__((format(printf, 3, 4)));
void lose(uint64_t count, const char *format, ...) __attribute__((format(printf, 2, 3))); /* nothing if the count is 0 */
void fail(int exit_code, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));

/* ---- files.c: the model and what lies beside it, and nothing else ---- */

typedef struct files files;
files *files_open(const char *path); /* fails the process */
int files_folder(const files *f);    /* its descriptor */
uint64_t files_size(const files *f); /* of the model */
bool files_has(files *f, const char *name);
/* Of the model, or of the file beside it that differs in its extension (NULL: the model). */
size_t files_begin(files *f, const char *extension, char *bytes, size_t most);
bool files_mention(files *f, const char *text); /* whether the model has it somewhere */
struct aiFileIO files_interface(files *f);

/* ---- What everything works on ---- */

/* A node of the scene, and what becomes of it. Parents come before their children. */
typedef struct place {
    const struct aiNode *node;
    uint32_t parent;                   /* place; STELE_NONE for the root */
    uint32_t index;                    /* of the model's node; STELE_NONE if nothing needs it */
    bool moves, joint;                 /* a clip moves it; a skin has it */
    uint32_t first_drawn, drawn_count; /* what is drawn here */
} place;

/* Meshes of a node that are one mesh of the model: with the same morphs and, if they have bones, one skin. */
typedef struct group {
    const unsigned *meshes; /* of the scene, in a list that stays */
    unsigned count;
    uint32_t mesh, skin; /* of the model */
    uint32_t place;      /* where it is drawn first */
    struct group *next;  /* with the same first mesh */
} group;

/* A group that is drawn somewhere, and the node of the model that does it. */
typedef struct drawn {
    group *group;
    uint32_t node;
} drawn;

/* What a format needs beyond what Assimp makes of it. */
enum { MOST_TITLE = 128 };
typedef struct format_notes {
    char title[MOST_TITLE]; /* of what Assimp took it for, or "" */
    double meters;          /* of a unit */
    float turn[3][3];       /* column by column: what makes X its right, Y its top and Z its front */
    double ticks;           /* a second, where the file does not say */
    double real_ticks;      /* a second, where the file says and Assimp does not listen; or 0 */
    bool one_clip;          /* all that moves moves together, though Assimp takes it apart */
    bool linear_colors;     /* vertex colours are; elsewhere they are as screens take them */
} format_notes;

typedef struct skin_draft skin_draft;

typedef struct import {
    const struct aiScene *scene;
    const char *path;
    files *files;
    double scale; /* asked for */
    format_notes format;
    stele_file *model;

    place *places;
    uint32_t place_count;
    uint32_t *by_name;          /* places, sorted by their names */
    struct aiMatrix4x4 *worlds; /* of places; NULL until somebody asks */
    group **groups;             /* by their first mesh */
    drawn *drawn;
    uint32_t drawn_count;
    skin_draft *skins;
    uint32_t skin_count;
    uint32_t *materials; /* of the model, by the scene's; STELE_NONE for one that Assimp made up */
    struct texture_list *textures;
    uint64_t bad_numbers, bad_normals, unbound, dropped_weights, sheared, third_uvs;
} import;

/* Memory of the model's, zeroed; fails the process if there is none. */
void *take(import *im, uint64_t count, size_t size);

/* ---- formats.c ---- */
void list_formats(void);
format_notes notes_of_format(const struct aiScene *scene, files *f);

/* ---- places.c ---- */
void find_places(import *im);
uint32_t place_named(const import *im, const struct aiString *name);                         /* STELE_NONE: none */
uint32_t places_named(const import *im, const struct aiString *name, const uint32_t **list); /* how many, in their order */
uint32_t place_of_bone(import *im, const struct aiBone *bone, uint32_t drawn); /* of a mesh that is drawn there; or none */
void add_nodes(import *im);

/* ---- meshes.c ---- */
void find_groups(import *im);
void add_meshes(import *im);
bool finite_or_zero(float *numbers, unsigned count);

/* ---- skins.c ---- */
void plan_skin(import *im, group *g); /* one that the bones of all its meshes fit in */
void add_skins(import *im);
size_t weigh_mesh(import *im, const struct aiMesh *mesh, const group *g, stele_attribute *attributes); /* how many: 2 or 4 */

/* ---- clips.c ---- */
void mark_moving(import *im);
void add_clips(import *im);

/* ---- materials.c, textures.c ---- */
#define SKELETON_MATERIAL "SkeletonMaterial" /* of meshes that Assimp makes up from bones */
void add_materials(import *im);
uint32_t add_texture(import *im, const char *name, const enum aiTextureMapMode mode[2]); /* the same one for the same */

/* ---- matrices.c: column by column, as the model has them ---- */
void matrix_of(const struct aiMatrix4x4 *m, float out[16]);
bool split_matrix(const struct aiMatrix4x4 *m, stele_transform *local); /* false: it is more than that */
bool same_matrix(const float a[16], const float b[16]);

#endif
