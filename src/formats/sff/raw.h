/* Private to SFF: its raw structs, and the readings of a document that leaves much open. */
#ifndef ST_SFF_H
#define ST_SFF_H

#include "formats/format.h"

/* What the mode says, and so the dialects. */
typedef enum sff_dialect { SFF_INTERLEAVED, SFF_PACKED } sff_dialect;

/* The bits of the format. */
enum { SFF_POSITIONS = 1, SFF_NORMALS = 2, SFF_UVS = 4, SFF_INDICES = 8, SFF_KNOWN_BITS = 15 };

/* A reading is the set of its deviations from the profile that docs/formats/sff.md proposes. */
enum {
    SFF_OTHER_NORMALS = 1 << 0, /* there are normals although the format denies it, or the other way round */
    SFF_OTHER_UVS = 1 << 1,
    SFF_OTHER_INDICES = 1 << 2,
    SFF_INDICES_16 = 1 << 3,          /* indices have 2 bytes, whatever the format says */
    SFF_PADDED = 1 << 4,              /* 2 bytes follow the texture indices of meshes whose size counts them */
    SFF_INDICES_FIRST = 1 << 5,       /* indices come before the attributes */
    SFF_OTHER_MODE = 1 << 6,          /* the mode is not the number of the dialect */
    SFF_GEOMETRY_END = 1 << 7,        /* geometry_size is the offset at which the geometry ends */
    SFF_GEOMETRY_LAST = 1 << 8,       /* or that of its last byte */
    SFF_SIZE_WITHOUT_ITSELF = 1 << 9, /* the size of a mesh excludes its own 4 bytes */
    SFF_COUNT_16 = 1 << 10,           /* the mesh count of a texture has 2 bytes */
    SFF_COUNT_24 = 1 << 11,           /* or 3 */
    SFF_PATH_NUL = 1 << 12            /* paths end in a NUL */
};

enum { SFF_HEADER_BYTES = 14, SFF_MESH_BYTES = 14, SFF_PADDING_BYTES = 2, SFF_SIZE_BYTES = 4 };

typedef enum sff_attribute { SFF_POSITION, SFF_NORMAL, SFF_UV, SFF_ATTRIBUTES } sff_attribute;

/* How the meshes are laid out, by the header and the reading. */
typedef struct sff_layout {
    uint32_t components[SFF_ATTRIBUTES]; /* floats of each attribute, 0 if there is none */
    uint32_t stride;                     /* bytes of a vertex */
    uint32_t index_size;                 /* 0: there are no indices */
    bool packed, padded, indices_first;
} sff_layout;

/* In these, bytes is how many a structure really has; 0 if it was not read to its end. */

typedef struct sff_mesh {
    uint64_t bytes;
    uint64_t size, vertex_count, index_count;
    uint16_t texture_count, padding;
    span texture;
    span vertices;                  /* interleaved */
    span attribute[SFF_ATTRIBUTES]; /* packed */
    span indices;
} sff_mesh;

typedef struct sff_texture {
    uint64_t path_length, mesh_count;
    span path, mesh;
} sff_texture;

typedef struct sff_file {
    raw_file raw;
    uint64_t mesh_count, geometry_size, format, mode, texture_size;
    sff_mesh *mesh;
    uint64_t geometry_end, end; /* where they really are; end is 0 if it was not reached */
    uint64_t texture_count;     /* not in the file: as many as fit in texture_size */
    sff_texture *texture;
} sff_file;

sff_layout st_sff_layout(uint64_t format, raw_file raw);
stele_view st_sff_floats(const sff_layout *l, const sff_mesh *m, sff_attribute attribute);
stele_type st_sff_index_type(const sff_layout *l);

/* The bytes of a mesh without padding. */
uint64_t st_sff_mesh_bytes(const sff_layout *l, uint64_t vertex_count, uint64_t index_count, uint64_t texture_count);

/* The bytes by which the size of a mesh is short. */
uint64_t st_sff_own_bytes(unsigned reading);

/* The bytes of the mesh count of a texture. */
uint32_t st_sff_count_bytes(unsigned reading);

/* The texture records that begin within texture_size bytes: how many, and where the last ends (far off if the data does not
 * go so far). */
typedef struct sff_texture_scan {
    uint64_t count, end;
    bool all_nul; /* there are some, and all paths end in a NUL */
} sff_texture_scan;

sff_texture_scan st_sff_scan_textures(const uint8_t *data, uint64_t size, uint64_t texture_size, uint32_t count_bytes);

/* A path as a C string; its length without the NUL that the reading takes it to end in. */
const char *st_sff_path(arena *a, const sff_texture *t);
uint64_t st_sff_path_length(const sff_texture *t, unsigned reading);

/* Which meshes use which textures, as the textures say it: sorted pairs. Mesh and texture have 16 bits each: indices have, and
 * 65535 bytes hold fewer textures. */
typedef struct sff_relation {
    uint32_t *pairs; /* NULL if there was no memory */
    size_t count;
} sff_relation;

static inline uint32_t st_sff_pair(uint64_t mesh, uint64_t texture)
{
    return (uint32_t)(mesh << 16 | texture);
}

sff_relation st_sff_relation(const sff_file *f, arena *a);

/* The position of the first pair that is not less. */
size_t st_sff_first_pair(const sff_relation *r, uint32_t pair);

extern const format st_format_sff;
void st_sff_probe(const uint8_t *data, uint64_t size, probe *p);
sense st_sff_sense(const raw_file *raw);
void st_sff_check(context *c, const raw_file *raw);
bool st_sff_adapt(context *c, const raw_file *from, raw_file *raw, unsigned dialect);
bool st_sff_load(context *c, const raw_file *raw);
bool st_sff_save(context *c, raw_file *raw);

/* Sets the sizes in the header by those of the meshes and textures; refuses what its fields cannot hold, at their places in
 * another file or in this one. */
void st_sff_set_sizes(context *c, const sff_file *places, sff_file *f);

/* Properties of a model and of a material. */
#define SFF_DIALECT_KEY "sff.dialect"
#define SFF_BITS_KEY "sff.format_bits"  /* those of the format that have no meaning */
#define SFF_UVS_KEY "sff.uvs"           /* 0: there are textures, but no texture coordinates, and zeros were made for others */
#define SFF_TEXTURES_KEY "sff.textures" /* the names of all textures but the first, one to a line */

/* Whether sizes hold, in the reading of the file. */
bool st_sff_mesh_size_holds(const sff_file *f, const sff_mesh *m);
bool st_sff_geometry_size_holds(const sff_file *f);
bool st_sff_texture_size_holds(const sff_file *f);

#endif
