/* Fewer triangles. An edge collapses: one of its ends moves onto the other, with all triangles there, cheapest first. The cost
 * is the distance from the planes of all triangles that ever met there (Garland and Heckbert, "Surface simplification using
 * quadric error metrics"), or what texture coordinates, colours and normals are off. No vertex is made: what is left are
 * vertices of the file, with their joints, weights and morphs.
 *
 * Vertices at one place are its wedges: a seam is where a place has several. A place moves only if each of its wedges
 * has one to become at the other end, so that seams and borders collapse along themselves, and hold. */
#include <math.h>

#include "base/hash.h"
#include "base/order.h"
#include "base/vector.h"
#include "optimize.h"

enum { MOST_AROUND = 48 }; /* triangles at a place that may move or be moved onto: more are a fan, and stay */
enum { MOST_WEDGES = 8 };
enum { WORK_OF_JUDGING = 500, WORK_OF_PLACE = 20 };
enum { MOST_MEASURED = 16 }; /* numbers of a vertex that are compared */

/* ---- Where primitives meet ---- */

struct places {
    hash_table table;
    struct spot {
        uint32_t bits[3];
        uint32_t primitive; /* the first that has it */
        bool shared;
    } * spots;
    uint32_t count;
};

static void spot_bits(const stele_view *position, uint64_t row, uint32_t bits[3])
{
    for (uint32_t i = 0; i < 3; i++) {
        float x = (float)view_number(position, row, i) + 0.0f; /* -0 is 0 */
        memcpy(&bits[i], &x, sizeof x);
    }
}

static struct spot *find_spot(const places *p, const uint32_t bits[3], uint32_t *hash)
{
    uint32_t found;
    *hash = hash_end(hash_mix(hash_mix(hash_mix(0, bits[0]), bits[1]), bits[2]));
    for (hash_probe probe = hash_at(&p->table, *hash); (found = hash_next(&probe)) != STELE_NONE;)
        if (memcmp(p->spots[found].bits, bits, sizeof p->spots[found].bits) == 0)
            return &p->spots[found];
    return NULL;
}

static bool add_spots(places *p, arena *a, const stele_primitive *primitive, uint32_t number)
{
    const stele_view *position = stele_primitive_view(primitive, STELE_POSITION, 0);
    if (!st_work(a, primitive->vertex_count, WORK_OF_PLACE))
        return false;
    for (uint64_t row = 0; row < primitive->vertex_count; row++) {
        uint32_t bits[3], hash;
        spot_bits(position, row, bits);
        struct spot *spot = find_spot(p, bits, &hash);
        if (spot) {
            spot->shared |= spot->primitive != number;
            continue;
        }
        p->spots[p->count] = (struct spot){{bits[0], bits[1], bits[2]}, number, false};
        if (!st_hash_add(&p->table, a, hash, p->count++))
            return false;
    }
    return true;
}

places *st_shared_places(arena *a, const stele_model *model)
{
    uint64_t vertices = 0;
    uint32_t number = 0;
    places *p = st_arena_alloc(a, sizeof *p);
    for (size_t i = 0; i < model->mesh_count; i++)
        for (size_t k = 0; k < model->meshes[i].primitive_count; k++)
            vertices += st_piece_can(&model->meshes[i].primitives[k]) ? model->meshes[i].primitives[k].vertex_count : 0;
    if (!p || vertices >= STELE_NONE || !st_hash_make(&p->table, a, vertices))
        return NULL;
    p->spots = st_arena_array(a, vertices, sizeof *p->spots);
    for (size_t i = 0; p->spots && i < model->mesh_count; i++)
        for (size_t k = 0; k < model->meshes[i].primitive_count; k++, number++)
            if (st_piece_can(&model->meshes[i].primitives[k]) && !add_spots(p, a, &model->meshes[i].primitives[k], number))
                return NULL;
    return p->spots ? p : NULL;
}

/* ---- Quadrics ---- */

/* The sum of squared distances from planes, times their weights. */
typedef struct quadric {
    double a[6]; /* xx, xy, xz, yy, yz, zz */
    double b[3], c, weight;
} quadric;

static void add_plane(quadric *q, const double normal[3], double distance, double weight)
{
    const double *n = normal;
    const double products[6] = {n[0] * n[0], n[0] * n[1], n[0] * n[2], n[1] * n[1], n[1] * n[2], n[2] * n[2]};
    for (int i = 0; i < 6; i++)
        q->a[i] += weight * products[i];
    for (int i = 0; i < 3; i++)
        q->b[i] += weight * n[i] * distance;
    q->c += weight * distance * distance;
    q->weight += weight;
}

static void add_quadric(quadric *q, const quadric *other)
{
    for (int i = 0; i < 6; i++)
        q->a[i] += other->a[i];
    for (int i = 0; i < 3; i++)
        q->b[i] += other->b[i];
    q->c += other->c;
    q->weight += other->weight;
}

/* The mean of the squared distances of a point. */
static double squared_distance(const quadric *q, const double p[3])
{
    double x = p[0], y = p[1], z = p[2];
    double sum = q->a[0] * x * x + q->a[3] * y * y + q->a[5] * z * z +
                 2 * (q->a[1] * x * y + q->a[2] * x * z + q->a[4] * y * z) + 2 * (q->b[0] * x + q->b[1] * y + q->b[2] * z) +
                 q->c;
    return q->weight > 0 ? greater(sum / q->weight, 0) : 0;
}

/* ---- The mesh ---- */

typedef struct candidate {
    double cost;
    uint32_t from, to, stamp_from, stamp_to;
} candidate;

typedef struct simplifier {
    arena *arena;
    piece *p;
    double limit; /* squared */
    uint32_t place_count, triangles_left;
    uint32_t *place;        /* of each vertex */
    double (*at)[3];        /* of places, as parts of the model's size */
    uint32_t *first, *next; /* corners at a place; the next corner there */
    bool *dead;             /* triangles */
    bool *border, *fixed;   /* places */
    uint32_t *stamp, *mark; /* of places: changes when costs do; scratch */
    uint32_t marks;
    quadric *quadrics;
    float (*numbers)[MOST_MEASURED]; /* of vertices: what is compared, so weighted that 1 is the model's size */
    uint32_t number_count;
    double *carried; /* of vertices: how far off those are already that became it */
    uint32_t *to;    /* of vertices: what they became */
    candidate *heap;
    uint64_t heap_count, heap_room;
} simplifier;

static uint32_t vertex_at(const simplifier *s, uint32_t corner)
{
    return s->p->indices[corner];
}

static uint32_t place_at(const simplifier *s, uint32_t corner)
{
    return s->place[vertex_at(s, corner)];
}

static uint32_t after(uint32_t corner)
{
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}

static uint32_t before(uint32_t corner)
{
    return corner % 3 == 0 ? corner + 2 : corner - 1;
}

/* The corners of triangles at a place that are still there; MOST_AROUND + 1 if they are too many. */
static uint32_t corners_at(simplifier *s, uint32_t place, uint32_t corners[MOST_AROUND])
{
    uint32_t count = 0;
    for (uint32_t *link = &s->first[place]; *link != STELE_NONE;) {
        uint32_t corner = *link;
        if (s->dead[corner / 3]) {
            *link = s->next[corner]; /* never seen again */
            continue;
        }
        if (count == MOST_AROUND)
            return MOST_AROUND + 1;
        corners[count++] = corner;
        link = &s->next[corner];
    }
    return count;
}

static bool normal_of(const double a[3], const double b[3], const double c[3], double normal[3])
{
    double e[3], f[3];
    minus3(b, a, e);
    minus3(c, a, f);
    cross3(e, f, normal);
    return dot3(normal, normal) > 0;
}

/* ---- Taking it apart ---- */

static bool find_places(simplifier *s)
{
    const piece *p = s->p;
    const stele_view *position = stele_primitive_view(p->source, STELE_POSITION, 0);
    places found = {0};
    found.spots = st_arena_array(s->arena, p->vertex_count, sizeof *found.spots);
    if (!found.spots || !st_hash_make(&found.table, s->arena, p->vertex_count))
        return false;
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        uint32_t bits[3], hash;
        spot_bits(position, p->rows[v], bits);
        struct spot *spot = find_spot(&found, bits, &hash);
        if (!spot) {
            found.spots[found.count] = (struct spot){{bits[0], bits[1], bits[2]}, 0, false};
            if (!st_hash_add(&found.table, s->arena, hash, found.count++))
                return false;
            spot = &found.spots[found.count - 1];
        }
        s->place[v] = (uint32_t)(spot - found.spots);
    }
    s->place_count = found.count;
    return true;
}

static void locate(simplifier *s, double size)
{
    const stele_view *position = stele_primitive_view(s->p->source, STELE_POSITION, 0);
    stele_bounds b = st_view_bounds(position);
    for (uint32_t v = 0; v < s->p->vertex_count; v++)
        for (uint32_t i = 0; i < 3; i++) {
            double middle = ((double)b.min[i] + (double)b.max[i]) / 2;
            s->at[s->place[v]][i] = (view_number(position, s->p->rows[v], i) - middle) / size;
        }
}

/* What is seen of a vertex besides its place. A texture that is off by a hundredth is as bad as a surface that is. */
static void load_numbers(simplifier *s)
{
    static const float weights[] = {[STELE_NORMAL] = 0.05f, [STELE_UV] = 1, [STELE_COLOR] = 1};
    for (size_t i = 0; i < s->p->source->attribute_count; i++) {
        const stele_attribute *a = &s->p->source->attributes[i];
        bool seen = a->semantic == STELE_NORMAL || a->semantic == STELE_UV || a->semantic == STELE_COLOR;
        for (uint32_t k = 0; seen && k < a->view.components && s->number_count < MOST_MEASURED; k++, s->number_count++)
            for (uint32_t v = 0; v < s->p->vertex_count; v++)
                s->numbers[v][s->number_count] = weights[a->semantic] * (float)view_number(&a->view, s->p->rows[v], k);
    }
}

static void link_corners(simplifier *s)
{
    memset(s->first, 0xFF, s->place_count * sizeof *s->first);
    for (uint32_t corner = s->p->index_count; corner--;) {
        uint32_t place = place_at(s, corner);
        s->next[corner] = s->first[place];
        s->first[place] = corner;
    }
}

/* A border or seam should stay where it is: a plane through the edge, upright on the triangle. */
static void add_edge(simplifier *s, uint32_t corner, uint32_t other)
{
    double along[3], across[3], normal[3];
    uint32_t a = place_at(s, corner), b = place_at(s, other);
    uint32_t c = place_at(s, after(corner) == other ? before(corner) : after(corner));
    if (!normal_of(s->at[a], s->at[b], s->at[c], normal))
        return;
    minus3(s->at[b], s->at[a], along);
    cross3(along, normal, across);
    double weight = dot3(along, along);
    if (normalize3(across)) {
        add_plane(&s->quadrics[a], across, -dot3(across, s->at[a]), weight);
        add_plane(&s->quadrics[b], across, -dot3(across, s->at[a]), weight);
    }
}

/* Finds out what a place is, by the edges that lead to it (before) and away from it (after). */
static void classify(simplifier *s, uint32_t place)
{
    uint32_t corners[MOST_AROUND], count = corners_at(s, place, corners), borders = 0;
    s->fixed[place] |= count > MOST_AROUND;
    for (uint32_t i = 0; count <= MOST_AROUND && i < count; i++) {
        uint32_t out = place_at(s, after(corners[i])), in = place_at(s, before(corners[i]));
        uint32_t same = 0, in_of_out = STELE_NONE, out_of_in = STELE_NONE;
        for (uint32_t k = 0; k < count; k++) {
            same += place_at(s, after(corners[k])) == out;
            if (place_at(s, before(corners[k])) == out)
                in_of_out = corners[k];
            if (place_at(s, after(corners[k])) == in)
                out_of_in = corners[k];
        }
        s->fixed[place] |= same > 1; /* more than two triangles meet at an edge */
        bool seam = in_of_out != STELE_NONE && (vertex_at(s, in_of_out) != vertex_at(s, corners[i]) ||
                                                vertex_at(s, before(in_of_out)) != vertex_at(s, after(corners[i])));
        borders += (uint32_t)(in_of_out == STELE_NONE) + (out_of_in == STELE_NONE);
        if (in_of_out == STELE_NONE || seam)
            add_edge(s, corners[i], after(corners[i]));
    }
    s->border[place] = borders > 0;
    s->fixed[place] |= borders > 2;
}

static void add_triangles(simplifier *s)
{
    for (uint32_t i = 0; i < s->p->index_count; i += 3) {
        const double *a = s->at[place_at(s, i)], *b = s->at[place_at(s, i + 1)], *c = s->at[place_at(s, i + 2)];
        double normal[3];
        if (!normal_of(a, b, c, normal))
            continue;
        double area = length3(normal);
        for (int k = 0; k < 3; k++)
            normal[k] /= area;
        for (uint32_t k = 0; k < 3; k++)
            add_plane(&s->quadrics[place_at(s, i + k)], normal, -dot3(normal, a), area);
    }
}

static void fix_shared(simplifier *s, const places *shared)
{
    const stele_view *position = stele_primitive_view(s->p->source, STELE_POSITION, 0);
    for (uint32_t v = 0; v < s->p->vertex_count; v++) {
        uint32_t bits[3], hash;
        spot_bits(position, s->p->rows[v], bits);
        const struct spot *spot = find_spot(shared, bits, &hash);
        s->fixed[s->place[v]] |= spot && spot->shared;
    }
}

static bool take_apart(simplifier *s, const places *shared, double size)
{
    arena *a = s->arena;
    piece *p = s->p;
    uint64_t vertices = p->vertex_count, corners = p->index_count;
    s->place = st_arena_array(a, vertices, sizeof *s->place);
    if (!s->place || !st_work(a, vertices + 4 * corners, WORK_OF_PLACE) || !find_places(s))
        return false;
    s->at = st_arena_array(a, s->place_count, sizeof *s->at);
    s->first = st_arena_array(a, s->place_count, sizeof *s->first);
    s->next = st_arena_array(a, corners, sizeof *s->next);
    s->dead = st_arena_array(a, corners / 3, sizeof *s->dead);
    s->border = st_arena_array(a, s->place_count, sizeof *s->border);
    s->fixed = st_arena_array(a, s->place_count, sizeof *s->fixed);
    s->stamp = st_arena_array(a, s->place_count, sizeof *s->stamp);
    s->mark = st_arena_array(a, s->place_count, sizeof *s->mark);
    s->quadrics = st_arena_array(a, s->place_count, sizeof *s->quadrics);
    s->numbers = st_arena_array(a, vertices, sizeof *s->numbers);
    s->carried = st_arena_array(a, vertices, sizeof *s->carried);
    s->to = st_arena_array(a, vertices, sizeof *s->to);
    if (a->failed)
        return false;
    for (uint32_t v = 0; v < vertices; v++)
        s->to[v] = v;
    s->triangles_left = (uint32_t)(corners / 3);
    locate(s, size);
    load_numbers(s);
    link_corners(s);
    add_triangles(s);
    for (uint32_t place = 0; place < s->place_count; place++)
        classify(s, place);
    fix_shared(s, shared);
    return true;
}

/* ---- Judging a collapse ---- */

typedef struct collapse {
    uint32_t from, to;
    uint32_t corners[MOST_AROUND], count;         /* at from */
    uint32_t wedges[MOST_WEDGES][2], wedge_count; /* what becomes what */
    double change[MOST_WEDGES];                   /* and how far off it is then */
    uint32_t vanishing;                           /* triangles at the edge */
} collapse;

static uint32_t wedge_for(const collapse *c, uint32_t vertex)
{
    for (uint32_t i = 0; i < c->wedge_count; i++)
        if (c->wedges[i][0] == vertex)
            return c->wedges[i][1];
    return STELE_NONE;
}

/* The corner of the other end in a triangle that has a corner at this one, or STELE_NONE. */
static uint32_t other_end(const simplifier *s, uint32_t corner, uint32_t place)
{
    return place_at(s, after(corner)) == place    ? after(corner)
           : place_at(s, before(corner)) == place ? before(corner)
                                                  : STELE_NONE;
}

static bool find_wedges(const simplifier *s, collapse *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t end = other_end(s, c->corners[i], c->to);
        if (end == STELE_NONE)
            continue;
        c->vanishing++;
        uint32_t known = wedge_for(c, vertex_at(s, c->corners[i]));
        if (known == vertex_at(s, end))
            continue;
        if (known != STELE_NONE || c->wedge_count == MOST_WEDGES)
            return false; /* a seam ends between them */
        c->wedges[c->wedge_count][0] = vertex_at(s, c->corners[i]);
        c->wedges[c->wedge_count++][1] = vertex_at(s, end);
    }
    for (uint32_t i = 0; i < c->count; i++)
        if (wedge_for(c, vertex_at(s, c->corners[i])) == STELE_NONE)
            return false;
    return true;
}

/* Both ends have no more neighbours in common than triangles: otherwise the surface would be pinched. */
static bool keeps_shape(simplifier *s, const collapse *c)
{
    uint32_t corners[MOST_AROUND], count = corners_at(s, c->to, corners), common = 0;
    if (count > MOST_AROUND || c->count + count > MOST_AROUND)
        return false;
    s->marks += 2;
    for (uint32_t i = 0; i < c->count; i++) {
        s->mark[place_at(s, after(c->corners[i]))] = s->marks;
        s->mark[place_at(s, before(c->corners[i]))] = s->marks;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t ends[2] = {place_at(s, after(corners[i])), place_at(s, before(corners[i]))};
        for (int k = 0; k < 2; k++)
            if (s->mark[ends[k]] == s->marks && ends[k] != c->from) {
                s->mark[ends[k]] = s->marks + 1;
                common++;
            }
    }
    return common == c->vanishing;
}

/* No triangle may turn over, or nearly. */
static bool keeps_sides(const simplifier *s, const collapse *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        double was[3], is[3];
        if (other_end(s, c->corners[i], c->to) != STELE_NONE)
            continue;
        const double *b = s->at[place_at(s, after(c->corners[i]))], *d = s->at[place_at(s, before(c->corners[i]))];
        if (!normal_of(s->at[c->from], b, d, was))
            continue;
        if (!normal_of(s->at[c->to], b, d, is) || dot3(was, is) < 0.3 * length3(was) * length3(is))
            return false;
    }
    return true;
}

/* How far off the numbers of a vertex are from a mixture of others. */
static double squared_change(const simplifier *s, uint32_t vertex, const uint32_t others[3], const double parts[3])
{
    double squares = 0;
    for (uint32_t k = 0; k < s->number_count; k++) {
        double there = 0;
        for (int i = 0; i < 3; i++)
            there += parts[i] * (double)s->numbers[others[i]][k];
        double off = there - (double)s->numbers[vertex][k];
        squares += off * off;
    }
    return squares;
}

/* How far off a vertex is where the new triangles pass it, with all that it stands for. Where none is left of its own, there is
 * only the vertex that it becomes. */
static double change_of(const simplifier *s, const collapse *c, uint32_t wedge)
{
    uint32_t from = c->wedges[wedge][0], to = c->wedges[wedge][1];
    double best = INFINITY, change = squared_change(s, from, (uint32_t[3]){to, to, to}, (double[3]){1, 0, 0});
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t corner = c->corners[i];
        double parts[3];
        if (vertex_at(s, corner) != from || other_end(s, corner, c->to) != STELE_NONE)
            continue;
        uint32_t vertices[3] = {to, vertex_at(s, after(corner)), vertex_at(s, before(corner))};
        double distance = st_nearest_in_triangle(s->at[c->from], s->at[c->to], s->at[s->place[vertices[1]]],
                                                 s->at[s->place[vertices[2]]], parts);
        if (distance < best) {
            best = distance;
            change = greater(squared_change(s, from, vertices, parts), distance);
        }
    }
    return sqrt(change) + s->carried[from];
}

/* INFINITY: it must not be. */
static double judge(simplifier *s, uint32_t from, uint32_t to, collapse *c)
{
    c->from = from;
    c->to = to;
    c->wedge_count = c->vanishing = 0;
    if (s->fixed[from] || !st_work(s->arena, 1, WORK_OF_JUDGING))
        return INFINITY;
    c->count = corners_at(s, from, c->corners);
    if (c->count > MOST_AROUND || !find_wedges(s, c) || !c->vanishing || c->vanishing > 2)
        return INFINITY;
    if (s->border[from] && (c->vanishing != 1 || !s->border[to]))
        return INFINITY;
    if (c->vanishing == c->count || !keeps_shape(s, c) || !keeps_sides(s, c))
        return INFINITY;
    quadric q = s->quadrics[from];
    add_quadric(&q, &s->quadrics[to]);
    double cost = squared_distance(&q, s->at[to]);
    for (uint32_t i = 0; i < c->wedge_count; i++) {
        c->change[i] = change_of(s, c, i);
        cost = greater(cost, c->change[i] * c->change[i]);
    }
    return cost;
}

/* ---- The queue ---- */

static bool comes_before(const candidate *a, const candidate *b)
{
    return a->cost != b->cost ? a->cost < b->cost : a->from != b->from ? a->from < b->from : a->to < b->to;
}

static bool push(simplifier *s, candidate item)
{
    if (s->heap_count == s->heap_room) {
        candidate *larger = st_arena_bytes(s->arena, 2 * s->heap_room * sizeof *larger);
        if (!larger)
            return false;
        memcpy(larger, s->heap, (size_t)(s->heap_count * sizeof *larger));
        s->heap = larger;
        s->heap_room *= 2;
    }
    uint64_t at = s->heap_count++;
    for (; at && comes_before(&item, &s->heap[(at - 1) / 2]); at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = item;
    return true;
}

static candidate pop(simplifier *s)
{
    candidate top = s->heap[0], item = s->heap[--s->heap_count];
    uint64_t at = 0, child;
    while ((child = 2 * at + 1) < s->heap_count) {
        child += child + 1 < s->heap_count && comes_before(&s->heap[child + 1], &s->heap[child]);
        if (!comes_before(&s->heap[child], &item))
            break;
        s->heap[at] = s->heap[child];
        at = child;
    }
    s->heap[at] = item;
    return top;
}

static bool propose(simplifier *s, uint32_t from, uint32_t to)
{
    collapse c;
    double cost = judge(s, from, to, &c);
    return !(cost <= s->limit) || push(s, (candidate){cost, from, to, s->stamp[from], s->stamp[to]});
}

static bool propose_around(simplifier *s, uint32_t place, bool also_from_others)
{
    uint32_t corners[MOST_AROUND], count = corners_at(s, place, corners);
    for (uint32_t i = 0; count <= MOST_AROUND && i < count; i++) {
        uint32_t ends[2] = {place_at(s, after(corners[i])), place_at(s, before(corners[i]))};
        for (int k = 0; k < 2; k++) {
            /* inside, the end behind is the one in front of the next triangle */
            if (k == 1 && !s->border[place])
                continue;
            if (!propose(s, place, ends[k]) || (also_from_others && !propose(s, ends[k], place)))
                return false;
        }
    }
    return true;
}

/* ---- Collapsing ---- */

static void carry_out(simplifier *s, const collapse *c)
{
    for (uint32_t i = 0; i < c->wedge_count; i++) {
        uint32_t to = c->wedges[i][1], end = to;
        while (s->to[end] != end)
            end = s->to[end];
        if (end != c->wedges[i][0]) /* two must not become each other */
            s->to[c->wedges[i][0]] = end;
        s->carried[to] = greater(s->carried[to], c->change[i]);
    }
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t corner = c->corners[i];
        if (other_end(s, corner, c->to) != STELE_NONE) {
            s->dead[corner / 3] = true;
            s->triangles_left--;
        }
    }
    for (uint32_t i = 0; i < c->count; i++)
        if (!s->dead[c->corners[i] / 3]) {
            s->p->indices[c->corners[i]] = wedge_for(c, vertex_at(s, c->corners[i]));
            s->next[c->corners[i]] = s->first[c->to];
            s->first[c->to] = c->corners[i];
        }
    s->first[c->from] = STELE_NONE;
    add_quadric(&s->quadrics[c->to], &s->quadrics[c->from]);
    s->stamp[c->to]++;
    s->stamp[c->from]++;
}

static bool collapse_all(simplifier *s, uint64_t target)
{
    s->heap_room = (uint64_t)s->p->index_count + 64;
    s->heap = st_arena_bytes(s->arena, s->heap_room * sizeof *s->heap);
    if (!s->heap)
        return false;
    for (uint32_t place = 0; place < s->place_count; place++)
        if (!propose_around(s, place, false))
            return false;
    while (s->heap_count && s->triangles_left > target) {
        candidate best = pop(s);
        collapse c;
        if (s->stamp[best.from] != best.stamp_from || s->stamp[best.to] != best.stamp_to)
            continue;
        double cost = judge(s, best.from, best.to, &c);
        if (!(cost <= s->limit))
            continue;
        if (cost > best.cost * 1.000001 + 1e-18) { /* neighbours changed meanwhile */
            best.cost = cost;
            if (!push(s, best))
                return false;
            continue;
        }
        carry_out(s, &c);
        if (!propose_around(s, best.to, true))
            return false;
    }
    return true;
}

static void put_together(simplifier *s)
{
    piece *p = s->p;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->index_count; i += 3)
        if (!s->dead[i / 3]) {
            memmove(p->indices + kept, p->indices + i, 3 * sizeof *p->indices);
            kept += 3;
        }
    p->index_count = kept;
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        uint32_t end = v;
        while (s->to[end] != end)
            end = s->to[end];
        for (uint32_t at = v, next; at != end; at = next) {
            next = s->to[at];
            s->to[at] = end;
        }
    }
    st_piece_renumber(p, s->to);
}

bool st_simplify(arena *a, piece *p, const places *fixed, uint64_t target, double limit, double size)
{
    simplifier s = {.arena = a, .p = p, .limit = limit * limit};
    if (p->corners != 3 || p->index_count / 3 <= target)
        return true;
    if (!take_apart(&s, fixed, size) || !collapse_all(&s, target))
        return false;
    put_together(&s);
    return !a->failed;
}
