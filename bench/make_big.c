/* Writes the large model of the benchmark: make_big FILE.
 *
 * An SGM v3 of 2,000,000 vertices (position, normal, one uv: 32 bytes) and 4,000,000 triangles (indices of 4 bytes), 112 MB:
 * a torus with bumps, because its grid closes in both directions and so has exactly two triangles for every vertex. The
 * normals are those of the surface, the triangles are counter-clockwise and none is degenerate: there is nothing to find. */
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

static void put_header(FILE *out)
{
    put_uint(out, 0x15052290, 4);
    put_uint(out, 3, 1);
    put_uint(out, 1, 1); /* materials: its id, no uv sets, one base colour */
    put_uint(out, 0, 1);
    put_uint(out, 0, 1);
    put_uint(out, 1, 1);
    put_uint(out, 0, 1);
    for (int i = 0; i < 4; i++)
        put_float(out, 1);
    put_uint(out, 1, 1); /* meshes: its id and material */
    put_uint(out, 0, 1);
    put_uint(out, 0, 1);
    put_uint(out, VERTICES, 4);
    put_uint(out, 1, 1); /* uv sets, and no colours, tangents or bones */
    put_uint(out, 0, 3);
}

/* With r the radius of the tube at (u, v), the surface is ((ring + r cos v) cos u, r sin v, (ring + r cos v) sin u), and its
 * normal is the cross product of the two derivatives. */
static void put_vertex(FILE *out, int around, int across)
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
    put_float(out, axis * cu);
    put_float(out, r * sv);
    put_float(out, axis * su);
    for (int i = 0; i < 3; i++)
        put_float(out, n[i] / length);
    put_float(out, (double)around / AROUND);
    put_float(out, (double)across / ACROSS);
}

static void put_quad(FILE *out, int around, int across)
{
    uint32_t here = (uint32_t)(around * ACROSS), next = (uint32_t)((around + 1) % AROUND * ACROSS);
    uint32_t low = (uint32_t)across, high = (uint32_t)((across + 1) % ACROSS);
    uint32_t corners[] = {here + low, here + high, next + high, here + low, next + high, next + low};
    for (int i = 0; i < 6; i++)
        put_uint(out, corners[i], 4);
}

int main(int argc, char **argv)
{
    FILE *out = argc == 2 ? fopen(argv[1], "wb") : NULL;
    if (!out) {
        fprintf(stderr, "make_big: cannot write %s\n", argc == 2 ? argv[1] : "without the name of a file");
        return 1;
    }
    put_header(out);
    for (int i = 0; i < VERTICES; i++)
        put_vertex(out, i / ACROSS, i % ACROSS);
    put_uint(out, INDICES, 4);
    put_uint(out, 4, 1);
    for (int i = 0; i < VERTICES; i++)
        put_quad(out, i / ACROSS, i % ACROSS);
    put_uint(out, 0, 1); /* no animation */
    if (ferror(out) | fclose(out)) {
        fprintf(stderr, "make_big: cannot write %s\n", argv[1]);
        return 1;
    }
    return 0;
}
