/* Where the camera stands: around the middle of what is framed, so far away that all of it is seen; and what part of its view
 * the picture shows, so that what is seen of it fills the picture. */
#include "scene.h"

#include "base/order.h"
#include "base/trig.h"

enum { DEFAULT_YAW = 30, DEFAULT_PITCH = 12, HALF_OPENING = 15 }; /* degrees */

/* Room around the ball, and around what is seen of it. A model seldom fills its ball, so that little is enough. */
#define MARGIN 1.01
#define WINDOW_MARGIN 1.08

/* What is seen from its end is made larger, but not without end. */
enum { MOST_ENLARGED = 16 };

static double sine(double degrees)
{
    return st_sin(degrees * (ST_PI / 180));
}

static double cosine(double degrees)
{
    return st_cos(degrees * (ST_PI / 180));
}

/* To the left, upwards and to the front, seen from the front, in the space of the model. What stands on its z axis faces -y. */
typedef struct frame {
    double left[3], up[3], front[3];
} frame;

static const frame frames[] = {
    {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}, {{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{-1, 0, 0}, {0, 0, 1}, {0, -1, 0}}};

static int up_axis(const stele_render_options *o)
{
    return o->up == 'x' ? 0 : o->up == 'z' ? 2 : 1;
}

static double finite_or(float value, double otherwise)
{
    return isfinite(value) ? (double)value : otherwise;
}

static void aim(camera *c, const frame *f, double yaw, double pitch)
{
    for (int i = 0; i < 3; i++) {
        double level = sine(yaw) * f->left[i] + cosine(yaw) * f->front[i];
        double back = cosine(pitch) * level + sine(pitch) * f->up[i];
        c->axes[0][i] = sine(yaw) * f->front[i] - cosine(yaw) * f->left[i];
        c->axes[1][i] = cosine(pitch) * f->up[i] - sine(pitch) * level;
        c->axes[2][i] = -back;
    }
    float sine_pitch = (float)sine(pitch), cosine_pitch = (float)cosine(pitch);
    memcpy(c->up, (float[3]){0, cosine_pitch, -sine_pitch}, sizeof c->up);
    memcpy(c->level, (float[3]){0, -sine_pitch, -cosine_pitch}, sizeof c->level);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            c->left[i] += (float)(c->axes[i][k] * f->left[k]);
            c->front[i] += (float)(c->axes[i][k] * f->front[k]);
        }
}

camera st_camera(const stele_render_options *o, const stele_framing *framing, double turn)
{
    camera c = {.farther = o->camera && o->distance > 0 ? finite_or(o->distance, 1) : 1};
    int up = up_axis(o);
    c.usual_distance = MARGIN / sine(HALF_OPENING);
    c.distance = c.usual_distance * c.farther;
    double yaw = o->camera ? finite_or(o->yaw, 0) : DEFAULT_YAW, pitch = o->camera ? finite_or(o->pitch, 0) : DEFAULT_PITCH;
    aim(&c, &frames[up], yaw + turn, pitch);
    c.radius = framing->radius > 0 && isfinite(framing->radius) ? (double)framing->radius : 1;
    for (int i = 0; i < 3; i++) {
        c.center[i] = finite_or(framing->center[i], 0);
        for (int k = 0; k < 3; k++)
            c.axes[i][k] /= c.radius;
    }
    for (int i = 0; i < 3; i++) {
        c.center_left += c.center[i] * frames[up].left[i];
        c.center_front += c.center[i] * frames[up].front[i];
    }
    /* the origin of heights is the camera */
    c.ground = (float)((finite_or(framing->lowest[up], 0) - c.center[up]) / c.radius + c.distance * (double)c.up[2]);
    return c;
}

/* ---- What the picture shows ---- */

window st_window_join(window a, window b)
{
    return (window){lesserf(a.left, b.left), greaterf(a.right, b.right), lesserf(a.bottom, b.bottom), greaterf(a.top, b.top)};
}

static window square(double half)
{
    return (window){(float)-half, (float)half, (float)-half, (float)half};
}

window st_window_of_ball(void)
{
    return square(sine(HALF_OPENING) / cosine(HALF_OPENING));
}

void st_window_extend(window *w, const camera *c, const float view[3])
{
    double depth = (double)view[2] - c->distance + c->usual_distance;
    float x = (float)((double)view[0] / depth), y = (float)((double)view[1] / depth);
    if (depth > (double)NEAR_PLANE && isfinite(x) && isfinite(y))
        *w = st_window_join(*w, (window){x, x, y, y});
}

void st_camera_fit(camera *c, window w, const stele_picture *picture)
{
    window ball = st_window_of_ball();
    double least = 2 * (double)ball.right / MOST_ENLARGED, room = WINDOW_MARGIN;
    if (!(w.left <= w.right && w.bottom <= w.top) || (w.left == 0 && w.right == 0 && w.bottom == 0 && w.top == 0)) {
        w = ball;
        room = 1;
    }
    double width = greater((double)w.right - (double)w.left, least) * room;
    double height = greater((double)w.top - (double)w.bottom, least) * room;
    c->focal = lesser(picture->width / width, picture->height / height);
    c->slope = (float)(1 / c->focal);
    double shift = c->focal / 2 / c->farther;
    c->middle[0] = picture->width / 2.0 - ((double)w.left + (double)w.right) * shift;
    c->middle[1] = picture->height / 2.0 + ((double)w.bottom + (double)w.top) * shift;
}

/* ---- From the space of the model ---- */

void st_camera_view(const camera *c, const float position[3], float view[3])
{
    double p[3];
    for (int i = 0; i < 3; i++)
        p[i] = (double)position[i] - c->center[i];
    for (int i = 0; i < 3; i++)
        view[i] = (float)(c->axes[i][0] * p[0] + c->axes[i][1] * p[1] + c->axes[i][2] * p[2] + (i == 2 ? c->distance : 0));
}

void st_camera_turn(const camera *c, const float direction[3], float view[3])
{
    float turned[3];
    for (int i = 0; i < 3; i++)
        turned[i] = (float)((c->axes[i][0] * (double)direction[0] + c->axes[i][1] * (double)direction[1] +
                             c->axes[i][2] * (double)direction[2]) *
                            c->radius);
    memcpy(view, turned, sizeof turned);
}

/* So far out of the picture that nobody will see where, and near enough for the products of coordinates to fit in 64 bits. */
#define MOST_SUBPIXELS 268435456.0

static int32_t subpixel(double pixels)
{
    double at = pixels * SUBPIXELS;
    at = at < -MOST_SUBPIXELS ? -MOST_SUBPIXELS : at > MOST_SUBPIXELS ? MOST_SUBPIXELS : at;
    return (int32_t)floor(at + 0.5);
}

void st_project(const camera *c, vertex *v)
{
    v->y = 0;
    if (!isfinite(v->view[0]) || !isfinite(v->view[1]) || !isfinite(v->view[2])) {
        v->x = NOWHERE;
    } else if (v->view[2] < NEAR_PLANE) {
        v->x = BEHIND;
    } else {
        double scale = c->focal / (double)v->view[2];
        v->x = subpixel(c->middle[0] + (double)v->view[0] * scale);
        v->y = subpixel(c->middle[1] - (double)v->view[1] * scale);
    }
}
