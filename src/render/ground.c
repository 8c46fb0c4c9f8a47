/* stub */
#include "scene.h"
bool st_ground_make(const scene *s, const ground **made)
{
    (void)s;
    *made = NULL;
    return true;
}
bool st_ground_at(const scene *s, float x, float y, float rgba[4], float *depth)
{
    (void)s;
    (void)x;
    (void)y;
    (void)rgba;
    (void)depth;
    return false;
}
