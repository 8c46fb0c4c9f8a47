/* Which reading of SFF a file is. Nothing in it says so, but its sizes and counts must add up: the readings in which they do
 * are tried, those with the fewest deviations first, and the content decides among them. */
#include <math.h>

#include "base/bytes.h"
#include "base/scan.h"
#include "raw.h"

/* What there is to go by before anything is read. */
typedef struct survey {
    const uint8_t *data;
    uint64_t size;
    uint64_t mesh_count, geometry_size, format, mode, texture_size;
    uint64_t geometry_end;
} survey;

static survey survey_of(const uint8_t *data, uint64_t size)
{
    return (survey){.data = data,
                    .size = size,
                    .mesh_count = load_u32(data),
                    .geometry_size = load_u32(data + 4),
                    .format = load_u16(data + 8),
                    .mode = load_u16(data + 10),
                    .texture_size = load_u16(data + 12)};
}

/* ---- Sizes: each mesh ends where the next one begins, and the last one with the geometry ---- */

/* The bytes of a mesh by its own word, or 0 if it leaves the file. */
static uint64_t bytes_of_mesh(const survey *s, uint64_t at, unsigned reading)
{
    uint64_t left = s->size - at;
    uint64_t bytes = left < SFF_MESH_BYTES ? 0 : settled_u32(load_u32(s->data + at)) + st_sff_own_bytes(reading);
    return bytes >= SFF_MESH_BYTES && bytes <= left ? bytes : 0;
}

/* Where the last mesh ends, or 0 if one leaves the file. */
static uint64_t end_of_meshes(const survey *s, unsigned reading)
{
    uint64_t at = SFF_HEADER_BYTES;
    for (uint64_t i = 0; i < s->mesh_count; i++) {
        uint64_t bytes = bytes_of_mesh(s, at, reading);
        if (!bytes)
            return 0;
        at += bytes;
    }
    return at;
}

/* Adds what the sizes mean to the reading, and finds the end of the geometry. False if they do not add up at all. */
static bool solve_sizes(survey *s, unsigned *reading)
{
    static const unsigned mesh_sizes[] = {0, SFF_SIZE_WITHOUT_ITSELF};
    const struct {
        unsigned deviation;
        uint64_t end;
    } geometry[] = {{0, SFF_HEADER_BYTES + s->geometry_size},
                    {SFF_GEOMETRY_END, s->geometry_size},
                    {SFF_GEOMETRY_LAST, s->geometry_size + 1}};
    for (unsigned i = 0; i < 2; i++) {
        s->geometry_end = end_of_meshes(s, mesh_sizes[i]);
        for (unsigned k = 0; s->geometry_end && k < 3; k++)
            if (geometry[k].end == s->geometry_end) {
                *reading |= mesh_sizes[i] | geometry[k].deviation;
                return true;
            }
    }
    return false;
}

/* Adds how the textures are written: the width that uses up their size exactly. */
static void solve_textures(const survey *s, unsigned *reading)
{
    static const unsigned widths[] = {0, SFF_COUNT_16, SFF_COUNT_24};
    uint64_t left = s->size - s->geometry_end;
    for (unsigned i = 0; i < 3; i++) {
        sff_texture_scan scan =
            st_sff_scan_textures(s->data + s->geometry_end, left, s->texture_size, st_sff_count_bytes(widths[i]));
        if (scan.end != s->texture_size || scan.end > left)
            continue;
        *reading |= widths[i] | (scan.all_nul ? SFF_PATH_NUL : 0);
        return;
    }
}

/* ---- Attributes: those for which every mesh has the size that it says ---- */

static bool layout_fits(const survey *s, unsigned reading)
{
    sff_layout l = st_sff_layout(s->format, (raw_file){SFF_INTERLEAVED, reading});
    bool any_padding = false;
    uint64_t at = SFF_HEADER_BYTES;
    for (uint64_t i = 0; i < s->mesh_count; i++) {
        const uint8_t *mesh = s->data + at;
        uint64_t bytes = bytes_of_mesh(s, at, reading);
        if (!bytes)
            return false;
        uint64_t needed = st_sff_mesh_bytes(&l, load_u32(mesh + 4), load_u32(mesh + 8), load_u16(mesh + 12));
        bool padding = l.padded && bytes == needed + SFF_PADDING_BYTES;
        if (bytes != needed && !padding)
            return false;
        any_padding |= padding;
        at += bytes;
    }
    return any_padding || !l.padded;
}

/* The mode is believed, and that indices come last; what was read must make sense, or the contrary is tried. */
static void try_orders(const survey *s, unsigned reading, probe *p)
{
    sff_layout l = st_sff_layout(s->format, (raw_file){SFF_INTERLEAVED, reading});
    unsigned flagged = s->mode ? SFF_PACKED : SFF_INTERLEAVED;
    for (unsigned first = 0; first <= (l.index_size ? 1 : 0); first++)
        for (unsigned other = 0; other <= (l.components[SFF_NORMAL] ? 1 : 0); other++) {
            unsigned dialect = flagged ^ other;
            probe_try(p, TRUST_PLAUSIBLE, dialect,
                      reading | (first ? SFF_INDICES_FIRST : 0) | (s->mode != dialect ? SFF_OTHER_MODE : 0));
        }
}

static void try_layouts(const survey *s, unsigned reading, probe *p)
{
    enum { MOST = SFF_OTHER_NORMALS | SFF_OTHER_UVS | SFF_OTHER_INDICES | SFF_INDICES_16 | SFF_PADDED, MOST_AT_ONCE = 5 };
    for (int at_once = 0; at_once <= MOST_AT_ONCE; at_once++) {
        for (unsigned deviations = 0; deviations <= MOST; deviations++)
            if (__builtin_popcount(deviations) == at_once && layout_fits(s, reading | deviations))
                try_orders(s, reading | deviations, p);
        /* where the format is right there is nothing to solve */
        if (!at_once && p->candidate_count)
            return;
    }
    if (!p->candidate_count)
        try_orders(s, reading, p);
}

/* ---- The file ---- */

/* Of a file whose sizes do not add up: is it SFF that was cut or damaged, or something else under its name? */
static bool header_plausible(const survey *s)
{
    uint64_t least = s->mesh_count * SFF_MESH_BYTES;
    return (least <= s->geometry_size || least <= s->size) && !(s->format & ~(uint64_t)SFF_KNOWN_BITS) && s->mode <= SFF_PACKED;
}

void st_sff_probe(const uint8_t *data, uint64_t size, probe *p)
{
    unsigned reading = 0;
    if (size && size < SFF_HEADER_BYTES)
        probe_try(p, TRUST_PLAUSIBLE, SFF_INTERLEAVED, 0);
    if (size < SFF_HEADER_BYTES)
        return;
    survey s = survey_of(data, size);
    if (!s.mesh_count && !s.texture_size && size != SFF_HEADER_BYTES)
        return; /* a few zeros are no header */
    if (solve_sizes(&s, &reading)) {
        solve_textures(&s, &reading);
        try_layouts(&s, reading, p);
    } else if (header_plausible(&s)) {
        probe_try(p, TRUST_PLAUSIBLE, s.mode ? SFF_PACKED : SFF_INTERLEAVED, 0);
    }
}

/* ---- Sense ---- */

typedef struct unit_count {
    uint64_t unit, all;
} unit_count;

enum { ENOUGH_NORMALS = 1000 };

static void count_unit_normals(const stele_view *normals, unit_count *count)
{
    for (uint64_t v = 0; v < normals->count && v < ENOUGH_NORMALS; v++) {
        const uint8_t *n = st_view_at(normals, v);
        float x = load_f32(n), y = load_f32(n + 4), z = load_f32(n + 8);
        float square = x * x + y * y + z * z;
        count->unit += square >= 0.99f * 0.99f && square <= 1.01f * 1.01f;
        count->all++;
    }
}

static bool any_nonfinite(const sff_layout *l, const sff_mesh *m)
{
    if (!l->packed)
        return st_scan_nonfinite(m->vertices.data, sense_rows(m->vertex_count) * l->stride / 4);
    for (unsigned i = 0; i < SFF_ATTRIBUTES; i++)
        if (l->components[i] && st_scan_nonfinite(m->attribute[i].data, sense_rows(m->vertex_count) * l->components[i]))
            return true;
    return false;
}

/* Numbers next to nothing are integers that were misread: nobody writes such uvs or normals. */
static bool any_denormal(const sff_layout *l, const sff_mesh *m)
{
    for (unsigned i = SFF_NORMAL; i < SFF_ATTRIBUTES; i++) {
        stele_view floats = st_sff_floats(l, m, (sff_attribute)i);
        for (uint64_t v = 0; v < sense_rows(m->vertex_count); v++)
            for (uint32_t k = 0; k < floats.components; k++)
                if (fpclassify(load_f32(st_view_at(&floats, v) + 4 * k)) == FP_SUBNORMAL)
                    return true;
    }
    return false;
}

static bool indices_beyond(const sff_layout *l, const sff_mesh *m, const uint8_t *indices)
{
    return l->index_size && st_scan_beyond(indices, sense_rows(m->index_count), st_sff_index_type(l), m->vertex_count);
}

/* Indices before the attributes are believed only if there cannot be any after them. */
static bool must_be_first(const sff_layout *l, const sff_mesh *m)
{
    return l->indices_first && indices_beyond(l, m, m->indices.data + m->vertex_count * l->stride);
}

static bool header_odd(const sff_file *f)
{
    return f->mode > SFF_PACKED || f->format & ~(uint64_t)SFF_KNOWN_BITS || !(f->format & SFF_POSITIONS);
}

sense st_sff_sense(const raw_file *raw)
{
    const sff_file *f = (const sff_file *)raw;
    sff_layout l = st_sff_layout(f->format, *raw);
    unit_count normals = {0, 0};
    bool odd = header_odd(f), in_place = !l.indices_first;
    for (uint64_t i = 0; f->mesh && i < f->mesh_count && f->mesh[i].bytes; i++) {
        const sff_mesh *m = &f->mesh[i];
        stele_view normal = st_sff_floats(&l, m, SFF_NORMAL);
        bool other_attributes = raw->reading & (SFF_OTHER_NORMALS | SFF_OTHER_UVS);
        bool misread = other_attributes && any_denormal(&l, m);
        if (misread || !st_sff_mesh_size_holds(f, m) || indices_beyond(&l, m, m->indices.data))
            return SENSE_NONE;
        /* what the format does not promise, and the count does, is more likely there than attributes that nothing promises */
        odd |= other_attributes && !(raw->reading & SFF_OTHER_INDICES) && !l.index_size && m->index_count;
        in_place |= must_be_first(&l, m);
        odd |= any_nonfinite(&l, m);
        if (normal.components)
            count_unit_normals(&normal, &normals);
    }
    /* without a mesh there is nothing that could confirm it */
    if (f->end && (!f->mesh_count || !st_sff_geometry_size_holds(f) || !st_sff_texture_size_holds(f)))
        return SENSE_NONE;
    /* half of the triples in rows of positions and normals are normals wherever one starts, so that half is not enough */
    bool unit = 4 * normals.unit >= 3 * normals.all;
    /* a few zeros pass for indices: at an unusual place they need normals that bear them out */
    if (!in_place || (!unit && l.indices_first))
        return SENSE_NONE;
    return odd || !unit ? SENSE_ODD : SENSE_GOOD;
}
