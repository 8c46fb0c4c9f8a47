/* The meaning of a CTC: X forward, Y left and Z up; bones under the node of the main key, keys at a fixed rate. */
#include <math.h>

#include "base/order.h"
#include "base/trig.h"
#include "model/load_skeleton.h"
#include "raw.h"

typedef struct ctc_loader {
    context *c;
    const ctc_file *file;
    ctc_rig rig;
    uint32_t root, main, first_bone; /* nodes; the bones follow in order */
} ctc_loader;

static uint32_t bone_node(const ctc_loader *l, uint32_t bone)
{
    return bone == STELE_NONE ? l->main : l->first_bone + bone;
}

static const char *fixed_name(arena *a, const span *field)
{
    text name = st_fixed_text(field);
    return st_text_string(a, &name);
}

/* ---- Materials ---- */

static bool is_transparent(const ctc_file *f, const ctc_list *list)
{
    for (uint64_t i = 3 * list->first; i < 3 * (list->first + list->count); i++) {
        const uint8_t *color = st_ctc_color(f, i);
        if (color && color[3] < 255)
            return true;
    }
    return false;
}

/* The type in a skin's name counts for nothing: the file may be of any. */
static uint32_t load_skin_texture(context *c, const ctc_skin *skin)
{
    stele_texture texture = {.name = fixed_name(c->arena, &skin->name)};
    if (!*texture.name)
        return STELE_NONE;
    texture.file = st_ctc_texture(c->companions, texture.name);
    if (!texture.file && !c->full && st_companions_any(c->companions)) /* a full check has said so already */
        st_diag(c->diags, DIAG_TEXTURE_MISSING, at_member(&skin->name), "is \"%s\", which is not beside the model",
                texture.name);
    uint32_t index = st_model_add_texture(c->load->model, c->arena, &texture);
    st_part_at(c, STELE_PART_TEXTURE, index, at_member(&skin->name));
    return index;
}

/* A material for each skin, in their order, and one for each list that is transparent and has no skin. */
static bool load_materials(context *c, const ctc_file *f, const ctc_list *lists, size_t list_count, uint32_t *materials)
{
    size_t list = 0;
    stele_material material = stele_default_material();
    for (uint32_t i = 0; i < ctc_word_of(f, CTC_SKIN_COUNT); i++) {
        bool used = list < list_count && lists[list].skin == i;
        material.textures[STELE_ROLE_BASE_COLOR].texture = load_skin_texture(c, &f->skin[i]);
        material.alpha_mode = used && is_transparent(f, &lists[list]) ? STELE_BLEND : STELE_OPAQUE;
        uint32_t index = st_model_add_material(c->load->model, c->arena, &material);
        st_part_at(c, STELE_PART_MATERIAL, index, at_item(&f->skin[i]));
        if (used)
            materials[list++] = index;
    }
    material = stele_default_material();
    material.alpha_mode = STELE_BLEND;
    for (; list < list_count; list++)
        materials[list] =
            is_transparent(f, &lists[list]) ? st_model_add_material(c->load->model, c->arena, &material) : STELE_NONE;
    return !c->arena->failed;
}

/* ---- Which side of a triangle is seen ---- */

/* As it is at rest: triangles may join vertices that have no space in common otherwise. */
static void load_vertex(const ctc_file *f, const ctc_rig *rig, uint64_t corner, double position[3], double normal[3])
{
    uint32_t index = ctc_vertex_of(f, corner);
    const uint8_t *vertex = f->rows[CTC_VERTICES].data + (uint64_t)index * VERTEX_BYTES;
    double point[3], direction[3];
    for (int i = 0; i < 3; i++) {
        point[i] = position[i] = (double)load_f32(vertex + 4 * i);
        direction[i] = normal[i] = (double)load_f32(vertex + VERTEX_NORMAL + 4 * i);
    }
    if (rig->owner[index] == STELE_NONE)
        return;
    st_matrix_point(&rig->rest[rig->owner[index]], point, position);
    st_matrix_direction(&rig->rest[rig->owner[index]], direction, normal);
}

/* How far a triangle that is seen counter-clockwise agrees with its normals. */
static double agreement(const ctc_file *f, const ctc_rig *rig, uint64_t triangle)
{
    double p[3][3], n[3][3], edges[2][3], across[3], normal[3];
    for (uint64_t k = 0; k < 3; k++)
        load_vertex(f, rig, 3 * triangle + k, p[k], n[k]);
    minus3(p[1], p[0], edges[0]);
    minus3(p[2], p[0], edges[1]);
    cross3(edges[0], edges[1], across);
    for (int i = 0; i < 3; i++)
        normal[i] = n[0][i] + n[1][i] + n[2][i];
    double agreed = dot3(across, normal);
    return isfinite(agreed) ? agreed : 0;
}

static bool decide_winding(context *c, const ctc_file *f, const ctc_rig *rig, const ctc_list *lists, size_t list_count)
{
    double sum = 0;
    if (!list_count)
        return true;
    for (size_t i = 0; i < list_count; i++)
        for (uint64_t t = lists[i].first; t < lists[i].first + lists[i].count; t++)
            sum += agreement(f, rig, t);
    st_diag(c->diags, DIAG_ASSUMED, at_member(&f->rows[CTC_INDICES]), "%s",
            sum < 0   ? "the normals say that triangles are clockwise: they are turned round"
            : sum > 0 ? "the normals say that triangles are counter-clockwise: they stay so"
                      : "nothing says which way triangles go: they are turned round, as the game has them");
    return sum <= 0;
}

bool st_ctc_seems_reversed(context *c, const ctc_file *f, const ctc_rig *rig)
{
    size_t list_count;
    ctc_list *lists = st_ctc_lists(f, c->arena, &list_count);
    return lists && decide_winding(c, f, rig, lists, list_count);
}

static bool choose_winding(context *c, const ctc_file *f, const ctc_rig *rig, const ctc_list *lists, size_t list_count)
{
    const char *choice = st_load_choice(c, CTC_WINDING_KEY);
    if (strcmp(choice, "keep") == 0)
        return false;
    return strcmp(choice, "reverse") == 0 || decide_winding(c, f, rig, lists, list_count);
}

/* ---- Nodes ---- */

static void place_by_key(stele_node *node, const uint8_t *bytes)
{
    ctc_key key = st_ctc_key(bytes);
    transform t = {.scale = {1, 1, 1}};
    memcpy(t.translation, key.translation, sizeof t.translation);
    st_ctc_quaternion(key.angles, t.rotation);
    node->local = st_transform_float(&t);
}

/* Without frames, bones rest where they were bound. */
static void place_by_bind(const ctc_loader *l, uint32_t bone, stele_node *node)
{
    uint32_t parent = st_ctc_parent(l->file, bone);
    matrix place;
    st_matrix_inverse(&l->rig.inverse_bind[bone], &place);
    if (parent != STELE_NONE)
        place = st_matrix_product(&l->rig.inverse_bind[parent], &place);
    st_node_place(node, l->c->arena, &place, false);
}

/* Six floats that may mean something. */
static void keep_unknown(arena *a, const uint8_t *bone, stele_node *node)
{
    enum { COUNT = 6 };
    double numbers[COUNT];
    bool any = false;
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = (double)load_f32(bone + BONE_UNKNOWN + 4 * i);
        any |= numbers[i] != 0;
        if (!isfinite(numbers[i]))
            return; /* what is left of a running engine */
    }
    if (any)
        st_property_numbers(&node->properties, a, CTC_UNKNOWN_KEY, numbers, COUNT);
}

static bool load_bone(ctc_loader *l, uint32_t bone)
{
    arena *a = l->c->arena;
    stele_node node = stele_default_node();
    const uint8_t *keys = st_ctc_frame(l->file, 0);
    node.name = st_arena_format(a, CTC_BONE_NAME, bone);
    node.parent = bone_node(l, st_ctc_parent(l->file, bone));
    if (keys)
        place_by_key(&node, keys + KEY_BYTES * (1 + (uint64_t)bone));
    else
        place_by_bind(l, bone, &node);
    const uint8_t *row = l->file->rows[CTC_BONES].data + (uint64_t)bone * BONE_BYTES;
    keep_unknown(a, row, &node);
    st_part_at(l->c, STELE_PART_NODE, (uint32_t)l->c->load->model->node_count, at_row(row, 1));
    return st_model_add_node(l->c->load->model, a, &node) != STELE_NONE;
}

static bool load_nodes(ctc_loader *l, bool z_up)
{
    context *c = l->c;
    stele_node root = stele_default_node(), main_node = stele_default_node();
    const uint8_t *keys = st_ctc_frame(l->file, 0);
    root.name = "ctc_root";
    if (z_up) /* (x, y, z) becomes (y, z, x) */
        memcpy(root.local.rotation, (float[]){-0.5f, -0.5f, -0.5f, 0.5f}, sizeof root.local.rotation);
    l->root = st_model_add_node(c->load->model, c->arena, &root);
    main_node.name = "main";
    main_node.parent = l->root;
    if (keys)
        place_by_key(&main_node, keys);
    st_property_number(&main_node.properties, c->arena, CTC_MAIN_KEY, 1);
    l->main = st_model_add_node(c->load->model, c->arena, &main_node);
    l->first_bone = l->main + 1;
    for (uint32_t i = 0; i < l->rig.bone_count; i++)
        if (!load_bone(l, i))
            return false;
    return !c->arena->failed;
}

static uint32_t load_skin(ctc_loader *l)
{
    context *c = l->c;
    const ctc_rig *rig = &l->rig;
    uint64_t count = (uint64_t)rig->bone_count + rig->some_unowned;
    uint32_t *joints = st_arena_array(c->arena, count, sizeof *joints);
    uint8_t *matrices;
    stele_skin skin = {.joints = joints, .joint_count = (size_t)count, .skeleton = l->main};
    skin.inverse_bind = st_view_make(c->arena, count, STELE_F32, 16, &matrices);
    if (!joints || !matrices)
        return STELE_NONE;
    for (uint32_t i = 0; i < rig->bone_count; i++) {
        joints[i] = bone_node(l, i);
        st_store_matrix(matrices + MATRIX_BYTES * (uint64_t)i, &rig->inverse_bind[i]);
    }
    if (rig->some_unowned) {
        matrix identity = st_matrix_identity();
        joints[rig->bone_count] = l->main;
        st_store_matrix(matrices + MATRIX_BYTES * (uint64_t)rig->bone_count, &identity);
    }
    return st_model_add_skin(c->load->model, c->arena, &skin);
}

/* A skinned mesh is where its joints put it, and hangs from nothing. */
static bool load_surface(ctc_loader *l)
{
    context *c = l->c;
    size_t list_count;
    stele_node node = stele_default_node();
    ctc_list *lists = st_ctc_lists(l->file, c->arena, &list_count);
    uint32_t *materials = lists ? st_arena_array(c->arena, list_count, sizeof *materials) : NULL;
    if (!materials || !load_materials(c, l->file, lists, list_count, materials))
        return false;
    bool reverse = choose_winding(c, l->file, &l->rig, lists, list_count);
    st_property_text(&c->load->model->properties, c->arena, CTC_WINDING_KEY, reverse ? "reverse" : "keep");
    node.skin = l->rig.bone_count ? load_skin(l) : STELE_NONE;
    node.parent = l->rig.bone_count ? STELE_NONE : l->main;
    if (!list_count)
        return !c->arena->failed;
    node.mesh = st_ctc_load_mesh(c, l->file, &l->rig, lists, list_count, materials, reverse);
    return node.mesh != STELE_NONE && st_model_add_node(c->load->model, c->arena, &node) != STELE_NONE;
}

/* ---- Attachments ---- */

static uint32_t owner_of_triangle(const ctc_loader *l, uint64_t triangle)
{
    uint32_t owner[3];
    for (unsigned i = 0; i < 3; i++)
        owner[i] = l->rig.owner[ctc_vertex_of(l->file, 3 * triangle + i)];
    return owner[1] == owner[2] ? owner[1] : owner[0]; /* two of three, or else the first */
}

static bool load_attachment(ctc_loader *l, const ctc_attachment *attachment)
{
    context *c = l->c;
    uint32_t triangle = settled_u32(load_u32(attachment->triangle.data));
    if (triangle >= ctc_word_of(l->file, CTC_TRIANGLE_COUNT))
        return true; /* the file changed since it was checked */
    uint32_t owner = owner_of_triangle(l, triangle);
    double corners[3][3], numbers[3];
    transform frame;
    matrix back;
    stele_node node = stele_default_node();
    for (unsigned i = 0; i < 3; i++) {
        uint32_t vertex = ctc_vertex_of(l->file, 3 * (uint64_t)triangle + i);
        const uint8_t *position = l->file->rows[CTC_VERTICES].data + (uint64_t)vertex * VERTEX_BYTES;
        for (int k = 0; k < 3; k++)
            corners[i][k] = (double)load_f32(position + 4 * k);
        if (owner != STELE_NONE) {
            double point[3] = {corners[i][0], corners[i][1], corners[i][2]};
            st_matrix_point(&l->rig.inverse_bind[owner], point, corners[i]);
        }
    }
    st_ctc_triangle_frame(corners, &frame);
    matrix place = st_transform_matrix(&frame);
    st_matrix_inverse(&place, &back);
    st_matrix_point(&back, corners[1], corners[0]);
    numbers[0] = corners[0][0];
    st_matrix_point(&back, corners[2], corners[0]);
    numbers[1] = corners[0][0];
    numbers[2] = corners[0][1];
    st_part_at(c, STELE_PART_NODE, (uint32_t)c->load->model->node_count, at_item(attachment));
    node.name = fixed_name(c->arena, &attachment->name);
    node.parent = bone_node(l, owner);
    node.attachment = true;
    for (int i = 0; i < 3; i++)
        frame.translation[i] = (double)st_ctc_float(frame.translation[i]);
    node.local = st_transform_float(&frame);
    if (isfinite(numbers[0]) && isfinite(numbers[1]) && isfinite(numbers[2]))
        st_property_numbers(&node.properties, c->arena, CTC_TRIANGLE_KEY, numbers, 3);
    return st_model_add_node(c->load->model, c->arena, &node) != STELE_NONE;
}

/* ---- Clips ---- */

/* Frames of a file as a clip. */
typedef struct frames {
    const char *name;
    uint64_t first, count;
} frames;

/* A bone or the main node: the keys of a clip for it. */
typedef struct key_track {
    const ctc_file *file;
    const frames *frames;
    double fps;
    uint64_t column; /* in a frame: 0 is the main key */
} key_track;

static const uint8_t *key_at(const key_track *t, uint64_t frame)
{
    return st_ctc_frame(t->file, t->frames->first + frame) + KEY_BYTES * t->column;
}

/* Whether the key is not always what it is at rest, in the first frame of the file. */
static bool moves(const key_track *t, size_t at)
{
    const uint8_t *rest = st_ctc_frame(t->file, 0) + KEY_BYTES * t->column;
    for (uint64_t i = 0; i < t->frames->count; i++)
        if (memcmp(key_at(t, i) + at, rest + at, 12) != 0)
            return true;
    return false;
}

/* The angles between a frame and the next: those of bones take the shorter way, the main ones may turn several times. */
static void angles_between(const key_track *t, uint64_t frame, double fraction, double angles[3])
{
    ctc_key from = st_ctc_key(key_at(t, frame));
    memcpy(angles, from.angles, sizeof from.angles);
    if (fraction <= 0)
        return;
    ctc_key to = st_ctc_key(key_at(t, frame + 1));
    for (int i = 0; i < 3; i++) {
        double way = t->column ? st_ctc_shorter(from.angles[i], to.angles[i]) : to.angles[i] - from.angles[i];
        angles[i] = from.angles[i] + way * fraction;
    }
}

static double angle_between(const double a[4], const double b[4])
{
    return 2 * st_acos(fabs(dot4(a, b)));
}

enum { MOST_PIECES = 16 };

/* The engine moves the three angles evenly, models take the shortest arc. Into how many pieces the way to the next frame must
 * be cut so that none is wider than a quarter turn, and both ways differ by a tenth of a degree at most. */
static uint64_t pieces_after(const key_track *t, uint64_t frame)
{
    const double tolerance = 0.1 / 57.29578;
    double angles[3][3], q[4][4], widest = 0;
    if (frame + 1 == t->frames->count)
        return 1;
    for (int i = 0; i < 3; i++) {
        angles_between(t, frame, i / 2.0, angles[i]);
        st_ctc_quaternion(angles[i], q[i]);
    }
    for (int i = 0; i < 3; i++)
        widest = greater(widest, fabs(angles[2][i] - angles[0][i]));
    st_quaternion_slerp(q[0], q[2], 0.5, q[3]);
    double pieces = greater(ceil(widest / 90 - 1e-9), ceil(sqrt(angle_between(q[1], q[3]) / tolerance) - 1e-6));
    return pieces > 1 ? (uint64_t)lesser(pieces, MOST_PIECES) : 1;
}

static void store_rotation(uint8_t *bytes, const double angles[3], double before[4])
{
    double q[4];
    st_ctc_quaternion(angles, q);
    double side = dot4(q, before) < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++) {
        before[i] = side * q[i];
        store_f32(bytes + 4 * i, (float)before[i]);
    }
}

static stele_channel load_rotations(const context *c, const key_track *t, uint32_t node)
{
    arena *a = c->arena;
    stele_channel channel = {.node = node, .path = STELE_ROTATION};
    uint64_t count = 0, at = 0;
    double before[4] = {0, 0, 0, 1};
    uint8_t *times, *values;
    for (uint64_t i = 0; i < t->frames->count; i++)
        count += pieces_after(t, i);
    channel.times = st_view_make(a, count, STELE_F32, 1, &times);
    channel.values = st_view_make(a, count, STELE_F32, 4, &values);
    byte_range *each = st_made_of_each(c, &channel.values);
    for (uint64_t i = 0; times && values && i < t->frames->count; i++) {
        uint64_t pieces = pieces_after(t, i);
        for (uint64_t k = 0; k < pieces && at < count; k++, at++) { /* as many as were counted, should the file have changed */
            double fraction = (double)k / (double)pieces, angles[3];
            angles_between(t, i, fraction, angles);
            store_f32(times + 4 * at, (float)(((double)i + fraction) / t->fps));
            store_rotation(values + 16 * at, angles, before);
            if (each)
                each[at] = (byte_range){key_at(t, i) + 12, 12};
        }
    }
    channel.times.count = channel.values.count = at;
    return channel;
}

/* The times of the frames, which all translations of a clip share. */
static stele_view frame_times(arena *a, const frames *f, double fps)
{
    uint8_t *bytes;
    stele_view times = st_view_make(a, f->count, STELE_F32, 1, &bytes);
    for (uint64_t i = 0; bytes && i < f->count; i++)
        store_f32(bytes + 4 * i, (float)((double)i / fps));
    return times;
}

/* Channels for what moves; that of the main translation is always there, so that the clip has its length. */
static void load_channels(ctc_loader *l, const frames *f, double fps, stele_channel *channels, size_t *count)
{
    arena *a = l->c->arena;
    uint32_t stride = KEY_BYTES * (1 + l->rig.bone_count);
    stele_view times = frame_times(a, f, fps);
    for (uint32_t column = 0; column <= l->rig.bone_count; column++) {
        key_track track = {l->file, f, fps, column};
        uint32_t node = column ? bone_node(l, column - 1) : l->main;
        if (!column || moves(&track, 0))
            channels[(*count)++] = (stele_channel){.node = node,
                                                   .path = STELE_TRANSLATION,
                                                   .times = times,
                                                   .values = st_view_f32(key_at(&track, 0), f->count, stride, 3)};
        if (moves(&track, 12))
            channels[(*count)++] = load_rotations(l->c, &track, node);
    }
}

static void load_clip(ctc_loader *l, const frames *f, double fps, const double *unknown)
{
    context *c = l->c;
    stele_channel *channels = st_arena_array(c->arena, 2 * (1 + (uint64_t)l->rig.bone_count), sizeof *channels);
    stele_clip clip = {.name = f->name, .channels = channels};
    if (!channels)
        return;
    load_channels(l, f, fps, channels, &clip.channel_count);
    if (unknown)
        st_property_number(&clip.properties, c->arena, CTC_UNKNOWN_KEY, *unknown);
    st_model_add_clip(c->load->model, c->arena, &clip);
}

static void report_reading(context *c, const ctc_file *f, ctc_clips reading)
{
    if (reading == CTC_CLIPS_FIRST_LAST)
        st_diag(c->diags, DIAG_ASSUMED, at_item(&f->animation[0]),
                "the two numbers are taken as the first and the last frame: these follow each other");
    if (reading == CTC_CLIPS_UNKNOWN && ctc_word_of(f, CTC_ANIMATION_COUNT))
        st_diag(c->diags, DIAG_ASSUMED, at_item(&f->animation[0]),
                "the numbers of the animations do not fit the frames: all frames are one clip");
}

/* Frames that no animation has are a clip named like the file, unless there is only one frame: that is how the model rests. */
static void load_clips(ctc_loader *l, double fps)
{
    context *c = l->c;
    const ctc_file *f = l->file;
    ctc_clips reading = st_ctc_clips(f);
    uint64_t total = ctc_word_of(f, CTC_FRAME_COUNT), next = 0;
    uint32_t count = reading == CTC_CLIPS_UNKNOWN ? 0 : ctc_word_of(f, CTC_ANIMATION_COUNT);
    report_reading(c, f, reading);
    for (uint32_t i = 0; i < count && !c->arena->failed; i++) {
        const ctc_animation *animation = &f->animation[i];
        bool ranges = reading == CTC_CLIPS_FIRST_LAST;
        double unknown = animation->unknown;
        frames clip = {fixed_name(c->arena, &animation->name), ranges ? animation->unknown : next,
                       st_ctc_clip_frames(animation, reading)};
        if (!clip.count)
            st_diag(c->diags, DIAG_NOT_CARRIED, at_item(&f->animation[i]), "has no frames: left out");
        else {
            st_part_at(c, STELE_PART_CLIP, (uint32_t)c->load->model->clip_count, at_item(animation));
            load_clip(l, &clip, fps, ranges || !animation->unknown ? NULL : &unknown);
        }
        next = clip.first + clip.count;
    }
    frames rest = {c->load->name, next, total - next};
    if (rest.count && total > 1)
        load_clip(l, &rest, fps, NULL);
}

/* ---- All of it ---- */

/* Words that may mean something; what can be computed is not kept. */
static void keep_words(context *c, const ctc_file *f)
{
    uint32_t frame_bytes = ctc_word_of(f, CTC_FRAME_COUNT) ? KEY_BYTES * (1 + ctc_word_of(f, CTC_BONE_COUNT)) : 0;
    const struct {
        ctc_word word;
        const char *key;
        uint32_t usual;
    } words[] = {{CTC_SKIN_WIDTH, CTC_WIDTH_KEY, CTC_USUAL_SKIN_SIZE},
                 {CTC_SKIN_HEIGHT, CTC_HEIGHT_KEY, CTC_USUAL_SKIN_SIZE},
                 {CTC_UNKNOWN1, CTC_UNKNOWN1_KEY, frame_bytes},
                 {CTC_UV_COUNT, CTC_UV_COUNT_KEY, 3 * ctc_word_of(f, CTC_TRIANGLE_COUNT)}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ctc_word_of(f, words[i].word) != words[i].usual)
            st_property_number(&c->load->model->properties, c->arena, words[i].key, (int32_t)ctc_word_of(f, words[i].word));
}

static void keep_choices(const ctc_loader *l, bool z_up, double fps)
{
    arena *a = l->c->arena;
    stele_properties *p = &l->c->load->model->properties;
    st_property_text(p, a, CTC_DIALECT_KEY, st_format_ctc.info.dialects[l->file->raw.dialect].name);
    if (!z_up)
        st_property_text(p, a, CTC_UP_KEY, "y");
    if (l->rig.bone_count)
        st_property_text(p, a, CTC_BIND_KEY, st_ctc_bind_names[l->rig.way]);
    if (l->rig.columns)
        st_property_text(p, a, CTC_STORAGE_KEY, "columns");
    if (fps != CTC_USUAL_FPS)
        st_property_number(p, a, CTC_FPS_KEY, fps);
}

static void report_unused(context *c, const ctc_file *f, ctc_word word, const char *what)
{
    st_diag(c->diags, DIAG_ASSUMED, at_member(&f->word[word]), "%s are not used: nobody knows for certain what they do", what);
}

bool st_ctc_load(context *c, const raw_file *raw)
{
    const ctc_file *f = (const ctc_file *)raw;
    ctc_loader l = {.c = c, .file = f};
    bool z_up = strcmp(st_load_choice(c, CTC_UP_KEY), "y") != 0;
    double fps = st_load_fps(c, CTC_USUAL_FPS);
    if (!st_ctc_load_rig(c, f, &l.rig) || !load_nodes(&l, z_up) || !load_surface(&l))
        return false;
    for (uint32_t i = 0; i < ctc_word_of(f, CTC_ATTACHMENT_COUNT); i++)
        if (!load_attachment(&l, &f->attachment[i]))
            return false;
    load_clips(&l, fps);
    keep_choices(&l, z_up, fps);
    keep_words(c, f);
    if (ctc_word_of(f, CTC_UNKNOWN5_COUNT))
        report_unused(c, f, CTC_UNKNOWN5_COUNT, "substitutions of vertices");
    if (ctc_word_of(f, CTC_GL_COMMAND_COUNT))
        report_unused(c, f, CTC_GL_COMMAND_COUNT, "commands");
    return !c->arena->failed;
}
