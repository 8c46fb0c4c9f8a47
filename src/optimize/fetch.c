/* Vertices in the order of their first use. */
#include "optimize.h"

bool st_order_for_fetch(arena *a, piece *p)
{
    uint32_t next = 0;
    uint32_t *to = st_arena_bytes(a, p->vertex_count * (uint64_t)sizeof *to);
    uint32_t *rows = st_arena_bytes(a, p->vertex_count * (uint64_t)sizeof *rows);
    if (!to || !rows)
        return false;
    memset(to, 0xFF, p->vertex_count * sizeof *to);
    for (uint32_t i = 0; i < p->index_count; i++)
        if (to[p->indices[i]] == STELE_NONE) {
            rows[next] = p->rows[p->indices[i]];
            to[p->indices[i]] = next++;
        }
    st_piece_renumber(p, to);
    memcpy(p->rows, rows, next * sizeof *rows);
    p->vertex_count = next;
    return true;
}
