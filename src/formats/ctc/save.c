/* A model as a CTC: the skeleton under a main key, poses at a fixed rate, and one surface. */
#include <math.h>

#include "base/order.h"
#include "model/evaluate.h"
#include "model/sample.h"
#include "model/save_skeleton.h"
#include "raw.h"

typedef unsigned long long number; /* for printf */

void st_ctc_set_word(ctc_saver *a, ctc_word word, uint64_t value)
{
    store_uint(a->header + 4 * word, value, 4);
}

span st_ctc_fixed(ctc_saver *a, const char *name, uint32_t size, bool terminated)
{
    uint8_t *field = st_need(a->c, size, 1);
    size_t length = strlen(name), most = size - terminated;
    if (length > most) {
        a->lost_names++;
        for (length = most; length && ((uint8_t)name[length] & 0xC0) == 0x80;)
            length--; /* not within a character */
    }
    if (field)
        memcpy(field, name, length);
    return (span){field, 1, size};
}

/* ---- The skeleton ---- */

static uint32_t find_main(const stele_model *model)
{
    for (uint32_t i = 0; i < model->node_count; i++)
        if (stele_find_property(&model->nodes[i].properties, CTC_MAIN_KEY))
            return i;
    return STELE_NONE;
}

static uint32_t main_joint(const ctc_saver *a)
{
    return a->main_node == STELE_NONE ? STELE_NONE : a->flat.joint_of_node[a->main_node];
}

/* Where the main key puts everything, in a pose of the nodes of the model. */
static matrix main_place(const ctc_saver *a, double (*nodes)[16])
{
    if (a->main_node == STELE_NONE)
        return st_matrix_identity();
    matrix world = st_matrix_of_doubles(nodes[a->main_node]);
    return st_matrix_product(&a->flat.from_model, &world);
}

/* The scale of a joint at rest, as a diagonal matrix. Rounding is no scale. */
static matrix scale_of(const matrix *rest, bool inverse)
{
    transform t;
    matrix scale = st_matrix_identity();
    st_matrix_decompose(rest, &t);
    for (int i = 0; i < 3; i++)
        if (fabs(t.scale[i] - 1) > 1e-5 && t.scale[i] != 0)
            scale.m[5 * i] = inverse ? 1 / t.scale[i] : t.scale[i];
    return scale;
}

/* Whether the model was a CTC: then its vertices and bones are in the space of the file already. */
static bool keeps_bind(const ctc_saver *a)
{
    return st_property_text_of(&a->c->save->model->properties, CTC_BIND_KEY) != NULL;
}

/* Bones of other models get the axes of the file too: otherwise the first key of each would have to turn them. */
static bool collect_bones(ctc_saver *a)
{
    uint64_t count = a->flat.joint_count;
    a->bone_of_joint = st_need(a->c, count, sizeof *a->bone_of_joint);
    a->joint_of_bone = st_need(a->c, count, sizeof *a->joint_of_bone);
    a->adjust = st_need(a->c, count, sizeof *a->adjust);
    a->bone_bind = st_need(a->c, count, sizeof *a->bone_bind);
    joint_numbers numbers;
    matrix turn = keeps_bind(a) ? st_matrix_identity() : a->flat.root, back;
    st_matrix_inverse(&turn, &back);
    a->c->fits &= st_joint_numbers(a->c, &a->flat, &numbers);
    for (uint32_t i = 0; a->c->fits && i < count; i++) {
        const flat_joint *joint = &a->flat.joints[i];
        a->bone_of_joint[i] = STELE_NONE;
        if (i == main_joint(a) || numbers.of[i] == STELE_NONE)
            continue;
        matrix scale = scale_of(&joint->rest, false), unscale = scale_of(&joint->rest, true);
        scale = st_matrix_product(&back, &scale);
        a->adjust[a->bone_count] = st_matrix_product(&unscale, &turn);
        a->bone_bind[a->bone_count] = st_matrix_product(&scale, &joint->inverse_bind);
        a->joint_of_bone[a->bone_count] = i;
        a->bone_of_joint[i] = a->bone_count++;
    }
    return a->c->fits;
}

static uint32_t parent_of(const ctc_saver *a, uint32_t bone)
{
    uint32_t parent = a->flat.joints[a->joint_of_bone[bone]].parent;
    while (parent != STELE_NONE && a->bone_of_joint[parent] == STELE_NONE)
        parent = a->flat.joints[parent].parent;
    return parent == STELE_NONE ? STELE_NONE : a->bone_of_joint[parent];
}

uint32_t st_ctc_bone_above(const ctc_saver *a, uint32_t node)
{
    const stele_model *model = a->c->save->model;
    for (; node != STELE_NONE; node = model->nodes[node].parent)
        if (a->flat.joint_of_node[node] != STELE_NONE)
            return a->bone_of_joint[a->flat.joint_of_node[node]];
    return STELE_NONE;
}

matrix st_ctc_space(const ctc_saver *a, uint32_t bone)
{
    if (bone == STELE_NONE)
        return a->main_bind;
    return a->way == CTC_BIND_LOCAL ? a->bone_bind[bone] : st_matrix_identity();
}

static void store_base(const ctc_saver *a, uint8_t *bytes, uint32_t bone)
{
    matrix base = a->way == CTC_BIND_LOCAL ? st_matrix_identity() : a->bone_bind[bone];
    if (a->way == CTC_BIND_FORWARD)
        st_matrix_inverse(&a->bone_bind[bone], &base);
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            store_f32(bytes + 4 * (a->columns ? 4 * c + r : 4 * r + c), st_ctc_float(base.m[4 * c + r]));
}

static void store_unknown(const stele_node *node, uint8_t *bytes)
{
    const stele_property *unknown = stele_find_property(&node->properties, CTC_UNKNOWN_KEY);
    for (size_t i = 0; unknown && i < 6 && i < unknown->number_count; i++)
        store_f32(bytes + 4 * i, st_ctc_float(unknown->numbers[i]));
}

static void save_bones(ctc_saver *a)
{
    uint8_t *bones = st_need(a->c, (uint64_t)a->bone_count, BONE_BYTES);
    for (uint32_t i = 0; bones && i < a->bone_count; i++) {
        uint8_t *bone = bones + (uint64_t)i * BONE_BYTES;
        uint32_t parent = parent_of(a, i);
        if (parent != STELE_NONE) {
            uint8_t *children = bones + (uint64_t)parent * BONE_BYTES + BONE_CHILDREN;
            store_uint(children, load_u32(children) + 1, 4);
            store_uint(bone + BONE_PARENT, (uint64_t)parent + 1, 4);
        }
        store_unknown(&a->c->save->model->nodes[a->flat.joints[a->joint_of_bone[i]].node], bone + BONE_UNKNOWN);
        store_base(a, bone + BONE_BASE, i);
    }
    a->file->rows[CTC_BONES] = (span){bones, a->bone_count, BONE_BYTES};
    st_ctc_set_word(a, CTC_BONE_COUNT, a->bone_count);
}

/* ---- Frames ---- */

/* While frames are saved. */
typedef struct film {
    ctc_saver *saver;
    double fps;
    double (*nodes)[16];
    matrix *joints, *places; /* of a pose: as they are, and the bones without their scale */
    double (*angles)[3];     /* of the frame before: the main ones first */
    uint8_t *keys;
    uint64_t frame_count;
    uint64_t scaled; /* keys that are more than a translation and a rotation */
} film;

static bool is_rigid(const matrix *local)
{
    transform t;
    bool whole = st_matrix_decompose(local, &t);
    return whole && fabs(t.scale[0] - 1) < 1e-3 && fabs(t.scale[1] - 1) < 1e-3 && fabs(t.scale[2] - 1) < 1e-3;
}

static void store_place(film *f, const matrix *local, uint64_t column)
{
    ctc_key key;
    matrix rotation = st_ctc_rotation(local);
    memcpy(key.translation, local->m + 12, sizeof key.translation);
    st_ctc_angles(&rotation, f->angles[column], key.angles);
    memcpy(f->angles[column], key.angles, sizeof key.angles);
    uint64_t width = 1 + (uint64_t)f->saver->bone_count;
    st_ctc_store_key(f->keys + KEY_BYTES * (f->frame_count * width + column), &key);
    f->scaled += !is_rigid(local);
}

static void pose(film *f, uint32_t clip, double seconds)
{
    st_flat_pose(f->saver->c, &f->saver->flat, clip, seconds, f->nodes, f->joints);
}

/* Adds the pose as a frame. */
static void shoot(film *f)
{
    const ctc_saver *a = f->saver;
    matrix whole = main_place(a, f->nodes), back;
    st_matrix_inverse(&whole, &back);
    store_place(f, &whole, 0);
    for (uint32_t i = 0; i < a->bone_count; i++) {
        uint32_t parent = parent_of(a, i);
        f->places[i] = st_matrix_product(&f->joints[a->joint_of_bone[i]], &a->adjust[i]);
        matrix above = back;
        if (parent != STELE_NONE)
            st_matrix_inverse(&f->places[parent], &above);
        matrix local = st_matrix_product(&above, &f->places[i]);
        store_place(f, &local, 1 + (uint64_t)i);
    }
    f->frame_count++;
}

/* The main angles may turn more than once between frames: they are followed in small steps. */
enum { STEPS = 16 };

static void follow_main(film *f, uint32_t clip, uint64_t frame)
{
    if (!frame || main_joint(f->saver) == STELE_NONE)
        return;
    for (int i = 1; i < STEPS; i++) {
        double angles[3];
        pose(f, clip, ((double)(frame - 1) + (double)i / STEPS) / f->fps);
        matrix place = main_place(f->saver, f->nodes), rotation = st_ctc_rotation(&place);
        st_ctc_angles(&rotation, f->angles[0], angles);
        memcpy(f->angles[0], angles, sizeof angles);
    }
}

static double frames_a_second(const ctc_saver *a)
{
    double usual = st_property_number_of(&a->c->save->model->properties, CTC_FPS_KEY, CTC_USUAL_FPS);
    return a->c->save->fps > 0 ? a->c->save->fps : usual;
}

static double frames_of(const stele_clip *clip, double fps)
{
    return ceil(clip->duration * fps - 1e-3) + 1;
}

static void shoot_clip(film *f, uint32_t clip)
{
    const ctc_saver *a = f->saver;
    uint64_t count = (uint64_t)frames_of(&a->c->save->model->clips[clip], f->fps);
    memset(f->angles, 0, (1 + (size_t)a->bone_count) * sizeof *f->angles);
    for (uint64_t i = 0; i < count; i++) {
        follow_main(f, clip, i);
        pose(f, clip, (double)i / f->fps);
        shoot(f);
    }
}

/* ---- Clips ---- */

static void save_animation(ctc_saver *a, const stele_clip *clip, double fps, ctc_animation *animation)
{
    double unknown = st_property_number_of(&clip->properties, CTC_UNKNOWN_KEY, 0);
    animation->name = st_ctc_fixed(a, clip->name ? clip->name : "", 16, true);
    animation->unknown = unknown >= 0 && unknown <= UINT32_MAX ? (uint32_t)unknown : 0;
    animation->frame_count = (uint32_t)frames_of(clip, fps);
}

static void sample(const stele_channel *channel, double seconds, uint32_t width, double *values)
{
    key_place place = st_key_place(channel, seconds);
    st_channel_at(channel, &place, width, values);
}

/* Whether a key between two frames leads away from the straight way from one to the other. */
static bool bends_between(const stele_channel *channel, double time, double fps)
{
    uint32_t width = channel->path == STELE_ROTATION ? 4 : 3;
    double frame = time * fps, before = floor(frame);
    double from[4], at[4], to[4], straight[4], sum = 0, difference = 0;
    sample(channel, before / fps, width, from);
    sample(channel, time, width, at);
    sample(channel, (before + 1) / fps, width, to);
    for (uint32_t k = 0; k < width; k++)
        straight[k] = from[k] + (frame - before) * (to[k] - from[k]);
    if (width == 4)
        st_quaternion_slerp(from, to, frame - before, straight);
    for (uint32_t k = 0; k < width; k++)
        sum += straight[k] * at[k];
    for (uint32_t k = 0; k < width; k++) { /* a rotation and its negative are the same */
        double other = width == 4 && sum < 0 ? -at[k] : at[k];
        difference = greater(difference, fabs(straight[k] - other) / (1 + fabs(at[k])));
    }
    return difference > 1e-5;
}

/* Whole frames: a clip that ends between two goes on to the next. */
static void report_ends(const ctc_saver *a, double fps)
{
    const stele_model *model = a->c->save->model;
    uint64_t longer = 0;
    for (uint32_t i = 0; i < model->clip_count; i++)
        longer += st_flat_clip_used(&a->flat, i) &&
                  fabs(model->clips[i].duration * fps - frames_of(&model->clips[i], fps) + 1) > 1e-3;
    st_lose(a->c, DIAG_LOSS_PRECISION, longer, "", "has whole frames: %llu clip%s longer", (number)longer,
            longer == 1 ? " gets" : "s get");
}

/* Keys that are between frames. Those of a CTC that were put there to follow its angles are no loss. */
static void report_between(const ctc_saver *a, double fps)
{
    const stele_model *model = a->c->save->model;
    uint64_t between = 0;
    if (a->main_node != STELE_NONE && fps == st_property_number_of(&model->properties, CTC_FPS_KEY, CTC_USUAL_FPS))
        return;
    for (uint32_t i = 0; i < model->clip_count; i++)
        for (size_t k = 0; k < model->clips[i].channel_count; k++) {
            const stele_channel *channel = &model->clips[i].channels[k];
            for (uint64_t t = 0; a->flat.joint_of_node[channel->node] != STELE_NONE && t < channel->times.count; t++) {
                double time = stele_view_number(&channel->times, t, 0);
                bool on_frame = fabs(time * fps - nearbyint(time * fps)) <= 1e-2;
                bool kept = channel->path == STELE_TRANSLATION || channel->path == STELE_ROTATION;
                between += !on_frame && kept && bends_between(channel, time, fps);
            }
        }
    st_lose(a->c, DIAG_LOSS_INTERPOLATION, between, "", "has %g frames a second: %llu keys between them are lost", fps,
            (number)between);
}

/* What is shown without a clip is the first frame. */
static void report_rest(film *f, uint32_t first_clip)
{
    const ctc_saver *a = f->saver;
    uint64_t moved = 0;
    pose(f, first_clip, 0);
    for (size_t i = 0; i < a->flat.joint_count; i++)
        moved += st_matrix_differs(&f->joints[i], &a->flat.joints[i].rest);
    st_lose(a->c, DIAG_LOSS_REST, moved, "", "rests as its first frame is: %llu joints rest elsewhere", (number)moved);
}

/* The clips that move anything, and how many frames they have together. */
static uint32_t *choose_clips(ctc_saver *a, double fps, uint32_t *count, double *frames)
{
    const stele_model *model = a->c->save->model;
    uint32_t *clips = st_need(a->c, model->clip_count, sizeof *clips);
    for (uint32_t i = 0; clips && i < model->clip_count; i++)
        if (st_flat_clip_used(&a->flat, i)) {
            clips[(*count)++] = i;
            *frames += frames_of(&model->clips[i], fps);
            st_flat_afford(a->c, &a->flat, i, STEPS * frames_of(&model->clips[i], fps));
        }
    return clips;
}

static bool prepare_film(film *f, uint64_t frames)
{
    ctc_saver *a = f->saver;
    uint64_t width = 1 + (uint64_t)a->bone_count;
    f->nodes = st_need(a->c, a->c->save->model->node_count, sizeof *f->nodes);
    f->joints = st_need(a->c, a->flat.joint_count, sizeof *f->joints);
    f->places = st_need(a->c, a->bone_count, sizeof *f->places);
    f->angles = st_need(a->c, width, sizeof *f->angles);
    f->keys = st_need(a->c, frames * width, KEY_BYTES);
    return a->c->fits;
}

/* Without a clip there is one frame, for the bones must be somewhere. */
static void save_clips(ctc_saver *a)
{
    const stele_model *model = a->c->save->model;
    film f = {.saver = a, .fps = frames_a_second(a)};
    uint32_t count = 0;
    double frames = 0;
    uint32_t *clips = choose_clips(a, f.fps, &count, &frames);
    bool still = !count && (a->bone_count || !st_matrix_is_identity(&a->main_bind));
    frames += still;
    if (!(frames * KEY_BYTES * (1.0 + a->bone_count) < INT32_MAX)) {
        st_refuse(a->c, at_path("frame_count", 1), "the frames alone would have 2 GiB or more");
        return;
    }
    a->file->animation = st_need(a->c, count, sizeof *a->file->animation);
    if (!a->c->fits || !prepare_film(&f, (uint64_t)frames))
        return;
    for (uint32_t i = 0; i < count; i++) {
        save_animation(a, &model->clips[clips[i]], f.fps, &a->file->animation[i]);
        shoot_clip(&f, clips[i]);
    }
    if (count)
        report_rest(&f, clips[0]);
    st_report_clips(a->c, &a->flat);
    report_between(a, f.fps);
    report_ends(a, f.fps);
    if (still) {
        pose(&f, STELE_NONE, 0);
        shoot(&f);
    }
    a->file->rows[CTC_FRAMES] = (span){f.keys, f.frame_count * (1 + (uint64_t)a->bone_count), KEY_BYTES};
    st_ctc_set_word(a, CTC_FRAME_COUNT, f.frame_count);
    st_ctc_set_word(a, CTC_ANIMATION_COUNT, count);
    st_lose(a->c, DIAG_LOSS_POSES, f.scaled, "", "has no scale in keys: %llu lose it", (number)f.scaled);
}

/* ---- The file ---- */

static bool says(const ctc_saver *a, const char *key, const char *value)
{
    const char *text = st_property_text_of(&a->c->save->model->properties, key);
    return text && strcmp(text, value) == 0;
}

static void take_choices(ctc_saver *a)
{
    a->reverse = !says(a, CTC_WINDING_KEY, "keep");
    a->columns = says(a, CTC_STORAGE_KEY, "columns");
    for (unsigned way = 0; way < CTC_BIND_WAYS; way++)
        if (says(a, CTC_BIND_KEY, st_ctc_bind_names[way]))
            a->way = (ctc_bind_way)way;
}

static bool flatten(ctc_saver *a)
{
    const double turn[4] = {-0.5, -0.5, -0.5, 0.5};
    flat_wishes wishes = {.axes = says(a, CTC_UP_KEY, "y") ? st_matrix_identity() : st_quaternion_matrix(turn),
                          .skeleton = true,
                          .normals = true,
                          .rest_pose = true,
                          .keep_bind = keeps_bind(a)};
    return st_flatten(a->c, &wishes, &a->flat);
}

/* Where the main key is at rest, and so what vertices without a bone must be freed of. */
static bool bind_main(ctc_saver *a)
{
    double(*nodes)[16] = st_need(a->c, a->c->save->model->node_count, sizeof *nodes);
    a->main_bind = st_matrix_identity();
    if (!nodes)
        return false;
    st_evaluate_nodes(a->c->save->model, STELE_NONE, 0, nodes);
    matrix place = main_place(a, nodes);
    if (main_joint(a) != STELE_NONE)
        a->main_bind = a->flat.joints[main_joint(a)].inverse_bind;
    else if (!st_matrix_is_identity(&place))
        st_matrix_inverse(&place, &a->main_bind);
    return true;
}

static uint32_t word_property(const ctc_saver *a, const char *key, double usual)
{
    double value = st_property_number_of(&a->c->save->model->properties, key, usual);
    return value >= INT32_MIN && value <= INT32_MAX ? (uint32_t)(int32_t)value : (uint32_t)usual;
}

static void save_header(ctc_saver *a)
{
    double frame_bytes = a->file->rows[CTC_FRAMES].count ? KEY_BYTES * (1.0 + a->bone_count) : 0;
    double corners = (double)a->file->rows[CTC_INDICES].count;
    memcpy(a->header, "SMDL", 4);
    st_ctc_set_word(a, CTC_VERSION, CTC_NEWEST - a->file->raw.dialect);
    st_ctc_set_word(a, CTC_SKIN_WIDTH, word_property(a, CTC_WIDTH_KEY, CTC_USUAL_SKIN_SIZE));
    st_ctc_set_word(a, CTC_SKIN_HEIGHT, word_property(a, CTC_HEIGHT_KEY, CTC_USUAL_SKIN_SIZE));
    st_ctc_set_word(a, CTC_UNKNOWN1, word_property(a, CTC_UNKNOWN1_KEY, frame_bytes));
    st_ctc_set_word(a, CTC_UV_COUNT, word_property(a, CTC_UV_COUNT_KEY, corners));
    if (a->lost_names)
        st_lose(a->c, DIAG_LOSS_NAME, a->lost_names, "", "has short names: %llu were cut off", (number)a->lost_names);
}

/* What a reader who is told nothing would take the file for. False if it cannot be known. */
static bool read_again(const ctc_saver *a, ctc_rig *rig, bool *reverse)
{
    static const stele_load_options nothing;
    const stele_format_info *info = &st_format_ctc.info;
    diags unsaid;
    loading l = {.options = &nothing, .choices = info->choices, .choice_count = info->choice_count};
    context c = *a->c;
    c.load = &l;
    c.diags = &unsaid;
    if (!st_diags_init(&unsaid, c.arena, NULL, 0, NULL) || !st_ctc_load_rig(&c, a->file, rig))
        return false;
    *reverse = st_ctc_seems_reversed(&c, a->file, rig);
    return true;
}

static void tell_choice(const ctc_saver *a, const char *what, const char *choice)
{
    st_diag(a->c->diags, DIAG_NONSTANDARD_LAYOUT, at_path("", 1), "%s, which nothing in a CTC tells: read it with %s", what,
            choice);
}

/* A file leaves much open: where what is written would be taken otherwise, that is said. */
static void report_choices(const ctc_saver *a)
{
    double fps = frames_a_second(a);
    ctc_rig rig;
    bool reverse, known = read_again(a, &rig, &reverse);
    if (known && reverse != a->reverse)
        tell_choice(a, "its normals point to where triangles are not seen from",
                    a->reverse ? "--set " CTC_WINDING_KEY "=reverse" : "--set " CTC_WINDING_KEY "=keep");
    if (a->bone_count && known && rig.way != a->way)
        tell_choice(a, st_arena_format(a->c->arena, "its bones are bound the %s way", st_ctc_bind_names[a->way]),
                    st_arena_format(a->c->arena, "--set " CTC_BIND_KEY "=%s", st_ctc_bind_names[a->way]));
    if (says(a, CTC_UP_KEY, "y"))
        tell_choice(a, "y is up", "--set " CTC_UP_KEY "=y");
    if (a->c->save->model->clip_count && fps != CTC_USUAL_FPS)
        tell_choice(a, st_arena_format(a->c->arena, "it has %g frames a second", fps),
                    st_arena_format(a->c->arena, "--fps %g", fps));
}

bool st_ctc_save(context *c, raw_file *raw)
{
    ctc_saver a = {.c = c, .file = (ctc_file *)raw, .main_node = find_main(c->save->model)};
    a.header = st_need(c, CTC_HEADER_BYTES, 1);
    take_choices(&a);
    if (!a.header || !flatten(&a) || !collect_bones(&a) || !bind_main(&a))
        return false;
    for (unsigned i = 0; i < CTC_WORDS; i++)
        a.file->word[i] = (span){a.header + 4 * i, 1, 4};
    save_bones(&a);
    if (c->fits)
        st_ctc_save_mesh(&a);
    if (c->fits)
        save_clips(&a);
    if (!c->fits)
        return false;
    save_header(&a);
    report_choices(&a);
    return st_ctc_lay_out(c, a.file, a.header);
}
