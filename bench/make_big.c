/* Writes a large model of the benchmark: make_big KIND FILE, for the kinds listed at the end.
 *
 * 2,000,000 vertices (position, normal, uv: 32 bytes) and 4,000,000 triangles (indices of 4 bytes), 112 MB: a torus with bumps,
 * because its grid closes in both directions and so has exactly two triangles for every vertex. The normals are those of the
 * surface, the triangles are counter-clockwise and none is degenerate: there is nothing to find. CTC has 16-bit indices, and so
 * a smaller torus many times over. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { AROUND = 2000, ACROSS = 1000, VERTICES = AROUND * ACROSS, INDICES = 6 * VERTICES };

static const double pi = 3.14159265358979323846, ring = 3, tube = 1, bump = 0.05;
static const int waves = 24;

static void put_uint(FILE *out, uint32_t value, int size)
{
    for (int i = 0; i < size; i++)
        putc((int)(value >> (8 * i) & 255), out);
}

static void put_float(FILE *out, double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    put_uint(out, bits, 4);
}

/* With r the radius of the tube at (u, v), the surface is ((ring + r cos v) cos u, r sin v, (ring + r cos v) sin u), and its
 * normal is the cross product of the two derivatives. */
static void surface(int around, int across, double position[3], double normal[3], double uv[2])
{
    double u = 2 * pi * around / AROUND, v = 2 * pi * across / ACROSS;
    double cu = cos(u), su = sin(u), cv = cos(v), sv = sin(v);
    double r = tube + bump * sin(waves * u) * sin(waves * v);
    double ru = bump * waves * cos(waves * u) * sin(waves * v), rv = bump * waves * sin(waves * u) * cos(waves * v);
    double axis = ring + r * cv, out_v = rv * cv - r * sv;
    double du[3] = {ru * cv * cu - axis * su, ru * sv, ru * cv * su + axis * cu};
    double dv[3] = {out_v * cu, rv * sv + r * cv, out_v * su};
    double n[3] = {dv[1] * du[2] - dv[2] * du[1], dv[2] * du[0] - dv[0] * du[2], dv[0] * du[1] - dv[1] * du[0]};
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    double place[3] = {axis * cu, r * sv, axis * su};
    for (int i = 0; i < 3; i++) {
        position[i] = place[i];
        normal[i] = n[i] / length;
    }
    uv[0] = (double)around / AROUND;
    uv[1] = (double)across / ACROSS;
}

/* Which parts of a vertex to put. */
enum { POSITION = 1, NORMAL = 2, UV = 4, ALL = 7 };

static void put_vertex(FILE *out, int vertex, int parts)
{
    double position[3], normal[3], uv[2];
    surface(vertex / ACROSS, vertex % ACROSS, position, normal, uv);
    for (int i = 0; parts & POSITION && i < 3; i++)
        put_float(out, position[i]);
    for (int i = 0; parts & NORMAL && i < 3; i++)
        put_float(out, normal[i]);
    for (int i = 0; parts & UV && i < 2; i++)
        put_float(out, uv[i]);
}

static void put_vertices(FILE *out, int parts)
{
    for (int i = 0; i < VERTICES; i++)
        put_vertex(out, i, parts);
}

static void put_quad(FILE *out, int around, int across)
{
    uint32_t here = (uint32_t)(around * ACROSS), next = (uint32_t)((around + 1) % AROUND * ACROSS);
    uint32_t low = (uint32_t)across, high = (uint32_t)((across + 1) % ACROSS);
    uint32_t corners[] = {here + low, here + high, next + high, here + low, next + high, next + low};
    for (int i = 0; i < 6; i++)
        put_uint(out, corners[i], 4);
}

static void put_indices(FILE *out)
{
    for (int i = 0; i < VERTICES; i++)
        put_quad(out, i / ACROSS, i % ACROSS);
}

/* ---- The kinds ---- */

static void put_sgm(FILE *out)
{
    put_uint(out, 0x15052290, 4);
    put_uint(out, 3, 1);
    put_uint(out, 1, 1); /* materials: its id, no uv sets, one base colour */
    put_uint(out, 0x010000, 3);
    put_uint(out, 0, 1);
    for (int i = 0; i < 4; i++)
        put_float(out, 1);
    put_uint(out, 1, 1); /* meshes: its id and material */
    put_uint(out, 0, 2);
    put_uint(out, VERTICES, 4);
    put_uint(out, 1, 4); /* uv sets, and no colours, tangents or bones */
    put_vertices(out, ALL);
    put_uint(out, INDICES, 4);
    put_uint(out, 4, 1);
    put_indices(out);
    put_uint(out, 0, 1); /* no animation */
}

static void put_twm(FILE *out)
{
    fputs(".twm", out);
    put_uint(out, 3, 4);
    put_uint(out, 1, 4); /* meshes, and no skeleton */
    put_uint(out, 0, 4);
    put_uint(out, VERTICES, 4);
    put_uint(out, 0x0101, 4); /* normals and uvs */
    put_uint(out, 0, 4);
    put_vertices(out, POSITION);
    put_vertices(out, NORMAL);
    put_vertices(out, UV);
    put_uint(out, INDICES, 4);
    put_indices(out);
    put_uint(out, 0, 4);
    fputs(".twm END OF FILE", out);
}

static void put_identity(FILE *out)
{
    for (int i = 0; i < 16; i++)
        put_float(out, i % 5 == 0);
}

static void put_mesh(FILE *out)
{
    put_uint(out, 1, 1);
    put_uint(out, 0x0F, 2); /* position, normal, uv, joints */
    put_uint(out, VERTICES, 4);
    put_uint(out, INDICES, 4);
    put_uint(out, 1, 1); /* joints */
    put_uint(out, 0, 2); /* animations */
    put_identity(out);
    for (int i = 0; i < VERTICES; i++) {
        put_vertex(out, i, ALL);
        put_uint(out, 0xFFFFFF00, 4); /* joint 0 and three times none, */
        put_uint(out, 0xFF, 4);       /* all weight on the first */
    }
    put_indices(out);
    put_uint(out, 0xFF00, 2); /* joint 0, no parent */
    put_identity(out);
}

static void put_sff_header(FILE *out, uint32_t mode)
{
    uint32_t size = 14 + VERTICES * 32u + INDICES * 4u;
    put_uint(out, 1, 4); /* meshes */
    put_uint(out, size, 4);
    put_uint(out, 0x0F, 2); /* position, normal, uv, indices */
    put_uint(out, mode, 2);
    put_uint(out, 0, 2); /* no textures */
    put_uint(out, size, 4);
    put_uint(out, VERTICES, 4);
    put_uint(out, INDICES, 4);
    put_uint(out, 0, 2);
}

static void put_sff_interleaved(FILE *out)
{
    put_sff_header(out, 0);
    put_vertices(out, ALL);
    put_indices(out);
}

static void put_sff_packed(FILE *out)
{
    put_sff_header(out, 1);
    put_vertices(out, POSITION);
    put_vertices(out, NORMAL);
    put_vertices(out, UV);
    put_indices(out);
}

enum { CTC_VERTICES = 50000, CTC_TRIANGLES = 3300000, CTC_HEADER = 144, CTC_WORDS = 36 };

static void put_ctc(FILE *out)
{
    uint32_t words[CTC_WORDS] = {0x4C444D53, 11};
    uint32_t verts = CTC_HEADER, scratch = verts + 24 * CTC_VERTICES, xyz = scratch + 24 * CTC_VERTICES;
    uint32_t uvs = xyz + 6 * CTC_TRIANGLES, end = uvs + 24 * CTC_TRIANGLES;
    words[6] = CTC_VERTICES;
    words[8] = CTC_TRIANGLES;
    words[20] = verts;
    words[21] = scratch;
    words[22] = xyz;
    words[23] = uvs;
    words[35] = end;
    for (int i = 0; i < CTC_WORDS; i++)
        put_uint(out, words[i], 4);
    for (int i = 0; i < CTC_VERTICES; i++)
        put_vertex(out, i, POSITION | NORMAL);
    for (int i = 0; i < 6 * CTC_VERTICES; i++)
        put_uint(out, 0, 4);
    for (int i = 0; i < CTC_TRIANGLES; i++) {
        uint32_t first = (uint32_t)(i % (CTC_VERTICES - ACROSS - 1));
        put_uint(out, first, 2);
        put_uint(out, first + 1, 2);
        put_uint(out, first + ACROSS + 1, 2);
    }
    for (int i = 0; i < CTC_TRIANGLES; i++)
        for (int k = 0; k < 6; k++)
            put_float(out, (double)(k & 1) * (i % 1000) / 1000);
}

static const struct {
    const char *name;
    void (*put)(FILE *out);
} kinds[] = {
    {"sgm", put_sgm}, {"twm", put_twm}, {"mesh", put_mesh}, {"sff", put_sff_interleaved}, {"sff-packed", put_sff_packed},
    {"ctc", put_ctc}};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 3 && i < sizeof kinds / sizeof *kinds; i++) {
        FILE *out = strcmp(kinds[i].name, argv[1]) == 0 ? fopen(argv[2], "wb") : NULL;
        if (!out)
            continue;
        kinds[i].put(out);
        return ferror(out) | fclose(out);
    }
    fputs("usage: make_big KIND FILE, which must be writable\n", stderr);
    return 1;
}
