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

static void V(load_weights)(const stele_view *v, uint64_t first, size_t count, REAL (*weights)[4])
{
    const uint8_t *p = st_view_at(v, first);
    stele_type type = v->components < 4 ? STELE_U32 : v->type;
    if (type == STELE_F32)
        for (size_t i = 0; i < count; i++)
            for (uint32_t k = 0; k < 4; k++)
                weights[i][k] = (REAL)load_f32(p + i * v->stride + 4 * k);
    else if (type == STELE_U8 && v->normalized)
        for (size_t i = 0; i < count; i++)
            for (uint32_t k = 0; k < 4; k++)
                weights[i][k] = (REAL)((double)p[i * v->stride + k] / 255);
    else
        for (size_t i = 0; i < count; i++)
            for (uint32_t k = 0; k < 4; k++)
                weights[i][k] = (REAL)stele_view_number(v, first + i, k);
}

static void V(load_block)(const mover *m, uint64_t first, V(block) * b)
{
    for (size_t set = 0; set < m->set_count; set++) {
        load_joints(m->joint_sets[set], first, b->rows, b->joint + set * b->rows);
        V(load_weights)(m->weight_sets[set], first, b->rows, b->weight + set * b->rows);
    }
}

/* The compilers' own vectors: the same arithmetic in every lane as alone. */
typedef REAL V(lanes) __attribute__((vector_size(16), aligned(sizeof(REAL)), may_alias));
enum { V(LANES) = 12 * sizeof(REAL) / 16 };

static inline void V(blend)(const mover *m, const V(block) * b, size_t row, REAL sum[12])
{
    const REAL(*const joints)[12] = m->V(joints); /* all that is asked again and again, for the compiler */
    const size_t known = m->skin->joint_count, prepared = m->prepared, end = m->set_count * b->rows;
    V(lanes) sums[V(LANES)] = {{0}};
    REAL made[12];
    for (size_t i = row; i < end; i += b->rows)
        for (int k = 0; k < 4; k++) {
            const REAL *rows, weight = b->weight[i][k];
            const uint32_t joint = b->joint[i][k];
            if (weight == 0 || joint >= known)
                continue;
            if (joint < prepared) {
                rows = joints[joint];
            } else {
                V(joint_rows)(m, joint, made);
                rows = made;
            }
            for (int e = 0; e < V(LANES); e++)
                sums[e] += weight * ((const V(lanes) *)rows)[e];
        }
    memcpy(sum, sums, sizeof sums);
}

/* Matrices of a block, and vectors of its vertices: number by number, so that the compiler can do several vertices at once. */
typedef REAL V(matrices)[12][BLOCK];
typedef REAL V(vectors)[3][BLOCK];

static void V(blend_block)(const mover *m, const V(block) * b, V(matrices) by)
{
    REAL rows[BLOCK][12];
    for (size_t i = 0; i < b->rows; i++)
        V(blend)(m, b, i, rows[i]);
    for (size_t i = 0; i < b->rows; i++)
        for (int e = 0; e < 12; e++)
            by[e][i] = rows[i][e];
}

static inline void V(take_vectors)(const uint8_t *from, size_t stride, size_t count, V(vectors) v)
{
    for (size_t i = 0; i < count; i++, from += stride)
        for (int k = 0; k < 3; k++)
            v[k][i] = (REAL)((const float *)from)[k];
}

static void V(move_positions)(V(matrices) by, size_t count, uint8_t *positions, size_t stride)
{
    V(vectors) p, moved;
    V(take_vectors)(positions, stride, count, p);
    for (int r = 0; r < 3; r++)
        for (size_t i = 0; i < count; i++)
            moved[r][i] = by[4 * r][i] * p[0][i] + by[4 * r + 1][i] * p[1][i] + by[4 * r + 2][i] * p[2][i] + by[4 * r + 3][i];
    for (size_t i = 0; i < count; i++, positions += stride)
        for (int k = 0; k < 3; k++)
            ((float *)positions)[k] = (float)moved[k][i];
}

/* The same, vertex by vertex: too few doubles go together for the way round by numbers to pay. */
static void V(move_each)(const mover *m, const V(block) * b, uint8_t *positions, size_t stride)
{
    for (size_t i = 0; i < b->rows; i++, positions += stride) {
        REAL by[12], p[3];
        for (int k = 0; k < 3; k++)
            p[k] = (REAL)((float *)positions)[k];
        V(blend)(m, b, i, by);
        for (int r = 0; r < 3; r++)
            ((float *)positions)[r] = (float)(by[4 * r] * p[0] + by[4 * r + 1] * p[1] + by[4 * r + 2] * p[2] + by[4 * r + 3]);
    }
}

/* Those that are left without a direction stay as they are. */
static void V(put_directions)(V(vectors) v, size_t count, uint8_t *directions, size_t stride)
{
    REAL by[BLOCK];
    for (size_t i = 0; i < count; i++)
        by[i] = V(unit_by)(v[0][i] * v[0][i] + v[1][i] * v[1][i] + v[2][i] * v[2][i]);
    for (size_t i = 0; i < count; i++, directions += stride)
        for (int k = 0; k < 3 && by[i] != 0; k++)
            ((float *)directions)[k] = (float)V(brought_to_one)(v[k][i], by[i]);
}

/* By the cofactors, whose rows are cross products of the rows of the matrix. */
static void V(turn_normals)(V(matrices) by, size_t count, float (*normals)[3])
{
    V(vectors) n, turned;
    V(take_vectors)((const uint8_t *)normals, sizeof *normals, count, n);
    for (size_t i = 0; i < count; i++) {
        REAL cofactors[3][3];
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < 3; k++) {
                int a = 4 * ((r + 1) % 3), b = 4 * ((r + 2) % 3), next = (k + 1) % 3, last = (k + 2) % 3;
                cofactors[r][k] = by[a + next][i] * by[b + last][i] - by[a + last][i] * by[b + next][i];
            }
        REAL volume = by[0][i] * cofactors[0][0] + by[1][i] * cofactors[0][1] + by[2][i] * cofactors[0][2];
        REAL sign = volume < 0 ? (REAL)-1 : (REAL)1;
        for (int r = 0; r < 3; r++)
            turned[r][i] = sign * (cofactors[r][0] * n[0][i] + cofactors[r][1] * n[1][i] + cofactors[r][2] * n[2][i]);
    }
    V(put_directions)(turned, count, (uint8_t *)normals, sizeof *normals);
}

/* Lengths within the vertex's surface turn as it does. */
static void V(turn_tangents)(V(matrices) by, size_t count, float (*tangents)[4])
{
    V(vectors) t, turned;
    V(take_vectors)((const uint8_t *)tangents, sizeof *tangents, count, t);
    for (int r = 0; r < 3; r++)
        for (size_t i = 0; i < count; i++)
            turned[r][i] = by[4 * r][i] * t[0][i] + by[4 * r + 1][i] * t[1][i] + by[4 * r + 2][i] * t[2][i];
    V(put_directions)(turned, count, (uint8_t *)tangents, sizeof *tangents);
}

static void V(move_block)(const mover *m, const V(block) * b, uint8_t *positions, size_t stride, float (*normals)[3],
                          float (*tangents)[4])
{
    V(matrices) by;
    if (sizeof(REAL) > sizeof(float) && !normals && !tangents) {
        V(move_each)(m, b, positions, stride);
        return;
    }
    V(blend_block)(m, b, by);
    V(move_positions)(by, b->rows, positions, stride);
    if (normals)
        V(turn_normals)(by, b->rows, normals);
    if (tangents)
        V(turn_tangents)(by, b->rows, tangents);
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
