/* Triangles that cover nothing, at no time. */
#include "base/vector.h"
#include "optimize.h"

typedef struct judge {
    const piece *p;
    morph_rows morphs;
    const stele_view *position;
    bool rigid; /* what lies on a line stays there */
} judge;

static bool has_no_area(const judge *j, const uint32_t corner[3])
{
    double at[3][3], edges[2][3], normal[3];
    for (int i = 0; i < 3; i++)
        for (uint32_t k = 0; k < 3; k++)
            at[i][k] = view_number(j->position, j->p->rows[corner[i]], k);
    minus3(at[1], at[0], edges[0]);
    minus3(at[2], at[0], edges[1]);
    cross3(edges[0], edges[1], normal);
    return normal[0] == 0 && normal[1] == 0 && normal[2] == 0;
}

static bool covers_nothing(const judge *j, const uint32_t corner[3])
{
    if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0])
        return true;
    if (!has_no_area(j, corner))
        return false;
    for (int i = 0; i < 3 && !j->rigid; i++)
        if (st_same_motion(j->p, &j->morphs, corner[i], corner[(i + 1) % 3]))
            return true;
    return j->rigid;
}

bool st_drop_degenerate(arena *a, piece *p)
{
    uint32_t kept = 0;
    judge j = {.p = p,
               .position = stele_primitive_view(p->source, STELE_POSITION, 0),
               .rigid = !p->source->morph_count && !stele_primitive_view(p->source, STELE_JOINTS, 0)};
    if (p->corners != 3)
        return true;
    if (!st_piece_morph_rows(a, p, &j.morphs))
        return false;
    for (uint32_t i = 0; i < p->index_count; i += 3) {
        uint32_t corner[3];
        memcpy(corner, p->indices + i, sizeof corner);
        if (covers_nothing(&j, corner))
            continue;
        memcpy(p->indices + kept, corner, sizeof corner);
        kept += 3;
    }
    if (kept) /* a mesh that draws nothing at all would lose its place in most formats */
        p->index_count = kept;
    return true;
}
