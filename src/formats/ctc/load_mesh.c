/* The surface of a CTC. Its texture coordinates and colours belong to the corners of triangles: a vertex of the model is a
 * vertex of the file with one of them each. */
#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/srgb.h"
#include "raw.h"

const uint8_t st_ctc_unset[] = {0x33, 0x66, 0xE5};

/* ---- Lists ---- */

ctc_list *st_ctc_lists(const ctc_file *f, arena *a, size_t *count)
{
    const span *sizes = &f->rows[CTC_TRI_LISTS];
    uint64_t left = ctc_word_of(f, CTC_TRIANGLE_COUNT), first = 0, total = sizes->count ? sizes->count : 1;
    uint32_t skins = ctc_word_of(f, CTC_SKIN_COUNT);
    ctc_list *lists = st_arena_array(a, total, sizeof *lists);
    *count = 0;
    for (uint64_t i = 0; lists && i < total; i++) {
        uint64_t size = sizes->count ? settled_u32(load_u32(sizes->data + 4 * i)) : left;
        size = size < left ? size : left;
        if (size)
            lists[(*count)++] = (ctc_list){first, size, i < skins ? (uint32_t)i : STELE_NONE};
        first += size;
        left -= size;
    }
    return lists;
}

const uint8_t *st_ctc_color(const ctc_file *f, uint64_t corner)
{
    const span *colors = &f->rows[CTC_COLORS];
    if (colors->count == f->rows[CTC_INDICES].count)
        return colors->data + 4 * corner;
    if (colors->count == ctc_word_of(f, CTC_VERTEX_COUNT) && colors->count)
        return colors->data + 4 * (uint64_t)ctc_vertex_of(f, corner);
    return NULL;
}

/* ---- Splitting vertices ---- */

typedef struct surface {
    context *c;
    const ctc_file *file;
    const ctc_rig *rig;
    bool reverse;
    /* For all lists together: vertices of the model follow each other, those of the first list first. */
    uint32_t *vertex; /* of the file, of each corner */
    uint32_t *corner; /* of each: a corner that has its content */
    uint32_t *part;   /* of each corner of the list: its vertex, counted from the first of the list */
    uint64_t count;
    uint64_t *first; /* of each list, and the end */
    size_t list_count;
} surface;

static uint32_t vertex_at(const surface *s, uint64_t corner)
{
    return s->vertex[corner];
}

static const uint8_t *position_at(const surface *s, uint32_t vertex)
{
    return s->file->rows[CTC_VERTICES].data + (uint64_t)vertex * VERTEX_BYTES;
}

static const uint8_t *uv_at(const surface *s, uint64_t corner)
{
    return s->file->rows[CTC_UVS].data + 8 * corner;
}

/* Of two corners of one vertex. */
static bool same_content(const surface *s, uint64_t a, uint64_t b)
{
    const uint8_t *color_a = st_ctc_color(s->file, a), *color_b = st_ctc_color(s->file, b);
    return memcmp(uv_at(s, a), uv_at(s, b), 8) == 0 && (!color_a || memcmp(color_a, color_b, 4) == 0);
}

static uint32_t hash_of(const surface *s, uint64_t corner)
{
    const uint8_t *color = st_ctc_color(s->file, corner);
    return hash_end(hash_mix(hash_bytes(0, uv_at(s, corner), 8), color ? load_u32(color) : 0));
}

/* Sorts corners by a key of each; those of one key stay as they are. There are so many keys. */
static bool sort_corners(arena *a, uint64_t keys, const uint32_t *key, uint64_t count, const uint32_t *from, uint32_t *to)
{
    arena_mark mark = st_arena_mark(a);
    uint32_t *start = st_arena_array(a, keys + 1, sizeof *start);
    for (uint64_t i = 0; start && i < count; i++)
        start[key[i] + 1]++;
    for (uint64_t i = 0; start && i < keys; i++)
        start[i + 1] += start[i];
    for (uint64_t i = 0; start && i < count; i++)
        to[start[key[from[i]]]++] = from[i];
    st_arena_rewind(a, mark);
    return start;
}

/* All corners by their lists, and in these by the vertices of the file, so that vertices come back in its order: each group is
 * small, where one table for all would miss the cache with every corner. Those of no list are last. */
static bool order_corners(surface *s, const ctc_list *lists, uint64_t corners, uint32_t *order)
{
    arena *a = s->c->arena;
    arena_mark mark = st_arena_mark(a);
    uint32_t *list = st_arena_array(a, corners, sizeof *list), *by_vertex = st_arena_array(a, corners, sizeof *by_vertex);
    bool possible = list && by_vertex;
    for (uint64_t i = 0, at = 0; possible && i < corners; i++) {
        while (at < s->list_count && i >= 3 * (lists[at].first + lists[at].count))
            at++;
        list[i] = (uint32_t)at;
        order[i] = (uint32_t)i;
    }
    possible = possible && sort_corners(a, s->file->rows[CTC_VERTICES].count, s->vertex, corners, order, by_vertex) &&
               sort_corners(a, s->list_count + 1, list, corners, by_vertex, order);
    st_arena_rewind(a, mark);
    return possible;
}

/* The vertices of the model that the corners of one vertex of a list become. */
static bool split_vertex(surface *s, uint64_t first, const uint32_t *corners, uint64_t count)
{
    arena_mark mark = st_arena_mark(s->c->arena);
    hash_table contents;
    bool possible = st_hash_make(&contents, s->c->arena, count);
    for (uint64_t i = 0; possible && i < count; i++) {
        uint32_t found, hash = hash_of(s, corners[i]);
        hash_probe p = hash_at(&contents, hash);
        while ((found = hash_next(&p)) != STELE_NONE && !same_content(s, s->corner[first + found], corners[i]))
            ;
        if (found == STELE_NONE) {
            found = (uint32_t)(s->count - first);
            s->corner[s->count++] = corners[i];
            st_hash_add(&contents, s->c->arena, hash, found); /* there is room */
        }
        s->part[corners[i]] = found;
    }
    st_arena_rewind(s->c->arena, mark);
    return possible;
}

static bool split_list(surface *s, const uint32_t *corners, uint64_t count)
{
    uint64_t first = s->count;
    bool possible = true;
    for (uint64_t begin = 0, end; possible && begin < count; begin = end) {
        for (end = begin + 1; end < count && vertex_at(s, corners[end]) == vertex_at(s, corners[begin]);)
            end++;
        possible = split_vertex(s, first, corners + begin, end - begin);
    }
    return possible;
}

static bool split_vertices(surface *s, const ctc_list *lists)
{
    uint64_t corners = s->file->rows[CTC_INDICES].count;
    arena *a = s->c->arena;
    s->vertex = st_arena_array(a, corners, sizeof *s->vertex);
    s->corner = st_arena_array(a, corners, sizeof *s->corner);
    s->part = st_arena_array(a, corners, sizeof *s->part);
    s->first = st_arena_array(a, (uint64_t)s->list_count + 1, sizeof *s->first);
    arena_mark mark = st_arena_mark(a);
    uint32_t *order = st_arena_array(a, corners, sizeof *order);
    bool possible = s->vertex && s->corner && s->part && s->first && order;
    for (uint64_t i = 0; possible && i < corners; i++)
        s->vertex[i] = ctc_vertex_of(s->file, i);
    possible = possible && order_corners(s, lists, corners, order);
    for (size_t i = 0; possible && i < s->list_count; i++) {
        possible = split_list(s, order + 3 * lists[i].first, 3 * lists[i].count);
        s->first[i + 1] = s->count;
    }
    st_arena_rewind(a, mark);
    return possible;
}

/* ---- Attributes ---- */

typedef const uint8_t *(*bytes_of_corner)(const surface *s, uint64_t corner);

/* Each vertex of a list was made of so many bytes of its corner. */
static void note_origins(const surface *s, size_t list, const stele_view *made, bytes_of_corner bytes_at, uint64_t size)
{
    byte_range *each = st_made_of_each(s->c, made);
    for (uint64_t i = 0; each && i < made->count; i++)
        each[i] = (byte_range){bytes_at(s, s->corner[s->first[list] + i]), size};
}

static stele_view gather(const surface *s, size_t list, uint32_t components, bytes_of_corner bytes_at)
{
    uint8_t *bytes;
    uint64_t first = s->first[list], count = s->first[list + 1] - first;
    stele_view view = st_view_make(s->c->arena, count, STELE_F32, components, &bytes);
    for (uint64_t i = 0; bytes && i < count; i++)
        memcpy(bytes + i * view.stride, bytes_at(s, s->corner[first + i]), view.stride);
    note_origins(s, list, &view, bytes_at, view.stride);
    return view;
}

static const uint8_t *position_of_corner(const surface *s, uint64_t corner)
{
    return position_at(s, vertex_at(s, corner));
}

static const uint8_t *normal_of_corner(const surface *s, uint64_t corner)
{
    return position_at(s, vertex_at(s, corner)) + VERTEX_NORMAL;
}

static const uint8_t *color_of_corner(const surface *s, uint64_t corner)
{
    return st_ctc_color(s->file, corner);
}

/* Red, green and blue are sRGB; those that are not set are white. */
static stele_view gather_colors(const surface *s, size_t list)
{
    enum { BRIGHTEST = 65535 };
    uint8_t *bytes;
    uint64_t first = s->first[list], count = s->first[list + 1] - first;
    stele_view view = st_view_make(s->c->arena, count, STELE_U16, 4, &bytes);
    view.normalized = true;
    for (uint64_t i = 0; bytes && i < count; i++) {
        const uint8_t *color = st_ctc_color(s->file, s->corner[first + i]);
        bool set = memcmp(color, st_ctc_unset, sizeof st_ctc_unset) != 0;
        for (uint32_t k = 0; k < 4; k++) {
            double value = k == 3 ? color[k] / 255.0 : set ? (double)st_srgb_linear[color[k]] : 1;
            store_uint(bytes + 8 * i + 2 * k, (uint64_t)(value * BRIGHTEST + 0.5), 2);
        }
    }
    note_origins(s, list, &view, color_of_corner, 4);
    return view;
}

static stele_view gather_indices(const surface *s, size_t index, const ctc_list *list)
{
    uint8_t *bytes;
    bool small = s->first[index + 1] - s->first[index] <= UINT16_MAX;
    stele_view view = st_view_make(s->c->arena, 3 * list->count, small ? STELE_U16 : STELE_U32, 1, &bytes);
    byte_range *each = st_made_of_each(s->c, &view);
    for (uint64_t i = 0; bytes && i < view.count; i++) {
        uint64_t corner = 3 * list->first + (s->reverse && i % 3 ? i / 3 * 3 + (3 - i % 3) : i);
        store_uint(bytes + i * view.stride, s->part[corner], view.stride);
        if (each)
            each[i] = (byte_range){s->file->rows[CTC_INDICES].data + 2 * corner, 2};
    }
    return view;
}

/* What moves the vertices of a list, for st_load_influences. The joint after the bones is the node of the main key. */
typedef struct list_skin {
    const surface *surface;
    uint64_t first;
} list_skin;

static size_t influences_at(const void *context, uint64_t vertex, influence *influences)
{
    const list_skin *skin = context;
    const ctc_rig *rig = skin->surface->rig;
    uint32_t v = vertex_at(skin->surface, skin->surface->corner[skin->first + vertex]);
    const uint8_t *row = rig->weights[v];
    uint32_t count = rig->influences[v];
    if (rig->owner[v] == STELE_NONE) {
        influences[0] = (influence){rig->bone_count, 1};
        return 1;
    }
    count = count < MOST_INFLUENCES ? count : MOST_INFLUENCES;
    for (uint32_t i = 0; i < count; i++)
        influences[i] = (influence){load_u32(row + 8 * (uint64_t)i), (double)load_f32(row + 4 + 8 * (uint64_t)i)};
    return count;
}

static byte_range bytes_of_influences_at(const void *context, uint64_t vertex)
{
    const list_skin *skin = context;
    const uint8_t *row = skin->surface->rig->weights[vertex_at(skin->surface, skin->surface->corner[skin->first + vertex])];
    return (byte_range){row, row ? 4 + 8 * (uint64_t)load_u32(row) : 0};
}

static bool add_skin(const surface *s, size_t list, diag_place at, stele_primitive *p)
{
    list_skin skin = {s, s->first[list]};
    skin_result result;
    skin_request request = {.vertex_count = p->vertex_count,
                            .influences = influences_at,
                            .bytes = bytes_of_influences_at,
                            .context = &skin,
                            .joint_count = (size_t)s->rig->bone_count + 1,
                            .place = at};
    if (!st_load_influences(s->c, &request, &result))
        return false;
    primitive_add_skin(p, &result);
    return true;
}

enum { MOST_ATTRIBUTES = 4 + 2 * (MOST_INFLUENCES / 4) };

/* Without lists all triangles are one. */
static diag_place place_of_list(const ctc_file *f, size_t index)
{
    const span *lists = &f->rows[CTC_TRI_LISTS];
    return index < lists->count ? at_row(lists->data + 4 * index, 1) : at_path("mesh", 1);
}

static bool load_primitive(const surface *s, size_t index, const ctc_list *list, stele_primitive *p)
{
    context *c = s->c;
    stele_attribute attributes[MOST_ATTRIBUTES];
    diag_place at = place_of_list(s->file, index);
    st_part_at(c, STELE_PART_PRIMITIVE, (uint32_t)index, at);
    p->topology = STELE_TRIANGLES;
    p->vertex_count = s->first[index + 1] - s->first[index];
    p->attributes = attributes;
    p->indices = gather_indices(s, index, list);
    primitive_add(p, STELE_POSITION, 0, gather(s, index, 3, position_of_corner));
    stele_view normal = gather(s, index, 3, normal_of_corner), uv = gather(s, index, 2, uv_at);
    normal = st_repair_normals(c, p, &normal, at);
    primitive_add(p, STELE_NORMAL, 0, normal);
    primitive_add(p, STELE_UV, 0, st_repair_uvs(c, &uv, at));
    if (st_ctc_color(s->file, 0))
        primitive_add(p, STELE_COLOR, 0, gather_colors(s, index));
    if (s->rig->bone_count && !add_skin(s, index, at, p))
        return false;
    stele_attribute *kept = st_arena_array(c->arena, p->attribute_count, sizeof *kept);
    if (kept)
        memcpy(kept, attributes, p->attribute_count * sizeof *kept);
    p->attributes = kept;
    return !c->arena->failed;
}

/* ---- Morphs ---- */

/* The vertices of the model by those of the file. */
typedef struct reverse_map {
    uint64_t *start; /* of each vertex of the file, and the end */
    uint32_t *vertex;
} reverse_map;

static bool make_reverse_map(const surface *s, reverse_map *map)
{
    uint32_t count = s->rig->vertex_count;
    map->start = st_arena_array(s->c->arena, (uint64_t)count + 2, sizeof *map->start);
    map->vertex = st_arena_array(s->c->arena, s->count, sizeof *map->vertex);
    if (!map->start || !map->vertex)
        return false;
    for (uint64_t i = 0; i < s->count; i++)
        map->start[vertex_at(s, s->corner[i]) + 2]++;
    for (uint32_t i = 0; i < count; i++)
        map->start[i + 2] += map->start[i + 1];
    for (uint32_t i = 0; i < s->count; i++)
        map->vertex[map->start[vertex_at(s, s->corner[i]) + 1]++] = i;
    return true;
}

/* Whether the morphs stay within a small multiple of the file: a vertex can be split, and moved, as often as one likes. */
static bool morphs_are_sound(const surface *s, const reverse_map *map, uint64_t *most_rows)
{
    enum { MULTIPLE = 64 };
    uint64_t morphs = ctc_word_of(s->file, CTC_MORPH_COUNT), rows = 0, listed = 0, corners = s->file->rows[CTC_INDICES].count;
    *most_rows = 0;
    for (uint64_t m = 0; m < morphs; m++) {
        const ctc_morph *morph = &s->file->morph[m];
        uint64_t own = 0;
        for (uint64_t i = 0; i < morph->vertex_count; i++) {
            uint32_t v = settled_u32(load_u32(morph->vertices.data + 4 * i));
            own += v < s->rig->vertex_count ? map->start[v + 1] - map->start[v] : 0;
        }
        *most_rows = own > *most_rows ? own : *most_rows;
        listed += morph->vertex_count;
        rows += own;
    }
    if (rows <= MULTIPLE * (listed + corners) && morphs * s->list_count <= MULTIPLE * (listed + corners))
        return true;
    st_diag(s->c->diags, DIAG_COUNT_TOO_LARGE, at_member(&s->file->word[CTC_MORPH_COUNT]),
            "is %llu: they would move %llu vertices of %zu lists", (unsigned long long)morphs, (unsigned long long)rows,
            s->list_count);
    return false;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The rows of a morph that move vertices of the model: vertex in the upper half of a key, row in the lower. Of rows for the
 * same vertex the last one counts. */
static uint64_t find_rows(const surface *s, const reverse_map *map, const ctc_morph *morph, uint64_t *keys, uint64_t room)
{
    uint64_t count = 0, kept = 0;
    for (uint64_t i = 0; i < morph->vertex_count; i++) {
        uint32_t v = settled_u32(load_u32(morph->vertices.data + 4 * i));
        if (v >= s->rig->vertex_count)
            continue; /* that no triangle can reach */
        for (uint64_t k = map->start[v]; k < map->start[v + 1] && count < room; k++)
            keys[count++] = (uint64_t)map->vertex[k] << 32 | i;
    }
    qsort(keys, (size_t)count, sizeof *keys, compare_numbers);
    for (uint64_t i = 0; i < count; i++)
        if (i + 1 == count || keys[i] >> 32 != keys[i + 1] >> 32)
            keys[kept++] = keys[i];
    return kept;
}

/* Files have the places where vertices go; models have the ways there. */
static stele_morph morph_of(const surface *s, const ctc_morph *morph, const char *name, uint64_t first, const uint64_t *keys,
                            uint64_t count)
{
    uint8_t *vertices, *ways;
    stele_morph made = {.name = name};
    if (!count)
        return made;
    made.vertices = st_view_make(s->c->arena, count, STELE_U32, 1, &vertices);
    made.position = st_view_make(s->c->arena, count, STELE_F32, 3, &ways);
    byte_range *listed = st_made_of_each(s->c, &made.vertices), *targets = st_made_of_each(s->c, &made.position);
    for (uint64_t i = 0; vertices && ways && i < count; i++) {
        uint64_t vertex = keys[i] >> 32;
        const uint8_t *from = position_of_corner(s, s->corner[vertex]), *to = morph->targets.data + 12 * (keys[i] & UINT32_MAX);
        if (listed && targets) {
            listed[i] = (byte_range){morph->vertices.data + 4 * (keys[i] & UINT32_MAX), 4};
            targets[i] = (byte_range){to, 12};
        }
        store_uint(vertices + 4 * i, vertex - first, 4);
        for (uint32_t k = 0; k < 3; k++)
            store_f32(ways + 12 * i + 4 * k, st_ctc_float((double)load_f32(to + 4 * k) - (double)load_f32(from + 4 * k)));
    }
    return made;
}

static void load_morph(const surface *s, const reverse_map *map, uint32_t index, uint64_t *keys, uint64_t room,
                       stele_morph **morphs)
{
    const ctc_morph *morph = &s->file->morph[index];
    text field = st_fixed_text(&morph->name);
    const char *name = st_text_string(s->c->arena, &field);
    uint64_t count = find_rows(s, map, morph, keys, room), at = 0;
    for (size_t i = 0; i < s->list_count; i++) {
        uint64_t from = at;
        while (at < count && keys[at] >> 32 < s->first[i + 1])
            at++;
        morphs[i][index] = morph_of(s, morph, name, s->first[i], keys + from, at - from);
    }
}

static bool load_morphs(const surface *s, stele_primitive *primitives)
{
    arena *a = s->c->arena;
    uint32_t count = ctc_word_of(s->file, CTC_MORPH_COUNT);
    uint64_t most_rows;
    reverse_map map;
    if (!count || !s->list_count)
        return true;
    if (!make_reverse_map(s, &map) || !morphs_are_sound(s, &map, &most_rows))
        return false;
    uint64_t *keys = st_arena_array(a, most_rows, sizeof *keys);
    stele_morph **morphs = st_arena_array(a, s->list_count, sizeof *morphs);
    bool possible = keys && morphs;
    for (size_t i = 0; possible && i < s->list_count; i++) {
        morphs[i] = st_arena_array(a, count, sizeof **morphs);
        possible = morphs[i];
        primitives[i].morphs = morphs[i];
        primitives[i].morph_count = count;
    }
    for (uint32_t i = 0; possible && i < count; i++)
        load_morph(s, &map, i, keys, most_rows, morphs);
    return possible;
}

/* ---- All of it ---- */

uint32_t st_ctc_load_mesh(context *c, const ctc_file *f, const ctc_rig *rig, const ctc_list *lists, size_t list_count,
                          const uint32_t *materials, bool reverse)
{
    surface s = {.c = c, .file = f, .rig = rig, .reverse = reverse, .list_count = list_count};
    stele_primitive *primitives = st_arena_array(c->arena, list_count, sizeof *primitives);
    bool possible = primitives && split_vertices(&s, lists);
    for (size_t i = 0; possible && i < list_count; i++) {
        primitives[i].material = materials[i];
        possible = load_primitive(&s, i, &lists[i], &primitives[i]);
    }
    if (!possible || !load_morphs(&s, primitives))
        return STELE_NONE;
    return st_model_add_mesh(c->load->model, c->arena, &(stele_mesh){.primitives = primitives, .primitive_count = list_count});
}
