/* Skinning in one precision: skin.c includes this once for each, with REAL and V(name), what vector.h calls name in it. */

static void V(joint_rows)(const mover *m, size_t joint, REAL rows[12])
{
    matrix j = joint_matrix(m, joint);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
            rows[4 * r + c] = (REAL)j.m[4 * c + r];
}

void V(st_mover_prepare)(mover *m, REAL (*joints)[12], size_t room)
{
    size_t count = m->set_count ? m->skin->joint_count : 0;
    m->prepared = count < room ? count : room;
    m->V(joints) = (const REAL(*)[12])joints;
    for (size_t i = 0; i < m->prepared; i++)
        V(joint_rows)(m, i, joints[i]);
}

static void V(add_deltas)(const stele_view *vertices, const stele_view *deltas, REAL weight, float (*rows)[3], uint64_t count)
{
    for (uint64_t i = 0; i < deltas->count; i++) {
        uint64_t row = vertices->count ? st_view_index(vertices, i, count) : i;
        for (uint32_t k = 0; k < 3 && row < count; k++)
            rows[row][k] = (float)((REAL)rows[row][k] + weight * (REAL)view_number(deltas, i, k));
    }
}

void V(st_morph)(const stele_morph *morph, REAL weight, uint64_t vertex_count, float (*positions)[3], float (*normals)[3])
{
    V(add_deltas)(&morph->vertices, &morph->position, weight, positions, vertex_count);
    if (normals)
        V(add_deltas)(&morph->vertices, &morph->normal, weight, normals, vertex_count);
}

/* The influences of some vertices: the first set of all of them, the second ... */
typedef struct V(block) {
    REAL weight[BLOCK][4];
    uint32_t joint[BLOCK][4];
    size_t rows;
} V(block);

static void V(load_block)(const mover *m, uint64_t first, V(block) * b)
{
    for (size_t set = 0; set < m->set_count; set++) {
        load_joints(m->joint_sets[set], first, b->rows, b->joint + set * b->rows);
        for (size_t i = 0; i < b->rows; i++)
            for (uint32_t k = 0; k < 4; k++)
                b->weight[set * b->rows + i][k] = (REAL)view_number(m->weight_sets[set], first + i, k);
    }
}

/* The compilers' own vectors: the same arithmetic in every lane as alone. */
typedef REAL V(lanes) __attribute__((vector_size(16), aligned(sizeof(REAL)), may_alias));
enum { V(LANES) = 12 * sizeof(REAL) / 16 };

static inline void V(blend)(const mover *m, const V(block) * b, size_t row, REAL sum[12])
{
    V(lanes) sums[V(LANES)] = {{0}};
    REAL made[12];
    for (size_t i = row; i < m->set_count * b->rows; i += b->rows)
        for (int k = 0; k < 4; k++) {
            const REAL *rows = made, weight = b->weight[i][k];
            uint32_t joint = b->joint[i][k];
            if (weight == 0 || joint >= m->skin->joint_count)
                continue;
            if (joint < m->prepared)
                rows = m->V(joints)[joint];
            else
                V(joint_rows)(m, joint, made);
            for (int e = 0; e < V(LANES); e++)
                sums[e] += weight * ((const V(lanes) *)rows)[e];
        }
    memcpy(sum, sums, sizeof sums);
}

static inline void V(move_position)(const REAL by[12], float position[3])
{
    REAL p[3] = {(REAL)position[0], (REAL)position[1], (REAL)position[2]};
    for (int r = 0; r < 3; r++)
        position[r] = (float)(by[4 * r] * p[0] + by[4 * r + 1] * p[1] + by[4 * r + 2] * p[2] + by[4 * r + 3]);
}

/* By the cofactors, whose rows are cross products of the rows of the matrix. */
static inline void V(turn_normal)(const REAL by[12], float normal[3])
{
    REAL cofactors[3][3], n[3] = {(REAL)normal[0], (REAL)normal[1], (REAL)normal[2]}, turned[3];
    for (int r = 0; r < 3; r++)
        V(cross3)(by + 4 * ((r + 1) % 3), by + 4 * ((r + 2) % 3), cofactors[r]);
    REAL sign = V(dot3)(by, cofactors[0]) < 0 ? -1 : 1;
    for (int r = 0; r < 3; r++)
        turned[r] = sign * V(dot3)(cofactors[r], n);
    if (V(normalize3)(turned))
        for (int k = 0; k < 3; k++)
            normal[k] = (float)turned[k];
}

/* Lengths within the vertex's surface turn as it does. */
static inline void V(turn_tangent)(const REAL by[12], float tangent[4])
{
    REAL t[3] = {(REAL)tangent[0], (REAL)tangent[1], (REAL)tangent[2]}, turned[3];
    for (int r = 0; r < 3; r++)
        turned[r] = V(dot3)(by + 4 * r, t);
    if (V(normalize3)(turned))
        for (int k = 0; k < 3; k++)
            tangent[k] = (float)turned[k];
}

static void V(move_block)(const mover *m, const V(block) * b, uint8_t *positions, size_t stride, float (*normals)[3],
                          float (*tangents)[4])
{
    for (size_t r = 0; r < b->rows; r++) {
        REAL by[12];
        V(blend)(m, b, r, by);
        V(move_position)(by, (float *)(positions + r * stride));
        if (normals)
            V(turn_normal)(by, normals[r]);
        if (tangents)
            V(turn_tangent)(by, tangents[r]);
    }
}

void V(st_move)(const mover *m, uint64_t first, uint64_t count, void *positions, size_t stride, float (*normals)[3],
                float (*tangents)[4])
{
    if (!m->set_count) {
        move_rigidly(m, count, positions, stride, normals);
        return;
    }
    V(block) b;
    for (uint64_t done = 0; done < count; done += b.rows) {
        b.rows = BLOCK / m->set_count;
        b.rows = count - done < b.rows ? (size_t)(count - done) : b.rows;
        V(load_block)(m, first + done, &b);
        V(move_block)
        (m, &b, (uint8_t *)positions + done * stride, stride, normals ? normals + done : NULL,
         tangents ? tangents + done : NULL);
    }
}

#undef REAL
#undef V
