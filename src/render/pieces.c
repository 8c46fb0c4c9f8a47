/* Triangles on the picture: cut off at the near plane, turned towards the viewer, in whole numbers. */
#include "scene.h"

/* Twice the area; positive if the inside is to the right of the edges, as one goes along them on the picture. */
static int64_t area_of(const piece *p)
{
    return (int64_t)(p->x[1] - p->x[0]) * (p->y[2] - p->y[0]) - (int64_t)(p->x[2] - p->x[0]) * (p->y[1] - p->y[0]);
}

static void set_corner(piece *p, int corner, const vertex *v)
{
    p->x[corner] = v->x;
    p->y[corner] = v->y;
    p->depth[corner] = 1 / v->view[2];
}

static void swap_corners(piece *p)
{
    piece old = *p;
    p->x[1] = old.x[2];
    p->y[1] = old.y[2];
    p->depth[1] = old.depth[2];
    p->x[2] = old.x[1];
    p->y[2] = old.y[1];
    p->depth[2] = old.depth[1];
}

/* False if it is not to be seen. */
static bool turn(const draw *d, piece *p)
{
    int64_t area = area_of(p);
    bool front = (area < 0) != d->mirrored; /* the picture's y points downwards: counter-clockwise is negative */
    if (area == 0 || (!front && !d->double_sided))
        return false;
    if (area < 0)
        swap_corners(p);
    return true;
}

/* The vertex at the near plane, always from the one before it to the one behind: both triangles of an edge find the same. */
static vertex cut(const camera *c, const vertex *before, const vertex *behind)
{
    vertex v;
    float part = (before->view[2] - NEAR_PLANE) / (before->view[2] - behind->view[2]);
    for (int i = 0; i < 2; i++)
        v.view[i] = before->view[i] + (behind->view[i] - before->view[i]) * part;
    v.view[2] = NEAR_PLANE;
    st_project(c, &v);
    return v;
}

static int clipped(const scene *s, const draw *d, const vertex *const v[3], piece pieces[2])
{
    vertex polygon[4];
    int count = 0, made = 0;
    for (int i = 0; i < 3; i++) {
        const vertex *from = v[i], *to = v[(i + 1) % 3];
        if (from->x != BEHIND)
            polygon[count++] = *from;
        if ((from->x == BEHIND) != (to->x == BEHIND))
            polygon[count++] = from->x == BEHIND ? cut(&s->camera, to, from) : cut(&s->camera, from, to);
    }
    for (int i = 0; i < count; i++)
        if (polygon[i].x == NOWHERE)
            return 0;
    for (int i = 2; i < count; i++) {
        set_corner(&pieces[made], 0, &polygon[0]);
        set_corner(&pieces[made], 1, &polygon[i - 1]);
        set_corner(&pieces[made], 2, &polygon[i]);
        pieces[made].cut = true;
        made += turn(d, &pieces[made]);
    }
    return made;
}

int st_pieces(const scene *s, const draw *d, uint32_t triangle, piece pieces[2])
{
    uint64_t corners[3];
    if (!st_draw_corners(d, triangle, corners))
        return 0;
    const vertex *v[3];
    int behind = 0;
    for (int i = 0; i < 3; i++) {
        v[i] = &d->vertices[corners[i]];
        if (v[i]->x == NOWHERE)
            return 0;
        behind += v[i]->x == BEHIND;
    }
    if (behind)
        return behind < 3 ? clipped(s, d, v, pieces) : 0;
    for (int i = 0; i < 3; i++)
        set_corner(&pieces[0], i, v[i]);
    pieces[0].cut = false;
    return turn(d, &pieces[0]);
}

static int32_t least(const int32_t n[3])
{
    int32_t low = n[0] < n[1] ? n[0] : n[1];
    return low < n[2] ? low : n[2];
}

static int32_t greatest(const int32_t n[3])
{
    int32_t high = n[0] > n[1] ? n[0] : n[1];
    return high > n[2] ? high : n[2];
}

/* The first and last samples of a pixel are an eighth of it away from its borders. */
pixel_box st_piece_box(const piece *p)
{
    enum { EIGHTH = SUBPIXELS / 8, SHIFT = 8 };
    return (pixel_box){{(least(p->x) + EIGHTH - 1) >> SHIFT, (least(p->y) + EIGHTH - 1) >> SHIFT},
                       {(greatest(p->x) - EIGHTH) >> SHIFT, (greatest(p->y) - EIGHTH) >> SHIFT}};
}
