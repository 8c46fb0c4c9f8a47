/* Sampling in one precision: sample.c includes this once for each, with REAL and V(name), what matrix.h calls name in it. */

static REAL V(cubic)(const stele_view *values, const key_place *place, uint32_t width, uint32_t i)
{
    REAL t = (REAL)place->fraction, t2 = t * t, t3 = t2 * t, seconds = (REAL)place->seconds;
    REAL from = (REAL)key_number(values, 3 * place->row + 1, width, i);
    if (place->fraction == 0)
        return from;
    REAL out = (REAL)key_number(values, 3 * place->row + 2, width, i) * seconds;
    REAL in = (REAL)key_number(values, 3 * place->row + 3, width, i) * seconds;
    REAL to = (REAL)key_number(values, 3 * place->row + 4, width, i);
    return (2 * t3 - 3 * t2 + 1) * from + (t3 - 2 * t2 + t) * out + (-2 * t3 + 3 * t2) * to + (t3 - t2) * in;
}

static REAL V(number_at)(const stele_channel *c, const key_place *place, uint32_t width, uint32_t i)
{
    if (c->interpolation == STELE_CUBIC)
        return V(cubic)(&c->values, place, width, i);
    REAL from = (REAL)key_number(&c->values, place->row, width, i);
    if (place->fraction == 0)
        return from;
    return from + ((REAL)key_number(&c->values, place->row + 1, width, i) - from) * (REAL)place->fraction;
}

/* A key of as many numbers as its row has. */
static inline void V(load_key)(const stele_view *values, uint64_t row, uint32_t width, REAL *key)
{
    const uint8_t *p = st_view_at(values, row);
    if (values->type == STELE_F32)
        for (uint32_t i = 0; i < width; i++)
            key[i] = (REAL)load_f32(p + 4 * i);
    else
        for (uint32_t i = 0; i < width; i++)
            key[i] = (REAL)stele_view_number(values, row, i);
}

/* What is a rotation but for rounding stays as it is. */
static inline void V(load_rotation)(const stele_view *values, uint64_t row, REAL q[4])
{
    V(load_key)(values, row, 4, q);
    REAL off = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1;
    if (!(off < (REAL)ROUNDING_OF_TURNS && off > -(REAL)ROUNDING_OF_TURNS))
        V(st_quaternion_normalize)(q);
}

static void V(turn)(const stele_view *values, const key_place *place, REAL result[4])
{
    REAL from[4], to[4];
    V(load_rotation)(values, place->row, from);
    V(load_rotation)(values, place->row + (place->fraction != 0), to);
    V(st_quaternion_slerp)(from, to, (REAL)place->fraction, result);
}

static inline void V(move)(const stele_view *values, const key_place *place, REAL result[3])
{
    REAL from[3], to[3];
    V(load_key)(values, place->row, 3, from);
    V(load_key)(values, place->row + (place->fraction != 0), 3, to);
    for (int i = 0; i < 3; i++)
        result[i] = place->fraction == 0 ? from[i] : from[i] + (to[i] - from[i]) * (REAL)place->fraction;
}

static __attribute__((noinline)) void V(any_channel_at)(const stele_channel *c, const key_place *found, uint32_t width,
                                                        REAL *result)
{
    const key_place held = {found->row, 0, found->seconds};
    const key_place *place = c->interpolation == STELE_STEP ? &held : found;
    bool rotation = c->path == STELE_ROTATION;
    if (rotation && c->interpolation != STELE_CUBIC && c->values.components == width) {
        V(turn)(&c->values, place, result);
        return;
    }
    for (uint32_t i = 0; i < width; i++)
        result[i] = V(number_at)(c, place, width, i);
    if (rotation)
        V(st_quaternion_normalize)(result);
}

/* What moves straight is most of what moves, and shall not wait for the others. */
void V(st_channel_at)(const stele_channel *c, const key_place *found, uint32_t width, REAL *result)
{
    if (width == 3 && c->interpolation == STELE_LINEAR && c->values.components == 3)
        V(move)(&c->values, found, result);
    else
        V(any_channel_at)(c, found, width, result);
}

#undef REAL
#undef V
